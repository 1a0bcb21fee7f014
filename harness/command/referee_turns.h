/* referee_turns.h - several candidates, each judged by a process of its own, so that none harms the others. */
#pragma once

#include <stddef.h>
#include <stdio.h>

struct referee_turns {
    size_t count, jobs; /* how many candidates, and how many at once */
    /* Judges one, and prints what came of it. Returns its exit code. It is called in the process of its own. */
    int (*judge)(const void *self, size_t number, FILE *stream);
    /* Prints that one could not be judged, and why. */
    void (*lost)(const void *self, size_t number, const char *why, FILE *stream);
    const void *self;
};

/* Prints what came of each, in their order. Returns the worst exit code. */
int referee_take_turns(const struct referee_turns *turns, FILE *stream);
