/* async - small kernels of what Hopper does by itself: copies of tiles and of rows, barriers in shared memory,
 * clusters.
 *
 * Like micro.cu, each kernel asks one question: tests/sim/record.sh records on a GPU what it counts and what it writes,
 * and tests/sim/recorded.sh compares the simulator with that. Nothing that is written depends on time. To add one: a
 * kernel, and a row in its family's table. */
#include "library.cuh"

#include <cooperative_groups.h>
#include <cuda.h>

#include <array>
#include <iterator>
#include <vector>

namespace async {

using u16 = uint16_t;
using u32 = uint32_t;
using u64 = uint64_t;
namespace cg = cooperative_groups;

constexpr unsigned in_words = 1u << 16, out_words = 1u << 16;
constexpr unsigned slot = 2048; /* words of the output that a case may write */
constexpr unsigned threads = 64;

/* ---- PTX ---- */

__device__ u32 shared_at(const void *p)
{
    return static_cast<u32>(__cvta_generic_to_shared(p));
}
__device__ void init(u64 *barrier, u32 count)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_at(barrier)), "r"(count) : "memory");
}
__device__ void fence_init()
{
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
__device__ void fence_async()
{
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
__device__ void expect(u64 *barrier, u32 bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_at(barrier)), "r"(bytes)
                 : "memory");
}
__device__ bool try_wait(u64 *barrier, u32 parity)
{
    u32 done;
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                 : "=r"(done)
                 : "r"(shared_at(barrier)), "r"(parity)
                 : "memory");
    return done != 0;
}
__device__ bool test_wait(u64 *barrier, u32 parity)
{
    u32 done;
    asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                 : "=r"(done)
                 : "r"(shared_at(barrier)), "r"(parity)
                 : "memory");
    return done != 0;
}
/* A GPU is never left waiting for ever: what does not come is seen in the output. */
__device__ bool wait(u64 *barrier, u32 parity)
{
    for (unsigned n = 0; n < 100; n++)
        if (try_wait(barrier, parity))
            return true;
    return false;
}
__device__ u32 of_block(const void *p, u32 rank)
{
    u32 there;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(shared_at(p)), "r"(rank));
    return there;
}
__device__ u32 rank_here()
{
    u32 rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}
__device__ u32 blocks_here()
{
    u32 count;
    asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(count));
    return count;
}
__device__ void cluster_sync()
{
    asm volatile("barrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;" ::: "memory");
}
#define COMMIT() asm volatile("cp.async.bulk.commit_group;" ::: "memory")
#define WAIT_READ(n) asm volatile("cp.async.bulk.wait_group.read " #n ";" ::: "memory")
#define WAIT_GROUP(n) asm volatile("cp.async.bulk.wait_group " #n ";" ::: "memory")

/* Maps in memory may have changed since another launch used them. */
__device__ void acquire_map(const void *map)
{
    asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(map) : "memory");
}

/* ---- Tiles: a block copies one, which a tensor map describes ---- */

struct tile {
    unsigned type, rank;
    u64 sizes[5], strides[4]; /* in elements, in bytes */
    u32 box[5], steps[5];
    int at[5];
    unsigned interleave, swizzle, fill;
    unsigned offset; /* of the tile in shared memory, in bytes */
    /* of im2col, where channels > 0: */
    int lower[3], upper[3];
    unsigned channels, pixels;
    u16 offsets[3];
};

/* What a kernel is told of a tile. */
struct __align__(128) job
{
    CUtensorMap map;
    int at[5];
    u32 bytes, offset;
    u32 offsets;
    u16 apart[4];
};

constexpr unsigned element_bytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
enum { U8, W16, W32, I32, W64, I64, F16, F32, F64, BF16, F32Z, TF32, TF32Z };

u32 bytes_of(const tile &t)
{
    if (t.channels)
        return t.channels * t.pixels * element_bytes[t.type];
    u32 bytes = element_bytes[t.type] * t.box[0]; /* whose step does not count */
    for (unsigned i = 1; i < t.rank; i++) {
        const u32 step = t.steps[i] ? t.steps[i] : 1;
        bytes *= (t.box[i] + step - 1) / step;
    }
    return bytes;
}

template <class F> int driver(const char *name, F *function)
{
    void *found = nullptr;
    cudaDriverEntryPointQueryResult result;
    CUGATE_TRY(cudaGetDriverEntryPointByVersion(name, &found, 12000, cudaEnableDefault, &result));
    if (result != cudaDriverEntryPointSuccess)
        return static_cast<int>(cudaErrorNotSupported);
    *function = reinterpret_cast<F>(found);
    return 0;
}

int describe(const tile &t, void *base, job *job)
{
    static decltype(&cuTensorMapEncodeTiled) tiled;
    static decltype(&cuTensorMapEncodeIm2col) im2col;
    if (!tiled)
        CUGATE_TRY(driver("cuTensorMapEncodeTiled", &tiled));
    if (!im2col)
        CUGATE_TRY(driver("cuTensorMapEncodeIm2col", &im2col));
    u32 steps[5];
    for (unsigned i = 0; i < 5; i++) {
        steps[i] = t.steps[i] ? t.steps[i] : 1;
        job->at[i] = t.at[i];
    }
    const auto type = static_cast<CUtensorMapDataType>(t.type);
    const auto interleave = static_cast<CUtensorMapInterleave>(t.interleave);
    const auto swizzle = static_cast<CUtensorMapSwizzle>(t.swizzle);
    const auto fill = static_cast<CUtensorMapFloatOOBfill>(t.fill);
    const CUresult made = t.channels
                              ? im2col(&job->map, type, t.rank, base, t.sizes, t.strides, t.lower, t.upper, t.channels,
                                       t.pixels, steps, interleave, swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE, fill)
                              : tiled(&job->map, type, t.rank, base, t.sizes, t.strides, t.box, steps, interleave,
                                      swizzle, CU_TENSOR_MAP_L2_PROMOTION_L2_128B, fill);
    job->bytes = bytes_of(t);
    job->offset = t.offset;
    for (unsigned i = 0; i < 3; i++)
        job->apart[i] = t.offsets[i];
    /* A tile that the driver refuses is not copied. */
    if (made != CUDA_SUCCESS)
        job->bytes = 0;
    return 0;
}

/* The first coordinate has to be at a multiple of 16 bytes. */
constexpr tile tiles_1[] = {
    {.type = U8, .rank = 1, .sizes = {1000}, .box = {64}, .at = {48}},
    {.type = W16, .rank = 1, .sizes = {1000}, .box = {32}, .at = {984}},
    {.type = W32, .rank = 1, .sizes = {1000}, .box = {256}, .at = {4}},
    {.type = I32, .rank = 1, .sizes = {1000}, .box = {32}, .at = {-8}},
    {.type = W64, .rank = 1, .sizes = {999}, .box = {16}, .at = {990}},
    {.type = F16, .rank = 1, .sizes = {1000}, .box = {32}, .at = {-8}, .fill = 1},
    {.type = BF16, .rank = 1, .sizes = {1000}, .box = {32}, .at = {984}, .fill = 1},
    {.type = F32, .rank = 1, .sizes = {1000}, .box = {32}, .at = {-4}, .fill = 1},
    {.type = F64, .rank = 1, .sizes = {1000}, .box = {16}, .at = {-4}, .fill = 1},
    {.type = F32, .rank = 1, .sizes = {997}, .box = {32}, .at = {984}},
    {.type = F32Z, .rank = 1, .sizes = {60000}, .box = {256}, .at = {59900}, .fill = 1},
    {.type = TF32, .rank = 1, .sizes = {60000}, .box = {256}, .at = {59900}, .fill = 1},
    {.type = TF32Z, .rank = 1, .sizes = {60000}, .box = {256}, .at = {59900}},
    {.type = W32, .rank = 1, .sizes = {1000}, .box = {64}, .steps = {2}, .at = {4}},
    {.type = W32, .rank = 1, .sizes = {1000}, .box = {60}, .steps = {3}, .at = {-4}},
    {.type = U8, .rank = 1, .sizes = {1000}, .box = {64}, .at = {16}, .offset = 128},
    {.type = W32, .rank = 1, .sizes = {1000}, .box = {32}, .at = {5000}},
};
#define TWO(what, x, y, ...)                                                                                           \
    {                                                                                                                  \
        .type = what, .rank = 2, .sizes = {128, 96}, .strides = {128 * element_bytes[what]}, .box = {x, y},            \
        __VA_ARGS__                                                                                                    \
    }
