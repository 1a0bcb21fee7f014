#include "exit_code.h"

/* To add an exit code: a constant in util.h, a row here, and its place in the precedence of verdict and README. */
static const struct exit_row {
    enum exit_code code;
    const char *name;
    const char *doc;
} table[] = {
    {EXIT_SAME, "same", "nothing is worse"},
    {EXIT_REGRESSED, "regressed", "at least one regression, or a declared one that is gone"},
    {EXIT_USAGE, "usage", "unknown option, or a file that cannot be read or written; nothing was judged"},
    {EXIT_UNSURE, "unsure", "inconclusive: nothing regressed, but something could not be decided"},
    {EXIT_BASELINE, "no baseline", "no baseline for this GPU, or it was made under other conditions"},
    {EXIT_NOT_MEASURED, "not measured", "no GPU, counters denied, or a kernel crashed, hung, was wrong or is missing"},
    {EXIT_INTERRUPTED, "interrupted", "stopped by Ctrl-C; what was measured until then is reported"},
};

const char *exit_code_name(enum exit_code code)
{
    for (size_t i = 0; i < ROWS(table); i++)
        if (table[i].code == code)
            return table[i].name;
    BUG("exit code %d has no name", (int)code);
}

void exit_code_help(FILE *stream)
{
    for (size_t i = 0; i < ROWS(table); i++)
        fprintf(stream, "  %3d  %s\n", (int)table[i].code, table[i].doc);
}
