/* Reads files that are a list of benchmarks with one time or several each: JSON with a list, JSON with an object a
 * line, or CSV with a row of titles. A table says where in each format names and times are.
 *
 *     { "benchmarks": [ { "fullname": "tests/test_a.py::test_scale[1024]", "stats": { "median": 2.5e-05, ... } } ] }
 *     { "reason": "benchmark-complete", "id": "scale/1024", "typical": { "estimate": 25310.2, "unit": "ns" }, ... }
 *     Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name */
#include "csv.h"
#include "import_parts.h"
#include "ncu_unit.h"

/* To add a format: a row here, and one in import.c. Members of objects within objects are written with points between.
 */
static const struct listed {
    const char *format;
    const char *list;    /* JSON: the member with the list; "": each line is an object; ".": the file is the list;
                            "{": it has an object a benchmark, of objects by metric; NULL: it is CSV */
    const char *reason;  /* the member "reason" of the objects that are benchmarks; NULL: all are */
    const char *name;    /* the member, or the title of the column, with the name */
    const char *between; /* what separates family and variant in it; NULL: it is the function of a kernel */
    const char *samples; /* the member with a list of times, which a file may have; else NULL */
    const char *time;    /* the member, or the title of the column, with the time */
    const char *unit;    /* the member with its unit; NULL: there is none */
    const char *counter; /* what metric files call that time */
    double nanoseconds;  /* of 1 */
    const char *made;    /* what makes such a file */
} formats[] = {
    {"pytest-benchmark", "benchmarks", NULL, "fullname", "::", "stats.data", "stats.median", NULL, "cugate.wall_time",
     1e9, "pytest --benchmark-json=FILE"},
    {"criterion", "", "benchmark-complete", "id", "/", NULL, "typical.estimate", "typical.unit", "cugate.wall_time", 1,
     "cargo criterion --message-format=json"},
    {"github-action-benchmark", ".", NULL, "name", "/", NULL, "value", "unit", "cugate.wall_time", 1,
     "check --format github-action-benchmark"},
    {"bmf", "{", NULL, "name", "/", NULL, "value", "unit", "cugate.wall_time", 1, "check --format bmf"},
    {"nsys", NULL, NULL, "Name", NULL, NULL, "Med (ns)", NULL, "gpu__time_duration.sum", 1,
     "nsys stats --report cuda_gpu_kern_sum --format csv --timeunit nsec"},
};

static const struct listed *format_of(const struct import *import)
{
    for (size_t i = 0; i < ARRAY_SIZE(formats); i++)
        if (strcmp(formats[i].format, import->request->format->name) == 0)
            return &formats[i];
    BUG("%s has no row", import->request->format->name);
}

/* Adds the benchmark of that name, with its sample of that number. */
static struct observation *add(struct import *import, const struct listed *format, const char *name, size_t sample)
{
    const char *behind = format->between ? strstr(name, format->between) : NULL;
    char *family =
        behind ? x_sprintf("%.*s", (int)(behind - name), name) : x_strdup(format->between ? name : "program");
    struct observation *observation = import_add(import, x_strdup(name), import_words(family), NULL);
    observation->ordinal = sample == SIZE_MAX ? 0 : (long long)sample;
    if (format->between)
        observation->variant = import_words(behind ? behind + strlen(format->between) : "default");
    else
        observation->launch.function = x_strdup(name);
    free(family);
    return observation;
}

/* ---- JSON ---- */

/* Returns a member of an object, "stats.median"; NULL where there is none. */
static json_t *member(json_t *object, const char *path)
{
    while (object && *path) {
        const size_t length = strcspn(path, ".");
        OWNED_TEXT key = x_sprintf("%.*s", (int)length, path);
        object = json_object_get(object, key);
        path += length + (path[length] ? 1 : 0);
    }
    return object;
}

static int read_sample(struct import *import, const struct listed *format, const struct json_at *at, const char *name,
                       size_t sample, const struct metric *metric, double scale, const json_t *value)
{
    const bool follows =
        import->count > 0 && sample == SIZE_MAX && strcmp(import->list[import->count - 1].key, name) == 0;
    if (!json_is_number(value))
        return json_error(at, "has no number in the column %s, where %s writes a time", format->time, format->made);
    import_number(follows ? &import->list[import->count - 1] : add(import, format, name, sample), metric,
                  json_number_value(value) * scale);
    return 0;
}

/* Whether a unit is one of the metric's, "ns/iter" too; by which factor. */
static bool is_unit(const char *unit, const struct metric *metric, double *scale)
{
    OWNED_TEXT plain =
        x_sprintf("%.*s", (int)(strcmp(metric->unit, "ns") == 0 ? strcspn(unit, "/") : strlen(unit)), unit);
    *scale = 1;
    return strcmp(plain, metric->unit) == 0 || ncu_unit(plain, metric->unit, scale);
}

