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

/* What is worked out from what was measured. own: what keep_provided made of the measurement. */
static void work_out(const struct measurement *own, struct run *run)
{
    if (!own->profile)
        computed_add_rates(run, own->metrics, own->backend);
    if (!own->profile && !own->program)
        resolve_lines(own, run);
    run_apply_laws(run, own->metrics, own->label);
}

int measure_run(const struct measurement *measurement, struct run *run)
{
    struct metrics kept, kept_next = {0};
    struct measurement own = keep_provided(measurement, &kept), next;
    if (own.next) {
        next = keep_provided(own.next, &kept_next);
        own.next = &next;
    }
    const int code = own.program ? program_measure(&own, run) : pool_measure(&own, run);
    work_out(&own, run);
    free(kept_next.list);
    free(kept.list);
    return code;
}

static int add_facts(const struct measurement *whole, struct run *run, int code)
{
    if (!whole->program && run->result_count > 0 && static_facts_add(run, whole->kernels, whole->metrics) < 0 &&
        code == EXIT_SAME)
        code = EXIT_NOT_MEASURED;
    computed_add_excess(run, whole->metrics);
    return code;
}

int measure_whole(const struct measurement *measurement, struct run *run)
{
    struct metrics kept;
    struct measurement whole = keep_provided(measurement, &kept);
    whole.roofs = whole.backend->provides & PROVIDES_ROOFS;
    const int code = add_facts(&whole, run, measure_run(&whole, run));
    free(kept.list);
    return code;
}

void measure_on_each(const struct measurement *measurement, struct run *runs, int *codes, size_t count)
{
    struct metrics kept;
    struct measurement whole = keep_provided(measurement, &kept), *list = x_calloc(count, sizeof *list);
    const struct device_list devices = whole.devices;
    whole.roofs = whole.backend->provides & PROVIDES_ROOFS;
    for (size_t i = 0; i < count; i++) {
        list[i] = whole;
        list[i].progress &= i == 0;
        list[i].devices = (struct device_list){.list = {devices.count > 0 ? devices.list[i] : 0}, .count = 1};
    }
    pool_measure_all(list, runs, codes, count, 1);
    for (size_t i = 0; i < count; i++) {
        work_out(&whole, &runs[i]);
        codes[i] = add_facts(&whole, &runs[i], codes[i]);
    }
    free(list);
    free(kept.list);
}
