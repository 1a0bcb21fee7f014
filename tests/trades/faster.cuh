/* Changes that make a kernel faster, though some of its counts get worse. */

/* ---- Windows of a row, a row a thread: more instructions and shared wavefronts for fewer sectors ---- */

constexpr unsigned window_rows = 1024, window_width = 2048, window_taps = 8, window_pitch = window_width + window_taps;

__global__ void window_sums(float *out, const float *v)
{
    constexpr unsigned columns = 32, rows = 128, pitch = columns + window_taps - 1;
    __shared__ float part[rows * pitch];
    const unsigned t = threadIdx.x, lane = t % 32, first = blockIdx.x * columns;
    const float *mine = v + (blockIdx.y * rows + t) * window_pitch + first;
    if (changed) {
        for (unsigned r = t / 32; r < rows; r += rows / 32) {
            const float *from = v + (blockIdx.y * rows + r) * window_pitch + first;
            part[r * pitch + lane] = from[lane];
            if (lane < window_taps - 1)
                part[r * pitch + columns + lane] = from[columns + lane];
        }
        __syncthreads();
        mine = part + t * pitch;
    }
    for (unsigned c = 0; c < columns; c++) {
        float sum = 0;
#pragma unroll
        for (unsigned j = 0; j < window_taps; j++)
            sum += mine[c + j];
        out[(first + c) * window_rows + blockIdx.y * rows + t] = sum;
    }
}

struct staged_window : arrays {
    int open()
    {
        CUGATE_TRY(x.fill(window_rows * window_pitch, 1));
        return out.allocate(window_rows * window_width);
    }
    double want(size_t i)
    {
        const float *from = &x.host[i % window_rows * window_pitch + i / window_rows];
        return std::accumulate(from, from + window_taps, 0.0);
    }
    void run()
    {
        window_sums<<<dim3(window_width / 32, window_rows / 128), 128>>>(out.data, x.data);
    }
};

/* ---- Sums of rows by atomics: more instructions for fewer atomics ---- */

constexpr unsigned atomic_rows = 2048, atomic_width = 2048;

__global__ void row_totals(float *sums, const float *v)
{
    float mine = v[blockIdx.y * atomic_width + thread_index()];
    if (changed)
        mine = sum_of_warp(mine);
    if (!changed || threadIdx.x % 32 == 0)
        atomicAdd(&sums[blockIdx.y], mine);
}

struct warp_sum : arrays {
    int open()
    {
        CUGATE_TRY(x.fill(atomic_rows * atomic_width, 1));
        return zeros(out, atomic_rows);
    }
    double want(size_t r)
    {
        const float *from = &x.host[r * atomic_width];
        return std::accumulate(from, from + atomic_width, 0.0);
    }
    void run()
    {
        row_totals<<<dim3(atomic_width / 256, atomic_rows), 256>>>(out.data, x.data);
    }
};

/* ---- A histogram: shared wavefronts and instructions for fewer global atomics ---- */

constexpr unsigned few_bins = 1024;

__global__ void histogram(unsigned *bins, const unsigned *v, unsigned count)
{
    __shared__ unsigned mine[few_bins];
    if (changed) {
        for (unsigned b = threadIdx.x; b < few_bins; b += blockDim.x)
            mine[b] = 0;
        __syncthreads();
    }
    for (unsigned i = thread_index(); i < count; i += grid_threads())
        atomicAdd(&(changed ? mine : bins)[v[i] % few_bins], 1u);
    if (changed) {
        __syncthreads();
        for (unsigned b = threadIdx.x; b < few_bins; b += blockDim.x)
            atomicAdd(&bins[b], mine[b]);
    }
}

struct private_histogram : arrays {
    int open()
    {
        CUGATE_TRY(n.fill(1 << 22, 1));
        expected.assign(few_bins, 0);
        for (unsigned value : n.host)
            expected[value % few_bins]++;
        return zeros(total, few_bins);
    }
    void run()
    {
        histogram<<<4 * sms, 256>>>(total.data, n.data, unsigned(n.count));
    }
};

/* ---- Bytes turned round, 16 at once: divergent branches for fewer instructions and requests ---- */

constexpr unsigned byte_rows = 4096, byte_width = 4128;

__global__ void inverted_bytes(uint8_t *out, const uint8_t *v)
{
    for (unsigned row = blockIdx.x; row < byte_rows; row += gridDim.x)
        if (changed) {
            const uint4 *from = reinterpret_cast<const uint4 *>(v + row * byte_width);
            uint4 *to = reinterpret_cast<uint4 *>(out + row * byte_width);
            for (unsigned i = threadIdx.x; i < byte_width / 16; i += blockDim.x) {
                const uint4 q = from[i];
                to[i] = {~q.x, ~q.y, ~q.z, ~q.w};
            }
        } else
            for (unsigned i = threadIdx.x; i < byte_width; i += blockDim.x)
                out[row * byte_width + i] = ~v[row * byte_width + i];
}

struct byte_vectors : arrays {
    int open()
    {
        CUGATE_TRY(n.fill(byte_rows * byte_width / 4, 1));
        return total.allocate(n.count);
    }
    double want(size_t i)
    {
        return ~n.host[i];
    }
    void run()
    {
        inverted_bytes<<<2 * sms, 256>>>(reinterpret_cast<uint8_t *>(total.data),
                                         reinterpret_cast<const uint8_t *>(n.data));
    }
};

/* ---- A tile of 56 KiB with a pad: occupancy for fewer bank conflicts ---- */

