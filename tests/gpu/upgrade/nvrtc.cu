/* Twenty kernels of the kinds that programs compile at run time, for NVRTC: ../upgrade.sh says how. No header is
 * included. Their launches are in nvrtc.txt. */

/* ---- Elementwise */

extern "C" __global__ void saxpy(float *y, const float *x, float a, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        y[i] = a * x[i] + y[i];
}

extern "C" __global__ void gelu(float *y, const float *x, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const float v = x[i];
        y[i] = 0.5f * v * (1 + tanhf(0.7978845608f * (v + 0.044715f * v * v * v)));
    }
}

__device__ float normal_distribution(float d)
{
    const float k = 1 / (1 + 0.2316419f * fabsf(d));
    const float polynomial =
        k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    const float tail = 0.39894228f * expf(-0.5f * d * d) * polynomial;
    return d > 0 ? 1 - tail : tail;
}

extern "C" __global__ void black_scholes(float *call, float *put, const float *price, const float *strike,
                                         const float *years, float rate, float volatility, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const float root = sqrtf(years[i]);
    const float d1 =
        (logf(price[i] / strike[i]) + (rate + 0.5f * volatility * volatility) * years[i]) / (volatility * root);
    const float d2 = d1 - volatility * root, discount = expf(-rate * years[i]);
    call[i] = price[i] * normal_distribution(d1) - strike[i] * discount * normal_distribution(d2);
    put[i] = strike[i] * discount * normal_distribution(-d2) - price[i] * normal_distribution(-d1);
}

extern "C" __global__ void mandelbrot(int *out, int width, int height, int limit)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    const float a = -2 + 3.0f * x / width, b = -1 + 2.0f * y / height;
    float u = 0, v = 0;
    int i = 0;
    for (; i < limit && u * u + v * v < 4; i++) {
        const float next = u * u - v * v + a;
        v = 2 * u * v + b;
        u = next;
    }
    out[y * width + x] = i;
}

/* Random numbers of Philox 4x32-10. */
extern "C" __global__ void philox(uint4 *out, unsigned key0, unsigned key1, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    uint4 c = make_uint4(i, 0, 0, 0);
#pragma unroll
    for (int round = 0; round < 10; round++) {
        const unsigned high0 = __umulhi(0xD2511F53u, c.x), high1 = __umulhi(0xCD9E8D57u, c.z);
        c = make_uint4(high1 ^ c.y ^ key0, 0xCD9E8D57u * c.z, high0 ^ c.w ^ key1, 0xD2511F53u * c.x);
        key0 += 0x9E3779B9u;
        key1 += 0xBB67AE85u;
    }
    out[i] = c;
}

__device__ unsigned rotate(unsigned x, int by)
{
    return x << by | x >> (32 - by);
}

/* Integer mixing as hashes do it: rotations, choices and sums in a chain of 64 rounds. */
extern "C" __global__ void hash_rounds(unsigned *out, const unsigned *in, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned w[16], a = 0x6a09e667u, b = 0xbb67ae85u, c = 0x3c6ef372u, d = 0xa54ff53au;
#pragma unroll
    for (int k = 0; k < 16; k++)
        w[k] = in[i] + k;
#pragma unroll
    for (int k = 0; k < 64; k++) {
        const unsigned t = d + ((a & b) ^ (~a & c)) + (rotate(a, 26) ^ rotate(a, 21) ^ rotate(a, 7)) + w[k & 15];
        w[k & 15] += rotate(w[(k + 14) & 15], 15) + w[(k + 9) & 15] + (w[(k + 1) & 15] >> 3);
        d = c;
        c = b;
        b = a;
        a = t + ((b & c) | (c & d));
    }
    out[i] = a ^ b ^ c ^ d;
}

/* ---- Reductions, scans and rows */

__device__ float warp_sum(float v)
{
    for (int by = 16; by > 0; by /= 2)
        v += __shfl_down_sync(~0u, v, by);
    return v;
}

__device__ float block_sum(float v)
{
    __shared__ float parts[32], all;
    v = warp_sum(v);
    if (threadIdx.x % 32 == 0)
        parts[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x < 32) {
        v = warp_sum(threadIdx.x < blockDim.x / 32 ? parts[threadIdx.x] : 0);
        if (threadIdx.x == 0)
            all = v;
    }
    __syncthreads();
    return all;
}

extern "C" __global__ void reduce_shuffle(float *out, const float *in, int n)
{
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += in[i];
    sum = block_sum(sum);
    if (threadIdx.x == 0)
        out[blockIdx.x] = sum;
}

extern "C" __global__ void scan_blocks(float *out, const float *in, int n)
{
    __shared__ float sums[256];
    const int i = blockIdx.x * 256 + threadIdx.x;
    sums[threadIdx.x] = i < n ? in[i] : 0;
    for (int by = 1; by < 256; by *= 2) {
        __syncthreads();
        const float add = threadIdx.x >= by ? sums[threadIdx.x - by] : 0;
        __syncthreads();
        sums[threadIdx.x] += add;
    }
    if (i < n)
        out[i] = sums[threadIdx.x];
}

