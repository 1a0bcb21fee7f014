/* Exact counts by source line, through CUPTI's SASS metrics: it instruments the machine code and counts at each
 * instruction.
 *
 * CUPTI 13.0 on an H200 counts one function in the life of a process: the first one that is launched after
 * cuptiSassMetricsEnable, over all its launches; of others there are no records, whatever is enabled, flushed, reset or
 * reloaded (tried: lazy and eager, a second configuration, which is out of memory, cuptiFinalize, another context). So
 * this collector measures one function, and its worker ends after one kernel. Nor may a kernel be in flight when it is
 * launched, or another be launched since the profiler was started: hence everything in measure(), after the warm-up,
 * and for a function behind others at the end of the runtime's call that launched the one before it. */
#include "cupti_plugin.h"

#include "base/base.h"

#include <cupti_profiler_target.h>
#include <cupti_sass_metrics.h>
#include <cupti_target.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct lines_collector {
    const struct job *job;
    CUcontext context;
    struct launch_log log;
    CUpti_SassMetrics_Config configs[LINE_COUNTERS];
    enum line_counter counters[LINE_COUNTERS]; /* whose configs they are: the first of those that share one */
    size_t count;
    unsigned counted; /* as in struct profile */
    bool enabled;
    struct problem problem; /* not enabled */
};

/* The counts of one instruction, by the number of its configuration. */
struct instruction {
    const CUpti_SassMetrics_Data *record; /* any of its records */
    double counts[LINE_COUNTERS];
};

static int lines_open(void **opened, const struct job *job, struct device *device, struct session *session,
                      struct problem *problem)
{
    if (gpu_describe(0, device, session, problem) < 0)
        return -1;
    struct lines_collector *self = x_calloc(1, sizeof *self);
    self->job = job;
    if (gpu_context(&self->context, problem) < 0) {
        free(self);
        return -1;
    }
    *opened = self;
    return 0;
}

/* Which counters the chip has. */
static void choose_counters(struct lines_collector *self, const char *chip)
{
    for (enum line_counter counter = 0; counter < LINE_COUNTERS; counter++) {
        const char *name = line_counter_metric(counter);
        CUpti_SassMetrics_GetProperties_Params params = {
            .structSize = CUpti_SassMetrics_GetProperties_Params_STRUCT_SIZE,
            .pChipName = chip,
            .pMetricName = name,
        };
        if (cuptiSassMetricsGetProperties(&params) != CUPTI_SUCCESS)
            continue;
        self->counted |= 1u << counter;
        size_t known = 0;
        while (known < self->count && self->configs[known].metricId != params.metric.metricId)
            known++;
        if (known < self->count)
            continue;
        self->counters[known] = counter;
        self->configs[self->count++] = (CUpti_SassMetrics_Config){
            .metricId = params.metric.metricId,
            .outputGranularity = CUPTI_SASS_METRICS_OUTPUT_GRANULARITY_GPU,
        };
    }
}

/* All from starting the profiler on, because a launch in between spoils it. */
static void begin(void *data)
{
    struct lines_collector *self = data;
    CUpti_Profiler_Initialize_Params start = {.structSize = CUpti_Profiler_Initialize_Params_STRUCT_SIZE};
    CUpti_Device_GetChipName_Params chip = {.structSize = CUpti_Device_GetChipName_Params_STRUCT_SIZE};
    CUpti_SassMetricsSetConfig_Params config = {.structSize = CUpti_SassMetricsSetConfig_Params_STRUCT_SIZE};
    CUpti_SassMetricsEnable_Params enable = {
        .structSize = CUpti_SassMetricsEnable_Params_STRUCT_SIZE,
        .ctx = self->context,
        .enableLazyPatching = 1,
    };
    struct problem *problem = &self->problem;
    if (cuda_check("waiting", cuCtxSynchronize(), problem) < 0 ||
        cupti_check("starting CUPTI's profiler", cuptiProfilerInitialize(&start), problem) < 0 ||
        cupti_check("asking for the chip's name", cuptiDeviceGetChipName(&chip), problem) < 0)
        return;
    choose_counters(self, chip.pChipName);
    if (self->count == 0) {
        problem_set(problem, "chip %s has none of the counters by instruction", chip.pChipName);
        return;
    }
    config.numOfMetricConfig = self->count;
    config.pConfigs = self->configs;
    self->enabled =
        cupti_check("choosing the counters by instruction", cuptiSassMetricsSetConfig(&config), problem) == 0 &&
        cupti_check("counting by instruction", cuptiSassMetricsEnable(&enable), problem) == 0;
}

