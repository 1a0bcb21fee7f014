/* prepare.h - what has to be there before a kernel library is loaded for simulation. */
#ifndef PREPARE_H
#define PREPARE_H

#include "base/base.h"
#include "worker/worker.h"

/* Opens the job's GPU and looks whether its library takes the runtime of CUDA from outside, and in the version that
 * this is, and for the disassembler. As struct backend has it. */
int sim_prepare(const struct job *job, struct problem *problem);

#endif
