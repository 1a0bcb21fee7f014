/* outcomes.h - what a workload leaves in memory, compared between orders of its blocks and warps. */
#ifndef OUTCOMES_H
#define OUTCOMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What differs between two contents of an array. */
struct difference {
    uint64_t bytes; /* how many */
    uint64_t first; /* the first of them */
    bool rounding;  /* all words that differ may be floats, or else doubles, that are nearly the same */
};
struct difference outcome_difference(const unsigned char *a, const unsigned char *b, size_t size);

/* Keeps the content of all allocations of the GPU, in place of what was kept before. */
void outcomes_keep(void);
/* Says in which allocation memory differs most from what was kept, and how, such as "12 of 4096 bytes of the allocation
 * at 0x200000002000, from byte 8 on"; NULL: it does not differ. Caller frees. */
char *outcomes_compare(void);
void outcomes_forget(void);

#endif
