/* Parses metric files: the reading half of metric.h. */

#include "computed_counters.h"
#include "units.h"

#define SECTION_LENGTH 48 /* limit of a section's name; inih silently cuts longer names */

struct key;

/* The state of parsing one file. inih's handler learns neither the line number nor where a section begins, so our line
 * reader keeps both. */
struct metric_reader {
    struct metrics *metrics;
    struct ini_text text;
    bool optional;         /* the whole file is optional */
    bool indented;         /* the line continues the value of the key before */
    int header;            /* line of the section's header; 0 before the first section */
    bool fresh;            /* the section has no key yet */
    const struct key *key; /* the last key of the section */
    unsigned seen;         /* bit i: keys[i] was seen in this section */
    char *floor;
    int floor_line;
    char *law;
};

static struct metric *current(const struct metric_reader *reader)
{
    return &reader->metrics->list[reader->metrics->count - 1];
}

static bool is_name(const char *text)
{
    return *text && !text[name_length(text)];
}

static int set_title(struct metric_reader *reader, const char *value)
{
    current(reader)->title = x_strdup(value);
    return 0;
}

/* Takes one counter name, or several of which the first that the chip has is read. */
static int set_counter(struct metric_reader *reader, const char *value)
{
    size_t used = strspn(value, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_. \t");
    if (value[used])
        return ini_text_wrong(&reader->text, reader->text.line,
                              "\"%s\" is not a counter: write CUPTI metric names such as gpu__time_duration.sum",
                              value);
    current(reader)->counter = x_strdup(value);
    const char *names[COMPUTED_COUNTERS];
    const size_t count = computed_counter_names(names, ARRAY_SIZE(names));
    if (strncmp(value, "cugate.", strlen("cugate.")) == 0 && computed_counter_of(current(reader)) == COMPUTED_NONE)
        return ini_text_unknown(&reader->text, "counter of cugate's own", value, names, count);
    return 0;
}

static int set_unit(struct metric_reader *reader, const char *value)
{
    const char *names[16];
    size_t count = metric_units(names, ARRAY_SIZE(names));
    if (name_index(value, names, count) == count)
        return ini_text_unknown(&reader->text, "unit", value, names, count);
    current(reader)->unit = x_strdup(value);
    return 0;
}

static int set_class(struct metric_reader *reader, const char *value)
{
    const char *names[METRIC_CLASSES];
    for (enum metric_class i = 0; i < METRIC_CLASSES; i++)
        names[i] = metric_class_name(i);
    current(reader)->class = metric_class_of(value);
    return current(reader)->class < METRIC_CLASSES
               ? 0
               : ini_text_unknown(&reader->text, "class", value, names, METRIC_CLASSES);
}

static int set_better(struct metric_reader *reader, const char *value)
{
    const char *names[METRIC_BETTERS];
    for (enum metric_better i = 0; i < METRIC_BETTERS; i++)
        names[i] = metric_better_name(i);
    current(reader)->better = metric_better_of(value);
    return current(reader)->better < METRIC_BETTERS
               ? 0
               : ini_text_unknown(&reader->text, "direction", value, names, METRIC_BETTERS);
}

/* Keeps the text of `floor` until the end of the section: its meaning depends on `unit`, which may come later. */
static int set_floor(struct metric_reader *reader, const char *value)
{
    reader->floor = x_strdup(value);
    reader->floor_line = reader->text.line;
    return 0;
}

static int set_other(struct metric_reader *reader, const char *what, const char *value, char **other)
{
    if (!is_name(value))
        return ini_text_wrong(&reader->text, reader->text.line,
                              "\"%s\" is not a %s: write the section name of another metric", value, what);
    *other = x_strdup(value);
    return 0;
}

static int set_headline(struct metric_reader *reader, const char *value)
{
    const size_t length = text_count(value);
    if (length > METRIC_HEADLINE)
        return ini_text_wrong(&reader->text, reader->text.line,
                              "the headline has %zu characters: write a column title of at most %d", length,
                              METRIC_HEADLINE);
    current(reader)->headline = x_strdup(value);
    return 0;
}

static int set_weight(struct metric_reader *reader, const char *value)
{
    return set_other(reader, "weight", value, &current(reader)->weight);
}

static int set_few(struct metric_reader *reader, const char *value)
{
    char *end;
    const double few = strtod(value, &end);
    if (!*value || *end || value[strspn(value, "0123456789")] || !isfinite(few) || few < 1)
        return ini_text_wrong(
            &reader->text, reader->text.line,
            "cannot read \"%s\": write the smallest weight at which the ratio is judged, such as \"100000\"", value);
    current(reader)->few = few;
    return 0;
}

static int set_clock(struct metric_reader *reader, const char *value)
{
    return set_other(reader, "clock", value, &current(reader)->clock);
}

static int set_trade(struct metric_reader *reader, const char *value)
{
    char name[METRIC_NAME];
    const char *rest = value;
    if (!*value)
        return ini_text_wrong(&reader->text, reader->text.line,
                              "\"trade\" names no metric: write section names of other metrics, or remove the key");
    while (metric_next_trade(&rest, name))
        if (!is_name(name))
            return ini_text_wrong(&reader->text, reader->text.line,
                                  "\"%s\" is not a valid trade: write section names of other metrics", name);
    current(reader)->trade = x_strdup(value);
    return 0;
}

static int set_trades(struct metric_reader *reader, const char *value)
{
    if (strcmp(value, "no") != 0)
        return ini_text_wrong(&reader->text, reader->text.line, "\"trades\" can only be no, not \"%s\"", value);
    current(reader)->never_paid = true;
    return 0;
}

static int set_known(struct metric_reader *reader, const char *value)
{
    if (strcmp(value, "yes") != 0)
        return ini_text_wrong(&reader->text, reader->text.line, "\"known\" can only be yes, not \"%s\"", value);
    current(reader)->follows = true;
    return 0;
}

/* Appends to a text that may continue over several lines. */
static int add_text(char **text, const char *value)
{
    x_append(text, " ", "%s", value);
    return 0;
}

static int set_doc(struct metric_reader *reader, const char *value)
{
    return add_text(&current(reader)->doc, value);
}

static int set_law(struct metric_reader *reader, const char *value)
{
    if (!reader->law)
        current(reader)->laws_line = reader->text.line;
    return add_text(&reader->law, value);
}

/* To add a key: one row, and a line at the head of metrics/core.ini. */
static const struct key {
    const char *name;
    bool required;
    int (*set)(struct metric_reader *reader, const char *value);
} keys[] = {
    {"title", true, set_title},    {"counter", true, set_counter}, {"unit", true, set_unit},
    {"class", true, set_class},    {"better", true, set_better},   {"floor", false, set_floor},
    {"weight", false, set_weight}, {"clock", false, set_clock},    {"trade", false, set_trade},
    {"law", false, set_law},       {"doc", true, set_doc},         {"headline", false, set_headline},
    {"few", false, set_few},       {"trades", false, set_trades},  {"known", false, set_known},
};

static int wrong_floor(struct metric_reader *reader)
{
    const char *unit = current(reader)->unit;
    const char *word = strcmp(unit, "%") == 0 ? "point" : unit;
    return ini_text_wrong(&reader->text, reader->floor_line,
                          "cannot read the floor \"%s\": write a share, an amount or both, such as \"2 %%\", \"1 %s\" "
                          "or \"2 %% and 1 %s\"",
                          reader->floor, word, word);
}

/* Refuses a floor that is as large as any value can be: nothing would ever fail. */
static int refuse_all(struct metric_reader *reader, const char *all)
{
    return ini_text_wrong(&reader->text, reader->floor_line,
                          "with the floor \"%s\" every value passes: write less than %s, or make [%s] info",
                          reader->floor, all, current(reader)->name);
}

/* Parses a floor such as "2 % and 250 ns". For a percentage "1 point" is absolute, since "1 %" would be relative. */
static int read_floor(struct metric_reader *reader)
{
    struct metric *metric = current(reader);
    bool percentage = strcmp(metric->unit, "%") == 0;
    for (char *text = reader->floor;;) {
        char *end;
        double number = strtod(text, &end);
        /* strtod alone would also take "inf", "nan" and "0x1p3". */
        size_t digits = strspn(text, "0123456789.");
        if (end == text || end != text + digits || !isfinite(number) || number <= 0)
            return wrong_floor(reader);
        text = end + strspn(end, " \t");
        size_t length = strcspn(text, " \t");
        OWNED_TEXT word = x_sprintf("%.*s", (int)length, text);
        bool is_share = strcmp(word, "%") == 0;
        bool is_amount =
            percentage ? strcmp(word, "point") == 0 || strcmp(word, "points") == 0 : strcmp(word, metric->unit) == 0;
        double *floor = is_share ? &metric->floor_relative : &metric->floor_absolute;
        if ((!is_share && !is_amount) || *floor > 0)
            return wrong_floor(reader);
        if (number >= 100 && (is_share || percentage))
            return refuse_all(reader, is_share ? "100 %" : "100 points");
        *floor = is_share ? number / 100 : number;
        text += length + strspn(text + length, " \t");
        if (!*text)
            return 0;
        if (strncmp(text, "and ", strlen("and ")) != 0)
            return wrong_floor(reader);
        text += strlen("and ");
        text += strspn(text, " \t");
    }
}

static int read_laws(struct metric_reader *reader)
{
    struct problem problem;
    struct metric *metric = current(reader);
    if (!reader->law || laws_parse(&metric->laws, reader->law, &problem) == 0)
        return 0;
    return ini_text_wrong(&reader->text, metric->laws_line, "%s", problem.text);
}

/* Checks a section as a whole, at its end. */
static int end_section(struct metric_reader *reader)
{
    if (reader->header == 0 || reader->text.failed)
        return 0;
    if (reader->fresh)
        return ini_text_wrong(&reader->text, reader->header,
                              "the section is empty: it needs the keys title, counter, unit, class, better and doc");
    struct metric *metric = current(reader);
    for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
        if (keys[i].required && !(reader->seen & 1u << i))
            return ini_text_wrong(&reader->text, reader->header, "[%s] has no key \"%s\": add it", metric->name,
                                  keys[i].name);
    if (!*metric->doc)
        return ini_text_wrong(&reader->text, reader->header,
                              "[%s] has an empty \"doc\": describe what the metric shows and where it misleads",
                              metric->name);
    if (reader->floor && (metric->class == METRIC_EXACT || metric->class == METRIC_STATIC))
        return ini_text_wrong(&reader->text, reader->floor_line,
                              "[%s] is %s, so any change counts: remove the floor, or change the class to steady",
                              metric->name, metric_class_name(metric->class));
    if (metric->few > 0 && (!metric->weight || metric->class != METRIC_STEADY))
        return ini_text_wrong(&reader->text, metric->line,
                              "[%s] has the key \"few\", which only steady metrics with a weight may have",
                              metric->name);
    if (metric->follows && metric->class != METRIC_STEADY)
        return ini_text_wrong(
            &reader->text, metric->line,
            "[%s] has the key \"known\", which only steady metrics may have: a time has to be measured", metric->name);
    int result = reader->floor ? read_floor(reader) : 0;
    if (result == 0)
        result = read_laws(reader);
    free(reader->floor);
    free(reader->law);
    reader->floor = reader->law = NULL;
    return result;
}

static int begin_section(struct metric_reader *reader, const char *name)
{
    if (!is_name(name) || strlen(name) > SECTION_LENGTH)
        return ini_text_wrong(&reader->text, reader->header,
                              "[%s] is not a metric name: use at most %d characters of a-z, 0-9 and _", name,
                              SECTION_LENGTH);
    const struct metric *first = metrics_find(reader->metrics, name);
    if (first)
        return ini_text_wrong(&reader->text, reader->header, "[%s] is already defined at %s:%d: rename or remove one",
                              name, first->file, first->line);
    struct metric *metric = ARRAY_GROW(reader->metrics->list, reader->metrics->count);
    metric->name = x_strdup(name);
    metric->file = x_strdup(reader->text.path);
    metric->line = reader->header;
    metric->optional = reader->optional;
    reader->fresh = false;
    return 0;
}

/* Takes a key above the first section, which holds for the whole file. */
static int take_head(struct metric_reader *reader, const char *name, const char *value)
{
    if (strcmp(name, "optional") != 0)
        return ini_text_wrong(&reader->text, reader->text.line,
                              "\"%s\" comes before the first section: write [metric_name] above it", name);
    if (strcmp(value, "yes") != 0)
        return ini_text_wrong(&reader->text, reader->text.line, "\"optional\" can only be yes, not \"%s\"", value);
    reader->optional = true;
    return 0;
}

/* The handler for inih: returns 1 to continue, 0 for an error. */
static int take_key(void *user, const char *section, const char *name, const char *value)
{
    struct metric_reader *reader = user;
    if (reader->text.failed)
        return 0;
    if (reader->header == 0)
        return take_head(reader, name, value) == 0;
    if (reader->fresh && begin_section(reader, section) < 0)
        return 0;
    if (reader->indented) {
        if (reader->key->set != set_doc && reader->key->set != set_law) {
            ini_text_wrong(&reader->text, reader->text.line,
                           "only \"law\" and \"doc\" may continue on the next line, not \"%s\": join the lines",
                           reader->key->name);
            return 0;
        }
        return reader->key->set(reader, value) == 0;
    }
    const char *names[ARRAY_SIZE(keys)];
    for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
        names[i] = keys[i].name;
        if (strcmp(names[i], name) != 0)
            continue;
        if (reader->seen & 1u << i) {
            ini_text_wrong(&reader->text, reader->text.line, "\"%s\" is given twice in [%s]: remove one", name,
                           section);
            return 0;
        }
        if (!*value && keys[i].set != set_doc) {
            ini_text_wrong(&reader->text, reader->text.line, "\"%s\" has no value: write one, or remove the line",
                           name);
            return 0;
        }
        reader->seen |= 1u << i;
        reader->key = &keys[i];
        return keys[i].set(reader, value) == 0;
    }
    ini_text_unknown(&reader->text, "key", name, names, ARRAY_SIZE(keys));
    return 0;
}

