/* What a row that moved is excused by, in the order in which it is asked. Each excuse names its evidence and how far it
 * reaches; none covers a row without a number. What lets a whole kernel pass is in judge_weigh.c.
 *
 * 1. Rows that say too little are not judged: the table below.
 * 2. Limits are widened by what is known of the row: widen_limit().
 * 3. Chance: is_chance(). */
#include "judge_parts.h"

/* ---- 1. Rows that are not judged ---- */

/* Returns the weight of a ratio. Where it is not known, it is larger than any ratio needs. */
static double weight_of(const struct result *result, const struct metric *metric)
{
    const double weight = result_value(result, metric->weight);
    return isnan(weight) ? HUGE_VAL : weight;
}

/* A row and what is asked of it. */
struct asked {
    const struct judgement *judgement;
    const struct pairing *pairing;
    const struct metric *metric;
    bool is_program; /* it is of the program as a whole, */
    bool is_own;     /* and counted of that alone */
};

static bool is_no_program_count(const struct asked *row)
{
    return row->is_program && row->metric->class != METRIC_TIME && !row->is_own;
}

static bool has_gpu_time(const struct asked *row)
{
    const struct metrics *metrics = row->pairing->sides->metrics;
    return row->is_program && !row->is_own && program_is_timed(metrics, row->pairing->base_result) &&
           program_is_timed(metrics, row->pairing->now_result);
}

/* Whether the busy time moved as the GPU time did, which is judged. */
static bool overlaps_as_before(const struct asked *row)
{
    const double was = overlap_of(row->pairing->sides->metrics, row->pairing->base_result),
                 is = overlap_of(row->pairing->sides->metrics, row->pairing->now_result);
    return computed_counter_of(row->metric) == COMPUTED_BUSY_TIME && fabs(is - was) <= RULE_INEXACT * was;
}

/* Whether the program's computing is judged in place of its GPU time or busy time: on both sides it is known, and its
 * collectives do not take RULE_WAITING times as long as before. */
static bool has_computing_time(const struct asked *row)
{
    const struct metrics *metrics = row->pairing->sides->metrics;
    const enum computed_counter counter = computed_counter_of(row->metric);
    return row->is_program && (counter == COMPUTED_GPU_TIME || counter == COMPUTED_BUSY_TIME) &&
           program_may_wait(row->pairing->sides, row->pairing->now_result->id) &&
           !isnan(program_value(metrics, row->pairing->base_result, COMPUTED_COMPUTING)) &&
           !isnan(program_value(metrics, row->pairing->now_result, COMPUTED_COMPUTING)) &&
           program_value(metrics, row->pairing->now_result, COMPUTED_COMMUNICATION) <=
               RULE_WAITING * program_value(metrics, row->pairing->base_result, COMPUTED_COMMUNICATION);
}

static bool is_of_almost_nothing(const struct asked *row)
{
    return row->metric->few > 0 && fmax(weight_of(row->pairing->base_result, row->metric),
                                        weight_of(row->pairing->now_result, row->metric)) < row->metric->few;
}

static bool is_first_part(const struct asked *row)
{
    return is_of_first_part(row->pairing) && row->metric->class != METRIC_STATIC && !row->is_own;
}

/* Whether code of the kernel is known on both sides and differs: a name proves nothing of other code. */
static bool has_other_code(const struct pairing *pairing)
{
    return result_has_code(pairing->base_result) && result_has_code(pairing->now_result) &&
           !same_code(pairing->base_result, pairing->now_result);
}

/* Whether it is of a collective on both sides, and the program has others to wait for. The program's computing is
 * judged, and its calls. */
static bool is_of_collective(const struct asked *row)
{
    return row->pairing->sides->origin->own_caches && !row->is_own && row->metric->class != METRIC_STATIC &&
           !has_other_code(row->pairing) && program_may_wait(row->pairing->sides, row->pairing->now_result->id) &&
           program_communicates(row->pairing->base_result) && program_communicates(row->pairing->now_result);
}

static bool explains(const struct asked *row)
{
    return explains_only(row->pairing, row->metric);
}

/* Whether the metric depends on what ran before, in a program that leaves caches as they are. */
static bool is_of_caches(const struct asked *row)
{
    return row->pairing->sides->origin->own_caches &&
           (row->metric->class == METRIC_TIME || row->metric->class == METRIC_STEADY);
}

static bool is_short(const struct asked *row)
{
    const struct metrics *metrics = row->pairing->sides->metrics;
    const double longest = !is_of_caches(row) ? 0
                                              : fmax(program_value(metrics, row->pairing->base_result, COMPUTED_NONE),
                                                     program_value(metrics, row->pairing->now_result, COMPUTED_NONE));
    return longest > 0 && longest < RULE_SHORT;
}

static bool is_ratio_of_caches(const struct asked *row)
{
    return is_of_caches(row) && row->metric->class == METRIC_STEADY && strcmp(row->metric->unit, "B") != 0;
}

