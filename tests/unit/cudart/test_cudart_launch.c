#include "cudart/runtime.h"

#include <criterion/criterion.h>

#include "sim_support.h"

/* The variables of the host that stand for kernels. */
static const char plain = 0, thirds = 0, bounded = 0, shared = 0, clustered = 0, stranger = 0;

static void register_kernels(void)
{
    void **binary =
        sim_register("extern \"C\" __global__ void plain(int *out) { out[threadIdx.x] = 1; }\n"
                     "extern \"C\" __global__ void thirds(float *out) { out[1] = out[0] / 3; }\n"
                     "extern \"C\" __global__ void __launch_bounds__(256) bounded(int *out) { out[threadIdx.x] = 1; }\n"
                     "extern \"C\" __global__ void shared(int *out)\n"
                     "{\n"
                     "    __shared__ int kept[256];\n"
                     "    extern __shared__ int more[];\n"
                     "    kept[threadIdx.x] = more[threadIdx.x] = 1;\n"
                     "    __syncthreads();\n"
                     "    *out = kept[*out] + more[*out];\n"
                     "}\n"
                     "extern \"C\" __global__ void __cluster_dims__(2, 1, 1) clustered(int *out) { *out = 1; }\n");
    sim_register_kernel(binary, &plain, "plain");
    sim_register_kernel(binary, &thirds, "thirds");
    sim_register_kernel(binary, &bounded, "bounded");
    sim_register_kernel(binary, &shared, "shared");
    sim_register_kernel(binary, &clustered, "clustered");
}

static cudaError_t launch(const void *kernel, dim3 blocks, dim3 threads, size_t bytes)
{
    int *out = NULL;
    return cudaLaunchKernel(kernel, blocks, threads, (void *[]){&out}, bytes, NULL);
}

Test(cudart_launch, what_a_gpu_refuses_is_refused_with_its_error)
{
    register_kernels();
    const struct {
        const void *kernel;
        dim3 blocks, threads;
        size_t shared;
        cudaError_t error;
    } rows[] = {
        {&plain, {0, 1, 1}, {1, 1, 1}, 0, cudaErrorInvalidValue},
        {&plain, {1, 65536, 1}, {1, 1, 1}, 0, cudaErrorInvalidValue},
        {&plain, {1, 1, 1}, {1025, 1, 1}, 0, cudaErrorInvalidValue},
        {&plain, {1, 1, 1}, {32, 33, 1}, 0, cudaErrorInvalidValue},
        {&plain, {1, 1, 1}, {1, 1, 65}, 0, cudaErrorInvalidValue},
        {&plain, {1, 1, 1}, {32, 1, 1}, 49153, cudaErrorInvalidValue},
        {&shared, {1, 1, 1}, {32, 1, 1}, 49152 - 1023, cudaErrorInvalidValue},
        {&bounded, {1, 1, 1}, {257, 1, 1}, 0, cudaErrorInvalidValue},
        {&stranger, {1, 1, 1}, {1, 1, 1}, 0, cudaErrorInvalidDeviceFunction},
        {&clustered, {3, 1, 1}, {1, 1, 1}, 0, cudaErrorInvalidClusterSize},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const cudaError_t error = launch(rows[i].kernel, rows[i].blocks, rows[i].threads, rows[i].shared);
        cr_expect_eq(error, rows[i].error, "row %zu: %s", i, cudaGetErrorString(error));
        cr_expect_eq(cudaGetLastError(), rows[i].error);
    }
    cr_expect_null(runtime_reason());
    const cudaError_t large = cudaLaunchCooperativeKernel(&plain, (dim3){132 * 32 + 1, 1, 1}, (dim3){32, 1, 1},
                                                          (void *[]){&(int *){0}}, 0, NULL);
    cr_expect_eq(large, cudaErrorCooperativeLaunchTooLarge);
}

Test(cudart_launch, a_kernel_rounds_as_a_gpu_does)
{
    float *out, values[2] = {1, 0};
    register_kernels();
    cr_assert_eq(cudaMalloc((void **)&out, sizeof values), cudaSuccess);
    cr_assert_eq(cudaMemcpy(out, values, sizeof values, cudaMemcpyHostToDevice), cudaSuccess);
    fesetround(FE_DOWNWARD);
    cr_expect_eq(cudaLaunchKernel(&thirds, (dim3){1, 1, 1}, (dim3){1, 1, 1}, (void *[]){&out}, 0, NULL), cudaSuccess);
    cr_expect_eq(fegetround(), FE_DOWNWARD);
    cr_expect_eq(cudaMemcpy(values, out, sizeof values, cudaMemcpyDeviceToHost), cudaSuccess);
    cr_expect_eq(values[1], 0x1.555556p-2f);
}

