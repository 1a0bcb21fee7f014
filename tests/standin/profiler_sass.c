/* Counts by instruction. As the real one, they are of one function in the life of a process: the first that runs after
 * cuptiSassMetricsEnable. A function has four instructions of 16 bytes, and a quarter of its executed instructions is
 * at each. The second is a load and the third a store, of a sector a thread. The fourth makes a pass through shared
 * memory for every four threads, where one for eight would do. */
#include "profiler.h"

#include <cupti_sass_metrics.h>

enum { INSTRUCTIONS = 4, BYTES = 16 };

/* The counts of an instruction by metric: each is a share of the kernel's instructions, or of its threads. To add one:
 * a row. */
static const struct {
    const char *name;
    double of_instructions;
    double of_threads[INSTRUCTIONS];
} sass[] = {
    {"smsp__sass_inst_executed", .of_instructions = 0.25},
    {"smsp__sass_thread_inst_executed", .of_instructions = 8},
    {"smsp__sass_thread_inst_executed_pred_on", .of_instructions = 6},
    {"smsp__sass_inst_executed_op_global_ld", .of_threads = {0, 1, 0, 0}},
    {"smsp__sass_inst_executed_op_global_st", .of_threads = {0, 0, 1, 0}},
    {"smsp__sass_sectors_mem_global", .of_threads = {0, 1, 1, 0}},
    {"smsp__sass_sectors_mem_global_ideal", .of_threads = {0, 1, 1, 0}},
    {"smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared", .of_threads = {0, 0, 0, 0.25}},
    {"smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared_ideal", .of_threads = {0, 0, 0, 0.125}},
};

enum { METRICS = sizeof sass / sizeof *sass };

static struct {
    size_t chosen[METRICS];
    size_t count;
    bool enabled;
    char *function; /* the one that is counted; NULL: the next */
    uint32_t crc;   /* of its image */
    struct range_work work;
} self;

void sass_ran(const struct standin_kernel *kernel)
{
    if (!self.enabled)
        return;
    if (!self.function) {
        self.function = strdup(kernel->name);
        self.crc = (uint32_t)image_crc(kernel->image, kernel->image_size);
    }
    if (strcmp(self.function, kernel->name) != 0)
        return;
    const struct range_work work = metric_work(kernel);
    self.work.threads += work.threads;
    self.work.instructions += work.instructions;
}

CUptiResult cuptiSassMetricsGetProperties(CUpti_SassMetrics_GetProperties_Params *params)
{
    for (size_t i = 0; i < METRICS; i++) {
        if (strcmp(sass[i].name, params->pMetricName) == 0) {
            params->metric.metricId = 100 + i;
            return CUPTI_SUCCESS;
        }
    }
    return CUPTI_ERROR_INVALID_METRIC_NAME;
}

CUptiResult cuptiSassMetricsSetConfig(CUpti_SassMetricsSetConfig_Params *params)
{
    REFUSE(params->numOfMetricConfig > METRICS, CUPTI_ERROR_OUT_OF_MEMORY);
    for (self.count = 0; self.count < params->numOfMetricConfig; self.count++)
        self.chosen[self.count] = params->pConfigs[self.count].metricId - 100;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiSassMetricsEnable(CUpti_SassMetricsEnable_Params *params)
{
    (void)params;
    REFUSE(self.count == 0, CUPTI_ERROR_INVALID_OPERATION);
    self.enabled = true;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiSassMetricsGetDataProperties(CUpti_SassMetricsGetDataProperties_Params *params)
{
    params->numOfPatchedInstructionRecords = self.function ? self.count * INSTRUCTIONS : 0;
    params->numOfInstances = 1;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiSassMetricsFlushData(CUpti_SassMetricsFlushData_Params *params)
{
    if (!self.function || params->numOfPatchedInstructionRecords != self.count * INSTRUCTIONS)
        return CUPTI_ERROR_INVALID_PARAMETER;
    for (size_t i = 0; i < params->numOfPatchedInstructionRecords; i++) {
        CUpti_SassMetrics_Data *record = &params->pMetricsData[i];
        const size_t metric = self.chosen[i / INSTRUCTIONS], place = i % INSTRUCTIONS;
        record->functionName = self.function;
        record->cubinCrc = self.crc;
        record->pcOffset = (uint32_t)place * BYTES;
        record->pInstanceValues->metricId = 100 + metric;
        record->pInstanceValues->value = (uint64_t)(sass[metric].of_instructions * self.work.instructions +
                                                    sass[metric].of_threads[place] * self.work.threads);
    }
    self.work = (struct range_work){0};
    return CUPTI_SUCCESS;
}
