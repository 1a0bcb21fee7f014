/* run.h - a run: what was measured, on what, by which session; and its file. A baseline is a run that somebody
 * kept: the same struct, the same file.
 *
 * File (JSON, schema 1), one metric a line, keys sorted:
 *
 *   { "schema": 1,
 *     "device": { "name": "NVIDIA H200", "sm_count": 132, "compute_capability": "9.0", ... },
 *     "sessions": [ { "date": "...", "driver": "...", ... } ],
 *     "metrics": { "time": { "better": "lower", "class": "time", "clock": "sm_clock", "counter": "...", "floor": 250,
 *                            "floor_share": 0.02, "unit": "ns" }, ... },
 *     "kernels": { "access/coalesced": { "status": "ok", "bytes": 4294967296, "flops": 0,
 *         "launches": [ { "function": "...", "code": "9f86...", "grid": [8,1,1], "block": [256,1,1], "shared": 0,
 *                         "times": 1, "machine": { "registers": 32, "local": 0, "shared": 4096, ... } } ],
 *         "lines": { "counted": ["instructions", ...], "list": [ { "function": "...", "file": "kernels/access.cu",
 *                         "line": 41, "text": "...", "counts": { "instructions": 4096 }, "stalls": {} } ], ... },
 *         "metrics": { "branch_efficiency": { "state": "not applicable" },
 *                      "time": { "sessions": [[18700, 18710, 18690]] } } } } }
 *
 * A "state" may have a "reason" beside it. "sessions" of a metric holds a list of samples for each session, in the
 * order in which they were measured. A run that was judged against a base library has "pairs": [[base, head], ...]
 * beside them, and "base_lines"; or "unpaired", why it has none. A baseline keeps the median of each session alone, and
 * has "readings", "anchor" and "previous" beside them: see struct row. A session may have "roofs". */
#ifndef RUN_H
#define RUN_H

#include "line.h"
#include "metric.h"
#include "sample.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define RUN_SCHEMA 1
#define RUN_FILE_LIMIT (128u << 20) /* bytes; a larger file is refused unread */

/* What identifies the GPU: a run is compared only with a baseline whose every field is equal. */
struct device {
    char *name;               /* product name */
    char *compute_capability; /* "9.0" */
    long long sm_count;
    long long memory_bytes;
    bool ecc;
    bool mig;
};

/* Writes into text what differs between two devices ("SM count 132, not 108; ..."), empty when nothing does. */
void device_difference(const struct device *have, const struct device *want, char *text, size_t size);

/* Facts about one session that are recorded, said aloud when they change, and never part of the key. */
enum session_fact {
    SESSION_DATE, /* UTC, 2026-11-21T08:00:00.000Z */
    SESSION_COLLECTOR,
    SESSION_DRIVER,
    SESSION_CUDA,
    SESSION_CUPTI,
    SESSION_COMPILER,
    SESSION_FLAGS,
    SESSION_GPU_UUID,
    SESSION_NEIGHBOURS, /* other processes that computed on the GPU when the session began: "0" */
    SESSION_HOST,
    SESSION_COMMIT,
    SESSION_CUGATE, /* version of this program */
    SESSION_REASON, /* why it was accepted; baselines only. The last: by_session */
    SESSION_FACTS
};

const char *session_fact_name(enum session_fact fact); /* the key in the file: "date", "gpu_uuid", ... */

/* The most that the GPU did in the session, each measured by a kernel that does nothing else. */
enum roof {
    ROOF_DRAM,   /* bytes a second from and to device memory */
    ROOF_SHARED, /* wavefronts a second through shared memory, all SMs together */
    ROOF_FP64,   /* floating-point operations a second, without tensor cores; a fused multiply-add is two */
    ROOF_FP32,
    ROOF_FP16,
    ROOFS
};

const char *roof_name(enum roof roof); /* the key in the file: "dram" */

struct session {
    char *facts[SESSION_FACTS]; /* NULL where unknown */
    double roofs[ROOFS];        /* 0 where it was not measured */
};

enum result_status {
    RESULT_OK,
    RESULT_WRONG,     /* the output differs from the reference */
    RESULT_FAILED,    /* a call returned an error */
    RESULT_CRASHED,   /* the worker died */
    RESULT_HUNG,      /* the time limit passed */
    RESULT_NOT_BUILT, /* a library was missing when the kernel library was built */
    RESULT_STATUSES
};

