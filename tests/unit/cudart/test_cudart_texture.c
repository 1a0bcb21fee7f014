#include "cudart/runtime.h"

#include "machine/memory/texels.h"
#include "sim_support.h"
#include "test.h"

TestSuite(cudart_texture, .init = sim_open_gpu);

enum { WIDTH = 4, HEIGHT = 3 };

static cudaArray_t make_array(int bits, enum cudaChannelFormatKind kind, struct cudaExtent extent, unsigned flags)
{
    const struct cudaChannelFormatDesc format = cudaCreateChannelDesc(bits, 0, 0, 0, kind);
    cudaArray_t array;
    cr_assert_eq(cudaMalloc3DArray(&array, &format, extent, flags), cudaSuccess);
    return array;
}

/* An array of floats; the texel at x, y, z is x + 10 * y + 100 * z. */
static cudaArray_t make_floats(struct cudaExtent extent, unsigned flags)
{
    static float texels[6][HEIGHT + 1][WIDTH];
    cudaArray_t array = make_array(32, cudaChannelFormatKindFloat, extent, flags);
    const size_t depth = extent.depth ? extent.depth : 1, height = extent.height ? extent.height : 1;
    float *texel = &texels[0][0][0];
    for (unsigned z = 0; z < depth; z++)
        for (unsigned y = 0; y < height; y++)
            for (unsigned x = 0; x < extent.width; x++)
                *texel++ = (float)(x + 10 * y + 100 * z);
    const struct cudaMemcpy3DParms copy = {
        .srcPtr = {texels, extent.width * sizeof(float), extent.width, height},
        .dstArray = array,
        .extent = {extent.width, height, depth},
        .kind = cudaMemcpyHostToDevice,
    };
    cr_assert_eq(cudaMemcpy3D(&copy), cudaSuccess);
    return array;
}

static struct cudaTextureDesc how_of(enum cudaTextureAddressMode mode, enum cudaTextureFilterMode filter,
                                     int normalized)
{
    return (struct cudaTextureDesc){.addressMode = {mode, mode, mode},
                                    .filterMode = filter,
                                    .normalizedCoords = normalized,
                                    .borderColor = {-5, 0, 0, 0}};
}

static cudaError_t make_texture(cudaTextureObject_t *texture, cudaArray_t array, const struct cudaTextureDesc *how)
{
    struct cudaResourceDesc resource = {.resType = cudaResourceTypeArray};
    resource.res.array.array = array;
    return cudaCreateTextureObject(texture, &resource, how, NULL);
}

static float sample(cudaTextureObject_t handle, float x, float y, float z, unsigned layer)
{
    const struct texture_place place = {{x, y, z}, layer};
    uint32_t texel[TEXTURE_CHANNELS];
    float value;
    const char *unknown = texture_sample(texture_find(runtime_machine(), handle), &place, texel);
    if (unknown)
        return NAN;
    memcpy(&value, &texel[0], sizeof value);
    return value;
}

static enum cudaTextureFilterMode filter_named(const char **text)
{
    return strcmp(cut_at(text, " "), "linear") == 0 ? cudaFilterModeLinear : cudaFilterModePoint;
}

static cudaArray_t edges;

static void expect_texel(const char *where, const char *text, const char *words)
{
    static const char *const modes[] = {[cudaAddressModeWrap] = "wrap",
                                        [cudaAddressModeClamp] = "clamp",
                                        [cudaAddressModeMirror] = "mirror",
                                        [cudaAddressModeBorder] = "border"};
    const size_t mode = name_index(cut_at(&text, " "), modes, ARRAY_SIZE(modes));
    cr_assert_lt(mode, ARRAY_SIZE(modes), "%s", where);
    const enum cudaTextureFilterMode filter = filter_named(&text);
    const int normalized = (int)leading_number(&text);
    const float x = (float)leading_number(&text), y = (float)leading_number(&text);
    const struct cudaTextureDesc how = how_of((enum cudaTextureAddressMode)mode, filter, normalized);
    cudaTextureObject_t texture;
    cr_assert_eq(make_texture(&texture, edges, &how), cudaSuccess, "%s", where);
    const float value = sample(texture, x, y, 0, 0);
    cr_expect_eq(value, (float)leading_number(&words), "%s: %g", where, (double)value);
    cr_expect_eq(cudaDestroyTextureObject(texture), cudaSuccess);
    cr_expect_null(texture_find(runtime_machine(), texture));
    cr_expect_eq(cudaDestroyTextureObject(texture), cudaErrorInvalidValue);
}

