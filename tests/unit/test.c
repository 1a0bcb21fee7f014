#include "test.h"
#include "model/model.h"

#include <signal.h>
#include <sys/wait.h>

void expect_word(const char *text, const char *word)
{
    cr_expect_not_null(strstr(text, word), "expected \"%s\" in:\n%.9999s", word, text);
}

void expect_no_word(const char *text, const char *word)
{
    cr_expect_null(strstr(text, word), "did not expect \"%s\" in:\n%.9999s", word, text);
}

void expect_each(const char *text, void (*expect)(const char *, const char *), const char *const *words)
{
    for (; *words; words++)
        expect(text, *words);
}

void set_text(char **text, const char *to)
{
    char *const before = *text;
    *text = x_strdup(to);
    free(before);
}

char *scratch;

void scratch_begin(void)
{
    scratch = scratch_make();
}

void scratch_enter(void)
{
    scratch_begin();
    cr_assert_eq(chdir(scratch), 0);
}

void scratch_leave(void)
{
    scratch_remove(scratch);
}

pid_t process_that(void (*does)(const void *self), const void *self)
{
    int ends[2];
    char byte;
    cr_assert_eq(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
        does(self);
        if (write(ends[1], "", 1) == 1)
            pause();
        _exit(1);
    }
    close(ends[1]);
    cr_assert_eq(read(ends[0], &byte, 1), 1);
    close(ends[0]);
    return child;
}

void process_kill(pid_t process)
{
    kill(process, SIGKILL);
    waitpid(process, NULL, 0);
}

struct row *made_row(const struct run *run, const char *kernel, const char *metric)
{
    const struct result *result = run_find(run, kernel);
    cr_assert_not_null(result, "%s", kernel);
    struct row *row = result_find(result, metric);
    cr_assert_not_null(row, "%s of %s", metric, kernel);
    return row;
}

void set_value(struct result *result, const char *metric, double value)
{
    struct row *row = result_add(result, metric);
    row_clear(row);
    row_add_session(row, &value, 1);
}

void put_fact(struct run *run, enum session_fact fact, const char *text)
{
    ARRAY_GROW(run->sessions, run->session_count)->facts[fact] = x_strdup(text);
}

struct value measured(double number)
{
    return (struct value){VALUE_MEASURED, number};
}

void expect_value(const struct result *result, const char *metric, struct value expected)
{
    const struct row *row = result_find(result, metric);
    cr_assert_not_null(row, "%s", metric);
    cr_expect_eq(row->state, expected.state, "%s: %s", metric, value_state_name(row->state));
    cr_expect_eq(row->session_count, expected.state == VALUE_MEASURED ? 1 : 0, "%s", metric);
    if (row->session_count == 1)
        cr_expect_eq(row_value(row), expected.number, "%s: %.17g", metric, row_value(row));
}

/* ---- Files of texts, and what comes of each ---- */

enum { MOST_FRAMES = 16 };
struct frame {
    char *name, *before, *after; /* what is written before and behind a text; after: NULL: it stands for itself */
};

char unescaped(const char **letter)
{
    static const char digits[] = "0123456789abcdef";
    if (**letter == 'x') {
        *letter += 2;
        return (char)(16 * (strchr(digits, (*letter)[-1]) - digits) + strchr(digits, **letter) - digits);
    }
    return **letter == 'n' ? '\n' : **letter == 't' ? '\t' : **letter == 'r' ? '\r' : **letter;
}

static char *unescape(char *text)
{
    char *to = text;
    for (const char *p = text; *p; p++)
        *to++ = *p == '\\' && p++ ? unescaped(&p) : *p;
    *to = '\0';
    return text;
}

