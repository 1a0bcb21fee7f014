/* Prints the report as SARIF 2.1.0, by which code hosts and editors mark lines: a result for each row that is worse or
 * unsure, or for each kernel that failed, at the line to blame, and one for the verdict. */
#include "words.h"

#include <ctype.h>

static const char *const levels[] = {
    [TONE_PLAIN] = "note", [TONE_GOOD] = "note", [TONE_WARN] = "warning", [TONE_FAIL] = "error"};

/* Returns a path as a reference: below the repository's root as it is, else as a file of this machine. Caller frees. */
static char *reference_of(const char *path)
{
    char *text = NULL;
    FILE *stream = x_memstream(&text, NULL);
    fputs(*path == '/' ? "file://" : "", stream);
    for (; *path; path++)
        fprintf(stream, isalnum((unsigned char)*path) || strchr("/-_.~+", *path) ? "%c" : "%%%02X",
                (unsigned char)*path);
    fclose(stream);
    return text;
}

static void put_result(struct json_writer *json, enum tone tone, const char *rule, const char *kernel,
                       const char *message, const char *file, unsigned line, bool suppressed)
{
    json_open(json, NULL, '{', JSON_LINES);
    json_put(json, JSON_TEXT("ruleId", rule), JSON_TEXT("level", levels[tone]));
    json_put_object(json, "message", JSON_IN_LINE, JSON_TEXT("text", message));
    /* by which a host knows it again on another line */
    json_put_object(json, "partialFingerprints", JSON_IN_LINE, JSON_TEXT("kernel/v1", kernel));
    if (suppressed) {
        json_open(json, "suppressions", '[', JSON_IN_LINE);
        json_put_object(json, NULL, JSON_IN_LINE, JSON_TEXT("kind", "external"));
        json_close(json);
    }
    if (file) {
        OWNED_TEXT reference = reference_of(file);
        json_open(json, "locations", '[', JSON_IN_LINE);
        json_open(json, NULL, '{', JSON_IN_LINE);
        json_open(json, "physicalLocation", '{', JSON_IN_LINE);
        json_put_object(json, "artifactLocation", JSON_IN_LINE, JSON_TEXT("uri", reference));
        json_put_object(json, "region", JSON_IN_LINE, JSON_COUNT("startLine", line));
        json_close(json);
        json_close(json);
        json_close(json);
    }
    json_close(json);
}

static void put_judgements(struct json_writer *json, const struct report *report)
{
    EACH(const struct judgement, judgement, report->comparison->list, report->comparison->count) {
        const enum tone tone = words_verdict_tone(judgement->verdict);
        if (tone < TONE_WARN)
            continue;
        const struct blame *blame = diagnosis_of(report->diagnosis, judgement);
        const struct profile_line *line = blame->count > 0 ? blame->hotspots[0].line : NULL;
        const char *metric = judgement->metric ? judgement->metric->name : "";
        OWNED_TEXT message = NULL, *key = x_sprintf("%s %s", judgement->kernel, metric);
        FILE *stream = x_memstream(&message, NULL);
        fprintf(stream, "%s\n", key);
        words_body(report, judgement, stream);
        fclose(stream);
        put_result(json, tone, verdict_name(judgement->verdict), key, message, line ? line->file : NULL,
                   line ? line->number : 0, false);
    }
}

/* Puts kernels that failed, and faults that were suppressed: a host lists them as such. */
static void put_results(struct json_writer *json, const struct run *run, bool failed)
{
    EACH(const struct result, result, run->results, run->result_count) {
        const bool fails = result->status != RESULT_OK && result->status != RESULT_NOT_BUILT;
        if (fails ? !failed : !result->suppressed)
            continue;
        unsigned line;
        const char *reason = !fails ? result->suppressed : result->reason ? result->reason : "unknown reason";
        OWNED_TEXT file = words_failed_at(reason, &line), *message = x_sprintf("%s: %s", result->id, reason);
        put_result(json, TONE_FAIL, fails ? result_status_name(result->status) : "suppressed", result->id, message,
                   file, line, !fails);
    }
}

void report_sarif(const struct report *report, FILE *stream)
{
    struct json_writer json = {.stream = stream, JSON_DOCUMENT};
    json_open(&json, NULL, '{', JSON_LINES);
    json_put(&json, JSON_TEXT("$schema", "https://json.schemastore.org/sarif-2.1.0.json"),
             JSON_TEXT("version", "2.1.0"));
    json_open(&json, "runs", '[', JSON_LINES);
    json_open(&json, NULL, '{', JSON_LINES);
    json_open(&json, "tool", '{', JSON_IN_LINE);
    json_put_object(&json, "driver", JSON_IN_LINE, JSON_TEXT("name", "cugate"), JSON_TEXT("version", CUGATE_VERSION));
    json_close(&json);
    json_open(&json, "results", '[', JSON_LINES);
    if (report->comparison)
        put_judgements(&json, report);
    put_results(&json, report->run, !report->comparison);
    OWNED_TEXT message = words_whole(report);
    put_result(&json, words_exit_tone(report->exit_code), "verdict", "cugate", message, NULL, 0, false);
    json_close(&json);
    json_close(&json);
    json_close(&json);
    json_close(&json);
    fputc('\n', stream);
}
