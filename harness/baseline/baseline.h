/* baseline.h - the directory of kept runs, one file a kernel: baselines/<gpu>/<family>/<variant>.json, or what id_path
 * makes of it. So two branches that accept different kernels touch no common file, and to drop a kernel is to remove
 * its file. */
#ifndef BASELINE_H
#define BASELINE_H

#include "judge/judge.h"
#include "model/model.h"

#define BASELINE_SESSIONS 20 /* that a row keeps; the oldest go first */

/* The directory of a device below the baselines directory: "baselines/nvidia-h200". Caller frees. */
char *baseline_directory(const char *baselines, const struct device *device);

/* Reads all kernels' files of a device into one run, its sessions in the order of their dates. Returns 0, or an
 * exit_code after error(): EXIT_BASELINE when there is no directory or no file for this device, when its key differs
 * (said field by field), or when two files define a metric differently; EXIT_USAGE when a file is malformed or lies in
 * the wrong place. */
int baseline_read(struct run *baseline, const char *baselines, const struct device *device);

/* Whether there is a kernel's directory for devices of that name, whatever it holds. */
bool baseline_exists(const char *baselines, const struct device *device);

/* ---- Which devices there are baselines of ---- */

struct baseline_device {
    char *directory; /* its name below the baselines directory: "nvidia-h200" */
    struct device device;
};

/* Owned list, sorted by directory. */
struct baseline_devices {
    struct baseline_device *list;
    size_t count;
};

/* Reads one file of each directory below `baselines`; a directory without files is passed over, and one that is not
 * there holds none. -1 after error() when the directory or a file cannot be read. */
int baseline_devices_read(struct baseline_devices *devices, const char *baselines);
void baseline_devices_release(struct baseline_devices *devices);

/* ---- Accepting ---- */

struct acceptance {
    const char *baselines;
    const struct metrics *metrics; /* rows that none of them defines are taken for information */
    char *const *globs;            /* kernels; none is all */
    size_t glob_count;
    char *const *metric_globs; /* none is all */
    size_t metric_glob_count;
    const char *reason;
    const char *was;      /* what the one chosen kernel was called before, or NULL */
    bool drift_reference; /* set the drift reference of every chosen row to its new value */
    char *const *names;   /* what the runs are called in messages */
};

/* What became of a chosen row. */
enum accepted_step {
    ACCEPTED_ADDED,    /* agreed: it gained the sessions */
    ACCEPTED_NOISE,    /* moved a little, though the code is the same: it gained them, too */
    ACCEPTED_REPLACED, /* moved, or is not of the same counter: it has the new sessions alone */
    ACCEPTED_INFO,     /* of class info: replaced, since a row of its kernel was */
    ACCEPTED_FIRST,    /* the baseline did not have it */
    ACCEPTED_KNOWN,    /* had these very sessions already, or the same state without any */
    ACCEPTED_LEFT,     /* is far off, though the code is the same: it stays as it was */
    ACCEPTED_STEPS
};

/* A row that was replaced, or left out, because it moved. */
struct accepted_move {
    char *kernel, *metric;
    enum finding finding; /* when both were measured; else FOUND_SAME: its state changed */
    bool left;            /* ACCEPTED_LEFT, else ACCEPTED_REPLACED */
    enum value_state was_state, now_state;
    double was, now; /* where measured */
};

/* Owned; release it whatever baseline_accept returned. */
struct accepted {
    size_t kernels;
    size_t rows;                   /* without those left out */
    size_t counts[ACCEPTED_STEPS]; /* of rows */
    size_t sessions;               /* new ones, in all runs together */
    size_t drift_references;       /* that were there and have another value now */
    size_t time_sessions;          /* fewest of a chosen row of class time now; 0 when there is none */
    struct accepted_move *moves;   /* worse ones and those left out first, then by name */
    size_t move_count;
    size_t inputs; /* computed run, measured baseline: kernels whose inputs it has now, and nothing else of the above */
    size_t inputs_left; /* and those whose inputs were not taken */
};

/* Makes the chosen rows of runs[0..count) the baseline; no other row changes. A row of the same definition that agrees
 * with its old one by the rule (rule.h; no shift is taken off) gains a session for each of the runs' sessions, the
 * median of its samples, and keeps its drift reference; so does one whose machine code changed, since it agrees, and an
 * exact one that only ceased to repeat. One that moved is replaced: `previous` holds its old value with date, commit
 * and reason of its newest session. It keeps its drift reference while the check would not fail the new value by it, so
 * that small steps add up; else the drift reference is the new value, as it is for a row that is new. Metrics of class
 * info have no rule and no drift reference: they are replaced when a row of their kernel was in the same call.
 *
 * But where the kernel launched the same machine code in the same way and no exact row moved, time, steady and info
 * gain the sessions although they moved: that is their spread. It is none in a session further from the baseline's mean
 * than both RULE_DRIFT_REFERENCE of it and the row's limit: then that row is left as it is. With metric_globs what
 * moved is replaced all the same: who names a metric means the value. Of a kernel that launches nothing, as transfers
 * do, the code is unknown.
 *
 * A session that the file lists and whose value the row holds is not added again. `readings` of exact and static rows
 * also count sessions that the window has lost since.
 *
 * Source lines are those of the newest run that has some, if its machine code is that of the launches; of a file of
 * source, that is, and not of single instructions. Session roofs are not kept.
 *
 * Launches are those of the newest run when a time is among the rows, all metrics of a kernel are accepted, or the
 * kernel is new: they say of which code the times are. A row holds BASELINE_SESSIONS values at most, the newest; the
 * file lists every session that a value is from, and the values say from which ("from"), unless from the first ones in
 * order.
 *
 * Inputs stay what they are while the machine code and the launches do and no exact row is replaced or new. Of computed
 * runs into a baseline that was measured nothing but inputs is accepted: of the kernels whose code and launches are the
 * baseline's, and whose computed counts compare_runs finds the same without exception. Their files change in nothing
 * else, the reason is not kept, and `was`, metric_globs and drift_reference are refused.
 *
 * What a warning names instead: kernels that are not ok in every run that holds them, and rows that are not counted in
 * one run or whose states differ. Another names the section of each replaced or new row that KNOWN_REGRESSION_FILE
 * declares: such a row passes from now on, and thereby fails.
 *
 * No file is put in its place before all are on the disk, and SIGINT, SIGTERM and SIGHUP wait until all are in theirs.
 * When a file cannot be put there, the error says how many were: accepting the same again does the rest. Then, with
 * `was`, the file of the old name is removed. Returns 0 or an exit_code after error(): EXIT_BASELINE when runs, or runs
 * and baseline, are of different devices or collectors or define a metric differently; EXIT_NOT_MEASURED when nothing
 * that was chosen can be accepted; EXIT_USAGE when nothing was chosen, `was` does not fit, or a file cannot be read or
 * written. */
int baseline_accept(const struct acceptance *acceptance, const struct run *runs, size_t count,
                    struct accepted *accepted);
void accepted_release(struct accepted *accepted);

/* Kernels with the seconds that they took alone, to share out work by: those of that run file or, where it is NULL, the
 * most that a baseline of any model says that this collector measured. Kernels whose seconds are not known are not in
 * it, and where there is no baseline, none is. 0, or an exit_code after error(), and then *costs is empty. */
int costs_read(struct run *costs, const char *file, const char *baselines, const char *collector);

#endif
