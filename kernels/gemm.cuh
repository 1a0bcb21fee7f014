/* gemm.cuh - what the GEMM families share: the problem C = alpha A B + beta C with its check, and cuBLAS, the vendor
 * reference, as their last variant.
 *
 * cuBLAS is found in two steps. Without <cublas_v2.h> when the library is built, the row is not built. With it, the
 * shared object is opened when the variant is first launched: the library of kernels has no need of cuBLAS, and a
 * machine without it loses that one variant, whose launch returns cudaErrorSharedObjectInitFailed. Links with -ldl. */
#ifndef GEMM_CUH
#define GEMM_CUH

#include <cugate/arrays.hpp>

#include <algorithm>
#include <limits>
#include <map>
#include <thread>

#if __has_include(<cublas_v2.h>)

#include <cublas_v2.h>
#include <dlfcn.h>

#define CUBLAS_TEXT(x) #x
#define CUBLAS_LIBRARY(major) "libcublas.so." CUBLAS_TEXT(major)

namespace cugate {

constexpr const char *cublas_not_built = nullptr;

/* A cuBLAS handle, made when it is first needed; that takes some tenths of a second. */
class cublas {
    cublasHandle_t handle = nullptr;
    decltype(&cublasCreate_v2) create = nullptr;
    decltype(&cublasDestroy_v2) destroy = nullptr;
    decltype(&cublasSetMathMode) set_math_mode = nullptr;
    decltype(&cublasSgemm_v2) sgemm = nullptr;
    decltype(&cublasDgemm_v2) dgemm = nullptr;

    template <class Function> static int find(void *library, const char *name, Function &function)
    {
        function = reinterpret_cast<Function>(dlsym(library, name));
        return function ? 0 : static_cast<int>(cudaErrorSharedObjectSymbolNotFound);
    }

    /* The CUDA error nearest in meaning, since a launch returns nothing else. */
    static int cuda_error(cublasStatus_t status)
    {
        switch (status) {
        case CUBLAS_STATUS_SUCCESS:
            return 0;
        case CUBLAS_STATUS_NOT_INITIALIZED:
            return static_cast<int>(cudaErrorInitializationError);
        case CUBLAS_STATUS_ALLOC_FAILED:
            return static_cast<int>(cudaErrorMemoryAllocation);
        case CUBLAS_STATUS_INVALID_VALUE:
            return static_cast<int>(cudaErrorInvalidValue);
        case CUBLAS_STATUS_ARCH_MISMATCH:
        case CUBLAS_STATUS_NOT_SUPPORTED:
            return static_cast<int>(cudaErrorNotSupported);
        case CUBLAS_STATUS_EXECUTION_FAILED:
            return static_cast<int>(cudaErrorLaunchFailure);
        default:
            return static_cast<int>(cudaErrorUnknown);
        }
    }

    int open()
    {
        /* Never closed: the next family needs it again, and loading it costs more than the GEMM. */
        void *library = dlopen(CUBLAS_LIBRARY(CUBLAS_VER_MAJOR), RTLD_LAZY | RTLD_LOCAL);
        if (!library)
            return static_cast<int>(cudaErrorSharedObjectInitFailed);
        CUGATE_TRY(find(library, "cublasCreate_v2", create));
        CUGATE_TRY(find(library, "cublasDestroy_v2", destroy));
        CUGATE_TRY(find(library, "cublasSetMathMode", set_math_mode));
        CUGATE_TRY(find(library, "cublasSgemm_v2", sgemm));
        CUGATE_TRY(find(library, "cublasDgemm_v2", dgemm));
        CUGATE_TRY(cuda_error(create(&handle)));
        /* The default mode computes fp32 in fp32: TF32 is another mode, and only on request. */
        return cuda_error(set_math_mode(handle, CUBLAS_DEFAULT_MATH));
    }

    cublasStatus_t gemm(int n, float alpha, const float *a, const float *b, float beta, float *c) const
    {
        return sgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &alpha, a, n, b, n, &beta, c, n);
    }
    cublasStatus_t gemm(int n, double alpha, const double *a, const double *b, double beta, double *c) const
    {
        return dgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &alpha, a, n, b, n, &beta, c, n);
    }

  public:
    cublas() = default;
    cublas(const cublas &) = delete;
    cublas &operator=(const cublas &) = delete;
    ~cublas()
    {
        if (handle)
            destroy(handle);
    }

    /* C = alpha A B + beta C, enqueued on the default stream. cuBLAS stores by columns, so it sees the transposes of
     * our matrices, and C' = alpha B' A' + beta C'. */
    template <class T> int row_major_gemm(int n, T alpha, const T *a, const T *b, T beta, T *c)
    {
        if (!handle)
            CUGATE_TRY(open());
        return cuda_error(gemm(n, alpha, b, a, beta, c));
    }
};

} // namespace cugate

