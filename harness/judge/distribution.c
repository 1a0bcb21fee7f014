#include "distribution.h"

#include <float.h>
#include <math.h>

enum { TERMS_MAX = 10000, STEPS_MAX = 200 };

/* Returns the continued fraction 1/(1 + d1/(1 + d2/(1 + ...))) of the incomplete beta function (DLMF 8.17.22), from its
 * front, by the method of Lentz: of 1 plus that, since the method takes a first term. */
static double beta_fraction(double x, double a, double b)
{
    double value = 1, above = 1, below = 0;
    for (int i = 0; i < TERMS_MAX; i++) {
        const double m = i / 2; /* NOLINT(bugprone-integer-division): it is whole */
        const double d = i == 0       ? 1
                         : i % 2 == 1 ? -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
                                      : m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        below = 1 / fmax(1 + d * below, DBL_MIN);
        above = fmax(1 + d / above, DBL_MIN);
        value *= above * below;
        if (i > 0 && fabs(above * below - 1) < DBL_EPSILON)
            break;
    }
    return value - 1;
}

/* Returns the regularized incomplete beta function I_x(a, b); 1 - x is given too, since it may be all that matters. */
static double beta(double x, double rest, double a, double b)
{
    if (x <= 0 || rest <= 0)
        return x <= 0 ? 0 : 1;
    const double factor = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log(rest));
    return x < (a + 1) / (a + b + 2) ? factor * beta_fraction(x, a, b) / a : 1 - factor * beta_fraction(rest, b, a) / b;
}

double student_above(double t, double freedom)
{
    const double square = t * t,
                 half = beta(freedom / (freedom + square), square / (freedom + square), freedom / 2, 0.5) / 2;
    return t < 0 ? 1 - half : half;
}

static double student_density(double t, double freedom)
{
    return exp(lgamma((freedom + 1) / 2) - lgamma(freedom / 2) - (freedom + 1) / 2 * log1p(t * t / freedom)) /
           sqrt(freedom * M_PI);
}

/* By Newton's steps, each within the bounds that are known, and else by halves. */
double student_quantile(double above, double freedom)
{
    double low = 0, high = 1;
    while (student_above(high, freedom) > above && isfinite(high)) {
        low = high;
        high *= 2;
    }
    double t = (low + high) / 2;
    for (int i = 0; i < STEPS_MAX; i++) {
        const double off = student_above(t, freedom) - above;
        *(off > 0 ? &low : &high) = t;
        double next = t + off / student_density(t, freedom);
        if (!(next > low && next < high))
            next = (low + high) / 2;
        if (fabs(next - t) <= 2 * DBL_EPSILON * t)
            return next;
        t = next;
    }
    return t;
}

double heads_at_least(size_t least, size_t tosses)
{
    const double n = (double)tosses;
    double sum = 0;
    for (size_t k = tosses; k + 1 > least; k--) {
        sum += exp(lgamma(n + 1) - lgamma((double)k + 1) - lgamma(n - (double)k + 1) - n * M_LN2);
        if (k == 0)
            break;
    }
    return fmin(sum, 1);
}

double deviation_about(const double *values, size_t count, double mean)
{
    double squares = 0;
    for (size_t i = 0; i < count; i++)
        squares += (values[i] - mean) * (values[i] - mean);
    return sqrt(squares / ((double)count - 1));
}
