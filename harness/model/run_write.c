/* The writing half of run.h. By hand and not by Jansson, which knows neither this layout nor the shortest text of a
 * number. */
#include "base/base.h"

#include "run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct writer {
    FILE *stream;
    bool one_line;
    int depth;
};

static void new_line(const struct writer *writer)
{
    if (!writer->one_line)
        fprintf(writer->stream, "\n%*s", 2 * writer->depth, "");
}

/* Starts the next item of an expanded list or object. */
static void next_item(const struct writer *writer, bool first)
{
    if (!first)
        fputc(',', writer->stream);
    new_line(writer);
}

static void begin(struct writer *writer, char bracket)
{
    fputc(bracket, writer->stream);
    writer->depth++;
}

static void end(struct writer *writer, char bracket, bool empty)
{
    writer->depth--;
    if (!empty)
        new_line(writer);
    fputc(bracket, writer->stream);
}

/* A message cut in the middle of a character, or a host's odd name, must not make the file unreadable: a byte that
 * is no text becomes '?'. */
static void write_text(const struct writer *writer, const char *text)
{
    fputc('"', writer->stream);
    while (*text) {
        const char *begin = text;
        const unsigned character = text_next(&text);
        if (character == TEXT_REPLACEMENT && text == begin + 1)
            fputc('?', writer->stream);
        else if (character == '"' || character == '\\')
            fprintf(writer->stream, "\\%c", (int)character);
        else if (character < 0x20 || character == 0x7f)
            fprintf(writer->stream, "\\u%04x", character);
        else
            fwrite(begin, 1, (size_t)(text - begin), writer->stream);
    }
    fputc('"', writer->stream);
}

/* The shortest text that reads back as the same number. */
static void write_number(const struct writer *writer, double number)
{
    if (!isfinite(number) || number < 0)
        BUG("%g is no reading of a counter", number);
    if (number < 0x1p53 && rint(number) == number) {
        fprintf(writer->stream, "%llu", (unsigned long long)number);
        return;
    }
    char text[32];
    for (int digits = 9; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, number);
        if (strtod(text, NULL) == number)
            break;
    }
    fputs(text, writer->stream);
}

static void write_key(const struct writer *writer, const char *key)
{
    write_text(writer, key);
    fputs(": ", writer->stream);
}

/* `"key": "text", ` or nothing when the text is unknown. */
static void write_known(const struct writer *writer, const char *key, const char *text)
{
    if (!text)
        return;
    write_key(writer, key);
    write_text(writer, text);
    fputs(", ", writer->stream);
}

static void write_device(const struct writer *writer, const struct device *device)
{
    fputc('{', writer->stream);
    write_known(writer, "compute_capability", device->compute_capability);
    fprintf(writer->stream, "\"ecc\": %s, \"memory_bytes\": %lld, \"mig\": %s, ", device->ecc ? "true" : "false",
            device->memory_bytes, device->mig ? "true" : "false");
    write_known(writer, "name", device->name);
    fprintf(writer->stream, "\"sm_count\": %lld}", device->sm_count);
}

static int by_fact_name(const void *a, const void *b)
{
    return strcmp(session_fact_name(*(const enum session_fact *)a), session_fact_name(*(const enum session_fact *)b));
}

/* Sorted by their names, as all keys are. */
static void write_roofs(const struct writer *writer, const struct session *session, bool first)
{
    static const enum roof order[] = {ROOF_DRAM, ROOF_FP16, ROOF_FP32, ROOF_FP64, ROOF_SHARED};
    const char *before = first ? "\"roofs\": {" : ", \"roofs\": {";
    bool any = false;
    for (size_t i = 0; i < ROWS(order); i++) {
        if (session->roofs[order[i]] <= 0)
            continue;
        fputs(any ? ", " : before, writer->stream);
        any = true;
        write_key(writer, roof_name(order[i]));
        write_number(writer, session->roofs[order[i]]);
    }
    if (any)
        fputc('}', writer->stream);
}

