#include "cubin/cubin_support.h"
#include "test.h"

static char *read_whole(const char *path, size_t *size)
{
    char *bytes;
    cr_assert_eq(file_read(path, 1 << 24, &bytes, size), 0);
    return bytes;
}

/* Whether the text has that line. */
static bool names(const char *text, const char *name)
{
    char *copy = x_strdup(text), *rest = NULL;
    bool found = false;
    for (char *line = strtok_r(copy, "\n", &rest); line && !found; line = strtok_r(NULL, "\n", &rest))
        found = strcmp(line, name) == 0;
    free(copy);
    return found;
}

Test(variables, what_a_program_can_reach_by_name_is_listed)
{
    size_t size = 0, lines = 0;
    OWNED_TEXT source = file_part("tests/unit/machine/sources.txt#variables");
    char *folder = scratch_make(), *cu = scratch_file(folder, "variables.cu", source);
    OWNED_TEXT cubin = x_sprintf("%s/variables.cubin", folder), *log = x_sprintf("%s/log", folder);
    compile_cuda((const char *const[8]){"-arch=sm_90", "-cubin", "-o", cubin, cu}, log);
    OWNED_TEXT bytes = read_whole(cubin, &size);
    char *text = cubin_variables(cubin, bytes, size);
    cr_assert_not_null(text);
    cr_expect(names(text, "weights"), "%s", text);
    cr_expect(names(text, "start"), "%s", text);
    cr_expect(names(text, "notes"), "%s", text);
    cr_expect_not(names(text, "tile"), "shared memory has no name: %s", text);
    for (const char *at = text; *at; at++)
        lines += *at == '\n';
    cr_expect_eq(lines, 4, "with the file's own: %s", text);
    free(text);
    free(cu);
    scratch_remove(folder);
}

Test(variables, bytes_that_are_no_machine_code_have_none)
{
    static const char bytes[] = "no machine code";
    struct problem problem = {""}, *before = error_into(&problem);
    cr_expect_null(cubin_variables("image.cubin", bytes, sizeof bytes));
    cr_expect(strstr(problem.text, "image.cubin"), "%s", problem.text);
    cr_expect_null(cubin_variables("image.cubin", bytes, 0));
    error_into(before);
}
