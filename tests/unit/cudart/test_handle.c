#include "cudart/sim_support.h"

#include "cudart/handle.h"

#include <criterion/criterion.h>

Test(handle, one_is_known_until_it_is_freed)
{
    char *stream = handle_new(HANDLE_STREAM, 8), *event = handle_new(HANDLE_EVENT, 8);
    cr_expect(handle_is(HANDLE_STREAM, stream) && handle_is(HANDLE_EVENT, event));
    cr_expect_not(handle_is(HANDLE_EVENT, stream), "of another kind");
    cr_expect_not(handle_is(HANDLE_STREAM, stream + 1), "of no one");
    cr_expect_not(handle_is(HANDLE_STREAM, NULL));
    handle_free(stream);
    cr_expect_not(handle_is(HANDLE_STREAM, stream), "of the past");
    cr_expect(handle_is(HANDLE_EVENT, event));
    handle_free(event);
}

Test(handle, stale_ones_are_errors_as_on_a_gpu, .init = sim_open_gpu)
{
    cudaStream_t stream;
    cudaEvent_t event;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cr_assert_eq(cudaStreamCreate(&stream) | cudaEventCreate(&event) | cudaGraphCreate(&graph, 0), cudaSuccess);
    cr_assert_eq(cudaGraphInstantiate(&exec, graph, 0), cudaSuccess);
    cr_expect_eq(cudaStreamDestroy(stream) | cudaEventDestroy(event) | cudaGraphDestroy(graph), cudaSuccess);
    cr_expect_eq(cudaGraphExecDestroy(exec), cudaSuccess);
    cr_expect_eq(cudaStreamDestroy(stream), cudaErrorInvalidResourceHandle);
    cr_expect_eq(cudaStreamSynchronize(stream), cudaErrorInvalidResourceHandle);
    cr_expect_eq(cudaMemsetAsync(&stream, 0, 1, stream), cudaErrorInvalidResourceHandle);
    cr_expect_eq(cudaEventDestroy(event), cudaErrorInvalidResourceHandle);
    cr_expect_eq(cudaEventRecord(event, NULL), cudaErrorInvalidResourceHandle);
    cr_expect_eq(cudaGraphDestroy(graph), cudaErrorInvalidValue);
    cr_expect_eq(cudaGraphInstantiate(&exec, graph, 0), cudaErrorInvalidValue);
    cr_expect_eq(cudaGraphLaunch(exec, NULL), cudaErrorInvalidValue);
}
