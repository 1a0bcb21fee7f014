/* list_capsules.h - the table of contents of a file of capsules. */
#pragma once

#include "capsule/capsule.h"

#include "command.h"

/* Prints a line for each capsule that -k chose, of the file that --kernels names. Returns an exit_code, after error().
 */
int list_capsules(const struct options *options);

/* Refuses a glob of -k that means no capsule of the file: -1 after error(), which suggests one. */
int capsules_check_globs(const struct capsules *capsules, const struct options *options);
