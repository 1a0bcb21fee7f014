/* open_kernel.h - a kernel that can be launched and verified: of a kernel library, or a capsule. */
#pragma once

#include "library.h"
#include "workload.h"

#include "model/model.h"

struct open_kernel {
    struct library *library;
    const struct kernel *kernel;
    void *state;           /* what the family's open() returned */
    struct replay *replay; /* or the capsule's, which this struct owns */
};

/* Opens what the kernels of a group share: a family, whose *state belongs to it. Capsules share nothing. -1 with
 * *problem. */
int group_open(const struct kernel *kernel, const struct cugate_library *table, void **state, struct problem *problem);
void group_close(const struct kernel *kernel, void *state);

/* Opens a kernel whose group is open with that state. -1 with *problem. */
int kernel_open(struct open_kernel *open, void *state, struct problem *problem);
void kernel_close(struct open_kernel *open);

/* Compares the output of the last launch with the reference: RESULT_OK; RESULT_WRONG or RESULT_FAILED with *problem. */
enum result_status kernel_verify(const struct open_kernel *open, struct problem *problem);

/* Makes a workload of the kernel, which borrows *open. The kernel may be opened later. */
struct workload workload_of_kernel(struct open_kernel *open);