constexpr unsigned padded_rows = 64, padded_columns = 224, padded_pitch = padded_columns + changed;
constexpr unsigned padded_height = 36 * padded_rows, padded_width = 22 * padded_columns;

__global__ void __launch_bounds__(512) turned_by_tile(float *out, const float *v)
{
    extern __shared__ float tile[];
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const unsigned first_row = blockIdx.x / 22 * padded_rows, first_column = blockIdx.x % 22 * padded_columns;
    for (unsigned r = warp; r < padded_rows; r += 16)
#pragma unroll
        for (unsigned c = lane; c < padded_columns; c += 32)
            tile[r * padded_pitch + c] = v[(first_row + r) * padded_width + first_column + c];
    __syncthreads();
    for (unsigned c = warp; c < padded_columns; c += 16)
        for (unsigned r = lane; r < padded_rows; r += 32)
            out[(first_column + c) * padded_height + first_row + r] = tile[r * padded_pitch + c];
}

template <unsigned height, unsigned width> struct turned : arrays {
    int open()
    {
        CUGATE_TRY(x.fill(height * width, 1));
        return out.allocate(height * width);
    }
    double want(size_t i)
    {
        return x.host[i % height * width + i / height];
    }
};

struct padded_tile : turned<padded_height, padded_width> {
    int run()
    {
        return launch(turned_by_tile, 36 * 22, 512, padded_rows * padded_pitch * 4, out.data, x.data);
    }
};

/* ---- A product of 64 blocks, its sums split among 512: atomics for a filled GPU ---- */

__global__ void product_split(const float *a, const float *b, float *c, unsigned n, unsigned k)
{
    product_tile<32, 2, 32>(a, b, c, n, k);
}

struct split_k : product<256, 256, 4096> {
    void run()
    {
        launch<32, 2>(product_split, changed ? 8 : 1);
    }
};

/* ---- Twiddle factors computed in place of scattered loads: instructions for fewer sectors ---- */

constexpr unsigned twiddles = 1 << 22;

__global__ void twiddled(float *out, const float *v, const float *table)
{
    const unsigned i = thread_index(), k = i * 2654435761u >> 10;
    out[i] = v[i] * (changed ? cospif(float(k) * (2.0f / twiddles)) : table[k]);
}

struct recomputed_twiddles : arrays {
    int open()
    {
        CUGATE_TRY(x.fill(twiddles, 1));
        CUGATE_TRY(y.fill(twiddles, [](size_t k) { return std::cos(2 * M_PI * double(k) / twiddles); }));
        return out.allocate(twiddles);
    }
    double want(size_t i)
    {
        return x.host[i] * y.host[unsigned(i) * 2654435761u >> 10];
    }
    void run()
    {
        twiddled<<<twiddles / 256, 256>>>(out.data, x.data, y.data);
    }
};

/* ---- Halves by twos: a grid that fits less well for fewer instructions ---- */

constexpr unsigned half_blocks = 1400, half_steps = 2048;

__global__ void recurrence(float *out, const __half *v)
{
    const unsigned i = thread_index();
    if (changed) {
        const __half2 x = reinterpret_cast<const __half2 *>(v)[i], by = __float2half2_rn(-0.5f);
        __half2 y = x;
#pragma unroll 32
        for (unsigned k = 0; k < half_steps; k++)
            y = __hfma2(y, by, x);
        reinterpret_cast<float2 *>(out)[i] = __half22float2(y);
    } else {
        const __half x = v[i], by = __float2half(-0.5f);
        __half y = x;
#pragma unroll 32
        for (unsigned k = 0; k < half_steps; k++)
            y = __hfma(y, by, x);
        out[i] = __half2float(y);
    }
}

struct half_pairs : arrays {
    static constexpr double tolerance = 2e-3;
    cugate::array<__half> v;
    int open()
    {
        CUGATE_TRY(v.fill(half_blocks * 256, [](size_t i) { return cugate::uniform(1, i); }));
        return out.allocate(v.count);
    }
    double want(size_t i)
    {
        return __half2float(v.host[i]) / 1.5;
    }
    void run()
    {
        recurrence<<<changed ? half_blocks / 2 : half_blocks, 256>>>(out.data, v.data);
    }
};

/* ---- Blocks that stay and keep their table: branches for fewer instructions ---- */

constexpr unsigned decays = 4096, decay_count = 1 << 22;

__global__ void decayed(float *out, const unsigned *v)
{
    __shared__ float table[decays];
#pragma unroll
    for (unsigned k = 0; k < decays; k += 256)
        table[k + threadIdx.x] = __expf(float(k + threadIdx.x) * -1e-3f);
    __syncthreads();
    unsigned tile = blockIdx.x;
    do {
#pragma unroll
        for (unsigned j = 0; j < 1024; j += 256) {
            const unsigned i = tile * 1024 + j + threadIdx.x;
            out[i] = table[v[i] % decays];
        }
        tile += gridDim.x;
    } while (changed && tile < decay_count / 1024);
}

struct blocks_that_stay : arrays {
    int open()
    {
        CUGATE_TRY(n.fill(decay_count, 1));
        return out.allocate(decay_count);
    }
    double want(size_t i)
    {
        return std::exp(n.host[i] % decays * -1e-3);
    }
    void run()
    {
        decayed<<<changed ? 8 * sms : decay_count / 1024, 256>>>(out.data, n.data);
    }
};

/* ---- A list a warp, its coefficients in shared memory: instructions and wavefronts for occupancy ---- */

constexpr unsigned lists = 64 * sms, list_steps = 32, list_terms = 64;

