#include "names/kernel_names.h"
#include "test.h"

static const char *const kernels[] = {"copy/plain", "reduce/atomic", "reduce/cub", "reduce/tree", "reduce/tree_wide"};

static void expect_found(const char *where, const char *wanted, const char *words)
{
    const bool found = strcmp(words, "found") == 0;
    HEAR(result, kernel_names_find(wanted, kernels, ARRAY_SIZE(kernels), "run.json"));
    cr_expect_eq(result, found ? 0 : -1, "%s", where);
    cr_expect(found ? *said == '\0' : strstr(said, words) != NULL, "%s: %s", where, said);
}

Test(kernel_names, a_name_or_a_glob_finds_kernels_or_those_near_it)
{
    each_text("tests/unit/names/kernel_names.txt", expect_found);
    capture_begin();
    cr_expect_eq(kernel_names_find("copy/plain", kernels, 0, "run.json"), -1);
    free(capture_end());
}

Test(kernel_names, a_point_is_part_of_a_name_and_no_glob)
{
    static const char *const names[] = {"softmax/online[n=16M]", "softmax/online[n=1M]", "softmax/online[n=64K]"};
    cr_expect_eq(kernel_names_near("softmax/onlin[n=64K]", names, ARRAY_SIZE(names)), names[2]);
    cr_expect_eq(kernel_names_near("softmax/online[n=32K]", names, ARRAY_SIZE(names)), names[2]);
    cr_expect_eq(kernel_names_near("online", names, ARRAY_SIZE(names)), names[0]);
    cr_expect_null(kernel_names_near("onlin", names, ARRAY_SIZE(names)));
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
