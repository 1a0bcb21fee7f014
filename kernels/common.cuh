/* common.cuh - what the families share: error returns, seeded inputs, device arrays, comparison with a reference. */
#ifndef COMMON_CUH
#define COMMON_CUH

#include "kernel.h"

#include <cuda_runtime.h>

#include <cmath>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <utility>
#include <vector>

/* Returns the CUDA error from the calling function when `call` fails. */
#define TRY_CUDA(call)                                                                                                 \
    do {                                                                                                               \
        const int try_cuda_result = static_cast<int>(call);                                                            \
        if (try_cuda_result != 0)                                                                                      \
            return try_cuda_result;                                                                                    \
    } while (0)

#define ROWS(table) (sizeof(table) / sizeof((table)[0]))

namespace cugate {

/* A 32-bit value that depends on seed and index alone, so inputs are the same on every machine, in any order, on host
 * and device. The finaliser of MurmurHash3 (Appleby), which is public domain. */
__host__ __device__ inline uint32_t hash32(uint32_t seed, uint64_t index)
{
    uint32_t h = static_cast<uint32_t>(index) * 0x9e3779b9u + static_cast<uint32_t>(index >> 32) * 0x85ebca6bu + seed;
    h = (h ^ (h >> 16)) * 0x85ebca6bu;
    h = (h ^ (h >> 13)) * 0xc2b2ae35u;
    return h ^ (h >> 16);
}

/* Uniform in [0, 1), a multiple of 2^-24, exact in float. */
__host__ __device__ inline float uniform(uint32_t seed, uint64_t index)
{
    return static_cast<float>(hash32(seed, index) >> 8) * 0x1p-24f;
}

/* Device memory that frees itself; `data` is null until allocate() succeeds. */
template <class T> struct device_array {
    T *data = nullptr;
    size_t count = 0;

    device_array() = default;
    device_array(const device_array &) = delete;
    device_array &operator=(const device_array &) = delete;
    ~device_array()
    {
        cudaFree(data);
    }

    int allocate(size_t n)
    {
        TRY_CUDA(cudaMalloc(reinterpret_cast<void **>(&data), n * sizeof(T)));
        count = n;
        return 0;
    }
    int upload(const std::vector<T> &host)
    {
        return static_cast<int>(cudaMemcpy(data, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
    }
    int download(std::vector<T> &host) const
    {
        host.resize(count);
        return static_cast<int>(cudaMemcpy(host.data(), data, count * sizeof(T), cudaMemcpyDeviceToHost));
    }
    /* Every byte 0xFF: a NaN as a floating-point number, so that an element nobody wrote never passes verify. */
    int poison()
    {
        return static_cast<int>(cudaMemsetAsync(data, 0xFF, count * sizeof(T)));
    }
    int copy_from(const device_array &other)
    {
        return static_cast<int>(cudaMemcpyAsync(data, other.data, count * sizeof(T), cudaMemcpyDeviceToDevice));
    }
};

/* Writes the reason and returns CUGATE_WRONG: `return wrong(why, size, "...", ...)`. */
__attribute__((format(printf, 3, 4))) inline int wrong(char *why, size_t size, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why, size, format, arguments);
    va_end(arguments);
    return CUGATE_WRONG;
}

/* |got - want| <= tolerance * max(|want|, scale); false for NaN. */
inline bool close_to(double got, double want, double tolerance, double scale = 1.0)
{
    return std::fabs(got - want) <= tolerance * std::fmax(std::fabs(want), scale);
}

/* The result of the launch itself, for the end of a launch function. */
inline int launched()
{
    return static_cast<int>(cudaGetLastError());
}

/* open and close of a family whose state is a C++ struct with `int open()`. */
template <class State> int open_state(void **state)
{
    State *made = new State;
    const int result = made->open();
    if (result != 0) {
        delete made;
        return result;
    }
    *state = made;
    return 0;
}

template <class State> void close_state(void *state)
{
    delete static_cast<State *>(state);
}

} // namespace cugate

#endif
