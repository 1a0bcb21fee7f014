/* Memory of the driver: allocations, pools, copies and fills. */

#include "parts.h"

/* ---- Allocations ---- */

static cudaError_t find_range(CUdeviceptr *begin, size_t *size, CUdeviceptr at)
{
    struct allocation allocation;
    const cudaError_t error = runtime_lost();
    if (error != cudaSuccess || !runtime_find(at, &allocation))
        return error != cudaSuccess ? error : cudaErrorSymbolNotFound;
    if (begin)
        *begin = allocation.begin;
    if (size)
        *size = allocation.end - allocation.begin;
    return cudaSuccess;
}

/* Sets what is asked of a pointer. Nothing is known of memory that the GPU cannot reach. */
static cudaError_t ask(void *answer, CUpointer_attribute attribute, CUdeviceptr at)
{
    struct cudaPointerAttributes of;
    const cudaError_t error = cudaPointerGetAttributes(&of, runtime_pointer(at));
    if (error != cudaSuccess || !answer || of.type == cudaMemoryTypeUnregistered)
        return error != cudaSuccess ? error : cudaErrorInvalidValue;
    const bool is_managed = of.type == cudaMemoryTypeManaged;
    switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
        *(CUcontext *)answer = context_now();
        return cudaSuccess;
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        *(unsigned *)answer = of.type == cudaMemoryTypeHost ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
        return cudaSuccess;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
        *(CUdeviceptr *)answer = at;
        return cudaSuccess;
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
        *(void **)answer = of.hostPointer;
        return of.hostPointer ? cudaSuccess : cudaErrorInvalidValue;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
        *(unsigned *)answer = is_managed;
        return cudaSuccess;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
        *(int *)answer = 0;
        return cudaSuccess;
    case CU_POINTER_ATTRIBUTE_MAPPED:
        *(unsigned *)answer = 1;
        return cudaSuccess;
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
        return find_range(answer, NULL, at);
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
        return find_range(NULL, answer, at);
    default:
        return runtime_not_simulated("cuPointerGetAttribute with attribute %d", (int)attribute);
    }
}

static cudaError_t ask_all(unsigned count, const CUpointer_attribute *attributes, void **answers, CUdeviceptr at)
{
    struct cudaPointerAttributes of;
    cudaError_t error =
        attributes && answers ? cudaPointerGetAttributes(&of, runtime_pointer(at)) : cudaErrorInvalidValue;
    for (unsigned i = 0; i < count && error == cudaSuccess; i++)
        if (of.type != cudaMemoryTypeUnregistered)
            error = ask(answers[i], attributes[i], at);
        else if (attributes[i] == CU_POINTER_ATTRIBUTE_MEMORY_TYPE || attributes[i] == CU_POINTER_ATTRIBUTE_IS_MANAGED)
            *(unsigned *)answers[i] = 0;
        else
            *(void **)answers[i] = NULL;
    return error;
}

static cudaError_t make_pool(CUmemoryPool *pool, const CUmemPoolProps *how)
{
    if (!how || how->allocType != CU_MEM_ALLOCATION_TYPE_PINNED)
        return cudaErrorInvalidValue;
    const struct cudaMemPoolProps same = {
        .handleTypes = (enum cudaMemAllocationHandleType)how->handleTypes,
        .location = {.type = (enum cudaMemLocationType)how->location.type, .id = how->location.id}};
    return cudaMemPoolCreate(pool, &same);
}

