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

Test(library, kernels_are_listed_in_the_library_s_order)
{
    OWNED_TEXT path = built("libtables.so");
    struct library library;
    struct problem problem = {0};
    cr_assert_eq(library_open(&library, path, &problem), 0, "%s", problem.text);
    static const char *const ids[] = {"one/a", "one/b_2", "two/a"};
    cr_assert_eq(library.count, ARRAY_SIZE(ids));
    for (size_t i = 0; i < ARRAY_SIZE(ids); i++)
        cr_expect_str_eq(library.kernels[i].id, ids[i]);
    cr_expect_eq(library.kernels[0].family, library.kernels[1].family);
    cr_expect_str_eq(library.kernels[2].family->name, "two");
    cr_expect_eq(library.kernels[0].variant->bytes, 8);
    cr_expect_null(library.kernels[1].variant->launch);
    cr_expect_eq(library.table->abi, CUGATE_KERNEL_ABI);
    library_close(&library);
    cr_expect_null(library.handle);
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
        {other, "libother.so is not a kernel library: it does not export cugate_library()", "see kernel.h"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
        expect_refused(cases[i].path, cases[i].path, cases[i].words, cases[i].remedy);
}

Test(library, a_table_that_breaks_the_contract_is_refused)
{
    static const struct {
        const char *fault, *words; /* a fault of libraries/tables.c, and the expected message */
    } cases[] = {
        {"no table", "was built for kernel ABI 0"},
        {"old ABI", "was built for kernel ABI"},
        {"new ABI", "was built for kernel ABI"},
        {"no families", "lacks families, synchronize or error_text"},
        {"no synchronize", "lacks families, synchronize or error_text"},
        {"no error_text", "lacks families, synchronize or error_text"},
        {"zero families", "holds no kernel"},
        {"family is NULL", "(number 2): a row of `families` is NULL"},
        {"family twice", "kernel one/a exists twice"},
        {"variant twice", "kernel one/a exists twice"},
        {"family without a name", "family without a good name (number 2): a family's name is not of the form"},
        {"family's name is empty", "family without a good name (number 2): a family's name is not of the form"},
        {"family's name has a capital", "family without a good name (number 2): a family's name is not of the form"},
        {"family's name has a slash", "family without a good name (number 2): a family's name is not of the form"},
        {"family's name has an escape", "family without a good name (number 2): a family's name is not of the form"},
        {"family's name is long", "family without a good name (number 2): a family's name is not of the form"},
        {"point twice", "kernel one/a[n=16M] exists twice"},
        {"point is empty", "family two (number 2): its point \"\": it is not of the form AXIS=VALUE"},
        {"point has an escape", "its point \"n=?[31m\": the value on the axis n has a character"},
        {"point is not in its form", "the value on the axis n has to be written 16M"},
        {"axes are not in order", "its point \"type=half,n=16M\": its axes are not in alphabetical order"},
        {"no open", "family two (number 2): open, restore, verify or close is NULL"},
        {"no restore", "family two (number 2): open, restore, verify or close is NULL"},
        {"no verify", "family two (number 2): open, restore, verify or close is NULL"},
        {"no close", "family two (number 2): open, restore, verify or close is NULL"},
        {"no variants", "family two (number 2): it has no variant"},
        {"zero variants", "family two (number 2): it has no variant"},
        {"variant without a name", "family two (number 2): a variant's name is not of the form"},
        {"variant's name has a space", "family two (number 2): a variant's name is not of the form"},
        {"neither launch nor not_built", "family two (number 2): a variant has neither `launch` nor the reason"},
        {"negative bytes", "family two (number 2): a variant's bytes or flops are negative or not finite"},
        {"bytes not a number", "family two (number 2): a variant's bytes or flops are negative or not finite"},
        {"infinite bytes", "family two (number 2): a variant's bytes or flops are negative or not finite"},
        {"negative flops", "family two (number 2): a variant's bytes or flops are negative or not finite"},
        {"flops not a number", "family two (number 2): a variant's bytes or flops are negative or not finite"},
    };
    OWNED_TEXT path = built("libtables.so");
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        setenv("TABLE_FAULT", cases[i].fault, 1);
        expect_refused(cases[i].fault, path, cases[i].words, "kernel.h");
        expect_refused(cases[i].fault, path, cases[i].words, path);
    }
}

Test(library, a_message_is_cut_to_its_size)
{
    struct library library;
    struct problem problem;
    char path[2 * sizeof problem.text];
    memset(path, '/', sizeof path - 1);
    path[sizeof path - 1] = '\0';
    cr_expect_eq(library_open(&library, path, &problem), -1);
    cr_expect_eq(strlen(problem.text), sizeof problem.text - 1);
}
