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

Test(points, what_is_wrong_with_one_is_told)
{
    static const struct {
        const char *point;
        const char *words; /* words of the fault; NULL: the point is valid */
    } cases[] = {
        {"n=16M", NULL},
        {"n=1000", NULL},
        {"n=0", NULL},
        {"n=-1K", NULL},
        {"n=1024G", NULL},
        {"n=99999999999999999999", NULL},
        {"n=1,n_2=1,type=half", NULL},
        {"a=1Ki,b=1.5K,c=K", NULL},
        {"", "AXIS=VALUE"},
        {"n", "AXIS=VALUE"},
        {"N=1", "[a-z][a-z0-9_]*"},
        {"n=1,", "AXIS=VALUE"},
        {"n=", "the axis n has no value"},
        {"n=1,type=", "the axis type has no value"},
        {"n=1 ", "the value on the axis n has a character"},
        {"n=[1]", "the value on the axis n has a character"},
        {"n=1,n=2", "the axis n occurs twice"},
        {"type=half,n=1", "alphabetical"},
        {"n_2=1,n=1", "alphabetical"},
        {"n=1024", "has to be written 1K"},
        {"n=16777216", "has to be written 16M"},
        {"n=16384K", "has to be written 16M"},
        {"n=-2048M", "has to be written -2G"},
        {"n=123456789012345678901234567890123456789012345678901", "more than 50"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        OWNED_TEXT fault = point_fault(cases[i].point);
        cr_expect(cases[i].words ? fault && strstr(fault, cases[i].words) : !fault, "%s: %s", cases[i].point,
                  fault ? fault : "nothing");
    }
}

Test(points, a_bracket_with_an_equals_sign_ends_a_pattern)
{
    static const char pattern[] = "a/[bc]*[n=1]";
    cr_expect_eq(point_pattern(pattern), pattern + 7);
    cr_expect_null(point_pattern("a/[bc]"));
    cr_expect_null(point_pattern("a/b"));
    cr_expect_null(point_pattern("[n=1]x"));
    cr_expect_null(point_pattern(""));
}

Test(points, each_value_of_a_pattern_has_to_be_at_the_point)
{
    static const struct {
        const char *pattern, *point;
        bool expected;
    } cases[] = {
        {"[n=16M]", "n=16M", true},
        {"[n=16777216]", "n=16M", true},
        {"[n=16384K]", "n=16M", true},
        {"[n=1M]", "n=16M", false},
        {"[n=16]", "n=16M", false},
        {"[n=*M]", "n=16M", true},
        {"[type=half]", "n=16M,type=half", true},
        {"[type=half,n=16M]", "n=16M,type=half", true},
        {"[type=half,n=1M]", "n=16M,type=half", false},
        {"[type=half,m=1]", "n=16M,type=half", false},
        {"[n=16M,half]", "n=16M,type=half", false},
        {"[n=]", "n=16M", false},
        {"[n=16M,]", "n=16M", false},
        {"[ype=half]", "n=16M,type=half", false},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
        cr_expect_eq(point_matches(cases[i].pattern, cases[i].point), cases[i].expected, "%s", cases[i].pattern);
}
