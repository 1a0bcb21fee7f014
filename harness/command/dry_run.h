/* dry_run.h - tells scripts what `cugate check` would do, so that none of them has to parse its options. */
#pragma once

#include "options.h"

/* Prints one JSON object: schema, way, no_gpu, replay, baselines, metrics. The help of `cugate check` says what they
 * mean. It looks for a GPU only where the options measure on one. Returns an exit code: EXIT_NOT_MEASURED after error()
 * when a GPU is there that does not answer. */
int dry_run_print(const struct options *options, FILE *stream);
