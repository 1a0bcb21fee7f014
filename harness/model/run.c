#include "run.h"

#include "base/base.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* clang-format off */
static const char *const fact_names[SESSION_FACTS] = {
    [SESSION_DATE]      = "date",
    [SESSION_COLLECTOR] = "collector",
    [SESSION_DRIVER]    = "driver",
    [SESSION_CUDA]      = "cuda",
    [SESSION_CUPTI]     = "cupti",
    [SESSION_COMPILER]  = "compiler",
    [SESSION_FLAGS]     = "flags",
    [SESSION_GPU_UUID]  = "gpu_uuid",
    [SESSION_NEIGHBOURS] = "neighbours",
    [SESSION_HOST]      = "host",
    [SESSION_COMMIT]    = "commit",
    [SESSION_CUGATE]    = "cugate",
    [SESSION_REASON]    = "reason",
};

static const char *const roof_names[ROOFS] = {
    [ROOF_DRAM] = "dram",   [ROOF_SHARED] = "shared", [ROOF_FP64] = "fp64",
    [ROOF_FP32] = "fp32",   [ROOF_FP16] = "fp16",
};

static const char *const status_names[RESULT_STATUSES] = {
    [RESULT_OK]        = "ok",
    [RESULT_WRONG]     = "wrong result",
    [RESULT_FAILED]    = "failed",
    [RESULT_CRASHED]   = "crashed",
    [RESULT_HUNG]      = "hung",
    [RESULT_NOT_BUILT] = "not built",
};
/* clang-format on */

const char *session_fact_name(enum session_fact fact)
{
    return fact_names[fact];
}

const char *roof_name(enum roof roof)
{
    return roof_names[roof];
}

const char *result_status_name(enum result_status status)
{
    return status_names[status];
}

enum result_status result_status_of(const char *name)
{
    enum result_status status = 0;
    while (status < RESULT_STATUSES && strcmp(status_names[status], name) != 0)
        status++;
    return status;
}

/* Appends to text, with "; " between the parts; what does not fit is cut. */
__attribute__((format(printf, 3, 4))) static void append(char *text, size_t size, const char *format, ...)
{
    size_t used = strlen(text);
    if (used > 0 && used + 2 < size) {
        memcpy(text + used, "; ", 3);
        used += 2;
    }
    va_list list;
    va_start(list, format);
    vsnprintf(text + used, size - used, format, list);
    va_end(list);
}

static void text_difference(const char *what, const char *have, const char *want, char *text, size_t size)
{
    have = have ? have : "unknown";
    want = want ? want : "unknown";
    if (strcmp(have, want) != 0)
        append(text, size, "%s %s, not %s", what, have, want);
}

void device_difference(const struct device *have, const struct device *want, char *text, size_t size)
{
    text[0] = '\0';
    text_difference("GPU", have->name, want->name, text, size);
    text_difference("compute capability", have->compute_capability, want->compute_capability, text, size);
    if (have->sm_count != want->sm_count)
        append(text, size, "SM count %lld, not %lld", have->sm_count, want->sm_count);
    if (have->memory_bytes != want->memory_bytes)
        append(text, size, "memory %lld bytes, not %lld", have->memory_bytes, want->memory_bytes);
    text_difference("ECC", have->ecc ? "on" : "off", want->ecc ? "on" : "off", text, size);
    text_difference("MIG", have->mig ? "on" : "off", want->mig ? "on" : "off", text, size);
}

void row_clear(struct row *row)
{
    for (size_t i = 0; i < row->session_count; i++)
        free(row->sessions[i].samples);
    free(row->sessions);
    free(row->pairs);
    free(row->reason);
    if (row->previous) {
        free(row->previous->date);
        free(row->previous->commit);
        free(row->previous->reason);
        free(row->previous);
    }
    char *const metric = row->metric;
    memset(row, 0, sizeof *row);
    row->metric = metric;
    row->state = VALUE_NOT_COUNTED;
}

static void release_note(struct metric_note *note)
{
    free(note->name);
    free(note->counter);
    free(note->unit);
    free(note->weight);
    free(note->clock);
    free(note->trade);
}

