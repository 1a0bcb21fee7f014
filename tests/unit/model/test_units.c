#include "model/units.h"
#include "test.h"
#include "worded.h"

static struct metric metric_in(const char *unit)
{
    return (struct metric){.name = (char[]){"m"}, .unit = x_strdup(unit)};
}

Test(units, values_are_worded_as_on_the_pages)
{
    size_t count;
    OWNED_MEMORY struct worded *rows = worded_read("value", &count);
    for (size_t i = 0; i < count; i++) {
        char text[64], small[4];
        struct metric metric = metric_in(rows[i].first);
        const double value = strtod(rows[i].second, NULL);
        cr_expect_str_eq(metric_format(&metric, value, text, sizeof text), rows[i].text);
        metric_format(&metric, value, small, sizeof small);
        cr_expect_lt(strlen(small), sizeof small);
        free(metric.unit);
    }
}

Test(units, what_is_no_number_is_said)
{
    char text[64];
    struct metric metric = metric_in("ns");
    cr_expect_str_eq(metric_format(&metric, NAN, text, sizeof text), "nan ns");
    free(metric.unit);
}

/* Otherwise a unit that a report cannot print would only be found on a machine with a GPU. */
Test(units, every_unit_is_printed)
{
    const char *names[32];
    size_t count = metric_units(names, ARRAY_SIZE(names));
    cr_assert_leq(count, ARRAY_SIZE(names));
    for (size_t i = 0; i < count; i++) {
        char text[64];
        OWNED_TEXT unit = x_strdup(names[i]);
        struct metric metric = {.name = (char[]){"m"}, .unit = unit};
        for (int j = -40; j < 100; j++)
            cr_expect_lt(strlen(metric_format(&metric, 1.3 * exp2(j), text, sizeof text)), 20, "%s", text);
    }
}
