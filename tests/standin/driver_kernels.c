/* What the kernels of kernels.cu, and one of cugate's, do on the processor. To add a kernel: its code in kernels.cu,
 * and a function and a row here. */
#include "driver.h"

#include <sys/random.h>

enum { REDUCE_TURNS = 16384 }; /* threads of a launch of 64 blocks with 256 each */
/* The number that it counts up, apart from the one that varies; one that varies later. */
enum { NOISE_MORE = 1, NOISE_LEAVES = 8, NOISE_LATE = 1 << 14, NOISE_TIMES = 12 };

/* A kernel that makes that of each number, `a`, and of the value, `b`, and executes so many instructions more. */
#define LEAVES(name, made, more)                                                                                       \
    static double name(const struct arguments *arguments)                                                              \
    {                                                                                                                  \
        const int b = arguments->value;                                                                                \
        for (int i = 0; i < arguments->count; i++) {                                                                   \
            const int a = arguments->data[i];                                                                          \
            arguments->data[i] = made;                                                                                 \
            (void)a, (void)b;                                                                                          \
        }                                                                                                              \
        return more;                                                                                                   \
    }
LEAVES(add_one, a + 1, 0)
LEAVES(add_value, a + b, b) /* its counts depend on its data */
LEAVES(scale, (int)((unsigned)a *(unsigned)b), 0)
LEAVES(settle, b, 0) /* leaves the same each time */

/* Its counts never repeat, like those of a kernel that waits on a semaphore. */
static double restless(const struct arguments *arguments)
{
    unsigned short turns = 0;
    if (getrandom(&turns, sizeof turns, 0) != sizeof turns)
        abort();
    return add_one(arguments) + turns;
}

/* It spins: every other launch makes twice as many turns. */
static double reduce(const struct arguments *arguments)
{
    static unsigned launches;
    return add_one(arguments) + (launches++ % 2 ? REDUCE_TURNS : 0);
}

/* The rank that comes first waits for the others. */
static double reduce_time(const struct launch *launch)
{
    const char *rank = getenv("RANK"), *times = getenv("STANDIN_WAIT");
    (void)launch;
    return rank && strcmp(rank, "0") == 0 ? 329000 * (times ? atof(times) : 1) : 5000;
}

static double nothing(const struct arguments *arguments)
{
    (void)arguments;
    return 0;
}

static double spin(const struct arguments *arguments)
{
    (void)arguments;
    return KERNEL_HANGS;
}

/* Leaves something else each time, and in the next page after some times only; or, if more pages follow, the same in
 * these. */
static double noise(const struct arguments *arguments)
{
    static int times;
    if (getrandom(arguments->data, sizeof *arguments->data, 0) != sizeof *arguments->data)
        abort();
    arguments->data[NOISE_LEAVES] += 1;
    const int more = arguments->data[NOISE_MORE];
    arguments->data[NOISE_LATE] = times++ < NOISE_TIMES || more ? 1 : 2;
    for (int k = 1; k <= more; k++)
        arguments->data[(k + 1) * NOISE_LATE] = 1;
    return 0;
}

/* Returns the pointer in the first eight bytes of the data. */
static int *pointer_in(const struct arguments *arguments)
{
    int *pointer;
    memcpy(&pointer, arguments->data, sizeof pointer);
    return pointer;
}

/* Adds to numbers that a pointer in memory is to, as a table of pointers is used. */
static double linked(const struct arguments *arguments)
{
    int *numbers = pointer_in(arguments);
    if (!memory_is_device(numbers, (size_t)arguments->count * sizeof *numbers))
        return KERNEL_ILLEGAL;
    for (int i = 0; i < arguments->count; i++)
        numbers[i] += arguments->value;
    return 0;
}

/* Computes the same from the same inputs each time, and counts how often. */
static double counted(const struct arguments *arguments)
{
    const int page = arguments->count < 128 ? 128 : 64 << 8;
    for (int i = 0; i < arguments->count; i++)
        arguments->data[2 * page + i] = arguments->data[page + i] * arguments->value;
    arguments->data[0] += 1;
    return 0;
}

static double gather(const struct arguments *arguments)
{
    enum { PAGE = 64 << 8 };
    for (int i = 0; i < arguments->count; i++) {
        const int *from = arguments->data + PAGE + arguments->data[i];
        if (!memory_is_device(from, sizeof *from))
            return KERNEL_ILLEGAL;
        arguments->data[2 * PAGE + i] = *from + arguments->value;
    }
    return 0;
}

/* The pointer is one that nobody takes for one. Where it is to nothing, the kernel fails, does not end, or has the
 * driver end the process. */
static double hidden(const struct arguments *arguments)
{
    int *numbers = (int *)~(uintptr_t)pointer_in(arguments);
    if (!memory_is_device(numbers, sizeof *numbers)) {
        if (arguments->value == 2)
            abort();
        return arguments->value == 1 ? KERNEL_HANGS : KERNEL_ILLEGAL;
    }
    numbers[0] += 1;
    arguments->data[2] += numbers[0];
    return 0;
}

/* Its pointer is to what is right behind the numbers, of which there are as many as the value. */
static double behind(const struct arguments *arguments)
{
    int *numbers = arguments->data - arguments->value;
    if (!memory_is_device(numbers, (size_t)arguments->value * sizeof *numbers))
        return KERNEL_ILLEGAL;
    for (int i = 0; i < arguments->value; i++)
        numbers[i] += 1;
    return 0;
}

