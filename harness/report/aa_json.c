/* An analysis as JSON, schema 1:
 *
 *   { "schema": 1, "exit_code": 0, "sessions": 16, "kernels": 66, "gpus": 4, "days": 1, "device": "NVIDIA H200",
 *     "collector": "cupti", "first_date": ..., "last_date": ...,
 *     "left_out": [ { "kernel": ..., "why": ..., "failed": false } ],
 *     "views": { "pairs": { "comparisons": 240, "exit_codes": { "0": 200, "3": 40 }, "suite_moved": 0,
 *                           "classes": { "exact": { "rows": ..., "regressed": ..., "unsure": ..., "worse": ...,
 *                                                   "better": ... } } },
 *                "others": ..., "gpus": ... },     null where there are too few sessions or GPUs
 *     "offenders": [ { "kernel": ..., "metric": ..., "pairs": { "rows": ..., ... }, "others": ..., "gpus": ... } ],
 *     "spread": [ { "metric": ..., "class": ..., "in": "share",      of the mean; or "points"
 *                   "within": { "kernels": 66, "median": ..., "worst": ..., "worst_kernel": ... },
 *                   "gpus": ..., "days": null } ],                   null where it is not known
 *     "exactness": [ { "metric": ..., "class": ..., "kernels": ..., "repeat": ..., "admitted": ..., "readings": ...,
 *                      "sessions": ..., "all_readings": ...,
 *                      "wobbles": [ { "kernel": ..., "low": ..., "high": ... } ] } ],
 *     "detectable": [ { "kernel": ..., "metric": ..., "unit": "ns", "base": ..., "change": ..., "share": ... } ] }
 *
 * Offenders are noisy rows, wobbles nonrepeating counters; what each thing is: aa.h. */
#include "report.h"

#define ANALYSIS_SCHEMA 1

static const char *const view_names[VIEWS] = {[VIEW_PAIRS] = "pairs", [VIEW_OTHERS] = "others", [VIEW_GPUS] = "gpus"};

static const char *const part_names[SPREAD_PARTS] = {
    [SPREAD_WITHIN] = "within", [SPREAD_GPUS] = "gpus", [SPREAD_DAYS] = "days"};

