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
 *     "stalls": [ { "reason": "barrier", "words": ..., "share": 0.4 } ],           null: not sampled
 *     "stories": [ { "name": "excess_wavefronts", "title": ..., "kind": "fault", "total": ..., "unknown": null,
 *                    "of": "shared wavefronts", "whole": ..., "part": 0.7, "advice": ...,
 *                    "lines": [ { "function": ..., "file": ..., "line": 93, "offset": 416, "text": ...,
 *                                 "amount": ..., "share": 0.6, "stall": "barrier" } ] } ] }  null: no lines in the run
 *
 * Stories: where the time goes, then faults by part, then the others; "unknown" says why a total is not known. Their
 * lines are those with most of it, 20 at most. Numbers of roofs: roofline.h. */
#include "explain_words.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define EXPLAIN_SCHEMA 1

static const char *const kind_names[] = {
    [EXPLAINED_TIME] = "time", [EXPLAINED_FAULT] = "fault", [EXPLAINED_PLAIN] = "plain"};

/* Whole numbers as they are, others with 9 digits, as run files have them. */
static json_t *of_number(double value)
{
    if (!isfinite(value))
        return json_null();
    return fabs(value) < 0x1p53 && rint(value) == value ? json_integer((json_int_t)value)
                                                        : json_real(round_value(value));
}

static json_t *of_known(bool known, double value)
{
    return known ? of_number(value) : json_null();
}

/* A line of a source file may be in any encoding: what is not UTF-8 becomes U+FFFD. */
static json_t *of_text(const char *text)
{
    if (!text)
        return json_null();
    char *valid = x_calloc(3 * strlen(text) + 1, 1), *end = valid;
    while (*text) {
        char character[5];
        const size_t length = strlen(text_utf8(text_next(&text), character));
        memcpy(end, character, length);
        end += length;
    }
    json_t *string = json_string(valid);
    free(valid);
    return string;
}

static void put(json_t *object, const char *key, json_t *value)
{
    json_object_set_new(object, key, value);
}

static json_t *of_device(const struct device *device)
{
    return json_pack("{s:o, s:o, s:I}", "name", of_text(device->name), "compute_capability",
                     of_text(device->compute_capability), "sm_count", (json_int_t)device->sm_count);
}

static json_t *of_session(const struct run *run)
{
    static const enum session_fact facts[] = {SESSION_DATE, SESSION_COLLECTOR, SESSION_DRIVER, SESSION_CUDA};
    json_t *object = json_object();
    for (size_t i = 0; i < ROWS(facts); i++)
        put(object, session_fact_name(facts[i]),
            of_text(run->session_count > 0 ? run->sessions[run->session_count - 1].facts[facts[i]] : NULL));
    return object;
}

static json_t *of_extents(const unsigned of[3])
{
    return json_pack("[I, I, I]", (json_int_t)of[0], (json_int_t)of[1], (json_int_t)of[2]);
}

static json_t *of_steps(const struct explained_launch *launch)
{
    json_t *list = json_array();
    for (size_t i = 0; i < launch->step_count; i++) {
        const struct occupancy_step *step = &launch->steps[i];
        json_array_append_new(list, json_pack("{s:s, s:I, s:I, s:o}", "resource", occupancy_limit_name(step->resource),
                                              "from", (json_int_t)step->from, "to", (json_int_t)step->to,
                                              "theoretical_occupancy", of_number(step->occupancy.percent)));
    }
    return list;
}

static json_t *of_limits(unsigned limits)
{
    json_t *list = json_array();
    for (unsigned limit = OCCUPANCY_THREADS; limit <= OCCUPANCY_BARRIERS; limit *= 2)
        if (limits & limit)
            json_array_append_new(list, json_string(occupancy_limit_name((enum occupancy_limit)limit)));
    return list;
}

static json_t *of_launch(const struct explained_launch *explained)
{
    const struct launch *launch = explained->launch;
    const struct occupancy *occupancy = &explained->occupancy;
    const bool code = launch->has_machine, known = explained->known;
    json_t *object =
        json_pack("{s:o, s:I, s:o, s:o}", "function", of_text(launch->function), "times", (json_int_t)launch->times,
                  "grid", of_extents(launch->grid), "block", of_extents(launch->block));
    put(object, "registers", of_known(code, launch->machine.registers));
    put(object, "local_bytes", of_known(code, launch->machine.local_bytes));
    put(object, "static_bytes", of_known(code, launch->machine.shared_bytes));
    put(object, "dynamic_bytes", of_number(launch->shared));
    put(object, "theoretical_occupancy", of_known(known, occupancy->percent));
    put(object, "warps", of_known(known, occupancy->warps));
    put(object, "most_warps", of_known(known, occupancy->most_warps));
    put(object, "blocks_an_sm", of_known(known, occupancy->blocks));
    put(object, "limits", known ? of_limits(occupancy->limits) : json_null());
    put(object, "waves", of_number(explained->waves));
    put(object, "same_as", of_number((double)explained->same_as));
    put(object, "steps", of_steps(explained));
    return object;
}

static json_t *of_launches(const struct explanation *explanation)
{
    json_t *list = json_array();
    for (size_t i = 0; i < explanation->launch_count; i++)
        json_array_append_new(list, of_launch(&explanation->launches[i]));
    return list;
}

