#include "ncu_unit.h"

#include "base/base.h"

#include <ctype.h>
#include <strings.h>

/* Units by their spellings, which changed with versions: nsecond and byte/second until 2023, ns and byte/s since. */
static const struct {
    const char *unit, *of;
    double scale;
} units[] = {
    {"ns", "ns", 1},
    {"nsecond", "ns", 1},
    {"us", "ns", 1e3},
    {"usecond", "ns", 1e3},
    {"ms", "ns", 1e6},
    {"msecond", "ns", 1e6},
    {"s", "ns", 1e9},
    {"second", "ns", 1e9},
    {"byte", "B", 1},
    {"Kbyte", "B", 1e3},
    {"Mbyte", "B", 1e6},
    {"Gbyte", "B", 1e9},
    {"Tbyte", "B", 1e12},
    {"byte/block", "B", 1},
    {"Kbyte/block", "B", 1e3},
    {"byte/s", "B/s", 1},
    {"byte/second", "B/s", 1},
    {"Kbyte/s", "B/s", 1e3},
    {"Kbyte/second", "B/s", 1e3},
    {"Mbyte/s", "B/s", 1e6},
    {"Mbyte/second", "B/s", 1e6},
    {"Gbyte/s", "B/s", 1e9},
    {"Gbyte/second", "B/s", 1e9},
    {"Tbyte/s", "B/s", 1e12},
    {"Tbyte/second", "B/s", 1e12},
    {"hz", "Hz", 1},
    {"Khz", "Hz", 1e3},
    {"Mhz", "Hz", 1e6},
    {"Ghz", "Hz", 1e9},
    {"cycle/s", "Hz", 1},
    {"cycle/second", "Hz", 1},
    {"cycle/us", "Hz", 1e6},
    {"cycle/usecond", "Hz", 1e6},
    {"cycle/ns", "Hz", 1e9},
    {"cycle/nsecond", "Hz", 1e9},
    {"%", "%", 1},
};

/* Whether a unit is a thing that is counted, "inst" or "sector/request". Such units are never scaled; "Kinst" would
 * be. */
static bool is_plain(const char *unit)
{
    for (; *unit; unit++)
        if (!islower((unsigned char)*unit) && !strchr("/_ ", *unit))
            return false;
    return true;
}

bool ncu_unit(const char *unit, const char *metric_unit, double *scale)
{
    *scale = 1;
    for (size_t i = 0; i < ARRAY_SIZE(units); i++)
        if (strcasecmp(units[i].unit, unit) == 0) {
            *scale = units[i].scale;
            return strcmp(units[i].of, metric_unit) == 0;
        }
    const bool is_amount = strcmp(metric_unit, "count") == 0 || strcmp(metric_unit, "ratio") == 0;
    return is_amount && is_plain(unit);
}

bool ncu_number(const char *text, double *number)
{
    char plain[64], *end;
    size_t length = 0, group = 0; /* digits since the last comma; before the first one there are one to three */
    bool grouped = false, whole = true;
    for (const char *c = text; *c; c++) {
        if (*c == ',' && (!whole || group == 0 || (grouped ? group != 3 : group > 3)))
            return false;
        if (*c == ',') {
            grouped = true;
            group = 0;
            continue;
        }
        if (!isdigit((unsigned char)*c) && whole && grouped && group != 3)
            return false;
        whole = whole && isdigit((unsigned char)*c);
        group += whole;
        if (!strchr("0123456789.eE+-", *c) || length + 1 == sizeof plain)
            return false;
        plain[length++] = *c;
    }
    if (length == 0 || (whole && grouped && group != 3))
        return false;
    plain[length] = '\0';
    *number = strtod(plain, &end);
    return *end == '\0';
}