/* A row of 1024 numbers a block of 256 threads. */
extern "C" __global__ void softmax(float *out, const float *in)
{
    const float *row = in + 1024 * (size_t)blockIdx.x;
    float v[4], most = -1e30f, sum = 0;
    for (int k = 0; k < 4; k++) {
        v[k] = row[threadIdx.x + 256 * k];
        most = fmaxf(most, v[k]);
    }
    __shared__ float parts[8];
    for (int by = 16; by > 0; by /= 2)
        most = fmaxf(most, __shfl_xor_sync(~0u, most, by));
    if (threadIdx.x % 32 == 0)
        parts[threadIdx.x / 32] = most;
    __syncthreads();
    for (int k = 0; k < 8; k++)
        most = fmaxf(most, parts[k]);
    for (int k = 0; k < 4; k++)
        sum += v[k] = expf(v[k] - most);
    sum = block_sum(sum);
    for (int k = 0; k < 4; k++)
        out[1024 * (size_t)blockIdx.x + threadIdx.x + 256 * k] = v[k] / sum;
}

extern "C" __global__ void layernorm(float *out, const float *in, const float *weight, const float *bias)
{
    const float *row = in + 1024 * (size_t)blockIdx.x;
    float v[4], sum = 0, squares = 0;
    for (int k = 0; k < 4; k++)
        sum += v[k] = row[threadIdx.x + 256 * k];
    const float mean = block_sum(sum) / 1024;
    for (int k = 0; k < 4; k++)
        squares += (v[k] - mean) * (v[k] - mean);
    __syncthreads();
    const float scale = rsqrtf(block_sum(squares) / 1024 + 1e-5f);
    for (int k = 0; k < 4; k++) {
        const int at = threadIdx.x + 256 * k;
        out[1024 * (size_t)blockIdx.x + at] = (v[k] - mean) * scale * weight[at] + bias[at];
    }
}

extern "C" __global__ void histogram(unsigned *bins, const unsigned *in, int n)
{
    __shared__ unsigned counts[256];
    counts[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256)
        for (int byte = 0; byte < 4; byte++)
            atomicAdd(&counts[in[i] >> 8 * byte & 255], 1);
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], counts[threadIdx.x]);
}

/* ---- Grids and neighbours */

extern "C" __global__ void stencil(float *out, const float *in, int nx, int ny, int nz)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= nx - 1 || y >= ny - 1)
        return;
    const int plane = nx * ny;
    int at = y * nx + x + plane;
    float below = in[at - plane], here = in[at];
    for (int z = 1; z < nz - 1; z++, at += plane) {
        const float above = in[at + plane];
        out[at] = 0.4f * here + 0.1f * (below + above + in[at - 1] + in[at + 1] + in[at - nx] + in[at + nx]);
        below = here;
        here = above;
    }
}

extern "C" __global__ void conv2d(float *out, const float *in, const float *weights, int width, int height)
{
    __shared__ float tile[20][20];
    const int x0 = 16 * blockIdx.x, y0 = 16 * blockIdx.y, thread = 16 * threadIdx.y + threadIdx.x;
    for (int i = thread; i < 400; i += 256) {
        const int x = x0 + i % 20 - 2, y = y0 + i / 20 - 2;
        tile[i / 20][i % 20] = x >= 0 && y >= 0 && x < width && y < height ? in[y * width + x] : 0;
    }
    __syncthreads();
    float sum = 0;
    for (int dy = 0; dy < 5; dy++)
        for (int dx = 0; dx < 5; dx++)
            sum += weights[5 * dy + dx] * tile[threadIdx.y + dy][threadIdx.x + dx];
    if (x0 + threadIdx.x < width && y0 + threadIdx.y < height)
        out[(y0 + threadIdx.y) * width + x0 + threadIdx.x] = sum;
}

extern "C" __global__ void nbody(float4 *out, const float4 *bodies, int n)
{
    __shared__ float4 tile[256];
    const float4 mine = bodies[blockIdx.x * 256 + threadIdx.x];
    float ax = 0, ay = 0, az = 0;
    for (int first = 0; first < n; first += 256) {
        __syncthreads();
        tile[threadIdx.x] = bodies[first + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < 256; k++) {
            const float dx = tile[k].x - mine.x, dy = tile[k].y - mine.y, dz = tile[k].z - mine.z;
            const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-4f);
            const float force = tile[k].w * inverse * inverse * inverse;
            ax += force * dx;
            ay += force * dy;
            az += force * dz;
        }
    }
    out[blockIdx.x * 256 + threadIdx.x] = make_float4(ax, ay, az, 0);
}

