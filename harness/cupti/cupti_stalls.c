/* Samples where warps stand and why they wait, through CUPTI's PC sampling. Each SM notes one of its warps every 2^n
 * cycles, and the kernel runs at full speed. (On an H200 the samples of a kernel, times the period, are its active SM
 * cycles within 2 %.)
 *
 * CUPTI 13.0 on an H200 asks for two things. The configuration's buffer, for what is left at the end, must not be the
 * one that is fetched into, or nothing arrives. The hardware buffer should be much smaller than the usual 512 MB, which
 * takes half a second to make. */
#include "cupti_plugin.h"

#include <cupti_pcsampling.h>

#define REASON_PREFIX "smsp__pcsamp_warps_issue_stalled_"
#define NOT_ISSUED "_not_issued" /* a second count of a reason, for cycles in which no warp at all issued */

enum {
    PLACES = 16384,             /* instructions that are fetched at a time */
    HARDWARE_BUFFER = 64 << 20, /* bytes */
    SCRATCH_BUFFER = 16 << 20,  /* bytes */
    SAMPLES_WANTED = 200,       /* samples of an SM in one launch */
    MIN_PERIOD = 5,             /* CUPTI's limits for n, in 2^n cycles */
    MAX_PERIOD = 31
};

struct stalls_collector {
    const struct job *job;
    CUcontext context;
    struct gpu_condition *condition;
    struct launch_log log;
    unsigned period; /* n, in 2^n cycles */
    size_t reason_count;
    uint32_t *indices;
    char **reasons;
    CUpti_PCSamplingData fetched, rest;
};

static void release_places(CUpti_PCSamplingData *data)
{
    for (size_t i = 0; i < data->collectNumPcs; i++)
        free(data->pPcData[i].stallReason);
    free(data->pPcData);
}

static void make_places(CUpti_PCSamplingData *data, size_t reasons)
{
    *data = (CUpti_PCSamplingData){.size = sizeof *data, .collectNumPcs = PLACES};
    data->pPcData = x_calloc(PLACES, sizeof *data->pPcData);
    for (size_t i = 0; i < PLACES; i++) {
        data->pPcData[i].size = sizeof data->pPcData[i];
        data->pPcData[i].stallReason = x_calloc(reasons, sizeof *data->pPcData[i].stallReason);
    }
}

static void stalls_close(void *opened)
{
    struct stalls_collector *self = opened;
    launch_log_close(&self->log);
    gpu_condition_close(self->condition);
    for (size_t i = 0; i < self->reason_count; i++)
        free(self->reasons[i]);
    free(self->reasons);
    free(self->indices);
    release_places(&self->fetched);
    release_places(&self->rest);
    free(self);
}

static int stalls_open(void **opened, const struct job *job, struct device *device, struct session *session,
                       struct problem *problem)
{
    TRY(gpu_describe(0, device, session, problem));
    struct stalls_collector *self = x_calloc(1, sizeof *self);
    self->job = job;
    if (gpu_context(&self->context, problem) < 0 || gpu_condition_open(&self->condition, problem) < 0 ||
        launch_log_open(&self->log, problem) < 0) {
        stalls_close(self);
        return -1;
    }
    if (job->backend->warm)
        gpu_condition_keep_caches(self->condition);
    *opened = self;
    return 0;
}

/* Does everything that precedes a launch, and waits until nothing is in flight. */
static int prepare(const struct stalls_collector *self, const struct workload *workload, struct problem *problem)
{
    if (workload_restore(workload, problem) < 0 || gpu_condition_apply(self->condition, problem) < 0)
        return -1;
    return workload_wait(workload, problem);
}

/* Chooses a period that gives about SAMPLES_WANTED samples in the time of one launch. Launches made for that are
 * described. */
static int choose_period(struct stalls_collector *self, const struct workload *workload, struct problem *problem)
{
    int kilohertz = 0;
    TRY(cuda_check("reading the SM clock", cuDeviceGetAttribute(&kilohertz, CU_DEVICE_ATTRIBUTE_CLOCK_RATE, 0),
                   problem));
    TRY(prepare(self, workload, problem));
    self->log.recording = true;
    const double begin = now_seconds();
    const int launched = workload_run(workload, problem);
    const double cycles = (now_seconds() - begin) * kilohertz * 1e3;
    self->log.recording = false;
    self->period = MIN_PERIOD;
    while (self->period < MAX_PERIOD && cycles / (double)(1u << self->period) > SAMPLES_WANTED)
        self->period++;
    return launched;
}

