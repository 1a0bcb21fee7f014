/* import.h - converts files of other programs into runs: nvbench's JSON, google-benchmark's JSON, Nsight Compute's CSV.
 * Facts that a file lacks are unknown in the run, and a metric that it lacks has no row. */
#pragma once

#include "model/model.h"

struct import_format;

/* Returns the format of that name; NULL after error(), which lists the formats. */
const struct import_format *import_format_find(const char *name);

/* How files are read. It borrows everything. */
struct import_request {
    const struct import_format *format;
    const struct metrics *metrics; /* a number in the file becomes a row if one of them reads its counter */
    const char *gpu;               /* product name of the GPU, for files that lack it; or NULL */
};

/* Makes a run in which each file is a session. A session's date is the one in the file, else that of the file's last
 * change. `cugate import --help` says how kernels get their ids. -1 after error(); *run is empty then. */
int import_files(struct run *run, const struct import_request *request, char *const *paths, size_t count);

/* Makes a run of one text. name is for messages; date is used if the text has none. */
int import_text(struct run *run, const struct import_request *request, const char *name, const char *text,
                size_t length, const char *date);
