/* support.h - what several tests need: a scratch directory, and the words of an error message. */
#ifndef SUPPORT_H
#define SUPPORT_H

#include <stdio.h>

/* A new empty directory of this test's own. scratch_remove deletes it with all that is in it, and frees its name. */
char *scratch_make(void);
void scratch_remove(char *directory);

/* Writes text into directory/name. Caller frees the path. */
char *scratch_file(const char *directory, const char *name, const char *text);

/* The path of a library that the Makefile builds beside this program: "libtables.so". Caller frees. */
char *built(const char *name);

/* Writes a run file, whole or not at all; -1 after error(). */
struct run;
int run_write_file(const struct run *run, const char *path);

/* Ends this test, as one that crashed, when it has taken that many seconds of a processor: other than Criterion's
 * .timeout, that does not depend on how busy the machine is. */
void limit_processor(unsigned seconds);

/* Between the two, standard error goes into a file; capture_end returns what was written. Caller frees. */
struct capture {
    FILE *file;
    int saved;
};
void capture_begin(struct capture *capture);
char *capture_end(struct capture *capture);

#endif
