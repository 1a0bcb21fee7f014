#include "driver.h"

#include <stdlib.h>
#include <string.h>

/* A block of device memory, which is the process's own. Blocks are in a list, so that wrong addresses are recognised.
 */
struct block {
    struct block *next;
    size_t size;
    max_align_t bytes[];
};

static struct block *blocks;

/* Memory that the driver keeps, see memory_new(). */
struct object {
    struct object *previous, *next;
    max_align_t bytes[];
};

static struct object *objects;

void *memory_new(size_t size)
{
    struct object *object = calloc(1, sizeof *object + size);
    if (!object)
        abort();
    pthread_mutex_lock(&driver_lock);
    object->next = objects;
    if (objects)
        objects->previous = object;
    objects = object;
    pthread_mutex_unlock(&driver_lock);
    return object->bytes;
}

void memory_free(void *bytes)
{
    struct object *object = (void *)((char *)bytes - offsetof(struct object, bytes));
    pthread_mutex_lock(&driver_lock);
    if (object->previous)
        object->previous->next = object->next;
    else
        objects = object->next;
    if (object->next)
        object->next->previous = object->previous;
    pthread_mutex_unlock(&driver_lock);
    free(object);
}

bool memory_is_device(const void *data, size_t size)
{
    for (const struct block *block = blocks; block; block = block->next) {
        const char *first = (const char *)block->bytes;
        const char *at = data;
        if (at >= first && at <= first + block->size && size <= block->size - (size_t)(at - first))
            return true;
    }
    return false;
}

CUresult CUDAAPI cuMemAlloc_v2(CUdeviceptr *dptr, size_t bytesize)
{
    const CUresult ready = driver_ready();
    if (ready != CUDA_SUCCESS)
        return ready;
    if (bytesize == 0)
        return CUDA_ERROR_INVALID_VALUE;
    struct block *block = calloc(1, sizeof *block + bytesize);
    if (!block)
        return CUDA_ERROR_OUT_OF_MEMORY;
    block->size = bytesize;
    pthread_mutex_lock(&driver_lock);
    block->next = blocks;
    blocks = block;
    pthread_mutex_unlock(&driver_lock);
    *dptr = (CUdeviceptr)block->bytes;
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuMemFree_v2(CUdeviceptr dptr)
{
    CUresult result = driver_ready();
    if (result != CUDA_SUCCESS || dptr == 0)
        return result;
    result = context_synchronize(context_current());
    if (result != CUDA_SUCCESS)
        return result;
    pthread_mutex_lock(&driver_lock);
    struct block **link = &blocks;
    while (*link && (CUdeviceptr)(*link)->bytes != dptr)
        link = &(*link)->next;
    struct block *found = *link;
    if (found)
        *link = found->next;
    pthread_mutex_unlock(&driver_lock);
    free(found);
    return found ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* Checks that the bytes are in device memory. Copies and fills wait for the kernels before them. */
static CUresult ready_for(CUdeviceptr address, size_t size)
{
    const CUresult ready = driver_ready();
    if (ready != CUDA_SUCCESS)
        return ready;
    pthread_mutex_lock(&driver_lock);
    const bool is_there = memory_is_device((const void *)address, size);
    pthread_mutex_unlock(&driver_lock);
    return is_there ? context_synchronize(context_current()) : CUDA_ERROR_INVALID_VALUE;
}

static CUresult moved(CUresult result, size_t bytes, bool is_copy)
{
    if (result == CUDA_SUCCESS)
        TELL(moved, bytes, is_copy);
    return result;
}

CUresult CUDAAPI cuMemcpyHtoD_v2(CUdeviceptr dstDevice, const void *srcHost, size_t ByteCount)
{
    const CUresult ready = ready_for(dstDevice, ByteCount);
    if (ready == CUDA_SUCCESS)
        memcpy((void *)dstDevice, srcHost, ByteCount);
    return moved(ready, ByteCount, true);
}

CUresult CUDAAPI cuMemcpyDtoH_v2(void *dstHost, CUdeviceptr srcDevice, size_t ByteCount)
{
    const CUresult ready = ready_for(srcDevice, ByteCount);
    if (ready == CUDA_SUCCESS)
        memcpy(dstHost, (const void *)srcDevice, ByteCount);
    return moved(ready, ByteCount, true);
}

CUresult CUDAAPI cuMemcpyDtoD_v2(CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount)
{
    CUresult ready = ready_for(dstDevice, ByteCount);
    if (ready == CUDA_SUCCESS)
        ready = ready_for(srcDevice, ByteCount);
    if (ready == CUDA_SUCCESS)
        memmove((void *)dstDevice, (const void *)srcDevice, ByteCount);
    return moved(ready, ByteCount, true);
}

CUresult CUDAAPI cuMemsetD32_v2(CUdeviceptr dstDevice, unsigned ui, size_t N)
{
    const CUresult ready = ready_for(dstDevice, N * sizeof ui);
    for (size_t i = 0; ready == CUDA_SUCCESS && i < N; i++)
        ((unsigned *)dstDevice)[i] = ui;
    return moved(ready, N * sizeof ui, false);
}
