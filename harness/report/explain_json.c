/* An explanation as JSON, schema 1: schema/explain.schema.json says what each key is. Several kernels are a JSON text
 * each, one after the other. Later versions add keys, but change and remove none within a schema. What is not known is
 * null, never 0. Patterns are called stories. */
#include "explain_words.h"

#define EXPLAIN_SCHEMA 1

static const char *const kind_names[] = {[EXPLAINED_TIME] = "time",
                                         [EXPLAINED_ESTIMATED] = "time",
                                         [EXPLAINED_FAULT] = "fault",
                                         [EXPLAINED_PLAIN] = "plain"};

/* Whole numbers unchanged and others with 9 digits, as in run files. */
#define ROUNDED(name, value) JSON_NUMBER(name, round_value(value))

static void put_session(struct json_writer *json, const struct run *run)
{
    static const enum session_fact facts[] = {SESSION_DATE, SESSION_COLLECTOR, SESSION_DRIVER, SESSION_CUDA};
    json_open(json, "session", '{', JSON_LINES);
    for (size_t i = 0; i < ARRAY_SIZE(facts); i++)
        json_put_text(json, session_fact_name(facts[i]), run_fact(run, facts[i]));
    json_close(json);
}

static void put_extents(struct json_writer *json, const char *key, const unsigned of[3])
{
    if (of[0] == 0) {
        json_put_null(json, key); /* the function was never launched, so its block is unknown */
        return;
    }
    json_open(json, key, '[', JSON_LINES);
    for (size_t i = 0; i < 3; i++)
        json_put_count(json, NULL, of[i]);
    json_close(json);
}

static void put_steps(struct json_writer *json, const struct explained_launch *launch)
{
    json_open(json, "steps", '[', JSON_LINES);
    for (const struct occupancy_step *step = launch->steps; step < launch->steps + launch->step_count; step++)
        json_put_object(json, NULL, JSON_LINES, JSON_TEXT("resource", occupancy_limit_name(step->resource)),
                        JSON_COUNT("from", step->from), JSON_COUNT("to", step->to),
                        ROUNDED("theoretical_occupancy", step->occupancy.percent));
    json_close(json);
}

static void put_limits(struct json_writer *json, unsigned limits)
{
    json_open(json, "limits", '[', JSON_LINES);
    for (unsigned limit = OCCUPANCY_THREADS; limit <= OCCUPANCY_BARRIERS; limit *= 2)
        if (limits & limit)
            json_put_text(json, NULL, occupancy_limit_name((enum occupancy_limit)limit));
    json_close(json);
}

/* Writes the resources that a launch needs and the occupancy that results. */
static void put_occupancy_of(struct json_writer *json, const struct explained_launch *explained)
{
    const struct occupancy *occupancy = &explained->occupancy;
    const bool known = explained->known;
    json_put(json, ROUNDED("theoretical_occupancy", known ? occupancy->percent : NAN),
             JSON_KNOWN("warps", known, occupancy->warps), JSON_KNOWN("most_warps", known, occupancy->max_warps),
             JSON_KNOWN("blocks_an_sm", known, occupancy->blocks));
    if (known)
        put_limits(json, occupancy->limits);
    else
        json_put_null(json, "limits");
    json_put(json, ROUNDED("waves", explained->waves));
}

static void put_launch(struct json_writer *json, const struct explained_launch *explained)
{
    const struct launch *launch = explained->launch;
    const bool code = launch->has_machine;
    json_open(json, NULL, '{', JSON_LINES);
    json_put(json, JSON_TEXT("function", launch->function), JSON_COUNT("times", launch->times));
    put_extents(json, "grid", launch->grid);
    put_extents(json, "block", launch->block);
    json_put(json, JSON_KNOWN("registers", code, launch->machine.registers),
             JSON_KNOWN("local_bytes", code, launch->machine.local_bytes),
             JSON_KNOWN("static_bytes", code, launch->machine.shared_bytes),
             JSON_COUNT("dynamic_bytes", launch->shared));
    put_occupancy_of(json, explained);
    json_put_count(json, "same_as", explained->same_as);
    put_steps(json, explained);
    json_close(json);
}

static void put_launches(struct json_writer *json, const struct explanation *explanation)
{
    json_open(json, "launches", '[', JSON_LINES);
    for (size_t i = 0; i < explanation->launch_count; i++)
        put_launch(json, &explanation->launches[i]);
    json_close(json);
}

static void put_occupancy(struct json_writer *json, const struct explanation *explanation)
{
    char why[512];
    const struct explained_launch *largest = explanation->largest;
    explain_gap_words(explanation, why, sizeof why);
    json_put_object(json, "occupancy", JSON_LINES, ROUNDED("achieved", explanation->achieved),
                    JSON_KNOWN("largest_launch", largest, largest ? (double)(largest - explanation->launches) : NAN),
                    JSON_TEXT("gap", explained_gap_name(explanation->gap)), JSON_TEXT("why", *why ? why : NULL));
}

static void put_roofs(struct json_writer *json, const struct roofline *roofline)
{
    json_open(json, "roofs", '{', JSON_LINES);
    for (enum roof roof = 0; roof < ROOFS; roof++) {
        const struct roof_share *share = &roofline->roofs[roof];
        json_put_object(json, roof_name(roof), JSON_LINES, ROUNDED("amount", share->amount),
                        ROUNDED("rate", share->rate), ROUNDED("roof", share->roof), ROUNDED("share", share->share));
    }
    json_close(json);
}

