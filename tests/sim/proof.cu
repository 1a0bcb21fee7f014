/* proof.cu - kernels whose blocks meet, or nearly do, and others of which one block is not like the rest: proof.sh
 * compares what is said of them when blocks are left out with what is said when all are executed. */
#include "bulk.cuh"
#include <cugate/kernel.hpp>

#include <cuda.h>

namespace {

constexpr unsigned blocks = 64, threads = 64, words = 1u << 16;

/* Of `own`, with_buffer and `fetches` each word is read, by which every block is executed; of `backwards` what was
 * written is compared. */
struct state {
    cugate::array<uint32_t> out, in;
    int open()
    {
        CUGATE_TRY(out.allocate(words));
        CUGATE_TRY(in.allocate(words));
        return in.poison(1);
    }
    int restore()
    {
        return out.poison(2);
    }
    int verify(const cugate_variant &variant, cugate::why &why)
    {
        const std::string name = variant.name;
        if (name == "own" || name == "with_buffer" || name == "fetches") {
            const bool fetched = name == "fetches";
            std::vector<uint32_t> got;
            CUGATE_TRY(out.download(got));
            for (uint32_t i = 0; i < blocks * threads * (fetched ? 3 : 1); i++)
                if (got[i] != (fetched ? 2 : 0x01010102))
                    return why("word %u is 0x%x", i, got[i]);
        }
        if (name == "adds_own" && out.is_partly_written())
            return why("what blocks add to is taken for the result");
        if (name == "adds_one" || name == "adds_own")
            return out.compare(why, [&](size_t i) {
                return name == "adds_own" ? i < blocks * threads ? 0x01010104 : 0x02020202
                                          : 0x02020202 + (i ? 0 : blocks * threads * 3 / 2);
            });
        if (name == "backwards")
            return out.compare(why, [](size_t i) { return i >= words - blocks * threads ? 0x01010101 : 0x02020202; });
        return 0;
    }
};

__device__ uint32_t thread()
{
    return blockIdx.x * blockDim.x + threadIdx.x;
}

#define KERNEL(name) __global__ void name([[maybe_unused]] uint32_t *out, [[maybe_unused]] const uint32_t *in)
/* What each thread does; or those where a condition holds. */
#define EACH(name, ...)                                                                                                \
    KERNEL(name)                                                                                                       \
    {                                                                                                                  \
        __VA_ARGS__;                                                                                                   \
    }
#define WHERE(name, condition, ...)                                                                                    \
    KERNEL(name)                                                                                                       \
    {                                                                                                                  \
        if (condition)                                                                                                 \
            __VA_ARGS__;                                                                                               \
    }

/* Each thread writes a word of its own. */
EACH(own, out[thread()] = in[thread()] + 1)
/* ... and the next block's first one. */
KERNEL(one_too_many)
{
    out[thread()] = in[thread()];
    if (threadIdx.x == 0)
        out[thread() + blockDim.x] = 7;
}
/* Blocks overlap by half. */
EACH(half_apart, out[blockIdx.x * (blockDim.x / 2) + threadIdx.x] = in[threadIdx.x])
/* All write one word. */
WHERE(same_word, threadIdx.x == 0, out[0] = in[0])
/* A block reads what the next one writes. */
EACH(reads_next, out[thread()] = out[thread() + blockDim.x] + 1)
/* ... and what no other does. */
EACH(in_place, out[thread()] = out[thread()] * 3)
/* Words of local memory, at a place that the compiler does not know, so that they stay there. */
#define KEPT(words, k) (*(volatile uint32_t *)&(words)[threadIdx.y + (k)])
/* A place, a role and a number are kept there. They are known, but for the number. */
KERNEL(spilled)
{
    uint32_t words[4];
    KEPT(words, 0) = thread();
    KEPT(words, 1) = threadIdx.x / 32;
    KEPT(words, 2) = in[thread()];
    if (KEPT(words, 1) == 0)
        out[KEPT(words, 0)] = KEPT(words, 2) * 3;
    else
        out[KEPT(words, 0)] = KEPT(words, 2);
}
/* ... and numbers are stored where the role is: by a generic address, or at an address of each lane. Or a byte of a
 * number is overwritten, whose others are still not known. */
enum { BY_GENERIC, BY_LANES, BYTE };
template <int how> __global__ void spilled_over(uint32_t *out, const uint32_t *in)
{
    uint32_t words[2];
    KEPT(words, 0) = KEPT(words, 1) = how == BYTE ? in[thread()] : threadIdx.x / 32;
    if (how == BYTE)
        *(volatile unsigned char *)&words[threadIdx.y + 1] = 5;
    else if (how == BY_GENERIC)
        asm volatile("st.u32 [%0], %1;" ::"l"(&words[threadIdx.y + 1]), "r"(in[thread()]) : "memory");
    else
        KEPT(words, threadIdx.x % 2) = in[thread()];
    if (KEPT(words, 1) % 3 == 0)
        out[thread()] = in[thread() + 1];
}
/* ... and some lanes keep another role, which is known as well; or all others a number, which is not. */
template <bool number> __global__ void spilled_apart(uint32_t *out, const uint32_t *in)
{
    uint32_t word[2];
    KEPT(word, 0) = number ? in[thread()] : 1;
    __syncwarp(); /* else both are one store */
    if (threadIdx.x % 4 == 0)
        KEPT(word, 0) = 2;
    if (KEPT(word, 0) % 2 == 1)
        out[thread()] = in[thread() + 1];
}

/* Few instructions, which take long: it is tried by how long they take. */
__device__ void multiply(uint32_t *out, const uint32_t *in, unsigned times)
{
    float sum[4] = {0, 0, 0, 0};
    const uint32_t a = in[threadIdx.x];
#pragma unroll 1
    for (unsigned i = 0; i < times; i++)
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %4, %4, %4}, {%4, %4}, "
                     "{%0, %1, %2, %3};"
                     : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
                     : "r"(a & 0x3bff3bff));
    out[thread()] = (uint32_t)sum[0] + (uint32_t)sum[3];
}
EACH(heavy, multiply(out, in, 400))
/* Its classes take more than a twentieth of it, which is foreseen to be all. */
EACH(heavy_columns, multiply(out + blockIdx.y * gridDim.x * blockDim.x, in, 400 + 8 * blockIdx.x))

