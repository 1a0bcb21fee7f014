/* The reading half of run.h: Jansson knows the syntax, this file the structure. A run file may come from anyone, so
 * what run_write would not write is an error that says where. */
#include "base/base.h"

#include "run_file.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define NAME_LENGTH 256 /* of a kernel's or metric's name */

static size_t name_length(const char *text)
{
    return strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_");
}

static bool is_metric_name(const char *text)
{
    size_t length = name_length(text);
    return length > 0 && length <= NAME_LENGTH && !text[length];
}

static bool is_kernel_id(const char *text)
{
    size_t family = name_length(text);
    size_t variant = text[family] == '/' ? name_length(text + family + 1) : 0;
    return family > 0 && variant > 0 && !text[family + 1 + variant] && family + 1 + variant <= NAME_LENGTH;
}

static int read_device(const struct json_at *above, json_t *root, struct device *device)
{
    static const char *const keys[] = {"name", "compute_capability", "sm_count", "memory_bytes", "ecc", "mig"};
    struct json_at at = {above, "device", 0};
    json_t *value = json_object_get(root, at.key);
    if (json_at_object(&at, value, keys, ROWS(keys)) < 0 ||
        json_at_text(&at, value, "name", false, &device->name) < 0 ||
        json_at_text(&at, value, "compute_capability", false, &device->compute_capability) < 0 ||
        json_at_whole_key(&at, value, "sm_count", &device->sm_count) < 0 ||
        json_at_whole_key(&at, value, "memory_bytes", &device->memory_bytes) < 0 ||
        json_at_flag(&at, value, "ecc", &device->ecc) < 0 || json_at_flag(&at, value, "mig", &device->mig) < 0)
        return -1;
    return 0;
}

static int read_roofs(const struct json_at *above, json_t *facts, struct session *session)
{
    const char *keys[ROOFS];
    for (enum roof roof = 0; roof < ROOFS; roof++)
        keys[roof] = roof_name(roof);
    struct json_at at = {above, "roofs", 0};
    json_t *value = json_object_get(facts, at.key);
    if (!value)
        return 0;
    if (json_at_object(&at, value, keys, ROWS(keys)) < 0)
        return -1;
    for (enum roof roof = 0; roof < ROOFS; roof++)
        if (json_object_get(value, keys[roof]) && json_at_number_key(&at, value, keys[roof], &session->roofs[roof]) < 0)
            return -1;
    return 0;
}

static int read_sessions(const struct json_at *above, json_t *root, struct run *run)
{
    const char *keys[SESSION_FACTS + 1];
    for (enum session_fact fact = 0; fact < SESSION_FACTS; fact++)
        keys[fact] = session_fact_name(fact);
    keys[SESSION_FACTS] = "roofs";
    struct json_at list = {above, "sessions", 0};
    json_t *value = json_object_get(root, list.key);
    if (json_at_expect(&list, value, JSON_ARRAY, "a list") < 0)
        return -1;
    for (size_t i = 0; i < json_array_size(value); i++) {
        struct json_at at = {&list, NULL, i};
        json_t *facts = json_array_get(value, i);
        struct session *session = ARRAY_ADD(run->sessions, run->session_count);
        if (json_at_object(&at, facts, keys, ROWS(keys)) < 0)
            return -1;
        for (size_t fact = 0; fact < SESSION_FACTS; fact++)
            if (json_at_text(&at, facts, keys[fact], false, &session->facts[fact]) < 0)
                return -1;
        if (read_roofs(&at, facts, session) < 0)
            return -1;
    }
    return 0;
}

static int read_notes(const struct json_at *above, json_t *root, struct run *run)
{
    struct json_at list = {above, "metrics", 0};
    json_t *value = json_object_get(root, list.key);
    if (json_at_expect(&list, value, JSON_OBJECT, "an object") < 0)
        return -1;
    const char *name;
    json_t *member;
    json_object_foreach(value, name, member)
    {
        if (!is_metric_name(name))
            return json_error(&list, "\"%.64s\" is no metric name: at most %d of a-z, 0-9 and _", name, NAME_LENGTH);
        struct json_at at = {&list, name, 0};
        struct metric_note *note = ARRAY_ADD(run->notes, run->note_count);
        note->name = x_strdup(name);
        if (read_note(&at, member, note) < 0)
            return -1;
    }
    if (run->note_count > 0)
        qsort(run->notes, run->note_count, sizeof *run->notes, by_text);
    return 0;
}

