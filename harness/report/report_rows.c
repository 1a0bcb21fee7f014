/* Prints the rows of the text report by kernel: what is worse, missing or in doubt, by how much and why. */
#include "report_groups.h"
#include "report_text.h"
#include "table.h"

/* Minimum width of a line's place and of its text, however narrow the terminal is. */
#define SOURCE_MIN 30

#define UNMOVED 0.0005 /* a smaller relative change of a time is not mentioned */

/* Returns why a side has no number; "" where the row does not exist. */
static const char *side_state(const struct run *run, const struct judgement *judgement)
{
    const struct result *result = run_find(run, judgement->kernel);
    const struct row *row = result ? result_find(result, judgement->metric->name) : NULL;
    return !row || row->state == VALUE_MEASURED ? ""
           : row->state == VALUE_NOT_APPLICABLE ? "n/a"
                                                : value_state_name(row->state);
}

/* The columns behind the verdict, which begins the line in its colour. Columns at the end move to the next line where
 * they do not fit. */
enum column { COLUMN_METRIC, COLUMN_BASE, COLUMN_NOW, COLUMN_CHANGE, COLUMN_LIMIT, COLUMN_DETECTS, COLUMNS };

static const struct table_column heads[COLUMNS] = {
    [COLUMN_METRIC] = {"metric", true},  [COLUMN_BASE] = {"base", false},   [COLUMN_NOW] = {"now", false},
    [COLUMN_CHANGE] = {"change", false}, [COLUMN_LIMIT] = {"limit", false}, [COLUMN_DETECTS] = {"detects", false},
};

struct layout {
    int verdict; /* width of the verdict's column, which comes first */
    struct table_column columns[COLUMNS];
    size_t count; /* how many columns fit beside each other */
};

/* The column at which text about a kernel begins, below its name; and text about a row, below its metric. */
static int kernel_indent(const struct layout *layout)
{
    return layout->verdict + 2;
}

static int row_indent(const struct layout *layout)
{
    return 2 + kernel_indent(layout);
}

static void point_to_cells(const struct judgement *judgement, const struct cells *cells, const char *row[COLUMNS])
{
    row[COLUMN_METRIC] = judgement->metric->name;
    row[COLUMN_BASE] = cells->base;
    row[COLUMN_NOW] = cells->now;
    row[COLUMN_CHANGE] = cells->change;
    row[COLUMN_LIMIT] = cells->limit;
    row[COLUMN_DETECTS] = cells->detects;
}

/* Fills in the cells of a row. A side without a number says why. */
static void fill_cells(const struct report *report, const struct judgement *judgement, struct cells *cells)
{
    words_cells(judgement, cells);
    if (!judgement->has_base)
        snprintf(cells->base, sizeof cells->base, "%s", side_state(report->baseline, judgement));
    if (!judgement->has_now)
        snprintf(cells->now, sizeof cells->now, "%s", side_state(report->run, judgement));
}

/* Computes column widths over all rows, so that the rows of all kernels are aligned. */
static struct layout lay_out(const struct text *text, const struct report *report, const struct groups *groups)
{
    struct layout layout = {.count = report->power ? COLUMNS : COLUMN_DETECTS};
    struct table_column verdict = {.title = "regressed"};
    table_fit(&verdict, verdict.title);
    memcpy(layout.columns, heads, sizeof heads);
    for (size_t c = 0; c < COLUMNS; c++)
        table_fit(&layout.columns[c], heads[c].title);
    for (size_t i = 0; i < groups->count; i++)
        for (size_t r = 0; r < groups->list[i].count; r++) {
            const struct judgement *judgement = groups->list[i].rows[r];
            struct cells cells;
            const char *row[COLUMNS];
            table_fit(&verdict, words_verdict_on(judgement));
            if (!judgement->metric)
                continue;
            fill_cells(report, judgement, &cells);
            point_to_cells(judgement, &cells, row);
            for (size_t c = 0; c < COLUMNS; c++)
                table_fit(&layout.columns[c], row[c]);
        }
    layout.verdict = verdict.width;
    layout.count = table_fitting(layout.columns, layout.count, text_room(text) - row_indent(&layout));
    layout.count = layout.count > 0 ? layout.count : 1;
    return layout;
}

