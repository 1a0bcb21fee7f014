/* Copies and fills. Those outside of an allocation are refused, as on a GPU. */

#include "array.h"
#include "function_launch.h"
#include "graph.h"
#include "inputs.h"

#include <sys/mman.h>

/* ---- Copies ---- */

/* A rectangle of rows. A range of bytes is one row. */
struct rows {
    size_t pitch, width, height;
};

static bool is_device(const void *memory, const struct rows *rows)
{
    struct allocation allocation;
    const uint64_t begin = (uint64_t)(uintptr_t)memory;
    if (!runtime_find(begin, &allocation) || rows->width > allocation.end - begin)
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

bool operation_races(const void *memory, size_t width, bool writes, const void *others, const char *name)
{
    struct runtime *runtime = runtime_now();
    struct problem problem, whole;
    pthread_mutex_lock(&runtime->launching);
    stream_races_begin(runtime->machine, stream_operation(), name);
    const bool race = stream_races_bytes(runtime->machine, (uintptr_t)memory, width, writes, others, &problem);
    pthread_mutex_unlock(&runtime->launching);
    if (race)
        runtime_fault(FAULT_OTHER, (problem_set(&whole, "%s %s", name, problem.text), whole.text));
    return race;
}

static void move_row(void *to, const void *from, size_t width)
{
    struct allocation allocation;
    function_settle(to, width, false);
    function_settle(from, width, true);
    if (operation_races(from, width, false, NULL, "a copy") ||
        operation_races(to, width, true, runtime_bytes(from), "a copy"))
        return;
    outcomes_will_change(runtime_machine(), (uintptr_t)to, width);
    runtime_machine()->changes += runtime_find((uintptr_t)to, &allocation);
    operation_copies(to, from, width);
}

/* Copies rows of bytes between memory that is no array. */
static cudaError_t copy_rows(void *to, const struct rows *to_rows, const void *from, const struct rows *from_rows,
                             enum cudaMemcpyKind kind)
{
    if (to_rows->width == 0 || to_rows->height == 0)
        return cudaSuccess;
    REFUSE(kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault, cudaErrorInvalidMemcpyDirection);
    if (to_rows->height > 1 && (to_rows->width > to_rows->pitch || from_rows->width > from_rows->pitch))
        return runtime_return(cudaErrorInvalidPitchValue);
    const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    if (!to || !from || (to_device && !is_device(to, to_rows)) || (from_device && !is_device(from, from_rows)))
        return runtime_return(cudaErrorInvalidValue);
    add_copy(to, to_rows, from, from_rows);
    const bool leaves = kind == cudaMemcpyDeviceToDevice && inputs_suffice(to_rows->width * to_rows->height);
    for (size_t row = 0; row < to_rows->height && !leaves; row++)
        move_row((char *)to + row * to_rows->pitch, (const char *)from + row * from_rows->pitch, to_rows->width);
    return cudaSuccess;
}

/* For <cugate/arrays.hpp>, which declares it. */
__attribute__((visibility("default"))) size_t cugateWritten(const void *memory, size_t bytes, size_t *ranges,
                                                            size_t most);
size_t cugateWritten(const void *memory, size_t bytes, size_t *ranges, size_t most)
{
    return grid_written(runtime_machine(), (uintptr_t)memory, bytes, ranges, most);
}

/* ---- Copies in three dimensions, which all others are a kind of ---- */

/* One side of such a copy. */
struct side {
    unsigned char *start;
    size_t pitch, slice; /* bytes from row to row, and from slice to slice */
    bool is_array;
};

/* Finds a side; extent is in elements of `element` bytes. False: it leaves the array. */
static bool find_side(struct side *side, const struct cudaArray *array, struct cudaPos at, struct cudaPitchedPtr memory,
                      struct cudaExtent extent)
{
    if (!array) {
        side->pitch = memory.pitch;
        side->slice = memory.pitch * memory.ysize;
        side->start = (unsigned char *)memory.ptr + at.z * side->slice + at.y * side->pitch + at.x;
        side->is_array = false;
        return true;
    }
    side->pitch = array->width * array->element;
    side->slice = side->pitch * array_rows(array);
    side->start = array->texels + at.z * side->slice + at.y * side->pitch + at.x * array->element;
    side->is_array = true;
    return at.x <= array->width && extent.width <= array->width - at.x && at.y <= array_rows(array) &&
           extent.height <= array_rows(array) - at.y && at.z <= array_slices(array) &&
           extent.depth <= array_slices(array) - at.z;
}

/* Copies one slice of which a side is an array. */
static cudaError_t copy_array_rows(const struct side *to, const struct side *from, size_t width, size_t height)
{
    REFUSE(!to->start || !from->start, cudaErrorInvalidValue);
    REFUSE(height > 1 && (width > to->pitch || width > from->pitch), cudaErrorInvalidPitchValue);
    for (size_t row = 0; row < height; row++)
        move_row(to->start + row * to->pitch, from->start + row * from->pitch, width);
    return cudaSuccess;
}

/* Whether the GPU takes part in a copy: some bytes of it are in an array, or in the GPU's memory. */
static bool is_work(const struct cudaMemcpy3DParms *copy)
{
    const struct rows one = {.width = 1, .height = 1};
    return copy->extent.width * copy->extent.height * copy->extent.depth > 0 &&
           (copy->dstArray || copy->srcArray || is_device(copy->dstPtr.ptr, &one) || is_device(copy->srcPtr.ptr, &one));
}

/* Counts bytes of a copy from or to memory of the host. */
static void count_host_bytes(const struct cudaMemcpy3DParms *copy, size_t bytes)
{
    bool host = false, pageable = false;
    for (unsigned i = 0; i < 2; i++) {
        struct allocation found;
        const uint64_t at = (uintptr_t)(i ? copy->dstPtr.ptr : copy->srcPtr.ptr);
        if (i ? copy->dstArray : copy->srcArray)
            continue;
        const bool known = runtime_find(at, &found);
        pageable |= !known;
        if (i && !known)
            operation_seen(); /* the call returns when it is done */
        host |= !known || device_home(runtime_machine(), at, &found) == HOME_HOST;
    }
    atomic_fetch_add(&runtime_now()->work.host_copy_bytes, host ? bytes : 0);
    atomic_fetch_add(&runtime_now()->work.pageable_copy_bytes, pageable ? bytes : 0);
}

cudaError_t runtime_copy(const struct cudaMemcpy3DParms *copy)
{
    struct side to, from;
    const struct cudaExtent extent = copy->extent;
    const struct cudaArray *array = copy->dstArray ? copy->dstArray : copy->srcArray;
    cudaError_t error = runtime_lost();
    if (error != cudaSuccess)
        return error;
    if (copy->srcArray && copy->dstArray && copy->srcArray->element != copy->dstArray->element)
        return runtime_return(cudaErrorInvalidValue);
    if (!find_side(&to, copy->dstArray, copy->dstPos, copy->dstPtr, extent) ||
        !find_side(&from, copy->srcArray, copy->srcPos, copy->srcPtr, extent))
        return runtime_return(cudaErrorInvalidValue);
    const size_t width = extent.width * (array ? array->element : 1);
    const struct rows to_rows = {to.pitch, width, extent.height}, from_rows = {from.pitch, width, extent.height};
    for (size_t z = 0; z < extent.depth && error == cudaSuccess; z++) {
        error = array ? copy_array_rows(&to, &from, width, extent.height)
                      : copy_rows(to.start, &to_rows, from.start, &from_rows, copy->kind);
        to.start += to.slice;
        from.start += from.slice;
    }
    if (error == cudaSuccess && is_work(copy)) {
        atomic_fetch_add(&runtime_now()->work.copies, 1);
        atomic_fetch_add(&runtime_now()->work.copy_bytes, width * extent.height * extent.depth);
        atomic_fetch_add(&runtime_now()->work.copy_rows, array ? 0 : extent.height * extent.depth - 1);
        count_host_bytes(copy, width * extent.height * extent.depth);
        runtime_pass_bytes(width * extent.height * extent.depth);
    }
    return error;
}

static cudaError_t run_copy(const struct node_work *work)
{
    return runtime_copy(&work->copy);
}

const struct node_kind node_copy = {.type = cudaGraphNodeTypeMemcpy, .run = run_copy};

cudaError_t runtime_copy_in(cudaStream_t stream, const struct cudaMemcpy3DParms *copy)
{
    cudaGraph_t graph = stream_graph(stream);
    CUDA_TRY(stream_lost(stream));
    if (graph) {
        graph_capture(stream, &(struct node_work){.kind = &node_copy, .copy = *copy});
        return cudaSuccess;
    }
    stream_begins(stream);
    const cudaError_t error = runtime_copy(copy);
    stream_copies(stream);
    return error;
}

RUNTIME(cudaMemcpy3D, (const struct cudaMemcpy3DParms *copy),
        copy ? runtime_waited(runtime_copy_in(NULL, copy), copy->kind) : runtime_return(cudaErrorInvalidValue))
RUNTIME(cudaMemcpy3DAsync, (const struct cudaMemcpy3DParms *copy, cudaStream_t stream),
        copy ? runtime_copy_in(stream, copy) : runtime_return(cudaErrorInvalidValue))

/* ---- Copies of bytes and of rectangles ---- */

cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                              size_t height, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    const struct cudaMemcpy3DParms copy = {.dstPtr = {to, to_pitch, width, height},
                                           .srcPtr = {(void *)from, from_pitch, width, height},
                                           .extent = {width, height, 1},
                                           .kind = kind};
    return runtime_copy_in(stream, &copy);
}

