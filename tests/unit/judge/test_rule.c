#include "judge/rule.h"
#include "test.h"

/* Makes a row with sessions of one sample each. It is kept until the end of the process. */
static struct row *row_of(const double *values, size_t count)
{
    static struct row **kept;
    static size_t kept_count;
    struct row *row = *ARRAY_GROW(kept, kept_count) = x_calloc(1, sizeof *row);
    row->metric = x_strdup("made_up");
    for (size_t i = 0; i < count; i++)
        row_add_session(row, &values[i], 1);
    return row;
}

static bool near(double value, double expected)
{
    return fabs(value - expected) <= 1e-4 * fabs(expected);
}

Test(rule, the_spread_is_that_of_a_sample)
{
    const struct row *row = row_of((const double[]){10, 12, 14}, 3);
    const struct spread spread = rule_spread(row);
    cr_expect_eq(spread.mean, 12);
    cr_expect_eq(spread.deviation, 2);
    cr_expect_eq(spread.sessions, 3);
    cr_expect_eq(rule_spread(row_of((const double[]){10}, 1)).deviation, 0);
}

/* Quantiles of Student's distribution from printed tables: t(0.001) for 1, 2, 9 and 19 degrees of freedom, and t(0.01)
 * for 9. */
Test(rule, limits_are_those_of_the_formula)
{
    static const struct {
        size_t sessions, run_sessions;
        double deviation, floor, limit, detectable;
    } rows[] = {
        {1, 1, 0, 5, 5, NAN},
        {10, 1, 0, 5, 5, 5},
        {2, 1, 1, 0, 318.309 * 1.2247449, (318.309 + 31.8205) * 1.2247449},
        {3, 1, 1, 0, 22.3271 * 1.1547005, (22.3271 + 6.96456) * 1.1547005},
        {10, 1, 2, 0, 4.29681 * 2 * 1.0488088, (4.29681 + 2.82144) * 2 * 1.0488088},
        {10, 2, 2, 0, 4.29681 * 2 * 0.7745967, (4.29681 + 2.82144) * 2 * 0.7745967},
        {20, 1, 1, 100, 100, 100 + 2.53948 * 1.0246951},
        {20, 1, 1, 3.5, 3.57940 * 1.0246951, (3.57940 + 2.53948) * 1.0246951},
    };
    struct quantiles quantiles = {0}; /* one cache for all rows, as callers have it */
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const struct spread base = {.mean = 1000,
                                    .deviation = rows[i].deviation,
                                    .sessions = rows[i].sessions,
                                    .freedom = (double)rows[i].sessions - 1};
        const double limit = rule_limit(&quantiles, rows[i].floor, &base, rows[i].run_sessions);
        const double detectable = rule_detectable(&quantiles, rows[i].floor, &base, rows[i].run_sessions);
        cr_expect(near(limit, rows[i].limit), "row %zu: limit %.9g", i, limit);
        cr_expect(isnan(rows[i].detectable) ? isnan(detectable) : near(detectable, rows[i].detectable),
                  "row %zu: detectable %.9g", i, detectable);
    }
}

/* Sums of binomial coefficients over 2^n: of 14, P(>= 13) is 15 / 16384, P(>= 12) 106, P(>= 11) 470, P(>= 10) 1471. */
Test(rule, pairs_needed_are_the_binomial_ones)
{
    static const struct {
        size_t pairs, needed, doubtful;
    } rows[] = {{1, 2, 2}, {9, 10, 8}, {10, 10, 9}, {13, 13, 10}, {14, 13, 11}, {20, 18, 15}, {30, 24, 20}};
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        cr_expect_eq(rule_pairs_needed(rows[i].pairs, RULE_ALPHA), rows[i].needed, "%zu pairs: %zu", rows[i].pairs,
                     rule_pairs_needed(rows[i].pairs, RULE_ALPHA));
        cr_expect_eq(rule_pairs_needed(rows[i].pairs, RULE_DOUBT), rows[i].doubtful, "%zu pairs: %zu", rows[i].pairs,
                     rule_pairs_needed(rows[i].pairs, RULE_DOUBT));
    }
}

/* Times by the host's clock, of which no prior knows the spread, and one by the GPU's. */
static const struct metric lower_host = {
    .class = METRIC_TIME, .unit = "ns", .counter = "cugate.wall_time", .better = METRIC_LOWER};