const char *result_status_name(enum result_status status); /* "ok", "wrong result", "failed", "crashed", "hung", ... */
enum result_status result_status_of(const char *name);     /* RESULT_STATUSES when there is none */

/* What the machine code of a function takes: see struct cubin_function, where each has its unit. */
struct machine {
    unsigned registers, local_bytes, shared_bytes, max_threads, barriers;
};

struct launch {
    char *function; /* as the source has it: see symbol.h */
    char *code;     /* hash of its machine code in hexadecimal; NULL where unknown */
    unsigned grid[3];
    unsigned block[3];
    unsigned shared; /* dynamic shared memory, bytes */
    unsigned times;  /* launched so often in a row */
    bool has_machine;
    struct machine machine;
};

struct session_samples {
    double *samples;
    size_t count;
    size_t session; /* its place among the sessions of the run, or of the kernel's file in a baseline */
};

/* Values of two processes that ran one after the other on one GPU. */
struct pair {
    double base, head;
};

/* What a baseline's row was before it was accepted anew. */
struct previous {
    double value;
    char *date, *commit, *reason; /* of the session that it came from; NULL where unknown */
};

struct row {
    char *metric;
    enum value_state state;
    char *reason; /* why it is not counted, where that is known: a law that its number broke; else NULL */
    struct session_samples *sessions; /* only when measured; then at least one with at least one sample */
    size_t session_count;
    struct pair *pairs; /* base library against head, in the order in which they were measured */
    size_t pair_count;

    bool stands_in; /* measured now in a base library, for want of a number of the baseline's; in no file */

    /* In baselines only. */
    bool has_readings;
    size_t readings; /* samples behind all sessions when every one was equal, else 0 */
    bool has_anchor;
    double anchor;             /* the value that slow drift is measured from */
    struct previous *previous; /* NULL when there was none */
};

struct result {
    char *id; /* family/variant */
    enum result_status status;
    char *reason; /* when not ok, else NULL; but see resources_run */
    double bytes;
    double flops;
    struct launch *launches;
    size_t launch_count;
    struct row *rows; /* sorted by metric; empty unless ok */
    size_t row_count;
    struct lines lines;       /* of one launch of the variant; empty where nobody asked */
    struct lines base_lines;  /* the same of the base library that the run was judged against */
    char *unpaired;           /* why that library could not settle its times, though it was to; else NULL */
    struct session *sessions; /* of a baseline: those of this kernel's file, oldest first. None otherwise: then the
                               * run's sessions are of every kernel */
    size_t session_count;
};

/* How a metric was defined when the run was made. */
struct metric_note {
    char *name;
    char *counter;
    char *unit;
    bool judged; /* what follows is known; files of older versions lack it */
    enum metric_class class;
    enum metric_better better;
    double floor_absolute, floor_relative;
    char *weight, *clock, *trade; /* as in struct metric; NULL: none */
};

struct run {
    struct device device;
    struct session *sessions;
    size_t session_count;
    struct metric_note *notes; /* sorted by name */
    size_t note_count;
    struct result *results; /* sorted by id */
    size_t result_count;
};

/* A run owns all it points to. `struct run run = {0}` is empty and may be released. */
void run_release(struct run *run);
void result_release(struct result *result);

struct result *run_find(const struct run *run, const char *id);           /* NULL when absent; binary search */
struct row *result_find(const struct result *result, const char *metric); /* likewise */

/* Adds an empty result or row in its sorted place, or returns the one that is there. An empty row is not counted. */
struct result *run_add(struct run *run, const char *id);
struct row *result_add(struct result *result, const char *metric);

/* Takes the row of that metric away; false when there is none. */
bool result_remove(struct result *result, const char *metric);

/* The same for all that `from` has and a glob matches; an empty list matches everything. For long lists: one by one in
 * their places they would take minutes. */
void run_add_like(struct run *run, const struct run *from, char *const *globs, size_t glob_count);
void result_add_like(struct result *result, const struct result *from, char *const *globs, size_t glob_count);

/* Copies the samples and makes the row measured. A sample that is negative or not finite is no reading: then the
 * row loses all its sessions and is not counted. */
