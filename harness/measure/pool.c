#include "pool.h"

#include "base/base.h"
#include "model/model.h"
#include "worker/worker.h"

#include "progress.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What is to be measured, and how far that is. */
struct pool {
    const struct measurement *measurement;
    struct run *run;
    struct interrupts interrupts;
    char *list; /* the chosen kernels as the first worker named them */
    char **ids; /* the same, in the order in which they are measured: the queue */
    size_t count;
    size_t next;        /* the first kernel that has no result */
    size_t alone_until; /* those before this one are to be measured one by one: a batch with them went wrong */
    struct progress progress;
};

/* A worker at work, and what it has said so far. */
struct seat {
    struct pool *pool;
    struct child worker;
    size_t first;           /* the kernel that it was started at */
    bool listed, described; /* it has named the kernels; and the device */
    size_t begun;           /* so many kernels, from the next on, have begun and have no result yet */
    bool together;          /* they, or some that have a result by now, began as a batch */
    double since;           /* when it had said what comes before it: from there to its result is its cost */
    bool leaving;           /* the last result was such that the worker ends after it */
    char *lost;             /* why the worker gave the batch up, or NULL */
};

/* How one worker came to its end. */
enum ending {
    ENDING_NOT_YET,
    ENDING_DONE,
    ENDING_NEXT,
    ENDING_HUNG,
    ENDING_DIED,
    ENDING_OUT_OF_TURN, /* it said what no worker says then */
    ENDING_INTERRUPTED,
    ENDING_IMPOSSIBLE,
    ENDING_USAGE
};

static const char out_of_turn[] = "spoke out of turn: something in the library writes to a descriptor of cugate's";

static size_t split_lines(char *text, char ***lines)
{
    size_t count = 0;
    *lines = NULL;
    char *rest = NULL;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
        *ARRAY_GROW(*lines, count) = x_strdup(line);
    return count;
}

static void free_lines(char **lines, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(lines[i]);
    free(lines);
}

/* ---- Messages: a library can write to the pipe as well, so each is held to what a worker says then, or refused. */

/* Every worker chooses from the same library by the same globs. */
static bool take_list(struct seat *seat, const char *text)
{
    struct pool *pool = seat->pool;
    if (seat->listed || (*text == '\0' && !pool->measurement->skip_unmatched))
        return false;
    seat->listed = true;
    if (pool->list)
        return strcmp(pool->list, text) == 0;
    char *lines = x_strdup(text);
    pool->list = x_strdup(text);
    pool->count = split_lines(lines, &pool->ids);
    free(lines);
    return true;
}

/* Another GPU than the worker before: that one fell off the bus, say. */
static bool is_other_device(const struct run *run, const struct run *described)
{
    char difference[512];
    device_difference(&described->device, &run->device, difference, sizeof difference);
    const char *was = run->sessions[0].facts[SESSION_GPU_UUID];
    const char *is = described->sessions[0].facts[SESSION_GPU_UUID];
    return *difference != '\0' || strcmp(was ? was : "", is ? is : "") != 0;
}

/* The first worker's description becomes the run's. */
static enum ending take_device(struct seat *seat, const char *text)
{
    struct pool *pool = seat->pool;
    struct run *run = pool->run;
    struct run described = {0};
    if (!seat->listed || seat->described || run_parse(&described, "the worker's message", text, strlen(text)) < 0)
        return ENDING_OUT_OF_TURN;
    enum ending ending = ENDING_NOT_YET;
    seat->described = true;
    if (described.session_count != 1 || described.result_count > 0) {
        ending = ENDING_OUT_OF_TURN;
    } else if (run->session_count > 0 && is_other_device(run, &described)) {
        error("cannot measure: the GPU is another one than that of the first kernels");
        ending = ENDING_IMPOSSIBLE;
    } else if (run->session_count == 0) {
        run->device = described.device;
        run->sessions = described.sessions;
        run->session_count = 1;
        described.device = (struct device){0};
        described.sessions = NULL;
        described.session_count = 0;
        if (!pool->measurement->profile) /* of which only the lines are kept */
            measure_complete_session(&run->sessions[0]);
        run_note_metrics(run, pool->measurement->metrics);
    }
    run_release(&described);
    return ending;
}

