/* Chooses the sessions and rows that are analysed, and finds where and when each session was measured. */
#include "aa_parts.h"

int analysis_takes(const struct run *run, const char *name, const struct run *runs, size_t count, char *const *names,
                   const struct metrics *metrics)
{
    if (run->session_count != 1)
        return error("%s has %zu sessions; an A/A needs one session per file (`cugate run --save`)", name,
                     run->session_count);
    for (size_t i = 0; i < run->result_count; i++)
        for (size_t k = 0; k < run->results[i].row_count; k++)
            if (run->results[i].rows[k].session_count > 1)
                return error("%s has %zu sessions of %s of %s; an A/A needs one session per file (`cugate run --save`)",
                             name, run->results[i].rows[k].session_count, run->results[i].rows[k].metric,
                             run->results[i].id);
    for (size_t i = 0; i < count; i++)
        if (session_is_equal(&run->sessions[0], &runs[i].sessions[0]))
            return error("%s is the same session as %s: pass it only once", name, names[i]);
    EACH(const struct metric_note, note, run->notes, run->note_count) {
        const struct metric *metric = metrics_find(metrics, note->name);
        if (metric && (strcmp(note->counter, metric->counter) != 0 || strcmp(note->unit, metric->unit) != 0))
            return error("%s measured %s as %s in %s, but %s:%d defines it as %s in %s: pass the metric files of "
                         "that run with --metrics, or measure again",
                         name, metric->name, note->counter, note->unit, metric->file, metric->line, metric->counter,
                         metric->unit);
    }
    return 0;
}

/* ---- What all sessions have ---- */

/* Whether the launches are known to differ; unknown code counts as equal. */
static bool other_code(const struct result *a, const struct result *b)
{
    if (a->launch_count != b->launch_count)
        return true;
    for (size_t i = 0; i < a->launch_count; i++) {
        const struct launch *one = &a->launches[i], *other = &b->launches[i];
        if ((one->code && other->code && strcmp(one->code, other->code) != 0) || one->shared != other->shared ||
            one->times != other->times || memcmp(one->grid, other->grid, sizeof one->grid) != 0 ||
            memcmp(one->block, other->block, sizeof one->block) != 0)
            return true;
    }
    return false;
}

/* Adds a kernel to left_out. Takes ownership of why. */
static void leave_out(struct analysis *analysis, const char *kernel, char *why, bool failed)
{
    struct left_out *left_out = ARRAY_GROW(analysis->left_out, analysis->left_out_count);
    left_out->kernel = x_strdup(kernel);
    left_out->why = why;
    left_out->failed = failed;
}

/* Adds the kernel to left_out with its failure in the first run where it failed; false when it failed in none. */
static bool failed_in_one(struct analysis *analysis, const struct run *runs, size_t count, const char *id,
                          char *const *names)
{
    for (size_t i = 0; i < count; i++) {
        const struct result *result = run_find(&runs[i], id);
        if (!result || result->status == RESULT_OK || result->status == RESULT_NOT_BUILT)
            continue;
        leave_out(analysis, id,
                  x_sprintf("%s in %s%s%s", result_status_name(result->status), names[i], result->reason ? ": " : "",
                            result->reason ? result->reason : ""),
                  true);
        return true;
    }
    return false;
}

static bool is_built(const struct run *runs, size_t count, const char *id)
{
    for (size_t i = 0; i < count; i++) {
        const struct result *result = run_find(&runs[i], id);
        if (result && result->status != RESULT_NOT_BUILT)
            return true;
    }
    return false;
}

/* Whether a kernel is in all runs in the same way. If not, adds it to left_out with the reason, unless it was built in
 * none. */
static bool is_in_all(struct analysis *analysis, const struct run *runs, size_t count, const char *id,
                      char *const *names)
{
    if (!is_built(runs, count, id) || failed_in_one(analysis, runs, count, id, names))
        return false;
    size_t known = 0; /* the last run that knows its code, else the first */
    for (size_t i = 0; i < count; i++) {
        const struct result *result = run_find(&runs[i], id);
        if (!result || result->status != RESULT_OK) {
            leave_out(analysis, id, x_sprintf("not in %s", names[i]), false);
            return false;
        }
        if (other_code(run_find(&runs[known], id), result)) {
            leave_out(analysis, id, x_sprintf("its code differs between %s and %s", names[i], names[known]), false);
            return false;
        }
        if (result->launch_count > 0 && result->launches[0].code)
            known = i;
    }
    return true;
}

/* Removes those kernels from the runs that not every run has in the same way. */
static void keep_common_kernels(struct analysis *analysis, struct run *runs, size_t count, char *const *names)
{
    OWNED(run) all = {0}; /* each kernel of any run, sorted */
    for (size_t i = 0; i < count; i++)
        run_add_like(&all, &runs[i], NULL, 0);
    OWNED_MEMORY bool *kept = x_calloc(all.result_count, sizeof *kept);
    for (size_t k = 0; k < all.result_count; k++)
        kept[k] = is_in_all(analysis, runs, count, all.results[k].id, names);
    run_keep(&all, kept);
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < runs[i].result_count; k++)
            kept[k] = run_find(&all, runs[i].results[k].id);
        run_keep(&runs[i], kept);
    }
}

