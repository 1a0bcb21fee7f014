/* PC sampling. A kernel that runs between Start and Stop has samples at its first four instructions: blocks x (1 + the
 * place) of warps that wait for memory, and blocks of such that issue. As the real one: a reason stands once more for
 * cycles in which nothing issued, and one is of the sampling itself; kernels of others are sampled as well; what is
 * sampled last comes with Disable, in the buffer of the configuration, and nothing does without such a buffer. */
#include "profiler.h"

#include <cupti_pcsampling.h>

enum { PLACES = 4, BYTES = 16, AT_ONCE = 3 };

static const struct {
    uint32_t index;
    const char *name;
    unsigned fixed, blocks, blocks_by_place; /* samples */
} reasons[] = {
    {7, "smsp__pcsamp_warps_issue_stalled_long_scoreboard", 0, 1, 1},
    {8, "smsp__pcsamp_warps_issue_stalled_long_scoreboard_not_issued", 77, 0, 0},
    {11, "smsp__pcsamp_warps_issue_stalled_selected", 0, 1, 0},
    {12, "smsp__pcsamp_sample_buffer_full", 99, 0, 0},
    {13, "smsp__pcsamp_warps_issue_stalled_barrier", 0, 0, 0},
};

enum { REASONS = sizeof reasons / sizeof *reasons };

struct place {
    char *function;
    uint64_t crc, offset;
    unsigned blocks;
};

static struct {
    bool enabled, running;
    CUpti_PCSamplingData *rest; /* where the last ones go */
    struct place *list;         /* nobody has fetched them yet */
    size_t count;
    size_t kept; /* of them: before the last Start */
} self;

static void add(const char *function, uint64_t crc, unsigned blocks, uint64_t offset)
{
    self.list = realloc(self.list, (self.count + 1) * sizeof *self.list); /* NULL: a crash is clear */
    self.list[self.count++] = (struct place){strdup(function), crc, offset, blocks};
}

void sampling_ran(const struct standin_kernel *kernel)
{
    if (!self.running)
        return;
    const uint64_t crc = image_crc(kernel->image, kernel->image_size);
    const unsigned blocks = kernel->grid[0] * kernel->grid[1] * kernel->grid[2];
    for (unsigned i = 0; i < PLACES; i++)
        add(kernel->name, crc, blocks, (uint64_t)i * BYTES);
    add("somebody_else", crc, blocks, 0);
}

/* Hands over the first `count` of what is there. */
static void hand_over(CUpti_PCSamplingData *data, size_t count)
{
    count = count < data->collectNumPcs ? count : data->collectNumPcs;
    for (size_t i = 0; i < count; i++) {
        CUpti_PCSamplingPCData *place = &data->pPcData[i];
        place->cubinCrc = self.list[i].crc;
        place->pcOffset = self.list[i].offset;
        place->functionName = self.list[i].function;
        place->stallReasonCount = REASONS;
        for (size_t r = 0; r < REASONS; r++) {
            place->stallReason[r].pcSamplingStallReasonIndex = reasons[r].index;
            place->stallReason[r].samples =
                reasons[r].fixed +
                self.list[i].blocks *
                    (reasons[r].blocks + reasons[r].blocks_by_place * (unsigned)(self.list[i].offset / BYTES));
        }
    }
    self.count -= count;
    self.kept -= count < self.kept ? count : self.kept;
    memmove(self.list, self.list + count, self.count * sizeof *self.list);
    data->totalNumPcs = count;
}

CUptiResult CUPTIAPI cuptiPCSamplingEnable(CUpti_PCSamplingEnableParams *params)
{
    REFUSE(!params->ctx || self.enabled, CUPTI_ERROR_INVALID_OPERATION);
    self.enabled = true;
    return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiPCSamplingSetConfigurationAttribute(CUpti_PCSamplingConfigurationInfoParams *params)
{
    for (size_t i = 0; i < params->numAttributes; i++) {
        const CUpti_PCSamplingConfigurationInfo *info = &params->pPCSamplingConfigurationInfo[i];
        if (info->attributeType == CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_DATA_BUFFER)
            self.rest = info->attributeData.samplingDataBufferData.samplingDataBuffer;
        else if (info->attributeType == CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_PERIOD &&
                 (info->attributeData.samplingPeriodData.samplingPeriod < 5 ||
                  info->attributeData.samplingPeriodData.samplingPeriod > 31))
            return CUPTI_ERROR_INVALID_OPERATION;
    }
    return self.enabled ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_OPERATION;
}

CUptiResult CUPTIAPI cuptiPCSamplingGetNumStallReasons(CUpti_PCSamplingGetNumStallReasonsParams *params)
{
    *params->numStallReasons = REASONS;
    return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiPCSamplingGetStallReasons(CUpti_PCSamplingGetStallReasonsParams *params)
{
    for (size_t i = 0; i < params->numStallReasons && i < REASONS; i++) {
        params->stallReasonIndex[i] = reasons[i].index;
        snprintf(params->stallReasons[i], CUPTI_STALL_REASON_STRING_SIZE, "%s", reasons[i].name);
    }
    return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiPCSamplingStart(CUpti_PCSamplingStartParams *params)
{
    (void)params;
    self.kept = self.count;
    self.running = self.enabled && self.rest;
    return self.enabled ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_OPERATION;
}

CUptiResult CUPTIAPI cuptiPCSamplingStop(CUpti_PCSamplingStopParams *params)
{
    (void)params;
    self.running = false;
    return CUPTI_SUCCESS;
}

/* A few at a time; of the last launch it knows nothing yet. */
CUptiResult CUPTIAPI cuptiPCSamplingGetData(CUpti_PCSamplingGetDataParams *params)
{
    CUpti_PCSamplingData *data = params->pcSamplingData;
    REFUSE(data == self.rest, CUPTI_ERROR_INVALID_PARAMETER);
    hand_over(data, self.kept < AT_ONCE ? self.kept : AT_ONCE);
    data->remainingNumPcs = self.kept;
    return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiPCSamplingDisable(CUpti_PCSamplingDisableParams *params)
{
    (void)params;
    REFUSE(!self.enabled, CUPTI_ERROR_INVALID_OPERATION);
    if (self.rest)
        hand_over(self.rest, self.count);
    self.enabled = false;
    return CUPTI_SUCCESS;
}
