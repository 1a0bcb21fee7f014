/* The report as JSON, schema 1. Later versions add keys, but change and remove none within a schema:
 *
 *   { "schema": 1, "exit_code": 1, "verdict": "regressed",
 *     "replay": "run.json",         the file that the run was read from, when nothing was measured; else null
 *     "static": false,              true: only machine code was read
 *     "counts": { "kernels": 65, "missing": 0, "regressed": 1, ... },    judgements by verdict
 *     "same_code": 2,               rows that moved although the machine code is the same: noise
 *     "blind": 1,                   rows that passed by a limit of more than a quarter of their value
 *     "computed": { "rows": 14, "kernels": 1,    of a computed run: counts that were computed and judged, and of how
 *                   "unchanged": 59,             many kernels; kernels of the baseline's machine code, launches and
 *                   "unchanged_rows": 708,       inputs, and their rows, which were not computed again nor judged;
 *                   "not_simulated": 0,          kernels that could not be executed; how many of them are declared in
 *                   "declared": 0,               expected.ini, and so do not fail; rows of the baseline that computing
 *                   "absent": 612,               cannot know; blocks of kernels of which others were executed, by which
 *                   "blocks": 16384,             it is proved what all count; and kernels of which that is not proved,
 *                   "blocks_executed": 16,       so that all were executed. Null where the run was measured
 *                   "not_proved": [ { "kernel": ..., "why": ... } ] },
 *     "device": { "name": ..., "compute_capability": ..., "sm_count": ..., "memory_bytes": ..., "ecc": ..., ... },
 *     "sessions": [ { "date": "2026-11-21T08:00:00.000Z", "collector": ..., "driver": ..., "cuda": ...,
 *                     "gpu_uuid": ..., ... } ],    those of the run that was judged, each with every fact of session.h
 *     "notes": [ "driver 580.1; the baseline has 570.2" ],
 *     "suites": [ { "metric": "time", "shift": -0.003, "kernels": 62, "same_code": false, "moved": false } ],
 *     "upgrade": { "was": "nvcc 13.0.88", "is": "nvcc 13.5.37", "same": 20,    null: one made both sides
 *                  "kernels": [ { "kernel": ..., "class": "other instructions",    of other code, most lost time first
 *                                 "lost": 1200, "change": "registers 18 -> 22" } ],
 *                  "libraries": [ { "library": "libcublasLt.so.13", "lost": 1200 } ] },    null: of no known one
 *     "outcome": "refused", "score": 0,    of a referee alone, as what follows. Score: how many times as fast as the
 *     "reasons": [ "result refused" ],     reference, the geometric mean of the kernels; 0 unless it passed, null where
 *     "reason": null,                      a time is not known. reason: why it was not judged
 *     "task": { "path": ..., "xxh3": ... }, "code": { "path": ..., "xxh3": ... },
 *     "seed": 7, "settings": { "draws": 2, "tolerance": 1e-05, "type": "f32", "keep": [ 3 ], "allow": [ "tensor" ] },
 *     "certificates": [ { "kernel": ..., "outcome": "refused",    of a referee alone; for each rule of certificate.h
 *                         "result": { "outcome": ..., "words": ... }, ... } ],
 *     "failures": [ { "kernel": ..., "status": "crashed", "reason": ... } ],
 *     "judgements": [ { "kernel": ..., "metric": ..., "unit": ..., "class": ..., "verdict": ..., "base": 18700,
 *                       "now": 22100, "change": 3400, "limit": 935, "reason": null,
 *                       "shown": "regressed",     the verdict as the text has it: "wrong" and "gone" too
 *                       "drift": -56,             part of the change that the whole suite made
 *                       "detectable": 1400,       the smallest change that is caught in 99 of 100 cases
 *                       "same_code": false,       the machine code is that of the baseline, launched in the same way
 *                       "blind": false,           it can hardly fail
 *                       "base_sessions": 12, "run_sessions": 2, "agree": 2,    of the run's, so many beyond the limit
 *                       "pairs": 14, "pairs_worse": 13,                        against a base library
 *                       "launch_change": "block 256x1x1 -> 32x1x1",            of a worse row, where there is one
 *                       "appeared": "fp64_arithmetic 0 -> 2.10 M (...)",       what the kernel had nothing of before
 *                       "story": "excess_wavefronts", "advice": ...,           what its lines have more of
 *                       "causes": [ { "file": "kernels/reduce.cu", "line": 41,     null without line information
 *                                     "function": ..., "offset": 416, "text": ...,
 *                                     "base": 0,          null where there was nothing to compare with
 *                                     "now": 6938624, "share": 0.98,           of the kernel's now
 *                                     "stall": null } ] } ] }    why warps wait there: the reason that grew most
 *
 * Judgements are worst first. What has no value is null: never 0. "counts", "same_code" and "blind" are null when
 * nothing was judged. The shift of a suite is null when too few kernels know it. */
