/* The rows of the text report: what is missing, worse or doubtful, by how much, why, and how to accept it. */
#include "report_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* More new rows than this are only counted: a new metric has one in every kernel. */
#define NEW_ROWS 10

/* "+3.4 us", "-7.1 points", "+12,288". */
static void format_difference(const struct metric *metric, double difference, const char *sign, char *text, size_t size)
{
    char number[64];
    if (strcmp(metric->unit, "%") == 0)
        snprintf(number, sizeof number, "%.4g point%s", fabs(difference), fabs(difference) == 1 ? "" : "s");
    else
        metric_format(metric, fabs(difference), number, sizeof number);
    snprintf(text, size, "%s%s", sign, number);
}

static bool comparable(const struct judgement *judgement)
{
    return judgement->has_base && judgement->has_now && !judgement->reason;
}

void text_share(double base, double now, char *text, size_t size)
{
    double percent = 100 * (now - base) / base;
    if (base == 0)
        snprintf(text, size, "%s", now == 0 ? "" : "from 0");
    else if (now / base >= 10)
        snprintf(text, size, "%.1f x", now / base);
    else if (now != base && fabs(percent) < 0.05)
        snprintf(text, size, "<0.1 %%");
    else
        snprintf(text, size, "%+.1f %%", percent);
}

/* "+3.4 us (+18.2 %)". Points need no share of themselves. */
static void change_cell(const struct judgement *judgement, char *cell, size_t size)
{
    cell[0] = '\0';
    if (!comparable(judgement))
        return;
    double change = judgement->change;
    const char *sign = change > 0 ? "+" : change < 0 ? "-" : "";
    char difference[64];
    format_difference(judgement->metric, change, sign, difference, sizeof difference);
    char share[48] = "";
    if (strcmp(judgement->metric->unit, "%") != 0 && change != 0)
        text_share(judgement->base, judgement->now, share, sizeof share);
    snprintf(cell, size, "%s%s%s%s", difference, *share ? " (" : "", share, *share ? ")" : "");
}

/* The mark of a side without a number; "" where there is no row at all. */
static const char *side_mark(const struct run *run, const struct judgement *judgement)
{
    const struct result *result = run_find(run, judgement->kernel);
    const struct row *row = result ? result_find(result, judgement->metric->name) : NULL;
    return row ? text_mark(row->state) : "";
}

static void value_cell(const struct run *run, const struct judgement *judgement, bool has, double value, char *cell,
                       size_t size)
{
    if (has)
        metric_format(judgement->metric, value, cell, size);
    else
        snprintf(cell, size, "%s", side_mark(run, judgement));
}

struct widths {
    int kernel, metric;
};

/* The numbers of a row and, where they cannot be compared, the reason on a line of its own; not again when it is that
 * of the row before. */
static void print_metric(const struct text *text, const struct report *report, const struct judgement *judgement,
                         const char *reason_before, const struct widths *widths)
{
    const struct metric *metric = judgement->metric;
    char base[80], now[80], change[80], limit[80];
    value_cell(report->baseline, judgement, judgement->has_base, judgement->base, base, sizeof base);
    value_cell(report->run, judgement, judgement->has_now, judgement->now, now, sizeof now);
    text_print(text, INK_PLAIN, "  %-*s  %10s", widths->metric, metric->name, base);
    if (*now || comparable(judgement))
        text_print(text, INK_PLAIN, "  %10s", now);
    if (comparable(judgement)) {
        change_cell(judgement, change, sizeof change);
        text_print(text, INK_PLAIN, "  %19s", change);
    }
    if (comparable(judgement) && judgement->verdict != VERDICT_INFO) {
        format_difference(metric, judgement->limit, "", limit, sizeof limit);
        text_print(text, INK_PLAIN, "  %10s", limit);
    }
    text_print(text, INK_PLAIN, "\n");
    if (judgement->reason && !(reason_before && strcmp(judgement->reason, reason_before) == 0)) {
        int indent = text_print(text, INK_PLAIN, "%*s", 2 + 9 + 2 + widths->kernel + 2, "");
        text_wrap(text, INK_DIM, indent, indent, judgement->reason);
    }
}

