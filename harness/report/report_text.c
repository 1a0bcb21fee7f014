/* Prints the report for people. It begins with what was measured on which GPU and a line a kernel (report_kernels.c).
 * Then come rows that need attention (report_rows.c), explanations of words (glossary.c), the verdict, and what to do
 * next (report_next.c). The verdict comes last, where the reader of a terminal looks. */
#include "report_text.h"
#include "facts.h"
#include "glossary.h"

#include <stdlib.h>
#include <string.h>

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
    text_wrap(text, INK_PLAIN, text_print(text, INK_BOLD, "%-10s", title), 10, words);
}

static void print_verdict(const struct text *text, const struct report *report)
{
    struct verdict_words words;
    words_verdict(report, report->verbose ? "" : " (-v lists them)", &words);
    const enum ink ink = tone_ink(words_exit_tone(report->exit_code));
    const int column = (int)text_count(words.headline) + (int)text_count(words.rest);
    if (column <= text_width(text)) {
        text_print(text, ink, "%s", words.headline);
        text_print(text, INK_PLAIN, "%s\n", words.rest);
        return;
    }
    char *all = x_sprintf("%s%s", words.headline, words.rest);
    text_wrap(text, ink, 0, 2, all);
    free(all);
}

static void print_body(const struct text *text, const struct report *report)
{
    struct facts facts = facts_of(report, report->verbose || !report->comparison, false);
    text_banner(text, report);
    for (size_t i = 0; i < facts.count && !report->quiet; i++)
        text_fact(text, facts.list[i].title, facts.list[i].words);
    facts_release(&facts);
    if (!report->quiet) {
        text_print(text, INK_PLAIN, "\n");
        const struct origin *origin = run_origin(report->run);
        if (!origin->code_only && (!origin->computed || !report->comparison)) /* whose columns take a GPU */
            text_kernels(text, report);
    }
    if (!report->comparison) {
        text_failures(text, report);
        if (report->exit_code == EXIT_BASELINE)
            text_first_baseline(text, report);
        return;
    }
    if (!report->quiet)
        text_upgrade(text, report);
    text_rows(text, report);
    text_accept(text, report);
}

int report_text(const struct report *report, FILE *stream)
{
    const struct text text = {.stream = stream, .color = report->color, .columns = report->columns};
    struct glossary glossary;
    glossary_begin(&glossary, &text);
    print_body(&glossary.text, report);
    char *said = glossary_end(&glossary);
    if (report->words) {
        const size_t words = glossary_print(&text, said), metrics = text_metrics(&text, report);
        text_print(&text, INK_PLAIN, words + metrics > 0 ? "\n" : "");
    }
    print_verdict(&text, report);
    text_advice(&text, report);
    free(said);
    return fflush(stream) != 0 || ferror(stream) ? -1 : 0;
}