/* clang-format off */
FRONT(cuMemGetInfo_v2, (size_t *left, size_t *total), cudaMemGetInfo(left, total))
FRONT(cuMemAlloc_v2, (CUdeviceptr *memory, size_t size), size ? cudaMalloc((void **)memory, size) : cudaErrorInvalidValue)
FRONT(cuMemAllocPitch_v2, (CUdeviceptr *memory, size_t *pitch, size_t width, size_t height, unsigned element), ((void)element, cudaMallocPitch((void **)memory, pitch, width, height)))
FRONT(cuMemAllocManaged, (CUdeviceptr *memory, size_t size, unsigned flags), cudaMallocManaged((void **)memory, size, flags))
FRONT_INIT(cuMemFree_v2, (CUdeviceptr memory), memory && !context_now() ? cudaErrorDeviceUninitialized : cudaFree(runtime_pointer(memory)))
FRONT(cuMemAllocHost_v2, (void **memory, size_t size), size ? cudaMallocHost(memory, size) : cudaErrorInvalidValue)
FRONT(cuMemHostAlloc, (void **memory, size_t size, unsigned flags), size ? cudaHostAlloc(memory, size, flags) : cudaErrorInvalidValue)
FRONT(cuMemFreeHost, (void *memory), cudaFreeHost(memory))
FRONT(cuMemHostRegister_v2, (void *memory, size_t size, unsigned flags), cudaHostRegister(memory, size, flags))
FRONT(cuMemHostUnregister, (void *memory), cudaHostUnregister(memory))
FRONT(cuMemHostGetDevicePointer_v2, (CUdeviceptr *device, void *host, unsigned flags), cudaHostGetDevicePointer((void **)device, host, flags))
FRONT(cuMemHostGetFlags, (unsigned *flags, void *memory), cudaHostGetFlags(flags, memory))
FRONT(cuMemGetAddressRange_v2, (CUdeviceptr *begin, size_t *size, CUdeviceptr at), find_range(begin, size, at))
FRONT_INIT(cuPointerGetAttribute, (void *answer, CUpointer_attribute attribute, CUdeviceptr at), ask(answer, attribute, at))
FRONT_INIT(cuPointerGetAttributes, (unsigned count, CUpointer_attribute *attributes, void **answers, CUdeviceptr at), ask_all(count, attributes, answers, at))

FRONT(cuMemAllocAsync, (CUdeviceptr *memory, size_t size, CUstream stream), size ? cudaMallocAsync((void **)memory, size, stream) : cudaErrorInvalidValue)
FRONT(cuMemAllocFromPoolAsync, (CUdeviceptr *memory, size_t size, CUmemoryPool pool, CUstream stream), size ? cudaMallocFromPoolAsync((void **)memory, size, pool, stream) : cudaErrorInvalidValue)
FRONT(cuMemFreeAsync, (CUdeviceptr memory, CUstream stream), cudaFreeAsync(runtime_pointer(memory), stream))
FRONT(cuMemPoolCreate, (CUmemoryPool *pool, const CUmemPoolProps *how), make_pool(pool, how))
FRONT(cuMemPoolDestroy, (CUmemoryPool pool), cudaMemPoolDestroy(pool))
FRONT(cuMemPoolTrimTo, (CUmemoryPool pool, size_t kept), cudaMemPoolTrimTo(pool, kept))
FRONT(cuMemPoolSetAttribute, (CUmemoryPool pool, CUmemPool_attribute attribute, void *value), cudaMemPoolSetAttribute(pool, (enum cudaMemPoolAttr)attribute, value))
FRONT(cuMemPoolGetAttribute, (CUmemoryPool pool, CUmemPool_attribute attribute, void *value), cudaMemPoolGetAttribute(pool, (enum cudaMemPoolAttr)attribute, value))
FRONT(cuMemPoolSetAccess, (CUmemoryPool pool, const CUmemAccessDesc *accesses, size_t count), cudaMemPoolSetAccess(pool, (const struct cudaMemAccessDesc *)accesses, count))
/* clang-format on */

/* ---- Copies ---- */

/* A side of a copy that is no array, and what it says of an array. */
struct side {
    struct cudaPitchedPtr memory;
    struct cudaArray *array;
};

/* Sets a side. False: it is of no kind that there is. */
static bool set_side(struct side *side, CUmemorytype type, const void *host, CUdeviceptr device, CUarray array,
                     size_t pitch, size_t height)
{
    *side = (struct side){0};
    if (type == CU_MEMORYTYPE_ARRAY)
        side->array = (struct cudaArray *)array;
    else
        side->memory = (struct cudaPitchedPtr){type == CU_MEMORYTYPE_HOST ? (void *)host : runtime_pointer(device),
                                               pitch, pitch, height};
    return type >= CU_MEMORYTYPE_HOST && type <= CU_MEMORYTYPE_UNIFIED && (side->array || side->memory.ptr);
}

static enum cudaMemcpyKind kind_of(CUmemorytype from, CUmemorytype to)
{
    if (from == CU_MEMORYTYPE_UNIFIED || to == CU_MEMORYTYPE_UNIFIED)
        return cudaMemcpyDefault;
    if (from == CU_MEMORYTYPE_HOST)
        return to == CU_MEMORYTYPE_HOST ? cudaMemcpyHostToHost : cudaMemcpyHostToDevice;
    return to == CU_MEMORYTYPE_HOST ? cudaMemcpyDeviceToHost : cudaMemcpyDeviceToDevice;
}