/* The index has 64 bits. */
KERNEL(long_index)
{
    const uint64_t at = uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
    out[at] = in[at];
}
/* Arrays follow each other, and the last block has none of them. */
KERNEL(side_by_side)
{
    constexpr unsigned count = 4000;
    if (thread() < count)
        out[count + thread()] = out[thread()] + 1;
}
/* ... or overlap by a word. */
KERNEL(side_too_near)
{
    constexpr unsigned count = 4000;
    if (thread() < count)
        out[count - 1 + thread()] = out[thread()] + 1;
}
/* A block reads what another writes, farther away. */
EACH(reads_farther, out[thread()] = out[2 * thread() + blockDim.x] + 1)
/* From the last word to the first. */
EACH(backwards, out[words - 1 - thread()] = in[thread()])
KERNEL(wide_backwards)
{
    const int64_t at =
        int64_t{static_cast<int>(blockIdx.x)} * -static_cast<int>(gridDim.x) + static_cast<int>(threadIdx.x);
    out[words - threads + at] = in[threadIdx.x];
}
/* Bytes: four blocks' are a word. */
KERNEL(byte_each)
{
    if (threadIdx.x == 0)
        reinterpret_cast<unsigned char *>(out)[blockIdx.x] = static_cast<unsigned char>(in[0]);
}
WHERE(word_each, threadIdx.x == 0, out[blockIdx.x] = in[blockIdx.x])
/* Rows that begin in the middle of a sector. */
EACH(odd_rows, out[thread()] = in[blockIdx.x * 68 + threadIdx.x])
/* Every other block, and every fourth, at the end of the grid as well. */
KERNEL(parity)
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
KERNEL(half_lines)
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
KERNEL(halves)
{
    if (blockIdx.x < gridDim.x / 2)
        out[thread()] = out[thread() + words / 2];
    else
        out[thread() + words / 2] = in[thread()];
}
/* One half writes an array that the other reads, elsewhere. */
KERNEL(reads_elsewhere)
{
    uint32_t sum = 0;
    if (blockIdx.x % 2 == 0)
        sum = out[words - 1];
    if (sum != 5)
        out[thread()] = in[thread()];
}
/* A stride that wraps around at the end of the grid. */
EACH(wraps, out[thread() & 0x7ff] = in[thread()])
/* The last block goes on where no memory is. */
KERNEL(beyond)
{
    const uint32_t far = blockIdx.x * (words / (blocks - 1)) + threadIdx.x;
    out[thread()] = in[far];
}
/* Later blocks go beyond shared memory. */
KERNEL(beyond_shared)
{
    __shared__ uint32_t tile[1024];
    for (unsigned i = threadIdx.x; i < 1024; i += blockDim.x)
        tile[i] = in[i];
    __syncthreads();
    out[thread()] = tile[blockIdx.x * 32 + threadIdx.x];
}
/* Every block counts otherwise, by memory. */
WHERE(by_data, in[thread()] & 1, out[thread()] = 3)
/* A word that wraps before it carries. */
KERNEL(wraps_and_carries)
{
    const uint64_t sum = uint64_t{blockIdx.x * 0x08000000u} + 0xfc000000u;
    if (sum >> 32)
        out[thread()] = in[thread()];
}
/* Lanes that move apart. */
KERNEL(chooses)
{
    const uint32_t moves = blockIdx.x * 24 + threadIdx.x, stays = gridDim.x + threadIdx.x;
    uint32_t chosen;
    asm volatile("{.reg .pred p; setp.ne.u32 p, %3, 0; selp.u32 %0, %1, %2, p;}"
                 : "=r"(chosen)
                 : "r"(moves), "r"(stays), "r"(threadIdx.x & 1));
    out[thread()] = in[chosen];
}
KERNEL(comes_nearer)
{
    uint32_t sum = 0;
    for (int i = 0; i < abs(static_cast<int>(blockIdx.x) - 100) >> 3; i++)
        sum = sum * 5 + in[i];
    out[thread()] = sum;
}
/* Constants: at addresses that go around; of which one block reads another one, and one block many. */
__constant__ uint32_t table[256] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
EACH(constants_turn, out[thread()] = table[thread() * 3 & 255])
WHERE(one_constant, table[blockIdx.x] != 0, out[thread()] = in[thread()])
/* ... or a byte of them, of which one is odd. */
__constant__ uint8_t table_of_bytes[blocks] = {[41] = 1};
WHERE(constant_byte, table_of_bytes[blockIdx.x] & 1, out[thread()] = in[thread()])
KERNEL(row_constant)
{
    if (threadIdx.x < table[blockIdx.y + 20] + 8)
        out[thread() + blockIdx.y * gridDim.x * blockDim.x] = in[threadIdx.x];
}
KERNEL(constants_apart)
{
    uint32_t chosen;
    asm volatile("{.reg .pred p; setp.eq.u32 p, %2, 21; selp.u32 %0, %1, 5, p;}"
                 : "=r"(chosen)
                 : "r"(threadIdx.x & 63), "r"(blockIdx.x));
    out[thread()] = table[chosen];
}
/* Seven blocks are beyond where a mask wraps. */
WHERE(turns, (blockIdx.x + 43 & 63) < 7, out[thread()] = in[thread()])
/* Bits that are shifted out carry once, behind the middle of the grid. */
KERNEL(carries)
{
    uint32_t shifted;
    asm volatile("shr.u32 %0, %1, 6;" : "=r"(shifted) : "r"(blockIdx.x + 11));
    if (shifted == 1)
        out[thread()] = in[thread()];
}
/* Six predicates are set from the bits of a word (R2P by a mask), and the one that data decides stays. */
KERNEL(keeps_predicate)
{
    const bool decided = in[thread()] & 1;
    float values[8];
    values[0] = __uint_as_float(in[thread()] & 0x3fffffff);
    values[7] = decided ? values[0] : 3;
    asm volatile("" : "+f"(values[7]));
#pragma unroll
    for (int i = 1; i < 7; i++)
        values[i] = __uint_as_float(in[(thread() + 32 * i) & 1023]);
    uint32_t bits = threadIdx.x * 37;
    asm volatile("mov.b32 %0, %0;" : "+r"(bits));
#pragma unroll
    for (int i = 1; i < 7; i++)
        values[i] = bits & 1 << i ? values[i] : -INFINITY;
    float most = values[7];
#pragma unroll
    for (int i = 0; i < 7; i++)
        most = fmaxf(most, values[i]);
    if (decided)
        asm volatile("st.global.f32 [%0], %1;" ::"l"(out + thread()), "f"(most));
    else
        out[thread()] = 1;
}
/* What is the smaller is another one near the end. */
WHERE(smaller, (min(blockIdx.x + (threadIdx.x >> 16), 50u) & 3) == 2, out[thread()] = in[thread()])
/* A product with a sign changes it, and with it the carry of the sum of 64 bits, of which no word wraps. */
KERNEL(wide_carry)
{
    const int place = static_cast<int>(blockIdx.x);
    uint64_t carry = 0, sum;
    if (place > 35 && place < 63)
        asm volatile("{.reg .s64 t; mul.wide.s32 t, %2, %3; add.cc.s64 %0, t, %4; addc.s64 %1, 0, 0;}"
                     : "=l"(sum), "=l"(carry)
                     : "r"(place - 39), "r"(static_cast<int>(gridDim.x)), "l"(uint64_t{blockDim.x} << 8));
    if (carry)
        out[thread()] = in[thread()];
}
/* A number of which only the upper word changes becomes a float. */
WHERE(wide_float, __ull2float_rz(uint64_t{blockIdx.x} << 32 | 7) == 0x1.5p36f, out[thread()] = in[thread()])
/* Each block reads 4 GiB farther. */
EACH(far_away, out[thread()] = in[(uint64_t{blockIdx.x} << 30) + threadIdx.x])
/* A barrier that tells a block what one of its threads has read. */
WHERE(votes, __syncthreads_or(in[thread()] == 0x01010101 + blockIdx.x), out[thread()] = 3)
__constant__ uint32_t places = 3;
/* A number that is no immediate, as PyTorch's division has it. */
EACH(shift_by, out[thread()] = in[thread() >> places] + 1)
/* ... and one that a block has for itself. */
EACH(shift_by_block, out[thread()] = in[thread() >> (blockIdx.x == 41 ? places : 0)] + 1)
/* ... and each lane. */
EACH(shift_by_lane, out[thread()] = in[thread() >> (threadIdx.x & places)] + 1)
/* A vote of a warp tells what one of its threads has read. */
WHERE(warp_votes, __any_sync(~0u, in[thread()] == 0x01010101 + blockIdx.x - 41), out[thread()] = 3)
/* Some blocks do less. */
KERNEL(diagonal)
{
    const uint32_t row = blockIdx.x / 8, column = blockIdx.x % 8;
    if (row == column)
        out[thread()] = in[thread()];
}

