/* workload.h - what a backend measures: how it is launched, what puts its inputs back, how its end is waited for. A
 * backend knows no kernel library, and no error code. */
#ifndef WORKLOAD_H
#define WORKLOAD_H

#include "library.h"

#include <stdbool.h>

struct workload {
    const char *id; /* family/variant */
    bool transfer;  /* it launches no kernel, but only copies memory */
    void *self;
    /* Each returns 0, or an error whose words error_text has. */
    int (*before)(void *self); /* puts the inputs back; what it began may not be done yet */
    int (*launch)(void *self); /* likewise */
    int (*wait)(void *self);   /* until all is done */
    const char *(*error_text)(int error);
};

/* The three steps of a launch, each 0, or -1 with *problem: inputs are put back, that is waited for, then it is
 * launched and waited for, also where launching failed. */
int workload_restore(const struct workload *workload, struct problem *problem);
int workload_settle(const struct workload *workload, struct problem *problem);
int workload_run(const struct workload *workload, struct problem *problem);

/* 0 for result 0; else -1 with *problem saying what the call did: "restore: an illegal memory access ...". */
int workload_check(const struct workload *workload, const char *what, int result, struct problem *problem);

/* A kernel of a library, and the state that its family's open() made. */
struct open_kernel {
    const struct cugate_library *library;
    const struct kernel *kernel;
    void *state;
};

/* The variant as a workload, which borrows *kernel; its state may come later. */
struct workload workload_of_kernel(struct open_kernel *kernel);

#endif
