#include "capsule.h"

#include "capsule_text.h"

#include <stdlib.h>

static const char *const kinds[] = {"device", "host", "variable"};
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

void capsule_release(struct capsule *capsule)
{
    for (size_t i = 0; i < capsule->range_count; i++) {
        free(capsule->ranges[i].variable);
        free(capsule->ranges[i].before);
        free(capsule->ranges[i].after);
        free(capsule->ranges[i].varies);
    }
    free(capsule->ranges);
    free(capsule->arguments);
    free(capsule->bytes);
    free(capsule->id);
    free(capsule->function);
    free(capsule->swapped);
    free(capsule->launched_by);
    blob_release(&capsule->code);
    *capsule = (struct capsule){0};
}
