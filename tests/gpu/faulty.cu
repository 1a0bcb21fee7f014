/* A kernel library of kernels with one fault each, between two that are sound, for tests/gpu/run.sh: each fault must be
 * reported as its own kind, and cost its own result only.
 *
 * Problem: out[c][r] = in[r][c], 1024 x 1024 whole numbers, by tiles of 32 x 32 in shared memory.
 *
 * With CUGATE_FAULTY=unpadded in the environment the sound kernels lose the pad of their tiles: still right, but
 * with bank conflicts, which the gate must name. */
#include "cugate/kernel.h"

#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define ROWS(table) (sizeof(table) / sizeof((table)[0]))

#define TRY_CUDA(call)                                                                                                 \
    do {                                                                                                               \
        const cudaError_t try_cuda_result = (call);                                                                    \
        if (try_cuda_result != cudaSuccess)                                                                            \
            return try_cuda_result;                                                                                    \
    } while (0)

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
    uint32_t *in = nullptr, *out = nullptr, *few_out = nullptr;
    unsigned launches = 0; /* of the two variants that change their ways after a while */
};

void close_faulty(void *state)
{
    faulty *f = static_cast<faulty *>(state);
    cudaFree(f->in);
    cudaFree(f->out);
    cudaFree(f->few_out);
    delete f;
}

int allocate(faulty &f)
{
    std::vector<uint32_t> numbers(total);
    for (uint32_t i = 0; i < total; i++)
        numbers[i] = i;
    TRY_CUDA(cudaMalloc(&f.in, total * sizeof(uint32_t)));
    TRY_CUDA(cudaMalloc(&f.out, total * sizeof(uint32_t)));
    TRY_CUDA(cudaMalloc(&f.few_out, few * sizeof(uint32_t)));
    return cudaMemcpy(f.in, numbers.data(), total * sizeof(uint32_t), cudaMemcpyHostToDevice);
}

int open_faulty(const struct cugate_family *, void **state)
{
    faulty *f = new faulty;
    const int result = allocate(*f);
    if (result != 0) {
        close_faulty(f);
        return result;
    }
    *state = f;
    return 0;
}

int restore(void *state)
{
    const faulty *f = static_cast<faulty *>(state);
    TRY_CUDA(cudaMemsetAsync(f->few_out, 0xFF, few * sizeof(uint32_t)));
    return cudaMemsetAsync(f->out, 0xFF, total * sizeof(uint32_t));
}

int launch_good(void *state)
{
    const faulty *f = static_cast<faulty *>(state);
    const char *word = getenv("CUGATE_FAULTY");
    if (word && strcmp(word, "unpadded") == 0)
        faulty_transpose<tile_side><<<grid, block>>>(f->in, f->out);
    else
        faulty_transpose<tile_side + 1><<<grid, block>>>(f->in, f->out);
    return cudaGetLastError();
}

int launch_illegal_address(void *)
{
    faulty_write<<<1, 1>>>(nullptr, 0);
    return cudaGetLastError();
}

int launch_trap(void *)
{
    faulty_trap<<<1, 1>>>();
    return cudaGetLastError();
}

/* Sound when it is verified and when its launches are recorded; then counters are being read. */
int launch_trap_while_counting(void *state)
{
    return ++static_cast<faulty *>(state)->launches > 2 ? launch_trap(state) : launch_good(state);
}

int launch_uneven(void *state)
{
    const unsigned times = ++static_cast<faulty *>(state)->launches;
    for (unsigned i = 0; i < times; i++)
        TRY_CUDA(static_cast<cudaError_t>(launch_good(state)));
    return 0;
}

int launch_infinite_loop(void *)
{
    faulty_loop<<<1, 1>>>();
    return cudaGetLastError();
}

int launch_wrong_result(void *state)
{
    TRY_CUDA(static_cast<cudaError_t>(launch_good(state)));
    faulty_change_last_word<<<1, 1>>>(static_cast<faulty *>(state)->out);
    return cudaGetLastError();
}