#else

namespace cugate {

constexpr const char *cublas_not_built = "cublas_v2.h was not found";

struct cublas {
    template <class T> int row_major_gemm(int, T, const T *, const T *, T, T *)
    {
        return static_cast<int>(cudaErrorNotSupported);
    }
};

} // namespace cugate

#endif

namespace cugate {

/* Element `index` of the input matrix made from `seed`: uniform in [-1, 1), with 24 random bits for float and 48 for
 * double. A large matrix repeats them. */
template <class T> __host__ __device__ inline T gemm_input(uint32_t seed, uint64_t index)
{
    index %= input_period;
    if constexpr (sizeof(T) == sizeof(float))
        return 2 * uniform(seed, index) - 1;
    else
        return 2 * (static_cast<T>(uniform(seed, 2 * index)) + 0x1p-24 * uniform(seed, 2 * index + 1)) - 1;
}

template <class T> __global__ void gemm_fill(T *matrix, uint32_t seed, size_t count)
{
    const size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < count)
        matrix[i] = gemm_input<T>(seed, i);
}

/* The same on the host, where each element is made once. `count` is that of the matrix. */
template <class T> struct gemm_inputs {
    std::vector<T> made;

    gemm_inputs(uint32_t seed, size_t count) : made(std::min(count, input_period))
    {
        for (size_t i = 0; i < made.size(); i++)
            made[i] = gemm_input<T>(seed, i);
    }
    T operator[](size_t index) const
    {
        return made[index % input_period];
    }
};

/* The sum of term(0) to term(count - 1), by blocks: in one go, a long sum of doubles would round as much as the doubles
 * that it checks. */
template <class Term> double sum_of(size_t count, Term term)
{
    constexpr size_t block = 64;
    double sum = 0;
    for (size_t i = 0; i < count; i += block) {
        double part = 0;
        for (size_t k = i; k < std::min(i + block, count); k++)
            part += term(k);
        sum += part;
    }
    return sum;
}

/* Does work(0) to work(count - 1) on all processors: the reference of a large point takes a part of a second on one. */
template <class Work> void for_all(size_t count, Work work)
{
    const size_t step = std::max(1U, std::thread::hardware_concurrency());
    std::vector<std::thread> threads;
    for (size_t first = 0; first < step; first++)
        threads.emplace_back([=] {
            for (size_t i = first; i < count; i += step)
                work(i);
        });
    for (std::thread &thread : threads)
        thread.join();
}

/* The state of a GEMM family: C = alpha A B + beta C in place, square row-major matrices of order n.
 *
 * The check covers all of C in O(n^2): for a vector x of random weights, between 1 and 2 and of either sign, every row
 * of C x must equal the row of alpha A (B x) + beta C0 x, in float64. A wrong element moves the sum of its row by its
 * error at least, and an exchange of two elements does not cancel. As many as `probes` elements, at least one in every
 * 128 x 128 tile, are compared with their own dot product besides.
 *
 * Tolerance: the partial sums of a dot product of n terms from [-1, 1) walk at random, about sqrt(k) / 3 after k
 * terms; each addition rounds by up to unit roundoff u of that. The variances add up to a standard deviation of u n / 7
 * for an element of A B, alpha times that for C, and sqrt(7 n / 3) times that for the weighted sum of a row. Both
 * tolerances stand at eleven deviations. For sgemm of 2048 that is 2^-12 an element and 0.017 a row: one element wrong
 * by 0.034 is always found, where elements are about 19 in size. TF32 misses by 0.005 an element and 0.3 a row. */