static int read_object(struct import *import, const struct listed *format, const struct json_at *at, json_t *object)
{
    TRY(json_at_expect(at, object, JSON_OBJECT, "an object"));
    const char *reason = format->reason ? json_string_value(json_object_get(object, "reason")) : NULL,
               *name = json_string_value(member(object, format->name)),
               *unit = format->unit ? json_string_value(member(object, format->unit)) : "ns";
    if (format->reason && (!reason || strcmp(reason, format->reason) != 0))
        return 0;
    if (!name || !*name)
        return json_error(at, "has no name in the column %s; it should be the output of `%s`", format->name,
                          format->made);
    /* "transpose/padded: time", as cugate writes it */
    const char *last = format->unit ? strrchr(name, ' ') : NULL;
    const struct metric *named = last && last > name && last[-1] == ':'
                                     ? metrics_find(import->request->metrics, last + 1)
                                     : NULL,
                        *metric = named ? named : import_needed_metric(import, format->counter);
    double scale;
    if (!metric)
        return -1;
    if (!unit || !is_unit(unit, metric, &scale))
        return json_error(at, "the unit of %s is \"%.32s\", but only times and metrics in their own units are imported",
                          name, unit ? unit : "nothing");
    scale *= format->nanoseconds;
    const json_t *samples = format->samples ? member(object, format->samples) : NULL;
    OWNED_TEXT kernel = x_sprintf("%.*s", (int)(named ? last - 1 - name : (long)strlen(name)), name);
    int result = 0;
    if (json_array_size(samples) == 0)
        result =
            read_sample(import, format, at, kernel, named ? SIZE_MAX : 0, metric, scale, member(object, format->time));
    for (size_t i = 0; result == 0 && i < json_array_size(samples); i++)
        result = read_sample(import, format, at, kernel, i, metric, scale, json_array_get(samples, i));
    return result;
}

/* Returns the entries that such a list would have for Bencher Metric Format. A measure is a metric by its name, or
 * Bencher's latency, in ns; others are left out. */
static json_t *list_measures(const struct metrics *metrics, json_t *benchmarks)
{
    const char *name, *measure;
    json_t *measures, *numbers, *list = json_array();
    json_object_foreach(benchmarks, name, measures) json_object_foreach(measures, measure, numbers)
    {
        const struct metric *metric = metrics_find(metrics, measure);
        OWNED_TEXT whole = metric ? x_sprintf("%s: %s", name, measure) : x_strdup(name);
        if (metric || strcmp(measure, "latency") == 0)
            json_array_append_new(list,
                                  json_pack("{s:s, s:s, s:O?}", "name", whole, "unit", metric ? metric->unit : "ns",
                                            "value", json_object_get(numbers, "value")));
    }
    return list;
}

static int read_list(struct import *import, const struct listed *format, const char *text, size_t length)
{
    const struct json_at top = {NULL, import->name, 0}, below = {&top, format->list, 0};
    const struct json_at *list_at = strchr(".{", *format->list) ? &top : &below;
    json_t *root = json_at_parse(import->name, text, length),
           *list = *format->list == '{'   ? list_measures(import->request->metrics, root)
                   : *format->list == '.' ? json_incref(root)
                                          : json_incref(json_object_get(root, format->list));
    int result = root ? json_at_expect(list_at, list, JSON_ARRAY, "a list") : -1;
    for (size_t i = 0; result == 0 && i < json_array_size(list); i++)
        result = read_object(import, format, &(struct json_at){list_at, NULL, i}, json_array_get(list, i));
    json_decref(list);
    json_at_end(root);
    return result;
}

/* Reads an object a line. What the program prints between them does not begin with a brace. */
static int read_lines(struct import *import, const struct listed *format, const char *text, size_t length)
{
    int result = 0;
    for (size_t line = 1, at = 0; result == 0 && at < length; line++) {
        const char *end = memchr(text + at, '\n', length - at);
        const size_t next = end ? (size_t)(end - text) + 1 : length;
        if (text[at] == '{') {
            OWNED_TEXT place = x_sprintf("%s:%zu", import->name, line);
            json_t *object = json_at_parse(place, text + at, next - at);
            result = object ? read_object(import, format, &(struct json_at){NULL, place, 0}, object) : -1;
            json_at_end(object);
        }
        at = next;
    }
    return result;
}

/* ---- CSV ---- */

/* Whether the line that comes next is the row of titles: the program may print lines of its own before it. */
static bool is_titles(const struct csv *csv, const struct listed *format)
{
    const char *title = strstr(csv->rest, format->time);
    return title && title < csv->rest + strcspn(csv->rest, "\r\n");
}

static int read_rows(struct import *import, const struct listed *format, struct csv *csv)
{
    const struct metric *metric = import_needed_metric(import, format->counter);
    while (csv_has_more(csv) && !is_titles(csv, format))
        csv_skip_line(csv);
    if (!metric || (csv_has_more(csv) && csv_read(csv) < 0))
        return -1;
    const size_t width = csv->count, name = name_index(format->name, (const char *const *)csv->fields, width),
                 time = name_index(format->time, (const char *const *)csv->fields, width);
    if (name == width || time == width)
        return error("%s has no table with the columns \"%s\" and \"%s\"; it should be the output of `%s`", csv->name,
                     format->name, format->time, format->made);
    while (csv_has_more(csv)) {
        const size_t line = csv->line;
        char *end;
        TRY(csv_read(csv));
        if (csv->count == 1 && !*csv->fields[0])
            continue;
        if (csv->count != width || !*csv->fields[name])
            return error("%s:%zu: has %zu fields, or no name, but the table has %zu columns", csv->name, line,
                         csv->count, width);
        const double number = strtod(csv->fields[time], &end);
        struct observation *observation = add(import, format, csv->fields[name], 0);
        if (*csv->fields[time] && !*end)
            import_number(observation, metric, number * format->nanoseconds);
        else
            import_no_number(observation, metric, csv->fields[time]);
    }
    return 0;
}

int import_listed(struct import *import, const char *text, size_t length, struct device *device,
                  struct session *session)
{
    (void)device; /* the file says nothing about the GPU */
    (void)session;
    const struct listed *format = format_of(import);
    if (format->list)
        return *format->list ? read_list(import, format, text, length) : read_lines(import, format, text, length);
    OWNED(csv) csv = {0};
    return csv_open(&csv, import->name, text, length) < 0 ? -1 : read_rows(import, format, &csv);
}
