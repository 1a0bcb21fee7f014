/* Graphs: of captured streams, and such that a program builds node by node. Numbers of nodes and sets of their
 * dependencies are the same in both. */

#include "parts.h"

/* Adds a launch, or sets one of a graph that can be launched, or of one that cannot. A first version of CUDA's
 * description is the beginning of it. */
static cudaError_t set_launch(CUgraphNode *made, CUgraph graph, const CUgraphNode *after, size_t count,
                              CUgraphExec exec, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS_v1 *launch,
                              CUfunction function)
{
    void **arguments = NULL;
    if (!launch || (launch->kernelParams && launch->extra))
        return cudaErrorInvalidValue;
    cudaError_t error = launch->extra ? buffer_arguments(&arguments, function, launch->extra) : cudaSuccess;
    const struct cudaKernelNodeParams same = {.func = function,
                                              .gridDim = {launch->gridDimX, launch->gridDimY, launch->gridDimZ},
                                              .blockDim = {launch->blockDimX, launch->blockDimY, launch->blockDimZ},
                                              .sharedMemBytes = launch->sharedMemBytes,
                                              .kernelParams = launch->extra ? arguments : launch->kernelParams};
    if (error == cudaSuccess)
        error = made   ? cudaGraphAddKernelNode(made, graph, after, count, &same)
                : exec ? cudaGraphExecKernelNodeSetParams(exec, node, &same)
                       : cudaGraphKernelNodeSetParams(node, &same);
    free(arguments);
    return error;
}

static cudaError_t set_launch_2(CUgraphNode *made, CUgraph graph, const CUgraphNode *after, size_t count,
                                CUgraphExec exec, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *launch)
{
    return !launch ? cudaErrorInvalidValue
                   : set_launch(made, graph, after, count, exec, node, (const CUDA_KERNEL_NODE_PARAMS_v1 *)launch,
                                launch->func ? launch->func : (CUfunction)launch->kern);
}

static cudaError_t set_copy(CUgraphNode *made, CUgraph graph, const CUgraphNode *after, size_t count, CUgraphExec exec,
                            CUgraphNode node, const CUDA_MEMCPY3D *copy)
{
    struct cudaMemcpy3DParms same;
    const cudaError_t error = copy ? copy_of_box(&same, copy) : cudaErrorInvalidValue;
    if (error != cudaSuccess)
        return error;
    return made   ? cudaGraphAddMemcpyNode(made, graph, after, count, &same)
           : exec ? cudaGraphExecMemcpyNodeSetParams(exec, node, &same)
                  : cudaGraphMemcpyNodeSetParams(node, &same);
}

_Static_assert(sizeof(CUDA_MEMSET_NODE_PARAMS) == sizeof(struct cudaMemsetParams), "fills have one layout");
_Static_assert(sizeof(CUDA_HOST_NODE_PARAMS) == sizeof(struct cudaHostNodeParams), "calls have one layout");

