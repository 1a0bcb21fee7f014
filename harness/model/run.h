/* run.h - a run: what was measured, on which GPU, in which sessions. A baseline is a run that somebody kept: the same
 * struct, and the same file (run_file.h). */
#pragma once

#include "origin.h"
#include "result.h"

/* How a metric was defined when the run was made. */
struct metric_note {
    char *name; /* first member, as place_of_name expects */
    char *counter;
    char *unit;
    bool judged; /* the fields below are known; files of older versions lack them */
    enum metric_class class;
    enum metric_better better;
    double floor_absolute, floor_relative, few;
    char *weight, *clock, *trade; /* as in struct metric; NULL: none */
};

#define SHARDS_MAX 1000

/* The part of a run that a shard is, where the run was divided by `run --shard`: see run_shard.h. */
struct shard {
    unsigned number, of; /* shard `number` of `of`, such as 2 of 8; 0 of 0: the run is whole */
    size_t measures;     /* kernels that the shard had to measure; after Ctrl-C it has fewer results */
    char **kernels;      /* kernels of all shards together, sorted */
    size_t kernel_count;
    char *code; /* hash of the library's machine code; NULL: it has none */
};
void shard_release(struct shard *shard);

struct run {
    struct device device;
    struct session *sessions; /* one for each GPU, and those in which something was measured again */
    size_t session_count;
    struct metric_note *notes; /* sorted by name */
    size_t note_count;
    struct result *results; /* sorted by id */
    size_t result_count;
    struct shard shard;
};

/* A run owns all it points to. `struct run run = {0}` is empty and may be released. */
void run_release(struct run *run);

/* Returns the result of that kernel, or NULL, by binary search. */
struct result *run_find(const struct run *run, const char *id);

/* Moves all results of `more` into the run, in place of those of the same kernel, with their sessions and notes. Both
 * are of the same device. */
void run_take(struct run *run, struct run *more);

/* Returns the result of that kernel. If there is none, adds an empty one in its place. */
struct result *run_add(struct run *run, const char *id);

/* Adds an empty result for each kernel of `from` that a glob matches: see result_add_like. */
void run_add_like(struct run *run, const struct run *from, char *const *globs, size_t glob_count);

/* Removes each result whose flag is not set. Returns how many these were. */
size_t run_keep(struct run *run, const bool *kept);

/* Removes each result that no glob matches. */
void run_filter(struct run *run, char *const *globs, size_t glob_count);

/* Adds the sessions of `more` to the run: their facts, and the samples of every kernel and metric that both measured. A
 * kernel or metric that only one of the two measured stays as it is in run. A kernel that is ok in run but not in more
 * takes more's status and reason: a kernel that failed once did not pass. */
void run_append(struct run *run, const struct run *more);

/* Kernels of a program with one name and shape are numbered by which was launched first: "f@1,32", "f@1,32#2". Gives
 * those whose code `like` has under another number that number. */
void run_number_like(struct run *run, const struct run *like);

/* Gives a kernel of a program's baseline that the run lacks the name of the one that came in its place, and keeps the
 * former one. That is launched as often, and the only one with its function, or with its shape and its name but for
 * arguments of a template; or with its shape, where no other kernel is gone and none came. */
void run_follow_launches(struct run *baseline, const struct run *run, const struct metrics *metrics);

/* Gives kernels of a run of the base build that have a former name of the baseline's the one that they have there now.
 */
void run_rename_former(struct run *run, const struct run *baseline);

/* Completes a baseline by a run of the base library that was measured now, in one session. It stands in where the
 * baseline lacks a kernel, or a number of one. If such a run stands in already, its session is added. A kernel that the
 * baseline lacks, and that is not ok in base, gets base's status and reason. */
void run_stand_in(struct run *baseline, const struct run *base);

/* Returns the fact of its newest session; NULL: that has none. */
const char *run_fact(const struct run *run, enum session_fact fact);

/* Whether other host code than a baseline's kernel had launches it now and verifies its results. */
bool run_has_other_host(const struct run *run, const struct result *base);

/* Returns the collector that measured its sessions; "unknown" where none says. *other is the first that differs, or
 * NULL. Numbers of two collectors cannot be compared, even where kernels and metrics have the same names. */
const char *run_collector(const struct run *run, const char **other);

/* Returns how its numbers were made, by the collector of its sessions. A run without a session, or whose sessions were
 * made in several ways, has the origin of an imported one. */
const struct origin *run_origin(const struct run *run);

/* Adds a copy of a session, unless the run has one with equal facts. */
void run_add_session(struct run *run, const struct session *session);
void run_forget_sessions(struct run *run);

/* Returns the session that samples of a row of the run are from; NULL: the run has no session. Not for baselines, in
 * which each kernel has sessions of its own. */
const struct session *run_session(const struct run *run, const struct session_samples *samples);

/* Returns a fact of the session that the newest samples of the row are from. For a row without a number it is the
 * newest session's. */
const char *run_row_fact(const struct run *run, const struct row *row, enum session_fact fact);

/* run_find_note() returns the note of a metric, or NULL. run_set_note() puts a copy of a note in place of the metric's
 * own. */
struct metric_note *run_find_note(const struct run *run, const char *metric);
void run_set_note(struct run *run, const struct metric_note *note);

/* Sets the notes of the run from the definitions of metrics. */
void run_note_metrics(struct run *run, const struct metrics *metrics);
void run_forget_notes(struct run *run);

/* Returns whether both notes are of the same counter, in the same unit. */
bool note_is_equal(const struct metric_note *a, const struct metric_note *b);

/* Returns the definition of a metric as a note, which borrows all of it. */
struct metric_note note_of_metric(const struct metric *metric);

/* Compares two definitions of a metric, as far as both are known. *words says what changed, such as "class exact ->
 * info, floor 1 point -> 5 point"; NULL: nothing did. NOTE_WEAKENED: `now` lets a row pass that `was` would not, or
 * counts something else. Caller frees *words. */
enum note_change { NOTE_SAME, NOTE_CHANGED, NOTE_WEAKENED };
enum note_change note_compare(const struct metric_note *was, const struct metric_note *now, char **words);

/* Reads the text of a run file; name is used in messages. Anything malformed is an error that says where and what: then
 * it returns -1, and *run is empty. A file must have a session. */
int run_parse(struct run *run, const char *name, const char *text, size_t length);
int run_read(struct run *run, const char *path);

/* Reads several files at once, which is faster than one after the other. -1 when one cannot be read; then all runs are
 * empty. */
int runs_read(struct run *runs, const char *const *paths, size_t count);

/* Writes the run as the text of a file. run_parse() of it gives an equal run. -1 when the stream failed. */
int run_write(const struct run *run, FILE *stream);

/* Returns one result as a line of JSON without a newline; a worker hands it over in that form. Caller frees. */
char *result_to_line(const struct result *result);
int result_from_line(struct result *result, const char *line);

/* Returns the exit code of a run that is compared with nothing. EXIT_NOT_MEASURED: there is no kernel, or one that was
 * built is not ok or has a row that is not counted. EXIT_UNSURE: one failed on a GPU and was measured on another. Else
 * 0. */
enum exit_code run_exit_code(const struct run *run);
