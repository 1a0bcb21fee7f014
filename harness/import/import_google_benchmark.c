/* Reads google-benchmark's --benchmark_out in JSON. Each benchmark with its arguments becomes a kernel, and its
 * repetitions are samples. Its time is the host's time for one iteration. The file says nothing about a GPU.
 *
 * { "context": { "date": "2026-11-21T09:00:00+01:00", "host_name": "runner", ... },
 *   "benchmarks": [ { "name": "BM_reduce/1024", "run_name": "BM_reduce/1024", "run_type": "iteration",
 *                     "repetition_index": 0, "real_time": 2.9e+04, "time_unit": "ns" },
 *                   { ..., "error_occurred": true, "error_message": "..." },
 *                   { "run_name": "BM_reduce/1024", "run_type": "aggregate", "aggregate_name": "mean", ... } ] } */
#include "import_parts.h"

#include <time.h>

static const struct {
    const char *name;
    double nanoseconds;
} units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};

/* Replaces numbers that JSON lacks by null: the library writes NaN and Infinity, once nan and inf. Caller frees. */
static char *without_nan(const char *text, size_t length, size_t *new_length)
{
    static const char *const words[] = {"-NaN", "NaN", "-Infinity", "Infinity", "-nan", "nan", "-inf", "inf"};
    char *copy = NULL;
    bool in_text = false;
    FILE *stream = x_memstream(&copy, new_length);
    for (size_t i = 0; i < length; i++) {
        size_t word = ARRAY_SIZE(words);
        if (in_text && text[i] == '\\' && i + 1 < length)
            fputc(text[i++], stream);
        else if (text[i] == '"')
            in_text = !in_text;
        else if (!in_text && strchr("-NIni", text[i]))
            for (word = 0; word < ARRAY_SIZE(words); word++)
                if (length - i >= strlen(words[word]) && memcmp(text + i, words[word], strlen(words[word])) == 0)
                    break;
        if (word == ARRAY_SIZE(words)) {
            fputc(text[i], stream);
        } else {
            fputs("null", stream);
            i += strlen(words[word]) - 1;
        }
    }
    fclose(stream);
    return copy;
}

/* Converts a date to UTC: "2026-11-21T09:00:00+01:00" -> "2026-11-21T08:00:00.000Z". NULL where the text has no time
 * zone, as in files of libraries before 2020. */
static char *read_date(const char *text)
{
    static const char digits[] = "0123456789";
    struct tm date = {0};
    char words[64];
    const char *zone = strptime(text, "%Y-%m-%dT%H:%M:%S", &date);
    if (!zone || (*zone != '+' && *zone != '-') || strspn(zone + 1, digits) != 2 || zone[3] != ':' ||
        strspn(zone + 4, digits) != 2 || zone[6])
        return NULL;
    const unsigned long hours = strtoul(zone + 1, NULL, 10), minutes = strtoul(zone + 4, NULL, 10);
    const time_t offset = (time_t)(3600 * hours + 60 * minutes);
    const time_t seconds = timegm(&date) - (*zone == '+' ? offset : -offset);
    if (!gmtime_r(&seconds, &date) || strftime(words, sizeof words, "%Y-%m-%dT%H:%M:%S.000Z", &date) == 0)
        return NULL;
    return x_strdup(words);
}

static int read_context(const struct json_at *top, json_t *root, struct session *session)
{
    const struct json_at at = {top, "context", 0};
    json_t *context = json_object_get(root, at.key);
    OWNED_TEXT date = NULL;
    if (json_at_expect(&at, context, JSON_OBJECT, "an object") < 0 ||
        json_at_text(&at, context, "host_name", false, &session->facts[SESSION_HOST]) < 0 ||
        json_at_text(&at, context, "date", false, &date) < 0)
        return -1;
    session->facts[SESSION_DATE] = date ? read_date(date) : NULL;
    return 0;
}

static int read_time(const struct json_at *above, json_t *object, const struct metric *metric,
                     struct observation *observation)
{
    const struct json_at time_at = {above, "real_time", 0}, unit_at = {above, "time_unit", 0};
    json_t *time = json_object_get(object, time_at.key), *unit = json_object_get(object, unit_at.key);
    TRY(json_at_expect(&unit_at, unit, JSON_STRING, "a text"));
    size_t u = FIRST(k, ARRAY_SIZE(units), strcmp(units[k].name, json_string_value(unit)) == 0);
    if (u == ARRAY_SIZE(units))
        return json_error(&unit_at, "is \"%.32s\", which is not a known unit of time", json_string_value(unit));
    double number;
    if (json_is_null(time))
        import_no_number(observation, metric, "NaN");
    else if (json_at_number(&time_at, time, &number) < 0)
        return -1;
    else
        import_number(observation, metric, number * units[u].nanoseconds);
    return 0;
}