int launch_bad(void *state)
{
    const faulty *f = static_cast<faulty *>(state);
    faulty_transpose<tile_side + 1><<<grid, dim3(tile_side, 1024)>>>(f->in, f->out);
    return cudaGetLastError();
}

int launch_abort(void *)
{
    abort();
}

int launch_out_of_bounds(void *state)
{
    faulty_write<<<1, 1>>>(static_cast<faulty *>(state)->few_out, few);
    return launch_good(state);
}

int launch_shared_race(void *state)
{
    faulty_race<<<1, threads>>>(static_cast<faulty *>(state)->few_out);
    return launch_good(state);
}

int verify(void *state, const struct cugate_variant *variant, char *why, size_t why_size)
{
    const faulty *f = static_cast<faulty *>(state);
    std::vector<uint32_t> got(total), got_few(few);
    TRY_CUDA(cudaMemcpy(got.data(), f->out, total * sizeof(uint32_t), cudaMemcpyDeviceToHost));
    TRY_CUDA(cudaMemcpy(got_few.data(), f->few_out, few * sizeof(uint32_t), cudaMemcpyDeviceToHost));
    for (uint32_t i = 0; i < total; i++) {
        const uint32_t want = i % side * side + i / side;
        if (got[i] != want) {
            snprintf(why, why_size, "out[%u]: expected %u, found %u", i, want, got[i]);
            return CUGATE_WRONG;
        }
    }
    for (unsigned i = 0; i < threads && variant->launch == launch_shared_race; i++) {
        if (got_few[i] != 1 && got_few[i] != 2) {
            snprintf(why, why_size, "few_out[%u]: expected 1 or 2, found %u", i, got_few[i]);
            return CUGATE_WRONG;
        }
    }
    return 0;
}

constexpr double bytes = 2.0 * total * sizeof(uint32_t);

/* To add a fault: its launch function above, a row here between good and good_after, and a row in run.sh. */
constexpr struct cugate_variant variants[] = {
    {.name = "good", .doc = "sound", .launch = launch_good, .bytes = bytes},
    {.name = "illegal_address", .doc = "writes to address 0", .launch = launch_illegal_address},
    {.name = "trap", .doc = "stops the GPU's program", .launch = launch_trap},
    {.name = "trap_while_counting", .doc = "does so while counters are read", .launch = launch_trap_while_counting},
    {.name = "infinite_loop", .doc = "never ends", .launch = launch_infinite_loop},
    {.name = "wrong_result", .doc = "the last word is wrong", .launch = launch_wrong_result},
    {.name = "bad_launch", .doc = "too many threads in a block", .launch = launch_bad},
    {.name = "abort", .doc = "ends the process", .launch = launch_abort},
    {.name = "uneven", .doc = "launches one kernel more each time", .launch = launch_uneven},
    {.name = "out_of_bounds", .doc = "a word behind an array, for memcheck to find", .launch = launch_out_of_bounds},
    {.name = "shared_race", .doc = "a barrier is missing, for racecheck to find", .launch = launch_shared_race},
    {.name = "good_after", .doc = "the same as good", .launch = launch_good, .bytes = bytes},
};

constexpr struct cugate_family family = {
    .name = "faulty",
    .doc = "out[c][r] = in[r][c], with faults",
    .kind = CUGATE_KERNELS,
    .open = open_faulty,
    .restore = restore,
    .verify = verify,
    .close = close_faulty,
    .variants = variants,
    .variant_count = ROWS(variants),
};

constexpr const struct cugate_family *families[] = {&family};

int synchronize()
{
    const cudaError_t executed = cudaDeviceSynchronize();
    const cudaError_t launched = cudaGetLastError();
    return launched != cudaSuccess ? launched : executed;
}

const char *error_text(int code)
{
    return cudaGetErrorString(static_cast<cudaError_t>(code));
}

constexpr struct cugate_library library = {
    .abi = CUGATE_KERNEL_ABI,
    .compiler = "nvcc",
    .flags = "",
    .families = families,
    .family_count = ROWS(families),
    .synchronize = synchronize,
    .error_text = error_text,
};

} // namespace

extern "C" const struct cugate_library *cugate_library(void)
{
    return &library;
}
