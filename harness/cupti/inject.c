/* The way in, and what CUPTI tells: launches, captures, graphs, modules; and how a process of the program ends. */

/* cuda.h defines the old types that generated_cuda_meta.h names only under this. */
#define __CUDA_API_VERSION_INTERNAL
#include "inject.h"

#include "base/base.h"
#include "worker/worker.h"

#include <cupti_driver_cbid.h>
#include <cupti_nvtx_cbid.h>
#include <cupti_target.h>
#include <cupti_version.h>
#include <generated_cuda_meta.h>
#include <generated_nvtx_meta.h>

#include <dlfcn.h>
#include <errno.h>
#include <fnmatch.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    PATIENCE = 16,       /* launches in a row that nobody wants, after which the session ends: they cost 1 ms each, and
                          * ending and beginning anew 15 */
    FAILURES_MAX = 3,    /* sessions in a row that went wrong */
    LAUNCH_SECONDS = 10, /* that a launch waits for one of another thread, which may wait for this one */
    DYING_SECONDS = 3,   /* for sending what was counted, when a signal ends the process: a kernel may never end */
    WATCH_MS = 50
};

#define QUIET_SECONDS 0.2 /* without a launch, after which what was counted is sent */
#define YIELD_SECONDS 0.1 /* likewise, when another process waits for the counters */

static struct {
    struct request request;
    pthread_mutex_t mutex; /* of all below, and of what the other files keep */
    atomic_bool off;       /* nothing is measured any more */
    bool described;
    char gpu[128]; /* name of the model; empty: not known yet */
    int captures;  /* streams that are being captured */
    size_t unwanted, failures;
    atomic_size_t unwatched; /* launches of no group */
    double last;             /* launch, by now_seconds() */
    atomic_int signal;       /* that is to end the process */
    sem_t signals;           /* posted then: it takes no descriptor, which the program might close */
} self = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static _Thread_local bool within;                /* a launch of this thread's, which holds the mutex */
static _Thread_local struct group *current;      /* what it launches; NULL when nobody wants it */
static _Thread_local int nvtx_depth, nvtx_match; /* ranges of NVTX; the one that matched, from 1 */
static atomic_int nvtx_matches; /* of all threads: a framework's may launch what another one asked for */

static bool lock_within(double seconds)
{
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += (time_t)seconds;
    return pthread_mutex_timedlock(&self.mutex, &end) == 0;
}

/* ---- Saying ---- */

/* The program goes on without being measured. */
static void give_up(const struct problem *problem)
{
    ranges_close();
    link_say(MESSAGE_FAILURE, problem->text);
    atomic_store(&self.off, true);
}

/* What this process measures on, once. */
static int describe(struct problem *problem)
{
    struct run run = {0};
    struct session *session = ARRAY_GROW(run.sessions, run.session_count);
    CUdevice device = 0;
    uint32_t version = 0;
    if (cuda_check("asking which GPU this is", cuCtxGetDevice(&device), problem) < 0 ||
        gpu_describe(device, &run.device, session, problem) < 0)
        return -1;
    if (session->facts[SESSION_GPU_PROCESSES]) { /* this one is among them by now */
        const long others = strtol(session->facts[SESSION_GPU_PROCESSES], NULL, 10) - 1;
        free(session->facts[SESSION_GPU_PROCESSES]);
        session->facts[SESSION_GPU_PROCESSES] = x_sprintf("%ld", others > 0 ? others : 0);
    }
    if (cuptiGetVersion(&version) == CUPTI_SUCCESS)
        session->facts[SESSION_CUPTI] = x_sprintf("%u", version);
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (!stream || run_write(&run, stream) < 0)
        return problem_set(problem, "out of memory");
    fclose(stream);
    link_say(MESSAGE_DEVICE, text);
    free(text);
    run_release(&run);
    self.described = true;
    return 0;
}

/* The last that the parent hears. */
static void say_end(void)
{
    struct problem problem;
    if (atomic_load(&self.off))
        return;
    (void)ranges_stop(&problem);
    ranges_close();
    groups_send_spares();
    char *groups = groups_tell();
    char *text = x_sprintf("%zu %zu\n%s", ranges_lost(), atomic_load(&self.unwatched), groups);
    link_say(MESSAGE_END, text);
    free(text);
    free(groups);
    atomic_store(&self.off, true);
    link_close();
}

/* ---- Launches ---- */

