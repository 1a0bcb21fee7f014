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
 * Text is made from the templates of random_kernels.txt, in which $ and a letter stand for something random: see
 * expand().
 */
#include "parts.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdbool.h>

PARTS_OF("tests/sim/random_kernels.txt")

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

static void choose(const char *name, int depth)
{
    const struct part *part = part_named(name);
    const char *template;
    do
        template = part->lines[below((uint32_t)part->count)];
    while (!fits(template));
    expand(pay(template), depth);
}

static void expression(size_t type, int depth)
{
    if (type == 0 && k.loops > 0 && chance(depth > 0 ? 3 : 12)) {
        put("n%u", below(k.loops));
        return;
    }
    char name[16];
    snprintf(name, sizeof name, "%s %c", depth <= 0 || chance(15) ? "leaf" : "expression", type_letters[type]);
    choose(name, depth - 1);
}

/* ---- Indices ----------------------------------------------------------------------------------------------------- */

/* An index of the input, as elements of so many bytes. */
static void input_index(unsigned bytes, int depth)
{
    spend(1);
    put("(");
    choose(k.in_function ? "function index" : "input index", depth - 1);
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
    const uint32_t pattern = below(8);
    if (pattern < 2) {
        put("tid");
    } else if (pattern == 2) {
        put("(tid ^ %uu)", below(k.shared_places));
    } else if (pattern == 3) {
        put("((tid * %uu + ", below(16) * 2 + 1);
        put("%uu) & %uu)", below(64), mask);
    } else if (pattern < 6) {
        put("((tid * %uu + tid / %uu) & %uu)", stride, k.shared_places / stride, mask);
    } else if (pattern == 6) {
        put("(__brev(tid) >> %uu)", 32 - bits);
    } else {
        put("((tid & ~31u | permuted[lane]) & %uu)", mask);
    }
}

