/* Prints an A/A analysis for people. */
#include "report.h"
#include "table.h"

#define NOISY_ROWS_SHOWN 10
#define NONREPEATING_SHOWN 5

static const char *const view_titles[VIEWS] = {
    [VIEW_PAIRS] = "against each other session alone",
    [VIEW_OTHERS] = "against all other sessions together",
    [VIEW_GPUS] = "against the sessions of all other GPUs",
};

static const char *const view_columns[VIEWS] = {
    [VIEW_PAIRS] = "by each other",
    [VIEW_OTHERS] = "by all others",
    [VIEW_GPUS] = "by other GPUs",
};

static const char *const part_titles[SPREAD_PARTS] = {
    [SPREAD_WITHIN] = "within a GPU and day",
    [SPREAD_GPUS] = "between GPUs",
    [SPREAD_DAYS] = "between days on a GPU",
};

static void print_head(const struct text *text, const struct analysis *analysis)
{
    const char *first = analysis->first_date, *last = analysis->last_date;
    char words[512];
    snprintf(words, sizeof words, ", %zu kernel%s%s, %zu GPU%s (%s, collector %s), %.10s%s%.10s", analysis->kernels,
             plural(analysis->kernels), analysis->programs > 0 ? " and the program as a whole" : "", analysis->gpus,
             plural(analysis->gpus), analysis->device->name ? analysis->device->name : "unknown",
             analysis->collector ? analysis->collector : "unknown", first ? first : "on an unknown day",
             analysis->days > 1 && last ? " to " : "", analysis->days > 1 && last ? last : "");
    text_wrap(text, INK_PLAIN, text_print(text, INK_BOLD, "A/A of %zu sessions", analysis->sessions), 2, words);
    text_wrap(text, INK_DIM, 0, 2, "The code is the same in all sessions, so every difference is noise.");
}

static void print_left_out(const struct text *text, const struct analysis *analysis)
{
    if (analysis->left_out_count > 0)
        text_print(text, INK_BOLD, "\nLeft out\n");
    EACH(const struct left_out, left_out, analysis->left_out, analysis->left_out_count) {
        const int column = text_print(text, INK_PLAIN, "  ") +
                           text_print(text, left_out->failed ? INK_RED : INK_PLAIN, "%s  ", left_out->kernel);
        text_wrap(text, INK_PLAIN, column, 4, left_out->why);
    }
}

static void print_exits(const struct text *text, const struct view *view)
{
    const char *before = "  exit codes: ";
    for (size_t code = 0; code < ARRAY_SIZE(view->exits); code++) {
        if (view->exits[code] == 0)
            continue;
        text_print(text, code == EXIT_REGRESSED || code == EXIT_NOT_MEASURED ? INK_RED : INK_PLAIN, "%s%zu in %zu",
                   before, code, view->exits[code]);
        before = ", ";
    }
    if (view->moved > 0)
        text_print(text, INK_YELLOW, "; all kernels shifted together in %zu", view->moved);
    text_print(text, INK_PLAIN, "\n");
}

static void print_tally(const struct text *text, enum metric_class class, const struct alarm_tally *tally)
{
    text_print(text, INK_PLAIN, "  %-8s  %7zu  ", metric_class_name(class), tally->rows);
    text_print(text, tally->regressed > 0 ? INK_RED : INK_PLAIN, "%9zu", tally->regressed);
    text_print(text, INK_PLAIN, "  %7zu  %7zu %10.2f  %7zu %10.2f\n", tally->unsure, tally->worse,
               1000 * (double)tally->worse / (double)tally->rows, tally->better,
               1000 * (double)tally->better / (double)tally->rows);
}

static void print_views(const struct text *text, const struct analysis *analysis)
{
    text_print(text, INK_BOLD, "\nFalse alarms\n");
    text_wrap(text, INK_DIM, 0, 2,
              "worse and better: beyond the limit, whatever the verdict; a worse time has yet to be confirmed");
    for (size_t kind = 0; kind < VIEWS; kind++) {
        const struct view *view = &analysis->views[kind];
        if (view->comparisons == 0)
            continue;
        text_print(text, INK_PLAIN, "\nEach session judged %s: %zu comparison%s\n", view_titles[kind],
                   view->comparisons, plural(view->comparisons));
        text_print(text, INK_DIM, "  class        rows  regressed   unsure    worse (in 1,000)   better (in 1,000)\n");
        for (size_t class = 0; class < METRIC_CLASSES; class ++)
            if (view->tallies[class].rows > 0)
                print_tally(text, (enum metric_class) class, &view->tallies[class]);
        print_exits(text, view);
    }
}

