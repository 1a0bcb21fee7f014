/* command.h - the commands, one a file; their table is in commands.c. */
#ifndef COMMAND_H
#define COMMAND_H

#include "measure/measure.h"

#include "options.h"

extern const struct command command_list, command_run, command_compare, command_check, command_accept, command_aa,
    command_explain, command_import, command_doctor, command_exec, command_bisect, command_completion, command_merge;

/* All of them, in the order of the help. */
const struct command *const *commands(size_t *count);

/* How a command line asks to measure, with progress when standard error is a terminal. Borrows from both; -1 after
 * error(). In options_measurement.c. */
int options_measurement(struct measurement *measurement, const struct options *options, const struct metrics *metrics);

/* The same of a program, whose command is the arguments: *program and what *measurement needs of it. The name is the
 * caller's to free. */
int options_program(struct program *program, struct measurement *measurement, const struct options *options);

/* -1 with the problem where there is no file of the kernel library, which a loader would say without saying who named
 * it; options_has_library() is the same after error(). In options_library.c. */
int options_find_library(const struct options *options, struct problem *problem);
int options_has_library(const struct options *options);

/* Whether the library is one that is cugate's own: nobody named another. */
bool options_library_is_own(const struct options *options);

/* Seconds a kernel. */
double options_timeout(const struct options *options);

#endif
