#include "judge_parts.h"

/* Whether the run has the tool by which a row of the baseline was read last, as far as that is known. */
static bool same_tool(const struct sides *sides, const struct result *base, const struct row *row,
                      enum session_fact fact)
{
    const char *was = row->session_count > 0 ? fact_of(sides, base, row, row->session_count - 1, fact) : NULL;
    const char *is = run_fact(sides->run, fact);
    return !was || !is || order_of_texts(was, is) == 0;
}

/* Whether the row was the same whenever it was read, but for noise that its metric has, and would be read by the same
 * tools. */
static bool is_steady(const struct sides *sides, const struct result *base, const struct metric *metric,
                      const struct row *row)
{
    return row && (row->state == VALUE_NOT_APPLICABLE || row->state == VALUE_NOT_SUPPORTED ||
                   (row->state == VALUE_MEASURED && (metric->follows || row_equal_readings(row) > 0) &&
                    same_tool(sides, base, row, SESSION_COMPILER) && same_tool(sides, base, row, SESSION_CUPTI) &&
                    (result_has_code(base) || same_tool(sides, base, row, SESSION_DRIVER))));
}

/* Whether code, launches and inputs are the baseline's. Of others' code, as cuBLAS's, launches show it, once it ran
 * where no GPU is simulated (`now` has none before); same_work() has what the hardware counts besides. */
static bool is_same_task(const struct result *base, const struct result *now)
{
    return same_inputs(base, now) ||
           (result_has_code_of_others(base) && (now->launch_count == 0 || order_of_code(base, now) == 0));
}

bool counts_are_known(const struct run *baseline, const struct result *base, const struct run *run,
                      const struct result *now, const struct metrics *metrics)
{
    const struct sides sides = {.baseline = baseline, .run = run};
    bool known =
        base->status == RESULT_OK && (now->status == RESULT_OK || now->launch_count == 0) && is_same_task(base, now);
    EACH(const struct metric, metric, metrics->list, known ? metrics->count : 0) {
        const struct row *row = result_find(base, metric->name);
        if (metric_may_be_known(metric) || (metric->class == METRIC_EXACT && row && row->state == VALUE_MEASURED))
            known &= is_steady(&sides, base, metric, row);
    }
    return known;
}

bool count_was_known(const struct run *baseline, const struct result *base, const struct row *row,
                     const struct metric *metric, const struct run *run, const struct result *now,
                     const struct metrics *metrics)
{
    const struct sides sides = {.baseline = baseline, .run = run};
    return (metric->follows ? same_inputs(base, now) : is_same_task(base, now)) &&
           is_steady(&sides, base, metric, row) && same_work(base, now, metrics);
}

bool counts_were_left(const struct result *result, const struct metrics *metrics)
{
    const bool any = ANY(m, metrics->count, metric_is_instrumented(&metrics->list[m])),
               left = ALL(m, metrics->count,
                          !metric_is_instrumented(&metrics->list[m]) || !result_find(result, metrics->list[m].name));
    return any && left && result->status == RESULT_OK && result->launch_count > 0;
}

bool counts_have_their_day(const char *kernel, long day)
{
    uint32_t hash = 2166136261U; /* FNV-1a */
    for (; *kernel; kernel++)
        hash = (hash ^ (unsigned char)*kernel) * 16777619U;
    return (hash + (unsigned long)day) % KNOWN_READ == 0;
}