#include "words.h"

#define REPORT_SCHEMA 1

/* Writes the evidence of a verdict. A verdict on a whole kernel has none. */
static void put_evidence(struct json_writer *json, const struct judgement *judgement)
{
    const bool gated = judgement->compared && judgement->verdict != VERDICT_INFO;
    json_put_known(json, "drift", gated, judgement->drift);
    json_put_known(json, "detectable", gated, judgement->detectable);
    json_put_flag(json, "same_code", judgement->same_code);
    json_put_flag(json, "blind", judgement->blind);
    json_put_count(json, "base_sessions", judgement->base_sessions);
    json_put_count(json, "run_sessions", judgement->run_sessions);
    json_put_count(json, "agree", judgement->agree);
    json_put_count(json, "pairs", judgement->pairs);
    json_put_count(json, "pairs_worse", judgement->pairs_worse);
}

static void put_hotspot(struct json_writer *json, const struct hotspot *hotspot)
{
    const struct profile_line *line = hotspot->line;
    json_open(json, NULL, '{', JSON_IN_LINE);
    json_put_text(json, "file", line->file);
    json_put_known(json, "line", line->file, line->number);
    json_put_text(json, "function", line->function);
    json_put_count(json, "offset", line->offset);
    json_put_text(json, "text", line->text);
    json_put_known(json, "base", hotspot->has_base, round_value(hotspot->base_amount));
    json_put_number(json, "now", round_value(hotspot->amount));
    json_put_number(json, "share", round_value(hotspot->share));
    json_put_text(json, "stall", hotspot->stall);
    json_close(json);
}

static void put_blame(struct json_writer *json, const struct blame *blame)
{
    OWNED_TEXT advice = blame->pattern ? words_advice(blame) : NULL;
    json_put_text(json, "launch_change", blame->launch_change);
    json_put_text(json, "appeared", blame->appeared);
    json_put_text(json, "story", blame->pattern ? blame->pattern->name : NULL);
    json_put_text(json, "advice", advice);
    json_open(json, "causes", '[', JSON_IN_LINE);
    for (size_t i = 0; i < blame->count; i++)
        put_hotspot(json, &blame->hotspots[i]);
    json_close(json);
}

static void put_judgement(struct json_writer *json, const struct report *report, const struct judgement *judgement)
{
    const struct blame *blame = diagnosis_of(report->diagnosis, judgement);
    const struct metric *metric = judgement->metric;
    json_open(json, NULL, '{', JSON_IN_LINE);
    json_put_text(json, "kernel", judgement->kernel);
    json_put_text(json, "metric", metric ? metric->name : NULL);
    json_put_text(json, "unit", metric ? metric->unit : NULL);
    json_put_text(json, "class", metric ? metric_class_name(metric->class) : NULL);
    json_put_text(json, "verdict", verdict_name(judgement->verdict));
    json_put_known(json, "base", judgement->has_base, judgement->base);
    json_put_known(json, "now", judgement->has_now, judgement->now);
    json_put_known(json, "change", judgement->compared, judgement->change);
    json_put_known(json, "limit", judgement->compared && judgement->verdict != VERDICT_INFO, judgement->limit);
    json_put_text(json, "reason", judgement->reason);
    json_put_text(json, "shown", words_verdict_on(judgement));
    json_put_text(json, "kernel_verdict", verdict_name(judgement->of_kernel));
    json_put_text(json, "launched_by", caller_of(report, judgement->kernel));
    put_evidence(json, judgement);
    put_blame(json, blame);
    json_close(json);
}

