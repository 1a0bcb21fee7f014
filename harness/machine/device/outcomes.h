/* outcomes.h - what a workload leaves in memory, compared between orders of its blocks and warps. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct machine;

/* What differs between two contents of an array. */
struct difference {
    uint64_t bytes; /* how many */
    uint64_t first; /* the first of them */
    bool rounding;  /* all words that differ may be floats, or else doubles, that are nearly the same */
};
struct difference outcome_difference(const unsigned char *a, const unsigned char *b, size_t size);

/* A part of a machine. */
struct outcomes {
    bool watching, restores;
    uint64_t begun; /* which outcomes_forget() it was that made the table empty; 0: none yet */
    struct outcome_page *table;
    size_t page_count, places; /* of the table, a power of two */
    struct allocation *kept;   /* those there were */
    size_t kept_count;
    bool near; /* what outcomes_compare() found */
};

/* Begins or ends to note what is written: by the workload in all orders that are compared, and not while its inputs are
 * restored, which are the same in each. */
void outcomes_watch(struct machine *machine, bool on);
/* Whether outcomes_restore() will be asked for, which takes twice the memory. Else orders have their inputs restored by
 * whoever made them. */
void outcomes_restore_orders(struct machine *machine, bool on);
/* Tells that bytes of the GPU's memory are about to be written. */
void outcomes_will_change(struct machine *machine, uint64_t address, uint64_t bytes);

/* Keeps what the GPU's memory holds where it was written, in place of what was kept before. */
void outcomes_keep(struct machine *machine);
/* Says in which allocation memory differs most from what was kept, and how, such as "12 of 4096 bytes of the allocation
 * at 0x200000002000, from byte 8 on"; NULL: it does not differ. Caller frees. */
char *outcomes_compare(struct machine *machine);
/* Whether all that differs may be floats that are nearly the same. */
bool outcomes_are_near(const struct machine *machine);
/* Gives memory back what it held before the first order since outcomes_forget(). */
void outcomes_restore(struct machine *machine);
void outcomes_forget(struct machine *machine);