static void release_notes(struct run *run)
{
    for (size_t i = 0; i < run->note_count; i++)
        release_note(&run->notes[i]);
    free(run->notes);
    run->notes = NULL;
    run->note_count = 0;
}

static void release_sessions(struct session *sessions, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t fact = 0; fact < SESSION_FACTS; fact++)
            free(sessions[i].facts[fact]);
    free(sessions);
}

void run_forget_sessions(struct run *run)
{
    release_sessions(run->sessions, run->session_count);
    run->sessions = NULL;
    run->session_count = 0;
}

static void release_launches(struct result *result)
{
    for (size_t i = 0; i < result->launch_count; i++) {
        free(result->launches[i].function);
        free(result->launches[i].code);
    }
    free(result->launches);
    result->launches = NULL;
    result->launch_count = 0;
}

static void release_rows(struct result *result)
{
    for (size_t i = 0; i < result->row_count; i++) {
        row_clear(&result->rows[i]);
        free(result->rows[i].metric);
    }
    free(result->rows);
    result->rows = NULL;
    result->row_count = 0;
}

void result_release(struct result *result)
{
    release_rows(result);
    release_launches(result);
    lines_release(&result->lines);
    lines_release(&result->base_lines);
    release_sessions(result->sessions, result->session_count);
    free(result->unpaired);
    free(result->reason);
    free(result->id);
    *result = (struct result){0};
}

void run_release(struct run *run)
{
    for (size_t i = 0; i < run->result_count; i++)
        result_release(&run->results[i]);
    run_forget_sessions(run);
    release_notes(run);
    free(run->results);
    free(run->device.name);
    free(run->device.compute_capability);
    *run = (struct run){0};
}

struct result *run_find(const struct run *run, const char *id)
{
    const size_t place = place_of_name(run->results, run->result_count, sizeof *run->results, id);
    return place < run->result_count && strcmp(run->results[place].id, id) == 0 ? &run->results[place] : NULL;
}

struct row *result_find(const struct result *result, const char *metric)
{
    const size_t place = place_of_name(result->rows, result->row_count, sizeof *result->rows, metric);
    return place < result->row_count && strcmp(result->rows[place].metric, metric) == 0 ? &result->rows[place] : NULL;
}

struct result *run_add(struct run *run, const char *id)
{
    const size_t place = place_of_name(run->results, run->result_count, sizeof *run->results, id);
    if (place < run->result_count && strcmp(run->results[place].id, id) == 0)
        return &run->results[place];
    struct result *result = ARRAY_INSERT(run->results, run->result_count, place);
    result->id = x_strdup(id);
    return result;
}

struct row *result_add(struct result *result, const char *metric)
{
    const size_t place = place_of_name(result->rows, result->row_count, sizeof *result->rows, metric);
    if (place < result->row_count && strcmp(result->rows[place].metric, metric) == 0)
        return &result->rows[place];
    struct row *row = ARRAY_INSERT(result->rows, result->row_count, place);
    row->metric = x_strdup(metric);
    row->state = VALUE_NOT_COUNTED;
    return row;
}

bool result_remove(struct result *result, const char *metric)
{
    struct row *row = result_find(result, metric);
    if (!row)
        return false;
    row_clear(row);
    free(row->metric);
    const size_t after = --result->row_count - (size_t)(row - result->rows);
    memmove(row, row + 1, after * sizeof *row);
    return true;
}

void row_add_session(struct row *row, const double *samples, size_t count)
{
    if (count == 0)
        BUG("a session of %s without a sample", row->metric);
    for (size_t i = 0; i < count; i++)
        if (!isfinite(samples[i]) || samples[i] < 0) {
            row_clear(row);
            return;
        }
    struct session_samples *session = ARRAY_ADD(row->sessions, row->session_count);
    session->samples = x_calloc(count, sizeof *session->samples);
    session->count = count;
    session->session = row->session_count - 1;
    memcpy(session->samples, samples, count * sizeof *samples);
    row->state = VALUE_MEASURED;
}

