#include "pool.h"

#include "pool_parts.h"

/* ---- Workers ---- */

static struct job job_of(const struct measurement *measurement, int device, bool first)
{
    return (struct job){
        .library = measurement->kernels,
        .metrics = measurement->metrics,
        .backend = measurement->backend,
        .what = measurement->profile ? measurement->profile : PROVIDES_VALUES,
        .globs = measurement->globs,
        .glob_count = measurement->glob_count,
        .device = device,
        .samples = measurement->samples,
        .every_sample = measurement->every_sample,
        .skip_unmatched = measurement->skip_unmatched,
        .roofs = measurement->roofs && first,
        .skip = measurement->skip,
        .gpu = measurement->gpu,
        .dry = measurement->dry,
        .quiet = measurement->quiet,
        .whole = measurement->whole,
    };
}

static int start_worker(struct slot *slot)
{
    const struct measurement *measurement = slot->pool->measurement;
    struct relay *relay = measurement->relay;
    const struct job job = job_of(measurement, slot->device, !slot->has_session);
    slot->ahead = relay && relay_take(relay, measurement, slot->device, &slot->worker);
    if (!slot->ahead && relay)
        relay_await_gone(relay, slot->device);
    if (!slot->ahead && worker_start(&slot->worker, &job) < 0)
        return -1;
    slot->state = SLOT_STARTED;
    slot->together = false;
    slot->measured = slot->begun = 0;
    slot->works = NULL;
    slot->deadline = now_seconds() + measurement->timeout;
    return 0;
}

/* Divides a batch that failed. None of its kernels is failed: who is to blame shows when each is measured alone. */
static void split_batch(struct slot *slot, enum ending ending, const char *how)
{
    struct pool *pool = slot->pool;
    char quiet[64];
    snprintf(quiet, sizeof quiet, "no response within %g s", pool->measurement->timeout);
    warning("measuring %s and the kernels of its batch again, one by one: %s", pool->ids[slot->item.first],
            slot->gave_up                  ? slot->gave_up
            : ending == ENDING_HUNG        ? quiet
            : ending == ENDING_OUT_OF_TURN ? pool_out_of_turn
                                           : how);
    slot->item.alone_until = slot->item.first + slot->begun;
    for (size_t k = slot->item.first; k < slot->item.alone_until; k++)
        pool->seconds[k] = 0;
}

/* Reports that nothing can be measured on a GPU: its worker ended before the first kernel. */
static void say_impossible(const struct slot *slot, enum ending ending, const char *how)
{
    OWNED_TEXT place = slot->pool->slot_count > 1 ? x_sprintf(" on device %d", slot->device) : x_strdup("");
    if (ending == ENDING_HUNG)
        error("cannot measure%s: the GPU did not open within %g s; another program may hold it (nvidia-smi)", place,
              slot->pool->measurement->timeout);
    else if (ending == ENDING_OUT_OF_TURN)
        error("cannot measure%s: before its first kernel, the worker %s", place, pool_out_of_turn);
    else
        error("cannot measure%s: the worker exited before its first kernel: %s", place, how);
}

/* Says why a kernel is hung: it has no result, and makes no progress, or has made it for too long. Caller frees. */
static char *hung_words(const struct slot *slot)
{
    static const char longer[] = "set a longer limit with --timeout";
    const double timeout = slot->pool->measurement->timeout;
    if (slot->headway.count == 0)
        return x_sprintf("no result within %g s; %s", timeout, longer);
    struct launch_headway last = slot->headway;
    last.left = -1;
    OWNED_TEXT far = headway_words(&last);
    char *words = slot->deadline < slot->limit
                      ? x_sprintf("no block finished within %g s (last seen: %s); %s", timeout, far, longer)
                      : x_sprintf("no result within %g s, which is %d times --timeout (last seen: %s); %s",
                                  HEADWAY_TIMES * timeout, HEADWAY_TIMES, far, longer);
    return words;
}

/* Decides what becomes of a worker's kernels when it has ended, and reports it. `was` is the state of the slot until
 * then. Returns whether the slot is of no more use. */
