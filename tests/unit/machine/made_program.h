/* made_program.h - executes a block of machine code that is written down, as ptxas does not make all that there is. */
#pragma once

#include "machine/machine.h"

/* An instruction is "OPCODE OPERANDS" or "@GUARD OPCODE OPERANDS", without blanks in the operands. EXIT is added.
 * " &counts=N" behind it: scoreboard N counts reads of its operands. " &waits=N": it waits for that one. */
#define PROGRAM(...) ((const char *const[]){__VA_ARGS__, NULL})
enum { MADE_MOST = 60, MADE_SHARED = 4096 };

/* Executes it by a block of so many threads, whose parameter is the address of made_output. Returns why it fails; NULL:
 * it does not. */
const char *run_program(const char *const *program, unsigned threads);

/* The same with a text, in which ; stands between instructions. */
const char *run_instructions(const char *text, unsigned threads);

/* The machine that does so. */
struct machine *made_machine(void);
/* The same by another one, with a parameter that is any address. Its memory stays as it is. */
const char *run_program_on(struct machine *machine, uint64_t parameter, const char *const *program, unsigned threads);

/* Set, it is executed by so many blocks and told to this recorder, which begins and ends with it. */
extern _Thread_local struct recorder *made_recorder;
extern _Thread_local unsigned made_blocks;
extern _Thread_local bool made_recorded; /* as recorder_end() returned */

extern _Thread_local enum fault made_fault;                /* it was a fault of the code, when it failed */
extern _Thread_local struct tally made_tallies[MADE_MOST]; /* what each instruction did */
extern uint32_t *made_output;                              /* a word for each thread of a block, zeros before */
