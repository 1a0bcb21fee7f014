#include "model/model.h"
#include "test.h"

static struct metric list[] = {{.name = "instructions", .counter = "smsp__inst_executed.sum", .class = METRIC_EXACT},
                               {.name = "launches", .counter = "cugate.launches"},
                               {.name = "processes", .counter = "cugate.processes"},
                               {.name = "time", .counter = COUNTER_TIME},
                               {.name = "gpu_time", .counter = "cugate.gpu_time"}};
static const struct metrics metrics = {.list = list, .count = ARRAY_SIZE(list)};

Test(program_row, its_id_is_that_of_no_kernel)
{
    OWNED_TEXT id = program_row_id("train");
    cr_expect_str_eq(id, "train/program");
    cr_expect_eq(row_kind(id), ROW_PROGRAM);
    static const char *const others[] = {"train/program@1,32", "train/graph:program~1", "program", "train/programs",
                                         ""};
    for (size_t i = 0; i < ARRAY_SIZE(others); i++)
        cr_expect(row_kind(others[i]) == ROW_KERNEL && row_is_graph(others[i]) == (i == 1), "%s", others[i]);
    cr_expect(is_kernel_of(others[0], id) && !is_kernel_of(others[0], "tra/program") && !is_kernel_of(id, id));
}

Test(program_row, a_range_has_an_id_of_its_own)
{
    OWNED_TEXT id = program_range_id("train", "layer 1/attention*");
    cr_expect_str_eq(id, "train/program:layer_1_attention_");
    cr_expect_eq(row_kind(id), ROW_RANGE);
}

Test(program_row, launches_and_time_of_all_of_them)
{
    static const struct {
        const char *id;
        double launches, time, expected; /* NAN: it has no such number */
    } cases[] = {
        {"a/b@1,32", 10, 200, 2000},
        {"a/program", 10, 200, 200}, /* its time is that of all launches */
        {"a/b@1,32", NAN, 200, NAN},
        {"a/b@1,32", 10, NAN, NAN},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        OWNED(result) result = {.id = x_strdup(cases[i].id)};
        const struct metric *time;
        if (!isnan(cases[i].launches))
            row_add_session(result_add(&result, "launches"), &cases[i].launches, 1);
        result_add(&result, "time");
        if (!isnan(cases[i].time))
            row_add_session(result_add(&result, "time"), &cases[i].time, 1);
        const double launches = program_launches(&metrics, &result), whole = program_time(&metrics, &result, &time);
        cr_expect(isnan(cases[i].launches) ? isnan(launches) : launches == cases[i].launches, "case %zu", i);
        cr_expect(isnan(cases[i].expected) ? isnan(whole) : whole == cases[i].expected, "case %zu: %g", i, whole);
        cr_expect_eq(time, isnan(cases[i].time) ? NULL : &list[3], "case %zu", i);
    }
}

Test(program_row, a_kernel_waits_by_its_name)
{
    static const struct {
        const char *function;
        bool communicates;
    } cases[] = {
        {"ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)", true},
        {"void nvshmemi_barrier<int>(int)", true},
        {"stream_executor::gpu::(anonymous namespace)::DelayKernel(stream_executor::GpuSemaphoreState volatile*)",
         true},
        {"my_ncclDevKernel", false},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        OWNED(result) result = {.id = x_strdup("a/b@1,32")};
        ARRAY_GROW(result.launches, result.launch_count)->function = x_strdup(cases[i].function);
        cr_expect_eq(program_communicates(&result), cases[i].communicates, "case %zu", i);
        cr_expect_eq(program_holds(&result) > 0, cases[i].communicates, "case %zu", i);
        /* With another kernel in a graph it computes, and waits all the same. */
        ARRAY_GROW(result.launches, result.launch_count)->function = x_strdup("add_one()");
        cr_expect_not(program_communicates(&result), "case %zu", i);
        cr_expect_eq(program_holds(&result) > 0, cases[i].communicates, "case %zu", i);
    }
}

/* Two sessions of a kernel that was launched 10 and 20 times. The profiler's times are of few launches, so that they
 * go. */
Test(program_row, the_time_of_a_launch_is_by_records)
{
    static const struct {
        const char *id, *collector;
        double took[2], time[2]; /* took: 0: not known, and then the profiler's stand */
    } cases[] = {
        {"a/b@1,32", "exec", {1000, 2400}, {100, 120}},
        {"a/program", "exec", {1000, 2400}, {1000, 2400}},
        {"a/b@1,32", "exec", {0}, {500, 500}},
        {"a/b", "cupti", {1000, 2400}, {500, 500}},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        OWNED(run) run = {0};
        struct result *result = run_add(&run, cases[i].id);
        for (size_t s = 0; s < 2; s++) {
            const double launches = 10 * (double)(s + 1), profiled[] = {400, 500, 600};
            ARRAY_GROW(run.sessions, run.session_count)->facts[SESSION_COLLECTOR] = x_strdup(cases[i].collector);
            row_add_session(result_add(result, "launches"), &launches, 1);
            row_add_session(result_add(result, "time"), profiled, ARRAY_SIZE(profiled));
            if (cases[i].took[s] > 0)
                row_add_session(result_add(result, "gpu_time"), &cases[i].took[s], 1);
        }
        for (int twice = 0; twice < 2; twice++)
            program_time_by_records(&run, &metrics);
        const struct row *time = result_find(result, "time");
        cr_assert_eq(time->session_count, 2, "case %zu", i);
        for (size_t s = 0; s < 2; s++)
            cr_expect_eq(row_session_value(time, s), cases[i].time[s], "case %zu: %g", i, row_session_value(time, s));
    }
}
