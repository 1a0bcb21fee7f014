/* Prints the table of kernels in the text report, a line each. */
#include "report_groups.h"
#include "report_text.h"
#include "table.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One line of the table. */
struct kernel_line {
    const char *id;
    const char *shown; /* the kernel's name, cut to the terminal's width; NULL where that would be ambiguous */
    const struct result *now, *base; /* the kernel in the run and in the baseline; NULL where there is none */
    double lost; /* lost time as in time_lost, when there is a comparison; in a program that of all launches together */
    double total; /* in a program: the larger of both sides' total times, in ns; else 0 */
    double moved; /* by how much its total differs from before, in ns, if that is 1 % of the program's; else 0 */
    enum verdict verdict; /* of the kernel; VERDICTS when nothing was judged */
    bool blind;           /* one of its rows is blind */
};

/* What a column shows of a row. Of a program's kernel also how long all its launches took, and how many there were. */
enum show { SHOW_VALUE, SHOW_CHANGE, SHOW_TOTAL, SHOW_TOTAL_BEFORE, SHOW_LAUNCHES };

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
    bool many; /* so many that they are in several tables also in a file */
};

#define COLUMN_WIDTH 8          /* minimum width of a number */
#define NOT_JUDGED "not judged" /* in place of a verdict: neither side has the kernel, since it is not built */
#define SHAPES_MIN 8            /* fewer shapes of a function, or kernels that are the same, have a line each */
#define LINES_MOST 12           /* a program's kernels that are the same have no line behind so many */
#define MINOR_MIN 4             /* fewer kernels than that are not left out of a table */
#define NAME_MIN 12             /* minimum width of a kernel's name, however narrow the terminal is */

/* Whether the run is of a program whose launches were counted. */
static bool shows_totals(const struct report *report)
{
    for (size_t i = 0; i < report->run->result_count; i++)
        if (is_program_row(report->run->results[i].id))
            return run_origin(report->run)->own_caches;
    return false;
}

static const struct row *find_row(const struct result *result, const char *metric)
{
    return result && metric ? result_find(result, metric) : NULL;
}

static bool measured(const struct row *row)
{
    return row && row->state == VALUE_MEASURED;
}

