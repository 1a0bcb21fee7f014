/* Times captured launches as plainly as can be, by nothing of cugate's but the file that they are in: each as a CUDA
 * graph that runs it LAUNCHES times. Prints a line for each: "FILE ID TIME", in microseconds of a launch. Each launch
 * has another copy of the memory than those before, of which there are more than caches have room for. It is not
 * restored. Graphs of all files run in turn, and the shortest round counts.
 *
 *   replay_order ID FILE.capsule [ID FILE.capsule]... */
#include "capsule/capsule.h"

#include <cuda.h>

enum { LAUNCHES = 100, ROUNDS = 15, COPIES = 64 };

#define OTHERS ((uint64_t)256 << 20) /* bytes of all copies: several times an L2 cache */

static void must(CUresult result, const char *what)
{
    if (result)
        die(EXIT_USAGE, "%s: error %d of the driver", what, (int)result);
}
#define MUST(call) must(call, #call)

/* Makes a copy of a range on the GPU, as it was before the launch. */
static CUdeviceptr copied(const struct capsules *capsules, const struct memory_range *range)
{
    unsigned char *bytes = x_calloc(pages_of(range->size), CAPSULE_PAGE);
    struct problem problem;
    CUdeviceptr copy;
    for (size_t i = 0; i < pages_of(range->size); i++)
        if (capsules_page(capsules, range->before[i], bytes + i * CAPSULE_PAGE, &problem) < 0)
            die(EXIT_USAGE, "%s", problem.text);
    MUST(cuMemAlloc(&copy, range->size));
    MUST(cuMemcpyHtoD(copy, bytes, range->size));
    free(bytes);
    return copy;
}

/* Has the arguments point to a copy of the memory. */
static void point_to_copy(const struct capsules *capsules, const struct capsule *capsule, unsigned char *bytes)
{
    for (size_t i = 0; i < capsule->range_count; i++) {
        const struct memory_range *range = &capsule->ranges[i];
        if (range->kind == MEMORY_VARIABLE)
            die(EXIT_USAGE, "%s has variables, which are not set here", capsule->id);
        const CUdeviceptr copy = copied(capsules, range);
        for (size_t k = 0; k < capsule->argument_count; k++) {
            unsigned char *place = bytes + capsule->arguments[k].offset;
            uint64_t address;
            if (capsule->arguments[k].size != sizeof address)
                continue;
            memcpy(&address, capsule->bytes + capsule->arguments[k].offset, sizeof address);
            address -= range->address;
            if (address < range->size)
                memcpy(place, &(uint64_t){copy + address}, sizeof address);
        }
    }
}

static CUgraphExec graph_of(const struct capsules *capsules, const struct capsule *capsule, CUfunction function)
{
    CUgraph graph;
    CUgraphExec exec;
    CUgraphNode last = NULL;
    unsigned char *copies[COPIES];
    void **places = x_calloc(capsule->argument_count, sizeof *places);
    uint64_t size = 0;
    size_t count = 0;
    for (size_t i = 0; i < capsule->range_count; i++)
        size += capsule->ranges[i].size;
    for (; count < COPIES && count * size < OTHERS; count++) {
        copies[count] = x_calloc(capsule->byte_count + 1, 1);
        memcpy(copies[count], capsule->bytes, capsule->byte_count);
        point_to_copy(capsules, capsule, copies[count]);
    }
    MUST(cuGraphCreate(&graph, 0));
    for (size_t i = 0; i < LAUNCHES; i++) {
        const CUgraphNode before = last;
        CUDA_KERNEL_NODE_PARAMS node = {.func = function, .sharedMemBytes = capsule->shared, .kernelParams = places};
        node.gridDimX = capsule->grid[0], node.gridDimY = capsule->grid[1], node.gridDimZ = capsule->grid[2];
        node.blockDimX = capsule->block[0], node.blockDimY = capsule->block[1], node.blockDimZ = capsule->block[2];
        for (size_t k = 0; k < capsule->argument_count; k++)
            places[k] = copies[i % count] + capsule->arguments[k].offset;
        MUST(cuGraphAddKernelNode(&last, graph, &before, i > 0, &node));
    }
    MUST(cuGraphInstantiate(&exec, graph, 0));
    MUST(cuGraphDestroy(graph));
    for (size_t i = 0; i < count; i++)
        free(copies[i]);
    free(places);
    return exec;
}

static CUgraphExec open_graph(const char *path, const char *id)
{
    struct capsules capsules;
    struct problem problem;
    CUmodule module;
    CUfunction function;
    if (capsules_open(&capsules, path, false, &problem) < 0)
        die(EXIT_USAGE, "%s", problem.text);
    const struct capsule *capsule = capsules_find(&capsules, id);
    unsigned char *code = capsule ? capsules_blob(&capsules, &capsule->code, &problem) : NULL;
    if (!code)
        die(EXIT_USAGE, "%s has no %s, or not its code", path, id);
    MUST(cuModuleLoadData(&module, code));
    MUST(cuModuleGetFunction(&function, module, capsule->function));
    MUST(cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)capsule->shared));
    const CUgraphExec graph = graph_of(&capsules, capsule, function);
    free(code);
    capsules_release(&capsules);
    return graph;
}

/* Runs a graph twice, and times the second run, in milliseconds. */
static float time_of(CUgraphExec graph, const CUevent events[2])
{
    float milliseconds = 0;
    MUST(cuGraphLaunch(graph, NULL));
    MUST(cuEventRecord(events[0], NULL));
    MUST(cuGraphLaunch(graph, NULL));
    MUST(cuEventRecord(events[1], NULL));
    MUST(cuEventSynchronize(events[1]));
    MUST(cuEventElapsedTime(&milliseconds, events[0], events[1]));
    return milliseconds;
}

int main(int argc, char **argv)
{
    const int count = argc / 2;
    CUgraphExec *graphs = x_calloc((size_t)count + 1, sizeof *graphs);
    float *times = x_calloc((size_t)count + 1, sizeof *times);
    CUdevice device;
    CUcontext context;
    CUevent events[2];
    if (argc < 3 || argc % 2 == 0)
        die(EXIT_USAGE, "replay_order ID FILE.capsule [ID FILE.capsule]...");
    MUST(cuInit(0));
    MUST(cuDeviceGet(&device, 0));
    MUST(cuDevicePrimaryCtxRetain(&context, device));
    MUST(cuCtxSetCurrent(context));
    MUST(cuEventCreate(&events[0], CU_EVENT_DEFAULT));
    MUST(cuEventCreate(&events[1], CU_EVENT_DEFAULT));
    for (int i = 0; i < count; i++)
        graphs[i] = open_graph(argv[2 + 2 * i], argv[1 + 2 * i]);
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < count; i++) {
            const float now = time_of(graphs[i], events);
            times[i] = round == 0 || now < times[i] ? now : times[i];
        }
    for (int i = 0; i < count; i++)
        printf("%s %s %.4g\n", argv[2 + 2 * i], argv[1 + 2 * i], (double)times[i] * 1e3 / LAUNCHES);
    free(graphs);
    free(times);
    return 0;
}
