/* Graphs: work that is described first, by calls or by a stream that is captured, and done by cudaGraphLaunch. Nodes
 * are done one after the other, in an order that their dependencies allow. */
#include "runtime.h"

#include "base/base.h"

#include "graph.h"

#include <stdlib.h>
#include <string.h>

/* ---- Graphs ---- */

cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned flags)
{
    const cudaError_t error = runtime_lost();
    if (error != cudaSuccess)
        return error;
    if (!graph || flags != 0)
        return runtime_return(cudaErrorInvalidValue);
    *graph = graph_new();
    return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    if (!graph)
        return runtime_return(cudaErrorInvalidValue);
    graph_free(graph);
    return runtime_lost();
}

cudaError_t cudaGraphClone(cudaGraph_t *clone, cudaGraph_t graph)
{
    if (!clone || !graph)
        return runtime_return(cudaErrorInvalidValue);
    graph_clone(clone, graph);
    return runtime_lost();
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t *found, cudaGraphNode_t node, cudaGraph_t clone)
{
    for (size_t i = 0; i < clone->count; i++)
        if (clone->nodes[i]->original == node) {
            *found = clone->nodes[i];
            return runtime_lost();
        }
    return runtime_return(cudaErrorInvalidValue);
}

/* Writes the first *count nodes that are listed, and NULL for those beyond, or only their number to *count. */
static cudaError_t list_nodes(cudaGraphNode_t *to, size_t *count, cudaGraphNode_t const *from, size_t all)
{
    if (!count)
        return runtime_return(cudaErrorInvalidValue);
    for (size_t i = 0; to && i < *count; i++)
        to[i] = i < all ? from[i] : NULL;
    *count = to && *count < all ? *count : all;
    return runtime_lost();
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count)
{
    return list_nodes(nodes, count, graph->nodes, graph->count);
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count)
{
    cudaGraphNode_t *roots = x_calloc(graph->count, sizeof(cudaGraphNode_t));
    size_t all = 0;
    for (size_t i = 0; i < graph->count; i++)
        if (graph->nodes[i]->before_count == 0)
            roots[all++] = graph->nodes[i];
    const cudaError_t error = list_nodes(nodes, count, roots, all);
    free(roots);
    return error;
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType *type)
{
    *type = node->type;
    return runtime_lost();
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *nodes, cudaGraphEdgeData *edges,
                                         size_t *count)
{
    for (size_t i = 0; edges && count && i < *count; i++)
        edges[i] = (cudaGraphEdgeData){0};
    return list_nodes(nodes, count, node->before, node->before_count);
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                     const cudaGraphEdgeData *edges, size_t count)
{
    (void)edges; /* they say which part of a node is waited for: each is done as a whole */
    for (size_t i = 0; i < count; i++)
        if (from[i]->graph != graph || to[i]->graph != graph)
            return runtime_return(cudaErrorInvalidValue);
    for (size_t i = 0; i < count; i++)
        graph_depend(to[i], from[i]);
    return runtime_lost();
}

/* ---- Executable graphs ---- */

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *made, cudaGraph_t graph, unsigned long long flags)
{
    cudaGraph_t clone;
    if (!made || !graph)
        return runtime_return(cudaErrorInvalidValue);
    if (flags & cudaGraphInstantiateFlagDeviceLaunch)
        return runtime_not_simulated("a graph that kernels launch");
    graph_clone(&clone, graph);
    if (!graph_put_in_order(clone)) {
        graph_free(clone);
        return runtime_return(cudaErrorInvalidValue);
    }
    *made = x_calloc(1, sizeof **made);
    **made = (struct CUgraphExec_st){clone, flags};
    return runtime_lost();
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *made, cudaGraph_t graph, unsigned long long flags)
{
    return cudaGraphInstantiateWithFlags(made, graph, flags);
}

cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t *made, cudaGraph_t graph, cudaGraphInstantiateParams *params)
{
    const cudaError_t error = cudaGraphInstantiateWithFlags(made, graph, params->flags);
    params->errNode_out = NULL;
    params->result_out = error == cudaSuccess ? cudaGraphInstantiateSuccess : cudaGraphInstantiateError;
    return error;
}
ALSO(cudaGraphInstantiateWithParams, _ptsz);

cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t exec, unsigned long long *flags)
{
    *flags = exec->flags;
    return runtime_lost();
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec)
{
    if (!exec)
        return runtime_return(cudaErrorInvalidValue);
    const cudaError_t error = cudaGraphDestroy(exec->graph);
    free(exec);
    return error;
}

cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream)
{
    (void)stream;
    return exec ? runtime_lost() : runtime_return(cudaErrorInvalidValue);
}
ALSO(cudaGraphUpload, _ptsz);

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream)
{
    const cudaError_t error = runtime_lost();
    if (error != cudaSuccess)
        return error;
    if (!exec)
        return runtime_return(cudaErrorInvalidValue);
    cudaGraph_t graph = stream_graph(stream);
    if (!graph) {
        graph_begin(exec->graph);
        return graph_run(exec->graph);
    }
    graph_clone(&graph_add_behind(graph, cudaGraphNodeTypeGraph, node_child)->child, exec->graph);
    return cudaSuccess;
}
ALSO(cudaGraphLaunch, _ptsz);

/* Takes what the nodes of another graph do, which has to have the same nodes in the same order. */
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphExecUpdateResultInfo *info)
{
    if (!exec || !graph || !info)
        return runtime_return(cudaErrorInvalidValue);
    *info = (cudaGraphExecUpdateResultInfo){.result = cudaGraphExecUpdateSuccess};
    bool same = graph_put_in_order(graph) && graph->count == exec->graph->count;
    for (size_t i = 0; same && i < graph->count; i++)
        same = graph->nodes[i]->type == exec->graph->nodes[i]->type &&
               graph->nodes[i]->before_count == exec->graph->nodes[i]->before_count;
    if (!same) {
        info->result = cudaGraphExecUpdateErrorTopologyChanged;
        return runtime_return(cudaErrorGraphExecUpdateFailure);
    }
    for (size_t i = 0; i < graph->count; i++)
        graph_replace_work(exec->graph->nodes[i], graph->nodes[i]);
    return runtime_lost();
}
