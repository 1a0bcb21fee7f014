/* prepare.h - checks what is needed before a kernel library is loaded for simulation. */
#pragma once

#include "worker/worker.h"

/* Returns the path of the file that describes the job's GPU: the one that the job names, or the only one beside its
 * metrics. Caller frees. NULL with *problem. */
char *gpu_file(const struct job *job, struct problem *problem);

/* Reads the description of the job's GPU, and looks for the disassembler. Checks that the library takes the CUDA
 * runtime from outside, in the version that this one stands in for. Errors are as in struct backend. */
int sim_prepare(const struct job *job, struct problem *problem);

/* Looks for the disassembler, and checks the environment. Errors are as in struct sim_plugin. */
int sim_ready(struct problem *problem);
