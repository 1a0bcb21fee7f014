#include "terminal.h"

#include "error.h"
#include "names.h"
#include "points.h"
#include "utf8.h"

#include <ctype.h>

#define UNIT_MAX 4 /* longest unit with its punctuation, in characters: "us),", "MB;" */

static const char *const inks[INKS] = {
    [INK_PLAIN] = "",       [INK_BOLD] = "\033[1m",    [INK_DIM] = "\033[2m",
    [INK_RED] = "\033[31m", [INK_YELLOW] = "\033[33m", [INK_GREEN] = "\033[32m",
};

/* Returns the position behind that many characters. */
static const char *skip(const char *text, size_t count)
{
    while (count-- > 0 && *text)
        (void)text_next(&text);
    return text;
}

char *text_cut(const char *text, size_t max)
{
    if (!*skip(text, max))
        return x_strdup(text);
    return x_sprintf("%.*s...", (int)(skip(text, max > 3 ? max - 3 : 0) - text), text);
}

char *text_cut_before(const char *text, size_t max)
{
    const size_t count = text_count(text);
    return count <= max ? x_strdup(text) : x_sprintf("...%s", skip(text, max > 3 ? count - max + 3 : count));
}

/* Formats into allocated memory. Caller frees. */
__attribute__((format(printf, 1, 0))) static char *format_text(const char *format, va_list list)
{
    char *words = NULL;
    va_list copy;
    va_copy(copy, list);
    if (vasprintf(&words, format, copy) < 0)
        words = x_strdup("?");
    va_end(copy);
    return words;
}

/* Makes a line harmless to GitHub's runners, which take "::" behind leading blanks for a command. */
static void spoil_command(char *line)
{
    line += strspn(line, " ");
    if (strncmp(line, "::", 2) == 0)
        *line = '?';
}

char *text_cut_middle(const char *text, size_t max)
{
    const size_t count = text_count(text);
    if (count <= max || max <= 3)
        return text_cut(text, max);
    const char *launch = strrchr(text, ID_OF_LAUNCH);
    const size_t tail = text_count(launch ? launch : text + point_begin(text)), half = (max - 3) / 2,
                 end = tail > half && tail <= (max - 3) * 3 / 4 ? tail : half, beginning = max - 3 - end;
    return x_sprintf("%.*s...%s", (int)(skip(text, beginning) - text), text, skip(text, count - end));
}

int text_width(const struct text *text)
{
    return text->columns > 0 && text->columns < TEXT_WIDTH ? text->columns : TEXT_WIDTH;
}

int text_room(const struct text *text)
{
    return text->columns > 0 ? text->columns : TEXT_WIDTH;
}

bool text_fits(const struct text *text, int columns)
{
    return columns <= text_room(text);
}

/* Formats a text without control characters. A newline in the format ends a line. A newline from an argument must not:
 * what follows could be a command to a CI server, or look like a line of ours. To tell the two apart, the format is
 * printed a second time without its own newlines. Caller frees. */
__attribute__((format(printf, 1, 0))) static char *harmless(const char *format, va_list list, int *columns)
{
    char *plain = x_strdup(format);
    for (char *at = plain; (at = strchr(at, '\n'));)
        *at = ' ';
    char *words = format_text(format, list),
         *foreign = format_text(plain, list); /* NOLINT: plain is a format as well */
    for (size_t i = 0; words[i]; i++) {
        if (words[i] == '\n' && foreign[i] == '\n')
            words[i] = ' ';
        else if (words[i] == '\n')
            spoil_command(&words[i + 1]);
    }
    *columns = text_make_harmless(words, '\n');
    free(foreign);
    free(plain);
    return words;
}

int text_print(const struct text *text, enum ink ink, const char *format, ...)
{
    const bool color = text->color && ink != INK_PLAIN;
    int columns;
    va_list list;
    va_start(list, format);
    OWNED_TEXT words = harmless(format, list, &columns);
    va_end(list);
    fprintf(text->stream, "%s%s%s", color ? inks[ink] : "", words, color ? "\033[0m" : "");
    return columns;
}

