/* Arrays of the CUDA runtime, and textures that read them. */
#include "runtime.h"

#include "base/base.h"

#include "inputs.h"
#include "texture.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define CHANNELS 4

struct cudaArray {
    struct cudaChannelFormatDesc format;
    size_t element;       /* bytes of an element */
    size_t width, height; /* in elements; the height of a single row is 0 */
    unsigned char *texels;
};

/* ---- Arrays ---- */

struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, enum cudaChannelFormatKind kind)
{
    return (struct cudaChannelFormatDesc){x, y, z, w, kind};
}

static size_t rows_of(const struct cudaArray *array)
{
    return array->height > 0 ? array->height : 1;
}

cudaError_t cudaMallocArray(cudaArray_t *made, const struct cudaChannelFormatDesc *format, size_t width, size_t height,
                            unsigned flags)
{
    const cudaError_t error = runtime_lost();
    if (error != cudaSuccess)
        return error;
    if (flags != cudaArrayDefault)
        return runtime_not_simulated("cudaMallocArray with flags %u", flags);
    const int bits = format->x + format->y + format->z + format->w;
    const size_t element = bits > 0 ? (size_t)bits / 8 : 0, rows = height > 0 ? height : 1;
    if (bits <= 0 || bits % 8 != 0)
        return runtime_return(cudaErrorInvalidChannelDescriptor);
    if (width == 0 || width > SIZE_MAX / element / rows)
        return runtime_return(cudaErrorInvalidValue);
    struct cudaArray *array = x_calloc(1, sizeof *array);
    *array = (struct cudaArray){*format, element, width, height, calloc(width * rows, element)};
    if (!array->texels) {
        free(array);
        return runtime_return(cudaErrorMemoryAllocation);
    }
    inputs_hide(); /* what is copied into an array is not in the hash */
    *made = array;
    return cudaSuccess;
}

cudaError_t cudaFreeArray(cudaArray_t array)
{
    const cudaError_t error = runtime_lost();
    if (error != cudaSuccess || !array)
        return error;
    free(array->texels);
    free(array);
    return cudaSuccess;
}

cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *format, cudaArray_const_t array)
{
    *format = array->format;
    return runtime_lost();
}

cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *format, struct cudaExtent *extent, unsigned *flags,
                             cudaArray_t array)
{
    if (format)
        *format = array->format;
    if (extent)
        *extent = (struct cudaExtent){array->width, array->height, 0};
    if (flags)
        *flags = cudaArrayDefault;
    return runtime_lost();
}

/* Returns where a rectangle begins in an array; left and width are in bytes. NULL when it is not within the array. */
static unsigned char *inside_array(const struct cudaArray *array, size_t left, size_t top, size_t width, size_t height)
{
    const size_t bytes = array->width * array->element, rows = rows_of(array);
    if (left > bytes || width > bytes - left || top > rows || height > rows - top)
        return NULL;
    return array->texels + top * bytes + left;
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t array, size_t left, size_t top, const void *from, size_t pitch,
                                size_t width, size_t height, enum cudaMemcpyKind kind)
{
    const cudaError_t error = runtime_lost();
    unsigned char *to = inside_array(array, left, top, width, height);
    (void)kind;
    if (error != cudaSuccess)
        return error;
    if (!to || !from)
        return runtime_return(cudaErrorInvalidValue);
    if (height > 1 && width > pitch)
        return runtime_return(cudaErrorInvalidPitchValue);
    for (size_t row = 0; row < height; row++)
        memcpy(to + row * array->width * array->element, (const char *)from + row * pitch, width);
    return cudaSuccess;
}
ALSO(cudaMemcpy2DToArray, _ptds);

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t array, size_t left, size_t top, const void *from, size_t pitch,
                                     size_t width, size_t height, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    (void)stream;
    return cudaMemcpy2DToArray(array, left, top, from, pitch, width, height, kind);
}
ALSO(cudaMemcpy2DToArrayAsync, _ptsz);

