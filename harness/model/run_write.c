/* Writes run files, for run.h. The members of an object are in the order of their names. */
#include "base/base.h"

#include "run_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void put_reading(struct json_writer *json, const char *key, double number)
{
    if (!isfinite(number) || number < 0)
        BUG("%g is no reading of a counter", number);
    json_put_number(json, key, number);
}

static void write_device(struct json_writer *json, const struct device *device)
{
    json_open(json, "device", '{', JSON_IN_LINE);
    json_put_if(json, "compute_capability", device->compute_capability);
    if (!device->ecc_unknown)
        json_put_flag(json, "ecc", device->ecc);
    json_put_count(json, "memory_bytes", (unsigned long long)device->memory_bytes);
    if (!device->mig_unknown)
        json_put_flag(json, "mig", device->mig);
    json_put_if(json, "name", device->name);
    json_put_count(json, "sm_count", (unsigned long long)device->sm_count);
    json_close(json);
}

static int by_fact_name(const void *a, const void *b)
{
    return strcmp(session_fact_name(*(const enum session_fact *)a), session_fact_name(*(const enum session_fact *)b));
}

static void write_roofs(struct json_writer *json, const struct session *session)
{
    static const enum roof order[] = {ROOF_DRAM, ROOF_FP16, ROOF_FP32, ROOF_FP64, ROOF_SHARED};
    bool any = false;
    for (size_t i = 0; i < ARRAY_SIZE(order); i++)
        any |= session->roofs[order[i]] > 0;
    if (!any)
        return;
    json_open(json, "roofs", '{', JSON_IN_LINE);
    for (size_t i = 0; i < ARRAY_SIZE(order); i++)
        if (session->roofs[order[i]] > 0)
            put_reading(json, roof_name(order[i]), session->roofs[order[i]]);
    json_close(json);
}

static void write_session(struct json_writer *json, const struct session *session)
{
    enum session_fact order[SESSION_FACTS];
    for (enum session_fact fact = 0; fact < SESSION_FACTS; fact++)
        order[fact] = fact;
    qsort(order, SESSION_FACTS, sizeof *order, by_fact_name);
    json_open(json, NULL, '{', JSON_IN_LINE);
    for (size_t i = 0; i < SESSION_FACTS; i++)
        json_put_if(json, session_fact_name(order[i]), session->facts[order[i]]);
    write_roofs(json, session);
    json_close(json);
}

static int by_counter_name(const void *a, const void *b)
{
    return strcmp(line_counter_name(*(const enum line_counter *)a), line_counter_name(*(const enum line_counter *)b));
}

static void write_extents(struct json_writer *json, const char *key, const unsigned of[3])
{
    if (of[0] == 0)
        return; /* a launch of which only the machine code is known, since nobody made it */
    json_open(json, key, '[', JSON_IN_LINE);
    for (size_t i = 0; i < 3; i++)
        json_put_count(json, NULL, of[i]);
    json_close(json);
}

static void write_machine(struct json_writer *json, const struct launch *launch)
{
    if (!launch->has_machine)
        return;
    json_open(json, "machine", '{', JSON_IN_LINE);
    json_put_count(json, "barriers", launch->machine.barriers);
    json_put_count(json, "local", launch->machine.local_bytes);
    json_put_count(json, "max_threads", launch->machine.max_threads);
    json_put_count(json, "registers", launch->machine.registers);
    json_put_count(json, "shared", launch->machine.shared_bytes);
    if (launch->machine.tensor != TENSOR_UNKNOWN)
        json_put_flag(json, "tensor", launch->machine.tensor == TENSOR_USED);
    json_close(json);
}

static void write_launch(struct json_writer *json, const struct launch *launch)
{
    json_open(json, NULL, '{', JSON_IN_LINE);
    write_extents(json, "block", launch->block);
    if (launch->carve_out > 0)
        json_put_count(json, "carve_out", launch->carve_out - 1);
    json_put_if(json, "code", launch->code);
    json_put_if(json, "function", launch->function);
    write_extents(json, "grid", launch->grid);
    write_machine(json, launch);
    json_put_if(json, "mix", launch->mix);
    json_put_count(json, "shared", launch->shared);
    json_put_count(json, "times", launch->times);
    json_close(json);
}

