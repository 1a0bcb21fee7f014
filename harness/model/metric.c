#include "metric.h"

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
    return (enum metric_class)name_index(name, class_names, METRIC_CLASSES);
}

enum metric_better metric_better_of(const char *name)
{
    return (enum metric_better)name_index(name, better_names, METRIC_BETTERS);
}

const struct metric *metrics_find(const struct metrics *metrics, const char *name)
{
    return FIND(one, metrics->list, metrics->count, strcmp(one->name, name) == 0);
}

void metrics_need(struct metrics *chosen, const struct metrics *all, const char *name)
{
    if (!name || metrics_find(chosen, name))
        return;
    const struct metric *metric = metrics_find(all, name);
    *ARRAY_GROW(chosen->list, chosen->count) = *metric;
    metrics_need(chosen, all, metric->weight);
    metrics_need(chosen, all, metric->clock);
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

/* Returns the first name in the laws that is neither a metric nor LAW_WARPS, or NULL. */
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

/* Checks that the metrics that `clock` and `trade` name exist. */
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
    EACH(const struct metric, metric, metrics->list, metrics->count) {
        const char *unknown = laws_unknown_name(&metric->laws, metrics);
        if (unknown)
            return error("%s:%d: a law of [%s] names \"%s\", which is neither a section nor " LAW_WARPS, metric->file,
                         metric->laws_line, metric->name, unknown);
    }
    return 0;
}

int metrics_check(const struct metrics *metrics)
{
    EACH(const struct metric, metric, metrics->list, metrics->count) {
        const struct metric *weight = metric->weight ? metrics_find(metrics, metric->weight) : NULL;
        if (!metric->weight)
            continue;
        if (!weight)
            return error("%s:%d: [%s] is weighed by \"%s\", but no section has that name: add one for the denominator",
                         metric->file, metric->line, metric->name, metric->weight);
        if (weight->weight)
            return error(
                "%s:%d: [%s] is weighed by [%s], which is weighed itself: only a metric that adds up can be a weight",
                metric->file, metric->line, metric->name, weight->name);
    }
    return check_others(metrics) < 0 ? -1 : check_laws(metrics);
}

void metrics_cut(struct metrics *metrics, size_t count)
{
    while (metrics->count > count) {
        struct metric *metric = &metrics->list[--metrics->count];
        free(metric->name);
        free(metric->title);
        free(metric->headline);
        free(metric->counter);
        free(metric->unit);
        free(metric->weight);
        free(metric->clock);
        free(metric->trade);
        laws_release(&metric->laws);
        free(metric->doc);
        free(metric->file);
    }
}

void metrics_release(struct metrics *metrics)
{
    metrics_cut(metrics, 0);
    free(metrics->list);
    *metrics = (struct metrics){0};
}