/* ---- Values ---- */

/* Each is in a register at the end, where it is compared with what is known of it. */
#define VALUE(name, value)                                                                                             \
    __global__ void name(uint32_t *out, const uint32_t *in)                                                            \
    {                                                                                                                  \
        const uint32_t block = blockIdx.x, lane = threadIdx.x, grid = gridDim.x, loaded = in[thread()];                \
        out[thread()] = value;                                                                                         \
        (void)block, (void)lane, (void)grid, (void)loaded;                                                             \
    }
VALUE(wide_signed, uint32_t((int64_t{int(block)} * (int(grid) - 69)) >> 32) + lane)
VALUE(shift_at_edge, (block + 3) >> 2)
VALUE(shift_of_strides, thread() >> 5)
VALUE(shift_that_wraps, (block * (grid << 22)) >> 28)
VALUE(shift_that_carries, (block * (grid * 0x140000) + 0x70000000) >> 27)
__device__ uint32_t differ_in_sign(uint32_t a, uint32_t b)
{
    asm volatile("{.reg .pred p; xor.b32 %0, %0, %1; setp.lt.s32 p, %0, 0; selp.u32 %0, 1, 0, p;}" : "+r"(a) : "r"(b));
    return a;
}
VALUE(sign_of_xor, differ_in_sign(block + 0x7fffffe3, grid + lane))
__device__ uint32_t magnitude(uint32_t a)
{
    asm volatile("abs.s32 %0, %0;" : "+r"(a));
    return a;
}
VALUE(both_signs, magnitude((lane & 1) * 2000 - 1000 + block))
VALUE(minus, magnitude(block - 100))
VALUE(bits, (block & 63) == 0 ? lane : grid)
VALUE(product, lane *(lane + 7) - block * grid)
VALUE(lane_product, block *lane)
VALUE(squares, block *(1 + (block >> 4)))
VALUE(upper_shifted, uint32_t(((uint64_t{block} << 32 | lane) << 4) + (uint64_t{grid} << 7 | lane) >> 32))
__device__ uint32_t third_word(uint32_t a, uint32_t b, uint32_t zero)
{
    asm volatile("{add.cc.u32 %0, %0, %1; addc.cc.u32 %0, %2, 0xffffffff; addc.u32 %0, 0, 0;}"
                 : "+r"(a)
                 : "r"(b), "r"(zero));
    return a;
}
VALUE(carries_twice, third_word(block * 0x04000000u, 0x10000000u + lane, grid - 64))
__device__ uint32_t is_less(uint32_t a, uint32_t b)
{
    asm volatile("{.reg .pred p; setp.lt.u32 p, %0, %1; selp.u32 %0, 1, 0, p;}" : "+r"(a) : "r"(b));
    return a;
}
VALUE(alike, is_less(block * 0x08000000u, block * 0x08000000u + (grid << 22) + lane))
__device__ uint32_t of_neighbour(uint32_t value, uint32_t loaded)
{
    asm volatile("{.reg .pred p; and.b32 %1, %2, 1; setp.ne.u32 p, %1, 0; @p mov.u32 %0, %1;}"
                 : "+r"(value), "+r"(loaded)
                 : "r"(threadIdx.x));
    return __shfl_xor_sync(~0u, value, 1);
}
VALUE(some_lanes, of_neighbour(block, loaded))
VALUE(other_lane, __shfl_sync(~0u, lane * 7, block))
/* A sum with an upper word, which carries in some blocks. */
__device__ uint32_t carry_of_upper(uint32_t a, uint32_t b)
{
    const uint64_t sum = uint64_t{a} + (b >> 7);
    return uint32_t(sum) + uint32_t(sum >> 32) * 8;
}
VALUE(upper_carries, carry_of_upper(block * 0x08000000u + 0x07f00000 + lane, lane *grid * 1000003))
VALUE(right_of_two, __funnelshift_r(block * 0x08000000u + lane * 8, grid + lane, 3))
VALUE(right_of_two_moves, __funnelshift_r(lane, block, 5))
VALUE(right_that_carries, __funnelshift_r(block * 0x08000004u + lane, grid, 4))

/* ---- Quotients ---- */

/* A place of two or three numbers by one: out of `rows` rows, which are of no power of two. */
__device__ void put(uint32_t *out, const uint32_t *in, uint32_t column, uint32_t row, uint32_t rows)
{
    out[(column * rows + row) * threads + threadIdx.x] = in[row * threads + threadIdx.x];
}
/* ... of which the last one that exists is at the end of memory. */
EACH(quotient, put(out + words - 299 * threads, in, blockIdx.x % 12, blockIdx.x / 12, 25))
/* A mask instead of two shifts. */
EACH(quotient_masked, out[blockIdx.x / 12 * 1024 + blockIdx.x % 12 * threads + threadIdx.x] = in[threadIdx.x])
/* Divisors that a product with 33 bits divides by, of which one is even, */
EACH(quotient_33, put(out, in, blockIdx.x % 19, blockIdx.x / 19, 16))
EACH(quotient_even, put(out, in, blockIdx.x % 14, blockIdx.x / 14, 22))
/* ... numbers with signs, */
KERNEL(quotient_signed)
{
    const int block = static_cast<int>(blockIdx.x);
    put(out, in, static_cast<uint32_t>(block % 7), static_cast<uint32_t>(block / 7), 43);
}
/* ... a divisor that is not known when a kernel is compiled, */
KERNEL(quotient_by)
{
    const uint32_t by = blockDim.x - 41;
    put(out, in, blockIdx.x % by, blockIdx.x / by, 14);
}
KERNEL(quotient_signed_by)
{
    const int by = static_cast<int>(blockDim.x) - 51, block = static_cast<int>(blockIdx.x);
    put(out, in, static_cast<uint32_t>(block % by), static_cast<uint32_t>(block / by), 24);
}
/* ... and a power of two. */
EACH(quotient_16, put(out, in, blockIdx.x & 15, blockIdx.x >> 4, 19))
/* Three numbers by one; of a second axis; some blocks by their quotient. */
EACH(quotients, put(out, in, blockIdx.x % 5 + 5 * (blockIdx.x / 35), blockIdx.x / 5 % 7, 7))
EACH(quotient_of_rows, put(out, in, blockIdx.y % 6 * 5 + blockIdx.x, blockIdx.y / 6, 10))
KERNEL(quotient_decides)
{
    if (blockIdx.x / 12 > 20 || blockIdx.x % 12 != 0)
        put(out, in, blockIdx.x % 12, blockIdx.x / 12, 25);
}
/* Tiles in groups of four rows of them, of which the last has one row. It is another block's as well, if there are not
 * as many in memory. */
