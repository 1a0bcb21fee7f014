/* Memory of every kind is device memory here (device_memory.h). That includes pinned and managed memory, which kernels
 * may access. */

#include "function_launch.h"
#include "graph.h"
#include "inputs.h"

#include <sys/mman.h>

#define PITCH 512 /* rows of cudaMallocPitch begin at multiples of this many bytes */
/* What fresh memory of a program holds, which a GPU leaves open: a result that depends on it is to be seen. Floats are
 * large and finite. More memory holds zeros, which take none of this machine's. */
enum { FRESH = 0x4b, FRESH_MOST = 64 << 20, PIECE = 2 << 20 /* in which a pool gets memory from the driver */ };

struct memory_block {
    void *memory;
    size_t size;
    enum cudaMemoryType type;
    bool registered;    /* it is the program's own memory */
    bool of_graph;      /* a node of a graph allocated it, which may do that again */
    cudaMemPool_t pool; /* that it is from, or NULL */
};

/* ---- Allocations ---- */

/* Counts memory of a pool, or what is freed: less than 0. When the host waits, a pool keeps what it may alone. */
static void count_in_pool(cudaMemPool_t pool, int64_t size)
{
    const size_t waits = atomic_load(&runtime_now()->work.synchronizations);
    const uint64_t may = pool->waits != waits && pool->kept > pool->threshold ? pool->threshold : pool->kept;
    pool->waits = waits;
    pool->kept = may > pool->used ? may : (pool->used + PIECE - 1) / PIECE * PIECE;
    pool->used += (uint64_t)size;
    if (pool->used > pool->kept && pool->used <= pool->most)
        runtime_allocates(); /* of what it gave back */
    pool->most = pool->used > pool->most ? pool->used : pool->most;
}

static cudaError_t allocate_from(cudaMemPool_t pool, void **memory, size_t size, enum cudaMemoryType type)
{
    struct runtime *runtime = runtime_now();
    CUDA_TRY(runtime_lost());
    REFUSE(!memory, cudaErrorInvalidValue);
    *memory = NULL;
    if (size == 0)
        return cudaSuccess;
    runtime_memory_begin(runtime);
    const size_t most = (size_t)runtime_gpu()->memory_bytes;
    void *made = NULL;
    const bool fits = size <= most && (type == cudaMemoryTypeHost || runtime->used <= most - size);
    if (fits)
        made = runtime_pointer(
            (type == cudaMemoryTypeDevice ? device_allocate : device_allocate_for_host)(runtime_machine(), size));
    if (made) {
        *ARRAY_GROW(runtime->blocks, runtime->block_count) =
            (struct memory_block){.memory = made, .size = size, .type = type, .pool = pool};
        runtime->used += type == cudaMemoryTypeHost ? 0 : size;
        if (type == cudaMemoryTypeDevice && runtime->has_clock && runtime->used <= FRESH_MOST)
            memset(runtime_bytes(made), FRESH, size);
        if (pool)
            count_in_pool(pool, (int64_t)size);
        if (type != cudaMemoryTypeDevice)
            device_host_shares(runtime_machine(), (uintptr_t)made, size,
                               type == cudaMemoryTypeHost ? HOME_HOST : HOME_MANAGED);
    }
    const size_t used = runtime->used + (type == cudaMemoryTypeHost ? size : 0);
    runtime_memory_end(runtime);
    if (!made && fits)
        runtime_not_simulated("an allocation of %zu bytes, for which this machine has no memory", size);
    else if (made)
        runtime_watch_memory(runtime, used);
    if (made)
        inputs_add(INPUT_ALLOCATED, (const uint64_t[]){(uintptr_t)made, size}, 2, NULL, 0);
    if (made && type != cudaMemoryTypeDevice)
        inputs_hide();
    *memory = made;
    return made ? cudaSuccess : runtime_return(cudaErrorMemoryAllocation);
}

static cudaError_t allocate(void **memory, size_t size, enum cudaMemoryType type)
{
    runtime_allocates();
    return allocate_from(NULL, memory, size, type);
}

