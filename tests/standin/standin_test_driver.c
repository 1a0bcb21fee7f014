/* Tests the driver, and what it tells the profiler: callbacks, modules, functions. */

/* generated_cuda_meta.h names old types, which cuda.h defines only under this macro. Functions have no default version
 * then. */
#define __CUDA_API_VERSION_INTERNAL
#include "standin_test.h"

#include <cupti_driver_cbid.h>
#include <cupti_profiler_host.h>
#include <generated_cuda_meta.h>

#include <dlfcn.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Callbacks ---- */

static struct {
    int enters, exits;
    char symbol[64];
    unsigned blocks;
    CUresult result;
    size_t module_bytes;
    unsigned modules, contexts_made, contexts_ended, nodes;
    bool in_launch, module_in_launch, module_was_whole;
} heard;

static void on_graph(const CUpti_GraphData *data)
{
    size_t count = 0;
    MUST(cuGraphGetNodes(data->graph, NULL, &count));
    CUgraphNode *nodes = calloc(count, sizeof(CUgraphNode));
    MUST(cuGraphGetNodes(data->graph, nodes, &count));
    for (size_t i = 0; i < count; i++) {
        CUgraphNodeType type;
        CUDA_KERNEL_NODE_PARAMS params;
        const char *name;
        MUST(cuGraphNodeGetType(nodes[i], &type));
        if (type != CU_GRAPH_NODE_TYPE_KERNEL)
            continue;
        MUST(cuGraphKernelNodeGetParams_v2(nodes[i], &params));
        MUST(params.func ? cuFuncGetName(&name, params.func) : cuKernelGetName(&name, params.kern));
        heard.nodes += params.gridDimX == 64 && strcmp(name, "add_one") == 0;
    }
    free(nodes);
}

static void CUPTIAPI listen(void *data, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void *info)
{
    (void)data;
    if (domain == CUPTI_CB_DOMAIN_RESOURCE) {
        const CUpti_ResourceData *resource = info;
        const CUpti_ModuleResourceData *module = resource->resourceDescriptor;
        heard.contexts_made += id == CUPTI_CBID_RESOURCE_CONTEXT_CREATED;
        heard.contexts_ended += id == CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING;
        if (id == CUPTI_CBID_RESOURCE_MODULE_LOADED) {
            heard.modules++;
            heard.module_bytes = module->cubinSize;
            heard.module_was_whole = memcmp(module->pCubin, "\177ELF", 4) == 0;
            heard.module_in_launch = heard.in_launch;
        }
        if (id == CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATED)
            on_graph(resource->resourceDescriptor);
        return;
    }
    const CUpti_CallbackData *call = info;
    if (id != CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel)
        return;
    heard.in_launch = call->callbackSite == CUPTI_API_ENTER;
    if (call->callbackSite == CUPTI_API_ENTER) {
        heard.enters++;
        snprintf(heard.symbol, sizeof heard.symbol, "%s", call->symbolName);
        heard.blocks = ((const cuLaunchKernel_params *)call->functionParams)->gridDimX;
        *call->correlationData = 42;
    } else {
        heard.exits += *call->correlationData == 42;
        heard.result = *(const CUresult *)call->functionReturnValue;
    }
}

static void subscribe(CUpti_SubscriberHandle *handle)
{
    cr_assert_eq(cuptiSubscribe(handle, listen, NULL), CUPTI_SUCCESS);
    cr_assert_eq(cuptiEnableDomain(1, *handle, CUPTI_CB_DOMAIN_RESOURCE), CUPTI_SUCCESS);
    cr_assert_eq(cuptiEnableCallback(1, *handle, CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel),
                 CUPTI_SUCCESS);
}

Test(callbacks, of_launches_and_resources)
{
    CUpti_SubscriberHandle handle;
    struct gpu gpu;
    subscribe(&handle);
    gpu_open(&gpu, 0);
    cr_assert_eq(heard.contexts_made, 1);
    cr_assert_eq(heard.modules, 1);
    cr_assert(heard.module_was_whole);
    cr_assert_gt(heard.module_bytes, 1000);
    launch(&gpu, "add_one", 64, 256);
    cr_assert_str_eq(heard.symbol, "add_one");
    cr_assert_eq(heard.blocks, 64);
    cr_assert_eq(heard.enters, 1);
    cr_assert_eq(heard.exits, 1, "with what was kept at ENTER");
    cr_assert_eq(heard.result, CUDA_SUCCESS);
    cr_assert_eq(try_launch(&gpu, "add_one", 64, 2048, NULL), CUDA_ERROR_INVALID_VALUE);
    cr_assert_eq(heard.result, CUDA_ERROR_INVALID_VALUE);
    gpu_close(&gpu);
    MUST(cuDevicePrimaryCtxRelease_v2(0));
    cr_assert_eq(heard.contexts_ended, 1);
    cr_assert_eq(cuptiUnsubscribe(handle), CUPTI_SUCCESS);
    gpu_open(&gpu, 0);
    cr_assert_eq(heard.contexts_made, 1, "nothing is heard any more");
}

