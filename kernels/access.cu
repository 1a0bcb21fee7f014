/* access - a copy, its reads in different patterns.
 *
 * Problem: 2^28 float32, 1 GiB read and 1 GiB written. It is that large because 22 MB of written lines are still in an
 * H200's L2 when this kernel ends and are billed to nobody: of 1 GiB they are 2 %, so `coalesced` shows its own bytes
 * in the DRAM counters, read and written, to 3 %. Every variant writes out[i] = in[source(i)], the writes coalesced;
 * source(i) is i unless stated. One element per thread unless stated.
 *
 * Variants in order; a coalesced request of a warp, 32 x 4 bytes, is 4 sectors of 32 bytes:
 *   coalesced        4 sectors per request, DRAM bytes equal to the bytes of the problem
 *   half_warp_idle   lanes 16 to 31 do nothing, so twice the warps: threads active per instruction halve; 2 sectors
 *                    per request, none wasted, and DRAM bytes stay
 *   permuted         source permutes within each 128-byte segment: still 4 sectors per request, nothing moves
 *   misaligned       source is one element further: 5 sectors per request; DRAM bytes stay, the extra sector hits
 *   stride2          lanes read 2 elements apart: 8 sectors per request, twice the DRAM bytes read
 *   stride8          8 apart: 32 sectors per request (in 8 lines), eight times the DRAM bytes read
 *   stride32         32 apart: 32 sectors per request as well, but in 32 lines: DRAM bytes at least as many, more time
 *   float3           12-byte elements: three requests of 12 sectors where 4 would do, reads and writes; DRAM bytes stay
 *   float3_staged    the same elements by way of shared memory: 4 sectors per request again, shared wavefronts appear
 *   float4           16-byte elements: 16 sectors in one request, a quarter of the requests and instructions
 */
#include <cugate/arrays.hpp>

namespace {

constexpr uint32_t count_bits = 28, count = 1u << count_bits;
constexpr unsigned threads = 256;
constexpr uint32_t seed = 0x5eed0002;
constexpr uint32_t permutation = 21; /* lane ^ 21 is another lane of the same warp */

/* Elements which lanes read `stride` apart are read in `stride` rounds over the whole array, so that the other elements
 * of a sector are asked for when it has long left the cache. */
template <uint32_t stride> __host__ __device__ uint32_t strided(uint32_t i)
{
    constexpr uint32_t round = count / stride;
    return i % round * stride + i / round;
}

__device__ uint32_t global_thread()
{
    return blockIdx.x * blockDim.x + threadIdx.x;
}

__global__ void fill_access_input(float *in)
{
    const uint32_t i = global_thread();
    in[i] = cugate::uniform(seed, i);
}

__global__ void copy_coalesced(const float *in, float *out)
{
    const uint32_t i = global_thread();
    out[i] = in[i];
}

__global__ void copy_half_warp_idle(const float *in, float *out)
{
    const unsigned lane = threadIdx.x % 32;
    if (lane < 16) {
        const uint32_t i = global_thread() / 32 * 16 + lane;
        out[i] = in[i];
    }
}

__global__ void copy_permuted(const float *in, float *out)
{
    const uint32_t i = global_thread();
    out[i] = in[i ^ permutation];
}

/* The last element has no next one and takes the first, so that all are copied. */
__global__ void copy_misaligned(const float *in, float *out)
{
    const uint32_t i = global_thread();
    out[i] = in[(i + 1) % count];
}

template <uint32_t stride> __global__ void copy_strided(const float *in, float *out)
{
    const uint32_t i = global_thread();
    out[i] = in[strided<stride>(i)];
}

/* 2^28 is 1 more than a multiple of 3: the thread after the last triple copies the rest. */
constexpr uint32_t triples = count / 3;

__global__ void copy_float3(const float *in, float *out)
{
    const uint32_t i = global_thread();
    if (i < triples) {
        reinterpret_cast<float3 *>(out)[i] = reinterpret_cast<const float3 *>(in)[i];
    } else if (i == triples) {
        for (uint32_t rest = 3 * triples; rest < count; rest++)
            out[rest] = in[rest];
    }
}

/* Each thread still gets and gives a float3, as it would if it computed with it, but from and to shared memory; there a
 * distance of 3 words between lanes is free of bank conflicts. */
__global__ void copy_float3_staged(const float *in, float *out)
{
    constexpr unsigned tile = 3 * threads;
    __shared__ float loaded[tile], stored[tile];
    const uint32_t first = blockIdx.x * tile + threadIdx.x;
#pragma unroll
    for (unsigned k = 0; k < tile; k += threads)
        loaded[threadIdx.x + k] = first + k < count ? in[first + k] : 0.0f;
    __syncthreads();

    const unsigned mine = 3 * threadIdx.x;
    const float3 element = {loaded[mine], loaded[mine + 1], loaded[mine + 2]};
    stored[mine] = element.x;
    stored[mine + 1] = element.y;
    stored[mine + 2] = element.z;
    __syncthreads();

#pragma unroll
    for (unsigned k = 0; k < tile; k += threads) {
        if (first + k < count)
            out[first + k] = stored[threadIdx.x + k];
    }
}

__global__ void copy_float4(const float *in, float *out)
{
    const uint32_t i = global_thread();
    reinterpret_cast<float4 *>(out)[i] = reinterpret_cast<const float4 *>(in)[i];
}

/* The right result of a launch: out[i] == in[source(i)]. Written apart from the kernels, for verify. Count and strides
 * are powers of two, so there is no division: where the kernels are executed without a GPU, this takes more time than
 * they. */
struct order {
    uint32_t flip = 0, shift = 0, stride_bits = 0;

