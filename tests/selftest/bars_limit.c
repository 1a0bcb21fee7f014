/* Q2 and Q3: how often noise alone crosses the limit. */
#include "selftest.h"

#include "judge/distribution.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>

#define MEAN 1000.0
#define DEVIATION 1.0
#define WITNESSES (2 * RULE_DRIFT)

/* A metric without a floor in a number of kernels, whose values are drawn anew for each trial. Of many, twice as
 * many as tell the suite's shift have the same code on both sides, the others unknown code. */
struct stage {
    const struct selftest *selftest;
    struct run base, now;
    const char *metric;
};

static void stage_init(struct stage *stage, const struct selftest *selftest, const char *metric, size_t kernels,
                       size_t sessions)
{
    *stage = (struct stage){.selftest = selftest, .metric = metric};
    for (size_t k = 0; k < kernels; k++) {
        char id[32];
        snprintf(id, sizeof id, "made/up_%zu", k);
        put_row(&stage->base, id, metric, MEAN, sessions);
        put_row(&stage->now, id, metric, MEAN, 1);
        for (int side = 0; side < 2 && k < WITNESSES && kernels > 2 * WITNESSES; side++)
            put_launch(run_find(side ? &stage->now : &stage->base, id), "f00d");
    }
}

static void stage_release(struct stage *stage)
{
    run_release(&stage->base);
    run_release(&stage->now);
}

static void draw(const struct stage *stage, struct run *run, double factor)
{
    for (size_t i = 0; i < run->result_count; i++) {
        struct row *row = result_find(&run->results[i], stage->metric);
        for (size_t s = 0; s < row->session_count; s++)
            row->sessions[s].samples[0] = factor * (MEAN + gsl_ran_gaussian_ziggurat(stage->selftest->rng, DEVIATION));
    }
}

/* Flags among `trials` rows whose baseline and value are drawn from one distribution. The suite of the run moves by a
 * random share of that deviation. */
static struct flags false_flags(const struct selftest *selftest, const char *metric, size_t kernels, size_t sessions,
                                double suite, size_t trials)
{
    OWNED(stage) stage;
    struct flags flags = {0};
    stage_init(&stage, selftest, metric, kernels, sessions);
    while (flags.judged < trials) {
        OWNED(comparison) comparison;
        draw(&stage, &stage.base, 1);
        draw(&stage, &stage.now, 1 + gsl_ran_gaussian_ziggurat(selftest->rng, suite));
        compare_runs(&comparison, &stage.base, &stage.now, &selftest->plain, NULL);
        for (size_t i = 0; i < comparison.count; i++) {
            if (comparison.list[i].same_code)
                continue;
            flags.worse += comparison.list[i].worse;
            flags.improved += comparison.list[i].verdict == VERDICT_IMPROVED;
            flags.judged += comparison.list[i].compared;
        }
    }
    return flags;
}

void q2_simulated(struct selftest *selftest)
{
    static const size_t sessions[] = {3, 5, 10, 20};
    for (size_t i = 0; i < ARRAY_SIZE(sessions); i++) {
        const struct flags flags = false_flags(selftest, "steady", 20, sessions[i], 0, 100000);
        char words[96];
        snprintf(words, sizeof words, "simulated, steady, baseline of %zu sessions: worse or improved, 1 in 1,000 each",
                 sessions[i]);
        expect_at_most(selftest, flags.worse + flags.improved, flags.judged, 2 * RULE_ALPHA, words);
    }
}

/* Each wanted session against a baseline of those that keep(other, wanted) leaves. */
static struct flags leave_out(const struct selftest *selftest, bool whole_gpu, enum metric_class class)
{
    struct flags sum = {0};
    OWNED_MEMORY bool *wanted = x_calloc(selftest->session_count, sizeof *wanted);
    for (size_t n = 0; n < selftest->session_count; n++) {
        const struct run *now = &selftest->sessions[n].run;
        OWNED(run) baseline;
        OWNED(comparison) comparison;
        for (size_t b = 0; b < selftest->session_count; b++)
            wanted[b] = whole_gpu ? strcmp(session_gpu(&selftest->sessions[b].run), session_gpu(now)) != 0 : b != n;
        merge_sessions(&baseline, selftest, wanted);
        compare_runs(&comparison, &baseline, now, &selftest->metrics, NULL);
        const struct flags flags = count_flags(&comparison, class);
        sum.judged += flags.judged;
        sum.worse += flags.worse;
        sum.improved += flags.improved;
    }
    return sum;
}

