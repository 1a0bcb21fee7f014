/* Programs that differ in the memory that their launches reach. To add a kind: a function and a row of `kinds`. */
#include "made_program.h"

#include <stdbool.h>
#include <stdint.h>

enum { BYTES = NUMBERS * sizeof(int), PIECE = 2 << 20 };

static CUdeviceptr allocate(size_t size)
{
    CUdeviceptr memory;
    MUST(cuMemAlloc(&memory, size));
    return memory;
}

/* Writes a pointer into the first eight bytes of the numbers. */
static void point(const struct gpu *gpu, CUdeviceptr to)
{
    MUST(cuMemcpyHtoD(gpu->numbers, &to, sizeof to));
}

/* A kind that takes no more than this. */
#define USE(kind, ...)                                                                                                 \
    static void use_##kind(struct gpu *gpu)                                                                            \
    {                                                                                                                  \
        __VA_ARGS__;                                                                                                   \
    }

USE(device, launch(gpu, "add_one", 64, 256))
USE(async, MUST(cuMemAllocAsync(&gpu->numbers, BYTES, NULL)); launch(gpu, "add_one", 64, 256))

static void use_managed(struct gpu *gpu)
{
    MUST(cuMemAllocManaged(&gpu->numbers, BYTES, CU_MEM_ATTACH_GLOBAL));
    MUST(cuMemsetD32(gpu->numbers, 7, NUMBERS));
    launch(gpu, "add_one", 64, 256);
}

static void use_pinned(struct gpu *gpu)
{
    void *memory;
    MUST(cuMemHostAlloc(&memory, BYTES, 0));
    memset(memory, 1, BYTES);
    gpu->numbers = (CUdeviceptr)(uintptr_t)memory;
    launch(gpu, "add_one", 64, 256);
}

/* The numbers lie in two pieces of mapped memory. */
static void use_mapped(struct gpu *gpu)
{
    const CUmemAllocationProp what = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                      .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE}};
    const CUmemAccessDesc access = {what.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    CUdeviceptr memory;
    MUST(cuMemAddressReserve(&memory, 2 * PIECE, 0, 0, 0));
    for (unsigned i = 0; i < 2; i++) {
        CUmemGenericAllocationHandle handle;
        MUST(cuMemCreate(&handle, PIECE, &what, 0));
        MUST(cuMemMap(memory + i * PIECE, PIECE, 0, handle, 0));
        MUST(cuMemSetAccess(memory + i * PIECE, PIECE, &access, 1));
    }
    gpu->numbers = memory + PIECE - BYTES / 2;
    launch(gpu, "add_one", 64, 256);
}

/* A pointer in memory is to what was freed, and nobody follows it. */
static void use_freed(struct gpu *gpu)
{
    const CUdeviceptr gone = allocate(64 << 10);
    point(gpu, gone);
    MUST(cuMemFree(gone));
    launch(gpu, "add_one", 64, 256);
}

static void use_behind(struct gpu *gpu)
{
    struct gpu end = *gpu;
    end.numbers += BYTES;
    MUST(launch_numbers(&end, "behind", 0, NUMBERS));
}

static void use_linked(struct gpu *gpu)
{
    const CUdeviceptr other = allocate(64 << 10);
    MUST(cuMemsetD32(other, 5, NUMBERS));
    point(gpu, other);
    launch(gpu, "linked", 1, 256);
}

/* Three launches on the same inputs, which also count themselves. */
static void use_counted(struct gpu *gpu)
{
    enum { PAGE = 64 << 10 };
    gpu->numbers = allocate(3 * (size_t)PAGE);
    MUST(cuMemsetD32(gpu->numbers, 0, 3 * PAGE / sizeof(int)));
    MUST(cuMemsetD32(gpu->numbers + PAGE, 5, NUMBERS));
    for (unsigned i = 0; i < 3; i++)
        launch(gpu, "counted", 1, 256);
}

/* The same, all in one page. */
static void use_counted_close(struct gpu *gpu)
{
    gpu->numbers = allocate(64 << 10);
    MUST(cuMemsetD32(gpu->numbers, 0, (64 << 10) / sizeof(int)));
    MUST(cuMemsetD32(gpu->numbers + 512, 5, 100));
    for (unsigned i = 0; i < 3; i++)
        MUST(launch_numbers(gpu, "counted", 100, 3));
}