static void stop_session(void)
{
    struct problem problem;
    if (ranges_stop(&problem) == 0) {
        self.failures = 0;
    } else if (++self.failures == FAILURES_MAX) {
        give_up(&problem);
    }
    self.unwanted = 0;
}

/* The values of another model would be of the rows of the first. */
static int expect_same_model(struct problem *problem)
{
    char name[sizeof self.gpu] = "";
    CUdevice device = 0;
    if (cuda_check("asking which GPU this is", cuCtxGetDevice(&device), problem) < 0 ||
        cuda_check("reading the GPU's name", cuDeviceGetName(name, sizeof name, device), problem) < 0)
        return -1;
    if (!*self.gpu)
        memcpy(self.gpu, name, sizeof name);
    if (strcmp(self.gpu, name) == 0)
        return 0;
    return problem_set(problem, "the program uses GPUs of two models, %s and %s: choose one by CUDA_VISIBLE_DEVICES",
                       self.gpu, name);
}

static void start_session(enum ranges_mode mode)
{
    struct problem problem;
    CUcontext context = NULL;
    if (expect_same_model(&problem) < 0 ||
        cuda_check("asking for the context", cuCtxGetCurrent(&context), &problem) < 0 ||
        (self.request.lines ? lines_begin(context, &problem) : ranges_start(context, mode, &self.request, &problem)) <
            0)
        give_up(&problem);
}

/* All that there is to be counted by instruction in this process. */
static void send_lines(struct group *group)
{
    struct problem problem;
    CUcontext context = NULL;
    group->launches++;
    group->due++;
    group->taken++;
    if (cuda_check("asking for the context", cuCtxGetCurrent(&context), &problem) < 0 ||
        lines_send(context, group, &problem) < 0)
        give_up(&problem);
    else
        say_end();
}

/* Going from a session of graphs to one of kernels and back takes half a second, and the first range of each session is
 * longer than it ought to be: a kernel that has been measured before can wait for the next launches of the graph. */
static bool can_wait(const struct group *group, enum ranges_mode mode)
{
    return mode == RANGES_OF_KERNELS && group->taken > 0 && ranges_running() && ranges_mode_now() == RANGES_OF_GRAPHS &&
           self.unwanted < PATIENCE;
}

static bool is_in_range(void)
{
    return !self.request.nvtx || atomic_load(&nvtx_matches) > 0;
}

/* With the mutex. mode is how a launch of that group is measured. */
static void before_launch(struct group *group, enum ranges_mode mode)
{
    if (ranges_running() && ranges_are_full())
        stop_session();
    const bool wanted = group_is_wanted(group) && self.captures == 0 && is_in_range() && !can_wait(group, mode) &&
                        !atomic_load(&self.off);
    self.last = now_seconds();
    if (wanted) {
        self.unwanted = 0;
        start_session(mode);
    } else if (ranges_running()) {
        self.unwanted++;
        /* A graph breaks a session in which it is no range. */
        if (self.unwanted > PATIENCE || mode == RANGES_OF_GRAPHS)
            stop_session();
    }
    current = wanted && !atomic_load(&self.off) ? group : NULL;
    if (current && mode == RANGES_OF_GRAPHS)
        ranges_push();
}

static void after_launch(struct group *group, enum ranges_mode mode, CUstream stream, bool good)
{
    if (self.request.lines && current && good) {
        send_lines(group);
        current = NULL;
        return;
    }
    const bool counts = ranges_running() && ranges_mode_now() == mode;
    if (counts && current && mode == RANGES_OF_GRAPHS) {
        cuStreamSynchronize(stream); /* the range is to hold all of it, and nothing of the next */
        ranges_pop();
    }
    if (group && good) {
        group->due += group->launches >= group->skip && is_in_range();
        group->launches++;
    }
    /* A kernel that failed is no range; but what was pushed is one. */
    if (counts && (mode == RANGES_OF_GRAPHS ? current != NULL : good))
        ranges_add(good ? current : NULL);
    current = NULL;
}

static bool is_capturing(CUstream stream)
{
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    return self.captures > 0 &&
           (cuStreamIsCapturing(stream, &status) != CUDA_SUCCESS || status != CU_STREAM_CAPTURE_STATUS_NONE);
}

struct launch_call {
    CUfunction function;
    unsigned grid[3], block[3], shared;
    CUstream stream;
};

