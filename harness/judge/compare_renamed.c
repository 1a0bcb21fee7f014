/* Which kernel a missing one has become, as far as its machine code tells. */
#include "compare_parts.h"

#include <stdlib.h>

static int by_code(const void *left, const void *right)
{
    return order_of_code(*(const struct result *const *)left, *(const struct result *const *)right);
}

/* Appends the kernels of a run that the other lacks. */
static void add_alone(const struct result ***list, size_t *count, const struct run *run, const struct run *other)
{
    for (size_t i = 0; i < run->result_count; i++)
        if (!run_find(other, run->results[i].id))
            *ARRAY_ADD(*list, *count) = &run->results[i];
}

const struct result **find_renamed(const struct sides *sides)
{
    const struct result **renamed = x_calloc(sides->baseline->result_count, sizeof *renamed), **alone = NULL;
    size_t count = 0;
    add_alone(&alone, &count, sides->run, sides->baseline);
    const size_t new_count = count; /* before the missing ones, so that the first of equals is one of them */
    add_alone(&alone, &count, sides->baseline, sides->run);
    size_t *first = first_of_equals(alone, count, sizeof *alone, by_code);
    for (size_t i = new_count; i < count; i++)
        if (first[i] < new_count && same_code(alone[i], alone[first[i]]))
            renamed[alone[i] - sides->baseline->results] = alone[first[i]];
    free(first);
    free(alone);
    return renamed;
}