/* Makes a column for each metric that any kernel has a number of; unless it was asked for, of one that is not 0. */
static struct columns columns_of_each(const struct report *report)
{
    struct columns columns = {.many = true};
    for (size_t m = 0; m < report->metrics->count; m++) {
        const char *name = report->metrics->list[m].name;
        bool known = false;
        for (size_t i = 0; i < report->run->result_count && !known; i++) {
            const struct row *row = find_row(&report->run->results[i], name);
            known = measured(row) && (report->each || row_value(row) != 0);
        }
        struct column *column = known ? ARRAY_GROW(columns.list, columns.count) : NULL;
        if (!column)
            continue;
        *column = (struct column){{name, false, COLUMN_WIDTH}, SHOW_VALUE, name, NULL};
        table_fit(&column->table, name);
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
        *ARRAY_GROW(columns.list, columns.count) =
            (struct column){{"GPU time", false, COLUMN_WIDTH}, SHOW_TOTAL, NULL, NULL};
        if (report->comparison)
            *ARRAY_GROW(columns.list, columns.count) =
                (struct column){{"before", false, COLUMN_WIDTH}, SHOW_TOTAL_BEFORE, NULL, NULL};
        *ARRAY_GROW(columns.list, columns.count) =
            (struct column){{"launches", false, COLUMN_WIDTH}, SHOW_LAUNCHES, NULL, NULL};
    }
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

/* How a state without a number is shown in a cell. */
static const struct mark {
    const char *mark;
    const char *legend;
} marks[VALUE_STATES] = {
    [VALUE_NOT_COUNTED] = {"!", "not counted, reading it failed or its number breaks a law"},
    [VALUE_NOT_SUPPORTED] = {"-", "not supported by this chip or collector"},
    [VALUE_NOT_APPLICABLE] = {"n/a", "not applicable, for example no branch"},
};

static struct kernel_line *find_line(struct kernel_line *lines, size_t count, const char *id)
{
    const size_t place = place_of_name(lines, count, sizeof *lines, id);
    return place < count && strcmp(lines[place].id, id) == 0 ? &lines[place] : NULL;
}

/* Whether a kernel is as it was, so that many of them are one line. */
static bool is_same(const struct kernel_line *line)
{
    return line->verdict < VERDICTS && section_of(line->verdict) == SECTION_SAME && !line->blind;
}

/* Orders kernels that need attention first, the worst first, and those that are the same last. The others keep their
 * order, so that families stay together; those of a program are in the order of their time, behind those that moved the
 * program's. Before all comes the program as a whole. */
static int lines_worst_first(const void *left, const void *right)
{
    const struct kernel_line *a = left, *b = right;
    if (is_program_row(a->id) != is_program_row(b->id))
        return is_program_row(a->id) ? -1 : 1;
    const enum section section_a = section_of(a->verdict), section_b = section_of(b->verdict);
    const int rank_a = section_a <= SECTION_UNSURE ? (int)section_a : SECTIONS,
              rank_b = section_b <= SECTION_UNSURE ? (int)section_b : SECTIONS;
    if (rank_a != rank_b)
        return rank_a < rank_b ? -1 : 1;
    if (a->total <= 0 && b->total <= 0 && is_same(a) != is_same(b))
        return is_same(a) ? 1 : -1;
    const int order = rank_a < SECTIONS ? order_of_time_lost(a->lost, b->lost) : 0;
    if (order == 0 && a->moved != b->moved)
        return a->moved > b->moved ? -1 : 1;
    if (order == 0 && a->total != b->total)
        return a->total > b->total ? -1 : 1;
    return order ? order : strcmp(a->id, b->id);
}

/* Returns how long all launches of a program's kernel took, in ns; NAN where that is not known. */
static double total_of(const struct report *report, const struct result *result)
{
    const struct metric *ignored;
    return result ? program_time(report->metrics, result, &ignored) : NAN;
}

/* Returns the GPU time of the program; 0 where there is none. */
static double largest_program(const struct kernel_line *lines, size_t count)
{
    double whole = 0;
    for (size_t i = 0; i < count; i++)
        if (is_program_row(lines[i].id))
            whole = fmax(whole, lines[i].total);
    return whole;
}

/* Makes the lines of the table. Caller frees. */
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
            *line = (struct kernel_line){
                .id = judgement->kernel,
                .base = report->baseline ? run_find(report->baseline, judgement->kernel) : NULL,
                .verdict = VERDICTS,
            };
        }
        if (judgement_counts_as(judgement) < line->verdict)
            line->verdict = judgement_counts_as(judgement);
        line->blind |= judgement->blind;
    }
    const bool totals = shows_totals(report);
    for (size_t i = 0; i < *count; i++) {
        lines[i].lost = comparison ? time_lost(report, lines[i].id) : NAN;
        if (!totals)
            continue;
        const double now = total_of(report, lines[i].now), before = total_of(report, lines[i].base);
        lines[i].total = fmax(0, fmax(now, before));
        if (comparison)
            lines[i].lost = (isnan(now) ? 0 : now) - (isnan(before) ? 0 : before);
    }
    const double whole = largest_program(lines, *count);
    for (size_t i = 0; i < *count && comparison; i++)
        lines[i].moved = !program_is_seldom(fabs(lines[i].lost), whole) && whole > 0 ? fabs(lines[i].lost) : 0;
    if (*count > 0)
        qsort(lines, *count, sizeof *lines, lines_worst_first);
    return lines;
}

/* ---- Many shapes of one function ---- */

/* Lines that stand for those of many shapes, and what they own. */
struct folded {
    struct result *sums; /* for each such line its side of the run, then that of the baseline */
    size_t count;
};

/* Whether the line is of a shape of the same function and code as another, and nothing is wrong with either. */
static bool is_other_shape(const struct kernel_line *line, const struct kernel_line *other)
{
    const struct result *a = line->now ? line->now : line->base, *b = other->now ? other->now : other->base;
    const size_t name = strcspn(line->id, "@");
    return section_of(line->verdict) > SECTION_UNSURE && section_of(other->verdict) > SECTION_UNSURE && a && b &&
           a->launch_count == 1 && b->launch_count == 1 && line->id[name] == '@' &&
           strncmp(line->id, other->id, name + 1) == 0 && (line->now == NULL) == (other->now == NULL) &&
           strcmp(a->launches[0].code ? a->launches[0].code : "", b->launches[0].code ? b->launches[0].code : "") == 0;
}

