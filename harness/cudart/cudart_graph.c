/* Graphs: work that a captured stream described, done by cudaGraphLaunch. Nodes are done one after the other. Graphs
 * that a program builds node by node are not simulated. */
#include "runtime.h"

#include "base/base.h"

#include "graph.h"

#include <stdlib.h>

/* ---- Graphs ---- */

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    if (!graph)
        return runtime_return(cudaErrorInvalidValue);
    graph_release(graph);
    return runtime_lost();
}

/* Writes the first *count nodes, and NULL for those beyond, or only their number to *count. */
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count)
{
    if (!graph || !count)
        return runtime_return(cudaErrorInvalidValue);
    for (size_t i = 0; nodes && i < *count; i++)
        nodes[i] = i < graph->count ? graph->nodes[i] : NULL;
    *count = nodes && *count < graph->count ? *count : graph->count;
    return runtime_lost();
}

/* ---- Executable graphs ---- */

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *made, cudaGraph_t graph, unsigned long long flags)
{
    if (!made || !graph)
        return runtime_return(cudaErrorInvalidValue);
    if (flags & cudaGraphInstantiateFlagDeviceLaunch)
        return runtime_not_simulated("a graph that kernels launch");
    if (stream_captures(graph)) /* it would change yet */
        return runtime_not_simulated("a graph of what is still captured");
    *made = x_calloc(1, sizeof **made);
    **made = (struct CUgraphExec_st){graph_share(graph), flags};
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
    graph_release(exec->graph);
    free(exec);
    return runtime_lost();
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
    if (!graph)
        return graph_run(exec->graph);
    graph_add(graph, cudaGraphNodeTypeGraph, node_child)->child = graph_share(exec->graph);
    return cudaSuccess;
}
ALSO(cudaGraphLaunch, _ptsz);

/* Takes another graph, which has to have the same nodes in the same order. */
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphExecUpdateResultInfo *info)
{
    if (!exec || !graph || !info)
        return runtime_return(cudaErrorInvalidValue);
    *info = (cudaGraphExecUpdateResultInfo){.result = cudaGraphExecUpdateSuccess};
    bool same = graph->count == exec->graph->count;
    for (size_t i = 0; same && i < graph->count; i++)
        same = graph->nodes[i]->type == exec->graph->nodes[i]->type;
    if (!same) {
        info->result = cudaGraphExecUpdateErrorTopologyChanged;
        return runtime_return(cudaErrorGraphExecUpdateFailure);
    }
    if (stream_captures(graph))
        return runtime_not_simulated("a graph of what is still captured");
    graph_release(exec->graph);
    exec->graph = graph_share(graph);
    return runtime_lost();
}
