/* weakened.h - what a change takes away from the gate itself: by the baselines and metric files of the revision before
 * it. A verdict says nothing of that, because it is by the files that the change brought. */
#ifndef WEAKENED_H
#define WEAKENED_H

#include "judge/judge.h"

/* What verdicts are by. */
struct standards {
    const struct metrics *metrics;                     /* NULL: not known, and not compared */
    const struct run *baseline;                        /* likewise */
    const struct known_regressions *known_regressions; /* likewise */
};

/* Adds a note for each kind of thing that `now` lets pass and `was` did not, which names them: kernels and rows that
 * the baseline has lost, values that were made worse by more than their limit and for which reason, rows that scatter
 * so much more that their limit doubled, drift references that moved, inputs that are said to be those of the
 * counts, metrics that are gone or laxer (note_compare),
 * known regressions that are new or reach further. What is new or stricter is no note. Pure. */
void weakened_note(struct comparison *comparison, const struct standards *was, const struct standards *now);

/* The same by what the directory `before` holds: baselines/ and metrics/ of the revision before, each as --baselines
 * and
 * --metrics take them; a note says which of the two is not there. 0, or EXIT_USAGE after error() when one cannot be
 * read. */
int weakened_since(struct comparison *comparison, const char *before, const struct device *device,
                   const char *baselines, const struct metrics *metrics,
                   const struct known_regressions *known_regressions);

#endif
