/* support.h - for many tests: what is released at the end of a block, a scratch folder, and standard error captured. */
#pragma once

#include "base/base.h"

/* As OWNED_TEXT of base: a scratch folder. */
#define OWNED_FOLDER AT_END(folder_remove) char *

/* WITH(tear_down, struct fixture fixture, set_up(&fixture)) declares one, and sets it up. */
#define WITH(release, variable, set_up_call)                                                                           \
    AT_END(release) variable;                                                                                          \
    set_up_call

/* An initializer's braces and fields, for shorthands of rows. */
#define FIELDS(...)                                                                                                    \
    {                                                                                                                  \
        __VA_ARGS__                                                                                                    \
    }

/* EXPECT_ALL(a == 1, b < 2) expects each, and says which is false. */
const char *first_false(const char *conditions, const bool *are);
#define EXPECT_ALL(...)                                                                                                \
    do {                                                                                                               \
        const char *const false_ = first_false(#__VA_ARGS__, (const bool[]){__VA_ARGS__});                             \
        cr_expect_null(false_, "%s", false_);                                                                          \
    } while (0)

/* Makes an empty folder of this test's own. scratch_remove deletes it with its content, and frees its name. */
char *scratch_make(void);
void scratch_remove(char *folder);
static inline void folder_remove(char **folder)
{
    scratch_remove(*folder);
}

/* Writes text into folder/name. Returns the path; caller frees. */
char *scratch_file(const char *folder, const char *name, const char *text);

bool is_there(const char *path);

/* Writes bytes into a file. */
void write_bytes(const char *path, const void *bytes, size_t size);

/* Returns the bytes of a file, which must be there, with a NUL behind them. file_text returns "" for one that is not
 * there. Caller frees. */
void *bytes_of(const char *path, size_t *size);
char *file_text(const char *path);

/* Returns the path of a library that the Makefile builds beside this program: "libtables.so". Caller frees. */
char *built(const char *name);

/* Writes a run file atomically; -1 after error(). */
struct run;
int run_write_file(const struct run *run, const char *path);

/* Returns a run as the text of its file. Caller frees. */
char *run_text(const struct run *run);

/* Ends this test like a crash when it has used so many seconds of processor time. Criterion's .timeout would depend on
 * how busy the machine is. */
void limit_processor(unsigned seconds);

/* Calls child(self) in a process of its own, which must not return, and sends it the signals once it has said `when`.
 * Returns its exit code; *said is what it wrote to standard error, which the caller frees. */
int signalled(void (*child)(void *), void *self, const char *when, const int *signals, size_t count, char **said);

/* Between capture_begin and capture_end, standard error goes into a file. capture_end returns what was written; caller
 * frees. */
void capture_begin(void);
char *capture_end(void);

/* HEAR(result, call) declares the int that a call returns, and `said`, what it wrote to standard error. */
#define HEAR(result, call)                                                                                             \
    capture_begin();                                                                                                   \
    const int result = (call);                                                                                         \
    OWNED_TEXT said = capture_end()