/* The next kernel begins; or one of several that have begun is at work. */
static bool take_start(struct seat *seat, const char *id)
{
    struct pool *pool = seat->pool;
    const size_t place = pool->next + seat->begun;
    const bool alone = pool->next < pool->alone_until || pool->measurement->profile;
    if (!seat->described || seat->leaving || seat->lost || (seat->begun > 0 && alone))
        return false;
    if (place < pool->count && strcmp(pool->ids[place], id) == 0) {
        seat->together = ++seat->begun > 1;
        progress_draw(&pool->progress, place, pool->count, id);
        return true;
    }
    for (size_t k = pool->next; seat->begun > 1 && k < place; k++) {
        if (strcmp(pool->ids[k], id) != 0)
            continue;
        progress_draw(&pool->progress, place - 1, pool->count, id);
        return true;
    }
    return false;
}

static bool take_lost(struct seat *seat, const char *reason)
{
    if (seat->begun < 2 || seat->lost)
        return false;
    seat->lost = x_strdup(reason);
    return true;
}

/* A worker is one session: what a baseline has beside that is not its to give. */
static bool is_one_session(const struct result *result)
{
    for (size_t i = 0; i < result->row_count; i++) {
        const struct row *row = &result->rows[i];
        const bool one = row->session_count == 0 || (row->session_count == 1 && row->sessions[0].session == 0);
        if (!one || row_is_annotated(row))
            return false;
    }
    return true;
}

static bool take_result(struct seat *seat, const char *line)
{
    struct pool *pool = seat->pool;
    struct result taken = {0};
    if (seat->begun == 0 || seat->lost || result_from_line(&taken, line) < 0)
        return false;
    if (strcmp(taken.id, pool->ids[pool->next]) != 0 || !is_one_session(&taken)) {
        result_release(&taken);
        return false;
    }
    struct result *result = run_add(pool->run, taken.id);
    result_release(result);
    *result = taken;
    result->seconds = ceil((now_seconds() - seat->since) * 1e6) / 1e6; /* whatever the worker said of it */
    result_read_symbols(result);
    seat->together &= --seat->begun > 0;
    seat->leaving = result->status == RESULT_FAILED || pool->measurement->profile;
    pool->next++;
    return true;
}

static bool say_no_match(char *ids)
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

static enum ending take_message(struct seat *seat, struct message *message)
{
    struct pool *pool = seat->pool;
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
        if (seat->described)
            return ENDING_OUT_OF_TURN;
        progress_erase(&pool->progress);
        error("cannot measure: %s", message->text);
        return ENDING_IMPOSSIBLE;
    case MESSAGE_UNUSABLE:
        if (seat->listed)
            return ENDING_OUT_OF_TURN;
        error("%s", message->text);
        return ENDING_USAGE;
    case MESSAGE_NO_MATCH:
        return !seat->listed && say_no_match(message->text) ? ENDING_USAGE : ENDING_OUT_OF_TURN;
    case MESSAGE_END:
        return seat->described && seat->begun == 0 && pool->next == pool->count ? ENDING_DONE : ENDING_OUT_OF_TURN;
    default:
        break;
    }
    return ENDING_OUT_OF_TURN;
}

/* The kernel's time begins when the message before it came, and not when START is read: a worker does not wait until
 * this process has asked git, say, what the session is of. */
static enum ending take_timed(struct seat *seat, struct message *message)
{
    const double arrived = now_seconds();
    const enum ending ending = take_message(seat, message);
    if (message->kind == MESSAGE_DEVICE || message->kind == MESSAGE_RESULT)
        seat->since = arrived;
    return ending;
}

