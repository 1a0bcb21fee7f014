#include "test.h"

Test(numbers, digits_are_grouped_by_threes)
{
    static const struct {
        double number;
        const char *text;
    } cases[] = {{0, "0"},
                 {7, "7"},
                 {999, "999"},
                 {1000, "1,000"},
                 {65536, "65,536"},
                 {123456, "123,456"},
                 {1234567, "1,234,567"},
                 {4294967295.0, "4,294,967,295"},
                 {1e18, "1,000,000,000,0"}};
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        char text[17];
        cr_expect_str_eq(group_digits(cases[i].number, text, sizeof text), cases[i].text);
    }
    char all[512];
    cr_expect_eq(strlen(group_digits(1e308, all, sizeof all)), 309 + 102);
}

Test(numbers, median_takes_the_middle)
{
    static const struct {
        double values[5];
        size_t count;
        double expected;
    } cases[] = {
        {{7}, 1, 7},
        {{1, 2}, 2, 1.5},
        {{3, 1, 2}, 3, 2},
        {{4, 1, 3, 2}, 4, 2.5},
        {{5, 5, 1, 9, 5}, 5, 5},
        {{1e308, 1.5e308}, 2, 1.25e308},
        {{9007199254740991, 9007199254740991}, 2, 9007199254740991},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
        cr_expect_eq(median(cases[i].values, cases[i].count), cases[i].expected, "case %zu", i);
    const double kept[] = {3, 1, 2};
    median(kept, 3);
    cr_expect(kept[0] == 3 && kept[1] == 1 && kept[2] == 2, "the caller's order was changed");
}

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

Test(numbers, round_value_keeps_nine_digits_and_whole_numbers)
{
    static const struct {
        double value, expected;
    } cases[] = {
        {0, 0},
        {1.0 / 3, 0.333333333},
        {123456789.123, 123456789},
        {9007199254740991, 9007199254740991},
        {18446744073709551616.0, 18446744100000000000.0},
        {1234567.8912, 1234567.89},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        cr_expect_eq(round_value(cases[i].value), cases[i].expected, "case %zu", i);
        cr_expect_eq(round_value(round_value(cases[i].value)), round_value(cases[i].value), "case %zu", i);
    }
    cr_expect(isnan(round_value(NAN)));
    cr_expect(isinf(round_value(INFINITY)));
}

Test(numbers, one_is_not_many)
{
    cr_expect_str_eq(plural(1), "");
    cr_expect_str_eq(plural(0), "s");
    cr_expect_str_eq(plural(2), "s");
    cr_expect_str_eq(plural_of(1, "pass", "passes"), "pass");
    cr_expect_str_eq(plural_of(3, "pass", "passes"), "passes");
}
