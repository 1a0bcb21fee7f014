/* Who else computes on the GPU, by NVML, the driver's management library. */
#include "cupti_plugin.h"

#include "base/base.h"

#include <dlfcn.h>

/* The three calls that we need, as documented in NVML's API reference. Its header is not part of every toolkit, and the
 * library comes with the driver. */
typedef int nvml_init(void);
typedef int nvml_find(const char *uuid, void **device);
typedef int nvml_processes(void *device, unsigned *count, void *list);

#define NVML_SUCCESS 0
#define NVML_INSUFFICIENT_SIZE 7 /* the list is too short; count says how long it has to be */

char *gpu_neighbours(const char *uuid)
{
    void *library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return NULL;
    char *answer = NULL;
    /* POSIX makes the way from an object pointer to a function; ISO C has none. */
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
