#include "numbers.h"

#include "error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

double round_value(double value)
{
    if (!isfinite(value) || (fabs(value) < 0x1p53 && rint(value) == value))
        return value;
    char text[32];
    snprintf(text, sizeof text, "%.9g", value);
    return strtod(text, NULL);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

double median(const double *values, size_t count)
{
    if (count == 0)
        BUG("median of nothing");
    if (count == 1) /* each session of a baseline */
        return values[0];
    double few[16]; /* as many as a session has: no memory to ask for */
    double *sorted = count <= ARRAY_SIZE(few) ? few : x_calloc(count, sizeof *sorted);
    memcpy(sorted, values, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, by_value);
    double high = sorted[count / 2];
    double low = sorted[(count - 1) / 2];
    if (sorted != few)
        free(sorted);
    /* Halved first: the sum of two large values may be infinite. */
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
    char digits[320]; /* the largest double has 309 */
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
