/* The rows of the text report: what is missing, worse or doubtful, by how much, why, and how to accept it. */
#include "report_text.h"
#include "table.h"

#include <stdlib.h>
#include <string.h>

/* More rows than this that the baseline lacks are only counted: a new metric has one in every kernel. */
#define NEW_ROWS 10

/* Characters of a line's place and of its text, however wide the columns before them are. */
#define SOURCE_MIN 30

/* Characters of a kernel's name, beyond which what is said of it as a whole stands below it. */
#define LONG_NAME 40

/* The mark of a side without a number; "" where there is no row at all. */
static const char *side_mark(const struct run *run, const struct judgement *judgement)
{
    const struct result *result = run_find(run, judgement->kernel);
    const struct row *row = result ? result_find(result, judgement->metric->name) : NULL;
    return row ? text_mark(row->state) : "";
}

/* The table's columns after the verdict, which starts the line in its colour. */
enum column {
    COLUMN_KERNEL,
    COLUMN_METRIC,
    COLUMN_BASE,
    COLUMN_NOW,
    COLUMN_CHANGE,
    COLUMN_LIMIT,
    COLUMN_DETECTS,
    COLUMNS
};

static const struct table_column heads[COLUMNS] = {
    [COLUMN_KERNEL] = {"kernel", true},    [COLUMN_METRIC] = {"metric", true},  [COLUMN_BASE] = {"base", false},
    [COLUMN_NOW] = {"now", false},         [COLUMN_CHANGE] = {"change", false}, [COLUMN_LIMIT] = {"limit", false},
    [COLUMN_DETECTS] = {"detects", false},
};

struct layout {
    int verdict; /* width of that column */
    struct table_column columns[COLUMNS];
};

static void point_to_cells(const struct judgement *judgement, const struct cells *cells, const char *row[COLUMNS])
{
    row[COLUMN_KERNEL] = judgement->kernel;
    row[COLUMN_METRIC] = judgement->metric ? judgement->metric->name : "";
    row[COLUMN_BASE] = cells->base;
    row[COLUMN_NOW] = cells->now;
    row[COLUMN_CHANGE] = cells->change;
    row[COLUMN_LIMIT] = cells->limit;
    row[COLUMN_DETECTS] = cells->detects;
}

/* A side without a number has its mark. */
static void fill_cells(const struct report *report, const struct judgement *judgement, struct cells *cells)
{
    words_cells(judgement, cells);
    if (judgement->metric && !judgement->has_base)
        snprintf(cells->base, sizeof cells->base, "%s", side_mark(report->baseline, judgement));
    if (judgement->metric && !judgement->has_now)
        snprintf(cells->now, sizeof cells->now, "%s", side_mark(report->run, judgement));
}

/* A row that is listed. */
struct listed {
    const struct judgement *judgement;
    struct cells cells;
    char *why; /* what stands behind it, for lines of its own; NULL when nothing does. Owned */
};

/* A whole kernel whose name leaves no room beside it, as those of templates in programs. */
static bool is_long(const struct judgement *judgement)
{
    return !judgement->metric && strlen(judgement->kernel) > LONG_NAME;
}

static void print_row(const struct text *text, const struct layout *layout, const struct listed *listed)
{
    const struct judgement *judgement = listed->judgement;
    const char *row[COLUMNS];
    point_to_cells(judgement, &listed->cells, row);
    int column = text_print(text, tone_ink(words_verdict_tone(judgement->verdict)), "  %-*s", layout->verdict,
                            verdict_name(judgement->verdict));
    if (is_long(judgement)) {
        text_print(text, INK_PLAIN, "  %s\n", judgement->kernel); /* what is said of it stands below */
        return;
    }
    if (!judgement->metric) {
        column += text_print(text, INK_PLAIN, "  %-*s  ", layout->columns[COLUMN_KERNEL].width, judgement->kernel);
        text_wrap(text, INK_PLAIN, column, column, judgement->reason);
        return;
    }
    struct table_row line = {.text = text, .any = true};
    for (size_t c = 0; c < COLUMNS; c++)
        table_cell(&line, INK_PLAIN, &layout->columns[c], row[c]);
    text_print(text, INK_PLAIN, "\n");
}

