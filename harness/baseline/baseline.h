/* baseline.h - the baseline: a folder of runs that somebody accepted, one file a kernel. The path is
 * baselines/<gpu>/<family>/<variant>.json, or what id_path makes of the id. So two branches that accept different
 * kernels change different files, and a kernel is dropped by removing its file. */
#pragma once

#include "judge/judge.h"
#include "model/model.h"

#include "known_regression_file.h"

#define BASELINE_SESSIONS 20 /* how many sessions a row keeps; the oldest are dropped */

/* Returns the folder of a device below the baselines folder: "baselines/nvidia-h200". Caller frees. */
char *baseline_folder(const char *baselines, const struct device *device);

/* Reads all kernels' files of a device into one run, with its sessions sorted by date. Returns 0, or an exit_code after
 * error(). EXIT_BASELINE: there is no folder or no file for this device, its facts differ (the message says which),
 * or two files define a metric differently. EXIT_USAGE: a file is malformed or in the wrong place. */
int baseline_read(struct run *baseline, const char *baselines, const struct device *device);

/* Whether the folder for devices of that name exists, whatever it contains. */
bool baseline_exists(const char *baselines, const struct device *device);

/* ---- Which devices have baselines ---- */

struct baseline_device {
    char *folder; /* name of the folder below the baselines folder: "nvidia-h200" */
    struct device device;
};

/* An owned list, sorted by folder. */
struct baseline_devices {
    struct baseline_device *list;
    size_t count;
};

/* Lists the devices that have baselines, by reading one file in each folder below `baselines`. A folder without
 * files is skipped; if `baselines` does not exist the list is empty. -1 after error() when a folder or file cannot
 * be read. */
int baseline_devices_read(struct baseline_devices *devices, const char *baselines);
void baseline_devices_release(struct baseline_devices *devices);

/* ---- Accepting ---- */

struct acceptance {
    const char *baselines;
    const struct metrics *metrics; /* definitions of metrics; rows of other metrics count as info */
    char *const *globs;            /* which kernels are accepted; none means all */
    size_t glob_count;
    char *const *metric_globs; /* which metrics are accepted; none means all */
    size_t metric_glob_count;
    const char *reason;
    const char *was;      /* former name of the one chosen kernel, or NULL */
    bool gone;            /* remove the kernels that the runs' programs launch no more */
    bool drift_reference; /* set the drift reference of every chosen row to its new value */
    char *const *names;   /* names of the runs, for messages */
};

/* What happened to a chosen row. */
enum accepted_step {
    ACCEPTED_ADDED,    /* the row agreed with the baseline, so the sessions were added */
    ACCEPTED_NOISE,    /* the row moved a little although the code is the same, so the sessions were added */
    ACCEPTED_REPLACED, /* the row moved, or has another counter, so it has the new sessions only */
    ACCEPTED_INFO,     /* the row is of class info, and was replaced because a row of its kernel was */
    ACCEPTED_FIRST,    /* the baseline did not have the row */
    ACCEPTED_KNOWN,    /* the baseline has these very sessions already, or the same state without a number */
    ACCEPTED_LEFT,     /* the row is far off although the code is the same, so it was left unchanged */
    ACCEPTED_STEPS
};

/* A row that was replaced or left unchanged because its value moved. */
struct accepted_move {
    char *kernel, *metric;
    enum finding finding; /* if both were measured; else FOUND_SAME: the state changed */
    bool left;            /* the row was left unchanged (ACCEPTED_LEFT), not replaced */
    enum value_state was_state, now_state;
    double was, now; /* values before and after, if measured */
};

/* Whether a list shows the row first: it got worse, or was not accepted. */
bool accepted_is_worse(const struct accepted_move *move);

/* What baseline_accept did. Owned; release it whatever baseline_accept returned. */
struct accepted {
    size_t kernels;
    size_t rows;                   /* how many rows were accepted, without those left unchanged */
    size_t counts[ACCEPTED_STEPS]; /* for each step: how many rows it happened to */
    size_t sessions;               /* how many new sessions there are in all runs */
    size_t gone;                   /* how many kernels were removed */
    size_t drift_references;       /* how many drift references changed */
    size_t time_sessions; /* the smallest number of sessions that a chosen row of class time now has; 0 without such a
                             row */
    struct accepted_move *moves; /* worse rows and rows left unchanged first, then by name */
    size_t move_count;
};