static int find_reasons(struct stalls_collector *self, struct problem *problem)
{
    size_t count = 0;
    CUpti_PCSamplingGetNumStallReasonsParams number = {
        .size = CUpti_PCSamplingGetNumStallReasonsParamsSize, .ctx = self->context, .numStallReasons = &count};
    TRY(cupti_check("counting stall reasons", cuptiPCSamplingGetNumStallReasons(&number), problem));
    self->reason_count = count;
    self->indices = x_calloc(count, sizeof *self->indices);
    self->reasons = x_calloc(count, sizeof *self->reasons);
    for (size_t i = 0; i < count; i++)
        self->reasons[i] = x_calloc(CUPTI_STALL_REASON_STRING_SIZE, 1);
    CUpti_PCSamplingGetStallReasonsParams names = {
        .size = CUpti_PCSamplingGetStallReasonsParamsSize,
        .ctx = self->context,
        .numStallReasons = count,
        .stallReasonIndex = self->indices,
        .stallReasons = self->reasons,
    };
    return cupti_check("naming stall reasons", cuptiPCSamplingGetStallReasons(&names), problem);
}

static int configure(struct stalls_collector *self, struct problem *problem)
{
    make_places(&self->fetched, self->reason_count);
    make_places(&self->rest, self->reason_count);
    CUpti_PCSamplingConfigurationInfo settings[] = {
        {.attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_COLLECTION_MODE,
         .attributeData.collectionModeData.collectionMode = CUPTI_PC_SAMPLING_COLLECTION_MODE_CONTINUOUS},
        {.attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_ENABLE_START_STOP_CONTROL,
         .attributeData.enableStartStopControlData.enableStartStopControl = 1},
        {.attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_PERIOD,
         .attributeData.samplingPeriodData.samplingPeriod = self->period},
        {.attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SCRATCH_BUFFER_SIZE,
         .attributeData.scratchBufferSizeData.scratchBufferSize = SCRATCH_BUFFER},
        {.attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_HARDWARE_BUFFER_SIZE,
         .attributeData.hardwareBufferSizeData.hardwareBufferSize = HARDWARE_BUFFER},
        {.attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_OUTPUT_DATA_FORMAT,
         .attributeData.outputDataFormatData.outputDataFormat = CUPTI_PC_SAMPLING_OUTPUT_DATA_FORMAT_PARSED},
        {.attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_DATA_BUFFER,
         .attributeData.samplingDataBufferData.samplingDataBuffer = &self->rest},
    };
    CUpti_PCSamplingConfigurationInfoParams params = {
        .size = CUpti_PCSamplingConfigurationInfoParamsSize,
        .ctx = self->context,
        .numAttributes = ARRAY_SIZE(settings),
        .pPCSamplingConfigurationInfo = settings,
    };
    return cupti_check("setting up PC sampling", cuptiPCSamplingSetConfigurationAttribute(&params), problem);
}

static int start(struct stalls_collector *self, struct problem *problem)
{
    CUpti_PCSamplingEnableParams params = {.size = CUpti_PCSamplingEnableParamsSize, .ctx = self->context};
    TRY(cupti_check("starting PC sampling", cuptiPCSamplingEnable(&params), problem));
    TRY(find_reasons(self, problem));
    return configure(self, problem);
}

/* Returns the name of a stall reason, such as "long_scoreboard". NULL: it is no reason of its own. */
static const char *reason_of(const struct stalls_collector *self, uint32_t index)
{
    for (size_t i = 0; i < self->reason_count; i++) {
        const char *name = self->reasons[i];
        if (self->indices[i] != index)
            continue;
        const size_t length = strlen(name);
        const bool again = length > strlen(NOT_ISSUED) && strcmp(name + length - strlen(NOT_ISSUED), NOT_ISSUED) == 0;
        const bool is_reason = strncmp(name, REASON_PREFIX, strlen(REASON_PREFIX)) == 0;
        return is_reason && !again ? name + strlen(REASON_PREFIX) : NULL;
    }
    return NULL;
}

