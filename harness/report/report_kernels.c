/* Prints the table of kernels in the text report, a line each. */
#include "kernel_lines.h"
#include "report_text.h"
#include "table.h"

/* What a column shows of a row. Of a program's kernel also how long all its launches took, and how many there were. */
enum show { SHOW_VALUE, SHOW_CHANGE, SHOW_TOTAL, SHOW_TOTAL_BEFORE, SHOW_LAUNCHES, SHOW_ESTIMATED };

/* A column: the time, its change, then one for each metric with a headline. For a program its parts of all time come
 * first. */
struct column {
    struct table_column table;
    enum show show;
    const char *metric;
    const char *substitute; /* metric shown with a `*` where the column's metric does not apply, else NULL */
};

struct columns {
    struct column *list;
    size_t count;
};

#define COLUMN_WIDTH 8          /* minimum width of a number */
#define ESTIMATED_WIDTH 30      /* of an estimated time with its band */
#define CELL 80                 /* bytes of a cell */
#define NOT_JUDGED "not judged" /* in place of a verdict: neither side has the kernel, since it is not built */
#define NAME_MIN 12             /* minimum width of a kernel's name, however narrow the terminal is */
#define NAME_CUT 32             /* names are cut to this width before columns move to another table */

static const struct estimated_time *estimated_of(const struct result *result)
{
    return result && result->estimated && !result->estimated->refused ? result->estimated : NULL;
}

/* Writes an estimated time with its band: "41.0 us (35.0 us to 49.0 us)". */
static void estimated_cell(const struct result *result, char *cell, size_t size)
{
    const struct metric ns = {.unit = (char[]){"ns"}};
    const struct estimated_time *of = estimated_of(result);
    char time[32], low[32], high[32];
    cell[0] = '\0';
    if (of)
        snprintf(cell, size, "%s (%s to %s)", metric_format(&ns, of->ns, time, sizeof time),
                 metric_format(&ns, of->low, low, sizeof low), metric_format(&ns, of->high, high, sizeof high));
    else if (result && result->estimated)
        snprintf(cell, size, "none");
}

static void add_column(struct columns *columns, const char *title, int width, enum show show, const char *metric,
                       const char *substitute)
{
    struct column *column = ARRAY_GROW(columns->list, columns->count);
    *column = (struct column){{title, false, width}, show, metric, substitute};
    table_fit(&column->table, title);
}

/* Makes a column for each metric that any kernel has a number of; unless it was asked for, of one that is not 0. */
static struct columns columns_of_each(const struct report *report)
{
    struct columns columns = {0};
    const bool estimated = ANY(i, report->run->result_count, estimated_of(&report->run->results[i]) != NULL);
    if (estimated)
        add_column(&columns, "estimated time", ESTIMATED_WIDTH, SHOW_ESTIMATED, NULL, NULL);
    for (size_t m = 0; m < report->metrics->count; m++) {
        const char *name = report->metrics->list[m].name;
        bool known = false;
        for (size_t i = 0; i < report->run->result_count && !known; i++) {
            const struct row *row = result_measured(&report->run->results[i], name);
            known = row && (report->each || row_value(row) != 0);
        }
        if (known)
            add_column(&columns, name, COLUMN_WIDTH, SHOW_VALUE, name, NULL);
    }
    return columns;
}

static struct columns make_columns(const struct report *report)
{
    struct columns columns = {0};
    const struct origin *origin = run_origin(report->run);
    if (!report->comparison && (report->each || origin->computed || origin->code_only))
        return columns_of_each(report);
    if (shows_totals(report)) {
        add_column(&columns, "GPU time", COLUMN_WIDTH, SHOW_TOTAL, NULL, NULL);
        if (report->comparison)
            add_column(&columns, "before", COLUMN_WIDTH, SHOW_TOTAL_BEFORE, NULL, NULL);
        add_column(&columns, "launches", COLUMN_WIDTH, SHOW_LAUNCHES, NULL, NULL);
    }
    add_column(&columns, "time ", COLUMN_WIDTH + 2, SHOW_VALUE, "time", "wall_time");
    if (report->comparison)
        add_column(&columns, "change", COLUMN_WIDTH, SHOW_CHANGE, "time", "wall_time");
    EACH(const struct metric, metric, report->metrics->list, report->metrics->count)
        if (metric->headline)
            add_column(&columns, metric->headline, COLUMN_WIDTH, SHOW_VALUE, metric->name, NULL);
    return columns;
}

