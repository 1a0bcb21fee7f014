/* wire.h - what a child and its parent send each other over a pipe of two ways. A library shares the child with
 * cugate's code and can write to the pipe, too: whoever takes messages refuses what is not expected next. */
#ifndef WIRE_H
#define WIRE_H

#include <stdbool.h>
#include <stddef.h>

/* The variable of the environment that holds the address of a socket: where a process of an unmodified program finds
 * the parent, measure/program.c. */
#define WIRE_ADDRESS "CUGATE_EXEC"

#define MESSAGE_LIMIT (64u << 20) /* bytes of text */

/* A message is its kind, the length of its text (4 bytes, host order) and the text. */
enum message_kind {
    MESSAGE_FACTS = 'L',    /* what library_facts.h has, and nothing else follows */
    MESSAGE_KERNELS = 'K',  /* ids of all chosen kernels, one a line: first of all */
    MESSAGE_DEVICE = 'D',   /* a run file with device and session, without kernels */
    MESSAGE_START = 'S',    /* id of the kernel that begins; while several have begun and have no result, also of the
                               one of them that is at work: a sign of life */
    MESSAGE_RESULT = 'R',   /* result_to_line of the kernel that began first and has none; after one that is not ok the
                               worker may end */
    MESSAGE_FAILURE = 'F',  /* nothing can be measured: the reason */
    MESSAGE_UNUSABLE = 'U', /* the kernel library cannot be used: the reason */
    MESSAGE_NO_MATCH = 'N', /* a -k matches no kernel: it, and the ids that there are, one a line */
    MESSAGE_END = 'E',      /* all kernels done; of a program, with a line for each group of launches */

    /* Of a worker: why all kernels that have begun, two at least, are to be measured again one by one. Of a process of
     * an unmodified program: why what some launches counted was lost; how many is said at the end. */
    MESSAGE_LOST = 'X',

    /* Of a process of an unmodified program, beside DEVICE, RESULT, FAILURE, LOST and END. Each text but that of HELLO
     * begins with the token that HELLO was answered with. */
    MESSAGE_HELLO = 'H',  /* its number; answered with a token and what to measure */
    MESSAGE_SETS = 'P',   /* into how many sets of one pass the chip's metrics fall */
    MESSAGE_MODULE = 'M', /* the name of an image of machine code that it loaded: a file, kept by it */
    MESSAGE_GROUP = 'G',  /* launches that are new, a line a kernel; answered with how many to measure, and their id */
    MESSAGE_ANSWER = 'A', /* the parent's */

    /* Of the parent to a worker, twice: */
    MESSAGE_GO = 'O',   /* after KERNELS: nobody else holds the GPU's counters */
    MESSAGE_SHARE = 'W' /* after DEVICE, and after the last RESULT of a share: the kernels to measure next, one a line;
                           none: that was all */
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

/* The same, to a socket as well; false when the other side is gone. */
bool message_write(int descriptor, enum message_kind kind, const char *text);

/* In the child: the text of the parent's next message, which has to be of that kind; caller frees. Ends the process
 * when the parent is gone, or has no more use for it. */
char *message_await(int pipe, enum message_kind kind);

/* The same for GO: until no other worker holds the counters of the GPU. What comes before it is done while another one
 * measures: nothing, then, that runs on the GPU or takes its memory, and nothing that asks for counters. */
void message_await_go(int pipe);

/* Waits for a whole message; text is the caller's to free. False when the other side is gone, or speaks otherwise. */
bool message_read(int descriptor, struct message *message);

#endif