static cudaError_t release(void *memory)
{
    struct runtime *runtime = runtime_now();
    const cudaError_t error = runtime_lost();
    if (error != cudaSuccess || !memory)
        return error;
    runtime_memory_begin(runtime);
    size_t i = FIRST(k, runtime->block_count, runtime->blocks[k].memory == memory);
    if (i < runtime->block_count && runtime->blocks[i].of_graph) {
        runtime_memory_end(runtime);
        return cudaSuccess;
    }
    const bool known = i < runtime->block_count && !runtime->blocks[i].registered &&
                       grid_free(runtime_machine(), (uintptr_t)memory, runtime->blocks[i].size);
    if (known) {
        runtime->used -= runtime->blocks[i].type == cudaMemoryTypeHost ? 0 : runtime->blocks[i].size;
        if (runtime->blocks[i].pool)
            count_in_pool(runtime->blocks[i].pool, -(int64_t)runtime->blocks[i].size);
        runtime->blocks[i] = runtime->blocks[--runtime->block_count];
        device_host_leaves(runtime_machine(), (uintptr_t)memory);
        stream_races_forget(runtime_machine(), (uintptr_t)memory);
    }
    runtime_memory_end(runtime);
    if (known)
        inputs_add(INPUT_FREED, (const uint64_t[]){(uintptr_t)memory}, 1, NULL, 0);
    return known ? cudaSuccess : runtime_return(cudaErrorInvalidValue);
}

RUNTIME(cudaMalloc, (void **memory, size_t size), allocate(memory, size, cudaMemoryTypeDevice))

cudaError_t runtime_allocate_of_graph(void **memory, size_t size)
{
    struct runtime *runtime = runtime_now();
    const cudaError_t error = allocate_from(NULL, memory, size, cudaMemoryTypeDevice);
    runtime_memory_begin(runtime);
    for (size_t i = 0; i < runtime->block_count && error == cudaSuccess; i++)
        runtime->blocks[i].of_graph |= runtime->blocks[i].memory == *memory;
    runtime_memory_end(runtime);
    return error;
}

cudaError_t cudaMallocFromPoolAsync(void **memory, size_t size, cudaMemPool_t pool, cudaStream_t stream)
{
    if (stream_graph(stream)) {
        const cudaError_t error = runtime_allocate_of_graph(memory, size);
        if (error == cudaSuccess)
            graph_capture(stream, &(struct node_work){.kind = &node_allocate});
        return error;
    }
    runtime_calls();
    CUDA_TRY(stream_lost(stream));
    const cudaError_t error = stream_puts(stream, allocate_from(pool, memory, size, cudaMemoryTypeDevice));
    if (error == cudaSuccess && *memory) {
        stream_begins(stream);
        (void)operation_races(*memory, 0, true, NULL, "cudaMallocAsync");
        stream_races_allocate(runtime_machine(), (uintptr_t)*memory);
    }
    return error;
}

RUNTIME(cudaMallocAsync, (void **memory, size_t size, cudaStream_t stream),
        cudaMallocFromPoolAsync(memory, size, runtime_now()->current_pool, stream))

RUNTIME(cudaMallocManaged, (void **memory, size_t size, unsigned flags),
        ((void)flags, allocate(memory, size, cudaMemoryTypeManaged)))

RUNTIME(cudaMallocHost, (void **memory, size_t size), allocate(memory, size, cudaMemoryTypeHost))

RUNTIME(cudaHostAlloc, (void **memory, size_t size, unsigned flags),
        ((void)flags, allocate(memory, size, cudaMemoryTypeHost)))

cudaError_t cudaMallocPitch(void **memory, size_t *pitch, size_t width, size_t height)
{
    if (!pitch || width > SIZE_MAX - PITCH || (height > 0 && (width + PITCH) > SIZE_MAX / height))
        return runtime_return(cudaErrorInvalidValue);
    *pitch = (width + PITCH - 1) / PITCH * PITCH;
    return allocate(memory, *pitch * height, cudaMemoryTypeDevice);
}

