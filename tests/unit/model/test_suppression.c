#include "model/suppression.h"
#include "test.h"

Test(suppression, a_row_has_kind_function_and_reason)
{
    OWNED_FOLDER folder = scratch_make();
    OWNED_TEXT path =
        scratch_file(folder, "known", "# of ours\n\n  race\tscan<*  issue 12, of May \nout-of-bounds * -\n");
    OWNED(suppressions) read;
    cr_assert_eq(suppressions_read(&read, path), 0);
    cr_assert_eq(read.count, 2);
    cr_expect_eq(read.list[0].kind, SUPPRESS_RACE);
    cr_expect_str_eq(read.list[0].function, "scan<*");
    cr_expect_str_eq(read.list[0].reason, "issue 12, of May ");
    cr_expect_eq(read.list[0].line, 3);
    cr_expect_eq(read.list[1].kind, SUPPRESS_OUT_OF_BOUNDS);
}

static int read_text(const char *text)
{
    OWNED_FOLDER folder = scratch_make();
    OWNED_TEXT path = scratch_file(folder, "known", text);
    struct suppressions read;
    return suppressions_read(&read, path);
}

REFUSED_TEXTS(suppression, a_wrong_row_is_named, "tests/unit/model/suppression.txt", read_text)
