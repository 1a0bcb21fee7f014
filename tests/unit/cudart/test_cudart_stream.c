#include "cudart/runtime.h"

#include <criterion/criterion.h>

#include "sim_support.h"

TestSuite(cudart_stream, .init = sim_open_gpu);

Test(cudart_stream, streams_and_events_are_done_at_once)
{
    cudaStream_t stream;
    cudaEvent_t event;
    int priority = 0, least, greatest, device = -1;
    unsigned flags = 0;
    cr_expect_eq(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, -9), cudaSuccess);
    cr_expect_eq(cudaEventCreate(&event), cudaSuccess);
    cr_expect_eq(cudaEventRecord(event, stream), cudaSuccess);
    cr_expect_eq(cudaEventQuery(event), cudaSuccess);
    cr_expect_eq(cudaStreamSynchronize(stream), cudaSuccess);
    cr_expect_eq(cudaStreamGetPriority(stream, &priority), cudaSuccess);
    cr_expect_eq(cudaDeviceGetStreamPriorityRange(&least, &greatest), cudaSuccess);
    cr_expect_eq(priority, greatest);
    cr_expect_eq(cudaStreamGetFlags(stream, &flags), cudaSuccess);
    cr_expect_eq(flags, cudaStreamNonBlocking);
    cr_expect_eq(cudaStreamGetDevice(stream, &device), cudaSuccess);
    cr_expect_eq(device, 0);
    cr_expect_eq(cudaEventDestroy(event), cudaSuccess);
    cr_expect_eq(cudaStreamDestroy(stream), cudaSuccess);
    cr_expect_eq(atomic_load(&runtime_now()->work.stream_calls), 1, "the record, and no query");
    cr_expect_null(runtime_reason());
}

Test(cudart_stream, no_time_passes)
{
    cudaEvent_t start, end, untimed;
    float milliseconds = -1;
    cudaEventCreate(&start);
    cudaEventCreate(&end);
    cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming);
    cudaEventRecord(start, NULL);
    cudaEventRecord(untimed, NULL);
    cr_expect_eq(cudaEventElapsedTime(&milliseconds, start, end), cudaErrorInvalidResourceHandle,
                 "it was not recorded");
    cr_expect_eq(cudaEventElapsedTime(&milliseconds, start, untimed), cudaErrorInvalidResourceHandle);
    cr_expect_eq(milliseconds, -1);
    cudaEventRecord(end, NULL);
    cr_expect_eq(cudaEventElapsedTime(&milliseconds, start, end), cudaSuccess);
    cr_expect_eq(milliseconds, 0);
    cr_expect_null(runtime_reason());
    cudaEventDestroy(start);
    cudaEventDestroy(end);
    cudaEventDestroy(untimed);
}

Test(cudart_stream, time_passes_by_the_work_of_a_program)
{
    cudaEvent_t events[4];
    float copied, launched, both, back;
    char *memory;
    runtime_now()->has_clock = true;
    cudaMalloc((void **)&memory, 64 << 20);
    for (size_t i = 0; i < 4; i++)
        cudaEventCreate(&events[i]);
    cudaEventRecord(events[0], NULL);
    cudaMemset(memory, 0, 48 << 20);
    cudaEventRecord(events[1], NULL);
    runtime_pass_launch(0);
    cudaEventRecord(events[2], NULL);
    cudaMemcpy(memory, memory + (32 << 20), 32, cudaMemcpyDeviceToDevice);
    runtime_pass_launch(5e6);
    cudaEventRecord(events[3], NULL);
    cudaEventElapsedTime(&copied, events[0], events[1]);
    cudaEventElapsedTime(&launched, events[1], events[2]);
    cudaEventElapsedTime(&both, events[2], events[3]);
    cudaEventElapsedTime(&back, events[3], events[2]);
    const double ns = (48 << 20) / gpu_dram_bytes_per_ns(runtime_gpu());
    cr_expect(copied * 1e6 > ns - 2 && copied * 1e6 < ns + 2, "%g ms for %g ns", copied, ns);
    cr_expect_float_eq(launched, 1e-3f, 1e-7, "a launch takes 1 us at least: %g ms", launched);
    cr_expect_float_eq(both, 5 + 1e-3f, 1e-5, "so does a copy, before what comes behind it: %g ms", both);
    cr_expect_eq(back, -both);
    cr_expect_null(runtime_reason());
    for (size_t i = 0; i < 4; i++)
        cudaEventDestroy(events[i]);
}

