/* A kernel library for tests/gpu/run.sh: kernels that pin lines of the L2 or set some of it aside, in every way there
 * is, and some that do neither. All read the same 20 MiB from an empty L2, so all read as much from DRAM, whatever was
 * measured before: `before` is the measure of all that follow, and `after` has the last word. `outlives` shows that
 * this GPU does pin lines: in one launch they are read, flushed by reading as much as cugate does, and read again. */
#include "cugate/kernel.hpp"

namespace {

constexpr unsigned blocks = 1056;
constexpr unsigned threads = 256;
constexpr size_t words = 5 << 20;
constexpr size_t flush_words = 64 << 20;

__device__ uint4 load(const uint4 *from)
{
    return __ldcg(from);
}

__device__ uint4 load_to_stay(const uint4 *from)
{
    uint64_t policy;
    uint4 word;
    asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
    asm volatile("ld.global.L2::cache_hint.v4.u32 {%0, %1, %2, %3}, [%4], %5;"
                 : "=r"(word.x), "=r"(word.y), "=r"(word.z), "=r"(word.w)
                 : "l"(from), "l"(policy));
    return word;
}

template <bool stays> __global__ void read_words(const uint4 *in, size_t count, unsigned times, uint32_t *sums)
{
    const unsigned first = blockIdx.x * threads + threadIdx.x;
    uint32_t sum = 0;
    for (unsigned time = 0; time < times; time++) {
        for (size_t i = first; i < count / 4; i += blocks * threads) {
            const uint4 word = stays ? load_to_stay(in + i) : load(in + i);
            sum += word.x + word.y + word.z + word.w;
        }
    }
    sums[first] = sum / times;
}

struct reading {
    cugate::array<uint32_t> in;
    cugate::array<uint32_t> sums;
    std::vector<uint32_t> want;

    int open()
    {
        /* Small numbers: two times their sum does not wrap. */
        CUGATE_TRY(in.fill(words, [](size_t i) { return i % 1000; }));
        want.assign(blocks * threads, 0);
        for (size_t i = 0; i < words; i++)
            want[i / 4 % want.size()] += in.host[i];
        return sums.allocate(want.size());
    }
    int restore()
    {
        return sums.poison();
    }
    int verify(cugate::why &why)
    {
        return sums.compare(why, [&](size_t i) { return want[i]; });
    }
    const uint4 *from() const
    {
        return reinterpret_cast<const uint4 *>(in.data);
    }
};

int carve_out()
{
    int most = 0;
    CUGATE_TRY(cudaDeviceGetAttribute(&most, cudaDevAttrMaxPersistingL2CacheSize, 0));
    return cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, static_cast<size_t>(most));
}

struct carved : reading {
    int open()
    {
        CUGATE_TRY(reading::open());
        return carve_out();
    }
};

struct outliving : reading {
    cugate::device_array<uint32_t> much;
    int open()
    {
        CUGATE_TRY(reading::open());
        CUGATE_TRY(much.allocate(flush_words));
        return much.poison();
    }
};

void plain(reading &r)
{
    read_words<false><<<blocks, threads>>>(r.from(), words, 1, r.sums.data);
}

void twice(reading &r)
{
    read_words<false><<<blocks, threads>>>(r.from(), words, 2, r.sums.data);
}

void hint(reading &r)
{
    read_words<true><<<blocks, threads>>>(r.from(), words, 1, r.sums.data);
}

void flush(outliving &r)
{
    read_words<false><<<blocks, threads>>>(reinterpret_cast<const uint4 *>(r.much.data), flush_words, 1, r.sums.data);
}

int in_window(reading &r)
{
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeAccessPolicyWindow;
    attribute.val.accessPolicyWindow = {r.in.data, words * sizeof(uint32_t), 1.0f, cudaAccessPropertyPersisting,
                                        cudaAccessPropertyStreaming};
    cudaLaunchConfig_t config = {};
    config.gridDim = blocks;
    config.blockDim = threads;
    config.attrs = &attribute;
    config.numAttrs = 1;
    return cudaLaunchKernelEx(&config, read_words<false>, r.from(), words, 1u, r.sums.data);
}

int window(reading &r)
{
    CUGATE_TRY(carve_out());
    return in_window(r);
}

} // namespace

CUGATE_LIBRARY(cugate::family<reading>("before", "20 MiB before anything was pinned")
                   .variant("plain", "reads them", plain)
                   .variant("twice", "reads them two times", twice),
               cugate::family<reading>("pinned", "20 MiB that others pin")
                   .variant("window", "by an access policy window, with a carve-out of its own", window)
                   .variant("plain", "reads them", plain)
                   .variant("twice", "reads them two times", twice),
               cugate::family<carved>("carved", "20 MiB, and a carve-out for all of the family")
                   .variant("window", "by an access policy window", in_window)
                   .variant("plain", "reads them", plain),
               cugate::family<reading>("after", "20 MiB after all that")
                   .variant("plain", "reads them", plain)
                   .variant("twice", "reads them two times", twice),
               cugate::family<outliving>("outlives", "20 MiB, 256 MiB and the 20 MiB again")
                   .variant("plain", "reads them",
                            [](outliving &r) {
                                plain(r);
                                flush(r);
                                plain(r);
                            })
                   .variant("hint", "the first time by loads with a hint",
                            [](outliving &r) {
                                hint(r);
                                flush(r);
                                plain(r);
                            })
                   .variant("window", "the first time in an access policy window", [](outliving &r) {
                       const int first = window(r);
                       flush(r);
                       plain(r);
                       return first;
                   }))
