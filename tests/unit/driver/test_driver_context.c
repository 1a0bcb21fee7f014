#include "cudart/sim_support.h"

#include "driver/front.h"

#include <criterion/criterion.h>

Test(driver_context, a_call_needs_what_a_gpus_needs)
{
    CUdeviceptr memory;
    CUcontext context;
    int count;
    cr_expect_eq(cuInit(0), CUDA_ERROR_NO_DEVICE, "no GPU is described yet");
    sim_open_gpu();
    cr_expect_eq(cuDeviceGetCount(&count), CUDA_ERROR_NOT_INITIALIZED);
    cr_assert_eq(cuInit(0), CUDA_SUCCESS);
    cr_expect_eq(cuDeviceGetCount(&count), CUDA_SUCCESS);
    cr_expect_eq(cuMemAlloc_v2(&memory, 4), CUDA_ERROR_INVALID_CONTEXT);
    cr_expect_eq(cuMemFree_v2(0), CUDA_SUCCESS, "as on an H200, driver 580");
    cr_expect_eq(cuMemFree_v2(4), CUDA_ERROR_INVALID_CONTEXT);
    cr_expect_eq(cuPointerGetAttribute(&count, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)(uintptr_t)&count),
                 CUDA_ERROR_INVALID_VALUE);
    cr_expect_eq(cuCtxCreate_v2(&context, 0, 1), CUDA_ERROR_INVALID_DEVICE);
    cr_assert_eq(cuCtxCreate_v2(&context, 0, 0), CUDA_SUCCESS);
    cr_expect_eq(cuMemAlloc_v2(&memory, 4), CUDA_SUCCESS);
    cr_expect_eq(cuMemAlloc_v2(&memory, 0), CUDA_ERROR_INVALID_VALUE);
}

Test(driver_context, contexts_are_a_stack_of_each_thread)
{
    CUcontext first, second, now;
    sim_open_gpu();
    cr_assert_eq(cuInit(0), CUDA_SUCCESS);
    cr_assert_eq(cuCtxCreate_v2(&first, 0, 0), CUDA_SUCCESS);
    cr_assert_eq(cuCtxCreate_v2(&second, CU_CTX_SCHED_SPIN, 0), CUDA_SUCCESS);
    cr_expect_eq(cuCtxPopCurrent_v2(&now), CUDA_SUCCESS);
    cr_expect_eq(now, second);
    cr_expect_eq(cuCtxGetCurrent(&now), CUDA_SUCCESS);
    cr_expect_eq(now, first);
    cr_expect_eq(cuCtxSetCurrent(second), CUDA_SUCCESS);
    cr_expect_eq(cuCtxDestroy_v2(second), CUDA_SUCCESS);
    cr_expect_eq(cuCtxGetCurrent(&now), CUDA_SUCCESS);
    cr_expect_null(now);
    cr_expect_eq(cuCtxSetCurrent(second), CUDA_ERROR_INVALID_CONTEXT);
}

/* What lies on the GPU goes when the last context does. */
Test(driver_context, the_last_context_takes_its_memory_along)
{
    CUcontext own, primary;
    CUdeviceptr memory;
    size_t left, total;
    sim_open_gpu();
    cr_assert_eq(cuInit(0), CUDA_SUCCESS);
    cr_assert_eq(cuDevicePrimaryCtxRetain(&primary, 0), CUDA_SUCCESS);
    cr_assert_eq(cuCtxCreate_v2(&own, 0, 0), CUDA_SUCCESS);
    cr_assert_eq(cuMemAlloc_v2(&memory, 4096), CUDA_SUCCESS);
    cr_expect_eq(cuCtxDestroy_v2(own), CUDA_SUCCESS);
    cr_assert_eq(cuCtxSetCurrent(primary), CUDA_SUCCESS);
    cr_expect_eq(cuMemGetInfo_v2(&left, &total), CUDA_SUCCESS);
    cr_expect_eq(total - left, 4096);
    cr_expect_eq(cuDevicePrimaryCtxRelease_v2(0), CUDA_SUCCESS);
    cr_expect_eq(cuMemGetInfo_v2(&left, &total), CUDA_SUCCESS);
    cr_expect_eq(total, left);
}

Test(driver_context, a_program_that_uses_the_runtime_has_the_primary_context)
{
    CUdeviceptr memory;
    CUcontext primary, now;
    void *other;
    sim_open_gpu();
    cr_assert_eq(cuInit(0), CUDA_SUCCESS);
    cr_expect_eq(cuMemAlloc_v2(&memory, 4), CUDA_ERROR_INVALID_CONTEXT);
    cr_expect_eq(cudaGetLastError(), cudaSuccess);
    cr_assert_eq(cudaMalloc(&other, 4), cudaSuccess);
    cr_expect_eq(cuMemAlloc_v2(&memory, 4), CUDA_SUCCESS);
    cr_expect_eq(cuDevicePrimaryCtxRetain(&primary, 0), CUDA_SUCCESS);
    cr_expect_eq(cuCtxGetCurrent(&now), CUDA_SUCCESS);
    cr_expect_eq(now, primary);
    cr_expect_eq(cuMemFree_v2((CUdeviceptr)(uintptr_t)other), CUDA_SUCCESS, "there is one state");
}
