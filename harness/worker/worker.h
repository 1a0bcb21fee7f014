/* worker.h - the process that measures. It loads the kernel library, opens the device and sends its results over a
 * pipe. A kernel that crashes, hangs or corrupts the CUDA context costs only its own result. */
#pragma once

#include "backend.h"
#include "child.h"
#include "first_part.h"
#include "gpu_count.h"
#include "library.h"
#include "library_read.h"
#include "open_kernel.h"
#include "program_link.h"
#include "program_part.h"
#include "samples.h"
#include "wire.h"
#include "workload.h"

/* Starts a worker that measures those of the chosen kernels that the parent asks for. Its messages are KERNELS and,
 * once the parent sent GO, DEVICE. START and RESULT follow for each kernel of each ITEM, and END after an empty ITEM.
 * UNUSABLE or NO_MATCH come alone, and FAILURE in place of DEVICE. Nothing follows a result that failed.
 *
 * Kernels of one family in one item may be measured as a batch. Then all of them START, START is repeated for the one
 * being worked on, and the RESULTs follow in the order in which they began. If a batch fails, any of its kernels may be
 * the cause. The worker sends LOST and ends, or just ends, and the parent has another worker measure them in items of
 * one.
 *
 * The pool holds it to that. A library that forges the result of its own kernel at its time cannot be told from an
 * honest one: the process is its as well. -1 after error(). */
int worker_start(struct peer *child, const struct job *job);
