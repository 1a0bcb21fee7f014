/* library.cuh - the end of a library of kernels: what cugate asks it for. What a kernel must have written is what a GPU
 * wrote, to the bit: tests/sim/recorded.sh compares the simulator with that, so a library only keeps its outputs. */
#ifndef LIBRARY_CUH
#define LIBRARY_CUH

#include <cugate/arrays.hpp>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

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

/* Where CUGATE_OUTPUTS names a folder, the bytes go to FOLDER/FAMILY-VARIANT.bin. Otherwise
 * nothing is written. A file that cannot be written whole is an error: half an output would look like a wrong one. */
inline int keep(const char *family, const char *variant, const void *bytes, size_t size, char *why, size_t why_size)
{
    const char *const folder = std::getenv("CUGATE_OUTPUTS");
    if (!folder || !folder[0])
        return 0;
    char path[4096];
    std::snprintf(path, sizeof path, "%s/%s-%s.bin", folder, family, variant);
    std::FILE *const file = std::fopen(path, "wb");
    bool written = file && std::fwrite(bytes, 1, size, file) == size;
    if (file && std::fclose(file) != 0)
        written = false;
    if (written)
        return 0;
    std::snprintf(why, why_size, "CUGATE_OUTPUTS: %s could not be written: %s", path, std::strerror(errno));
    return CUGATE_WRONG;
}

/* State has `out`, and how many `words` of it the last launch wrote, from its beginning. */
template <class State, const char *family>
int verify(void *state, const struct cugate_variant *variant, char *why, size_t why_size)
{
    const State *const s = static_cast<State *>(state);
    std::vector<uint32_t> got(s->words);
    CUGATE_TRY(cudaMemcpy(got.data(), s->out.data, got.size() * sizeof got[0], cudaMemcpyDeviceToHost));
    return keep(family, variant->name, got.data(), got.size() * sizeof got[0], why, why_size);
}

} // namespace library

#define LIBRARY_TEXT(x) #x
#define LIBRARY_DIGITS(x) LIBRARY_TEXT(x)
#define LIBRARY_COMPILER                                                                                               \
    "nvcc " LIBRARY_DIGITS(__CUDACC_VER_MAJOR__) "." LIBRARY_DIGITS(__CUDACC_VER_MINOR__) "." LIBRARY_DIGITS(          \
        __CUDACC_VER_BUILD__)

/* A variant of which launch<TYPE> is made. The type comes last: it may have commas. */
#define ROW(variant, text, ...)                                                                                        \
    {                                                                                                                  \
        .name = variant, .doc = text, .launch = launch<__VA_ARGS__>, .bytes = 4.0 * __VA_ARGS__::words                 \
    }

/* A family of kernels whose state is of a C++ type. Its variants are id_variants. */
#define FAMILY_OF(state, id, text, restore_function)                                                                   \
    constexpr char id##_name[] = #id;                                                                                  \
    const struct cugate_family id##_family = {                                                                         \
        .name = id##_name,                                                                                             \
        .doc = text,                                                                                                   \
        .kind = CUGATE_KERNELS,                                                                                        \
        .open = cugate::open_state<state>,                                                                             \
        .restore = restore_function,                                                                                   \
        .verify = library::verify<state, id##_name>,                                                                   \
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
