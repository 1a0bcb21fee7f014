/* Prints the report as GitHub's workflow commands, which GitHub shows as annotations. They are the worst rows, and in
 * the last one the verdict and how many rows were left out. GitHub keeps ten annotations of a step. */
#include "words.h"

#define ANNOTATIONS 10
#define FILE_MAX 4096
#define TITLE_MAX 200    /* limit of a title in characters; GitHub cuts titles at 255 */
#define MESSAGE_MAX 4000 /* limit of a message in characters; GitHub cuts messages at 64 KB */

static const char *const commands[] = {
    [TONE_PLAIN] = "notice", [TONE_GOOD] = "notice", [TONE_WARN] = "warning", [TONE_FAIL] = "error"};

/* Escapes a text. Besides the end of a line, the characters in `special` would end the text here. A newline is escaped
 * but stays one: the raw command may not contain it. */
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

/* Whether GitHub can annotate the file: it is in the repository and named from its root. */
static bool is_in_repository(const char *file)
{
    return file && *file && *file != '/' && strncmp(file, "../", 3) != 0 && !strstr(file, "/../");
}

/* Prints an annotation. line is where it belongs, or NULL. */
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

/* Writes what a kernel gained that is worse elsewhere: "gained: instructions -2,621,440 (-54.1 %)". */
static void put_gains(FILE *stream, const struct report *report, const char *kernel)
{
    const char *before = "gained: ";
    EACH(const struct judgement, judgement, report->comparison->list, report->comparison->count) {
        struct cells cells;
        if (!judgement->gained || !judgement->metric || strcmp(judgement->kernel, kernel) != 0)
            continue;
        words_cells(judgement, &cells);
        fprintf(stream, "%s%s %s", before, judgement->metric->name, cells.change);
        before = ", ";
    }
    fputs(*before == ',' ? "\n" : "", stream);
}

/* Returns the message about a row: numbers, evidence, lines to blame, how to accept, each on a line. Caller frees. */
static char *message_of(const struct report *report, const struct judgement *judgement)
{
    char *message = NULL;
    size_t size;
    FILE *memory = x_memstream(&message, &size);
    char numbers[512];
    words_numbers(judgement, numbers, sizeof numbers);
    OWNED_TEXT why = words_why(judgement);
    fprintf(memory, "%s%s%s\n", numbers, *numbers && why ? "\n" : "", why ? why : "");
    put_gains(memory, report, judgement->kernel);
    words_body(report, judgement, memory);
    fclose(memory);
    if (size > 0 && message[size - 1] == '\n')
        message[size - 1] = '\0';
    return message;
}

static void put_judgement(FILE *stream, const struct report *report, const struct judgement *judgement)
{
    char verdicts[64];
    OWNED_TEXT title = x_sprintf("%s %s%s%s", judgement->kernel, judgement->metric ? judgement->metric->name : "",
                                 judgement->metric ? " " : "", words_verdicts(judgement, verdicts, sizeof verdicts));
    OWNED_TEXT message = message_of(report, judgement);
    const struct blame *blame = diagnosis_of(report->diagnosis, judgement);
    const struct profile_line *line = blame->count > 0 ? blame->hotspots[0].line : NULL;
    put_annotation(stream, words_verdict_tone(judgement->verdict), line, title, message);
}

static void put_result(FILE *stream, const struct result *result)
{
    const char *reason = result->reason ? result->reason : "unknown reason";
    OWNED_TEXT title = x_sprintf("%s %s", result->id, result_status_name(result->status));
    struct profile_line line = {0};
    line.file = words_failed_at(reason, &line.number);
    put_annotation(stream, TONE_FAIL, &line, title, reason);
    free(line.file);
}

/* Prints as many annotations as a step takes, one for kernels that are missing alike. Returns how many are left out. */
static size_t put_judgements(FILE *stream, const struct report *report)
{
    size_t count = 0, shown = 0;
    for (size_t i = 0; i < report->comparison->count; i++) {
        const struct judgement *judgement = &report->comparison->list[i];
        const struct blame *blame = diagnosis_of(report->diagnosis, judgement);
        const bool explained = blame->same_as || (blame->cause && judgement->verdict == VERDICT_REGRESSED); /* there */
        if (words_verdict_tone(judgement->verdict) < TONE_WARN || explained)
            continue;
        count++;
        if (shown < ANNOTATIONS - 1 && !words_alike(report->comparison, i) && ++shown)
            put_judgement(stream, report, judgement);
    }
    return count - shown;
}

static size_t put_results(FILE *stream, const struct run *run)
{
    size_t count = 0;
    EACH(const struct result, result, run->results, run->result_count)
        if (result->status != RESULT_OK && result->status != RESULT_NOT_BUILT && count++ < ANNOTATIONS - 1)
            put_result(stream, result);
    return count > ANNOTATIONS - 1 ? count - (ANNOTATIONS - 1) : 0;
}

void report_github(const struct report *report, FILE *stream)
{
    OWNED_TEXT message = words_whole(report);
    const size_t more = report->comparison ? put_judgements(stream, report) : put_results(stream, report->run);
    if (more > 0)
        x_append(&message, "\n", "%zu more row%s %s not annotated, because GitHub shows at most %d per step", more,
                 plural(more), more == 1 ? "is" : "are", ANNOTATIONS);
    put_annotation(stream, words_exit_tone(report->exit_code), NULL, "cugate", message);
}