/* clang-format off */
FRONT_INIT(cuGraphCreate, (CUgraph *made, unsigned flags), cudaGraphCreate(made, flags))
FRONT_INIT(cuGraphClone, (CUgraph *made, CUgraph graph), cudaGraphClone(made, graph))
FRONT(cuGraphAddKernelNode, (CUgraphNode *made, CUgraph graph, const CUgraphNode *after, size_t count, const CUDA_KERNEL_NODE_PARAMS_v1 *launch), set_launch(made, graph, after, count, NULL, NULL, launch, launch ? launch->func : NULL))
FRONT(cuGraphAddKernelNode_v2, (CUgraphNode *made, CUgraph graph, const CUgraphNode *after, size_t count, const CUDA_KERNEL_NODE_PARAMS *launch), set_launch_2(made, graph, after, count, NULL, NULL, launch))
FRONT(cuGraphKernelNodeSetParams, (CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS_v1 *launch), set_launch(NULL, NULL, NULL, 0, NULL, node, launch, launch ? launch->func : NULL))
FRONT(cuGraphKernelNodeSetParams_v2, (CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *launch), set_launch_2(NULL, NULL, NULL, 0, NULL, node, launch))
FRONT(cuGraphExecKernelNodeSetParams, (CUgraphExec exec, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS_v1 *launch), exec ? set_launch(NULL, NULL, NULL, 0, exec, node, launch, launch ? launch->func : NULL) : cudaErrorInvalidValue)
FRONT(cuGraphExecKernelNodeSetParams_v2, (CUgraphExec exec, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *launch), exec ? set_launch_2(NULL, NULL, NULL, 0, exec, node, launch) : cudaErrorInvalidValue)
FRONT(cuGraphAddMemcpyNode, (CUgraphNode *made, CUgraph graph, const CUgraphNode *after, size_t count, const CUDA_MEMCPY3D *copy, CUcontext context), ((void)context, set_copy(made, graph, after, count, NULL, NULL, copy)))
FRONT(cuGraphMemcpyNodeSetParams, (CUgraphNode node, const CUDA_MEMCPY3D *copy), set_copy(NULL, NULL, NULL, 0, NULL, node, copy))
FRONT(cuGraphExecMemcpyNodeSetParams, (CUgraphExec exec, CUgraphNode node, const CUDA_MEMCPY3D *copy, CUcontext context), ((void)context, exec ? set_copy(NULL, NULL, NULL, 0, exec, node, copy) : cudaErrorInvalidValue))
FRONT(cuGraphAddMemsetNode, (CUgraphNode *made, CUgraph graph, const CUgraphNode *after, size_t count, const CUDA_MEMSET_NODE_PARAMS *fill, CUcontext context), ((void)context, cudaGraphAddMemsetNode(made, graph, after, count, (const struct cudaMemsetParams *)fill)))
FRONT(cuGraphMemsetNodeSetParams, (CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS *fill), cudaGraphMemsetNodeSetParams(node, (const struct cudaMemsetParams *)fill))
FRONT(cuGraphExecMemsetNodeSetParams, (CUgraphExec exec, CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS *fill, CUcontext context), ((void)context, cudaGraphExecMemsetNodeSetParams(exec, node, (const struct cudaMemsetParams *)fill)))
FRONT(cuGraphAddHostNode, (CUgraphNode *made, CUgraph graph, const CUgraphNode *after, size_t count, const CUDA_HOST_NODE_PARAMS *call), cudaGraphAddHostNode(made, graph, after, count, (const struct cudaHostNodeParams *)call))
FRONT(cuGraphAddEmptyNode, (CUgraphNode *made, CUgraph graph, const CUgraphNode *after, size_t count), cudaGraphAddEmptyNode(made, graph, after, count))
FRONT(cuGraphAddChildGraphNode, (CUgraphNode *made, CUgraph graph, const CUgraphNode *after, size_t count, CUgraph child), cudaGraphAddChildGraphNode(made, graph, after, count, child))
FRONT(cuGraphAddEventRecordNode, (CUgraphNode *made, CUgraph graph, const CUgraphNode *after, size_t count, CUevent event), cudaGraphAddEventRecordNode(made, graph, after, count, event))
FRONT(cuGraphAddEventWaitNode, (CUgraphNode *made, CUgraph graph, const CUgraphNode *after, size_t count, CUevent event), cudaGraphAddEventWaitNode(made, graph, after, count, event))
FRONT(cuGraphAddDependencies, (CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, size_t count), cudaGraphAddDependencies(graph, from, to, NULL, count))
FRONT(cuGraphAddDependencies_v2, (CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, const CUgraphEdgeData *edges, size_t count), cudaGraphAddDependencies(graph, from, to, (const cudaGraphEdgeData *)edges, count))
FRONT(cuGraphGetRootNodes, (CUgraph graph, CUgraphNode *nodes, size_t *count), cudaGraphGetRootNodes(graph, nodes, count))
FRONT(cuGraphNodeGetType, (CUgraphNode node, CUgraphNodeType *type), cudaGraphNodeGetType(node, (enum cudaGraphNodeType *)type))
FRONT(cuGraphDestroyNode, (CUgraphNode node), cudaGraphDestroyNode(node))
FRONT(cuGraphInstantiate, (CUgraphExec *made, CUgraph graph, CUgraphNode *wrong, char *log, size_t size), ((void)wrong, (void)log, (void)size, cudaGraphInstantiateWithFlags(made, graph, 0)))
FRONT(cuGraphInstantiate_v2, (CUgraphExec *made, CUgraph graph, CUgraphNode *wrong, char *log, size_t size), ((void)wrong, (void)log, (void)size, cudaGraphInstantiateWithFlags(made, graph, 0)))
FRONT(cuGraphInstantiateWithFlags, (CUgraphExec *made, CUgraph graph, unsigned long long flags), cudaGraphInstantiateWithFlags(made, graph, flags))
FRONT(cuGraphInstantiateWithParams, (CUgraphExec *made, CUgraph graph, CUDA_GRAPH_INSTANTIATE_PARAMS *how), how ? cudaGraphInstantiateWithParams(made, graph, (cudaGraphInstantiateParams *)how) : cudaErrorInvalidValue)
FRONT(cuGraphGetNodes, (CUgraph graph, CUgraphNode *nodes, size_t *count), cudaGraphGetNodes(graph, nodes, count))
FRONT(cuGraphUpload, (CUgraphExec exec, CUstream stream), cudaGraphUpload(exec, stream))
FRONT(cuGraphLaunch, (CUgraphExec exec, CUstream stream), cudaGraphLaunch(exec, stream))
FRONT(cuGraphDestroy, (CUgraph graph), cudaGraphDestroy(graph))
FRONT(cuGraphExecDestroy, (CUgraphExec exec), cudaGraphExecDestroy(exec))
FRONT(cuGraphExecGetFlags, (CUgraphExec exec, cuuint64_t *flags), cudaGraphExecGetFlags(exec, (unsigned long long *)flags))
FRONT(cuGraphExecUpdate_v2, (CUgraphExec exec, CUgraph graph, CUgraphExecUpdateResultInfo *info), cudaGraphExecUpdate(exec, graph, (cudaGraphExecUpdateResultInfo *)info))
/* clang-format on */
