#include "sim/runtime.h"
#include "sim/texture.h"

#include "base/base.h"

#include <criterion/criterion.h>
#include <math.h>

#include "sim_support.h"

enum { WIDTH = 5, HEIGHT = 3 };

static cudaArray_t make_array(int bits)
{
    const struct cudaChannelFormatDesc format = cudaCreateChannelDesc(bits, 0, 0, 0, cudaChannelFormatKindUnsigned);
    cudaArray_t array;
    cr_assert_eq(cudaMallocArray(&array, &format, WIDTH, HEIGHT, cudaArrayDefault), cudaSuccess);
    return array;
}

static struct cudaTextureDesc points(void)
{
    return (struct cudaTextureDesc){
        .addressMode = {cudaAddressModeClamp, cudaAddressModeClamp},
        .filterMode = cudaFilterModePoint,
        .readMode = cudaReadModeElementType,
    };
}

static cudaError_t make_texture(cudaTextureObject_t *texture, cudaArray_t array, const struct cudaTextureDesc *how)
{
    struct cudaResourceDesc resource = {.resType = cudaResourceTypeArray};
    resource.res.array.array = array;
    return cudaCreateTextureObject(texture, &resource, how, NULL);
}

Test(cudart_texture, texels_by_points_and_at_the_edges)
{
    cudaTextureObject_t texture;
    const struct cudaTextureDesc how = points();
    uint32_t texels[HEIGHT][WIDTH], texel[4];
    sim_open_gpu();
    cudaArray_t array = make_array(32);
    for (unsigned y = 0; y < HEIGHT; y++)
        for (unsigned x = 0; x < WIDTH; x++)
            texels[y][x] = y * 10 + x;
    cr_assert_eq(
        cudaMemcpy2DToArray(array, 0, 0, texels, sizeof texels[0], sizeof texels[0], HEIGHT, cudaMemcpyHostToDevice),
        cudaSuccess);
    cr_assert_eq(make_texture(&texture, array, &how), cudaSuccess);
    static const struct {
        float x, y;
        uint32_t texel;
    } rows[] = {
        {0, 0, 0},   {1.99f, 0.5f, 1}, {4, 2.5f, 24}, {5, 0, 4},          {1e30f, 1e30f, 24},
        {-1, -7, 0}, {2, 1, 12},       {NAN, 1, 10},  {-INFINITY, 2, 20}, {3.5f, 3, 23},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        cr_assert(texture_fetch(texture, rows[i].x, rows[i].y, texel));
        cr_expect_eq(texel[0], rows[i].texel, "row %zu: %u", i, texel[0]);
        cr_expect_eq(texel[1], 0);
    }
    cr_expect_not(texture_fetch(0, 0, 0, texel));
    cr_expect_not(texture_fetch(texture + 1, 0, 0, texel));
    cr_expect_eq(cudaDestroyTextureObject(texture), cudaSuccess);
    cr_expect_not(texture_fetch(texture, 0, 0, texel));
    cr_expect_eq(cudaFreeArray(array), cudaSuccess);
}

Test(cudart_texture, other_kinds_are_not_simulated)
{
    cudaTextureObject_t texture;
    struct cudaTextureDesc how[4] = {points(), points(), points(), points()};
    how[0].filterMode = cudaFilterModeLinear;
    how[1].normalizedCoords = 1;
    how[2].addressMode[1] = cudaAddressModeWrap;
    how[3].readMode = cudaReadModeNormalizedFloat;
    sim_open_gpu();
    cudaArray_t words = make_array(32), bytes = make_array(8);
    for (size_t i = 0; i < ARRAY_SIZE(how); i++)
        cr_expect_eq(make_texture(&texture, words, &how[i]), cudaErrorNotSupported, "row %zu", i);
    const struct cudaTextureDesc plain = points();
    cr_expect_eq(make_texture(&texture, bytes, &plain), cudaErrorNotSupported);
    cr_expect_str_eq(runtime_reason(), "not simulated: a texture that filters or converts");
    cudaFreeArray(words);
    cudaFreeArray(bytes);
}

Test(cudart_texture, copies_stay_inside_an_array)
{
    uint32_t row[WIDTH + 1] = {1, 2, 3, 4, 5, 6}, back[2];
    sim_open_gpu();
    cudaArray_t array = make_array(32);
    cr_expect_eq(cudaMemcpy2DToArray(array, 8, 2, row, 8, 8, 1, cudaMemcpyHostToDevice), cudaSuccess);
    cr_expect_eq(cudaMemcpy2DFromArray(back, 8, array, 8, 2, 8, 1, cudaMemcpyDeviceToHost), cudaSuccess);
    cr_expect(back[0] == 1 && back[1] == 2);
    cr_expect_eq(cudaMemcpy2DToArray(array, 0, 0, row, 24, 24, 1, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    cr_expect_eq(cudaMemcpy2DToArray(array, 0, 3, row, 4, 4, 1, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    cr_expect_eq(cudaMemcpy2DToArray(array, 4, 0, row, 20, 20, 1, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    cudaFreeArray(array);
}
