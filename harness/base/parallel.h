/* parallel.h - does the same work for many things, on all processors. */
#pragma once

#include <stddef.h>

/* Returns how many processors this process may run on. */
unsigned processor_count(void);

/* Calls work(data, i) for each i from 0 to count - 1, begun in that order. It uses a thread for each processor, at most
 * PARALLEL_MAX, and fewer if threads cannot be created. They share all memory, so each call may write only what belongs
 * to its i. */
#define PARALLEL_MAX 8 /* limit of threads, since each may hold a whole document */
void in_parallel(size_t count, void (*work)(void *data, size_t i), void *data);
