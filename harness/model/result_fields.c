/* How a result is in a file: the tables of its parts, what needs more than a row, and what has to hold of what was
 * read. */
#include "run_file.h"

#define OF(of, member) offsetof(struct of, member)
#define AT(of, member) .offset = OF(of, member)

int expect_metric_name(const struct json_at *list, const char *name)
{
    const size_t length = name_length(name);
    if (length > 0 && length <= NAME_LENGTH && !name[length])
        return 0;
    return json_error(list, "\"%.64s\" is not a metric name: use at most %d characters of a-z, 0-9 and _", name,
                      NAME_LENGTH);
}

bool is_kernel_id(const char *text)
{
    const size_t length = id_length(text);
    return length > 0 && length <= NAME_LENGTH && !text[length];
}

/* ---- A launch ---- */

static const struct json_field machine_fields[] = {
    {"barriers", FIELD_UNSIGNED, AT(code_facts, barriers)},
    {"local", FIELD_UNSIGNED, AT(code_facts, local_bytes)},
    {"max_threads", FIELD_UNSIGNED, AT(code_facts, max_threads)},
    {"registers", FIELD_UNSIGNED, AT(code_facts, registers)},
    {"shared", FIELD_UNSIGNED, AT(code_facts, shared_bytes)},
    {"tensor", FIELD_MAYBE, AT(code_facts, tensor), .optional = true},
};
static const struct json_table machine_table = {machine_fields, ARRAY_SIZE(machine_fields),
                                                .size = sizeof(struct code_facts)};

static const struct json_field launch_fields[] = {
    {"block", FIELD_EXTENTS, AT(launch, block), .optional = true},
    {"carve_out", FIELD_PERCENT, AT(launch, carve_out), .optional = true},
    {"code", FIELD_TEXT, AT(launch, code), .optional = true},
    {"function", FIELD_TEXT, AT(launch, function), .optional = true},
    {"grid", FIELD_EXTENTS, AT(launch, grid), .optional = true},
    {"machine", FIELD_STRUCT, AT(launch, machine), .when = OF(launch, has_machine), .table = &machine_table},
    {"mix", FIELD_TEXT, AT(launch, mix), .optional = true},
    {"shared", FIELD_UNSIGNED, AT(launch, shared)},
    {"times", FIELD_UNSIGNED, AT(launch, times)},
};

/* A launch of which only the machine code is known, since nobody made it, has no extents. */
static int check_launch(const struct json_at *at, void *of)
{
    struct launch *launch = of;
    const struct json_at missing = {at, launch->grid[0] == 0 ? "grid" : "block", 0};
    if (launch->has_machine || (launch->grid[0] > 0 && launch->block[0] > 0))
        return 0;
    return json_error(&missing, "is missing; it must be a list of three numbers");
}

static const struct json_table launch_table = {launch_fields, ARRAY_SIZE(launch_fields), .size = sizeof(struct launch),
                                               .check = check_launch};

/* ---- Source lines ---- */

static void put_stalls(struct json_writer *json, const struct json_field *field, const void *of)
{
    const struct profile_line *line = of;
    json_open(json, field->key, '{', JSON_IN_LINE);
    for (size_t i = 0; i < line->stall_count; i++)
        json_put_reading(json, line->stalls[i].reason, line->stalls[i].samples);
    json_close(json);
}

static const struct json_field line_fields[] = {
    {"counts", FIELD_NAMED, AT(profile_line, counts), .name = line_counter_name, .names = LINE_COUNTERS},
    {"file", FIELD_TEXT, AT(profile_line, file), .optional = true},
    {"function", FIELD_TEXT, AT(profile_line, function)},
    {"line", FIELD_UNSIGNED, AT(profile_line, number), .optional = true, .least = 1},
    {"offset", FIELD_UNSIGNED, AT(profile_line, offset)},
    {"stalls", FIELD_OTHER, .put = put_stalls, .take = TAKE_STALLS},
    {"text", FIELD_TEXT, AT(profile_line, text), .optional = true},
};

static int check_line(const struct json_at *at, void *of)
{
    const struct profile_line *line = of;
    const struct json_at number = {at, "line", 0};
    if (!line->file && (line->number || line->text))
        return json_error(at, "has a \"%s\" but no \"file\"", line->number ? "line" : "text");
    return line->file && !line->number ? json_error(&number, "is missing; it must be a whole number") : 0;
}

static const struct json_table line_table = {line_fields, ARRAY_SIZE(line_fields), .size = sizeof(struct profile_line),
                                             .check = check_line};

