/* Gives parts of an array what is rare, or what a result hardly depends on. To add a kind: a function and a row. */
#include "draw_parts.h"

#include "base/base.h"

enum { LANES = 32, WARPS = 4, BLOCK = LANES * WARPS, FOUR_TIMES = 0x100 };

/* A part of a run: elements of a width. */
struct part {
    const struct run_of *run;
    unsigned char *bytes;
    size_t count, width;
    bool float16;
    const unsigned char *hot;     /* an element of the run, the same for all its parts */
    const unsigned char *ends[2]; /* the least and the largest of the run, before it got parts */
};

static unsigned char *element(const struct part *part, size_t i)
{
    return part->bytes + i * part->width;
}

static const unsigned char *any_element(const struct part *part)
{
    return element(part, below(part->run->state, part->count));
}

/* ---- Floats ---- */

static size_t upper_half(const struct part *part, size_t i)
{
    return ((size_t)(element(part, i) - part->run->bytes) + part->width) / 2 - 1;
}

/* Whether they are float16: one is so small that bfloat16 is not. */
static bool are_float16(const struct part *part)
{
    enum { SMALL = 0x3000 };
    return part->width == WIDTH_HALVES &&
           ANY(i, part->count, (half_at(part->bytes, i) & 0x7fff) < SMALL && half_at(part->bytes, i) << 1 != 0);
}

/* Adds to the bits of a magnitude, of bfloat16 or float32, unless that overflows or underflows. Of float16 a factor of
 * 2 is 8 times as many, of float64 an eighth. */
static void shift(const struct part *part, size_t i, int by)
{
    const size_t half = upper_half(part, i);
    const uint16_t was = half_at(part->run->bytes, half), is = (uint16_t)(was + (part->width == WIDTH_LONG ? by / 8
                                                                                 : part->float16           ? by * 8
                                                                                                           : by));
    if (!may_change(part->run->bytes, half) || (part->float16 && (!is_usual_half(was) || !is_usual_half(is))))
        return;
    memcpy(part->run->bytes + 2 * half, &is, sizeof is);
    if (!may_change(part->run->bytes, half) || ((was ^ is) & 0x8000))
        memcpy(part->run->bytes + 2 * half, &was, sizeof was);
}

/* Rows of padding, all of one sign. */
static void zeros(const struct part *part)
{
    memset(part->bytes, 0, part->count * part->width);
    for (size_t i = 0; i < part->count; i++)
        element(part, i)[part->width - 1] = part->count >= LANES && part->run->draw->place & 16 ? 0x80 : 0;
}

/* By 2^-12, so that an epsilon matters. */
static void small(const struct part *part)
{
    for (size_t i = 0; i < part->count && !part->run->draw->narrow; i++)
        shift(part, i, -0x600);
}

static void negated(const struct part *part)
{
    for (size_t i = 0; i < part->count; i++)
        if (may_change(part->run->bytes, upper_half(part, i)))
            element(part, i)[part->width - 1] ^= 0x80;
}

/* Makes all of a sign, if some are. */
static void one_sign(const struct part *part, unsigned sign)
{
    const bool has =
        ANY(i, part->count,
            may_change(part->run->bytes, upper_half(part, i)) && (element(part, i)[part->width - 1] & 0x80) == sign);
    for (size_t i = 0; i < part->count && has; i++)
        if (may_change(part->run->bytes, upper_half(part, i)))
            element(part, i)[part->width - 1] = (unsigned char)((element(part, i)[part->width - 1] & 0x7f) | sign);
}

static void below_zero(const struct part *part)
{
    one_sign(part, 0x80);
}

static void above_zero(const struct part *part)
{
    one_sign(part, 0);
}

/* All by 8, or 4: a spread that no captured row has, of which most counts. */
static void scaled(const struct part *part)
{
    const int by = below(part->run->state, 4) ? 0x180 : 0x100;
    for (size_t i = 0; i < part->count && !part->run->draw->narrow; i++)
        shift(part, i, by);
}

