#include "run_place.h"

#include "error.h"
#include "names.h"

#include <stdarg.h>
#include <stdint.h>
#include <string.h>

/* What a file may hold at most. Jansson takes up to 250 bytes for each "{}" and 50 for each "0,", so that a hostile
 * file of RUN_FILE_LIMIT would else ask for gigabytes. A run of 10,000 kernels and 50 metrics has some 1,600,000 and
 * 3,200,000. */
#define GROUPS_LIMIT 3000000
#define VALUES_LIMIT 8000000

static size_t print_place(const struct place *place, char *text, size_t size)
{
    size_t used = place->above ? print_place(place->above, text, size) : 0;
    if (used >= size)
        return used;
    const char *gap = !place->above ? "" : !place->above->above ? ": " : "/";
    int added = place->key ? snprintf(text + used, size - used, "%s%s", gap, place->key)
                           : snprintf(text + used, size - used, "%s%zu", gap, place->index);
    return used + (size_t)added;
}

int place_wrong(const struct place *place, const char *format, ...)
{
    char where[1200];
    char what[512];
    print_place(place, where, sizeof where);
    va_list list;
    va_start(list, format);
    vsnprintf(what, sizeof what, format, list);
    va_end(list);
    return error("%s: %s", where, what);
}

int place_expect(const struct place *place, const json_t *value, json_type type, const char *words)
{
    static const char *const found[] = {
        [JSON_OBJECT] = "an object",   [JSON_ARRAY] = "a list", [JSON_STRING] = "a text", [JSON_INTEGER] = "a number",
        [JSON_REAL] = "a real number", [JSON_TRUE] = "true",    [JSON_FALSE] = "false",   [JSON_NULL] = "null",
    };
    if (!value)
        return place_wrong(place, "is missing; it must be %s", words);
    if (json_typeof(value) != type)
        return place_wrong(place, "must be %s, not %s", words, found[json_typeof(value)]);
    return 0;
}

int place_object(const struct place *place, json_t *value, const char *const *keys, size_t count)
{
    if (place_expect(place, value, JSON_OBJECT, "an object") < 0)
        return -1;
    const char *key;
    json_t *member;
    json_object_foreach(value, key, member)
    {
        bool known = false;
        for (size_t i = 0; i < count && !known; i++)
            known = strcmp(keys[i], key) == 0;
        if (known)
            continue;
        const char *near = nearest_name(key, keys, count);
        return place_wrong(place, "has an unknown key \"%.64s\"%s%s%s", key, near ? "; did you mean \"" : "",
                           near ? near : "", near ? "\"?" : "");
    }
    return 0;
}

int place_text(const struct place *above, json_t *object, const char *key, bool required, char **text)
{
    struct place place = {above, key, 0};
    json_t *value = json_object_get(object, key);
    if (!value && !required)
        return 0;
    if (place_expect(&place, value, JSON_STRING, "a text") < 0)
        return -1;
    *text = x_strdup(json_string_value(value));
    return 0;
}

int place_flag(const struct place *above, json_t *object, const char *key, bool *flag)
{
    struct place place = {above, key, 0};
    json_t *value = json_object_get(object, key);
    if (!json_is_boolean(value))
        return place_expect(&place, value, JSON_TRUE, "true or false");
    *flag = json_is_true(value);
    return 0;
}

int place_whole(const struct place *place, json_t *value, long long least, long long most, long long *number)
{
    if (place_expect(place, value, JSON_INTEGER, "a whole number") < 0)
        return -1;
    *number = json_integer_value(value);
    if (*number < least || *number > most)
        return place_wrong(place, "is %lld, but must lie between %lld and %lld", *number, least, most);
    return 0;
}

int place_whole_key(const struct place *above, json_t *object, const char *key, long long *number)
{
    struct place place = {above, key, 0};
    return place_whole(&place, json_object_get(object, key), 0, INT64_MAX, number);
}

int place_unsigned_key(const struct place *above, json_t *object, const char *key, unsigned *number)
{
    struct place place = {above, key, 0};
    long long whole;
    if (place_whole(&place, json_object_get(object, key), 0, UINT32_MAX, &whole) < 0)
        return -1;
    *number = (unsigned)whole;
    return 0;
}

int place_number(const struct place *place, json_t *value, double *number)
{
    if (!json_is_number(value))
        return place_expect(place, value, JSON_REAL, "a number");
    *number = json_number_value(value);
    if (*number < 0)
        return place_wrong(place, "is %g, but nothing here is negative", *number);
    /* Above 2^53 a double cannot tell every count from the next. */
    if (json_is_integer(value) && (*number >= 0x1p63 || (json_int_t)*number != json_integer_value(value)))
        return place_wrong(place, "is %" JSON_INTEGER_FORMAT ", which a double does not hold exactly",
                           json_integer_value(value));
    return 0;
}

int place_number_key(const struct place *above, json_t *object, const char *key, double *number)
{
    struct place place = {above, key, 0};
    return place_number(&place, json_object_get(object, key), number);
}

/* Whether the text holds too much for one file, whatever it says. */
static bool is_too_much(const char *text, size_t length)
{
    size_t groups = 0;
    size_t values = 0;
    bool in_text = false;
    for (size_t i = 0; i < length; i++) {
        if (in_text && text[i] == '\\')
            i++;
        else if (text[i] == '"')
            in_text = !in_text;
        else if (!in_text && (text[i] == '[' || text[i] == '{'))
            groups++;
        else if (!in_text && text[i] == ',')
            values++;
    }
    return groups > GROUPS_LIMIT || values > VALUES_LIMIT;
}

json_t *place_parse(const char *name, const char *text, size_t length)
{
    if (length == 0) {
        error("%s is empty; it should be a run file, as `cugate run -o` writes it", name);
        return NULL;
    }
    if (is_too_much(text, length)) {
        error("%s holds more than %d lists and objects or %d values: no run is that large", name, GROUPS_LIMIT,
              VALUES_LIMIT);
        return NULL;
    }
    json_error_t problem;
    json_t *root = json_loadb(text, length, JSON_REJECT_DUPLICATES, &problem);
    if (!root)
        error("%s:%d:%d: %s", name, problem.line, problem.column, problem.text);
    return root;
}
