#include "measure.h"

#include "cubin/cubin.h"

#include "pool.h"

/* Lines that came with the values. */
static void resolve_lines(const struct measurement *measurement, struct run *run)
{
    for (size_t i = 0; i < run->result_count; i++)
        if (run->results[i].profile.counted)
            source_resolve(&run->results[i].profile, measurement->kernels);
}

int measure_run(const struct measurement *measurement, struct run *run)
{
    const int code = measurement->program ? program_measure(measurement, run) : pool_measure(measurement, run);
    if (!measurement->profile)
        computed_add_rates(run, measurement->metrics, measurement->backend);
    if (!measurement->profile && !measurement->program)
        resolve_lines(measurement, run);
    run_apply_laws(run, measurement->metrics, measurement->label);
    return code;
}

int measure_whole(const struct measurement *measurement, struct run *run)
{
    struct measurement whole = *measurement;
    whole.roofs = measurement->backend->provides & PROVIDES_ROOFS;
    const int code = measure_run(&whole, run);
    if (!measurement->program && run->result_count > 0 &&
        static_facts_add(run, measurement->kernels, measurement->metrics) < 0 && code == EXIT_SAME)
        return EXIT_NOT_MEASURED;
    computed_add_excess(run, measurement->metrics);
    return code;
}