static bool take_end(struct slot *slot, enum slot_state was, enum ending ending, const char *how)
{
    char reason[256];
    progress_erase(&slot->pool->progress);
    if (slot->together && (ending == ENDING_DIED || ending == ENDING_HUNG || ending == ENDING_OUT_OF_TURN)) {
        split_batch(slot, ending, how);
    } else if (ending == ENDING_DIED) {
        snprintf(reason, sizeof reason, "the process that ran it died: %s", how);
        pool_fail(slot, slot->item.first, RESULT_CRASHED, reason);
    } else if (ending == ENDING_HUNG && slot->begun > 0) {
        OWNED_TEXT hung = hung_words(slot);
        pool_fail(slot, slot->item.first, RESULT_HUNG, hung);
    } else if (ending == ENDING_OUT_OF_TURN && (slot->begun > 0 || slot->measured > 0)) {
        /* The worker ended between two kernels, in the former's close(). Nothing that it said until then can be
         * believed. */
        snprintf(reason, sizeof reason, "the process that ran it %s", pool_out_of_turn);
        pool_fail(slot, slot->begun > 0 ? slot->item.first : slot->last, RESULT_FAILED, reason);
    } else if (slot->measured == 0 &&
               (ending == ENDING_HUNG || ending == ENDING_OUT_OF_TURN || ending == ENDING_NEXT)) {
        say_impossible(slot, ending, how);
        return true;
    } else if (ending == ENDING_HUNG || (ending == ENDING_NEXT && was != SLOT_LEAVING)) {
        /* All results have arrived: only what cleans up after a kernel is left to fail. */
        snprintf(reason, sizeof reason, "after its results arrived the process %s%s, probably in the family's close()",
                 ending == ENDING_HUNG ? "hung" : "died: ", ending == ENDING_HUNG ? "" : how);
        pool_fail(slot, slot->last, ending == ENDING_HUNG ? RESULT_HUNG : RESULT_CRASHED, reason);
    }
    return ending == ENDING_IMPOSSIBLE;
}

static void end_worker(struct slot *slot, enum ending ending)
{
    const bool ends_itself = ending == ENDING_DONE || ending == ENDING_NEXT || ending == ENDING_DIED;
    struct relay *relay = slot->pool->measurement->relay;
    OWNED_TEXT how = NULL;
    if (ending == ENDING_DONE && relay)
        relay_leave(relay, slot->device, &slot->worker);
    else
        how = child_end(&slot->worker, ends_itself);
    const enum slot_state was = slot->state;
    slot->state = SLOT_EMPTY;
    if (slot->ahead && ending == ENDING_NEXT && (was == SLOT_STARTED || was == SLOT_LISTED)) {
        /* This worker was started beside the one before it, and failed. One that is alone may do better. */
        if (start_worker(slot) < 0)
            slot->pool->ending = ENDING_IMPOSSIBLE;
    } else if (was != SLOT_DISMISSED && take_end(slot, was, ending, how)) {
        slot->state = SLOT_LOST;
        queue_return(slot);
    }
    slot->begun = 0;
    slot->together = false;
    free(slot->gave_up);
    slot->gave_up = NULL;
}

/* ---- A measurement ---- */

static void open_pool(struct pool *pool, const struct measurement *measurement, struct run *run)
{
    *run = (struct run){0};
    *pool = (struct pool){.measurement = measurement,
                          .run = run,
                          .slot_count = measurement->devices.count > 0 ? measurement->devices.count : 1,
                          .progress = {.drawn = measurement->progress,
                                       .logged = measurement->log_progress,
                                       .label = measurement->label,
                                       .begin = now_seconds()}};
    pool->slots = x_calloc(pool->slot_count, sizeof *pool->slots);
    for (size_t i = 0; i < pool->slot_count; i++) {
        pool->slots[i] = (struct slot){.pool = pool, .number = (int)i, .device = measurement->devices.list[i]};
        if (pool->ending == ENDING_NOT_YET && start_worker(&pool->slots[i]) < 0)
            pool->ending = ENDING_IMPOSSIBLE;
    }
}

