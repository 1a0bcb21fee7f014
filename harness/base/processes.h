/* processes.h - the one place where processes are started and waited for. */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#define PROCESS_NOTHING (-1)   /* in place of a descriptor: /dev/null */
#define PROCESS_OWN_GROUP (-1) /* in place of a group: a new one, of which it is the first */

/* What to start, and with what. A field that is 0 leaves what this process has. */
struct process_start {
    /* A program, which is looked for on the PATH, and its arguments; ends in NULL. */
    const char *const *words;
    /* Or, where words is NULL, a function that is called in a copy of this process, which ends when it returns. Of this
     * process's files it has standard input, output and error, and `keep`. */
    void (*run)(const void *data);
    const void *data;
    int keep;

    int input, output, errors; /* descriptors that become 0, 1 and 2, or PROCESS_NOTHING */
    const char *folder;        /* where it runs */
    pid_t group;               /* of processes that it joins */
    const sigset_t *mask;      /* signals that it blocks */
    bool dies_with_us;         /* it is killed when this process ends */
};

/* -1 with errno: it could not be started, or there is no such program. */
pid_t process_start(const struct process_start *start);

/* The same, where start->output is set to a stream that the caller reads from and closes; NULL with errno. */
FILE *process_start_reading(const struct process_start *start, pid_t *process);

/* To be called first: where the parent ignores SIGCHLD, nobody would know how a process ends. Programs that are started
 * ignore it as before. */
void processes_know_ends(void);

/* Waits for its end: a status as waitpid() has it; -1 if nobody knows how it ended, which is no success. */
int process_wait(pid_t process);

/* Whether it ended within so many seconds; then *status is set as above, and it is waited for no more. */
bool process_ends_within(pid_t process, double seconds, int *status);

/* The exit code that a shell makes of a status: 128 + N after signal N; 255 if nobody knows. */
int process_exit_code(int status);
