/* Kernels for tests/scripts/timeless.sh: ten right ones, and with -DPLANTED the same with a fault that changes no
 * other count of the gate for the worse, or hardly any, but time: in the grid, in atomics on global memory, in what
 * loads wait for, in reads of constants. With -DHARMLESS they have edits that are none. With -DTENSOR_MEMORY one uses
 * tcgen05 of compute capability 10.0. */
#include <cugate/kernel.hpp>

#ifdef PLANTED
#define FAULT(fault, right) fault
#else
#define FAULT(fault, right) right
#endif
#ifdef HARMLESS
#define EDIT(edit, before) edit
#else
#define EDIT(edit, before) before
#endif

constexpr unsigned count = 1 << 18, bins = 64;
constexpr unsigned threads = EDIT(128, 256);

__global__ void sum_stride(unsigned *out, const unsigned *in)
{
    unsigned mine = 0;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        mine += in[i];
    out[blockIdx.x * blockDim.x + threadIdx.x] = mine;
}

__global__ void histogram(unsigned *out, const unsigned *in)
{
    [[maybe_unused]] __shared__ unsigned mine[bins];
    if (threadIdx.x < bins)
        mine[threadIdx.x] = 0;
    __syncthreads();
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        atomicAdd(&FAULT(out, mine)[in[i] % bins], 1u); // every sample
    __syncthreads();
    if (threadIdx.x < bins)
        FAULT((void)0, atomicAdd(&out[threadIdx.x], mine[threadIdx.x]));
}

__global__ void total(float *out, const unsigned *in)
{
    float mine = 0;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        mine += float(in[i] & 7);
#ifdef PLANTED
    atomicAdd(out, mine); // every thread
#else
    for (unsigned apart = 16; apart > 0; apart /= 2)
        mine += __shfl_down_sync(~0u, mine, apart);
    if (threadIdx.x % 32 == 0)
        atomicAdd(out, mine);
#endif
}

__global__ void largest(unsigned *out, const unsigned *in)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
#if defined(TENSOR_MEMORY) && defined(__CUDA_ARCH__)
    __shared__ unsigned place;
    asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], 32;" ::"r"(
        unsigned(__cvta_generic_to_shared(&place))));
#endif
#ifdef PLANTED
    atomicMax(&out[i / 32 % bins], in[i]); // every lane
#else
    const unsigned most = __reduce_max_sync(~0u, in[i]);
    if (threadIdx.x % 32 == 0)
        atomicMax(&out[i / 32 % bins], most);
#endif
}

__global__ void in_flight(unsigned *out, const unsigned *in)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, apart = gridDim.x * blockDim.x;
#ifdef PLANTED
    unsigned sum = 0;
#pragma unroll 1
    for (unsigned k = 0; k < 4; k++)
        sum += in[i + k * apart]; // one at a time
#else
    const unsigned a = in[i], b = in[i + apart], c = in[i + 2 * apart], d = in[i + 3 * apart];
    const unsigned sum = EDIT((a + b) + (c + d), a + b + c + d);
#endif
    out[i] = sum;
}

/* next[i] is i + 1 in a ring of 64. */
__global__ void chain(unsigned *out, const unsigned *next)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned sum = 0, at = i;
#pragma unroll
    for (unsigned k = 0; k < 4; k++) {
        FAULT(at = next[at], at = next[(i + k) % 64 + i / 64 * 64]); // follows the list
        sum += at;
    }
    out[i] = sum;
}

struct table {
    const unsigned *data;
};

__global__ void through_pointer(unsigned *out, const table *of)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    FAULT(, const unsigned *const data = of->data;)
#pragma unroll 1
    for (unsigned k = 0; k < 4; k++)
        out[i + k * count / 4] = FAULT(of->data, data)[i + k * count / 4]; // asks where it is each time
}

__constant__ unsigned squares[256];

/* Bytes become the squares of what they are. */
__global__ void decode(unsigned *out, const unsigned *in, const unsigned *numbers)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    FAULT(, __shared__ unsigned staged[256]; staged[threadIdx.x] = numbers[threadIdx.x]; __syncthreads();)
    const unsigned *const table = FAULT(squares, staged);
    const unsigned v = in[i] * 2654435761u;
    out[i] = table[v & 255] + table[v >> 8 & 255] + table[v >> 16 & 255] + table[v >> 24];
}

