#include "import/ncu_unit.h"
#include "test.h"

Test(ncu_unit, units_become_those_of_metrics)
{
    static const struct {
        const char *unit, *metric;
        double scale; /* expected factor; 0: it is no unit of the metric */
    } cases[] = {
        {"ns", "ns", 1},
        {"nsecond", "ns", 1},
        {"us", "ns", 1e3},
        {"usecond", "ns", 1e3},
        {"msecond", "ns", 1e6},
        {"second", "ns", 1e9},
        {"byte", "B", 1},
        {"Kbyte", "B", 1e3},
        {"Gbyte", "B", 1e9},
        {"Gbyte/s", "B/s", 1e9},
        {"byte/second", "B/s", 1},
        {"hz", "Hz", 1},
        {"Hz", "Hz", 1},
        {"Ghz", "Hz", 1e9},
        {"cycle/nsecond", "Hz", 1e9},
        {"%", "%", 1},
        {"", "count", 1},
        {"inst", "count", 1},
        {"sector", "count", 1},
        {"", "ratio", 1},
        {"thread/inst", "ratio", 1},
        {"Kinst", "count", 0},
        {"us", "count", 0},
        {"byte", "count", 0},
        {"", "ns", 0},
        {"inst", "ns", 0},
        {"byte", "ns", 0},
        {"", "%", 0},
        {"%", "ratio", 0},
        {"Kbyte", "B/s", 0},
        {"minute", "ns", 0},
        {"", "FLOP/s", 0},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        double scale;
        const bool is = ncu_unit(cases[i].unit, cases[i].metric, &scale);
        cr_expect_eq(is, cases[i].scale != 0, "%s as %s", cases[i].unit, cases[i].metric);
        cr_expect(!is || scale == cases[i].scale, "%s as %s: %g", cases[i].unit, cases[i].metric, scale);
    }
}

Test(ncu_unit, numbers_have_commas_between_thousands)
{
    static const struct {
        const char *text;
        double number; /* expected number; NAN: the text is none */
    } cases[] = {
        {"0", 0},
        {"12.50", 12.5},
        {"1,234", 1234},
        {"1,073,786,368", 1073786368},
        {"1,234.5", 1234.5},
        {"1234567", 1234567},
        {"4.0e-05", 4e-05},
        {"-5", -5},
        {"1e3", 1000},
        {"", NAN},
        {"n/a", NAN},
        {"nan", NAN},
        {"inf", NAN},
        {"0x10", NAN},
        {"1,5", NAN},
        {"1,23,456", NAN},
        {"1234,567", NAN},
        {",123", NAN},
        {"1,", NAN},
        {"1,234,", NAN},
        {"1,23.5", NAN},
        {"1.234,567", NAN},
        {"1 ", NAN},
        {"1.2.3", NAN},
        {".", NAN},
        {"1,234,56", NAN},
        {"11111111111111111111111111111111111111111111111111111111111111111111", NAN},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        double number;
        const bool is = ncu_number(cases[i].text, &number);
        cr_expect_eq(is, !isnan(cases[i].number), "%s", cases[i].text);
        cr_expect(!is || number == cases[i].number, "%s is %g", cases[i].text, number);
    }
}
