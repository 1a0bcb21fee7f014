/* kernel.hpp - a kernel library in C++17, in few lines. <cugate/kernel.h> is the contract, and says which stream a
 * launch is on, what counts, and which runtime of CUDA; this header needs nothing but that and cuda_runtime.h.
 *
 *     #include <cugate/kernel.hpp>
 *
 *     __global__ void saxpy_kernel(const float *x, const float *y, float *out) { ... }
 *
 *     struct saxpy {
 *         cugate::array<float> x, y, out;
 *         int open(const cugate::point &at)
 *         {
 *             CUGATE_TRY(x.fill(at["n"], 1)); // random numbers, from this seed
 *             CUGATE_TRY(y.fill(at["n"], 2));
 *             return out.allocate(at["n"]);
 *         }
 *         int restore() { return out.poison(); }
 *         int verify(cugate::why &why) { return out.compare(why, [&](size_t i) { return 2 * x.host[i] + y.host[i]; });
 * }
 *     };
 *
 *     CUGATE_LIBRARY(cugate::family<saxpy>("saxpy", "out = 2 x + y")
 *                        .axis("n", {1 << 20, 1 << 24})
 *                        .bytes([](const cugate::point &at) { return 12.0 * at["n"]; })
 *                        .variant("simple", "an element a thread",
 *                                 [](saxpy &s) { saxpy_kernel<<<s.out.count / 256, 256>>>(s.x.data, s.y.data,
 * s.out.data); }))
 *
 *     nvcc -O3 -lineinfo -shared -cudart shared -Xcompiler -fPIC -o libmine.so saxpy.cu
 *
 * It holds saxpy/simple[n=1M] and saxpy/simple[n=16M].
 *
 * The struct of a family has:
 *     int open(const point &)    or int open(): allocates, and fills from fixed seeds: it runs anew in each process
 *     int restore()              puts back what a launch changes, and poisons its outputs
 *     int verify(why &)          or int verify(const cugate_variant &, why &): compares the outputs with a reference
 * and frees what it holds when it is destroyed. Each returns 0, a cudaError_t, or what cugate::why returned. A launch
 * is any function of the struct and may return nothing: the errors of its launches are looked at here, as are those of
 * open and restore. Exceptions are errors, with their words.
 *
 * Several source files: each has a function that returns its family as cugate::definition, and one of them names all:
 * CUGATE_LIBRARY(saxpy_family(), softmax_family()). The `struct cugate_family` of kernel.h may stand between them.
 * One that is a template by type is a family for each type, of one name: family<softmax<half>>("softmax", "...")
 * .axis("type", {"half"}), and family<softmax<float>>("softmax", "...").axis("type", {"float"}). */
#ifndef CUGATE_KERNEL_HPP
#define CUGATE_KERNEL_HPP

#include <cugate/kernel.h>

#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <deque>
#include <exception>
#include <functional>
#include <initializer_list>
#include <stdexcept>
#include <string>
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

namespace cugate {

/* ---- Numbers for inputs
 * ---------------------------------------------------------------------------------------------- */

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

/* ---- What verify says
 * ------------------------------------------------------------------------------------------------ */

/* Where verify says what is wrong: `return why("out[%zu]: expected %g, found %g", i, want, got)`, one line. */
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

/* |got - want| <= tolerance * max(|want|, scale); false for NaN. */
inline bool close_to(double got, double want, double tolerance, double scale = 1.0)
{
    return std::fabs(got - want) <= tolerance * std::fmax(std::fabs(want), scale);
}

/* The error of the launches before, which this clears. */
inline int launched()
{
    return static_cast<int>(cudaGetLastError());
}

/* ---- Arrays
 * ---------------------------------------------------------------------------------------------------------- */

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
    /* Every byte 0xFF: a NaN as a floating-point number, so that an element nobody wrote never passes verify. Of whole
     * numbers it is -1, or the largest: where that may be a right answer, another byte. */
    [[nodiscard]] int poison(int byte = 0xFF)
    {
        return static_cast<int>(cudaMemsetAsync(data, byte, count * sizeof(T)));
    }
    [[nodiscard]] int copy_from(const device_array &other)
    {
        return static_cast<int>(cudaMemcpyAsync(data, other.data, count * sizeof(T), cudaMemcpyDeviceToDevice));
    }
};

