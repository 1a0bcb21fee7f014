/* command.h - the commands; their rows are in main.c. Each returns an exit_code. */
#ifndef COMMAND_H
#define COMMAND_H

#include "measure/measure.h"

#include "options.h"

int cmd_list(const struct options *options);
int cmd_run(const struct options *options);
int cmd_compare(const struct options *options);
int cmd_check(const struct options *options);
int cmd_accept(const struct options *options);
int cmd_aa(const struct options *options);
int cmd_explain(const struct options *options);
int cmd_doctor(const struct options *options);

/* How a command line asks to measure, with progress when standard error is a terminal. Borrows from both; -1 after
 * error(). In options_measurement.c. */
int options_measurement(struct measurement *measurement, const struct options *options, const struct metrics *metrics);

#endif
