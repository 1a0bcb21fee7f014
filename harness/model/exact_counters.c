#include "exact_counters.h"

#include "computed_counters.h"
#include "counter_name.h"

static const char *const names[EXACT_COUNTERS] = {
    [EXACT_INSTRUCTIONS] = "smsp__inst_executed.sum",
    [EXACT_THREADS_PER_INSTRUCTION] = "smsp__thread_inst_executed_pred_on_per_inst_executed.ratio",
    [EXACT_BRANCH_TARGETS] = "smsp__sass_branch_targets.sum",
    [EXACT_DIVERGENT_TARGETS] = "smsp__sass_branch_targets_threads_divergent.sum",
    [EXACT_BRANCH_EFFICIENCY] = "smsp__sass_average_branch_targets_threads_uniform.pct",
    [EXACT_SHARED_WAVEFRONTS] = "smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared.sum",
    [EXACT_GLOBAL_LOAD_SECTORS] = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    [EXACT_GLOBAL_LOADS] = "smsp__sass_inst_executed_op_global_ld.sum",
    [EXACT_GLOBAL_STORE_SECTORS] = "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    [EXACT_GLOBAL_STORES] = "smsp__sass_inst_executed_op_global_st.sum",
    [EXACT_LOCAL_LOAD_SECTORS] = "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum",
    [EXACT_LOCAL_STORE_SECTORS] = "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum",
    [EXACT_FP64] = "smsp__sass_thread_inst_executed_ops_dadd_dmul_dfma_pred_on.sum",
    [EXACT_FP64_FUSED] = "smsp__sass_thread_inst_executed_op_dfma_pred_on.sum",
    [EXACT_FP32] = "smsp__sass_thread_inst_executed_ops_fadd_fmul_ffma_pred_on.sum",
    [EXACT_FP32_FUSED] = "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum",
    [EXACT_FP16_CONVERTED] = "cugate.fp16_conversions",
    [EXACT_FP16] = "smsp__sass_thread_inst_executed_ops_hadd_hmul_hfma_pred_on.sum",
    [EXACT_FP16_FUSED] = "smsp__sass_thread_inst_executed_op_hfma_pred_on.sum",
    [EXACT_LOAD_WAITS] = "cugate.load_waits",
    [EXACT_ATOMICS] = "cugate.global_atomics",
    [EXACT_ATOMIC_MEETINGS] = "cugate.atomic_meetings",
    [EXACT_HOTTEST] = "cugate.hottest_address",
    [EXACT_CONSTANT_REPLAYS] = "cugate.constant_replays",
    [EXACT_LOCAL_SECTORS] = "cugate.local_sectors",
    [EXACT_LONGEST_WARP] = "cugate.longest_warp",
    [EXACT_BUSIEST_BLOCK] = "cugate.busiest_block",
    [EXACT_SLOW] = "cugate.slow_instructions",
    [EXACT_BARRIERS] = "cugate.barriers",
    [EXACT_SLEEP] = "cugate.sleep_time",
    [EXACT_PAST_L1] = "cugate.sectors_past_l1",
    [EXACT_HOST_BYTES] = "cugate.host_bytes",
    [EXACT_MANAGED_BYTES] = "cugate.managed_bytes",
    [EXACT_OUTSIDE_WAITS] = "cugate.instructions_outside_waits",
};

enum exact_counter exact_counter_of(const struct metric *metric)
{
    enum exact_counter counter = 0;
    while (counter < EXACT_COUNTERS && !metric_has_counter(metric, names[counter]))
        counter++;
    return counter;
}

bool exact_counts_threads(enum exact_counter counter)
{
    return counter == EXACT_THREADS_PER_INSTRUCTION || (counter >= EXACT_FP64 && counter <= EXACT_FP16_FUSED);
}

bool exact_provides(const struct metric *metric)
{
    const enum metric_source source = metric_source(metric);
    return source == SOURCE_CODE || source == SOURCE_LAUNCHES || computed_counter_of(metric) == COMPUTED_EXCESS ||
           exact_counter_of(metric) < EXACT_COUNTERS;
}
