/* facts.h - what a report says before its rows, in all formats for people. */
#pragma once

#include "words.h"

struct fact {
    const char *title; /* "device", "run", "baseline", "note" */
    char *words;
};

struct facts {
    struct fact *list;
    size_t count;
};

/* Makes the list, with device and software also where notes and banner tell what matters of them if `all` is set;
 * with all notes, and those uncut, if it is to be `whole`, for programs. */
struct facts facts_of(const struct report *report, bool all, bool whole);
void facts_release(struct facts *facts);
