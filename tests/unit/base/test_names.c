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

static void expect_match(const char *where, const char *name, const char *words)
{
    const char *const list = cut_at(&name, ": "), *globs[2];
    const size_t count = *list ? split_at(list, " ", globs, ARRAY_SIZE(globs)) : 0;
    cr_expect_eq(glob_any((char *const *)globs, count, name), strcmp(words, "matches") == 0, "%s", where);
}

TEXTS(names, globs_match_across_slashes, "tests/unit/base/names.txt#globs", expect_match)

static void expect_slug(const char *where, const char *text, const char *expected)
{
    OWNED_TEXT found = slug(text);
    cr_expect_str_eq(*found ? found : "(empty)", expected, "%s: %s", where, found);
}

TEXTS(names, slug_is_lower_case_with_single_dashes, "tests/unit/base/names.txt#slugs", expect_slug)

static const char *const commands_of_test[] = {"check", "compare", "list", "run"};

static void expect_nearest(const char *where, const char *text, const char *expected)
{
    const char *found = nearest_name(text, commands_of_test, ARRAY_SIZE(commands_of_test));
    cr_expect_str_eq(found ? found : "none", expected, "%s", where);
}

Test(names, nearest_name_finds_slips_only)
{
    each_text("tests/unit/base/names.txt#slips", expect_nearest);
    OWNED_TEXT endless = x_calloc(100001, 1);
    memset(endless, 'x', 100000);
    cr_expect_null(nearest_name(endless, commands_of_test, ARRAY_SIZE(commands_of_test)));
}
