#include "cudart/runtime.h"

#include "base/base.h"

#include <criterion/criterion.h>
#include <string.h>

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

Test(cudart_graph, nodes_are_done_after_those_that_they_depend_on)
{
    int *out = begin(), three = 3, five = 5;
    cudaGraph_t graph;
    cudaGraphNode_t scaled, added;
    cudaGraphExec_t exec;
    struct cudaKernelNodeParams params = {
        .func = (void *)&scale, .gridDim = {1, 1, 1}, .blockDim = {32, 1, 1}, .kernelParams = (void *[]){&out, &five}};
    cr_expect_eq(cudaGraphCreate(&graph, 0), cudaSuccess);
    cr_expect_eq(cudaGraphAddKernelNode(&scaled, graph, NULL, 0, &params), cudaSuccess);
    params.func = (void *)&add;
    params.kernelParams = (void *[]){&out, &three};
    cr_expect_eq(cudaGraphAddKernelNode(&added, graph, NULL, 0, &params), cudaSuccess);
    three = five = 1000; /* arguments are those of then */
    cr_expect_eq(cudaGraphAddDependencies(graph, &added, &scaled, NULL, 1), cudaSuccess);
    cr_expect_eq(cudaGraphInstantiate(&exec, graph, 0), cudaSuccess);
    cr_expect_eq(cudaGraphLaunch(exec, NULL), cudaSuccess);
    cr_expect_eq(element(out), 15);

    five = 7;
    params.func = (void *)&scale;
    params.kernelParams = (void *[]){&out, &five};
    cr_expect_eq(cudaGraphExecKernelNodeSetParams(exec, scaled, &params), cudaSuccess);
    cr_expect_eq(cudaGraphLaunch(exec, NULL), cudaSuccess);
    cr_expect_eq(element(out), (15 + 3) * 7);
    cr_expect_eq(cudaGraphNodeSetEnabled(exec, scaled, 0), cudaSuccess);
    cr_expect_eq(cudaGraphLaunch(exec, NULL), cudaSuccess);
    cr_expect_eq(element(out), (15 + 3) * 7 + 3);

    cr_expect_eq(cudaGraphExecDestroy(exec), cudaSuccess);
    cr_expect_eq(cudaGraphAddDependencies(graph, &scaled, &added, NULL, 1), cudaSuccess);
    cr_expect_eq(cudaGraphInstantiate(&exec, graph, 0), cudaErrorInvalidValue, "they depend on each other");
    cr_expect_eq(cudaGraphDestroy(graph), cudaSuccess);
    cr_expect_null(runtime_reason());
}

static void double_it(void *data)
{
    *(int *)data *= 2;
}

