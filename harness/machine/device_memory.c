#include "device_memory.h"

#include "base/base.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Between two allocations are pages that may not be accessed, so that one byte too far is in neither. */
enum { PAGE = 4096, GUARD = 2 * PAGE };

/* The address of the first allocation. Each one lies behind the one before, as far as addresses are free. So a program
 * gets the same addresses in every process. */
#define FIRST 0x200000000000

struct entry {
    struct allocation place;
    unsigned char *mapping; /* NULL: it is shown only */
    size_t mapped;
};

/* The allocations of this process, sorted by address. */
static struct entry *entries;
static size_t entry_count;
static uint64_t next_mapping = FIRST;

/* Returns how many allocations begin at or below that address. */
static size_t entries_below(uint64_t address)
{
    size_t first = 0, last = entry_count;
    while (first < last) {
        const size_t middle = first + (last - first) / 2;
        if (entries[middle].place.begin <= address)
            first = middle + 1;
        else
            last = middle;
    }
    return first;
}

static void add_entry(const struct entry *entry)
{
    const size_t at = entries_below(entry->place.begin);
    *ARRAY_INSERT(entries, entry_count, at) = *entry;
}

static void remove_entry(size_t at)
{
    memmove(&entries[at], &entries[at + 1], (--entry_count - at) * sizeof *entries);
}

void *device_allocate(size_t size)
{
    if (size > SIZE_MAX / 2)
        return NULL;
    const size_t mapped = (size + PAGE - 1) / PAGE * PAGE + 2 * (size_t)GUARD;
    unsigned char *mapping = mmap(device_bytes(next_mapping), mapped, PROT_READ | PROT_WRITE,
                                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapping == MAP_FAILED)
        return NULL;
    next_mapping += mapped;
    if (size >= (size_t)1 << 22)
        madvise(mapping, mapped, MADV_HUGEPAGE);
    unsigned char *memory = mapping + GUARD;
    const uint64_t begin = (uint64_t)(uintptr_t)memory;
    add_entry(&(struct entry){.place = {begin, begin + size}, .mapping = mapping, .mapped = mapped});
    return memory;
}

bool device_free(void *memory)
{
    const size_t at = entries_below((uint64_t)(uintptr_t)memory);
    if (at == 0 || entries[at - 1].place.begin != (uint64_t)(uintptr_t)memory)
        return false;
    munmap(entries[at - 1].mapping, entries[at - 1].mapped);
    remove_entry(at - 1);
    return true;
}

bool device_find(uint64_t address, struct allocation *allocation)
{
    const size_t at = entries_below(address);
    if (at == 0 || address >= entries[at - 1].place.end)
        return false;
    *allocation = entries[at - 1].place;
    return true;
}

bool device_allocation(size_t index, struct allocation *allocation)
{
    if (index < entry_count)
        *allocation = entries[index].place;
    return index < entry_count;
}

bool device_find_near(uint64_t address, uint64_t within, struct allocation *allocation)
{
    const size_t at = entries_below(address);
    const uint64_t behind = at > 0 ? address - entries[at - 1].place.end : UINT64_MAX;
    const uint64_t before = at < entry_count ? entries[at].place.begin - address : UINT64_MAX;
    if ((behind < before ? behind : before) > within)
        return false;
    *allocation = entries[behind < before ? at - 1 : at].place;
    return true;
}

/* ---- Addresses of a program ---- */

bool device_reserve(uint64_t address, uint64_t size)
{
    unsigned char *wanted = device_bytes(address);
    void *mapped =
        mmap(wanted, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (mapped != MAP_FAILED && mapped != wanted) /* by a kernel that does not know the flag */
        munmap(mapped, size);
    return mapped == wanted;
}

static bool map_anew(uint64_t address, uint64_t size, int protection)
{
    return mmap(device_bytes(address), size, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
                0) != MAP_FAILED;
}

bool device_back(uint64_t address, uint64_t size)
{
    return map_anew(address, size, PROT_READ | PROT_WRITE);
}

bool device_unback(uint64_t address, uint64_t size)
{
    return map_anew(address, size, PROT_NONE);
}

void device_show(uint64_t address, uint64_t size)
{
    add_entry(&(struct entry){.place = {address, address + size}});
}

void device_hide(uint64_t address)
{
    const size_t at = entries_below(address);
    if (at > 0 && entries[at - 1].place.begin == address && !entries[at - 1].mapping)
        remove_entry(at - 1);
}
