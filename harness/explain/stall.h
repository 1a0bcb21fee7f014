/* stall.h - warp stall reasons of the profiler: what they mean and what helps. Pure. */
#pragma once

#include "model/model.h"

/* stall_commonest returns the most frequent reason of a line, NULL without samples. stall_words returns its meaning in
 * a few words, NULL where that is not known. */
const char *stall_commonest(const struct profile_line *line);
const char *stall_words(const char *reason);

/* Returns the reason whose cycles grew most against a line of the base (NULL: against 0). NULL when none grew. */
const char *stall_grown(const struct profile *profile, const struct profile_line *line,
                        const struct profile *base_profile, const struct profile_line *base);

/* Returns what helps against a stall reason in a kernel with these lines; "" where that is not known. */
const char *stall_advice(const char *reason, const struct profile *profile);
