#include "test.h"
#include "worker/samples.h"

#define SECTION(name, counter, unit)                                                                                   \
    "[" name "]\ntitle = T\ncounter = " counter "\nunit = " unit "\nclass = info\nbetter = lower\ndoc = d\n"

/* Wall time is both before and after the GPU's time, so that their order does not decide which one counts. */
enum { BANDWIDTH, FLOPS, WALL, TIME, LATE_WALL, OTHER, METRICS };

static void set_up(struct metrics *metrics)
{
    *metrics = (struct metrics){0};
    cr_assert_eq(metrics_read_text(
                     metrics, "x.ini",
                     SECTION("bandwidth", "cugate.bandwidth", "B/s") SECTION("flop_rate", "cugate.flop_rate", "FLOP/s")
                         SECTION("wall_time", "cugate.wall_time", "ns") SECTION("time", COUNTER_TIME, "ns")
                             SECTION("late_wall_time", "cugate.wall_time", "ns") SECTION("other", "a.sum", "count")),
                 0);
    cr_assert_eq(metrics->count, METRICS);
}

static const struct value absent = {VALUE_NOT_SUPPORTED, 0};

/* Fills in one sample; the two rates are not asked for. */
static void fill_one(struct result *result, struct value wall, struct value time)
{
    OWNED(metrics) metrics;
    set_up(&metrics);
    struct value values[METRICS] = {absent, measured(1), wall, time, wall, measured(7)};
    samples_fill(result, &metrics, values, 1, NULL);
}

Test(samples, one_sample_without_a_reading_leaves_its_state_alone)
{
    enum { SAMPLES = 3 };
    OWNED(metrics) metrics;
    set_up(&metrics);
    for (enum value_state state = VALUE_NOT_COUNTED; state < VALUE_STATES; state++) {
        for (size_t missing = 0; missing < SAMPLES; missing++) {
            struct value values[SAMPLES][METRICS];
            for (size_t s = 0; s < SAMPLES; s++) {
                for (size_t m = 0; m < METRICS; m++)
                    values[s][m] = measured((double)s + 1);
            }
            values[missing][OTHER] = (struct value){state, 12345};
            OWNED(result) result = {.bytes = 1};
            samples_fill(&result, &metrics, values[0], SAMPLES, NULL);
            expect_value(&result, "other", (struct value){state, 0});
            expect_value(&result, "time", measured(2));
            const struct row *row = result_find(&result, "time");
            cr_expect_eq(row->sessions[0].count, SAMPLES);
            cr_expect_eq(row->sessions[0].samples[0], 1);
            cr_expect_eq(row->sessions[0].samples[2], 3);
        }
    }
}

/* A negative or infinite reading counts as none, wherever it comes from. */
Test(samples, numbers_are_rounded_once_and_impossible_ones_not_counted)
{
    static const double numbers[] = {1.0 / 3, 18700.123456789, 99.97313123456, 123456789012345, 0x1p53 - 1,
                                     -1,      INFINITY,        -INFINITY};
    for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
        OWNED(result) result = {.bytes = 10};
        fill_one(&result, absent, measured(numbers[i]));
        expect_value(&result, "time", i < 5 ? measured(round_value(numbers[i])) : (struct value){VALUE_NOT_COUNTED, 0});
    }
}

/* The parent computes rates, and facts of machine code do not come from backends. */
Test(samples, what_is_not_sampled_gets_no_row)
{
    OWNED(metrics) metrics = {0};
    cr_assert_eq(metrics_read_text(&metrics, "x.ini",
                                   SECTION("registers", "cugate.registers", "count") SECTION("other", "a.sum", "count")
                                       SECTION("fit", "cugate.theoretical_occupancy", "%")
                                           SECTION("bandwidth", "cugate.bandwidth", "B/s")),
                 0);
    struct value values[] = {measured(1), measured(2), measured(3), measured(4)};
    OWNED(result) result = {0};
    samples_fill(&result, &metrics, values, 1, NULL);
    cr_expect_eq(result.row_count, 1);
    expect_value(&result, "other", measured(2));
}

