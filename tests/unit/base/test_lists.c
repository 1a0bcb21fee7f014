#include "base/base.h"

#include <criterion/criterion.h>
#include <stdlib.h>

Test(lists, equal_elements_have_the_place_of_the_first)
{
    static const char *const texts[] = {"b", "a", "b", "c", "a", "b"};
    static const size_t expected[] = {0, 1, 0, 3, 1, 0};
    size_t *first = first_of_equals(texts, ROWS(texts), sizeof *texts, by_text);
    cr_expect_arr_eq(first, expected, sizeof expected);
    free(first);
    free(first_of_equals(NULL, 0, sizeof *texts, by_text));
}

/* Sorting takes some 300,000 comparisons, each with each 200 million. */
static int by_counted_number(const void *left, const void *right)
{
    static size_t comparisons;
    const int *a = left, *b = right;
    cr_assert_lt(comparisons++, 2000000u);
    return (*a > *b) - (*a < *b);
}

Test(lists, long_lists_are_not_compared_pair_by_pair)
{
    static int numbers[20000];
    for (size_t i = 0; i < ROWS(numbers); i++)
        numbers[i] = (int)(i * 7919 % 10000);
    size_t *first = first_of_equals(numbers, ROWS(numbers), sizeof *numbers, by_counted_number);
    for (size_t i = 0; i < ROWS(numbers); i++)
        cr_assert_eq(first[i], i % 10000);
    free(first);
}
