/* device_memory.h - the memory of the GPU that is simulated: pages of this process, so that an address there is one
 * here. Allocations do not touch each other: what an access reaches outside of one is in none. The same
 * calls give the same addresses in every process, unless something else lies there. */
#ifndef DEVICE_MEMORY_H
#define DEVICE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Addresses there are addresses here: this is the one place that says so to the compiler. */
static inline unsigned char *device_bytes(uint64_t address)
{
    return (unsigned char *)(uintptr_t)address; /* NOLINT(performance-no-int-to-ptr) */
}

struct allocation {
    uint64_t begin, end; /* as it was asked for */
};

/* On a multiple of 512 bytes, or NULL when there is no room. Not zeroed by promise. May be called by any thread that
 * launches nothing meanwhile. */
void *device_allocate(size_t size);
bool device_free(void *memory); /* false: it is not the beginning of an allocation */
/* The allocation that holds that byte; false: none does. */
bool device_find(uint64_t address, struct allocation *allocation);
/* The allocation next to an address that is in none, for words; false: there is none within so many bytes. */
bool device_find_near(uint64_t address, uint64_t within, struct allocation *allocation);

#endif
