#include "occupancy.h"

#include "base/base.h"

#include <cuda_occupancy.h>

#define KIB ((size_t)1024)
#define WARP 32
#define BLOCK_THREADS 1024
#define REGISTERS 65536 /* registers of an SM, which is also the limit of a block */

struct sm {
    int capability;
    int threads;           /* threads that can be resident on the SM */
    size_t shared;         /* bytes of shared memory of the SM */
    size_t block_shared;   /* bytes of shared memory that a block may ask for at most */
    size_t block_reserved; /* bytes that the system takes for a block, beyond what it asks for */
};

/* SMs by compute capability, from "Technical Specifications per Compute Capability" in the CUDA C++ Programming Guide
 * 13.0.
 *
 * To add a GPU: a row for its compute capability, once cuda_occupancy.h knows it (block slots and granularities are
 * from there). */
/* clang-format off */
static const struct sm sms[] = {
    { 70, 2048,  96 * KIB,  96 * KIB,       0},
    { 72, 2048,  96 * KIB,  96 * KIB,       0},
    { 75, 1024,  64 * KIB,  64 * KIB,       0},
    { 80, 2048, 164 * KIB, 163 * KIB, 1 * KIB},
    { 86, 1536, 100 * KIB,  99 * KIB, 1 * KIB},
    { 87, 1536, 164 * KIB, 163 * KIB, 1 * KIB},
    { 89, 1536, 100 * KIB,  99 * KIB, 1 * KIB},
    { 90, 2048, 228 * KIB, 227 * KIB, 1 * KIB},
    {100, 2048, 228 * KIB, 227 * KIB, 1 * KIB},
    {103, 2048, 228 * KIB, 227 * KIB, 1 * KIB},
    {120, 1536, 100 * KIB,  99 * KIB, 1 * KIB},
    {121, 1536, 100 * KIB,  99 * KIB, 1 * KIB},
};
/* clang-format on */

static const struct sm *find_sm(int capability)
{
    return FIND(one, sms, ARRAY_SIZE(sms), one->capability == capability);
}

/* Cuts a number to a limit, because cuda_occupancy.h multiplies ints. A launch with numbers that were cut fits on no
 * GPU either way. */
static int at_most(unsigned limit, unsigned number)
{
    return (int)(number < limit ? number : limit);
}

/* Returns what limits the number of blocks. The header forgets its other flags when barriers allow the fewest
 * blocks. */
static unsigned limits_of(const cudaOccResult *result)
{
    const struct {
        enum occupancy_limit limit;
        int blocks;
    } all[] = {
        {OCCUPANCY_THREADS, result->blockLimitWarps},           {OCCUPANCY_REGISTERS, result->blockLimitRegs},
        {OCCUPANCY_SHARED_MEMORY, result->blockLimitSharedMem}, {OCCUPANCY_BLOCKS, result->blockLimitBlocks},
        {OCCUPANCY_BARRIERS, result->blockLimitBarriers},
    };
    unsigned limits = 0;
    for (size_t i = 0; i < ARRAY_SIZE(all); i++)
        if (all[i].blocks == result->activeBlocksPerMultiprocessor)
            limits |= all[i].limit;
    return limits;
}

bool occupancy_of(struct occupancy *occupancy, int capability, const struct occupancy_launch *launch)
{
    *occupancy = (struct occupancy){0};
    const struct sm *sm = find_sm(capability);
    if (!sm || launch->threads == 0)
        return false;
    const cudaOccDeviceProp device = {
        .computeMajor = capability / 10,
        .computeMinor = capability % 10,
        .maxThreadsPerBlock = BLOCK_THREADS,
        .maxThreadsPerMultiprocessor = sm->threads,
        .regsPerBlock = REGISTERS,
        .regsPerMultiprocessor = REGISTERS,
        .warpSize = WARP,
        .sharedMemPerBlock = 48 * KIB,
        .sharedMemPerMultiprocessor = sm->shared,
        .numSms = 1,
        .sharedMemPerBlockOptin = sm->block_shared,
        .reservedSharedMemPerBlock = sm->block_reserved,
    };
    const size_t shared = (size_t)at_most(1u << 20, launch->shared_bytes);
    const cudaOccFuncAttributes function = {
        .maxThreadsPerBlock = BLOCK_THREADS,
        .numRegs = at_most(1024, launch->registers),
        .shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN,
        .maxDynamicSharedSizeBytes = shared,
        .numBlockBarriers = at_most(1024, launch->barriers),
    };
    const cudaOccDeviceState state = {.carveoutConfig = at_most(101, launch->carve_out) - 1}; /* -1: default */
    cudaOccResult result = {0};
    if (cudaOccMaxActiveBlocksPerMultiprocessor(&result, &device, &function, &state,
                                                at_most(2 * BLOCK_THREADS, launch->threads),
                                                shared) != CUDA_OCC_SUCCESS)
        return false;
    /* The header checks the block's size against the device's limit only, not against the launch bounds. */
    if (launch->max_threads > 0 && launch->threads > launch->max_threads)
        result.blockLimitWarps = result.activeBlocksPerMultiprocessor = 0;
    occupancy->blocks = (unsigned)result.activeBlocksPerMultiprocessor;
    occupancy->warps = occupancy->blocks * ((launch->threads + WARP - 1) / WARP);
    occupancy->max_warps = (unsigned)sm->threads / WARP;
    occupancy->percent = 100.0 * occupancy->warps / occupancy->max_warps;
    occupancy->limits = limits_of(&result);
    return true;
}

