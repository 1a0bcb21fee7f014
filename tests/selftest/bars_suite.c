/* Q6: what the GPU did, and no kernel's code. */
#include "simulate.h"

#define CHECKS 100

/* Whether nothing is red and the whole is unsure. */
static bool is_unsure(const struct comparison *comparison)
{
    return comparison->counts[VERDICT_REGRESSED] == 0 && comparison_exit_code(comparison) == EXIT_UNSURE;
}

/* Whether the whole suite is said to have moved, and nothing else is said. */
static bool only_suite(const struct comparison *comparison)
{
    const struct judgement *suite = judgement_of(comparison, COMPARISON_SUITE, "time");
    return suite && suite->verdict == VERDICT_UNSURE && is_unsure(comparison);
}

void q6_simulated(struct selftest *selftest)
{
    static const struct {
        double suite;
        const char *words;
    } rows[] = {
        {0.10, "simulated: every time +10 %, of unknown code: exit code 3, nothing regressed"},
        {-0.10, "simulated: every time -10 %, of unknown code: exit code 3, nothing regressed"},
    };
    OWNED(nature) nature;
    nature_init(&nature, selftest);
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        size_t right = 0;
        for (int n = 0; n < CHECKS; n++) {
            struct check check;
            check_draw(&check, &nature, true, SIMULATED_GPUS, false);
            check.suite = rows[i].suite;
            simulated_judge(&check, ROUTE_SESSION);
            right += is_unsure(&check.comparison);
            simulated_release(&check);
        }
        expect_all(selftest, right, CHECKS, rows[i].words);
    }
}

static void scale_times(struct run *run, double factor)
{
    for (size_t i = 0; i < run->result_count; i++) {
        struct row *row = result_find(&run->results[i], "time");
        for (size_t s = 0; row && s < row->session_count; s++)
            for (size_t n = 0; n < row->sessions[s].count; n++)
                row->sessions[s].samples[n] *= factor;
    }
}

/* Each session against the others, every time of it 10 % up or down. */
void q6_recorded(struct selftest *selftest)
{
    static const double factors[] = {1.1, 0.9};
    OWNED_MEMORY bool *wanted = x_calloc(selftest->session_count, sizeof *wanted);
    size_t right = 0, trials = 0;
    for (size_t n = 0; n < selftest->session_count; n++)
        for (size_t f = 0; f < ARRAY_SIZE(factors); f++) {
            OWNED(run) baseline, now;
            OWNED(comparison) comparison;
            for (size_t b = 0; b < selftest->session_count; b++)
                wanted[b] = b != n;
            merge_sessions(&baseline, selftest, wanted);
            for (size_t b = 0; b < selftest->session_count; b++)
                wanted[b] = b == n;
            merge_sessions(&now, selftest, wanted);
            scale_times(&now, factors[f]);
            compare_runs(&comparison, &baseline, &now, &selftest->metrics, NULL);
            right += only_suite(&comparison);
            trials++;
        }
    expect_all(selftest, right, trials, "recorded: every time +10 % or -10 %: exit code 3, the suite moved, no red");
}

/* Fewer than half of the kernels ran at a lower clock: the suite stands still. */
void q6_clock(struct selftest *selftest)
{
    const size_t slowed = SIMULATED_KERNELS / 5;
    OWNED(nature) nature;
    size_t unsure = 0;
    nature_init(&nature, selftest);
    for (int n = 0; n < CHECKS; n++) {
        struct check check;
        check_draw(&check, &nature, true, SIMULATED_GPUS, false);
        for (size_t k = 0; k < slowed; k++)
            check.clock[k] = 0.1;
        simulated_judge(&check, ROUTE_SESSION);
        for (size_t k = 0; k < slowed; k++)
            unsure += check_time(&check, k) == VERDICT_UNSURE;
        simulated_release(&check);
    }
    expect_all(selftest, unsure, CHECKS * slowed, "simulated: time +11 % at a clock 10 % lower: unsure");
}
