/* request.h - what `cugate exec` asks of this process, and the link over which it is told. */
#ifndef INJECT_REQUEST_H
#define INJECT_REQUEST_H

#include "worker/worker.h"

#include <stdbool.h>
#include <stddef.h>

/* What the parent asks of this process. Its strings are never freed. */
struct request {
    struct metrics metrics; /* only name, counter and whether it is exact are set of each metric */
    int seconds;  /* counting takes no longer; -8: than an eighth of the program's own time; -1: than all of it */
    size_t set;   /* index of the set of metrics to begin with; a set takes one pass */
    bool changes; /* the set changes while the program runs; otherwise it stays that one */
    char *folder; /* folder for the machine code of modules */
    char *locks;  /* folder for the locks of GPUs */
    bool lines;   /* count by instruction, in place of metrics, the first launch that is wanted */
    struct program_part part; /* what counts of the program */
    bool keeps; /* keep, in place of metrics, the first launch of each group that is wanted as a capsule */
};

/* Connects to the parent and takes the request. False when this process has no parent that measures. */
bool link_open(struct request *request);
/* Both return false when the parent is gone, or when the program closed our descriptor. The link is then closed for
 * good. */
bool link_say(enum message_kind kind, const char *text);
bool link_ask(enum message_kind kind, const char *text, char **answer); /* caller frees *answer */
void link_close(void);

/* Returns a copy of the descriptor with a high number, and closes the descriptor itself. The program may expect to get
 * certain low numbers. When no more are allowed, it returns the descriptor as it is. */
int descriptor_put_away(int low);

#endif