Test(cudart_texture, edges_and_filters)
{
    edges = make_floats((struct cudaExtent){WIDTH, HEIGHT, 0}, cudaArrayDefault);
    each_text("tests/unit/cudart/cudart_texture.txt#edges", expect_texel);
    cr_expect_null(texture_find(runtime_machine(), 0));
    cr_expect_eq(cudaFreeArray(edges), cudaSuccess);
}

static void expect_shape(const char *where, const char *text, const char *words)
{
    static const unsigned flags[] = {0, cudaArrayLayered, cudaArrayCubemap};
    size_t extent[3] = {0};
    for (size_t i = 0; i < ARRAY_SIZE(extent); i++)
        extent[i] = (size_t)leading_number(&text);
    text++;
    const size_t kind = name_index(cut_at(&text, " "), (const char *const[]){"plain", "layered", "cube"}, 3);
    cr_assert_lt(kind, 3, "%s", where);
    const struct cudaTextureDesc how = how_of(cudaAddressModeClamp, filter_named(&text), 1);
    const float x = (float)leading_number(&text), y = (float)leading_number(&text), z = (float)leading_number(&text);
    const float wanted = (float)leading_number(&words);
    cudaArray_t array = make_floats((struct cudaExtent){extent[0], extent[1], extent[2]}, flags[kind]);
    cudaTextureObject_t texture;
    cr_assert_eq(make_texture(&texture, array, &how), cudaSuccess, "%s", where);
    const float value = sample(texture, x, y, z, (unsigned)leading_number(&text));
    cr_expect(value == wanted || (isnan(value) && isnan(wanted)), "%s: %g", where, (double)value);
    cudaDestroyTextureObject(texture);
    cudaFreeArray(array);
}

TEXTS(cudart_texture, shapes, "tests/unit/cudart/cudart_texture.txt#shapes", expect_shape)

Test(cudart_texture, elements_and_what_becomes_of_them)
{
    static const struct {
        int bits;
        enum cudaChannelFormatKind kind;
        enum cudaTextureReadMode mode;
        unsigned word;
        float value;
    } rows[] = {
        {8, cudaChannelFormatKindUnsigned, cudaReadModeNormalizedFloat, 51, 0.2f},
        {8, cudaChannelFormatKindSigned, cudaReadModeNormalizedFloat, 0x80, -1},
        {8, cudaChannelFormatKindSigned, cudaReadModeNormalizedFloat, 127, 1},
        {16, cudaChannelFormatKindUnsigned, cudaReadModeNormalizedFloat, 0xffff, 1},
        {16, cudaChannelFormatKindFloat, cudaReadModeElementType, 0x3e00, 1.5f},
        {8, cudaChannelFormatKindSigned, cudaReadModeElementType, 0xff, NAN}, /* the bits of -1 */
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        cudaTextureObject_t texture;
        cudaArray_t array = make_array(rows[i].bits, rows[i].kind, (struct cudaExtent){1, 1, 0}, 0);
        struct cudaTextureDesc how = how_of(cudaAddressModeClamp, cudaFilterModePoint, 0);
        how.readMode = rows[i].mode;
        cudaMemcpy2DToArray(array, 0, 0, &rows[i].word, (size_t)rows[i].bits / 8, (size_t)rows[i].bits / 8, 1,
                            cudaMemcpyHostToDevice);
        cr_assert_eq(make_texture(&texture, array, &how), cudaSuccess);
        const float value = sample(texture, 0, 0, 0, 0);
        cr_expect(value == rows[i].value || (isnan(value) && isnan(rows[i].value)), "row %zu: %g", i, (double)value);
        cudaDestroyTextureObject(texture);
        cudaFreeArray(array);
    }
}

