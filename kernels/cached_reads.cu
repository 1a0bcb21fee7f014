/* cached_reads - reads through the constant and the texture path, with and without the locality each is built for.
 *
 * Problem, constant: 2^19 threads each add up 32 neighbouring words of a 1 KiB table in constant memory. It fits in
 * the constant cache, so only the number of different addresses in a warp matters.
 *   constant_same_address  all lanes of a warp read the same word: one broadcast per read.
 *   constant_scattered     every lane starts at another word: each read is replayed for 32 addresses; same
 *                          instructions, time up by an order of magnitude. No L1 or DRAM counter moves.
 *
 * Problem, texture: 2^20 threads each add up 6 x 6 texels of a 1024 x 1024 texture of 32-bit whole numbers (4 MiB, a
 * CUDA array, wrapped at the edges).
 *   texture_local          neighbouring threads read overlapping squares of neighbouring texels: L1/texture hit rate
 *                          is high.
 *   texture_scattered      neighbouring threads are 421 texels apart and the texels of a square 67: every lane needs
 *                          a sector of its own, L1/texture hit rate collapses, L2 traffic and time rise.
 */
#include <cugate/arrays.hpp>

namespace {

constexpr unsigned block_threads = 256;
constexpr unsigned warp_threads = 32;

constexpr unsigned words = 256;
constexpr unsigned reads = 32;
constexpr unsigned readers = 1u << 19;

constexpr unsigned side = 1024; /* of the texture: a power of two, so that coordinates wrap by a mask */
constexpr unsigned texels = side * side;
constexpr unsigned square = 6;
constexpr unsigned local_spread = 1, local_step = 1;
constexpr unsigned scattered_spread = 421, scattered_step = 67;

constexpr uint32_t constant_seed = 0xc057;
constexpr uint32_t texture_seed = 0x7e47;

__constant__ uint32_t constant_table[words];

__host__ __device__ unsigned same_start(unsigned thread)
{
    return thread / warp_threads % words;
}

/* The lanes of a warp are 8 words apart: 32 different words, spread over the whole table. */
__host__ __device__ unsigned scattered_start(unsigned thread)
{
    return (thread % warp_threads * (words / warp_threads) + thread / warp_threads) % words;
}

__device__ uint32_t sum_of_constants(unsigned start)
{
    uint32_t sum = 0;
#pragma unroll
    for (unsigned k = 0; k < reads; k++)
        sum += constant_table[(start + k) % words];
    return sum;
}

__global__ void read_constant_same_address(uint32_t *out)
{
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    out[thread] = sum_of_constants(same_start(thread));
}

__global__ void read_constant_scattered(uint32_t *out)
{
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    out[thread] = sum_of_constants(scattered_start(thread));
}

dim3 texture_block()
{
    return dim3(32, 8);
}

dim3 texture_grid()
{
    return dim3(side / texture_block().x, side / texture_block().y);
}

/* The middle of texel (start + step * k), wrapped. */
__device__ float coordinate(unsigned start, unsigned step, unsigned k)
{
    return static_cast<float>((start + step * k) % side) + 0.5f;
}

template <unsigned spread, unsigned step> __device__ void sum_of_square(cudaTextureObject_t texture, uint32_t *out)
{
    const unsigned column = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned row = blockIdx.y * blockDim.y + threadIdx.y;
    uint32_t sum = 0;
#pragma unroll
    for (unsigned j = 0; j < square; j++) {
        const float y = coordinate(row * spread, step, j);
#pragma unroll
        for (unsigned i = 0; i < square; i++)
            sum += tex2D<uint32_t>(texture, coordinate(column * spread, step, i), y);
    }
    out[row * side + column] = sum;
}

__global__ void read_texture_local(cudaTextureObject_t texture, uint32_t *out)
{
    sum_of_square<local_spread, local_step>(texture, out);
}

__global__ void read_texture_scattered(cudaTextureObject_t texture, uint32_t *out)
{
    sum_of_square<scattered_spread, scattered_step>(texture, out);
}

std::vector<uint32_t> constant_reference(unsigned (*start_of)(unsigned thread), const uint32_t (&table)[words])
{
    uint32_t sums[words] = {}; /* the sum of a read that begins at each word */
    for (unsigned start = 0; start < words; start++)
        for (unsigned k = 0; k < reads; k++)
            sums[start] += table[(start + k) % words];

    std::vector<uint32_t> want(readers);
    for (unsigned thread = 0; thread < readers; thread++)
        want[thread] = sums[start_of(thread)];
    return want;
}

/* A square is summed along its rows and then along its columns: 12 additions a texel in place of 36. */
std::vector<uint32_t> texture_reference(const std::vector<uint32_t> &image, unsigned spread, unsigned step)
{
    std::vector<uint32_t> along_rows(texels), sums(texels), want(texels);
    for (unsigned y = 0; y < side; y++)
        for (unsigned k = 0; k < square; k++)
            for (unsigned x = 0; x < side; x++)
                along_rows[y * side + x] += image[y * side + (x + step * k) % side];
    for (unsigned y = 0; y < side; y++)
        for (unsigned k = 0; k < square; k++)
            for (unsigned x = 0; x < side; x++)
                sums[y * side + x] += along_rows[(y + step * k) % side * side + x];
    for (unsigned y = 0; y < side; y++)
        for (unsigned x = 0; x < side; x++)
            want[y * side + x] = sums[y * spread % side * side + x * spread % side];
    return want;
}

struct cached_reads {
    cugate::device_array<uint32_t> out;
    cudaArray_t array = nullptr;
    cudaTextureObject_t texture = 0;