Test(callbacks, a_library_is_loaded_inside_the_first_launch)
{
    CUpti_SubscriberHandle handle;
    struct gpu gpu;
    CUlibrary library;
    CUkernel kernel;
    CUfunction function;
    const char *name;
    int value;
    gpu_open(&gpu, 0);
    subscribe(&handle);
    MUST(cuLibraryLoadData(&library, _binary_other_cubin_start, NULL, NULL, 0, NULL, NULL, 0));
    MUST(cuLibraryGetKernel(&kernel, library, "add_one"));
    cr_assert_eq(heard.modules, 0);
    int numbers = NUMBERS;
    void *parameters[] = {&gpu.numbers, &numbers, &numbers};
    CUfunction handle_of_kernel = (CUfunction)(void *)kernel;
    MUST(cuLaunchKernel(handle_of_kernel, 64, 1, 1, 256, 1, 1, 0, NULL, parameters, NULL));
    cr_assert_eq(heard.modules, 1);
    cr_assert(heard.module_in_launch);
    MUST(cuLaunchKernel(handle_of_kernel, 64, 1, 1, 256, 1, 1, 0, NULL, parameters, NULL));
    cr_assert_eq(heard.modules, 1);
    /* The handle is no function, but a kernel that has one. */
    cr_assert_eq(cuFuncGetName(&name, handle_of_kernel), CUDA_ERROR_INVALID_HANDLE);
    cr_assert_eq(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, handle_of_kernel), CUDA_ERROR_INVALID_HANDLE);
    MUST(cuKernelGetName(&name, kernel));
    cr_assert_str_eq(name, "add_one");
    MUST(cuKernelGetFunction(&function, kernel));
    CUmodule module;
    MUST(cuFuncGetModule(&module, function));
    cr_assert_neq(module, gpu.module);
    MUST(cuKernelGetAttribute(&value, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, kernel, 0));
    cr_assert_eq(value, 512);
    MUST(cuLibraryUnload(library));
}

Test(callbacks, a_graph_names_its_kernels)
{
    CUpti_SubscriberHandle handle;
    struct gpu gpu;
    CUstream stream;
    CUgraph graph;
    CUgraphExec exec;
    gpu_open(&gpu, 0);
    subscribe(&handle);
    MUST(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    MUST(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    launch_on(&gpu, "add_one", 64, 256, stream);
    launch_on(&gpu, "add_one", 64, 256, stream);
    launch_on(&gpu, "tiny", 64, 256, stream);
    MUST(cuStreamEndCapture(stream, &graph));
    MUST(cuGraphInstantiateWithFlags(&exec, graph, 0));
    cr_assert_eq(heard.nodes, 2);
    cr_assert_eq(heard.enters, 3, "captured launches are heard of like others");
    MUST(cuGraphLaunch(exec, stream));
    cr_assert_eq(heard.enters, 3, "those of a graph are not");
}

Test(callbacks, one_subscriber_a_process_across_copies)
{
    CUpti_SubscriberHandle handle, second;
    cr_assert_eq(cuptiSubscribe(&handle, listen, NULL), CUPTI_SUCCESS);
    cr_assert_eq(cuptiSubscribe(&second, listen, NULL), CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);

    /* This is another file with the same library in it. */
    Dl_info info;
    char command[1024], copy[] = "/tmp/standin-XXXXXX";
    cr_assert_neq(dladdr((void *)(size_t)cuptiSubscribe, &info), 0);
    const int file = mkstemp(copy);
    cr_assert_geq(file, 0);
    close(file);
    snprintf(command, sizeof command, "cp '%s' %s", info.dli_fname, copy);
    cr_assert_eq(system(command), 0);
    void *library = dlopen(copy, RTLD_NOW | RTLD_LOCAL);
    unlink(copy);
    cr_assert_not_null(library, "%s", dlerror());
    CUptiResult (*other)(CUpti_SubscriberHandle *, CUpti_CallbackFunc, void *) = NULL;
    *(void **)&other = dlsym(library, "cuptiSubscribe");
    cr_assert_neq(other, cuptiSubscribe);
    cr_assert_eq(other(&second, listen, NULL), CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
    cr_assert_eq(cuptiUnsubscribe(handle), CUPTI_SUCCESS);
    cr_assert_eq(other(&second, listen, NULL), CUPTI_SUCCESS);
}

/* ---- The driver ---- */

Test(driver, facts_are_those_of_the_machine_code)
{
    struct gpu gpu;
    CUfunction function;
    int value;
    gpu_open(&gpu, 0);
    MUST(cuModuleGetFunction(&function, gpu.module, "large"));
    MUST(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, function));
    cr_assert_geq(value, 8);
    MUST(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, function));
    cr_assert_geq(value, 24 * 4, "its array");
    MUST(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, function));
    cr_assert_eq(value, 0);
    cr_assert_eq(cuModuleGetFunction(&function, gpu.module, "not_there"), CUDA_ERROR_NOT_FOUND);
    CUmodule module;
    cr_assert_eq(cuModuleLoadData(&module, "// PTX is not read"), CUDA_ERROR_INVALID_IMAGE);
}