#define NOISY_KERNEL 34
#define NOISY_METRIC 24
#define NOISY_VIEW 19

/* Whether a row and its counts from each view fit on one line; else each view gets a line of its own. */
static bool noisy_rows_fit(const struct text *text, const struct analysis *analysis)
{
    int width = 2 + NOISY_KERNEL + 1 + NOISY_METRIC;
    for (size_t kind = 0; kind < VIEWS; kind++)
        width += analysis->views[kind].comparisons > 0 ? NOISY_VIEW : 0;
    return text_fits(text, width);
}

static void print_noisy_row(const struct text *text, const struct analysis *analysis, const struct noisy_row *noisy_row)
{
    OWNED_TEXT kernel = text_cut_middle(noisy_row->kernel, (size_t)(text_width(text) - 3 - NOISY_METRIC));
    if (noisy_rows_fit(text, analysis))
        text_print(text, INK_PLAIN, "  %-*s %-*s", NOISY_KERNEL, kernel, NOISY_METRIC, noisy_row->metric->name);
    else
        text_print(text, INK_PLAIN, "  %-*s %s\n  ", NOISY_KERNEL, kernel, noisy_row->metric->name);
    for (size_t kind = 0; kind < VIEWS; kind++) {
        const struct alarm_tally *tally = &noisy_row->tallies[kind];
        if (analysis->views[kind].comparisons == 0)
            continue;
        text_print(text, INK_PLAIN, "  %5zu %6zu", tally->worse + tally->better, tally->unsure);
        text_print(text, tally->regressed > 0 ? INK_RED : INK_PLAIN, " %4zu", tally->regressed);
    }
    text_print(text, INK_PLAIN, "\n");
}

static void print_noisy_rows(const struct text *text, const struct analysis *analysis, bool verbose)
{
    const size_t count = analysis->noisy_row_count;
    const size_t shown = verbose || count < NOISY_ROWS_SHOWN ? count : NOISY_ROWS_SHOWN;
    if (count == 0)
        return;
    text_wrap(text, INK_DIM, text_print(text, INK_BOLD, "\nWorst rows  ") - 1, 2,
              "rows beyond the limit in either direction, unsure rows, and regressed rows");
    if (noisy_rows_fit(text, analysis))
        text_print(text, INK_DIM, "  %-*s %-*s", NOISY_KERNEL, "kernel", NOISY_METRIC, "metric");
    else
        text_print(text, INK_DIM, "  %-*s metric\n  ", NOISY_KERNEL, "kernel");
    for (size_t kind = 0; kind < VIEWS; kind++)
        if (analysis->views[kind].comparisons > 0)
            text_print(text, INK_DIM, "  %17s", view_columns[kind]);
    text_print(text, INK_PLAIN, "\n");
    for (size_t i = 0; i < shown; i++)
        print_noisy_row(text, analysis, &analysis->noisy_rows[i]);
    if (shown < count)
        text_print(text, INK_DIM, "  and %zu more row%s; -v shows all\n", count - shown, plural(count - shown));
}

/* Prints a deviation with its unit: "0.54 %", "0.33 points", "0" for none at all. */
static const char *words_of(double deviation, const struct metric *metric, char *words, size_t size)
{
    const bool points = strcmp(metric->unit, "%") == 0;
    const double number = points ? deviation : 100 * deviation;
    const char *unit = points ? " points" : " %";
    if (number == 0)
        snprintf(words, size, "0");
    else if (number < 0.001)
        snprintf(words, size, "<0.001%s", unit);
    else
        snprintf(words, size, "%.3f%s", number, unit);
    return words;
}

#define SPREAD_LINE 103 /* width of its titles on one line */

/* Prints one line of the table of deviations. The worst kernel follows the figures, or is on the next line where it
 * does not fit. */