cudaError_t cudaMemcpy2DFromArray(void *to, size_t pitch, cudaArray_const_t array, size_t left, size_t top,
                                  size_t width, size_t height, enum cudaMemcpyKind kind)
{
    const cudaError_t error = runtime_lost();
    const unsigned char *from = inside_array(array, left, top, width, height);
    (void)kind;
    if (error != cudaSuccess)
        return error;
    if (!from || !to)
        return runtime_return(cudaErrorInvalidValue);
    if (height > 1 && width > pitch)
        return runtime_return(cudaErrorInvalidPitchValue);
    for (size_t row = 0; row < height; row++)
        memcpy((char *)to + row * pitch, from + row * array->width * array->element, width);
    return cudaSuccess;
}
ALSO(cudaMemcpy2DFromArray, _ptds);

cudaError_t cudaMemcpy2DFromArrayAsync(void *to, size_t pitch, cudaArray_const_t array, size_t left, size_t top,
                                       size_t width, size_t height, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    (void)stream;
    return cudaMemcpy2DFromArray(to, pitch, array, left, top, width, height, kind);
}
ALSO(cudaMemcpy2DFromArrayAsync, _ptsz);

/* ---- Textures ---- */

/* The array of each texture, by its handle - 1; NULL: it was destroyed. Textures are made and destroyed only while
 * nothing is launched. */
static const struct cudaArray **textures;
static size_t texture_count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int channels_of(const struct cudaChannelFormatDesc *format)
{
    const int bits[CHANNELS] = {format->x, format->y, format->z, format->w};
    int count = 0;
    while (count < CHANNELS && bits[count] == 32)
        count++;
    for (int i = count; i < CHANNELS; i++)
        if (bits[i] != 0)
            return 0;
    return count;
}

/* Returns what cannot be simulated of a texture; NULL: all of it can. */
static const char *unknown_kind(const struct cudaResourceDesc *resource, const struct cudaTextureDesc *texture,
                                const struct cudaResourceViewDesc *view)
{
    if (resource->resType != cudaResourceTypeArray || resource->res.array.array->height == 0)
        return "a texture of anything but a two-dimensional array";
    if (channels_of(&resource->res.array.array->format) == 0)
        return "a texture of elements that are not of 32 bits";
    if (texture->filterMode != cudaFilterModePoint || texture->readMode != cudaReadModeElementType ||
        texture->normalizedCoords || texture->sRGB || texture->maxAnisotropy > 1)
        return "a texture that filters or converts";
    if (texture->addressMode[0] != cudaAddressModeClamp || texture->addressMode[1] != cudaAddressModeClamp)
        return "a texture whose coordinates are not clamped";
    return view ? "a texture with a resource view" : NULL;
}

cudaError_t cudaCreateTextureObject(cudaTextureObject_t *handle, const struct cudaResourceDesc *resource,
                                    const struct cudaTextureDesc *texture, const struct cudaResourceViewDesc *view)
{
    const cudaError_t error = runtime_lost();
    if (error != cudaSuccess)
        return error;
    const char *unknown = unknown_kind(resource, texture, view);
    if (unknown)
        return runtime_not_simulated("%s", unknown);
    pthread_mutex_lock(&lock);
    *ARRAY_GROW(textures, texture_count) = resource->res.array.array;
    *handle = texture_count;
    pthread_mutex_unlock(&lock);
    return cudaSuccess;
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t handle)
{
    const cudaError_t error = runtime_lost();
    if (error != cudaSuccess || handle == 0)
        return error;
    if (handle > texture_count)
        return runtime_return(cudaErrorInvalidValue);
    textures[handle - 1] = NULL;
    return cudaSuccess;
}

/* Returns the index of the texel at a coordinate. Beyond the edge it is the one at the edge. NAN is 0. */
static size_t clamped(float coordinate, size_t count)
{
    const float whole = floorf(coordinate);
    if (!(whole > 0))
        return 0;
    return whole >= (float)count ? count - 1 : (size_t)whole;
}

bool texture_fetch(uint64_t handle, float x, float y, uint32_t texel[4])
{
    const struct cudaArray *array = handle > 0 && handle <= texture_count ? textures[handle - 1] : NULL;
    if (!array)
        return false;
    const size_t place = clamped(y, array->height) * array->width + clamped(x, array->width);
    memset(texel, 0, CHANNELS * sizeof *texel);
    memcpy(texel, array->texels + place * array->element, array->element);
    return true;
}
