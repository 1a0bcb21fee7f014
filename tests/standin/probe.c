/* An injection library that counts callbacks, and prints the numbers on standard error when the process ends. So tests
 * see what the driver loads for CUDA_INJECTION64_PATH, and what it tells such a library. */
#include <cupti_callbacks.h>
#include <cupti_driver_cbid.h>
#include <cupti_profiler_target.h>

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static atomic_int launches, failures, graph_launches, captures, modules;

static void count_call(CUpti_CallbackId id, const CUpti_CallbackData *call)
{
    if (call->callbackSite != CUPTI_API_EXIT)
        return;
    switch (id) {
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz:
        atomic_fetch_add(*(const CUresult *)call->functionReturnValue == CUDA_SUCCESS ? &launches : &failures, 1);
        break;
    case CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch:
        atomic_fetch_add(&graph_launches, 1);
        break;
    case CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture:
    case CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_ptsz:
    case CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_v2:
    case CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_v2_ptsz:
    case CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCaptureToGraph:
    case CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCaptureToGraph_ptsz:
        atomic_fetch_add(&captures, 1);
        break;
    default:
        break;
    }
}

static void CUPTIAPI listen(void *data, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void *info)
{
    (void)data;
    if (domain == CUPTI_CB_DOMAIN_DRIVER_API)
        count_call(id, info);
    else if (id == CUPTI_CBID_RESOURCE_MODULE_LOADED)
        atomic_fetch_add(&modules, 1);
}

static void say(void)
{
    fprintf(stderr, "probe: %d launches, %d failed, %d of graphs, %d captures, %d modules\n", launches, failures,
            graph_launches, captures, modules);
}

int InitializeInjection(void);

int InitializeInjection(void)
{
    int devices;
    CUpti_SubscriberHandle handle;
    CUpti_Profiler_Initialize_Params params = {.structSize = CUpti_Profiler_Initialize_Params_STRUCT_SIZE};
    const CUptiResult subscribed = cuptiSubscribe(&handle, listen, NULL);
    cuptiEnableDomain(1, handle, CUPTI_CB_DOMAIN_DRIVER_API);
    cuptiEnableDomain(1, handle, CUPTI_CB_DOMAIN_RESOURCE);
    fprintf(stderr, "probe: injected, subscribing answers %d, the profiler %d, the driver %d\n", (int)subscribed,
            (int)cuptiProfilerInitialize(&params), (int)cuDeviceGetCount(&devices));
    atexit(say);
    return 1;
}
