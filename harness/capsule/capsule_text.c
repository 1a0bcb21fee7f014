/* How a capsule is in a file. The members of an object are in the order of their names. */
#include "capsule_text.h"

#define OF(of, member) offsetof(struct of, member)
#define AT(of, member) .offset = OF(of, member)

/* ---- What needs more than a row ---- */

static void put_pages(struct json_writer *json, const struct json_field *field, const void *of)
{
    uint32_t *const *pages = (uint32_t *const *)((const char *)of + field->offset);
    const uint64_t *size = (const uint64_t *)((const char *)of + field->count);
    if (field->optional && !*pages)
        return;
    json_open(json, field->key, '[', JSON_IN_LINE);
    for (size_t i = 0; i < pages_of(*size); i++)
        if ((*pages)[i] == PAGE_ZERO || (*pages)[i] == PAGE_SAME)
            json_put_number(json, NULL, (*pages)[i] == PAGE_ZERO ? -1 : -2);
        else
            json_put_count(json, NULL, (*pages)[i]);
    json_close(json);
}

static void put_arguments(struct json_writer *json, const struct json_field *field, const void *of)
{
    const struct capsule *capsule = of;
    json_open(json, field->key, '[', JSON_IN_LINE);
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

/* ---- The fields ---- */

static const struct json_field code_fields[] = {
    {"pages", FIELD_OTHER, AT(blob, pages), .count = OF(blob, size), .least = -1, .put = put_pages, .take = TAKE_PAGES},
    {"size", FIELD_SIZE, AT(blob, size), .most = BLOB_LIMIT}, /* 0: the code is not there */
};
static const struct json_table code_table = {code_fields, ARRAY_SIZE(code_fields), .size = sizeof(struct blob)};

static const struct json_field range_fields[] = {
    {"address", FIELD_SIZE, AT(memory_range, address)},
    {"after", FIELD_OTHER, AT(memory_range, after), .count = OF(memory_range, size), .least = -2, .put = put_pages,
     .take = TAKE_PAGES},
    {"before", FIELD_OTHER, AT(memory_range, before), .count = OF(memory_range, size), .least = -1, .put = put_pages,
     .take = TAKE_PAGES},
    {"kind", FIELD_CHOICE, AT(memory_range, kind), .name = memory_kind_name, .names = MEMORY_KINDS,
     .what = "kind of memory"},
    {"size", FIELD_SIZE, AT(memory_range, size), .least = 1},
    {"variable", FIELD_TEXT, AT(memory_range, variable), .optional = true},
    {"varies", FIELD_OTHER, AT(memory_range, varies), .optional = true, .count = OF(memory_range, size), .least = -1,
     .put = put_pages, .take = TAKE_PAGES},
};

static int check_range(const struct json_at *at, void *of)
{
    const struct memory_range *range = of;
    const struct json_at size = {at, "size", 0}, variable = {at, "variable", 0};
    if (range->size > INT64_MAX - range->address)
        return json_error(&size, "is %llu, but must be between 1 and %llu", (unsigned long long)range->size,
                          (unsigned long long)(INT64_MAX - range->address));
    if (range->kind == MEMORY_VARIABLE && !range->variable)
        return json_error(&variable, "is missing; it must be a string");
    if (range->kind != MEMORY_VARIABLE && range->variable)
        return json_error(at, "is not a variable, but has a variable's name");
    return 0;
}

static const struct json_table range_table = {range_fields, ARRAY_SIZE(range_fields),
                                              .size = sizeof(struct memory_range), .check = check_range};

static const struct json_field taken_fields[] = {
    {"of", FIELD_UNSIGNED, AT(argument, of)},
    {"offset", FIELD_UNSIGNED, AT(argument, offset)},
    {"size", FIELD_UNSIGNED, AT(argument, size)},
};
static const struct json_table taken_table = {taken_fields, ARRAY_SIZE(taken_fields), .size = sizeof(struct argument)};

static const struct json_field step_fields[] = {
    {"arguments", FIELD_LIST, AT(capsule_step, arguments), .count = OF(capsule_step, argument_count),
     .table = &taken_table},
    {"block", FIELD_EXTENTS, AT(capsule_step, block)},
    {"bytes", FIELD_BYTES, AT(capsule_step, bytes), .count = OF(capsule_step, byte_count), .most = BYTES_LIMIT},
    {"function", FIELD_TEXT, AT(capsule_step, function)},
    {"grid", FIELD_EXTENTS, AT(capsule_step, grid)},
    {"shared", FIELD_UNSIGNED, AT(capsule_step, shared)},
};
static const struct json_table step_table = {step_fields, ARRAY_SIZE(step_fields), .size = sizeof(struct capsule_step)};

static const struct json_field capsule_fields[] = {
    {"arguments", FIELD_OTHER, .put = put_arguments, .take = TAKE_ARGUMENTS},
    {"block", FIELD_EXTENTS, AT(capsule, block)},
    {"bytes", FIELD_BYTES, AT(capsule, bytes), .count = OF(capsule, byte_count), .most = BYTES_LIMIT},
    {"carve_out", FIELD_PERCENT, AT(capsule, carve_out), .optional = true},
    {"cluster", FIELD_EXTENTS, AT(capsule, cluster), .optional = true},
    {"code", FIELD_STRUCT, AT(capsule, code), .table = &code_table},
    {"cooperative", FIELD_FLAG, AT(capsule, cooperative)},
    {"function", FIELD_TEXT, AT(capsule, function)},
    {"grid", FIELD_EXTENTS, AT(capsule, grid)},
    {"id", FIELD_TEXT, AT(capsule, id)},
    {"large_cluster", FIELD_FLAG, AT(capsule, large_cluster)},
    {"launch", FIELD_SIZE, AT(capsule, launch)},
    {"launched_by", FIELD_TEXT, AT(capsule, launched_by), .optional = true},
    {"launches", FIELD_SIZE, AT(capsule, launches)},
    {"overlaps", FIELD_FLAG, AT(capsule, overlaps)},
    {"proof", FIELD_CHOICE, AT(capsule, proof), .name = proof_name, .names = PROOFS, .what = "proof"},
    {"ranges", FIELD_LIST, AT(capsule, ranges), .count = OF(capsule, range_count), .table = &range_table},
    {"shared", FIELD_UNSIGNED, AT(capsule, shared)},
    {"shared_limit", FIELD_UNSIGNED, AT(capsule, shared_limit)},
    {"steps", FIELD_LIST, AT(capsule, steps), .optional = true, .least = 1, .count = OF(capsule, step_count),
     .table = &step_table},
    {"swapped", FIELD_TEXT, AT(capsule, swapped), .optional = true},
    {"time_ns", FIELD_NUMBER, AT(capsule, time_ns), .optional = true},
    {"tolerance", FIELD_NUMBER, AT(capsule, tolerance), .optional = true},
    {"type", FIELD_CHOICE, AT(capsule, type), .optional = true, .name = value_type_name, .names = VALUE_TYPES,
     .what = "type of values"},
};

/* Whether each argument of a step is among its bytes, and like that of the capsule whose value it has. */
static int check_steps(const struct json_at *at, const struct capsule *capsule)
{
    for (size_t i = 0; i < capsule->step_count; i++) {
        const struct capsule_step *step = &capsule->steps[i];
        for (size_t k = 0; k < step->argument_count; k++) {
            const struct argument *argument = &step->arguments[k];
            if (argument->offset > step->byte_count || argument->size > step->byte_count - argument->offset ||
                argument->of > capsule->argument_count ||
                (argument->of > 0 && argument->size != capsule->arguments[argument->of - 1].size))
                return json_error(
                    at, "has a step %zu whose argument %zu is neither in its own bytes nor an argument of the capsule",
                    i, k);
        }
    }
    return 0;
}

static int check_capsule(const struct json_at *at, void *of)
{
    struct capsule *capsule = of;
    const bool has_tolerance = isfinite(capsule->tolerance), has_type = capsule->type < VALUE_TYPES;
    if (!is_kernel_id(capsule->id))
        return json_error(at,
                          "has the id \"%.64s\", which is not a kernel's name: it must be program/function, at most %d "
                          "letters, digits, _ and, after the first, " ID_MARKS,
                          capsule->id, NAME_LENGTH);
    for (size_t i = 0; i < capsule->range_count; i++)
        if (capsule->proof == PROOF_IDENTICAL && capsule->ranges[i].varies)
            return json_error(at, "has varying bits, but the proof \"identical\"");
    TRY(check_steps(at, capsule));
    if (has_tolerance != has_type)
        return json_error(at, "has %s without the other", has_type ? "\"type\"" : "\"tolerance\"");
    if (has_tolerance && !(capsule->tolerance > 0 && capsule->tolerance < 1))
        return json_error(at, "has the tolerance %g; it must be between 0 and 1", capsule->tolerance);
    if (!has_tolerance) {
        capsule->tolerance = 0;
        capsule->type = VALUE_F16;
    }
    return 0;
}

const struct json_table capsule_table = {capsule_fields, ARRAY_SIZE(capsule_fields), .layout = JSON_LINES,
                                         .check = check_capsule};

char *capsule_text(const struct capsule *capsule, size_t *length)
{
    struct capsule written = *capsule;
    char *text = NULL;
    FILE *stream = x_memstream(&text, length);
    struct json_writer json = {.stream = stream, .indent = 1};
    written.type = capsule->tolerance > 0 ? capsule->type : VALUE_TYPES;
    json_put_fields(&json, NULL, &capsule_table, &written);
    if (fclose(stream) != 0)
        die(EXIT_USAGE, "cannot allocate memory for the capsule of %s", capsule->id);
    return text;
}
