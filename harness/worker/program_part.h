/* program_part.h - the part of a program that counts: launches within NVTX ranges, and between its calls of
 * cudaProfilerStart and cudaProfilerStop. Options say it, a process of the program is asked for it, and its session
 * records it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define NVTX_MAX 16 /* most NVTX ranges that are asked for at once */

struct program_part {
    const char *nvtx[NVTX_MAX]; /* globs: only launches within a range that one of these matches count; borrowed */
    size_t nvtx_count;          /* 0: all launches do */
    bool waits;                 /* nothing counts before the program calls cudaProfilerStart */
};

bool program_part_is_all(const struct program_part *part);

/* Returns it as options say it, "--from-start off --nvtx forward", in that order; NULL for all. Caller frees. */
char *program_part_text(const struct program_part *part);

/* Writes it as lines of what a process is asked, each a key and a text behind a blank. program_part_take() takes
 * such a line, and keeps a copy of its text for good. */
void program_part_ask(const struct program_part *part, FILE *stream);
void program_part_take(struct program_part *part, const char *key, const char *text);