static void read_call(struct launch_call *launch, CUpti_CallbackId id, const void *params)
{
    if (id == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx || id == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz) {
        const cuLaunchKernelEx_params *p = params;
        const CUlaunchConfig *c = p->config;
        *launch = (struct launch_call){p->f,
                                       {c->gridDimX, c->gridDimY, c->gridDimZ},
                                       {c->blockDimX, c->blockDimY, c->blockDimZ},
                                       c->sharedMemBytes,
                                       c->hStream};
    } else {
        /* cuLaunchCooperativeKernel's parameters begin with the same fields. */
        const cuLaunchKernel_params *p = params;
        *launch = (struct launch_call){p->f,
                                       {p->gridDimX, p->gridDimY, p->gridDimZ},
                                       {p->blockDimX, p->blockDimY, p->blockDimZ},
                                       p->sharedMemBytes,
                                       p->hStream};
    }
}

/* False when the launch only becomes part of a graph. Else its group; NULL when there are too many. */
static bool find_group(CUpti_CallbackId id, const CUpti_CallbackData *call, struct group **group, CUstream *stream)
{
    if (id == CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch || id == CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch_ptsz) {
        const cuGraphLaunch_params *graph = call->functionParams;
        *group = group_of_graph(graph->hGraph);
        *stream = graph->hStream;
        return true;
    }
    struct launch_call launch;
    read_call(&launch, id, call->functionParams);
    if (is_capturing(launch.stream))
        return false;
    *group = group_of_launch(launch.function, launch.grid, launch.block, launch.shared, call->symbolName);
    return true;
}

static void on_launch(CUpti_CallbackId id, const CUpti_CallbackData *call, enum ranges_mode mode)
{
    static _Thread_local struct group *group;
    static _Thread_local CUstream stream;
    static _Thread_local bool runs; /* now, and not with a graph later */
    if (call->callbackSite == CUPTI_API_ENTER) {
        if (!lock_within(LAUNCH_SECONDS)) {
            atomic_fetch_add(&self.unwatched, 1);
            return;
        }
        struct problem problem;
        within = true;
        group = NULL;
        if (!self.described && describe(&problem) < 0)
            give_up(&problem);
        runs = !atomic_load(&self.off) && find_group(id, call, &group, &stream);
        if (runs)
            before_launch(group, mode);
    } else if (within) {
        const bool good = *(const CUresult *)call->functionReturnValue == CUDA_SUCCESS;
        if (runs && !group && good)
            atomic_fetch_add(&self.unwatched, 1);
        if (runs)
            after_launch(group, mode, stream, good);
        within = false;
        pthread_mutex_unlock(&self.mutex);
    }
}

/* ---- Captures, modules and graphs ---- */

/* CUPTI ends a session that runs meanwhile with an error, and the capture fails. */
static void on_capture(const CUpti_CallbackData *call, bool begins)
{
    if (begins && call->callbackSite == CUPTI_API_ENTER) {
        self.captures++;
        stop_session();
    } else if (call->callbackSite == CUPTI_API_EXIT) {
        const bool failed = *(const CUresult *)call->functionReturnValue != CUDA_SUCCESS;
        const bool over = begins ? failed : true; /* one that failed to begin is none; one that failed to end is over */
        self.captures -= over && self.captures > 0;
    }
}

static void on_module(CUpti_CallbackId id, const CUpti_CallbackData *call)
{
    if (id == CUPTI_DRIVER_TRACE_CBID_cuModuleUnload) {
        if (call->callbackSite == CUPTI_API_ENTER)
            modules_forget(((const cuModuleUnload_params *)call->functionParams)->hmod);
        functions_forget();
    } else if (call->callbackSite == CUPTI_API_ENTER) {
        modules_expect();
    } else if (*(const CUresult *)call->functionReturnValue == CUDA_SUCCESS) {
        /* The parameters of all begin with where the handle goes. */
        modules_name(*((const cuModuleLoadData_params *)call->functionParams)->module);
    }
}

static void on_graph_update(const CUpti_CallbackData *call)
{
    /* The parameters of both versions begin with the two graphs. */
    const cuGraphExecUpdate_v2_params *update = call->functionParams;
    if (call->callbackSite == CUPTI_API_EXIT && *(const CUresult *)call->functionReturnValue == CUDA_SUCCESS)
        graph_take(update->hGraphExec, update->hGraph);
}

