#include "cudart/runtime.h"

#include <criterion/criterion.h>

#include "sim_support.h"

static const char add = 0, scale = 0; /* the variables of the host that stand for kernels */

static int *begin(void)
{
    void *out;
    void **binary = sim_register("extern \"C\" __global__ void add(int *out, int n) { out[threadIdx.x] += n; }\n"
                                 "extern \"C\" __global__ void scale(int *out, int n) { out[threadIdx.x] *= n; }\n");
    sim_register_kernel(binary, &add, "add");
    sim_register_kernel(binary, &scale, "scale");
    cr_assert_eq(cudaMalloc(&out, 32 * sizeof(int)), cudaSuccess);
    cr_assert_eq(cudaMemset(out, 0, 32 * sizeof(int)), cudaSuccess);
    return out;
}

static cudaError_t launch(const void *kernel, int *out, int n, cudaStream_t stream)
{
    return cudaLaunchKernel(kernel, (dim3){1, 1, 1}, (dim3){32, 1, 1}, (void *[]){&out, &n}, 0, stream);
}

static int element(const int *out)
{
    int value = -1;
    cr_expect_eq(cudaMemcpy(&value, out + 31, sizeof value, cudaMemcpyDeviceToHost), cudaSuccess);
    return value;
}

Test(cudart_graph, a_captured_stream_does_its_work_when_the_graph_is_launched)
{
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    int *out = begin(), host = -1;
    cudaStreamCreate(&stream);
    cr_expect_eq(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
    cr_expect_eq(launch(&add, out, 3, stream), cudaSuccess);
    cr_expect_eq(launch(&scale, out, 5, stream), cudaSuccess);
    cr_expect_eq(cudaMemcpyAsync(&host, out, sizeof host, cudaMemcpyDeviceToHost, stream), cudaSuccess);
    cr_expect_eq(cudaStreamEndCapture(stream, &graph), cudaSuccess);
    cr_expect_eq(cudaGraphInstantiate(&exec, graph, 0), cudaSuccess);
    cr_expect_eq(cudaGraphDestroy(graph), cudaSuccess);
    cr_expect_eq(element(out), 0);
    cr_expect_eq(cudaGraphLaunch(exec, stream), cudaSuccess);
    cr_expect_eq(host, 15);
    cr_expect_eq(cudaGraphLaunch(exec, stream), cudaSuccess);
    cr_expect_eq(host, 90);
    cr_expect_eq(cudaGraphExecDestroy(exec), cudaSuccess);
    cr_expect_null(runtime_reason());
}

Test(cudart_graph, what_is_still_captured_makes_no_executable_graph)
{
    cudaStream_t stream;
    cudaGraph_t graph = NULL;
    cudaGraphExec_t exec;
    enum cudaStreamCaptureStatus status;
    int *out = begin();
    cudaStreamCreate(&stream);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    cr_expect_eq(launch(&add, out, 3, stream), cudaSuccess);
    cr_expect_eq(cudaStreamGetCaptureInfo(stream, &status, NULL, &graph, NULL, NULL, NULL), cudaSuccess);
    cr_expect_neq(cudaGraphInstantiate(&exec, graph, 0), cudaSuccess);
    cr_expect(strstr(runtime_reason(), "still being captured"));
}

static void double_it(void *data)
{
    *(int *)data *= 2;
}

Test(cudart_graph, every_kind_of_node)
{
    cudaStream_t stream;
    cudaGraph_t graphs[2];
    cudaGraphExec_t execs[2];
    cudaGraphNode_t nodes[6];
    size_t count = ARRAY_SIZE(nodes);
    int *out = begin(), host = 0, calls = 21, two = 2;
    cudaStreamCreate(&stream);
    for (int i = 0; i < 2; i++) {
        cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
        cr_expect_eq(cudaLaunchHostFunc(stream, double_it, &calls), cudaSuccess);
        if (i == 1) {
            cr_expect_eq(cudaMemsetAsync(out, 1, 32 * sizeof(int), stream), cudaSuccess);
            cr_expect_eq(launch(&scale, out, two, stream), cudaSuccess);
            two = 1000; /* arguments are those of then */
            cr_expect_eq(cudaMemcpyAsync(&host, out, sizeof host, cudaMemcpyDeviceToHost, stream), cudaSuccess);
            cr_expect_eq(cudaGraphLaunch(execs[0], stream), cudaSuccess);
        }
        cr_expect_eq(cudaStreamEndCapture(stream, &graphs[i]), cudaSuccess);
        cr_expect_eq(cudaGraphInstantiate(&execs[i], graphs[i], 0), cudaSuccess);
    }
    cr_expect_eq(cudaGraphExecDestroy(execs[0]), cudaSuccess);
    cr_expect_eq(cudaGraphDestroy(graphs[0]), cudaSuccess);
    cr_expect_eq(cudaGraphGetNodes(graphs[1], nodes, &count), cudaSuccess);
    cr_expect_eq(count, 5);
    cr_expect_eq(cudaGraphLaunch(execs[1], NULL), cudaSuccess);
    cr_expect_eq(host, 0x02020202);
    cr_expect_eq(calls, 84);
    cr_expect_eq(cudaGraphExecDestroy(execs[1]), cudaSuccess);
    cr_expect_eq(cudaGraphDestroy(graphs[1]), cudaSuccess);
    cr_expect_null(runtime_reason());
}

Test(cudart_graph, another_graph_replaces_what_the_nodes_do_if_it_has_the_same)
{
    cudaStream_t stream;
    cudaGraph_t graphs[3];
    cudaGraphExec_t exec;
    cudaGraphExecUpdateResultInfo info;
    int *out = begin();
    cudaStreamCreate(&stream);
    for (int i = 0; i < 3; i++) {
        cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed);
        launch(i == 1 ? &scale : &add, out, i + 2, stream);
        if (i == 2)
            cudaMemsetAsync(out, 0, 4, stream);
        cr_expect_eq(cudaStreamEndCapture(stream, &graphs[i]), cudaSuccess);
    }
    cr_expect_eq(cudaGraphInstantiate(&exec, graphs[0], 0), cudaSuccess);
    cr_expect_eq(cudaGraphLaunch(exec, stream), cudaSuccess);
    cr_expect_eq(cudaGraphExecUpdate(exec, graphs[1], &info), cudaSuccess);
    cr_expect_eq(cudaGraphLaunch(exec, stream), cudaSuccess);
    cr_expect_eq(element(out), 6);
    cr_expect_eq(cudaGraphExecUpdate(exec, graphs[2], &info), cudaErrorGraphExecUpdateFailure);
    cr_expect_eq(info.result, cudaGraphExecUpdateErrorTopologyChanged);
    cr_expect_eq(cudaGraphLaunch(exec, stream), cudaSuccess);
    cr_expect_eq(element(out), 18);
    cr_expect_eq(cudaGraphExecDestroy(exec), cudaSuccess);
    for (int i = 0; i < 3; i++)
        cr_expect_eq(cudaGraphDestroy(graphs[i]), cudaSuccess);
    cr_expect_eq(cudaStreamDestroy(stream), cudaSuccess);
}

Test(cudart_graph, memory_of_a_graph_is_there_as_long_as_the_process)
{
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t made;
    void *memory;
    begin();
    cudaStreamCreate(&stream);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    cr_assert_eq(cudaMallocAsync(&memory, 4, stream), cudaSuccess);
    cr_expect_eq(cudaMemsetAsync(memory, 7, 4, stream), cudaSuccess);
    cr_expect_eq(cudaStreamEndCapture(stream, &graph), cudaSuccess);
    cr_assert_eq(cudaGraphInstantiate(&made, graph, 0), cudaSuccess);
    for (int i = 0; i < 2; i++) {
        unsigned char byte = 0;
        cr_expect_eq(cudaGraphLaunch(made, NULL), cudaSuccess);
        cr_expect_eq(cudaMemcpy(&byte, memory, 1, cudaMemcpyDeviceToHost), cudaSuccess);
        cr_expect_eq(byte, 7);
        cr_expect_eq(cudaFreeAsync(memory, NULL), cudaSuccess);
    }
    cudaGraphExecDestroy(made);
    cudaGraphDestroy(graph);
}