static bool has_metrics(const struct groups *groups)
{
    return ANY(i, groups->count, groups->list[i].rows[groups->list[i].count - 1]->metric != NULL);
}

/* ---- A row ---- */

/* Returns cells that did not fit beside the others: "limit 200,000, detects 203,514". Caller frees. */
static char *cells_below(const struct report *report, const struct layout *layout, const char *const row[COLUMNS])
{
    const size_t all = report->power ? COLUMNS : COLUMN_DETECTS;
    char *words = x_strdup("");
    for (size_t c = layout->count; c < all; c++)
        if (*row[c])
            x_append(&words, ", ", "%s %s", heads[c].title, row[c]);
    return words;
}

static void print_cells(const struct text *text, const struct layout *layout, const struct judgement *judgement,
                        const char *const row[COLUMNS])
{
    text_print(text, tone_ink(words_verdict_tone(judgement->verdict)), "  %-*s", layout->verdict,
               words_verdict_on(judgement));
    struct table_row line = {.text = text, .any = true};
    for (size_t c = 0; c < layout->count; c++)
        table_cell(&line, INK_PLAIN, &layout->columns[c], row[c]);
    text_print(text, INK_PLAIN, "\n");
}

/* What was printed already, so that it is not said twice: the last evidence, and all advice. Owned. */
struct said {
    char *why, *advice;
};

/* Returns evidence, which it takes, unless it was printed last. With -v it says so, and a red row has its own. Caller
 * frees; NULL when there is nothing to print. */
static char *once(const struct report *report, struct said *said, enum verdict verdict, char *why)
{
    if (!why)
        return NULL;
    const bool as_above =
        said->why && strcmp(said->why, why) == 0 && !(report->verbose && words_verdict_tone(verdict) == TONE_FAIL);
    free(said->why);
    said->why = why;
    return !as_above ? x_strdup(why) : report->verbose ? x_strdup("as above") : NULL;
}

/* Returns the advice on a row, unless it was given before. Caller frees. */
static char *advice_words(const struct blame *blame, struct said *said)
{
    char *advice = words_advice(blame);
    if (said->advice && strstr(said->advice, advice)) {
        free(advice);
        return NULL;
    }
    x_append(&said->advice, "\n", "%s", advice);
    return advice;
}

/* Returns the columns for source text, which is cut and not wrapped, even on a wide terminal. */
static size_t columns_behind(const struct text *text, int indent)
{
    const int width = text_room(text);
    return indent + SOURCE_MIN < width ? (size_t)(width - indent) : SOURCE_MIN;
}

/* Prints source text dimmed on one line. A bar precedes it, so that no line begins with source text. */
static void print_source(const struct text *text, int indent, const char *source)
{
    const int width = text_room(text), begin = indent + (int)strlen("    | ");
    OWNED_TEXT line = text_cut(source, width > begin ? (size_t)(width - begin) : 0);
    for (char *tab = strchr(line, '\t'); tab; tab = strchr(tab, '\t'))
        *tab = ' ';
    (void)text_make_harmless(line, ' ');
    for (size_t length = strlen(line); length > 0 && line[length - 1] == ' '; length--)
        line[length - 1] = '\0';
    if (*line)
        text_print(text, INK_DIM, "%*s    | %s\n", indent, "", line);
}

static void print_line(const struct text *text, enum ink ink, int indent, const char *words)
{
    text_print(text, INK_PLAIN, "%*s", indent, "");
    text_wrap(text, ink, indent, indent + 2, words);
}

/* Whether a line is named: with -v each, else those that grew at least half as much as the first. */
static bool is_named(const struct report *report, const struct blame *blame, size_t place)
{
    const struct hotspot *line = &blame->hotspots[place], *first = blame->hotspots;
    return report->verbose || line->amount - line->base_amount >= (first->amount - first->base_amount) / 2;
}

