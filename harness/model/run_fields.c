/* How a run is in a file, but for its results: result_fields.c. */
#include "run_file.h"

#define OF(of, member) offsetof(struct of, member)
#define AT(of, member) .offset = OF(of, member)

/* ---- How metrics were defined. Files of older versions have only counter and unit. ---- */

static const struct json_field note_fields[] = {
    {"better", FIELD_CHOICE, AT(metric_note, better), .when = OF(metric_note, judged), .name = metric_better_name,
     .names = METRIC_BETTERS, .what = "direction"},
    {"class", FIELD_CHOICE, AT(metric_note, class), .when = OF(metric_note, judged), .name = metric_class_name,
     .names = METRIC_CLASSES, .what = "class"},
    {"clock", FIELD_TEXT, AT(metric_note, clock), .when = OF(metric_note, judged)},
    {"counter", FIELD_TEXT, AT(metric_note, counter)},
    {"few", FIELD_NUMBER, AT(metric_note, few), .when = OF(metric_note, judged), .optional = true},
    {"floor", FIELD_NUMBER, AT(metric_note, floor_absolute), .when = OF(metric_note, judged), .optional = true},
    {"floor_share", FIELD_NUMBER, AT(metric_note, floor_relative), .when = OF(metric_note, judged), .optional = true},
    {"trade", FIELD_TEXT, AT(metric_note, trade), .when = OF(metric_note, judged)},
    {"unit", FIELD_TEXT, AT(metric_note, unit)},
    {"weight", FIELD_TEXT, AT(metric_note, weight), .when = OF(metric_note, judged)},
};

static int check_note(const struct json_at *at, void *of)
{
    struct metric_note *note = of;
    const struct json_at missing = {at, note->class == METRIC_CLASSES ? "class" : "better", 0};
    if (note->judged && (note->class == METRIC_CLASSES || note->better == METRIC_BETTERS))
        return json_error(&missing, "is missing; it must be a string");
    note->class = note->judged ? note->class : 0;
    note->better = note->judged ? note->better : 0;
    return 0;
}

static const struct json_table note_table = {note_fields, ARRAY_SIZE(note_fields), .size = sizeof(struct metric_note),
                                             .check_name = expect_metric_name, .check = check_note};

/* ---- What a shard says of the whole run. One that contradicts itself is refused before anything is merged. ---- */

static void put_kernels(struct json_writer *json, const struct json_field *field, const void *of)
{
    const struct shard *shard = of;
    json_open(json, field->key, '[', JSON_IN_LINE);
    for (size_t i = 0; i < shard->kernel_count; i++)
        json_put_text(json, NULL, shard->kernels[i]);
    json_close(json);
}

static const struct json_field shard_fields[] = {
    {"code", FIELD_TEXT, AT(shard, code), .optional = true},
    {"kernels", FIELD_OTHER, .put = put_kernels, .take = TAKE_KERNELS},
    {"measures", FIELD_SIZE, AT(shard, measures)},
    {"number", FIELD_UNSIGNED, AT(shard, number), .least = 1},
    {"of", FIELD_UNSIGNED, AT(shard, of), .least = 1, .most = SHARDS_MAX},
};

static bool is_part(const void *of)
{
    return ((const struct shard *)of)->of > 0;
}

static int check_shard(const struct json_at *at, void *of)
{
    const struct shard *shard = of;
    const struct json_at number = {at, "number", 0}, measures = {at, "measures", 0};
    if (shard->number > shard->of)
        return json_error(&number, "is %u, but must be between 1 and %u", shard->number, shard->of);
    if (shard->measures > shard->kernel_count)
        return json_error(&measures, "is %zu, but must be between 0 and %zu", shard->measures, shard->kernel_count);
    return 0;
}

static const struct json_table shard_table = {shard_fields, ARRAY_SIZE(shard_fields), .layout = JSON_LINES,
                                              .is_there = is_part, .check = check_shard};

/* ---- The run ---- */

static void put_results(struct json_writer *json, const struct json_field *field, const void *of)
{
    const struct run *run = of;
    json_open(json, field->key, '{', JSON_LINES);
    for (size_t i = 0; i < run->result_count; i++)
        put_result(json, &run->results[i]);
    json_close(json);
}

static void put_schema(struct json_writer *json, const struct json_field *field, const void *of)
{
    (void)of;
    json_put_count(json, field->key, RUN_SCHEMA);
}

static const struct json_field run_fields[] = {
    {"device", FIELD_STRUCT, AT(run, device), .table = &device_table},
    {"kernels", FIELD_MAP, AT(run, results), .count = OF(run, result_count), .table = &result_table,
     .put = put_results},
    {"metrics", FIELD_MAP, AT(run, notes), .count = OF(run, note_count), .table = &note_table},
    {"schema", FIELD_OTHER, .put = put_schema, .take = TAKE_SCHEMA},
    {"sessions", FIELD_LIST, AT(run, sessions), .count = OF(run, session_count), .table = &session_table},
    {"shard", FIELD_STRUCT, AT(run, shard), .optional = true, .table = &shard_table},
};

/* Checks that each value which names a session names one of the file. */
static int check_places(const struct json_at *top, const struct run *run)
{
    for (size_t i = 0; i < run->result_count; i++)
        EACH(const struct row, row, run->results[i].rows, run->results[i].row_count) {
            for (size_t s = 0; s < row->session_count; s++)
                if (row->sessions[s].session != s && row->sessions[s].session >= run->session_count)
                    return json_error(
                        top, "has a value of %s of %s from session %zu, counted from 0, but names only %zu sessions",
                        row->metric, run->results[i].id, row->sessions[s].session, run->session_count);
        }
    return 0;
}

static int check_run(const struct json_at *top, void *of)
{
    const struct run *run = of;
    const struct shard *shard = &run->shard;
    const struct json_at at = {top, "shard", 0};
    if (is_part(shard) && run->result_count > shard->measures)
        return json_error(&at, "should have measured %zu kernels, but the file has %zu", shard->measures,
                          run->result_count);
    for (size_t i = 0; is_part(shard) && i < run->result_count; i++) {
        char *const *id = &run->results[i].id;
        if (!bsearch(id, shard->kernels, shard->kernel_count, sizeof *shard->kernels, by_text))
            return json_error(&at, "lacks %s, which the file has", *id);
    }
    return check_places(top, run);
}

const struct json_table run_table = {run_fields, ARRAY_SIZE(run_fields), .layout = JSON_LINES, .check = check_run};