RUNTIME(cudaMemcpy2D,
        (void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
         enum cudaMemcpyKind kind),
        runtime_waited(cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, height, kind, NULL), kind))

struct cudaMemcpy3DParms runtime_copy_of(void *to, const void *from, size_t size, enum cudaMemcpyKind kind)
{
    return (struct cudaMemcpy3DParms){
        .dstPtr = {to, size, size, 1}, .srcPtr = {(void *)from, size, size, 1}, .extent = {size, 1, 1}, .kind = kind};
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t size, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    const struct cudaMemcpy3DParms copy = runtime_copy_of(to, from, size, kind);
    return runtime_copy_in(stream, &copy);
}

RUNTIME(cudaMemcpy, (void *to, const void *from, size_t size, enum cudaMemcpyKind kind),
        runtime_waited(cudaMemcpyAsync(to, from, size, kind, NULL), kind))

RUNTIME(cudaMemcpyPeerAsync,
        (void *to, int to_device, const void *from, int from_device, size_t size, cudaStream_t stream),
        to_device != 0 || from_device != 0 ? runtime_return(cudaErrorInvalidDevice)
                                           : cudaMemcpyAsync(to, from, size, cudaMemcpyDeviceToDevice, stream))

RUNTIME(cudaMemcpyPeer, (void *to, int to_device, const void *from, int from_device, size_t size),
        cudaMemcpyPeerAsync(to, to_device, from, from_device, size, NULL))

