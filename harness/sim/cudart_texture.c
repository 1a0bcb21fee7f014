/* Textures that read arrays, and surfaces. */
#include "runtime.h"

#include "base/base.h"

#include "array.h"
#include "texture.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

#define CHANNELS 4

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
    if (resource->resType != cudaResourceTypeArray || resource->res.array.array->height == 0 ||
        resource->res.array.array->depth > 0)
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

/* ---- Surfaces: kernels that use them are refused by their instructions ---- */

static size_t surface_count;

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *handle, const struct cudaResourceDesc *resource)
{
    const cudaError_t error = runtime_lost();
    if (error != cudaSuccess)
        return error;
    if (!handle || !resource || resource->resType != cudaResourceTypeArray || !resource->res.array.array)
        return runtime_return(cudaErrorInvalidValue);
    *handle = ++surface_count;
    return cudaSuccess;
}

cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t handle)
{
    return handle <= surface_count ? runtime_lost() : runtime_return(cudaErrorInvalidValue);
}

/* ---- Fetches ---- */

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
