/* Q7: times by the host's clock, whose limit may be wider than they are. */
#include "selftest.h"

#define KERNEL "made/up"
#define SESSIONS 10

/* To add a case: a row. The baseline has 10 sessions, which are `spread` apart, and the run 2. */
static const struct timing {
    const char *words, *collector;
    double was, spread, now;
    enum verdict verdict;
    const char *beside; /* a further row of the kernel, the same on both sides; NULL: none */
    bool is_new;        /* the baseline lacks that row */
} timings[] = {
    {"another program's 1 us, +20 %: regressed", "google-benchmark", 1000, 0, 1200, VERDICT_REGRESSED, NULL, false},
    {"another program's 1 us, +5 %: same", "google-benchmark", 1000, 0, 1050, VERDICT_SAME, NULL, false},
    {"another program's 0.5 ns, +20 %: regressed", "criterion", 0.5, 0, 0.6, VERDICT_REGRESSED, NULL, false},
    {"another program's 1 us that varies, +20 %, and nothing else: unsure", "nvbench", 1000, 50, 1200, VERDICT_UNSURE,
     NULL, false},
    {"our 10 us, +20 %, and nothing else: unsure", "host", 10e3, 0, 12e3, VERDICT_UNSURE, NULL, false},
    {"our 10 us, +20 %, beside a count: same", "host", 10e3, 0, 12e3, VERDICT_SAME, "instructions", false},
    {"our 10 us, +20 %, beside a clock: unsure", "host", 10e3, 0, 12e3, VERDICT_UNSURE, "sm_clock", false},
    {"our 10 us, +20 %, beside a new row: unsure", "host", 10e3, 0, 12e3, VERDICT_UNSURE, "excess_wavefronts", true},
    {"our 1 ms, +20 %: regressed", "host", 1e6, 0, 12e5, VERDICT_REGRESSED, NULL, false},
};

static void make(struct run *baseline, struct run *run, const struct timing *timing)
{
    for (size_t i = 0; i < SESSIONS; i++) {
        put_row(baseline, KERNEL, "wall_time", timing->was + timing->spread * (double)i, 1);
        if (timing->beside && !timing->is_new)
            put_row(baseline, KERNEL, timing->beside, 1000, 1);
        if (i < 2)
            put_row(run, KERNEL, "wall_time", timing->now, 1);
        if (timing->beside && i < 2)
            put_row(run, KERNEL, timing->beside, 1000, 1);
    }
    ARRAY_GROW(run->sessions, run->session_count)->facts[SESSION_COLLECTOR] = x_strdup(timing->collector);
}

void q7_blind(struct selftest *selftest)
{
    for (size_t i = 0; i < ARRAY_SIZE(timings); i++) {
        OWNED(run) baseline = {0}, run = {0};
        OWNED(comparison) comparison;
        make(&baseline, &run, &timings[i]);
        compare_runs(&comparison, &baseline, &run, &selftest->metrics, NULL);
        const struct judgement *judgement = judgement_of(&comparison, KERNEL, "wall_time");
        expect_all(selftest,
                   judgement->verdict == timings[i].verdict && comparison.kernel_counts[judgement->of_kernel] == 1, 1,
                   timings[i].words);
    }
}
