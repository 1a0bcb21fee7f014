/* Finds functions of the driver by their names, and says which are not simulated. */
#include "driver.h"
#include "front.h"

#include <dlfcn.h>

int driver_not_simulated(const char *symbol)
{
    runtime_for_driver(true);
    runtime_not_simulated("%s", symbol);
    runtime_for_driver(false);
    return CUDA_ERROR_NOT_SUPPORTED;
}

/* ---- By name ---- */

/* Returns the newest of a name that a program of this version of CUDA knows. */
static CUdriverProcAddressQueryResult find(void **found, const char *name, int version)
{
    const struct driver_entry *best = NULL;
    bool known = false;
    for (const struct driver_entry *entry = driver_entries; entry->name; entry++) {
        if (strcmp(entry->name, name) != 0)
            continue;
        known = true;
        if (entry->since <= version && (!best || entry->since > best->since))
            best = entry;
    }
    *found = NULL;
    if (best)
        memcpy(found, &best->function, sizeof *found);
    return best    ? CU_GET_PROC_ADDRESS_SUCCESS
           : known ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
                   : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
}

/* What is done in a default stream of each thread is done in its turn as well, so flags make no difference. */
CUresult CUDAAPI cuGetProcAddress_v2(const char *name, void **function, int version, cuuint64_t flags,
                                     CUdriverProcAddressQueryResult *status)
{
    (void)flags;
    if (!name || !function)
        return CUDA_ERROR_INVALID_VALUE;
    const CUdriverProcAddressQueryResult result = find(function, name, version);
    if (status)
        *status = result;
    return result == CU_GET_PROC_ADDRESS_SUCCESS ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

CUresult CUDAAPI cuGetProcAddress(const char *name, void **function, int version, cuuint64_t flags)
{
    return cuGetProcAddress_v2(name, function, version, flags, NULL);
}

/* The same through the runtime. */
cudaError_t cudaGetDriverEntryPointByVersion(const char *name, void **found, unsigned version, unsigned long long flags,
                                             enum cudaDriverEntryPointQueryResult *result)
{
    (void)flags;
    const cudaError_t error = runtime_lost();
    if (error != cudaSuccess || !name || !found)
        return error != cudaSuccess ? error : runtime_return(cudaErrorInvalidValue);
    const CUdriverProcAddressQueryResult status = find(found, name, (int)version);
    if (result)
        *result = (enum cudaDriverEntryPointQueryResult)status;
    return status == CU_GET_PROC_ADDRESS_SUCCESS || result ? cudaSuccess : runtime_return(cudaErrorSymbolNotFound);
}

/* The header calls it deprecated, so that it has another name here. */
cudaError_t entry_point(const char *name, void **found, unsigned long long flags,
                        enum cudaDriverEntryPointQueryResult *result) __asm__("cudaGetDriverEntryPoint");
cudaError_t entry_point(const char *name, void **found, unsigned long long flags,
                        enum cudaDriverEntryPointQueryResult *result)
{
    return cudaGetDriverEntryPointByVersion(name, found, CUDART_VERSION, flags, result);
}

/* ---- What is refused ---- */

/* Whether code is NVIDIA's compiler of CUDA C++ or linker, which look for a cache in the driver, and do without. */
static bool is_compiler(const void *code)
{
    Dl_info about;
    const char *file = dladdr(code, &about) && about.dli_fname ? strrchr(about.dli_fname, '/') : NULL;
    return file && (strncmp(file, "/libnvrtc", 9) == 0 || strncmp(file, "/libnvJitLink", 13) == 0);
}

/* NVIDIA's own runtime asks it whether the driver is NVIDIA's. This one is not, and does not say that it is. */
CUresult CUDAAPI cuGetExportTable(const void **table, const CUuuid *id)
{
    (void)table, (void)id;
    if (is_compiler(__builtin_return_address(0)))
        return CUDA_ERROR_NOT_SUPPORTED;
    runtime_not_simulated(
        "process %d (%s) uses NVIDIA's own CUDA runtime, which needs NVIDIA's driver: it is linked into the program or "
        "a library that it loads (such as cuBLAS or CuPy), or found by RPATH. Only the shared runtime is simulated: "
        "link with nvcc -cudart shared, in CMake with CUDA_RUNTIME_LIBRARY Shared",
        (int)getpid(), program_invocation_short_name);
    return CUDA_ERROR_NOT_SUPPORTED;
}

/* ---- Errors ---- */

CUresult CUDAAPI cuGetErrorName(CUresult error, const char **name)
{
    if (!name)
        return CUDA_ERROR_INVALID_VALUE;
    *name = NULL;
    for (const struct driver_error *row = driver_errors; row->name && !*name; row++)
        if (row->error == (int)error)
            *name = row->name;
    return *name ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult CUDAAPI cuGetErrorString(CUresult error, const char **text)
{
    const char *name;
    if (!text)
        return CUDA_ERROR_INVALID_VALUE;
    const CUresult known = cuGetErrorName(error, &name);
    *text = known == CUDA_SUCCESS ? cudaGetErrorString((cudaError_t)error) : NULL;
    return known;
}
