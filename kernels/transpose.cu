/* transpose - out[c][r] = in[r][c].
 *
 * Problem: 4096 x 4096 float32, 64 MiB read and 64 MiB written. A block of 32 x 8 threads moves a tile of 32 x 32, four
 * elements per thread, in every variant; only the way differs.
 *
 * Variants in order:
 *   naive    reads rows, writes columns: 32 sectors per write request where 4 would do
 *   tiled    turned in shared memory, so both sides are coalesced: 4 sectors per request; the tile is read by columns,
 *            so excess shared wavefronts appear (32-way bank conflicts)
 *   padded   one unused word ends each row of the tile: excess shared wavefronts 0, DRAM throughput near a plain copy's
 */
#include <cugate/arrays.hpp>

namespace {

constexpr unsigned side = 4096;
constexpr unsigned total = side * side;
constexpr unsigned tile_side = 32;
constexpr unsigned block_rows = 8;
constexpr unsigned check_threads = 256;
constexpr uint32_t seed = 0x5eed0003;

__global__ void fill_transpose_input(float *in)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    in[i] = cugate::uniform(seed, i);
}

__global__ void transpose_naive(const float *__restrict__ in, float *__restrict__ out)
{
    const unsigned column = blockIdx.x * tile_side + threadIdx.x;
    const unsigned row = blockIdx.y * tile_side + threadIdx.y;
#pragma unroll
    for (unsigned k = 0; k < tile_side; k += block_rows)
        out[column * side + row + k] = in[(row + k) * side + column];
}

/* pitch: words from one row of the shared tile to the next. */
template <unsigned pitch> __device__ void transpose_by_tile(const float *__restrict__ in, float *__restrict__ out)
{
    __shared__ float tile[tile_side][pitch];
    const unsigned first_column = blockIdx.x * tile_side;
    const unsigned first_row = blockIdx.y * tile_side;
    const unsigned x = threadIdx.x, y = threadIdx.y;
#pragma unroll
    for (unsigned k = 0; k < tile_side; k += block_rows)
        tile[y + k][x] = in[(first_row + y + k) * side + first_column + x];
    __syncthreads();
#pragma unroll
    for (unsigned k = 0; k < tile_side; k += block_rows)
        out[(first_column + y + k) * side + first_row + x] = tile[x][y + k];
}

__global__ void transpose_tiled(const float *__restrict__ in, float *__restrict__ out)
{
    transpose_by_tile<tile_side>(in, out);
}

__global__ void transpose_padded(const float *__restrict__ in, float *__restrict__ out)
{
    transpose_by_tile<tile_side + 1>(in, out);
}

/* What out[i / side][i % side] must hold. */
__host__ __device__ float transposed_input(unsigned i)
{
    return cugate::uniform(seed, i % side * side + i / side);
}

struct mismatch {
    unsigned elements, first;
};

__global__ void check_transpose(const float *out, mismatch *found)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (out[i] != transposed_input(i)) { /* NaN is a difference, too */
        atomicAdd(&found->elements, 1u);
        atomicMin(&found->first, i);
    }
}

/* What the CPU checks by itself: the last of every 64 rows of the output. */
constexpr unsigned sample_distance = 64;
constexpr unsigned sample_rows = side / sample_distance;

struct transpose {
    cugate::device_array<float> in, out;
    cugate::device_array<mismatch> found;
    std::vector<float> sample;

    int open()
    {
        CUGATE_TRY(in.allocate(total));
        CUGATE_TRY(out.allocate(total));
        CUGATE_TRY(found.allocate(1));
        sample.resize(sample_rows * side);
        fill_transpose_input<<<total / check_threads, check_threads>>>(in.data);
        return cugate::launched();
    }
};

int restore(void *state)
{
    return static_cast<transpose *>(state)->out.poison();
}

using transpose_kernel = void (*)(const float *in, float *out);

template <transpose_kernel kernel> int launch_transpose(void *state)
{
    transpose &t = *static_cast<transpose *>(state);
    const dim3 blocks(side / tile_side, side / tile_side);
    kernel<<<blocks, dim3(tile_side, block_rows)>>>(t.in.data, t.out.data);
    return cugate::launched();
}

int differs(char *why, size_t why_size, unsigned elements, unsigned first, float found)
{
    return cugate::wrong(why, why_size, "%u elements differ, the first is out[%u][%u]: expected %.9g, found %.9g",
                         elements, first / side, first % side, double{transposed_input(first)}, double{found});
}

/* Elements are moved, not computed, so there is no tolerance. The device compares every element; the CPU compares a
 * sample, in which a fault that check_transpose shares with the kernels would show. */
int verify(void *state, const struct cugate_variant *, char *why, size_t why_size)
{
    transpose &t = *static_cast<transpose *>(state);
    CUGATE_TRY(t.found.upload({{0, UINT32_MAX}}));
    check_transpose<<<total / check_threads, check_threads>>>(t.out.data, t.found.data);
    CUGATE_TRY(cugate::launched());
    std::vector<mismatch> found;
    CUGATE_TRY(t.found.download(found));
    if (found[0].elements != 0) {
        const unsigned first = found[0].first;
        float got;
        CUGATE_TRY(cudaMemcpy(&got, t.out.data + first, sizeof got, cudaMemcpyDeviceToHost));
        return differs(why, why_size, found[0].elements, first, got);
    }

    constexpr size_t row_bytes = side * sizeof(float);
    CUGATE_TRY(cudaMemcpy2D(t.sample.data(), row_bytes, t.out.data + (sample_distance - 1) * side,
                            sample_distance * row_bytes, row_bytes, sample_rows, cudaMemcpyDeviceToHost));
    for (unsigned k = 0; k < sample_rows * side; k++) {
        const unsigned i = (k / side * sample_distance + sample_distance - 1) * side + k % side;
        if (t.sample[k] != transposed_input(i))
            return differs(why, why_size, 1, i, t.sample[k]);
    }
    return 0;
}

constexpr double bytes = 2.0 * sizeof(float) * total;

/* To add a variant: write its kernel above and add a row. */
constexpr struct cugate_variant variants[] = {
    {.name = "naive",
     .doc = "rows read, columns written: sectors per request",
     .launch = launch_transpose<transpose_naive>,
     .bytes = bytes},
    {.name = "tiled",
     .doc = "turned in shared memory: 4 sectors per request, bank conflicts appear",
     .launch = launch_transpose<transpose_tiled>,
     .bytes = bytes},
    {.name = "padded",
     .doc = "rows of the shared tile one word longer: no bank conflicts, DRAM throughput",
     .launch = launch_transpose<transpose_padded>,
     .bytes = bytes},
};

} // namespace

extern "C" const struct cugate_family cugate_family_transpose = {
    .name = "transpose",
    .doc = "out[c][r] = in[r][c], 4096 x 4096 float32",
    .kind = CUGATE_KERNELS,
    .open = cugate::open_state<transpose>,
    .restore = restore,
    .verify = verify,
    .close = cugate::close_state<transpose>,
    .variants = variants,
    .variant_count = std::size(variants),
};
