#include "pool.h"

#include "base/base.h"
#include "model/model.h"
#include "worker/worker.h"

#include "pool_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
        .whole = measurement->whole,
    };
}

static int start_worker(struct seat *seat)
{
    const struct measurement *measurement = seat->pool->measurement;
    struct relay *relay = measurement->relay;
    const struct job job = job_of(measurement, seat->device, !seat->has_session);
    seat->ahead = relay && relay_take(relay, measurement, seat->device, &seat->worker);
    if (!seat->ahead && relay)
        relay_await_gone(relay, seat->device);
    if (!seat->ahead && worker_start(&seat->worker, &job) < 0)
        return -1;
    seat->state = SEAT_STARTED;
    seat->together = false;
    seat->measured = seat->begun = 0;
    seat->works = NULL;
    seat->deadline = now_seconds() + measurement->timeout;
    return 0;
}

/* Divides a batch that failed. None of its kernels is failed: who is to blame shows when each is measured alone. */
static void split_batch(struct seat *seat, enum ending ending, const char *how)
{
    struct pool *pool = seat->pool;
    char quiet[64];
    snprintf(quiet, sizeof quiet, "no sign of life within %g s", pool->measurement->timeout);
    warning("%s and what else is measured with it are measured again, one by one: %s", pool->ids[seat->share.first],
            seat->gave_up                  ? seat->gave_up
            : ending == ENDING_HUNG        ? quiet
            : ending == ENDING_OUT_OF_TURN ? pool_out_of_turn
                                           : how);
    seat->share.alone_until = seat->share.first + seat->begun;
    for (size_t k = seat->share.first; k < seat->share.alone_until; k++)
        pool->seconds[k] = 0;
}

/* Returns " on device 1" if there are several GPUs, else "". Caller frees. */
static char *where(const struct seat *seat)
{
    return seat->pool->seat_count > 1 ? x_sprintf(" on device %d", seat->device) : x_strdup("");
}

/* Reports that nothing can be measured on a GPU: its worker ended before the first kernel. */
static void say_impossible(const struct seat *seat, enum ending ending, const char *how)
{
    char *place = where(seat);
    if (ending == ENDING_HUNG)
        error("cannot measure%s: the GPU did not open within %g s; is another program holding it? (nvidia-smi)", place,
              seat->pool->measurement->timeout);
    else if (ending == ENDING_OUT_OF_TURN)
        error("cannot measure%s: before its first kernel the worker %s", place, pool_out_of_turn);
    else
        error("cannot measure%s: the worker ended before its first kernel: %s", place, how);
    free(place);
}

/* Decides what becomes of a worker's kernels when it has ended, and reports it. `was` is the state of the seat until
 * then. Returns whether the seat is of no more use. */
static bool take_end(struct seat *seat, enum seat_state was, enum ending ending, const char *how)
{
    const double timeout = seat->pool->measurement->timeout;
    char reason[256];
    progress_erase(&seat->pool->progress);
    if (seat->together && (ending == ENDING_DIED || ending == ENDING_HUNG || ending == ENDING_OUT_OF_TURN)) {
        split_batch(seat, ending, how);
    } else if (ending == ENDING_DIED) {
        snprintf(reason, sizeof reason, "the process that ran it died: %s", how);
        pool_fail(seat, seat->share.first, RESULT_CRASHED, reason);
    } else if (ending == ENDING_HUNG && seat->begun > 0) {
        snprintf(reason, sizeof reason, "no result within %g s; a longer limit is set with --timeout", timeout);
        pool_fail(seat, seat->share.first, RESULT_HUNG, reason);
    } else if (ending == ENDING_OUT_OF_TURN && (seat->begun > 0 || seat->measured > 0)) {
        /* The worker ended between two kernels, in the former's close(). Nothing that it said until then can be
         * believed. */
        snprintf(reason, sizeof reason, "the process that ran it %s", pool_out_of_turn);
        pool_fail(seat, seat->begun > 0 ? seat->share.first : seat->last, RESULT_FAILED, reason);
    } else if (seat->measured == 0 &&
               (ending == ENDING_HUNG || ending == ENDING_OUT_OF_TURN || ending == ENDING_NEXT)) {
        say_impossible(seat, ending, how);
        return true;
    } else if (ending == ENDING_HUNG || (ending == ENDING_NEXT && was != SEAT_LEAVING)) {
        /* All results have arrived: only what cleans up after a kernel is left to fail. */
        warning("after %s the worker did not end well (%s), most likely in the family's close(); its results are kept",
                seat->pool->ids[seat->last], ending == ENDING_HUNG ? "it hung" : how);
    }
    return ending == ENDING_IMPOSSIBLE;
}