cudaError_t cudaMalloc3D(struct cudaPitchedPtr *made, struct cudaExtent extent)
{
    size_t pitch;
    void *memory;
    REFUSE(!made || (extent.depth > 0 && extent.height > SIZE_MAX / extent.depth), cudaErrorInvalidValue);
    const cudaError_t error = cudaMallocPitch(&memory, &pitch, extent.width, extent.height * extent.depth);
    if (error == cudaSuccess)
        *made = (struct cudaPitchedPtr){memory, pitch, extent.width, extent.height};
    return error;
}

/* Frees memory for an operation that does not wait for others: it comes behind those that access it. */
static cudaError_t release_in_order(void *memory, const char *name)
{
    struct allocation place;
    if (runtime_find((uintptr_t)memory, &place))
        (void)operation_races(memory, place.end - place.begin, true, NULL, name);
    return release(memory);
}

/* The host waits for nothing where memory is from a pool. */
cudaError_t cudaFree(void *memory)
{
    struct runtime *runtime = runtime_now();
    struct passed passed = {{0}};
    runtime_memory_begin(runtime);
    const bool pooled = ANY(i, runtime->block_count, runtime->blocks[i].memory == memory && runtime->blocks[i].pool);
    runtime_memory_end(runtime);
    if (!pooled)
        return stream_seen(NULL), release(memory);
    operation_waited(&passed);
    operation_begin(0, &passed);
    return release_in_order(memory, "cudaFree");
}

cudaError_t cudaFreeAsync(void *memory, cudaStream_t stream)
{
    if (stream_graph(stream)) {
        graph_capture(stream, &(struct node_work){.kind = &node_free});
        return runtime_lost();
    }
    runtime_calls();
    CUDA_TRY(stream_lost(stream));
    stream_begins(stream);
    return stream_puts(stream, release_in_order(memory, "cudaFreeAsync"));
}

RUNTIME(cudaFreeHost, (void *memory), (stream_seen(NULL), release(memory)))

/* Frees everything that the program allocated, and sets its variables anew. Its modules stay. After a fault a process
 * cannot go on: an H200 answers so with CUDA 13.0 (2026-11-29). */
cudaError_t cudaDeviceReset(void)
{
    struct runtime *runtime = runtime_now();
    function_settle(NULL, 0, false);
    stream_seen(NULL);
    if (*runtime->fault.text) {
        runtime->lost = cudaErrorDevicesUnavailable;
        return cudaSuccess;
    }
    if (runtime->lost == cudaSuccess)
        runtime_reset_variables();
    for (size_t i = 0; i < runtime->block_count; i++)
        runtime->blocks[i].of_graph = false;
    for (size_t i = runtime->block_count; i-- > 0;)
        if (!runtime->blocks[i].registered)
            release(runtime->blocks[i].memory);
    return runtime_lost();
}

/* ---- Memory of the program's own, which kernels may access once it is registered ---- */

/* Whether some of these bytes are in an allocation. */
static bool is_taken(uint64_t begin, size_t size)
{
    struct allocation allocation;
    const struct machine *machine = runtime_machine();
    return device_find(machine, begin, &allocation) || device_find(machine, begin + size - 1, &allocation) ||
           (device_find_near(machine, begin, size, &allocation) && allocation.begin > begin &&
            allocation.begin < begin + size);
}

/* Whether the process has all of some memory. */
static bool is_there(uint64_t begin, size_t size)
{
    enum { PAGE = 4096 };
    const uint64_t page = begin / PAGE * PAGE;
    return begin != 0 && size > 0 && size <= UINT64_MAX - begin &&
           msync(runtime_pointer(page), (size_t)(begin - page) + size, MS_ASYNC) == 0;
}

