/* parallel.h - the same work for each of many things, on all processors. */
#ifndef PARALLEL_H
#define PARALLEL_H

#include <stddef.h>

/* How many processors this process may run on. */
unsigned processor_count(void);

/* Calls work(data, i) for each i from 0 to count - 1, begun in that order, on a thread for each processor but no more
 * than PARALLEL_MAX, which share all else: what it writes belongs to i alone. Where threads cannot be had, on fewer. */
#define PARALLEL_MAX 8 /* each may hold a whole document */
void in_parallel(size_t count, void (*work)(void *data, size_t i), void *data);

#endif