/* Whether both sides have an exact count, which is then as good as the code that one of them lacks. */
static bool has_exact_count(const struct pairing *pairing)
{
    return FIND(metric, pairing->sides->metrics->list, pairing->sides->metrics->count,
                metric->class == METRIC_EXACT && !is_metric_of_program(metric) &&
                    result_measured(pairing->base_result, metric->name) &&
                    result_measured(pairing->now_result, metric->name));
}

static bool is_traffic_of_same_code(const struct asked *row)
{
    const struct pairing *pairing = row->pairing;
    return is_of_caches(row) && row->metric->class == METRIC_STEADY &&
           (same_code(pairing->base_result, pairing->now_result) ||
            (lacks_code_once(pairing) && has_exact_count(pairing) &&
             !counts_moved(pairing->sides->metrics, pairing->base_result, pairing->now_result)));
}

static bool is_little_traffic(const struct asked *row)
{
    return is_of_caches(row) && row->metric->class == METRIC_STEADY &&
           fmax(row->judgement->base, row->judgement->now) < RULE_FEW_BYTES;
}

/* Whether it is of all shapes of a function, which are others now, and depends on the grids. */
static bool is_of_other_shapes(const struct asked *row)
{
    const struct result *base = row->pairing->base_result, *now = row->pairing->now_result;
    bool same = base->launch_count == now->launch_count;
    for (size_t i = 0; i < now->launch_count && same; i++)
        same = memcmp(base->launches[i].grid, now->launches[i].grid, sizeof now->launches[i].grid) == 0;
    return program_is_of_shapes(now->id) && !same &&
           (row->metric->class == METRIC_TIME || computed_counter_of(row->metric) == COMPUTED_BALANCE);
}

/* The first that applies decides. Amounts are those of the larger side, so what grew beyond is judged. */
static const struct excuse {
    bool (*applies)(const struct asked *row);
    const char *words;
} not_judged[] = {
    {is_of_other_shapes,
     "not judged, because its function is now launched with other grids; see the program's GPU time and launches"},
    {is_no_program_count, "not judged for one kernel of a program; see the program's time and launches"},
    {has_gpu_time, "not judged; see the GPU time that CUPTI recorded"},
    {overlaps_as_before, "not judged, because its launches still overlap with others; see the GPU time"},
    {has_computing_time, "not judged, because it includes waiting; see the computing time of the slowest rank"},
    {is_of_almost_nothing, "not judged: there are too few events for a meaningful ratio (`few` in its metric file)"},
    {is_first_part, "not judged, because it is launched only while the program starts; see the program's GPU time"},
    {is_of_collective,
     "not judged, because it waits for other processes or the host; see the program's computing time and its launches"},
    {explains, "counts of unchanged code in the same shape are not judged; see its time, or the program's"},
    {is_short, "not judged, because a launch takes less than 10 us, and caches are not flushed in a program"},
    {is_ratio_of_caches, "not judged in a program, because caches are not flushed between launches"},
    {is_traffic_of_same_code, "counts of unchanged code in the same shape are not judged; see its time"},
    {is_little_traffic, "not judged below 4 MB in a program, because caches are not flushed between launches"},
};

const char *why_not_judged(const struct judgement *judgement, const struct pairing *pairing)
{
    const struct asked row = {judgement, pairing, judgement->metric, row_kind(pairing->now_result->id) != ROW_KERNEL,
                              is_metric_of_program(judgement->metric)};
    const struct excuse *excuse = FIND(one, not_judged, ARRAY_SIZE(not_judged), one->applies(&row));
    return excuse ? excuse->words : NULL;
}

/* ---- 2. Limits ---- */

/* The least and the most of all readings of a row. */
struct bounds {
    double least, most;
};

static struct bounds bounds_of(const struct row *row)
{
    struct bounds bounds = {HUGE_VAL, -HUGE_VAL};
    for (size_t s = 0; s < row->session_count; s++)
        for (size_t i = 0; i < row->sessions[s].count; i++) {
            bounds.least = fmin(bounds.least, row->sessions[s].samples[i]);
            bounds.most = fmax(bounds.most, row->sessions[s].samples[i]);
        }
    return bounds;
}

static double row_range(const struct row *row)
{
    const struct bounds bounds = bounds_of(row);
    return fmax(bounds.most - bounds.least, 0);
}

/* Returns how far a count of the same code in the same shape may stray: as far as it does from launch to launch, since
 * that is its data. What strays in this run alone is believed up to RULE_SAME_CODE. */
static double stray_of_same_code(const struct assessment *found, const struct pairing *pairing,
                                 const struct metric *metric)
{
    if (metric->class != METRIC_EXACT || is_metric_of_program(metric) ||
        !same_code(pairing->base_result, pairing->now_result))
        return 0;
    return fmax(row_range(pairing->base), fmin(row_range(pairing->now), RULE_SAME_CODE * fabs(found->base.mean)));
}

static void allow(struct assessment *found, double margin)
{
    found->limit = fmax(found->limit, margin);
    if (margin > 0 && fabs(found->now - found->drift - found->base.mean) <= margin)
        found->finding = FOUND_SAME;
}

/* Widens the limits of a program's rows. Nothing is restored before its launches, so counts depend on their data and on
 * what ran before. Counts that differ within a session are exact to a percent at best, even if the medians of some
 * sessions are equal. And while there are too few sessions to know how much a row moves, it may move by 5 %. */