cudaError_t runtime_place(void **place, const void *symbol, size_t size, size_t offset)
{
    struct variable *variable;
    CUDA_TRY(runtime_variable(&variable, symbol));
    REFUSE(offset > variable->size || size > variable->size - offset, cudaErrorInvalidValue);
    *place = runtime_pointer(variable->address + offset);
    return cudaSuccess;
}

cudaError_t cudaGetSymbolAddress(void **address, const void *symbol)
{
    CUDA_TRY(runtime_place(address, symbol, 0, 0));
    function_settle(NULL, 0, false); /* it may be a constant, which blocks read without an access to memory */
    grid_leave_none(runtime_machine());
    return cudaSuccess;
}

cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t size, size_t offset,
                                    enum cudaMemcpyKind kind, cudaStream_t stream)
{
    void *place = NULL;
    const cudaError_t error = runtime_place(&place, symbol, size, offset);
    function_settle(NULL, 0, false); /* it may be a constant, which blocks read without an access to memory */
    return error == cudaSuccess ? cudaMemcpyAsync(place, from, size, kind, stream) : error;
}

RUNTIME(cudaMemcpyToSymbol,
        (const void *symbol, const void *from, size_t size, size_t offset, enum cudaMemcpyKind kind),
        runtime_waited(cudaMemcpyToSymbolAsync(symbol, from, size, offset, kind, NULL), kind))

cudaError_t cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t size, size_t offset,
                                      enum cudaMemcpyKind kind, cudaStream_t stream)
{
    void *place = NULL;
    const cudaError_t error = runtime_place(&place, symbol, size, offset);
    return error == cudaSuccess ? cudaMemcpyAsync(to, place, size, kind, stream) : error;
}

RUNTIME(cudaMemcpyFromSymbol, (void *to, const void *symbol, size_t size, size_t offset, enum cudaMemcpyKind kind),
        runtime_waited(cudaMemcpyFromSymbolAsync(to, symbol, size, offset, kind, NULL), kind))

/* ---- Fills ---- */

enum { LAZY_BYTES = 16 << 20 };

/* Elements are little-endian, as the GPU's are. Zeros of much memory take none of this machine's until they are read.
 */
