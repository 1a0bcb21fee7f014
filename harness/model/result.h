/* result.h - the result of measuring one kernel: its launches, one row a metric, and its counts by source line. */
#pragma once

#include "profile.h"
#include "sample.h"
#include "session.h"

enum result_status {
    RESULT_OK,
    RESULT_WRONG,     /* the output differs from the reference */
    RESULT_FAILED,    /* a CUDA call returned an error */
    RESULT_CRASHED,   /* the worker process died */
    RESULT_HUNG,      /* the kernel exceeded the time limit */
    RESULT_NOT_BUILT, /* a dependency was missing when the kernel library was built, or another program skipped the
                         kernel */
    RESULT_STATUSES
};

const char *result_status_name(enum result_status status); /* "ok", "wrong result", "failed", "crashed", "hung", ... */

/* Whether a function has instructions of tensor cores. Not known: files of before 2026-11-26, and GPUs whose
 * instructions nobody has listed (cubin_hash.c). */
enum tensor_cores { TENSOR_UNKNOWN, TENSOR_UNUSED, TENSOR_USED };

/* What the machine code says of a function. struct cubin_function has the units. */
struct code_facts {
    unsigned registers, local_bytes, shared_bytes, max_threads, barriers;
    enum tensor_cores tensor;
    unsigned local_accesses;        /* in no file, whose rows have it */
    unsigned no_halves, no_singles; /* it adds and multiplies none of that type; in no file; false where unknown */
};

struct launch {
    char *function;    /* as the source has it: see base/demangle.h */
    char *code;        /* hash of its machine code in hexadecimal; NULL where unknown */
    char *mix;         /* hash of how many of each instruction that has, in any order; NULL where unknown */
    unsigned grid[3];  /* 0 of a function that nobody launched: only its machine code is known, and at best how large */
    unsigned block[3]; /* its blocks will be (static_files.h) */
    unsigned shared;   /* dynamic shared memory, bytes */
    unsigned times;    /* launched so often in a row */
    unsigned carve_out; /* preferred shared memory in percent of the largest, plus 1; 0: the driver chooses */
    bool has_machine;
    struct code_facts machine;
};

struct session_samples {
    double *samples;
    size_t count;
    size_t session; /* index among the sessions of the run, or of the kernel's file in a baseline */
};

/* Values of two processes, base build and new build, that ran one after the other on one GPU. */
struct pair {
    double base, head;
};

/* The value that a baseline's row had before it was accepted anew. */
struct previous {
    double value;
    char *date, *commit, *reason; /* facts of the session that the value is from; NULL where unknown */
};

struct row {
    char *metric; /* first member, as place_of_name expects */
    enum value_state state;
    char *reason; /* why it is not counted, such as a law that its number broke; NULL where unknown */
    struct session_samples *sessions; /* only when measured: then at least one, with at least one sample */
    size_t session_count;
    struct pair *pairs; /* base build against new build, in the order of measurement */
    size_t pair_count;

    bool from_base_build; /* the baseline has no number, so the base build was measured now to stand in; not written to
                             files */

    /* These are set in baselines only. */
    bool has_readings;
    size_t readings; /* how many samples the sessions had, when all were equal; else 0 */
    bool has_drift_reference;
    double drift_reference;    /* the value that slow drift is measured from (the anchor) */
    struct previous *previous; /* what the row was before; NULL when it was accepted once */
};

/* A part of an estimated time, and what it is of. */
struct time_part {
    char *name; /* first member, as place_of_name expects */
    double part;
};

/* How long the launches of a kernel take on its GPU, as a replay of one SM's warps has it (harness/replay). It is never
 * among measured times. */
struct estimated_time {
    double ns, low, high;    /* and the band in which it is for 9 of 10 kernels */
    char *model;             /* its version, and that of its constants: times of another one are not comparable */
    char *bound_by;          /* what takes most of it: "DRAM" */
    struct time_part *moved; /* the time once more, a constant of the model being wrong by its factor; sorted by */
    size_t moved_count;      /* constant, and those are absent of which it does not depend */
    struct time_part *busy;  /* for which part of it each bound is busy, sorted; those are absent that never are */
    size_t busy_count;
    char *refused; /* why there is no time; then the rest is absent */
};