static void print_part_of_spread(const struct text *text, const char *name, const char *title,
                                 const struct spread_of_kernels *of, const struct metric *metric)
{
    char median[64], worst[64];
    const bool one_line = text_fits(text, SPREAD_LINE), any = of->worst > 0;
    if (one_line)
        text_print(text, INK_PLAIN, "  %-24s", name);
    else if (*name)
        text_print(text, INK_PLAIN, "  %s\n  ", name);
    else
        text_print(text, INK_PLAIN, "  ");
    int column = text_print(text, INK_PLAIN, "  %-22s  %7zu  %13s  %13s", title, of->kernels,
                            words_of(of->median, metric, median, sizeof median),
                            words_of(of->worst, metric, worst, sizeof worst));
    column += one_line ? 26 : 2;
    if (any && text_fits(text, column + 2 + (int)text_count(of->worst_kernel)))
        text_print(text, INK_PLAIN, "  %s\n", of->worst_kernel);
    else
        text_print(text, INK_PLAIN, any ? "\n      worst: " : "\n");
    if (any && !text_fits(text, column + 2 + (int)text_count(of->worst_kernel)))
        text_wrap(text, INK_PLAIN, 13, 13, of->worst_kernel);
}

static void print_spread(const struct text *text, const struct analysis *analysis, bool verbose)
{
    const bool one_line = text_fits(text, SPREAD_LINE);
    bool known[SPREAD_PARTS] = {false};
    text_wrap(text, INK_DIM, text_print(text, INK_BOLD, "\nSpread  ") - 1, 2,
              "standard deviation of a kernel's sessions, as a share of their mean; for metrics in % in points");
    text_print(text, INK_DIM, "  %-*s  %-22s  %7s  %13s  %13s%s\n", one_line ? 24 : 0, one_line ? "metric" : "",
               one_line ? "" : "metric", "kernels", "median kernel", "worst", one_line ? "  worst kernel" : "");
    EACH(const struct metric_spread, spread, analysis->spreads, analysis->spread_count) {
        const char *name = spread->metric->name;
        if (!verbose && spread->metric->class != METRIC_STEADY && spread->metric->class != METRIC_TIME)
            continue;
        for (size_t part = 0; part < SPREAD_PARTS; part++) {
            if (spread->parts[part].kernels == 0)
                continue;
            known[part] = true;
            print_part_of_spread(text, name, part_titles[part], &spread->parts[part], spread->metric);
            name = "";
        }
    }
    if (!known[SPREAD_WITHIN])
        text_print(text, INK_YELLOW, "  within a GPU and day: not known, because no GPU has two sessions on one day\n");
    if (!known[SPREAD_GPUS])
        text_print(text, INK_YELLOW, "  between GPUs: not known, because all sessions are from one GPU\n");
    if (!known[SPREAD_DAYS])
        text_print(text, INK_YELLOW, "  between days on a GPU: not known, because %s\n",
                   analysis->days == 1 ? "all sessions are from one day" : "no GPU has sessions from two days");
}

static void print_nonrepeating(const struct text *text, const struct exactness *exactness, bool verbose)
{
    const size_t count = exactness->nonrepeating_count;
    const size_t shown = verbose || count < NONREPEATING_SHOWN ? count : NONREPEATING_SHOWN;
    EACH(const struct nonrepeating, range, exactness->nonrepeating, shown) {
        char low[64], high[64], *words;
        metric_format(exactness->metric, range->low, low, sizeof low);
        metric_format(exactness->metric, range->high, high, sizeof high);
        words = x_sprintf("does not repeat: %s, from %s to %s (%.2g %%)", range->kernel, low, high,
                          100 * (range->high - range->low) / range->high);
        text_wrap(text, INK_YELLOW, text_print(text, INK_PLAIN, "    "), 6, words);
        free(words);
    }
    if (shown < count)
        text_print(text, INK_DIM, "    and %zu more kernel%s; -v shows all\n", count - shown, plural(count - shown));
}

#define EXACTNESS_LINE 105

static void print_exactness(const struct text *text, const struct analysis *analysis, bool verbose)
{
    if (analysis->exactness_count == 0)
        return;
    char words[128];
    snprintf(
        words, sizeof words,
        "kernels whose readings are equal in all sessions; admitted as exact after %d equal readings in %d sessions",
        ANALYSIS_READINGS, ANALYSIS_READ_SESSIONS);
    text_wrap(text, INK_DIM, text_print(text, INK_BOLD, "\nExactness  ") - 1, 2, words);
    const bool one_line = text_fits(text, EXACTNESS_LINE);
    text_print(text, INK_DIM, "  %-26s  class   kernels   repeat  admitted  readings%s\n", "metric",
               one_line ? "  of a kernel that repeats" : "");
    EACH(const struct exactness, exactness, analysis->exactness, analysis->exactness_count) {
        text_print(text, INK_PLAIN, "  %-26s  %-6s  %7zu  %7zu  %8zu  %8zu", exactness->metric->name,
                   metric_class_name(exactness->metric->class), exactness->kernels, exactness->repeat,
                   exactness->admitted, exactness->all_readings);
        if (exactness->repeat > 0)
            text_print(text, INK_PLAIN,
                       one_line ? "  %zu or more in %zu sessions"
                                : "\n      of a kernel that repeats: %zu or more in %zu sessions",
                       exactness->readings, exactness->sessions);
        text_print(text, INK_PLAIN, "\n");
        print_nonrepeating(text, exactness, verbose);
    }
}