/* Removes rows of a metric where some sessions have none because it was not asked for. For example, some sessions count
 * bank conflicts for all kernels, others for few. A counter that failed has a row, which stays. */
static void keep_common_rows(struct analysis *analysis, struct run *runs, size_t count, const struct metrics *metrics)
{
    for (size_t m = 0; m < metrics->count; m++) {
        const char *metric = metrics->list[m].name;
        size_t kernels = 0;
        for (size_t k = 0; k < runs[0].result_count; k++) { /* by now all runs have the same kernels */
            const char *id = runs[0].results[k].id;
            bool any = false;
            if (ALL(i, count, result_find(run_find(&runs[i], id), metric)))
                continue;
            for (size_t i = 0; i < count; i++)
                any |= result_remove(run_find(&runs[i], id), metric);
            kernels += any;
        }
        if (kernels > 0)
            leave_out(analysis, metric, x_sprintf("%zu kernel%s: not in every session", kernels, plural(kernels)),
                      false);
    }
}

/* ---- Where and when sessions were measured ---- */

static const char *fact(const struct run *run, enum session_fact which)
{
    return run->sessions[0].facts[which];
}

static bool same_gpu(const struct run *a, const struct run *b)
{
    const char *one = fact(a, SESSION_GPU_UUID), *other = fact(b, SESSION_GPU_UUID);
    return one && other ? strcmp(one, other) == 0 : one == other;
}

static bool same_day(const struct run *a, const struct run *b)
{
    const char *one = fact(a, SESSION_DATE), *other = fact(b, SESSION_DATE);
    return one && other ? strncmp(one, other, strlen("2026-11-21")) == 0 : one == other;
}

static bool same_gpu_and_day(const struct run *a, const struct run *b)
{
    return same_gpu(a, b) && same_day(a, b);
}

/* Numbers groups of equal runs in the order of their first run; number may be NULL. Returns how many they are. */
static size_t number_groups(const struct run *runs, size_t count, bool (*same)(const struct run *, const struct run *),
                            size_t *number)
{
    size_t *found = x_calloc(count, sizeof *found), groups = 0;
    for (size_t i = 0; i < count; i++) {
        const size_t first = FIRST(k, i, same(&runs[k], &runs[i]));
        found[i] = first < i ? found[first] : groups++;
    }
    if (number)
        memcpy(number, found, count * sizeof *found);
    free(found);
    return groups;
}

static void describe(struct analysis *analysis, const struct sessions *sessions)
{
    const struct run *runs = sessions->runs;
    analysis->metrics = sessions->metrics;
    analysis->device = &runs[0].device;
    analysis->sessions = sessions->count;
    for (size_t i = 0; i < runs[0].result_count; i++)
        analysis->programs += row_kind(runs[0].results[i].id) != ROW_KERNEL;
    analysis->kernels = runs[0].result_count - analysis->programs;
    analysis->gpus = sessions->gpus;
    analysis->days = sessions->days;
    for (size_t i = 0; i < sessions->count; i++) {
        const char *date = fact(&runs[i], SESSION_DATE);
        if (date && (!analysis->first_date || strcmp(date, analysis->first_date) < 0))
            analysis->first_date = date;
        if (date && (!analysis->last_date || strcmp(date, analysis->last_date) > 0))
            analysis->last_date = date;
        if (!analysis->collector)
            analysis->collector = fact(&runs[i], SESSION_COLLECTOR);
    }
}

const struct row *measured_row(const struct sessions *sessions, size_t session, size_t kernel,
                               const struct metric *metric)
{
    return result_measured(&sessions->runs[session].results[kernel], metric->name);
}

void sessions_open(struct sessions *sessions, struct analysis *analysis, struct run *runs, size_t count,
                   char *const *names, const struct metrics *metrics)
{
    *sessions = (struct sessions){.runs = runs, .count = count, .metrics = metrics};
    keep_common_kernels(analysis, runs, count, names);
    keep_common_rows(analysis, runs, count, metrics);
    sessions->gpu = x_calloc(count, sizeof *sessions->gpu);
    sessions->cell = x_calloc(count, sizeof *sessions->cell);
    sessions->gpus = number_groups(runs, count, same_gpu, sessions->gpu);
    sessions->cells = number_groups(runs, count, same_gpu_and_day, sessions->cell);
    sessions->days = number_groups(runs, count, same_day, NULL);
    describe(analysis, sessions);
}

void sessions_close(struct sessions *sessions)
{
    free(sessions->gpu);
    free(sessions->cell);
}
