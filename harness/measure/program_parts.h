/* program_parts.h - shared by the program*.c files, and private to them. */
#pragma once

#include "cubin/cubin.h"

#include "measure.h"

#include <poll.h>

/* ---- Groups of launches: program_groups.c, program_lacks.c, program_times.c, program_total.c ---- */

struct program_launch {
    struct launch launch;
    char *module; /* name of its image of machine code; NULL: not known */
};

/* Launches of a group: all that count, or those within one NVTX range. */
struct program_share {
    size_t launches; /* in the current run of the program */
    size_t timed;    /* how many of them have a time that is known, from records, and that time together */
    double time_ns;
    double alone_ns, ran_ns; /* of the whole: how long its kernels ran that tell, and without what they shared */
    double *counts;          /* of each run that ended: how many launches, */
    double *took;            /* and how long they took together, in ns; NAN where no record tells */
    double *alone;           /* what part of that is not shared with other kernels; NAN where it is not known */
};

/* A group: launches that are alike, in all runs and processes of the program. */
struct program_group {
    char *question; /* text that identifies it: shapes, functions and their code */
    char *id;       /* preliminary: until all functions are known, two may have the same short name */
    bool graph;
    struct program_launch *launches;
    size_t count;
    bool wanted;
    size_t times;                 /* how often it was launched in the first run */
    size_t due;                   /* how many of these launches were to be measured */
    bool is_late;                 /* a process launched it in the first run beyond the first part of the program */
    struct program_share *shares; /* launches that count, then for each NVTX range that is asked for those within it */
    size_t share_count;
    size_t runs;    /* number of runs in the lists of each share */
    size_t *missed; /* for each set of metrics: launches in the first run while another set was counted */
    size_t missed_count;
    bool complete; /* a further run for a set of metrics need not measure it */
    bool known;    /* nothing of it is measured: its time is in CUPTI's records, and the rest in the baseline, or it
                    * waits for others */
    size_t holds;  /* see program_holds(); 0 if it is measured all the same */
    bool apart;    /* it has a row of its own whatever other shapes its function has */
    struct program_group *one; /* that of all shapes of its function, which counts its launches; NULL: none */
    bool skipped;              /* the same, since no launch of it was to be measured in the first run */
    bool unrecorded;           /* it was, and there is no record, so that a further run measures it */
    char *launched_by;         /* by whom, as the process tells that launched it first, `teller`; NULL: not known */
    pid_t teller;              /* 0: none */

    /* For capturing: program_capture.c, program_pick.c. */
    size_t most;   /* launches that count, of that process which made most of them in the first run */
    size_t pick;   /* which of these is to be kept, from 1; 0: none */
    char *image;   /* name of the image of its machine code; NULL: not known */
    char *refused; /* why none was kept; "": one was; NULL: nothing was heard of it */
};

/* What else a run of the program had the GPU do. */
enum program_work {
    WORK_COPIES,
    WORK_COPY_BYTES,
    WORK_COPY_TIME,
    WORK_FILLS,
    WORK_FILL_BYTES,
    WORK_FILL_TIME,
    WORK_BUSY,    /* ns in which the GPU was busy while nothing was measured, */
    WORK_SPAN,    /* of so many between its first and its last work */
    WORK_REFUSED, /* launches that returned an error; simulated */
    WORK_SYNCHRONIZATIONS,
    WORK_ALLOCATIONS,
    WORK_HOST_COPY_BYTES,
    WORK_PAGEABLE_COPY_BYTES,
    WORK_STREAM_CALLS,
    WORK_LONGEST_CHAIN, /* of each process; simulated, */
    WORK_HOST_CALLS,
    WORK_PROGRAMMATIC,
    WORK_COPY_ROWS, /* likewise */
    WORK_ELAPSED,   /* ns from the first to the last work of each process, where it knows them */
    WORK_KINDS
};

/* What a process launched in the first run, of each group: how often, and how long those took that have a record. */
struct program_rank {
    long number; /* by its starter; -1: none told */
    struct program_share *launched;
    size_t count; /* of them, in the order of the groups; groups beyond were not launched */
};

