#include "measure.h"

#include "collector.h"
#include "measure_interrupt.h"
#include "measure_lines.h"
#include "options.h"
#include "resources.h"
#include "util.h"
#include "version.h"
#include "worker.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* The parent's view of the workers, one after the other. */
struct watch {
    const struct measurement *measurement;
    struct run *run;
    struct interrupts interrupts;
    char **ids; /* chosen kernels, in the order in which they are measured */
    size_t count;
    size_t next;    /* the kernel that begins or has begun */
    bool started;   /* it has begun and has no result yet */
    bool leaving;   /* the last result was such that the worker ends after it */
    bool described; /* the run's device is known */
    double begin;   /* of the whole measurement, seconds */
    double deadline;
    char *buffer;
    size_t length, capacity;
};

/* How one worker came to its end. */
enum ending { ENDING_DONE, ENDING_NEXT, ENDING_HUNG, ENDING_DIED, ENDING_INTERRUPTED, ENDING_IMPOSSIBLE, ENDING_USAGE };

static void erase_progress(const struct watch *watch)
{
    if (watch->measurement->progress)
        fputs("\r\033[K", stderr);
}

static void draw_progress(const struct watch *watch)
{
    if (!watch->measurement->progress || watch->next >= watch->count)
        return;
    const char *label = watch->measurement->label;
    fprintf(stderr, "\r\033[K%s%s[%zu/%zu] %s", label ? label : "", label ? ": " : "", watch->next + 1, watch->count,
            watch->ids[watch->next]);
    if (watch->next > 0) {
        const double elapsed = now_seconds() - watch->begin;
        const double left = elapsed / (double)watch->next * (double)(watch->count - watch->next);
        fprintf(stderr, "  about %.0f s left", left);
    }
    fflush(stderr);
}

static size_t split_lines(char *text, char ***lines)
{
    size_t count = 0;
    *lines = NULL;
    char *rest = NULL;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
        *ARRAY_ADD(*lines, count) = x_strdup(line);
    return count;
}

static void free_lines(char **lines, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(lines[i]);
    free(lines);
}

static void set_fact(struct session *session, enum session_fact fact, char *text)
{
    free(session->facts[fact]);
    session->facts[fact] = text;
}

/* First line of what a command prints, or NULL. */
static char *command_line(const char *command)
{
    FILE *stream = popen(command, "r"); /* NOLINT(cert-env33-c): only constant commands come here */
    if (!stream)
        return NULL;
    char line[256] = "";
    const char *read = fgets(line, sizeof line, stream);
    pclose(stream);
    line[strcspn(line, "\n")] = '\0';
    return read && *line ? x_strdup(line) : NULL;
}

void measure_complete_session(struct session *session)
{
    char text[256];
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    struct tm utc;
    const size_t length = strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", gmtime_r(&now.tv_sec, &utc));
    /* To the millisecond, because the date tells one session from another. */
    snprintf(text + length, sizeof text - length, ".%03ldZ", now.tv_nsec / 1000000);
    set_fact(session, SESSION_DATE, x_strdup(text));
    if (gethostname(text, sizeof text) == 0) {
        text[sizeof text - 1] = '\0';
        set_fact(session, SESSION_HOST, x_strdup(text));
    }
    set_fact(session, SESSION_COMMIT, command_line("git describe --always --dirty --abbrev=12 2>/dev/null"));
    set_fact(session, SESSION_CUGATE, x_strdup(CUGATE_VERSION));
}

/* The first worker's description becomes the run's; those of later workers are the same device. */
static int take_device(struct watch *watch, const char *text)
{
    if (watch->described)
        return 0;
    struct run described = {0};
    if (run_parse(&described, "the worker's message", text, strlen(text)) < 0)
        return -1;
    watch->run->device = described.device;
    described.device = (struct device){0};
    watch->run->sessions = described.sessions;
    watch->run->session_count = described.session_count;
    described.sessions = NULL;
    described.session_count = 0;
    run_release(&described);
    if (!watch->measurement->lines) /* of which only the lines are kept */
        measure_complete_session(&watch->run->sessions[0]);
    run_note_metrics(watch->run, watch->measurement->metrics);
    watch->described = true;
    return 0;
}

static int take_result(struct watch *watch, const char *line)
{
    struct result taken = {0};
    if (result_from_line(&taken, line) < 0)
        return -1;
    struct result *result = run_add(watch->run, taken.id);
    result_release(result);
    *result = taken;
    watch->started = false;
    watch->leaving = result->status == RESULT_FAILED || watch->measurement->lines;
    watch->next++;
    return 0;
}

