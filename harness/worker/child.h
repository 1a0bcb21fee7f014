/* child.h - a process for everything that a kernel library does; nothing of a library runs in the parent. In the child
 * a library runs beside cugate's code: it can end the process at any time, or send any message (wire.h). The child is
 * no sandbox, since the library has the user's rights. */
#pragma once

#include "peer.h"

/* Calls run in a new process, which ends when run returns, and is killed when this one dies. It has none of this
 * process's files but standard input and standard error, where its standard output goes too. -1 after error(). */
int child_start(struct peer *child, void (*run)(int pipe, const void *data), const void *data);

enum child_event {
    CHILD_SAID,       /* *message is the next one */
    CHILD_BABBLED,    /* what came is no message */
    CHILD_ENDED,      /* nothing comes any more; of child->length bytes the rest is missing */
    CHILD_QUIET,      /* nothing came until the deadline, of now_seconds() */
    CHILD_INTERRUPTED /* the descriptor, of struct interrupts, became readable */
};

/* Waits for the next event of one of several, each with its own deadline; HUGE_VAL: none. *which is whose event it is,
 * and before the call whose the last one was: the others come first, so that one that says much keeps none from being
 * heard. */
enum child_event child_next_of(struct peer *const *children, const double *deadlines, size_t count, int interrupts,
                               size_t *which, struct message *message);

/* Ends the child, after some time to do so itself if it is about to, and releases *child. Says how it ended:
 * "Segmentation fault (signal 11)". Caller frees. */
char *child_end(struct peer *child, bool ends_itself);

/* Has run say one message in a child of its own, which ends then: what came of it within so many seconds, CHILD_ENDED
 * also where it could not be started, after error(). message->text and *how, the end of the child, are the caller's to
 * free, and either may be NULL. CHILD_INTERRUPTED: a signal came meanwhile, and was not taken. */
enum child_event child_ask(void (*run)(int pipe, const void *data), const void *data, double seconds,
                           struct message *message, char **how);
