#include "explain/stall.h"

#include <criterion/criterion.h>
#include <string.h>

Test(stall, the_commonest_reason_is_put_in_words)
{
    struct lines lines = {0};
    struct line *line = lines_add(&lines, "f", NULL, 0, 0);
    cr_expect_null(stall_commonest(line));
    line_add_stall(line, "barrier", 2);
    line_add_stall(line, "long_scoreboard", 9);
    line_add_stall(line, "made_up", 1);
    cr_expect_str_eq(stall_commonest(line), "long_scoreboard");
    cr_expect_str_eq(stall_words("long_scoreboard"), "waiting for global, local or texture memory");
    cr_expect_null(stall_words("made_up"));
    cr_expect_str_eq(stall_advice("misc", &lines), "");
    lines_release(&lines);
}

Test(stall, the_reason_that_grew_is_told_and_not_the_largest)
{
    struct lines now = {.period = 1000, .launches = 2}, base = {.period = 500, .launches = 1};
    struct line *line = lines_add(&now, "f", "a.cu", 1, 0), *was = lines_add(&base, "f", "a.cu", 1, 0);
    line_add_stall(line, "barrier", 100); /* 50,000 cycles, as before */
    line_add_stall(line, "mio_throttle", 30);
    line_add_stall(line, "wait", 20);
    line_add_stall(was, "barrier", 100);
    line_add_stall(was, "wait", 10);
    cr_expect_str_eq(stall_commonest(line), "barrier");
    cr_expect_str_eq(stall_grown(&now, line, &base, was), "mio_throttle");
    cr_expect_str_eq(stall_grown(&now, line, NULL, NULL), "barrier");
    cr_expect_null(stall_grown(&base, was, &now, line));
    lines_release(&base);
    lines_release(&now);
}

Test(stall, advice_speaks_of_what_the_kernel_uses)
{
    struct lines lines = {.counted = 1u << LINE_SHARED};
    lines_add(&lines, "f", "a.cu", 1, 0);
    cr_expect_null(strstr(stall_advice("mio_throttle", &lines), "bank"));
    lines.list[0].counts[LINE_SHARED] = 1;
    cr_expect_not_null(strstr(stall_advice("mio_throttle", &lines), "bank"));
    cr_expect_str_eq(stall_advice("made_up", &lines), "");
    lines_release(&lines);
}