constexpr tile tiles_2[] = {
    TWO(F32, 16, 8, .at = {4, 3}),
    TWO(F32, 16, 8, .at = {-4, -3}),
    TWO(F32, 16, 8, .at = {120, 92}),
    TWO(F32, 16, 8, .at = {120, -2}, .fill = 1),
    TWO(F32, 8, 16, .at = {8, 8}, .swizzle = 1),
    TWO(F32, 16, 16, .at = {8, 8}, .swizzle = 2),
    TWO(F32, 32, 16, .at = {8, 8}, .swizzle = 3),
    TWO(F32, 32, 16, .at = {112, 88}, .swizzle = 3),
    TWO(F16, 16, 16, .at = {8, 8}, .swizzle = 1),
    TWO(F16, 32, 16, .at = {8, 8}, .swizzle = 2),
    TWO(F16, 64, 32, .at = {8, 8}, .swizzle = 3),
    TWO(U8, 128, 16, .at = {0, 8}, .swizzle = 3),
    TWO(F32, 4, 16, .at = {8, 8}, .swizzle = 1),
    TWO(F32, 8, 16, .at = {8, 8}, .swizzle = 2),
    TWO(F32, 4, 16, .at = {8, 8}, .swizzle = 2),
    TWO(F32, 8, 16, .at = {8, 8}, .swizzle = 3),
    TWO(F32, 12, 16, .at = {8, 8}, .swizzle = 3),
    TWO(F32, 32, 16, .at = {8, 8}, .swizzle = 3, .offset = 128),
    TWO(F32, 32, 16, .at = {8, 8}, .swizzle = 3, .offset = 640),
    TWO(F32, 16, 16, .at = {8, 8}, .swizzle = 2, .offset = 384),
    TWO(F32, 8, 16, .at = {8, 8}, .swizzle = 1, .offset = 128),
    TWO(F32, 16, 16, .steps = {1, 2}, .at = {4, 3}),
    TWO(F32, 32, 16, .steps = {2, 3}, .at = {4, 3}),
    TWO(F32, 32, 12, .steps = {2, 1}, .at = {-4, -3}),
    TWO(F32, 64, 8, .steps = {1, 2}, .at = {4, 3}),
    TWO(W64, 16, 8, .at = {2, 5}, .swizzle = 3),
    TWO(F64, 4, 8, .at = {-2, 90}, .swizzle = 1, .fill = 1),
};
constexpr tile tiles_n[] = {
    {F32, 3, {32, 24, 20}, {128, 3072}, {8, 4, 3}, {}, {4, 2, 1}},
    {F32, 3, {32, 24, 20}, {128, 3072}, {8, 4, 3}, {}, {28, -1, 18}},
    {F16, 3, {64, 24, 20}, {128, 3072}, {64, 4, 3}, {}, {0, 22, -1}, 0, 3, 1},
    {F32, 4, {16, 12, 10, 8}, {64, 768, 7680}, {4, 4, 3, 2}, {}, {4, 1, 3, 4}},
    {F32, 4, {16, 12, 10, 8}, {64, 768, 7680}, {8, 4, 3, 2}, {}, {-4, 10, -1, 7}, 0, 1, 0},
    {F32, 5, {16, 8, 6, 5, 4}, {64, 512, 3072, 15360}, {4, 2, 3, 2, 2}, {}, {4, 1, 3, 1, 1}},
    {F32, 5, {16, 8, 6, 5, 4}, {64, 512, 3072, 15360}, {8, 2, 3, 2, 2}, {}, {12, 7, -1, 4, -1}, 0, 0, 1},
    {F32, 5, {16, 8, 6, 5, 4}, {64, 512, 3072, 15360}, {8, 4, 4, 2, 2}, {1, 3, 2, 1, 1}, {4, -1, 1, 4, 2}},
};
constexpr tile tiles_im2col[] = {
    {.type = F16,
     .rank = 3,
     .sizes = {32, 40, 6},
     .strides = {64, 2560},
     .at = {0, 0, 0},
     .channels = 16,
     .pixels = 24},
    {.type = F16,
     .rank = 3,
     .sizes = {32, 40, 6},
     .strides = {64, 2560},
     .at = {8, -1, 1},
     .lower = {-1},
     .upper = {-1},
     .channels = 16,
     .pixels = 48,
     .offsets = {1}},
    {.type = F16,
     .rank = 4,
     .sizes = {32, 10, 8, 4},
     .strides = {64, 640, 5120},
     .at = {0, 0, 0, 0},
     .channels = 16,
     .pixels = 32},
    {.type = F16,
     .rank = 4,
     .sizes = {32, 10, 8, 4},
     .strides = {64, 640, 5120},
     .at = {0, -1, -1, 1},
     .lower = {-1, -1},
     .upper = {-1, -1},
     .channels = 16,
     .pixels = 64,
     .offsets = {0, 0}},
    {.type = F16,
     .rank = 4,
     .sizes = {32, 10, 8, 4},
     .strides = {64, 640, 5120},
     .at = {16, 3, 5, 1},
     .lower = {-1, -1},
     .upper = {-1, -1},
     .channels = 16,
     .pixels = 64,
     .offsets = {2, 1}},
    {.type = F16,
     .rank = 4,
     .sizes = {32, 10, 8, 4},
     .strides = {64, 640, 5120},
     .at = {16, 3, 5, 1},
     .swizzle = 2,
     .lower = {-1, -2},
     .upper = {-1, 0},
     .channels = 32,
     .pixels = 40,
     .offsets = {2, 1}},
    {.type = F16,
     .rank = 4,
     .sizes = {32, 10, 8, 4},
     .strides = {64, 640, 5120},
     .steps = {1, 2, 2, 1},
     .at = {0, -1, -1, 1},
     .lower = {-1, -1},
     .upper = {-1, -1},
     .channels = 16,
     .pixels = 24,
     .offsets = {1, 2}},
    {.type = F32,
     .rank = 5,
     .sizes = {16, 6, 5, 4, 3},
     .strides = {64, 384, 1920, 7680},
     .at = {0, -1, -1, -1, 0},
     .lower = {-1, -1, -1},
     .upper = {-1, -1, -1},
     .channels = 16,
     .pixels = 100,
     .offsets = {1, 0, 2}},
    {.type = F32,
     .rank = 5,
     .sizes = {16, 6, 5, 4, 3},
     .strides = {64, 384, 1920, 7680},
     .at = {8, 3, 2, 2, 1},
     .fill = 1,
     .lower = {-1, 0, -1},
     .upper = {0, -1, -1},
     .channels = 8,
     .pixels = 60,
     .offsets = {0, 1, 1}},
};
#define MOST(what, x, y, ...)                                                                                          \
    {                                                                                                                  \
        .type = what, .rank = 2, .sizes = {32, 40}, .strides = {32 * element_bytes[what]}, .box = {x, y}, __VA_ARGS__  \
    }
constexpr tile tiles_stored[] = {
    {.type = U8, .rank = 1, .sizes = {1000}, .box = {64}, .at = {32}},
    {.type = W32, .rank = 1, .sizes = {1000}, .box = {64}, .at = {8}},
    {.type = W32, .rank = 1, .sizes = {1000}, .box = {64}, .at = {988}},
    {.type = W32, .rank = 1, .sizes = {1000}, .box = {64}, .steps = {2}, .at = {4}},
    MOST(F32, 16, 8, .at = {4, 3}),
    MOST(F32, 16, 8, .at = {20, 36}),
    MOST(F32, 32, 16, .at = {24, 30}, .swizzle = 3),
    MOST(F32, 16, 16, .at = {4, 8}, .swizzle = 2),
    MOST(F32, 8, 16, .at = {4, 8}, .swizzle = 1),
    MOST(F32, 8, 16, .at = {4, 8}, .swizzle = 3),
    MOST(F32, 32, 16, .at = {0, 8}, .swizzle = 3, .offset = 640),
    MOST(F16, 16, 16, .steps = {1, 3}, .at = {8, 2}),
    {F32, 3, {16, 8, 10}, {64, 512}, {8, 4, 3}, {}, {12, 6, 8}},
    {F32, 4, {8, 6, 5, 4}, {32, 192, 960}, {4, 4, 3, 2}, {}, {4, 1, 3, 3}},
    {F32, 5, {8, 4, 3, 5, 3}, {32, 128, 384, 1920}, {4, 2, 3, 2, 2}, {}, {4, 3, 1, 4, 2}},
};
constexpr tile tiles_of_columns[] = {
    {.type = F16,
     .rank = 3,
     .sizes = {32, 20, 6},
     .strides = {64, 1280},
     .at = {8, 3, 1},
     .lower = {0},
     .upper = {0},
     .channels = 16,
     .pixels = 24},
    {.type = F16,
     .rank = 4,
     .sizes = {32, 5, 6, 4},
     .strides = {64, 320, 1920},
     .at = {0, 1, 1, 1},
     .lower = {0, 0},
     .upper = {0, 0},
     .channels = 16,
     .pixels = 40},
    {.type = F16,
     .rank = 4,
     .sizes = {32, 5, 6, 4},
     .strides = {64, 320, 1920},
     .at = {0, 4, 5, 2},
     .lower = {0, 0},
     .upper = {0, 0},
     .channels = 16,
     .pixels = 40},
};

