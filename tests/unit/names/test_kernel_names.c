#include "names/kernel_names.h"
#include "test.h"

Test(kernel_names, a_name_or_a_glob_finds_kernels_or_those_near_it)
{
    static const char *const names[] = {"copy/plain", "reduce/atomic", "reduce/cub", "reduce/tree", "reduce/tree_wide"};
    static const struct {
        const char *wanted;
        const char *words; /* expected words of the message; NULL when a kernel is found */
    } cases[] = {
        {"reduce/tree", NULL},
        {"copy/*", NULL},
        {"*wide", NULL},
        {"reduce/*", NULL},
        {"*", NULL},
        {"reduce/tre", "run.json has no kernel 'reduce/tre'; did you mean reduce/tree?"},
        {"reduce", "run.json has no kernel 'reduce'; of that family it has reduce/atomic, reduce/cub"},
        {"reduce/something_else", "of that family it has reduce/atomic"},
        {"reduce/z*", "run.json has no kernel 'reduce/z*'; of that family it has reduce/atomic"},
        {"nothing/like_it", "run.json has no kernel 'nothing/like_it'; `cugate list` shows"},
        {"", "run.json has no kernel ''"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        HEAR(result, kernel_names_find(cases[i].wanted, names, ARRAY_SIZE(names), "run.json"));
        cr_expect_eq(result, cases[i].words ? -1 : 0, "%s", cases[i].wanted);
        cr_expect(cases[i].words ? strstr(said, cases[i].words) != NULL : *said == '\0', "%s: %s", cases[i].wanted,
                  said);
    }
    capture_begin();
    cr_expect_eq(kernel_names_find("copy/plain", names, 0, "run.json"), -1);
    free(capture_end());
}

Test(kernel_names, a_point_is_part_of_a_name_and_no_glob)
{
    static const char *const names[] = {"softmax/online[n=16M]", "softmax/online[n=1M]", "softmax/online[n=64K]"};
    cr_expect_eq(kernel_names_near("softmax/onlin[n=64K]", names, ARRAY_SIZE(names)), names[2]);
    cr_expect_eq(kernel_names_near("softmax/online[n=32K]", names, ARRAY_SIZE(names)), names[2]);
    cr_expect_null(kernel_names_near("softmax/online[n=*]", names, ARRAY_SIZE(names)));
    cr_expect_null(kernel_names_near("softmax/o*[n=16M]", names, ARRAY_SIZE(names)));
    static const struct {
        const char *wanted, *family;
    } rows[] = {{"softmax", "softmax/*"}, {"sofmax[n=64K]", "softmax/*[n=64K]"}, {"softmax[n=2K]", "softmax/*"}};
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        OWNED_TEXT family = kernel_names_family(rows[i].wanted, names, ARRAY_SIZE(names));
        cr_expect_str_eq(family, rows[i].family);
    }
    cr_expect_eq(kernel_names_find("softmax/online", names, ARRAY_SIZE(names), "run.json"), 0);
    cr_expect_eq(kernel_names_find("softmax/*[n=1048576]", names, ARRAY_SIZE(names), "run.json"), 0);
}

Test(kernel_names, many_names_are_not_all_listed)
{
    static const char *const many[] = {"a/a", "a/b", "a/c", "a/d", "a/e", "a/f", "a/g"};
    HEAR(result, kernel_names_find("a", many, ARRAY_SIZE(many), "run.json"));
    cr_expect_eq(result, -1);
    expect_word(said, "a/d, a/e and 2 more");
}
