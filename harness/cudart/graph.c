#include "graph.h"

#include "base/base.h"

#include "handle.h"
#include "runtime.h"

/* ---- Work ---- */

static cudaError_t run_host(const struct node_work *work)
{
    operation_seen();
    work->host.fn(work->host.userData);
    return cudaSuccess;
}

static cudaError_t run_child(const struct node_work *work)
{
    return graph_run(work->child, false);
}

static cudaError_t keep_child(struct node_work *kept, const struct node_work *work)
{
    const cudaError_t error = graph_copy(&kept->child, work->child);
    if (error == cudaSuccess)
        kept->child->owned = true;
    return error;
}

static void release_child(struct node_work *work)
{
    graph_release(work->child);
}

const struct node_kind node_host = {.type = cudaGraphNodeTypeHost, .run = run_host};
const struct node_kind node_child = {
    .type = cudaGraphNodeTypeGraph, .run = run_child, .keep = keep_child, .release = release_child};
const struct node_kind node_empty = {.type = cudaGraphNodeTypeEmpty};
const struct node_kind node_allocate = {.type = cudaGraphNodeTypeMemAlloc};
const struct node_kind node_free = {.type = cudaGraphNodeTypeMemFree};

cudaError_t work_keep(struct node_work *kept, const struct node_work *work)
{
    *kept = *work;
    return work->kind->keep ? work->kind->keep(kept, work) : cudaSuccess;
}

void work_release(struct node_work *work)
{
    if (work->kind->release)
        work->kind->release(work);
}

/* ---- Nodes ---- */

cudaGraphNode_t graph_add(cudaGraph_t graph, const struct node_work *work)
{
    cudaGraphNode_t node = handle_new(HANDLE_NODE, sizeof *node);
    node->work = *work;
    node->graph = graph;
    *ARRAY_GROW(graph->nodes, graph->count) = node;
    return node;
}

void node_depend(cudaGraphNode_t node, cudaGraphNode_t on)
{
    *ARRAY_GROW(node->after, node->after_count) = on;
}

static void node_release(cudaGraphNode_t node)
{
    work_release(&node->work);
    free(node->after);
    handle_free(node);
}

void node_remove(cudaGraphNode_t node)
{
    cudaGraph_t graph = node->graph;
    size_t left = 0;
    for (size_t i = 0; i < graph->count; i++) {
        cudaGraphNode_t other = graph->nodes[i];
        size_t kept = 0;
        for (size_t k = 0; k < other->after_count; k++)
            if (other->after[k] != node)
                other->after[kept++] = other->after[k];
        other->after_count = kept;
        if (other != node)
            graph->nodes[left++] = other;
    }
    graph->count = left;
    node_release(node);
}

/* ---- Graphs ---- */

cudaGraph_t graph_new(void)
{
    return handle_new(HANDLE_GRAPH, sizeof(struct CUgraph_st));
}

void graph_release(cudaGraph_t graph)
{
    for (size_t i = 0; graph && i < graph->count; i++)
        node_release(graph->nodes[i]);
    free(graph ? graph->nodes : NULL);
    handle_free(graph);
}

void graph_number(cudaGraph_t graph)
{
    for (size_t i = 0; i < graph->count; i++)
        graph->nodes[i]->index = i;
}

cudaError_t graph_copy(cudaGraph_t *made, cudaGraph_t graph)
{
    cudaError_t error = cudaSuccess;
    *made = graph_new();
    for (size_t i = 0; i < graph->count && error == cudaSuccess; i++) {
        struct node_work work = {0};
        error = work_keep(&work, &graph->nodes[i]->work);
        if (error == cudaSuccess)
            graph_add(*made, &work)->origin = graph->nodes[i];
    }
    (*made)->chain = graph->chain;
    graph_number(graph);
    for (size_t i = 0; i < graph->count && error == cudaSuccess; i++)
        for (size_t k = 0; k < graph->nodes[i]->after_count; k++)
            node_depend((*made)->nodes[i], (*made)->nodes[graph->nodes[i]->after[k]->index]);
    if (error != cudaSuccess) {
        graph_release(*made);
        *made = NULL;
    }
    return error;
}