/* How a state without a number is shown in a cell. */
static const struct mark {
    const char *mark;
    const char *legend;
} marks[VALUE_STATES] = {
    [VALUE_NOT_COUNTED] = {"!", "not counted, because reading it failed or its value is impossible"},
    [VALUE_NOT_SUPPORTED] = {"-", "not supported by this chip or collector"},
    [VALUE_NOT_APPLICABLE] = {"n/a", "not applicable (for example branch efficiency, without branches)"},
};

/* ---- Cells ---- */

/* Writes the change of a metric; nothing unless both sides have a number. */
static void change_cell(const struct kernel_line *line, const char *metric, char *cell, size_t size)
{
    const struct row *now = result_measured(line->now, metric), *base = result_measured(line->base, metric);
    cell[0] = '\0';
    if (now && base)
        words_share(row_value(base), row_value(now), cell, size);
}

/* Writes a value. Percentages have one decimal, so that a column of them lines up. */
static void value_cell(const struct report *report, const struct kernel_line *line, const char *name, char *cell,
                       size_t size)
{
    const struct metric *metric = metrics_find(report->metrics, name);
    const struct row *row = line->now && name ? result_find(line->now, name) : NULL;
    cell[0] = '\0';
    if (!metric || !row)
        return;
    if (row->state != VALUE_MEASURED)
        snprintf(cell, size, "%s", marks[row->state].mark);
    else if (strcmp(metric->unit, "%") == 0)
        snprintf(cell, size, "%.1f %%", row_value(row));
    else
        metric_format(metric, row_value(row), cell, size);
}

static void total_cell(const struct report *report, const struct result *result, char *cell, size_t size)
{
    const struct metric *time = NULL;
    const double total = result ? program_time(report->metrics, result, &time) : NAN;
    cell[0] = '\0';
    if (!isnan(total))
        metric_format(time, total, cell, size);
}

static void launches_cell(const struct report *report, const struct result *result, char *cell, size_t size)
{
    const double launches = result ? program_launches(report->metrics, result) : NAN;
    cell[0] = '\0';
    if (!isnan(launches))
        words_count(launches, cell, size);
}

enum ink tone_ink(enum tone tone)
{
    static const enum ink inks[] = {
        [TONE_PLAIN] = INK_PLAIN, [TONE_GOOD] = INK_GREEN, [TONE_WARN] = INK_YELLOW, [TONE_FAIL] = INK_RED};
    return inks[tone];
}

/* Columns that fit beside each other, with the verdict behind them. Further columns follow in tables of their own. */
struct part {
    const struct columns *columns;
    size_t first, end;
    int verdict; /* width of the verdict's column; 0: there is none */
};

/* Writes a cell of a kernel. Returns what the legend has to explain: bit s for state s, bit VALUE_STATES for the
 * substitute's star. */
