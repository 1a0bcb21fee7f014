/* Conversions between numbers of all widths. */
#include "lanes.h"

/* ---- Modifiers ---- */

enum { TO, FROM, ROUNDING, FLUSH, RELU, FINITE, PACKING, TYPES }; /* flags. Of TYPES the first is TO. */

enum integer { NO_INTEGER, U8, S8, U16, S16, U32, S32, U64, S64 };
enum packing { NOT_PACKED, PACK_AB, PACK_B, MERGE_C, PACK_AB_MERGE_C, UNPACK_B, UNPACK_B_MERGE_C };

/* Modifiers whose values follow each other, and the flag that holds the value. */
struct words {
    const char *words;
    unsigned char first, flag;
};

#define INTEGERS "U8 S8 U16 S16 U32 S32 U64 S64", U8
#define FLOATS "F16 BF16 F32 F64", F16
#define ROUNDINGS "RN RZ RM RP", ROUND_NEAREST, ROUNDING
#define WHOLE_ROUNDINGS "TRUNC FLOOR CEIL", ROUND_ZERO, ROUNDING /* to an integer */
#define FLUSHES "FTZ", 1, FLUSH

/* Notes the modifiers, which have to be among the words. Returns the number of TYPES, at most two, or -1. */
static int modifiers_read(struct instruction *code, unsigned char to, unsigned char from, const struct words *words)
{
    int types = 0;
    code->flags[TO] = to;
    code->flags[FROM] = from;
    code->flags[ROUNDING] = ROUND_NEAREST;
    for (unsigned m = 0; m < code->modifier_count; m++) {
        const struct words *are = words;
        while (are->words && word_place(are->words, code->modifiers[m]) < 0)
            are++;
        if (!are->words || (are->flag == TYPES && types == 2))
            return -1;
        code->flags[are->flag == TYPES ? types++ : are->flag] =
            (unsigned char)(are->first + word_place(are->words, code->modifiers[m]));
    }
    return types;
}
#define MODIFIERS_READ(to, from, ...) modifiers_read(code, to, from, (const struct words[]){__VA_ARGS__, {NULL, 0, 0}})

/* ---- Floats as operands ---- */

/* Returns the bit at which an operand begins in its word: .B2, .H1. */
static inline unsigned shift_of(const struct operand *operand)
{
    return operand->byte ? (operand->byte - 1u) * 8 : 0;
}

/* Reads an operand as doubles, exactly. flushes: subnormal floats become zero. */
static inline void doubles_read(double values[LANES], const struct warp *warp, const struct instruction *code,
                                unsigned n, enum format format, bool flushes)
{
    const struct operand *operand = &code->operands[n];
    const uint32_t *row = ROW(n), *high = HIGH(n);
    const unsigned shift = shift_of(operand);
    if (format == F64)
        EACH_LANE values[l] = to_double(row[l], high[l]);
    else if (format == F16)
        EACH_LANE values[l] = half_to_float(row[l] >> shift);
    else if (format == BF16)
        EACH_LANE values[l] = bf16_to_float(row[l] >> shift);
    else
        EACH_LANE values[l] = to_float(row[l]);
    if (flushes && format == F32)
        EACH_LANE values[l] = row[l] & 0x7f800000 ? values[l] : copysign(0, values[l]);
    if (operand->absolute)
        EACH_LANE values[l] = fabs(values[l]);
    if (operand->negate)
        EACH_LANE values[l] = -values[l];
}

static inline void float_written(struct warp *warp, const struct instruction *code, uint32_t lanes, enum format format,
                                 const uint64_t bits[LANES])
{
    if (format == F64)
        WRITE_WIDE(ROW(0), HIGH(0), lanes, bits[l]);
    else
        WRITE_LANES(ROW(0), lanes, (uint32_t)bits[l]);
}

/* ---- F2F: float to float ---- */

PREPARE(f2f, MODIFIERS_READ(0, 0, {FLOATS, TYPES}, {ROUNDINGS}, {FLUSHES}) == 2)

/* Returns the NaN that a NaN of a double becomes. It keeps its sign and the upper bits of its fraction, as an H200 was
 * seen to do. */
static uint64_t narrow_none(enum format target, double value)
{
    const uint64_t bits = of_double(value);
    if (target == F32)
        return (bits >> 32 & 0x80000000) | 0x7fc00000 | (bits >> 29 & 0x3fffff);
    return (bits >> 48 & 0x8000) | (target == F16 ? 0x7e00 | (bits >> 42 & 0x1ff) : 0x7fc0 | (bits >> 45 & 0x3f));
}

