/* Tests the statistics of a row by the cases of rule.txt, which says what their words mean. */
#include "cases.h"
#include "judge/rule.h"

/* The metric of the case, and its rows: the baseline's and the run's. */
static struct metric metric;
static struct result sides[2];

static struct row *side(bool is_now)
{
    return result_add(&sides[is_now], "made_up");
}

static void set_metric(void)
{
    metric.class = metric_class_of(word(1));
    metric.better = strcmp(word(2), "higher") == 0 ? METRIC_HIGHER : METRIC_LOWER;
    const struct member members[] = {{"share", .number = &metric.floor_relative},
                                     {"floor", .number = &metric.floor_absolute}};
    put_members(members, ARRAY_SIZE(members), 3);
}

DO(put_side(void), put_values(&sides[strcmp(word(0), "now") == 0], "made_up", word(1)));

static void put_pairs(void)
{
    for (size_t i = 1; i < word_count; i++) {
        char *const colon = strchr(word(i), ':');
        if (colon)
            *colon = '\0';
        for (const char *sign = word(i); !colon && *sign; sign++)
            row_add_pair(side(true), 1000, *sign == '+' ? 1020 : *sign == '-' ? 980 : 1010);
        if (colon)
            row_add_pair(side(true), number(word(i)), number(colon + 1));
    }
}

/* ---- What must come of it ---- */

static struct metric time_by(const char *counter, enum metric_better better)
{
    return (struct metric){.class = METRIC_TIME,
                           .unit = (char *)"ns",
                           .counter = (char *)counter,
                           .clock = *counter == 'g' ? (char *)"sm_clock" : NULL,
                           .better = better};
}

static const char *paired_name(enum paired paired)
{
    static const char *const names[] = {"undecided", "same", "worse", "better", "doubtful"};
    return names[paired];
}

static const char *pairs_by(const char *counter, enum metric_better better)
{
    const struct metric time = time_by(counter, better);
    return paired_name(rule_pairs(side(true), &time, NULL, NULL));
}

static void expect_paired(void)
{
    const char *lower = pairs_by("cugate.wall_time", METRIC_LOWER),
               *higher = pairs_by("cugate.wall_time", METRIC_HIGHER);
    CHECK(strcmp(lower, word(1)) == 0, "lower is better: %s", lower);
    CHECK(strcmp(higher, word(2)) == 0, "higher is better: %s", higher);
}

static void expect_by_gpu(void)
{
    const char *paired = pairs_by("gpu__time_duration.sum", METRIC_LOWER);
    CHECK(strcmp(paired, word(1)) == 0, "%s", paired);
}

static void expect_counts(void)
{
    for (enum metric_better better = METRIC_LOWER; better <= METRIC_HIGHER; better++) {
        const struct metric time = time_by("cugate.wall_time", better);
        size_t counts[2];
        rule_pairs(side(true), &time, &counts[better != METRIC_LOWER], &counts[better == METRIC_LOWER]);
        CHECK(counts[0] == whole(word(1)) && counts[1] == whole(word(2)), "%zu and %zu", counts[0], counts[1]);
    }
}

/* In both directions. A verdict stays, and worse for lower is better for higher. */
static void expect_by_size(void)
{
    for (int sign = -1; sign <= 1; sign += 2) {
        const enum metric_better worse_if = sign > 0 ? METRIC_LOWER : METRIC_HIGHER,
                                 better_if = sign > 0 ? METRIC_HIGHER : METRIC_LOWER;
        size_t decided = 0;
        row_clear(side(true));
        for (size_t n = 2; n < word_count; n++) {
            row_add_pair(side(true), 1000, 1000 * exp(sign * number(word(n))));
            const bool is_worse = strcmp(pairs_by("cugate.wall_time", worse_if), "worse") == 0,
                       is_better = strcmp(pairs_by("cugate.wall_time", better_if), "better") == 0;
            CHECK(is_worse == is_better && (decided == 0 || is_worse), "%zu pairs: %d, %d", n - 1, is_worse, is_better);
            decided = is_worse && decided == 0 ? n - 1 : decided;
        }
        CHECK(decided == whole(word(1)), "decided at %zu pairs", decided);
    }
}

