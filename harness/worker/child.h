/* child.h - a process of its own for what a kernel library does, and what it sends over a pipe. Nothing of a library
 * runs in the parent. A library shares the child with cugate's code and can write to the pipe or end the process at any
 * time: whoever takes messages refuses what is not expected next. It is no sandbox: a library has the user's rights. */
#ifndef CHILD_H
#define CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define MESSAGE_LIMIT (64u << 20) /* bytes of text */

/* A message is its kind, the length of its text (4 bytes, host order) and the text. */
enum message_kind {
    MESSAGE_FACTS = 'L',    /* what library_facts.h has, and nothing else follows */
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
    enum message_kind kind; /* of any number: it is the child's word */
    char *text;             /* owned */
};

/* Takes one whole message out of the buffer's first *length bytes, if there is one: returns 1 and moves the rest to the
 * front. text is the caller's to free. -1 when what begins there is no message: it is longer than MESSAGE_LIMIT, or a
 * NUL is in its text. */
int message_take(char *buffer, size_t *length, struct message *message);

/* In the child. Ends the process when the parent is gone. */
void message_send(int pipe, enum message_kind kind, const char *text);

struct child {
    pid_t process;
    int pipe;     /* to read from */
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

/* Ends the child, after some time to do so itself if it is about to, and releases *child. Says how it ended:
 * "Segmentation fault (signal 11)". Caller frees. */
char *child_end(struct child *child, bool ends_itself);

#endif