static const struct metric higher_host = {
    .class = METRIC_TIME, .unit = "ns", .counter = "cugate.wall_time", .better = METRIC_HIGHER};
static const struct metric by_gpu = {.class = METRIC_TIME,
                                     .unit = "ns",
                                     .counter = "gpu__time_duration.sum",
                                     .clock = "sm_clock",
                                     .better = METRIC_LOWER};

/* Makes a row with pairs: '+' is 2 % up, '-' is 2 % down, '=' is exactly 1 % up. */
static struct row *row_of_pairs(const char *pairs)
{
    struct row *row = row_of((const double[]){1000}, 1);
    for (; *pairs; pairs++)
        row_add_pair(row, 1000, *pairs == '+' ? 1020 : *pairs == '-' ? 980 : 1010);
    return row;
}

Test(rule, pairs_are_decided_as_soon_as_no_other_can_change_it)
{
    static const struct {
        const char *pairs;
        enum paired lower, higher; /* the expected verdict if lower, or higher, is better */
    } rows[] = {
        {"", PAIRED_UNDECIDED, PAIRED_UNDECIDED},
        {"+", PAIRED_UNDECIDED, PAIRED_UNDECIDED},
        {"==", PAIRED_UNDECIDED, PAIRED_UNDECIDED},
        {"====", PAIRED_SAME, PAIRED_SAME},
        {"+=", PAIRED_UNDECIDED, PAIRED_UNDECIDED},
        {"+=+++++", PAIRED_UNDECIDED, PAIRED_UNDECIDED},
        {"+-+-", PAIRED_UNDECIDED, PAIRED_UNDECIDED},
        {"+-+-+-+-", PAIRED_SAME, PAIRED_SAME},
        {"++++++++++++=", PAIRED_UNDECIDED, PAIRED_UNDECIDED},
        {"++++++++++++==", PAIRED_DOUBTFUL, PAIRED_SAME},
        {"==++++++++++++", PAIRED_DOUBTFUL, PAIRED_SAME}, /* the order of pairs does not matter */
        {"+++++++++++==", PAIRED_DOUBTFUL, PAIRED_SAME},
        {"+++++++++++===", PAIRED_DOUBTFUL, PAIRED_SAME},
        {"++++++++++====", PAIRED_SAME, PAIRED_SAME},
        {"++++++++++==", PAIRED_UNDECIDED, PAIRED_SAME},
        {"++++++++++++=+", PAIRED_WORSE, PAIRED_BETTER},
        {"+++++++++++++", PAIRED_WORSE, PAIRED_BETTER},
        {"-------------", PAIRED_BETTER, PAIRED_WORSE},
        {"+++++++++++++-", PAIRED_WORSE, PAIRED_BETTER},
        {"++++++++++++++++++==", PAIRED_WORSE, PAIRED_BETTER}, /* 18 of 20 pairs decide */
        {"+++++++++++++++++===", PAIRED_DOUBTFUL, PAIRED_SAME},
        {"++++++++++++++======", PAIRED_SAME, PAIRED_SAME},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const struct row *row = row_of_pairs(rows[i].pairs);
        cr_expect_eq(rule_pairs(row, &lower_host, NULL, NULL), rows[i].lower, "%s, lower is better", rows[i].pairs);
        cr_expect_eq(rule_pairs(row, &higher_host, NULL, NULL), rows[i].higher, "%s, higher is better", rows[i].pairs);
    }
    size_t worse, better;
    rule_pairs(row_of_pairs("++=-+"), &lower_host, &worse, &better);
    cr_expect(worse == 3 && better == 1);
    rule_pairs(row_of_pairs("++=-+"), &higher_host, &worse, &better);
    cr_expect(worse == 1 && better == 3);
}

