/* arrays.hpp - arrays for kernels, the comparison of their results, functions for tables. kernel.hpp includes it. */
#ifndef CUGATE_ARRAYS_HPP
#define CUGATE_ARRAYS_HPP

#include <cugate/kernel.h>

#include <cuda_runtime.h>

#include <cmath>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <type_traits>
#include <utility>
#include <vector>

/* Returns the error from the calling function when `call` fails. */
#define CUGATE_TRY(call)                                                                                               \
    do {                                                                                                               \
        const int cugate_try_result = static_cast<int>(call);                                                          \
        if (cugate_try_result != 0)                                                                                    \
            return cugate_try_result;                                                                                  \
    } while (0)

/* What simulates a GPU has this function, and nothing else does. It may have left blocks of the last launch out,
 * because it proved that they count the same. Then only what the others have written can be compared, without executing
 * all: it sets up to `most` pairs of offsets between which those bytes are written, and returns how many there are.
 * SIZE_MAX: all of them are as the launch leaves them. */
extern "C" __attribute__((weak, visibility("default"))) size_t cugateWritten(const void *memory, size_t bytes,
                                                                             size_t *ranges, size_t most);

namespace cugate {

/* ---- Numbers for inputs ---- */

/* Returns a 32-bit value that depends on seed and index alone, so inputs are the same on every machine, in any order,
 * on host and device. It is the finaliser of MurmurHash3 (Appleby), which is public domain. */
__host__ __device__ inline uint32_t hash32(uint32_t seed, uint64_t index)
{
    uint32_t h = static_cast<uint32_t>(index) * 0x9e3779b9u + static_cast<uint32_t>(index >> 32) * 0x85ebca6bu + seed;
    h = (h ^ (h >> 16)) * 0x85ebca6bu;
    h = (h ^ (h >> 13)) * 0xc2b2ae35u;
    return h ^ (h >> 16);
}

/* Returns a number that is uniform in [0, 1), a multiple of 2^-24 and exact in float. */
__host__ __device__ inline float uniform(uint32_t seed, uint64_t index)
{
    return static_cast<float>(hash32(seed, index) >> 8) * 0x1p-24f;
}

/* ---- The result of verify ---- */

/* Takes the reason from verify in one line: `return why("out[%zu]: expected %g, found %g", i, want, got)`. */
class why {
    char *text;
    size_t size;

  public:
    why(char *text_, size_t size_) : text(text_), size(size_)
    {
    }

    __attribute__((format(printf, 2, 3))) int operator()(const char *format, ...)
    {
        va_list arguments;
        va_start(arguments, format);
        std::vsnprintf(text, size, format, arguments);
        va_end(arguments);
        return CUGATE_WRONG;
    }
};

/* Whether |got - want| <= tolerance * max(|want|, scale). Infinity equals only the same infinity; NaN equals NaN. */
inline bool close_to(double got, double want, double tolerance, double scale = 1.0)
{
    if (std::isnan(got) || std::isnan(want))
        return std::isnan(got) && std::isnan(want);
    if (std::isinf(got) || std::isinf(want))
        return got == want;
    return std::fabs(got - want) <= tolerance * std::fmax(std::fabs(want), scale);
}

/* Returns the error of earlier launches, and clears it. */
inline int launched()
{
    return static_cast<int>(cudaGetLastError());
}

/* ---- Arrays ---- */

/* Elements on the host that are as they come: those that nobody writes take no memory. */
template <class T> struct untouched : std::allocator<T> {
    template <class Other> struct rebind {
        using other = untouched<Other>;
    };
    template <class Element> void construct(Element *)
    {
    }
};
template <class T> using untouched_vector = std::vector<T, untouched<T>>;

/* After so many elements large inputs repeat, so that they are soon made, here and where a GPU is simulated. It is a
 * prime: rows, columns and tiles of a matrix all differ. */
constexpr size_t input_period = 1048583;

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

    [[nodiscard]] int allocate(size_t n)
    {
        CUGATE_TRY(cudaFree(data));
        data = nullptr;
        count = 0;
        CUGATE_TRY(cudaMalloc(reinterpret_cast<void **>(&data), n * sizeof(T)));
        count = n;
        return 0;
    }
    [[nodiscard]] int upload(const std::vector<T> &from)
    {
        return static_cast<int>(cudaMemcpy(data, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice));
    }
    [[nodiscard]] int download(std::vector<T> &to) const
    {
        to.resize(count);
        return static_cast<int>(cudaMemcpy(to.data(), data, count * sizeof(T), cudaMemcpyDeviceToHost));
    }
    /* Whether blocks of the last launch were left out that write here. */
    [[nodiscard]] bool is_partly_written() const
    {
        return cugateWritten && cugateWritten(data, count * sizeof(T), nullptr, 0) != SIZE_MAX;
    }

