/* meetings_note.h - notes what meetings.h tells, for the files that execute instructions. */
#ifndef MEETINGS_NOTE_H
#define MEETINGS_NOTE_H

#include "meetings.h"
#include "memory.h"

#include <stdbool.h>
#include <stdint.h>

/* Begins or ends a launch: who accessed which word is forgotten. */
void meetings_launch(struct meetings *meetings);

/* Notes an instruction whose outcome depends on which block comes first. */
void meetings_note(struct block *block, const struct instruction *code);

/* Notes that the answer of an atomic is used, which is data: whatever follows may depend on it. */
void meetings_note_answer(struct block *block, const struct instruction *code);

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
