/* diagnosis.h - why rows are worse: the source lines that have more of what they count, and what changed in how their
 * kernels are launched. Pure. */
#ifndef DIAGNOSIS_H
#define DIAGNOSIS_H

#include "judge/judge.h"

#include "pattern.h"

#define BLAME_LINES 3

/* Why one row is worse (judgement_is_worse); all empty of any other. The lines are the run's own and the base's. */
struct blame {
    const struct profile *profile;        /* of the run */
    const struct pattern *pattern;        /* what there is more of; NULL: no line says why, and there are no hotspots */
    struct hotspot hotspots[BLAME_LINES]; /* most first; at least one */
    size_t count;
    bool against_base;            /* else there was nothing to compare with, and they only have most of it now */
    const struct metric *same_as; /* the metric of a graver row of this kernel with the same pattern; else NULL */
    bool is_worst;                /* the gravest of the worse rows of its kernel */
    char *launch_change; /* what the kernel's launches and their machine code take otherwise than the baseline's, "block
                          * 256x1x1 -> 32x1x1; registers 64 -> 128"; else NULL. Owned */
};

struct diagnosis {
    const struct comparison *comparison;
    struct blame *list; /* one for each of its judgements, in their order */
    size_t count;
};

/* Blames lines by what those of the base library have, else those that the baseline kept. Where neither tells how often
 * warps waited on them, the time of a kernel is blamed on the lines of its gravest counter that became worse. Of a
 * finished comparison of the two runs; borrows from all three. */
void diagnosis_make(struct diagnosis *diagnosis, const struct comparison *comparison, const struct run *baseline,
                    const struct run *run);
void diagnosis_release(struct diagnosis *diagnosis);

/* Of one of the comparison's judgements; an empty one where diagnosis is NULL. */
const struct blame *diagnosis_of(const struct diagnosis *diagnosis, const struct judgement *judgement);

#endif
