#include "cudart/runtime.h"

#include <criterion/criterion.h>

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
    cr_expect(strstr(runtime_reason(), "not simulated: the program reads attribute "), "%s", runtime_reason());
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

Test(cudart_device, limits_are_kept)
{
    size_t value = 0;
    sim_open_gpu();
    cr_expect_eq(cudaDeviceGetLimit(&value, cudaLimitStackSize), cudaSuccess);
    cr_expect_eq(value, 1024);
    cr_expect_eq(cudaDeviceSetLimit(cudaLimitStackSize, 4090), cudaSuccess);
    cr_expect_eq(cudaDeviceGetLimit(&value, cudaLimitStackSize), cudaSuccess);
    cr_expect_eq(value, 4096);
    struct module module = {.machine = runtime_machine()};
    const struct function plain = {.stack_bytes = 8}, calling = {.stack_bytes = 8, .calls = true, .module = &module};
    cr_expect_eq(module_stack(&plain), 8);
    cr_expect_eq(module_stack(&calling), 8 + 4096);
    cr_expect_eq(cudaDeviceSetLimit(cudaLimitStackSize, 1 << 20), cudaErrorInvalidValue);
    cr_expect_eq(cudaDeviceSetLimit((enum cudaLimit)99, 1), cudaErrorUnsupportedLimit);
    cr_expect_eq(cudaDeviceGetLimit(&value, (enum cudaLimit)99), cudaErrorUnsupportedLimit);
}
