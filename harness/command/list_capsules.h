/* list_capsules.h - the table of contents of a file of capsules. */
#pragma once

#include "command.h"

/* Prints a line for each capsule that -k chose, of the file that --kernels names. Returns an exit_code, after error().
 */
int list_capsules(const struct options *options);
