/* The command of a program as it is recorded. */
#include "program.h"

#include "base/base.h"

#include "program_parts.h"

#include <stdlib.h>
#include <string.h>

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
