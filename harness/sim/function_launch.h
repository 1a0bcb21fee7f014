/* function_launch.h - launches a function of the machine code, whoever asks for it. A launch is refused where a GPU
 * refuses it, with the same error. */
#ifndef FUNCTION_LAUNCH_H
#define FUNCTION_LAUNCH_H

#include "grid.h"
#include "runtime.h"

#include <stddef.h>

/* Returns the most threads that a block of the function can have. */
unsigned function_most_threads(const struct function *function);

/* Returns how many blocks are resident on a multiprocessor at once. */
unsigned function_resident_blocks(const struct function *function, unsigned threads, size_t shared);

/* Returns the error that the launch gives; dynamic_limit is the most dynamic shared memory that it may have. */
cudaError_t function_check(const struct grid *grid, unsigned dynamic_limit);

/* Executes a launch that was checked, and counts it (launch_log.h). Notes a fault as the runtime does: a later call
 * returns it. */
cudaError_t function_run(const struct grid *grid);

#endif