Test(cudart_launch, dynamic_shared_memory_above_48_kb_is_asked_for)
{
    register_kernels();
    struct cudaFuncAttributes attributes;
    const enum cudaFuncAttribute most = cudaFuncAttributeMaxDynamicSharedMemorySize;
    cr_expect_eq(cudaFuncGetAttributes(&attributes, &shared), cudaSuccess);
    cr_expect_eq(attributes.sharedSizeBytes, 1024);
    cr_expect_eq(attributes.maxDynamicSharedSizeBytes, 49152 - 1024);
    cr_expect_eq(cudaFuncSetAttribute(&shared, most, 232448 - 1023), cudaErrorInvalidValue);
    cr_expect_eq(cudaFuncSetAttribute(&shared, most, -1), cudaErrorInvalidValue);
    cr_expect_eq(cudaFuncSetAttribute(&shared, most, 232448 - 1024), cudaSuccess);
    cr_expect_eq(cudaFuncGetAttributes(&attributes, &shared), cudaSuccess);
    cr_expect_eq(attributes.maxDynamicSharedSizeBytes, 232448 - 1024);
    cr_expect_eq(launch(&shared, (dim3){1, 1, 1}, (dim3){32, 1, 1}, 232448 - 1023), cudaErrorInvalidValue);
}

Test(cudart_launch, facts_of_a_kernel)
{
    register_kernels();
    struct cudaFuncAttributes attributes;
    cr_expect_eq(cudaFuncGetAttributes(&attributes, &bounded), cudaSuccess);
    cr_expect_eq(attributes.maxThreadsPerBlock, 256);
    cr_expect_eq(attributes.binaryVersion, 90);
    cr_expect_gt(attributes.numRegs, 0);
    cr_expect_eq(cudaFuncGetAttributes(&attributes, &plain), cudaSuccess);
    cr_expect_eq(attributes.maxThreadsPerBlock, 1024);
    const char *name;
    cr_expect_eq(cudaFuncGetName(&name, &plain), cudaSuccess);
    cr_expect_str_eq(name, "plain");
    cr_expect_eq(cudaFuncGetAttributes(&attributes, &stranger), cudaErrorInvalidDeviceFunction);
}

Test(cudart_launch, blocks_that_fit)
{
    register_kernels();
    int blocks;
    cr_expect_eq(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &plain, 256, 0), cudaSuccess);
    cr_expect_eq(blocks, 8);
    cr_expect_eq(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &shared, 256, 100 << 10), cudaSuccess);
    cr_expect_eq(blocks, 2);
    cr_expect_eq(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &plain, 0, 0), cudaErrorInvalidValue);
}

Test(cudart_launch, a_carve_out_bounds_the_blocks_that_fit)
{
    register_kernels();
    struct cudaFuncAttributes attributes;
    const enum cudaFuncAttribute carve_out = cudaFuncAttributePreferredSharedMemoryCarveout;
    int blocks;
    cr_expect_eq(cudaFuncSetAttribute(&shared, carve_out, 101), cudaErrorInvalidValue);
    cr_expect_eq(cudaFuncSetAttribute(&shared, carve_out, -2), cudaErrorInvalidValue);
    cr_expect_eq(cudaFuncSetAttribute(&shared, carve_out, 25), cudaSuccess);
    cr_expect_eq(cudaFuncGetAttributes(&attributes, &shared), cudaSuccess);
    cr_expect_eq(attributes.preferredShmemCarveout, 25);
    cr_expect_eq(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &shared, 128, 15 << 10), cudaSuccess);
    cr_expect_eq(blocks, 3);
    cr_expect_eq(cudaFuncSetAttribute(&shared, carve_out, -1), cudaSuccess);
    cr_expect_eq(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &shared, 128, 15 << 10), cudaSuccess);
    cr_expect_eq(blocks, 13);
}

unsigned __cudaPushCallConfiguration(dim3 blocks, dim3 threads, size_t shared, cudaStream_t stream);
cudaError_t __cudaPopCallConfiguration(dim3 *blocks, dim3 *threads, size_t *shared, void *stream);

