#include "runtime.h"

#include "not_simulated.h"

#include <stdarg.h>

static _Thread_local cudaError_t last, before_driver;
static _Thread_local unsigned for_driver; /* calls within each other */

cudaError_t runtime_return(cudaError_t error)
{
    if (error != cudaSuccess)
        last = error;
    return error;
}

void runtime_for_driver(bool begins)
{
    if (begins && for_driver++ == 0)
        before_driver = last;
    else if (!begins && --for_driver == 0)
        last = before_driver;
}

cudaError_t runtime_lost(void)
{
    const cudaError_t lost = runtime_now()->lost;
    if (for_driver == 0)
        runtime_now()->in_use = true;
    return lost == cudaSuccess ? cudaSuccess : runtime_return(lost);
}

static void keep_first(struct problem *problem, const char *words)
{
    struct runtime *runtime = runtime_now();
    pthread_mutex_lock(&runtime->lock);
    const bool first = !*problem->text;
    if (first)
        problem_set(problem, "%s", words);
    pthread_mutex_unlock(&runtime->lock);
    if (first && runtime->tell)
        runtime->tell(words);
}

/* As an H200 answers with CUDA 13.0 (2026-11-29), also to a local access that is not aligned. */
static const cudaError_t of_faults[] = {
    [FAULT_OTHER] = cudaErrorLaunchFailure,
    [FAULT_ADDRESS] = cudaErrorIllegalAddress,
    [FAULT_MISALIGNED] = cudaErrorMisalignedAddress,
    [FAULT_CLUSTER] = cudaErrorIllegalInstruction,
    [FAULT_ASSERT] = cudaErrorAssert,
};

cudaError_t runtime_fault(enum fault fault, const char *words)
{
    struct runtime *runtime = runtime_now();
    keep_first(&runtime->fault, words);
    if (runtime->lost == cudaSuccess)
        runtime->lost = of_faults[fault];
    return runtime_return(runtime->lost);
}

cudaError_t runtime_not_simulated(const char *format, ...)
{
    va_list list;
    char words[sizeof((struct problem *)NULL)->text - sizeof "not simulated: "];
    va_start(list, format);
    vsnprintf(words, sizeof words, format, list);
    va_end(list);
    struct problem whole;
    problem_set(&whole, "not simulated: %s", words);
    keep_first(&runtime_now()->missing, whole.text);
    return runtime_return(cudaErrorNotSupported);
}

int function_not_simulated(const char *name)
{
    return (int)runtime_not_simulated("%s", name);
}

int function_of_nothing(void)
{
    runtime_calls();
    return (int)runtime_lost();
}

const char *runtime_reason(void)
{
    const struct runtime *runtime = runtime_now();
    return *runtime->fault.text ? runtime->fault.text : *runtime->missing.text ? runtime->missing.text : NULL;
}

/* ---- What programs see of it ---- */

cudaError_t cudaGetLastError(void)
{
    const cudaError_t error = runtime_now()->lost != cudaSuccess ? runtime_now()->lost : last;
    last = cudaSuccess;
    return error;
}

RUNTIME(cudaPeekAtLastError, (void), runtime_now()->lost != cudaSuccess ? runtime_now()->lost : last)

/* These are the words of CUDA 13.0. */
static const struct {
    cudaError_t error;
    const char *name, *text;
} errors[] = {
    {cudaSuccess, "cudaSuccess", "no error"},
    {cudaErrorInvalidValue, "cudaErrorInvalidValue", "invalid argument"},
    {cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
    {cudaErrorInitializationError, "cudaErrorInitializationError", "initialization error"},
    {cudaErrorInvalidConfiguration, "cudaErrorInvalidConfiguration", "invalid configuration argument"},
    {cudaErrorInvalidPitchValue, "cudaErrorInvalidPitchValue", "invalid pitch argument"},
    {cudaErrorInvalidSymbol, "cudaErrorInvalidSymbol", "invalid device symbol"},
    {cudaErrorInvalidTexture, "cudaErrorInvalidTexture", "invalid texture reference"},
    {cudaErrorInvalidChannelDescriptor, "cudaErrorInvalidChannelDescriptor", "invalid channel descriptor"},
    {cudaErrorInvalidMemcpyDirection, "cudaErrorInvalidMemcpyDirection", "invalid copy direction for memcpy"},
    {cudaErrorInvalidDeviceFunction, "cudaErrorInvalidDeviceFunction", "invalid device function"},
    {cudaErrorNoDevice, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
    {cudaErrorInvalidDevice, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {cudaErrorMissingConfiguration, "cudaErrorMissingConfiguration", "__global__ function call is not configured"},
    {cudaErrorInvalidKernelImage, "cudaErrorInvalidKernelImage", "device kernel image is invalid"},
    {cudaErrorDeviceUninitialized, "cudaErrorDeviceUninitialized", "invalid device context"},
    {cudaErrorInvalidPtx, "cudaErrorInvalidPtx", "a PTX JIT compilation failed"},
    {cudaErrorFileNotFound, "cudaErrorFileNotFound", "file not found"},
    {cudaErrorNoKernelImageForDevice, "cudaErrorNoKernelImageForDevice",
     "no kernel image is available for execution on the device"},
    {cudaErrorInvalidResourceHandle, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    {cudaErrorSymbolNotFound, "cudaErrorSymbolNotFound", "named symbol not found"},
    {cudaErrorNotReady, "cudaErrorNotReady", "device not ready"},
    {cudaErrorIllegalAddress, "cudaErrorIllegalAddress", "an illegal memory access was encountered"},
    {cudaErrorLaunchOutOfResources, "cudaErrorLaunchOutOfResources", "too many resources requested for launch"},
    {cudaErrorDevicesUnavailable, "cudaErrorDevicesUnavailable", "CUDA-capable device(s) is/are busy or unavailable"},
    {cudaErrorAssert, "cudaErrorAssert", "device-side assert triggered"},
    {cudaErrorIllegalInstruction, "cudaErrorIllegalInstruction", "an illegal instruction was encountered"},
    {cudaErrorMisalignedAddress, "cudaErrorMisalignedAddress", "misaligned address"},
    {cudaErrorLaunchFailure, "cudaErrorLaunchFailure", "unspecified launch failure"},
    {cudaErrorCooperativeLaunchTooLarge, "cudaErrorCooperativeLaunchTooLarge", "too many blocks in cooperative launch"},
    {cudaErrorPeerAccessUnsupported, "cudaErrorPeerAccessUnsupported",
     "peer access is not supported between these two devices"},
    {cudaErrorNotSupported, "cudaErrorNotSupported", "operation not supported"},
    {cudaErrorUnknown, "cudaErrorUnknown", "unknown error"},
};

#define WORDS_OF(function, words)                                                                                      \
    const char *function(cudaError_t error)                                                                            \
    {                                                                                                                  \
        for (size_t i = 0; i < ARRAY_SIZE(errors); i++)                                                                \
            if (errors[i].error == error)                                                                              \
                return errors[i].words;                                                                                \
        return "unrecognized error code";                                                                              \
    }
WORDS_OF(cudaGetErrorName, name)
WORDS_OF(cudaGetErrorString, text)