void row_add_session(struct row *row, const double *samples, size_t count);
void row_clear(struct row *row); /* without sessions and all that stands beside them, not counted */
void row_add_pair(struct row *row, double base, double head); /* negative or not finite: BUG */

/* How many samples stand behind the row when all of them are equal; 0 when two differ or none is there. */
size_t row_equal_readings(const struct row *row);

/* Adds the sessions of `more` to the run: its facts, and the samples of every kernel and metric that both measured. A
 * kernel or metric that only one of the two measured stays as it is in run; a kernel that is ok in run and not in more
 * takes more's status and reason, since what failed once did not pass. */
void run_append(struct run *run, const struct run *more);

/* Where the baseline lacks a kernel or a number of one, those of a base library, measured now in one session, stand in
 * for it; more sessions are added to what stands in already. A kernel that is not in the baseline and is not ok in base
 * is not ok there with the same reason. */
void run_stand_in(struct run *baseline, const struct run *base);

/* Takes from a result its rows and gives it a status that is not ok, with a copy of the reason. */
void result_fail(struct result *result, enum result_status status, const char *reason);

/* How many of its rows are not counted. */
size_t result_uncounted(const struct result *result);

/* Copies what a result says beside its rows, status and lines: bytes, flops, launches. */
void result_copy_facts(struct result *to, const struct result *from);

/* Whether both launched the same machine code in the same way; false where the code is unknown. */
bool same_code(const struct result *base, const struct result *now);

/* Sorts results by what they launched: of known code, those that are equal have the same_code. */
int order_of_code(const struct result *a, const struct result *b);

/* same_code, and every exact metric that both counted, one at least, has the value that it had: nothing can have
 * changed that the code alone determines. */
bool same_work(const struct result *base, const struct result *now, const struct metrics *metrics);

/* When its newest session was measured; NULL where it does not say. */
const char *run_date(const struct run *run);

/* Adds a copy of a session unless one with equal facts is there. */
void run_add_session(struct run *run, const struct session *session);
void run_forget_sessions(struct run *run);
bool session_is_equal(const struct session *a, const struct session *b);
void session_copy(struct session *to, const struct session *from); /* to is empty */

/* For qsort: by date first, so that the newest is the last, then by all other facts; whatever a session was accepted
 * for is the same session. With the reason only equal sessions are equal. */
int by_session(const void *left, const void *right);
int by_session_and_reason(const void *left, const void *right);

/* The note of that metric, or NULL; a copy of one in place of that of the same metric. */
struct metric_note *run_find_note(const struct run *run, const char *metric);
void run_set_note(struct run *run, const struct metric_note *note);

/* Whether both counted the same: the same counter, in the same unit. */
bool note_is_equal(const struct metric_note *a, const struct metric_note *b);

/* The definition of a metric as a note, which borrows all of it. */
struct metric_note note_of_metric(const struct metric *metric);

/* What is otherwise in `now` than in `was`, as far as both know, as "class exact -> info, floor 1 point -> 5 point";
 * NULL when nothing is. Weakened when some change passes by `now` that `was` holds against a row, or another thing is
 * counted. Caller frees *words. */
enum note_change { NOTE_SAME, NOTE_CHANGED, NOTE_WEAKENED };
enum note_change note_compare(const struct metric_note *was, const struct metric_note *now, char **words);

/* The value of a session is the median of its samples; the value of a row the mean of its sessions' values, which is
 * what the rule's formula (rule.h) is about. Equal values have exactly themselves as mean. */
double row_session_value(const struct row *row, size_t session);
double row_value(const struct row *row);

/* Removes the results that match no glob. */
void run_filter(struct run *run, char *const *globs, size_t glob_count);

/* Sets the notes from metric definitions. */
void run_note_metrics(struct run *run, const struct metrics *metrics);

/* Reads text of a run file; name is for messages. Anything malformed is an error that says where and what; then -1
 * and *run is empty. A file must name a session. */
int run_parse(struct run *run, const char *name, const char *text, size_t length);
int run_read(struct run *run, const char *path);

/* Writes the file's text; -1 when the stream failed. run_parse of it gives an equal run. */
int run_write(const struct run *run, FILE *stream);

/* One result as one line of JSON without a newline (how a worker hands it over); caller frees. */
char *result_to_line(const struct result *result);
int result_from_line(struct result *result, const char *line);

#endif
