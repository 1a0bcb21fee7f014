/* Virtual memory of the driver: addresses that are reserved, memory that is created, and which of it is at which
 * addresses. Neighbours that may be accessed are one allocation to kernels and copies, as allocators use them. */
#include "front.h"

#include <sys/mman.h>

enum { GRANULARITY = 2 << 20 };

/* A handle, and memory until it is released and not mapped any more. */
struct created {
    unsigned char *bytes; /* NULL: they are where it is mapped */
    size_t size;
    bool released;
};

static struct reserved {
    uint64_t address;
    size_t size;
} * reserved;

static struct mapped {
    uint64_t address;
    struct created *memory;
    bool accessible;
} * mapped; /* sorted by address */

static size_t reserved_count, mapped_count;
static const char *refused; /* why this call is not simulated, which is told once it is over */

/* Returns the reservation that has all of these bytes; NULL: none. */
static struct reserved *find_reserved(uint64_t address, size_t size)
{
    return FIND(one, reserved, reserved_count,
                address >= one->address && address - one->address <= one->size &&
                    size <= one->size - (address - one->address));
}

/* Returns how many mappings begin below an address. */
static size_t mapped_below(uint64_t address)
{
    return FIRST(k, mapped_count, mapped[k].address >= address);
}

/* Returns how many mappings are exactly these bytes, from *first on; 0: they are no such. */
static size_t find_mapped(uint64_t address, size_t size, size_t *first)
{
    uint64_t end = address;
    *first = mapped_below(address);
    size_t i = *first;
    for (; i < mapped_count && mapped[i].address == end && end - address < size; i++)
        end += mapped[i].memory->size;
    return size > 0 && end - address == size ? i - *first : 0;
}

/* Shows the accessible mappings as allocations, or hides them. */
static void show(bool shows)
{
    for (size_t i = 0, next; i < mapped_count; i = next) {
        uint64_t end = mapped[i].address;
        for (next = i; next < mapped_count && mapped[next].address == end && mapped[next].accessible &&
                       find_reserved(mapped[i].address, end - mapped[i].address + mapped[next].memory->size);
             next++)
            end += mapped[next].memory->size;
        if (next > i && shows)
            device_show(runtime_machine(), mapped[i].address, end - mapped[i].address);
        else if (next > i)
            device_hide(runtime_machine(), mapped[i].address);
        if (next > i)
            stream_races_forget(runtime_machine(), mapped[i].address);
        next += next == i;
    }
    runtime_machine()->changes++;
}

/* Begins and ends a call, behind blocks that were left out, which access memory as it was. */
static cudaError_t begin(void)
{
    function_settle(NULL, 0, false);
    runtime_memory_begin(runtime_now());
    show(false);
    return cudaSuccess;
}

static cudaError_t end(cudaError_t error)
{
    show(true);
    runtime_memory_end(runtime_now());
    const char *why = refused;
    refused = NULL;
    return why ? runtime_not_simulated("%s", why) : error == cudaSuccess ? runtime_lost() : error;
}

static cudaError_t refuse(const char *why)
{
    refused = why;
    return cudaErrorNotSupported;
}

static cudaError_t check_properties(const CUmemAllocationProp *how)
{
    if (!how || how->type != CU_MEM_ALLOCATION_TYPE_PINNED)
        return cudaErrorInvalidValue;
    if (how->location.type != CU_MEM_LOCATION_TYPE_DEVICE)
        return refuse("virtual memory that is not on the device");
    if (how->requestedHandleTypes != CU_MEM_HANDLE_TYPE_NONE)
        return refuse("virtual memory that is shared with other processes");
    return how->location.id == 0 ? cudaSuccess : cudaErrorInvalidDevice;
}

static cudaError_t reserve(CUdeviceptr *address, size_t size, size_t alignment, unsigned long long flags)
{
    const size_t least = alignment > GRANULARITY ? alignment : GRANULARITY;
    if (!address || size == 0 || size % GRANULARITY || (alignment & (alignment - 1)) || flags)
        return cudaErrorInvalidValue;
    *address = device_reserve_next(runtime_machine(), size, least);
    if (!*address)
        return cudaErrorMemoryAllocation;
    *ARRAY_GROW(reserved, reserved_count) = (struct reserved){*address, size};
    return cudaSuccess;
}

static cudaError_t unreserve(CUdeviceptr address, size_t size)
{
    struct reserved *found = find_reserved(address, size);
    const size_t first = mapped_below(address);
    if (!found || found->address != address || found->size != size ||
        (first < mapped_count && mapped[first].address < address + size))
        return cudaErrorInvalidValue;
    munmap(device_bytes(runtime_machine(), address), size);
    *found = reserved[--reserved_count];
    return cudaSuccess;
}

static cudaError_t create(CUmemGenericAllocationHandle *handle, size_t size, const CUmemAllocationProp *how,
                          unsigned long long flags)
{
    struct runtime *runtime = runtime_now();
    const cudaError_t error = check_properties(how);
    runtime_allocates();
    if (error != cudaSuccess || !handle || size == 0 || size % GRANULARITY || flags)
        return error != cudaSuccess ? error : cudaErrorInvalidValue;
    const size_t most = (size_t)runtime_gpu()->memory_bytes;
    if (size > most || runtime->used > most - size)
        return cudaErrorMemoryAllocation;
    void *bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (bytes == MAP_FAILED)
        return refuse("an allocation for which this machine has no memory");
    struct created *made = handle_new(HANDLE_MEMORY, sizeof *made);
    *made = (struct created){.bytes = bytes, .size = size};
    runtime->used += size;
    runtime_watch_memory(runtime, runtime->used);
    *handle = (uintptr_t)made;
    return cudaSuccess;
}

