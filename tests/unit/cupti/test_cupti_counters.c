#include "plugin_support.h"
#include "test.h"

/* The counters that a chip has, one for each metric. */
struct answer {
    struct metrics metrics;
    const char **chosen;
    char *memory;
    size_t passes;
    int result;
    struct problem problem;
};

static void ask(struct answer *answer, const char *chip)
{
    answer->chosen = x_calloc(answer->metrics.count, sizeof *answer->chosen);
    answer->memory = NULL;
    answer->result = plugin()->chip_counters(chip, &answer->metrics, answer->chosen, &answer->memory, &answer->passes,
                                             &answer->problem);
}

static void forget(struct answer *answer)
{
    free(answer->chosen);
    free(answer->memory);
    metrics_release(&answer->metrics);
}

/* Makes metrics m0, m1, ... of these counters. */
static void made_up_metrics(struct metrics *metrics, const char *const *counters, size_t count)
{
    *metrics = (struct metrics){0};
    for (size_t i = 0; i < count; i++) {
        OWNED_TEXT text = x_sprintf(
            "[m%zu]\ntitle = T\ncounter = %s\nunit = count\nclass = info\nbetter = lower\ndoc = d\n", i, counters[i]);
        cr_assert_eq(metrics_read_text(metrics, "x.ini", text), 0);
    }
}

Test(cupti_counters, every_metric_has_a_counter_on_every_chip)
{
    static const struct {
        const char *chip, *set, *lacks; /* set: NULL, the metrics of the folder itself */
        size_t most_passes;
    } rows[] = {
        {"GV100", NULL, "", 6},
        {"TU102", NULL, "", 3},
        {"GA100", NULL, "", 3},
        {"GA102", NULL, "", 3},
        {"AD102", NULL, "", 3},
        {"GH100", NULL, "", 3},
        {"GB100", NULL, "", 3},
        {"GB202", NULL, "", 3},
        {"GH100", "tensor",
         " tensor_ops_fp8_to_fp32 tensor_ops_fp4_6_8 tensor_ops_fp16_to_fp32 tensor_ops_fp16_to_fp16", 8},
        {"AD102", "tensor", " tensor_ops_fp8_to_fp32 tensor_ops_fp4_6_8 tensor_ops_fp16", 10},
        {"GA100", "tensor", " tensor_ops_fp8 tensor_ops_fp8_to_fp32 tensor_ops_fp4_6_8 tensor_ops_fp16", 10},
        {"GB202", "tensor", " tensor_ops_fp8 tensor_ops_fp4_6_8 tensor_ops_fp16", 10},
        {"GB100", "tensor", " tensor_ops_fp8 tensor_ops_fp8_to_fp32 tensor_ops_fp16", 10},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        AT_END(forget) struct answer answer = {0};
        OWNED_TEXT lacks = x_strdup("");
        char *set = (char *)rows[i].set;
        cr_assert_eq(metrics_read_sets(&answer.metrics, "metrics", &set, set ? 1 : 0, "metrics"), 0);
        ask(&answer, rows[i].chip);
        cr_assert_eq(answer.result, 0, "%s: %s", rows[i].chip, answer.problem.text);
        for (size_t m = 0; m < answer.metrics.count; m++) {
            const struct metric *metric = &answer.metrics.list[m];
            const char *chosen = answer.chosen[m];
            if (strncmp(metric->counter, "cugate.", 7) == 0)
                cr_expect_null(chosen, "%s: %s", rows[i].chip, metric->name);
            else if (!chosen)
                x_append(&lacks, "", " %s", metric->name);
            else
                cr_expect(strstr(metric->counter, chosen), "%s has no %s", rows[i].chip, metric->counter);
        }
        cr_expect_str_eq(lacks, rows[i].lacks, "%s", rows[i].chip);
        cr_expect(answer.passes > 0 && answer.passes <= rows[i].most_passes, "%s: %zu passes", rows[i].chip,
                  answer.passes);
    }
}

