/* A program as anybody writes one, for tests of `cugate run --simulate`: it includes nothing of cugate's.
 *
 *   program WHAT [END]    what it does, and how it ends */
#include <cassert>
#include <cfenv>
#include <clocale>
#include <cooperative_groups.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>
#include <xmmintrin.h>

#ifdef EXPORTS
extern "C" size_t ZSTD_decompress(void *, size_t, const void *, size_t)
{
    abort();
}
#endif

__global__ void scale(float *x, float by, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef SLOWER
    float more = by;
    for (int k = 0; k < n % 7; k++)
        more = more * by + (i < n ? x[i] * 0 : 0);
    by += 0 * more;
#endif
    if (i < n)
        x[i] *= by;
}

/* Its blocks meet, so that it is executed in several orders, each from the same memory. */
__global__ void sum(const float *x, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(out, x[i]);
}

/* Results that a CPU has otherwise where it rounds otherwise, has no denormals or traps. */
__global__ void exact(float *x)
{
    float least = 1 + x[threadIdx.x], sum = x[threadIdx.x];
    int halved = 0, added = 0;
    for (; least > 0; least *= 0.5f)
        halved++;
    for (; sum < 100; sum += 0.1f)
        added++;
    x[threadIdx.x] = 1000 * halved + added + 1 / (1 / least);
}

__global__ void other(float *x)
{
#ifdef SLOWER
    x[threadIdx.x] *= 2;
#else
    x[threadIdx.x] += 1;
#endif
}

__global__ void stray(int *x)
{
    x[blockIdx.x * blockDim.x + threadIdx.x] = 1; /* stray */
}

__global__ void race(int *x)
{
    __shared__ int tile[64];
    tile[threadIdx.x] = threadIdx.x;
    __syncthreads();
    tile[threadIdx.x] = tile[threadIdx.x ^ 32] + 1; /* race */
    x[threadIdx.x] = tile[threadIdx.x];
}

__global__ void loses(int *x)
{
    if (threadIdx.x == 0)
        x[0] += 1; /* loses */
}

__global__ void unwritten(int *x)
{
    __shared__ int tile[64];
    x[threadIdx.x] = tile[threadIdx.x]; /* unwritten */
    tile[threadIdx.x] = x[0];
}

__global__ void misaligned(char *x)
{
    *(int *)(x + 2) = 1; /* misaligned */
}

__global__ void asserts(const int *x)
{
    assert(*x == 1); /* asserts */
}

__global__ void traps()
{
    __trap(); /* traps */
}

/* Its blocks meet, so that it is executed in several orders, and is heard once. */
__global__ void says(int *x)
{
    atomicAdd(x, 1);
    printf("block %d of %d\n", blockIdx.x, gridDim.x);
}

struct shape {
    __device__ virtual int area() const = 0;
};

struct square : shape {
    int side;
    __device__ square(int side) : side(side)
    {
    }
    __device__ int area() const override
    {
        return side * side;
    }
};

/* These are executed in several orders too, each with the heap that the first began with. */
__global__ void allocates(int *x, shape **made)
{
    made[blockIdx.x * blockDim.x + threadIdx.x] = new square(threadIdx.x);
    atomicAdd(x, 1);
}

__global__ void frees(int *x, shape **made)
{
    atomicAdd(x, made[blockIdx.x * blockDim.x + threadIdx.x]->area());
    delete made[blockIdx.x * blockDim.x + threadIdx.x];
}

__global__ void multiprocessor(int *x)
{
    asm volatile("mov.u32 %0, %%smid;" : "=r"(*x));
}

__global__ void grid(int *x)
{
    int v = threadIdx.x;
    if (v == 0)
        atomicAdd(x, 1);
    cooperative_groups::this_grid().sync();
#ifdef SLOWER
#pragma unroll 1
    for (int k = 0; k < 50; k++)
        v = v * 3 + k;
#endif
    x[1 + blockIdx.x * blockDim.x + threadIdx.x] = *(volatile int *)x + (v == 1 << 30);
    cooperative_groups::this_grid().sync();
}