/* The driver tells widths in bytes, and the runtime in elements where a side is an array. */
cudaError_t copy_of_box(struct cudaMemcpy3DParms *made, const CUDA_MEMCPY3D *copy)
{
    struct side from, to;
    if (!set_side(&from, copy->srcMemoryType, copy->srcHost, copy->srcDevice, copy->srcArray, copy->srcPitch,
                  copy->srcHeight) ||
        !set_side(&to, copy->dstMemoryType, copy->dstHost, copy->dstDevice, copy->dstArray, copy->dstPitch,
                  copy->dstHeight))
        return cudaErrorInvalidValue;
    struct cudaChannelFormatDesc format = {.x = 8};
    if (from.array || to.array)
        cudaGetChannelDesc(&format, from.array ? from.array : to.array);
    const size_t element = (size_t)(format.x + format.y + format.z + format.w) / 8;
    if (copy->WidthInBytes % element || (from.array && copy->srcXInBytes % element) ||
        (to.array && copy->dstXInBytes % element))
        return cudaErrorInvalidValue;
    *made =
        (struct cudaMemcpy3DParms){.srcArray = from.array,
                                   .srcPos = {copy->srcXInBytes / (from.array ? element : 1), copy->srcY, copy->srcZ},
                                   .srcPtr = from.memory,
                                   .dstArray = to.array,
                                   .dstPos = {copy->dstXInBytes / (to.array ? element : 1), copy->dstY, copy->dstZ},
                                   .dstPtr = to.memory,
                                   .extent = {copy->WidthInBytes / element, copy->Height, copy->Depth},
                                   .kind = kind_of(copy->srcMemoryType, copy->dstMemoryType)};
    return cudaSuccess;
}

static cudaError_t copy_box(const CUDA_MEMCPY3D *copy, CUstream stream)
{
    struct cudaMemcpy3DParms same;
    const cudaError_t error = copy_of_box(&same, copy);
    return error == cudaSuccess ? runtime_copy_in(stream, &same) : error;
}

/* A pitch of 0 is the width. */
static cudaError_t copy_rectangle(const CUDA_MEMCPY2D *copy, CUstream stream)
{
    if (!copy)
        return cudaErrorInvalidValue;
    const CUDA_MEMCPY3D box = {.srcXInBytes = copy->srcXInBytes,
                               .srcY = copy->srcY,
                               .srcMemoryType = copy->srcMemoryType,
                               .srcHost = copy->srcHost,
                               .srcDevice = copy->srcDevice,
                               .srcArray = copy->srcArray,
                               .srcPitch = copy->srcPitch ? copy->srcPitch : copy->WidthInBytes + copy->srcXInBytes,
                               .dstXInBytes = copy->dstXInBytes,
                               .dstY = copy->dstY,
                               .dstMemoryType = copy->dstMemoryType,
                               .dstHost = copy->dstHost,
                               .dstDevice = copy->dstDevice,
                               .dstArray = copy->dstArray,
                               .dstPitch = copy->dstPitch ? copy->dstPitch : copy->WidthInBytes + copy->dstXInBytes,
                               .WidthInBytes = copy->WidthInBytes,
                               .Height = copy->Height,
                               .Depth = 1};
    return copy_box(&box, stream);
}

static cudaError_t copy(CUdeviceptr to, CUdeviceptr from, size_t size, enum cudaMemcpyKind kind, CUstream stream)
{
    return cudaMemcpyAsync(runtime_pointer(to), runtime_pointer(from), size, kind, stream);
}

static cudaError_t fill(CUdeviceptr memory, size_t pitch, unsigned value, unsigned element, size_t width, size_t height,
                        CUstream stream)
{
    return runtime_fill_in(stream,
                           &(struct cudaMemsetParams){runtime_pointer(memory), pitch, value, element, width, height});
}

#define HOST(memory) ((CUdeviceptr)(uintptr_t)(memory))

