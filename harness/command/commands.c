#include "command.h"

/* To add a command: a file cmd_<name>.c, its declaration in command.h, and a row here, where one looks for what it
 * does.
 */
static const struct command *const table[] = {
    &command_check,  &command_compare, &command_accept, &command_explain, &command_bisect,     &command_init,
    &command_doctor, &command_list,    &command_aa,     &command_run,     &command_exec,       &command_import,
    &command_merge,  &command_capture, &command_prove,  &command_swap,    &command_completion,
};

/* What one wants with a command and those behind it. */
static const struct {
    const struct command *first;
    const char *wish;
} wishes[] = {
    {&command_check, "to judge"},
    {&command_explain, "to find the cause"},
    {&command_init, "to begin, and to see what there is"},
    {&command_run, "to keep numbers in a file, and judge nothing"},
    {&command_capture, "to work on kernels without their program"},
    {&command_completion, "to type less"},
};

const char *command_wish(const struct command *command)
{
    for (size_t i = 0; i < ARRAY_SIZE(wishes); i++)
        if (wishes[i].first == command)
            return wishes[i].wish;
    return NULL;
}

const struct command *const *commands(size_t *count)
{
    *count = ARRAY_SIZE(table);
    return table;
}