/* A result for the kernel that the worker's end left without one. */
static void fail_kernel(struct watch *watch, enum result_status status, char *reason)
{
    struct result *result = run_add(watch->run, watch->ids[watch->next]);
    result->status = status;
    result->reason = reason;
    watch->started = false;
    watch->next++;
}

static void say_no_match(char *ids)
{
    char **names;
    const size_t count = split_lines(ids, &names);
    if (count == 0)
        BUG("a worker that found no match did not say for what");
    const char *near = nearest_name(names[0] + strlen("-k '"), (const char *const *)&names[1], count - 1);
    error("no kernel matches %s%s%s%s; `cugate list` shows all %zu", names[0], near ? "; did you mean '" : "",
          near ? near : "", near ? "'?" : "", count - 1);
    free_lines(names, count);
}

/* Acts on one message; false when it ends the worker, with *ending set. */
static bool take_message(struct watch *watch, struct message *message, enum ending *ending)
{
    watch->deadline = now_seconds() + watch->measurement->timeout;
    switch (message->kind) {
    case MESSAGE_KERNELS:
        if (!watch->ids)
            watch->count = split_lines(message->text, &watch->ids);
        return true;
    case MESSAGE_DEVICE:
        *ending = ENDING_IMPOSSIBLE;
        return take_device(watch, message->text) == 0;
    case MESSAGE_START:
        watch->started = true;
        draw_progress(watch);
        return true;
    case MESSAGE_RESULT:
        *ending = ENDING_IMPOSSIBLE;
        return take_result(watch, message->text) == 0;
    case MESSAGE_FAILURE:
        erase_progress(watch);
        error("cannot measure: %s", message->text);
        *ending = ENDING_IMPOSSIBLE;
        return false;
    case MESSAGE_UNUSABLE:
        error("%s", message->text);
        *ending = ENDING_USAGE;
        return false;
    case MESSAGE_NO_MATCH:
        say_no_match(message->text);
        *ending = ENDING_USAGE;
        return false;
    case MESSAGE_END:
        *ending = ENDING_DONE;
        return false;
    }
    BUG("a message of kind %d", (int)message->kind);
}

/* Reads what the pipe has. 0 at its end. */
static ssize_t fill_buffer(struct watch *watch, int pipe)
{
    const size_t step = 1 << 16;
    if (watch->capacity - watch->length < step) {
        watch->capacity = watch->length * 2 + step;
        watch->buffer = x_realloc(watch->buffer, watch->capacity, 1);
    }
    const ssize_t got = read(pipe, watch->buffer + watch->length, step);
    if (got > 0)
        watch->length += (size_t)got;
    return got;
}

/* Takes messages until the worker ends, one way or the other. */
static enum ending watch_worker(struct watch *watch, int pipe)
{
    struct pollfd events[] = {{.fd = pipe, .events = POLLIN}, {.fd = watch->interrupts.descriptor, .events = POLLIN}};
    watch->deadline = now_seconds() + watch->measurement->timeout;
    watch->length = 0;
    for (;;) {
        /* Looks before it gives up: after Ctrl-Z and fg the time is over, and the result is there. */
        const double left = watch->deadline - now_seconds();
        const int ready = poll(events, ROWS(events), left > 0 ? (int)(left * 1000) + 1 : 0);
        if (ready < 0 && errno != EINTR)
            BUG("poll: %s", strerror(errno));
        if (ready == 0 && left <= 0)
            return ENDING_HUNG;
        if (ready <= 0)
            continue;
        if (events[1].revents)
            return ENDING_INTERRUPTED;
        if (fill_buffer(watch, pipe) <= 0)
            return watch->started ? ENDING_DIED : ENDING_NEXT;
        struct message message;
        while (message_take(watch->buffer, &watch->length, &message)) {
            enum ending ending = ENDING_DONE;
            const bool goes_on = take_message(watch, &message, &ending);
            free(message.text);
            if (!goes_on)
                return ending;
        }
    }
}

/* Waits for the worker for at most `seconds`; false when it is still there. */
static bool worker_gone(pid_t worker, double seconds, int *status)
{
    const struct timespec nap = {.tv_nsec = 5000000};
    const double end = now_seconds() + seconds;
    for (;;) {
        const pid_t gone = waitpid(worker, status, WNOHANG);
        if (gone == worker || (gone < 0 && errno == ECHILD))
            return true;
        if (now_seconds() >= end)
            return false;
        nanosleep(&nap, NULL);
    }
}

