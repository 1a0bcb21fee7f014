/* library.cuh - the end of a library of kernels: what cugate asks it for. */
#ifndef LIBRARY_CUH
#define LIBRARY_CUH

#include "cugate/kernel.h"

#include <cuda_runtime.h>

#include <iterator>

namespace library {

inline int synchronize()
{
    /* The launch's own error comes first; asking for it also clears it. */
    const cudaError_t executed = cudaDeviceSynchronize();
    const cudaError_t launched = cudaGetLastError();
    return static_cast<int>(launched != cudaSuccess ? launched : executed);
}

inline const char *error_text(int code)
{
    return cudaGetErrorString(static_cast<cudaError_t>(code));
}

} // namespace library

#define LIBRARY_TEXT(x) #x
#define LIBRARY_DIGITS(x) LIBRARY_TEXT(x)
#define LIBRARY_COMPILER                                                                                               \
    "nvcc " LIBRARY_DIGITS(__CUDACC_VER_MAJOR__) "." LIBRARY_DIGITS(__CUDACC_VER_MINOR__) "." LIBRARY_DIGITS(          \
        __CUDACC_VER_BUILD__)

/* A family of kernels whose state is of a C++ type. Its variants are id_variants, its check verify<id_name>. */
#define FAMILY_OF(state, id, text, restore_function)                                                                   \
    constexpr char id##_name[] = #id;                                                                                  \
    const struct cugate_family id##_family = {                                                                         \
        .name = id##_name,                                                                                             \
        .doc = text,                                                                                                   \
        .kind = CUGATE_KERNELS,                                                                                        \
        .open = cugate::open_state<state>,                                                                             \
        .restore = restore_function,                                                                                   \
        .verify = verify<id##_name>,                                                                                   \
        .close = cugate::close_state<state>,                                                                           \
        .variants = id##_variants,                                                                                     \
        .variant_count = std::size(id##_variants),                                                                     \
    };

/* list: an array of pointers to families. */
#define LIBRARY(list)                                                                                                  \
    extern "C" const struct cugate_library *cugate_library(void)                                                       \
    {                                                                                                                  \
        static const struct cugate_library library = {                                                                 \
            .abi = CUGATE_KERNEL_ABI,                                                                                  \
            .compiler = LIBRARY_COMPILER,                                                                              \
            .flags = nullptr,                                                                                          \
            .families = list,                                                                                          \
            .family_count = std::size(list),                                                                           \
            .synchronize = library::synchronize,                                                                       \
            .error_text = library::error_text,                                                                         \
        };                                                                                                             \
        return &library;                                                                                               \
    }

#endif
