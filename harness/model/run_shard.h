/* run_shard.h - a run that was divided: what a part of it says of the whole, and the parts become one again. */
#ifndef RUN_SHARD_H
#define RUN_SHARD_H

#include "run.h"

/* Makes the parts of one run that run: every kernel once, with the session that measured it. Takes their results away;
 * what is left of the parts is still to be released. Two equal files count once. names are for messages. 0, or an
 * exit_code after error(), and then *merged is empty: EXIT_USAGE when something is no part, or two hold the same;
 * EXIT_BASELINE when they are of different GPUs, libraries, collectors or definitions of metrics; EXIT_NOT_MEASURED
 * when a part or a kernel is missing, which is said. */
int run_merge(struct run *merged, struct run *parts, char *const *names, size_t count);

/* -1 after error() when the run is a part only: that says nothing of the whole, whose other kernels it lacks. */
int run_refuse_part(const struct run *run, const char *name);

/* "shard 2 of 8"; returns text. */
const char *shard_words(const struct shard *shard, char *text, size_t size);

#endif
