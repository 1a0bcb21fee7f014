/* The driver's functions that launch kernels, which the runtime and cuBLAS use too. */

/* cuda.h defines the old types that generated_cuda_meta.h names only under this; of the functions called below there is
 * one type each. */
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
                                       c->hStream,
                                       0};
        for (unsigned i = 0; i < c->numAttrs; i++)
            if (c->attrs[i].id == CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT)
                launch->carve_out = c->attrs[i].value.sharedMemCarveout + 1;
    } else {
        /* cuLaunchCooperativeKernel's parameters begin with the same fields. */
        const cuLaunchKernel_params *p = params;
        *launch = (struct launch_call){p->f,
                                       {p->gridDimX, p->gridDimY, p->gridDimZ},
                                       {p->blockDimX, p->blockDimY, p->blockDimZ},
                                       p->sharedMemBytes,
                                       p->hStream,
                                       0};
    }
}

int function_attribute(CUfunction function, CUfunction_attribute which, int otherwise)
{
    int value;
    CUdevice device;
    if (cuFuncGetAttribute(&value, which, function) == CUDA_SUCCESS)
        return value;
    if (cuCtxGetDevice(&device) == CUDA_SUCCESS &&
        cuKernelGetAttribute(&value, which, (CUkernel)function, device) == CUDA_SUCCESS)
        return value;
    return otherwise;
}
