/* support.h - for many tests: a scratch folder, and capturing standard error. */
#ifndef SUPPORT_H
#define SUPPORT_H

#include <stdio.h>

/* Makes an empty folder of this test's own. scratch_remove deletes it with its content, and frees its name. */
char *scratch_make(void);
void scratch_remove(char *folder);

/* Writes text into folder/name. Returns the path; caller frees. */
char *scratch_file(const char *folder, const char *name, const char *text);

/* Returns the path of a library that the Makefile builds beside this program: "libtables.so". Caller frees. */
char *built(const char *name);

/* Writes a run file atomically; -1 after error(). */
struct run;
int run_write_file(const struct run *run, const char *path);

/* Ends this test like a crash when it has used so many seconds of processor time. Criterion's .timeout would depend on
 * how busy the machine is. */
void limit_processor(unsigned seconds);

/* Between capture_begin and capture_end, standard error goes into a file. capture_end returns what was written; caller
 * frees. */
struct capture {
    FILE *file;
    int saved;
};
void capture_begin(struct capture *capture);
char *capture_end(struct capture *capture);

#endif
