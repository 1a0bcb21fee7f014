#include "test.h"

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

Test(names, an_id_is_a_family_and_a_variant)
{
    cr_expect_eq(id_length("reduce/tree"), 11);
    cr_expect_eq(id_length("reduce/tree time"), 11);
    cr_expect_eq(id_length("train.py/scale<float,4>.lambda1~0a1b:2"), strlen("train.py/scale<float,4>.lambda1~0a1b:2"));
    cr_expect_eq(id_length("a/b/c"), 3);
    cr_expect_eq(id_length("softmax/online[n=16M,type=half] time"), strlen("softmax/online[n=16M,type=half]"));
    static const char *const no_point[] = {"a/b[]",     "a/b[n]",   "a/b[n=]",   "a/b[n=1",
                                           "a/b[n=1,]", "a/b[N=1]", "a/b[n=[1]]"};
    for (size_t i = 0; i < ARRAY_SIZE(no_point); i++)
        cr_expect_eq(id_length(no_point[i]), 3, "%s", no_point[i]);
    static const char *const none[] = {"", "reduce", "/tree", "reduce/", "../tree", "a/..", "a/-k", "a b/c", ".a/b"};
    for (size_t i = 0; i < ARRAY_SIZE(none); i++)
        cr_expect_eq(id_length(none[i]), 0, "%s", none[i]);
}

/* The path of an ordinary kernel is its id. No two ids share a path, not even on a file system that ignores case. */
Test(names, an_id_has_a_path)
{
    static const char *const ids[] = {"reduce/tree",       "app/scale<float,4>", "app/Scale<float,4>",
                                      "app/scale_float_4", "App/scale_float_4",  "con.x/a:b",
                                      "app/scale[n=1M]",   "app/scale[n=1m]",    "app/scale[n=1,m=2]"};
    char *paths[ARRAY_SIZE(ids)], *lower[ARRAY_SIZE(ids)];
    for (size_t i = 0; i < ARRAY_SIZE(ids); i++) {
        paths[i] = id_path(ids[i]);
        lower[i] = slug(paths[i]);
        cr_expect_eq(strspn(paths[i], "abcdefghijklmnopqrstuvwxyz0123456789_-./"), strlen(paths[i]), "%s", paths[i]);
        for (size_t k = 0; k < i; k++)
            cr_expect_str_neq(lower[k], lower[i]);
    }
    cr_expect_str_eq(paths[0], "reduce/tree");
    cr_expect_eq(strncmp(paths[1], "app/scale-float-4.", 18), 0, "%s", paths[1]);
    cr_expect_eq(strlen(paths[1]), strlen("app/scale-float-4.01234567"));
    cr_expect_str_eq(paths[3], "app/scale_float_4");
    for (size_t i = 0; i < ARRAY_SIZE(ids); i++) {
        free(paths[i]);
        free(lower[i]);
    }
    OWNED_TEXT whole = x_sprintf("a/%0250dX", 7), *path = id_path(whole);
    cr_expect_leq(strlen(path), 80);
}

/* Ids as long as run files allow have short paths, with characters of kernel libraries only. */
Test(names, an_id_has_a_path_that_a_file_system_takes)
{
    OWNED_TEXT plain = x_sprintf("a/%0200d", 7);
    char *path = id_path(plain);
    cr_expect_str_eq(path, plain);
    free(path);
    for (int length = 201; length < 256; length++)
        for (int is_family = 0; is_family < 2; is_family++) {
            OWNED_TEXT name = x_sprintf("%0*d", length, 7),
                       *id = is_family ? x_sprintf("%s/a", name) : x_sprintf("a/%s", name);
            path = id_path(id);
            const size_t family = strcspn(path, "/");
            cr_expect_leq(family, 255, "%s", path);
            cr_expect_leq(strlen(path + family + 1) + strlen(".json.cugate-999.tmp"), 255, "%s", path);
            free(path);
        }
}

Test(names, globs_match_across_slashes)
{
    static const struct {
        const char *globs[2];
        size_t count;
        const char *text;
        bool expected;
    } cases[] = {
        {{NULL}, 0, "reduce/tree", true},
        {{"reduce/*"}, 1, "reduce/tree", true},
        {{"reduce/*"}, 1, "reduce", false},
        {{"*"}, 1, "reduce/tree", true},
        {{"*tree"}, 1, "reduce/tree", true},
        {{"reduce"}, 1, "reduce/tree", false},
        {{"[ab]*/x?"}, 1, "beta/x1", true},
        {{"no", "reduce/tr*"}, 2, "reduce/tree", true},
        {{"no", "nor"}, 2, "reduce/tree", false},
        {{"a/*"}, 1, "a/b[n=16M]", true},
        {{"a/b"}, 1, "a/b[n=16M]", true},
        {{"a/b[n=16M]"}, 1, "a/b[n=16M]", true},
        {{"*[n=16M]"}, 1, "a/b[n=16M,type=half]", true},
        {{"a/b[n=16M]"}, 1, "a/b", false},
        {{"a/b[n=16M]"}, 1, "a/b[n=1M]", false},
        {{"a/b[m=16M]"}, 1, "a/b[n=16M]", false},
        {{"c/*[n=16M]"}, 1, "a/b[n=16M]", false},
        {{"a/[bc]"}, 1, "a/b[n=16M]", true},
        {{"a/[bc][n=16M]"}, 1, "a/b[n=16M]", true},
        {{"*M]"}, 1, "a/b[n=16M]", false},
        {{"a/*b[n=16M,type=h*]"}, 1, "a/b[n=16M,type=half]", true},
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
        OWNED_TEXT text = slug(cases[i].text);
        cr_expect_str_eq(text, cases[i].expected);
    }
}

Test(names, nearest_name_finds_slips_only)
{
    static const char *const names[] = {"check", "compare", "list", "run"};
    static const struct {
        const char *text, *expected; /* expected is NULL when no name is near */
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
    OWNED_TEXT endless = x_calloc(100001, 1);
    memset(endless, 'x', 100000);
    cr_expect_null(nearest_name(endless, names, ARRAY_SIZE(names)));
}