static unsigned make_cell(const struct report *report, const struct column *column, const struct kernel_line *line,
                          char *cell, size_t size)
{
    const struct row *row = line->now && column->metric ? result_find(line->now, column->metric) : NULL;
    const bool substitute =
        !result_measured(line->now, column->metric) && result_measured(line->now, column->substitute);
    const char *name = substitute ? column->substitute : column->metric;
    if (column->show == SHOW_TOTAL || column->show == SHOW_TOTAL_BEFORE)
        total_cell(report, column->show == SHOW_TOTAL ? line->now : line->base, cell, size);
    else if (column->show == SHOW_LAUNCHES)
        launches_cell(report, line->now, cell, size);
    else if (column->show == SHOW_ESTIMATED)
        estimated_cell(line->now, cell, size);
    else if (column->show == SHOW_CHANGE)
        change_cell(line, name, cell, size);
    else
        value_cell(report, line, name, cell, size);
    const size_t length = strlen(cell);
    if (length > 0 && column->show == SHOW_VALUE && column->substitute)
        snprintf(cell + length, size - length, substitute ? "*" : " ");
    return substitute ? 1u << VALUE_STATES : row && row->state != VALUE_MEASURED ? 1u << row->state : 0;
}

/* Prints the cells of a kernel. Returns what the legend has to explain. */
static unsigned print_cells(struct table_row *cells, const struct report *report, const struct part *part,
                            const struct kernel_line *line)
{
    unsigned used = 0;
    for (size_t i = part->first; i < part->end; i++) {
        char cell[CELL];
        used |= make_cell(report, &part->columns->list[i], line, cell, sizeof cell);
        table_cell(cells, INK_PLAIN, &part->columns->list[i].table, cell);
    }
    return used;
}

/* A kernel that the program launches no more is no fault: its time is part of the program's. */
static bool is_gone(const struct kernel_line *line)
{
    return !line->now && line->verdict == VERDICT_INFO;
}

/* Whether a line has cells, and not across them why it has none. */
static bool has_cells(const struct kernel_line *line)
{
    return is_gone(line) || (line->now && line->now->status == RESULT_OK);
}

/* Makes columns as wide as their cells, and leaves out those without any, but for the first. */
static void fit_columns(const struct report *report, struct columns *columns, const struct kernel_line *lines,
                        size_t count)
{
    size_t kept = 0;
    for (size_t c = 0; c < columns->count; c++) {
        struct column column = columns->list[c];
        bool any = c == 0;
        for (size_t i = 0; i < count; i++) {
            char cell[CELL] = "";
            if (has_cells(&lines[i]))
                (void)make_cell(report, &column, &lines[i], cell, sizeof cell);
            table_fit(&column.table, cell);
            any |= *cell;
        }
        if (any)
            columns->list[kept++] = column;
    }
    columns->count = kept;
}

/* Prints across all cells why a kernel has no numbers. */
static void print_status(struct table_row *cells, const struct part *part, const struct result *result)
{
    struct table_column across = {.left = true, .width = -2};
    for (size_t i = part->first; i < part->end; i++)
        across.width += 2 + part->columns->list[i].table.width;
    if (result)
        table_cell(cells, result->status == RESULT_NOT_BUILT ? INK_DIM : INK_RED, &across,
                   result_status_name(result->status));
    else
        table_cell(cells, INK_PLAIN, &across, "");
}

static const char *verdict_word(const struct kernel_line *line)
{
    const bool wrong = line->now && line->now->status == RESULT_WRONG && line->verdict == VERDICT_MISSING;
    return is_gone(line) ? "gone" : wrong ? "wrong" : verdict_name(line->verdict);
}

static const char *verdict_words(const struct kernel_line *line, char text[32])
{
    if (line->verdict >= VERDICTS)
        return NOT_JUDGED;
    snprintf(text, 32, "%s%s", verdict_word(line), line->blind ? ", wide limit" : "");
    return text;
}

static unsigned print_line(const struct text *text, const struct report *report, const struct part *part,
                           const struct kernel_line *line, const struct table_column *kernel)
{
    struct table_row cells = {.text = text};
    unsigned used = 0;
    if (!line->shown)
        text_wrap(text, INK_PLAIN, 0, 2, line->id);
    table_cell(&cells, INK_PLAIN, kernel, line->shown ? line->shown : "");
    if (has_cells(line))
        used = print_cells(&cells, report, part, line);
    else
        print_status(&cells, part, line->now);
    if (part->verdict > 0) {
        const struct table_column verdict = {"verdict", true, part->verdict};
        const bool is_judged = line->verdict < VERDICTS;
        table_cell(&cells, is_judged ? tone_ink(words_verdict_tone(line->verdict)) : INK_DIM, &verdict,
                   is_judged ? verdict_word(line) : NOT_JUDGED);
        if (line->blind)
            text_print(text, INK_YELLOW, ", wide limit");
    }
    text_print(text, INK_PLAIN, "\n");
    return used;
}