static void f2f(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    const enum format target = code->flags[TO];
    const enum rounding rounding = code->flags[ROUNDING];
    const bool flushes = code->flags[FLUSH];
    double values[LANES] __attribute__((aligned(64)));
    doubles_read(values, warp, code, 1, code->flags[FROM], flushes);
    const bool from_double = code->flags[FROM] == F64;
    if (target == F64) {
        WRITE_WIDE(ROW(0), HIGH(0), lanes, of_double(values[l]));
    } else if (target == F32 && rounding == ROUND_NEAREST && !flushes && !from_double) {
        WRITE_LANES(ROW(0), lanes, of_float_canonical((float)values[l]));
    } else {
        uint64_t bits[LANES];
        for (int l = 0; l < LANES; l++) {
            bits[l] = from_double && values[l] != values[l] ? narrow_none(target, values[l])
                                                            : round_double(target, values[l], rounding, false);
            if (flushes && target == F32 && !(bits[l] & 0x7f800000))
                bits[l] &= 0x80000000;
        }
        float_written(warp, code, lanes, target, bits);
    }
}

/* ---- F2FP: two floats of 16 or 8 bits in a word ---- */

static bool prepare_f2fp(struct instruction *code)
{
    /* On 8.0 and 8.6 the source is always of 32 bits, and the destination is told where it is no F16. */
    if (MODIFIERS_READ(F16, F32, {"F16 BF16 F32 F64 E4M3 E5M2 TF32", F16, TYPES},
                       {"PACK_AB PACK_B MERGE_C PACK_AB_MERGE_C UNPACK_B UNPACK_B_MERGE_C", PACK_AB, PACKING},
                       {"RELU", 1, RELU}, {"SATFINITE", 1, FINITE}, {ROUNDINGS}) < 0)
        return false;
    const unsigned char to = code->flags[TO], from = code->flags[FROM];
    const bool to_half = to == F16 || to == BF16, to_byte = to == E4M3 || to == E5M2;
    switch ((enum packing)code->flags[PACKING]) {
    case PACK_AB:
    case MERGE_C:
        return from == F32 && to_half;
    case PACK_AB_MERGE_C:
        return from == F32 && to_byte;
    case PACK_B:
        return from == F32 && to == TF32;
    case UNPACK_B:
        return to == F16 && (from == E4M3 || from == E5M2);
    case UNPACK_B_MERGE_C:
        return from == F16 && to_byte;
    case NOT_PACKED:
        break;
    }
    return false;
}

/* Rounds values of an operand to the destination's format. */
static inline void rounded(uint32_t to[LANES], const float values[LANES], const struct instruction *code)
{
    const enum format format = code->flags[TO];
    const bool plain = code->flags[ROUNDING] == ROUND_NEAREST && !code->flags[FINITE];
    if (plain && format == F16)
        EACH_LANE to[l] = half_of_float(values[l]);
    else if (plain && format == BF16)
        EACH_LANE to[l] = bf16_of_float(values[l]);
    else
        for (int l = 0; l < LANES; l++)
            to[l] = (uint32_t)round_double(format, values[l], code->flags[ROUNDING], code->flags[FINITE]);
    if (code->flags[RELU])
        EACH_LANE to[l] = values[l] <= 0 ? 0 : to[l];
}

static inline void floats_read(float values[LANES], const struct warp *warp, const struct instruction *code, unsigned n)
{
    const uint32_t *row = ROW(n), keep = KEEP(n), flip = FLIP(n);
    EACH_LANE values[l] = to_float((row[l] & keep) ^ flip);
}

/* Reads both small floats of an operand. */
static inline void both_read(float low[LANES], float high[LANES], const struct warp *warp,
                             const struct instruction *code, unsigned n)
{
    const uint32_t *row = ROW(n);
    const unsigned shift = shift_of(&code->operands[n]);
    switch (code->flags[FROM]) {
    case E4M3:
        EACH_LANE low[l] = e4m3_to_float(row[l] >> shift);
        EACH_LANE high[l] = e4m3_to_float(row[l] >> shift >> 8);
        break;
    case E5M2:
        EACH_LANE low[l] = e5m2_to_float(row[l] >> shift);
        EACH_LANE high[l] = e5m2_to_float(row[l] >> shift >> 8);
        break;
    default:
        EACH_LANE low[l] = half_to_float(row[l]);
        EACH_LANE high[l] = half_to_float(row[l] >> 16);
    }
}

