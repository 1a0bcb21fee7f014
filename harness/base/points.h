/* points.h - the point at the end of a kernel's id, which says where it is on the axes of its family:
 * softmax/online[n=16M,type=half]. cugate/kernel.h has the contract. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Returns the length of the point at the beginning of text, "n=16M,type=half"; 0 when there is none. */
size_t point_length(const char *text);

/* Returns the length of an id without its point; the whole length when it has none. */
size_t point_begin(const char *id);

/* Returns what is wrong with a point, by the rules of kernel.h, with a remedy; NULL when nothing is. Caller frees. */
char *point_fault(const char *text);

/* Returns the part of a glob that selects points, "[n=16M]" at its end, or NULL. (A bracket without = is a class of
 * characters, as in a shell.) */
const char *point_pattern(const char *pattern);

/* Whether a point, "n=16M,type=half", has each AXIS=VALUE of such a part. A VALUE may be a glob, and a number may be
 * written in full. */
bool point_matches(const char *pattern, const char *point);
