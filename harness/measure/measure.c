#include "measure.h"

#include "cubin/cubin.h"

#include "pool.h"

#include <stdlib.h>
#include <string.h>

/* Whether the backend has one of the counters that stand for the metric, or it is no matter of the backend's: a fact of
 * the machine code, and what is worked out from source lines. */
static bool is_provided(const struct backend *backend, const struct metric *metric)
{
    const enum metric_source source = metric_source(metric);
    bool provided = source == SOURCE_CODE || computed_counter_of(metric) == COMPUTED_EXCESS;
    char *names = x_strdup(metric->counter), *rest = NULL;
    for (char *name = strtok_r(names, " ", &rest); name && !provided; name = strtok_r(NULL, " ", &rest))
        provided = backend->provides_metric(name);
    free(names);
    return provided;
}

/* The same measurement of what the backend has: *kept, whose list the caller frees, borrows the rest. */
static struct measurement keep_provided(const struct measurement *measurement, struct metrics *kept)
{
    struct measurement narrowed = *measurement;
    *kept = (struct metrics){0};
    if (!measurement->backend->provides_metric)
        return narrowed;
    for (size_t m = 0; m < measurement->metrics->count; m++)
        if (is_provided(measurement->backend, &measurement->metrics->list[m]))
            *ARRAY_GROW(kept->list, kept->count) = measurement->metrics->list[m];
    narrowed.metrics = kept;
    return narrowed;
}

int measure_run(const struct measurement *measurement, struct run *run)
{
    struct metrics kept;
    const struct measurement own = keep_provided(measurement, &kept);
    const int code = own.program ? program_measure(&own, run) : pool_measure(&own, run);
    if (!own.profile)
        computed_add_rates(run, own.metrics);
    run_apply_laws(run, own.metrics, own.label);
    free(kept.list);
    return code;
}

/* A backend may give lines with the values. */
static void resolve_lines(struct run *run, const char *kernels)
{
    for (size_t i = 0; i < run->result_count; i++)
        if (run->results[i].profile.counted)
            source_resolve(&run->results[i].profile, kernels);
}

int measure_whole(const struct measurement *measurement, struct run *run)
{
    struct metrics kept;
    struct measurement whole = keep_provided(measurement, &kept);
    whole.roofs = whole.backend->provides & PROVIDES_ROOFS;
    int code = measure_run(&whole, run);
    if (!whole.program && run->result_count > 0) {
        resolve_lines(run, whole.kernels);
        if (static_facts_add(run, whole.kernels, whole.metrics) < 0 && code == EXIT_SAME)
            code = EXIT_NOT_MEASURED;
    }
    computed_add_excess(run, whole.metrics);
    free(kept.list);
    return code;
}
