/* program_parts.h - what the program*.c files share. Private to them. */
#ifndef PROGRAM_PARTS_H
#define PROGRAM_PARTS_H

#include "cubin/cubin.h"
#include "worker/worker.h"

#include "measure.h"

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
    size_t times;    /* launched, in the first run */
    size_t measured; /* of them */
};

struct program_groups {
    struct program_group **list; /* in the order in which they appeared */
    size_t count;
};

/* The group that a process describes; NULL when it says nonsense. */
struct program_group *program_group_take(struct program_groups *groups, const struct measurement *measurement,
                                         const char *directory, int capability, const char *text);
/* By its id; NULL when there is none. */
struct program_group *program_group_find(const struct program_groups *groups, const char *id);
/* Once all are known: the ids for good, in the run as well. */
void program_groups_name(struct program_groups *groups, const char *family, struct run *run);
void program_groups_release(struct program_groups *groups);

/* Sets code and machine of the launches, and adds the facts of machine code to the run's results; images are what the
 * processes loaded, of whose files those count that are in the directory. */
void program_groups_add_code(const struct program_groups *groups, const char *directory, char *const *images,
                             size_t image_count, const struct metrics *metrics, struct run *run);

/* ---- One run of the program: program_run.c ---- */

struct program_run {
    const struct measurement *measurement;
    struct program_groups *groups;
    const char *directory;
    const char *command; /* another one, for the shell; or NULL for the program's own */
    int input;           /* a descriptor to read from; -1: as we have it */
    size_t set;          /* of metrics, from 0 */
    bool silent;         /* nobody wants to see the same output again */

    /* What came of it. */
    struct run part;         /* results with one session of samples, in the order of the launches */
    size_t sets;             /* there are so many; 0: no process measured anything */
    char **images;           /* names of what its processes loaded */
    size_t image_count;
    size_t processes;        /* that opened CUDA */
    size_t broken_off;       /* of them: that did not come to their end, so that something may be missing */
    size_t lost, unwatched;  /* launches: whose counts were lost; of no group */
    char *failure;           /* why a process could not measure, or NULL */
    char *trouble;           /* why it lost some, or NULL */
    int status;              /* as a shell has it */
    bool interrupted, timed_out;
};

/* Adds to a result's rows the samples of another's, which has as many of each of its own. */
void program_join_rows(struct result *result, const struct result *more);

/* -1 after error() when the program could not be started. */
int program_run(struct program_run *run);
void program_run_release(struct program_run *run);

#endif
