/* memory.h - between lanes_memory.c, atomic.c and memory.c: what is remembered of an instruction's accesses, and what
 * is done when something is not as it was. */
#ifndef MEMORY_H
#define MEMORY_H

#include "counting.h"
#include "machine.h"

#include <stdbool.h>
#include <stdint.h>

#define MEMO_LOW 127       /* of an address: where it is in its line */
#define MEMO_LOW_SHARED 15 /* the banks are a circle: only how it is aligned matters */

/* The shape of an instruction's last access, in one CPU thread, and what it costs. */
struct memo {
    uint32_t lanes; /* 0: none yet */
    uint32_t low;
    bool aligned;
    bool in_order;       /* lane l's is l * size behind lane 0's, and all are there */
    bool same;           /* one address */
    int64_t least, most; /* of the distances */
    uint64_t begin, end; /* global: allocation of the last access */
    unsigned sectors, ideal_sectors, wavefronts, ideal_wavefronts, room;
    bool narrow;             /* no two lanes are 4 GiB apart */
    uint32_t apart[LANES];   /* from the first lane's address, its lower words; of lanes that are there */
    struct copy_shape *copy; /* of an asynchronous copy; NULL: none yet */
    struct watch {
        uint64_t begin, end; /* allocation of the last access */
        uint64_t *sectors;   /* NULL: who touches it is not looked at */
    } watch;                 /* meetings.h */
};

/* Whether an access of this shape, from the first lane's address on, lies within the memo's allocation. By distances:
 * sums of addresses begin again at 0. */
static inline bool memo_holds(const struct memo *memo, uint64_t first, unsigned size)
{
    return first >= memo->begin && first < memo->end && memo->least >= -(int64_t)(first - memo->begin) &&
           memo->most <= (int64_t)(memo->end - first) - (int64_t)size;
}

/* The last shape of an asynchronous copy: both of its addresses. */
struct copy_shape {
    uint32_t copies, low_from, low_to;
    uint64_t from[LANES]; /* apart from the first lane's */
    uint32_t to[LANES];
    struct copy_counts counts;
};

/* block NULL: only the shape, not what it costs. */
void memo_global(struct memo *memo, const struct block *block, uint32_t lanes, const uint64_t *addresses,
                 unsigned size);
void memo_shared(struct memo *memo, uint32_t lanes, const uint32_t *addresses, unsigned size, bool writes);

/* Sets the memo's allocation, or fails the block: which lane, which address, what is near it. */
void memory_check(struct block *block, struct memo *memo, uint32_t lanes, const uint64_t *addresses, unsigned size,
                  bool writes);
__attribute__((noreturn)) void memory_misaligned(struct block *block, uint32_t lanes, const uint64_t *addresses,
                                                 unsigned size);
__attribute__((noreturn)) void shared_outside(struct block *block, uint32_t lanes, const uint32_t *addresses,
                                              unsigned size);
__attribute__((noreturn)) void shared_misaligned(struct block *block, uint32_t lanes, const uint32_t *addresses,
                                                 unsigned size);

/* Accesses that other blocks are meant to see: what depends on who comes first is not simulated. */
void memory_strong_load(struct warp *warp, const struct instruction *code, uint32_t lanes, const uint64_t *addresses);
void memory_strong_store(struct warp *warp, const struct instruction *code, uint32_t lanes, const uint64_t *addresses);
void memory_compare_and_swap(struct warp *warp, const struct instruction *code, uint32_t lanes,
                             const uint64_t *addresses);

/* Of local memory. */
void local_check(struct block *block, uint32_t lanes, const uint32_t *addresses, unsigned size);
unsigned local_sectors(uint32_t lanes, const uint32_t *addresses, unsigned size);
void local_move(struct warp *warp, unsigned lane, uint32_t address, unsigned char *bytes, unsigned size, bool writes);

/* Who touched a word of shared memory since the last barrier; a word that nobody wrote. */
void shadow_visit(struct warp *warp, uint32_t lanes, const uint32_t *addresses, unsigned size, bool writes);
void shadow_atomic(struct warp *warp, uint32_t lanes, const uint32_t *addresses, unsigned size);
/* A compare and swap on shared memory: whom it meets there depends on timing, when that is another warp. */
void shared_swap(struct warp *warp, const struct instruction *code, uint32_t lanes, const uint32_t *addresses);
struct shadow *shadow_open(const struct block *block);
void shadow_clear(struct shadow *shadow, const struct block *block);
void shadow_close(struct shadow *shadow);

/* What all CPU threads of a launch share. */
struct launch_state;
struct launch_state *launch_state_open(void);
void launch_state_close(struct launch_state *state);

#endif
