/* Changes that make some counts of a kernel better and the kernel slower. */

/* ---- Sixteen consecutive elements a thread: fewer instructions, but nothing is coalesced ---- */

constexpr unsigned mapped = 1 << 23;

__global__ void scaled(float *out, const float *v)
{
    constexpr unsigned per = changed ? 16 : 1;
#pragma unroll
    for (unsigned k = 0; k < per; k++)
        out[thread_index() * per + k] = 2 * v[thread_index() * per + k] + 1;
}

struct consecutive : arrays {
    int open()
    {
        CUGATE_TRY(x.fill(mapped, 1));
        return out.allocate(mapped);
    }
    double want(size_t i)
    {
        return 2 * x.host[i] + 1;
    }
    void run()
    {
        scaled<<<mapped / 256 / (changed ? 16 : 1), 256>>>(out.data, x.data);
    }
};

/* ---- A thread's row of a tile: fewer sectors, but each access meets 31 others in its bank ---- */

constexpr unsigned features = 32, scored = 1 << 17, scores = 4;

__global__ void scored_features(float *out, const float *v, const float *weights)
{
    __shared__ float tile[256 * features];
    float *const mine = tile + threadIdx.x * features;
    const unsigned i = thread_index();
    if (changed)
#pragma unroll 8
        for (unsigned k = 0; k < features; k++)
            mine[k] = v[k * scored + i];
#pragma unroll 1
    for (unsigned s = 0; s < scores; s++) {
        float sum = 0;
#pragma unroll 8
        for (unsigned k = 0; k < features; k++)
            sum += weights[s * features + k] * (changed ? mine[k] : v[k * scored + i]);
        out[s * scored + i] = sum;
    }
}

struct conflicting_tile : arrays {
    int open()
    {
        CUGATE_TRY(x.fill(features * scored, 1));
        CUGATE_TRY(y.fill(features * scores, 2));
        return out.allocate(scored * scores);
    }
    double want(size_t i)
    {
        double sum = 0;
        for (unsigned k = 0; k < features; k++)
            sum += double(y.host[i / scored * features + k]) * x.host[k * scored + i % scored];
        return sum;
    }
    void run()
    {
        scored_features<<<scored / 256, 256>>>(out.data, x.data, y.data);
    }
};

/* ---- A product with half its registers: twice the occupancy, but sums are spilled ---- */

__global__ void __launch_bounds__(256, changed ? 4 : 1)
    product_capped(const float *a, const float *b, float *c, unsigned n, unsigned k)
{
    product_tile<128, 8, 8>(a, b, c, n, k);
}

struct capped_registers : product<1536, 1408, 256> {
    void run()
    {
        launch<128, 8>(product_capped);
    }
};

/* ---- All pairs of a thread's values, loaded again for each: occupancy for many more loads ---- */

constexpr unsigned paired = 32, pair_threads = 1 << 18;

__global__ void pairs_of_values(float *out, const float *v)
{
    const unsigned i = thread_index();
    float sum = 0;
    if (changed) {
#pragma unroll 1
        for (unsigned a = 1; a < paired; a++) {
            const float x = v[a * pair_threads + i];
#pragma unroll 4
            for (unsigned b = 0; b < a; b++)
                sum += fabsf(x - v[b * pair_threads + i]);
        }
    } else {
        float x[paired];
#pragma unroll
        for (unsigned a = 0; a < paired; a++) {
            x[a] = v[a * pair_threads + i];
#pragma unroll
            for (unsigned b = 0; b < a; b++)
                sum += fabsf(x[a] - x[b]);
        }
    }
    out[i] = sum;
}

struct loaded_again : arrays {
    int open()
    {
        CUGATE_TRY(x.fill(paired * pair_threads, 1));
        return out.allocate(pair_threads);
    }
    double want(size_t i)
    {
        float each[paired], sum = 0;
        for (unsigned a = 0; a < paired; a++) {
            each[a] = x.host[a * pair_threads + i];
            for (unsigned b = 0; b < a; b++)
                sum += std::fabs(each[a] - each[b]);
        }
        return sum;
    }
    void run()
    {
        pairs_of_values<<<pair_threads / 256, 256>>>(out.data, x.data);
    }
};

/* ---- Both sides of a choice that all lanes of a warp share: no branch, but twice the work ---- */

constexpr unsigned side_count = 1 << 21, side_terms = 128;

__device__ float one_side(float x)
{
    float sum = 1;
#pragma unroll
    for (unsigned k = 0; k < side_terms; k++)
        sum = sum * x + float(k % 5);
    return sum;
}

__device__ float other_side(float x)
{
    float sum = 0;
#pragma unroll
    for (unsigned k = 0; k < side_terms; k++)
        sum = sum * x - float(k % 3);
    return sum;
}

__global__ void sided(float *out, const float *v)
{
    const unsigned i = thread_index();
    const float x = v[i];
    const bool which = cugate::hash32(7, i / 32) % 2;
    if (changed) {
        const float one = one_side(x), other = other_side(x), part = float(which);
        out[i] = part * one + (1 - part) * other;
    } else if (which)
        out[i] = one_side(x);
    else
        out[i] = other_side(x);
}

struct both_sides : arrays {
    int open()
    {
        CUGATE_TRY(x.fill(side_count, [](size_t i) { return 0.5f * cugate::uniform(1, i); }));
        return out.allocate(side_count);
    }
    double want(size_t i)
    {
        float sum = 0;
        const bool which = cugate::hash32(7, i / 32) % 2;
        for (unsigned k = side_terms - 40; k < side_terms; k++)
            sum = sum * x.host[i] + (which ? float(k % 5) : -float(k % 3));
        return sum;
    }
    void run()
    {
        sided<<<side_count / 256, 256>>>(out.data, x.data);
    }
};

