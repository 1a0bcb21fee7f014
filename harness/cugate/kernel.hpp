/* kernel.hpp - a short way to write a kernel library in C++17. <cugate/kernel.h> is the contract: it says which stream
 * a launch uses, what counts, and which CUDA runtime to link. Arrays are in <cugate/arrays.hpp>, axes in
 * <cugate/axes.hpp>. The only other header needed is cuda_runtime.h. A library with tables as in kernel.h needs
 * <cugate/arrays.hpp> alone, which compiles in a third of the time.
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
 *         int verify(cugate::why &why)
 *         {
 *             return out.compare(why, [&](size_t i) { return 2 * x.host[i] + y.host[i]; }, 1e-6);
 *         }
 *     };
 *
 *     CUGATE_LIBRARY(cugate::family<saxpy>("saxpy", "out = 2 x + y")
 *                        .axis("n", {1 << 20, 1 << 24})
 *                        .bytes([](const cugate::point &at) { return 12.0 * at["n"]; })
 *                        .variant("simple", "an element a thread", [](saxpy &s) {
 *                            saxpy_kernel<<<s.out.count / 256, 256>>>(s.x.data, s.y.data, s.out.data);
 *                        }))
 *
 *     nvcc -O3 -arch=sm_90 -lineinfo -shared -cudart shared -Xcompiler -fPIC -o libmine.so saxpy.cu
 *
 * This library has the kernels saxpy/simple[n=1M] and saxpy/simple[n=16M].
 *
 * The struct of a family has these functions:
 *     int open(const point &)    or int open(): allocates and fills from fixed seeds; each process calls it again
 *     int restore()              restores what a launch changes, and poisons its outputs
 *     int verify(why &)          or int verify(const cugate_variant &, why &): compares the outputs with a reference
 * Its destructor frees what it holds. Each function returns 0, a cudaError_t, or what cugate::why returned. A launch is
 * any function of the struct, and may return nothing: this file checks for errors of its launches, as after open and
 * restore. Exceptions are errors, with their message.
 *
 * If there are several source files, each has a function that returns its family as cugate::definition, and one of them
 * names all: CUGATE_LIBRARY(saxpy_family(), softmax_family()). A `struct cugate_family` of kernel.h may be among them.
 * A template by type becomes one family for each type, with one name: family<softmax<half>>("softmax",
 * "...").axis("type", {"half"}), and family<softmax<float>>("softmax", "...").axis("type", {"float"}). */
#ifndef CUGATE_KERNEL_HPP
#define CUGATE_KERNEL_HPP

#include <cugate/arrays.hpp>
#include <cugate/axes.hpp>
#include <cugate/kernel.h>

#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <deque>
#include <exception>
#include <functional>
#include <initializer_list>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace cugate {

/* ---- Families ---- */

namespace detail {

constexpr int caught = 1 << 20; /* no CUDA error: the message is in last_words() */

inline std::string &last_words()
{
    static std::string words;
    return words;
}

/* Returns what call() returns. Exceptions become errors, because the caller is C. */
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
    std::function<int(void *)> launch; /* launches the variant, given the family's struct; empty when it is not built */
    int (*entry)(void *);              /* launches the variant of this element of a `struct opened` */
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

/* Launches the family's variant of that index. The contract has a function for each variant, without a context. */
template <size_t index> int launch(void *state)
{
    return guarded([&] {
        opened *open = static_cast<opened *>(state);
        CUGATE_TRY((*open->rows)[index].launch(open->self()));
        return launched();
    });
}

} // namespace detail

/* The definition of a family, whatever its struct. */
struct definition {
    std::string name, doc;
    cugate_kind kind = CUGATE_KERNELS;
    std::vector<std::pair<std::string, std::vector<value>>> axes;
    std::vector<detail::row> rows;
    decltype(cugate_family::open) open = nullptr;
    decltype(cugate_family::restore) restore = nullptr;
    decltype(cugate_family::verify) verify = nullptr;
};

/* The part of a family that its struct does not change, so a compiler generates it once and not for each variant. */
class any_family {
    friend class library;

