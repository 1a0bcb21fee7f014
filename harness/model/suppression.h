/* suppression.h - faults of a simulated program that are let pass. A file has a line for each: "KIND FUNCTION REASON";
 * FUNCTION is a glob. */
#pragma once

#include <stddef.h>

enum suppressed_kind { SUPPRESS_RACE, SUPPRESS_STREAMS, SUPPRESS_UNWRITTEN, SUPPRESS_OUT_OF_BOUNDS, SUPPRESS_KINDS };

extern const char *const suppressed_kinds[SUPPRESS_KINDS]; /* as the file has them */

struct suppression {
    enum suppressed_kind kind;
    char *function, *reason;
    int line;
    size_t launches; /* whose fault it let pass */
};

struct suppressions {
    const char *path;
    struct suppression *list;
    size_t count;
};

/* Reads the file, whose path is borrowed. -1 after error() with the line that is wrong. */
int suppressions_read(struct suppressions *suppressions, const char *path);
/* Says of each line how many launches it let pass, and warns of one that met none. */
void suppressions_say(const struct suppressions *suppressions);
void suppressions_release(struct suppressions *suppressions);
