/* Q5: the whole gate, with the noise of the recorded sessions. */
#include "simulate.h"

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>

#define CLEAN_CHECKS 600
#define PLANTED_CHECKS 120
#define PLANTED_KERNELS 5 /* of a check: few enough that the suite does not seem to move */

/* To add a way to a verdict: a row. A base library is compared on the GPU at hand, so it does best where that is new.
 */
static const struct way {
    bool known;  /* GPU */
    size_t gpus; /* of the baseline */
    bool lopsided;
    enum route route;
    const char *words;
} ways[] = {
    {true, SIMULATED_GPUS, false, ROUTE_SESSION, "second session, known GPU"},
    {false, SIMULATED_GPUS, false, ROUTE_SESSION, "second session, new GPU"},
    {false, RULE_GPUS, false, ROUTE_SESSION, "second session, new GPU of 9"},
    {false, RULE_GPUS, true, ROUTE_SESSION, "second session, new GPU of 9, most sessions of one"},
    {false, SIMULATED_GPUS, false, ROUTE_AGAINST, "base library, new GPU"},
    {false, SIMULATED_GPUS, false, ROUTE_PAIRED, "base library --paired, new GPU"},
};
/* By their place in ways[]. */
enum { KNOWN, NEW, NEW_OF_MANY, NEW_OF_LOPSIDED, AGAINST, PAIRED };

static bool may_fail(const struct way *way)
{
    return way->known || way->gpus >= RULE_GPUS || way->route != ROUTE_SESSION;
}

/* Median and worst share of one component over all kernels. */
static void tell_share(const struct nature *nature, const char *what, size_t place)
{
    OWNED_MEMORY double *shares = x_calloc(nature->count, sizeof *shares);
    for (size_t i = 0; i < nature->count; i++) {
        const struct noise *time = &nature->kernels[i][0];
        const double components[] = {time->gpu, time->session, time->sample};
        shares[i] = 100 * components[place] / time->mean;
    }
    gsl_sort(shares, 1, nature->count);
    tell(nature->selftest, "noise of time %s: median %.2f %%, 90 of 100 kernels %.2f %%, worst %.2f %%", what,
         gsl_stats_median_from_sorted_data(shares, 1, nature->count),
         gsl_stats_quantile_from_sorted_data(shares, 1, nature->count, 0.9), shares[nature->count - 1]);
}

void q5_noise(struct selftest *selftest)
{
    OWNED(nature) nature;
    nature_init(&nature, selftest);
    tell(selftest,
         "%zu recorded sessions of %zu kernels; simulated: %d of them, baseline of %d sessions on %d GPUs, or on %d",
         selftest->session_count, nature.count, SIMULATED_KERNELS, SIMULATED_SESSIONS, SIMULATED_GPUS, RULE_GPUS);
    tell_share(&nature, "between GPUs", 0);
    tell_share(&nature, "between sessions of one GPU", 1);
    tell_share(&nature, "between samples of one session", 2);
}

void q5_clean(struct selftest *selftest)
{
    OWNED(nature) nature;
    nature_init(&nature, selftest);
    for (size_t r = 0; r < ARRAY_SIZE(ways); r++) {
        size_t red = 0, unsure = 0;
        char words[96];
        for (int i = 0; i < CLEAN_CHECKS; i++) {
            struct check check;
            check_draw(&check, &nature, ways[r].known, ways[r].gpus, ways[r].lopsided);
            const enum exit_code code = simulated_judge(&check, ways[r].route);
            red += code == EXIT_REGRESSED;
            unsure += code == EXIT_UNSURE;
            simulated_release(&check);
        }
        snprintf(words, sizeof words, "clean checks, %s: false red, 1 in 200", ways[r].words);
        expect_at_most(selftest, red, CLEAN_CHECKS, 1 / 200.0, words);
        tell(selftest, "clean checks, %s: unsure %zu of %d", ways[r].words, unsure, CLEAN_CHECKS);
    }
}

/* Without a base library the limit decides, and the limit of a noisy or a very short kernel is wide: hence the figures
 * without a bar. On a new GPU, and few known, sessions alone fail beyond 10 %, so there it is enough that nothing
 * passes.
 */
static const struct fault {
    double slower, rate; /* rate 0: told, no bar */
    size_t way;          /* of ways[] */
} faults[] = {
    {0.10, 0.95, KNOWN},    {0.05, 0, KNOWN},      {0.03, 0, KNOWN},      {0.10, 0.95, NEW},    {0.10, 0, NEW_OF_MANY},
    {0.05, 0, NEW_OF_MANY}, {0.05, 0.95, AGAINST}, {0.03, 0.90, AGAINST}, {0.05, 0.95, PAIRED}, {0.03, 0.90, PAIRED},
};

