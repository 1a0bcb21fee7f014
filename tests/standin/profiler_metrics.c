/* The numbers of the made up GPU, a rule for each metric. They keep the laws of the metric files, and are whole, so
 * that a test can work each of them out:
 *
 *   threads       of the grid
 *   instructions  (1,000 + bytes of static shared memory) x threads, and what the kernel's data asked for: 0 but for
 *                 add_value and restless (driver_kernels.c)
 *                 Of a collective it is threads x 1 or 2, by turns.
 *   time          of driver_kernels.c, by the kernel's name
 *   read          16 x threads, by what is in the L2 (standin.h)
 *
 * A range of several kernels has the sum of each. */
#include "profiler.h"

enum { WARP = 32, RECORD_INSTRUCTIONS = 8 /* a warp, if there are records of kernels */ };

/* value = constant + thread * threads + ns * time + byte * read + instruction * instructions. To add a metric: a row.
 */
static const struct {
    const char *name;
    enum pass_kind kind;
    double constant;
    double thread;
    double ns;
    double byte;
    double instruction;
} metrics[] = {
    {"gpu__time_duration.sum", HARDWARE, .ns = 1},
    {"sm__cycles_elapsed.max", HARDWARE, .ns = 1},
    {"sm__cycles_active.avg", HARDWARE, .ns = 0.75},
    {"sm__cycles_elapsed.avg.per_second", HARDWARE, .constant = 1e9},
    {"sm__warps_active.avg.pct_of_peak_sustained_active", HARDWARE, .constant = 50},
    {"dram__throughput.avg.pct_of_peak_sustained_elapsed", HARDWARE, .constant = 0}, /* metric_value() computes it */
    {"dram__bytes_read.sum", HARDWARE, .byte = 1},
    {"dram__bytes_write.sum", HARDWARE, .thread = 8},
    {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", HARDWARE, .thread = 3},
    {"smsp__inst_executed.sum", HARDWARE, .instruction = 1},
    {"smsp__thread_inst_executed_pred_on_per_inst_executed.ratio", HARDWARE, .constant = 24},
    {"lts__t_request_hit_rate.pct", HARDWARE, .constant = 40},
    {"lts__t_requests.sum", HARDWARE, .thread = 5},
    {"smsp__sass_average_branch_targets_threads_uniform.pct", INSTRUMENTED, .constant = 75},
    {"smsp__sass_branch_targets.sum", INSTRUMENTED, .thread = 4},
    {"smsp__sass_branch_targets_threads_divergent.sum", INSTRUMENTED, .thread = 1},
    {"smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared.sum", INSTRUMENTED, .thread = 6},
    {"smsp__sass_inst_executed_op_global_ld.sum", INSTRUMENTED, .thread = 2},
    {"smsp__sass_inst_executed_op_global_st.sum", INSTRUMENTED, .thread = 1},
    {"smsp__sass_thread_inst_executed_ops_dadd_dmul_dfma_pred_on.sum", INSTRUMENTED, .constant = 0},
    {"smsp__sass_thread_inst_executed_op_dfma_pred_on.sum", INSTRUMENTED, .constant = 0},
    {"smsp__sass_thread_inst_executed_ops_fadd_fmul_ffma_pred_on.sum", INSTRUMENTED, .thread = 2},
    {"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", INSTRUMENTED, .thread = 1},
    {"smsp__sass_thread_inst_executed_ops_hadd_hmul_hfma_pred_on.sum", INSTRUMENTED, .constant = 0},
    {"smsp__sass_thread_inst_executed_op_hfma_pred_on.sum", INSTRUMENTED, .constant = 0},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", L1_SECTORS, .thread = 8},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", L1_SECTORS, .thread = 4},
    {"l1tex__t_sectors.sum", L1_SECTORS, .thread = 12},
    {"l1tex__t_sector_hit_rate.pct", L1_SECTORS, .constant = 60},
};

enum { METRICS = sizeof metrics / sizeof *metrics };
_Static_assert(sizeof metrics / sizeof *metrics <= MOST_METRICS, "make MOST_METRICS larger");

int metric_find(const char *name)
{
    for (int i = 0; i < METRICS; i++)
        if (strcmp(metrics[i].name, name) == 0)
            return i;
    return -1;
}

enum pass_kind metric_kind(int metric)
{
    return metrics[metric].kind;
}

struct range_work metric_work(const struct standin_kernel *kernel)
{
    const double threads = (double)kernel->grid[0] * kernel->grid[1] * kernel->grid[2] * kernel->block[0] *
                           kernel->block[1] * kernel->block[2];
    return (struct range_work){
        .threads = threads,
        .time_ns = kernel->time_ns,
        .read = 16 * kernel->reads * threads,
        .instructions = (strncmp(kernel->name, "nccl", 4) == 0 ? 1 : 1000.0 + kernel->static_shared) * threads +
                        kernel->instructions + (activity_adds_code() ? RECORD_INSTRUCTIONS * threads / WARP : 0),
    };
}

double metric_value(int metric, const struct range_work *work)
{
    /* The peak is 1 TB/s, so a byte a nanosecond is a tenth of a percent. */
    if (strncmp(metrics[metric].name, "dram__throughput", 16) == 0) {
        const double share = 0.1 * 24 * work->threads / work->time_ns;
        return share < 100 ? share : 100;
    }
    return metrics[metric].constant + metrics[metric].thread * work->threads + metrics[metric].ns * work->time_ns +
           metrics[metric].byte * work->read + metrics[metric].instruction * work->instructions;
}

static bool has_kind(uint64_t set, enum pass_kind kind)
{
    for (int i = 0; i < METRICS; i++)
        if (set >> i & 1 && metrics[i].kind == kind)
            return true;
    return false;
}

unsigned metric_passes(uint64_t set)
{
    unsigned passes = 0;
    for (enum pass_kind kind = 0; kind < PASS_KINDS; kind++)
        passes += has_kind(set, kind);
    return passes;
}

enum pass_kind metric_pass_kind(uint64_t set, size_t pass)
{
    for (enum pass_kind kind = 0; kind < PASS_KINDS; kind++)
        if (has_kind(set, kind) && pass-- == 0)
            return kind;
    return PASS_KINDS;
}
