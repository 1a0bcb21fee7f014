#include "command.h"

/* To add a command: a file cmd_<name>.c, its declaration in command.h, and a row here. */
static const struct command *const table[] = {
    &command_list,   &command_run,     &command_merge, &command_exec,   &command_capture,    &command_prove,
    &command_swap,   &command_compare, &command_check, &command_accept, &command_aa,         &command_explain,
    &command_import, &command_bisect,  &command_init,  &command_doctor, &command_completion,
};

const struct command *const *commands(size_t *count)
{
    *count = ARRAY_SIZE(table);
    return table;
}