/* ---- Larger tiles of an image: fewer sectors, but 272 blocks of which two fit on an SM ---- */

constexpr unsigned image_height = 512, image_width = 544, planes = 8, image_pitch = image_width + 8;
constexpr unsigned image_plane = (image_height + 8) * image_pitch;

__host__ __device__ constexpr float blur_weight(unsigned y, unsigned x)
{
    return float((y * 3 + x * 5) % 11 + 1) / 256;
}

__global__ void __launch_bounds__(1024) blurred(float *out, const float *v)
{
    constexpr unsigned rows = changed ? 32 : 8;
    __shared__ float tile[rows + 8][40];
    const unsigned x = threadIdx.x % 32, y = threadIdx.x / 32, first_row = blockIdx.y * rows, first = blockIdx.x * 32;
    for (unsigned p = 0; p < planes; p++) {
        __syncthreads();
        for (unsigned i = threadIdx.x; i < (rows + 8) * 40; i += 32 * rows)
            tile[i / 40][i % 40] = v[p * image_plane + (first_row + i / 40) * image_pitch + first + i % 40];
        __syncthreads();
        float sum = 0;
#pragma unroll
        for (unsigned r = 0; r < 9; r++)
#pragma unroll
            for (unsigned c = 0; c < 9; c++)
                sum += blur_weight(r, c) * tile[y + r][x + c];
        out[(p * image_height + first_row + y) * image_width + first + x] = sum;
    }
}

struct last_round : arrays {
    int open()
    {
        CUGATE_TRY(x.fill(planes * image_plane, 1));
        expected.assign(planes * image_height * image_width, 0);
        for (unsigned row = 0; row < planes * image_height; row++)
            for (unsigned j = 0; j < 81; j++) {
                const float *from =
                    &x.host[row / image_height * image_plane + (row % image_height + j / 9) * image_pitch + j % 9];
                for (unsigned c = 0; c < image_width; c++)
                    expected[row * image_width + c] += blur_weight(j / 9, j % 9) * from[c];
            }
        return out.allocate(expected.size());
    }
    void run()
    {
        const unsigned rows = changed ? 32 : 8;
        blurred<<<dim3(image_width / 32, image_height / rows), 32 * rows>>>(out.data, x.data);
    }
};

/* ---- A tile as large as an SM: fewer sectors, but one block at a time ---- */

constexpr unsigned strip_halo = 128, strip_tile = changed ? 49152 : 1024, strip_count = sms * 49152;

__global__ void __launch_bounds__(256) strips(float *out, const float *v)
{
    extern __shared__ float tile[];
    const unsigned first = blockIdx.x * strip_tile;
#pragma unroll 4
    for (unsigned i = threadIdx.x; i < strip_tile + strip_halo; i += 256)
        tile[i] = v[first + i];
    __syncthreads();
#pragma unroll 4
    for (unsigned i = threadIdx.x; i < strip_tile; i += 256) {
        float sum = 0;
#pragma unroll
        for (unsigned j = 0; j <= strip_halo; j += 16)
            sum += tile[i + j];
        out[first + i] = sum;
    }
}

struct one_block : arrays {
    int open()
    {
        CUGATE_TRY(x.fill(strip_count + strip_halo, 1));
        return out.allocate(strip_count);
    }
    double want(size_t i)
    {
        float sum = 0;
        for (unsigned j = 0; j <= strip_halo; j += 16)
            sum += x.host[i + j];
        return sum;
    }
    int run()
    {
        return ::launch(strips, strip_count / strip_tile, 256, (strip_tile + strip_halo) * 4, out.data, x.data);
    }
};

/* ---- Staged in shared memory what is used once: fewer requests, but two barriers between them ---- */

constexpr unsigned once_threads = 2 * sms * 256, once_steps = 120;

__global__ void sums_of_threads(float *out, const float *v)
{
    __shared__ float4 part[64];
    const unsigned first = blockIdx.x * (once_steps * 256);
    float sum = 0;
    for (unsigned k = 0; k < once_steps; k++) {
        if (changed) {
            __syncthreads();
            if (threadIdx.x < 64)
                part[threadIdx.x] = reinterpret_cast<const float4 *>(v + first + k * 256)[threadIdx.x];
            __syncthreads();
            sum += reinterpret_cast<const float *>(part)[threadIdx.x];
        } else
            sum += v[first + k * 256 + threadIdx.x];
    }
    out[thread_index()] = sum;
}

struct staged_once : arrays {
    int open()
    {
        CUGATE_TRY(x.fill(once_threads * once_steps, 1));
        return out.allocate(once_threads);
    }
    double want(size_t i)
    {
        float sum = 0;
        for (unsigned k = 0; k < once_steps; k++)
            sum += x.host[(i / 256 * once_steps + k) * 256 + i % 256];
        return sum;
    }
    void run()
    {
        sums_of_threads<<<2 * sms, 256>>>(out.data, x.data);
    }
};

/* ---- A sum by an atomic of each thread: fewer instructions and launches, but all meet at one address ---- */

constexpr unsigned met_blocks = 1024;

__global__ void sum_to_address(float *to, const float *v)
{
    float mine = 0;
#pragma unroll
    for (unsigned k = 0; k < summed / met_blocks; k += 256)
        mine += v[blockIdx.x * (summed / met_blocks) + k + threadIdx.x];
    if (changed) {
        atomicAdd(to, mine);
        return;
    }
    mine = sum_of_block(mine);
    if (threadIdx.x == 0)
        to[blockIdx.x] = mine;
}

