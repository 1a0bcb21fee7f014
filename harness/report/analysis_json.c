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
 * What each thing is: analysis.h. */
#include "report.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

static const char *const view_names[VIEWS] = {[VIEW_PAIRS] = "pairs", [VIEW_OTHERS] = "others", [VIEW_GPUS] = "gpus"};

static const char *const part_names[SPREAD_PARTS] = {
    [SPREAD_WITHIN] = "within", [SPREAD_GPUS] = "gpus", [SPREAD_DAYS] = "days"};

static json_t *of_count(size_t count)
{
    return json_integer((json_int_t)count);
}

/* Whole numbers without a fraction, as counters are. */
static json_t *of_number(double value)
{
    return fabs(value) < 0x1p53 && rint(value) == value ? json_integer((json_int_t)value) : json_real(value);
}

static json_t *of_text(const char *text)
{
    return text ? json_string(text) : json_null();
}

static json_t *of_tally(const struct tally *tally)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:o}", "rows", of_count(tally->rows), "regressed",
                     of_count(tally->regressed), "unsure", of_count(tally->unsure), "worse", of_count(tally->worse),
                     "better", of_count(tally->better));
}

static json_t *of_view(const struct view *view)
{
    if (view->comparisons == 0)
        return json_null();
    json_t *exits = json_object(), *classes = json_object();
    for (size_t code = 0; code < ROWS(view->exits); code++) {
        const char name[] = {(char)('0' + code), '\0'};
        if (view->exits[code] > 0)
            json_object_set_new(exits, name, of_count(view->exits[code]));
    }
    for (size_t class = 0; class < METRIC_CLASSES; class ++)
        if (view->tallies[class].rows > 0)
            json_object_set_new(classes, metric_class_name((enum metric_class) class), of_tally(&view->tallies[class]));
    return json_pack("{s:o, s:o, s:o, s:o}", "comparisons", of_count(view->comparisons), "exit_codes", exits,
                     "suite_moved", of_count(view->moved), "classes", classes);
}

static json_t *of_views(const struct analysis *analysis)
{
    json_t *views = json_object();
    for (size_t kind = 0; kind < VIEWS; kind++)
        json_object_set_new(views, view_names[kind], of_view(&analysis->views[kind]));
    return views;
}

static json_t *of_offenders(const struct analysis *analysis)
{
    json_t *list = json_array();
    for (size_t i = 0; i < analysis->offender_count; i++) {
        const struct offender *offender = &analysis->offenders[i];
        json_t *item = json_pack("{s:s, s:s}", "kernel", offender->kernel, "metric", offender->metric->name);
        for (size_t kind = 0; kind < VIEWS; kind++)
            json_object_set_new(item, view_names[kind],
                                analysis->views[kind].comparisons ? of_tally(&offender->tallies[kind]) : json_null());
        json_array_append_new(list, item);
    }
    return list;
}

static json_t *of_left_out(const struct analysis *analysis)
{
    json_t *list = json_array();
    for (size_t i = 0; i < analysis->left_out_count; i++)
        json_array_append_new(list, json_pack("{s:s, s:s, s:b}", "kernel", analysis->left_out[i].kernel, "why",
                                              analysis->left_out[i].why, "failed", (int)analysis->left_out[i].failed));
    return list;
}

static json_t *of_spreads(const struct analysis *analysis)
{
    json_t *list = json_array();
    for (size_t i = 0; i < analysis->spread_count; i++) {
        const struct metric_spread *spread = &analysis->spreads[i];
        json_t *item = json_pack("{s:s, s:s, s:s}", "metric", spread->metric->name, "class",
                                 metric_class_name(spread->metric->class), "in",
                                 strcmp(spread->metric->unit, "%") == 0 ? "points" : "share");
        for (size_t part = 0; part < SPREAD_PARTS; part++) {
            const struct spread_of_kernels *of = &spread->parts[part];
            json_object_set_new(item, part_names[part],
                                of->kernels == 0
                                    ? json_null()
                                    : json_pack("{s:o, s:f, s:f, s:s}", "kernels", of_count(of->kernels), "median",
                                                of->median, "worst", of->worst, "worst_kernel", of->worst_kernel));
        }
        json_array_append_new(list, item);
    }
    return list;
}

static json_t *of_exactness(const struct analysis *analysis)
{
    json_t *list = json_array();
    for (size_t i = 0; i < analysis->exactness_count; i++) {
        const struct exactness *exactness = &analysis->exactness[i];
        json_t *wobbles = json_array();
        for (size_t k = 0; k < exactness->wobble_count; k++)
            json_array_append_new(wobbles, json_pack("{s:s, s:o, s:o}", "kernel", exactness->wobbles[k].kernel, "low",
                                                     of_number(exactness->wobbles[k].low), "high",
                                                     of_number(exactness->wobbles[k].high)));
        json_array_append_new(
            list, json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "metric", exactness->metric->name, "class",
                            metric_class_name(exactness->metric->class), "kernels", of_count(exactness->kernels),
                            "repeat", of_count(exactness->repeat), "admitted", of_count(exactness->admitted),
                            "readings", of_count(exactness->readings), "sessions", of_count(exactness->sessions),
                            "all_readings", of_count(exactness->all_readings), "wobbles", wobbles));
    }
    return list;
}

static json_t *of_detectables(const struct analysis *analysis)
{
    json_t *list = json_array();
    for (size_t i = 0; i < analysis->detectable_count; i++) {
        const struct detectable *detectable = &analysis->detectables[i];
        json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:o, s:o, s:f}", "kernel", detectable->kernel, "metric",
                                              detectable->metric->name, "unit", detectable->metric->unit, "base",
                                              of_number(detectable->base), "change", of_number(detectable->change),
                                              "share", detectable->change / detectable->base));
    }
    return list;
}

int analysis_json(const struct analysis *analysis, const struct analysis_style *style, FILE *stream)
{
    json_t *root =
        json_pack("{s:i, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "schema", 1, "exit_code", (int)style->exit_code,
                  "sessions", of_count(analysis->sessions), "kernels", of_count(analysis->kernels), "gpus",
                  of_count(analysis->gpus), "days", of_count(analysis->days), "device", of_text(analysis->device->name),
                  "collector", of_text(analysis->collector), "first_date", of_text(analysis->first_date), "last_date",
                  of_text(analysis->last_date));
    json_object_set_new(root, "left_out", of_left_out(analysis));
    json_object_set_new(root, "views", of_views(analysis));
    json_object_set_new(root, "offenders", of_offenders(analysis));
    json_object_set_new(root, "spread", of_spreads(analysis));
    json_object_set_new(root, "exactness", of_exactness(analysis));
    json_object_set_new(root, "detectable", of_detectables(analysis));
    const int dumped = json_dumpf(root, stream, JSON_INDENT(1));
    json_decref(root);
    fputc('\n', stream);
    return dumped < 0 || fflush(stream) != 0 || ferror(stream) ? -1 : 0;
}
