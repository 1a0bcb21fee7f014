/* A program that builds graphs node by node, for tests of `cugate run --simulate`. It ends with the line that fails. */
#include <cstdio>
#include <cstdlib>

__device__ int offset;

__global__ void add(int *x, int by)
{
    x[threadIdx.x] += by + offset;
}

__global__ void scale(int *x, int by)
{
    x[threadIdx.x] *= by;
}

#define CHECK(IT) ((IT) ? (void)0 : (printf("line %d: " #IT "\n", __LINE__), exit(4)))
#define CALL(IT) CHECK((IT) == cudaSuccess)

static int *x, found[32], calls;

static int launched(cudaGraphExec_t exec)
{
    CALL(cudaGraphLaunch(exec, nullptr));
    CALL(cudaDeviceSynchronize());
    return found[31];
}

static cudaKernelNodeParams node_of(void (*kernel)(int *, int), int *by)
{
    static void *arguments[2];
    cudaKernelNodeParams params = {};
    arguments[0] = &x;
    arguments[1] = by;
    params.func = (void *)kernel;
    params.gridDim = 1;
    params.blockDim = 32;
    params.kernelParams = arguments;
    return params;
}

int main()
{
    cudaGraph_t graph, clone, outer;
    cudaGraphExec_t exec, of_clone, of_outer;
    cudaGraphNode_t adds, scales, fills, reads, calls_host, child, same, last, list[8];
    cudaGraphExecUpdateResultInfo info;
    cudaGraphNodeType type;
    cudaKernelNodeParams got;
    size_t count = 0;
    int three = 3, five = 5, two = 2, one = 1;
    CALL(cudaMalloc(&x, sizeof found));
    CALL(cudaGraphCreate(&graph, 0));

    /* Added in the wrong order: 1, + 3, * 5 by their dependencies. */
    cudaKernelNodeParams params = node_of(scale, &five);
    CALL(cudaGraphAddKernelNode(&scales, graph, nullptr, 0, &params));
    params = node_of(add, &three);
    CALL(cudaGraphAddKernelNode(&adds, graph, nullptr, 0, &params));
    cudaMemsetParams fill = {};
    fill.dst = x, fill.value = 1, fill.elementSize = 4, fill.width = 32, fill.height = 1;
    CALL(cudaGraphAddMemsetNode(&fills, graph, nullptr, 0, &fill));
    CALL(cudaGraphAddMemcpyNode1D(&reads, graph, &scales, 1, found, x, sizeof found, cudaMemcpyDeviceToHost));
    cudaHostNodeParams host = {[](void *data) { ++*(int *)data; }, &calls};
    CALL(cudaGraphAddHostNode(&calls_host, graph, &reads, 1, &host));
    cudaGraphNode_t from[] = {fills, adds}, to[] = {adds, scales};
    CALL(cudaGraphAddDependencies(graph, from, to, nullptr, 2));
    CALL(cudaGraphGetRootNodes(graph, nullptr, &count));
    CHECK(count == 1);
    count = 8;
    CALL(cudaGraphNodeGetDependentNodes(adds, list, nullptr, &count));
    CHECK(count == 1 && list[0] == scales && !list[1]);
    CALL(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &count));
    CHECK(count == 4);
    CALL(cudaGraphNodeGetType(fills, &type));
    CHECK(type == cudaGraphNodeTypeMemset);
    CALL(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(launched(exec) == 20 && calls == 1);

    /* What can be launched changes by itself, and not with its graph. */
    params = node_of(add, &five);
    CALL(cudaGraphExecKernelNodeSetParams(exec, adds, &params));
    CHECK(launched(exec) == 30);
    params = node_of(scale, &two);
    CALL(cudaGraphKernelNodeSetParams(scales, &params));
    CALL(cudaGraphKernelNodeGetParams(scales, &got));
    CHECK(*(int *)got.kernelParams[1] == 2 && got.blockDim.x == 32);
    CHECK(launched(exec) == 30);
    CALL(cudaGraphExecUpdate(exec, graph, &info));
    CHECK(launched(exec) == 8);
    CALL(cudaGraphNodeSetEnabled(exec, adds, 0));
    CHECK(launched(exec) == 2);
    CALL(cudaGraphNodeSetEnabled(exec, adds, 1));
    fill.value = 0x01020304;
    CALL(cudaGraphExecMemsetNodeSetParams(exec, fills, &fill));
    CHECK(launched(exec) == 2 * (0x01020304 + 3));

    /* A clone, a graph within another, and nodes by the structure that describes all of them. */
    CALL(cudaGraphClone(&clone, graph));
    CALL(cudaGraphNodeFindInClone(&same, adds, clone));
    params = node_of(add, &one);
    CALL(cudaGraphKernelNodeSetParams(same, &params));
    CALL(cudaGraphInstantiate(&of_clone, clone, 0));
    CHECK(launched(of_clone) == 4 && launched(exec) == 2 * (0x01020304 + 3));
    CALL(cudaGraphCreate(&outer, 0));
    CALL(cudaGraphAddMemcpyNodeToSymbol(&same, outer, nullptr, 0, offset, &one, sizeof one, 0, cudaMemcpyHostToDevice));
    CALL(cudaGraphAddChildGraphNode(&child, outer, &same, 1, graph));
    cudaGraphNodeParams any = {};
    any.type = cudaGraphNodeTypeKernel;
    any.kernel.func = (void *)add, any.kernel.gridDim = 1, any.kernel.blockDim = 32;
    any.kernel.kernelParams = node_of(add, &two).kernelParams;
    CALL(cudaGraphAddNode(&last, outer, &child, nullptr, 1, &any));
    CALL(cudaGraphAddMemcpyNode1D(&same, outer, &last, 1, found, x, sizeof found, cudaMemcpyDeviceToHost));
    CALL(cudaGraphInstantiate(&of_outer, outer, 0));
    CHECK(launched(of_outer) == 2 * (1 + 3 + 1) + 2 + 1);

    /* Another topology, a cycle, a node of another graph. */
    CHECK(cudaGraphExecUpdate(exec, outer, &info) == cudaErrorGraphExecUpdateFailure);
    CHECK(info.result == cudaGraphExecUpdateErrorTopologyChanged);
    CALL(cudaGraphAddDependencies(outer, &last, &child, nullptr, 1));
    CHECK(cudaGraphInstantiate(&of_clone, outer, 0) == cudaErrorInvalidValue);
    CHECK(cudaGraphAddEmptyNode(&same, outer, &adds, 1) == cudaErrorInvalidValue);
    CALL(cudaGraphDestroyNode(last));
    CALL(cudaGraphInstantiate(&of_clone, outer, 0));
    CALL(cudaGraphDestroy(graph));
    CALL(cudaGraphDestroy(outer));
    CHECK(launched(of_outer) == 13);
    printf("all graphs right, %d calls\n", calls);
    return 0;
}
