/* The nodes of a graph that a program builds one by one. */
#include "runtime.h"

#include "graph.h"
#include "handle.h"

#define INVALID runtime_return(cudaErrorInvalidValue)
#define IS_NODE(node) handle_is(HANDLE_NODE, node)
#define NEEDS_13                                                                                                       \
    if (runtime_lacks_edges(__func__))                                                                                 \
    return cudaErrorNotSupported
/* The first arguments of each function that adds a node. */
#define BEHIND cudaGraphNode_t *made, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count

/* ---- What all kinds have in common ---- */

/* Adds a node behind others. */
static cudaError_t add(BEHIND, struct node_work work)
{
    struct node_work kept;
    cudaError_t error = runtime_lost();
    if (error != cudaSuccess)
        return error;
    REFUSE(!made || !handle_is(HANDLE_GRAPH, graph) || (count > 0 && !after), cudaErrorInvalidValue);
    for (size_t i = 0; i < count; i++)
        REFUSE(!IS_NODE(after[i]) || after[i]->graph != graph, cudaErrorInvalidValue);
    error = work_keep(&kept, &work);
    if (error != cudaSuccess)
        return error;
    *made = graph_add(graph, &kept);
    runtime_calls();
    for (size_t i = 0; i < count; i++)
        node_depend(*made, after[i]);
    return cudaSuccess;
}

/* Changes the work of a node. The attributes of a launch stay. */
static cudaError_t change(cudaGraphNode_t node, struct node_work work)
{
    struct node_work kept;
    REFUSE(!IS_NODE(node) || node->work.kind != work.kind, cudaErrorInvalidValue);
    if (work.kind == &node_launch) {
        const struct cudaKernelNodeParams params = work.launch.params;
        work.launch = node->work.launch;
        work.launch.params = params;
    }
    const cudaError_t error = work_keep(&kept, &work);
    if (error == cudaSuccess) {
        work_release(&node->work);
        node->work = kept;
    }
    return error;
}

static cudaError_t change_in(cudaGraphExec_t exec, cudaGraphNode_t node, struct node_work work)
{
    return handle_is(HANDLE_EXEC, exec) && IS_NODE(node) ? change(graph_find(exec->graph, node), work) : INVALID;
}

/* ---- Kinds that CUDA describes by a structure. A structure that is missing is wrong. ---- */

