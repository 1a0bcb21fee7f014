/* Handles the messages of workers. Each is compared with what a worker may say at that time. */
#include "pool_parts.h"

#include "names/names.h"

const char pool_out_of_turn[] = "sent unexpected data: something in the library writes to one of cugate's descriptors";

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

static char *slot_name(const struct slot *slot)
{
    const char *uuid = slot->session.facts[SESSION_GPU_UUID];
    return uuid ? x_sprintf("GPU %d (%s)", slot->device, uuid) : x_sprintf("device %d", slot->device);
}

void slot_tell(struct slot *slot)
{
    const struct item *item = &slot->item;
    slot->since = now_seconds();
    slot->limit = slot->since + HEADWAY_TIMES * slot->pool->measurement->timeout;
    slot->deadline = slot_has_item(slot) ? slot->since + slot->pool->measurement->timeout : HUGE_VAL;
    if (!slot_has_item(slot))
        return;
    slot->told = item->first < item->alone_until ? item->first + 1 : item->end;
    OWNED_TEXT text = queue_text(slot->pool, item->first, slot->told);
    message_write(slot->worker.pipe, MESSAGE_ITEM, text); /* if the worker is gone, that is noticed soon enough */
}

/* ---- Kernels ---- */

/* Returns those kernels of a worker's list that are still to be measured: it was started with more. Caller frees. */
static char *keep_remaining(const struct measurement *measurement, const char *text)
{
    char **ids, *kept = x_calloc(strlen(text) + 2, 1), *end = kept;
    const size_t count = split_lines(text, &ids);
    for (size_t i = 0; i < count; i++)
        if (glob_any(measurement->globs, measurement->glob_count, ids[i]))
            end += sprintf(end, "%s\n", ids[i]);
    free_texts(ids, count);
    return kept;
}

/* Takes the list of kernels. Every worker chooses from the same library by the same globs, so all lists are equal. */
static bool take_list(struct slot *slot, const char *text)
{
    struct pool *pool = slot->pool;
    if (slot->state != SLOT_STARTED || (*text == '\0' && !pool->measurement->skip_unmatched))
        return false;
    slot->state = SLOT_LISTED;
    char *list = slot->ahead ? keep_remaining(pool->measurement, text) : x_strdup(text);
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
    /* The worker's item is chosen before it opens its GPU. The first worker opens it in any case. */
    if (!slot_has_item(slot) && !queue_take(slot) && (pool->count > 0 || slot->number > 0))
        slot->state = SLOT_DISMISSED;
    message_write(slot->worker.pipe, slot->state == SLOT_DISMISSED ? MESSAGE_ITEM : MESSAGE_GO, "");
    return true;
}

/* ---- The device ---- */

/* Returns whether the GPU is another one than that of the worker before, which may have failed. */
static bool is_other_device(const struct slot *slot, const struct run *described)
{
    char difference[512];
    device_difference(&described->device, &slot->pool->run->device, difference, sizeof difference);
    return *difference != '\0' ||
           order_of_texts(slot->session.facts[SESSION_GPU_UUID], described->sessions[0].facts[SESSION_GPU_UUID]) != 0;
}

/* Returns whether one run can have this GPU together with those of the other slots. */
static bool fits_the_others(const struct slot *slot, const struct run *described)
{
    const struct pool *pool = slot->pool;
    const char *uuid = described->sessions[0].facts[SESSION_GPU_UUID];
    EACH(const struct slot, other, pool->slots, pool->slot_count) {
        char difference[512];
        if (other == slot || !other->has_session)
            continue;
        device_difference(&described->device, &pool->run->device, difference, sizeof difference);
        if (*difference)
            error("cannot measure: GPU %d is a different model than GPU %d: %s; choose one model with --device",
                  slot->device, other->device, difference);
        else if (uuid && order_of_texts(uuid, other->session.facts[SESSION_GPU_UUID]) == 0)
            error("cannot measure: --device %d and %d are the same GPU, %s; see CUDA_VISIBLE_DEVICES", other->device,
                  slot->device, uuid);
        else
            continue;
        return false;
    }
    return true;
}

