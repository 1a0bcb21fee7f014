#include "graph.h"

#include "base/base.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---- Nodes ---- */

static void release_work(struct CUgraphNode_st *node)
{
    if (node->type == cudaGraphNodeTypeKernel)
        free(node->launch.params.kernelParams);
    else if (node->type == cudaGraphNodeTypeGraph)
        graph_free(node->child);
    else if (node->type == cudaGraphNodeTypeConditional) {
        for (unsigned i = 0; i < node->condition.count; i++)
            graph_free(node->condition.bodies[i]);
        free(node->condition.bodies);
    }
}

static cudaGraphNode_t add(cudaGraph_t graph, enum cudaGraphNodeType type, node_run *run)
{
    cudaGraphNode_t node = x_calloc(1, sizeof *node);
    node->graph = graph;
    node->type = type;
    node->run = run;
    *ARRAY_GROW(graph->nodes, graph->count) = node;
    return node;
}

void graph_depend(cudaGraphNode_t node, cudaGraphNode_t before)
{
    *ARRAY_GROW(node->before, node->before_count) = before;
}

cudaGraphNode_t graph_add_after(cudaGraphNode_t *made, cudaGraph_t graph, const cudaGraphNode_t *before, size_t count,
                                enum cudaGraphNodeType type, node_run *run)
{
    if (!made || !graph || (count > 0 && !before))
        return NULL;
    for (size_t i = 0; i < count; i++)
        if (!before[i] || before[i]->graph != graph)
            return NULL;
    cudaGraphNode_t node = add(graph, type, run);
    for (size_t i = 0; i < count; i++)
        graph_depend(node, before[i]);
    *made = node;
    return node;
}

cudaGraphNode_t graph_add_behind(cudaGraph_t graph, enum cudaGraphNodeType type, node_run *run)
{
    cudaGraphNode_t last = graph->count > 0 ? graph->nodes[graph->count - 1] : NULL;
    cudaGraphNode_t node = add(graph, type, run);
    if (last)
        graph_depend(node, last);
    return node;
}

/* Copies arguments, whose pointers point into the same piece of memory. */
static void **copy_arguments(const struct launch_work *work)
{
    void **from = work->params.kernelParams, **copy = x_calloc(1, work->argument_size);
    memcpy(copy, from, work->argument_size);
    for (size_t i = 0; i < work->argument_count; i++)
        copy[i] = (char *)copy + ((char *)from[i] - (char *)from);
    return copy;
}

static void copy_condition(struct condition_work *made, const struct condition_work *from)
{
    *made = *from;
    made->bodies = x_calloc(from->count, sizeof(cudaGraph_t));
    for (unsigned i = 0; i < from->count; i++)
        graph_clone(&made->bodies[i], from->bodies[i]);
}

/* Copies what a node does into one of the same type, which has none yet. */
static void copy_work(cudaGraphNode_t node, const struct CUgraphNode_st *from)
{
    switch (from->type) {
    case cudaGraphNodeTypeKernel:
        node->launch = from->launch;
        node->launch.params.kernelParams = copy_arguments(&from->launch);
        break;
    case cudaGraphNodeTypeGraph:
        graph_clone(&node->child, from->child);
        break;
    case cudaGraphNodeTypeMemcpy:
        node->copy = from->copy;
        break;
    case cudaGraphNodeTypeMemset:
        node->fill = from->fill;
        break;
    case cudaGraphNodeTypeHost:
        node->host = from->host;
        break;
    case cudaGraphNodeTypeMemAlloc:
        node->allocation = from->allocation;
        break;
    case cudaGraphNodeTypeMemFree:
        node->freed = from->freed;
        break;
    case cudaGraphNodeTypeConditional:
        copy_condition(&node->condition, &from->condition);
        break;
    default:
        node->event = from->event;
        break;
    }
}

void graph_replace_work(cudaGraphNode_t node, const struct CUgraphNode_st *from)
{
    struct CUgraphNode_st made = *node;
    copy_work(&made, from);
    release_work(node);
    *node = made;
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

/* An empty node does nothing; nor does one that waits for an event, which has been, or one of memory, which is there
 * before the graph is done and stays. */
cudaError_t node_nothing(const struct CUgraphNode_st *node)
{
    (void)node;
    return cudaSuccess;
}

/* ---- Graphs ---- */

cudaGraph_t graph_new(void)
{
    return x_calloc(1, sizeof(struct CUgraph_st));
}

void graph_free(cudaGraph_t graph)
{
    for (size_t i = 0; i < graph->count; i++) {
        release_work(graph->nodes[i]);
        free(graph->nodes[i]->before);
        free(graph->nodes[i]);
    }
    free(graph->nodes);
    free(graph);
}

void graph_clone(cudaGraph_t *clone, cudaGraph_t graph)
{
    cudaGraph_t made = graph_new();
    for (size_t i = 0; i < graph->count; i++) {
        cudaGraphNode_t node = add(made, graph->nodes[i]->type, graph->nodes[i]->run);
        node->original = graph->nodes[i];
        graph->nodes[i]->place = i;
        copy_work(node, graph->nodes[i]);
    }
    for (size_t i = 0; i < graph->count; i++)
        for (size_t k = 0; k < graph->nodes[i]->before_count; k++)
            graph_depend(made->nodes[i], made->nodes[graph->nodes[i]->before[k]->place]);
    *clone = made;
}

/* Whether a node has no place yet, and all that it depends on have. */
static bool is_next(const struct CUgraphNode_st *node)
{
    bool next = node->place == SIZE_MAX;
    for (size_t i = 0; i < node->before_count && next; i++)
        next = node->before[i]->place != SIZE_MAX;
    return next;
}

bool graph_put_in_order(cudaGraph_t graph)
{
    cudaGraphNode_t *ordered = x_calloc(graph->count, sizeof(cudaGraphNode_t));
    size_t count = 0, before = SIZE_MAX;
    for (size_t i = 0; i < graph->count; i++)
        graph->nodes[i]->place = SIZE_MAX;
    while (count != before) {
        before = count;
        for (size_t i = 0; i < graph->count; i++)
            if (is_next(graph->nodes[i])) {
                graph->nodes[i]->place = count;
                ordered[count++] = graph->nodes[i];
            }
    }
    bool whole = count == graph->count;
    for (size_t i = 0; i < graph->count; i++)
        for (unsigned k = 0;
             graph->nodes[i]->type == cudaGraphNodeTypeConditional && k < graph->nodes[i]->condition.count; k++)
            whole &= graph_put_in_order(graph->nodes[i]->condition.bodies[k]);
    if (whole && count > 0)
        memcpy(graph->nodes, ordered, count * sizeof(cudaGraphNode_t));
    free(ordered);
    return whole;
}

cudaError_t graph_run(cudaGraph_t graph)
{
    cudaError_t error = cudaSuccess;
    for (size_t i = 0; i < graph->count && error == cudaSuccess; i++)
        error = graph->nodes[i]->off ? cudaSuccess : graph->nodes[i]->run(graph->nodes[i]);
    return error;
}
