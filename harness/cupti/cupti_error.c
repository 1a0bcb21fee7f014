#include "cupti_plugin.h"

/* The remedies for errors of CUPTI: what a user can do. To add one, add a row with CUPTI's code. Of a code without a
 * row, CUPTI's own words are shown. */
static const struct {
    CUptiResult code;
    const char *remedy;
} remedies[] = {
    {CUPTI_ERROR_INSUFFICIENT_PRIVILEGES,
     "only administrators may read counters on this machine. Allow it for everyone: put `options nvidia "
     "NVreg_RestrictProfilingToAdminUsers=0` into /etc/modprobe.d/nvidia-profiling.conf and reboot; or run as root; in "
     "a container add --cap-add=SYS_ADMIN. See https://developer.nvidia.com/ERR_NVGPUCTRPERM"},
    {CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES,
     "this vGPU may not read counters: the administrator must set the VM's plugin parameter enable_profiling=1"},
    {CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED, "this kind of vGPU has no counters: use a passed-through GPU"},
    {CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED, "counters cannot be read on this MIG instance: measure on a GPU with MIG "
                                           "disabled, or on an instance with all memory slices"},
    {CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED,
     "counters are off in confidential-computing mode: measure on a machine without it (or in devtools mode)"},
    {CUPTI_ERROR_CMP_DEVICE_NOT_SUPPORTED, "mining cards (CMP) have no counters: use another GPU"},
    {CUPTI_ERROR_SLI_DEVICE_NOT_SUPPORTED, "counters cannot be read while SLI is on: disable it"},
    {CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED,
     "counters cannot be read under this WSL: update the Windows driver, and allow counters in the NVIDIA Control "
     "Panel (Developer > Manage GPU Performance Counters)"},
    {CUPTI_ERROR_HARDWARE_BUSY, "another profiler holds the counters: end ncu, nsys, DCGM's profiling (`dcgmi profile "
                                "--pause`) or the other cugate on this GPU, then try again"},
    {CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED,
     "another profiler is attached to this process: do not run cugate under ncu, nsys or another CUPTI tool"},
    {CUPTI_ERROR_NOT_COMPATIBLE,
     "CUPTI is newer than the driver: update the driver to at least the toolkit's CUDA version"},
    {CUPTI_ERROR_OLD_PROFILER_API_INITIALIZED,
     "the kernel library uses CUPTI's old profiling API: remove it there, because one process cannot use both"},
    {CUPTI_ERROR_INVALID_CHIP_NAME, "no such chip: `cugate list metrics help` lists them all"},
};

const char *cupti_remedy(int cupti_result)
{
    for (size_t i = 0; i < ARRAY_SIZE(remedies); i++) {
        if ((int)remedies[i].code == cupti_result)
            return remedies[i].remedy;
    }
    return NULL;
}

int cupti_check(const char *what, CUptiResult result, struct problem *problem)
{
    if (result == CUPTI_SUCCESS)
        return 0;
    const char *words = NULL;
    if (cuptiGetResultString(result, &words) != CUPTI_SUCCESS || !words)
        words = "unknown CUPTI error";
    const char *remedy = cupti_remedy((int)result);
    return problem_set(problem, "%s: %s (%d)%s%s", what, words, (int)result, remedy ? ": " : "", remedy ? remedy : "");
}

int cuda_check(const char *what, CUresult result, struct problem *problem)
{
    if (result == CUDA_SUCCESS)
        return 0;
    const char *words = NULL;
    if (cuGetErrorString(result, &words) != CUDA_SUCCESS || !words)
        words = "unknown driver error";
    return problem_set(problem, "%s: %s (%d)", what, words, (int)result);
}
