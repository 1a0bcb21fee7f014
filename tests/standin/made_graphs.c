/* Programs with CUDA graphs. */
#include "made_program.h"

#include <dlfcn.h>
#include <pthread.h>

/* Six functions begin a capture. Programs that are built today call one of them; the others belong to older programs,
 * or to programs with a default stream for each thread. */
static const char *const ways_to_begin[] = {
    "cuStreamBeginCapture_v2",      "cuStreamBeginCapture",      "cuStreamBeginCaptureToGraph",
    "cuStreamBeginCapture_v2_ptsz", "cuStreamBeginCapture_ptsz", "cuStreamBeginCaptureToGraph_ptsz",
};

static void begin_capture(CUstream stream, const char *way)
{
    union {
        void *address;
        CUresult (*first)(CUstream);
        CUresult (*second)(CUstream, CUstreamCaptureMode);
        CUresult (*to_graph)(CUstream, CUgraph, const CUgraphNode *, const CUgraphEdgeData *, size_t,
                             CUstreamCaptureMode);
    } begin = {dlsym(RTLD_DEFAULT, way)};
    if (!begin.address) {
        fprintf(stderr, "program: no %s\n", way);
        exit(1);
    }
    if (strstr(way, "ToGraph")) {
        CUgraph graph;
        MUST(cuGraphCreate(&graph, 0));
        MUST(begin.to_graph(stream, graph, NULL, NULL, 0, CU_STREAM_CAPTURE_MODE_GLOBAL));
    } else if (strstr(way, "_v2")) {
        MUST(begin.second(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    } else {
        MUST(begin.first(stream));
    }
}

/* Captures a graph of three kernels. */
static CUgraphExec capture_graph(const struct gpu *gpu, CUstream stream, const char *way, const char *last)
{
    CUgraph graph;
    CUgraphExec exec;
    begin_capture(stream, way);
    launch_on(gpu, "add_one", 32, 256, stream);
    launch_on(gpu, "_Z5scaleIiEvPT_ii", 32, 256, stream);
    launch_on(gpu, last, 32, 128, stream);
    MUST(cuStreamEndCapture(stream, &graph));
    MUST(cuGraphInstantiate(&exec, graph, 0));
    MUST(cuGraphDestroy(graph));
    return exec;
}

static void launch_graph(CUgraphExec exec, CUstream stream, int count)
{
    for (int i = 0; i < count; i++)
        MUST(cuGraphLaunch(exec, stream));
}

/* Launches kernels of two kinds before and after launches of the graph. */
static int capture(struct gpu *gpu, int argc, char **argv)
{
    CUstream stream;
    const int count = argument(argc, argv, 0, 4);
    const int way = argument(argc, argv, 1, 0);
    if (way < 0 || (size_t)way >= sizeof ways_to_begin / sizeof *ways_to_begin)
        return 2;
    MUST(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    launch_some(gpu, 8);
    CUgraphExec exec = capture_graph(gpu, stream, ways_to_begin[way], "add_value");
    launch_some(gpu, 8);
    launch_graph(exec, stream, count);
    MUST(cuStreamSynchronize(stream));
    launch_some(gpu, 8);
    printf("capture: 24 launches and %d of a graph of 3, sum %d\n", count, gpu_sum(gpu));
    MUST(cuGraphExecDestroy(exec));
    MUST(cuStreamDestroy(stream));
    return 0;
}

static CUDA_KERNEL_NODE_PARAMS kernel_of(const struct gpu *gpu, const char *name, unsigned grid, void **parameters)
{
    CUDA_KERNEL_NODE_PARAMS kernel = {.gridDimX = grid, .gridDimY = 1, .gridDimZ = 1};
    MUST(cuModuleGetFunction(&kernel.func, gpu->module, name));
    kernel.blockDimX = 256;
    kernel.blockDimY = kernel.blockDimZ = 1;
    kernel.kernelParams = parameters;
    return kernel;
}

/* Launches a graph of a kernel and of a graph inside, N times as it was made and N times after each change. */
static int changed_graph(struct gpu *gpu, int argc, char **argv)
{
    CUstream stream;
    CUgraph outer, inner, other;
    CUgraphNode first, within, ignored;
    CUgraphExec exec;
    const int count = argument(argc, argv, 0, 8);
    int numbers = NUMBERS, value = 3;
    void *parameters[] = {&gpu->numbers, &numbers, &value};
    CUDA_KERNEL_NODE_PARAMS kernel = kernel_of(gpu, "add_one", 64, parameters),
                            larger = kernel_of(gpu, "add_value", 32, parameters);
    MUST(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    MUST(cuGraphCreate(&inner, 0));
    MUST(cuGraphAddKernelNode(&ignored, inner, NULL, 0, &kernel));
    MUST(cuGraphCreate(&other, 0));
    MUST(cuGraphAddKernelNode(&ignored, other, NULL, 0, &larger));
    MUST(cuGraphCreate(&outer, 0));
    MUST(cuGraphAddKernelNode(&first, outer, NULL, 0, &kernel));
    MUST(cuGraphAddChildGraphNode(&within, outer, NULL, 0, inner));
    MUST(cuGraphInstantiate(&exec, outer, 0));
    launch_graph(exec, stream, count);
    MUST(cuGraphExecKernelNodeSetParams(exec, first, &larger)); /* add_value, add_one */
    launch_graph(exec, stream, count);
    MUST(cuGraphExecChildGraphNodeSetParams(exec, within, other)); /* add_value, add_value */
    launch_graph(exec, stream, count);
    MUST(cuGraphNodeSetEnabled(exec, first, 0)); /* add_value */
    launch_graph(exec, stream, count);
    CUgraphNodeParams again = {.type = CU_GRAPH_NODE_TYPE_KERNEL};
    again.kernel = (CUDA_KERNEL_NODE_PARAMS_v3){kernel.func, 16, 1, 1, 256, 1, 1, .kernelParams = parameters};
    MUST(cuGraphExecNodeSetParams(exec, first, &again));
    MUST(cuGraphNodeSetEnabled(exec, first, 1)); /* add_one, add_value */
    launch_graph(exec, stream, count);
    printf("changed-graph: 5 times %d launches, sum %d\n", count, gpu_sum(gpu));
    MUST(cuGraphExecDestroy(exec));
    MUST(cuGraphDestroy(outer));
    MUST(cuGraphDestroy(inner));
    MUST(cuGraphDestroy(other));
    MUST(cuStreamDestroy(stream));
    return 0;
}

/* Builds a graph of nodes, with one that is no kernel and a graph inside. Nothing else is launched. */
static int graph(struct gpu *gpu, int argc, char **argv)
{
    CUstream stream;
    CUgraph outer, inner;
    CUgraphNode node;
    CUgraphExec exec;
    const int count = argument(argc, argv, 0, 4);
    int numbers = NUMBERS, value = 3;
    MUST(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    void *parameters[] = {&gpu->numbers, &numbers, &value};
    CUDA_KERNEL_NODE_PARAMS kernel = kernel_of(gpu, "add_one", 64, parameters);
    MUST(cuGraphCreate(&inner, 0));
    MUST(cuGraphAddKernelNode(&node, inner, NULL, 0, &kernel));
    MUST(cuGraphCreate(&outer, 0));
    MUST(cuGraphAddKernelNode(&node, outer, NULL, 0, &kernel));
    MUST(cuGraphAddEmptyNode(&node, outer, NULL, 0));
    MUST(cuGraphAddChildGraphNode(&node, outer, NULL, 0, inner));
    MUST(cuGraphInstantiate(&exec, outer, 0));
    launch_graph(exec, stream, count);
    printf("graph: %d launches of a graph of 2, sum %d\n", count, gpu_sum(gpu));
    MUST(cuGraphExecDestroy(exec));
    MUST(cuGraphDestroy(outer));
    MUST(cuGraphDestroy(inner));
    MUST(cuStreamDestroy(stream));
    return 0;
}

/* Captures the graph again and again, like a program that changes its graph in each step. */
static int recapture(struct gpu *gpu, int argc, char **argv)
{
    CUstream stream;
    const int count = argument(argc, argv, 0, 4), steadily = argument(argc, argv, 1, 0);
    MUST(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    for (int i = 0; i < count; i++) {
        CUgraphExec exec = capture_graph(gpu, stream, ways_to_begin[0], "add_value");
        MUST(cuGraphLaunch(exec, stream));
        launch(gpu, "add_one", 64, 256);
        launch_graph(exec, stream, i == count - 1 ? steadily : 0);
        MUST(cuGraphExecDestroy(exec));
    }
    printf("recapture: %d graphs, sum %d\n", count, gpu_sum(gpu));
    MUST(cuStreamDestroy(stream));
    return 0;
}

/* Holds the GPU, and waits for it. */
static void *hold(void *opened)
{
    const struct gpu *gpu = opened;
    CUevent end;
    MUST(cuCtxSetCurrent(gpu->context));
    MUST(cuEventCreate(&end, 0));
    launch(gpu, "_ZN15stream_executor3gpu12_GLOBAL__N_111DelayKernelEv", 1, 32);
    MUST(cuEventRecord(end, NULL));
    MUST(cuEventSynchronize(end));
    MUST(cuEventDestroy(end));
    return NULL;
}

/* As XLA's autotuner, holds the GPU before a launch that it times, and waits for it; then launches a graph once,
 * another one L times, and N times a kernel. Meanwhile M other threads hold it, too. */
static int tuned_graph(struct gpu *gpu, int argc, char **argv)
{
    CUstream stream;
    CUevent end;
    const int count = argument(argc, argv, 0, 40), waits = argument(argc, argv, 1, 1),
              others = argument(argc, argv, 2, 0), more = argument(argc, argv, 3, 0);
    MUST(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    MUST(cuEventCreate(&end, 0));
    CUgraphExec exec = capture_graph(gpu, stream, ways_to_begin[0], "add_value");
    CUgraphExec other = capture_graph(gpu, stream, ways_to_begin[0], "large");
    launch_on(gpu, "_ZN15stream_executor3gpu12_GLOBAL__N_111DelayKernelEv", 1, 32, stream);
    for (int i = 0; i < others; i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, hold, gpu) != 0)
            abort();
        pthread_join(thread, NULL);
    }
    launch_on(gpu, "add_value", 64, 256, stream);
    MUST(cuEventRecord(end, stream));
    if (waits)
        MUST(cuEventSynchronize(end));
    MUST(cuGraphLaunch(exec, stream));
    launch_graph(other, stream, more);
    for (int i = 0; i < count; i++)
        launch_on(gpu, "large", 64, 256, stream);
    MUST(cuStreamSynchronize(stream));
    printf("tuned-graph: %d launches and %d of graphs, sum %d\n", 2 + others + count, 1 + more, gpu_sum(gpu));
    MUST(cuGraphExecDestroy(exec));
    MUST(cuGraphExecDestroy(other));
    MUST(cuEventDestroy(end));
    MUST(cuStreamDestroy(stream));
    return 0;
}

const struct program programs_of_graphs[] = {
    {"capture", "[N [WAY]]: captures a graph, launches it N times among others; WAY 0 to 5 begins the capture",
     .on_gpu = capture},
    {"graph", "[N]: builds a graph of nodes and launches it N times, and nothing else", .on_gpu = graph},
    {"changed-graph", "[N]: launches a graph N times as it was made, and after each of four changes",
     .on_gpu = changed_graph},
    {"tuned-graph",
     "[N [WAITS [M [L]]]]: a launch that an autotuner times, a graph, another one L times, and N launches",
     .on_gpu = tuned_graph},
    {"recapture", "[N [M]]: captures and launches a graph N times, then the last one M times more",
     .on_gpu = recapture},
    {0},
};
