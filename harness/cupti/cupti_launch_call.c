/* The driver's functions that launch kernels, which the runtime and cuBLAS use too. */

/* cuda.h defines the old types that generated_cuda_meta.h names only under this; no driver function is called here. */
#define __CUDA_API_VERSION_INTERNAL
#include "cupti.h"

#include <cupti_driver_cbid.h>
#include <generated_cuda_meta.h>

const CUpti_CallbackId launch_calls[LAUNCH_CALLS] = {
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz,
};

void launch_call_read(struct launch_call *launch, CUpti_CallbackId id, const void *params)
{
    if (id == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx || id == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz) {
        const cuLaunchKernelEx_params *p = params;
        const CUlaunchConfig *c = p->config;
        *launch = (struct launch_call){p->f,
                                       {c->gridDimX, c->gridDimY, c->gridDimZ},
                                       {c->blockDimX, c->blockDimY, c->blockDimZ},
                                       c->sharedMemBytes,
                                       c->hStream};
    } else {
        /* cuLaunchCooperativeKernel's parameters begin with the same fields. */
        const cuLaunchKernel_params *p = params;
        *launch = (struct launch_call){p->f,
                                       {p->gridDimX, p->gridDimY, p->gridDimZ},
                                       {p->blockDimX, p->blockDimY, p->blockDimZ},
                                       p->sharedMemBytes,
                                       p->hStream};
    }
}
