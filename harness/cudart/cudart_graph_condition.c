/* Nodes of graphs that are done or not, as a value says which kernels set by cudaGraphSetConditional(). */
#include "runtime.h"

#include "base/base.h"
#include "machine/machine.h"

#include "graph.h"

#include <stdlib.h>

/* A value, by its handle - 1. Kernels set it, one after the other. */
static struct condition {
    unsigned value, first;
    bool begins; /* each launch of the graph begins with the first value */
} * conditions;
static size_t condition_count;

static struct condition *find(cudaGraphConditionalHandle handle)
{
    return handle > 0 && handle <= condition_count ? &conditions[handle - 1] : NULL;
}

/* Sets a value for a kernel. */
static bool set_value(uint64_t handle, unsigned value)
{
    struct condition *condition = find(handle);
    if (condition)
        __atomic_store_n(&condition->value, value, __ATOMIC_RELAXED);
    return condition != NULL;
}

cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle *handle, cudaGraph_t graph, unsigned first,
                                             unsigned flags)
{
    const cudaError_t error = runtime_lost();
    if (error != cudaSuccess)
        return error;
    if (!handle || !graph || flags & ~(unsigned)cudaGraphCondAssignDefault)
        return runtime_return(cudaErrorInvalidValue);
    *ARRAY_GROW(conditions, condition_count) =
        (struct condition){first, first, (flags & cudaGraphCondAssignDefault) != 0};
    *handle = condition_count;
    outside_conditions(set_value);
    return cudaSuccess;
}

void graph_begin(cudaGraph_t graph)
{
    for (size_t i = 0; i < graph->count; i++) {
        const struct CUgraphNode_st *node = graph->nodes[i];
        if (node->type == cudaGraphNodeTypeGraph)
            graph_begin(node->child);
        if (node->type != cudaGraphNodeTypeConditional)
            continue;
        struct condition *condition = find(node->condition.handle);
        if (condition->begins)
            condition->value = condition->first;
        for (unsigned k = 0; k < node->condition.count; k++)
            graph_begin(node->condition.bodies[k]);
    }
}

cudaError_t node_condition(const struct CUgraphNode_st *node)
{
    const struct condition_work *work = &node->condition;
    const unsigned value = find(work->handle)->value;
    const unsigned chosen = work->type == cudaGraphCondTypeIf ? value == 0 : value;
    cudaError_t error = cudaSuccess;
    if (work->type != cudaGraphCondTypeWhile)
        return chosen < work->count ? graph_run(work->bodies[chosen]) : cudaSuccess;
    while (error == cudaSuccess && find(work->handle)->value != 0)
        error = graph_run(work->bodies[0]);
    return error == cudaSuccess ? runtime_lost() : error;
}

cudaError_t graph_add_condition(cudaGraphNode_t *made, cudaGraph_t graph, const cudaGraphNode_t *before, size_t count,
                                struct cudaConditionalNodeParams *params)
{
    const unsigned most = params->type == cudaGraphCondTypeIf      ? 2
                          : params->type == cudaGraphCondTypeWhile ? 1
                                                                   : 1u << 16;
    if (!find(params->handle) || params->size == 0 || params->size > most)
        return runtime_return(cudaErrorInvalidValue);
    cudaGraphNode_t node = graph_add_after(made, graph, before, count, cudaGraphNodeTypeConditional, node_condition);
    if (!node)
        return runtime_return(cudaErrorInvalidValue);
    node->condition = (struct condition_work){params->handle, params->type, NULL, params->size};
    node->condition.bodies = x_calloc(params->size, sizeof(cudaGraph_t));
    for (unsigned i = 0; i < params->size; i++)
        node->condition.bodies[i] = graph_new();
    params->phGraph_out = node->condition.bodies;
    return runtime_lost();
}
