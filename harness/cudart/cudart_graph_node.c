/* The nodes of graphs: adding them, and what they do. */
#include "runtime.h"

#include "base/base.h"

#include "graph.h"

#include <stdlib.h>

/* ---- Adding nodes ---- */

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *made, cudaGraph_t graph, const cudaGraphNode_t *before, size_t count)
{
    return graph_add_after(made, graph, before, count, cudaGraphNodeTypeEmpty, node_nothing)
               ? runtime_lost()
               : runtime_return(cudaErrorInvalidValue);
}

static cudaError_t keep(struct launch_work *kept, const struct cudaKernelNodeParams *params)
{
    if (!params)
        return runtime_return(cudaErrorInvalidValue);
    if (params->extra)
        return runtime_not_simulated("a node of a graph with arguments in `extra`");
    return launch_keep(kept, &(struct launch_work){.params = *params});
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *made, cudaGraph_t graph, const cudaGraphNode_t *before,
                                   size_t count, const struct cudaKernelNodeParams *params)
{
    struct launch_work kept = {0};
    const cudaError_t error = keep(&kept, params);
    if (error != cudaSuccess)
        return error;
    cudaGraphNode_t node = graph_add_after(made, graph, before, count, cudaGraphNodeTypeKernel, node_launch);
    if (node) {
        node->launch = kept;
        return cudaSuccess;
    }
    free(kept.params.kernelParams);
    return runtime_return(cudaErrorInvalidValue);
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *made, cudaGraph_t graph, const cudaGraphNode_t *before,
                                   size_t count, const struct cudaMemcpy3DParms *params)
{
    cudaGraphNode_t node =
        params ? graph_add_after(made, graph, before, count, cudaGraphNodeTypeMemcpy, node_copy) : NULL;
    if (!node)
        return runtime_return(cudaErrorInvalidValue);
    node->copy = *params;
    return runtime_lost();
}

static struct cudaMemcpy3DParms one_row(void *to, const void *from, size_t size, enum cudaMemcpyKind kind)
{
    return (struct cudaMemcpy3DParms){
        .dstPtr = {to, size, size, 1}, .srcPtr = {(void *)from, size, size, 1}, .extent = {size, 1, 1}, .kind = kind};
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *made, cudaGraph_t graph, const cudaGraphNode_t *before,
                                     size_t count, void *to, const void *from, size_t size, enum cudaMemcpyKind kind)
{
    const struct cudaMemcpy3DParms copy = one_row(to, from, size, kind);
    return cudaGraphAddMemcpyNode(made, graph, before, count, &copy);
}

cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *made, cudaGraph_t graph, const cudaGraphNode_t *before,
                                           size_t count, const void *symbol, const void *from, size_t size,
                                           size_t offset, enum cudaMemcpyKind kind)
{
    void *place;
    const cudaError_t error = cudaGetSymbolAddress(&place, symbol);
    return error != cudaSuccess
               ? error
               : cudaGraphAddMemcpyNode1D(made, graph, before, count, (char *)place + offset, from, size, kind);
}

cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *made, cudaGraph_t graph, const cudaGraphNode_t *before,
                                             size_t count, void *to, const void *symbol, size_t size, size_t offset,
                                             enum cudaMemcpyKind kind)
{
    void *place;
    const cudaError_t error = cudaGetSymbolAddress(&place, symbol);
    return error != cudaSuccess
               ? error
               : cudaGraphAddMemcpyNode1D(made, graph, before, count, to, (char *)place + offset, size, kind);
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *made, cudaGraph_t graph, const cudaGraphNode_t *before,
                                   size_t count, const struct cudaMemsetParams *params)
{
    cudaGraphNode_t node =
        params ? graph_add_after(made, graph, before, count, cudaGraphNodeTypeMemset, node_fill) : NULL;
    if (!node)
        return runtime_return(cudaErrorInvalidValue);
    node->fill = *params;
    return runtime_lost();
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *made, cudaGraph_t graph, const cudaGraphNode_t *before, size_t count,
                                 const struct cudaHostNodeParams *params)
{
    cudaGraphNode_t node =
        params && params->fn ? graph_add_after(made, graph, before, count, cudaGraphNodeTypeHost, node_host) : NULL;
    if (!node)
        return runtime_return(cudaErrorInvalidValue);
    node->host = *params;
    return runtime_lost();
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *made, cudaGraph_t graph, const cudaGraphNode_t *before,
                                       size_t count, cudaGraph_t child)
{
    cudaGraph_t clone;
    if (!child)
        return runtime_return(cudaErrorInvalidValue);
    graph_clone(&clone, child);
    cudaGraphNode_t node = graph_put_in_order(clone)
                               ? graph_add_after(made, graph, before, count, cudaGraphNodeTypeGraph, node_child)
                               : NULL;
    if (node) {
        node->child = clone;
        return cudaSuccess;
    }
    graph_free(clone);
    return runtime_return(cudaErrorInvalidValue);
}

