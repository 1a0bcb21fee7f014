/* Takes what a launch was made with: the bytes of its arguments, and the attributes of the launch and its function. */
#include "driver_calls.h"

#include "keep.h"

/* Asks where argument number `index` is, by either kind of handle. */
static bool place_of(CUfunction function, size_t index, size_t *offset, size_t *size)
{
    return cuFuncGetParamInfo(function, index, offset, size) == CUDA_SUCCESS ||
           cuKernelGetParamInfo((CUkernel)function, index, offset, size) == CUDA_SUCCESS;
}

/* Returns the bytes that the program passes in one piece, in place of a pointer to each argument; NULL: it does not. */
static const unsigned char *in_one_piece(void *const *extra, size_t *size)
{
    const unsigned char *bytes = NULL;
    *size = 0;
    for (size_t i = 0; extra && extra[i] != CU_LAUNCH_PARAM_END; i += 2) {
        if (extra[i] == CU_LAUNCH_PARAM_BUFFER_POINTER)
            bytes = extra[i + 1];
        else if (extra[i] == CU_LAUNCH_PARAM_BUFFER_SIZE)
            *size = *(const size_t *)extra[i + 1];
    }
    return bytes;
}

static void take_bytes(struct capsule *capsule, CUfunction function, void *const *each, void *const *extra)
{
    size_t offset, size, whole;
    const unsigned char *piece = in_one_piece(extra, &whole);
    for (size_t i = 0; place_of(function, i, &offset, &size); i++) {
        *ARRAY_GROW(capsule->arguments, capsule->argument_count) =
            (struct argument){.offset = (unsigned)offset, .size = (unsigned)size};
        if (offset + size > capsule->byte_count)
            capsule->byte_count = offset + size;
    }
    capsule->bytes = x_calloc(capsule->byte_count + 1, 1);
    if (piece)
        memcpy(capsule->bytes, piece, whole < capsule->byte_count ? whole : capsule->byte_count);
    for (size_t i = 0; !piece && each && i < capsule->argument_count; i++)
        memcpy(capsule->bytes + capsule->arguments[i].offset, each[i], capsule->arguments[i].size);
}

/* False: the launch has an attribute that a replay cannot give it. */
static bool take_attribute(struct capsule *capsule, const CUlaunchAttribute *attribute)
{
    switch (attribute->id) {
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
        capsule->cluster[0] = attribute->value.clusterDim.x;
        capsule->cluster[1] = attribute->value.clusterDim.y;
        capsule->cluster[2] = attribute->value.clusterDim.z;
        return true;
    case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
        capsule->cooperative |= attribute->value.cooperative != 0;
        return true;
    case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION:
        capsule->overlaps |= attribute->value.programmaticStreamSerializationAllowed != 0;
        return true;
    /* What these say is of other launches, of caches, or of when the launch begins. */
    case CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT: /* launch_call_read() took it */
    case CU_LAUNCH_ATTRIBUTE_IGNORE:
    case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
    case CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY:
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
    case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT:
    case CU_LAUNCH_ATTRIBUTE_PRIORITY:
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP:
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN:
    case CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT:
        return true;
    default:
        return false;
    }
}

static int take_attributes(struct capsule *capsule, const CUlaunchConfig *config, struct problem *problem)
{
    for (unsigned i = 0; i < config->numAttrs; i++)
        if (!take_attribute(capsule, &config->attrs[i]))
            return problem_set(problem, "it is launched with attribute %d, which cannot be captured",
                               (int)config->attrs[i].id);
    return 0;
}

int arguments_take(struct capsule *capsule, CUpti_CallbackId id, const void *params, struct problem *problem)
{
    struct launch_call call;
    launch_call_read(&call, id, params);
    memcpy(capsule->grid, call.grid, sizeof call.grid);
    memcpy(capsule->block, call.block, sizeof call.block);
    capsule->shared = call.shared;
    capsule->shared_limit =
        (unsigned)function_attribute(call.function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 0);
    capsule->carve_out =
        call.carve_out > 0
            ? call.carve_out
            : (unsigned)function_attribute(call.function, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, -1) + 1;
    capsule->large_cluster =
        function_attribute(call.function, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 0) != 0;
    if (id == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx || id == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz) {
        const cuLaunchKernelEx_params *launch = params;
        take_bytes(capsule, call.function, launch->kernelParams, launch->extra);
        return take_attributes(capsule, launch->config, problem);
    }
    capsule->cooperative = id == CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel ||
                           id == CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz;
    const cuLaunchKernel_params *launch = params;
    take_bytes(capsule, call.function, launch->kernelParams, capsule->cooperative ? NULL : launch->extra);
    return 0;
}
