/* elementwise - x += sqrt(log(x) + 1) in odd columns, x += sqrt(cos(x) + 1) in even ones, in place.
 *
 * Problem: 2048 x 2048 float32, row-major, filled with whole numbers 10..265. Both sides of the branch are too long
 * to be predicated: it stays a branch in the machine code.
 *   column_blocks   blocks of 1 x 512 threads: a warp runs down one column, so the branch does not diverge, but every
 *                   lane touches a sector of its own: 32 sectors per request, eight times the problem's bytes in L2.
 *   row_blocks      blocks of 512 x 1 threads: coalesced, 4 sectors per request; now each warp holds odd and even
 *                   columns, so branch efficiency falls, and half of the threads are active inside the branch.
 *   split_branches  one launch for the odd columns, one for the even: branch efficiency back up, at the price of a
 *                   stride of two (8 sectors per request) and of touching every sector in both launches.
 *   lookup_table    one launch builds a table of both terms for the 256 possible values, one applies it: no branch,
 *                   fewest instructions. It reads x as a table index, so it equals the others on the first
 *                   application only.
 *   vector2         float2, 2 x 2 elements per thread: an odd and an even column in every thread, so no divergent
 *                   branch; half as many requests, 8 sectors each and all of them used: DRAM throughput up.
 */
#include <cugate/arrays.hpp>

namespace {

constexpr unsigned width = 2048;
constexpr unsigned height = 2048;
constexpr size_t total = size_t{width} * height;
constexpr unsigned block_threads = 512;

constexpr unsigned lowest = 10; /* the inputs are lowest .. lowest + value_count - 1 */
constexpr unsigned value_count = 256;
constexpr uint32_t seed = 0xe1e3;

/* Relative. The worst value is 22, near 7 pi: cos + 1 is 3.9e-5 there, so the 1.2e-7 error of cosf becomes 1e-5 under
 * the root, 4.5e-7 of the sum. An element that was left out differs by 2.8e-4 at the least. */
constexpr double tolerance = 1e-6;

__host__ __device__ unsigned input_value(size_t i)
{
    return lowest + cugate::hash32(seed, i) % value_count;
}

__global__ void fill_with_whole_numbers(float *x)
{
    const size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    x[i] = static_cast<float>(input_value(i));
}

__device__ float log_term(float x)
{
    return sqrtf(logf(x) + 1.0f);
}

__device__ float cos_term(float x)
{
    return sqrtf(cosf(x) + 1.0f);
}

__device__ void add_term(float *x, unsigned row, unsigned column)
{
    float &element = x[row * width + column];
    if (column % 2 == 1)
        element += log_term(element);
    else
        element += cos_term(element);
}

__global__ void add_terms_by_column_blocks(float *x)
{
    add_term(x, blockIdx.y * blockDim.y + threadIdx.y, blockIdx.x);
}

__global__ void add_terms_by_row_blocks(float *x)
{
    add_term(x, blockIdx.y, blockIdx.x * blockDim.x + threadIdx.x);
}

__global__ void add_log_to_odd_columns(float *x)
{
    float &element = x[blockIdx.y * width + 2 * (blockIdx.x * blockDim.x + threadIdx.x) + 1];
    element += log_term(element);
}

__global__ void add_cos_to_even_columns(float *x)
{
    float &element = x[blockIdx.y * width + 2 * (blockIdx.x * blockDim.x + threadIdx.x)];
    element += cos_term(element);
}

/* table[v] is the term of an even column for the value lowest + v, table[value_count + v] that of an odd one. */
__global__ void build_term_table(float *table)
{
    const float x = static_cast<float>(lowest + threadIdx.x);
    table[threadIdx.x] = cos_term(x);
    table[value_count + threadIdx.x] = log_term(x);
}

__global__ void add_terms_from_table(float *x, const float *__restrict__ table)
{
    const unsigned column = blockIdx.x * blockDim.x + threadIdx.x;
    float &element = x[blockIdx.y * width + column];
    element += table[column % 2 * value_count + static_cast<unsigned>(element) - lowest];
}

__global__ void add_terms_by_float2(float2 *x)
{
    constexpr unsigned pitch = width / 2;
    float2 *const upper = x + 2 * blockIdx.y * pitch + blockIdx.x * blockDim.x + threadIdx.x;
    float2 *const lower = upper + pitch;
    const float2 u = *upper;
    const float2 l = *lower; /* loaded before the first is used, so both are in flight */
    *upper = make_float2(u.x + cos_term(u.x), u.y + log_term(u.y));
    *lower = make_float2(l.x + cos_term(l.x), l.y + log_term(l.y));
}

struct elementwise {
    cugate::device_array<float> pristine, x, table;
    std::vector<uint8_t> value;       /* for each element: input_value - lowest */
    double want[2][value_count] = {}; /* expected result by parity of the column and by value */
    std::vector<float> got;           /* kept from one verify to the next: fresh pages cost more than the copy */

