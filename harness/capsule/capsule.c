#include "capsule.h"

#include "capsule_text.h"

static const char *const kinds[] = {"device", "host", "variable", "scratch"};
static const char *const proofs[] = {"none", "identical", "varies"};
static const char *const value_types[] = {"f16", "bf16", "f32", "f64"};

const char *memory_kind_name(enum memory_kind kind)
{
    return kinds[kind];
}

const char *proof_name(enum proof proof)
{
    return proofs[proof];
}

const char *value_type_name(enum value_type type)
{
    return value_types[type];
}

enum value_type value_type_of(const char *name)
{
    return (enum value_type)name_index(name, value_types, ARRAY_SIZE(value_types));
}

size_t pages_of(uint64_t size)
{
    return (size_t)(size / CAPSULE_PAGE + (size % CAPSULE_PAGE > 0));
}

void blob_release(struct blob *blob)
{
    free(blob->pages);
    *blob = (struct blob){0};
}

void capsule_steps_release(struct capsule_step *steps, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(steps[i].function);
        free(steps[i].bytes);
        free(steps[i].arguments);
    }
    free(steps);
}

size_t capsule_launches(const struct capsule *capsule)
{
    return capsule->step_count > 0 ? capsule->step_count : 1;
}

struct capsule capsule_launch(const struct capsule *capsule, size_t number)
{
    struct capsule one = *capsule;
    if (number >= capsule->step_count)
        return one;
    const struct capsule_step *step = &capsule->steps[number];
    one.function = step->function;
    memcpy(one.grid, step->grid, sizeof one.grid);
    memcpy(one.block, step->block, sizeof one.block);
    one.shared = one.shared_limit = step->shared;
    one.bytes = step->bytes;
    one.byte_count = step->byte_count;
    one.arguments = step->arguments;
    one.argument_count = step->argument_count;
    return one;
}

void capsule_release(struct capsule *capsule)
{
    for (size_t i = 0; i < capsule->range_count; i++) {
        free(capsule->ranges[i].variable);
        free(capsule->ranges[i].before);
        free(capsule->ranges[i].after);
        free(capsule->ranges[i].varies);
    }
    free(capsule->ranges);
    capsule_steps_release(capsule->steps, capsule->step_count);
    free(capsule->arguments);
    free(capsule->bytes);
    free(capsule->id);
    free(capsule->function);
    free(capsule->swapped);
    free(capsule->launched_by);
    blob_release(&capsule->code);
    *capsule = (struct capsule){0};
}