/* Zeros among others: in one half a third, in the other all but an eighth. */
static void sparse(const struct part *part)
{
    enum { OFTEN = 24, FEW = 8, MANY = 21 };
    for (size_t i = 0; i < part->count; i++)
        if (below(part->run->state, OFTEN) < (uint64_t)(i < part->count / 2 ? FEW : MANY))
            memset(element(part, i), 0, part->width);
}

/* A few count for more than all others together, or nearly: what is not read is missed, whatever the mean is. */
static void few_count(const struct part *part, size_t every, unsigned most)
{
    enum { TWICE = 0x80 };
    for (size_t from = 0; from < part->count && !part->run->draw->narrow; from += every) {
        const size_t rest = part->count - from, i = from + below(part->run->state, rest < every ? rest : every);
        shift(part, i, (2 + (int)below(part->run->state, most)) * TWICE);
    }
}

static void outliers(const struct part *part)
{
    enum { EVERY = 256, MOST = 4 };
    few_count(part, EVERY, MOST);
}

static void dominated(const struct part *part)
{
    enum { EVERY = 1024 };
    few_count(part, EVERY, 64 - (unsigned)__builtin_clzll(part->count));
}

/* A number that rises with a float, or with an integer. */
static int64_t rank(const struct part *part, const unsigned char *bytes)
{
    uint64_t word = 0;
    memcpy(&word, bytes, part->width);
    const int64_t value = (int64_t)(word << (64 - 8 * part->width));
    return part->run->kind == DRAWN_FLOATS && value < 0 ? INT64_MIN - value : value;
}

/* The least of them, or the largest. */
static const unsigned char *end_of(const struct part *part, bool largest)
{
    size_t found = 0;
    for (size_t i = 0; i < part->count; i++) {
        const int64_t own = rank(part, element(part, i)), best = rank(part, element(part, found));
        found = (largest ? own > best : own < best) ? i : found;
    }
    return element(part, found);
}

/* Makes some elements the largest but for its last bits. */
static void spread(const struct part *part, unsigned often)
{
    unsigned char most[WIDTH_LONG];
    memcpy(most, end_of(part, true), part->width);
    for (size_t i = 0; i < part->count; i++)
        if (below(part->run->state, often) == 0) {
            memcpy(element(part, i), most, part->width);
            element(part, i)[0] ^=
                (unsigned char)(draw_next(part->run->state) & (part->width == WIDTH_HALVES ? 1 : 255));
        }
}

/* In one half the largest by 2^9, and some that are near it, so that the rest vanishes beside them; in the other by 2
 * to 32, where the result may still be finite. */
static void large(const struct part *part)
{
    enum { OFTEN = 16, TWICE = 0x80, MOST = 9 * TWICE };
    const size_t half = part->count / 2;
    if (part->run->draw->narrow)
        return;
    for (unsigned i = 0; i < 2; i++) {
        struct part own = *part;
        own.bytes = element(part, i * half);
        own.count = i == 0 ? half : part->count - half;
        shift(&own, (size_t)(end_of(&own, true) - own.bytes) / part->width,
              i == 0 ? TWICE + (int)below(part->run->state, (uint64_t)4 * TWICE) : MOST);
        spread(&own, OFTEN);
    }
}

static void near(const struct part *part)
{
    enum { OFTEN = 4 };
    spread(part, OFTEN);
}

/* ---- Of each type ---- */

/* Few different ones, so that many are the same; boldly one of them is 0. */
static void few(const struct part *part)
{
    enum { FEW = 3 };
    unsigned char values[FEW][WIDTH_LONG];
    for (size_t i = 0; i < FEW; i++)
        memcpy(values[i], any_element(part), part->width);
    if (part->run->draw->way == DRAW_BOLDLY)
        memset(values[0], 0, part->width);
    for (size_t i = 0; i < part->count; i++)
        memcpy(element(part, i), values[below(part->run->state, FEW)], part->width);
}

struct ranked {
    int64_t rank;
    unsigned char bytes[WIDTH_LONG];
};

ORDER_BY(by_rank, struct ranked, rank)

/* Puts them in order: along memory, or lane by lane, so that one lane of a warp, or thread of a block, has all large
 * ones; the largest floats count four times. */
