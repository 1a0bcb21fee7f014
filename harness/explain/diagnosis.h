/* diagnosis.h - why rows are worse: the source lines whose counts grew, and changes of launches. Pure. */
#pragma once

#include "judge/judge.h"

#include "pattern.h"

#define BLAME_LINES 3

/* Explains why one row is worse (judgement_is_worse); empty for any other row. The lines are the runs'. */
struct blame {
    const struct profile *profile;        /* profile of the run */
    const struct pattern *pattern;        /* what grew; NULL: no line explains the row, and there are no hotspots */
    struct hotspot hotspots[BLAME_LINES]; /* source lines, the largest growth first; at least one */
    size_t count;
    bool against_base; /* the lines grew against a base; else there was none, and they are only the largest now */
    const struct metric *same_as; /* metric of a more severe row of the kernel with the same pattern; else NULL */
    const struct metric *cause;   /* of a row whose lines only stall: a worse count of its first line; else NULL */
    bool is_worst;                /* the row is the most severe of the worse rows of its kernel */
    char *launch_change; /* how the kernel's launches and their machine code differ from the baseline's: "block 256x1x1
                            -> 32x1x1; registers 64 -> 128"; else NULL. Owned */
    char *appeared;      /* what the kernel had nothing of before (appeared.h); else NULL. Owned */
};

struct diagnosis {
    const struct comparison *comparison;
    struct blame *list; /* one for each judgement of the comparison, in the same order */
    size_t count;
};

/* Blames lines by comparing them with those of the base build, else with those that the baseline kept. If neither has
 * stall samples, the time of a kernel is blamed on the lines of its most severe counter that became worse. The
 * comparison must be a finished one of the two runs. Borrows from all three. */
void diagnosis_make(struct diagnosis *diagnosis, const struct comparison *comparison, const struct run *baseline,
                    const struct run *run);
void diagnosis_release(struct diagnosis *diagnosis);

/* Returns the blame of one judgement of the comparison; an empty one where diagnosis is NULL. */
const struct blame *diagnosis_of(const struct diagnosis *diagnosis, const struct judgement *judgement);
