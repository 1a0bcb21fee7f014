/* Q8: the same bytes in give the same bytes out. */
#include "report/report.h"
#include "selftest.h"

/* The report on two files, read anew. Caller frees. */
static char *report_of(const struct selftest *selftest, const char *base_path, const char *path)
{
    OWNED(run) baseline, run;
    OWNED(comparison) comparison;
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    if (!stream || run_read(&baseline, base_path) < 0 || run_read(&run, path) < 0)
        die(EXIT_USAGE, "cannot compare %s and %s again", base_path, path);
    compare_runs(&comparison, &baseline, &run, &selftest->metrics, NULL);
    const struct report report = {
        .metrics = &selftest->metrics,
        .run = &run,
        .baseline = &baseline,
        .comparison = &comparison,
        .run_name = path,
        .baseline_name = base_path,
        .exit_code = comparison_exit_code(&comparison),
    };
    report_json(&report, stream);
    fclose(stream);
    return text;
}

void q8_repetition(struct selftest *selftest)
{
    size_t equal = 0, trials = 0;
    for (size_t s = 0; s < selftest->session_count; s++) {
        const char *base = selftest->sessions[s].path;
        const char *now = selftest->sessions[(s + 1) % selftest->session_count].path;
        OWNED_TEXT first = report_of(selftest, base, now);
        for (int repetition = 0; repetition < 3; repetition++, trials++) {
            OWNED_TEXT again = report_of(selftest, base, now);
            equal += strcmp(first, again) == 0;
        }
    }
    expect_all(selftest, equal, trials, "recorded: the same two files give the same report, byte for byte");
}