static void write_session(const struct writer *writer, const struct session *session)
{
    enum session_fact order[SESSION_FACTS];
    for (enum session_fact fact = 0; fact < SESSION_FACTS; fact++)
        order[fact] = fact;
    qsort(order, SESSION_FACTS, sizeof *order, by_fact_name);
    bool first = true;
    fputc('{', writer->stream);
    for (size_t i = 0; i < SESSION_FACTS; i++) {
        const char *text = session->facts[order[i]];
        if (!text)
            continue;
        fputs(first ? "" : ", ", writer->stream);
        write_key(writer, session_fact_name(order[i]));
        write_text(writer, text);
        first = false;
    }
    write_roofs(writer, session, first);
    fputc('}', writer->stream);
}

static int by_counter_name(const void *a, const void *b)
{
    return strcmp(line_counter_name(*(const enum line_counter *)a), line_counter_name(*(const enum line_counter *)b));
}

static void write_launch(const struct writer *writer, const struct launch *launch)
{
    fprintf(writer->stream, "{\"block\": [%u, %u, %u], ", launch->block[0], launch->block[1], launch->block[2]);
    write_known(writer, "code", launch->code);
    write_known(writer, "function", launch->function);
    fprintf(writer->stream, "\"grid\": [%u, %u, %u], ", launch->grid[0], launch->grid[1], launch->grid[2]);
    if (launch->has_machine)
        fprintf(
            writer->stream,
            "\"machine\": {\"barriers\": %u, \"local\": %u, \"max_threads\": %u, \"registers\": %u, \"shared\": %u}, ",
            launch->machine.barriers, launch->machine.local_bytes, launch->machine.max_threads,
            launch->machine.registers, launch->machine.shared_bytes);
    fprintf(writer->stream, "\"shared\": %u, \"times\": %u}", launch->shared, launch->times);
}

/* Where the values are from, unless from the first sessions of the file in their order. */
static void write_places(const struct writer *writer, const struct row *row)
{
    bool elsewhere = false;
    for (size_t i = 0; i < row->session_count; i++)
        elsewhere |= row->sessions[i].session != i;
    if (!elsewhere)
        return;
    for (size_t i = 0; i < row->session_count; i++)
        fprintf(writer->stream, "%s%zu", i ? ", " : "\"from\": [", row->sessions[i].session);
    fputs("], ", writer->stream);
}

/* What stands beside the sessions, each with a comma behind it. */
static void write_memory(const struct writer *writer, const struct row *row)
{
    if (row->has_anchor) {
        fputs("\"anchor\": ", writer->stream);
        write_number(writer, row->anchor);
        fputs(", ", writer->stream);
    }
    write_places(writer, row);
    for (size_t i = 0; i < row->pair_count; i++) {
        fputs(i ? ", [" : "\"pairs\": [[", writer->stream);
        write_number(writer, row->pairs[i].base);
        fputs(", ", writer->stream);
        write_number(writer, row->pairs[i].head);
        fputs(i + 1 < row->pair_count ? "]" : "]], ", writer->stream);
    }
    if (row->previous) {
        fputs("\"previous\": {", writer->stream);
        write_known(writer, "commit", row->previous->commit);
        write_known(writer, "date", row->previous->date);
        write_known(writer, "reason", row->previous->reason);
        fputs("\"value\": ", writer->stream);
        write_number(writer, row->previous->value);
        fputs("}, ", writer->stream);
    }
    if (row->has_readings)
        fprintf(writer->stream, "\"readings\": %zu, ", row->readings);
}

