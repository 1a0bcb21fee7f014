/* Texture and surface objects of arrays and of memory. */

#include "array.h"
#include "function_launch.h"
#include "inputs.h"

/* An object, and what it was made of. */
struct object {
    struct texture texture; /* comes first, so that the object is found by it */
    struct cudaResourceDesc resource;
    struct cudaTextureDesc how;
};

static struct object *find(uint64_t handle, bool is_surface)
{
    const struct texture *texture = texture_find(runtime_machine(), handle);
    return texture && texture->is_surface == is_surface ? (struct object *)texture : NULL;
}

/* ---- What texels are, and where ---- */

/* Takes the channels, which are of one size. False: there are none such. */
static bool take_format(struct texture *texture, const struct cudaChannelFormatDesc *format)
{
    const int bits[TEXTURE_CHANNELS] = {format->x, format->y, format->z, format->w};
    while (texture->channels < TEXTURE_CHANNELS && bits[texture->channels] > 0)
        texture->channels++;
    if (ANY(i, TEXTURE_CHANNELS, bits[i] != (i < texture->channels ? bits[0] : 0)))
        return false;
    texture->bits = (unsigned)bits[0];
    texture->kind = (enum texel_kind)format->f;
    texture->element = (size_t)texture->channels * texture->bits / 8;
    const bool is_float = format->f == cudaChannelFormatKindFloat;
    return texture->channels > 0 && format->f <= cudaChannelFormatKindFloat &&
           (bits[0] == 32 || bits[0] == 16 || (bits[0] == 8 && !is_float));
}

static enum texture_shape shape_of(const struct cudaArray *array)
{
    const bool layers = array->flags & cudaArrayLayered;
    if (array->flags & cudaArrayCubemap)
        return layers ? TEXTURE_CUBE_LAYERS : TEXTURE_CUBE;
    if (layers)
        return array->height > 0 ? TEXTURE_2D_LAYERS : TEXTURE_1D_LAYERS;
    return array->depth > 0 ? TEXTURE_3D : array->height > 0 ? TEXTURE_2D : TEXTURE_1D;
}

static cudaError_t take_array(struct texture *texture, const struct cudaArray *array)
{
    if (!array)
        return cudaErrorInvalidValue;
    if (!take_format(texture, &array->format))
        return runtime_not_simulated("a texture or surface with this channel format");
    texture->shape = shape_of(array);
    texture->texels = array->texels;
    texture->counts[0] = array->width;
    texture->counts[1] = array_rows(array);
    texture->counts[2] = array_slices(array);
    texture->pitch = array->width * array->element;
    texture->bytes = texture->pitch * texture->counts[1] * texture->counts[2];
    return cudaSuccess;
}

/* Takes texels in memory of the GPU. */
static cudaError_t take_memory(struct texture *texture, const void *memory, const struct cudaChannelFormatDesc *format)
{
    if (!memory)
        return cudaErrorInvalidValue;
    if (!take_format(texture, format))
        return runtime_not_simulated("a texture or surface with this channel format");
    texture->texels = runtime_bytes(memory);
    texture->address = (uintptr_t)memory;
    texture->counts[1] = texture->counts[2] = 1;
    return cudaSuccess;
}

static cudaError_t take_resource(struct texture *texture, const struct cudaResourceDesc *resource)
{
    cudaError_t error;
    switch (resource->resType) {
    case cudaResourceTypeArray:
        return take_array(texture, resource->res.array.array);
    case cudaResourceTypeLinear:
        error = take_memory(texture, resource->res.linear.devPtr, &resource->res.linear.desc);
        if (error != cudaSuccess)
            return error;
        texture->shape = TEXTURE_LINEAR;
        texture->bytes = resource->res.linear.sizeInBytes;
        texture->counts[0] = texture->bytes / texture->element;
        texture->pitch = texture->bytes;
        return cudaSuccess;
    case cudaResourceTypePitch2D:
        error = take_memory(texture, resource->res.pitch2D.devPtr, &resource->res.pitch2D.desc);
        if (error != cudaSuccess)
            return error;
        texture->shape = TEXTURE_2D;
        texture->counts[0] = resource->res.pitch2D.width;
        texture->counts[1] = resource->res.pitch2D.height;
        texture->pitch = resource->res.pitch2D.pitchInBytes;
        if (texture->counts[0] == 0 || texture->counts[1] == 0 ||
            texture->pitch / texture->element < texture->counts[0])
            return cudaErrorInvalidValue;
        texture->bytes = (texture->counts[1] - 1) * texture->pitch + texture->counts[0] * texture->element;
        return cudaSuccess;
    default:
        return runtime_not_simulated("a texture or surface of a mipmapped array");
    }
}

