#include "test.h"

Test(points, a_point_is_a_list_of_axes_and_values)
{
    cr_expect_eq(point_length("n=16M"), 5);
    cr_expect_eq(point_length("n=16M,type=half] time"), strlen("n=16M,type=half"));
    cr_expect_eq(point_length("tile_2=8x8,way=-1.5e+3"), strlen("tile_2=8x8,way=-1.5e+3"));
    static const char *const none[] = {"",    "n",    "n=",   "=1",       "n=1,",  "n=1,m",
                                       "N=1", "2n=1", "n =1", "n=1,,m=2", "n=,m=2"};
    for (size_t i = 0; i < ARRAY_SIZE(none); i++)
        cr_expect_eq(point_length(none[i]), 0, "%s", none[i]);
}

Test(points, it_begins_where_the_name_ends)
{
    cr_expect_eq(point_begin("reduce/tree"), 11);
    cr_expect_eq(point_begin("reduce/tree[n=1]"), 11);
    cr_expect_eq(point_begin("[ab]*/x[n=1]"), 7);
    cr_expect_eq(point_begin("reduce/tree]"), 12);
    cr_expect_eq(point_begin("reduce/[ab]x"), 12);
    cr_expect_eq(point_begin(""), 0);
}

static void expect_fault(const char *where, const char *point, const char *words)
{
    OWNED_TEXT fault = point_fault(point);
    cr_expect(strcmp(words, "good") == 0 ? !fault : fault && strstr(fault, words), "%s: %s", where,
              fault ? fault : "nothing");
}

TEXTS(points, what_is_wrong_with_one_is_told, "tests/unit/base/points.txt#points", expect_fault)

Test(points, a_bracket_with_an_equals_sign_ends_a_pattern)
{
    static const char pattern[] = "a/[bc]*[n=1]";
    cr_expect_eq(point_pattern(pattern), pattern + 7);
    cr_expect_null(point_pattern("a/[bc]"));
    cr_expect_null(point_pattern("a/b"));
    cr_expect_null(point_pattern("[n=1]x"));
    cr_expect_null(point_pattern(""));
}

static void expect_match(const char *where, const char *point, const char *words)
{
    const char *const pattern = cut_at(&point, " ");
    cr_expect_eq(point_matches(pattern, point), strcmp(words, "matches") == 0, "%s", where);
}

TEXTS(points, each_value_of_a_pattern_has_to_be_at_the_point, "tests/unit/base/points.txt#patterns", expect_match)
