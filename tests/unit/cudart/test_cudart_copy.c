#include "cudart/runtime.h"

#include <criterion/criterion.h>

#include "sim_support.h"

/* Three slices of two rows of four bytes, of which each is its own number. */
static struct cudaPitchedPtr make_box(unsigned char host[24])
{
    struct cudaPitchedPtr box;
    sim_open_gpu();
    for (int i = 0; i < 24; i++)
        host[i] = (unsigned char)i;
    cr_assert_eq(cudaMalloc3D(&box, (struct cudaExtent){4, 2, 3}), cudaSuccess);
    cr_assert_eq(cudaMemset3D(box, 0xff, (struct cudaExtent){4, 2, 3}), cudaSuccess);
    return box;
}

Test(cudart_copy, boxes)
{
    unsigned char host[24], back[24] = {0};
    const struct cudaPitchedPtr box = make_box(host), memory = {host, 4, 4, 2};
    struct cudaMemcpy3DParms copy = {
        .srcPtr = memory, .dstPtr = box, .extent = {4, 2, 3}, .kind = cudaMemcpyHostToDevice};
    cr_expect_eq(box.pitch, 512);
    cr_expect_eq(cudaMemcpy3D(&copy), cudaSuccess);
    cr_expect_eq(((unsigned char *)box.ptr)[512 * 5 + 3], 23);
    copy = (struct cudaMemcpy3DParms){.srcPtr = box,
                                      .srcPos = {1, 1, 1},
                                      .dstPtr = {back, 4, 4, 2},
                                      .extent = {2, 1, 2},
                                      .kind = cudaMemcpyDeviceToHost};
    cr_expect_eq(cudaMemcpy3D(&copy), cudaSuccess);
    cr_expect_eq(back[0], 8 + 4 + 1);
    cr_expect_eq(back[1], 8 + 4 + 2);
    cr_expect_eq(back[8], 16 + 4 + 1);
    cr_expect_eq(back[2], 0);
    copy.extent.depth = 3;
    cr_expect_eq(cudaMemcpy3D(&copy), cudaErrorInvalidValue, "a slice too many");
    cr_expect_eq(cudaMemset3D(box, 0, (struct cudaExtent){4, 2, 4}), cudaErrorInvalidValue);
}
