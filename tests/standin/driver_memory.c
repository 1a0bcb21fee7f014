#include "driver.h"

#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

/* A block of device memory, which is the process's own. Blocks are in a list, so that wrong addresses are recognised.
 */
struct block {
    struct block *next;
    size_t size;
    char *bytes;
    struct memory_kind kind;
};

static struct block *blocks;

/* As the real one: addresses differ from process to process, and reserving takes whole blocks of 32 MiB. */
enum { STEP = 512 };

static char *next_block, *region_end;

/* Returns size bytes of zeros at an address that no file or heap of this process is near; NULL: there are none. */
static char *take(size_t size)
{
    static uint64_t next_region;
    const size_t length = (size + STEP - 1) / STEP * STEP;
    if (!next_region) {
        uint16_t turn = 0;
        if (getrandom(&turn, sizeof turn, 0) != sizeof turn)
            return NULL;
        next_region = 0x700000000000 + ((uint64_t)turn << 26);
    }
    if (length > (size_t)(region_end - next_block)) {
        const size_t whole = (length + RESERVED - 1) / RESERVED * RESERVED;
        char *region = mmap((void *)next_region, whole, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
        if (region == MAP_FAILED)
            return NULL;
        if (whole > RESERVED)
            madvise(region, whole, MADV_HUGEPAGE);
        next_region += whole;
        next_block = region;
        region_end = region + whole;
    }
    char *bytes = next_block;
    next_block += length;
    return bytes;
}

bool memory_add(char *bytes, size_t size, struct memory_kind kind)
{
    struct block *block = malloc(sizeof *block);
    if (!block)
        return false;
    pthread_mutex_lock(&driver_lock);
    *block = (struct block){.next = blocks, .size = size, .bytes = bytes, .kind = kind};
    blocks = block;
    pthread_mutex_unlock(&driver_lock);
    return true;
}

size_t memory_remove(CUdeviceptr address)
{
    pthread_mutex_lock(&driver_lock);
    struct block **link = &blocks;
    while (*link && (CUdeviceptr)(*link)->bytes != address)
        link = &(*link)->next;
    struct block *found = *link;
    if (found)
        *link = found->next;
    pthread_mutex_unlock(&driver_lock);
    const size_t size = found ? found->size : 0;
    free(found);
    return size;
}

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

/* Returns the block that has that byte, or that ends there, if none does. */
static const struct block *block_at(const char *at)
{
    const struct block *behind = NULL;
    for (const struct block *block = blocks; block; block = block->next) {
        if (at >= block->bytes && at < block->bytes + block->size)
            return block;
        if (at == block->bytes + block->size)
            behind = block;
    }
    return behind;
}

/* They may lie in several blocks, where what is mapped touches. */
bool memory_is_device(const void *data, size_t size)
{
    for (const char *at = data;;) {
        const struct block *block = block_at(at);
        if (!block)
            return false;
        const size_t there = block->size - (size_t)(at - block->bytes);
        if (size <= there)
            return true;
        if (there == 0)
            return false;
        at += there;
        size -= there;
    }
}

static int current_device(void)
{
    const CUcontext context = context_current();
    return context ? context_device(context) : 0;
}

static CUresult allocate(CUdeviceptr *address, size_t size, struct memory_kind kind)
{
    READY();
    REFUSE(size == 0, CUDA_ERROR_INVALID_VALUE);
    pthread_mutex_lock(&driver_lock);
    char *bytes = take(size);
    pthread_mutex_unlock(&driver_lock);
    REFUSE(!bytes || !memory_add(bytes, size, kind), CUDA_ERROR_OUT_OF_MEMORY);
    *address = (CUdeviceptr)bytes;
    return CUDA_SUCCESS;
}

SEEN(cuMemAlloc_v2, (CUdeviceptr * dptr, size_t bytesize),
     allocate(dptr, bytesize, (struct memory_kind){.device = current_device()}), dptr, bytesize)

SEEN(cuMemAllocAsync, (CUdeviceptr * dptr, size_t bytesize, CUstream hStream),
     allocate(dptr, bytesize, (struct memory_kind){.device = current_device()}), dptr, bytesize, hStream)

SEEN(cuMemAllocManaged, (CUdeviceptr * dptr, size_t bytesize, unsigned flags),
     allocate(dptr, bytesize, (struct memory_kind){.device = current_device(), .is_managed = true}), dptr, bytesize,
     flags)

/* The GPU reaches memory of the host at the host's own addresses. */
CUresult CUDAAPI cuMemHostAlloc(void **pp, size_t bytesize, unsigned Flags)
{
    const cuMemHostAlloc_params params = {pp, bytesize, Flags};
    struct standin_call call = CALL(cuMemHostAlloc, &params, NULL);
    CUdeviceptr address = 0;
    driver_enter(&call);
    const CUresult result =
        allocate(&address, bytesize, (struct memory_kind){.device = current_device(), .is_host = true});
    *pp = (void *)address;
    return driver_exit(&call, result);
}

CUresult CUDAAPI cuMemFree_v2(CUdeviceptr dptr)
{
    READY();
    if (dptr != 0)
        TRY(context_synchronize(context_current()));
    return dptr == 0 || memory_remove(dptr) > 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* Checks that the bytes are in device memory. Copies and fills wait for the kernels before them. */
static CUresult ready_for(CUdeviceptr address, size_t size)
{
    READY();
    pthread_mutex_lock(&driver_lock);
    const bool is_there = memory_is_device((const void *)address, size);
    pthread_mutex_unlock(&driver_lock);
    return is_there ? context_synchronize(context_current()) : CUDA_ERROR_INVALID_VALUE;
}

static CUresult moved(size_t bytes, bool is_copy)
{
    TELL(moved, bytes, is_copy);
    return CUDA_SUCCESS;
}

/* Copies between the GPU's memory and the host's. */
static CUresult copy(void *to, const void *from, CUdeviceptr device, size_t size)
{
    TRY(ready_for(device, size));
    memcpy(to, from, size);
    return moved(size, true);
}

SEEN(cuMemcpyHtoD_v2, (CUdeviceptr dstDevice, const void *srcHost, size_t ByteCount),
     copy((void *)dstDevice, srcHost, dstDevice, ByteCount), dstDevice, srcHost, ByteCount)

SEEN(cuMemcpyDtoH_v2, (void *dstHost, CUdeviceptr srcDevice, size_t ByteCount),
     copy(dstHost, (const void *)srcDevice, srcDevice, ByteCount), dstHost, srcDevice, ByteCount)

CUresult CUDAAPI cuMemcpyDtoDAsync_v2(CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount, CUstream hStream)
{
    (void)hStream;
    TRY(ready_for(dstDevice, ByteCount));
    TRY(ready_for(srcDevice, ByteCount));
    memmove((void *)dstDevice, (const void *)srcDevice, ByteCount);
    return moved(ByteCount, true);
}

CUresult CUDAAPI cuMemsetD8Async(CUdeviceptr dstDevice, unsigned char uc, size_t N, CUstream hStream)
{
    (void)hStream;
    TRY(ready_for(dstDevice, N));
    memset((void *)dstDevice, uc, N);
    return moved(N, false);
}

CUresult CUDAAPI cuMemsetD32_v2(CUdeviceptr dstDevice, unsigned ui, size_t N)
{
    TRY(ready_for(dstDevice, N * sizeof ui));
    if (getenv("STANDIN_DEVICES") && N * sizeof ui > RESERVED)
        usleep(250000);
    unsigned *words = (unsigned *)dstDevice;
    /* Zeros that nobody wrote have no memory yet, and get none. */
    const bool are_so = N > 0 && *words == ui && !memcmp(words, words + 1, (N - 1) * sizeof ui);
    for (size_t i = 0; !are_so && i < N; i++)
        words[i] = ui;
    return moved(N * sizeof ui, false);
}

/* ---- What is at an address ---- */

CUresult CUDAAPI cuPointerGetAttributes(unsigned numAttributes, CUpointer_attribute *attributes, void **data,
                                        CUdeviceptr ptr)
{
    READY();
    pthread_mutex_lock(&driver_lock);
    const struct block *block = blocks;
    while (block && (ptr < (CUdeviceptr)block->bytes || ptr - (CUdeviceptr)block->bytes >= block->size))
        block = block->next;
    /* As the real one: of an address that is nobody's the answers are 0, and no error. */
    for (unsigned i = 0; i < numAttributes; i++) {
        if (attributes[i] == CU_POINTER_ATTRIBUTE_MEMORY_TYPE)
            *(unsigned *)data[i] = !block ? 0 : block->kind.is_host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
        else if (attributes[i] == CU_POINTER_ATTRIBUTE_RANGE_START_ADDR)
            *(CUdeviceptr *)data[i] = block ? (CUdeviceptr)block->bytes : 0;
        else if (attributes[i] == CU_POINTER_ATTRIBUTE_RANGE_SIZE)
            *(size_t *)data[i] = block ? block->size : 0;
        else if (attributes[i] == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL)
            *(int *)data[i] = block ? block->kind.device : -2;
        else if (attributes[i] == CU_POINTER_ATTRIBUTE_IS_MANAGED)
            *(unsigned *)data[i] = block && block->kind.is_managed;
    }
    pthread_mutex_unlock(&driver_lock);
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuMemGetAddressRange_v2(CUdeviceptr *pbase, size_t *psize, CUdeviceptr dptr)
{
    CUpointer_attribute kinds[] = {CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, CU_POINTER_ATTRIBUTE_RANGE_SIZE};
    void *values[] = {pbase, psize};
    const CUresult result = cuPointerGetAttributes(2, kinds, values, dptr);
    return result == CUDA_SUCCESS && *psize == 0 ? CUDA_ERROR_NOT_FOUND : result;
}
