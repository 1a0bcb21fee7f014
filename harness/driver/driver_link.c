/* What a program has the driver link: one piece of PTX or machine code, which is compiled. NVIDIA's linker of several
 * is not simulated. And what it asks of the driver's compiler. */
#include "front.h"

#include "base/base.h"

#include "parts.h"

#include <stdlib.h>
#include <string.h>

struct CUlinkState_st {
    char *code; /* a copy, with a NUL behind it; NULL: nothing was added yet */
    size_t size;
    bool is_ptx;
};

cudaError_t link_options(unsigned count, const CUjit_option *options, void **values)
{
    if (count > 0 && (!options || !values))
        return cudaErrorInvalidValue;
    for (unsigned i = 0; i < count; i++) {
        switch (options[i]) {
        case CU_JIT_WALL_TIME: /* all that ptxas says is on standard error */
        case CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES:
        case CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES:
            values[i] = NULL;
            break;
        case CU_JIT_INFO_LOG_BUFFER:
        case CU_JIT_ERROR_LOG_BUFFER:
            if (values[i])
                *(char *)values[i] = '\0';
            break;
        case CU_JIT_TARGET_FROM_CUCONTEXT:
        case CU_JIT_FALLBACK_STRATEGY:
        case CU_JIT_LOG_VERBOSE:
        case CU_JIT_GENERATE_LINE_INFO:
        case CU_JIT_CACHE_MODE:
            break;
        case CU_JIT_GENERATE_DEBUG_INFO:
            if (!values[i])
                break;
            return runtime_not_simulated("code for a debugger, as CU_JIT_GENERATE_DEBUG_INFO asks for");
        case CU_JIT_OPTIMIZATION_LEVEL:
            if ((uintptr_t)values[i] == 4) /* it is that without the option */
                break;
            return runtime_not_simulated("optimization level %u of the driver's compiler",
                                         (unsigned)(uintptr_t)values[i]);
        default:
            return runtime_not_simulated("option %d of the driver's compiler", (int)options[i]);
        }
    }
    return runtime_lost();
}

static cudaError_t begin(CUlinkState *state, unsigned count, const CUjit_option *options, void **values)
{
    const cudaError_t error = link_options(count, options, values);
    return error == cudaSuccess ? SET(state, handle_new(HANDLE_LINK, sizeof **state), error) : error;
}

static cudaError_t add(CUlinkState state, CUjitInputType type, const void *bytes, size_t size)
{
    if (!handle_is(HANDLE_LINK, state) || !bytes)
        return cudaErrorInvalidValue;
    if (state->code || (type != CU_JIT_INPUT_PTX && type != CU_JIT_INPUT_CUBIN))
        return runtime_not_simulated("linking of several pieces of machine code, or of a library");
    state->code = memcpy(x_calloc(size + 1, 1), bytes, size);
    state->size = size;
    state->is_ptx = type == CU_JIT_INPUT_PTX;
    return runtime_lost();
}

/* The image is the state's, until that is destroyed. */
static cudaError_t complete(CUlinkState state, void **image, size_t *size)
{
    struct problem problem;
    if (!handle_is(HANDLE_LINK, state) || !state->code || !image)
        return cudaErrorInvalidValue;
    if (state->is_ptx) {
        char *made = (char *)ptx_compile(state->code, gpu_capability(runtime_gpu()), &state->size, &problem);
        if (!made) {
            runtime_not_simulated("%s", problem.text);
            return cudaErrorInvalidPtx;
        }
        free(state->code);
        state->code = made;
        state->is_ptx = false;
    }
    *image = state->code;
    if (size)
        *size = state->size;
    return runtime_lost();
}

static cudaError_t end(CUlinkState state)
{
    if (!handle_is(HANDLE_LINK, state))
        return cudaErrorInvalidResourceHandle;
    free(state->code);
    handle_free(state);
    return runtime_lost();
}

/* clang-format off */
FRONT(cuLinkCreate_v2, (unsigned count, CUjit_option *options, void **values, CUlinkState *state), begin(state, count, options, values))
FRONT(cuLinkAddData_v2, (CUlinkState state, CUjitInputType type, void *bytes, size_t size, const char *name, unsigned count, CUjit_option *options, void **values),
    ((void)name, link_options(count, options, values) == cudaSuccess ? add(state, type, bytes, size) : cudaErrorNotSupported))
FRONT(cuLinkComplete, (CUlinkState state, void **image, size_t *size), complete(state, image, size))
FRONT(cuLinkDestroy, (CUlinkState state), end(state))
/* clang-format on */
