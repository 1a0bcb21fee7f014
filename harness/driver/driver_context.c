/* The driver's beginning, its device, and contexts. A context is a name only: all that a program has on the GPU is in
 * the one state of the runtime, and goes when the last context does. */
#include "front.h"

#include <cudaProfiler.h>
#include <cuda_profiler_api.h>

enum { NESTED = 64 }; /* most contexts that a thread pushes */

struct CUctx_st {
    unsigned flags;
    unsigned long long id;
    bool destroyed;
};

static bool initialized;
static struct CUctx_st primary = {.id = 1};
static unsigned primary_users;
static CUcontext *contexts; /* made by the program; never freed, since it may ask for one that is gone */
static size_t context_count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static _Thread_local CUcontext stack[NESTED];
static _Thread_local size_t depth;

/* ---- Calls ---- */

/* A program that uses the runtime as well has the primary context, as after its first call of that. */
CUcontext context_now(void)
{
    return depth > 0 && stack[depth - 1] ? stack[depth - 1] : runtime_now()->in_use && depth == 0 ? &primary : NULL;
}

CUresult front_begin(enum front_needs needs)
{
    if (!initialized && !runtime_now()->in_use)
        return CUDA_ERROR_NOT_INITIALIZED;
    const struct CUctx_st *context = needs == NEEDS_CONTEXT ? context_now() : &primary;
    if (!context)
        return CUDA_ERROR_INVALID_CONTEXT;
    if (context->destroyed)
        return CUDA_ERROR_CONTEXT_IS_DESTROYED;
    runtime_for_driver(true);
    return CUDA_SUCCESS;
}

CUresult front_end(cudaError_t error)
{
    runtime_for_driver(false);
    if (error == cudaErrorInvalidDeviceFunction)
        return CUDA_ERROR_INVALID_HANDLE;
    /* The runtime has numbers of its own there, all for arguments but one. */
    return error > cudaErrorCudartUnloading && error < cudaErrorNoDevice && error != cudaErrorDevicesUnavailable
               ? CUDA_ERROR_INVALID_VALUE
               : (CUresult)error;
}

