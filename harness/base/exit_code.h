/* exit_code.h - the documented exit codes in words. */
#ifndef EXIT_CODE_H
#define EXIT_CODE_H

#include "util.h"

/* What the gate says of a code in one or two words: "same", "regressed", "unsure", "no baseline", ... */
const char *exit_code_name(enum exit_code code);

/* Prints the table for --help. */
void exit_code_help(FILE *stream);

#endif