#define NAME_LENGTH 256 /* most characters of the name of a kernel or metric in a file */

/* Returns whether the text can be the name of a kernel in a file. In result_fields.c. */
bool is_kernel_id(const char *text);

struct result {
    char *id; /* family/variant; first member, as place_of_name expects */
    enum result_status status;
    char *reason; /* why the status is not ok, else NULL; but see static_facts_run */
    double bytes;
    double flops;
    double seconds; /* that the parent waited for it; 0 where unknown. Used to share out work, never to judge */
    struct launch *launches;
    size_t launch_count;
    char *inputs;     /* hash of the arguments and memory that the launches were given; NULL where unknown */
    struct row *rows; /* the kernel's rows, sorted by metric; empty unless ok */
    size_t row_count;
    struct profile profile;      /* by source line, of one launch of the variant; empty unless asked for */
    struct profile base_profile; /* lines of the base build, when the run was judged against one */
    char *former_id;             /* in a baseline: its id there, see run_follow_launches(); else NULL */
    char *elsewhere;             /* for a kernel that is ok: how it failed on another GPU of the run; else NULL */
    char *launched_by; /* of a program's kernel: "model.py:42 (forward), libcublasLt.so.13"; NULL where unknown */
    char *unpaired;    /* why pairs with the base build did not settle its times, though they should have; else NULL */
    char *varies; /* of a kernel that was computed: which of its results depend on which block or warp comes first, and
                     where; NULL: none was seen to */
    char *doubt;  /* of a kernel that was computed: what would be a fault if anything depended on it, which nothing did;
                     NULL: there is none */
    char *outside; /* of a kernel that was computed: what no count of it has, as what printf executes; NULL: nothing */
    char *suppressed; /* of a kernel of a simulated program: faults that --suppress let pass; NULL: none */
    char *near;       /* of a capsule with a tolerance: how many values differ within it, and by how much; NULL: none */
    double off;       /* the most, as a part of the largest value beside */
    /* Of a kernel that was computed: blocks of its launches, and how many of them were executed, by which it is proved
     * what the others count. Both 0: not known, or all. `not_proved`: launches of which it could not be proved, and
     * why; NULL: none that was worth trying. */
    double blocks, blocks_executed;
    char *not_proved;
    struct estimated_time *estimated; /* of a kernel that was computed; NULL: nobody asked */
    struct session *sessions; /* in a baseline: the sessions of this kernel's file, oldest first. Else none: the run's
                                 sessions are of all kernels */
    size_t session_count;
};

/* The reason of a kernel begins with this when the simulator could not execute it, because of an unknown opcode for
 * example. It is not the kernel's fault. */
#define RESULT_NOT_SIMULATED "not simulated: "
#define RESULT_ROUNDED ", which may be rounding" /* in a reason, of floats that are near each other */
bool result_is_not_simulated(const struct result *result);
/* It begins with this when a workload failed before the simulator saw any launch of it, as where another library, such
 * as cuBLAS, launches kernels of its own and needs a GPU. */
#define RESULT_ELSEWHERE "it launched nothing that can be executed here: "
bool result_is_elsewhere(const struct result *result);
/* The reason of a computed row that is not counted begins with this where no count is the kernel's, since it depends on
 * timing. That is no failure of reading it. */
#define ROW_OPEN "depends on which block or warp comes first: "
bool row_is_open(const struct row *row);
/* Of a computed run: it is one of these two, or was not done within the time limit. */
bool result_is_not_computed(const struct result *result);

/* Counts of launches, in one session: a row has one sample, or three, itself and its bounds. Adds those of `more` as
 * the launches of a sample are combined (sample.h). A row that only one of the two has becomes not counted, unless the
 * other has none at all. In result_sums.c. */
void result_add_up(struct result *result, const struct result *more, const struct metrics *metrics);