static void f2fp(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    float low[LANES] __attribute__((aligned(64))), high[LANES] __attribute__((aligned(64)));
    uint32_t below[LANES] __attribute__((aligned(64))), above[LANES] __attribute__((aligned(64)));
    const enum packing packing = code->flags[PACKING];
    if (packing == UNPACK_B || packing == UNPACK_B_MERGE_C) {
        both_read(low, high, warp, code, 1);
        rounded(below, low, code);
        rounded(above, high, code);
    } else if (packing == PACK_AB || packing == PACK_AB_MERGE_C) {
        floats_read(high, warp, code, 1);
        floats_read(low, warp, code, 2);
        rounded(below, low, code);
        rounded(above, high, code);
    } else {
        floats_read(low, warp, code, 1);
        rounded(below, low, code);
    }
    /* The value to be merged is in the lower half of the last operand. */
    const uint32_t *c = ROW(code->operand_count - 1);
    switch (packing) {
    case PACK_AB:
    case UNPACK_B:
        WRITE_LANES(ROW(0), lanes, below[l] | above[l] << 16);
        break;
    case PACK_AB_MERGE_C:
    case UNPACK_B_MERGE_C:
        WRITE_LANES(ROW(0), lanes, below[l] | above[l] << 8 | c[l] << 16);
        break;
    case MERGE_C:
        WRITE_LANES(ROW(0), lanes, below[l] | c[l] << 16);
        break;
    default:
        WRITE_LANES(ROW(0), lanes, below[l]);
    }
}

/* ---- FRND, F2I, F2IP: to integers ---- */

static inline void make_whole(double values[LANES], enum rounding rounding)
{
    switch (rounding) {
    case ROUND_NEAREST:
        EACH_LANE values[l] = rint(values[l]);
        break;
    case ROUND_ZERO:
        EACH_LANE values[l] = trunc(values[l]);
        break;
    case ROUND_DOWN:
        EACH_LANE values[l] = floor(values[l]);
        break;
    case ROUND_UP:
        EACH_LANE values[l] = ceil(values[l]);
        break;
    }
}

static bool prepare_to_integer(struct instruction *code)
{
    /* NTZ is not documented. It changes no result, so what it sets is not read. */
    return MODIFIERS_READ(S32, F32, {INTEGERS, TO}, {FLOATS, FROM}, {WHOLE_ROUNDINGS}, {FLUSHES}, {"NTZ", 0, RELU}) ==
           0;
}

static unsigned integer_bits(enum integer type)
{
    return type <= S8 ? 8 : type <= S16 ? 16 : type <= S32 ? 32 : 64;
}
static bool is_signed(enum integer type)
{
    return type == S8 || type == S16 || type == S32 || type == S64;
}

/* Converts whole numbers to integers of at most 32 bits. A number that does not fit becomes the nearest that does. A
 * smaller one keeps its sign in the whole register. */
static inline void saturated(uint32_t to[LANES], const double values[LANES], enum integer type, uint32_t nan)
{
    const unsigned bits = integer_bits(type);
    const double least = is_signed(type) ? -ldexp(1, (int)bits - 1) : 0;
    const double most = ldexp(1, (int)bits - is_signed(type)) - 1;
    /* Vector units convert to int32_t, so unsigned numbers are moved into its range. */
    const double offset = type == U32 ? 0x1p31 : 0;
    const uint32_t add = type == U32 ? 0x80000000u : 0,
                   keep = bits < 32 && !is_signed(type) ? (1u << bits) - 1 : ALL_LANES;
    EACH_LANE
    {
        const double value = values[l], high = value < most ? value : most, inside = high > least ? high : least;
        const uint32_t word = ((uint32_t)(int32_t)(inside - offset) + add) & keep;
        to[l] = value == value ? word : nan;
    }
}

static inline uint64_t saturated_wide(double value, bool with_sign)
{
    const uint64_t sign = UINT64_C(1) << 63;
    if (value != value)
        return sign;
    if (with_sign)
        return value >= 0x1p63 ? sign - 1 : value < -0x1p63 ? sign : (uint64_t)(int64_t)value;
    return value >= 0x1p64 ? UINT64_MAX : value <= 0 ? 0 : (uint64_t)value;
}

