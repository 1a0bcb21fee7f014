/* What differs between two contents of an array, and between orders in the memory of the GPU. */
#include "sim/outcomes.h"

#include "base/base.h"
#include "sim/device_memory.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

Test(outcomes, bytes_that_differ)
{
    unsigned char a[8192] = {0}, b[8192] = {0};
    struct difference found = outcome_difference(a, b, sizeof a);
    cr_expect_eq(found.bytes, 0);
    cr_expect_not(found.rounding);
    b[4099] = 1;
    b[8191] = 7;
    found = outcome_difference(a, b, sizeof a);
    cr_expect_eq(found.bytes, 2);
    cr_expect_eq(found.first, 4099);
    cr_expect_not(found.rounding);
}

Test(outcomes, sums_in_another_order_differ_in_last_bits)
{
    const float floats[] = {1.0f, 100.0f}, sums[] = {1.0000001f, 100.00001f}, others[] = {1.0f, 101.0f};
    cr_expect(outcome_difference((const unsigned char *)floats, (const unsigned char *)sums, sizeof floats).rounding);
    cr_expect_not(
        outcome_difference((const unsigned char *)floats, (const unsigned char *)others, sizeof floats).rounding);
    const double doubles[] = {1.0, -3.0}, more[] = {1.0 + 1e-15, -3.0 + 1e-15};
    cr_expect(outcome_difference((const unsigned char *)doubles, (const unsigned char *)more, sizeof doubles).rounding);
    const unsigned counts[] = {1000000, 5}, tickets[] = {1000001, 5};
    cr_expect_not(
        outcome_difference((const unsigned char *)counts, (const unsigned char *)tickets, sizeof counts).rounding);
}

Test(outcomes, memory_of_the_gpu)
{
    unsigned char *first = device_allocate(100), *second = device_allocate(5000);
    memset(first, 1, 100);
    memset(second, 2, 5000);
    outcomes_keep();
    char *words = outcomes_compare();
    cr_expect_null(words);
    second[4000] = second[4001] = 9;
    words = outcomes_compare();
    char *wanted = x_sprintf("2 of 5000 bytes of the allocation at 0x%llx, from byte 4000 on",
                             (unsigned long long)(uintptr_t)second);
    cr_expect_str_eq(words, wanted);
    free(words);
    free(wanted);
    /* What is freed, or new, is not compared. */
    device_free(second);
    words = outcomes_compare();
    cr_expect_null(words);
    outcomes_forget();
    device_free(first);
}