void row_add_pair(struct row *row, double base, double head)
{
    if (!isfinite(base) || !isfinite(head) || base < 0 || head < 0)
        BUG("%s: %g and %g are no pair", row->metric, base, head);
    *ARRAY_ADD(row->pairs, row->pair_count) = (struct pair){base, head};
}

size_t row_equal_readings(const struct row *row)
{
    size_t count = 0;
    for (size_t i = 0; i < row->session_count; i++)
        for (size_t k = 0; k < row->sessions[i].count; k++, count++)
            if (row->sessions[i].samples[k] != row->sessions[0].samples[0])
                return 0;
    return row->has_readings ? row->readings : count;
}

double row_session_value(const struct row *row, size_t session)
{
    if (session >= row->session_count)
        BUG("%s has no session %zu", row->metric, session);
    return median(row->sessions[session].samples, row->sessions[session].count);
}

double row_value(const struct row *row)
{
    if (row->state != VALUE_MEASURED || row->session_count == 0)
        BUG("%s was not measured, so it has no value", row->metric);
    /* The running mean does not move where the values are equal. */
    long double mean = 0;
    for (size_t i = 0; i < row->session_count; i++)
        mean += ((long double)row_session_value(row, i) - mean) / (long double)(i + 1);
    return (double)mean;
}

void run_filter(struct run *run, char *const *globs, size_t glob_count)
{
    size_t kept = 0;
    for (size_t i = 0; i < run->result_count; i++) {
        if (glob_any(globs, glob_count, run->results[i].id))
            run->results[kept++] = run->results[i];
        else
            result_release(&run->results[i]);
    }
    run->result_count = kept;
}

static bool is_text_equal(const char *a, const char *b)
{
    return order_of_texts(a, b) == 0;
}

static int order_of_facts(const struct session *a, const struct session *b, enum session_fact end)
{
    int order = 0;
    for (enum session_fact fact = SESSION_DATE; fact < end && order == 0; fact++)
        order = order_of_texts(a->facts[fact], b->facts[fact]);
    return order;
}

int by_session(const void *left, const void *right)
{
    return order_of_facts(left, right, SESSION_REASON);
}

int by_session_and_reason(const void *left, const void *right)
{
    return order_of_facts(left, right, SESSION_FACTS);
}

bool session_is_equal(const struct session *a, const struct session *b)
{
    return by_session_and_reason(a, b) == 0;
}

void session_copy(struct session *to, const struct session *from)
{
    for (size_t fact = 0; fact < SESSION_FACTS; fact++)
        to->facts[fact] = x_strdup(from->facts[fact]);
    memcpy(to->roofs, from->roofs, sizeof to->roofs);
}

const char *run_date(const struct run *run)
{
    return run->session_count > 0 ? run->sessions[run->session_count - 1].facts[SESSION_DATE] : NULL;
}

void run_add_session(struct run *run, const struct session *session)
{
    for (size_t i = 0; i < run->session_count; i++)
        if (session_is_equal(&run->sessions[i], session))
            return;
    session_copy(ARRAY_ADD(run->sessions, run->session_count), session);
}

struct metric_note *run_find_note(const struct run *run, const char *metric)
{
    const size_t place = place_of_name(run->notes, run->note_count, sizeof *run->notes, metric);
    return place < run->note_count && strcmp(run->notes[place].name, metric) == 0 ? &run->notes[place] : NULL;
}

bool note_is_equal(const struct metric_note *a, const struct metric_note *b)
{
    return is_text_equal(a->name, b->name) && is_text_equal(a->counter, b->counter) && is_text_equal(a->unit, b->unit);
}

void run_set_note(struct run *run, const struct metric_note *note)
{
    struct metric_note copy = *note;
    copy.name = x_strdup(note->name);
    copy.counter = x_strdup(note->counter);
    copy.unit = x_strdup(note->unit);
    copy.weight = x_strdup(note->weight);
    copy.clock = x_strdup(note->clock);
    copy.trade = x_strdup(note->trade);
    struct metric_note *known = run_find_note(run, note->name);
    if (known) {
        release_note(known);
        *known = copy;
        return;
    }
    const size_t place = place_of_name(run->notes, run->note_count, sizeof *run->notes, note->name);
    *ARRAY_INSERT(run->notes, run->note_count, place) = copy;
}

