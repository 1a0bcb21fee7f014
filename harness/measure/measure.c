#include "measure.h"

#include "cubin/cubin.h"

#include "pool.h"

#include <stdlib.h>

/* The same measurement of the metrics that the backend has: the notes of a run tell what it could know. *kept, whose
 * list the caller frees, borrows the rest. */
static struct measurement keep_provided(const struct measurement *measurement, struct metrics *kept)
{
    struct measurement narrowed = *measurement;
    *kept = (struct metrics){0};
    for (size_t m = 0; m < measurement->metrics->count; m++)
        if (backend_provides(measurement->backend, &measurement->metrics->list[m]))
            *ARRAY_GROW(kept->list, kept->count) = measurement->metrics->list[m];
    narrowed.metrics = kept;
    return narrowed;
}

/* Lines that came with the values. */
static void resolve_lines(const struct measurement *measurement, struct run *run)
{
    for (size_t i = 0; i < run->result_count; i++)
        if (run->results[i].profile.counted)
            source_resolve(&run->results[i].profile, measurement->kernels);
}

int measure_run(const struct measurement *measurement, struct run *run)
{
    struct metrics kept;
    const struct measurement own = keep_provided(measurement, &kept);
    const int code = own.program ? program_measure(&own, run) : pool_measure(&own, run);
    if (!own.profile)
        computed_add_rates(run, own.metrics, own.backend);
    if (!own.profile && !own.program)
        resolve_lines(&own, run);
    run_apply_laws(run, own.metrics, own.label);
    free(kept.list);
    return code;
}

int measure_whole(const struct measurement *measurement, struct run *run)
{
    struct metrics kept;
    struct measurement whole = keep_provided(measurement, &kept);
    whole.roofs = whole.backend->provides & PROVIDES_ROOFS;
    int code = measure_run(&whole, run);
    if (!whole.program && run->result_count > 0 && static_facts_add(run, whole.kernels, whole.metrics) < 0 &&
        code == EXIT_SAME)
        code = EXIT_NOT_MEASURED;
    computed_add_excess(run, whole.metrics);
    free(kept.list);
    return code;
}
