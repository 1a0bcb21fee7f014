/* Commands that are too long for a line stay the same commands. */
#include "report/report_text.h"
#include "test.h"

/* Returns the arguments that a shell finds in the lines, one a line. Caller frees. */
static char *arguments_of(const char *command)
{
    char *script = x_sprintf("printf '%%s\\n' %s", command), *said = x_calloc(4096, 1);
    FILE *pipe = popen(script, "r"); /* NOLINT: a shell is what is asked */
    cr_assert_not_null(pipe);
    const size_t size = fread(said, 1, 4095, pipe);
    said[size] = '\0';
    cr_assert_eq(pclose(pipe), 0, "%s", script);
    free(script);
    return said;
}

Test(report_next, a_command_in_many_lines_is_the_same_to_a_shell)
{
    static const char *const commands[] = {
        "cugate accept run.json -k transpose/padded -m shared_wavefronts -m time --reason \"a b  c\"",
        "cugate explain 'train/softmax_warp_forward<float,float,float,10,true,false>@256,32x4'",
        "cugate accept 'my run'\\''s.json' --baselines 'other folder' -k 'a<b>/it'\\''s_a_long_name_of_a_kernel_@1,2'",
        "x",
    };
    for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
        for (int columns = 40; columns <= 140; columns += 7) {
            PRINT(OWNED_TEXT, lines, to,
                  text_command(&(struct text){.stream = to, .columns = columns}, 2, commands[i]));
            for (const char *line = lines; *line; line += strcspn(line, "\n") + 1)
                cr_expect_leq((int)strcspn(line, "\n"), columns, "%d columns: %s", columns, lines);
            OWNED_TEXT wanted = arguments_of(commands[i]), *got = arguments_of(lines);
            cr_expect_str_eq(got, wanted, "%d columns:\n%s", columns, lines);
        }
}
