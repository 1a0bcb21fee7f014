/* Learns what the kernels of a library are launched with, without a GPU: the simulator records launches and hashes of
 * arguments and memory, and executes nothing (a dry run). Each kernel has a process of its own, and all processors take
 * part. */

#include "pool.h"

enum { MOST_AT_ONCE = 16, ENOUGH_SECONDS = 5 };

void measurement_make_dry(struct measurement *measurement)
{
    const unsigned processors = processor_count();
    measurement->dry = true;
    measurement->label = "launches";
    measurement->devices = (struct device_list){.count = processors < MOST_AT_ONCE ? processors : MOST_AT_ONCE};
    measurement->relay = NULL;
    measurement->costs = NULL;
}

/* Starts the workers of a measurement with a relay, so that they open their GPUs while something else is done. */
static void measure_ahead(const struct measurement *measurement)
{
    struct metrics kept;
    struct measurement provided = measurement_of_provided(measurement, &kept);
    provided.roofs = provided.backend->provides & PROVIDES_ROOFS;
    if (provided.relay)
        pool_start_ahead(&provided);
    free(kept.list);
}

int measure_inputs(const struct measurement *measurement, struct run *dry)
{
    struct metrics none = {.list = measurement->metrics->list};
    struct problem ignored, *before = error_into(&ignored);
    struct measurement inputs = *measurement;
    measurement_make_dry(&inputs);
    inputs.backend = backend_find(origin_of(ORIGIN_COMPUTED)->collector);
    inputs.metrics = &none;
    inputs.quiet = true;
    inputs.timeout = inputs.timeout < ENOUGH_SECONDS ? inputs.timeout : ENOUGH_SECONDS;
    const int code = measure_whole(&inputs, dry);
    error_into(before);
    if (code != EXIT_SAME) /* a part of the kernels is not to be taken for all */
        run_release(dry);
    return code == EXIT_INTERRUPTED ? EXIT_INTERRUPTED : EXIT_SAME;
}

void inputs_take(struct run *run, const struct run *dry)
{
    if (order_of_texts(run->device.name, dry->device.name) != 0)
        return; /* what a library launches may depend on the GPU */
    EACH(struct result, result, run->results, run->result_count) {
        const struct result *from = run_find(dry, result->id);
        if (result->status != RESULT_OK || !from || !from->inputs || result->inputs || !same_code(result, from))
            continue;
        result->inputs = x_strdup(from->inputs);
    }
}

int measure_with_inputs(const struct measurement *measurement, find_known_fn *find, void *self, struct run *run)
{
    struct measurement own = *measurement;
    OWNED(run) dry = {0};
    OWNED_MEMORY struct known_kernel *known = NULL;
    measure_ahead(measurement);
    int code = measure_inputs(measurement, &dry);
    if (find && dry.result_count > 0)
        known = find(self, &dry, &own.known_count);
    own.known = known;
    if (code == EXIT_SAME)
        code = measure_whole(&own, run);
    inputs_take(run, &dry);
    return code;
}
