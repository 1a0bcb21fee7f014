/* Q7: the whole of `cugate check`: what is measured in how many processes and in which order, and what comes of it. */
#include "selftest.h"
#include "trial.h"

#define DECLARED(KERNEL, EXPIRES) "[" KERNEL " wall_time]\nissue = x\nexpires = " EXPIRES "\n"

/* To add a check: a row. The names of libraries/turns.c say what a kernel does. */
static const struct trial trials[] = {
    /* Without a base build. */
    {"nothing moved: measured once, same", "turns/equal", "turns/equal wall_time", "same", EXIT_SAME, .before = "H"},
    {"slower: measured once more and no more, regressed", "turns/slower turns/equal", "turns/slower wall_time",
     "regressed", EXIT_REGRESSED, .before = "HH"},
    {"slower than a baseline of one session: measured once more, unsure", "turns/slower", "turns/slower wall_time",
     "unsure", EXIT_UNSURE, .before = "HH", .young = true, .reason = "too few sessions"},
    {"slower once, by 6 ms: measured once more, unsure", "turns/slower_once", "turns/slower_once wall_time", "unsure",
     EXIT_UNSURE, .before = "HH", .reason = "1 of 2 sessions agree"},
    {"slower once, by 6 ms where 4 ms are none: measured once more, same", "turns/slower_once",
     "turns/slower_once wall_time", "same", EXIT_SAME, .before = "HH", .floor = "4000000 ns"},
    {"fails when it is measured once more: missing", "turns/slower_then_bad", "turns/slower_then_bad", "missing",
     EXIT_NOT_MEASURED, .before = "HH", .reason = "made-up illegal address"},
    {"slower by small steps: measured once more, regressed", "turns/equal", "turns/equal wall_time", "regressed",
     EXIT_REGRESSED, .before = "HH", .creeping = true, .reason = "past its drift reference"},
    {"a rate that fell with its time: regressed, no trade-off", "turns/slower", "turns/slower rate", "regressed",
     EXIT_REGRESSED, .before = "HH", .metrics = TRIAL_RATE("steady") "trade = wall_time\n"},
    {"slower, and declared: expected", "turns/slower", "turns/slower wall_time", "expected", EXIT_SAME, .before = "H",
     .declared = DECLARED("turns/slower", "2999-12-31")},
    {"slower than is declared: regressed", "turns/slower", "turns/slower wall_time", "regressed", EXIT_REGRESSED,
     .before = "HH", .declared = DECLARED("turns/slower", "2999-12-31") "worst = 9000000\n",
     .reason = "worse than declared"},
    {"declared as slower, and is not: unexpected", "turns/equal", "turns/equal wall_time", "unexpected-pass",
     EXIT_REGRESSED, .before = "H", .declared = DECLARED("turns/equal", "2999-12-31")},
    {"slower, and declared until a day that is over: regressed", "turns/slower", "turns/slower wall_time", "regressed",
     EXIT_REGRESSED, .before = "HH", .declared = DECLARED("turns/slower", "2020-12-31"),
     .reason = "expected until 2020-12-31 only"},
    /* With one. */
    {"slower than the base build by 2 %: 13 pairs, base first in every other one, regressed", "turns/bit_slower",
     "turns/bit_slower wall_time", "regressed", EXIT_REGRESSED, .before = "HB", .pairs = 13, .against = true,
     .paired = true},
    {"five times as slow as the base build: 4 pairs, regressed", "turns/slower", "turns/slower wall_time", "regressed",
     EXIT_REGRESSED, .before = "HB", .pairs = 4, .against = true},
    {"a rate that fell with it: the first pair is its second session, regressed", "turns/slower", "turns/slower rate",
     "regressed", EXIT_REGRESSED, .before = "HB", .pairs = 4, .against = true, .metrics = TRIAL_RATE("steady"),
     .reason = "\"base_sessions\": 10, \"run_sessions\": 2"},
    {"five times as fast as the base build: 4 pairs, improved", "turns/faster", "turns/faster wall_time", "improved",
     EXIT_SAME, .before = "HB", .pairs = 4, .against = true},
    {"as fast as the base build: 4 pairs, same", "turns/equal", "turns/equal wall_time", "same", EXIT_SAME,
     .before = "HB", .pairs = 4, .against = true, .paired = true},
    {"the same, slower by small steps: measured once more, regressed", "turns/equal", "turns/equal wall_time",
     "regressed", EXIT_REGRESSED, .before = "HB", .pairs = 4, .after = "H", .against = true, .creeping = true,
     .reason = "past its drift reference"},
    {"slower, at another clock in each pair: 14 pairs that count for nothing, unsure", "turns/slower",
     "turns/slower wall_time", "unsure", EXIT_UNSURE, .before = "HB", .pairs = 14, .against = true,
     .metrics = "clock = rate\n" TRIAL_RATE("info"), .reason = "the clock was"},
    {"the base build fails in the first pair: it settles nothing, unsure", "turns/bad_base", "turns/bad_base wall_time",
     "unsure", EXIT_UNSURE, .before = "HB", .pairs = 1, .against = true, .of_head = true,
     .reason = "pairs could not settle it: the base build gave"},
    {"the new build fails in the first pair: missing", "turns/slower_then_bad", "turns/slower_then_bad", "missing",
     EXIT_NOT_MEASURED, .before = "HB", .pairs = 1, .against = true, .reason = "made-up illegal address"},
    {"the base build cannot be loaded: exit code 2, though nothing is worse", "turns/equal", "turns/equal wall_time",
     "same", EXIT_USAGE, .before = "H", .against = true, .no_library = true},
    /* Where it stands in for what the baseline lacks. */
    {"no baseline: 4 pairs, regressed", "turns/slower", "turns/slower wall_time", "regressed", EXIT_REGRESSED,
     .before = "HBB", .pairs = 4, .against = true, .no_baseline = true},
    {"a kernel that the baseline lacks: 4 pairs, regressed", "turns/slower turns/equal", "turns/slower wall_time",
     "regressed", EXIT_REGRESSED, .before = "HBB", .pairs = 4, .against = true, .known = "turns/equal"},
    {"a row that the baseline lacks: two pairs are further sessions of both, regressed", "turns/slower",
     "turns/slower rate", "regressed", EXIT_REGRESSED, .before = "HBB", .pairs = 4, .against = true,
     .later = TRIAL_RATE("steady"), .reason = "\"base_sessions\": 3, \"run_sessions\": 2"},
    {"the same, every kernel in turn: the base build is measured three times, regressed", "turns/slower",
     "turns/slower rate", "regressed", EXIT_REGRESSED, .before = "HBBHBB", .pairs = 4, .against = true, .paired = true,
     .later = TRIAL_RATE("steady"), .reason = "\"base_sessions\": 3, \"run_sessions\": 2"},
    {"a row that is only shown: the base build is not asked", "turns/slower", "turns/slower rate", "info",
     EXIT_REGRESSED, .before = "HB", .pairs = 4, .against = true, .later = TRIAL_RATE("info")},
    {"a kernel that the base build lacks, too: new", "turns/added turns/equal", "turns/added", "new", EXIT_SAME,
     .before = "HB", .pairs = 4, .against = true, .known = "turns/equal"},
    {"a kernel that the base build cannot run: unsure", "turns/bad_base turns/equal", "turns/bad_base", "unsure",
     EXIT_UNSURE, .before = "HBB", .pairs = 4, .against = true, .known = "turns/equal",
     .reason = "the base build gave"},
    {"a kernel that the base build alone has: missing", "turns/[re][eq]*", "turns/removed", "missing",
     EXIT_NOT_MEASURED, .before = "HBB", .pairs = 4, .against = true, .known = "turns/equal",
     .reason = "the base build has it"},
};

