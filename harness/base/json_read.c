#include "json_read.h"

#include "error.h"
#include "names.h"

#include <pthread.h>
#include <stdint.h>

/* Limits on what a file may contain. Jansson needs up to 250 bytes for each "{}" and 50 for each "0,", so a hostile
 * file of 128 MB could ask for gigabytes. A run of 10,000 kernels and 50 metrics has some 1,600,000 and 3,200,000. */
#define GROUPS_LIMIT 3000000
#define VALUES_LIMIT 8000000

int json_at_expect(const struct json_at *at, const json_t *value, json_type type, const char *words)
{
    static const char *const found[] = {
        [JSON_OBJECT] = "an object",   [JSON_ARRAY] = "a list", [JSON_STRING] = "a text", [JSON_INTEGER] = "a number",
        [JSON_REAL] = "a real number", [JSON_TRUE] = "true",    [JSON_FALSE] = "false",   [JSON_NULL] = "null",
    };
    if (!value)
        return json_error(at, "is missing; it must be %s", words);
    if (json_typeof(value) != type)
        return json_error(at, "must be %s, not %s", words, found[json_typeof(value)]);
    return 0;
}

int json_at_object(const struct json_at *at, json_t *value, const char *const *keys, size_t count)
{
    TRY(json_at_expect(at, value, JSON_OBJECT, "an object"));
    const char *key;
    json_t *member;
    json_object_foreach(value, key, member)
    {
        if (name_index(key, keys, count) < count)
            continue;
        const char *near = nearest_name(key, keys, count);
        return json_error(at, "has an unknown key \"%.64s\"%s%s%s", key, near ? "; did you mean \"" : "",
                          near ? near : "", near ? "\"?" : "");
    }
    return 0;
}

int json_at_text(const struct json_at *above, json_t *object, const char *key, bool required, char **text)
{
    struct json_at at = {above, key, 0};
    json_t *value = json_object_get(object, key);
    if (!value && !required)
        return 0;
    TRY(json_at_expect(&at, value, JSON_STRING, "a text"));
    *text = x_strdup(json_string_value(value));
    return 0;
}

int json_at_flag(const struct json_at *above, json_t *object, const char *key, bool *flag)
{
    struct json_at at = {above, key, 0};
    json_t *value = json_object_get(object, key);
    if (!json_is_boolean(value))
        return json_at_expect(&at, value, JSON_TRUE, "true or false");
    *flag = json_is_true(value);
    return 0;
}

int json_at_whole(const struct json_at *at, json_t *value, long long min, long long max, long long *number)
{
    TRY(json_at_expect(at, value, JSON_INTEGER, "a whole number"));
    const long long whole = json_integer_value(value);
    if (whole < min || whole > max)
        return json_error(at, "is %lld, but must be between %lld and %lld", whole, min, max);
    *number = whole;
    return 0;
}

int json_at_whole_key(const struct json_at *above, json_t *object, const char *key, long long *number)
{
    struct json_at at = {above, key, 0};
    return json_at_whole(&at, json_object_get(object, key), 0, INT64_MAX, number);
}

int json_at_number(const struct json_at *at, json_t *value, double *number)
{
    if (!json_is_number(value))
        return json_at_expect(at, value, JSON_REAL, "a number");
    *number = json_number_value(value);
    if (*number < 0)
        return json_error(at, "is %g, but must not be negative", *number);
    /* Above 2^53 a double cannot represent every whole number. */
    if (json_is_integer(value) && (*number >= 0x1p63 || (json_int_t)*number != json_integer_value(value)))
        return json_error(at, "is %" JSON_INTEGER_FORMAT ", which a double cannot hold exactly",
                          json_integer_value(value));
    return 0;
}

int json_at_number_key(const struct json_at *above, json_t *object, const char *key, double *number)
{
    struct json_at at = {above, key, 0};
    return json_at_number(&at, json_object_get(object, key), number);
}

/* ---- Parsing. While a thread has a document open, Jansson allocates from blocks that are freed as a whole: a run of
 * 100,000 rows has some two million pieces, whose malloc() and free() would take a third of the time. ---- */

#define BLOCK_BYTES 65536

struct json_memory {
    struct json_memory *next;
    max_align_t memory[];
};

static _Thread_local struct {
    unsigned documents; /* how many are open; all memory is freed with the last */
    struct json_memory *blocks;
    char *free;
    size_t free_bytes;
} opened;

static void *take(size_t size)
{
    if (opened.documents == 0)
        return malloc(size);
    const size_t align = _Alignof(max_align_t);
    if (size > SIZE_MAX / 2)
        return NULL;
    size = (size + align - 1) / align * align;
    if (size > opened.free_bytes) {
        const size_t bytes = size > BLOCK_BYTES ? size : BLOCK_BYTES;
        struct json_memory *block = malloc(sizeof *block + bytes);
        if (!block)
            return NULL;
        block->next = opened.blocks;
        opened.blocks = block;
        opened.free = (char *)block->memory;
        opened.free_bytes = bytes;
    }
    void *memory = opened.free;
    opened.free += size;
    opened.free_bytes -= size;
    return memory;
}

static void give_back(void *memory)
{
    if (opened.documents == 0)
        free(memory);
}

static void use_blocks(void)
{
    json_set_alloc_funcs(take, give_back);
}

static void open_document(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, use_blocks);
    opened.documents++;
}

static void close_document(void)
{
    if (--opened.documents > 0)
        return;
    for (struct json_memory *next; opened.blocks; opened.blocks = next) {
        next = opened.blocks->next;
        free(opened.blocks);
    }
    opened.free = NULL;
    opened.free_bytes = 0;
}

void json_at_end(const json_t *root)
{
    if (root)
        close_document();
}

/* Whether the text has too many values for one file, before parsing it. */
static bool is_too_much(const char *text, size_t length)
{
    size_t groups = 0;
    size_t values = 0;
    bool in_text = false;
    if (length <= GROUPS_LIMIT) /* a text shorter than the smaller limit cannot have too many values */
        return false;
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

json_t *json_at_parse(const char *name, const char *text, size_t length)
{
    if (length == 0)
        return FAIL(NULL, "%s is empty; it should be a run file, as `cugate run --save` writes it", name);
    if (is_too_much(text, length))
        return FAIL(NULL, "%s holds more than %d lists and objects or %d values: no run is that large", name,
                    GROUPS_LIMIT, VALUES_LIMIT);
    json_error_t problem;
    if (!strchr("[{ \t\r\n", *text))
        return FAIL(NULL, "%s is not a JSON file", name);
    open_document();
    json_t *root = json_loadb(text, length, JSON_REJECT_DUPLICATES, &problem);
    if (!root) {
        if (memmem(text, length, "\n<<<<<<< ", 9))
            error("%s has merge conflict markers: keep either side, then measure and accept again", name);
        else if (*problem.text)
            error("%s:%d:%d: %s", name, problem.line, problem.column, problem.text);
        else /* Jansson has no message when memory is exhausted */
            error("not enough memory to read %s: free some memory", name);
        close_document();
    }
    return root;
}