void run_note_metrics(struct run *run, const struct metrics *metrics)
{
    release_notes(run);
    for (size_t i = 0; i < metrics->count; i++) {
        const struct metric_note note = note_of_metric(&metrics->list[i]);
        run_set_note(run, &note);
    }
}

void result_fail(struct result *result, enum result_status status, const char *reason)
{
    release_rows(result);
    lines_release(&result->lines);
    lines_release(&result->base_lines);
    free(result->reason);
    result->status = status;
    result->reason = x_strdup(reason);
}

size_t result_uncounted(const struct result *result)
{
    size_t count = 0;
    for (size_t i = 0; i < result->row_count; i++)
        count += result->rows[i].state == VALUE_NOT_COUNTED;
    return count;
}

void result_copy_facts(struct result *to, const struct result *from)
{
    release_launches(to);
    to->bytes = from->bytes;
    to->flops = from->flops;
    for (size_t i = 0; i < from->launch_count; i++) {
        struct launch *launch = ARRAY_ADD(to->launches, to->launch_count);
        *launch = from->launches[i];
        launch->function = x_strdup(from->launches[i].function);
        launch->code = x_strdup(from->launches[i].code);
    }
}

static int order_of_launches(const struct launch *a, const struct launch *b)
{
    const int code = order_of_texts(a->code, b->code);
    const int grid = memcmp(a->grid, b->grid, sizeof a->grid), block = memcmp(a->block, b->block, sizeof a->block);
    const int shared = (a->shared > b->shared) - (a->shared < b->shared);
    const int times = (a->times > b->times) - (a->times < b->times);
    return code ? code : grid ? grid : block ? block : shared ? shared : times;
}

int order_of_code(const struct result *a, const struct result *b)
{
    int order = (a->launch_count > b->launch_count) - (a->launch_count < b->launch_count);
    for (size_t i = 0; i < a->launch_count && order == 0; i++)
        order = order_of_launches(&a->launches[i], &b->launches[i]);
    return order;
}

bool same_code(const struct result *base, const struct result *now)
{
    bool known = base->launch_count > 0;
    for (size_t i = 0; i < base->launch_count && known; i++)
        known = base->launches[i].code;
    return known && order_of_code(base, now) == 0;
}

bool same_work(const struct result *base, const struct result *now, const struct metrics *metrics)
{
    if (!same_code(base, now))
        return false;
    size_t compared = 0;
    for (size_t m = 0; m < metrics->count; m++) {
        const struct row *was = result_find(base, metrics->list[m].name);
        const struct row *is = result_find(now, metrics->list[m].name);
        if (metrics->list[m].class != METRIC_EXACT || !was || !is || was->state != VALUE_MEASURED ||
            is->state != VALUE_MEASURED)
            continue;
        if (row_value(was) != row_value(is))
            return false;
        compared++;
    }
    return compared > 0;
}

static void append_rows(struct result *to, const struct result *from)
{
    for (size_t i = 0; i < to->row_count; i++) {
        struct row *row = &to->rows[i];
        const struct row *more = result_find(from, row->metric);
        if (row->state != VALUE_MEASURED || !more || more->state != VALUE_MEASURED)
            continue;
        for (size_t k = 0; k < more->session_count && row->state == VALUE_MEASURED; k++)
            row_add_session(row, more->sessions[k].samples, more->sessions[k].count);
    }
}

void run_append(struct run *run, const struct run *more)
{
    for (size_t i = 0; i < more->session_count; i++)
        run_add_session(run, &more->sessions[i]);
    for (size_t i = 0; i < run->result_count; i++) {
        struct result *result = &run->results[i];
        const struct result *from = run_find(more, result->id);
        if (!from || result->status != RESULT_OK)
            continue;
        if (from->status == RESULT_OK) {
            append_rows(result, from);
            continue;
        }
        result_fail(result, from->status, from->reason);
    }
}
