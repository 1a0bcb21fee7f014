#include "test.h"

#include <criterion/redirect.h>

Test(error, messages_keep_control_characters_from_the_terminal)
{
    capture_begin();
    error("bad name %s", "\x1b[31mred\x7f\r");
    error("bad reason %s", "line\n::error::planted");
    warning("bad direction %s", "\u202edesrever\u2028 \xc2\x9b"
                                "2J \xff");
    warning("good name %s", "5 \u00b5s");
    OWNED_TEXT text = capture_end();
    cr_expect_str_eq(text, "cugate: error: bad name ?[31mred??\n"
                           "cugate: error: bad reason line ::error::planted\n"
                           "cugate: warning: bad direction ?desrever? ?2J ?\n"
                           "cugate: warning: good name 5 \u00b5s\n");
}

Test(error, a_problem_is_kept_for_whoever_asked)
{
    struct problem problem = {0};
    OWNED_TEXT endless = x_calloc(sizeof problem.text + 1, 1);
    memset(endless, 'x', sizeof problem.text);
    cr_expect_eq(problem_set(&problem, "%d of %s", 3, "them"), -1);
    cr_expect_str_eq(problem.text, "3 of them");
    cr_expect_eq(problem_set(&problem, "%s", endless), -1);
    cr_expect_eq(strlen(problem.text), sizeof problem.text - 1);
}

Test(error, an_error_goes_to_who_asked_for_it)
{
    struct problem outer = {0}, inner = {0};
    capture_begin();
    cr_expect_null(error_into(&outer));
    cr_expect_eq(error_into(&inner), &outer);
    cr_expect_eq(error("%d of %s", 3, "them"), -1);
    cr_expect_eq(error_into(&outer), &inner);
    error("another");
    warning("a warning is printed");
    cr_expect_eq(error_into(NULL), &outer);
    error("printed");
    OWNED_TEXT text = capture_end();
    cr_expect_str_eq(inner.text, "3 of them");
    cr_expect_str_eq(outer.text, "another");
    cr_expect_str_eq(text, "cugate: warning: a warning is printed\ncugate: error: printed\n");
}

Test(error, die_exits_with_its_code, .exit_code = EXIT_BASELINE)
{
    cr_redirect_stderr();
    die(EXIT_BASELINE, "no baseline");
}

Test(error, bug_aborts, .signal = SIGABRT)
{
    cr_redirect_stderr();
    BUG("impossible");
}

Test(error, memory_that_cannot_exist_may_be_jumped_from)
{
    jmp_buf outer, inner;
    cr_expect_null(memory_into(&outer));
    cr_expect_eq(memory_into(&inner), &outer);
    if (setjmp(inner) == 0) {
        x_aligned(64, SIZE_MAX);
        cr_assert_fail("there is such memory");
    }
    cr_expect_eq(memory_into(NULL), &inner);
    OWNED_MEMORY unsigned char *bytes = x_aligned(64, 65);
    EXPECT_ALL((uintptr_t)bytes % 64 == 0, bytes[0] + bytes[64] == 0);
}

Test(error, memory_that_cannot_exist_ends_the_program, .exit_code = EXIT_USAGE)
{
    cr_redirect_stderr();
    x_realloc(NULL, SIZE_MAX / 2, 16); /* the product of count and size overflows */
}

Test(error, array_add_zeroes_and_keeps_what_is_there)
{
    struct {
        int number;
        char *text;
    } *list = NULL;
    size_t count = 0;
    for (int i = 0; i < 1000; i++) {
        cr_assert_eq(ARRAY_GROW(list, count)->number, 0);
        cr_assert_null(list[count - 1].text);
        list[count - 1].number = i;
        if (i % 7 == 3)
            count -= 3; /* a list may shrink and grow again */
    }
    for (size_t i = 1; i < count; i++)
        cr_assert_gt(list[i].number, list[i - 1].number);
    free(list);
}

Test(error, array_insert_moves_what_is_behind)
{
    size_t *list = NULL, count = 0;
    for (size_t i = 0; i < 100; i++)
        cr_assert_eq(*ARRAY_INSERT(list, count, i / 2), 0);
    for (size_t i = 0; i < count; i++)
        list[i] = i;
    *ARRAY_INSERT(list, count, 99) = 1000;
    *ARRAY_INSERT(list, count, 101) = 1001;
    for (size_t i = 0; i < 99; i++)
        cr_assert_eq(list[i], i);
    EXPECT_ALL(list[99] == 1000, list[100] == 99, list[101] == 1001);
    free(list);
}