/* Puts frames that stand for themselves where they are named, and the text into the frame that its first word names. */
static char *framed(const struct frame *frames, size_t count, const char *text)
{
    char *whole = x_strdup(text);
    EACH(const struct frame, frame, frames, count) {
        const size_t length = strlen(frame->name);
        for (char *at; (at = strstr(whole, frame->name)) && (!frame->after || at == whole);) {
            *at = '\0';
            at += length + (frame->after && at[length] == ' ');
            x_append(&whole, "", "%s%s%s", frame->before, at, frame->after ? frame->after : "");
        }
    }
    return whole;
}

const char *cut_at(const char **text, const char *mark)
{
    char *const before = (char *)*text, *const at = strstr(before, mark);
    cr_assert(at, "\"%s\" is missing in %s", mark, before);
    *at = '\0';
    *text = at + strlen(mark);
    return before;
}

size_t split_at(const char *text, const char *mark, const char **parts, size_t most)
{
    size_t count = 0;
    for (char *rest = (char *)text, *part; (part = strsep(&rest, mark)); parts[count++] = part)
        cr_assert_lt(count, most, "%s", part);
    return count;
}

double leading_number(const char **text)
{
    char *end;
    const double number = strtod(*text, &end);
    cr_assert(end > *text, "a number is missing in %s", *text);
    *text = end;
    return number;
}

void each_text(const char *path, void (*expect)(const char *where, const char *text, const char *words))
{
    struct frame frames[MOST_FRAMES];
    size_t count = 0, tried = 0;
    OWNED_TEXT name = x_strdup(path);
    char *const part = strchr(name, '#');
    if (part)
        *part = '\0';
    OWNED_TEXT file = file_text(name);
    char *rest = file;
    bool in_part = !part;
    for (size_t n = 1; rest; n++) {
        char *line = strsep(&rest, "\n"), where[128];
        snprintf(where, sizeof where, "%s:%zu", name, n);
        if (part && strncmp(line, "## ", 3) == 0)
            in_part = strcmp(line + 3, part + 1) == 0;
        if (*line == '\0' || *line == '#' || !in_part)
            continue;
        if (strncmp(line, "let ", 4) == 0) {
            char *of = line + 4, *text = strchr(of, ' ');
            cr_assert(text && count < MOST_FRAMES, "%s: %s", where, line);
            *text++ = '\0';
            char *whole = framed(frames, count, text), *const hole = strchr(whole, '~');
            if (hole)
                *hole = '\0';
            frames[count++] = (struct frame){of, whole, hole ? hole + 1 : NULL};
            continue;
        }
        char *words = strstr(line, " => ");
        cr_assert(words, "%s: there is no =>: %s", where, line);
        *words = '\0';
        OWNED_TEXT text = framed(frames, count, line);
        expect(where, unescape(text), unescape(words + strlen(" => ")));
        tried++;
    }
    cr_assert_gt(tried, 0, "%s has no text", path);
    while (count > 0)
        free(frames[--count].before);
}

char *file_part(const char *path)
{
    OWNED_TEXT name = x_strdup(path);
    char *const part = strchr(name, '#');
    *part = '\0';
    OWNED_TEXT file = file_text(name), *head = x_sprintf("\n## %s\n", part + 1);
    char *const from = strstr(file, head);
    cr_assert(from, "%s is missing", path);
    char *const text = from + strlen(head), *const end = strstr(text, "\n## ");
    return x_sprintf("%.*s", end ? (int)(end - text) : (int)strlen(text), text);
}

static int (*reader)(const char *text);

static void expect_said(const char *where, const char *text, const char *words)
{
    HEAR(result, reader(text));
    cr_expect_eq(result, strcmp(words, "read") == 0 ? 0 : -1, "%s: %s", where, said);
    cr_expect(result == 0 || strstr(said, words), "%s: \"%s\" lacks \"%s\"", where, said, words);
    cr_expect(result == 0 || strchr(said, '\n') == said + strlen(said) - 1, "%s: %s", where, said);
}

void expect_texts(const char *path, int (*read)(const char *text))
{
    reader = read;
    each_text(path, expect_said);
}
