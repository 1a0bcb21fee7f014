/* The report for people: what was measured on what, a line a kernel (report_kernels.c), the rows that need attention
 * (report_rows.c), the verdict. The verdict stands last, where a terminal leaves the eye. */
#include "report_text.h"

#include "exit_code.h"

#include <string.h>

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

static const char *known(const char *fact)
{
    return fact ? fact : "unknown";
}

/* Of the last session. */
static const char *fact(const struct run *run, enum session_fact which)
{
    return known(run->session_count > 0 ? run->sessions[run->session_count - 1].facts[which] : NULL);
}

static size_t samples_a_kernel(const struct run *run)
{
    size_t most = 0;
    for (size_t i = 0; i < run->result_count; i++)
        for (size_t r = 0; r < run->results[i].row_count; r++) {
            const struct row *row = &run->results[i].rows[r];
            for (size_t s = 0; s < row->session_count; s++)
                most = row->sessions[s].count > most ? row->sessions[s].count : most;
        }
    return most;
}

static void print_banner(const struct text *text, const struct report *report)
{
    const struct run *run = report->run;
    text_print(text, INK_YELLOW, "REPLAY: NOTHING WAS MEASURED HERE.");
    text_print(text, INK_PLAIN, " The numbers below are a recording, not this machine and not this code:\n  ");
    char words[512];
    snprintf(words, sizeof words, "%s, recorded %s on %s, driver %s", report->run_name, fact(run, SESSION_DATE),
             known(run->device.name), fact(run, SESSION_DRIVER));
    text_wrap(text, INK_PLAIN, 2, 2, words);
    text_print(text, INK_PLAIN, "\n");
}

static void print_fact(const struct text *text, const char *title, const char *words)
{
    text_wrap(text, INK_PLAIN, text_print(text, INK_BOLD, "%-10s", title), 10, words);
}

/* "NVIDIA H200, compute capability 9.0, 132 SMs, 139.8 GiB, ECC on"; a host without a GPU has no such numbers. */
static void print_device(const struct text *text, const struct device *device)
{
    char words[512];
    if (device->sm_count > 0)
        snprintf(words, sizeof words, "%s, compute capability %s, %lld SMs, %.1f GiB, ECC %s%s", known(device->name),
                 known(device->compute_capability), device->sm_count, (double)device->memory_bytes / 0x1p30,
                 device->ecc ? "on" : "off", device->mig ? ", MIG" : "");
    else
        snprintf(words, sizeof words, "%s", known(device->name));
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
    for (size_t i = 0; i < ROWS(rows) && run->session_count > 0; i++) {
        const char *value = run->sessions[run->session_count - 1].facts[rows[i].fact];
        size_t used = strlen(words);
        if (value)
            snprintf(words + used, sizeof words - used, "%s%s%s", used ? ", " : "", rows[i].title, value);
    }
    if (*words)
        print_fact(text, "software", words);
}

static void print_header(const struct text *text, const struct report *report)
{
    const struct run *run = report->run;
    size_t samples = samples_a_kernel(run);
    char words[1024];

    print_device(text, &run->device);
    print_software(text, run);
    snprintf(words, sizeof words, "%s%s%s, collector %s, %zu kernel%s, %zu sample%s each",
             report->run_name ? report->run_name : "", report->run_name ? ", " : "measured ", fact(run, SESSION_DATE),
             fact(run, SESSION_COLLECTOR), run->result_count, plural(run->result_count), samples, plural(samples));
    print_fact(text, "run", words);

    if (report->baseline) {
        const struct run *base = report->baseline;
        const char *first = base->session_count > 0 ? base->sessions[0].facts[SESSION_DATE] : NULL;
        const char *last = fact(base, SESSION_DATE);
        bool range = first && strcmp(first, last) != 0;
        snprintf(words, sizeof words, "%s, %zu session%s, %s%s%s", report->baseline_name ? report->baseline_name : "",
                 base->session_count, base->session_count == 1 ? "" : "s", range ? first : "", range ? " to " : "",
                 last);
        print_fact(text, "baseline", words);
    }
    for (size_t i = 0; report->comparison && i < report->comparison->note_count; i++)
        print_fact(text, "note", report->comparison->notes[i]);
    text_print(text, INK_PLAIN, "\n");
}

