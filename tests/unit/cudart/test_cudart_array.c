#include "cudart/runtime.h"

#include <criterion/criterion.h>

#include "sim_support.h"

Test(cudart_array, boxes_go_into_arrays_and_back)
{
    enum { WIDTH = 5, HEIGHT = 3, DEPTH = 2, ALL = WIDTH * HEIGHT * DEPTH };
    const struct cudaChannelFormatDesc format = cudaCreateChannelDesc(16, 0, 0, 0, cudaChannelFormatKindUnsigned);
    const struct cudaExtent extent = {WIDTH, HEIGHT, DEPTH};
    unsigned short host[ALL], back[ALL] = {0};
    struct cudaExtent told;
    unsigned flags;
    cudaArray_t array;
    sim_open_gpu();
    for (int i = 0; i < ALL; i++)
        host[i] = (unsigned short)(1000 + i);
    cr_assert_eq(cudaMalloc3DArray(&array, &format, extent, cudaArraySurfaceLoadStore), cudaSuccess);
    cr_expect_eq(cudaArrayGetInfo(NULL, &told, &flags, array), cudaSuccess);
    cr_expect_eq(told.depth, DEPTH);
    cr_expect_eq(flags, cudaArraySurfaceLoadStore);
    struct cudaMemcpy3DParms copy = {.srcPtr = {host, 2 * WIDTH, WIDTH, HEIGHT},
                                     .dstArray = array,
                                     .extent = extent,
                                     .kind = cudaMemcpyHostToDevice};
    cr_expect_eq(cudaMemcpy3D(&copy), cudaSuccess);
    copy.dstPos.x = 1;
    cr_expect_eq(cudaMemcpy3D(&copy), cudaErrorInvalidValue, "a column too far");
    copy = (struct cudaMemcpy3DParms){.srcArray = array,
                                      .srcPos = {2, 1, 1},
                                      .dstPtr = {back, 2 * WIDTH, WIDTH, HEIGHT},
                                      .extent = {3, 2, 1},
                                      .kind = cudaMemcpyDeviceToHost};
    cr_expect_eq(cudaMemcpy3D(&copy), cudaSuccess);
    cr_expect_eq(back[0], 1000 + WIDTH * HEIGHT + WIDTH + 2);
    cr_expect_eq(back[WIDTH + 2], 1000 + ALL - 1);
    cr_expect_eq(cudaFreeArray(array), cudaSuccess);
    cr_expect_null(runtime_reason());
}

Test(cudart_array, rectangles_of_whole_elements)
{
    const struct cudaChannelFormatDesc format = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindSigned);
    int host[6] = {1, 2, 3, 4, 5, 6}, back[6] = {0};
    cudaArray_t array, other;
    sim_open_gpu();
    cr_assert_eq(cudaMallocArray(&array, &format, 3, 2, 0), cudaSuccess);
    cr_assert_eq(cudaMallocArray(&other, &format, 3, 2, 0), cudaSuccess);
    cr_expect_eq(cudaMemcpy2DToArray(array, 0, 0, host, 12, 12, 2, cudaMemcpyHostToDevice), cudaSuccess);
    cr_expect_eq(cudaMemcpy2DToArray(array, 2, 0, host, 12, 4, 1, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    cr_expect_eq(cudaMemcpy2DToArray(array, 4, 0, host, 12, 12, 1, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    cr_expect_eq(cudaMemcpy2DArrayToArray(other, 4, 0, array, 0, 1, 8, 1, cudaMemcpyDeviceToDevice), cudaSuccess);
    cr_expect_eq(cudaMemcpy2DFromArray(back, 12, other, 0, 0, 12, 2, cudaMemcpyDeviceToHost), cudaSuccess);
    cr_expect_eq(back[1], 4);
    cr_expect_eq(back[2], 5);
    cr_expect_eq(back[0], 0);
    cr_expect_eq(atomic_load(&runtime_now()->work.allocations), 2);
    cr_expect_eq(atomic_load(&runtime_now()->work.synchronizations), 2, "those to and from the host that are done");
    cr_expect_eq(cudaFreeArray(array), cudaSuccess);
    cr_expect_eq(cudaFreeArray(other), cudaSuccess);
}
