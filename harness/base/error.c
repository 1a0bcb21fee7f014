#include "error.h"

#include "columns.h"
#include "utf8.h"

#include <stdint.h>

/* To add an exit code: a constant in error.h, a row here, and its place in the precedence of verdicts and in README. */
static const struct exit_row {
    enum exit_code code;
    const char *name;
    const char *doc;
} table[] = {
    {EXIT_SAME, "same", "nothing is worse"},
    {EXIT_REGRESSED, "regressed", "a regression, or a declared regression that no longer occurs"},
    {EXIT_USAGE, "usage", "unknown option, or a file that cannot be read or written; nothing was judged"},
    {EXIT_UNSURE, "unsure", "inconclusive: nothing regressed, but some rows could not be decided"},
    {EXIT_BASELINE, "no baseline", "no baseline for this GPU, or it was made under other conditions"},
    {EXIT_NOT_MEASURED, "not measured", "no GPU, counters denied, or a kernel crashed, hung, was wrong or is missing"},
    {EXIT_INTERRUPTED, "interrupted", "stopped by Ctrl-C; finished measurements are reported"},
};

static const struct exit_row *find_exit(enum exit_code code)
{
    for (size_t i = 0; i < ARRAY_SIZE(table); i++)
        if (table[i].code == code)
            return &table[i];
    BUG("exit code %d has no name", (int)code);
}

const char *exit_code_name(enum exit_code code)
{
    return find_exit(code)->name;
}

const char *exit_code_doc(enum exit_code code)
{
    return find_exit(code)->doc;
}

void exit_code_help(FILE *stream)
{
    for (size_t i = 0; i < ARRAY_SIZE(table); i++)
        fprintf(stream, "  %3d  %s\n", (int)table[i].code, table[i].doc);
}

/* Breaks a long message for a terminal at blanks instead of within words. */
static void break_lines(char *text, int columns)
{
    char *blank = NULL;
    int column = 0;
    for (const char *at = text; *at;) {
        const char *begin = at;
        (void)text_next(&at);
        if (*begin == ' ')
            blank = text + (begin - text);
        if (++column > columns && blank) {
            *blank = '\n';
            column = (int)text_count_of(blank + 1, (size_t)(at - blank - 1));
            blank = NULL;
        }
    }
}

/* Prints a message by one call of fprintf, so that lines of two processes do not mix. Text from files may be hostile:
 * no control character reaches the terminal. Nor does a newline, since CI servers take commands from the beginning of a
 * line. */
__attribute__((format(printf, 2, 0))) static void say(const char *kind, const char *format, va_list list)
{
    char text[4096], line[4200];
    vsnprintf(text, sizeof text, format, list);
    text_make_harmless(text, ' ');
    snprintf(line, sizeof line, "cugate: %s: %s", kind, text);
    const int columns = terminal_columns(stderr);
    if (columns > 0)
        break_lines(line, columns);
    fprintf(stderr, "%s\n", line);
}

static _Thread_local jmp_buf *memory_taker;

jmp_buf *memory_into(jmp_buf *out)
{
    jmp_buf *before = memory_taker;
    memory_taker = out;
    return before;
}

bool memory_is_into(void)
{
    return memory_taker != NULL;
}

static _Thread_local struct problem *error_taker;

struct problem *error_into(struct problem *problem)
{
    struct problem *before = error_taker;
    error_taker = problem;
    return before;
}

int error(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    if (error_taker)
        vsnprintf(error_taker->text, sizeof error_taker->text, format, list);
    else
        say("error", format, list);
    va_end(list);
    return -1;
}

#define SAID(function, kind)                                                                                           \
    void function(const char *format, ...)                                                                             \
    {                                                                                                                  \
        va_list list;                                                                                                  \
        va_start(list, format);                                                                                        \
        if (!memory_taker)                                                                                             \
            say(kind, format, list);                                                                                   \
        va_end(list);                                                                                                  \
    }
SAID(warning, "warning")
SAID(remark, "note")

int problem_set(struct problem *problem, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(problem->text, sizeof problem->text, format, list);
    va_end(list);
    return -1;
}

void die(enum exit_code code, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    say("error", format, list);
    va_end(list);
    exit((int)code);
}

void bug_at(const char *file, int line, const char *format, ...)
{
    char text[1024];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    text_make_harmless(text, ' ');
    fprintf(stderr, "cugate: bug at %s:%d: %s\ncugate: please report this with the command line that led to it\n", file,
            line, text);
    abort();
}

__attribute__((noreturn)) static void out_of_memory(size_t count, size_t size)
{
    if (memory_taker)
        longjmp(*memory_taker, 1);
    die(EXIT_USAGE, "cannot allocate %zu x %zu bytes: free some memory, or choose fewer kernels with -k", count, size);
}

void *x_calloc(size_t count, size_t size)
{
    /* calloc(0, ...) may return NULL, which would look like "out of memory". */
    void *memory = calloc(count ? count : 1, size ? size : 1);
    if (!memory)
        out_of_memory(count, size);
    return memory;
}

void *x_aligned(size_t alignment, size_t size)
{
    if (size > SIZE_MAX - alignment)
        out_of_memory(1, size);
    void *memory = aligned_alloc(alignment, (size + alignment) / alignment * alignment);
    if (!memory)
        out_of_memory(1, size);
    return memset(memory, 0, size);
}

void *x_realloc(void *memory, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes))
        out_of_memory(count, size);
    void *larger = realloc(memory, bytes ? bytes : 1);
    if (!larger)
        out_of_memory(count, size);
    return larger;
}

char *x_strdup(const char *text)
{
    if (!text)
        return NULL;
    size_t size = strlen(text) + 1;
    return memcpy(x_calloc(size, 1), text, size);
}

char *x_vsprintf(const char *format, va_list list)
{
    char *text = NULL;
    if (vasprintf(&text, format, list) < 0)
        out_of_memory(1, strlen(format));
    return text;
}

char *x_sprintf(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    char *text = x_vsprintf(format, list);
    va_end(list);
    return text;
}

void x_append(char **text, const char *between, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    OWNED_TEXT before = *text, *more = x_vsprintf(format, list);
    va_end(list);
    *text = x_sprintf("%s%s%s", before ? before : "", before && *before ? between : "", more);
}

void x_sort(void *list, size_t count, size_t size, int (*order)(const void *, const void *))
{
    if (count > 0)
        qsort(list, count, size, order);
}

void free_texts(char **texts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(texts[i]);
    free(texts);
}

FILE *x_memstream(char **text, size_t *size)
{
    static _Thread_local size_t unasked;
    FILE *stream = open_memstream(text, size ? size : &unasked);
    if (!stream)
        out_of_memory(1, BUFSIZ);
    return stream;
}

void *x_grow(void *memory, size_t count, size_t size)
{
    /* The capacity is the count rounded up to a power of two, so it needs no member of its own. */
    if ((count & (count - 1)) == 0)
        memory = x_realloc(memory, count ? 2 * count : 1, size);
    memset((char *)memory + count * size, 0, size);
    return memory;
}

void *x_insert(void *memory, size_t count, size_t size, size_t place)
{
    char *list = x_grow(memory, count, size);
    memmove(list + (place + 1) * size, list + place * size, (count - place) * size);
    memset(list + place * size, 0, size);
    return list;
}