template <class T, int n> struct gemm {
    static constexpr T alpha = 1.25;
    static constexpr T beta = -0.5;
    static constexpr size_t elements = size_t{n} * n;
    static constexpr double bytes = 4.0 * elements * sizeof(T); /* the problem reads A, B and C and writes C */
    static constexpr double flops = elements * (2.0 * n + 3);

    static constexpr int tile = 128; /* of which one element is compared at least */
    static constexpr int probes = std::max(512, n / tile * (n / tile));
    static constexpr double element_tolerance = std::numeric_limits<T>::epsilon() * n;

    device_array<T> a, b, c, first_c;
    cublas vendor;
    std::vector<double> weights;
    std::vector<double> want_rows;
    std::vector<size_t> probe_at;
    std::vector<double> want_probes;
    untouched_vector<T> got;

    enum seed : uint32_t { seed_a = 0xa, seed_b = 0xb, seed_c = 0xc, seed_weights = 0xd, seed_probes = 0xe };

    int open();
    int check(char *why, size_t why_size);
    int check_written(char *why, size_t why_size);

    /* Functions for a family's table. */
    static int restore(void *state)
    {
        gemm &g = *static_cast<gemm *>(state);
        return g.c.copy_from(g.first_c);
    }
    static int verify(void *state, const struct cugate_variant *, char *why, size_t why_size)
    {
        return static_cast<gemm *>(state)->check(why, why_size);
    }
    static int launch_cublas(void *state)
    {
        gemm &g = *static_cast<gemm *>(state);
        return g.vendor.row_major_gemm(n, alpha, g.a.data, g.b.data, beta, g.c.data);
    }

  private:
    static int make(device_array<T> &matrix, uint32_t seed);
    using inputs = gemm_inputs<T>;
    static std::vector<double> times(const inputs &matrix, const std::vector<double> &vector);
    static double want(const inputs &a, const inputs &b, const inputs &c, size_t row, size_t column);
    void make_reference();
    int wrong_row(size_t row, const T *found, char *why, size_t why_size) const;
};

template <class T, int n> int gemm<T, n>::make(device_array<T> &matrix, uint32_t seed)
{
    constexpr unsigned threads = 256;
    constexpr size_t made = std::min(elements, input_period);
    CUGATE_TRY(matrix.allocate(elements));
    gemm_fill<<<(made + threads - 1) / threads, threads>>>(matrix.data, seed, made);
    CUGATE_TRY(launched());
    return matrix.repeat();
}

/* An input matrix times a vector. */
template <class T, int n> std::vector<double> gemm<T, n>::times(const inputs &matrix, const std::vector<double> &vector)
{
    std::vector<double> product(n);
    for_all(n,
            [&](size_t row) { product[row] = sum_of(n, [&](size_t k) { return matrix[row * n + k] * vector[k]; }); });
    return product;
}

/* The right C[row][column]. */
template <class T, int n>
double gemm<T, n>::want(const inputs &a, const inputs &b, const inputs &c, size_t row, size_t column)
{
    const double product = sum_of(n, [&](size_t k) { return double{a[row * n + k]} * b[k * n + column]; });
    return alpha * product + beta * c[row * n + column];
}

/* What all of C is compared with, made when it first is. */
template <class T, int n> void gemm<T, n>::make_reference()
{
    const inputs in_a(seed_a, elements), in_b(seed_b, elements), in_c(seed_c, elements);
    const std::vector<double> product = times(in_a, times(in_b, weights));
    const std::vector<double> first = times(in_c, weights);
    want_rows.resize(n);
    for (size_t i = 0; i < n; i++)
        want_rows[i] = alpha * product[i] + beta * first[i];

    constexpr size_t tiles = n / tile;
    probe_at.resize(probes);
    want_probes.resize(probes);
    for_all(probes, [&](size_t i) {
        const uint32_t inside = hash32(seed_probes, i);
        const size_t row = i / tiles % tiles * tile + inside % tile;
        const size_t column = i % tiles * tile + inside / tile % tile;
        probe_at[i] = row * n + column;
        want_probes[i] = want(in_a, in_b, in_c, row, column);
    });
}

template <class T, int n> int gemm<T, n>::open()
{
    CUGATE_TRY(make(a, seed_a));
    CUGATE_TRY(make(b, seed_b));
    CUGATE_TRY(make(first_c, seed_c));
    CUGATE_TRY(c.allocate(elements));
    weights.resize(n);
    for (size_t i = 0; i < n; i++)
        weights[i] = (hash32(seed_weights, i) % 2 ? 1 : -1) * (1.0 + uniform(seed_weights, i));
    return 0;
}

