/* The table of the text report: a line a kernel. */
#include "report_text.h"
#include "table.h"

#include <stdlib.h>
#include <string.h>

/* One line of the table of kernels. */
struct kernel_line {
    const char *id;
    const struct result *now, *base; /* NULL where there is none */
    enum verdict verdict;            /* the worst of its rows; VERDICTS when nothing was judged */
    bool blind;                      /* one of its rows is */
};

/* What a column shows of a row. */
enum show { SHOW_VALUE, SHOW_CHANGE };

/* Time and what it changed by, and behind them a column for each metric with a headline. */
struct column {
    struct table_column table;
    enum show show;
    const char *metric;
    const char *substitute; /* shown with a `*` where the metric has no answer, else NULL */
};

struct columns {
    struct column *list;
    size_t count;
};

#define COLUMN_WIDTH 8 /* what a number takes, at least */

static struct columns make_columns(const struct report *report)
{
    struct columns columns = {0};
    *ARRAY_GROW(columns.list, columns.count) =
        (struct column){{"time ", false, COLUMN_WIDTH + 2}, SHOW_VALUE, "time", "wall_time"};
    if (report->comparison)
        *ARRAY_GROW(columns.list, columns.count) =
            (struct column){{"change", false, COLUMN_WIDTH}, SHOW_CHANGE, "time", "wall_time"};
    for (size_t m = 0; m < report->metrics->count; m++) {
        const struct metric *metric = &report->metrics->list[m];
        if (!metric->headline)
            continue;
        struct column *column = ARRAY_GROW(columns.list, columns.count);
        *column = (struct column){{metric->headline, false, COLUMN_WIDTH}, SHOW_VALUE, metric->name, NULL};
        table_fit(&column->table, metric->headline);
    }
    return columns;
}

/* How a state without a number looks in a cell. */
static const struct mark {
    const char *mark;
    const char *legend;
} marks[VALUE_STATES] = {
    [VALUE_NOT_COUNTED] = {"!", "not counted, reading it failed or its number breaks a law"},
    [VALUE_NOT_SUPPORTED] = {"-", "not supported by this chip or collector"},
    [VALUE_NOT_APPLICABLE] = {"n/a", "not applicable, for example no branch"},
};

const char *text_mark(enum value_state state)
{
    return marks[state].mark;
}

