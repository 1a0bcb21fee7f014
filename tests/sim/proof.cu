/* proof.cu - kernels whose blocks meet, or nearly do, and others of which one block is not like the rest: proof.sh
 * compares what is said of them when blocks are left out with what is said when all are executed. */
#include "library.cuh"

#include <cstdint>

namespace {

constexpr unsigned blocks = 64, threads = 64, words = 1u << 16;

struct state {
    cugate::array<uint32_t> out, in;
    int open()
    {
        CUGATE_TRY(out.allocate(words));
        CUGATE_TRY(in.allocate(words));
        return in.poison(1);
    }
};

__device__ uint32_t thread()
{
    return blockIdx.x * blockDim.x + threadIdx.x;
}

/* Each thread writes a word of its own. */
__global__ void own(uint32_t *out, const uint32_t *in)
{
    out[thread()] = in[thread()] + 1;
}
/* ... and the next block's first one. */
__global__ void one_too_many(uint32_t *out, const uint32_t *in)
{
    out[thread()] = in[thread()];
    if (threadIdx.x == 0)
        out[thread() + blockDim.x] = 7;
}
/* Blocks overlap by half. */
__global__ void half_apart(uint32_t *out, const uint32_t *in)
{
    out[blockIdx.x * (blockDim.x / 2) + threadIdx.x] = in[threadIdx.x];
}
/* All write one word. */
__global__ void same_word(uint32_t *out, const uint32_t *in)
{
    if (threadIdx.x == 0)
        out[0] = in[0];
}
/* A block reads what the next one writes. */
__global__ void reads_next(uint32_t *out, const uint32_t *)
{
    out[thread()] = out[thread() + blockDim.x] + 1;
}
/* ... and what no other does. */
__global__ void in_place(uint32_t *out, const uint32_t *)
{
    out[thread()] = out[thread()] * 3;
}
/* A block reads what another writes, farther away. */
__global__ void reads_farther(uint32_t *out, const uint32_t *)
{
    out[thread()] = out[2 * thread() + blockDim.x] + 1;
}
/* From the last word to the first. */
__global__ void backwards(uint32_t *out, const uint32_t *in)
{
    out[words - 1 - thread()] = in[thread()];
}
__global__ void wide_backwards(uint32_t *out, const uint32_t *in)
{
    const int64_t at =
        int64_t{static_cast<int>(blockIdx.x)} * -static_cast<int>(gridDim.x) + static_cast<int>(threadIdx.x);
    out[words - threads + at] = in[threadIdx.x];
}
/* Bytes: four blocks' are a word. */
__global__ void byte_each(uint32_t *out, const uint32_t *in)
{
    if (threadIdx.x == 0)
        reinterpret_cast<unsigned char *>(out)[blockIdx.x] = static_cast<unsigned char>(in[0]);
}
__global__ void word_each(uint32_t *out, const uint32_t *in)
{
    if (threadIdx.x == 0)
        out[blockIdx.x] = in[blockIdx.x];
}
/* Rows that begin in the middle of a sector. */
__global__ void odd_rows(uint32_t *out, const uint32_t *in)
{
    out[thread()] = in[blockIdx.x * 68 + threadIdx.x];
}
/* Every other block, and every fourth, at the end of the grid as well. */
__global__ void parity(uint32_t *out, const uint32_t *in)
{
    uint32_t sum = 0, count;
    if ((blockIdx.x & 1) != 0)
        sum = in[thread()];
    asm volatile("and.b32 %0, %1, 3;" : "=r"(count) : "r"(blockIdx.x + 61));
    for (unsigned i = 0; i < count; i++)
        sum = sum * 5 + in[i];
    out[thread()] = sum;
}
/* Rows that begin in the middle of a line, of copies past the L1. */
__global__ void half_lines(uint32_t *out, const uint32_t *in)
{
    __shared__ uint4 tile[threads];
    const uint4 *from = reinterpret_cast<const uint4 *>(in) + blockIdx.x * 4 + threadIdx.x;
    const auto to = static_cast<uint32_t>(__cvta_generic_to_shared(&tile[threadIdx.x ^ 1]));
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\ncp.async.commit_group;\ncp.async.wait_group 0;" ::"r"(to),
                 "l"(from));
    __syncthreads();
    out[thread()] = tile[threadIdx.x].x;
}
/* The first half of the blocks reads what the other half writes. */
__global__ void halves(uint32_t *out, const uint32_t *in)
{
    if (blockIdx.x < gridDim.x / 2)
        out[thread()] = out[thread() + words / 2];
    else
        out[thread() + words / 2] = in[thread()];
}
/* One half writes an array that the other reads, elsewhere. */
__global__ void reads_elsewhere(uint32_t *out, const uint32_t *in)
{
    uint32_t sum = 0;
    if (blockIdx.x % 2 == 0)
        sum = out[words - 1];
    if (sum != 5)
        out[thread()] = in[thread()];
}
/* A stride that wraps around at the end of the grid. */
__global__ void wraps(uint32_t *out, const uint32_t *in)
{
    out[thread() & 0x7ff] = in[thread()];
}
/* The last block goes on where no memory is. */
__global__ void beyond(uint32_t *out, const uint32_t *in)
{
    const uint32_t far = blockIdx.x * (words / (blocks - 1)) + threadIdx.x;
    out[thread()] = in[far];
}
/* Later blocks go beyond shared memory. */
__global__ void beyond_shared(uint32_t *out, const uint32_t *in)
{
    __shared__ uint32_t tile[1024];
    for (unsigned i = threadIdx.x; i < 1024; i += blockDim.x)
        tile[i] = in[i];
    __syncthreads();
    out[thread()] = tile[blockIdx.x * 32 + threadIdx.x];
}
/* Every block counts otherwise, by memory. */
__global__ void by_data(uint32_t *out, const uint32_t *in)
{
    if (in[thread()] & 1)
        out[thread()] = 3;
}
/* A word that wraps before it carries. */
__global__ void wraps_and_carries(uint32_t *out, const uint32_t *in)
{
    const uint64_t sum = uint64_t{blockIdx.x * 0x08000000u} + 0xfc000000u;
    if (sum >> 32)
        out[thread()] = in[thread()];
}
/* Lanes that move apart. */
__global__ void chooses(uint32_t *out, const uint32_t *in)
{
    const uint32_t moves = blockIdx.x * 24 + threadIdx.x, stays = gridDim.x + threadIdx.x;
    uint32_t chosen;
    asm volatile("{.reg .pred p; setp.ne.u32 p, %3, 0; selp.u32 %0, %1, %2, p;}"
                 : "=r"(chosen)
                 : "r"(moves), "r"(stays), "r"(threadIdx.x & 1));
    out[thread()] = in[chosen];
}
__global__ void comes_nearer(uint32_t *out, const uint32_t *in)
{
    uint32_t sum = 0;
    for (int i = 0; i < abs(static_cast<int>(blockIdx.x) - 100) >> 3; i++)
        sum = sum * 5 + in[i];
    out[thread()] = sum;
}
/* Constants: at addresses that go around; of which one block reads another one, and one block many. */
__constant__ uint32_t table[256] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
__global__ void constants_turn(uint32_t *out, const uint32_t *)
{
    out[thread()] = table[thread() * 3 & 255];
}
__global__ void one_constant(uint32_t *out, const uint32_t *in)
{
    if (table[blockIdx.x] != 0)
        out[thread()] = in[thread()];
}
__global__ void constants_apart(uint32_t *out, const uint32_t *)
{
    uint32_t chosen;
    asm volatile("{.reg .pred p; setp.eq.u32 p, %2, 21; selp.u32 %0, %1, 5, p;}"
                 : "=r"(chosen)
                 : "r"(threadIdx.x & 63), "r"(blockIdx.x));
    out[thread()] = table[chosen];
}
/* Seven blocks are beyond where a mask wraps. */
__global__ void turns(uint32_t *out, const uint32_t *in)
{
    if ((blockIdx.x + 43 & 63) < 7)
        out[thread()] = in[thread()];
}
/* Bits that are shifted out carry once, behind the middle of the grid. */
__global__ void carries(uint32_t *out, const uint32_t *in)
{
    uint32_t shifted;
    asm volatile("shr.u32 %0, %1, 6;" : "=r"(shifted) : "r"(blockIdx.x + 11));
    if (shifted == 1)
        out[thread()] = in[thread()];
}
/* What is the smaller is another one near the end. */
__global__ void smaller(uint32_t *out, const uint32_t *in)
{
    if ((min(blockIdx.x + (threadIdx.x >> 16), 50u) & 3) == 2)
        out[thread()] = in[thread()];
}
/* A number of which only the upper word changes becomes a float. */
__global__ void wide_float(uint32_t *out, const uint32_t *in)
{
    if (__ull2float_rz(uint64_t{blockIdx.x} << 32 | 7) == 0x1.5p36f)
        out[thread()] = in[thread()];
}
/* Each block reads 4 GiB farther. */
__global__ void far_away(uint32_t *out, const uint32_t *in)
{
    out[thread()] = in[(uint64_t{blockIdx.x} << 30) + threadIdx.x];
}
/* A barrier that tells a block what one of its threads has read. */
__global__ void votes(uint32_t *out, const uint32_t *in)
{
    if (__syncthreads_or(in[thread()] == 0x01010101 + blockIdx.x))
        out[thread()] = 3;
}
/* Some blocks do less. */
__global__ void diagonal(uint32_t *out, const uint32_t *in)
{
    const uint32_t row = blockIdx.x / 8, column = blockIdx.x % 8;
    if (row == column)
        out[thread()] = in[thread()];
}

