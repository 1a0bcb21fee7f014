/* fuzz_metric - any text as a metric file. What is accepted must survive writing and reading. */
#include "fuzz.h"
#include "model/model.h"

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Breaks lines only where the reader joins them to the same text: at a single space before what is no comment. */
static void write_doc(const char *doc, FILE *stream)
{
    size_t column = 0;
    fputs("doc=", stream);
    for (const char *c = doc; *c; c++, column++) {
        bool single = *c == ' ' && c > doc && !is_blank(c[-1]) && !is_blank(c[1]) && !strchr("#;", c[1]);
        if (single && column > 100) {
            fputs("\n ", stream);
            column = 0;
        } else {
            fputc(*c, stream);
        }
    }
    fputc('\n', stream);
}

static void write_metric(const struct metric *metric, FILE *stream)
{
    const char *unit = strcmp(metric->unit, "%") == 0 ? "points" : metric->unit;
    fprintf(stream, "[%s]\ntitle=%s\ncounter=%s\nunit=%s\nclass=%s\nbetter=%s\n", metric->name, metric->title,
            metric->counter, metric->unit, metric_class_name(metric->class), metric_better_name(metric->better));
    if (metric->floor_relative > 0 && metric->floor_absolute > 0)
        fprintf(stream, "floor=%.30f %% and %.30f %s\n", metric->floor_relative * 100, metric->floor_absolute, unit);
    else if (metric->floor_relative > 0)
        fprintf(stream, "floor=%.30f %%\n", metric->floor_relative * 100);
    else if (metric->floor_absolute > 0)
        fprintf(stream, "floor=%.30f %s\n", metric->floor_absolute, unit);
    if (metric->weight)
        fprintf(stream, "weight=%s\n", metric->weight);
    for (size_t i = 0; i < metric->laws.count; i++)
        fprintf(stream, "%s%s%s", i == 0 ? "law=" : ",\n ", metric->laws.list[i].text,
                i + 1 < metric->laws.count ? "" : "\n");
    write_doc(metric->doc, stream);
}

static bool is_close(double a, double b)
{
    return fabs(a - b) <= 1e-12 * fabs(a);
}

static void check_equal(const struct metric *a, const struct metric *b)
{
    require(strcmp(a->name, b->name) == 0, "the name changed");
    require(strcmp(a->title, b->title) == 0, "the title changed");
    require(strcmp(a->counter, b->counter) == 0, "the counter changed");
    require(strcmp(a->unit, b->unit) == 0, "the unit changed");
    require(strcmp(a->doc, b->doc) == 0, "the doc changed");
    require(a->optional == b->optional, "it became optional, or ceased to be");
    require(!a->weight == !b->weight && (!a->weight || strcmp(a->weight, b->weight) == 0), "the weight changed");
    require(a->class == b->class && a->better == b->better, "the class or direction changed");
    require(a->laws.count == b->laws.count, "a law was lost");
    for (size_t i = 0; i < a->laws.count; i++)
        require(strcmp(a->laws.list[i].text, b->laws.list[i].text) == 0, "a law changed");
    require(is_close(a->floor_relative, b->floor_relative), "the relative floor changed");
    require(is_close(a->floor_absolute, b->floor_absolute), "the absolute floor changed");
}

static bool has_long_line(const char *text)
{
    for (size_t length = strcspn(text, "\n"); *text; length = strcspn(text, "\n")) {
        if (length > 190)
            return true;
        text += length + (text[length] == '\n');
    }
    return false;
}

static bool has_printable_floors(const struct metrics *metrics)
{
    for (size_t i = 0; i < metrics->count; i++) {
        double relative = metrics->list[i].floor_relative;
        double absolute = metrics->list[i].floor_absolute;
        if ((relative > 0 && relative < 1e-12) || (absolute > 0 && (absolute < 1e-12 || absolute > 1e30)))
            return false;
    }
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    OWNED(metrics) metrics = {0};
    OWNED_TEXT text = x_calloc(size + 1, 1);
    memcpy(text, data, size);
    if (metrics_read_text(&metrics, "fuzz", text) == 0) {
        OWNED_TEXT copy = NULL;
        size_t length;
        FILE *stream = open_memstream(&copy, &length);
        (void)metrics_check(&metrics);
        if (metrics.count > 0 && metrics.list[0].optional)
            fputs("optional=yes\n", stream);
        for (size_t i = 0; i < metrics.count; i++) {
            char words[64];
            require(strlen(metric_format(&metrics.list[i], 18700, words, sizeof words)) > 0, "a value has no words");
            write_metric(&metrics.list[i], stream);
        }
        fclose(stream);
        /* The reader refuses long lines, and some values cannot be broken into shorter ones. */
        if (!has_long_line(copy) && has_printable_floors(&metrics)) {
            OWNED(metrics) back = {0};
            require(metrics_read_text(&back, "fuzz", copy) == 0, "what was written is refused");
            require(back.count == metrics.count, "a section was lost");
            for (size_t i = 0; i < back.count; i++)
                check_equal(&metrics.list[i], &back.list[i]);
        }
    }
    return 0;
}
