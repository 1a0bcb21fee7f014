#include "diagnosis.h"

#include "base/base.h"
#include "cubin/cubin.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* What adds less than this share of what the first line does is no cause. */
#define CAUSE_PART 0.05

/* Changed launches that are told of a kernel. */
#define LAUNCHES_TOLD 3

/* ---- Lines --------------------------------------------------------------------------------------------------------
 */

/* Lines that those of the run can be held against: the base library's, and those that the baseline kept. */
struct bases {
    const struct lines *list[2];
};

/* Whether the base knows every story of the metric that the run knows, and there is one. */
static bool can_compare(const char *metric, const struct lines *lines, const struct lines *base)
{
    size_t count, known = 0;
    const struct story *const *stories = story_list(&count);
    for (size_t i = 0; i < count; i++) {
        if (!story_explains(stories[i], metric) || !story_is_known(stories[i], lines))
            continue;
        if (!story_is_known(stories[i], base))
            return false;
        known++;
    }
    return known > 0;
}

/* The story of a metric, and the base that tells it: NULL where there was nothing to compare with. Where there was and
 * nothing grew, no line is to blame: then there is no story. */
static const struct story *find_story(const char *metric, const struct lines *lines, const struct bases *bases,
                                      const struct lines **base)
{
    bool compared = false;
    for (size_t i = 0; i < ROWS(bases->list); i++) {
        *base = bases->list[i];
        const struct story *story = story_of_metric(metric, lines, *base);
        if (story)
            return story;
        compared |= can_compare(metric, lines, *base);
    }
    *base = NULL;
    return compared ? NULL : story_of_metric(metric, lines, NULL);
}

static double growth(const struct cause *cause)
{
    return cause->amount - cause->base_amount;
}

static void find_causes(struct blame *blame, const struct story *story, const struct lines *lines,
                        const struct lines *base)
{
    blame->count = story_causes(story, lines, base, blame->causes, BLAME_LINES);
    while (blame->count > 1 && growth(&blame->causes[blame->count - 1]) < CAUSE_PART * growth(&blame->causes[0]))
        blame->count--;
    blame->story = blame->count > 0 ? story : NULL;
    blame->lines = lines;
    blame->against_base = blame->story && base;
}

/* ---- Launches -----------------------------------------------------------------------------------------------------
 */

