/* The state of this process of the program: what is asked of it, whether it is still measured, and what it tells the
 * parent. */
#include "process.h"
#include "activity.h"
#include "callers.h"
#include "groups.h"
#include "keep.h"

#include <cupti_version.h>

#include <inttypes.h>
#include <time.h>

enum { FAILURES_MAX = 3 /* failed sessions in a row, after which the process gives up */ };

/* By default counting may take a part of the program's own time, at least and at most so many seconds; more at least
 * for all kernels, as a baseline has them, than for those that changed. Once that is over, it goes on when it has so
 * many seconds again, since to open the counters takes some of them. */
enum { COUNTING_LEAST = 2, COUNTING_ALL_LEAST = 10, COUNTING_MOST = 60, COUNTING_AGAIN = 1 };

struct process process = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static size_t failures;
static char gpu_name[128]; /* the name of the GPU's model; empty: it is not known yet */

bool process_is_off(void)
{
    return atomic_load(&process.off);
}

static _Thread_local bool is_own;

bool process_is_own(void)
{
    return is_own;
}

bool process_try_lock(void)
{
    return is_own = pthread_mutex_trylock(&process.mutex) == 0;
}

bool process_lock(double seconds)
{
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += (time_t)seconds;
    return is_own = pthread_mutex_timedlock(&process.mutex, &end) == 0;
}

void process_unlock(void)
{
    is_own = false;
    pthread_mutex_unlock(&process.mutex);
}

bool process_may_count(void)
{
    static bool over;
    const int seconds = process.request.seconds, least = seconds == -1 ? COUNTING_ALL_LEAST : COUNTING_LEAST;
    const double own = now_seconds() - process.began - process.counting,
                 share = fmin(fmax(own / -fmin(seconds, -1), least), COUNTING_MOST),
                 left = (seconds < 0 ? share : seconds) - process.counting;
    over = over ? left < COUNTING_AGAIN : left <= 0;
    return !over || process.request.lines;
}

/* ---- Saying ---- */

void process_give_up(const struct problem *problem)
{
    ranges_close();
    link_say(MESSAGE_FAILURE, problem->text);
    atomic_store(&process.off, true);
}

int process_describe(struct problem *problem)
{
    static bool described;
    if (described)
        return 0;
    OWNED(run) run = {0};
    struct session *session = ARRAY_GROW(run.sessions, run.session_count);
    CUdevice device = 0;
    uint32_t version = 0;
    TRY(cuda_check("identifying the GPU", cuCtxGetDevice(&device), problem));
    TRY(gpu_describe(device, &run.device, session, problem));
    if (session->facts[SESSION_GPU_PROCESSES]) { /* this process is one of them by now */
        const long others = strtol(session->facts[SESSION_GPU_PROCESSES], NULL, 10) - 1;
        free(session->facts[SESSION_GPU_PROCESSES]);
        session->facts[SESSION_GPU_PROCESSES] = x_sprintf("%ld", others > 0 ? others : 0);
    }
    if (cuptiGetVersion(&version) == CUPTI_SUCCESS)
        session->facts[SESSION_CUPTI] = x_sprintf("%u", version);
    OWNED_TEXT text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (!stream || run_write(&run, stream) < 0)
        return problem_set(problem, "out of memory");
    fclose(stream);
    link_say(MESSAGE_DEVICE, text);
    described = true;
    return 0;
}

/* Says what was copied and set, and how busy the GPU was. Where a part of the
 * program counts it is not said, since records do not tell which were in that part. */
static void send_work(void)
{
    struct work copies, fills;
    uint64_t busy, span, elapsed;
    if (!activity_end(&copies, &fills) || !program_part_is_all(&process.request.part))
        return;
    busy_tell(&busy, &span, &elapsed);
    OWNED_TEXT whole = elapsed > 0 ? x_sprintf("%" PRIu64, elapsed) : x_strdup("-");
    OWNED_TEXT text = x_sprintf("%zu %" PRIu64 " %" PRIu64 " %zu %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
                                " - %zu %zu %" PRIu64 " %" PRIu64 " %zu - - - - %s",
                                copies.count, copies.bytes, copies.time_ns, fills.count, fills.bytes, fills.time_ns,
                                busy, span, process.synchronizations, process.allocations, copies.host_bytes,
                                copies.pageable_bytes, process.stream_calls, whole);
    link_say(MESSAGE_WORK, text);
}

void process_say_end(void)
{
    struct problem problem;
    if (process_is_off())
        return;
    (void)ranges_stop(&problem);
    ranges_close();
    if (keep_end_all(&problem) < 0) {
        process_give_up(&problem);
        link_close();
        return;
    }
    send_work();
    OWNED_TEXT libraries = libraries_tell();
    link_say(MESSAGE_LIBRARIES, libraries);
    OWNED_TEXT groups = groups_tell();
    char unwatched[UNWATCHED_REASONS * 24] = "";
    for (size_t i = 0, at = 0; i < UNWATCHED_REASONS; i++)
        at += (size_t)sprintf(unwatched + at, " %zu", atomic_load(&process.unwatched[i]));
    OWNED_TEXT text = x_sprintf("%zu%s\n%s", ranges_lost(), unwatched, groups);
    link_say(MESSAGE_END, text);
    atomic_store(&process.off, true);
    link_close();
}

/* ---- Sessions ---- */

void process_stop_session(void)
{
    struct problem problem;
    if (ranges_stop(&problem) == 0) {
        failures = 0;
    } else if (++failures == FAILURES_MAX) {
        process_give_up(&problem);
    }
    process.unwanted = 0;
}

/* Checks that the GPU is of the model that was told first. Values of another model would be put into the same rows. */
static int expect_same_model(struct problem *problem)
{
    char name[sizeof gpu_name] = "";
    CUdevice device = 0;
    TRY(cuda_check("identifying the GPU", cuCtxGetDevice(&device), problem));
    TRY(cuda_check("reading the GPU's name", cuDeviceGetName(name, sizeof name, device), problem));
    if (!*gpu_name)
        memcpy(gpu_name, name, sizeof name);
    if (strcmp(gpu_name, name) == 0)
        return 0;
    return problem_set(problem, "the program uses two GPU models, %s and %s: choose one with CUDA_VISIBLE_DEVICES",
                       gpu_name, name);
}

void process_start_session(enum ranges_mode mode)
{
    struct problem problem;
    CUcontext context = NULL;
    if (expect_same_model(&problem) < 0 || cuda_check("reading the context", cuCtxGetCurrent(&context), &problem) < 0 ||
        (process.request.lines ? lines_begin(context, &problem)
                               : ranges_start(context, mode, &process.request, &problem)) < 0)
        process_give_up(&problem);
}

void process_stop_from_outside(bool gives_counters_back)
{
    CUcontext was = NULL;
    cuCtxGetCurrent(&was);
    cuCtxSetCurrent(ranges_context());
    process_stop_session();
    if (gives_counters_back)
        ranges_close();
    cuCtxSetCurrent(was);
}
