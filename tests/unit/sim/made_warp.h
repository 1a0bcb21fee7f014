/* made_warp.h - a warp and one instruction for it, made by hand. */
#ifndef MADE_WARP_H
#define MADE_WARP_H

#include "sim/machine.h"

/* Destinations and sources of a made instruction: operand n is register MADE_REGISTER * n and those behind it. */
enum { MADE_REGISTER = 20 };

/* A warp of zeros, its 32 lanes active. The same each time. */
struct warp *made_warp(void);

/* An instruction such as "F2F.F32.F64" with so many operands, all of them registers. NULL: not simulated. The same
 * each time. The table: one of those that machine.h declares. */
struct instruction *made_instruction(const struct opcode *table, const char *opcode, unsigned operands);

/* Makes operand n the predicate of that number. */
void made_predicate(struct instruction *code, unsigned n, unsigned number);

/* Register `behind` of operand n: a row of 32 words. */
uint32_t *warp_row(struct warp *warp, unsigned n, unsigned behind);

/* How many kinds of vector unit this machine has: VECTOR_BASE up to that are to be tested. */
unsigned made_vectors(void);

/* A random number that is the same in each run. */
uint64_t made_random(void);

#endif
