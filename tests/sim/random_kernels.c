/* random_kernels.c - prints a kernel library of random kernels, for the comparison of the simulator with a GPU.
 *
 *   random_kernels SEED COUNT >random.cu
 *   nvcc -std=c++20 -O3 -arch=sm_90 -cudart shared -Xcompiler -fPIC -shared -Iharness -o librandom.so random.cu
 *
 *   random_kernels --rows SEED COUNT >rows.h    wide expressions and programs of one thread, as rows of
 * tests/sim/oracle.h
 *
 * The library has one family, r<SEED>, with COUNT variants, k000 and on. Each kernel is a random tree of statements,
 * and well defined: shifts and indices are masked, divisors are not 0, loops end, and no thread reads what another may
 * write at that time. So what it writes depends neither on the order of threads nor on the machine, but for kernels
 * whose doc says "approximate": these call functions whose last bits are the GPU's own, and round them coarsely.
 * A seed gives the same text on every machine.
 *
 * verify() hashes the whole output, and wants the hash of the variant's first launch again. With CUGATE_OUTPUTS=FOLDER
 * it appends a line "FAMILY/VARIANT HASH" to FOLDER/hashes.txt.
 *
 * Text is made from templates, in which $ and a letter stand for something random: see expand().
 */
#include <ctype.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LENGTH(array) (sizeof(array) / sizeof(array)[0])

/* Of a warp's instructions, in all launches of a kernel. What is counted is a rough guess: 300,000 is what may be. */
#define WARP_INSTRUCTIONS 120000
#define MOST_BLOCKS 24
#define MOST_THREADS 256
#define MOST_PLACES 8192 /* the next power of two above the product of both */

/* Words of the output beside one for each thread and launch: sums by atomics, then places of a thread each. */
#define SUM_WORDS 4096
#define WIDE_WORDS (1u << 20)
#define IN_WORDS (1u << 16)

/* ---- Random numbers ---------------------------------------------------------------------------------------------- */

static uint64_t random_state;

/* splitmix64. C leaves open in which order arguments are worked out: no call may have two random ones. */
static uint32_t random_word(void)
{
    uint64_t z = random_state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (uint32_t)((z ^ (z >> 31)) >> 32);
}

static uint32_t below(uint32_t n)
{
    return random_word() % n;
}

static bool chance(uint32_t percent)
{
    return below(100) < percent;
}

/* ---- What is being generated ------------------------------------------------------------------------------------- */

/* The letters of types: $U is an expression of that type, $u a variable. */
static const char type_letters[] = "UILFDHB";
enum { TYPES = 7 };

/* Which threads are sure to come to a statement together, from none to all of the block. */
enum together { ALONE, PART_OF_WARP, WARP, BLOCK };

enum class {
    CLASS_INT,
    CLASS_LONG,
    CLASS_FLOAT,
    CLASS_DOUBLE,
    CLASS_HALF,
    CLASS_LOCAL,
    CLASS_SHARED,
    CLASS_GLOBAL,
    CLASS_WARP,
    CLASS_BARRIER,
    CLASS_ATOMIC,
    CLASS_ASYNC,
    CLASS_TENSOR,
    CLASS_APPROXIMATE,
    CLASS_IF,
    CLASS_LOOP,
    CLASS_SWITCH,
    CLASS_CALL,
    CLASS_PARTS,
    CLASS_LEAVE,
    CLASSES
};

struct kind {
    const char *doc;
    const char *types;
    unsigned char weight[CLASSES];
};

/* clang-format off */
static const struct kind kinds[] = {
    /*                                 int lng flt dbl hlf loc sha glo wrp bar atm asy ten app  if lop swi cal prt lve */
    {"divergence and loops", "UIF",    {22,  0,  6,  0,  0,  3,  2,  4,  3,  1,  1,  0,  0,  0, 22, 26, 10,  8,  3,  2}},
    {"shared memory", "UIFL",          { 6,  2,  2,  0,  0,  1, 50,  4,  3,  5,  6, 10,  0,  0,  6,  6,  1,  0,  1,  0}},
    {"global memory", "UIFL",          { 6,  3,  3,  0,  0,  2,  2, 50,  3,  2, 10,  0,  0,  0,  8,  8,  1,  1,  1,  1}},
    {"integers and calls", "UIL",      {40, 30,  0,  0,  0, 10,  3,  3,  2,  1,  1,  0,  0,  0, 10, 10,  5, 12,  2,  1}},
    {"floating point", "UIFDHB",       { 5,  0, 30, 16, 30,  3,  2,  4,  2,  0,  1,  0,  0,  4, 10, 10,  2,  3,  0,  1}},
    {"warps", "UIFL",                  { 6,  3,  3,  0,  0,  0,  3,  3, 45, 12, 10,  0,  0,  0,  8,  6,  1,  0, 14,  0}},
    {"tensor cores and copies", "UIFH",{ 8,  0,  6,  0,  6,  2, 12,  6,  6,  4,  4, 18, 24,  0,  8,  8,  2,  2,  2,  0}},
    {"a mix", "UILFDHB",               {12,  8, 10,  5,  8,  6, 10, 10,  8,  4,  5,  3,  3,  3, 14, 12,  5,  6,  4,  1}},
};

static const struct shape {
    unsigned x, y, z;
} shapes[] = {
    {32, 1, 1}, {64, 1, 1}, {96, 1, 1}, {128, 1, 1}, {256, 1, 1}, {48, 1, 1}, {1, 1, 1}, {16, 16, 1}, {8, 4, 4},
    {16, 3, 1}, {32, 4, 1}, {5, 8, 2}, {4, 4, 4}, {128, 1, 1}, {64, 2, 1}, {192, 1, 1},
};
/* clang-format on */

/* The kernel in the making. Code goes to text; what its beginning has to declare is known only afterwards. */
static struct kernel {
    unsigned number;
    const struct kind *kind;
    struct shape shape;
    unsigned threads, blocks, launches;
    unsigned segment;       /* the largest power of two that divides a warp's threads, of all warps */
    unsigned in_mask;       /* words of the input in use, less 1 */
    unsigned shared_places; /* elements of each shared array: a power of two, not below threads and 32 */
    unsigned own_stride;
    bool restricted, dynamic;
    unsigned most_registers; /* 0: no limit */
    unsigned local_words;    /* of the local array; 0: none */
    bool has[TYPES];
    unsigned variables[TYPES];
    unsigned functions;
    unsigned wide_words, sum_words, zero_words;
    bool uses_shared[5]; /* arrays of elements of 1, 2, 4, 8 and 16 bytes */
    bool uses_tile, uses_floats, uses_longs, uses_recursion, approximate;
    double function_cost[3];

    FILE *text;
    double cost, times; /* estimated instructions of a warp so far; how often the place that is being written runs */
    int indent;
    bool in_function;
    bool is_row;            /* which the CPU computes as well: of its operands only */
    enum together together; /* at the most, from here on: falls to ALONE when a thread has left */
    unsigned loops;         /* around this place; the counters of these are n0, n1 ... */
    unsigned shared_loops;  /* of these, how many all threads of a warp go round together */
    bool may_break, may_continue;
    char mask[64]; /* lanes that are together, where that is less than a block */
} k;

static void expand(const char *template, int depth);