static void put_roofline(struct json_writer *json, const struct roofline *roofline)
{
    json_open(json, "roofline", '{', JSON_LINES);
    json_put(json, ROUNDED("seconds", roofline->seconds), ROUNDED("bytes", roofline->roofs[ROOF_DRAM].amount),
             ROUNDED("stated_bytes", roofline->stated_bytes), ROUNDED("flops", roofline->flops),
             ROUNDED("stated_flops", roofline->stated_flops), ROUNDED("intensity", roofline->intensity),
             ROUNDED("stated_intensity", roofline->stated_intensity), ROUNDED("balance", roofline->balance),
             ROUNDED("compute", roofline->compute), ROUNDED("instructions", roofline->instructions),
             ROUNDED("issue", roofline->issue));
    put_roofs(json, roofline);
    json_put(json, JSON_TEXT("bound", roofline_bound_name(roofline->bound)),
             JSON_TEXT("nearest", roofline_bound_name(roofline->nearest)), ROUNDED("share", roofline->share));
    json_close(json);
}

static void put_stalls(struct json_writer *json, const struct explanation *explanation, bool known)
{
    if (!known) {
        json_put_null(json, "stalls");
        return;
    }
    json_open(json, "stalls", '[', JSON_LINES);
    for (size_t i = 0; i < explanation->stall_count; i++)
        json_put_object(json, NULL, JSON_LINES, JSON_TEXT("reason", explanation->stalls[i].reason),
                        JSON_TEXT("words", stall_words(explanation->stalls[i].reason)),
                        ROUNDED("share", explanation->stalls[i].share));
    json_close(json);
}

static void put_estimated(struct json_writer *json, const struct explanation *explanation)
{
    const struct estimated_time *estimated = explanation->result->estimated;
    if (!estimated || estimated->refused)
        return;
    json_open(json, "estimated", '{', JSON_LINES);
    json_put(json, ROUNDED("ns", estimated->ns), ROUNDED("low", estimated->low), ROUNDED("high", estimated->high),
             JSON_TEXT("bound_by", estimated->bound_by));
    json_open(json, "busy", '{', JSON_LINES);
    for (size_t i = 0; i < estimated->busy_count; i++)
        json_put(json, ROUNDED(estimated->busy[i].name, estimated->busy[i].part));
    json_close(json);
    put_stalls(json, explanation, explanation->result->profile.estimated);
    json_close(json);
}

static void put_hotspot(struct json_writer *json, const struct hotspot *hotspot)
{
    const struct profile_line *line = hotspot->line;
    json_put_object(json, NULL, JSON_LINES, JSON_TEXT("function", line->function), JSON_TEXT("file", line->file),
                    JSON_KNOWN("line", line->file, line->number), JSON_COUNT("offset", line->offset),
                    JSON_TEXT("text", line->text), ROUNDED("amount", hotspot->amount), ROUNDED("share", hotspot->share),
                    JSON_TEXT("stall", stall_commonest(line)));
}

static void put_pattern(struct json_writer *json, const struct explanation *explanation,
                        const struct explained_pattern *explained)
{
    json_open(json, NULL, '{', JSON_LINES);
    json_put(json, JSON_TEXT("name", explained->pattern->name), JSON_TEXT("title", explained->pattern->title),
             JSON_TEXT("kind", kind_names[explained->kind]), ROUNDED("total", explained->total),
             JSON_TEXT("unknown", explained->known ? NULL : explain_unknown(explanation, explained->pattern)),
             JSON_TEXT("of", explained->of), ROUNDED("whole", explained->whole), ROUNDED("part", explained->part),
             JSON_TEXT("advice", explain_advice(explanation, explained)));
    json_open(json, "lines", '[', JSON_LINES);
    for (size_t i = 0; i < explained->hotspot_count; i++)
        put_hotspot(json, &explained->hotspots[i]);
    json_close(json);
    json_close(json);
}

static void put_patterns(struct json_writer *json, const struct explanation *explanation)
{
    if (!explanation->has_profile) {
        json_put_null(json, "stories");
        return;
    }
    json_open(json, "stories", '[', JSON_LINES);
    for (size_t i = 0; i < explanation->pattern_count; i++)
        put_pattern(json, explanation, &explanation->patterns[i]);
    json_close(json);
}

void explain_json(const struct explanation *explanation, const struct style *style, FILE *stream)
{
    (void)style; /* JSON has everything, and no colour */
    struct json_writer json = {.stream = stream, JSON_DOCUMENT};
    const struct device *device = &explanation->run->device;
    json_open(&json, NULL, '{', JSON_LINES);
    json_put(&json, JSON_COUNT("schema", EXPLAIN_SCHEMA), JSON_COUNT("exit_code", explanation->exit_code),
             JSON_TEXT("kernel", explanation->result->id),
             JSON_TEXT("replay", explanation->replay ? explanation->run_name : NULL));
    json_put_object(&json, "device", JSON_LINES, JSON_TEXT("name", device->name),
                    JSON_TEXT("compute_capability", device->compute_capability),
                    JSON_COUNT("sm_count", (size_t)device->sm_count));
    put_session(&json, explanation->run);
    put_launches(&json, explanation);
    put_occupancy(&json, explanation);
    put_roofline(&json, &explanation->roofline);
    put_estimated(&json, explanation);
    put_stalls(&json, explanation, explanation->result->profile.period > 0);
    put_patterns(&json, explanation);
    json_close(&json);
    fputc('\n', stream);
}