static void write_row(const struct writer *writer, const struct row *row)
{
    write_key(writer, row->metric);
    if (row->state != VALUE_MEASURED) {
        fputc('{', writer->stream);
        write_known(writer, "reason", row->reason);
        fputs("\"state\": ", writer->stream);
        write_text(writer, value_state_name(row->state));
        fputc('}', writer->stream);
        return;
    }
    if (row->session_count == 0)
        BUG("%s is measured, but has no session", row->metric);
    fputc('{', writer->stream);
    write_memory(writer, row);
    fputs("\"sessions\": [", writer->stream);
    for (size_t i = 0; i < row->session_count; i++) {
        fputs(i ? ", [" : "[", writer->stream);
        for (size_t j = 0; j < row->sessions[i].count; j++) {
            fputs(j ? ", " : "", writer->stream);
            write_number(writer, row->sessions[i].samples[j]);
        }
        fputc(']', writer->stream);
    }
    fputs("]}", writer->stream);
}

/* A line's counts that are not 0. */
static void write_counts(const struct writer *writer, const struct line *line)
{
    enum line_counter order[LINE_COUNTERS];
    for (enum line_counter counter = 0; counter < LINE_COUNTERS; counter++)
        order[counter] = counter;
    qsort(order, LINE_COUNTERS, sizeof *order, by_counter_name);
    bool first = true;
    fputs("\"counts\": {", writer->stream);
    for (size_t i = 0; i < LINE_COUNTERS; i++) {
        if (line->counts[order[i]] <= 0)
            continue;
        fputs(first ? "" : ", ", writer->stream);
        first = false;
        write_key(writer, line_counter_name(order[i]));
        write_number(writer, line->counts[order[i]]);
    }
    fputs("}, ", writer->stream);
}

static void write_line(const struct writer *writer, const struct line *line)
{
    fputc('{', writer->stream);
    write_counts(writer, line);
    write_known(writer, "file", line->file);
    write_known(writer, "function", line->function);
    if (line->file)
        fprintf(writer->stream, "\"line\": %u, ", line->number);
    fprintf(writer->stream, "\"offset\": %u, \"stalls\": {", line->offset);
    for (size_t i = 0; i < line->stall_count; i++) {
        fputs(i ? ", " : "", writer->stream);
        write_key(writer, line->stalls[i].reason);
        write_number(writer, line->stalls[i].samples);
    }
    fputc('}', writer->stream);
    if (line->text) {
        fputs(", \"text\": ", writer->stream);
        write_text(writer, line->text);
    }
    fputc('}', writer->stream);
}

/* `"key": {...}` and the comma behind it; nothing when nothing was counted or sampled. */
static void write_lines(struct writer *writer, const char *key, const struct lines *lines)
{
    if (!lines->counted && !lines->period)
        return;
    write_key(writer, key);
    begin(writer, '{');
    next_item(writer, true);
    fputs("\"counted\": [", writer->stream);
    const char *gap = "";
    for (enum line_counter counter = 0; counter < LINE_COUNTERS; counter++) {
        if (!(lines->counted & 1u << counter))
            continue;
        fputs(gap, writer->stream);
        write_text(writer, line_counter_name(counter));
        gap = ", ";
    }
    fputc(']', writer->stream);
    next_item(writer, false);
    fprintf(writer->stream, "\"launches\": %u", lines->launches);
    next_item(writer, false);
    write_key(writer, "list");
    begin(writer, '[');
    for (size_t i = 0; i < lines->count; i++) {
        next_item(writer, i == 0);
        write_line(writer, &lines->list[i]);
    }
    end(writer, ']', lines->count == 0);
    next_item(writer, false);
    fprintf(writer->stream, "\"period\": %u", lines->period);
    end(writer, '}', false);
    next_item(writer, false);
}

