#include "test.h"
#include "worker/library_read.h"

Test(library_read, what_a_library_says_of_itself)
{
    OWNED_TEXT path = built("libtables.so");
    struct library_facts facts;
    struct problem problem = {0};
    cr_assert_eq(library_facts_read(&facts, path, 60, &problem), 0, "%s", problem.text);
    cr_expect_str_eq(facts.compiler, "cc");
    cr_expect_str_eq(facts.flags, "");
    cr_assert_eq(facts.count, 3);
    cr_expect_str_eq(facts.kernels[0].id, "one/a");
    cr_expect_str_eq(facts.kernels[0].doc, "does nothing");
    cr_expect_null(facts.kernels[0].not_built);
    cr_expect_not(facts.kernels[0].transfer);
    cr_expect_str_eq(facts.kernels[1].id, "one/b_2");
    cr_expect_str_eq(facts.kernels[1].not_built, "b.h was not found");
    cr_expect(facts.kernels[2].transfer);
    cr_expect_eq(library_facts_find(&facts, "two/a"), &facts.kernels[2]);
    cr_expect_null(library_facts_find(&facts, "two/b"));
    library_facts_release(&facts);
    cr_expect_eq(facts.count, 0);
}

Test(library_read, what_is_no_library_has_none)
{
    OWNED_TEXT other = built("libother.so");
    struct library_facts facts;
    struct problem problem = {0};
    cr_expect_eq(library_facts_read(&facts, other, 60, &problem), EXIT_USAGE);
    expect_word(problem.text, "is not a kernel library: it does not export cugate_library()");
    cr_expect_eq(facts.count, 0);
}
