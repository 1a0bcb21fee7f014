/* run_file.h - the parts of reading a run file. Private to the run_*.c files. */
#ifndef RUN_FILE_H
#define RUN_FILE_H

#include "base/base.h"

#include "run.h"

/* The lines of a kernel at that key; empty ones when it is absent. In run_read_lines.c. */
int read_lines(const struct json_at *above, json_t *object, const char *key, struct lines *lines);

/* How a metric was defined, but for its name; to be released whatever came of it. In run_notes.c. */
int read_note(const struct json_at *above, json_t *value, struct metric_note *note);

#endif