/* Prints the lines that made a row worse, with advice. If several rows share them, they are below the first. */
static void print_hotspots(const struct text *text, const struct report *report, int indent, const struct blame *blame,
                           struct said *said)
{
    for (size_t i = 0; i < blame->count && !blame->same_as && is_named(report, blame, i); i++) {
        OWNED_TEXT place = words_place(blame->hotspots[i].line, columns_behind(text, indent + 1)),
                   *hotspot = words_hotspot(blame, &blame->hotspots[i]);
        OWNED_TEXT words = x_sprintf("%s: %s", place, hotspot);
        print_line(text, INK_PLAIN, indent, words);
        if (blame->hotspots[i].line->text)
            print_source(text, indent, blame->hotspots[i].line->text);
    }
    OWNED_TEXT words = blame->same_as   ? x_sprintf("the same lines as %s above", blame->same_as->name)
                       : blame->pattern ? advice_words(blame, said)
                                        : NULL;
    if (words)
        print_line(text, INK_DIM, indent, words);
}

static void print_row(const struct text *text, const struct report *report, const struct layout *layout,
                      const struct group *group, size_t place, struct said *said)
{
    const struct judgement *judgement = group->rows[place];
    struct cells cells;
    const char *row[COLUMNS];
    fill_cells(report, judgement, &cells);
    point_to_cells(judgement, &cells, row);
    print_cells(text, layout, judgement, row);
    OWNED_TEXT below = cells_below(report, layout, row);
    OWNED_TEXT why = once(report, said, judgement->verdict, words_why(judgement));
    OWNED_TEXT words = x_sprintf("%s%s%s", below, *below && why ? "; " : "", why ? why : "");
    if (*words) {
        const int indent = text_print(text, INK_PLAIN, "%*s", row_indent(layout), "");
        text_wrap(text, INK_DIM, indent, indent, words);
    }
    print_hotspots(text, report, row_indent(layout), diagnosis_of(report->diagnosis, judgement), said);
}

/* Whether a row is one of a list, without evidence and lines of its own. The first row of a kernel never is, nor the
 * first that fails, nor one without a change, or in doubt, for a reason of its own: then that is what to mend. */
static bool is_brief(const struct report *report, const struct group *group, size_t place)
{
    const struct judgement *row = group->rows[place];
    if (place == 0 || report->verbose || report->power || row_kind(group->kernel) != ROW_KERNEL || !row->metric)
        return false;
    const struct judgement *before = group->rows[place - 1];
    if (!row->compared ||
        (row->verdict == VERDICT_UNSURE && (group->section == SECTION_UNSURE || row->metric->class == METRIC_TIME)))
        return before->verdict == row->verdict && order_of_texts(before->reason, row->reason) == 0;
    return words_verdict_tone(row->verdict) != TONE_FAIL || before->verdict == row->verdict;
}

/* Returns where a brief row has its line, " at softmax.py:38", unless that is where the kernel's first row has it.
 * Caller frees; NULL where it has none. */
static char *brief_place(const struct report *report, const struct group *group, size_t at)
{
    const struct blame *blame = diagnosis_of(report->diagnosis, group->rows[at]),
                       *first = diagnosis_of(report->diagnosis, group->rows[0]);
    if (blame->count == 0 || blame->same_as || words_verdict_tone(group->rows[at]->verdict) != TONE_FAIL ||
        (first->count > 0 && first->hotspots[0].line == blame->hotspots[0].line))
        return NULL;
    OWNED_TEXT place = words_place(blame->hotspots[0].line, WORDS_PLACE);
    const char *file = strrchr(place, '/');
    return x_sprintf(" at %s", file ? file + 1 : place);
}

/* Prints brief rows of one verdict, what was paid or what was gained, as far as they fit a line. Returns how many rows
 * there are. */
