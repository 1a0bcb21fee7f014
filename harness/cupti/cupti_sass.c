/* Exact counts by instruction, through CUPTI's SASS metrics, which instrument the machine code.
 *
 * CUPTI 13.0 on an H200 counts one function in the life of a process: the first that is launched after
 * cuptiSassMetricsEnable, over all its launches. Other functions have no records, whatever is enabled, flushed, reset
 * or reloaded. (Tried: lazy and eager, a second configuration, which is out of memory, cuptiFinalize, another context.)
 * No kernel may be in flight when it is launched, and none may have been launched since the profiler was started. So
 * sass_begin() is called right before the launch. */
#include "cupti_plugin.h"

#include <cupti_profiler_target.h>
#include <cupti_target.h>

/* The counts of one instruction; values are by the number of the configuration. */
struct instruction {
    const CUpti_SassMetrics_Data *record; /* any of its records */
    double counts[LINE_COUNTERS];
};

/* Which counters the chip has. */
static void choose_counters(struct sass_metrics *self, const char *chip)
{
    for (enum line_counter counter = 0; counter < LINE_GPU_COUNTERS; counter++) {
        const char *name = line_counter_metric(counter);
        CUPTI_PARAMS(SassMetrics_GetProperties, params, .pChipName = chip, .pMetricName = name);
        if (cuptiSassMetricsGetProperties(&params) != CUPTI_SUCCESS)
            continue;
        self->counted |= 1u << counter;
        size_t known = FIRST(k, self->count, self->configs[k].metricId == params.metric.metricId);
        if (known < self->count)
            continue;
        self->counters[known] = counter;
        self->configs[self->count++] = (CUpti_SassMetrics_Config){
            .metricId = params.metric.metricId,
            .outputGranularity = CUPTI_SASS_METRICS_OUTPUT_GRANULARITY_GPU,
        };
    }
}

int sass_metrics_begin(struct sass_metrics *self, CUcontext context, struct problem *problem)
{
    CUpti_Profiler_Initialize_Params start = {.structSize = CUpti_Profiler_Initialize_Params_STRUCT_SIZE};
    CUpti_Device_GetChipName_Params chip = {.structSize = CUpti_Device_GetChipName_Params_STRUCT_SIZE};
    CUpti_SassMetricsSetConfig_Params config = {.structSize = CUpti_SassMetricsSetConfig_Params_STRUCT_SIZE};
    CUPTI_PARAMS(SassMetricsEnable, enable, .ctx = context, .enableLazyPatching = 1);
    CUdevice device = 0;
    TRY(cuda_check("waiting", cuCtxSynchronize(), problem));
    TRY(cuda_check("identifying the GPU", cuCtxGetDevice(&device), problem));
    TRY(cupti_check("starting CUPTI's profiler", cuptiProfilerInitialize(&start), problem));
    chip.deviceIndex = (size_t)device;
    TRY(cupti_check("reading the chip's name", cuptiDeviceGetChipName(&chip), problem));
    choose_counters(self, chip.pChipName);
    if (self->count == 0)
        return problem_set(problem, "chip %s has no counters by instruction", chip.pChipName);
    config.deviceIndex = (uint32_t)device;
    config.numOfMetricConfig = self->count;
    config.pConfigs = self->configs;
    TRY(cupti_check("choosing the counters by instruction", cuptiSassMetricsSetConfig(&config), problem));
    TRY(cupti_check("counting by instruction", cuptiSassMetricsEnable(&enable), problem));
    return 0;
}

static int by_function_and_offset(const void *a, const void *b)
{
    const struct instruction *left = a, *right = b;
    const int order = strcmp(left->record->functionName, right->record->functionName);
    if (order != 0)
        return order;
    return left->record->pcOffset < right->record->pcOffset ? -1 : left->record->pcOffset > right->record->pcOffset;
}