template <int rows_there> __device__ void put_swizzled(uint32_t *out, const uint32_t *in)
{
    const int place = static_cast<int>(blockIdx.x), rows = 13, columns = 9 + static_cast<int>(blockDim.x - threads);
    const int group = place / (4 * columns), first = group * 4, size = min(rows - first, 4);
    const int row = first + place % (4 * columns) % size, column = place % (4 * columns) / size;
    put(out, in, static_cast<uint32_t>(column), static_cast<uint32_t>(row), rows_there);
}
EACH(swizzled, put_swizzled<13>(out, in))
EACH(swizzled_meets, put_swizzled<12>(out, in))

/* One block alone goes where others do not. */
KERNEL(one_far)
{
    const uint32_t is_42 = ((blockIdx.x + 22) >> 6) - ((blockIdx.x + 21) >> 6);
    out[thread()] = reinterpret_cast<const uint32_t *>(reinterpret_cast<uint64_t>(in) + (uint64_t{is_42} << 32))[0];
}
KERNEL(one_beyond_shared)
{
    __shared__ uint32_t tile[64];
    tile[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[thread()] = tile[(blockIdx.x == 41 ? 64 : 0) + threadIdx.x];
}
KERNEL(bank_by_block)
{
    __shared__ uint32_t tile[1024];
    for (unsigned i = threadIdx.x; i < 1024; i += blockDim.x)
        tile[i] = in[i];
    __syncthreads();
    out[thread()] = tile[threadIdx.x << (blockIdx.x & 3)];
}
/* The last one of those that read goes too far. */
WHERE(beyond_in_the_middle, blockIdx.x < 40, out[thread()] = in[blockIdx.x * (words / 39 / 8 * 8) + threadIdx.x])
/* What a later one adds to is read, of blocks that are not executed. */
KERNEL(one_reads_adds)
{
    atomicAdd(&out[thread()], 1);
    if (blockIdx.x == 41)
        out[words - 1 - thread()] = out[thread() + 4 * blockDim.x];
}

/* ---- Atomics ---- */

/* Each thread adds to a word of its own, which was written before. */
KERNEL(adds_own)
{
    out[thread()] = 3;
    atomicAdd(&out[thread()], in[thread()]);
}
/* All add to one word, */
EACH(adds_one, atomicAdd(out, threadIdx.x & 3))
/* ... one thread of each warp for all, */
EACH(adds_together, atomicAdd(out, 1))
/* ... or some of the blocks, and to words that others add to. */
KERNEL(adds_some)
{
    if (blockIdx.x < 40)
        atomicMax(&out[threadIdx.x / 8], in[threadIdx.x]);
    atomicAdd(&out[thread()], 1);
}
/* Blocks of a column add to its words, */
EACH(adds_columns, atomicAdd(reinterpret_cast<float *>(out) + thread(), static_cast<float>(in[blockIdx.y])))
/* ... of which each has twice as many as it is wide, */
EACH(adds_halves, atomicXor(&out[blockIdx.x * (blockDim.x / 2) + threadIdx.x], in[threadIdx.x]))
/* ... or several numbers at once, of which the last is the next one's first. */
KERNEL(adds_vectors)
{
    asm volatile("red.global.add.v4.f32 [%0], {%1, %1, %1, %1};" ::"l"(out + 4 * thread()), "f"(1.0f));
    asm volatile("red.global.add.v2.f32 [%0], {%1, %1};" ::"l"(out + 4 * thread() + 4), "f"(1.0f));
}
/* A part of what another block adds to is read. */
KERNEL(adds_fours)
{
    asm volatile("red.global.add.v4.f32 [%0], {%1, %1, %1, %1};" ::"l"(out + 4 * thread()), "f"(1.0f));
    if (blockIdx.x == 41)
        out[words - 1 - thread()] = out[4 * (thread() + 4 * blockDim.x) + 3];
}
KERNEL(adds_wide)
{
    atomicAdd(reinterpret_cast<unsigned long long *>(out) + thread(), in[thread()]);
    atomicAdd(reinterpret_cast<double *>(out) + words / 4 + thread(), 1.0);
}
/* A word that a block adds to is written, or read, by the next one. */
KERNEL(adds_to_next)
{
    out[thread()] = in[thread()];
    if (threadIdx.x == 0)
        atomicAdd(&out[thread() + blockDim.x], 1);
}
KERNEL(adds_and_reads)
{
    atomicAdd(&out[thread()], 1);
    out[words - 1 - thread()] = out[thread() + blockDim.x];
}
/* ... or by one at another pace */
KERNEL(adds_ahead)
{
    atomicAdd(&out[thread()], 1);
    out[words - 1 - thread()] = out[threadIdx.x];
}
/* Words by data, and others in the middle of a sector. */
EACH(adds_by_data, atomicAdd(&out[(in[thread()] + thread()) & 255], 1))
EACH(adds_odd, atomicAdd(&out[blockIdx.x * 68 + threadIdx.x], 1))
/* The last one adds where no memory is. */
EACH(adds_beyond, atomicAdd(&out[blockIdx.x * (words / (blocks - 1)) + threadIdx.x], 1))
/* Answers: as data, to decide, and of what is tried. */
EACH(answers, out[thread() + 64] = atomicAdd(out, 1))
KERNEL(last_one)
{
    __shared__ bool last;
    if (threadIdx.x == 0)
        last = atomicAdd(&out[words - 1], 1) == 0x02020202 + gridDim.x - 1;
    __syncthreads();
    if (last)
        out[threadIdx.x] = 1;
}
EACH(exchanges, atomicExch(out, thread()))
KERNEL(waits)
{
    if (threadIdx.x == 0 && blockIdx.x == 0)
        atomicAdd(&out[1], 1);
    while (threadIdx.x == 0 && atomicAdd(&out[1], 0) == 0x02020202)
        continue;
}
/* What all load from one place decides, as where a table is; the last block writes it, or not. */
KERNEL(one_decides)
{
    for (uint32_t k = 0; k < in[1] % 5; k++)
        out[thread() + (in[in[k] % 64] & 128)] += k;
}
KERNEL(one_is_written)
{
    const uint32_t times = out[words - 1] % 5;
    for (uint32_t k = 0; k < times; k++)
        out[thread()] += k;
    if (blockIdx.x == blocks - 1 && threadIdx.x == 0)
        out[words - 1] = 1;
}
/* Each quarter of the blocks loads another word, which the launch before has written. */
__global__ void numbers(uint32_t *out)
{
    out[thread()] = thread();
}
KERNEL(one_of_four)
{
    for (uint32_t k = 0; k < in[blockIdx.x / 16] + 1; k++)
        out[thread()] += k;
}
/* Only how many threads work hangs on data: what is guarded computes. */
EACH(guards_sums, out[thread()] = __float_as_uint(logf(1e-41f * static_cast<float>(in[thread()]))))
/* ... and what follows decides. */
KERNEL(guards_decide)
{
    float times = 0.03125f * gridDim.x;
    asm volatile("{ .reg .pred p; setp.gt.u32 p, %1, 2000; @p mul.f32 %0, %0, 0f40400000; }"
                 : "+f"(times)
                 : "r"(in[thread()]));
    for (uint32_t k = 0; k < uint32_t(times); k++)
        out[thread()] += k;
}
/* It is polled: that is not known to stay. */
KERNEL(one_is_polled)
{
    for (uint32_t k = 0; k < *static_cast<const volatile uint32_t *>(in) % 5; k++)
        out[thread()] += k;
}
/* Generic addresses: of shared or of global memory, of one bank or another by block. */
KERNEL(generic_turns)
{
    __shared__ uint32_t tile[threads];
    for (uint32_t k = 0; k < 2; k++) {
        const uint32_t *from = k ? tile : &in[blockIdx.x * threads];
        uint32_t *to = k ? &out[blockIdx.x * threads] : tile, value;
        asm volatile("ld.u32 %0, [%1];" : "=r"(value) : "l"(&from[threadIdx.x]));
        asm volatile("st.u32 [%0], %1;" ::"l"(&to[threadIdx.x]), "r"(value));
    }
}
KERNEL(generic_by_block)
{
    __shared__ uint32_t tile[33 * threads];
    for (unsigned i = threadIdx.x; i < 33 * threads; i += threads)
        tile[i] = in[i];
    __syncthreads();
    uint32_t value;
    asm volatile("ld.u32 %0, [%1];" : "=r"(value) : "l"(&tile[threadIdx.x * (blockIdx.x & 32 ? 33 : 32)]));
    out[thread()] = value;
}
/* An index of 64 bits is divided, and waits for another grid. */
KERNEL(long_quotient)
{
    const int64_t at = static_cast<int64_t>(blockIdx.x) * threads * gridDim.x + threadIdx.x;
    if (threadIdx.x == 0)
        out[at / 512] = 1;
    asm volatile("griddepcontrol.wait;");
}
/* What waits, or tells others, is in the code and not executed. */
KERNEL(ticket_apart)
{
    __threadfence();
    out[thread()] = in[thread()];
    while (gridDim.y > 1 && atomicAdd(&out[words - 1], 1) % 2)
        __threadfence();
}
KERNEL(looks_on)
{
    uint32_t sum = 0;
#pragma unroll 1
    for (unsigned i = 0; i < 8; i++)
        sum += __ldcg(&in[i * blocks * threads + thread()]);
    out[thread()] = sum;
}
/* It is not known of an address whether it is one of global memory; in the second kernel it is not. */
__device__ void generic(uint32_t *to, const uint32_t *from)
{
    uint32_t value;
    asm volatile("ld.u32 %0, [%1];" : "=r"(value) : "l"(from));
    asm volatile("st.u32 [%0], %1;" ::"l"(to), "r"(value) : "memory");
}
EACH(anywhere, generic(out + thread(), in + thread()))
KERNEL(anywhere_shared)
{
    __shared__ uint32_t own[threads];
    generic(blockIdx.y ? out : own + threadIdx.x, in + thread());
    out[thread()] = own[threadIdx.x];
}
/* One warp looks at what the other one changes, of block 37. */
__device__ void look(volatile uint32_t *own, volatile uint32_t *other, uint32_t first, uint32_t *to)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < 200 && threadIdx.x == 32; i++)
        own[0] = first + i * (first == 1);
