/* Says who holds the counters, and counts the launches of a session, of which the driver tells. */
#include "profiler.h"

#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <unistd.h>

pthread_mutex_t profiler_lock = PTHREAD_MUTEX_INITIALIZER;
struct CUpti_RangeProfiler_Object *profiler_objects;
static int counters_files[16]; /* lock files by device; 0: not open, since standard input is none */
static long ranges_to_lose = -1;

/* ---- Who holds the counters ---- */

/* As the real one: a process holds a device's counters from Enable to Disable. `type` is F_WRLCK to take them, F_UNLCK
 * to give them back. False: another process has them. A lock of fcntl belongs to the process, so a forked child does
 * not have it. */
bool counters_lock(int device, short type)
{
    const char *folder = getenv("STANDIN_DIR");
    if (!folder)
        return true;
    char path[4096];
    snprintf(path, sizeof path, "%s/counters.%d", folder, standin_gpu(device));
    if (counters_files[device] == 0)
        counters_files[device] = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (counters_files[device] < 0) {
        perror(path);
        abort();
    }
    struct flock file_lock = {.l_type = type, .l_whence = SEEK_SET};
    return fcntl(counters_files[device], F_SETLK, &file_lock) == 0;
}

bool counters_are_held(int device)
{
    for (const struct CUpti_RangeProfiler_Object *object = profiler_objects; object; object = object->next)
        if (profiler_driver()->device_of(object->context) == device)
            return true;
    return false;
}

bool counters_are_free(int device)
{
    if (counters_are_held(device))
        return true;
    const bool is_free = counters_lock(device, F_WRLCK);
    if (is_free)
        counters_lock(device, F_UNLCK);
    return is_free;
}

/* ---- Ranges ---- */

struct CUpti_RangeProfiler_Object *profiler_object_of(CUcontext context)
{
    struct CUpti_RangeProfiler_Object *object = profiler_objects;
    while (object && object->context != context)
        object = object->next;
    return object;
}

/* Returns whether the range is one of the first N of the process, which STANDIN_LOSE_RANGES loses. */
static bool is_lost(void)
{
    if (ranges_to_lose < 0) {
        const char *text = getenv("STANDIN_LOSE_RANGES");
        ranges_to_lose = text ? atol(text) : 0;
    }
    if (ranges_to_lose == 0)
        return false;
    ranges_to_lose--;
    return true;
}

static struct counter_row *new_row(struct CUpti_RangeProfiler_Object *object)
{
    object->rows = realloc(object->rows, (object->row_count + 1) * sizeof *object->rows);
    if (!object->rows)
        abort();
    struct counter_row *row = &object->rows[object->row_count++];
    *row = (struct counter_row){0};
    for (int i = 0; i < MOST_METRICS; i++)
        row->values[i] = NAN;
    return row;
}

/* As the real one:
 * - CUPTI reserves twice the ranges of the first configuration since Enable. Ranges that do not fit are dropped,
 *   without an error, and the number of dropped ranges does not count them.
 * - If sizes were asked for several sets of metrics since Enable, all values are NaN.
 * - Instrumented counters are 0 in a range with a graph. */
void range_add(struct CUpti_RangeProfiler_Object *object, const char *name, const struct range_work *work,
               bool has_graph)
{
    const size_t in_pass = object->next_row - object->base;
    if (object->is_starved || in_pass >= object->limit || in_pass >= object->capacity || is_lost())
        return;
    struct counter_row *row = object->next_row < object->row_count ? &object->rows[object->next_row] : new_row(object);
    object->next_row++;
    snprintf(row->name, sizeof row->name, "%s", name);
    const enum pass_kind kind = metric_pass_kind(object->config.metrics, object->pass);
    for (int metric = 0; metric < MOST_METRICS && !object->is_mixed; metric++) {
        if (!(object->config.metrics >> metric & 1) || metric_kind(metric) != kind)
            continue;
        row->values[metric] =
            kind == INSTRUMENTED && (has_graph || activity_adds_code()) ? 0 : metric_value(metric, work);
    }
}

static void add_work(struct range_work *sum, const struct standin_kernel *kernel)
{
    const struct range_work work = metric_work(kernel);
    sum->threads += work.threads;
    sum->time_ns += work.time_ns;
    sum->read += work.read;
    sum->instructions += work.instructions;
}

void range_unloaded(CUcontext context)
{
    pthread_mutex_lock(&profiler_lock);
    struct CUpti_RangeProfiler_Object *object = profiler_object_of(context);
    if (object && metric_pass_kind(object->config.metrics, object->pass) == INSTRUMENTED)
        object->is_stale = true;
    pthread_mutex_unlock(&profiler_lock);
}

bool range_counts(CUcontext context, enum pass_kind *kind)
{
    pthread_mutex_lock(&profiler_lock);
    const struct CUpti_RangeProfiler_Object *object = profiler_object_of(context);
    const bool counts = object && object->is_running && !object->is_broken;
    if (counts)
        *kind = metric_pass_kind(object->config.metrics, object->pass);
    pthread_mutex_unlock(&profiler_lock);
    return counts;
}

/* Adds a kernel's range. In AutoRange CUPTI waits for each kernel. */
void range_ran(const struct standin_kernel *kernel)
{
    pthread_mutex_lock(&profiler_lock);
    struct CUpti_RangeProfiler_Object *object = profiler_object_of(kernel->context);
    const bool is_running = object && object->is_running && !object->is_broken;
    const bool is_auto = is_running && object->range == CUPTI_AutoRange;
    if (is_running && object->is_stale)
        raise(SIGSEGV);
    pthread_mutex_unlock(&profiler_lock);
    if (is_auto)
        profiler_driver()->wait(kernel->context);
    if (!is_running)
        return;
    pthread_mutex_lock(&profiler_lock);
    if (is_auto) {
        const struct range_work work = metric_work(kernel);
        char number[24];
        snprintf(number, sizeof number, "%zu", object->next_row - object->base);
        range_add(object, number, &work, false);
    } else if (object->is_open) {
        add_work(&object->work, kernel);
    }
    pthread_mutex_unlock(&profiler_lock);
}

/* As the real one: a launch that is captured while a session runs spoils the capture and the session. */
void range_captured(CUcontext context)
{
    pthread_mutex_lock(&profiler_lock);
    struct CUpti_RangeProfiler_Object *object = profiler_object_of(context);
    const bool is_running = object && object->is_running;
    if (is_running)
        object->is_broken = true;
    pthread_mutex_unlock(&profiler_lock);
    if (is_running)
        profiler_driver()->spoil_captures();
}

/* As the real one: a graph runs as it should, but an AutoRange session is lost, with the ranges of other launches.
 * Between PushRange and PopRange the graph is counted. */
void range_graph_ran(CUcontext context, const struct standin_kernel *kernels, size_t count)
{
    pthread_mutex_lock(&profiler_lock);
    struct CUpti_RangeProfiler_Object *object = profiler_object_of(context);
    if (object && object->is_running && object->range == CUPTI_AutoRange)
        object->is_broken = true;
    if (object && object->is_running && object->is_open) {
        object->has_graph = true;
        for (size_t i = 0; i < count; i++)
            add_work(&object->work, &kernels[i]);
    }
    pthread_mutex_unlock(&profiler_lock);
}