#define KIND(NAME, WORK, FIELD, ...)                                                                                   \
    static struct node_work of_##NAME(const __VA_ARGS__ *params) {                                                     \
        return (struct node_work){.kind = &node_##WORK, .FIELD = *params};                                             \
    } cudaError_t cudaGraphAdd##NAME##Node(BEHIND, const __VA_ARGS__ *params)                                          \
    {                                                                                                                  \
        return params ? add(made, graph, after, count, of_##NAME(params)) : INVALID;                                   \
    }                                                                                                                  \
    cudaError_t cudaGraph##NAME##NodeSetParams(cudaGraphNode_t node, const __VA_ARGS__ *params)                        \
    {                                                                                                                  \
        return params ? change(node, of_##NAME(params)) : INVALID;                                                     \
    }                                                                                                                  \
    cudaError_t cudaGraphExec##NAME##NodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,                         \
                                                   const __VA_ARGS__ *params)                                          \
    {                                                                                                                  \
        return params ? change_in(exec, node, of_##NAME(params)) : INVALID;                                            \
    }                                                                                                                  \
    cudaError_t cudaGraph##NAME##NodeGetParams(cudaGraphNode_t node, __VA_ARGS__ *params)                              \
    {                                                                                                                  \
        if (!IS_NODE(node) || !params || node->work.kind != &node_##WORK)                                              \
            return INVALID;                                                                                            \
        *params = node->work.FIELD;                                                                                    \
        return runtime_lost();                                                                                         \
    }

KIND(Kernel, launch, launch.params, struct cudaKernelNodeParams)
KIND(Memcpy, copy, copy, struct cudaMemcpy3DParms)
KIND(Memset, fill, fill, struct cudaMemsetParams)
KIND(Host, host, host, struct cudaHostNodeParams)

/* ---- Copies of bytes, and from and to variables ---- */

static struct node_work copy_of(const void *to, const void *from, size_t size, enum cudaMemcpyKind kind)
{
    return (struct node_work){.kind = &node_copy, .copy = runtime_copy_of((void *)to, from, size, kind)};
}

/* PLACE sets what is a variable's place; it and the rest use `to`, `from`, `size`, `kind`, and `offset`. */
#define COPY(FORM, PLACE, ...)                                                                                         \
    cudaError_t cudaGraphAddMemcpyNode##FORM(BEHIND, __VA_ARGS__)                                                      \
    {                                                                                                                  \
        const cudaError_t error = PLACE;                                                                               \
        return error == cudaSuccess ? add(made, graph, after, count, copy_of(to, from, size, kind)) : error;           \
    }                                                                                                                  \
    cudaError_t cudaGraphMemcpyNodeSetParams##FORM(cudaGraphNode_t node, __VA_ARGS__)                                  \
    {                                                                                                                  \
        const cudaError_t error = PLACE;                                                                               \
        return error == cudaSuccess ? change(node, copy_of(to, from, size, kind)) : error;                             \
    }                                                                                                                  \
    cudaError_t cudaGraphExecMemcpyNodeSetParams##FORM(cudaGraphExec_t exec, cudaGraphNode_t node, __VA_ARGS__)        \
    {                                                                                                                  \
        const cudaError_t error = PLACE;                                                                               \
        return error == cudaSuccess ? change_in(exec, node, copy_of(to, from, size, kind)) : error;                    \
    }

COPY(1D, runtime_lost(), void *to, const void *from, size_t size, enum cudaMemcpyKind kind)
COPY(ToSymbol, runtime_place((void **)&to, to, size, offset), const void *to, const void *from, size_t size,
     size_t offset, enum cudaMemcpyKind kind)
COPY(FromSymbol, runtime_place((void **)&from, from, size, offset), void *to, const void *from, size_t size,
     size_t offset, enum cudaMemcpyKind kind)

/* ---- Other kinds ---- */

RUNTIME(cudaGraphAddEmptyNode, (BEHIND), add(made, graph, after, count, (struct node_work){.kind = &node_empty}))

cudaError_t cudaGraphAddChildGraphNode(BEHIND, cudaGraph_t child)
{
    const struct node_work work = {.kind = &node_child, .child = child};
    return handle_is(HANDLE_GRAPH, child) ? add(made, graph, after, count, work) : INVALID;
}

cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t *graph)
{
    REFUSE(!IS_NODE(node) || !handle_is(HANDLE_GRAPH, graph) || node->work.kind != &node_child, cudaErrorInvalidValue);
    *graph = node->work.child;
    return runtime_lost();
}

cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, cudaGraph_t child)
{
    const struct node_work work = {.kind = &node_child, .child = child};
    return handle_is(HANDLE_GRAPH, child) ? change_in(exec, node, work) : INVALID;
}

/* One thing is done after the other, so nothing is left to wait for. */
#define OF_EVENT(name, node)                                                                                           \
    cudaError_t name(BEHIND, cudaEvent_t event)                                                                        \
    {                                                                                                                  \
        const struct node_work work = {.kind = (node), .event = event};                                                \
        return handle_is(HANDLE_EVENT, event) ? add(made, graph, after, count, work) : INVALID;                        \
    }
OF_EVENT(cudaGraphAddEventRecordNode, &node_record)
OF_EVENT(cudaGraphAddEventWaitNode, &node_wait)

cudaError_t cudaGraphAddMemAllocNode(BEHIND, struct cudaMemAllocNodeParams *params)
{
    cudaError_t error = params && made && handle_is(HANDLE_GRAPH, graph)
                            ? runtime_allocate_of_graph(&params->dptr, params->bytesize)
                            : INVALID;
    if (error == cudaSuccess)
        error = add(made, graph, after, count, (struct node_work){.kind = &node_allocate});
    return error;
}

RUNTIME(cudaGraphAddMemFreeNode, (BEHIND, void *memory),
        memory ? add(made, graph, after, count, (struct node_work){.kind = &node_free}) : INVALID)

/* ---- Any kind, by one structure ---- */

/* The work that it describes. False after runtime_not_simulated(). */
static bool work_of(struct node_work *work, const struct cudaGraphNodeParams *params)
{
    static const struct node_kind *const kinds[] = {&node_launch, &node_copy,   &node_fill, &node_host,
                                                    &node_child,  &node_record, &node_wait, &node_empty};
    const struct cudaKernelNodeParamsV2 *kernel = &params->kernel;
    const struct cudaMemsetParamsV2 *fill = &params->memset;
    *work = (struct node_work){0};
    for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
        if (kinds[i]->type == params->type)
            work->kind = kinds[i];
    if (!work->kind)
        runtime_not_simulated("a node of a graph of type %d", (int)params->type);
    else if (work->kind == &node_launch)
        work->launch.params = (struct cudaKernelNodeParams){.func = kernel->func,
                                                            .gridDim = kernel->gridDim,
                                                            .blockDim = kernel->blockDim,
                                                            .sharedMemBytes = kernel->sharedMemBytes,
                                                            .kernelParams = kernel->kernelParams,
                                                            .extra = kernel->extra};
    else if (work->kind == &node_copy)
        work->copy = params->memcpy.copyParams;
    else if (work->kind == &node_fill)
        work->fill = (struct cudaMemsetParams){fill->dst,         fill->pitch, fill->value,
                                               fill->elementSize, fill->width, fill->height};
    else if (work->kind == &node_host)
        work->host = (struct cudaHostNodeParams){params->host.fn, params->host.userData};
    else if (work->kind == &node_child)
        work->child = params->graph.graph;
    else
        work->event = params->eventRecord.event;
    return work->kind != NULL;
}

cudaError_t cudaGraphAddNode(cudaGraphNode_t *made, cudaGraph_t graph, const cudaGraphNode_t *after,
                             const cudaGraphEdgeData *edges, size_t count, struct cudaGraphNodeParams *params)
{
    NEEDS_13;
    struct node_work work;
    (void)edges; /* when a node may begin already: it begins when what it depends on is done */
    REFUSE(!params, cudaErrorInvalidValue);
    return work_of(&work, params) ? add(made, graph, after, count, work) : cudaErrorNotSupported;
}

cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, struct cudaGraphNodeParams *params)
{
    struct node_work work;
    REFUSE(!params, cudaErrorInvalidValue);
    return work_of(&work, params) ? change(node, work) : cudaErrorNotSupported;
}

cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, struct cudaGraphNodeParams *params)
{
    struct node_work work;
    REFUSE(!params, cudaErrorInvalidValue);
    return work_of(&work, params) ? change_in(exec, node, work) : cudaErrorNotSupported;
}

/* ---- Attributes ---- */

RUNTIME(cudaGraphKernelNodeSetAttribute,
        (cudaGraphNode_t node, cudaLaunchAttributeID id, const cudaLaunchAttributeValue *value),
        !IS_NODE(node) || !value || node->work.kind != &node_launch ? runtime_return(cudaErrorInvalidValue)
                                                                    : launch_attribute(&node->work.launch, id, value))

cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t to, cudaGraphNode_t from)
{
    REFUSE(!IS_NODE(to) || !IS_NODE(from) || to->work.kind != &node_launch || from->work.kind != &node_launch,
           cudaErrorInvalidValue);
    const struct cudaKernelNodeParams params = to->work.launch.params;
    to->work.launch = from->work.launch;
    to->work.launch.params = params;
    return runtime_lost();
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned enabled)
{
    cudaGraphNode_t found = handle_is(HANDLE_EXEC, exec) && IS_NODE(node) ? graph_find(exec->graph, node) : NULL;
    REFUSE(!found, cudaErrorInvalidValue);
    found->disabled = !enabled;
    return runtime_lost();
}

cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned *enabled)
{
    const struct CUgraphNode_st *found =
        handle_is(HANDLE_EXEC, exec) && IS_NODE(node) && enabled ? graph_find(exec->graph, node) : NULL;
    REFUSE(!found, cudaErrorInvalidValue);
    return SET(enabled, !found->disabled, runtime_lost());
}

RUNTIME(cudaGraphNodeGetType, (cudaGraphNode_t node, enum cudaGraphNodeType *type),
        !IS_NODE(node) || !type ? runtime_return(cudaErrorInvalidValue)
                                : SET(type, node->work.kind->type, runtime_lost()))

RUNTIME(cudaGraphNodeFindInClone, (cudaGraphNode_t * found, cudaGraphNode_t node, cudaGraph_t clone),
        !found || !IS_NODE(node) || !clone || !(*found = graph_find(clone, node))
            ? runtime_return(cudaErrorInvalidValue)
            : runtime_lost())

RUNTIME(cudaGraphDestroyNode, (cudaGraphNode_t node), IS_NODE(node) ? (node_remove(node), runtime_lost()) : INVALID)

/* ---- Dependencies ---- */

