/* Reads capsules from JSON. A file may come from anyone, so anything that capsule_text() would not write is an error
 * that says where it is. */
#include "capsule_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Reads a list of three extents, which are not 0. */
static int read_extents(const struct json_at *above, json_t *object, const char *key, unsigned extents[3])
{
    struct json_at list = {above, key, 0};
    json_t *value = json_object_get(object, key);
    if (json_at_expect(&list, value, JSON_ARRAY, "a list of three numbers") < 0)
        return -1;
    if (json_array_size(value) != 3)
        return json_error(&list, "has %zu numbers, not 3", json_array_size(value));
    for (size_t i = 0; i < 3; i++) {
        struct json_at at = {&list, NULL, i};
        long long whole;
        if (json_at_whole(&at, json_array_get(value, i), 1, UINT32_MAX, &whole) < 0)
            return -1;
        extents[i] = (unsigned)whole;
    }
    return 0;
}

/* Where pages are read: which numbers there may be. */
struct page_rule {
    long long least; /* -1: also PAGE_ZERO; -2: also PAGE_SAME */
    size_t count;    /* pages of the file */
};

/* Reads the pages of so many bytes. *pages is allocated by what the list holds, not by what the size claims. */
static int read_pages(const struct json_at *above, json_t *object, const char *key, uint64_t size,
                      const struct page_rule *rule, uint32_t **pages)
{
    struct json_at list = {above, key, 0};
    json_t *value = json_object_get(object, key);
    if (json_at_expect(&list, value, JSON_ARRAY, "a list of pages") < 0)
        return -1;
    const size_t count = json_array_size(value);
    if (count != pages_of(size))
        return json_error(&list, "has %zu pages, but %llu bytes take %zu", count, (unsigned long long)size,
                          pages_of(size));
    *pages = x_calloc(count, sizeof **pages);
    for (size_t i = 0; i < count; i++) {
        struct json_at at = {&list, NULL, i};
        long long number;
        if (json_at_whole(&at, json_array_get(value, i), rule->least, (long long)rule->count - 1, &number) < 0)
            return -1;
        (*pages)[i] = (uint32_t)number; /* -1 and -2 are PAGE_ZERO and PAGE_SAME */
    }
    return 0;
}

/* A size of 0 is that of code which is not there. */
static int read_size(const struct json_at *above, json_t *object, long long least, long long most, uint64_t *size)
{
    struct json_at at = {above, "size", 0};
    long long whole;
    if (json_at_whole(&at, json_object_get(object, at.key), least, most, &whole) < 0)
        return -1;
    *size = (uint64_t)whole;
    return 0;
}

static int read_code(const struct json_at *above, json_t *object, size_t page_count, struct blob *code)
{
    static const char *const keys[] = {"pages", "size"};
    struct json_at at = {above, "code", 0};
    json_t *value = json_object_get(object, at.key);
    if (json_at_object(&at, value, keys, ARRAY_SIZE(keys)) < 0 || read_size(&at, value, 0, BLOB_LIMIT, &code->size) < 0)
        return -1;
    return read_pages(&at, value, "pages", code->size, &(struct page_rule){-1, page_count}, &code->pages);
}

static int digit_of(char character)
{
    static const char digits[] = "0123456789abcdef";
    const char *found = character ? strchr(digits, character) : NULL;
    return found ? (int)(found - digits) : -1;
}

static int read_bytes(const struct json_at *above, json_t *object, struct capsule *capsule)
{
    struct json_at at = {above, "bytes", 0};
    json_t *value = json_object_get(object, at.key);
    if (json_at_expect(&at, value, JSON_STRING, "a text of hexadecimal digits") < 0)
        return -1;
    const char *text = json_string_value(value);
    const size_t length = json_string_length(value);
    if (length % 2 > 0 || length / 2 > BYTES_LIMIT)
        return json_error(&at, "has %zu digits; there are two for each of at most %u bytes", length, BYTES_LIMIT);
    capsule->byte_count = length / 2;
    capsule->bytes = x_calloc(capsule->byte_count, 1);
    for (size_t i = 0; i < length; i++) {
        const int digit = digit_of(text[i]);
        if (digit < 0)
            return json_error(&at, "has something else than a digit, 0 to 9 or a to f, behind %zu digits", i);
        capsule->bytes[i / 2] = (unsigned char)(capsule->bytes[i / 2] << 4 | digit);
    }
    return 0;
}

