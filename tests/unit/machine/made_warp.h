/* made_warp.h - makes a warp, and an instruction for it to execute. */
#pragma once

#include "machine/block/block.h"
#include "machine/machine.h"

/* Operand n of a made instruction is register MADE_REGISTER * n, and those behind it. */
enum { MADE_REGISTER = 20 };

/* Returns a warp of zeros with 32 active lanes. It is the same object each time. */
struct warp *made_warp(void);

/* Returns an instruction such as "F2F.F32.F64" with that many operands, all of them registers. The table is one that
 * machine.h declares. It is the same object each time. NULL: the instruction is not simulated. */
struct instruction *made_instruction(const struct opcode *table, const char *opcode, unsigned operands);

/* Makes operand n the predicate of that number. */
void made_predicate(struct instruction *code, unsigned n, unsigned number);

/* Returns a register of operand n as a row of 32 words; `behind` 1 is the register behind it. */
uint32_t *warp_row(struct warp *warp, unsigned n, unsigned behind);

/* Returns how many kinds of vector unit this machine has. Tests go through all of them, from VECTOR_BASE on. */
unsigned made_vectors(void);

/* Returns a random number. The sequence is the same in each run. */
uint64_t made_random(void);