Test(cudart_graph, every_kind_of_node)
{
    int *out = begin(), host[2] = {0}, calls = 21, value = 4;
    cudaGraph_t graph, child;
    cudaGraphNode_t nodes[5], found[8];
    cudaGraphExec_t exec;
    cudaEvent_t event;
    enum cudaGraphNodeType type;
    size_t count = ARRAY_SIZE(found);
    const struct cudaMemsetParams fill = {.dst = out, .value = 0x01020304, .elementSize = 4, .width = 32, .height = 1};
    const struct cudaHostNodeParams call = {double_it, &calls};
    cudaEventCreate(&event);
    cr_expect_eq(cudaGraphCreate(&graph, 0), cudaSuccess);
    cr_expect_eq(cudaGraphCreate(&child, 0), cudaSuccess);
    cr_expect_eq(cudaGraphAddHostNode(&nodes[0], child, NULL, 0, &call), cudaSuccess);
    cr_expect_eq(cudaGraphAddMemsetNode(&nodes[0], graph, NULL, 0, &fill), cudaSuccess);
    cr_expect_eq(cudaGraphAddMemcpyNode1D(&nodes[1], graph, &nodes[0], 1, host, out, 8, cudaMemcpyDeviceToHost),
                 cudaSuccess);
    cr_expect_eq(cudaGraphAddChildGraphNode(&nodes[2], graph, &nodes[1], 1, child), cudaSuccess);
    cr_expect_eq(cudaGraphAddEmptyNode(&nodes[3], graph, nodes, 3), cudaSuccess);
    cr_expect_eq(cudaGraphAddEventRecordNode(&nodes[4], graph, &nodes[3], 1, event), cudaSuccess);
    cr_expect_eq(cudaGraphInstantiate(&exec, graph, 0), cudaSuccess);
    cr_expect_eq(cudaGraphLaunch(exec, NULL), cudaSuccess);
    cr_expect_eq(host[1], 0x01020304);
    cr_expect_eq(calls, 42);
    cr_expect_eq(cudaGraphGetNodes(graph, found, &count), cudaSuccess);
    cr_expect_eq(count, 5);
    cr_expect_eq(cudaGraphNodeGetType(found[2], &type), cudaSuccess);
    cr_expect_eq(type, cudaGraphNodeTypeGraph);
    count = 1;
    cr_expect_eq(cudaGraphGetRootNodes(graph, found, &count), cudaSuccess);
    cr_expect_eq(found[0], nodes[0]);
    count = 0;
    cr_expect_eq(cudaGraphNodeGetDependencies(nodes[3], NULL, NULL, &count), cudaSuccess);
    cr_expect_eq(count, 3);
    cr_expect_eq(cudaGraphExecMemcpyNodeSetParams1D(exec, nodes[1], out + 1, &value, 4, cudaMemcpyHostToDevice),
                 cudaSuccess);
    cr_expect_eq(cudaGraphExecMemcpyNodeSetParams1D(exec, nodes[0], out, &value, 4, cudaMemcpyHostToDevice),
                 cudaErrorInvalidValue, "it is no copy");
    cr_expect_eq(cudaGraphLaunch(exec, NULL), cudaSuccess);
    cr_expect_eq(cudaMemcpy(host, out, 8, cudaMemcpyDeviceToHost), cudaSuccess);
    cr_expect_eq(host[1], 4);
    cr_expect_eq(cudaGraphExecDestroy(exec), cudaSuccess);
    cr_expect_eq(cudaGraphDestroy(graph), cudaSuccess);
    cr_expect_eq(cudaGraphDestroy(child), cudaSuccess);
    cr_expect_eq(cudaEventDestroy(event), cudaSuccess);
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
    cudaGraphNode_t node;
    struct cudaMemAllocNodeParams params = {.bytesize = 64}, told;
    void *memory, *freed;
    begin();
    cudaStreamCreate(&stream);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    cr_assert_eq(cudaMallocAsync(&memory, 4, stream), cudaSuccess);
    cr_expect_eq(cudaMemsetAsync(memory, 7, 4, stream), cudaSuccess);
    cr_expect_eq(cudaStreamEndCapture(stream, &graph), cudaSuccess);
    cr_assert_eq(cudaGraphAddMemAllocNode(&node, graph, NULL, 0, &params), cudaSuccess);
    cr_expect(params.dptr && params.dptr != memory);
    cr_expect_eq(cudaGraphMemAllocNodeGetParams(node, &told), cudaSuccess);
    cr_expect_eq(told.dptr, params.dptr);
    cr_assert_eq(cudaGraphAddMemFreeNode(&node, graph, &node, 1, params.dptr), cudaSuccess);
    cr_expect_eq(cudaGraphMemFreeNodeGetParams(node, &freed), cudaSuccess);
    cr_expect_eq(freed, params.dptr);
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

static void note(void *data)
{
    ++*(int *)data;
}

Test(cudart_graph, a_value_chooses_what_is_done)
{
    static const struct {
        enum cudaGraphConditionalNodeType type;
        unsigned bodies, value;
        int done[2]; /* how often each body is */
    } rows[] = {
        {cudaGraphCondTypeIf, 1, 1, {1, 0}},     {cudaGraphCondTypeIf, 1, 0, {0, 0}},
        {cudaGraphCondTypeIf, 2, 0, {0, 1}},     {cudaGraphCondTypeWhile, 1, 0, {0, 0}},
        {cudaGraphCondTypeSwitch, 2, 1, {0, 1}}, {cudaGraphCondTypeSwitch, 2, 2, {0, 0}},
    };
    begin();
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        int done[2] = {0};
        cudaGraph_t graph;
        cudaGraphExec_t made;
        cudaGraphNode_t node, inner;
        struct cudaGraphNodeParams params = {.type = cudaGraphNodeTypeConditional};
        cr_assert_eq(cudaGraphCreate(&graph, 0), cudaSuccess);
        params.conditional.type = rows[i].type;
        params.conditional.size = rows[i].bodies;
        cr_expect_eq(cudaGraphAddNode(&node, graph, NULL, NULL, 0, &params), cudaErrorInvalidValue, "no handle");
        cr_assert_eq(cudaGraphConditionalHandleCreate(&params.conditional.handle, graph, rows[i].value,
                                                      cudaGraphCondAssignDefault),
                     cudaSuccess);
        cr_assert_eq(cudaGraphAddNode(&node, graph, NULL, NULL, 0, &params), cudaSuccess);
        for (unsigned k = 0; k < rows[i].bodies; k++)
            cr_assert_eq(cudaGraphAddHostNode(&inner, params.conditional.phGraph_out[k], NULL, 0,
                                              &(struct cudaHostNodeParams){note, &done[k]}),
                         cudaSuccess);
        cr_assert_eq(cudaGraphInstantiate(&made, graph, 0), cudaSuccess);
        cr_expect_eq(cudaGraphLaunch(made, NULL), cudaSuccess);
        cr_expect(done[0] == rows[i].done[0] && done[1] == rows[i].done[1], "row %zu: %d, %d", i, done[0], done[1]);
        cudaGraphExecDestroy(made);
        cudaGraphDestroy(graph);
    }
}
