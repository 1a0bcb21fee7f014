/* Reads one kernel of a run file, or of a worker's answer. */
#include "run_file.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int expect_metric_name(const struct json_at *list, const char *name)
{
    const size_t length = name_length(name);
    if (length > 0 && length <= NAME_LENGTH && !name[length])
        return 0;
    return json_error(list, "\"%.64s\" is no metric name: at most %d of a-z, 0-9 and _", name, NAME_LENGTH);
}

bool is_kernel_id(const char *text)
{
    const size_t length = id_length(text);
    return length > 0 && length <= NAME_LENGTH && !text[length];
}

/* Reads three extents. None of them is 0 in a launch that took place. */
static int read_extents(const struct json_at *above, json_t *object, const char *key, unsigned extents[3])
{
    struct json_at list = {above, key, 0};
    json_t *value = json_object_get(object, key);
    if (!value && json_object_get(object, "machine"))
        return 0; /* a launch of which only the machine code is known, since nobody made it */
    if (json_at_expect(&list, value, JSON_ARRAY, "a list of three numbers") < 0)
        return -1;
    if (json_array_size(value) != 3)
        return json_error(&list, "has %zu numbers, not 3", json_array_size(value));
    for (size_t i = 0; i < 3; i++) {
        struct json_at at = {&list, NULL, i};
        long long whole;
        if (json_at_whole(&at, json_array_get(value, i), 1, UINT32_MAX, &whole) < 0)
            return -1;
        extents[i] = (unsigned)whole;
    }
    return 0;
}

static int read_machine(const struct json_at *above, json_t *object, struct launch *launch)
{
    static const char *const keys[] = {"barriers", "local", "max_threads", "registers", "shared", "tensor"};
    struct machine *machine = &launch->machine;
    struct json_at at = {above, "machine", 0};
    json_t *value = json_object_get(object, at.key);
    if (!value)
        return 0;
    bool tensor = false;
    launch->has_machine = true;
    if (json_at_object(&at, value, keys, ARRAY_SIZE(keys)) < 0 ||
        json_at_unsigned_key(&at, value, "barriers", &machine->barriers) < 0 ||
        json_at_unsigned_key(&at, value, "local", &machine->local_bytes) < 0 ||
        json_at_unsigned_key(&at, value, "max_threads", &machine->max_threads) < 0 ||
        json_at_unsigned_key(&at, value, "registers", &machine->registers) < 0 ||
        json_at_unsigned_key(&at, value, "shared", &machine->shared_bytes) < 0 ||
        (json_object_get(value, "tensor") && json_at_flag(&at, value, "tensor", &tensor) < 0))
        return -1;
    if (json_object_get(value, "tensor"))
        machine->tensor = tensor ? TENSOR_USED : TENSOR_UNUSED;
    return 0;
}

static int read_carve_out(const struct json_at *above, json_t *object, struct launch *launch)
{
    struct json_at at = {above, "carve_out", 0};
    long long percent;
    json_t *value = json_object_get(object, at.key);
    if (!value)
        return 0;
    if (json_at_whole(&at, value, 0, 100, &percent) < 0)
        return -1;
    launch->carve_out = (unsigned)percent + 1;
    return 0;
}

static int read_launches(const struct json_at *above, json_t *object, struct result *result)
{
    static const char *const keys[] = {"block",   "carve_out", "code",   "function", "grid",
                                       "machine", "mix",       "shared", "times"};
    struct json_at list = {above, "launches", 0};
    json_t *value = json_object_get(object, list.key);
    if (!value)
        return 0;
    if (json_at_expect(&list, value, JSON_ARRAY, "a list") < 0)
        return -1;
    for (size_t i = 0; i < json_array_size(value); i++) {
        struct json_at at = {&list, NULL, i};
        json_t *member = json_array_get(value, i);
        struct launch *launch = ARRAY_GROW(result->launches, result->launch_count);
        if (json_at_object(&at, member, keys, ARRAY_SIZE(keys)) < 0 ||
            json_at_text(&at, member, "function", false, &launch->function) < 0 ||
            json_at_text(&at, member, "code", false, &launch->code) < 0 ||
            json_at_text(&at, member, "mix", false, &launch->mix) < 0 ||
            read_extents(&at, member, "grid", launch->grid) < 0 ||
            read_extents(&at, member, "block", launch->block) < 0 ||
            json_at_unsigned_key(&at, member, "shared", &launch->shared) < 0 ||
            json_at_unsigned_key(&at, member, "times", &launch->times) < 0 || read_carve_out(&at, member, launch) < 0 ||
            read_machine(&at, member, launch) < 0)
            return -1;
    }
    return 0;
}

