/* command.h - the commands, one a file, and what several of them share. The table is in commands.c. */
#pragma once

#include "measure/measure.h"

#include "options.h"

extern const struct command command_list, command_run, command_compare, command_check, command_accept, command_aa,
    command_explain, command_import, command_init, command_doctor, command_capture, command_swap, command_referee,
    command_task, command_bisect, command_merge;

/* Returns all commands, in the order of the help: those for one wish beside each other. */
const struct command *const *commands(size_t *count);

/* Prints what bash has to read once to complete commands, options and their arguments. In completion.c. */
void print_completion(void);

/* Fills in how the command line asks to measure, with a progress line if standard error is a terminal. Borrows from
 * options and metrics. -1 after error(). In options_measurement.c. */
int options_measurement(struct measurement *measurement, const struct options *options, const struct metrics *metrics);

/* options_measurement for a program, whose command is the arguments: fills in *program and the rest of *measurement.
 * The caller frees program->name. */
int options_program(struct program *program, struct measurement *measurement, const struct options *options);

/* Measures the program of `cugate run -- PROGRAM`. Returns its exit status unless that is 0, else an exit_code. */
int run_program(const struct options *options);

/* Replays the capsules of `cugate capture FILE.capsule`, and keeps those that reproduce. Returns an exit_code. */
int prove_file(const struct options *options);

/* Checks that the file of the kernel library exists. Otherwise -1 with the problem, which says who named it (a loader
 * could not); options_has_library() calls error() instead. In options_library.c. */
int options_find_library(const struct options *options, struct problem *problem);
int options_has_library(const struct options *options);

/* Says once, before anything is measured, that a library or a program has machine code without line information. A file
 * that has none, as Python's, is passed over. options_has_library() and options_program() do it. */
void options_note_lines(const struct options *options, const char *path);

/* Whether the kernel library is cugate's own, because nobody named another. */
bool options_library_is_own(const struct options *options);

/* Returns the time limit for a kernel, in seconds. */
double options_timeout(const struct options *options);
