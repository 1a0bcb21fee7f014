/* transfer - host to device copies of 64 MiB.
 *
 * Problem: the same 64 MiB from the host to the device, all of it copied once. No kernel runs, so time and bandwidth
 * alone tell the story.
 *   pageable    16 copies of 4 MiB from ordinary memory: the driver stages every byte through a pinned buffer of its
 *               own.
 *   pinned      the same 16 copies from pinned memory: the copy engine reads it directly, bandwidth up to that of the
 *               link.
 *   many_small  4096 copies of 16 KiB, pinned: the cost of starting a copy dominates, bandwidth falls.
 *   one_large   one copy of 64 MiB, pinned: the best that the link gives.
 */
#include <cugate/arrays.hpp>

namespace {

constexpr size_t words = size_t{1} << 24;
constexpr size_t buffer_words = size_t{1} << 20; /* words of a copy of 4 MiB */
constexpr size_t small_words = size_t{1} << 12;  /* words of a copy of 16 KiB */
constexpr unsigned block_threads = 256;
constexpr uint32_t seed = 0x7a45;

/* *first_wrong becomes the index of the first word that is not what the host sent; it starts as UINT32_MAX. */
__global__ void find_first_wrong_word(const uint32_t *received, unsigned *first_wrong)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (received[i] != cugate::hash32(seed, i))
        atomicMin(first_wrong, i);
}

/* Page-locked host memory that frees itself. */
struct pinned_array {
    uint32_t *data = nullptr;

    pinned_array() = default;
    pinned_array(const pinned_array &) = delete;
    pinned_array &operator=(const pinned_array &) = delete;
    ~pinned_array()
    {
        cudaFreeHost(data);
    }

    int allocate(size_t count)
    {
        return static_cast<int>(cudaMallocHost(reinterpret_cast<void **>(&data), count * sizeof *data));
    }
};

struct transfer {
    std::vector<uint32_t> pageable;
    pinned_array pinned;
    cugate::device_array<uint32_t> destination;
    cugate::device_array<unsigned> first_wrong;

    int open()
    {
        CUGATE_TRY(destination.allocate(words));
        CUGATE_TRY(first_wrong.allocate(1));
        CUGATE_TRY(pinned.allocate(words));
        pageable.resize(words);
        for (size_t i = 0; i < words; i++)
            pageable[i] = cugate::hash32(seed, i);
        memcpy(pinned.data, pageable.data(), words * sizeof(uint32_t));
        return 0;
    }
};

/* Waits, because the host's clock starts right after: the poison must not be timed with the copies. */
int restore(void *state)
{
    CUGATE_TRY(static_cast<transfer *>(state)->destination.poison());
    return static_cast<int>(cudaStreamSynchronize(nullptr));
}

int copy_in_pieces(uint32_t *destination, const uint32_t *source, size_t piece_words)
{
    for (size_t i = 0; i < words; i += piece_words)
        CUGATE_TRY(
            cudaMemcpyAsync(destination + i, source + i, piece_words * sizeof(uint32_t), cudaMemcpyHostToDevice));
    return 0;
}

int launch_pageable(void *state)
{
    const transfer *const t = static_cast<transfer *>(state);
    return copy_in_pieces(t->destination.data, t->pageable.data(), buffer_words);
}

int launch_pinned(void *state)
{
    const transfer *const t = static_cast<transfer *>(state);
    return copy_in_pieces(t->destination.data, t->pinned.data, buffer_words);
}

int launch_many_small(void *state)
{
    const transfer *const t = static_cast<transfer *>(state);
    return copy_in_pieces(t->destination.data, t->pinned.data, small_words);
}

int launch_one_large(void *state)
{
    const transfer *const t = static_cast<transfer *>(state);
    return copy_in_pieces(t->destination.data, t->pinned.data, words);
}

/* Compares on the device, word for word: reading 64 MiB back and comparing here would take longer than the copies. */
int verify(void *state, const struct cugate_variant *, char *why, size_t why_size)
{
    transfer *const t = static_cast<transfer *>(state);
    CUGATE_TRY(t->first_wrong.poison());
    find_first_wrong_word<<<words / block_threads, block_threads>>>(t->destination.data, t->first_wrong.data);
    CUGATE_TRY(cugate::launched());
    std::vector<unsigned> at;
    CUGATE_TRY(t->first_wrong.download(at));
    if (at[0] == UINT32_MAX)
        return 0;
    uint32_t got;
    CUGATE_TRY(cudaMemcpy(&got, t->destination.data + at[0], sizeof got, cudaMemcpyDeviceToHost));
    return cugate::wrong(why, why_size, "word %u: expected 0x%08x, found 0x%08x", at[0], t->pageable[at[0]], got);
}

constexpr double bytes = words * sizeof(uint32_t); /* bytes that are copied over the link */

/* To add a variant: write its launch function above and add a row. */
constexpr struct cugate_variant variants[] = {
    {.name = "pageable",
     .doc = "16 copies of 4 MiB from pageable memory: staged by the driver, bandwidth low",
     .launch = launch_pageable,
     .bytes = bytes},
    {.name = "pinned",
     .doc = "16 copies of 4 MiB from pinned memory: bandwidth near that of the link",
     .launch = launch_pinned,
     .bytes = bytes},
    {.name = "many_small",
     .doc = "4096 copies of 16 KiB from pinned memory: the cost of starting a copy dominates",
     .launch = launch_many_small,
     .bytes = bytes},
    {.name = "one_large",
     .doc = "one copy of 64 MiB from pinned memory: the best that the link gives",
     .launch = launch_one_large,
     .bytes = bytes},
};

} // namespace

extern "C" const struct cugate_family cugate_family_transfer = {
    .name = "transfer",
    .doc = "host to device copies of 64 MiB",
    .kind = CUGATE_TRANSFER,
    .open = cugate::open_state<transfer>,
    .restore = restore,
    .verify = verify,
    .close = cugate::close_state<transfer>,
    .variants = variants,
    .variant_count = std::size(variants),
};