__global__ void __launch_bounds__(256, changed ? 8 : 1)
    walk_lists(float *out, const unsigned *nodes, const float *coefficients)
{
    __shared__ float4 shared[list_terms / 4];
    const unsigned list = thread_index() / 32, lane = threadIdx.x % 32;
    float mine[list_terms], sum = 0;
    if (changed) {
        if (threadIdx.x < list_terms / 4)
            shared[threadIdx.x] = reinterpret_cast<const float4 *>(coefficients)[threadIdx.x];
        __syncthreads();
    } else {
#pragma unroll
        for (unsigned j = 0; j < list_terms; j++)
            mine[j] = coefficients[j];
    }
    unsigned at = list;
#pragma unroll 1
    for (unsigned k = 0; k < list_steps; k++) {
        const unsigned word = nodes[at * 32 + lane];
        const float x = float(word & 0xffff) * 0x1p-16f;
        float4 terms = {};
        const auto add = [&](const float4 &c) {
            terms = {terms.x * x + c.x, terms.y * x + c.y, terms.z * x + c.z, terms.w * x + c.w};
        };
        if (changed) {
#pragma unroll 4
            for (unsigned j = 0; j < list_terms / 4; j++)
                add(shared[j]);
        } else {
#pragma unroll
            for (unsigned j = 0; j < list_terms; j += 4)
                add({mine[j], mine[j + 1], mine[j + 2], mine[j + 3]});
        }
        sum += (terms.x + terms.y) + (terms.z + terms.w);
        at = __shfl_sync(~0u, word, 0);
    }
    out[thread_index()] = sum;
}

struct coefficients_shared : arrays {
    static unsigned node(unsigned list, unsigned step) /* where the list's step lies */
    {
        return step == 0 ? list : lists + (list + (step - 1) * lists) * 99991ull % (lists * (list_steps - 1));
    }
    int open()
    {
        std::vector<unsigned> next(lists * list_steps, 0);
        for (unsigned k = 0; k + 1 < list_steps; k++)
            for (unsigned list = 0; list < lists; list++)
                next[node(list, k)] = node(list, k + 1);
        CUGATE_TRY(n.fill(lists * list_steps * 32,
                          [&](size_t i) { return i % 32 == 0 ? next[i / 32] : cugate::hash32(1, i); }));
        CUGATE_TRY(x.fill(list_terms, 2));
        expected.assign(65536, 0); // of each word
        for (unsigned k = 0; k < 65536; k++)
            for (unsigned j = 0; j < list_terms; j++)
                expected[k] = (j % 4 ? expected[k] : expected[k] * k * 0x1p-16) + x.host[j];
        return out.allocate(lists * 32);
    }
    double want(size_t i)
    {
        double sum = 0;
        for (unsigned k = 0; k < list_steps; k++)
            sum += expected[n.host[size_t(node(unsigned(i / 32), k)) * 32 + i % 32] & 0xffff];
        return sum;
    }
    void run()
    {
        walk_lists<<<lists / 8, 256>>>(out.data, n.data, x.data);
    }
};

/* ---- A filter by columns, sixteen rows a thread: occupancy for fewer instructions and loads ---- */

constexpr unsigned filter_rows = 2048, filter_width = 2048, filter_taps = 63, filter_per = changed ? 16 : 1;

__host__ __device__ constexpr float filter_weight(unsigned j)
{
    return float(j % 7 + 1) / 256;
}

__global__ void filtered_columns(float *out, const float *v)
{
    const unsigned column = thread_index(), row = blockIdx.y * filter_per;
    float sum[filter_per] = {};
#pragma unroll
    for (unsigned q = 0; q < filter_taps + filter_per - 1; q++) {
        const float x = v[(row + q) * filter_width + column];
#pragma unroll
        for (unsigned j = 0; j < filter_per; j++)
            if (q >= j && q - j < filter_taps)
                sum[j] += filter_weight(q - j) * x;
    }
#pragma unroll
    for (unsigned j = 0; j < filter_per; j++)
        out[(row + j) * filter_width + column] = sum[j];
}

struct coarsened : arrays {
    int open()
    {
        CUGATE_TRY(x.fill((filter_rows + filter_taps - 1) * filter_width, 1));
        expected.assign(filter_rows * filter_width, 0);
        for (unsigned r = 0; r < filter_rows; r++)
            for (unsigned j = 0; j < filter_taps; j++)
                for (unsigned c = 0; c < filter_width; c++)
                    expected[r * filter_width + c] += filter_weight(j) * x.host[(r + j) * filter_width + c];
        return out.allocate(expected.size());
    }
    void run()
    {
        filtered_columns<<<dim3(filter_width / 256, filter_rows / filter_per), 256>>>(out.data, x.data);
    }
};

/* ---- A product with twice the depth, the next on its way: occupancy for shorter waits and fewer barriers ---- */

__global__ void product_ahead(const float *a, const float *b, float *c, unsigned n, unsigned k)
{
    product_tile<64, 4, changed ? 16 : 8, changed>(a, b, c, n, k);
}

struct double_buffer : product<768, 704, 1024> {
    void run()
    {
        launch<64, 4>(product_ahead);
    }
};

/* ---- A table of 16 KiB in shared memory: wavefronts and conflicts for fewer sectors ---- */

constexpr unsigned table_size = 4096;

__global__ void looked_up(float *out, const unsigned *v, const float *table, unsigned count)
{
    __shared__ float mine[table_size];
    if (changed) {
        for (unsigned k = threadIdx.x; k < table_size; k += blockDim.x)
            mine[k] = table[k];
        __syncthreads();
    }
    const float *from = changed ? mine : table;
    for (unsigned i = thread_index(); i < count; i += grid_threads()) {
        const unsigned value = v[i];
        out[i] = (from[value % table_size] + from[value * 3 / 16 % table_size]) +
                 (from[value * 5 / 256 % table_size] + from[value * 7 / 4096 % table_size]);
    }
}

