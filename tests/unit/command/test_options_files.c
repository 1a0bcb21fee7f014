#include "command/command.h"
#include "test.h"

#include <unistd.h>

#define WORDS 6

Test(options_files, help_names_what_out_leaves)
{
    const char *name;
    for (size_t i = 0; (name = options_out_name(i)); i++)
        cr_expect(strstr(command_check.details, name), "%s", name);
}

Test(options_files, what_is_read_is_not_written)
{
    static const struct {
        const char *words[WORDS];
        const char *message; /* expected error message; NULL: the files are accepted */
    } rows[] = {
        {{"a", "b", "-o", "b"}, "-o b would overwrite b, which is read here"},
        {{"a", "b", "-o", "a"}, "-o a would overwrite a"},
        {{"a", "b", "-o", "./b"}, "-o ./b would overwrite b"},
        {{"a", "b", "-o", "link"}, "-o link would overwrite b"},
        {{"--replay", "a", "-o", "a"}, "-o a would overwrite a"},
        {{"--replay", "absent", "-o", "absent"}, "-o absent would overwrite absent"},
        {{"--kernels", "a", "-o", "a"}, "-o a would overwrite a"},
        {{"--against", "b", "-o", "link"}, "-o link would overwrite b"},
        {{"--against", "b", "--save", "b"}, "--save b would overwrite b"},
        {{"--save", "new", "-o", "new"}, "--save new and -o new name the same file"},
        {{"--save", "./new", "-o", "new"}, "--save ./new and -o new name the same file"},
        {{"--save", "../new", "-o", "new"}, NULL},
        {{"--save", "absent/new", "-o", "absent/new2"}, NULL},
        {{"--save", "link", "-o", "b"}, "--save link and -o b name the same file"},
        {{"--save", "-"}, "--save - and the report on - name the same file"},
        {{"--save", "-", "-o", "new", "--report=json=-"}, "--save - and --report json=- name the same file"},
        {{"a", "b", "-o", "new"}, NULL},
        {{"-", "b", "-o", "-"}, NULL},
        {{"--replay", "a", "--save", "b", "-o", "new"}, NULL},
        {{"a", "b", "--report", "json=./b"}, "--report json=./b would overwrite b, which is read here"},
        {{"--replay", "a", "--report", "json=a"}, "--report json=a would overwrite a"},
        {{"-o", "new", "--report", "json=./new"}, "-o new and --report json=./new name the same file"},
        {{"--save", "new", "--report", "json=new"}, "--save new and --report json=new name the same file"},
        {{"--report=json=new", "--report=junit=new"}, "--report json=new and --report junit=new name the same file"},
        {{"--report=json=new", "--report=junit=new2", "-o", "new3"}, NULL},
        {{"--report=json=-", "--report=github=-"}, NULL},
        {{"--out", "new", "--out", "new2"}, NULL},
        {{"--out", "new", "--out", "new"}, "--out new and --out new name the same file"},
        {{"--out", ".", "--save", "run.json"}, "--save run.json and --out . name the same file"},
        {{"--out", ".", "--report", "junit=junit.xml"}, "--report junit=junit.xml and --out . name the same file"},
        {{"--out", ".", "--kernels", "run.json"}, "--out . would overwrite run.json"},
        {{"--out", ".", "--replay", "run.json"}, NULL},
        {{"--out", ".", "--replay", "check.json"}, "--out . would overwrite check.json"},
    };
    const struct command command = {.name = "check", .takes = command_check.takes, .maximum = -1};
    OWNED_FOLDER folder = scratch_make();
    free(scratch_file(folder, "a", "a"));
    free(scratch_file(folder, "b", "b"));
    cr_assert_eq(chdir(folder), 0);
    cr_assert_eq(symlink("b", "link"), 0);
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        OWNED(options) options;
        char *argv[WORDS + 2] = {(char *)command.name};
        capture_begin();
        int argc = 1;
        for (; argc <= WORDS && rows[i].words[argc - 1]; argc++)
            argv[argc] = (char *)rows[i].words[argc - 1];
        argv[argc] = NULL;
        const int result = options_parse(&options, &command, argc, argv);
        OWNED_TEXT said = capture_end();
        cr_expect_eq(result, rows[i].message ? -1 : 0, "row %zu: %s", i, said);
        cr_expect(!rows[i].message || strstr(said, rows[i].message), "row %zu: %s", i, said);
    }
    cr_assert_eq(chdir("/"), 0);
}