static void put_counts(struct json_writer *json, const struct comparison *comparison)
{
    if (!comparison) {
        json_put_null(json, "counts");
        json_put_null(json, "same_code");
        json_put_null(json, "blind");
        json_put_null(json, "gone");
        return;
    }
    json_open(json, "counts", '{', JSON_IN_LINE);
    json_put_count(json, "kernels", comparison->kernels);
    for (enum verdict verdict = 0; verdict < VERDICTS; verdict++)
        json_put_count(json, verdict_name(verdict), comparison->counts[verdict]);
    json_close(json);
    json_put_count(json, "same_code", comparison->same_code);
    json_put_count(json, "blind", comparison->blind);
    json_put_count(json, "gone", comparison->gone);
}

static void put_proved(struct json_writer *json, const struct run *run)
{
    double blocks = 0, executed = 0;
    for (size_t i = 0; i < run->result_count; i++) {
        blocks += run->results[i].blocks;
        executed += run->results[i].blocks_executed;
    }
    json_put_count(json, "blocks", (size_t)blocks);
    json_put_count(json, "blocks_executed", (size_t)executed);
    json_open(json, "not_proved", '[', JSON_IN_LINE);
    for (size_t i = 0; i < run->result_count; i++) {
        if (!run->results[i].not_proved)
            continue;
        json_open(json, NULL, '{', JSON_IN_LINE);
        json_put_text(json, "kernel", run->results[i].id);
        json_put_text(json, "why", run->results[i].not_proved);
        json_close(json);
    }
    json_close(json);
}

static void put_computing(struct json_writer *json, const struct report *report)
{
    if (!report->comparison || !run_origin(report->run)->computed) {
        json_put_null(json, "computed");
        return;
    }
    const struct computing *computing = &report->comparison->computing;
    json_open(json, "computed", '{', JSON_IN_LINE);
    json_put_count(json, "rows", computing->rows);
    json_put_count(json, "kernels", computing->kernels);
    json_put_count(json, "unchanged", computing->unchanged);
    json_put_count(json, "unchanged_rows", computing->unchanged_rows);
    json_put_count(json, "not_simulated", computing->not_simulated);
    json_put_count(json, "declared", computing->declared);
    json_put_count(json, "absent", computing->absent);
    put_proved(json, report->run);
    json_close(json);
}

static void put_suites(struct json_writer *json, const struct comparison *comparison)
{
    json_open(json, "suites", '[', JSON_LINES);
    for (size_t i = 0; comparison && i < comparison->suite_count; i++) {
        const struct suite *suite = &comparison->suites[i];
        json_open(json, NULL, '{', JSON_IN_LINE);
        if (suite->one_of_several)
            json_put_text(json, "gpu_uuid", suite->gpu);
        json_put_text(json, "metric", suite->metric->name);
        json_put_known(json, "shift", suite->kernels >= RULE_DRIFT, suite->shift);
        json_put_count(json, "kernels", suite->kernels);
        json_put_flag(json, "same_code", suite->same_code);
        json_put_flag(json, "moved", suite->moved);
        json_close(json);
    }
    json_close(json);
}

static void put_flag(struct json_writer *json, const char *key, bool flag, bool unknown)
{
    if (unknown)
        json_put_null(json, key);
    else
        json_put_flag(json, key, flag);
}

static void put_device(struct json_writer *json, const struct device *device)
{
    json_open(json, "device", '{', JSON_IN_LINE);
    json_put_text(json, "name", device->name);
    json_put_text(json, "compute_capability", device->compute_capability);
    json_put_count(json, "sm_count", (unsigned long long)device->sm_count);
    json_put_count(json, "memory_bytes", (unsigned long long)device->memory_bytes);
    put_flag(json, "ecc", device->ecc, device->ecc_unknown);
    put_flag(json, "mig", device->mig, device->mig_unknown);
    json_close(json);
}

