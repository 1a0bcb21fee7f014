/* swapping.h - other machine code in captured kernels. */
#pragma once

#include "capsule/capsule.h"

#include "command.h"

/* Writes the capsules of `from` to `to`, with the code and the launch that the options of `cugate swap` say in those
 * that -k chose. With `warns` it warns of variables that only the code has. -1 after error(), and then nothing is
 * written. */
int swap_file(const struct options *options, const char *from, const char *to, bool warns);

/* Reads --tolerance and --type; 0 and VALUE_F32 without them. -1 after error(). */
int read_tolerance(const struct options *options, double *tolerance, enum value_type *type);

/* Sets the bits of the numbers of arguments, from 1, that an option has. -1 after error(). */
int read_arguments(const char *option, const char *text, uint64_t *bits);
