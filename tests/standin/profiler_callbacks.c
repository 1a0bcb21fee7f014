#include "profiler.h"

#include <cupti_callbacks.h>
#include <cupti_driver_cbid.h>
#include <cupti_nvtx_cbid.h>
#include <cupti_runtime_cbid.h>
#include <cupti_version.h>
#include <generated_nvtx_meta.h>

#include <dlfcn.h>
#include <stdatomic.h>

enum { MOST_CALLBACKS = 1024 };

struct CUpti_Subscriber_st {
    CUpti_CallbackFunc callback;
    void *data;
    bool enabled[CUPTI_CB_DOMAIN_SIZE][MOST_CALLBACKS];
};

/* the only subscriber that a process may have */
static struct CUpti_Subscriber_st subscriber;
static atomic_bool is_subscribed;
static const struct standin_driver *driver;

static bool is_enabled(CUpti_CallbackDomain domain, CUpti_CallbackId id)
{
    return is_subscribed && subscriber.enabled[domain][id];
}

/* ---- Told by the driver ---- */

/* As if all that is launched were launched by the runtime, whose calls hold the driver's. */
static void on_runtime(void)
{
    const CUpti_CallbackData data = {.callbackSite = CUPTI_API_EXIT, .functionName = "cudaLaunchKernel"};
    const CUpti_CallbackId id = CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000;
    if (is_enabled(CUPTI_CB_DOMAIN_RUNTIME_API, id))
        subscriber.callback(subscriber.data, CUPTI_CB_DOMAIN_RUNTIME_API, id, &data);
}

static void on_call(struct standin_call *call, bool is_exit)
{
    activity_call(call->correlation);
    if (!is_enabled(CUPTI_CB_DOMAIN_DRIVER_API, call->cbid))
        return;
    const CUpti_CallbackData data = {
        .callbackSite = is_exit ? CUPTI_API_EXIT : CUPTI_API_ENTER,
        .functionName = call->function,
        .functionParams = call->params,
        .functionReturnValue = is_exit ? &call->result : NULL,
        .symbolName = call->symbol,
        .context = call->context,
        .contextUid = call->context_id,
        .correlationData = &call->data,
        .correlationId = call->correlation,
    };
    subscriber.callback(subscriber.data, CUPTI_CB_DOMAIN_DRIVER_API, call->cbid, &data);
    if (is_exit && call->symbol)
        on_runtime();
}

static void resource(CUpti_CallbackId id, CUcontext context, void *descriptor)
{
    if (!is_enabled(CUPTI_CB_DOMAIN_RESOURCE, id))
        return;
    const CUpti_ResourceData data = {.context = context, .resourceDescriptor = descriptor};
    subscriber.callback(subscriber.data, CUPTI_CB_DOMAIN_RESOURCE, id, &data);
}

static void on_context(CUcontext context, bool is_created)
{
    resource(is_created ? CUPTI_CBID_RESOURCE_CONTEXT_CREATED : CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING, context,
             NULL);
}

static void on_module(CUcontext context, unsigned id, const void *image, size_t size, bool is_loaded)
{
    if (!is_loaded)
        range_unloaded(context);
    CUpti_ModuleResourceData data = {.moduleId = id, .cubinSize = size, .pCubin = image};
    resource(is_loaded ? CUPTI_CBID_RESOURCE_MODULE_LOADED : CUPTI_CBID_RESOURCE_MODULE_UNLOAD_STARTING, context,
             &data);
}

static void on_instantiated(CUcontext context, CUgraph graph, CUgraphExec exec)
{
    CUpti_GraphData data = {.graph = graph, .graphExec = exec};
    resource(CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATED, context, &data);
}

static void on_ran(const struct standin_kernel *kernel)
{
    activity_ran(kernel, false);
    range_ran(kernel);
    sass_ran(kernel);
    sampling_ran(kernel);
}

static void on_graph_ran(CUcontext context, const struct standin_kernel *kernels, size_t count)
{
    for (size_t i = 0; i < count; i++)
        activity_ran(&kernels[i], true);
    range_graph_ran(context, kernels, count);
}

static const struct standin_watcher watcher = {
    .call = on_call,
    .context = on_context,
    .module = on_module,
    .instantiated = on_instantiated,
    .ran = on_ran,
    .captured = range_captured,
    .graph_ran = on_graph_ran,
    .moved = activity_moved,
};

