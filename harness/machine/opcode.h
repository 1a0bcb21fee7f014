/* opcode.h - a function's instructions with the operations of their opcodes, and the vector unit that executes them. */
#pragma once

#include "machine/launch/launch.h"

/* Decodes the code of a function, unless that was done; grid_run() does it by itself. -1 with *problem. */
int code_of(struct function *function, struct problem *problem);

/* Returns the opcode of a decoded instruction with its modifiers, such as "LDG.E.128". */
const char *code_opcode(const struct function *function, size_t index);

/* Returns its TRAIT_ bits. */
unsigned code_traits(const struct function *function, size_t index);

/* The kinds of vector unit that the CPU of this machine, which simulates, may have. */
enum { VECTOR_BASE, VECTOR_AVX2, VECTOR_AVX512, VECTORS };
/* The environment variable that names the kind of vector unit to use, so that tests can compare them. Without it, the
 * best that this CPU has is used. */
#define VECTOR_VARIABLE "CUGATE_SIM_VECTOR"
unsigned vector_unit(void);
/* Index of a kind by its name, such as "base"; -1: this CPU has none of that name. */
int vector_unit_wanted(const char *name);

/* Returns a table by its number from 0, for a kind of vector unit; NULL: there are no more. */
const struct opcode *opcode_table(size_t number, unsigned kind);
find_opcode opcode_find;
