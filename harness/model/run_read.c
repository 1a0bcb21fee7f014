/* Reads run files, for run.h. Jansson knows the syntax of JSON; tables of fields, and this file, the structure. A run
 * file may come from anyone, so anything that run_write() would not write is an error that says where it is. */

#include "run_file.h"

#include <stdatomic.h>

static int take_stalls(const struct json_at *at, json_t *value, void *of, const struct json_field *field,
                       const struct json_takes *takes)
{
    struct profile_line *line = of;
    (void)field, (void)takes;
    TRY(json_at_expect(at, value, JSON_OBJECT, "an object"));
    const char *reason;
    json_t *member;
    json_object_foreach(value, reason, member)
    {
        double samples = 0;
        if (!*reason || reason[name_length(reason)] || strlen(reason) > 64)
            return json_error(at, "\"%.64s\" is not a stall reason: use at most 64 characters of a-z, 0-9 and _",
                              reason);
        if (json_object_size(value) > STALL_REASONS)
            return json_error(at, "has %zu stall reasons; no GPU has more than %d", json_object_size(value),
                              STALL_REASONS);
        TRY(json_at_number_key(at, value, reason, &samples));
        profile_line_add_stall(line, reason, samples);
    }
    return 0;
}

static int take_counted(const struct json_at *list, json_t *value, void *of, const struct json_field *field,
                        const struct json_takes *takes)
{
    struct profile *profile = of;
    (void)field, (void)takes;
    TRY(json_at_expect(list, value, JSON_ARRAY, "a list of counters"));
    for (size_t i = 0; i < json_array_size(value); i++) {
        struct json_at at = {list, NULL, i};
        json_t *member = json_array_get(value, i);
        TRY(json_at_expect(&at, member, JSON_STRING, "a text"));
        enum line_counter counter = 0;
        while (counter < LINE_COUNTERS && strcmp(line_counter_name(counter), json_string_value(member)) != 0)
            counter++;
        if (counter == LINE_COUNTERS)
            return json_error(&at, "is \"%.64s\", which is not a counter of a line", json_string_value(member));
        profile->counted |= 1u << counter;
    }
    return 0;
}

/* Returns a list of numbers; caller frees. NULL after error(). */
static double *numbers_of(const struct json_at *at, const json_t *value, const char *words, size_t *count)
{
    if (json_at_expect(at, value, JSON_ARRAY, words) < 0)
        return NULL;
    *count = json_array_size(value);
    double *numbers = x_calloc(*count + 1, sizeof *numbers);
    for (size_t i = 0; i < *count; i++) {
        struct json_at element = {at, NULL, i};
        if (json_at_number(&element, json_array_get(value, i), &numbers[i]) < 0) {
            free(numbers);
            return NULL;
        }
    }
    return numbers;
}

static int take_sessions(const struct json_at *list, json_t *value, void *of, const struct json_field *field,
                         const struct json_takes *takes)
{
    struct row *row = of;
    (void)field, (void)takes;
    if (row->state != VALUE_STATES)
        return json_error(list->above, "needs either \"sessions\" or \"state\"");
    TRY(json_at_expect(list, value, JSON_ARRAY, "a list"));
    if (json_array_size(value) == 0)
        return json_error(list, "is empty: a metric that was not measured has a \"state\" instead");
    for (size_t i = 0; i < json_array_size(value); i++) {
        struct json_at at = {list, NULL, i};
        size_t count;
        OWNED_MEMORY double *samples = numbers_of(&at, json_array_get(value, i), "a list of samples", &count);
        if (!samples)
            return -1;
        if (count > 0)
            row_add_session(row, samples, count);
        if (count == 0)
            return json_error(&at, "has no samples");
    }
    return 0;
}

static int take_pairs(const struct json_at *list, json_t *value, void *of, const struct json_field *field,
                      const struct json_takes *takes)
{
    (void)field, (void)takes;
    TRY(json_at_expect(list, value, JSON_ARRAY, "a list"));
    for (size_t i = 0; i < json_array_size(value); i++) {
        struct json_at at = {list, NULL, i};
        size_t count;
        OWNED_MEMORY double *pair = numbers_of(&at, json_array_get(value, i), "a list of base and head", &count);
        if (!pair)
            return -1;
        if (count == 2)
            row_add_pair(of, pair[0], pair[1]);
        if (count != 2)
            return json_error(&at, "has %zu numbers, not 2", count);
    }
    return 0;
}

