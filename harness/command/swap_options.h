/* swap_options.h - options that say which code takes the place of a capsule's, and how it is judged. */
#pragma once

#include "command.h"

/* Reads the options of `cugate swap`. -1 after error(). */
int read_swap(const struct options *options, struct swap_request *request);

/* Reads --tolerance and --type; 0 and VALUE_F32 without them. -1 after error(). */
int read_tolerance(const struct options *options, double *tolerance, enum value_type *type);

/* Sets the bits of the numbers of arguments, from 1, that an option has. -1 after error(). */
int read_arguments(const char *option, const char *text, uint64_t *bits);