static void print_row(const struct text *text, const struct report *report, const struct judgement *judgement,
                      const char *reason_before, const struct widths *widths)
{
    int column = text_print(text, verdict_ink(judgement->verdict), "  %-9s", verdict_name(judgement->verdict));
    column += text_print(text, INK_PLAIN, "  %-*s", widths->kernel, judgement->kernel);
    if (judgement->metric) {
        print_metric(text, report, judgement, reason_before, widths);
        return;
    }
    column += text_print(text, INK_PLAIN, "  ");
    text_wrap(text, INK_PLAIN, column, column, judgement->reason);
}

static bool listed(const struct report *report, const struct judgement *judgement)
{
    const struct comparison *comparison = report->comparison;
    if (report->verbose || judgement->verdict < VERDICT_NEW)
        return true;
    return judgement->verdict == VERDICT_NEW && (!judgement->metric || comparison->counts[VERDICT_NEW] <= NEW_ROWS);
}

static struct widths measure_rows(const struct report *report, size_t *count)
{
    const struct comparison *comparison = report->comparison;
    size_t kernel = strlen("kernel"), metric = strlen("metric");
    *count = 0;
    for (size_t i = 0; i < comparison->count; i++) {
        const struct judgement *judgement = &comparison->list[i];
        if (!listed(report, judgement))
            continue;
        kernel = strlen(judgement->kernel) > kernel ? strlen(judgement->kernel) : kernel;
        if (judgement->metric && strlen(judgement->metric->name) > metric)
            metric = strlen(judgement->metric->name);
        ++*count;
    }
    return (struct widths){.kernel = (int)kernel, .metric = (int)metric};
}

static void print_judgements(const struct text *text, const struct report *report)
{
    const struct comparison *comparison = report->comparison;
    size_t count;
    struct widths widths = measure_rows(report, &count);
    if (count == 0)
        return;

    text_print(text, INK_BOLD, "  %-9s  %-*s  %-*s  %10s  %10s  %19s  %10s\n", "verdict", widths.kernel, "kernel",
               widths.metric, "metric", "base", "now", "change", "limit");
    const char *reason = NULL;
    for (size_t i = 0; i < comparison->count; i++) {
        const struct judgement *judgement = &comparison->list[i];
        if (!listed(report, judgement))
            continue;
        print_row(text, report, judgement, reason, &widths);
        reason = judgement->reason;
    }
    text_print(text, INK_PLAIN, "\n");
}

static int by_kernel(const void *left, const void *right)
{
    const struct judgement *a = *(const struct judgement *const *)left;
    const struct judgement *b = *(const struct judgement *const *)right;
    int order = strcmp(a->kernel, b->kernel);
    return order ? order : strcmp(a->metric->name, b->metric->name);
}

/* One command a kernel, ready to be copied. */
static void print_accept(const struct text *text, const struct report *report)
{
    const struct comparison *comparison = report->comparison;
    const struct judgement **worse = NULL;
    size_t count = 0;
    for (size_t i = 0; i < comparison->count; i++)
        if (comparison->list[i].verdict == VERDICT_REGRESSED)
            *ARRAY_ADD(worse, count) = &comparison->list[i];
    if (count == 0)
        return;
    qsort(worse, count, sizeof *worse, by_kernel);

    text_print(text, INK_PLAIN, "If a change is meant, accept it and say why%s:\n",
               report->run_name ? "" : " (check --save RUN.json writes the file)");
    for (size_t i = 0; i < count;) {
        const char *kernel = worse[i]->kernel;
        text_print(text, INK_PLAIN, "  cugate accept ");
        text_shell_word(text, report->run_name ? report->run_name : "RUN.json");
        text_baselines_option(text, report);
        text_print(text, INK_PLAIN, " -k %s", kernel);
        for (size_t metrics = 0; i < count && strcmp(worse[i]->kernel, kernel) == 0; i++, metrics++)
            text_print(text, INK_PLAIN, "%s -m %s", metrics % 3 == 2 ? " \\\n     " : "", worse[i]->metric->name);
        text_print(text, INK_PLAIN, " --reason \"...\"\n");
    }
    text_print(text, INK_PLAIN, "\n");
    free(worse);
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
