#include "compare_support.h"
#include "test.h"

/* Two sessions of a program that launches a/kept; in the baseline a/old as well, and in the run a/fresh. The time of
 * all launches is 5,000 ns in the baseline. */
static struct fixture set_up_program(double time_now)
{
    struct fixture fixture = set_up();
    put_fact(&fixture.base, SESSION_COLLECTOR, "exec");
    put_fact(&fixture.run, SESSION_COLLECTOR, "exec");
    put_times(&fixture.base, "a/kept@1,32", "launches", 10, 3);
    put_times(&fixture.base, "a/old@1,32", "launches", 4, 3);
    put_times(&fixture.base, "a/program", "launches", 14, 3);
    put_times(&fixture.base, "a/program", "time", 5e6, 3);
    put_times(&fixture.base, "a/old@1,32", "time", 1e6, 3);
    put(&fixture.run, "a/kept@1,32", "launches", 20);
    put(&fixture.run, "a/fresh@1,32", "launches", 1);
    put(&fixture.run, "a/fresh@1,32", "time", 2e6);
    put(&fixture.run, "a/program", "launches", 21);
    put(&fixture.run, "a/program", "time", time_now);
    return fixture;
}

Test(judge_program, what_is_gone_or_new_is_a_fact_where_every_launch_was_seen)
{
    AT_END(tear_down) struct fixture fixture = set_up_program(5e6);
    const struct comparison *comparison = compare(&fixture);
    const struct judgement *gone = find(comparison, "a/old@1,32", ""), *fresh = find(comparison, "a/fresh@1,32", "");
    cr_expect_eq(gone->verdict, VERDICT_INFO);
    cr_expect(says(gone, "gone, it was 4 launches, 4.00 ms of the program's 5.00 ms; not in this run"), "%s",
              gone->reason);
    cr_expect_eq(fresh->verdict, VERDICT_NEW);
    cr_expect(says(fresh, "it is 1 launch, 2.00 ms of the program's 5.00 ms; not in the baseline"), "%s",
              fresh->reason);
    cr_expect_eq(comparison->gone, 1);
    cr_expect_eq(comparison->kernels, 2); /* without that, and the program's own row */
}

/* Without that row on either side, nobody knows whether all launches were seen. */
Test(judge_program, else_what_is_gone_is_missing)
{
    enum { BASE, RUN, FAILED, OF_LIBRARY, CASES };
    for (int i = 0; i < CASES; i++) {
        AT_END(tear_down) struct fixture fixture = set_up_program(5e6);
        if (i == BASE || i == RUN)
            run_filter(i == BASE ? &fixture.base : &fixture.run, (char *[]){(char[]){"a/*@*"}}, 1);
        if (i == FAILED)
            result_fail(run_find(&fixture.run, "a/program"), RESULT_FAILED, "made up");
        if (i == OF_LIBRARY) {
            strcpy(fixture.base.sessions[0].facts[SESSION_COLLECTOR], "sim");
            strcpy(fixture.run.sessions[0].facts[SESSION_COLLECTOR], "cpu");
        }
        const struct comparison *comparison = compare(&fixture);
        cr_expect_eq(find(comparison, "a/old@1,32", "")->verdict, VERDICT_MISSING, "case %d", i);
        cr_expect_eq(comparison->gone, 0, "case %d", i);
        cr_expect_eq(comparison_exit_code(comparison), EXIT_NOT_MEASURED, "case %d", i);
    }
}

/* A launch of less than 10 us is not judged by its time, but one that took clearly longer gained nothing by what is
 * better. */