/* Reads the samples of one session. */
static int read_samples(const struct json_at *at, json_t *value, struct row *row)
{
    if (json_at_expect(at, value, JSON_ARRAY, "a list of samples") < 0)
        return -1;
    size_t count = json_array_size(value);
    if (count == 0)
        return json_error(at, "is a session without a sample");
    int result = -1;
    double *samples = x_calloc(count, sizeof *samples);
    for (size_t i = 0; i < count; i++) {
        struct json_at element = {at, NULL, i};
        if (json_at_number(&element, json_array_get(value, i), &samples[i]) < 0)
            goto out;
    }
    row_add_session(row, samples, count);
    result = 0;
out:
    free(samples);
    return result;
}

static int read_state(const struct json_at *above, json_t *object, struct row *row)
{
    const struct json_at at = {above, "state", 0};
    json_t *value = json_object_get(object, at.key);
    if (json_at_expect(&at, value, JSON_STRING, "a text") < 0)
        return -1;
    row->state = value_state_of(json_string_value(value));
    if (row->state == VALUE_MEASURED)
        return json_error(&at, "is \"measured\", which needs \"sessions\" instead");
    if (row->state == VALUE_STATES)
        return json_error(&at, "is \"%.64s\", but must be one of %s, %s, %s", json_string_value(value),
                          value_state_name(VALUE_NOT_COUNTED), value_state_name(VALUE_NOT_SUPPORTED),
                          value_state_name(VALUE_NOT_APPLICABLE));
    if (json_at_text(above, object, "reason", false, &row->reason) < 0)
        return -1;
    if (row->reason && row->state != VALUE_NOT_COUNTED)
        return json_error(above, "has a \"reason\", but is \"%s\" and not \"%s\"", value_state_name(row->state),
                          value_state_name(VALUE_NOT_COUNTED));
    return 0;
}

static int read_pairs(const struct json_at *above, json_t *object, struct row *row)
{
    struct json_at list = {above, "pairs", 0};
    json_t *value = json_object_get(object, list.key);
    if (!value)
        return 0;
    if (json_at_expect(&list, value, JSON_ARRAY, "a list") < 0)
        return -1;
    for (size_t i = 0; i < json_array_size(value); i++) {
        struct json_at at = {&list, NULL, i};
        json_t *pair = json_array_get(value, i);
        double numbers[2];
        if (json_at_expect(&at, pair, JSON_ARRAY, "a list of base and head") < 0)
            return -1;
        if (json_array_size(pair) != 2)
            return json_error(&at, "has %zu numbers, not 2", json_array_size(pair));
        for (size_t k = 0; k < 2; k++) {
            struct json_at element = {&at, NULL, k};
            if (json_at_number(&element, json_array_get(pair, k), &numbers[k]) < 0)
                return -1;
        }
        row_add_pair(row, numbers[0], numbers[1]);
    }
    return 0;
}

