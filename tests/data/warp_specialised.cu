/* A warp that brings tiles by copies of the hardware, and warps that wait for them, for tests/scripts/timeless.sh. With
 * -DPLANTED each tile takes 16 integer instructions more. */
#include <cugate/kernel.hpp>

constexpr unsigned tile = 1024, tiles = 24, stages = 2, consumers = 4, blocks = 8;

__device__ unsigned place(const void *shared)
{
    return (unsigned)__cvta_generic_to_shared(shared);
}

__device__ void wait(const uint64_t *barrier, unsigned parity)
{
    asm volatile("{ .reg .pred p;\n"
                 "again: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n"
                 "@!p bra again; }" ::"r"(place(barrier)), "r"(parity) : "memory");
}

__global__ void pipeline(unsigned *out, const unsigned *in)
{
    __shared__ alignas(128) unsigned data[stages][tile];
    __shared__ uint64_t full[stages], empty[stages];
    const unsigned lane = threadIdx.x % 32;
    if (threadIdx.x == 0)
        for (unsigned s = 0; s < stages; s++) {
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(place(&full[s])));
            asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(place(&empty[s])), "r"(consumers));
        }
    __syncthreads();
    in += blockIdx.x * tiles * tile;
    if (threadIdx.x / 32 == consumers) {
        for (unsigned t = 0; t < tiles && lane == 0; t++) {
            const unsigned s = t % stages;
            wait(&empty[s], ~(t / stages) & 1);
            asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(place(&full[s])), "r"(tile * 4) : "memory");
            asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(place(data[s])),
                         "l"(in + t * tile), "r"(tile * 4), "r"(place(&full[s])) : "memory");
        }
        return;
    }
    unsigned sum = 0;
    for (unsigned t = 0; t < tiles; t++) {
        const unsigned s = t % stages;
        wait(&full[s], t / stages & 1);
#pragma unroll 4
        for (unsigned i = threadIdx.x; i < tile; i += consumers * 32)
#pragma unroll
            for (unsigned k = 1; k < 32; k++)
                sum = sum * k + data[s][i ^ k];
#ifdef PLANTED
#pragma unroll
        for (unsigned k = 1; k <= 8; k++)
            sum = (sum ^ k) * 0x9e3779b1; // planted
#endif
        __syncwarp();
        if (lane == 0)
            asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(place(&empty[s])) : "memory");
    }
    out[blockIdx.x * consumers * 32 + threadIdx.x] = sum;
}

struct sums {
    cugate::array<unsigned> in, out;
    int open(const cugate::point &)
    {
        CUGATE_TRY(in.fill(blocks * tiles * tile, [](size_t i) { return unsigned(i); }));
        return out.allocate(blocks * consumers * 32);
    }
    int restore() { return out.poison(); }
    int verify(cugate::why &) { return 0; } // it is counted
};
CUGATE_LIBRARY(cugate::family<sums>("waits", "sums of tiles").variant("pipeline", "", [](sums &s) {
    pipeline<<<blocks, (consumers + 1) * 32>>>(s.out.data, s.in.data);
}))
