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

static void expect_bound(const char *where, const char *text, const char *words)
{
    OWNED(laws) laws = {0};
    struct span bound;
    struct problem problem;
    cr_assert_eq(laws_parse(&laws, text, &problem), 0, "%s: %s", where, problem.text);
    cr_assert_eq(laws.count, 1);
    const bool known = strcmp(words, "unknown") != 0;
    cr_expect_eq(law_bound(&laws.list[0], &made, &bound), known, "%s", where);
    if (!known)
        return;
    const double low = leading_number(&words), high = leading_number(&words);
    cr_expect_float_eq(bound.low, low, 1e-12, "%s: %g", where, bound.low);
    cr_expect_float_eq(bound.high, high, 1e-12, "%s: %g", where, bound.high);
}

TEXTS(law, sums_have_the_span_of_what_was_read, "tests/unit/model/law.txt#bounds", expect_bound)

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

REFUSED_TEXTS(law, what_is_no_law_is_refused_with_its_place, "tests/unit/model/law.txt#refused", read_law)

static void expect_kept(const char *where, const char *text, const char *words)
{
    OWNED(laws) laws = {0};
    struct span numbers = {leading_number(&text), 0}, bound;
    struct problem problem;
    numbers.high = leading_number(&text);
    cr_assert_eq(laws_parse(&laws, text + 1, &problem), 0, "%s", where);
    cr_assert(law_bound(&laws.list[0], &made, &bound), "%s", where);
    cr_expect_eq(law_is_kept(&laws.list[0], numbers, bound), strcmp(words, "kept") == 0, "%s", where);
}

TEXTS(law, each_number_keeps_a_number_and_one_of_each_another_metric, "tests/unit/model/law.txt#kept", expect_kept)
