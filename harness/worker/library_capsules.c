#include "library_capsules.h"

/* Capsules that are open at once have so much memory at most, and a copy of it each. */
#define GROUP_BYTES ((uint64_t)4 << 30)

static uint64_t memory_of(const struct capsule *capsule)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < capsule->range_count; i++)
        bytes += capsule->ranges[i].size;
    return bytes;
}

/* Describes a capsule: which launch it is, and what is known of it. */
static char *describe(const struct capsule *capsule)
{
    char *text = NULL;
    FILE *stream = x_memstream(&text, NULL);
    fprintf(stream, "launch %zu of %zu", capsule->launch, capsule->launches);
    if (capsule->launched_by)
        fprintf(stream, " by %s", capsule->launched_by);
    if (!isnan(capsule->time_ns))
        fprintf(stream, ", %.3g us in the program", capsule->time_ns * 1e-3);
    if (capsule->swapped)
        fprintf(stream, ", with code of %s", capsule->swapped);
    if (capsule->tolerance > 0)
        fprintf(stream, ", compared within %g as %s", capsule->tolerance, value_type_name(capsule->type));
    if (capsule->proof == PROOF_NONE)
        fputs(", not replayed yet", stream);
    fclose(stream);
    return text;
}

int library_open_capsules(struct library *library, const char *path, struct problem *problem)
{
    static const struct cugate_library table = {.abi = CUGATE_KERNEL_ABI};
    uint64_t bytes = 0;
    size_t group = 0;
    library->table = &table;
    TRY(capsules_open(&library->capsules, path, false, problem));
    EACH(const struct capsule, capsule, library->capsules.list, library->capsules.count) {
        bytes += memory_of(capsule);
        if (bytes > GROUP_BYTES) {
            bytes = memory_of(capsule);
            group++;
        }
        *ARRAY_GROW(library->kernels, library->count) =
            (struct kernel){.id = x_strdup(capsule->id), .doc = describe(capsule), .group = group, .capsule = capsule};
    }
    if (library->count == 0)
        return problem_set(problem, "%s contains no capsule: capture launches into it", path);
    return 0;
}
