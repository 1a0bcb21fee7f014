#include "explain/stall.h"
#include "test.h"

Test(stall, the_commonest_reason_is_put_in_words)
{
    OWNED(profile) profile = {0};
    struct profile_line *line = profile_add(&profile, "f", NULL, 0, 0);
    cr_expect_null(stall_commonest(line));
    profile_line_add_stall(line, "barrier", 2);
    profile_line_add_stall(line, "long_scoreboard", 9);
    profile_line_add_stall(line, "made_up", 1);
    cr_expect_str_eq(stall_commonest(line), "long_scoreboard");
    cr_expect_str_eq(stall_words("long_scoreboard"), "waiting for global, local or texture memory");
    cr_expect_null(stall_words("made_up"));
    cr_expect_str_eq(stall_advice("misc", &profile), "");
}

Test(stall, the_reason_that_grew_is_told_and_not_the_largest)
{
    OWNED(profile) now = {.period = 1000, .launches = 2}, base = {.period = 500, .launches = 1};
    struct profile_line *line = profile_add(&now, "f", "a.cu", 1, 0), *was = profile_add(&base, "f", "a.cu", 1, 0);
    profile_line_add_stall(line, "barrier", 100); /* this reason has 50,000 cycles, as in the base */
    profile_line_add_stall(line, "mio_throttle", 30);
    profile_line_add_stall(line, "wait", 20);
    profile_line_add_stall(was, "barrier", 100);
    profile_line_add_stall(was, "wait", 10);
    cr_expect_str_eq(stall_commonest(line), "barrier");
    cr_expect_str_eq(stall_grown(&now, line, &base, was), "mio_throttle");
    cr_expect_str_eq(stall_grown(&now, line, NULL, NULL), "barrier");
    cr_expect_null(stall_grown(&base, was, &now, line));
}

Test(stall, advice_speaks_of_what_the_kernel_uses)
{
    OWNED(profile) profile = {.counted = 1u << LINE_SHARED};
    profile_add(&profile, "f", "a.cu", 1, 0);
    cr_expect_null(strstr(stall_advice("mio_throttle", &profile), "bank"));
    profile.list[0].counts[LINE_SHARED] = 1;
    cr_expect_not_null(strstr(stall_advice("mio_throttle", &profile), "bank"));
    cr_expect_str_eq(stall_advice("made_up", &profile), "");
}
