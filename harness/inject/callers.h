/* callers.h - who launches, and which libraries and packages are loaded. */
#pragma once

#include <stdbool.h>

/* ---- Who launches: callers.c, python.c ---- */

/* Returns who makes the launch that this thread is in, such as "model.py:42 (forward), libcublasLt.so.13.1.0.3". NULL:
 * it is not known. Caller frees. */
char *callers_tell(void);
void callers_begin(void);     /* called once before, without the mutex */
void python_begin(void);      /* has the interpreter of this process, if there is one, prepare to tell */
bool python_is_awaited(void); /* it has not prepared yet */
/* Returns the innermost line of the user's that this thread is at: "model.py:42 (forward)". NULL: it is not known, or
 * there is none. Caller frees. */
char *python_line(void);
/* Returns a line "NAME VERSION" for each package that was loaded when the interpreter ended. Caller frees. */
char *python_packages(void);

/* ---- Loaded libraries, libraries.c ---- */

/* Returns a line "NAME IDENTITY" for each that has or chooses kernels. Its identity is the build-id, else the size of
 * its file. Packages of Python's follow, with their versions. Caller frees. */
char *libraries_tell(void);