/* Its fifth process never ends: the first of the second pair. */
static const struct trial interrupted = {"interrupted in the second pair: what one pair says is no verdict",
                                         "turns/stuck_later",
                                         "turns/stuck_later wall_time",
                                         "unsure",
                                         EXIT_INTERRUPTED,
                                         .before = "HBBHH",
                                         .against = true,
                                         .reason = "1 pair against the base does not decide it"};

/* A replay knows the baseline, and not what stood in for it; and it has no base build that cannot be loaded. */
static bool may_be_replayed(const struct trial *trial)
{
    return !trial->no_baseline && !trial->known && !trial->later && !trial->no_library;
}

void q7_check(struct selftest *selftest)
{
    size_t replays = 0, replayed = 0;
    for (size_t i = 0; i < ARRAY_SIZE(trials); i++) {
        const struct outcome outcome = trial_run(&trials[i], selftest->turns);
        expect_all(selftest, outcome.right, outcome.facts, trials[i].words);
        if (may_be_replayed(&trials[i])) {
            replays++;
            replayed += outcome.replays;
        }
    }
    const struct outcome outcome = trial_interrupt(&interrupted, selftest->turns, 5);
    expect_all(selftest, outcome.right, outcome.facts, interrupted.words);
    expect_all(selftest, replayed, replays, "these, with the whole of their baseline: the saved run replays alike");
}
