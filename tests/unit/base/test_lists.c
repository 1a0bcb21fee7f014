#include "test.h"

Test(lists, equal_elements_have_the_place_of_the_first)
{
    static const char *const texts[] = {"b", "a", "b", "c", "a", "b"};
    static const size_t expected[] = {0, 1, 0, 3, 1, 0};
    OWNED_MEMORY size_t *first = first_of_equals(texts, ARRAY_SIZE(texts), sizeof *texts, by_text);
    cr_expect_arr_eq(first, expected, sizeof expected);
    free(first_of_equals(NULL, 0, sizeof *texts, by_text));
}

Test(lists, a_name_has_its_place)
{
    static const struct {
        const char *name;
        int number;
    } list[] = {{"b", 1}, {"d", 2}, {"d", 3}, {"f", 4}};
    static const struct {
        const char *name;
        size_t place;
    } rows[] = {{"a", 0}, {"b", 0}, {"c", 1}, {"d", 1}, {"e", 3}, {"f", 3}, {"g", 4}};
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        cr_expect_eq(place_of_name(list, ARRAY_SIZE(list), sizeof *list, rows[i].name), rows[i].place, "%s",
                     rows[i].name);
    cr_expect_eq(place_of_name(NULL, 0, sizeof *list, "a"), 0);
}

Test(lists, sorting_is_by_name_whatever_the_order_was)
{
    static const char *const orders[] = {"abcd", "abdc", "dcba", "bacd", "aab", "a", ""};
    for (size_t i = 0; i < ARRAY_SIZE(orders); i++) {
        char texts[4][2] = {{0}};
        const char *list[4];
        const size_t count = strlen(orders[i]);
        for (size_t k = 0; k < count; k++) {
            texts[k][0] = orders[i][k];
            list[k] = texts[k];
        }
        sort_by_name(list, count, sizeof *list);
        for (size_t k = 1; k < count; k++)
            cr_expect_leq(strcmp(list[k - 1], list[k]), 0, "%s", orders[i]);
    }
    sort_by_name(NULL, 0, sizeof(char *));
}

Test(lists, what_is_not_known_comes_first)
{
    cr_expect_lt(order_of_texts(NULL, ""), 0);
    cr_expect_gt(order_of_texts("", NULL), 0);
    cr_expect_eq(order_of_texts(NULL, NULL), 0);
    cr_expect_lt(order_of_texts("a", "b"), 0);
    cr_expect_eq(order_of_texts("a", "a"), 0);
}

/* Counts comparisons: sorting needs some 300,000, comparing each pair 200 million. */
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
    for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
        numbers[i] = (int)(i * 7919 % 10000);
    OWNED_MEMORY size_t *first = first_of_equals(numbers, ARRAY_SIZE(numbers), sizeof *numbers, by_counted_number);
    for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
        cr_assert_eq(first[i], i % 10000);
}