cudaError_t cudaHostRegister(void *memory, size_t size, unsigned flags)
{
    struct runtime *runtime = runtime_now();
    (void)flags;
    runtime_allocates();
    const uint64_t begin = (uint64_t)(uintptr_t)memory;
    CUDA_TRY(runtime_lost());
    REFUSE(!is_there(begin, size), cudaErrorInvalidValue);
    runtime_memory_begin(runtime);
    const bool taken = is_taken(begin, size);
    if (!taken) {
        device_show(runtime_machine(), begin, size);
        *ARRAY_GROW(runtime->blocks, runtime->block_count) =
            (struct memory_block){.memory = memory, .size = size, .type = cudaMemoryTypeHost, .registered = true};
        device_host_shares(runtime_machine(), begin, size, HOME_HOST);
    }
    runtime_memory_end(runtime);
    inputs_hide(); /* the program changes it without a call */
    return taken ? runtime_return(cudaErrorHostMemoryAlreadyRegistered) : cudaSuccess;
}

cudaError_t cudaHostUnregister(void *memory)
{
    struct runtime *runtime = runtime_now();
    CUDA_TRY(runtime_lost());
    stream_seen(NULL);
    runtime_memory_begin(runtime);
    size_t i = FIRST(k, runtime->block_count, runtime->blocks[k].registered && runtime->blocks[k].memory == memory);
    const bool known = i < runtime->block_count;
    if (known) {
        device_hide(runtime_machine(), (uintptr_t)memory);
        device_host_leaves(runtime_machine(), (uintptr_t)memory);
        runtime->blocks[i] = runtime->blocks[--runtime->block_count];
    }
    runtime_memory_end(runtime);
    return known ? cudaSuccess : runtime_return(cudaErrorHostMemoryNotRegistered);
}

cudaError_t cudaHostGetFlags(unsigned *flags, void *memory)
{
    struct cudaPointerAttributes attributes;
    CUDA_TRY(cudaPointerGetAttributes(&attributes, memory));
    REFUSE(attributes.type != cudaMemoryTypeHost, cudaErrorInvalidValue);
    *flags = cudaHostAllocMapped;
    return cudaSuccess;
}

/* ---- Pools ---- */

RUNTIME(cudaDeviceGetDefaultMemPool, (cudaMemPool_t * pool, int device),
        SET(pool, &runtime_now()->default_pool, device == 0 ? runtime_lost() : runtime_return(cudaErrorInvalidDevice)))
RUNTIME(cudaDeviceGetMemPool, (cudaMemPool_t * pool, int device),
        SET(pool, runtime_now()->current_pool, device == 0 ? runtime_lost() : runtime_return(cudaErrorInvalidDevice)))

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool)
{
    if (device != 0 || !pool)
        return runtime_return(device != 0 ? cudaErrorInvalidDevice : cudaErrorInvalidValue);
    runtime_now()->current_pool = pool;
    return runtime_lost();
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const struct cudaMemPoolProps *properties)
{
    runtime_calls();
    REFUSE(!pool || !properties, cudaErrorInvalidValue);
    if (properties->handleTypes != cudaMemHandleTypeNone || properties->location.type != cudaMemLocationTypeDevice)
        return runtime_not_simulated("a memory pool that is shared between processes, or not on the device");
    *pool = x_calloc(1, sizeof **pool);
    **pool = (struct CUmemPoolHandle_st){.reuse = {1, 1, 1}};
    return runtime_lost();
}

/* A pool stays, since memory that is from it may be freed later. */
cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool)
{
    runtime_calls();
    struct runtime *runtime = runtime_now();
    REFUSE(!pool || pool == &runtime->default_pool, cudaErrorInvalidValue);
    if (runtime->current_pool == pool)
        runtime->current_pool = &runtime->default_pool;
    return runtime_lost();
}

/* It grows anew if it keeps less than it has. */
RUNTIME(cudaMemPoolTrimTo, (cudaMemPool_t pool, size_t kept),
        (runtime_calls(), SET(pool ? &pool->kept : NULL, kept < pool->kept ? kept : pool->kept, runtime_lost())))

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const struct cudaMemAccessDesc *accesses, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!accesses || accesses[i].location.type != cudaMemLocationTypeDevice || accesses[i].location.id != 0)
            return runtime_return(cudaErrorInvalidDevice);
    return pool ? runtime_lost() : runtime_return(cudaErrorInvalidValue);
}