void q2_recorded(struct selftest *selftest)
{
    struct flags flags = leave_out(selftest, false, METRIC_STEADY);
    expect_at_most(selftest, flags.worse, flags.judged, RULE_ALPHA,
                   "recorded, steady, each session against all others: worse, 1 in 1,000");
    flags = leave_out(selftest, true, METRIC_STEADY);
    expect_at_most(selftest, flags.worse, flags.judged, RULE_ALPHA,
                   "recorded, steady, each session against those of other GPUs: worse, 1 in 1,000");
    flags = leave_out(selftest, false, METRIC_TIME);
    tell(selftest, "recorded, time, each session against all others: worse %zu, improved %zu of %zu", flags.worse,
         flags.improved, flags.judged);
    flags = leave_out(selftest, true, METRIC_TIME);
    tell(selftest, "recorded, time, each session against those of other GPUs: worse %zu, improved %zu of %zu",
         flags.worse, flags.improved, flags.judged);
}

void q3_screen(struct selftest *selftest)
{
    static const struct {
        const char *words;
        size_t kernels, sessions;
        double suite;
    } rows[] = {
        {"simulated, time, baseline of 10 sessions", 5, 10, 0},
        {"simulated, time, baseline of 20 sessions", 5, 20, 0},
        {"simulated, time, 50 kernels whose suite moves by 0.7 %", 50, 20, 0.007},
    };
    size_t worse = 0, improved = 0;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const struct flags flags =
            false_flags(selftest, "time", rows[i].kernels, rows[i].sessions, rows[i].suite, 100000);
        char words[96];
        snprintf(words, sizeof words, "%s: worse, 1 in 1,000", rows[i].words);
        expect_at_most(selftest, flags.worse, flags.judged, RULE_ALPHA, words);
        snprintf(words, sizeof words, "%s: improved, 1 in 1,000", rows[i].words);
        expect_at_most(selftest, flags.improved, flags.judged, RULE_ALPHA, words);
        worse += flags.worse;
        improved += flags.improved;
    }
    expect_alike(selftest, worse, improved, "simulated, time: worse and improved alike");
}

/* Twice the time, or the count, is far beyond any limit; and yet. */
void q3_caution(struct selftest *selftest)
{
    static const struct {
        const char *words, *metric;
        size_t sessions;
        enum verdict verdict;
    } rows[] = {
        {"time, baseline of 20 sessions, doubled in one session: unsure", "time", 20, VERDICT_UNSURE},
        {"time, baseline of 9 sessions, doubled: unsure, provisional", "time", 9, VERDICT_UNSURE},
        {"steady, baseline of 1 session, doubled: regressed, beyond the prior", "steady", 1, VERDICT_REGRESSED},
        {"steady, baseline of 3 sessions, doubled: regressed", "steady", 3, VERDICT_REGRESSED},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        OWNED(stage) stage;
        size_t expected = 0, trials = 0;
        stage_init(&stage, selftest, rows[i].metric, 5, rows[i].sessions);
        for (int trial = 0; trial < 100; trial++) {
            OWNED(comparison) comparison;
            draw(&stage, &stage.base, 1);
            draw(&stage, &stage.now, 2);
            compare_runs(&comparison, &stage.base, &stage.now, &selftest->plain, NULL);
            trials += comparison.count;
            expected += comparison.counts[rows[i].verdict];
        }
        expect_all(selftest, expected, trials, rows[i].words);
    }
}

/* Whether two numbers agree to ten digits. */
static bool agree(double ours, double theirs)
{
    return fabs(ours - theirs) <= 1e-10 * fabs(theirs);
}

/* Only where GSL has ten digits: its tails below 1e-14 and its quantiles of 1e-9 have not. */
void q2_distribution(struct selftest *selftest)
{
    static const double freedoms[] = {0.5, 1, 1.7, 2, 3, 4.25, 6, 9, 9.5, 20, 31.4, 100, 5000},
                        chances[] = {1e-6, 1e-4, 1e-3, 0.01, 0.05, 0.2, 0.49};
    size_t quantiles = 0, tails = 0, tosses = 0, wrong_quantiles = 0, wrong_tails = 0, wrong_tosses = 0;
    for (size_t f = 0; f < ARRAY_SIZE(freedoms); f++) {
        for (size_t c = 0; c < ARRAY_SIZE(chances); c++, quantiles++)
            wrong_quantiles +=
                !agree(student_quantile(chances[c], freedoms[f]), gsl_cdf_tdist_Qinv(chances[c], freedoms[f]));
        for (double t = -6; t <= 6; t += 0.25, tails++)
            wrong_tails += !agree(student_above(t, freedoms[f]), gsl_cdf_tdist_Q(t, freedoms[f]));
    }
    for (unsigned n = 1; n <= 40; n++)
        for (unsigned k = 1; k <= n; k++, tosses++)
            wrong_tosses += !agree(heads_at_least(k, n), gsl_cdf_binomial_Q(k - 1, 0.5, n));
    expect_none(selftest, wrong_quantiles, quantiles, "quantiles of Student's t that are not GSL's to ten digits");
    expect_none(selftest, wrong_tails, tails, "tails of Student's t that are not GSL's to ten digits");
    expect_none(selftest, wrong_tosses, tosses, "tails of tossed coins that are not GSL's to ten digits");
}