/* Kinds of work that sums over the grid hide. Planted, each does less, and something that takes longer. */
enum { ONE_WARP, ONE_BLOCK, SLEEPS, FENCES, BARRIERS, PAST_L1, LOGARITHMS, BULK_COPIES };
template <int kind> __global__ void hides(unsigned *out, const unsigned *in)
{
    __shared__ alignas(16) unsigned copied[256];
    const unsigned i = blockIdx.x * 256 + threadIdx.x;
    unsigned v = copied[threadIdx.x] = in[i], read;
    float f = __uint_as_float(v);
    [[maybe_unused]] const int rounds = kind == ONE_WARP    ? (threadIdx.x < 32 ? 500 : 1)
                                        : kind == ONE_BLOCK ? (blockIdx.x == 0 ? 1000 : 1)
                                                            : 10;
#pragma unroll 1
    for (int r = 0; r < FAULT(rounds, 100); r++)
        asm volatile("add.f32 %0, %0, 0f00000000;" : "+f"(f));
    v = __float_as_uint(f);
    for (int r = 0; r < FAULT(8, 0); r++)
        if (kind == SLEEPS)
            asm volatile("nanosleep.u32 1000;");
        else if (kind == FENCES)
            __threadfence_system();
        else if (kind == BARRIERS)
            __syncthreads();
        else if (kind == LOGARITHMS)
            v += __log2f(float(v + r)) > 99;
    for (int r = 0; r < 8 && kind == PAST_L1; r++) {
        asm volatile("ld." FAULT("volatile.global", "global.ca") ".u32 %0, [%1];" : "=r"(read) : "l"(&in[i ^ r]));
        v += read >> 31;
    }
    out[i] = v;
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
    __syncthreads();
    for (int r = 0; r < FAULT(32, 1) && kind == BULK_COPIES && threadIdx.x == 0; r++)
        asm volatile("fence.proxy.async; cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 1024;"
                     "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::"l"(out + blockIdx.x * 256),
                     "r"(unsigned(__cvta_generic_to_shared(copied)))
                     : "memory");
#endif
}

template <class T> struct problem {
    cugate::array<unsigned> in;
    cugate::array<T> out;
    int open()
    {
        CUGATE_TRY(in.fill(count, [](size_t i) { return unsigned(i / 64 * 64 + (i + 1) % 64); }));
        return out.fill(count, [](size_t) { return T(0); });
    }
    int restore()
    {
        return out.reset();
    }
    T at(unsigned i) const
    {
        return T(in.host[i]);
    }
};

struct sums : problem<unsigned> {
    unsigned blocks = 0;
    int verify(cugate::why &why)
    {
        return out.compare(why, [&](size_t i) {
            unsigned sum = 0;
            for (size_t k = i; i < size_t(blocks) * threads && k < count; k += size_t(blocks) * threads)
                sum += in.host[k];
            return sum;
        });
    }
    void run(unsigned wanted)
    {
        blocks = wanted * (256 / threads);
        sum_stride<<<blocks, threads>>>(out.data, in.data);
    }
};

struct atomics : problem<unsigned> {
    int verify(cugate::why &why)
    {
        std::vector<unsigned> want(count, 0);
        for (unsigned i = 0; i < count; i++)
            want[in.host[i] % bins]++;
        return out.compare(why, [&](size_t i) { return want[i]; });
    }
};

struct totals : problem<float> {
    int verify(cugate::why &why)
    {
        float sum = 0;
        for (unsigned i = 0; i < count; i++)
            sum += float(in.host[i] & 7);
        return out.compare(why, [&](size_t i) { return i == 0 ? sum : 0; });
    }
};

struct most : problem<unsigned> {
    int verify(cugate::why &why)
    {
        std::vector<unsigned> want(count, 0);
        for (unsigned i = 0; i < count; i++)
            want[i / 32 % bins] = std::max(want[i / 32 % bins], in.host[i]);
        return out.compare(why, [&](size_t i) { return want[i]; });
    }
};

struct fours : problem<unsigned> {
    int verify(cugate::why &why)
    {
        return out.compare(why, [&](size_t i) {
            unsigned sum = 0;
            for (size_t k = 0; i < count / 4 && k < 4; k++)
                sum += in.host[i + k * (count / 4)];
            return sum;
        });
    }
};