struct program_groups {
    const struct run *baseline; /* what a check judges the run by; NULL: everything is measured */
    bool measures_all;          /* there is to be none */
    bool keeps_shapes;          /* however many a function has, each is a kernel */
    struct program_rank *ranks;
    size_t rank_count;
    struct program_group **list; /* groups of like launches, in the order in which their first launch came */
    size_t count;
    double *processes;        /* of each run that ended, how many processes launched */
    double *work[WORK_KINDS]; /* of each run that ended; NAN where a process did not tell */
    size_t runs;
    struct program_image *images; /* those that were read: program_code.c */
    size_t image_count;
};

/* Finds the group that a process describes, or adds it. *taken is NULL if there are `most` groups already. False: the
 * description makes no sense. */
bool program_group_take(struct program_groups *groups, const struct measurement *measurement, const char *folder,
                        int capability, const char *text, size_t most, struct program_group **taken);
/* Returns how long its launches took in the first run whose records tell, in ns; NAN: in none. */
double program_group_time(const struct program_group *group);
/* Returns how many groups have no time, where CUPTI makes records and the program as a whole is to have one. */
size_t program_untimed(const struct program_groups *groups, const struct metrics *metrics);
/* Returns the group with that id; NULL: there is none. */
struct program_group *program_group_find(const struct program_groups *groups, const char *id);
/* Checks that each glob means a group. -1 after error(), which suggests what was probably meant. */
int program_groups_expect(const struct program_groups *groups, char *const *globs, size_t count);
struct program_run;
/* Notes how often a run that has ended launched each group, how long that took, how many of its processes launched any,
 * and what they copied. */
void program_groups_end_run(struct program_groups *groups, const struct program_run *ended);
/* Sets how long the launches of each run took where no record tells, from the times that were measured so far:
 * program_times.c. */
void program_times_fill(const struct program_groups *groups, const struct measurement *measurement,
                        const struct run *run);
/* Takes off the rows of `time` what the profiler adds to a launch, so that they are as those of kernels that only
 * records time. Call it once, before rows of records are added. */
void program_times_correct(const struct program_groups *groups, const struct metrics *metrics, struct run *run);
/* Returns the median time of a group's measured launches; NAN: none was measured. result may be NULL. */
double program_measured_time(const struct metrics *metrics, const struct result *result);
/* Adds to the results how often each kernel was launched; and, if every kernel that was launched has numbers, a result
 * for the program: program_total.c. */
void program_total_add(const struct program_groups *groups, const struct measurement *measurement, struct run *run);
/* Adds the group, with an id until all functions are known. */
void program_group_add(struct program_groups *groups, struct program_group *group, const char *family);
/* Gives the groups their final ids when all are known, in the run as well. */
void program_groups_name(struct program_groups *groups, const char *family, struct run *run);
void program_groups_release(struct program_groups *groups);

/* ---- Machine code: program_code.c ---- */

/* Reads the code of each launch whose module is known. Launches with different code are of different groups. */
void program_group_find_code(struct program_groups *groups, struct program_group *group, const char *folder,
                             int capability);
/* Sets the code and machine facts of the launches, and adds the facts of machine code to the run's results. The names
 * are those of the images that the processes loaded. Their files are in the folder. */
void program_groups_add_code(struct program_groups *groups, const char *folder, char *const *names, size_t count,
                             const struct metrics *metrics, struct run *run);
/* Finds the image of each kernel's machine code, of those that the processes loaded. */
void program_groups_find_images(struct program_groups *groups, const char *folder, char *const *names, size_t count,
                                int capability);
void program_images_release(struct program_groups *groups);
/* Reads an image that a process left in the folder. NULL: there is none, or its content changed. Caller frees. */
char *program_image_read(const char *folder, const char *name, size_t *size);

/* ---- What the baseline knows: program_known.c ---- */

/* Sets the groups' baseline when the run is described. */
void program_known_begin(struct program_groups *groups, const struct measurement *measurement, const struct run *part);
/* Sets whether the group need not be measured: the baseline has its machine code in the same shape, with the time of
 * its launches, or it waits for others. */
void program_known_set(const struct program_groups *groups, const struct measurement *measurement,
                       struct program_group *group);

/* ---- Many shapes of one function: program_shapes.c ---- */

enum { PROGRAM_SHAPES = 16 }; /* so many have rows of their own */

/* Returns the group that the launches of one in the list are of: where its function has too many shapes that is
 * one for all of them, of which nothing is measured. */
struct program_group *program_shapes_take(struct program_groups *groups, struct program_group *group,
                                          const char *family);
