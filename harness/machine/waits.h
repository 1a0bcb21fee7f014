/* waits.h - a warp that waits in a loop for what another warp writes. How often it looks depends on timing, so what
 * such a loop adds to a count is not known. */
#ifndef WAITS_H
#define WAITS_H

#include "block.h"

#include <stdint.h>

/* Notes that the warp has read these words, which others may change. If it reads the same again, it lets others go
 * first; if another warp has changed them meanwhile, it has waited. */
void waits_read(struct warp *warp, const struct instruction *code, uint32_t lanes, uint64_t address, uint64_t value);

/* Notes an atomic whose answer is used. One that changed nothing is tried again, as a lock is that others hold. */
void waits_tried(struct warp *warp, const struct instruction *code, uint32_t lanes, uint64_t address, uint64_t value,
                 bool changed);

/* Notes that the warp itself writes: what it reads next may have changed by this. */
static inline void waits_written(struct warp *warp)
{
    warp->poll.pc = 0;
    warp->block->wrote = true;
}

/* Says of the innermost loop around an instruction that how often it is executed depends on timing. */
void waits_note(struct block *block, const struct instruction *code);

/* Says so of the instructions between a wait for a phase that gave up and the next one. */
void waits_note_looks(struct block *block, const struct instruction *code);

/* Returns whether something else than a wait looks for the phase there, or lanes sleep. */
bool waits_look_between(const struct block *block, const struct instruction *code);

/* Says so of all instructions: they are executed apart or together by chance. */
void waits_note_all(struct block *block, const struct instruction *code);

#endif
