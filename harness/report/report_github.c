/* The report as workflow commands, which GitHub shows as annotations: the worst rows and, in the last one, the verdict
 * and how many rows there was no room for. GitHub keeps ten of a step. */
#include "words.h"

#include "base/base.h"

#include <stdlib.h>
#include <string.h>

#define ANNOTATIONS 10
#define FILE_MAX 4096
#define TITLE_MAX 200    /* characters; GitHub cuts titles at 255 */
#define MESSAGE_MAX 4000 /* characters; it cuts messages at 64 KB */

static const char *const commands[] = {
    [TONE_PLAIN] = "notice", [TONE_GOOD] = "notice", [TONE_WARN] = "warning", [TONE_FAIL] = "error"};

/* special: what else than the end of a line ends the text here. A newline stays one; the command may not hold it raw.
 */
static void put_escaped(FILE *stream, const char *text, const char *special, size_t max)
{
    for (size_t i = 0; *text; i++) {
        if (i == max) {
            fputs("...", stream);
            return;
        }
        char bytes[5];
        const unsigned character = text_next(&text);
        if (character == '%' || character == '\n' || (character < 0x80 && strchr(special, (int)character)))
            fprintf(stream, "%%%02X", character);
        else if (text_is_control(character))
            fputc('?', stream);
        else
            fputs(text_utf8(character, bytes), stream);
    }
}

/* Where GitHub can show it: a file of the repository, named from its root. */
static bool is_in_repository(const char *file)
{
    return file && *file && *file != '/' && strncmp(file, "../", 3) != 0 && !strstr(file, "/../");
}

/* line: where it belongs, or NULL. */
static void put_annotation(FILE *stream, enum tone tone, const struct profile_line *line, const char *title,
                           const char *message)
{
    fprintf(stream, "::%s ", commands[tone]);
    if (line && is_in_repository(line->file)) {
        fputs("file=", stream);
        put_escaped(stream, line->file, ":,", FILE_MAX);
        fprintf(stream, ",line=%u,", line->number);
    }
    fputs("title=", stream);
    put_escaped(stream, title, ":,", TITLE_MAX);
    fputs("::", stream);
    put_escaped(stream, message, "", MESSAGE_MAX);
    fputc('\n', stream);
}

/* Numbers, what stands behind them, the lines that are to blame and how to accept them, each on a line. Caller frees.
 */
static char *message_of(const struct report *report, const struct judgement *judgement)
{
    char *message = NULL;
    size_t size;
    FILE *memory = open_memstream(&message, &size);
    if (!memory)
        die(EXIT_USAGE, "cannot allocate memory for a report");
    char numbers[512];
    words_numbers(judgement, numbers, sizeof numbers);
    char *why = words_why(judgement);
    fprintf(memory, "%s%s%s\n", numbers, *numbers && why ? "\n" : "", why ? why : "");
    words_blame(diagnosis_of(report->diagnosis, judgement), memory);
    if (judgement->verdict == VERDICT_REGRESSED && judgement->metric) {
        fprintf(memory, "If it is meant%s: ", words_run_file(report));
        words_accept(report, &judgement, 1, memory);
    }
    fclose(memory);
    if (size > 0 && message[size - 1] == '\n')
        message[size - 1] = '\0';
    free(why);
    return message;
}

static void put_judgement(FILE *stream, const struct report *report, const struct judgement *judgement)
{
    char *title = x_sprintf("%s %s%s%s", judgement->kernel, judgement->metric ? judgement->metric->name : "",
                            judgement->metric ? " " : "", verdict_name(judgement->verdict));
    char *message = message_of(report, judgement);
    const struct blame *blame = diagnosis_of(report->diagnosis, judgement);
    const struct profile_line *line = blame->count > 0 ? blame->hotspots[0].line : NULL;
    put_annotation(stream, words_verdict_tone(judgement->verdict), line, title, message);
    free(message);
    free(title);
}

static void put_result(FILE *stream, const struct result *result)
{
    char *title = x_sprintf("%s %s", result->id, result_status_name(result->status));
    put_annotation(stream, TONE_FAIL, NULL, title, result->reason ? result->reason : "no reason is known");
    free(title);
}

/* Returns how many there would be; prints as many as there is room for. */
static size_t put_judgements(FILE *stream, const struct report *report)
{
    size_t count = 0;
    for (size_t i = 0; i < report->comparison->count; i++) {
        const struct judgement *judgement = &report->comparison->list[i];
        const bool explained = diagnosis_of(report->diagnosis, judgement)->same_as; /* at the same line */
        if (words_verdict_tone(judgement->verdict) >= TONE_WARN && !explained && count++ < ANNOTATIONS - 1)
            put_judgement(stream, report, judgement);
    }
    return count;
}

static size_t put_results(FILE *stream, const struct run *run)
{
    size_t count = 0;
    for (size_t i = 0; i < run->result_count; i++) {
        const struct result *result = &run->results[i];
        if (result->status != RESULT_OK && result->status != RESULT_NOT_BUILT && count++ < ANNOTATIONS - 1)
            put_result(stream, result);
    }
    return count;
}

int report_github(const struct report *report, FILE *stream)
{
    struct banner banner;
    const bool warned = words_banner(report, &banner);
    const size_t count = report->comparison ? put_judgements(stream, report) : put_results(stream, report->run);
    const size_t more = count > ANNOTATIONS - 1 ? count - (ANNOTATIONS - 1) : 0;

    struct verdict_words words;
    words_verdict(report, "", &words);
    char *rest = more > 0 ? x_sprintf("\n%zu more row%s %s in no annotation: there is room for %d in a step", more,
                                      plural(more), more == 1 ? "is" : "are", ANNOTATIONS)
                          : x_strdup("");
    char *message =
        x_sprintf("%s%s%s%s%s", warned ? banner.loud : "", warned ? " " : "", words.headline, words.rest, rest);
    put_annotation(stream, words_exit_tone(report->exit_code), NULL, "cugate", message);
    free(message);
    free(rest);
    return fflush(stream) != 0 || ferror(stream) ? -1 : 0;
}