static void write_result(struct writer *writer, const struct result *result)
{
    /* What a kernel showed before it failed is no measurement. */
    size_t rows = result->status == RESULT_OK ? result->row_count : 0;
    const char *reason = result->status == RESULT_OK ? NULL : result->reason;

    write_key(writer, result->id);
    begin(writer, '{');
    next_item(writer, true);
    write_lines(writer, "base_lines", &result->base_lines);
    write_key(writer, "bytes");
    write_number(writer, result->bytes);
    next_item(writer, false);
    write_key(writer, "flops");
    write_number(writer, result->flops);
    next_item(writer, false);
    write_key(writer, "launches");
    begin(writer, '[');
    for (size_t i = 0; i < result->launch_count; i++) {
        next_item(writer, i == 0);
        write_launch(writer, &result->launches[i]);
    }
    end(writer, ']', result->launch_count == 0);
    next_item(writer, false);
    write_lines(writer, "lines", &result->lines);
    write_key(writer, "metrics");
    begin(writer, '{');
    for (size_t i = 0; i < rows; i++) {
        next_item(writer, i == 0);
        write_row(writer, &result->rows[i]);
    }
    end(writer, '}', rows == 0);
    next_item(writer, false);
    if (reason) {
        write_key(writer, "reason");
        write_text(writer, reason);
        next_item(writer, false);
    }
    write_key(writer, "status");
    write_text(writer, result_status_name(result->status));
    if (result->unpaired) {
        next_item(writer, false);
        write_key(writer, "unpaired");
        write_text(writer, result->unpaired);
    }
    end(writer, '}', false);
}

static void write_word(const struct writer *writer, const char *key, const char *word, const char *behind)
{
    if (!word)
        return;
    write_key(writer, key);
    write_text(writer, word);
    fputs(behind, writer->stream);
}

static void write_floor(const struct writer *writer, const char *key, double floor)
{
    if (floor == 0)
        return;
    write_key(writer, key);
    write_number(writer, floor);
    fputs(", ", writer->stream);
}

static void write_note(const struct writer *writer, const struct metric_note *note)
{
    fputc('{', writer->stream);
    if (note->judged) {
        write_word(writer, "better", metric_better_name(note->better), ", ");
        write_word(writer, "class", metric_class_name(note->class), ", ");
        write_word(writer, "clock", note->clock, ", ");
    }
    write_word(writer, "counter", note->counter, ", ");
    if (note->judged) {
        write_floor(writer, "floor", note->floor_absolute);
        write_floor(writer, "floor_share", note->floor_relative);
        write_word(writer, "trade", note->trade, ", ");
    }
    write_word(writer, "unit", note->unit, note->weight ? ", " : "");
    write_word(writer, "weight", note->weight, "");
    fputc('}', writer->stream);
}

static void write_notes(struct writer *writer, const struct run *run)
{
    begin(writer, '{');
    for (size_t i = 0; i < run->note_count; i++) {
        next_item(writer, i == 0);
        write_key(writer, run->notes[i].name);
        write_note(writer, &run->notes[i]);
    }
    end(writer, '}', run->note_count == 0);
}

int run_write(const struct run *run, FILE *stream)
{
    struct writer writer = {.stream = stream};
    begin(&writer, '{');
    next_item(&writer, true);
    write_key(&writer, "device");
    write_device(&writer, &run->device);
    next_item(&writer, false);
    write_key(&writer, "kernels");
    begin(&writer, '{');
    for (size_t i = 0; i < run->result_count; i++) {
        next_item(&writer, i == 0);
        write_result(&writer, &run->results[i]);
    }
    end(&writer, '}', run->result_count == 0);
    next_item(&writer, false);
    write_key(&writer, "metrics");
    write_notes(&writer, run);
    next_item(&writer, false);
    fprintf(stream, "\"schema\": %d", RUN_SCHEMA);
    next_item(&writer, false);
    write_key(&writer, "sessions");
    begin(&writer, '[');
    for (size_t i = 0; i < run->session_count; i++) {
        next_item(&writer, i == 0);
        write_session(&writer, &run->sessions[i]);
    }
    end(&writer, ']', run->session_count == 0);
    end(&writer, '}', false);
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
    struct writer writer = {.stream = stream, .one_line = true};
    fputc('{', stream);
    write_result(&writer, result);
    fputc('}', stream);
    if (fclose(stream) != 0)
        die(EXIT_USAGE, "cannot allocate memory for the result of %s", result->id);
    return line;
}
