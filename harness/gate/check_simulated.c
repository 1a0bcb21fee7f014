/* A check without a GPU: counts are computed. Executing a kernel on a CPU takes seconds. Recording its machine code,
 * launches and inputs (a dry run) takes almost no time. */
#include "check_parts.h"

/* Whether the kernel has to be executed: its inputs or its host code are not the baseline's. A dry run that failed may
 * have failed because nothing was executed. */
static bool is_wanted(const struct check *check, const struct result *dry)
{
    const struct result *base = run_find(&check->baseline, dry->id);
    if (dry->status == RESULT_NOT_BUILT)
        return false;
    if (dry->status != RESULT_OK || check->request->all || !base || base->status != RESULT_OK)
        return true;
    if (run_has_other_host(&check->run, base))
        return true;
    return !same_inputs(base, dry) && (base->launch_count > 0 || dry->launch_count > 0);
}

/* Replaces the results of the dry run by the computed ones. Only the dry run knows the inputs; and the launches too of
 * a kernel that could not be computed. */
static void take_computed(struct run *run, struct run *computed)
{
    for (size_t i = 0; i < computed->result_count; i++) {
        struct result *old = run_find(run, computed->results[i].id), *new = &computed->results[i];
        if (!old)
            continue;
        if (new->status != RESULT_OK && old->status == RESULT_OK) {
            result_copy_facts(new, old);
        } else {
            new->inputs = old->inputs;
            old->inputs = NULL;
        }
        const struct result swapped = *old;
        *old = *new;
        *new = swapped;
    }
}

/* After Ctrl-C: removes kernels from the run that were to be computed and were not. */
static void forget_pending(struct run *run, char *const *ids, size_t count, const struct run *computed)
{
    OWNED_MEMORY bool *kept = x_calloc(run->result_count, sizeof *kept);
    for (size_t i = 0; i < run->result_count; i++)
        kept[i] = true;
    for (size_t k = 0; k < count; k++)
        kept[run_find(run, ids[k]) - run->results] = run_find(computed, ids[k]);
    run_keep(run, kept);
}

static int compute(struct check *check, char *const *ids, size_t count)
{
    OWNED(run) computed = {0};
    struct measurement measurement = check->request->measurement;
    OWNED_TEXT label = x_sprintf("simulating %zu kernel%s", count, plural(count));
    measurement.globs = ids;
    measurement.glob_count = count;
    measurement.label = label;
    const int code = check->measured == EXIT_SAME ? measure_whole(&measurement, &computed) : check->measured;
    if (code == EXIT_INTERRUPTED)
        forget_pending(&check->run, ids, count, &computed);
    take_computed(&check->run, &computed);
    return code;
}

/* Removes kernels from the baseline whose counts cannot be compared with this code: the base build stands in. */
static void forget_other_counts(struct check *check)
{
    OWNED_MEMORY bool *kept = x_calloc(check->baseline.result_count, sizeof *kept);
    for (size_t i = 0; i < check->baseline.result_count; i++) {
        const struct result *base = &check->baseline.results[i], *now = run_find(&check->run, base->id);
        kept[i] = !now || !compare_other_counts(&check->baseline, base, &check->run, now);
    }
    run_keep(&check->baseline, kept);
}

int check_dry(struct check *check)
{
    struct measurement dry = check->request->measurement;
    measurement_make_dry(&dry);
    check->measured = measure_whole(&dry, &check->run);
    return check->run.result_count == 0 ? check->measured : EXIT_SAME;
}

void check_computed(struct check *check)
{
    char **ids = NULL;
    size_t count = 0;
    for (size_t i = 0; i < check->run.result_count; i++)
        if (is_wanted(check, &check->run.results[i]))
            *ARRAY_GROW(ids, count) = x_strdup(check->run.results[i].id);
    if (count > 0)
        check->measured = compute(check, ids, count);
    if (check->request->against && check->measured == EXIT_SAME)
        forget_other_counts(check);
    free_texts(ids, count);
}
