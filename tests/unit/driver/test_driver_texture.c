#include "cudart/sim_support.h"

#include "driver/front.h"

#include <criterion/criterion.h>

Test(driver_texture, tensor_maps_are_made_by_a_function_that_is_found)
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

/* Widths and places are bytes for the driver, and elements for the runtime that copies. */
Test(driver_texture, arrays_are_copied_to_and_from)
{
    enum { WIDTH = 6, HEIGHT = 3 };
    const short texels[HEIGHT][WIDTH] = {{1, 2, 3, 4, 5, 6}, {7, 8, 9, 10, 11, 12}, {13, 14, 15, 16, 17, 18}};
    short found[2][2] = {{0}};
    CUcontext context;
    CUarray array;
    CUtexObject texture = 0;
    const CUDA_ARRAY_DESCRIPTOR how = {
        .Width = WIDTH / 2, .Height = HEIGHT, .Format = CU_AD_FORMAT_SIGNED_INT16, .NumChannels = 2};
    sim_open_gpu();
    cr_assert_eq(cuInit(0), CUDA_SUCCESS);
    cr_assert_eq(cuCtxCreate_v2(&context, 0, 0), CUDA_SUCCESS);
    cr_assert_eq(cuArrayCreate_v2(&array, &how), CUDA_SUCCESS);
    CUDA_MEMCPY2D copy = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                          .srcHost = texels,
                          .srcPitch = sizeof *texels,
                          .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                          .dstArray = array,
                          .WidthInBytes = sizeof *texels,
                          .Height = HEIGHT};
    cr_expect_eq(cuMemcpy2D_v2(&copy), CUDA_SUCCESS);
    copy = (CUDA_MEMCPY2D){.srcMemoryType = CU_MEMORYTYPE_ARRAY,
                           .srcArray = array,
                           .srcXInBytes = 4,
                           .srcY = 1,
                           .dstMemoryType = CU_MEMORYTYPE_HOST,
                           .dstHost = found,
                           .WidthInBytes = 4,
                           .Height = 2};
    cr_expect_eq(cuMemcpy2D_v2(&copy), CUDA_SUCCESS);
    cr_expect_eq(found[0][0], 9);
    cr_expect_eq(found[1][1], 16);
    copy.WidthInBytes = 3;
    cr_expect_eq(cuMemcpy2D_v2(&copy), CUDA_ERROR_INVALID_VALUE, "a part of an element");
    const CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_ARRAY, .res.array.hArray = array};
    const CUDA_TEXTURE_DESC read = {.flags = CU_TRSF_READ_AS_INTEGER};
    cr_expect_eq(cuTexObjectCreate(&texture, &resource, &read, NULL), CUDA_SUCCESS);
    cr_expect_neq(texture, 0);
    cr_expect_eq(cuTexObjectDestroy(texture), CUDA_SUCCESS);
    cr_expect_eq(cuArrayDestroy(array), CUDA_SUCCESS);
}
