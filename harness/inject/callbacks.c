/* Takes CUPTI's callbacks: says which calls and resources of the driver are watched, and which function takes each. */
#include "driver_calls.h"

#include "activity.h"
#include "groups.h"
#include "keep.h"
#include "launch.h"
#include "process.h"

static bool is_done(const CUpti_CallbackData *call)
{
    return call->callbackSite == CUPTI_API_EXIT && *(const CUresult *)call->functionReturnValue == CUDA_SUCCESS;
}

/* ---- Modules ---- */

static void on_module_load(CUpti_CallbackId id, const CUpti_CallbackData *call)
{
    (void)id;
    if (call->callbackSite == CUPTI_API_ENTER)
        modules_expect();
    else if (*(const CUresult *)call->functionReturnValue == CUDA_SUCCESS)
        /* The parameters of all these calls begin with the place that the handle goes to. */
        modules_name(*((const cuModuleLoadData_params *)call->functionParams)->module);
}

/* Takes the questions about a kernel of a library, or about a variable, in which its module may be loaded. */
static void on_question(CUpti_CallbackId id, const CUpti_CallbackData *call)
{
    if (call->callbackSite == CUPTI_API_ENTER)
        modules_expect();
    if (!modules_has_one() || !is_done(call))
        return;
    CUkernel kernel = NULL;
    if (id == CUPTI_DRIVER_TRACE_CBID_cuKernelGetFunction)
        kernel = ((const cuKernelGetFunction_params *)call->functionParams)->kernel;
    else if (id == CUPTI_DRIVER_TRACE_CBID_cuKernelGetAttribute)
        kernel = ((const cuKernelGetAttribute_params *)call->functionParams)->kernel;
    else if (id == CUPTI_DRIVER_TRACE_CBID_cuKernelSetAttribute)
        kernel = ((const cuKernelSetAttribute_params *)call->functionParams)->kernel;
    modules_name(kernel ? module_of_function((CUfunction)kernel)
                        : module_of_library(((const cuLibraryGetGlobal_params *)call->functionParams)->library));
}

/* The driver may give the handle of a library's module to another one, of which nobody may hear how it was loaded. */
static void on_unload(CUpti_CallbackId id, const CUpti_CallbackData *call)
{
    if (call->callbackSite == CUPTI_API_ENTER) {
        ranges_forget_code();
        modules_forget(id == CUPTI_DRIVER_TRACE_CBID_cuModuleUnload
                           ? ((const cuModuleUnload_params *)call->functionParams)->hmod
                           : module_of_library(((const cuLibraryUnload_params *)call->functionParams)->library));
    }
    functions_forget();
}

/* ---- What the host waits for ---- */

static void on_synchronization(CUpti_CallbackId id, const CUpti_CallbackData *call)
{
    if (!is_done(call) || process_is_own())
        return;
    atomic_fetch_add(&process.synchronizations, 1);
    if (id == CUPTI_DRIVER_TRACE_CBID_cuEventSynchronize)
        launch_end_hold();
}

/* Counts a call of the program's. */
#define COUNTED(name, counter)                                                                                         \
    static void on_##name(CUpti_CallbackId id, const CUpti_CallbackData *call)                                         \
    {                                                                                                                  \
        (void)id;                                                                                                      \
        if (is_done(call) && !process_is_own())                                                                        \
            atomic_fetch_add(&process.counter, 1);                                                                     \
    }
COUNTED(allocation, allocations)
COUNTED(stream_call, stream_calls)

/* ---- Graphs ---- */

/* What comes of a call that was done, by its parameters. */
#define DONE(name, type, ...)                                                                                          \
    static void on_##name(CUpti_CallbackId id, const CUpti_CallbackData *call)                                         \
    {                                                                                                                  \
        const type *set = call->functionParams;                                                                        \
        (void)id;                                                                                                      \
        if (is_done(call))                                                                                             \
            __VA_ARGS__;                                                                                               \
    }
