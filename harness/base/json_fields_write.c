#include "json_fields.h"

#include "error.h"
#include "lists.h"

void json_put_reading(struct json_writer *json, const char *key, double number)
{
    if (!isfinite(number) || number < 0)
        BUG("%g is not a valid counter value", number);
    json_put_number(json, key, number);
}

static void put_named(struct json_writer *json, const struct json_field *field, const double *numbers)
{
    struct {
        const char *name;
        double number;
    } list[JSON_FIELDS_MAX];
    size_t count = 0;
    for (unsigned i = 0; i < field->names; i++)
        if (numbers[i] > 0) {
            list[count].name = field->name(i);
            list[count++].number = numbers[i];
        }
    if (count == 0 && field->optional)
        return;
    sort_by_name(list, count, sizeof *list);
    json_open(json, field->key, '{', JSON_IN_LINE);
    for (size_t i = 0; i < count; i++)
        json_put_reading(json, list[i].name, list[i].number);
    json_close(json);
}

static void put_extents(struct json_writer *json, const char *key, const unsigned extents[3])
{
    json_open(json, key, '[', JSON_IN_LINE);
    for (size_t i = 0; i < 3; i++)
        json_put_count(json, NULL, extents[i]);
    json_close(json);
}

static void put_bytes(struct json_writer *json, const char *key, const unsigned char *bytes, size_t count)
{
    static const char digits[] = "0123456789abcdef";
    OWNED_TEXT text = x_calloc(2 * count + 1, 1);
    for (size_t i = 0; i < count; i++) {
        text[2 * i] = digits[bytes[i] >> 4];
        text[2 * i + 1] = digits[bytes[i] & 15];
    }
    json_put_text(json, key, text);
}

static void put_list(struct json_writer *json, const struct json_field *field, const char *list, size_t count)
{
    const bool is_map = field->kind == FIELD_MAP;
    json_open(json, field->key, is_map ? '{' : '[', JSON_LINES);
    for (size_t i = 0; i < count; i++, list += field->table->size)
        json_put_fields(json, is_map ? *(char *const *)list : NULL, field->table, list);
    json_close(json);
}

/* Returns a pointer that the struct holds, of whatever type. */
static const void *pointer_at(const void *member)
{
    const void *pointer;
    memcpy(&pointer, member, sizeof pointer);
    return pointer;
}

static void put_whole(struct json_writer *json, const struct json_field *field, unsigned long long number)
{
    if (number > 0 || !field->optional)
        json_put_count(json, field->key, number);
}

static void put_field(struct json_writer *json, const struct json_field *field, const void *of)
{
    const char *member = (const char *)of + field->offset;
    const unsigned *number = (const unsigned *)member;
    const size_t *count = (const size_t *)((const char *)of + field->count);
    unsigned long long whole;
    switch (field->kind) {
    case FIELD_TEXT:
        json_put_if(json, field->key, *(char *const *)member);
        break;
    case FIELD_FLAG:
        json_put_flag(json, field->key, *(const bool *)member);
        break;
    case FIELD_UNSIGNED:
        put_whole(json, field, *number);
        break;
    case FIELD_SIZE:
        memcpy(&whole, member, sizeof whole);
        put_whole(json, field, whole);
        break;
    case FIELD_NUMBER:
        if (!field->optional || *(const double *)member > 0)
            json_put_reading(json, field->key, *(const double *)member);
        break;
    case FIELD_PERCENT:
        if (*number > 0)
            json_put_count(json, field->key, *number - 1);
        break;
    case FIELD_MAYBE:
        if (*number > 0)
            json_put_flag(json, field->key, *number > 1);
        break;
    case FIELD_CHOICE:
        if (*number < field->names)
            json_put_text(json, field->key, field->name(*number));
        break;
    case FIELD_NAMED:
        put_named(json, field, (const double *)member);
        break;
    case FIELD_BYTES:
        put_bytes(json, field->key, pointer_at(member), *count);
        break;
    case FIELD_EXTENTS:
        if (!field->optional || *number > 0)
            put_extents(json, field->key, number);
        break;
    case FIELD_STRUCT:
        if (!field->table->is_there || field->table->is_there(member))
            json_put_fields(json, field->key, field->table, member);
        break;
    case FIELD_OWNED:
        if (pointer_at(member))
            json_put_fields(json, field->key, field->table, pointer_at(member));
        break;
    case FIELD_LIST:
        if (*count >= (size_t)field->least)
            put_list(json, field, pointer_at(member), *count);
        break;
    case FIELD_MAP:
        put_list(json, field, pointer_at(member), *count);
        break;
    case FIELD_OTHER:
        BUG("no code writes the field %s", field->key);
    }
}

void json_put_fields(struct json_writer *json, const char *key, const struct json_table *table, const void *of)
{
    json_open(json, key, '{', table->layout);
    EACH(const struct json_field, field, table->fields, table->count) {
        if ((field->when && !*((const bool *)of + field->when)) ||
            (field->unless && *((const bool *)of + field->unless)))
            continue;
        if (field->put)
            field->put(json, field, of);
        else
            put_field(json, field, of);
    }
    json_close(json);
}
