/* The report as JSON, schema 1. Later versions add keys, but change and remove none within a schema:
 *
 *   { "schema": 1, "exit_code": 1, "verdict": "regressed",
 *     "replay": "run.json",         the file that the run was read from, when nothing was measured; else null
 *     "static": false,              true: only machine code was read
 *     "counts": { "kernels": 65, "missing": 0, "regressed": 1, ... },    judgements by verdict
 *     "same_code": 2,               rows that moved although the machine code is the same: noise
 *     "blind": 1,                   rows that passed by a limit of more than a quarter of their value
 *     "device": { "name": ..., "compute_capability": ..., "sm_count": ..., "memory_bytes": ..., "ecc": ..., ... },
 *     "sessions": [ { "date": "2026-11-21T08:00:00.000Z", "collector": ..., "driver": ..., "cuda": ...,
 *                     "gpu_uuid": ..., ... } ],    those of the run that was judged, each with every fact of run.h
 *     "notes": [ "driver 580.1; the baseline has 570.2" ],
 *     "suites": [ { "metric": "time", "shift": -0.003, "kernels": 62, "same_code": false, "moved": false } ],
 *     "failures": [ { "kernel": ..., "status": "crashed", "reason": ... } ],
 *     "judgements": [ { "kernel": ..., "metric": ..., "unit": ..., "class": ..., "verdict": ..., "base": 18700,
 *                       "now": 22100, "change": 3400, "limit": 935, "reason": null,
 *                       "drift": -56,             part of the change that the whole suite made
 *                       "detectable": 1400,       the smallest change that is caught in 99 of 100 cases
 *                       "same_code": false,       the machine code is that of the baseline, launched in the same way
 *                       "blind": false,           it can hardly fail
 *                       "base_sessions": 12, "run_sessions": 2, "agree": 2,    of the run's, so many beyond the limit
 *                       "pairs": 14, "pairs_worse": 13,                        against a base library
 *                       "launch_change": "block 256x1x1 -> 32x1x1",            of a worse row, where there is one
 *                       "story": "excess_wavefronts", "advice": ...,           what its lines have more of
 *                       "causes": [ { "file": "kernels/reduce.cu", "line": 41,     null without line information
 *                                     "function": ..., "offset": 416, "text": ...,
 *                                     "base": 0,          null where there was nothing to compare with
 *                                     "now": 6938624, "share": 0.98,           of the kernel's now
 *                                     "stall": null } ] } ] }    why warps wait there: the reason that grew most
 *
 * The first two lines and the end stay as they are: ci/check.sh reads them as text.
 *
 * Judgements are worst first. What has no value is null: never 0. "counts", "same_code" and "blind" are null when
 * nothing was judged. The shift of a suite is null when too few kernels know it. */
#include "report_words.h"

#include "base/base.h"

#include <math.h>
#include <stdlib.h>

#define REPORT_SCHEMA 1

/* What is not plain ASCII goes as \u: a kernel library may give any bytes as a reason, and someone may look at the
 * report on a terminal. By hand and not by Jansson, since a report may have 10,000 rows. */
static void put_text(FILE *stream, const char *text)
{
    if (!text) {
        fputs("null", stream);
        return;
    }
    fputc('"', stream);
    while (*text) {
        const unsigned character = text_next(&text);
        if (character == '"' || character == '\\')
            fprintf(stream, "\\%c", (char)character);
        else if (character >= 0x20 && character < 0x7f)
            fputc((int)character, stream);
        else if (character < 0x10000)
            fprintf(stream, "\\u%04x", character);
        else
            fprintf(stream, "\\u%04x\\u%04x", 0xd800 + ((character - 0x10000) >> 10), 0xdc00 + (character & 0x3ff));
    }
    fputc('"', stream);
}

static void put_text_member(FILE *stream, const char *before, const char *text)
{
    fputs(before, stream);
    put_text(stream, text);
}

