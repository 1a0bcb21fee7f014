/* Reads nvbench's --json, version 1 of its format. Each state of a benchmark (one combination of its axis values)
 * becomes a kernel. The file has only summaries of its samples, so a kernel has one sample: their median, which nvbench
 * writes since 2025, else their mean.
 *
 * { "meta": { "version": { "json": { "major": 1, ... } } },
 *   "devices": [ { "id": 0, "name": "NVIDIA H200", "sm_version": 900, "number_of_sms": 132, ... } ],
 *   "benchmarks": [ { "name": "reduce", "states": [ { "device": 0, "is_skipped": false,
 *       "axis_values": [ { "name": "Elements", "type": "int64", "value": "1048576" } ],
 *       "summaries": [ { "tag": "nv/cold/time/gpu/mean",
 *                        "data": [ { "name": "value", "type": "float64", "value": "1.4e-05" } ] } ] } ] } ] }
 *
 * An empty list is null. */
#include "import_parts.h"

#define NVBENCH_JSON 1 /* major version of nvbench's JSON format */

/* To add a summary: a row with its tag, the counter that metric files have for it, the factor to the metric's unit, and
 * the tag of a summary that is taken instead where it is there. */
static const struct {
    const char *tag, *counter;
    double scale;
    const char *rather;
} figures[] = {
    {"nv/cold/time/gpu/mean", "gpu__time_duration.sum", 1e9, "nv/cold/time/gpu/median"},
    {"nv/cold/time/gpu/median", "gpu__time_duration.sum", 1e9, NULL},
    {"nv/cpu_only/time/cpu/mean", "cugate.wall_time", 1e9, "nv/cpu_only/time/cpu/median"},
    {"nv/cpu_only/time/cpu/median", "cugate.wall_time", 1e9, NULL},
    {"nv/cold/sm_clock_rate/mean", "sm__cycles_elapsed.avg.per_second", 1, NULL},
    {"nv/cold/bw/global/bytes_per_second", "cugate.bandwidth", 1, NULL},
    {"nv/cupti/dram__throughput.avg.pct_of_peak_sustained_elapsed",
     "dram__throughput.avg.pct_of_peak_sustained_elapsed", 100, NULL},
    {"nv/cupti/l1tex__t_sector_hit_rate.pct", "l1tex__t_sector_hit_rate.pct", 100, NULL},
};

#define TIMES 4 /* how many of the summaries are times; a state without any was not measured */

struct nvbench {
    struct import *import;
    long long device; /* the device of all states; -1 while none is known */
};

/* Reads the list at that key. It may be null or missing: then *list is NULL. */
static int read_list(const struct json_at *above, json_t *object, const char *key, json_t **list)
{
    const struct json_at at = {above, key, 0};
    *list = json_object_get(object, key);
    if (!*list || json_is_null(*list)) {
        *list = NULL;
        return 0;
    }
    return json_at_expect(&at, *list, JSON_ARRAY, "a list");
}

/* Returns the number of a summary as text, because JSON numbers cannot represent all. NULL after error(). */
static const char *read_value(const struct json_at *above, json_t *summary)
{
    json_t *list;
    if (read_list(above, summary, "data", &list) < 0)
        return NULL;
    const struct json_at data = {above, "data", 0};
    for (size_t i = 0; i < json_array_size(list); i++) {
        json_t *pair = json_array_get(list, i);
        const char *name = json_string_value(json_object_get(pair, "name"));
        const struct json_at at = {&data, NULL, i}, value = {&at, "value", 0};
        if (!name || strcmp(name, "value") != 0)
            continue;
        json_t *number = json_object_get(pair, "value");
        return json_at_expect(&value, number, JSON_STRING, "a text") < 0 ? NULL : json_string_value(number);
    }
    json_error(&data, "has no \"value\"");
    return NULL;
}

static void add_figure(struct observation *observation, const struct metric *metric, const char *text, double scale)
{
    char *end;
    const double number = strtod(text, &end);
    if (end == text || *end)
        import_no_number(observation, metric, text);
    else
        import_number(observation, metric, number * scale);
}

static bool has_tag(json_t *list, const char *tag)
{
    for (size_t i = 0; tag && i < json_array_size(list); i++) {
        const char *is = json_string_value(json_object_get(json_array_get(list, i), "tag"));
        if (is && strcmp(is, tag) == 0)
            return true;
    }
    return false;
}

