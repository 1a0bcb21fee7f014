/* Takes each launch of the program. Before it a session begins, where the launch is wanted. After it the session is
 * told which group it was of. */
#include "driver_calls.h"

#include "activity.h"
#include "callers.h"
#include "keep.h"
#include "launch.h"
#include "process.h"
#include "sets.h"

enum {
    /* Launches in a row that nobody wants, after which the session ends; each costs 1 ms in a session, a new session
     * 15. */
    PATIENCE = 16,
    CALLERS_MAX = 4 /* launches of a group that are asked who makes them, as long as Python has not prepared to tell */
};

static _Thread_local bool within;                  /* this thread is in a launch, and holds the mutex */
static _Thread_local struct launch_group *current; /* the group of that launch; NULL when nobody wants it */
static _Thread_local bool may_count;               /* counting had time left before it */

bool launch_is_within(void)
{
    return within;
}

/* Sends all counts by instruction that this process makes. */
static void send_lines(struct launch_group *group)
{
    struct problem problem;
    CUcontext context = NULL;
    group->launches++;
    group->due++;
    group_count_launch(group, bounds_now());
    group_counted(group, sets_now())->taken++;
    if (cuda_check("reading the context", cuCtxGetCurrent(&context), &problem) < 0 ||
        lines_send(context, group, &problem) < 0)
        process_give_up(&problem);
    else
        process_say_end();
}

/* Returns whether the launch can stay unmeasured, since a later one of the group will do. To change between sessions of
 * graphs and of kernels takes half a second, and the first range of a session is longer than it ought to be. So a
 * kernel that was measured before can wait for the next launches of the graph. */
static bool can_wait(const struct launch_group *group, enum ranges_mode mode)
{
    return mode == RANGES_OF_KERNELS && group->begun && ranges_running() && ranges_mode_now() == RANGES_OF_GRAPHS &&
           process.unwanted < PATIENCE;
}

/* Whether the launch may be its kernel's only one, and a set without its time is counted: CUPTI's records then have it.
 */
static bool is_to_be_recorded(const struct launch_group *group)
{
    return process.request.changes && sets_now() > 0 && group && group->id && !group->graph && group->launches == 0;
}

/* Whether the launch is measured though nobody asked for it: it is in a session of the first set, and there is no
 * record of its time. */
static bool is_taken_along(const struct launch_group *group, enum ranges_mode mode)
{
    return group && group->id && group->first == 0 && process.request.changes && mode == RANGES_OF_KERNELS &&
           ranges_running() && ranges_mode_now() == mode && sets_now() == 0;
}

static atomic_size_t held_launches;       /* launches that are still to come while others wait or are timed */
static _Thread_local size_t own_launches; /* those of them that this thread began */

/* Takes so many of them away, or all. Returns whether there were any. */
static bool take_held(size_t count)
{
    size_t left = atomic_load(&held_launches);
    while (left > 0 && !atomic_compare_exchange_weak(&held_launches, &left, left > count ? left - count : 0))
        ;
    return left > 0;
}

/* Whether this launch waits for others, or the program times it itself, as an autotuner does. Then there is no session.
 */
static bool is_held(const struct launch_group *group)
{
    if (!group || group->holds == 0) {
        const bool own = own_launches > 0; /* whatever launches of others have taken away */
        own_launches -= own;
        return take_held(1) || own;
    }
    if (ranges_running())
        process_stop_session();
    launch_end_hold();
    own_launches = group->holds - 1;
    atomic_fetch_add(&held_launches, own_launches);
    return true;
}

void launch_end_hold(void)
{
    take_held(own_launches);
    own_launches = 0;
}

/* Begins a session if this launch is wanted. The mutex is held. mode says how a launch of that group is measured. */
static void before_launch(struct launch_group *group, enum ranges_mode mode, unsigned bounds, bool held)
{
    may_count = process_may_count();
    if (ranges_running() && (ranges_are_full() || !may_count))
        process_stop_session();
    if (!may_count && ranges_hold_counters())
        ranges_close();
    const bool may = !capture_is_on() && bounds && !held && may_count && !process_is_off();
    if (may && sets_follow(group)) {
        process_stop_session();
        ranges_close();
        sets_change();
    }
    const bool wanted = may && group_is_wanted(group, sets_now()) && !can_wait(group, mode) &&
                        !is_to_be_recorded(group) && !process_is_off();
    process.last = now_seconds();
    if (wanted) {
        process.unwanted = 0;
        process_start_session(mode);
    } else if (ranges_running()) {
        process.unwanted++;
        /* A graph's launch that is no range would break the session. */
        if (process.unwanted > PATIENCE || mode == RANGES_OF_GRAPHS || is_to_be_recorded(group))
            process_stop_session();
    }
    current = (wanted || (may && is_taken_along(group, mode))) && !process_is_off() ? group : NULL;
    if (current && mode == RANGES_OF_GRAPHS)
        ranges_push();
}