/* Whether a member is there and true. Each is checked by itself, since a file of another version may lack any. */
static bool is_set(json_t *object, const char *key)
{
    return json_is_true(json_object_get(object, key));
}

static int read_iteration(struct import *import, const struct json_at *at, json_t *object, const char *name)
{
    const struct json_at index_at = {at, "repetition_index", 0};
    const struct metric *metric = import_needed_metric(import, "cugate.wall_time");
    json_t *index = json_object_get(object, index_at.key);
    const size_t family = strcspn(name, "/");
    if (!metric)
        return -1;
    OWNED_TEXT head = x_sprintf("%.*s", (int)family, name);
    struct observation *observation = import_add(import, x_strdup(name), import_words(head), NULL);
    observation->variant = import_words(name[family] ? name + family + 1 : "default");
    if (index && json_at_whole(&index_at, index, 0, INT32_MAX, &observation->ordinal) < 0)
        return -1;
    const bool failed = is_set(object, "error_occurred"), skipped = is_set(object, "skipped");
    if (!failed && !skipped)
        return read_time(at, object, metric, observation);
    OWNED_TEXT message = NULL;
    TRY(json_at_text(at, object, failed ? "error_message" : "skip_message", false, &message));
    observation->status = failed ? RESULT_FAILED : RESULT_NOT_BUILT;
    observation->reason = x_sprintf("%s%s", failed ? "" : "skipped: ", message ? message : "the file gives no reason");
    return 0;
}

/* Refuses a benchmark of which the file has aggregates only: its repetitions are not known. */
static int check_aggregates(const struct import *import, size_t first, char *const *names, size_t count)
{
    const size_t known = import->count - first;
    OWNED_MEMORY const char **keys = x_calloc(known, sizeof *keys);
    int result = 0;
    for (size_t i = 0; i < known; i++)
        keys[i] = import->list[first + i].key;
    SORT(keys, known, by_text);
    for (size_t i = 0; i < count && result == 0; i++)
        if (!bsearch(&names[i], keys, known, sizeof *keys, by_text))
            result = error(
                "%s has only aggregates of %s, and no repetitions: run it without --benchmark_report_aggregates_only",
                import->name, names[i]);
    return result;
}

static int read_benchmarks(struct import *import, const struct json_at *top, json_t *root)
{
    const struct json_at list_at = {top, "benchmarks", 0};
    json_t *list = json_object_get(root, list_at.key);
    const size_t first = import->count;
    char **aggregates = NULL;
    size_t aggregate_count = 0;
    int result = json_at_expect(&list_at, list, JSON_ARRAY, "a list");
    for (size_t i = 0; result == 0 && i < json_array_size(list); i++) {
        const struct json_at at = {&list_at, NULL, i};
        json_t *object = json_array_get(list, i);
        OWNED_TEXT type = NULL, *name = NULL, *aggregate = NULL;
        if (json_at_expect(&at, object, JSON_OBJECT, "an object") < 0 ||
            json_at_text(&at, object, "run_type", true, &type) < 0 ||
            json_at_text(&at, object, "run_name", true, &name) < 0 ||
            json_at_text(&at, object, "aggregate_name", false, &aggregate) < 0)
            result = -1;
        else if (strcmp(type, "iteration") == 0)
            result = read_iteration(import, &at, object, name);
        else if (aggregate && strcmp(aggregate, "mean") == 0)
            *ARRAY_GROW(aggregates, aggregate_count) = x_strdup(name);
    }
    if (result == 0)
        result = check_aggregates(import, first, aggregates, aggregate_count);
    free_texts(aggregates, aggregate_count);
    return result;
}

int import_google_benchmark(struct import *import, const char *text, size_t length, struct device *device,
                            struct session *session)
{
    (void)device; /* the file says nothing about the GPU */
    const struct json_at top = {NULL, import->name, 0};
    size_t copy_length;
    OWNED_TEXT copy = without_nan(text, length, &copy_length);
    json_t *root = json_at_parse(import->name, copy, copy_length);
    int result = root ? json_at_expect(&top, root, JSON_OBJECT, "an object") : -1;
    if (result == 0)
        result = read_context(&top, root, session);
    if (result == 0)
        result = read_benchmarks(import, &top, root);
    json_at_end(root);
    return result;
}
