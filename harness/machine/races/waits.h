/* waits.h - a warp that waits in a loop for what another warp writes. How often it looks depends on timing, so what
 * such a loop adds to a count is not known. */
#pragma once

#include <stdbool.h>

struct block;
struct code;
struct instruction;

/* Finds the instructions that poll: what they find, of global memory that others may change, decides whether the
 * innermost loop around them is left. One that loads is in a loop that changes no global memory: others work. */
void waits_find(struct code *code);

/* Says of the innermost loop around an instruction that how often it is executed depends on timing. */
void waits_note(struct block *block, const struct instruction *code);

/* Notes which instructions are executed again where a wait for a phase looks again. */
void waits_note_retries(struct block *block, const struct instruction *code);

/* Says so of the instructions between a wait for a phase that may give up and the next one. Here they are executed as
 * if it does not, unless it gave up here, too. */
void waits_note_looks(struct block *block, const struct instruction *code, bool gave_up);

/* Returns whether lanes yield there; else whether something else than a wait looks for the phase, or lanes sleep. */
bool waits_between(const struct block *block, const struct instruction *code, bool yields);

/* Says of all instructions that it is not known which lanes execute them together, whatever other blocks do. */
void waits_note_apart(struct block *block);

/* Says so of all instructions: they are executed apart or together by chance. */
void waits_note_all(struct block *block, const struct instruction *code);