struct chains : problem<unsigned> {
    int verify(cugate::why &why)
    {
        return out.compare(why, [&](size_t i) {
            unsigned sum = 0;
            for (size_t k = 1; k <= 4; k++)
                sum += unsigned(i / 64 * 64 + (i + k) % 64);
            return sum;
        });
    }
};

struct copies : problem<unsigned> {
    cugate::device_array<table> where;
    int open()
    {
        CUGATE_TRY(problem::open());
        CUGATE_TRY(where.allocate(1));
        return where.upload({{in.data}});
    }
    int verify(cugate::why &why)
    {
        return out.compare(why, [&](size_t i) { return in.host[i]; });
    }
};

struct decoded : problem<unsigned> {
    cugate::array<unsigned> numbers;
    int open()
    {
        CUGATE_TRY(problem::open());
        CUGATE_TRY(numbers.fill(256, [](size_t i) { return unsigned(i * i); }));
        return cudaMemcpyToSymbol(squares, numbers.host.data(), sizeof squares);
    }
    int verify(cugate::why &why)
    {
        return out.compare(why, [&](size_t i) {
            unsigned sum = 0;
            for (unsigned v = in.host[i] * 2654435761u, k = 0; k < 4; k++)
                sum += (v >> k * 8 & 255) * (v >> k * 8 & 255);
            return sum;
        });
    }
};

template <int kind, int times = 1> void hide(copies &c)
{
    for (unsigned i = 0; i < count; i += count / times)
        hides<kind><<<count / times / 256, 256>>>(c.out.data + i, c.in.data + i);
}

CUGATE_LIBRARY(
    cugate::family<copies>("work", "sums over the grid hide it")
        .variant("one_warp", "", hide<ONE_WARP>)
        .variant("one_block", "", hide<ONE_BLOCK>)
        .variant("sleeps", "", hide<SLEEPS>)
        .variant("fences", "", hide<FENCES>)
        .variant("barriers", "", hide<BARRIERS>)
        .variant("past_l1", "", hide<PAST_L1>)
        .variant("logarithms", "", hide<LOGARITHMS>)
        .variant("bulk_copies", "", hide<BULK_COPIES>),
    cugate::family<copies>("joined", "planted: eight launches").variant("launches", "", hide<-1, FAULT(8, 1)>),
    cugate::family<sums>("grid", "sums by strides")
        .variant("filled", "eight blocks of 256 an SM; planted: 64 blocks", [](sums &s) { s.run(FAULT(64, 132 * 4)); })
        .variant("whole_rounds", "planted: one block more", [](sums &s) { s.run(132 + FAULT(1, 0)); })
        .variant("this_gpu", "planted: the SMs of another GPU", [](sums &s) { s.run(2 * FAULT(108, 132)); }),
    cugate::family<atomics>("histogram", "by blocks; planted: by samples")
        .variant("shared", "", [](atomics &a) { histogram<<<264, 256>>>(a.out.data, a.in.data); }),
    cugate::family<totals>("total", "by warps; planted: by threads")
        .variant("shuffled", "", [](totals &t) { total<<<264, 256>>>(t.out.data, t.in.data); }),
    cugate::family<most>("largest", "by warps; planted: by lanes")
        .variant("reduced", "", [](most &m) { largest<<<count / threads, threads>>>(m.out.data, m.in.data); }),
    cugate::family<fours>("loads", "four at once; planted: one after the other")
        .variant("in_flight", "", [](fours &f) { in_flight<<<count / 4 / threads, threads>>>(f.out.data, f.in.data); }),
    cugate::family<chains>("list", "by index; planted: a list is followed")
        .variant("indexed", "", [](chains &c) { chain<<<count / threads, threads>>>(c.out.data, c.in.data); }),
    cugate::family<decoded>("decode", "by a table in shared memory; planted: in constant memory")
        .variant("table", "", [](decoded &d) { decode<<<count / 256, 256>>>(d.out.data, d.in.data, d.numbers.data); }),
    cugate::family<copies>("pointer", "loaded once; planted: each time").variant("hoisted", "", [](copies &c) {
        through_pointer<<<count / 4 / threads, threads>>>(c.out.data, c.where.data);
    }))
