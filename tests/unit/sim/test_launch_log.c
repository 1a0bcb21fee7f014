#include "sim/launch_log.h"
#include "test.h"

#include "cudart/runtime.h"

#include <sys/wait.h>

#include "cudart/sim_support.h"

static const char fill = 0, two = 0;
static int *out;
static struct launches logged;

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
    launches_begin(&logged);
    launch(&fill, 1, 32);
    launch(&fill, 4, 64);
    launches_end(&logged);
    launch(&fill, 1, 32);
    cr_assert_eq(launches_counted(&logged), 2);
    const double *one = launches_values(&logged, 0, BOUND_LEAST), *eight = launches_values(&logged, 1, BOUND_LEAST);
    cr_expect_gt(one[EXACT_INSTRUCTIONS], 4);
    cr_expect_eq(eight[EXACT_INSTRUCTIONS], 8 * one[EXACT_INSTRUCTIONS], "as many warps");
    cr_expect_eq(one[EXACT_GLOBAL_STORES], 1);
    cr_expect_eq(eight[EXACT_GLOBAL_STORE_SECTORS], 32);
    cr_expect_eq(eight[EXACT_GLOBAL_LOADS], 0);
    for (int i = 0; i < 256; i++)
        cr_assert_eq(out[i], i, "it is executed");
}

/* Of a function, or of a launch, which then counts. */
Test(launch_log, a_carve_out_is_of_a_launch)
{
    register_kernels();
    OWNED(result) result = {0};
    cudaLaunchAttribute attribute = {.id = cudaLaunchAttributePreferredSharedMemoryCarveout};
    attribute.val.sharedMemCarveout = 100;
    const cudaLaunchConfig_t config = {
        .gridDim = {1, 1, 1}, .blockDim = {32, 1, 1}, .attrs = &attribute, .numAttrs = 1};
    launches_begin(&logged);
    launch(&fill, 1, 32);
    cr_assert_eq(cudaFuncSetAttribute(&fill, cudaFuncAttributePreferredSharedMemoryCarveout, 25), cudaSuccess);
    launch(&fill, 1, 32);
    launch(&fill, 1, 32);
    cr_assert_eq(cudaLaunchKernelExC(&config, &fill, (void *[]){&out}), cudaSuccess);
    launches_end(&logged);
    launches_hand_over(&logged, &result);
    cr_assert_eq(result.launch_count, 3);
    cr_expect_eq(result.launches[0].carve_out, 0);
    cr_expect_eq(result.launches[1].carve_out, 26);
    cr_expect_eq(result.launches[1].times, 2);
    cr_expect_eq(result.launches[2].carve_out, 101);
}

Test(launch_log, equal_launches_in_a_row_are_one_and_lines_are_of_all)
{
    register_kernels();
    OWNED(result) result = {0};
    launches_begin(&logged);
    launch(&fill, 1, 32);
    launch(&fill, 1, 32);
    launch(&two, 1, 32);
    launch(&fill, 2, 32);
    launches_end(&logged);
    double instructions = 0;
    for (size_t i = 0; i < launches_counted(&logged); i++)
        instructions += launches_values(&logged, i, BOUND_MOST)[EXACT_INSTRUCTIONS];
    launches_hand_over(&logged, &result);
    cr_assert_eq(result.launch_count, 3);
    cr_expect_str_eq(result.launches[0].function, "fill");
    cr_expect_eq(result.launches[0].times, 2);
    cr_expect_str_eq(result.launches[1].function, "two");
    cr_expect_eq(result.launches[2].grid[0], 2);
    cr_expect_eq(profile_total(&result.profile, LINE_INSTRUCTIONS), instructions);
    cr_expect_eq(result.profile.counted, (1u << LINE_OUTSIDE_WAITS) - 1, "it waits for no phase");
    unsigned stores[6] = {0};
    EACH(const struct profile_line, line, result.profile.list, result.profile.count) {
        cr_expect_not_null(line->file);
        if (line->number < ARRAY_SIZE(stores))
            stores[line->number] += (unsigned)line->counts[LINE_GLOBAL_STORES];
    }
    cr_expect(stores[1] == 4 && stores[4] == 1 && stores[5] == 1, "%u %u %u", stores[1], stores[4], stores[5]);
}