/* Launches the variant once, with counting from the function on that comes after job->skip launches. */
static int launch(struct lines_collector *self, const struct workload *workload, struct problem *problem)
{
    if (workload_restore(workload, problem) < 0 || workload_settle(workload, problem) < 0 ||
        launch_log_open(&self->log, problem) < 0)
        return -1;
    self->log.count = 0;
    self->log.recording = true;
    problem_set(&self->problem, "the function was not launched again");
    if (self->job->skip == 0)
        begin(self);
    else if (launch_log_after(&self->log, self->job->skip, begin, self, problem) < 0)
        return -1;
    const int run = workload_run(workload, problem);
    self->log.recording = false;
    if (run < 0)
        return -1;
    return self->enabled ? 0 : problem_set(problem, "%s", self->problem.text);
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
static size_t gather(const struct lines_collector *self, const CUpti_SassMetrics_Data *records, size_t count,
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
    if (gathered > 0)
        qsort(list, gathered, sizeof *list, by_function_and_offset);
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

static double count_of(const struct lines_collector *self, const struct instruction *instruction,
                       enum line_counter counter)
{
    for (size_t c = 0; c < self->count; c++)
        if (strcmp(line_counter_metric(self->counters[c]), line_counter_metric(counter)) == 0)
            return instruction->counts[c];
    return 0;
}

static void add_instruction(const struct lines_collector *self, const struct instruction *instruction,
                            const struct images *images, struct profile *profile)
{
    unsigned number = 0;
    const CUpti_SassMetrics_Data *record = instruction->record;
    char *file = image_line(images, record->cubinCrc, record->functionName, record->pcOffset, &number);
    struct profile_line *line = profile_add(profile, record->functionName, file, number, record->pcOffset);
    const bool stores = count_of(self, instruction, LINE_GLOBAL_STORES) > 0;
    for (enum line_counter counter = 0; counter < LINE_COUNTERS; counter++) {
        const enum line_kind kind = line_counter_kind(counter);
        if (kind == LINE_ANY || (kind == LINE_OF_STORES) == stores)
            line->counts[counter] += count_of(self, instruction, counter);
    }
    free(file);
}

static int add_records(const struct lines_collector *self, const CUpti_SassMetrics_Data *records, size_t count,
                       struct profile *profile, struct problem *problem)
{
    struct images images;
    if (images_open(&images, self->job->library, problem) < 0)
        return -1;
    struct instruction *list = x_calloc(count, sizeof *list);
    const size_t gathered = gather(self, records, count, list);
    for (size_t i = 0; i < gathered; i++)
        add_instruction(self, &list[i], &images, profile);
    profile->counted = self->counted;
    free(list);
    images_close(&images);
    return 0;
}

static int flush(const struct lines_collector *self, struct profile *profile, struct problem *problem)
{
    CUpti_SassMetricsGetDataProperties_Params size = {
        .structSize = CUpti_SassMetricsGetDataProperties_Params_STRUCT_SIZE,
        .ctx = self->context,
    };
    if (cupti_check("sizing the counts by instruction", cuptiSassMetricsGetDataProperties(&size), problem) < 0)
        return -1;
    const size_t count = size.numOfPatchedInstructionRecords;
    if (count == 0 || size.numOfInstances != 1)
        return problem_set(problem, "CUPTI has no counts by instruction");
    CUpti_SassMetrics_Data *records = x_calloc(count, sizeof *records);
    CUpti_SassMetrics_InstanceValue *values = x_calloc(count, sizeof *values);
    for (size_t i = 0; i < count; i++) {
        records[i].structSize = sizeof *records;
        records[i].pInstanceValues = &values[i];
    }
    CUpti_SassMetricsFlushData_Params params = {
        .structSize = CUpti_SassMetricsFlushData_Params_STRUCT_SIZE,
        .ctx = self->context,
        .numOfPatchedInstructionRecords = count,
        .numOfInstances = 1,
        .pMetricsData = records,
    };
    int failed = cupti_check("reading the counts by instruction", cuptiSassMetricsFlushData(&params), problem);
    if (failed == 0)
        failed = add_records(self, records, count, profile, problem);
    /* The names stay: CUPTI does not say whether records share them, and the process is about to end. */
    free(values);
    free(records);
    return failed;
}

static int lines_measure(void *opened, const struct workload *workload, struct result *result, struct problem *problem)
{
    struct lines_collector *self = opened;
    if (workload->transfer)
        return problem_set(problem, "it launches no kernel");
    if (launch(self, workload, problem) < 0 || flush(self, &result->profile, problem) < 0)
        return -1;
    launch_log_hand_over(&self->log, result);
    return 0;
}

static void lines_close(void *opened)
{
    struct lines_collector *self = opened;
    launch_log_close(&self->log);
    free(self);
}

const struct collector cupti_line_counts_collector = {lines_open, lines_measure, lines_close};
