/* A kernel library of kernels with one fault each, between two that are sound, for tests/gpu/run.sh: each fault must be
 * reported as its own kind, and cost its own result only.
 *
 * Problem: out[c][r] = in[r][c], 1024 x 1024 whole numbers, by tiles of 32 x 32 in shared memory.
 *
 * With CUGATE_FAULTY=unpadded in the environment the sound kernels lose the pad of their tiles: still right, but
 * with bank conflicts, which the gate must name. */
#include <cugate/kernel.hpp>

#include <cstdlib>

namespace {

constexpr unsigned side = 1024;
constexpr unsigned total = side * side;
constexpr unsigned tile_side = 32;
constexpr unsigned block_rows = 8;
constexpr unsigned threads = tile_side * block_rows;

/* Ends inside the smallest piece that the driver allocates, so that one word more is nobody's and harms nobody. */
constexpr unsigned few = 1000;

const dim3 grid(side / tile_side, side / tile_side);
const dim3 block(tile_side, block_rows);

template <unsigned pitch> __global__ void faulty_transpose(const uint32_t *in, uint32_t *out)
{
    __shared__ uint32_t tile[tile_side][pitch];
    const unsigned first_column = blockIdx.x * tile_side, first_row = blockIdx.y * tile_side;
    const unsigned x = threadIdx.x, y = threadIdx.y;
    for (unsigned k = 0; k < tile_side; k += block_rows)
        tile[y + k][x] = in[(first_row + y + k) * side + first_column + x];
    __syncthreads();
    for (unsigned k = 0; k < tile_side; k += block_rows)
        out[(first_column + y + k) * side + first_row + x] = tile[x][y + k];
}

__global__ void faulty_change_last_word(uint32_t *out)
{
    out[total - 1] ^= 1;
}

__global__ void faulty_write(uint32_t *where, unsigned index)
{
    where[index] = 1;
}

__global__ void faulty_trap()
{
    asm volatile("trap;");
}

__global__ void faulty_loop()
{
    for (;;)
        __nanosleep(1000);
}

/* Reads what another warp writes, with no barrier between: 1 or 2, both of which verify takes. */
__global__ void faulty_race(uint32_t *few_out)
{
    __shared__ uint32_t word[threads];
    word[threadIdx.x] = 1;
    __syncthreads();
    word[threadIdx.x] = 2;
    few_out[threadIdx.x] = word[(threadIdx.x + 32) % threads];
}

struct faulty {
    cugate::array<uint32_t> in;
    cugate::device_array<uint32_t> out, few_out;
    unsigned launches = 0; /* of the two variants that change their ways after a while */

    int open()
    {
        CUGATE_TRY(out.allocate(total));
        CUGATE_TRY(few_out.allocate(few));
        return in.fill(total, [](size_t i) { return i; });
    }
    int restore()
    {
        CUGATE_TRY(few_out.poison());
        return out.poison();
    }
    int verify(const cugate_variant &variant, cugate::why &why)
    {
        std::vector<uint32_t> got, got_few;
        CUGATE_TRY(out.download(got));
        CUGATE_TRY(few_out.download(got_few));
        for (uint32_t i = 0; i < total; i++) {
            const uint32_t want = i % side * side + i / side;
            if (got[i] != want)
                return why("out[%u]: expected %u, found %u", i, want, got[i]);
        }
        for (unsigned i = 0; i < threads && strcmp(variant.name, "shared_race") == 0; i++)
            if (got_few[i] != 1 && got_few[i] != 2)
                return why("few_out[%u]: expected 1 or 2, found %u", i, got_few[i]);
        return 0;
    }
    void good()
    {
        const char *word = getenv("CUGATE_FAULTY");
        if (word && strcmp(word, "unpadded") == 0)
            faulty_transpose<tile_side><<<grid, block>>>(in.data, out.data);
        else
            faulty_transpose<tile_side + 1><<<grid, block>>>(in.data, out.data);
    }
};

} // namespace

#define ROW(name, doc, ...) .variant(#name, doc, [](faulty &f) { __VA_ARGS__; })

/* To add a fault: a row here between good and good_after, and one in run.sh. */
/* clang-format off */
CUGATE_LIBRARY(
    cugate::family<faulty>("faulty", "out[c][r] = in[r][c], with faults")
        .bytes(2.0 * total * sizeof(uint32_t))
        ROW(good, "sound", f.good())
        ROW(illegal_address, "writes to address 0", faulty_write<<<1, 1>>>(nullptr, 0))
        ROW(trap, "stops the GPU's program", faulty_trap<<<1, 1>>>())
        /* Sound when it is verified and when its launches are recorded; then counters are being read. */
        ROW(trap_while_counting, "does so while counters are read",
            if (++f.launches > 2) faulty_trap<<<1, 1>>>(); else f.good())
        ROW(infinite_loop, "never ends", faulty_loop<<<1, 1>>>())
        ROW(wrong_result, "the last word is wrong", f.good(); faulty_change_last_word<<<1, 1>>>(f.out.data))
        ROW(bad_launch, "too many threads in a block",
            faulty_transpose<tile_side + 1><<<grid, dim3(tile_side, 1024)>>>(f.in.data, f.out.data))
        ROW(abort, "ends the process", abort())
        ROW(uneven, "launches one kernel more each time", f.launches++; for (unsigned i = 0; i < f.launches; i++) f.good())
        ROW(out_of_bounds, "a word behind an array, for memcheck to find",
            faulty_write<<<1, 1>>>(f.few_out.data, few); f.good())
        ROW(shared_race, "a barrier is missing, for racecheck to find",
            faulty_race<<<1, threads>>>(f.few_out.data); f.good())
        ROW(good_after, "the same as good", f.good()))
/* clang-format on */
