/* The host half of CUPTI's profiler. cupti_profiler_host.h includes C++'s <string> without using it. So this file is
 * compiled with an include folder that holds an empty file of that name (CUPTI 13.0). */
#include "cupti_plugin.h"

#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>

/* Makes CUPTI's own object that answers questions about a chip. -1 with *problem. Ended by counters_host_end(). */
static int counters_host(void **host, const char *chip, const uint8_t *availability, struct problem *problem)
{
    CUPTI_PARAMS(Profiler_Host_Initialize, params, .profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER,
                 .pChipName = chip, .pCounterAvailabilityImage = availability);
    char what[128];
    snprintf(what, sizeof what, "opening CUPTI's counters for chip %.40s", chip);
    TRY(cupti_check(what, cuptiProfilerHostInitialize(&params), problem));
    *host = params.pHostObject;
    return 0;
}

static void counters_host_end(void *host)
{
    CUPTI_PARAMS(Profiler_Host_Deinitialize, params, .pHostObject = host);
    cuptiProfilerHostDeinitialize(&params);
}

static CUptiResult add_metrics(void *host, const char **names, size_t count)
{
    CUPTI_PARAMS(Profiler_Host_ConfigAddMetrics, params, .pHostObject = host, .ppMetricNames = names,
                 .numMetrics = count);
    return cuptiProfilerHostConfigAddMetrics(&params);
}

/* Returns whether a chip has a counter. CUPTI answers that for full names with submetrics only when the name is added
 * to a configuration. A refused name spoils the configuration's object, so each question has an object of its own. */
static bool chip_has(const char *chip, const uint8_t *availability, const char *name)
{
    void *host;
    struct problem ignored;
    if (counters_host(&host, chip, availability, &ignored) < 0)
        return false;
    const bool has = add_metrics(host, &name, 1) == CUPTI_SUCCESS;
    counters_host_end(host);
    return has;
}

/* Keeps the first alternative of each metric that the chip has. The alternatives are words in counters->memory that end
 * with NUL; an empty word ends a metric's list. */
static void choose(struct counters *counters, const char *chip, const uint8_t *availability, size_t metric_count)
{
    counters->count = 0;
    for (size_t m = 0; m < metric_count; m++) {
        const char *name = counters->names[m];
        while (name && *name && !chip_has(chip, availability, name))
            name += strlen(name) + 1;
        counters->names[m] = name && *name ? name : NULL;
        if (counters->names[m])
            counters->wanted[counters->count++] = counters->names[m];
    }
}

/* Adds the chosen counters in the order in which they need passes: CUPTI puts each into the first pass that it fits in,
 * so those that may be known, behind the others, take no place from these. */
static CUptiResult add_in_order(const struct counters *counters, const struct metrics *metrics)
{
    OWNED_MEMORY const char **names = x_calloc(counters->count + 1, sizeof *names);
    size_t count = 0;
    for (int follows = 0; follows < 2; follows++)
        for (size_t m = 0; m < metrics->count; m++)
            if (counters->names[m] && metrics->list[m].follows == follows)
                names[count++] = counters->names[m];
    return add_metrics(counters->host, names, count);
}

/* Adds the counters to the configuration. Usually the chip has every first alternative, and one question shows that.
 * Otherwise the alternatives are asked for one by one. */
static int add_counters(struct counters *counters, const char *chip, const uint8_t *availability,
                        const struct metrics *metrics, struct problem *problem)
{
    if (add_in_order(counters, metrics) == CUPTI_SUCCESS)
        return 0;
    choose(counters, chip, availability, metrics->count);
    if (counters->count == 0)
        return problem_set(problem, "chip %s has none of the counters in the metric files", chip);
    counters_host_end(counters->host);
    counters->host = NULL;
    TRY(counters_host(&counters->host, chip, availability, problem));
    return cupti_check("adding counters", add_in_order(counters, metrics), problem);
}

static int configure(struct counters *counters, struct problem *problem)
{
    CUPTI_PARAMS(Profiler_Host_GetConfigImageSize, size, .pHostObject = counters->host);
    TRY(cupti_check("sizing the counter configuration", cuptiProfilerHostGetConfigImageSize(&size), problem));
    counters->config_size = size.configImageSize;
    counters->config = x_calloc(1, counters->config_size);
    CUPTI_PARAMS(Profiler_Host_GetConfigImage, image, .pHostObject = counters->host,
                 .configImageSize = counters->config_size, .pConfigImage = counters->config);
    CUPTI_PARAMS(Profiler_Host_GetNumOfPasses, passes, .configImageSize = counters->config_size,
                 .pConfigImage = counters->config);
    TRY(cupti_check("making the counter configuration", cuptiProfilerHostGetConfigImage(&image), problem));
    TRY(cupti_check("counting passes", cuptiProfilerHostGetNumOfPasses(&passes), problem));
    counters->passes = passes.numOfPasses;
    return 0;
}

/* Returns in how many passes the chip counts all of the names; 0: it cannot count them together. */
static size_t passes_of(const char *chip, const uint8_t *availability, const char **names, size_t count)
{
    struct counters trial = {.wanted = names, .count = count};
    struct problem ignored;
    if (counters_host(&trial.host, chip, availability, &ignored) < 0)
        return 0;
    const bool can = add_metrics(trial.host, names, count) == CUPTI_SUCCESS && configure(&trial, &ignored) == 0;
    counters_host_end(trial.host);
    free(trial.config);
    return can ? trial.passes : 0;
}