/* The parameters of both versions begin with the two graphs. */
DONE(graph_update, cuGraphExecUpdate_v2_params, graph_take(set->hGraphExec, set->hGraph))
DONE(graph_enable, cuGraphNodeSetEnabled_params, graph_enable_node(set->hGraphExec, set->hNode, set->isEnabled))
DONE(graph_inside, cuGraphExecChildGraphNodeSetParams_params,
     graph_set_inner(set->hGraphExec, set->hNode, set->childGraph))

static void on_graph_kernel(CUpti_CallbackId id, const CUpti_CallbackData *call)
{
    const cuGraphExecKernelNodeSetParams_v2_params *set = call->functionParams;
    if (!is_done(call))
        return;
    CUDA_KERNEL_NODE_PARAMS kernel = {0};
    /* The first version ends before `kern`. */
    memcpy(&kernel, set->nodeParams,
           id == CUPTI_DRIVER_TRACE_CBID_cuGraphExecKernelNodeSetParams ? offsetof(CUDA_KERNEL_NODE_PARAMS, kern)
                                                                        : sizeof kernel);
    graph_set_kernel(set->hGraphExec, set->hNode, &kernel);
}

/* Takes the call that changes a node of any kind. */
static void on_graph_node(CUpti_CallbackId id, const CUpti_CallbackData *call)
{
    const cuGraphExecNodeSetParams_params *set = call->functionParams;
    (void)id;
    if (!is_done(call))
        return;
    const CUgraphNodeParams *node = set->nodeParams;
    if (node->type == CU_GRAPH_NODE_TYPE_KERNEL) {
        const CUDA_KERNEL_NODE_PARAMS kernel = {
            .func = node->kernel.func,
            .kern = node->kernel.kern,
            .gridDimX = node->kernel.gridDimX,
            .gridDimY = node->kernel.gridDimY,
            .gridDimZ = node->kernel.gridDimZ,
            .blockDimX = node->kernel.blockDimX,
            .blockDimY = node->kernel.blockDimY,
            .blockDimZ = node->kernel.blockDimZ,
            .sharedMemBytes = node->kernel.sharedMemBytes,
        };
        graph_set_kernel(set->hGraphExec, set->hNode, &kernel);
    } else if (node->type == CU_GRAPH_NODE_TYPE_GRAPH) {
        graph_set_inner(set->hGraphExec, set->hNode, node->graph.graph);
    } else if (node->type == CU_GRAPH_NODE_TYPE_CONDITIONAL) {
        graph_spoil(set->hGraphExec);
    }
}

/* ---- Launches that are seen, and not measured: by old calls, or on several devices ---- */

static void on_old_launch(CUpti_CallbackId id, const CUpti_CallbackData *call)
{
    (void)id;
    if (call->callbackSite == CUPTI_API_ENTER) {
        process_stop_session();
        atomic_fetch_add(&process.unwatched[UNWATCHED_CALL], 1);
    }
}

/* ---- The driver's calls ---- */

typedef void take_call(CUpti_CallbackId id, const CUpti_CallbackData *call);

#define CALL(name, take)                                                                                               \
    {                                                                                                                  \
        CUPTI_DRIVER_TRACE_CBID_##name, take                                                                           \
    }

/* Also the name of it for a default stream of each thread. */
#define BOTH(name, of_thread, take) CALL(name, take), CALL(name##of_thread, take)

static const struct {
    CUpti_CallbackId id;
    take_call *take;
} calls[] = {
#include "watched_calls.txt" /* beside those of launch_calls */
};

static take_call *taker_of(CUpti_CallbackId id)
{
    for (size_t i = 0; process.request.keeps && i < reach_call_count; i++)
        if (reach_calls[i] == id)
            return reach_take;
    for (size_t i = 0; i < ARRAY_SIZE(calls); i++)
        if (calls[i].id == id)
            return calls[i].take;
    for (size_t i = 0; i < LAUNCH_CALLS; i++)
        if (launch_calls[i] == id)
            return launch_of_kernel;
    return NULL;
}

