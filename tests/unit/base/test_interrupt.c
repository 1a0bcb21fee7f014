#include "test.h"

#include <poll.h>

/* Restores the default actions: background jobs of a shell ignore SIGINT, and nohup ignores SIGHUP. */
static void forget_ignored(void)
{
    signal(SIGINT, SIG_DFL);
    signal(SIGHUP, SIG_DFL);
}

TestSuite(interrupt, .init = forget_ignored);

static bool is_readable(const struct interrupts *interrupts)
{
    struct pollfd one = {.fd = interrupts->descriptor, .events = POLLIN};
    return poll(&one, 1, 0) == 1;
}

Test(interrupt, a_signal_ends_nothing_and_is_told)
{
    struct interrupts interrupts;
    cr_assert_eq(interrupts_open(&interrupts), 0);
    cr_expect(!is_readable(&interrupts));
    raise(SIGTERM);
    raise(SIGINT);
    cr_expect(is_readable(&interrupts));
    cr_expect(interrupts_close(&interrupts));
    cr_assert_eq(interrupts_open(&interrupts), 0);
    cr_expect(!interrupts_close(&interrupts), "one that was taken comes again");
}

Test(interrupt, afterwards_a_signal_ends_the_program, .signal = SIGTERM)
{
    struct interrupts interrupts;
    cr_assert_eq(interrupts_open(&interrupts), 0);
    interrupts_close(&interrupts);
    raise(SIGTERM);
}

/* Logging out sends SIGHUP and SIGTERM; the results are written between the two. */
Test(interrupt, after_one_was_taken_another_ends_nothing)
{
    struct interrupts outer, inner;
    struct signalfd_siginfo taken;
    cr_assert_eq(interrupts_open(&outer), 0);
    cr_assert_eq(interrupts_open(&inner), 0);
    raise(SIGHUP);
    cr_expect(interrupts_take(&inner, &taken) && taken.ssi_signo == SIGHUP);
    cr_expect(!interrupts_take(&inner, &taken));
    cr_expect(!interrupts_close(&inner), "it was taken before");
    cr_expect(!interrupts_close(&outer));
    raise(SIGTERM);
}

Test(interrupt, what_the_inner_one_takes_is_not_the_outer_ones)
{
    struct interrupts outer, inner;
    cr_assert_eq(interrupts_open(&outer), 0);
    cr_assert_eq(interrupts_open(&inner), 0);
    raise(SIGINT);
    cr_expect(interrupts_close(&inner));
    raise(SIGINT);
    cr_expect(interrupts_close(&outer));
}

/* nohup starts a program in this way. */
Test(interrupt, what_was_ignored_stays_ignored)
{
    struct interrupts interrupts;
    signal(SIGHUP, SIG_IGN);
    cr_assert_eq(interrupts_open(&interrupts), 0);
    raise(SIGHUP);
    cr_expect(!interrupts_close(&interrupts));
}
