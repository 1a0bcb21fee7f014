/* kept_files.h - what is kept between runs: files in cugate's folder of the user's cache. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

/* Opens the folder, and makes it if need be. What is kept there is believed, so a folder to which others may write is
 * not used, after a warning, the first time, that `what` is not kept. -1: there is none. */
int kept_open(const char *what);
/* Opens what is kept by that name; NULL: nothing is, or others may have written it. */
FILE *kept_read(int folder, const char *name);
/* Opens a file that is kept by that name once it is whole. NULL: it cannot be written. */
FILE *kept_begin(int folder, const char *name);
void kept_end(FILE *stream, int folder, const char *name, bool is_whole);