    std::vector<uint32_t> constant_same_address, constant_scattered, texture_local, texture_scattered;
    /* The reference for the last launch, which is one of these. */
    const std::vector<uint32_t> *want = &constant_same_address;

    ~cached_reads()
    {
        cudaDestroyTextureObject(texture);
        cudaFreeArray(array);
    }

    int open()
    {
        CUGATE_TRY(out.allocate(texels > readers ? texels : readers));
        CUGATE_TRY(open_constants());
        return open_texture();
    }

    int open_constants()
    {
        uint32_t table[words];
        for (unsigned i = 0; i < words; i++)
            table[i] = cugate::hash32(constant_seed, i);
        constant_same_address = constant_reference(same_start, table);
        constant_scattered = constant_reference(scattered_start, table);
        return static_cast<int>(cudaMemcpyToSymbol(constant_table, table, sizeof table));
    }

    int open_texture()
    {
        std::vector<uint32_t> image(texels);
        for (unsigned i = 0; i < texels; i++)
            image[i] = cugate::hash32(texture_seed, i);
        texture_local = texture_reference(image, local_spread, local_step);
        texture_scattered = texture_reference(image, scattered_spread, scattered_step);

        constexpr size_t row_bytes = side * sizeof(uint32_t);
        const cudaChannelFormatDesc format = cudaCreateChannelDesc<uint32_t>();
        CUGATE_TRY(cudaMallocArray(&array, &format, side, side));
        CUGATE_TRY(cudaMemcpy2DToArray(array, 0, 0, image.data(), row_bytes, row_bytes, side, cudaMemcpyHostToDevice));

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

int restore(void *state)
{
    return static_cast<cached_reads *>(state)->out.poison();
}

int launch_constant_same_address(void *state)
{
    cached_reads *const c = static_cast<cached_reads *>(state);
    c->want = &c->constant_same_address;
    read_constant_same_address<<<readers / block_threads, block_threads>>>(c->out.data);
    return cugate::launched();
}

int launch_constant_scattered(void *state)
{
    cached_reads *const c = static_cast<cached_reads *>(state);
    c->want = &c->constant_scattered;
    read_constant_scattered<<<readers / block_threads, block_threads>>>(c->out.data);
    return cugate::launched();
}

int launch_texture_local(void *state)
{
    cached_reads *const c = static_cast<cached_reads *>(state);
    c->want = &c->texture_local;
    read_texture_local<<<texture_grid(), texture_block()>>>(c->texture, c->out.data);
    return cugate::launched();
}

int launch_texture_scattered(void *state)
{
    cached_reads *const c = static_cast<cached_reads *>(state);
    c->want = &c->texture_scattered;
    read_texture_scattered<<<texture_grid(), texture_block()>>>(c->texture, c->out.data);
    return cugate::launched();
}

/* Whole numbers modulo 2^32: every thread's sum must be equal to the last bit. */
int verify(void *state, const struct cugate_variant *, char *why, size_t why_size)
{
    const cached_reads *const c = static_cast<cached_reads *>(state);
    cugate::untouched_vector<uint32_t> got;
    std::vector<std::pair<size_t, size_t>> written;
    CUGATE_TRY(c->out.download_written(got, written));
    for (const auto &[begin, end] : written)
        for (size_t i = begin; i < end && i < c->want->size(); i++)
            if (got[i] != (*c->want)[i])
                return cugate::wrong(why, why_size, "thread %zu: expected 0x%08x, found 0x%08x", i, (*c->want)[i],
                                     got[i]);
    return 0;
}

constexpr double constant_bytes = (static_cast<double>(words) + readers) * sizeof(uint32_t);
constexpr double texture_bytes = 2.0 * texels * sizeof(uint32_t);

/* To add a variant: write its launch function above, with the reference that it must match, and add a row. */
constexpr struct cugate_variant variants[] = {
    {.name = "constant_same_address",
     .doc = "a warp reads one constant word at a time: a broadcast",
     .launch = launch_constant_same_address,
     .bytes = constant_bytes},
    {.name = "constant_scattered",
     .doc = "a warp reads 32 different constant words: replayed for each, time up",
     .launch = launch_constant_scattered,
     .bytes = constant_bytes},
    {.name = "texture_local",
     .doc = "neighbouring threads read neighbouring texels: L1/texture hit rate high",
     .launch = launch_texture_local,
     .bytes = texture_bytes},
    {.name = "texture_scattered",
     .doc = "neighbouring threads read distant texels: L1/texture hit rate down, time up",
     .launch = launch_texture_scattered,
     .bytes = texture_bytes},
};

} // namespace

extern "C" const struct cugate_family cugate_family_cached_reads = {
    .name = "cached_reads",
    .doc = "reads through the constant and the texture path",
    .kind = CUGATE_KERNELS,
    .open = cugate::open_state<cached_reads>,
    .restore = restore,
    .verify = verify,
    .close = cugate::close_state<cached_reads>,
    .variants = variants,
    .variant_count = std::size(variants),
};