static void put_sessions(struct json_writer *json, const struct run *run)
{
    json_open(json, "sessions", '[', JSON_LINES);
    for (size_t i = 0; i < run->session_count; i++) {
        json_open(json, NULL, '{', JSON_IN_LINE);
        for (enum session_fact fact = 0; fact < SESSION_FACTS; fact++)
            json_put_text(json, session_fact_name(fact), run->sessions[i].facts[fact]);
        json_close(json);
    }
    json_close(json);
}

static void put_notes(struct json_writer *json, const struct comparison *comparison)
{
    json_open(json, "notes", '[', JSON_LINES);
    for (size_t i = 0; comparison && i < comparison->note_count; i++)
        json_put_text(json, NULL, comparison->notes[i]);
    json_close(json);
}

static void put_upgrade(struct json_writer *json, const struct report *report)
{
    struct upgrade upgrade = {0};
    if (report->comparison)
        upgrade_make(&upgrade, report->comparison, report->baseline, report->run);
    if (upgrade.count == 0) {
        json_put_null(json, "upgrade");
        return;
    }
    json_open(json, "upgrade", '{', JSON_LINES);
    json_put_text(json, "was", upgrade.was);
    json_put_text(json, "is", upgrade.is);
    json_put_count(json, "same", upgrade.same);
    json_open(json, "kernels", '[', JSON_LINES);
    for (size_t i = 0; i < upgrade.count; i++) {
        const struct upgraded *kernel = &upgrade.list[i];
        json_open(json, NULL, '{', JSON_IN_LINE);
        json_put_text(json, "kernel", kernel->kernel);
        json_put_text(json, "class", upgrade_class_name(kernel->class));
        json_put_known(json, "lost", kernel->time, round_value(kernel->lost));
        json_put_text(json, "change", kernel->change);
        json_close(json);
    }
    json_close(json);
    json_open(json, "libraries", '[', JSON_LINES);
    for (size_t i = 0; i < upgrade.part_count; i++) {
        json_open(json, NULL, '{', JSON_IN_LINE);
        json_put_text(json, "library", *upgrade.parts[i].library ? upgrade.parts[i].library : NULL);
        json_put_number(json, "lost", round_value(upgrade.parts[i].lost));
        json_close(json);
    }
    json_close(json);
    json_close(json);
    upgrade_release(&upgrade);
}

static void put_file(struct json_writer *json, const char *key, const char *path, const char *hash)
{
    json_open(json, key, '{', JSON_IN_LINE);
    json_put_text(json, "path", path);
    json_put_text(json, "xxh3", hash);
    json_close(json);
}

static bool is_of_memory(const char *reason)
{
    return reason && strstr(reason, MEMORY_TAKEN);
}

/* "memory" where a process took too much, and the rules that did not pass, each once. */
static void put_reasons(struct json_writer *json, const struct report *report)
{
    bool memory = is_of_memory(report->referee->reason);
    json_open(json, "reasons", '[', JSON_IN_LINE);
    for (size_t i = 0; i < report->run->result_count; i++)
        memory |= is_of_memory(report->run->results[i].reason);
    if (memory)
        json_put_text(json, NULL, "memory");
    for (unsigned k = 0; k < CERTIFICATE_RULES * (CERTIFICATE_REFUSED + 1); k++) {
        const enum certificate_rule rule = k % CERTIFICATE_RULES;
        const enum certificate_outcome outcome = CERTIFICATE_REFUSED - k / CERTIFICATE_RULES;
        char reason[64];
        bool any = false;
        for (size_t i = 0; i < report->certificate_count; i++)
            any |= report->certificates[i].rows[rule].outcome == outcome;
        snprintf(reason, sizeof reason, "%s %s", certificate_rule_name(rule), certificate_outcome_name(outcome));
        if (any && outcome != CERTIFICATE_PASSED)
            json_put_text(json, NULL, reason);
    }
    json_close(json);
}