Test(samples, of_some_metrics_there_is_the_first_sample_alone)
{
    OWNED(metrics) metrics = {0};
    cr_assert_eq(
        metrics_read_text(&metrics, "x.ini", SECTION("all", "a.sum", "count") SECTION("one", "b.sum", "count")), 0);
    const struct value none = {VALUE_NOT_COUNTED, 0};
    const struct value values[] = {measured(1), measured(2), measured(3), none, measured(5), none};
    const bool once[] = {false, true}, never[] = {false, false};
    struct result result = {0};
    samples_fill(&result, &metrics, values, 3, once);
    expect_value(&result, "all", measured(3)); /* the value is the median of the samples */
    cr_expect_eq(result_find(&result, "all")->sessions[0].count, 3);
    expect_value(&result, "one", measured(2));
    cr_expect_eq(result_find(&result, "one")->sessions[0].count, 1);
    result_release(&result);
    result = (struct result){0};
    samples_fill(&result, &metrics, values, 3, never);
    expect_value(&result, "one", none);
    result_release(&result);
}

/* ---- Samples by the host's clock, with a workload and a GPU that record each call and fail at one of them ---- */

static char calls[64];
static size_t call_count, call_that_fails;

static int called(char what)
{
    calls[call_count++] = what;
    calls[call_count] = '\0';
    return call_count - 1 == call_that_fails ? 7 : 0;
}

static int restore(void *self, struct problem *problem)
{
    (void)self;
    return called('r') ? problem_set(problem, "made-up error") : 0;
}

static int launch(void *self, struct problem *problem)
{
    (void)self;
    return called('l') ? problem_set(problem, "made-up error") : 0;
}

static int synchronize(void *self, struct problem *problem)
{
    (void)self;
    return called('s') ? problem_set(problem, "made-up error") : 0;
}

static int apply(struct gpu_condition *condition, struct problem *problem)
{
    (void)condition;
    problem_set(problem, "made-up condition");
    return -called('a');
}

DO(mark(bool is_measured), called(is_measured ? '(' : ')'));

static int take_samples(int samples, struct result *result, struct problem *problem)
{
    static const struct workload workload = {.before = restore, .launch = launch, .wait = synchronize};
    static const struct conditioning conditioning = {.apply = apply, .mark = mark};
    OWNED(metrics) metrics;
    set_up(&metrics);
    const struct job job = {.metrics = &metrics, .samples = samples};
    call_count = 0;
    const int taken = samples_by_host(&job, &workload, VALUE_NOT_SUPPORTED, &conditioning, result, problem);
    return taken;
}

Test(samples, host_samples_restore_condition_launch_and_wait)
{
    OWNED(result) result = {.bytes = 1};
    struct problem problem = {0};
    call_that_fails = sizeof calls;
    cr_assert_eq(take_samples(2, &result, &problem), 0, "%s", problem.text);
    cr_expect_str_eq(calls, "ras(ls)ras(ls)");
    const struct row *row = result_find(&result, "wall_time");
    cr_assert_eq(row->session_count, 1);
    cr_expect_eq(row->sessions[0].count, 2);
    expect_value(&result, "other", absent);
    expect_value(&result, "time", absent);
    cr_expect_null(result_find(&result, "bandwidth"));
}

Test(samples, host_samples_say_which_call_failed)
{
    static const struct {
        size_t call;
        const char *calls, *why;
    } cases[] = {
        {0, "r", "restore: made-up error"},      {1, "ra", "made-up condition"},
        {2, "ras", "restore: made-up error"},    {4, "ras(ls)", "launch: made-up error"},
        {5, "ras(ls)", "kernel: made-up error"}, {11, "ras(ls)ras(ls)", "launch: made-up error"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        OWNED(result) result = {0};
        struct problem problem = {0};
        call_that_fails = cases[i].call;
        cr_expect_eq(take_samples(2, &result, &problem), -1, "case %zu", i);
        cr_expect_str_eq(calls, cases[i].calls);
        cr_expect_str_eq(problem.text, cases[i].why);
        cr_expect_eq(result.row_count, 0);
    }
}

Test(samples, of_long_launches_there_are_fewer)
{
    static const struct {
        int samples;
        double seconds;
        int expected;
    } rows[] = {{5, 0, 5}, {5, 0.01, 5}, {5, 0.0125, 4}, {5, 0.021, 3}, {5, 60, 3}, {20, 0.021, 9}, {2, 60, 2}};
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        cr_expect_eq(samples_of_length(rows[i].samples, rows[i].seconds), rows[i].expected, "row %zu", i);
}