/* Tells the open workers that there is no more work. No slot is at work then, so none can take what is queued. */
static void tell_end(struct pool *pool)
{
    pool->queued = 0;
    EACH(struct slot, slot, pool->slots, pool->slot_count) {
        if (slot->state != SLOT_OPEN)
            continue;
        message_write(slot->worker.pipe, MESSAGE_ITEM, "");
        slot->state = SLOT_TOLD_END;
        slot->deadline = now_seconds() + pool->measurement->timeout;
    }
}

/* Gives work to idle slots, and a worker to those that need one. */
static void advance(struct pool *pool)
{
    bool busy = false;
    for (size_t i = 0; i < pool->slot_count && pool->list; i++) {
        struct slot *slot = &pool->slots[i];
        if (slot->state == SLOT_LOST || slot->state == SLOT_TOLD_END)
            continue;
        const bool idle = slot->state == SLOT_OPEN && !slot_has_item(slot), unheard = slot->state == SLOT_STARTED;
        if (!slot_has_item(slot) && !unheard && queue_take(slot) && idle)
            slot_tell(slot);
        else if (idle)
            slot->deadline = HUGE_VAL;
        if (slot_has_item(slot) && slot->state == SLOT_EMPTY && start_worker(slot) < 0)
            pool->ending = ENDING_IMPOSSIBLE;
        busy |= slot_has_item(slot) || (unheard && pool->queued > 0); /* it will take a part of that */
    }
    if (pool->list && !busy)
        tell_end(pool);
}

/* Returns whether all workers are gone and none has to follow. */
static bool is_over(const struct pool *pool)
{
    bool over = true;
    for (size_t i = 0; i < pool->slot_count; i++)
        over &= !slot_runs(&pool->slots[i]);
    return over || pool->ending != ENDING_NOT_YET;
}

/* Takes a message of the worker. When it opens its GPU, the next measurement's worker is started. */
static enum ending take_said(struct slot *slot, const struct message *message)
{
    const struct measurement *measurement = slot->pool->measurement;
    if (slot->state == SLOT_DISMISSED)
        return ENDING_NOT_YET;
    const enum ending ending = pool_take(slot, message);
    const bool opens = ending == ENDING_NOT_YET && message->kind == MESSAGE_KERNELS && slot->state != SLOT_DISMISSED;
    if (opens && measurement->relay && measurement->next) {
        const struct job job = job_of(measurement->next, slot->device, true);
        relay_start(measurement->relay, measurement->next, &job);
    }
    return ending;
}

static void take_event(struct slot *slot, enum child_event event, const struct message *message)
{
    enum ending ending = ENDING_NOT_YET;
    switch (event) {
    case CHILD_SAID:
        ending = take_said(slot, message);
        break;
    case CHILD_BABBLED:
        ending = ENDING_OUT_OF_TURN;
        break;
    case CHILD_ENDED:
        ending = slot->begun > 0 ? ENDING_DIED : slot->worker.length > 0 ? ENDING_OUT_OF_TURN : ENDING_NEXT;
        break;
    case CHILD_QUIET:
        ending = ENDING_HUNG;
        break;
    case CHILD_INTERRUPTED:
        ending = ENDING_INTERRUPTED;
        break;
    }
    if (ending == ENDING_HUNG && slot->pool->measurement->quiet)
        ending = ENDING_USAGE; /* nobody waits a second time for what is done beside a measurement */
    if (ending >= ENDING_MIXED)
        slot->pool->ending = ending;
    else if (ending != ENDING_NOT_YET)
        end_worker(slot, ending);
    if (slot->pool->ending == ENDING_NOT_YET)
        advance(slot->pool);
}

/* ---- Its end ---- */

/* Gives the run the sessions of all slots that measured something. There is at least one, since a file needs a session.
 */