struct shared_table : arrays {
    int open()
    {
        CUGATE_TRY(n.fill(1 << 22, 1));
        CUGATE_TRY(x.fill(table_size, 2));
        return out.allocate(n.count);
    }
    double want(size_t i)
    {
        const unsigned value = n.host[i];
        return (x.host[value % table_size] + x.host[value * 3 / 16 % table_size]) +
               (x.host[value * 5 / 256 % table_size] + x.host[value * 7 / 4096 % table_size]);
    }
    void run()
    {
        looked_up<<<4 * sms, 256>>>(out.data, n.data, x.data, unsigned(n.count));
    }
};

/* ---- A matrix turned in shared memory: instructions and wavefronts for fewer sectors stored ---- */

constexpr unsigned turned_height = 2048, turned_width = 2048;

__global__ void turned_matrix(float *out, const float *v)
{
    __shared__ float tile[32][33];
    const unsigned x = threadIdx.x % 32, y = threadIdx.x / 32, column = blockIdx.x * 32, row = blockIdx.y * 32;
#pragma unroll
    for (unsigned k = 0; k < 32; k += 8)
        (changed ? tile[y + k][x] : out[(column + x) * turned_height + row + y + k]) =
            v[(row + y + k) * turned_width + column + x];
    if (changed) {
        __syncthreads();
#pragma unroll
        for (unsigned k = 0; k < 32; k += 8)
            out[(column + y + k) * turned_height + row + x] = tile[x][y + k];
    }
}

struct turned_writes : turned<turned_height, turned_width> {
    void run()
    {
        turned_matrix<<<dim3(turned_width / 32, turned_height / 32), 256>>>(out.data, x.data);
    }
};

/* ---- A map and the sums of its rows in one pass: atomics for fewer sectors ---- */

constexpr unsigned fused_rows = 4096, fused_width = 2048;

__global__ void roots(float *out, float *sums, const float *v)
{
    const unsigned i = blockIdx.y * fused_width + thread_index();
    const float root = sqrtf(v[i]);
    out[i] = root;
    if (changed) {
        const float sum = sum_of_warp(root);
        if (threadIdx.x % 32 == 0)
            atomicAdd(&sums[blockIdx.y], sum);
    }
}

__global__ void sums_of_rows(float *sums, const float *v)
{
    float mine = 0;
    for (unsigned c = threadIdx.x; c < fused_width; c += blockDim.x)
        mine += v[blockIdx.x * fused_width + c];
    mine = sum_of_block(mine);
    if (threadIdx.x == 0)
        sums[blockIdx.x] = mine;
}

struct one_pass : arrays {
    int open()
    {
        CUGATE_TRY(x.fill(fused_rows * fused_width, 1));
        CUGATE_TRY(zeros(sums, fused_rows));
        return out.allocate(x.count);
    }
    int verify(cugate::why &why)
    {
        CUGATE_TRY(out.compare(
            why, [&](size_t i) { return std::sqrt(x.host[i]); }, 1e-6));
        return sums.compare(
            why,
            [&](size_t r) {
                double sum = 0;
                for (unsigned c = 0; c < fused_width; c++)
                    sum += std::sqrt(x.host[r * fused_width + c]);
                return sum;
            },
            1e-4);
    }
    void run()
    {
        roots<<<dim3(fused_width / 256, fused_rows), 256>>>(out.data, sums.data, x.data);
        if (!changed)
            sums_of_rows<<<fused_rows, 256>>>(sums.data, out.data);
    }
};

/* ---- Structs turned to arrays: requests for fewer sectors ---- */

constexpr unsigned bodies = 1 << 21, body_words = 8;

__global__ void distances(float *out, const float *v)
{
    const unsigned i = thread_index();
    float4 p;
    if (changed)
        p = {v[i], v[bodies + i], v[2 * bodies + i], 0};
    else
        p = reinterpret_cast<const float4 *>(v)[2 * i];
    out[i] = sqrtf(p.x * p.x + p.y * p.y + p.z * p.z);
}

struct arrays_of_fields : arrays {
    int open()
    {
        CUGATE_TRY(x.fill(bodies * body_words, [](size_t i) {
            return cugate::uniform(1, changed ? i % bodies * body_words + i / bodies : i);
        }));
        return out.allocate(bodies);
    }
    double want(size_t i)
    {
        double sum = 0;
        for (unsigned f = 0; f < 3; f++)
            sum += std::pow(cugate::uniform(1, i * body_words + f), 2);
        return std::sqrt(sum);
    }
    void run()
    {
        distances<<<bodies / 256, 256>>>(out.data, x.data);
    }
};

/* ---- Classes counted by ballots: instructions for fewer atomics ---- */

constexpr unsigned class_count = 4, class_segment = 65536;

__global__ void count_classes(unsigned *counts, const unsigned *v)
{
    const unsigned i = thread_index(), mine = v[i] % class_count, lane = threadIdx.x % 32;
    unsigned *const of = counts + i / class_segment * class_count;
    if (changed) {
        unsigned found = 0;
#pragma unroll
        for (unsigned c = 0; c < class_count; c++) {
            const unsigned lanes = __ballot_sync(~0u, mine == c);
            found = lane == c ? __popc(lanes) : found;
        }
        if (lane < class_count)
            atomicAdd(&of[lane], found);
    } else
        atomicAdd(&of[mine], 1u);
}

