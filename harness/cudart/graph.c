#include "graph.h"

#include "base/base.h"

#include <stdlib.h>

cudaGraphNode_t graph_add(cudaGraph_t graph, enum cudaGraphNodeType type, node_run *run)
{
    cudaGraphNode_t node = x_calloc(1, sizeof *node);
    node->type = type;
    node->run = run;
    *ARRAY_GROW(graph->nodes, graph->count) = node;
    return node;
}

cudaError_t graph_run(cudaGraph_t graph)
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

cudaGraph_t graph_new(void)
{
    cudaGraph_t graph = x_calloc(1, sizeof *graph);
    graph->users = 1;
    return graph;
}

cudaGraph_t graph_share(cudaGraph_t graph)
{
    graph->users++;
    return graph;
}

void graph_release(cudaGraph_t graph)
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
