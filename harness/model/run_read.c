/* Reads run files, for run.h. Jansson knows the syntax of JSON, this file and its parts the structure. A run file may
 * come from anyone, so anything that run_write() would not write is an error that says where it is. */
#include "base/base.h"

#include "run_file.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Reads a flag of the device. A flag that is absent sets *unknown. */
static int read_device_flag(const struct json_at *at, json_t *value, const char *key, bool *flag, bool *unknown)
{
    *unknown = !json_object_get(value, key);
    return *unknown ? 0 : json_at_flag(at, value, key, flag);
}

static int read_device(const struct json_at *above, json_t *root, struct device *device)
{
    static const char *const keys[] = {"name", "compute_capability", "sm_count", "memory_bytes", "ecc", "mig"};
    struct json_at at = {above, "device", 0};
    json_t *value = json_object_get(root, at.key);
    if (json_at_object(&at, value, keys, ARRAY_SIZE(keys)) < 0 ||
        json_at_text(&at, value, "name", false, &device->name) < 0 ||
        json_at_text(&at, value, "compute_capability", false, &device->compute_capability) < 0 ||
        json_at_whole_key(&at, value, "sm_count", &device->sm_count) < 0 ||
        json_at_whole_key(&at, value, "memory_bytes", &device->memory_bytes) < 0 ||
        read_device_flag(&at, value, "ecc", &device->ecc, &device->ecc_unknown) < 0 ||
        read_device_flag(&at, value, "mig", &device->mig, &device->mig_unknown) < 0)
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
    if (json_at_object(&at, value, keys, ARRAY_SIZE(keys)) < 0)
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
        struct session *session = ARRAY_GROW(run->sessions, run->session_count);
        if (json_at_object(&at, facts, keys, ARRAY_SIZE(keys)) < 0)
            return -1;
        for (size_t fact = 0; fact < SESSION_FACTS; fact++)
            if (json_at_text(&at, facts, keys[fact], false, &session->facts[fact]) < 0)
                return -1;
        if (read_roofs(&at, facts, session) < 0)
            return -1;
    }
    return 0;
}

static int read_amount(const struct json_at *at, json_t *note, const char *key, double *amount)
{
    return json_object_get(note, key) ? json_at_number_key(at, note, key, amount) : 0;
}

/* Reads the note of a metric. Files of older versions have only the first two keys. */
static int read_note(const struct json_at *above, json_t *value, struct metric_note *note)
{
    static const char *const keys[] = {"counter",     "unit",   "better", "class", "floor",
                                       "floor_share", "weight", "few",    "clock", "trade"};
    char *class = NULL, *better = NULL;
    if (json_at_object(above, value, keys, ARRAY_SIZE(keys)) < 0)
        return -1;
    note->judged = json_object_size(value) > 2;
    int result = 0;
    if (json_at_text(above, value, "counter", true, &note->counter) < 0 ||
        json_at_text(above, value, "unit", true, &note->unit) < 0 ||
        json_at_text(above, value, "class", note->judged, &class) < 0 ||
        json_at_text(above, value, "better", note->judged, &better) < 0 ||
        read_amount(above, value, "floor", &note->floor_absolute) < 0 ||
        read_amount(above, value, "floor_share", &note->floor_relative) < 0 ||
        read_amount(above, value, "few", &note->few) < 0 ||
        json_at_text(above, value, "weight", false, &note->weight) < 0 ||
        json_at_text(above, value, "clock", false, &note->clock) < 0 ||
        json_at_text(above, value, "trade", false, &note->trade) < 0)
        result = -1;
    note->class = result == 0 && class ? metric_class_of(class) : 0;
    note->better = result == 0 && better ? metric_better_of(better) : 0;
    if (note->class == METRIC_CLASSES)
        result = json_error(above, "has the class \"%.64s\", which is none", class);
    else if (note->better == METRIC_BETTERS)
        result = json_error(above, "has the direction \"%.64s\", which is none", better);
    free(class);
    free(better);
    return result;
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
        if (expect_metric_name(&list, name) < 0)
            return -1;
        struct json_at at = {&list, name, 0};
        struct metric_note *note = ARRAY_GROW(run->notes, run->note_count);
        note->name = x_strdup(name);
        if (read_note(&at, member, note) < 0)
            return -1;
    }
    sort_by_name(run->notes, run->note_count, sizeof *run->notes);
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
        if (read_result(&list, id, member, ARRAY_GROW(run->results, run->result_count)) < 0)
            return -1;
    }
    sort_by_name(run->results, run->result_count, sizeof *run->results);
    return 0;
}

/* Checks that each value which names a session names one of the file. */
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
    static const char *const keys[] = {"device", "kernels", "metrics", "schema", "sessions", "shard"};
    if (json_at_expect(top, root, JSON_OBJECT, "an object") < 0)
        return -1;
    /* The schema is read first, because a later one may have other keys. */
    struct json_at schema = {top, "schema", 0};
    long long number;
    if (json_at_whole(&schema, json_object_get(root, schema.key), 1, INT64_MAX, &number) < 0)
        return -1;
    if (number > RUN_SCHEMA)
        return json_error(&schema, "is %lld, so a newer cugate wrote the file; this one reads up to %d: update cugate",
                          number, RUN_SCHEMA);
    if (json_at_object(top, root, keys, ARRAY_SIZE(keys)) < 0 || read_device(top, root, &run->device) < 0 ||
        read_sessions(top, root, run) < 0 || read_notes(top, root, run) < 0 || read_results(top, root, run) < 0 ||
        read_shard(top, root, run) < 0)
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
    json_at_end(root);
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

/* Files that are read at the same time. */
struct reading {
    struct run *runs;
    const char *const *paths;
    atomic_bool failed;
};

/* Reads one file. After a failure no further file is begun: one message is enough. */
static void read_one(void *data, size_t i)
{
    struct reading *reading = data;
    if (!reading->failed && run_read(&reading->runs[i], reading->paths[i]) < 0)
        reading->failed = true;
}

int runs_read(struct run *runs, const char *const *paths, size_t count)
{
    struct reading reading = {.runs = runs, .paths = paths};
    memset(runs, 0, count * sizeof *runs);
    in_parallel(count, read_one, &reading);
    for (size_t i = 0; i < count && reading.failed; i++)
        run_release(&runs[i]);
    return reading.failed ? -1 : 0;
}