/* Takes messages until the worker ends, one way or the other. */
static enum ending watch_worker(struct seat *seat)
{
    struct child *worker = &seat->worker;
    seat->listed = seat->described = seat->leaving = false;
    seat->together = false;
    seat->begun = 0;
    for (enum ending ending = ENDING_NOT_YET;;) {
        struct message message = {0};
        const double deadline = now_seconds() + seat->pool->measurement->timeout;
        switch (child_next(worker, deadline, seat->pool->interrupts.descriptor, &message)) {
        case CHILD_SAID:
            ending = take_timed(seat, &message);
            break;
        case CHILD_BABBLED:
            ending = ENDING_OUT_OF_TURN;
            break;
        case CHILD_ENDED:
            ending = seat->begun > 0 ? ENDING_DIED : worker->length > 0 ? ENDING_OUT_OF_TURN : ENDING_NEXT;
            break;
        case CHILD_QUIET:
            ending = ENDING_HUNG;
            break;
        case CHILD_INTERRUPTED:
            ending = ENDING_INTERRUPTED;
            break;
        }
        free(message.text);
        if (ending != ENDING_NOT_YET)
            return ending;
    }
}

/* ---- Workers ---- */

/* A result for the kernel that begins, which no worker gave one. */
static void fail_kernel(struct pool *pool, enum result_status status, const char *reason)
{
    result_fail(run_add(pool->run, pool->ids[pool->next]), status, reason);
    pool->next++;
}

/* A batch that went wrong fails none of its kernels: who is to blame shows when each is measured alone. */
static enum ending split_batch(struct seat *seat, enum ending ending, const char *how)
{
    struct pool *pool = seat->pool;
    char quiet[64];
    snprintf(quiet, sizeof quiet, "no sign of life within %g s", pool->measurement->timeout);
    warning("%s and what else is measured with it are measured again, one by one: %s", pool->ids[pool->next],
            seat->lost                     ? seat->lost
            : ending == ENDING_HUNG        ? quiet
            : ending == ENDING_OUT_OF_TURN ? out_of_turn
                                           : how);
    pool->alone_until = pool->next + seat->begun;
    return ENDING_NEXT;
}

/* What becomes of the kernels after a worker, and what is said of it. */
static enum ending settle_worker(struct seat *seat, enum ending ending, const char *how)
{
    struct pool *pool = seat->pool;
    const size_t first = seat->first;
    char reason[256];
    progress_erase(&pool->progress);
    if (seat->together && (ending == ENDING_DIED || ending == ENDING_HUNG || ending == ENDING_OUT_OF_TURN))
        return split_batch(seat, ending, how);
    if (ending == ENDING_DIED) {
        snprintf(reason, sizeof reason, "the process that ran it died: %s", how);
        fail_kernel(pool, RESULT_CRASHED, reason);
    } else if (ending == ENDING_HUNG && seat->begun > 0) {
        snprintf(reason, sizeof reason, "no result within %g s; a longer limit is set with --timeout",
                 pool->measurement->timeout);
        fail_kernel(pool, RESULT_HUNG, reason);
    } else if (ending == ENDING_OUT_OF_TURN && (seat->begun > 0 || pool->next > first)) {
        /* Between two kernels it was the former's close() that ran: what it said until then is worth nothing. */
        snprintf(reason, sizeof reason, "the process that ran it %s", out_of_turn);
        pool->next -= seat->begun == 0;
        fail_kernel(pool, RESULT_FAILED, reason);
    } else if (ending == ENDING_HUNG && pool->next == first) {
        error("cannot measure: the GPU did not open within %g s; is another program holding it? (nvidia-smi)",
              pool->measurement->timeout);
        return ENDING_IMPOSSIBLE;
    } else if (ending == ENDING_OUT_OF_TURN) {
        error("cannot measure: before its first kernel the worker %s", out_of_turn);
        return ENDING_IMPOSSIBLE;
    } else if (ending == ENDING_NEXT && pool->next == first) {
        error("cannot measure: the worker ended before its first kernel: %s", how);
        return ENDING_IMPOSSIBLE;
    } else if (ending == ENDING_HUNG || (ending == ENDING_NEXT && !seat->leaving)) {
        /* Every result is there: nothing is left to fail but what cleans up after a kernel. */
        warning("after %s the worker did not end well (%s), most likely in the family's close(); its results are kept",
                pool->ids[pool->next - 1], ending == ENDING_HUNG ? "it hung" : how);
    }
    const bool is_over =
        ending == ENDING_DONE || ending == ENDING_INTERRUPTED || ending == ENDING_IMPOSSIBLE || ending == ENDING_USAGE;
    return is_over ? ending : pool->next < pool->count ? ENDING_NEXT : ENDING_DONE;
}