static void put_refereed(struct json_writer *json, const struct report *report)
{
    const struct referee_report *referee = report->referee;
    if (!referee)
        return;
    const struct referee_request *request = referee->request;
    const struct refereed *refereed = referee->refereed;
    const bool within = refereed && refereed->tolerance > 0;
    json_put_text(json, "outcome", refereed ? certificate_outcome_name(refereed->outcome) : "not judged");
    json_put_number(json, "score", refereed ? refereed->score : 0);
    put_reasons(json, report);
    json_put_text(json, "reason", referee->reason);
    put_file(json, "task", request->task, referee->task_hash);
    put_file(json, "code", request->swap.code, referee->code_hash);
    json_put_count(json, "seed", (unsigned long long)request->seed);
    json_open(json, "settings", '{', JSON_IN_LINE);
    json_put_count(json, "draws", request->draws);
    json_put_known(json, "tolerance", within, within ? refereed->tolerance : 0);
    json_put_text(json, "type", within ? refereed->type : NULL);
    json_open(json, "keep", '[', JSON_IN_LINE);
    for (unsigned i = 0; i < 64; i++)
        if (request->keep >> i & 1)
            json_put_count(json, NULL, i + 1);
    json_close(json);
    json_open(json, "allow", '[', JSON_IN_LINE);
    for (unsigned i = 0; i < CERTIFICATE_ALLOWS; i++)
        if (request->allowed >> i & 1)
            json_put_text(json, NULL, certificate_allow_name(i));
    json_close(json);
    json_close(json);
}

static void put_certificates(struct json_writer *json, const struct report *report)
{
    if (!report->certificates)
        return;
    json_open(json, "certificates", '[', JSON_LINES);
    for (size_t i = 0; i < report->certificate_count; i++) {
        const struct certificate *certificate = &report->certificates[i];
        json_open(json, NULL, '{', JSON_LINES);
        json_put_text(json, "kernel", certificate->kernel);
        json_put_text(json, "outcome", certificate_outcome_name(certificate_worst(certificate)));
        for (size_t k = 0; k < CERTIFICATE_RULES; k++) {
            const struct certificate_row *row = &certificate->rows[k];
            json_open(json, certificate_rule_name((enum certificate_rule)k), '{', JSON_IN_LINE);
            json_put_text(json, "outcome", certificate_outcome_name(row->outcome));
            json_put_text(json, "words", row->words);
            json_close(json);
        }
        json_close(json);
    }
    json_close(json);
}

static void put_failures(struct json_writer *json, const struct run *run)
{
    json_open(json, "failures", '[', JSON_LINES);
    for (size_t i = 0; i < run->result_count; i++) {
        const struct result *result = &run->results[i];
        if (result->status == RESULT_OK)
            continue;
        json_open(json, NULL, '{', JSON_IN_LINE);
        json_put_text(json, "kernel", result->id);
        json_put_text(json, "status", result_status_name(result->status));
        json_put_text(json, "reason", result->reason);
        json_close(json);
    }
    json_close(json);
}

int report_json(const struct report *report, FILE *stream)
{
    const struct comparison *comparison = report->comparison;
    struct json_writer json = {.stream = stream, .one_line = report->candidate, JSON_DOCUMENT};
    json_open(&json, NULL, '{', JSON_LINES);
    json_put_count(&json, "schema", REPORT_SCHEMA);
    json_put_count(&json, "exit_code", report->exit_code);
    json_put_text(&json, "verdict", exit_code_name(report->exit_code));
    json_put_if(&json, "candidate", report->candidate);
    json_put_text(&json, "replay", report->replay ? report->run_name : NULL);
    json_put_flag(&json, "static", run_origin(report->run)->code_only);
    put_counts(&json, comparison);
    put_computing(&json, report);
    put_device(&json, &report->run->device);
    put_sessions(&json, report->run);
    put_notes(&json, comparison);
    put_suites(&json, comparison);
    put_upgrade(&json, report);
    put_refereed(&json, report);
    put_certificates(&json, report);
    put_failures(&json, report->run);
    json_open(&json, "judgements", '[', JSON_LINES);
    for (size_t i = 0; comparison && i < comparison->count; i++)
        put_judgement(&json, report, &comparison->list[i]);
    json_close(&json);
    json_close(&json);
    fputc('\n', stream);
    return fflush(stream) != 0 || ferror(stream) ? -1 : 0;
}