static struct kernel_line *find_line(struct kernel_line *lines, size_t count, const char *id)
{
    for (size_t low = 0, high = count; low < high;) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(lines[middle].id, id);
        if (order == 0)
            return &lines[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

/* Kernels that need attention come first, worst first; the others keep their order, so that families stay together. */
static int lines_worst_first(const void *left, const void *right)
{
    const struct kernel_line *a = left;
    const struct kernel_line *b = right;
    enum verdict rank_a = a->verdict <= VERDICT_UNSURE ? a->verdict : VERDICTS;
    enum verdict rank_b = b->verdict <= VERDICT_UNSURE ? b->verdict : VERDICTS;
    return rank_a != rank_b ? (rank_a < rank_b ? -1 : 1) : strcmp(a->id, b->id);
}

/* Caller frees. */
static struct kernel_line *make_lines(const struct report *report, size_t *count)
{
    const struct run *run = report->run;
    const struct comparison *comparison = report->comparison;
    struct kernel_line *lines = NULL;
    *count = 0;

    for (size_t i = 0; i < run->result_count; i++) {
        const char *id = run->results[i].id;
        *ARRAY_GROW(lines, *count) = (struct kernel_line){
            .id = id,
            .now = &run->results[i],
            .base = report->baseline ? run_find(report->baseline, id) : NULL,
            .verdict = VERDICTS,
        };
    }
    size_t measured = *count;
    for (size_t i = 0; comparison && i < comparison->count; i++) {
        const struct judgement *judgement = &comparison->list[i];
        if (strcmp(judgement->kernel, COMPARISON_SUITE) == 0)
            continue;
        struct kernel_line *line = find_line(lines, measured, judgement->kernel);
        if (!line) {
            line = ARRAY_GROW(lines, *count);
            *line = (struct kernel_line){.id = judgement->kernel, .verdict = VERDICTS};
        }
        if (judgement->verdict < line->verdict)
            line->verdict = judgement->verdict;
        line->blind |= judgement->blind;
    }
    if (*count > 0)
        qsort(lines, *count, sizeof *lines, lines_worst_first);
    return lines;
}

static const struct row *find_row(const struct result *result, const char *metric)
{
    return result && metric ? result_find(result, metric) : NULL;
}

static bool measured(const struct row *row)
{
    return row && row->state == VALUE_MEASURED;
}

/* Nothing when there are no two numbers. */
static void change_cell(const struct kernel_line *line, const char *metric, char *cell, size_t size)
{
    const struct row *now = find_row(line->now, metric);
    const struct row *base = find_row(line->base, metric);
    cell[0] = '\0';
    if (measured(now) && measured(base))
        words_share(row_value(base), row_value(now), cell, size);
}

/* Percentages have one decimal, so that a column of them lines up. */
static void value_cell(const struct report *report, const struct kernel_line *line, const char *name, char *cell,
                       size_t size)
{
    const struct metric *metric = metrics_find(report->metrics, name);
    const struct row *row = find_row(line->now, name);
    cell[0] = '\0';
    if (!metric || !row)
        return;
    if (!measured(row))
        snprintf(cell, size, "%s", marks[row->state].mark);
    else if (strcmp(metric->unit, "%") == 0)
        snprintf(cell, size, "%.1f %%", row_value(row));
    else
        metric_format(metric, row_value(row), cell, size);
}

enum ink tone_ink(enum tone tone)
{
    static const enum ink inks[] = {
        [TONE_PLAIN] = INK_PLAIN, [TONE_GOOD] = INK_GREEN, [TONE_WARN] = INK_YELLOW, [TONE_FAIL] = INK_RED};
    return inks[tone];
}

/* The cells of a kernel that was measured. used collects what the legend has to explain: a bit a state, and the bit
 * VALUE_STATES for the substitute's star. */
static void print_cells(struct table_row *cells, const struct report *report, const struct columns *columns,
                        const struct kernel_line *line, unsigned *used)
{
    for (size_t i = 0; i < columns->count; i++) {
        const struct column *column = &columns->list[i];
        const struct row *row = find_row(line->now, column->metric);
        bool substitute = !measured(row) && measured(find_row(line->now, column->substitute));
        const char *name = substitute ? column->substitute : column->metric;
        char value[64], cell[80];
        if (column->show == SHOW_CHANGE)
            change_cell(line, name, value, sizeof value);
        else
            value_cell(report, line, name, value, sizeof value);
        bool starred = *value && column->show == SHOW_VALUE && column->substitute;
        snprintf(cell, sizeof cell, "%s%s", value, !starred ? "" : substitute ? "*" : " ");
        table_cell(cells, INK_PLAIN, &column->table, cell);
        if (row && row->state != VALUE_MEASURED && !substitute)
            *used |= 1u << row->state;
        if (substitute)
            *used |= 1u << VALUE_STATES;
    }
}

/* Across all cells: why there are none. */
static void print_status(struct table_row *cells, const struct columns *columns, const struct result *result)
{
    struct table_column across = {.left = true, .width = -2};
    for (size_t i = 0; i < columns->count; i++)
        across.width += 2 + columns->list[i].table.width;
    if (result)
        table_cell(cells, result->status == RESULT_NOT_BUILT ? INK_DIM : INK_RED, &across,
                   result_status_name(result->status));
    else
        table_cell(cells, INK_PLAIN, &across, "");
}

static void print_line(const struct text *text, const struct report *report, const struct columns *columns,
                       const struct kernel_line *line, const struct table_column *kernel, unsigned *used)
{
    static const struct table_column verdict = {"verdict", true, 7};
    struct table_row cells = {.text = text};
    table_cell(&cells, INK_PLAIN, kernel, line->id);
    if (line->now && line->now->status == RESULT_OK)
        print_cells(&cells, report, columns, line, used);
    else
        print_status(&cells, columns, line->now);
    if (report->comparison && line->verdict < VERDICTS) {
        table_cell(&cells, tone_ink(words_verdict_tone(line->verdict)), &verdict, verdict_name(line->verdict));
        if (line->blind)
            text_print(text, INK_YELLOW, ", blind");
    }
    text_print(text, INK_PLAIN, "\n");
}

static void print_legend(const struct text *text, unsigned used)
{
    const char *between = "";
    for (size_t i = 0; i < VALUE_STATES; i++) {
        if (used & 1u << i) {
            text_print(text, INK_DIM, "%s%s: %s", between, marks[i].mark, marks[i].legend);
            between = "   ";
        }
    }
    if (used & 1u << VALUE_STATES) {
        text_print(text, INK_DIM, "%s*: by the host's clock", between);
        between = "   ";
    }
    if (*between)
        text_print(text, INK_PLAIN, "\n");
    text_print(text, INK_PLAIN, "\n");
}

void text_kernels(const struct text *text, const struct report *report)
{
    size_t count;
    struct kernel_line *lines = make_lines(report, &count);
    struct columns columns = make_columns(report);
    struct table_column kernel = {"kernel", true, 0};
    struct table_row titles = {.text = text, .any = true};
    unsigned used = 0;

    table_fit(&kernel, kernel.title);
    for (size_t i = 0; i < count; i++)
        table_fit(&kernel, lines[i].id);
    text_print(text, INK_BOLD, "%-*s", kernel.width, kernel.title);
    for (size_t i = 0; i < columns.count; i++)
        table_title(&titles, &columns.list[i].table);
    text_print(text, INK_BOLD, "%s\n", report->comparison ? "  verdict" : "");
    for (size_t i = 0; i < count; i++)
        print_line(text, report, &columns, &lines[i], &kernel, &used);
    print_legend(text, used);
    free(columns.list);
    free(lines);
}
