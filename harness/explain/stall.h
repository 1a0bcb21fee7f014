/* stall.h - why the warps of a line waited: the profiler's reasons, what they mean and what helps. Pure. */
#ifndef STALL_H
#define STALL_H

#include "model/model.h"

/* The reason that stands most often among a line's stalls, NULL without samples; and what it means, in a few words, or
 * NULL where that is not known. */
const char *stall_commonest(const struct profile_line *line);
const char *stall_words(const char *reason);

/* The reason that grew most from a line of the base (NULL: from nothing), in cycles. NULL when none did. */
const char *stall_grown(const struct profile *profile, const struct profile_line *line,
                        const struct profile *base_profile, const struct profile_line *base);

/* What helps warps of a kernel with these lines that wait for that reason; "" where that is not known. */
const char *stall_advice(const char *reason, const struct profile *profile);

#endif
