/* worker.h - the process that measures. It loads the kernel library, opens the device and sends what it finds over a
 * pipe, so that a kernel that crashes, hangs or corrupts the context costs its own result only. */
#ifndef WORKER_H
#define WORKER_H

#include "measure.h"

#include <stddef.h>
#include <sys/types.h>

/* A message is its kind, the length of its text (4 bytes, host order) and the text. */
enum message_kind {
    MESSAGE_KERNELS = 'K',  /* ids of all chosen kernels, one a line: first of all */
    MESSAGE_DEVICE = 'D',   /* a run file with device and session, without kernels */
    MESSAGE_START = 'S',    /* id of the kernel that begins */
    MESSAGE_RESULT = 'R',   /* result_to_line of the kernel that began; after one that is not ok the worker may end */
    MESSAGE_FAILURE = 'F',  /* nothing can be measured: the reason */
    MESSAGE_UNUSABLE = 'U', /* the kernel library cannot be used: the reason */
    MESSAGE_NO_MATCH = 'N', /* a -k matches no kernel: it, and the ids that there are, one a line */
    MESSAGE_END = 'E'       /* all kernels done */
};

struct message {
    enum message_kind kind;
    char *text; /* owned */
};

/* Starts a worker that measures the chosen kernels from number `first` on. Its messages come from *pipe, which the
 * caller closes; the process is the caller's to end. Its standard output goes to standard error. -1 after error(). */
pid_t worker_start(const struct measurement *measurement, size_t first, int *pipe);

/* Takes one whole message out of the buffer's first *length bytes, if there is one: returns true and moves the rest to
 * the front. text is the caller's to free. */
bool message_take(char *buffer, size_t *length, struct message *message);

#endif
