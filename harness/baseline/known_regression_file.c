#include "known_regression_file.h"

#define KNOWN_REGRESSION_FILE_LIMIT (1u << 20)

/* The state of reading a file. inih's handler learns no line number and cuts names of sections, so our line reader
 * keeps both and passes an empty line for a header. */
struct regression_reader {
    struct known_regressions *regressions;
    struct ini_text text;
    bool open; /* the last element of the list is not complete yet */
};

static struct known_regression *current(const struct regression_reader *reader)
{
    return &reader->regressions->list[reader->regressions->count - 1];
}

static bool is_date(const char *text)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    static const char form[] = "dddd-dd-dd";
    if (strlen(text) != strlen(form))
        return false;
    for (size_t i = 0; form[i]; i++)
        if (form[i] == 'd' ? text[i] < '0' || text[i] > '9' : text[i] != form[i])
            return false;
    const long year = strtol(text, NULL, 10), month = strtol(text + 5, NULL, 10), day = strtol(text + 8, NULL, 10);
    const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return month >= 1 && month <= 12 && day >= 1 && day <= days[month - 1] + (leap && month == 2);
}

static int set_issue(struct regression_reader *reader, const char *value)
{
    current(reader)->issue = x_strdup(value);
    return 0;
}

static int set_expires(struct regression_reader *reader, const char *value)
{
    if (!is_date(value))
        return ini_text_wrong(
            &reader->text, reader->text.line,
            "\"%s\" is not a date: write the last day on which the regression is expected, such as 2026-12-31", value);
    current(reader)->expires = x_strdup(value);
    return 0;
}

static int set_worst(struct regression_reader *reader, const char *value)
{
    char *end;
    const double worst = strtod(value, &end);
    if (*end != '\0' || !isfinite(worst))
        return ini_text_wrong(&reader->text, reader->text.line,
                              "\"%s\" is not a number: write the worst expected value, in the metric's unit", value);
    current(reader)->worst = worst;
    return 0;
}

/* To add a key: a field in struct known_regression, a row here, and a line in the example of known_regression_file.h.
 */
static const struct key {
    const char *name;
    int (*set)(struct regression_reader *reader, const char *value);
    bool optional;
} keys[] = {{"issue", set_issue, false}, {"expires", set_expires, false}, {"worst", set_worst, true}};

static bool is_set(const struct known_regression *known, size_t key)
{
    return key == 0 ? known->issue != NULL : key == 1 ? known->expires != NULL : !isnan(known->worst);
}

static int end_section(struct regression_reader *reader)
{
    for (size_t i = 0; reader->open && !reader->text.failed && i < ARRAY_SIZE(keys); i++) {
        const struct known_regression *known = current(reader);
        if (!keys[i].optional && !is_set(known, i))
            return ini_text_wrong(&reader->text, known->line, "[%s %s] has no key \"%s\": add it", known->kernel,
                                  known->metric, keys[i].name);
    }
    reader->open = false;
    return reader->text.failed ? -1 : 0;
}

/* Splits "[family/variant metric]", which a comment may follow. Both results are owned; NULL: it has another form. */
static void split_header(const char *text, char **kernel, char **metric)
{
    const char *gap = text + 1 + id_length(text + 1);
    const char *word = gap + strspn(gap, " \t");
    const char *end = word + name_length(word);
    const char *rest = *end == ']' ? end + 1 + strspn(end + 1, " \t\r") : "?";
    const bool is_kernel = gap > text + 1;
    const bool is_whole = word > gap && end > word && (*rest == '\0' || *rest == ';' || *rest == '#');
    *kernel = is_kernel && is_whole ? x_sprintf("%.*s", (int)(gap - text - 1), text + 1) : NULL;
    *metric = is_kernel && is_whole ? x_sprintf("%.*s", (int)(end - word), word) : NULL;
}

static int begin_section(struct regression_reader *reader, const char *text)
{
    struct known_regressions *regressions = reader->regressions;
    char *kernel, *metric;
    split_header(text, &kernel, &metric);
    if (!kernel)
        return ini_text_wrong(&reader->text, reader->text.line,
                              "\"%.100s\" is not of the form [KERNEL METRIC], such as [transpose/padded time]", text);
    const int line = reader->text.line;
    *ARRAY_GROW(regressions->list, regressions->count) = (struct known_regression){
        .kernel = kernel, .metric = metric, .file = x_strdup(reader->text.path), .line = line, .worst = NAN};
    reader->open = true;
    return 0;
}

static int set_key(struct regression_reader *reader, const char *name, const char *value)
{
    const char *names[ARRAY_SIZE(keys)];
    if (!reader->open)
        return ini_text_wrong(&reader->text, reader->text.line,
                              "\"%s\" comes before the first section: write [KERNEL METRIC] above it", name);
    for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
        names[i] = keys[i].name;
        if (strcmp(names[i], name) != 0)
            continue;
        if (is_set(current(reader), i))
            return ini_text_wrong(&reader->text, reader->text.line, "\"%s\" is given twice: remove one", name);
        if (!*value)
            return ini_text_wrong(&reader->text, reader->text.line, "\"%s\" has no value: write one", name);
        return keys[i].set(reader, value);
    }
    const char *near = nearest_name(name, names, ARRAY_SIZE(keys));
    return ini_text_wrong(&reader->text, reader->text.line, "unknown key \"%s\": %s%s%s", name,
                          near ? "did you mean " : "the keys are ", near ? near : "issue, expires and worst",
                          near ? "?" : "");
}

