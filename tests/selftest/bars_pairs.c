/* Q4: the rule, on pairs of times. */
#include "selftest.h"

#include <gsl/gsl_randist.h>
#include <stdlib.h>
#include <string.h>

#define SERIES 30000
#define SPREAD 0.005 /* of a pair's ratio */

/* Adds pairs as long as they decide nothing, as paired_run does. */
static enum paired judge_series(const struct selftest *selftest, struct row *row, double ratio)
{
    enum paired paired = PAIRED_UNDECIDED;
    row->pair_count = 0; /* the room stays */
    while (row->pair_count < RULE_PAIRS && paired == PAIRED_UNDECIDED) {
        const double base = 20000 * (1 + gsl_ran_gaussian_ziggurat(selftest->rng, 0.01));
        row->pairs[row->pair_count++] =
            (struct pair){base, base * (ratio + gsl_ran_gaussian_ziggurat(selftest->rng, SPREAD))};
        paired = rule_pairs(row, METRIC_LOWER, NULL, NULL);
    }
    return paired;
}

static struct row *room_for_pairs(struct run *run)
{
    struct row *row = result_add(run_add(run, "made/up"), "time");
    for (int i = 0; i < RULE_PAIRS; i++)
        row_add_pair(row, 1, 1);
    return row;
}

void q4_judge(struct selftest *selftest)
{
    static const struct {
        double ratio;
        enum paired answer;
        bool is_likely;
        const char *words;
    } rows[] = {
        {1 + RULE_MARGIN, PAIRED_WORSE, false, "simulated pairs at +1 %: regressed, 1 in 1,000"},
        {1 - RULE_MARGIN, PAIRED_BETTER, false, "simulated pairs at -1 %: improved, 1 in 1,000"},
        {1, PAIRED_WORSE, false, "simulated pairs at 0 %: regressed, 1 in 1,000"},
        {1 + RULE_MARGIN + 2.3 * SPREAD, PAIRED_WORSE, true,
         "simulated pairs at +1 % and 2.3 pair spreads: regressed, 99 %"},
        {1 - RULE_MARGIN - 2.3 * SPREAD, PAIRED_BETTER, true,
         "simulated pairs at -1 % and 2.3 pair spreads: improved, 99 %"},
    };
    struct run run = {0};
    struct row *row = room_for_pairs(&run);
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        size_t hits = 0;
        for (int series = 0; series < SERIES; series++)
            hits += judge_series(selftest, row, rows[i].ratio) == rows[i].answer;
        if (rows[i].is_likely)
            expect_at_least(selftest, hits, SERIES, 0.99, rows[i].words);
        else
            expect_at_most(selftest, hits, SERIES, 0.001, rows[i].words);
    }
    /* 11 of 14 or more with probability 0.82: no pass, though not all of them fail. */
    size_t answers[PAIRED_DOUBTFUL + 1] = {0};
    for (int series = 0; series < SERIES; series++)
        answers[judge_series(selftest, row, 1 + RULE_MARGIN + SPREAD)]++;
    expect_at_least(selftest, answers[PAIRED_WORSE] + answers[PAIRED_DOUBTFUL], SERIES, 0.8,
                    "simulated pairs at +1 % and 1 pair spread: no pass, 80 %");
    tell(selftest, "simulated pairs at +1 %% and 1 pair spread: regressed %zu, unsure %zu of %d", answers[PAIRED_WORSE],
         answers[PAIRED_DOUBTFUL], SERIES);
    run_release(&run);
}

/* Ordered pairs of sessions that ran on one GPU: the same code on both sides. Caller frees. */
static size_t gpu_pairs(const struct selftest *selftest, size_t (**pairs)[2])
{
    size_t count = 0;
    *pairs = NULL;
    for (size_t a = 0; a < selftest->session_count; a++)
        for (size_t b = 0; b < selftest->session_count; b++)
            if (a != b &&
                strcmp(session_gpu(&selftest->sessions[a].run), session_gpu(&selftest->sessions[b].run)) == 0) {
                size_t(*pair)[2] = ARRAY_GROW(*pairs, count);
                (*pair)[0] = a;
                (*pair)[1] = b;
            }
    return count;
}

/* Fills the pairs of a row with recorded ones; false when the kernel has no time there. */
static bool take_pairs(const struct selftest *selftest, struct row *row, const char *kernel, size_t (*pairs)[2])
{
    for (size_t i = 0; i < RULE_PAIRS; i++) {
        double values[2];
        for (size_t side = 0; side < 2; side++) {
            const struct result *result = run_find(&selftest->sessions[pairs[i][side]].run, kernel);
            const struct row *time = result ? result_find(result, "time") : NULL;
            if (!time || time->state != VALUE_MEASURED)
                return false;
            values[side] = row_value(time);
        }
        row->pairs[i] = (struct pair){values[0], values[1]};
    }
    row->pair_count = RULE_PAIRS;
    return true;
}

void q4_recorded(struct selftest *selftest)
{
    size_t(*pairs)[2];
    const size_t count = gpu_pairs(selftest, &pairs);
    const struct run *first = &selftest->sessions[0].run;
    struct run run = {0};
    struct row *row = room_for_pairs(&run);
    size_t worse = 0, better = 0, trials = 0;
    for (int round = 0; count >= RULE_PAIRS && round < 100; round++) {
        gsl_ran_shuffle(selftest->rng, pairs, count, sizeof *pairs);
        for (size_t i = 0; i < first->result_count; i++) {
            if (!take_pairs(selftest, row, first->results[i].id, pairs))
                continue;
            const enum paired paired = rule_pairs(row, METRIC_LOWER, NULL, NULL);
            worse += paired == PAIRED_WORSE;
            better += paired == PAIRED_BETTER;
            trials++;
        }
    }
    expect_at_most(selftest, worse + better, trials, 0.001,
                   "recorded pairs of one GPU, same code: regressed or improved, 1 in 1,000");
    run_release(&run);
    free(pairs);
}
