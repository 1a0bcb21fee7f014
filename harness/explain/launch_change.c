#include "launch_change.h"

#include "cubin/cubin.h"

/* How many changed launches of a kernel are described. */
#define LAUNCHES_TOLD 3

/* The text about what changed so far. */
struct changes {
    FILE *stream;
    size_t count;
    int capability; /* compute capability of the GPU */
};

__attribute__((format(printf, 2, 3))) static void add_change(struct changes *changes, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    fputs(changes->count++ ? "; " : "", changes->stream);
    vfprintf(changes->stream, format, list);
    va_end(list);
}

static void compare_extents(struct changes *changes, const char *what, const unsigned was[3], const unsigned is[3])
{
    if (memcmp(was, is, 3 * sizeof *was) != 0)
        add_change(changes, "%s %ux%ux%u -> %ux%ux%u", what, was[0], was[1], was[2], is[0], is[1], is[2]);
}

/* Adds a change of a number; unit is printed behind the numbers. */
static void compare_numbers(struct changes *changes, const char *what, unsigned was, unsigned is, const char *unit)
{
    char before[16], after[16];
    if (was != is)
        add_change(changes, "%s %s -> %s%s", what, group_digits(was, before, sizeof before),
                   group_digits(is, after, sizeof after), unit);
}

static void compare_machines(struct changes *changes, const struct code_facts *was, const struct code_facts *is)
{
    compare_numbers(changes, "registers", was->registers, is->registers, "");
    compare_numbers(changes, "local memory", was->local_bytes, is->local_bytes, " B");
    compare_numbers(changes, "shared memory", was->shared_bytes, is->shared_bytes, " B (static)");
    compare_numbers(changes, "barriers", was->barriers, is->barriers, "");
    if (was->max_threads != is->max_threads && is->max_threads == 0)
        add_change(changes, "launch bounds %u threads -> none", was->max_threads);
    else if (was->max_threads != is->max_threads && was->max_threads == 0)
        add_change(changes, "launch bounds none -> %u threads", is->max_threads);
    else
        compare_numbers(changes, "launch bounds", was->max_threads, is->max_threads, " threads");
}

static void compare_occupancy(struct changes *changes, const struct launch *was, const struct launch *is)
{
    const struct occupancy_launch before = static_facts_of_launch(was), after = static_facts_of_launch(is);
    struct occupancy old, new;
    char limits[OCCUPANCY_WORDS];
    if (occupancy_of(&old, changes->capability, &before) && occupancy_of(&new, changes->capability, &after) &&
        old.warps != new.warps)
        add_change(changes, "warps on an SM %u -> %u of %u, limited by %s", old.warps, new.warps, new.max_warps,
                   occupancy_limits(new.limits, limits));
}

static const char *carve_out_name(const struct launch *launch, char text[16])
{
    snprintf(text, 16, launch->carve_out > 0 ? "%u %%" : "the driver's", launch->carve_out - 1);
    return text;
}

static void compare_launches(struct changes *changes, const struct launch *was, const struct launch *is)
{
    char before[16], after[16];
    compare_extents(changes, "grid", was->grid, is->grid);
    compare_extents(changes, "block", was->block, is->block);
    compare_numbers(changes, "dynamic shared memory", was->shared, is->shared, " B");
    if (was->carve_out != is->carve_out)
        add_change(changes, "preferred carve-out of shared memory %s -> %s", carve_out_name(was, before),
                   carve_out_name(is, after));
    compare_numbers(changes, "launches in a row", was->times, is->times, "");
    if (was->has_machine && is->has_machine) {
        compare_machines(changes, &was->machine, &is->machine);
        compare_occupancy(changes, was, is);
    }
}

/* Describes what changed in one launch; "" when nothing did. Caller frees. */
static char *change_of(int capability, const struct launch *was, const struct launch *is)
{
    char *text = NULL;
    struct changes changes = {.stream = x_memstream(&text, NULL), .capability = capability};
    compare_launches(&changes, was, is);
    fclose(changes.stream);
    return text;
}

/* Describes once what changed in the same way in all launches. */
static void compare_all_launches(struct changes *changes, const struct result *base, const struct result *now)
{
    const size_t count = now->launch_count;
    char **texts = x_calloc(count + 1, sizeof *texts);
    bool alike = true;
    for (size_t i = 0; i < count; i++) {
        texts[i] = change_of(changes->capability, &base->launches[i], &now->launches[i]);
        alike &= strcmp(texts[i], texts[0]) == 0;
    }
    size_t explained = 0, more = 0;
    for (size_t i = 0; i < count; i++) {
        if (!*texts[i] || (alike && i > 0))
            continue;
        if (alike)
            add_change(changes, "%s", texts[i]);
        else if (explained++ < LAUNCHES_TOLD)
            add_change(changes, "launch %zu of %zu: %s", i + 1, count, texts[i]);
        else
            more++;
    }
    if (more > 0)
        add_change(changes, "and %zu more launch%s", more, plural_of(more, "", "es"));
    free_texts(texts, count);
}

char *launch_change_of(int capability, const struct result *base, const struct result *now)
{
    char *text = NULL;
    struct changes changes = {.stream = x_memstream(&text, NULL), .capability = capability};
    if (base->launch_count > 0 && base->launch_count != now->launch_count)
        add_change(&changes, "launches %zu -> %zu", base->launch_count, now->launch_count);
    else if (base->launch_count > 0)
        compare_all_launches(&changes, base, now);
    fclose(changes.stream);
    if (changes.count > 0)
        return text;
    free(text);
    return NULL;
}
