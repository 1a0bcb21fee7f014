/* swap.h - other machine code in the launches of a file of capsules. */
#pragma once

#include "capsule/capsule.h"

/* What takes the code's place, and how it is launched. It borrows everything. */
struct swap_request {
    const char *code;           /* the file that has it */
    const char *function;       /* as it is typed; NULL: as described beside the code, or else the capsule's */
    unsigned block[3], grid[3]; /* 0: likewise */
    bool has_shared;
    unsigned shared;
    double tolerance; /* 0: the capsule's */
    enum value_type type;
    uint64_t exact;     /* arguments that point to what has no tolerance, a bit each */
    char *const *globs; /* which capsules; the others stay as they are */
    size_t glob_count;
    bool warns; /* of variables that only the code has */
    bool quiet; /* do not say what became of each */
};

/* Writes the capsules of `from` to `to` with that code; without `to` it only says whether it fits. -1 after error(),
 * and then nothing is written. */
int swap_file(const struct swap_request *request, const char *from, const char *to);

/* Refuses a glob that means no capsule of the file: -1 after error(), which suggests one. */
int capsules_check_globs(const struct capsules *capsules, char *const *globs, size_t count);