static bool are_edges(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!from || !to || !IS_NODE(from[i]) || !IS_NODE(to[i]) || from[i]->graph != graph || to[i]->graph != graph ||
            from[i] == to[i])
            return false;
    return handle_is(HANDLE_GRAPH, graph);
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                     const cudaGraphEdgeData *edges, size_t count)
{
    NEEDS_13;
    (void)edges;
    REFUSE(!are_edges(graph, from, to, count), cudaErrorInvalidValue);
    for (size_t i = 0; i < count; i++)
        node_depend(to[i], from[i]);
    return runtime_lost();
}

cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                        const cudaGraphEdgeData *edges, size_t count)
{
    NEEDS_13;
    (void)edges;
    REFUSE(!are_edges(graph, from, to, count), cudaErrorInvalidValue);
    for (size_t i = 0; i < count; i++)
        for (size_t k = to[i]->after_count; k-- > 0;)
            if (to[i]->after[k] == from[i])
                to[i]->after[k] = to[i]->after[--to[i]->after_count];
    return runtime_lost();
}

/* A list for the program, as CUDA answers: the first *most of it, and NULL for those beyond, or only how many there
 * are.
 */
struct answer {
    cudaGraphNode_t *list;
    size_t *most, count;
};

static void answer_add(struct answer *answer, cudaGraphNode_t node)
{
    if (answer->list && answer->count < *answer->most)
        answer->list[answer->count] = node;
    answer->count++;
}

static cudaError_t answer_end(const struct answer *answer)
{
    for (size_t i = answer->count; answer->list && i < *answer->most; i++)
        answer->list[i] = NULL;
    if (!answer->list || *answer->most > answer->count)
        *answer->most = answer->count;
    return runtime_lost();
}

static cudaError_t list_nodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *most, bool roots)
{
    struct answer answer = {nodes, most, 0};
    REFUSE(!handle_is(HANDLE_GRAPH, graph) || !most, cudaErrorInvalidValue);
    for (size_t i = 0; i < graph->count; i++)
        if (!roots || graph->nodes[i]->after_count == 0)
            answer_add(&answer, graph->nodes[i]);
    return answer_end(&answer);
}

RUNTIME(cudaGraphGetNodes, (cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *most),
        list_nodes(graph, nodes, most, false))
RUNTIME(cudaGraphGetRootNodes, (cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *most),
        list_nodes(graph, nodes, most, true))

/* Lists both ends of edges: all, or those from or to a node. */
static cudaError_t list_edges(cudaGraph_t graph, struct answer froms, struct answer tos, cudaGraphEdgeData *edges,
                              const struct CUgraphNode_st *from, const struct CUgraphNode_st *to)
{
    for (size_t i = 0; i < graph->count; i++)
        for (size_t k = 0; k < graph->nodes[i]->after_count; k++)
            if ((!from || graph->nodes[i]->after[k] == from) && (!to || graph->nodes[i] == to)) {
                answer_add(&froms, graph->nodes[i]->after[k]);
                answer_add(&tos, graph->nodes[i]);
            }
    answer_end(&tos);
    const cudaError_t error = answer_end(&froms);
    const size_t count = *froms.most < *tos.most ? *froms.most : *tos.most;
    if (edges) /* all are of the kind that zeros say */
        memset(edges, 0, count * sizeof *edges);
    return error;
}

cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, cudaGraphEdgeData *edges,
                              size_t *most)
{
    NEEDS_13;
    REFUSE(!handle_is(HANDLE_GRAPH, graph) || !most, cudaErrorInvalidValue);
    size_t most_to = *most;
    return list_edges(graph, (struct answer){from, most, 0}, (struct answer){to, &most_to, 0}, edges, NULL, NULL);
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *nodes, cudaGraphEdgeData *edges,
                                         size_t *most)
{
    NEEDS_13;
    size_t none = 0;
    return IS_NODE(node) && most ? list_edges(node->graph, (struct answer){nodes, most, 0},
                                              (struct answer){NULL, &none, 0}, edges, NULL, node)
                                 : INVALID;
}

cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *nodes, cudaGraphEdgeData *edges,
                                           size_t *most)
{
    NEEDS_13;
    size_t none = 0;
    return IS_NODE(node) && most ? list_edges(node->graph, (struct answer){NULL, &none, 0},
                                              (struct answer){nodes, most, 0}, edges, node, NULL)
                                 : INVALID;
}
