/* bulk.cuh - barriers in shared memory and copies that arrive at them, as kernels with faults and right ones use them.
 */
#ifndef BULK_CUH
#define BULK_CUH

#include <stdint.h>

namespace bulk {

__device__ inline uint32_t at(const void *p)
{
    return (uint32_t)__cvta_generic_to_shared(p);
}

} // namespace bulk

/* Macros, so that an instruction is at the line that uses it. */
#define INIT(barrier, arrivals)                                                                                        \
    asm volatile(                                                                                                      \
        "mbarrier.init.shared::cta.b64 [%0], %1;\n\tfence.mbarrier_init.release.cluster;" ::"r"(bulk::at(barrier)),    \
        "r"(arrivals)                                                                                                  \
        : "memory")
#define ARRIVE(barrier, n)                                                                                             \
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0], %1;" ::"r"(bulk::at(barrier)), "r"(n) : "memory")
#define EXPECT(barrier, bytes)                                                                                         \
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(bulk::at(barrier)), "r"(bytes)         \
                 : "memory")
#define WAIT(barrier, parity)                                                                                          \
    for (uint32_t done = 0; !done;)                                                                                    \
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"       \
                 : "=r"(done)                                                                                          \
                 : "r"(bulk::at(barrier)), "r"(parity)                                                                 \
                 : "memory")
#define LOAD_BYTES(to, from, bytes, barrier)                                                                           \
    asm volatile(                                                                                                      \
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(bulk::at(to)), \
        "l"(from), "r"(bytes), "r"(bulk::at(barrier))                                                                  \
        : "memory")

#endif
