/* import.h - files that other programs wrote become runs: nvbench's JSON, google-benchmark's JSON, Nsight Compute's
 * CSV. What such a file does not say stays unknown, and what it has no number of is no row. */
#ifndef IMPORT_H
#define IMPORT_H

#include "model/model.h"

#include <stddef.h>

struct import_format;

/* The format of that name; NULL after error() that names those that there are. */
const struct import_format *import_format_find(const char *name);

/* How files are read; borrows everything. */
struct import_request {
    const struct import_format *format;
    const struct metrics *metrics; /* a number becomes a row where one of them has its counter */
    const char *gpu;               /* the product's name, for files that do not say it; or NULL */
};

/* Makes a run of files, each a session of it. A session's date is what the file says or, where it says nothing, when it
 * was last changed. Kernels get ids as `cugate import --help` has them. -1 after error(); *run is empty then. */
int import_files(struct run *run, const struct import_request *request, char *const *paths, size_t count);

/* The same of one text; the name is for messages, the date for a text that has none. */
int import_text(struct run *run, const struct import_request *request, const char *name, const char *text,
                size_t length, const char *date);

#endif