struct one_address : one_launch {
    void run()
    {
        sum_to_address<<<met_blocks, 256>>>(changed ? out.data : sums.data, x.data);
        if (!changed)
            last_sum<<<1, 1024>>>(out.data, sums.data, met_blocks);
    }
};

/* ---- A row's numbers loaded once: fewer instructions and loads, but stores are scattered ---- */

constexpr unsigned line_rows = 8192, line_width = 1024, line_chunk = 32;

__global__ void lines(float *out, const float *slope, const float *start)
{
    if (changed) {
        const unsigned row = thread_index() % line_rows, first = thread_index() / line_rows * line_chunk;
        const float a = slope[row], b = start[row];
#pragma unroll
        for (unsigned k = 0; k < line_chunk; k++)
            out[row * line_width + first + k] = a * float(first + k) + b;
    } else {
        const unsigned row = thread_index() / line_width, column = thread_index() % line_width;
        out[thread_index()] = slope[row] * float(column) + start[row];
    }
}

struct scattered_stores : arrays {
    int open()
    {
        CUGATE_TRY(x.fill(line_rows, 1));
        CUGATE_TRY(y.fill(line_rows, 2));
        return out.allocate(line_rows * line_width);
    }
    double want(size_t i)
    {
        return x.host[i / line_width] * float(i % line_width) + y.host[i / line_width];
    }
    void run()
    {
        lines<<<line_rows * line_width / 256 / (changed ? line_chunk : 1), 256>>>(out.data, x.data, y.data);
    }
};

/* ---- A row a thread, by four: fewer instructions and requests, but each lane has a line of its own ---- */

constexpr unsigned wide_rows = 8192, wide_width = 1024;

__global__ void wide_sums(float *out, const float *v)
{
    const unsigned lanes = changed ? 1 : 32, row = thread_index() / lanes;
    float sum = 0;
    if (changed)
        for (unsigned c = 0; c < wide_width / 4; c++) {
            const float4 x = reinterpret_cast<const float4 *>(v)[row * (wide_width / 4) + c];
            sum += (x.x + x.y) + (x.z + x.w);
        }
    else
        for (unsigned c = threadIdx.x % 32; c < wide_width; c += 32)
            sum += v[row * wide_width + c];
    if (!changed)
        sum = sum_of_warp(sum);
    if (threadIdx.x % lanes == 0)
        out[row] = sum;
}

struct row_a_thread : arrays {
    int open()
    {
        CUGATE_TRY(x.fill(wide_rows * wide_width, 1));
        return out.allocate(wide_rows);
    }
    double want(size_t r)
    {
        const float *from = &x.host[r * wide_width];
        return std::accumulate(from, from + wide_width, 0.0);
    }
    void run()
    {
        wide_sums<<<wide_rows *(changed ? 1 : 32) / 64, 64>>>(out.data, x.data);
    }
};

/* ---- A list that is followed, not computed: fewer instructions, but each load waits for the one before ---- */

constexpr unsigned chains = 1 << 16, chain_steps = 64;

__host__ __device__ inline unsigned link(unsigned chain, unsigned step)
{
    return (step << 16 | chain) ^ (step * 0x9e3779b9u >> 8 & 0xffe0);
}

__global__ void followed(unsigned *out, const uint2 *nodes)
{
    const unsigned i = thread_index();
    unsigned sum = 0, at = i;
#pragma unroll
    for (unsigned k = 0; k < chain_steps; k++)
        if (changed) {
            const uint2 node = nodes[at];
            sum += node.x;
            at = node.y;
        } else
            sum += nodes[link(i, k)].x;
    out[i] = sum;
}

struct followed_list : arrays {
    int open()
    {
        std::vector<unsigned> next(chains * chain_steps, 0);
        for (unsigned k = 0; k + 1 < chain_steps; k++)
            for (unsigned i = 0; i < chains; i++)
                next[link(i, k)] = link(i, k + 1);
        CUGATE_TRY(n.fill(2 * next.size(), [&](size_t i) { return i % 2 ? next[i / 2] : cugate::hash32(1, i / 2); }));
        return total.allocate(chains);
    }
    double want(size_t i)
    {
        unsigned sum = 0;
        for (unsigned k = 0; k < chain_steps; k++)
            sum += n.host[2 * link(unsigned(i), k)];
        return sum;
    }
    void run()
    {
        followed<<<chains / 256, 256>>>(total.data, reinterpret_cast<const uint2 *>(n.data));
    }
};

/* ---- Powers computed in place of cached loads: fewer loads and sectors, but many more instructions ---- */

constexpr unsigned power_count = 1 << 21;

__global__ void powered(float *out, const unsigned *v, const float *table, float base)
{
    const unsigned i = thread_index(), value = v[i];
    float sum = 0;
#pragma unroll
    for (unsigned b = 0; b < 32; b += 8) {
        const unsigned k = value >> b & 255;
        sum += changed ? powf(base, float(k)) : table[k];
    }
    out[i] = sum;
}

struct recomputed_powers : arrays {
    int open()
    {
        CUGATE_TRY(n.fill(power_count, 1));
        CUGATE_TRY(x.fill(256, [](size_t k) { return std::pow(double(0.97f), k); }));
        return out.allocate(power_count);
    }
    double want(size_t i)
    {
        float sum = 0;
        for (unsigned b = 0; b < 32; b += 8)
            sum += x.host[n.host[i] >> b & 255];
        return sum;
    }
    void run()
    {
        powered<<<power_count / 256, 256>>>(out.data, n.data, x.data, 0.97f);
    }
};

