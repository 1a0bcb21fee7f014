/* Graphs as a whole, and those that can be launched: copies, which do not change with their graph. */
#include "runtime.h"

#include "graph.h"
#include "handle.h"

/* ---- Graphs ---- */

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    runtime_calls();
    REFUSE(!handle_is(HANDLE_GRAPH, graph) || graph->owned || stream_captures(graph), cudaErrorInvalidValue);
    graph_release(graph);
    return runtime_lost();
}

cudaError_t cudaGraphCreate(cudaGraph_t *made, unsigned flags)
{
    runtime_calls();
    CUDA_TRY(runtime_lost());
    REFUSE(!made || flags != 0, cudaErrorInvalidValue);
    *made = graph_new();
    return cudaSuccess;
}

RUNTIME(cudaGraphClone, (cudaGraph_t * made, cudaGraph_t graph),
        made &&handle_is(HANDLE_GRAPH, graph) ? runtime_return(graph_copy(made, graph))
                                              : runtime_return(cudaErrorInvalidValue))

/* ---- Executable graphs ---- */

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *made, cudaGraph_t graph, unsigned long long flags)
{
    runtime_calls();
    REFUSE(!made || !handle_is(HANDLE_GRAPH, graph), cudaErrorInvalidValue);
    if (flags & cudaGraphInstantiateFlagDeviceLaunch)
        return runtime_not_simulated("a graph for device-side launch");
    if (stream_captures(graph)) /* it would change yet */
        return runtime_not_simulated("a graph that is still being captured");
    cudaGraph_t copy = NULL;
    cudaError_t error = graph_run(graph, true);
    if (error == cudaSuccess)
        error = graph_copy(&copy, graph);
    if (error != cudaSuccess)
        return runtime_return(error);
    *made = handle_new(HANDLE_EXEC, sizeof **made);
    **made = (struct CUgraphExec_st){copy, flags};
    return runtime_lost();
}

RUNTIME(cudaGraphInstantiate, (cudaGraphExec_t * made, cudaGraph_t graph, unsigned long long flags),
        cudaGraphInstantiateWithFlags(made, graph, flags))

cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t *made, cudaGraph_t graph, cudaGraphInstantiateParams *params)
{
    REFUSE(!params, cudaErrorInvalidValue);
    const cudaError_t error = cudaGraphInstantiateWithFlags(made, graph, params->flags);
    params->errNode_out = NULL;
    params->result_out = error == cudaSuccess ? cudaGraphInstantiateSuccess : cudaGraphInstantiateError;
    return error;
}

RUNTIME(cudaGraphExecGetFlags, (cudaGraphExec_t exec, unsigned long long *flags),
        handle_is(HANDLE_EXEC, exec) ? SET(flags, exec->flags, runtime_lost()) : runtime_return(cudaErrorInvalidValue))

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec)
{
    runtime_calls();
    REFUSE(!handle_is(HANDLE_EXEC, exec), cudaErrorInvalidValue);
    graph_release(exec->graph);
    handle_free(exec);
    return runtime_lost();
}

RUNTIME(cudaGraphUpload, (cudaGraphExec_t exec, cudaStream_t stream),
        ((void)stream, handle_is(HANDLE_EXEC, exec) ? runtime_lost() : runtime_return(cudaErrorInvalidValue)))

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream)
{
    CUDA_TRY(runtime_lost());
    REFUSE(!handle_is(HANDLE_EXEC, exec), cudaErrorInvalidValue);
    cudaGraph_t graph = stream_graph(stream);
    struct node_work work = {.kind = &node_child};
    if (!graph)
        stream_begins(stream);
    const cudaError_t error = graph ? graph_copy(&work.child, exec->graph) : graph_run(exec->graph, false);
    if (error == cudaSuccess && graph)
        graph_capture(stream, &work);
    if (error == cudaSuccess)
        stream_chain(stream, exec->graph->chain);
    return error;
}

/* Whether nodes are the same kind of work in the same order, with the same dependencies. */
static bool is_like(cudaGraph_t graph, cudaGraph_t other, cudaGraphExecUpdateResultInfo *info)
{
    bool like = graph->count == other->count;
    graph_number(graph);
    graph_number(other);
    for (size_t i = 0; like && i < graph->count; i++) {
        const struct CUgraphNode_st *node = graph->nodes[i], *with = other->nodes[i];
        info->errorNode = other->nodes[i];
        if (node->work.kind != with->work.kind) {
            info->result = cudaGraphExecUpdateErrorNodeTypeChanged;
            return false;
        }
        like = node->after_count == with->after_count;
        for (size_t k = 0; like && k < node->after_count; k++)
            like = node->after[k]->index == with->after[k]->index;
        if (like && node->work.kind == &node_child && !is_like(node->work.child, with->work.child, info))
            return false;
    }
    if (!like)
        info->result = cudaGraphExecUpdateErrorTopologyChanged;
    return like;
}

/* Takes the work of such a graph. The nodes stay, so that a program can change them by those of the first one. */
static cudaError_t take(cudaGraph_t graph, cudaGraph_t other)
{
    cudaError_t error = cudaSuccess;
    for (size_t i = 0; i < graph->count && error == cudaSuccess; i++) {
        struct node_work *work = &graph->nodes[i]->work, kept;
        if (work->kind == &node_child) {
            error = take(work->child, other->nodes[i]->work.child);
        } else if ((error = work_keep(&kept, &other->nodes[i]->work)) == cudaSuccess) {
            work_release(work);
            *work = kept;
        }
    }
    return error;
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphExecUpdateResultInfo *info)
{
    runtime_calls();
    REFUSE(!handle_is(HANDLE_EXEC, exec) || !handle_is(HANDLE_GRAPH, graph) || !info, cudaErrorInvalidValue);
    if (stream_captures(graph))
        return runtime_not_simulated("a graph that is still being captured");
    *info = (cudaGraphExecUpdateResultInfo){.result = cudaGraphExecUpdateSuccess};
    REFUSE(!is_like(exec->graph, graph, info), cudaErrorGraphExecUpdateFailure);
    info->errorNode = NULL;
    return runtime_return(take(exec->graph, graph));
}