/* Device memory, and on the host the values that fill() gave it, for a reference. */
template <class T> struct array : device_array<T> {
    std::vector<T> host;

    /* n elements, each element(i). */
    template <class F, class = std::enable_if_t<std::is_invocable_v<F &, size_t>>>
    [[nodiscard]] int fill(size_t n, F element)
    {
        host.resize(n);
        for (size_t i = 0; i < n; i++)
            host[i] = static_cast<T>(element(i));
        CUGATE_TRY(this->allocate(n));
        return this->upload(host);
    }

    /* n elements that depend on the seed alone: uniform in [0, 1), or whole numbers of 32 random bits. */
    [[nodiscard]] int fill(size_t n, uint32_t seed)
    {
        return fill(n, [seed](size_t i) {
            if constexpr (std::is_integral_v<T>)
                return static_cast<T>(hash32(seed, i));
            else
                return uniform(seed, i);
        });
    }

    /* Puts the values of fill() back, for what a launch changes in place. */
    [[nodiscard]] int reset()
    {
        return this->upload(host);
    }

    /* Takes the elements from the device and compares each with want(i): equal, or apart by no more than
     * tolerance * max(|want|, 1). 0, CUGATE_WRONG with the first one that is wrong, or an error. */
    template <class F> [[nodiscard]] int compare(why &why, F want, double tolerance = 0)
    {
        std::vector<T> got;
        CUGATE_TRY(this->download(got));
        size_t first = 0, wrong = 0;
        for (size_t i = got.size(); i-- > 0;) {
            if (!is_right(got[i], want(i), tolerance)) {
                first = i;
                wrong++;
            }
        }
        if (wrong == 0)
            return 0;
        return why("element %zu of %zu: expected %.9g, found %.9g; %zu are wrong in all", first, got.size(),
                   number(want(first)), number(got[first]), wrong);
    }

  private:
    template <class N> static double number(N value)
    {
        if constexpr (std::is_arithmetic_v<N>)
            return static_cast<double>(value);
        else
            return static_cast<double>(static_cast<float>(value)); /* half and its like */
    }

    template <class N> static bool is_right(T got, N want, double tolerance)
    {
        if constexpr (std::is_integral_v<T> && std::is_integral_v<N>)
            if (tolerance == 0)
                return got == static_cast<T>(want);
        return close_to(number(got), number(want), tolerance);
    }
};

/* ---- Axes
 * ------------------------------------------------------------------------------------------------------------ */

/* A value on an axis: a whole number, such as a size, or a word, such as a type. */
class value {
  public:
    std::string label; /* as it stands in names: 16777216 is 16M */
    bool is_number;
    int64_t number = 0;

    template <class N, class = std::enable_if_t<std::is_integral_v<N> && !std::is_same_v<N, bool>>>
    value(N number_) : is_number(true), number(static_cast<int64_t>(number_))
    {
        int64_t rest = number;
        size_t suffix = 0;
        while (suffix < 3 && rest != 0 && rest % 1024 == 0) {
            rest /= 1024;
            suffix++;
        }
        label = std::to_string(rest) + std::string("KMG").substr(suffix - (suffix > 0), suffix > 0);
    }
    value(const char *word) : label(word), is_number(false)
    {
    }
    value(const std::string &word) : label(word), is_number(false)
    {
    }
};

/* A value on each axis of a family. */
class point {
    std::vector<std::pair<std::string, value>> values; /* by the names of the axes */

    const value &find(const char *axis) const
    {
        for (const auto &[name, value] : values)
            if (name == axis)
                return value;
        throw std::invalid_argument(std::string("the family has no axis \"") + axis + "\"");
    }

  public:
    /* The number on that axis. */
    int64_t operator[](const char *axis) const
    {
        const value &found = find(axis);
        if (!found.is_number)
            throw std::invalid_argument(std::string("\"") + found.label + "\" on the axis \"" + axis +
                                        "\" is no number");
        return found.number;
    }
    /* The word on that axis; of a number its label, such as 16M. */
    const std::string &word(const char *axis) const
    {
        return find(axis).label;
    }