/* Writes which sessions the values are from. Nothing is written where they are the first of the file, in order. */
static void write_places(struct json_writer *json, const struct row *row)
{
    bool elsewhere = false;
    for (size_t i = 0; i < row->session_count; i++)
        elsewhere |= row->sessions[i].session != i;
    if (!elsewhere)
        return;
    json_open(json, "from", '[', JSON_IN_LINE);
    for (size_t i = 0; i < row->session_count; i++)
        json_put_count(json, NULL, row->sessions[i].session);
    json_close(json);
}

static void write_pairs(struct json_writer *json, const struct row *row)
{
    if (row->pair_count == 0)
        return;
    json_open(json, "pairs", '[', JSON_IN_LINE);
    for (size_t i = 0; i < row->pair_count; i++) {
        json_open(json, NULL, '[', JSON_IN_LINE);
        put_reading(json, NULL, row->pairs[i].base);
        put_reading(json, NULL, row->pairs[i].head);
        json_close(json);
    }
    json_close(json);
}

/* Writes what a baseline keeps of a row beside its sessions. */
static void write_memory(struct json_writer *json, const struct row *row)
{
    if (row->has_drift_reference)
        put_reading(json, "anchor", row->drift_reference);
    write_places(json, row);
    write_pairs(json, row);
    if (row->previous) {
        json_open(json, "previous", '{', JSON_IN_LINE);
        json_put_if(json, "commit", row->previous->commit);
        json_put_if(json, "date", row->previous->date);
        json_put_if(json, "reason", row->previous->reason);
        put_reading(json, "value", row->previous->value);
        json_close(json);
    }
    if (row->has_readings)
        json_put_count(json, "readings", row->readings);
}

static void write_row(struct json_writer *json, const struct row *row)
{
    json_open(json, row->metric, '{', JSON_IN_LINE);
    if (row->state != VALUE_MEASURED) {
        json_put_if(json, "reason", row->reason);
        json_put_text(json, "state", value_state_name(row->state));
        json_close(json);
        return;
    }
    if (row->session_count == 0)
        BUG("%s is measured, but has no session", row->metric);
    write_memory(json, row);
    json_open(json, "sessions", '[', JSON_IN_LINE);
    for (size_t i = 0; i < row->session_count; i++) {
        json_open(json, NULL, '[', JSON_IN_LINE);
        for (size_t j = 0; j < row->sessions[i].count; j++)
            put_reading(json, NULL, row->sessions[i].samples[j]);
        json_close(json);
    }
    json_close(json);
    json_close(json);
}

/* Writes the counts of a line that are not 0. */
static void write_counts(struct json_writer *json, const struct profile_line *line)
{
    enum line_counter order[LINE_COUNTERS];
    for (enum line_counter counter = 0; counter < LINE_COUNTERS; counter++)
        order[counter] = counter;
    qsort(order, LINE_COUNTERS, sizeof *order, by_counter_name);
    json_open(json, "counts", '{', JSON_IN_LINE);
    for (size_t i = 0; i < LINE_COUNTERS; i++)
        if (line->counts[order[i]] > 0)
            put_reading(json, line_counter_name(order[i]), line->counts[order[i]]);
    json_close(json);
}

static void write_line(struct json_writer *json, const struct profile_line *line)
{
    json_open(json, NULL, '{', JSON_IN_LINE);
    write_counts(json, line);
    json_put_if(json, "file", line->file);
    json_put_if(json, "function", line->function);
    if (line->file)
        json_put_count(json, "line", line->number);
    json_put_count(json, "offset", line->offset);
    json_open(json, "stalls", '{', JSON_IN_LINE);
    for (size_t i = 0; i < line->stall_count; i++)
        put_reading(json, line->stalls[i].reason, line->stalls[i].samples);
    json_close(json);
    json_put_if(json, "text", line->text);
    json_close(json);
}

/* Writes the source lines at that key. Nothing is written where nothing was counted or sampled. */
static void write_profile(struct json_writer *json, const char *key, const struct profile *profile)
{
    if (!profile->counted && !profile->period)
        return;
    json_open(json, key, '{', JSON_LINES);
    json_open(json, "counted", '[', JSON_IN_LINE);
    for (enum line_counter counter = 0; counter < LINE_COUNTERS; counter++)
        if (profile->counted & 1u << counter)
            json_put_text(json, NULL, line_counter_name(counter));
    json_close(json);
    json_put_count(json, "launches", profile->launches);
    json_open(json, "list", '[', JSON_LINES);
    for (size_t i = 0; i < profile->count; i++)
        write_line(json, &profile->list[i]);
    json_close(json);
    json_put_count(json, "period", profile->period);
    json_close(json);
}

