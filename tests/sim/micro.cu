/* micro - small kernels that ask the GPU one question each: what does it count for this instruction, here?
 *
 * What harness/machine counts rests on rules. Each kernel here exercises one of them, or one class of addresses, in few
 * warps, and its machine code has no line information: `cugate run --lines` then tells the counts of each instruction
 * by itself. tests/sim/record.sh records them on a GPU. Address patterns come from tables in memory and their loops are
 * unrolled, so each pattern has an instruction, and counts, of its own.
 *
 * Every kernel reads one array of seeded words and writes another. To add one: a struct with what it runs, and a row in
 * its family's table.
 */
#include "library.cuh"

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

#include <type_traits>

/* Not anonymous: the functions' names must not depend on the folder that they are built in. */
namespace micro {

using u32 = uint32_t;

constexpr u32 seed = 0x51a1;
constexpr unsigned lanes = 32;

/* ---- The input ---- */

/* Where things are in the words of the input. */
constexpr unsigned hashes = 1u << 17; /* the first ones are random */
constexpr unsigned rows = 1024;       /* of 0 to 200 words each, in the random ones */
constexpr unsigned patterns = 64;
constexpr unsigned floats = 1024;
constexpr unsigned starts_at = hashes;
constexpr unsigned plain_at = starts_at + rows + 32; /* an index a lane a pattern */
constexpr unsigned random_at = plain_at + patterns * lanes;
constexpr unsigned apart_at = random_at + patterns * lanes; /* no two lanes have the same */
constexpr unsigned masks_at = apart_at + patterns * lanes;  /* which lanes work in a pattern */
constexpr unsigned random_masks_at = masks_at + patterns;
constexpr unsigned floats_at = random_masks_at + patterns; /* a bit pattern a word: ordinary and odd numbers */
constexpr unsigned doubles_at = floats_at + floats;        /* the same numbers and others, two words each */
constexpr unsigned in_words = doubles_at + 2 * floats;

/* Indices are below this in all patterns. */
constexpr unsigned cells = 1088;

/* The first rows are long and short in turn; the last few are empty. */
unsigned length_of_row(unsigned row)
{
    const u32 h = cugate::hash32(seed + 1, row);
    return row % 7 == 3 || row > rows - 10 ? 0 : h % 5 == 0 ? h / 5 % 201 : h / 5 % 64;
}

using pattern = unsigned(unsigned lane);

u32 noise(unsigned which, unsigned lane)
{
    return cugate::hash32(seed + 100 + which, lane);
}

constexpr pattern *plain[] = {
    [](unsigned) { return 0u; },
    [](unsigned lane) { return lane; },
    [](unsigned lane) { return lane * 2; },
    [](unsigned lane) { return lane * 3; },
    [](unsigned lane) { return lane * 4; },
    [](unsigned lane) { return lane * 5; },
    [](unsigned lane) { return lane * 6; },
    [](unsigned lane) { return lane * 7; },
    [](unsigned lane) { return lane * 8; },
    [](unsigned lane) { return lane * 9; },
    [](unsigned lane) { return lane * 12; },
    [](unsigned lane) { return lane * 16; },
    [](unsigned lane) { return lane * 17; },
    [](unsigned lane) { return lane * 24; },
    [](unsigned lane) { return lane * 31; },
    [](unsigned lane) { return lane * 32; },
    [](unsigned lane) { return lane * 33; },
    /* starts that are not aligned */
    [](unsigned lane) { return lane + 1; },
    [](unsigned lane) { return lane + 2; },
    [](unsigned lane) { return lane + 3; },
    [](unsigned lane) { return lane + 5; },
    [](unsigned lane) { return lane + 8; },
    [](unsigned lane) { return lane * 2 + 1; },
    [](unsigned lane) { return lane * 8 + 7; },
    /* permuted */
    [](unsigned lane) { return lane ^ 1; },
    [](unsigned lane) { return lane ^ 2; },
    [](unsigned lane) { return lane ^ 21; },
    [](unsigned lane) { return 31 - lane; },
    [](unsigned lane) { return lane % 8 * 4 + lane / 8; },
    [](unsigned lane) { return lane % 4 * 8 + lane / 4; },
    [](unsigned lane) { return lane % 8 * 32 + lane / 8; },
    [](unsigned lane) { return lane % 4 * 33 + lane / 4; },
    [](unsigned lane) { return lane % 16 * 2 + lane / 16; },
    [](unsigned lane) { return lane * 13 % 32; },
    /* two addresses */
    [](unsigned lane) { return lane / 16; },
    [](unsigned lane) { return lane / 16 * 32; },
    [](unsigned lane) { return lane % 2; },
    [](unsigned lane) { return lane % 2 * 32; },
    [](unsigned lane) { return lane == 5 ? 32u : 0u; },
    [](unsigned lane) { return lane == 17 ? 1u : 0u; },
    /* lanes that agree: neighbours, then halves */
    [](unsigned lane) { return lane / 2; },
    [](unsigned lane) { return lane / 2 * 17; },
    [](unsigned lane) { return lane / 2 * 32; },
    [](unsigned lane) { return lane / 4; },
    [](unsigned lane) { return lane / 4 * 9; },
    [](unsigned lane) { return lane / 8; },
    [](unsigned lane) { return lane / 8 + 1; },
    [](unsigned lane) { return lane / 8 * 16 + 3; },
    [](unsigned lane) { return (lane & ~2u) * 3; },
    [](unsigned lane) { return lane & ~2u; },
    [](unsigned lane) { return lane & ~4u; },
    [](unsigned lane) { return lane & ~8u; },
    [](unsigned lane) { return (lane & ~8u) * 5; },
    [](unsigned lane) { return lane % 16; },
    [](unsigned lane) { return lane % 16 * 33; },
    [](unsigned lane) { return lane % 8; },
    [](unsigned lane) { return lane % 8 * 32; },
    [](unsigned lane) { return lane % 4; },
    [](unsigned lane) { return lane < 16 ? lane / 2 : lane; },
    [](unsigned lane) { return lane < 16 ? lane : lane & ~2u; },
    /* by chance */
    [](unsigned lane) { return noise(1, lane) % 32; },
    [](unsigned lane) { return noise(2, lane) % 64; },
    [](unsigned lane) { return noise(3, lane) % 256; },
    [](unsigned lane) { return noise(4, lane) % cells; },
};
static_assert(std::size(plain) == patterns);

/* Chance with a structure: an arithmetic row or a draw from a small or a large range, in which lanes that differ in
 * some bits of their number may agree. */
unsigned random_index(unsigned which, unsigned lane)
{
    const u32 kind = noise(1000 + which, 0), more = noise(1000 + which, 1);
    const unsigned agree = kind & 1 ? more & more >> 8 & 31 : 0;
    const unsigned self = lane & ~agree;
    if (kind >> 1 & 1)
        return (self * (more >> 16 & 63) + (more >> 24 & 31)) % cells;
    const unsigned range = 2u << (kind >> 2) % 10;
    return noise(2000 + which, self) % range + (more >> 24 & 31);
}

/* A row or a permutation, anywhere. */
unsigned apart_index(unsigned which, unsigned lane)
{
    static constexpr unsigned strides[] = {1, 2, 3, 4, 5, 8, 9, 16, 17, 24, 32, 33};
    const u32 kind = noise(3000 + which, 0);
    const unsigned stride = strides[which % std::size(strides)], offset = which < 12 ? 0 : kind & 7;
    const unsigned turned = which < 24 ? lane : lane ^ (kind >> 8 & 31);
    return turned * stride + offset;
}

constexpr u32 masks[] = {0x55555555, 0xaaaaaaaa, 0x0000ffff, 0xffff0000, 0x00ff00ff, 0xff00ff00, 0x000000ff,
                         0x00ffff00, 0x0f0f0f0f, 0x33333333, 0x00000001, 0x80000000, 0x00010000, 0x80000001,
                         0x7fffffff, 0xfffffffe, 0x11111111, 0x00000000, 0x00010001, 0x0000fffe, 0x12345678};

constexpr float odd_floats[] = {
    0.0f,           -0.0f,         1.0f,           -1.0f,          0.5f,          1.5f,          2.5f,
    -0.5f,          -1.5f,         -2.5f,          0.49999997f,    1e-45f,        -1e-45f,       1.17549421e-38f,
    1.1754944e-38f, 3.4028235e38f, -3.4028235e38f, INFINITY,       -INFINITY,     NAN,           8388608.5f,
    16777216.0f,    2147483520.0f, 2147483648.0f,  -2147483648.0f, 4294967040.0f, 4294967296.0f, 9.2233715e18f,
    9.223372e18f,   1.8446743e19f, 1.8446744e19f,  65504.0f,       65520.0f,      65536.0f,      6.1035156e-5f,
    5.9604645e-8f,  2.9802322e-8f, 127.5f,         128.0f,         255.5f,        -128.5f,       32767.5f,
    65535.5f,       0.33333334f,   3.1415927f,     6.2831855f,     100000.0f,     -87.5f,        88.8f,
    -104.0f,        1e-20f};

/* Of the numbers' table, these are whole: 1, 2, 3 ... */
constexpr unsigned whole_at = 64, whole_count = 64;
/* And these lie between 0.5 and 4. */
constexpr unsigned mild_at = 128, mild_count = 384;

template <class T> T made_number(unsigned i)
{
    if (i < std::size(odd_floats))
        return static_cast<T>(odd_floats[i]);
    if (i >= whole_at && i < whole_at + whole_count)
        return static_cast<T>(i - whole_at + 1);
    if (i >= mild_at && i < mild_at + mild_count)
        return static_cast<T>(0.5f + 3.5f * cugate::uniform(seed + 2, i));
    u32 bits[2] = {cugate::hash32(seed + 3, i), cugate::hash32(seed + 4, i)};
    if (i % 2 == 0) /* about one, else anywhere */
        bits[sizeof(T) / 8] = (bits[sizeof(T) / 8] & 0x80ffffff) | 0x3f000000;
    T number;
    std::memcpy(&number, bits, sizeof number);
    return number;
}

std::vector<u32> made_input()
{
    std::vector<u32> in(in_words);
    for (unsigned i = 0; i < hashes; i++)
        in[i] = cugate::hash32(seed, i);
    for (unsigned row = 0; row < rows; row++)
        in[starts_at + row + 1] = in[starts_at + row] + length_of_row(row);
    for (unsigned p = 0; p < patterns; p++) {
        for (unsigned lane = 0; lane < lanes; lane++) {
            in[plain_at + p * lanes + lane] = plain[p](lane);
            in[random_at + p * lanes + lane] = random_index(p, lane);
            in[apart_at + p * lanes + lane] = apart_index(p, lane);
        }
        in[masks_at + p] = masks[p % std::size(masks)];
        in[random_masks_at + p] = p % 3 ? noise(4, p) : noise(5, p) & noise(6, p);
    }
    for (unsigned i = 0; i < floats; i++) {
        const float number = made_number<float>(i);
        const double wide = made_number<double>(i);
        std::memcpy(&in[floats_at + i], &number, sizeof number);
        std::memcpy(&in[doubles_at + 2 * i], &wide, sizeof wide);
    }
    return in;
}

/* ---- Families ---- */

constexpr unsigned out_words = 1u << 18;

struct micro_state {
    cugate::device_array<u32> in, out;
    std::vector<u32> host_in;
    unsigned words = 0; /* of the output of the last launch, from its beginning */

    int open()
    {
        host_in = made_input();
        CUGATE_TRY(in.allocate(in_words));
        CUGATE_TRY(out.allocate(out_words));
        return in.upload(host_in);
    }
};

int restore(void *state)
{
    return static_cast<micro_state *>(state)->out.poison();
}

/* For sums: they begin at 0. */
int restore_zeros(void *state)
{
    const micro_state *const m = static_cast<micro_state *>(state);
    return static_cast<int>(cudaMemsetAsync(m->out.data, 0, m->out.count * sizeof(u32)));
}

template <class V> __global__ void kernel(const u32 *in, u32 *out)
{
    V::run(in, out);
}

template <class V> int launch(void *state)
{
    micro_state *const m = static_cast<micro_state *>(state);
    static_assert(V::words <= out_words);
    m->words = V::words;
    if constexpr (requires { V::start(*m); })
        V::start(*m);
    else
        kernel<V><<<V::blocks, V::threads>>>(m->in.data, m->out.data);
    return cugate::launched();
}

/* One warp, unless a struct says otherwise. */
struct one_warp {
    static constexpr unsigned blocks = 1, threads = lanes;
};

#define FAMILY(id, text, restore_function) FAMILY_OF(micro_state, id, text, restore_function)

/* ---- loops: a thread alone, whose neighbours take other ways ---- */

/* What a thread computes from its number. The last warp lacks lanes. */
template <class F> struct per_thread {
    static constexpr unsigned blocks = 4, threads = 256, words = rows - 21;

    static __device__ void run(const u32 *in, u32 *out)
    {
        const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < words)
            out[i] = F::of(in, i);
    }
};

template <int unrolled> struct row_sum {
    static __device__ u32 of(const u32 *in, unsigned i)
    {
        u32 sum = 0;
        const unsigned end = in[starts_at + i + 1];
#pragma unroll unrolled
        for (unsigned k = in [starts_at + i]; k < end; k++)
            sum += in[k] >> 3;
        return sum;
    }
};

struct row_sum_by_choice { /* the compiler's unrolling */
    static __device__ u32 of(const u32 *in, unsigned i)
    {
        u32 sum = 0;
        for (unsigned k = in [starts_at + i]; k < in[starts_at + i + 1]; k++)
            sum = sum * 5 + in[k];
        return sum;
    }
};

struct row_gather {
    static __device__ u32 of(const u32 *in, unsigned i)
    {
        float sum = 0;
        for (unsigned k = in [starts_at + i]; k < in[starts_at + i + 1]; k++)
            sum += static_cast<float>(in[k] % 8) * static_cast<float>(in[in[k] % 4096] % 16);
        return static_cast<u32>(sum);
    }
};

struct breaks {
    static __device__ u32 of(const u32 *in, unsigned i)
    {
        u32 sum = 0;
        for (unsigned k = in [starts_at + i]; k < in[starts_at + i + 1]; k++) {
            if (in[k] % 29 == 0)
                break;
            sum += in[k];
        }
        return sum ^ 1;
    }
};

struct continues {
    static __device__ u32 of(const u32 *in, unsigned i)
    {
        u32 sum = 0;
#pragma unroll 1
        for (unsigned k = in [starts_at + i]; k < in[starts_at + i + 1]; k++) {
            if (in[k] % 3 == 0)
                continue;
            sum = sum * 7 + in[in[k] % 2048];
            if (sum & 64)
                continue;
            sum ^= in[sum % 2048];
        }
        return sum;
    }
};

struct returns {
    static __device__ u32 of(const u32 *in, unsigned i)
    {
        u32 sum = i;
        for (unsigned k = in [starts_at + i]; k < in[starts_at + i + 1]; k++) {
            sum = sum * 3 + in[k];
            if (sum % 37 == 5)
                return sum;
            if (sum % 41 == 6)
                return k;
        }
        return ~sum;
    }
};

struct do_whiles {
    static __device__ u32 of(const u32 *in, unsigned i)
    {
        u32 value = in[i], turns = 0;
        do {
            value = in[value % hashes];
            turns++;
        } while (value % 23 != 0 && turns < 200);
        return value + turns;
    }
};

struct nested {
    static __device__ u32 of(const u32 *in, unsigned i)
    {
        u32 sum = 0;
#pragma unroll 1
        for (unsigned j = 0; j < in[i] % 7; j++) {
#pragma unroll 1
            for (unsigned k = 0; k < in[i * 7 + j] % 9; k++)
                sum += in[sum % 4096 + k];
        }
        return sum;
    }
};

