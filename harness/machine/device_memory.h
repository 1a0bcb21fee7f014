/* device_memory.h - the memory of the simulated GPU. It is pages of this process, so that an address of the GPU is an
 * address here. Allocations have gaps between them, so an access outside of one is in none. The same calls give the
 * same addresses in every process, unless something else is there.
 *
 * Memory at addresses of a program's is apart from these: it is reserved, then backed, and what is shown of it can be
 * accessed. */
#ifndef DEVICE_MEMORY_H
#define DEVICE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Turns an address of the GPU into a pointer. They are the same, and this is the one place that says so to the
 * compiler. */
static inline unsigned char *device_bytes(uint64_t address)
{
    return (unsigned char *)(uintptr_t)address; /* NOLINT(performance-no-int-to-ptr) */
}

struct allocation {
    uint64_t begin, end; /* the size is the one that was asked for */
};

/* Allocates memory at a multiple of 512 bytes; NULL when there is no memory. Its content is undefined. Any thread may
 * call it that launches nothing meanwhile. */
void *device_allocate(size_t size);
bool device_free(void *memory); /* false: no allocation begins there */
/* Sets *allocation to the one that holds the byte at that address; false: there is none. */
bool device_find(uint64_t address, struct allocation *allocation);
/* Sets *allocation to the one of that index, by address; false: there are fewer. */
bool device_allocation(size_t index, struct allocation *allocation);
/* Sets *allocation to the one next to an address that is in none, for messages; false: there is none within that many
 * bytes. */
bool device_find_near(uint64_t address, uint64_t within, struct allocation *allocation);

/* Takes addresses, as multiples of a page; false: something else is there. */
bool device_reserve(uint64_t address, uint64_t size);
/* Backs reserved addresses by zeros, and takes that memory away again. False: there is no memory. */
bool device_back(uint64_t address, uint64_t size);
bool device_unback(uint64_t address, uint64_t size);

/* Makes backed addresses an allocation, until they are hidden again. They may overlap no other. */
void device_show(uint64_t address, uint64_t size);
void device_hide(uint64_t address);

#endif