void print_harmless(const char *format, ...)
{
    int columns;
    va_list list;
    va_start(list, format);
    OWNED_TEXT words = harmless(format, list, &columns);
    va_end(list);
    spoil_command(words);
    fputs(words, stdout);
}

/* Returns the position behind the last two blanks of a line. What precedes them are cells of a table, which are not
 * wrapped. */
static const char *behind_cells(const char *line)
{
    const char *behind = line;
    for (const char *at = line; (at = strstr(at, "  ")); at += strspn(at, " "))
        behind = at + strspn(at, " ");
    return behind;
}

void print_wrapped(int indent, const char *format, ...)
{
    const struct text text = {.stream = stdout, .columns = terminal_columns(stdout)};
    int columns;
    va_list list;
    va_start(list, format);
    OWNED_TEXT line = harmless(format, list, &columns);
    va_end(list);
    spoil_command(line);
    if (text.columns == 0 || text_fits(&text, columns)) {
        puts(line);
    } else {
        const char *words = behind_cells(line);
        printf("%.*s", (int)(words - line), line);
        text_wrap(&text, INK_PLAIN, (int)text_count_of(line, (size_t)(words - line)), indent, words);
    }
}

/* Returns how many bytes of a word fit behind the column: those of one character at least. */
static int fitting(const struct text *text, int column, const char *word, int length)
{
    const char *end = word;
    do
        (void)text_next(&end);
    while (end < word + length && ++column < text_width(text));
    return (int)(end - word);
}

/* Returns the length of the next word. A number and its unit count as one: "17.8 M", "(86 %", "+11.5 us". */
static int word_length(const char *words)
{
    const size_t length = strcspn(words, " \n");
    const char *digits = words + strspn(words, "(+-<");
    if (*digits < '0' || *digits > '9' || words[length] != ' ')
        return (int)length;
    const char *behind = words + length + 1;
    const size_t unit = strcspn(behind, " \n");
    const bool is_unit = unit > 0 && unit <= UNIT_MAX && (*behind == '%' || isalpha((unsigned char)*behind));
    return (int)(is_unit ? length + 1 + unit : length);
}

void text_wrap(const struct text *text, enum ink ink, int column, int indent, const char *words)
{
    bool first = true;
    for (words += strspn(words, " \n"); *words; words += strspn(words, " \n")) {
        int length = word_length(words);
        const int wide = (int)text_count_of(words, (size_t)length);
        const bool too_wide = first && column > indent && column + wide > text_width(text);
        if (too_wide || (!first && column + 1 + wide > text_width(text))) {
            text_print(text, INK_PLAIN, "\n%*s", indent, "");
            column = indent;
            first = true;
        }
        /* A line must not begin with "::", which is a command to GitHub's runners. */
        const char *before = !first ? " " : strncmp(words, "::", 2) == 0 ? "?" : "";
        length = fitting(text, column + (int)strlen(before), words, length);
        column += text_print(text, ink, "%s%.*s", before, length, words);
        words += length;
        first = false;
    }
    text_print(text, INK_PLAIN, "\n");
}

void text_shell_word(const struct text *text, const char *word)
{
    static const char harmless[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%";
    if (*word && strspn(word, harmless) == strlen(word)) {
        text_print(text, INK_PLAIN, "%s", word);
        return;
    }
    text_print(text, INK_PLAIN, "'");
    while (*word) {
        const char *begin = word;
        if (text_next(&word) == '\'')
            text_print(text, INK_PLAIN, "'\\''");
        else
            text_print(text, INK_PLAIN, "%.*s", (int)(word - begin), begin);
    }
    text_print(text, INK_PLAIN, "'");
}

char *shell_word(const char *word)
{
    char *quoted = NULL;
    const struct text memory = {.stream = x_memstream(&quoted, NULL)};
    text_shell_word(&memory, word);
    fclose(memory.stream);
    return quoted;
}
