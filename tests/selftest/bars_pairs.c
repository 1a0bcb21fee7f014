/* Q4: the rule, on pairs of times. */
#include "selftest.h"

#include <gsl/gsl_randist.h>

#define SERIES 30000
#define SPREAD 0.005 /* of a pair's ratio */

/* Adds pairs as long as they decide nothing, as paired_run does. */
static enum paired judge_series(const struct selftest *selftest, struct row *row, double ratio)
{
    enum paired paired = PAIRED_UNDECIDED;
    row->pair_count = 0; /* the memory stays */
    while (row->pair_count < RULE_PAIR_COUNT && paired == PAIRED_UNDECIDED) {
        const double base = 20000 * (1 + gsl_ran_gaussian_ziggurat(selftest->rng, 0.01));
        row->pairs[row->pair_count++] =
            (struct pair){base, base * (ratio + gsl_ran_gaussian_ziggurat(selftest->rng, SPREAD))};
        paired = rule_pairs(row, metrics_find(&selftest->metrics, "time"), NULL, NULL);
    }
    return paired;
}

static struct row *row_for_pairs(struct run *run)
{
    struct row *row = result_add(run_add(run, "made/up"), "time");
    for (int i = 0; i < RULE_PAIR_COUNT; i++)
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
    OWNED(run) run = {0};
    struct row *row = row_for_pairs(&run);
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
    for (size_t i = 0; i < RULE_PAIR_COUNT; i++) {
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
    row->pair_count = RULE_PAIR_COUNT;
    return true;
}

void q4_recorded(struct selftest *selftest)
{
    size_t(*pairs)[2];
    const size_t count = gpu_pairs(selftest, &pairs);
    const struct run *first = &selftest->sessions[0].run;
    OWNED(run) run = {0};
    struct row *row = row_for_pairs(&run);
    size_t worse = 0, better = 0, trials = 0;
    for (int round = 0; count >= RULE_PAIR_COUNT && round < 100; round++) {
        gsl_ran_shuffle(selftest->rng, pairs, count, sizeof *pairs);
        for (size_t i = 0; i < first->result_count; i++) {
            if (!take_pairs(selftest, row, first->results[i].id, pairs))
                continue;
            const enum paired paired = rule_pairs(row, metrics_find(&selftest->metrics, row->metric), NULL, NULL);
            worse += paired == PAIRED_WORSE;
            better += paired == PAIRED_BETTER;
            trials++;
        }
    }
    expect_at_most(selftest, worse + better, trials, 0.001,
                   "recorded pairs of one GPU, same code: regressed or improved, 1 in 1,000");
    free(pairs);
}

/* ---- What few pairs decide, by noise that is not normal ---- */

#define COUNTED 13       /* pairs that counting takes to call a time worse or better */
#define MODES 0.08       /* between two modes of a kernel's processes, as far as any recorded one has them apart */
#define MODE_SPREAD 2e-3 /* within one */
#define MODES_FAR 0.3    /* further than any: what the rule cannot know */
#define WIDE 0.25        /* of ln(head / base): the recorded spread of transfer/pageable */

/* Draws ln(head / base) of two processes of equal builds. */
struct pair_noise {
    const double *list; /* recorded ones; or NULL */
    size_t count;
    double modes, spread; /* else halves that are in either of two modes, and normal beside */
    bool by_host;         /* of times by the host's clock */
};

static double draw_pair(const struct selftest *selftest, const struct pair_noise *noise)
{
    if (noise->list)
        return noise->list[gsl_rng_uniform_int(selftest->rng, noise->count)];
    const double head = (double)gsl_rng_uniform_int(selftest->rng, 2);
    const double base = (double)gsl_rng_uniform_int(selftest->rng, 2);
    return noise->modes * (head - base) + gsl_ran_gaussian_ziggurat(selftest->rng, noise->spread);
}

struct tally {
    size_t series, worse, better, early; /* early: worse or better by fewer pairs than counting takes */
    size_t two, soon;                    /* worse by two pairs, and by five at most */
    size_t changed;                      /* more pairs would have changed the answer */
};

/* Judges series of pairs as paired_run does, and each once more with all of its pairs. */
static void judge_noise(const struct selftest *selftest, struct row *row, const struct pair_noise *noise, double ratio,
                        int series, struct tally *tally)
{
    const struct metric *metric = metrics_find(&selftest->metrics, noise->by_host ? "wall_time" : "time");
    for (int i = 0; i < series; i++) {
        enum paired first = PAIRED_UNDECIDED, paired = PAIRED_UNDECIDED;
        size_t pairs = 0;
        row->pair_count = 0;
        while (row->pair_count < RULE_PAIR_COUNT) {
            row->pairs[row->pair_count++] = (struct pair){20000, 20000 * ratio * exp(draw_pair(selftest, noise))};
            paired = rule_pairs(row, metric, NULL, NULL);
            if (first == PAIRED_UNDECIDED) {
                first = paired;
                pairs = row->pair_count;
            }
        }
        const bool moved = first == PAIRED_WORSE || first == PAIRED_BETTER;
        tally->series++;
        tally->worse += first == PAIRED_WORSE;
        tally->better += first == PAIRED_BETTER;
        tally->early += moved && pairs < COUNTED;
        tally->two += first == PAIRED_WORSE && pairs == 2;
        tally->soon += first == PAIRED_WORSE && pairs <= 5;
        tally->changed += paired != first;
    }
}

/* ln(b / a) of those sessions of a kernel, by its time or else its wall time. Caller frees; fewer where it has none. */
static size_t recorded_noise(const struct selftest *selftest, const char *kernel, size_t (*pairs)[2], size_t count,
                             double **list, bool *by_host)
{
    size_t found = 0;
    *list = NULL;
    *by_host = false;
    for (size_t i = 0; i < count; i++) {
        double values[2];
        size_t sides = 0;
        for (; sides < 2; sides++) {
            const struct result *result = run_find(&selftest->sessions[pairs[i][sides]].run, kernel);
            const struct row *row = result ? result_find(result, "time") : NULL;
            if (result && (!row || row->state != VALUE_MEASURED)) {
                row = result_find(result, "wall_time");
                *by_host = true;
            }
            if (!row || row->state != VALUE_MEASURED)
                break;
            values[sides] = row_value(row);
        }
        if (sides == 2)
            *ARRAY_GROW(*list, found) = log(values[1] / values[0]);
    }
    return found;
}

/* The noise of every recorded kernel. Caller frees the list and those in it. */
static size_t recorded_noises(const struct selftest *selftest, struct pair_noise **noises)
{
    size_t(*pairs)[2];
    size_t found = 0;
    const size_t count = gpu_pairs(selftest, &pairs);
    const struct run *first = &selftest->sessions[0].run;
    *noises = NULL;
    for (size_t i = 0; i < first->result_count; i++) {
        double *list;
        bool by_host;
        const size_t size = recorded_noise(selftest, first->results[i].id, pairs, count, &list, &by_host);
        if (size > 0)
            *ARRAY_GROW(*noises, found) = (struct pair_noise){.list = list, .count = size, .by_host = by_host};
    }
    free(pairs);
    return found;
}

/* By the noise of every kernel in turn. */
static struct tally judge_recorded(const struct selftest *selftest, struct row *row, const struct pair_noise *noises,
                                   size_t count, double ratio, int series)
{
    struct tally tally = {0};
    for (size_t i = 0; i < count; i++)
        judge_noise(selftest, row, &noises[i], ratio, series, &tally);
    return tally;
}

static void tell_spreads(const struct selftest *selftest, const struct pair_noise *noises, size_t count)
{
    double *spreads = x_calloc(count, sizeof *spreads), largest = 0, furthest = 0;
    size_t wide = 0;
    for (size_t i = 0; i < count; i++) {
        double squares = 0;
        for (size_t k = 0; k < noises[i].count; k++) {
            squares += noises[i].list[k] * noises[i].list[k];
            furthest = fmax(furthest, fabs(noises[i].list[k]));
        }
        spreads[i] = sqrt(squares / (double)noises[i].count);
        wide += spreads[i] > RULE_PAIR_SPREAD;
        largest = fmax(largest, spreads[i]);
    }
    tell(selftest,
         "spread of recorded pairs of equal builds: median %.2f %%, of %zu of %zu kernels above %g %%; "
         "largest %.1f %%, single pairs up to %.1f %%",
         100 * median(spreads, count), wide, count, 100 * RULE_PAIR_SPREAD, 100 * largest, 100 * furthest);
    free(spreads);
}

void q4_early(struct selftest *selftest)
{
    static const struct pair_noise modes = {.modes = MODES, .spread = MODE_SPREAD},
                                   wide = {.spread = WIDE, .by_host = true},
                                   modes_far = {.modes = MODES_FAR, .spread = MODE_SPREAD};
    OWNED(run) run = {0};
    struct row *row = row_for_pairs(&run);
    struct pair_noise *noises;
    const size_t count = recorded_noises(selftest, &noises);
    tell_spreads(selftest, noises, count);
    const struct tally equal = judge_recorded(selftest, row, noises, count, 1, 1000);
    expect_at_most(selftest, equal.early, equal.series, 0.0001,
                   "recorded noise, equal builds: regressed or improved by 2 to 12 pairs, 1 in 10,000");
    const struct tally margin = judge_recorded(selftest, row, noises, count, 1 + RULE_MARGIN, 500);
    expect_at_most(selftest, margin.worse, margin.series, 0.001, "recorded noise, +1 %: regressed, 1 in 1,000");
    expect_at_most(selftest, margin.early, margin.series, 0.0001,
                   "recorded noise, +1 %: regressed by 2 to 12 pairs, 1 in 10,000");

    struct tally two = {0}, far = {0};
    judge_noise(selftest, row, &modes, 1, SERIES, &two);
    expect_at_most(selftest, two.worse, two.series, 0.001, "processes in two modes 8 % apart: regressed, 1 in 1,000");
    judge_noise(selftest, row, &wide, 1, SERIES, &far);
    expect_at_most(selftest, far.early, far.series, 0.001,
                   "pairs that spread by 25 %: regressed or improved by 4 to 12 of them, 1 in 1,000");

    const struct tally half = judge_recorded(selftest, row, noises, count, 1.5, 30);
    expect_at_least(selftest, half.soon, half.series, 0.95,
                    "recorded noise, +50 %: regressed by 5 pairs at most, 95 %");
    const struct tally twice = judge_recorded(selftest, row, noises, count, 2, 30);
    expect_at_least(selftest, twice.two, twice.series, 0.95, "recorded noise, +100 %: regressed by 2 pairs, 95 %");
    const struct tally tenth = judge_recorded(selftest, row, noises, count, 1.1, 30);
    expect_at_least(selftest, tenth.early, tenth.series, 0.9, "recorded noise, +10 %: regressed before counting, 90 %");
    expect_at_least(selftest, tenth.worse, tenth.series, 0.95, "recorded noise, +10 %: regressed, 95 %");
    const size_t series =
        equal.series + margin.series + two.series + far.series + half.series + twice.series + tenth.series;
    expect_none(selftest,
                equal.changed + margin.changed + two.changed + far.changed + half.changed + twice.changed +
                    tenth.changed,
                series, "series whose answer more pairs would change, none");
    struct tally apart = {0};
    judge_noise(selftest, row, &modes_far, 1, SERIES, &apart);
    tell(selftest, "processes in two modes 30 %% apart, which no recorded kernel has: regressed %zu of %zu",
         apart.worse, apart.series);
    for (size_t i = 0; i < count; i++)
        free((double *)noises[i].list);
    free(noises);
}