struct nested_three {
    static __device__ u32 of(const u32 *in, unsigned i)
    {
        u32 sum = i;
        for (unsigned j = 0; j < in[i] % 5; j++) {
            for (unsigned k = j; k < in[sum % 4096] % 6; k++) {
                sum += in[sum % 4096];
                for (unsigned l = 0; l <= sum % 4; l++)
                    sum ^= in[sum % 8192] + l;
            }
            sum++;
        }
        return sum;
    }
};

struct nested_leaves {
    static __device__ u32 of(const u32 *in, unsigned i)
    {
        u32 sum = i;
        for (unsigned j = 0; j < 3 + in[i] % 6; j++) {
            for (unsigned k = 0; k < 9; k++) {
                const u32 value = in[(sum + k) % 4096];
                if (value % 11 == 0)
                    goto found;
                if (value % 7 == 0)
                    break;
                if (value % 5 == 0)
                    continue;
                sum += value;
            }
            sum = sum * 3 + 1;
        }
        return sum;
    found:
        return sum * 2;
    }
};

struct two_exits {
    static __device__ u32 of(const u32 *in, unsigned i)
    {
        u32 sum = 0;
        unsigned k = in[starts_at + i];
        const unsigned end = in[starts_at + i + 1];
        while (k < end) {
            const u32 value = in[k++];
            if (value % 31 == 7) {
                for (unsigned j = 0; j < value % 13; j++)
                    sum += in[j + k];
                return sum;
            }
            if (value % 43 == 1) {
                sum ^= 0x5555;
                break;
            }
            sum += value;
        }
        return sum * 9;
    }
};

struct switch_in_loop {
    static __device__ u32 of(const u32 *in, unsigned i)
    {
        u32 sum = i;
        for (unsigned k = in [starts_at + i]; k < in[starts_at + i + 1]; k++) {
            switch (in[k] % 6) {
            case 0:
                sum += in[sum % 512];
                break;
            case 1:
                sum ^= in[sum % 1024] * 3;
                break;
            case 2:
                sum = sum / 3 + in[k + 1];
                /* fall through */
            case 3:
                sum = sum * 5 + 1;
                break;
            case 4:
                if (sum % 2)
                    sum += in[sum % 64];
                break;
            default:
                sum--;
            }
        }
        return sum;
    }
};

/* Enough cases, far enough apart in what they do, for a jump table. */
__device__ u32 one_of_many(const u32 *in, u32 which, u32 x)
{
    switch (which) {
    case 0:
        return x + in[x % 512];
    case 1:
        return x * in[x % 1024 + 1];
    case 2:
        return x / 7 ^ in[x % 512 + 2];
    case 3:
        return (x << 5) + in[x % 256 + 3];
    case 4:
        return x % 1000 + in[x % 128 + 4];
    case 5:
        return x - in[x % 64 + 5] * in[x % 32 + 5];
    case 6:
        return ~x & in[x % 512 + 6];
    case 7:
        return x | in[x % 512 + 7] >> 3;
    case 8:
        return x >> (in[x % 512 + 8] & 7);
    case 9:
        return x % 17 ? x + 9 : in[9];
    case 10:
        return in[in[x % 512] % 512 + 10];
    case 11:
        return x * x + in[x % 8 + 11];
    case 12:
        return x ^ x >> 7 ^ in[x % 512 + 12] << 3;
    case 13:
        return in[x % 16 + 13] % (x % 13 + 1);
    case 14:
        return x > in[x % 512 + 14] ? x : in[14];
    case 15:
        return (x & 0xffff) * (in[x % 512 + 15] & 0xffff);
    case 16:
        return x + in[x % 4 + 16] / 3;
    default:
        return x;
    }
}

struct jump_table {
    static __device__ u32 of(const u32 *in, unsigned i)
    {
        return one_of_many(in, in[i] % 20, i);
    }
};

struct jump_table_in_loop {
    static __device__ u32 of(const u32 *in, unsigned i)
    {
        u32 x = in[i];
#pragma unroll 1
        for (unsigned k = 0; k < in[i + 5000] % 40; k++)
            x = one_of_many(in, in[(x + k) % 4096] % 19, x);
        return x;
    }
};

struct chain_in_loop {
    static __device__ u32 of(const u32 *in, unsigned i)
    {
        u32 sum = 1;
#pragma unroll 1
        for (unsigned k = in [starts_at + i]; k < in[starts_at + i + 1]; k++) {
            const u32 value = in[k] % 100;
            if (value < 20)
                sum += in[sum % 128];
            else if (value < 45)
                sum = sum / 3 + value;
            else if (value < 60) {
                for (unsigned j = 45; j < value; j++)
                    sum ^= in[(sum + j) % 512];
            } else if (value < 61)
                return sum;
            else
                sum = sum * 11 + in[sum % 256];
        }
        return sum;
    }
};

struct short_circuit {
    static __device__ u32 of(const u32 *in, unsigned i)
    {
        u32 sum = 0;
#pragma unroll 1
        for (unsigned k = 0; k < 12 + in[i] % 8; k++) {
            const u32 v = in[i + k * 64];
            if ((v & 1 && in[v % 8192] & 2) ||
                (in[v % 512] % 3 == 0 && in[v % 1024] % 5 != 1 && in[(v + k) % 2048] & 8))
                sum += in[(v + sum) % 4096];
            else if (!(v & 16) || in[v % 99] & 1)
                sum ^= v;
        }
        return sum;
    }
};

struct none_for_some {
    static __device__ u32 of(const u32 *in, unsigned i)
    {
        u32 sum = 7;
        const unsigned turns = i % 3 ? 0 : in[i] % 50;
        for (unsigned k = 0; k < turns; k++)
            sum = sum * 3 + in[i + k];
        return sum;
    }
};

struct early_return {
    static __device__ u32 of(const u32 *in, unsigned i)
    {
        if (in[i] % 4 == 0)
            return i;
        u32 sum = in[i];
        if (sum % 16 == 9)
            return in[sum % 64];
        for (unsigned k = 0; k < sum % 30; k++)
            sum += in[(sum + k) % 4096];
        return sum;
    }
};

struct leaves_at_depths {
    static __device__ u32 of(const u32 *in, unsigned i)
    {
        u32 x = in[i], turns = 0;
        while (true) {
            if (x % 19 == 0)
                break;
            x = in[x % 4096] + turns++;
            while (true) {
                if (x % 13 == 0)
                    break;
                x = x / 2 + in[x % 64];
                if (turns++ > 60)
                    return x;
                if (x % 5 == 0) {
                    while (x % 7 != 0)
                        x++;
                    break;
                }
            }
            if (turns > 40)
                break;
        }
        return x ^ turns;
    }
};

/* A loop with two entries. */
struct irreducible {
    static __device__ u32 of(const u32 *in, unsigned i)
    {
        u32 x = in[i], turns = 0;
        if (x & 1)
            goto middle;
    top:
        x = x * 3 + in[x % 512];
        turns++;
    middle:
        x ^= in[(x + turns) % 1024];
        if (x % 9 == 2)
            goto bottom;
        if (turns < 30)
            goto top;
    bottom:
        return x + turns;
    }
};

struct binary_search {
    static __device__ u32 of(const u32 *in, unsigned i)
    {
        const u32 wanted = in[i] % in[starts_at + rows];
        unsigned low = 0, high = rows;
        while (high - low > 1) {
            const unsigned middle = (low + high) / 2;
            if (in[starts_at + middle] <= wanted)
                low = middle;
            else
                high = middle;
        }
        return low;
    }
};

struct search_with_hit {
    static __device__ u32 of(const u32 *in, unsigned i)
    {
        const u32 wanted = in[starts_at + in[i] % rows] + i % 2;
        int low = 0, high = rows - 1;
        while (low <= high) {
            const int middle = (low + high) / 2;
            const u32 here = in[starts_at + middle];
            if (here == wanted)
                return here * 3;
            if (here < wanted)
                low = middle + 1;
            else
                high = middle - 1;
        }
        return static_cast<u32>(low);
    }
};

struct collatz {
    static __device__ u32 of(const u32 *, unsigned i)
    {
        u32 x = i + 1, turns = 0;
        while (x != 1) {
            if (x % 2)
                x = 3 * x + 1;
            else
                x /= 2;
            turns++;
        }
        return turns;
    }
};

struct collatz_calls_none {
    static __device__ u32 of(const u32 *in, unsigned i)
    {
        u32 x = i + 1, turns = 0;
#pragma unroll 1
        while (x != 1) {
            if (x % 2) {
                x = 3 * x + 1;
                turns += in[x % 8192] & 1;
            } else {
                x /= 2;
                turns += in[x % 4096] & 2;
            }
        }
        return turns;
    }
};

struct insertion_sort {
    static __device__ u32 of(const u32 *in, unsigned i)
    {
        u32 sorted[16];
        const unsigned count = in[i] % 17;
        for (unsigned k = 0; k < count; k++) {
            const u32 value = in[i * 16 + k];
            unsigned at = k;
            while (at > 0 && sorted[at - 1] > value) {
                sorted[at] = sorted[at - 1];
                at--;
            }
            sorted[at] = value;
        }
        u32 sum = 0;
        for (unsigned k = 0; k < count; k++)
            sum = sum * 31 + sorted[k];
        return sum;
    }
};

struct gcd {
    static __device__ u32 of(const u32 *in, unsigned i)
    {
        u32 a = in[i] | 1, b = in[i + rows];
        while (b != 0) {
            const u32 left = a % b;
            a = b;
            b = left;
        }
        return a;
    }
};

struct bits {
    static __device__ u32 of(const u32 *in, unsigned i)
    {
        u32 sum = 0;
        for (u32 v = in[i] & in [i + 1]; v != 0; v &= v - 1)
            sum = sum * 3 + (v & 255);
        return sum;
    }
};

struct merge {
    static __device__ u32 of(const u32 *in, unsigned i)
    {
        unsigned a = in[i] % rows, b = in[i + rows] % rows;
        const unsigned last_a = a + in[i] / rows % 20 < rows ? a + in[i] / rows % 20 : rows;
        const unsigned last_b = b + in[i] / 77777 % 20 < rows ? b + in[i] / 77777 % 20 : rows;
        u32 sum = 0;
        while (a < last_a && b < last_b) {
            const u32 x = in[starts_at + a], y = in[starts_at + b];
            sum = sum * 5 + (x < y ? x : y);
            if (x <= y)
                a++;
            if (y <= x)
                b++;
        }
        while (a < last_a)
            sum = sum * 5 + in[starts_at + a++];
        while (b < last_b)
            sum = sum * 5 + in[starts_at + b++];
        return sum;
    }
};

struct state_machine {
    static __device__ u32 of(const u32 *in, unsigned i)
    {
        enum { between, number, word, quoted } state = between;
        u32 found = 0;
        for (unsigned k = 0; k < 48; k++) {
            const u32 letter = in[i * 48 % hashes + k] % 16;
            switch (state) {
            case between:
                state = letter < 4 ? number : letter < 9 ? word : letter == 9 ? quoted : between;
                break;
            case number:
                found = found * 10 + letter;
                if (letter > 3) {
                    found ^= in[found % 512];
                    state = between;
                }
                break;
            case word:
                if (letter > 8) {
                    found += letter;
                    state = letter == 15 ? quoted : between;
                }
                break;
            case quoted:
                if (letter == 9)
                    state = between;
                if (letter == 14)
                    return found;
            }
        }
        return found + state;
    }
};

/* Depth first through a tree of which each lane sees another part, with a stack in local memory. */
struct tree_walk {
    static __device__ u32 of(const u32 *in, unsigned i)
    {
        u32 stack[12], sum = 0;
        unsigned depth = 1;
        stack[0] = i % 7 + 1;
        while (depth > 0) {
            const u32 node = stack[--depth];
            sum += in[node];
            if (node >= 256)
                continue;
            if (in[node + i % 64] & 1)
                stack[depth++] = 2 * node;
            if (in[node + i % 64] & 6)
                stack[depth++] = 2 * node + 1;
        }
        return sum;
    }
};

struct duff {
    static __device__ u32 of(const u32 *in, unsigned i)
    {
        const u32 *at = in + in[starts_at + i];
        const unsigned count = in[starts_at + i + 1] - in[starts_at + i];
        u32 sum = 0;
        if (count == 0)
            return 1;
        unsigned turns = (count + 3) / 4;
        switch (count % 4) {
        case 0:
            do {
                sum += *at++;
            case 3:
                sum ^= *at++;
            case 2:
                sum = sum * 3 + *at++;
            case 1:
                sum -= *at++;
            } while (--turns > 0);
        }
        return sum;
    }
};

struct selects { /* short sides: predicates in place of branches */
    static __device__ u32 of(const u32 *in, unsigned i)
    {
        u32 a = in[i], b = in[i + 1];
        for (unsigned k = 0; k < 16; k++) {
            if (a & 1)
                a = a * 3 + b;
            if (b > a)
                b -= a;
            else
                b += 17;
            a = b & 4 ? a >> 1 : a + k;
        }
        return a ^ b;
    }
};

struct exits_one_by_one { /* lane after lane */
    static __device__ u32 of(const u32 *in, unsigned i)
    {
        u32 x = i;
#pragma unroll 1
        for (unsigned k = 0; k <= i % 32; k++)
            x = x * 3 + in[x % 512];
        return x;
    }
};

struct uniform_loop { /* all lanes alike: nothing diverges but at the tail */
    static __device__ u32 of(const u32 *in, unsigned i)
    {
        u32 x = i;
#pragma unroll 1
        for (unsigned k = 0; k < in[i / 32] % 40; k++)
            x = x * 3 + in[k];
        return x;
    }
};

constexpr struct cugate_variant loops_variants[] = {
    ROW("row_sum_unroll_1", "rows of different lengths, a thread a row, as written", per_thread<row_sum<1>>),
    ROW("row_sum_unroll_2", "the same, two turns at once", per_thread<row_sum<2>>),
    ROW("row_sum_unroll_4", "the same, four turns at once", per_thread<row_sum<4>>),
    ROW("row_sum_unroll_8", "the same, eight turns at once", per_thread<row_sum<8>>),
    ROW("row_sum", "the same as the compiler likes it", per_thread<row_sum_by_choice>),
    ROW("row_gather", "a sparse row times a vector", per_thread<row_gather>),
    ROW("breaks", "a loop that some lanes leave by break", per_thread<breaks>),
    ROW("continues", "a loop with two continues", per_thread<continues>),
    ROW("returns", "a loop with two returns", per_thread<returns>),
    ROW("do_while", "a do loop with two conditions", per_thread<do_whiles>),
    ROW("nested", "two loops, trips differ in both", per_thread<nested>),
    ROW("nested_three", "three loops, trips depend on what was found", per_thread<nested_three>),
    ROW("nested_leaves", "continue, break and goto out of two loops", per_thread<nested_leaves>),
    ROW("two_exits", "two exits with work of their own", per_thread<two_exits>),
    ROW("switch_in_loop", "six cases, one falls through", per_thread<switch_in_loop>),
    ROW("jump_table", "a switch of 18 cases", per_thread<jump_table>),
    ROW("jump_table_in_loop", "the same in a loop", per_thread<jump_table_in_loop>),
    ROW("chain_in_loop", "else if, with a loop and a return inside", per_thread<chain_in_loop>),
    ROW("short_circuit", "conditions with && and || that load", per_thread<short_circuit>),
    ROW("none_for_some", "two lanes of three do not enter the loop", per_thread<none_for_some>),
    ROW("early_return", "lanes that return before the loop", per_thread<early_return>),
    ROW("leaves_at_depths", "endless loops with breaks at different depths", per_thread<leaves_at_depths>),
    ROW("irreducible", "a loop with two entries", per_thread<irreducible>),
    ROW("binary_search", "same trips, other ways", per_thread<binary_search>),
    ROW("search_with_hit", "a search that ends when it has found", per_thread<search_with_hit>),
    ROW("collatz", "trips that differ by a hundred", per_thread<collatz>),
    ROW("collatz_loads", "the same, with a load on each side", per_thread<collatz_calls_none>),
    ROW("insertion_sort", "a local array of each lane's own length", per_thread<insertion_sort>),
    ROW("gcd", "Euclid", per_thread<gcd>),
    ROW("bits", "a turn for each bit that is set", per_thread<bits>),
    ROW("merge", "two sorted lists, three loops", per_thread<merge>),
    ROW("state_machine", "a parser: a switch over a state in a loop", per_thread<state_machine>),
    ROW("tree_walk", "a stack in local memory", per_thread<tree_walk>),
    ROW("duff", "a switch into a loop", per_thread<duff>),
    ROW("selects", "short sides, which the compiler predicates", per_thread<selects>),
    ROW("exits_one_by_one", "a lane leaves in each turn", per_thread<exits_one_by_one>),
    ROW("uniform_loop", "trips differ by warp", per_thread<uniform_loop>),
};

