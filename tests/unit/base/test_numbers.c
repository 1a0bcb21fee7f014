#include "test.h"

Test(numbers, a_large_number_has_all_its_digits)
{
    char all[512];
    cr_expect_eq(strlen(group_digits(1e308, all, sizeof all)), 309 + 102);
}

static void expect_groups(const char *where, const char *text, const char *groups)
{
    char digits[17];
    cr_expect_str_eq(group_digits(strtod(text, NULL), digits, sizeof digits), groups, "%s", where);
}

TEXTS(numbers, digits_are_grouped_by_threes, "tests/unit/base/numbers.txt#groups", expect_groups)

static void expect_median(const char *where, const char *text, const char *middle)
{
    double values[5], kept[5];
    size_t count = 0;
    while (*text)
        kept[count] = values[count] = leading_number(&text), count++;
    cr_expect_eq(median(values, count), strtod(middle, NULL), "%s", where);
    cr_expect_arr_eq(values, kept, count * sizeof *values, "%s: the caller's order was changed", where);
}

TEXTS(numbers, median_takes_the_middle, "tests/unit/base/numbers.txt#medians", expect_median)

/* Rounding gives what printing with 9 digits gives: for random bits, ties, and neighbours of powers of ten. */
Test(numbers, round_value_gives_what_is_printed)
{
    double values[4];
    uint64_t bits = 1;
    for (int i = 0; i < 100000; i++) {
        bits = bits * 6364136223846793005u + 1442695040888963407u;
        memcpy(&values[0], &bits, sizeof bits);
        values[1] = (double)(bits >> 40) / (double)(1 + (bits & 0xffffff));
        values[2] = ((double)(bits % 1000000000) + 0.5) / pow(10, (double)(bits >> 60));
        values[3] = nextafter(pow(10, i % 40 - 20), i % 3 - 1);
        for (size_t k = 0; k < ARRAY_SIZE(values); k++) {
            char text[32];
            snprintf(text, sizeof text, "%.9g", values[k]);
            if (isfinite(values[k]) && (fabs(values[k]) >= 0x1p53 || rint(values[k]) != values[k]))
                cr_assert_eq(round_value(values[k]), strtod(text, NULL), "%.17g", values[k]);
        }
    }
}

static void expect_rounded(const char *where, const char *text, const char *rounded)
{
    const double value = strtod(text, NULL), once = round_value(value), expected = strtod(rounded, NULL);
    cr_expect(once == expected || (isnan(once) && isnan(expected)), "%s: %.17g", where, once);
    cr_expect(round_value(once) == once || isnan(once), "%s", where);
}

TEXTS(numbers, round_value_keeps_nine_digits_and_whole_numbers, "tests/unit/base/numbers.txt#rounded", expect_rounded)

Test(numbers, one_is_not_many)
{
    cr_expect_str_eq(plural(1), "");
    cr_expect_str_eq(plural(0), "s");
    cr_expect_str_eq(plural(2), "s");
    cr_expect_str_eq(plural_of(1, "pass", "passes"), "pass");
    cr_expect_str_eq(plural_of(3, "pass", "passes"), "passes");
}