static void on_driver(CUpti_CallbackId id, const CUpti_CallbackData *call)
{
    switch (id) {
    case CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture:
    case CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_ptsz:
    case CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_v2:
    case CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_v2_ptsz:
    case CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCaptureToGraph:
    case CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCaptureToGraph_ptsz:
        on_capture(call, true);
        break;
    case CUPTI_DRIVER_TRACE_CBID_cuStreamEndCapture:
    case CUPTI_DRIVER_TRACE_CBID_cuStreamEndCapture_ptsz:
        on_capture(call, false);
        break;
    case CUPTI_DRIVER_TRACE_CBID_cuLibraryUnload:
        functions_forget();
        break;
    case CUPTI_DRIVER_TRACE_CBID_cuGraphExecUpdate:
    case CUPTI_DRIVER_TRACE_CBID_cuGraphExecUpdate_v2:
        on_graph_update(call);
        break;
    case CUPTI_DRIVER_TRACE_CBID_cuGraphExecKernelNodeSetParams:
    case CUPTI_DRIVER_TRACE_CBID_cuGraphExecKernelNodeSetParams_v2:
    case CUPTI_DRIVER_TRACE_CBID_cuGraphNodeSetEnabled:
        /* What the graph launches from now on is not known. The parameters of all begin with it. */
        if (call->callbackSite == CUPTI_API_EXIT)
            graph_spoil(((const cuGraphExecKernelNodeSetParams_v2_params *)call->functionParams)->hGraphExec);
        break;
    case CUPTI_DRIVER_TRACE_CBID_cuLaunch:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchGrid:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchGridAsync:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernelMultiDevice:
        /* Old, or of several devices: seen, and not measured. */
        if (call->callbackSite == CUPTI_API_ENTER) {
            stop_session();
            atomic_fetch_add(&self.unwatched, 1);
        }
        break;
    default:
        on_module(id, call);
    }
}

static void on_resource(CUpti_CallbackId id, const CUpti_ResourceData *data)
{
    if (id == CUPTI_CBID_RESOURCE_MODULE_LOADED) {
        const CUpti_ModuleResourceData *module = data->resourceDescriptor;
        modules_take(self.request.directory, module->pCubin, module->cubinSize);
    } else if (id == CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATED) {
        const CUpti_GraphData *graph = data->resourceDescriptor;
        graph_take(graph->graphExec, graph->graph);
    } else if (id == CUPTI_CBID_RESOURCE_GRAPHEXEC_DESTROY_STARTING) {
        graph_forget(((const CUpti_GraphData *)data->resourceDescriptor)->graphExec);
    } else if (id == CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING) {
        functions_forget();
        if (data->context != ranges_context())
            return;
        stop_session();
        ranges_close();
    }
}

/* ---- NVTX ---- */

static void nvtx_push(const char *name)
{
    nvtx_depth++;
    if (nvtx_match == 0 && name && fnmatch(self.request.nvtx, name, 0) == 0) {
        nvtx_match = nvtx_depth;
        atomic_fetch_add(&nvtx_matches, 1);
    }
}

static void nvtx_pop(void)
{
    if (nvtx_match > 0 && nvtx_match == nvtx_depth) {
        nvtx_match = 0;
        atomic_fetch_sub(&nvtx_matches, 1);
    }
    nvtx_depth -= nvtx_depth > 0;
}

static const char *nvtx_name(const nvtxEventAttributes_t *event)
{
    return event && event->messageType == NVTX_MESSAGE_TYPE_ASCII ? event->message.ascii : NULL;
}

static void on_nvtx(CUpti_CallbackId id, const void *params)
{
    switch (id) {
    case CUPTI_CBID_NVTX_nvtxRangePushA:
        nvtx_push(((const nvtxRangePushA_params *)params)->message);
        break;
    case CUPTI_CBID_NVTX_nvtxRangePushW: /* of wide characters, which no glob matches */
        nvtx_push(NULL);
        break;
    case CUPTI_CBID_NVTX_nvtxRangePushEx:
        nvtx_push(nvtx_name(((const nvtxRangePushEx_params *)params)->eventAttrib));
        break;
    case CUPTI_CBID_NVTX_nvtxDomainRangePushEx:
        nvtx_push(nvtx_name(((const nvtxDomainRangePushEx_params *)params)->core.eventAttrib));
        break;
    case CUPTI_CBID_NVTX_nvtxRangePop:
    case CUPTI_CBID_NVTX_nvtxDomainRangePop:
        nvtx_pop();
        break;
    default:
        break;
    }
}

/* ---- CUPTI's callback ---- */