#pragma unroll 1
    for (uint32_t i = 0; i < 200 && threadIdx.x == 0; i++)
        sum += (i & 1 ? own : other)[0];
    *to = sum;
}
KERNEL(looks_twice)
{
    volatile uint32_t *const own = out + 512 * blockIdx.x;
    look(own, own, (blockIdx.x - 37) * (blockIdx.x - 37) + 1, out + words / 2 + thread());
}
KERNEL(looks_askew)
{
    volatile uint32_t *const own = out + 512 * blockIdx.x + 304;
    look(own, own + 8 * (int(blockIdx.x) - 37), 1, out + words / 2 + thread());
}
/* Each block waits for the one before. */
KERNEL(each_waits)
{
    out[words / 2 + thread()] = in[thread()];
    while (threadIdx.x == 0 && blockIdx.x > 0 && atomicAdd(&out[blockIdx.x - 1], 0) == 0x02020202)
        continue;
    if (threadIdx.x == 0)
        atomicAdd(&out[blockIdx.x], 1);
}
/* Two blocks wait for one behind them, and then store to shared memory. */
KERNEL(two_wait)
{
    volatile uint32_t *const told = out + words - 1;
    if (threadIdx.x == 0 && blockIdx.x == 60)
        *told = 1;
    while (threadIdx.x == 0 && (blockIdx.x == 5 || blockIdx.x == 9) && *told == 0x02020202)
        continue;
    __shared__ volatile uint32_t own[1024];
    own[threadIdx.x] = in[thread()];
    out[thread()] = own[threadIdx.x];
}
/* A block of the middle waits for the one before, and gives up after some looks; or the first one waits for it, and it
 * fails. */
__device__ uint32_t works(uint32_t times)
{
    uint32_t sum = 0;
#pragma unroll 1
    for (uint32_t i = 0; i < times; i++)
        asm volatile("mad.lo.u32 %0, %0, 5, %1;" : "+r"(sum) : "r"(i));
    return sum;
}
KERNEL(gives_up)
{
    volatile uint32_t *const told = out + blockIdx.x;
    for (unsigned i = 0; threadIdx.x == 0 && blockIdx.x == 35 && told[-1] == 0x02020202; i++)
        if (i == 100)
            __trap();
    if (threadIdx.x == 0)
        *told = 1;
    out[words / 2 + thread()] = in[thread()] + works(1000);
}
KERNEL(waits_for_fault)
{
    if (blockIdx.x == 35)
        out[in[0]] = 1;
    out[thread()] = works(blockIdx.x == 0 ? 100000 : 1);
    while (threadIdx.x == 0 && blockIdx.x == 0 && *(volatile uint32_t *)&out[words - 1] == 0x02020202)
        continue;
}
/* One warp looks at shared memory by a generic address, and in block 37 the other one changes it. */
KERNEL(looks_anywhere)
{
    __shared__ volatile uint32_t own;
    const int from = static_cast<int>(blockIdx.x) - 37, same = (from | -from) >> 31;
    uint32_t sum = 0;
    own = 1;
    __syncthreads();
    for (uint32_t i = 0; i < 4000 && threadIdx.x == 32; i++)
        own = 1 + (i & ~same);
#pragma unroll 1
    for (uint32_t i = 0; i < 20 && threadIdx.x == 0; i++) {
        uint32_t value;
        asm volatile("ld.volatile.u32 %0, [%1];" : "=r"(value) : "l"(&own));
        sum += value;
    }
    __threadfence_block();
    out[thread()] = sum;
}
/* Its warps store equal data to one word, with no barrier between them. */
KERNEL(stores_equal)
{
    __shared__ uint32_t word;
    if (threadIdx.x % 32 == 0)
        word = in[thread()];
    __syncthreads();
    out[thread()] = word;
}
/* Each looks at one word again, as if it waited. */
KERNEL(looks_still)
{
    uint32_t sum = 0;
#pragma unroll 1
    for (unsigned i = 0; i < 1000; i++)
        sum += *(const volatile uint32_t *)&in[thread()];
    out[thread()] = sum;
}

