#include "test.h"

DO(count_one(void *data, size_t i), ((unsigned *)data)[i] += (unsigned)i + 1);

Test(parallel, each_is_worked_on_once)
{
    static const size_t counts[] = {0, 1, 2, PARALLEL_MAX, 1000};
    for (size_t c = 0; c < ARRAY_SIZE(counts); c++) {
        OWNED_MEMORY unsigned *numbers = x_calloc(counts[c], sizeof *numbers);
        in_parallel(counts[c], count_one, numbers);
        for (size_t i = 0; i < counts[c]; i++)
            cr_expect_eq(numbers[i], i + 1, "%zu of %zu", i, counts[c]);
    }
    cr_expect_geq(processor_count(), 1);
}
