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

Test(stall, advice_speaks_of_what_the_kernel_uses)
{
    OWNED(profile) profile = {.counted = 1u << LINE_SHARED};
    profile_add(&profile, "f", "a.cu", 1, 0);
    cr_expect_null(strstr(stall_advice("mio_throttle", &profile), "bank"));
    profile.list[0].counts[LINE_SHARED] = 1;
    cr_expect_not_null(strstr(stall_advice("mio_throttle", &profile), "bank"));
    cr_expect_str_eq(stall_advice("made_up", &profile), "");
}
