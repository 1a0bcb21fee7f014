/* A program of the CUDA driver as anybody writes one, for tests of `cugate run --simulate`: it includes nothing of
 * cugate's.
 *
 *   driver_program WHAT CODE [TIMES]    what it does, and the file of machine code or PTX that it loads; it prints
 * "Done" */
#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 1000, SIDE = 16, WIDTH = 48 };

static CUmodule module;

static void check(CUresult result, const char *what)
{
    const char *name = "an unknown error", *text = "";
    if (result == CUDA_SUCCESS)
        return;
    cuGetErrorName(result, &name);
    cuGetErrorString(result, &text);
    printf("%s: %s, %s\n", what, name, text);
    fflush(stdout);
}
#define CHECK(call) check(call, #call)

static CUfunction function(const char *name)
{
    CUfunction found = NULL;
    CHECK(cuModuleGetFunction(&found, module, name));
    return found;
}

/* Has the driver link a file and what another one has, "" for none, and loads what it makes. */
static void load_linked(char *bytes, size_t size, CUjit_option option, const char *second)
{
    CUlinkState state = NULL;
    char log[256] = "a log";
    size_t made_size = 0;
    void *made = NULL, *values[] = {log, (void *)sizeof log, (void *)1};
    CUjit_option options[] = {CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, option};
    CHECK(cuLinkCreate(3, options, values, &state));
    CHECK(cuLinkAddData(state, CU_JIT_INPUT_PTX, bytes, size, "code", 0, NULL, NULL));
    if (*second)
        CHECK(cuLinkAddFile(state, strstr(second, ".ptx") ? CU_JIT_INPUT_PTX : CU_JIT_INPUT_LIBRARY, second, 0, NULL,
                            NULL));
    CHECK(cuLinkComplete(state, &made, &made_size));
    CHECK(cuModuleLoadData(&module, made));
    CHECK(cuLinkDestroy(state));
    printf("log \"%s\", made %d\n", log, made_size > 0);
}

/* The program frees what it has loaded at once. */
static void load(const char *what, const char *path, const char *second)
{
    FILE *file = fopen(path, "rb");
    char *bytes = calloc(1 << 20, 1);
    const size_t size = file ? fread(bytes, 1, (1 << 20) - 1, file) : 0;
    if (size == 0)
        exit(4);
    fclose(file);
    if (strcmp(what, "linked") == 0 || strcmp(what, "debugged") == 0)
        load_linked(bytes, size, *what == 'l' ? CU_JIT_LOG_VERBOSE : CU_JIT_GENERATE_DEBUG_INFO, second);
    else
        CHECK(cuModuleLoadData(&module, bytes));
    memset(bytes, 0, 1 << 20);
    free(bytes);
}

/* out = x + y, by parameters, and again by a buffer of them. */
static int add(int times)
{
    float x[COUNT], y[COUNT], out[COUNT];
    CUdeviceptr on[3];
    int n = COUNT, wrong = 0;
    for (int i = 0; i < n; i++)
        x[i] = (float)i, y[i] = (float)(2 * i);
    for (int i = 0; i < 3; i++)
        CHECK(cuMemAlloc(&on[i], sizeof x));
    CHECK(cuMemcpyHtoD(on[0], x, sizeof x));
    CHECK(cuMemcpyHtoD(on[1], y, sizeof y));
    void *parameters[] = {&on[0], &on[1], &on[2], &n};
    for (int i = 0; i < times; i++)
        CHECK(cuLaunchKernel(function("add"), 4, 1, 1, 256, 1, 1, 0, NULL, parameters, NULL));
    CHECK(cuMemcpyDtoH(out, on[2], sizeof out));
    for (int i = 0; i < n; i++)
        wrong += out[i] != 3 * (float)i;
    const struct {
        CUdeviceptr x, y, out;
        int n;
    } buffer = {on[0], on[0], on[2], n};
    size_t size = 28;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, (void *)&buffer, CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
                     CU_LAUNCH_PARAM_END};
    CHECK(cuLaunchKernel(function("add"), 4, 1, 1, 256, 1, 1, 0, NULL, NULL, extra));
    size = 24;
    if (cuLaunchKernel(function("add"), 4, 1, 1, 256, 1, 1, 0, NULL, NULL, extra) != CUDA_ERROR_INVALID_VALUE)
        wrong++;
    CHECK(cuMemcpyDtoH(out, on[2], sizeof out));
    for (int i = 0; i < n; i++)
        wrong += out[i] != 2 * (float)i;
    for (int i = 0; i < 3; i++)
        CHECK(cuMemFree(on[i]));
    printf("%d of %d sums are wrong\n", wrong, 2 * n);
    return wrong ? 4 : 0;
}

