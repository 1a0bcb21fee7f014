/* divergence - the same arithmetic, with the branch decided per thread, per warp or per tile of a warp.
 *
 * Problem: 2^20 threads take 32 rounds each. A round either swings an oscillator or grows a logistic curve, 16 fused
 * multiply-adds each way, and the two do not touch each other's variables. Every decision pattern holds 16 rounds of
 * each, so whoever decides, every thread does the same arithmetic and writes the same result.
 *   per_thread       each thread follows its own random pattern: nearly every branch in a warp diverges, branch
 *                    efficiency is lowest, and about 16 of 32 threads are active per instruction.
 *   per_warp         a warp follows the pattern of its first lane: branch efficiency 100 %, 32 threads active, and
 *                    half the time.
 *   tiled_partition  each cooperative-groups tile of 16 threads follows its first lane's: the two tiles of a warp
 *                    agree in half of the rounds, so half of the branches diverge: between the other two, 1.5 times
 *                    per_warp's work.
 */
#include <cugate/arrays.hpp>
#define _CG_LIMIT_INCLUDED_DEPENDENCIES /* without <cuda/atomic>, which takes seconds */
#include <cooperative_groups.h>

namespace {

constexpr unsigned threads = 256;
constexpr unsigned total = 1u << 20;
constexpr unsigned tile_threads = 16;

constexpr unsigned rounds = 32;
constexpr unsigned substeps = 8; /* two multiply-adds each: too many for the compiler to predicate both sides */
constexpr float step = 1.0f / 64;

constexpr unsigned input_count = 256; /* distinct inputs, so that the reference is a table */
constexpr uint32_t input_seed = 0xd1e7;
constexpr uint32_t pattern_seed = 0xbeef;

/* Relative to 1. 256 dependent roundings of numbers below 2 are worth at most 256 * 2^-24 = 1.5e-5; one round too many
 * or too few moves either result by more than 4e-3. */
constexpr double tolerance = 1e-4;

__host__ __device__ unsigned input_index(size_t i)
{
    return cugate::hash32(input_seed, i) % input_count;
}

/* A multiple of 1/512 in (0.25, 0.75]. */
__host__ __device__ float input_value(unsigned index)
{
    return 0.25f + static_cast<float>(index + 1) / (2 * input_count);
}

__global__ void fill_with_inputs(float *in)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    in[i] = input_value(input_index(i));
}

template <class T> struct progress {
    T position, velocity; /* state of the oscillator */
    T population;         /* state of the logistic curve */

    __host__ __device__ explicit progress(T start) : position(start), velocity(1), population(start)
    {
    }

    __host__ __device__ void swing()
    {
        for (unsigned k = 0; k < substeps; k++) {
            velocity -= static_cast<T>(step) * position;
            position += static_cast<T>(step) * velocity;
        }
    }

    __host__ __device__ void grow()
    {
        for (unsigned k = 0; k < substeps; k++)
            population += static_cast<T>(step) * (population - population * population);
    }
};

/* Bit r decides round r. The upper half is the complement of the lower: 16 bits are set whatever the hash. */
__device__ uint32_t pattern_of_thread()
{
    const uint32_t h = cugate::hash32(pattern_seed, blockIdx.x * blockDim.x + threadIdx.x);
    return h << 16 | (~h & 0xffff);
}

__device__ void follow(uint32_t pattern, const float *in, float2 *out)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    progress<float> p(in[i]);
#pragma unroll 1
    for (unsigned round = 0; round < rounds; round++) {
        if (pattern >> round & 1)
            p.swing();
        else
            p.grow();
    }
    out[i] = make_float2(p.position, p.population);
}

__global__ void branch_per_thread(const float *__restrict__ in, float2 *__restrict__ out)
{
    follow(pattern_of_thread(), in, out);
}

__global__ void branch_per_warp(const float *__restrict__ in, float2 *__restrict__ out)
{
    follow(__shfl_sync(0xffffffff, pattern_of_thread(), 0), in, out);
}

__global__ void branch_per_tile(const float *__restrict__ in, float2 *__restrict__ out)
{
    namespace cg = cooperative_groups;
    const auto tile = cg::tiled_partition<tile_threads>(cg::this_thread_block());
    follow(tile.shfl(pattern_of_thread(), 0), in, out);
}

struct divergence {
    cugate::device_array<float> in;
    cugate::device_array<float2> out;
    double position[input_count] = {};
    double population[input_count] = {};

    int open()
    {
        CUGATE_TRY(in.allocate(total));
        CUGATE_TRY(out.allocate(total));
        fill_with_inputs<<<total / threads, threads>>>(in.data);
        for (unsigned index = 0; index < input_count; index++) {
            progress<double> p(input_value(index));
            for (unsigned round = 0; round < rounds / 2; round++) {
                p.swing();
                p.grow();
            }
            position[index] = p.position;
            population[index] = p.population;
        }
        return cugate::launched();
    }
};

int restore(void *state)
{
    return static_cast<divergence *>(state)->out.poison();
}

template <void (*kernel)(const float *, float2 *)> int launch(void *state)
{
    const divergence *const d = static_cast<divergence *>(state);
    kernel<<<total / threads, threads>>>(d->in.data, d->out.data);
    return cugate::launched();
}

int verify(void *state, const struct cugate_variant *, char *why, size_t why_size)
{
    const divergence *const d = static_cast<divergence *>(state);
    std::vector<float2> got;
    CUGATE_TRY(d->out.download(got));
    for (size_t i = 0; i < total; i++) {
        const unsigned index = input_index(i);
        if (!cugate::close_to(got[i].x, d->position[index], tolerance) ||
            !cugate::close_to(got[i].y, d->population[index], tolerance))
            return cugate::wrong(why, why_size, "thread %zu: expected (%.9g, %.9g), found (%.9g, %.9g)", i,
                                 d->position[index], d->population[index], got[i].x, got[i].y);
    }
    return 0;
}

constexpr double bytes = static_cast<double>(total) * (sizeof(float) + sizeof(float2));
constexpr double flops = 2.0 * 2 * substeps * rounds * total;

/* To add a variant: write its kernel above and add a row. */
constexpr struct cugate_variant variants[] = {
    {.name = "per_thread",
     .doc = "each thread decides: lowest branch efficiency, half of the threads active",
     .launch = launch<branch_per_thread>,
     .bytes = bytes,
     .flops = flops},
    {.name = "per_warp",
     .doc = "each warp decides: branch efficiency 100 %, all threads active",
     .launch = launch<branch_per_warp>,
     .bytes = bytes,
     .flops = flops},
    {.name = "tiled_partition",
     .doc = "each tile of 16 threads decides: half of the branches diverge, between the other two",
     .launch = launch<branch_per_tile>,
     .bytes = bytes,
     .flops = flops},
};

} // namespace

extern "C" const struct cugate_family cugate_family_divergence = {
    .name = "divergence",
    .doc = "the same arithmetic with the branch decided per thread, warp or tile, 2^20 threads",
    .kind = CUGATE_KERNELS,
    .open = cugate::open_state<divergence>,
    .restore = restore,
    .verify = verify,
    .close = cugate::close_state<divergence>,
    .variants = variants,
    .variant_count = std::size(variants),
};