/* Each thread takes a lock. */
__global__ void locks(int *x)
{
    for (bool done = false; !done;)
        if (atomicCAS(x, 0, 1) == 0) {
#pragma unroll 1
            for (int k = 0; k < 8; k++)
                x[1] += k == threadIdx.x % 8;
            __threadfence();
            atomicExch(x, 0);
            done = true;
        }
}

__global__ void waits(long long *x)
{
    const long long start = clock64();
    while (clock64() - start < 100000)
        ;
    x[threadIdx.x] = clock64() - start;
}

/* 10,000 numbers, each 1: doubled so many times, and added up. */
static int right(int times)
{
    enum { COUNT = 10000 };
    static float numbers[COUNT];
    float *x, *out, found = 0, expected = COUNT;
    cudaDeviceProp properties;
    size_t bytes;
    for (float &number : numbers)
        number = 1;
    if (cudaGetDeviceProperties(&properties, 0) || cudaMemGetInfo(&bytes, &bytes) || cudaMalloc(&x, sizeof numbers) ||
        cudaMalloc(&out, sizeof *out))
        return 4;
    cudaMemset(out, 0, sizeof *out);
    cudaMemcpy(x, numbers, sizeof numbers, cudaMemcpyHostToDevice);
    for (int i = 0; i < times; i++, expected *= 2)
        scale<<<(COUNT + 255) / 256, 256>>>(x, 2, COUNT);
    sum<<<(COUNT + 255) / 256, 256>>>(x, out, COUNT);
    cudaMemcpy(&found, out, sizeof found, cudaMemcpyDeviceToHost);
    printf("sum %.0f\n", found);
    return found == expected ? 0 : 4;
}

static int small()
{
    float *x, found = 0;
    if (cudaMalloc(&x, 32 * sizeof *x) || cudaMemset(x, 0, 32 * sizeof *x))
        return 4;
    other<<<1, 32>>>(x);
    return cudaMemcpy(&found, x, sizeof found, cudaMemcpyDeviceToHost) || found != 1 ? 4 : 0;
}

/* More memory than this machine has, and then more than the GPU has, for which the program makes do with less. */
static int huge()
{
    const size_t count = (size_t)25 << 30;
    float *x, *more, found[2];
    if (cudaMalloc(&x, count * sizeof *x) || cudaMemset(x, 0, count * sizeof *x))
        return 4;
    if (cudaMalloc(&more, count * sizeof *x) != cudaErrorMemoryAllocation || cudaMalloc(&more, count))
        return 5;
    other<<<1, 32>>>(x + count - 32);
    cudaMemcpy(found, x + count - 33, sizeof found, cudaMemcpyDeviceToHost);
    printf("%.0f %.0f\n", found[0], found[1]);
    return 0;
}

static int touches()
{
    const size_t bytes = (size_t)2 << 30;
    char *x;
    return cudaMalloc(&x, bytes) || cudaMemset(x, 1, bytes) ? 4 : small();
}

/* A process that nobody waits for launches when the others have ended. */
static int leaves()
{
    int ends[2], *x;
    char byte;
    if (pipe(ends) || fork() > 0)
        return 0;
    if (fork() == 0) {
        close(ends[1]);
        const bool alone = read(ends[0], &byte, 1) == 0;
        if (alone && cudaMalloc(&x, 4096) == cudaSuccess)
            stray<<<5, 256>>>(x);
    }
    _exit(0);
}

/* One launch works on the GPU's memory, and one on memory that the host shares. */
static int pins()
{
    enum { COUNT = 40 * 256 };
    float *pinned, *x;
    if (cudaMallocHost(&pinned, COUNT * sizeof *x) || cudaMalloc(&x, COUNT * sizeof *x))
        return 4;
    for (int i = 0; i < COUNT; i++)
        pinned[i] = i;
    cudaMemcpy(x, pinned, COUNT * sizeof *x, cudaMemcpyHostToDevice);
    scale<<<COUNT / 256, 256>>>(x, 3, COUNT);
    scale<<<COUNT / 512, 256>>>(pinned, 2, COUNT);
    const float found = pinned[COUNT / 2 - 1];
    cudaMemcpy(pinned, x, COUNT * sizeof *x, cudaMemcpyDeviceToHost);
    printf("%.0f %.0f\n", found, pinned[COUNT - 1]);
    return 0;
}