static void f2i(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    const enum integer target = code->flags[TO];
    const enum format from = code->flags[FROM];
    double values[LANES] __attribute__((aligned(64)));
    doubles_read(values, warp, code, 1, from, code->flags[FLUSH]);
    make_whole(values, code->flags[ROUNDING]);
    if (integer_bits(target) == 64) {
        const bool with_sign = is_signed(target);
        WRITE_WIDE(ROW(0), HIGH(0), lanes, saturated_wide(values[l], with_sign));
    } else {
        /* The rule for NaN is that of `cvt` in the PTX manual: it becomes 0, but with 64 bits on either side only the
         * highest bit is set. */
        uint32_t integers_out[LANES] __attribute__((aligned(64)));
        saturated(integers_out, values, target, from == F64 ? 1u << (integer_bits(target) - 1) : 0);
        /* An H200 was seen to keep a small number with its sign in a register. */
        const unsigned unused = is_signed(target) ? 32 - integer_bits(target) : 0;
        WRITE_LANES(ROW(0), lanes, (uint32_t)((int32_t)(integers_out[l] << unused) >> unused));
    }
}

PREPARE(f2ip, prepare_to_integer(code) && (code->flags[TO] == U8 || code->flags[TO] == S8) && code->flags[FROM] == F32)

/* Converts two floats to bytes, and puts them below the lower half of c. */
static void f2ip(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    double values[2][LANES] __attribute__((aligned(64)));
    uint32_t bytes[2][LANES] __attribute__((aligned(64)));
    for (unsigned n = 0; n < 2; n++) {
        doubles_read(values[n], warp, code, 1 + n, F32, code->flags[FLUSH]);
        make_whole(values[n], code->flags[ROUNDING]);
        saturated(bytes[n], values[n], code->flags[TO], 0);
    }
    const uint32_t *c = ROW(3);
    WRITE_LANES(ROW(0), lanes, (bytes[1][l] & 0xff) | (bytes[0][l] & 0xff) << 8 | c[l] << 16);
}

PREPARE(frnd, MODIFIERS_READ(0, F32, {FLOATS, FROM}, {WHOLE_ROUNDINGS}, {FLUSHES}) == 0)

static void frnd(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    double values[LANES] __attribute__((aligned(64)));
    const enum format format = code->flags[FROM];
    doubles_read(values, warp, code, 1, format, code->flags[FLUSH]);
    make_whole(values, code->flags[ROUNDING]);
    switch (format) {
    case F64:
        WRITE_WIDE(ROW(0), HIGH(0), lanes, of_double(values[l]));
        break;
    case F16:
        WRITE_LANES(ROW(0), lanes, half_of_float((float)values[l]));
        break;
    case BF16:
        WRITE_LANES(ROW(0), lanes, bf16_of_float((float)values[l]));
        break;
    default:
        WRITE_LANES(ROW(0), lanes, of_float_canonical((float)values[l]));
    }
}

/* ---- I2F, I2FP, I2IP: from integers ---- */

PREPARE(from_integer, MODIFIERS_READ(F32, S32, {INTEGERS, FROM}, {FLOATS, TO}, {ROUNDINGS}) == 0)

/* Reads an operand of at most 32 bits, extended to 32. */
static inline void words_read(uint32_t words[LANES], const struct warp *warp, const struct instruction *code,
                              unsigned n, enum integer type)
{
    const struct operand *operand = &code->operands[n];
    const uint32_t *row = ROW(n);
    const unsigned unused = 32 - integer_bits(type);
    const unsigned shift = shift_of(operand);
    if (is_signed(type))
        EACH_LANE words[l] = (uint32_t)((int32_t)(row[l] >> shift << unused) >> unused);
    else
        EACH_LANE words[l] = row[l] >> shift << unused >> unused;
    if (operand->absolute)
        EACH_LANE words[l] = words[l] >> 31 ? 0u - words[l] : words[l];
    if (operand->negate)
        EACH_LANE words[l] = 0u - words[l];
}

/* Moves a float that is near a double, but not equal to it, to the other side if the rounding wants that. */
static inline uint32_t directed(double value, enum rounding rounding)
{
    const float near = (float)value;
    const double back = (double)near;
    const uint32_t bits = of_float(near), negative = bits >> 31;
    const uint32_t too_low = back < value && (rounding == ROUND_UP || (rounding == ROUND_ZERO && negative));
    const uint32_t too_high = back > value && (rounding == ROUND_DOWN || (rounding == ROUND_ZERO && !negative));
    const uint32_t outwards = negative ? too_high : too_low, inwards = negative ? too_low : too_high;
    return bits + outwards - inwards;
}

