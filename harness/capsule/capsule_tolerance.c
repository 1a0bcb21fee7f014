/* Tells results that differ in their last bits from wrong ones. The rule is in capsule.h. */
#include "capsule.h"

#include <float.h>

const size_t value_sizes[] = {[VALUE_F16] = 2, [VALUE_BF16] = 2, [VALUE_F32] = 4, [VALUE_F64] = 8};

/* Returns the value of IEEE half precision with these bits. */
static double half_value(uint16_t bits)
{
    const int exponent = bits >> 10 & 31, fraction = bits & 1023;
    double value;
    if (exponent == 31)
        value = fraction ? NAN : INFINITY;
    else
        value = exponent ? ldexp(fraction + 1024, exponent - 25) : ldexp(fraction, -24);
    return bits >> 15 ? -value : value;
}

static double value_at(enum value_type type, const unsigned char *bytes)
{
    uint16_t half;
    uint32_t word;
    float single;
    double value;
    switch (type) {
    case VALUE_F16:
        memcpy(&half, bytes, sizeof half);
        return half_value(half);
    case VALUE_BF16: /* the upper half of single precision */
        memcpy(&half, bytes, sizeof half);
        word = (uint32_t)half << 16;
        memcpy(&single, &word, sizeof single);
        return (double)single;
    case VALUE_F32:
        memcpy(&single, bytes, sizeof single);
        return (double)single;
    case VALUE_F64:
        break;
    }
    memcpy(&value, bytes, sizeof value);
    return value;
}

enum overflow value_overflow(enum value_type type, const unsigned char *bytes)
{
    enum { NEAR = 4 };
    static const double largest[] = {
        [VALUE_F16] = 65504, [VALUE_BF16] = 0x1.FEp127, [VALUE_F32] = FLT_MAX, [VALUE_F64] = DBL_MAX};
    const double value = value_at(type, bytes);
    if (fabs(value) < largest[type] / NEAR)
        return OVERFLOW_NONE;
    return isnan(value) ? OVERFLOW_NAN : value > 0 ? OVERFLOW_ABOVE : OVERFLOW_BELOW;
}

ORDER_OF(compare_numbers, double)

/* Returns the largest magnitude of what the launch changes in a span, but for those that are far from all others; 0
 * where all of that is as it was before. */
static double magnitude(enum value_type type, const unsigned char *before, const unsigned char *expected,
                        const unsigned char *actual, size_t size)
{
    double found[TOLERANCE_SPAN / 2];
    size_t count = 0;
    bool changed = false;
    for (size_t at = 0; at + value_sizes[type] <= size; at += value_sizes[type]) {
        const double value = fabs(value_at(type, expected + at));
        if (memcmp(before + at, expected + at, value_sizes[type]) == 0)
            continue;
        changed |= memcmp(before + at, actual + at, value_sizes[type]) != 0;
        if (isfinite(value) && value > 0)
            found[count++] = value;
    }
    if (!changed || count == 0)
        return 0;
    SORT(found, count, compare_numbers);
    const double far = TOLERANCE_FAR * found[(count - 1) / 2];
    while (found[count - 1] > far)
        count--;
    return found[count - 1];
}

/* Whether the bits are those of a NaN that arithmetic makes: of its fraction the first bit is set, or all are. Others
 * are what a negative integer looks like, such as -2. */
static bool is_usual_nan(enum value_type type, const unsigned char *bytes)
{
    static const unsigned fraction_bits[] = {[VALUE_F16] = 10, [VALUE_BF16] = 7, [VALUE_F32] = 23, [VALUE_F64] = 52};
    uint64_t bits = 0;
    memcpy(&bits, bytes, value_sizes[type]);
    const uint64_t all = (UINT64_C(1) << fraction_bits[type]) - 1, fraction = bits & all;
    return isnan(value_at(type, bytes)) && (fraction == all || fraction == (all + 1) / 2);
}

/* Returns the unit in the last place of a value. */
static double last_place(enum value_type type, double value)
{
    static const struct {
        int fraction, least; /* bits, and the exponent of the smallest normal number */
    } formats[] = {
        [VALUE_F16] = {10, -14}, [VALUE_BF16] = {7, -126}, [VALUE_F32] = {23, -126}, [VALUE_F64] = {52, -1022}};
    const int exponent = value == 0 ? formats[type].least : ilogb(value);
    return ldexp(1, (exponent > formats[type].least ? exponent : formats[type].least) - formats[type].fraction);
}

static void count_within(struct tolerance *tolerance, const unsigned char *expected, double off, double magnitude)
{
    const double value = value_at(tolerance->type, expected), ulps = off / last_place(tolerance->type, value);
    if (!(off > 0)) /* infinities, and NaNs of other bits */
        return;
    tolerance->within++;
    tolerance->off = fmax(tolerance->off, off / magnitude);
    if (value == 0)
        return;
    tolerance->counted++;
    tolerance->ulps = fmax(tolerance->ulps, ulps);
    tolerance->squares += ulps * ulps;
}

