#include "model/sample.h"
#include "test.h"

#define SECTION(name, rest)                                                                                            \
    "[" name "]\ntitle = T\ncounter = " name "\nunit = count\nclass = info\nbetter = lower\ndoc = d\n" rest

/* The metrics of these tests: a count, and a ratio with that count as denominator, in both orders. */
enum { COUNT, RATIO, METRICS };

static struct metrics metrics;

static void set_up(void)
{
    cr_assert_eq(metrics_read_text(&metrics, "x.ini", SECTION("count", "") SECTION("ratio", "weight = count\n")), 0);
    cr_assert_eq(metrics_check(&metrics), 0);
    cr_assert_eq(metrics.count, METRICS);
}

DO(tear_down(void), metrics_release(&metrics));

TestSuite(sample, .init = set_up, .fini = tear_down);

/* Launches of different sizes combine to one ratio, (sum n) / (sum d), from n/d and d of each. */
Test(sample, a_weighed_mean_is_the_ratio_of_the_sums)
{
    static const double parts[][4][2] = {
        {{3, 4}, {1, 2}, {0, 5}, {10, 1}},
        {{1e12, 1e15}, {7, 3}, {1, 1}, {5e3, 9e3}},
        {{1, 3}, {1, 3}, {1, 3}, {1, 3}},
        {{31.9e6, 1e6}, {18.6e3, 1e3}, {1, 32}, {2, 64}},
    };
    for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
        struct value readings[ARRAY_SIZE(parts[0])][METRICS], combined[METRICS];
        double numerators = 0, denominators = 0;
        for (size_t launch = 0; launch < ARRAY_SIZE(readings); launch++) {
            const double n = parts[i][launch][0], d = parts[i][launch][1];
            readings[launch][COUNT] = measured(d);
            readings[launch][RATIO] = measured(n / d);
            numerators += n;
            denominators += d;
        }
        sample_combine(&metrics, readings[0], ARRAY_SIZE(readings), combined);
        const double expected = numerators / denominators;
        cr_expect_eq(combined[RATIO].state, VALUE_MEASURED);
        cr_expect_float_eq(combined[RATIO].number, expected, expected * 1e-15, "%zu: %.17g, not %.17g", i,
                           combined[RATIO].number, expected);
        cr_expect_eq(combined[COUNT].number, denominators);
    }
}

Test(sample, a_single_launch_stays_as_it_is_to_the_last_bit)
{
    static const double ratios[] = {0,      0.1,    1.0 / 3, 99.97313, 31.999999999999996, 0x1.fffffffffffffp-1,
                                    5e-324, 1.7e308};
    static const double weights[] = {1, 3, 0.1, 1e-300, 7e15, 1.7e308};
    for (size_t r = 0; r < ARRAY_SIZE(ratios); r++) {
        for (size_t w = 0; w < ARRAY_SIZE(weights); w++) {
            const struct value readings[METRICS] = {measured(weights[w]), measured(ratios[r])};
            struct value combined[METRICS];
            sample_combine(&metrics, readings, 1, combined);
            cr_expect_eq(memcmp(&combined[RATIO].number, &ratios[r], sizeof ratios[r]), 0, "%a became %a", ratios[r],
                         combined[RATIO].number);
            cr_expect_eq(combined[COUNT].number, weights[w]);
        }
    }
}

Test(sample, nothing_to_weigh_by_is_not_applicable)
{
    const struct value readings[][METRICS] = {{measured(0), measured(0)}, {measured(0), {VALUE_NOT_COUNTED, 0}}};
    struct value combined[METRICS];
    for (size_t launches = 1; launches <= ARRAY_SIZE(readings); launches++) {
        sample_combine(&metrics, readings[0], launches, combined);
        cr_expect_eq(combined[RATIO].state, VALUE_NOT_APPLICABLE);
        cr_expect_eq(combined[COUNT].state, VALUE_MEASURED);
        cr_expect_eq(combined[COUNT].number, 0);
    }
}

/* A launch with 0/0 may read as anything, even as a failure; the other launches still give a ratio. */
Test(sample, a_launch_of_no_weight_has_no_say)
{
    const struct value readings[][METRICS] = {{measured(0), measured(1e9)},
                                              {measured(4), measured(0.5)},
                                              {measured(0), {VALUE_NOT_COUNTED, 0}},
                                              {measured(12), measured(0.25)}};
    struct value combined[METRICS];
    sample_combine(&metrics, readings[0], ARRAY_SIZE(readings), combined);
    cr_expect_eq(combined[RATIO].state, VALUE_MEASURED);
    cr_expect_eq(combined[RATIO].number, (4 * 0.5 + 12 * 0.25) / 16);
}

Test(sample, a_launch_without_a_reading_leaves_no_number)
{
    for (enum value_state state = VALUE_NOT_COUNTED; state < VALUE_STATES; state++) {
        for (size_t missing = 0; missing < 3; missing++) {
            struct value readings[3][METRICS], combined[METRICS];
            for (size_t launch = 0; launch < ARRAY_SIZE(readings); launch++)
                readings[launch][COUNT] = readings[launch][RATIO] = measured(1);

            readings[missing][RATIO].state = state;
            sample_combine(&metrics, readings[0], ARRAY_SIZE(readings), combined);
            cr_expect_eq(combined[RATIO].state, state);
            cr_expect_eq(combined[COUNT].state, VALUE_MEASURED);
            cr_expect_eq(combined[COUNT].number, 3);

            /* Without its weight, a ratio has no mean either. */
            readings[missing][RATIO].state = VALUE_MEASURED;
            readings[missing][COUNT].state = state;
            sample_combine(&metrics, readings[0], ARRAY_SIZE(readings), combined);
            cr_expect_eq(combined[RATIO].state, state);
            cr_expect_eq(combined[COUNT].state, state);
        }
    }
}

/* In the repository's own metrics, each weight is a metric that is summed over launches. */
Test(sample, weights_are_counts_themselves)
{
    OWNED(metrics) own;
    cr_assert_eq(metrics_read_folder(&own, "metrics"), 0);
    EACH(const struct metric, metric, own.list, own.count)
        if (metric->weight)
            cr_expect_null(metrics_find(&own, metric->weight)->weight, "%s is weighed by %s", metric->name,
                           metric->weight);
}

Test(sample, states_have_different_names)
{
    for (enum value_state state = 0; state < VALUE_STATES; state++)
        for (enum value_state other = 0; other < state; other++)
            cr_expect_str_neq(value_state_name(state), value_state_name(other));
}
