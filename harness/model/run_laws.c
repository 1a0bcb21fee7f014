#include "run_laws.h"

#define WARNINGS_SHOWN 5 /* further warnings are only counted: reports have them all */

static double warps_of(const struct result *result)
{
    double warps = 0;
    EACH(const struct launch, launch, result->launches, result->launch_count) {
        const double blocks = (double)launch->grid[0] * launch->grid[1] * launch->grid[2];
        const double threads = (double)launch->block[0] * launch->block[1] * launch->block[2];
        warps += launch->times * blocks * ceil(threads / 32);
    }
    return warps;
}

static bool row_span(const struct row *row, struct span *span)
{
    if (!row || row->state != VALUE_MEASURED)
        return false;
    *span = (struct span){row->sessions[0].samples[0], row->sessions[0].samples[0]};
    for (size_t i = 0; i < row->session_count; i++)
        for (size_t k = 0; k < row->sessions[i].count; k++) {
            span->low = fmin(span->low, row->sessions[i].samples[k]);
            span->high = fmax(span->high, row->sessions[i].samples[k]);
        }
    return true;
}

static bool read_span(const void *of, const char *name, struct span *span)
{
    const struct result *result = of;
    if (strcmp(name, LAW_WARPS) != 0)
        return row_span(result_find(result, name), span);
    const double warps = warps_of(result);
    *span = (struct span){warps, warps};
    return true;
}

/* Gives the row a reason, unless it has one: the first law that is broken counts. */
static void blame(struct row *row, const char *reason)
{
    if (row && row->state == VALUE_MEASURED && !row->reason)
        row->reason = x_strdup(reason);
}

/* Returns words such as: The law "instructions >= cugate.warps" is broken by 1 against 65536. */
static char *complaint(const struct metric *metric, const struct law *law, struct span numbers, struct span bound)
{
    char against[64] = "";
    const bool is_least = law->relation == LAW_MORE || law->relation == LAW_AT_LEAST;
    /* A law between metrics is broken only by its nearest number; any other law by each. */
    const bool nearest = law_has_metric(law);
    if (law_name_count(law) > 0)
        snprintf(against, sizeof against, " against %.10g", is_least ? bound.low : bound.high);
    return x_sprintf("the law \"%s %s\" is broken by %.10g%s", metric->name, law->text,
                     is_least == nearest ? numbers.high : numbers.low, against);
}

/* Gives a reason to each row that breaks a law of the metric. All rows keep their numbers, which other laws need.
 * `between` chooses the laws between metrics, or the others. */
static void judge_laws(const struct result *result, const struct metric *metric, bool between)
{
    const struct law_reader reader = {read_span, result};
    struct row *row = metric->laws.count > 0 ? result_find(result, metric->name) : NULL;
    struct span numbers, bound;
    if (!row_span(row, &numbers))
        return;
    EACH(const struct law, law, metric->laws.list, metric->laws.count) {
        if (law_has_metric(law) != between || !law_bound(law, &reader, &bound) || law_is_kept(law, numbers, bound))
            continue;
        OWNED_TEXT reason = complaint(metric, law, numbers, bound);
        blame(row, reason);
        for (size_t n = 0; n < law_name_count(law); n++)
            blame(result_find(result, law_name(law, n)), reason);
    }
}

/* Removes the numbers of rows that have a reason, and adds how many those are to count. */
static size_t clear_rows(struct result *result, const char *name, size_t count)
{
    EACH(struct row, row, result->rows, result->row_count) {
        if (row->state != VALUE_MEASURED || !row->reason)
            continue;
        if (count++ < WARNINGS_SHOWN)
            warning("%s%s%s of %s is not counted: %s", name ? name : "", name ? ": " : "", row->metric, result->id,
                    row->reason);
        char *reason = row->reason;
        row->reason = NULL;
        row_clear(row);
        row->reason = reason;
    }
    return count;
}

size_t run_apply_laws(struct run *run, const struct metrics *metrics, const char *name)
{
    size_t count = 0;
    /* What a program's launches count may be of other data in each pass, and its time is of all of them. */
    const int kinds = run_origin(run)->own_caches ? 1 : 2;
    /* A number that is wrong by itself must not put other rows in doubt, so such laws go first. */
    for (size_t i = 0; i < run->result_count; i++) {
        for (int between = 0; between < kinds; between++) {
            for (size_t m = 0; m < metrics->count; m++)
                judge_laws(&run->results[i], &metrics->list[m], between);
            count = clear_rows(&run->results[i], name, count);
        }
    }
    if (count > WARNINGS_SHOWN)
        warning("%s%s%zu more row%s not counted, because a law was broken", name ? name : "", name ? ": " : "",
                count - WARNINGS_SHOWN, count - WARNINGS_SHOWN == 1 ? " is" : "s are");
    return count;
}
