#include "model/suppression.h"
#include "support.h"
#include "test.h"

Test(suppression, a_row_has_kind_function_and_reason)
{
    OWNED_FOLDER folder = scratch_make();
    OWNED_TEXT path =
        scratch_file(folder, "known", "# of ours\n\n  race\tscan<*  issue 12, of May \nout-of-bounds * -\n");
    struct suppressions read;
    cr_assert_eq(suppressions_read(&read, path), 0);
    cr_assert_eq(read.count, 2);
    cr_expect_eq(read.list[0].kind, SUPPRESS_RACE);
    cr_expect_str_eq(read.list[0].function, "scan<*");
    cr_expect_str_eq(read.list[0].reason, "issue 12, of May ");
    cr_expect_eq(read.list[0].line, 3);
    cr_expect_eq(read.list[1].kind, SUPPRESS_OUT_OF_BOUNDS);
    suppressions_release(&read);
}

Test(suppression, a_wrong_row_is_named)
{
    static const struct {
        const char *text, *error;
    } rows[] = {
        {"race a b\nraces a b\n", "known:2: unknown kind of fault \"races\": did you mean race?"},
        {"misaligned a b\n", "known:1: unknown kind of fault \"misaligned\""},
        {"race\n", "known:1: the function is missing"},
        {"race a  \n", "known:1: the reason is missing"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        OWNED_FOLDER folder = scratch_make();
        OWNED_TEXT path = scratch_file(folder, "known", rows[i].text);
        struct suppressions read;
        HEAR(result, suppressions_read(&read, path));
        cr_expect_eq(result, -1);
        expect_word(said, rows[i].error);
    }
}
