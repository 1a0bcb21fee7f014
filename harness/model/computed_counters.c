#include "computed_counters.h"

/* clang-format off */
static const struct {
    const char *name;
    enum metric_source source;
    bool on_demand;
} counters[COMPUTED_COUNTERS] = {
    [COMPUTED_NONE]      = {"",                             SOURCE_SAMPLES, false},
    [COMPUTED_WALL_TIME] = {"cugate.wall_time",             SOURCE_SAMPLES, false},
    [COMPUTED_BANDWIDTH] = {"cugate.bandwidth",             SOURCE_RUN,     false},
    [COMPUTED_FLOP_RATE] = {"cugate.flop_rate",             SOURCE_RUN,     false},
    [COMPUTED_REGISTERS] = {"cugate.registers",             SOURCE_CODE,    false},
    [COMPUTED_LOCAL]     = {"cugate.local_bytes",           SOURCE_CODE,    false},
    [COMPUTED_LOCAL_ACCESSES] = {"cugate.local_accesses",   SOURCE_CODE_ALONE, false},
    [COMPUTED_SHARED]    = {"cugate.shared_bytes",          SOURCE_CODE,    false},
    [COMPUTED_OCCUPANCY] = {"cugate.theoretical_occupancy", SOURCE_CODE,    false},
    [COMPUTED_EXCESS]    = {"cugate.excess_wavefronts",     SOURCE_RUN,     true},
    [COMPUTED_LAUNCHES]  = {"cugate.launches",              SOURCE_PROGRAM, false},
    [COMPUTED_PROCESSES] = {"cugate.processes",             SOURCE_PROGRAM, false},
    [COMPUTED_GPU_TIME]  = {"cugate.gpu_time",              SOURCE_PROGRAM, false},
    [COMPUTED_BUSY_TIME] = {"cugate.busy_time",             SOURCE_PROGRAM, false},
    [COMPUTED_ELAPSED]   = {"cugate.elapsed_time",          SOURCE_PROGRAM, false},
    [COMPUTED_COMPUTING] = {"cugate.computing_time",        SOURCE_PROGRAM, false},
    [COMPUTED_COMMUNICATION] = {"cugate.communication_time", SOURCE_PROGRAM, false},
    [COMPUTED_SYNCHRONIZATIONS] = {"cugate.synchronizations", SOURCE_PROGRAM, false},
    [COMPUTED_ALLOCATIONS] = {"cugate.allocations",         SOURCE_PROGRAM, false},
    [COMPUTED_STREAM_CALLS] = {"cugate.stream_calls",       SOURCE_PROGRAM, false},
    [COMPUTED_COPIES]    = {"cugate.copies",                SOURCE_PROGRAM, false},
    [COMPUTED_COPY_BYTES] = {"cugate.copy_bytes",           SOURCE_PROGRAM, false},
    [COMPUTED_COPY_TIME] = {"cugate.copy_time",             SOURCE_PROGRAM, false},
    [COMPUTED_HOST_COPY_BYTES] = {"cugate.host_copy_bytes", SOURCE_PROGRAM, false},
    [COMPUTED_PAGEABLE_COPY_BYTES] = {"cugate.pageable_copy_bytes", SOURCE_PROGRAM, false},
    [COMPUTED_LONGEST_CHAIN] = {"cugate.longest_chain",     SOURCE_PROGRAM, false},
    [COMPUTED_HOST_CALLS] = {"cugate.host_calls",           SOURCE_PROGRAM, false},
    [COMPUTED_PROGRAMMATIC] = {"cugate.programmatic_launches", SOURCE_PROGRAM, false},
    [COMPUTED_COPY_ROWS] = {"cugate.copy_rows",             SOURCE_PROGRAM, false},
    [COMPUTED_FILLS]     = {"cugate.memsets",               SOURCE_PROGRAM, false},
    [COMPUTED_FILL_BYTES] = {"cugate.memset_bytes",         SOURCE_PROGRAM, false},
    [COMPUTED_FILL_TIME] = {"cugate.memset_time",           SOURCE_PROGRAM, false},
    [COMPUTED_REFUSED]   = {"cugate.failed_launches",       SOURCE_PROGRAM, false},
    [COMPUTED_GPU_BUSY]  = {"cugate.gpu_busy",              SOURCE_PROGRAM, false},
    [COMPUTED_FIRST_PART] = {"cugate.first_part",           SOURCE_PROGRAM, false},
    [COMPUTED_BALANCE]   = {"cugate.grid_balance",          SOURCE_CODE,    false},
    [COMPUTED_KERNEL_LAUNCHES] = {"cugate.kernel_launches", SOURCE_LAUNCHES, false},
    [COMPUTED_LOAD_WAITS] = {"cugate.load_waits",           SOURCE_SIMULATION, false},
    [COMPUTED_ATOMICS]   = {"cugate.global_atomics",        SOURCE_SIMULATION, false},
    [COMPUTED_ATOMIC_MEETINGS] = {"cugate.atomic_meetings", SOURCE_SIMULATION, false},
    [COMPUTED_HOTTEST]   = {"cugate.hottest_address",       SOURCE_SIMULATION, false},
    [COMPUTED_CONSTANT_REPLAYS] = {"cugate.constant_replays", SOURCE_SIMULATION, false},
    [COMPUTED_OUTSIDE_WAITS] = {"cugate.instructions_outside_waits", SOURCE_SIMULATION, false},
    [COMPUTED_LOCAL_SECTORS] = {"cugate.local_sectors",     SOURCE_SIMULATION, false},
    [COMPUTED_LONGEST_WARP] = {"cugate.longest_warp",       SOURCE_SIMULATION, false},
    [COMPUTED_BUSIEST_BLOCK] = {"cugate.busiest_block",     SOURCE_SIMULATION, false},
    [COMPUTED_SLOW]      = {"cugate.slow_instructions",     SOURCE_SIMULATION, false},
    [COMPUTED_BARRIERS]  = {"cugate.barriers",              SOURCE_SIMULATION, false},
    [COMPUTED_SLEEP]     = {"cugate.sleep_time",            SOURCE_SIMULATION, false},
    [COMPUTED_PAST_L1]   = {"cugate.sectors_past_l1",       SOURCE_SIMULATION, false},
    [COMPUTED_HOST_BYTES] = {"cugate.host_bytes",           SOURCE_SIMULATION, false},
    [COMPUTED_MANAGED_BYTES] = {"cugate.managed_bytes",     SOURCE_SIMULATION, false},
    [COMPUTED_CONVERTED] = {"cugate.fp16_conversions",      SOURCE_SIMULATION, false},
};
/* clang-format on */

enum computed_counter computed_counter_of(const struct metric *metric)
{
    const size_t prefix = strlen("cugate.");
    enum computed_counter i = strncmp(metric->counter, "cugate.", prefix) == 0 ? COMPUTED_COUNTERS : 1;
    while (--i > COMPUTED_NONE && (counters[i].name[prefix] != metric->counter[prefix] || !is_computed(metric, i)))
        continue;
    return i;
}

bool is_computed(const struct metric *metric, enum computed_counter counter)
{
    return strcmp(counters[counter].name, metric->counter) == 0;
}

enum metric_source metric_source(const struct metric *metric)
{
    return counters[computed_counter_of(metric)].source;
}

bool metric_is_on_demand(const struct metric *metric)
{
    return counters[computed_counter_of(metric)].on_demand;
}

size_t computed_counter_names(const char **names, size_t capacity)
{
    for (size_t i = COMPUTED_NONE + 1; i < COMPUTED_COUNTERS && i - 1 < capacity; i++)
        names[i - 1] = counters[i].name;
    return COMPUTED_COUNTERS - 1;
}