    point with(const std::string &axis, const value &value) const
    {
        point made = *this;
        const auto behind = [&](const auto &other) { return axis < other.first; };
        made.values.insert(std::find_if(made.values.begin(), made.values.end(), behind), {axis, value});
        return made;
    }
    std::string label() const
    {
        std::string text;
        for (const auto &[name, value] : values)
            text += (text.empty() ? "" : ",") + name + "=" + value.label;
        return text;
    }
};

/* A number of bytes or operations: one for all points, or a function of the point. */
class amount {
    std::function<double(const point &)> of;

  public:
    amount(double number) : of([number](const point &) { return number; })
    {
    }
    template <class F, class = std::enable_if_t<std::is_invocable_r_v<double, F &, const point &>>>
    amount(F function) : of(std::move(function))
    {
    }
    double operator()(const point &at) const
    {
        return of(at);
    }
};

/* ---- Families
 * -------------------------------------------------------------------------------------------------------- */

namespace detail {

constexpr int caught = 1 << 20; /* no error of CUDA: the words are in last_words() */

inline std::string &last_words()
{
    static std::string words;
    return words;
}

/* What call() returns; no exception leaves it, as C is what calls here. */
template <class F> int guarded(F call)
{
    try {
        return call();
    } catch (const std::exception &problem) {
        last_words() = problem.what();
    } catch (...) {
        last_words() = "an exception of no standard type";
    }
    return caught;
}

struct row {
    std::string name, doc, not_built;
    std::function<int(void *)> launch; /* of the family's struct; empty when it is not built */
    int (*entry)(void *);              /* launches this row of a `struct opened` */
    amount bytes, flops;
};

/* A family that is open. */
struct opened {
    const std::vector<row> *rows;

    explicit opened(const std::vector<row> &rows_) : rows(&rows_)
    {
    }
    virtual ~opened() = default;
    virtual void *self() = 0;
};

template <class State> struct opened_state : opened {
    State state;

    using opened::opened;
    void *self() override
    {
        return &state;
    }
};

/* What `context` of a struct cugate_family points to. */
struct place {
    const std::vector<row> *rows;
    point at;
    std::string label;
};

template <class State, class = void> constexpr bool opens_at = false;
template <class State>
constexpr bool opens_at<State, std::void_t<decltype(std::declval<State &>().open(std::declval<const point &>()))>> =
    true;

template <class State, class = void> constexpr bool verifies_variant = false;
template <class State>
constexpr bool verifies_variant<State, std::void_t<decltype(std::declval<State &>().verify(
                                           std::declval<const cugate_variant &>(), std::declval<why &>()))>> = true;

template <class State> int open(const cugate_family *self, void **state)
{
    opened_state<State> *made = nullptr;
    const int result = guarded([&] {
        const place &here = *static_cast<const place *>(self->context);
        made = new opened_state<State>(*here.rows);
        if constexpr (opens_at<State>)
            CUGATE_TRY(made->state.open(here.at));
        else
            CUGATE_TRY(made->state.open());
        return launched();
    });
    if (result != 0)
        delete made;
    else
        *state = static_cast<opened *>(made);
    return result;
}

template <class State> State &state_of(void *state)
{
    return *static_cast<State *>(static_cast<opened *>(state)->self());
}

template <class State> int restore(void *state)
{
    return guarded([&] {
        CUGATE_TRY(state_of<State>(state).restore());
        return launched();
    });
}

template <class State> int verify(void *state, const cugate_variant *variant, char *text, size_t size)
{
    return guarded([&] {
        why why(text, size);
        if constexpr (verifies_variant<State>)
            return static_cast<int>(state_of<State>(state).verify(*variant, why));
        else
            return static_cast<int>(state_of<State>(state).verify(why));
    });
}

inline void close(void *state)
{
    delete static_cast<opened *>(state);
}

/* The contract has a function without a context for each variant: this one is of the family's variant of that index. */
template <size_t index> int launch(void *state)
{
    return guarded([&] {
        opened *open = static_cast<opened *>(state);
        CUGATE_TRY((*open->rows)[index].launch(open->self()));
        return launched();
    });
}

} // namespace detail

