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

cudaError_t cudaInitDevice(int device, unsigned device_flags, unsigned flags)
{
    (void)device_flags, (void)flags;
    return only_device(device);
}

RUNTIME(cudaGetDeviceFlags, (unsigned *flags), SET(flags, cudaDeviceScheduleAuto, runtime_lost()))
RUNTIME(cudaSetValidDevices, (int *devices, int count),
        count >= 0 && (count == 0 || (devices && devices[0] == 0)) ? runtime_lost()
                                                                   : runtime_return(cudaErrorInvalidValue))

cudaError_t cudaChooseDevice(int *device, const struct cudaDeviceProp *properties)
{
    (void)properties;
    return cudaGetDevice(device);
}

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

cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer)
{
    (void)peer;
    return SET(can, 0, only_device(device));
}

/* There is no other device to be a peer. */
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags)
{
    (void)flags;
    return runtime_return(peer == 0 ? cudaErrorPeerAccessUnsupported : cudaErrorInvalidDevice);
}

RUNTIME(cudaDeviceDisablePeerAccess, (int peer),
        runtime_return(peer == 0 ? cudaErrorPeerAccessNotEnabled : cudaErrorInvalidDevice))

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device)
{
    CUDA_TRY(only_device(device));
    return runtime_attribute(value, attribute) ? cudaSuccess : cudaErrorNotSupported;
}

/* clang-format off */
#define FIELD(field, attribute) {offsetof(struct cudaDeviceProp, field), sizeof ((struct cudaDeviceProp *)0)->field, attribute}