static bool was_launched(const struct stalls_collector *self, const char *function)
{
    return ANY(i, self->log.list_count, strcmp(self->log.list[i].function, function) == 0);
}

static void add_place(const struct stalls_collector *self, const CUpti_PCSamplingPCData *place,
                      const struct images *images, struct profile *profile)
{
    if (!place->functionName || !was_launched(self, place->functionName))
        return;
    unsigned number = 0;
    OWNED_TEXT file = image_line(images, place->cubinCrc, place->functionName, place->pcOffset, &number);
    struct profile_line *line = profile_add(profile, place->functionName, file, number, (unsigned)place->pcOffset);
    for (size_t i = 0; i < place->stallReasonCount; i++) {
        const char *reason = reason_of(self, place->stallReason[i].pcSamplingStallReasonIndex);
        if (reason && place->stallReason[i].samples > 0)
            profile_line_add_stall(line, reason, place->stallReason[i].samples);
    }
}

/* Takes the samples that are there. CUPTI decodes in a thread of its own, so there may be few yet. The rest comes with
 * a later fetch or at the end. */
static int fetch(struct stalls_collector *self, const struct images *images, struct profile *profile,
                 struct problem *problem)
{
    CUpti_PCSamplingGetDataParams params = {
        .size = CUpti_PCSamplingGetDataParamsSize, .ctx = self->context, .pcSamplingData = &self->fetched};
    do {
        TRY(cupti_check("reading samples", cuptiPCSamplingGetData(&params), problem));
        if (self->fetched.hardwareBufferFull)
            return problem_set(problem, "the sample buffer overflowed");
        for (size_t i = 0; i < self->fetched.totalNumPcs; i++)
            add_place(self, &self->fetched.pPcData[i], images, profile);
    } while (self->fetched.remainingNumPcs > 0);
    return 0;
}

static int sample(struct stalls_collector *self, const struct workload *workload, const struct images *images,
                  struct profile *profile, struct problem *problem)
{
    CUpti_PCSamplingStartParams on = {.size = CUpti_PCSamplingStartParamsSize, .ctx = self->context};
    CUpti_PCSamplingStopParams off = {.size = CUpti_PCSamplingStopParamsSize, .ctx = self->context};
    CUpti_PCSamplingDisableParams end = {.size = CUpti_PCSamplingDisableParamsSize, .ctx = self->context};
    for (int s = 0; s < self->job->samples; s++) {
        if (prepare(self, workload, problem) < 0 || cupti_check("sampling", cuptiPCSamplingStart(&on), problem) < 0 ||
            workload_run(workload, problem) < 0 || cupti_check("sampling", cuptiPCSamplingStop(&off), problem) < 0 ||
            fetch(self, images, profile, problem) < 0)
            return -1;
    }
    TRY(cupti_check("ending PC sampling", cuptiPCSamplingDisable(&end), problem));
    for (size_t i = 0; i < self->rest.totalNumPcs && i < PLACES; i++)
        add_place(self, &self->rest.pPcData[i], images, profile);
    return 0;
}

static int stalls_measure(void *opened, const struct workload *workload, struct result *result, struct problem *problem)
{
    struct stalls_collector *self = opened;
    struct images images;
    if (workload->transfer)
        return problem_set(problem, "it launches no kernel");
    TRY(images_open(&images, self->job->library, problem));
    int failed = -1;
    if (choose_period(self, workload, problem) == 0 && start(self, problem) == 0)
        failed = sample(self, workload, &images, &result->profile, problem);
    images_close(&images);
    TRY(failed);
    result->profile.period = 1u << self->period;
    result->profile.launches = (unsigned)self->job->samples;
    launch_log_hand_over(&self->log, result);
    return 0;
}

static int stalls_on_family(void *opened, bool is_open, struct problem *problem)
{
    const struct stalls_collector *self = opened;
    return gpu_condition_on_family(self->condition, is_open, problem);
}

const struct collector cupti_stalls_collector = {
    .open = stalls_open, .measure = stalls_measure, .on_family = stalls_on_family, .close = stalls_close};
