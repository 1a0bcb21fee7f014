/* library_read.h - asks a kernel library, in another process, what it contains (library_facts.h). */
#pragma once

#include "model/model.h"

/* Starts a process that loads the library at `path` and reports its facts within `seconds`. Returns 0, or an exit_code
 * with *problem. EXIT_USAGE: it is no kernel library. EXIT_NOT_MEASURED: the process died, hung or sent something
 * impossible. EXIT_INTERRUPTED: a signal came. Then *facts is empty. Control characters are removed from texts. */
int library_facts_read(struct library_facts *facts, const char *path, double seconds, struct problem *problem);
