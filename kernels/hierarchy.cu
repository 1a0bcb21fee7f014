/* hierarchy - every thread records its block, warp and lane.
 *
 * Problem: 2^20 threads each write one packed word (block, warp in block, lane).
 *   thread_index   the only variant; moves no counter, proves warp = thread / 32 and runs on every GPU.
 */
#include <cugate/arrays.hpp>

namespace {

constexpr unsigned threads = 256;
constexpr unsigned blocks = 4096;
constexpr size_t total = size_t{threads} * blocks;

__global__ void record_thread_index(uint32_t *out)
{
    unsigned lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    unsigned warp = threadIdx.x / warpSize;
    out[size_t{blockIdx.x} * blockDim.x + threadIdx.x] = blockIdx.x << 16 | warp << 8 | lane;
}

struct hierarchy {
    cugate::device_array<uint32_t> out;

    int open()
    {
        return out.allocate(total);
    }
};

int restore(void *state)
{
    return static_cast<hierarchy *>(state)->out.poison();
}

int launch_thread_index(void *state)
{
    record_thread_index<<<blocks, threads>>>(static_cast<hierarchy *>(state)->out.data);
    return cugate::launched();
}

int verify(void *state, const struct cugate_variant *, char *why, size_t why_size)
{
    std::vector<uint32_t> got;
    CUGATE_TRY(static_cast<hierarchy *>(state)->out.download(got));
    for (size_t i = 0; i < total; i++) {
        const uint32_t thread = static_cast<uint32_t>(i % threads);
        const uint32_t want = static_cast<uint32_t>(i / threads) << 16 | (thread / 32) << 8 | thread % 32;
        if (got[i] != want)
            return cugate::wrong(why, why_size, "thread %zu: expected 0x%08x, found 0x%08x", i, want, got[i]);
    }
    return 0;
}

/* To add a variant: write its launch function above and add a row. */
constexpr struct cugate_variant variants[] = {
    {.name = "thread_index", .doc = "one word a thread", .launch = launch_thread_index, .bytes = total * 4.0},
};

} // namespace

extern "C" const struct cugate_family cugate_family_hierarchy = {
    .name = "hierarchy",
    .doc = "every thread records its block, warp and lane",
    .kind = CUGATE_KERNELS,
    .open = cugate::open_state<hierarchy>,
    .restore = restore,
    .verify = verify,
    .close = cugate::close_state<hierarchy>,
    .variants = variants,
    .variant_count = std::size(variants),
};