static void widen_of_program(struct assessment *found, const struct pairing *pairing, const struct metric *metric)
{
    if (!pairing->sides->origin->own_caches)
        return;
    allow(found, stray_of_same_code(found, pairing, metric));
    /* A pool of memory allocates once more or less by the order of requests, which costs hardly anything. */
    if (computed_counter_of(metric) == COMPUTED_ALLOCATIONS)
        allow(found, RULE_PROGRAM_SHARE * program_time(pairing->sides->metrics, pairing->base_result, NULL) /
                         RULE_ALLOCATION_COST);
    const bool few = found->base.sessions < rule_sessions_needed(metric->class);
    /* A few sessions do not prove that a count repeats. But if it repeats on both sides, it is compared to the
     * digit. */
    const bool repeats =
        metric->class == METRIC_STATIC || (metric->class == METRIC_EXACT && row_equal_readings(pairing->base) > 0 &&
                                           (row_equal_readings(pairing->now) > 0 || !few));
    if (!repeats)
        allow(found, fabs(found->base.mean) * (few                             ? RULE_DRIFT_REFERENCE
                                               : metric->class == METRIC_EXACT ? RULE_INEXACT
                                                                               : 0));
}

/* A count that does not repeat in the baseline depends on timing. Where the machine code is the same, it is exact to a
 * percent at best: the looks of a warp that waits strayed by 0.26 % in two sessions by a baseline of four. */
static void allow_timing(struct assessment *found, const struct pairing *pairing, const struct metric *metric)
{
    if (metric->class == METRIC_EXACT && !is_metric_of_program(metric) && row_equal_readings(pairing->base) == 0 &&
        row_range(pairing->base) > 0 && same_code(pairing->base_result, pairing->now_result))
        allow(found, RULE_INEXACT * fabs(found->base.mean));
}

/* A computed count may depend on which lanes of a warp come first: it may be anything between its bounds. Where both
 * sides were computed, lower meets lower and upper meets upper; a number that was measured is the same if it lies
 * between them. */
static void allow_bounds(struct assessment *found, const struct pairing *pairing, const struct metric *metric)
{
    if (!pairing->sides->origin->computed)
        return;
    const struct bounds now = bounds_of(pairing->now), base = bounds_of(pairing->base);
    const bool both = pairing->base->from_base_build || run_origin(pairing->sides->baseline)->computed;
    if (now.least == now.most && (!both || base.least == base.most))
        return;
    const double below = row_value(pairing->now) - now.least, above = now.most - row_value(pairing->now);
    found->limit = fmax(found->limit, found->now > found->base.mean ? below : above);
    if (!both) {
        if (fabs(found->now - found->base.mean) <= found->limit)
            found->finding = FOUND_SAME;
        return;
    }
    const int least = (now.least > base.least) - (now.least < base.least),
              most = (now.most > base.most) - (now.most < base.most), moved = least == most ? least : 0;
    found->limit = moved == 0 ? found->limit : 0;
    found->finding = moved == 0                                        ? FOUND_SAME
                     : (moved > 0) == (metric->better == METRIC_LOWER) ? FOUND_WORSE
                                                                       : FOUND_BETTER;
}

/* A lower clock explains a time that rose by the same share, and a higher one a time that fell. */
static void allow_clock(struct assessment *found, const struct pairing *pairing, const struct metric *metric)
{
    const struct row *now = result_measured(pairing->now_result, metric->clock),
                     *base = result_measured(pairing->base_result, metric->clock);
    const double apart = rule_clock_apart(now, base);
    if (apart > RULE_CLOCK && !pairing->sides->origin->own_caches &&
        (row_value(now) < row_value(base)) == (found->now > found->base.mean))
        allow(found, found->limit + apart * fabs(found->base.mean));
}

void widen_limit(struct assessment *found, const struct pairing *pairing, const struct metric *metric)
{
    widen_of_program(found, pairing, metric);
    allow_timing(found, pairing, metric);
    allow_bounds(found, pairing, metric);
    allow_clock(found, pairing, metric);
}

/* ---- 3. Chance ---- */

/* What the machine does to the same code: a count that repeated in the baseline and does not now, because a kernel
 * whose warps wait for each other may take one more turn in a launch of hundreds; or a hit rate, say, that is another
 * in one session and not in the next. It reaches as far as the limit, or as unchanged code may stray; and it is no more
 * than half of the sessions that say so. How often a program launches a kernel is the program's. */
bool is_chance(const struct assessment *found, const struct pairing *pairing, const struct metric *metric)
{
    const double moved = fabs(found->now - found->base.mean);
    if (is_metric_of_program(metric) || !same_code(pairing->base_result, pairing->now_result))
        return false;
    if (found->finding == FOUND_MIXED)
        return metric->class == METRIC_STEADY && 2 * found->agree <= found->sessions &&
               moved <= fmax(RULE_OTHER_GPU_LIMITS * found->limit, RULE_SAME_CODE * fabs(found->base.mean));
    return found->finding == FOUND_NONREPEATING && moved <= found->limit;
}