/* A family of any struct. */
struct definition {
    std::string name, doc;
    cugate_kind kind = CUGATE_KERNELS;
    std::vector<std::pair<std::string, std::vector<value>>> axes;
    std::vector<detail::row> rows;
    decltype(cugate_family::open) open = nullptr;
    decltype(cugate_family::restore) restore = nullptr;
    decltype(cugate_family::verify) verify = nullptr;
};

/* How a family is written down; `variants` counts those it has so far. Each call returns the family with one thing
 * more, so that they follow each other as in the example above. */
template <class State, size_t variants = 0> class [[nodiscard]] family {
    template <class, size_t> friend class family;

    definition made;
    amount family_bytes = 0, family_flops = 0;

    family() = default;

    family<State, variants + 1> with(detail::row row)
    {
        family<State, variants + 1> next;
        next.made = std::move(made);
        next.made.rows.push_back(std::move(row));
        next.family_bytes = family_bytes;
        next.family_flops = family_flops;
        return next;
    }

  public:
    family(const char *name, const char *doc)
    {
        static_assert(variants == 0, "a family begins without a variant");
        static_assert(std::is_default_constructible_v<State>, "the struct of a family is made without arguments");
        made.name = name;
        made.doc = doc;
        made.open = detail::open<State>;
        made.restore = detail::restore<State>;
        made.verify = detail::verify<State>;
    }

    /* Every variant is there once for each value; of several axes, for each combination. */
    family axis(const char *name, std::vector<value> values)
    {
        made.axes.emplace_back(name, std::move(values));
        return std::move(*this);
    }

    /* It launches nothing, but only copies memory. */
    family transfer()
    {
        made.kind = CUGATE_TRANSFER;
        return std::move(*this);
    }

    /* A way to solve the problem: launch(State &) enqueues it, and may return nothing, or an error. */
    template <class Launch> family<State, variants + 1> variant(const char *name, const char *doc, Launch launch)
    {
        const auto run = [launch](void *state) mutable {
            State &self = *static_cast<State *>(state);
            if constexpr (std::is_void_v<std::invoke_result_t<Launch &, State &>>) {
                launch(self);
                return 0;
            } else {
                return static_cast<int>(launch(self));
            }
        };
        return with({name, doc, "", run, detail::launch<variants>, family_bytes, family_flops});
    }

    /* A variant that this build lacks, and why: "cublas_v2.h was not found". */
    family<State, variants + 1> not_built(const char *name, const char *doc, const char *reason)
    {
        return with({name, doc, reason, nullptr, nullptr, family_bytes, family_flops});
    }

    /* What the problem has to move through device memory, read and written, and the operations that it needs: of the
     * variant before, or where they stand before the first variant, of all. Numbers, or functions of the point. */
    family bytes(amount bytes)
    {
        (made.rows.empty() ? family_bytes : made.rows.back().bytes) = std::move(bytes);
        return std::move(*this);
    }
    family flops(amount flops)
    {
        (made.rows.empty() ? family_flops : made.rows.back().flops) = std::move(flops);
        return std::move(*this);
    }

    operator definition() const
    {
        return made;
    }
};

/* ---- The library
 * ----------------------------------------------------------------------------------------------------- */

/* The tables of kernel.h, made of what was written down. A mistake in it, such as an axis without a value, is kept, and
 * refused by cugate with words. */
class library {
  public:
    /* What CUGATE_LIBRARY takes. */
    class member {
        friend class library;
        definition defined;
        const cugate_family *table = nullptr;

      public:
        member(definition made) : defined(std::move(made))
        {
        }
        template <class State, size_t variants>
        member(const family<State, variants> &family) : member(static_cast<definition>(family))
        {
        }
        member(const cugate_family &family) : table(&family)
        {
        }
    };

    library(const char *compiler, const char *flags, std::initializer_list<member> members) : kept(members)
    {
        for (const member &one : kept) {
            if (one.table)
                families.push_back(one.table);
            else
                expand(one.defined, 0, point());
        }
        made = {CUGATE_KERNEL_ABI, compiler, flags, families.data(), families.size(), synchronize, error_text};
    }
    library(const library &) = delete;
    library &operator=(const library &) = delete;

    const struct cugate_library *table() const
    {
        return &made;
    }

  private:
    std::vector<member> kept;
    std::deque<detail::place> places; /* whose elements stay where they are, as do those of the next two */
    std::deque<std::vector<cugate_variant>> variants;
    std::deque<cugate_family> instances;
    std::vector<const cugate_family *> families;
    struct cugate_library made = {};