/* c = a b, in a stream, with events around it. */
static int product(void)
{
    static float a[WIDTH * WIDTH], c[WIDTH * WIDTH];
    CUdeviceptr on[3];
    CUstream stream;
    CUevent begin, end;
    CUlaunchConfig config = {WIDTH / SIDE, WIDTH / SIDE, 1, SIDE, SIDE, 1, 0, NULL, NULL, 0};
    int n = WIDTH, wrong = 0;
    float ms = -1;
    for (int i = 0; i < n * n; i++)
        a[i] = (float)(i % 5);
    CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    CHECK(cuEventCreate(&begin, 0));
    CHECK(cuEventCreate(&end, 0));
    for (int i = 0; i < 3; i++)
        CHECK(cuMemAlloc(&on[i], sizeof a));
    CHECK(cuMemcpyHtoDAsync(on[0], a, sizeof a, stream));
    CHECK(cuMemsetD32Async(on[1], 0x40000000, WIDTH * WIDTH, stream)); /* 2.0 */
    void *parameters[] = {&on[0], &on[1], &on[2], &n};
    CHECK(cuEventRecord(begin, stream));
    config.hStream = stream;
    CHECK(cuLaunchKernelEx(&config, function("product"), parameters, NULL));
    CHECK(cuEventRecord(end, stream));
    CHECK(cuMemcpyDtoHAsync(c, on[2], sizeof c, stream));
    CHECK(cuStreamSynchronize(stream));
    CHECK(cuEventElapsedTime(&ms, begin, end));
    for (int i = 0; i < n * n; i++) {
        float expected = 0;
        for (int k = 0; k < n; k++)
            expected += a[i / n * n + k] * 2;
        wrong += c[i] != expected;
    }
    printf("%d products are wrong, time %s\n", wrong, ms >= 0.001f ? "passed" : "did not pass");
    return wrong ? 4 : 0;
}

/* Variables, attributes, occupancy, contexts and limits. */
static int ask(void)
{
    CUdeviceptr at;
    CUcontext now, popped;
    size_t size = 0, limit = 0;
    int value = 0, registers = 0, grid = 0, block = 0, blocks = 0, major = 0;
    float two = 2, factor = 0;
    CUdevice device = 7;
    CHECK(cuModuleGetGlobal(&at, &size, module, "factor"));
    CHECK(cuMemcpyHtoD(at, &two, sizeof two));
    CHECK(cuMemcpyDtoH(&factor, at, sizeof factor));
    CHECK(cuModuleGetGlobal(&at, &size, module, "written"));
    void *parameters[] = {&(int){5}};
    CHECK(cuLaunchKernel(function("note"), 1, 1, 1, 1, 1, 1, 0, NULL, parameters, NULL));
    CHECK(cuLaunchKernel(function("note"), 1, 1, 1, 1, 1, 1, 0, NULL, parameters, NULL));
    CHECK(cuMemcpyDtoH(&value, at, sizeof value));
    CHECK(cuFuncGetAttribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, function("product")));
    CHECK(cuOccupancyMaxPotentialBlockSize(&grid, &block, function("add"), NULL, 0, 0));
    CHECK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function("product"), 256, 0));
    CHECK(cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0));
    CHECK(cuCtxGetLimit(&limit, (CUlimit)8));
    CHECK(cuCtxGetDevice(&device));
    CHECK(cuCtxGetCurrent(&now));
    CHECK(cuCtxPopCurrent(&popped));
    const CUresult none = cuMemAlloc(&at, 4);
    CHECK(cuCtxPushCurrent(popped));
    printf("variables %zu %d %g, function %d, grid %d of %d, %d resident, device %d of %d.x, limit %zu, context %d, "
           "without %d\n",
           size, value, (double)factor, registers > 0, grid, block, blocks, device, major, limit, now == popped, none);
    return 0;
}