/* Reads what a baseline keeps of a row beside its sessions. */
static int read_memory(const struct json_at *above, json_t *object, struct row *row)
{
    static const char *const keys[] = {"commit", "date", "reason", "value"};
    if (json_object_get(object, "readings")) {
        long long readings;
        struct json_at at = {above, "readings", 0};
        if (json_at_whole(&at, json_object_get(object, at.key), 0, UINT32_MAX, &readings) < 0)
            return -1;
        row->has_readings = true;
        row->readings = (size_t)readings;
    }
    if (json_object_get(object, "anchor")) {
        if (json_at_number_key(above, object, "anchor", &row->drift_reference) < 0)
            return -1;
        row->has_drift_reference = true;
    }
    struct json_at at = {above, "previous", 0};
    json_t *value = json_object_get(object, at.key);
    if (!value)
        return 0;
    row->previous = x_calloc(1, sizeof *row->previous);
    if (json_at_object(&at, value, keys, ARRAY_SIZE(keys)) < 0 ||
        json_at_text(&at, value, "commit", false, &row->previous->commit) < 0 ||
        json_at_text(&at, value, "date", false, &row->previous->date) < 0 ||
        json_at_text(&at, value, "reason", false, &row->previous->reason) < 0 ||
        json_at_number_key(&at, value, "value", &row->previous->value) < 0)
        return -1;
    return 0;
}

/* Reads which sessions the values are from. Where nothing is said, they are the first ones. */
static int read_places(const struct json_at *above, json_t *value, struct row *row)
{
    struct json_at list = {above, "from", 0};
    if (!value)
        return 0;
    if (json_at_expect(&list, value, JSON_ARRAY, "a list") < 0)
        return -1;
    if (json_array_size(value) != row->session_count)
        return json_error(&list, "names %zu sessions for %zu values", json_array_size(value), row->session_count);
    for (size_t i = 0; i < row->session_count; i++) {
        struct json_at at = {&list, NULL, i};
        long long number;
        if (json_at_whole(&at, json_array_get(value, i), 0, INT32_MAX, &number) < 0)
            return -1;
        row->sessions[i].session = (size_t)number;
    }
    return 0;
}

static int read_row(const struct json_at *at, json_t *object, struct row *row)
{
    static const char *const keys[] = {"anchor",   "from",   "pairs",    "previous",
                                       "readings", "reason", "sessions", "state"};
    if (json_at_object(at, object, keys, ARRAY_SIZE(keys)) < 0)
        return -1;
    const bool has_reason = json_object_get(object, "reason") != NULL;
    if (json_object_get(object, "state") ? json_object_size(object) != (has_reason ? 2 : 1)
                                         : !json_object_get(object, "sessions"))
        return json_error(at, "needs either \"sessions\" or \"state\"");
    if (has_reason && !json_object_get(object, "state"))
        return json_error(at, "has a \"reason\", which goes with \"state\"");
    struct json_at list = {at, "sessions", 0};
    json_t *value = json_object_get(object, list.key);
    if (!value)
        return read_state(at, object, row);
    if (json_at_expect(&list, value, JSON_ARRAY, "a list") < 0)
        return -1;
    if (json_array_size(value) == 0)
        return json_error(&list, "is empty: a metric that was not measured has a \"state\" instead");
    for (size_t i = 0; i < json_array_size(value); i++) {
        struct json_at session = {&list, NULL, i};
        if (read_samples(&session, json_array_get(value, i), row) < 0)
            return -1;
    }
    if (json_object_size(object) == 1) /* most rows have only this key */
        return 0;
    if (read_places(at, json_object_get(object, "from"), row) < 0)
        return -1;
    return read_pairs(at, object, row) < 0 || read_memory(at, object, row) < 0 ? -1 : 0;
}