static void put_counted(struct json_writer *json, const struct json_field *field, const void *of)
{
    const struct profile *profile = of;
    json_open(json, field->key, '[', JSON_IN_LINE);
    for (enum line_counter counter = 0; counter < LINE_COUNTERS; counter++)
        if (profile->counted & 1u << counter)
            json_put_text(json, NULL, line_counter_name(counter));
    json_close(json);
}

static const struct json_field profile_fields[] = {
    {"counted", FIELD_OTHER, .put = put_counted, .take = TAKE_COUNTED},
    {"estimated", FIELD_FLAG, AT(profile, estimated), .when = OF(profile, estimated)},
    {"launches", FIELD_UNSIGNED, AT(profile, launches)},
    {"list", FIELD_LIST, AT(profile, list), .count = OF(profile, count), .table = &line_table},
    {"period", FIELD_UNSIGNED, AT(profile, period)},
};

static bool has_profile(const void *of)
{
    const struct profile *profile = of;
    return profile->counted || profile->period;
}

/* The lines were sorted when they were written; those of something else are sorted now. */
static int check_profile(const struct json_at *at, void *of)
{
    struct profile *profile = of;
    OWNED(profile_line) known = {0}; /* the reasons of all lines */
    if (!has_profile(profile))
        return json_error(at, "has neither \"counted\", the counters, nor \"period\", that of its samples");
    if (profile->period && !profile->launches)
        return json_error(at, "has samples of 0 \"launches\"");
    if (profile->period && profile->estimated)
        return json_error(at, "has stalls that are both sampled (\"period\") and \"estimated\"");
    for (size_t i = 0; i < profile->count && known.stall_count <= STALL_REASONS; i++)
        for (size_t k = 0; k < profile->list[i].stall_count; k++)
            profile_line_add_stall(&known, profile->list[i].stalls[k].reason, 0);
    const bool too_many = known.stall_count > STALL_REASONS;
    if (too_many)
        return json_error(at, "has more than %d stall reasons; no GPU has that many", STALL_REASONS);
    profile_sort(profile);
    return 0;
}

static const struct json_table profile_table = {profile_fields, ARRAY_SIZE(profile_fields), .layout = JSON_LINES,
                                                .is_there = has_profile, .check = check_profile};

/* ---- A row ---- */

/* Writes which sessions the values are from. Nothing is written where they are the first of the file, in order. */
static void put_places(struct json_writer *json, const struct json_field *field, const void *of)
{
    const struct row *row = of;
    const bool elsewhere = ANY(i, row->session_count, row->sessions[i].session != i);
    if (!elsewhere)
        return;
    json_open(json, field->key, '[', JSON_IN_LINE);
    for (size_t i = 0; i < row->session_count; i++)
        json_put_count(json, NULL, row->sessions[i].session);
    json_close(json);
}

static void put_numbers(struct json_writer *json, const double *numbers, size_t count)
{
    json_open(json, NULL, '[', JSON_IN_LINE);
    for (size_t i = 0; i < count; i++)
        json_put_reading(json, NULL, numbers[i]);
    json_close(json);
}

static void put_pairs(struct json_writer *json, const struct json_field *field, const void *of)
{
    const struct row *row = of;
    if (row->pair_count == 0)
        return;
    json_open(json, field->key, '[', JSON_IN_LINE);
    for (size_t i = 0; i < row->pair_count; i++)
        put_numbers(json, (const double[]){row->pairs[i].base, row->pairs[i].head}, 2);
    json_close(json);
}

static void put_sessions(struct json_writer *json, const struct json_field *field, const void *of)
{
    const struct row *row = of;
    if (row->state == VALUE_MEASURED && row->session_count == 0)
        BUG("%s is \"measured\", but has no session", row->metric);
    if (row->session_count == 0)
        return;
    json_open(json, field->key, '[', JSON_IN_LINE);
    for (size_t i = 0; i < row->session_count; i++)
        put_numbers(json, row->sessions[i].samples, row->sessions[i].count);
    json_close(json);
}

static void put_state(struct json_writer *json, const struct json_field *field, const void *of)
{
    const struct row *row = of;
    if (row->state != VALUE_MEASURED)
        json_put_text(json, field->key, value_state_name(row->state));
}