/* Returns whether another session has the same date. Sessions are told apart by their facts, so no two may. */
static bool is_like_another(const struct slot *slot)
{
    return ANY(i, slot->pool->slot_count,
               &slot->pool->slots[i] != slot && slot->pool->slots[i].has_session &&
                   session_is_equal(&slot->pool->slots[i].session, &slot->session));
}

/* Keeps the description of the slot's first worker as its session. That of the first slot becomes the run's device. */
static void keep_session(struct slot *slot, struct run *described)
{
    struct pool *pool = slot->pool;
    session_copy(&slot->session, &described->sessions[0]);
    slot->session.ordinal = slot->device;
    slot->has_session = true;
    if (!pool->measurement->profile) /* of that only the lines are kept */
        do
            measure_complete_session(&slot->session);
        while (is_like_another(slot));
    if (pool->run->device.name)
        return;
    pool->run->device = described->device;
    described->device = (struct device){0};
    run_note_metrics(pool->run, pool->measurement->metrics);
}

static enum ending take_device(struct slot *slot, const char *text)
{
    const struct pool *pool = slot->pool;
    OWNED(run) described = {0};
    if (slot->state != SLOT_LISTED || run_parse(&described, "the worker's message", text, strlen(text)) < 0)
        return ENDING_OUT_OF_TURN;
    enum ending ending = ENDING_NOT_YET;
    slot->state = SLOT_OPEN;
    if (described.session_count != 1 || described.result_count > 0) {
        ending = ENDING_OUT_OF_TURN;
    } else if (slot->has_session && is_other_device(slot, &described)) {
        error("cannot measure: the GPU is not the one that measured the first kernels");
        ending = ENDING_IMPOSSIBLE;
    } else if (!slot->has_session && !fits_the_others(slot, &described)) {
        ending = ENDING_MIXED;
    } else {
        if (!slot->has_session)
            keep_session(slot, &described);
        if (pool->measurement->relay)
            relay_await_gone(pool->measurement->relay, slot->device);
        slot_tell(slot);
    }
    return ending;
}

/* ---- Results ---- */

/* Draws the progress line. The slot that speaks tells which of its kernels is at work. */
static void draw(const struct slot *at, size_t kernel)
{
    struct pool *pool = at->pool;
    size_t begun = 0;
    OWNED_TEXT names = x_strdup("");
    EACH(const struct slot, slot, pool->slots, pool->slot_count) {
        if (slot->begun == 0)
            continue;
        const size_t shown = slot == at ? kernel : slot->item.first + slot->begun - 1;
        begun += slot->item.failed_on < 0 ? slot->begun : 0;
        x_append(&names, ", ", "%s", pool->ids[shown]);
    }
    progress_draw(&pool->progress, pool->run->result_count + begun, pool->run->result_count, pool->count, names,
                  &at->headway);
}

/* Adds the time since the last message to the kernel that was at work, or to the next one if none was. Kernels that are
 * measured together take turns, and each message says whose turn it is. */
static void spend(struct slot *slot, size_t next)
{
    const double now = now_seconds();
    double *next_works = &slot->pool->seconds[next];
    *(slot->works ? slot->works : next_works) += now - slot->since;
    slot->works = next_works;
    slot->since = now;
}

/* Handles the start of a kernel: the next one begins, or one of several that have begun is at work. */
static bool take_start(struct slot *slot, const char *id)
{
    const struct pool *pool = slot->pool;
    const size_t next = slot->item.first + slot->begun;
    if (slot->state != SLOT_OPEN || slot->gave_up || !slot_has_item(slot))
        return false;
    if (next < slot->told && strcmp(pool->ids[next], id) == 0) {
        slot->together = ++slot->begun > 1;
        slot->limit = now_seconds() + HEADWAY_TIMES * pool->measurement->timeout;
        slot->headway = (struct launch_headway){0};
        spend(slot, next);
        draw(slot, next);
        return true;
    }
    for (size_t k = slot->item.first; slot->begun > 1 && k < next; k++) {
        if (strcmp(pool->ids[k], id) != 0)
            continue;
        spend(slot, k);
        draw(slot, k);
        return true;
    }
    return false;
}

