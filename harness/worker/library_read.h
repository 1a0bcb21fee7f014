/* library_read.h - what a kernel library, which is loaded in another process, or a file of capsules contains. */
#pragma once

#include "model/model.h"

/* Starts a process that loads the library at `path` and reports its facts within `seconds`. A file of capsules is read
 * in this one. Returns 0, or an exit_code with *problem. EXIT_USAGE: it is no kernel library. EXIT_NOT_MEASURED: the
 * process died, hung or sent something impossible. EXIT_INTERRUPTED: a signal came. Then *facts is empty. Control
 * characters are removed from texts. */
int library_facts_read(struct library_facts *facts, const char *path, double seconds, struct problem *problem);