struct ballot_counts : arrays {
    int open()
    {
        CUGATE_TRY(n.fill(1 << 22, 1));
        expected.assign(n.count / class_segment * class_count, 0);
        for (size_t i = 0; i < n.count; i++)
            expected[i / class_segment * class_count + n.host[i] % class_count]++;
        return zeros(total, expected.size());
    }
    void run()
    {
        count_classes<<<unsigned(n.count) / 256, 256>>>(total.data, n.data);
    }
};

/* ---- A transform with a swizzled index: instructions for fewer bank conflicts ---- */

__global__ void convolved(float *out, const float *v)
{
    constexpr unsigned size = 1024;
    __shared__ float mine[size];
    const auto at = [](unsigned i) { return changed ? swizzled(i) : i; };
    const unsigned first = blockIdx.x * size;
#pragma unroll
    for (unsigned i = threadIdx.x; i < size; i += 256)
        mine[at(i)] = v[first + i];
    walsh<size, 256>(mine, at);
#pragma unroll
    for (unsigned i = threadIdx.x; i < size; i += 256)
        mine[at(i)] *= transformed<size>::scale(i) / size;
    walsh<size, 256>(mine, at);
#pragma unroll
    for (unsigned i = threadIdx.x; i < size; i += 256)
        out[first + i] = mine[at(i)];
}

struct swizzled_index : transformed<1024> {
    void run()
    {
        convolved<<<count / 1024, 256>>>(out.data, x.data);
    }
};

/* ---- Weights in bytes: instructions for fewer sectors ---- */

constexpr unsigned layer_rows = 8192, layer_width = 2048;

__host__ __device__ inline int layer_weight(size_t i)
{
    return int(cugate::hash32(1, i) % 128);
}

__global__ void layer(float *out, const void *weights, const float *v)
{
    const unsigned row = thread_index() / 32, lane = threadIdx.x % 32;
    float sum = 0;
#pragma unroll 8
    for (unsigned c = lane; c < layer_width / 4; c += 32) {
        const float4 x = reinterpret_cast<const float4 *>(v)[c];
        float4 w;
        if (changed) {
            const char4 q = static_cast<const char4 *>(weights)[row * (layer_width / 4) + c];
            w = {float(q.x), float(q.y), float(q.z), float(q.w)};
        } else
            w = static_cast<const float4 *>(weights)[row * (layer_width / 4) + c];
        sum += (w.x * x.x + w.y * x.y) + (w.z * x.z + w.w * x.w);
    }
    sum = sum_of_warp(sum);
    if (lane == 0)
        out[row] = sum;
}

struct weights_in_bytes : arrays {
    int open()
    {
        constexpr size_t count = size_t(layer_rows) * layer_width;
        CUGATE_TRY(y.fill(layer_width, 2));
        CUGATE_TRY(out.allocate(layer_rows));
        if (!changed)
            return x.fill(count, layer_weight);
        return n.fill(count / 4, [](size_t i) {
            unsigned word = 0;
            for (unsigned b = 0; b < 4; b++)
                word |= unsigned(layer_weight(4 * i + b)) << 8 * b;
            return word;
        });
    }
    double want(size_t r)
    {
        double sum = 0;
        for (unsigned c = 0; c < layer_width; c++)
            sum += layer_weight(r * layer_width + c) * double(y.host[c]);
        return sum;
    }
    void run()
    {
        layer<<<layer_rows / 8, 256>>>(out.data, changed ? (const void *)n.data : x.data, y.data);
    }
};

/* ---- Remainders by multiplication: sectors for fewer instructions ---- */

constexpr unsigned divided = 1 << 20, divisors = 1024;

__global__ void remainders(unsigned *out, const unsigned long long *v, const unsigned long long *by)
{
    const unsigned i = thread_index();
    const unsigned long long x = v[i];
    unsigned mixed = 0;
#pragma unroll
    for (unsigned j = 0; j < 4; j++) {
        const unsigned k = (i + j * 257) % divisors;
        const unsigned long long d = by[k];
        unsigned long long rest;
        if (changed) {
            rest = x - __umul64hi(x, by[divisors + k]) * d;
            rest -= rest >= d ? d : 0;
            rest -= rest >= d ? d : 0;
        } else
            rest = x % d;
        mixed ^= unsigned(rest);
    }
    out[i] = mixed;
}

struct magic_division : arrays {
    cugate::array<unsigned long long> values, by;
    static unsigned long long divisor(size_t k)
    {
        return (1ull << 40) + cugate::hash32(3, k) * 255ull + 1;
    }
    int open()
    {
        CUGATE_TRY(values.fill(
            divided, [](size_t i) { return (unsigned long long)cugate::hash32(1, i) << 32 | cugate::hash32(2, i); }));
        CUGATE_TRY(
            by.fill(2 * divisors, [](size_t k) { return k < divisors ? divisor(k) : ~0ull / divisor(k - divisors); }));
        return total.allocate(divided);
    }
    double want(size_t i)
    {
        unsigned mixed = 0;
        for (unsigned j = 0; j < 4; j++)
            mixed ^= unsigned(values.host[i] % by.host[(i + j * 257) % divisors]);
        return mixed;
    }
    void run()
    {
        remainders<<<divided / 256, 256>>>(total.data, values.data, by.data);
    }
};

/* ---- Work sorted by its length: sectors for less divergence ---- */

constexpr unsigned items = 1 << 20;

__host__ __device__ inline unsigned stepped(unsigned value, unsigned steps)
{
    for (unsigned k = 0; k < steps; k++)
        value = value * 1664525u + 1013904223u;
    return value;
}