static void set_row(uint64_t address, unsigned char *row, unsigned value, unsigned element, size_t width)
{
    const size_t page = 4096, before = (page - (uintptr_t)row % page) % page;
    const size_t whole = width > LAZY_BYTES ? (width - before) / page * page : 0;
    if (whole > 0 && value == 0 && address - DEVICE_FIRST < DEVICE_SPAN &&
        madvise(row + before, whole, MADV_DONTNEED) == 0) {
        memset(row, 0, before);
        memset(row + before + whole, 0, width - before - whole);
    } else if (element == 1)
        memset(row, (int)value, width);
    else
        for (size_t i = 0; i < width; i++)
            row[i] = (unsigned char)(value >> 8 * (i % element));
}

static cudaError_t fill_rows(const struct cudaMemsetParams *fill)
{
    const cudaError_t error = runtime_lost();
    if (error != cudaSuccess || fill->width == 0 || fill->height == 0)
        return error;
    const unsigned element = fill->elementSize;
    REFUSE((element != 1 && element != 2 && element != 4) || fill->width > SIZE_MAX / element, cudaErrorInvalidValue);
    const struct rows rows = {fill->pitch, fill->width * element, fill->height};
    const unsigned value = element < 4 ? fill->value & ((1u << 8 * element) - 1) : fill->value;
    REFUSE(rows.height > 1 && rows.width > rows.pitch, cudaErrorInvalidPitchValue);
    REFUSE(!is_device(fill->dst, &rows), cudaErrorInvalidValue);
    inputs_add(INPUT_FILLED, (const uint64_t[]){(uintptr_t)fill->dst, value, element}, 3, NULL, 0);
    add_rows(&rows);
    for (size_t i = 0; i < rows.height && !inputs_suffice(rows.width * rows.height); i++) {
        char *row = (char *)fill->dst + i * rows.pitch;
        function_settle(row, rows.width, false);
        if (operation_races(row, rows.width, true, NULL, "a fill"))
            break;
        copies_arrive_at(runtime_bytes(row), rows.width);
        outcomes_will_change(runtime_machine(), (uintptr_t)row, rows.width);
        runtime_machine()->changes++;
        set_row((uintptr_t)row, runtime_bytes(row), value, element, rows.width);
    }
    atomic_fetch_add(&runtime_now()->work.fills, 1);
    atomic_fetch_add(&runtime_now()->work.fill_bytes, rows.width * rows.height);
    runtime_pass_bytes(rows.width * rows.height);
    return cudaSuccess;
}

static cudaError_t run_fill(const struct node_work *work)
{
    return fill_rows(&work->fill);
}

const struct node_kind node_fill = {.type = cudaGraphNodeTypeMemset, .run = run_fill};

cudaError_t runtime_fill_in(cudaStream_t stream, const struct cudaMemsetParams *fill)
{
    cudaGraph_t graph = stream_graph(stream);
    const cudaError_t error = stream_lost(stream);
    if (!graph)
        return error == cudaSuccess ? (stream_begins(stream), fill_rows(fill)) : error;
    graph_capture(stream, &(struct node_work){.kind = &node_fill, .fill = *fill});
    return cudaSuccess;
}

RUNTIME(cudaMemset2DAsync, (void *memory, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream),
        runtime_fill_in(stream, &(struct cudaMemsetParams){memory, pitch, (unsigned)value, 1, width, height}))
RUNTIME(cudaMemset2D, (void *memory, size_t pitch, int value, size_t width, size_t height),
        cudaMemset2DAsync(memory, pitch, value, width, height, NULL))
RUNTIME(cudaMemsetAsync, (void *memory, int value, size_t size, cudaStream_t stream),
        cudaMemset2DAsync(memory, size, value, size, 1, stream))
RUNTIME(cudaMemset, (void *memory, int value, size_t size), cudaMemsetAsync(memory, value, size, NULL))

cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr memory, int value, struct cudaExtent extent, cudaStream_t stream)
{
    cudaError_t error = runtime_lost();
    for (size_t z = 0; z < extent.depth && error == cudaSuccess; z++)
        error = cudaMemset2DAsync((char *)memory.ptr + z * memory.pitch * memory.ysize, memory.pitch, value,
                                  extent.width, extent.height, stream);
    return error;
}

RUNTIME(cudaMemset3D, (struct cudaPitchedPtr memory, int value, struct cudaExtent extent),
        cudaMemset3DAsync(memory, value, extent, NULL))
