/* weakened.h - reports what a change takes away from the gate itself, by comparing baselines and metric files with
 * those of the revision before. The verdict cannot tell, because it uses the files that the change brought. */
#pragma once

#include "judge/judge.h"

/* What verdicts depend on. What is not known of before is NULL, and not compared. */
struct standards {
    const struct metrics *metrics;
    const struct run *baseline;
    const struct known_regressions *known_regressions;
};

/* Adds a note for each kind of thing that passes by `now` but did not by `was`, and lists what it is about:
 *
 * - kernels and rows that the baseline has lost
 * - values that were made worse by more than their limit, with the reason given
 * - rows whose spread grew so much that their limit doubled
 * - drift references that moved
 * - hashes of inputs that changed, though the code did not
 * - metrics that are gone or laxer (note_compare)
 * - known regressions that are new or reach further
 *
 * New or stricter things get no note. Pure. */
void weakened_note(struct comparison *comparison, const struct standards *was, const struct standards *now);

/* Calls weakened_note with what the folder `before` has: baselines/ and metrics/ of the previous revision, as
 * --baselines and --metrics take them. A note says if one of the two is missing, but of
 * metrics only with own_metrics, for else both revisions have cugate's. Returns 0, or EXIT_USAGE after error()
 * when one cannot be read. */
int weakened_since(struct comparison *comparison, const char *before, const struct device *device,
                   const char *baselines, const struct metrics *metrics, bool own_metrics,
                   const struct known_regressions *known_regressions);