/* How many rows from the first on have its reason. A red row has its own, always. */
static size_t count_alike(const struct listed *list, size_t count)
{
    size_t alike = 1;
    if (!list->why || words_verdict_tone(list->judgement->verdict) == TONE_FAIL)
        return 1;
    while (alike < count && list[alike].why && strcmp(list[alike].why, list->why) == 0 &&
           words_verdict_tone(list[alike].judgement->verdict) != TONE_FAIL)
        alike++;
    return alike;
}

/* Where what is said of a row begins, below its metric; of a long name, below that. */
static int indent_of(const struct layout *layout, const struct judgement *judgement)
{
    if (is_long(judgement))
        return 2 + layout->verdict + 4;
    return 2 + layout->verdict + 2 + layout->columns[COLUMN_KERNEL].width + 2;
}

/* Below the first of the rows that it is for. */
static void print_why(const struct text *text, const struct layout *layout, const struct listed *listed, size_t rows)
{
    const int indent = text_print(text, INK_PLAIN, "%*s", indent_of(layout, listed->judgement), "");
    const char *why = listed->why;
    char *words = rows > 2    ? x_sprintf("this row and the next %zu: %s", rows - 1, why)
                  : rows == 2 ? x_sprintf("this row and the next: %s", why)
                              : x_strdup(why);
    text_wrap(text, INK_DIM, indent, indent, words);
    free(words);
}

static size_t room_behind(int indent)
{
    return indent + SOURCE_MIN < TEXT_WIDTH ? (size_t)(TEXT_WIDTH - indent) : SOURCE_MIN;
}

/* Dim, in one line that begins with a bar, so that no source text begins it. */
static void print_source(const struct text *text, int indent, const char *source)
{
    char *line = text_cut(source, room_behind(indent + (int)strlen("    | ")));
    for (char *tab = strchr(line, '\t'); tab; tab = strchr(tab, '\t'))
        *tab = ' ';
    (void)text_make_harmless(line, ' ');
    for (size_t length = strlen(line); length > 0 && line[length - 1] == ' '; length--)
        line[length - 1] = '\0';
    if (*line)
        text_print(text, INK_DIM, "%*s    | %s\n", indent, "", line);
    free(line);
}

static void print_line(const struct text *text, enum ink ink, int indent, const char *words)
{
    text_print(text, INK_PLAIN, "%*s", indent, "");
    text_wrap(text, ink, indent, indent + 2, words);
}

/* The lines that made it worse, and what to do about them. What is the same for several rows of a kernel stands below
 * the first of them. */
static void print_hotspots(const struct text *text, const struct layout *layout, const struct judgement *judgement,
                           const struct blame *blame)
{
    const int indent = indent_of(layout, judgement);
    for (size_t i = 0; i < blame->count && !blame->same_as; i++) {
        char *place = words_place(blame->hotspots[i].line, room_behind(indent + 1)),
             *hotspot = words_hotspot(blame, &blame->hotspots[i]);
        char *words = x_sprintf("%s: %s", place, hotspot);
        print_line(text, INK_PLAIN, indent, words);
        if (blame->hotspots[i].line->text)
            print_source(text, indent, blame->hotspots[i].line->text);
        free(words);
        free(hotspot);
        free(place);
    }
    char *words = blame->same_as   ? x_sprintf("the lines of %s above", blame->same_as->name)
                  : blame->pattern ? words_advice(blame)
                                   : NULL;
    if (words)
        print_line(text, INK_DIM, indent, words);
    free(words);
    words = blame->is_worst && blame->launch_change ? x_sprintf("launch: %s", blame->launch_change) : NULL;
    if (words)
        print_line(text, INK_PLAIN, indent, words);
    free(words);
}

/* lacking counts the rows so far that the baseline lacks. */
static bool is_listed(const struct report *report, const struct judgement *judgement, size_t *lacking)
{
    if (report->verbose)
        return true;
    if (judgement->metric && judgement->verdict <= VERDICT_NEW && !judgement->has_base && judgement->has_now)
        return ++*lacking <= NEW_ROWS;
    return judgement->verdict <= VERDICT_NEW || (report->power && judgement->verdict != VERDICT_INFO);
}

