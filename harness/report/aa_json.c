/* An analysis as JSON, schema 1: schema/aa.schema.json says what each key is. Offenders are noisy rows, wobbles
 * nonrepeating counters; what each thing is: aa.h. */
#include "report.h"

#define ANALYSIS_SCHEMA 1

static const char *const view_names[VIEWS] = {[VIEW_PAIRS] = "pairs", [VIEW_OTHERS] = "others", [VIEW_GPUS] = "gpus"};

static const char *const part_names[SPREAD_PARTS] = {
    [SPREAD_WITHIN] = "within", [SPREAD_GPUS] = "gpus", [SPREAD_DAYS] = "days"};

static void put_tally(struct json_writer *json, const char *key, const struct alarm_tally *tally)
{
    json_put_object(json, key, JSON_LINES, JSON_COUNT("rows", tally->rows), JSON_COUNT("regressed", tally->regressed),
                    JSON_COUNT("unsure", tally->unsure), JSON_COUNT("worse", tally->worse),
                    JSON_COUNT("better", tally->better));
}

static void put_view(struct json_writer *json, const char *key, const struct view *view)
{
    if (view->comparisons == 0) {
        json_put_null(json, key);
        return;
    }
    json_open(json, key, '{', JSON_LINES);
    json_put_count(json, "comparisons", view->comparisons);
    json_open(json, "exit_codes", '{', JSON_LINES);
    for (size_t code = 0; code < ARRAY_SIZE(view->exits); code++)
        if (view->exits[code] > 0)
            json_put_count(json, (const char[]){(char)('0' + code), '\0'}, view->exits[code]);
    json_close(json);
    json_put_count(json, "suite_moved", view->moved);
    json_open(json, "classes", '{', JSON_LINES);
    for (size_t class = 0; class < METRIC_CLASSES; class ++)
        if (view->tallies[class].rows > 0)
            put_tally(json, metric_class_name((enum metric_class) class), &view->tallies[class]);
    json_close(json);
    json_close(json);
}

static void put_views(struct json_writer *json, const struct analysis *analysis)
{
    json_open(json, "views", '{', JSON_LINES);
    for (size_t kind = 0; kind < VIEWS; kind++)
        put_view(json, view_names[kind], &analysis->views[kind]);
    json_close(json);
}

static void put_noisy_rows(struct json_writer *json, const struct analysis *analysis)
{
    json_open(json, "offenders", '[', JSON_LINES);
    EACH(const struct noisy_row, noisy, analysis->noisy_rows, analysis->noisy_row_count) {
        json_open(json, NULL, '{', JSON_LINES);
        json_put(json, JSON_TEXT("kernel", noisy->kernel), JSON_TEXT("metric", noisy->metric->name));
        for (size_t kind = 0; kind < VIEWS; kind++)
            if (analysis->views[kind].comparisons > 0)
                put_tally(json, view_names[kind], &noisy->tallies[kind]);
            else
                json_put_null(json, view_names[kind]);
        json_close(json);
    }
    json_close(json);
}

static void put_left_out(struct json_writer *json, const struct analysis *analysis)
{
    json_open(json, "left_out", '[', JSON_LINES);
    for (const struct left_out *one = analysis->left_out; one < analysis->left_out + analysis->left_out_count; one++)
        json_put_object(json, NULL, JSON_LINES, JSON_TEXT("kernel", one->kernel), JSON_TEXT("why", one->why),
                        JSON_FLAG("failed", one->failed));
    json_close(json);
}

static void put_part(struct json_writer *json, const char *key, const struct spread_of_kernels *of)
{
    if (of->kernels == 0)
        json_put_null(json, key);
    else
        json_put_object(json, key, JSON_LINES, JSON_COUNT("kernels", of->kernels), JSON_NUMBER("median", of->median),
                        JSON_NUMBER("worst", of->worst), JSON_TEXT("worst_kernel", of->worst_kernel));
}