/* Launches what was captured three times, and nothing before. */
static int captured(void)
{
    CUstream stream;
    CUevent event;
    CUgraph graph;
    CUgraphExec exec;
    CUdeviceptr at;
    int value = -1;
    void *parameters[] = {&(int){5}};
    CHECK(cuModuleGetGlobal(&at, NULL, module, "written"));
    CHECK(cuStreamCreate(&stream, 0));
    CHECK(cuEventCreate(&event, 0));
    CHECK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    CHECK(cuLaunchKernel(function("note"), 1, 1, 1, 1, 1, 1, 0, stream, parameters, NULL));
    CHECK(cuEventRecord(event, stream));
    CHECK(cuStreamWaitEvent(stream, event, 0));
    CHECK(cuStreamEndCapture(stream, &graph));
    CHECK(cuGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < 3; i++)
        CHECK(cuGraphLaunch(exec, stream));
    CHECK(cuStreamSynchronize(stream));
    CHECK(cuMemcpyDtoH(&value, at, sizeof value));
    printf("value %d\n", value);
    return 0;
}

/* Builds a graph of a fill, a launch and a copy, each behind the one before; launches it, changes the launch, and
 * again. */
static int built(void)
{
    CUgraph graph;
    CUgraphExec exec;
    CUgraphNode fill, launch, copy;
    CUdeviceptr at;
    CUcontext context;
    size_t count = 0;
    int values[2] = {-1, -1}, five = 5;
    void *buffer[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &(int){7}, CU_LAUNCH_PARAM_BUFFER_SIZE, &(size_t){sizeof(int)},
                      CU_LAUNCH_PARAM_END};
    CHECK(cuCtxGetCurrent(&context));
    CHECK(cuModuleGetGlobal(&at, NULL, module, "written"));
    CHECK(cuGraphCreate(&graph, 0));
    const CUDA_MEMSET_NODE_PARAMS ten = {.dst = at, .value = 10, .elementSize = 4, .width = 1, .height = 1};
    CHECK(cuGraphAddMemsetNode(&fill, graph, NULL, 0, &ten, context));
    CUDA_KERNEL_NODE_PARAMS note = {.func = function("note"),
                                    .gridDimX = 1,
                                    .gridDimY = 1,
                                    .gridDimZ = 1,
                                    .blockDimX = 1,
                                    .blockDimY = 1,
                                    .blockDimZ = 1,
                                    .kernelParams = (void *[]){&five}};
    CHECK(cuGraphAddKernelNode(&launch, graph, &fill, 1, &note));
    CUDA_MEMCPY3D back = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                          .srcDevice = at,
                          .dstMemoryType = CU_MEMORYTYPE_HOST,
                          .dstHost = &values[0],
                          .WidthInBytes = sizeof(int),
                          .Height = 1,
                          .Depth = 1};
    CHECK(cuGraphAddMemcpyNode(&copy, graph, &launch, 1, &back, context));
    CHECK(cuGraphGetNodes(graph, NULL, &count));
    CHECK(cuGraphInstantiate(&exec, graph, 0));
    CHECK(cuGraphLaunch(exec, NULL));
    note.kernelParams = NULL;
    note.extra = buffer;
    back.dstHost = &values[1];
    CHECK(cuGraphExecKernelNodeSetParams(exec, launch, &note));
    CHECK(cuGraphExecMemcpyNodeSetParams(exec, copy, &back, context));
    CHECK(cuGraphLaunch(exec, NULL));
    CHECK(cuCtxSynchronize());
    printf("values %d %d, of %zu nodes\n", values[0], values[1], count);
    return 0;
}

/* An array that grows in place, as allocators do it: kernels and copies cross from one piece of memory to the next.
 * What is unmapped keeps its content. strays: a kernel then writes to what is not mapped any more. */
