#include "json_fields.h"

#include "error.h"
#include "lists.h"
#include "names.h"

#include <stdint.h>

static int take_extents(const struct json_at *at, const json_t *value, unsigned extents[3])
{
    TRY(json_at_expect(at, value, JSON_ARRAY, "a list of three numbers"));
    if (json_array_size(value) != 3)
        return json_error(at, "has %zu numbers, not 3", json_array_size(value));
    for (size_t i = 0; i < 3; i++) {
        struct json_at element = {at, NULL, i};
        long long whole;
        TRY(json_at_whole(&element, json_array_get(value, i), 1, UINT32_MAX, &whole));
        extents[i] = (unsigned)whole;
    }
    return 0;
}

static int take_whole(const struct json_at *at, json_t *value, const struct json_field *field, char *number)
{
    const long long fits = field->kind == FIELD_SIZE ? INT64_MAX : field->kind == FIELD_PERCENT ? 100 : UINT32_MAX;
    long long whole = 0;
    const int result = json_at_whole(at, value, field->least, field->most ? field->most : fits, &whole);
    if (field->kind == FIELD_SIZE)
        memcpy(number, &whole, sizeof whole);
    else
        *(unsigned *)number = (unsigned)whole + (field->kind == FIELD_PERCENT);
    return result;
}

static int take_choice(const struct json_at *at, const json_t *value, const struct json_field *field, unsigned *choice)
{
    TRY(json_at_expect(at, value, JSON_STRING, "a text"));
    for (*choice = 0; *choice < field->names; ++*choice)
        if (strcmp(field->name(*choice), json_string_value(value)) == 0)
            return 0;
    return json_error(at, "is \"%.64s\", which is not a %s", json_string_value(value), field->what);
}

static int take_named(const struct json_at *at, json_t *value, const struct json_field *field, double *numbers)
{
    const char *keys[JSON_FIELDS_MAX];
    for (unsigned i = 0; i < field->names; i++)
        keys[i] = field->name(i);
    TRY(json_at_object(at, value, keys, field->names));
    for (unsigned i = 0; i < field->names; i++)
        if (json_object_get(value, keys[i]) && json_at_number_key(at, value, keys[i], &numbers[i]) < 0)
            return -1;
    return 0;
}

static int digit_of(char character)
{
    static const char digits[] = "0123456789abcdef";
    const char *found = character ? strchr(digits, character) : NULL;
    return found ? (int)(found - digits) : -1;
}

static int take_bytes(const struct json_at *at, const json_t *value, const struct json_field *field, char *of)
{
    TRY(json_at_expect(at, value, JSON_STRING, "a string of hexadecimal digits"));
    const char *text = json_string_value(value);
    const size_t length = json_string_length(value);
    if (length % 2 > 0 || length / 2 > (size_t)field->most)
        return json_error(at, "has %zu digits, but needs two for each byte, and at most %lld bytes are allowed", length,
                          field->most);
    unsigned char *bytes = x_calloc(length / 2, 1);
    *(unsigned char **)(of + field->offset) = bytes;
    *(size_t *)(of + field->count) = length / 2;
    for (size_t i = 0; i < length; i++) {
        const int digit = digit_of(text[i]);
        if (digit < 0)
            return json_error(at, "has a character other than 0-9 and a-f after %zu digits", i);
        bytes[i / 2] = (unsigned char)(bytes[i / 2] << 4 | digit);
    }
    return 0;
}

/* ---- Structs that are allocated. Their pointers may have any type. ---- */

/* Adds one of so many elements, for which there is room from the first on: a power of two, as x_grow() expects. */
static void *add_to(char *of, const struct json_field *field, size_t all)
{
    void *list;
    size_t *count = (size_t *)(of + field->count), room = 1;
    memcpy(&list, of + field->offset, sizeof list);
    while (room < all)
        room *= 2;
    list = list ? list : x_calloc(room, field->table->size);
    memcpy(of + field->offset, &list, sizeof list);
    return (char *)list + field->table->size * (*count)++;
}

static int take_owned(const struct json_at *at, json_t *value, const struct json_field *field,
                      const struct json_takes *takes, void *member)
{
    void *owned = x_calloc(1, field->table->size);
    memcpy(member, &owned, sizeof owned);
    return json_at_fields(at, value, field->table, takes, owned);
}

static int take_list(const struct json_at *list, json_t *value, const struct json_field *field,
                     const struct json_takes *takes, char *of)
{
    TRY(json_at_expect(list, value, JSON_ARRAY, "a list"));
    for (size_t i = 0; i < json_array_size(value); i++) {
        struct json_at at = {list, NULL, i};
        TRY(json_at_fields(&at, json_array_get(value, i), field->table, takes,
                           add_to(of, field, json_array_size(value))));
    }
    return 0;
}

