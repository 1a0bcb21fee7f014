#include "from_check.h"

#include "judge/judge.h"

#define REPORT_LIMIT (1u << 30) /* bytes */

struct reading {
    const json_t *judgements;
    double program; /* GPU time of the program, which is regressed; 0: it is not */
    char **kernels;
    size_t count;
};

static const char *text_of(const json_t *judgement, const char *key)
{
    const char *text = json_string_value(json_object_get(judgement, key));
    return text ? text : "";
}

static double number_of(const json_t *judgement, const char *key)
{
    return json_number_value(json_object_get(judgement, key));
}

static bool is_of_time(const json_t *judgement)
{
    return strcmp(text_of(judgement, "metric"), "gpu_time") == 0;
}

static bool is_regressed(const json_t *judgement)
{
    return strcmp(text_of(judgement, "verdict"), verdict_name(VERDICT_REGRESSED)) == 0;
}

static bool is_kernel(const char *name)
{
    return *name && strchr(name, '/') && row_kind(name) == ROW_KERNEL && !row_is_graph(name);
}

static bool is_new(const json_t *judgement)
{
    return strcmp(text_of(judgement, "verdict"), verdict_name(VERDICT_NEW)) == 0 &&
           json_is_null(json_object_get(judgement, "metric"));
}

/* How long the launches of a new kernel take is not in the report. */
static bool is_worse(const struct reading *reading, const json_t *judgement)
{
    const double more = number_of(judgement, "now") - number_of(judgement, "base");
    const bool is_slower = is_of_time(judgement) && more > 0 && !program_is_seldom(more, reading->program);
    return is_regressed(judgement) || (reading->program > 0 && (is_slower || is_new(judgement)));
}

static void add(struct reading *reading, const char *name)
{
    if (!ANY(i, reading->count, strcmp(reading->kernels[i], name) == 0))
        *ARRAY_GROW(reading->kernels, reading->count) = x_strdup(name);
}

static void take(struct reading *reading)
{
    size_t i;
    const json_t *judgement;
    json_array_foreach(reading->judgements, i, judgement)
    {
        if (row_kind(text_of(judgement, "kernel")) != ROW_KERNEL && is_of_time(judgement) && is_regressed(judgement))
            reading->program = number_of(judgement, "now");
    }
    json_array_foreach(reading->judgements, i, judgement)
    {
        const char *name = text_of(judgement, "kernel");
        if (is_kernel(name) && is_worse(reading, judgement))
            add(reading, name);
    }
}

int from_check_read(const char *path, char ***kernels, size_t *count)
{
    struct reading reading = {0};
    const struct json_at file = {NULL, path, 0}, at = {&file, "judgements", 0};
    OWNED_TEXT text = NULL;
    size_t length;
    TRY(file_read(path, REPORT_LIMIT, &text, &length));
    json_t *root = json_at_parse(path, text, length);
    int result = root ? json_at_expect(&file, root, JSON_OBJECT, "an object") : -1;
    reading.judgements = json_object_get(root, "judgements");
    if (result == 0)
        result = json_at_expect(&at, reading.judgements, JSON_ARRAY,
                                "a list, as `cugate check --report json=FILE` writes it");
    if (result == 0)
        take(&reading);
    json_at_end(root);
    if (result == 0 && reading.count == 0)
        result = error("%s has no worse kernels for --from-check to choose", path);
    *kernels = reading.kernels;
    *count = reading.count;
    return result;
}
