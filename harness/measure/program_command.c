/* What a program is called, and its command as it is recorded. */
#include "program.h"

#include "base/base.h"

#include "program_parts.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- The name ---- */

/* Returns whether a word is an interpreter. People call its program by its first argument that is no option. */
static bool is_interpreter(const char *name)
{
    static const char *const words[] = {"python", "pypy", "bash", "sh", "dash", "perl", "ruby", "julia", "env"};
    for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
        const size_t length = strlen(words[i]);
        if (strncmp(name, words[i], length) == 0 && strspn(name + length, "0123456789.") == strlen(name + length))
            return true;
    }
    return false;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

/* Returns whether an option of an interpreter takes its value from the next word. */
static bool takes_value(const char *option)
{
    return strcmp(option, "-W") == 0 || strcmp(option, "-X") == 0 || strcmp(option, "-o") == 0;
}

/* Returns the word of the command by which people call it. */
static const char *telling_word(char *const *arguments, bool *is_module)
{
    const char *word = arguments[0];
    *is_module = false;
    for (char *const *next = arguments; is_interpreter(base_name(word)) && next[1];) {
        const char *was = word;
        while (*++next) {
            *is_module = strcmp(*next, "-m") == 0 && next[1];
            if (*is_module)
                return next[1];
            if (strcmp(*next, "-c") == 0)
                return word; /* the text of a program, given as an option */
            if (takes_value(*next) && next[1]) {
                next++;
            } else if (**next != '-' && !strchr(*next, '=')) {
                word = *next;
                break;
            }
        }
        if (word == was)
            break;
    }
    return word;
}

char *program_name(char *const *arguments)
{
    bool is_module;
    const char *word = base_name(telling_word(arguments, &is_module));
    const char *dot = is_module ? NULL : strrchr(word, '.'); /* dots in the name of a module are no file ending */
    const int length = (int)(dot && dot != word ? (size_t)(dot - word) : strlen(word));
    char *name = x_sprintf("%.*s", length < PROGRAM_NAME_MAX ? length : PROGRAM_NAME_MAX, word);
    for (char *c = name; *c; c++)
        *c = isalnum((unsigned char)*c) ? (char)tolower((unsigned char)*c) : '_';
    return name;
}

/* ---- The command ---- */

/* Adds the options that bound the part of the program that counts. False when all of it does. */
static bool put_bounds(const struct text *words, const struct program *program)
{
    const char *ranges[NVTX_MAX]; /* in whatever order they were given, they are the same part */
    fputs(program->waits ? "--from-start off " : "", words->stream);
    for (size_t i = 0; i < program->nvtx_count; i++)
        ranges[i] = program->nvtx[i];
    sort_by_name(ranges, program->nvtx_count, sizeof *ranges);
    for (size_t i = 0; i < program->nvtx_count; i++) {
        fputs("--nvtx ", words->stream);
        text_shell_word(words, ranges[i]);
        fputc(' ', words->stream);
    }
    return program->waits || program->nvtx_count > 0;
}

char *program_part_text(const struct program *program)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (!stream)
        die(EXIT_USAGE, "cannot allocate memory for the program's command");
    const bool is_bounded = put_bounds(&(struct text){.stream = stream}, program);
    fclose(stream);
    if (is_bounded) {
        text_make_harmless(text, ' ');
        text[strlen(text) - 1] = '\0'; /* the blank behind the last option */
        return text;
    }
    free(text);
    return NULL;
}

/* Adds the options that decide which launches are measured, as far as they were given. */
static void put_choice(const struct text *words, const struct program *program)
{
    const bool is_bounded = put_bounds(words, program);
    if (program->first == PROGRAM_FIRST && program->skip == 0 && !is_bounded)
        return;
    fprintf(words->stream, "--first %zu --skip %zu ", program->first, program->skip);
    fputs("-- ", words->stream);
}

char *program_command_text(const struct program *program, const char *other)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (!stream)
        die(EXIT_USAGE, "cannot allocate memory for the program's command");
    const struct text words = {.stream = stream};
    put_choice(&words, program);
    for (size_t i = 0; program->arguments[i] && !other; i++) {
        fputs(i > 0 ? " " : "", stream);
        text_shell_word(&words, program->arguments[i]);
    }
    fputs(other ? other : "", stream);
    fclose(stream);
    text_make_harmless(text, ' ');
    return text;
}
