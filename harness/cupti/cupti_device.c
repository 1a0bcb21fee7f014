#include "cupti_plugin.h"

#include <dlfcn.h>

int gpu_count(struct problem *problem)
{
    /* Without the driver's library the cu* symbols of this plugin have no address, so the linker is asked before one is
     * called. */
    if (!dlsym(RTLD_DEFAULT, "cuInit")) {
        problem_set(problem, NO_GPU_DRIVER);
        return 0;
    }
    const CUresult result = cuInit(0);
    if (result == CUDA_ERROR_NO_DEVICE) {
        problem_set(problem, "the NVIDIA driver finds no GPU");
        return 0;
    }
    if (result == CUDA_ERROR_STUB_LIBRARY)
        return problem_set(problem, "libcuda.so.1 is the toolkit's stub: remove its folder from LD_LIBRARY_PATH");
    if (cuda_check(
            "the NVIDIA driver does not start; run nvidia-smi: is its kernel module loaded, and of libcuda's version?",
            result, problem) < 0)
        return -1;
    int count = 0;
    TRY(cuda_check("counting GPUs", cuDeviceGetCount(&count), problem));
    return count;
}

/* Returns the driver's version, such as "580.159.04", as the kernel module tells it. The driver API knows only its CUDA
 * version. Caller frees. */
static char *driver_version(void)
{
    FILE *file = fopen("/proc/driver/nvidia/version", "r");
    if (!file)
        return NULL;
    char line[256];
    char *version = NULL;
    if (fgets(line, sizeof line, file)) {
        for (char *word = strtok(line, " \t\n"); word && !version; word = strtok(NULL, " \t\n")) {
            if (strspn(word, "0123456789.") == strlen(word) && strchr(word, '.'))
                version = x_strdup(word);
        }
    }
    fclose(file);
    return version;
}

static char *uuid_text(const CUuuid *uuid)
{
    const unsigned char *b = (const unsigned char *)uuid->bytes;
    return x_sprintf("GPU-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", b[0], b[1], b[2], b[3],
                     b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]);
}

/* These are the three calls that are used of NVML, the driver's management library, as its API reference documents
 * them. The library comes with the driver, but its header is not in every toolkit. */
typedef int nvml_init(void);
typedef int nvml_find(const char *uuid, void **device);
typedef int nvml_processes(void *device, unsigned *count, void *list);

#define NVML_SUCCESS 0
#define NVML_INSUFFICIENT_SIZE 7 /* the list is too short; count then says how long it has to be */

/* Returns how many processes compute on the GPU besides this one, in decimal; NULL: that is unknown. This process must
 * have no context on the GPU yet. Caller frees. */
static char *gpu_processes(const char *uuid)
{
    void *library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return NULL;
    char *answer = NULL;
    /* POSIX allows to turn an object pointer into a function's address; ISO C does not. */
    union {
        void *address;
        nvml_init *init;
        nvml_find *find;
        nvml_processes *processes;
    } init = {dlsym(library, "nvmlInit_v2")}, end = {dlsym(library, "nvmlShutdown")},
      find = {dlsym(library, "nvmlDeviceGetHandleByUUID")},
      processes = {dlsym(library, "nvmlDeviceGetComputeRunningProcesses")};
    if (!init.address || !end.address || !find.address || !processes.address || init.init() != NVML_SUCCESS)
        goto out;
    void *device;
    unsigned count = 0;
    if (find.find(uuid, &device) == NVML_SUCCESS) {
        const int result = processes.processes(device, &count, NULL);
        if (result == NVML_SUCCESS || result == NVML_INSUFFICIENT_SIZE)
            answer = x_sprintf("%u", count);
    }
    end.init();
out:
    dlclose(library);
    return answer;
}

int gpu_describe(int ordinal, struct device *device, struct session *session, struct problem *problem)
{
    const int count = gpu_count(problem);
    if (count <= 0)
        return -1;
    if (ordinal >= count)
        return problem_set(problem, "no GPU %d: this machine has %d (`cugate list gpus`)", ordinal, count);
    CUdevice gpu;
    char name[256] = "";
    size_t memory = 0;
    int sms = 0, major = 0, minor = 0, ecc = 0, cuda = 0;
    CUuuid uuid;
    TRY(cuda_check("opening the GPU", cuDeviceGet(&gpu, ordinal), problem));
    TRY(cuda_check("reading the GPU's name", cuDeviceGetName(name, sizeof name, gpu), problem));
    TRY(cuda_check("reading the GPU's memory size", cuDeviceTotalMem(&memory, gpu), problem));
    TRY(cuda_check("reading the GPU's UUID", cuDeviceGetUuid(&uuid, gpu), problem));
    TRY(cuda_check("reading the driver's version", cuDriverGetVersion(&cuda), problem));
    const struct {
        CUdevice_attribute attribute;
        int *value;
    } attributes[] = {
        {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, &sms},
        {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, &major},
        {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, &minor},
        {CU_DEVICE_ATTRIBUTE_ECC_ENABLED, &ecc},
    };
    for (size_t i = 0; i < ARRAY_SIZE(attributes); i++) {
        TRY(cuda_check("reading the GPU's attributes",
                       cuDeviceGetAttribute(attributes[i].value, attributes[i].attribute, gpu), problem));
    }
    device->name = x_strdup(name);
    device->compute_capability = x_sprintf("%d.%d", major, minor);
    device->sm_count = sms;
    device->memory_bytes = (long long)memory;
    device->ecc = ecc != 0;
    device->mig = strstr(name, " MIG ") != NULL;
    session->facts[SESSION_DRIVER] = driver_version();
    session->facts[SESSION_CUDA] = x_sprintf("%d.%d", cuda / 1000, cuda % 1000 / 10);
    session->facts[SESSION_GPU_UUID] = uuid_text(&uuid);
    session->facts[SESSION_GPU_PROCESSES] = gpu_processes(session->facts[SESSION_GPU_UUID]);
    return 0;
}

int gpu_context(CUcontext *context, struct problem *problem)
{
    CUdevice gpu;
    TRY(cuda_check("opening the GPU", cuDeviceGet(&gpu, 0), problem));
    TRY(cuda_check("opening the GPU's context (is it in exclusive mode and in use?)",
                   cuDevicePrimaryCtxRetain(context, gpu), problem));
    TRY(cuda_check("using the GPU's context", cuCtxSetCurrent(*context), problem));
    return 0;
}