/* Adds what a shape has of a count of its program to the sum of all. */
static void add_up(const struct report *report, struct result *sum, const struct result *shape,
                   enum computed_counter counter)
{
    const double more = !shape                         ? NAN
                        : counter == COMPUTED_LAUNCHES ? program_launches(report->metrics, shape)
                                                       : total_of(report, shape);
    for (size_t m = 0; m < report->metrics->count && !isnan(more); m++) {
        if (computed_counter_of(&report->metrics->list[m]) != counter)
            continue;
        struct row *row = result_add(sum, report->metrics->list[m].name);
        const double all = more + (row->state == VALUE_MEASURED && row->session_count > 0 ? row_value(row) : 0);
        row_clear(row);
        row->state = VALUE_MEASURED;
        row_add_session(row, &all, 1);
    }
}

/* Writes a range of extents: "1-96x32". */
static void put_range(FILE *stream, const unsigned least[3], const unsigned most[3])
{
    const int count = most[2] != 1 ? 3 : most[1] != 1 ? 2 : 1;
    for (int i = 0; i < count; i++) {
        fprintf(stream, "%s%u", i > 0 ? "x" : "", least[i]);
        if (most[i] != least[i])
            fprintf(stream, "-%u", most[i]);
    }
}

/* Returns the name of a line for so many shapes: "decode/attention@1-96x32,128, 96 shapes". Caller frees. */
static char *name_of_shapes(const struct kernel_line *first, const struct kernel_line *lines, size_t count,
                            size_t shapes)
{
    unsigned least[2][3] = {{UINT_MAX, UINT_MAX, UINT_MAX}, {UINT_MAX, UINT_MAX, UINT_MAX}}, most[2][3] = {{0}};
    char *name = NULL;
    size_t size = 0;
    FILE *stream = x_memstream(&name, &size);
    for (size_t i = 0; i < count; i++) {
        const struct launch *launch = (lines[i].now ? lines[i].now : lines[i].base)->launches;
        for (int k = 0; k < 6 && is_other_shape(first, &lines[i]); k++) {
            const unsigned extent = k < 3 ? launch->grid[k] : launch->block[k - 3];
            least[k / 3][k % 3] = extent < least[k / 3][k % 3] ? extent : least[k / 3][k % 3];
            most[k / 3][k % 3] = extent > most[k / 3][k % 3] ? extent : most[k / 3][k % 3];
        }
    }
    fprintf(stream, "%.*s@", (int)strcspn(first->id, "@"), first->id);
    put_range(stream, least[0], most[0]);
    fputc(',', stream);
    put_range(stream, least[1], most[1]);
    fprintf(stream, ", %zu shapes", shapes);
    fclose(stream);
    return name;
}

/* Puts one line in place of all shapes like that of a line. */
static void fold(const struct report *report, struct kernel_line *lines, size_t at, size_t *count, size_t shapes,
                 struct result sums[2])
{
    struct kernel_line line = lines[at];
    size_t kept = at;
    sums[0] = (struct result){.id = name_of_shapes(&lines[at], lines + at, *count - at, shapes)};
    sums[1] = (struct result){0};
    line.total = line.moved = 0;
    line.lost = report->comparison ? 0 : NAN;
    for (size_t i = at; i < *count; i++) {
        if (!is_other_shape(&line, &lines[i]))
            lines[kept++] = lines[i];
        if (!is_other_shape(&line, &lines[i]))
            continue;
        for (int side = 0; side < 2; side++) {
            add_up(report, &sums[side], side ? lines[i].base : lines[i].now, COMPUTED_LAUNCHES);
            add_up(report, &sums[side], side ? lines[i].base : lines[i].now, COMPUTED_GPU_TIME);
        }
        line.total += lines[i].total;
        line.moved += lines[i].moved;
        line.lost += lines[i].lost;
        line.verdict = lines[i].verdict < line.verdict ? lines[i].verdict : line.verdict;
    }
    line.id = sums[0].id;
    line.now = line.now ? &sums[0] : NULL;
    line.base = line.base ? &sums[1] : NULL;
    lines[kept++] = line;
    *count = kept;
}

/* Tells many shapes of one function as one line, with what they have together, where -v does not ask for each. */
static struct folded fold_shapes(const struct report *report, struct kernel_line *lines, size_t *count)
{
    struct folded folded = {.sums = x_calloc(*count / SHAPES_MIN + 1, 2 * sizeof *folded.sums)};
    for (size_t i = 0; i < *count && shows_totals(report) && !report->verbose; i++) {
        size_t shapes = 0;
        for (size_t k = i; k < *count; k++)
            shapes += is_other_shape(&lines[i], &lines[k]);
        if (shapes < SHAPES_MIN)
            continue;
        fold(report, lines, i, count, shapes, &folded.sums[2 * folded.count++]);
        i--; /* another line is there now; the new one stands last, and has no other shapes */
    }
    if (folded.count > 0)
        qsort(lines, *count, sizeof *lines, lines_worst_first);
    return folded;
}