/* One worker from the next kernel on. ENDING_NEXT when another has to follow. */
static enum ending run_worker(struct seat *seat)
{
    const struct pool *pool = seat->pool;
    const struct measurement *measurement = pool->measurement;
    seat->first = pool->next;
    const struct job job = {
        .library = measurement->kernels,
        .metrics = measurement->metrics,
        .backend = measurement->backend,
        .what = measurement->profile ? measurement->profile : PROVIDES_VALUES,
        .globs = measurement->globs,
        .glob_count = measurement->glob_count,
        .first = seat->first,
        .alone = pool->alone_until > seat->first ? pool->alone_until - seat->first : 0,
        .device = measurement->device,
        .samples = measurement->samples,
        .skip_unmatched = measurement->skip_unmatched,
        .roofs = measurement->roofs && seat->first == 0,
        .skip = measurement->skip,
        .gpu = measurement->gpu,
        .dry = measurement->dry,
    };
    if (worker_start(&seat->worker, &job) < 0)
        return ENDING_IMPOSSIBLE;
    enum ending ending = watch_worker(seat);
    const bool ends_itself = ending == ENDING_DONE || ending == ENDING_NEXT || ending == ENDING_DIED;
    char *how = child_end(&seat->worker, ends_itself);
    ending = settle_worker(seat, ending, how);
    free(how);
    free(seat->lost);
    seat->lost = NULL;
    return ending;
}

/* What broke off must not look as if there were no other kernels. */
static void fail_rest(struct pool *pool)
{
    while (pool->run->result_count > 0 && pool->next < pool->count)
        fail_kernel(pool, RESULT_FAILED, "not measured: measuring broke off before it, see the error above");
}

int pool_measure(const struct measurement *measurement, struct run *run)
{
    *run = (struct run){0};
    struct pool pool = {
        .measurement = measurement, .run = run, .progress = {measurement->progress, measurement->label, now_seconds()}};
    if (interrupts_open(&pool.interrupts) < 0)
        return EXIT_NOT_MEASURED;
    struct seat seat = {.pool = &pool};
    enum ending ending = ENDING_NEXT;
    while (ending == ENDING_NEXT)
        ending = run_worker(&seat);
    progress_erase(&pool.progress);
    if (interrupts_close(&pool.interrupts))
        ending = ENDING_INTERRUPTED;

    int code = EXIT_SAME;
    if (ending == ENDING_INTERRUPTED) {
        warning("interrupted after %zu of %zu kernels%s%s%s; what was measured is kept", pool.next, pool.count,
                measurement->label ? " (" : "", measurement->label ? measurement->label : "",
                measurement->label ? ")" : "");
        code = EXIT_INTERRUPTED;
    } else if (ending != ENDING_DONE) {
        fail_rest(&pool);
        code = ending == ENDING_USAGE ? EXIT_USAGE : EXIT_NOT_MEASURED;
    }
    free_lines(pool.ids, pool.count);
    free(pool.list);
    return code;
}
