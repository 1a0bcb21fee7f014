/* meetings.h - notes where blocks of a launch meet in global memory. They meet where one writes a word that another
 * reads or writes, or where the answer of an atomic is used. Blocks that never meet do the same in any order. Where
 * they do meet, counts have to be compared between several orders. */
#ifndef MEETINGS_H
#define MEETINGS_H

#include "memory.h"

#include <stdbool.h>
#include <stdint.h>

struct meetings *meetings_open(void);
void meetings_close(struct meetings *meetings);

/* Begins a workload, of which nothing is known yet. */
void meetings_begin(struct meetings *meetings);
/* Begins or ends a launch: who accessed which word is forgotten. */
void meetings_launch(struct meetings *meetings);

/* Returns where blocks met for the first time, such as "ATOMG.E.ADD at kernels/a.cu:12 (block 0,0,0)"; NULL: nowhere.
 * The text is valid until the next call. */
const char *meetings_place(const struct meetings *meetings);

/* Notes an instruction whose outcome depends on which block comes first. */
void meetings_note(struct block *block, const struct instruction *code);

/* Notes that the answer of an atomic is used, which is data: whatever follows may depend on it. */
void meetings_note_answer(struct block *block, const struct instruction *code);
/* Returns whether there was any since meetings_begin(). */
bool meetings_answered(const struct meetings *meetings);

/* Notes an access of lanes to global memory, in the shape of the memo. addresses may be NULL if they are in order or
 * all the same. */
void meetings_visit(struct warp *warp, const struct instruction *code, const struct memo *memo, uint32_t lanes,
                    uint64_t first, const uint64_t *addresses, bool writes);
/* Notes an access to a range. */
void meetings_visit_range(struct warp *warp, const struct instruction *code, uint64_t first, uint64_t bytes,
                          bool writes);
/* Tells outcomes.h of a store, in the same way. */
void meetings_keep(const struct memo *memo, uint32_t lanes, uint64_t first, const uint64_t *addresses, unsigned size);
static inline void memory_meet(struct warp *warp, const struct instruction *code, const struct memo *memo,
                               uint32_t lanes, uint64_t first, const uint64_t *addresses, bool writes)
{
    const struct block *block = warp->block;
    const struct watch *watch = &block->memos[code->index].watch;
    if (block->keeps && writes)
        meetings_keep(memo, lanes, first, addresses, code->size);
    if (block->watched && (watch->sectors || first + (uint64_t)memo->least < watch->begin ||
                           first + (uint64_t)memo->most + code->size > watch->end))
        meetings_visit(warp, code, memo, lanes, first, addresses, writes);
}

#endif
