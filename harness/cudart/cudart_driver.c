/* Functions of the driver that a program finds by their names through the runtime. */
#include "runtime.h"

#include "base/base.h"
#include "machine/machine.h"

#include <cuda.h>
#include <string.h>

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
    _Static_assert(sizeof *made == TENSOR_MAP_BYTES, "a tensor map has 128 bytes");
    return map->rank >= 1 && map->rank <= TENSOR_RANKS && tensor_map_encode(map, (unsigned char *)made)
               ? CUDA_SUCCESS
               : CUDA_ERROR_INVALID_VALUE;
}

static CUresult encode_tiled(CUtensorMap *made, CUtensorMapDataType type, cuuint32_t rank, void *address,
                             const cuuint64_t *sizes, const cuuint64_t *strides, const cuuint32_t *box,
                             const cuuint32_t *steps, CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                             CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill)
{
    struct tensor_map map = {
        .type = type,
        .rank = rank,
        .address = (uintptr_t)address,
        .interleave = interleave,
        .swizzle = swizzle,
        .promotion = promotion,
        .fill = fill,
    };
    if (!made || !sizes || !strides || !box || !steps || rank > TENSOR_RANKS)
        return CUDA_ERROR_INVALID_VALUE;
    set_tiled(&map, sizes, strides, steps);
    for (unsigned i = 0; i < rank; i++)
        map.box[i] = box[i];
    return encode(&map, made);
}

static CUresult encode_columns(CUtensorMap *made, CUtensorMapDataType type, cuuint32_t rank, void *address,
                               const cuuint64_t *sizes, const cuuint64_t *strides, const int *lower, const int *upper,
                               cuuint32_t channels, cuuint32_t pixels, const cuuint32_t *steps,
                               CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                               CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill)
{
    struct tensor_map map = {
        .columns = true,
        .type = type,
        .rank = rank,
        .address = (uintptr_t)address,
        .channels = channels,
        .pixels = pixels,
        .interleave = interleave,
        .swizzle = swizzle,
        .promotion = promotion,
        .fill = fill,
    };
    if (!made || !sizes || !strides || !lower || !upper || !steps || rank > TENSOR_RANKS)
        return CUDA_ERROR_INVALID_VALUE;
    set_tiled(&map, sizes, strides, steps);
    for (unsigned i = 0; i + 2 < rank && i < TENSOR_SPACE; i++) {
        map.lower[i] = lower[i];
        map.upper[i] = upper[i];
    }
    return encode(&map, made);
}

static CUresult replace_address(CUtensorMap *made, void *address)
{
    struct tensor_map map;
    if (!tensor_map_decode((const unsigned char *)made, &map))
        return CUDA_ERROR_INVALID_VALUE;
    map.address = (uintptr_t)address;
    return encode(&map, made);
}

/* To add a function: a row. */
static const struct {
    const char *name;
    void (*function)(void);
} functions[] = {
    {"cuTensorMapEncodeTiled", (void (*)(void))encode_tiled},
    {"cuTensorMapEncodeIm2col", (void (*)(void))encode_columns},
    {"cuTensorMapReplaceAddress", (void (*)(void))replace_address},
};

static cudaError_t find(const char *name, void **found, enum cudaDriverEntryPointQueryResult *result)
{
    const cudaError_t error = runtime_lost();
    if (error != cudaSuccess)
        return error;
    for (size_t i = 0; i < ARRAY_SIZE(functions); i++)
        if (strcmp(functions[i].name, name) == 0) {
            memcpy(found, &functions[i].function, sizeof *found);
            if (result)
                *result = cudaDriverEntryPointSuccess;
            return cudaSuccess;
        }
    return runtime_not_simulated("the driver's function %s", name);
}

cudaError_t cudaGetDriverEntryPointByVersion(const char *name, void **found, unsigned version, unsigned long long flags,
                                             enum cudaDriverEntryPointQueryResult *result)
{
    (void)version, (void)flags;
    return find(name, found, result);
}
ALSO(cudaGetDriverEntryPointByVersion, _ptsz);

/* The header calls it deprecated, so that it has another name here. */
cudaError_t entry_point(const char *name, void **found, unsigned long long flags,
                        enum cudaDriverEntryPointQueryResult *result) __asm__("cudaGetDriverEntryPoint");
cudaError_t entry_point(const char *name, void **found, unsigned long long flags,
                        enum cudaDriverEntryPointQueryResult *result)
{
    (void)flags;
    return find(name, found, result);
}
cudaError_t entry_point_of_thread(const char *name, void **found, unsigned long long flags,
                                  enum cudaDriverEntryPointQueryResult *result) __asm__("cudaGetDriverEntryPoint_ptsz");
cudaError_t entry_point_of_thread(const char *name, void **found, unsigned long long flags,
                                  enum cudaDriverEntryPointQueryResult *result)
{
    return entry_point(name, found, flags, result);
}