/* To add a copy or fill: a row, and one for a stream. */
/* clang-format off */
FRONT(cuMemcpy, (CUdeviceptr to, CUdeviceptr from, size_t size), runtime_waited(copy(to, from, size, cudaMemcpyDefault, NULL), cudaMemcpyDefault))
FRONT(cuMemcpyAsync, (CUdeviceptr to, CUdeviceptr from, size_t size, CUstream stream), copy(to, from, size, cudaMemcpyDefault, stream))
FRONT(cuMemcpyHtoD_v2, (CUdeviceptr to, const void *from, size_t size), runtime_waited(copy(to, HOST(from), size, cudaMemcpyHostToDevice, NULL), cudaMemcpyHostToDevice))
FRONT(cuMemcpyHtoDAsync_v2, (CUdeviceptr to, const void *from, size_t size, CUstream stream), copy(to, HOST(from), size, cudaMemcpyHostToDevice, stream))
FRONT(cuMemcpyDtoH_v2, (void *to, CUdeviceptr from, size_t size), runtime_waited(copy(HOST(to), from, size, cudaMemcpyDeviceToHost, NULL), cudaMemcpyDeviceToHost))
FRONT(cuMemcpyDtoHAsync_v2, (void *to, CUdeviceptr from, size_t size, CUstream stream), copy(HOST(to), from, size, cudaMemcpyDeviceToHost, stream))
FRONT(cuMemcpyDtoD_v2, (CUdeviceptr to, CUdeviceptr from, size_t size), copy(to, from, size, cudaMemcpyDeviceToDevice, NULL))
FRONT(cuMemcpyDtoDAsync_v2, (CUdeviceptr to, CUdeviceptr from, size_t size, CUstream stream), copy(to, from, size, cudaMemcpyDeviceToDevice, stream))
FRONT(cuMemcpy2D_v2, (const CUDA_MEMCPY2D *copied), runtime_waited(copy_rectangle(copied, NULL), cudaMemcpyDefault))
FRONT(cuMemcpy2DUnaligned_v2, (const CUDA_MEMCPY2D *copied), runtime_waited(copy_rectangle(copied, NULL), cudaMemcpyDefault))
FRONT(cuMemcpy2DAsync_v2, (const CUDA_MEMCPY2D *copied, CUstream stream), copy_rectangle(copied, stream))
FRONT(cuMemcpy3D_v2, (const CUDA_MEMCPY3D *copied), copied ? runtime_waited(copy_box(copied, NULL), cudaMemcpyDefault) : cudaErrorInvalidValue)
FRONT(cuMemcpy3DAsync_v2, (const CUDA_MEMCPY3D *copied, CUstream stream), copied ? copy_box(copied, stream) : cudaErrorInvalidValue)
FRONT(cuMemsetD8_v2, (CUdeviceptr at, unsigned char value, size_t count), fill(at, count, value, 1, count, 1, NULL))
FRONT(cuMemsetD16_v2, (CUdeviceptr at, unsigned short value, size_t count), fill(at, 2 * count, value, 2, count, 1, NULL))
FRONT(cuMemsetD32_v2, (CUdeviceptr at, unsigned value, size_t count), fill(at, 4 * count, value, 4, count, 1, NULL))
FRONT(cuMemsetD8Async, (CUdeviceptr at, unsigned char value, size_t count, CUstream stream), fill(at, count, value, 1, count, 1, stream))
FRONT(cuMemsetD16Async, (CUdeviceptr at, unsigned short value, size_t count, CUstream stream), fill(at, 2 * count, value, 2, count, 1, stream))
FRONT(cuMemsetD32Async, (CUdeviceptr at, unsigned value, size_t count, CUstream stream), fill(at, 4 * count, value, 4, count, 1, stream))
FRONT(cuMemsetD2D8_v2, (CUdeviceptr at, size_t pitch, unsigned char value, size_t width, size_t height), fill(at, pitch, value, 1, width, height, NULL))
FRONT(cuMemsetD2D16_v2, (CUdeviceptr at, size_t pitch, unsigned short value, size_t width, size_t height), fill(at, pitch, value, 2, width, height, NULL))
FRONT(cuMemsetD2D32_v2, (CUdeviceptr at, size_t pitch, unsigned value, size_t width, size_t height), fill(at, pitch, value, 4, width, height, NULL))
FRONT(cuMemAdvise, (CUdeviceptr at, size_t count, CUmem_advise advice, CUdevice device), ((void)at, (void)count, (void)advice, (void)device, runtime_lost()))
FRONT(cuMemPrefetchAsync, (CUdeviceptr at, size_t count, CUdevice device, CUstream stream), ((void)at, (void)count, (void)device, (void)stream, runtime_lost()))
/* clang-format on */