static size_t print_brief(const struct text *text, const struct report *report, const struct layout *layout,
                          const struct group *group, size_t place)
{
    const char *verdict = words_verdict_on(group->rows[place]);
    const int column = text_print(text, tone_ink(words_verdict_tone(group->rows[place]->verdict)), "  %-*s  ",
                                  layout->verdict, verdict),
              width = text_width(text) - column - (int)strlen(", and 99 more");
    OWNED_TEXT list = NULL;
    size_t end = place, more = 0;
    for (;
         end < group->count && is_brief(report, group, end) && strcmp(words_verdict_on(group->rows[end]), verdict) == 0;
         end++) {
        struct cells cells;
        words_cells(group->rows[end], &cells);
        OWNED_TEXT at = brief_place(report, group, end);
        char *longer = x_sprintf("%s%s%s%s%s%s", list ? list : "", list ? ", " : "", group->rows[end]->metric->name,
                                 *cells.change ? " " : "", cells.change, at ? at : "");
        const bool fits = more == 0 && (!list || (int)text_count(longer) <= width);
        more += !fits;
        free(fits ? list : longer);
        list = fits ? longer : list;
    }
    OWNED_TEXT words = more > 0 ? x_sprintf("%s, and %zu more", list, more) : x_strdup(list);
    text_wrap(text, INK_PLAIN, column, column, words);
    return end - place;
}

/* ---- A kernel ---- */

/* Writes what is red in a kernel: its time where that is, else its worst row. "shared_wavefronts +16.78 M (17.0 x)". */
static void red_words(const struct group *group, char *words, size_t size)
{
    const struct judgement *red = group->rows[0];
    struct cells cells;
    for (size_t i = 0; i < group->count; i++)
        if (group->rows[i]->metric && group->rows[i]->metric->class == METRIC_TIME &&
            words_verdict_tone(group->rows[i]->verdict) == TONE_FAIL)
            red = group->rows[i];
    words_cells(red, &cells);
    snprintf(words, size, "%s%s%s", red->metric ? red->metric->name : "", *cells.change ? " " : "", cells.change);
}

/* Writes by how much the time of a kernel moved: "time +11.5 us (+58.0 %)". */
static void time_words(const struct report *report, const struct group *group, char *words, size_t size)
{
    const char *name;
    const struct row *row = time_row(report->run, group->kernel, &name);
    const struct metric *metric = metrics_find(report->metrics, name);
    char amount[64], share[48] = "";
    if (!row || !metric || isnan(group->lost))
        return;
    const double time = row_value(row);
    if (fabs(group->lost) < UNMOVED * time) {
        snprintf(words, size, "%s unchanged", name);
        return;
    }
    metric_format(metric, fabs(group->lost), amount, sizeof amount);
    words_share(time - group->lost, time, share, sizeof share);
    snprintf(words, size, "%s %s%s%s%s%s", name, group->lost > 0 ? "+" : "-", amount, *share ? " (" : "", share,
             *share ? ")" : "");
}

/* Returns what a kernel has now and had nothing of before, which may be the cause of all that is worse; NULL where
 * there is none. */
static const char *appeared_in(const struct report *report, const struct group *group)
{
    const char *appeared = NULL;
    for (size_t i = 0; i < group->count && !appeared; i++)
        appeared = diagnosis_of(report->diagnosis, group->rows[i])->appeared;
    return appeared;
}

/* Writes the words behind a kernel's name: its red rows; else how its time moved, unless its only row says that; then
 * what appeared. */
static void head_words(const struct report *report, const struct group *group, char *words, size_t size)
{
    const struct metric *metric = group->rows[0]->metric;
    const bool is_red = words_verdict_tone(group->verdict) == TONE_FAIL;
    const char *appeared = appeared_in(report, group);
    words[0] = '\0';
    if (!metric)
        return;
    if (appeared && strncmp(appeared, metric->name, strlen(metric->name)) == 0) /* as the first row says */
        appeared = NULL;
    if (is_red && group->count > 1)
        red_words(group, words, size);
    else if (!is_red && (group->count > 1 || metric->class != METRIC_TIME))
        time_words(report, group, words, size);
    const size_t used = strlen(words);
    if (appeared)
        snprintf(words + used, size - used, "%sappeared: %s", used ? "; " : "", appeared);
}

