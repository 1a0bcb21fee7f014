#include "command/command.h"
#include "test.h"

#define WORDS 6

Test(options_files, help_names_what_out_leaves)
{
    const char *name;
    for (size_t i = 0; (name = options_out_name(i)); i++)
        cr_expect(strstr(command_check.details, name), "%s", name);
}

static void expect_answer(const char *where, const char *text, const char *message)
{
    const struct command command = {.name = "check", .takes = command_check.takes, .maximum = -1};
    const char *words[WORDS + 2] = {command.name};
    const int count = 1 + (int)split_at(text, "|", words + 1, WORDS);
    OWNED(options) options;
    HEAR(result, options_parse(&options, &command, count, (char **)words));
    const bool fine = strcmp(message, "fine") == 0;
    cr_expect(result == (fine ? 0 : -1) && (fine || strstr(said, message)), "%s: %s", where, said);
}

Test(options_files, what_is_read_is_not_written)
{
    OWNED_TEXT here = getcwd(NULL, 0), *path = x_sprintf("%s/tests/unit/command/options_files.txt", here);
    OWNED_FOLDER folder = scratch_make();
    free(scratch_file(folder, "a", "a"));
    free(scratch_file(folder, "b", "b"));
    cr_assert_eq(chdir(folder), 0);
    cr_assert_eq(symlink("b", "link"), 0);
    each_text(path, expect_answer);
    cr_assert_eq(chdir("/"), 0);
}
