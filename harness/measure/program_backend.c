/* What takes the place of a worker's backend where a program is measured, or simulated. */
#include "program_parts.h"

const struct backend program_backend = {
    .name = "exec",
    .doc = "the launches of an unmodified program",
    .provides = PROVIDES_VALUES | PROVIDES_COUNTERS | PROVIDES_LINE_COUNTS,
};

/* Times are estimated, not computed. */
static bool is_computed_of_program(const struct metric *metric)
{
    static const enum computed_counter times[] = {COMPUTED_GPU_TIME,  COMPUTED_BUSY_TIME,     COMPUTED_ELAPSED,
                                                  COMPUTED_COMPUTING, COMPUTED_COMMUNICATION, COMPUTED_COPY_TIME,
                                                  COMPUTED_FILL_TIME, COMPUTED_GPU_BUSY};
    return exact_provides(metric) ||
           (is_metric_of_program(metric) && !ANY(i, ARRAY_SIZE(times), is_computed(metric, times[i])));
}

const struct backend simulated_program_backend = {
    .name = "exec-sim",
    .doc = "the launches of an unmodified program, executed on the CPU",
    .provides = PROVIDES_VALUES,
    .provides_metric = is_computed_of_program,
};

bool program_is_simulated(const struct measurement *measurement)
{
    return measurement->backend == &simulated_program_backend;
}