/* ---- Clusters ---- */

__device__ uint32_t rank_here()
{
    uint32_t rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}
__device__ uint32_t of_block(const void *p, uint32_t rank)
{
    uint32_t there;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(bulk::at(p)), "r"(rank));
    return there;
}
__device__ void meet()
{
    asm volatile("barrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;" ::: "memory");
}
/* A block reads what the next one of its cluster has; blocks of rank 1 do more, and so do those of one cluster. */
__device__ void read_far(uint32_t *out, const uint32_t *in, unsigned block, unsigned last, bool more)
{
    __shared__ uint32_t tile[threads];
    const uint32_t rank = rank_here();
    uint32_t sum;
    tile[threadIdx.x] = in[block * threads + threadIdx.x];
    meet();
    asm volatile("ld.shared::cluster.u32 %0, [%1];"
                 : "=r"(sum)
                 : "r"(of_block(tile, rank == last ? 0 : rank + 1) + threadIdx.x * 4)
                 : "memory");
    meet();
    for (unsigned i = 0; i < rank % 2 + more; i++)
        sum = sum * 5 + in[i + threadIdx.x];
    out[block * threads + threadIdx.x] = sum;
}
__global__ void __cluster_dims__(4, 1, 1) far_x(uint32_t *out, const uint32_t *in)
{
    read_far(out, in, blockIdx.x, 3, blockIdx.x / 4 == 10);
}
__global__ void __cluster_dims__(1, 4, 1) far_y(uint32_t *out, const uint32_t *in)
{
    read_far(out, in, blockIdx.y * gridDim.x + blockIdx.x, 3, blockIdx.y > 11 && blockIdx.x == 2);
}
__global__ void __cluster_dims__(1, 2, 2) far_z(uint32_t *out, const uint32_t *in)
{
    read_far(out, in, (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x, 3, blockIdx.z > 1);
}
/* All add to a word of the first block, by an atomic. */
__global__ void __cluster_dims__(2, 1, 1) far_adds(uint32_t *out, const uint32_t *in)
{
    __shared__ uint32_t sum;
    if (threadIdx.x == 0)
        sum = 0;
    meet();
    asm volatile("red.relaxed.cluster.shared::cluster.add.u32 [%0], %1;" ::"r"(of_block(&sum, 0)), "r"(in[thread()])
                 : "memory");
    meet();
    if (rank_here() == 0)
        out[thread()] = sum;
}
/* A block reads what its neighbour in the cluster, or in the next one, writes. */
__global__ void __cluster_dims__(2, 1, 1) cluster_meets(uint32_t *out, const uint32_t *)
{
    out[thread()] = 1;
    meet();
    out[words / 2 + thread()] = out[thread() ^ blockDim.x];
}
__global__ void __cluster_dims__(2, 1, 1) clusters_meet(uint32_t *out, const uint32_t *in)
{
    out[thread()] = in[thread()];
    if (threadIdx.x == 0 && rank_here() == 1)
        out[thread() + blockDim.x] = 7;
}
/* 1 of the last blocks, 0 of the others, without a branch. */
__device__ uint32_t late()
{
    return (blockIdx.x + 23) >> 6;
}
/* Generic addresses: how banks are met, by block; and lanes that access several kinds of memory. */
KERNEL(generic_banks)
{
    __shared__ uint32_t tile[2 * threads];
    uint32_t *generic = tile;
    asm volatile("" : "+l"(generic));
    generic[threadIdx.x + threadIdx.x * late()] = in[thread()];
    __syncthreads();
    out[thread()] = generic[threadIdx.x + threadIdx.x * late()];
}
KERNEL(several_kinds)
{
    __shared__ uint32_t tile[threads];
    const uint32_t *from = threadIdx.x & 1 ? tile : in;
    asm volatile("" : "+l"(from));
    tile[threadIdx.x] = in[thread()];
    out[thread()] = from[threadIdx.x];
}
/* Looks twice at what others may change. */
__global__ void __cluster_dims__(1, 1, 1) looks_again(uint32_t *out, const uint32_t *in)
{
    uint32_t sum = 0;
#pragma unroll 1
    for (unsigned i = 0; i < 2; i++)
        sum += const_cast<volatile const uint32_t *>(in)[thread()];
    out[thread()] = sum;
}

/* ---- Barriers in shared memory ---- */

/* Waits until it is clear that nobody ends the phase, if it is not over. */
__device__ bool is_over(const void *barrier, uint32_t phase)
{
    uint32_t over;
    asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}"
                 : "=r"(over)
                 : "r"(bulk::at(barrier)), "r"(phase)
                 : "memory");
    return over != 0;
}
/* One of two barriers is for so many, so many come, and a phase is asked for. Words may be stored there then. */
__device__ void ask(uint32_t *out, const uint32_t *in, uint32_t expected, uint32_t come, uint32_t phase, unsigned which)
{
    __shared__ alignas(16) uint64_t barriers[2];
    if (threadIdx.x > 0)
        return;
    INIT(&barriers[0], expected);
    INIT(&barriers[1], 3);
    ARRIVE(&barriers[which], come);
    if (is_over(&barriers[which], phase))
        out[blockIdx.x] = in[blockIdx.x];
}
EACH(barrier_begins, ask(out, in, 1 + late(), 1, 0, 0))
EACH(barrier_comes, ask(out, in, 2, 2 - late(), 0, 0))
EACH(barrier_phase, ask(out, in, 1, 1, late(), 0))
EACH(barrier_which, ask(out, in, 1, 1, 0, late()))
EACH(barrier_by_data, ask(out, in, in[blockIdx.x] & 3, 1, 0, 0))
KERNEL(barrier_stored)
{
    __shared__ alignas(16) uint64_t barrier;
    volatile uint32_t *const half = reinterpret_cast<volatile uint32_t *>(&barrier);
    if (threadIdx.x > 0)
        return;
    INIT(&barrier, 1);
    half[1] = half[1] ^ (in[blockIdx.x] & 0x80000000);
    if (is_over(&barrier, 1))
        out[blockIdx.x] = in[blockIdx.x];
}

