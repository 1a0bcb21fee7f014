/* Prints the report for people. It begins with what was measured on which GPU and a line a kernel (report_kernels.c).
 * Then come rows that need attention (report_rows.c), the verdict, and what to do
 * next (report_next.c). The verdict comes last, where the reader of a terminal looks. */
#include "report_text.h"
#include "facts.h"

void text_banner(const struct text *text, const struct report *report)
{
    struct banner banner;
    if (!words_banner(report, &banner))
        return;
    text_wrap(text, INK_PLAIN, text_print(text, INK_YELLOW, "%s ", banner.loud), 2, banner.words);
    text_print(text, INK_PLAIN, "  ");
    text_wrap(text, INK_PLAIN, 2, 2, banner.source);
    text_print(text, INK_PLAIN, "\n");
}

void text_fact(const struct text *text, const char *title, const char *words)
{
    text_wrap(text, INK_PLAIN, text_print(text, INK_BOLD, "%-9s ", title), 10, words);
}

static void print_verdict(const struct text *text, const struct report *report)
{
    struct verdict_words words;
    words_verdict(report, report->verbose ? "" : " (shown by -v)", &words);
    const enum ink ink = tone_ink(words_exit_tone(report->exit_code));
    const int column = (int)text_count(words.headline) + (int)text_count(words.rest);
    if (column <= text_width(text)) {
        text_print(text, ink, "%s", words.headline);
        text_print(text, INK_PLAIN, "%s\n", words.rest);
        return;
    }
    OWNED_TEXT all = x_sprintf("%s%s", words.headline, words.rest);
    text_wrap(text, ink, 0, 2, all);
}

/* Prints what was asked of code that nobody trusts: of each kernel what refuses it, or all with verbose. */
static void print_certificates(const struct text *text, const struct report *report)
{
    static const enum ink inks[] = {INK_GREEN, INK_YELLOW, INK_YELLOW, INK_RED};
    EACH(const struct certificate, certificate, report->certificates, report->certificate_count) {
        const enum certificate_outcome worst = certificate_worst(certificate);
        text_print(text, inks[worst], "%-10s", certificate_outcome_name(worst));
        text_print(text, INK_BOLD, " %s\n", certificate->kernel);
        for (size_t k = 0; k < CERTIFICATE_RULES; k++) {
            const struct certificate_row *row = &certificate->rows[k];
            if (report->quiet && row->outcome == CERTIFICATE_PASSED)
                continue;
            const int column = text_print(text, INK_PLAIN, "  %-10s", certificate_rule_name((enum certificate_rule)k)) +
                               text_print(text, inks[row->outcome], "%-11s", certificate_outcome_name(row->outcome));
            text_wrap(text, INK_PLAIN, column, 23, row->words);
            for (size_t m = 0; k == CERTIFICATE_INPUTS && m < certificate->input_count && !report->quiet; m++) {
                OWNED_TEXT words = certificate_input_words(&certificate->inputs[m]);
                text_wrap(text, INK_PLAIN, text_print(text, INK_PLAIN, "%23s", ""), 25, words);
            }
        }
        text_print(text, INK_PLAIN, "\n");
    }
}

static void print_body(const struct text *text, const struct report *report)
{
    OWNED(facts) facts = facts_of(report, report->verbose || !report->comparison, false);
    text_banner(text, report);
    for (size_t i = 0; i < facts.count && !report->quiet; i++)
        text_fact(text, facts.list[i].title, facts.list[i].words);
    print_certificates(text, report);
    if (!report->quiet && (report->comparison || !report->certificates)) {
        text_print(text, INK_PLAIN, "\n");
        const struct origin *origin = run_origin(report->run);
        if (!report->comparison || (!origin->code_only && !origin->computed)) /* whose columns take a GPU */
            text_kernels(text, report);
    }
    if (!report->comparison) {
        if (!report->certificates)
            text_failures(text, report);
        if (report->exit_code == EXIT_BASELINE)
            text_first_baseline(text, report);
        return;
    }
    if (!report->quiet)
        text_upgrade(text, report);
    text_rows(text, report);
    if (!report->certificates) /* the files that were judged are there no more */
        text_accept(text, report);
}

void report_text(const struct report *report, FILE *stream)
{
    const struct text text = {.stream = stream, .color = report->color, .columns = report->columns};
    print_body(&text, report);
    print_verdict(&text, report);
    if (!report->certificates)
        text_advice(&text, report);
}