template <unsigned rank> __device__ void load_tile(const job &j, u32 to, u32 barrier)
{
    const u64 map = reinterpret_cast<u64>(&j.map);
#define LOAD(n, list, ...)                                                                                             \
    if constexpr (rank == n)                                                                                           \
    asm volatile("cp.async.bulk.tensor." #n                                                                            \
                 "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {" list "}], [%2];" ::"r"(to), \
                 "l"(map), "r"(barrier), __VA_ARGS__                                                                   \
                 : "memory")
    LOAD(1, "%3", "r"(j.at[0]));
    LOAD(2, "%3, %4", "r"(j.at[0]), "r"(j.at[1]));
    LOAD(3, "%3, %4, %5", "r"(j.at[0]), "r"(j.at[1]), "r"(j.at[2]));
    LOAD(4, "%3, %4, %5, %6", "r"(j.at[0]), "r"(j.at[1]), "r"(j.at[2]), "r"(j.at[3]));
    LOAD(5, "%3, %4, %5, %6, %7", "r"(j.at[0]), "r"(j.at[1]), "r"(j.at[2]), "r"(j.at[3]), "r"(j.at[4]));
}
template <unsigned rank> __device__ void load_columns(const job &j, u32 to, u32 barrier)
{
    const u64 map = reinterpret_cast<u64>(&j.map);
#define COLUMNS(n, list, more, ...)                                                                                    \
    if constexpr (rank == n)                                                                                           \
    asm volatile("cp.async.bulk.tensor." #n                                                                            \
                 "d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%0], [%1, {" list "}], [%2], {" more   \
                 "};" ::"r"(to),                                                                                       \
                 "l"(map), "r"(barrier), __VA_ARGS__                                                                   \
                 : "memory")
    COLUMNS(3, "%3, %4, %5", "%6", "r"(j.at[0]), "r"(j.at[1]), "r"(j.at[2]), "h"(j.apart[0]));
    COLUMNS(4, "%3, %4, %5, %6", "%7, %8", "r"(j.at[0]), "r"(j.at[1]), "r"(j.at[2]), "r"(j.at[3]), "h"(j.apart[0]),
            "h"(j.apart[1]));
    COLUMNS(5, "%3, %4, %5, %6, %7", "%8, %9, %10", "r"(j.at[0]), "r"(j.at[1]), "r"(j.at[2]), "r"(j.at[3]),
            "r"(j.at[4]), "h"(j.apart[0]), "h"(j.apart[1]), "h"(j.apart[2]));
}

__device__ void fill_shared(unsigned char *shared, u32 mark)
{
    for (unsigned i = threadIdx.x; i < slot + 256; i += blockDim.x)
        reinterpret_cast<u32 *>(shared)[i] = mark ? mark + i : 0xcdcdcdcd;
    fence_async();
    __syncthreads();
}

template <unsigned rank, bool columns> __global__ void loads(const job *jobs, u32 *out)
{
    extern __shared__ __align__(1024) unsigned char shared[];
    __shared__ u64 barrier;
    const job &j = jobs[blockIdx.x];

    if (threadIdx.x == 0) {
        init(&barrier, 1);
        fence_init();
    }
    fill_shared(shared, 0);
    if (threadIdx.x == 0) {
        expect(&barrier, j.bytes);
        if constexpr (columns)
            load_columns<rank>(j, shared_at(shared) + j.offset, shared_at(&barrier));
        else
            load_tile<rank>(j, shared_at(shared) + j.offset, shared_at(&barrier));
    }
    const bool came = wait(&barrier, 0);
    for (unsigned i = threadIdx.x; i < slot; i += blockDim.x)
        out[blockIdx.x * slot + i] = reinterpret_cast<u32 *>(shared)[i];
    if (threadIdx.x == 0 && !came) {
        u64 state;
        asm volatile("ld.volatile.shared::cta.b64 %0, [%1];" : "=l"(state) : "r"(shared_at(&barrier)) : "memory");
        out[blockIdx.x * slot + slot - 2] = static_cast<u32>(state);
        out[blockIdx.x * slot + slot - 1] = static_cast<u32>(state >> 32);
    }
}

template <unsigned rank> __device__ void store_tile(const job &j, u32 from)
{
    const u64 map = reinterpret_cast<u64>(&j.map);
#define STORE(n, list, ...)                                                                                            \
    if constexpr (rank == n)                                                                                           \
    asm volatile("cp.async.bulk.tensor." #n "d.global.shared::cta.tile.bulk_group [%0, {" list "}], [%1];" ::"l"(map), \
                 "r"(from), __VA_ARGS__                                                                                \
                 : "memory")
    STORE(1, "%2", "r"(j.at[0]));
    STORE(2, "%2, %3", "r"(j.at[0]), "r"(j.at[1]));
    STORE(3, "%2, %3, %4", "r"(j.at[0]), "r"(j.at[1]), "r"(j.at[2]));
    STORE(4, "%2, %3, %4, %5", "r"(j.at[0]), "r"(j.at[1]), "r"(j.at[2]), "r"(j.at[3]));
    STORE(5, "%2, %3, %4, %5, %6", "r"(j.at[0]), "r"(j.at[1]), "r"(j.at[2]), "r"(j.at[3]), "r"(j.at[4]));
}

__global__ void stores(const job *jobs, const unsigned *ranks)
{
    extern __shared__ __align__(1024) unsigned char shared[];
    const job &j = jobs[blockIdx.x];

    fill_shared(shared, 0x3f810000u + blockIdx.x * 0x10000u);
    if (threadIdx.x == 0) {
        acquire_map(&j.map);
        const u32 from = shared_at(shared) + j.offset;
        const unsigned rank = ranks[blockIdx.x];
        if (rank == 1)
            store_tile<1>(j, from);
        else if (rank == 2)
            store_tile<2>(j, from);
        else if (rank == 3)
            store_tile<3>(j, from);
        else if (rank == 4)
            store_tile<4>(j, from);
        else
            store_tile<5>(j, from);
        COMMIT();
        WAIT_GROUP(0);
    }
}

__global__ void store_columns(const job *jobs, const unsigned *ranks)
{
    extern __shared__ __align__(1024) unsigned char shared[];
    const job &j = jobs[blockIdx.x];

    fill_shared(shared, 0x3f810000u + blockIdx.x * 0x10000u);
    if (threadIdx.x == 0) {
        acquire_map(&j.map);
        const u32 from = shared_at(shared) + j.offset;
        const u64 map = reinterpret_cast<u64>(&j.map);
        if (ranks[blockIdx.x] == 3)
            asm volatile(
                "cp.async.bulk.tensor.3d.global.shared::cta.im2col_no_offs.bulk_group [%0, {%2, %3, %4}], [%1];" ::"l"(
                    map),
                "r"(from), "r"(j.at[0]), "r"(j.at[1]), "r"(j.at[2])
                : "memory");
        else
            asm volatile(
                "cp.async.bulk.tensor.4d.global.shared::cta.im2col_no_offs.bulk_group [%0, {%2, %3, %4, %5}], [%1];" ::
                    "l"(map),
                "r"(from), "r"(j.at[0]), "r"(j.at[1]), "r"(j.at[2]), "r"(j.at[3])
                : "memory");
        COMMIT();
        WAIT_GROUP(0);
    }
}

