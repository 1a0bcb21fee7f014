/* Prints the report for people. It begins with what was measured on which GPU and a line a kernel (report_kernels.c).
 * Then come rows that need attention (report_rows.c), explanations of words (glossary.c), the verdict, and what to do
 * next (report_next.c). The verdict comes last, where the reader of a terminal looks. */
#include "report_text.h"
#include "glossary.h"

#include <stdlib.h>
#include <string.h>

static size_t samples_a_kernel(const struct run *run)
{
    size_t max = 0;
    for (size_t i = 0; i < run->result_count; i++)
        for (size_t r = 0; r < run->results[i].row_count; r++) {
            const struct row *row = &run->results[i].rows[r];
            for (size_t s = 0; s < row->session_count; s++)
                max = row->sessions[s].count > max ? row->sessions[s].count : max;
        }
    return max;
}

static void print_banner(const struct text *text, const struct report *report)
{
    struct banner banner;
    if (!words_banner(report, &banner))
        return;
    text_wrap(text, INK_PLAIN, text_print(text, INK_YELLOW, "%s ", banner.loud), 2, banner.words);
    text_print(text, INK_PLAIN, "  ");
    text_wrap(text, INK_PLAIN, 2, 2, banner.source);
    text_print(text, INK_PLAIN, "\n");
}

static void print_fact(const struct text *text, const char *title, const char *words)
{
    text_wrap(text, INK_PLAIN, text_print(text, INK_BOLD, "%-10s", title), 10, words);
}

/* Prints "NVIDIA H200, compute capability 9.0, 132 SMs, 139.8 GiB, ECC on", as far as known: a host without a GPU has
 * no such numbers. */
static void print_device(const struct text *text, const struct device *device)
{
    char words[512], capability[80] = "", sms[32] = "", memory[32] = "";
    const char *number = words_known(device->compute_capability);
    if (strspn(number, "0123456789") > 0)
        snprintf(capability, sizeof capability, ", compute capability %.32s", number);
    if (device->sm_count > 0)
        snprintf(sms, sizeof sms, ", %lld SMs", device->sm_count);
    if (device->memory_bytes > 0)
        snprintf(memory, sizeof memory, ", %.1f GiB", (double)device->memory_bytes / 0x1p30);
    snprintf(words, sizeof words, "%s%s%s%s%s%s", words_known(device->name), capability, sms, memory,
             device->sm_count == 0 || device->ecc_unknown ? ""
             : device->ecc                                ? ", ECC on"
                                                          : ", ECC off",
             device->mig ? ", MIG" : "");
    print_fact(text, "device", words);
}

static void print_software(const struct text *text, const struct run *run)
{
    static const struct {
        enum session_fact fact;
        const char *title;
    } rows[] = {
        {SESSION_DRIVER, "driver "},
        {SESSION_CUDA, "CUDA "},
        {SESSION_CUPTI, "CUPTI "},
        {SESSION_COMPILER, ""},
    };
    char words[1024] = "";
    for (size_t i = 0; i < ARRAY_SIZE(rows) && run->session_count > 0; i++) {
        const char *value = run->sessions[run->session_count - 1].facts[rows[i].fact];
        size_t used = strlen(words);
        if (value)
            snprintf(words + used, sizeof words - used, "%s%s%s", used ? ", " : "", rows[i].title, value);
    }
    if (*words)
        print_fact(text, "software", words);
}

static void print_comparison_facts(const struct text *text, const struct comparison *comparison)
{
    char words[256];
    for (size_t i = 0; i < comparison->suite_count; i++) {
        if (comparison->suites[i].kernels < RULE_DRIFT)
            continue;
        words_suite(&comparison->suites[i], words, sizeof words);
        print_fact(text, "shift", words);
    }
    char *note;
    for (size_t i = 0; (note = words_note(comparison, i)); i++) {
        print_fact(text, "note", note);
        free(note);
    }
}

static void print_programs(const struct text *text, const struct report *report)
{
    for (size_t i = 0; i < report->run->result_count; i++) {
        const struct result *result = &report->run->results[i];
        char *words = is_program_row(result->id) ? words_program(report, result) : NULL;
        if (words)
            print_fact(text, "program", words);
        free(words);
    }
}

/* Of a run that is not judged. A comparison has notes of them. */
static void print_varying(const struct text *text, const struct run *run)
{
    for (size_t i = 0; i < run->result_count; i++) {
        const struct result *of = &run->results[i];
        char *words[] = {of->varies ? x_sprintf("%s: what it leaves in memory depends on which block or warp comes "
                                                "first: %s",
                                                of->id, of->varies)
                                    : NULL,
                         of->doubt ? x_sprintf("%s: no fault, since nothing depends on it: %s", of->id, of->doubt)
                                   : NULL};
        for (size_t k = 0; k < ARRAY_SIZE(words); k++) {
            if (words[k])
                print_fact(text, "note", words[k]);
            free(words[k]);
        }
    }
}

static void print_header(const struct text *text, const struct report *report)
{
    const struct run *run = report->run;
    size_t samples = samples_a_kernel(run);
    char words[1024];

    const struct origin *origin = run_origin(run);
    const bool all = report->verbose || !report->comparison;
    if (all || !origin->computed) /* the banner tells what was computed for which GPU, of which compiler's code */
        print_device(text, &run->device);
    if (all) /* a note tells what differs from the baseline's */
        print_software(text, run);
    if (origin->code_only)
        snprintf(words, sizeof words, "%s%sthe machine code of %zu kernel%s", report->run_name ? report->run_name : "",
                 report->run_name ? ", " : "", run->result_count, plural(run->result_count));
    else
        snprintf(words, sizeof words, "%s%s%s, collector %s, %zu kernel%s",
                 report->run_name ? report->run_name : origin->made, report->run_name ? ", " : " ",
                 words_fact(run, SESSION_DATE), words_fact(run, SESSION_COLLECTOR), words_kernels(run),
                 plural(words_kernels(run)));
    if (!origin->code_only && !origin->computed) /* whose samples are bounds */
        snprintf(words + strlen(words), sizeof words - strlen(words), ", %zu sample%s each", samples, plural(samples));
    print_fact(text, "run", words);
    print_programs(text, report);

    if (report->baseline) {
        const struct run *base = report->baseline;
        const char *first = base->session_count > 0 ? base->sessions[0].facts[SESSION_DATE] : NULL;
        const char *last = words_fact(base, SESSION_DATE);
        bool range = first && strcmp(first, last) != 0;
        snprintf(words, sizeof words, "%s, %zu session%s, %s%s%s", report->baseline_name ? report->baseline_name : "",
                 base->session_count, plural(base->session_count), range ? first : "", range ? " to " : "", last);
        print_fact(text, "baseline", first ? words : report->baseline_name); /* what was just read has no date */
    }
    if (report->config)
        print_fact(text, "options", report->config);
    if (report->comparison && origin->computed) {
        words_computing(report->comparison, words, sizeof words);
        print_fact(text, "computed", words);
    }
    if (report->comparison)
        print_comparison_facts(text, report->comparison);
    else
        print_varying(text, run);
    text_print(text, INK_PLAIN, "\n");
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
    print_banner(text, report);
    if (!report->quiet) {
        print_header(text, report);
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
