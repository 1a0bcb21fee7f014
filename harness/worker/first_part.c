#include "first_part.h"

/* Kernels that are launched in a row, none of them new, before a program is said to repeat. */
enum { STRETCH_MIN = 64 };

void stretches_end(struct stretches *stretches)
{
    if (stretches->launched - stretches->since > stretches->longest) {
        stretches->longest = stretches->launched - stretches->since;
        stretches->longest_since = stretches->since;
    }
}

/* A group is new at its first launch. */
void stretches_add(struct stretches *stretches, size_t *last, size_t kernels)
{
    const bool is_new = *last == 0;
    if (is_new)
        stretches_end(stretches);
    stretches->launched += kernels;
    *last = stretches->launched;
    if (is_new)
        stretches->since = stretches->launched;
}

bool stretches_are_behind(const struct stretches *stretches, size_t last)
{
    return stretches->longest >= STRETCH_MIN && last > 0 && last <= stretches->longest_since;
}
