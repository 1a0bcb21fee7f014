/* What a program has the driver link: pieces of PTX, machine code, objects and libraries. And what it asks of the
 * driver's compiler. */

#include "parts.h"

struct CUlinkState_st {
    struct code_piece *pieces; /* copies, with a NUL behind each */
    size_t count, size;
    unsigned char *made; /* NULL: it is not complete */
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
            return runtime_not_simulated("debug information (CU_JIT_GENERATE_DEBUG_INFO)");
        case CU_JIT_OPTIMIZATION_LEVEL:
            if ((uintptr_t)values[i] == 4) /* it is that without the option */
                break;
            return runtime_not_simulated("JIT optimization level %u", (unsigned)(uintptr_t)values[i]);
        default:
            return runtime_not_simulated("JIT option %d", (int)options[i]);
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
    static const char *const kinds[] = {[CU_JIT_INPUT_CUBIN] = "cubin",
                                        [CU_JIT_INPUT_PTX] = "ptx",
                                        [CU_JIT_INPUT_FATBINARY] = "fatbin",
                                        [CU_JIT_INPUT_OBJECT] = "o",
                                        [CU_JIT_INPUT_LIBRARY] = "a"};
    if (!handle_is(HANDLE_LINK, state) || !bytes || state->made)
        return cudaErrorInvalidValue;
    if ((size_t)type >= ARRAY_SIZE(kinds))
        return runtime_not_simulated("linking code of type %d", (int)type);
    char *copy = memcpy(x_calloc(size + 1, 1), bytes, size);
    *ARRAY_GROW(state->pieces, state->count) = (struct code_piece){kinds[type], copy, size};
    return runtime_lost();
}

static cudaError_t add_file(CUlinkState state, CUjitInputType type, const char *path)
{
    enum { LIMIT = 1 << 30 };
    char *bytes;
    size_t size;
    if (!path || access(path, R_OK) != 0 || file_read(path, LIMIT, &bytes, &size) < 0)
        return path ? cudaErrorFileNotFound : cudaErrorInvalidValue;
    const cudaError_t error = add(state, type, bytes, size);
    free(bytes);
    return error;
}

/* The image is the state's, until that is destroyed. */
static cudaError_t complete(CUlinkState state, void **image, size_t *size)
{
    struct problem problem;
    if (!handle_is(HANDLE_LINK, state) || state->count == 0 || !image)
        return cudaErrorInvalidValue;
    const struct code_piece *first = state->pieces;
    const int capability = gpu_capability(runtime_gpu());
    if (!state->made && state->count == 1 && strcmp(first->kind, "cubin") == 0)
        state->made = memcpy(x_calloc(first->size + 1, 1), first->bytes, state->size = first->size);
    else if (!state->made && state->count == 1 && strcmp(first->kind, "ptx") == 0)
        state->made = ptx_compile(first->bytes, capability, false, &state->size, &problem);
    else if (!state->made)
        state->made = pieces_link(first, state->count, capability, &state->size, &problem);
    if (!state->made) {
        runtime_not_simulated("%s", problem.text);
        return cudaErrorInvalidPtx;
    }
    *image = state->made;
    if (size)
        *size = state->size;
    return runtime_lost();
}

static cudaError_t end(CUlinkState state)
{
    if (!handle_is(HANDLE_LINK, state))
        return cudaErrorInvalidResourceHandle;
    for (size_t i = 0; i < state->count; i++)
        free(state->pieces[i].bytes);
    free(state->pieces);
    free(state->made);
    handle_free(state);
    return runtime_lost();
}

/* clang-format off */
FRONT(cuLinkCreate_v2, (unsigned count, CUjit_option *options, void **values, CUlinkState *state), begin(state, count, options, values))
FRONT(cuLinkAddData_v2, (CUlinkState state, CUjitInputType type, void *bytes, size_t size, const char *name, unsigned count, CUjit_option *options, void **values),
    ((void)name, link_options(count, options, values) == cudaSuccess ? add(state, type, bytes, size) : cudaErrorNotSupported))
FRONT(cuLinkAddFile_v2, (CUlinkState state, CUjitInputType type, const char *path, unsigned count, CUjit_option *options, void **values),
    link_options(count, options, values) == cudaSuccess ? add_file(state, type, path) : cudaErrorNotSupported)
FRONT(cuLinkComplete, (CUlinkState state, void **image, size_t *size), complete(state, image, size))
FRONT(cuLinkDestroy, (CUlinkState state), end(state))
/* clang-format on */
