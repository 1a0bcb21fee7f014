/* Reads the metrics that --metrics names, a folder and further sets, and chooses those of -m. */
#include "options.h"

/* returns the folder of metrics that came with cugate */
static const char *options_shipped_metrics(const struct options *options)
{
    return options->found[1] ? options->found[1] : options->metrics;
}

int options_read_metrics(const struct options *options, struct metrics *metrics)
{
    if (options->trades && strcmp(options->trades, "no") != 0 && strcmp(options->trades, "yes") != 0)
        return error("--trades %s: write yes, or no to let every worse row fail", options->trades);
    const int read = metrics_read_sets(metrics, options->metrics, options->metric_sets, options->metric_set_count,
                                       options_shipped_metrics(options));
    metrics->never_paid = options->trades && strcmp(options->trades, "no") == 0;
    return read;
}

static void choose_time(struct metrics *chosen, const struct metrics *all)
{
    for (size_t m = 0; m < all->count; m++)
        if (strcmp(all->list[m].counter, COUNTER_TIME) == 0)
            metrics_need(chosen, all, all->list[m].name);
}

/* Adds a metric, and those that it is judged by: the time of a launch decides whether more than its exact counts is
 * judged. */
static void choose_metric(struct metrics *chosen, const struct metrics *all, const struct metric *metric)
{
    metrics_need(chosen, all, metric->name);
    if (metric->class == METRIC_STEADY)
        choose_time(chosen, all);
}

/* Adds what judges a program as a whole, so that a kernel that is gone or launched more often does not pass. Only the
 * GPU time takes a counter, since of kernels whose launches are all measured nothing else tells it. But something has
 * to be counted, and of launches that are counted by instrumented code it is not known. */
static void choose_program(struct metrics *chosen, const struct metrics *all)
{
    bool counts = false, is_timed = false;
    for (size_t m = 0; m < chosen->count; m++) {
        const bool is_counted = computed_counter_of(&chosen->list[m]) == COMPUTED_NONE;
        counts |= is_counted;
        is_timed |= is_counted && !metric_is_instrumented(&chosen->list[m]);
    }
    if (!counts || is_timed)
        choose_time(chosen, all);
    for (size_t m = 0; m < all->count; m++) {
        const enum computed_counter counter = computed_counter_of(&all->list[m]);
        if (counter == COMPUTED_LAUNCHES || counter == COMPUTED_PROCESSES || counter == COMPUTED_FIRST_PART ||
            ((counter == COMPUTED_GPU_TIME || counter == COMPUTED_COMPUTING || counter == COMPUTED_COMMUNICATION) &&
             (is_timed || !counts)))
            metrics_need(chosen, all, all->list[m].name);
    }
}

int options_choose_metrics(struct metrics *chosen, const struct metrics *all, const struct options *options)
{
    for (size_t g = 0; g < options->metric_glob_count; g++) {
        bool matched = false;
        for (size_t m = 0; m < all->count; m++) {
            const bool now = glob_any(&options->metric_globs[g], 1, all->list[m].name);
            matched |= now;
            if (now)
                choose_metric(chosen, all, &all->list[m]);
        }
        if (!matched)
            return error("no metric matches -m '%s'; `cugate list metrics` lists them all", options->metric_globs[g]);
    }
    if (options->metric_glob_count > 0)
        choose_program(chosen, all);
    for (size_t m = 0; m < all->count && options->metric_glob_count == 0; m++)
        choose_metric(chosen, all, &all->list[m]);
    return 0;
}