static cudaError_t add_event(cudaGraphNode_t *made, cudaGraph_t graph, const cudaGraphNode_t *before, size_t count,
                             cudaEvent_t event, enum cudaGraphNodeType type, node_run *run)
{
    cudaGraphNode_t node = event ? graph_add_after(made, graph, before, count, type, run) : NULL;
    if (!node)
        return runtime_return(cudaErrorInvalidValue);
    node->event = event;
    return runtime_lost();
}

cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t *made, cudaGraph_t graph, const cudaGraphNode_t *before,
                                        size_t count, cudaEvent_t event)
{
    return add_event(made, graph, before, count, event, cudaGraphNodeTypeEventRecord, node_record);
}

cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t *made, cudaGraph_t graph, const cudaGraphNode_t *before,
                                      size_t count, cudaEvent_t event)
{
    return add_event(made, graph, before, count, event, cudaGraphNodeTypeWaitEvent, node_nothing);
}

cudaError_t cudaGraphAddNode(cudaGraphNode_t *made, cudaGraph_t graph, const cudaGraphNode_t *before,
                             const cudaGraphEdgeData *edges, size_t count, struct cudaGraphNodeParams *params)
{
    (void)edges;
    switch (params->type) {
    case cudaGraphNodeTypeEmpty:
        return cudaGraphAddEmptyNode(made, graph, before, count);
    case cudaGraphNodeTypeKernel:
        return cudaGraphAddKernelNode(made, graph, before, count,
                                      &(struct cudaKernelNodeParams){
                                          .func = params->kernel.func,
                                          .gridDim = params->kernel.gridDim,
                                          .blockDim = params->kernel.blockDim,
                                          .sharedMemBytes = params->kernel.sharedMemBytes,
                                          .kernelParams = params->kernel.kernelParams,
                                          .extra = params->kernel.extra,
                                      });
    case cudaGraphNodeTypeMemcpy:
        return cudaGraphAddMemcpyNode(made, graph, before, count, &params->memcpy.copyParams);
    case cudaGraphNodeTypeHost:
        return cudaGraphAddHostNode(
            made, graph, before, count,
            &(struct cudaHostNodeParams){.fn = params->host.fn, .userData = params->host.userData});
    case cudaGraphNodeTypeMemset:
        return cudaGraphAddMemsetNode(made, graph, before, count,
                                      &(struct cudaMemsetParams){
                                          .dst = params->memset.dst,
                                          .pitch = params->memset.pitch,
                                          .value = params->memset.value,
                                          .elementSize = params->memset.elementSize,
                                          .width = params->memset.width,
                                          .height = params->memset.height,
                                      });
    case cudaGraphNodeTypeGraph:
        return cudaGraphAddChildGraphNode(made, graph, before, count, params->graph.graph);
    case cudaGraphNodeTypeConditional:
        return graph_add_condition(made, graph, before, count, &params->conditional);
    default:
        return runtime_not_simulated("cudaGraphAddNode of type %d", (int)params->type);
    }
}

/* ---- What nodes do, asked for and changed ---- */

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, struct cudaKernelNodeParams *params)
{
    if (!node || !params || node->type != cudaGraphNodeTypeKernel)
        return runtime_return(cudaErrorInvalidValue);
    *params = node->launch.params;
    return runtime_lost();
}

/* Returns the node of an executable graph that is a copy of `node`; NULL: there is none of the type. */
static cudaGraphNode_t find_copy(cudaGraphExec_t exec, cudaGraphNode_t node, enum cudaGraphNodeType type)
{
    for (size_t i = 0; exec && i < exec->graph->count; i++)
        if (exec->graph->nodes[i]->original == node && exec->graph->nodes[i]->type == type)
            return exec->graph->nodes[i];
    return NULL;
}

