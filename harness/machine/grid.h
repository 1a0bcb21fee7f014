/* grid.h - executes a launch: all its blocks, with everything counted. */
#pragma once

#include "machine/launch/launch.h"

/* Executes a launch. tallies has an element for each instruction of the function (function->size / 16), to which counts
 * are added. With NULL nothing is counted. Returns -1 with *problem when the kernel made a fault, and then *fault is
 * true. It also does when something cannot be simulated, and then the text begins with "not simulated: ". */
int grid_run(const struct grid *grid, struct tally *tallies, enum fault *fault, struct problem *problem);

/* Blocks of the last launch may have been left out, which is then proved to count the same. These execute them, so that
 * memory is whole; forget them; and say whether they have to be before somebody reads some bytes, or changes them. */
int grid_settle(struct machine *machine, enum fault *fault, struct problem *problem);
void grid_forget(struct machine *machine);
bool grid_touches(struct machine *machine, uint64_t address, uint64_t bytes, bool reads);
/* Frees memory; what blocks that were left out access when they are executed or forgotten. False: no memory begins
 * there.
 */
bool grid_free(struct machine *machine, uint64_t address, uint64_t bytes);
/* Sets up to `most` pairs of offsets between which the executed blocks have written those bytes, and returns how many
 * there are. SIZE_MAX: no block that was left out writes any of them. */
size_t grid_written(struct machine *machine, uint64_t address, uint64_t bytes, size_t *ranges, size_t most);
/* Copies what the last launch leaves at an address, but for bytes that only blocks which were left out may change:
 * those of `bytes` stay. */
void grid_copy_known(struct machine *machine, uint64_t address, unsigned char *bytes, size_t size);
bool grid_has_left(struct machine *machine); /* some blocks were left out, and are not settled */
/* From now on no blocks are left out. */
void grid_leave_none(struct machine *machine);
/* Whether it is asked how many threads of an instruction work: if not, the bounds of `working` may be wider. */
void grid_ask_threads(struct machine *machine, bool asked);
bool grid_asks_threads(struct machine *machine);
bool grid_leaves(struct machine *machine);

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
