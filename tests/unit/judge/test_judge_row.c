#include "compare_support.h"
#include "test.h"

Test(judge_row, a_time_needs_a_steady_clock_and_a_free_gpu)
{
    static const double steady[5] = {100000, 100000, 100000, 100000, 100000};
    static const double slow[5] = {110000, 110000, 110000, 110000, 110000};
    static const double in_two[5] = {100000, 100000, 110000, 110000, 110000};
    static const double two_groups[5] = {100000, 100000, 100000, 110000, 110000};
    static const double slow_in_two[5] = {117000, 117000, 133000, 133000, 133000};
    static const double gained[5] = {96500, 96500, 96500, 96500, 96500};
    static const double torn[5] = {70000, 70000, 70000, 120000, 120000};
    static const double slightly[5] = {103500, 103500, 103500, 103500, 103500};
    static const struct {
        const double *times;
        double clock[5], base_clock;
        const char *gpu_processes;
        enum verdict verdict;
        const char *reason;
    } rows[] = {
        {steady, {2e9, 2e9, 2e9, 2e9, 2e9}, 2e9, "0", VERDICT_SAME, NULL},
        {slow, {2e9, 2e9, 2e9, 2e9, 2e9}, 2e9, "0", VERDICT_REGRESSED, NULL},
        {slow, {1.8e9, 1.8e9, 1.8e9, 1.8e9, 1.8e9}, 2e9, "0", VERDICT_UNSURE, "1800 MHz"},
        {steady, {1.8e9, 1.8e9, 1.8e9, 1.8e9, 1.8e9}, 2e9, "0", VERDICT_UNSURE, "1800 MHz"},
        /* a clock apart by c explains c, and no more */
        {slow_in_two, {1.8e9, 1.8e9, 1.8e9, 1.8e9, 1.8e9}, 2e9, "0", VERDICT_REGRESSED, NULL},
        {slow, {1.93e9, 1.93e9, 1.93e9, 1.93e9, 1.93e9}, 2e9, "0", VERDICT_REGRESSED, NULL},
        {slightly, {1.93e9, 1.93e9, 1.93e9, 1.93e9, 1.93e9}, 2e9, "0", VERDICT_SAME, NULL},
        {slightly, {2e9, 2e9, 2e9, 2e9, 2e9}, 2e9, "0", VERDICT_REGRESSED, NULL},
        {slightly, {2.07e9, 2.07e9, 2.07e9, 2.07e9, 2.07e9}, 2e9, "0", VERDICT_REGRESSED, NULL}, /* a higher clock */
        {gained, {1.93e9, 1.93e9, 1.93e9, 1.93e9, 1.93e9}, 2e9, "0", VERDICT_IMPROVED, NULL},
        {gained, {2.07e9, 2.07e9, 2.07e9, 2.07e9, 2.07e9}, 2e9, "0", VERDICT_SAME, NULL},
        {torn, {2e9, 2e9, 2e9, 2e9, 2e9}, 2e9, "0", VERDICT_UNSURE, "two groups"},
        {slow_in_two, {2e9, 2e9, 2e9, 2e9, 2e9}, 2e9, "0", VERDICT_REGRESSED, NULL}, /* both groups are slower */
        {slow, {2e9, 2e9, 2e9, 1.8e9, 1.8e9}, 2e9, "0", VERDICT_UNSURE, "unsteady"},
        {in_two, {2e9, 2e9, 2e9, 2e9, 2e9}, 2e9, "0", VERDICT_UNSURE, "two groups"},
        {two_groups, {2e9, 2e9, 2e9, 2e9, 2e9}, 2e9, "0", VERDICT_SAME, NULL}, /* a time that is not slower passes */
        {slow, {2e9, 2e9, 2e9, 2e9, 2e9}, 2e9, "2", VERDICT_UNSURE, "other processes"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        AT_END(tear_down) struct fixture fixture = set_up();
        put_times(&fixture.base, "a/b", "time", 100000, 10);
        put_times(&fixture.base, "a/b", "clock", rows[i].base_clock, 10);
        for (int session = 0; session < 2; session++) {
            put_samples(&fixture.run, "a/b", "time", rows[i].times, 5);
            put_samples(&fixture.run, "a/b", "clock", rows[i].clock, 5);
        }
        put_fact(&fixture.run, SESSION_GPU_PROCESSES, rows[i].gpu_processes);
        const struct judgement *judgement = expect_verdict(&fixture, "a/b", "time", rows[i].verdict, i);
        cr_expect(rows[i].reason ? says(judgement, rows[i].reason) : !judgement->reason, "row %zu: %s", i,
                  judgement->reason);
    }
}

/* Peculiarities of a GPU repeat in each session on it. Exact counts are the same on all GPUs. */
Test(judge_row, sessions_of_a_gpu_that_the_baseline_does_not_know_prove_little)
{
    static const struct {
        const char *base[2], *now; /* UUIDs of GPUs */
        enum verdict time, share, count;
    } rows[] = {
        {{"GPU-1", "GPU-2"}, "GPU-2", VERDICT_REGRESSED, VERDICT_REGRESSED, VERDICT_REGRESSED},
        {{"GPU-1", "GPU-2"}, "GPU-3", VERDICT_UNSURE, VERDICT_UNSURE, VERDICT_REGRESSED},
        {{"GPU-1", "GPU-2"}, NULL, VERDICT_REGRESSED, VERDICT_REGRESSED, VERDICT_REGRESSED},
        {{NULL, NULL}, "GPU-3", VERDICT_REGRESSED, VERDICT_REGRESSED, VERDICT_REGRESSED},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        AT_END(tear_down) struct fixture fixture = set_up();
        static const char *const names[] = {"time", "share", "count"};
        static const double before[] = {100000, 90, 7}, after[] = {110000, 80, 8};
        for (size_t m = 0; m < ARRAY_SIZE(names); m++) {
            put_sides(&fixture, "a/b", names[m], before[m], 10, after[m], 2);
        }
        for (size_t s = 0; s < 2; s++)
            put_fact(&fixture.base, SESSION_GPU_UUID, rows[i].base[s]);
        put_fact(&fixture.run, SESSION_GPU_UUID, rows[i].now);
        const struct comparison *comparison = compare(&fixture);
        cr_expect_eq(find(comparison, "a/b", "time")->verdict, rows[i].time, "row %zu", i);
        cr_expect_eq(find(comparison, "a/b", "share")->verdict, rows[i].share, "row %zu", i);
        cr_expect_eq(find(comparison, "a/b", "count")->verdict, rows[i].count, "row %zu", i);
        cr_expect_eq(says(find(comparison, "a/b", "time"), "--against"), rows[i].time == VERDICT_UNSURE);
    }
}

/* A run is on two GPUs, one of which the baseline knows. Each kernel is judged by the GPU that it was measured on. */
Test(judge_row, a_kernel_is_judged_by_the_gpu_that_it_was_measured_on)
{
    static const char *const kernels[] = {"a/known", "a/other"};
    AT_END(tear_down) struct fixture fixture = set_up();
    for (size_t i = 0; i < ARRAY_SIZE(kernels); i++) {
        put_sides(&fixture, kernels[i], "share", 90, 10, 80, 1);
        put_sides(&fixture, kernels[i], "time", 100000, 10, 100000, 1);
        result_set_session(run_find(&fixture.run, kernels[i]), i);
    }
    put_fact(&fixture.base, SESSION_GPU_UUID, "GPU-1");
    put_fact(&fixture.run, SESSION_GPU_UUID, "GPU-1");
    put_fact(&fixture.run, SESSION_GPU_UUID, "GPU-2");
    fixture.run.sessions[1].facts[SESSION_GPU_PROCESSES] = x_strdup("1");
    const struct comparison *comparison = compare(&fixture);
    cr_expect_eq(find(comparison, "a/known", "share")->verdict, VERDICT_REGRESSED);
    cr_expect_eq(find(comparison, "a/known", "share")->other_gpus, 0);
    cr_expect_eq(find(comparison, "a/other", "share")->verdict, VERDICT_UNSURE);
    cr_expect_eq(find(comparison, "a/other", "share")->other_gpus, 1);
    cr_expect_eq(find(comparison, "a/known", "time")->verdict, VERDICT_SAME);
    cr_expect(says(find(comparison, "a/other", "time"), "other processes"));
}

/* Pairs decide whatever the sessions show and whatever the GPU is, because both halves of a pair ran there. */
Test(judge_row, pairs_settle_a_time)
{
    static const struct {
        size_t slower, faster, alike; /* numbers of pairs that are slower, faster, alike */
        enum verdict verdict;
        bool suspect, wants_pairs;
        const char *evidence;
    } rows[] = {
        {0, 0, 0, VERDICT_UNSURE, true, true, "2 of 2 sessions against 10"},
        {13, 0, 1, VERDICT_REGRESSED, false, false, "13 of 14 pairs worse by more than 1 %"},
        {7, 0, 7, VERDICT_SAME, false, false, "7 of 14 pairs worse by more than 1 %"},
        {12, 0, 2, VERDICT_UNSURE, false, false, "12 of 14 pairs worse by more than 1 %"},
        {0, 13, 0, VERDICT_IMPROVED, false, false, "0 of 13 pairs worse by more than 1 %"},
        {0, 0, 4, VERDICT_SAME, false, false, "0 of 4 pairs worse by more than 1 %"},
        {3, 0, 1, VERDICT_UNSURE, false, false, "3 of 4 pairs worse by more than 1 %"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        AT_END(tear_down) struct fixture fixture = set_up();
        char evidence[80];
        put_sides(&fixture, "a/b", "time", 100000, 10, 110000, 2);
        put_fact(&fixture.base, SESSION_GPU_UUID, "GPU-1");
        put_fact(&fixture.run, SESSION_GPU_UUID, "GPU-2");
        struct row *row = result_find(run_find(&fixture.run, "a/b"), "time");
        for (size_t n = 0; n < rows[i].slower + rows[i].faster + rows[i].alike; n++)
            row_add_pair(row, 1000, n < rows[i].slower ? 1011 : n < rows[i].slower + rows[i].faster ? 989 : 1000);
        const struct judgement *judgement = expect_verdict(&fixture, "a/b", "time", rows[i].verdict, i);
        cr_expect_eq(judgement_is_suspect(judgement), rows[i].suspect, "row %zu", i);
        cr_expect_eq(judgement_wants_pairs(judgement), rows[i].wants_pairs, "row %zu", i);
        cr_expect_str_eq(judgement_evidence(judgement, evidence, sizeof evidence), rows[i].evidence);
    }
}

/* A change below the limit may be real if the limit is wide. Unchanged code needs pairs only if it is far off. */
Test(judge_row, a_base_library_settles_the_times_of_other_code)
{
    static const struct {
        double now;
        const char *code;
        bool wants_pairs;
    } rows[] = {
        {110000, "new", true},  {100900, "new", true},  {90000, "new", true},
        {100900, "old", false}, {109900, "old", false}, {115000, "old", true}, /* too much for unchanged code */
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        AT_END(tear_down) struct fixture fixture = set_up();
        put_times(&fixture.base, "a/b", "time", 100000, 10);
        put_code(&fixture.base, "a/b", "old");
        put(&fixture.run, "a/b", "time", rows[i].now);
        put_code(&fixture.run, "a/b", rows[i].code);
        cr_expect_eq(judgement_wants_pairs(find(compare(&fixture), "a/b", "time")), rows[i].wants_pairs, "row %zu", i);
    }
}

/* A replaced row has few sessions again and keeps its drift reference. */
Test(judge_row, provisional_rows_have_a_drift_reference_too)
{
    AT_END(tear_down) struct fixture fixture = set_up();
    put_sides(&fixture, "a/b", "time", 104000, 1, 105500, 2);
    struct row *row = result_find(run_find(&fixture.base, "a/b"), "time");
    row->has_drift_reference = true;
    row->drift_reference = 100000;
    const struct judgement *judgement = expect_verdict(&fixture, "a/b", "time", VERDICT_UNSURE, 0);
    cr_expect(says(judgement, "past its drift reference") && says(judgement, "too few sessions"), "%s",
              judgement->reason);
}

/* Pairs compare base and new build, the drift reference belongs to the baseline. It needs all that a time needs without
 * pairs. */
Test(judge_row, a_drift_reference_beside_pairs_is_judged_like_any_time)
{
    static const struct {
        size_t sessions;
        const char *gpu_processes;
        enum verdict verdict;
    } rows[] = {{2, "0", VERDICT_REGRESSED}, {1, "0", VERDICT_UNSURE}, {2, "3", VERDICT_UNSURE}};
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        AT_END(tear_down) struct fixture fixture = set_up();
        put_sides(&fixture, "a/b", "time", 104000, 10, 105500, rows[i].sessions);
        put_fact(&fixture.run, SESSION_GPU_PROCESSES, rows[i].gpu_processes);
        struct row *base = result_find(run_find(&fixture.base, "a/b"), "time");
        base->has_drift_reference = true;
        base->drift_reference = 100000;
        struct row *now = result_find(run_find(&fixture.run, "a/b"), "time");
        for (size_t n = 0; n < 4; n++)
            row_add_pair(now, 1000, 1000);
        cr_expect_eq(find(compare(&fixture), "a/b", "time")->verdict, rows[i].verdict, "row %zu", i);
    }
}

Test(judge_row, steps_within_the_limit_add_up_at_the_drift_reference)
{
    static const struct {
        const char *metric;
        double drift_reference, base, now;
        enum verdict verdict;
    } rows[] = {
        {"time", 100000, 104000, 105000, VERDICT_SAME}, /* the value is exactly 5 % past the drift reference */
        {"time", 100000, 104000, 105100, VERDICT_REGRESSED},
        {"time", 100000, 96000, 95000, VERDICT_SAME},
        {"share", 80, 76.5, 75.9, VERDICT_REGRESSED}, /* in this metric higher is better */
        {"share", 80, 76.5, 77.4, VERDICT_SAME},
        {"share", 10, 9.7, 9.3, VERDICT_SAME}, /* the value is 7 % past the drift reference, but within the floor */
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        AT_END(tear_down) struct fixture fixture = set_up();
        put_sides(&fixture, "a/b", rows[i].metric, rows[i].base, 10, rows[i].now, 2);
        struct row *row = result_find(run_find(&fixture.base, "a/b"), rows[i].metric);
        row->has_drift_reference = true;
        row->drift_reference = rows[i].drift_reference;
        const struct judgement *judgement = expect_verdict(&fixture, "a/b", rows[i].metric, rows[i].verdict, i);
        cr_expect_eq(says(judgement, "drift reference"), rows[i].verdict == VERDICT_REGRESSED, "row %zu", i);
    }
}

/* Both sides count, and an unknown weight is not small: a ratio whose weight grew is judged, and so is one whose weight
 * may have. */
Test(judge_row, a_ratio_of_almost_nothing_is_not_judged)
{
    static const char ratio[] =
        "[lookups]\ntitle = L\ncounter = l.sum\nunit = count\nclass = info\nbetter = lower\ndoc = L.\n"
        "[hits]\ntitle = H\ncounter = h.pct\nunit = %\nclass = steady\nbetter = higher\nfloor = 1 point\n"
        "weight = lookups\nfew = 100000\ndoc = H.\n";
    static const struct {
        double base_lookups, lookups; /* weights of the ratio; 0: the file has none */
        double now;
        enum verdict verdict;
        const char *gpu; /* GPU of the run, which has the baseline's code; the baseline knows another one */
    } rows[] = {
        {60000, 60000, 1, VERDICT_INFO, NULL},          {60000, 100000, 1, VERDICT_REGRESSED, NULL},
        {100000, 60000, 1, VERDICT_REGRESSED, NULL},    {0, 60000, 1, VERDICT_REGRESSED, NULL},
        {60000, 0, 1, VERDICT_REGRESSED, NULL},         {0, 0, 1, VERDICT_REGRESSED, NULL},
        {1000000, 1000000, 1, VERDICT_REGRESSED, NULL}, {1000000, 1000000, 4, VERDICT_SAME, NULL},
        {60000, 60000, 4, VERDICT_INFO, NULL},          {60000, 60000, 1, VERDICT_INFO, "GPU-2"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        AT_END(tear_down) struct fixture fixture = set_up();
        cr_assert_eq(metrics_read_text(&fixture.metrics, "ratio.ini", ratio), 0);
        run_note_metrics(&fixture.base, &fixture.metrics);
        run_note_metrics(&fixture.run, &fixture.metrics);
        put_sides(&fixture, "a/b", "hits", 4, 10, rows[i].now, 2);
        if (rows[i].base_lookups > 0)
            put_times(&fixture.base, "a/b", "lookups", rows[i].base_lookups, 10);
        if (rows[i].lookups > 0)
            put_times(&fixture.run, "a/b", "lookups", rows[i].lookups, 2);
        if (rows[i].gpu) {
            put_fact(&fixture.base, SESSION_GPU_UUID, "GPU-1");
            put_fact(&fixture.run, SESSION_GPU_UUID, rows[i].gpu);
            put_codes(&fixture, "a/b", "c0de", "c0de");
        }
        const struct judgement *judgement = expect_verdict(&fixture, "a/b", "hits", rows[i].verdict, i);
        cr_expect_eq(says(judgement, "too little to form a ratio"), rows[i].verdict == VERDICT_INFO, "row %zu", i);
    }
}

/* ---- Runs of a program, which leaves caches and inputs as they are ---- */

static const char of_program[] =
    "[gpu_time]\ntitle = GPU time\ncounter = " COUNTER_TIME "\nunit = ns\nclass = time\nbetter = lower\n"
    "floor = 2 % and 250 ns\ndoc = Time.\n"
    "[traffic]\ntitle = Traffic\ncounter = made_up_traffic.sum\nunit = B\nclass = steady\nbetter = lower\n"
    "floor = 2 %\ndoc = Traffic.\n";

static struct fixture set_up_program(bool is_program)
{
    struct fixture fixture = set_up();
    cr_assert_eq(metrics_read_text(&fixture.metrics, "program.ini", of_program), 0);
    run_note_metrics(&fixture.base, &fixture.metrics);
    run_note_metrics(&fixture.run, &fixture.metrics);
    if (is_program)
        put_fact(&fixture.run, SESSION_COLLECTOR, origin_of(ORIGIN_PROGRAM)->collector);
    return fixture;
}

/* Both sides count: a launch or traffic that grew is judged. */
Test(judge_row, short_launches_and_little_traffic_of_a_program_are_not_judged)
{
    static const char brief[] = "a launch of less than 10 us in a program", little[] = "less than 4 MB in a program",
                      caches[] = "whose caches are its own";
    static const struct {
        bool is_program;
        double base_time, time;
        const char *metric;
        double base, now;
        enum verdict verdict;
        const char *reason;
    } rows[] = {
        {true, 9000, 9900, "gpu_time", 9000, 9900, VERDICT_INFO, brief},
        {true, 9000, 12000, "gpu_time", 9000, 12000, VERDICT_REGRESSED, NULL},
        {true, 12000, 9000, "gpu_time", 12000, 9000, VERDICT_IMPROVED, NULL},
        {true, 100000, 110000, "gpu_time", 100000, 110000, VERDICT_REGRESSED, NULL},
        {false, 9000, 9900, "gpu_time", 9000, 9900, VERDICT_REGRESSED, NULL},
        {true, 100000, 100000, "traffic", 1e6, 3e6, VERDICT_INFO, little},
        {true, 100000, 100000, "traffic", 3e6, 6e6, VERDICT_REGRESSED, NULL},
        {true, 9000, 9000, "traffic", 1e7, 2e7, VERDICT_INFO, brief},
        {false, 100000, 100000, "traffic", 1e6, 3e6, VERDICT_REGRESSED, NULL},
        {true, 100000, 100000, "share", 90, 50, VERDICT_INFO, caches},
        {false, 100000, 100000, "share", 90, 50, VERDICT_REGRESSED, NULL},
        {true, 2000, 2000, "count", 7, 8, VERDICT_REGRESSED, NULL},
        {true, 2000, 2000, "ceiling", 100, 50, VERDICT_REGRESSED, NULL},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        AT_END(tear_down) struct fixture fixture = set_up_program(rows[i].is_program);
        put_sides(&fixture, "a/b", rows[i].metric, rows[i].base, 10, rows[i].now, 2);
        if (strcmp(rows[i].metric, "gpu_time") != 0) {
            put_sides(&fixture, "a/b", "gpu_time", rows[i].base_time, 10, rows[i].time, 2);
        }
        const struct judgement *judgement = find(compare(&fixture), "a/b", rows[i].metric);
        cr_assert_not_null(judgement, "row %zu", i);
        cr_expect_eq(judgement->verdict, rows[i].verdict, "row %zu: %s", i, verdict_name(judgement->verdict));
        cr_expect(rows[i].reason ? says(judgement, rows[i].reason) : !judgement->reason, "row %zu: %s", i,
                  judgement->reason);
    }
}

/* What the caches hold is the program's. The time of the same code tells whether that matters. */
Test(judge_row, traffic_of_the_same_code_in_a_program_is_not_judged)
{
    for (int same = 0; same < 2; same++) {
        AT_END(tear_down) struct fixture fixture = set_up_program(true);
        put_sides(&fixture, "a/b", "gpu_time", 1e5, 10, 1e5, 2);
        put_sides(&fixture, "a/b", "traffic", 6e6, 10, 9e6, 2);
        put_codes(&fixture, "a/b", "0123456789abcdef", same ? "0123456789abcdef" : "fedcba9876543210");
        cr_expect_eq(find(compare(&fixture), "a/b", "traffic")->verdict, same ? VERDICT_INFO : VERDICT_REGRESSED);
    }
}

/* Launches of a group may have different inputs. If the baseline's sessions have several numbers, a percent is allowed;
 * with one session 5 %. If all sessions of both sides have one number, it is compared to the digit. */
Test(judge_row, counts_of_a_program_that_differ_within_a_session_have_a_margin)
{
    static const double several[3] = {99990, 100000, 100010};
    static const struct {
        bool is_program, base_repeats, now_repeats;
        size_t sessions;
        double now;
        enum verdict verdict;
    } rows[] = {
        {true, true, true, 10, 100000, VERDICT_SAME},        {true, true, true, 10, 100001, VERDICT_REGRESSED},
        {true, true, true, 1, 100001, VERDICT_REGRESSED},    {true, false, false, 10, 100900, VERDICT_SAME},
        {true, false, false, 10, 101100, VERDICT_REGRESSED}, {false, false, false, 10, 100900, VERDICT_REGRESSED},
        {true, false, false, 1, 104000, VERDICT_SAME},       {true, false, false, 1, 106000, VERDICT_REGRESSED},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const double move = rows[i].now - 100000;
        const double moved[3] = {several[0] + move, several[1] + move, several[2] + move};
        AT_END(tear_down) struct fixture fixture = set_up_program(rows[i].is_program);
        for (size_t s = 0; s < rows[i].sessions; s++)
            put_samples(&fixture.base, "a/b", "count", several + rows[i].base_repeats, rows[i].base_repeats ? 1 : 3);
        for (size_t s = 0; s < 2; s++)
            put_samples(&fixture.run, "a/b", "count", moved + rows[i].now_repeats, rows[i].now_repeats ? 1 : 3);
        expect_verdict(&fixture, "a/b", "count", rows[i].verdict, i);
    }
}

/* Metrics of which one side may have no row for a reason of its own. */
static struct fixture set_up_one_sided(const char *collector)
{
    static const char more[] =
        "[conflicts]\ntitle = C\ncounter = cugate.excess_wavefronts\nunit = count\nclass = exact\nbetter = lower\n"
        "doc = On demand.\n"
        "[waits]\ntitle = W\ncounter = cugate.load_waits\nunit = count\nclass = exact\nbetter = lower\ndoc = W.\n"
        "[computing]\ntitle = C\ncounter = cugate.computing_time\nunit = ns\nclass = time\nbetter = lower\ndoc = C.\n"
        "[gpu_time]\ntitle = G\ncounter = cugate.gpu_time\nunit = ns\nclass = time\nbetter = lower\ndoc = G.\n";
    struct fixture fixture = set_up();
    cr_assert_eq(metrics_read_text(&fixture.metrics, "more.ini", more), 0);
    put_fact(&fixture.base, SESSION_COLLECTOR, collector);
    put_fact(&fixture.run, SESSION_COLLECTOR, collector);
    return fixture;
}

/* Each line is one reason why a side may lack a row, or why it may not. */
Test(judge_row, a_row_that_one_side_lacks_is_excused_by_what_is_known)
{
    static const struct {
        const char *collector, *kernel, *metric, *function;
        bool in_base, in_run, other_code, of_program;
        enum verdict verdict;
        const char *reason;
    } rows[] = {
        {"sim", "a/b", "waits", NULL, false, true, false, false, VERDICT_INFO, "no GPU counts it"},
        {"cupti", "a/b", "conflicts", NULL, false, true, false, false, VERDICT_NEW, "not in the baseline yet"},
        {"cupti", "a/b", "count", NULL, false, true, false, false, VERDICT_UNSURE, "but no value of this"},
        {"cupti", "a/b", "conflicts", NULL, true, false, false, false, VERDICT_SAME, "the exact counts are the"},
        {"cupti", "a/b", "conflicts", NULL, true, false, true, false, VERDICT_MISSING, "`cugate check` count it"},
        {"cupti", "a/b", "count", NULL, true, false, false, false, VERDICT_MISSING, "not in this run"},
        {"exec", "a/program", "computing", NULL, true, false, false, true, VERDICT_INFO, "the run has no collectives"},
        {"exec", "a/program", "computing", NULL, false, true, false, true, VERDICT_INFO, "the baseline has no coll"},
        {"exec", "a/b@1,32", "gpu_time", NULL, true, true, false, true, VERDICT_INFO, "see the time of a launch"},
        {"exec", "a/b@1,32", "count", "ncclDevKernel_Sum", true, false, false, true, VERDICT_INFO, "waits for others"},
        {"exec", "a/b@1,32", "count", "ncclDevKernel_Sum", false, true, true, true, VERDICT_INFO, "waits for others"},
        {"exec", "a/b@1,32", "count", "made_up()", true, false, false, true, VERDICT_INFO, "its time is judged"},
        {"exec", "a/b@1,32", "count", "made_up()", true, false, true, true, VERDICT_MISSING, "not in this run"},
        {"exec", "a/b@1,32", "count", "made_up()", false, true, false, true, VERDICT_UNSURE, "no value of this"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        AT_END(tear_down) struct fixture fixture = set_up_one_sided(rows[i].collector);
        put_codes(&fixture, rows[i].kernel, "old", rows[i].other_code ? "new" : "old");
        for (size_t side = 0; side < 2; side++) {
            struct run *run = side == 0 ? &fixture.base : &fixture.run;
            if (rows[i].function) {
                struct launch *launch = &run_find(run, rows[i].kernel)->launches[0];
                set_text(&launch->function, rows[i].function);
            }
            put(run, rows[i].kernel, "good", 1);
            put(run, rows[i].kernel, "launches", 1);
            put(run, rows[i].kernel, "time", 5e6);
            if (rows[i].of_program && strcmp(rows[i].kernel, "a/program") != 0) {
                put(run, "a/program", "launches", 1);
                put(run, "a/program", "time", 5e6);
            }
            if (side == 0 ? rows[i].in_base : rows[i].in_run)
                put(run, rows[i].kernel, rows[i].metric, 7);
        }
        const struct judgement *judgement =
            expect_verdict(&fixture, rows[i].kernel, rows[i].metric, rows[i].verdict, i);
        cr_expect(says(judgement, rows[i].reason), "row %zu: %s", i, judgement->reason);
    }
}

Test(judge_row, what_the_clock_and_the_code_leave_open)
{
    AT_END(tear_down) struct fixture fixture = set_up();
    put_sides(&fixture, "a/b", "time", 100000, 10, 110000, 2);
    put_times(&fixture.base, "a/b", "clock", 2e9, 10);
    cr_expect(says(expect_verdict(&fixture, "a/b", "time", VERDICT_UNSURE, 0), "the clock is unknown here"));
    put_sides(&fixture, "a/c", "ceiling", 50, 1, 50, 1);
    run_find(&fixture.run, "a/c")->reason = x_strdup("launches are not known");
    cr_expect(says(expect_verdict(&fixture, "a/c", "ceiling", VERDICT_UNSURE, 1), "launches are not known"));
}
