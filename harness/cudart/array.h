/* array.h - arrays of the CUDA runtime: cudart_array.c makes them, copies and textures read them. */
#pragma once

#include <cuda_runtime_api.h>

#include <stddef.h>

struct cudaArray {
    struct cudaChannelFormatDesc format;
    size_t element;              /* bytes of an element */
    size_t width, height, depth; /* in elements; 0 for what an array of fewer dimensions lacks; depth may be layers */
    unsigned flags;
    unsigned char *texels;
};

static inline size_t array_rows(const struct cudaArray *array)
{
    return array->height > 0 ? array->height : 1;
}

static inline size_t array_slices(const struct cudaArray *array)
{
    return array->depth > 0 ? array->depth : 1;
}