extern "C" __global__ void transpose(float *out, const float *in, int n)
{
    __shared__ float tile[32][33];
    int x = 32 * blockIdx.x + threadIdx.x, y = 32 * blockIdx.y + threadIdx.y;
    for (int k = 0; k < 32; k += 8)
        tile[threadIdx.y + k][threadIdx.x] = in[(size_t)(y + k) * n + x];
    __syncthreads();
    x = 32 * blockIdx.y + threadIdx.x;
    y = 32 * blockIdx.x + threadIdx.y;
    for (int k = 0; k < 32; k += 8)
        out[(size_t)(y + k) * n + x] = tile[threadIdx.x][threadIdx.y + k];
}

/* ---- Matrices */

extern "C" __global__ void matmul(float *c, const float *a, const float *b, int n)
{
    __shared__ float as[16][64], bs[16][64];
    const int row = 64 * blockIdx.y, column = 64 * blockIdx.x, thread = 16 * threadIdx.y + threadIdx.x;
    float sums[4][4] = {};
    for (int first = 0; first < n; first += 16) {
        for (int k = thread; k < 1024; k += 256) {
            as[k % 16][k / 16] = a[(row + k / 16) * n + first + k % 16];
            bs[k / 64][k % 64] = b[(first + k / 64) * n + column + k % 64];
        }
        __syncthreads();
        for (int k = 0; k < 16; k++)
            for (int i = 0; i < 4; i++)
                for (int j = 0; j < 4; j++)
                    sums[i][j] += as[k][4 * threadIdx.y + i] * bs[k][4 * threadIdx.x + j];
        __syncthreads();
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            c[(row + 4 * threadIdx.y + i) * n + column + 4 * threadIdx.x + j] = sums[i][j];
}

/* A row a warp. */
extern "C" __global__ void matvec(float *y, const float *a, const float *x, int n)
{
    const int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    float sum = 0;
    for (int i = threadIdx.x % 32; i < n; i += 32)
        sum += a[(size_t)row * n + i] * x[i];
    sum = warp_sum(sum);
    if (threadIdx.x % 32 == 0)
        y[row] = sum;
}

extern "C" __global__ void spmv_csr(float *y, const int *starts, const int *columns, const float *values,
                                    const float *x, int rows)
{
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 8, lane = threadIdx.x % 8;
    if (row >= rows)
        return;
    float sum = 0;
    for (int i = starts[row] + lane; i < starts[row + 1]; i += 8)
        sum += values[i] * x[columns[i]];
    for (int by = 4; by > 0; by /= 2)
        sum += __shfl_down_sync(~0u, sum, by, 8);
    if (lane == 0)
        y[row] = sum;
}

/* ---- Butterflies and networks */

/* A transform of 512 complex numbers by a block of 256 threads, without the reversal of bits. */
extern "C" __global__ void fft_butterflies(float2 *out, const float2 *in)
{
    __shared__ float2 v[512];
    const size_t base = 512 * (size_t)blockIdx.x;
    v[threadIdx.x] = in[base + threadIdx.x];
    v[threadIdx.x + 256] = in[base + threadIdx.x + 256];
    for (int half = 256; half > 0; half /= 2) {
        __syncthreads();
        const int k = threadIdx.x % half, at = 2 * (threadIdx.x - k) + k;
        float sine, cosine;
        __sincosf(-3.14159265f * k / half, &sine, &cosine);
        const float2 a = v[at], b = v[at + half];
        const float2 d = make_float2(a.x - b.x, a.y - b.y);
        v[at] = make_float2(a.x + b.x, a.y + b.y);
        v[at + half] = make_float2(d.x * cosine - d.y * sine, d.x * sine + d.y * cosine);
    }
    __syncthreads();
    out[base + threadIdx.x] = v[threadIdx.x];
    out[base + threadIdx.x + 256] = v[threadIdx.x + 256];
}

/* Sorts 32 numbers a thread, in registers, by the bitonic network. */
extern "C" __global__ void sort_network(float *out, const float *in, int n)
{
    const int thread = blockIdx.x * blockDim.x + threadIdx.x;
    float v[32];
#pragma unroll
    for (int i = 0; i < 32; i++)
        v[i] = in[i * n + thread];
#pragma unroll
    for (int size = 2; size <= 32; size *= 2)
#pragma unroll
        for (int by = size / 2; by > 0; by /= 2)
#pragma unroll
            for (int i = 0; i < 32; i++)
                if ((i ^ by) > i) {
                    const float least = fminf(v[i], v[i ^ by]), most = fmaxf(v[i], v[i ^ by]);
                    v[i] = i & size ? most : least;
                    v[i ^ by] = i & size ? least : most;
                }
#pragma unroll
    for (int i = 0; i < 32; i++)
        out[i * n + thread] = v[i];
}
