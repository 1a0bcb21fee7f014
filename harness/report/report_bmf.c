/* The numbers of the run in Bencher Metric Format, for `bencher run --adapter json`
 * (https://bencher.dev/docs/reference/bencher-metric-format):
 *
 *   { "transpose/tiled": { "time": { "value": 27456, "lower_value": 27200, "upper_value": 27904 }, ... }, ... }
 *
 * A benchmark is a kernel. A measure is a metric, in its own unit (ns, count, byte, %). The value is that of all
 * reports; the others are the lowest and the highest sample. What the run has is there, with or without a baseline. The
 * format has no words, so there is nothing about what has no number, no verdict (Bencher has thresholds of its own),
 * and not whether the numbers were measured, computed or recorded: Bencher's --testbed tells these apart.
 *
 * And the list that github-action-benchmark takes (tool: customSmallerIsBetter), so without metrics of which more is
 * better:
 *
 *   [ { "name": "transpose/tiled: time", "unit": "ns", "value": 27456, "range": "27200 to 27904" }, ... ] */
#include "report.h"

/* Puts a number with its bounds: a member of its kernel's object, or an entry of the list. */
static void put_number(struct json_writer *json, const struct result *result, const struct row *row, const char *unit)
{
    double lowest = row->sessions[0].samples[0], highest = lowest;
    EACH(const struct session_samples, session, row->sessions, row->session_count) {
        for (size_t j = 0; j < session->count; j++) {
            lowest = session->samples[j] < lowest ? session->samples[j] : lowest;
            highest = session->samples[j] > highest ? session->samples[j] : highest;
        }
    }
    OWNED_TEXT name = x_sprintf("%s: %s", result->id, row->metric), *range = x_sprintf("%.9g to %.9g", lowest, highest);
    const double value = row_value(row);
    if (unit)
        json_put_object(json, NULL, JSON_IN_LINE, JSON_TEXT("name", name), JSON_TEXT("unit", unit),
                        JSON_NUMBER("value", value), JSON_TEXT("range", range));
    else
        json_put_object(json, row->metric, JSON_IN_LINE, JSON_NUMBER("value", value),
                        JSON_NUMBER("lower_value", lowest), JSON_NUMBER("upper_value", highest));
}

static void put_run(const struct report *report, FILE *stream, bool is_list)
{
    struct json_writer json = {.stream = stream, JSON_DOCUMENT};
    json_open(&json, NULL, is_list ? '[' : '{', JSON_LINES);
    EACH(const struct result, result, report->run->results, report->run->result_count) {
        bool any = is_list;
        EACH(const struct row, row, result->rows, result->row_count) {
            const struct metric *metric = is_list ? metrics_find(report->metrics, row->metric) : NULL;
            if (row->state != VALUE_MEASURED || (is_list && (!metric || metric->better != METRIC_LOWER)))
                continue;
            if (!any)
                json_open(&json, result->id, '{', JSON_LINES);
            any = true;
            put_number(&json, result, row, metric ? metric->unit : NULL);
        }
        if (any && !is_list)
            json_close(&json);
    }
    json_close(&json);
    fputc('\n', stream);
}

void report_bmf(const struct report *report, FILE *stream)
{
    put_run(report, stream, false);
}

void report_list(const struct report *report, FILE *stream)
{
    put_run(report, stream, true);
}
