#include "report_support.h"
#include "test.h"

Test(report_github, github_keeps_to_ten_annotations)
{
    static const struct {
        size_t rows, annotations;
        const char *more;
    } table[] = {{0, 1, NULL}, {9, 10, NULL}, {10, 10, "%0A1 more row is "}, {500, 10, "%0A491 more rows are "}};
    for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
        AT_END(report_tear_down) struct fixture fixture = report_set_up("same.json");
        invent_many(&fixture, table[i].rows, NULL);
        OWNED_TEXT text = print(&fixture.report, report_github);
        cr_expect_eq(count_words(text, "\n"), table[i].annotations);
        if (table[i].more)
            expect_word(text, table[i].more);
        else
            expect_no_word(text, " more row");
    }
}