constexpr tile tiles_reduced[] = {
    MOST(W32, 16, 8, .at = {4, 3}), MOST(I32, 16, 8, .at = {4, 3}),  MOST(W64, 16, 8, .at = {4, 3}),
    MOST(I64, 16, 8, .at = {4, 3}), MOST(F16, 16, 8, .at = {8, 3}),  MOST(F32, 16, 8, .at = {4, 3}),
    MOST(F64, 16, 8, .at = {4, 3}), MOST(BF16, 16, 8, .at = {8, 3}), MOST(F32, 16, 8, .at = {20, 36}),
};
/* Which operations a type has: add, min, max, inc, dec, and, or, xor. */
constexpr unsigned has_operations[] = {0xff, 0xe7, 0xe7, 0x06, 0x07, 0x01, 0x01, 0x07, 0x01};

__global__ void reduce_tiles(const job *jobs, const u32 *in, const unsigned *operations)
{
    extern __shared__ __align__(1024) unsigned char shared[];
    const job &j = jobs[blockIdx.x];
    for (unsigned i = threadIdx.x; i < slot; i += blockDim.x)
        reinterpret_cast<u32 *>(shared)[i] = in[i + 777];
    fence_async();
    __syncthreads();
    if (threadIdx.x == 0) {
        acquire_map(&j.map);
        const u32 from = shared_at(shared);
        const u64 map = reinterpret_cast<u64>(&j.map);
#define REDUCE(bit, how)                                                                                               \
    if (operations[blockIdx.x] >> bit & 1)                                                                             \
        asm volatile("cp.reduce.async.bulk.tensor.2d.global.shared::cta." how                                          \
                     ".tile.bulk_group [%0, {%2, %3}], [%1];" ::"l"(map),                                              \
                     "r"(from), "r"(j.at[0]), "r"(j.at[1])                                                             \
                     : "memory");                                                                                      \
    COMMIT();                                                                                                          \
    WAIT_GROUP(0);
        REDUCE(0, "add")
        REDUCE(1, "min")
        REDUCE(2, "max")
        REDUCE(3, "inc")
        REDUCE(4, "dec")
        REDUCE(5, "and")
        REDUCE(6, "or")
        REDUCE(7, "xor")
    }
}

/* One warp, one tile: what the copies themselves count. */
__global__ void one_tile(const __grid_constant__ CUtensorMap map, const __grid_constant__ CUtensorMap to, u32 *out)
{
    __shared__ __align__(1024) u32 tile[1024];
    __shared__ u64 barrier;
    if (threadIdx.x == 0) {
        asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
        asm volatile("cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%0, {%1, %1}];" ::"l"(&map), "r"(32) : "memory");
        init(&barrier, 1);
        fence_init();
        expect(&barrier, sizeof tile);
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, "
                     "%3}], [%4];" ::"r"(shared_at(tile)),
                     "l"(&map), "r"(32), "r"(8), "r"(shared_at(&barrier))
                     : "memory");
    }
    __syncwarp();
    wait(&barrier, 0);
    u32 sum = 0;
    for (unsigned i = 0; i < 32; i++)
        sum += tile[i * 32 + threadIdx.x];
    out[threadIdx.x] = sum;
    tile[threadIdx.x] = sum;
    fence_async();
    __syncwarp();
    if (threadIdx.x == 0) {
        asm volatile(
            "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group.L2::cache_hint [%0, {%2, %2}], [%1], %3;" ::"l"(
                &to),
            "r"(shared_at(tile)), "r"(0), "l"(0x1000000000000000ull)
            : "memory");
        COMMIT();
        WAIT_READ(0);
    }
}

/* Every block of the cluster gets its own part and all parts of the others. */
__global__ void multicast_tiles(const job *jobs, u32 *out)
{
    extern __shared__ __align__(1024) unsigned char shared[];
    __shared__ u64 barrier;
    const job &j = jobs[blockIdx.x];
    const u32 rank = rank_here(), blocks = blocks_here();
    if (threadIdx.x == 0) {
        init(&barrier, 1);
        fence_init();
        expect(&barrier, j.bytes * blocks);
    }
    cluster_sync();
    if (threadIdx.x == 0)
        acquire_map(&j.map);
    if (threadIdx.x == 0)
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::"
                     "cluster [%0], [%1, {%2, "
                     "%3}], [%4], %5;" ::"r"(shared_at(shared) + rank * 1024),
                     "l"(&j.map), "r"(j.at[0]), "r"(j.at[1]), "r"(shared_at(&barrier)),
                     "h"(static_cast<u16>((1u << blocks) - 1))
                     : "memory");
    const bool came = wait(&barrier, 0);
    for (unsigned i = threadIdx.x; i < slot; i += blockDim.x)
        out[blockIdx.x * slot + i] = came && i < blocks * 256 ? reinterpret_cast<u32 *>(shared)[i] : 0;
    cluster_sync();
}

/* ---- Rows: copies of consecutive bytes ---- */

__global__ void rows_in(const u32 *in, u32 *out, u32 bytes)
{
    extern __shared__ __align__(1024) unsigned char shared[];
    __shared__ u64 barrier;
    if (threadIdx.x == 0) {
        init(&barrier, 1);
        fence_init();
        expect(&barrier, bytes);
        asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(in), "r"(bytes) : "memory");
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                         shared_at(shared)),
                     "l"(in + blockIdx.x * 64), "r"(bytes), "r"(shared_at(&barrier))
                     : "memory");
    }
    __syncthreads();
    const bool came = wait(&barrier, 0);
    for (unsigned i = threadIdx.x; i < bytes / 4; i += blockDim.x)
        out[blockIdx.x * slot + i] = came ? reinterpret_cast<u32 *>(shared)[i] : 0xbadbad;
}

__global__ void rows_out(const u32 *in, u32 *out, u32 bytes)
{
    extern __shared__ __align__(1024) unsigned char shared[];
    for (unsigned i = threadIdx.x; i < bytes / 4; i += blockDim.x)
        reinterpret_cast<u32 *>(shared)[i] = in[i] + blockIdx.x;
    fence_async();
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(out + blockIdx.x * slot),
                     "r"(shared_at(shared)), "r"(bytes)
                     : "memory");
        COMMIT();
        WAIT_READ(0);
    }
}

/* Four groups, of which two are left when the first parts are written again. */
__global__ void groups(const u32 *in, u32 *out)
{
    __shared__ __align__(128) u32 parts[4][64];
    for (unsigned round = 0; round < 3; round++) {
        for (unsigned k = 0; k < 4; k++) {
            if (threadIdx.x == 0)
                WAIT_READ(3);
            __syncthreads();
            parts[k][threadIdx.x] = in[(round * 4 + k) * 64 + threadIdx.x] * 3;
            fence_async();
            __syncthreads();
            if (threadIdx.x == 0) {
                asm volatile("cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint [%0], [%1], %2, %3;" ::"l"(
                                 out + blockIdx.x * slot + (round * 4 + k) * 64),
                             "r"(shared_at(parts[k])), "r"(256), "l"(0x1000000000000000ull)
                             : "memory");
                COMMIT();
            }
        }
    }
    if (threadIdx.x == 0)
        WAIT_GROUP(0);
}

/* In each block another operation on a row of the output. */
__global__ void reduce_rows(const u32 *in, u32 *out)
{
    __shared__ __align__(128) u32 row[512];
    for (unsigned i = threadIdx.x; i < 512; i += blockDim.x)
        row[i] = in[i + 777];
    fence_async();
    __syncthreads();
    if (threadIdx.x != 0)
        return;
    u32 *const to = out + blockIdx.x * slot;
#define ROWS(number, how)                                                                                              \
    if (blockIdx.x == number)                                                                                          \
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group." how " [%0], [%1], %2;" ::"l"(to),           \
                     "r"(shared_at(row)), "r"(2048)                                                                    \
                     : "memory");
    ROWS(0, "add.u32")
    ROWS(1, "add.s32")
    ROWS(2, "add.u64")
    ROWS(3, "inc.u32")
    ROWS(4, "dec.u32")
    ROWS(5, "min.u32")
    ROWS(6, "max.u32")
    ROWS(7, "min.s32")
    ROWS(8, "max.s32")
    ROWS(9, "min.u64")
    ROWS(10, "max.u64")
    ROWS(11, "min.s64")
    ROWS(12, "max.s64")
    ROWS(13, "and.b32")
    ROWS(14, "or.b32")
    ROWS(15, "xor.b32")
    ROWS(16, "and.b64")
    ROWS(17, "or.b64")
    ROWS(18, "xor.b64")
    ROWS(19, "add.f32")
    ROWS(20, "add.f64")
    ROWS(21, "add.noftz.f16")
    ROWS(22, "add.noftz.bf16")
    ROWS(23, "min.f16")
    ROWS(24, "max.f16")
    ROWS(25, "min.bf16")
    ROWS(26, "max.bf16")
    COMMIT();
    WAIT_GROUP(0);
}
constexpr unsigned row_operations = 27;