/* One instruction from each record, which has one counter; then those of one place made one. Returns how many. */
static size_t gather(const struct sass_metrics *self, const CUpti_SassMetrics_Data *records, size_t count,
                     struct instruction *list)
{
    size_t gathered = 0;
    for (size_t i = 0; i < count; i++) {
        if (!records[i].functionName)
            continue;
        struct instruction *instruction = &list[gathered++];
        *instruction = (struct instruction){.record = &records[i]};
        for (size_t c = 0; c < self->count; c++)
            if (self->configs[c].metricId == records[i].pInstanceValues->metricId)
                instruction->counts[c] = (double)records[i].pInstanceValues->value;
    }
    SORT(list, gathered, by_function_and_offset);
    size_t kept = 0;
    for (size_t i = 0; i < gathered; i++) {
        if (kept > 0 && by_function_and_offset(&list[kept - 1], &list[i]) == 0)
            for (size_t c = 0; c < self->count; c++)
                list[kept - 1].counts[c] += list[i].counts[c];
        else
            list[kept++] = list[i];
    }
    return kept;
}

static double count_of(const struct sass_metrics *self, const struct instruction *instruction,
                       enum line_counter counter)
{
    for (size_t c = 0; c < self->count; c++)
        if (strcmp(line_counter_metric(self->counters[c]), line_counter_metric(counter)) == 0)
            return instruction->counts[c];
    return 0;
}

static void add_instruction(const struct sass_metrics *self, const struct instruction *instruction,
                            sass_metrics_line *find, void *data, struct profile *profile)
{
    unsigned number = 0;
    const CUpti_SassMetrics_Data *record = instruction->record;
    OWNED_TEXT file = find ? find(data, record, &number) : NULL;
    struct profile_line *line = profile_add(profile, record->functionName, file, number, record->pcOffset);
    const bool stores = count_of(self, instruction, LINE_GLOBAL_STORES) > 0;
    for (enum line_counter counter = 0; counter < LINE_GPU_COUNTERS; counter++) {
        const enum line_kind kind = line_counter_kind(counter);
        if (kind == LINE_ANY || (kind == LINE_OF_STORES) == stores)
            line->counts[counter] += count_of(self, instruction, counter);
    }
}

static void add_records(const struct sass_metrics *self, const CUpti_SassMetrics_Data *records, size_t count,
                        sass_metrics_line *find, void *data, struct profile *profile)
{
    OWNED_MEMORY struct instruction *list = x_calloc(count, sizeof *list);
    const size_t gathered = gather(self, records, count, list);
    for (size_t i = 0; i < gathered; i++)
        add_instruction(self, &list[i], find, data, profile);
    profile->counted = self->counted;
}

int sass_metrics_read(const struct sass_metrics *self, CUcontext context, sass_metrics_line *find, void *data,
                      struct profile *profile, struct problem *problem)
{
    CUPTI_PARAMS(SassMetricsGetDataProperties, size, .ctx = context);
    TRY(cupti_check("sizing the counts by instruction", cuptiSassMetricsGetDataProperties(&size), problem));
    const size_t count = size.numOfPatchedInstructionRecords;
    if (count == 0 || size.numOfInstances != 1)
        return problem_set(problem, "CUPTI has no counts by instruction");
    OWNED_MEMORY CUpti_SassMetrics_Data *records = x_calloc(count, sizeof *records);
    OWNED_MEMORY CUpti_SassMetrics_InstanceValue *values = x_calloc(count, sizeof *values);
    for (size_t i = 0; i < count; i++) {
        records[i].structSize = sizeof *records;
        records[i].pInstanceValues = &values[i];
    }
    CUPTI_PARAMS(SassMetricsFlushData, params, .ctx = context, .numOfPatchedInstructionRecords = count,
                 .numOfInstances = 1, .pMetricsData = records);
    const int failed = cupti_check("reading the counts by instruction", cuptiSassMetricsFlushData(&params), problem);
    if (failed == 0)
        add_records(self, records, count, find, data, profile);
    /* The names are not freed: CUPTI does not say whether records share them, and the process is about to end. */
    return failed;
}