static cudaError_t set_node(cudaGraphNode_t node, const struct CUgraphNode_st *work)
{
    if (!node || node->type != work->type)
        return runtime_return(cudaErrorInvalidValue);
    graph_replace_work(node, work);
    return runtime_lost();
}

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const struct cudaKernelNodeParams *params)
{
    struct launch_work kept = {0};
    cudaError_t error = keep(&kept, params);
    if (error != cudaSuccess)
        return error;
    error = set_node(node, &(struct CUgraphNode_st){.type = cudaGraphNodeTypeKernel, .launch = kept});
    free(kept.params.kernelParams);
    return error;
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const struct cudaKernelNodeParams *params)
{
    return cudaGraphKernelNodeSetParams(find_copy(exec, node, cudaGraphNodeTypeKernel), params);
}

cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, struct cudaMemcpy3DParms *params)
{
    if (!node || !params || node->type != cudaGraphNodeTypeMemcpy)
        return runtime_return(cudaErrorInvalidValue);
    *params = node->copy;
    return runtime_lost();
}

cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, const struct cudaMemcpy3DParms *params)
{
    return set_node(node, &(struct CUgraphNode_st){.type = cudaGraphNodeTypeMemcpy, .copy = *params});
}

cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const struct cudaMemcpy3DParms *params)
{
    return cudaGraphMemcpyNodeSetParams(find_copy(exec, node, cudaGraphNodeTypeMemcpy), params);
}

cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void *to, const void *from, size_t size,
                                           enum cudaMemcpyKind kind)
{
    const struct cudaMemcpy3DParms copy = one_row(to, from, size, kind);
    return cudaGraphMemcpyNodeSetParams(node, &copy);
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node, void *to, const void *from,
                                               size_t size, enum cudaMemcpyKind kind)
{
    return cudaGraphMemcpyNodeSetParams1D(find_copy(exec, node, cudaGraphNodeTypeMemcpy), to, from, size, kind);
}

cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, struct cudaMemsetParams *params)
{
    if (!node || !params || node->type != cudaGraphNodeTypeMemset)
        return runtime_return(cudaErrorInvalidValue);
    *params = node->fill;
    return runtime_lost();
}

cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const struct cudaMemsetParams *params)
{
    return set_node(node, &(struct CUgraphNode_st){.type = cudaGraphNodeTypeMemset, .fill = *params});
}

cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const struct cudaMemsetParams *params)
{
    return cudaGraphMemsetNodeSetParams(find_copy(exec, node, cudaGraphNodeTypeMemset), params);
}

cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, struct cudaHostNodeParams *params)
{
    if (!node || !params || node->type != cudaGraphNodeTypeHost)
        return runtime_return(cudaErrorInvalidValue);
    *params = node->host;
    return runtime_lost();
}

cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, const struct cudaHostNodeParams *params)
{
    return set_node(node, &(struct CUgraphNode_st){.type = cudaGraphNodeTypeHost, .host = *params});
}

cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                           const struct cudaHostNodeParams *params)
{
    return cudaGraphHostNodeSetParams(find_copy(exec, node, cudaGraphNodeTypeHost), params);
}

cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t *graph)
{
    if (!node || !graph || node->type != cudaGraphNodeTypeGraph)
        return runtime_return(cudaErrorInvalidValue);
    *graph = node->child;
    return runtime_lost();
}

cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, cudaGraph_t child)
{
    return set_node(find_copy(exec, node, cudaGraphNodeTypeGraph),
                    &(struct CUgraphNode_st){.type = cudaGraphNodeTypeGraph, .child = child});
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned enabled)
{
    cudaGraphNode_t copy = node ? find_copy(exec, node, node->type) : NULL;
    if (!copy)
        return runtime_return(cudaErrorInvalidValue);
    copy->off = !enabled;
    return runtime_lost();
}

cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned *enabled)
{
    cudaGraphNode_t copy = node ? find_copy(exec, node, node->type) : NULL;
    if (!copy)
        return runtime_return(cudaErrorInvalidValue);
    *enabled = !copy->off;
    return runtime_lost();
}
