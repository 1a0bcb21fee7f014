/* supervised.h - a program that does not outlive this process, with all that it started: a worker whose time is over is
 * killed, and says nothing to anybody. */
#pragma once

#include "error.h"

#include <sys/types.h>

struct supervised {
    FILE *output;         /* to read what it says on standard output */
    pid_t program, guard; /* the guard ends the group of both when this process is gone */
    int life;             /* what the guard waits for */
    int errors;           /* what it said on standard error */
};

/* Starts the first of the words, a path, with the others; the list ends in NULL. It reads nothing. -1 with *problem. */
int supervised_start(struct supervised *supervised, const char *const *words, struct problem *problem);

/* Waits for its end, and ends what it left behind: its exit status, or -1. What it said on standard error is passed on
 * if that is not 0: NVIDIA's disassembler warns of cubins that it reads well. */
int supervised_end(struct supervised *supervised);