static bool is_launch(CUpti_CallbackId id)
{
    switch (id) {
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz:
        return true;
    default:
        return false;
    }
}

static void CUPTIAPI on_call(void *data, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void *info)
{
    (void)data;
    if (domain == CUPTI_CB_DOMAIN_NVTX) {
        on_nvtx(id, ((const CUpti_NvtxData *)info)->functionParams);
        return;
    }
    const bool drives = domain == CUPTI_CB_DOMAIN_DRIVER_API;
    const bool graph =
        drives && (id == CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch || id == CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch_ptsz);
    if (atomic_load(&self.off) && !within)
        return;
    if (drives && (graph || is_launch(id))) {
        on_launch(id, info, graph ? RANGES_OF_GRAPHS : RANGES_OF_KERNELS);
        return;
    }
    const bool inside = within; /* a launch may load its module */
    if (!inside && !lock_within(LAUNCH_SECONDS))
        return;
    if (drives)
        on_driver(id, info);
    else
        on_resource(id, info);
    if (!inside)
        pthread_mutex_unlock(&self.mutex);
}

static int subscribe(struct problem *problem)
{
    static const CUpti_CallbackId calls[] = {
        CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel,
        CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz,
        CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx,
        CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz,
        CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel,
        CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz,
        CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch,
        CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch_ptsz,
        CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture,
        CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_ptsz,
        CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_v2,
        CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_v2_ptsz,
        CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCaptureToGraph,
        CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCaptureToGraph_ptsz,
        CUPTI_DRIVER_TRACE_CBID_cuStreamEndCapture,
        CUPTI_DRIVER_TRACE_CBID_cuStreamEndCapture_ptsz,
        CUPTI_DRIVER_TRACE_CBID_cuModuleLoad,
        CUPTI_DRIVER_TRACE_CBID_cuModuleLoadData,
        CUPTI_DRIVER_TRACE_CBID_cuModuleLoadDataEx,
        CUPTI_DRIVER_TRACE_CBID_cuModuleLoadFatBinary,
        CUPTI_DRIVER_TRACE_CBID_cuModuleUnload,
        CUPTI_DRIVER_TRACE_CBID_cuLibraryUnload,
        CUPTI_DRIVER_TRACE_CBID_cuGraphExecUpdate,
        CUPTI_DRIVER_TRACE_CBID_cuGraphExecUpdate_v2,
        CUPTI_DRIVER_TRACE_CBID_cuGraphExecKernelNodeSetParams,
        CUPTI_DRIVER_TRACE_CBID_cuGraphExecKernelNodeSetParams_v2,
        CUPTI_DRIVER_TRACE_CBID_cuGraphNodeSetEnabled,
        CUPTI_DRIVER_TRACE_CBID_cuLaunch,
        CUPTI_DRIVER_TRACE_CBID_cuLaunchGrid,
        CUPTI_DRIVER_TRACE_CBID_cuLaunchGridAsync,
        CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernelMultiDevice,
    };
    static const CUpti_CallbackId resources[] = {
        CUPTI_CBID_RESOURCE_MODULE_LOADED,
        CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATED,
        CUPTI_CBID_RESOURCE_GRAPHEXEC_DESTROY_STARTING,
        CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING,
    };
    CUpti_SubscriberHandle subscriber;
    CUptiResult result = cuptiSubscribe(&subscriber, (CUpti_CallbackFunc)on_call, NULL);
    for (size_t i = 0; i < ARRAY_SIZE(calls) && result == CUPTI_SUCCESS; i++)
        result = cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API, calls[i]);
    for (size_t i = 0; i < ARRAY_SIZE(resources) && result == CUPTI_SUCCESS; i++)
        result = cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_RESOURCE, resources[i]);
    if (self.request.nvtx && result == CUPTI_SUCCESS)
        result = cuptiEnableDomain(1, subscriber, CUPTI_CB_DOMAIN_NVTX);
    return cupti_check("watching the program's launches", result, problem);
}

/* ---- How the process ends ---- */

static void at_exit(void)
{
    /* In a process that was forked the mutex may be held by a thread that it has not. */
    if (!atomic_load(&self.off) && lock_within(LAUNCH_SECONDS)) {
        say_end();
        pthread_mutex_unlock(&self.mutex);
    }
}

static const int deadly[] = {SIGTERM, SIGINT, SIGHUP};

static void on_signal(int number)
{
    const int before = errno;
    atomic_store(&self.signal, number);
    sem_post(&self.signals);
    errno = before;
}

