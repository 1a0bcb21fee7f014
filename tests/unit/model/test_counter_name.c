#include "model/counter_name.h"
#include "test.h"

Test(counter_name, a_name_is_split)
{
    static const struct {
        const char *text, *name, *base;
        bool instrumented;
    } rows[] = {
        {"smsp__sass_inst_executed.sum", "smsp__sass_inst_executed.sum", "smsp__sass_inst_executed", true},
        {"sm__sass_branch_targets", "sm__sass_branch_targets", "sm__sass_branch_targets", true},
        {"smsp__inst_executed.sum", "smsp__inst_executed.sum", "smsp__inst_executed", false},
        {"sm__cycles_elapsed.avg.per_second smsp__sass_x.sum", "sm__cycles_elapsed.avg.per_second",
         "sm__cycles_elapsed", false},
        {"dram__throughput.avg.pct_of_peak_sustained_elapsed", "dram__throughput.avg.pct_of_peak_sustained_elapsed",
         "dram__throughput", false},
        {"l1tex__data__sass_x.sum", "l1tex__data__sass_x.sum", "l1tex__data__sass_x", false},
        {"smsp__sassy.sum", "smsp__sassy.sum", "smsp__sassy", false},
        {"x\tsmsp__sass_x.sum", "x", "x", false},
        {"cugate.wall_time", "cugate.wall_time", "cugate", false},
        {"", "", "", false},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const struct counter_name name = counter_split(rows[i].text);
        cr_expect_eq(name.text, rows[i].text);
        cr_expect_eq(name.length, strlen(rows[i].name), "%s: %zu", rows[i].text, name.length);
        cr_expect_eq(name.base, strlen(rows[i].base), "%s: %zu", rows[i].text, name.base);
        cr_expect_eq(name.instrumented, rows[i].instrumented, "%s", rows[i].text);
    }
}

Test(counter_name, names_of_a_metric_are_divided_by_blanks_of_any_kind)
{
    static const char *const expected[] = {"a__b.sum", "c__d.avg", "e"};
    const char *rest = " a__b.sum  c__d.avg\t e ";
    struct counter_name name;
    for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
        cr_assert(counter_next(&rest, &name));
        cr_expect(name.length == strlen(expected[i]) && strncmp(name.text, expected[i], name.length) == 0, "%s",
                  name.text);
    }
    cr_expect_not(counter_next(&rest, &name));
}

Test(counter_name, only_a_whole_name_is_a_metrics_counter)
{
    char names[] = "sm__other.sum\tsmsp__inst_executed.sum";
    const struct metric metric = {.counter = names};
    cr_expect(metric_has_counter(&metric, "sm__other.sum"));
    cr_expect(metric_has_counter(&metric, "smsp__inst_executed.sum"));
    cr_expect_not(metric_has_counter(&metric, "smsp__inst_executed"));
    cr_expect_not(metric_has_counter(&metric, "smsp__inst_executed.sum.per_second"));
    cr_expect_not(metric_has_counter(&metric, ""));
}
