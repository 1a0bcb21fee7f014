/* oracle_warp.cu - what lanes of a warp tell each other, against a warp in plain C. For tests/sim/oracle.sh. */
#include <cugate/kernel.hpp>

#include <bit>

namespace {

using u32 = uint32_t;
using s32 = int32_t;
using u64 = unsigned long long;

constexpr unsigned lanes = 32, warps = 512, cases = warps * lanes;

/* What a warp has: two operands a lane, and which lanes take part. */
struct warp {
    u64 a[lanes];
    u32 b[lanes];
    u32 mask;
};

constexpr u64 undefined = 0x123456789abcdef0;

/* ---- In plain C ---- */

/* The lane that a shuffle reads, by the PTX manual. A lane that takes no part has no value. */
template <class T> T shuffled(const warp &w, unsigned lane, unsigned width, char how)
{
    const unsigned b = w.b[lane] & 31, first = lane & ~(width - 1), last = first + width - 1;
    unsigned from = lane;
    if (how == 'i')
        from = first | (b & (width - 1));
    else if (how == 'u')
        from = lane >= first + b ? lane - b : lane;
    else if (how == 'd')
        from = lane + b <= last ? lane + b : lane;
    else
        from = (lane ^ b) <= last ? lane ^ b : lane;
    return w.mask >> from & 1 ? static_cast<T>(w.a[from]) : static_cast<T>(undefined);
}

template <class F> u32 ballot(const warp &w, F holds)
{
    u32 voted = 0;
    for (unsigned l = 0; l < lanes; l++)
        if (w.mask >> l & 1 && holds(l))
            voted |= 1u << l;
    return voted;
}

template <class T, class F> T reduced(const warp &w, F f)
{
    const unsigned first = static_cast<unsigned>(std::countr_zero(w.mask));
    T sum = static_cast<T>(w.a[first]);
    for (unsigned l = first + 1; l < lanes; l++)
        if (w.mask >> l & 1)
            sum = f(sum, static_cast<T>(w.a[l]));
    return sum;
}

template <class T> u32 matched(const warp &w, unsigned lane)
{
    return ballot(w, [&](unsigned l) { return static_cast<T>(w.a[l]) == static_cast<T>(w.a[lane]); });
}

/* ---- Both ways: M(NAME, what the GPU makes of a, b and mask, what C makes of the warp w and a lane) ---- */

#define SHUFFLES(M, width)                                                                                             \
    M(index_##width, __shfl_sync(mask, u32(a), int(b), width), shuffled<u32>(w, lane, width, 'i'))                     \
    M(up_##width, __shfl_up_sync(mask, u32(a), b & 31, width), shuffled<u32>(w, lane, width, 'u'))                     \
    M(down_##width, __shfl_down_sync(mask, u32(a), b & 31, width), shuffled<u32>(w, lane, width, 'd'))                 \
    M(butterfly_##width, __shfl_xor_sync(mask, u32(a), int(b & 31), width), shuffled<u32>(w, lane, width, 'x'))        \
    M(index_long_##width, __shfl_sync(mask, a, int(b), width), shuffled<u64>(w, lane, width, 'i'))
#define REDUCTIONS(M)                                                                                                  \
    M(sum, __reduce_add_sync(mask, u32(a)), reduced<u32>(w, [](u32 x, u32 y) { return x + y; }))                       \
    M(least, __reduce_min_sync(mask, u32(a)), reduced<u32>(w, [](u32 x, u32 y) { return x < y ? x : y; }))             \
    M(most, __reduce_max_sync(mask, u32(a)), reduced<u32>(w, [](u32 x, u32 y) { return x > y ? x : y; }))              \
    M(least_signed, u32(__reduce_min_sync(mask, s32(a))),                                                              \
      u32(reduced<s32>(w, [](s32 x, s32 y) { return x < y ? x : y; })))                                                \
    M(most_signed, u32(__reduce_max_sync(mask, s32(a))),                                                               \
      u32(reduced<s32>(w, [](s32 x, s32 y) { return x > y ? x : y; })))                                                \
    M(bits_of_all, __reduce_and_sync(mask, u32(a)), reduced<u32>(w, [](u32 x, u32 y) { return x & y; }))               \
    M(bits_of_any, __reduce_or_sync(mask, u32(a)), reduced<u32>(w, [](u32 x, u32 y) { return x | y; }))                \
    M(bits_odd, __reduce_xor_sync(mask, u32(a)), reduced<u32>(w, [](u32 x, u32 y) { return x ^ y; }))
#define MATCHES(M)                                                                                                     \
    M(match_any, __match_any_sync(mask, u32(a)), matched<u32>(w, lane))                                                \
    M(match_any_long, __match_any_sync(mask, a), matched<u64>(w, lane))                                                \
    M(match_all, all_match(mask, u32(a)), matched<u32>(w, lane) == w.mask ? u64(w.mask) << 1 | 1 : 0)                  \
    M(match_all_long, all_match(mask, a), matched<u64>(w, lane) == w.mask ? u64(w.mask) << 1 | 1 : 0)                  \
    M(vote_ballot, __ballot_sync(mask, b & 1), ballot(w, [&](unsigned l) { return w.b[l] & 1; }))                      \
    M(vote_any, u32(__any_sync(mask, (b & 7) == 1)), ballot(w, [&](unsigned l) { return (w.b[l] & 7) == 1; }) != 0)    \
    M(vote_all, u32(__all_sync(mask, (b & 7) != 1)),                                                                   \
      ballot(w, [&](unsigned l) { return (w.b[l] & 7) != 1; }) == w.mask)                                              \
    M(vote_uniform, u32(all_same(mask, b & 8)),                                                                        \
      ballot(w, [&](unsigned l) { return w.b[l] & 8; }) == w.mask ||                                                   \
          ballot(w, [&](unsigned l) { return w.b[l] & 8; }) == 0)                                                      \
    M(active, __activemask(), w.mask)
#define OPERATIONS(M)                                                                                                  \
    SHUFFLES(M, 32) SHUFFLES(M, 16) SHUFFLES(M, 8) SHUFFLES(M, 4) SHUFFLES(M, 2) SHUFFLES(M, 1) REDUCTIONS(M) MATCHES(M)

template <class T> __device__ u64 all_match(u32 mask, T value)
{
    int same;
    const u32 matching = __match_all_sync(mask, value, &same);
    return u64(matching) << 1 | u64(same);
}
__device__ int all_same(u32 mask, u32 value)
{
    int same;
    asm volatile("{ .reg .pred p, q; setp.ne.u32 p, %1, 0; vote.sync.uni.pred q, p, %2; selp.s32 %0, 1, 0, q; }"
                 : "=r"(same)
                 : "r"(value), "r"(mask));
    return same;
}

#define KERNEL(name, on_gpu, in_c)                                                                                     \
    __global__ void name(const warp *all, u64 *out)                                                                    \
    {                                                                                                                  \
        const unsigned lane = threadIdx.x % lanes, number = (blockIdx.x * blockDim.x + threadIdx.x) / lanes;           \
        const u64 a = all[number].a[lane];                                                                             \
        const u32 b = all[number].b[lane], mask = all[number].mask;                                                    \
        (void)a, (void)b;                                                                                              \
        if (mask >> lane & 1)                                                                                          \
            out[number * lanes + lane] = on_gpu;                                                                       \
    }
OPERATIONS(KERNEL)
#undef KERNEL

/* ---- The library ---- */

struct state {
    std::vector<warp> host;
    cugate::device_array<warp> all;
    cugate::device_array<u64> out;
    u64 (*in_c)(const warp &w, unsigned lane); /* of what was launched last */

    int open()
    {
        static constexpr u64 values[] = {0, 1, ~0ull, 0x80000000, 0x7fffffff, 0x100000000, 5, 0xffffffff00000005};
        host.resize(warps);
        u64 z = 1;
        const auto random = [&] {
            z = z * 6364136223846793005u + 1442695040888963407u;
            return u32(z >> 33) * 2654435769u ^ u32(z >> 40);
        };
        for (unsigned n = 0; n < warps; n++) {
            warp &w = host[n];
            const bool one = random() % 8 == 0; /* value for all */
            for (unsigned l = 0; l < lanes; l++) {
                w.b[l] = n % 4 == 0 ? n / 4 % 32 : random() >> random() % 28;
                w.a[l] = one ? 7 : n % 2 ? values[random() % 8] : u64(random()) << 32 | random();
            }
            w.mask = n % 3 == 0 ? ~0u : n % 3 == 1 ? random() | 1u << n % 32 : 1u << n % 32 | (random() & random());
        }
        CUGATE_TRY(all.allocate(warps));
        CUGATE_TRY(out.allocate(cases));
        return all.upload(host);
    }
    int restore()
    {
        return out.poison();
    }
    int verify(cugate::why &why)
    {
        std::vector<u64> found;
        CUGATE_TRY(out.download(found));
        for (unsigned i = 0; i < cases; i++) {
            const warp &w = host[i / lanes];
            const u64 expected = in_c(w, i % lanes);
            if (w.mask >> i % lanes & 1 && expected != undefined && expected != u32(undefined) && expected != found[i])
                return why("lane %u of mask 0x%08x: a 0x%llx, b 0x%x: expected 0x%llx, found 0x%llx", i % lanes, w.mask,
                           w.a[i % lanes], w.b[i % lanes], expected, found[i]);
        }
        return 0;
    }
};

} // namespace

#define ROW(name, on_gpu, in_plain_c)                                                                                  \
    .variant(#name, "lanes of a warp", [](state &s) {                                                                  \
        s.in_c = [](const warp &w, unsigned lane) -> u64 {                                                             \
            (void)lane;                                                                                                \
            return in_plain_c;                                                                                         \
        };                                                                                                             \
        name<<<cases / 128, 128>>>(s.all.data, s.out.data);                                                            \
    })
CUGATE_LIBRARY(cugate::family<state>("warp", "against C").bytes(8.0 * cases) OPERATIONS(ROW))
