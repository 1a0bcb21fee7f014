/* shared_bank - repeated reads of shared memory, the lanes of a warp at different distances.
 *
 * Problem: 32 x 32 words of 4 bytes lie in shared memory; each of 270336 threads reads 1024 words, 32 neighbours from a
 * start that depends on its lane alone, over and over, and writes a checksum of what it read. Filling shared memory and
 * writing the checksums are free of conflicts. 32 banks of 4 bytes: a read takes as many wavefronts as the most
 * different words that lie in one bank.
 *
 * Variants in order, each with the wavefronts per read; the excess over 1, and with it time, is what moves:
 *   stride1     1: neighbouring lanes, neighbouring words
 *   permuted    1: the same words, the lanes in another order
 *   broadcast   1: all lanes the same word
 *   stride2     2: every other word, so half the banks
 *   stride8     8
 *   stride32    32: all lanes in one bank, a column of the 32 x 32
 *   padded      1: the same column, rows 33 words apart in shared memory
 */
#include <cugate/arrays.hpp>

namespace {

constexpr unsigned lanes = 32;
constexpr unsigned row = 32; /* words of a row; as many as there are banks */
constexpr unsigned words = lanes * row;
constexpr unsigned threads = 256;
constexpr unsigned blocks = 8 * 132; /* one wave of an H200: 2048 threads on each of its 132 multiprocessors */
constexpr unsigned total = blocks * threads;
constexpr unsigned neighbours = 32;
constexpr unsigned rounds = 32;
constexpr uint32_t seed = 0x5eed0004;

/* Lane l starts to read at word (l ^ flip) * step; rows lie `pitch` words apart in shared memory. */
struct stride1 {
    static constexpr unsigned flip = 0, step = 1, pitch = row;
};
struct permuted {
    static constexpr unsigned flip = 21, step = 1, pitch = row;
};
struct broadcast {
    static constexpr unsigned flip = 0, step = 0, pitch = row;
};
struct stride2 {
    static constexpr unsigned flip = 0, step = 2, pitch = row;
};
struct stride8 {
    static constexpr unsigned flip = 0, step = 8, pitch = row;
};
struct stride32 {
    static constexpr unsigned flip = 0, step = row, pitch = row;
};
struct padded {
    static constexpr unsigned flip = 0, step = row, pitch = row + 1;
};

template <class Pattern> __device__ unsigned place(unsigned word)
{
    return word / row * Pattern::pitch + word % row;
}

/* Depends on the order of the words, so that none can be exchanged or left out. */
__host__ __device__ uint32_t add_to_checksum(uint32_t checksum, uint32_t word)
{
    return checksum * 3 + word;
}

template <class Pattern> __global__ void read_shared(const uint32_t *__restrict__ in, uint32_t *__restrict__ out)
{
    __shared__ uint32_t tile[lanes * Pattern::pitch];
#pragma unroll
    for (unsigned w = 0; w < words; w += threads)
        tile[place<Pattern>(w + threadIdx.x)] = in[w + threadIdx.x];
    __syncthreads();

    /* volatile: each read is one load instruction of one word. Otherwise the compiler reads once for all rounds, and
     * takes four neighbours with one 16-byte load. */
    const unsigned lane = threadIdx.x % lanes;
    const volatile uint32_t *from = &tile[place<Pattern>((lane ^ Pattern::flip) * Pattern::step)];
    uint32_t checksum = 0;
#pragma unroll 1
    for (unsigned round = 0; round < rounds; round++) {
#pragma unroll
        for (unsigned k = 0; k < neighbours; k++)
            checksum = add_to_checksum(checksum, from[k]);
    }
    out[blockIdx.x * threads + threadIdx.x] = checksum;
}

struct shared_bank {
    cugate::device_array<uint32_t> in, out;
    std::vector<uint32_t> host_in;
    unsigned flip = 0, step = 0; /* pattern of the last launch */

    int open()
    {
        CUGATE_TRY(in.allocate(words));
        CUGATE_TRY(out.allocate(total));
        host_in.resize(words);
        for (unsigned w = 0; w < words; w++)
            host_in[w] = cugate::hash32(seed, w);
        return in.upload(host_in);
    }
};

int restore(void *state)
{
    return static_cast<shared_bank *>(state)->out.poison();
}

template <class Pattern> int launch_read(void *state)
{
    shared_bank &b = *static_cast<shared_bank *>(state);
    b.flip = Pattern::flip;
    b.step = Pattern::step;
    read_shared<Pattern><<<blocks, threads>>>(b.in.data, b.out.data);
    return cugate::launched();
}

/* Integer arithmetic, so there is no tolerance. How the rows lie in shared memory has no part in the reference. */
int verify(void *state, const struct cugate_variant *, char *why, size_t why_size)
{
    shared_bank &b = *static_cast<shared_bank *>(state);
    uint32_t want[lanes] = {};
    for (unsigned lane = 0; lane < lanes; lane++) {
        for (unsigned read = 0; read < rounds * neighbours; read++)
            want[lane] = add_to_checksum(want[lane], b.host_in[(lane ^ b.flip) * b.step + read % neighbours]);
    }

    std::vector<uint32_t> got;
    CUGATE_TRY(b.out.download(got));
    for (unsigned i = 0; i < total; i++) {
        if (got[i] != want[i % lanes])
            return cugate::wrong(why, why_size, "block %u, thread %u: expected 0x%08x, found 0x%08x", i / threads,
                                 i % threads, want[i % lanes], got[i]);
    }
    return 0;
}

constexpr double bytes = double{sizeof(uint32_t)} * (words + total);

/* To add a variant: write its pattern above and add a row. */
constexpr struct cugate_variant variants[] = {
    {.name = "stride1",
     .doc = "neighbouring lanes, neighbouring words: 1 wavefront per read",
     .launch = launch_read<stride1>,
     .bytes = bytes},
    {.name = "permuted",
     .doc = "the same words, lanes in another order: 1 wavefront per read",
     .launch = launch_read<permuted>,
     .bytes = bytes},
    {.name = "broadcast",
     .doc = "all lanes the same word: 1 wavefront per read",
     .launch = launch_read<broadcast>,
     .bytes = bytes},
    {.name = "stride2",
     .doc = "every other word: 2 wavefronts per read",
     .launch = launch_read<stride2>,
     .bytes = bytes},
    {.name = "stride8",
     .doc = "every eighth word: 8 wavefronts per read",
     .launch = launch_read<stride8>,
     .bytes = bytes},
    {.name = "stride32",
     .doc = "all lanes in one bank: 32 wavefronts per read",
     .launch = launch_read<stride32>,
     .bytes = bytes},
    {.name = "padded",
     .doc = "the words of stride32, rows one word longer: 1 wavefront per read",
     .launch = launch_read<padded>,
     .bytes = bytes},
};

} // namespace

extern "C" const struct cugate_family cugate_family_shared_bank = {
    .name = "shared_bank",
    .doc = "repeated reads of shared memory, lanes at different distances",
    .kind = CUGATE_KERNELS,
    .open = cugate::open_state<shared_bank>,
    .restore = restore,
    .verify = verify,
    .close = cugate::close_state<shared_bank>,
    .variants = variants,
    .variant_count = std::size(variants),
};