template <void (*kernel)(uint32_t *, const uint32_t *)> int launch(void *data)
{
    const state &s = *static_cast<state *>(data);
    kernel<<<blocks, threads>>>(s.out.data, s.in.data);
    return cugate::launched();
}

__global__ void with_buffer(uint32_t *out, const uint32_t *in, uint32_t *buffer)
{
    buffer[thread()] = in[thread()];
    out[thread()] = in[thread()] + 1;
}
/* Frees what it writes beside its output, before anybody reads that. */
int launch_with_buffer(void *data)
{
    const state &s = *static_cast<state *>(data);
    cugate::device_array<uint32_t> buffer;
    CUGATE_TRY(buffer.allocate(words));
    with_buffer<<<blocks, threads>>>(s.out.data, s.in.data, buffer.data);
    return cugate::launched();
}

__global__ void fetches(uint32_t *out, cudaTextureObject_t texture, cudaTextureObject_t array)
{
    out[thread()] = tex1Dfetch<uint32_t>(texture, static_cast<int>(thread())) + tex1D<uint32_t>(array, threadIdx.x);
}
/* Changes and frees what it has read, of which two are textures, before anybody looks at its output. */
int launch_fetches(void *data)
{
    const state &s = *static_cast<state *>(data);
    constexpr size_t bytes = blocks * threads * sizeof(uint32_t);
    const std::vector<uint32_t> ones(blocks * threads, 1), twos(blocks * threads, 2);
    cugate::device_array<uint32_t> memory;
    cudaResourceDesc linear = {}, row = {};
    cudaTextureDesc how = {};
    cudaTextureObject_t textures[2];
    linear.resType = cudaResourceTypeLinear;
    linear.res.linear.desc = cudaCreateChannelDesc<uint32_t>();
    linear.res.linear.sizeInBytes = bytes;
    row.resType = cudaResourceTypeArray;
    CUGATE_TRY(memory.allocate(blocks * threads));
    linear.res.linear.devPtr = memory.data;
    CUGATE_TRY(cudaMallocArray(&row.res.array.array, &linear.res.linear.desc, threads, 1));
    CUGATE_TRY(cudaCreateTextureObject(&textures[0], &linear, &how, nullptr));
    CUGATE_TRY(cudaCreateTextureObject(&textures[1], &row, &how, nullptr));
    for (int k = 0; k < 3; k++) {
        const size_t width = threads * sizeof(uint32_t);
        CUGATE_TRY(cudaMemcpy(memory.data, ones.data(), bytes, cudaMemcpyHostToDevice));
        CUGATE_TRY(
            cudaMemcpy2DToArray(row.res.array.array, 0, 0, ones.data(), width, width, 1, cudaMemcpyHostToDevice));
        fetches<<<blocks, threads>>>(s.out.data + k * blocks * threads, textures[0], textures[1]);
        CUGATE_TRY(cugate::launched());
        if (k == 0)
            CUGATE_TRY(cudaMemcpy(memory.data, twos.data(), bytes, cudaMemcpyHostToDevice));
        if (k == 1)
            CUGATE_TRY(
                cudaMemcpy2DToArray(row.res.array.array, 0, 0, twos.data(), width, width, 1, cudaMemcpyHostToDevice));
    }
    CUGATE_TRY(cudaDestroyTextureObject(textures[0]));
    CUGATE_TRY(cudaDestroyTextureObject(textures[1]));
    return static_cast<int>(cudaFreeArray(row.res.array.array));
}

