/* Words about a program as a whole: what the table of kernels does not show of its row. */
#include "words.h"

const char *words_program_command(const char *fact)
{
    const char *behind = strncmp(fact, "--", 2) == 0 ? strstr(fact, " -- ") : NULL;
    return behind ? behind + strlen(" -- ") : fact;
}

void words_program_name(const struct text *words, const char *kernel, const char *command)
{
    OWNED_TEXT family = x_sprintf("%.*s", (int)strcspn(kernel, "/"), kernel);
    if (!strstr(command, family)) {
        fputs(" --name ", words->stream);
        text_shell_word(words, family);
    }
}

char *words_program_arguments(const char *fact, const struct run *run, const char *kernel)
{
    const char *command = words_program_command(fact);
    char *words = NULL;
    FILE *stream = x_memstream(&words, NULL);
    if (!kernel && run->result_count > 0)
        kernel = run->results[0].id;
    if (kernel)
        words_program_name(&(struct text){.stream = stream}, kernel, command);
    fprintf(stream, " %.*s%s%s", (int)(command - fact), fact, command == fact ? "-- " : "", command);
    fclose(stream);
    memmove(words, words + 1, strlen(words)); /* the blank before the first word */
    return words;
}

/* Writes the value of a computed metric of the row: "1.02 KB". False when it has none. */
static bool value_words(const struct report *report, const struct result *program, enum computed_counter counter,
                        double *value, char *text, size_t size)
{
    EACH(const struct metric, metric, report->metrics->list, report->metrics->count) {
        const struct row *row = is_computed(metric, counter) ? result_measured(program, metric->name) : NULL;
        if (!row)
            continue;
        *value = row_value(row);
        metric_format(metric, *value, text, size);
        return true;
    }
    return false;
}

/* Adds "2 copies of memory (1.02 kB)" where there are any. */
static void add_work(FILE *stream, const struct report *report, const struct result *program, const char *many,
                     const char *one, enum computed_counter counter, enum computed_counter bytes_of)
{
    char count[64], bytes[64];
    double number, ignored;
    if (!value_words(report, program, counter, &number, count, sizeof count) || number == 0 ||
        !value_words(report, program, bytes_of, &ignored, bytes, sizeof bytes))
        return;
    fprintf(stream, "%s%s %s (%s)", ftell(stream) > 0 ? ", " : "", count, number == 1 ? one : many, bytes);
}

/* Adds how many kernels the first part alone launched, and their part of the program's GPU time, where that is known.
 */
static void add_part(FILE *stream, const struct report *report, const struct result *program)
{
    const struct run *run = report->run;
    const struct metric *time = NULL, *ignored;
    size_t kernels = 0;
    double took = 0;
    char own[64], all[64];
    EACH(const struct result, kernel, run->results, run->result_count) {
        if (!is_kernel_of(kernel->id, program->id) || !program_is_of_first_part(report->metrics, kernel))
            continue;
        took += program_time(report->metrics, kernel, &ignored);
        kernels++;
    }
    const double whole = program_time(report->metrics, program, &time);
    if (kernels == 0 || !time || isnan(took))
        return;
    metric_format(time, took, own, sizeof own);
    metric_format(time, whole, all, sizeof all);
    fprintf(stream, "%s%zu kernel%s %s launched only while it starts: %s of its GPU time of %s",
            ftell(stream) > 0 ? "; " : "", kernels, plural(kernels), kernels == 1 ? "was" : "were", own, all);
}

static const char *rank_behind(const char *rank)
{
    rank += strcspn(rank, ";");
    return rank + strspn(rank, "; ");
}

/* Adds "rank 1 of 2 computed longest, 20.0 ms, and communicated for 5.00 ms (rank 0: 10.0 ms and 15.0 ms)". */
static void add_ranks(FILE *stream, const struct report *report, const struct result *program)
{
    const struct run *run = report->run;
    const char *ranks = run_fact(run, SESSION_RANKS);
    const struct metric *time;
    char computing[64], communication[64];
    double longest = -1, least = 0, all;
    size_t count = 0, others = 0;
    const char *slowest = ranks;
    if (!ranks || isnan(program_time(report->metrics, program, &time)) ||
        !value_words(report, program, COMPUTED_COMPUTING, &all, computing, sizeof computing) ||
        !value_words(report, program, COMPUTED_COMMUNICATION, &all, communication, sizeof communication))
        return;
    for (const char *next = ranks; *next; next = rank_behind(next), count++) {
        char *end;
        const double took = strtod(next + strcspn(next, " "), &end), waited = strtod(end, NULL);
        if (took > longest || (took == longest && waited < least)) {
            slowest = next;
            longest = took;
            least = waited;
        }
    }
    fputs(ftell(stream) > 0 ? "; " : "", stream);
    if (count == 1)
        fprintf(stream, "it computed for %s and waited for %s", computing, communication);
    else
        fprintf(stream, "rank %.*s of %zu computed longest (%s) and communicated for %s", (int)strcspn(slowest, " "),
                slowest, count, computing, communication);
    for (const char *next = ranks; *next; next = rank_behind(next)) {
        char *end;
        if (next == slowest)
            continue;
        metric_format(time, strtod(next + strcspn(next, " "), &end), computing, sizeof computing);
        metric_format(time, strtod(end, NULL), communication, sizeof communication);
        fprintf(stream, "%s%.*s: %s and %s", others++ > 0 ? ", " : " (rank ", (int)strcspn(next, " "), next, computing,
                communication);
    }
    fputs(others > 0 ? ")" : "", stream);
}

char *words_program(const struct report *report, const struct result *program)
{
    char *text = NULL, busy[64];
    double ignored;
    FILE *stream = x_memstream(&text, NULL);
    add_work(stream, report, program, "memory copies", "memory copy", COMPUTED_COPIES, COMPUTED_COPY_BYTES);
    add_work(stream, report, program, "memsets", "memset", COMPUTED_FILLS, COMPUTED_FILL_BYTES);
    if (value_words(report, program, COMPUTED_GPU_BUSY, &ignored, busy, sizeof busy))
        fprintf(stream, "%sthe GPU was busy for %s of the time", ftell(stream) > 0 ? "; " : "", busy);
    add_part(stream, report, program);
    if (row_kind(program->id) == ROW_PROGRAM)
        add_ranks(stream, report, program);
    fclose(stream);
    if (*text)
        return text;
    free(text);
    return NULL;
}