static void keep_sessions(struct pool *pool)
{
    struct run *run = pool->run;
    OWNED_MEMORY size_t *places = x_calloc(pool->slot_count, sizeof *places);
    bool *used = x_calloc(pool->slot_count, sizeof *used), any = false;
    for (size_t i = 0; i < run->result_count; i++)
        if (run->results[i].row_count > 0)
            any = used[result_session(&run->results[i])] = true;
    for (size_t i = 0; i < pool->slot_count; i++) {
        struct slot *slot = &pool->slots[i];
        if (!slot->has_session || (any ? !used[i] : run->session_count > 0)) {
            for (size_t fact = 0; fact < SESSION_FACTS; fact++)
                free(slot->session.facts[fact]);
            continue;
        }
        places[i] = run->session_count;
        *ARRAY_GROW(run->sessions, run->session_count) = slot->session;
    }
    for (size_t i = 0; i < run->result_count; i++)
        result_set_session(&run->results[i], places[result_session(&run->results[i])]);
    free(used);
}

/* Fails the kernels that were not measured, because otherwise the run would look as if there were no others. */
static void fail_rest(struct pool *pool)
{
    for (size_t k = 0; k < pool->count && pool->run->result_count > 0; k++)
        if (!run_find(pool->run, pool->ids[k]))
            result_fail(run_add(pool->run, pool->ids[k]), RESULT_FAILED,
                        "not measured, because an earlier error stopped the run, see above");
}

/* Returns the code of the measurement, and reports how it ended. A GPU that should have measured and did not is
 * reported, whatever the others did. */
static int conclude(struct pool *pool)
{
    bool lost = !pool->list;
    for (size_t i = 0; i < pool->slot_count; i++)
        lost |= pool->slots[i].state == SLOT_LOST;
    if (pool->ending == ENDING_INTERRUPTED)
        return EXIT_INTERRUPTED;
    if (pool->ending == ENDING_MIXED)
        run_release(pool->run);
    else if (pool->ending != ENDING_NOT_YET || lost)
        fail_rest(pool);
    return pool->ending == ENDING_USAGE             ? EXIT_USAGE
           : pool->ending != ENDING_NOT_YET || lost ? EXIT_NOT_MEASURED
                                                    : EXIT_SAME;
}

static int close_pool(struct pool *pool)
{
    progress_erase(&pool->progress);
    EACH(struct slot, slot, pool->slots, pool->slot_count) {
        if (slot_runs(slot))
            free(child_end(&slot->worker, false));
        free(slot->gave_up);
    }
    keep_sessions(pool);
    const int code = conclude(pool);
    free_texts(pool->ids, pool->count);
    free(pool->list);
    free(pool->seconds);
    free(pool->queue);
    free(pool->slots);
    return code;
}

/* ---- Measurements ---- */

/* Several measurements: which of them have begun, and which still run. */
struct beginning {
    const struct measurement *list;
    struct run *runs;
    size_t count;
    struct pool *pools, **open;
    bool *begun;
    size_t open_count, begun_count;
    size_t done, known; /* kernels of measurements that are over */
    bool interrupted;
};

/* Waits for the next event of a worker of any measurement, and handles it. last is that of child_next_of(). */
static void step(struct pool *const *pools, size_t count, int interrupts, size_t *last)
{
    OWNED_MEMORY struct peer **children = NULL;
    OWNED_MEMORY struct slot **slots = NULL;
    OWNED_MEMORY double *deadlines = NULL;
    size_t slot_count = 0, child_count = 0, deadline_count = 0;
    for (size_t p = 0; p < count; p++)
        EACH(struct slot, slot, pools[p]->slots, pools[p]->slot_count) {
            if (!slot_runs(slot))
                continue;
            *ARRAY_GROW(slots, slot_count) = slot;
            *ARRAY_GROW(children, child_count) = &slot->worker;
            *ARRAY_GROW(deadlines, deadline_count) = slot->deadline;
        }
    if (slot_count == 0)
        BUG("no worker to wait for");
    struct message message = {0};
    const enum child_event event = child_next_of(children, deadlines, child_count, interrupts, last, &message);
    if (event == CHILD_INTERRUPTED)
        for (size_t p = 0; p < count; p++)
            pools[p]->ending = ENDING_INTERRUPTED;
    else
        take_event(slots[*last], event, &message);
    free(message.text);
}