/* Makes sums of so many launches those of one in the mean; ratios stay. */
void result_divide(struct result *result, const struct metrics *metrics, double count);

/* Whether both have the same rows with the same counts. */
bool result_counts_alike(const struct result *one, const struct result *other);

/* Frees all that the result owns, which is all it points to. */
void result_release(struct result *result);

/* Makes the names of the functions of its launches and lines, as compilers write them, names of the source. The order
 * of the lines may change. */
void result_demangle(struct result *result);

/* Takes from a result its rows and gives it a status that is not ok, with a copy of the reason. */
void result_fail(struct result *result, enum result_status status, const char *reason);

/* Records how the kernel failed on another GPU, after what is recorded already. how may be NULL. */
void result_note_elsewhere(struct result *result, const char *how);

/* Sets, for all measured rows, from which session of the run they are; and returns it (0 without a row). */
void result_set_session(struct result *result, size_t session);
size_t result_session(const struct result *result);

/* Returns the row of that metric by binary search, or NULL. */
struct row *result_find(const struct result *result, const char *metric);

/* Returns that row if it is measured, else NULL; and its value, else NAN. Result and metric may be NULL. */
const struct row *result_measured(const struct result *result, const char *metric);
double result_value(const struct result *result, const char *metric);

/* Returns the row of that metric. A new row, which is not counted yet, is inserted in its place. */
struct row *result_add(struct result *result, const char *metric);

/* Adds rows for all metrics of `from` whose name matches a glob; an empty list of globs matches all. It is made for
 * long lists, where inserting one by one would take minutes. */
void result_add_like(struct result *result, const struct result *from, char *const *globs, size_t glob_count);

/* Removes the row of that metric; false when there is none. */
bool result_remove(struct result *result, const char *metric);

/* Whether the row has something beside its sessions: what only a baseline keeps, or pairs. */
bool row_is_annotated(const struct row *row);

/* Adds a session with a copy of its samples, and makes the row measured. If a sample is negative or not finite, the row
 * loses all its sessions and becomes not counted. */
void row_add_session(struct row *row, const double *samples, size_t count);
void row_clear(struct row *row); /* removes all but the name; the row becomes not counted */
void row_add_pair(struct row *row, double base, double head); /* a negative or infinite value is a BUG */

/* Returns how many samples the row has when all are equal; 0 when two differ or there is none. */
size_t row_equal_readings(const struct row *row);

/* The value of a session is the median of its samples. The value of a row is the mean over its sessions, as the rule's
 * formula expects (rule.h). The mean of equal values is exactly that value. */
double row_session_value(const struct row *row, size_t session);
double row_value(const struct row *row);

/* Returns how many rows of the result are not counted. */
size_t result_uncounted(const struct result *result);
/* Returns how many of those a counter should have given: the others are open. */
size_t result_failed_rows(const struct result *result);

/* Copies what is not rows, status or lines: bytes, flops, launches with their inputs, and seconds where known. */
void result_copy_facts(struct result *to, const struct result *from);

/* Makes the inputs hash of the result unknown. */
void result_forget_inputs(struct result *result);

/* Whether both results launched the same machine code in the same way; false where the code is unknown. */
bool same_code(const struct result *base, const struct result *now);

/* Whether both results have the same_code and were given the same arguments and memory; false where that is unknown. */
bool same_inputs(const struct result *base, const struct result *now);

/* Whether the code of all launches is known, of which there is one at least. */
bool result_has_code(const struct result *result);

/* Whether none of the functions that it launches is in the library's machine code, as for cuBLAS. */
bool result_has_code_of_others(const struct result *result);

/* Orders results by what they launched, which is the name of a function where its code is unknown. Results with known
 * code compare equal exactly when they have the same_code. */
int order_of_code(const struct result *a, const struct result *b);

/* Whether both results launched the same code in the same way (or functions of the same names, where the code is not
 * known), and have the same value in every exact metric that both counted (at least one), but for those that varied
 * before. Then nothing that the code alone determines can have changed. */
bool same_work(const struct result *base, const struct result *now, const struct metrics *metrics);