cudaGraphNode_t graph_find(cudaGraph_t graph, cudaGraphNode_t origin)
{
    cudaGraphNode_t found = NULL;
    for (size_t i = 0; i < graph->count && !found; i++)
        found = graph->nodes[i]->origin == origin           ? graph->nodes[i]
                : graph->nodes[i]->work.kind == &node_child ? graph_find(graph->nodes[i]->work.child, origin)
                                                            : NULL;
    return found;
}

static bool is_ready(const struct CUgraphNode_st *node)
{
    return !node->done && ALL(i, node->after_count, node->after[i]->done);
}

static bool is_launch(const struct CUgraphNode_st *node)
{
    return node->work.kind->type == cudaGraphNodeTypeKernel;
}

/* Sets the chain of a node behind others that have one. */
static void set_chain(cudaGraph_t graph, cudaGraphNode_t node)
{
    node->chain = 0;
    for (size_t i = 0; i < node->after_count; i++)
        node->chain = node->after[i]->chain > node->chain ? node->after[i]->chain : node->chain;
    node->chain += node->disabled                                                        ? 0
                   : is_launch(node) || node->work.kind->type == cudaGraphNodeTypeMemcpy ? 1
                   : node->work.kind == &node_child                                      ? node->work.child->chain
                                                                                         : 0;
    graph->chain = node->chain > graph->chain ? node->chain : graph->chain;
}

/* Which operations come before a node, and, once it has run, which come before its followers. A chain of nodes shares
 * one lane of operations, as a stream does. */
struct node_order {
    struct passed passed;
    uint32_t lane;
    bool followed;
};

/* Begins the operation of a node behind those that it depends on; all: of the graph itself. */
static void begin(const struct CUgraphNode_st *node, struct node_order *orders, struct node_order *all)
{
    static _Thread_local uint32_t branches;
    struct node_order *order = &orders[node->index], *before = all;
    order->passed = all->passed;
    for (size_t i = 0; i < node->after_count; i++) {
        struct node_order *one = &orders[node->after[i]->index];
        passed_join(&order->passed, &one->passed);
        before = i == 0 || before->followed ? one : before;
    }
    const bool joins = !before->followed;
    order->lane = joins ? before->lane : FIRST_BRANCH + branches++ % (RACING_STREAMS - FIRST_BRANCH);
    before->followed = true;
    operation_begin(order->lane, &order->passed);
    if (joins && node->after_count == 1 && is_launch(node) && node->work.launch.overlaps && is_launch(node->after[0]))
        operation_overlaps();
}

/* Nodes are done in the order of the graph as far as their dependencies allow it, so each launch does the same. */
cudaError_t graph_run(cudaGraph_t graph, bool dry)
{
    cudaError_t error = cudaSuccess;
    struct node_order all = {operation_passed(), stream_operation()->stream, false};
    struct passed passed = all.passed;
    OWNED_MEMORY struct node_order *orders = x_calloc(graph->count, sizeof *orders);
    graph->chain = 0;
    graph_number(graph);
    for (size_t i = 0; i < graph->count; i++)
        graph->nodes[i]->done = false;
    for (size_t left = graph->count, before; left > 0 && error == cudaSuccess;) {
        before = left;
        for (size_t i = 0; i < graph->count && error == cudaSuccess; i++) {
            cudaGraphNode_t node = graph->nodes[i];
            if (!is_ready(node))
                continue;
            if (!dry)
                begin(node, orders, &all);
            if (node->work.kind->run && !dry && !node->disabled)
                error = node->work.kind->run(&node->work);
            if (!dry) {
                orders[i].passed = operation_passed();
                passed_join(&passed, &orders[i].passed);
            }
            set_chain(graph, node);
            node->done = true;
            left--;
        }
        if (left == before)
            return cudaErrorInvalidValue;
    }
    if (!dry)
        operation_begin(all.lane, &passed);
    return error;
}