/* As the real one: it looks for the driver, and is not linked with it. So a program without CUDA that has this library
 * loaded still works. */
static void find_driver(void)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    driver = library ? dlsym(library, "standin_driver") : NULL;
    if (driver)
        driver->attach(&watcher);
}

const struct standin_driver *profiler_driver(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_driver);
    return driver;
}

/* ---- Told by the program ---- */

/* As if the program called nvtxRangePushA(name), or nvtxRangePop() where it is NULL, and NVTX handed that to CUPTI. */
void cupti_standin_nvtx(const char *name)
{
    const nvtxRangePushA_params push = {.message = name};
    const nvtxRangePop_params pop = {0};
    const CUpti_CallbackId id = name ? CUPTI_CBID_NVTX_nvtxRangePushA : CUPTI_CBID_NVTX_nvtxRangePop;
    const CUpti_NvtxData data = {.functionParams = name ? (const void *)&push : &pop};
    if (is_enabled(CUPTI_CB_DOMAIN_NVTX, id))
        subscriber.callback(subscriber.data, CUPTI_CB_DOMAIN_NVTX, id, &data);
}

/* ---- Functions ---- */

CUptiResult CUPTIAPI cuptiSubscribe(CUpti_SubscriberHandle *handle, CUpti_CallbackFunc callback, void *userdata)
{
    REFUSE(!handle, CUPTI_ERROR_INVALID_PARAMETER);
    REFUSE(!profiler_driver(), CUPTI_ERROR_UNKNOWN);
    REFUSE(!driver->subscribe(), CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
    subscriber = (struct CUpti_Subscriber_st){.callback = callback, .data = userdata};
    is_subscribed = true;
    *handle = &subscriber;
    return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiUnsubscribe(CUpti_SubscriberHandle handle)
{
    REFUSE(!is_subscribed || handle != &subscriber, CUPTI_ERROR_INVALID_PARAMETER);
    is_subscribed = false;
    driver->unsubscribe();
    return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiEnableCallback(uint32_t enable, CUpti_SubscriberHandle handle, CUpti_CallbackDomain domain,
                                         CUpti_CallbackId cbid)
{
    if (!is_subscribed || handle != &subscriber || domain <= CUPTI_CB_DOMAIN_INVALID ||
        domain >= CUPTI_CB_DOMAIN_SIZE || cbid >= MOST_CALLBACKS)
        return CUPTI_ERROR_INVALID_PARAMETER;
    handle->enabled[domain][cbid] = enable != 0;
    return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiEnableDomain(uint32_t enable, CUpti_SubscriberHandle handle, CUpti_CallbackDomain domain)
{
    CUptiResult result = CUPTI_SUCCESS;
    for (CUpti_CallbackId id = 0; id < MOST_CALLBACKS && result == CUPTI_SUCCESS; id++)
        result = cuptiEnableCallback(enable, handle, domain, id);
    return result;
}

CUptiResult CUPTIAPI cuptiGetVersion(uint32_t *version)
{
    *version = CUPTI_API_VERSION;
    return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiGetResultString(CUptiResult result, const char **str)
{
    /* To add a word: a row. */
    static const struct {
        CUptiResult result;
        const char *word;
    } words[] = {
#define WORD(name) {name, #name}
        WORD(CUPTI_SUCCESS),
        WORD(CUPTI_ERROR_INVALID_PARAMETER),
        WORD(CUPTI_ERROR_INVALID_CONTEXT),
        WORD(CUPTI_ERROR_INVALID_OPERATION),
        WORD(CUPTI_ERROR_OUT_OF_MEMORY),
        WORD(CUPTI_ERROR_NOT_INITIALIZED),
        WORD(CUPTI_ERROR_INVALID_METRIC_NAME),
        WORD(CUPTI_ERROR_HARDWARE_BUSY),
        WORD(CUPTI_ERROR_NOT_SUPPORTED),
        WORD(CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED),
        WORD(CUPTI_ERROR_INVALID_CHIP_NAME),
        WORD(CUPTI_ERROR_UNKNOWN),
#undef WORD
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (words[i].result == result) {
            *str = words[i].word;
            return CUPTI_SUCCESS;
        }
    }
    return CUPTI_ERROR_INVALID_PARAMETER;
}
