#include "child.h"

#include "base/base.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- The child ---- */

/* Reports and run files are open already: a library that writes to any descriptor must not find them. */
static void keep_only(int pipe)
{
    if (pipe > STDERR_FILENO + 1)
        close_range(STDERR_FILENO + 1, (unsigned)pipe - 1, 0);
    close_range((unsigned)pipe + 1, UINT_MAX, 0);
    dup2(STDERR_FILENO, STDOUT_FILENO);
}

__attribute__((noreturn)) static void be_the_child(int pipe, pid_t parent, void (*run)(int pipe, const void *data),
                                                   const void *data)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(EXIT_FAILURE); /* it died before prctl */
    signal(SIGINT, SIG_IGN); /* the terminal sends it to both; the parent decides */
    signal(SIGPIPE, SIG_IGN);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    keep_only(pipe);
    run(pipe, data);
    /* Not exit(): the parent's buffers were copied with it and are the parent's to write. */
    _exit(EXIT_SUCCESS);
}

/* ---- The parent ---- */

int child_start(struct child *child, void (*run)(int pipe, const void *data), const void *data)
{
    int ends[2];
    *child = (struct child){0};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
        return error("cannot make a pipe for the worker: %s", strerror(errno));
    fflush(NULL);
    const pid_t parent = getpid();
    const pid_t process = fork();
    if (process < 0) {
        close(ends[0]);
        close(ends[1]);
        return error("cannot start a worker process: %s", strerror(errno));
    }
    if (process == 0)
        be_the_child(ends[1], parent, run, data);
    close(ends[1]);
    /* Nothing of a library keeps this process waiting: who does not read is told no more. A worker that is well reads
     * at once, and what it is told has room in the socket. */
    const struct timeval patience = {.tv_sec = 1};
    setsockopt(ends[0], SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    child->process = process;
    child->pipe = ends[0];
    return 0;
}

/* Reads what the pipe has. 0 at its end. */
static ssize_t fill_buffer(struct child *child)
{
    const size_t step = 1 << 16;
    if (child->capacity - child->length < step) {
        child->capacity = child->length * 2 + step;
        child->buffer = x_realloc(child->buffer, child->capacity, 1);
    }
    const ssize_t got = read(child->pipe, child->buffer + child->length, step);
    if (got > 0)
        child->length += (size_t)got;
    return got;
}

/* What is wrong when nothing has come: the child whose time is over. */
static bool find_quiet(const double *deadlines, const struct pollfd *events, size_t count, size_t *which)
{
    const double now = now_seconds();
    for (size_t i = 0; i < count; i++)
        if (!events[i].revents && deadlines[i] <= now) {
            *which = i;
            return true;
        }
    return false;
}

/* In milliseconds, until the first of them; -1: forever. */
static int time_left(const double *deadlines, size_t count)
{
    double first = HUGE_VAL;
    for (size_t i = 0; i < count; i++)
        first = fmin(first, deadlines[i]);
    const double left = first - now_seconds();
    return isinf(first) ? -1 : left > 0 ? (int)(left * 1000) + 1 : 0;
}

/* Reads what has come; true when there is something to say of it. */
static bool take_events(struct child *const *children, const double *deadlines, const struct pollfd *events,
                        size_t count, size_t *which, enum child_event *event)
{
    *event = CHILD_INTERRUPTED;
    if (events[count].revents)
        return true;
    *event = CHILD_ENDED;
    for (size_t i = 0; i < count; i++)
        if (events[i].revents && fill_buffer(children[i]) <= 0) {
            *which = i;
            return true;
        }
    /* Only what was looked at: after Ctrl-Z and fg the time is over, and the result is there. */
    *event = CHILD_QUIET;
    return find_quiet(deadlines, events, count, which);
}

enum child_event child_next_of(struct child *const *children, const double *deadlines, size_t count, int interrupts,
                               size_t *which, struct message *message)
{
    struct pollfd *events = x_calloc(count + 1, sizeof *events);
    for (size_t i = 0; i < count; i++)
        events[i] = (struct pollfd){.fd = children[i]->pipe, .events = POLLIN};
    events[count] = (struct pollfd){.fd = interrupts, .events = POLLIN};
    enum child_event event = CHILD_SAID;
    for (bool found = false; !found;) {
        for (size_t i = 0; i < count && !found; i++) {
            const size_t turn = (*which + 1 + i) % count;
            const int taken = message_take(children[turn]->buffer, &children[turn]->length, message);
            found = taken != 0;
            if (found)
                *which = turn;
            event = taken > 0 ? CHILD_SAID : CHILD_BABBLED;
        }
        if (found)
            break;
        const int ready = poll(events, count + 1, time_left(deadlines, count));
        if (ready < 0 && errno != EINTR)
            BUG("poll: %s", strerror(errno));
        found = ready >= 0 && take_events(children, deadlines, events, count, which, &event);
    }
    free(events);
    return event;
}

enum child_event child_next(struct child *child, double deadline, int interrupts, struct message *message)
{
    size_t which = 0;
    return child_next_of(&child, &deadline, 1, interrupts, &which, message);
}

/* Waits for the child for at most `seconds`; false when it is still there. */
static bool is_gone(pid_t process, double seconds, int *status)
{
    const struct timespec nap = {.tv_nsec = 5000000};
    const double end = now_seconds() + seconds;
    for (;;) {
        const pid_t gone = waitpid(process, status, WNOHANG);
        if (gone == process || (gone < 0 && errno == ECHILD))
            return true;
        if (now_seconds() >= end)
            return false;
        nanosleep(&nap, NULL);
    }
}

void child_close(struct child *child)
{
    if (child->pipe >= 0)
        close(child->pipe);
    free(child->buffer);
    *child = (struct child){.process = child->process, .pipe = -1};
}

char *child_end(struct child *child, bool ends_itself)
{
    int status = 0;
    child_close(child);
    /* One that closed its pipe is ending, and how it ends is worth knowing: a core dump takes time. */
    if (!ends_itself || !is_gone(child->process, 10, &status)) {
        kill(child->process, SIGKILL);
        while (waitpid(child->process, &status, 0) < 0 && errno == EINTR)
            continue;
    }
    *child = (struct child){0};
    if (WIFSIGNALED(status))
        return x_sprintf("%s (signal %d)", strsignal(WTERMSIG(status)), WTERMSIG(status));
    return x_sprintf("it exited with %d", WEXITSTATUS(status));
}