static int virtual_memory(int strays)
{
    enum { PIECE = 2 << 20, PIECES = 3, COUNTED = 64 };
    static unsigned char filled[COUNTED], found[COUNTED];
    const CUmemAllocationProp how = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                     .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};
    const CUmemAccessDesc access = {how.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    CUmemGenericAllocationHandle pieces[PIECES];
    CUdeviceptr at, begin;
    size_t bytes = 0, left[3];
    CHECK(cuMemGetAllocationGranularity(&bytes, &how, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    CHECK(cuMemGetInfo(&left[0], &bytes));
    CHECK(cuMemAddressReserve(&at, 64 * (size_t)PIECE, 0, 0, 0));
    for (int i = 0; i < PIECES; i++) {
        CHECK(cuMemCreate(&pieces[i], PIECE, &how, 0));
        CHECK(cuMemMap(at + (size_t)i * PIECE, PIECE, 0, pieces[i], 0));
        const CUresult early = cuMemsetD8(at + (size_t)i * PIECE, 1, 1);
        CHECK(cuMemSetAccess(at + (size_t)i * PIECE, PIECE, &access, 1));
        printf("%s", early == CUDA_ERROR_INVALID_VALUE ? "" : "accessible early\n");
    }
    CHECK(cuMemGetInfo(&left[1], &bytes));
    memset(filled, 7, sizeof filled);
    CHECK(cuMemcpyHtoD(at + 2 * PIECE - COUNTED / 2, filled, sizeof filled)); /* across two pieces */
    CHECK(cuMemUnmap(at + 2 * PIECE, PIECE));
    CHECK(cuMemMap(at + 9 * PIECE, PIECE, 0, pieces[2], 0));
    CHECK(cuMemSetAccess(at + 9 * PIECE, PIECE, &access, 1));
    CHECK(cuMemcpyDtoH(found, at + 2 * PIECE - COUNTED / 2, COUNTED / 2));
    CHECK(cuMemcpyDtoH(found + COUNTED / 2, at + 9 * PIECE, COUNTED / 2));
    CHECK(cuMemGetAddressRange(&begin, &bytes, at + PIECE));
    void *parameters[] = {strays ? &(CUdeviceptr){at + 2 * PIECE} : &at};
    CHECK(cuLaunchKernel(function("stray"), 2, 1, 1, 256, 1, 1, 0, NULL, parameters, NULL));
    CHECK(cuCtxSynchronize());
    printf("%d wrong, range %d of %zu\n", memcmp(filled, found, sizeof found) != 0, begin == at, bytes);
    const CUresult refused = cuMemMap(at, PIECE, 0, pieces[2], 0), twice = cuMemAddressFree(at, 64 * (size_t)PIECE);
    CHECK(cuMemUnmap(at, 2 * PIECE));
    CHECK(cuMemUnmap(at + 9 * PIECE, PIECE));
    for (int i = 0; i < PIECES; i++)
        CHECK(cuMemRelease(pieces[i]));
    CHECK(cuMemAddressFree(at, 64 * (size_t)PIECE));
    CHECK(cuMemGetInfo(&left[2], &bytes));
    printf("refused %d %d %d, used %zu, then %zu\n", refused, twice, cuMemRelease(pieces[0]), left[0] - left[1],
           left[0] - left[2]);
    return 0;
}

static int faulty(const char *what)
{
    CUdeviceptr x;
    void *parameters[] = {&x};
    CHECK(cuMemAlloc(&x, 1024));
    CHECK(cuMemsetD8(x, 0, 1024));
    cuLaunchKernel(function(what), strcmp(what, "stray") == 0 ? 2 : 1, 1, 1, strcmp(what, "stray") == 0 ? 256 : 64, 1,
                   1, 0, NULL, parameters, NULL);
    CHECK(cuCtxSynchronize());
    return 0;
}

int main(int argc, char **argv)
{
    const char *what = argc > 2 ? argv[1] : "";
    CUcontext context;
    CUdevice device;
    CUexternalMemory imported;
    const void *table;
    int code = 0;
    if (cuMemAlloc(&(CUdeviceptr){0}, 4) != CUDA_ERROR_NOT_INITIALIZED)
        return 4;
    CHECK(cuInit(0));
    CHECK(cuDeviceGet(&device, 0));
    CHECK(cuDevicePrimaryCtxRetain(&context, device));
    CHECK(cuCtxSetCurrent(context));
    if (argc > 2)
        load(what, argv[2], argc > 4 ? argv[4] : "");
    if (strcmp(what, "add") == 0 || strcmp(what, "linked") == 0)
        code = add(argc > 3 ? atoi(argv[3]) : 1);
    else if (strcmp(what, "product") == 0)
        code = product();
    else if (strcmp(what, "ask") == 0)
        code = ask();
    else if (strcmp(what, "captured") == 0)
        code = captured();
    else if (strcmp(what, "built") == 0)
        code = built();
    else if (strcmp(what, "virtual") == 0 || strcmp(what, "unmapped") == 0)
        code = virtual_memory(*what == 'u');
    else if (strcmp(what, "imports") == 0)
        cuImportExternalMemory(&imported, NULL);
    else if (strcmp(what, "table") == 0)
        cuGetExportTable(&table, &(CUuuid){{0}});
    else if (strcmp(what, "debugged") != 0)
        code = faulty(what);
    CHECK(cuModuleUnload(module));
    CHECK(cuDevicePrimaryCtxRelease(device));
    printf("Done\n");
    return code;
}
