/* Reads the metrics that --metrics names: a folder and further sets. */
#include "options.h"

#include "model/model.h"

const char *options_shipped_metrics(const struct options *options)
{
    return options->found[1] ? options->found[1] : options->metrics;
}

int options_read_metrics(const struct options *options, struct metrics *metrics)
{
    return metrics_read_sets(metrics, options->metrics, options->metric_sets, options->metric_set_count,
                             options_shipped_metrics(options));
}
