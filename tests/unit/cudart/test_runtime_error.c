#include "cudart/runtime.h"

#include <criterion/criterion.h>

Test(runtime_error, an_error_is_told_until_it_was_asked_for)
{
    cr_expect_eq(cudaFree((void *)8), cudaErrorInvalidValue);
    cr_expect_eq(cudaPeekAtLastError(), cudaErrorInvalidValue);
    cr_expect_eq(cudaDeviceSynchronize(), cudaSuccess, "it concerns no other call");
    cr_expect_eq(cudaGetLastError(), cudaErrorInvalidValue);
    cr_expect_eq(cudaGetLastError(), cudaSuccess);
    cr_expect_null(runtime_reason(), "a program may ask for what cannot be");
}

Test(runtime_error, after_a_fault_nothing_works)
{
    int device;
    void *memory;
    cr_expect_eq(runtime_fault(FAULT_ADDRESS, "kernels/x.cu:12: reads beyond"), cudaErrorIllegalAddress);
    cr_expect_eq(runtime_fault(FAULT_ASSERT, "what followed from it"), cudaErrorIllegalAddress, "the first one stays");
    runtime_not_simulated("what followed from it, too");
    cr_expect_eq(cudaGetDevice(&device), cudaErrorIllegalAddress);
    cr_expect_eq(cudaMalloc(&memory, 16), cudaErrorIllegalAddress);
    cr_expect_eq(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    cr_expect_eq(cudaGetLastError(), cudaErrorIllegalAddress);
    cr_expect_eq(cudaGetLastError(), cudaErrorIllegalAddress, "it stays");
    cr_expect_eq(cudaDeviceReset(), cudaSuccess);
    cr_expect_eq(cudaMalloc(&memory, 16), cudaErrorDevicesUnavailable, "no reset helps");
    cr_expect_str_eq(runtime_reason(), "kernels/x.cu:12: reads beyond");
}

Test(runtime_error, the_first_thing_that_is_not_simulated_is_the_reason)
{
    cr_expect_eq(runtime_not_simulated("%s", "cudaGraphLaunch"), cudaErrorNotSupported);
    runtime_not_simulated("something else");
    cr_expect_str_eq(runtime_reason(), "not simulated: cudaGraphLaunch");
    cr_expect_eq(cudaDeviceSynchronize(), cudaSuccess);
    cr_expect_eq(cudaGetLastError(), cudaErrorNotSupported);
}

Test(runtime_error, names_and_words_are_those_of_cuda)
{
    cr_expect_str_eq(cudaGetErrorName(cudaErrorIllegalAddress), "cudaErrorIllegalAddress");
    cr_expect_str_eq(cudaGetErrorString(cudaErrorInvalidConfiguration), "invalid configuration argument");
    cr_expect_str_eq(cudaGetErrorString((cudaError_t)12345), "unrecognized error code");
}