    int open()
    {
        CUGATE_TRY(pristine.allocate(total));
        CUGATE_TRY(x.allocate(total));
        CUGATE_TRY(table.allocate(2 * value_count));
        fill_with_whole_numbers<<<total / block_threads, block_threads>>>(pristine.data);

        value.resize(total);
        for (size_t i = 0; i < total; i++)
            value[i] = static_cast<uint8_t>(input_value(i) - lowest);
        for (unsigned v = 0; v < value_count; v++) {
            const double start = lowest + v;
            want[0][v] = start + std::sqrt(std::cos(start) + 1);
            want[1][v] = start + std::sqrt(std::log(start) + 1);
        }
        return cugate::launched();
    }
};

int restore(void *state)
{
    elementwise *const e = static_cast<elementwise *>(state);
    CUGATE_TRY(e->table.poison());
    return e->x.copy_from(e->pristine);
}

int launch_column_blocks(void *state)
{
    const dim3 grid(width, height / block_threads);
    add_terms_by_column_blocks<<<grid, dim3(1, block_threads)>>>(static_cast<elementwise *>(state)->x.data);
    return cugate::launched();
}

int launch_row_blocks(void *state)
{
    const dim3 grid(width / block_threads, height);
    add_terms_by_row_blocks<<<grid, dim3(block_threads, 1)>>>(static_cast<elementwise *>(state)->x.data);
    return cugate::launched();
}

int launch_split_branches(void *state)
{
    float *const x = static_cast<elementwise *>(state)->x.data;
    const dim3 grid(width / 2 / block_threads, height);
    add_log_to_odd_columns<<<grid, block_threads>>>(x);
    CUGATE_TRY(cugate::launched());
    add_cos_to_even_columns<<<grid, block_threads>>>(x);
    return cugate::launched();
}

int launch_lookup_table(void *state)
{
    const elementwise *const e = static_cast<elementwise *>(state);
    build_term_table<<<1, value_count>>>(e->table.data);
    CUGATE_TRY(cugate::launched());
    add_terms_from_table<<<dim3(width / block_threads, height), block_threads>>>(e->x.data, e->table.data);
    return cugate::launched();
}

int launch_vector2(void *state)
{
    const dim3 grid(width / 2 / block_threads, height / 2);
    float2 *const x = reinterpret_cast<float2 *>(static_cast<elementwise *>(state)->x.data);
    add_terms_by_float2<<<grid, block_threads>>>(x);
    return cugate::launched();
}

int verify(void *state, const struct cugate_variant *, char *why, size_t why_size)
{
    elementwise *const e = static_cast<elementwise *>(state);
    CUGATE_TRY(e->x.download(e->got));
    for (size_t i = 0; i < total; i++) {
        const double got = e->got[i];
        const double want = e->want[i % 2][e->value[i]];
        if (!(std::fabs(got - want) <= tolerance * want)) /* NaN makes the comparison false; want is above 10 */
            return cugate::wrong(why, why_size, "row %zu, column %zu: expected %.9g, found %.9g", i / width, i % width,
                                 want, got);
    }
    return 0;
}

constexpr double bytes = 2.0 * total * sizeof(float);
constexpr double flops = 4.0 * total; /* operations of an element: log or cos, + 1, root, sum */

/* To add a variant: write its launch function above and add a row. */
constexpr struct cugate_variant variants[] = {
    {.name = "column_blocks",
     .doc = "1 x 512 blocks, uncoalesced: 32 sectors per request, no divergence",
     .launch = launch_column_blocks,
     .bytes = bytes,
     .flops = flops},
    {.name = "row_blocks",
     .doc = "512 x 1 blocks, coalesced: sectors per request down, branch efficiency down",
     .launch = launch_row_blocks,
     .bytes = bytes,
     .flops = flops},
    {.name = "split_branches",
     .doc = "one launch for odd, one for even columns: branch efficiency up, every sector moved twice",
     .launch = launch_split_branches,
     .bytes = bytes,
     .flops = flops},
    {.name = "lookup_table",
     .doc = "one launch builds a table of the terms, one reads it: instructions down",
     .launch = launch_lookup_table,
     .bytes = bytes,
     .flops = flops},
    {.name = "vector2",
     .doc = "float2, 2 x 2 elements per thread, no branch: DRAM throughput up",
     .launch = launch_vector2,
     .bytes = bytes,
     .flops = flops},
};

} // namespace

extern "C" const struct cugate_family cugate_family_elementwise = {
    .name = "elementwise",
    .doc = "a different function in odd and even columns, 2048 x 2048 float32 in place",
    .kind = CUGATE_KERNELS,
    .open = cugate::open_state<elementwise>,
    .restore = restore,
    .verify = verify,
    .close = cugate::close_state<elementwise>,
    .variants = variants,
    .variant_count = std::size(variants),
};