/* The line reader for inih, in place of fgets. */
static char *next_line(char *buffer, int size, void *stream)
{
    struct metric_reader *reader = stream;
    size_t length;
    const char *line = ini_text_next(&reader->text, &length);
    if (!line)
        return NULL;
    if (!ini_text_copy(&reader->text, line, length, buffer, size, ": continue it in an indented line"))
        return NULL;
    size_t indent = strspn(line, " \t\r");
    bool blank = indent >= length || line[indent] == '#' || line[indent] == ';';
    reader->indented = indent > 0 && !blank;
    if (reader->indented && !reader->key) {
        ini_text_wrong(&reader->text, reader->text.line, "the line is indented, but no key before it can continue");
        return NULL;
    }
    if (*line == '[') {
        if (end_section(reader) < 0)
            return NULL;
        reader->header = reader->text.line;
        reader->fresh = true;
        reader->key = NULL;
        reader->seen = 0;
    }
    /* inih removes a comment from the line of a key, but some versions keep it on a continuation line. */
    for (size_t i = 1; i < length; i++)
        if (line[i] == ';' && (line[i - 1] == ' ' || line[i - 1] == '\t'))
            length = i;
    buffer[length] = '\0';
    return buffer;
}

int metrics_read_text(struct metrics *metrics, const char *path, const char *text)
{
    struct metric_reader reader = {.metrics = metrics};
    ini_text_init(&reader.text, path, text);
    ini_text_parse(&reader.text, next_line, take_key, &reader, "[metric_name]");
    end_section(&reader);
    free(reader.floor);
    free(reader.law);
    return reader.text.failed ? -1 : 0;
}