void text_baselines_option(const struct text *text, const struct report *report)
{
    if (!report->baselines)
        return;
    text_print(text, INK_PLAIN, " --baselines ");
    text_shell_word(text, report->baselines);
}

static void print_baseline_advice(const struct text *text, const struct report *report)
{
    text_print(text, INK_YELLOW, "Nothing was judged: no baseline fits this run.");
    text_print(text, INK_PLAIN,
               " To make one, of three sessions some time apart:\n"
               "  cugate run -o run-1.json\n  cugate run -o run-2.json\n  cugate run -o run-3.json\n"
               "  cugate accept run-1.json run-2.json run-3.json");
    text_baselines_option(text, report);
    text_print(text, INK_PLAIN, " --reason \"first baseline\"\n\n");
}

/* "regressed: 2 of 480 rows in 1 of 65 kernels; 3 improved". */
static void print_judged(const struct text *text, const struct report *report, enum ink ink)
{
    const struct comparison *comparison = report->comparison;
    const size_t *counts = comparison->counts;
    size_t rows = comparison->count - counts[VERDICT_INFO];
    enum verdict worst = VERDICT_MISSING;
    while (worst < VERDICT_NEW && counts[worst] == 0)
        worst++;

    if (worst < VERDICT_NEW)
        text_print(text, ink, "%s: %zu of %zu row%s in %zu of %zu kernel%s", verdict_name(worst), counts[worst], rows,
                   plural(rows), comparison->kernel_counts[worst], comparison->kernels, plural(comparison->kernels));
    else if (rows == 0)
        text_print(text, ink, "nothing was judged: no gated metric has a row on both sides");
    else
        text_print(text, ink, "nothing is worse: %zu row%s in %zu kernel%s", rows, plural(rows), comparison->kernels,
                   plural(comparison->kernels));
    for (enum verdict other = worst < VERDICT_NEW ? worst + 1 : worst; other <= VERDICT_IMPROVED; other++)
        if (counts[other] > 0)
            text_print(text, INK_PLAIN, "; %zu %s%s", counts[other], verdict_name(other),
                       other == VERDICT_IMPROVED && !report->verbose ? " (-v lists them)" : "");
}

static void print_measured(const struct text *text, const struct run *run, enum ink ink)
{
    size_t counts[RESULT_STATUSES] = {0};
    for (size_t i = 0; i < run->result_count; i++)
        counts[run->results[i].status]++;
    text_print(text, ink, "measured: %zu of %zu kernel%s", counts[RESULT_OK], run->result_count,
               plural(run->result_count));
    for (enum result_status status = RESULT_OK + 1; status < RESULT_STATUSES; status++)
        if (counts[status] > 0)
            text_print(text, INK_PLAIN, "; %zu %s", counts[status], result_status_name(status));
}

static void print_verdict(const struct text *text, const struct report *report)
{
    enum exit_code code = report->exit_code;
    enum ink ink = code == EXIT_SAME ? INK_GREEN : code == EXIT_UNSURE || code == EXIT_BASELINE ? INK_YELLOW : INK_RED;
    /* What the rows below do not show: no baseline, Ctrl-C, a GPU that was lost halfway. */
    enum exit_code shown = report->comparison ? comparison_exit_code(report->comparison) : run_exit_code(report->run);
    if (code != shown)
        text_print(text, ink, "%s; ", exit_code_name(code));
    if (report->comparison)
        print_judged(text, report, ink);
    else
        print_measured(text, report->run, ink);
    text_print(text, INK_PLAIN, " (exit %d)\n", (int)code);
}

int report_text(const struct report *report, FILE *stream)
{
    const struct text text = {.stream = stream, .color = report->color};
    if (report->replay)
        print_banner(&text, report);
    if (!report->quiet) {
        print_header(&text, report);
        text_kernels(&text, report);
    }
    text_rows(&text, report);
    if (report->exit_code == EXIT_BASELINE && !report->comparison)
        print_baseline_advice(&text, report);
    print_verdict(&text, report);
    return fflush(stream) != 0 || ferror(stream) ? -1 : 0;
}