/* Reads which sessions the values are from. Where nothing is said, they are the first ones. */
static int take_places(const struct json_at *list, json_t *value, void *of, const struct json_field *field,
                       const struct json_takes *takes)
{
    struct row *row = of;
    (void)field, (void)takes;
    TRY(json_at_expect(list, value, JSON_ARRAY, "a list"));
    if (json_array_size(value) != row->session_count || row->session_count == 0)
        return json_error(list, "names %zu sessions for %zu values", json_array_size(value), row->session_count);
    for (size_t i = 0; i < row->session_count; i++) {
        struct json_at at = {list, NULL, i};
        long long number;
        TRY(json_at_whole(&at, json_array_get(value, i), 0, INT32_MAX, &number));
        row->sessions[i].session = (size_t)number;
    }
    return 0;
}

/* Reads the list of kernels, which is sorted and has each once. */
static int take_kernels(const struct json_at *list, json_t *value, void *of, const struct json_field *field,
                        const struct json_takes *takes)
{
    struct shard *shard = of;
    (void)field, (void)takes;
    TRY(json_at_expect(list, value, JSON_ARRAY, "a list"));
    for (size_t i = 0; i < json_array_size(value); i++) {
        struct json_at at = {list, NULL, i};
        json_t *id = json_array_get(value, i);
        TRY(json_at_expect(&at, id, JSON_STRING, "a text"));
        if (!is_kernel_id(json_string_value(id)))
            return json_error(&at, "is not a kernel");
        if (i > 0 && strcmp(shard->kernels[i - 1], json_string_value(id)) >= 0)
            return json_error(&at, "must be sorted by name, without duplicates");
        *ARRAY_GROW(shard->kernels, shard->kernel_count) = x_strdup(json_string_value(id));
    }
    return 0;
}

static int take_schema(const struct json_at *at, json_t *value, void *of, const struct json_field *field,
                       const struct json_takes *takes)
{
    (void)of, (void)field, (void)takes;
    long long number;
    TRY(json_at_whole(at, value, 1, INT64_MAX, &number));
    if (number > RUN_SCHEMA)
        return json_error(at, "is %lld, so a newer cugate wrote the file; this one reads up to %d: update cugate",
                          number, RUN_SCHEMA);
    return 0;
}

/* To add a member that a row of a table does not describe: its function. */
static const struct json_takes run_takes = {.list = (json_take *const[]){
                                                [TAKE_COUNTED] = take_counted,
                                                [TAKE_KERNELS] = take_kernels,
                                                [TAKE_PAIRS] = take_pairs,
                                                [TAKE_PLACES] = take_places,
                                                [TAKE_SCHEMA] = take_schema,
                                                [TAKE_SESSIONS] = take_sessions,
                                                [TAKE_STALLS] = take_stalls,
                                            }};

/* The schema is read first, because a later one may have other keys. */
static int read_run(const struct json_at *top, json_t *root, struct run *run)
{
    struct json_at schema = {top, "schema", 0};
    if (json_at_expect(top, root, JSON_OBJECT, "an object") < 0 ||
        take_schema(&schema, json_object_get(root, schema.key), NULL, NULL, NULL) < 0)
        return -1;
    return json_at_fields(top, root, &run_table, &run_takes, run);
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
    OWNED_TEXT text = NULL;
    size_t length;
    *run = (struct run){0};
    TRY(file_read(path, RUN_FILE_LIMIT, &text, &length));
    int result = run_parse(run, path, text, length);
    if (result == 0 && run->session_count == 0) {
        run_release(run);
        return error("%s: sessions: is empty, so the time and conditions of the measurement are unknown", path);
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

int result_from_line(struct result *result, const char *line)
{
    struct json_at top = {NULL, "a worker's answer", 0};
    int outcome = -1;
    *result = (struct result){0};
    json_t *root = json_at_parse(top.key, line, strlen(line));
    if (!root)
        return -1;
    const char *id = json_object_iter_key(json_object_iter(root));
    struct json_at at = {&top, id, 0};
    if (json_object_size(root) != 1) {
        json_error(&top, "must be an object of one kernel");
    } else if (result_table.check_name(&top, id) == 0) {
        result->id = x_strdup(id);
        outcome = json_at_fields(&at, json_object_get(root, id), &result_table, &run_takes, result);
    }
    json_at_end(root);
    if (outcome < 0)
        result_release(result);
    return outcome;
}
