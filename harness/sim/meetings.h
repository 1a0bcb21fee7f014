/* meetings.h - where blocks of a launch meet in global memory: a word that one of them writes and another one reads or
 * writes, or an atomic whose answer is used. Where none do, each block does the same in whatever order they come; where
 * some do, what is counted has to be looked at in several orders. */
#ifndef MEETINGS_H
#define MEETINGS_H

#include "memory.h"

#include <stdbool.h>
#include <stdint.h>

struct meetings *meetings_open(void);
void meetings_close(struct meetings *meetings);

/* A workload begins: nothing is known of it. */
void meetings_begin(struct meetings *meetings);
/* A launch begins, or has ended: who touched which word is forgotten. */
void meetings_launch(struct meetings *meetings);

/* Where blocks met for the first time, "ATOMG.E.ADD at kernels/a.cu:12 (block 0,0,0)"; NULL: nowhere. It holds until
 * the next call. */
const char *meetings_place(const struct meetings *meetings);

/* An instruction whose outcome hangs on who comes first, whoever that is. */
void meetings_note(struct block *block, const struct instruction *code);

/* Lanes access global memory, in the shape of the memo; addresses may be NULL where they are in order or the same. */
void meetings_visit(struct warp *warp, const struct instruction *code, const struct memo *memo, uint32_t lanes,
                    uint64_t first, const uint64_t *addresses, bool writes);
void meetings_visit_range(struct warp *warp, const struct instruction *code, uint64_t first, uint64_t bytes); /* read */
static inline void memory_meet(struct warp *warp, const struct instruction *code, const struct memo *memo,
                               uint32_t lanes, uint64_t first, const uint64_t *addresses, bool writes)
{
    const struct block *block = warp->block;
    const struct watch *watch = &block->memos[code->index].watch;
    if (block->watched && (watch->sectors || first + (uint64_t)memo->least < watch->begin ||
                           first + (uint64_t)memo->most + code->size > watch->end))
        meetings_visit(warp, code, memo, lanes, first, addresses, writes);
}

#endif