static void write_result(struct json_writer *json, const struct result *result)
{
    /* What a kernel counted before it failed is no measurement, and is not written. */
    const bool ok = result->status == RESULT_OK;

    json_open(json, result->id, '{', JSON_LINES);
    write_profile(json, "base_lines", &result->base_profile);
    put_reading(json, "bytes", result->bytes);
    json_put_if(json, "elsewhere", ok ? result->elsewhere : NULL);
    put_reading(json, "flops", result->flops);
    json_put_if(json, "inputs", result->inputs);
    json_put_if(json, "launched_by", result->launched_by);
    json_open(json, "launches", '[', JSON_LINES);
    for (size_t i = 0; i < result->launch_count; i++)
        write_launch(json, &result->launches[i]);
    json_close(json);
    write_profile(json, "lines", &result->profile);
    json_open(json, "metrics", '{', JSON_LINES);
    for (size_t i = 0; ok && i < result->row_count; i++)
        write_row(json, &result->rows[i]);
    json_close(json);
    json_put_if(json, "reason", ok ? NULL : result->reason);
    if (result->seconds > 0)
        put_reading(json, "seconds", result->seconds);
    json_put_text(json, "status", result_status_name(result->status));
    json_put_if(json, "unpaired", result->unpaired);
    json_put_if(json, "varies", ok ? result->varies : NULL);
    json_put_if(json, "doubt", ok ? result->doubt : NULL);
    json_close(json);
}

static void write_note(struct json_writer *json, const struct metric_note *note)
{
    json_open(json, note->name, '{', JSON_IN_LINE);
    if (note->judged) {
        json_put_if(json, "better", metric_better_name(note->better));
        json_put_if(json, "class", metric_class_name(note->class));
        json_put_if(json, "clock", note->clock);
    }
    json_put_if(json, "counter", note->counter);
    if (note->judged && note->few != 0)
        put_reading(json, "few", note->few);
    if (note->judged && note->floor_absolute != 0)
        put_reading(json, "floor", note->floor_absolute);
    if (note->judged && note->floor_relative != 0)
        put_reading(json, "floor_share", note->floor_relative);
    if (note->judged)
        json_put_if(json, "trade", note->trade);
    json_put_if(json, "unit", note->unit);
    json_put_if(json, "weight", note->weight);
    json_close(json);
}

static void write_shard(struct json_writer *json, const struct shard *shard)
{
    if (shard->of == 0)
        return;
    json_open(json, "shard", '{', JSON_LINES);
    json_put_if(json, "code", shard->code);
    json_open(json, "kernels", '[', JSON_IN_LINE);
    for (size_t i = 0; i < shard->kernel_count; i++)
        json_put_text(json, NULL, shard->kernels[i]);
    json_close(json);
    json_put_count(json, "measures", shard->measures);
    json_put_count(json, "number", shard->number);
    json_put_count(json, "of", shard->of);
    json_close(json);
}

int run_write(const struct run *run, FILE *stream)
{
    struct json_writer json = {.stream = stream, .indent = 2};
    json_open(&json, NULL, '{', JSON_LINES);
    write_device(&json, &run->device);
    json_open(&json, "kernels", '{', JSON_LINES);
    for (size_t i = 0; i < run->result_count; i++)
        write_result(&json, &run->results[i]);
    json_close(&json);
    json_open(&json, "metrics", '{', JSON_LINES);
    for (size_t i = 0; i < run->note_count; i++)
        write_note(&json, &run->notes[i]);
    json_close(&json);
    json_put_count(&json, "schema", RUN_SCHEMA);
    json_open(&json, "sessions", '[', JSON_LINES);
    for (size_t i = 0; i < run->session_count; i++)
        write_session(&json, &run->sessions[i]);
    json_close(&json);
    write_shard(&json, &run->shard);
    json_close(&json);
    fputc('\n', stream);
    return fflush(stream) != 0 || ferror(stream) ? -1 : 0;
}

char *result_to_line(const struct result *result)
{
    char *line = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&line, &length);
    if (!stream)
        die(EXIT_USAGE, "cannot allocate memory for the result of %s", result->id);
    struct json_writer json = {.stream = stream, .one_line = true};
    json_open(&json, NULL, '{', JSON_LINES);
    write_result(&json, result);
    json_close(&json);
    if (fclose(stream) != 0)
        die(EXIT_USAGE, "cannot allocate memory for the result of %s", result->id);
    return line;
}
