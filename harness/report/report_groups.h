/* report_groups.h - the rows of a report by kernel, in the order of reading: what costs most time comes first. */
#pragma once

#include "words.h"

/* The headings under which kernels are listed, in this order. */
enum section {
    SECTION_WRONG,
    SECTION_WORSE,
    SECTION_MISSING,
    SECTION_UNSURE,
    SECTION_ALLOWED,
    SECTION_NEW,
    SECTION_IMPROVED,
    SECTION_SAME,
    SECTIONS
};

/* A heading, such as "Missing", and its explanation. */
struct section_words {
    const char *title, *meaning;
};
const struct section_words *section_words(enum section section);

/* Returns the section of a kernel whose worst row has that verdict, and whose results are right. */
enum section section_of(enum verdict verdict);

/* Returns the row that says how long a kernel or a program takes, and its metric's name; NULL where none does. */
const struct row *time_row(const struct run *run, const char *kernel, const char **metric);

/* Returns how much longer a launch of the kernel takes than in the baseline, in nanoseconds; in a program, all of its
 * launches. It is the GPU's time, else the host's; NaN where the sides have not the same. */
double time_lost(const struct report *report, const char *kernel);

/* Orders by lost time for qsort: the largest first, NaN last. */
int order_of_time_lost(double left, double right);

/* A kernel with its listed rows (at least one), in the order of the comparison. */
struct group {
    const char *kernel;
    enum verdict verdict; /* of the kernel */
    enum section section;
    double lost;
    const struct judgement **rows; /* the kernel's listed rows, borrowed */
    size_t count;
    size_t place; /* index of its first row in the comparison */
};

struct groups {
    struct group *list;
    size_t count;
    const struct judgement **rows; /* the rows of all groups, one group after the other */
};

/* Makes the groups that the report lists: rows that need attention, with verbose every row, with power every judged
 * row. None without a comparison. */
struct groups groups_make(const struct report *report);
void groups_release(struct groups *groups);