int restore(void *data)
{
    return static_cast<state *>(data)->out.poison(2);
}

/* Of `own`, with_buffer and `fetches` each word is read, by which every block is executed; of `backwards` what was
 * written is compared. */
int right(void *data, const cugate_variant *variant, char *text, size_t size)
{
    state &s = *static_cast<state *>(data);
    cugate::why why{text, size};
    const std::string name = variant->name;
    if (name == "own" || name == "with_buffer" || name == "fetches") {
        const bool fetched = name == "fetches";
        std::vector<uint32_t> got;
        CUGATE_TRY(s.out.download(got));
        for (uint32_t i = 0; i < blocks * threads * (fetched ? 3 : 1); i++)
            if (got[i] != (fetched ? 2 : 0x01010102))
                return why("word %u is 0x%x", i, got[i]);
    }
    if (name == "backwards")
        return s.out.compare(why, [](size_t i) { return i >= words - blocks * threads ? 0x01010101 : 0x02020202; });
    return 0;
}

#define VARIANT(kernel)                                                                                                \
    {                                                                                                                  \
        .name = #kernel, .doc = "blocks that meet, or nearly do", .launch = launch<kernel>, .bytes = 1                 \
    }
constexpr cugate_variant variants[] = {
    VARIANT(own),
    VARIANT(one_too_many),
    VARIANT(half_apart),
    VARIANT(same_word),
    VARIANT(reads_next),
    VARIANT(in_place),
    VARIANT(backwards),
    VARIANT(byte_each),
    VARIANT(word_each),
    VARIANT(odd_rows),
    VARIANT(parity),
    VARIANT(half_lines),
    VARIANT(halves),
    VARIANT(wraps),
    VARIANT(reads_elsewhere),
    VARIANT(beyond),
    VARIANT(by_data),
    VARIANT(diagonal),
    VARIANT(reads_farther),
    VARIANT(wraps_and_carries),
    VARIANT(chooses),
    VARIANT(comes_nearer),
    VARIANT(constants_turn),
    VARIANT(one_constant),
    VARIANT(constants_apart),
    VARIANT(turns),
    VARIANT(smaller),
    VARIANT(wide_backwards),
    VARIANT(carries),
    VARIANT(wide_float),
    VARIANT(far_away),
    VARIANT(votes),
    VARIANT(beyond_shared),
    {.name = "with_buffer", .doc = "a buffer that is freed", .launch = launch_with_buffer, .bytes = 1},
    {.name = "fetches", .doc = "textures that are freed", .launch = launch_fetches, .bytes = 1},
};
constexpr cugate_family meet_family = {
    .name = "meet",
    .doc = "blocks that meet",
    .kind = CUGATE_KERNELS,
    .open = cugate::open_state<state>,
    .restore = restore,
    .verify = right,
    .close = cugate::close_state<state>,
    .variants = variants,
    .variant_count = std::size(variants),
};
const cugate_family *const families[] = {&meet_family};

} // namespace

LIBRARY(families)
