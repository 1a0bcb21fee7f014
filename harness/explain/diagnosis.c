#include "diagnosis.h"

#include "cubin/cubin.h"

#include "appeared.h"
#include "launch_change.h"

/* A line that grew by less than this share of what the first line grew by is no hotspot. */
#define HOTSPOT_PART 0.05

/* The profiles that the lines of a run can be compared with: the base build's, and the one that the baseline kept. */
struct bases {
    const struct profile *list[2];
};

/* Whether the base counted everything that the run counted for the patterns of the metric, of which there is one. */
static bool can_compare(const char *metric, const struct profile *profile, const struct profile *base)
{
    size_t count, known = 0;
    const struct pattern *patterns = pattern_list(&count);
    for (size_t i = 0; i < count; i++) {
        if (!pattern_explains(&patterns[i], metric) || !pattern_is_known(&patterns[i], profile))
            continue;
        if (!pattern_is_known(&patterns[i], base))
            return false;
        known++;
    }
    return known > 0;
}

/* Finds the pattern that explains a metric, and the base profile that shows it (NULL where there was nothing to compare
 * with). If there was and nothing grew, no line is to blame: then there is no pattern. */
static const struct pattern *find_pattern(const char *metric, const struct profile *profile, const struct bases *bases,
                                          const struct profile **base)
{
    bool compared = false;
    for (size_t i = 0; i < ARRAY_SIZE(bases->list); i++) {
        *base = bases->list[i];
        const struct pattern *pattern = pattern_of_metric(metric, profile, *base);
        if (pattern)
            return pattern;
        compared |= can_compare(metric, profile, *base);
    }
    *base = NULL;
    return compared ? NULL : pattern_of_metric(metric, profile, NULL);
}

static double growth(const struct hotspot *hotspot)
{
    return hotspot->amount - hotspot->base_amount;
}

static void find_hotspots(struct blame *blame, const struct pattern *pattern, const struct profile *profile,
                          const struct profile *base)
{
    blame->count = pattern_hotspots(pattern, profile, base, blame->hotspots, BLAME_LINES);
    while (blame->count > 1 && growth(&blame->hotspots[blame->count - 1]) < HOTSPOT_PART * growth(&blame->hotspots[0]))
        blame->count--;
    blame->count = pattern_tell_statements(blame->hotspots, blame->count, profile);
    blame->pattern = blame->count > 0 ? pattern : NULL;
    blame->profile = profile;
    blame->against_base = blame->pattern && blame->hotspots[0].has_base;
}

/* Whether the base has warp stall samples for the lines of the pattern. */
static bool has_base_lines(const struct pattern *pattern, const struct profile *profile, const struct profile *base)
{
    struct hotspot most;
    return base && pattern_hotspots(pattern, profile, base, &most, 1) > 0 && most.has_base;
}

/* A row that is worse: its kernel, and the index of its judgement. Lower indices are more severe. */
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

/* Returns the first, and so the most severe, row of a kernel that has the pattern; count when none has. */
static size_t find_same(const struct diagnosis *diagnosis, const struct worse *rows, size_t count,
                        const struct pattern *pattern)
{
    return FIRST(i, count, pattern && diagnosis->list[rows[i].index].pattern == pattern);
}

/* Chooses the pattern for a row: the one from find_pattern, except where it only says where warps stall now. Warps
 * stall somewhere in any kernel, which says nothing about what changed. Then the kernel's most severe counter that
 * became worse explains the row, if there is one. */
static const struct pattern *choose_pattern(const struct diagnosis *diagnosis, const struct worse *rows, size_t count,
                                            size_t row, const struct profile *profile, const struct bases *bases,
                                            const struct profile **base)
{
    const struct judgement *judgements = diagnosis->comparison->list;
    const struct pattern *pattern = find_pattern(judgements[rows[row].index].metric->name, profile, bases, base);
    if (!pattern || pattern->sum.count > 0 || has_base_lines(pattern, profile, *base))
        return pattern;
    for (size_t i = 0; i < count; i++) {
        const struct profile *other_base;
        const struct pattern *other = find_pattern(judgements[rows[i].index].metric->name, profile, bases, &other_base);
        if (other && other->sum.count > 0) {
            *base = other_base;
            return other;
        }
    }
    return pattern;
}