static int read_argument(const struct json_at *at, json_t *value, size_t byte_count, struct argument *argument)
{
    struct json_at offset = {at, NULL, 0}, size = {at, NULL, 1}, exact = {at, NULL, 2};
    long long begin, length, one = 0;
    if (json_at_expect(at, value, JSON_ARRAY, "a list of offset and size") < 0)
        return -1;
    if (json_array_size(value) != 2 && json_array_size(value) != 3)
        return json_error(at, "has %zu numbers, not 2: offset and size", json_array_size(value));
    if (json_at_whole(&offset, json_array_get(value, 0), 0, (long long)byte_count, &begin) < 0 ||
        json_at_whole(&size, json_array_get(value, 1), 0, (long long)byte_count - begin, &length) < 0 ||
        (json_array_size(value) == 3 && json_at_whole(&exact, json_array_get(value, 2), 1, 1, &one) < 0))
        return -1;
    *argument = (struct argument){.offset = (unsigned)begin, .size = (unsigned)length, .exact = one == 1};
    return 0;
}

static int read_arguments(const struct json_at *above, json_t *object, struct capsule *capsule)
{
    struct json_at list = {above, "arguments", 0};
    json_t *value = json_object_get(object, list.key);
    if (json_at_expect(&list, value, JSON_ARRAY, "a list") < 0)
        return -1;
    for (size_t i = 0; i < json_array_size(value); i++) {
        struct json_at at = {&list, NULL, i};
        if (read_argument(&at, json_array_get(value, i), capsule->byte_count,
                          ARRAY_GROW(capsule->arguments, capsule->argument_count)) < 0)
            return -1;
    }
    return 0;
}

static int read_kind(const struct json_at *above, json_t *object, struct memory_range *range)
{
    char *name = NULL;
    if (json_at_text(above, object, "kind", true, &name) < 0)
        return -1;
    range->kind = memory_kind_of(name);
    const int result =
        range->kind < MEMORY_KINDS ? 0 : json_error(above, "has the kind \"%.64s\", which is no kind of memory", name);
    free(name);
    if (result < 0 || json_at_text(above, object, "variable", range->kind == MEMORY_VARIABLE, &range->variable) < 0)
        return -1;
    if (range->kind != MEMORY_VARIABLE && range->variable)
        return json_error(above, "is no variable, but has the name of one");
    return 0;
}

static int read_range(const struct json_at *at, json_t *value, size_t page_count, struct memory_range *range)
{
    static const char *const keys[] = {"address", "after", "before", "kind", "size", "variable", "varies"};
    const struct page_rule any = {-1, page_count}, after = {-2, page_count};
    long long address;
    if (json_at_object(at, value, keys, ARRAY_SIZE(keys)) < 0 ||
        json_at_whole_key(at, value, "address", &address) < 0 ||
        read_size(at, value, 1, INT64_MAX - address, &range->size) < 0)
        return -1;
    range->address = (uint64_t)address;
    if (read_kind(at, value, range) < 0 || read_pages(at, value, "after", range->size, &after, &range->after) < 0 ||
        read_pages(at, value, "before", range->size, &any, &range->before) < 0)
        return -1;
    return json_object_get(value, "varies") ? read_pages(at, value, "varies", range->size, &any, &range->varies) : 0;
}

static int read_ranges(const struct json_at *above, json_t *object, size_t page_count, struct capsule *capsule)
{
    struct json_at list = {above, "ranges", 0};
    json_t *value = json_object_get(object, list.key);
    if (json_at_expect(&list, value, JSON_ARRAY, "a list") < 0)
        return -1;
    for (size_t i = 0; i < json_array_size(value); i++) {
        struct json_at at = {&list, NULL, i};
        if (read_range(&at, json_array_get(value, i), page_count, ARRAY_GROW(capsule->ranges, capsule->range_count)) <
            0)
            return -1;
    }
    return 0;
}

static int read_id(const struct json_at *above, json_t *object, struct capsule *capsule)
{
    if (json_at_text(above, object, "id", true, &capsule->id) < 0)
        return -1;
    if (!is_kernel_id(capsule->id))
        return json_error(
            above,
            "has the id \"%.64s\", which names no kernel: it must be program/function, at most %d letters, "
            "digits, _ and, but not first, " ID_MARKS,
            capsule->id, NAME_LENGTH);
    return json_at_text(above, object, "function", true, &capsule->function);
}

static int read_proof(const struct json_at *above, json_t *object, struct capsule *capsule)
{
    char *name = NULL;
    if (json_at_text(above, object, "proof", true, &name) < 0)
        return -1;
    capsule->proof = proof_of(name);
    int result = capsule->proof < PROOFS ? 0 : json_error(above, "has the proof \"%.64s\", which is none", name);
    free(name);
    for (size_t i = 0; i < capsule->range_count && result == 0; i++)
        if (capsule->proof == PROOF_IDENTICAL && capsule->ranges[i].varies)
            result = json_error(above, "has bits that vary, and the proof \"identical\"");
    return result;
}