static int read_summary(struct nvbench *nvbench, const struct json_at *at, json_t *list, size_t place,
                        struct observation *observation, bool *has_time)
{
    json_t *summary = json_array_get(list, place);
    const struct json_at tag_at = {at, "tag", 0};
    json_t *tag = json_object_get(summary, tag_at.key);
    if (json_at_expect(at, summary, JSON_OBJECT, "an object") < 0 ||
        json_at_expect(&tag_at, tag, JSON_STRING, "a string (nvbench has written one since 2022)") < 0)
        return -1;
    size_t f = FIRST(k, ARRAY_SIZE(figures), strcmp(json_string_value(tag), figures[k].tag) == 0);
    if (f == ARRAY_SIZE(figures) || has_tag(list, figures[f].rather))
        return 0;
    const bool is_time = f < TIMES;
    const struct metric *metric = is_time ? import_needed_metric(nvbench->import, figures[f].counter)
                                          : import_metric(nvbench->import, figures[f].counter);
    if (!metric)
        return is_time ? -1 : 0;
    const char *value = read_value(at, summary);
    if (!value)
        return -1;
    add_figure(observation, metric, value, figures[f].scale);
    *has_time |= is_time;
    return 0;
}

static int read_summaries(struct nvbench *nvbench, const struct json_at *state_at, json_t *state,
                          struct observation *observation)
{
    const struct json_at list_at = {state_at, "summaries", 0};
    bool has_time = false;
    json_t *list;
    TRY(read_list(state_at, state, list_at.key, &list));
    for (size_t i = 0; i < json_array_size(list); i++) {
        const struct json_at at = {&list_at, NULL, i};
        TRY(read_summary(nvbench, &at, list, i, observation, &has_time));
    }
    if (!has_time) {
        observation->status = RESULT_FAILED;
        observation->reason = x_strdup("nvbench took no sample of its time");
    }
    return 0;
}

/* Appends "name:value" to both: to words, which becomes part of the id, and to key, which keeps it unchanged. */
static void add_axis(char **words, char **key, const char *name, const char *value)
{
    OWNED_TEXT name_words = import_words(name), *value_words = import_words(value);
    x_append(words, ",", "%s:%s", name_words, value_words);
    x_append(key, "", "\n%s=%s", name, value);
}

/* Reads the axis values of a state. The caller frees *words and *key in any case. */
static int read_axes(const struct json_at *state_at, json_t *state, const char *benchmark, char **words, char **key)
{
    const struct json_at list_at = {state_at, "axis_values", 0};
    json_t *list;
    *words = x_strdup("");
    *key = x_strdup(benchmark);
    TRY(read_list(state_at, state, list_at.key, &list));
    for (size_t i = 0; i < json_array_size(list); i++) {
        const struct json_at at = {&list_at, NULL, i};
        json_t *axis = json_array_get(list, i);
        OWNED_TEXT name = NULL, *value = NULL;
        TRY(json_at_expect(&at, axis, JSON_OBJECT, "an object"));
        TRY(json_at_text(&at, axis, "name", true, &name));
        TRY(json_at_text(&at, axis, "value", true, &value));
        add_axis(words, key, name, value);
    }
    if (!**words) {
        free(*words);
        *words = x_strdup("default");
    }
    return 0;
}

/* Reads the device of a state, which must be the same for all, since a run is of one GPU. */
static int read_state_device(struct nvbench *nvbench, const struct json_at *state_at, json_t *state)
{
    long long device;
    json_t *id = json_object_get(state, "device");
    const struct json_at at = {state_at, "device", 0};
    if (!id || json_is_null(id)) /* the benchmark is one of the CPU only */
        return 0;
    TRY(json_at_whole(&at, id, 0, INT32_MAX, &device));
    if (nvbench->device >= 0 && nvbench->device != device)
        return json_error(&at, "is %lld, but earlier states ran on %lld: run one GPU per file, with --devices", device,
                          nvbench->device);
    nvbench->device = device;
    return 0;
}

/* Reads a skipped state. The benchmark's author skipped it, or nvbench did because of an exception. */
static int read_skipped(const struct json_at *at, json_t *state, struct observation *observation)
{
    OWNED_TEXT reason = NULL;
    TRY(json_at_text(at, state, "skip_reason", false, &reason));
    const bool failed = reason && strncmp(reason, "Unexpected error", strlen("Unexpected error")) == 0;
    observation->status = failed ? RESULT_FAILED : RESULT_NOT_BUILT;
    observation->reason = x_sprintf("%s%s", failed ? "" : "skipped: ", reason ? reason : "nvbench gives no reason");
    return 0;
}

