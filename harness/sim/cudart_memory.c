/* Memory of every kind is device memory here (device_memory.h). That includes pinned and managed memory, which kernels
 * may access. Copies and fills outside of an allocation are refused, as on a GPU. */
#include "runtime.h"

#include "base/base.h"

#include "device_memory.h"
#include "gpu.h"
#include "inputs.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define PITCH 512 /* rows of cudaMallocPitch begin at multiples of this many bytes */

struct block {
    void *memory;
    size_t size;
    enum cudaMemoryType type;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct block *blocks;
static size_t block_count;
static size_t used;

/* ---- Allocations ---- */

static cudaError_t allocate(void **memory, size_t size, enum cudaMemoryType type)
{
    const cudaError_t error = runtime_lost();
    if (error != cudaSuccess)
        return error;
    if (!memory)
        return runtime_return(cudaErrorInvalidValue);
    *memory = NULL;
    if (size == 0)
        return cudaSuccess;
    pthread_mutex_lock(&lock);
    const size_t most = (size_t)runtime_gpu()->memory_bytes;
    void *made = size <= most && (type == cudaMemoryTypeHost || used <= most - size) ? device_allocate(size) : NULL;
    if (made) {
        *ARRAY_GROW(blocks, block_count) = (struct block){made, size, type};
        used += type == cudaMemoryTypeHost ? 0 : size;
    }
    pthread_mutex_unlock(&lock);
    if (made)
        inputs_add(INPUT_ALLOCATED, (const uint64_t[]){(uintptr_t)made, size}, 2, NULL, 0);
    if (made && type != cudaMemoryTypeDevice)
        inputs_hide();
    *memory = made;
    return made ? cudaSuccess : runtime_return(cudaErrorMemoryAllocation);
}

static cudaError_t release(void *memory)
{
    const cudaError_t error = runtime_lost();
    if (error != cudaSuccess || !memory)
        return error;
    pthread_mutex_lock(&lock);
    size_t i = 0;
    while (i < block_count && blocks[i].memory != memory)
        i++;
    const bool known = i < block_count && device_free(memory);
    if (known) {
        used -= blocks[i].type == cudaMemoryTypeHost ? 0 : blocks[i].size;
        blocks[i] = blocks[--block_count];
    }
    pthread_mutex_unlock(&lock);
    if (known)
        inputs_add(INPUT_FREED, (const uint64_t[]){(uintptr_t)memory}, 1, NULL, 0);
    return known ? cudaSuccess : runtime_return(cudaErrorInvalidValue);
}

cudaError_t cudaMalloc(void **memory, size_t size)
{
    return allocate(memory, size, cudaMemoryTypeDevice);
}

cudaError_t cudaMallocAsync(void **memory, size_t size, cudaStream_t stream)
{
    (void)stream;
    return allocate(memory, size, cudaMemoryTypeDevice);
}
ALSO(cudaMallocAsync, _ptsz);

cudaError_t cudaMallocManaged(void **memory, size_t size, unsigned flags)
{
    (void)flags;
    return allocate(memory, size, cudaMemoryTypeManaged);
}

cudaError_t cudaMallocHost(void **memory, size_t size)
{
    return allocate(memory, size, cudaMemoryTypeHost);
}

cudaError_t cudaHostAlloc(void **memory, size_t size, unsigned flags)
{
    (void)flags;
    return allocate(memory, size, cudaMemoryTypeHost);
}

cudaError_t cudaMallocPitch(void **memory, size_t *pitch, size_t width, size_t height)
{
    if (!pitch || width > SIZE_MAX - PITCH || (height > 0 && (width + PITCH) > SIZE_MAX / height))
        return runtime_return(cudaErrorInvalidValue);
    *pitch = (width + PITCH - 1) / PITCH * PITCH;
    return allocate(memory, *pitch * height, cudaMemoryTypeDevice);
}

cudaError_t cudaFree(void *memory)
{
    return release(memory);
}

cudaError_t cudaFreeAsync(void *memory, cudaStream_t stream)
{
    (void)stream;
    return release(memory);
}
ALSO(cudaFreeAsync, _ptsz);

cudaError_t cudaFreeHost(void *memory)
{
    return release(memory);
}

/* Frees everything that the program allocated. Its modules stay. */
cudaError_t cudaDeviceReset(void)
{
    while (block_count > 0)
        if (release(blocks[block_count - 1].memory) != cudaSuccess)
            break;
    return runtime_lost();
}

cudaError_t cudaMemGetInfo(size_t *left, size_t *total)
{
    *total = (size_t)runtime_gpu()->memory_bytes;
    *left = *total - used;
    return runtime_lost();
}

cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned flags)
{
    struct allocation allocation;
    (void)flags;
    const cudaError_t error = runtime_lost();
    if (error != cudaSuccess)
        return error;
    if (!device_find((uint64_t)(uintptr_t)host, &allocation))
        return runtime_return(cudaErrorInvalidValue);
    *device = host;
    return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *pointer)
{
    struct allocation allocation;
    const cudaError_t error = runtime_lost();
    if (error != cudaSuccess)
        return error;
    *attributes = (struct cudaPointerAttributes){.type = cudaMemoryTypeUnregistered, .device = -2};
    if (!device_find((uint64_t)(uintptr_t)pointer, &allocation)) {
        attributes->hostPointer = (void *)pointer;
        return cudaSuccess;
    }
    attributes->type = cudaMemoryTypeDevice; /* for variables, too */
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < block_count; i++)
        if ((uint64_t)(uintptr_t)blocks[i].memory == allocation.begin)
            attributes->type = blocks[i].type;
    pthread_mutex_unlock(&lock);
    attributes->device = 0;
    attributes->devicePointer = (void *)pointer;
    attributes->hostPointer = attributes->type == cudaMemoryTypeDevice ? NULL : (void *)pointer;
    return cudaSuccess;
}