/* Reads how far results may be off; both members are there or none. */
static int read_tolerance(const struct json_at *above, json_t *object, struct capsule *capsule)
{
    const bool has_tolerance = json_object_get(object, "tolerance"), has_type = json_object_get(object, "type");
    char *name = NULL;
    if (has_tolerance != has_type)
        return json_error(above, "has %s without the other", has_type ? "\"type\"" : "\"tolerance\"");
    if (!has_tolerance)
        return 0;
    if (json_at_number_key(above, object, "tolerance", &capsule->tolerance) < 0 ||
        json_at_text(above, object, "type", true, &name) < 0)
        return -1;
    capsule->type = value_type_of(name);
    const int result =
        capsule->type < VALUE_TYPES ? 0 : json_error(above, "has values of the type \"%.64s\", which is none", name);
    free(name);
    if (result == 0 && !(capsule->tolerance > 0 && capsule->tolerance < 1))
        return json_error(above, "has the tolerance %g, which is not between 0 and 1", capsule->tolerance);
    return result;
}

static int read_number(const struct json_at *above, json_t *object, const char *key, size_t *number)
{
    long long whole;
    if (json_at_whole_key(above, object, key, &whole) < 0)
        return -1;
    *number = (size_t)whole;
    return 0;
}

/* Reads how a launch was asked for. */
static int read_launch(const struct json_at *at, json_t *root, struct capsule *capsule)
{
    struct json_at carve_out = {at, "carve_out", 0};
    json_t *percent = json_object_get(root, carve_out.key);
    long long whole = -1;
    if (percent && json_at_whole(&carve_out, percent, 0, 100, &whole) < 0)
        return -1;
    capsule->carve_out = (int)whole;
    if (read_extents(at, root, "block", capsule->block) < 0 || read_extents(at, root, "grid", capsule->grid) < 0 ||
        (json_object_get(root, "cluster") && read_extents(at, root, "cluster", capsule->cluster) < 0) ||
        json_at_unsigned_key(at, root, "shared", &capsule->shared) < 0 ||
        json_at_unsigned_key(at, root, "shared_limit", &capsule->shared_limit) < 0 ||
        json_at_flag(at, root, "cooperative", &capsule->cooperative) < 0 ||
        json_at_flag(at, root, "large_cluster", &capsule->large_cluster) < 0 ||
        json_at_flag(at, root, "overlaps", &capsule->overlaps) < 0)
        return -1;
    return 0;
}

static int read_capsule(const struct json_at *at, json_t *root, size_t page_count, struct capsule *capsule)
{
    static const char *const keys[] = {"arguments",    "block",    "bytes",    "carve_out", "cluster",       "code",
                                       "cooperative",  "function", "grid",     "id",        "large_cluster", "launch",
                                       "launched_by",  "launches", "overlaps", "proof",     "ranges",        "shared",
                                       "shared_limit", "swapped",  "time_ns",  "tolerance", "type"};
    if (json_at_object(at, root, keys, ARRAY_SIZE(keys)) < 0 || read_id(at, root, capsule) < 0 ||
        read_launch(at, root, capsule) < 0 || read_bytes(at, root, capsule) < 0 ||
        read_arguments(at, root, capsule) < 0 || read_code(at, root, page_count, &capsule->code) < 0 ||
        read_ranges(at, root, page_count, capsule) < 0 || read_proof(at, root, capsule) < 0 ||
        read_number(at, root, "launch", &capsule->launch) < 0 ||
        read_number(at, root, "launches", &capsule->launches) < 0 ||
        json_at_text(at, root, "launched_by", false, &capsule->launched_by) < 0 ||
        json_at_text(at, root, "swapped", false, &capsule->swapped) < 0)
        return -1;
    if (read_tolerance(at, root, capsule) < 0)
        return -1;
    capsule->time_ns = NAN;
    return json_object_get(root, "time_ns") ? json_at_number_key(at, root, "time_ns", &capsule->time_ns) : 0;
}

int capsule_parse(struct capsule *capsule, const char *name, const char *text, size_t length, size_t page_count)
{
    struct json_at top = {NULL, name, 0};
    *capsule = (struct capsule){0};
    json_t *root = json_at_parse(name, text, length);
    if (!root)
        return -1;
    const int result = read_capsule(&top, root, page_count, capsule);
    json_at_end(root);
    return result;
}