/* ---- Factors loaded once a block: fewer loads, but warps with little work wait for those with much ---- */

constexpr unsigned uneven_blocks = 4 * sms, uneven_steps = 16;

__host__ __device__ inline unsigned uneven_work(unsigned warp, unsigned step)
{
    return cugate::hash32(9, warp * uneven_steps + step) % 8 ? 64 : 2048;
}

__global__ void uneven(float *out, const float *factors)
{
    __shared__ float shared[32];
    const unsigned lane = threadIdx.x % 32, warp = thread_index() / 32;
    float x = 0;
    for (unsigned k = 0; k < uneven_steps; k++) {
        float by = 0;
        if (changed) {
            __syncthreads();
            if (threadIdx.x < 32)
                shared[lane] = factors[(blockIdx.x * uneven_steps + k) * 32 + lane];
            __syncthreads();
            by = shared[lane];
        } else
            by = factors[(blockIdx.x * uneven_steps + k) * 32 + lane];
        const unsigned work = uneven_work(warp, k);
#pragma unroll 16
        for (unsigned j = 0; j < work; j++)
            x = x * by + 1;
    }
    out[thread_index()] = x;
}

struct barrier_each_step : arrays {
    int open()
    {
        CUGATE_TRY(x.fill(uneven_blocks * uneven_steps * 32, [](size_t i) { return 0.5f * cugate::uniform(1, i); }));
        return out.allocate(uneven_blocks * 256);
    }
    double want(size_t i) /* 64 steps by less than a half leave nothing of what was before */
    {
        return 1 / (1 - x.host[((i / 256 + 1) * uneven_steps - 1) * 32 + i % 32]);
    }
    void run()
    {
        uneven<<<uneven_blocks, 256>>>(out.data, x.data);
    }
};

/* ---- A grid of 64 blocks: fewer instructions and atomics, but half of the SMs have nothing to do ---- */

__global__ void sum_by_blocks(float *out, const float *v)
{
    float mine = 0;
    for (unsigned i = thread_index(); i < summed; i += grid_threads())
        mine += v[i];
    mine = sum_of_block(mine);
    if (threadIdx.x == 0)
        atomicAdd(out, mine);
}

struct small_grid : one_launch {
    void run()
    {
        sum_by_blocks<<<changed ? 64 : 8 * sms, 256>>>(out.data, x.data);
    }
};

/* ---- Bins of a thread by index: fewer instructions, but they live in local memory ---- */

constexpr unsigned nibble_threads = 1 << 18, nibble_words = 4;

__global__ void count_nibbles(unsigned *out, const unsigned *v)
{
    const unsigned i = thread_index();
    unsigned bins[16] = {};
#pragma unroll
    for (unsigned k = 0; k < nibble_words; k++) {
        const unsigned word = v[k * nibble_threads + i];
#pragma unroll
        for (unsigned b = 0; b < 32; b += 4)
            if (changed)
                bins[word >> b & 15]++;
            else
#pragma unroll
                for (unsigned n = 0; n < 16; n++)
                    bins[n] += (word >> b & 15) == n;
    }
#pragma unroll
    for (unsigned n = 0; n < 16; n += 4)
        out[n / 4 * nibble_threads + i] = bins[n] | bins[n + 1] << 8 | bins[n + 2] << 16 | bins[n + 3] << 24;
}

struct local_bins : arrays {
    int open()
    {
        CUGATE_TRY(n.fill(nibble_threads * nibble_words, 1));
        return total.allocate(nibble_threads * 4);
    }
    double want(size_t i)
    {
        unsigned found = 0;
        for (unsigned k = 0; k < nibble_words; k++)
            for (unsigned b = 0; b < 32; b += 4) {
                const unsigned nibble = n.host[k * nibble_threads + i % nibble_threads] >> b & 15;
                found += nibble / 4 == i / nibble_threads ? 1u << nibble % 4 * 8 : 0;
            }
        return found;
    }
    void run()
    {
        count_nibbles<<<nibble_threads / 256, 256>>>(total.data, n.data);
    }
};

/* ---- Coefficients in bytes: fewer sectors and wavefronts, but they are unpacked for each element ---- */

constexpr unsigned byte_terms = 1024, byte_count = 1 << 19;

__global__ void byte_series(float *out, const float *v, const void *coefficients)
{
    __shared__ float4 floats[byte_terms / 4];
    __shared__ char4 bytes[byte_terms / 4];
    if (changed)
        bytes[threadIdx.x] = static_cast<const char4 *>(coefficients)[threadIdx.x];
    else
        floats[threadIdx.x] = static_cast<const float4 *>(coefficients)[threadIdx.x];
    __syncthreads();
    const float x = v[thread_index()], square = x * x;
    float even = 0, odd = 0;
#pragma unroll 4
    for (unsigned j = 0; j < byte_terms / 4; j++) {
        float4 c;
        if (changed) {
            const char4 q = bytes[j];
            c = {float(q.x), float(q.y), float(q.z), float(q.w)};
        } else
            c = floats[j];
        even = (even * square + c.x) * square + c.z;
        odd = (odd * square + c.y) * square + c.w;
    }
    out[thread_index()] = even * x + odd;
}

