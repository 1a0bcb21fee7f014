/* made_program.h - executes a block of machine code that is written down, as ptxas does not make all that there is. */
#ifndef MADE_PROGRAM_H
#define MADE_PROGRAM_H

#include "machine/grid.h"

#include <stdbool.h>

/* An instruction is "OPCODE OPERANDS" or "@GUARD OPCODE OPERANDS", without blanks in the operands. EXIT is added. */
#define PROGRAM(...) ((const char *const[]){__VA_ARGS__, NULL})
enum { MADE_MOST = 60, MADE_SHARED = 4096 };

/* Executes it by a block of so many threads, whose parameter is the address of made_output. Returns why it fails; NULL:
 * it does not. */
const char *run_program(const char *const *program, unsigned threads);

extern bool made_fault;                      /* it was a fault of the code, when it failed */
extern struct tally made_tallies[MADE_MOST]; /* what each instruction did */
extern uint32_t *made_output;                /* a word for each thread of a block, zeros before */

#endif
