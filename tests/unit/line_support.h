/* line_support.h - finds and expects source lines, for tests. */
#pragma once

#include "explain/pattern.h"
#include "support.h"

#define COUNTED(counter) (1u << (counter))

/* Returns the line with that number; without a file, the one with that offset. */
struct profile_line *line_at(const struct profile *profile, unsigned number);

/* Expects these lines: the words of a case, from that one on, which say NUMBER:AMOUNT[:BASE_AMOUNT[@BASE_NUMBER]]. */
void expect_hotspots(const struct hotspot *hotspots, size_t count, size_t first);