static const struct json_field previous_fields[] = {
    {"commit", FIELD_TEXT, AT(previous, commit), .optional = true},
    {"date", FIELD_TEXT, AT(previous, date), .optional = true},
    {"reason", FIELD_TEXT, AT(previous, reason), .optional = true},
    {"value", FIELD_NUMBER, AT(previous, value)},
};
static const struct json_table previous_table = {previous_fields, ARRAY_SIZE(previous_fields),
                                                 .size = sizeof(struct previous)};

static const struct json_field row_fields[] = {
    {"anchor", FIELD_NUMBER, AT(row, drift_reference), .when = OF(row, has_drift_reference)},
    {"from", FIELD_OTHER, .optional = true, .put = put_places, .take = TAKE_PLACES},
    {"pairs", FIELD_OTHER, .optional = true, .put = put_pairs, .take = TAKE_PAIRS},
    {"previous", FIELD_OWNED, AT(row, previous), .optional = true, .table = &previous_table},
    {"readings", FIELD_SIZE, AT(row, readings), .when = OF(row, has_readings), .most = UINT32_MAX},
    {"reason", FIELD_TEXT, AT(row, reason), .optional = true},
    {"sessions", FIELD_OTHER, .optional = true, .put = put_sessions, .take = TAKE_SESSIONS},
    {"state", FIELD_CHOICE, AT(row, state), .optional = true, .name = value_state_name, .names = VALUE_STATES,
     .what = "state: not counted, not supported, not applicable", .put = put_state},
};

static int check_row(const struct json_at *at, void *of)
{
    const struct row *row = of;
    const struct json_at state = {at, "state", 0};
    if (row->session_count == 0 && row->state == VALUE_MEASURED)
        return json_error(&state, "is \"measured\", which needs \"sessions\" instead");
    if (row->session_count == 0 && (row->state == VALUE_STATES || row_is_annotated(row)))
        return json_error(at, "needs either \"sessions\" or \"state\"");
    if (row->reason && row->state == VALUE_MEASURED)
        return json_error(at, "has a \"reason\" without a \"state\"");
    if (row->reason && row->state != VALUE_NOT_COUNTED)
        return json_error(at, "has a \"reason\", but is \"%s\" and not \"%s\"", value_state_name(row->state),
                          value_state_name(VALUE_NOT_COUNTED));
    return 0;
}

static const struct json_table row_table = {row_fields, ARRAY_SIZE(row_fields), .size = sizeof(struct row),
                                            .check_name = expect_metric_name, .check = check_row};

/* ---- A result ---- */

/* What else is known of a row without a number is not in files, nor is why one with a number once had none. */
static void put_rows(struct json_writer *json, const struct json_field *field, const void *of)
{
    const struct result *result = of;
    json_open(json, field->key, '{', JSON_LINES);
    for (size_t i = 0; i < result->row_count; i++) {
        struct row row = result->rows[i];
        if (row.state != VALUE_MEASURED)
            row = (struct row){.state = row.state, .reason = row.reason};
        else
            row.reason = NULL;
        json_put_fields(json, result->rows[i].metric, &row_table, &row);
    }
    json_close(json);
}

static const struct json_field part_fields[] = {
    {"part", FIELD_NUMBER, AT(time_part, part)},
};
static const struct json_table part_table = {part_fields, ARRAY_SIZE(part_fields), .size = sizeof(struct time_part),
                                             .layout = JSON_IN_LINE};

static const struct json_field estimated_fields[] = {
    {"bound_by", FIELD_TEXT, AT(estimated_time, bound_by), .optional = true},
    {"busy", FIELD_MAP, AT(estimated_time, busy), .optional = true, .count = OF(estimated_time, busy_count),
     .table = &part_table},
    {"high", FIELD_NUMBER, AT(estimated_time, high), .optional = true},
    {"low", FIELD_NUMBER, AT(estimated_time, low), .optional = true},
    {"model", FIELD_TEXT, AT(estimated_time, model), .optional = true},
    {"moved", FIELD_MAP, AT(estimated_time, moved), .optional = true, .count = OF(estimated_time, moved_count),
     .table = &part_table},
    {"ns", FIELD_NUMBER, AT(estimated_time, ns), .optional = true},
    {"refused", FIELD_TEXT, AT(estimated_time, refused), .optional = true},
};

