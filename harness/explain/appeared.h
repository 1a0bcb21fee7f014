/* appeared.h - what a kernel did not have at all before, and has now: double precision, local memory, tensor cores.
 * Such a count often is the cause of a change that shows elsewhere as a few percent. Pure. */
#pragma once

#include "judge/judge.h"

struct appearance {
    const char *kernel; /* borrowed from the comparison */
    const struct judgement *judgement;
    const char *hint; /* what it often means */
};

/* The appearances of all kernels, sorted by kernel. */
struct appearances {
    struct appearance *list;
    size_t count;
};

/* Finds the rows whose value was 0 and is none now, whether they are judged or only shown. Borrows from the comparison.
 */
void appearances_find(struct appearances *appearances, const struct comparison *comparison);
void appearances_release(struct appearances *appearances);

/* Returns "fp64_arithmetic 0 -> 2,100,000 (a double literal?)" for a kernel, several joined by "; "; NULL when nothing
 * appeared. Caller frees. */
char *appearances_of(const struct appearances *appearances, const char *kernel);
