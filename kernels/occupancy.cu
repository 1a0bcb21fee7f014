/* occupancy - a latency-bound walk, with the number of resident warps limited by one resource after the other.
 *
 * Problem: 2^14 warps each follow a chain of 128 links through a table of 2^20 words (4 MiB, stays in L2). The whole
 * warp reads the same word, one sector, so bandwidth never binds: time is latency times steps, divided by the warps
 * that are resident. A short, wide epilogue evaluates a polynomial with coefficients of each lane; its loads are
 * independent. Figures are for sm_90; a multiprocessor holds 64 warps there.
 *   registers_free    one resident block is all that is asked for, so the compiler takes 86 registers to keep 20 loads
 *                     of the epilogue in flight, which is a small part of the time: 2 blocks of 256 threads fit, 25 %
 *                     theoretical occupancy.
 *   registers_capped  __launch_bounds__ asks for a full multiprocessor: 32 registers, no spills, the epilogue's loads
 *                     come in smaller groups; 100 % theoretical occupancy, time down by up to 4.
 *   shared_limited    as registers_capped, but each block reserves just under half of the shared memory: 2 blocks fit,
 *                     25 %.
 *   small_blocks      32 registers again, but blocks of one warp: the 32 block slots run out first, 50 %.
 * Achieved occupancy follows the theoretical in all four, and time follows achieved occupancy.
 */
#include <cugate/arrays.hpp>

namespace {

constexpr unsigned warp_threads = 32;
constexpr unsigned block_threads = 256;
constexpr unsigned total = 1u << 19; /* number of threads, and of results */
constexpr unsigned links = 1u << 20;
constexpr unsigned steps = 128;

constexpr unsigned coefficients = 96; /* number of coefficients of each lane */
constexpr uint32_t base = 31;         /* at which the polynomial is evaluated */
constexpr uint32_t seed = 0x0cc;

/* What a multiprocessor holds; __launch_bounds__ is ignored, with a warning, when it asks for more. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ == 750
constexpr unsigned resident_threads = 1024;
#elif !defined(__CUDA_ARCH__) || __CUDA_ARCH__ == 800 || __CUDA_ARCH__ / 100 == 9 || __CUDA_ARCH__ / 100 == 10
constexpr unsigned resident_threads = 2048;
#else
constexpr unsigned resident_threads = 1536;
#endif
constexpr unsigned full_blocks = resident_threads / block_threads;

/* A linear congruential generator of full period: from any link, the walk comes back after all the others only. */
__host__ __device__ uint32_t next_link(uint32_t at)
{
    return (at * 1664525u + 1013904223u) % links;
}

__host__ __device__ uint32_t coefficient(unsigned lane, unsigned k)
{
    return cugate::hash32(seed, lane * coefficients + k);
}

__global__ void fill_links(uint32_t *next)
{
    const unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
    next[at] = next_link(at);
}

/* polynomial[group * warp_threads + lane] holds four coefficients of a lane. */
__global__ void fill_polynomials(uint4 *polynomial)
{
    const unsigned lane = threadIdx.x;
    const unsigned k = 4 * blockIdx.x;
    polynomial[blockIdx.x * warp_threads + lane] =
        make_uint4(coefficient(lane, k), coefficient(lane, k + 1), coefficient(lane, k + 2), coefficient(lane, k + 3));
}

/* Links are read past L1 (__ldcg), so the shared memory that a variant reserves, which L1 loses, changes nothing. */
__device__ __forceinline__ void walk(const uint32_t *next, const uint4 *polynomial, uint32_t *out)
{
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    uint32_t at = thread / warp_threads;
    uint32_t value = 0;
#pragma unroll 1
    for (unsigned s = 0; s < steps; s++) {
        at = __ldcg(next + at);
        value += at;
    }
    const uint4 *const own = polynomial + thread % warp_threads;
#pragma unroll
    for (unsigned group = 0; group < coefficients / 4; group++) {
        const uint4 c = own[group * warp_threads];
        value = value * base + c.x;
        value = value * base + c.y;
        value = value * base + c.z;
        value = value * base + c.w;
    }
    out[thread] = value;
}

__global__ void __launch_bounds__(block_threads, 1)
    walk_registers_free(const uint32_t *__restrict__ next, const uint4 *__restrict__ polynomial,
                        uint32_t *__restrict__ out)
{
    walk(next, polynomial, out);
}

__global__ void __launch_bounds__(block_threads, full_blocks)
    walk_registers_capped(const uint32_t *__restrict__ next, const uint4 *__restrict__ polynomial,
                          uint32_t *__restrict__ out)
{
    walk(next, polynomial, out);
}

__global__ void __launch_bounds__(block_threads, full_blocks)
    walk_shared_limited(const uint32_t *__restrict__ next, const uint4 *__restrict__ polynomial,
                        uint32_t *__restrict__ out)
{
    walk(next, polynomial, out);
}

/* No bounds: told of blocks this small, the compiler takes registers until they run out together with the slots. */
__global__ void walk_small_blocks(const uint32_t *__restrict__ next, const uint4 *__restrict__ polynomial,
                                  uint32_t *__restrict__ out)
{
    walk(next, polynomial, out);
}

struct occupancy {
    cugate::device_array<uint32_t> next, out;
    cugate::device_array<uint4> polynomial;
    size_t shared_bytes = 0;      /* bytes that a block of shared_limited reserves: two blocks fit */
    std::vector<uint32_t> walked; /* for each warp the sum of the links that it visits */
    uint32_t scale = 1;           /* the result of a lane is walked * scale + offset[lane] */
    uint32_t offset[warp_threads] = {};

