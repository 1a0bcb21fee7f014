/* Q8: the same bytes in give the same bytes out, and files that are not what they should be their documented code. */
#include "model/run_file.h"
#include "report/report.h"
#include "selftest.h"

#include <sys/wait.h>
#include <unistd.h>

/* The report on two files, read anew. Caller frees. */
static char *report_of(const struct selftest *selftest, const char *base_path, const char *path)
{
    struct run baseline, run;
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
    run_release(&run);
    run_release(&baseline);
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

/* A text with what lies between two marks replaced: from `start`, if it stands after `after`, up to `end`. NULL as text
 * puts an end to the file there. */
static char *edited(const char *text, const char *after, const char *start, const char *end, const char *by)
{
    const char *from = strstr(text, after);
    from = from ? strstr(from, start) : NULL;
    if (!from)
        die(EXIT_USAGE, "a recorded session lacks %s after %s", start, after);
    from += strlen(start);
    if (!by)
        return x_sprintf("%.*s", (int)(from - text), text);
    return x_sprintf("%.*s%s%s", (int)(from - text), text, by, strstr(from, end));
}

/* The program's exit code for two files. */
static int compare_code(const struct selftest *selftest, const char *base, const char *now)
{
    OWNED_TEXT command = x_sprintf("'%s' compare -q '%s' '%s' >/dev/null 2>&1", selftest->cugate, base, now);
    const int status = system(command);
    return status >= 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    if (!file || fputs(text, file) < 0 || fclose(file) != 0)
        die(EXIT_USAGE, "cannot write %s", path);
}

/* To add a file: a row. Each is the first recorded session with one thing changed, compared with it. */
static const struct odd_file {
    const char *words;
    const char *after, *start, *end, *by;
    enum exit_code code;
} odd_files[] = {
    {"unchanged: 0", "{", "\"schema\": ", "1", "", EXIT_SAME},
    {"a time that is NaN: 2", "\"access/coalesced\"", "\"time\": {\"sessions\": [[", ",", "NaN", EXIT_USAGE},
    {"a negative time: 2", "\"access/coalesced\"", "\"time\": {\"sessions\": [[", ",", "-1", EXIT_USAGE},
    {"a time of 2^63: 2", "\"access/coalesced\"", "\"time\": {\"sessions\": [[", ",", "9223372036854775808",
     EXIT_USAGE},
    {"a time of 0.7 ms, which is better: 0", "\"access/coalesced\"", "\"time\": {\"sessions\": [[", "]]}", "700000",
     EXIT_SAME},
    {"a time of 0, which no kernel takes: 5", "\"access/coalesced\"", "\"time\": {\"sessions\": [[", "]]}", "0",
     EXIT_NOT_MEASURED},
    {"a kernel without an instruction: 5", "\"access/coalesced\"", "\"instructions\": {\"sessions\": [[", "]]}", "0",
     EXIT_NOT_MEASURED},
    {"a count of 1 where it was 0, in one session: 3", "\"access/coalesced\"", "\"branch_targets\": {\"sessions\": [[",
     "]]}", "1", EXIT_UNSURE},
    {"half the theoretical occupancy: 1", "\"access/coalesced\"", "\"theoretical_occupancy\": {\"sessions\": [[", "]]}",
     "50", EXIT_REGRESSED},
    {"an exact counter that was not counted: 5", "\"access/coalesced\"", "\"instructions\": {", "}",
     "\"state\": \"not counted\"", EXIT_NOT_MEASURED},
    {"a kernel of another name: 5", "\"kernels\"", "\"access/", "\": ", "renamed", EXIT_NOT_MEASURED},
    {"a program that was ended: 2", "\"sessions\"", "\"date\": \"", "\"", "2026-11-20T00:00:00Z\", \"cut\": \"Ctrl-C",
     EXIT_USAGE},
    {"another GPU: 4", "\"device\"", "\"name\": \"", "\"", "Other GPU", EXIT_BASELINE},
    {"a file cut off in the middle: 2", "\"access/coalesced\"", "\"time\": {", "", NULL, EXIT_USAGE},
};

void q8_files(struct selftest *selftest)
{
    if (!selftest->cugate)
        return;
    const char *base = selftest->sessions[0].path;
    char *text;
    size_t length;
    char path[] = "/tmp/cugate-selftest-XXXXXX";
    const int descriptor = mkstemp(path);
    if (descriptor < 0 || file_read(base, RUN_FILE_LIMIT, &text, &length) < 0)
        die(EXIT_USAGE, "cannot make a file in /tmp");
    close(descriptor);
    for (size_t i = 0; i < ARRAY_SIZE(odd_files); i++) {
        const struct odd_file *odd = &odd_files[i];
        OWNED_TEXT changed = edited(text, odd->after, odd->start, odd->end, odd->by);
        OWNED_TEXT words = x_sprintf("exit code of %s", odd->words);
        write_text(path, changed);
        expect_all(selftest, compare_code(selftest, base, path) == (int)odd->code, 1, words);
    }
    write_text(path, "");
    expect_all(selftest, compare_code(selftest, base, path) == EXIT_USAGE, 1, "exit code of an empty file: 2");
    if (truncate(path, 100l << 20) < 0)
        die(EXIT_USAGE, "cannot make a file of 100 MiB in /tmp");
    expect_all(selftest, compare_code(selftest, base, path) == EXIT_USAGE, 1, "exit code of a file of 100 MiB: 2");
    unlink(path);
    free(text);
}
