/* Reads capsules from JSON. A file may come from anyone, so anything that capsule_text() would not write is an error
 * that says where it is. */
#include "capsule_text.h"

/* Reads pages, of which the file has so many. They are allocated by what the list holds, not by what the size claims.
 */
static int take_pages(const struct json_at *list, json_t *value, void *of, const struct json_field *field,
                      const struct json_takes *takes)
{
    const size_t page_count = *(const size_t *)takes->about, count = json_array_size(value);
    const uint64_t size = *(const uint64_t *)((const char *)of + field->count);
    TRY(json_at_expect(list, value, JSON_ARRAY, "a list of pages"));
    if (count != pages_of(size))
        return json_error(list, "has %zu pages, but %llu bytes need %zu", count, (unsigned long long)size,
                          pages_of(size));
    uint32_t *pages = x_calloc(count, sizeof *pages);
    *(uint32_t **)((char *)of + field->offset) = pages;
    for (size_t i = 0; i < count; i++) {
        struct json_at at = {list, NULL, i};
        long long number;
        TRY(json_at_whole(&at, json_array_get(value, i), field->least, (long long)page_count - 1, &number));
        pages[i] = (uint32_t)number; /* -1 and -2 are PAGE_ZERO and PAGE_SAME */
    }
    return 0;
}

static int read_argument(const struct json_at *at, json_t *value, size_t byte_count, struct argument *argument)
{
    struct json_at offset = {at, NULL, 0}, size = {at, NULL, 1}, exact = {at, NULL, 2};
    long long begin, length, one = 0;
    TRY(json_at_expect(at, value, JSON_ARRAY, "a list of offset and size"));
    if (json_array_size(value) != 2 && json_array_size(value) != 3)
        return json_error(at, "has %zu numbers, not 2 (offset and size)", json_array_size(value));
    if (json_at_whole(&offset, json_array_get(value, 0), 0, (long long)byte_count, &begin) < 0 ||
        json_at_whole(&size, json_array_get(value, 1), 0, (long long)byte_count - begin, &length) < 0 ||
        (json_array_size(value) == 3 && json_at_whole(&exact, json_array_get(value, 2), 1, 1, &one) < 0))
        return -1;
    *argument = (struct argument){.offset = (unsigned)begin, .size = (unsigned)length, .exact = one == 1};
    return 0;
}

static int take_arguments(const struct json_at *list, json_t *value, void *of, const struct json_field *field,
                          const struct json_takes *takes)
{
    struct capsule *capsule = of;
    (void)field, (void)takes;
    TRY(json_at_expect(list, value, JSON_ARRAY, "a list"));
    for (size_t i = 0; i < json_array_size(value); i++) {
        struct json_at at = {list, NULL, i};
        TRY(read_argument(&at, json_array_get(value, i), capsule->byte_count,
                          ARRAY_GROW(capsule->arguments, capsule->argument_count)));
    }
    return 0;
}

int capsule_parse(struct capsule *capsule, const char *name, const char *text, size_t length, size_t page_count)
{
    static json_take *const list[] = {[TAKE_PAGES] = take_pages, [TAKE_ARGUMENTS] = take_arguments};
    const struct json_takes takes = {list, &page_count};
    struct json_at top = {NULL, name, 0};
    *capsule = (struct capsule){.time_ns = NAN, .tolerance = NAN};
    json_t *root = json_at_parse(name, text, length);
    if (!root)
        return -1;
    const int result = json_at_fields(&top, root, &capsule_table, &takes, capsule);
    json_at_end(root);
    return result;
}