/* Reads all, then sorts them once. Sorting in place would take hours for a large file in the worst order. */
static int take_map(const struct json_at *list, json_t *value, const struct json_field *field,
                    const struct json_takes *takes, char *of)
{
    TRY(json_at_expect(list, value, JSON_OBJECT, "an object"));
    const char *name;
    json_t *member;
    json_object_foreach(value, name, member)
    {
        if (field->table->check_name && field->table->check_name(list, name) < 0)
            return -1;
        struct json_at at = {list, name, 0};
        void *added = add_to(of, field, json_object_size(value));
        *(char **)added = x_strdup(name);
        TRY(json_at_fields(&at, member, field->table, takes, added));
    }
    void *sorted;
    memcpy(&sorted, of + field->offset, sizeof sorted);
    sort_by_name(sorted, *(size_t *)(of + field->count), field->table->size);
    return 0;
}

/* ---- A struct ---- */

static int take_field(const struct json_at *at, json_t *value, const struct json_field *field,
                      const struct json_takes *takes, void *of)
{
    char *member = (char *)of + field->offset;
    switch (field->kind) {
    case FIELD_TEXT:
        TRY(json_at_expect(at, value, JSON_STRING, "a text"));
        *(char **)member = x_strdup(json_string_value(value));
        return 0;
    case FIELD_FLAG:
        *(bool *)member = json_is_true(value);
        return json_is_boolean(value) ? 0 : json_at_expect(at, value, JSON_TRUE, "true or false");
    case FIELD_MAYBE:
        *(unsigned *)member = json_is_true(value) ? 2 : 1;
        return json_is_boolean(value) ? 0 : json_at_expect(at, value, JSON_TRUE, "true or false");
    case FIELD_UNSIGNED:
    case FIELD_PERCENT:
    case FIELD_SIZE:
        return take_whole(at, value, field, member);
    case FIELD_NUMBER:
        return json_at_number(at, value, (double *)member);
    case FIELD_CHOICE:
        return take_choice(at, value, field, (unsigned *)member);
    case FIELD_NAMED:
        return take_named(at, value, field, (double *)member);
    case FIELD_BYTES:
        return take_bytes(at, value, field, of);
    case FIELD_EXTENTS:
        return take_extents(at, value, (unsigned *)member);
    case FIELD_STRUCT:
        return json_at_fields(at, value, field->table, takes, member);
    case FIELD_OWNED:
        return take_owned(at, value, field, takes, member);
    case FIELD_LIST:
        return take_list(at, value, field, takes, of);
    case FIELD_MAP:
        return take_map(at, value, field, takes, of);
    case FIELD_OTHER:
        return takes->list[field->take](at, value, of, field, takes);
    }
    return 0;
}

/* Finds the member of each field. An object with other members is refused. */
static int find_members(const struct json_at *at, json_t *value, const struct json_table *table, json_t **members)
{
    const char *key, *keys[JSON_FIELDS_MAX];
    for (size_t i = 0; i < table->count; i++)
        keys[i] = table->fields[i].key;
    TRY(json_at_expect(at, value, JSON_OBJECT, "an object"));
    json_t *member;
    json_object_foreach(value, key, member)
    {
        const size_t i = name_index(key, keys, table->count);
        if (i == table->count)
            return json_at_object(at, value, keys, table->count);
        members[i] = member;
    }
    return 0;
}

/* Notes whether a member is there. */
static void note_presence(const struct json_field *field, bool is_there, void *of)
{
    if (field->when && is_there)
        *((bool *)of + field->when) = true;
    if (field->unless)
        *((bool *)of + field->unless) = !is_there;
    if (field->kind == FIELD_CHOICE)
        *(unsigned *)((char *)of + field->offset) = field->names;
}

int json_at_fields(const struct json_at *at, json_t *value, const struct json_table *table,
                   const struct json_takes *takes, void *of)
{
    json_t *members[JSON_FIELDS_MAX] = {NULL};
    TRY(find_members(at, value, table, members));
    for (size_t i = 0; i < table->count; i++)
        note_presence(&table->fields[i], members[i], of);
    for (int others = 0; others < 2; others++)
        for (size_t i = table->count; i-- > 0;) {
            const struct json_at below = {at, table->fields[i].key, 0};
            if (members[i] && (table->fields[i].kind == FIELD_OTHER) == others &&
                take_field(&below, members[i], &table->fields[i], takes, of) < 0)
                return -1;
        }
    for (size_t i = 0; i < table->count; i++) {
        const struct json_field *field = &table->fields[i];
        const struct json_at below = {at, field->key, 0};
        if (!members[i] && !field->optional && !field->when && !field->unless)
            return take_field(&below, NULL, field, takes, of);
    }
    return table->check ? table->check(at, of) : 0;
}
