/* hopper_gmma.cuh - the warpgroup's matrix instructions as functions: a type GMMA(...) has `run`, which executes one
 * instruction. Accumulators are d; `scale` is 0 where they are not added. */
#ifndef HOPPER_GMMA_CUH
#define HOPPER_GMMA_CUH

#include <cstdint>

namespace hopper {

/* Names of the accumulators in the text, and the operands; the two descriptors and `scale` come before them. */
#define NAMES_4 "%3,%4,%5,%6"
#define SUMS_4 "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])

/* Operands from shared memory: both descriptors. */
#define GMMA(name, n, words, types, tail)                                                                              \
    struct name {                                                                                                      \
        static constexpr unsigned columns = n, registers = words;                                                      \
        static __device__ void run(uint32_t *d, uint64_t a, uint64_t b, uint32_t scale)                                \
        {                                                                                                              \
            asm volatile("{.reg .pred p; setp.ne.b32 p, %2, 0;\n"                                                      \
                         "wgmma.mma_async.sync.aligned.m64n" #n types " {" NAMES_##words "}, %0, %1, p" tail ";}"      \
                         : "+l"(a), "+l"(b), "+r"(scale), SUMS_##words);                                               \
        }                                                                                                              \
    };

__device__ inline void gmma_fence()
{
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
__device__ inline void gmma_commit()
{
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
template <int left> __device__ inline void gmma_wait()
{
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(left) : "memory");
}
/* What was stored to shared memory becomes visible to the matrix instructions. */
__device__ inline void proxy_fence()
{
    asm volatile("fence.proxy.async;" ::: "memory");
}

enum swizzle { PLAIN };

/* Offsets in bytes. */
__host__ __device__ inline uint64_t descriptor(uint32_t address, unsigned leading, unsigned stride, unsigned swizzle,
                                               unsigned base = 0)
{
    return (address & 0x3ffff) >> 4 | (uint64_t)(leading >> 4 & 0x3fff) << 16 | (uint64_t)(stride >> 4 & 0x3fff) << 32 |
           (uint64_t)base << 49 | (uint64_t)swizzle << 62;
}

} // namespace hopper

#endif