    int open()
    {
        CUGATE_TRY(next.allocate(links));
        CUGATE_TRY(out.allocate(total));
        CUGATE_TRY(polynomial.allocate(warp_threads * coefficients / 4));
        fill_links<<<links / block_threads, block_threads>>>(next.data);
        CUGATE_TRY(cugate::launched());
        fill_polynomials<<<coefficients / 4, warp_threads>>>(polynomial.data);
        CUGATE_TRY(cugate::launched());
        compute_reference();
        return reserve_shared_memory();
    }

    void compute_reference()
    {
        walked.assign(total / warp_threads, 0);
        for (uint32_t warp = 0; warp < walked.size(); warp++) {
            uint32_t at = warp;
            for (unsigned s = 0; s < steps; s++) {
                at = next_link(at);
                walked[warp] += at;
            }
        }
        for (unsigned k = 0; k < coefficients; k++) {
            scale *= base;
            for (unsigned lane = 0; lane < warp_threads; lane++)
                offset[lane] = offset[lane] * base + coefficient(lane, k);
        }
    }

    int reserve_shared_memory()
    {
        int device, available, reserved, largest;
        CUGATE_TRY(cudaGetDevice(&device));
        CUGATE_TRY(cudaDeviceGetAttribute(&available, cudaDevAttrMaxSharedMemoryPerMultiprocessor, device));
        CUGATE_TRY(cudaDeviceGetAttribute(&reserved, cudaDevAttrReservedSharedMemoryPerBlock, device));
        CUGATE_TRY(cudaDeviceGetAttribute(&largest, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
        const int half = available / 2 - reserved;
        const int bytes = (half < largest ? half : largest) / 1024 * 1024;
        CUGATE_TRY(cudaFuncSetAttribute(walk_shared_limited, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
        shared_bytes = static_cast<size_t>(bytes);
        CUGATE_TRY(cudaFuncSetAttribute(walk_shared_limited, cudaFuncAttributePreferredSharedMemoryCarveout,
                                        cudaSharedmemCarveoutMaxShared));
        return 0;
    }
};

int restore(void *state)
{
    return static_cast<occupancy *>(state)->out.poison();
}

int launch_registers_free(void *state)
{
    const occupancy *const o = static_cast<occupancy *>(state);
    walk_registers_free<<<total / block_threads, block_threads>>>(o->next.data, o->polynomial.data, o->out.data);
    return cugate::launched();
}

int launch_registers_capped(void *state)
{
    const occupancy *const o = static_cast<occupancy *>(state);
    walk_registers_capped<<<total / block_threads, block_threads>>>(o->next.data, o->polynomial.data, o->out.data);
    return cugate::launched();
}

int launch_shared_limited(void *state)
{
    const occupancy *const o = static_cast<occupancy *>(state);
    walk_shared_limited<<<total / block_threads, block_threads, o->shared_bytes>>>(o->next.data, o->polynomial.data,
                                                                                   o->out.data);
    return cugate::launched();
}

int launch_small_blocks(void *state)
{
    const occupancy *const o = static_cast<occupancy *>(state);
    walk_small_blocks<<<total / warp_threads, warp_threads>>>(o->next.data, o->polynomial.data, o->out.data);
    return cugate::launched();
}

/* Whole numbers modulo 2^32: every thread's result must be equal to the last bit. */
int verify(void *state, const struct cugate_variant *, char *why, size_t why_size)
{
    const occupancy *const o = static_cast<occupancy *>(state);
    std::vector<uint32_t> got;
    CUGATE_TRY(o->out.download(got));
    for (size_t i = 0; i < total; i++) {
        const uint32_t want = o->walked[i / warp_threads] * o->scale + o->offset[i % warp_threads];
        if (got[i] != want)
            return cugate::wrong(why, why_size, "thread %zu: expected 0x%08x, found 0x%08x", i, want, got[i]);
    }
    return 0;
}

constexpr double bytes = (static_cast<double>(links) + warp_threads * coefficients + total) * sizeof(uint32_t);

/* To add a variant: write its launch function above and add a row. */
constexpr struct cugate_variant variants[] = {
    {.name = "registers_free",
     .doc = "the compiler takes 86 registers: limited by registers to two blocks, 25 % occupancy",
     .launch = launch_registers_free,
     .bytes = bytes},
    {.name = "registers_capped",
     .doc = "__launch_bounds__ for a full multiprocessor: 32 registers, 100 % theoretical occupancy, time down",
     .launch = launch_registers_capped,
     .bytes = bytes},
    {.name = "shared_limited",
     .doc = "each block reserves half of the shared memory: limited to two blocks, 25 % occupancy",
     .launch = launch_shared_limited,
     .bytes = bytes},
    {.name = "small_blocks",
     .doc = "blocks of one warp: limited by block slots, 50 % occupancy",
     .launch = launch_small_blocks,
     .bytes = bytes},
};

} // namespace

extern "C" const struct cugate_family cugate_family_occupancy = {
    .name = "occupancy",
    .doc = "a chain of dependent reads, resident warps limited by registers, shared memory or block slots",
    .kind = CUGATE_KERNELS,
    .open = cugate::open_state<occupancy>,
    .restore = restore,
    .verify = verify,
    .close = cugate::close_state<occupancy>,
    .variants = variants,
    .variant_count = std::size(variants),
};
