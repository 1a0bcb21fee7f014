/* worker.h - the process that measures. It loads the kernel library, opens the device and sends what it finds over a
 * pipe, so that a kernel that crashes, hangs or corrupts the context costs its own result only. */
#ifndef WORKER_H
#define WORKER_H

#include "child.h"
#include "collector.h"
#include "gpu.h"
#include "library.h"
#include "library_read.h"
#include "workload.h"

/* What a worker is to do; borrows everything. */
struct job {
    const char *library; /* path of the kernel library */
    const struct metrics *metrics;
    const struct collector *collector;
    char *const *globs; /* of the kernels that are chosen */
    size_t glob_count;
    size_t first; /* of the chosen kernels: the one to begin with */
    int device;
    int samples;
    bool lenient;    /* pass over globs that match no kernel */
    bool roofs;      /* also measure what the GPU can do */
    bool one_kernel; /* end after the first result */
    size_t skip;     /* lines: launches of the variant before the function to be counted */
};

/* Starts a worker that measures the chosen kernels from the first on and ends after the last one. Its messages are
 * KERNELS, DEVICE, then START and RESULT for each kernel, and END; but UNUSABLE or NO_MATCH alone, FAILURE in place of
 * DEVICE, and nothing more after a result that failed. measure.c holds it to that. A library that forges the result of
 * its own kernel at its time cannot be told from an honest one: the process is its as well. -1 after error(). */
int worker_start(struct child *child, const struct job *job);

#endif