FAMILY(loops, "each thread goes its own way", restore)

/* ---- calls ---- */

__device__ __noinline__ u32 called(const u32 *in, u32 x)
{
    if (x % 3 == 0)
        return in[x % 512];
    u32 sum = x;
    for (unsigned k = 0; k < x % 5; k++)
        sum += in[(sum + k) % 1024];
    return sum;
}

__device__ __noinline__ u32 called_deeper(const u32 *in, u32 x)
{
    return x % 4 ? called(in, x + 1) * 3 : x;
}

/* The compiler cannot make a loop of it: it calls itself twice. */
__device__ __noinline__ u32 itself(const u32 *in, u32 x, u32 depth)
{
    if (depth == 0 || in[x % 4096] % 5 == 0)
        return x;
    const u32 left = itself(in, x * 3 + 1, depth - 1);
    return x % 2 ? left ^ itself(in, left + 1, depth - 1) : left + 1;
}

__device__ __noinline__ u32 itself_twice(const u32 *in, u32 x)
{
    return itself(in, x, 2) + itself(in, x + 1, x % 3);
}

struct call_under_branch {
    static __device__ u32 of(const u32 *in, unsigned i)
    {
        u32 x = in[i];
        if (x & 1)
            x = called(in, x);
        return x + 1;
    }
};

struct call_in_both {
    static __device__ u32 of(const u32 *in, unsigned i)
    {
        return in[i] % 3 ? called(in, in[i]) : called(in, i) + 5;
    }
};

struct call_in_loop {
    static __device__ u32 of(const u32 *in, unsigned i)
    {
        u32 x = in[i];
        for (unsigned k = 0; k < in[i] % 9; k++)
            x = called_deeper(in, x + k);
        return x;
    }
};

struct call_alone { /* all lanes together */
    static __device__ u32 of(const u32 *in, unsigned i)
    {
        return called(in, in[i]) ^ called(in, i);
    }
};

struct recursion {
    static __device__ u32 of(const u32 *in, unsigned i)
    {
        return itself(in, in[i], i % 6);
    }
};

using callee = u32 (*)(const u32 *in, u32 x);

__device__ u32 call_one(unsigned which, const u32 *in, u32 x)
{
    callee chosen = which == 0 ? called : which == 1 ? called_deeper : itself_twice;
    asm volatile("" : "+l"(chosen)); /* the compiler must not know whom it calls */
    return chosen(in, x);
}

struct pointer_call {
    static __device__ u32 of(const u32 *in, unsigned i)
    {
        return call_one((in[i] >> 7) % 3, in, in[i]) + 1;
    }
};

struct pointer_call_alike {
    static __device__ u32 of(const u32 *in, unsigned i)
    {
        return call_one(i / lanes % 3, in, in[i]) + 1;
    }
};

struct pointer_call_in_loop {
    static __device__ u32 of(const u32 *in, unsigned i)
    {
        u32 x = in[i];
        for (unsigned k = 0; k < i % 6; k++)
            x = call_one((x >> 7) % 3, in, x);
        return x;
    }
};

struct divides { /* 64-bit divisions are calls */
    static __device__ u32 of(const u32 *in, unsigned i)
    {
        const uint64_t a = static_cast<uint64_t>(in[i]) << 32 | in[i + 1];
        const uint64_t b = i % 3 ? in[i + 2] | 1 : static_cast<uint64_t>(in[i + 3]) << 20 | 1;
        u32 x = static_cast<u32>(a / b);
        if (x & 1)
            x += static_cast<u32>(a % (b + 2));
        const int64_t c = static_cast<int64_t>(a);
        return x + static_cast<u32>(c / static_cast<int64_t>(in[i + 4] | 1));
    }
};

struct float_divides { /* and so are floating-point ones whose numbers are odd */
    static __device__ u32 of(const u32 *in, unsigned i)
    {
        float a, b;
        std::memcpy(&a, &in[floats_at + i], sizeof a);
        std::memcpy(&b, &in[floats_at + (i * 5 + 3) % floats], sizeof b);
        const float quotient = a / b, root = sqrtf(a);
        u32 x, y;
        std::memcpy(&x, &quotient, sizeof x);
        std::memcpy(&y, &root, sizeof y);
        /* The bits of a NaN are the processor's own. */
        return (quotient == quotient ? x : 1) + (root == root ? y : 2);
    }
};

struct double_divides {
    static __device__ u32 of(const u32 *in, unsigned i)
    {
        double a, b;
        std::memcpy(&a, &in[doubles_at + 2 * i], sizeof a);
        std::memcpy(&b, &in[doubles_at + (i * 5 + 3) % floats * 2], sizeof b);
        const double quotient = a / b, root = sqrt(a);
        uint64_t x, y;
        std::memcpy(&x, &quotient, sizeof x);
        std::memcpy(&y, &root, sizeof y);
        const uint64_t both = (quotient == quotient ? x : 1) + (root == root ? y : 2);
        return static_cast<u32>(both ^ both >> 32);
    }
};

constexpr struct cugate_variant calls_variants[] = {
    ROW("alone", "a function that is not inlined, called by whole warps", per_thread<call_alone>),
    ROW("under_branch", "called by half of the lanes", per_thread<call_under_branch>),
    ROW("in_both", "called on both sides of a branch", per_thread<call_in_both>),
    ROW("in_loop", "a call that calls, in a loop", per_thread<call_in_loop>),
    ROW("recursion", "a function that calls itself twice", per_thread<recursion>),
    ROW("pointer", "lanes call different functions by pointer", per_thread<pointer_call>),
    ROW("pointer_alike", "a warp calls one function by pointer", per_thread<pointer_call_alike>),
    ROW("pointer_in_loop", "the same in a loop", per_thread<pointer_call_in_loop>),
    ROW("divide_integers", "64-bit divisions", per_thread<divides>),
    ROW("divide_floats", "division and square root of odd floats", per_thread<float_divides>),
    ROW("divide_doubles", "division and square root of odd doubles", per_thread<double_divides>),
};

FAMILY(calls, "functions that are not inlined", restore)

/* ---- shared and global memory: an instruction a pattern ---- */

template <class T> constexpr unsigned words_of = sizeof(T) < 4 ? 1 : sizeof(T) / 4;

/* A value that says where it belongs. */
template <class T> __device__ T made(unsigned which, unsigned index)
{
    T value;
    if constexpr (sizeof(T) <= 4) {
        value = static_cast<T>(cugate::hash32(which, index));
    } else {
        u32 words[words_of<T>];
        for (unsigned w = 0; w < words_of<T>; w++)
            words[w] = cugate::hash32(which + w * 100, index);
        std::memcpy(&value, words, sizeof value);
    }
    return value;
}

template <class T> __device__ void put(u32 *out, unsigned place, T value)
{
    if constexpr (sizeof(T) <= 4)
        out[place] = value;
    else
        for (unsigned w = 0; w < words_of<T>; w++)
            out[place * words_of<T> + w] = reinterpret_cast<const u32 *>(&value)[w];
}

/* Loads after loads: nothing but the pattern's own. `in_shared`: of shared memory, else of global memory. */
template <class T, bool in_shared, unsigned indices_at, unsigned masks_at_or_0 = 0> struct loads : one_warp {
    static constexpr unsigned results = patterns * lanes * words_of<T>;
    static constexpr unsigned words = results;
    static_assert(results + cells * words_of<T> <= out_words);

    static __device__ void run(const u32 *in, u32 *out)
    {
        __shared__ T shared[in_shared ? cells : 1];
        T *const array = in_shared ? shared : reinterpret_cast<T *>(out + results);
        const unsigned lane = threadIdx.x;
#pragma unroll 1
        for (unsigned i = lane; i < cells; i += lanes)
            array[i] = made<T>(7, i);
        __syncthreads();
#pragma unroll
        for (unsigned p = 0; p < patterns; p++) {
            const unsigned index = in[indices_at + p * lanes + lane];
            T value = T();
            if (!masks_at_or_0 || in[masks_at_or_0 + p] >> lane & 1)
                value = array[index];
            put<T>(out, p * lanes + lane, value);
        }
    }
};

/* A store, then a load of what was stored; lanes that meet at one place store the same. */
template <class T, bool in_shared, unsigned indices_at, unsigned masks_at_or_0 = 0> struct stores : one_warp {
    static constexpr unsigned results = patterns * lanes * words_of<T>;
    static constexpr unsigned words = results;

    static __device__ void run(const u32 *in, u32 *out)
    {
        __shared__ T shared[in_shared ? cells : 1];
        T *const array = in_shared ? shared : reinterpret_cast<T *>(out + results);
        const unsigned lane = threadIdx.x;
#pragma unroll
        for (unsigned p = 0; p < patterns; p++) {
            const unsigned index = in[indices_at + p * lanes + lane];
            const bool on = !masks_at_or_0 || in[masks_at_or_0 + p] >> lane & 1;
            if (on)
                array[index] = made<T>(p, index);
            __syncwarp();
            T value = T();
            if (on)
                value = array[index];
            __syncwarp();
            put<T>(out, p * lanes + lane, value);
        }
    }
};

template <class T, unsigned indices_at, unsigned masks_at_or_0 = 0>
using shared_loads = loads<T, true, indices_at, masks_at_or_0>;
template <class T, unsigned indices_at, unsigned masks_at_or_0 = 0>
using shared_stores = stores<T, true, indices_at, masks_at_or_0>;
template <class T, unsigned indices_at, unsigned masks_at_or_0 = 0>
using global_loads = loads<T, false, indices_at, masks_at_or_0>;
template <class T, unsigned indices_at, unsigned masks_at_or_0 = 0>
using global_stores = stores<T, false, indices_at, masks_at_or_0>;

