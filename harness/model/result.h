/* result.h - what came of measuring one kernel: its launches, a row for each metric, the profile of its lines. */
#ifndef RESULT_H
#define RESULT_H

#include "profile.h"
#include "sample.h"
#include "session.h"

#include <stdbool.h>
#include <stddef.h>

enum result_status {
    RESULT_OK,
    RESULT_WRONG,     /* the output differs from the reference */
    RESULT_FAILED,    /* a call returned an error */
    RESULT_CRASHED,   /* the worker died */
    RESULT_HUNG,      /* the time limit passed */
    RESULT_NOT_BUILT, /* a library was missing when the kernel library was built; or another program left it out */
    RESULT_STATUSES
};

const char *result_status_name(enum result_status status); /* "ok", "wrong result", "failed", "crashed", "hung", ... */
enum result_status result_status_of(const char *name);     /* RESULT_STATUSES when there is none */

/* What the machine code of a function takes: see struct cubin_function, where each has its unit. */
struct machine {
    unsigned registers, local_bytes, shared_bytes, max_threads, barriers;
};

struct launch {
    char *function;    /* as the source has it: see symbol.h */
    char *code;        /* hash of its machine code in hexadecimal; NULL where unknown */
    unsigned grid[3];  /* 0 of a function that nobody launched: only its machine code is known, and at best how large */
    unsigned block[3]; /* its blocks will be (static_files.h) */
    unsigned shared;   /* dynamic shared memory, bytes */
    unsigned times;    /* launched so often in a row */
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
    char *metric; /* first, for place_of_name */
    enum value_state state;
    char *reason; /* why it is not counted, where that is known: a law that its number broke; else NULL */
    struct session_samples *sessions; /* only when measured; then at least one with at least one sample */
    size_t session_count;
    struct pair *pairs; /* base library against head, in the order in which they were measured */
    size_t pair_count;

    bool from_base_build; /* measured now in a base library, for want of a number of the baseline's; in no file */

    /* In baselines only. */
    bool has_readings;
    size_t readings; /* samples behind all sessions when every one was equal, else 0 */
    bool has_drift_reference;
    double drift_reference;    /* the value that slow drift is measured from */
    struct previous *previous; /* NULL when there was none */
};

struct result {
    char *id; /* family/variant; first, for place_of_name */
    enum result_status status;
    char *reason; /* when not ok, else NULL; but see static_facts_run */
    double bytes;
    double flops;
    double seconds; /* that the parent waited for it, 0 where unknown: to share out work by, never to judge by */
    struct launch *launches;
    size_t launch_count;
    char *inputs;     /* hash of what the launches were given, arguments and memory; NULL where unknown */
    struct row *rows; /* sorted by metric; empty unless ok */
    size_t row_count;
    struct profile profile;      /* of one launch of the variant; empty where nobody asked */
    struct profile base_profile; /* the same of the base library that the run was judged against */
    char *elsewhere;             /* of one that is ok: how it failed on another GPU of the run, else NULL */
    char *unpaired;              /* why that library could not settle its times, though it was to; else NULL */
    struct session *sessions;    /* of a baseline: those of this kernel's file, oldest first. None otherwise: then the
                                  * run's sessions are of every kernel */
    size_t session_count;
};

/* What the reason of a kernel begins with that failed for want of the simulator, and not of its own: an opcode, say. */
#define RESULT_NOT_SIMULATED "not simulated: "
bool result_is_not_simulated(const struct result *result);

/* A result owns all it points to. */
void result_release(struct result *result);

/* Takes from a result its rows and gives it a status that is not ok, with a copy of the reason. */
void result_fail(struct result *result, enum result_status status, const char *reason);

/* Keeps a copy of how it failed on another GPU, beside what it says of that already; NULL: nothing. */
void result_note_elsewhere(struct result *result, const char *how);

/* Where all rows that were measured are from, and which of the run's sessions that is: 0 without one. */
void result_set_session(struct result *result, size_t session);
size_t result_session(const struct result *result);

/* The row of that metric, or NULL; binary search. */
struct row *result_find(const struct result *result, const char *metric);

/* The same, added in its place when there is none: then it is not counted. */
struct row *result_add(struct result *result, const char *metric);

/* Adds rows for all metrics that `from` has and a glob matches; an empty list matches everything. For long lists: one
 * by one in their places they would take minutes. */
void result_add_like(struct result *result, const struct result *from, char *const *globs, size_t glob_count);

/* Takes the row of that metric away; false when there is none. */
bool result_remove(struct result *result, const char *metric);

/* Whether something stands beside its sessions that no measuring gives: what a baseline keeps, or pairs. */
bool row_is_annotated(const struct row *row);

/* Copies the samples and makes the row measured. A sample that is negative or not finite is no reading: then the
 * row loses all its sessions and is not counted. */
void row_add_session(struct row *row, const double *samples, size_t count);
void row_clear(struct row *row); /* without sessions and all that stands beside them, not counted */
void row_add_pair(struct row *row, double base, double head); /* negative or not finite: BUG */

/* How many samples stand behind the row when all of them are equal; 0 when two differ or none is there. */
size_t row_equal_readings(const struct row *row);

/* The value of a session is the median of its samples; the value of a row the mean of its sessions' values, which is
 * what the rule's formula (rule.h) is about. Equal values have exactly themselves as mean. */
double row_session_value(const struct row *row, size_t session);
double row_value(const struct row *row);

/* How many of its rows are not counted. */
size_t result_uncounted(const struct result *result);

/* Copies what a result says beside its rows, status and lines: bytes, flops, launches with their inputs, and the
 * seconds where known. */
void result_copy_facts(struct result *to, const struct result *from);

/* From now on it is unknown what its launches were given. */
void result_forget_inputs(struct result *result);

/* Whether both launched the same machine code in the same way; false where the code is unknown. */
bool same_code(const struct result *base, const struct result *now);

/* same_code, which was given the same arguments and memory; false where that is unknown. */
bool same_inputs(const struct result *base, const struct result *now);

/* Sorts results by what they launched: of known code, those that are equal have the same_code. */
int order_of_code(const struct result *a, const struct result *b);

/* same_code, and every exact metric that both counted, one at least, has the value that it had: nothing can have
 * changed that the code alone determines. */
bool same_work(const struct result *base, const struct result *now, const struct metrics *metrics);

#endif