static void put_number(FILE *stream, const char *before, bool has, double value)
{
    if (!has || !isfinite(value))
        fprintf(stream, "%snull", before);
    else if (fabs(value) < 0x1p53 && rint(value) == value)
        fprintf(stream, "%s%lld", before, (long long)value);
    else
        fprintf(stream, "%s%.15g", before, value);
}

static void put_flag(FILE *stream, const char *before, bool flag)
{
    fprintf(stream, "%s%s", before, flag ? "true" : "false");
}

/* What stands behind the verdict; there is none of it for a whole kernel. */
static void put_evidence(FILE *stream, const struct judgement *judgement)
{
    const bool gated = judgement->compared && judgement->verdict != VERDICT_INFO;
    put_number(stream, ", \"drift\": ", gated, judgement->drift);
    put_number(stream, ", \"detectable\": ", gated, judgement->detectable);
    put_flag(stream, ", \"same_code\": ", judgement->same_code);
    put_flag(stream, ", \"blind\": ", judgement->blind);
    fprintf(
        stream, ", \"base_sessions\": %zu, \"run_sessions\": %zu, \"agree\": %zu, \"pairs\": %zu, \"pairs_worse\": %zu",
        judgement->base_sessions, judgement->run_sessions, judgement->agree, judgement->pairs, judgement->pairs_worse);
}

static void put_cause(FILE *stream, const struct cause *cause)
{
    const struct line *line = cause->line;
    put_text_member(stream, "{\"file\": ", line->file);
    put_number(stream, ", \"line\": ", line->file, line->number);
    put_text_member(stream, ", \"function\": ", line->function);
    put_number(stream, ", \"offset\": ", true, line->offset);
    put_text_member(stream, ", \"text\": ", line->text);
    put_number(stream, ", \"base\": ", cause->has_base, round_value(cause->base_amount));
    put_number(stream, ", \"now\": ", true, round_value(cause->amount));
    put_number(stream, ", \"share\": ", true, round_value(cause->share));
    put_text_member(stream, ", \"stall\": ", cause->stall);
    fputc('}', stream);
}

static void put_blame(FILE *stream, const struct blame *blame)
{
    put_text_member(stream, ", \"launch_change\": ", blame->launch_change);
    put_text_member(stream, ", \"story\": ", blame->story ? blame->story->name : NULL);
    char *advice = blame->story ? words_advice(blame) : NULL;
    put_text_member(stream, ", \"advice\": ", advice);
    free(advice);
    fputs(", \"causes\": [", stream);
    for (size_t i = 0; i < blame->count; i++) {
        fputs(i ? ", " : "", stream);
        put_cause(stream, &blame->causes[i]);
    }
    fputc(']', stream);
}

static void put_judgement(FILE *stream, const struct judgement *judgement, const struct blame *blame)
{
    const struct metric *metric = judgement->metric;
    put_text_member(stream, "{\"kernel\": ", judgement->kernel);
    put_text_member(stream, ", \"metric\": ", metric ? metric->name : NULL);
    put_text_member(stream, ", \"unit\": ", metric ? metric->unit : NULL);
    put_text_member(stream, ", \"class\": ", metric ? metric_class_name(metric->class) : NULL);
    put_text_member(stream, ", \"verdict\": ", verdict_name(judgement->verdict));
    put_number(stream, ", \"base\": ", judgement->has_base, judgement->base);
    put_number(stream, ", \"now\": ", judgement->has_now, judgement->now);
    put_number(stream, ", \"change\": ", judgement->compared, judgement->change);
    put_number(stream, ", \"limit\": ", judgement->compared && judgement->verdict != VERDICT_INFO, judgement->limit);
    put_text_member(stream, ", \"reason\": ", judgement->reason);
    put_evidence(stream, judgement);
    put_blame(stream, blame);
    fputc('}', stream);
}

static void put_counts(FILE *stream, const struct comparison *comparison)
{
    if (!comparison) {
        fputs(" \"counts\": null,\n \"same_code\": null,\n \"blind\": null,\n", stream);
        return;
    }
    fprintf(stream, " \"counts\": {\"kernels\": %zu", comparison->kernels);
    for (enum verdict verdict = 0; verdict < VERDICTS; verdict++)
        fprintf(stream, ", \"%s\": %zu", verdict_name(verdict), comparison->counts[verdict]);
    fprintf(stream, "},\n \"same_code\": %zu,\n \"blind\": %zu,\n", comparison->same_code, comparison->blind);
}