Test(cudart_launch, configurations_are_taken_last_first)
{
    dim3 blocks, threads;
    size_t bytes;
    cudaStream_t stream;
    cr_expect_eq(__cudaPopCallConfiguration(&blocks, &threads, &bytes, &stream), cudaErrorMissingConfiguration);
    cr_expect_eq(__cudaPushCallConfiguration((dim3){1, 2, 3}, (dim3){4, 5, 6}, 7, (cudaStream_t)8), 0);
    cr_expect_eq(__cudaPushCallConfiguration((dim3){9, 1, 1}, (dim3){1, 1, 1}, 0, NULL), 0);
    cr_expect_eq(__cudaPopCallConfiguration(&blocks, &threads, &bytes, &stream), cudaSuccess);
    cr_expect_eq(blocks.x, 9);
    cr_expect_eq(__cudaPopCallConfiguration(&blocks, &threads, &bytes, &stream), cudaSuccess);
    cr_expect(blocks.z == 3 && threads.y == 5 && bytes == 7 && stream == (cudaStream_t)8);
}

/* As an H200 refuses them. */
Test(cudart_launch, clusters_that_a_gpu_refuses)
{
    register_kernels();
    const struct {
        const void *kernel;
        dim3 blocks, cluster;
        bool large;
        cudaError_t error;
    } rows[] = {
        {&plain, {6, 1, 1}, {4, 1, 1}, true, cudaErrorInvalidClusterSize},
        {&plain, {4, 3, 1}, {2, 2, 1}, true, cudaErrorInvalidClusterSize},
        {&plain, {4, 1, 1}, {2, 0, 1}, true, cudaErrorInvalidClusterSize},
        {&plain, {18, 1, 1}, {9, 1, 1}, false, cudaErrorInvalidClusterSize},
        {&plain, {34, 1, 1}, {17, 1, 1}, true, cudaErrorInvalidClusterSize},
        {&clustered, {8, 1, 1}, {4, 1, 1}, true, cudaErrorInvalidClusterSize},
        {&clustered, {8, 1, 1}, {1, 2, 1}, true, cudaErrorInvalidClusterSize},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        int *out = NULL;
        cudaLaunchAttribute attribute = {.id = cudaLaunchAttributeClusterDimension};
        attribute.val.clusterDim.x = rows[i].cluster.x;
        attribute.val.clusterDim.y = rows[i].cluster.y;
        attribute.val.clusterDim.z = rows[i].cluster.z;
        const cudaLaunchConfig_t config = {
            .gridDim = rows[i].blocks, .blockDim = {32, 1, 1}, .attrs = &attribute, .numAttrs = 1};
        cudaFuncSetAttribute(rows[i].kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, rows[i].large);
        cr_expect_eq(cudaLaunchKernelExC(&config, rows[i].kernel, (void *[]){&out}), rows[i].error, "row %zu", i);
    }
}

/* 132 multiprocessors hold eight blocks of 256 threads each. How clusters of more than two blocks fit differs from chip
 * to chip. */
Test(cudart_launch, clusters_that_fit)
{
    register_kernels();
    cudaLaunchAttribute attribute = {.id = cudaLaunchAttributeClusterDimension};
    attribute.val.clusterDim.x = 2;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    const cudaLaunchConfig_t config = {
        .gridDim = {8, 1, 1}, .blockDim = {256, 1, 1}, .attrs = &attribute, .numAttrs = 1};
    int count;
    cr_expect_eq(cudaOccupancyMaxActiveClusters(&count, &plain, &config), cudaSuccess);
    cr_expect_eq(count, 528);
    cr_expect_eq(cudaOccupancyMaxPotentialClusterSize(&count, &plain, &config), cudaSuccess);
    cr_expect_eq(count, 8);
    attribute.val.clusterDim.x = 4;
    cr_expect_eq(cudaOccupancyMaxActiveClusters(&count, &plain, &config), cudaErrorNotSupported);
}

Test(cudart_launch, where_arguments_are)
{
    cudaFunction_t function;
    size_t offset = 1, size = 0;
    register_kernels();
    cr_expect_eq(cudaGetFuncBySymbol(&function, &plain), cudaSuccess);
    cr_expect_eq(cudaFuncGetParamInfo(function, 0, &offset, &size), cudaSuccess);
    cr_expect_eq(offset, 0);
    cr_expect_eq(size, sizeof(int *));
    cr_expect_eq(cudaFuncGetParamInfo(function, 1, &offset, &size), cudaErrorInvalidValue, "there is one");
    cr_expect_eq(cudaGetFuncBySymbol(&function, &stranger), cudaErrorInvalidDeviceFunction);
}