/* Does nothing: where managed memory lies changes no count. */
cudaError_t cudaMemPrefetchAsync(const void *memory, size_t size, struct cudaMemLocation location, unsigned flags,
                                 cudaStream_t stream)
{
    (void)memory, (void)size, (void)location, (void)flags, (void)stream;
    return runtime_lost();
}
ALSO(cudaMemPrefetchAsync, _ptsz);

cudaError_t cudaMemAdvise(const void *memory, size_t size, enum cudaMemoryAdvise advice,
                          struct cudaMemLocation location)
{
    (void)memory, (void)size, (void)advice, (void)location;
    return runtime_lost();
}

/* ---- Copies ---- */

/* A rectangle of rows. A range of bytes is one row. */
struct rows {
    size_t pitch, width, height;
};

static bool is_device(const void *memory, const struct rows *rows)
{
    struct allocation allocation;
    const uint64_t begin = (uint64_t)(uintptr_t)memory;
    if (!device_find(begin, &allocation) || rows->width > allocation.end - begin)
        return false;
    return rows->height == 1 || rows->height - 1 <= (allocation.end - begin - rows->width) / rows->pitch;
}

static void add_rows(const struct rows *rows)
{
    inputs_add(INPUT_ROWS, (const uint64_t[]){rows->pitch, rows->width, rows->height}, 3, NULL, 0);
}

/* Adds a copy to the inputs. After a copy to the host, inputs are unknown, since the host may act upon what it reads.
 */
static void add_copy(const void *to, const struct rows *to_rows, const void *from, const struct rows *from_rows)
{
    const bool from_device = is_device(from, from_rows);
    if (!is_device(to, to_rows)) {
        if (from_device)
            inputs_hide();
        return;
    }
    inputs_add(INPUT_COPIED, (const uint64_t[]){(uintptr_t)to, from_device ? (uintptr_t)from : 0}, 2, NULL, 0);
    add_rows(to_rows);
    add_rows(from_rows);
    for (size_t row = 0; row < to_rows->height && !from_device; row++)
        inputs_add(INPUT_BYTES, NULL, 0, (const char *)from + row * from_rows->pitch, to_rows->width);
}

static cudaError_t copy(void *to, const struct rows *to_rows, const void *from, const struct rows *from_rows,
                        enum cudaMemcpyKind kind)
{
    const cudaError_t error = runtime_lost();
    if (error != cudaSuccess || to_rows->width == 0 || to_rows->height == 0)
        return error;
    if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault)
        return runtime_return(cudaErrorInvalidMemcpyDirection);
    if (to_rows->height > 1 && (to_rows->width > to_rows->pitch || from_rows->width > from_rows->pitch))
        return runtime_return(cudaErrorInvalidPitchValue);
    const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    if (!to || !from || (to_device && !is_device(to, to_rows)) || (from_device && !is_device(from, from_rows)))
        return runtime_return(cudaErrorInvalidValue);
    add_copy(to, to_rows, from, from_rows);
    for (size_t row = 0; row < to_rows->height; row++)
        memmove((char *)to + row * to_rows->pitch, (const char *)from + row * from_rows->pitch, to_rows->width);
    return cudaSuccess;
}

