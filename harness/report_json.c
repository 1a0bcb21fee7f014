/* The report as JSON, schema 1:
 *
 *   { "schema": 1, "exit_code": 1, "verdict": "regressed", "replay": "run.json",
 *     "counts": { "kernels": 65, "missing": 0, "regressed": 1, ... },
 *     "device": { "name": ..., "compute_capability": ..., "sm_count": ..., "memory_bytes": ..., "ecc": ..., ... },
 *     "notes": [ "driver 580.1; the baseline has 570.2" ],
 *     "failures": [ { "kernel": ..., "status": "crashed", "reason": ... } ],
 *     "judgements": [ { "kernel": ..., "metric": ..., "unit": ..., "class": ..., "verdict": ..., "base": 18700,
 *                       "now": 22100, "change": 3400, "limit": 935, "reason": null } ] }
 *
 * Judgements are worst first. What has no value is null: never 0. "counts" is null when nothing was judged. */
#include "report.h"

#include "exit_code.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define REPORT_SCHEMA 1

/* Anything that needs escapes goes through Jansson. A kernel library may give any bytes as a reason; JSON is UTF-8. */
static void put_odd_text(FILE *stream, const char *text)
{
    json_t *string = json_string(text);
    if (!string) {
        char *plain = x_strdup(text);
        for (char *c = plain; *c; c++)
            if (*c & 0x80)
                *c = '?';
        string = json_string(plain);
        free(plain);
    }
    if (!string || json_dumpf(string, stream, JSON_ENCODE_ANY) < 0)
        fputs("null", stream);
    json_decref(string);
}

/* By hand and not by Jansson for what is plain: a report may have 10,000 rows. */
static void put_text(FILE *stream, const char *text)
{
    bool plain = true;
    for (const char *c = text; c && *c; c++)
        plain &= *c >= 0x20 && *c < 0x7f && *c != '"' && *c != '\\';
    if (!text)
        fputs("null", stream);
    else if (plain)
        fprintf(stream, "\"%s\"", text);
    else
        put_odd_text(stream, text);
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

static void put_judgement(FILE *stream, const struct judgement *judgement)
{
    const struct metric *metric = judgement->metric;
    bool comparable = judgement->has_base && judgement->has_now && !judgement->reason;
    put_text_member(stream, "{\"kernel\": ", judgement->kernel);
    put_text_member(stream, ", \"metric\": ", metric ? metric->name : NULL);
    put_text_member(stream, ", \"unit\": ", metric ? metric->unit : NULL);
    put_text_member(stream, ", \"class\": ", metric ? metric_class_name(metric->class) : NULL);
    put_text_member(stream, ", \"verdict\": ", verdict_name(judgement->verdict));
    put_number(stream, ", \"base\": ", judgement->has_base, judgement->base);
    put_number(stream, ", \"now\": ", judgement->has_now, judgement->now);
    put_number(stream, ", \"change\": ", comparable, judgement->change);
    put_number(stream, ", \"limit\": ", comparable && judgement->verdict != VERDICT_INFO, judgement->limit);
    put_text_member(stream, ", \"reason\": ", judgement->reason);
    fputc('}', stream);
}

static void put_counts(FILE *stream, const struct comparison *comparison)
{
    if (!comparison) {
        fputs(" \"counts\": null,\n", stream);
        return;
    }
    fprintf(stream, " \"counts\": {\"kernels\": %zu", comparison->kernels);
    for (enum verdict verdict = 0; verdict < VERDICTS; verdict++)
        fprintf(stream, ", \"%s\": %zu", verdict_name(verdict), comparison->counts[verdict]);
    fputs("},\n", stream);
}

static void put_device(FILE *stream, const struct device *device)
{
    put_text_member(stream, " \"device\": {\"name\": ", device->name);
    put_text_member(stream, ", \"compute_capability\": ", device->compute_capability);
    fprintf(stream, ", \"sm_count\": %lld, \"memory_bytes\": %lld, \"ecc\": %s, \"mig\": %s},\n", device->sm_count,
            device->memory_bytes, device->ecc ? "true" : "false", device->mig ? "true" : "false");
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
    fputs(",\n", stream);
    put_counts(stream, comparison);
    put_device(stream, &report->run->device);
    fputs(" \"notes\": [", stream);
    for (size_t i = 0; comparison && i < comparison->note_count; i++)
        put_text_member(stream, i ? ",\n  " : "\n  ", comparison->notes[i]);
    fputs("],\n", stream);
    put_failures(stream, report->run);
    fputs(" \"judgements\": [", stream);
    for (size_t i = 0; comparison && i < comparison->count; i++) {
        fputs(i ? ",\n  " : "\n  ", stream);
        put_judgement(stream, &comparison->list[i]);
    }
    fputs("]}\n", stream);
    return fflush(stream) != 0 || ferror(stream) ? -1 : 0;
}
