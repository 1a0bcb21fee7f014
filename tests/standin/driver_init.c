#include "driver.h"

#include <cudaProfiler.h>

#include <dlfcn.h>
#include <stdio.h>

pthread_mutex_t driver_lock = PTHREAD_MUTEX_INITIALIZER;
const struct standin_watcher *driver_watchers[4];
size_t driver_watcher_count;

static pthread_mutex_t init_lock = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local bool is_starting; /* this thread is inside cuInit */
static _Atomic bool is_up;
static _Atomic bool is_child; /* the process was forked from one that had used the driver */
static _Atomic bool has_subscriber;
static unsigned last_correlation;

/* ---- What the profiler asks ---- */

static void attach(const struct standin_watcher *watcher)
{
    pthread_mutex_lock(&driver_lock);
    if (driver_watcher_count == sizeof driver_watchers / sizeof *driver_watchers)
        abort();
    driver_watchers[driver_watcher_count++] = watcher;
    pthread_mutex_unlock(&driver_lock);
}

/* As the real one: a process has one subscriber, even if it has several copies of libcupti. */
static bool subscribe(void)
{
    pthread_mutex_lock(&driver_lock);
    const bool is_first = !has_subscriber;
    has_subscriber = true;
    pthread_mutex_unlock(&driver_lock);
    return is_first;
}

static void unsubscribe(void)
{
    has_subscriber = false;
}

static bool is_usable(void)
{
    return is_up && !is_child;
}

__attribute__((visibility("default"))) const struct standin_driver standin_driver = {
    .attach = attach,
    .subscribe = subscribe,
    .unsubscribe = unsubscribe,
    .is_usable = is_usable,
    .has_context = context_any,
    .current = context_current,
    .id_of = context_id,
    .device_of = context_device,
    .has_failed = context_has_failed,
    .wait = context_wait,
    .is_capturing = capture_any,
    .spoil_captures = capture_spoil_all,
};

void driver_enter(struct standin_call *call)
{
    call->context = context_current();
    call->context_id = context_id(call->context);
    call->correlation = __atomic_add_fetch(&last_correlation, 1, __ATOMIC_RELAXED);
    TELL(call, call, false);
}

CUresult driver_exit(struct standin_call *call, CUresult result)
{
    call->result = result;
    TELL(call, call, true);
    return call->result;
}

/* ---- Start ---- */

static void forked(void)
{
    is_child = is_up;
}

int driver_devices(void)
{
    const char *devices = getenv("STANDIN_DEVICES");
    const int all = devices ? atoi(devices) : 1;
    int count = 0;
    while (count < all && count < MOST_DEVICES && standin_gpu(count) >= 0 && standin_gpu(count) < all)
        count++;
    return count;
}

/* Loads the library that CUDA_INJECTION64_PATH names. Its answer changes nothing. */
static void inject(void)
{
    const char *path = getenv("CUDA_INJECTION64_PATH");
    void *library = path && *path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    int (*entry)(void) = NULL;
    if (library)
        *(void **)&entry = dlsym(library, "InitializeInjection");
    if (entry)
        entry();
}

/* As the real one: the injection is called before the driver can be used. So it can subscribe to callbacks, but cannot
 * start a profiler yet. */
CUresult CUDAAPI cuInit(unsigned Flags)
{
    REFUSE(Flags != 0, CUDA_ERROR_INVALID_VALUE);
    REFUSE(is_starting || is_child, CUDA_ERROR_NOT_INITIALIZED);
    REFUSE(driver_devices() <= 0, CUDA_ERROR_NO_DEVICE);
    pthread_mutex_lock(&init_lock);
    if (!is_up) {
        pthread_atfork(NULL, NULL, forked);
        is_starting = true;
        inject();
        is_starting = false;
        is_up = true;
    }
    pthread_mutex_unlock(&init_lock);
    return CUDA_SUCCESS;
}

CUresult driver_ready(void)
{
    REFUSE(!is_usable(), CUDA_ERROR_NOT_INITIALIZED);
    CUcontext context = context_current();
    return context && context_has_failed(context) ? CUDA_ERROR_ILLEGAL_ADDRESS : CUDA_SUCCESS;
}

/* These do nothing but be seen. */
SEEN_BARE(cuProfilerStart, CUDA_SUCCESS)
SEEN_BARE(cuProfilerStop, CUDA_SUCCESS)

ANSWER(cuDriverGetVersion, (int *driverVersion), SET(driverVersion, 13000))

/* ---- Finding functions ---- */