#define PATTERN_ROWS_SMALL(what, size, type)                                                                           \
    ROW("stores_" size, "patterns one by one, stored and loaded back", what##_stores<type, plain_at>),                 \
        ROW("stores_some_" size, "the same with lanes off", what##_stores<type, plain_at, masks_at>),                  \
        ROW("random_" size, "other patterns, by chance", what##_stores<type, random_at>)
#define PATTERN_ROWS(what, size, type)                                                                                 \
    PATTERN_ROWS_SMALL(what, size, type),                                                                              \
        ROW("random_some_" size, "the same with lanes off", what##_stores<type, random_at, random_masks_at>),          \
        ROW("loads_" size, "loads after loads", what##_loads<type, plain_at>),                                         \
        ROW("loads_some_" size, "loads after loads with lanes off", what##_loads<type, random_at, masks_at>)

constexpr struct cugate_variant shared_variants[] = {
    PATTERN_ROWS_SMALL(shared, "1", uint8_t), PATTERN_ROWS_SMALL(shared, "2", uint16_t), PATTERN_ROWS(shared, "4", u32),
    PATTERN_ROWS(shared, "8", uint2),         PATTERN_ROWS(shared, "16", uint4),
};

FAMILY(shared, "addresses in shared memory, an instruction a pattern", restore)

constexpr struct cugate_variant global_variants[] = {
    PATTERN_ROWS_SMALL(global, "1", uint8_t), PATTERN_ROWS_SMALL(global, "2", uint16_t), PATTERN_ROWS(global, "4", u32),
    PATTERN_ROWS(global, "8", uint2),         PATTERN_ROWS(global, "16", uint4),
};

FAMILY(global, "addresses in global memory, an instruction a pattern", restore)

/* ---- cp.async: from global to shared memory ---- */

enum cached { through_l1, past_l1 };

/* `filled`: only the first part of each copy is read, the rest is zeros. */
template <class T, cached how, unsigned from_at, unsigned to_at, unsigned masks_at_or_0 = 0, bool filled = false>
struct copies : one_warp {
    static constexpr unsigned results = patterns * lanes * words_of<T>;
    static constexpr unsigned words = results;

    static __device__ unsigned read_words(unsigned lane)
    {
        return filled ? lane % (words_of<T> + 1) : words_of<T>;
    }

    static __device__ void run(const u32 *in, u32 *out)
    {
        __shared__ T shared[cells];
        T *const array = reinterpret_cast<T *>(out + results);
        const unsigned lane = threadIdx.x;
#pragma unroll 1
        for (unsigned i = lane; i < cells; i += lanes)
            array[i] = made<T>(7, i);
        __syncthreads();
#pragma unroll
        for (unsigned p = 0; p < patterns; p++) {
            const unsigned to = in[to_at + p * lanes + lane];
            const bool on = !masks_at_or_0 || in[masks_at_or_0 + p] >> lane & 1;
            const u32 place = static_cast<u32>(__cvta_generic_to_shared(&shared[to]));
            const T *const source = array + in[from_at + p * lanes + lane];
            if (on) {
                if constexpr (filled)
                    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(place), "l"(source),
                                 "n"(sizeof(T)), "r"(read_words(lane) * 4)
                                 : "memory");
                else if constexpr (how == past_l1)
                    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(place), "l"(source) : "memory");
                else
                    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(place), "l"(source), "n"(sizeof(T))
                                 : "memory");
            }
            asm volatile("cp.async.wait_all;" ::: "memory");
            __syncwarp();
            T value = T();
            if (on)
                value = shared[to];
            __syncwarp();
            put<T>(out, p * lanes + lane, value);
        }
    }
};

constexpr struct cugate_variant copies_variants[] = {
    ROW("ca_4", "any source, rows and permutations as destination", copies<u32, through_l1, plain_at, apart_at>),
    ROW("ca_8", "the same", copies<uint2, through_l1, plain_at, apart_at>),
    ROW("ca_16", "the same", copies<uint4, through_l1, plain_at, apart_at>),
    ROW("cg_16", "the same past L1", copies<uint4, past_l1, plain_at, apart_at>),
    ROW("ca_4_some", "with lanes off", copies<u32, through_l1, plain_at, apart_at, masks_at>),
    ROW("ca_8_some", "with lanes off", copies<uint2, through_l1, plain_at, apart_at, masks_at>),
    ROW("ca_16_some", "with lanes off", copies<uint4, through_l1, plain_at, apart_at, masks_at>),
    ROW("cg_16_some", "with lanes off", copies<uint4, past_l1, plain_at, apart_at, masks_at>),
    ROW("ca_4_random", "from anywhere", copies<u32, through_l1, random_at, apart_at>),
    ROW("ca_8_random", "from anywhere", copies<uint2, through_l1, random_at, apart_at>),
    ROW("ca_16_random", "from anywhere", copies<uint4, through_l1, random_at, apart_at>),
    ROW("cg_16_random", "from anywhere", copies<uint4, past_l1, random_at, apart_at>),
    ROW("ca_4_rows", "rows and permutations on both sides", copies<u32, through_l1, apart_at, apart_at>),
    ROW("ca_8_rows", "the same", copies<uint2, through_l1, apart_at, apart_at>),
    ROW("ca_16_rows", "the same", copies<uint4, through_l1, apart_at, apart_at>),
    ROW("cg_16_rows", "the same", copies<uint4, past_l1, apart_at, apart_at>),
    ROW("ca_4_filled", "some lanes copy zeros", copies<u32, through_l1, plain_at, apart_at, 0, true>),
    ROW("ca_16_filled", "0 to 4 words copied, the rest zeros", copies<uint4, through_l1, plain_at, apart_at, 0, true>),
};

FAMILY(copies, "cp.async, an instruction a pair of patterns", restore)

/* ---- warps: what lanes say to each other, and barriers ---- */

constexpr u32 all_lanes = 0xffffffff;

/* Whole warps, for what lanes do together. The host's version of a call is what one lane sees of it. */
template <class F> struct whole_warps {
    static constexpr unsigned blocks = 2, threads = 128, words = 256;

    static __device__ void run(const u32 *in, u32 *out)
    {
        const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
        out[i] = F::of(in, i);
    }
};

/* Whether any lane has a reason to go on: for loops in which a lane without one does nothing. */
__device__ bool any_of(bool own)
{
    return __any_sync(all_lanes, own);
}

struct meets_in_branch {
    static __device__ u32 of(const u32 *in, unsigned i)
    {
        u32 x = in[i];
        if (i % 2) {
            for (unsigned k = 0; k < in[i] % 20; k++)
                x = x * 3 + in[k];
            __syncwarp(0xaaaaaaaa);
            x += in[x % 64];
        } else {
            for (unsigned k = 0; k < in[i] % 11; k++)
                x = x * 5 + in[k];
            __syncwarp(0x55555555);
            x ^= in[x % 64];
        }
        __syncwarp(all_lanes);
        return x + in[x % 64];
    }
};

struct meets_in_loop {
    static __device__ u32 of(const u32 *in, unsigned i)
    {
        u32 x = in[i];
#pragma unroll 1
        for (unsigned k = 0; k < 8; k++) {
            if (x % 3 == 0)
                for (unsigned j = 0; j < x % 7; j++)
                    x += in[j];
            __syncwarp(all_lanes);
            x = x * 3 + 1;
        }
        return x;
    }
};

struct meets_nested {
    static __device__ u32 of(const u32 *in, unsigned i)
    {
        u32 x = in[i];
        const bool first = x & 1, second = x & 2;
        const u32 some = __ballot_sync(all_lanes, first);
        if (first) {
            x += in[x % 99];
            const u32 few = __ballot_sync(some, second);
            if (second) {
                for (unsigned k = 0; k < in[i] % 9; k++)
                    x ^= in[x % 256];
                __syncwarp(few);
                x++;
            }
            __syncwarp(some);
            x = x * 3 + in[x % 64];
        }
        return x;
    }
};

struct any_in_loop {
    static __device__ u32 of(const u32 *in, unsigned i)
    {
        u32 x = in[i], turns = in[i] % 40;
        while (any_of(turns != 0))
            if (turns != 0) {
                x = x / 3 + in[x % 512];
                turns--;
            }
        return x;
    }
};

struct sleeps {
    static __device__ u32 of(const u32 *in, unsigned i)
    {
        u32 x = in[i];
        for (unsigned k = 0; k < x % 4; k++) {
            __nanosleep(x % 100);
            x += in[k];
        }
        return x;
    }
};

/* Lanes that have left the warp for good are not waited for. */
struct exits_then_meets {
    static constexpr unsigned blocks = 2, threads = 128, words = 256;

    static __device__ void run(const u32 *in, u32 *out)
    {
        const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
        u32 x = in[i];
        if (x % 3 == 0) {
            out[i] = x;
            asm volatile("exit;");
        }
#pragma unroll 1
        for (unsigned k = 0; k < 10; k++) {
            if (x % 8 == 1) {
                out[i] = x + k;
                asm volatile("exit;");
            }
            if (x & 2)
                x += in[x % 128];
            __syncwarp();
            x = x * 3 + 1;
        }
        out[i] = x;
    }
};

/* The first lane that is still in the loop gives its value to the others. */
struct shuffle_in_loop {
    static constexpr unsigned blocks = 2, threads = 128, words = 256;

    static __device__ void run(const u32 *in, u32 *out)
    {
        const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
        const unsigned turns = in[i] % 50;
        u32 x = in[i + 512], live = all_lanes;
        for (unsigned k = 0;; k++) {
            live = __ballot_sync(live, k < turns);
            if (k >= turns)
                break;
            x = x * 3 + __shfl_sync(live, x, __ffs(static_cast<int>(live)) - 1);
        }
        out[i] = x;
    }
};

struct halves_apart { /* each half of the warp adds up its own, on its side of a branch */
    static constexpr unsigned blocks = 2, threads = 128, words = 256;

    static __device__ void run(const u32 *in, u32 *out)
    {
        const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
        u32 x = in[i];
        if (i % lanes < 16) {
            for (unsigned d = 8; d > 0; d /= 2)
                x += __shfl_xor_sync(0x0000ffff, x, d);
        } else {
            for (unsigned d = 8; d > 0; d /= 2)
                x ^= __shfl_xor_sync(0xffff0000, x, d);
        }
        out[i] = x;
    }
};

struct tiles { /* tiles of 8 take turns of their own number */
    static constexpr unsigned blocks = 2, threads = 128, words = 256;

    static __device__ void run(const u32 *in, u32 *out)
    {
        namespace cg = cooperative_groups;
        const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
        const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
        u32 x = in[i];
        for (unsigned k = 0; k < in[i / 8] % 9; k++) {
            x = x * 3 + tile.shfl(x, k % 8);
            tile.sync();
        }
        x += cg::reduce(tile, in[i + 512], cg::plus<u32>());
        out[i] = x;
    }
};

struct matched_groups { /* lanes with the same key add up */
    static constexpr unsigned blocks = 2, threads = 128, words = 256;

    static __device__ void run(const u32 *in, u32 *out)
    {
        const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
        const u32 group = __match_any_sync(all_lanes, in[i] % 5);
        out[i] = __reduce_add_sync(group, in[i]);
    }
};

/* Who is together is the GPU's choice; that a lane is among them is not. */
struct coalesced {
    static constexpr unsigned blocks = 2, threads = 128, words = 256;

    static __device__ void run(const u32 *in, u32 *out)
    {
        namespace cg = cooperative_groups;
        const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
        u32 x = in[i];
        if (x % 3) {
            const auto group = cg::coalesced_threads();
            x += group.thread_rank() < group.size();
            group.sync();
        }
        out[i] = x;
    }
};

/* The lanes that come together count themselves by one addition. */
struct counts_together {
    static constexpr unsigned blocks = 2, threads = 128, words = 1;

    static __device__ void run(const u32 *in, u32 *out)
    {
        const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 1
        for (unsigned k = 0; k < in[i] % 6; k++) {
            const u32 here = __activemask();
            if (i % lanes == static_cast<unsigned>(__ffs(static_cast<int>(here)) - 1))
                atomicAdd(out, __popc(here));
        }
    }
};

struct barrier_after_loop {
    static constexpr unsigned blocks = 2, threads = 128, words = 256;

    static __device__ u32 before(const u32 *in, unsigned i, unsigned round)
    {
        u32 x = in[i] + round;
        for (unsigned k = 0; k < in[i + round * 16] % 30; k++)
            x = x * 3 + in[k];
        return x;
    }
    static __device__ void run(const u32 *in, u32 *out)
    {
        __shared__ u32 shared[threads];
        const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
        u32 sum = 0;
#pragma unroll 1
        for (unsigned round = 0; round < 4; round++) {
            shared[threadIdx.x] = before(in, i, round);
            __syncthreads();
            sum = sum * 3 + shared[(threadIdx.x + 37) % threads];
            __syncthreads();
        }
        out[i] = sum;
    }
};

struct barrier_counts {
    static constexpr unsigned blocks = 2, threads = 128, words = 256;

    static __device__ void run(const u32 *in, u32 *out)
    {
        const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
        const int count = __syncthreads_count(in[i] % 3 == 0);
        const int all = __syncthreads_and(in[i] % 1000 != 0);
        const int any = __syncthreads_or(in[i] % 500 == 7);
        out[i] = static_cast<u32>(count * 4 + (all != 0) * 2 + (any != 0));
    }
};

/* Two warps give, two take; the takers have a barrier to themselves. */
struct named_barriers {
    static constexpr unsigned blocks = 2, threads = 128, words = 128;

    static __device__ void run(const u32 *in, u32 *out)
    {
        __shared__ u32 given[64], passed_on[64];
        const unsigned t = threadIdx.x % 64, i = blockIdx.x * 64 + t;
        if (threadIdx.x < 64) {
            given[t] = in[i] + 1;
            __threadfence_block();
            asm volatile("bar.arrive 1, 128;" ::: "memory");
        } else {
            asm volatile("bar.sync 1, 128;" ::: "memory");
            passed_on[t] = given[63 - t] * 3;
            asm volatile("bar.sync 2, 64;" ::: "memory");
            out[i] = passed_on[(t + 33) % 64];
        }
    }
};

struct votes {
    static constexpr unsigned blocks = 2, threads = 128, each = 14, words = 256 * each;

    static __device__ void run(const u32 *in, u32 *out)
    {
        const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
        const u32 x = in[i];
        const int y = static_cast<int>(x % 16);
        int alike;
        u32 leader;
        const u32 in_match_all = __match_all_sync(all_lanes, i < 128 ? 3u : x, &alike);
        asm volatile("{ .reg .pred p; elect.sync _|p, 0xffffffff; selp.u32 %0, 1, 0, p; }" : "=r"(leader));
        const u32 results[each] = {__ballot_sync(all_lanes, x & 1),
                                   static_cast<u32>(__any_sync(all_lanes, y == 3)),
                                   static_cast<u32>(__all_sync(all_lanes, y != 3)),
                                   static_cast<u32>(__uni_sync(all_lanes, y < 3)),
                                   __match_any_sync(all_lanes, x % 7),
                                   in_match_all,
                                   static_cast<u32>(alike != 0),
                                   __reduce_add_sync(all_lanes, x),
                                   __reduce_min_sync(all_lanes, x),
                                   static_cast<u32>(__reduce_max_sync(all_lanes, static_cast<int>(x))),
                                   __reduce_and_sync(all_lanes, x | 0xffff),
                                   __reduce_or_sync(all_lanes, x & 0x00ff00ff),
                                   __reduce_xor_sync(all_lanes, x),
                                   leader};
        for (unsigned k = 0; k < each; k++)
            out[k * 256 + i] = results[k];
    }
};

struct shuffles {
    static constexpr unsigned blocks = 1, threads = 128, each = 12, words = threads * each;

    static __device__ void run(const u32 *in, u32 *out)
    {
        const unsigned i = threadIdx.x;
        const u32 x = in[i];
        const double wide = static_cast<double>(x);
        const u32 results[each] = {__shfl_sync(all_lanes, x, 5),
                                   __shfl_sync(all_lanes, x, static_cast<int>(x % 64)),
                                   __shfl_sync(all_lanes, x, static_cast<int>(i * 7), 8),
                                   __shfl_up_sync(all_lanes, x, 3),
                                   __shfl_up_sync(all_lanes, x, 1, 16),
                                   __shfl_down_sync(all_lanes, x, 2),
                                   __shfl_down_sync(all_lanes, x, 5, 8),
                                   __shfl_xor_sync(all_lanes, x, 17),
                                   __shfl_xor_sync(all_lanes, x, 9, 8),
                                   __shfl_up_sync(all_lanes, x, x % 32),
                                   static_cast<u32>(__shfl_sync(all_lanes, wide, 31 - static_cast<int>(i % lanes))),
                                   __shfl_down_sync(all_lanes, x, x % 32, 4)};
        for (unsigned k = 0; k < each; k++)
            out[k * threads + i] = results[k];
    }
};

struct prefix_sums {
    static constexpr unsigned blocks = 2, threads = 128, words = 256;

    static __device__ void run(const u32 *in, u32 *out)
    {
        const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
        u32 x = in[i];
        for (unsigned d = 1; d < lanes; d *= 2) {
            const u32 below = __shfl_up_sync(all_lanes, x, d);
            if (i % lanes >= d)
                x += below;
        }
        out[i] = x;
    }
};

/* The lanes of one warp want one lock. Free is what restore leaves. */
struct lock {
    static constexpr unsigned blocks = 1, threads = lanes, words = 2;

    static __device__ void run(const u32 *in, u32 *out)
    {
        bool done = false;
        while (!done) {
            if (atomicCAS(out, ~0u, 1u) == ~0u) {
                volatile u32 *const sum = out + 1;
                *sum = *sum + in[threadIdx.x];
                __threadfence();
                atomicExch(out, ~0u);
                done = true;
            }
        }
    }
};

struct special_registers {
    static constexpr dim3 blocks = dim3(2, 3, 2), threads = dim3(8, 4, 3);
    static constexpr unsigned each = 19, total = 12 * 96, words = total * each;

    static __device__ void run(const u32 *, u32 *out)
    {
        u32 lane, warp, equal, below, not_above, above, not_below;
        asm("mov.u32 %0, %%laneid;" : "=r"(lane));
        asm("mov.u32 %0, %%lanemask_eq;" : "=r"(equal));
        asm("mov.u32 %0, %%lanemask_lt;" : "=r"(below));
        asm("mov.u32 %0, %%lanemask_le;" : "=r"(not_above));
        asm("mov.u32 %0, %%lanemask_gt;" : "=r"(above));
        asm("mov.u32 %0, %%lanemask_ge;" : "=r"(not_below));
        asm("mov.u32 %0, %%warpid;" : "=r"(warp));
        const u32 results[each] = {lane,       equal,      below,       not_above,   above,
                                   not_below,  warp < 64,  threadIdx.x, threadIdx.y, threadIdx.z,
                                   blockIdx.x, blockIdx.y, blockIdx.z,  blockDim.x,  blockDim.y,
                                   blockDim.z, gridDim.x,  gridDim.y,   gridDim.z};
        const unsigned thread = threadIdx.x + 8 * (threadIdx.y + 4 * threadIdx.z);
        const unsigned block = blockIdx.x + 2 * (blockIdx.y + 3 * blockIdx.z);
        for (unsigned k = 0; k < each; k++)
            out[(block * 96 + thread) * each + k] = results[k];
    }
};

constexpr struct cugate_variant warps_variants[] = {
    ROW("meets_in_branch", "__syncwarp with half of the lanes on either side", whole_warps<meets_in_branch>),
    ROW("meets_in_loop", "__syncwarp after a divergent loop in a loop", whole_warps<meets_in_loop>),
    ROW("meets_nested", "__syncwarp of balloted lanes, nested", whole_warps<meets_nested>),
    ROW("any_in_loop", "turns until no lane has work", whole_warps<any_in_loop>),
    ROW("sleeps", "__nanosleep in a divergent loop", whole_warps<sleeps>),
    ROW("exits_then_meets", "lanes end while others go on to __syncwarp", exits_then_meets),
    ROW("shuffle_in_loop", "__shfl_sync among the lanes that are still in the loop", shuffle_in_loop),
    ROW("halves_apart", "__shfl_xor_sync of half-warps on two sides of a branch", halves_apart),
    ROW("tiles", "tiles of 8 with trips of their own", tiles),
    ROW("matched_groups", "__match_any_sync, then a sum in each group", matched_groups),
    ROW("coalesced", "coalesced_threads under a branch", coalesced),
    ROW("counts_together", "__activemask in a divergent loop", counts_together),
    ROW("barrier_after_loop", "__syncthreads after divergent loops", barrier_after_loop),
    ROW("barrier_counts", "__syncthreads_count, _and, _or", barrier_counts),
    ROW("named_barriers", "bar.arrive and bar.sync of some warps", named_barriers),
    ROW("votes", "ballot, any, all, uni, match, reduce, elect", votes),
    ROW("shuffles", "every kind, several widths", shuffles),
    ROW("prefix_sums", "a scan by __shfl_up_sync", prefix_sums),
    ROW("lock", "the lanes of a warp take a lock one after the other", lock),
    ROW("special_registers", "three dimensions, masks of lanes", special_registers),
};

FAMILY(warps, "lanes and warps that wait for each other", restore)

/* ---- sparse: rows of different lengths in their thousands ---- */

/* The matrix: where each part of the input is, then the first entry of each row. Values are small and whole: sums in
 * floats are exact. */
enum { columns_at, values_at, vector_at, row_starts_at };

template <unsigned row_count> struct sparse_state : micro_state {
    static std::vector<u32> matrix()
    {
        std::vector<u32> in(row_starts_at + row_count + 1);
        for (unsigned row = 0; row < row_count; row++) {
            const u32 h = cugate::hash32(seed + 7, row);
            const unsigned length = h % 8 == 0 ? 0 : h % 16 == 1 ? h / 16 % 300 : h / 16 % 32;
            in[row_starts_at + row + 1] = in[row_starts_at + row] + length;
        }
        const unsigned entries = in.back();
        in[columns_at] = static_cast<u32>(in.size());
        for (unsigned k = 0; k < entries; k++)
            in.push_back(cugate::hash32(seed + 8, k) % row_count);
        in[values_at] = static_cast<u32>(in.size());
        for (unsigned k = 0; k < entries; k++)
            push(in, cugate::hash32(seed + 9, k) % 8);
        in[vector_at] = static_cast<u32>(in.size());
        for (unsigned row = 0; row < row_count; row++)
            push(in, cugate::hash32(seed + 10, row) % 16);
        return in;
    }
    static void push(std::vector<u32> &in, u32 whole)
    {
        const float value = static_cast<float>(whole);
        in.emplace_back();
        std::memcpy(&in.back(), &value, sizeof value);
    }
    int open()
    {
        host_in = matrix();
        CUGATE_TRY(in.allocate(host_in.size()));
        CUGATE_TRY(out.allocate(out_words));
        return in.upload(host_in);
    }
};

__global__ void times_vector(unsigned row_count, const u32 *row_start, const u32 *columns, const float *values,
                             const float *x, float *y)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= row_count)
        return;
    float sum = 0;
    for (unsigned k = row_start[i]; k < row_start[i + 1]; k++)
        sum += values[k] * x[columns[k]];
    y[i] = sum;
}

/* The compiler may keep what it has loaded. */
__global__ void times_vector_restrict(unsigned row_count, const u32 *__restrict__ row_start,
                                      const u32 *__restrict__ columns, const float *__restrict__ values,
                                      const float *__restrict__ x, float *__restrict__ y)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= row_count)
        return;
    float sum = 0;
    for (unsigned k = row_start[i]; k < row_start[i + 1]; k++)
        sum += values[k] * x[columns[k]];
    y[i] = sum;
}