/* How many kernels that are gone, or new, for one reason are named in a line. With -v each has its own. */
#define NAMED_GONE ((size_t)8)
#define NAMED_NEW ((size_t)3)

/* Returns how many kernels from that index on one line stands for. */
static size_t count_alike(const struct report *report, const struct groups *groups, size_t place)
{
    const struct group *first = &groups->list[place];
    size_t alike = 1;
    for (; place + alike < groups->count && !first->rows[0]->metric && first->count == 1; alike++) {
        const struct group *other = first + alike;
        if (other->rows[0]->metric || other->count > 1 || other->section != first->section ||
            other->verdict != first->verdict || order_of_texts(other->rows[0]->reason, first->rows[0]->reason) != 0)
            break;
    }
    return report->verbose ? 1 : alike;
}

/* Prints verdict and name of a kernel, and text about it as a whole beside them, or below where that does not fit. */
static void print_head(const struct text *text, const struct layout *layout, const struct group *group,
                       const char *kernel, const char *words)
{
    const int indent = kernel_indent(layout);
    const int wide = (int)text_count(kernel), behind = wide + 2 + (int)text_count(words);
    int column = text_print(text, tone_ink(words_verdict_tone(group->verdict)), "%-*s", layout->verdict,
                            group->rows[0]->metric ? verdict_name(group->verdict) : words_verdict_on(group->rows[0]));
    column += text_print(text, INK_PLAIN, "  ");
    if (!*words) {
        text_wrap(text, INK_BOLD, column, indent, kernel);
    } else if (column + behind <= text_width(text)) {
        text_print(text, INK_BOLD, "%s", kernel);
        text_print(text, INK_PLAIN, "  %s\n", words);
    } else {
        text_wrap(text, INK_BOLD, column, indent, kernel);
        text_print(text, INK_PLAIN, "%*s", indent, "");
        text_wrap(text, INK_PLAIN, indent, indent, words);
    }
}

/* Prints, for a red kernel, who launches it (or that nothing does now) and how its launches changed. */
static void print_launches(const struct text *text, const struct report *report, const struct layout *layout,
                           const struct group *group)
{
    OWNED_TEXT caller = words_caller(report, group->kernel);
    if (caller && words_verdict_tone(group->verdict) == TONE_FAIL)
        print_line(text, INK_DIM, kernel_indent(layout), caller);
    for (size_t i = 0; i < group->count; i++) {
        const struct blame *blame = diagnosis_of(report->diagnosis, group->rows[i]);
        OWNED_TEXT words =
            blame->is_worst && blame->launch_change ? x_sprintf("launch: %s", blame->launch_change) : NULL;
        if (words)
            print_line(text, INK_PLAIN, kernel_indent(layout), words);
    }
}

/* Returns the words beside a kernel's name with the evidence of its first row, which is not below it then. Caller
 * frees; NULL when there is no evidence but what was printed. */
static char *head_with_evidence(const struct report *report, const struct group *group, const char *words,
                                struct said *said)
{
    char *why = once(report, said, group->verdict, words_why(group->rows[0])),
         *all = why ? x_sprintf("%s; %s", words, why) : NULL;
    free(why);
    return all;
}

/* Returns the names of so many kernels: "a/b, a/c and 7 more (-v lists them)". Caller frees. */
static char *names_of(const struct group *group, size_t count)
{
    const size_t named = group->section == SECTION_NEW ? NAMED_NEW : NAMED_GONE;
    char *names = x_strdup(group->kernel);
    for (size_t i = 1; i < count && i < named; i++)
        x_append(&names, ", ", "%s", group[i].kernel);
    if (count > named)
        x_append(&names, "", " and %zu more (shown by -v)", count - named);
    return names;
}

