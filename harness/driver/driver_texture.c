/* Arrays, textures and surfaces of the driver, and tensor maps. */
#include "front.h"

#include "machine/tile/tile.h"

/* ---- Arrays ---- */

/* Sets the format of elements as the runtime has it. False: there is none. */
static bool set_format(struct cudaChannelFormatDesc *made, CUarray_format format, unsigned channels)
{
    static const struct {
        CUarray_format format;
        int bits;
        enum cudaChannelFormatKind kind;
    } rows[] = {
        {CU_AD_FORMAT_UNSIGNED_INT8, 8, cudaChannelFormatKindUnsigned},
        {CU_AD_FORMAT_UNSIGNED_INT16, 16, cudaChannelFormatKindUnsigned},
        {CU_AD_FORMAT_UNSIGNED_INT32, 32, cudaChannelFormatKindUnsigned},
        {CU_AD_FORMAT_SIGNED_INT8, 8, cudaChannelFormatKindSigned},
        {CU_AD_FORMAT_SIGNED_INT16, 16, cudaChannelFormatKindSigned},
        {CU_AD_FORMAT_SIGNED_INT32, 32, cudaChannelFormatKindSigned},
        {CU_AD_FORMAT_HALF, 16, cudaChannelFormatKindFloat},
        {CU_AD_FORMAT_FLOAT, 32, cudaChannelFormatKindFloat},
    };
    if (channels != 1 && channels != 2 && channels != 4)
        return false;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const int bits = rows[i].bits, second = channels > 1 ? bits : 0, more = channels > 2 ? bits : 0;
        if (rows[i].format == format) {
            *made = (struct cudaChannelFormatDesc){bits, second, more, more, rows[i].kind};
            return true;
        }
    }
    return false;
}

/* Flags of arrays are the same in both. */
static cudaError_t make_array(CUarray *made, const CUDA_ARRAY3D_DESCRIPTOR *how)
{
    struct cudaChannelFormatDesc format;
    if (!made || !how || !set_format(&format, how->Format, how->NumChannels))
        return made && how ? cudaErrorInvalidChannelDescriptor : cudaErrorInvalidValue;
    return cudaMalloc3DArray((cudaArray_t *)made, &format, (struct cudaExtent){how->Width, how->Height, how->Depth},
                             how->Flags);
}

static cudaError_t make_flat_array(CUarray *made, const CUDA_ARRAY_DESCRIPTOR *how)
{
    return how ? make_array(made, &(CUDA_ARRAY3D_DESCRIPTOR){.Width = how->Width,
                                                             .Height = how->Height,
                                                             .Format = how->Format,
                                                             .NumChannels = how->NumChannels})
               : cudaErrorInvalidValue;
}

/* ---- Textures ---- */

/* Sets a resource as the runtime has it. */
static cudaError_t set_resource(struct cudaResourceDesc *made, const CUDA_RESOURCE_DESC *resource)
{
    bool known = true;
    *made = (struct cudaResourceDesc){.resType = (enum cudaResourceType)resource->resType};
    switch (resource->resType) {
    case CU_RESOURCE_TYPE_ARRAY:
        made->res.array.array = (cudaArray_t)resource->res.array.hArray;
        break;
    case CU_RESOURCE_TYPE_LINEAR:
        made->res.linear.devPtr = runtime_pointer(resource->res.linear.devPtr);
        made->res.linear.sizeInBytes = resource->res.linear.sizeInBytes;
        known = set_format(&made->res.linear.desc, resource->res.linear.format, resource->res.linear.numChannels);
        break;
    case CU_RESOURCE_TYPE_PITCH2D:
        made->res.pitch2D.devPtr = runtime_pointer(resource->res.pitch2D.devPtr);
        made->res.pitch2D.width = resource->res.pitch2D.width;
        made->res.pitch2D.height = resource->res.pitch2D.height;
        made->res.pitch2D.pitchInBytes = resource->res.pitch2D.pitchInBytes;
        known = set_format(&made->res.pitch2D.desc, resource->res.pitch2D.format, resource->res.pitch2D.numChannels);
        break;
    default:
        break; /* the runtime says that mipmaps are not simulated */
    }
    return known ? cudaSuccess : cudaErrorInvalidValue;
}

static cudaError_t make_texture(CUtexObject *made, const CUDA_RESOURCE_DESC *resource, const CUDA_TEXTURE_DESC *how,
                                const CUDA_RESOURCE_VIEW_DESC *view)
{
    struct cudaResourceDesc same;
    if (!resource || !how || view)
        return view ? runtime_not_simulated("a texture with a resource view") : cudaErrorInvalidValue;
    const cudaError_t error = set_resource(&same, resource);
    struct cudaTextureDesc read = {.filterMode = (enum cudaTextureFilterMode)how->filterMode,
                                   .readMode = how->flags & CU_TRSF_READ_AS_INTEGER ? cudaReadModeElementType
                                                                                    : cudaReadModeNormalizedFloat,
                                   .sRGB = (how->flags & CU_TRSF_SRGB) != 0,
                                   .normalizedCoords = (how->flags & CU_TRSF_NORMALIZED_COORDINATES) != 0,
                                   .maxAnisotropy = how->maxAnisotropy};
    for (int i = 0; i < 3; i++)
        read.addressMode[i] = (enum cudaTextureAddressMode)how->addressMode[i];
    memcpy(read.borderColor, how->borderColor, sizeof read.borderColor);
    /* Whole numbers of 32 bits are read as such in any case. */
    struct cudaChannelFormatDesc format =
        same.resType == cudaResourceTypeLinear ? same.res.linear.desc : same.res.pitch2D.desc;
    if (same.resType == cudaResourceTypeArray)
        cudaGetChannelDesc(&format, same.res.array.array);
    if (format.x == 32)
        read.readMode = cudaReadModeElementType;
    return error == cudaSuccess ? cudaCreateTextureObject(made, &same, &read, NULL) : error;
}