/* Planted faults that gave the verdict, or another that does not pass. */
static size_t count_caught(const struct nature *nature, const struct fault *fault, const struct way *way)
{
    size_t caught = 0;
    for (int i = 0; i < PLANTED_CHECKS; i++) {
        struct check check;
        check_draw(&check, nature, way->known, way->gpus, way->lopsided);
        for (size_t k = 0; k < PLANTED_KERNELS; k++)
            check.slower[k] = fault->slower;
        simulated_judge(&check, way->route);
        for (size_t k = 0; k < PLANTED_KERNELS; k++)
            caught += check_time(&check, k) == VERDICT_REGRESSED ||
                      (!may_fail(way) && check_time(&check, k) == VERDICT_UNSURE);
        simulated_release(&check);
    }
    return caught;
}

void q5_planted(struct selftest *selftest)
{
    const size_t trials = (size_t)PLANTED_CHECKS * PLANTED_KERNELS;
    OWNED(nature) nature;
    nature_init(&nature, selftest);
    EACH(const struct fault, fault, faults, ARRAY_SIZE(faults)) {
        const struct way *way = &ways[fault->way];
        const char *verdict = may_fail(way) ? "regressed" : "no pass";
        const size_t caught = count_caught(&nature, fault, way);
        char words[96];
        snprintf(words, sizeof words, "planted +%g %%, %s: %s, %g %%", 100 * fault->slower, way->words, verdict,
                 100 * fault->rate);
        if (fault->rate > 0)
            expect_at_least(selftest, caught, trials, fault->rate, words);
        else
            tell(selftest, "planted +%g %%, %s: %s %zu of %zu", 100 * fault->slower, way->words, verdict, caught,
                 trials);
    }
}

/* A disturbance that only the first session saw. It slows less than half of the kernels, or the suite moves. */
void q5_hiccup(struct selftest *selftest)
{
    OWNED(nature) nature;
    size_t red = 0;
    nature_init(&nature, selftest);
    for (int i = 0; i < PLANTED_CHECKS; i++) {
        struct check check;
        check_draw(&check, &nature, true, SIMULATED_GPUS, false);
        for (size_t k = 0; k < PLANTED_KERNELS; k++)
            check.hiccup[k] = 0.5;
        simulated_judge(&check, ROUTE_SESSION);
        for (size_t k = 0; k < PLANTED_KERNELS; k++)
            red += check_time(&check, k) == VERDICT_REGRESSED;
        simulated_release(&check);
    }
    expect_at_most(selftest, red, (size_t)PLANTED_CHECKS * PLANTED_KERNELS, 0.001,
                   "+50 % that a second session does not show: regressed, 1 in 1,000");
}

static bool on_one_gpu(const struct selftest *selftest, size_t a, size_t b)
{
    return strcmp(session_gpu(&selftest->sessions[a].run), session_gpu(&selftest->sessions[b].run)) == 0;
}

/* Two sessions of one GPU, as if every row had been confirmed, against all others or those of other GPUs. */
static enum exit_code compare_two(const struct selftest *selftest, size_t first, size_t second, bool known)
{
    OWNED_MEMORY bool *wanted = x_calloc(selftest->session_count, sizeof *wanted);
    OWNED(run) baseline, run;
    OWNED(comparison) comparison;
    for (size_t s = 0; s < selftest->session_count; s++)
        wanted[s] = s != first && s != second && (known || !on_one_gpu(selftest, s, first));
    merge_sessions(&baseline, selftest, wanted);
    for (size_t s = 0; s < selftest->session_count; s++)
        wanted[s] = s == first || s == second;
    merge_sessions(&run, selftest, wanted);
    for (size_t i = 0; i < run.result_count; i++) /* other code excuses nothing */
        for (size_t n = 0; n < run.results[i].launch_count; n++)
            run.results[i].launches[n].carve_out++;
    compare_runs(&comparison, &baseline, &run, &selftest->metrics, NULL);
    const enum exit_code code = comparison_exit_code(&comparison);
    return code;
}

void q5_recorded(struct selftest *selftest)
{
    static const struct {
        bool known;
        const char *words;
    } rows[] = {{true, "recorded, two sessions against all others: red, none"},
                {false, "recorded, two sessions against those of other GPUs: red, none"}};
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        size_t red = 0, unsure = 0, trials = 0;
        for (size_t a = 0; a < selftest->session_count; a++)
            for (size_t b = a + 1; b < selftest->session_count; b++) {
                if (!on_one_gpu(selftest, a, b))
                    continue;
                const enum exit_code code = compare_two(selftest, a, b, rows[i].known);
                red += code == EXIT_REGRESSED;
                unsure += code == EXIT_UNSURE;
                trials++;
            }
        expect_none(selftest, red, trials, rows[i].words);
        tell(selftest, "the same: unsure %zu of %zu", unsure, trials);
    }
}