/* Returns one of the attributes that are ints, or NULL. */
static int *reuse_of(cudaMemPool_t pool, enum cudaMemPoolAttr attribute)
{
    return attribute >= cudaMemPoolReuseFollowEventDependencies &&
                   attribute <= cudaMemPoolReuseAllowInternalDependencies
               ? &pool->reuse[attribute - cudaMemPoolReuseFollowEventDependencies]
               : NULL;
}

/* Returns one of the attributes that are numbers of bytes, or NULL. */
static uint64_t *bytes_of(cudaMemPool_t pool, enum cudaMemPoolAttr attribute)
{
    switch (attribute) {
    case cudaMemPoolAttrReleaseThreshold:
        return &pool->threshold;
    case cudaMemPoolAttrReservedMemCurrent: /* it has reserved what is used, and no more */
    case cudaMemPoolAttrUsedMemCurrent:
        return &pool->used;
    case cudaMemPoolAttrReservedMemHigh:
    case cudaMemPoolAttrUsedMemHigh:
        return &pool->most;
    default:
        return NULL;
    }
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value)
{
    REFUSE(!pool || !value || (!reuse_of(pool, attribute) && !bytes_of(pool, attribute)), cudaErrorInvalidValue);
    if (reuse_of(pool, attribute))
        *(int *)value = *reuse_of(pool, attribute);
    else
        *(uint64_t *)value = *bytes_of(pool, attribute);
    return runtime_lost();
}

/* Of how much is used only the most can be set, and only to 0: then it counts anew. */
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value)
{
    REFUSE(!pool || !value || (!reuse_of(pool, attribute) && !bytes_of(pool, attribute)), cudaErrorInvalidValue);
    if (reuse_of(pool, attribute)) {
        *reuse_of(pool, attribute) = *(int *)value;
    } else if (attribute == cudaMemPoolAttrReleaseThreshold) {
        pool->threshold = *(uint64_t *)value;
    } else {
        REFUSE(bytes_of(pool, attribute) != &pool->most || *(uint64_t *)value != 0, cudaErrorInvalidValue);
        pool->most = pool->used;
    }
    return runtime_lost();
}

/* ---- What is known of memory ---- */

cudaError_t cudaMemGetInfo(size_t *left, size_t *total)
{
    const size_t all = (size_t)runtime_gpu()->memory_bytes;
    runtime_calls(); /* it asks the kernel's driver */
    return SET(total, all, SET(left, all - runtime_now()->used, runtime_lost()));
}

cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned flags)
{
    struct allocation allocation;
    (void)flags;
    CUDA_TRY(runtime_lost());
    REFUSE(!device || !runtime_find((uintptr_t)host, &allocation), cudaErrorInvalidValue);
    *device = host;
    return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *pointer)
{
    struct runtime *runtime = runtime_now();
    struct allocation allocation;
    CUDA_TRY(runtime_lost());
    REFUSE(!attributes, cudaErrorInvalidValue);
    *attributes = (struct cudaPointerAttributes){.type = cudaMemoryTypeUnregistered, .device = -2};
    if (!runtime_find((uintptr_t)pointer, &allocation)) {
        attributes->hostPointer = (void *)pointer;
        return cudaSuccess;
    }
    attributes->type = cudaMemoryTypeDevice; /* for variables, too */
    runtime_memory_begin(runtime);
    for (size_t i = 0; i < runtime->block_count; i++)
        if ((uint64_t)(uintptr_t)runtime->blocks[i].memory == allocation.begin)
            attributes->type = runtime->blocks[i].type;
    runtime_memory_end(runtime);
    if (runtime_is_managed(pointer))
        attributes->type = cudaMemoryTypeManaged;
    attributes->device = 0;
    attributes->devicePointer = (void *)pointer;
    attributes->hostPointer = attributes->type == cudaMemoryTypeDevice ? NULL : (void *)pointer;
    return cudaSuccess;
}