/* The properties of a device that are also attributes. Each of these attributes has to be known. */
static const struct {
    size_t offset, size;
    enum cudaDeviceAttr attribute;
} fields[] = {
    FIELD(sharedMemPerBlock, cudaDevAttrMaxSharedMemoryPerBlock),
    FIELD(regsPerBlock, cudaDevAttrMaxRegistersPerBlock),
    FIELD(warpSize, cudaDevAttrWarpSize),
    FIELD(memPitch, cudaDevAttrMaxPitch),
    FIELD(maxThreadsPerBlock, cudaDevAttrMaxThreadsPerBlock),
    FIELD(maxThreadsDim[0], cudaDevAttrMaxBlockDimX),
    FIELD(maxThreadsDim[1], cudaDevAttrMaxBlockDimY),
    FIELD(maxThreadsDim[2], cudaDevAttrMaxBlockDimZ),
    FIELD(maxGridSize[0], cudaDevAttrMaxGridDimX),
    FIELD(maxGridSize[1], cudaDevAttrMaxGridDimY),
    FIELD(maxGridSize[2], cudaDevAttrMaxGridDimZ),
    FIELD(totalConstMem, cudaDevAttrTotalConstantMemory),
    FIELD(major, cudaDevAttrComputeCapabilityMajor),
    FIELD(minor, cudaDevAttrComputeCapabilityMinor),
    FIELD(textureAlignment, cudaDevAttrTextureAlignment),
    FIELD(texturePitchAlignment, cudaDevAttrTexturePitchAlignment),
    FIELD(multiProcessorCount, cudaDevAttrMultiProcessorCount),
    FIELD(integrated, cudaDevAttrIntegrated),
    FIELD(canMapHostMemory, cudaDevAttrCanMapHostMemory),
    FIELD(maxTexture1D, cudaDevAttrMaxTexture1DWidth),
    FIELD(maxTexture1DMipmap, cudaDevAttrMaxTexture1DMipmappedWidth),
    FIELD(maxTexture2D[0], cudaDevAttrMaxTexture2DWidth),
    FIELD(maxTexture2D[1], cudaDevAttrMaxTexture2DHeight),
    FIELD(maxTexture2DMipmap[0], cudaDevAttrMaxTexture2DMipmappedWidth),
    FIELD(maxTexture2DMipmap[1], cudaDevAttrMaxTexture2DMipmappedHeight),
    FIELD(maxTexture2DLinear[0], cudaDevAttrMaxTexture2DLinearWidth),
    FIELD(maxTexture2DLinear[1], cudaDevAttrMaxTexture2DLinearHeight),
    FIELD(maxTexture2DLinear[2], cudaDevAttrMaxTexture2DLinearPitch),
    FIELD(maxTexture2DGather[0], cudaDevAttrMaxTexture2DGatherWidth),
    FIELD(maxTexture2DGather[1], cudaDevAttrMaxTexture2DGatherHeight),
    FIELD(maxTexture3D[0], cudaDevAttrMaxTexture3DWidth),
    FIELD(maxTexture3D[1], cudaDevAttrMaxTexture3DHeight),
    FIELD(maxTexture3D[2], cudaDevAttrMaxTexture3DDepth),
    FIELD(maxTexture3DAlt[0], cudaDevAttrMaxTexture3DWidthAlt),
    FIELD(maxTexture3DAlt[1], cudaDevAttrMaxTexture3DHeightAlt),
    FIELD(maxTexture3DAlt[2], cudaDevAttrMaxTexture3DDepthAlt),
    FIELD(maxTextureCubemap, cudaDevAttrMaxTextureCubemapWidth),
    FIELD(maxTexture1DLayered[0], cudaDevAttrMaxTexture1DLayeredWidth),
    FIELD(maxTexture1DLayered[1], cudaDevAttrMaxTexture1DLayeredLayers),
    FIELD(maxTexture2DLayered[0], cudaDevAttrMaxTexture2DLayeredWidth),
    FIELD(maxTexture2DLayered[1], cudaDevAttrMaxTexture2DLayeredHeight),
    FIELD(maxTexture2DLayered[2], cudaDevAttrMaxTexture2DLayeredLayers),
    FIELD(maxTextureCubemapLayered[0], cudaDevAttrMaxTextureCubemapLayeredWidth),
    FIELD(maxTextureCubemapLayered[1], cudaDevAttrMaxTextureCubemapLayeredLayers),
    FIELD(maxSurface1D, cudaDevAttrMaxSurface1DWidth),
    FIELD(maxSurface2D[0], cudaDevAttrMaxSurface2DWidth),
    FIELD(maxSurface2D[1], cudaDevAttrMaxSurface2DHeight),
    FIELD(maxSurface3D[0], cudaDevAttrMaxSurface3DWidth),
    FIELD(maxSurface3D[1], cudaDevAttrMaxSurface3DHeight),
    FIELD(maxSurface3D[2], cudaDevAttrMaxSurface3DDepth),
    FIELD(maxSurface1DLayered[0], cudaDevAttrMaxSurface1DLayeredWidth),
    FIELD(maxSurface1DLayered[1], cudaDevAttrMaxSurface1DLayeredLayers),
    FIELD(maxSurface2DLayered[0], cudaDevAttrMaxSurface2DLayeredWidth),
    FIELD(maxSurface2DLayered[1], cudaDevAttrMaxSurface2DLayeredHeight),
    FIELD(maxSurface2DLayered[2], cudaDevAttrMaxSurface2DLayeredLayers),
    FIELD(maxSurfaceCubemap, cudaDevAttrMaxSurfaceCubemapWidth),
    FIELD(maxSurfaceCubemapLayered[0], cudaDevAttrMaxSurfaceCubemapLayeredWidth),
    FIELD(maxSurfaceCubemapLayered[1], cudaDevAttrMaxSurfaceCubemapLayeredLayers),
    FIELD(surfaceAlignment, cudaDevAttrSurfaceAlignment),
    FIELD(concurrentKernels, cudaDevAttrConcurrentKernels),
    FIELD(ECCEnabled, cudaDevAttrEccEnabled),
    FIELD(pciBusID, cudaDevAttrPciBusId),
    FIELD(pciDeviceID, cudaDevAttrPciDeviceId),
    FIELD(pciDomainID, cudaDevAttrPciDomainId),
    FIELD(tccDriver, cudaDevAttrTccDriver),
    FIELD(asyncEngineCount, cudaDevAttrAsyncEngineCount),
    FIELD(unifiedAddressing, cudaDevAttrUnifiedAddressing),
    FIELD(memoryBusWidth, cudaDevAttrGlobalMemoryBusWidth),
    FIELD(l2CacheSize, cudaDevAttrL2CacheSize),
    FIELD(persistingL2CacheMaxSize, cudaDevAttrMaxPersistingL2CacheSize),
    FIELD(maxThreadsPerMultiProcessor, cudaDevAttrMaxThreadsPerMultiProcessor),
    FIELD(streamPrioritiesSupported, cudaDevAttrStreamPrioritiesSupported),
    FIELD(globalL1CacheSupported, cudaDevAttrGlobalL1CacheSupported),
    FIELD(localL1CacheSupported, cudaDevAttrLocalL1CacheSupported),
    FIELD(sharedMemPerMultiprocessor, cudaDevAttrMaxSharedMemoryPerMultiprocessor),
    FIELD(regsPerMultiprocessor, cudaDevAttrMaxRegistersPerMultiprocessor),
    FIELD(managedMemory, cudaDevAttrManagedMemory),
    FIELD(isMultiGpuBoard, cudaDevAttrIsMultiGpuBoard),
    FIELD(multiGpuBoardGroupID, cudaDevAttrMultiGpuBoardGroupID),
    FIELD(hostNativeAtomicSupported, cudaDevAttrHostNativeAtomicSupported),
    FIELD(pageableMemoryAccess, cudaDevAttrPageableMemoryAccess),
    FIELD(concurrentManagedAccess, cudaDevAttrConcurrentManagedAccess),
    FIELD(computePreemptionSupported, cudaDevAttrComputePreemptionSupported),
    FIELD(canUseHostPointerForRegisteredMem, cudaDevAttrCanUseHostPointerForRegisteredMem),
    FIELD(cooperativeLaunch, cudaDevAttrCooperativeLaunch),
    FIELD(sharedMemPerBlockOptin, cudaDevAttrMaxSharedMemoryPerBlockOptin),
    FIELD(pageableMemoryAccessUsesHostPageTables, cudaDevAttrPageableMemoryAccessUsesHostPageTables),
    FIELD(directManagedMemAccessFromHost, cudaDevAttrDirectManagedMemAccessFromHost),
    FIELD(maxBlocksPerMultiProcessor, cudaDevAttrMaxBlocksPerMultiprocessor),
    FIELD(accessPolicyMaxWindowSize, cudaDevAttrMaxAccessPolicyWindowSize),
    FIELD(reservedSharedMemPerBlock, cudaDevAttrReservedSharedMemoryPerBlock),
    FIELD(hostRegisterSupported, cudaDevAttrHostRegisterSupported),
    FIELD(sparseCudaArraySupported, cudaDevAttrSparseCudaArraySupported),
    FIELD(hostRegisterReadOnlySupported, cudaDevAttrHostRegisterReadOnlySupported),
    FIELD(timelineSemaphoreInteropSupported, cudaDevAttrTimelineSemaphoreInteropSupported),
    FIELD(memoryPoolsSupported, cudaDevAttrMemoryPoolsSupported),
    FIELD(gpuDirectRDMASupported, cudaDevAttrGPUDirectRDMASupported),
    FIELD(gpuDirectRDMAFlushWritesOptions, cudaDevAttrGPUDirectRDMAFlushWritesOptions),
    FIELD(gpuDirectRDMAWritesOrdering, cudaDevAttrGPUDirectRDMAWritesOrdering),
    FIELD(memoryPoolSupportedHandleTypes, cudaDevAttrMemoryPoolSupportedHandleTypes),
    FIELD(deferredMappingCudaArraySupported, cudaDevAttrDeferredMappingCudaArraySupported),
    FIELD(ipcEventSupported, cudaDevAttrIpcEventSupport),
    FIELD(clusterLaunch, cudaDevAttrClusterLaunch),
};
/* clang-format on */

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device)
{
    const cudaError_t error = only_device(device);
    if (error != cudaSuccess || !properties)
        return error != cudaSuccess ? error : runtime_return(cudaErrorInvalidValue);
    *properties = (struct cudaDeviceProp){.totalGlobalMem = (size_t)runtime_gpu()->memory_bytes};
    snprintf(properties->name, sizeof properties->name, "%s", runtime_gpu()->name);
    for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
        int value;
        if (!runtime_attribute(&value, fields[i].attribute))
            return cudaErrorNotSupported;
        const size_t wide = (size_t)value;
        memcpy((char *)properties + fields[i].offset, fields[i].size == sizeof wide ? (const void *)&wide : &value,
               fields[i].size);
    }
    return cudaSuccess;
}