/* Ends the worker if it does not end by itself, and says how it did: "Segmentation fault (signal 11)". Caller frees. */
static char *end_worker(pid_t worker, enum ending ending)
{
    /* One that closed its pipe is ending, and how it ends is worth knowing: a core dump takes time. */
    const bool ends_itself = ending == ENDING_DONE || ending == ENDING_NEXT || ending == ENDING_DIED;
    int status = 0;
    if (!ends_itself || !worker_gone(worker, 10, &status)) {
        kill(worker, SIGKILL);
        while (waitpid(worker, &status, 0) < 0 && errno == EINTR)
            continue;
    }
    if (WIFSIGNALED(status))
        return x_sprintf("%s (signal %d)", strsignal(WTERMSIG(status)), WTERMSIG(status));
    return x_sprintf("it exited with %d", WEXITSTATUS(status));
}

/* One worker from the next kernel on. */
static enum ending run_worker(struct watch *watch)
{
    int pipe;
    const size_t first = watch->next;
    const pid_t worker = worker_start(watch->measurement, first, &pipe);
    if (worker < 0)
        return ENDING_IMPOSSIBLE;
    enum ending ending = watch_worker(watch, pipe);
    close(pipe);
    char *how = end_worker(worker, ending);
    if (ending == ENDING_DIED) {
        fail_kernel(watch, RESULT_CRASHED, x_sprintf("the process that ran it died: %s", how));
    } else if (ending == ENDING_HUNG && watch->started) {
        fail_kernel(
            watch, RESULT_HUNG,
            x_sprintf("no result within %g s; a longer limit is set with --timeout", watch->measurement->timeout));
    } else if (ending == ENDING_HUNG && watch->next == first) {
        error("cannot measure: the GPU did not open within %g s; is another program holding it? (nvidia-smi)",
              watch->measurement->timeout);
        ending = ENDING_IMPOSSIBLE;
    } else if (ending == ENDING_NEXT && watch->next == first) {
        error("cannot measure: the worker ended before its first kernel: %s", how);
        ending = ENDING_IMPOSSIBLE;
    } else if (ending == ENDING_HUNG || (ending == ENDING_NEXT && !watch->leaving)) {
        /* Every result is there: nothing is left to fail but what cleans up after a kernel. */
        warning("after %s the worker did not end well (%s), most likely in the family's close(); its results are kept",
                watch->ids[watch->next - 1], ending == ENDING_HUNG ? "it hung" : how);
        ending = ENDING_NEXT;
    }
    free(how);
    return ending;
}

int measure_run(const struct measurement *measurement, struct run *run)
{
    *run = (struct run){0};
    struct watch watch = {.measurement = measurement, .run = run, .begin = now_seconds()};
    if (interrupts_open(&watch.interrupts) < 0)
        return EXIT_NOT_MEASURED;
    enum ending ending;
    do {
        ending = run_worker(&watch);
    } while ((ending == ENDING_NEXT || ending == ENDING_DIED || ending == ENDING_HUNG) && watch.next < watch.count);
    erase_progress(&watch);
    if (interrupts_close(&watch.interrupts))
        ending = ENDING_INTERRUPTED;

    int code = EXIT_SAME;
    if (ending == ENDING_INTERRUPTED) {
        warning("interrupted after %zu of %zu kernels%s%s%s; what was measured is kept", watch.next, watch.count,
                measurement->label ? " (" : "", measurement->label ? measurement->label : "",
                measurement->label ? ")" : "");
        code = EXIT_INTERRUPTED;
    } else if (ending == ENDING_USAGE) {
        code = EXIT_USAGE;
    } else if (ending == ENDING_IMPOSSIBLE) {
        code = EXIT_NOT_MEASURED;
    }
    free_lines(watch.ids, watch.count);
    free(watch.buffer);
    return code;
}

int measure_whole(const struct measurement *measurement, struct run *run)
{
    struct measurement whole = *measurement;
    whole.roofs = true;
    const int code = measure_run(&whole, run);
    if (run->result_count > 0 && resources_add(run, measurement->kernels, measurement->metrics) < 0 &&
        code == EXIT_SAME)
        return EXIT_NOT_MEASURED;
    lines_add_rows(run, measurement->metrics);
    return code;
}

int measurement_init(struct measurement *measurement, const struct options *options, const struct metrics *metrics)
{
    if (!collector_find(options->collector))
        return error("there is no collector '%s'; `cugate list --collectors` shows them", options->collector);
    *measurement = (struct measurement){
        .kernels = options->kernels,
        .metrics = metrics,
        .collector = options->collector,
        .globs = options->globs,
        .glob_count = options->glob_count,
        .device = options->device,
        .samples = options->samples,
        .timeout = options->timeout,
        .progress = isatty(STDERR_FILENO) && !options->quiet,
    };
    return 0;
}

int measure_from_options(const struct options *options, const struct metrics *metrics, struct run *run)
{
    struct measurement measurement;
    return measurement_init(&measurement, options, metrics) < 0 ? EXIT_USAGE : measure_whole(&measurement, run);
}
