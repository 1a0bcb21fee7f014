/* The numbers of the run in Bencher Metric Format, for `bencher run --adapter json`
 * (https://bencher.dev/docs/reference/bencher-metric-format):
 *
 *   { "transpose/tiled": { "time": { "value": 27456, "lower_value": 27200, "upper_value": 27904 }, ... }, ... }
 *
 * A benchmark is a kernel. A measure is a metric, in its own unit (ns, count, byte, %). The value is that of all
 * reports; the others are the lowest and the highest sample. What the run has is there, with or without a baseline. The
 * format has no words, so there is nothing about what has no number, no verdict (Bencher has thresholds of its own),
 * and not whether the numbers were measured, computed or recorded: Bencher's --testbed tells these apart. */
#include "report.h"

#include "base/base.h"

static void put_measure(struct json_writer *json, const struct row *row)
{
    double lowest = row->sessions[0].samples[0], highest = lowest;
    for (size_t i = 0; i < row->session_count; i++) {
        const struct session_samples *session = &row->sessions[i];
        for (size_t j = 0; j < session->count; j++) {
            lowest = session->samples[j] < lowest ? session->samples[j] : lowest;
            highest = session->samples[j] > highest ? session->samples[j] : highest;
        }
    }
    json_open(json, row->metric, '{', JSON_IN_LINE);
    json_put_number(json, "value", row_value(row));
    json_put_number(json, "lower_value", lowest);
    json_put_number(json, "upper_value", highest);
    json_close(json);
}

int report_bmf(const struct report *report, FILE *stream)
{
    struct json_writer json = {.stream = stream, JSON_DOCUMENT};
    json_open(&json, NULL, '{', JSON_LINES);
    for (size_t i = 0; i < report->run->result_count; i++) {
        const struct result *result = &report->run->results[i];
        bool any = false;
        for (size_t j = 0; j < result->row_count; j++) {
            if (result->rows[j].state != VALUE_MEASURED)
                continue;
            if (!any)
                json_open(&json, result->id, '{', JSON_LINES);
            any = true;
            put_measure(&json, &result->rows[j]);
        }
        if (any)
            json_close(&json);
    }
    json_close(&json);
    fputc('\n', stream);
    return fflush(stream) != 0 || ferror(stream) ? -1 : 0;
}
