#include "ncu_unit.h"

#include "base/base.h"

#include <ctype.h>
#include <strings.h>

/* Units by their spellings, which changed with versions: nsecond and byte/second until 2023, ns and byte/s since. Some
 * may have K, M, G or T before them. */
static const struct {
    const char *unit, *of;
    double scale;
    bool may_be_more;
} units[] = {
    {"ns", "ns", 1, false},         {"nsecond", "ns", 1, false},
    {"us", "ns", 1e3, false},       {"usecond", "ns", 1e3, false},
    {"ms", "ns", 1e6, false},       {"msecond", "ns", 1e6, false},
    {"s", "ns", 1e9, false},        {"second", "ns", 1e9, false},
    {"byte", "B", 1, true},         {"byte/block", "B", 1, true},
    {"byte/s", "B/s", 1, true},     {"byte/second", "B/s", 1, true},
    {"hz", "Hz", 1, true},          {"%", "%", 1, false},
    {"cycle/s", "Hz", 1, false},    {"cycle/second", "Hz", 1, false},
    {"cycle/us", "Hz", 1e6, false}, {"cycle/usecond", "Hz", 1e6, false},
    {"cycle/ns", "Hz", 1e9, false}, {"cycle/nsecond", "Hz", 1e9, false},
};

/* Whether a unit is a thing that is counted, "inst" or "sector/request". Such units are not scaled, as "Kinst" is. */
static bool is_plain(const char *unit)
{
    for (; *unit; unit++)
        if (!islower((unsigned char)*unit) && !strchr("/_ ", *unit))
            return false;
    return true;
}

bool ncu_unit(const char *unit, const char *metric_unit, double *scale)
{
    static const char prefixes[] = "KMGT";
    static const double thousands[] = {1e3, 1e6, 1e9, 1e12};
    const char *const prefix = strchr(prefixes, toupper((unsigned char)*unit));
    *scale = 1;
    for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
        const bool is_more = units[i].may_be_more && prefix && *prefix && strcasecmp(units[i].unit, unit + 1) == 0;
        if (is_more || strcasecmp(units[i].unit, unit) == 0) {
            *scale = is_more ? thousands[prefix - prefixes] : units[i].scale;
            return strcmp(units[i].of, metric_unit) == 0;
        }
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