/* Takes away what was measured of shapes before they were too many, and in passing. */
void program_shapes_forget(const struct program_groups *groups, struct run *run);

/* ---- Which launches are kept: program_pick.c ---- */

/* Chooses the launch of each group that is kept: number `asked` of its launches, or the middle one where that is 0. A
 * group of which none can be kept says why. Returns how many are kept. */
size_t program_pick(struct program_groups *groups, size_t asked);
/* Returns what a process is told of a group, for MESSAGE_GROUP, if it is to keep the launch that was picked. The images
 * are in the folder. Caller frees. */
char *program_pick_answer(const struct program_group *group, const char *folder);

/* ---- Its command: program_command.c ---- */

/* Returns the command as a user would type it, with the options that choose launches. Caller frees. */
char *program_command_text(const struct program *program);

/* ---- What it reads: program_input.c ----
 *
 * Every run is to read it from the beginning: a file is rewound; what comes through a pipe is handed on to the first
 * run as it comes, and kept for those that follow. A terminal is each run's own. */

struct program_input {
    int file;        /* the file that is rewound; -1: there is none */
    off_t beginning; /* where in the file the input begins */
    bool piped;      /* the file has what came through the pipe so far */
    int sink;        /* the pipe from which the first run reads; -1: none */
};

void program_input_open(struct program_input *input, bool repeats);
void program_input_close(struct program_input *input);

/* Makes what the runs read our standard input, from its beginning on: a program that is measured again reads the same.
 */
void program_input_rewind(const struct program_input *input);

/* Returns a descriptor for the next run to read from; -1: it reads our standard input. The caller closes it when the
 * run has begun. */
int program_input_begin(struct program_input *input);
/* program_input_event() returns what to wait for. Then program_input_pass() hands on what is there. */
struct pollfd program_input_event(const struct program_input *input);
void program_input_pass(struct program_input *input, const struct pollfd *event);
/* Notes that the first run reads no more. */
void program_input_end(struct program_input *input);

/* ---- What stands ready before it is started: program_setting.c ---- */

struct program_setting {
    char *injection; /* path of the library that is loaded into its processes */
    char *of_12;     /* the same for programs of CUDA 12 that are simulated, which in a wheel is another file */
    char *runtime;   /* where these find it in place of CUDA's runtime and driver; NULL: the driver of a GPU loads it */
    char *gpu;       /* description of the GPU that is simulated */
    char *folder;    /* where they leave files; it is removed with all that is in it */
    char *locks;     /* folder of the locks of GPUs; NULL: it is `folder`, so that only these processes wait */
    struct program_input input;
};

/* Of the program it says what can be done where it cannot be measured. repeats: it is run several times. Returns 0, or
 * an exit code after error(). */
int program_setting_open(struct program_setting *setting, const struct measurement *measurement, bool repeats);
void program_setting_close(struct program_setting *setting);

/* ---- One run of the program: program_run.c, program_lines.c, program_take.c ---- */

struct program_run {
    const struct measurement *measurement;
    struct program_groups *groups;
    struct program_setting *setting;
    size_t set;   /* index of the set of metrics that it begins with */
    bool further; /* only that set, and groups that are not complete; otherwise the set changes while it runs */
    bool keeps;   /* it measures nothing: the picked launch of each group is kept as a capsule */
    bool silent;  /* its output is not shown, since the first run has shown the same */

    /* The results of the run. */
    struct run part; /* each has one session of samples, in the order of the launches */
    size_t sets;     /* number of sets of metrics; 0: no process measured anything */
    size_t *set_of;  /* for each metric, in which set it is, counted from 1; 0: in none. NULL: as sets is 0 */
    char **images;   /* names of the images that its processes loaded */
    size_t image_count;
    size_t processes; /* number of processes that opened CUDA */
    size_t launching; /* number of those that launched something that is wanted */
    size_t telling;   /* number of those that told what they copied and set */
    double work[WORK_KINDS];
    size_t broken_off; /* those of them that ended without a last message, so that something may be missing */
    size_t lost;       /* launches whose counts were lost */
    size_t unwatched[UNWATCHED_REASONS]; /* launches of no group */
    char *failure;                       /* why a process could not measure; NULL: all could */
    char *trouble;                       /* why counts were lost; NULL: none were */
    int status;                          /* how the program ended, as a shell has it */
    bool interrupted, timed_out;
};

