/* workload.h - what a backend measures: how it is launched, how its inputs are restored, how to wait for its end. A
 * backend knows neither kernel libraries nor their error codes. */
#ifndef WORKLOAD_H
#define WORKLOAD_H

#include "library.h"

#include <stdbool.h>

struct workload {
    const char *id; /* the kernel's id, family/variant */
    bool transfer;  /* the workload launches no kernel, but only copies memory */
    void *self;
    /* Each returns 0, or an error that error_text() describes. */
    int (*before)(void *self); /* restores the inputs; may return before that is done */
    int (*launch)(void *self); /* launches; may return before that is done */
    int (*wait)(void *self);   /* waits until all is done */
    const char *(*error_text)(int error);
};

/* The three steps of a launch. workload_restore restores the inputs, workload_wait waits for that, workload_run
 * launches and waits, also when launching failed. Each returns 0, or -1 with *problem. */
int workload_restore(const struct workload *workload, struct problem *problem);
int workload_wait(const struct workload *workload, struct problem *problem);
int workload_run(const struct workload *workload, struct problem *problem);

/* Returns 0 for result 0; else -1 with *problem, which says what the call did: "restore: an illegal memory access
 * ...". */
int workload_check(const struct workload *workload, const char *what, int result, struct problem *problem);

/* A kernel of a library, and the state that its family's open() returned. */
struct open_kernel {
    const struct cugate_library *library;
    const struct kernel *kernel;
    void *state;
};

/* Makes a workload of the variant, which borrows *kernel. The kernel's state may be set later. */
struct workload workload_of_kernel(struct open_kernel *kernel);

#endif