static void put(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void put(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vfprintf(k.text, format, arguments);
    va_end(arguments);
}

static void spend(double instructions)
{
    k.cost += instructions * k.times;
}

/* Templates to choose from. Each begins with what it costs: instructions of a warp, about. */
struct list {
    const char *const *templates;
    size_t count;
};
#define TEMPLATES(...)                                                                                                 \
    {                                                                                                                  \
        .templates = (const char *const[]){__VA_ARGS__}, .count = LENGTH(((const char *const[]){__VA_ARGS__}))         \
    }

static size_t type_of(char letter)
{
    return (size_t)(strchr(type_letters, toupper((unsigned char)letter)) - type_letters);
}

/* What a row has not. The sign of what is not a number is the CPU's own. */
static bool fits_row(const char *template)
{
    static const char *const others[] = {"lane", "tid", "block", "salt", "in[", "$4", "$t", "copysignf"};
    for (size_t i = 0; i < LENGTH(others); i++)
        if (strstr(template, others[i]))
            return false;
    return true;
}

/* Whether the kernel has all types of a template, and what else its letters ask for. */
static bool fits(const char *template)
{
    if (k.is_row && !fits_row(template))
        return false;
    for (const char *p = template; (p = strchr(p, '$')); p += 2) {
        if (strchr(type_letters, toupper((unsigned char)p[1])) && !k.has[type_of(p[1])])
            return false;
        if (strchr("RWQO", p[1]) && k.in_function)
            return false;
        if (p[1] == 'a' && (k.in_function || !k.local_words))
            return false;
    }
    return true;
}

/* Spends what a template costs, and returns the rest of it. */
static const char *pay(const char *template)
{
    char *text;
    spend((double)strtoul(template, &text, 10));
    return text + 1;
}

static void choose(const struct list *list, int depth)
{
    const char *template;
    do
        template = list->templates[below((uint32_t)list->count)];
    while (!fits(template));
    expand(pay(template), depth);
}

/* ---- Expressions ------------------------------------------------------------------------------------------------- */

static const struct list u_choices = TEMPLATES(
    "1 ($U + $U)", "1 ($U - $U)", "1 ($U * $U)", "1 ($U * $U + $U)", "1 (($U << 3) + $U)", "1 ($U * 9u)", "1 ($U & $U)",
    "1 ($U | $U)", "1 ($U ^ $U)", "1 ~$U", "1 (($U & $U) | (~$U & $U))", "1 ($U ^ $U ^ $U)", "2 ($U << ($U & 31u))",
    "2 ($U >> ($U & 31u))", "1 ($U << $n)", "1 ($U >> $n)", "1 min($U, $U)", "1 max($U, $U)", "2 ($p ? $U : $U)",
    "1 uint32_t(__popc($U))", "2 uint32_t(__clz(int($U)))", "3 uint32_t(__ffs(int($U)))", "1 __brev($U)",
    "1 __byte_perm($U, $U, $s)", "2 __byte_perm($U, $U, $U & 0x7777u)", "1 __funnelshift_l($U, $U, $U)",
    "1 __funnelshift_r($U, $U, $n)", "2 __funnelshift_lc($U, $U, $U)", "2 __funnelshift_rc($U, $U, $U)",
    "1 __umulhi($U, $U)", "3 __umul24($U, $U)", "3 __usad($U, $U, $U)", "3 __uhadd($U, $U)", "3 __urhadd($U, $U)",
    "1 __dp4a($U, $U, $U)", "1 __dp2a_lo($U, $U, $U)", "1 __dp2a_hi($U, $U, $U)", "5 __vadd4($U, $U)",
    "4 __vabsdiffu4($U, $U)", "4 __vsadu4($U, $U)", "6 __vmaxu4($U, $U)", "2 __vminu2($U, $U)", "2 __vmaxs2($U, $U)",
    "6 __vcmpgtu4($U, $U)", "5 __vavgu2($U, $U)", "2 __vimin3_u32($U, $U, $U)", "1 __viaddmax_u32($U, $U, $U)",
    "2 __vimax3_u16x2($U, $U, $U)", "2 __vimax3_s16x2($U, $U, $U)", "2 __viaddmin_s16x2_relu($U, $U, $U)",
    "2 __viaddmax_u16x2($U, $U, $U)", "3 ($U / $q)", "4 ($U % $q)", "22 ($U / ($U % 1000u + 1u))",
    "18 ($U % (($U & 0xffu) + 1u))", "1 uint32_t($L)", "1 uint32_t($L >> 32)", "0 uint32_t($I)",
    "1 __float2uint_rz($F)", "1 __float2uint_rn($F)", "1 __float2uint_ru($F)", "1 __float2uint_rd($F)",
    "1 __double2uint_rz($D)", "1 __double2uint_rn($D)", "2 uint32_t(__half2ushort_rz(__high2half($H)))",
    "2 uint32_t(__half2uint_rn(__low2half($H)))", "2 bits_of($F)", "4 bits_of($D)", "6 bits_of($H)",
    "1 uint32_t(uint8_t($U))", "1 uint32_t(uint16_t($U))", "1 uint32_t(int8_t($U))", "2 (($U >> $n) & 0xffu)",
    "2 (($U & 0xff00ffu) | ($U & 0xff00ff00u))", "1 uint32_t($p)");

/* nvcc takes it that this product does not overflow: of __mul24(a, 1000) / 1000 it makes a. */
static const struct list i_choices =
    TEMPLATES("0 int($U)", "1 add($I, $I)", "1 sub($I, $I)", "1 mul($I, $I)", "1 add(mul($I, $I), $I)", "1 sub(0, $I)",
              "1 min($I, $I)", "1 max($I, $I)", "2 ($I >> ($U & 31u))", "1 ($I >> $n)", "1 int(uint32_t($I) << $n)",
              "1 ($I & $I)", "1 ($I ^ $I)", "2 ($p ? $I : $I)", "1 __mulhi($I, $I)", "3 __mul24(int8_t($I), $I)",
              "3 int(__sad($I, $I, $U))", "4 ($I / int($q))", "5 ($I % int($q))", "24 ($I / int($U % 500u + 1u))",
              "24 ($I % int(($U & 0xfu) + 1u))", "1 __dp4a($I, $I, $I)", "2 __vimax3_s32($I, $I, $I)",
              "1 __viaddmax_s32($I, $I, $I)", "2 __viaddmin_s32_relu($I, $I, $I)", "1 __vimax_s32_relu($I, $I)",
              "1 __float2int_rz($F)", "1 __float2int_rn($F)", "1 __float2int_ru($F)", "1 __float2int_rd($F)",
              "1 __double2int_rn($D)", "1 __double2int_rd($D)", "2 __half2int_rz(__low2half($H))",
              "2 __half2int_ru(__high2half($H))", "2 int(__half2short_rn(__low2half($H)))", "1 int(int16_t($U))",
              "1 int(int8_t($U >> 8))", "2 abs(int(int16_t($U)))", "2 abs($I >> 1)", "3 __hadd($I, $I)",
              "3 __rhadd($I, $I)", "2 int($I < $I)");

static const struct list l_choices = TEMPLATES(
    "2 ($L + $L)", "2 ($L - $L)", "4 ($L * $L)", "2 ($L & $L)", "2 ($L | $L)", "2 ($L ^ $L)", "2 ~$L",
    "4 ($L << ($U & 63u))", "4 ($L >> ($U & 63u))", "2 ($L << $n)", "4 u64(static_cast<s64>($L) >> ($U & 63u))",
    "2 u64(static_cast<s64>($L) >> $n)", "1 (u64($U) * $U)", "1 (u64($U) * $U + $L)", "1 u64(s64($I) * $I)",
    "1 u64(s64($I))", "4 min($L, $L)", "4 max($L, $L)", "4 u64(min(static_cast<s64>($L), static_cast<s64>($L)))",
    "3 ($p ? $L : $L)", "8 __umul64hi($L, $L)", "12 u64(__mul64hi(static_cast<s64>($L), static_cast<s64>($L)))",
    "12 ($L / $q)", "14 ($L % $q)", "60 ($L / (u64($U) + 1u))", "60 ($L % ((u64($U) << 8) + 7u))",
    "70 u64(static_cast<s64>($L) / int($U % 900u + 1u))", "2 __brevll($L)", "3 u64(__popcll($L))",
    "4 u64(__clzll(static_cast<s64>($L)))", "6 u64(__ffsll(static_cast<s64>($L)))", "1 (u64($U) << 32 | $U)",
    "2 __float2ull_rz($F)", "2 u64(__float2ll_rn($F))", "2 __double2ull_rz($D)", "2 u64(__double2ll_rd($D))");

static const struct list f_choices = TEMPLATES(
    "1 ($F + $F)", "1 ($F - $F)", "1 ($F * $F)", "1 ($F * $F + $F)", "1 fmaf($F, $F, $F)", "1 fmaf($F, 0.5f, $F)",
    "1 fminf($F, $F)", "1 fmaxf($F, $F)", "0 fabsf($F)", "0 (-$F)", "14 ($F / $F)", "14 __fdiv_rz($F, $F)",
    "10 __frcp_rn($F)", "12 sqrtf(fabsf($F))", "14 __fsqrt_ru(fabsf($F))", "1 __fadd_rz($F, $F)", "1 __fadd_ru($F, $F)",
    "1 __fadd_rd($F, $F)", "1 __fmul_rz($F, $F)", "1 __fmul_ru($F, $F)", "1 __fmul_rn($F, $F)", "1 __fsub_rd($F, $F)",
    "1 __fmaf_rd($F, $F, $F)", "1 __fmaf_rz($F, $F, $F)", "1 floorf($F)", "1 ceilf($F)", "1 truncf($F)", "1 rintf($F)",
    "5 roundf($F)", "2 ($p ? $F : $F)", "1 __saturatef($F)", "1 __saturatef($F * $F)", "1 copysignf($F, $F)",
    "4 fdimf($F, $F)", "1 __int2float_rn($I)", "1 __int2float_rz($I)", "1 __int2float_ru($I)", "1 __uint2float_rn($U)",
    "1 __uint2float_rd($U)", "2 __ll2float_rn(static_cast<s64>($L))", "2 __ull2float_rz($L)", "1 __double2float_rn($D)",
    "1 __double2float_rz($D)", "1 __low2float($H)", "1 __high2float($H)", "1 __low2float($B)", "1 __high2float($B)",
    "1 float(uint8_t($U >> 8))", "1 float(uint16_t($U))", "1 float(int8_t($U))", "1 float(int16_t($U >> 16))",
    "1 __uint_as_float(($U & 0x807fffffu) | 0x3f800000u)", "3 (float(int($U & 0xfffu) - 2048) * 0.125f)");

static const struct list d_choices =
    TEMPLATES("2 ($D + $D)", "2 ($D - $D)", "2 ($D * $D)", "2 ($D * $D + $D)", "2 fma($D, $D, $D)", "6 fmin($D, $D)",
              "6 fmax($D, $D)", "1 fabs($D)", "1 (-$D)", "30 ($D / $D)", "30 sqrt(fabs($D))", "2 __dadd_rz($D, $D)",
              "2 __dadd_ru($D, $D)", "2 __dmul_rd($D, $D)", "2 __dmul_rn($D, $D)", "2 __fma_rz($D, $D, $D)",
              "2 floor($D)", "2 rint($D)", "2 trunc($D)", "3 ($p ? $D : $D)", "1 double($F)", "1 double($I)",
              "1 double($U)", "2 __ll2double_rn(static_cast<s64>($L))", "2 __ull2double_ru($L)",
              "2 __hiloint2double(int(($U & 0x800fffffu) | 0x3ff00000u), int($U))");

static const struct list h_choices = TEMPLATES(
    "1 __hadd2($H, $H)", "1 __hsub2($H, $H)", "1 __hmul2($H, $H)", "1 __hfma2($H, $H, $H)", "1 __hadd2_rn($H, $H)",
    "1 __hmin2($H, $H)", "1 __hmax2($H, $H)", "1 __hneg2($H)", "1 __habs2($H)", "1 __hadd2_sat($H, $H)",
    "1 __hfma2_sat($H, $H, $H)", "1 __hfma2_relu($H, $H, $H)", "1 __hgt2($H, $H)", "1 __hle2($H, $H)",
    "1 __hne2($H, $H)", "1 __floats2half2_rn($F, $F)", "1 __lows2half2($H, $H)", "1 __highs2half2($H, $H)",
    "1 __lowhigh2highlow($H)", "1 __low2half2($H)", "2 __half2half2(__int2half_rn($I))",
    "2 __half2half2(__uint2half_rz($U & 0xffffu))", "3 __halves2half2(__float2half_rz($F), __float2half_ru($F))",
    "3 __halves2half2(__hadd(__low2half($H), __high2half($H)), __hmul(__low2half($H), __high2half($H)))",
    "2 ($p ? $H : $H)", "2 h2floor($H)", "2 h2rint($H)", "2 h2trunc($H)");

static const struct list b_choices = TEMPLATES(
    "1 __hadd2($B, $B)", "1 __hsub2($B, $B)", "1 __hmul2($B, $B)", "1 __hmax2($B, $B)", "1 __hfma2($B, $B, $B)",
    "1 __floats2bfloat162_rn($F, $F)", "1 __hneg2($B)", "2 ($p ? $B : $B)", "1 __hgt2($B, $B)");

static const struct list conditions = TEMPLATES(
    "1 ($U < $U)", "1 ($U >= $U)", "3 (($U & 7u) == ($U & 7u))", "2 (($u & $k) != 0)", "1 ($I < $I)", "1 ($I > $c)",
    "2 ($L > $L)", "2 (static_cast<s64>($L) <= static_cast<s64>($L))", "2 ($L == $L)", "1 ($F < $F)", "1 ($F >= $F)",
    "1 !($F > $F)", "1 ($F != $F)", "1 isnan($F)", "1 (fabsf($F) < 64.0f)", "1 ($D <= $D)", "1 ($D != $D)",
    "2 __hbgt2($H, $H)", "2 __hlt(__low2half($H), __high2half($H))", "1 ($p && $p)", "1 ($p || $p)", "0 !$p",
    "1 ((lane & $k) != 0)", "1 (lane < $n)", "2 ((lane * $o & 31u) < $n)", "1 ((tid & $k) == 0)");

static const struct list simple_conditions =
    TEMPLATES("2 (($u & $k) != 0)", "1 ($u > 0x80000000u)", "1 ($i < 0)", "1 ($f > 0.5f)", "1 (lane < $n)",
              "1 ((lane & $k) != 0)", "1 (tid > $n)");

/* The same for every thread of the block. */
static const struct list uniform_conditions =
    TEMPLATES("1 ((block & $k) != 0)", "3 ((table[(block + $n) & 63u] & $k) != 0)", "4 ((in[block + $n] & $k) != 0)",
              "1 (block > $n)", "1 (salt == 0)", "6 ((in[(block * $o) & 0xfffu] % 3u) != 1u)");

static const struct list u_leaves = TEMPLATES("0 $u", "0 $u", "0 $u", "0 $u", "0 $u", "0 lane", "0 tid", "0 $c", "0 $n",
                                              "4 in[$4]", "3 table[$t]", "3 permuted[$t]", "4 local[$a]", "0 block");

static const struct list i_leaves =
    TEMPLATES("0 $i", "0 $i", "0 $i", "0 int($c)", "0 int(lane)", "0 int($u)", "3 counts[$t]");

static const struct list l_leaves = TEMPLATES("0 $l", "0 $l", "0 $l", "1 u64($u)", "0 (u64($c) << 32 | $c)");

static const struct list f_leaves = TEMPLATES("0 $f", "0 $f", "0 $f", "0 $f", "0 $y", "1 float($i)", "3 fractions[$t]");

static const struct list d_leaves = TEMPLATES("0 $d", "0 $d", "0 $d", "0 double($y)", "1 double($f)");

static const struct list h_leaves =
    TEMPLATES("0 $h", "0 $h", "0 $h", "0 __floats2half2_rn($y, $y)", "1 __float2half2_rn($f)");

static const struct list b_leaves = TEMPLATES("0 $b", "0 $b", "0 __floats2bfloat162_rn($y, $y)");

static const struct list *const expressions[TYPES] = {&u_choices, &i_choices, &l_choices, &f_choices,
                                                      &d_choices, &h_choices, &b_choices};
static const struct list *const leaves[TYPES] = {&u_leaves, &i_leaves, &l_leaves, &f_leaves,
                                                 &d_leaves, &h_leaves, &b_leaves};

static void expression(size_t type, int depth)
{
    if (type == 0 && k.loops > 0 && chance(depth > 0 ? 3 : 12)) {
        put("n%u", below(k.loops));
        return;
    }
    choose(depth <= 0 || chance(15) ? leaves[type] : expressions[type], depth - 1);
}

static void condition(int depth)
{
    choose(depth > 0 ? &conditions : &simple_conditions, depth - 1);
}

/* ---- Indices ----------------------------------------------------------------------------------------------------- */

static const struct list input_patterns =
    TEMPLATES("0 all", "0 all", "1 all + $n", "1 all * 2u", "1 all * $o", "2 all * 8u + lane", "1 all * 33u",
              "1 all ^ $n", "1 all ^ $c", "2 lane * 32u + warp", "4 block * 64u + permuted[lane]", "1 all / 2u",
              "2 all / 4u + $n", "3 all / 8u * 8u + (7u - lane % 8u)", "1 block + $n", "1 warp * $o + block", "0 $u",
              "1 $u >> $n", "2 ($u & 31u) + all", "1 $U + $n", "1 __brev(all)", "1 lane / 8u + $n", "2 all + ($u & 3u)",
              "4 lane % 5u", "2 block * 128u + tid * 3u", "1 ~all");

static const struct list function_patterns =
    TEMPLATES("0 $u", "1 $u >> $n", "1 lane + $n", "1 lane * $o", "2 ($u & 15u) + lane", "1 tid ^ $n");

/* An index of the input, as elements of so many bytes. */
static void input_index(unsigned bytes, int depth)
{
    spend(1);
    put("(");
    choose(k.in_function ? &function_patterns : &input_patterns, depth - 1);
    put(") & 0x%xu", (k.in_mask + 1) * 4 / bytes - 1);
}

/* Where a thread writes in a shared array: no two threads at one place. Each pattern is one-to-one modulo a power of
 * two. */
static void shared_place(void)
{
    const unsigned mask = k.shared_places - 1;
    unsigned bits = 0;
    while (1u << bits < k.shared_places)
        bits++;
    const unsigned stride = 2u << below(4);
    spend(3);
    switch (below(8)) {
    case 0:
    case 1:
        put("tid");
        break;
    case 2:
        put("(tid ^ %uu)", below(k.shared_places));
        break;
    case 3:
        put("((tid * %uu + ", below(16) * 2 + 1);
        put("%uu) & %uu)", below(64), mask);
        break;
    case 4:
    case 5:
        put("((tid * %uu + tid / %uu) & %uu)", stride, k.shared_places / stride, mask);
        break;
    case 6:
        put("(__brev(tid) >> %uu)", 32 - bits);
        break;
    default:
        put("((tid & ~31u | permuted[lane]) & %uu)", mask);
        break;
    }
}

static const struct list shared_patterns =
    TEMPLATES("0 tid", "1 tid + $n", "1 tid * 2u", "2 tid * 4u + warp", "1 tid * $o", "1 lane * 32u", "1 lane * 33u",
              "2 lane * 8u + (lane >> 2)", "1 tid ^ $n", "1 tid / 2u", "1 tid / 4u", "2 lane / 16u * 8u", "0 warp",
              "0 $n", "3 permuted[lane] + $n", "0 $u", "1 $u & 3u", "2 lane * ($u & 3u)", "1 lane * 16u + $n", "1 ~tid",
              "3 lane % 3u * 32u", "3 (lane & 1u) * 32u + lane / 2u", "2 lane ^ (lane >> 1)", "1 $U + $n");

/* Where a thread reads in a shared array: anywhere. */
static void shared_index(int depth)
{
    spend(2);
    put("((");
    choose(&shared_patterns, depth - 1);
    put(") & %uu)", k.shared_places - 1);
}

/* The first element of a thread's places in the rest of the output, as elements of so many bytes: regions are of one
 * statement each, and a place in one belongs to one thread. */
static bool take_wide(unsigned bytes, char *text, size_t size)
{
    unsigned stride = chance(60) ? 1 : 1 + below(4);
    const unsigned words = (MOST_PLACES * stride + 8) * (bytes > 4 ? bytes / 4 : 1);
    if (k.wide_words + words > WIDE_WORDS)
        return false;
    const unsigned first = k.wide_words * 4 / bytes + (chance(60) ? below(8) : 0);
    k.wide_words += (words + 3) / 4 * 4;
    char place[64];
    switch (below(5)) {
    case 0:
    case 1:
        snprintf(place, sizeof place, "all");
        break;
    case 2:
        snprintf(place, sizeof place, "((all ^ %uu) & (places - 1u))", below(64));
        break;
    case 3:
        snprintf(place, sizeof place, "(all * %uu & (places - 1u))", below(32) * 2 + 1);
        break;
    default:
        snprintf(place, sizeof place, "(all & ~31u | permuted[all & 31u])");
        break;
    }
    snprintf(text, size, "%uu + %s * %uu + %uu", first, place, stride, below(stride));
    spend(3);
    return true;
}

/* ---- Templates --------------------------------------------------------------------------------------------------- */

static void variable(size_t type)
{
    put("%c%u", tolower(type_letters[type]), below(k.variables[type]));
}

/* Copies a template. None may have an expression alone in brackets, ($U): C++ takes (int(uint8_t(x[0]))) for a type.
 * Of $ and a letter it makes:
 *   U I L F D H B   an expression: unsigned, int, unsigned 64 bit, float, double, two halves, two bfloat16
 *   u i l f d h b   a variable of that type
 *   p  x            a condition; one that is the same for the whole block
 *   c n k o q s y   constants: any; 1 to 31; a power of two up to 16; odd; a divisor; a selector of bytes; a float
 *   1 2 4 8 6       an index of the input as elements of 1, 2, 4, 8 and 16 bytes
 *   t               an index of a table of 64 constants
 *   a               an index of the local array
 *   R  W            an index for reading and a place for writing in a shared array
 *   Q  O            an index of the thread's own words in shared memory; one below 64
 *   w  v  m         a width of shuffles, a lane distance within it; the mask of lanes that are here */
static void expand(const char *template, int depth)
{
    static const unsigned divisors[] = {3, 5, 7, 10, 13, 60, 100, 641, 1000, 65537, 1000003};
    static const char *const words[] = {"0u",   "1u",          "2u",          "255u",        "65535u",
                                        "~0u",  "0x80000000u", "0x7fffffffu", "0x55555555u", "0xff00ff00u",
                                        "100u", "31u",         "0x01010101u"};
    static const char *const floats[] = {"0.5f",   "1.0f",      "(-2.0f)",    "0.1f", "3.25f",
                                         "100.0f", "(-0.375f)", "0.0078125f", "1.5f", "7.0f"};
    const char *p = template;
    for (const char *end; (end = strchr(p, '$')); p = end + 2) {
        fwrite(p, 1, (size_t)(end - p), k.text);
        const char letter = end[1];
        switch (letter) {
        case 'p':
            condition(depth);
            break;
        case 'x':
            choose(&uniform_conditions, depth);
            break;
        case 'c':
            if (chance(50)) {
                put("%s", words[below(LENGTH(words))]);
            } else {
                const uint32_t shift = below(28);
                put("0x%xu", random_word() >> shift);
            }
            break;
        case 'n':
            put("%uu", 1 + below(31));
            break;
        case 'k':
            put("%uu", 1u << below(5));
            break;
        case 'o':
            put("%uu", 2 * below(20) + 1);
            break;
        case 'q':
            put("%uu", divisors[below(LENGTH(divisors))]);
            break;
        case 's':
            put("0x%04xu", random_word() & 0x7777);
            break;
        case 'y':
            put("%s", floats[below(LENGTH(floats))]);
            break;
        case '1':
        case '2':
        case '4':
        case '8':
            input_index((unsigned)(letter - '0'), depth);
            break;
        case '6':
            input_index(16, depth);
            break;
        case 't': {
            static const char *const indices[] = {"block", "salt", "lane", "tid >> 3", "5u", "40u"};
            const uint32_t which = below(8);
            if (which < 6)
                put("%s", indices[which]);
            else
                variable(0);
            if (which < 4 || which >= 6)
                put(" & 63u");
            break;
        }
        case 'a':
            put("(");
            if (k.loops > 0 && chance(30))
                put("n%u", below(k.loops));
            else
                variable(0);
            put(" & %uu)", k.local_words - 1);
            break;
        case 'R':
            shared_index(depth);
            break;
        case 'W':
            shared_place();
            break;
        case 'Q':
            put("(tid * %uu + ", k.own_stride);
            variable(0);
            put(" %% %uu)", k.own_stride);
            break;
        case 'O':
            put("(");
            expression(0, depth - 1);
            put(" & 63u)");
            break;
        case 'w': {
            unsigned width = k.segment;
            if (width > 1 && chance(40))
                width >>= below(3);
            put("%u", width ? width : 1);
            break;
        }
        case 'v':
            put("%uu", k.segment > 1 ? 1u << below(5) & (k.segment - 1) : 0);
            break;
        case 'm':
            put("%s", k.mask);
            break;
        default:
            if (isupper((unsigned char)letter))
                expression(type_of(letter), depth);
            else
                variable(type_of(letter));
        }
    }
    put("%s", p);
}

static void line(const char *template, int depth)
{
    put("%*s", k.indent * 4, "");
    expand(template, depth);
    put("\n");
}

/* ---- Statements -------------------------------------------------------------------------------------------------- */

static const struct statement {
    enum class class;
    enum together together; /* what it needs */
    int array;              /* the shared array that it uses: log2 of the bytes of an element; -1: none */
    struct list list;       /* each of lines */
} statements[] = {
    {CLASS_INT, ALONE, -1,
     TEMPLATES("1 $u = $U;", "1 $u = $U;", "1 $u += $U;", "1 $u ^= $U;", "1 $i = $I;", "1 $i = $I;",
               "2 if ($p) $u = $U;", "2 $u = $p ? $U : $u;")},
    {CLASS_LONG, ALONE, -1, TEMPLATES("2 $l = $L;", "2 $l += $L;", "2 $u ^= uint32_t($L >> $n);")},
    {CLASS_FLOAT, ALONE, -1,
     TEMPLATES("4 $f = tame($F);", "4 $f = tame($F);", "5 $f = tame($f * 0.75f + $F);", "1 $f = $F;",
               "2 if ($p) $f = $F;", "2 $u += __float2uint_rz($F);")},
    {CLASS_DOUBLE, ALONE, -1, TEMPLATES("6 $d = tame($D);", "6 $d = tame($d * 0.5 + $D);", "2 $d = $D;")},
    {CLASS_HALF, ALONE, -1,
     TEMPLATES("4 $h = tame($H);", "4 $h = tame($H);", "1 $h = $H;", "4 $b = $B;",
               "4 $f = tame($f + __low2float($H));")},
    {CLASS_LOCAL, ALONE, -1,
     TEMPLATES("5 local[$a] = $U;", "5 local[$a] += $U;", "8 $u = local[$a] - local[$a];",
               "6 if ($p) local[$a] ^= $u;")},
    {CLASS_SHARED, ALONE, 0, TEMPLATES("3 $u += shared1[$R];")},
    {CLASS_SHARED, ALONE, 1, TEMPLATES("3 $i = add($i, int16_t(shared2[$R]));")},
    {CLASS_SHARED, ALONE, 2,
     TEMPLATES("3 $u ^= shared4[$R];", "6 $u = shared4[$R] + shared4[$R];", "4 if ($p) $u -= shared4[$R];")},
    {CLASS_SHARED, ALONE, 3, TEMPLATES("5 { const uint2 v = shared8[$R]; $u ^= v.x + 3u * v.y; }")},
    {CLASS_SHARED, ALONE, 4, TEMPLATES("7 { const uint4 v = shared16[$R]; $u += (v.x ^ v.y) + (v.z ^ v.w); }")},
    {CLASS_SHARED, ALONE, 3, TEMPLATES("5 if ($p) { const uint2 v = shared8[$R]; $u = v.x * v.y; }")},
    {CLASS_SHARED, ALONE, 4, TEMPLATES("7 if ($p) { const uint4 v = shared16[$R]; $u += (v.x & v.y) - (v.z | v.w); }")},
    {CLASS_SHARED, ALONE, 2, TEMPLATES("9 { const uint32_t *from = $p ? &shared4[$R] : in + ($4); $u += *from; }")},
    {CLASS_SHARED, ALONE, -1, TEMPLATES("4 own[$Q] = $U;", "5 $u += own[$Q];")},
    {CLASS_SHARED, BLOCK, 0, TEMPLATES("8 __syncthreads();\nshared1[$W] = uint8_t($U);\n__syncthreads();")},
    {CLASS_SHARED, BLOCK, 1, TEMPLATES("8 __syncthreads();\nshared2[$W] = uint16_t($U);\n__syncthreads();")},
    {CLASS_SHARED, BLOCK, 2,
     TEMPLATES("8 __syncthreads();\nshared4[$W] = $U;\n__syncthreads();\n$u += shared4[$R];",
               "8 __syncthreads();\nif ($p) shared4[$W] = $U;\n__syncthreads();")},
    {CLASS_SHARED, BLOCK, 3,
     TEMPLATES("9 __syncthreads();\nshared8[$W] = make_uint2($U, $U);\n__syncthreads();",
               "9 __syncthreads();\nif ($p) shared8[$W] = make_uint2($U, $u);\n__syncthreads();")},
    {CLASS_SHARED, BLOCK, 4,
     TEMPLATES("11 __syncthreads();\nshared16[$W] = make_uint4($U, $u, $U, $u);\n__syncthreads();",
               "11 __syncthreads();\nif ($p) shared16[$W] = make_uint4($U, $u, $u, $u);\n__syncthreads();")},
    {CLASS_GLOBAL, ALONE, -1,
     TEMPLATES("5 $u += reinterpret_cast<const uint8_t *>(in)[$1];",
               "5 $i = sub($i, reinterpret_cast<const int8_t *>(in)[$1]);",
               "5 $u ^= reinterpret_cast<const uint16_t *>(in)[$2];", "5 $u += in[$4];", "10 $u = in[$4] - in[$4];",
               "7 { const uint2 v = reinterpret_cast<const uint2 *>(in)[$8]; $u ^= v.x + 5u * v.y; }",
               "9 { const uint4 v = reinterpret_cast<const uint4 *>(in)[$6]; $u += (v.x ^ v.y) + (v.z ^ v.w); }",
               "6 if ($p) $u += in[$4];",
               "9 if ($p) { const uint4 v = reinterpret_cast<const uint4 *>(in)[$6]; $u = v.x + v.y * v.z - v.w; }",
               "7 if ($p) { const uint2 v = reinterpret_cast<const uint2 *>(in)[$8]; $u -= v.x ^ v.y; }",
               "5 $u += __ldcg(in + ($4));", "5 $u ^= __ldcs(in + ($4));", "5 $u ^= __ldg(in + ($4));",
               "5 $u += *static_cast<const volatile uint32_t *>(in + ($4));")},
    {CLASS_WARP, WARP, -1,
     TEMPLATES("3 $u = __shfl_sync($m, $U, int($U & 31u), $w);", "2 $u += __shfl_up_sync($m, $U, $v, $w);",
               "2 $i = add($i, __shfl_down_sync($m, $I, $v, $w));", "2 $f = __shfl_xor_sync($m, $F, int($v));",
               "4 $l ^= __shfl_xor_sync($m, $L, int($v));", "4 $u += __shfl_down_sync($m, $U, $U & 31u, $w);",
               "3 $h = __shfl_sync($m, $H, int($n), $w);")},
    {CLASS_WARP, PART_OF_WARP, -1,
     TEMPLATES("2 $u ^= __ballot_sync($m, $p);", "2 if (__any_sync($m, $p)) $u += $U;",
               "2 if (__all_sync($m, $p)) $u = $U;", "2 $u += __popc(__ballot_sync($m, $p) & ((1u << lane) - 1u));",
               "4 $u += __match_any_sync($m, $U & 7u);", "5 $u += __match_any_sync($m, $L & 3u);",
               "4 { int same; $u ^= __match_all_sync($m, $U & 1u, &same); $u += uint32_t(same); }",
               "3 $u += __reduce_add_sync($m, $U);", "3 $u ^= __reduce_min_sync($m, $U);",
               "3 $i = add($i, __reduce_max_sync($m, $I));", "3 $u = __reduce_xor_sync($m, $U);",
               "3 $u += __reduce_and_sync($m, $U) | __reduce_or_sync($m, $U);", "1 __syncwarp($m);")},
    {CLASS_WARP, WARP, -1,
     TEMPLATES("12 for (unsigned d = $w / 2; d > 0; d /= 2) $u += __shfl_xor_sync($m, $u, int(d));")},
    {CLASS_BARRIER, BLOCK, -1,
     TEMPLATES("3 $u += uint32_t(__syncthreads_count($p));", "3 if (__syncthreads_or($p)) $u ^= $U;",
               "3 $u = __syncthreads_and($p) ? $U : $u + 1u;", "1 __syncthreads();")},
    {CLASS_ATOMIC, BLOCK, 2,
     TEMPLATES("9 __syncthreads();\natomicAdd(&shared4[$R], $U);\n__syncthreads();",
               "9 __syncthreads();\natomicAdd(&shared4[$R], 1u);\n__syncthreads();",
               "9 __syncthreads();\nif ($p) atomicAdd(&shared4[$n], 1u);\n__syncthreads();",
               "9 __syncthreads();\natomicMax(&shared4[$R], $U);\n__syncthreads();",
               "9 __syncthreads();\nif ($p) atomicMin(&shared4[$R], $U);\n__syncthreads();",
               "9 __syncthreads();\natomicXor(&shared4[$R], $U);\n__syncthreads();",
               "9 __syncthreads();\nif ($p) atomicOr(&shared4[$R], $U & 0x11111111u);\n__syncthreads();")},
    /* A warp's own words: these are loops, whose rounds would depend on when other warps come. */
    {CLASS_ATOMIC, ALONE, -1,
     TEMPLATES("12 atomicAdd(&floats[warp * 32u + ($U & 31u)], float($U & 7u));",
               "12 if ($p) atomicAdd(&floats[warp * 32u + ($u & $n)], 1.0f);",
               "12 atomicAdd(&longs[warp * 32u + ($U & 31u)], $L);",
               "12 if ($p) atomicAdd(&longs[warp * 32u + ($u & 3u)], u64($U) << $n);",
               "4 $u += atomicAdd(&own[$Q], $U);", "4 $u ^= atomicExch(&own[$Q], $U);",
               "4 $u += atomicCAS(&own[$Q], $u, $U);")},
    {CLASS_ASYNC, BLOCK, 2,
     TEMPLATES("12 __syncthreads();\n__pipeline_memcpy_async(&shared4[$W], in + ($4), "
               "4);\n__pipeline_commit();\n__pipeline_wait_prior(0);\n__syncthreads();\n$u += shared4[$R];")},
    {CLASS_ASYNC, BLOCK, 3,
     TEMPLATES("12 __syncthreads();\n__pipeline_memcpy_async(&shared8[$W], reinterpret_cast<const uint2 *>(in) + ($8), "
               "8);\n__pipeline_commit();\n__pipeline_wait_prior(0);\n__syncthreads();\n$u += shared8[$R].x;")},
    {CLASS_ASYNC, BLOCK, 4,
     TEMPLATES(
         "12 __syncthreads();\n__pipeline_memcpy_async(&shared16[$W], reinterpret_cast<const uint4 *>(in) + ($6), "
         "16);\n__pipeline_commit();\n__pipeline_wait_prior(0);\n__syncthreads();\n$u += shared16[$R].z;",
         "12 __syncthreads();\nif ($p) __pipeline_memcpy_async(&shared16[$W], reinterpret_cast<const uint4 *>(in) + "
         "($6), 16);\n__pipeline_commit();\n__pipeline_wait_prior(0);\n__syncthreads();\n$u ^= shared16[$R].y;")},
    {CLASS_ASYNC, BLOCK, 2,
     TEMPLATES("12 __syncthreads();\nif ($p) __pipeline_memcpy_async(&shared4[$W], in + ($4), "
               "4);\n__pipeline_commit();\n$u += $U;\n__pipeline_wait_prior(0);\n__syncthreads();")},
    {CLASS_TENSOR, BLOCK, -1,
     TEMPLATES(
         "60 $u += tensor<__half, float, 16, 16, 16>($U);", "60 $u ^= tensor<__half, __half, 16, 16, 16>($U);",
         "60 $u += tensor<__half, float, 32, 8, 16>($U);", "60 $u += tensor<__nv_bfloat16, float, 8, 32, 16>($U);",
         "60 $u += tensor<__nv_bfloat16, float, 16, 16, 16>($U);", "60 $u ^= tensor<signed char, int, 16, 16, 16>($U);",
         "60 $u += tensor<unsigned char, int, 32, 8, 16>($U);",
         "60 $u += tensor<wmma::precision::tf32, float, 16, 16, 8>($U);",
         "30 $u += tensor<double, double, 8, 8, 4>($U);", "150 $u += staged<16, false>(tile, result, tid, $U);",
         "150 $u += staged<24, false>(tile, result, tid, $U);", "120 $u ^= staged<16, true>(tile, result, tid, $U);",
         "120 $u += staged<24, true>(tile, result, tid, $U);")},
    {CLASS_APPROXIMATE, ALONE, -1,
     TEMPLATES(
         "9 $u += coarse(__expf(float($U & 31u) * 0.25f - 4.0f));", "9 $u += coarse(__logf(float($U & 63u) + 1.5f));",
         "9 $u ^= coarse(__sinf(float($U & 31u) * 0.125f - 2.0f));",
         "9 $u ^= coarse(__cosf(float($U & 31u) * 0.125f - 2.0f));", "9 $u += coarse(rsqrtf(float($U & 63u) + 0.5f));",
         "9 $u += coarse(__fdividef(float($U & 63u), float($U & 15u) + 0.75f));",
         "9 $u += coarse(exp2f(float($U & 15u) * 0.375f));", "20 $u += coarse(expf(float($U & 31u) * 0.25f - 5.0f));",
         "20 $u ^= coarse(tanhf(float($U & 31u) * 0.125f - 2.0f));",
         "30 $u ^= coarse(logf(float($U & 127u) + 0.25f));")},
};

static void block(enum together together, unsigned count, int nesting);

static void open_block(const char *template, int depth)
{
    line(template, depth);
    k.indent++;
}

static void close_block(const char *text)
{
    k.indent--;
    put("%*s%s\n", k.indent * 4, "", text);
}

static enum together lower(enum together a, enum together b)
{
    return a < b ? a : b;
}

/* Stores to places of the thread's own in global memory, some read back, some by atomics. */
static void global_store(bool atomic)
{
    static const char *const types[] = {"uint8_t", "uint16_t", "uint32_t", "uint2", "uint4"};
    static const char *const values[] = {"uint8_t($U)", "uint16_t($U)", "$U", "make_uint2($U, $u)",
                                         "make_uint4($U, $u, $u, $U)"};
    static const char *const atomics[] = {"$u += atomicAdd(at, $U);", "$u ^= atomicExch(at, $U);",
                                          "$u += atomicCAS(at, 0xababababu, $U);", "$u ^= atomicMin(at, $U);"};
    const unsigned width = atomic ? 2 : below(5);
    char place[160];
    if (!take_wide(1u << width, place, sizeof place)) {
        line("$u += $U;", 2);
        return;
    }
    if (chance(40))
        line("if ($p)", 1);
    put("%*s{ %s *at = reinterpret_cast<%s *>(wide) + %s; ", k.indent * 4, "", types[width], types[width], place);
    if (atomic) {
        spend(6);
        expand(atomics[below(LENGTH(atomics))], 2);
    } else {
        spend(4);
        if (width == 2 && chance(25))
            expand("$u ^= *at; ", 1);
        const uint32_t how = width == 2 ? below(4) : 3;
        put("%s", how == 0 ? "__stcg(at, " : how == 1 ? "__stcs(at, " : "*at = ");
        expand(values[width], 2);
        put("%s", how < 2 ? ");" : ";");
    }
    put(" }\n");
}

/* Atomics on words that all threads share; what they return is not used, so their order does not matter. Each statement
 * has words of its own, since different operations do not commute. Sums of floats are exact: they are of small
 * integers, in words that begin as 0. */
static void global_sum(void)
{
    static const char *const operations[] = {"Add", "Add", "Min", "Max", "And", "Or", "Xor"};
    if (k.sum_words + 128 > SUM_WORDS / 2 || k.zero_words + 128 > SUM_WORDS / 2) {
        line("$u += $U;", 2);
        return;
    }
    if (chance(40))
        line("if ($p)", 1);
    put("%*s", k.indent * 4, "");
    const char *operation = operations[below(LENGTH(operations))];
    const uint32_t kind = below(6);
    spend(kind == 0 ? 12 : 5);
    if (kind == 0) {
        put("atomicAdd(reinterpret_cast<%s *>(sums + %u) + ", chance(50) ? "double" : "float",
            SUM_WORDS / 2 + k.zero_words);
        expand("$O, $U & 7u);\n", 2);
        k.zero_words += 128;
    } else if (kind == 1) {
        put("atomic%s(reinterpret_cast<u64 *>(sums + %u) + ", operation, k.sum_words);
        expand("$O, u64($U) << $n | $u);\n", 2);
        k.sum_words += 128;
    } else if (kind == 2) {
        put("atomic%s(reinterpret_cast<int *>(sums + %u) + ", operation, k.sum_words);
        expand("(tid & $n), $I);\n", 2);
        k.sum_words += 64;
    } else {
        put("atomic%s(sums + %u + ", operation, k.sum_words);
        expand(chance(50) ? "$O, $U);\n" : "(block & 3u), $U);\n", 2);
        k.sum_words += 64;
    }
}

static void if_statement(enum together together, int nesting)
{
    const unsigned how = below(10);
    const bool uniform = !k.in_function && how < 3;
    const bool by_warp = !k.in_function && how == 3;
    open_block(uniform ? "if ($x) {" : by_warp ? "if ((warp & $k) != 0) {" : "if ($p) {", 2);
    spend(2);
    const enum together inside = uniform ? together : by_warp ? lower(together, WARP) : ALONE;
    const double times = k.times;
    block(inside, 1 + below(4), nesting + 1);
    if (chance(55)) {
        close_block("} else {");
        k.indent++;
        block(inside, 1 + below(4), nesting + 1);
    }
    close_block("}");
    k.times = times;
}

/* Prints a line in which each # is the number of the loop that is being written. */
static void loop_line(const char *template)
{
    char text[128];
    size_t length = 0;
    for (const char *p = template; *p; p++) {
        if (*p == '#')
            length += (size_t)snprintf(text + length, sizeof text - length, "%u", k.loops);
        else
            text[length++] = *p;
    }
    text[length] = '\0';
    line(text, 2);
}

/* Rounds are limited by those of the loops around: that keeps kernels short. */
static void loop_statement(enum together together, int nesting)
{
    const bool uniform = !k.in_function && chance(30);
    const unsigned mask = uniform || k.times > 20 ? 3 : chance(50) ? 7 : 15;
    const unsigned least = below(4);
    const struct kernel before = k;

    line("{", 0);
    k.indent++;
    char bound[96];
    snprintf(bound, sizeof bound, "const uint32_t bound# = (%s & %uu) + %uu;",
             uniform                  ? "(block + salt)"
             : k.is_row || chance(75) ? "$U"
                                      : "lane",
             mask, least);
    loop_line(bound);
    const uint32_t form = below(uniform ? 3 : 4);
    if (form != 0)
        loop_line("uint32_t n# = 0;");
    static const char *const heads[] = {
        "for (uint32_t n# = 0; n# < bound#; n#++) {",
        "while (n#++ < bound#) {",
        "do {",
        "for (uint32_t rest# = $U; rest# != 0 && n#++ < bound#; rest# = rest# % 2u ? rest# >> 3 : rest# - 2u) {",
    };
    loop_line(heads[form]);
    k.indent++;
    k.loops++;
    if (uniform)
        k.shared_loops++;
    k.may_break = k.may_continue = !uniform;
    k.times *= uniform ? 1.5 + least : mask + least;
    block(uniform ? together : ALONE, 1 + below(4), nesting + 1);
    spend(3);
    k.times = before.times;
    k.may_break = before.may_break;
    k.may_continue = before.may_continue;
    k.shared_loops = before.shared_loops;
    k.loops--;
    if (form == 2) {
        k.indent--;
        loop_line("} while (++n# < bound#);");
    } else {
        close_block("}");
    }
    close_block("}");
}

/* Rows of different lengths, a thread a row: the lanes of a warp leave at very different rounds. */
static void rows_statement(void)
{
    static const unsigned lengths[] = {15, 31, 63, 127, 255};
    static const char *const bodies[] = {"$u += in[$4];",
                                         "$u = $u * $o + j;",
                                         "$u ^= in[j & 0xfffu];",
                                         "if ((in[j & 0xfffu] & 3u) == 0) $u += j; else $i = add($i, int(j));",
                                         "if ((in[j & 0xfffu] & 63u) == 0) break;",
                                         "if ((j & $k) != 0) continue;"};
    const unsigned length = lengths[below(k.times > 1 ? 2 : LENGTH(lengths))];
    const double times = k.times;
    char text[128];
    snprintf(text, sizeof text, "for (uint32_t j = $u & 0xfffu, end = j + ($U %% %uu); j < end; j++) {", length);
    line(text, 1);
    k.indent++;
    k.times *= length;
    for (uint32_t count = 1 + below(3); count > 0; count--) {
        spend(5);
        line(bodies[below(LENGTH(bodies))], 1);
    }
    line("$u += j ^ $c;", 0);
    spend(3);
    k.times = times;
    close_block("}");
}

/* A switch over neighbouring numbers. nvcc 13.0 makes compares of them, however many there are, so that now and then a
 * jump by table is written by hand. */
static void switch_statement(int nesting)
{
    if (!k.is_row && chance(20)) {
        spend(10);
        line("$u = jump($U & 3u, $U);", 1);
        return;
    }
    const unsigned cases = 4 + below(9);
    const bool may_break = k.may_break;
    const double times = k.times;
    char text[64];
    snprintf(text, sizeof text, "switch ($U %% %uu) {", cases + below(2));
    line(text, 2);
    spend(6);
    k.may_break = false;
    k.times *= 0.7; /* some of the cases, by some of the lanes */
    for (unsigned i = 0; i < cases; i++) {
        put("%*scase %u: {\n", k.indent * 4, "", i);
        k.indent++;
        block(ALONE, 1 + below(2), nesting + 2);
        line(i + 1 == cases || chance(85) ? "break;" : "[[fallthrough]];", 0);
        close_block("}");
    }
    if (chance(60)) {
        open_block("default: {", 0);
        block(ALONE, 1, nesting + 2);
        close_block("}");
    }
    line("}", 0);
    k.times = times;
    k.may_break = may_break;
}

/* The lanes of a warp in two parts, each of which meets by itself. */
static void parts_statement(int nesting)
{
    const unsigned bit = 1u << below(5);
    static const unsigned with_bit[] = {0xaaaaaaaa, 0xcccccccc, 0xf0f0f0f0, 0xff00ff00, 0xffff0000};
    unsigned which = 0;
    while (1u << which < bit)
        which++;
    char text[96];
    snprintf(text, sizeof text, "if ((lane & %uu) != 0) {", bit);
    open_block(text, 0);
    for (unsigned part = 0; part < 2; part++) {
        snprintf(k.mask, sizeof k.mask, "(mask & 0x%xu)", part == 0 ? with_bit[which] : ~with_bit[which]);
        if (k.together >= PART_OF_WARP) {
            snprintf(text, sizeof text, "$u += __shfl_xor_sync($m, $U, %u);", below(32) & ~bit & (k.segment - 1));
            line(text, 2);
            spend(3);
        }
        block(PART_OF_WARP, 1 + below(3), nesting + 1);
        if (part == 0) {
            close_block("} else {");
            k.indent++;
        }
    }
    close_block("}");
    snprintf(k.mask, sizeof k.mask, "mask");
    if (k.together >= WARP && chance(50))
        line("__syncwarp(mask);", 0);
}

static void call_statement(void)
{
    if (k.uses_recursion && !k.in_function && chance(25)) {
        spend(150);
        line(chance(30) ? "$u = recurse($U & 7u, $U);" : "$u += recurse($U & 3u, $u);", 1);
        return;
    }
    if (k.functions == 0) {
        line("$u = $U;", 2);
        return;
    }
    const unsigned which = below(k.functions);
    char text[64];
    snprintf(text, sizeof text, "$u %s= function%u($U, $u, in, salt);", chance(50) ? "+" : "", which);
    spend(k.function_cost[which] + 8);
    if (chance(50))
        line("if ($p)", 1);
    line(text, 1);
}

/* A thread ends before the others. In a loop that all threads go round together it must not: they would wait for it. */
static void leave_statement(void)
{
    if (k.in_function) {
        line("if ($p) return $U;", 2);
        return;
    }
    if (k.shared_loops > 0) {
        line("$u = $U;", 2);
        return;
    }
    line("if ($p && $p) { out[slot] = answer(fold($u, $U)); return; }", 1);
    k.together = ALONE;
}

static void simple_statement(enum class class, enum together together)
{
    enum { MOST = 64 }; /* in a class */
    const struct statement *fitting[MOST];
    const char *templates[MOST];
    uint32_t count = 0;
    for (size_t i = 0; i < LENGTH(statements); i++) {
        const struct statement *s = &statements[i];
        const bool whole_warps = k.threads % 32 == 0;
        for (size_t n = 0; n < s->list.count && s->class == class && s->together <= together; n++) {
            const char *template = s->list.templates[n];
            if (fits(template) && (class != CLASS_TENSOR || whole_warps) &&
                !(k.in_function && (strstr(template, "own[") || strstr(template, "warp") || s->array >= 0))) {
                if (count == MOST)
                    abort();
                fitting[count] = s;
                templates[count++] = template;
            }
        }
    }
    if (count == 0) {
        line("$u += $U;", 2);
        return;
    }
    const uint32_t which = below(count);
    const int array = fitting[which]->array;
    if (array >= 0)
        k.uses_shared[array] = true;
    k.uses_tile |= strstr(templates[which], "staged<") != NULL;
    k.uses_floats |= strstr(templates[which], "&floats[") != NULL;
    k.uses_longs |= strstr(templates[which], "&longs[") != NULL;
    k.approximate |= class == CLASS_APPROXIMATE;
    char text[512];
    snprintf(text, sizeof text, "%s", pay(templates[which]));
    for (char *p = text, *end; p; p = end ? end + 1 : NULL) {
        if ((end = strchr(p, '\n')))
            *end = '\0';
        line(p, 1 + (int)below(3));
    }
}

static void statement(enum together together, int nesting)
{
    together = lower(together, k.together);
    if (k.may_break && chance(6)) {
        line("if ($p) break;", 1);
        return;
    }
    if (k.may_continue && chance(4)) {
        line("if ($p) continue;", 1);
        return;
    }
    unsigned total = 0;
    for (size_t i = 0; i < CLASSES; i++)
        total += k.kind->weight[i];
    uint32_t at = below(total);
    enum class class = 0;
    while (at >= k.kind->weight[class])
        at -= k.kind->weight[class ++];
    switch (class) {
    case CLASS_IF:
        if (nesting < 3) {
            if_statement(together, nesting);
            return;
        }
        break;
    case CLASS_LOOP:
        if (nesting < 3 && k.times < 60) {
            if (!k.is_row && chance(30))
                rows_statement();
            else
                loop_statement(together, nesting);
            return;
        }
        break;
    case CLASS_SWITCH:
        if (nesting < 2) {
            switch_statement(nesting);
            return;
        }
        break;
    case CLASS_PARTS:
        if (nesting < 3 && together >= WARP) {
            parts_statement(nesting);
            return;
        }
        break;
    case CLASS_CALL:
        if (k.times < 30) {
            call_statement();
            return;
        }
        break;
    case CLASS_LEAVE:
        leave_statement();
        return;
    case CLASS_GLOBAL:
        if (!k.in_function && chance(35)) {
            global_store(false);
            return;
        }
        simple_statement(class, together);
        return;
    case CLASS_ATOMIC:
        if (!k.in_function && chance(60)) {
            if (chance(30))
                global_store(true);
            else
                global_sum();
            return;
        }
        simple_statement(class, together);
        return;
    default:
        simple_statement(class, together);
        return;
    }
    simple_statement(CLASS_INT, together);
}

static void block(enum together together, unsigned count, int nesting)
{
    for (; count > 0; count--)
        statement(together, nesting);
}

/* ---- Kernels ----------------------------------------------------------------------------------------------------- */

static const char *const type_names[TYPES] = {"uint32_t", "int", "u64", "float", "double", "__half2", "__nv_bfloat162"};

/* Declares the variables; {} in a first value is a word of input. */
static void declare_variables(const char *word)
{
    static const char *const first_values[TYPES] = {
        "%s",
        "int(%s)",
        "u64(%s) * 0x9e3779b97f4a7c15ull",
        "(float(int(%s & 0x1fffu) - 4096) * 0.0625f)",
        "(double(int(%s)) * 0.001)",
        "__floats2half2_rn(float(int(%s & 0xffu) - 128) * 0.25f, 1.5f)",
        "__floats2bfloat162_rn(float(int(%s & 0xffu) - 128), 0.5f)",
    };
    for (size_t type = 0; type < TYPES; type++) {
        for (unsigned i = 0; i < k.variables[type]; i++) {
            char value[64];
            snprintf(value, sizeof value, word, below(1u << 12));
            if (k.in_function && type == 0 && i < 2)
                continue; /* a parameter */
            put("    %s %c%u = ", type_names[type], tolower(type_letters[type]), i);
            /* The only formats that come here are those above. */
            put(first_values[type], value);
            put(";\n");
        }
    }
}

static void fold_variables(void)
{
    for (size_t type = 0; type < TYPES; type++)
        for (unsigned i = 0; i < k.variables[type]; i++)
            put("    h = fold(h, bits_of(%c%u));\n", tolower(type_letters[type]), i);
}

static void generate_function(unsigned number)
{
    const struct kernel before = k;
    k.in_function = true;
    k.together = ALONE;
    memset(k.variables, 0, sizeof k.variables);
    k.variables[0] = 3;
    k.variables[1] = 1;
    if (k.has[type_of('F')])
        k.variables[type_of('F')] = 1;
    for (size_t type = 0; type < TYPES; type++)
        k.has[type] = k.variables[type] > 0;
    k.functions = number;
    k.cost = 0;
    put("__device__ __noinline__ uint32_t function%u(uint32_t u0, uint32_t u1, const uint32_t *in, uint32_t salt)\n{\n",
        number);
    put("    const uint32_t tid = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);\n"
        "    const uint32_t lane = tid & 31u, block = blockIdx.x + gridDim.x * blockIdx.y;\n");
    declare_variables("(u0 ^ u1 * %uu)");
    k.indent = 1;
    block(ALONE, 2 + below(4), 1);
    put("    uint32_t h = salt + block + lane;\n");
    fold_variables();
    put("    return h;\n}\n\n");
    const double cost = k.cost;
    const bool approximate = k.approximate;
    k = before;
    k.approximate = approximate;
    k.function_cost[number] = cost;
    k.functions = number + 1;
}

static void generate_recursion(void)
{
    put("__device__ __noinline__ uint32_t recurse(uint32_t n, uint32_t x)\n{\n");
    put("    if (n == 0)\n        return x * %uu + 5u;\n", random_word() | 1);
    put("    uint32_t y = recurse(n - 1, x ^ x >> %u);\n", 1 + below(20));
    put("    if ((y & %uu) != 0)\n        y += recurse(n / 2, y);\n", 1u << below(6));
    put("    return y * %uu + x;\n}\n\n", below(500) * 2 + 3);
}

static const char *const array_types[] = {"uint8_t", "uint16_t", "uint32_t", "uint2", "uint4"};
static const char *const array_values[] = {"uint8_t(%s)", "uint16_t(%s)", "%s", "make_uint2(%s, i)",
                                           "make_uint4(%s, i, ~i, 7u)"};
static const char *const array_words[] = {"shared1[tid]", "shared2[tid]", "shared4[tid]",
                                          "shared8[tid].x + shared8[tid].y",
                                          "shared16[tid].x + shared16[tid].y * shared16[tid].z ^ shared16[tid].w"};

/* Shared memory is filled before anything reads it. */
static void declare_memory(void)
{
    for (size_t i = 0; i < LENGTH(k.uses_shared); i++) {
        if (!k.uses_shared[i])
            continue;
        put("    __shared__ %s shared%u[%u];\n", array_types[i], 1u << i, k.shared_places);
        put("    for (uint32_t i = tid; i < %uu; i += threads)\n        shared%u[i] = ", k.shared_places, 1u << i);
        put(array_values[i], "in[i]");
        put(";\n");
    }
    if (k.uses_tile)
        put("    __shared__ __align__(32) __half tile[768];\n    __shared__ __align__(32) float result[8 * 256];\n");
    if (k.uses_floats)
        put("    __shared__ float floats[256];\n    for (uint32_t i = tid; i < 256; i += threads)\n        floats[i] = "
            "0;\n");
    if (k.uses_longs)
        put("    __shared__ u64 longs[256];\n    for (uint32_t i = tid; i < 256; i += threads)\n        longs[i] = "
            "i;\n");
    if (k.dynamic)
        put("    extern __shared__ uint32_t own[];\n");
    else
        put("    __shared__ uint32_t own[threads * %u];\n", k.own_stride);
    put("    for (uint32_t i = 0; i < %uu; i++)\n        own[tid * %u + i] = in[i * 64u + lane];\n", k.own_stride,
        k.own_stride);
    if (k.local_words)
        put("    uint32_t local[%u];\n    for (uint32_t i = 0; i < %uu; i++)\n        local[i] = in[all + i];\n",
            k.local_words, k.local_words);
    if (chance(15))
        put("    if (salt > 100)\n        __trap();\n");
    put("    __syncthreads();\n");
}

static struct description {
    struct kernel kernel;
    unsigned grid_x, grid_y;
} * descriptions;

static unsigned power_of_two_from(unsigned n)
{
    unsigned power = 32;
    while (power < n)
        power *= 2;
    return power;
}

/* Draws a kernel: its functions and the statements of its body. */
static void draw_kernel(unsigned number, char **functions, char **body)
{
    memset(&k, 0, sizeof k);
    k.number = number;
    k.kind = &kinds[number % LENGTH(kinds)];
    do {
        k.shape = shapes[below(LENGTH(shapes))];
        k.threads = k.shape.x * k.shape.y * k.shape.z;
    } while (k.kind->weight[CLASS_TENSOR] > 10 && k.threads % 32 != 0);
    k.segment = 32;
    while (k.threads % k.segment != 0)
        k.segment /= 2;
    k.launches = chance(80) ? 1 : 2 + below(2);
    k.in_mask = (4096u << below(5)) - 1;
    k.shared_places = power_of_two_from(k.threads) << below(2);
    k.own_stride = 1 + below(5);
    k.restricted = chance(50);
    k.dynamic = chance(40);
    k.local_words = chance(k.kind->weight[CLASS_LOCAL] * 10u) ? 4u << below(5) : 0;
    for (const char *p = k.kind->types; *p; p++)
        k.has[type_of(*p)] = true;
    k.variables[0] = 3 + below(4);
    for (size_t type = 1; type < TYPES; type++)
        if (k.has[type])
            k.variables[type] = 1 + below(type < 4 ? 3 : 2);
    if (chance(12))
        k.most_registers = 32 + 8 * below(2);
    k.times = 1;
    k.together = BLOCK;
    snprintf(k.mask, sizeof k.mask, "mask");

    size_t functions_size, body_size;
    k.text = open_memstream(functions, &functions_size);
    if (!k.text)
        abort();
    const unsigned function_count = k.kind->weight[CLASS_CALL] ? below(4) : 0;
    for (unsigned i = 0; i < function_count; i++)
        generate_function(i);
    if (k.kind->weight[CLASS_CALL] && chance(40)) {
        generate_recursion();
        k.uses_recursion = true;
    }
    fclose(k.text);

    k.text = open_memstream(body, &body_size);
    if (!k.text)
        abort();
    k.indent = 1;
    k.cost = 0;
    const double enough = 150 + below(900);
    for (unsigned count = 0; count < 8 || (count < 40 && k.cost < enough); count++)
        statement(BLOCK, 0);
    put("    uint32_t h = salt;\n");
    fold_variables();
    put("    h = fold(h, own[tid * %u + %u]);\n", k.own_stride, below(k.own_stride));
    if (k.local_words)
        put("    h = fold(h, local[h & %uu]);\n", k.local_words - 1);
    if (k.together == BLOCK) {
        put("    __syncthreads();\n");
        for (size_t i = 0; i < LENGTH(k.uses_shared); i++)
            if (k.uses_shared[i])
                put("    h = fold(h, %s);\n", array_words[i]);
        if (k.uses_floats)
            put("    h = fold(h, bits_of(floats[tid]));\n");
        if (k.uses_longs)
            put("    h = fold(h, bits_of(longs[tid]));\n");
    }
    put("    out[slot] = answer(h);\n}\n\n");
    fclose(k.text);
}

static void generate_kernel(unsigned number)
{
    char *functions, *body;
    double affordable;
    for (;;) {
        draw_kernel(number, &functions, &body);
        affordable = WARP_INSTRUCTIONS / (k.cost + 100) / ((k.threads + 31) / 32) / k.launches;
        if (affordable >= 1)
            break;
        free(functions);
        free(body);
    }
    k.blocks = affordable > MOST_BLOCKS ? MOST_BLOCKS : (unsigned)affordable;
    k.blocks = 1 + below(k.blocks);
    struct description *d = &descriptions[number];
    d->grid_y = k.blocks % 2 == 0 && chance(30) ? 2 : 1;
    d->grid_x = k.blocks / d->grid_y;

    k.text = stdout;
    put("/* %s%s */\nnamespace k%03u {\n\n", k.kind->doc, k.approximate ? ", approximate" : "", number);
    put("constexpr uint32_t threads = %u, total = %u, places = %u;\n\n", k.threads, k.threads * k.blocks,
        power_of_two_from(k.threads * k.blocks));
    put("%s__global__ void ", functions);
    if (k.most_registers)
        put("__maxnreg__(%u) ", k.most_registers);
    else if (chance(50))
        put("__launch_bounds__(threads) ");
    put("kernel(const uint32_t *%sin, uint32_t *out, uint32_t *sums, uint32_t *wide, uint32_t salt)\n{\n",
        k.restricted ? "__restrict__ " : "");
    put("    const uint32_t tid = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);\n"
        "    const uint32_t lane = tid & 31u, warp = tid >> 5, block = blockIdx.x + gridDim.x * blockIdx.y;\n"
        "    const uint32_t all = block * threads + tid, slot = salt * total + all;\n");
    if (k.threads % 32 == 0)
        put("    constexpr uint32_t mask = ~0u;\n");
    else
        put("    const uint32_t mask = threads - warp * 32u >= 32u ? ~0u : (1u << (threads & 31u)) - 1u;\n");
    declare_memory();
    declare_variables("in[all + %uu]");
    put("%s} // namespace k%03u\n\n", body, number);
    free(functions);
    free(body);
    d->kernel = k;
}

/* ---- Rows -------------------------------------------------------------------------------------------------------- */

/* clang-format off */
static const struct kind row_kinds[] = {
    /*                   int lng flt dbl hlf loc sha glo wrp bar atm asy ten app  if lop swi cal prt lve */
    {"integers", "UIL",  {40, 30,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0, 14, 12,  5,  0,  0,  2}},
    {"floats", "UFD",    {10,  0, 30, 20,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0, 10, 10,  2,  0,  0,  2}},
    {"halves", "UFHB",   { 8,  0,  8,  0, 40,  0,  0,  0,  0,  0,  0,  0,  0,  0, 10, 10,  2,  0,  0,  2}},
};
/* clang-format on */

/* A wide expression or a program, of one operand of each type, or two. */
static void generate_row(unsigned number)
{
    memset(&k, 0, sizeof k);
    k.text = stdout;
    k.kind = &row_kinds[below(LENGTH(row_kinds))];
    k.is_row = k.in_function = true;
    k.indent = 1;
    k.times = 1;
    char parameters[160], arguments[80];
    size_t length = 0, used = 0;
    unsigned operands = 0;
    for (const char *p = k.kind->types; *p; p++) {
        const size_t type = type_of(*p);
        k.has[type] = true;
        k.variables[type] = p == k.kind->types + 1 && k.kind->types[3] == '\0' ? 2 : 1;
        for (unsigned i = 0; i < k.variables[type]; i++, operands++) {
            const char letter = (char)tolower((unsigned char)*p);
            length += (size_t)snprintf(parameters + length, sizeof parameters - length, "%s%s %c%u",
                                       operands ? ", " : "", type_names[type], letter, i);
            used +=
                (size_t)snprintf(arguments + used, sizeof arguments - used, "%s%c%u", operands ? ", " : "", letter, i);
        }
    }
    put("#ifndef ROW\n/* %s */\nstatic __device__ uint32_t program%03u(%s)\n{\n    uint32_t h = 0;\n", k.kind->doc,
        number, parameters);
    if (chance(50)) {
        for (const char *p = k.kind->types; *p; p++) {
            char text[32];
            snprintf(text, sizeof text, "h = fold(h, bits_of($%c));", *p);
            line(text, 5);
        }
    } else {
        block(ALONE, 4 + below(8), 0);
        fold_variables();
    }
    put("    return h;\n}\n#else\nROW(program%03u, uint32_t, (%s), program%03u(%s))\n#endif\n\n", number, parameters,
        number, arguments);
}

/* ---- The library ------------------------------------------------------------------------------------------------- */

static const char beginning[] =
    "#include <cugate/kernel.hpp>\n"
    "\n"
    "#include <cuda_bf16.h>\n"
    "#include <cuda_fp16.h>\n"
    "#include <cuda_pipeline.h>\n"
    "#include <mma.h>\n"
    "\n"
    "#include <cstdlib>\n"
    "#include <map>\n"
    "\n"
    "/* Random code has conditions that are always true, code that is never reached, and the like. */\n"
    "#pragma nv_diag_suppress 39, 68, 128, 177, 186, 550\n"
    "\n"
    "namespace {\n"
    "\n"
    "using u64 = unsigned long long;\n"
    "using s64 = long long;\n"
    "namespace wmma = nvcuda::wmma;\n"
    "\n"
    "constexpr uint32_t poison = 0xababababu;\n"
    "\n"
    "__device__ uint32_t answer(uint32_t h) { return h == poison ? 0 : h; }\n"
    "\n";

/* What the CPU has to compute too. */
static const char beginning_helpers[] =
    "__device__ uint32_t fold(uint32_t h, uint32_t v) { return (h ^ v) * 0x01000193u + (h >> 15); }\n"
    "\n"
    "/* Of what is not a number only that counts. */\n"
    "__device__ uint32_t bits_of(uint32_t x) { return x; }\n"
    "__device__ uint32_t bits_of(int x) { return uint32_t(x); }\n"
    "__device__ uint32_t bits_of(u64 x) { return uint32_t(x) ^ uint32_t(x >> 32) * 3u; }\n"
    "__device__ uint32_t bits_of(float x) { return isnan(x) ? 0x7fc00001u : __float_as_uint(x); }\n"
    "__device__ uint32_t bits_of(double x) { return isnan(x) ? 0x7ff00001u : bits_of(u64(__double_as_longlong(x))); }\n"
    "__device__ uint32_t bits_of(__half x) { return __hisnan(x) ? 0x7e01u : __half_as_ushort(x); }\n"
    "__device__ uint32_t bits_of(__half2 x) { return bits_of(__low2half(x)) | bits_of(__high2half(x)) << 16; }\n"
    "__device__ uint32_t bits_of(__nv_bfloat162 x) { return bits_of(__low2float(x)) ^ bits_of(__high2float(x)) >> 16; "
    "}\n"
    "\n"
    "/* Keeps variables in a range where sums and products still differ. */\n"
    "__device__ float tame(float x) { return fabsf(x) < 1e6f ? x : 3.0f; }\n"
    "__device__ double tame(double x) { return fabs(x) < 1e12 ? x : 5.0; }\n"
    "__device__ __half2 tame(__half2 x)\n"
    "{\n"
    "    return __hblt2(__habs2(x), __float2half2_rn(512.0f)) ? x : __floats2half2_rn(1.5f, -2.0f);\n"
    "}\n"
    "\n"
    "/* Signed numbers that wrap around. */\n"
    "__device__ int add(int a, int b) { return int(uint32_t(a) + uint32_t(b)); }\n"
    "__device__ int sub(int a, int b) { return int(uint32_t(a) - uint32_t(b)); }\n"
    "__device__ int mul(int a, int b) { return int(uint32_t(a) * uint32_t(b)); }\n"
    "\n";

static const char beginning_kernels[] =
    "/* Arguments are few, and no result lies where the last bits decide how it is rounded. */\n"
    "__device__ uint32_t coarse(float x) { return uint32_t(__float2int_rn(x * 15.37f)); }\n"
    "\n"
    "/* A jump by table. */\n"
    "__device__ __forceinline__ uint32_t jump(uint32_t which, uint32_t x)\n"
    "{\n"
    "    uint32_t y;\n"
    "    asm volatile(\"{\\n\"\n"
    "                 \"targets: .branchtargets L0, L1, L2, L3;\\n\"\n"
    "                 \"brx.idx %1, targets;\\n\"\n"
    "                 \"L0: mul.lo.u32 %0, %2, 77; bra.uni DONE;\\n\"\n"
    "                 \"L1: add.u32 %0, %2, 99; bra.uni DONE;\\n\"\n"
    "                 \"L2: shr.u32 %0, %2, 3; bra.uni DONE;\\n\"\n"
    "                 \"L3: popc.b32 %0, %2;\\n\"\n"
    "                 \"DONE:\\n\"\n"
    "                 \"}\"\n"
    "                 : \"=&r\"(y)\n"
    "                 : \"r\"(which), \"r\"(x));\n"
    "    return y;\n"
    "}\n"
    "\n"
    "__device__ void set(__half &x, int value) { x = __int2half_rn(value); }\n"
    "__device__ void set(__nv_bfloat16 &x, int value) { x = __int2bfloat16_rn(value); }\n"
    "template <class T> __device__ void set(T &x, int value) { x = T(value); }\n"
    "\n"
    "/* A product of matrices of small integers, so exact; which lane has which element does not matter. */\n"
    "template <class T, class Sum, int M, int N, int K> __device__ uint32_t tensor(uint32_t seed)\n"
    "{\n"
    "    wmma::fragment<wmma::matrix_a, M, N, K, T, wmma::row_major> a;\n"
    "    wmma::fragment<wmma::matrix_b, M, N, K, T, wmma::col_major> b;\n"
    "    wmma::fragment<wmma::accumulator, M, N, K, Sum> sum;\n"
    "    for (int i = 0; i < a.num_elements; i++)\n"
    "        set(a.x[i], int(seed >> (i % 29) & 3u));\n"
    "    for (int i = 0; i < b.num_elements; i++)\n"
    "        set(b.x[i], int(seed >> (i * 3 % 27) & 3u));\n"
    "    for (int i = 0; i < sum.num_elements; i++)\n"
    "        set(sum.x[i], i + int(seed & 7u));\n"
    "    wmma::mma_sync(sum, a, b, sum);\n"
    "    uint32_t h = 0;\n"
    "    for (int i = 0; i < sum.num_elements; i++)\n"
    "        h = h * 5u + uint32_t(int(float(sum.x[i])));\n"
    "    return h;\n"
    "}\n"
    "\n";

static const char beginning_matrices[] =
    "/* The same from shared memory, by rows of 16 or, padded, 24. */\n"
    "template <unsigned row, bool by_matrix>\n"
    "__device__ uint32_t staged(__half *tile, float *result, uint32_t tid, uint32_t seed)\n"
    "{\n"
    "    const uint32_t lane = tid & 31u;\n"
    "    __syncthreads();\n"
    "    for (uint32_t i = tid; i < 32 * row; i += blockDim.x * blockDim.y * blockDim.z)\n"
    "        tile[i] = __int2half_rn(int(seed >> (i % 29) & 7u) - 3);\n"
    "    __syncthreads();\n"
    "    if (by_matrix) {\n"
    "        const __half *from_a = tile + lane % 16 * row + lane / 16 * 8, *from_b = tile + (16 + lane % 16) * row;\n"
    "        uint32_t a[4], b[2];\n"
    "        float c[4] = {1, 2, 3, 4};\n"
    "        asm volatile(\"ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];\"\n"
    "                     : \"=r\"(a[0]), \"=r\"(a[1]), \"=r\"(a[2]), \"=r\"(a[3])\n"
    "                     : \"r\"(uint32_t(__cvta_generic_to_shared(from_a)))\n"
    "                     : \"memory\");\n"
    "        asm volatile(\"ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];\"\n"
    "                     : \"=r\"(b[0]), \"=r\"(b[1])\n"
    "                     : \"r\"(uint32_t(__cvta_generic_to_shared(from_b)))\n"
    "                     : \"memory\");\n"
    "        asm volatile(\"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, \"\n"
    "                     \"{%8, %9}, {%0, %1, %2, %3};\"\n"
    "                     : \"+f\"(c[0]), \"+f\"(c[1]), \"+f\"(c[2]), \"+f\"(c[3])\n"
    "                     : \"r\"(a[0]), \"r\"(a[1]), \"r\"(a[2]), \"r\"(a[3]), \"r\"(b[0]), \"r\"(b[1]));\n"
    "        return uint32_t(int(c[0])) + 3u * uint32_t(int(c[1])) + 5u * uint32_t(int(c[2])) + 7u * "
    "uint32_t(int(c[3]));\n"
    "    }\n"
    "    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> a;\n"
    "    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> b;\n"
    "    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;\n"
    "    wmma::fill_fragment(sum, 1.0f);\n"
    "    wmma::load_matrix_sync(a, tile, row);\n"
    "    wmma::load_matrix_sync(b, tile + 16 * row, row);\n"
    "    wmma::mma_sync(sum, a, b, sum);\n"
    "    float *own = result + tid / 32 * 256; /* a warp's */\n"
    "    wmma::store_matrix_sync(own, sum, 16, wmma::mem_row_major);\n"
    "    __syncwarp();\n"
    "    const uint32_t h = uint32_t(int(own[lane * 8])) + 3u * uint32_t(int(own[(lane * 37 + 5) & 255]));\n"
    "    __syncthreads();\n"
    "    return h;\n"
    "}\n"
    "\n";

static const char ending[] =
    "constexpr size_t in_words = IN_WORDS, slot_words = SLOT_WORDS, sum_words = SUM_WORDS, wide_words = WIDE_WORDS;\n"
    "constexpr size_t out_words = slot_words + sum_words + wide_words;\n"
    "\n"
    "struct state {\n"
    "    cugate::array<uint32_t> in;\n"
    "    cugate::device_array<uint32_t> out;\n"
    "    size_t slots = 0; /* that the last launch has to write */\n"
    "\n"
    "    int open()\n"
    "    {\n"
    "        u64 z = SEED;\n"
    "        CUGATE_TRY(out.allocate(out_words));\n"
    "        return in.fill(in_words, [&](size_t) {\n"
    "            z = z * 6364136223846793005u + 1442695040888963407u;\n"
    "            return uint32_t(z >> 33) * 2654435769u ^ uint32_t(z >> 40);\n"
    "        });\n"
    "    }\n"
    "    int restore()\n"
    "    {\n"
    "        CUGATE_TRY(in.reset());\n"
    "        CUGATE_TRY(out.poison(0xab));\n"
    "        /* Words of sums of floats begin as 0. */\n"
    "        return int(cudaMemset(out.data + slot_words + sum_words / 2, 0, sum_words / 2 * 4));\n"
    "    }\n"
    "    int verify(const cugate_variant &variant, cugate::why &why)\n"
    "    {\n"
    "        static std::map<std::string, u64> first;\n"
    "        std::vector<uint32_t> found;\n"
    "        CUGATE_TRY(out.download(found));\n"
    "        for (size_t i = 0; i < slots; i++)\n"
    "            if (found[i] == poison)\n"
    "                return why(\"thread %zu of %zu has written no answer\", i, slots);\n"
    "        u64 hash = 0xcbf29ce484222325u; /* FNV-1a */\n"
    "        for (size_t i = 0; i < out_words * 4; i++)\n"
    "            hash = (hash ^ reinterpret_cast<const unsigned char *>(found.data())[i]) * 0x100000001b3u;\n"
    "        if (const char *folder = getenv(\"CUGATE_OUTPUTS\")) {\n"
    "            const std::string path = std::string(folder) + \"/hashes.txt\";\n"
    "            FILE *file = fopen(path.c_str(), \"a\");\n"
    "            const bool wrote = file && fprintf(file, \"rSEED/%s %016llx\\n\", variant.name, hash) > 0;\n"
    "            if (!file || fclose(file) != 0 || !wrote)\n"
    "                return why(\"cannot write %s (CUGATE_OUTPUTS)\", path.c_str());\n"
    "        }\n"
    "        const u64 before = first.emplace(variant.name, hash).first->second;\n"
    "        if (before != hash)\n"
    "            return why(\"the output has hash %016llx; after the first launch it was %016llx\", hash, before);\n"
    "        return 0;\n"
    "    }\n"
    "    template <class F> void launch(F *kernel, dim3 grid, dim3 block, size_t shared, uint32_t launches)\n"
    "    {\n"
    "        uint32_t *sums = out.data + slot_words, *wide = sums + sum_words;\n"
    "        slots = size_t{grid.x} * grid.y * block.x * block.y * block.z * launches;\n"
    "        for (uint32_t salt = 0; salt < launches; salt++)\n"
    "            kernel<<<grid, block, shared>>>(in.data, out.data, sums, wide, salt);\n"
    "    }\n"
    "};\n"
    "\n"
    "} // namespace\n"
    "\n"
    "CUGATE_LIBRARY(cugate::family<state>(\"rSEED\", \"random kernels\")";

/* Constants of 64 elements each. What is in `permuted` is no constant to the compiler. */
static void print_tables(void)
{
    static const char *const heads[] = {"__constant__ uint32_t table[64]", "__constant__ int counts[64]",
                                        "__constant__ float fractions[64]"};
    for (size_t i = 0; i < LENGTH(heads); i++) {
        printf("%s = {", heads[i]);
        for (unsigned n = 0; n < 64; n++) {
            const uint32_t word = random_word();
            if (i == 0)
                printf("0x%xu, ", word >> (word & 15));
            else if (i == 1)
                printf("%d, ", (int)(word % 41) - 20);
            else
                printf("%d * 0.0625f, ", (int)(word % 401) - 200);
        }
        printf("};\n");
    }
    unsigned order[32];
    for (unsigned i = 0; i < 32; i++) {
        const unsigned j = below(i + 1);
        order[i] = order[j];
        order[j] = i;
    }
    printf("} // namespace\n__device__ uint32_t permuted[64] = {");
    for (unsigned n = 0; n < 64; n++)
        printf("%u, ", order[n % 32]);
    printf("};\nnamespace {\n\n");
}

static unsigned seed, count;

/* Copies a part of the library, with values for names in capitals. */
static void print_part(const char *text)
{
    const struct {
        const char *name;
        unsigned value;
    } values[] = {
        {"IN_WORDS", IN_WORDS},   {"SLOT_WORDS", 3 * MOST_BLOCKS * MOST_THREADS},
        {"SUM_WORDS", SUM_WORDS}, {"WIDE_WORDS", WIDE_WORDS},
        {"SEED", seed},
    };
    while (*text) {
        size_t i = 0;
        while (i < LENGTH(values) && strncmp(text, values[i].name, strlen(values[i].name)) != 0)
            i++;
        if (i < LENGTH(values)) {
            printf("%u", values[i].value);
            text += strlen(values[i].name);
        } else {
            putchar(*text++);
        }
    }
}

static void print_variants(void)
{
    print_part(ending);
    for (unsigned i = 0; i < count; i++) {
        const struct description *d = &descriptions[i];
        printf("\n    .variant(\"k%03u\", \"%s%s\", [](state &s) {\n"
               "        s.launch(k%03u::kernel, dim3(%u, %u), dim3(%u, %u, %u), %u, %u);\n    })",
               i, d->kernel.kind->doc, d->kernel.approximate ? ", approximate" : "", i, d->grid_x, d->grid_y,
               d->kernel.shape.x, d->kernel.shape.y, d->kernel.shape.z,
               d->kernel.dynamic ? d->kernel.threads * d->kernel.own_stride * 4 : 0, d->kernel.launches);
    }
    printf(")\n");
}

static bool read_number(const char *text, unsigned long most, unsigned *number)
{
    char *end;
    const unsigned long value = strtoul(text, &end, 10);
    if (!isdigit((unsigned char)text[0]) || *end || value < 1 || value > most)
        return false;
    *number = (unsigned)value;
    return true;
}

static void print_rows(void)
{
    printf("#ifndef ROW\n");
    print_part(beginning_helpers);
    printf("#endif\n\n");
    for (unsigned i = 0; i < count; i++) {
        random_state = (uint64_t)seed << 32 | i;
        generate_row(i);
    }
}

static void print_library(void)
{
    descriptions = calloc(count, sizeof *descriptions);
    if (!descriptions)
        abort();
    print_part(beginning);
    print_part(beginning_helpers);
    print_part(beginning_kernels);
    print_part(beginning_matrices);
    random_state = seed;
    print_tables();
    for (unsigned i = 0; i < count; i++) {
        /* A kernel depends on its number and the seed only. */
        random_state = (uint64_t)seed << 32 | i;
        generate_kernel(i);
    }
    print_variants();
    free(descriptions);
}

int main(int argc, char **argv)
{
    const bool rows = argc > 1 && strcmp(argv[1], "--rows") == 0;
    if (argc - rows != 3 || !read_number(argv[1 + rows], 1000000, &seed) ||
        !read_number(argv[2 + rows], 1000, &count)) {
        fputs("usage: random_kernels [--rows] SEED COUNT >FILE   (SEED 1 to 1000000, COUNT 1 to 1000)\n", stderr);
        return 2;
    }
    printf("/* Made by tests/sim/random_kernels %s%u %u. */\n", rows ? "--rows " : "", seed, count);
    if (rows)
        print_rows();
    else
        print_library();
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fputs("error: cannot write the kernels\n", stderr);
        return 1;
    }
    return 0;
}
