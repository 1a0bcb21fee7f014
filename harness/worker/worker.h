/* worker.h - the process that measures. It loads the kernel library, opens the device and sends what it finds over a
 * pipe, so that a kernel that crashes, hangs or corrupts the context costs its own result only. */
#ifndef WORKER_H
#define WORKER_H

#include "backend.h"
#include "child.h"
#include "exact_counters.h"
#include "library.h"
#include "library_read.h"
#include "samples.h"
#include "wire.h"
#include "workload.h"

/* Starts a worker that measures the chosen kernels from the first on and ends after the last one. Its messages are
 * KERNELS, DEVICE, then START and RESULT for each kernel, and END; but UNUSABLE or NO_MATCH alone, FAILURE in place of
 * DEVICE, and nothing more after a result that failed.
 *
 * Kernels of a family may be measured as a batch, but for the first job->alone: then all of them START, START is said
 * again of the one that is at work, and the RESULTs follow in the order in which they began. What goes wrong then may
 * be the doing of any of them: the worker says LOST and ends, or just ends, and the parent starts one that measures
 * them alone.
 *
 * pool.c holds it to that. A library that forges the result of its own kernel at its time cannot be told from an honest
 * one: the process is its as well. -1 after error(). */
int worker_start(struct child *child, const struct job *job);

#endif