static void expect_needed(void)
{
    const size_t pairs = whole(word(1)), sure = rule_pairs_needed(pairs, RULE_ALPHA),
                 doubtful = rule_pairs_needed(pairs, RULE_DOUBT);
    CHECK(sure == whole(word(2)) && doubtful == whole(word(3)), "%zu, %zu", sure, doubtful);
}

static void expect_limit(void)
{
    static struct quantiles quantiles; /* one cache for all rows, as callers have it */
    const struct spread base = {
        .mean = 1000, .deviation = number(word(3)), .sessions = whole(word(1)), .freedom = number(word(1)) - 1};
    const double floor = number(word(4)), limit = rule_limit(&quantiles, floor, &base, whole(word(2))),
                 detectable = rule_detectable(&quantiles, floor, &base, whole(word(2)));
    CHECK(fabs(limit / number(word(5)) - 1) <= 1e-5, "%.9g", limit);
    CHECK(isnan(number(word(6))) ? isnan(detectable) : fabs(detectable / number(word(6)) - 1) <= 1e-5, "%.9g",
          detectable);
}

static void expect_floor(void)
{
    CHECK(rule_floor(&metric, number(word(1))) == number(word(2)), "%g", rule_floor(&metric, number(word(1))));
}

static void expect_finding(void)
{
    static const char *const names[] = {"same", "better", "worse", "mixed", "non-repeating"};
    struct quantiles quantiles = {0};
    const struct row *was = side(false), *is = side(true);
    const struct assessment found =
        rule_assess(&quantiles, &metric, was, is, word_count > 3 ? number(word(3)) : 0, NULL, (struct prior){0});
    CHECK(strcmp(names[found.finding], word(1)) == 0, "%s, limit %g", names[found.finding], found.limit);
    CHECK(found.agree == whole(word(2)), "%zu agree", found.agree);
    CHECK(found.sessions == is->session_count && found.base.sessions == was->session_count, "%zu and %zu sessions",
          found.sessions, found.base.sessions);
}

static void expect_clock(void)
{
    char why[160];
    const char *expected = word_count > 1 ? word(1) : "";
    const bool fits =
        rule_precondition(result_find(&sides[1], "made_up"), result_find(&sides[0], "made_up"), why, sizeof why);
    CHECK(fits == !*expected && !*why == !*expected && strstr(why, expected), "%d: %s", fits, why);
}

static void expect_groups(void)
{
    char why[160] = "";
    double low, high;
    const bool two = rule_two_groups(side(true), &low, &high, why, sizeof why);
    CHECK(two == (whole(word(1)) != 0) && two == (*why != '\0'), "%d: %s", two, why);
}

static void begin(void)
{
    metric = (struct metric){.class = METRIC_TIME, .better = METRIC_LOWER};
}

static void end(void)
{
    for (size_t i = 0; i < ARRAY_SIZE(sides); i++) {
        result_release(&sides[i]);
        sides[i] = (struct result){0};
    }
}

Test(rule, cases)
{
    static const struct case_command commands[] = {
        {"base", put_side, false},       {"by_gpu", expect_by_gpu, true}, {"by_size", expect_by_size, false},
        {"clock", expect_clock, true},   {"counts", expect_counts, true}, {"finds", expect_finding, true},
        {"floor", expect_floor, true},   {"groups", expect_groups, true}, {"limit", expect_limit, true},
        {"metric", set_metric, false},   {"needed", expect_needed, true}, {"now", put_side, false},
        {"paired", expect_paired, true}, {"pairs", put_pairs, false},
    };
    const struct language language = {commands, ARRAY_SIZE(commands), begin, NULL, end};
    try_cases("tests/unit/judge/rule.txt", &language);
}

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

Test(rule, the_spread_is_that_of_a_sample)
{
    const struct row *row = row_of((const double[]){10, 12, 14}, 3);
    const struct spread spread = rule_spread(row);
    cr_expect_eq(spread.mean, 12);
    cr_expect_eq(spread.deviation, 2);
    cr_expect_eq(spread.sessions, 3);
    cr_expect_eq(rule_spread(row_of((const double[]){10}, 1)).deviation, 0);
}

/* On a GPU that the baseline does not know, each GPU counts once, by the mean of its sessions. */
Test(rule, on_another_gpu_gpus_count_and_not_sessions)
{
    metric = (struct metric){.class = METRIC_TIME, .better = METRIC_LOWER};
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