/* Where a thread reads in a shared array: anywhere. */
static void shared_index(int depth)
{
    spend(2);
    put("((");
    choose("shared index", depth - 1);
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
    char place[64] = "all";
    const uint32_t pattern = below(5);
    if (pattern == 2)
        snprintf(place, sizeof place, "((all ^ %uu) & (places - 1u))", below(64));
    else if (pattern == 3)
        snprintf(place, sizeof place, "(all * %uu & (places - 1u))", below(32) * 2 + 1);
    else if (pattern == 4)
        snprintf(place, sizeof place, "(all & ~31u | permuted[all & 31u])");
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
 *   w  v  m         a width of shuffles, a lane distance within it; the mask of lanes that are here
 *   #               the number of the loop that is being written */
static void expand(const char *template, int depth)
{
    const char *p = template;
    for (const char *end; (end = strchr(p, '$')); p = end + 2) {
        fwrite(p, 1, (size_t)(end - p), k.text);
        const char letter = end[1];
        const char *const list = letter == 'x'   ? "uniform condition"
                                 : letter == 'q' ? "divisor"
                                 : letter == 'y' ? "float"
                                 : letter == 't' ? "table index"
                                                 : NULL;
        switch (letter) {
        case '#':
            put("%u", k.loops);
            break;
        case 'p':
            choose(depth > 0 ? "condition" : "simple condition", depth - 1);
            break;
        case 'c':
            if (chance(50)) {
                choose("constant", depth);
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
        case 's':
            put("0x%04xu", random_word() & 0x7777);
            break;
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
            if (list)
                choose(list, depth);
            else if (isdigit((unsigned char)letter))
                input_index(letter == '6' ? 16 : (unsigned)(letter - '0'), depth);
            else if (isupper((unsigned char)letter))
                expression(type_of(letter), depth);
            else
                variable(type_of(letter));
        }
    }
    put("%s", p);
}

static void line(int depth, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Writes a line by a template, which is printed first. */
static void line(int depth, const char *format, ...)
{
    char template[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(template, sizeof template, format, arguments);
    va_end(arguments);
    put("%*s", k.indent * 4, "");
    expand(template, depth);
    put("\n");
}

/* ---- Statements -------------------------------------------------------------------------------------------------- */

static void block(enum together together, unsigned count, int nesting);

static void open_block(int depth, const char *template)
{
    line(depth, "%s", template);
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

/* Of 1, 2, 4, 8 and 16 bytes. */
static const char *const element_types[] = {"uint8_t", "uint16_t", "uint32_t", "uint2", "uint4"};

/* Stores to places of the thread's own in global memory, some read back, some by atomics. */
static void global_store(bool atomic)
{
    static const char *const values[] = {"uint8_t($U)", "uint16_t($U)", "$U", "make_uint2($U, $u)",
                                         "make_uint4($U, $u, $u, $U)"};
    const unsigned width = atomic ? 2 : below(5);
    char place[160];
    if (!take_wide(1u << width, place, sizeof place)) {
        line(2, "$u += $U;");
        return;
    }
    if (chance(40))
        line(1, "if ($p)");
    put("%*s{ %s *at = reinterpret_cast<%s *>(wide) + %s; ", k.indent * 4, "", element_types[width],
        element_types[width], place);
    if (atomic) {
        choose("atomic on a place", 2);
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
        line(2, "$u += $U;");
        return;
    }
    if (chance(40))
        line(1, "if ($p)");
    const char *operation = operations[below(LENGTH(operations))];
    const uint32_t kind = below(6);
    spend(kind == 0 ? 12 : 5);
    if (kind == 0) {
        const char *const type = chance(50) ? "double" : "float";
        line(2, "atomicAdd(reinterpret_cast<%s *>(sums + %u) + $O, $U & 7u);", type, SUM_WORDS / 2 + k.zero_words);
        k.zero_words += 128;
        return;
    }
    if (kind == 1)
        line(2, "atomic%s(reinterpret_cast<u64 *>(sums + %u) + $O, u64($U) << $n | $u);", operation, k.sum_words);
    else if (kind == 2)
        line(2, "atomic%s(reinterpret_cast<int *>(sums + %u) + (tid & $n), $I);", operation, k.sum_words);
    else
        line(2, "atomic%s(sums + %u + %s, $U);", operation, k.sum_words, chance(50) ? "$O" : "(block & 3u)");
    k.sum_words += kind == 1 ? 128 : 64;
}

static void if_statement(enum together together, int nesting)
{
    const unsigned how = below(10);
    const bool uniform = !k.in_function && how < 3;
    const bool by_warp = !k.in_function && how == 3;
    open_block(2, uniform ? "if ($x) {" : by_warp ? "if ((warp & $k) != 0) {" : "if ($p) {");
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

/* Rounds are limited by those of the loops around: that keeps kernels short. */
static void loop_statement(enum together together, int nesting)
{
    const bool uniform = !k.in_function && chance(30);
    const unsigned mask = uniform || k.times > 20 ? 3 : chance(50) ? 7 : 15;
    const unsigned least = below(4);
    const struct kernel before = k;

    line(0, "{");
    k.indent++;
    const char *const rounds = uniform ? "(block + salt)" : k.is_row || chance(75) ? "$U" : "lane";
    line(2, "const uint32_t bound$# = (%s & %uu) + %uu;", rounds, mask, least);
    const uint32_t form = below(uniform ? 3 : 4);
    if (form != 0)
        line(2, "uint32_t n$# = 0;");
    static const char *const heads[] = {
        "for (uint32_t n$# = 0; n$# < bound$#; n$#++) {",
        "while (n$#++ < bound$#) {",
        "do {",
        "for (uint32_t rest$# = $U; rest$# != 0 && n$#++ < bound$#; rest$# = rest$# % 2u ? rest$# >> 3 : rest$# - 2u) "
        "{",
    };
    open_block(2, heads[form]);
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
    k.indent--;
    line(2, form == 2 ? "} while (++n$# < bound$#);" : "}");
    close_block("}");
}

/* Rows of different lengths, a thread a row: the lanes of a warp leave at very different rounds. */
static void rows_statement(void)
{
    static const unsigned lengths[] = {15, 31, 63, 127, 255};
    const unsigned length = lengths[below(k.times > 1 ? 2 : LENGTH(lengths))];
    const double times = k.times;
    line(1, "for (uint32_t j = $u & 0xfffu, end = j + ($U %% %uu); j < end; j++) {", length);
    k.indent++;
    k.times *= length;
    for (uint32_t count = 1 + below(3); count > 0; count--) {
        put("%*s", k.indent * 4, "");
        choose("row body", 1);
        put("\n");
    }
    line(0, "$u += j ^ $c;");
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
        line(1, "$u = jump($U & 3u, $U);");
        return;
    }
    const unsigned cases = 4 + below(9);
    const bool may_break = k.may_break;
    const double times = k.times;
    line(2, "switch ($U %% %uu) {", cases + below(2));
    spend(6);
    k.may_break = false;
    k.times *= 0.7; /* some of the cases, by some of the lanes */
    for (unsigned i = 0; i < cases; i++) {
        put("%*scase %u: {\n", k.indent * 4, "", i);
        k.indent++;
        block(ALONE, 1 + below(2), nesting + 2);
        line(0, i + 1 == cases || chance(85) ? "break;" : "[[fallthrough]];");
        close_block("}");
    }
    if (chance(60)) {
        open_block(0, "default: {");
        block(ALONE, 1, nesting + 2);
        close_block("}");
    }
    line(0, "}");
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
    line(0, "if ((lane & %uu) != 0) {", bit);
    k.indent++;
    for (unsigned part = 0; part < 2; part++) {
        snprintf(k.mask, sizeof k.mask, "(mask & 0x%xu)", part == 0 ? with_bit[which] : ~with_bit[which]);
        if (k.together >= PART_OF_WARP) {
            line(2, "$u += __shfl_xor_sync($m, $U, %u);", below(32) & ~bit & (k.segment - 1));
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
        line(0, "__syncwarp(mask);");
}

static void call_statement(void)
{
    if (k.uses_recursion && !k.in_function && chance(25)) {
        spend(150);
        line(1, chance(30) ? "$u = recurse($U & 7u, $U);" : "$u += recurse($U & 3u, $u);");
        return;
    }
    if (k.functions == 0) {
        line(2, "$u = $U;");
        return;
    }
    const unsigned which = below(k.functions);
    const char *const operation = chance(50) ? "+" : "";
    spend(k.function_cost[which] + 8);
    if (chance(50))
        line(1, "if ($p)");
    line(1, "$u %s= function%u($U, $u, in, salt);", operation, which);
}

/* A thread ends before the others. In a loop that all threads go round together it must not: they would wait for it. */
static void leave_statement(void)
{
    if (k.in_function) {
        line(2, "if ($p) return $U;");
        return;
    }
    if (k.shared_loops > 0) {
        line(2, "$u = $U;");
        return;
    }
    line(1, "if ($p && $p) { out[slot] = answer(fold($u, $U)); return; }");
    k.together = ALONE;
}

/* Whether a list is of statements of the class, for threads that come together so: `statement sha block`. */
static bool fits_statement(const char *name, enum class class, enum together together)
{
    static const char classes[] = "int lng flt dbl hlf loc sha glo wrp bar atm asy ten app",
                      needs[] = "alone part  warp  block";
    return strncmp(name, "statement ", 10) == 0 && class <= CLASS_APPROXIMATE &&
           strncmp(name + 10, classes + 4 * class, 3) == 0 &&
           (enum together)((strstr(needs, name + 14) - needs) / 6) <= together;
}

static void simple_statement(enum class class, enum together together)
{
    enum { MOST = 64 }; /* in a class */
    const char *templates[MOST];
    uint32_t count = 0;
    const bool whole_warps = k.threads % 32 == 0;
    for (const struct part *part = parts + 1; part->name; part++) {
        const bool has_it = fits_statement(part->name, class, together);
        for (size_t n = 0; n < part->count && has_it; n++) {
            const char *template = part->lines[n];
            if (fits(template) && (class != CLASS_TENSOR || whole_warps) &&
                !(k.in_function &&
                  (strstr(template, "own[") || strstr(template, "warp") || strstr(template, "shared")))) {
                if (count == MOST)
                    abort();
                templates[count++] = template;
            }
        }
    }
    if (count == 0) {
        line(2, "$u += $U;");
        return;
    }
    const char *template = templates[below(count)];
    for (size_t i = 0; i < LENGTH(k.uses_shared); i++) {
        char array[24];
        snprintf(array, sizeof array, "shared%u[", 1u << i);
        k.uses_shared[i] |= strstr(template, array) != NULL;
    }
    k.uses_tile |= strstr(template, "staged<") != NULL;
    k.uses_floats |= strstr(template, "&floats[") != NULL;
    k.uses_longs |= strstr(template, "&longs[") != NULL;
    k.approximate |= class == CLASS_APPROXIMATE;
    char text[512];
    snprintf(text, sizeof text, "%s", pay(template));
    for (char *p = text, *end; p; p = end ? end + 2 : NULL) {
        if ((end = strstr(p, "\\n")))
            *end = '\0';
        line(1 + (int)below(3), "%s", p);
    }
}

static void statement(enum together together, int nesting)
{
    together = lower(together, k.together);
    if (k.may_break && chance(6)) {
        line(1, "if ($p) break;");
        return;
    }
    if (k.may_continue && chance(4)) {
        line(1, "if ($p) continue;");
        return;
    }
    unsigned total = 0;
    for (size_t i = 0; i < CLASSES; i++)
        total += k.kind->weight[i];
    uint32_t at = below(total);
    enum class class = 0;
    while (at >= k.kind->weight[class])
        at -= k.kind->weight[class ++];
    if (class == CLASS_IF && nesting < 3)
        if_statement(together, nesting);
    else if (class == CLASS_LOOP && nesting < 3 && k.times < 60 && !k.is_row && chance(30))
        rows_statement();
    else if (class == CLASS_LOOP && nesting < 3 && k.times < 60)
        loop_statement(together, nesting);
    else if (class == CLASS_SWITCH && nesting < 2)
        switch_statement(nesting);
    else if (class == CLASS_PARTS && nesting < 3 && together >= WARP)
        parts_statement(nesting);
    else if (class == CLASS_CALL && k.times < 30)
        call_statement();
    else if (class == CLASS_LEAVE)
        leave_statement();
    else if (class == CLASS_GLOBAL && !k.in_function && chance(35))
        global_store(false);
    else if (class != CLASS_ATOMIC || k.in_function || !chance(60))
        simple_statement(class <= CLASS_APPROXIMATE ? class : CLASS_INT, together);
    else if (chance(30))
        global_store(true);
    else
        global_sum();
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
        put("    __shared__ %s shared%u[%u];\n", element_types[i], 1u << i, k.shared_places);
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
        for (const char *p = k.kind->types; *p; p++)
            line(5, "h = fold(h, bits_of($%c));", *p);
    } else {
        block(ALONE, 4 + below(8), 0);
        fold_variables();
    }
    put("    return h;\n}\n#else\nROW(program%03u, uint32_t, (%s), program%03u(%s))\n#endif\n\n", number, parameters,
        number, arguments);
}

/* ---- The library ------------------------------------------------------------------------------------------------- */

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
static void print_part(const char *name)
{
    const char *text = part_named(name)->text;
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
    print_part("text ending");
    for (unsigned i = 0; i < count; i++) {
        const struct description *d = &descriptions[i];
        printf("    .variant(\"k%03u\", \"%s%s\", [](state &s) {\n"
               "        s.launch(k%03u::kernel, dim3(%u, %u), dim3(%u, %u, %u), %u, %u);\n    })%s\n",
               i, d->kernel.kind->doc, d->kernel.approximate ? ", approximate" : "", i, d->grid_x, d->grid_y,
               d->kernel.shape.x, d->kernel.shape.y, d->kernel.shape.z,
               d->kernel.dynamic ? d->kernel.threads * d->kernel.own_stride * 4 : 0, d->kernel.launches,
               i + 1 < count ? "" : ")");
    }
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
    print_part("text helpers");
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
    print_part("text beginning");
    print_part("text helpers");
    print_part("text kernels");
    print_part("text matrices");
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
    read_parts(parts_text);
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
