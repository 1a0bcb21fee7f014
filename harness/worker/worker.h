/* worker.h - the process that measures. It loads the kernel library, opens the device and sends what it finds over a
 * pipe, so that a kernel that crashes, hangs or corrupts the context costs its own result only. */
#ifndef WORKER_H
#define WORKER_H

#include "backend.h"
#include "child.h"
#include "exact_counters.h"
#include "gpu_count.h"
#include "library.h"
#include "library_read.h"
#include "samples.h"
#include "wire.h"
#include "workload.h"

/* Starts a worker that measures those of the chosen kernels that the parent asks for. Its messages are KERNELS and,
 * once the parent said GO, DEVICE; then START and RESULT for each kernel of each SHARE, and END after an empty one; but
 * UNUSABLE or NO_MATCH alone, FAILURE in place of DEVICE, and nothing more after a result that failed.
 *
 * Kernels of a family that are in one share may be measured as a batch: then all of them START, START is said again of
 * the one that is at work, and the RESULTs follow in the order in which they began. What goes wrong then may be the
 * doing of any of them: the worker says LOST and ends, or just ends, and the parent has another one measure them in
 * shares of one.
 *
 * The pool holds it to that. A library that forges the result of its own kernel at its time cannot be told from an
 * honest one: the process is its as well. -1 after error(). */
int worker_start(struct child *child, const struct job *job);

#endif