static int check_estimated(const struct json_at *at, void *of)
{
    const struct estimated_time *estimated = of;
    if (estimated->refused ? estimated->ns != 0 || estimated->moved_count + estimated->busy_count > 0
                           : !estimated->model || !(estimated->ns > 0))
        return json_error(at, "needs either \"refused\" alone, or \"ns\" above 0 and \"model\"");
    if (!(estimated->low <= estimated->ns && estimated->ns <= estimated->high) && !estimated->refused)
        return json_error(at, "has \"ns\" outside \"low\" to \"high\"");
    for (size_t i = 0; i < estimated->moved_count; i++)
        if (!(estimated->moved[i].part > 0))
            return json_error(at, "has a \"part\" that is not above 0");
    return 0;
}

static const struct json_table estimated_table = {estimated_fields, ARRAY_SIZE(estimated_fields),
                                                  .size = sizeof(struct estimated_time), .layout = JSON_LINES,
                                                  .check = check_estimated};

static const struct json_field result_fields[] = {
    {"base_lines", FIELD_STRUCT, AT(result, base_profile), .optional = true, .table = &profile_table},
    {"blocks", FIELD_NUMBER, AT(result, blocks), .optional = true},
    {"blocks_executed", FIELD_NUMBER, AT(result, blocks_executed), .optional = true},
    {"bytes", FIELD_NUMBER, AT(result, bytes)},
    {"elsewhere", FIELD_TEXT, AT(result, elsewhere), .optional = true},
    {"estimated_time", FIELD_OWNED, AT(result, estimated), .optional = true, .table = &estimated_table},
    {"flops", FIELD_NUMBER, AT(result, flops)},
    {"inputs", FIELD_TEXT, AT(result, inputs), .optional = true},
    {"launched_by", FIELD_TEXT, AT(result, launched_by), .optional = true},
    {"launches", FIELD_LIST, AT(result, launches), .optional = true, .count = OF(result, launch_count),
     .table = &launch_table},
    {"lines", FIELD_STRUCT, AT(result, profile), .optional = true, .table = &profile_table},
    {"metrics", FIELD_MAP, AT(result, rows), .optional = true, .count = OF(result, row_count), .table = &row_table,
     .put = put_rows},
    {"not_proved", FIELD_TEXT, AT(result, not_proved), .optional = true},
    {"reason", FIELD_TEXT, AT(result, reason), .optional = true},
    {"seconds", FIELD_NUMBER, AT(result, seconds), .optional = true},
    {"status", FIELD_CHOICE, AT(result, status), .name = result_status_name, .names = RESULT_STATUSES,
     .what = "status of a kernel"},
    {"unpaired", FIELD_TEXT, AT(result, unpaired), .optional = true},
    {"varies", FIELD_TEXT, AT(result, varies), .optional = true},
    {"doubt", FIELD_TEXT, AT(result, doubt), .optional = true},
    {"outside", FIELD_TEXT, AT(result, outside), .optional = true},
    {"suppressed", FIELD_TEXT, AT(result, suppressed), .optional = true},
    {"near", FIELD_TEXT, AT(result, near), .optional = true},
    {"off", FIELD_NUMBER, AT(result, off), .optional = true},
};

static int expect_kernel_id(const struct json_at *list, const char *id)
{
    return is_kernel_id(id)
               ? 0
               : json_error(list,
                            "\"%.64s\" is not a kernel: write family/variant or family/variant[axis=value], at most %d "
                            "letters, digits, _ and, after the first, " ID_MARKS,
                            id, NAME_LENGTH);
}

static int check_result(const struct json_at *at, void *of)
{
    const struct result *result = of;
    const struct json_at metrics = {at, "metrics", 0};
    if (result->status == RESULT_OK && result->reason)
        return json_error(at, "is \"ok\", but has a \"reason\"");
    if (result->status != RESULT_OK && result->row_count > 0)
        return json_error(&metrics, "must be empty, because the kernel's status is \"%s\"",
                          result_status_name(result->status));
    return 0;
}

const struct json_table result_table = {
    result_fields,        ARRAY_SIZE(result_fields),      .size = sizeof(struct result),
    .layout = JSON_LINES, .check_name = expect_kernel_id, .check = check_result};

void put_result(struct json_writer *json, const struct result *result)
{
    struct result written = *result;
    if (written.status == RESULT_OK) {
        written.reason = NULL;
    } else { /* what a kernel counted before it failed is no measurement */
        written.row_count = 0;
        written.elsewhere = written.varies = written.doubt = written.outside = written.near = written.not_proved = NULL;
        written.suppressed = NULL;
        written.estimated = NULL;
        written.blocks = written.blocks_executed = written.off = 0;
    }
    json_put_fields(json, result->id, &result_table, &written);
}
