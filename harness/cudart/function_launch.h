/* function_launch.h - launches a function of the machine code, whoever asks for it. A launch is refused where a GPU
 * refuses it, with the same error. */
#pragma once

#include "runtime.h"

/* Returns the most threads that a block of the function can have. */
unsigned function_most_threads(const struct function *function);

/* Returns how many blocks are resident on a multiprocessor at once; carve_out is that of struct launch. */
unsigned function_resident_blocks(const struct function *function, unsigned threads, size_t shared, unsigned carve_out);

/* Returns the error that the launch gives; dynamic_limit is the most dynamic shared memory that it may have.
 * large_cluster: clusters may have up to 16 blocks, not 8. Sets grid->cluster if the machine code says it. */
cudaError_t function_check(struct grid *grid, unsigned dynamic_limit, bool large_cluster);

/* Returns how many clusters of that many blocks are resident at once. -1: it depends on which multiprocessors of a chip
 * work, so that it is not known. */
int function_resident_clusters(const struct function *function, unsigned threads, size_t shared, unsigned carve_out,
                               unsigned blocks);

/* Executes a launch that was checked. Notes a fault as the runtime does: a later call returns it. Launches of several
 * threads come one after the other. */
cudaError_t function_run(const struct grid *grid);

/* Executes blocks that were left out (grid_settle()) before somebody reads those bytes, or changes them; NULL: any. */
void function_settle(const void *memory, size_t bytes, bool reads);

/* Has another execute all launches from now on, as one does that counts them. It is given what grid_run() is. NULL:
 * none does. */
void function_run_by(run_launch *run, void *data);
