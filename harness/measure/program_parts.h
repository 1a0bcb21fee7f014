/* program_parts.h - what the program*.c files share. Private to them. */
#ifndef PROGRAM_PARTS_H
#define PROGRAM_PARTS_H

#include "cubin/cubin.h"
#include "worker/worker.h"

#include "measure.h"

#include <poll.h>
#include <sys/types.h>

/* ---- Groups of launches: program_groups.c ---- */

struct program_launch {
    struct launch launch;
    char *module; /* name of its image of machine code; NULL where unknown */
};

/* Launches that are alike, in all runs and processes of the program. */
struct program_group {
    char *question; /* what names it: shapes, functions and their code */
    char *id;       /* for now: until all are known, two functions may have one short name */
    bool graph;
    struct program_launch *launches;
    size_t count;
    bool wanted;
    size_t times; /* launched, in the first run */
    size_t due;   /* of them: were to be measured */
};

struct program_groups {
    struct program_group **list; /* in the order in which they appeared */
    size_t count;
};

/* The group that a process describes, which is added when it is new; NULL when there are most already. False when it
 * says nonsense. */
bool program_group_take(struct program_groups *groups, const struct measurement *measurement, const char *directory,
                        int capability, const char *text, size_t most, struct program_group **taken);
/* By its id; NULL when there is none. */
struct program_group *program_group_find(const struct program_groups *groups, const char *id);
/* -1 after error() when a glob means none of them, which then tells what was probably meant. */
int program_groups_expect(const struct program_groups *groups, char *const *globs, size_t count);
/* Once all are known: the ids for good, in the run as well. */
void program_groups_name(struct program_groups *groups, const char *family, struct run *run);
void program_groups_release(struct program_groups *groups);

/* Sets code and machine of the launches, and adds the facts of machine code to the run's results; names are of the
 * images that the processes loaded, of whose files those count that are in the directory. */
void program_groups_add_code(const struct program_groups *groups, const char *directory, char *const *names,
                             size_t count, const struct metrics *metrics, struct run *run);

/* ---- What it reads: program_input.c ----
 *
 * Every run is to read it from the beginning: a file is rewound; what comes through a pipe is handed on to the first
 * run as it comes, and kept for those that follow. A terminal is each run's own. */

struct program_input {
    int file;        /* to be rewound; -1: none */
    off_t beginning; /* of it */
    bool piped;      /* file is what was kept of a pipe so far */
    int sink;        /* where the first run reads from, while it does; -1 */
};

void program_input_open(struct program_input *input, bool repeats);
void program_input_close(struct program_input *input);

/* A descriptor for the next run to read from; -1: as we have it. The caller closes it once the run has begun. */
int program_input_begin(struct program_input *input);
/* What to wait for; and what is to be done then: it hands on what is there. */
struct pollfd program_input_event(const struct program_input *input);
void program_input_pass(struct program_input *input, const struct pollfd *event);
/* The first run reads no more. */
void program_input_end(struct program_input *input);

/* ---- One run of the program: program_run.c, program_lines.c ---- */

struct program_run {
    const struct measurement *measurement;
    struct program_groups *groups;
    const char *directory;
    const char *locks;     /* directory for those of GPUs */
    const char *command;   /* another one, for the shell; or NULL for the program's own */
    const char *injection; /* path of the library that is loaded into its processes */
    struct program_input *input;
    size_t set;  /* of metrics, from 0 */
    bool silent; /* nobody wants to see the same output again */

    /* What came of it. */
    struct run part; /* results with one session of samples, in the order of the launches */
    size_t sets;     /* there are so many; 0: no process measured anything */
    char **images;   /* names of what its processes loaded */
    size_t image_count;
    size_t processes;       /* that opened CUDA */
    size_t broken_off;      /* of them: that did not come to their end, so that something may be missing */
    size_t lost, unwatched; /* launches: whose counts were lost; of no group */
    char *failure;          /* why a process could not measure, or NULL */
    char *trouble;          /* why it lost some, or NULL */
    int status;             /* as a shell has it */
    bool interrupted, timed_out;
};

/* Adds to a profile what the group's launch counted by instruction, each on its line of the source. */
void program_find_lines(const struct program_run *run, const struct program_group *group,
                        const struct profile *instructions, struct profile *profile);

/* Adds to a result's rows the samples of another's. */
void program_join_rows(struct result *result, const struct result *more);

/* -1 after error() when the program could not be started. */
int program_run(struct program_run *run);
void program_run_release(struct program_run *run);

#endif
