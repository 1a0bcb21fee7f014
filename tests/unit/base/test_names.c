#include "base/base.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

Test(names, a_name_is_found_where_it_is)
{
    static const char *const names[] = {"lower", "higher"};
    cr_expect_eq(name_index("lower", names, 2), 0);
    cr_expect_eq(name_index("higher", names, 2), 1);
    cr_expect_eq(name_index("high", names, 2), 2);
    cr_expect_eq(name_index("", NULL, 0), 0);
}

Test(names, a_name_ends_at_the_first_other_character)
{
    cr_expect_eq(name_length("sm_90"), 5);
    cr_expect_eq(name_length("reduce/tree"), 6);
    cr_expect_eq(name_length("Time"), 0);
    cr_expect_eq(name_length(""), 0);
}

Test(names, globs_match_across_slashes)
{
    static const struct {
        const char *globs[2];
        size_t count;
        const char *text;
        bool expected;
    } cases[] = {
        {{NULL}, 0, "reduce/tree", true},         {{"reduce/*"}, 1, "reduce/tree", true},
        {{"reduce/*"}, 1, "reduce", false},       {{"*"}, 1, "reduce/tree", true},
        {{"*tree"}, 1, "reduce/tree", true},      {{"reduce"}, 1, "reduce/tree", false},
        {{"[ab]*/x?"}, 1, "beta/x1", true},       {{"no", "reduce/tr*"}, 2, "reduce/tree", true},
        {{"no", "nor"}, 2, "reduce/tree", false},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
        cr_expect_eq(glob_any((char *const *)cases[i].globs, cases[i].count, cases[i].text), cases[i].expected,
                     "case %zu", i);
}

Test(names, slug_is_lower_case_with_single_dashes)
{
    static const struct {
        const char *text, *expected;
    } cases[] = {
        {"NVIDIA H200", "nvidia-h200"},
        {"  Tesla  V100-SXM2-32GB ", "tesla-v100-sxm2-32gb"},
        {"../../etc/passwd", "etc-passwd"},
        {"\xc3\xa9t\xc3\xa9", "t"},
        {"", ""},
        {"///", ""},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        char *text = slug(cases[i].text);
        cr_expect_str_eq(text, cases[i].expected);
        free(text);
    }
}

Test(names, nearest_name_finds_slips_only)
{
    static const char *const names[] = {"check", "compare", "list", "run"};
    static const struct {
        const char *text, *expected; /* NULL: none */
    } cases[] = {
        {"chekc", "check"}, {"comapre", "compare"}, {"lst", "list"}, {"rnu", "run"},
        {"explain", NULL},  {"completely", NULL},   {"", NULL},      {"x", NULL},
        {"list", "list"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        const char *found = nearest_name(cases[i].text, names, ARRAY_SIZE(names));
        cr_expect((!found && !cases[i].expected) ||
                      (found && cases[i].expected && strcmp(found, cases[i].expected) == 0),
                  "%s: %s", cases[i].text, found ? found : "none");
    }
    char *endless = x_calloc(100001, 1);
    memset(endless, 'x', 100000);
    cr_expect_null(nearest_name(endless, names, ARRAY_SIZE(names)));
    free(endless);
}
