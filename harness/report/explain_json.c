/* An explanation as JSON, schema 1; several kernels are a JSON text each, one after the other. Later versions add keys,
 * but change and remove none within a schema. What is not known is null, never 0:
 *
 *   { "schema": 1, "exit_code": 0, "kernel": "reduce/tree",
 *     "replay": "run.json",       the file that the run was read from, when nothing was measured; else null
 *     "device": { "name": ..., "compute_capability": ..., "sm_count": ... },
 *     "session": { "date": ..., "collector": ..., "driver": ..., "cuda": ... },    the last one of the run
 *     "launches": [ { "function": ..., "times": 1, "grid": [8, 1, 1], "block": [256, 1, 1],
 *                     "registers": 32, "local_bytes": 0, "static_bytes": 1024, "dynamic_bytes": 0,
 *                     "theoretical_occupancy": 62.5, "warps": 40, "most_warps": 64, "blocks_an_sm": 5,
 *                     "limits": ["registers"], "waves": 12.1, "same_as": 0,
 *                     "steps": [ { "resource": "registers", "from": 48, "to": 40, "theoretical_occupancy": 75 } ] } ],
 *     "occupancy": { "achieved": 51.2, "largest_launch": 0,      a place in "launches"
 *                    "gap": "tail", "why": "a tail: ..." },      gap: explained_gap_name
 *     "roofline": { "seconds": ..., "bytes": ..., "stated_bytes": ..., "flops": ..., "stated_flops": ...,
 *                   "intensity": ..., "stated_intensity": ..., "balance": ..., "compute": 0.1,
 *                   "instructions": ..., "issue": 0.4,         share of the issue slots
 *                   "roofs": { "dram": { "amount": ..., "rate": ..., "roof": ..., "share": 0.8 }, ... },
 *                   "bound": "dram", "nearest": "dram", "share": 0.8 },
 *     "estimated": { "ns": ..., "low": ..., "high": ..., "bound_by": "DRAM",      a computed kernel's time, which was
 *                    "busy": { "DRAM": 0.83, ... },                            not measured; else absent. busy: part
 *                    "stalls": [ ... ] },                                      of the time. stalls: as below
 *     "stalls": [ { "reason": "barrier", "words": ..., "share": 0.4 } ],           null: not sampled
 *     "stories": [ { "name": "excess_wavefronts", "title": ..., "kind": "fault", "total": ..., "unknown": null,
 *                    "of": "shared wavefronts", "whole": ..., "part": 0.7, "advice": ...,
 *                    "lines": [ { "function": ..., "file": ..., "line": 93, "offset": 416, "text": ...,
 *                                 "amount": ..., "share": 0.6, "stall": "barrier" } ] } ] }  null: no lines in the run
 *
 * Stories are patterns: where the time goes, then faults by part, then the others; "unknown" says why a total is not
 * known. Their lines are those with most of it, 20 at most. Numbers of roofs: roofline.h. */
#include "explain_words.h"

#define EXPLAIN_SCHEMA 1

static const char *const kind_names[] = {[EXPLAINED_TIME] = "time",
                                         [EXPLAINED_ESTIMATED] = "time",
                                         [EXPLAINED_FAULT] = "fault",
                                         [EXPLAINED_PLAIN] = "plain"};

/* Writes whole numbers unchanged and others with 9 digits, as in run files. */
static void put_number(struct json_writer *json, const char *key, double value)
{
    json_put_number(json, key, round_value(value));
}

static void put_device(struct json_writer *json, const struct device *device)
{
    json_open(json, "device", '{', JSON_LINES);
    json_put_text(json, "name", device->name);
    json_put_text(json, "compute_capability", device->compute_capability);
    json_put_count(json, "sm_count", (unsigned long long)device->sm_count);
    json_close(json);
}

