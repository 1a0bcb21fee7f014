#include "list_chip.h"

#define METRIC_COLUMNS "%-24s  %-6s  %-6s  %-6s  %s"

void list_metric_titles(void)
{
    print_wrapped(4, METRIC_COLUMNS, "metric", "class", "unit", "better", "counter");
}

void list_metric(const struct options *options, const struct metric *metric, const char *const *chosen)
{
    const bool own = computed_counter_of(metric) != COMPUTED_NONE;
    const char *counter = !chosen || own ? metric->counter : *chosen ? *chosen : "not supported";
    print_wrapped(4, METRIC_COLUMNS, metric->name, metric_class_name(metric->class), metric->unit,
                  metric_better_name(metric->better), counter);
    if (options->verbose && metric->doc)
        print_wrapped(4, "    %s", metric->doc);
    OWNED_TEXT laws = NULL;
    for (size_t i = 0; options->verbose && i < metric->laws.count; i++)
        x_append(&laws, ", ", "%s", metric->laws.list[i].text);
    if (laws)
        print_wrapped(6, "    Law: %s", laws);
}

/* ---- The chip ---- */

static int list_chips(const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        print_wrapped(4, "%s%s%s", names[i], *chip_products(names[i]) ? "  " : "", chip_products(names[i]));
    return EXIT_SAME;
}

/* Returns the chip of that name, or of that product; case does not matter. NULL after error(). */
static const char *find_chip(const char *text, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcasecmp(names[i], text) == 0)
            return names[i];
    const char *chip = chip_of_product(text);
    for (size_t i = 0; chip && i < count; i++)
        if (strcmp(names[i], chip) == 0)
            return names[i];
    if (chip)
        return FAIL(NULL,
                    "'%s' has the chip %s, which this CUPTI does not support (`cugate list metrics help` lists all)",
                    text, chip);
    OWNED_TEXT near = chip_nearest(text, names, count);
    return FAIL(NULL,
                "'%s' is not a chip or product: %s%s%s`cugate list metrics help` lists them all; "
                "`cugate help METRIC` explains a metric",
                text, near ? "did you mean '" : "", near ? near : "", near ? "'? " : "");
}

/* ---- Which metrics the chip has ---- */

/* Names the metrics that need more than one pass by themselves. */
static void name_many_passes(const struct gpu_plugin *gpu, const char *chip, const struct metrics *metrics,
                             const char *const *chosen)
{
    struct problem ignored;
    for (size_t m = 0; m < metrics->count; m++) {
        const struct metrics alone = {.list = &metrics->list[m], .count = 1};
        const char *counter;
        OWNED_TEXT memory = NULL;
        size_t passes = 0;
        if (chosen[m] && gpu->chip_counters(chip, &alone, &counter, &memory, &passes, &ignored) == 0 && passes > 1)
            print_wrapped(
                2, "%s alone needs %zu passes, so `cugate run -- PROGRAM`, with one pass per run, cannot count it",
                metrics->list[m].name, passes);
    }
}

static int check_chip(const struct gpu_plugin *gpu, const char *chip, const struct options *options,
                      const struct metrics *metrics)
{
    struct problem problem;
    char *memory = NULL;
    size_t passes = 0, missing = 0, optional = 0;
    const char **chosen = x_calloc(metrics->count, sizeof *chosen);
    int code = EXIT_USAGE;
    if (gpu->chip_counters(chip, metrics, chosen, &memory, &passes, &problem) < 0) {
        error("%s", problem.text);
        goto out;
    }
    list_metric_titles();
    for (size_t m = 0; m < metrics->count; m++) {
        const bool lacks = !chosen[m] && computed_counter_of(&metrics->list[m]) == COMPUTED_NONE;
        list_metric(options, &metrics->list[m], &chosen[m]);
        missing += lacks && !metrics->list[m].optional;
        optional += lacks && metrics->list[m].optional;
    }
    name_many_passes(gpu, chip, metrics, chosen);
    print_wrapped(2, "chip %s: %zu of %zu metric%s, %zu %s over each kernel", chip, metrics->count - missing - optional,
                  metrics->count, plural(metrics->count), passes, plural_of(passes, "pass", "passes"));
    code = EXIT_SAME;
    if (missing > 0)
        code = FAIL(EXIT_USAGE, "chip %s has no counters for %zu metric%s, which would read \"not supported\"", chip,
                    missing, plural(missing));
out:
    free(memory);
    free(chosen);
    return code;
}

/* Without CUPTI the chips of known products are known, and what each metric reads, but not whether a chip has it. */
static int list_without_cupti(const struct options *options, const struct metrics *metrics, const char *named,
                              const char *why)
{
    OWNED_MEMORY const char **names = NULL;
    size_t count = 0;
    for (const char *name; (name = chip_known(count));)
        *ARRAY_GROW(names, count) = name;
    const bool help = strcmp(named, "help") == 0;
    const char *chip = help ? NULL : find_chip(named, names, count);
    if (help)
        list_chips(names, count);
    if (chip)
        list_metric_titles();
    for (size_t m = 0; chip && m < metrics->count; m++)
        list_metric(options, &metrics->list[m], NULL);
    if (help)
        return EXIT_SAME;
    if (chip)
        error("CUPTI, which needs no GPU for this, does not show the counters of the chip %s: %s", chip, why);
    return chip ? EXIT_NOT_MEASURED : EXIT_USAGE;
}

int list_chip(const struct options *options, const struct metrics *metrics, const char *named)
{
    struct problem problem;
    const char *const *names;
    size_t count;
    const struct gpu_plugin *gpu = gpu_plugin_load(&problem);
    if (!gpu)
        return list_without_cupti(options, metrics, named, problem.text);
    if (gpu->chips(&names, &count, &problem) < 0)
        return FAIL(EXIT_NOT_MEASURED, "%s", problem.text);
    if (strcmp(named, "help") == 0)
        return list_chips(names, count);
    const char *chip = find_chip(named, names, count);
    return chip ? check_chip(gpu, chip, options, metrics) : EXIT_USAGE;
}
