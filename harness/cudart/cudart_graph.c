/* Graphs: work that a captured stream described, done by cudaGraphLaunch. Nodes are done one after the other. Graphs
 * that a program builds node by node are not simulated. */
#include "runtime.h"

#include "base/base.h"

#include "graph.h"

#include <stdlib.h>

/* ---- Nodes ---- */

cudaGraphNode_t graph_add(cudaGraph_t graph, enum cudaGraphNodeType type, node_run *run)
{
    cudaGraphNode_t node = x_calloc(1, sizeof *node);
    node->type = type;
    node->run = run;
    *ARRAY_GROW(graph->nodes, graph->count) = node;
    return node;
}

static cudaError_t graph_run(cudaGraph_t graph)
{
    cudaError_t error = cudaSuccess;
    for (size_t i = 0; i < graph->count && error == cudaSuccess; i++)
        error = graph->nodes[i]->run(graph->nodes[i]);
    return error;
}

cudaError_t node_host(const struct CUgraphNode_st *node)
{
    node->host.fn(node->host.userData);
    return cudaSuccess;
}

cudaError_t node_child(const struct CUgraphNode_st *node)
{
    return graph_run(node->child);
}

/* Memory is there before the graph is done, and stays. */
cudaError_t node_nothing(const struct CUgraphNode_st *node)
{
    (void)node;
    return cudaSuccess;
}

/* ---- Graphs ---- */

cudaGraph_t graph_new(void)
{
    cudaGraph_t graph = x_calloc(1, sizeof *graph);
    graph->users = 1;
    return graph;
}

static cudaGraph_t graph_share(cudaGraph_t graph)
{
    graph->users++;
    return graph;
}

static void graph_release(cudaGraph_t graph)
{
    if (--graph->users > 0)
        return;
    for (size_t i = 0; i < graph->count; i++) {
        cudaGraphNode_t node = graph->nodes[i];
        if (node->type == cudaGraphNodeTypeKernel)
            free(node->launch.params.kernelParams);
        else if (node->type == cudaGraphNodeTypeGraph)
            graph_release(node->child);
        free(node);
    }
    free(graph->nodes);
    free(graph);
}

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
    graph_release(exec->graph);
    exec->graph = graph_share(graph);
    return runtime_lost();
}
