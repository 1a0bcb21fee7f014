/* The CUDA runtime's functions for the one device. */
#include "runtime.h"

/* ---- The device ---- */

RUNTIME(cudaGetDeviceCount, (int *count), SET(count, 1, runtime_lost()))
RUNTIME(cudaGetDevice, (int *device), SET(device, 0, runtime_lost()))

static cudaError_t only_device(int device)
{
    const cudaError_t error = runtime_lost();
    return error != cudaSuccess || device == 0 ? error : runtime_return(cudaErrorInvalidDevice);
}

RUNTIME(cudaSetDevice, (int device), only_device(device))

RUNTIME(cudaInitDevice, (int device, unsigned device_flags, unsigned flags),
        ((void)device_flags, (void)flags, only_device(device)))

RUNTIME(cudaGetDeviceFlags, (unsigned *flags), SET(flags, cudaDeviceScheduleAuto, runtime_lost()))
RUNTIME(cudaSetValidDevices, (int *devices, int count),
        count >= 0 && (count == 0 || (devices && devices[0] == 0)) ? runtime_lost()
                                                                   : runtime_return(cudaErrorInvalidValue))

RUNTIME(cudaChooseDevice, (int *device, const struct cudaDeviceProp *properties),
        ((void)properties, cudaGetDevice(device)))

/* The sizes of caches, and which banks shared memory has, cannot be chosen on a GPU that is described here. */
RUNTIME(cudaDeviceGetCacheConfig, (enum cudaFuncCache * config), SET(config, cudaFuncCachePreferNone, runtime_lost()))
RUNTIME(cudaDeviceGetSharedMemConfig, (enum cudaSharedMemConfig * config),
        SET(config, cudaSharedMemBankSizeFourByte, runtime_lost()))

/* ---- Limits ---- */

cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit)
{
    CUDA_TRY(runtime_lost());
    if (!value || (unsigned)limit >= RUNTIME_LIMITS)
        return runtime_return(value ? cudaErrorUnsupportedLimit : cudaErrorInvalidValue);
    *value = runtime_now()->limits[limit];
    return cudaSuccess;
}

cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value)
{
    runtime_calls();
    struct runtime *runtime = runtime_now();
    enum { STACK_UNIT = 16, STACK_MOST = 512 << 10 };
    CUDA_TRY(runtime_lost());
    REFUSE((unsigned)limit >= RUNTIME_LIMITS, cudaErrorUnsupportedLimit);
    REFUSE(limit == cudaLimitStackSize && value > STACK_MOST, cudaErrorInvalidValue);
    runtime->limits[limit] = limit == cudaLimitStackSize ? (value + STACK_UNIT - 1) / STACK_UNIT * STACK_UNIT : value;
    module_set_call_stack(runtime->machine, runtime->limits[cudaLimitStackSize]);
    heap_set_limit(runtime->machine, runtime->limits[cudaLimitMallocHeapSize]);
    return cudaSuccess;
}

/* ---- What is the same whatever a program does ---- */

RUNTIME(cudaRuntimeGetVersion, (int *version), SET(version, CUDART_VERSION, cudaSuccess))
RUNTIME(cudaDriverGetVersion, (int *version), SET(version, CUDART_VERSION, cudaSuccess))

RUNTIME(cudaDeviceCanAccessPeer, (int *can, int device, int peer), ((void)peer, SET(can, 0, only_device(device))))

/* There is no other device to be a peer. */
RUNTIME(cudaDeviceEnablePeerAccess, (int peer, unsigned flags),
        ((void)flags, runtime_return(peer == 0 ? cudaErrorPeerAccessUnsupported : cudaErrorInvalidDevice)))

RUNTIME(cudaDeviceDisablePeerAccess, (int peer),
        runtime_return(peer == 0 ? cudaErrorPeerAccessNotEnabled : cudaErrorInvalidDevice))

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device)
{
    CUDA_TRY(only_device(device));
    return runtime_attribute(value, attribute) ? cudaSuccess : cudaErrorNotSupported;
}

/* clang-format off */
#define FIELD(field, attribute) {offsetof(struct cudaDeviceProp, field), sizeof ((struct cudaDeviceProp *)0)->field, \
    _Generic(((struct cudaDeviceProp *)0)->field, size_t: sizeof(size_t), default: sizeof(int)), attribute}

/* The properties of a device that are also attributes: of a field with several numbers the first one's, which the others'
 * follow. Each of these attributes has to be known. */
static const struct {
    size_t offset, size, each;
    enum cudaDeviceAttr attribute;
} fields[] = {
#include "cudart_device.txt"
};
/* clang-format on */

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device)
{
    runtime_calls(); /* unlike an attribute it asks the hardware, which may take milliseconds */
    const cudaError_t error = only_device(device);
    if (error != cudaSuccess || !properties)
        return error != cudaSuccess ? error : runtime_return(cudaErrorInvalidValue);
    *properties = (struct cudaDeviceProp){.totalGlobalMem = (size_t)runtime_gpu()->memory_bytes};
    snprintf(properties->name, sizeof properties->name, "%s", runtime_gpu()->name);
    for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
        for (size_t at = 0, each = fields[i].each; at < fields[i].size; at += each) {
            int value;
            if (!runtime_attribute(&value, fields[i].attribute + (unsigned)(at / each)))
                return cudaErrorNotSupported;
            const size_t wide = (size_t)value;
            memcpy((char *)properties + fields[i].offset + at,
                   each == sizeof wide ? (const void *)&wide : (const void *)&value, each);
        }
    return cudaSuccess;
}
