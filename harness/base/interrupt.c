#include "interrupt.h"

#include "error.h"

#include <errno.h>
#include <unistd.h>

static bool has_come; /* true once a signal has come: the process then only writes its results, and ends */

int interrupts_open(struct interrupts *interrupts)
{
    static const int ends[] = {SIGINT, SIGTERM, SIGHUP};
    sigset_t set;
    sigemptyset(&set);
    for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
        /* Signals that were ignored when the process started (nohup) must stay ignored: once blocked, they would
         * arrive. */
        struct sigaction action;
        if (sigaction(ends[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
            sigaddset(&set, ends[i]);
    }
    sigprocmask(SIG_BLOCK, &set, &interrupts->before);
    interrupts->descriptor = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (interrupts->descriptor >= 0)
        return 0;
    sigprocmask(SIG_SETMASK, &interrupts->before, NULL);
    return error("cannot watch for Ctrl-C: %s", strerror(errno));
}

bool interrupts_take(const struct interrupts *interrupts, struct signalfd_siginfo *taken)
{
    if (read(interrupts->descriptor, taken, sizeof *taken) != sizeof *taken)
        return false;
    has_come = true;
    return true;
}

bool interrupts_close(struct interrupts *interrupts)
{
    /* A pending signal would end the process as soon as it is unblocked, before anything is written. */
    struct signalfd_siginfo taken;
    bool any = false;
    while (interrupts_take(interrupts, &taken))
        any = true;
    close(interrupts->descriptor);
    if (!has_come)
        sigprocmask(SIG_SETMASK, &interrupts->before, NULL);
    return any;
}
