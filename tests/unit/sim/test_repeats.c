/* Launches that are left out, and that none is whose outcome would be another. */
#include "sim/repeats.h"
#include "test.h"

#include "cudart/cudart.h"

#include "cudart/sim_support.h"

enum { COUNT = 64, BYTES = COUNT * sizeof(int) };

static const char twice = 0, add = 0, sum = 0; /* the variables of the host that stand for kernels */
static char more;
static int *x, *y, *z, skipped;

static int run(void *data, const struct grid *grid, enum fault *fault, struct problem *problem)
{
    const struct result *counts;
    double ns;
    (void)data;
    if (repeats_find(grid, &ns, &counts)) {
        cr_expect_eq(ns, 5);
        cr_expect_eq(row_value(result_find(counts, "n")), COUNT);
        skipped++;
        return 0;
    }
    cr_assert_eq(code_of(grid->function, problem), 0, "%s", problem->text);
    OWNED_MEMORY struct tally *tallies = x_calloc(grid->function->code->count, sizeof *tallies);
    repeats_begin(grid);
    const int failed = grid_run(grid, tallies, fault, problem);
    OWNED(result) counts_now = {0};
    row_add_session(result_add(&counts_now, "n"), (double[]){COUNT}, 1);
    repeats_end(failed == 0, 5, 1000, &counts_now);
    return failed;
}

static void begin(void)
{
    void **binary = sim_register(
        "extern \"C\" { __constant__ int more = 1;\n"
        "__global__ void twice(int *to, const int *from) { to[threadIdx.x] = 2 * from[threadIdx.x] + more; }\n"
        "__global__ void add(int *to, const int *from) { to[threadIdx.x] += from[threadIdx.x]; }\n"
        "__global__ void sum(int *to, const int *from) { atomicAdd(to, from[threadIdx.x]); } }\n");
    int **const arrays[] = {&x, &y, &z};
    sim_register_kernel(binary, &twice, "twice");
    sim_register_kernel(binary, &add, "add");
    sim_register_kernel(binary, &sum, "sum");
    sim_register_variable(binary, &more, "more");
    for (size_t i = 0; i < ARRAY_SIZE(arrays); i++) {
        cr_assert_eq(cudaMalloc((void **)arrays[i], BYTES), cudaSuccess);
        cr_assert_eq(cudaMemset(*arrays[i], 0, BYTES), cudaSuccess);
    }
    function_run_by(run, NULL);
}

/* Returns how many of so many launches were left out. */
static int launch(const void *kernel, const int *to, const int *from, int times)
{
    const int before = skipped;
    for (int i = 0; i < times; i++)
        cr_assert_eq(cudaLaunchKernel(kernel, (dim3){1, 1, 1}, (dim3){COUNT, 1, 1}, (void *[]){&to, &from}, 0, NULL),
                     cudaSuccess);
    return skipped - before;
}

static void set(int *to, int value)
{
    int values[COUNT];
    for (size_t i = 0; i < COUNT; i++)
        values[i] = value;
    cr_assert_eq(cudaMemcpy(to, values, BYTES, cudaMemcpyHostToDevice), cudaSuccess);
}

static int value(const int *from)
{
    int found = -1;
    cr_assert_eq(cudaMemcpy(&found, from, sizeof found, cudaMemcpyDeviceToHost), cudaSuccess);
    return found;
}

Test(repeats, the_same_again_is_left_out)
{
    begin();
    cr_expect_eq(launch(&twice, y, x, 5), 3, "what it does is noted the second time");
    cr_expect_eq(value(y), 1);
    cr_expect_eq(launch(&twice, y, x, 1), 1, "what was read changes nothing");
    cr_expect_eq(launch(&twice, z, x, 1), 0, "other arguments");
}

Test(repeats, what_the_host_changes_is_seen)
{
    begin();
    launch(&twice, y, x, 4);
    set(x, 10);
    cr_expect_eq(launch(&twice, y, x, 2), 1);
    cr_expect_eq(value(y), 21);
    set(y, 0);
    cr_expect_eq(launch(&twice, y, x, 2), 1, "what it had written is no longer there");
    cr_expect_eq(value(y), 21);
    const int two = 2;
    cr_assert_eq(cudaMemcpyToSymbol(&more, &two, sizeof two, 0, cudaMemcpyHostToDevice), cudaSuccess);
    cr_expect_eq(launch(&twice, y, x, 2), 1);
    cr_expect_eq(value(y), 22);
    cr_assert_eq(cudaFree(y), cudaSuccess);
    cr_expect_eq(launch(&twice, z, x, 3), 1);
}

Test(repeats, what_other_launches_change_is_seen)
{
    begin();
    set(z, 1);
    launch(&twice, y, x, 3);
    cr_expect_eq(launch(&add, x, z, 3), 0, "what it reads is what it wrote");
    cr_expect_eq(launch(&twice, y, x, 2), 1, "the first of them is executed");
    cr_expect_eq(value(y), 7);
    launch(&add, y, z, 1);
    cr_expect_eq(launch(&twice, y, x, 1), 0);
    cr_expect_eq(value(y), 7);
    cr_expect_eq(launch(&sum, z, x, 4), 0, "an atomic reads what it writes");
    cr_expect_eq(value(z), 1 + 4 * COUNT * 3);
}

Test(repeats, launches_by_turns)
{
    begin();
    const int before = skipped;
    for (int i = 0; i < 5; i++) {
        launch(&twice, y, x, 1);
        launch(&twice, z, y, 1);
    }
    cr_expect_eq(skipped - before, 2 * 3);
    cr_expect_eq(value(z), 3);
    const int then = skipped;
    for (int i = 0; i < 5; i++) { /* each makes what the other one reads */
        launch(&twice, y, z, 1);
        launch(&twice, z, y, 1);
    }
    cr_expect_eq(skipped - then, 0);
    cr_expect_eq(value(z), ((3 + 1) << 10) - 1);
}

/* Content that was there before gives what it gave then, even where it is changed in place. */
Test(repeats, the_same_content_is_left_out)
{
    begin();
    int left_out = 0;
    set(z, 1);
    for (int i = 0; i < 7; i++) {
        set(x, 5);
        left_out += launch(&add, x, z, 1);
        cr_expect_eq(value(x), 6);
        left_out += launch(&twice, y, x, 1);
        cr_expect_eq(value(y), 13);
    }
    cr_expect_eq(left_out, 2 * 4, "it is kept the third time");
    set(x, 6);
    cr_expect_eq(launch(&add, x, z, 1), 0);
    cr_expect_eq(value(x), 7);
    const int two = 2;
    cr_assert_eq(cudaMemcpyToSymbol(&more, &two, sizeof two, 0, cudaMemcpyHostToDevice), cudaSuccess);
    set(x, 6);
    cr_expect_eq(launch(&twice, y, x, 1), 0, "a constant is another");
    cr_expect_eq(value(y), 14);
}

Test(repeats, memory_that_the_host_shares_is_never_known)
{
    int *pinned;
    begin();
    cr_assert_eq(cudaMallocHost((void **)&pinned, BYTES), cudaSuccess);
    memset(pinned, 0, BYTES);
    cr_expect_eq(launch(&twice, y, pinned, 3), 0);
    pinned[0] = 7;
    cr_expect_eq(launch(&twice, y, pinned, 1), 0);
    cr_expect_eq(value(y), 15);
    cr_expect_eq(launch(&twice, y, x, 3), 1, "other launches may be");
}