template <unsigned row_count, decltype(times_vector) *multiply> struct sparse_product {
    static constexpr unsigned words = row_count;

    static void start(const micro_state &m)
    {
        const u32 *const in = m.in.data;
        const auto part = [&](unsigned at) { return reinterpret_cast<const float *>(in + m.host_in[at]); };
        multiply<<<(row_count + 255) / 256, 256>>>(row_count, in + row_starts_at, in + m.host_in[columns_at],
                                                   part(values_at), part(vector_at),
                                                   reinterpret_cast<float *>(m.out.data));
    }
};

constexpr struct cugate_variant sparse_variants[] = {
    ROW("thread_a_row", "4096 rows of 0 to 299 entries", sparse_product<4096, times_vector>),
    ROW("thread_a_row_restrict", "the same, nothing overlaps", sparse_product<4096, times_vector_restrict>),
};
FAMILY_OF(sparse_state<4096>, sparse, "a sparse matrix times a vector", restore)

constexpr struct cugate_variant sparse_large_variants[] = {
    ROW("thread_a_row", "100,000 rows of 0 to 299 entries", sparse_product<100000, times_vector>),
    ROW("thread_a_row_restrict", "the same, nothing overlaps", sparse_product<100000, times_vector_restrict>),
};
FAMILY_OF(sparse_state<100000>, sparse_large, "a large sparse matrix times a vector", restore)

/* ---- atomics ---- */

/* Each pattern adds to words of its own kind of address; lanes that meet there add up. The words begin at 0. */
template <bool some, bool used> struct global_adds : one_warp {
    static constexpr unsigned words = 2 * cells;

    static __device__ void run(const u32 *in, u32 *out)
    {
        const unsigned lane = threadIdx.x;
        u32 odd = 0;
#pragma unroll
        for (unsigned p = 0; p < patterns; p++) {
            u32 *const place = &out[in[plain_at + p * lanes + lane]];
            if (!some || in[masks_at + p] >> lane & 1) {
                if constexpr (used)
                    odd += atomicAdd(place, lane * 5 + p) == 0xdeadbeef; /* never */
                else
                    atomicAdd(place, lane * 5 + p);
            }
        }
        if (used)
            out[cells + lane] = odd + 1;
    }
};

enum operation { op_add, op_min, op_max, op_and, op_or, op_xor, op_increment, op_decrement, operations };

template <class T> __device__ T atomic(operation op, T *place, T value)
{
    switch (op) {
    case op_add:
        return atomicAdd(place, value);
    case op_min:
        return atomicMin(place, value);
    case op_max:
        return atomicMax(place, value);
    case op_and:
        return atomicAnd(place, value);
    case op_or:
        return atomicOr(place, value);
    case op_xor:
        return atomicXor(place, value);
    default:
        if constexpr (sizeof(T) == 4 && std::is_unsigned_v<T>)
            return op == op_increment ? atomicInc(place, 6) : atomicDec(place, 9);
        return 0;
    }
}

using u64 = unsigned long long;

/* Every operation on some patterns; op k on words of its own. T: u32, int or u64. */
template <class T, bool in_shared, bool used> struct operate : one_warp {
    static constexpr unsigned used_patterns = 6, places = 34, size = sizeof(T) / 4;
    static constexpr unsigned kinds = std::is_same_v<T, u32> ? operations : op_increment;
    static constexpr unsigned words = (kinds * places + lanes) * size;

    static __device__ unsigned place(unsigned p, unsigned lane)
    {
        switch (p) {
        case 0:
            return lane;
        case 1:
            return 0;
        case 2:
            return lane / 8 + 1;
        case 3:
            return lane % 2 * 32;
        case 4:
            return lane * 13 % 32;
        default:
            return lane & ~6u;
        }
    }
    static __device__ void run(const u32 *in, u32 *out)
    {
        __shared__ T shared[in_shared ? kinds * places : 1];
        const unsigned lane = threadIdx.x;
        T *const result = reinterpret_cast<T *>(out);
        T *const array = in_shared ? shared : result;
        if (in_shared)
            for (unsigned i = lane; i < kinds * places; i += lanes)
                shared[i] = 0;
        __syncthreads();
        T odd = 1;
#pragma unroll
        for (unsigned op = 0; op < kinds; op++)
#pragma unroll
            for (unsigned p = 0; p < used_patterns; p++) {
                const T old = atomic(static_cast<operation>(op), array + op * places + place(p, lane),
                                     static_cast<T>(in[p * lanes + lane]));
                if (used)
                    odd += old == static_cast<T>(0xdeadbeefdeadbeef); /* never */
            }
        __syncthreads();
        if (in_shared)
            for (unsigned i = lane; i < kinds * places; i += lanes)
                result[i] = shared[i];
        result[kinds * places + lane] = odd;
    }
};

/* Small whole numbers: the order of additions does not matter. */
template <class T, bool in_shared> struct float_adds : one_warp {
    static constexpr unsigned used_patterns = 8, size = sizeof(T) / 4, places = 34;
    static constexpr unsigned words = places * size;
    using kind = operate<u32, in_shared, false>;

    static __device__ void run(const u32 *, u32 *out)
    {
        __shared__ T shared[in_shared ? places : 1];
        const unsigned lane = threadIdx.x;
        T *const result = reinterpret_cast<T *>(out);
        T *const array = in_shared ? shared : result;
        if (in_shared)
            for (unsigned i = lane; i < places; i += lanes)
                shared[i] = 0;
        __syncthreads();
#pragma unroll
        for (unsigned p = 0; p < used_patterns; p++)
            if (p < 6 || lane % 3 == p - 6)
                atomicAdd(array + kind::place(p, lane), static_cast<T>(lane + p));
        __syncthreads();
        if (in_shared)
            for (unsigned i = lane; i < places; i += lanes)
                result[i] = shared[i];
    }
};

struct half_adds : one_warp {
    static constexpr unsigned words = lanes;

    static __device__ void run(const u32 *, u32 *out)
    {
        const unsigned lane = threadIdx.x;
        __half2 *const place = reinterpret_cast<__half2 *>(out) + lane;
        atomicAdd(place, __floats2half2_rn(static_cast<float>(lane), 1));
        atomicAdd(reinterpret_cast<__half2 *>(out) + lane / 4, __floats2half2_rn(2, 3));
    }
};

template <class T, bool in_shared> struct swaps : one_warp {
    static constexpr unsigned size = sizeof(T) / 4, places = 64, words = (places + lanes) * size;

    static __device__ void run(const u32 *in, u32 *out)
    {
        __shared__ T shared[in_shared ? places : 1];
        const unsigned lane = threadIdx.x;
        T *const result = reinterpret_cast<T *>(out);
        T *const array = in_shared ? shared : result;
        if (in_shared)
            for (unsigned i = lane; i < places; i += lanes)
                shared[i] = 0;
        __syncthreads();
        T sum = atomicExch(&array[lane], static_cast<T>(in[lane]));
        sum += atomicCAS(&array[lane], static_cast<T>(in[lane]), static_cast<T>(in[lane + 32]));
        sum += atomicCAS(&array[lane ^ 1], static_cast<T>(7), static_cast<T>(8));
        if (lane == 9)
            sum += atomicCAS(&array[40], static_cast<T>(0), static_cast<T>(5));
        if (lane % 4 == 0)
            sum += atomicExch(&array[lane + 1], static_cast<T>(lane)) * 3;
        atomicExch(&array[63], static_cast<T>(77)); /* all the same */
        __syncthreads();
        if (in_shared)
            for (unsigned i = lane; i < places; i += lanes)
                result[i] = shared[i];
        result[places + lane] = sum;
    }
};

/* Loops with atomics inside, in blocks of several warps: counts in shared memory, then in global memory. */
struct histogram {
    static constexpr unsigned blocks = 3, threads = 96, bins = 48, words = bins;

    static __device__ void run(const u32 *in, u32 *out)
    {
        __shared__ u32 counts[bins];
        if (threadIdx.x < bins)
            counts[threadIdx.x] = 0;
        __syncthreads();
        const unsigned i = blockIdx.x * threads + threadIdx.x;
        for (unsigned k = in [starts_at + i]; k < in[starts_at + i + 1]; k++)
            atomicAdd(&counts[in[k] % bins], 1u);
        __syncthreads();
        if (threadIdx.x < bins)
            atomicAdd(&out[threadIdx.x], counts[threadIdx.x]);
    }
};

struct adds_in_loop {
    static constexpr unsigned blocks = 2, threads = 128, words = 64;

    static __device__ void run(const u32 *in, u32 *out)
    {
        const unsigned i = blockIdx.x * threads + threadIdx.x;
        for (unsigned k = 0; k < in[i] % 20; k++) {
            const u32 value = in[i + k];
            if (value % 3 == 0)
                atomicAdd(&out[value % 64], value);
            else if (value % 3 == 1)
                atomicMax(&out[value % 16], value & 0); /* nothing greater */
        }
    }
};

/* One counter for all: the compiler adds up over the warp first. */
struct one_counter {
    static constexpr unsigned blocks = 2, threads = 128, words = 2;

    static __device__ void run(const u32 *in, u32 *out)
    {
        __shared__ u32 count;
        const unsigned i = blockIdx.x * threads + threadIdx.x;
        if (threadIdx.x == 0)
            count = 0;
        __syncthreads();
        if (in[i] % 3)
            atomicAdd(out, 1u);
        if (in[i] % 5 == 0)
            atomicAdd(&count, 1u);
        __syncthreads();
        if (threadIdx.x == 0)
            atomicAdd(out + 1, count);
    }
};

constexpr struct cugate_variant atomics_variants[] = {
    ROW("global_add", "patterns, results not used", global_adds<false, false>),
    ROW("global_add_some", "patterns, lanes off", global_adds<true, false>),
    ROW("global_add_used", "patterns, results used", global_adds<false, true>),
    ROW("global_add_used_some", "patterns, results used, lanes off", global_adds<true, true>),
    ROW("global_unsigned", "every operation", operate<u32, false, false>),
    ROW("global_unsigned_used", "every operation, results used", operate<u32, false, true>),
    ROW("global_signed", "every operation", operate<int, false, false>),
    ROW("global_signed_used", "every operation, results used", operate<int, false, true>),
    ROW("global_long", "every operation, 64 bits", operate<u64, false, false>),
    ROW("global_long_used", "every operation, 64 bits, results used", operate<u64, false, true>),
    ROW("shared_unsigned", "every operation", operate<u32, true, false>),
    ROW("shared_unsigned_used", "every operation, results used", operate<u32, true, true>),
    ROW("shared_signed_used", "every operation, results used", operate<int, true, true>),
    ROW("shared_long_used", "every operation, 64 bits, results used", operate<u64, true, true>),
    ROW("global_float", "float additions", float_adds<float, false>),
    ROW("global_double", "double additions", float_adds<double, false>),
    ROW("global_half", "additions of two halves", half_adds),
    ROW("shared_float", "float additions, which are a loop", float_adds<float, true>),
    ROW("shared_double", "double additions, which are a loop", float_adds<double, true>),
    ROW("global_swaps", "exchange and compare", swaps<u32, false>),
    ROW("global_swaps_long", "exchange and compare, 64 bits", swaps<u64, false>),
    ROW("shared_swaps", "exchange and compare", swaps<u32, true>),
    ROW("shared_swaps_long", "exchange and compare, 64 bits", swaps<u64, true>),
    ROW("histogram", "counts in shared memory, in a divergent loop", histogram),
    ROW("adds_in_loop", "global additions in a divergent loop", adds_in_loop),
    ROW("one_counter", "one counter in each memory", one_counter),
};

FAMILY(atomics, "atomic operations: what they count, where lanes meet", restore_zeros)

/* ---- spaces: local memory, generic addresses, hints ---- */

/* An array in local memory, of which each lane takes the element that its pattern says. */
template <class T, bool some> struct local_array : one_warp {
    static constexpr unsigned used_patterns = 40, elements = 64;
    static constexpr unsigned words = used_patterns * lanes * words_of<T>;

    static __device__ void run(const u32 *in, u32 *out)
    {
        T array[elements];
        const unsigned lane = threadIdx.x;
#pragma unroll 1
        for (unsigned i = 0; i < elements; i++)
            array[i] = made<T>(lane, i);
#pragma unroll
        for (unsigned p = 0; p < used_patterns; p++) {
            const unsigned index = in[plain_at + p * lanes + lane] % elements;
            T value = T();
            if (!some || in[masks_at + p] >> lane & 1) {
                value = array[index];
                array[(index + 1) % elements] = made<T>(p, lane);
            }
            put<T>(out, p * lanes + lane, value);
        }
    }
};

