/* Handles the messages of workers. Each is compared with what a worker may say at that time. */
#include "pool_parts.h"

#include "base/base.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char pool_out_of_turn[] = "spoke out of turn: something in the library writes to a descriptor of cugate's";

static size_t split_lines(const char *text, char ***lines)
{
    char *copy = x_strdup(text), *rest = NULL;
    size_t count = 0;
    *lines = NULL;
    for (char *line = strtok_r(copy, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
        *ARRAY_GROW(*lines, count) = x_strdup(line);
    free(copy);
    return count;
}

void free_lines(char **lines, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(lines[i]);
    free(lines);
}

static char *seat_name(const struct seat *seat)
{
    const char *uuid = seat->session.facts[SESSION_GPU_UUID];
    return uuid ? x_sprintf("GPU %d (%s)", seat->device, uuid) : x_sprintf("device %d", seat->device);
}

void seat_tell(struct seat *seat)
{
    const struct share *share = &seat->share;
    seat->since = now_seconds();
    seat->deadline = seat_has_share(seat) ? seat->since + seat->pool->measurement->timeout : HUGE_VAL;
    if (!seat_has_share(seat))
        return;
    seat->told = share->first < share->alone_until ? share->first + 1 : share->end;
    char *text = queue_text(seat->pool, share->first, seat->told);
    message_write(seat->worker.pipe, MESSAGE_SHARE, text); /* if the worker is gone, that is noticed soon enough */
    free(text);
}

/* ---- Kernels ---- */

/* Returns those kernels of a worker's list that are still to be measured: it was started when there were more. Caller
 * frees. */
static char *keep_remaining(const struct measurement *measurement, const char *text)
{
    char **ids, *kept = x_calloc(strlen(text) + 2, 1), *end = kept;
    const size_t count = split_lines(text, &ids);
    for (size_t i = 0; i < count; i++)
        if (glob_any(measurement->globs, measurement->glob_count, ids[i]))
            end += sprintf(end, "%s\n", ids[i]);
    free_lines(ids, count);
    return kept;
}

/* Takes the list of kernels. Every worker chooses from the same library by the same globs, so all lists have to be
 * equal. */
static bool take_list(struct seat *seat, const char *text)
{
    struct pool *pool = seat->pool;
    if (seat->state != SEAT_STARTED || (*text == '\0' && !pool->measurement->skip_unmatched))
        return false;
    seat->state = SEAT_LISTED;
    char *list = seat->ahead ? keep_remaining(pool->measurement, text) : x_strdup(text);
    const bool good = !pool->list || strcmp(pool->list, list) == 0;
    if (!pool->list) {
        pool->list = list;
        pool->count = split_lines(list, &pool->ids);
        pool->seconds = x_calloc(pool->count, sizeof *pool->seconds);
        queue_fill(pool);
    } else {
        free(list);
    }
    if (!good)
        return false;
    /* The worker's share is chosen before it opens its GPU. The first worker opens it in any case. */
    if (!seat_has_share(seat) && !queue_take(seat) && (pool->count > 0 || seat->number > 0))
        seat->state = SEAT_DISMISSED;
    message_write(seat->worker.pipe, seat->state == SEAT_DISMISSED ? MESSAGE_SHARE : MESSAGE_GO, "");
    return true;
}

/* ---- The device ---- */

/* Returns whether the GPU is another one than that of the worker before, which may have failed. */
static bool is_other_device(const struct seat *seat, const struct run *described)
{
    char difference[512];
    device_difference(&described->device, &seat->pool->run->device, difference, sizeof difference);
    return *difference != '\0' ||
           order_of_texts(seat->session.facts[SESSION_GPU_UUID], described->sessions[0].facts[SESSION_GPU_UUID]) != 0;
}

/* Returns whether one run can have this GPU together with those of the other seats. */
static bool fits_the_others(const struct seat *seat, const struct run *described)
{
    const struct pool *pool = seat->pool;
    const char *uuid = described->sessions[0].facts[SESSION_GPU_UUID];
    for (size_t i = 0; i < pool->seat_count; i++) {
        const struct seat *other = &pool->seats[i];
        char difference[512];
        if (other == seat || !other->has_session)
            continue;
        device_difference(&described->device, &pool->run->device, difference, sizeof difference);
        if (*difference)
            error(
                "cannot measure: GPU %d is another model than GPU %d: %s; a run is of one model, so name those of one "
                "with --device",
                seat->device, other->device, difference);
        else if (uuid && order_of_texts(uuid, other->session.facts[SESSION_GPU_UUID]) == 0)
            error("cannot measure: --device %d and %d are the same GPU, %s; see CUDA_VISIBLE_DEVICES", other->device,
                  seat->device, uuid);
        else
            continue;
        return false;
    }
    return true;
}

/* Returns whether another session has the same date. Sessions are told apart by their facts, so no two may. */
static bool is_like_another(const struct seat *seat)
{
    for (size_t i = 0; i < seat->pool->seat_count; i++)
        if (&seat->pool->seats[i] != seat && seat->pool->seats[i].has_session &&
            session_is_equal(&seat->pool->seats[i].session, &seat->session))
            return true;
    return false;
}

/* Keeps the description of the seat's first worker as its session. That of the first seat becomes the run's device. */
static void keep_session(struct seat *seat, struct run *described)
{
    struct pool *pool = seat->pool;
    session_copy(&seat->session, &described->sessions[0]);
    seat->session.ordinal = seat->device;
    seat->has_session = true;
    if (!pool->measurement->profile) /* of a profile only the lines are kept */
        do
            measure_complete_session(&seat->session);
        while (is_like_another(seat));
    if (pool->run->device.name)
        return;
    pool->run->device = described->device;
    described->device = (struct device){0};
    run_note_metrics(pool->run, pool->measurement->metrics);
}

static enum ending take_device(struct seat *seat, const char *text)
{
    const struct pool *pool = seat->pool;
    struct run described = {0};
    if (seat->state != SEAT_LISTED || run_parse(&described, "the worker's message", text, strlen(text)) < 0)
        return ENDING_OUT_OF_TURN;
    enum ending ending = ENDING_NOT_YET;
    seat->state = SEAT_OPEN;
    if (described.session_count != 1 || described.result_count > 0) {
        ending = ENDING_OUT_OF_TURN;
    } else if (seat->has_session && is_other_device(seat, &described)) {
        error("cannot measure: the GPU is another one than that of the first kernels");
        ending = ENDING_IMPOSSIBLE;
    } else if (!seat->has_session && !fits_the_others(seat, &described)) {
        ending = ENDING_MIXED;
    } else {
        if (!seat->has_session)
            keep_session(seat, &described);
        if (pool->measurement->relay)
            relay_await_gone(pool->measurement->relay, seat->device);
        seat_tell(seat);
    }
    run_release(&described);
    return ending;
}

/* ---- Results ---- */

/* Draws the progress line. The seat that speaks tells which of its kernels is at work. */
static void draw(const struct seat *at, size_t kernel)
{
    struct pool *pool = at->pool;
    size_t begun = 0;
    char *names = x_strdup("");
    for (size_t i = 0; i < pool->seat_count; i++) {
        const struct seat *seat = &pool->seats[i];
        if (seat->begun == 0)
            continue;
        const size_t shown = seat == at ? kernel : seat->share.first + seat->begun - 1;
        char *longer = x_sprintf("%s%s%s", names, *names ? ", " : "", pool->ids[shown]);
        begun += seat->share.failed_on < 0 ? seat->begun : 0;
        free(names);
        names = longer;
    }
    progress_draw(&pool->progress, pool->run->result_count + begun, pool->run->result_count, pool->count, names);
    free(names);
}

/* Adds the time since the last message to the kernel that was at work, or to the next one if none was. Kernels that are
 * measured together take turns, and each message says whose turn it is. */
static void spend(struct seat *seat, size_t next)
{
    const double now = now_seconds();
    double *next_works = &seat->pool->seconds[next];
    *(seat->works ? seat->works : next_works) += now - seat->since;
    seat->works = next_works;
    seat->since = now;
}

/* Handles the start of a kernel: the next one begins, or one of several that have begun is at work. */
static bool take_start(struct seat *seat, const char *id)
{
    const struct pool *pool = seat->pool;
    const size_t next = seat->share.first + seat->begun;
    if (seat->state != SEAT_OPEN || seat->gave_up || !seat_has_share(seat))
        return false;
    if (next < seat->told && strcmp(pool->ids[next], id) == 0) {
        seat->together = ++seat->begun > 1;
        spend(seat, next);
        draw(seat, next);
        return true;
    }
    for (size_t k = seat->share.first; seat->begun > 1 && k < next; k++) {
        if (strcmp(pool->ids[k], id) != 0)
            continue;
        spend(seat, k);
        draw(seat, k);
        return true;
    }
    return false;
}

static bool take_lost(struct seat *seat, const char *reason)
{
    if (seat->begun < 2 || seat->gave_up)
        return false;
    seat->gave_up = x_strdup(reason);
    return true;
}

/* Returns whether a result may be a worker's. A worker is one session. It may not give what only a baseline has, what
 * other workers find out, or how it ends itself. If a row is not ok, it has to give a reason. */
static bool is_of_a_worker(const struct result *result)
{
    if (result->status == RESULT_CRASHED || result->status == RESULT_HUNG ||
        (result->status != RESULT_OK && !result->reason))
        return false;
    for (size_t i = 0; i < result->row_count; i++) {
        const struct row *row = &result->rows[i];
        const bool one = row->session_count == 0 || (row->session_count == 1 && row->sessions[0].session == 0);
        if (!one || row_is_annotated(row))
            return false;
    }
    return !result->elsewhere && !result->unpaired;
}

/* Moves on in the share, whose first kernel has its result. */
static void advance_share(struct seat *seat)
{
    seat->begun -= seat->begun > 0;
    seat->together &= seat->begun > 0;
    seat->measured++;
    seat->last = seat->share.first++;
    seat->last_failed_on = seat->share.failed_on;
}

static const char *failed_words(enum result_status status)
{
    return status == RESULT_CRASHED ? "crashed" : status == RESULT_HUNG ? "hung" : "failed";
}

/* Combines the results of a kernel that failed on one GPU and was tried on another: both are reported. A wrong result
 * stays wrong. */
static void combine_second(const struct seat *seat, struct result *first, struct result *second)
{
    const struct seat *other = &seat->pool->seats[seat->share.failed_on];
    char *there = seat_name(other), *here = seat_name(seat);
    char *how = x_sprintf("it %s on %s: %s", failed_words(first->status), there, first->reason);
    if (second->status == RESULT_OK) {
        warning("%s: %s; on %s it was measured", first->id, how, here);
        result_note_elsewhere(second, how);
    } else {
        const bool alike = second->status == first->status && strcmp(second->reason, first->reason) == 0;
        char *reason = alike ? x_sprintf("%s; on %s and on %s", second->reason, there, here)
                             : x_sprintf("%s; before, %s", second->reason, how);
        result_fail(second, second->status, reason);
        free(reason);
    }
    free(how);
    free(here);
    free(there);
}

/* Keeps a result, which the run owns from then on. */
static void keep_result(struct seat *seat, size_t kernel, struct result *taken)
{
    struct pool *pool = seat->pool;
    struct result *result = run_add(pool->run, taken->id);
    const bool at_work = seat_has_share(seat) && seat->share.first == kernel;
    const bool second = (at_work ? seat->share.failed_on : seat->last_failed_on) >= 0;
    const bool failed =
        taken->status != RESULT_OK && taken->status != RESULT_WRONG && taken->status != RESULT_NOT_BUILT;
    if (second && at_work)
        combine_second(seat, result, taken);
    result_release(result);
    *result = *taken;
    if (failed && !second)
        queue_try_elsewhere(seat, kernel);
}

void pool_fail(struct seat *seat, size_t kernel, enum result_status status, const char *reason)
{
    struct result result = {.id = x_strdup(seat->pool->ids[kernel])};
    result_fail(&result, status, reason);
    keep_result(seat, kernel, &result);
    if (seat_has_share(seat) && seat->share.first == kernel)
        advance_share(seat);
}

static bool take_result(struct seat *seat, const char *line)
{
    struct pool *pool = seat->pool;
    struct result taken = {0};
    if (seat->begun == 0 || seat->gave_up || result_from_line(&taken, line) < 0)
        return false;
    if (strcmp(taken.id, pool->ids[seat->share.first]) != 0 || !is_of_a_worker(&taken)) {
        result_release(&taken);
        return false;
    }
    spend(seat, seat->share.first);
    seat->works = NULL;
    /* The parent's own time, whatever the worker said. */
    taken.seconds = ceil(pool->seconds[seat->share.first] * 1e6) / 1e6;
    pool->seconds[seat->share.first] = 0;
    result_demangle(&taken);
    result_set_session(&taken, (size_t)seat->number);
    const bool leaves = taken.status == RESULT_FAILED || pool->measurement->profile || pool->measurement->dry;
    seat->state = leaves ? SEAT_LEAVING : SEAT_OPEN;
    keep_result(seat, seat->share.first, &taken);
    advance_share(seat);
    if (seat_has_share(seat) && seat->share.first == seat->told && !leaves)
        seat_tell(seat);
    return true;
}

/* ---- All ---- */

static bool say_no_match(const char *ids)
{
    char **names;
    const size_t count = split_lines(ids, &names);
    if (count == 0 || strncmp(names[0], "-k '", 4) != 0) {
        free_lines(names, count);
        return false;
    }
    const char *near = nearest_name(names[0] + strlen("-k '"), (const char *const *)&names[1], count - 1);
    error("no kernel matches %s%s%s%s; `cugate list` shows all %zu", names[0], near ? "; did you mean '" : "",
          near ? near : "", near ? "'?" : "", count - 1);
    free_lines(names, count);
    return true;
}

static enum ending goes_on(bool good)
{
    return good ? ENDING_NOT_YET : ENDING_OUT_OF_TURN;
}

static enum ending take_failure(const struct seat *seat, const char *text)
{
    if (seat->state >= SEAT_OPEN)
        return ENDING_OUT_OF_TURN;
    if (seat->ahead) /* a worker that was started early is replaced, and the next one reports it if it is still so */
        return ENDING_NEXT;
    progress_erase(&seat->pool->progress);
    if (seat->pool->seat_count > 1)
        error("cannot measure on device %d: %s", seat->device, text);
    else
        error("cannot measure: %s", text);
    return ENDING_IMPOSSIBLE;
}

static enum ending take_message(struct seat *seat, const struct message *message)
{
    switch (message->kind) {
    case MESSAGE_KERNELS:
        return goes_on(take_list(seat, message->text));
    case MESSAGE_DEVICE:
        return take_device(seat, message->text);
    case MESSAGE_START:
        return goes_on(take_start(seat, message->text));
    case MESSAGE_RESULT:
        return goes_on(take_result(seat, message->text));
    case MESSAGE_LOST:
        return goes_on(take_lost(seat, message->text));
    case MESSAGE_FAILURE:
        return take_failure(seat, message->text);
    case MESSAGE_UNUSABLE:
        if (seat->state != SEAT_STARTED)
            return ENDING_OUT_OF_TURN;
        error("%s", message->text);
        return ENDING_USAGE;
    case MESSAGE_NO_MATCH:
        return seat->state == SEAT_STARTED && say_no_match(message->text) ? ENDING_USAGE : ENDING_OUT_OF_TURN;
    case MESSAGE_END:
        return seat->state == SEAT_TOLD_END ? ENDING_DONE : ENDING_OUT_OF_TURN;
    default:
        break;
    }
    return ENDING_OUT_OF_TURN;
}

enum ending pool_take(struct seat *seat, const struct message *message)
{
    seat->deadline = now_seconds() + seat->pool->measurement->timeout;
    return take_message(seat, message);
}
