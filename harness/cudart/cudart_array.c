/* Arrays of the CUDA runtime. */

#include "array.h"
#include "function_launch.h"
#include "handle.h"
#include "inputs.h"

struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, enum cudaChannelFormatKind kind)
{
    return (struct cudaChannelFormatDesc){x, y, z, w, kind};
}

/* Returns how many elements an array has; 0: they are too many, or the extent is none. */
static size_t elements_of(struct cudaExtent extent, size_t element)
{
    const size_t rows = extent.height > 0 ? extent.height : 1, slices = extent.depth > 0 ? extent.depth : 1;
    if (extent.width == 0 || extent.width > SIZE_MAX / element / rows / slices)
        return 0;
    return extent.width * rows * slices;
}

cudaError_t cudaMalloc3DArray(cudaArray_t *made, const struct cudaChannelFormatDesc *format, struct cudaExtent extent,
                              unsigned flags)
{
    /* Those say which textures and surfaces may read the array, and what its slices are. */
    enum { KNOWN = cudaArrayLayered | cudaArraySurfaceLoadStore | cudaArrayCubemap | cudaArrayTextureGather };
    runtime_allocates();
    CUDA_TRY(runtime_lost());
    if (flags & ~(unsigned)KNOWN)
        return runtime_not_simulated("an array with the flags %u", flags);
    REFUSE(!made || !format, cudaErrorInvalidValue);
    const int bits = format->x + format->y + format->z + format->w;
    REFUSE(bits <= 0 || bits % 8 != 0, cudaErrorInvalidChannelDescriptor);
    const size_t element = (size_t)bits / 8, count = elements_of(extent, element);
    REFUSE(count == 0, cudaErrorInvalidValue);
    struct cudaArray *array = handle_new(HANDLE_ARRAY, sizeof *array);
    *array =
        (struct cudaArray){*format, element, extent.width, extent.height, extent.depth, flags, calloc(count, element)};
    if (!array->texels) {
        handle_free(array);
        return runtime_return(cudaErrorMemoryAllocation);
    }
    inputs_hide(); /* what is copied into an array is not in the hash */
    *made = array;
    return cudaSuccess;
}

RUNTIME(cudaMallocArray,
        (cudaArray_t * made, const struct cudaChannelFormatDesc *format, size_t width, size_t height, unsigned flags),
        cudaMalloc3DArray(made, format, (struct cudaExtent){width, height, 0}, flags))

cudaError_t cudaFreeArray(cudaArray_t array)
{
    const cudaError_t error = runtime_lost();
    if (error != cudaSuccess || !array)
        return error;
    REFUSE(!handle_is(HANDLE_ARRAY, array), cudaErrorInvalidValue);
    function_settle(array->texels, array->width * array->element * array_rows(array) * array_slices(array), false);
    free(array->texels);
    handle_free(array);
    return cudaSuccess;
}

RUNTIME(cudaGetChannelDesc, (struct cudaChannelFormatDesc * format, cudaArray_const_t array),
        handle_is(HANDLE_ARRAY, array) ? SET(format, array->format, runtime_lost())
                                       : runtime_return(cudaErrorInvalidResourceHandle))

cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *format, struct cudaExtent *extent, unsigned *flags,
                             cudaArray_t array)
{
    REFUSE(!handle_is(HANDLE_ARRAY, array), cudaErrorInvalidResourceHandle);
    if (format)
        *format = array->format;
    if (extent)
        *extent = (struct cudaExtent){array->width, array->height, array->depth};
    if (flags)
        *flags = array->flags;
    return runtime_lost();
}

/* ---- Copies ---- */

/* Sets where a rectangle of whole elements is, whose place and width are told in bytes. False: they are not whole. */
static bool set_place(struct cudaPos *at, struct cudaExtent *extent, const struct cudaArray *array, size_t left,
                      size_t top, size_t width, size_t height)
{
    if (!handle_is(HANDLE_ARRAY, array))
        return false;
    *at = (struct cudaPos){left / array->element, top, 0};
    *extent = (struct cudaExtent){width / array->element, height, 1};
    return left % array->element == 0 && width % array->element == 0;
}

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t array, size_t left, size_t top, const void *from, size_t pitch,
                                     size_t width, size_t height, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    struct cudaMemcpy3DParms copy = {.dstArray = array, .srcPtr = {(void *)from, pitch, width, height}, .kind = kind};
    REFUSE(!set_place(&copy.dstPos, &copy.extent, array, left, top, width, height), cudaErrorInvalidValue);
    return runtime_copy_in(stream, &copy);
}

