/* run.h - a run: what was measured, on what, by which session. A baseline is a run that somebody kept: the same
 * struct, the same file (run_file.h). */
#ifndef RUN_H
#define RUN_H

#include "metric.h"
#include "result.h"
#include "session.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* How a metric was defined when the run was made. */
struct metric_note {
    char *name; /* first, for place_of_name */
    char *counter;
    char *unit;
    bool judged; /* what follows is known; files of older versions lack it */
    enum metric_class class;
    enum metric_better better;
    double floor_absolute, floor_relative, few;
    char *weight, *clock, *trade; /* as in struct metric; NULL: none */
};

/* Which part of a run this is, where it was divided by `run --shard`: see run_shard.h. */
struct shard {
    unsigned number, of; /* the second of 8; 0 of 0: it is a whole run */
    size_t measures;     /* kernels that were its to measure: after Ctrl-C it has fewer results */
    char **kernels;      /* of all shards together, sorted */
    size_t kernel_count;
    char *code; /* hash of the library's machine code; NULL where it has none */
};
void shard_release(struct shard *shard);

struct run {
    struct device device;
    struct session *sessions; /* one for each GPU, and those of what was measured again */
    size_t session_count;
    struct metric_note *notes; /* sorted by name */
    size_t note_count;
    struct result *results; /* sorted by id */
    size_t result_count;
    struct shard shard;
};

/* A run owns all it points to. `struct run run = {0}` is empty and may be released. */
void run_release(struct run *run);

/* The result of that kernel, or NULL; binary search. */
struct result *run_find(const struct run *run, const char *id);

/* The same, added empty in its place when there is none. */
struct result *run_add(struct run *run, const char *id);

/* Adds empty results for all kernels that `from` has and a glob matches: see result_add_like. */
void run_add_like(struct run *run, const struct run *from, char *const *globs, size_t glob_count);

/* Removes the results that match no glob. */
void run_filter(struct run *run, char *const *globs, size_t glob_count);

/* Adds the sessions of `more` to the run: its facts, and the samples of every kernel and metric that both measured. A
 * kernel or metric that only one of the two measured stays as it is in run; a kernel that is ok in run and not in more
 * takes more's status and reason, since what failed once did not pass. */
void run_append(struct run *run, const struct run *more);

/* Where the baseline lacks a kernel or a number of one, those of a base library, measured now in one session, stand in
 * for it; more sessions are added to what stands in already. A kernel that is not in the baseline and is not ok in base
 * is not ok there with the same reason. */
void run_stand_in(struct run *baseline, const struct run *base);

/* When its newest session was measured; NULL where it does not say. */
const char *run_date(const struct run *run);

/* The collector that measured its sessions; "unknown" where none says. *other is the first that differs, or NULL: what
 * two collectors measured has no common meaning, though the names of kernels and metrics be the same. */
const char *run_collector(const struct run *run, const char **other);

/* Whether its counts were computed from machine code, by the collector of that name: without a GPU, so without its
 * times and caches. Such a run has notes of those metrics only that computing gives. */
#define RUN_COMPUTED "sim"
bool run_is_computed(const struct run *run);

/* Whether it was measured in an unmodified program, whose caches are as it left them. */
bool run_is_of_program(const struct run *run);

/* Adds a copy of a session unless one with equal facts is there. */
void run_add_session(struct run *run, const struct session *session);
void run_forget_sessions(struct run *run);

/* The session that samples of a row of that run are from; NULL where the run has none. For runs alone, since kernels of
 * a baseline have sessions of their own. */
const struct session *run_session(const struct run *run, const struct session_samples *samples);

/* The same session's fact, of the newest samples of the row; of the newest session for a row without a number. */
const char *run_row_fact(const struct run *run, const struct row *row, enum session_fact fact);

/* The note of that metric, or NULL; a copy of one in place of that of the same metric. */
struct metric_note *run_find_note(const struct run *run, const char *metric);
void run_set_note(struct run *run, const struct metric_note *note);

/* Sets the notes from metric definitions. */
void run_note_metrics(struct run *run, const struct metrics *metrics);
void run_forget_notes(struct run *run);

/* Whether both counted the same: the same counter, in the same unit. */
bool note_is_equal(const struct metric_note *a, const struct metric_note *b);

/* The definition of a metric as a note, which borrows all of it. */
struct metric_note note_of_metric(const struct metric *metric);

/* What is otherwise in `now` than in `was`, as far as both know, as "class exact -> info, floor 1 point -> 5 point";
 * NULL when nothing is. Weakened when some change passes by `now` that `was` holds against a row, or another thing is
 * counted. Caller frees *words. */
enum note_change { NOTE_SAME, NOTE_CHANGED, NOTE_WEAKENED };
enum note_change note_compare(const struct metric_note *was, const struct metric_note *now, char **words);

/* Reads text of a run file; name is for messages. Anything malformed is an error that says where and what; then -1
 * and *run is empty. A file must name a session. */
int run_parse(struct run *run, const char *name, const char *text, size_t length);
int run_read(struct run *run, const char *path);

/* The same for several files at once, which is faster; -1 when one cannot be read, and then all runs are empty. */
int runs_read(struct run *runs, const char *const *paths, size_t count);

/* Writes the file's text; -1 when the stream failed. run_parse of it gives an equal run. */
int run_write(const struct run *run, FILE *stream);

/* One result as one line of JSON without a newline (how a worker hands it over); caller frees. */
char *result_to_line(const struct result *result);
int result_from_line(struct result *result, const char *line);

#endif