static void sort(const struct part *part, size_t lanes)
{
    const size_t each = part->count / lanes, count = each * lanes;
    OWNED_MEMORY struct ranked *list = x_calloc(count + 1, sizeof *list);
    for (size_t i = 0; i < count; i++) {
        memcpy(list[i].bytes, element(part, i), part->width);
        list[i].rank = rank(part, list[i].bytes);
    }
    SORT(list, count, by_rank);
    for (size_t i = 0; i < count; i++) {
        const size_t by_size = i / each, lane = lanes < BLOCK ? by_size : by_size / WARPS + by_size % WARPS * LANES;
        memcpy(element(part, i % each * lanes + lane), list[i].bytes, part->width);
        if (part->run->kind == DRAWN_FLOATS && part->run->draw->way == DRAW_BOLDLY && !part->run->draw->narrow &&
            i >= count - count / LANES)
            shift(part, i % each * lanes + lane, FOUR_TIMES);
    }
}

static void in_order(const struct part *part)
{
    sort(part, 1);
}

static void by_lane(const struct part *part)
{
    sort(part, part->count < (size_t)4 * BLOCK ? LANES : BLOCK);
}

/* ---- Integers ---- */

static void set(const struct part *part, size_t i, int64_t value)
{
    memcpy(element(part, i), &value, part->width);
}

/* One value is a quarter of the array. */
static void hot(const struct part *part)
{
    for (size_t i = 0; i < part->count; i++)
        memcpy(element(part, i), part->hot, part->width);
}

/* The least and the largest that were there, and 0. */
static void extreme(const struct part *part)
{
    enum { ENDS = 8 };
    static const unsigned char zero[WIDTH_LONG];
    for (size_t i = 0; i < part->count; i++) {
        const uint64_t which = below(part->run->state, ENDS);
        memcpy(element(part, i), which < 2 ? zero : part->ends[which % 2], part->width);
    }
}

/* Stretches of the largest and of the least that were there, of bytes also of those of each type. */
static void solid(const struct part *part)
{
    static const unsigned char of_types[] = {0xff, 0x7f, 0x80};
    const bool is_bytes = part->width == WIDTH_BYTES;
    for (size_t i = 0; i < part->count; i++) {
        const size_t which = i * (is_bytes ? 5 : 2) / part->count;
        memcpy(element(part, i), which < 2 ? part->ends[!which] : &of_types[which - 2], part->width);
    }
}

/* What stands for a missing one, where none is negative; the first too, since before an array there is nothing. */
static void missing(const struct part *part)
{
    enum { MISSING = 4 };
    const struct run_of *run = part->run;
    const int64_t value = run->draw->place & 32 ? -1 : -100;
    for (size_t i = 1; i <= run->size / part->width; i++)
        if (run->bytes[i * part->width - 1] & 0x80)
            return;
    for (size_t i = 0; i < part->count; i++)
        if (below(run->state, MISSING) == 0)
            set(part, i, value);
    memcpy(run->bytes, &value, part->width);
}

/* None is set, as of a row that is masked. */
static void unset(const struct part *part)
{
    memset(part->bytes, 0, part->count * part->width);
}

/* Small ones among large: of each word of 8 bytes the first stays. */
static void tiny(const struct part *part)
{
    for (size_t i = 0; i < part->count * part->width; i++)
        if ((size_t)(part->bytes + i - part->run->bytes) % WIDTH_LONG != 0)
            part->bytes[i] = 0;
}

/* Beyond those that are there, of any number of bits, but such that sums of two do not overflow; of bytes the least. */
static void beyond(const struct part *part)
{
    const unsigned unused = 64 - 8 * (unsigned)part->width;
    for (size_t i = 0; i < part->count; i++)
        set(part, i,
            part->width == WIDTH_BYTES
                ? INT64_MIN >> unused
                : (int64_t)draw_next(part->run->state) >> (unused + 2 + below(part->run->state, 24)));
}

/* Of bytes any, also such as never were there. */
static void any(const struct part *part)
{
    for (size_t i = 0; i < part->count && part->width == WIDTH_BYTES; i++)
        set(part, i, (int64_t)draw_next(part->run->state));
}

/* ---- Parts ---- */

enum { PARTS = 16 };

struct rough {
    void (*draw)(const struct part *part);
    enum draw_way until; /* carefully it is left out */
};