/* Whether a kernel is in a further table: if it needs attention, if the run is compared with nothing, or if verbose.
 * Kernels without numbers are only in the first. */
static bool is_in_part(const struct report *report, const struct part *part, const struct kernel_line *line)
{
    if (part->first == 0)
        return true;
    return line->now && line->now->status == RESULT_OK &&
           (!report->comparison || report->verbose || line->verdict <= VERDICT_NEW || line->blind);
}

/* Prints which columns were left out: "DRAM, occupancy of the other kernels: -v, or a terminal of 111 columns". */
static void print_left_out(const struct text *text, const struct columns *columns, size_t first, int width)
{
    OWNED_TEXT list = NULL;
    for (size_t i = first; i < columns->count; i++)
        x_append(&list, ", ", "%s", columns->list[i].table.title);
    OWNED_TEXT words = x_sprintf("%s of the other kernels: shown with -v, or in %d columns", list, width);
    text_wrap(text, INK_DIM, 0, 2, words);
}

/* Prints one table. Adds to *left_out how many kernels it leaves out. Returns what the legend explains. */
static unsigned print_part(const struct text *text, const struct report *report, const struct part *part,
                           const struct table_column *kernel, const struct kernel_line *lines, size_t count,
                           size_t *left_out)
{
    struct table_row titles = {.text = text, .any = true};
    unsigned used = 0;
    size_t shown = 0;
    for (size_t i = 0; i < count; i++) {
        const bool shows = is_in_part(report, part, &lines[i]);
        shown += shows;
        *left_out += !shows && lines[i].now && lines[i].now->status == RESULT_OK;
    }
    if (shown == 0)
        return 0;
    text_print(text, INK_BOLD, part->first > 0 ? "\n%-*s" : "%-*s", kernel->width, kernel->title);
    for (size_t i = part->first; i < part->end; i++)
        table_title(&titles, &part->columns->list[i].table);
    text_print(text, INK_BOLD, "%s\n", part->verdict > 0 ? "  verdict" : "");
    for (size_t i = 0; i < count; i++)
        if (is_in_part(report, part, &lines[i]))
            used |= print_line(text, report, part, &lines[i], kernel);
    return used;
}

static void print_legend(const struct text *text, unsigned used)
{
    OWNED_TEXT words = NULL;
    for (size_t i = 0; i <= VALUE_STATES; i++)
        if (used & 1u << i)
            x_append(&words, "; ", "%s: %s", i < VALUE_STATES ? marks[i].mark : "*",
                     i < VALUE_STATES ? marks[i].legend : "measured with the host's clock");
    if (words)
        x_append(&words, "; ", "terms: cugate help words");
    if (words)
        text_wrap(text, INK_DIM, 0, 2, words);
    text_print(text, INK_PLAIN, "\n");
}

/* Returns the column of names: as wide as they are if all columns fit beside them, else cut. Where that would be too
 * narrow, only time and change stay beside them. */
static struct table_column fit_kernels(const struct text *text, const struct columns *columns, int verdict,
                                       struct kernel_line *lines, size_t count, char ***names)
{
    struct table_column kernel = {"kernel", true, 0};
    OWNED_MEMORY const char **ids = x_calloc(count, sizeof *ids);
    int width = text_room(text) - (verdict > 0 ? verdict + 2 : 0), all = width;
    table_fit(&kernel, kernel.title);
    for (size_t i = 0; i < count; i++)
        ids[i] = lines[i].id;
    for (size_t i = 0; i < columns->count; i++) {
        all -= columns->list[i].table.width + 2;
        width = i < (verdict > 0 ? 2 : 1) ? all : width;
    }
    width = all >= NAME_CUT ? all : width < NAME_MIN ? NAME_MIN : width;
    *names = table_names(ids, count, width);
    for (size_t i = 0; i < count; i++) {
        lines[i].shown = (*names)[i];
        if (lines[i].shown)
            table_fit(&kernel, lines[i].shown);
    }
    return kernel;
}