/* To the next block of the cluster, by copies and by operations. */
__global__ void rows_between(const u32 *in, u32 *out)
{
    __shared__ __align__(128) u32 mine[256], copied[256], changed[10][128];
    __shared__ u64 barrier;
    const u32 next = (rank_here() + 1) % blocks_here();
    for (unsigned i = threadIdx.x; i < 256; i += blockDim.x)
        mine[i] = in[blockIdx.x * 256 + i];
    for (unsigned i = threadIdx.x; i < 1280; i += blockDim.x)
        changed[i / 128][i % 128] = in[4096 + i];
    if (threadIdx.x == 0) {
        init(&barrier, 1);
        fence_init();
        expect(&barrier, 1024 + 10 * 512);
    }
    fence_async();
    cluster_sync();
    if (threadIdx.x == 0) {
        asm volatile(
            "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                of_block(copied, next)),
            "r"(shared_at(mine)), "r"(1024), "r"(of_block(&barrier, next))
            : "memory");
#define BETWEEN(number, how)                                                                                           \
    asm volatile("cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes." how                  \
                 " [%0], [%1], %2, [%3];" ::"r"(of_block(changed[number], next)),                                      \
                 "r"(shared_at(mine)), "r"(512), "r"(of_block(&barrier, next))                                         \
                 : "memory");
        BETWEEN(0, "add.u32")
        BETWEEN(1, "add.s32")
        BETWEEN(2, "add.u64")
        BETWEEN(3, "inc.u32")
        BETWEEN(4, "dec.u32")
        BETWEEN(5, "min.u32")
        BETWEEN(6, "max.s32")
        BETWEEN(7, "and.b32")
        BETWEEN(8, "or.b32")
        BETWEEN(9, "xor.b32")
    }
    const bool came = wait(&barrier, 0);
    u32 *const to = out + blockIdx.x * slot;
    for (unsigned i = threadIdx.x; i < 256; i += blockDim.x)
        to[i] = came ? copied[i] : 0xbadbad;
    for (unsigned i = threadIdx.x; i < 1280; i += blockDim.x)
        to[256 + i] = changed[i / 128][i % 128];
    cluster_sync();
}

__global__ void multicast_rows(const u32 *in, u32 *out)
{
    __shared__ __align__(128) u32 row[256];
    __shared__ u64 barrier;
    if (threadIdx.x == 0) {
        init(&barrier, 1);
        fence_init();
        expect(&barrier, 1024);
    }
    cluster_sync();
    if (threadIdx.x == 0 && rank_here() == 1)
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], "
                     "%2, [%3], %4;" ::"r"(shared_at(row)),
                     "l"(in + blockIdx.x * 256), "r"(1024), "r"(shared_at(&barrier)),
                     "h"(static_cast<u16>((1u << blocks_here()) - 1))
                     : "memory");
    const bool came = wait(&barrier, 0);
    for (unsigned i = threadIdx.x; i < 256; i += blockDim.x)
        out[blockIdx.x * slot + i] = came ? row[i] : 0xbadbad;
    cluster_sync();
}

/* ---- Barriers ---- */

/* One thread; what each operation answers. Only the upper word of an answer says something: how many arrivals are
 * missing. */
__global__ void barrier_states(u32 *out)
{
    __shared__ u64 barrier;
    if (threadIdx.x != 0)
        return;
    const u32 at = shared_at(&barrier);
    unsigned n = 0;
    u64 answer;
#define DO(text, ...) asm volatile("mbarrier." text " [%0]" __VA_ARGS__ ";" ::"r"(at) : "memory");
#define ASK(text, ...)                                                                                                 \
    asm volatile("mbarrier." text " %0, [%1]" __VA_ARGS__ ";" : "=l"(answer) : "r"(at) : "memory");                    \
    out[n++] = static_cast<u32>(answer >> 32);
    DO("init.shared::cta.b64", ", 7");
    ASK("arrive.shared::cta.b64");
    ASK("arrive.shared::cta.b64", ", 2");
    ASK("arrive.shared::cta.b64", ", 1");
    ASK("arrive.expect_tx.shared::cta.b64", ", 96");
    DO("expect_tx.relaxed.cta.shared::cta.b64", ", 1000");
    DO("complete_tx.relaxed.cta.shared::cta.b64", ", 1080");
    ASK("arrive_drop.shared::cta.b64");
    ASK("arrive_drop.expect_tx.shared::cta.b64", ", 64");
    DO("complete_tx.relaxed.cta.shared::cta.b64", ", 80"); /* the phase ends here */
    out[n++] = test_wait(&barrier, 0);
    out[n++] = test_wait(&barrier, 1);
    out[n++] = try_wait(&barrier, 0);
    ASK("arrive_drop.shared::cta.b64", ", 2");
    ASK("arrive.shared::cta.b64", ", 2");
    out[n++] = test_wait(&barrier, 1);
    ASK("arrive.shared::cta.b64"); /* and here */
    out[n++] = test_wait(&barrier, 1);
    out[n++] = test_wait(&barrier, 0);
    DO("complete_tx.relaxed.cta.shared::cta.b64", ", 32"); /* bytes come before they are expected */
    ASK("arrive.expect_tx.shared::cta.b64", ", 32");
    ASK("arrive.shared::cta.b64");
    ASK("arrive.shared::cta.b64");
    u32 pending;
    asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(pending) : "l"(answer));
    out[n++] = pending;
    asm volatile("{ .reg .pred p; mbarrier.test_wait.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                 : "=r"(pending)
                 : "r"(at), "l"(answer)
                 : "memory");
    out[n++] = pending;
    DO("inval.shared::cta.b64");
    DO("init.shared::cta.b64", ", 1048575");
    ASK("arrive.shared::cta.b64", ", 1048574");
    ASK("arrive.shared::cta.b64");
}

/* A warp makes what another uses, in a ring of two places. */
__global__ void ring(const u32 *in, u32 *out)
{
    __shared__ u32 places[2][32];
    __shared__ u64 full[2], empty[2];
    if (threadIdx.x == 0)
        for (unsigned k = 0; k < 2; k++) {
            init(&full[k], 32);
            init(&empty[k], 32);
        }
    __syncthreads();
    const unsigned lane = threadIdx.x % 32;
    for (unsigned round = 0; round < 8; round++) {
        const unsigned k = round % 2, phase = round / 2 % 2;
        if (threadIdx.x < 32) {
            wait(&empty[k], phase ^ 1);
            places[k][lane] = in[round * 32 + lane] + round;
            asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_at(&full[k])) : "memory");
        } else {
            wait(&full[k], phase);
            out[round * 32 + lane] = places[k][31 - lane];
            asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_at(&empty[k])) : "memory");
        }
    }
}

/* The same by copies, four places, and only one thread that makes them. */
__global__ void copy_ring(const u32 *in, u32 *out)
{
    __shared__ __align__(128) u32 places[4][256];
    __shared__ u64 full[4], empty[4];
    if (threadIdx.x == 0)
        for (unsigned k = 0; k < 4; k++) {
            init(&full[k], 1);
            init(&empty[k], 4);
        }
    fence_init();
    __syncthreads();
    if (threadIdx.x >= 128) {
        if (threadIdx.x == 128)
            for (unsigned round = 0; round < 20; round++) {
                const unsigned k = round % 4;
                wait(&empty[k], (round / 4 + 1) % 2);
                expect(&full[k], 1024);
                asm volatile(
                    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                        shared_at(places[k])),
                    "l"(in + round * 256), "r"(1024), "r"(shared_at(&full[k]))
                    : "memory");
            }
    } else {
        u32 sum = 0;
        for (unsigned round = 0; round < 20; round++) {
            const unsigned k = round % 4;
            wait(&full[k], round / 4 % 2);
            sum = sum * 3 + places[k][threadIdx.x] + places[k][255 - threadIdx.x];
            __syncwarp();
            if (threadIdx.x % 32 == 0)
                asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_at(&empty[k])) : "memory");
        }
        out[threadIdx.x] = sum;
    }
}

