#include "numbers.h"

#include "error.h"
#include "lists.h"

#include <math.h>
#include <time.h>

/* Rounds a number of a middling size to 9 digits. It computes a whole number below 10^9 and divides it by a power of
 * ten. A double holds both exactly, so the quotient is the double nearest to the decimal. Returns NAN where that is not
 * certain: outside 10^-13 to 10^8, and so near to a tie that the multiplication's error matters. */
static double round_middling(double value)
{
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10,
                                    1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21};
    const int place = 8 - (int)floor(log10(fabs(value)));
    if (place < 0 || place >= (int)ARRAY_SIZE(powers))
        return NAN;
    const double scaled = fabs(value) * powers[place], whole = rint(scaled);
    if (whole < 1e8 || whole > 1e9 || fabs(scaled - whole) > 0.5 - 1e-6)
        return NAN;
    return copysign(whole / powers[place], value);
}

double round_value(double value)
{
    if (!isfinite(value) || (fabs(value) < 0x1p53 && rint(value) == value))
        return value;
    const double middling = round_middling(value);
    if (!isnan(middling))
        return middling;
    char text[32];
    snprintf(text, sizeof text, "%.9g", value);
    return strtod(text, NULL);
}

ORDER_OF(by_value, double)

/* Sorts by insertion, which for five values takes a fifth of qsort's time. */
static void sort_few(double *sorted, const double *values, size_t count)
{
    for (size_t i = 0, place; i < count; i++) {
        for (place = i; place > 0 && sorted[place - 1] > values[i]; place--)
            sorted[place] = sorted[place - 1];
        sorted[place] = values[i];
    }
}

double median(const double *values, size_t count)
{
    if (count == 0)
        BUG("the median of no values");
    if (count == 1) /* fast path: each session of a baseline has one sample */
        return values[0];
    double few[16]; /* space for as many samples as a session usually has, so nothing is allocated */
    double *sorted = count <= ARRAY_SIZE(few) ? few : x_calloc(count, sizeof *sorted);
    if (sorted == few)
        sort_few(sorted, values, count);
    else
        qsort(memcpy(sorted, values, count * sizeof *sorted), count, sizeof *sorted, by_value);
    double high = sorted[count / 2];
    double low = sorted[(count - 1) / 2];
    if (sorted != few)
        free(sorted);
    /* The values are halved first, because the sum of two large ones may be infinite. */
    return low == high ? high : low / 2 + high / 2;
}

double now_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

const char *group_digits(double whole, char *text, size_t size)
{
    char digits[320]; /* the largest double has 309 digits before the point */
    int count = snprintf(digits, sizeof digits, "%.0f", whole);
    size_t used = 0;
    for (int i = 0; i < count && used + 2 < size; i++) {
        if (i > 0 && (count - i) % 3 == 0)
            text[used++] = ',';
        text[used++] = digits[i];
    }
    text[used] = '\0';
    return text;
}

const char *plural_of(size_t count, const char *one, const char *more)
{
    return count == 1 ? one : more;
}

const char *plural(size_t count)
{
    return plural_of(count, "", "s");
}