static void put_suites(FILE *stream, const struct comparison *comparison)
{
    fputs(" \"suites\": [", stream);
    for (size_t i = 0; comparison && i < comparison->suite_count; i++) {
        const struct suite *suite = &comparison->suites[i];
        put_text_member(stream, i ? ",\n  {\"metric\": " : "\n  {\"metric\": ", suite->metric->name);
        put_number(stream, ", \"shift\": ", suite->kernels >= RULE_DRIFT, suite->shift);
        fprintf(stream, ", \"kernels\": %zu", suite->kernels);
        put_flag(stream, ", \"same_code\": ", suite->same_code);
        put_flag(stream, ", \"moved\": ", suite->moved);
        fputc('}', stream);
    }
    fputs("],\n", stream);
}

static void put_device(FILE *stream, const struct device *device)
{
    put_text_member(stream, " \"device\": {\"name\": ", device->name);
    put_text_member(stream, ", \"compute_capability\": ", device->compute_capability);
    fprintf(stream, ", \"sm_count\": %lld, \"memory_bytes\": %lld, \"ecc\": %s, \"mig\": %s},\n", device->sm_count,
            device->memory_bytes, device->ecc ? "true" : "false", device->mig ? "true" : "false");
}

static void put_sessions(FILE *stream, const struct run *run)
{
    fputs(" \"sessions\": [", stream);
    for (size_t i = 0; i < run->session_count; i++) {
        fputs(i ? ",\n  {" : "\n  {", stream);
        for (enum session_fact fact = 0; fact < SESSION_FACTS; fact++) {
            fprintf(stream, "%s\"%s\": ", fact ? ", " : "", session_fact_name(fact));
            put_text(stream, run->sessions[i].facts[fact]);
        }
        fputc('}', stream);
    }
    fputs("],\n", stream);
}

static void put_failures(FILE *stream, const struct run *run)
{
    const char *before = "\n  {\"kernel\": ";
    fputs(" \"failures\": [", stream);
    for (size_t i = 0; i < run->result_count; i++) {
        const struct result *result = &run->results[i];
        if (result->status == RESULT_OK)
            continue;
        put_text_member(stream, before, result->id);
        put_text_member(stream, ", \"status\": ", result_status_name(result->status));
        put_text_member(stream, ", \"reason\": ", result->reason);
        fputc('}', stream);
        before = ",\n  {\"kernel\": ";
    }
    fputs("],\n", stream);
}

int report_json(const struct report *report, FILE *stream)
{
    const struct comparison *comparison = report->comparison;
    fprintf(stream, "{\"schema\": %d,\n \"exit_code\": %d,\n", REPORT_SCHEMA, (int)report->exit_code);
    put_text_member(stream, " \"verdict\": ", exit_code_name(report->exit_code));
    put_text_member(stream, ",\n \"replay\": ", report->replay ? report->run_name : NULL);
    put_flag(stream, ",\n \"static\": ", report->static_only);
    fputs(",\n", stream);
    put_counts(stream, comparison);
    put_device(stream, &report->run->device);
    put_sessions(stream, report->run);
    fputs(" \"notes\": [", stream);
    for (size_t i = 0; comparison && i < comparison->note_count; i++)
        put_text_member(stream, i ? ",\n  " : "\n  ", comparison->notes[i]);
    fputs("],\n", stream);
    put_suites(stream, comparison);
    put_failures(stream, report->run);
    fputs(" \"judgements\": [", stream);
    for (size_t i = 0; comparison && i < comparison->count; i++) {
        fputs(i ? ",\n  " : "\n  ", stream);
        put_judgement(stream, &comparison->list[i], diagnosis_of(report->diagnosis, &comparison->list[i]));
    }
    fputs("]}\n", stream);
    return fflush(stream) != 0 || ferror(stream) ? -1 : 0;
}
