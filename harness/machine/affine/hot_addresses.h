/* hot_addresses.h - how many atomics there are at each address of global memory, in one launch. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* An address, the atomics at it, and the first instruction of the code that makes any. */
struct hot_address {
    uint64_t address, count; /* count 0: the place is free */
    size_t instruction;
};

/* A hash table of them. Zeros are an empty one; hot_release() frees it. */
struct hot_addresses {
    struct hot_address *list;
    size_t capacity, count; /* the capacity is 0 or a power of two */
};

void hot_add(struct hot_addresses *hot, uint64_t address, uint64_t count, size_t instruction);
void hot_merge(struct hot_addresses *hot, const struct hot_addresses *more);
/* Merges it moved by each distance, times its count; a distance is an address of `distances`. */
void hot_merge_moved(struct hot_addresses *hot, const struct hot_addresses *more,
                     const struct hot_addresses *distances);
void hot_release(struct hot_addresses *hot);

/* Returns the one with most atomics; of several the one with the first instruction. Its count is 0 when there is none.
 */
struct hot_address hot_most(const struct hot_addresses *hot);