static void put_spreads(struct json_writer *json, const struct analysis *analysis)
{
    json_open(json, "spread", '[', JSON_LINES);
    EACH(const struct metric_spread, spread, analysis->spreads, analysis->spread_count) {
        json_open(json, NULL, '{', JSON_LINES);
        json_put(json, JSON_TEXT("metric", spread->metric->name),
                 JSON_TEXT("class", metric_class_name(spread->metric->class)),
                 JSON_TEXT("in", strcmp(spread->metric->unit, "%") == 0 ? "points" : "share"));
        for (size_t part = 0; part < SPREAD_PARTS; part++)
            put_part(json, part_names[part], &spread->parts[part]);
        json_close(json);
    }
    json_close(json);
}

static void put_nonrepeating(struct json_writer *json, const struct exactness *exactness)
{
    json_open(json, "wobbles", '[', JSON_LINES);
    for (size_t i = 0; i < exactness->nonrepeating_count; i++)
        json_put_object(json, NULL, JSON_LINES, JSON_TEXT("kernel", exactness->nonrepeating[i].kernel),
                        JSON_NUMBER("low", exactness->nonrepeating[i].low),
                        JSON_NUMBER("high", exactness->nonrepeating[i].high));
    json_close(json);
}

static void put_exactness(struct json_writer *json, const struct analysis *analysis)
{
    json_open(json, "exactness", '[', JSON_LINES);
    EACH(const struct exactness, exactness, analysis->exactness, analysis->exactness_count) {
        json_open(json, NULL, '{', JSON_LINES);
        json_put(json, JSON_TEXT("metric", exactness->metric->name),
                 JSON_TEXT("class", metric_class_name(exactness->metric->class)),
                 JSON_COUNT("kernels", exactness->kernels), JSON_COUNT("repeat", exactness->repeat),
                 JSON_COUNT("admitted", exactness->admitted), JSON_COUNT("readings", exactness->readings),
                 JSON_COUNT("sessions", exactness->sessions), JSON_COUNT("all_readings", exactness->all_readings));
        put_nonrepeating(json, exactness);
        json_close(json);
    }
    json_close(json);
}

static void put_detectables(struct json_writer *json, const struct analysis *analysis)
{
    json_open(json, "detectable", '[', JSON_LINES);
    EACH(const struct detectable, detectable, analysis->detectables, analysis->detectable_count)
        json_put_object(json, NULL, JSON_LINES, JSON_TEXT("kernel", detectable->kernel),
                        JSON_TEXT("metric", detectable->metric->name), JSON_TEXT("unit", detectable->metric->unit),
                        JSON_NUMBER("base", detectable->base), JSON_NUMBER("change", detectable->change),
                        JSON_NUMBER("share", detectable->change / detectable->base));
    json_close(json);
}

void analysis_json(const struct analysis *analysis, const struct style *style, FILE *stream)
{
    struct json_writer json = {.stream = stream, JSON_DOCUMENT};
    json_open(&json, NULL, '{', JSON_LINES);
    json_put(&json, JSON_COUNT("schema", ANALYSIS_SCHEMA), JSON_COUNT("exit_code", style->exit_code),
             JSON_COUNT("sessions", analysis->sessions), JSON_COUNT("kernels", analysis->kernels),
             JSON_COUNT("gpus", analysis->gpus), JSON_COUNT("days", analysis->days),
             JSON_TEXT("device", analysis->device->name), JSON_TEXT("collector", analysis->collector),
             JSON_TEXT("first_date", analysis->first_date), JSON_TEXT("last_date", analysis->last_date));
    put_left_out(&json, analysis);
    put_views(&json, analysis);
    put_noisy_rows(&json, analysis);
    put_spreads(&json, analysis);
    put_exactness(&json, analysis);
    put_detectables(&json, analysis);
    json_close(&json);
    fputc('\n', stream);
}
