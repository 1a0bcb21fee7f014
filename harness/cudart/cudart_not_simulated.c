/* Functions that a kernel library may call but nothing here stands for: they fail with a message. They are all
 * functions of CUDA 13.0 and 12.9 that the other files of this room lack. If a name were missing, a library that uses
 * it could not be loaded at all. To simulate a function, remove it here. */
#include "not_simulated.h"

/* The arguments do not matter: callers leave them in registers, or remove them from the stack themselves. */
#define NO(name)                                                                                                       \
    int name(void);                                                                                                    \
    int name(void)                                                                                                     \
    {                                                                                                                  \
        return function_not_simulated(#name);                                                                          \
    }

/* Functions that only succeed: how the host waits, where managed memory lies and what a cache keeps change no count,
 * and all work is done already. */
#define NOTHING(name)                                                                                                  \
    int name(void);                                                                                                    \
    int name(void)                                                                                                     \
    {                                                                                                                  \
        return function_of_nothing();                                                                                  \
    }

/* clang-format off */
NO(__cudaGetProcAddress) NO(__cudaRegisterHostVar) NO(__cudaRegisterUnifiedTable) NO(cudaArrayGetMemoryRequirements)
NO(cudaArrayGetPlane) NO(cudaArrayGetSparseProperties) NO(cudaDestroyExternalMemory) NO(cudaDestroyExternalSemaphore)
NO(cudaDeviceFlushGPUDirectRDMAWrites) NO(cudaDeviceGetByPCIBusId) NO(cudaDeviceGetGraphMemAttribute)
NO(cudaDeviceGetHostAtomicCapabilities) NO(cudaDeviceGetNvSciSyncAttributes) NO(cudaDeviceGetP2PAtomicCapabilities)
NO(cudaDeviceGetP2PAttribute) NO(cudaDeviceGetPCIBusId) NO(cudaDeviceGetTexture1DLinearMaxWidth)
NO(cudaDeviceGraphMemTrim) NO(cudaDeviceRegisterAsyncNotification) NO(cudaDeviceSetGraphMemAttribute)
NO(cudaDeviceUnregisterAsyncNotification) NO(cudaEGLStreamConsumerAcquireFrame) NO(cudaEGLStreamConsumerConnect)
NO(cudaEGLStreamConsumerConnectWithFlags) NO(cudaEGLStreamConsumerDisconnect) NO(cudaEGLStreamConsumerReleaseFrame)
NO(cudaEGLStreamProducerConnect) NO(cudaEGLStreamProducerDisconnect) NO(cudaEGLStreamProducerPresentFrame)
NO(cudaEGLStreamProducerReturnFrame) NO(cudaEventCreateFromEGLSync) NO(cudaEventElapsedTime_v2)
NO(cudaExternalMemoryGetMappedBuffer) NO(cudaExternalMemoryGetMappedMipmappedArray) NO(cudaFreeMipmappedArray)
NO(cudaGLGetDevices) NO(cudaGLMapBufferObject) NO(cudaGLMapBufferObjectAsync) NO(cudaGLRegisterBufferObject)
NO(cudaGLSetBufferObjectMapFlags) NO(cudaGLSetGLDevice) NO(cudaGLUnmapBufferObject) NO(cudaGLUnmapBufferObjectAsync)
NO(cudaGLUnregisterBufferObject) NO(cudaGetExportTable) NO(cudaGetMipmappedArrayLevel)
NO(cudaGetTextureObjectResourceViewDesc) NO(cudaGraphAddDependencies_v2) NO(cudaGraphAddExternalSemaphoresSignalNode)
NO(cudaGraphAddExternalSemaphoresWaitNode) NO(cudaGraphAddNode_v2) NO(cudaGraphConditionalHandleCreate)
NO(cudaGraphDebugDotPrint) NO(cudaGraphEventRecordNodeGetEvent) NO(cudaGraphEventRecordNodeSetEvent)
NO(cudaGraphEventWaitNodeGetEvent) NO(cudaGraphEventWaitNodeSetEvent) NO(cudaGraphExecEventRecordNodeSetEvent)
NO(cudaGraphExecEventWaitNodeSetEvent) NO(cudaGraphExecExternalSemaphoresSignalNodeSetParams)
NO(cudaGraphExecExternalSemaphoresWaitNodeSetParams) NO(cudaGraphExternalSemaphoresSignalNodeGetParams)
NO(cudaGraphExternalSemaphoresSignalNodeSetParams) NO(cudaGraphExternalSemaphoresWaitNodeGetParams)
NO(cudaGraphExternalSemaphoresWaitNodeSetParams) NO(cudaGraphGetEdges_v2) NO(cudaGraphKernelNodeGetAttribute)
NO(cudaGraphMemAllocNodeGetParams) NO(cudaGraphMemFreeNodeGetParams) NO(cudaGraphNodeGetDependencies_v2)
NO(cudaGraphNodeGetDependentNodes_v2) NO(cudaGraphReleaseUserObject) NO(cudaGraphRemoveDependencies_v2)
NO(cudaGraphRetainUserObject) NO(cudaGraphicsEGLRegisterImage) NO(cudaGraphicsGLRegisterBuffer)
NO(cudaGraphicsGLRegisterImage) NO(cudaGraphicsMapResources) NO(cudaGraphicsResourceGetMappedEglFrame)
NO(cudaGraphicsResourceGetMappedMipmappedArray) NO(cudaGraphicsResourceGetMappedPointer)
NO(cudaGraphicsResourceSetMapFlags) NO(cudaGraphicsSubResourceGetMappedArray) NO(cudaGraphicsUnmapResources)
NO(cudaGraphicsUnregisterResource) NO(cudaGraphicsVDPAURegisterOutputSurface) NO(cudaGraphicsVDPAURegisterVideoSurface)
NO(cudaImportExternalMemory) NO(cudaImportExternalSemaphore) NO(cudaIpcCloseMemHandle) NO(cudaIpcGetEventHandle)
NO(cudaIpcGetMemHandle) NO(cudaIpcOpenEventHandle) NO(cudaIpcOpenMemHandle) NO(cudaKernelSetAttributeForDevice)
NO(cudaLaunchCooperativeKernelMultiDevice) NO(cudaLibraryEnumerateKernels) NO(cudaLibraryGetGlobal)
NO(cudaLibraryGetKernel) NO(cudaLibraryGetKernelCount) NO(cudaLibraryGetManaged) NO(cudaLibraryGetUnifiedFunction)
NO(cudaLibraryLoadData) NO(cudaLibraryLoadFromFile) NO(cudaLibraryUnload) NO(cudaLogsCurrent) NO(cudaLogsDumpToFile)
NO(cudaLogsDumpToMemory) NO(cudaLogsRegisterCallback) NO(cudaLogsUnregisterCallback) NO(cudaMallocMipmappedArray)
NO(cudaMemDiscardAndPrefetchBatchAsync) NO(cudaMemDiscardAndPrefetchBatchAsync_ptsz) NO(cudaMemDiscardBatchAsync)
NO(cudaMemDiscardBatchAsync_ptsz) NO(cudaMemGetDefaultMemPool) NO(cudaMemGetMemPool) NO(cudaMemPoolExportPointer)
NO(cudaMemPoolExportToShareableHandle) NO(cudaMemPoolGetAccess) NO(cudaMemPoolImportFromShareableHandle)
NO(cudaMemPoolImportPointer) NO(cudaMemPrefetchBatchAsync) NO(cudaMemPrefetchBatchAsync_ptsz)
NO(cudaMemRangeGetAttribute) NO(cudaMemRangeGetAttributes) NO(cudaMemSetMemPool) NO(cudaMemcpy3DBatchAsync)
NO(cudaMemcpy3DBatchAsync_ptsz) NO(cudaMemcpy3DPeer) NO(cudaMemcpy3DPeerAsync) NO(cudaMemcpy3DPeerAsync_ptsz)
NO(cudaMemcpy3DPeer_ptds) NO(cudaMemcpyArrayToArray) NO(cudaMemcpyArrayToArray_ptds) NO(cudaMemcpyBatchAsync)
NO(cudaMemcpyBatchAsync_ptsz) NO(cudaMipmappedArrayGetMemoryRequirements) NO(cudaMipmappedArrayGetSparseProperties)
NO(cudaSetDoubleForDevice) NO(cudaSetDoubleForHost)
NO(cudaSignalExternalSemaphoresAsync) NO(cudaSignalExternalSemaphoresAsync_ptsz)
NO(cudaSignalExternalSemaphoresAsync_v2) NO(cudaSignalExternalSemaphoresAsync_v2_ptsz)
NO(cudaStreamBeginCaptureToGraph) NO(cudaStreamBeginCaptureToGraph_ptsz) NO(cudaStreamCopyAttributes)
NO(cudaStreamCopyAttributes_ptsz) NO(cudaStreamGetAttribute) NO(cudaStreamGetAttribute_ptsz)
NO(cudaStreamGetCaptureInfo_v2) NO(cudaStreamGetCaptureInfo_v2_ptsz) NO(cudaStreamGetCaptureInfo_v3)
NO(cudaStreamGetCaptureInfo_v3_ptsz) NO(cudaStreamUpdateCaptureDependencies)
NO(cudaStreamUpdateCaptureDependencies_ptsz) NO(cudaStreamUpdateCaptureDependencies_v2)
NO(cudaStreamUpdateCaptureDependencies_v2_ptsz) NO(cudaThreadExit) NO(cudaThreadGetCacheConfig) NO(cudaThreadGetLimit)
NO(cudaThreadSetLimit) NO(cudaUserObjectCreate) NO(cudaUserObjectRelease) NO(cudaUserObjectRetain)
NO(cudaVDPAUGetDevice) NO(cudaVDPAUSetVDPAUDevice) NO(cudaWaitExternalSemaphoresAsync)
NO(cudaWaitExternalSemaphoresAsync_ptsz) NO(cudaWaitExternalSemaphoresAsync_v2)
NO(cudaWaitExternalSemaphoresAsync_v2_ptsz)

NOTHING(cudaCtxResetPersistingL2Cache) NOTHING(cudaDeviceSetCacheConfig) NOTHING(cudaDeviceSetSharedMemConfig)
NOTHING(cudaMemAdvise) NOTHING(cudaMemAdvise_v2) NOTHING(cudaMemPrefetchAsync)
NOTHING(cudaMemPrefetchAsync_ptsz) NOTHING(cudaMemPrefetchAsync_v2) NOTHING(cudaMemPrefetchAsync_v2_ptsz)
NOTHING(cudaProfilerStart) NOTHING(cudaProfilerStop) NOTHING(cudaSetDeviceFlags) NOTHING(cudaStreamAttachMemAsync)
NOTHING(cudaStreamAttachMemAsync_ptsz) NOTHING(cudaThreadSetCacheConfig) NOTHING(cudaThreadSynchronize)
