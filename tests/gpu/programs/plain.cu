/* A plain CUDA program for tests/gpu/exec.sh: eight launches in turn, of about 2 to 300 us on an H200, with 512 MiB of
 * device memory; two of them are one kernel in two shapes. Prints check sums, which are the same every time: whole
 * numbers only, added in any order.
 *
 *     plain [LAUNCHES [END]]    LAUNCHES is 1000; END, a row of `ends`, says how the program ends
 *
 *     nvcc -std=c++20 -O3 -lineinfo -arch=sm_90 -o plain tests/gpu/programs/plain.cu
 *
 * which links the CUDA runtime in, as nvcc does by itself. */
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <unistd.h>

#define ROWS(table) (sizeof(table) / sizeof((table)[0]))

namespace {

constexpr unsigned threads = 256;
constexpr unsigned side = 4096; /* of the matrix that is transposed */
constexpr unsigned tile = 32;
constexpr unsigned words = 1u << 25; /* of each of the four arrays: 128 MiB */
constexpr unsigned bins = 256;
constexpr int failed = 9; /* exit code after an error of CUDA */

struct memory {
    uint32_t *a, *b, *c, *d;
    unsigned long long *sums; /* of sum_words, then a bin each */
};

void check(cudaError_t result, const char *what)
{
    if (result == cudaSuccess)
        return;
    std::fprintf(stderr, "plain: %s: %s\n", what, cudaGetErrorString(result));
    std::exit(failed);
}

__device__ uint32_t mix(uint32_t h)
{
    h = (h ^ (h >> 16)) * 0x85ebca6bu;
    return h ^ (h >> 13);
}

__global__ void add_one(uint32_t *data)
{
    data[blockIdx.x * blockDim.x + threadIdx.x] += 1;
}

__global__ void copy_words(const uint32_t *in, uint32_t *out)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i];
}

__global__ void transpose(const uint32_t *in, uint32_t *out)
{
    __shared__ uint32_t words_of_tile[tile][tile + 1];
    const unsigned column = blockIdx.x * tile, row = blockIdx.y * tile;
    for (unsigned k = threadIdx.y; k < tile; k += blockDim.y)
        words_of_tile[k][threadIdx.x] = in[(row + k) * side + column + threadIdx.x];
    __syncthreads();
    for (unsigned k = threadIdx.y; k < tile; k += blockDim.y)
        out[(column + k) * side + row + threadIdx.x] = words_of_tile[threadIdx.x][k];
}

__global__ void sum_words(const uint32_t *in, unsigned count, unsigned long long *sum)
{
    __shared__ unsigned long long partial[threads];
    unsigned long long mine = 0;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        mine += in[i];
    partial[threadIdx.x] = mine;
    for (unsigned half = threads / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            partial[threadIdx.x] += partial[threadIdx.x + half];
    }
    if (threadIdx.x == 0)
        atomicAdd(sum, partial[0]);
}

__global__ void count_bytes(const uint32_t *in, unsigned count, unsigned long long *counts)
{
    __shared__ unsigned mine[bins];
    mine[threadIdx.x] = 0; /* as many threads as bins */
    __syncthreads();
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        atomicAdd(&mine[in[i] >> 24], 1u);
    __syncthreads();
    atomicAdd(&counts[threadIdx.x], static_cast<unsigned long long>(mine[threadIdx.x]));
}

__global__ void combine(const uint32_t *x, const uint32_t *y, uint32_t *out)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = mix(x[i] ^ y[i]);
}

__global__ void mix_rounds(uint32_t *data, unsigned rounds)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    uint32_t h = data[i];
    for (unsigned round = 0; round < rounds; round++)
        h = mix(h + round);
    data[i] = h;
}

__global__ void write_at(uint32_t *where)
{
    where[threadIdx.x] = 1;
}

__global__ void spin(volatile uint32_t *data)
{
    while (*data != 0xffffffffu)
        continue;
}

/* ---- The launches, in turn. To add one: a row -------------------------------------------------------------------- */

