/* first_part.h - the first part of a program: what it launches only before its longest stretch without a new kernel. It
 * is a warm-up, or what an autotuner tries. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* What was launched so far, in kernels, and since when nothing new was; the longest such stretch. Begins as zeros. */
struct stretches {
    size_t launched, since, longest, longest_since;
};

/* Notes a launch of so many kernels. *last is kept for each group of launches that are alike, and begins as 0. */
void stretches_add(struct stretches *stretches, size_t *last, size_t kernels);
/* Ends the last stretch. To be called before it is asked what is of the first part. */
void stretches_end(struct stretches *stretches);
bool stretches_are_behind(const struct stretches *stretches, size_t last);