/* Prints a kernel, or one line for so many that are alike. */
static void print_group(const struct text *text, const struct report *report, const struct layout *layout,
                        const struct group *group, size_t alike, struct said *said)
{
    const char *reason = group->rows[0]->reason ? group->rows[0]->reason : "unknown reason";
    char words[512], *whole = group->rows[0]->metric ? NULL : x_strdup(reason), *kernel = names_of(group, alike);
    head_words(report, group, words, sizeof words);
    if (*words && !report->verbose && words_verdict_tone(group->verdict) == TONE_FAIL && !group->rows[0]->reason)
        whole = head_with_evidence(report, group, words, said);
    print_head(text, layout, group, kernel, whole ? whole : words);
    print_launches(text, report, layout, group);
    for (size_t i = 0; i < group->count;)
        if (is_brief(report, group, i))
            i += print_brief(text, report, layout, group, i);
        else if (group->rows[i++]->metric)
            print_row(text, report, layout, group, i - 1, said);
    free(kernel);
    free(whole);
}

static void print_section(const struct text *text, enum section section)
{
    const struct section_words *words = section_words(section);
    const int column = text_print(text, INK_BOLD, "%s: ", words->title);
    text_wrap(text, INK_DIM, column, 2, words->meaning);
}

static void print_titles(const struct text *text, const struct layout *layout)
{
    struct table_row titles = {.text = text, .any = true};
    text_print(text, INK_DIM, "%*s", layout->verdict + 2, "");
    for (size_t c = 0; c < layout->count; c++)
        table_cell(&titles, INK_DIM, &layout->columns[c], layout->columns[c].title);
    text_print(text, INK_PLAIN, "\n");
}

/* Whether a red row of the group has the metric. */
static bool is_red_in(const struct group *group, const struct metric *metric)
{
    return ANY(i, group->count,
               group->rows[i]->metric == metric && words_verdict_tone(group->rows[i]->verdict) == TONE_FAIL);
}

/* Returns the size of the same kernel, "[n=1M]" or "@512,128", at which it has the fault of another size and no further
 * one; NULL: it is another kernel or fault. */
static const char *same_fault_at(const struct group *first, const struct group *other)
{
    const bool worse = first->section == SECTION_WORSE && other->section == SECTION_WORSE;
    const char *size = worse ? words_other_size(first->kernel, other->kernel) : NULL;
    for (size_t i = 0; size && i < other->count; i++)
        if (words_verdict_tone(other->rows[i]->verdict) == TONE_FAIL &&
            !(other->rows[i]->metric && is_red_in(first, other->rows[i]->metric)))
            size = NULL;
    return size;
}

/* Adds the other sizes at which a kernel has the same fault to its entry, and marks them as printed. */
static void print_sizes(const struct text *text, const struct layout *layout, const struct groups *groups, size_t place,
                        bool *printed)
{
    for (size_t i = place + 1; i < groups->count; i++) {
        const char *size = printed[i] ? NULL : same_fault_at(&groups->list[place], &groups->list[i]);
        if (!size)
            continue;
        char words[512];
        red_words(&groups->list[i], words, sizeof words);
        OWNED_TEXT line = x_sprintf("also at %s: %s", size, words);
        print_line(text, INK_PLAIN, kernel_indent(layout), line);
        printed[i] = true;
    }
}

void text_rows(const struct text *text, const struct report *report)
{
    OWNED(groups) groups = groups_make(report);
    const struct layout layout = lay_out(text, report, &groups);
    struct said said = {0};
    bool titles = has_metrics(&groups), *printed = x_calloc(groups.count, sizeof *printed);
    for (size_t i = 0, alike; i < groups.count; i += alike) {
        const struct group *group = &groups.list[i];
        alike = count_alike(report, &groups, i);
        if (printed[i])
            continue;
        if (i == 0 || group->section != groups.list[i - 1].section) {
            text_print(text, INK_PLAIN, i > 0 ? "\n" : "");
            print_section(text, group->section);
        }
        if (titles && group->rows[group->count - 1]->metric) {
            print_titles(text, &layout);
            titles = false;
        }
        print_group(text, report, &layout, group, alike, &said);
        if (!report->verbose)
            print_sizes(text, &layout, &groups, i, printed);
    }
    free(printed);
    if (groups.count > 0)
        text_print(text, INK_PLAIN, "\n");
    free(said.why);
    free(said.advice);
}