/* Adds to a profile what the group's launch counted by instruction, on the source line of each. */
void program_find_lines(const struct program_run *run, const struct program_group *group,
                        const struct profile *instructions, struct profile *profile);

/* Adds the samples of another result's rows to those of a result, which takes its estimated time if it has none. */
void program_join_rows(struct result *result, struct result *more);

/* The same of what is simulated, whose rows are sums over launches. Takes what is said of them. */
void program_join_simulated(const struct metrics *metrics, struct result *result, struct result *more);

/* Makes these sums what a launch counts in the mean of all that were counted. */
void program_divide(struct program_groups *groups, const struct metrics *metrics, struct run *part);

/* ---- What the first run lacks: program_lacks.c ---- */

/* Whether the first run launched the group in the first part of the program only: a warm-up, or an autotuner. */
bool program_group_is_of_first_part(const struct program_group *group);
/* Says which groups a set of metrics lacks, from 0: those that were launched while another set was counted, and have
 * less than `enough` samples. Sets `complete` of all groups accordingly, and returns how many are not. Without
 * is_whole, where processes did not tell what they missed, a group also lacks what it has in another set. */
size_t program_lacks(const struct program_groups *groups, const struct run *run, const struct metrics *metrics,
                     const size_t *set_of, size_t set, size_t enough, bool is_whole);
/* Whether no further run is made for a group of the first part. Its launches are more than `first`, so that set 0 has
 * all its samples, or take less than 1 % of the GPU time. */
bool program_group_is_spared(const struct program_groups *groups, const struct program_group *group, size_t first);
/* Sets `complete` of such groups, and returns how many were not. */
size_t program_spare_first_part(const struct program_groups *groups, size_t first);
/* Whether one of the groups that are not complete took 1 % of the first run's GPU time, all of them half of it, or
 * either may be. */
bool program_lack_matters(const struct program_groups *groups);
/* Whether all that no number was counted of takes little of the first run's GPU time together. */
bool program_lack_is_seldom(const struct program_groups *groups, const struct run *run);
/* A further run counts so many groups at most, those that took the most GPU time. Sets `complete` of the others that
 * are not, and returns how many these are. */
enum { PROGRAM_LACKING_MANY = 100 };
size_t program_drop_short(const struct program_groups *groups);
/* Whether the group lacks the set since another one was counted when it was launched, or counting was over. */
bool program_group_missed(const struct program_group *group, size_t set);
/* Returns which kernels have no row of some metric in a set, though neither the baseline has these nor the kernel waits
 * for others: how many, their part of the first run's GPU time, and the names of those that took most of it. NULL:
 * none. Caller frees. */
char *program_left_out(const struct program_groups *groups, const struct run *run, const struct metrics *metrics,
                       const size_t *set_of);
/* Puts the samples of a further run in place of a result's where it has more of them, and those in its place. */
void program_complete_rows(struct result *result, struct result *more);

/* ---- What its processes say: program_take.c ---- */

enum { PROGRAM_TOKEN = 16 /* characters */ };

/* One process of the program that opened CUDA. */
struct program_process {
    struct peer peer;
    char token[PROGRAM_TOKEN + 1]; /* begins all that it says once it was greeted: cugate's library has it, and the
                                    * program has to look for it there; empty until then */
    bool described, ended, told_work;
    long rank;       /* the number that its starter gave it; -1: none */
    struct run part; /* a result for each group that it was asked to measure */
    struct run cold; /* what stands where part has nothing: the launch of a group that was colder than the rest */
};

/* False when the process does not say what one says then. */
bool program_take(struct program_run *run, struct program_process *process, struct message *message);

/* Keeps the first reason why a process is not measured. */
__attribute__((format(printf, 2, 3))) void program_fail(struct program_run *run, const char *format, ...);

/* Adds libraries, a line "NAME IDENTITY" each, to a session. Other lines are left out. text is cut up. In
 * program_libraries.c. */
void program_libraries_take(struct session *session, char *text);

/* ---- The run ---- */

/* Returns how many launches were of no group, in program.c. */
size_t program_unwatched(const struct program_run *part);

/* Whether the program runs on a simulated GPU. */
bool program_is_simulated(const struct measurement *measurement);

/* -1 after error() when the program could not be started. */
int program_run(struct program_run *run);
void program_run_release(struct program_run *run);