/* A thread tells the others a word, which decides; so it does when others have written there, or it is of memory. */
__device__ void decide(uint32_t *out, const uint32_t *in, uint32_t word)
{
    if (word == 41)
        out[thread()] = in[thread()];
}
KERNEL(told)
{
    __shared__ uint32_t word;
    if (threadIdx.x == 0)
        word = blockIdx.x;
    __syncthreads();
    decide(out, in, *const_cast<volatile uint32_t *>(&word));
}
template <bool some> __global__ void told_otherwise(uint32_t *out, const uint32_t *in)
{
    __shared__ uint32_t told[2];
    if (threadIdx.x == 0)
        told[0] = 7;
    __syncthreads();
    if (threadIdx.x == 62)
        told[some] = in[blockIdx.x];
    __syncthreads();
    decide(out, in, const_cast<volatile uint32_t *>(told)[some & threadIdx.x]);
}
__global__ void __cluster_dims__(2, 1, 1) told_far(uint32_t *out, const uint32_t *in)
{
    __shared__ alignas(16) uint64_t barrier;
    __shared__ uint32_t word;
    if (threadIdx.x == 0) {
        INIT(&barrier, 1);
        EXPECT(&barrier, 4);
    }
    meet();
    if (threadIdx.x == 0)
        asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" ::"r"(
                         of_block(&word, rank_here() ^ 1)),
                     "r"(blockIdx.x ^ 1), "r"(of_block(&barrier, rank_here() ^ 1))
                     : "memory");
    WAIT(&barrier, 0);
    decide(out, in, *const_cast<volatile uint32_t *>(&word));
}

/* ---- Copies of the hardware ---- */

/* Bytes come, and what has come goes to another place; a word that a thread has told is overwritten. */
__device__ void copy(uint32_t *to, const uint32_t *from, uint32_t bytes, uint32_t *out, const uint32_t *in)
{
    __shared__ alignas(16) uint64_t barrier;
    __shared__ alignas(16) uint32_t tile[2 * threads];
    if (threadIdx.x == 0) {
        INIT(&barrier, 1);
        tile[3] = 41;
        asm volatile("fence.proxy.async;" ::: "memory");
        EXPECT(&barrier, 4 * threads + 16);
        LOAD_BYTES(tile, from, 4 * threads + 16, &barrier);
    }
    __syncthreads();
    WAIT(&barrier, 0);
    if (out)
        decide(out, in, *const_cast<volatile uint32_t *>(&tile[3]));
    else if (threadIdx.x == 0)
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;\ncp.async.bulk.commit_group;\n"
                     "cp.async.bulk.wait_group 0;" ::"l"(to),
                     "r"(bulk::at(tile)), "r"(bytes)
                     : "memory");
}
EACH(copies, copy(out + blockIdx.x * 68, in + blockIdx.x * 36, 4 * threads, nullptr, nullptr))
EACH(copies_meet, copy(out + blockIdx.x * 60, in + blockIdx.x * 36, 4 * threads, nullptr, nullptr))
EACH(copies_more, copy(out + blockIdx.x * threads, in, 4 * threads + 16 * late(), nullptr, nullptr))
EACH(copies_nearer, copy(out + blockIdx.x * threads + 4 - 4 * late(), in, 4 * threads, nullptr, nullptr))
EACH(copies_decide, copy(nullptr, in + blockIdx.x * threads, 4 * threads, out, in))

/* A tile comes from a tensor and goes to another one, `step` words from the next block's. */
__global__ void copy_tile(const __grid_constant__ CUtensorMap from, const __grid_constant__ CUtensorMap to,
                          const uint32_t *in, unsigned step, unsigned before, uint32_t mask)
{
    __shared__ alignas(128) uint32_t tile[8 * 16];
    __shared__ alignas(16) uint64_t barrier;
    const unsigned x = blockIdx.x * step, y = blockIdx.y * 8,
                   place = mask ? in[blockIdx.x + 8 * blockIdx.y] & mask : x - before;
    if (threadIdx.x > 0)
        return;
    INIT(&barrier, 1);
    EXPECT(&barrier, static_cast<uint32_t>(sizeof tile));
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, "
                 "%3}], [%4];" ::"r"(bulk::at(tile)),
                 "l"(&from), "r"(place), "r"(y), "r"(bulk::at(&barrier))
                 : "memory");
    WAIT(&barrier, 0);
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];\n"
                 "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::"l"(&to),
                 "r"(x), "r"(y), "r"(bulk::at(tile))
                 : "memory");
}

/* A product of a warpgroup. */
template <bool decides> __global__ void product_of_group(uint32_t *out, const uint32_t *in)
{
    __shared__ alignas(1024) uint32_t tile[1024];
    float d[4] = {};
    for (unsigned i = threadIdx.x; i < 1024; i += blockDim.x)
        tile[i] = in[i];
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    const uint64_t a = bulk::at(tile) >> 4 | UINT64_C(8) << 16 | UINT64_C(16) << 32;
    asm volatile("wgmma.fence.sync.aligned;\n"
                 "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;\n"
                 "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "l"(a), "l"(a + 128)
                 : "memory");
    if (!decides || d[0] > 0)
        out[thread()] = __float_as_uint(d[0] + d[3]);
}

/* Constants say which place a block takes. */
struct places_of {
    uint8_t place[blocks];
};
template <unsigned flips>
__global__ void look_up(uint32_t *out, const uint32_t *, const __grid_constant__ places_of table)
{
    const uint32_t place = table.place[blockIdx.x ^ flips];
    uint32_t sum = 0;
    for (unsigned i = 0; i < place / 24; i++)
        sum = __brev(sum + i);
    out[place * threads + threadIdx.x] = sum + (flips ? 0 : blockIdx.x);
}