/* Returns the newest version of a function, as a program gets that was built today. */
CUresult CUDAAPI cuGetProcAddress_v2(const char *symbol, void **pfn, int cudaVersion, cuuint64_t flags,
                                     CUdriverProcAddressQueryResult *symbolStatus)
{
    static const char *const versions[] = {"_v4", "_v3", "_v2", ""};
    const bool is_thread = flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
    (void)cudaVersion;
    *pfn = NULL;
    void *self = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    for (size_t i = 0; self && !*pfn && i < sizeof versions / sizeof *versions; i++) {
        char name[256];
        snprintf(name, sizeof name, "%s%s%s", symbol, versions[i], is_thread ? "_ptsz" : "");
        *pfn = dlsym(self, name);
        if (!*pfn && is_thread) {
            snprintf(name, sizeof name, "%s%s", symbol, versions[i]);
            *pfn = dlsym(self, name);
        }
    }
    if (self)
        dlclose(self);
    if (symbolStatus)
        *symbolStatus = *pfn ? CU_GET_PROC_ADDRESS_SUCCESS : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    return *pfn ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

/* ---- Errors ---- */

static const struct {
    CUresult code;
    const char *text;
} errors[] = {
    {CUDA_SUCCESS, "no error"},
    {CUDA_ERROR_INVALID_VALUE, "invalid argument"},
    {CUDA_ERROR_OUT_OF_MEMORY, "out of memory"},
    {CUDA_ERROR_NOT_INITIALIZED, "initialization error"},
    {CUDA_ERROR_NO_DEVICE, "no CUDA-capable device is detected"},
    {CUDA_ERROR_INVALID_DEVICE, "invalid device ordinal"},
    {CUDA_ERROR_INVALID_IMAGE, "device kernel image is invalid"},
    {CUDA_ERROR_INVALID_CONTEXT, "invalid device context"},
    {CUDA_ERROR_INVALID_HANDLE, "invalid resource handle"},
    {CUDA_ERROR_NOT_FOUND, "named symbol not found"},
    {CUDA_ERROR_ILLEGAL_ADDRESS, "an illegal memory access was encountered"},
    {CUDA_ERROR_NOT_SUPPORTED, "operation not supported"},
    {CUDA_ERROR_ILLEGAL_STATE, "the operation cannot be performed in the present state"},
    {CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, "operation not permitted when stream is capturing"},
    {CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, "operation failed due to a previous error during capture"},
};

/* Returns the words for an error. To add an error: a row. */
CUresult CUDAAPI cuGetErrorString(CUresult error, const char **pStr)
{
    *pStr = NULL;
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].code == error)
            *pStr = errors[i].text;
    return *pStr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* ---- Devices ---- */

static CUresult check_device(CUdevice device)
{
    REFUSE(!is_usable(), CUDA_ERROR_NOT_INITIALIZED);
    return device >= 0 && device < driver_devices() ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

ANSWER(cuDeviceGetCount, (int *count), is_usable() ? SET(count, driver_devices()) : CUDA_ERROR_NOT_INITIALIZED)

CUresult CUDAAPI cuDeviceGet(CUdevice *device, int ordinal)
{
    TRY(check_device(ordinal));
    return SET(device, ordinal);
}

CUresult CUDAAPI cuDeviceGetName(char *name, int len, CUdevice dev)
{
    TRY(check_device(dev));
    snprintf(name, (size_t)len, "Stand-in GPU");
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuDeviceTotalMem_v2(size_t *bytes, CUdevice dev)
{
    TRY(check_device(dev));
    return SET(bytes, (size_t)1 << 30);
}

CUresult CUDAAPI cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice dev)
{
    TRY(check_device(dev));
    *uuid = (CUuuid){"stand-in GPU"};
    uuid->bytes[sizeof uuid->bytes - 1] = (char)standin_gpu(dev);
    return CUDA_SUCCESS;
}

ANSWER(cuDeviceGetUuid, (CUuuid * uuid, CUdevice dev), cuDeviceGetUuid_v2(uuid, dev))

CUresult CUDAAPI cuDeviceGetAttribute(int *pi, CUdevice_attribute attrib, CUdevice dev)
{
    /* Attributes of an H200. */
    static const struct {
        CUdevice_attribute attribute;
        int value;
    } values[] = {
        {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 132},
        {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 9},
        {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 0},
        {CU_DEVICE_ATTRIBUTE_ECC_ENABLED, 1},
        {CU_DEVICE_ATTRIBUTE_CLOCK_RATE, 1980000},
        {CU_DEVICE_ATTRIBUTE_WARP_SIZE, 32},
        {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1024},
        {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, 49152},
        {CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, 50 << 20},
        {CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE, 30 << 20},
        {CU_DEVICE_ATTRIBUTE_COMPUTE_MODE, CU_COMPUTEMODE_DEFAULT},
    };
    TRY(check_device(dev));
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        if (values[i].attribute == attrib)
            return SET(pi, values[i].value);
    return CUDA_ERROR_INVALID_VALUE;
}