/* Prints the smallest detectable changes of one metric. Returns how many there were. */
static size_t print_detectables(const struct text *text, const struct detectable *list, size_t count)
{
    size_t same = 0;
    OWNED_MEMORY double *shares = x_calloc(count, sizeof *shares);
    for (; same < count && list[same].metric == list[0].metric; same++)
        shares[same] = list[same].change / list[same].base;
    text_print(text, INK_PLAIN, "  %s: %.2f %% for the median kernel\n", list[0].metric->name,
               100 * median(shares, same));
    for (size_t i = 0; i < same; i++) {
        char base[64], change[64];
        metric_format(list[i].metric, list[i].base, base, sizeof base);
        metric_format(list[i].metric, list[i].change, change, sizeof change);
        OWNED_TEXT kernel = text_cut_middle(list[i].kernel, (size_t)(text_width(text) - 41));
        text_print(text, INK_PLAIN, "    %-34s  %7.2f %%  %10s of %10s\n", kernel, 100 * shares[i], change, base);
    }
    return same;
}

static void print_power(const struct text *text, const struct analysis *analysis)
{
    if (analysis->detectable_count == 0)
        return;
    char words[128];
    snprintf(words, sizeof words, "by one session, in %g of 100 cases, with these %zu sessions as the baseline",
             100 * RULE_POWER, analysis->sessions);
    text_wrap(text, INK_DIM, text_print(text, INK_BOLD, "\nSmallest change in time that is caught  ") - 1, 2, words);
    for (size_t i = 0; i < analysis->detectable_count;)
        i += print_detectables(text, &analysis->detectables[i], analysis->detectable_count - i);
}

static void print_conclusion(const struct text *text, const struct analysis *analysis, enum exit_code code)
{
    size_t comparisons = 0, alarms = 0;
    for (size_t kind = 0; kind < VIEWS; kind++) {
        comparisons += analysis->views[kind].comparisons;
        alarms += analysis->views[kind].exits[EXIT_REGRESSED];
    }
    const enum ink ink = code == EXIT_SAME ? INK_GREEN : INK_RED;
    char words[256];
    const char *advice = "accept the sessions (--save DIR keeps them): the more a baseline has, the tighter its limits";
    if (alarms > 0)
        snprintf(words, sizeof words, "false alarms: the gate would have failed in %zu of %zu comparison%s (exit %d)",
                 alarms, comparisons, plural(comparisons), (int)code);
    else if (analysis_exit_code(analysis) == EXIT_NOT_MEASURED)
        snprintf(words, sizeof words, "not measured: something failed or is missing, see above (exit %d)", (int)code);
    else
        snprintf(words, sizeof words, "no false alarm in %zu comparison%s (exit %d)", comparisons, plural(comparisons),
                 (int)code);
    if (alarms > 0)
        advice =
            "look at the regressed rows: was another process on the GPU, was the clock unsteady, does a count vary?";
    else if (code != EXIT_SAME)
        advice = "fix the failures, then measure again";
    text_print(text, INK_PLAIN, "\n");
    text_wrap(text, ink, 0, 2, words);
    text_wrap(text, INK_PLAIN, text_print(text, INK_BOLD, "next: "), 6, advice);
}

void analysis_text(const struct analysis *analysis, const struct style *style, FILE *stream)
{
    const struct text text = {.stream = stream, .color = style->color, .columns = style->columns};
    print_head(&text, analysis);
    print_left_out(&text, analysis);
    print_views(&text, analysis);
    print_noisy_rows(&text, analysis, style->verbose);
    if (!style->quiet) {
        print_spread(&text, analysis, style->verbose);
        print_exactness(&text, analysis, style->verbose);
        print_power(&text, analysis);
        text_print(&text, INK_PLAIN, "\n");
    }
    print_conclusion(&text, analysis, style->exit_code);
}