Test(cudart_texture, memory_and_gathers)
{
    static const unsigned char bytes[3][8] = {{0, 1, 2, 3}, {10, 11, 12, 13}, {20, 21, 22, 23}};
    cudaTextureObject_t row, rows;
    uint32_t texel[4];
    unsigned char *memory;
    cr_assert_eq(cudaMalloc((void **)&memory, sizeof bytes), cudaSuccess);
    cudaMemcpy(memory, bytes, sizeof bytes, cudaMemcpyHostToDevice);
    const struct cudaTextureDesc how = how_of(cudaAddressModeClamp, cudaFilterModePoint, 0);
    struct cudaResourceDesc resource = {.resType = cudaResourceTypeLinear};
    resource.res.linear.devPtr = memory;
    resource.res.linear.desc = cudaCreateChannelDesc(8, 8, 0, 0, cudaChannelFormatKindUnsigned);
    resource.res.linear.sizeInBytes = sizeof bytes;
    cr_assert_eq(cudaCreateTextureObject(&row, &resource, &how, NULL), cudaSuccess);
    texture_at(texture_find(runtime_machine(), row), 5, texel);
    EXPECT_ALL(texel[0] == 12, texel[1] == 13, texel[2] == 0);
    texture_at(texture_find(runtime_machine(), row), 12, texel);
    cr_expect(texel[0] == 0 && texel[1] == 0, "beyond the end");
    texture_at(texture_find(runtime_machine(), row), -1, texel);
    cr_expect(texel[0] == 0 && texel[1] == 0, "before the beginning");

    resource = (struct cudaResourceDesc){.resType = cudaResourceTypePitch2D};
    resource.res.pitch2D.devPtr = memory;
    resource.res.pitch2D.desc = cudaCreateChannelDesc(8, 0, 0, 0, cudaChannelFormatKindUnsigned);
    resource.res.pitch2D.width = 4;
    resource.res.pitch2D.height = 3;
    resource.res.pitch2D.pitchInBytes = 8;
    cr_assert_eq(cudaCreateTextureObject(&rows, &resource, &how, NULL), cudaSuccess);
    const struct texture_place place = {{2, 1, 0}, 0};
    cr_expect_null(texture_gather(texture_find(runtime_machine(), rows), &place, 0, texel));
    EXPECT_ALL(texel[0] == 11, texel[1] == 12, texel[2] == 2, texel[3] == 1);
    struct cudaResourceDesc told;
    cr_expect_eq(cudaGetTextureObjectResourceDesc(&told, rows), cudaSuccess);
    EXPECT_ALL(told.resType == cudaResourceTypePitch2D, told.res.pitch2D.devPtr == memory);
    resource.res.pitch2D.pitchInBytes = 3;
    cr_expect_eq(cudaCreateTextureObject(&rows, &resource, &how, NULL), cudaErrorInvalidValue);
    cudaFree(memory);
}

Test(cudart_texture, surfaces)
{
    cudaSurfaceObject_t surface;
    cudaArray_t array =
        make_array(32, cudaChannelFormatKindFloat, (struct cudaExtent){4, 3, 0}, cudaArraySurfaceLoadStore);
    struct cudaResourceDesc resource = {.resType = cudaResourceTypeArray}, told;
    resource.res.array.array = array;
    cr_assert_eq(cudaCreateSurfaceObject(&surface, &resource), cudaSuccess);
    cr_expect(texture_find(runtime_machine(), surface)->is_surface);
    cr_expect_eq(cudaGetSurfaceObjectResourceDesc(&told, surface), cudaSuccess);
    cr_expect_eq(told.res.array.array, array);
    cr_expect_eq(cudaDestroyTextureObject(surface), cudaErrorInvalidValue, "it is no texture");
    cr_expect_eq(cudaDestroySurfaceObject(surface), cudaSuccess);
    resource.resType = cudaResourceTypeLinear;
    cr_expect_eq(cudaCreateSurfaceObject(&surface, &resource), cudaErrorInvalidValue);
    cudaFreeArray(array);
}

Test(cudart_texture, other_kinds_are_not_simulated)
{
    cudaTextureObject_t texture;
    struct cudaTextureDesc how[4];
    for (size_t i = 0; i < ARRAY_SIZE(how); i++)
        how[i] = how_of(cudaAddressModeClamp, cudaFilterModePoint, 0);
    how[0].filterMode = cudaFilterModeLinear;
    how[1].readMode = cudaReadModeNormalizedFloat;
    how[2].sRGB = 1;
    how[3].maxAnisotropy = 4;
    cudaArray_t words = make_array(32, cudaChannelFormatKindUnsigned, (struct cudaExtent){4, 3, 0}, 0);
    for (size_t i = 0; i < ARRAY_SIZE(how); i++)
        cr_expect_eq(make_texture(&texture, words, &how[i]), cudaErrorNotSupported, "row %zu", i);
    cr_expect_str_eq(runtime_reason(), "not simulated: a texture that filters integers");
    cudaFreeArray(words);
}