static void put_tally(struct json_writer *json, const char *key, const struct alarm_tally *tally)
{
    json_open(json, key, '{', JSON_LINES);
    json_put_count(json, "rows", tally->rows);
    json_put_count(json, "regressed", tally->regressed);
    json_put_count(json, "unsure", tally->unsure);
    json_put_count(json, "worse", tally->worse);
    json_put_count(json, "better", tally->better);
    json_close(json);
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
    for (size_t i = 0; i < analysis->noisy_row_count; i++) {
        const struct noisy_row *noisy = &analysis->noisy_rows[i];
        json_open(json, NULL, '{', JSON_LINES);
        json_put_text(json, "kernel", noisy->kernel);
        json_put_text(json, "metric", noisy->metric->name);
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
    for (size_t i = 0; i < analysis->left_out_count; i++) {
        json_open(json, NULL, '{', JSON_LINES);
        json_put_text(json, "kernel", analysis->left_out[i].kernel);
        json_put_text(json, "why", analysis->left_out[i].why);
        json_put_flag(json, "failed", analysis->left_out[i].failed);
        json_close(json);
    }
    json_close(json);
}

static void put_part(struct json_writer *json, const char *key, const struct spread_of_kernels *of)
{
    if (of->kernels == 0) {
        json_put_null(json, key);
        return;
    }
    json_open(json, key, '{', JSON_LINES);
    json_put_count(json, "kernels", of->kernels);
    json_put_number(json, "median", of->median);
    json_put_number(json, "worst", of->worst);
    json_put_text(json, "worst_kernel", of->worst_kernel);
    json_close(json);
}

static void put_spreads(struct json_writer *json, const struct analysis *analysis)
{
    json_open(json, "spread", '[', JSON_LINES);
    for (size_t i = 0; i < analysis->spread_count; i++) {
        const struct metric_spread *spread = &analysis->spreads[i];
        json_open(json, NULL, '{', JSON_LINES);
        json_put_text(json, "metric", spread->metric->name);
        json_put_text(json, "class", metric_class_name(spread->metric->class));
        json_put_text(json, "in", strcmp(spread->metric->unit, "%") == 0 ? "points" : "share");
        for (size_t part = 0; part < SPREAD_PARTS; part++)
            put_part(json, part_names[part], &spread->parts[part]);
        json_close(json);
    }
    json_close(json);
}

static void put_nonrepeating(struct json_writer *json, const struct exactness *exactness)
{
    json_open(json, "wobbles", '[', JSON_LINES);
    for (size_t i = 0; i < exactness->nonrepeating_count; i++) {
        json_open(json, NULL, '{', JSON_LINES);
        json_put_text(json, "kernel", exactness->nonrepeating[i].kernel);
        json_put_number(json, "low", exactness->nonrepeating[i].low);
        json_put_number(json, "high", exactness->nonrepeating[i].high);
        json_close(json);
    }
    json_close(json);
}

static void put_exactness(struct json_writer *json, const struct analysis *analysis)
{
    json_open(json, "exactness", '[', JSON_LINES);
    for (size_t i = 0; i < analysis->exactness_count; i++) {
        const struct exactness *exactness = &analysis->exactness[i];
        json_open(json, NULL, '{', JSON_LINES);
        json_put_text(json, "metric", exactness->metric->name);
        json_put_text(json, "class", metric_class_name(exactness->metric->class));
        json_put_count(json, "kernels", exactness->kernels);
        json_put_count(json, "repeat", exactness->repeat);
        json_put_count(json, "admitted", exactness->admitted);
        json_put_count(json, "readings", exactness->readings);
        json_put_count(json, "sessions", exactness->sessions);
        json_put_count(json, "all_readings", exactness->all_readings);
        put_nonrepeating(json, exactness);
        json_close(json);
    }
    json_close(json);
}

static void put_detectables(struct json_writer *json, const struct analysis *analysis)
{
    json_open(json, "detectable", '[', JSON_LINES);
    for (size_t i = 0; i < analysis->detectable_count; i++) {
        const struct detectable *detectable = &analysis->detectables[i];
        json_open(json, NULL, '{', JSON_LINES);
        json_put_text(json, "kernel", detectable->kernel);
        json_put_text(json, "metric", detectable->metric->name);
        json_put_text(json, "unit", detectable->metric->unit);
        json_put_number(json, "base", detectable->base);
        json_put_number(json, "change", detectable->change);
        json_put_number(json, "share", detectable->change / detectable->base);
        json_close(json);
    }
    json_close(json);
}

int analysis_json(const struct analysis *analysis, const struct analysis_style *style, FILE *stream)
{
    struct json_writer json = {.stream = stream, JSON_DOCUMENT};
    json_open(&json, NULL, '{', JSON_LINES);
    json_put_count(&json, "schema", ANALYSIS_SCHEMA);
    json_put_count(&json, "exit_code", style->exit_code);
    json_put_count(&json, "sessions", analysis->sessions);
    json_put_count(&json, "kernels", analysis->kernels);
    json_put_count(&json, "gpus", analysis->gpus);
    json_put_count(&json, "days", analysis->days);
    json_put_text(&json, "device", analysis->device->name);
    json_put_text(&json, "collector", analysis->collector);
    json_put_text(&json, "first_date", analysis->first_date);
    json_put_text(&json, "last_date", analysis->last_date);
    put_left_out(&json, analysis);
    put_views(&json, analysis);
    put_noisy_rows(&json, analysis);
    put_spreads(&json, analysis);
    put_exactness(&json, analysis);
    put_detectables(&json, analysis);
    json_close(&json);
    fputc('\n', stream);
    return fflush(stream) != 0 || ferror(stream) ? -1 : 0;
}