/* Copies of cp.async that arrive at a barrier. */
__global__ void small_copies(const u32 *in, u32 *out)
{
    __shared__ __align__(16) u32 places[2][64 * 4];
    __shared__ u64 barriers[2];
    if (threadIdx.x == 0) {
        init(&barriers[0], 64);
        init(&barriers[1], 64);
    }
    __syncthreads();
    for (unsigned k = 0; k < 2; k++) {
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_at(&places[k][threadIdx.x * 4])),
                     "l"(in + k * 1024 + threadIdx.x * 4)
                     : "memory");
        if (k == 0) {
            asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(shared_at(&barriers[k]))
                         : "memory");
        } else {
            asm volatile("cp.async.mbarrier.arrive.shared::cta.b64 [%0];" ::"r"(shared_at(&barriers[k])) : "memory");
            asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_at(&barriers[k])) : "memory");
        }
    }
    const bool came = wait(&barriers[0], 0) & wait(&barriers[1], 0);
    for (unsigned i = 0; i < 8; i++)
        out[i * 64 + threadIdx.x] = came ? places[i / 4][(i % 4 * 64 + threadIdx.x) ^ 21] : 0xbadbad;
}

/* ---- Clusters ---- */

__global__ void registers(u32 *out)
{
    if (threadIdx.x != 0)
        return;
    u32 *const to = out + (blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z)) * 32;
    unsigned n = 0;
    u32 value;
#define SPECIAL(name)                                                                                                  \
    asm volatile("mov.u32 %0, %%" name ";" : "=r"(value));                                                             \
    to[n++] = value;
    SPECIAL("clusterid.x")
    SPECIAL("clusterid.y")
    SPECIAL("clusterid.z")
    SPECIAL("nclusterid.x")
    SPECIAL("nclusterid.y")
    SPECIAL("nclusterid.z")
    SPECIAL("cluster_ctaid.x")
    SPECIAL("cluster_ctaid.y")
    SPECIAL("cluster_ctaid.z")
    SPECIAL("cluster_nctaid.x")
    SPECIAL("cluster_nctaid.y")
    SPECIAL("cluster_nctaid.z")
    SPECIAL("cluster_ctarank")
    SPECIAL("cluster_nctarank")
    asm volatile("{ .reg .pred p; mov.pred p, %%is_explicit_cluster; selp.u32 %0, 1, 0, p; }" : "=r"(value));
    to[n++] = value;
    SPECIAL("ctaid.x")
    SPECIAL("nctaid.x")
}

__global__ void __cluster_dims__(4, 1, 1) neighbours(const u32 *in, u32 *out)
{
    __shared__ __align__(16) u32 mine[256], given[64];
    const u32 next = (rank_here() + 1) % blocks_here();
    for (unsigned i = threadIdx.x; i < 256; i += blockDim.x)
        mine[i] = in[blockIdx.x * 256 + i];
    given[threadIdx.x] = 0;
    cluster_sync();
    u32 a, b[4], c;
    u64 d;
    const u32 there = of_block(mine, next);
    asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(a) : "r"(there + threadIdx.x * 4) : "memory");
    asm volatile("ld.shared::cluster.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(b[0]), "=r"(b[1]), "=r"(b[2]), "=r"(b[3])
                 : "r"(there + threadIdx.x * 16)
                 : "memory");
    asm volatile("ld.shared::cluster.u8 %0, [%1];" : "=r"(c) : "r"(there + threadIdx.x * 5) : "memory");
    asm volatile("ld.shared::cluster.u64 %0, [%1];" : "=l"(d) : "r"(there + (threadIdx.x ^ 3) * 8) : "memory");
    const u32 *const generic = cg::this_cluster().map_shared_rank(mine, next);
    const u32 e = generic[threadIdx.x * 3];
    asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(of_block(given, next) + threadIdx.x * 4), "r"(a + blockIdx.x)
                 : "memory");
    cluster_sync();
    u32 *const to = out + blockIdx.x * slot + threadIdx.x * 16;
    to[0] = a;
    to[1] = b[0];
    to[2] = b[1];
    to[3] = b[2];
    to[4] = b[3];
    to[5] = c;
    to[6] = static_cast<u32>(d);
    to[7] = static_cast<u32>(d >> 32);
    to[8] = e;
    to[9] = given[threadIdx.x];
}

/* All blocks of a cluster change words of its first block. */
__global__ void __cluster_dims__(2, 2, 1) sums(const u32 *in, u32 *out)
{
    __shared__ u32 words[8];
    __shared__ u64 wide[2];
    const u32 block = blockIdx.x + gridDim.x * blockIdx.y;
    if (threadIdx.x < 8)
        words[threadIdx.x] = 1000 + threadIdx.x;
    if (threadIdx.x < 2)
        wide[threadIdx.x] = 5;
    cluster_sync();
    const u32 value = in[block * 64 + threadIdx.x] & 0xffff;
    const u32 at = of_block(words, 0);
    asm volatile("red.relaxed.cluster.shared::cluster.add.u32 [%0], %1;" ::"r"(at), "r"(value) : "memory");
    asm volatile("red.relaxed.cluster.shared::cluster.max.u32 [%0], %1;" ::"r"(at + 4), "r"(value) : "memory");
    asm volatile("red.relaxed.cluster.shared::cluster.min.s32 [%0], %1;" ::"r"(at + 8), "r"(value) : "memory");
    asm volatile("red.relaxed.cluster.shared::cluster.xor.b32 [%0], %1;" ::"r"(at + 12 + threadIdx.x % 4 * 4),
                 "r"(value)
                 : "memory");
    asm volatile("red.relaxed.cluster.shared::cluster.add.u32 [%0], %1;" ::"r"(at + 28), "r"(1) : "memory");
    asm volatile("red.relaxed.cluster.shared::cluster.add.u64 [%0], %1;" ::"r"(of_block(wide, 0) + threadIdx.x % 2 * 8),
                 "l"(static_cast<u64>(value) << 20)
                 : "memory");
    cluster_sync();
    u32 *const to = out + block * slot;
    if (threadIdx.x < 8)
        to[threadIdx.x] = words[threadIdx.x];
    if (threadIdx.x < 2) {
        to[8 + threadIdx.x * 2] = static_cast<u32>(wide[threadIdx.x]);
        to[9 + threadIdx.x * 2] = static_cast<u32>(wide[threadIdx.x] >> 32);
    }
}

/* Stores that arrive at a barrier of the next block. */
__global__ void messages(const u32 *in, u32 *out)
{
    __shared__ __align__(16) u32 box[64 * 9], changed[10];
    __shared__ u64 wide;
    __shared__ u64 barrier;
    const u32 next = (rank_here() + 1) % blocks_here(), i = threadIdx.x;
    if (i < 10)
        changed[i] = 0x5555 + i;
    if (i == 0) {
        wide = 7;
        init(&barrier, 1);
        fence_init();
        expect(&barrier, 64 * (4 + 8 + 16 + 8) + 9 * 4 + 8);
    }
    cluster_sync();
    const u32 to = of_block(box, next), bar = of_block(&barrier, next), value = in[blockIdx.x * 64 + i];
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" ::"r"(to + i * 4),
                 "r"(value), "r"(bar)
                 : "memory");
    asm volatile(
        "st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.u32 [%0], {%1, %2}, [%3];" ::"r"(to + 256 + i * 8),
        "r"(value), "r"(i), "r"(bar)
        : "memory");
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.u32 [%0], {%1, %2, %3, %4}, [%5];" ::"r"(
                     to + 768 + i * 16),
                 "r"(value), "r"(i), "r"(value + 1), "r"(i + 1), "r"(bar)
                 : "memory");
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u64 [%0], %1, [%2];" ::"r"(to + 1792 + i * 8),
                 "l"(static_cast<u64>(value) * value), "r"(bar)
                 : "memory");
    if (i == 5) {
        const u32 at = of_block(changed, next);
#define SEND(number, how)                                                                                              \
    asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes." how                         \
                 " [%0], %1, [%2];" ::"r"(at + number * 4),                                                            \
                 "r"(value), "r"(bar)                                                                                  \
                 : "memory");
        SEND(0, "add.u32")
        SEND(1, "add.s32")
        SEND(2, "min.u32")
        SEND(3, "max.s32")
        SEND(4, "inc.u32")
        SEND(5, "dec.u32")
        SEND(6, "and.b32")
        SEND(7, "or.b32")
        SEND(8, "xor.b32")
        asm volatile(
            "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u64 [%0], %1, [%2];" ::"r"(
                of_block(&wide, next)),
            "l"(static_cast<u64>(value) << 8), "r"(bar)
            : "memory");
    }
    const bool came = wait(&barrier, 0);
    u32 *const there = out + blockIdx.x * slot;
    for (unsigned k = 0; k < 9; k++)
        there[k * 64 + i] = came ? box[k * 64 + i] : 0xbadbad;
    if (i < 10)
        there[576 + i] = changed[i];
    if (i == 10)
        there[586] = static_cast<u32>(wide);
    cluster_sync();
}

