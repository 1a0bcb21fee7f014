/* points.h - where a kernel is on the axes of its family, as its id ends: softmax/online[n=16M,type=half]. The
 * contract, and what stands for it in kernel libraries, is cugate/kernel.h. */
#ifndef POINTS_H
#define POINTS_H

#include <stdbool.h>
#include <stddef.h>

/* How long the point is that the text begins with, "n=16M,type=half"; 0 when it begins with none. */
size_t point_length(const char *text);

/* How long what stands before the point of an id is: all of it, where there is none. */
size_t point_begin(const char *id);

/* NULL when text is a point as kernel.h has them, else what is wrong with it, with what is to be done. Caller frees. */
char *point_fault(const char *text);

/* Where the points begin that a pattern names, "[n=16M]" at its end; NULL where it names none: a bracket without = is a
 * class of characters, as shells have them. */
const char *point_pattern(const char *pattern);

/* Whether each AXIS=VALUE of such a pattern is at that point, "n=16M,type=half". A VALUE may be a glob, and a number
 * may be written out. */
bool point_matches(const char *pattern, const char *point);

#endif