Test(cupti_counters, the_first_alternative_that_a_chip_has_is_chosen)
{
    static const char *const counters[] = {
        "dram__bytes_read.sum dram__bytes_op_read.sum",
        "dram__bytes_op_read.sum dram__bytes_read.sum",
        "no__such.sum\tgpu__time_duration.sum  sm__cycles_active.avg",
        "gpu__time_duration.sum no__such.sum",
    };
    static const struct {
        const char *chip;
        const char *chosen[ARRAY_SIZE(counters)];
    } cases[] = {
        {"GH100", {"dram__bytes_read.sum", "dram__bytes_read.sum", "gpu__time_duration.sum", "gpu__time_duration.sum"}},
        {"GB202",
         {"dram__bytes_op_read.sum", "dram__bytes_op_read.sum", "gpu__time_duration.sum", "gpu__time_duration.sum"}},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        AT_END(forget) struct answer answer = {0};
        made_up_metrics(&answer.metrics, counters, ARRAY_SIZE(counters));
        ask(&answer, cases[i].chip);
        cr_assert_eq(answer.result, 0, "%s: %s", cases[i].chip, answer.problem.text);
        for (size_t m = 0; m < ARRAY_SIZE(counters); m++) {
            cr_expect(answer.chosen[m] && strcmp(answer.chosen[m], cases[i].chosen[m]) == 0, "%s: %s, not %s",
                      cases[i].chip, answer.chosen[m], cases[i].chosen[m]);
        }
    }
}

Test(cupti_counters, an_unknown_counter_costs_itself_only)
{
    static const char *const counters[] = {
        "sm__cycles_active.avg",   "no__such.sum",      "cugate.wall_time", "sm__cycles_active.frobnicated",
        "smsp__inst_executed.sum", "sm__cycles_active",
    };
    static const bool there[] = {true, false, false, false, true, false};
    AT_END(forget) struct answer answer = {0};
    made_up_metrics(&answer.metrics, counters, ARRAY_SIZE(counters));
    ask(&answer, "GH100");
    cr_assert_eq(answer.result, 0, "%s", answer.problem.text);
    for (size_t m = 0; m < ARRAY_SIZE(counters); m++) {
        if (there[m])
            cr_expect_str_eq(answer.chosen[m], counters[m]);
        else
            cr_expect_null(answer.chosen[m], "%s", counters[m]);
    }
    cr_expect_eq(answer.passes, 1);
}

Test(cupti_counters, a_chip_without_any_of_the_counters_is_an_error)
{
    static const char *const counters[] = {"no__such.sum", "no__other.sum nor__this.sum"};
    AT_END(forget) struct answer answer = {0};
    made_up_metrics(&answer.metrics, counters, ARRAY_SIZE(counters));
    ask(&answer, "GH100");
    cr_expect_eq(answer.result, -1);
    cr_expect_str_eq(answer.problem.text, "chip GH100 has none of the counters in the metric files");
    cr_expect_null(answer.memory);
}

Test(cupti_counters, an_unknown_chip_is_an_error_with_the_way_out)
{
    static const char *const chips[] = {"", "GH10", "gh100", "frobnicator"};
    for (size_t i = 0; i < ARRAY_SIZE(chips); i++) {
        AT_END(forget) struct answer answer = {0};
        made_up_metrics(&answer.metrics, &(const char *){"gpu__time_duration.sum"}, 1);
        ask(&answer, chips[i]);
        cr_expect_eq(answer.result, -1, "%s", chips[i]);
        cr_expect(strstr(answer.problem.text, "list metrics help"), "%s: %s", chips[i], answer.problem.text);
    }
}

Test(cupti_counters, of_a_set_that_cannot_be_counted_the_metrics_at_fault_are_named)
{
    static const char *const counters[] = {"gpu__time_duration.sum", "dram__bytes.sum", "sm__cycles_active.avg",
                                           "pcie__read_bytes.sum",   "no__such.sum",    "smsp__inst_executed.sum"};
    AT_END(forget) struct answer answer = {0};
    made_up_metrics(&answer.metrics, counters, ARRAY_SIZE(counters));
    ask(&answer, "GH100");
    cr_expect_eq(answer.result, -1);
    expect_word(answer.problem.text,
                "chip GH100 cannot count [m3] (pcie__read_bytes.sum) with [m1] (dram__bytes.sum): remove one");
}

Test(cupti_counters, what_a_product_has_is_a_chip)
{
    const char *const *names;
    size_t count, products = 0;
    struct problem problem = {0};
    cr_assert_eq(plugin()->chips(&names, &count, &problem), 0, "%s", problem.text);
    for (size_t i = 0; i < count; i++)
        for (const char *rest = chip_products(names[i]); *rest; products++) {
            OWNED_TEXT product = x_sprintf("%.*s", (int)strcspn(rest, ","), rest);
            const char *chip = chip_of_product(product);
            cr_expect(chip && strcmp(chip, names[i]) == 0, "%s: %s, not %s", product, chip ? chip : "none", names[i]);
            rest += strlen(product);
            rest += strspn(rest, ", ");
        }
    cr_expect_gt(products, 50);
}