static cudaError_t copy_bytes(void *to, const void *from, size_t size, enum cudaMemcpyKind kind)
{
    const struct rows rows = {size, size, 1};
    return copy(to, &rows, from, &rows, kind);
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t size, enum cudaMemcpyKind kind)
{
    return copy_bytes(to, from, size, kind);
}
ALSO(cudaMemcpy, _ptds);

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t size, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    (void)stream;
    return copy_bytes(to, from, size, kind);
}
ALSO(cudaMemcpyAsync, _ptsz);

cudaError_t cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t size)
{
    if (to_device != 0 || from_device != 0)
        return runtime_return(cudaErrorInvalidDevice);
    return copy_bytes(to, from, size, cudaMemcpyDeviceToDevice);
}

cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device, size_t size,
                                cudaStream_t stream)
{
    (void)stream;
    return cudaMemcpyPeer(to, to_device, from, from_device, size);
}

cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
                         enum cudaMemcpyKind kind)
{
    return copy(to, &(struct rows){to_pitch, width, height}, from, &(struct rows){from_pitch, width, height}, kind);
}
ALSO(cudaMemcpy2D, _ptds);

cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                              size_t height, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    (void)stream;
    return cudaMemcpy2D(to, to_pitch, from, from_pitch, width, height, kind);
}
ALSO(cudaMemcpy2DAsync, _ptsz);

/* Finds the place of some bytes in a variable. */
static cudaError_t inside_variable(unsigned char **place, const void *symbol, size_t size, size_t offset)
{
    struct variable *variable;
    cudaError_t error = runtime_lost();
    if (error != cudaSuccess || (error = runtime_variable(&variable, symbol)) != cudaSuccess)
        return error;
    if (offset > variable->size || size > variable->size - offset)
        return runtime_return(cudaErrorInvalidValue);
    *place = variable->address + offset;
    return cudaSuccess;
}

cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from, size_t size, size_t offset,
                               enum cudaMemcpyKind kind)
{
    unsigned char *place = NULL;
    const cudaError_t error = inside_variable(&place, symbol, size, offset);
    return error == cudaSuccess ? copy_bytes(place, from, size, kind) : error;
}
ALSO(cudaMemcpyToSymbol, _ptds);

cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t size, size_t offset,
                                    enum cudaMemcpyKind kind, cudaStream_t stream)
{
    (void)stream;
    return cudaMemcpyToSymbol(symbol, from, size, offset, kind);
}
ALSO(cudaMemcpyToSymbolAsync, _ptsz);

cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t size, size_t offset, enum cudaMemcpyKind kind)
{
    unsigned char *place = NULL;
    const cudaError_t error = inside_variable(&place, symbol, size, offset);
    return error == cudaSuccess ? copy_bytes(to, place, size, kind) : error;
}
ALSO(cudaMemcpyFromSymbol, _ptds);

cudaError_t cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t size, size_t offset,
                                      enum cudaMemcpyKind kind, cudaStream_t stream)
{
    (void)stream;
    return cudaMemcpyFromSymbol(to, symbol, size, offset, kind);
}
ALSO(cudaMemcpyFromSymbolAsync, _ptsz);

/* ---- Fills ---- */

static cudaError_t fill(void *memory, const struct rows *rows, int value)
{
    const cudaError_t error = runtime_lost();
    if (error != cudaSuccess || rows->width == 0 || rows->height == 0)
        return error;
    if (rows->height > 1 && rows->width > rows->pitch)
        return runtime_return(cudaErrorInvalidPitchValue);
    if (!is_device(memory, rows))
        return runtime_return(cudaErrorInvalidValue);
    inputs_add(INPUT_FILLED, (const uint64_t[]){(uintptr_t)memory, (unsigned char)value}, 2, NULL, 0);
    add_rows(rows);
    for (size_t row = 0; row < rows->height; row++)
        memset((char *)memory + row * rows->pitch, value, rows->width);
    return cudaSuccess;
}

cudaError_t cudaMemset(void *memory, int value, size_t size)
{
    return fill(memory, &(struct rows){size, size, 1}, value);
}
ALSO(cudaMemset, _ptds);

cudaError_t cudaMemsetAsync(void *memory, int value, size_t size, cudaStream_t stream)
{
    (void)stream;
    return fill(memory, &(struct rows){size, size, 1}, value);
}
ALSO(cudaMemsetAsync, _ptsz);

cudaError_t cudaMemset2D(void *memory, size_t pitch, int value, size_t width, size_t height)
{
    return fill(memory, &(struct rows){pitch, width, height}, value);
}
ALSO(cudaMemset2D, _ptds);

cudaError_t cudaMemset2DAsync(void *memory, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream)
{
    (void)stream;
    return fill(memory, &(struct rows){pitch, width, height}, value);
}
ALSO(cudaMemset2DAsync, _ptsz);
