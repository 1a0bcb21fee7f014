/* columns.h - how wide a terminal is. */
#ifndef COLUMNS_H
#define COLUMNS_H

#include <stdio.h>

#define COLUMNS_LEAST 40 /* what is written for a terminal that is narrower */

/* The columns of the terminal that a stream is, COLUMNS_LEAST at least; 0 when it is none. */
int terminal_columns(FILE *stream);

#endif