/* Names the element that is furthest off in a row whose sum is wrong. */
template <class T, int n> int gemm<T, n>::wrong_row(size_t row, const T *found, char *why, size_t why_size) const
{
    const inputs in_a(seed_a, elements), in_b(seed_b, elements), in_c(seed_c, elements);
    size_t worst = 0;
    double worst_want = 0;
    double worst_error = -1;
    for (size_t column = 0; column < n; column++) {
        const double expected = want(in_a, in_b, in_c, row, column);
        const double error = std::fabs(found[column] - expected);
        if (!(error <= worst_error)) {
            worst = column;
            worst_want = expected;
            worst_error = error;
        }
        if (std::isnan(error))
            break;
    }
    return wrong(why, why_size, "C[%zu][%zu]: expected %.9g, found %.9g (the sum of its row is off)", row, worst,
                 worst_want, static_cast<double>(found[worst]));
}

/* Checks the elements that the executed blocks of a launch have written, where the others were left out: of each row
 * those columns, as check() does all of them. Rows with the same columns share a product with B. */
template <class T, int n> int gemm<T, n>::check_written(char *why, size_t why_size)
{
    std::vector<std::pair<size_t, size_t>> written;
    std::map<std::vector<char>, std::vector<double>> products;
    CUGATE_TRY(c.download_written(got, written));
    size_t next = 0; /* the first range that is not behind the row's beginning */
    for (size_t row = 0; row < n; row++) {
        std::vector<char> columns(n);
        while (next < written.size() && written[next].second <= row * n)
            next++;
        for (size_t i = next; i < written.size() && written[i].first < (row + 1) * n; i++)
            std::fill(columns.begin() + (std::max(written[i].first, row * n) - row * n),
                      columns.begin() + (std::min(written[i].second, (row + 1) * n) - row * n), 1);
        if (std::find(columns.begin(), columns.end(), 1) == columns.end())
            continue;
        std::vector<size_t> chosen;
        for (size_t k = 0; k < n; k++)
            if (columns[k])
                chosen.push_back(k);
        const auto of_chosen = [&](auto element) {
            return sum_of(chosen.size(), [&](size_t i) { return element(chosen[i]) * weights[chosen[i]]; });
        };
        std::vector<double> &product = products[columns];
        for (size_t k = product.size(); k < n; k++)
            product.push_back(of_chosen([&](size_t column) { return gemm_input<T>(seed_b, k * n + column); }));
        const double want_sum =
            alpha * sum_of(n, [&](size_t k) { return gemm_input<T>(seed_a, row * n + k) * product[k]; }) +
            beta * of_chosen([&](size_t column) { return gemm_input<T>(seed_c, row * n + column); });
        const double sum = of_chosen([&](size_t column) { return got[row * n + column]; });
        if (!(std::fabs(sum - want_sum) <= element_tolerance * std::sqrt(7.0 / 3 * n)))
            return wrong(why, why_size, "row %zu of C: the sum of the elements that were computed is off", row);
    }
    return 0;
}

/* The comparisons are negated, so that NaN is a difference. */
template <class T, int n> int gemm<T, n>::check(char *why, size_t why_size)
{
    if (c.is_partly_written())
        return check_written(why, why_size);
    constexpr size_t rows = std::min(n, 1024); /* at once, so that little of the host's memory is touched first */
    const double row_tolerance = element_tolerance * std::sqrt(7.0 / 3 * n);
    if (want_rows.empty())
        make_reference();
    got.resize(rows * n);
    for (size_t first = 0; first < n; first += rows) {
        std::vector<double> sums(rows);
        CUGATE_TRY(cudaMemcpy(got.data(), c.data + first * n, rows * n * sizeof(T), cudaMemcpyDeviceToHost));
        for (size_t i = 0; i < probes; i++) {
            const size_t row = probe_at[i] / n, column = probe_at[i] % n;
            if (row < first || row >= first + rows)
                continue;
            const double found = got[(row - first) * n + column];
            if (!(std::fabs(found - want_probes[i]) <= element_tolerance))
                return wrong(why, why_size, "C[%zu][%zu]: expected %.9g, found %.9g", row, column, want_probes[i],
                             found);
        }
        for_all(rows,
                [&](size_t row) { sums[row] = sum_of(n, [&](size_t k) { return got[row * n + k] * weights[k]; }); });
        for (size_t row = 0; row < rows; row++)
            if (!(std::fabs(sums[row] - want_rows[first + row]) <= row_tolerance))
                return wrong_row(first + row, &got[row * n], why, why_size);
    }
    return 0;
}

} // namespace cugate

#endif
