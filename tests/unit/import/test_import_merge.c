/* Tests what all formats share, with the format whose files are shortest. */

#include "import_support.h"
#include "test.h"

/* Returns a file of benchmarks, each measured once; names are JSON strings. Caller frees. */
static char *benchmarks(const char *const *names, size_t count)
{
    OWNED_TEXT text = x_strdup("{\"context\": {}, \"benchmarks\": [");
    for (size_t i = 0; i < count; i++) {
        x_append(&text, i > 0 ? ", " : "",
                 "{\"run_type\": \"iteration\", \"run_name\": \"%s\", \"real_time\": %zu, \"time_unit\": \"ns\"}",
                 names[i], i + 1);
    }
    char *whole = x_sprintf("%s]}", text);
    return whole;
}

static void begin(struct imported *imported, const char *const *names, size_t count)
{
    OWNED_TEXT text = benchmarks(names, count);
    import_begin(imported, "google-benchmark", "GPU", text);
    cr_assert_eq(imported->result, 0, "%s", imported->said);
    cr_assert_eq(imported->run.result_count, count);
}

Test(import_merge, ids_are_names_with_what_they_cannot_hold_replaced)
{
    static const struct {
        const char *name, *id;
    } cases[] = {
        {"BM_sum<float, 4>/8/threads:2", "BM_sum<float,_4>/8_threads:2"},
        {"plain", "plain/default"},
        {"a b  c/=\u00e9", "a_b_c/_"},
        {"-x/.y", "_-x/_.y"},
        {"a/", "a/_"},
        {"/a", "_/a"},
        {"", "_/default"},
        {"../../etc/passwd", "_../_.._etc_passwd"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        WITH(import_end, struct imported imported, begin(&imported, &cases[i].name, 1));
        cr_expect_str_eq(imported.run.results[0].id, cases[i].id);
    }
}

/* Each gets an id of its own, independent of the others. A name that no other resembles keeps its plain id. */
Test(import_merge, names_that_become_one_id_have_digits)
{
    static const char *const names[] = {"a/x=1", "a/x 1", "a/y"};
    struct imported imported;
    begin(&imported, names, 3);
    cr_expect_str_eq(imported.run.results[2].id, "a/y");
    OWNED_TEXT first = x_strdup(imported.run.results[0].id);
    cr_expect_eq(strncmp(first, "a/x_1~", 6), 0, "%s", first);
    cr_expect_eq(strlen(first), strlen("a/x_1~") + 8);
    cr_expect_str_neq(first, imported.run.results[1].id);
    import_end(&imported);
    static const char *const turned[] = {"a/z", "a/x 1", "a/x=1"};
    begin(&imported, turned, 3);
    cr_expect_str_eq(imported.run.results[0].id, first);
    import_end(&imported);
    begin(&imported, names, 1);
    cr_expect_str_eq(imported.run.results[0].id, "a/x_1");
    import_end(&imported);
}

Test(import_merge, long_names_are_cut_and_stay_apart)
{
    char names[2][1200] = {{0}};
    const char *both[] = {names[0], names[1]};
    for (size_t i = 0; i < 2; i++) {
        memset(names[i], 'f', 500);
        names[i][500] = '/';
        memset(names[i] + 501, 'v', 600);
        names[i][1100] = i == 0 ? 'a' : 'b';
    }
    WITH(import_end, struct imported imported, begin(&imported, both, 2));
    for (size_t i = 0; i < 2; i++) {
        const char *id = imported.run.results[i].id;
        cr_expect_eq(id_length(id), strlen(id), "%s", id);
        cr_expect_leq(strlen(id), 256);
    }
    cr_expect_str_neq(imported.run.results[0].id, imported.run.results[1].id);
}

Test(import_merge, kernels_and_rows_are_in_order)
{
    static const char *const names[] = {"c", "a/2", "b", "a/1", "B"};
    WITH(import_end, struct imported imported, begin(&imported, names, 5));
    for (size_t i = 0; i < 5; i++)
        cr_expect_eq(run_find(&imported.run, imported.run.results[i].id), &imported.run.results[i], "%s",
                     imported.run.results[i].id);
    EXPECT_SAMPLES(&imported, "B/default", "wall_time", 5);
    EXPECT_SAMPLES(&imported, "a/1", "wall_time", 4);
}

/* Imported numbers are rounded as cugate's own, so they are unchanged after writing and reading. */
Test(import_merge, numbers_are_rounded_once)
{
    AT_END(import_end) struct imported imported;
    import_begin(&imported, "google-benchmark", "GPU",
                 "{\"context\": {}, \"benchmarks\": [{\"run_type\": \"iteration\", \"run_name\": \"a\", \"real_time\": "
                 "1.23456789012345678, \"time_unit\": \"us\"}]}");
    cr_assert_eq(imported.result, 0, "%s", imported.said);
    EXPECT_SAMPLES(&imported, "a/default", "wall_time", round_value(1234.56789012345678));
}
