/* run_shard.h - shards: a run that was divided is merged again. */
#pragma once

#include "run.h"

/* Merges the shards of one run: every kernel once, with the session that measured it. Two equal files count once. The
 * results are moved away, and the caller still releases the shards. names are for messages. Returns 0, or an exit_code
 * after error(); then *merged is empty. EXIT_USAGE: a file is no shard, or two hold the same kernel. EXIT_BASELINE:
 * GPUs, libraries, collectors or definitions of metrics differ. EXIT_NOT_MEASURED: a shard or a kernel is missing, and
 * the error names it. */
int run_merge(struct run *merged, struct run *parts, char *const *names, size_t count);

/* Returns -1 after error() when the run is only a shard: it says nothing of the whole, whose other kernels it lacks. */
int run_refuse_part(const struct run *run, const char *name);
