/* The report as JSON, schema 1: schema/check.schema.json says what each key is. Later versions add keys, but change and
 * remove none within a schema. What has no value is null: never 0. */
#include "words.h"

#define REPORT_SCHEMA 1

/* Writes the evidence of a verdict. A verdict on a whole kernel has none. */
static void put_evidence(struct json_writer *json, const struct judgement *judgement)
{
    const bool gated = judgement->compared && judgement->verdict != VERDICT_INFO;
    json_put(json, JSON_KNOWN("drift", gated, judgement->drift), JSON_KNOWN("detectable", gated, judgement->detectable),
             JSON_FLAG("same_code", judgement->same_code), JSON_FLAG("blind", judgement->blind),
             JSON_COUNT("base_sessions", judgement->base_sessions), JSON_COUNT("run_sessions", judgement->run_sessions),
             JSON_COUNT("agree", judgement->agree), JSON_COUNT("pairs", judgement->pairs),
             JSON_COUNT("pairs_worse", judgement->pairs_worse));
}

static void put_hotspot(struct json_writer *json, const struct hotspot *hotspot)
{
    const struct profile_line *line = hotspot->line;
    json_put_object(json, NULL, JSON_IN_LINE, JSON_TEXT("file", line->file),
                    JSON_KNOWN("line", line->file, line->number), JSON_TEXT("function", line->function),
                    JSON_COUNT("offset", line->offset), JSON_TEXT("text", line->text),
                    JSON_KNOWN("base", hotspot->has_base, round_value(hotspot->base_amount)),
                    JSON_NUMBER("now", round_value(hotspot->amount)), JSON_NUMBER("share", round_value(hotspot->share)),
                    JSON_TEXT("stall", hotspot->stall));
}

static void put_blame(struct json_writer *json, const struct blame *blame)
{
    OWNED_TEXT advice = blame->pattern ? words_advice(blame) : NULL;
    json_put(json, JSON_TEXT("launch_change", blame->launch_change), JSON_TEXT("appeared", blame->appeared),
             JSON_TEXT("story", blame->pattern ? blame->pattern->name : NULL), JSON_TEXT("advice", advice));
    json_open(json, "causes", '[', JSON_IN_LINE);
    for (size_t i = 0; i < blame->count; i++)
        put_hotspot(json, &blame->hotspots[i]);
    json_close(json);
}

static void put_judgement(struct json_writer *json, const struct report *report, const struct judgement *judgement)
{
    const struct metric *metric = judgement->metric;
    const bool gated = judgement->compared && judgement->verdict != VERDICT_INFO;
    json_open(json, NULL, '{', JSON_IN_LINE);
    json_put(json, JSON_TEXT("kernel", judgement->kernel), JSON_TEXT("metric", metric ? metric->name : NULL),
             JSON_TEXT("unit", metric ? metric->unit : NULL),
             JSON_TEXT("class", metric ? metric_class_name(metric->class) : NULL),
             JSON_TEXT("verdict", verdict_name(judgement->verdict)),
             JSON_KNOWN("base", judgement->has_base, judgement->base),
             JSON_KNOWN("now", judgement->has_now, judgement->now),
             JSON_KNOWN("change", judgement->compared, judgement->change), JSON_KNOWN("limit", gated, judgement->limit),
             JSON_TEXT("reason", judgement->reason), JSON_TEXT("shown", words_verdict_on(judgement)),
             JSON_TEXT("kernel_verdict", verdict_name(judgement->of_kernel)),
             JSON_TEXT("launched_by", caller_of(report, judgement->kernel)));
    put_evidence(json, judgement);
    put_blame(json, diagnosis_of(report->diagnosis, judgement));
    json_close(json);
}

static void put_counts(struct json_writer *json, const struct comparison *comparison)
{
    if (!comparison) {
        json_put(json, JSON_TEXT("counts", NULL), JSON_TEXT("same_code", NULL), JSON_TEXT("blind", NULL),
                 JSON_TEXT("gone", NULL));
        return;
    }
    json_open(json, "counts", '{', JSON_IN_LINE);
    json_put_count(json, "kernels", comparison->kernels);
    for (enum verdict verdict = 0; verdict < VERDICTS; verdict++)
        json_put_count(json, verdict_name(verdict), comparison->counts[verdict]);
    json_close(json);
    json_put(json, JSON_COUNT("same_code", comparison->same_code), JSON_COUNT("blind", comparison->blind),
             JSON_COUNT("gone", comparison->gone));
}

