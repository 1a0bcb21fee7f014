#include "child.h"

#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
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
    if (pipe2(ends, O_CLOEXEC) < 0)
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

enum child_event child_next(struct child *child, double deadline, int interrupts, struct message *message)
{
    struct pollfd events[] = {{.fd = child->pipe, .events = POLLIN}, {.fd = interrupts, .events = POLLIN}};
    for (;;) {
        const int taken = message_take(child->buffer, &child->length, message);
        if (taken != 0)
            return taken > 0 ? CHILD_SAID : CHILD_BABBLED;
        /* Looks before it gives up: after Ctrl-Z and fg the time is over, and the result is there. */
        const double left = deadline - now_seconds();
        const int ready = poll(events, ARRAY_SIZE(events), left > 0 ? (int)(left * 1000) + 1 : 0);
        if (ready < 0 && errno != EINTR)
            BUG("poll: %s", strerror(errno));
        if (ready == 0 && left <= 0)
            return CHILD_QUIET;
        if (ready <= 0)
            continue;
        if (events[1].revents)
            return CHILD_INTERRUPTED;
        if (fill_buffer(child) <= 0)
            return CHILD_ENDED;
    }
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

char *child_end(struct child *child, bool ends_itself)
{
    int status = 0;
    close(child->pipe);
    free(child->buffer);
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
