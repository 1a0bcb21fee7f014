/* interrupt.h - the signals that end measuring, held back so that what was measured can still be kept. */
#ifndef INTERRUPT_H
#define INTERRUPT_H

#include <signal.h>
#include <stdbool.h>
#include <sys/signalfd.h>

/* Between open and close SIGINT, SIGTERM and SIGHUP end nothing: the descriptor becomes readable when one has come.
 * May be nested: what the inner one does not take is the outer one's. Once one was taken they stay blocked, also after
 * close: all that is left is to write what was measured, and a session that ends sends more than one. */
struct interrupts {
    int descriptor;
    sigset_t before;
};

int interrupts_open(struct interrupts *interrupts); /* -1 after error() */

/* The next signal that came; false when there is none. */
bool interrupts_take(const struct interrupts *interrupts, struct signalfd_siginfo *taken);

/* True when a signal came that nobody has taken. */
bool interrupts_close(struct interrupts *interrupts);

#endif
