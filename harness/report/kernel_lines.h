/* kernel_lines.h - the lines of the text report's table of kernels, in the order of reading: what needs attention comes
 * first. Many shapes of one function are one line. */
#pragma once

#include "words.h"

struct kernel_line {
    const char *id;
    const char *shown; /* the kernel's name, cut to the terminal's width; NULL where that would be ambiguous */
    const struct result *now, *base; /* the kernel in the run and in the baseline; NULL where there is none */
    double lost; /* lost time as in time_lost, when there is a comparison; in a program that of all launches together */
    double total; /* in a program: the larger of both sides' total times, in ns; else 0 */
    double moved; /* by how much its total differs from before, in ns, if that is 1 % of the program's; else 0 */
    enum verdict verdict; /* of the kernel; VERDICTS when nothing was judged */
    bool blind;           /* one of its rows is blind */
};

struct kernel_lines {
    struct kernel_line *list;
    size_t shown, count; /* those from `shown` on are left out, unless -v lists them */
    double whole;        /* the program's GPU time, in ns; 0 where there is none */
    struct result *sums; /* of lines for many shapes: the sides of each, the run's and the baseline's */
    size_t folded;       /* how many such lines there are */
};

/* Whether the run is of a program whose launches were counted. */
bool shows_totals(const struct report *report);

/* Makes the lines, which borrow from the report. kernel_lines_release() frees them. */
struct kernel_lines kernel_lines_make(const struct report *report);
void kernel_lines_release(struct kernel_lines *lines);
