#include "sim/launch_log.h"

#include "base/base.h"
#include "sim/runtime.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "sim_support.h"

static const char fill = 0, two = 0;
static int *out;

static void register_kernels(void)
{
    void **binary = sim_register(
        "extern \"C\" __global__ void fill(int *out) { out[blockIdx.x * blockDim.x + threadIdx.x] = blockIdx.x * "
        "blockDim.x + threadIdx.x; }\n"
        "extern \"C\" __global__ void two(int *out)\n"
        "{\n"
        "    out[threadIdx.x] = 1;\n"
        "    out[threadIdx.x + 32] = 2;\n"
        "}\n");
    sim_register_kernel(binary, &fill, "fill");
    sim_register_kernel(binary, &two, "two");
    cr_assert_eq(cudaMalloc((void **)&out, 4096), cudaSuccess);
}

static void launch(const void *kernel, unsigned blocks, unsigned threads)
{
    const cudaError_t error =
        cudaLaunchKernel(kernel, (dim3){blocks, 1, 1}, (dim3){threads, 1, 1}, (void *[]){&out}, 0, NULL);
    cr_assert_eq(error, cudaSuccess, "%s", runtime_reason());
}

Test(launch_log, what_is_launched_while_it_is_on_is_counted)
{
    register_kernels();
    launch(&fill, 1, 32);
    launches_begin();
    launch(&fill, 1, 32);
    launch(&fill, 4, 64);
    launches_end();
    launch(&fill, 1, 32);
    cr_assert_eq(launches_counted(), 2);
    const double *one = launches_values(0, BOUND_LEAST), *eight = launches_values(1, BOUND_LEAST);
    cr_expect_gt(one[EXACT_INSTRUCTIONS], 4);
    cr_expect_eq(eight[EXACT_INSTRUCTIONS], 8 * one[EXACT_INSTRUCTIONS], "as many warps");
    cr_expect_eq(one[EXACT_GLOBAL_STORES], 1);
    cr_expect_eq(eight[EXACT_GLOBAL_STORE_SECTORS], 32);
    cr_expect_eq(eight[EXACT_GLOBAL_LOADS], 0);
    for (int i = 0; i < 256; i++)
        cr_assert_eq(out[i], i, "it is executed");
}

Test(launch_log, equal_launches_in_a_row_are_one_and_lines_are_of_all)
{
    register_kernels();
    struct result result = {0};
    launches_begin();
    launch(&fill, 1, 32);
    launch(&fill, 1, 32);
    launch(&two, 1, 32);
    launch(&fill, 2, 32);
    launches_end();
    double instructions = 0;
    for (size_t i = 0; i < launches_counted(); i++)
        instructions += launches_values(i, BOUND_MOST)[EXACT_INSTRUCTIONS];
    launches_hand_over(&result);
    cr_assert_eq(result.launch_count, 3);
    cr_expect_str_eq(result.launches[0].function, "fill");
    cr_expect_eq(result.launches[0].times, 2);
    cr_expect_str_eq(result.launches[1].function, "two");
    cr_expect_eq(result.launches[2].grid[0], 2);
    cr_expect_eq(profile_total(&result.profile, LINE_INSTRUCTIONS), instructions);
    cr_expect_eq(result.profile.counted, (1u << LINE_COUNTERS) - 1);
    unsigned stores[6] = {0};
    for (size_t i = 0; i < result.profile.count; i++) {
        const struct profile_line *line = &result.profile.list[i];
        cr_expect_not_null(line->file);
        if (line->number < ARRAY_SIZE(stores))
            stores[line->number] += (unsigned)line->counts[LINE_GLOBAL_STORES];
    }
    cr_expect(stores[1] == 4 && stores[4] == 1 && stores[5] == 1, "%u %u %u", stores[1], stores[4], stores[5]);
    result_release(&result);
}

Test(launch_log, beginning_forgets)
{
    register_kernels();
    struct result result = {0};
    launches_begin();
    launch(&two, 1, 32);
    launches_begin();
    launch(&fill, 1, 32);
    launches_end();
    cr_expect_eq(launches_counted(), 1);
    launches_hand_over(&result);
    cr_expect_eq(result.launch_count, 1);
    for (size_t i = 0; i < result.profile.count; i++)
        cr_expect_str_eq(result.profile.list[i].function, "fill");
    result_release(&result);
}

Test(launch_log, a_fault_ends_everything_but_the_call_that_met_it)
{
    register_kernels();
    int *nowhere = NULL;
    launches_begin();
    const cudaError_t error = cudaLaunchKernel(&fill, (dim3){1, 1, 1}, (dim3){32, 1, 1}, (void *[]){&nowhere}, 0, NULL);
    cr_expect_eq(error, cudaSuccess);
    cr_expect_eq(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    cr_expect(strstr(runtime_reason(), "0x0"), "%s", runtime_reason());
    cr_expect_eq(launches_counted(), 0);
}