struct unpacked_each_time : arrays {
    int open()
    {
        CUGATE_TRY(x.fill(byte_count, [](size_t i) { return 0.5f * cugate::uniform(1, i); }));
        CUGATE_TRY(y.fill(byte_terms, layer_weight));
        CUGATE_TRY(n.fill(byte_terms / 4, [](size_t i) {
            unsigned word = 0;
            for (unsigned b = 0; b < 4; b++)
                word |= unsigned(layer_weight(4 * i + b)) << 8 * b;
            return word;
        }));
        return out.allocate(byte_count);
    }
    double want(size_t i)
    {
        float sum = 0;
        for (unsigned j = byte_terms - 40; j < byte_terms; j++)
            sum = sum * x.host[i] + y.host[j];
        return sum;
    }
    void run()
    {
        byte_series<<<byte_count / 256, 256>>>(out.data, x.data, changed ? (const void *)n.data : y.data);
    }
};

/* ---- An index computed in place of a cached one: fewer loads, but divisions ---- */

constexpr unsigned shuffled = 3 * 5 * 7 * 3 * 13, shuffled_tiles = 1024;

/* Turns the digits of k in these bases round. */
__host__ __device__ inline unsigned turned_digits(unsigned k, uint4 bases)
{
    unsigned at = k % bases.x;
    k /= bases.x;
    at = at * bases.y + k % bases.y;
    k /= bases.y;
    at = at * bases.z + k % bases.z;
    k /= bases.z;
    at = at * bases.w + k % bases.w;
    return at * 13 + k / bases.w;
}

__global__ void shuffle(float *out, const float *v, const unsigned *index, uint4 bases)
{
    for (unsigned k = threadIdx.x; k < shuffled; k += blockDim.x)
        out[blockIdx.x * shuffled + k] = v[blockIdx.x * shuffled + (changed ? turned_digits(k, bases) : index[k])];
}

struct divided_index : arrays {
    static constexpr uint4 bases = {3, 5, 7, 3};
    int open()
    {
        CUGATE_TRY(x.fill(shuffled * shuffled_tiles, 1));
        CUGATE_TRY(n.fill(shuffled, [](size_t k) { return turned_digits(unsigned(k), bases); }));
        return out.allocate(x.count);
    }
    double want(size_t i)
    {
        return x.host[i / shuffled * shuffled + n.host[i % shuffled]];
    }
    void run()
    {
        shuffle<<<shuffled_tiles, 256>>>(out.data, x.data, n.data, bases);
    }
};

/* ---- Elements sorted by kind: no divergence, but every array is read and written at random ---- */

constexpr unsigned kinds = 16, kind_count = 1 << 21;

__host__ __device__ inline float of_kind(unsigned kind, float x, float y)
{
    switch (kind) {
    case 0:
        return x + y;
    case 1:
        return x * y + 3;
    case 2:
        return x / (y + 1);
    case 3:
        return sqrtf(x) - y;
    case 4:
        return x * x * x + y * y * y;
    case 5:
        return (x > y ? 2 * x : 3 * y) * x;
    case 6:
        return 1 / (1 + x * x + y);
    case 7:
        return fabsf(x - y) * 7 + x;
    case 8:
        return sqrtf(x * x + y * y);
    case 9:
        return floorf(8 * x) + y * y;
    case 10:
        return (x - y) / (x + y + 1);
    case 11:
        return x * y * x * y - 2;
    case 12:
        return fmaxf(x * 3, y * 5) - y;
    case 13:
        return sqrtf(y) * x + x;
    case 14:
        return ceilf(5 * y) * x;
    default:
        return (x + 2) * (y + 3);
    }
}

__global__ void by_kind(float *out, const unsigned *kind, const float *x, const float *y, const unsigned *order)
{
    const unsigned i = changed ? order[thread_index()] : thread_index();
    out[i] = of_kind(kind[i], x[i], y[i]);
}

struct sorted_kinds : arrays {
    int open()
    {
        CUGATE_TRY(n.fill(kind_count, [](size_t i) { return cugate::hash32(3, i) % kinds; }));
        CUGATE_TRY(x.fill(kind_count, 1));
        CUGATE_TRY(y.fill(kind_count, 2));
        unsigned first[kinds + 1] = {};
        for (unsigned kind : n.host)
            first[kind + 1]++;
        std::partial_sum(first, first + kinds + 1, first);
        std::vector<unsigned> order(kind_count);
        for (unsigned i = 0; i < kind_count; i++)
            order[first[n.host[i]]++] = i;
        CUGATE_TRY(m.fill(kind_count, [&](size_t i) { return order[i]; }));
        return out.allocate(kind_count);
    }
    double want(size_t i)
    {
        return of_kind(n.host[i], x.host[i], y.host[i]);
    }
    void run()
    {
        by_kind<<<kind_count / 256, 256>>>(out.data, n.data, x.data, y.data, m.data);
    }
};

/* ---- Sparse rows of four, a warp a row: fewer sectors, but most lanes have nothing to do ---- */

using warp_for_four = sparse<1 << 19, 4, 4>; /* the kernel of sparse_vector */

/* ---- A product by tiles of 128: fewer instructions and sectors, but 16 blocks ---- */

__global__ void product_of_few(const float *a, const float *b, float *c, unsigned n, unsigned k)
{
    product_tile<changed ? 128 : 32, changed ? 8 : 2, changed ? 8 : 32>(a, b, c, n, k);
}

struct tile_too_large : product<512, 512, 512> {
    void run()
    {
        launch<changed ? 128 : 32, changed ? 8 : 2>(product_of_few);
    }
};

/* ---- Neighbours by shuffles: no shared memory and no barrier, but an instruction for each ---- */