static void use_default(int number)
{
    struct sigaction now;
    if (sigaction(number, NULL, &now) == 0 && now.sa_handler == on_signal)
        signal(number, SIG_DFL);
}

/* Those that the program leaves to their default end it at once: what was counted is sent first. */
static void catch_signals(void)
{
    for (size_t i = 0; i < ARRAY_SIZE(deadly); i++) {
        struct sigaction now, ours = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
        if (sigaction(deadly[i], NULL, &now) == 0 && now.sa_handler == SIG_DFL)
            sigaction(deadly[i], &ours, NULL);
    }
}

/* Nothing is counted in a process that forks: CUDA does not work there. */
static void after_fork(void)
{
    atomic_store(&self.off, true);
    link_close();
    ranges_leave_lock();
    for (size_t i = 0; i < ARRAY_SIZE(deadly); i++)
        use_default(deadly[i]);
}

/* In a thread that is not the program's. */
static void stop_from_outside(bool gives_counters_back)
{
    CUcontext was = NULL;
    cuCtxGetCurrent(&was);
    cuCtxSetCurrent(ranges_context());
    stop_session();
    if (gives_counters_back)
        ranges_close();
    cuCtxSetCurrent(was);
}

static void *send_the_last(void *data)
{
    (void)data;
    if (atomic_load(&self.off) || !lock_within(DYING_SECONDS))
        return NULL;
    if (ranges_hold_counters())
        stop_from_outside(true);
    say_end();
    pthread_mutex_unlock(&self.mutex);
    return NULL;
}

/* As long as the process lives, since without this thread its signals would be lost. */
static void *await_signal(void *data)
{
    pthread_t sender;
    struct timespec end;
    (void)data;
    while (sem_wait(&self.signals) != 0)
        continue;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += DYING_SECONDS;
    if (pthread_create(&sender, NULL, send_the_last, NULL) == 0)
        pthread_timedjoin_np(sender, NULL, &end);
    const int number = atomic_load(&self.signal);
    use_default(number);
    kill(getpid(), number);
    return NULL;
}

/* Sends what was counted when the program rests, which is all that a SIGKILL leaves; and gives up the counters that
 * another process waits for. */
static void look_after(void)
{
    if (pthread_mutex_trylock(&self.mutex) != 0)
        return;
    const double quiet = now_seconds() - self.last;
    const bool yields = quiet > YIELD_SECONDS && ranges_hold_counters() && ranges_are_waited_for();
    if (yields || (ranges_running() && quiet > QUIET_SECONDS))
        stop_from_outside(yields);
    pthread_mutex_unlock(&self.mutex);
}

static void *watch(void *data)
{
    const struct timespec nap = {.tv_nsec = WATCH_MS * 1000000L};
    (void)data;
    while (!atomic_load(&self.off)) {
        nanosleep(&nap, NULL);
        look_after();
    }
    return NULL;
}

/* Signals are for the program's own threads. */
static bool start_thread(void *(*run)(void *))
{
    sigset_t all, before;
    pthread_t thread;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const bool started = pthread_create(&thread, NULL, run, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (started)
        pthread_detach(thread);
    return started;
}

static void start_watching(void)
{
    pthread_atfork(NULL, NULL, after_fork);
    (void)start_thread(watch); /* without it a SIGKILL leaves less */
    if (sem_init(&self.signals, 0, 0) == 0 && start_thread(await_signal))
        catch_signals();
}

/* ---- What others call ---- */

/* The CUDA driver, in cuInit. */
__attribute__((visibility("default"))) int InitializeInjection(void);
int InitializeInjection(void)
{
    struct problem problem;
    if (!link_open(&self.request)) {
        atomic_store(&self.off, true);
        return 1;
    }
    atexit(at_exit);
    at_quick_exit(at_exit);
    if (subscribe(&problem) < 0)
        give_up(&problem);
    else
        start_watching();
    return 1;
}

/* NVTX, which knows one tool: CUPTI, whose callbacks we have. */
__attribute__((visibility("default"))) int InitializeInjectionNvtx2(void *table);
int InitializeInjectionNvtx2(void *table)
{
    int (*initialize)(void *) = NULL;
    void *cupti = dlopen("libcupti.so.13", RTLD_NOW | RTLD_NOLOAD);
    if (cupti)
        *(void **)&initialize = dlsym(cupti, "InitializeInjectionNvtx2");
    return initialize ? initialize(table) : 0;
}