static void end_worker(struct seat *seat, enum ending ending)
{
    const bool ends_itself = ending == ENDING_DONE || ending == ENDING_NEXT || ending == ENDING_DIED;
    struct relay *relay = seat->pool->measurement->relay;
    char *how = NULL;
    if (ending == ENDING_DONE && relay)
        relay_leave(relay, seat->device, &seat->worker);
    else
        how = child_end(&seat->worker, ends_itself);
    const enum seat_state was = seat->state;
    seat->state = SEAT_EMPTY;
    if (seat->ahead && ending == ENDING_NEXT && (was == SEAT_STARTED || was == SEAT_LISTED)) {
        /* This worker was started beside the one before it, and failed. One that is alone may do better. */
        if (start_worker(seat) < 0)
            seat->pool->ending = ENDING_IMPOSSIBLE;
    } else if (was != SEAT_DISMISSED && take_end(seat, was, ending, how)) {
        seat->state = SEAT_LOST;
        queue_return(seat);
    }
    seat->begun = 0;
    seat->together = false;
    free(seat->gave_up);
    seat->gave_up = NULL;
    free(how);
}

/* ---- A measurement ---- */

static void open_pool(struct pool *pool, const struct measurement *measurement, struct run *run)
{
    *run = (struct run){0};
    *pool = (struct pool){.measurement = measurement,
                          .run = run,
                          .seat_count = measurement->devices.count > 0 ? measurement->devices.count : 1,
                          .progress = {measurement->progress, measurement->label, now_seconds()}};
    pool->seats = x_calloc(pool->seat_count, sizeof *pool->seats);
    for (size_t i = 0; i < pool->seat_count; i++) {
        pool->seats[i] = (struct seat){.pool = pool, .number = (int)i, .device = measurement->devices.list[i]};
        if (pool->ending == ENDING_NOT_YET && start_worker(&pool->seats[i]) < 0)
            pool->ending = ENDING_IMPOSSIBLE;
    }
}

/* Tells the open workers that there is no more work. No seat is at work then, so what is left in the queue nobody can
 * take. */
static void tell_end(struct pool *pool)
{
    pool->queued = 0;
    for (size_t i = 0; i < pool->seat_count; i++) {
        struct seat *seat = &pool->seats[i];
        if (seat->state != SEAT_OPEN)
            continue;
        message_write(seat->worker.pipe, MESSAGE_SHARE, "");
        seat->state = SEAT_TOLD_END;
        seat->deadline = now_seconds() + pool->measurement->timeout;
    }
}

/* Gives work to idle seats, and a worker to those that need one. */
static void advance(struct pool *pool)
{
    bool busy = false;
    for (size_t i = 0; i < pool->seat_count && pool->list; i++) {
        struct seat *seat = &pool->seats[i];
        if (seat->state == SEAT_LOST || seat->state == SEAT_TOLD_END)
            continue;
        const bool idle = seat->state == SEAT_OPEN && !seat_has_share(seat), unheard = seat->state == SEAT_STARTED;
        if (!seat_has_share(seat) && !unheard && queue_take(seat) && idle)
            seat_tell(seat);
        else if (idle)
            seat->deadline = HUGE_VAL;
        if (seat_has_share(seat) && seat->state == SEAT_EMPTY && start_worker(seat) < 0)
            pool->ending = ENDING_IMPOSSIBLE;
        busy |= seat_has_share(seat) || (unheard && pool->queued > 0); /* it will take a part of that */
    }
    if (pool->list && !busy)
        tell_end(pool);
}

/* Returns whether all workers are gone and none has to follow. */
static bool is_over(const struct pool *pool)
{
    bool over = true;
    for (size_t i = 0; i < pool->seat_count; i++)
        over &= !seat_runs(&pool->seats[i]);
    return over || pool->ending != ENDING_NOT_YET;
}

/* Takes a message of the worker. When it opens its GPU, the next measurement's worker is started. */
static enum ending take_said(struct seat *seat, const struct message *message)
{
    const struct measurement *measurement = seat->pool->measurement;
    if (seat->state == SEAT_DISMISSED)
        return ENDING_NOT_YET;
    const enum ending ending = pool_take(seat, message);
    const bool opens = ending == ENDING_NOT_YET && message->kind == MESSAGE_KERNELS && seat->state != SEAT_DISMISSED;
    if (opens && measurement->relay && measurement->next) {
        const struct job job = job_of(measurement->next, seat->device, true);
        relay_start(measurement->relay, measurement->next, &job);
    }
    return ending;
}