    __host__ __device__ uint32_t source(uint32_t i) const
    {
        const uint32_t round_bits = count_bits - stride_bits;
        const uint32_t moved = i ^ flip;
        return (((moved & ((1u << round_bits) - 1)) << stride_bits) + (moved >> round_bits) + shift) & (count - 1);
    }
};

struct mismatch {
    uint32_t elements, first;
};

/* Each thread checks four neighbours. */
constexpr uint32_t checked = 4;

__global__ void check_copy(const float *out, order expected, mismatch *found)
{
    const uint32_t first = checked * global_thread();
    const float4 four = reinterpret_cast<const float4 *>(out)[first / checked];
    const float copied[checked] = {four.x, four.y, four.z, four.w};
#pragma unroll
    for (uint32_t k = 0; k < checked; k++)
        if (copied[k] != cugate::uniform(seed, expected.source(first + k))) { /* NaN is a difference, too */
            atomicAdd(&found->elements, 1u);
            atomicMin(&found->first, first + k);
        }
}

/* What the CPU checks by itself: the last `sample_width` elements of each of `sample_rows` equal parts of out. */
constexpr uint32_t sample_rows = 1024;
constexpr uint32_t sample_width = 1024;
constexpr uint32_t sample_pitch = count / sample_rows;

struct access {
    cugate::device_array<float> in, out;
    cugate::device_array<mismatch> found;
    std::vector<float> sample;
    order expected; /* the right result of the last launch */