/* Returns the handle, of a copy. */
static uint64_t add(const struct object *object)
{
    struct object *kept = x_calloc(1, sizeof *kept);
    *kept = *object;
    inputs_hide(); /* what an object is made of is not in the hash */
    return texture_add(runtime_machine(), &kept->texture);
}

static cudaError_t destroy(uint64_t handle, bool is_surface)
{
    const cudaError_t error = runtime_lost();
    if (error != cudaSuccess || handle == 0)
        return error;
    struct object *object = find(handle, is_surface);
    REFUSE(!object, cudaErrorInvalidValue);
    const struct texture *texture = &object->texture;
    function_settle(texture->address ? runtime_pointer(texture->address) : texture->texels, texture->bytes, false);
    texture_remove(runtime_machine(), handle);
    free(object);
    return cudaSuccess;
}

/* ---- Textures ---- */

/* Takes how a texture is read. Returns what cannot be simulated of it; NULL: all of it can. */
static const char *take_how(struct texture *texture, const struct cudaTextureDesc *how)
{
    texture->linear = how->filterMode == cudaFilterModeLinear && texture->shape != TEXTURE_LINEAR;
    texture->normalized = how->normalizedCoords != 0;
    texture->to_float = how->readMode == cudaReadModeNormalizedFloat && texture->kind != TEXEL_FLOAT;
    memcpy(texture->beyond, how->addressMode, sizeof texture->beyond);
    memcpy(texture->border, how->borderColor, sizeof texture->border);
    const bool is_cube = texture->shape == TEXTURE_CUBE || texture->shape == TEXTURE_CUBE_LAYERS;
    if (how->sRGB)
        return "an sRGB texture";
    if (how->maxAnisotropy > 1)
        return "a texture with anisotropic filtering";
    if (texture->linear && texture->kind != TEXEL_FLOAT && !texture->to_float)
        return "a texture that filters integers";
    if (texture->to_float && texture->bits == 32)
        return "a texture that normalizes 32-bit integers";
    return is_cube && !texture->normalized ? "a cube map whose coordinates are not normalized" : NULL;
}

cudaError_t cudaCreateTextureObject(cudaTextureObject_t *handle, const struct cudaResourceDesc *resource,
                                    const struct cudaTextureDesc *how, const struct cudaResourceViewDesc *view)
{
    cudaError_t error = runtime_lost();
    if (error != cudaSuccess)
        return error;
    REFUSE(!handle || !resource || !how, cudaErrorInvalidValue);
    struct object object = {.resource = *resource, .how = *how};
    error = take_resource(&object.texture, resource);
    if (error != cudaSuccess)
        return runtime_return(error);
    const char *unknown = view ? "a texture with a resource view" : take_how(&object.texture, how);
    if (unknown)
        return runtime_not_simulated("%s", unknown);
    *handle = add(&object);
    return cudaSuccess;
}

RUNTIME(cudaDestroyTextureObject, (cudaTextureObject_t handle), destroy(handle, false))

/* A function that tells how an object was made: its name, the type of what it tells, and of the handle. */
#define TELLS(function, type, handle_type, is_surface, field)                                                          \
    cudaError_t function(struct type *answer, handle_type handle)                                                      \
    {                                                                                                                  \
        const struct object *object = find(handle, is_surface);                                                        \
        return object ? SET(answer, object->field, runtime_lost()) : runtime_return(cudaErrorInvalidValue);            \
    }
TELLS(cudaGetTextureObjectResourceDesc, cudaResourceDesc, cudaTextureObject_t, false, resource)
TELLS(cudaGetTextureObjectTextureDesc, cudaTextureDesc, cudaTextureObject_t, false, how)

/* ---- Surfaces ---- */

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *handle, const struct cudaResourceDesc *resource)
{
    cudaError_t error = runtime_lost();
    if (error != cudaSuccess)
        return error;
    REFUSE(!handle || !resource || resource->resType != cudaResourceTypeArray, cudaErrorInvalidValue);
    struct object object = {.resource = *resource, .texture = {.is_surface = true}};
    error = take_resource(&object.texture, resource);
    if (error != cudaSuccess)
        return runtime_return(error);
    *handle = add(&object);
    return cudaSuccess;
}

RUNTIME(cudaDestroySurfaceObject, (cudaSurfaceObject_t handle), destroy(handle, true))

TELLS(cudaGetSurfaceObjectResourceDesc, cudaResourceDesc, cudaSurfaceObject_t, true, resource)
