/* story.h - what goes wrong on a line: the amounts that explain a counter, where they are, what to do about them. Pure.
 */
#ifndef STORY_H
#define STORY_H

#include "line.h"

#include <stdbool.h>
#include <stddef.h>

struct story {
    const char *name;    /* [a-z_]+ */
    const char *title;   /* what its amounts count: "excess shared wavefronts" */
    const char *metrics; /* whose change it explains, between spaces; the first story in the list comes first */
    const char *advice;  /* one sentence */
};

/* The table. */
const struct story *const *story_list(size_t *count);

/* Whether its counters were read, or for stalls, samples were taken. */
bool story_is_known(const struct story *story, const struct lines *lines);

/* How much of it a line has: a count of one launch of the variant; for stalls, cycles in which a warp was seen there,
 * summed over warps. Never negative. */
double story_amount(const struct story *story, const struct lines *lines, const struct line *line);
double story_total(const struct story *story, const struct lines *lines);

/* A line and what it was in the base. */
struct cause {
    const struct line *line, *base; /* base: NULL where it has no such line, or there is no base */
    double amount, base_amount;     /* base_amount 0 where there is no base line */
    double share;                   /* of the kernel's total now */
};

/* The lines with most of it, at most `room`, into causes; with a base (not NULL) those in which it grew most, and none
 * in which it did not. Returns how many. A line of the base is the same one when the file has the same name and the
 * text is the same (the first of that text stands for the first), or where a text is unknown, the number. */
size_t story_causes(const struct story *story, const struct lines *lines, const struct lines *base,
                    struct cause *causes, size_t room);

/* The story that explains why a metric got worse: the first one of that metric whose total is known and grew against
 * the base, or without a base (NULL) is not 0. NULL when there is none. */
const struct story *story_of_metric(const char *metric, const struct lines *lines, const struct lines *base);

/* The reason that stands most often among a line's stalls, NULL without samples; and what it means, in a few words, or
 * NULL where that is not known. */
const char *story_stall(const struct line *line);
const char *story_stall_words(const char *reason);

#endif
