#include "test.h"
#include "worker/library.h"

/* Expects that the library is refused with these words, and that nothing is left open. */
static void expect_refused(const char *label, const char *path, const char *words, const char *remedy)
{
    struct library library;
    struct problem problem = {0};
    cr_expect_eq(library_open(&library, path, &problem), -1, "%s was accepted", label);
    cr_expect(strstr(problem.text, words) && strstr(problem.text, remedy), "%s: \"%s\" lacks \"%s\" or \"%s\"", label,
              problem.text, words, remedy);
    cr_expect_null(library.handle, "%s", label);
    cr_expect_null(library.kernels, "%s", label);
    cr_expect_eq(library.count, 0, "%s", label);
}

Test(library, a_family_may_be_there_at_several_points)
{
    OWNED_TEXT path = built("libtables.so");
    AT_END(library_close) struct library library;
    struct problem problem = {0};
    setenv("TABLE_FAULT", "two points", 1);
    cr_assert_eq(library_open(&library, path, &problem), 0, "%s", problem.text);
    static const char *const ids[] = {"one/a[n=16M]", "one/b_2[n=16M]", "one/a[n=1000,type=half]",
                                      "one/b_2[n=1000,type=half]"};
    cr_assert_eq(library.count, ARRAY_SIZE(ids));
    for (size_t i = 0; i < ARRAY_SIZE(ids); i++)
        cr_expect_str_eq(library.kernels[i].id, ids[i]);
    char *const globs[] = {"one/*[n=16M]", "*[n=1024]", "nothing"};
    cr_expect_null(library_unmatched(&library, globs, 1));
    cr_expect_eq(library_unmatched(&library, globs, 3), globs[1]);
}

Test(library, a_path_without_a_slash_is_a_file_here)
{
    OWNED_TEXT folder = program_folder();
    cr_assert_eq(chdir(folder), 0);
    AT_END(library_close) struct library library;
    struct problem problem = {0};
    cr_expect_eq(library_open(&library, "libtables.so", &problem), 0, "%s", problem.text);
    /* dlopen would find this name in a system folder. */
    expect_refused("libm.so.6", "libm.so.6", "./libm.so.6: cannot open", "--kernels");
}

Test(library, what_is_no_kernel_library_is_refused)
{
    OWNED_FOLDER folder = scratch_make();
    OWNED_TEXT text = scratch_file(folder, "text.so", "no shared object\n");
    OWNED_TEXT empty = scratch_file(folder, "empty.so", "");
    OWNED_TEXT other = built("libother.so");
    const struct {
        const char *path, *words, *remedy;
    } cases[] = {
        {"/no/such/lib.so", "/no/such/lib.so: cannot open shared object file", "build it again"},
        {folder, folder, "--kernels"},
        {text, "text.so: ", "--kernels"},
        {empty, "empty.so: ", "--kernels"},
        {"", "cannot load the kernel library", "--kernels"},
        {other, "libother.so is not a kernel library: it does not export cugate_library()",
         "CUGATE_LIBRARY of kernel.hpp"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
        expect_refused(cases[i].path, cases[i].path, cases[i].words, cases[i].remedy);
}

static void expect_fault(const char *where, const char *fault, const char *words)
{
    OWNED_TEXT path = built("libtables.so");
    setenv("TABLE_FAULT", fault, 1);
    expect_refused(where, path, words, "kernel.h");
    expect_refused(where, path, words, path);
}

TEXTS(library, a_table_that_breaks_the_contract_is_refused, "tests/unit/worker/library.txt", expect_fault)
