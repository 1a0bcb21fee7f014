/* library_read.h - asks a kernel library what it says of itself (library_facts.h), in a process of its own. */
#ifndef LIBRARY_READ_H
#define LIBRARY_READ_H

#include "base/base.h"
#include "model/model.h"

/* Lets a process of its own load the library at `path` and tell, within `seconds`. 0, or with *problem
 * EXIT_USAGE when it is no kernel library, EXIT_NOT_MEASURED when the process died, hung or told nothing that can
 * be true, EXIT_INTERRUPTED after a signal. Then *facts is empty. Texts have no control characters. */
int library_facts_read(struct library_facts *facts, const char *path, double seconds, struct problem *problem);

#endif
