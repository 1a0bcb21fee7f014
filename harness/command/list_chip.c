#include "list_chip.h"

#include "base/base.h"
#include "worker/worker.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

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
    char *laws = NULL;
    for (size_t i = 0; options->verbose && i < metric->laws.count; i++) {
        char *longer = x_sprintf("%s%s%s", laws ? laws : "", laws ? ", " : "", metric->laws.list[i].text);
        free(laws);
        laws = longer;
    }
    if (laws)
        print_wrapped(6, "    Law: %s", laws);
    free(laws);
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
    if (chip) {
        error(
            "'%s' has the chip %s, which this CUPTI does not know: `cugate list --metrics --chip help` names them all",
            text, chip);
        return NULL;
    }
    char *near = chip_nearest(text, names, count);
    error("'%s' is no chip or product: %s%s%s`cugate list --metrics --chip help` names them all", text,
          near ? "did you mean '" : "", near ? near : "", near ? "'? " : "");
    free(near);
    return NULL;
}

/* ---- Its counters ---- */

struct search {
    const struct metrics *metrics;
    struct metrics shipped; /* shipped metrics, including optional ones */
    char *text;             /* the words to find, in lower case, each ended by a NUL */
    size_t length, found;
    const char **parts; /* words in the names of all counters, for suggestions; owned */
    size_t part_count;
};

static char *in_small_letters(const char *text)
{
    char *small = x_strdup(text);
    for (char *c = small; *c; c++)
        *c = (char)tolower((unsigned char)*c);
    return small;
}

/* Whether the name or the description of a counter contains every word. */
static bool has_words(const struct search *search, const struct chip_counter *counter)
{
    char *both = x_sprintf("%s %s", counter->name, counter->description), *small = in_small_letters(both);
    bool has = true;
    for (size_t i = 0; i < search->length; i += strlen(search->text + i) + 1)
        has = has && strstr(small, search->text + i);
    free(both);
    free(small);
    return has;
}

/* Returns the first metric that reads the counter, whatever its rollup, or NULL. */
static const struct metric *find_user(const struct metrics *metrics, const char *base)
{
    struct counter_name name;
    for (size_t m = 0; m < metrics->count; m++)
        for (const char *rest = metrics->list[m].counter; counter_next(&rest, &name);)
            if (name.base == strlen(base) && name.base < name.length && strncmp(name.text, base, name.base) == 0)
                return &metrics->list[m];
    return NULL;
}

static void take_counter(void *data, const struct chip_counter *counter)
{
    struct search *search = data;
    if (!has_words(search, counter))
        return;
    search->found++;
    const struct metric *user = find_user(search->metrics, counter->name);
    const struct metric *other = user ? user : find_user(&search->shipped, counter->name);
    print_wrapped(4, "%s%s  %s%s%s%s%s", counter->name, counter->ending, *counter->unit ? counter->unit : "no unit",
                  other ? "  used by " : "", other ? other->name : "", other && !user ? " of " : "",
                  other && !user ? strrchr(other->file, '/') + 1 : "");
    if (*counter->description)
        print_wrapped(4, "    %s", counter->description);
}

/* Collects the words that names of counters consist of. */
static void take_parts(void *data, const struct chip_counter *counter)
{
    struct search *search = data;
    for (const char *part = counter->name; *part; part += strspn(part, "_.")) {
        const size_t length = strcspn(part, "_.");
        char *word = x_sprintf("%.*s", (int)length, part);
        if (name_index(word, search->parts, search->part_count) == search->part_count)
            *ARRAY_GROW(search->parts, search->part_count) = word;
        else
            free(word);
        part += length;
    }
}