/* The handler for inih: returns 1 to continue, 0 for an error. */
static int take_key(void *user, const char *section, const char *name, const char *value)
{
    struct regression_reader *reader = user;
    (void)section;
    return !reader->text.failed && set_key(reader, name, value) == 0;
}

/* The line reader for inih, in place of fgets. */
static char *next_line(char *buffer, int size, void *stream)
{
    struct regression_reader *reader = stream;
    size_t length;
    const char *line = ini_text_next(&reader->text, &length);
    if (!line)
        return NULL;
    const size_t indent = strspn(line, " \t\r");
    if (*line == '[') {
        OWNED_TEXT header = x_sprintf("%.*s", (int)length, line);
        const int result = end_section(reader) < 0 ? -1 : begin_section(reader, header);
        if (result < 0)
            return NULL;
        length = 0;
    } else if (indent > 0 && indent < length && line[indent] != ';' && line[indent] != '#') {
        ini_text_wrong(&reader->text, reader->text.line, "the line is indented: start it in the first column");
        return NULL;
    }
    return ini_text_copy(&reader->text, line, length, buffer, size, "");
}

static int by_row_and_line(const void *left, const void *right)
{
    const struct known_regression *a = left, *b = right;
    const int order = known_regression_order(a, b);
    return order ? order : a->line - b->line;
}

/* Sorts the list and finds repeated sections. Comparing each section with all before it would take minutes. */
static int sort(struct regression_reader *reader)
{
    const struct known_regressions *regressions = reader->regressions;
    SORT(regressions->list, regressions->count, by_row_and_line);
    for (size_t i = 1; i < regressions->count; i++) {
        const struct known_regression *first = &regressions->list[i - 1], *second = &regressions->list[i];
        if (known_regression_order(first, second) == 0)
            return ini_text_wrong(&reader->text, second->line,
                                  "[%s %s] is already declared on line %d: remove one of them", second->kernel,
                                  second->metric, first->line);
    }
    return 0;
}

int known_regressions_read_text(struct known_regressions *regressions, const char *path, const char *text)
{
    struct regression_reader reader = {.regressions = regressions};
    *regressions = (struct known_regressions){0};
    ini_text_init(&reader.text, path, text);
    ini_text_parse(&reader.text, next_line, take_key, &reader, "[KERNEL METRIC]");
    if (end_section(&reader) == 0 && sort(&reader) == 0)
        return 0;
    known_regressions_release(regressions);
    return -1;
}

int known_regressions_read(struct known_regressions *regressions, const char *folder)
{
    OWNED_TEXT path = x_sprintf("%s/%s", folder, KNOWN_REGRESSION_FILE), *text = NULL;
    size_t length;
    *regressions = (struct known_regressions){0};
    if (is_absent(path))
        return 0;
    TRY(file_read(path, KNOWN_REGRESSION_FILE_LIMIT, &text, &length));
    return strlen(text) == length ? known_regressions_read_text(regressions, path, text)
                                  : error("%s contains a NUL byte: it is not a text file", path);
}

static const char *nearest_metric(const struct metrics *metrics, const char *name)
{
    OWNED_MEMORY const char **names = x_calloc(metrics->count, sizeof *names);
    for (size_t i = 0; i < metrics->count; i++)
        names[i] = metrics->list[i].name;
    return nearest_name(name, names, metrics->count);
}

int known_regressions_check(const struct known_regressions *regressions, const struct metrics *metrics,
                            const char *folder)
{
    int result = 0;
    EACH(const struct known_regression, known, regressions->list, regressions->count) {
        const struct metric *metric = metrics_find(metrics, known->metric);
        if (strcmp(known->metric, KNOWN_REGRESSION_REMOVED) == 0 || strcmp(known->metric, KNOWN_NOT_COMPUTED) == 0) {
            if (!isnan(known->worst))
                result = error("%s:%d: a whole kernel has no worst value: remove the key \"worst\"", known->file,
                               known->line);
            continue;
        }
        if (!metric) {
            const char *near = nearest_metric(metrics, known->metric);
            result = error("%s:%d: unknown metric \"%s\"%s%s%s", known->file, known->line, known->metric,
                           near ? ": did you mean " : "", near ? near : "", near ? "?" : "");
        } else if (metric->class == METRIC_INFO) {
            result =
                error("%s:%d: %s is only shown, never judged, so it cannot be expected to be worse: remove [%s %s]",
                      known->file, known->line, metric->name, known->kernel, metric->name);
        }
        OWNED_TEXT below = id_path(known->kernel), *path = x_sprintf("%s/%s.json", folder, below);
        if (is_absent(path))
            warning("%s:%d: %s has no baseline: remove [%s %s], or correct the kernel's name", known->file, known->line,
                    known->kernel, known->kernel, known->metric);
    }
    return result;
}

void known_regressions_release(struct known_regressions *regressions)
{
    EACH(struct known_regression, known, regressions->list, regressions->count) {
        free(known->kernel);
        free(known->metric);
        free(known->issue);
        free(known->expires);
        free(known->file);
    }
    free(regressions->list);
    *regressions = (struct known_regressions){0};
}