static const struct rough of_floats[PARTS] = {
    {zeros, DRAW_BOLDLY},      {outliers, DRAW_BOLDLY},  {few, DRAW_NARROWLY},        {sparse, DRAW_BOLDLY},
    {near, DRAW_NARROWLY},     {scaled, DRAW_BOLDLY},    {below_zero, DRAW_NARROWLY}, {scaled, DRAW_BOLDLY},
    {in_order, DRAW_NARROWLY}, {dominated, DRAW_BOLDLY}, {by_lane, DRAW_NARROWLY},    {above_zero, DRAW_NARROWLY},
    {small, DRAW_BOLDLY},      {outliers, DRAW_BOLDLY},  {large, DRAW_BOLDLY},        {negated, DRAW_BOLDLY},
};

/* Rows whose label is beyond the classes may not count: none of them is where floats are large. */
static const struct rough of_integers[PARTS] = {
    {hot, DRAW_CALMLY},   {hot, DRAW_CALMLY},       {hot, DRAW_CALMLY},   {hot, DRAW_CALMLY},
    {unset, DRAW_CALMLY}, {in_order, DRAW_CALMLY},  {any, DRAW_BOLDLY},   {by_lane, DRAW_CALMLY},
    {tiny, DRAW_BOLDLY},  {few, DRAW_CALMLY},       {solid, DRAW_CALMLY}, {extreme, DRAW_CALMLY},
    {any, DRAW_BOLDLY},   {missing, DRAW_NARROWLY}, {NULL, DRAW_BOLDLY},  {beyond, DRAW_BOLDLY},
};

static void draw_parts(const struct run_of *run, const struct rough rows[PARTS], size_t width)
{
    enum { LEAST = 4 };
    const size_t count = draw_filled(run, width), part_of = (count + PARTS - 1) / PARTS;
    const size_t least = run->kind == DRAWN_FLOATS ? LEAST : 1; /* of a few integers each gets a kind */
    const size_t each = part_of < LEAST ? least : part_of;
    const struct part all = {.run = run, .bytes = run->bytes, .count = count, .width = width};
    unsigned char kept[WIDTH_LONG] = {0}, ends[2][WIDTH_LONG] = {{0}};
    for (unsigned i = 0; i < 2 && count > 0; i++)
        memcpy(ends[i], end_of(&all, i), width);
    for (size_t i = 0; i < 4 && count > 0; i++) {
        const unsigned char *other = run->bytes + below(run->state, count) * width;
        if (i == 0 || (width == WIDTH_BYTES && *other > *kept)) /* words of small bytes look like small integers */
            memcpy(kept, other, width);
    }
    for (size_t from = 0, i = 0; from < count; from += each, i++) {
        const struct rough *row = &rows[(i + run->draw->place) % PARTS];
        struct part part = {.run = run,
                            .bytes = run->bytes + from * width,
                            .count = count - from < each ? count - from : each,
                            .width = width,
                            .hot = kept,
                            .ends = {ends[0], ends[1]}};
        part.float16 = run->kind == DRAWN_FLOATS && are_float16(&part);
        if (row->draw && run->draw->way <= row->until)
            row->draw(&part);
    }
}

static enum drawn_width width_of_floats(const struct run_of *run)
{
    return run->halves ? WIDTH_HALVES : run->wide ? WIDTH_LONG : WIDTH_WORDS;
}

void draw_rough_floats(const struct run_of *run)
{
    draw_parts(run, of_floats, width_of_floats(run));
}

void draw_rough_integers(const struct run_of *run)
{
    draw_parts(run, of_integers,
               run->kind == DRAWN_UNKNOWN             ? WIDTH_BYTES
               : draw_are_long(run->bytes, run->size) ? WIDTH_LONG
                                                      : WIDTH_WORDS);
}

/* ---- Few values ---- */

/* Returns a word that the code compares with, or the one before or after it. */
static uint32_t constant(const struct run_of *run, bool *is_exact)
{
    const uint32_t word = run->draw->constants[below(run->state, run->draw->constant_count)];
    const uint64_t off = below(run->state, 4);
    *is_exact = off > 1;
    return off == 0 ? word - 1 : off == 1 ? word + 1 : word;
}