/* Takes how far a launch is. What is simulated is not hung while blocks end; but it is when it has taken too long in
 * all, since a program may launch for ever. Launches between two kernels clean up. */
static bool take_headway(struct slot *slot, const char *text)
{
    if (slot->state < SLOT_OPEN || !slot->pool->measurement->backend->tells_headway ||
        !headway_from_text(&slot->headway, text))
        return false;
    slot->deadline = fmin(slot->deadline, slot->limit);
    if (slot->begun > 0)
        draw(slot, slot->item.first + slot->begun - 1);
    return true;
}

static bool take_lost(struct slot *slot, const char *reason)
{
    if (slot->begun < 2 || slot->gave_up)
        return false;
    slot->gave_up = x_strdup(reason);
    return true;
}

/* Returns whether a result may be a worker's. A worker is one session. It may not give what only a baseline has, what
 * other workers find out, or how it ends itself. If a row is not ok, it has to give a reason. */
static bool is_of_a_worker(const struct result *result)
{
    if (result->status == RESULT_CRASHED || result->status == RESULT_HUNG ||
        (result->status != RESULT_OK && !result->reason))
        return false;
    EACH(const struct row, row, result->rows, result->row_count) {
        const bool one = row->session_count == 0 || (row->session_count == 1 && row->sessions[0].session == 0);
        if (!one || row_is_annotated(row))
            return false;
    }
    return !result->elsewhere && !result->unpaired;
}

/* Moves on in the item, whose first kernel has its result. */
static void advance_item(struct slot *slot)
{
    slot->begun -= slot->begun > 0;
    slot->together &= slot->begun > 0;
    slot->measured++;
    slot->last = slot->item.first++;
    slot->last_failed_on = slot->item.failed_on;
}

static const char *failed_words(enum result_status status)
{
    return status == RESULT_CRASHED ? "crashed" : status == RESULT_HUNG ? "hung" : "failed";
}

/* Combines the results of a kernel that failed on one GPU and was tried on another: both are reported. A wrong result
 * stays wrong. */
static void combine_second(const struct slot *slot, struct result *first, struct result *second)
{
    const struct slot *other = &slot->pool->slots[slot->item.failed_on];
    OWNED_TEXT there = slot_name(other), *here = slot_name(slot);
    OWNED_TEXT how = x_sprintf("it %s on %s (%s)", failed_words(first->status), there, first->reason);
    if (second->status == RESULT_OK) {
        warning("%s: %s, but succeeded on %s", first->id, how, here);
        result_note_elsewhere(second, how);
    } else {
        const bool alike = second->status == first->status && strcmp(second->reason, first->reason) == 0;
        OWNED_TEXT reason = alike ? x_sprintf("%s, both on %s and on %s", second->reason, there, here)
                                  : x_sprintf("%s; before, %s", second->reason, how);
        result_fail(second, second->status, reason);
    }
}

/* Keeps a result, which the run owns from then on. */
static void keep_result(struct slot *slot, size_t kernel, struct result *taken)
{
    struct pool *pool = slot->pool;
    struct result *result = run_add(pool->run, taken->id);
    const bool at_work = slot_has_item(slot) && slot->item.first == kernel;
    const bool second = (at_work ? slot->item.failed_on : slot->last_failed_on) >= 0;
    const bool failed =
        taken->status != RESULT_OK && taken->status != RESULT_WRONG && taken->status != RESULT_NOT_BUILT;
    if (second && at_work)
        combine_second(slot, result, taken);
    result_release(result);
    *result = *taken;
    if (failed && !second)
        queue_try_elsewhere(slot, kernel);
}

void pool_fail(struct slot *slot, size_t kernel, enum result_status status, const char *reason)
{
    struct result result = {.id = x_strdup(slot->pool->ids[kernel])};
    result_fail(&result, status, reason);
    keep_result(slot, kernel, &result);
    if (slot_has_item(slot) && slot->item.first == kernel)
        advance_item(slot);
}

