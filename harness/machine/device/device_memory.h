/* device_memory.h - the memory of the simulated GPU. It is pages of this process. Each machine gives its allocations
 * the same addresses, in DEVICE_SPAN bytes from DEVICE_FIRST on. Those of the first one in a process are addresses here
 * as well; those of others are a fixed distance from where their bytes are. All other addresses are the same here and
 * on every GPU. Allocations have gaps between them, so an access outside of one is in none. The same calls give the
 * same addresses in every process, unless something else is there.
 *
 * Memory at addresses of a program's is apart from these: it is reserved, then backed, and what is shown of it can be
 * accessed. Only one machine of a process can have those. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct machine;
struct ranges;

#define DEVICE_FIRST UINT64_C(0x200000000000)
#define DEVICE_SPAN (UINT64_C(8) << 40)

/* Where memory lies. Pages of managed memory move to whoever accesses them. */
enum home { HOME_DEVICE, HOME_HOST, HOME_MANAGED, HOMES };

struct allocation {
    uint64_t begin, end; /* the size is the one that was asked for */
};

/* A part of a machine. */
struct device_memory {
    struct device_entry *entries; /* allocations, sorted by address */
    size_t entry_count;
    struct device_entry *withheld; /* those that no kernel can access */
    size_t withheld_count;
    struct shared_place *shared; /* memory that the host sees, by address */
    size_t shared_count;
    uint64_t next;        /* where the next one begins */
    uint64_t taken, most; /* bytes that are allocated, and may be; 0: any number */
    uint64_t apart;       /* how far the bytes are from their addresses */
};

/* Begins without allocations. -1: this process has no addresses left. */
int memory_open(struct device_memory *memory);
void memory_close(struct device_memory *memory);

/* Withholds an allocation from kernels: an access to it is one beyond all arrays. It is still freed as any other. */
void device_withhold(struct machine *machine, uint64_t address);

/* Allocates memory and returns its address, a multiple of 512 bytes; 0 when there is no memory. Its content is
 * undefined. Any thread may call it that launches nothing meanwhile. */
uint64_t device_allocate(struct machine *machine, size_t size);
/* The same for memory that the host accesses by the GPU's address: pinned and managed memory, variables. */
uint64_t device_allocate_for_host(struct machine *machine, size_t size);
bool device_free(struct machine *machine, uint64_t address); /* false: no allocation begins there */
/* Sets *allocation to the one that holds the byte at that address; false: there is none. */
bool device_find(const struct machine *machine, uint64_t address, struct allocation *allocation);
/* Sets *allocation to the one of that index, by address; false: there are fewer. */
bool device_allocation(const struct machine *machine, size_t index, struct allocation *allocation);
/* Sets *allocation to the one next to an address that is in none, for messages; false: there is none within that many
 * bytes. */
bool device_find_near(const struct machine *machine, uint64_t address, uint64_t within, struct allocation *allocation);

/* Takes addresses, as multiples of a page; false: something else is there. */
bool device_reserve(struct machine *machine, uint64_t address, uint64_t size);
/* The same behind all allocations, at a multiple of `alignment`. Returns the address; 0: none is left. */
uint64_t device_reserve_next(struct machine *machine, uint64_t size, uint64_t alignment);
/* Backs reserved addresses by zeros, and takes that memory away again. False: there is no memory. */
bool device_back(struct machine *machine, uint64_t address, uint64_t size);
bool device_unback(struct machine *machine, uint64_t address, uint64_t size);

/* Makes backed addresses an allocation, until they are hidden again. They may overlap no other. */
void device_show(struct machine *machine, uint64_t address, uint64_t size);
void device_hide(struct machine *machine, uint64_t address);

/* Begins and ends that the host sees memory of the GPU without a call, since it is the host's or managed: all blocks of
 * launches that access it are executed. */
void device_host_shares(struct machine *machine, uint64_t address, uint64_t bytes, enum home home);
void device_host_leaves(struct machine *machine, uint64_t address);
/* Returns where a byte of an allocation lies. Narrows the allocation to bytes that lie there too. */
enum home device_home(struct machine *machine, uint64_t address, struct allocation *within);
bool device_has_shared(struct machine *machine);                             /* the host sees some memory so, */
bool device_is_shared(struct machine *machine, const struct ranges *places); /* or some of these allocations */
