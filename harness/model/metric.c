#include "metric.h"

#include "base/base.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const class_names[METRIC_CLASSES] = {
    [METRIC_STATIC] = "static", [METRIC_EXACT] = "exact", [METRIC_STEADY] = "steady",
    [METRIC_TIME] = "time",     [METRIC_INFO] = "info",
};

static const char *const better_names[METRIC_BETTERS] = {
    [METRIC_LOWER] = "lower",
    [METRIC_HIGHER] = "higher",
};

const char *metric_class_name(enum metric_class class)
{
    return class_names[class];
}

const char *metric_better_name(enum metric_better better)
{
    return better_names[better];
}

enum metric_class metric_class_of(const char *name)
{
    enum metric_class class = 0;
    while (class < METRIC_CLASSES && strcmp(class_names[class], name) != 0)
        class ++;
    return class;
}

enum metric_better metric_better_of(const char *name)
{
    enum metric_better better = 0;
    while (better < METRIC_BETTERS && strcmp(better_names[better], name) != 0)
        better++;
    return better;
}

/* How a unit is printed: with so many significant digits, each scale from one of itself up to one of the next.
 * To add a unit: one row. */
static const struct unit {
    const char *name;
    int digits;
    struct scale {
        double size;
        const char *suffix; /* NULL ends the list */
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

size_t metric_units(const char **names, size_t room)
{
    for (size_t i = 0; i < ROWS(units) && i < room; i++)
        names[i] = units[i].name;
    return ROWS(units);
}

/* "10.00" -> "10". */
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

/* So many significant digits without an exponent, as far as that can be. */
static void print_short(double value, int digits, bool trim, char *text, size_t size)
{
    double limit = pow(10, digits);
    int decimals = digits - 1;
    /* Half a unit of the last digit below each power of ten, so that 9.996 does not become "10.00". */
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
    while (unit < units + ROWS(units) && strcmp(unit->name, metric->unit) != 0)
        unit++;
    if (unit == units + ROWS(units))
        BUG("metric %s has the unit \"%s\", which no metric file can give it", metric->name, metric->unit);

    double magnitude = fabs(value);
    const struct scale *base = unit->scales;
    const struct scale *scale = base;
    while (scale + 1 < base + ROWS(unit->scales) && scale[1].suffix && magnitude >= scale[1].size * 0.9995)
        scale++;

    char number[64];
    bool counts = strcmp(unit->name, "count") == 0;
    /* Up to seven digits a count is shown to the last one: one more may be a regression. */
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

const struct metric *metrics_find(const struct metrics *metrics, const char *name)
{
    for (size_t i = 0; i < metrics->count; i++)
        if (strcmp(metrics->list[i].name, name) == 0)
            return &metrics->list[i];
    return NULL;
}

size_t metrics_index(const struct metrics *metrics, const char *name)
{
    const struct metric *metric = metrics_find(metrics, name);
    if (!metric)
        BUG("no metric is named \"%s\"", name);
    return (size_t)(metric - metrics->list);
}

bool metric_next_trade(const char **rest, char name[METRIC_NAME])
{
    const char *begin = *rest ? *rest + strspn(*rest, " \t") : "";
    const size_t length = strcspn(begin, " \t");
    *rest = begin + length;
    snprintf(name, METRIC_NAME, "%.*s", (int)length, begin);
    return length > 0;
}

static int check_other(const struct metrics *metrics, const struct metric *metric, const char *key, const char *name)
{
    if (metrics_find(metrics, name))
        return 0;
    return error("%s:%d: the %s of [%s] is \"%s\", but no section has that name", metric->file, metric->line, key,
                 metric->name, name);
}

/* The first name in the laws that is neither a metric nor LAW_WARPS, or NULL. */
static const char *laws_unknown_name(const struct laws *laws, const struct metrics *metrics)
{
    for (size_t l = 0; l < laws->count; l++)
        for (size_t n = 0; n < law_name_count(&laws->list[l]); n++) {
            const char *name = law_name(&laws->list[l], n);
            if (strcmp(name, LAW_WARPS) != 0 && !metrics_find(metrics, name))
                return name;
        }
    return NULL;
}

/* The metrics that others name, beside weights. */
static int check_others(const struct metrics *metrics)
{
    int result = 0;
    for (size_t i = 0; i < metrics->count && result == 0; i++) {
        const struct metric *metric = &metrics->list[i];
        char name[METRIC_NAME];
        if (metric->clock)
            result = check_other(metrics, metric, "clock", metric->clock);
        for (const char *rest = metric->trade; result == 0 && metric_next_trade(&rest, name);)
            result = check_other(metrics, metric, "trade", name);
    }
    return result;
}

static int check_laws(const struct metrics *metrics)
{
    for (size_t i = 0; i < metrics->count; i++) {
        const struct metric *metric = &metrics->list[i];
        const char *unknown = laws_unknown_name(&metric->laws, metrics);
        if (unknown)
            return error("%s:%d: a law of [%s] names \"%s\", but no section has that name, nor is it " LAW_WARPS,
                         metric->file, metric->laws_line, metric->name, unknown);
    }
    return 0;
}

int metrics_check(const struct metrics *metrics)
{
    for (size_t i = 0; i < metrics->count; i++) {
        const struct metric *metric = &metrics->list[i];
        const struct metric *weight = metric->weight ? metrics_find(metrics, metric->weight) : NULL;
        if (!metric->weight)
            continue;
        if (!weight)
            return error(
                "%s:%d: [%s] is weighed by \"%s\", but no section has that name: add one for the counter of the "
                "denominator",
                metric->file, metric->line, metric->name, metric->weight);
        if (weight->weight)
            return error("%s:%d: [%s] is weighed by [%s], which is weighed itself: only a metric that adds up over "
                         "launches can be a weight",
                         metric->file, metric->line, metric->name, weight->name);
    }
    return check_others(metrics) < 0 ? -1 : check_laws(metrics);
}

void metrics_release(struct metrics *metrics)
{
    for (size_t i = 0; i < metrics->count; i++) {
        struct metric *metric = &metrics->list[i];
        free(metric->name);
        free(metric->title);
        free(metric->counter);
        free(metric->unit);
        free(metric->weight);
        free(metric->clock);
        free(metric->trade);
        laws_release(&metric->laws);
        free(metric->doc);
        free(metric->file);
    }
    free(metrics->list);
    *metrics = (struct metrics){0};
}
