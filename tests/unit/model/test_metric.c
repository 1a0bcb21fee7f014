#include "model/metric.h"
#include "test.h"

#define BODY "title = T\ncounter = c.sum\nunit = ns\nclass = time\nbetter = lower\ndoc = d\n"

Test(metric, laws_name_what_is_there)
{
    static const struct {
        const char *law, *words; /* words is NULL for a valid law */
    } cases[] = {
        {"> 0, <= 2 * b, >= cugate.warps", NULL},
        {"> 0, <= 2 * c", "x.ini:8: a law of [a] names \"c\", but no section has that name, nor is it cugate.warps"},
        {">= cugate.wraps", "x.ini:8: a law of [a] names \"cugate.wraps\""},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        OWNED_TEXT text = x_sprintf("[a]\n" BODY "law = %s\n[b]\n" BODY, cases[i].law);
        OWNED(metrics) metrics = {0};
        cr_assert_eq(metrics_read_text(&metrics, "x.ini", text), 0);
        HEAR(result, metrics_check(&metrics));
        cr_expect_eq(result, cases[i].words ? -1 : 0, "case %zu: %s", i, said);
        cr_expect(strstr(said, cases[i].words ? cases[i].words : ""), "case %zu: %s", i, said);
    }
}

Test(metric, weights_must_exist_and_add_up)
{
    static const struct {
        const char *weight_of_a, *weight_of_b, *words; /* words is NULL for valid weights */
    } cases[] = {
        {"b", NULL, NULL},
        {"c", NULL, "x.ini:1: [a] is weighed by \"c\", but no section has that name"},
        {"a", NULL, "[a] is weighed by [a], which is weighed itself"},
        {"b", "a", "[a] is weighed by [b], which is weighed itself"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        OWNED_TEXT text =
            x_sprintf("[a]\n" BODY "%s%s\n[b]\n" BODY "%s%s\n", "weight = ", cases[i].weight_of_a,
                      cases[i].weight_of_b ? "weight = " : "", cases[i].weight_of_b ? cases[i].weight_of_b : "");
        OWNED(metrics) metrics = {0};
        cr_assert_eq(metrics_read_text(&metrics, "x.ini", text), 0);
        HEAR(result, metrics_check(&metrics));
        cr_expect_eq(result, cases[i].words ? -1 : 0);
        cr_expect(!cases[i].words || strstr(said, cases[i].words), "%s", said);
    }
}

Test(metric, clocks_and_trades_must_exist)
{
    static const struct {
        const char *line, *words; /* words is NULL for a valid line */
    } cases[] = {
        {"clock = b", NULL},
        {"trade = b", NULL},
        {"clock = c", "x.ini:1: the clock of [a] is \"c\", but no section has that name"},
        {"trade = c", "x.ini:1: the trade of [a] is \"c\", but no section has that name"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        OWNED_TEXT text = x_sprintf("[a]\n" BODY "%s\n[b]\n" BODY, cases[i].line);
        OWNED(metrics) metrics = {0};
        cr_assert_eq(metrics_read_text(&metrics, "x.ini", text), 0);
        HEAR(result, metrics_check(&metrics));
        cr_expect_eq(result, cases[i].words ? -1 : 0);
        cr_expect(!cases[i].words || strstr(said, cases[i].words), "%s", said);
    }
}

Test(metric, every_class_and_direction_has_words)
{
    for (enum metric_class class = 0; class < METRIC_CLASSES; class ++)
        cr_expect_not_null(metric_class_name(class));
    for (enum metric_better better = 0; better < METRIC_BETTERS; better++)
        cr_expect_not_null(metric_better_name(better));
}