static void let_go(struct created *memory)
{
    if (!memory->released || !memory->bytes)
        return;
    munmap(memory->bytes, memory->size);
    runtime_now()->used -= memory->size;
    handle_free(memory);
}

/* Returns what a handle is of; NULL: nothing, or it was released. */
static struct created *created_of(CUmemGenericAllocationHandle handle)
{
    struct created *memory = runtime_pointer(handle);
    return handle_is(HANDLE_MEMORY, memory) && !memory->released ? memory : NULL;
}

static cudaError_t release(CUmemGenericAllocationHandle handle)
{
    struct created *memory = created_of(handle);
    if (!memory)
        return cudaErrorInvalidValue;
    memory->released = true;
    let_go(memory);
    return cudaSuccess;
}

static cudaError_t map(CUdeviceptr address, size_t size, size_t offset, CUmemGenericAllocationHandle handle,
                       unsigned long long flags)
{
    struct created *memory = created_of(handle);
    const size_t at = mapped_below(address);
    if (!memory || offset || flags || size != memory->size || address % GRANULARITY || !find_reserved(address, size) ||
        (at > 0 && mapped[at - 1].address + mapped[at - 1].memory->size > address) ||
        (at < mapped_count && mapped[at].address < address + size))
        return cudaErrorInvalidValue;
    if (!memory->bytes)
        return refuse("memory that is mapped at two addresses");
    void *to = device_bytes(runtime_machine(), address);
    if (mremap(memory->bytes, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, to) == MAP_FAILED)
        return cudaErrorMemoryAllocation;
    memory->bytes = NULL;
    *ARRAY_INSERT(mapped, mapped_count, at) = (struct mapped){address, memory, false};
    return cudaSuccess;
}

static cudaError_t unmap(CUdeviceptr address, size_t size)
{
    size_t first, count = find_mapped(address, size, &first);
    if (count == 0)
        return cudaErrorInvalidValue;
    for (size_t i = first; i < first + count; i++) {
        struct created *memory = mapped[i].memory;
        void *from = device_bytes(runtime_machine(), mapped[i].address);
        memory->bytes = mmap(NULL, memory->size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory->bytes == MAP_FAILED ||
            mremap(from, memory->size, memory->size, MREMAP_MAYMOVE | MREMAP_FIXED, memory->bytes) == MAP_FAILED)
            die(EXIT_NOT_MEASURED, "no address space is left for unmapped memory");
        device_unback(runtime_machine(), mapped[i].address, memory->size);
        let_go(memory);
    }
    memmove(&mapped[first], &mapped[first + count], (mapped_count - first - count) * sizeof *mapped);
    mapped_count -= count;
    return cudaSuccess;
}

static cudaError_t set_access(CUdeviceptr address, size_t size, const CUmemAccessDesc *accesses, size_t access_count)
{
    size_t first, count = find_mapped(address, size, &first);
    if (count == 0 || !accesses || access_count != 1 || accesses->location.id != 0)
        return cudaErrorInvalidValue;
    if (accesses->location.type != CU_MEM_LOCATION_TYPE_DEVICE || accesses->flags == CU_MEM_ACCESS_FLAGS_PROT_READ)
        return refuse("virtual memory that is read-only, or that the host accesses");
    for (size_t i = first; i < first + count; i++)
        mapped[i].accessible = accesses->flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    return cudaSuccess;
}

static cudaError_t ask_access(unsigned long long *flags, const CUmemLocation *location, CUdeviceptr address)
{
    const size_t below = mapped_below(address + 1);
    const struct mapped *found = below > 0 ? &mapped[below - 1] : NULL;
    if (!flags || !location || !found || address - found->address >= found->memory->size)
        return cudaErrorInvalidValue;
    *flags = found->accessible ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE : CU_MEM_ACCESS_FLAGS_PROT_NONE;
    return cudaSuccess;
}

#define CHANGE(call) (begin(), end(call))

/* clang-format off */
FRONT_INIT(cuMemGetAllocationGranularity, (size_t *bytes, const CUmemAllocationProp *how, CUmemAllocationGranularity_flags option), ((void)option, CHANGE(SET(bytes, GRANULARITY, check_properties(how)))))
FRONT_INIT(cuMemAddressReserve, (CUdeviceptr *address, size_t size, size_t alignment, CUdeviceptr wanted, unsigned long long flags), ((void)wanted, CHANGE(reserve(address, size, alignment, flags))))
FRONT_INIT(cuMemAddressFree, (CUdeviceptr address, size_t size), CHANGE(unreserve(address, size)))
FRONT_INIT(cuMemCreate, (CUmemGenericAllocationHandle *handle, size_t size, const CUmemAllocationProp *how, unsigned long long flags), CHANGE(create(handle, size, how, flags)))
FRONT_INIT(cuMemRelease, (CUmemGenericAllocationHandle handle), CHANGE(release(handle)))
FRONT_INIT(cuMemMap, (CUdeviceptr address, size_t size, size_t offset, CUmemGenericAllocationHandle handle, unsigned long long flags), CHANGE(map(address, size, offset, handle, flags)))
FRONT_INIT(cuMemUnmap, (CUdeviceptr address, size_t size), CHANGE(unmap(address, size)))
FRONT_INIT(cuMemSetAccess, (CUdeviceptr address, size_t size, const CUmemAccessDesc *accesses, size_t count), CHANGE(set_access(address, size, accesses, count)))
FRONT_INIT(cuMemGetAccess, (unsigned long long *flags, const CUmemLocation *location, CUdeviceptr address), CHANGE(ask_access(flags, location, address)))
/* clang-format on */
