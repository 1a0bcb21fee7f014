/* vector_unit.h - the kinds of vector unit that the CPU of this machine, which simulates, may have. In opcode.c. */
#pragma once

enum { VECTOR_BASE, VECTOR_AVX2, VECTOR_AVX512, VECTORS };
/* The environment variable that names the kind of vector unit to use, so that tests can compare them. Without it, the
 * best that this CPU has is used. */
#define VECTOR_VARIABLE "CUGATE_SIM_VECTOR"
unsigned vector_unit(void);
/* Index of a kind by its name, such as "base"; -1: this CPU has none of that name. */
int vector_unit_wanted(const char *name);