CUresult CUDAAPI cuInit(unsigned flags)
{
    if (flags != 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (!runtime_gpu())
        return CUDA_ERROR_NO_DEVICE;
    initialized = true;
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuDriverGetVersion(int *version)
{
    return version ? (CUresult)cudaDriverGetVersion(version) : CUDA_ERROR_INVALID_VALUE;
}

/* ---- The device ---- */

static cudaError_t at_device(int device)
{
    return device == 0 ? cudaSuccess : cudaErrorInvalidDevice;
}

/* A GPU that is made up has no identity: it is the same one everywhere. */
static const char made_up[] = "cugate-simulated";

static cudaError_t device_bus(char *text, int length, CUdevice device)
{
    int domain, bus, slot;
    if (!text || length < 1 || !runtime_attribute(&domain, cudaDevAttrPciDomainId) ||
        !runtime_attribute(&bus, cudaDevAttrPciBusId) || !runtime_attribute(&slot, cudaDevAttrPciDeviceId))
        return cudaErrorInvalidValue;
    snprintf(text, (size_t)length, "%04x:%02x:%02x.0", (unsigned)domain, (unsigned)bus, (unsigned)slot);
    return at_device(device);
}

/* clang-format off */
FRONT_INIT(cuDeviceGet, (CUdevice *device, int ordinal), SET(device, 0, at_device(ordinal)))
FRONT_INIT(cuDeviceGetCount, (int *count), SET(count, 1, cudaSuccess))
FRONT_INIT(cuDeviceGetName, (char *name, int length, CUdevice device), name && length > 0 ? (snprintf(name, (size_t)length, "%s", runtime_gpu()->name), at_device(device)) : cudaErrorInvalidValue)
FRONT_INIT(cuDeviceGetUuid, (CUuuid *uuid, CUdevice device), uuid ? (memcpy(uuid->bytes, made_up, sizeof uuid->bytes), at_device(device)) : cudaErrorInvalidValue)
FRONT_INIT(cuDeviceGetUuid_v2, (CUuuid *uuid, CUdevice device), uuid ? (memcpy(uuid->bytes, made_up, sizeof uuid->bytes), at_device(device)) : cudaErrorInvalidValue)
FRONT_INIT(cuDeviceTotalMem_v2, (size_t *bytes, CUdevice device), SET(bytes, (size_t)runtime_gpu()->memory_bytes, at_device(device)))
FRONT_INIT(cuDeviceGetAttribute, (int *value, CUdevice_attribute attribute, CUdevice device), device != 0 ? cudaErrorInvalidDevice : runtime_attribute(value, (enum cudaDeviceAttr)attribute) ? cudaSuccess : cudaErrorNotSupported)
FRONT_INIT(cuDeviceComputeCapability, (int *major, int *minor, CUdevice device), SET(major, gpu_capability(runtime_gpu()) / 10, SET(minor, gpu_capability(runtime_gpu()) % 10, at_device(device))))
FRONT_INIT(cuDeviceGetPCIBusId, (char *text, int length, CUdevice device), device_bus(text, length, device))
FRONT_INIT(cuDeviceCanAccessPeer, (int *can, CUdevice device, CUdevice peer), cudaDeviceCanAccessPeer(can, device, peer))
FRONT_INIT(cuDeviceGetDefaultMemPool, (CUmemoryPool *pool, CUdevice device), cudaDeviceGetDefaultMemPool(pool, device))
FRONT_INIT(cuDeviceGetMemPool, (CUmemoryPool *pool, CUdevice device), cudaDeviceGetMemPool(pool, device))
FRONT_INIT(cuDeviceSetMemPool, (CUdevice device, CUmemoryPool pool), cudaDeviceSetMemPool(device, pool))
/* clang-format on */

/* ---- Contexts ---- */

static cudaError_t make(CUcontext *made, unsigned flags, CUdevice device)
{
    if (!made || at_device(device) != cudaSuccess || depth == NESTED)
        return made ? cudaErrorInvalidDevice : cudaErrorInvalidValue;
    pthread_mutex_lock(&lock);
    CUcontext context = x_calloc(1, sizeof *context);
    *ARRAY_GROW(contexts, context_count) = context;
    *context = (struct CUctx_st){.flags = flags, .id = context_count + 1};
    pthread_mutex_unlock(&lock);
    stack[depth++] = *made = context;
    return runtime_lost();
}

/* Returns how many contexts there are. */
static size_t alive(void)
{
    size_t count = primary_users > 0 || runtime_now()->in_use;
    for (size_t i = 0; i < context_count; i++)
        count += !contexts[i]->destroyed;
    return count;
}

static bool is_context(const struct CUctx_st *context)
{
    bool found = context == &primary;
    for (size_t i = 0; i < context_count; i++)
        found |= contexts[i] == context && !contexts[i]->destroyed;
    return found;
}

static cudaError_t destroy(CUcontext context)
{
    if (!is_context(context) || context == &primary)
        return cudaErrorDeviceUninitialized;
    const size_t before = alive();
    const cudaError_t error = before == 1 ? cudaDeviceReset() : cudaSuccess;
    context->destroyed = true;
    if (depth > 0 && stack[depth - 1] == context)
        depth--;
    return error;
}

static cudaError_t retain(CUcontext *context, CUdevice device)
{
    if (!context || at_device(device) != cudaSuccess)
        return context ? cudaErrorInvalidDevice : cudaErrorInvalidValue;
    primary_users++;
    *context = &primary;
    return runtime_lost();
}

static cudaError_t release(CUdevice device)
{
    if (primary_users == 0 || device != 0)
        return device != 0 ? cudaErrorInvalidDevice : cudaErrorDeviceUninitialized;
    const cudaError_t error =
        alive() == 1 && primary_users == 1 && !runtime_now()->in_use ? cudaDeviceReset() : cudaSuccess;
    primary_users--;
    return error;
}

static cudaError_t push(CUcontext context)
{
    if (!is_context(context) || depth == NESTED)
        return is_context(context) ? cudaErrorMemoryAllocation : cudaErrorDeviceUninitialized;
    stack[depth++] = context;
    return cudaSuccess;
}

static cudaError_t pop(CUcontext *context)
{
    if (context)
        *context = context_now();
    depth -= depth > 0;
    return cudaSuccess;
}

static cudaError_t set_current(CUcontext context)
{
    if (context && !is_context(context))
        return cudaErrorDeviceUninitialized;
    depth -= depth > 0;
    if (context)
        stack[depth++] = context;
    return cudaSuccess;
}

/* Those of other kinds of programs are off. */
static cudaError_t get_limit(size_t *value, CUlimit limit)
{
    if (!value || (int)limit < RUNTIME_LIMITS || limit >= CU_LIMIT_MAX)
        return cudaDeviceGetLimit(value, (enum cudaLimit)limit);
    *value = 0;
    return runtime_lost();
}

/* clang-format off */
FRONT_INIT(cuCtxCreate_v2, (CUcontext *context, unsigned flags, CUdevice device), make(context, flags, device))
FRONT_INIT(cuCtxCreate_v3, (CUcontext *context, CUexecAffinityParam *affinities, int count, unsigned flags, CUdevice device),
    affinities && count > 0 ? runtime_not_simulated("a context with a partition of the GPU") : make(context, flags, device))
FRONT_INIT(cuCtxCreate_v4, (CUcontext *context, CUctxCreateParams *how, unsigned flags, CUdevice device),
    how && (how->execAffinityParams || how->cigParams) ? runtime_not_simulated("a context with a partition of the GPU") : make(context, flags, device))
FRONT_INIT(cuCtxDestroy_v2, (CUcontext context), destroy(context))
FRONT_INIT(cuDevicePrimaryCtxRetain, (CUcontext *context, CUdevice device), retain(context, device))
FRONT_INIT(cuDevicePrimaryCtxRelease, (CUdevice device), release(device))
FRONT_INIT(cuDevicePrimaryCtxRelease_v2, (CUdevice device), release(device))
FRONT_INIT(cuDevicePrimaryCtxReset, (CUdevice device), device == 0 ? cudaDeviceReset() : cudaErrorInvalidDevice)
FRONT_INIT(cuDevicePrimaryCtxReset_v2, (CUdevice device), device == 0 ? cudaDeviceReset() : cudaErrorInvalidDevice)
FRONT_INIT(cuDevicePrimaryCtxGetState, (CUdevice device, unsigned *flags, int *active), SET(flags, primary.flags, SET(active, primary_users > 0 || runtime_now()->in_use, at_device(device))))
FRONT_INIT(cuDevicePrimaryCtxSetFlags, (CUdevice device, unsigned flags), (primary.flags = flags, at_device(device)))
FRONT_INIT(cuDevicePrimaryCtxSetFlags_v2, (CUdevice device, unsigned flags), (primary.flags = flags, at_device(device)))
FRONT_INIT(cuCtxPushCurrent_v2, (CUcontext context), push(context))
FRONT(cuCtxPopCurrent_v2, (CUcontext *context), pop(context))
FRONT_INIT(cuCtxSetCurrent, (CUcontext context), set_current(context))
FRONT_INIT(cuCtxGetCurrent, (CUcontext *context), SET(context, context_now(), cudaSuccess))
FRONT(cuCtxGetDevice, (CUdevice *device), SET(device, 0, cudaSuccess))
FRONT(cuCtxGetDevice_v2, (CUdevice *device, CUcontext context), context && !is_context(context) ? cudaErrorDeviceUninitialized : SET(device, 0, cudaSuccess))
FRONT(cuCtxGetFlags, (unsigned *flags), SET(flags, context_now()->flags, cudaSuccess))
FRONT(cuCtxGetId, (CUcontext context, unsigned long long *id), !context || is_context(context) ? SET(id, (context ? context : context_now())->id, cudaSuccess) : cudaErrorDeviceUninitialized)
FRONT(cuCtxGetApiVersion, (CUcontext context, unsigned *version), ((void)context, SET(version, 3020, cudaSuccess)))
FRONT(cuCtxSynchronize, (void), cudaDeviceSynchronize())
FRONT(cuCtxSynchronize_v2, (CUcontext context), is_context(context) ? cudaDeviceSynchronize() : cudaErrorDeviceUninitialized)
FRONT(cuCtxGetLimit, (size_t *value, CUlimit limit), get_limit(value, limit))
FRONT(cuCtxSetLimit, (CUlimit limit, size_t value), cudaDeviceSetLimit((enum cudaLimit)limit, value))
FRONT(cuCtxGetStreamPriorityRange, (int *least, int *greatest), cudaDeviceGetStreamPriorityRange(least, greatest))
FRONT(cuCtxGetCacheConfig, (CUfunc_cache *config), cudaDeviceGetCacheConfig((enum cudaFuncCache *)config))
FRONT(cuCtxSetCacheConfig, (CUfunc_cache config), cudaDeviceSetCacheConfig((enum cudaFuncCache)config))
FRONT(cuCtxResetPersistingL2Cache, (void), cudaCtxResetPersistingL2Cache())
FRONT(cuCtxEnablePeerAccess, (CUcontext peer, unsigned flags), ((void)peer, cudaDeviceEnablePeerAccess(0, flags)))
FRONT(cuProfilerStart, (void), cudaProfilerStart())
FRONT(cuProfilerStop, (void), cudaProfilerStop())
/* clang-format on */