    /* Downloads the elements that are as the last launch leaves them: those from `first` to before `second`, of each
     * pair. These are all of them, but where blocks were left out (cugateWritten). The others are never touched. */
    [[nodiscard]] int download_written(untouched_vector<T> &to, std::vector<std::pair<size_t, size_t>> &written) const
    {
        std::vector<size_t> offsets;
        const size_t bytes = count * sizeof(T);
        const size_t ranges = cugateWritten ? cugateWritten(data, bytes, nullptr, 0) : SIZE_MAX;
        written.clear();
        to.resize(count);
        if (ranges != SIZE_MAX) {
            offsets.resize(2 * ranges);
            cugateWritten(data, bytes, offsets.data(), ranges);
        }
        for (size_t i = 0; i < offsets.size(); i += 2) {
            const size_t first = (offsets[i] + sizeof(T) - 1) / sizeof(T), end = offsets[i + 1] / sizeof(T);
            if (first >= end)
                continue;
            CUGATE_TRY(cudaMemcpy(to.data() + first, data + first, (end - first) * sizeof(T), cudaMemcpyDeviceToHost));
            written.emplace_back(first, end);
        }
        if (!written.empty())
            return 0;
        written.emplace_back(0, count);
        return static_cast<int>(cudaMemcpy(to.data(), data, count * sizeof(T), cudaMemcpyDeviceToHost));
    }
    /* Sets every byte to 0xFF. As a floating-point number that is NaN, so an element that nobody writes fails verify.
     * As a whole number it is -1 or the largest: if that may be a right answer, pass another byte. */
    [[nodiscard]] int poison(int byte = 0xFF)
    {
        return static_cast<int>(cudaMemsetAsync(data, byte, count * sizeof(T)));
    }
    /* Fills the elements from input_period on with copies of those before, which alone have to be made. */
    [[nodiscard]] int repeat()
    {
        for (size_t done = input_period; done < count; done *= 2)
            CUGATE_TRY(cudaMemcpyAsync(data + done, data, (done < count - done ? done : count - done) * sizeof(T),
                                       cudaMemcpyDeviceToDevice));
        return 0;
    }
    [[nodiscard]] int copy_from(const device_array &other)
    {
        return static_cast<int>(cudaMemcpyAsync(data, other.data, count * sizeof(T), cudaMemcpyDeviceToDevice));
    }
};

/* Device memory, and on the host a copy of the values from fill(), for computing a reference. */
template <class T> struct array : device_array<T> {
    std::vector<T> host;

    /* Fills n elements with element(i). */
    template <class F, class = std::enable_if_t<std::is_invocable_v<F &, size_t>>>
    [[nodiscard]] int fill(size_t n, F element)
    {
        host.resize(n);
        for (size_t i = 0; i < n; i++)
            host[i] = static_cast<T>(element(i));
        CUGATE_TRY(this->allocate(n));
        return this->upload(host);
    }

    /* Fills n elements with values that depend on the seed alone: uniform in [0, 1), or 32 random bits as whole
     * numbers. */
    [[nodiscard]] int fill(size_t n, uint32_t seed)
    {
        return fill(n, [seed](size_t i) {
            if constexpr (std::is_integral_v<T>)
                return static_cast<T>(hash32(seed, i));
            else
                return uniform(seed, i);
        });
    }

    /* Restores the values of fill(), for arrays that a launch changes in place. */
    [[nodiscard]] int reset()
    {
        return this->upload(host);
    }

    /* Copies the elements from the device and compares each with want(i): equal, or apart by no more than tolerance *
     * max(|want|, 1). Where infinity or NaN is expected, only that is right; elsewhere neither is. Where NaN is
     * expected, poison() with another byte: otherwise unwritten elements are right. Returns 0, CUGATE_WRONG for the
     * first wrong element, or an error. Of a launch whose blocks were left out, by what simulates a GPU, it compares
     * what the others have written. */
    template <class F> [[nodiscard]] int compare(why &why, F want, double tolerance = 0)
    {
        untouched_vector<T> got;
        std::vector<std::pair<size_t, size_t>> written;
        CUGATE_TRY(this->download_written(got, written));
        if (got.empty())
            return why("there is no element to compare");
        size_t first = 0, wrong = 0;
        for (size_t r = written.size(); r-- > 0;) {
            for (size_t i = written[r].second; i-- > written[r].first;) {
                if (!is_right(got[i], want(i), tolerance)) {
                    first = i;
                    wrong++;
                }
            }
        }
        if (wrong == 0)
            return 0;
        return why("element %zu of type %s%zu: expected %.9g, found %.9g; %zu of %zu elements differ", first,
                   type_name(), 8 * sizeof(T), number(want(first)), number(got[first]), wrong, got.size());
    }

  private:
    static const char *type_name() /* before its bits, "float32" */
    {
        return std::is_floating_point_v<T>                      ? "float"
               : std::is_integral_v<T> && std::is_signed_v<T>   ? "int"
               : std::is_integral_v<T> && std::is_unsigned_v<T> ? "uint"
                                                                : "number";
    }

    template <class N> static double number(N value)
    {
        if constexpr (std::is_arithmetic_v<N>)
            return static_cast<double>(value);
        else
            return static_cast<double>(static_cast<float>(value)); /* such as half */
    }

    template <class N> static bool is_right(T got, N want, double tolerance)
    {
        if constexpr (std::is_integral_v<T> && std::is_integral_v<N>)
            if (tolerance == 0)
                return got == static_cast<T>(want);
        return close_to(number(got), number(want), tolerance);
    }
};

/* ---- For tables that are written as in kernel.h ---- */

/* Writes the reason and returns CUGATE_WRONG: `return wrong(why, size, "...", ...)`. */
__attribute__((format(printf, 3, 4))) inline int wrong(char *why, size_t size, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(why, size, format, arguments);
    va_end(arguments);
    return CUGATE_WRONG;
}

/* open and close for a family whose state is a C++ struct with `int open()`. */
template <class State> int open_state(const cugate_family *, void **state)
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
