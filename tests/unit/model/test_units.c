#include "base/base.h"
#include "model/units.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

Test(units, values_are_scaled_for_people)
{
    static const struct {
        const char *unit;
        double value;
        const char *expected;
    } cases[] = {
        {"ns", 18700, "18.7 us"},
        {"ns", 0, "0 ns"},
        {"ns", 512, "512 ns"},
        {"ns", 0.5, "0.5 ns"},
        {"ns", 999.4, "999 ns"},
        {"ns", 999.6, "1.00 us"},
        {"ns", 9.996e6, "10.0 ms"},
        {"ns", 1.5e9, "1.50 s"},
        {"ns", -18700, "-18.7 us"},
        {"ns", -0.0, "0 ns"},
        {"B", 67108864, "67.1 MB"},
        {"B", 1000, "1.00 kB"},
        {"B/s", 4.102e12, "4.10 TB/s"},
        {"Hz", 1.98e9, "1.98 GHz"},
        {"FLOP/s", 6.6e13, "66.0 TFLOP/s"},
        {"%", 99.5, "99.5 %"},
        {"%", 99.97, "99.97 %"},
        {"%", 100, "100 %"},
        {"%", 0.0123, "0.0123 %"},
        {"ratio", 31.97, "31.97"},
        {"count", 0, "0"},
        {"count", 12.5, "12.5"},
        {"count", 1234, "1,234"},
        {"count", 1234567, "1,234,567"},
        {"count", 9999999, "9,999,999"},
        {"count", 12345678, "12.35 M"},
        {"count", 1.98e9, "1.980 G"},
        {"count", -1234567, "-1,234,567"},
        {"ns", NAN, "nan ns"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        char text[64];
        struct metric metric = {.name = (char[]){"m"}, .unit = x_strdup(cases[i].unit)};
        cr_expect_str_eq(metric_format(&metric, cases[i].value, text, sizeof text), cases[i].expected);
        char small[4];
        metric_format(&metric, cases[i].value, small, sizeof small);
        cr_expect_lt(strlen(small), sizeof small);
        free(metric.unit);
    }
}

/* A table of units that a report cannot print would only show on a machine with a GPU. */
Test(units, every_unit_is_printed)
{
    const char *names[32];
    size_t count = metric_units(names, ARRAY_SIZE(names));
    cr_assert_leq(count, ARRAY_SIZE(names));
    for (size_t i = 0; i < count; i++) {
        char text[64];
        char *unit = x_strdup(names[i]);
        struct metric metric = {.name = (char[]){"m"}, .unit = unit};
        for (int j = -40; j < 100; j++)
            cr_expect_lt(strlen(metric_format(&metric, 1.3 * exp2(j), text, sizeof text)), 20, "%s", text);
        free(unit);
    }
}