Test(driver, needs_to_be_initialized)
{
    int count = -1;
    CUcontext context;
    cr_assert_eq(cuDeviceGetCount(&count), CUDA_ERROR_NOT_INITIALIZED);
    cr_assert_eq(cuDevicePrimaryCtxRetain(&context, 0), CUDA_ERROR_NOT_INITIALIZED);
    setenv("STANDIN_DEVICES", "0", 1);
    cr_assert_eq(cuInit(0), CUDA_ERROR_NO_DEVICE);
    setenv("STANDIN_DEVICES", "3", 1);
    MUST(cuInit(0));
    MUST(cuDeviceGetCount(&count));
    cr_assert_eq(count, 3);
    CUuuid first, third;
    MUST(cuDeviceGetUuid_v2(&first, 0));
    MUST(cuDeviceGetUuid_v2(&third, 2));
    cr_assert_neq(memcmp(&first, &third, sizeof first), 0);
    cr_assert_eq(cuDeviceGetUuid_v2(&third, 3), CUDA_ERROR_INVALID_DEVICE);
}

/* ---- Metrics ---- */

static CUptiResult add(void *host, const char *metric)
{
    CUpti_Profiler_Host_ConfigAddMetrics_Params params = {
        .structSize = CUpti_Profiler_Host_ConfigAddMetrics_Params_STRUCT_SIZE,
        .pHostObject = host,
        .ppMetricNames = &metric,
        .numMetrics = 1,
    };
    return cuptiProfilerHostConfigAddMetrics(&params);
}

static void *new_host(const char *chip, CUptiResult expected)
{
    CUpti_Profiler_Host_Initialize_Params params = {
        .structSize = CUpti_Profiler_Host_Initialize_Params_STRUCT_SIZE,
        .profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER,
        .pChipName = chip,
    };
    cr_assert_eq(cuptiProfilerHostInitialize(&params), expected);
    return params.pHostObject;
}

static void end_host(void *host)
{
    CUpti_Profiler_Host_Deinitialize_Params params = {
        .structSize = CUpti_Profiler_Host_Deinitialize_Params_STRUCT_SIZE,
        .pHostObject = host,
    };
    cr_assert_eq(cuptiProfilerHostDeinitialize(&params), CUPTI_SUCCESS);
}

Test(metrics, a_name_that_is_refused_spoils_the_object)
{
    void *host = new_host("GH100", CUPTI_SUCCESS);
    cr_assert_eq(add(host, INSTRUCTIONS), CUPTI_SUCCESS);
    cr_assert_eq(add(host, "nothing__of_the_kind.sum"), CUPTI_ERROR_INVALID_PARAMETER);
    cr_assert_eq(add(host, INSTRUCTIONS), CUPTI_ERROR_UNKNOWN);
    end_host(host);
    new_host("GX999", CUPTI_ERROR_INVALID_CHIP_NAME);
}

/* A metric that is added to the metric files has to be added to profiler_metrics.c. Those that are read only where they
 * are named are exempt. */
Test(metrics, has_those_of_the_metric_files)
{
    glob_t files;
    cr_assert_eq(glob("metrics/*.ini", 0, NULL, &files), 0, "run this from the root of the tree");
    void *host = new_host("GH100", CUPTI_SUCCESS);
    int count = 0;
    for (size_t i = 0; i < files.gl_pathc; i++) {
        FILE *file = fopen(files.gl_pathv[i], "r");
        cr_assert_not_null(file);
        char line[512], name[256];
        while (fgets(line, sizeof line, file) && strncmp(line, "optional", 8) != 0) {
            if (sscanf(line, "counter = %255s", name) != 1 || strncmp(name, "cugate.", 7) == 0)
                continue;
            cr_expect_eq(add(host, name), CUPTI_SUCCESS, "%s", name);
            count++;
        }
        fclose(file);
    }
    globfree(&files);
    end_host(host);
    cr_assert_gt(count, 25);
}
