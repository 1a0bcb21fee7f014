#include "sim_support.h"

#include "cudart/runtime.h"

#include <criterion/criterion.h>
#include <cuda.h>
#include <string.h>

Test(cudart_driver, functions_are_found_by_name)
{
    sim_open_gpu();
    void *found = NULL;
    enum cudaDriverEntryPointQueryResult result = cudaDriverEntryPointSymbolNotFound;
    cr_assert_eq(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, 0, &result), cudaSuccess);
    cr_expect_eq(result, cudaDriverEntryPointSuccess);
    __typeof(&cuTensorMapEncodeTiled) encode;
    memcpy(&encode, &found, sizeof encode);
    CUtensorMap map;
    const cuuint64_t sizes[] = {64, 64}, strides[] = {256};
    const cuuint32_t box[] = {32, 8}, steps[] = {1, 1};
    void *const address = (void *)0x70000000; /* NOLINT(performance-no-int-to-ptr) */
    cr_expect_eq(encode(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, address, sizes, strides, box, steps, 0, 0, 0, 0),
                 CUDA_SUCCESS);
    cr_expect_eq(((unsigned char *)&map)[3], 0x70);
    cr_expect_eq(encode(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, address, sizes, NULL, box, steps, 0, 0, 0, 0),
                 CUDA_ERROR_INVALID_VALUE);
    cr_expect_eq(encode(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 7, address, sizes, strides, box, steps, 0, 0, 0, 0),
                 CUDA_ERROR_INVALID_VALUE);
}

Test(cudart_driver, others_are_not_simulated)
{
    sim_open_gpu();
    void *found = NULL;
    cr_expect_eq(cudaGetDriverEntryPointByVersion("cuCtxCreate", &found, 12000, 0, NULL), cudaErrorNotSupported);
    cr_expect_str_eq(runtime_reason(), "not simulated: the driver's function cuCtxCreate");
}