/* What changed so far. */
struct changes {
    FILE *stream;
    size_t count;
    int capability; /* of the GPU */
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

/* unit follows the numbers. */
static void compare_numbers(struct changes *changes, const char *what, unsigned was, unsigned is, const char *unit)
{
    char before[16], after[16];
    if (was != is)
        add_change(changes, "%s %s -> %s%s", what, group_digits(was, before, sizeof before),
                   group_digits(is, after, sizeof after), unit);
}

static void compare_machines(struct changes *changes, const struct machine *was, const struct machine *is)
{
    compare_numbers(changes, "registers", was->registers, is->registers, "");
    compare_numbers(changes, "local memory", was->local_bytes, is->local_bytes, " B");
    compare_numbers(changes, "shared memory", was->shared_bytes, is->shared_bytes, " B (static)");
    compare_numbers(changes, "barriers", was->barriers, is->barriers, "");
    if (was->max_threads != is->max_threads && is->max_threads == 0)
        add_change(changes, "no launch bounds, were %u threads", was->max_threads);
    else if (was->max_threads != is->max_threads && was->max_threads == 0)
        add_change(changes, "launch bounds of %u threads, were none", is->max_threads);
    else
        compare_numbers(changes, "launch bounds", was->max_threads, is->max_threads, " threads");
}

static void compare_occupancy(struct changes *changes, const struct launch *was, const struct launch *is)
{
    const struct occupancy_launch before = resources_of_launch(was), after = resources_of_launch(is);
    struct occupancy old, new;
    char limits[OCCUPANCY_WORDS];
    if (occupancy_of(&old, changes->capability, &before) && occupancy_of(&new, changes->capability, &after) &&
        old.warps != new.warps)
        add_change(changes, "warps on an SM %u -> %u of %u, limited by %s", old.warps, new.warps, new.most_warps,
                   occupancy_limits(new.limits, limits));
}

static void compare_launches(struct changes *changes, const struct launch *was, const struct launch *is)
{
    compare_extents(changes, "grid", was->grid, is->grid);
    compare_extents(changes, "block", was->block, is->block);
    compare_numbers(changes, "dynamic shared memory", was->shared, is->shared, " B");
    compare_numbers(changes, "times in a row", was->times, is->times, "");
    if (was->has_machine && is->has_machine) {
        compare_machines(changes, &was->machine, &is->machine);
        compare_occupancy(changes, was, is);
    }
}

/* What changed in one launch; "" when nothing did. Caller frees. */
static char *change_of(int capability, const struct launch *was, const struct launch *is)
{
    char *text = NULL;
    size_t size;
    struct changes changes = {.stream = open_memstream(&text, &size), .capability = capability};
    if (!changes.stream)
        die(EXIT_USAGE, "cannot allocate memory for a change");
    compare_launches(&changes, was, is);
    fclose(changes.stream);
    return text;
}

/* What all launches have in common is said once. */
static void compare_all_launches(struct changes *changes, const struct result *base, const struct result *now)
{
    const size_t count = now->launch_count;
    char **texts = x_calloc(count + 1, sizeof *texts);
    bool alike = true;
    for (size_t i = 0; i < count; i++) {
        texts[i] = change_of(changes->capability, &base->launches[i], &now->launches[i]);
        alike &= strcmp(texts[i], texts[0]) == 0;
    }
    size_t told = 0, more = 0;
    for (size_t i = 0; i < count; i++) {
        if (!*texts[i] || (alike && i > 0))
            continue;
        if (alike)
            add_change(changes, "%s", texts[i]);
        else if (told++ < LAUNCHES_TOLD)
            add_change(changes, "launch %zu of %zu: %s", i + 1, count, texts[i]);
        else
            more++;
    }
    if (more > 0)
        add_change(changes, "and %zu more launch%s", more, more == 1 ? "" : "es");
    for (size_t i = 0; i < count; i++)
        free(texts[i]);
    free(texts);
}

/* What the launches of the run take otherwise, the first against the first; NULL when nothing is. Caller frees. */
static char *launch_change(int capability, const struct result *base, const struct result *now)
{
    char *text = NULL;
    size_t size;
    struct changes changes = {.stream = open_memstream(&text, &size), .capability = capability};
    if (!changes.stream)
        die(EXIT_USAGE, "cannot allocate memory for a change");
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

/* ---- Rows ---------------------------------------------------------------------------------------------------------
 */

/* A worse row: its kernel, and which judgement it is, of which the gravest stand first. */
struct worse {
    const char *kernel;
    size_t index;
};

static int by_kernel(const void *left, const void *right)
{
    const struct worse *a = left, *b = right;
    const int order = strcmp(a->kernel, b->kernel);
    return order ? order : a->index < b->index ? -1 : 1;
}

/* Of the rows of a kernel the first, and so the gravest, that has the story; count when none does. */
static size_t find_same(const struct diagnosis *diagnosis, const struct worse *rows, size_t count,
                        const struct story *story)
{
    size_t i = 0;
    while (i < count && (!story || diagnosis->list[rows[i].index].story != story))
        i++;
    return i;
}

static void blame_kernel(struct diagnosis *diagnosis, const struct worse *rows, size_t count, const struct result *base,
                         const struct result *now, const char *change)
{
    const struct bases bases = {{&now->base_lines, &base->lines}};
    for (size_t i = 0; i < count; i++) {
        const struct judgement *judgements = diagnosis->comparison->list;
        struct blame *blame = &diagnosis->list[rows[i].index];
        const struct lines *base_lines;
        const struct story *story =
            find_story(judgements[rows[i].index].metric->name, &now->lines, &bases, &base_lines);
        const size_t same = find_same(diagnosis, rows, i, story);
        if (same < i) {
            *blame = diagnosis->list[rows[same].index];
            blame->same_as = judgements[rows[same].index].metric;
        } else if (story) {
            find_causes(blame, story, &now->lines, base_lines);
        }
        blame->is_worst = i == 0;
        blame->launch_change = x_strdup(change);
    }
}

void diagnosis_make(struct diagnosis *diagnosis, const struct comparison *comparison, const struct run *baseline,
                    const struct run *run)
{
    struct worse *rows = NULL;
    size_t count = 0;
    *diagnosis = (struct diagnosis){.comparison = comparison,
                                    .list = x_calloc(comparison->count + 1, sizeof *diagnosis->list),
                                    .count = comparison->count};
    for (size_t i = 0; i < comparison->count; i++)
        if (judgement_is_worse(&comparison->list[i]))
            *ARRAY_ADD(rows, count) = (struct worse){comparison->list[i].kernel, i};
    if (count > 0)
        qsort(rows, count, sizeof *rows, by_kernel);
    for (size_t first = 0, end; first < count; first = end) {
        const struct result *base = run_find(baseline, rows[first].kernel), *now = run_find(run, rows[first].kernel);
        for (end = first; end < count && strcmp(rows[end].kernel, rows[first].kernel) == 0;)
            end++;
        if (!base || !now) /* of the suite */
            continue;
        char *change = launch_change(resources_capability(&run->device), base, now);
        blame_kernel(diagnosis, &rows[first], end - first, base, now, change);
        free(change);
    }
    free(rows);
}

void diagnosis_release(struct diagnosis *diagnosis)
{
    for (size_t i = 0; i < diagnosis->count; i++)
        free(diagnosis->list[i].launch_change);
    free(diagnosis->list);
    *diagnosis = (struct diagnosis){0};
}

const struct blame *diagnosis_of(const struct diagnosis *diagnosis, const struct judgement *judgement)
{
    static const struct blame none = {0};
    const size_t index = diagnosis ? (size_t)(judgement - diagnosis->comparison->list) : 0;
    return diagnosis && index < diagnosis->count ? &diagnosis->list[index] : &none;
}
