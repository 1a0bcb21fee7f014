/* Memory at addresses that a program chooses: reserved, then mapped. */
#include "driver.h"

#include <sys/mman.h>

CUresult CUDAAPI cuMemAddressReserve(CUdeviceptr *ptr, size_t size, size_t alignment, CUdeviceptr addr,
                                     unsigned long long flags)
{
    (void)alignment, (void)flags;
    const int kind = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    REFUSE(size == 0, CUDA_ERROR_INVALID_VALUE);
    void *got = addr % RESERVED == 0 && addr ? mmap((void *)addr, size, PROT_NONE, kind | MAP_FIXED_NOREPLACE, -1, 0)
                                             : MAP_FAILED;
    /* As the real one: where something else is, it takes another place. */
    if (got == MAP_FAILED)
        got = mmap(NULL, size, PROT_NONE, kind, -1, 0);
    REFUSE(got == MAP_FAILED, CUDA_ERROR_OUT_OF_MEMORY);
    *ptr = (CUdeviceptr)got;
    return CUDA_SUCCESS;
}

ANSWER(cuMemAddressFree, (CUdeviceptr ptr, size_t size),
       munmap((void *)ptr, size) == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE)

/* A handle is the size of the memory. */
CUresult CUDAAPI cuMemCreate(CUmemGenericAllocationHandle *handle, size_t size, const CUmemAllocationProp *prop,
                             unsigned long long flags)
{
    (void)flags;
    READY();
    REFUSE(size == 0 || size % (2 << 20) != 0 || prop->type != CU_MEM_ALLOCATION_TYPE_PINNED, CUDA_ERROR_INVALID_VALUE);
    return SET(handle, size);
}

ANSWER(cuMemRelease, (CUmemGenericAllocationHandle handle), handle ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE)

static CUresult map(CUdeviceptr address, size_t size, size_t offset, CUmemGenericAllocationHandle handle)
{
    REFUSE(offset != 0 || size != handle, CUDA_ERROR_INVALID_VALUE);
    REFUSE(mprotect((void *)address, size, PROT_READ | PROT_WRITE) != 0, CUDA_ERROR_INVALID_VALUE);
    return memory_add((char *)address, size, (struct memory_kind){0}) ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

SEEN(cuMemMap,
     (CUdeviceptr ptr, size_t size, size_t offset, CUmemGenericAllocationHandle handle, unsigned long long flags),
     map(ptr, size, offset, handle), ptr, size, offset, handle, flags)

static CUresult unmap(CUdeviceptr address, size_t size)
{
    if (memory_remove(address) != size || madvise((void *)address, size, MADV_DONTNEED) != 0 ||
        mprotect((void *)address, size, PROT_NONE) != 0)
        return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS;
}

SEEN(cuMemUnmap, (CUdeviceptr ptr, size_t size), unmap(ptr, size), ptr, size)

ANSWER(cuMemSetAccess, (CUdeviceptr ptr, size_t size, const CUmemAccessDesc *desc, size_t count),
       desc &&count > 0 && memory_is_device((const void *)ptr, size) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE)
