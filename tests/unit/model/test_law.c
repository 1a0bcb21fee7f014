#include "model/law.h"
#include "test.h"

/* The values that laws read: a is 2 to 4, b is 10, zero is 0, and others were not read. */
static bool read_made(const void *of, const char *name, struct span *span)
{
    (void)of;
    static const struct {
        const char *name;
        struct span span;
    } all[] = {{"a", {2, 4}}, {"b", {10, 10}}, {"zero", {0, 0}}, {LAW_WARPS, {64, 64}}};
    for (size_t i = 0; i < ARRAY_SIZE(all); i++)
        if (strcmp(all[i].name, name) == 0) {
            *span = all[i].span;
            return true;
        }
    return false;
}

static const struct law_reader made = {read_made, NULL};

Test(law, sums_have_the_span_of_what_was_read)
{
    static const struct {
        const char *text;
        bool asked;
        double low, high;
    } cases[] = {
        {"> 0", true, 0, 0},
        {"<=32", true, 32, 32},
        {">= .5e3 ", true, 500, 500},
        {"< -2", true, -2, -2},
        {"<= a", true, 2, 4},
        {"<= 1.5*a", true, 3, 6},
        {"<= b / a", true, 2.5, 5},
        {"<= 6 / 2 * b / a / 3", true, 2.5, 5},
        {"<= 100 - 100 * a / b", true, 60, 80},
        {"<= -a + b", true, 6, 8},
        {"<= a + a + 1", true, 5, 9},
        {">= " LAW_WARPS, true, 64, 64},
        {"<= zero", true, 0, 0},
        {"<= b / zero", false, 0, 0},
        {"<= a + unread", false, 0, 0},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        OWNED(laws) laws = {0};
        struct span bound;
        struct problem problem;
        cr_expect_eq(laws_parse(&laws, cases[i].text, &problem), 0, "%s: %s", cases[i].text, problem.text);
        cr_assert_eq(laws.count, 1);
        cr_expect_eq(law_bound(&laws.list[0], &made, &bound), cases[i].asked, "%s", cases[i].text);
        if (cases[i].asked) {
            cr_expect_float_eq(bound.low, cases[i].low, 1e-12, "%s: %g", cases[i].text, bound.low);
            cr_expect_float_eq(bound.high, cases[i].high, 1e-12, "%s: %g", cases[i].text, bound.high);
        }
    }
}

Test(law, several_are_separated_by_commas)
{
    struct laws laws = {0};
    struct problem problem;
    cr_assert_eq(laws_parse(&laws, "> 0 ,  <= 1.1 * a\t, < b", &problem), 0);
    cr_assert_eq(laws.count, 3);
    cr_expect_str_eq(laws.list[0].text, "> 0");
    cr_expect_eq(laws.list[0].relation, LAW_MORE);
    cr_expect_eq(law_name_count(&laws.list[0]), 0);
    cr_expect_str_eq(laws.list[1].text, "<= 1.1 * a");
    cr_expect_eq(laws.list[1].relation, LAW_AT_MAX);
    cr_expect_str_eq(law_name(&laws.list[1], 0), "a");
    cr_expect_str_eq(laws.list[2].text, "< b");
    cr_expect_eq(laws.list[2].relation, LAW_LESS);
    laws_release(&laws);
    cr_expect_eq(laws.count, 0);
}

static int read_law(const char *text)
{
    OWNED(laws) laws = {0};
    struct problem problem;
    return laws_parse(&laws, text, &problem) < 0 ? error("%s", problem.text) : 0;
}

Test(law, what_is_no_law_is_refused_with_its_place)
{
    expect_texts("tests/unit/model/law.txt", read_law);
}

Test(law, each_number_keeps_a_number_and_one_of_each_another_metric)
{
    static const struct {
        const char *text;
        struct span numbers;
        bool kept;
    } cases[] = {
        {"> 0", {0, 5}, false},   {"> 0", {1, 5}, true},
        {">= 1", {1, 5}, true},   {">= 1", {0.5, 5}, false},
        {"< 5", {1, 5}, false},   {"<= 5", {1, 5}, true},
        {"<= 5", {1, 6}, false},  {">= " LAW_WARPS, {63, 64}, false},
        {"<= a", {4, 9}, true},   {"<= a", {5, 9}, false},
        {"< a", {4, 9}, false},   {"< a", {3, 9}, true},
        {">= a", {0, 2}, true},   {">= a", {0, 1}, false},
        {"> a", {0, 2}, false},   {"> a", {0, 3}, true},
        {"<= b", {10, 10}, true}, {"<= b", {11, 11}, false},
        {">= b", {9, 9}, false},  {">= b", {10, 10}, true},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        OWNED(laws) laws = {0};
        struct span bound;
        struct problem problem;
        cr_assert_eq(laws_parse(&laws, cases[i].text, &problem), 0);
        cr_assert(law_bound(&laws.list[0], &made, &bound));
        cr_expect_eq(law_is_kept(&laws.list[0], cases[i].numbers, bound), cases[i].kept, "case %zu: %s", i,
                     cases[i].text);
    }
}