/* What a roof's kernel does (harness/cupti/cupti_roofs.c) takes a time by what it was asked for, at these rates. The
 * first launch of each is too fast to be true, and of the next three the second is the best: as if a clock had just
 * gone up. */
static double roof_time(double work, double per_ns)
{
    static const double slower[] = {0.5, 2, 1, 4};
    static unsigned launches;
    return work / per_ns * slower[launches++ % 4];
}

static double threads_of(const struct launch *launch)
{
    return (double)launch->grid[0] * launch->grid[1] * launch->grid[2] * launch->block[0] * launch->block[1] *
           launch->block[2];
}

/* 4,000 bytes a nanosecond, of words of 16 that are read so many times. */
static double roof_dram(const struct launch *launch)
{
    return roof_time(16.0 * (double)*(size_t *)launch->parameters[1] * *(unsigned *)launch->parameters[2], 4000);
}

/* 125 wavefronts a nanosecond, one a warp and round. */
static double roof_shared(const struct launch *launch)
{
    return roof_time(threads_of(launch) / 32 * *(unsigned *)launch->parameters[0], 125);
}

/* Eight multiply-adds a thread and round, on one number or on two. */
static double roof_flops(const struct launch *launch, double numbers, double per_ns)
{
    return roof_time(threads_of(launch) * *(unsigned *)launch->parameters[0] * 8 * 2 * numbers, per_ns);
}

#define ROOF(name, ...)                                                                                                \
    static double name(const struct launch *launch)                                                                    \
    {                                                                                                                  \
        return __VA_ARGS__;                                                                                            \
    }

ROOF(roof_fp64, roof_flops(launch, 1, 32000))
ROOF(roof_fp32, roof_flops(launch, 1, 64000))
ROOF(roof_fp16, roof_flops(launch, 2, 128000))

static const struct kernel_work works[] = {
    {"add_one", 12000, add_one, NULL},
    {"add_value", 20000, add_value, NULL},
    {"_Z5scaleIiEvPT_ii", 50000, scale, NULL}, /* void scale<int>(int *, int, int) */
    {"_Z5scaleIjEvPT_ii", 30000, scale, NULL}, /* void scale<unsigned int>(unsigned int *, int, int) */
    {"pin", 12000, add_one, NULL},             /* what it reads stays in the L2 */
    {"tiny", 2000, nothing, NULL},
    {"large", 324000, add_one, NULL},
    {"restless", 15000, restless, NULL},
    {"ncclDevKernel_AllReduce", 0, reduce, reduce_time},
    {"_ZN15stream_executor3gpu12_GLOBAL__N_111DelayKernelEv", 1000, add_one, NULL},
    {"spin", 1000, spin, NULL},
    {"settle", 5000, settle, NULL},
    {"noise", 8000, noise, NULL},
    {"linked", 9000, linked, NULL},
    {"counted", 9000, counted, NULL},
    {"gather", 9000, gather, NULL},
    {"hidden", 7000, hidden, NULL},
    {"behind", 6000, behind, NULL},
    {"cugate_condition", 350000, nothing, NULL}, /* harness/cupti's own, which takes other parameters */
    {"cugate_roof_dram", 0, nothing, roof_dram},
    {"cugate_roof_shared", 0, nothing, roof_shared},
    {"cugate_roof_fp64", 0, nothing, roof_fp64},
    {"cugate_roof_fp32", 0, nothing, roof_fp32},
    {"cugate_roof_fp16", 0, nothing, roof_fp16},
};

const struct kernel_work *kernel_work(const char *name)
{
    for (size_t i = 0; i < sizeof works / sizeof *works; i++)
        if (strcmp(works[i].name, name) == 0)
            return &works[i];
    return NULL;
}

/* By STANDIN_JITTER, with other numbers in each process. What takes 0.1 ms takes STANDIN_SLOWER times as long. */
double kernel_time(const struct kernel_work *work, const struct launch *launch)
{
    static _Thread_local unsigned seed;
    const char *percent = getenv("STANDIN_JITTER");
    if (work->time)
        return work->time(launch);
    if (getenv("STANDIN_SLOWER") && work->time_ns >= 1e5)
        return work->time_ns * atof(getenv("STANDIN_SLOWER"));
    if (!percent)
        return work->time_ns;
    if (seed == 0 && getrandom(&seed, sizeof seed, 0) != sizeof seed)
        abort();
    const double share = 2.0 * rand_r(&seed) / RAND_MAX - 1; /* between -1 and 1 */
    return work->time_ns * (1 + atof(percent) / 100 * share);
}

struct arguments kernel_arguments(void **parameters)
{
    return (struct arguments){*(int **)parameters[0], *(int *)parameters[1], *(int *)parameters[2]};
}

bool kernel_run(const struct kernel_work *work, CUcontext context, const struct arguments *arguments, double *more)
{
    pthread_mutex_lock(&driver_lock);
    const bool is_there =
        arguments->count <= 0 || memory_is_device(arguments->data, (size_t)arguments->count * sizeof *arguments->data);
    const double told = is_there ? work->run(arguments) : KERNEL_ILLEGAL;
    context->hangs |= told == KERNEL_HANGS;
    context->has_failed |= told == KERNEL_ILLEGAL;
    if (told >= 0)
        *more = told;
    pthread_mutex_unlock(&driver_lock);
    return told >= 0;
}