const char *occupancy_limit_name(enum occupancy_limit limit)
{
    switch (limit) {
    case OCCUPANCY_THREADS:
        return "block size";
    case OCCUPANCY_REGISTERS:
        return "registers";
    case OCCUPANCY_SHARED_MEMORY:
        return "shared memory";
    case OCCUPANCY_BLOCKS:
        return "block slots";
    case OCCUPANCY_BARRIERS:
        return "barriers";
    }
    BUG("%d is not a resource of an SM", (int)limit);
}

const char *occupancy_limits(unsigned limits, char text[OCCUPANCY_WORDS])
{
    size_t used = 0;
    text[0] = '\0';
    for (unsigned limit = OCCUPANCY_THREADS; limit <= OCCUPANCY_BARRIERS; limit *= 2)
        if (limits & limit)
            used += (size_t)snprintf(text + used, OCCUPANCY_WORDS - used, "%s%s", used ? " and " : "",
                                     occupancy_limit_name((enum occupancy_limit)limit));
    return text;
}

unsigned *occupancy_part(struct occupancy_launch *launch, enum occupancy_limit resource)
{
    return resource == OCCUPANCY_REGISTERS       ? &launch->registers
           : resource == OCCUPANCY_SHARED_MEMORY ? &launch->shared_bytes
           : resource == OCCUPANCY_BARRIERS      ? &launch->barriers
                                                 : &launch->threads;
}

/* A launch in which one number is varied. */
struct trial {
    struct occupancy_launch launch;
    unsigned *part; /* the number that is varied: a member of launch */
    int capability;
    unsigned warps; /* warps that fit with the present number */
};

static bool fits_more(struct trial *trial, unsigned number, struct occupancy *occupancy)
{
    *trial->part = number;
    return occupancy_of(occupancy, trial->capability, &trial->launch) && occupancy->warps > trial->warps;
}

/* Returns the largest smaller number with which more warps fit. Fewer resources never allow fewer blocks, so it
 * searches by bisection. */
static unsigned largest_below(struct trial *trial, unsigned present)
{
    struct occupancy occupancy;
    if (present == 0 || !fits_more(trial, 0, &occupancy))
        return present;
    BISECT(above, present, number, fits_more(trial, (unsigned)number, &occupancy));
    return (unsigned)above - 1;
}

/* Returns the next block size with which more warps fit. Each size is tried, since a smaller block may divide the warps
 * of an SM worse. */
static unsigned next_block(struct trial *trial, unsigned present, bool larger)
{
    struct occupancy occupancy;
    for (unsigned i = 1; i <= BLOCK_THREADS / WARP; i++) {
        const unsigned threads = larger ? i * WARP : BLOCK_THREADS + WARP - i * WARP;
        if ((larger ? threads > present : threads < present) && fits_more(trial, threads, &occupancy))
            return threads;
    }
    return present;
}

bool occupancy_step(struct occupancy_step *step, int capability, const struct occupancy_launch *launch,
                    enum occupancy_limit resource)
{
    struct occupancy now;
    *step = (struct occupancy_step){.resource = resource};
    if (!occupancy_of(&now, capability, launch) || now.warps == now.max_warps)
        return false;
    struct trial trial = {.launch = *launch, .capability = capability, .warps = now.warps};
    trial.part = occupancy_part(&trial.launch, resource);
    step->from = *trial.part;
    const bool is_size = trial.part == &trial.launch.threads;
    step->to =
        is_size ? next_block(&trial, step->from, resource == OCCUPANCY_BLOCKS) : largest_below(&trial, step->from);
    return step->to != step->from && fits_more(&trial, step->to, &step->occupancy);
}