__global__ void iterated(unsigned *out, const unsigned *lengths, const unsigned *order)
{
    const unsigned i = changed ? order[thread_index()] : thread_index();
    out[i] = stepped(i, lengths[i]);
}

struct sorted_lengths : arrays {
    int open()
    {
        CUGATE_TRY(n.fill(items, [](size_t i) {
            const unsigned random = cugate::hash32(1, i) % 64;
            unsigned length = 16;
            for (unsigned bit = 32; bit > 0 && random < bit; bit /= 2)
                length *= 2;
            return length;
        }));
        std::vector<unsigned> order(items);
        std::iota(order.begin(), order.end(), 0);
        std::stable_sort(order.begin(), order.end(), [&](unsigned a, unsigned b) { return n.host[a] > n.host[b]; });
        CUGATE_TRY(m.fill(items, [&](size_t i) { return order[i]; }));
        return total.allocate(items);
    }
    double want(size_t i)
    {
        return stepped(unsigned(i), n.host[i]);
    }
    void run()
    {
        iterated<<<items / 256, 256>>>(total.data, n.data, m.data);
    }
};

/* ---- Both sides' loads before the choice: sectors and instructions for fewer waits and divergent branches ---- */

constexpr unsigned choice_threads = 2 * sms * 256, choices = 32, choice_table = 4096;

__device__ float chosen_x(unsigned at, const unsigned *index, const float *x)
{
    const unsigned a = index[index[at] % choice_table];
    return sqrtf(x[a] * x[a + 1] + x[a + 2]) + x[a + 3];
}

__device__ float chosen_y(unsigned at, const unsigned *index, const float *y)
{
    const unsigned b = index[choice_table + index[choice_table + at] % choice_table];
    return y[b] / (y[b + 1] + 1) - y[b + 2];
}

__global__ void chosen(float *out, const unsigned *v, const unsigned *index, const float *x, const float *y)
{
    const unsigned i = thread_index();
    float sum = 0;
#pragma unroll 1
    for (unsigned k = 0; k < choices; k++) {
        const unsigned value = v[k * choice_threads + i], at = value / 2 % choice_table;
        if (changed) {
            const float one = chosen_x(at, index, x), other = chosen_y(at, index, y);
            sum += value % 2 ? one : other;
        } else if (value % 2)
            sum += chosen_x(at, index, x);
        else
            sum += chosen_y(at, index, y);
    }
    out[i] = sum;
}

struct both_loads : arrays {
    int open()
    {
        CUGATE_TRY(n.fill(choice_threads * choices, 1));
        CUGATE_TRY(m.fill(2 * choice_table, [](size_t i) { return cugate::hash32(2, i) % 16384; }));
        CUGATE_TRY(x.fill(16387, 3));
        CUGATE_TRY(y.fill(16386, 4));
        return out.allocate(choice_threads);
    }
    double want(size_t i)
    {
        double sum = 0;
        for (unsigned k = 0; k < choices; k++) {
            const unsigned value = n.host[k * choice_threads + i], at = value / 2 % choice_table;
            const float *one = &x.host[m.host[m.host[at] % choice_table]];
            const float *other = &y.host[m.host[choice_table + m.host[choice_table + at] % choice_table]];
            sum += value % 2 ? std::sqrt(one[0] * one[1] + one[2]) + one[3] : other[0] / (other[1] + 1) - other[2];
        }
        return sum;
    }
    void run()
    {
        chosen<<<2 * sms, 256>>>(out.data, n.data, m.data, x.data, y.data);
    }
};

/* ---- Euclid's algorithm that ends when it can: divergence for fewer instructions ---- */

__global__ void divisors_of(unsigned *out, const unsigned *v, const unsigned *w)
{
    const unsigned i = thread_index();
    unsigned a = v[i], b = w[i];
    for (unsigned k = 0; changed ? b != 0 : k < 47; k++) {
        const unsigned rest = a % (b ? b : 1);
        a = b ? b : a;
        b = rest;
    }
    out[i] = a;
}

struct early_exit : arrays {
    int open()
    {
        CUGATE_TRY(n.fill(items, 1));
        CUGATE_TRY(m.fill(items, 2));
        return total.allocate(items);
    }
    double want(size_t i)
    {
        return std::gcd(n.host[i], m.host[i]);
    }
    void run()
    {
        divisors_of<<<items / 256, 256>>>(total.data, n.data, m.data);
    }
};

/* ---- Tiles that are copied while others are used: instructions and shared memory for shorter waits ---- */

constexpr unsigned stream_blocks = 2 * sms, stream_tiles = 64, stream_tile = 512, stages = changed ? 4 : 1;

__global__ void deviations(float *out, const float *v, const float *of)
{
    __shared__ float4 tile[stages][stream_tile / 4];
    const unsigned t = threadIdx.x, part = t % 4;
    const float4 *from = reinterpret_cast<const float4 *>(v) + blockIdx.x * (stream_tiles * stream_tile / 4) + t;
    const float mine = of[blockIdx.x * 32 + t / 4];
    float sum = 0;
    const auto fetch = [&](unsigned k) {
        if (k < stream_tiles)
            __pipeline_memcpy_async(&tile[k % stages][t], &from[k * (stream_tile / 4)], 16);
        __pipeline_commit();
    };
    for (unsigned k = 0; k + 1 < stages; k++)
        fetch(k);
    for (unsigned k = 0; k < stream_tiles; k++) {
        if (changed) {
            __pipeline_wait_prior(stages - 2);
            __syncthreads();
            fetch(k + stages - 1);
        } else {
            const float4 next = from[k * (stream_tile / 4)];
            __syncthreads();
            tile[0][t] = next;
            __syncthreads();
        }
#pragma unroll 8
        for (unsigned j = part; j < stream_tile / 4; j += 4) {
            const float4 x = tile[k % stages][j];
            sum += (fabsf(x.x - mine) + fabsf(x.y - mine)) + (fabsf(x.z - mine) + fabsf(x.w - mine));
        }
    }
    out[thread_index()] = sum;
}