static void put_proved(struct json_writer *json, const struct run *run)
{
    double blocks = 0, executed = 0;
    for (size_t i = 0; i < run->result_count; i++) {
        blocks += run->results[i].blocks;
        executed += run->results[i].blocks_executed;
    }
    json_put(json, JSON_NUMBER("blocks", blocks), JSON_NUMBER("blocks_executed", executed));
    json_open(json, "not_proved", '[', JSON_IN_LINE);
    for (size_t i = 0; i < run->result_count; i++)
        if (run->results[i].not_proved)
            json_put_object(json, NULL, JSON_IN_LINE, JSON_TEXT("kernel", run->results[i].id),
                            JSON_TEXT("why", run->results[i].not_proved));
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
    json_put(json, JSON_COUNT("rows", computing->rows), JSON_COUNT("kernels", computing->kernels),
             JSON_COUNT("unchanged", computing->unchanged), JSON_COUNT("unchanged_rows", computing->unchanged_rows),
             JSON_COUNT("not_simulated", computing->not_simulated), JSON_COUNT("declared", computing->declared),
             JSON_COUNT("absent", computing->absent));
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
        json_put(json, JSON_TEXT("metric", suite->metric->name),
                 JSON_KNOWN("shift", suite->kernels >= RULE_DRIFT, suite->shift), JSON_COUNT("kernels", suite->kernels),
                 JSON_FLAG("same_code", suite->same_code), JSON_FLAG("moved", suite->moved));
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
    json_put(json, JSON_TEXT("name", device->name), JSON_TEXT("compute_capability", device->compute_capability),
             JSON_COUNT("sm_count", (size_t)device->sm_count),
             JSON_COUNT("memory_bytes", (size_t)device->memory_bytes));
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
    OWNED(upgrade) upgrade = {0};
    if (report->comparison)
        upgrade_make(&upgrade, report->comparison, report->baseline, report->run);
    if (upgrade.count == 0) {
        json_put_null(json, "upgrade");
        return;
    }
    json_open(json, "upgrade", '{', JSON_LINES);
    json_put(json, JSON_TEXT("was", upgrade.was), JSON_TEXT("is", upgrade.is), JSON_COUNT("same", upgrade.same));
    json_open(json, "kernels", '[', JSON_LINES);
    for (const struct upgraded *kernel = upgrade.list; kernel < upgrade.list + upgrade.count; kernel++)
        json_put_object(json, NULL, JSON_IN_LINE, JSON_TEXT("kernel", kernel->kernel),
                        JSON_TEXT("class", upgrade_class_name(kernel->class)),
                        JSON_KNOWN("lost", kernel->time, round_value(kernel->lost)),
                        JSON_TEXT("change", kernel->change));
    json_close(json);
    json_open(json, "libraries", '[', JSON_LINES);
    for (const struct upgrade_part *part = upgrade.parts; part < upgrade.parts + upgrade.part_count; part++)
        json_put_object(json, NULL, JSON_IN_LINE, JSON_TEXT("library", *part->library ? part->library : NULL),
                        JSON_NUMBER("lost", round_value(part->lost)));
    json_close(json);
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
        const bool any = ANY(i, report->certificate_count, report->certificates[i].rows[rule].outcome == outcome);
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
    const struct referee_result *refereed = referee->refereed;
    const bool within = refereed && refereed->tolerance > 0;
    json_put(json, JSON_TEXT("outcome", refereed ? certificate_outcome_name(refereed->outcome) : "not judged"),
             JSON_NUMBER("score", refereed ? refereed->score : 0));
    put_reasons(json, report);
    json_put_text(json, "reason", referee->reason);
    json_put_object(json, "task", JSON_IN_LINE, JSON_TEXT("path", request->task),
                    JSON_TEXT("xxh3", referee->task_hash));
    json_put_object(json, "code", JSON_IN_LINE, JSON_TEXT("path", request->swap.code),
                    JSON_TEXT("xxh3", referee->code_hash));
    json_put_count(json, "seed", (unsigned long long)request->seed);
    json_open(json, "settings", '{', JSON_IN_LINE);
    json_put(json, JSON_COUNT("draws", request->draws),
             JSON_KNOWN("tolerance", within, within ? refereed->tolerance : 0),
             JSON_TEXT("type", within ? refereed->type : NULL));
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
    EACH(const struct certificate, certificate, report->certificates, report->certificate_count) {
        json_open(json, NULL, '{', JSON_LINES);
        json_put(json, JSON_TEXT("kernel", certificate->kernel),
                 JSON_TEXT("outcome", certificate_outcome_name(certificate_worst(certificate))));
        for (size_t k = 0; k < CERTIFICATE_RULES; k++) {
            const struct certificate_row *row = &certificate->rows[k];
            json_put_object(json, certificate_rule_name((enum certificate_rule)k), JSON_IN_LINE,
                            JSON_TEXT("outcome", certificate_outcome_name(row->outcome)),
                            JSON_TEXT("words", row->words));
        }
        json_open(json, "arguments", '[', JSON_LINES);
        EACH(const struct certificate_input, input, certificate->inputs, certificate->input_count) {
            OWNED_TEXT words = certificate_input_words(input);
            json_put_object(json, NULL, JSON_IN_LINE, JSON_KNOWN("argument", input->argument > 0, input->argument),
                            JSON_COUNT("bytes", input->bytes), JSON_FLAG("moves", input->moves),
                            JSON_TEXT("kept", input->kept), JSON_TEXT("value", *input->value ? input->value : NULL),
                            JSON_TEXT("size", *input->size ? input->size : NULL),
                            JSON_TEXT("parts", *input->parts ? input->parts : NULL), JSON_TEXT("words", words));
        }
        json_close(json);
        json_close(json);
    }
    json_close(json);
}

static void put_failures(struct json_writer *json, const struct run *run)
{
    json_open(json, "failures", '[', JSON_LINES);
    for (const struct result *result = run->results; result < run->results + run->result_count; result++)
        if (result->status != RESULT_OK)
            json_put_object(json, NULL, JSON_IN_LINE, JSON_TEXT("kernel", result->id),
                            JSON_TEXT("status", result_status_name(result->status)),
                            JSON_TEXT("reason", result->reason));
    json_close(json);
}

void report_json(const struct report *report, FILE *stream)
{
    const struct comparison *comparison = report->comparison;
    struct json_writer json = {.stream = stream, .one_line = report->candidate, JSON_DOCUMENT};
    json_open(&json, NULL, '{', JSON_LINES);
    json_put(&json, JSON_COUNT("schema", REPORT_SCHEMA), JSON_COUNT("exit_code", report->exit_code),
             JSON_TEXT("verdict", exit_code_name(report->exit_code)));
    json_put_if(&json, "candidate", report->candidate);
    json_put(&json, JSON_TEXT("replay", report->replay ? report->run_name : NULL),
             JSON_FLAG("static", run_origin(report->run)->code_only));
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
}