static int say_nothing_found(const struct gpu_plugin *gpu, const char *chip, const struct options *options,
                             struct search *search)
{
    struct problem ignored;
    char *advice = x_strdup("fewer or shorter words find more");
    if (gpu->chip_list(chip, take_parts, search, &ignored) == 0)
        for (size_t i = 0; i < search->length; i += strlen(search->text + i) + 1) {
            const char *near = nearest_name(search->text + i, search->parts, search->part_count);
            if (!near || strstr(near, search->text + i))
                continue;
            free(advice);
            advice = x_sprintf("did you mean '%s' by '%s'?", near, search->text + i);
        }
    error("no counter of chip %s has '%s' in its name or description: %s", chip, options->search, advice);
    free(advice);
    for (size_t i = 0; i < search->part_count; i++)
        free((char *)search->parts[i]);
    free(search->parts);
    return EXIT_USAGE;
}

static int search_chip(const struct gpu_plugin *gpu, const char *chip, const struct options *options,
                       const struct metrics *metrics)
{
    struct problem problem;
    struct search search = {.metrics = metrics, .text = in_small_letters(options->search)};
    search.length = strlen(search.text);
    for (size_t i = 0; i < search.length; i++)
        if (isspace((unsigned char)search.text[i]))
            search.text[i] = '\0';
    int code = EXIT_SAME;
    if (metrics_read_whole(&search.shipped, options_shipped_metrics(options)) < 0) {
        code = EXIT_USAGE;
    } else if (gpu->chip_list(chip, take_counter, &search, &problem) < 0) {
        error("%s", problem.text);
        code = EXIT_NOT_MEASURED;
    } else if (search.found == 0) {
        code = say_nothing_found(gpu, chip, options, &search);
    } else {
        print_wrapped(2,
                      "%zu counter%s of chip %s; endings: .sum, .avg, .min or .max, also with .per_second or "
                      ".pct_of_peak_sustained_active behind it; .ratio or .pct",
                      search.found, plural(search.found), chip);
    }
    metrics_release(&search.shipped);
    free(search.text);
    return code;
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
        char *memory = NULL;
        size_t passes = 0;
        if (chosen[m] && gpu->chip_counters(chip, &alone, &counter, &memory, &passes, &ignored) == 0 && passes > 1)
            print_wrapped(2, "%s takes %zu passes alone: `cugate exec`, with one pass a run, does not count it",
                          metrics->list[m].name, passes);
        free(memory);
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
    if (missing > 0) {
        error("chip %s lacks the counters of %zu metric%s: they would read \"not supported\"", chip, missing,
              plural(missing));
        code = EXIT_USAGE;
    }
out:
    free(memory);
    free(chosen);
    return code;
}

/* Without CUPTI the chips of known products are known, and what each metric reads, but not whether a chip has it. */
static int list_without_cupti(const struct options *options, const struct metrics *metrics, const char *why)
{
    const char **names = NULL;
    size_t count = 0;
    for (const char *name; (name = chip_known(count));)
        *ARRAY_GROW(names, count) = name;
    const bool help = strcmp(options->chip, "help") == 0;
    const char *chip = help ? NULL : find_chip(options->chip, names, count);
    if (help)
        list_chips(names, count);
    if (chip && !options->search)
        list_metric_titles();
    for (size_t m = 0; chip && !options->search && m < metrics->count; m++)
        list_metric(options, &metrics->list[m], NULL);
    free(names);
    if (help)
        return EXIT_SAME;
    if (chip)
        error("which counters the chip %s has is known by CUPTI alone, which needs no GPU for that: %s", chip, why);
    return chip ? EXIT_NOT_MEASURED : EXIT_USAGE;
}

int list_chip(const struct options *options, const struct metrics *metrics)
{
    struct problem problem;
    const char *const *names;
    size_t count;
    const struct gpu_plugin *gpu = gpu_plugin_load(&problem);
    if (!gpu)
        return list_without_cupti(options, metrics, problem.text);
    if (gpu->chips(&names, &count, &problem) < 0) {
        error("%s", problem.text);
        return EXIT_NOT_MEASURED;
    }
    if (strcmp(options->chip, "help") == 0)
        return list_chips(names, count);
    const char *chip = find_chip(options->chip, names, count);
    if (!chip)
        return EXIT_USAGE;
    return options->search ? search_chip(gpu, chip, options, metrics) : check_chip(gpu, chip, options, metrics);
}
