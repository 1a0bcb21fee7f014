/* columns.h - how wide a terminal is. */
#pragma once

#include <stdio.h>

#define COLUMNS_LEAST 40 /* a narrower terminal is treated as if it had this width */

/* Returns the width of the terminal that the stream is, in columns, at least COLUMNS_LEAST; 0 when it is no
 * terminal. */
int terminal_columns(FILE *stream);