    /* A family for each combination of the values on the axes from that one on. */
    void expand(const definition &family, size_t axis, const point &at)
    {
        if (axis == family.axes.size()) {
            add(family, at);
            return;
        }
        const auto &[name, values] = family.axes[axis];
        for (const value &value : values)
            expand(family, axis + 1, at.with(name, value));
        if (values.empty()) /* such a point is refused */
            expand(family, axis + 1, at.with(name, value("")));
    }

    void add(const definition &family, const point &at)
    {
        const detail::place &here = places.emplace_back(detail::place{&family.rows, at, at.label()});
        std::vector<cugate_variant> &rows = variants.emplace_back();
        for (const detail::row &row : family.rows)
            rows.push_back({row.name.c_str(), row.doc.c_str(), row.entry, amount_at(family, row.bytes, at),
                            amount_at(family, row.flops, at), row.entry ? nullptr : row.not_built.c_str()});
        instances.push_back({family.name.c_str(), family.doc.c_str(), family.kind, family.open, family.restore,
                             family.verify, detail::close, rows.data(), rows.size(),
                             family.axes.empty() ? nullptr : here.label.c_str(), &here});
        families.push_back(&instances.back());
    }

    /* No number where there is none to be had, with which cugate refuses the family. */
    static double amount_at(const definition &family, const amount &amount, const point &at)
    {
        double number = NAN;
        const auto ask = [&] {
            number = amount(at);
            return 0;
        };
        if (detail::guarded(ask) != 0)
            std::fprintf(stderr, "family %s: bytes or flops: %s\n", family.name.c_str(), detail::last_words().c_str());
        return number;
    }

    static int synchronize()
    {
        /* The launch's own error comes first; asking for it also clears it. */
        const cudaError_t executed = cudaDeviceSynchronize();
        const cudaError_t launched = cudaGetLastError();
        return static_cast<int>(launched != cudaSuccess ? launched : executed);
    }

    static const char *error_text(int code)
    {
        return code == detail::caught ? detail::last_words().c_str()
                                      : cudaGetErrorString(static_cast<cudaError_t>(code));
    }
};

/* ---- For tables that are written as kernel.h has them
 * ---------------------------------------------------------------- */

/* Writes the reason and returns CUGATE_WRONG: `return wrong(why, size, "...", ...)`. */
__attribute__((format(printf, 3, 4))) inline int wrong(char *why, size_t size, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(why, size, format, arguments);
    va_end(arguments);
    return CUGATE_WRONG;
}

/* open and close of a family whose state is a C++ struct with `int open()`. */
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

/* ---- What compiled it
 * ------------------------------------------------------------------------------------------------ */

#define CUGATE_TEXT_OF(word) #word
#define CUGATE_TEXT(word) CUGATE_TEXT_OF(word)

/* Kept beside results, where another compiler is told from another kernel. -DCUGATE_COMPILER and -DCUGATE_FLAGS, each a
 * text in quotes, say it otherwise. What the host's compiler alone compiled has none. */
#ifndef CUGATE_COMPILER
#ifdef __CUDACC_VER_MAJOR__
#define CUGATE_COMPILER                                                                                                \
    "nvcc " CUGATE_TEXT(__CUDACC_VER_MAJOR__) "." CUGATE_TEXT(__CUDACC_VER_MINOR__) "." CUGATE_TEXT(                   \
        __CUDACC_VER_BUILD__)
#elif defined(__clang__) && defined(__CUDA__)
#define CUGATE_COMPILER "clang " __clang_version__
#else
#define CUGATE_COMPILER nullptr
#endif
#endif
#ifndef CUGATE_FLAGS
#define CUGATE_FLAGS nullptr
#endif

/* Exports the library of these families, once in it; also with -fvisibility=hidden. */
#define CUGATE_LIBRARY(...)                                                                                            \
    extern "C" const struct cugate_library *cugate_library(void)                                                       \
    {                                                                                                                  \
        static const ::cugate::library made(CUGATE_COMPILER, CUGATE_FLAGS, {__VA_ARGS__});                             \
        return made.table();                                                                                           \
    }

#endif
