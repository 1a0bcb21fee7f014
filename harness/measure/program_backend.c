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
    static const enum computed_counter told[] = {
        COMPUTED_LAUNCHES,         COMPUTED_PROCESSES,     COMPUTED_FIRST_PART,      COMPUTED_COPIES,
        COMPUTED_COPY_BYTES,       COMPUTED_FILLS,         COMPUTED_FILL_BYTES,      COMPUTED_REFUSED,
        COMPUTED_SYNCHRONIZATIONS, COMPUTED_ALLOCATIONS,   COMPUTED_HOST_COPY_BYTES, COMPUTED_PAGEABLE_COPY_BYTES,
        COMPUTED_STREAM_CALLS,     COMPUTED_LONGEST_CHAIN, COMPUTED_HOST_CALLS,      COMPUTED_PROGRAMMATIC,
        COMPUTED_COPY_ROWS};
    bool is = exact_provides(metric);
    for (size_t i = 0; i < ARRAY_SIZE(told); i++)
        is |= is_computed(metric, told[i]);
    return is;
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
