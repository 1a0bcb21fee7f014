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