/* Reads all rows, then sorts them once. Sorting in place would take hours for a large file in the worst order. */
static int read_rows(const struct json_at *above, json_t *object, struct result *result)
{
    struct json_at list = {above, "metrics", 0};
    json_t *value = json_object_get(object, list.key);
    if (!value)
        return 0;
    if (json_at_expect(&list, value, JSON_OBJECT, "an object") < 0)
        return -1;
    if (json_object_size(value) > 0 && result->status != RESULT_OK)
        return json_error(&list, "must be empty, because the kernel's status is \"%s\"",
                          result_status_name(result->status));
    const char *name;
    json_t *member;
    json_object_foreach(value, name, member)
    {
        if (expect_metric_name(&list, name) < 0)
            return -1;
        struct json_at at = {&list, name, 0};
        struct row *row = ARRAY_GROW(result->rows, result->row_count);
        row->metric = x_strdup(name);
        if (read_row(&at, member, row) < 0)
            return -1;
    }
    sort_by_name(result->rows, result->row_count, sizeof *result->rows);
    return 0;
}

static int read_status(const struct json_at *above, json_t *object, struct result *result)
{
    struct json_at at = {above, "status", 0};
    json_t *value = json_object_get(object, at.key);
    if (json_at_expect(&at, value, JSON_STRING, "a text") < 0)
        return -1;
    result->status = result_status_of(json_string_value(value));
    if (result->status == RESULT_STATUSES)
        return json_error(&at, "is \"%.64s\", which is no status of a kernel", json_string_value(value));
    if (json_at_text(above, object, "reason", false, &result->reason) < 0)
        return -1;
    if (result->status == RESULT_OK && result->reason)
        return json_error(above, "is \"ok\", but has a \"reason\"");
    return 0;
}

/* Reads the seconds. Files of older versions, and of programs, lack them. */
static int read_seconds(const struct json_at *at, json_t *object, struct result *result)
{
    return json_object_get(object, "seconds") ? json_at_number_key(at, object, "seconds", &result->seconds) : 0;
}

int read_result(const struct json_at *above, const char *id, json_t *object, struct result *result)
{
    static const char *const keys[] = {"base_lines", "bytes",       "doubt",    "elsewhere", "flops",
                                       "inputs",     "launched_by", "launches", "lines",     "metrics",
                                       "reason",     "seconds",     "status",   "unpaired",  "varies"};
    if (!is_kernel_id(id))
        return json_error(above,
                          "\"%.64s\" is no kernel: write family/variant or family/variant[axis=value], at most %d "
                          "letters, digits, _ and, but not first, " ID_MARKS,
                          id, NAME_LENGTH);
    struct json_at at = {above, id, 0};
    result->id = x_strdup(id);
    if (json_at_object(&at, object, keys, ARRAY_SIZE(keys)) < 0 || read_status(&at, object, result) < 0 ||
        json_at_number_key(&at, object, "bytes", &result->bytes) < 0 ||
        json_at_number_key(&at, object, "flops", &result->flops) < 0 || read_seconds(&at, object, result) < 0 ||
        json_at_text(&at, object, "inputs", false, &result->inputs) < 0 || read_launches(&at, object, result) < 0 ||
        read_profile(&at, object, "lines", &result->profile) < 0 ||
        read_profile(&at, object, "base_lines", &result->base_profile) < 0 ||
        json_at_text(&at, object, "elsewhere", false, &result->elsewhere) < 0 ||
        json_at_text(&at, object, "launched_by", false, &result->launched_by) < 0 ||
        json_at_text(&at, object, "unpaired", false, &result->unpaired) < 0 ||
        json_at_text(&at, object, "varies", false, &result->varies) < 0 ||
        json_at_text(&at, object, "doubt", false, &result->doubt) < 0 || read_rows(&at, object, result) < 0)
        return -1;
    return 0;
}

int result_from_line(struct result *result, const char *line)
{
    struct json_at top = {NULL, "a worker's answer", 0};
    int outcome = -1;
    *result = (struct result){0};
    json_t *root = json_at_parse(top.key, line, strlen(line));
    if (!root)
        return -1;
    const char *id = json_object_iter_key(json_object_iter(root));
    if (json_object_size(root) != 1)
        json_error(&top, "must be an object of one kernel");
    else
        outcome = read_result(&top, id, json_object_get(root, id), result);
    json_at_end(root);
    if (outcome < 0)
        result_release(result);
    return outcome;
}
