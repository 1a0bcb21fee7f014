/* interrupt.h - the signals that end measuring, held back so that what was measured can still be kept. */
#ifndef INTERRUPT_H
#define INTERRUPT_H

#include <signal.h>
#include <stdbool.h>

/* Between open and close SIGINT, SIGTERM and SIGHUP end nothing: the descriptor becomes readable when one has come.
 * May be nested: what the inner one does not take is the outer one's. */
struct interrupts {
    int descriptor;
    sigset_t before;
};

int interrupts_open(struct interrupts *interrupts); /* -1 after error() */

/* True when a signal came that no inner one has taken. */
bool interrupts_close(struct interrupts *interrupts);

#endif
