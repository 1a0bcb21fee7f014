/* wire.h - the messages between a child and its parent, over a pipe that works both ways. A library runs in the child
 * beside cugate's code and can write to the pipe too. So whoever receives messages refuses any that is not due. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The environment variable with the address of a socket, by which a process of an unmodified program finds the parent
 * (measure/program.c). */
#define WIRE_ADDRESS "CUGATE_EXEC"

#define MESSAGE_LIMIT (64u << 20) /* bytes of text in one message */

/* Why a launch of an unmodified program is of no group, so that nothing of it is known. */
enum unwatched_reason {
    UNWATCHED_SHAPES, /* there are too many groups */
    UNWATCHED_GRAPH,  /* nobody knows which kernels the graph launches since it was changed */
    UNWATCHED_WAIT,   /* a launch of another thread did not return, and may wait for this one */
    UNWATCHED_CALL,   /* an outdated function of the driver launched it, or one for several devices */
    UNWATCHED_REASONS
};

/* A message is its kind, the length of its text (4 bytes in host order) and the text. */
enum message_kind {
    MESSAGE_FACTS = 'L',   /* the content of library_facts.h; the only message of its child */
    MESSAGE_KERNELS = 'K', /* the first message: ids of all chosen kernels, one a line */
    MESSAGE_DEVICE = 'D',  /* a run file with device and session, without kernels */
    MESSAGE_START = 'S', /* id of the kernel that begins. While several have begun and have no result, it is sent again
                            for the one being worked on, as a sign of life */
    MESSAGE_HEADWAY = 'T', /* from one that simulates: how far a launch is, headway_to_text() */
    MESSAGE_RESULT = 'R', /* result_to_line of the oldest kernel that has begun and has no result; after one that is not
                             ok the worker may end */
    MESSAGE_FAILURE = 'F',  /* nothing can be measured; the text is the reason */
    MESSAGE_UNUSABLE = 'U', /* the kernel library cannot be used; the text is the reason */
    MESSAGE_NO_MATCH = 'N', /* a glob of -k matches no kernel; the text has the glob and then all ids, one a line */
    MESSAGE_END = 'E',      /* all kernels are done; from a program with a line for each group of launches */

    /* From a worker: the kernels that have begun (at least two) must be measured again one by one; the text is the
     * reason. From a process of an unmodified program: why the counts of some launches were lost; END says how many. */
    MESSAGE_LOST = 'X',

    /* From a process of an unmodified program, besides DEVICE, RESULT, FAILURE, LOST and END. Each text except HELLO's
     * begins with the token in the answer to HELLO. */
    MESSAGE_HELLO = 'H', /* the process id of the program's process; the answer is a token and what to measure */
    MESSAGE_SETS = 'P',  /* the sets of metrics that the chip counts in one pass each: a line of names for each */
    MESSAGE_COLD = 'C',  /* as RESULT, of a launch that stands only where no other of its group was measured; of several
                            the last one */
    MESSAGE_MODULE = 'M', /* the name of a file in which it saved an image of machine code that it loaded */
    MESSAGE_GROUP = 'G',  /* a new group of launches, a line a kernel; the answer is how many to measure, and their id;
                             then names of variables of its machine code, a line each, if launches are kept */
    MESSAGE_ANSWER = 'A', /* the parent's answer to HELLO, SETS, MODULE or GROUP */
    MESSAGE_WORK = 'Z', /* before END: how often memory was copied, its bytes, its ns; the same of memory that was set;
                         more: see enum program_work */
    MESSAGE_CALLER = 'Y', /* the id of a group, and in the next line who launches it; later words take their place */
    MESSAGE_KEPT = 'V', /* the id of a group whose launch is now a capsule; or in the next line why it cannot be one */
    MESSAGE_SUPPRESSED = 'Q', /* a launch's fault that was let pass: the index of its suppression and the group's id, or
                                 "-"; in the next line what it was */
    MESSAGE_LIBRARIES = 'B',  /* before END: the loaded libraries that have or choose kernels, a line "NAME IDENTITY" */

    /* From the parent to a worker. */
    MESSAGE_GO = 'O',  /* after KERNELS: no other worker uses the GPU's counters now */
    MESSAGE_ITEM = 'W' /* after DEVICE, and after the last RESULT of an item: the kernels to measure next, one a line;
                           an empty text ends it */
};

#define ITEM_KNOWN '='     /* stands before a kernel in an item whose counts are known */
#define ITEM_OF_OTHERS '~' /* before one of which only those of instrumented code are */

struct message {
    enum message_kind kind; /* the message's kind; may be any number, since the child chooses it */
    char *text;             /* the message's text; owned */
};

/* How far a launch that is simulated is: so many of its blocks are done, and the others take about so many seconds; -1:
 * nobody knows. */
struct launch_headway {
    uint64_t done, count; /* count 0: there is no such launch */
    double left;
};
enum { HEADWAY_TEXT = 80 };
void headway_to_text(const struct launch_headway *headway, char text[HEADWAY_TEXT]);
bool headway_from_text(struct launch_headway *headway, const char *text); /* false: it is none */

/* Takes one whole message out of the buffer's first *length bytes, if there is one: returns 1 and moves the rest to the
 * front. The caller frees text. Returns -1 when the bytes are no message: longer than MESSAGE_LIMIT, or with a NUL in
 * the text. */
int message_take(char *buffer, size_t *length, struct message *message);

/* Sends a message from the child. Ends the process when the parent no longer exists. */
void message_send(int pipe, enum message_kind kind, const char *text);

/* Sends a message, also over a socket; false when the other side no longer exists. */
bool message_write(int descriptor, enum message_kind kind, const char *text);

/* Waits in the child for the parent's next message, which must be of that kind, and returns its text. Caller frees.
 * Ends the process when the parent no longer exists or no longer needs it. */
char *message_await(int pipe, enum message_kind kind);

/* Waits in the child for GO: until no other worker uses the GPU's counters. What is done before runs while another
 * worker measures, so it must not run on the GPU, use its memory or ask for counters. */
void message_await_go(int pipe);

/* Waits for a whole message, whose text the caller frees. False when the other side is gone or sends something else. */
bool message_read(int descriptor, struct message *message);
