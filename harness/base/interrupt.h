/* interrupt.h - holds back the signals that would end measuring, so that what was measured can still be saved. */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <sys/signalfd.h>

/* Between open and close SIGINT, SIGTERM and SIGHUP do not end the process. Instead the descriptor becomes readable
 * when one has come. It may be nested: a signal that the inner one does not take goes to the outer one. Once a
 * signal was taken they stay blocked, even after close: only saving is left to do. (A session that ends sends more
 * than one.) */
struct interrupts {
    int descriptor;
    sigset_t before;
};

int interrupts_open(struct interrupts *interrupts); /* starts holding signals back; -1 after error() */

/* Takes the next signal that has come; false when there is none. */
bool interrupts_take(const struct interrupts *interrupts, struct signalfd_siginfo *taken);

/* Ends it. Returns true when a signal has come that nobody took. */
bool interrupts_close(struct interrupts *interrupts);
