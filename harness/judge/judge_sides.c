/* What the two sides of a comparison know besides numbers. That is how a metric was defined, which sessions a row has,
 * and what a missing kernel was renamed to. */
#include "judge_parts.h"

bool same_definition(const struct sides *sides, const struct metric *metric, char **why)
{
    const struct {
        const struct run *run;
        const char *whose;
    } both[] = {{sides->baseline, "the baseline"}, {sides->run, "this run"}};
    for (size_t i = 0; i < ARRAY_SIZE(both); i++) {
        const struct metric_note *note = run_find_note(both[i].run, metric->name);
        if (!note || (strcmp(note->counter, metric->counter) == 0 && strcmp(note->unit, metric->unit) == 0))
            continue;
        *why = x_sprintf(
            "%s measured %s (unit %s), but %s:%d defines the metric as %s (unit %s), so the two cannot be compared",
            both[i].whose, note->counter, note->unit, metric->file, metric->line, metric->counter, metric->unit);
        return false;
    }
    return true;
}

bool has_gpu_processes(const struct run *run, const struct row *row)
{
    for (size_t i = 0; i < row->session_count && run->session_count > 0; i++) {
        const char *count = run_session(run, &row->sessions[i])->facts[SESSION_GPU_PROCESSES];
        if (count && strcmp(count, "0") != 0)
            return true;
    }
    return false;
}

bool is_beyond_computing(const struct sides *sides, const char *metric)
{
    return sides->origin->computed && !run_find_note(sides->run, metric);
}

bool is_without_judge(const struct sides *sides, const struct metric *metric)
{
    const enum metric_source source = metric_source(metric);
    return (source == SOURCE_SIMULATION || source == SOURCE_CODE_ALONE) &&
           !run_find_note(sides->baseline, metric->name);
}

/* ---- Sessions. A baseline gains them for single kernels and metrics, so GPUs and compilers of other rows say nothing
 * about a row. ---- */

const char *fact_of(const struct sides *sides, const struct result *base, const struct row *row, size_t value,
                    enum session_fact fact)
{
    const bool own = base->session_count > 0;
    const struct session *sessions = own ? base->sessions : sides->baseline->sessions;
    const size_t count = own ? base->session_count : sides->baseline->session_count;
    const size_t place = row->sessions[value].session;
    return place < count ? sessions[place].facts[fact] : count > 0 ? sessions[count - 1].facts[fact] : NULL;
}

bool same_part(const struct pairing *pairing, char **why)
{
    const char *now = run_fact(pairing->sides->run, SESSION_PART);
    const char *was = NULL;
    bool same = true;
    for (size_t i = 0; i < pairing->base->session_count && same; i++) {
        was = fact_of(pairing->sides, pairing->base_result, pairing->base, i, SESSION_PART);
        same = order_of_texts(now, was) == 0;
    }
    if (same)
        return true;
    *why = x_sprintf("this run covers %s%s of the program, but the baseline covers %s: use the baseline's options, or "
                     "another folder with --baselines",
                     now ? "a part, " : "all", now ? now : "", was ? was : "all");
    return false;
}

/* Lists the GPUs that a row of the run was measured on, one for each session, sorted. NULL when one is not known.
 * Caller frees. */
static const char **find_own_gpus(const struct run *run, const struct row *now)
{
    const char **uuids = x_calloc(now->session_count, sizeof *uuids);
    bool known = run->session_count > 0;
    for (size_t i = 0; i < now->session_count && known; i++)
        known = (uuids[i] = run_session(run, &now->sessions[i])->facts[SESSION_GPU_UUID]);
    if (known) {
        sort_by_name(uuids, now->session_count, sizeof *uuids);
        return uuids;
    }
    free(uuids);
    return NULL;
}

bool find_other_gpus(const struct sides *sides, const struct result *base, const struct row *row, const struct row *now,
                     struct gpus *gpus)
{
    const char **uuids = x_calloc(row->session_count, sizeof *uuids), **own = find_own_gpus(sides->run, now);
    bool other = own;
    gpus->count = 0;
    for (size_t i = 0; i < row->session_count && other; i++) {
        uuids[i] = fact_of(sides, base, row, i, SESSION_GPU_UUID);
        other = uuids[i] && !bsearch(&uuids[i], own, now->session_count, sizeof *own, by_text);
    }
    free(own);
    OWNED_MEMORY size_t *first = other ? first_of_equals(uuids, row->session_count, sizeof *uuids, by_text) : NULL;
    for (size_t i = 0; i < row->session_count && other; i++)
        gpus->of[i] = first[i] == i ? gpus->count++ : gpus->of[first[i]];
    free(uuids);
    return other;
}

/* ---- Work ---- */

bool counts_moved(const struct metrics *metrics, const struct result *base, const struct result *now)
{
    EACH(const struct metric, metric, metrics->list, metrics->count) {
        const double was = result_value(base, metric->name), is = result_value(now, metric->name);
        if (metric->class == METRIC_EXACT && !is_metric_of_program(metric) &&
            fabs(is - was) > RULE_INEXACT * fabs(was)) /* false where one is not known */
            return true;
    }
    return false;
}

double writes_of(const struct result *result)
{
    static const char *const metrics[] = {"global_store_sectors", "sectors_past_l1", "global_atomics"};
    double sum = 0;
    for (size_t i = 0; i < ARRAY_SIZE(metrics); i++) {
        const double value = result_value(result, metrics[i]);
        sum += isnan(value) ? 0 : value;
    }
    return sum;
}

/* ---- Renamed kernels ---- */

static int by_code(const void *left, const void *right)
{
    return order_of_code(*(const struct result *const *)left, *(const struct result *const *)right);
}

/* Appends the kernels of a run that the other one lacks. */
static void add_alone(const struct result ***list, size_t *count, const struct run *run, const struct run *other)
{
    for (size_t i = 0; i < run->result_count; i++)
        if (!run_find(other, run->results[i].id))
            *ARRAY_GROW(*list, *count) = &run->results[i];
}

const struct result **find_renamed(const struct sides *sides)
{
    const struct result **renamed = x_calloc(sides->baseline->result_count, sizeof *renamed), **alone = NULL;
    size_t count = 0;
    add_alone(&alone, &count, sides->run, sides->baseline);
    const size_t new_count = count; /* new kernels come first, so the first of equal ones is new */
    add_alone(&alone, &count, sides->baseline, sides->run);
    OWNED_MEMORY size_t *first = first_of_equals(alone, count, sizeof *alone, by_code);
    for (size_t i = new_count; i < count; i++)
        if (first[i] < new_count && same_code(alone[i], alone[first[i]]))
            renamed[alone[i] - sides->baseline->results] = alone[first[i]];
    free(alone);
    return renamed;
}