const struct {
    const char *name;
    void (*launch)(const memory &m);
} launches[] = {
    {"add_one", [](const memory &m) { add_one<<<64, threads>>>(m.d); }},
    {"add_one of 8 MiB", [](const memory &m) { add_one<<<(1u << 21) / threads, threads>>>(m.a); }},
    {"copy_words", [](const memory &m) { copy_words<<<(1u << 23) / threads, threads>>>(m.a, m.b); }},
    {"transpose", [](const memory &m) { transpose<<<dim3(side / tile, side / tile), dim3(tile, 8)>>>(m.a, m.c); }},
    {"sum_words", [](const memory &m) { sum_words<<<1056, threads>>>(m.b, words, m.sums); }},
    {"count_bytes", [](const memory &m) { count_bytes<<<1056, threads>>>(m.c, 1u << 23, m.sums + 1); }},
    {"combine", [](const memory &m) { combine<<<words / threads, threads>>>(m.a, m.b, m.c); }},
    {"mix_rounds", [](const memory &m) { mix_rounds<<<(1u << 20) / threads, threads>>>(m.d, 1536); }},
};

/* ---- How it may end. To add a way: a row, and in exec.sh what a shell sees of it --------------------------------- */

const struct {
    const char *name;
    void (*end)(const memory &m);
} ends[] = {
    {"return", [](const memory &) {}},
    {"seven", [](const memory &) { std::exit(7); }},
    {"quick", [](const memory &) { _exit(0); }},
    {"abort", [](const memory &) { std::abort(); }},
    {"illegal",
     [](const memory &) {
         write_at<<<1, 32>>>(reinterpret_cast<uint32_t *>(64));
         check(cudaDeviceSynchronize(), "write_at");
     }},
    {"sleep", [](const memory &) { pause(); }},
    {"spin",
     [](const memory &m) {
         spin<<<1, 1>>>(m.d);
         check(cudaDeviceSynchronize(), "spin");
     }},
};

void allocate(memory &m)
{
    std::vector<uint32_t> pattern(words / 4);
    for (size_t i = 0; i < pattern.size(); i++)
        pattern[i] = static_cast<uint32_t>(i) * 2654435761u;
    for (uint32_t **array : {&m.a, &m.b, &m.c, &m.d}) {
        check(cudaMalloc(reinterpret_cast<void **>(array), words * sizeof(uint32_t)), "cudaMalloc");
        for (size_t at = 0; at < words; at += pattern.size())
            check(cudaMemcpy(*array + at, pattern.data(), pattern.size() * sizeof(uint32_t), cudaMemcpyHostToDevice),
                  "cudaMemcpy");
    }
    check(cudaMalloc(reinterpret_cast<void **>(&m.sums), (1 + bins) * sizeof(unsigned long long)), "cudaMalloc");
    check(cudaMemset(m.sums, 0, (1 + bins) * sizeof(unsigned long long)), "cudaMemset");
}

/* FNV-1a, a word at a time. */
template <class T> uint64_t hash_of(const T *device, size_t count)
{
    std::vector<T> host(count);
    check(cudaMemcpy(host.data(), device, count * sizeof(T), cudaMemcpyDeviceToHost), "cudaMemcpy");
    uint64_t hash = 0xcbf29ce484222325u;
    for (const T word : host)
        hash = (hash ^ word) * 0x100000001b3u;
    return hash;
}

void print_sums(const memory &m)
{
    constexpr size_t part = words / 16;
    for (const uint32_t *array : {m.a, m.b, m.c, m.d})
        std::printf("check %016llx %016llx\n", static_cast<unsigned long long>(hash_of(array, part)),
                    static_cast<unsigned long long>(hash_of(array + words - part, part)));
    std::printf("check %016llx\n", static_cast<unsigned long long>(hash_of(m.sums, 1 + bins)));
}

} // namespace

int main(int argc, char **argv)
{
    const unsigned long count = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 1000;
    const char *name = argc > 2 ? argv[2] : "return";
    size_t end = 0;
    while (end < ROWS(ends) && std::strcmp(ends[end].name, name) != 0)
        end++;
    if (argc > 3 || end == ROWS(ends)) {
        std::fprintf(stderr, "usage: plain [LAUNCHES [END]]\n");
        return 2;
    }
    memory m = {};
    allocate(m);
    for (unsigned long i = 0; i < count; i++) {
        const auto &row = launches[i % ROWS(launches)];
        row.launch(m);
        check(cudaGetLastError(), row.name);
    }
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    print_sums(m);
    std::fflush(stdout); /* which some ends do not do */
    ends[end].end(m);
    return 0;
}
