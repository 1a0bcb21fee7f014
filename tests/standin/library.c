/* A kernel library on the stand-in, for CUPTI's collector. The name of a family says what happens to its second
 * variant; the others are well. In each process a kernel is launched once to be verified, once to learn what it
 * launches, and then to be measured. */
#include "cugate/kernel.h"

#include "made_program.h"

#include <signal.h>
#include <stdbool.h>
#include <unistd.h>

enum { FIRST_MEASURED = 3 };

struct state {
    struct gpu gpu;
    int launches; /* launches of the second variant */
};

static int open_gpu(const struct cugate_family *self, void **state)
{
    (void)self;
    struct state *opened = calloc(1, sizeof *opened);
    if (!opened)
        return CUDA_ERROR_OUT_OF_MEMORY;
    gpu_open(&opened->gpu, 0);
    *state = opened;
    return 0;
}

static int open_with(void **state, const char *cubin)
{
    const int opened = open_gpu(NULL, state);
    if (opened)
        return opened;
    struct state *self = *state;
    gpu_close(&self->gpu);
    gpu_use(&self->gpu, self->gpu.context, cubin);
    return 0;
}

/* Another kernel of that name. */
static int open_other(const struct cugate_family *self, void **state)
{
    (void)self;
    return open_with(state, _binary_other_cubin_start);
}

/* The same kernels, without their lines. */
static int open_unlined(const struct cugate_family *self, void **state)
{
    (void)self;
    return open_with(state, _binary_unlined_cubin_start);
}

static int carve_out(void)
{
    return (int)cuCtxSetLimit(CU_LIMIT_PERSISTING_L2_CACHE_SIZE, 2 << 20);
}

static int open_carved(const struct cugate_family *self, void **state)
{
    const int opened = open_gpu(self, state);
    return opened ? opened : carve_out();
}

static void close_gpu(void *state)
{
    struct state *opened = state;
    gpu_close(&opened->gpu);
    free(opened);
}

static int restore(void *state)
{
    const struct state *opened = state;
    int numbers[NUMBERS];
    for (int i = 0; i < NUMBERS; i++)
        numbers[i] = i;
    return (int)cuMemcpyHtoD(opened->gpu.numbers, numbers, sizeof numbers);
}

static int start(void *state, const char *kernel, unsigned blocks, unsigned threads)
{
    const struct state *opened = state;
    return (int)try_launch(&opened->gpu, kernel, blocks, threads, NULL);
}

#define LAUNCH(name, ...)                                                                                              \
    static int launch_##name(void *state)                                                                              \
    {                                                                                                                  \
        return __VA_ARGS__;                                                                                            \
    }
LAUNCH(one, start(state, "add_one", 64, 256))
/* Launches three kernels, of which the second has another shape. They leave the same results. */
LAUNCH(three, start(state, "tiny", 1, 32) || start(state, "large", 16, 128) || start(state, "tiny", 1, 32))

/* Every way to launch, and shapes of three dimensions; three launches that are alike, and one with shared memory. */
static int launch_shapes(void *state)
{
    const struct state *opened = state;
    CUfunction tiny;
    CUdeviceptr numbers = opened->gpu.numbers;
    int count = 0, value = 0;
    void *parameters[] = {&numbers, &count, &value};
    const CUlaunchConfig config = {2, 3, 4, 8, 4, 2, 512, NULL, NULL, 0};
    MUST(cuModuleGetFunction(&tiny, opened->gpu.module, "tiny"));
    MUST(cuLaunchKernelEx(&config, tiny, parameters, NULL));
    MUST(cuLaunchCooperativeKernel(tiny, 5, 1, 1, 64, 1, 1, 0, NULL, parameters));
    for (int i = 0; i < 3; i++)
        MUST(try_launch(&opened->gpu, "tiny", 1, 32, NULL));
    MUST(cuLaunchKernel(tiny, 1, 1, 1, 32, 1, 1, 1024, NULL, parameters, NULL));
    return (int)try_launch(&opened->gpu, "add_one", 64, 256, NULL);
}

/* Counts otherwise each time. */
LAUNCH(restless, start(state, "restless", 64, 256))
LAUNCH(pin, start(state, "pin", 64, 256))
/* Sets a carve-out, of which other families find nothing. */
LAUNCH(carve, carve_out() || launch_one(state))

static bool is_measured(void *state)
{
    struct state *opened = state;
    return ++opened->launches >= FIRST_MEASURED;
}