static bool take_result(struct slot *slot, const char *line)
{
    struct pool *pool = slot->pool;
    struct result taken = {0};
    if (slot->begun == 0 || slot->gave_up || result_from_line(&taken, line) < 0)
        return false;
    if (strcmp(taken.id, pool->ids[slot->item.first]) != 0 || !is_of_a_worker(&taken)) {
        result_release(&taken);
        return false;
    }
    spend(slot, slot->item.first);
    slot->works = NULL;
    /* The parent's own time, whatever the worker said. */
    taken.seconds = ceil(pool->seconds[slot->item.first] * 1e6) / 1e6;
    pool->seconds[slot->item.first] = 0;
    result_demangle(&taken);
    result_set_session(&taken, (size_t)slot->number);
    const bool leaves = taken.status == RESULT_FAILED || pool->measurement->profile || pool->measurement->dry;
    slot->state = leaves ? SLOT_LEAVING : SLOT_OPEN;
    keep_result(slot, slot->item.first, &taken);
    advance_item(slot);
    if (slot_has_item(slot) && slot->item.first == slot->told && !leaves)
        slot_tell(slot);
    return true;
}

/* ---- All ---- */

static bool say_no_match(const char *ids)
{
    char **names;
    const size_t count = split_lines(ids, &names);
    if (count == 0 || strncmp(names[0], "-k '", 4) != 0) {
        free_texts(names, count);
        return false;
    }
    const char *const *all = (const char *const *)&names[1], *first = names[0] + strlen("-k '");
    OWNED_TEXT glob = x_sprintf("%.*s", (int)strcspn(first, "'"), first);
    const char *near = kernel_names_near(glob, all, count - 1);
    OWNED_TEXT family = near ? NULL : kernel_names_family(glob, all, count - 1);
    const char *meant = near ? near : family;
    error("no kernel matches %s%s%s%s `cugate list` shows all %zu", names[0], meant ? "; did you mean '" : ";",
          meant ? meant : "", meant ? "'?" : "", count - 1);
    free_texts(names, count);
    return true;
}

static enum ending goes_on(bool good)
{
    return good ? ENDING_NOT_YET : ENDING_OUT_OF_TURN;
}

static enum ending take_failure(const struct slot *slot, const char *text)
{
    if (slot->state >= SLOT_OPEN)
        return ENDING_OUT_OF_TURN;
    if (slot->ahead) /* a worker that was started early is replaced, and the next one reports it if it is still so */
        return ENDING_NEXT;
    progress_erase(&slot->pool->progress);
    if (slot->pool->slot_count > 1)
        error("cannot measure on device %d: %s", slot->device, text);
    else
        error("cannot measure: %s", text);
    return ENDING_IMPOSSIBLE;
}

static enum ending take_message(struct slot *slot, const struct message *message)
{
    switch (message->kind) {
    case MESSAGE_KERNELS:
        return goes_on(take_list(slot, message->text));
    case MESSAGE_DEVICE:
        return take_device(slot, message->text);
    case MESSAGE_START:
        return goes_on(take_start(slot, message->text));
    case MESSAGE_HEADWAY:
        return goes_on(take_headway(slot, message->text));
    case MESSAGE_RESULT:
        return goes_on(take_result(slot, message->text));
    case MESSAGE_LOST:
        return goes_on(take_lost(slot, message->text));
    case MESSAGE_FAILURE:
        return take_failure(slot, message->text);
    case MESSAGE_UNUSABLE:
        if (slot->state != SLOT_STARTED)
            return ENDING_OUT_OF_TURN;
        error("%s", message->text);
        return ENDING_USAGE;
    case MESSAGE_NO_MATCH:
        return slot->state == SLOT_STARTED && say_no_match(message->text) ? ENDING_USAGE : ENDING_OUT_OF_TURN;
    case MESSAGE_END:
        return slot->state == SLOT_TOLD_END ? ENDING_DONE : ENDING_OUT_OF_TURN;
    default:
        break;
    }
    return ENDING_OUT_OF_TURN;
}

enum ending pool_take(struct slot *slot, const struct message *message)
{
    slot->deadline = now_seconds() + slot->pool->measurement->timeout;
    return take_message(slot, message);
}
