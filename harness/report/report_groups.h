/* report_groups.h - the rows of a report by kernel, as people read them: what costs most time first. */
#ifndef REPORT_GROUPS_H
#define REPORT_GROUPS_H

#include "words.h"

/* What kernels stand under, in this order. */
enum section {
    SECTION_WORSE,
    SECTION_MISSING,
    SECTION_UNSURE,
    SECTION_ALLOWED,
    SECTION_NEW,
    SECTION_IMPROVED,
    SECTION_SAME,
    SECTIONS
};

/* "Missing", and what that is. */
struct section_words {
    const char *title, *meaning;
};
const struct section_words *section_words(enum section section);

/* Of a kernel whose worst row has that verdict. */
enum section section_of(enum verdict verdict);

/* What a launch of the kernel takes now, less what it took in the baseline, in nanoseconds: its time times the part by
 * which it became slower. By the GPU's clock, else by the host's; NaN where a side has neither. */
double time_lost(const struct report *report, const char *kernel);

/* For qsort: most time lost first, and last what has no time. */
int order_of_time_lost(double left, double right);

/* A kernel with its rows that are listed, at least one, as the comparison orders them. */
struct group {
    const char *kernel;
    enum verdict verdict; /* the worst of them */
    enum section section;
    double lost;
    const struct judgement **rows; /* borrowed */
    size_t count;
    size_t place; /* of the first in the comparison */
};

struct groups {
    struct group *list;
    size_t count;
    const struct judgement **rows; /* of all */
};

/* What the report lists: rows that are not fine, with verbose every row, with power every row that was judged. */
struct groups groups_make(const struct report *report);
void groups_release(struct groups *groups);

#endif