__global__ void with_buffer(uint32_t *out, const uint32_t *in, uint32_t *buffer)
{
    buffer[thread()] = in[thread()];
    out[thread()] = in[thread()] + 1;
}
/* Frees what it writes beside its output, before anybody reads that. */
int launch_with_buffer(const state &s)
{
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
int launch_fetches(const state &s)
{
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

int describe(void *data, unsigned columns, unsigned rows, CUtensorMap *map)
{
    static decltype(&cuTensorMapEncodeTiled) encode;
    cudaDriverEntryPointQueryResult result;
    if (!encode)
        CUGATE_TRY(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", reinterpret_cast<void **>(&encode), 12000,
                                                    cudaEnableDefault, &result));
    const cuuint64_t sizes[] = {columns, rows}, strides[] = {columns * sizeof(uint32_t)};
    const cuuint32_t box[] = {16, 8}, steps[] = {1, 1};
    return encode(map, CU_TENSOR_MAP_DATA_TYPE_UINT32, 2, data, sizes, strides, box, steps,
                  CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                  CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}
template <unsigned columns, unsigned rows, unsigned step, unsigned before, uint32_t mask>
int launch_tiles(const state &s)
{
    CUtensorMap from, to;
    CUGATE_TRY(describe(s.in.data, columns, rows, &from));
    CUGATE_TRY(describe(s.out.data, columns, rows, &to));
    copy_tile<<<dim3(8, 8), 32>>>(from, to, s.in.data, step, before, mask);
    return cugate::launched();
}
template <unsigned by, unsigned more, unsigned flips> int launch_table(const state &s)
{
    places_of table;
    for (unsigned i = 0; i < blocks; i++)
        table.place[i] = static_cast<uint8_t>(i * by % blocks + (i == 41 ? more : 0));
    look_up<flips><<<blocks, threads>>>(s.out.data, s.in.data, table);
    return cugate::launched();
}

} // namespace

#define OUT s.out.data
#define IN s.in.data
#define RUN(name, ...) .variant(#name, "see there", [](state &s) { __VA_ARGS__; })
#define GRID(kernel, grid) RUN(kernel, kernel<<<grid, threads>>>(OUT, IN))
#define ROW(kernel) GRID(kernel, blocks)
/* What blocks have added is read; or what it reads is written by a launch before. */
#define READ(name, kernel)                                                                                             \
    RUN(name, kernel<<<blocks, threads>>>(OUT, IN); own<<<blocks, threads>>>(OUT + words / 2, OUT))
#define NUMBERED(kernel)                                                                                               \
    RUN(kernel, numbers<<<blocks, threads>>>(OUT + words / 2); kernel<<<blocks, threads>>>(OUT, OUT + words / 2))

/* clang-format off */
CUGATE_LIBRARY(
    cugate::family<state>("meet", "blocks that meet, or nearly do")
        ROW(own) ROW(one_too_many) ROW(half_apart) ROW(same_word) ROW(reads_next) ROW(in_place) ROW(long_index)
        ROW(side_by_side) ROW(side_too_near) ROW(backwards) ROW(byte_each) ROW(word_each) ROW(odd_rows) ROW(parity)
        ROW(half_lines) ROW(halves) ROW(wraps) ROW(reads_elsewhere) ROW(beyond) ROW(by_data) ROW(diagonal)
        ROW(reads_farther) ROW(wraps_and_carries) ROW(chooses) ROW(comes_nearer) ROW(constants_turn) ROW(one_constant)
        ROW(constant_byte) ROW(constants_apart) ROW(turns) ROW(smaller) ROW(keeps_predicate) ROW(wide_backwards)
        ROW(carries) ROW(wide_carry) ROW(wide_float) ROW(far_away) ROW(votes) ROW(warp_votes) ROW(shift_by)
        ROW(shift_by_block) ROW(shift_by_lane) ROW(beyond_shared) ROW(wide_signed) ROW(shift_at_edge)
        ROW(shift_of_strides) ROW(shift_that_wraps) ROW(shift_that_carries) ROW(sign_of_xor) ROW(both_signs) ROW(minus)
        ROW(bits) ROW(product) ROW(lane_product) ROW(squares) ROW(upper_shifted) ROW(carries_twice) ROW(upper_carries)
        ROW(right_of_two) ROW(right_of_two_moves) ROW(right_that_carries) ROW(alike) ROW(some_lanes) ROW(other_lane)
        ROW(bank_by_block) ROW(one_far) ROW(one_beyond_shared) ROW(one_reads_adds) ROW(beyond_in_the_middle)
        ROW(adds_own) ROW(adds_one) ROW(adds_together) ROW(adds_some) ROW(adds_halves) ROW(adds_vectors) ROW(adds_fours)
        ROW(adds_wide) ROW(adds_to_next) ROW(adds_and_reads) ROW(adds_ahead) ROW(adds_by_data) ROW(adds_odd)
        ROW(adds_beyond) ROW(answers) ROW(last_one) ROW(exchanges) ROW(waits) ROW(one_decides) ROW(one_is_written)
        ROW(one_is_polled) ROW(generic_turns) ROW(generic_by_block) ROW(long_quotient) ROW(ticket_apart) ROW(looks_on)
        ROW(anywhere) ROW(anywhere_shared) ROW(looks_twice) ROW(looks_askew) ROW(each_waits) ROW(two_wait)
        ROW(looks_still) ROW(stores_equal) ROW(gives_up) ROW(waits_for_fault) ROW(looks_anywhere) GRID(quotient, 295)
        GRID(quotient_masked, 295) GRID(quotient_33, 295) GRID(quotient_even, 295) GRID(quotient_signed, 295)
        GRID(quotient_by, 295) GRID(quotient_signed_by, 295) GRID(quotient_16, 295) GRID(quotients, 295)
        GRID(quotient_of_rows, dim3(5, 58)) GRID(quotient_decides, 295) GRID(swizzled, 117) GRID(swizzled_meets, 117)
        ROW(far_x) GRID(far_y, dim3(4, 16)) GRID(far_z, dim3(4, 4, 4)) ROW(far_adds) ROW(cluster_meets)
        ROW(clusters_meet) ROW(generic_banks) ROW(several_kinds) ROW(looks_again) ROW(barrier_begins) ROW(barrier_comes)
        ROW(barrier_phase) ROW(barrier_which) ROW(barrier_by_data) ROW(barrier_stored) ROW(spilled)
        RUN(spilled_apart, spilled_apart<false><<<blocks, threads>>>(OUT, IN))
        RUN(spilled_number, spilled_apart<true><<<blocks, threads>>>(OUT, IN))
        RUN(spilled_generic, spilled_over<BY_GENERIC><<<blocks, threads>>>(OUT, IN))
        RUN(spilled_by_lanes, spilled_over<BY_LANES><<<blocks, threads>>>(OUT, IN))
        RUN(spilled_byte, spilled_over<BYTE><<<blocks, threads>>>(OUT, IN))
        ROW(heavy) GRID(heavy_columns, dim3(8, blocks / 8)) ROW(told)
        RUN(told_by_data, told_otherwise<false><<<blocks, threads>>>(OUT, IN))
        RUN(told_some, told_otherwise<true><<<blocks, threads>>>(OUT, IN))
        ROW(told_far) ROW(copies) ROW(copies_meet) ROW(copies_more) ROW(copies_nearer) ROW(copies_decide)
        .variant("tiles", "tiles of a tensor", launch_tiles<128, 64, 16, 0, 0>)
        .variant("tiles_cut", "... that end beyond it", launch_tiles<120, 60, 16, 0, 0>)
        .variant("tiles_before", "... from before it", launch_tiles<128, 64, 16, 36, 0>)
        .variant("tiles_meet", "... that overlap", launch_tiles<128, 64, 12, 0, 0>)
        .variant("tiles_by_data", "... by data", launch_tiles<128, 64, 16, 0, 4>)
        RUN(products, product_of_group<false><<<blocks, 128>>>(OUT, IN))
        RUN(products_decide, product_of_group<true><<<blocks, 128>>>(OUT, IN))
        .variant("table", "places by constants", launch_table<37, 0, 0>)
        .variant("table_bent", "... of which one is another", launch_table<1, 80, 0>)
        .variant("table_flipped", "... of others", launch_table<1, 0, 1>)
        GRID(adds_columns, dim3(8, blocks / 8)) GRID(row_constant, dim3(8, blocks / 8)) READ(adds_one_read, adds_one)
        READ(adds_own_read, adds_own) NUMBERED(guards_decide) NUMBERED(guards_sums) NUMBERED(one_of_four)
        .variant("with_buffer", "a buffer that is freed", launch_with_buffer)
        .variant("fetches", "textures that are freed", launch_fetches))
/* clang-format on */