static void i2f_wide(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    const uint32_t *low = ROW(1), *high = HIGH(1);
    const enum format target = code->flags[TO];
    uint64_t bits[LANES];
    for (int l = 0; l < LANES; l++) {
        const uint64_t value = wide(low[l], high[l]);
        const bool negative = (value >> 63 && code->flags[FROM] == S64) != code->operands[1].negate;
        const uint64_t magnitude = value >> 63 && code->flags[FROM] == S64 ? 0u - value : value;
        bits[l] = round_to(target, negative && magnitude, magnitude, 0, code->flags[ROUNDING], false);
    }
    float_written(warp, code, lanes, target, bits);
}

static void i2f(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    const enum integer from = code->flags[FROM];
    const enum format target = code->flags[TO];
    const enum rounding rounding = code->flags[ROUNDING];
    if (integer_bits(from) == 64) {
        i2f_wide(warp, code, lanes);
        return;
    }
    uint32_t words[LANES] __attribute__((aligned(64)));
    words_read(words, warp, code, 1, from);
    if (target == F32 && rounding == ROUND_NEAREST) {
        if (from == U32)
            WRITE_LANES(ROW(0), lanes, of_float((float)words[l]));
        else
            WRITE_LANES(ROW(0), lanes, of_float((float)(int32_t)words[l]));
        return;
    }
    double values[LANES] __attribute__((aligned(64)));
    if (from == U32)
        EACH_LANE values[l] = (double)words[l];
    else
        EACH_LANE values[l] = (double)(int32_t)words[l];
    if (target == F64) {
        WRITE_WIDE(ROW(0), HIGH(0), lanes, of_double(values[l]));
    } else if (target == F32) {
        WRITE_LANES(ROW(0), lanes, directed(values[l], rounding));
    } else {
        for (int l = 0; l < LANES; l++)
            words[l] = (uint32_t)round_double(target, values[l], rounding, false);
        WRITE_LANES(ROW(0), lanes, words[l]);
    }
}

/* ---- I2I, I2IP: integers to narrower ones, saturated ---- */

PREPARE(narrow, MODIFIERS_READ(0, 0, {INTEGERS, TYPES}, {"SAT", 1, FINITE}) == 2 && code->flags[FINITE] &&
                    code->flags[FROM] == S32 && integer_bits(code->flags[TO]) <= 16)

/* Reads an S32 operand, saturated. */
static inline void narrowed(uint32_t to[LANES], const struct warp *warp, const struct instruction *code, unsigned n)
{
    const enum integer type = code->flags[TO];
    const unsigned bits = integer_bits(type) == 8 ? 8 : 16;
    const int32_t most = (1 << (bits - is_signed(type))) - 1, least = is_signed(type) ? -most - 1 : 0;
    const uint32_t keep = (1u << bits) - 1;
    words_read(to, warp, code, n, S32);
    EACH_LANE
    {
        const int32_t value = (int32_t)to[l], high = value < most ? value : most;
        to[l] = (uint32_t)(high > least ? high : least) & keep;
    }
}

static void i2i(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    uint32_t words[LANES] __attribute__((aligned(64)));
    narrowed(words, warp, code, 1);
    WRITE_LANES(ROW(0), lanes, words[l]);
}

static void i2ip(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    uint32_t above[LANES] __attribute__((aligned(64))), below[LANES] __attribute__((aligned(64)));
    narrowed(above, warp, code, 1);
    narrowed(below, warp, code, 2);
    const uint32_t *c = ROW(3);
    if (integer_bits(code->flags[TO]) == 16)
        WRITE_LANES(ROW(0), lanes, below[l] | above[l] << 16);
    else
        WRITE_LANES(ROW(0), lanes, below[l] | above[l] << 8 | c[l] << 16);
}

/* clang-format off */
const struct opcode TABLE(lanes_convert)[] = {
    {"F2F",  f2f,  RULE_CONVERT, prepare_f2f,          "d", NULL},
    {"F2FP", f2fp, RULE_CONVERT, prepare_f2fp,         "d", NULL},
    {"F2I",  f2i,  RULE_CONVERT, prepare_to_integer,   "d", NULL},
    {"F2IP", f2ip, RULE_CONVERT, prepare_f2ip,         "d", NULL},
    {"FRND", frnd, RULE_CONVERT, prepare_frnd,         "d", NULL},
    {"I2F",  i2f,  RULE_CONVERT, prepare_from_integer, "d", NULL},
    {"I2FP", i2f,  RULE_CONVERT, prepare_from_integer, "d", NULL},
    {"I2I",  i2i,  RULE_CONVERT, prepare_narrow,       "d", NULL},
    {"I2IP", i2ip, RULE_CONVERT, prepare_narrow,       "d", NULL},
    {NULL, NULL, CONTROL_NEXT, NULL, NULL, NULL},
};
/* clang-format on */
