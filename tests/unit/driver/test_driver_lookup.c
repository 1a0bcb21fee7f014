#include "cudart/sim_support.h"

#include "driver/driver.h"
#include "driver/front.h"

#include <criterion/criterion.h>
#include <cudaProfiler.h>
#include <cudaProfilerTypedefs.h>
#include <cudaTypedefs.h>

static void (*found_as(const char *name, int version))(void)
{
    void *found;
    void (*function)(void);
    if (cuGetProcAddress_v2(name, &found, version, 0, NULL) != CUDA_SUCCESS)
        return NULL;
    memcpy(&function, &found, sizeof function);
    return function;
}

/* A type of cudaTypedefs.h says what a name is since that version. That the function has the type, the compiler looks.
 */
#define IS_SINCE(name, version, symbol)                                                                                \
    do {                                                                                                               \
        PFN_##name##_v##version typed = symbol;                                                                        \
        cr_expect_eq(found_as(#name, version), (void (*)(void))typed, "%s of %d", #name, version);                     \
    } while (0)

Test(driver_lookup, versions_of_names_are_those_of_cudas_header)
{
    IS_SINCE(cuInit, 2000, cuInit);
    IS_SINCE(cuMemAlloc, 3020, cuMemAlloc_v2);
    IS_SINCE(cuCtxCreate, 3020, cuCtxCreate_v2);
    IS_SINCE(cuCtxCreate, 11040, cuCtxCreate_v3);
    IS_SINCE(cuCtxCreate, 12050, cuCtxCreate_v4);
    IS_SINCE(cuCtxGetDevice, 2000, cuCtxGetDevice);
    IS_SINCE(cuCtxGetDevice, 13000, cuCtxGetDevice_v2);
    IS_SINCE(cuDevicePrimaryCtxRelease, 7000, cuDevicePrimaryCtxRelease);
    IS_SINCE(cuDevicePrimaryCtxRelease, 11000, cuDevicePrimaryCtxRelease_v2);
    IS_SINCE(cuStreamBeginCapture, 10010, cuStreamBeginCapture_v2);
    IS_SINCE(cuStreamGetCaptureInfo, 10010, cuStreamGetCaptureInfo);
    IS_SINCE(cuStreamGetCaptureInfo, 12030, cuStreamGetCaptureInfo_v3);
    IS_SINCE(cuEventElapsedTime, 12080, cuEventElapsedTime_v2);
    IS_SINCE(cuGraphExecUpdate, 12000, cuGraphExecUpdate_v2);
    IS_SINCE(cuGetProcAddress, 11030, cuGetProcAddress);
    IS_SINCE(cuGetProcAddress, 12000, cuGetProcAddress_v2);
    IS_SINCE(cuLaunchKernel, 4000, cuLaunchKernel);
    IS_SINCE(cuLaunchKernelEx, 11060, cuLaunchKernelEx);
    IS_SINCE(cuProfilerStart, 4000, cuProfilerStart);
    cr_expect_eq(found_as("cuCtxCreate", 12040), (void (*)(void))cuCtxCreate_v3, "the newest that the program knows");
}

Test(driver_lookup, names_that_are_not_there)
{
    void *found = &found;
    CUdriverProcAddressQueryResult status = CU_GET_PROC_ADDRESS_SUCCESS;
    cr_expect_eq(cuGetProcAddress_v2("cuLaunchKernelEx", &found, 11050, 0, &status), CUDA_ERROR_NOT_FOUND);
    cr_expect_eq(status, CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
    cr_expect_null(found);
    cr_expect_eq(cuGetProcAddress_v2("cuMemAlloc_v2", &found, 13000, 0, &status), CUDA_ERROR_NOT_FOUND);
    cr_expect_eq(status, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
    cr_expect_eq(cuGetProcAddress_v2("", &found, 13000, 0, NULL), CUDA_ERROR_NOT_FOUND);
}

/* Each type PFN_... of the header is a row. */
Test(driver_lookup, the_table_has_all_names_of_cudas_header)
{
    size_t rows = 0;
    int older = 0;
    for (const struct driver_entry *entry = driver_entries; entry->name; entry++, rows++) {
        cr_expect_not_null(entry->function, "%s", entry->name);
        older += found_as(entry->name, entry->since - 1) == entry->function;
    }
    cr_expect_gt(rows, 500);
    cr_expect_eq(older, 0);
}

Test(driver_lookup, what_is_not_built_is_an_error_and_named)
{
    sim_open_gpu();
    CUexternalMemory memory;
    cr_expect_eq(cuInit(0), CUDA_SUCCESS);
    PFN_cuImportExternalMemory_v10000 import =
        (PFN_cuImportExternalMemory_v10000)found_as("cuImportExternalMemory", 12000);
    cr_expect_eq(import(&memory, NULL), CUDA_ERROR_NOT_SUPPORTED);
    cr_expect_str_eq(runtime_reason(), "not simulated: cuImportExternalMemory");
    cr_expect_eq(cudaGetLastError(), cudaSuccess, "an error of the driver is none of the runtime");
}

Test(driver_lookup, nvidias_runtime_is_refused)
{
    sim_open_gpu();
    const void *table = NULL;
    const CUuuid id = {{0}};
    cr_expect_eq(cuGetExportTable(&table, &id), CUDA_ERROR_NOT_SUPPORTED);
    cr_expect_null(table);
    cr_expect(strstr(runtime_reason(), "-cudart shared"));
}

Test(driver_lookup, the_runtime_finds_them_too)
{
    sim_open_gpu();
    void *found = NULL;
    enum cudaDriverEntryPointQueryResult result = cudaDriverEntryPointSymbolNotFound;
    cr_expect_eq(cudaGetDriverEntryPointByVersion("cuMemAlloc", &found, 12000, 0, &result), cudaSuccess);
    cr_expect_eq(result, cudaDriverEntryPointSuccess);
    cr_expect_not_null(found);
    cr_expect_eq(cudaGetDriverEntryPointByVersion("cuNone", &found, 12000, 0, &result), cudaSuccess);
    cr_expect_eq(result, cudaDriverEntryPointSymbolNotFound);
    cr_expect_eq(cudaGetDriverEntryPointByVersion("cuNone", &found, 12000, 0, NULL), cudaErrorSymbolNotFound);
}

Test(driver_lookup, errors_have_names)
{
    const char *text;
    cr_expect_eq(cuGetErrorName(CUDA_ERROR_INVALID_CONTEXT, &text), CUDA_SUCCESS);
    cr_expect_str_eq(text, "CUDA_ERROR_INVALID_CONTEXT");
    cr_expect_eq(cuGetErrorString(CUDA_ERROR_INVALID_CONTEXT, &text), CUDA_SUCCESS);
    cr_expect_str_eq(text, "invalid device context");
    cr_expect_eq(cuGetErrorName((CUresult)12345, &text), CUDA_ERROR_INVALID_VALUE);
    cr_expect_null(text);
}

/* Each row, without anything, as a program may call it by mistake. */
Test(driver_lookup, no_function_crashes_for_what_is_missing, .init = sim_open_gpu)
{
    typedef int with_nothing(uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t,
                             uintptr_t, uintptr_t, uintptr_t, uintptr_t);
    cr_assert_eq(cuInit(0), CUDA_SUCCESS);
    cr_assert_eq(cudaFree(NULL), cudaSuccess);
    for (const struct driver_entry *row = driver_entries; row->name; row++) {
        with_nothing *function;
        memcpy(&function, &row->function, sizeof function);
        const int error = function(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
        if (strstr(row->name, "Get") && !strstr(row->name, "PriorityRange"))
            cr_expect_neq(error, CUDA_SUCCESS, "%s has no place for an answer", row->name);
    }
}
