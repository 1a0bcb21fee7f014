/* Writes capsules as JSON. The members of an object are in the order of their names. */
#include "capsule_text.h"

#include <math.h>
#include <stdlib.h>

static void put_extents(struct json_writer *json, const char *key, const unsigned of[3])
{
    json_open(json, key, '[', JSON_IN_LINE);
    for (size_t i = 0; i < 3; i++)
        json_put_count(json, NULL, of[i]);
    json_close(json);
}

static void put_pages(struct json_writer *json, const char *key, const uint32_t *pages, uint64_t size)
{
    json_open(json, key, '[', JSON_IN_LINE);
    for (size_t i = 0; i < pages_of(size); i++)
        if (pages[i] == PAGE_ZERO || pages[i] == PAGE_SAME)
            json_put_number(json, NULL, pages[i] == PAGE_ZERO ? -1 : -2);
        else
            json_put_count(json, NULL, pages[i]);
    json_close(json);
}

static void put_arguments(struct json_writer *json, const struct capsule *capsule)
{
    json_open(json, "arguments", '[', JSON_IN_LINE);
    for (size_t i = 0; i < capsule->argument_count; i++) {
        json_open(json, NULL, '[', JSON_IN_LINE);
        json_put_count(json, NULL, capsule->arguments[i].offset);
        json_put_count(json, NULL, capsule->arguments[i].size);
        if (capsule->arguments[i].exact)
            json_put_count(json, NULL, 1);
        json_close(json);
    }
    json_close(json);
}

static void put_bytes(struct json_writer *json, const struct capsule *capsule)
{
    static const char digits[] = "0123456789abcdef";
    char *text = x_calloc(2 * capsule->byte_count + 1, 1);
    for (size_t i = 0; i < capsule->byte_count; i++) {
        text[2 * i] = digits[capsule->bytes[i] >> 4];
        text[2 * i + 1] = digits[capsule->bytes[i] & 15];
    }
    json_put_text(json, "bytes", text);
    free(text);
}

static void put_range(struct json_writer *json, const struct memory_range *range)
{
    json_open(json, NULL, '{', JSON_IN_LINE);
    json_put_count(json, "address", range->address);
    put_pages(json, "after", range->after, range->size);
    put_pages(json, "before", range->before, range->size);
    json_put_text(json, "kind", memory_kind_name(range->kind));
    json_put_count(json, "size", range->size);
    json_put_if(json, "variable", range->variable);
    if (range->varies)
        put_pages(json, "varies", range->varies, range->size);
    json_close(json);
}

static void put_ranges(struct json_writer *json, const struct capsule *capsule)
{
    json_open(json, "ranges", '[', JSON_LINES);
    for (size_t i = 0; i < capsule->range_count; i++)
        put_range(json, &capsule->ranges[i]);
    json_close(json);
}

static void put_code(struct json_writer *json, const struct blob *code)
{
    json_open(json, "code", '{', JSON_IN_LINE);
    put_pages(json, "pages", code->pages, code->size);
    json_put_count(json, "size", code->size);
    json_close(json);
}

static void put_capsule(struct json_writer *json, const struct capsule *capsule)
{
    json_open(json, NULL, '{', JSON_LINES);
    put_arguments(json, capsule);
    put_extents(json, "block", capsule->block);
    put_bytes(json, capsule);
    if (capsule->carve_out >= 0)
        json_put_count(json, "carve_out", (unsigned)capsule->carve_out);
    if (capsule->cluster[0] > 0)
        put_extents(json, "cluster", capsule->cluster);
    put_code(json, &capsule->code);
    json_put_flag(json, "cooperative", capsule->cooperative);
    json_put_text(json, "function", capsule->function);
    put_extents(json, "grid", capsule->grid);
    json_put_text(json, "id", capsule->id);
    json_put_flag(json, "large_cluster", capsule->large_cluster);
    json_put_count(json, "launch", capsule->launch);
    json_put_if(json, "launched_by", capsule->launched_by);
    json_put_count(json, "launches", capsule->launches);
    json_put_flag(json, "overlaps", capsule->overlaps);
    json_put_text(json, "proof", proof_name(capsule->proof));
    put_ranges(json, capsule);
    json_put_count(json, "shared", capsule->shared);
    json_put_count(json, "shared_limit", capsule->shared_limit);
    json_put_if(json, "swapped", capsule->swapped);
    if (isfinite(capsule->time_ns))
        json_put_number(json, "time_ns", capsule->time_ns);
    if (capsule->tolerance > 0) {
        json_put_number(json, "tolerance", capsule->tolerance);
        json_put_text(json, "type", value_type_name(capsule->type));
    }
    json_close(json);
}

char *capsule_text(const struct capsule *capsule, size_t *length)
{
    char *text = NULL;
    FILE *stream = open_memstream(&text, length);
    if (!stream)
        die(EXIT_USAGE, "cannot allocate memory for the capsule of %s", capsule->id);
    struct json_writer json = {.stream = stream, .indent = 1};
    put_capsule(&json, capsule);
    if (fclose(stream) != 0)
        die(EXIT_USAGE, "cannot allocate memory for the capsule of %s", capsule->id);
    return text;
}
