/* commands.h - the commands; their rows are in main.c. Each returns an exit_code. */
#ifndef COMMANDS_H
#define COMMANDS_H

#include "options.h"

int cmd_list(const struct options *options);
int cmd_run(const struct options *options);
int cmd_compare(const struct options *options);
int cmd_check(const struct options *options);
int cmd_accept(const struct options *options);
int cmd_aa(const struct options *options);
int cmd_explain(const struct options *options);
int cmd_doctor(const struct options *options);

#endif