static int meets()
{
    int *x, found, held;
    size_t bytes = 0;
    if (cudaMalloc(&x, 4096) || cudaMemset(x, 0, 4096))
        return 4;
    void *arguments[] = {&x};
    cudaLaunchCooperativeKernel((void *)grid, 4, 64, arguments, 0, nullptr);
    cudaLaunchCooperativeKernel((void *)other, 1, 32, arguments, 0, nullptr);
    cudaMemcpy(&found, x + 256, sizeof found, cudaMemcpyDeviceToHost);
    cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, grid, 2, 64);
    cudaMemset(x, 0, 4096);
    locks<<<2, 64>>>(x);
    cudaMemcpy(&held, x + 1, sizeof held, cudaMemcpyDeviceToHost);
    printf("%d blocks, %zu bytes for each of two, %d held the lock\n", found, bytes, held);
    return 0;
}

/* Repeats until enough time has passed, as benchmarks do. */
static int timed()
{
    enum { BYTES = 1 << 20 };
    cudaEvent_t start, end;
    float ms = 0, copied = 0, *x, *y;
    int launches = 0;
    if (cudaMalloc(&x, BYTES) || cudaMalloc(&y, BYTES) || cudaEventCreate(&start) || cudaEventCreate(&end))
        return 4;
    cudaMemset(x, 0, BYTES);
    cudaEventRecord(start);
    for (; ms < 0.03f; launches++) {
        other<<<1, 32>>>(x);
        cudaEventRecord(end);
        if (cudaEventSynchronize(end) || cudaEventElapsedTime(&ms, start, end))
            return 4;
    }
    cudaEventRecord(start);
    cudaMemcpy(y, x, BYTES, cudaMemcpyDeviceToDevice);
    cudaEventRecord(end);
    cudaEventElapsedTime(&copied, start, end);
    printf("%d launches in %.6f ms, %.3f GB/s\n", launches, ms, 2 * BYTES / copied / 1e6);
    return launches > 1 ? 0 : 4;
}

static int forks(bool has_launched)
{
    int status = has_launched ? small() : 0;
    if (status == 0 && fork() == 0)
        exit(small());
    if (status == 0)
        wait(&status);
    printf("the child ended with %d\n", WEXITSTATUS(status));
    return 0;
}

static int threads()
{
    std::vector<std::thread> list;
    static int wrong;
    for (int i = 0; i < 4; i++)
        list.emplace_back([] {
            for (int k = 0; k < 10; k++)
                wrong += small();
        });
    for (std::thread &thread : list)
        thread.join();
    return wrong;
}

/* Launches with what a program may set of its numbers, all of which it has still behind the launch. */
static int sets()
{
    float *x, first;
    char text[8];
    if (!setlocale(LC_NUMERIC, "comma"))
        return 8;
    cudaMalloc(&x, 4096);
    cudaMemset(x, 0, 4096);
    fesetround(FE_UPWARD);
    feenableexcept(FE_ALL_EXCEPT);
    _mm_setcsr(_mm_getcsr() | 0x8040);
    exact<<<1, 32>>>(x);
    cudaMemcpy(&first, x, sizeof first, cudaMemcpyDeviceToHost);
    const bool kept = fegetround() == FE_UPWARD && (_mm_getcsr() & 0x8040) == 0x8040;
    if (fedisableexcept(FE_ALL_EXCEPT) != FE_ALL_EXCEPT || !kept)
        return 9;
    fesetround(FE_TONEAREST);
    snprintf(text, sizeof text, "%.1f", 1.5);
    printf("%.0f, %s\n", first, text);
    return 0;
}