/* Makes the chosen rows of runs[0..count) the baseline. No other row changes.
 *
 * A row of a baseline has a drift reference: an earlier value of it, to which a check compares as well. So many small
 * steps, each within the limits, are found worse when their sum is not (RULE_DRIFT_REFERENCE).
 *
 * A row agrees with its old one if the rule says so (rule.h; no common shift is subtracted) and its definition is the
 * same. It then gains a session for each session of the runs, with the median of its samples, and keeps its drift
 * reference. That also holds if the machine code changed, and for an exact row that only ceased to repeat.
 *
 * A row that moved is replaced. `previous` holds its old value, with date, commit and reason of its newest session. It
 * keeps its drift reference as long as a check would not fail the new value by it, so that small steps add up.
 * Otherwise, and for a new row, the drift reference becomes the new value. Metrics of class info have neither a rule
 * nor a drift reference. They are replaced when a row of their kernel was replaced in the same call.
 *
 * There is an exception if the kernel launched the same machine code in the same way and no exact row moved. Then rows
 * of time, steady and info gain the sessions even if they moved, because that is their spread. But if a session is
 * further from the baseline's mean than both RULE_DRIFT_REFERENCE of it and the row's limit, the row is left unchanged.
 * With metric_globs it is replaced nevertheless: a user who names a metric means its value. A kernel that launches
 * nothing, such as a transfer, has no known code.
 *
 * A session that the file lists and whose value the row has is not added again. `readings` of exact and static rows
 * also count sessions that have been dropped since.
 *
 * Source lines are taken from the newest run that has some, if its machine code is that of the launches. Lines without
 * a source file (single instructions) and session roofs are not kept.
 *
 * Launches are taken from the newest run if a time is among the rows, all metrics of a kernel are accepted, or the
 * kernel is new. They tell of which code the times are. A row holds at most the newest BASELINE_SESSIONS values. The
 * file lists every session of these values. A row's "from" says which session each value is from, unless they are the
 * first ones in order.
 *
 * Inputs stay unchanged while machine code and launches do and no exact row is replaced or new. Computed runs are
 * refused by a measured baseline.
 *
 * A warning names kernels that are not ok in every run that has them, and rows that are not counted in one run or whose
 * states differ. They are not accepted. Another warning names each replaced or new row that KNOWN_REGRESSION_FILE
 * declares: it passes from now on, and so the declaration fails.
 *
 * All files are on the disk before the first is renamed, and SIGINT, SIGTERM and SIGHUP wait until the last one is. If
 * a rename fails, the error says how many were done, and accepting the same again does the rest. With `was`, the file
 * of the old name is removed last. With `gone` so are the files of kernels that no run has, of each program of which
 * every run has the row as a whole (program_row.h), since every launch of it was seen. Returns 0 or an exit_code after
 * error(). EXIT_BASELINE: runs, or runs and baseline, have different devices or collectors, or define a metric
 * differently. EXIT_NOT_MEASURED: nothing that was chosen can be accepted. EXIT_USAGE: nothing was chosen, `was` does
 * not fit, two runs differ in the code, launches, inputs or command of a kernel, a kernel is regressed in a run or in
 * all together and neither globs nor metric_globs name it, or a file cannot be read or written. */
int baseline_accept(const struct acceptance *acceptance, const struct run *runs, size_t count,
                    struct accepted *accepted);
void accepted_release(struct accepted *accepted);

/* Reads how many seconds each kernel took when measured alone, to share out work by: the maximum that baselines of any
 * model have for this collector. Kernels without known seconds are left
 * out; without a baseline all are. Returns 0, or an exit_code after error(), and then *costs is empty. */
int costs_read(struct run *costs, const char *baselines, const char *collector);