/* Returns how far two values are from each other; INFINITY when they are not both numbers. */
static double distance(enum value_type type, const unsigned char *of_expected, const unsigned char *of_actual)
{
    const double expected = value_at(type, of_expected), actual = value_at(type, of_actual);
    if (is_usual_nan(type, of_expected) && is_usual_nan(type, of_actual))
        return 0;
    return isfinite(expected) && isfinite(actual) ? fabs(actual - expected) : INFINITY;
}

/* Writes a power of 2 as a value of a type, as near as it has one. */
static void put_power(enum value_type type, unsigned char *bytes, int power)
{
    const int half = power < -24 ? -24 : power > 15 ? 15 : power;
    const uint16_t bits = (uint16_t)(half < -14 ? 1 << (half + 24) : (half + 15) << 10);
    const double value = ldexp(1, power < 1023 ? power : 1023);
    const float single = power > 126 ? 0x1p126F : (float)value;
    if (type == VALUE_F16)
        memcpy(bytes, &bits, sizeof bits);
    else if (type == VALUE_F64)
        memcpy(bytes, &value, sizeof value);
    else
        memcpy(bytes, (const unsigned char *)&single + sizeof single - value_sizes[type], value_sizes[type]);
}

bool tolerance_allow(enum value_type type, unsigned char *allowed, const unsigned char *expected,
                     const unsigned char *near, const unsigned char *far)
{
    const double most = distance(type, expected, far);
    if (isinf(most) || most <= value_at(type, allowed) || distance(type, expected, near) > most / 2)
        return false;
    put_power(type, allowed, ilogb(most) + 1);
    return true;
}

bool holds_integers(enum value_type type, const unsigned char *before, const unsigned char *expected, size_t size)
{
    size_t found = 0;
    for (size_t at = 0; at + sizeof(int32_t) <= size; at += sizeof(int32_t)) {
        int32_t word;
        memcpy(&word, expected + at, sizeof word);
        if (word == 0 || memcmp(before + at, expected + at, sizeof word) == 0 ||
            isinf(value_at(VALUE_F32, expected + at)) || is_usual_nan(VALUE_F32, expected + at))
            continue;
        if (word >= INTEGER_MOST || word <= -INTEGER_MOST)
            return false;
        found++;
    }
    return found >= (value_sizes[type] < sizeof(int32_t) ? INTEGER_WORDS : 1);
}

static void count_integers(struct tolerance *tolerance, const unsigned char *expected, const unsigned char *actual,
                           size_t size)
{
    for (size_t at = 0; at + sizeof(int32_t) <= size; at += sizeof(int32_t))
        tolerance->integers += memcmp(expected + at, actual + at, sizeof(int32_t)) != 0;
}

static void tolerate_span(struct tolerance *tolerance, const unsigned char *before, unsigned char *expected,
                          const unsigned char *actual, size_t size)
{
    /* Less than the least normal number may be 0; halves are too near to that. */
    static const double flushed[] = {[VALUE_BF16] = FLT_MIN, [VALUE_F32] = FLT_MIN, [VALUE_F64] = DBL_MIN};
    const size_t step = value_sizes[tolerance->type];
    if (tolerance->exact || holds_integers(tolerance->type, before, expected, size)) {
        count_integers(tolerance, expected, actual, size);
        return;
    }
    const double largest = magnitude(tolerance->type, before, expected, actual, size);
    for (size_t at = 0; at + step <= size; at += step) {
        if (memcmp(expected + at, actual + at, step) == 0)
            continue;
        const double off = distance(tolerance->type, expected + at, actual + at);
        const double own = fabs(value_at(tolerance->type, expected + at));
        const double beside = isfinite(own) && own > largest && largest > 0 ? own : largest;
        if (off <= fmax(tolerance->most * beside, largest > 0 ? flushed[tolerance->type] : 0)) {
            count_within(tolerance, expected + at, off, beside);
            memcpy(expected + at, actual + at, step);
            continue;
        }
        if (tolerance->allowed && off <= value_at(tolerance->type, tolerance->allowed + at)) {
            memcpy(expected + at, actual + at, step);
            continue;
        }
        tolerance->beyond++;
        if (off > tolerance->largest)
            tolerance->largest = off;
    }
}

void tolerate(struct tolerance *tolerance, const unsigned char *before, unsigned char *expected,
              const unsigned char *actual, size_t size)
{
    for (size_t at = 0; at < size; at += TOLERANCE_SPAN) {
        const size_t left = size - at < TOLERANCE_SPAN ? size - at : TOLERANCE_SPAN;
        if (memcmp(expected + at, actual + at, left) != 0)
            tolerate_span(tolerance, before + at, expected + at, actual + at, left);
    }
}
