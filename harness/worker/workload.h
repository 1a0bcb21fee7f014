/* workload.h - what a backend measures: how it is launched, how its inputs are restored, how to wait for its end. A
 * backend knows neither kernel libraries nor their error codes. */
#pragma once

#include "base/base.h"

struct workload {
    const char *id; /* the kernel's id, family/variant */
    bool transfer;  /* the workload launches no kernel, but only copies memory */
    enum { KNOWN_NOT, KNOWN_INSTRUMENTED, KNOWN_ALL } known; /* which of its counts are known, and not read */
    void *self;
    /* Each returns 0, or -1 with *problem. */
    int (*before)(void *self, struct problem *problem); /* restores the inputs; may return before that is done */
    int (*launch)(void *self, struct problem *problem); /* launches; may return before that is done */
    int (*wait)(void *self, struct problem *problem);   /* waits until all is done */
};

/* The three steps of a launch. workload_restore restores the inputs, workload_wait waits for that, workload_run
 * launches and waits, also when launching failed. Each returns 0, or -1 with *problem, which says what was being done:
 * "restore: an illegal memory access ...". */
int workload_restore(const struct workload *workload, struct problem *problem);
int workload_wait(const struct workload *workload, struct problem *problem);
int workload_run(const struct workload *workload, struct problem *problem);
