/* Two runtimes in one process, each with a GPU: what is done by one is nothing to the other. */
#include "cudart/runtime.h"

#include "cudart/cudart.h"
#include "sim/launch_log.h"
#include "sim_support.h"
#include "test.h"

static const char add = 0;
static char variable;

/* A GPU, and an array on it. */
struct side {
    struct runtime *runtime;
    struct launches launches;
    int *array;
};
enum { COUNT = 64 };

static struct side *use(struct side *side)
{
    runtime_use(side->runtime);
    return side;
}

/* Opens both with the same code. Theirs is another array each, and another value of the variable. */
static void open_two(struct side sides[2])
{
    for (int i = 0; i < 2; i++) {
        sides[i] = (struct side){.runtime = runtime_open()};
        use(&sides[i]);
        void **binary = sim_register(
            "__device__ int more;\n"
            "extern \"C\" __global__ void add(int *array, int step) { array[threadIdx.x * step] += more; }\n");
        sim_register_kernel(binary, &add, "add");
        sim_register_variable(binary, &variable, "more");
        cr_assert_eq(cudaMalloc((void **)&sides[i].array, COUNT * sizeof(int)), cudaSuccess);
        cr_assert_eq(cudaMemset(sides[i].array, i, COUNT * sizeof(int)), cudaSuccess);
        const int value = 10 + i;
        cr_assert_eq(cudaMemcpyToSymbol(&variable, &value, sizeof value, 0, cudaMemcpyHostToDevice), cudaSuccess);
    }
}

static cudaError_t launch(const struct side *side, int step)
{
    const int *array = side->array;
    return cudaLaunchKernel(&add, (dim3){1, 1, 1}, (dim3){32, 1, 1}, (void *[]){&array, &step}, 0, NULL);
}

static int first_of(const struct side *side)
{
    int values[COUNT];
    cr_assert_eq(cudaMemcpy(values, side->array, sizeof values, cudaMemcpyDeviceToHost), cudaSuccess);
    return values[0];
}

Test(runtime, arrays_variables_and_counts_are_of_one)
{
    static struct side sides[2];
    open_two(sides);
    cr_expect_eq(sides[0].array, sides[1].array, "an address is other bytes on each");
    for (int i = 0; i < 2; i++)
        launches_begin(&use(&sides[i])->launches);
    for (int i = 0; i < 5; i++)
        cr_assert_eq(launch(use(&sides[i % 2]), 1 + i % 2), cudaSuccess);
    for (int i = 0; i < 2; i++) {
        const struct launches *log = &use(&sides[i])->launches;
        cr_expect_eq(first_of(&sides[i]), i == 0 ? 30 : 0x01010101 + 22, "%x", (unsigned)first_of(&sides[i]));
        cr_assert_eq(launches_counted(log), i == 0 ? 3 : 2);
        cr_expect_eq(launches_values(log, 1, BOUND_NONE)[EXACT_GLOBAL_STORE_SECTORS], i == 0 ? 4 : 8);
    }
}

Test(runtime, what_a_program_makes_and_breaks_is_of_one)
{
    static struct side sides[2];
    struct allocation found;
    unsigned long long ids[2];
    char *hashes[2];
    int *pinned;
    size_t left, all, limit;
    cudaStream_t stream;
    open_two(sides);
    for (int i = 0; i < 2; i++) {
        use(&sides[i]);
        hashes[i] = inputs_hash();
        cr_assert_eq(cudaStreamCreate(&stream), cudaSuccess);
        cr_expect_eq(cudaStreamGetId(stream, &ids[i]), cudaSuccess);
        cr_expect_eq(cudaStreamDestroy(stream), cudaSuccess);
        cr_expect_eq(cudaMemGetInfo(&left, &all), cudaSuccess);
        cr_expect_eq(all - left, COUNT * sizeof(int));
    }
    cr_expect_eq(ids[0], ids[1], "each counts its own");
    cr_expect_str_neq(hashes[0], hashes[1], "another value was copied");
    free(hashes[0]);
    free(hashes[1]);
    /* Of the second, memory of the host is elsewhere than that of the GPU. */
    cr_assert_eq(cudaMallocHost((void **)&pinned, sizeof *pinned), cudaSuccess);
    *pinned = 7;
    cr_expect_eq(cudaMemcpy(sides[1].array, pinned, sizeof *pinned, cudaMemcpyDefault), cudaSuccess);
    cr_expect_eq(first_of(&sides[1]), 7);
    cr_expect(device_find(sides[1].runtime->machine, (uintptr_t)pinned, &found));
    cr_expect_not(device_find(sides[0].runtime->machine, (uintptr_t)pinned, &found));
    cr_expect_null(inputs_hash());
    cr_expect_eq(cudaDeviceSetLimit(cudaLimitStackSize, 4096), cudaSuccess);
    sides[1].array = NULL;
    cr_expect_eq(launch(&sides[1], 1), cudaSuccess);
    cr_expect_eq(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    cr_expect_not_null(runtime_reason());
    use(&sides[0]);
    cr_expect_null(runtime_reason());
    cr_expect_eq(cudaDeviceGetLimit(&limit, cudaLimitStackSize), cudaSuccess);
    cr_expect_eq(limit, 1024);
    cr_expect_eq(launch(&sides[0], 1), cudaSuccess);
    cr_expect_eq(first_of(&sides[0]), 10);
    hashes[0] = inputs_hash();
    cr_expect_null(hashes[0], "the host has read what is on it");
}