/* d is ln(head / base) of each pair. With a probability of 9.386e-6, t is 49.0 for 4 pairs, 23.7 for 5, 15.7 for 6. */
Test(rule, what_is_large_is_decided_by_few_pairs_that_agree)
{
    static const struct {
        size_t pairs; /* number of pairs at which size decides it; 0: it does not */
        double d[12];
    } rows[] = {
        {4, {0.405, 0.405, 0.405, 0.405}},
        {4, {0.256, 0.256, 0.256, 0.256}}, /* the limit is 0.00995 + 49.0 * 0.01 / 2 = 0.2547 */
        {0, {0.253, 0.253, 0.253, 0.253}},
        {5, {0.117, 0.117, 0.117, 0.117, 0.117}}, /* the limit is 0.1160 */
        {0, {0.115, 0.115, 0.115, 0.115, 0.115}},
        {6, {0.075, 0.075, 0.075, 0.075, 0.075, 0.075}}, /* the limit is 0.0742 */
        {12, {0.031, 0.031, 0.031, 0.031, 0.031, 0.031, 0.031, 0.031, 0.031, 0.031, 0.031, 0.031}},
        {0, {0.030, 0.030, 0.030, 0.030, 0.030, 0.030, 0.030, 0.030, 0.030, 0.030, 0.030, 0.030}},
        {4, {0.9256, 0.9240, 0.9233, 0.9229}},                /* recorded: transpose/padded without its pad */
        {5, {0.405, 0.405, 0.405, 0.45, 0.405}},              /* at 4 pairs the spread is too large to decide */
        {0, {2.0, 0.02, 2.0, 2.0}},                           /* one pair is small, so the spread is large */
        {0, {2.0, 2.0, 2.0, 0.009, 2.0, 2.0, 2.0, 2.0, 2.0}}, /* one pair is within the margin, so size never decides */
        {0, {2.0, 2.0, 2.0, -2.0, 2.0, 2.0}},
        {0, {0.4, 0.4, 0.4}},
        /* recorded pairs of equal builds of transfer/pageable, only those above 0 */
        {0, {0.1026, 0.3859, 0.0146, 0.0610}},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        for (int sign = -1; sign <= 1; sign += 2) {
            struct row *row = row_of((const double[]){1000}, 1);
            size_t decided = 0;
            for (size_t n = 0; n < ARRAY_SIZE(rows[i].d) && rows[i].d[n] != 0; n++) {
                row_add_pair(row, 1000, 1000 * exp(sign * rows[i].d[n]));
                const enum paired lower = rule_pairs(row, &lower_host, NULL, NULL);
                const enum paired higher = rule_pairs(row, &higher_host, NULL, NULL);
                const enum paired worse = sign > 0 ? lower : higher, better = sign > 0 ? higher : lower;
                cr_expect((worse == PAIRED_WORSE) == (better == PAIRED_BETTER), "row %zu, %zu pairs", i, n + 1);
                cr_expect(decided == 0 || worse == PAIRED_WORSE, "row %zu: no more so at %zu pairs", i, n + 1);
                if (worse == PAIRED_WORSE && decided == 0)
                    decided = n + 1;
            }
            cr_expect_eq(decided, rows[i].pairs, "row %zu: decided at %zu pairs, not %zu", i, decided, rows[i].pairs);
        }
}

Test(rule, two_pairs_decide_what_is_far_by_the_gpu_s_clock)
{
    static const struct {
        struct pair pairs[3];
        enum paired expected;
    } rows[] = {
        {{{1000, 1510}, {1000, 1600}}, PAIRED_WORSE},
        {{{1510, 1000}, {1600, 1000}}, PAIRED_BETTER},
        {{{1000, 1600}}, PAIRED_UNDECIDED},
        {{{1000, 1600}, {1000, 1500}}, PAIRED_UNDECIDED},
        {{{1000, 1600}, {1600, 1000}}, PAIRED_UNDECIDED},
        {{{1000, 1600}, {0, 1000}}, PAIRED_UNDECIDED},
        {{{1600, 1000}, {1000, 0}}, PAIRED_UNDECIDED},
        {{{1000, 1600}, {1000, 1600}, {1000, 900}}, PAIRED_WORSE}, /* whatever follows */
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct row *row = row_of((const double[]){1000}, 1);
        for (size_t n = 0; n < 3 && rows[i].pairs[n].base + rows[i].pairs[n].head > 0; n++)
            row_add_pair(row, rows[i].pairs[n].base, rows[i].pairs[n].head);
        cr_expect_eq(rule_pairs(row, &by_gpu, NULL, NULL), rows[i].expected, "row %zu", i);
        cr_expect_eq(rule_pairs(row, &lower_host, NULL, NULL), PAIRED_UNDECIDED, "row %zu", i);
    }
}

/* A decision stands, whatever further pairs a file has. */
Test(rule, what_was_decided_by_size_stays_so)
{
    struct row *row = row_of((const double[]){1000}, 1);
    for (size_t i = 0; i < RULE_EARLY; i++)
        row_add_pair(row, 1000, 1500);
    for (size_t i = 0; i < 20; i++) {
        cr_expect_eq(rule_pairs(row, &lower_host, NULL, NULL), PAIRED_WORSE, "%zu pairs more", i);
        row_add_pair(row, 1000, 900);
    }
}

Test(rule, a_time_of_nothing_decides_nothing_by_size)
{
    static const struct pair pairs[] = {{0, 1}, {0, 0}, {1, 0}};
    for (size_t i = 0; i < ARRAY_SIZE(pairs); i++) {
        struct row *row = row_of((const double[]){1000}, 1);
        for (size_t n = 0; n < 6; n++)
            row_add_pair(row, pairs[i].base, pairs[i].head);
        const enum paired paired = rule_pairs(row, &lower_host, NULL, NULL);
        cr_expect(paired != PAIRED_WORSE && paired != PAIRED_BETTER, "pair %zu", i);
    }
}

Test(rule, the_clock_must_be_steady_and_that_of_the_baseline)
{
    static const struct {
        double now[5];
        double base; /* the baseline's clock; 0: it has none */
        const char *why;
    } rows[] = {
        {{2e9, 2e9, 2e9, 2e9, 2e9}, 2e9, ""},
        {{2e9, 2e9, 2e9, 2e9, 2e9}, 0, ""},
        {{1.96e9, 2e9, 2.04e9, 2e9, 2e9}, 2e9, ""},
        {{2e9, 2e9, 2e9, 2e9, 1e9}, 2e9, ""}, /* four of five samples, 80 %, have the clock, which is enough */
        {{2e9, 2e9, 2e9, 1.9e9, 1e9}, 2e9, "3 of 5 samples"},
        {{2e9, 2e9, 2e9, 2e9, 2e9}, 1.95e9, "2000 MHz, in the baseline 1950 MHz"},
        {{2e9, 2e9, 2e9, 2e9, 2e9}, 2.05e9, "2000 MHz, in the baseline 2050 MHz"},
        {{2e9, 2e9, 2e9, 2e9, 2e9}, 2.03e9, ""},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        char why[160];
        struct row *now = row_of((const double[]){2e9}, 1); /* the run also has an earlier session, which is steady */
        row_add_session(now, rows[i].now, 5);
        const struct row *base = rows[i].base > 0 ? row_of(&rows[i].base, 1) : NULL;
        cr_expect_eq(rule_precondition(now, base, why, sizeof why), *rows[i].why == '\0', "row %zu: %s", i, why);
        cr_expect_not_null(strstr(why, rows[i].why), "row %zu: %s", i, why);
        cr_expect_eq(*why == '\0', *rows[i].why == '\0', "row %zu: %s", i, why);
    }
    char why[160];
    cr_expect(rule_precondition(NULL, row_of((const double[]){2e9}, 1), why, sizeof why), "no clock was measured");
}

Test(rule, two_groups_have_a_gap_that_is_wide_beside_them)
{
    static const struct {
        double samples[10];
        size_t count;
        bool two;
    } rows[] = {
        {{100}, 1, false},
        {{100, 200}, 2, false},
        {{100, 100, 200}, 3, false},
        {{100, 100, 200, 200}, 4, true},
        {{200, 100, 200, 100, 200}, 5, true},
        {{100, 100, 100, 100, 200}, 5, false},         /* a single outlier is no second group */
        {{100, 100, 102, 102, 102}, 5, false},         /* a gap of exactly 2 % is not enough */
        {{100, 100, 102.1, 102.1, 102.1}, 5, true},    /* a gap of more than 2 % makes two groups */
        {{100, 102, 104.5, 105, 107}, 5, false},       /* the gap of 2.5 % is only as wide as the groups */
        {{100, 100, 90, 110, 103.5, 103.5}, 6, false}, /* the gap is only as wide as the groups */
        {{100, 100, 100, 100, 100, 100, 100, 100, 110, 110}, 10, true},
        {{100, 100, 100, 100, 100, 100, 100, 100, 100, 110}, 10, false},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        char why[160] = "";
        double low, high;
        struct row *row = row_of((const double[]){100}, 1);
        row_add_session(row, rows[i].samples, rows[i].count);
        cr_expect_eq(rule_two_groups(row, &low, &high, why, sizeof why), rows[i].two, "row %zu", i);
        cr_expect_eq(*why != '\0', rows[i].two, "row %zu: %s", i, why);
    }
}

Test(rule, findings_need_every_session)
{
    static const struct {
        enum metric_class class;
        enum metric_better better;
        double base[4], now[3]; /* a 0 ends each list */
        double shift;
        enum finding finding;
        size_t agree;
    } rows[] = {
        {METRIC_TIME, METRIC_LOWER, {1000, 1000}, {1021}, 0, FOUND_WORSE, 1},
        {METRIC_TIME, METRIC_LOWER, {1000, 1000}, {1020}, 0, FOUND_SAME, 0},
        {METRIC_TIME, METRIC_LOWER, {1000, 1000}, {979}, 0, FOUND_BETTER, 1},
        {METRIC_TIME, METRIC_HIGHER, {1000, 1000}, {979}, 0, FOUND_WORSE, 1},
        {METRIC_TIME, METRIC_LOWER, {1000, 1000}, {1021, 1050}, 0, FOUND_WORSE, 2},
        {METRIC_TIME, METRIC_LOWER, {1000, 1000}, {1050, 1000}, 0, FOUND_MIXED, 1},
        {METRIC_TIME, METRIC_LOWER, {1000, 1000}, {1030, 1000}, 0, FOUND_SAME, 1},
        {METRIC_TIME, METRIC_LOWER, {1000, 1000}, {1050, 950}, 0, FOUND_SAME, 1},
        {METRIC_TIME, METRIC_LOWER, {1000, 1000}, {970, 950}, 0, FOUND_BETTER, 2},
        {METRIC_TIME, METRIC_LOWER, {1000, 1000}, {1050}, 0.05, FOUND_SAME, 0},
        {METRIC_TIME, METRIC_LOWER, {1000, 1000}, {1000}, 0.05, FOUND_BETTER, 1},
        {METRIC_TIME, METRIC_LOWER, {1000, 1000}, {1000}, -0.05, FOUND_WORSE, 1},
        /* the limit is 22.3 * 10 * 1.15 = 258 */
        {METRIC_STEADY, METRIC_LOWER, {990, 1000, 1010}, {1250}, 0, FOUND_SAME, 0},
        {METRIC_STEADY, METRIC_LOWER, {990, 1000, 1010}, {1260}, 0, FOUND_WORSE, 1},
        /* few sessions: the limit is 5 % at most */
        {METRIC_TIME, METRIC_LOWER, {990, 1000, 1010}, {1050}, 0, FOUND_SAME, 0},
        {METRIC_TIME, METRIC_LOWER, {990, 1000, 1010}, {1051}, 0, FOUND_WORSE, 1},
        {METRIC_EXACT, METRIC_LOWER, {1000, 1000}, {1001}, 0, FOUND_WORSE, 1},
        {METRIC_EXACT, METRIC_LOWER, {1000, 1000}, {1001, 1001}, 0, FOUND_WORSE, 2},
        {METRIC_EXACT, METRIC_LOWER, {1000, 1000}, {1001, 1000}, 0, FOUND_NONREPEATING, 0},
        {METRIC_EXACT, METRIC_LOWER, {1000, 1000}, {1300, 1301}, 0, FOUND_WORSE, 2},
        {METRIC_STATIC, METRIC_HIGHER, {50}, {49.9}, 0, FOUND_WORSE, 1},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const struct metric metric = {.class = rows[i].class,
                                      .better = rows[i].better,
                                      .floor_relative = rows[i].class == METRIC_TIME ? 0.02 : 0};
        struct quantiles quantiles = {0};
        size_t base = 0, now = 0;
        while (base < 4 && rows[i].base[base] > 0)
            base++;
        while (now < 3 && rows[i].now[now] > 0)
            now++;
        const struct assessment found = rule_assess(&quantiles, &metric, row_of(rows[i].base, base),
                                                    row_of(rows[i].now, now), rows[i].shift, NULL, (struct prior){0});
        cr_expect_eq(found.finding, rows[i].finding, "row %zu: %d", i, (int)found.finding);
        cr_expect_eq(found.agree, rows[i].agree, "row %zu: %zu", i, found.agree);
        cr_expect_eq(found.sessions, now);
        cr_expect_eq(found.base.sessions, base);
    }
}

Test(rule, floors_are_the_larger_of_the_two)
{
    const struct metric metric = {.class = METRIC_TIME, .floor_absolute = 250, .floor_relative = 0.02};
    cr_expect_eq(rule_floor(&metric, 1000), 250);
    cr_expect_eq(rule_floor(&metric, 100000), 2000);
}

/* On a GPU that the baseline does not know, each GPU counts once, by the mean of its sessions. */
Test(rule, on_another_gpu_gpus_count_and_not_sessions)
{
    static const struct metric metric = {.class = METRIC_TIME, .better = METRIC_LOWER};
    const struct row *now = row_of((const double[]){1000, 1000}, 2);
    const struct {
        size_t first, gpus; /* sessions of the first GPU; the others share the rest equally */
        double limit;
    } rows[] = {
        {0, 0, 3.733 * 10 * sqrt(16 / 15.0) * sqrt(1 / 2.0 + 1 / 16.0)},
        /* too few GPUs, so nothing may fail */
        {4, RULE_GPUS - 1, 3.733 * 10 * sqrt(16 / 15.0) * sqrt(1 / 2.0 + 1 / 16.0)},
        {2, RULE_GPUS, 4.785 * 10 * sqrt(8 / 7.0) * sqrt(1 + 1 / 8.0)},
        {9, RULE_GPUS, 4.785 * 10 * sqrt(8 / 7.0) * sqrt(1 + (81 + 7) / 256.0)},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct quantiles quantiles = {0};
        double values[2 * RULE_GPUS];
        size_t of[ARRAY_SIZE(values)];
        for (size_t s = 0; s < ARRAY_SIZE(values); s++) {
            const size_t each = rows[i].first == 9 ? 1 : 2;
            of[s] = rows[i].first == 0 ? s / 2 : s < rows[i].first ? 0 : 1 + (s - rows[i].first) / each;
            values[s] = of[s] % 2 ? 1010 : 990; /* all sessions of a GPU are equal */
        }
        const struct gpus others = {of, rows[i].gpus};
        const struct row *base = row_of(values, ARRAY_SIZE(values));
        const double limit =
            rule_assess(&quantiles, &metric, base, now, 0, rows[i].gpus ? &others : NULL, (struct prior){0}).limit;
        const double spread = rows[i].gpus == RULE_GPUS - 1 ? rule_spread(base).deviation / 10 / sqrt(16 / 15.0) : 1;
        cr_expect(fabs(limit / rows[i].limit / spread - 1) < 0.001, "row %zu: %g, not %g", i, limit, rows[i].limit);
    }
}

/* A count that never repeated is judged by its spread once that is known. */
Test(rule, a_count_that_never_repeated_has_a_limit)
{
    static const struct metric metric = {.class = METRIC_EXACT, .better = METRIC_LOWER};
    static const struct {
        double base[4], now;
        enum finding finding;
    } rows[] = {
        {{1000000, 1000001}, 1009999, FOUND_SAME}, /* with two sessions 1 % is allowed */
        {{1000000, 1000001}, 1010002, FOUND_WORSE},
        {{1000000, 1000001, 1000002}, 1000025, FOUND_SAME}, /* the limit is 22.3 * 1 * 1.15 = 25.8 */
        {{1000000, 1000001, 1000002}, 1000028, FOUND_WORSE},
        {{1000000, 1000000, 1000000, 1000300}, 1000300, FOUND_SAME}, /* it may be as bad as it was */
        {{1000000, 1000000, 1000000}, 1000001, FOUND_WORSE},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct quantiles quantiles = {0};
        size_t count = 0;
        while (count < 4 && rows[i].base[count] > 0)
            count++;
        const struct assessment found = rule_assess(&quantiles, &metric, row_of(rows[i].base, count),
                                                    row_of(&rows[i].now, 1), 0, NULL, (struct prior){0});
        cr_expect_eq(found.finding, rows[i].finding, "row %zu: %d, limit %g", i, (int)found.finding, found.limit);
    }
}

/* Samples that differ within sessions do not make three equal medians less equal. */
Test(rule, equal_medians_of_a_count_that_does_not_repeat_have_no_slack)
{
    static const struct metric metric = {.class = METRIC_EXACT, .better = METRIC_LOWER};
    struct row *base = row_of((const double[]){1000000}, 1);
    struct row *now = row_of((const double[]){1000100}, 1);
    row_add_session(base, (const double[]){1000000, 1000000, 1000001}, 3);
    row_add_session(base, (const double[]){1000000}, 1);
    struct quantiles quantiles = {0};
    cr_expect_eq(rule_assess(&quantiles, &metric, base, now, 0, NULL, (struct prior){0}).finding, FOUND_WORSE);
}
