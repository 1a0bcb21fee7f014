/* hopper_gmma.cuh - the warpgroup's matrix instructions as functions: a type GMMA(...) has `run`, which executes one
 * instruction. Accumulators are d; `scale` is 0 where they are not added. */
#ifndef HOPPER_GMMA_CUH
#define HOPPER_GMMA_CUH

#include <cstdint>

namespace hopper {

/* Names of the accumulators in the text, and the operands; the two descriptors and `scale` come before them. */
/* clang-format off */
#define NAMES_2 "%3,%4"
#define SUMS_2 "+r"(d[0]), "+r"(d[1])
#define NAMES_4 "%3,%4,%5,%6"
#define SUMS_4 "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
#define NAMES_8 NAMES_4 ",%7,%8,%9,%10"
#define SUMS_8 SUMS_4, "+r"(d[4]), "+r"(d[5]), "+r"(d[6]), "+r"(d[7])
#define NAMES_12 NAMES_8 ",%11,%12,%13,%14"
#define SUMS_12 SUMS_8, "+r"(d[8]), "+r"(d[9]), "+r"(d[10]), "+r"(d[11])
#define NAMES_16 NAMES_12 ",%15,%16,%17,%18"
#define SUMS_16 SUMS_12, "+r"(d[12]), "+r"(d[13]), "+r"(d[14]), "+r"(d[15])
#define NAMES_20 NAMES_16 ",%19,%20,%21,%22"
#define SUMS_20 SUMS_16, "+r"(d[16]), "+r"(d[17]), "+r"(d[18]), "+r"(d[19])
#define NAMES_24 NAMES_20 ",%23,%24,%25,%26"
#define SUMS_24 SUMS_20, "+r"(d[20]), "+r"(d[21]), "+r"(d[22]), "+r"(d[23])
#define NAMES_28 NAMES_24 ",%27,%28,%29,%30"
#define SUMS_28 SUMS_24, "+r"(d[24]), "+r"(d[25]), "+r"(d[26]), "+r"(d[27])
#define NAMES_32 NAMES_28 ",%31,%32,%33,%34"
#define SUMS_32 SUMS_28, "+r"(d[28]), "+r"(d[29]), "+r"(d[30]), "+r"(d[31])
#define NAMES_36 NAMES_32 ",%35,%36,%37,%38"
#define SUMS_36 SUMS_32, "+r"(d[32]), "+r"(d[33]), "+r"(d[34]), "+r"(d[35])
#define NAMES_40 NAMES_36 ",%39,%40,%41,%42"
#define SUMS_40 SUMS_36, "+r"(d[36]), "+r"(d[37]), "+r"(d[38]), "+r"(d[39])
#define NAMES_44 NAMES_40 ",%43,%44,%45,%46"
#define SUMS_44 SUMS_40, "+r"(d[40]), "+r"(d[41]), "+r"(d[42]), "+r"(d[43])
#define NAMES_48 NAMES_44 ",%47,%48,%49,%50"
#define SUMS_48 SUMS_44, "+r"(d[44]), "+r"(d[45]), "+r"(d[46]), "+r"(d[47])
#define NAMES_52 NAMES_48 ",%51,%52,%53,%54"
#define SUMS_52 SUMS_48, "+r"(d[48]), "+r"(d[49]), "+r"(d[50]), "+r"(d[51])
#define NAMES_56 NAMES_52 ",%55,%56,%57,%58"
#define SUMS_56 SUMS_52, "+r"(d[52]), "+r"(d[53]), "+r"(d[54]), "+r"(d[55])
#define NAMES_60 NAMES_56 ",%59,%60,%61,%62"
#define SUMS_60 SUMS_56, "+r"(d[56]), "+r"(d[57]), "+r"(d[58]), "+r"(d[59])
#define NAMES_64 NAMES_60 ",%63,%64,%65,%66"
#define SUMS_64 SUMS_60, "+r"(d[60]), "+r"(d[61]), "+r"(d[62]), "+r"(d[63])
#define NAMES_68 NAMES_64 ",%67,%68,%69,%70"
#define SUMS_68 SUMS_64, "+r"(d[64]), "+r"(d[65]), "+r"(d[66]), "+r"(d[67])
#define NAMES_72 NAMES_68 ",%71,%72,%73,%74"
#define SUMS_72 SUMS_68, "+r"(d[68]), "+r"(d[69]), "+r"(d[70]), "+r"(d[71])
#define NAMES_76 NAMES_72 ",%75,%76,%77,%78"
#define SUMS_76 SUMS_72, "+r"(d[72]), "+r"(d[73]), "+r"(d[74]), "+r"(d[75])
#define NAMES_80 NAMES_76 ",%79,%80,%81,%82"
#define SUMS_80 SUMS_76, "+r"(d[76]), "+r"(d[77]), "+r"(d[78]), "+r"(d[79])
#define NAMES_84 NAMES_80 ",%83,%84,%85,%86"
#define SUMS_84 SUMS_80, "+r"(d[80]), "+r"(d[81]), "+r"(d[82]), "+r"(d[83])
#define NAMES_88 NAMES_84 ",%87,%88,%89,%90"
#define SUMS_88 SUMS_84, "+r"(d[84]), "+r"(d[85]), "+r"(d[86]), "+r"(d[87])
#define NAMES_92 NAMES_88 ",%91,%92,%93,%94"
#define SUMS_92 SUMS_88, "+r"(d[88]), "+r"(d[89]), "+r"(d[90]), "+r"(d[91])
#define NAMES_96 NAMES_92 ",%95,%96,%97,%98"
#define SUMS_96 SUMS_92, "+r"(d[92]), "+r"(d[93]), "+r"(d[94]), "+r"(d[95])
#define NAMES_100 NAMES_96 ",%99,%100,%101,%102"
#define SUMS_100 SUMS_96, "+r"(d[96]), "+r"(d[97]), "+r"(d[98]), "+r"(d[99])
#define NAMES_104 NAMES_100 ",%103,%104,%105,%106"
#define SUMS_104 SUMS_100, "+r"(d[100]), "+r"(d[101]), "+r"(d[102]), "+r"(d[103])
#define NAMES_108 NAMES_104 ",%107,%108,%109,%110"
#define SUMS_108 SUMS_104, "+r"(d[104]), "+r"(d[105]), "+r"(d[106]), "+r"(d[107])
#define NAMES_112 NAMES_108 ",%111,%112,%113,%114"
#define SUMS_112 SUMS_108, "+r"(d[108]), "+r"(d[109]), "+r"(d[110]), "+r"(d[111])
#define NAMES_116 NAMES_112 ",%115,%116,%117,%118"
#define SUMS_116 SUMS_112, "+r"(d[112]), "+r"(d[113]), "+r"(d[114]), "+r"(d[115])
#define NAMES_120 NAMES_116 ",%119,%120,%121,%122"
#define SUMS_120 SUMS_116, "+r"(d[116]), "+r"(d[117]), "+r"(d[118]), "+r"(d[119])
#define NAMES_124 NAMES_120 ",%123,%124,%125,%126"
#define SUMS_124 SUMS_120, "+r"(d[120]), "+r"(d[121]), "+r"(d[122]), "+r"(d[123])
#define NAMES_128 NAMES_124 ",%127,%128,%129,%130"
#define SUMS_128 SUMS_124, "+r"(d[124]), "+r"(d[125]), "+r"(d[126]), "+r"(d[127])
/* clang-format on */

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

/* A from registers. Its four words come before the accumulators; the names are of those that follow. */
#define GMMA_REGISTERS(name, types, tail)                                                                              \
    struct name {                                                                                                      \
        static constexpr unsigned columns = 8, registers = 4;                                                          \
        static __device__ void run(uint32_t *d, const uint32_t *a, uint64_t b, uint32_t scale)                         \
        {                                                                                                              \
            asm volatile("{.reg .pred p; setp.ne.b32 p, %9, 0;\n"                                                      \
                         "wgmma.mma_async.sync.aligned.m64n8" types " {%0, %1, %2, %3}, {%4, %5, %6, %7}, %8, p" tail  \
                         ";}"                                                                                          \
                         : SUMS_4                                                                                      \
                         : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(scale));                            \
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

enum swizzle { PLAIN = 0, SWIZZLE_128 = 1, SWIZZLE_64 = 2, SWIZZLE_32 = 3 };

/* Offsets in bytes. */
__host__ __device__ inline uint64_t descriptor(uint32_t address, unsigned leading, unsigned stride, unsigned swizzle,
                                               unsigned base = 0)
{
    return (address & 0x3ffff) >> 4 | (uint64_t)(leading >> 4 & 0x3fff) << 16 | (uint64_t)(stride >> 4 & 0x3fff) << 32 |
           (uint64_t)base << 49 | (uint64_t)swizzle << 62;
}

} // namespace hopper

#endif
