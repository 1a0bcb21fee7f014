#include "device.h"

#include "machine/affine/affine.h"

#include <sys/mman.h>

/* Between two allocations are pages that may not be accessed, so that one byte too far is in neither. */
enum { PAGE = 4096, GUARD = 2 * PAGE };

/* Each allocation lies behind the one before, as far as addresses are free. So a program gets the same addresses in
 * every process. The bytes of a machine are DEVICE_SPAN behind those of the one before it. Which of these spans are
 * taken knows the kernel: a machine keeps the page below its own. */
enum { SPANS = 10 };

/* Memory that the host sees without a call. */
struct shared_place {
    struct range place;
    enum home home;
};

struct device_entry {
    struct allocation place;
    unsigned char *mapping; /* NULL: it is shown only */
    size_t mapped;
};

static unsigned char *pointer(uint64_t address)
{
    return (unsigned char *)(uintptr_t)address; /* NOLINT(performance-no-int-to-ptr) */
}

/* Takes pages at an address. False: something else is there. */
static bool take(unsigned char *wanted, uint64_t size)
{
    void *mapped =
        mmap(wanted, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (mapped != MAP_FAILED && mapped != wanted) /* by a kernel that does not know the flag */
        munmap(mapped, size);
    return mapped == wanted;
}

int memory_open(struct device_memory *memory)
{
    *memory = (struct device_memory){.next = DEVICE_FIRST};
    for (unsigned i = 0; i < SPANS; i++, memory->apart += DEVICE_SPAN)
        if (take(pointer(DEVICE_FIRST - PAGE + memory->apart), PAGE))
            return 0;
    return -1;
}

void memory_close(struct device_memory *memory)
{
    for (size_t i = 0; i < memory->entry_count; i++)
        if (memory->entries[i].mapping)
            munmap(memory->entries[i].mapping, memory->entries[i].mapped);
    for (size_t i = 0; i < memory->withheld_count; i++)
        munmap(memory->withheld[i].mapping, memory->withheld[i].mapped);
    free(memory->entries);
    free(memory->withheld);
    free(memory->shared);
    munmap(pointer(DEVICE_FIRST - PAGE + memory->apart), PAGE);
}

/* Returns how many allocations begin at or below that address. */
static size_t entries_below(const struct device_memory *memory, uint64_t address)
{
    BISECT(first, memory->entry_count, i, memory->entries[i].place.begin <= address);
    return first;
}

static void add_entry(struct device_memory *memory, const struct device_entry *entry)
{
    const size_t at = entries_below(memory, entry->place.begin);
    *ARRAY_INSERT(memory->entries, memory->entry_count, at) = *entry;
}

static void remove_entry(struct device_memory *memory, size_t at)
{
    struct device_entry *entry = &memory->entries[at];
    memmove(entry, entry + 1, (--memory->entry_count - at) * sizeof *entry);
}

/* Returns the entry of the allocation that begins there; NULL: none does. */
static struct device_entry *entry_at(const struct device_memory *memory, uint64_t address)
{
    const size_t at = entries_below(memory, address);
    return at > 0 && memory->entries[at - 1].place.begin == address ? &memory->entries[at - 1] : NULL;
}

/* Anywhere: bytes and address are to be the same, even if those of the machine are apart. */
static uint64_t allocate(struct machine *machine, size_t size, bool anywhere)
{
    struct device_memory *memory = &machine->memory;
    if (size > SIZE_MAX / 2)
        return 0;
    const size_t mapped = (size + PAGE - 1) / PAGE * PAGE + 2 * (size_t)GUARD;
    if (memory->most && (size > memory->most || memory->taken > memory->most - size))
        return 0;
    anywhere = memory->apart && (anywhere || memory->next + mapped > DEVICE_FIRST + DEVICE_SPAN);
    unsigned char *wanted = anywhere ? NULL : device_bytes(machine, memory->next);
    unsigned char *mapping =
        mmap(wanted, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapping == MAP_FAILED)
        return 0;
    const uint64_t begin = (mapping == wanted ? memory->next : (uint64_t)(uintptr_t)mapping) + GUARD;
    memory->next += anywhere ? 0 : mapped;
    memory->taken += size;
    if (size >= (size_t)1 << 22)
        madvise(mapping, mapped, MADV_HUGEPAGE);
    add_entry(memory, &(struct device_entry){.place = {begin, begin + size}, .mapping = mapping, .mapped = mapped});
    return begin;
}

uint64_t device_allocate(struct machine *machine, size_t size)
{
    return allocate(machine, size, false);
}

uint64_t device_allocate_for_host(struct machine *machine, size_t size)
{
    return allocate(machine, size, true);
}

void device_withhold(struct machine *machine, uint64_t address)
{
    struct device_memory *memory = &machine->memory;
    struct device_entry *entry = entry_at(memory, address);
    if (!entry || !entry->mapping)
        return;
    *ARRAY_GROW(memory->withheld, memory->withheld_count) = *entry;
    remove_entry(memory, (size_t)(entry - memory->entries));
}

static bool free_withheld(struct device_memory *memory, uint64_t address)
{
    for (size_t i = 0; i < memory->withheld_count; i++)
        if (memory->withheld[i].place.begin == address) {
            munmap(memory->withheld[i].mapping, memory->withheld[i].mapped);
            memory->taken -= memory->withheld[i].place.end - memory->withheld[i].place.begin;
            memory->withheld[i] = memory->withheld[--memory->withheld_count];
            return true;
        }
    return false;
}

bool device_free(struct machine *machine, uint64_t address)
{
    struct device_entry *entry = entry_at(&machine->memory, address);
    if (!entry)
        return free_withheld(&machine->memory, address);
    munmap(entry->mapping, entry->mapped);
    machine->memory.taken -= entry->place.end - entry->place.begin;
    remove_entry(&machine->memory, (size_t)(entry - machine->memory.entries));
    return true;
}

bool device_find(const struct machine *machine, uint64_t address, struct allocation *allocation)
{
    const struct device_memory *memory = &machine->memory;
    const size_t at = entries_below(memory, address);
    if (at == 0 || address >= memory->entries[at - 1].place.end)
        return false;
    *allocation = memory->entries[at - 1].place;
    return true;
}

bool device_allocation(const struct machine *machine, size_t index, struct allocation *allocation)
{
    if (index < machine->memory.entry_count)
        *allocation = machine->memory.entries[index].place;
    return index < machine->memory.entry_count;
}

bool device_find_near(const struct machine *machine, uint64_t address, uint64_t within, struct allocation *allocation)
{
    const struct device_memory *memory = &machine->memory;
    const size_t at = entries_below(memory, address);
    const uint64_t behind = at > 0 ? address - memory->entries[at - 1].place.end : UINT64_MAX;
    const uint64_t before = at < memory->entry_count ? memory->entries[at].place.begin - address : UINT64_MAX;
    if ((behind < before ? behind : before) > within)
        return false;
    *allocation = memory->entries[behind < before ? at - 1 : at].place;
    return true;
}

/* ---- Addresses of a program ---- */

bool device_reserve(struct machine *machine, uint64_t address, uint64_t size)
{
    return take(device_bytes(machine, address), size);
}

uint64_t device_reserve_next(struct machine *machine, uint64_t size, uint64_t alignment)
{
    struct device_memory *memory = &machine->memory;
    const uint64_t end = DEVICE_FIRST + DEVICE_SPAN;
    const uint64_t begin = (memory->next + GUARD + alignment - 1) / alignment * alignment;
    if (alignment > DEVICE_SPAN || begin >= end || size > end - begin || !device_reserve(machine, begin, size))
        return 0;
    memory->next = begin + size + GUARD;
    return begin;
}

static bool map_anew(struct machine *machine, uint64_t address, uint64_t size, int protection)
{
    return mmap(device_bytes(machine, address), size, protection,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) != MAP_FAILED;
}

bool device_back(struct machine *machine, uint64_t address, uint64_t size)
{
    return map_anew(machine, address, size, PROT_READ | PROT_WRITE);
}

bool device_unback(struct machine *machine, uint64_t address, uint64_t size)
{
    return map_anew(machine, address, size, PROT_NONE);
}

void device_show(struct machine *machine, uint64_t address, uint64_t size)
{
    add_entry(&machine->memory, &(struct device_entry){.place = {address, address + size}});
}

void device_hide(struct machine *machine, uint64_t address)
{
    struct device_entry *entry = entry_at(&machine->memory, address);
    if (entry && !entry->mapping)
        remove_entry(&machine->memory, (size_t)(entry - machine->memory.entries));
}

/* ---- Memory that the host sees ---- */

/* Returns how many places that the host sees begin at or below an address. */
static size_t shared_below(const struct device_memory *memory, uint64_t address)
{
    BISECT(first, memory->shared_count, i, memory->shared[i].place.begin <= address);
    return first;
}

void device_host_shares(struct machine *machine, uint64_t address, uint64_t bytes, enum home home)
{
    struct device_memory *memory = &machine->memory;
    const size_t at = shared_below(memory, address);
    machine->changes++;
    if (at == 0 || memory->shared[at - 1].place.begin != address)
        *ARRAY_INSERT(memory->shared, memory->shared_count, at) =
            (struct shared_place){{address, address + bytes}, home};
}

void device_host_leaves(struct machine *machine, uint64_t address)
{
    struct device_memory *memory = &machine->memory;
    const size_t at = shared_below(memory, address);
    if (at > 0 && memory->shared[at - 1].place.begin == address)
        memmove(&memory->shared[at - 1], &memory->shared[at], (memory->shared_count-- - at) * sizeof *memory->shared);
}

enum home device_home(struct machine *machine, uint64_t address, struct allocation *within)
{
    const struct device_memory *memory = &machine->memory;
    if (!memory->shared)
        return HOME_DEVICE;
    const size_t at = shared_below(memory, address);
    const struct range *below = at > 0 ? &memory->shared[at - 1].place : &(const struct range){0, 0};
    const bool inside = address < below->end;
    const uint64_t begin = inside ? below->begin : below->end, end = inside ? below->end
                                                                     : at < memory->shared_count
                                                                         ? memory->shared[at].place.begin
                                                                         : UINT64_MAX;
    within->begin = begin > within->begin ? begin : within->begin;
    within->end = end < within->end ? end : within->end;
    return inside ? memory->shared[at - 1].home : HOME_DEVICE;
}

bool device_has_shared(struct machine *machine)
{
    return machine->memory.shared_count > 0;
}

bool device_is_shared(struct machine *machine, const struct ranges *places)
{
    const struct device_memory *memory = &machine->memory;
    for (size_t k = 0; k < places->count; k++) {
        const size_t at = shared_below(memory, places->list[k].end - 1);
        if (at > 0 && places->list[k].begin < memory->shared[at - 1].place.end)
            return true;
    }
    return false;
}
