/* differences.h - what else differs between a run and its baseline, beside the verdicts. Pure. */
#pragma once

#include "judge/judge.h"

/* Adds notes to a comparison: changed definitions of metrics, changed facts of the session, functions with other names,
 * results that vary, kernels that are gone, an old baseline. */
void note_differences(struct comparison *comparison, const struct run *baseline, const struct run *run,
                      const struct metrics *metrics);