static void put_session(struct json_writer *json, const struct run *run)
{
    static const enum session_fact facts[] = {SESSION_DATE, SESSION_COLLECTOR, SESSION_DRIVER, SESSION_CUDA};
    json_open(json, "session", '{', JSON_LINES);
    for (size_t i = 0; i < ARRAY_SIZE(facts); i++)
        json_put_text(json, session_fact_name(facts[i]),
                      run->session_count > 0 ? run->sessions[run->session_count - 1].facts[facts[i]] : NULL);
    json_close(json);
}

static void put_extents(struct json_writer *json, const char *key, const unsigned of[3])
{
    if (of[0] == 0) {
        json_put_known(json, key, false, 0); /* the function was never launched, so its block is unknown */
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
    for (size_t i = 0; i < launch->step_count; i++) {
        const struct occupancy_step *step = &launch->steps[i];
        json_open(json, NULL, '{', JSON_LINES);
        json_put_text(json, "resource", occupancy_limit_name(step->resource));
        json_put_count(json, "from", step->from);
        json_put_count(json, "to", step->to);
        put_number(json, "theoretical_occupancy", step->occupancy.percent);
        json_close(json);
    }
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
    put_number(json, "theoretical_occupancy", known ? occupancy->percent : NAN);
    json_put_known(json, "warps", known, occupancy->warps);
    json_put_known(json, "most_warps", known, occupancy->max_warps);
    json_put_known(json, "blocks_an_sm", known, occupancy->blocks);
    if (known)
        put_limits(json, occupancy->limits);
    else
        json_put_null(json, "limits");
    put_number(json, "waves", explained->waves);
}

static void put_launch(struct json_writer *json, const struct explained_launch *explained)
{
    const struct launch *launch = explained->launch;
    const bool code = launch->has_machine;
    json_open(json, NULL, '{', JSON_LINES);
    json_put_text(json, "function", launch->function);
    json_put_count(json, "times", launch->times);
    put_extents(json, "grid", launch->grid);
    put_extents(json, "block", launch->block);
    json_put_known(json, "registers", code, launch->machine.registers);
    json_put_known(json, "local_bytes", code, launch->machine.local_bytes);
    json_put_known(json, "static_bytes", code, launch->machine.shared_bytes);
    json_put_count(json, "dynamic_bytes", launch->shared);
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
    json_open(json, "occupancy", '{', JSON_LINES);
    put_number(json, "achieved", explanation->achieved);
    json_put_known(json, "largest_launch", largest, largest ? (double)(largest - explanation->launches) : NAN);
    json_put_text(json, "gap", explained_gap_name(explanation->gap));
    json_put_text(json, "why", *why ? why : NULL);
    json_close(json);
}

static void put_roofs(struct json_writer *json, const struct roofline *roofline)
{
    json_open(json, "roofs", '{', JSON_LINES);
    for (enum roof roof = 0; roof < ROOFS; roof++) {
        const struct roof_share *share = &roofline->roofs[roof];
        json_open(json, roof_name(roof), '{', JSON_LINES);
        put_number(json, "amount", share->amount);
        put_number(json, "rate", share->rate);
        put_number(json, "roof", share->roof);
        put_number(json, "share", share->share);
        json_close(json);
    }
    json_close(json);
}

static void put_roofline(struct json_writer *json, const struct roofline *roofline)
{
    json_open(json, "roofline", '{', JSON_LINES);
    put_number(json, "seconds", roofline->seconds);
    put_number(json, "bytes", roofline->roofs[ROOF_DRAM].amount);
    put_number(json, "stated_bytes", roofline->stated_bytes);
    put_number(json, "flops", roofline->flops);
    put_number(json, "stated_flops", roofline->stated_flops);
    put_number(json, "intensity", roofline->intensity);
    put_number(json, "stated_intensity", roofline->stated_intensity);
    put_number(json, "balance", roofline->balance);
    put_number(json, "compute", roofline->compute);
    put_number(json, "instructions", roofline->instructions);
    put_number(json, "issue", roofline->issue);
    put_roofs(json, roofline);
    json_put_text(json, "bound", roofline_bound_name(roofline->bound));
    json_put_text(json, "nearest", roofline_bound_name(roofline->nearest));
    put_number(json, "share", roofline->share);
    json_close(json);
}

static void put_stalls(struct json_writer *json, const struct explanation *explanation, bool known)
{
    if (!known) {
        json_put_null(json, "stalls");
        return;
    }
    json_open(json, "stalls", '[', JSON_LINES);
    for (size_t i = 0; i < explanation->stall_count; i++) {
        const struct explained_stall *stall = &explanation->stalls[i];
        json_open(json, NULL, '{', JSON_LINES);
        json_put_text(json, "reason", stall->reason);
        json_put_text(json, "words", stall_words(stall->reason));
        put_number(json, "share", stall->share);
        json_close(json);
    }
    json_close(json);
}

static void put_estimated(struct json_writer *json, const struct explanation *explanation)
{
    const struct estimated_time *estimated = explanation->result->estimated;
    if (!estimated || estimated->refused)
        return;
    json_open(json, "estimated", '{', JSON_LINES);
    put_number(json, "ns", estimated->ns);
    put_number(json, "low", estimated->low);
    put_number(json, "high", estimated->high);
    json_put_text(json, "bound_by", estimated->bound_by);
    json_open(json, "busy", '{', JSON_LINES);
    for (size_t i = 0; i < estimated->busy_count; i++)
        put_number(json, estimated->busy[i].name, estimated->busy[i].part);
    json_close(json);
    put_stalls(json, explanation, explanation->result->profile.estimated);
    json_close(json);
}

static void put_hotspot(struct json_writer *json, const struct hotspot *hotspot)
{
    const struct profile_line *line = hotspot->line;
    json_open(json, NULL, '{', JSON_LINES);
    json_put_text(json, "function", line->function);
    json_put_text(json, "file", line->file);
    json_put_known(json, "line", line->file, line->number);
    json_put_count(json, "offset", line->offset);
    json_put_text(json, "text", line->text);
    put_number(json, "amount", hotspot->amount);
    put_number(json, "share", hotspot->share);
    json_put_text(json, "stall", stall_commonest(line));
    json_close(json);
}

static void put_pattern(struct json_writer *json, const struct explanation *explanation,
                        const struct explained_pattern *explained)
{
    json_open(json, NULL, '{', JSON_LINES);
    json_put_text(json, "name", explained->pattern->name);
    json_put_text(json, "title", explained->pattern->title);
    json_put_text(json, "kind", kind_names[explained->kind]);
    put_number(json, "total", explained->total);
    json_put_text(json, "unknown", explained->known ? NULL : explain_unknown(explanation, explained->pattern));
    json_put_text(json, "of", explained->of);
    put_number(json, "whole", explained->whole);
    put_number(json, "part", explained->part);
    json_put_text(json, "advice", explain_advice(explanation, explained));
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

int explain_json(const struct explanation *explanation, const struct explain_style *style, FILE *stream)
{
    (void)style; /* JSON has everything, and no colour */
    struct json_writer json = {.stream = stream, JSON_DOCUMENT};
    json_open(&json, NULL, '{', JSON_LINES);
    json_put_count(&json, "schema", EXPLAIN_SCHEMA);
    json_put_count(&json, "exit_code", explanation->exit_code);
    json_put_text(&json, "kernel", explanation->result->id);
    json_put_text(&json, "replay", explanation->replay ? explanation->run_name : NULL);
    put_device(&json, &explanation->run->device);
    put_session(&json, explanation->run);
    put_launches(&json, explanation);
    put_occupancy(&json, explanation);
    put_roofline(&json, &explanation->roofline);
    put_estimated(&json, explanation);
    put_stalls(&json, explanation, explanation->result->profile.period > 0);
    put_patterns(&json, explanation);
    json_close(&json);
    fputc('\n', stream);
    return fflush(stream) != 0 || ferror(stream) ? -1 : 0;
}