static void take_event(struct seat *seat, enum child_event event, const struct message *message)
{
    enum ending ending = ENDING_NOT_YET;
    switch (event) {
    case CHILD_SAID:
        ending = take_said(seat, message);
        break;
    case CHILD_BABBLED:
        ending = ENDING_OUT_OF_TURN;
        break;
    case CHILD_ENDED:
        ending = seat->begun > 0 ? ENDING_DIED : seat->worker.length > 0 ? ENDING_OUT_OF_TURN : ENDING_NEXT;
        break;
    case CHILD_QUIET:
        ending = ENDING_HUNG;
        break;
    case CHILD_INTERRUPTED:
        ending = ENDING_INTERRUPTED;
        break;
    }
    if (ending >= ENDING_MIXED)
        seat->pool->ending = ending;
    else if (ending != ENDING_NOT_YET)
        end_worker(seat, ending);
    if (seat->pool->ending == ENDING_NOT_YET)
        advance(seat->pool);
}

/* ---- Its end ---- */

/* Gives the run the sessions of all seats that measured something. There is at least one, since a file needs a session.
 */
static void keep_sessions(struct pool *pool)
{
    struct run *run = pool->run;
    size_t *places = x_calloc(pool->seat_count, sizeof *places);
    bool *used = x_calloc(pool->seat_count, sizeof *used), any = false;
    for (size_t i = 0; i < run->result_count; i++)
        if (run->results[i].row_count > 0)
            any = used[result_session(&run->results[i])] = true;
    for (size_t i = 0; i < pool->seat_count; i++) {
        struct seat *seat = &pool->seats[i];
        if (!seat->has_session || (any ? !used[i] : run->session_count > 0)) {
            for (size_t fact = 0; fact < SESSION_FACTS; fact++)
                free(seat->session.facts[fact]);
            continue;
        }
        places[i] = run->session_count;
        *ARRAY_GROW(run->sessions, run->session_count) = seat->session;
    }
    for (size_t i = 0; i < run->result_count; i++)
        result_set_session(&run->results[i], places[result_session(&run->results[i])]);
    free(used);
    free(places);
}

/* Fails the kernels that were not measured, because otherwise the run would look as if there were no others. */
static void fail_rest(struct pool *pool)
{
    for (size_t k = 0; k < pool->count && pool->run->result_count > 0; k++)
        if (!run_find(pool->run, pool->ids[k]))
            result_fail(run_add(pool->run, pool->ids[k]), RESULT_FAILED,
                        "not measured: measuring broke off before it, see the error above");
}

/* Returns the code of the measurement, and reports how it ended. A GPU that should have measured and did not is
 * reported, whatever the others did. */
static int conclude(struct pool *pool)
{
    bool lost = !pool->list;
    for (size_t i = 0; i < pool->seat_count; i++)
        lost |= pool->seats[i].state == SEAT_LOST;
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
    for (size_t i = 0; i < pool->seat_count; i++) {
        struct seat *seat = &pool->seats[i];
        if (seat_runs(seat))
            free(child_end(&seat->worker, false));
        free(seat->gave_up);
    }
    keep_sessions(pool);
    const int code = conclude(pool);
    free_lines(pool->ids, pool->count);
    free(pool->list);
    free(pool->seconds);
    free(pool->queue);
    free(pool->seats);
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
    struct peer **children = NULL;
    struct seat **seats = NULL;
    double *deadlines = NULL;
    size_t seat_count = 0, child_count = 0, deadline_count = 0;
    for (size_t p = 0; p < count; p++)
        for (size_t i = 0; i < pools[p]->seat_count; i++) {
            struct seat *seat = &pools[p]->seats[i];
            if (!seat_runs(seat))
                continue;
            *ARRAY_GROW(seats, seat_count) = seat;
            *ARRAY_GROW(children, child_count) = &seat->worker;
            *ARRAY_GROW(deadlines, deadline_count) = seat->deadline;
        }
    if (seat_count == 0)
        BUG("no worker to wait for");
    struct message message = {0};
    const enum child_event event = child_next_of(children, deadlines, child_count, interrupts, last, &message);
    if (event == CHILD_INTERRUPTED)
        for (size_t p = 0; p < count; p++)
            pools[p]->ending = ENDING_INTERRUPTED;
    else
        take_event(seats[*last], event, &message);
    free(message.text);
    free(deadlines);
    free(children);
    free(seats);
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
    warning("interrupted after %zu of %zu kernels%s%s%s; what was measured is kept", beginning->done, beginning->known,
            label ? " (" : "", label ? label : "", label ? ")" : "");
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