/* Indices into numbers that are all the same. */
static void use_gather(struct gpu *gpu)
{
    enum { PAGE = 64 << 10 };
    gpu->numbers = allocate(3 * (size_t)PAGE);
    MUST(cuMemsetD32(gpu->numbers, 9, PAGE / sizeof(int)));
    MUST(cuMemsetD32(gpu->numbers + PAGE, 5, PAGE / sizeof(int)));
    MUST(cuMemsetD32(gpu->numbers + 2 * PAGE, 0, PAGE / sizeof(int)));
    launch(gpu, "gather", 1, 256);
}

enum { FAR = 64 << 20 };

/* The kernel finds memory of that size that nobody sees it reach; a large one is far from all other. */
static void hide(struct gpu *gpu, size_t size, int value)
{
    const CUdeviceptr other = allocate(size);
    MUST(cuMemsetD32(other, 5, NUMBERS));
    point(gpu, ~other);
    MUST(launch_numbers(gpu, "hidden", NUMBERS, value));
}

USE(hidden, hide(gpu, FAR, 0))

/* What is mapped beside its numbers in a replay. */
USE(hidden_near, hide(gpu, 64 << 10, 0))
USE(hidden_hang, hide(gpu, FAR, 1))
USE(hidden_crash, hide(gpu, FAR, 2))

/* Of two launches the second writes what is there already. */
USE(again, launch(gpu, "settle", 1, 256); launch(gpu, "settle", 1, 256))

/* What varies is in one of so many pages behind the first two, which are changed as well. */
static void make_noise(struct gpu *gpu, unsigned more)
{
    const size_t size = (more + 2) * ((size_t)64 << 10);
    gpu->numbers = allocate(size);
    MUST(cuMemsetD32(gpu->numbers, 0, size / sizeof(int)));
    MUST(cuMemsetD32(gpu->numbers + sizeof(int), more, 1));
    launch(gpu, "noise", 1, 32);
}

USE(noise, make_noise(gpu, 0))
USE(noise_beside, make_noise(gpu, 14))

/* More than is kept of a launch. */
USE(vast, gpu->numbers = allocate((size_t)9 << 30); launch(gpu, "add_one", 64, 256))

static void use_other(struct gpu *gpu)
{
    struct gpu other;
    gpu_open(&other, 1);
    MUST(cuCtxSetCurrent(gpu->context));
    gpu->numbers = other.numbers;
    launch(gpu, "add_one", 64, 256);
}

/* Two megabytes, of which no two pages are the same. */
static void use_filled(struct gpu *gpu)
{
    gpu->numbers = allocate(PIECE);
    for (unsigned i = 0; i < PIECE / BYTES; i++)
        MUST(cuMemsetD32(gpu->numbers + i * BYTES, i + 1, NUMBERS));
    launch(gpu, "add_one", 64, 256);
}

static const struct {
    const char *kind;
    void (*use)(struct gpu *gpu);
    bool repeats; /* its numbers are the same in each process: they hold no address */
} kinds[] = {
    {"device", use_device, true},
    {"async", use_async, true},
    {"managed", use_managed, true},
    {"pinned", use_pinned, true},
    {"mapped", use_mapped, true},
    {"filled", use_filled, true},
    {"again", use_again, true},
    {"freed", use_freed, false},
    {"behind", use_behind, true},
    {"linked", use_linked, false},
    {"counted", use_counted, true},
    {"counted-close", use_counted_close, true},
    {"gather", use_gather, true},
    {"noise", use_noise, false},
    {"noise-beside", use_noise_beside, false},
    {"vast", use_vast, true},
    {"other-gpu", use_other, true},
    {"hidden", use_hidden, false},
    {"hidden-near", use_hidden_near, false},
    {"hidden-hang", use_hidden_hang, false},
    {"hidden-crash", use_hidden_crash, false},
};

/* Launches on memory of that kind, mostly once, and something else before and after it. */
static int memory(int argc, char **argv)
{
    struct gpu gpu, used;
    gpu_open(&gpu, 0);
    launch(&gpu, "large", 2, 64);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (argc == 0 || strcmp(kinds[i].kind, argv[0]) != 0)
            continue;
        gpu_use(&used, gpu.context, _binary_kernels_cubin_start);
        kinds[i].use(&used);
        const int sum = kinds[i].repeats ? gpu_sum(&used) : 0;
        launch(&gpu, "large", 1, 64);
        printf("memory %s: sum %d and %d\n", argv[0], gpu_sum(&gpu), sum);
        gpu_close(&gpu);
        return 0;
    }
    fprintf(stderr, "program: there is no memory of that kind; see made_memory.c\n");
    return 2;
}

const struct program programs_of_memory[] = {
    {"memory", "KIND: launches on memory of that kind (made_memory.c), and one before and after", .run = memory},
    {0},
};
