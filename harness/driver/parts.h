/* parts.h - what several files of the room say in the runtime's words. */
#pragma once

#include "front.h"

/* Answers what options of the driver's compiler ask for, and refuses such as change the code: it is what ptxas makes
 * without them (driver_link.c). */
cudaError_t link_options(unsigned count, const CUjit_option *options, void **values);

/* Finds the arguments of a launch in one buffer, which `extra` names (driver_module.c). Caller frees. */
cudaError_t buffer_arguments(void ***arguments, CUfunction function, void **extra);

/* Sets a copy (driver_memory.c). */
cudaError_t copy_of_box(struct cudaMemcpy3DParms *made, const CUDA_MEMCPY3D *copy);