LAUNCH(wrong, start(state, is_measured(state) ? "_Z5scaleIiEvPT_ii" : "add_one", 64, 256))
LAUNCH(more, launch_one(state) || (is_measured(state) && start(state, "tiny", 1, 32)))

static int launch_crash(void *state)
{
    if (is_measured(state))
        raise(SIGKILL);
    return launch_one(state);
}

static int launch_hang(void *state)
{
    while (is_measured(state))
        pause();
    return launch_one(state);
}

static int verify(void *state, const struct cugate_variant *variant, char *why, size_t why_size)
{
    (void)variant;
    const struct state *opened = state;
    const int expected = NUMBERS * (NUMBERS - 1) / 2 + NUMBERS, found = gpu_sum(&opened->gpu);
    if (found == expected)
        return 0;
    snprintf(why, why_size, "the sum is %d, not %d", found, expected);
    return CUGATE_WRONG;
}

static int verify_by_kernel(void *state, const struct cugate_variant *variant, char *why, size_t why_size)
{
    const int launched = start(state, "tiny", 1, 32);
    return launched ? launched : verify(state, variant, why, why_size);
}

static int synchronize(void)
{
    return (int)cuCtxSynchronize();
}

static const char *error_text(int code)
{
    const char *text = NULL;
    cuGetErrorString((CUresult)code, &text);
    return text ? text : "unknown";
}

#define VARIANT(name_, launch_)                                                                                        \
    {                                                                                                                  \
        .name = name_, .doc = name_, .launch = launch_                                                                 \
    }
#define FAMILY(family, launch_, verify_)                                                                               \
    static const struct cugate_variant family##_variants[] = {                                                         \
        VARIANT("first", launch_one), VARIANT("second", launch_), VARIANT("third", launch_one)};                       \
    static const struct cugate_family family = {                                                                       \
        #family, #family, CUGATE_KERNELS, open_gpu, restore, verify_, close_gpu, family##_variants, 3, NULL, NULL}

FAMILY(well, launch_three, verify);
static const struct cugate_variant pin_variants[] = {{"first", "pin", launch_pin, 0, 0, NULL},
                                                     {"second", "pin", launch_pin, 0, 0, NULL}};
static const struct cugate_family pin = {"pin",        "pin", CUGATE_KERNELS, open_carved, restore, verify, close_gpu,
                                         pin_variants, 2,     NULL,           NULL};
FAMILY(carve, launch_carve, verify);
static const struct cugate_family carved = {
    "carved", "carved", CUGATE_KERNELS, open_carved, restore, verify, close_gpu, well_variants, 3, NULL, NULL};
static const struct cugate_family other = {
    "other", "other", CUGATE_KERNELS, open_other, restore, verify, close_gpu, well_variants, 1, NULL, NULL};
static const struct cugate_family unlined = {
    "unlined", "unlined", CUGATE_KERNELS, open_unlined, restore, verify, close_gpu, well_variants, 1, NULL, NULL};
FAMILY(shapes, launch_shapes, verify);
FAMILY(verified_by_kernel, launch_three, verify_by_kernel);
FAMILY(restless, launch_restless, verify);
FAMILY(wrong, launch_wrong, verify);
FAMILY(more, launch_more, verify);
FAMILY(crash, launch_crash, verify);
FAMILY(hang, launch_hang, verify);

/* There are more of these than fit between one Start and Stop. */
static const struct cugate_variant many_variants[] = {
    VARIANT("a", launch_one), VARIANT("b", launch_one), VARIANT("c", launch_one),   VARIANT("d", launch_one),
    VARIANT("e", launch_one), VARIANT("f", launch_one), VARIANT("g", launch_three), VARIANT("h", launch_one),
};
static const struct cugate_family many = {"many",        "many", CUGATE_KERNELS, open_gpu, restore, verify, close_gpu,
                                          many_variants, 8,      NULL,           NULL};

const struct cugate_library *cugate_library(void)
{
    static const struct cugate_family *const families[] = {&carve,    &carved, &pin,     &well,  &verified_by_kernel,
                                                           &restless, &wrong,  &more,    &crash, &hang,
                                                           &many,     &other,  &unlined, &shapes};
    static const struct cugate_library library = {
        CUGATE_KERNEL_ABI, "cc", "", families, sizeof families / sizeof *families, synchronize, error_text,
    };
    return &library;
}