/* Addresses of which the machine code does not know the space: of shared memory for some lanes or patterns. */
template <class T> struct generic : one_warp {
    static constexpr unsigned results = patterns * lanes * words_of<T>, words = results;

    static __device__ bool to_shared(unsigned p, unsigned lane)
    {
        return p % 4 == 0 ? true : p % 4 == 1 ? false : p % 4 == 2 ? lane < 16 : lane * p % 5 < 2;
    }
    static __device__ void run(const u32 *in, u32 *out)
    {
        __shared__ T shared[cells];
        const unsigned lane = threadIdx.x;
#pragma unroll
        for (unsigned p = 0; p < patterns; p++) {
            const unsigned index = in[plain_at + p * lanes + lane];
            T *place = to_shared(p, lane) ? shared : reinterpret_cast<T *>(out + results);
            asm volatile("" : "+l"(place)); /* the compiler must not know */
            place[index] = made<T>(p, index);
            __syncwarp();
            const T value = place[index];
            __syncwarp();
            put<T>(out, p * lanes + lane, value);
        }
    }
};

/* Loads and stores as the program asks for them: a few patterns each. */
struct hints : one_warp {
    static constexpr unsigned used_patterns = 6, kinds = 14, results = used_patterns * kinds * lanes, words = results;

    static __device__ unsigned place(unsigned p, unsigned lane)
    {
        return p == 0 ? lane : p == 1 ? 3 : p == 2 ? lane * 8 : p == 3 ? lane / 8 + 1 : p == 4 ? lane * 33 : lane + 5;
    }
    static __device__ u32 there_and_back(unsigned kind, u32 *cell, u32 value)
    {
        volatile u32 *const exposed = cell;
        u32 got;
        switch (kind) {
        case 0:
            __stwb(cell, value);
            __syncwarp();
            return __ldca(cell);
        case 1:
            __stcg(cell, value);
            __syncwarp();
            return __ldcg(cell);
        case 2:
            __stcs(cell, value);
            __syncwarp();
            return __ldcs(cell);
        case 3:
            __stwt(cell, value);
            __syncwarp();
            return __ldcv(cell);
        case 4:
            *exposed = value;
            __syncwarp();
            return *exposed;
        case 5:
            asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(cell), "r"(value) : "memory");
            __syncwarp();
            asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(got) : "l"(cell) : "memory");
            return got;
        case 6:
            asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(cell), "r"(value) : "memory");
            __syncwarp();
            asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(got) : "l"(cell) : "memory");
            return got;
        case 7:
            asm volatile("st.relaxed.sys.global.u32 [%0], %1;" ::"l"(cell), "r"(value) : "memory");
            __syncwarp();
            asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(got) : "l"(cell) : "memory");
            return got;
        case 8:
            asm volatile("st.release.cta.global.u32 [%0], %1;" ::"l"(cell), "r"(value) : "memory");
            __syncwarp();
            asm volatile("ld.relaxed.cta.global.u32 %0, [%1];" : "=r"(got) : "l"(cell) : "memory");
            return got;
        case 9:
            *cell = value;
            __threadfence();
            return *exposed;
        case 10:
            *cell = value;
            __threadfence_system();
            return *exposed;
        case 11:
            *cell = value;
            __threadfence_block();
            return *exposed;
        case 12:
            asm volatile("st.global.L1::no_allocate.u32 [%0], %1;" ::"l"(cell), "r"(value) : "memory");
            __syncwarp();
            asm volatile("ld.global.L1::no_allocate.u32 %0, [%1];" : "=r"(got) : "l"(cell) : "memory");
            return got;
        default:
            *cell = value;
            __syncwarp();
            asm volatile("ld.global.L1::evict_last.L2::128B.u32 %0, [%1];" : "=r"(got) : "l"(cell) : "memory");
            return got;
        }
    }
    static __device__ void run(const u32 *, u32 *out)
    {
        const unsigned lane = threadIdx.x;
#pragma unroll
        for (unsigned kind = 0; kind < kinds; kind++)
#pragma unroll
            for (unsigned p = 0; p < used_patterns; p++) {
                u32 *const cell = out + results + place(p, lane);
                out[(kind * used_patterns + p) * lanes + lane] =
                    there_and_back(kind, cell, made<u32>(kind, place(p, lane)));
                __syncwarp();
            }
    }
};

/* Loads through the read-only path, of all sizes. */
template <class T> struct read_only : one_warp {
    static constexpr unsigned words = patterns * lanes * words_of<T>;

    static __device__ void run(const u32 *in, u32 *out)
    {
        const T *const array = reinterpret_cast<const T *>(in);
#pragma unroll
        for (unsigned p = 0; p < patterns; p++)
            put<T>(out, p * lanes + threadIdx.x, __ldg(array + in[plain_at + p * lanes + threadIdx.x]));
    }
};

__constant__ u32 constants[64] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};

/* Constants: indexed by all lanes alike, and by each lane as it likes. */
struct constant_reads : one_warp {
    static constexpr unsigned used_patterns = 8, words = used_patterns * lanes;

    static __device__ void run(const u32 *in, u32 *out)
    {
#pragma unroll
        for (unsigned p = 0; p < used_patterns; p++) {
            const unsigned index = p < 4 ? in[p] % 16 : in[plain_at + (p * 7 - 20) * lanes + threadIdx.x] % 16;
            out[p * lanes + threadIdx.x] = constants[index];
        }
    }
};

constexpr struct cugate_variant spaces_variants[] = {
    ROW("local_1", "a local array of bytes", local_array<uint8_t, false>),
    ROW("local_2", "of 2 bytes", local_array<uint16_t, false>),
    ROW("local_4", "of 4 bytes", local_array<u32, false>),
    ROW("local_8", "of 8 bytes", local_array<uint2, false>),
    ROW("local_16", "of 16 bytes", local_array<uint4, false>),
    ROW("local_4_some", "of 4 bytes, lanes off", local_array<u32, true>),
    ROW("local_8_some", "of 8 bytes, lanes off", local_array<uint2, true>),
    ROW("local_16_some", "of 16 bytes, lanes off", local_array<uint4, true>),
    ROW("generic_1", "generic addresses, bytes", generic<uint8_t>),
    ROW("generic_4", "generic addresses, 4 bytes", generic<u32>),
    ROW("generic_8", "generic addresses, 8 bytes", generic<uint2>),
    ROW("generic_16", "generic addresses, 16 bytes", generic<uint4>),
    ROW("hints", "volatile, streaming, acquire and other accesses", hints),
    ROW("read_only_4", "read-only loads", read_only<u32>),
    ROW("read_only_8", "read-only loads, 8 bytes", read_only<uint2>),
    ROW("read_only_16", "read-only loads, 16 bytes", read_only<uint4>),
    ROW("constants", "constant memory by an index", constant_reads),
};

FAMILY(spaces, "local memory, generic addresses, hints, constants", restore)

/* ---- tensor: matrices of small whole numbers, whose sums are exact ---- */

/* Element of matrix a (m x k), b (k x n) or c (m x n): -3 to 4. */
__device__ int element(const u32 *in, unsigned matrix, unsigned row, unsigned column)
{
    return static_cast<int>(in[matrix * 1024 + row * 32 + column] % 8) - 3;
}

/* d = a x b + c, for the types and shapes below; a word of the output an element. */
template <unsigned m, unsigned n, unsigned k> struct product : one_warp {
    static constexpr unsigned words = m * n;
};

/* The bits of two or four elements of a or b beside each other, along k. */
template <class T> __device__ u32 packed(const u32 *in, unsigned matrix, unsigned other, unsigned k)
{
    u32 bits = 0;
    for (unsigned i = 0; i < 4 / sizeof(T); i++) {
        const int value = matrix == 0 ? element(in, 0, other, k + i) : element(in, 1, k + i, other);
        if constexpr (std::is_same_v<T, int8_t>)
            bits |= (static_cast<u32>(value) & 0xff) << 8 * i;
        else if constexpr (std::is_same_v<T, __half>)
            bits |= static_cast<u32>(__half_as_ushort(__int2half_rn(value))) << 16 * i;
        else if constexpr (std::is_same_v<T, __nv_bfloat16>)
            bits |= static_cast<u32>(__bfloat16_as_ushort(__int2bfloat16_rn(value))) << 16 * i;
        else
            bits = __float_as_uint(static_cast<float>(value));
    }
    return bits;
}

/* The fragments of every m16n8 product: words of 4 bytes along k, 4 lanes a row. */
template <class T, unsigned k> struct fragments {
    static constexpr unsigned per_word = 4 / sizeof(T), a_words = k / per_word / 2, b_words = k / per_word / 4;
    u32 a[a_words], b[b_words];

    __device__ explicit fragments(const u32 *in)
    {
        const unsigned group = threadIdx.x / 4, in_group = threadIdx.x % 4;
        for (unsigned w = 0; w < a_words; w++)
            a[w] = packed<T>(in, 0, group + w % 2 * 8, (in_group + w / 2 * 4) * per_word);
        for (unsigned w = 0; w < b_words; w++)
            b[w] = packed<T>(in, 1, group, (in_group + w * 4) * per_word);
    }
};

__device__ unsigned c_row(unsigned w)
{
    return threadIdx.x / 4 + w / 2 * 8;
}
__device__ unsigned c_column(unsigned w)
{
    return threadIdx.x % 4 * 2 + w % 2;
}

template <class T, unsigned k> struct mma_float : product<16, 8, k> {
    static __device__ void run(const u32 *in, u32 *out)
    {
        const fragments<T, k> f(in);
        float c[4];
        for (unsigned w = 0; w < 4; w++)
            c[w] = static_cast<float>(element(in, 2, c_row(w), c_column(w)));
        if constexpr (std::is_same_v<T, __half> && k == 16)
            asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
                         "{%8, %9}, {%0, %1, %2, %3};"
                         : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                         : "r"(f.a[0]), "r"(f.a[1]), "r"(f.a[2]), "r"(f.a[3]), "r"(f.b[0]), "r"(f.b[1]));
        else if constexpr (std::is_same_v<T, __half>)
            asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, "
                         "{%0, %1, %2, %3};"
                         : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                         : "r"(f.a[0]), "r"(f.a[1]), "r"(f.b[0]));
        else if constexpr (std::is_same_v<T, __nv_bfloat16>)
            asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
                         "{%8, %9}, {%0, %1, %2, %3};"
                         : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                         : "r"(f.a[0]), "r"(f.a[1]), "r"(f.a[2]), "r"(f.a[3]), "r"(f.b[0]), "r"(f.b[1]));
        else if constexpr (k == 8)
            asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
                         "{%8, %9}, {%0, %1, %2, %3};"
                         : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                         : "r"(f.a[0]), "r"(f.a[1]), "r"(f.a[2]), "r"(f.a[3]), "r"(f.b[0]), "r"(f.b[1]));
        else
            asm volatile("mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, "
                         "{%0, %1, %2, %3};"
                         : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                         : "r"(f.a[0]), "r"(f.a[1]), "r"(f.b[0]));
        for (unsigned w = 0; w < 4; w++)
            out[c_row(w) * 8 + c_column(w)] = static_cast<u32>(static_cast<int>(c[w]));
    }
};

struct mma_half : product<16, 8, 16> {
    static __device__ void run(const u32 *in, u32 *out)
    {
        const fragments<__half, 16> f(in);
        u32 c[2];
        for (unsigned w = 0; w < 2; w++) {
            const __half2 both = __halves2half2(__int2half_rn(element(in, 2, c_row(2 * w), c_column(0))),
                                                __int2half_rn(element(in, 2, c_row(2 * w), c_column(1))));
            std::memcpy(&c[w], &both, sizeof both);
        }
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, "
                     "{%0, %1};"
                     : "+r"(c[0]), "+r"(c[1])
                     : "r"(f.a[0]), "r"(f.a[1]), "r"(f.a[2]), "r"(f.a[3]), "r"(f.b[0]), "r"(f.b[1]));
        for (unsigned w = 0; w < 4; w++) {
            const unsigned short bits = static_cast<unsigned short>(c[w / 2] >> w % 2 * 16);
            out[c_row(w) * 8 + c_column(w)] = static_cast<u32>(__half2int_rn(__ushort_as_half(bits)));
        }
    }
};

template <unsigned k> struct mma_bytes : product<16, 8, k> {
    static __device__ void run(const u32 *in, u32 *out)
    {
        const fragments<int8_t, k> f(in);
        int c[4];
        for (unsigned w = 0; w < 4; w++)
            c[w] = element(in, 2, c_row(w), c_column(w));
        if constexpr (k == 32)
            asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
                         "{%8, %9}, {%0, %1, %2, %3};"
                         : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
                         : "r"(f.a[0]), "r"(f.a[1]), "r"(f.a[2]), "r"(f.a[3]), "r"(f.b[0]), "r"(f.b[1]));
        else
            asm volatile("mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5}, {%6}, "
                         "{%0, %1, %2, %3};"
                         : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
                         : "r"(f.a[0]), "r"(f.a[1]), "r"(f.b[0]));
        for (unsigned w = 0; w < 4; w++)
            out[c_row(w) * 8 + c_column(w)] = static_cast<u32>(c[w]);
    }
};

struct mma_double : product<8, 8, 4> {
    static __device__ void run(const u32 *in, u32 *out)
    {
        const unsigned group = threadIdx.x / 4, in_group = threadIdx.x % 4;
        const double a = element(in, 0, group, in_group), b = element(in, 1, in_group, group);
        double c0 = element(in, 2, group, in_group * 2), c1 = element(in, 2, group, in_group * 2 + 1);
        asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
                     : "+d"(c0), "+d"(c1)
                     : "d"(a), "d"(b));
        out[group * 8 + in_group * 2] = static_cast<u32>(static_cast<int>(c0));
        out[group * 8 + in_group * 2 + 1] = static_cast<u32>(static_cast<int>(c1));
    }
};

struct mma_double_16 : product<16, 8, 16> {
    static __device__ void run(const u32 *in, u32 *out)
    {
        const unsigned group = threadIdx.x / 4, in_group = threadIdx.x % 4;
        double a[8], b[4], c[4];
        for (unsigned w = 0; w < 8; w++)
            a[w] = element(in, 0, group + w % 2 * 8, in_group + w / 2 * 4);
        for (unsigned w = 0; w < 4; w++)
            b[w] = element(in, 1, in_group + w * 4, group);
        for (unsigned w = 0; w < 4; w++)
            c[w] = element(in, 2, c_row(w), c_column(w));
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, "
                     "{%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15}, {%0, %1, %2, %3};"
                     : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
                     : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(a[4]), "d"(a[5]), "d"(a[6]), "d"(a[7]),
                       "d"(b[0]), "d"(b[1]), "d"(b[2]), "d"(b[3]));
        for (unsigned w = 0; w < 4; w++)
            out[c_row(w) * 8 + c_column(w)] = static_cast<u32>(static_cast<int>(c[w]));
    }
};

