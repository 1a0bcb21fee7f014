#include "units.h"

/* How values of a unit are printed: their significant digits, and the scales, each used from 1 of itself up to 1 of the
 * next.
 *
 * To add a unit: one row. */
static const struct unit {
    const char *name;
    int digits;
    struct scale {
        double size;
        const char *suffix; /* the suffix of a scale; NULL ends the list */
    } scales[6];
} units[] = {
    {"ns", 3, {{1, " ns"}, {1e3, " us"}, {1e6, " ms"}, {1e9, " s"}}},
    {"B", 3, {{1, " B"}, {1e3, " kB"}, {1e6, " MB"}, {1e9, " GB"}}},
    {"B/s", 3, {{1, " B/s"}, {1e3, " kB/s"}, {1e6, " MB/s"}, {1e9, " GB/s"}, {1e12, " TB/s"}}},
    {"FLOP/s", 3, {{1, " FLOP/s"}, {1e6, " MFLOP/s"}, {1e9, " GFLOP/s"}, {1e12, " TFLOP/s"}}},
    {"Hz", 3, {{1, " Hz"}, {1e3, " kHz"}, {1e6, " MHz"}, {1e9, " GHz"}}},
    {"%", 4, {{1, " %"}}},
    {"count", 4, {{1, ""}, {1e6, " M"}, {1e9, " G"}}},
    {"ratio", 4, {{1, ""}}},
};

size_t metric_units(const char **names, size_t capacity)
{
    for (size_t i = 0; i < ARRAY_SIZE(units) && i < capacity; i++)
        names[i] = units[i].name;
    return ARRAY_SIZE(units);
}

/* Removes trailing zeros: "10.00" -> "10". */
static void trim_zeros(char *text)
{
    if (!strchr(text, '.') || strchr(text, 'e'))
        return;
    char *end = text + strlen(text);
    while (end[-1] == '0')
        end--;
    end -= end[-1] == '.';
    *end = '\0';
}

/* Prints a value with so many significant digits, without an exponent as far as possible. */
static void print_short(double value, int digits, bool trim, char *text, size_t size)
{
    double limit = pow(10, digits);
    int decimals = digits - 1;
    /* Rounding may carry over: 9.996 must become "10.0", not "10.00", so the comparison is with half a unit of the last
     * digit. */
    for (double power = 10; decimals > 0 && value >= power - power / limit / 2; power *= 10)
        decimals--;
    if (value < 1 - 1 / limit / 2 || value >= 1e7)
        snprintf(text, size, "%.*g", digits, value);
    else
        snprintf(text, size, "%.*f", decimals, value);
    if (trim)
        trim_zeros(text);
}

const char *metric_format(const struct metric *metric, double value, char *text, size_t size)
{
    const struct unit *unit = units;
    while (unit < units + ARRAY_SIZE(units) && strcmp(unit->name, metric->unit) != 0)
        unit++;
    if (unit == units + ARRAY_SIZE(units))
        BUG("metric %s has the unit \"%s\", which no metric file can give it", metric->name, metric->unit);

    double magnitude = fabs(value);
    const struct scale *base = unit->scales, *scale = base;
    while (scale + 1 < base + ARRAY_SIZE(unit->scales) && scale[1].suffix && magnitude >= scale[1].size * 0.9995)
        scale++;

    char number[64];
    bool counts = strcmp(unit->name, "count") == 0;
    /* A count of up to seven digits is printed in full, because one more may be a regression. */
    if (counts && magnitude < 1e7 - 0.5)
        scale = base;
    if (!isfinite(value))
        snprintf(number, sizeof number, "%f", magnitude);
    else if (counts && scale == base && (magnitude >= 1e3 || rint(magnitude) == magnitude))
        group_digits(rint(magnitude), number, sizeof number);
    else
        print_short(magnitude / scale->size, unit->digits, scale == base, number, sizeof number);
    snprintf(text, size, "%s%s%s", signbit(value) && value != 0 ? "-" : "", number, scale->suffix);
    return text;
}