Test(launch_log, beginning_forgets)
{
    register_kernels();
    OWNED(result) result = {0};
    launches_begin(&logged);
    launch(&two, 1, 32);
    launches_begin(&logged);
    launch(&fill, 1, 32);
    launches_end(&logged);
    cr_expect_eq(launches_counted(&logged), 1);
    launches_hand_over(&logged, &result);
    cr_expect_eq(result.launch_count, 1);
    for (size_t i = 0; i < result.profile.count; i++)
        cr_expect_str_eq(result.profile.list[i].function, "fill");
}

Test(launch_log, a_fault_ends_everything_but_the_call_that_met_it)
{
    register_kernels();
    int *nowhere = NULL;
    launches_begin(&logged);
    const cudaError_t error = cudaLaunchKernel(&fill, (dim3){1, 1, 1}, (dim3){32, 1, 1}, (void *[]){&nowhere}, 0, NULL);
    cr_expect_eq(error, cudaSuccess);
    cr_expect_eq(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    cr_expect(strstr(runtime_reason(), "0x0"), "%s", runtime_reason());
    cr_expect_eq(launches_counted(&logged), 0);
}

/* ---- What kernels are given ---- */

static const char shift = 0, fixed = 0;
static char table;

/* What a program does before its measured launch, and what that does to the hash. */
struct doing {
    const char *words;
    void (*before)(int *memory);
    bool other, unknown; /* other: the hash differs from that of doing nothing; unknown: there is no hash */
    unsigned stride, blocks, beyond;
};

static const struct cudaChannelFormatDesc format = {32, 0, 0, 0, cudaChannelFormatKindFloat};
static cudaArray_t array;
static void *more;

DO(copy_in(int *memory), cudaMemcpy(memory + 1, (const int[]){1, 2}, 8, cudaMemcpyHostToDevice));
DO(copy_other(int *memory), cudaMemcpy(memory + 1, (const int[]){1, 3}, 8, cudaMemcpyHostToDevice));
DO(copy_within(int *memory), cudaMemcpy(memory, memory + 8, 16, cudaMemcpyDeviceToDevice));
DO(clear(int *memory), cudaMemset(memory, 0, 64));
DO(read_back(int *memory), cudaMemcpy(&(int){0}, memory, 4, cudaMemcpyDefault));
DO(set_table(__attribute__((unused)) int *memory), cudaMemcpyToSymbol(&table, &(int){5}, 4, 0, cudaMemcpyHostToDevice));
DO(allocate_more(__attribute__((unused)) int *memory), cudaMalloc(&more, 64));
DO(allocate_pinned(__attribute__((unused)) int *memory), cudaMallocHost(&more, 64));
DO(allocate_managed(__attribute__((unused)) int *memory), cudaMallocManaged(&more, 64, 1));
DO(allocate_array(__attribute__((unused)) int *memory), cudaMallocArray(&array, &format, 8, 8, 0));

static void launch_before(int *memory)
{
    cudaLaunchKernel(&fixed, (dim3){1, 1, 1}, (dim3){32, 1, 1}, (void *[]){&memory}, 0, NULL);
}

/* Sets the hash that a process of its own gets by doing so; "" if it has none. */
static void hash_of(const struct doing *doing, char hash[64])
{
    int ends[2];
    cr_assert_eq(pipe(ends), 0);
    const pid_t child = fork();
    cr_assert_geq(child, 0);
    if (child == 0) {
        int *memory = NULL;
        struct result result = {0};
        launches_only_note(&logged);
        cudaMalloc((void **)&memory, 4096);
        if (doing->before)
            doing->before(memory);
        memory += doing->beyond;
        launches_begin(&logged);
        cudaLaunchKernel(&shift, (dim3){1 + doing->blocks, 1, 1}, (dim3){32, 1, 1},
                         (void *[]){&memory, &(unsigned){1 + doing->stride}}, 0, NULL);
        launches_end(&logged);
        read_back(memory); /* this is after the launch, and cannot change anything */
        launches_hand_over(&logged, &result);
        const char *text = result.inputs ? result.inputs : "";
        _exit(result.launch_count == 1 && write(ends[1], text, strlen(text) + 1) > 0 ? 0 : 1);
    }
    close(ends[1]);
    int status = 1;
    memset(hash, 0, 64);
    cr_assert_gt(read(ends[0], hash, 63), 0);
    close(ends[0]);
    waitpid(child, &status, 0);
    cr_assert_eq(status, 0);
}

Test(launch_log, large_fills_and_copies_are_not_made_where_launches_are_only_noted)
{
    enum { BYTES = 1 << 17, FEW = 16 };
    unsigned char *memory = NULL, bytes[2];
    register_kernels();
    launches_only_note(&logged);
    cudaMalloc((void **)&memory, 2 * BYTES);
    cudaMemset(memory, 1, FEW); /* a host may decide by these */
    cudaMemset(memory + FEW, 1, BYTES - FEW);
    cudaMemcpy(memory + BYTES, memory, BYTES, cudaMemcpyDeviceToDevice);
    cudaMemcpy(&bytes[0], memory, 1, cudaMemcpyDeviceToHost);
    cudaMemcpy(&bytes[1], memory + FEW, 1, cudaMemcpyDeviceToHost);
    EXPECT_ALL(bytes[0] == 1, bytes[1] == 0);
    cudaMemcpy(&bytes[0], memory + BYTES, 1, cudaMemcpyDeviceToHost);
    cr_expect_eq(bytes[0], 0);
}

Test(launch_log, what_launches_are_given_has_a_hash_that_any_change_of_it_moves)
{
    static const struct doing rows[] = {
        {"the same again", NULL, .other = false},
        {"another argument", NULL, .other = true, .stride = 7},
        {"another pointer", NULL, .other = true, .beyond = 4},
        {"more blocks", NULL, .other = true, .blocks = 1},
        {"bytes from the host", copy_in, .other = true},
        {"memory copied", copy_within, .other = true},
        {"memory filled with what it holds", clear, .other = true},
        {"a constant", set_table, .other = true},
        {"a launch before", launch_before, .other = true},
        {"an allocation", allocate_more, .other = true},
        {"results that the host has read", read_back, .unknown = true},
        {"pinned memory", allocate_pinned, .unknown = true},
        {"managed memory", allocate_managed, .unknown = true},
        {"an array", allocate_array, .unknown = true},
    };
    char plain[64], hash[64], other[64];
    void **binary = sim_register("__constant__ int table;\n"
                                 "extern \"C\" __global__ void shift(int *out, int stride)\n"
                                 "{ out[threadIdx.x] = out[threadIdx.x * stride] + table; }\n"
                                 "extern \"C\" __global__ void fixed(int *out) { out[threadIdx.x] = 1; }\n");
    sim_register_kernel(binary, &shift, "shift");
    sim_register_kernel(binary, &fixed, "fixed");
    sim_register_variable(binary, &table, "table");
    hash_of(&rows[0], plain);
    cr_expect_eq(strlen(plain), 32);
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        hash_of(&rows[i], hash);
        cr_expect_eq(*hash == '\0', rows[i].unknown, "%s", rows[i].words);
        cr_expect_eq(strcmp(hash, plain) != 0, rows[i].other || rows[i].unknown, "%s", rows[i].words);
    }
    hash_of(&(struct doing){.before = copy_in}, hash);
    hash_of(&(struct doing){.before = copy_other}, other);
    cr_expect_str_neq(hash, other, "another byte");
}