/* Caller frees. */
static struct listed *list_rows(const struct report *report, size_t *count)
{
    const struct comparison *comparison = report->comparison;
    struct listed *list = NULL;
    size_t lacking = 0;
    *count = 0;
    for (size_t i = 0; i < comparison->count; i++) {
        if (!is_listed(report, &comparison->list[i], &lacking))
            continue;
        struct listed *listed = ARRAY_GROW(list, *count);
        listed->judgement = &comparison->list[i];
        fill_cells(report, listed->judgement, &listed->cells);
        listed->why = listed->judgement->metric    ? words_why(listed->judgement)
                      : is_long(listed->judgement) ? x_strdup(listed->judgement->reason)
                                                   : NULL;
    }
    return list;
}

static struct layout lay_out(const struct report *report, const struct listed *list, size_t count)
{
    struct table_column verdict = {.title = "regressed", .left = true};
    struct layout layout;
    memcpy(layout.columns, heads, sizeof heads);
    table_fit(&verdict, verdict.title);
    for (size_t c = 0; c < COLUMNS; c++)
        table_fit(&layout.columns[c], heads[c].title);
    for (size_t i = 0; i < count; i++) {
        const char *row[COLUMNS];
        point_to_cells(list[i].judgement, &list[i].cells, row);
        if (is_long(list[i].judgement))
            row[COLUMN_KERNEL] = "";
        table_fit(&verdict, verdict_name(list[i].judgement->verdict));
        for (size_t c = 0; c < COLUMNS; c++)
            table_fit(&layout.columns[c], row[c]);
    }
    if (!report->power)
        layout.columns[COLUMN_DETECTS].width = 0;
    layout.verdict = verdict.width;
    return layout;
}

static void print_judgements(const struct text *text, const struct report *report)
{
    size_t count;
    struct listed *list = list_rows(report, &count);
    if (count == 0)
        return;

    const struct layout layout = lay_out(report, list, count);
    struct table_row titles = {.text = text, .any = true};
    text_print(text, INK_BOLD, "  %-*s", layout.verdict, "verdict");
    for (size_t c = 0; c < COLUMNS; c++)
        table_title(&titles, &layout.columns[c]);
    text_print(text, INK_PLAIN, "\n");

    for (size_t i = 0, next = 0; i < count; i++) { /* next: the row that does not share the reason above */
        print_row(text, &layout, &list[i]);
        if (i == next) {
            const size_t alike = count_alike(&list[i], count - i);
            if (list[i].why)
                print_why(text, &layout, &list[i], alike);
            next += alike;
        }
        print_hotspots(text, &layout, list[i].judgement, diagnosis_of(report->diagnosis, list[i].judgement));
    }
    text_print(text, INK_PLAIN, "\n");
    for (size_t i = 0; i < count; i++)
        free(list[i].why);
    free(list);
}

/* One command a kernel, ready to be copied. */
static void print_accept(const struct text *text, const struct report *report)
{
    size_t count;
    const struct judgement **rows = words_regressed(report->comparison, &count);
    if (count > 0)
        text_print(text, INK_PLAIN, "If a change is meant, accept it and say why%s:\n", words_run_file(report));
    for (size_t i = 0; i < count;) {
        text_print(text, INK_PLAIN, "  ");
        i += words_accept(report, rows + i, count - i, text->stream);
        text_print(text, INK_PLAIN, "\n");
    }
    if (count > 0)
        text_print(text, INK_PLAIN, "\n");
    free(rows);
}

/* Of a run that is compared with nothing. */
static void print_failures(const struct text *text, const struct report *report)
{
    const struct run *run = report->run;
    int width = 0; /* of the kernels' names; 0 when none failed */
    for (size_t i = 0; i < run->result_count; i++)
        if (run->results[i].status != RESULT_OK && (int)strlen(run->results[i].id) > width)
            width = (int)strlen(run->results[i].id);

    for (size_t i = 0; i < run->result_count; i++) {
        const struct result *result = &run->results[i];
        if (result->status == RESULT_OK)
            continue;
        enum ink ink = result->status == RESULT_NOT_BUILT ? INK_DIM : INK_RED;
        int column = text_print(text, ink, "  %-12s  ", result_status_name(result->status));
        column += text_print(text, INK_PLAIN, "%-*s  ", width, result->id);
        text_wrap(text, INK_PLAIN, column, column, result->reason ? result->reason : "no reason is known");
    }
    if (width > 0)
        text_print(text, INK_PLAIN, "\n");
}

void text_rows(const struct text *text, const struct report *report)
{
    if (!report->comparison) {
        print_failures(text, report);
        return;
    }
    print_judgements(text, report);
    print_accept(text, report);
}