static int does(const char *what, char **more)
{
    int *x;
    if (strncmp(what, "right", 5) == 0)
        return right(what[5] ? atoi(what + 5) : 3);
    if (strcmp(what, "forks") == 0 || strcmp(what, "launches_and_forks") == 0)
        return forks(*what == 'l');
    if (strcmp(what, "leaves") == 0)
        return leaves();
    if (strcmp(what, "threads") == 0)
        return threads();
    if (strcmp(what, "sets") == 0)
        return sets();
    if (strcmp(what, "timed") == 0)
        return timed();
    if (strcmp(what, "huge") == 0)
        return huge();
    if (strcmp(what, "touches") == 0)
        return touches();
    if (strcmp(what, "pins") == 0)
        return pins();
    if (strcmp(what, "grid") == 0)
        return meets();
    if (cudaMalloc(&x, 4096))
        return 4;
    if (strcmp(what, "closes") == 0) /* what it does then is heard by nobody */
        for (int i = 3; small() == 0 && i < 2048; i++)
            close(i);
    if (strcmp(what, "stray") == 0 || strcmp(what, "closes") == 0)
        stray<<<5, 256>>>(x);
    else if (strcmp(what, "race") == 0)
        race<<<1, 64>>>(x);
    else if (strcmp(what, "loses") == 0)
        loses<<<4, 64>>>(x);
    else if (strcmp(what, "unwritten") == 0)
        unwritten<<<1, 64>>>(x);
    else if (strcmp(what, "misaligned") == 0)
        misaligned<<<1, 1>>>((char *)x);
    else if (strcmp(what, "shapes") == 0) {
        cudaMemset(x, 0, 4096);
        for (int i = 1; i <= 20; i++)
            scale<<<i, 32>>>((float *)x, 1, 32 * i);
    } else if (strcmp(what, "uneven") == 0) { // launches of one shape, of so many elements each; of none, it is refused
        for (; *more; more++)
            scale<<<40, atoi(*more) > 0 ? 256 : 2048>>>((float *)x, 1, atoi(*more));
    } else if (strcmp(what, "asserts") == 0)
        cudaMemset(x, 0, 4096), asserts<<<1, 1>>>(x);
    else if (strcmp(what, "traps") == 0)
        traps<<<1, 1>>>();
    else if (strcmp(what, "says") == 0)
        says<<<3, 1>>>(x);
    else if (strcmp(what, "allocates") == 0) {
        int sum = 0;
        cudaMemset(x, 0, sizeof sum);
        allocates<<<3, 64>>>(x + 1, (shape **)(x + 2));
        frees<<<3, 64>>>(x, (shape **)(x + 2));
        cudaMemcpy(&sum, x, sizeof sum, cudaMemcpyDeviceToHost);
        printf("sum %d\n", sum);
    } else if (strcmp(what, "waits") == 0) {
        long long took[32];
        waits<<<1, 32>>>((long long *)x);
        cudaMemcpy(took, x, sizeof took, cudaMemcpyDeviceToHost);
        printf("took %lld cycles\n", took[31]);
    } else if (strcmp(what, "multiprocessor") == 0)
        multiprocessor<<<1, 1>>>(x);
    else if (strcmp(what, "edges") == 0) {
        cudaGraph_t graph;
        size_t count;
        cudaGraphCreate(&graph, 0);
        cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &count);
    } else if (strcmp(what, "conditional") == 0)
        cudaGraphConditionalHandleCreate((cudaGraphConditionalHandle *)&x, nullptr, 0, 0);
    return 0;
}

int main(int argc, char **argv)
{
    const int code = argc > 1 ? does(argv[1], argv + 2) : 2;
    const char *end = argc > 2 ? argv[2] : "";
    if (strcmp(end, "tells") == 0) {
        void *memory;
        const cudaError_t launched = cudaPeekAtLastError(), found = cudaDeviceSynchronize(),
                          then = cudaMalloc(&memory, 16);
        printf("launch %d, then %d, %s, and %d\n", launched, found, cudaGetErrorName(found), then);
    }
    fflush(stdout);
    if (strcmp(end, "_exit") == 0)
        _exit(0);
    if (strcmp(end, "killed") == 0)
        kill(getpid(), SIGKILL);
    return strcmp(end, "fails") == 0 ? 3 : code;
}
