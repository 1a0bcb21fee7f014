#include "sim/runtime.h"

#include "base/base.h"

#include <criterion/criterion.h>
#include <string.h>

#include "sim/gpu.h"
#include "sim_support.h"

Test(cudart_device, there_is_one_device_and_its_attributes)
{
    int value;
    sim_open_gpu();
    cr_expect_eq(cudaGetDeviceCount(&value), cudaSuccess);
    cr_expect_eq(value, 1);
    cr_expect_eq(cudaSetDevice(1), cudaErrorInvalidDevice);
    cr_expect_eq(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0), cudaSuccess);
    cr_expect_eq(value, 132);
    cr_expect_eq(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 1), cudaErrorInvalidDevice);
    cr_expect_null(runtime_reason());
}

Test(cudart_device, what_is_not_known_of_the_gpu_is_no_number)
{
    struct gpu gpu;
    struct problem problem;
    struct cudaDeviceProp properties;
    int value = 1;
    cr_assert_eq(gpu_read(&gpu, "metrics/gpus/nvidia-h200.ini", &problem), 0);
    gpu.known[cudaDevAttrL2CacheSize] = false;
    runtime_set_gpu(&gpu);
    cr_expect_eq(cudaGetDeviceProperties(&properties, 0), cudaErrorNotSupported);
    cr_expect_eq(cudaDeviceGetAttribute(&value, cudaDevAttrL2CacheSize, 0), cudaErrorNotSupported);
    cr_expect_eq(value, 1);
    cr_expect_eq(cudaDeviceGetAttribute(&value, (enum cudaDeviceAttr)100000, 0), cudaErrorNotSupported);
    cr_expect(strstr(runtime_reason(), "not simulated: the program asks for attribute "), "%s", runtime_reason());
}

Test(cudart_device, properties_are_the_attributes)
{
    struct gpu gpu;
    struct problem problem;
    struct cudaDeviceProp properties;
    cr_assert_eq(gpu_read(&gpu, "metrics/gpus/nvidia-h200.ini", &problem), 0);
    for (int i = 1; i < GPU_ATTRIBUTES; i++) {
        gpu.attributes[i] = gpu.known[i] ? gpu.attributes[i] : 1000 + i;
        gpu.known[i] = true;
    }
    runtime_set_gpu(&gpu);
    cr_assert_eq(cudaGetDeviceProperties(&properties, 0), cudaSuccess);
    cr_expect_str_eq(properties.name, "NVIDIA H200");
    cr_expect_eq(properties.multiProcessorCount, 132);
    cr_expect_eq(properties.major, 9);
    cr_expect_eq(properties.sharedMemPerBlockOptin, 232448);
    cr_expect_eq(properties.maxThreadsDim[2], 64);
    cr_expect_eq(properties.l2CacheSize, gpu.attributes[cudaDevAttrL2CacheSize]);
    cr_expect_eq(properties.clusterLaunch, gpu.attributes[cudaDevAttrClusterLaunch]);
}

Test(cudart_device, streams_and_events_are_done_at_once)
{
    cudaStream_t stream;
    cudaEvent_t event;
    sim_open_gpu();
    cr_expect_eq(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
    cr_expect_eq(cudaEventCreate(&event), cudaSuccess);
    cr_expect_eq(cudaEventRecord(event, stream), cudaSuccess);
    cr_expect_eq(cudaEventQuery(event), cudaSuccess);
    cr_expect_eq(cudaStreamSynchronize(stream), cudaSuccess);
    cr_expect_eq(cudaEventDestroy(event), cudaSuccess);
    cr_expect_eq(cudaStreamDestroy(stream), cudaSuccess);
    cr_expect_null(runtime_reason());
}

Test(cudart_device, there_is_no_time)
{
    cudaEvent_t start, end;
    float milliseconds = -1;
    sim_open_gpu();
    cudaEventCreate(&start);
    cudaEventCreate(&end);
    cr_expect_eq(cudaEventElapsedTime(&milliseconds, start, end), cudaErrorNotSupported);
    cr_expect_eq(milliseconds, -1);
    cr_expect_str_eq(runtime_reason(), "not simulated: cudaEventElapsedTime");
    cudaEventDestroy(start);
    cudaEventDestroy(end);
}