struct copied_ahead : arrays {
    int open()
    {
        CUGATE_TRY(x.fill(stream_blocks * stream_tiles * stream_tile, 1));
        CUGATE_TRY(y.fill(stream_blocks * 32, 2));
        return out.allocate(stream_blocks * 128);
    }
    double want(size_t i)
    {
        const float *from = &x.host[i / 128 * stream_tiles * stream_tile];
        double sum = 0;
        for (unsigned k = unsigned(i % 4) * 4; k < stream_tiles * stream_tile; k += 16)
            for (unsigned j = 0; j < 4; j++)
                sum += std::fabs(from[k + j] - y.host[i / 4]);
        return sum;
    }
    void run()
    {
        deviations<<<stream_blocks, 128>>>(out.data, x.data, y.data);
    }
};

/* ---- A product by larger tiles in registers: occupancy for fewer instructions and sectors ---- */

__global__ void product_of_tiles(const float *a, const float *b, float *c, unsigned n, unsigned k)
{
    product_tile<changed ? 64 : 32, changed ? 4 : 1, changed ? 16 : 32>(a, b, c, n, k);
}

struct register_tile : product<512, 1024, 512> {
    void run()
    {
        launch<changed ? 64 : 32, changed ? 4 : 1>(product_of_tiles);
    }
};

/* ---- Sums of rows, a warp a row: instructions for fewer sectors ---- */

constexpr unsigned summed_rows = 65536, summed_width = 128;

__global__ void long_rows(float *out, const float *v)
{
    const unsigned lanes = changed ? 32 : 1, row = thread_index() / lanes;
    float sum = 0;
    for (unsigned c = changed ? threadIdx.x % 32 : 0; c < summed_width; c += lanes)
        sum += v[row * summed_width + c];
    if (changed)
        sum = sum_of_warp(sum);
    if (threadIdx.x % lanes == 0)
        out[row] = sum;
}

struct warp_rows : arrays {
    int open()
    {
        CUGATE_TRY(x.fill(summed_rows * summed_width, 1));
        return out.allocate(summed_rows);
    }
    double want(size_t r)
    {
        const float *from = &x.host[r * summed_width];
        return std::accumulate(from, from + summed_width, 0.0);
    }
    void run()
    {
        long_rows<<<summed_rows *(changed ? 32 : 1) / 256, 256>>>(out.data, x.data);
    }
};

/* ---- Sparse rows, a warp a row (and in slower.cuh, of rows that are too short for that) ---- */

__global__ void sparse_rows(float *out, const unsigned *begin, const unsigned *columns, const float *values,
                            const float *v)
{
    const unsigned lanes = changed ? 32 : 1, row = thread_index() / lanes;
    float sum = 0;
    for (unsigned k = begin[row] + (changed ? threadIdx.x % 32 : 0); k < begin[row + 1]; k += lanes)
        sum += values[k] * v[columns[k]];
    if (changed)
        sum = sum_of_warp(sum);
    if (threadIdx.x % lanes == 0)
        out[row] = sum;
}

template <unsigned rows, unsigned least, unsigned most> struct sparse : arrays {
    int open()
    {
        unsigned begin = 0;
        CUGATE_TRY(n.fill(rows + 1, [&](size_t r) {
            const unsigned now = begin;
            begin += least + cugate::hash32(1, r) % (most - least + 1);
            return now;
        }));
        CUGATE_TRY(m.fill(n.host[rows], [](size_t k) { return cugate::hash32(2, k) % 65536; }));
        CUGATE_TRY(x.fill(n.host[rows], 3));
        CUGATE_TRY(y.fill(65536, 4));
        return out.allocate(rows);
    }
    double want(size_t r)
    {
        double sum = 0;
        for (unsigned k = n.host[r]; k < n.host[r + 1]; k++)
            sum += double(x.host[k]) * y.host[m.host[k]];
        return sum;
    }
    void run()
    {
        sparse_rows<<<rows *(changed ? 32 : 1) / 256, 256>>>(out.data, n.data, m.data, x.data, y.data);
    }
};

using sparse_vector = sparse<32768, 16, 112>; /* instructions for fewer sectors and waits */

/* ---- Eight copies of a histogram that has a favourite: instructions and shared memory for fewer conflicts ---- */

constexpr unsigned skewed_bins = 256, copies = changed ? 8 : 1;

__host__ __device__ inline unsigned skewed_bin(unsigned value)
{
    return value % 4 ? 17 : value / 4 % skewed_bins;
}

__global__ void weighed_histogram(unsigned *bins, const unsigned *v, unsigned count)
{
    __shared__ unsigned mine[skewed_bins * copies];
    for (unsigned b = threadIdx.x; b < skewed_bins * copies; b += blockDim.x)
        mine[b] = 0;
    __syncthreads();
    for (unsigned i = thread_index(); i < count; i += grid_threads())
        atomicAdd(&mine[skewed_bin(v[i]) * copies + threadIdx.x % copies], v[i] >> 28);
    __syncthreads();
    for (unsigned b = threadIdx.x; b < skewed_bins; b += blockDim.x) {
        unsigned sum = 0;
        for (unsigned c = 0; c < copies; c++)
            sum += mine[b * copies + c];
        atomicAdd(&bins[b], sum);
    }
}

