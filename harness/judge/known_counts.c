#include "known_counts.h"

#include <stdint.h>

/* Whether both made them with the same tool, as far as that is known. */
static bool same_tool(const struct run *baseline, const struct result *base, const struct run *run,
                      enum session_fact fact)
{
    const bool own = base->session_count > 0;
    const struct session *sessions = own ? base->sessions : baseline->sessions;
    const size_t count = own ? base->session_count : baseline->session_count;
    const char *was = count > 0 ? sessions[count - 1].facts[fact] : NULL;
    const char *is = run->session_count > 0 ? run->sessions[run->session_count - 1].facts[fact] : NULL;
    return !was || !is || order_of_texts(was, is) == 0;
}

/* Whether the row was the same whenever it was read. */
static bool is_steady(const struct row *row)
{
    return row && (row->state == VALUE_NOT_APPLICABLE || row->state == VALUE_NOT_SUPPORTED ||
                   (row->state == VALUE_MEASURED && row_equal_readings(row) > 0));
}

/* Whether the counts of both follow from the same. */
static bool must_agree(const struct run *baseline, const struct result *base, const struct run *run,
                       const struct result *now)
{
    return base->status == RESULT_OK && now->status == RESULT_OK && same_inputs(base, now) &&
           same_tool(baseline, base, run, SESSION_COMPILER) && same_tool(baseline, base, run, SESSION_CUPTI);
}

bool counts_are_known(const struct run *baseline, const struct result *base, const struct run *run,
                      const struct result *now, const struct metrics *metrics)
{
    bool known = must_agree(baseline, base, run, now);
    for (size_t m = 0; m < metrics->count && known; m++) {
        const struct metric *metric = &metrics->list[m];
        const struct row *row = result_find(base, metric->name);
        if (metric_is_instrumented(metric) || (metric->class == METRIC_EXACT && row && row->state == VALUE_MEASURED))
            known = is_steady(row);
    }
    return known;
}

bool count_was_known(const struct run *baseline, const struct result *base, const struct row *row,
                     const struct run *run, const struct result *now, const struct metrics *metrics)
{
    return must_agree(baseline, base, run, now) && is_steady(row) && same_work(base, now, metrics);
}

bool counts_were_left(const struct result *result, const struct metrics *metrics)
{
    bool any = false;
    for (size_t m = 0; m < metrics->count; m++) {
        if (!metric_is_instrumented(&metrics->list[m]))
            continue;
        if (result_find(result, metrics->list[m].name))
            return false;
        any = true;
    }
    return any && result->status == RESULT_OK && result->launch_count > 0;
}

bool counts_have_their_day(const char *kernel, long day)
{
    uint32_t hash = 2166136261U; /* FNV-1a */
    for (; *kernel; kernel++)
        hash = (hash ^ (unsigned char)*kernel) * 16777619U;
    return (hash + (unsigned long)day) % KNOWN_READ == 0;
}