static json_t *of_occupancy(const struct explanation *explanation)
{
    char why[512];
    const struct explained_launch *largest = explanation->largest;
    explain_gap_words(explanation, why, sizeof why);
    return json_pack("{s:o, s:o, s:s, s:o}", "achieved", of_number(explanation->achieved), "largest_launch",
                     largest ? of_number((double)(largest - explanation->launches)) : json_null(), "gap",
                     explained_gap_name(explanation->gap), "why", of_text(*why ? why : NULL));
}

static json_t *of_roofline(const struct roofline *roofline)
{
    json_t *object = json_object(), *roofs = json_object();
    for (enum roof roof = 0; roof < ROOFS; roof++) {
        const struct roof_share *share = &roofline->roofs[roof];
        put(roofs, roof_name(roof),
            json_pack("{s:o, s:o, s:o, s:o}", "amount", of_number(share->amount), "rate", of_number(share->rate),
                      "roof", of_number(share->roof), "share", of_number(share->share)));
    }
    put(object, "seconds", of_number(roofline->seconds));
    put(object, "bytes", of_number(roofline->roofs[ROOF_DRAM].amount));
    put(object, "stated_bytes", of_number(roofline->stated_bytes));
    put(object, "flops", of_number(roofline->flops));
    put(object, "stated_flops", of_number(roofline->stated_flops));
    put(object, "intensity", of_number(roofline->intensity));
    put(object, "stated_intensity", of_number(roofline->stated_intensity));
    put(object, "balance", of_number(roofline->balance));
    put(object, "compute", of_number(roofline->compute));
    put(object, "instructions", of_number(roofline->instructions));
    put(object, "issue", of_number(roofline->issue));
    put(object, "roofs", roofs);
    put(object, "bound", json_string(roofline_bound_name(roofline->bound)));
    put(object, "nearest", json_string(roofline_bound_name(roofline->nearest)));
    put(object, "share", of_number(roofline->share));
    return object;
}

static json_t *of_stalls(const struct explanation *explanation)
{
    json_t *list = json_array();
    if (explanation->result->lines.period == 0)
        return json_decref(list), json_null();
    for (size_t i = 0; i < explanation->stall_count; i++) {
        const struct explained_stall *stall = &explanation->stalls[i];
        json_array_append_new(list,
                              json_pack("{s:o, s:o, s:o}", "reason", of_text(stall->reason), "words",
                                        of_text(story_stall_words(stall->reason)), "share", of_number(stall->share)));
    }
    return list;
}

static json_t *of_cause(const struct cause *cause)
{
    const struct line *line = cause->line;
    json_t *object = json_object();
    put(object, "function", of_text(line->function));
    put(object, "file", of_text(line->file));
    put(object, "line", of_known(line->file != NULL, line->number));
    put(object, "offset", of_number(line->offset));
    put(object, "text", of_text(line->text));
    put(object, "amount", of_number(cause->amount));
    put(object, "share", of_number(cause->share));
    put(object, "stall", of_text(story_stall(line)));
    return object;
}

static json_t *of_story(const struct explanation *explanation, const struct explained_story *told)
{
    json_t *object = json_object(), *lines = json_array();
    put(object, "name", json_string(told->story->name));
    put(object, "title", json_string(told->story->title));
    put(object, "kind", json_string(kind_names[told->kind]));
    put(object, "total", of_number(told->total));
    put(object, "unknown", told->known ? json_null() : json_string(explain_unknown(explanation, told->story)));
    put(object, "of", of_text(told->of));
    put(object, "whole", of_number(told->whole));
    put(object, "part", of_number(told->part));
    put(object, "advice", json_string(explain_advice(explanation, told)));
    for (size_t i = 0; i < told->cause_count; i++)
        json_array_append_new(lines, of_cause(&told->causes[i]));
    put(object, "lines", lines);
    return object;
}

static json_t *of_stories(const struct explanation *explanation)
{
    if (!explanation->has_lines)
        return json_null();
    json_t *list = json_array();
    for (size_t i = 0; i < explanation->story_count; i++)
        json_array_append_new(list, of_story(explanation, &explanation->stories[i]));
    return list;
}

int explain_json(const struct explanation *explanation, const struct explain_style *style, FILE *stream)
{
    (void)style; /* all is said, and in no colour */
    json_t *root = json_pack("{s:i, s:i, s:s}", "schema", EXPLAIN_SCHEMA, "exit_code", (int)explanation->exit_code,
                             "kernel", explanation->result->id);
    put(root, "replay", of_text(explanation->replay ? explanation->run_name : NULL));
    put(root, "device", of_device(&explanation->run->device));
    put(root, "session", of_session(explanation->run));
    put(root, "launches", of_launches(explanation));
    put(root, "occupancy", of_occupancy(explanation));
    put(root, "roofline", of_roofline(&explanation->roofline));
    put(root, "stalls", of_stalls(explanation));
    put(root, "stories", of_stories(explanation));
    const int dumped = json_dumpf(root, stream, JSON_INDENT(1) | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(15));
    json_decref(root);
    fputc('\n', stream);
    return dumped < 0 || fflush(stream) != 0 || ferror(stream) ? -1 : 0;
}
