/* program_link.h - what `cugate run -- PROGRAM` asks of a process of a program, and the link over which that tells of
 * itself: for the libraries that run in such a process, that of the room inject on a GPU and that of the room sim
 * without one. */
#pragma once

#include "program_part.h"
#include "wire.h"

#include "model/model.h"

/* What the parent asks of this process. Its strings are never freed. */
struct request {
    struct metrics metrics; /* of each metric only name, counter and whether it is exact are set, and what weighs
                             * it where launches are simulated */
    int seconds;  /* counting takes no longer; -8: than an eighth of the program's own time; -1: than all of it */
    size_t set;   /* index of the set of metrics to begin with; a set takes one pass */
    bool changes; /* the set changes while the program runs; otherwise it stays that one */
    char *folder; /* folder for the machine code of modules */
    char *locks;  /* folder for the locks of GPUs */
    char *gpu;    /* file that describes the GPU to simulate; NULL: there is a real one */
    bool lines;   /* count by instruction, in place of metrics, the first launch that is wanted */
    struct suppressions suppressed; /* faults that are let pass; of each only kind and function are set */
    struct program_part part;       /* what counts of the program */
    bool keeps; /* keep, in place of metrics, the first launch of each group that is wanted as a capsule */
};

/* Connects to the parent and takes the request. False when this process has no parent that measures. */
bool link_open(struct request *request);
/* Both return false when the parent is gone, or when the program closed our descriptor. The link then stays closed. */
bool link_say(enum message_kind kind, const char *text);
bool link_ask(enum message_kind kind, const char *text, char **answer); /* caller frees *answer */
void link_close(void);

#define MODULE_NAME 17 /* 16 hexadecimal digits and a 0 */

/* Leaves an image of machine code in the folder, unless it is there, and tells the parent of it. Sets its name. */
void link_say_module(const char *folder, const void *image, size_t size, char name[MODULE_NAME]);

/* Writes the line of a launch, as a question about a group has it (MESSAGE_GROUP). module: the name of the image that
 * has its machine code; "": it is not known. */
void link_put_launch(FILE *stream, const unsigned grid[3], const unsigned block[3], unsigned shared, unsigned carve_out,
                     const char *module, const char *function);

/* Returns a copy of the descriptor with a high number, and closes the descriptor itself. The program may expect to get
 * certain low numbers. When no more are allowed, it returns the descriptor as it is. */
int descriptor_put_away(int low);
