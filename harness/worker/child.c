#include "child.h"

#include "base/base.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>

/* ---- The child ---- */

/* What the child is given. */
struct work {
    int pipe;
    void (*run)(int pipe, const void *data);
    const void *data;
};

static void be_the_child(const void *data)
{
    const struct work *work = data;
    signal(SIGINT, SIG_IGN); /* the terminal sends it to both; the parent decides */
    signal(SIGPIPE, SIG_IGN);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    work->run(work->pipe, work->data);
}

/* ---- The parent ---- */

int child_start(struct peer *child, void (*run)(int pipe, const void *data), const void *data)
{
    int ends[2];
    *child = (struct peer){0};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
        return error("cannot make a pipe for the worker: %s", strerror(errno));
    const struct work work = {ends[1], run, data};
    const pid_t process = process_start(&(struct process_start){
        .run = be_the_child, .data = &work, .keep = ends[1], .output = STDERR_FILENO, .dies_with_us = true});
    close(ends[1]);
    if (process < 0) {
        close(ends[0]);
        return error("cannot start a worker process: %s", strerror(errno));
    }
    peer_open(child, process, ends[0]);
    return 0;
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

/* Returns the milliseconds until the earliest deadline; -1: there is none. */
static int time_left(const double *deadlines, size_t count)
{
    double first = HUGE_VAL;
    for (size_t i = 0; i < count; i++)
        first = fmin(first, deadlines[i]);
    const double left = first - now_seconds();
    return isinf(first) ? -1 : left > 0 ? (int)(left * 1000) + 1 : 0;
}

/* Reads what has come; true when there is something to say of it. */
static bool take_events(struct peer *const *children, const double *deadlines, const struct pollfd *events,
                        size_t count, size_t *which, enum child_event *event)
{
    *event = CHILD_INTERRUPTED;
    if (events[count].revents)
        return true;
    *event = CHILD_ENDED;
    for (size_t i = 0; i < count; i++)
        if (events[i].revents && !peer_read(children[i])) {
            *which = i;
            return true;
        }
    /* A child counts as quiet only if its pipe was looked at. After Ctrl-Z and fg the deadline has passed, but the
     * result is there. */
    *event = CHILD_QUIET;
    return find_quiet(deadlines, events, count, which);
}

enum child_event child_next_of(struct peer *const *children, const double *deadlines, size_t count, int interrupts,
                               size_t *which, struct message *message)
{
    OWNED_MEMORY struct pollfd *events = x_calloc(count + 1, sizeof *events);
    for (size_t i = 0; i < count; i++)
        events[i] = (struct pollfd){.fd = children[i]->pipe, .events = POLLIN};
    events[count] = (struct pollfd){.fd = interrupts, .events = POLLIN};
    enum child_event event = CHILD_SAID;
    for (bool found = false; !found;) {
        for (size_t i = 0; i < count && !found; i++) {
            const size_t turn = (*which + 1 + i) % count;
            const int taken = peer_take(children[turn], message);
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
    return event;
}

char *child_end(struct peer *child, bool ends_itself)
{
    int status = 0;
    peer_close(child);
    /* One that closed its pipe is ending, and how it ends is worth knowing: a core dump takes time. */
    if (!ends_itself || !process_ends_within(child->process, 10, &status)) {
        kill(child->process, SIGKILL);
        status = process_wait(child->process);
    }
    *child = (struct peer){0};
    if (WIFSIGNALED(status))
        return x_sprintf("%s (signal %d)", strsignal(WTERMSIG(status)), WTERMSIG(status));
    return WEXITSTATUS(status) == MEMORY_EXIT ? memory_words()
                                              : x_sprintf("it exited with code %d", WEXITSTATUS(status));
}

enum child_event child_ask(void (*run)(int pipe, const void *data), const void *data, double seconds,
                           struct message *message, char **how)
{
    struct interrupts interrupts;
    struct peer child, *const children = &child;
    enum child_event event = CHILD_ENDED;
    const double deadline = now_seconds() + seconds;
    size_t which = 0;
    *message = (struct message){0};
    *how = NULL;
    if (interrupts_open(&interrupts) < 0)
        return event;
    if (child_start(&child, run, data) == 0) {
        event = child_next_of(&children, &deadline, 1, interrupts.descriptor, &which, message);
        *how = child_end(&child, event == CHILD_ENDED);
    }
    return interrupts_close(&interrupts) ? CHILD_INTERRUPTED : event;
}
