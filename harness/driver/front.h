/* front.h - how the driver's functions are made of those of the CUDA runtime: both are fronts of one state, and the
 * errors of both have the same numbers, but for a few. */
#pragma once

/* All names of the driver are written as they are exported, with their versions. */
#define __CUDA_API_VERSION_INTERNAL /* NOLINT(bugprone-reserved-identifier): cuda.h asks for it */
#include <cuda.h>

#include "cudart/cudart.h"

/* What a call needs: cuInit before it, or a context, too. */
enum front_needs { NEEDS_INIT, NEEDS_CONTEXT };

/* Begins a call. Returns the error where it lacks what it needs. */
CUresult front_begin(enum front_needs needs);
/* Ends it. Returns the driver's number of an error. What cudaGetLastError has is as before the call. */
CUresult front_end(cudaError_t error);

/* A function of the driver: its name, its parameters, and what it does in words of the runtime. */
#define FRONT_OF(needs, name, parameters, call)                                                                        \
    CUresult CUDAAPI name parameters                                                                                   \
    {                                                                                                                  \
        const CUresult ready = front_begin(needs);                                                                     \
        return ready == CUDA_SUCCESS ? front_end(call) : ready;                                                        \
    }
#define FRONT(name, parameters, call) FRONT_OF(NEEDS_CONTEXT, name, parameters, call)
#define FRONT_INIT(name, parameters, call) FRONT_OF(NEEDS_INIT, name, parameters, call)

/* The context of this thread; NULL: there is none. */
CUcontext context_now(void);