static void count(void *data)
{
    ++*(int *)data;
}

Test(cudart_stream, what_waits_for_a_captured_stream_is_captured_too)
{
    cudaStream_t first, second, third;
    cudaEvent_t forked, joined;
    cudaGraph_t graph, none;
    cudaGraphNode_t nodes[4];
    size_t node_count = ARRAY_SIZE(nodes);
    enum cudaStreamCaptureStatus status;
    int calls = 0;
    cudaStreamCreate(&first);
    cudaStreamCreate(&second);
    cudaStreamCreate(&third);
    cudaEventCreate(&forked);
    cudaEventCreate(&joined);
    cr_expect_eq(cudaStreamBeginCapture(NULL, cudaStreamCaptureModeGlobal), cudaErrorStreamCaptureUnsupported);
    cr_expect_eq(cudaStreamEndCapture(first, &graph), cudaErrorIllegalState);
    cr_expect_eq(cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal), cudaSuccess);
    cr_expect_eq(cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal), cudaErrorIllegalState);
    cudaLaunchHostFunc(first, count, &calls);
    cudaEventRecord(forked, first);
    cr_expect_eq(cudaStreamWaitEvent(second, forked, 0), cudaSuccess);
    cudaLaunchHostFunc(second, count, &calls);
    cudaEventRecord(joined, second);
    cr_expect_eq(cudaStreamWaitEvent(first, joined, 0), cudaSuccess);
    cr_expect_eq(calls, 0);
    cudaLaunchHostFunc(third, count, &calls);
    cr_expect_eq(calls, 1, "of a stream that has no part in it");
    cr_expect_eq(cudaStreamIsCapturing(second, &status), cudaSuccess);
    cr_expect_eq(status, cudaStreamCaptureStatusActive);
    cr_expect_eq(cudaStreamSynchronize(second), cudaErrorStreamCaptureUnsupported);
    cr_expect_eq(cudaStreamEndCapture(second, &none), cudaErrorStreamCaptureUnmatched);
    cr_expect_eq(cudaStreamEndCapture(first, &graph), cudaSuccess);
    cr_expect_eq(cudaStreamIsCapturing(second, &status), cudaSuccess);
    cr_expect_eq(status, cudaStreamCaptureStatusNone, "the end is one for all");
    cr_expect_eq(cudaGraphGetNodes(graph, nodes, &node_count), cudaSuccess);
    cr_expect_eq(node_count, 2);
    cr_expect_eq(calls, 1);
    cr_expect_eq(atomic_load(&runtime_now()->work.stream_calls), 1, "nodes of a graph are none");
    cr_expect_eq(cudaStreamSynchronize(second), cudaSuccess);
    cr_expect_eq(cudaGraphDestroy(graph), cudaSuccess);
    cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal);
    cudaEventRecord(forked, first);
    cudaStreamWaitEvent(second, forked, 0);
    cudaLaunchHostFunc(second, count, &calls);
    cr_expect_eq(cudaStreamEndCapture(first, &graph), cudaErrorStreamCaptureUnjoined);
    cr_expect_null(graph);
    cudaEventDestroy(forked);
    cudaEventDestroy(joined);
    cudaStreamDestroy(first);
    cudaStreamDestroy(second);
    cudaStreamDestroy(third);
    cr_expect_null(runtime_reason());
}