void pool_start_ahead(const struct measurement *measurement)
{
    const size_t count = measurement->devices.count > 0 ? measurement->devices.count : 1;
    for (size_t i = 0; i < count; i++) {
        const struct job job = job_of(measurement, measurement->devices.list[i], true);
        relay_start(measurement->relay, measurement, &job);
    }
}

int pool_measure(const struct measurement *measurement, struct run *run)
{
    int code = EXIT_SAME;
    pool_measure_all(measurement, run, &code, 1, 1);
    return code;
}

/* Returns whether fewer than `at_once` of the open measurements are on the next one's GPU. */
static bool takes_one_more(struct pool *const *open, size_t open_count, const struct measurement *next, size_t at_once)
{
    size_t there = 0;
    for (size_t p = 0; p < open_count; p++)
        there += open[p]->measurement->devices.list[0] == next->devices.list[0];
    return there < at_once;
}

/* Begins the measurements that their GPUs take. */
static void begin(struct beginning *beginning, size_t at_once)
{
    for (size_t i = 0; i < beginning->count; i++) {
        if (beginning->begun[i] ||
            !takes_one_more(beginning->open, beginning->open_count, &beginning->list[i], at_once))
            continue;
        beginning->begun[i] = true;
        beginning->begun_count++;
        open_pool(&beginning->pools[i], &beginning->list[i], &beginning->runs[i]);
        beginning->open[beginning->open_count++] = &beginning->pools[i];
    }
}

/* Closes the measurements that are over. False: none is open any more. */
static bool end_some(struct beginning *beginning, int *codes)
{
    size_t still = 0;
    const size_t before = beginning->open_count;
    for (size_t p = 0; p < before; p++) {
        struct pool *pool = beginning->open[p];
        beginning->interrupted |= pool->ending == ENDING_INTERRUPTED;
        if (!is_over(pool)) {
            beginning->open[still++] = pool;
            continue;
        }
        beginning->done += pool->run->result_count;
        beginning->known += pool->count;
        codes[pool - beginning->pools] = close_pool(pool);
    }
    beginning->open_count = still;
    return still < before;
}

/* Reports the interruption once for all, since they are measured for one purpose. */
static void say_interrupted(const struct beginning *beginning)
{
    const char *label = beginning->list[0].label;
    warning("interrupted after %zu of %zu kernels%s%s%s; finished measurements are kept", beginning->done,
            beginning->known, label ? " (" : "", label ? label : "", label ? ")" : "");
}

void pool_measure_all(const struct measurement *list, struct run *runs, int *codes, size_t count, size_t at_once)
{
    struct interrupts interrupts;
    struct beginning all = {.list = list, .runs = runs, .count = count};
    size_t last = 0;
    for (size_t i = 0; i < count; i++) {
        runs[i] = (struct run){0};
        codes[i] = EXIT_NOT_MEASURED;
    }
    if (interrupts_open(&interrupts) < 0)
        return;
    all.pools = x_calloc(count, sizeof *all.pools);
    all.open = x_calloc(count, sizeof *all.open);
    all.begun = x_calloc(count, sizeof *all.begun);
    while (all.open_count > 0 || (all.begun_count < count && !all.interrupted)) {
        if (!all.interrupted)
            begin(&all, at_once);
        if (!end_some(&all, codes))
            step(all.open, all.open_count, interrupts.descriptor, &last);
    }
    if (all.interrupted)
        say_interrupted(&all);
    all.interrupted |= interrupts_close(&interrupts);
    for (size_t i = 0; i < count && all.interrupted; i++)
        if (codes[i] == EXIT_SAME || !all.begun[i])
            codes[i] = EXIT_INTERRUPTED;
    free(all.begun);
    free(all.open);
    free(all.pools);
}