/* Three extents, none of which is 0 in a launch that took place. */
static int read_extents(const struct json_at *above, json_t *object, const char *key, unsigned extents[3])
{
    struct json_at list = {above, key, 0};
    json_t *value = json_object_get(object, key);
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
    static const char *const keys[] = {"barriers", "local", "max_threads", "registers", "shared"};
    struct machine *machine = &launch->machine;
    struct json_at at = {above, "machine", 0};
    json_t *value = json_object_get(object, at.key);
    if (!value)
        return 0;
    launch->has_machine = true;
    if (json_at_object(&at, value, keys, ROWS(keys)) < 0 ||
        json_at_unsigned_key(&at, value, "barriers", &machine->barriers) < 0 ||
        json_at_unsigned_key(&at, value, "local", &machine->local_bytes) < 0 ||
        json_at_unsigned_key(&at, value, "max_threads", &machine->max_threads) < 0 ||
        json_at_unsigned_key(&at, value, "registers", &machine->registers) < 0 ||
        json_at_unsigned_key(&at, value, "shared", &machine->shared_bytes) < 0)
        return -1;
    return 0;
}

static int read_launches(const struct json_at *above, json_t *object, struct result *result)
{
    static const char *const keys[] = {"block", "code", "function", "grid", "machine", "shared", "times"};
    struct json_at list = {above, "launches", 0};
    json_t *value = json_object_get(object, list.key);
    if (!value)
        return 0;
    if (json_at_expect(&list, value, JSON_ARRAY, "a list") < 0)
        return -1;
    for (size_t i = 0; i < json_array_size(value); i++) {
        struct json_at at = {&list, NULL, i};
        json_t *member = json_array_get(value, i);
        struct launch *launch = ARRAY_ADD(result->launches, result->launch_count);
        if (json_at_object(&at, member, keys, ROWS(keys)) < 0 ||
            json_at_text(&at, member, "function", false, &launch->function) < 0 ||
            json_at_text(&at, member, "code", false, &launch->code) < 0 ||
            read_extents(&at, member, "grid", launch->grid) < 0 ||
            read_extents(&at, member, "block", launch->block) < 0 ||
            json_at_unsigned_key(&at, member, "shared", &launch->shared) < 0 ||
            json_at_unsigned_key(&at, member, "times", &launch->times) < 0 || read_machine(&at, member, launch) < 0)
            return -1;
    }
    return 0;
}

/* One session: a list of samples. */
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

/* What a baseline remembers of a row. */
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
        if (json_at_number_key(above, object, "anchor", &row->anchor) < 0)
            return -1;
        row->has_anchor = true;
    }
    struct json_at at = {above, "previous", 0};
    json_t *value = json_object_get(object, at.key);
    if (!value)
        return 0;
    row->previous = x_calloc(1, sizeof *row->previous);
    if (json_at_object(&at, value, keys, ROWS(keys)) < 0 ||
        json_at_text(&at, value, "commit", false, &row->previous->commit) < 0 ||
        json_at_text(&at, value, "date", false, &row->previous->date) < 0 ||
        json_at_text(&at, value, "reason", false, &row->previous->reason) < 0 ||
        json_at_number_key(&at, value, "value", &row->previous->value) < 0)
        return -1;
    return 0;
}

/* Which sessions the values are from; the first ones when nothing is said. */
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
    if (json_at_object(at, object, keys, ROWS(keys)) < 0)
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
    if (read_places(at, json_object_get(object, "from"), row) < 0)
        return -1;
    return read_pairs(at, object, row) < 0 || read_memory(at, object, row) < 0 ? -1 : 0;
}

/* Appends and sorts once: adding in place would take hours for a large file in the worst order. */
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
        if (!is_metric_name(name))
            return json_error(&list, "\"%.64s\" is no metric name: at most %d of a-z, 0-9 and _", name, NAME_LENGTH);
        struct json_at at = {&list, name, 0};
        struct row *row = ARRAY_ADD(result->rows, result->row_count);
        row->metric = x_strdup(name);
        if (read_row(&at, member, row) < 0)
            return -1;
    }
    if (result->row_count > 0)
        qsort(result->rows, result->row_count, sizeof *result->rows, by_text);
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

