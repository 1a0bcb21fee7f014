#include "measure/computed.h"
#include "test.h"

#define SECTION(name, counter, unit)                                                                                   \
    "[" name "]\ntitle = T\ncounter = " counter "\nunit = " unit "\nclass = info\nbetter = lower\ndoc = d\n"

/* Wall time is both before and after the GPU's time, so that their order does not decide which one counts. */
static const char definitions[] = SECTION("bandwidth", "cugate.bandwidth", "B/s")
    SECTION("flop_rate", "cugate.flop_rate", "FLOP/s") SECTION("wall_time", "cugate.wall_time", "ns")
        SECTION("time", COUNTER_TIME, "ns") SECTION("late_wall_time", "cugate.wall_time", "ns")
            SECTION("wavefronts", "smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared.sum", "count")
                SECTION("excess", "cugate.excess_wavefronts", "count");

struct fixture {
    struct metrics metrics;
    struct run run;
    struct result *result;
};

static void set_up(struct fixture *fixture)
{
    *fixture = (struct fixture){0};
    cr_assert_eq(metrics_read_text(&fixture->metrics, "x.ini", definitions), 0);
    fixture->result = run_add(&fixture->run, "a/b");
}

static void tear_down(struct fixture *fixture)
{
    run_release(&fixture->run);
    metrics_release(&fixture->metrics);
}

/* Adds a row as a worker makes it. */
static void add_samples(struct fixture *fixture, const char *metric, enum value_state state, const double *samples,
                        size_t count)
{
    struct row *row = result_add(fixture->result, metric);
    row->state = state;
    if (state == VALUE_MEASURED)
        row_add_session(row, samples, count);
}

static void add_value(struct fixture *fixture, const char *metric, struct value value)
{
    add_samples(fixture, metric, value.state, &value.number, 1);
}

static const struct value absent = {VALUE_NOT_SUPPORTED, 0}, not_counted = {VALUE_NOT_COUNTED, 0},
                          not_applicable = {VALUE_NOT_APPLICABLE, 0};

Test(computed, rates_come_from_the_gpu_s_time_else_the_host_s)
{
    const struct {
        double bytes, flops;
        struct value wall, time, bandwidth, flop_rate;
    } cases[] = {
        {4000, 500, measured(4000), measured(2000), measured(2e9), measured(2.5e8)},
        {4000, 500, absent, measured(2000), measured(2e9), measured(2.5e8)},
        {4000, 500, measured(4000), absent, measured(1e9), measured(1.25e8)},
        {4000, 500, measured(4000), not_counted, measured(1e9), measured(1.25e8)},
        {4000, 500, absent, absent, not_counted, not_counted},
        {4000, 500, not_applicable, not_counted, not_counted, not_counted},
        {4000, 500, absent, measured(0), not_counted, not_counted},
        {0, 500, absent, measured(2000), not_applicable, measured(2.5e8)},
        {4000, 0, absent, measured(2000), measured(2e9), not_applicable},
        {0, 0, absent, absent, not_applicable, not_applicable},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        WITH(tear_down, struct fixture fixture, set_up(&fixture));
        fixture.result->bytes = cases[i].bytes;
        fixture.result->flops = cases[i].flops;
        add_value(&fixture, "wall_time", cases[i].wall);
        add_value(&fixture, "late_wall_time", cases[i].wall);
        add_value(&fixture, "time", cases[i].time);
        add_value(&fixture, "bandwidth", measured(7)); /* what a worker says of it is nothing */
        computed_add_rates(&fixture.run, &fixture.metrics);
        cr_expect_eq(fixture.result->row_count, 5, "case %zu", i);
        expect_value(fixture.result, "bandwidth", cases[i].bandwidth);
        expect_value(fixture.result, "flop_rate", cases[i].flop_rate);
        expect_value(fixture.result, "wall_time", cases[i].wall);
        expect_value(fixture.result, "time", cases[i].time);
    }
}

/* The result is the median of rates, not the rate of the median, and each is rounded once. */
Test(computed, rates_are_worked_out_sample_by_sample)
{
    static const double times[] = {1000, 4000, 8000, 3};
    WITH(tear_down, struct fixture fixture, set_up(&fixture));
    fixture.result->bytes = 1000;
    add_samples(&fixture, "time", VALUE_MEASURED, times, ARRAY_SIZE(times));
    computed_add_rates(&fixture.run, &fixture.metrics);
    const struct row *row = result_find(fixture.result, "bandwidth");
    cr_assert_eq(row->session_count, 1);
    cr_assert_eq(row->sessions[0].count, ARRAY_SIZE(times));
    for (size_t i = 0; i < ARRAY_SIZE(times); i++)
        cr_expect_eq(row->sessions[0].samples[i], round_value(1000 / times[i] * 1e9));
}

Test(computed, what_is_not_ok_has_no_rates)
{
    WITH(tear_down, struct fixture fixture, set_up(&fixture));
    result_fail(fixture.result, RESULT_WRONG, "made up");
    computed_add_rates(&fixture.run, &fixture.metrics);
    computed_complete(&fixture.run, &fixture.metrics, NULL);
    cr_expect_eq(fixture.result->row_count, 0);
}

/* Adds a kernel, or one that launched a function, with so many wavefronts by the hardware counter. */
static void set_up_alone(struct fixture *fixture, struct value wavefronts)
{
    set_up(fixture);
    add_value(fixture, "wavefronts", wavefronts);
}

static void set_up_launched(struct fixture *fixture, struct value wavefronts)
{
    set_up_alone(fixture, wavefronts);
    *ARRAY_GROW(fixture->result->launches, fixture->result->launch_count) =
        (struct launch){.function = x_strdup("f"), .times = 1};
}

Test(computed, conflicts_are_the_sum_of_lines)
{
    WITH(tear_down, struct fixture fixture, set_up_launched(&fixture, measured(60)));
    computed_complete(&fixture.run, &fixture.metrics, NULL);
    cr_expect_null(result_find(fixture.result, "excess")); /* nobody asked */
    for (unsigned offset = 0; offset < 48; offset += 16) {
        struct profile_line *line = profile_add(&fixture.result->profile, "f", NULL, 0, offset);
        line->counts[LINE_SHARED] = 20;
        line->counts[LINE_SHARED_IDEAL] = 5;
    }
    fixture.result->profile.counted = 1u << LINE_SHARED;
    computed_complete(&fixture.run, &fixture.metrics, NULL);
    cr_expect_null(result_find(fixture.result, "excess")); /* nor counted both */
    fixture.result->profile.counted |= 1u << LINE_SHARED_IDEAL;
    computed_complete(&fixture.run, &fixture.metrics, NULL);
    expect_value(fixture.result, "excess", measured(45));
}

/* Nor where nothing is launched, and without the GPU's counters nothing is known. */
Test(computed, without_a_pass_through_shared_memory_there_is_no_conflict)
{
    const struct {
        bool launches;
        struct value wavefronts;
    } rows[] = {{true, measured(0)}, {true, not_counted}, {false, not_applicable}, {false, absent}};
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        AT_END(tear_down) struct fixture fixture;
        (rows[i].launches ? set_up_launched : set_up_alone)(&fixture, rows[i].wavefronts);
        computed_complete(&fixture.run, &fixture.metrics, NULL);
        if (rows[i].wavefronts.state == VALUE_NOT_COUNTED)
            cr_expect_null(result_find(fixture.result, "excess"));
        else
            expect_value(fixture.result, "excess", rows[i].wavefronts);
    }
}
