/* progress.h - draws the line on standard error that tells how far a measurement is. */
#pragma once

#include "worker/worker.h"

struct progress {
    bool drawn;        /* false: nothing is drawn */
    bool logged;       /* in place of a line that is drawn there is one a minute, of a launch that takes long */
    double last;       /* when the last one of these was, by now_seconds() */
    const char *label; /* as in struct measurement */
    double begin;      /* when the measurement began, by now_seconds() */
};

/* Draws the line: of `count` kernels so many have begun, and so many of these are done. ids names those at work,
 * headway says how far a launch of theirs is. */
void progress_draw(struct progress *progress, size_t begun, size_t done, size_t count, const char *ids,
                   const struct launch_headway *headway);

/* Returns "1,204 of 8,192 blocks, about 3 min left". Caller frees. */
char *headway_words(const struct launch_headway *headway);

/* Removes the line. This is called before anything else is printed. */
void progress_erase(const struct progress *progress);