/* All blocks arrive at a barrier of the first one. */
__global__ void remote_arrivals(u32 *out)
{
    __shared__ u64 barrier;
    if (threadIdx.x == 0) {
        init(&barrier, rank_here() == 0 ? 2 * blocks_here() + 64 : 1);
        fence_init();
    }
    cluster_sync();
    const u32 at = of_block(&barrier, 0);
    if (threadIdx.x < 64 / blocks_here())
        asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(at) : "memory");
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0], %1;" ::"r"(at), "r"(1) : "memory");
        asm volatile("mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [%0], %1;" ::"r"(at), "r"(16)
                     : "memory");
        asm volatile("mbarrier.expect_tx.relaxed.cluster.shared::cluster.b64 [%0], %1;" ::"r"(at), "r"(48) : "memory");
        asm volatile("mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%0], %1;" ::"r"(at), "r"(64)
                     : "memory");
    }
    if (rank_here() == 0) {
        u32 done = 0;
        for (unsigned n = 0; n < 100 && !done; n++)
            asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], 0; "
                         "selp.u32 %0, 1, 0, p; }"
                         : "=r"(done)
                         : "r"(shared_at(&barrier))
                         : "memory");
        out[blockIdx.x * slot + threadIdx.x] = done;
    }
    cluster_sync();
}

