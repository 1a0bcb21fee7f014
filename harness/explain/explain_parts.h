/* explain_parts.h - the parts of explain_make. Private to the explain*.c files. */
#ifndef EXPLAIN_PARTS_H
#define EXPLAIN_PARTS_H

#include "explain.h"

/* The part about launches. */
void explain_launches(struct explanation *explanation);

#endif