RUNTIME(cudaMemcpy2DToArray,
        (cudaArray_t array, size_t left, size_t top, const void *from, size_t pitch, size_t width, size_t height,
         enum cudaMemcpyKind kind),
        runtime_waited(cudaMemcpy2DToArrayAsync(array, left, top, from, pitch, width, height, kind, NULL), kind))

cudaError_t cudaMemcpy2DFromArrayAsync(void *to, size_t pitch, cudaArray_const_t array, size_t left, size_t top,
                                       size_t width, size_t height, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    struct cudaMemcpy3DParms copy = {
        .srcArray = (cudaArray_t)array, .dstPtr = {to, pitch, width, height}, .kind = kind};
    REFUSE(!set_place(&copy.srcPos, &copy.extent, array, left, top, width, height), cudaErrorInvalidValue);
    return runtime_copy_in(stream, &copy);
}

RUNTIME(cudaMemcpy2DFromArray,
        (void *to, size_t pitch, cudaArray_const_t array, size_t left, size_t top, size_t width, size_t height,
         enum cudaMemcpyKind kind),
        runtime_waited(cudaMemcpy2DFromArrayAsync(to, pitch, array, left, top, width, height, kind, NULL), kind))

cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, size_t to_left, size_t to_top, cudaArray_const_t from, size_t left,
                                     size_t top, size_t width, size_t height, enum cudaMemcpyKind kind)
{
    struct cudaMemcpy3DParms copy = {.dstArray = to, .srcArray = (cudaArray_t)from, .kind = kind};
    if (!set_place(&copy.dstPos, &copy.extent, to, to_left, to_top, width, height) ||
        !set_place(&copy.srcPos, &copy.extent, from, left, top, width, height))
        return runtime_return(cudaErrorInvalidValue);
    return runtime_copy(&copy);
}

/* CUDA's older copies of so many bytes, row by row. Programs still call them, so the compiler need not say so. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

/* The width and height of such a copy. */
static cudaError_t find_rows(cudaArray_const_t array, size_t left, size_t size, size_t *width, size_t *height)
{
    const size_t row = handle_is(HANDLE_ARRAY, array) ? array->width * array->element : 0;
    REFUSE(row == 0, cudaErrorInvalidValue);
    if (left != 0 || (size > row && size % row != 0))
        return runtime_not_simulated("a copy of part of an array's row");
    *width = size < row ? size : row;
    *height = *width ? size / *width : 0;
    return cudaSuccess;
}

cudaError_t cudaMemcpyToArrayAsync(cudaArray_t array, size_t left, size_t top, const void *from, size_t size,
                                   enum cudaMemcpyKind kind, cudaStream_t stream)
{
    size_t width = 0, height = 0;
    CUDA_TRY(find_rows(array, left, size, &width, &height));
    return cudaMemcpy2DToArrayAsync(array, left, top, from, width, width, height, kind, stream);
}

RUNTIME(cudaMemcpyToArray,
        (cudaArray_t array, size_t left, size_t top, const void *from, size_t size, enum cudaMemcpyKind kind),
        runtime_waited(cudaMemcpyToArrayAsync(array, left, top, from, size, kind, NULL), kind))

cudaError_t cudaMemcpyFromArrayAsync(void *to, cudaArray_const_t array, size_t left, size_t top, size_t size,
                                     enum cudaMemcpyKind kind, cudaStream_t stream)
{
    size_t width = 0, height = 0;
    CUDA_TRY(find_rows(array, left, size, &width, &height));
    return cudaMemcpy2DFromArrayAsync(to, width, array, left, top, width, height, kind, stream);
}

RUNTIME(cudaMemcpyFromArray,
        (void *to, cudaArray_const_t array, size_t left, size_t top, size_t size, enum cudaMemcpyKind kind),
        runtime_waited(cudaMemcpyFromArrayAsync(to, array, left, top, size, kind, NULL), kind))
