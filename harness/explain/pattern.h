/* pattern.h - what goes wrong on a line: the amounts that explain a counter, where they are, what helps. Pure. */
#ifndef PATTERN_H
#define PATTERN_H

#include "model/model.h"

#include <stdbool.h>
#include <stddef.h>

/* How a pattern is shown. */
enum explained_kind {
    EXPLAINED_TIME,  /* where the time goes: stalls, instructions */
    EXPLAINED_FAULT, /* work that a better kernel would not have */
    EXPLAINED_PLAIN  /* neither: part of what faults are measured by */
};

/* An amount: the sum of counter x factor. */
struct pattern_sum {
    size_t count;
    struct {
        enum line_counter counter;
        double factor;
    } terms[3];
};

struct pattern {
    const char *name;       /* [a-z_]+ */
    const char *title;      /* what its amounts count: "excess shared wavefronts" */
    const char *unit;       /* amounts of one unit can be compared: "wavefronts" */
    const char *metrics;    /* whose change it explains, each between spaces */
    const char *advice;     /* one sentence */
    struct pattern_sum sum; /* stalls have no terms: theirs are samples */
    enum explained_kind kind;
    const char *of;           /* of a fault: what it is a part of, "shared wavefronts"; else NULL */
    struct pattern_sum whole; /* how much that is */
};

/* The table. Of two patterns that explain one metric, the more telling stands first; so do graver faults. */
const struct pattern *pattern_list(size_t *count);

bool pattern_explains(const struct pattern *pattern, const char *metric);

/* Whether its counters were read, or for stalls, samples were taken. */
bool pattern_is_known(const struct pattern *pattern, const struct profile *profile);

/* How much of it a line has: a count of one launch of the variant; for stalls, cycles of SMs
 * in which the sampled warp stood there. Never negative, and so bounded that sums of it stay finite. */
double pattern_amount(const struct pattern *pattern, const struct profile *profile, const struct profile_line *line);
double pattern_total(const struct pattern *pattern, const struct profile *profile);

/* The total of a fault's whole; NaN where that is not known or nothing. */
double pattern_whole(const struct pattern *pattern, const struct profile *profile);

/* A line and what it was in the base. */
struct hotspot {
    const struct profile_line *line, *base; /* base: NULL where it has no such line, or there is no base */
    double amount, base_amount;             /* base_amount 0 where there is no base line */
    double share;                           /* of the kernel's total now */
    const char *stall; /* of the pattern of stalls: the reason that grew most, or without a base the commonest */
    bool has_base;     /* base_amount is known: that of its line, or 0 because the line is new or because no line of the
                        * base has any of it */
};

/* The lines with most of it, at most `capacity`, into hotspots; with a base (not NULL) those in which it grew most, and
 * none in which it did not. Returns how many. profile_match says which line of the base is the same one. */
size_t pattern_hotspots(const struct pattern *pattern, const struct profile *profile, const struct profile *base,
                        struct hotspot *hotspots, size_t capacity);

/* The pattern that explains why a metric got worse: of those of that metric whose total is known and grew against the
 * base, or without a base (NULL) is not 0, the first that grew by at least PATTERN_NOTICEABLE of what it was; failing
 * that the first. One that is less than PATTERN_PART of the largest of the same unit is beside the point. NULL when
 * there is none. */
const struct pattern *pattern_of_metric(const char *metric, const struct profile *profile, const struct profile *base);

#define PATTERN_NOTICEABLE 0.01
#define PATTERN_PART 0.25

#endif
