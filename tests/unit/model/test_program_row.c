#include "model/model.h"

#include "base/base.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

static struct metric list[] = {{.name = "instructions", .counter = "smsp__inst_executed.sum", .class = METRIC_EXACT},
                               {.name = "launches", .counter = "cugate.launches"},
                               {.name = "processes", .counter = "cugate.processes"},
                               {.name = "time", .counter = COUNTER_TIME}};
static const struct metrics metrics = {.list = list, .count = ARRAY_SIZE(list)};

Test(program_row, its_id_is_that_of_no_kernel)
{
    char *id = program_row_id("train");
    cr_expect_str_eq(id, "train/program");
    cr_expect(is_program_row(id));
    static const char *const others[] = {"train/program@1,32", "train/graph:program~1", "program", "train/programs",
                                         ""};
    for (size_t i = 0; i < ARRAY_SIZE(others); i++)
        cr_expect(!is_program_row(others[i]), "%s", others[i]);
    free(id);
}

Test(program_row, a_range_has_an_id_of_its_own)
{
    char *id = program_range_id("train", "layer 1/attention*");
    cr_expect_str_eq(id, "train/program:layer_1_attention_");
    cr_expect(is_program_row(id));
    free(id);
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
        struct result result = {.id = x_strdup(cases[i].id)};
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
        result_release(&result);
    }
}

Test(program_row, a_kernel_waits_by_its_name_or_by_its_counts)
{
    static const struct {
        const char *function;
        double counts[2];
        bool communicates, waits;
    } cases[] = {
        {"ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)", {7, 7}, true, true},
        {"void nvshmemi_barrier<int>(int)", {7, 7}, true, true},
        {"my_ncclDevKernel", {7, 7}, false, false},
        {"barrier", {100, 102}, false, true},
        {"barrier", {1000, 1005}, false, false},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct result result = {.id = x_strdup("a/b@1,32")};
        ARRAY_GROW(result.launches, result.launch_count)->function = x_strdup(cases[i].function);
        row_add_session(result_add(&result, "instructions"), cases[i].counts, 2);
        cr_expect_eq(program_communicates(&result), cases[i].communicates, "case %zu", i);
        cr_expect_eq(program_waits(&metrics, &result), cases[i].waits, "case %zu", i);
        result_release(&result);
    }
}