/* Through shared memory, by the compiler's own loads of fragments. */
template <class Sum> struct wmma_half : product<16, 16, 16> {
    static __device__ void run(const u32 *in, u32 *out)
    {
        namespace wmma = nvcuda::wmma;
        __shared__ __half a[16 * 24], b[16 * 16];
        __shared__ Sum c[16 * 20];
        for (unsigned i = threadIdx.x; i < 256; i += lanes) {
            a[i / 16 * 24 + i % 16] = __int2half_rn(element(in, 0, i / 16, i % 16));
            b[i % 16 * 16 + i / 16] = __int2half_rn(element(in, 1, i / 16, i % 16)); /* a column after the other */
            c[i / 16 * 20 + i % 16] = static_cast<Sum>(static_cast<float>(element(in, 2, i / 16, i % 16)));
        }
        __syncthreads();
        wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> left;
        wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> right;
        wmma::fragment<wmma::accumulator, 16, 16, 16, Sum> sums;
        wmma::load_matrix_sync(left, a, 24);
        wmma::load_matrix_sync(right, b, 16);
        if constexpr (sizeof(Sum) == 2)
            wmma::fill_fragment(sums, static_cast<Sum>(0.0f)); /* rows of 20 halves are not allowed */
        else
            wmma::load_matrix_sync(sums, c, 20, wmma::mem_row_major);
        wmma::mma_sync(sums, left, right, sums);
        if constexpr (sizeof(Sum) == 2) {
            __shared__ Sum d[256];
            wmma::store_matrix_sync(d, sums, 16, wmma::mem_row_major);
            __syncthreads();
            for (unsigned i = threadIdx.x; i < 256; i += lanes)
                out[i] = static_cast<u32>(static_cast<int>(static_cast<float>(d[i] + c[i / 16 * 20 + i % 16])));
        } else {
            wmma::store_matrix_sync(c, sums, 20, wmma::mem_row_major);
            __syncthreads();
            for (unsigned i = threadIdx.x; i < 256; i += lanes)
                out[i] = static_cast<u32>(static_cast<int>(c[i / 16 * 20 + i % 16]));
        }
    }
};

/* ldmatrix: which 16 bytes each lane names is the pattern. `count` matrices of 8 rows. */
template <unsigned count, bool transposed> struct matrix_loads : one_warp {
    static constexpr unsigned words = patterns * lanes * count;

    static __device__ void run(const u32 *in, u32 *out)
    {
        __shared__ uint4 shared[cells];
        const unsigned lane = threadIdx.x;
#pragma unroll 1
        for (unsigned i = lane; i < cells; i += lanes)
            shared[i] = made<uint4>(7, i);
        __syncthreads();
#pragma unroll
        for (unsigned p = 0; p < patterns; p++) {
            const u32 row = static_cast<u32>(__cvta_generic_to_shared(&shared[in[plain_at + p * lanes + lane]]));
            u32 got[4] = {};
            if constexpr (count == 1 && !transposed)
                asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(got[0]) : "r"(row));
            else if constexpr (count == 1)
                asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%1];" : "=r"(got[0]) : "r"(row));
            else if constexpr (count == 2 && !transposed)
                asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
                             : "=r"(got[0]), "=r"(got[1])
                             : "r"(row));
            else if constexpr (count == 2)
                asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                             : "=r"(got[0]), "=r"(got[1])
                             : "r"(row));
            else if constexpr (!transposed)
                asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                             : "=r"(got[0]), "=r"(got[1]), "=r"(got[2]), "=r"(got[3])
                             : "r"(row));
            else
                asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                             : "=r"(got[0]), "=r"(got[1]), "=r"(got[2]), "=r"(got[3])
                             : "r"(row));
            for (unsigned matrix = 0; matrix < count; matrix++)
                out[(p * count + matrix) * lanes + lane] = got[matrix];
        }
    }
};

/* stmatrix: rows that no two lanes share, read back row by row. */
template <bool transposed> struct matrix_stores : one_warp {
    static constexpr unsigned words = patterns * lanes * 4;

    static __device__ void run(const u32 *in, u32 *out)
    {
        __shared__ uint4 shared[cells];
        const unsigned lane = threadIdx.x;
#pragma unroll
        for (unsigned p = 0; p < patterns; p++) {
            const unsigned at = in[apart_at + p * lanes + lane];
            const u32 row = static_cast<u32>(__cvta_generic_to_shared(&shared[at]));
            const uint4 given = made<uint4>(p, lane);
            if constexpr (transposed)
                asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(row),
                             "r"(given.x), "r"(given.y), "r"(given.z), "r"(given.w)
                             : "memory");
            else
                asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(row),
                             "r"(given.x), "r"(given.y), "r"(given.z), "r"(given.w)
                             : "memory");
            __syncwarp();
            put<uint4>(out, p * lanes + lane, shared[at]);
            __syncwarp();
        }
    }
};

constexpr struct cugate_variant tensor_variants[] = {
    ROW("half_to_float_16", "m16n8k16, f16, sums in f32", mma_float<__half, 16>),
    ROW("half_to_float_8", "m16n8k8, f16, sums in f32", mma_float<__half, 8>),
    ROW("bfloat_to_float", "m16n8k16, bf16, sums in f32", mma_float<__nv_bfloat16, 16>),
    ROW("tf32_8", "m16n8k8, tf32", mma_float<float, 8>),
    ROW("tf32_4", "m16n8k4, tf32", mma_float<float, 4>),
    ROW("half_to_half", "m16n8k16, f16, sums in f16", mma_half),
    ROW("bytes_32", "m16n8k32, s8", mma_bytes<32>),
    ROW("bytes_16", "m16n8k16, s8", mma_bytes<16>),
    ROW("doubles_4", "m8n8k4, f64", mma_double),
    ROW("doubles_16", "m16n8k16, f64", mma_double_16),
    ROW("wmma_float", "16x16x16 by wmma, sums in f32", wmma_half<float>),
    ROW("wmma_half", "16x16x16 by wmma, sums in f16", wmma_half<__half>),
    ROW("load_1", "ldmatrix, rows by pattern", matrix_loads<1, false>),
    ROW("load_2", "two matrices", matrix_loads<2, false>),
    ROW("load_4", "four matrices", matrix_loads<4, false>),
    ROW("load_1_transposed", "a matrix, transposed", matrix_loads<1, true>),
    ROW("load_2_transposed", "two matrices, transposed", matrix_loads<2, true>),
    ROW("load_4_transposed", "four matrices, transposed", matrix_loads<4, true>),
    ROW("store_4", "stmatrix, four matrices", matrix_stores<false>),
    ROW("store_4_transposed", "four matrices, transposed", matrix_stores<true>),
};

FAMILY(tensor, "tensor cores and what feeds them", restore)

/* ---- arithmetic: results over a table of ordinary and odd numbers ---- */

#define ASM_2(text, type, a)                                                                                           \
    [&] {                                                                                                              \
        u32 result;                                                                                                    \
        asm(text : "=r"(result) : type(a));                                                                            \
        return result;                                                                                                 \
    }()
#define ASM_3(text, a, b)                                                                                              \
    [&] {                                                                                                              \
        u32 result;                                                                                                    \
        asm(text : "=r"(result) : "r"(a), "r"(b));                                                                     \
        return result;                                                                                                 \
    }()
#define ASM_4(text, a, b, c)                                                                                           \
    [&] {                                                                                                              \
        u32 result;                                                                                                    \
        asm(text : "=r"(result) : "r"(a), "r"(b), "r"(c));                                                             \
        return result;                                                                                                 \
    }()

template <unsigned results> struct integer_results {
    static constexpr unsigned blocks = 4, threads = 128, each = results, count = blocks * threads,
                              words = count * results;
};

struct integer_bits : integer_results<27> {
    static __device__ void of(u32 a, u32 b, u32 c, u32 *r)
    {
        const int s = static_cast<int>(a), t = static_cast<int>(b);
        *r++ = __brev(a);
        *r++ = __popc(a);
        *r++ = __clz(s >> b % 32);
        *r++ = __ffs(s << b % 32);
        *r++ = __byte_perm(a, b, 0x5140);
        *r++ = __byte_perm(a, b, c & 0x7777);
        *r++ = __funnelshift_l(a, b, c);
        *r++ = __funnelshift_r(a, b, c);
        *r++ = __funnelshift_lc(a, b, c % 64);
        *r++ = __funnelshift_rc(a, b, c % 64);
        *r++ = __umulhi(a, b);
        *r++ = static_cast<u32>(__mulhi(s, t));
        *r++ = a * b + c;
        *r++ = __umul24(a, b);
        *r++ = __usad(a, b, c);
        *r++ = __sad(s, t, c);
        *r++ = static_cast<u32>(s < t ? s : t) + (a > b ? a : b);
        *r++ = static_cast<u32>(__dp4a(s, t, static_cast<int>(c)));
        *r++ = __dp4a(a, b, c);
        *r++ = static_cast<u32>(__dp2a_lo(s, t, static_cast<int>(c)));
        *r++ = ASM_2("bfe.u32 %0, %1, 7, 13;", "r", a);
        *r++ = ASM_4("bfe.u32 %0, %1, %2, %3;", a, b % 20, c % 12);
        *r++ = ASM_3("bfi.b32 %0, %1, %2, 5, 9;", a, b);
        *r++ = ASM_4("lop3.b32 %0, %1, %2, %3, 0xe8;", a, b, c);
        *r++ = ASM_2("bfind.u32 %0, %1;", "r", a);
        *r++ = ASM_3("shl.b32 %0, %1, %2;", a, c % 48);
        *r++ = ASM_3("shr.s32 %0, %1, %2;", a, c % 48);
    }
};

struct integer_wide : integer_results<18> {
    static __device__ void of(u32 a, u32 b, u32 c, u32 *r)
    {
        const uint64_t x = static_cast<uint64_t>(a) << 32 | b, y = static_cast<uint64_t>(c) << 20 | a;
        const int64_t s = static_cast<int64_t>(x), t = static_cast<int64_t>(c) - 5;
        const uint64_t results[9] = {x * y,
                                     x + y * 3,
                                     x - y,
                                     x << c % 64,
                                     x >> c % 64,
                                     static_cast<uint64_t>(s >> b % 64),
                                     __umul64hi(x, y),
                                     static_cast<uint64_t>(s < t ? s : t) + (x > y ? x : y),
                                     (x & y) | (x ^ (y << 1))};
        for (const uint64_t wide : results) {
            *r++ = static_cast<u32>(wide);
            *r++ = static_cast<u32>(wide >> 32);
        }
    }
};

struct integer_divisions : integer_results<10> {
    static __device__ void of(u32 a, u32 b, u32 c, u32 *r)
    {
        const u32 d = b >> c % 32 | 1;
        const int s = static_cast<int>(a), t = static_cast<int>(b % 4000) - 2000;
        *r++ = a / d;
        *r++ = a % d;
        *r++ = static_cast<u32>(s / (t ? t : 3));
        *r++ = static_cast<u32>(s % (t ? t : 3));
        *r++ = a / 7;
        *r++ = a % 1000;
        *r++ = static_cast<u32>(s / -13);
        *r++ = static_cast<u32>(s % 4096);
        *r++ = (a & 0xffff) / ((b & 0xff) + 1);
        *r++ = a > b ? a / (c % 5 + 1) : b;
    }
};

/* Halves and bytes of words at once. */
struct integer_parts : integer_results<12> {
    static __device__ void of(u32 a, u32 b, u32 c, u32 *r)
    {
        const int s = static_cast<int>(a), t = static_cast<int>(b), u = static_cast<int>(c);
        *r++ = __vadd2(a, b);
        *r++ = __vadd4(a, b);
        *r++ = __vsub4(a, b);
        *r++ = __vmaxs2(a, b);
        *r++ = __vmaxu2(a, b);
        *r++ = __vmaxu4(a, b);
        *r++ = __vabsdiffu4(a, b);
        *r++ = __vcmpeq4(a, b & a);
        *r++ = __vavgu4(a, b);
        *r++ = static_cast<u32>(__vimax3_s32(s, t, u));
        *r++ = __vimin3_u32(a, b, c);
        *r++ = static_cast<u32>(__viaddmax_s32(s, t, u));
    }
};

template <class F> struct integers : F {
    static __device__ void run(const u32 *in, u32 *out)
    {
        const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
        u32 results[F::each];
        F::of(in[3 * i], in[3 * i + 1], in[3 * i + 2], results);
        for (unsigned k = 0; k < F::each; k++)
            out[k * F::count + i] = results[k];
    }
};

template <class T> __device__ T number(const u32 *in, unsigned i)
{
    T value;
    if constexpr (sizeof(T) == 4)
        std::memcpy(&value, &in[floats_at + i], sizeof value);
    else
        std::memcpy(&value, &in[doubles_at + 2 * i], sizeof value);
    return value;
}

/* The second number: of mild ones mild, and an odd one for each odd one. */
__device__ unsigned partner(unsigned i, unsigned which)
{
    return i < mild_at ? (i * 7 + which * 5) % mild_at : i ^ which;
}

/* Results that are words of some kind, `size` each. */
template <class F> struct numbers {
    using T = typename F::type;
    static constexpr unsigned blocks = 4, threads = floats / blocks, words = F::each * F::size * floats;

    static __device__ void run(const u32 *in, u32 *out)
    {
        const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
        u32 results[F::each * F::size];
        F::of(number<T>(in, i), number<T>(in, partner(i, 1)), number<T>(in, partner(i, 2)), results);
        for (unsigned k = 0; k < F::each * F::size; k++)
            out[k * floats + i] = results[k];
    }
};

struct float_words {
    using type = float;
    static constexpr unsigned size = 1;
    static double value(unsigned, u32 bits)
    {
        float f;
        std::memcpy(&f, &bits, sizeof f);
        return static_cast<double>(f);
    }
};

struct double_words {
    using type = double;
    static constexpr unsigned size = 2;
    static double value(unsigned, u32 bits)
    {
        const uint64_t wide = static_cast<uint64_t>(bits) << 32;
        double d;
        std::memcpy(&d, &wide, sizeof d);
        return d;
    }
};

#define UNARY(text)                                                                                                    \
    [&] {                                                                                                              \
        float result;                                                                                                  \
        asm(text " %0, %1;" : "=f"(result) : "f"(x));                                                                  \
        return result;                                                                                                 \
    }()
#define BINARY(text)                                                                                                   \
    [&] {                                                                                                              \
        float result;                                                                                                  \
        asm(text " %0, %1, %2;" : "=f"(result) : "f"(x), "f"(y));                                                      \
        return result;                                                                                                 \
    }()
#define TERNARY(text)                                                                                                  \
    [&] {                                                                                                              \
        float result;                                                                                                  \
        asm(text " %0, %1, %2, %3;" : "=f"(result) : "f"(x), "f"(y), "f"(z));                                          \
        return result;                                                                                                 \
    }()

/* What the table of the special function unit gives. */
struct table_functions : float_words {
    static constexpr unsigned each = 13;
    static __device__ void of(float x, float, float, u32 *r)
    {
        const float results[each] = {
            UNARY("rcp.approx.f32"),       UNARY("rcp.approx.ftz.f32"), UNARY("rsqrt.approx.f32"),
            UNARY("rsqrt.approx.ftz.f32"), UNARY("sqrt.approx.f32"),    UNARY("sqrt.approx.ftz.f32"),
            UNARY("ex2.approx.f32"),       UNARY("ex2.approx.ftz.f32"), UNARY("lg2.approx.f32"),
            UNARY("lg2.approx.ftz.f32"),   UNARY("sin.approx.f32"),     UNARY("cos.approx.f32"),
            UNARY("tanh.approx.f32")};
        for (unsigned k = 0; k < each; k++)
            r[k] = __float_as_uint(results[k]);
    }
};

struct math_functions : float_words {
    static constexpr unsigned each = 14;
    static __device__ void of(float x, float y, float, u32 *r)
    {
        const float results[each] = {sinf(x),     cosf(x),      expf(x),   logf(x),         powf(x, y),
                                     tanhf(x),    erff(x),      x / y,     sqrtf(x),        cbrtf(x),
                                     fmodf(x, y), atan2f(x, y), rsqrtf(x), __fdividef(x, y)};
        for (unsigned k = 0; k < each; k++)
            r[k] = __float_as_uint(results[k]);
    }
};