/* Sets a float to a constant that is one; of float64 the code has the upper word. */
static void set_float(const struct part *part, size_t i)
{
    bool is_exact;
    uint32_t word = constant(part->run, &is_exact);
    const bool infinite = part->run->draw->infinite && is_exact && (word & 0x7fffffff) == 0x7f800000;
    const unsigned sign = word >> 16 & 0x8000, exponent = word >> 23 & 0xff;
    if (!is_usual(word) && !infinite && !(part->run->draw->infinite && exponent > 127 - 110 && exponent < 127 + 110))
        return;
    if (part->width == WIDTH_LONG)
        set(part, i, (int64_t)((uint64_t)word << 32));
    else if (part->width == WIDTH_WORDS)
        set(part, i, word);
    else if (!part->float16)
        set(part, i, word >> 16);
    else if (infinite || (exponent > 127 - 14 && exponent < 127 + 15))
        set(part, i, sign | (infinite ? 0x7c00 : (exponent - 127 + 15) << 10 | (word >> 13 & 0x3ff)));
}

static struct part whole(const struct run_of *run, size_t width)
{
    return (struct part){.run = run, .bytes = run->bytes, .count = draw_filled(run, width), .width = width};
}

void draw_far_floats(const struct run_of *run)
{
    enum { OFTEN = 8, SELDOM = 64, LEAST = 12, MORE = 4, TWICE = 0x80 };
    const enum drawn_width width = width_of_floats(run);
    struct part all = whole(run, width);
    all.float16 = are_float16(&all);
    const uint16_t bits = width == WIDTH_LONG ? 0xfff8 : all.float16 ? 0xfe00 : 0xffc0; /* and one of the mantissa */
    const int larger = run->draw->narrow ? 0 : (int)(LEAST + run->draw->place % MORE) * TWICE;
    for (size_t i = 0; i < all.count; i++) {
        const size_t half = upper_half(&all, i);
        const uint16_t upper = half_at(run->bytes, half) & bits;
        if (run->draw->exact && may_change(run->bytes, half)) {
            memset(element(&all, i), 0, width);
            memcpy(run->bytes + 2 * half, &upper, sizeof upper);
            shift(&all, i, larger);
        }
        if (below(run->state, run->draw->exact ? OFTEN : SELDOM) == 0) /* equal ones may cancel */
            set_float(&all, i);
    }
}

/* As arithmetic makes them: they are the same whether they are copied or added. */
void draw_nans(const struct run_of *run)
{
    const enum drawn_width width = width_of_floats(run);
    const struct part all = whole(run, width);
    for (unsigned k = 0; k < run->draw->nans && all.count > 0; k++)
        set(&all, below(run->state, all.count),
            width == WIDTH_LONG    ? INT64_C(0x7ff8) << 48
            : width == WIDTH_WORDS ? 0x7fffffff
                                   : 0x7fff);
}

/* Longer ones mostly continue the sign, or zeros. Of words that may be lengths most stay. */
void draw_far_integers(const struct run_of *run)
{
    enum { OFTEN = 8, UPPER = 64, NEGATIVE = 4 };
    const bool is_bytes = run->kind == DRAWN_UNKNOWN;
    const struct part all = whole(run, is_bytes || draw_are_long(run->bytes, run->size) ? WIDTH_LONG : WIDTH_WORDS);
    for (size_t i = 0; i < all.count; i++) {
        const uint64_t upper = below(run->state, UPPER);
        bool ignored;
        uint64_t value = below(run->state, 2) ? 0 : constant(run, &ignored);
        value |= upper == 0 ? (uint64_t)constant(run, &ignored) << 32 : upper < UPPER / NEGATIVE ? UINT64_MAX << 32 : 0;
        if (below(run->state, OFTEN) < (is_bytes ? OFTEN - 1 : OFTEN / 4))
            set(&all, i, (int64_t)value);
    }
    if (is_bytes) /* a row in which each sum carries */
        memset(run->bytes + run->size / 4, 0xff, run->size / 32 < DRAW_SPAN ? run->size / 32 : DRAW_SPAN);
}