struct copied_histogram : arrays {
    int open()
    {
        CUGATE_TRY(n.fill(1 << 22, 1));
        expected.assign(skewed_bins, 0);
        for (unsigned value : n.host)
            expected[skewed_bin(value)] += value >> 28;
        return zeros(total, skewed_bins);
    }
    void run()
    {
        weighed_histogram<<<4 * sms, 256>>>(total.data, n.data, unsigned(n.count));
    }
};

/* ---- Smaller blocks for a fuller last round: instructions and sectors for a better balance ---- */

constexpr unsigned series_terms = 512, series_blocks = 300, series_threads = changed ? 256 : 1024;
constexpr unsigned series_count = series_blocks * 1024 * 4;

__global__ void __launch_bounds__(1024) series(float *out, const float *v, const float *coefficients)
{
    __shared__ float4 shared[series_terms / 4];
    if (threadIdx.x < series_terms / 4)
        shared[threadIdx.x] = reinterpret_cast<const float4 *>(coefficients)[threadIdx.x];
    __syncthreads();
    const float4 x = reinterpret_cast<const float4 *>(v)[thread_index()];
    float4 sum = {};
    const auto add = [&](float c) { sum = {sum.x * x.x + c, sum.y * x.y + c, sum.z * x.z + c, sum.w * x.w + c}; };
#pragma unroll 4
    for (unsigned j = 0; j < series_terms / 4; j++) {
        const float4 c = shared[j];
        add(c.x);
        add(c.y);
        add(c.z);
        add(c.w);
    }
    reinterpret_cast<float4 *>(out)[thread_index()] = sum;
}

struct smaller_blocks : arrays {
    int open()
    {
        CUGATE_TRY(x.fill(series_count, [](size_t i) { return 0.5f * cugate::uniform(1, i); }));
        CUGATE_TRY(y.fill(series_terms, 2));
        return out.allocate(series_count);
    }
    double want(size_t i)
    {
        float sum = 0; /* half to the power of more than 40 changes no digit */
        for (unsigned j = series_terms - 40; j < series_terms; j++)
            sum = sum * x.host[i] + y.host[j];
        return sum;
    }
    void run()
    {
        series<<<series_count / 4 / series_threads, series_threads>>>(out.data, x.data, y.data);
    }
};

/* ---- A sum in one launch: atomics for the second one's instructions and waits ---- */

constexpr unsigned summed = 1 << 23, partial = 4096;

__global__ void partial_sums(float *to, const float *v)
{
    float mine = 0;
#pragma unroll
    for (unsigned k = 0; k < summed / partial; k += 256)
        mine += v[blockIdx.x * (summed / partial) + k + threadIdx.x];
    mine = sum_of_block(mine);
    if (threadIdx.x == 0) {
        if (changed)
            atomicAdd(to, mine);
        else
            to[blockIdx.x] = mine;
    }
}

__global__ void last_sum(float *out, const float *v, unsigned count)
{
    float mine = 0;
    for (unsigned i = threadIdx.x; i < count; i += blockDim.x)
        mine += v[i];
    mine = sum_of_block(mine);
    if (threadIdx.x == 0)
        *out = mine;
}

struct one_launch : arrays {
    int open()
    {
        CUGATE_TRY(x.fill(summed, 1));
        expected.assign(1, std::accumulate(x.host.begin(), x.host.end(), 0.0));
        CUGATE_TRY(sums.allocate(partial));
        return zeros(out, 1);
    }
    void run()
    {
        partial_sums<<<partial, 256>>>(changed ? out.data : sums.data, x.data);
        if (!changed)
            last_sum<<<1, 1024>>>(out.data, sums.data, partial);
    }
};

/* ---- A search whose first steps are in shared memory: instructions and wavefronts for fewer sectors ---- */

constexpr unsigned sorted_count = 1 << 20, tree_steps = 10, searches = 1 << 21;

__global__ void search(unsigned *out, const float *v, const float *sorted)
{
    __shared__ float tree[1 << tree_steps]; /* node k has the children 2 k and 2 k + 1 */
    if (changed) {
        for (unsigned k = threadIdx.x + 1; k < 1 << tree_steps; k += blockDim.x) {
            const unsigned level = 31 - __clz(k), at = 2 * (k - (1u << level)) + 1;
            tree[k] = sorted[at * (sorted_count >> (level + 1)) - 1];
        }
        __syncthreads();
    }
    for (unsigned i = thread_index(); i < searches; i += grid_threads()) {
        const float x = v[i];
        unsigned found = 0, size = sorted_count / 2;
        if (changed) {
            unsigned k = 1;
#pragma unroll
            for (unsigned step = 0; step < tree_steps; step++)
                k = 2 * k + (tree[k] < x);
            found = (k - (1u << tree_steps)) * (sorted_count >> tree_steps);
            size >>= tree_steps;
        }
        for (; size > 0; size /= 2)
            found += sorted[found + size - 1] < x ? size : 0;
        out[i] = found;
    }
}

struct tree_top : arrays {
    int open()
    {
        CUGATE_TRY(y.fill(sorted_count, [](size_t i) { return float(i) * 0x1p-20f; }));
        CUGATE_TRY(x.fill(searches, 1));
        return total.allocate(searches);
    }
    double want(size_t i)
    {
        return std::min(unsigned(std::ceil(x.host[i] * 0x1p20f)), sorted_count - 1);
    }
    void run()
    {
        search<<<8 * sms, 256>>>(total.data, x.data, y.data);
    }
};
