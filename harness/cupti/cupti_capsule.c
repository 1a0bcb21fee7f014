/* The GPU as a device that executes capsules, by the driver's calls. Memory lies at the addresses that it had in the
 * program: reserved before the context exists, then mapped. */
#include "cupti_plugin.h"

#include <inttypes.h>

static int reserve(uint64_t address, uint64_t size, struct problem *problem)
{
    CUdeviceptr got = 0;
    const int count = gpu_count(problem);
    if (count <= 0)
        return -1;
    TRY(cuda_check("reserving addresses", cuMemAddressReserve(&got, size, 0, address, 0), problem));
    if (got == address)
        return 0;
    cuMemAddressFree(got, size);
    return problem_set(problem,
                       "the driver does not provide the addresses from 0x%" PRIx64 " to 0x%" PRIx64
                       ", only those from 0x%llx, because this process uses them for something else; try again",
                       address, address + size, got);
}

static int begin(struct problem *problem)
{
    CUcontext context;
    return gpu_context(&context, problem);
}

/* Of host memory the GPU reads and writes the host's own. */
static int back(uint64_t address, uint64_t size, enum memory_kind kind, struct problem *problem)
{
    CUmemGenericAllocationHandle handle;
    const CUmemLocation gpu = {.type = CU_MEM_LOCATION_TYPE_DEVICE}, host = {.type = CU_MEM_LOCATION_TYPE_HOST_NUMA};
    const CUmemAllocationProp what = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                      .location = kind == MEMORY_HOST ? host : gpu};
    const CUmemAccessDesc access[] = {{gpu, CU_MEM_ACCESS_FLAGS_PROT_READWRITE},
                                      {host, CU_MEM_ACCESS_FLAGS_PROT_READWRITE}};
    TRY(cuda_check("allocating memory", cuMemCreate(&handle, size, &what, 0), problem));
    int failed = cuda_check("mapping memory", cuMemMap(address, size, 0, handle, 0), problem);
    cuMemRelease(handle); /* the memory lives until it is mapped nowhere */
    if (failed == 0)
        failed = cuda_check("making memory accessible to the GPU",
                            cuMemSetAccess(address, size, access, kind == MEMORY_HOST ? 2 : 1), problem);
    return failed;
}

static int unback(uint64_t address, uint64_t size, struct problem *problem)
{
    return cuda_check("unmapping memory", cuMemUnmap(address, size), problem);
}

static int allocate(uint64_t size, uint64_t *address, struct problem *problem)
{
    CUdeviceptr memory = 0;
    TRY(cuda_check("allocating memory for a copy", cuMemAlloc(&memory, size), problem));
    *address = memory;
    return 0;
}

static int give_back(uint64_t address, struct problem *problem)
{
    return cuda_check("freeing memory", cuMemFree(address), problem);
}

static int load(const void *image, size_t size, void **module, struct problem *problem)
{
    CUmodule loaded = NULL;
    (void)size; /* an ELF image says how long it is */
    TRY(cuda_check("loading the machine code", cuModuleLoadData(&loaded, image), problem));
    *module = loaded;
    return 0;
}

static int unload(void *module, struct problem *problem)
{
    return cuda_check("unloading the machine code", cuModuleUnload(module), problem);
}

static int variable(void *module, const char *name, uint64_t *address, uint64_t *size, struct problem *problem)
{
    CUdeviceptr begin = 0;
    size_t bytes = 0;
    TRY(cuda_check("finding a variable of the machine code", cuModuleGetGlobal(&begin, &bytes, module, name), problem));
    *address = begin;
    *size = bytes;
    return 0;
}

static int write_memory(uint64_t address, const void *bytes, size_t size, struct problem *problem)
{
    return cuda_check("writing memory", cuMemcpyHtoD(address, bytes, size), problem);
}

static int read_memory(void *bytes, uint64_t address, size_t size, struct problem *problem)
{
    return cuda_check("reading memory", cuMemcpyDtoH(bytes, address, size), problem);
}

static int copy_memory(uint64_t to, uint64_t from, size_t size, struct problem *problem)
{
    return cuda_check("copying memory", cuMemcpyDtoDAsync(to, from, size, NULL), problem);
}

static int fill_memory(uint64_t address, int byte, size_t size, struct problem *problem)
{
    return cuda_check("filling memory", cuMemsetD8Async(address, (unsigned char)byte, size, NULL), problem);
}

static int set_attribute(CUfunction function, CUfunction_attribute which, int value, struct problem *problem)
{
    return cuda_check("preparing the launch", cuFuncSetAttribute(function, which, value), problem);
}

static int prepare(CUfunction function, const struct capsule *capsule, struct problem *problem)
{
    if (capsule->shared > 0 && set_attribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                             (int)capsule->shared_limit, problem) < 0)
        return -1;
    if (capsule->carve_out > 0 && set_attribute(function, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT,
                                                (int)capsule->carve_out - 1, problem) < 0)
        return -1;
    return capsule->large_cluster
               ? set_attribute(function, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1, problem)
               : 0;
}

static int launch(void *module, const struct capsule *capsule, const unsigned char *bytes, struct problem *problem)
{
    CUfunction function = NULL;
    CUlaunchAttribute attributes[3];
    unsigned count = 0;
    TRY(cuda_check("finding the function", cuModuleGetFunction(&function, module, capsule->function), problem));
    TRY(prepare(function, capsule, problem));
    memset(attributes, 0, sizeof attributes);
    if (capsule->cluster[0] > 0) {
        attributes[count].id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
        attributes[count].value.clusterDim.x = capsule->cluster[0];
        attributes[count].value.clusterDim.y = capsule->cluster[1];
        attributes[count++].value.clusterDim.z = capsule->cluster[2];
    }
    if (capsule->cooperative) {
        attributes[count].id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
        attributes[count++].value.cooperative = 1;
    }
    if (capsule->overlaps) {
        attributes[count].id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
        attributes[count++].value.programmaticStreamSerializationAllowed = 1;
    }
    const CUlaunchConfig config = {
        .gridDimX = capsule->grid[0],
        .gridDimY = capsule->grid[1],
        .gridDimZ = capsule->grid[2],
        .blockDimX = capsule->block[0],
        .blockDimY = capsule->block[1],
        .blockDimZ = capsule->block[2],
        .sharedMemBytes = capsule->shared,
        .attrs = attributes,
        .numAttrs = count,
    };
    OWNED_MEMORY void **arguments = x_calloc(capsule->argument_count + 1, sizeof *arguments);
    for (size_t i = 0; i < capsule->argument_count; i++)
        arguments[i] =
            (void *)(uintptr_t)(bytes + capsule->arguments[i].offset); /* NOLINT(performance-no-int-to-ptr) */
    return cuda_check("launching it", cuLaunchKernelEx(&config, function, arguments, NULL), problem);
}

static int wait(struct problem *problem)
{
    return cuda_check("waiting for the launch", cuCtxSynchronize(), problem);
}

const struct capsule_device cupti_capsule_device = {
    .begin = begin,
    .reserve = reserve,
    .back = back,
    .unback = unback,
    .allocate = allocate,
    .free = give_back,
    .load = load,
    .unload = unload,
    .variable = variable,
    .write = write_memory,
    .read = read_memory,
    .copy = copy_memory,
    .fill = fill_memory,
    .launch = launch,
    .wait = wait,
};