    int open()
    {
        CUGATE_TRY(in.allocate(count));
        CUGATE_TRY(out.allocate(count));
        CUGATE_TRY(found.allocate(1));
        sample.resize(size_t{sample_rows} * sample_width);
        fill_access_input<<<count / threads, threads>>>(in.data);
        return cugate::launched();
    }
};

int restore(void *state)
{
    return static_cast<access *>(state)->out.poison();
}

using copy_kernel = void (*)(const float *in, float *out);

template <copy_kernel kernel, uint32_t needed_threads = count, order expected = order{}> int launch_copy(void *state)
{
    access &a = *static_cast<access *>(state);
    a.expected = expected;
    kernel<<<(needed_threads + threads - 1) / threads, threads>>>(a.in.data, a.out.data);
    return cugate::launched();
}

int differs(char *why, size_t why_size, uint32_t elements, uint32_t first, double want, double found)
{
    return cugate::wrong(why, why_size, "%u elements differ, the first is out[%u]: expected %.9g, found %.9g", elements,
                         first, want, found);
}

/* Compares what the executed blocks of a launch have written, where the others were left out. */
int verify_written(const access &a, char *why, size_t why_size)
{
    cugate::untouched_vector<float> got;
    std::vector<std::pair<size_t, size_t>> written;
    CUGATE_TRY(a.out.download_written(got, written));
    for (const auto &[first, end] : written)
        for (size_t i = first; i < end; i++) {
            const float want = cugate::uniform(seed, a.expected.source(static_cast<uint32_t>(i)));
            if (got[i] != want)
                return differs(why, why_size, 1, static_cast<uint32_t>(i), want, got[i]);
        }
    return 0;
}

/* A copy has no rounding, so there is no tolerance. The device compares every element; the CPU compares a sample, in
 * which a fault that check_copy shares with the kernels would show. */
int verify(void *state, const struct cugate_variant *, char *why, size_t why_size)
{
    access &a = *static_cast<access *>(state);
    if (a.out.is_partly_written())
        return verify_written(a, why, why_size);
    CUGATE_TRY(a.found.upload({{0, UINT32_MAX}}));
    check_copy<<<count / checked / threads, threads>>>(a.out.data, a.expected, a.found.data);
    CUGATE_TRY(cugate::launched());
    std::vector<mismatch> found;
    CUGATE_TRY(a.found.download(found));
    if (found[0].elements != 0) {
        const uint32_t first = found[0].first;
        float got;
        CUGATE_TRY(cudaMemcpy(&got, a.out.data + first, sizeof got, cudaMemcpyDeviceToHost));
        return differs(why, why_size, found[0].elements, first, cugate::uniform(seed, a.expected.source(first)), got);
    }

    constexpr uint32_t offset = sample_pitch - sample_width;
    CUGATE_TRY(cudaMemcpy2D(a.sample.data(), sample_width * sizeof(float), a.out.data + offset,
                            sample_pitch * sizeof(float), sample_width * sizeof(float), sample_rows,
                            cudaMemcpyDeviceToHost));
    for (uint32_t k = 0; k < sample_rows * sample_width; k++) {
        const uint32_t i = k / sample_width * sample_pitch + offset + k % sample_width;
        const float want = cugate::uniform(seed, a.expected.source(i));
        if (a.sample[k] != want)
            return differs(why, why_size, 1, i, want, a.sample[k]);
    }
    return 0;
}

constexpr double bytes = 2.0 * sizeof(float) * count;

/* To add a variant: write its kernel above and add a row. */
constexpr struct cugate_variant variants[] = {
    {.name = "coalesced",
     .doc = "neighbouring lanes, neighbouring words: 4 sectors per request",
     .launch = launch_copy<copy_coalesced>,
     .bytes = bytes},
    {.name = "half_warp_idle",
     .doc = "half of each warp does nothing: threads active per instruction",
     .launch = launch_copy<copy_half_warp_idle, 2 * count>,
     .bytes = bytes},
    {.name = "permuted",
     .doc = "lanes permuted within 128 bytes: sectors per request stay at 4",
     .launch = launch_copy<copy_permuted, count, order{.flip = permutation}>,
     .bytes = bytes},
    {.name = "misaligned",
     .doc = "reads start one element later: 5 sectors per request",
     .launch = launch_copy<copy_misaligned, count, order{.shift = 1}>,
     .bytes = bytes},
    {.name = "stride2",
     .doc = "lanes read 2 elements apart: 8 sectors per request, DRAM bytes",
     .launch = launch_copy<copy_strided<2>, count, order{.stride_bits = 1}>,
     .bytes = bytes},
    {.name = "stride8",
     .doc = "lanes read 8 elements apart: 32 sectors per request, DRAM bytes",
     .launch = launch_copy<copy_strided<8>, count, order{.stride_bits = 3}>,
     .bytes = bytes},
    {.name = "stride32",
     .doc = "lanes read 32 elements apart: 32 sectors per request in 32 lines, DRAM bytes",
     .launch = launch_copy<copy_strided<32>, count, order{.stride_bits = 5}>,
     .bytes = bytes},
    {.name = "float3",
     .doc = "12-byte elements: 12 sectors per request, L1 hit rate",
     .launch = launch_copy<copy_float3, triples + 1>,
     .bytes = bytes},
    {.name = "float3_staged",
     .doc = "12-byte elements through shared memory: 4 sectors per request",
     .launch = launch_copy<copy_float3_staged, triples + 1>,
     .bytes = bytes},
    {.name = "float4",
     .doc = "16-byte elements: 16 sectors per request, instructions",
     .launch = launch_copy<copy_float4, count / 4>,
     .bytes = bytes},
};

} // namespace

extern "C" const struct cugate_family cugate_family_access = {
    .name = "access",
    .doc = "a copy of 1 GiB, its reads in different patterns",
    .kind = CUGATE_KERNELS,
    .open = cugate::open_state<access>,
    .restore = restore,
    .verify = verify,
    .close = cugate::close_state<access>,
    .variants = variants,
    .variant_count = std::size(variants),
};