/* Returns the end of the columns that fit beside each other from `first` on; at least one does. */
static size_t part_end(const struct text *text, const struct columns *columns, size_t first, int used)
{
    size_t end = first;
    while (end < columns->count) {
        used += 2 + columns->list[end].table.width;
        if (end > first && !text_fits(text, used))
            break;
        end++;
    }
    return end;
}

static unsigned print_parts(const struct text *text, const struct report *report, struct part part,
                            const struct table_column *kernel, const struct kernel_line *lines, size_t count)
{
    const struct columns *columns = part.columns;
    unsigned used = 0;
    size_t left_out = 0;
    int width = kernel->width + (part.verdict > 0 ? part.verdict + 2 : 0);
    const int beside = width;
    for (size_t i = 0; i < columns->count; i++)
        width += 2 + columns->list[i].table.width;
    while (part.first < columns->count) {
        part.end = part_end(text, columns, part.first, part.first > 0 ? kernel->width : beside);
        used |= print_part(text, report, &part, kernel, lines, count, &left_out);
        part.first = part.end;
        part.verdict = 0;
    }
    if (left_out > 0)
        print_left_out(text, columns, part_end(text, columns, 0, beside), width);
    return used;
}

/* Prints what the lines that are left out come to. */
static void print_minor(const struct text *text, const struct report *report, const struct kernel_lines *lines)
{
    const struct metric *time = NULL;
    double total = 0, most = 0;
    const double whole = lines->whole;
    const size_t count = lines->count - lines->shown;
    char words[64] = "", each[64] = "of less than 1 % of the GPU time each";
    for (const struct kernel_line *line = lines->list + lines->shown; line < lines->list + lines->count; line++) {
        const struct metric *known = NULL;
        const double now = line->now ? program_time(report->metrics, line->now, &known) : NAN;
        total += isnan(now) ? 0 : now;
        most = fmax(most, line->total);
        time = known ? known : time;
    }
    if (time)
        metric_format(time, total, words, sizeof words);
    if (whole > 0 && !program_is_seldom(most, whole))
        snprintf(each, sizeof each, "each with at most %.2g %% of the GPU time", 100 * most / whole);
    OWNED_TEXT all = shows_totals(report) ? x_sprintf("%zu more kernels, %s%s%s%s (shown by -v)", count, each,
                                                      time ? ", " : "", words, time ? " together" : "")
                                          : x_sprintf("%zu kernels are the same (shown by -v)", count);
    if (count > 0)
        text_wrap(text, INK_DIM, 0, 2, all);
}

void text_kernels(const struct text *text, const struct report *report)
{
    OWNED(kernel_lines) lines = kernel_lines_make(report);
    struct columns columns = make_columns(report);
    struct table_column verdict = {.width = 0};
    char **names, cell[32];

    fit_columns(report, &columns, lines.list, lines.shown);
    if (report->comparison)
        table_fit(&verdict, "verdict");
    for (size_t i = 0; report->comparison && i < lines.shown; i++)
        table_fit(&verdict, verdict_words(&lines.list[i], cell));
    const struct table_column kernel = fit_kernels(text, &columns, verdict.width, lines.list, lines.shown, &names);
    const struct part all = {.columns = &columns, .verdict = verdict.width};
    const unsigned used = print_parts(text, report, all, &kernel, lines.list, lines.shown);
    print_minor(text, report, &lines);
    print_legend(text, used);
    free_texts(names, lines.shown);
    free(columns.list);
}