/* Returns the metric of a count that became worse on the line where warps stall: that is why, and how they stall now
 * may advise against what mends it. NULL where there is none. */
static const struct metric *find_cause(const struct diagnosis *diagnosis, const struct worse *rows, size_t count,
                                       const struct blame *stalls)
{
    for (size_t i = 0; i < count && stalls->pattern && stalls->pattern->sum.count == 0; i++) {
        const struct blame *other = &diagnosis->list[rows[i].index];
        const struct judgement *judgement = &diagnosis->comparison->list[rows[i].index];
        if (other->pattern && other->pattern->sum.count > 0 && other->hotspots[0].line == stalls->hotspots[0].line &&
            judgement->verdict <= VERDICT_UNSURE)
            return judgement->metric;
    }
    return NULL;
}

static void blame_kernel(struct diagnosis *diagnosis, const struct worse *rows, size_t count, const struct result *base,
                         const struct result *now, const char *change, const char *appeared)
{
    const struct bases bases = {{&now->base_profile, &base->profile}};
    for (size_t i = 0; i < count; i++) {
        struct blame *blame = &diagnosis->list[rows[i].index];
        const struct profile *base_profile;
        const struct pattern *pattern = choose_pattern(diagnosis, rows, count, i, &now->profile, &bases, &base_profile);
        const size_t same = find_same(diagnosis, rows, i, pattern);
        if (same < i) {
            *blame = diagnosis->list[rows[same].index];
            blame->same_as = diagnosis->comparison->list[rows[same].index].metric;
        } else if (pattern) {
            find_hotspots(blame, pattern, &now->profile, base_profile);
        }
        blame->is_worst = i == 0;
        blame->launch_change = x_strdup(change);
        blame->appeared = x_strdup(appeared);
    }
    for (size_t i = 0; i < count; i++)
        diagnosis->list[rows[i].index].cause = find_cause(diagnosis, rows, count, &diagnosis->list[rows[i].index]);
}

void diagnosis_make(struct diagnosis *diagnosis, const struct comparison *comparison, const struct run *baseline,
                    const struct run *run)
{
    OWNED(appearances) appearances = {0};
    OWNED_MEMORY struct worse *rows = NULL;
    size_t count = 0;
    *diagnosis = (struct diagnosis){.comparison = comparison,
                                    .list = x_calloc(comparison->count + 1, sizeof *diagnosis->list),
                                    .count = comparison->count};
    for (size_t i = 0; i < comparison->count; i++)
        if (judgement_is_worse(&comparison->list[i]))
            *ARRAY_GROW(rows, count) = (struct worse){comparison->list[i].kernel, i};
    appearances_find(&appearances, comparison);
    SORT(rows, count, by_kernel);
    for (size_t first = 0, end; first < count; first = end) {
        const struct result *base = run_find(baseline, rows[first].kernel), *now = run_find(run, rows[first].kernel);
        for (end = first; end < count && strcmp(rows[end].kernel, rows[first].kernel) == 0;)
            end++;
        if (!base || !now) /* the verdict is about all kernels together */
            continue;
        OWNED_TEXT change = launch_change_of(static_facts_capability(&run->device), base, now);
        OWNED_TEXT appeared = appearances_of(&appearances, rows[first].kernel);
        blame_kernel(diagnosis, &rows[first], end - first, base, now, change, appeared);
    }
}

void diagnosis_release(struct diagnosis *diagnosis)
{
    for (size_t i = 0; i < diagnosis->count; i++) {
        free(diagnosis->list[i].launch_change);
        free(diagnosis->list[i].appeared);
    }
    free(diagnosis->list);
    *diagnosis = (struct diagnosis){0};
}

const struct blame *diagnosis_of(const struct diagnosis *diagnosis, const struct judgement *judgement)
{
    static const struct blame none = {0};
    const size_t index = diagnosis ? (size_t)(judgement - diagnosis->comparison->list) : 0;
    return diagnosis && index < diagnosis->count ? &diagnosis->list[index] : &none;
}