constexpr unsigned tap_count = 64, tapped = 1 << 22;

__host__ __device__ constexpr float tap(unsigned k)
{
    return float(k % 9 + 1) / 512;
}

__global__ void tapped_line(float *out, const float *v)
{
    const unsigned first = blockIdx.x * 1024, lane = threadIdx.x % 32;
    if (changed) {
#pragma unroll 1
        for (unsigned j = 0; j < 1024; j += 256) {
            const float *from = v + first + j + threadIdx.x;
            const float x[3] = {from[0], from[32], from[64]};
            float sum = 0;
#pragma unroll
            for (unsigned k = 0; k < tap_count; k++)
                sum += tap(k) * __shfl_sync(~0u, lane < k % 32 ? x[k / 32 + 1] : x[k / 32], lane + k);
            out[first + j + threadIdx.x] = sum;
        }
    } else {
        __shared__ float4 tile[(1024 + tap_count) / 4];
        for (unsigned i = threadIdx.x; i < (1024 + tap_count) / 4; i += 256)
            tile[i] = reinterpret_cast<const float4 *>(v + first)[i];
        __syncthreads();
        float sum[4] = {};
#pragma unroll
        for (unsigned q = 0; q < tap_count / 4 + 1; q++) {
            const float4 four = tile[threadIdx.x + q];
            const float x[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
            for (unsigned j = 0; j < 4; j++)
#pragma unroll
                for (unsigned i = 0; i < 4; i++)
                    if (4 * q + i >= j && 4 * q + i - j < tap_count)
                        sum[j] += tap(4 * q + i - j) * x[i];
        }
        reinterpret_cast<float4 *>(out + first)[threadIdx.x] = {sum[0], sum[1], sum[2], sum[3]};
    }
}

struct shuffled_taps : arrays {
    int open()
    {
        CUGATE_TRY(x.fill(tapped + 96, 1));
        expected.assign(tapped, 0);
        for (unsigned first = 0; first < tapped; first += 1024)
            for (unsigned k = 0; k < tap_count; k++)
                for (unsigned i = first; i < first + 1024; i++)
                    expected[i] += tap(k) * x.host[i + k];
        return out.allocate(tapped);
    }
    void run()
    {
        tapped_line<<<tapped / 1024, 256>>>(out.data, x.data);
    }
};

/* ---- One thread adds up its block: fewer instructions and barriers, but 1,023 threads wait ---- */

__global__ void __launch_bounds__(1024) added_by_one(float *out, const float *v)
{
    __shared__ __align__(16) float part[1024];
    const unsigned t = threadIdx.x;
    const float4 x = reinterpret_cast<const float4 *>(v)[thread_index()];
    float sum = (x.x + x.y) + (x.z + x.w);
    part[t] = sum;
    __syncthreads();
    if (changed) {
        if (t == 0) {
            sum = 0;
#pragma unroll 32
            for (unsigned k = 0; k < 1024; k++)
                sum += part[k];
        }
    } else {
#pragma unroll
        for (unsigned apart = 512; apart > 0; apart /= 2) {
            if (t < apart)
                part[t] = sum += part[t + apart];
            __syncthreads();
        }
    }
    if (t == 0)
        out[blockIdx.x] = sum;
}

struct one_thread_adds : arrays {
    int open()
    {
        CUGATE_TRY(x.fill(1 << 23, 1));
        return out.allocate(x.count / 4096);
    }
    double want(size_t b)
    {
        return std::accumulate(&x.host[b * 4096], &x.host[b * 4096] + 4096, 0.0);
    }
    void run()
    {
        added_by_one<<<unsigned(x.count / 4096), 1024>>>(out.data, x.data);
    }
};

/* ---- Values loaded again for a second pass: occupancy for twice the sectors ---- */

constexpr unsigned spread_values = 64, spread_threads = 1 << 17;

__global__ void __launch_bounds__(256) variances(float *out, const float *v)
{
    const unsigned i = thread_index();
    float x[spread_values], mean = 0, sum = 0;
#pragma unroll
    for (unsigned k = 0; k < spread_values; k++)
        mean += x[k] = v[k * spread_threads + i];
    mean /= spread_values;
#pragma unroll
    for (unsigned k = 0; k < spread_values; k++)
        sum += (x[k] - mean) * (x[k] - mean);
    out[i] = sum;
}

__global__ void means(float *out, const float *v)
{
    float sum = 0;
    for (unsigned k = 0; k < spread_values; k++)
        sum += v[k * spread_threads + thread_index()];
    out[thread_index()] = sum / spread_values;
}

__global__ void spreads(float *out, const float *v, const float *mean)
{
    const float of = mean[thread_index()];
    float sum = 0;
    for (unsigned k = 0; k < spread_values; k++) {
        const float x = v[k * spread_threads + thread_index()] - of;
        sum += x * x;
    }
    out[thread_index()] = sum;
}

struct two_passes : arrays {
    int open()
    {
        CUGATE_TRY(x.fill(spread_values * spread_threads, 1));
        CUGATE_TRY(sums.allocate(spread_threads));
        return out.allocate(spread_threads);
    }
    double want(size_t i)
    {
        double sum = 0, squares = 0;
        for (unsigned k = 0; k < spread_values; k++) {
            const double value = x.host[k * spread_threads + i];
            sum += value;
            squares += value * value;
        }
        return squares - sum * sum / spread_values;
    }
    void run()
    {
        if (changed) {
            means<<<spread_threads / 256, 256>>>(sums.data, x.data);
            spreads<<<spread_threads / 256, 256>>>(out.data, x.data, sums.data);
        } else
            variances<<<spread_threads / 256, 256>>>(out.data, x.data);
    }
};

/* ---- A search that compares with all: no bank conflicts, but 256 comparisons in place of 8 ---- */

constexpr unsigned limits = 256, classified = 1 << 21;

__global__ void classify(unsigned *out, const float *v, const float *table)
{
    __shared__ __align__(16) float limit[limits];
    limit[threadIdx.x] = table[threadIdx.x];
    __syncthreads();
    const float x = v[thread_index()];
    unsigned found = 0;
    if (changed)
#pragma unroll 16
        for (unsigned k = 0; k < limits; k++)
            found += limit[k] < x;
    else
#pragma unroll
        for (unsigned size = limits / 2; size > 0; size /= 2)
            found += limit[found + size - 1] < x ? size : 0;
    out[thread_index()] = found;
}

struct linear_search : arrays {
    int open()
    {
        CUGATE_TRY(x.fill(classified, 1));
        CUGATE_TRY(y.fill(limits, [](size_t k) { return float(k + 1) / limits; }));
        return total.allocate(classified);
    }
    double want(size_t i)
    {
        return std::lower_bound(y.host.begin(), y.host.end(), x.host[i]) - y.host.begin();
    }
    void run()
    {
        classify<<<classified / 256, 256>>>(total.data, x.data, y.data);
    }
};

/* ---- A blur in one pass: fewer sectors stored and launches, but 121 products in place of 22 ---- */

constexpr unsigned smooth_rows = 1024, smooth_width = 2048, smooth_taps = 11, smooth_pitch = smooth_width + 32;

__host__ __device__ constexpr float smooth_weight(unsigned j)
{
    return float(j < 6 ? j + 1 : 11 - j) / 36;
}

template <unsigned apart> __global__ void smoothed(float *out, const float *v, unsigned out_pitch)
{
    const unsigned x = thread_index(), y = blockIdx.y;
    float sum = 0;
#pragma unroll
    for (unsigned j = 0; j < smooth_taps; j++)
        sum += smooth_weight(j) * v[y * smooth_pitch + x + j * apart];
    out[y * out_pitch + x] = sum;
}

__global__ void smoothed_at_once(float *out, const float *v)
{
    const unsigned x = thread_index(), y = blockIdx.y;
    float sum = 0;
#pragma unroll
    for (unsigned r = 0; r < smooth_taps; r++)
#pragma unroll
        for (unsigned c = 0; c < smooth_taps; c++)
            sum += smooth_weight(r) * smooth_weight(c) * v[(y + r) * smooth_pitch + x + c];
    out[y * smooth_width + x] = sum;
}

struct blur_at_once : arrays {
    int open()
    {
        constexpr unsigned rows = smooth_rows + smooth_taps - 1;
        CUGATE_TRY(x.fill(rows * smooth_pitch, 1));
        std::vector<float> across(x.count, 0);
        for (unsigned j = 0; j < smooth_taps; j++)
            for (size_t i = 0; i + j < across.size(); i++)
                across[i] += smooth_weight(j) * x.host[i + j];
        expected.assign(smooth_rows * smooth_width, 0);
        for (unsigned r = 0; r < smooth_rows; r++)
            for (unsigned j = 0; j < smooth_taps; j++)
                for (unsigned c = 0; c < smooth_width; c++)
                    expected[r * smooth_width + c] += smooth_weight(j) * across[(r + j) * smooth_pitch + c];
        CUGATE_TRY(sums.allocate(x.count));
        return out.allocate(expected.size());
    }
    void run()
    {
        const dim3 grid(smooth_width / 256, smooth_rows), larger(smooth_width / 256, smooth_rows + smooth_taps - 1);
        if (changed)
            smoothed_at_once<<<grid, 256>>>(out.data, x.data);
        else {
            smoothed<1><<<larger, 256>>>(sums.data, x.data, smooth_pitch);
            smoothed<smooth_pitch><<<grid, 256>>>(out.data, sums.data, smooth_width);
        }
    }
};

/* ---- A test after each load: fewer loads, but one at a time ---- */

constexpr unsigned record_threads = 2 * sms * 256, records = 8, record_size = 16;

__global__ void first_of_records(unsigned *out, const unsigned *v)
{
    unsigned sum = 0;
#pragma unroll 1
    for (unsigned r = 0; r < records; r++) {
        const unsigned *from = v + r * record_size * record_threads + thread_index();
        unsigned first = record_size;
        if (changed) {
#pragma unroll 1
            for (first = 0; first < record_size; first++)
                if (from[first * record_threads] % 2)
                    break;
        } else {
#pragma unroll
            for (unsigned k = record_size; k-- > 0;)
                first = from[k * record_threads] % 2 ? k : first;
        }
        sum = sum * 31 + first;
    }
    out[thread_index()] = sum;
}

struct test_each_load : arrays {
    static unsigned first(size_t r, size_t i) /* of a record: a warp's are alike */
    {
        return cugate::hash32(5, r * record_threads + i / 32) % record_size;
    }
    int open()
    {
        CUGATE_TRY(n.fill(record_threads * records * record_size, [](size_t i) {
            const size_t r = i / record_threads / record_size, k = i / record_threads % record_size;
            const unsigned random = cugate::hash32(1, i);
            return k < first(r, i % record_threads) ? random & ~1u : random | 1;
        }));
        return total.allocate(record_threads);
    }
    double want(size_t i)
    {
        unsigned sum = 0;
        for (unsigned r = 0; r < records; r++)
            sum = sum * 31 + first(r, i);
        return sum;
    }
    void run()
    {
        first_of_records<<<2 * sms, 256>>>(total.data, n.data);
    }
};

/* ---- A bin a thread: no atomics on shared memory, but each value is compared 64 times ---- */

constexpr unsigned thread_bins = 64, binned = 1 << 21, bin_blocks = changed ? 512 : 4 * sms;

__global__ void binned_values(unsigned *bins, const unsigned *v)
{
    __shared__ unsigned counts[thread_bins];
    unsigned mine = 0;
    if (changed) {
        constexpr unsigned part = binned / 512 / 4;
        const uint4 *from = reinterpret_cast<const uint4 *>(v) + blockIdx.x * part;
#pragma unroll 4
        for (unsigned k = 0; k < part; k++) {
            const uint4 q = from[k];
            mine += q.x % thread_bins == threadIdx.x;
            mine += q.y % thread_bins == threadIdx.x;
            mine += q.z % thread_bins == threadIdx.x;
            mine += q.w % thread_bins == threadIdx.x;
        }
    } else {
        if (threadIdx.x < thread_bins)
            counts[threadIdx.x] = 0;
        __syncthreads();
        for (unsigned i = thread_index(); i < binned; i += grid_threads())
            atomicAdd(&counts[v[i] % thread_bins], 1u);
        __syncthreads();
        mine = threadIdx.x < thread_bins ? counts[threadIdx.x] : 0;
    }
    if (threadIdx.x < thread_bins)
        atomicAdd(&bins[threadIdx.x], mine);
}

struct bin_a_thread : arrays {
    int open()
    {
        CUGATE_TRY(n.fill(binned, 1));
        expected.assign(thread_bins, 0);
        for (unsigned value : n.host)
            expected[value % thread_bins]++;
        return zeros(total, thread_bins);
    }
    void run()
    {
        binned_values<<<bin_blocks, changed ? thread_bins : 256>>>(total.data, n.data);
    }
};

/* ---- A product of rows by rows, four at once: fewer instructions and requests, but lanes are rows apart ---- */

constexpr unsigned dot_side = 512;

__global__ void dots(float *c, const float *a, const float *b)
{
    const unsigned column = blockIdx.x * 32 + threadIdx.x % 32, row = blockIdx.y * 8 + threadIdx.x / 32;
    float sum = 0;
    if (changed) {
        const float4 *left = reinterpret_cast<const float4 *>(a + row * dot_side);
        const float4 *right = reinterpret_cast<const float4 *>(b + column * dot_side);
#pragma unroll 4
        for (unsigned k = 0; k < dot_side / 4; k++)
            sum +=
                (left[k].x * right[k].x + left[k].y * right[k].y) + (left[k].z * right[k].z + left[k].w * right[k].w);
    } else {
#pragma unroll 4
        for (unsigned k = 0; k < dot_side; k++)
            sum += a[row * dot_side + k] * b[k * dot_side + column];
    }
    c[row * dot_side + column] = sum;
}

struct rows_by_rows : product<dot_side, dot_side, dot_side> {
    int open()
    {
        CUGATE_TRY(product::open());
        return z.fill(dot_side * dot_side, [&](size_t i) { return y.host[i % dot_side * dot_side + i / dot_side]; });
    }
    void run()
    {
        dots<<<dim3(dot_side / 32, dot_side / 8), 256>>>(out.data, x.data, changed ? z.data : y.data);
    }
};

/* ---- A transform in global memory: occupancy and no wavefronts, but each pass goes to the L2 ---- */

__global__ void __launch_bounds__(512, changed ? 4 : 3) convolved_long(float *out, const float *v)
{
    constexpr unsigned size = 16384;
    extern __shared__ float tile[];
    const auto at = [](unsigned i) { return changed ? i : swizzled(i); };
    const unsigned first = blockIdx.x * size;
    float *const mine = changed ? out + first : tile;
    for (unsigned i = threadIdx.x; i < size; i += 512)
        mine[at(i)] = v[first + i];
    walsh<size, 512>(mine, at);
    for (unsigned i = threadIdx.x; i < size; i += 512)
        mine[at(i)] *= transformed<size>::scale(i) / size;
    walsh<size, 512>(mine, at);
    if (!changed)
        for (unsigned i = threadIdx.x; i < size; i += 512)
            out[first + i] = mine[at(i)];
}

struct global_scratch : transformed<16384> {
    int run()
    {
        return ::launch(convolved_long, count / 16384, 512, changed ? 0 : 16384 * 4, out.data, x.data);
    }
};

/* ---- A large table in place of a function: fewer instructions, but loads at random ---- */

constexpr unsigned root_table = 65536, root_count = 1 << 22;

__global__ void inverse_roots(float *out, const unsigned *v, const float *table)
{
    const unsigned value = v[thread_index()], low = value % root_table, high = value / root_table;
    out[thread_index()] = changed ? table[low] + table[high] : rsqrtf(float(low + 1)) + rsqrtf(float(high + 1));
}

struct table_of_roots : arrays {
    int open()
    {
        CUGATE_TRY(n.fill(root_count, 1));
        CUGATE_TRY(x.fill(root_table, [](size_t k) { return 1 / std::sqrt(double(k + 1)); }));
        return out.allocate(root_count);
    }
    double want(size_t i)
    {
        return x.host[n.host[i] % root_table] + x.host[n.host[i] / root_table];
    }
    void run()
    {
        inverse_roots<<<root_count / 256, 256>>>(out.data, n.data, x.data);
    }
};
