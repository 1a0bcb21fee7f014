/* child.h - a process of its own for what a kernel library does. Nothing of a library runs in the parent. A library
 * shares the child with cugate's code and can end the process at any time, or say what it likes (wire.h). It is no
 * sandbox: a library has the user's rights. */
#ifndef CHILD_H
#define CHILD_H

#include "wire.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct child {
    pid_t process;
    int pipe;     /* to read from and, with message_write, to write to; -1: it was closed */
    char *buffer; /* what came and is no whole message yet */
    size_t length, capacity;
};

/* Calls run in a new process, which ends when run returns, and is killed when this one dies. It has none of this
 * process's files but standard input and standard error, where its standard output goes too. -1 after error(). */
int child_start(struct child *child, void (*run)(int pipe, const void *data), const void *data);

enum child_event {
    CHILD_SAID,       /* *message is the next one */
    CHILD_BABBLED,    /* what came is no message */
    CHILD_ENDED,      /* nothing comes any more; of child.length bytes the rest is missing */
    CHILD_QUIET,      /* nothing came until the deadline, of now_seconds() */
    CHILD_INTERRUPTED /* the descriptor, of struct interrupts, became readable */
};

enum child_event child_next(struct child *child, double deadline, int interrupts, struct message *message);

/* The same of several, each with its own deadline; HUGE_VAL: none. *which is whose event it is, and before the call
 * whose the last one was: the others come first, so that one that says much keeps none from being heard. */
enum child_event child_next_of(struct child *const *children, const double *deadlines, size_t count, int interrupts,
                               size_t *which, struct message *message);

/* Listens no more to a child that is ending; child_end is still due. */
void child_close(struct child *child);

/* Ends the child, after some time to do so itself if it is about to, and releases *child. Says how it ended:
 * "Segmentation fault (signal 11)". Caller frees. */
char *child_end(struct child *child, bool ends_itself);

#endif
