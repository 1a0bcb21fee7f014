/* error.h - error messages, exit codes, and allocation that ends the program when memory is exhausted. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The documented exit codes. They are constants, never counts. */
enum exit_code {
    EXIT_SAME = 0,         /* nothing is worse */
    EXIT_REGRESSED = 1,    /* at least one confirmed regression */
    EXIT_USAGE = 2,        /* unknown option, unreadable or malformed file; nothing was measured */
    EXIT_UNSURE = 3,       /* undecided: some row could not be judged */
    EXIT_BASELINE = 4,     /* no baseline for this GPU, or it does not match */
    EXIT_NOT_MEASURED = 5, /* no GPU, counters denied, a kernel crashed, hung or gave a wrong result */
    EXIT_INTERRUPTED = 130
};

/* Returns the gate's name for a code, one or two words: "same", "regressed", "unsure", "no baseline", ... */
const char *exit_code_name(enum exit_code code);

/* Returns what a code means for every command that does not say it otherwise, in words for --help. */
const char *exit_code_doc(enum exit_code code);

/* Prints the table of exit codes for --help. */
void exit_code_help(FILE *stream);

/* Prints "cugate: error: ..." and a newline to standard error. Always returns -1, for `return error("...")`. */
__attribute__((format(printf, 1, 2))) int error(const char *format, ...);

/* Print messages like error(), with "warning:" and "note:". They return nothing because the caller goes on. */
__attribute__((format(printf, 1, 2))) void warning(const char *format, ...);
__attribute__((format(printf, 1, 2))) void remark(const char *format, ...); /* a note */

/* An error message in one line, for a caller that decides what to do with it. `struct problem problem = {0}` is
 * none. */
struct problem {
    char text[1024];
};
/* Writes the message. Always returns -1, for `return problem_set(problem, ...)`. */
__attribute__((format(printf, 2, 3))) int problem_set(struct problem *problem, const char *format, ...);

/* Returns -1, or that code, from the function where the call returned -1, after it said why. */
#define TRY(call) TRY_AS(-1, call)
#define TRY_AS(code, call)                                                                                             \
    do {                                                                                                               \
        if ((call) < 0)                                                                                                \
            return code;                                                                                               \
    } while (0)

/* Returns the exit code from the function where the call did not end with EXIT_SAME. */
#define TRY_CODE(call)                                                                                                 \
    do {                                                                                                               \
        const int code_of_call = (call);                                                                               \
        if (code_of_call != EXIT_SAME)                                                                                 \
            return code_of_call;                                                                                       \
    } while (0)

/* Is the code, for `return FAIL(EXIT_USAGE, "...")`: error() says why. */
#define FAIL(code, ...) (error(__VA_ARGS__), (code))

/* From here on error() writes to *problem in this thread, and prints nothing; NULL: it prints. Returns what was set
 * before, so that a function that asks others can put it back. */
struct problem *error_into(struct problem *problem);

/* Calls error() and exits with the code. For commands only, never for library functions. */
__attribute__((format(printf, 2, 3), noreturn)) void die(enum exit_code code, const char *format, ...);

/* For what cannot happen: prints file and line and aborts. */
#define BUG(...) bug_at(__FILE__, __LINE__, __VA_ARGS__)
__attribute__((format(printf, 3, 4), noreturn)) void bug_at(const char *file, int line, const char *format, ...);

/* Allocate zeroed memory, or end the program with a message when memory is exhausted. Free with free(). */
void *x_calloc(size_t count, size_t size);
void *x_aligned(size_t alignment, size_t size); /* a multiple of the alignment is allocated */
void *x_realloc(void *memory, size_t count, size_t size);
char *x_strdup(const char *text); /* x_strdup(NULL) is NULL */
__attribute__((format(printf, 1, 2))) char *x_sprintf(const char *format, ...);
/* Puts more behind a text, in place of it; `between` goes before that unless the text is empty or NULL. */
__attribute__((format(printf, 3, 4))) void x_append(char **text, const char *between, const char *format, ...);
__attribute__((format(printf, 1, 0))) char *x_vsprintf(const char *format, va_list list);
void free_texts(char **texts, size_t count); /* each of them, and the list */
/* Writes to *text, which is whole after fclose(); its size may be NULL. */
FILE *x_memstream(char **text, size_t *size);

/* From here on these jump to *out in this thread where memory is exhausted; NULL: they end the program. Returns what
 * was set before. What is being changed then is lost: only what is certain not to be half done may be used again. */
jmp_buf *memory_into(jmp_buf *out);
bool memory_is_into(void); /* it is set: the program is not cugate's, so nothing is printed but error() */

/* Makes space for one more element at the end of a growing array, and returns that element zeroed. The array starts as
 * NULL and must grow by ARRAY_GROW alone, because its capacity follows from its count:
 *     struct row *row = ARRAY_GROW(result->rows, result->row_count); */
#define ARRAY_GROW(array, count) ((array) = x_grow((array), (count), sizeof *(array)), &(array)[(count)++])
void *x_grow(void *memory, size_t count, size_t size);

/* Makes space for one more element at index `place`: elements from there on move by one. */
#define ARRAY_INSERT(array, count, place)                                                                              \
    ((array) = x_insert((array), (count)++, sizeof *(array), (place)), &(array)[place])
void *x_insert(void *memory, size_t count, size_t size, size_t place);

/* A variable that is released at the end of its block: AT_END(tear_down) struct fixture fixture. OWNED(run) is a struct
 * run that run_release() releases so, OWNED_TEXT a text that is freed, and OWNED_MEMORY double *list other memory. */
#define AT_END(release) __attribute__((cleanup(release)))
#define OWNED(type) AT_END(type##_release) struct type
#define OWNED_TEXT AT_END(memory_free) char *
#define OWNED_MEMORY AT_END(memory_free)
static inline void memory_free(void *pointer)
{
    void *memory;
    memcpy(&memory, pointer, sizeof memory);
    free(memory);
}

/* Sorts a list, which may be empty and NULL. */
#define SORT(list, count, order) x_sort((list), (count), sizeof *(list), (order))
void x_sort(void *list, size_t count, size_t size, int (*order)(const void *, const void *));

/* For each element of a list: EACH(const struct result, result, run->results, run->result_count). */
#define EACH(type, name, list, count) for (type *name = (list); (size_t)(name - (list)) < (count); name++)

/* The first of so many places where something holds, or their count: FIRST(i, run->result_count, is_red(i)). Whether it
 * holds in any of them, and in all. */
#define FIRST(index, count, condition)                                                                                 \
    __extension__({                                                                                                    \
        size_t index = 0;                                                                                              \
        while (index < (count) && !(condition))                                                                        \
            index++;                                                                                                   \
        index;                                                                                                         \
    })
#define ANY(index, count, condition) (FIRST(index, count, condition) < (count))
#define ALL(index, count, condition) (!ANY(index, count, !(condition)))

/* The first such element of a list, or NULL: FIND(row, result->rows, result->row_count, row->state == state). */
#define FIND(name, list, count, condition)                                                                             \
    __extension__({                                                                                                    \
        __typeof__(&*(list)) name = (list), name##_end = name + (count);                                               \
        while (name < name##_end && !(condition))                                                                      \
            name++;                                                                                                    \
        name < name##_end ? name : NULL;                                                                               \
    })

#define ARRAY_SIZE(table) (sizeof(table) / sizeof((table)[0]))
