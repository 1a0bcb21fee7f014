/* The command of a program as it is recorded. */

#include "program_parts.h"

/* Adds the options that decide which launches are measured, as far as they were given. */
static void put_choice(const struct text *words, const struct program *program)
{
    OWNED_TEXT part = program_part_text(&program->part);
    if (program->first != PROGRAM_FIRST || program->skip > 0 || part)
        fprintf(words->stream, "%s%s--first %zu --skip %zu -- ", part ? part : "", part ? " " : "", program->first,
                program->skip);
}

char *program_command_text(const struct program *program)
{
    char *text = NULL;
    FILE *stream = x_memstream(&text, NULL);
    const struct text words = {.stream = stream};
    put_choice(&words, program);
    for (size_t i = 0; program->arguments[i] && !program->shell; i++) {
        fputs(i > 0 ? " " : "", stream);
        text_shell_word(&words, program->arguments[i]);
    }
    fputs(program->shell ? program->shell : "", stream);
    fclose(stream);
    text_make_harmless(text, ' ');
    return text;
}