static int read_state(struct nvbench *nvbench, const struct json_at *at, json_t *state, const char *benchmark)
{
    OWNED_TEXT words = NULL, *key = NULL;
    bool skipped = false;
    TRY(json_at_expect(at, state, JSON_OBJECT, "an object"));
    TRY(json_at_flag(at, state, "is_skipped", &skipped));
    TRY(read_state_device(nvbench, at, state));
    TRY(read_axes(at, state, benchmark, &words, &key));
    struct observation *observation = import_add(nvbench->import, key, import_words(benchmark), words);
    words = key = NULL; /* which the observation has now */
    return skipped ? read_skipped(at, state, observation) : read_summaries(nvbench, at, state, observation);
}

static int read_benchmark(struct nvbench *nvbench, const struct json_at *at, json_t *benchmark)
{
    const struct json_at list_at = {at, "states", 0};
    OWNED_TEXT name = NULL;
    json_t *list;
    TRY(json_at_expect(at, benchmark, JSON_OBJECT, "an object"));
    TRY(json_at_text(at, benchmark, "name", true, &name));
    TRY(read_list(at, benchmark, list_at.key, &list));
    for (size_t i = 0; i < json_array_size(list); i++) {
        const struct json_at state_at = {&list_at, NULL, i};
        TRY(read_state(nvbench, &state_at, json_array_get(list, i), name));
    }
    return 0;
}

/* Reads the GPU. Its name says whether it is a MIG slice: "NVIDIA H100 MIG 1g.10gb". */
static int read_device(const struct json_at *at, json_t *object, struct device *device)
{
    long long version;
    const struct json_at version_at = {at, "sm_version", 0};
    if (json_at_text(at, object, "name", true, &device->name) < 0 ||
        json_at_whole(&version_at, json_object_get(object, version_at.key), 0, 9999, &version) < 0 ||
        json_at_whole_key(at, object, "number_of_sms", &device->sm_count) < 0 ||
        json_at_whole_key(at, object, "global_memory_size", &device->memory_bytes) < 0 ||
        json_at_flag(at, object, "ecc_state", &device->ecc) < 0)
        return -1;
    device->compute_capability = x_sprintf("%lld.%lld", version / 100, version % 100 / 10);
    device->ecc_unknown = device->mig_unknown = false;
    device->mig = strstr(device->name, " MIG ") != NULL;
    return 0;
}

static int find_device(const struct json_at *top, json_t *root, long long wanted, struct device *device)
{
    const struct json_at list_at = {top, "devices", 0};
    json_t *list;
    TRY(read_list(top, root, list_at.key, &list));
    for (size_t i = 0; i < json_array_size(list); i++) {
        const struct json_at at = {&list_at, NULL, i};
        json_t *object = json_array_get(list, i), *id = json_object_get(object, "id");
        if (json_is_integer(id) && json_integer_value(id) == wanted)
            return read_device(&at, object, device);
    }
    return json_error(&list_at, "lacks the device %lld, on which the states ran", wanted);
}

static int check_version(const struct json_at *top, json_t *root)
{
    const struct json_at meta = {top, "meta", 0}, version = {&meta, "version", 0}, json = {&version, "json", 0};
    json_t *major = json_object_get(
        json_object_get(json_object_get(json_object_get(root, meta.key), version.key), json.key), "major");
    if (json_is_integer(major) && json_integer_value(major) > NVBENCH_JSON)
        return json_error(&json, "is %lld, so a newer nvbench wrote the file; this cugate reads up to %d",
                          (long long)json_integer_value(major), NVBENCH_JSON);
    return 0;
}

static int read_root(struct nvbench *nvbench, const struct json_at *top, json_t *root, struct device *device)
{
    const struct json_at list_at = {top, "benchmarks", 0};
    json_t *list;
    if (json_at_expect(top, root, JSON_OBJECT, "an object") < 0 || check_version(top, root) < 0 ||
        read_list(top, root, list_at.key, &list) < 0)
        return -1;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const struct json_at at = {&list_at, NULL, i};
        TRY(read_benchmark(nvbench, &at, json_array_get(list, i)));
    }
    return nvbench->device < 0 ? 0 : find_device(top, root, nvbench->device, device);
}

int import_nvbench(struct import *import, const char *text, size_t length, struct device *device,
                   struct session *session)
{
    (void)session; /* the file has neither date nor host */
    struct nvbench nvbench = {import, -1};
    const struct json_at top = {NULL, import->name, 0};
    json_t *root = json_at_parse(import->name, text, length);
    const int result = root ? read_root(&nvbench, &top, root, device) : -1;
    json_at_end(root);
    return result;
}