/* ---- Resources ---- */

static void on_resource(CUpti_CallbackId id, const CUpti_ResourceData *data)
{
    if (id == CUPTI_CBID_RESOURCE_MODULE_LOADED) {
        const CUpti_ModuleResourceData *module = data->resourceDescriptor;
        modules_take(process.request.folder, module->pCubin, module->cubinSize);
    } else if (id == CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATED) {
        const CUpti_GraphData *graph = data->resourceDescriptor;
        graph_take(graph->graphExec, graph->graph);
    } else if (id == CUPTI_CBID_RESOURCE_GRAPHEXEC_DESTROY_STARTING) {
        graph_forget(((const CUpti_GraphData *)data->resourceDescriptor)->graphExec);
    } else if (id == CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING) {
        functions_forget();
        if (data->context != ranges_context())
            return;
        process_stop_session();
        ranges_close();
    }
}

static const CUpti_CallbackId resources[] = {
    CUPTI_CBID_RESOURCE_MODULE_LOADED,
    CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATED,
    CUPTI_CBID_RESOURCE_GRAPHEXEC_DESTROY_STARTING,
    CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING,
};

/* ---- CUPTI's callback ---- */

static void CUPTIAPI on_event(void *data, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void *info)
{
    (void)data;
    if (domain == CUPTI_CB_DOMAIN_NVTX) {
        bounds_take_nvtx(id, ((const CUpti_NvtxData *)info)->functionParams);
        return;
    }
    take_call *take = domain == CUPTI_CB_DOMAIN_DRIVER_API ? taker_of(id) : NULL;
    if (take == on_question && modules_are_asked()) /* it is cugate's own */
        return;
    /* The callback comes from within a launch or a question of cugate's, which may load a module. */
    const bool inside = launch_is_within() || modules_are_asked();
    if (process_is_off() && !inside)
        return;
    /* The first two keep the mutex until the launch returns, the others need none. */
    if (take == launch_of_kernel || take == launch_of_graph || take == bounds_take_profiler ||
        take == on_synchronization || take == on_allocation || take == on_stream_call) {
        take(id, info);
        return;
    }
    if (!inside && !process_lock(LAUNCH_SECONDS)) {
        /* Of graphs, captures and code nobody knows now what is launched. */
        if (take)
            atomic_fetch_add(&process.unwatched[UNWATCHED_WAIT], 1);
        return;
    }
    if (take)
        take(id, info);
    else if (domain == CUPTI_CB_DOMAIN_RESOURCE)
        on_resource(id, info);
    if (!inside)
        process_unlock();
}

int callbacks_subscribe(struct problem *problem)
{
    CUpti_SubscriberHandle subscriber;
    CUptiResult result = cuptiSubscribe(&subscriber, (CUpti_CallbackFunc)on_event, NULL);
    for (size_t i = 0; i < ARRAY_SIZE(calls) && result == CUPTI_SUCCESS; i++)
        result = cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API, calls[i].id);
    for (size_t i = 0; i < LAUNCH_CALLS && result == CUPTI_SUCCESS; i++)
        result = cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API, launch_calls[i]);
    for (size_t i = 0; process.request.keeps && i < reach_call_count && result == CUPTI_SUCCESS; i++)
        result = cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API, reach_calls[i]);
    for (size_t i = 0; i < ARRAY_SIZE(resources) && result == CUPTI_SUCCESS; i++)
        result = cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_RESOURCE, resources[i]);
    if (process.request.part.nvtx_count > 0 && result == CUPTI_SUCCESS)
        result = cuptiEnableDomain(1, subscriber, CUPTI_CB_DOMAIN_NVTX);
    if (result == CUPTI_SUCCESS && !process.request.lines && !process.request.keeps)
        activity_begin();
    return cupti_check("watching the program's launches", result, problem);
}