static cudaError_t make_surface(CUsurfObject *made, const CUDA_RESOURCE_DESC *resource)
{
    struct cudaResourceDesc same;
    const cudaError_t error = resource ? set_resource(&same, resource) : cudaErrorInvalidValue;
    return error == cudaSuccess ? cudaCreateSurfaceObject(made, &same) : error;
}

/* clang-format off */
FRONT(cuArrayCreate_v2, (CUarray *made, const CUDA_ARRAY_DESCRIPTOR *how), make_flat_array(made, how))
FRONT(cuArray3DCreate_v2, (CUarray *made, const CUDA_ARRAY3D_DESCRIPTOR *how), make_array(made, how))
FRONT(cuArrayDestroy, (CUarray array), cudaFreeArray((cudaArray_t)array))
FRONT(cuTexObjectCreate, (CUtexObject *made, const CUDA_RESOURCE_DESC *resource, const CUDA_TEXTURE_DESC *how, const CUDA_RESOURCE_VIEW_DESC *view), make_texture(made, resource, how, view))
FRONT(cuTexObjectDestroy, (CUtexObject texture), cudaDestroyTextureObject(texture))
FRONT(cuSurfObjectCreate, (CUsurfObject *made, const CUDA_RESOURCE_DESC *resource), make_surface(made, resource))
FRONT(cuSurfObjectDestroy, (CUsurfObject surface), cudaDestroySurfaceObject(surface))
/* clang-format on */

/* ---- Tensor maps ---- */

static void set_tiled(struct tensor_map *map, const cuuint64_t *sizes, const cuuint64_t *strides,
                      const cuuint32_t *steps)
{
    for (unsigned i = 0; i < map->rank; i++) {
        map->sizes[i] = sizes[i];
        map->steps[i] = steps[i];
        if (i > 0)
            map->strides[i - 1] = strides[i - 1];
    }
}

/* The driver refuses a missing list, even where it would be empty. No list of more ranks than there can be is read. */
static CUresult encode(const struct tensor_map *map, CUtensorMap *made)
{
    _Static_assert(sizeof *made == TENSOR_MAP_BYTES, "a tensor map must have 128 bytes");
    return map->rank >= 1 && map->rank <= TENSOR_RANKS && tensor_map_encode(map, (unsigned char *)made)
               ? CUDA_SUCCESS
               : CUDA_ERROR_INVALID_VALUE;
}

/* What the functions below have alike, of parameters of these names. */
#define MAP                                                                                                            \
    {                                                                                                                  \
        .type = type, .rank = rank, .address = (uintptr_t)address, .interleave = interleave, .swizzle = swizzle,       \
        .promotion = promotion, .fill = fill                                                                           \
    }

CUresult CUDAAPI cuTensorMapEncodeTiled(CUtensorMap *made, CUtensorMapDataType type, cuuint32_t rank, void *address,
                                        const cuuint64_t *sizes, const cuuint64_t *strides, const cuuint32_t *box,
                                        const cuuint32_t *steps, CUtensorMapInterleave interleave,
                                        CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
                                        CUtensorMapFloatOOBfill fill)
{
    struct tensor_map map = MAP;
    if (!made || !sizes || !strides || !box || !steps || rank > TENSOR_RANKS)
        return CUDA_ERROR_INVALID_VALUE;
    set_tiled(&map, sizes, strides, steps);
    for (unsigned i = 0; i < rank; i++)
        map.box[i] = box[i];
    return encode(&map, made);
}

CUresult CUDAAPI cuTensorMapEncodeIm2col(CUtensorMap *made, CUtensorMapDataType type, cuuint32_t rank, void *address,
                                         const cuuint64_t *sizes, const cuuint64_t *strides, const int *lower,
                                         const int *upper, cuuint32_t channels, cuuint32_t pixels,
                                         const cuuint32_t *steps, CUtensorMapInterleave interleave,
                                         CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
                                         CUtensorMapFloatOOBfill fill)
{
    struct tensor_map map = MAP;
    map.columns = true;
    map.channels = channels;
    map.pixels = pixels;
    if (!made || !sizes || !strides || !lower || !upper || !steps || rank > TENSOR_RANKS)
        return CUDA_ERROR_INVALID_VALUE;
    set_tiled(&map, sizes, strides, steps);
    for (unsigned i = 0; i + 2 < rank && i < TENSOR_SPACE; i++) {
        map.lower[i] = lower[i];
        map.upper[i] = upper[i];
    }
    return encode(&map, made);
}

CUresult CUDAAPI cuTensorMapReplaceAddress(CUtensorMap *made, void *address)
{
    struct tensor_map map;
    if (!made || !tensor_map_decode((const unsigned char *)made, &map))
        return CUDA_ERROR_INVALID_VALUE;
    map.address = (uintptr_t)address;
    return encode(&map, made);
}