static void release_folded(struct folded *folded)
{
    for (size_t i = 0; i < 2 * folded->count; i++)
        result_release(&folded->sums[i]);
    free(folded->sums);
}

/* ---- Cells ---- */

/* Writes the change of a metric; nothing unless both sides have a number. */
static void change_cell(const struct kernel_line *line, const char *metric, char *cell, size_t size)
{
    const struct row *now = find_row(line->now, metric);
    const struct row *base = find_row(line->base, metric);
    cell[0] = '\0';
    if (measured(now) && measured(base))
        words_share(row_value(base), row_value(now), cell, size);
}

/* Writes a value. Percentages have one decimal, so that a column of them lines up. */
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

/* Prints the cells of a kernel. Returns what the legend has to explain: bit s for state s, bit VALUE_STATES for the
 * substitute's star. */
static unsigned print_cells(struct table_row *cells, const struct report *report, const struct part *part,
                            const struct kernel_line *line)
{
    unsigned used = 0;
    for (size_t i = part->first; i < part->end; i++) {
        const struct column *column = &part->columns->list[i];
        const struct row *row = find_row(line->now, column->metric);
        bool substitute = !measured(row) && measured(find_row(line->now, column->substitute));
        const char *name = substitute ? column->substitute : column->metric;
        char value[64], cell[80];
        if (column->show == SHOW_TOTAL || column->show == SHOW_TOTAL_BEFORE)
            total_cell(report, column->show == SHOW_TOTAL ? line->now : line->base, value, sizeof value);
        else if (column->show == SHOW_LAUNCHES)
            launches_cell(report, line->now, value, sizeof value);
        else if (column->show == SHOW_CHANGE)
            change_cell(line, name, value, sizeof value);
        else
            value_cell(report, line, name, value, sizeof value);
        bool starred = *value && column->show == SHOW_VALUE && column->substitute;
        snprintf(cell, sizeof cell, "%s%s", value, !starred ? "" : substitute ? "*" : " ");
        table_cell(cells, INK_PLAIN, &column->table, cell);
        if (row && row->state != VALUE_MEASURED && !substitute)
            used |= 1u << row->state;
        if (substitute)
            used |= 1u << VALUE_STATES;
    }
    return used;
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

/* A kernel that the program launches no more is no fault: its time is part of the program's. */
static bool is_gone(const struct kernel_line *line)
{
    return !line->now && line->verdict == VERDICT_INFO;
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
    if (is_gone(line) || (line->now && line->now->status == RESULT_OK))
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
    char *list = NULL;
    for (size_t i = first; i < columns->count; i++) {
        char *longer = x_sprintf("%s%s%s", list ? list : "", list ? ", " : "", columns->list[i].table.title);
        free(list);
        list = longer;
    }
    char *words = x_sprintf("%s of the other kernels: with -v, or in %d columns", list, width);
    text_wrap(text, INK_DIM, 0, 2, words);
    free(words);
    free(list);
}

/* Prints one table. Adds to *left_out how many kernels it leaves out. Returns what the legend has to
 * explain. */
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
    char words[512] = "";
    for (size_t i = 0; i <= VALUE_STATES; i++)
        if (used & 1u << i) {
            const size_t length = strlen(words);
            snprintf(words + length, sizeof words - length, "%s%s: %s", length ? "; " : "",
                     i < VALUE_STATES ? marks[i].mark : "*",
                     i < VALUE_STATES ? marks[i].legend : "by the host's clock");
        }
    if (*words)
        text_wrap(text, INK_DIM, 0, 2, words);
    text_print(text, INK_PLAIN, "\n");
}

