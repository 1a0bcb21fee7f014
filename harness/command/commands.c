#include "command.h"

/* To add a command: a file cmd_<name>.c, its declaration in command.h, and a row here, where one looks for what it
 * does.
 */
static const struct command *const table[] = {
    &command_check,   &command_compare, &command_accept,  &command_explain, &command_bisect, &command_init,
    &command_doctor,  &command_list,    &command_aa,      &command_run,     &command_import, &command_merge,
    &command_capture, &command_swap,    &command_referee, &command_task,
};

const struct command *const *commands(size_t *count)
{
    *count = ARRAY_SIZE(table);
    return table;
}