Test(judge_program, a_short_launch_that_took_longer_paid_for_nothing)
{
    static const struct {
        double base, now; /* ns */
        const char *code; /* of the run; the baseline has f00d */
        enum verdict verdict;
    } rows[] = {
        {4352, 7616, "beef", VERDICT_REGRESSED}, {4352, 4800, "beef", VERDICT_REGRESSED},
        {4352, 4740, "beef", VERDICT_UNSURE}, /* less than 400 ns */
        {9000, 9800, "beef", VERDICT_UNSURE}, /* less than 10 % */
        {4352, 4352, "beef", VERDICT_UNSURE},    {4352, 2000, "beef", VERDICT_UNSURE},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        AT_END(tear_down) struct fixture fixture = set_up();
        put_fact(&fixture.base, SESSION_COLLECTOR, "exec");
        put_fact(&fixture.run, SESSION_COLLECTOR, "exec");
        put_sides(&fixture, "a/b@1,32", "time", rows[i].base, 3, rows[i].now, 2);
        put_sides(&fixture, "a/b@1,32", "count", 7, 3, 9, 2);
        put_sides(&fixture, "a/b@1,32", "good", 7, 3, 9, 2);
        put_codes(&fixture, "a/b@1,32", "f00d", rows[i].code);
        const struct comparison *comparison = compare(&fixture);
        cr_expect_eq(find(comparison, "a/b@1,32", "time")->verdict, VERDICT_INFO, "row %zu", i);
        expect_verdict(&fixture, "a/b@1,32", "count", rows[i].verdict, i);
    }
}

Test(judge_program, more_launches_are_a_trade_off_only_if_the_program_as_a_whole_became_faster)
{
    static const struct {
        double time;
        enum verdict launches;
        enum exit_code code;
    } cases[] = {{4e6, VERDICT_TRADED, EXIT_SAME},
                 {5e6, VERDICT_REGRESSED, EXIT_REGRESSED},
                 {6e6, VERDICT_REGRESSED, EXIT_REGRESSED}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        AT_END(tear_down) struct fixture fixture = set_up_program(cases[i].time);
        const struct comparison *comparison = compare(&fixture);
        cr_expect_eq(find(comparison, "a/kept@1,32", "launches")->verdict, cases[i].launches, "case %zu", i);
        cr_expect_eq(find(comparison, "a/program", "launches")->verdict, cases[i].launches, "case %zu", i);
        cr_expect_eq(comparison_exit_code(comparison), cases[i].code, "case %zu", i);
    }
}

/* Machine code does not determine how often it is launched: fewer launches of the same code are no contradiction, and
 * more of them do not take the excuse from its time. */
Test(judge_program, launches_say_nothing_of_the_code)
{
    AT_END(tear_down) struct fixture fixture = set_up_program(4e6);
    put_codes(&fixture, "a/kept@1,32", "0123456789abcdef", "0123456789abcdef");
    put_sides(&fixture, "a/kept@1,32", "time", 1.1e4, 3, 1.18e4, 1);
    cr_expect_eq(find(compare(&fixture), "a/kept@1,32", "time")->verdict, VERDICT_SAME);
    row_clear(result_find(run_find(&fixture.run, "a/kept@1,32"), "launches"));
    put(&fixture.run, "a/kept@1,32", "launches", 5);
    cr_expect_eq(find(compare(&fixture), "a/kept@1,32", "launches")->verdict, VERDICT_IMPROVED);
}

/* Other strides make the same code slower. That is judged where the program feels it: 1 % of its 5 ms. */
Test(judge_program, the_same_code_may_be_slower_unless_the_program_feels_it)
{
    static const struct {
        double launches;
        enum verdict verdict;
    } cases[] = {{7, VERDICT_SAME}, {8, VERDICT_UNSURE}}; /* of 7 us each; unsure, as there are few sessions */
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        AT_END(tear_down) struct fixture fixture = set_up_program(5e6);
        put_codes(&fixture, "a/kept@1,32", "0123456789abcdef", "0123456789abcdef");
        put_sides(&fixture, "a/kept@1,32", "time", 1e5, 3, 1.07e5, 1);
        row_clear(result_find(run_find(&fixture.run, "a/kept@1,32"), "launches"));
        put(&fixture.run, "a/kept@1,32", "launches", cases[i].launches);
        cr_expect_eq(find(compare(&fixture), "a/kept@1,32", "time")->verdict, cases[i].verdict, "case %zu", i);
    }
}

