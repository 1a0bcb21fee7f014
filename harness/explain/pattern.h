/* pattern.h - what can go wrong on a source line: the counts that explain a metric, their lines, and advice. Pure. */
#pragma once

#include "model/model.h"

/* What a pattern is about, which decides how it is shown. */
enum explained_kind {
    EXPLAINED_TIME,      /* where time is spent: stalls, instructions */
    EXPLAINED_ESTIMATED, /* stalls of an estimated time; a profile has either these or sampled ones */
    EXPLAINED_FAULT,     /* work that a better kernel would not do */
    EXPLAINED_PLAIN      /* neither; faults are measured against it */
};

/* A linear combination of counters: the sum of counter x factor. */
struct pattern_sum {
    size_t count;
    struct {
        enum line_counter counter;
        double factor;
    } terms[3];
};

struct pattern {
    const char *name;       /* name for JSON: [a-z_]+ */
    const char *title;      /* what the pattern counts: "excess shared wavefronts" */
    const char *unit;       /* patterns with the same unit can be compared: "wavefronts" */
    const char *metrics;    /* names of the metrics whose change it explains, each between spaces */
    const char *advice;     /* advice in one sentence */
    struct pattern_sum sum; /* how much a line has; without terms it is stall samples */
    enum explained_kind kind;
    const char *of;           /* for a fault: what it is a part of, "shared wavefronts"; else NULL */
    struct pattern_sum whole; /* the counts of what a fault is a part of */
};

/* Returns the table. If two patterns explain one metric, the more specific one comes first, or the more severe. */
const struct pattern *pattern_list(size_t *count);

bool pattern_explains(const struct pattern *pattern, const char *metric);

/* Whether the pattern's counters were read, or for stalls, samples were taken, or they were estimated. */
bool pattern_is_known(const struct pattern *pattern, const struct profile *profile);

/* Returns how much of the pattern a line has, as a count in one launch of the variant. For stalls it is cycles of SMs
 * in which the sampled warp stalled there, or ns of the estimated time. It is never negative, and bounded so that sums
 * stay finite. */
double pattern_amount(const struct pattern *pattern, const struct profile *profile, const struct profile_line *line);
double pattern_total(const struct pattern *pattern, const struct profile *profile);

/* Returns the total of what a fault is a part of; NaN where that is not known or 0. */
double pattern_whole(const struct pattern *pattern, const struct profile *profile);

/* A line that matters for a pattern, and its counterpart in the base. */
struct hotspot {
    const struct profile_line *line, *base; /* base is NULL where the base has no such line, or there is no base */
    double amount, base_amount;             /* how much of the pattern the two lines have; 0 without a base line */
    double share;                           /* the line's share of the kernel's total now */
    const char *stall; /* for stalls: the reason that grew most, or without a base the most frequent one; else NULL */
    bool has_base; /* base_amount is known: that of the base line, or 0 because the line is new or the base has nothing
                      of the pattern */
};

/* Finds the lines that matter most, at most `capacity`. Without a base (NULL) these are the lines with the largest
 * amounts. With one they are those that grew most, and only lines that grew. Returns how many. profile_match says which
 * line of the base corresponds to which. */
size_t pattern_hotspots(const struct pattern *pattern, const struct profile *profile, const struct profile *base,
                        struct hotspot *hotspots, size_t capacity);

/* Has brackets alone, such as "}", told as the nearest line with a statement, which may be among the hotspots already:
 * compilers put the end of a loop or a function there. Returns how many hotspots are left; the sums stay the same. */
size_t pattern_tell_statements(struct hotspot *hotspots, size_t count, const struct profile *profile);

/* Returns the pattern that explains why a metric got worse. Candidates are patterns of that metric whose total is known
 * and grew against the base (without one: is not 0). Of these it is the first that grew by at least PATTERN_NOTICEABLE
 * of what it was; failing that the first. A candidate below PATTERN_PART of the largest one of the same unit is
 * ignored. NULL when there is none. */
const struct pattern *pattern_of_metric(const char *metric, const struct profile *profile, const struct profile *base);

#define PATTERN_NOTICEABLE 0.01
#define PATTERN_PART 0.25