static void after_launch(struct launch_group *group, enum ranges_mode mode, CUstream stream, unsigned bounds, bool held,
                         bool good)
{
    if (process.request.lines && current && good) {
        send_lines(group);
        current = NULL;
        return;
    }
    const bool counts = ranges_running() && ranges_mode_now() == mode;
    if (counts && current && mode == RANGES_OF_GRAPHS) {
        cuStreamSynchronize(stream); /* the range must hold all of this launch, and nothing of the next */
        ranges_pop();
    }
    if (group && good) {
        if (bounds && !held && !capture_is_on())
            sets_note_missed(group, may_count && !is_to_be_recorded(group));
        group->due += bounds && !held && may_count && group->launches >= group->skip;
        group->launches++;
        group_count_launch(group, bounds);
    }
    /* A kernel that failed makes no range, but a range that was pushed for a graph exists. */
    if (counts && (mode == RANGES_OF_GRAPHS ? current != NULL : good))
        ranges_add(good ? current : NULL);
    current = NULL;
}

/* False when the launch only becomes part of a graph. Else its group; NULL when there are too many; and its stream. */
static bool find_group(CUpti_CallbackId id, const CUpti_CallbackData *call, enum ranges_mode mode,
                       struct launch_group **group, CUstream *stream)
{
    if (mode == RANGES_OF_GRAPHS) {
        const cuGraphLaunch_params *graph = call->functionParams;
        *group = group_of_graph(graph->hGraph);
        *stream = graph->hStream;
        return true;
    }
    struct launch_call launch;
    launch_call_read(&launch, id, call->functionParams);
    if (capture_is_of(launch.stream))
        return false;
    *stream = launch.stream;
    *group = group_of_launch(launch.function, launch.grid, launch.block, launch.shared, call->symbolName);
    return true;
}

/* Has the launch timed, if it counts and is not measured. A measured one has no record. */
static void expect_time(const CUpti_CallbackData *call, enum ranges_mode mode, struct launch_group *group,
                        CUstream stream, unsigned bounds)
{
    const size_t kernels =
        mode == RANGES_OF_GRAPHS ? graph_kernels(((const cuGraphLaunch_params *)call->functionParams)->hGraph) : 1;
    for (size_t i = 0; ranges_running() && i < kernels; i++)
        busy_add(0, 0, NULL);
    if (group && group->id && bounds && !ranges_running())
        activity_expect(call, stream, group, kernels, bounds);
}

/* Tells the parent once who launches the group. Python may come to know only after some launches. */
static void tell_caller(struct launch_group *group)
{
    if (!group || !group->id || group->asked >= CALLERS_MAX)
        return;
    group->asked = python_is_awaited() ? group->asked + 1 : CALLERS_MAX;
    OWNED_TEXT caller = callers_tell();
    if (caller) {
        OWNED_TEXT text = x_sprintf("%s\n%s", group->id, caller);
        link_say(MESSAGE_CALLER, text);
    }
}

static enum unwatched_reason why_of_no_group(const CUpti_CallbackData *call, enum ranges_mode mode)
{
    return mode == RANGES_OF_GRAPHS && graph_is_spoilt(((const cuGraphLaunch_params *)call->functionParams)->hGraph)
               ? UNWATCHED_GRAPH
               : UNWATCHED_SHAPES;
}

static void on_launch(CUpti_CallbackId id, const CUpti_CallbackData *call, enum ranges_mode mode)
{
    static _Thread_local struct launch_group *group;
    static _Thread_local CUstream stream;
    static _Thread_local bool runs;       /* the launch runs now, and not with a graph later */
    static _Thread_local unsigned bounds; /* what it counts for */
    static _Thread_local bool kept;       /* it becomes a capsule */
    static _Thread_local bool held, counts;
    static _Thread_local double entered;
    if (call->callbackSite == CUPTI_API_ENTER) {
        if (!process_lock(LAUNCH_SECONDS)) {
            atomic_fetch_add(&process.unwatched[UNWATCHED_WAIT], 1);
            return;
        }
        struct problem problem;
        entered = now_seconds();
        counts = ranges_running();
        within = true;
        kept = false;
        group = NULL;
        if (process_describe(&problem) < 0)
            process_give_up(&problem);
        runs = !process_is_off() && find_group(id, call, mode, &group, &stream);
        if (runs) {
            bounds = bounds_now();
            kept = process.request.keeps && bounds && !capture_is_on() && keep_is_wanted(group) &&
                   keep_begin(group, id, call);
            held = is_held(group);
            if (!process.request.keeps)
                before_launch(group, mode, bounds, held);
            expect_time(call, mode, group, stream, bounds);
            tell_caller(group);
        }
    } else if (within) {
        const bool good = *(const CUresult *)call->functionReturnValue == CUDA_SUCCESS;
        if (runs && !group && good)
            atomic_fetch_add(&process.unwatched[why_of_no_group(call, mode)], 1);
        if (!good)
            activity_forget(call->correlationId);
        if (runs && kept)
            keep_end(group, good);
        if (runs)
            after_launch(group, mode, stream, bounds, held, good);
        if (counts || ranges_running())
            process.counting += now_seconds() - entered;
        within = false;
        process_unlock();
    }
}

void launch_of_kernel(CUpti_CallbackId id, const CUpti_CallbackData *call)
{
    on_launch(id, call, RANGES_OF_KERNELS);
}

void launch_of_graph(CUpti_CallbackId id, const CUpti_CallbackData *call)
{
    on_launch(id, call, RANGES_OF_GRAPHS);
}