static int read_result(const struct json_at *above, const char *id, json_t *object, struct result *result)
{
    static const char *const keys[] = {"base_lines", "bytes",  "flops",  "launches", "lines",
                                       "metrics",    "reason", "status", "unpaired"};
    if (!is_kernel_id(id))
        return json_error(above, "\"%.64s\" is no kernel: write family/variant, at most %d of a-z, 0-9 and _", id,
                          NAME_LENGTH);
    struct json_at at = {above, id, 0};
    result->id = x_strdup(id);
    if (json_at_object(&at, object, keys, ROWS(keys)) < 0 || read_status(&at, object, result) < 0 ||
        json_at_number_key(&at, object, "bytes", &result->bytes) < 0 ||
        json_at_number_key(&at, object, "flops", &result->flops) < 0 || read_launches(&at, object, result) < 0 ||
        read_lines(&at, object, "lines", &result->lines) < 0 ||
        read_lines(&at, object, "base_lines", &result->base_lines) < 0 ||
        json_at_text(&at, object, "unpaired", false, &result->unpaired) < 0 || read_rows(&at, object, result) < 0)
        return -1;
    return 0;
}

static int read_results(const struct json_at *above, json_t *root, struct run *run)
{
    struct json_at list = {above, "kernels", 0};
    json_t *value = json_object_get(root, list.key);
    if (json_at_expect(&list, value, JSON_OBJECT, "an object") < 0)
        return -1;
    const char *id;
    json_t *member;
    json_object_foreach(value, id, member)
    {
        if (read_result(&list, id, member, ARRAY_ADD(run->results, run->result_count)) < 0)
            return -1;
        json_object_clear(member); /* its memory is the next kernel's: a sixth of the time of a large file */
    }
    if (run->result_count > 0)
        qsort(run->results, run->result_count, sizeof *run->results, by_text);
    return 0;
}

/* A value that says where it is from names a session of the file. */
static int check_places(const struct json_at *top, const struct run *run)
{
    for (size_t i = 0; i < run->result_count; i++)
        for (size_t k = 0; k < run->results[i].row_count; k++) {
            const struct row *row = &run->results[i].rows[k];
            for (size_t s = 0; s < row->session_count; s++)
                if (row->sessions[s].session != s && row->sessions[s].session >= run->session_count)
                    return json_error(
                        top, "holds a value of %s of %s from session %zu, but only %zu are named, counted from 0",
                        row->metric, run->results[i].id, row->sessions[s].session, run->session_count);
        }
    return 0;
}

static int read_run(const struct json_at *top, json_t *root, struct run *run)
{
    static const char *const keys[] = {"device", "kernels", "metrics", "schema", "sessions"};
    if (json_at_expect(top, root, JSON_OBJECT, "an object") < 0)
        return -1;
    /* First, because a later schema may have other keys. */
    struct json_at schema = {top, "schema", 0};
    long long number;
    if (json_at_whole(&schema, json_object_get(root, schema.key), 1, INT64_MAX, &number) < 0)
        return -1;
    if (number > RUN_SCHEMA)
        return json_error(&schema, "is %lld, so a newer cugate wrote the file; this one reads up to %d: update cugate",
                          number, RUN_SCHEMA);
    if (json_at_object(top, root, keys, ROWS(keys)) < 0 || read_device(top, root, &run->device) < 0 ||
        read_sessions(top, root, run) < 0 || read_notes(top, root, run) < 0 || read_results(top, root, run) < 0)
        return -1;
    return check_places(top, run);
}

int run_parse(struct run *run, const char *name, const char *text, size_t length)
{
    *run = (struct run){0};
    json_t *root = json_at_parse(name, text, length);
    if (!root)
        return -1;
    struct json_at top = {NULL, name, 0};
    int result = read_run(&top, root, run);
    json_decref(root);
    if (result < 0)
        run_release(run);
    return result;
}

int run_read(struct run *run, const char *path)
{
    char *text;
    size_t length;
    *run = (struct run){0};
    if (file_read(path, RUN_FILE_LIMIT, &text, &length) < 0)
        return -1;
    int result = run_parse(run, path, text, length);
    free(text);
    if (result == 0 && run->session_count == 0) {
        run_release(run);
        return error("%s: sessions: names no session, so nothing says when and how this was measured", path);
    }
    return result;
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
    json_decref(root);
    if (outcome < 0)
        result_release(result);
    return outcome;
}