/* Returns the name of the metric that a counter stands for. */
static const char *metric_of(const struct counters *counters, const struct metrics *metrics, const char *counter)
{
    size_t m = 0;
    while (counters->names[m] != counter)
        m++;
    return metrics->list[m].name;
}

/* Adds "[a] (a.sum) with [b] (b.sum)" to the words. The first counter is one that cannot be counted beside the others.
 * The second is the first of those that it does not go with, if it fails with that one alone. */
static void name_clash(const struct counters *counters, const char *chip, const uint8_t *availability,
                       const struct metrics *metrics, const char **kept, size_t count, const char *counter,
                       char **words)
{
    char *with = x_strdup(count > 0 ? " with all the others" : " at all");
    for (size_t i = 0; i < count; i++) {
        const char *pair[] = {kept[i], counter};
        if (passes_of(chip, availability, pair, 2) > 0)
            continue;
        free(with);
        with = x_sprintf(" with [%s] (%s)", metric_of(counters, metrics, kept[i]), kept[i]);
        break;
    }
    x_append(words, ", ", "[%s] (%s)%s", metric_of(counters, metrics, counter), counter, with);
    free(with);
}

/* Names the counters that do not go together: CUPTI refuses a set only as a whole. Adds them one by one, and sets
 * *problem to those that do not go with the ones before. *problem stays as it is where each goes with the others. */
static void name_clashes(const struct counters *counters, const char *chip, const uint8_t *availability,
                         const struct metrics *metrics, struct problem *problem)
{
    OWNED_MEMORY const char **kept = x_calloc(counters->count + 1, sizeof *kept);
    size_t count = 0;
    OWNED_TEXT words = NULL;
    for (size_t i = 0; i < counters->count; i++) {
        kept[count] = counters->wanted[i];
        if (passes_of(chip, availability, kept, count + 1) > 0)
            count++;
        else
            name_clash(counters, chip, availability, metrics, kept, count, counters->wanted[i], &words);
    }
    if (words)
        problem_set(
            problem,
            "chip %s cannot count %s: remove one of them, or count them separately, each with its own --metrics folder",
            chip, words);
}

int counters_open(struct counters *counters, const char *chip, const uint8_t *availability,
                  const struct metrics *metrics, struct problem *problem)
{
    *counters = (struct counters){0};
    TRY(counters_host(&counters->host, chip, availability, problem));
    size_t length = 0;
    for (size_t m = 0; m < metrics->count; m++)
        length += strlen(metrics->list[m].counter) + 2;
    counters->names = x_calloc(metrics->count, sizeof *counters->names);
    counters->wanted = x_calloc(metrics->count, sizeof *counters->wanted);
    counters->memory = x_calloc(1, length);
    char *end = counters->memory;
    for (size_t m = 0; m < metrics->count; m++) {
        if (computed_counter_of(&metrics->list[m]) != COMPUTED_NONE)
            continue;
        counters->names[m] = end;
        counters->wanted[counters->count++] = end;
        struct counter_name name;
        for (const char *rest = metrics->list[m].counter; counter_next(&rest, &name); end += name.length + 1)
            memcpy(end, name.text, name.length);
        end++; /* behind the end of the list */
    }
    if (add_counters(counters, chip, availability, metrics, problem) == 0 && configure(counters, problem) == 0)
        return 0;
    if (counters->count > 0)
        name_clashes(counters, chip, availability, metrics, problem);
    counters_close(counters);
    return -1;
}

size_t counters_last_passes(const struct counters *counters, const char *chip, const uint8_t *availability,
                            const struct metrics *metrics, bool (*is_late)(const struct metric *metric))
{
    OWNED_MEMORY const char **names = x_calloc(counters->count, sizeof *names); /* the others stand at the front */
    size_t early = 0, late = 0;
    for (size_t m = 0; m < metrics->count; m++) {
        if (!counters->names[m])
            continue;
        if (is_late(&metrics->list[m]))
            names[counters->count - ++late] = counters->names[m];
        else
            names[early++] = counters->names[m];
    }
    const bool both = early > 0 && late > 0;
    const size_t most = both ? passes_of(chip, availability, names, early) : 0;
    const size_t last = both ? passes_of(chip, availability, names + early, late) : 0;
    return most > 0 && most + last == counters->passes ? last : 0;
}

int counters_evaluate(const struct counters *counters, const uint8_t *image, size_t image_size, size_t range,
                      double *values, struct problem *problem) /* NOLINT(readability-non-const-parameter): CUPTI's */
{
    CUPTI_PARAMS(Profiler_Host_EvaluateToGpuValues, params, .pHostObject = counters->host, .pCounterDataImage = image,
                 .counterDataImageSize = image_size, .rangeIndex = range, .ppMetricNames = counters->wanted,
                 .numMetrics = counters->count, .pMetricValues = values);
    return cupti_check("evaluating counters", cuptiProfilerHostEvaluateToGpuValues(&params), problem);
}

void counters_close(struct counters *counters)
{
    if (counters->host)
        counters_host_end(counters->host);
    free(counters->names);
    free(counters->wanted);
    free(counters->memory);
    free(counters->config);
    *counters = (struct counters){0};
}

int chip_names(const char *const **names, size_t *count, struct problem *problem)
{
    CUpti_Profiler_Host_GetSupportedChips_Params params = {
        .structSize = CUpti_Profiler_Host_GetSupportedChips_Params_STRUCT_SIZE,
    };
    TRY(cupti_check("listing chips", cuptiProfilerHostGetSupportedChips(&params), problem));
    *names = params.ppChipNames;
    *count = params.numChips;
    return 0;
}