/* Returns the column of names: as wide as they are if time and change fit beside them, else narrower. */
static struct table_column fit_kernels(const struct text *text, const struct columns *columns, int verdict,
                                       struct kernel_line *lines, size_t count, char ***names)
{
    struct table_column kernel = {"kernel", true, 0};
    const char **ids = x_calloc(count, sizeof *ids);
    int width = 0;
    table_fit(&kernel, kernel.title);
    for (size_t i = 0; i < count; i++)
        ids[i] = lines[i].id;
    if (text->columns > 0) {
        width = text->columns - (verdict > 0 ? verdict + 2 : 0);
        for (size_t i = 0; i < columns->count && i < (verdict > 0 ? 2 : 1); i++)
            width -= columns->list[i].table.width + 2;
        width = width < NAME_MIN ? NAME_MIN : width;
    }
    *names = table_names(ids, count, width);
    for (size_t i = 0; i < count; i++) {
        lines[i].shown = (*names)[i];
        if (lines[i].shown)
            table_fit(&kernel, lines[i].shown);
    }
    free(ids);
    return kernel;
}

/* Returns the end of the columns that fit beside each other from `first` on; at least one does. */
static size_t part_end(const struct text *text, const struct columns *columns, size_t first, int used)
{
    size_t end = first;
    while (end < columns->count) {
        used += 2 + columns->list[end].table.width;
        if (end > first && (columns->many ? used > text_width(text) : !text_fits(text, used)))
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

/* Whether a kernel of a program can be left out of the table: nothing is wrong with it, and it takes less than 1 % of
 * the program's GPU time, or is the same and behind the first lines. */
static bool is_minor(const struct kernel_line *line, double whole, size_t place)
{
    return !is_program_row(line->id) && section_of(line->verdict) > SECTION_UNSURE &&
           (program_is_seldom(line->total, whole) || (whole > 0 && place > LINES_MOST && is_same(line)));
}

/* Returns how many lines are shown: without those at the end that can be left out, unless they are few. */
static size_t count_shown(const struct report *report, const struct kernel_line *lines, size_t count)
{
    size_t shown = count;
    const double whole = largest_program(lines, count);
    const bool totals = shows_totals(report);
    while (!report->verbose && shown > 0 &&
           (totals ? is_minor(&lines[shown - 1], whole, shown) : is_same(&lines[shown - 1])))
        shown--;
    return count - shown < (totals ? MINOR_MIN : SHAPES_MIN) ? count : shown;
}

/* Prints what the lines that are left out come to. whole is the program's GPU time. */
static void print_minor(const struct text *text, const struct report *report, const struct kernel_line *lines,
                        size_t count, double whole)
{
    const struct metric *time = NULL;
    double total = 0, most = 0;
    char words[64] = "", each[64] = "of less than 1 % of the GPU time each";
    for (size_t i = 0; i < count; i++) {
        const struct metric *known = NULL;
        const double now = lines[i].now ? program_time(report->metrics, lines[i].now, &known) : NAN;
        total += isnan(now) ? 0 : now;
        most = fmax(most, lines[i].total);
        time = known ? known : time;
    }
    if (time)
        metric_format(time, total, words, sizeof words);
    if (whole > 0 && !program_is_seldom(most, whole))
        snprintf(each, sizeof each, "of %.2g %% of the GPU time at most", 100 * most / whole);
    char *all = shows_totals(report) ? x_sprintf("%zu more kernels, %s%s%s%s: -v lists them", count, each,
                                                 time ? ", " : "", words, time ? " together" : "")
                                     : x_sprintf("%zu kernels are the same: -v lists them", count);
    if (count > 0)
        text_wrap(text, INK_DIM, 0, 2, all);
    free(all);
}

void text_kernels(const struct text *text, const struct report *report)
{
    size_t all_count;
    struct kernel_line *lines = make_lines(report, &all_count);
    struct folded folded = fold_shapes(report, lines, &all_count);
    const size_t count = count_shown(report, lines, all_count);
    struct columns columns = make_columns(report);
    struct table_column verdict = {.width = 0};
    char **names, cell[32];

    if (report->comparison)
        table_fit(&verdict, "verdict");
    for (size_t i = 0; report->comparison && i < count; i++)
        table_fit(&verdict, verdict_words(&lines[i], cell));
    const struct table_column kernel = fit_kernels(text, &columns, verdict.width, lines, count, &names);
    const struct part all = {.columns = &columns, .verdict = verdict.width};
    const unsigned used = print_parts(text, report, all, &kernel, lines, count);
    print_minor(text, report, &lines[count], all_count - count, largest_program(lines, count));
    print_legend(text, used);
    for (size_t i = 0; i < count; i++)
        free(names[i]);
    free(names);
    free(columns.list);
    free(lines);
    release_folded(&folded);
}
