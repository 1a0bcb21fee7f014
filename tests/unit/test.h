/* test.h - the head of unit tests: Criterion, base, support.h, and of the C library what most of them use. */
#pragma once

#include "base/base.h"
#include "model/session.h"
#include "support.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <sys/stat.h>

/* Whether a text has a word, or all or none of several. */
void expect_word(const char *text, const char *word);
void expect_no_word(const char *text, const char *word);
void expect_each(const char *text, void (*expect)(const char *, const char *), const char *const *words);
#define expect_words(text, ...) expect_each(text, expect_word, (const char *const[]){__VA_ARGS__, NULL})
#define expect_no_words(text, ...) expect_each(text, expect_no_word, (const char *const[]){__VA_ARGS__, NULL})

/* PRINT(OWNED_TEXT, text, stream, call) declares what a call prints to `stream`. */
#define PRINT(type, text, stream, call)                                                                                \
    type text = NULL;                                                                                                  \
    size_t text##_size = 0;                                                                                            \
    FILE *stream = x_memstream(&text, &text##_size);                                                                   \
    call;                                                                                                              \
    fclose(stream)

/* DO(name(int *memory), call) is a static function that does this, for a row that names it. */
#define DO(signature, call)                                                                                            \
    static void signature                                                                                              \
    {                                                                                                                  \
        call;                                                                                                          \
    }                                                                                                                  \
    _Static_assert(true, "")

/* For .init and .fini: a folder of the test's own, and one in which it is. */
extern char *scratch;
void scratch_begin(void);
void scratch_enter(void);
void scratch_leave(void);

/* Starts a process that does this and then waits until it is killed. */
pid_t process_that(void (*does)(const void *self), const void *self);
void process_kill(pid_t process);

/* Returns the row of a kernel, which must exist. */
struct run;
struct row *made_row(const struct run *run, const char *kernel, const char *metric);

/* Replaces a text by a copy of another, or by NULL. */
void set_text(char **text, const char *to);

/* Gives a row one value, in place of what it had. */
struct result;
void set_value(struct result *result, const char *metric, double value);

/* Adds a session that has only this fact. */
void put_fact(struct run *run, enum session_fact fact, const char *text);

/* A number, and what a row has of one session at most. */
struct value;
struct value measured(double number);
void expect_value(const struct result *result, const char *metric, struct value expected);

/* Gives each text of a file to a function, with what must come of it and where it stands. A line is `TEXT => WORDS`,
 * with \n, \t, \\ and \xHH. `let NAME TEXT` names a frame: a text with ~, for which what follows NAME in a line is put,
 * or one that stands for NAME in any line. Frames may be in frames. `FILE#PART` is the part of the file behind a line
 * `## PART`. */
void each_text(const char *path, void (*expect)(const char *where, const char *text, const char *words));

/* Returns the text of a part: FILE#PART. Caller frees. */
char *file_part(const char *path);

/* A test that does no more than that. */
#define TEXTS(suite, name, path, expect)                                                                               \
    Test(suite, name)                                                                                                  \
    {                                                                                                                  \
        each_text(path, expect);                                                                                       \
    }

/* A test that does no more than expect_texts(). */
#define REFUSED_TEXTS(suite, name, path, read)                                                                         \
    Test(suite, name)                                                                                                  \
    {                                                                                                                  \
        expect_texts(path, read);                                                                                      \
    }

/* Returns what is written by that letter behind a backslash, n, t, r or xHH, at whose end it leaves the letter. */
char unescaped(const char **letter);

/* For these functions. The text before a mark, which is cut off; all parts between marks; and the number with which a
 * text begins. */
const char *cut_at(const char **text, const char *mark);
size_t split_at(const char *text, const char *mark, const char **parts, size_t most);
double leading_number(const char **text);

/* The same with a reader, which refuses a text with these words in one line, or takes it where they are `read`. */
void expect_texts(const char *path, int (*read)(const char *text));