struct double_functions : double_words {
    static constexpr unsigned each = 8;
    static __device__ void of(double x, double y, double, u32 *r)
    {
        const double results[each] = {sin(x), exp(x), log(x), pow(x, y), x / y, sqrt(x), rsqrt(x), tanh(x)};
        for (unsigned k = 0; k < each; k++) {
            r[2 * k] = static_cast<u32>(__double2loint(results[k]));
            r[2 * k + 1] = static_cast<u32>(__double2hiint(results[k]));
        }
    }
};

/* Every rounding, flushing of denormals, saturation. */
struct float_arithmetic : float_words {
    static constexpr unsigned each = 30;
    static __device__ void of(float x, float y, float z, u32 *r)
    {
        const float results[each] = {__fadd_rn(x, y),
                                     __fadd_rz(x, y),
                                     __fadd_ru(x, y),
                                     __fadd_rd(x, y),
                                     __fmul_rn(x, y),
                                     __fmul_rz(x, y),
                                     __fmul_ru(x, y),
                                     __fmul_rd(x, y),
                                     __fmaf_rn(x, y, z),
                                     __fmaf_rz(x, y, z),
                                     __fmaf_ru(x, y, z),
                                     __fmaf_rd(x, y, z),
                                     __fdiv_rz(x, y),
                                     __fsqrt_ru(x),
                                     __frcp_rn(x),
                                     BINARY("add.ftz.f32"),
                                     BINARY("mul.ftz.f32"),
                                     TERNARY("fma.rn.ftz.f32"),
                                     BINARY("add.sat.f32"),
                                     BINARY("mul.sat.f32"),
                                     TERNARY("fma.rn.sat.f32"),
                                     BINARY("min.f32"),
                                     BINARY("max.f32"),
                                     BINARY("min.ftz.f32"),
                                     BINARY("max.NaN.f32"),
                                     BINARY("min.xorsign.abs.f32"),
                                     BINARY("copysign.f32"),
                                     x + 1.5f,
                                     x * -0.375f,
                                     fabsf(x) - y};
        for (unsigned k = 0; k < each; k++)
            r[k] = __float_as_uint(results[k]);
    }
};

struct double_arithmetic : double_words {
    static constexpr unsigned each = 18;
    static __device__ void of(double x, double y, double z, u32 *r)
    {
        const double results[each] = {__dadd_rn(x, y),   __dadd_rz(x, y),   __dadd_ru(x, y),   __dadd_rd(x, y),
                                      __dmul_rn(x, y),   __dmul_rz(x, y),   __dmul_ru(x, y),   __dmul_rd(x, y),
                                      __fma_rn(x, y, z), __fma_rz(x, y, z), __fma_ru(x, y, z), __fma_rd(x, y, z),
                                      fmin(x, y),        fmax(x, y),        __drcp_rn(x),      rint(x) + 1e-300,
                                      x > y ? x : y * 3, fabs(x) - y};
        for (unsigned k = 0; k < each; k++) {
            r[2 * k] = static_cast<u32>(__double2loint(results[k]));
            r[2 * k + 1] = static_cast<u32>(__double2hiint(results[k]));
        }
    }
};

/* Halves of both kinds; results are the bits of two. */
template <class H2, class H> struct half_arithmetic : float_words {
    static constexpr unsigned each = 12;
    static __device__ H2 two(float a, float b)
    {
        if constexpr (std::is_same_v<H, __half>)
            return __floats2half2_rn(a, b);
        else
            return __floats2bfloat162_rn(a, b);
    }
    static __device__ void of(float x, float y, float z, u32 *r)
    {
        const H2 a = two(x, y), b = two(y, z), c = two(z, x);
        H2 one_sum = a;
        one_sum.x = __hadd(a.x, b.y);
        const H2 results[each] = {__hadd2(a, b),     __hmul2(a, b),     __hfma2(a, b, c), __hsub2(a, b),
                                  __hadd2_sat(a, b), __hmul2_sat(a, b), __hmin2(a, b),    __hmax2(a, b),
                                  __hmax2_nan(a, b), __habs2(a),        one_sum,          __hfma2_relu(a, b, c)};
        for (unsigned k = 0; k < each; k++)
            std::memcpy(&r[k], &results[k], sizeof r[k]);
    }
    static double value(unsigned, u32 bits)
    {
        const uint16_t low = static_cast<uint16_t>(bits);
        H half;
        std::memcpy(&half, &low, sizeof half);
        return static_cast<double>(static_cast<float>(half));
    }
};

struct to_integers : float_words {
    static constexpr unsigned each = 22;
    static __device__ void of(float x, float, float, u32 *r)
    {
        const u64 wide[4] = {static_cast<u64>(__float2ll_rn(x)), static_cast<u64>(__float2ll_rz(x)), __float2ull_ru(x),
                             __float2ull_rd(x)};
        const u32 results[each] = {static_cast<u32>(__float2int_rn(x)),
                                   static_cast<u32>(__float2int_rz(x)),
                                   static_cast<u32>(__float2int_ru(x)),
                                   static_cast<u32>(__float2int_rd(x)),
                                   __float2uint_rn(x),
                                   __float2uint_rz(x),
                                   __float2uint_ru(x),
                                   __float2uint_rd(x),
                                   ASM_2("{ .reg .s16 t; cvt.rni.s16.f32 t, %1; cvt.s32.s16 %0, t; }", "f", x),
                                   ASM_2("{ .reg .u16 t; cvt.rzi.u16.f32 t, %1; cvt.u32.u16 %0, t; }", "f", x),
                                   ASM_2("{ .reg .s16 t; cvt.rni.sat.s8.f32 t, %1; cvt.s32.s16 %0, t; }", "f", x),
                                   ASM_2("{ .reg .u16 t; cvt.rzi.sat.u8.f32 t, %1; cvt.u32.u16 %0, t; }", "f", x),
                                   ASM_2("cvt.rni.ftz.s32.f32 %0, %1;", "f", x),
                                   ASM_2("cvt.rpi.ftz.u32.f32 %0, %1;", "f", x),
                                   static_cast<u32>(wide[0]),
                                   static_cast<u32>(wide[1]),
                                   static_cast<u32>(wide[2]),
                                   static_cast<u32>(wide[3]),
                                   static_cast<u32>(wide[0] >> 32),
                                   static_cast<u32>(wide[1] >> 32),
                                   static_cast<u32>(wide[2] >> 32),
                                   static_cast<u32>(wide[3] >> 32)};
        for (unsigned k = 0; k < each; k++)
            r[k] = results[k];
    }
};

struct double_to_others : double_words {
    static constexpr unsigned each = 18, size = 1;
    static __device__ void of(double x, double, double, u32 *r)
    {
        const u64 wide[2] = {static_cast<u64>(__double2ll_rn(x)), __double2ull_rz(x)};
        const u32 results[each] = {static_cast<u32>(__double2int_rn(x)),
                                   static_cast<u32>(__double2int_rz(x)),
                                   static_cast<u32>(__double2int_ru(x)),
                                   static_cast<u32>(__double2int_rd(x)),
                                   __double2uint_rn(x),
                                   __double2uint_rz(x),
                                   __double2uint_ru(x),
                                   __double2uint_rd(x),
                                   static_cast<u32>(wide[0]),
                                   static_cast<u32>(wide[1]),
                                   static_cast<u32>(wide[0] >> 32),
                                   static_cast<u32>(wide[1] >> 32),
                                   __float_as_uint(__double2float_rn(x)),
                                   __float_as_uint(__double2float_rz(x)),
                                   __float_as_uint(__double2float_ru(x)),
                                   __float_as_uint(__double2float_rd(x)),
                                   static_cast<u32>(__half_as_ushort(__double2half(x))),
                                   static_cast<u32>(__bfloat16_as_ushort(__double2bfloat16(x)))};
        for (unsigned k = 0; k < each; k++)
            r[k] = results[k];
    }
};

/* Whole numbers in all formats, rounding to whole numbers, halves; from the bits of the number and from itself. */
struct to_floats : float_words {
    static constexpr unsigned each = 30;
    static __device__ u32 wide_part(double d)
    {
        return static_cast<u32>(__double2hiint(d)) ^ static_cast<u32>(__double2loint(d));
    }
    static __device__ void of(float x, float y, float, u32 *r)
    {
        const u32 u = __float2uint_rz(x) ^ (__float_as_uint(x) & 0x80000000);
        const int s = static_cast<int>(u);
        const u64 w = static_cast<u64>(u) * (u >> 20 | 1);
        *r++ = __float_as_uint(__int2float_rn(s));
        *r++ = __float_as_uint(__int2float_rz(s));
        *r++ = __float_as_uint(__int2float_ru(s));
        *r++ = __float_as_uint(__uint2float_rn(u));
        *r++ = __float_as_uint(__uint2float_rz(u));
        *r++ = __float_as_uint(__uint2float_rd(u));
        *r++ = __float_as_uint(__ll2float_rn(static_cast<long long>(w)));
        *r++ = __float_as_uint(__ull2float_rz(w));
        *r++ = __float_as_uint(static_cast<float>(static_cast<uint8_t>(u)));
        *r++ = __float_as_uint(static_cast<float>(static_cast<uint16_t>(u)));
        *r++ = __float_as_uint(static_cast<float>(static_cast<int8_t>(u)));
        *r++ = __float_as_uint(rintf(x));
        *r++ = __float_as_uint(truncf(x));
        *r++ = __float_as_uint(floorf(x));
        *r++ = __float_as_uint(ceilf(x));
        *r++ = __float_as_uint(roundf(x));
        *r++ = __float_as_uint(__half2float(__float2half_rn(x)));
        *r++ = __float_as_uint(__half2float(__float2half_rz(x)));
        *r++ = __float_as_uint(__half2float(__float2half_ru(x)));
        *r++ = __float_as_uint(__bfloat162float(__float2bfloat16_rn(x)));
        *r++ = __float_as_uint(__bfloat162float(__float2bfloat16_rz(x)));
        *r++ = __float_as_uint(__half2float(__int2half_rn(s)));
        *r++ = __float_as_uint(__uint2float_rn(__half2uint_rz(__float2half_rn(x))));
        *r++ = __float_as_uint(__low2float(__floats2half2_rn(x, y)));
        *r++ = __float_as_uint(__low2float(__floats2bfloat162_rn(x, y)));
        /* doubles: the low half of a small whole one is 0 */
        *r++ = wide_part(static_cast<double>(x));
        *r++ = wide_part(static_cast<double>(s));
        *r++ = wide_part(__ull2double_rz(w));
        *r++ = wide_part(__ll2double_ru(static_cast<long long>(w)));
        *r++ = wide_part(floor(static_cast<double>(x) + 0.5));
    }
};

/* Comparisons, ordered and not. */
struct comparisons {
    static constexpr unsigned blocks = 4, threads = floats / blocks, words = 2 * floats;

    static __device__ u32 bits(float x, float y)
    {
        return (x < y) | (x <= y) << 1 | (x > y) << 2 | (x >= y) << 3 | (x == y) << 4 | (x != y) << 5 | !(x < y) << 6 |
               !(x <= y) << 7 | !(x > y) << 8 | !(x >= y) << 9 | (x != x) << 10 | (x < y ? y != 1 : y > 2) << 11;
    }
    static __device__ u32 bits(double x, double y)
    {
        return (x < y) | (x <= y) << 1 | (x > y) << 2 | (x >= y) << 3 | (x == y) << 4 | (x != y) << 5 | !(x < y) << 6 |
               !(x <= y) << 7 | !(x > y) << 8 | !(x >= y) << 9 | (x != x) << 10 | (x < y ? y != 1 : y > 2) << 11;
    }
    static __device__ void of(const u32 *in, unsigned i, u32 *out)
    {
        out[2 * i] = bits(number<float>(in, i), number<float>(in, partner(i, 1)));
        out[2 * i + 1] = bits(number<double>(in, i), number<double>(in, partner(i, 2)));
    }
    static __device__ void run(const u32 *in, u32 *out)
    {
        of(in, blockIdx.x * blockDim.x + threadIdx.x, out);
    }
};

/* Texels of a 16 x 16 texture of whole numbers, point by point and clamped. */
struct texture_state : micro_state {
    static constexpr unsigned side = 16;
    cudaArray_t array = nullptr;
    cudaTextureObject_t texture = 0;

    ~texture_state()
    {
        cudaDestroyTextureObject(texture);
        cudaFreeArray(array);
    }
    int open()
    {
        CUGATE_TRY(micro_state::open());
        constexpr size_t row_bytes = side * sizeof(u32);
        const cudaChannelFormatDesc format = cudaCreateChannelDesc<u32>();
        CUGATE_TRY(cudaMallocArray(&array, &format, side, side));
        CUGATE_TRY(
            cudaMemcpy2DToArray(array, 0, 0, host_in.data(), row_bytes, row_bytes, side, cudaMemcpyHostToDevice));
        cudaResourceDesc resource = {};
        resource.resType = cudaResourceTypeArray;
        resource.res.array.array = array;
        cudaTextureDesc description = {};
        description.addressMode[0] = cudaAddressModeClamp;
        description.addressMode[1] = cudaAddressModeClamp;
        description.filterMode = cudaFilterModePoint;
        description.readMode = cudaReadModeElementType;
        return static_cast<int>(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
    }
};

__global__ void read_texels(cudaTextureObject_t texture, const u32 *in, u32 *out)
{
    const unsigned i = threadIdx.x;
    const float x = static_cast<float>(static_cast<int>(in[i] % 20) - 2) + 0.5f;
    const float y = static_cast<float>(static_cast<int>(in[i + 64] % 20) - 2) + 0.25f;
    u32 sum = tex2D<u32>(texture, x, y);
    if (in[i] & 64)
        sum += tex2D<u32>(texture, y, x) * 3;
    out[i] = sum;
}

struct texels {
    static constexpr unsigned words = 64;

    static void start(const micro_state &m)
    {
        read_texels<<<1, words>>>(static_cast<const texture_state &>(m).texture, m.in.data, m.out.data);
    }
};

constexpr struct cugate_variant arithmetic_variants[] = {
    ROW("bits", "bits, bytes, shifts, products, sums of bytes", integers<integer_bits>),
    ROW("wide", "64-bit integers", integers<integer_wide>),
    ROW("divisions", "32-bit divisions", integers<integer_divisions>),
    ROW("parts", "halves and bytes of words at once", integers<integer_parts>),
    ROW("table_functions", "reciprocal, roots, powers, logarithm, sine: the table's bits", numbers<table_functions>),
    ROW("math_functions", "the mathematical functions, floats", numbers<math_functions>),
    ROW("double_functions", "the mathematical functions, doubles", numbers<double_functions>),
    ROW("floats", "every rounding, flushed, saturated", numbers<float_arithmetic>),
    ROW("doubles", "every rounding", numbers<double_arithmetic>),
    ROW("halves", "two at once", numbers<half_arithmetic<__half2, __half>>),
    ROW("bfloats", "two at once", numbers<half_arithmetic<__nv_bfloat162, __nv_bfloat16>>),
    ROW("comparisons", "floats and doubles, ordered and not", comparisons),
    ROW("to_integers", "floats to integers of all sizes", numbers<to_integers>),
    ROW("doubles_to", "doubles to all others", numbers<double_to_others>),
    ROW("to_floats", "integers and floats to floats of all sizes, rounding", numbers<to_floats>),
};

FAMILY(arithmetic, "results over ordinary and odd numbers", restore)

constexpr struct cugate_variant textures_variants[] = {
    ROW("points", "texels, one by one", texels),
};
FAMILY_OF(texture_state, textures, "texture reads", restore)

/* ---- The library ---- */

const struct cugate_family *const families[] = {
    &loops_family,    &calls_family,   &shared_family,       &global_family, &copies_family,
    &warps_family,    &atomics_family, &spaces_family,       &tensor_family, &arithmetic_family,
    &textures_family, &sparse_family,  &sparse_large_family,
};

} // namespace micro

LIBRARY(micro::families)