/* Blocks that arrive and wait apart from each other, twice. */
__global__ void __cluster_dims__(3, 1, 1) halves(const u32 *in, u32 *out)
{
    __shared__ u32 mine[64];
    mine[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
    u32 sum = in[threadIdx.x] * 7;
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
    u32 got;
    asm volatile("ld.shared::cluster.u32 %0, [%1];"
                 : "=r"(got)
                 : "r"(of_block(mine, (rank_here() + 2) % 3) + threadIdx.x * 4)
                 : "memory");
    asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
    out[blockIdx.x * slot + threadIdx.x] = sum + got;
    asm volatile("barrier.cluster.wait;" ::: "memory");
}

/* The histogram of NVIDIA's guide: bins are spread over the blocks of a cluster. */
__global__ void __cluster_dims__(4, 1, 1) histogram(const u32 *in, u32 *out)
{
    __shared__ u32 bins[64];
    cg::cluster_group cluster = cg::this_cluster();
    bins[threadIdx.x] = 0;
    cluster.sync();
    for (unsigned i = 0; i < 8; i++) {
        const u32 bin = in[(blockIdx.x * 8 + i) * 64 + threadIdx.x] % 256;
        atomicAdd(cluster.map_shared_rank(bins, bin / 64) + bin % 64, 1);
    }
    cluster.sync();
    atomicAdd(out + (blockIdx.x / 4) * slot + cluster.block_rank() * 64 + threadIdx.x, bins[threadIdx.x]);
}

/* One kernel waits for another by programmatic launch. */
__global__ void dependent(const u32 *in, u32 *out)
{
    asm volatile("griddepcontrol.wait;" ::: "memory");
    out[blockIdx.x * 64 + threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x] + 1;
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}

/* ---- The state ---- */

struct async_state {
    static constexpr unsigned words = out_words;
    cugate::device_array<u32> in, out, start;
    job *jobs = nullptr;
    unsigned *numbers = nullptr;

    ~async_state()
    {
        cudaFree(jobs);
        cudaFree(numbers);
    }
    int open()
    {
        std::vector<u32> words(in_words);
        for (unsigned i = 0; i < in_words; i++)
            words[i] = cugate::hash32(0xa51, i);
        CUGATE_TRY(in.allocate(in_words));
        CUGATE_TRY(out.allocate(out_words));
        CUGATE_TRY(cudaMalloc(&jobs, 64 * sizeof(job)));
        CUGATE_TRY(cudaMalloc(&numbers, 64 * sizeof(unsigned)));
        return in.upload(words);
    }
};

/* The output begins as the input's end. */
int restore(void *state)
{
    const async_state *const s = static_cast<async_state *>(state);
    return static_cast<int>(
        cudaMemcpyAsync(s->out.data, s->in.data, out_words * sizeof(u32), cudaMemcpyDeviceToDevice));
}

template <class... Arguments>
int launch(void (*kernel)(Arguments...), dim3 blocks, dim3 block_threads, dim3 cluster, size_t shared,
           Arguments... arguments)
{
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = cluster.x;
    attribute.val.clusterDim.y = cluster.y;
    attribute.val.clusterDim.z = cluster.z;
    config.gridDim = blocks;
    config.blockDim = block_threads;
    config.dynamicSmemBytes = shared;
    config.attrs = &attribute;
    config.numAttrs = cluster.x ? 1 : 0;
    return static_cast<int>(cudaLaunchKernelEx(&config, kernel, arguments...));
}
constexpr dim3 none = dim3(0, 0, 0);
constexpr size_t tile_bytes = (slot + 256) * sizeof(u32);

/* Gives the kernel its tiles. Those that are stored lie in the output, one in each slot. */
int prepare(const async_state &s, const tile *tiles, unsigned count, bool stored)
{
    std::vector<job> jobs(count);
    std::vector<unsigned> ranks(count);
    for (unsigned i = 0; i < count; i++) {
        CUGATE_TRY(describe(tiles[i], stored ? s.out.data + i * slot : s.in.data, &jobs[i]));
        ranks[i] = tiles[i].rank;
    }
    CUGATE_TRY(cudaMemcpy(s.jobs, jobs.data(), count * sizeof(job), cudaMemcpyHostToDevice));
    return static_cast<int>(cudaMemcpy(s.numbers, ranks.data(), count * sizeof(unsigned), cudaMemcpyHostToDevice));
}

template <unsigned rank, bool columns, size_t n> int load_all(void *state, const tile (&tiles)[n])
{
    const async_state &s = *static_cast<async_state *>(state);
    std::vector<tile> chosen;
    for (const tile &t : tiles)
        if (t.rank == rank)
            chosen.push_back(t);
    CUGATE_TRY(prepare(s, chosen.data(), chosen.size(), false));
    return launch<const job *, u32 *>(loads<rank, columns>, chosen.size(), threads, none, tile_bytes, s.jobs,
                                      s.out.data);
}

int map_of(CUtensorMap *map, void *base, unsigned rows)
{
    const tile t = {.type = F32, .rank = 2, .sizes = {128, rows}, .strides = {512}, .box = {32, 32}};
    job j;
    CUGATE_TRY(describe(t, base, &j));
    *map = j.map;
    return 0;
}

#define STATE const async_state &s = *static_cast<async_state *>(state)
int start_one_tile(void *state)
{
    STATE;
    CUtensorMap from, to;
    CUGATE_TRY(map_of(&from, s.in.data, 96));
    CUGATE_TRY(map_of(&to, s.out.data + 4096, 96));
    return launch<CUtensorMap, CUtensorMap, u32 *>(one_tile, 1, 32, none, 0, from, to, s.out.data);
}
int start_stores(void *state)
{
    STATE;
    CUGATE_TRY(prepare(s, tiles_stored, std::size(tiles_stored), true));
    return launch<const job *, const unsigned *>(stores, std::size(tiles_stored), threads, none, tile_bytes, s.jobs,
                                                 s.numbers);
}
int start_columns(void *state)
{
    STATE;
    CUGATE_TRY(prepare(s, tiles_of_columns, std::size(tiles_of_columns), true));
    return launch<const job *, const unsigned *>(store_columns, std::size(tiles_of_columns), threads, none, tile_bytes,
                                                 s.jobs, s.numbers);
}
/* Which operations: all that the type has, or one of them. */
int start_reductions(void *state, unsigned mask)
{
    STATE;
    CUGATE_TRY(prepare(s, tiles_reduced, std::size(tiles_reduced), true));
    unsigned operations[std::size(tiles_reduced)];
    for (unsigned i = 0; i < std::size(tiles_reduced); i++)
        operations[i] = has_operations[i] & mask;
    CUGATE_TRY(cudaMemcpy(s.numbers, operations, sizeof operations, cudaMemcpyHostToDevice));
    return launch<const job *, const u32 *, const unsigned *>(reduce_tiles, std::size(tiles_reduced), threads, none,
                                                              8192, s.jobs, s.in.data, s.numbers);
}
int start_multicast(void *state)
{
    STATE;
    constexpr tile t = TWO(F32, 16, 16, .at = {4, 3});
    std::vector<tile> list(8, t);
    for (unsigned i = 0; i < list.size(); i++)
        list[i].at[1] += static_cast<int>(i) * 7;
    CUGATE_TRY(prepare(s, list.data(), list.size(), false));
    return launch<const job *, u32 *>(multicast_tiles, 8, threads, 4, tile_bytes, s.jobs, s.out.data);
}

#define RUN(...)                                                                                                       \
    [](void *state) -> int {                                                                                           \
        STATE;                                                                                                         \
        return __VA_ARGS__;                                                                                            \
    }
#define VARIANT(variant, text, ...)                                                                                    \
    {                                                                                                                  \
        .name = variant, .doc = text, .launch = __VA_ARGS__, .bytes = 1                                                \
    }

constexpr struct cugate_variant tiles_variants[] = {
    VARIANT("one", "one tile in and out", start_one_tile),
    VARIANT("loads_1", "rank 1", [](void *state) { return load_all<1, false>(state, tiles_1); }),
    VARIANT("loads_2", "rank 2", [](void *state) { return load_all<2, false>(state, tiles_2); }),
    VARIANT("loads_3", "rank 3", [](void *state) { return load_all<3, false>(state, tiles_n); }),
    VARIANT("loads_4", "rank 4", [](void *state) { return load_all<4, false>(state, tiles_n); }),
    VARIANT("loads_5", "rank 5", [](void *state) { return load_all<5, false>(state, tiles_n); }),
    VARIANT("columns_3", "im2col, rank 3", [](void *state) { return load_all<3, true>(state, tiles_im2col); }),
    VARIANT("columns_4", "im2col, rank 4", [](void *state) { return load_all<4, true>(state, tiles_im2col); }),
    VARIANT("columns_5", "im2col, rank 5", [](void *state) { return load_all<5, true>(state, tiles_im2col); }),
    VARIANT("stores", "all ranks", start_stores),
    VARIANT("store_columns", "im2col", start_columns),
    VARIANT("adds", "sums in memory", [](void *state) { return start_reductions(state, 0x01); }),
    VARIANT("minima", "likewise", [](void *state) { return start_reductions(state, 0x02); }),
    VARIANT("maxima", "likewise", [](void *state) { return start_reductions(state, 0x04); }),
    VARIANT("counts", "increments, decrements", [](void *state) { return start_reductions(state, 0x18); }),
    VARIANT("bits", "and, or, exclusive or", [](void *state) { return start_reductions(state, 0xe0); }),
    VARIANT("multicast", "tiles for all blocks of a cluster", start_multicast),
};
constexpr struct cugate_variant rows_variants[] = {
    VARIANT("in_16", "16 bytes",
            RUN(launch<const u32 *, u32 *, u32>(rows_in, 4, threads, none, 8192, s.in.data, s.out.data, 16))),
    VARIANT("in_4096", "4 KiB",
            RUN(launch<const u32 *, u32 *, u32>(rows_in, 4, threads, none, 8192, s.in.data, s.out.data, 4096))),
    VARIANT("in_8192", "8 KiB",
            RUN(launch<const u32 *, u32 *, u32>(rows_in, 4, threads, none, 8192, s.in.data + 4, s.out.data, 8192))),
    VARIANT("out_48", "48 bytes",
            RUN(launch<const u32 *, u32 *, u32>(rows_out, 4, threads, none, 8192, s.in.data, s.out.data, 48))),
    VARIANT("out_8192", "8 KiB",
            RUN(launch<const u32 *, u32 *, u32>(rows_out, 4, threads, none, 8192, s.in.data, s.out.data, 8192))),
    VARIANT("groups", "groups of copies",
            RUN(launch<const u32 *, u32 *>(groups, 3, threads, none, 0, s.in.data, s.out.data))),
    VARIANT("reductions", "operations in memory",
            RUN(launch<const u32 *, u32 *>(reduce_rows, row_operations, threads, none, 0, s.in.data, s.out.data))),
    VARIANT("between", "between the blocks of a cluster",
            RUN(launch<const u32 *, u32 *>(rows_between, 8, threads, 4, 0, s.in.data, s.out.data))),
    VARIANT("multicast", "for all blocks of a cluster",
            RUN(launch<const u32 *, u32 *>(multicast_rows, 6, threads, 2, 0, s.in.data, s.out.data))),
};
constexpr struct cugate_variant barriers_variants[] = {
    VARIANT("states", "what each operation does", RUN(launch<u32 *>(barrier_states, 1, 32, none, 0, s.out.data))),
    VARIANT("ring", "a warp makes, another uses",
            RUN(launch<const u32 *, u32 *>(ring, 1, 64, none, 0, s.in.data, s.out.data))),
    VARIANT("copy_ring", "copies, four places",
            RUN(launch<const u32 *, u32 *>(copy_ring, 1, 160, none, 0, s.in.data, s.out.data))),
    VARIANT("small_copies", "cp.async arrives",
            RUN(launch<const u32 *, u32 *>(small_copies, 1, 64, none, 0, s.in.data, s.out.data))),
};
constexpr struct cugate_variant clusters_variants[] = {
    VARIANT("registers_none", "special registers, no cluster",
            RUN(launch<u32 *>(registers, dim3(6, 2, 2), 32, none, 0, s.out.data))),
    VARIANT("registers_one", "a cluster of one block",
            RUN(launch<u32 *>(registers, dim3(6, 2, 2), 32, dim3(1, 1, 1), 0, s.out.data))),
    VARIANT("registers_321", "clusters of 3 x 2 x 1",
            RUN(launch<u32 *>(registers, dim3(6, 4, 2), 32, dim3(3, 2, 1), 0, s.out.data))),
    VARIANT("registers_222", "clusters of 2 x 2 x 2",
            RUN(launch<u32 *>(registers, dim3(4, 4, 4), 32, dim3(2, 2, 2), 0, s.out.data))),
    VARIANT("registers_700", "clusters of 7",
            RUN(launch<u32 *>(registers, dim3(21, 1, 1), 32, dim3(7, 1, 1), 0, s.out.data))),
    VARIANT("neighbours", "shared memory of others",
            RUN(launch<const u32 *, u32 *>(neighbours, 8, threads, none, 0, s.in.data, s.out.data))),
    VARIANT("sums", "atomics there",
            RUN(launch<const u32 *, u32 *>(sums, dim3(4, 4), threads, none, 0, s.in.data, s.out.data))),
    VARIANT("messages", "asynchronous stores",
            RUN(launch<const u32 *, u32 *>(messages, 6, threads, 3, 0, s.in.data, s.out.data))),
    VARIANT("remote_arrivals", "at a barrier of another block",
            RUN(launch<u32 *>(remote_arrivals, 8, threads, 4, 0, s.out.data))),
    VARIANT("halves", "arriving apart from waiting",
            RUN(launch<const u32 *, u32 *>(halves, 6, threads, none, 0, s.in.data, s.out.data))),
    VARIANT("histogram", "bins in all blocks",
            RUN(launch<const u32 *, u32 *>(histogram, 16, threads, none, 0, s.in.data, s.out.data))),
    VARIANT("largest", "eight blocks", RUN(launch<u32 *>(remote_arrivals, 16, threads, 8, 0, s.out.data))),
    VARIANT("dependent", "programmatic launch",
            RUN(launch<const u32 *, u32 *>(dependent, 8, threads, none, 0, s.in.data, s.out.data))),
};

#define FAMILY(id, text) FAMILY_OF(async_state, id, text, restore)
FAMILY(tiles, "copies of tiles that a tensor map describes")
FAMILY(rows, "copies of consecutive bytes")
FAMILY(barriers, "barriers in shared memory")
FAMILY(clusters, "blocks that share their memory")

const struct cugate_family *const families[] = {&tiles_family, &rows_family, &barriers_family, &clusters_family};

} // namespace async

LIBRARY(async::families)