/* A kernel of less than 1 % of the time may have been counted in one set of metrics and not in another, by chance. */
Test(judge_program, what_is_launched_seldom_may_lack_a_count_on_either_side)
{
    static const struct {
        double launches[2]; /* in the baseline and in the run, of 1,000 */
        double whole;       /* of which each launch took 100 us */
        bool lacks[2];
        enum verdict verdict;
        bool left_out; /* counting had no time left */
    } cases[] = {
        {{9, 9}, 1e9, {false, true}, VERDICT_INFO, false},
        {{9, 9}, 5e7, {false, true}, VERDICT_MISSING, false},
        /* they take 1.8 % of the time */ {{9, 9}, 1e9, {true, false}, VERDICT_INFO, false},
        {{9, 900}, 1e9, {true, false}, VERDICT_INFO, false},
        {{900, 9}, 1e9, {false, true}, VERDICT_INFO, false},
        {{900, 900}, 1e9, {false, true}, VERDICT_MISSING, false},
        {{900, 900}, 1e9, {true, false}, VERDICT_UNSURE, false},
        {{9, 900}, 1e9, {false, true}, VERDICT_MISSING, false},
        {{900, 9}, 1e9, {true, false}, VERDICT_UNSURE, false},
        {{900, 900}, 1e9, {false, true}, VERDICT_INFO, true},
        {{900, 900}, 1e9, {true, false}, VERDICT_INFO, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        AT_END(tear_down) struct fixture fixture = set_up();
        for (size_t side = 0; side < 2; side++) {
            struct run *run = side == 0 ? &fixture.base : &fixture.run;
            put_fact(run, SESSION_COLLECTOR, "exec");
            run->sessions[0].facts[SESSION_LEFT_OUT] = cases[i].left_out && cases[i].lacks[side] ? x_strdup("1") : NULL;
            put(run, "a/program", "launches", 1000);
            put(run, "a/program", "time", cases[i].whole);
            put(run, "a/kept@1,32", "launches", cases[i].launches[side]);
            put(run, "a/kept@1,32", "time", 1e5);
            if (!cases[i].lacks[side]) {
                put(run, "a/kept@1,32", "count", 7);
                put(run, "a/program", "count", 7);
            }
        }
        const struct comparison *comparison = compare(&fixture);
        cr_expect_eq(find(comparison, "a/kept@1,32", "count")->verdict, cases[i].verdict, "case %zu", i);
        cr_expect_eq(find(comparison, "a/program", "count")->verdict, VERDICT_INFO, "case %zu", i);
    }
}

/* What the same code counts in the same shape follows its data. As far as it strays from launch to launch it is the
 * same; what strays in the run alone, up to 10 %. */
Test(judge_program, counts_of_the_same_code_may_stray_as_from_launch_to_launch)
{
    static const struct {
        double base[2], now[2];
        bool same_code;
        enum verdict verdict;
    } cases[] = {
        {{586, 586}, {586, 625}, true, VERDICT_SAME},       /* the run's own launches are so far apart */
        {{586, 586}, {586, 625}, false, VERDICT_REGRESSED}, /* it is other code */
        {{586, 586}, {586, 900}, true, VERDICT_REGRESSED},  /* too far to be believed */
        {{586, 586}, {625, 625}, true, VERDICT_REGRESSED},  /* they are not apart */
        {{500, 625}, {600, 620}, true, VERDICT_SAME},       /* the baseline's are */
        {{500, 625}, {800, 800}, true, VERDICT_REGRESSED},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        AT_END(tear_down) struct fixture fixture = set_up_program(5e6);
        put_codes(&fixture, "a/kept@1,32", "0123456789abcdef", cases[i].same_code ? "0123456789abcdef" : "another");
        for (int session = 0; session < 3; session++)
            put_samples(&fixture.base, "a/kept@1,32", "count", cases[i].base, 2);
        put_samples(&fixture.run, "a/kept@1,32", "count", cases[i].now, 2);
        const struct judgement *judgement = find(compare(&fixture), "a/kept@1,32", "count");
        cr_expect_eq(judgement->verdict, cases[i].verdict, "case %zu: %s", i, verdict_name(judgement->verdict));
    }
}

/* The host may wait for each copy, and no GPU time tells of that. */
Test(judge_program, more_copies_are_no_trade_off)
{
    AT_END(tear_down) struct fixture fixture = set_up_program(4e6);
    put_sides(&fixture, "a/program", "copies", 2, 3, 50, 1);
    cr_expect_eq(find(compare(&fixture), "a/program", "copies")->verdict, VERDICT_REGRESSED);
}

/* A run of which nothing but the program's row is there has seen none of its kernels. */
Test(judge_program, kernels_are_missing_where_the_run_has_none)
{
    AT_END(tear_down) struct fixture fixture = set_up_program(1e6);
    run_filter(&fixture.run, (char *[]){(char[]){"a/program"}}, 1);
    const struct comparison *comparison = compare(&fixture);
    cr_expect_eq(find(comparison, "a/old@1,32", "")->verdict, VERDICT_MISSING);
    cr_expect_eq(comparison_exit_code(comparison), EXIT_NOT_MEASURED);
}

/* What an autotuner tries follows its own measurements: the program's GPU time judges it. Both sides have to say so,
 * and it may not take 1 % of it. */
Test(judge_program, kernels_of_the_first_part_are_judged_by_the_whole)
{
    enum { BASE, BOTH, LONG, CASES };
    for (int i = 0; i < CASES; i++) {
        AT_END(tear_down) struct fixture fixture = set_up_program(5e6);
        put_times(&fixture.base, "a/kept@1,32", "first_part", 1, 3);
        put_times(&fixture.base, "a/kept@1,32", "time", i == LONG ? 1e5 : 1e3, 3);
        put(&fixture.run, "a/kept@1,32", "first_part", i != BASE);
        put(&fixture.run, "a/kept@1,32", "time", i == LONG ? 1e5 : 1e3);
        put_sides(&fixture, "a/kept@1,32", "count", 500, 3, 600, 1);
        const struct judgement *count = find(compare(&fixture), "a/kept@1,32", "count");
        cr_expect_eq(count->verdict, i == BOTH ? VERDICT_INFO : VERDICT_REGRESSED, "case %d", i);
    }
}

/* Where its time is known, such a count explains it and is not judged. What moved is noted. Of other code it is judged.
 */
Test(judge_program, counts_of_the_same_code_explain_its_time)
{
    for (int same = 0; same < 2; same++) {
        AT_END(tear_down) struct fixture fixture = set_up_program(5e6);
        put_codes(&fixture, "a/kept@1,32", "0123456789abcdef", same ? "0123456789abcdef" : "another");
        put_times(&fixture.base, "a/kept@1,32", "count", 500, 3);
        put_times(&fixture.base, "a/kept@1,32", "time", 2e4, 3);
        put(&fixture.run, "a/kept@1,32", "count", 600);
        put(&fixture.run, "a/kept@1,32", "time", 2e4);
        const struct comparison *comparison = compare(&fixture);
        cr_expect_eq(find(comparison, "a/kept@1,32", "count")->verdict, same ? VERDICT_INFO : VERDICT_REGRESSED);
        bool noted = false;
        for (size_t i = 0; i < comparison->note_count; i++)
            noted |= strstr(comparison->notes[i], "a/kept@1,32 (count +20 %)") != NULL;
        cr_expect_eq(noted, same == 1);
    }
}

/* Other arguments make the same code slower while the program as a whole is faster: a trade-off. Other code may do the
 * work of a/old, which is gone: 4 launches of 1 ms. */
Test(judge_program, a_slower_kernel_is_a_trade_off_if_the_program_became_faster_and_its_code_explains_it)
{
    static const struct {
        const char *code;
        double time; /* of 20 launches, 20 us before */
        bool traded;
    } cases[] = {{"0123456789abcdef", 3e4, true},
                 {"0123456789abcdef", 3e5, true},
                 {"another", 3e4, true},
                 {"another", 3e5, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        AT_END(tear_down) struct fixture fixture = set_up_program(4e6);
        put_codes(&fixture, "a/kept@1,32", "0123456789abcdef", cases[i].code);
        put_sides(&fixture, "a/kept@1,32", "time", 2e4, 12, cases[i].time, 1);
        const struct judgement *time = find(compare(&fixture), "a/kept@1,32", "time");
        cr_expect_eq(time->verdict == VERDICT_TRADED, cases[i].traded, "%zu: %s", i, verdict_name(time->verdict));
    }
}

/* Fewer processes do less, whatever time that saves. */
Test(judge_program, a_process_that_is_gone_is_no_gain)
{
    AT_END(tear_down) struct fixture fixture = set_up_program(4e6);
    put_sides(&fixture, "a/program", "processes", 2, 3, 1, 1);
    const struct comparison *comparison = compare(&fixture);
    cr_expect_eq(find(comparison, "a/program", "processes")->verdict, VERDICT_REGRESSED);
    cr_expect_eq(comparison_exit_code(comparison), EXIT_REGRESSED);
}

/* Counters of all launches together are shown; what a kernel counts is judged by its own row. */
Test(judge_program, of_the_program_time_launches_and_processes_are_judged)
{
    AT_END(tear_down) struct fixture fixture = set_up_program(5e6);
    put_sides(&fixture, "a/program", "count", 100, 3, 900, 1);
    cr_expect_eq(find(compare(&fixture), "a/program", "count")->verdict, VERDICT_INFO);
}

/* Counters that a program is known by on a simulated GPU. */
static const char counters[] =
    "[instructions]\ntitle = I\ncounter = smsp__inst_executed.sum\nunit = count\nclass = exact\nbetter = lower\n"
    "doc = I.\n[stores]\ntitle = S\ncounter = smsp__sass_inst_executed_op_global_st.sum\nunit = count\n"
    "class = exact\nbetter = lower\ndoc = S.\n[atomics]\ntitle = A\ncounter = cugate.global_atomics\nunit = count\n"
    "class = exact\nbetter = lower\ndoc = A.\n";

static struct fixture set_up_computed(void)
{
    struct fixture fixture = set_up();
    cr_assert_eq(metrics_read_text(&fixture.metrics, "counters.ini", counters), 0);
    run_note_metrics(&fixture.base, &fixture.metrics);
    run_note_metrics(&fixture.run, &fixture.metrics);
    put_fact(&fixture.base, SESSION_COLLECTOR, "exec-sim");
    put_fact(&fixture.run, SESSION_COLLECTOR, "exec-sim");
    return fixture;
}

/* Without times its instructions tell how much of a program is gone. */
Test(judge_program, launches_that_are_gone_are_no_gain_without_a_gpu)
{
    static const struct {
        double launches, others; /* of a/kept, 100 before, each of 1,000 instructions; of a/other, 10 before */
        enum verdict verdict;
        const char *reason;
    } rows[] = {
        {100, 10, VERDICT_SAME, NULL},
        {60, 10, VERDICT_IMPROVED, NULL}, /* less than half of the work */
        {40, 10, VERDICT_UNSURE, "59 % of its instructions are gone, and only 0.0 % replaced them"},
        {1, 10, VERDICT_UNSURE, "98 % of its instructions are gone"},
        {1, 109, VERDICT_SAME, NULL}, /* in place of it */
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        AT_END(tear_down) struct fixture fixture = set_up_computed();
        put_sides(&fixture, "a/kept@1,32", "launches", 100, 3, rows[i].launches, 1);
        put_sides(&fixture, "a/kept@1,32", "instructions", 1000, 3, 1000, 1);
        put_sides(&fixture, "a/other@1,32", "launches", 10, 3, rows[i].others, 1);
        put_sides(&fixture, "a/other@1,32", "instructions", 100, 3, 100 + 900 * (rows[i].others > 10), 1);
        put_sides(&fixture, "a/program", "launches", 110, 3, rows[i].launches + rows[i].others, 1);
        put_sides(&fixture, "a/program", "instructions", 101000, 3, 1000 * rows[i].launches, 1);
        const struct judgement *launches = expect_verdict(&fixture, "a/program", "launches", rows[i].verdict, i);
        cr_expect(!rows[i].reason || says(launches, rows[i].reason), "row %zu: %s", i, launches->reason);
    }
}

Test(judge_program, a_kernel_that_stores_nothing_any_more_is_no_gain)
{
    static const struct {
        double stores, atomics;
        const char *collector;
        enum verdict verdict;
    } rows[] = {
        {0, 0, "exec-sim", VERDICT_UNSURE},
        {1, 0, "exec-sim", VERDICT_IMPROVED},
        {0, 5, "exec-sim", VERDICT_IMPROVED}, /* it adds instead */
        {0, 0, "sim", VERDICT_IMPROVED},      /* a library verifies its results */
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        AT_END(tear_down) struct fixture fixture = set_up_computed();
        strcpy(fixture.base.sessions[0].facts[SESSION_COLLECTOR], rows[i].collector);
        strcpy(fixture.run.sessions[0].facts[SESSION_COLLECTOR], rows[i].collector);
        put_codes(&fixture, "a/kept@1,32", "f00d", "beef");
        put_sides(&fixture, "a/kept@1,32", "stores", 8, 3, rows[i].stores, 1);
        put_sides(&fixture, "a/kept@1,32", "atomics", rows[i].atomics, 3, rows[i].atomics, 1);
        expect_verdict(&fixture, "a/kept@1,32", "stores", rows[i].verdict, i);
        cr_expect_eq(fixture.comparison.kernel_counts[rows[i].verdict], 1, "row %zu", i);
    }
}

/* Nothing is missing where each launch was simulated: what is gone is unsure. */
Test(judge_program, a_kernel_that_is_gone_without_a_gpu_is_unsure)
{
    for (int whole = 0; whole < 2; whole++) {
        AT_END(tear_down) struct fixture fixture = set_up_computed();
        put_sides(&fixture, "a/kept@1,32", "launches", 10, 3, 10, 1);
        put_times(&fixture.base, "a/old@8,32", "launches", 4, 3);
        put(&fixture.run, "a/old@4,64", "launches", 4);
        put_times(&fixture.base, "a/program", "launches", 14, 3);
        if (whole)
            put(&fixture.run, "a/program", "launches", 14);
        const struct comparison *comparison = compare(&fixture);
        const struct judgement *gone = find(comparison, "a/old@8,32", "");
        cr_expect_eq(gone->verdict, whole ? VERDICT_UNSURE : VERDICT_MISSING, "%s", gone->reason);
        cr_expect(says(gone, whole ? "gone, it was 4 launches, where its function has other shapes: @4,64" : "not in"),
                  "%s", gone->reason);
        cr_expect_eq(comparison_exit_code(comparison), whole ? EXIT_UNSURE : EXIT_NOT_MEASURED);
    }
}

/* Of 1,000 launches of a/kept and a/gone, with as many instructions, only those of a/kept are left: of other code,
 * which has more instructions and takes hardly longer. */
Test(judge_program, a_kernel_may_take_over_what_another_counted)
{
    static const struct {
        double was, is; /* instructions of a/kept; those of a/gone are 1,000 */
        bool counted, same_code;
        enum verdict verdict, program;
    } rows[] = {
        {1000, 1300, true, false, VERDICT_TRADED, VERDICT_IMPROVED},
        {1000, 2000, true, false, VERDICT_TRADED, VERDICT_IMPROVED},
        {1000, 2001, true, false, VERDICT_REGRESSED, VERDICT_IMPROVED}, /* more than is gone */
        {1000, 1001, true, false, VERDICT_REGRESSED, VERDICT_UNSURE},   /* hardly anything is in its place */
        {1000, 1300, false, false, VERDICT_REGRESSED, VERDICT_UNSURE},  /* nobody knows what is gone */
        {1000, 1000, true, true, VERDICT_SAME, VERDICT_UNSURE},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        AT_END(tear_down) struct fixture fixture = set_up_computed();
        put_fact(&fixture.base, SESSION_COLLECTOR, "exec");
        put_fact(&fixture.run, SESSION_COLLECTOR, "exec");
        put_codes(&fixture, "a/kept@1,32", "f00d", rows[i].same_code ? "f00d" : "beef");
        put_sides(&fixture, "a/kept@1,32", "launches", 1000, 3, 1000, 2);
        put_sides(&fixture, "a/kept@1,32", "time", 1e6, 3, 1.001e6, 2);
        put_sides(&fixture, "a/kept@1,32", "instructions", rows[i].was, 3, rows[i].is, 2);
        put_times(&fixture.base, "a/gone@1,32", "launches", 1000, 3);
        put_times(&fixture.base, "a/gone@1,32", "time", 1e6, 3);
        if (rows[i].counted)
            put_times(&fixture.base, "a/gone@1,32", "instructions", 1000, 3);
        put_sides(&fixture, "a/program", "launches", 2000, 3, 1000, 2);
        put_sides(&fixture, "a/program", "time", 2e9, 3, 1.001e9, 2);
        expect_verdict(&fixture, "a/kept@1,32", "instructions", rows[i].verdict, i);
        expect_verdict(&fixture, "a/program", "time", rows[i].program, i);
    }
}