  protected:
    definition made;
    amount family_bytes = 0, family_flops = 0;

    any_family() = default;
    __attribute__((noinline)) any_family(any_family &&other) noexcept = default;

    __attribute__((noinline)) void add(const char *name, const char *doc, const char *not_built,
                                       std::function<int(void *)> launch, int (*entry)(void *))
    {
        made.rows.push_back({name, doc, not_built, std::move(launch), entry, family_bytes, family_flops});
    }

  public:
    any_family(const any_family &) = default;
    __attribute__((noinline)) ~any_family() = default;

    operator definition() const
    {
        return made;
    }
};

/* Defines a family; `variants` counts those defined so far. Each call returns the family with one more definition, so
 * calls can be chained as in the example above. */
template <class State, size_t variants = 0> class [[nodiscard]] family : public any_family {
    template <class, size_t> friend class family;

    explicit family(any_family &&before) : any_family(std::move(before))
    {
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

    /* Adds an axis: every variant exists once for each value, or for each combination of values on several axes. */
    family axis(const char *name, std::vector<value> values)
    {
        made.axes.emplace_back(name, std::move(values));
        return std::move(*this);
    }

    /* Declares that launches only copy memory. */
    family transfer()
    {
        made.kind = CUGATE_TRANSFER;
        return std::move(*this);
    }

    /* Adds a variant, a way to solve the problem. launch(State &) enqueues it, and may return nothing or an error. */
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
        add(name, doc, "", run, detail::launch<variants>);
        return family<State, variants + 1>(std::move(*this));
    }

    /* Adds a variant that this build lacks, with the reason: "cublas_v2.h was not found". */
    family<State, variants + 1> not_built(const char *name, const char *doc, const char *reason)
    {
        add(name, doc, reason, nullptr, nullptr);
        return family<State, variants + 1>(std::move(*this));
    }

    /* State how many bytes the problem must read and write in device memory, and how many operations it needs. They
     * hold for the variant before, or before the first variant for all. Numbers, or functions of the point. */
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
};

/* ---- The library ---- */

/* Makes the tables of kernel.h from the definitions. A mistake in these, such as an axis without a value, is passed on,
 * and cugate refuses it with a message. */
class library {
  public:
    /* An argument of CUGATE_LIBRARY. */
    class member {
        friend class library;
        definition defined;
        const cugate_family *table = nullptr;

      public:
        member(definition made) : defined(std::move(made))
        {
        }
        member(const any_family &family) : defined(family.made)
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
    std::deque<detail::place> places; /* a deque, so that elements stay where they are; so are the next two */
    std::deque<std::vector<cugate_variant>> variants;
    std::deque<cugate_family> instances;
    std::vector<const cugate_family *> families;
    struct cugate_library made = {};

    /* Adds a family for each combination of the values on the axes from `axis` on. */
    void expand(const definition &family, size_t axis, const point &at)
    {
        if (axis == family.axes.size()) {
            add(family, at);
            return;
        }
        const auto &[name, values] = family.axes[axis];
        for (const value &value : values)
            expand(family, axis + 1, at.with(name, value));
        if (values.empty()) /* cugate refuses a point without values */
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

    /* Returns the amount at a point; NaN where there is none, with which cugate refuses the family. */
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
        /* The launch's own error comes first. Asking for it also clears it. */
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

} // namespace cugate

/* ---- The compiler ---- */

#define CUGATE_TEXT_OF(word) #word
#define CUGATE_TEXT(word) CUGATE_TEXT_OF(word)

/* The compiler, which is recorded with results to tell another compiler from another kernel. -DCUGATE_COMPILER and
 * -DCUGATE_FLAGS, each a quoted text, override it. Code that only the host compiler compiled has none. */
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

/* Exports the library of these families, even with -fvisibility=hidden. Use it once in a library. */
#define CUGATE_LIBRARY(...)                                                                                            \
    extern "C" const struct cugate_library *cugate_library(void)                                                       \
    {                                                                                                                  \
        static const ::cugate::library made(CUGATE_COMPILER, CUGATE_FLAGS, {__VA_ARGS__});                             \
        return made.table();                                                                                           \
    }

#endif
