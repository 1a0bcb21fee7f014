#include "model/run_file.h"
#include "test.h"

#include <float.h>

#define DEVICE "\"device\": {\"ecc\": true, \"memory_bytes\": 1, \"mig\": false, \"sm_count\": 1}"
#define REST ", \"metrics\": {}, \"schema\": 1, \"sessions\": [{}]}"
#define RUN(kernels) "{" DEVICE ", \"kernels\": {" kernels "}" REST
#define LIST(lines)                                                                                                    \
    RUN("\"a/b\": {\"bytes\": 0, \"flops\": 0, \"status\": \"ok\", \"lines\": {\"counted\": [\"instructions\"], "      \
        "\"launches\": 0, \"period\": 0, \"list\": [" lines "]}}")

Test(run_read, a_broken_line_is_refused)
{
    static const char *const profile[] = {"",
                                          "nonsense",
                                          "[]",
                                          "{}",
                                          "{\"a/b\": 1}",
                                          "{\"a/b\": {}, \"a/c\": {}}",
                                          "{\"ab\": {\"status\": \"ok\", \"bytes\": 0, \"flops\": 0}}"};
    for (size_t i = 0; i < ARRAY_SIZE(profile); i++) {
        struct result result;
        HEAR(outcome, result_from_line(&result, profile[i]));
        cr_expect_eq(outcome, -1, "%s", profile[i]);
        cr_expect_null(result.id);
        expect_word(said, "a worker's answer");
    }
}

static int parse_text(const char *text)
{
    OWNED(run) run;
    const int result = run_parse(&run, "x.json", text, strlen(text));
    cr_expect(result == 0 || (!run.results && !run.sessions && !run.notes && !run.device.name), "not empty: %s", text);
    return result;
}

REFUSED_TEXTS(run_read, errors_say_where_and_what, "tests/unit/model/run_read.txt", parse_text)

/* The lines are unsorted, some places come twice, and sums overflow. */
Test(run_read, lines_in_any_order_become_one_each)
{
    static const char text[] = LIST(
        "{\"counts\": {\"instructions\": 1e308}, \"file\": \"k.cu\", \"function\": \"f\", \"line\": 41, \"offset\": "
        "32, \"stalls\": {\"wait\": 1e308}}, {\"counts\": {\"instructions\": 1}, \"file\": \"k.cu\", \"function\": "
        "\"f\", \"line\": 7, \"offset\": 0, \"stalls\": {}}, {\"counts\": {\"instructions\": 1e308}, \"file\": "
        "\"k.cu\", \"function\": \"f\", \"line\": 41, \"offset\": 16, \"stalls\": {\"wait\": 1e308}, \"text\": \"x\"}");
    OWNED(run) run;
    cr_assert_eq(run_parse(&run, "x.json", text, strlen(text)), 0);
    const struct profile *profile = &run.results[0].profile;
    cr_assert_eq(profile->count, 2);
    cr_expect_eq(profile->list[0].number, 7);
    cr_expect_eq(profile->list[1].offset, 16);
    cr_expect_str_eq(profile->list[1].text, "x");
    cr_expect_eq(profile->list[1].counts[LINE_INSTRUCTIONS], DBL_MAX);
    cr_expect_eq(profile->list[1].stalls[0].samples, DBL_MAX);
    /* The result that was read can be written. Writing would end this process at a sum that is not finite. */
    OWNED_TEXT line = result_to_line(&run.results[0]);
}

Test(run_read, every_truncation_is_an_error)
{
    static const char whole[] =
        RUN("\"a/b\": {\"bytes\": 1.5, \"flops\": 0, \"status\": \"ok\", \"launches\": [{\"block\": [1,1,1], "
            "\"function\": \"f<\\u00e9>\", \"grid\": [1,1,1], \"shared\": 0, \"times\": 1}], \"lines\": {\"counted\": "
            "[\"instructions\"], \"launches\": 2, \"list\": [{\"counts\": {\"instructions\": 5}, \"file\": \"k.cu\", "
            "\"function\": \"f\", \"line\": 1, \"offset\": 0, \"stalls\": {\"wait\": 1}}], \"period\": 1024}, "
            "\"metrics\": {\"hits\": {\"state\": \"not counted\"}, \"time\": {\"sessions\": [[1, 2.5e3], [3]]}}}");
    struct run run;
    cr_assert_eq(run_parse(&run, "x.json", whole, strlen(whole)), 0);
    run_release(&run);
    for (size_t cut = 0; cut < strlen(whole); cut++) {
        HEAR(result, run_parse(&run, "x.json", whole, cut));
        cr_expect_eq(result, -1, "the first %zu bytes were taken for a whole file", cut);
        cr_expect_gt(strlen(said), strlen("cugate: error: x.json"));
    }
}

Test(run_read, a_long_name_is_refused)
{
    char name[300];
    memset(name, 'a', sizeof name);
    name[sizeof name - 1] = '\0';
    name[10] = '/';
    OWNED_TEXT text = x_sprintf("{" DEVICE ", \"kernels\": {\"%s\": {}}" REST, name);
    struct run run;
    HEAR(result, run_parse(&run, "x.json", text, strlen(text)));
    cr_expect_eq(result, -1);
    expect_word(said, "is not a kernel");
    cr_expect_lt(strlen(said), 250);
}

/* Files of a few megabytes that would make a naive reader allocate gigabytes, or run for hours. */
Test(run_read, hostile_files_cost_little)
{
    size_t size = 8u << 20;
    OWNED_TEXT text = x_calloc(size, 1);
    static const char *const patterns[] = {"[", "{\"a\":", "[],", "0,", "\"\",", "\"\\"};
    for (size_t i = 0; i < ARRAY_SIZE(patterns); i++) {
        size_t length = strlen(patterns[i]);
        for (size_t j = 0; j + length < size; j += length)
            memcpy(text + j, patterns[i], length);
        struct run run;
        HEAR(result, run_parse(&run, "x.json", text, size - 1));
        cr_expect_eq(result, -1);
        expect_word(said, "x.json");
        cr_expect_lt(strlen(said), 500);
    }
}

Test(run_read, kernels_in_any_order_are_sorted_at_once)
{
    enum { KERNELS = 50000 };
    OWNED_TEXT text = NULL;
    size_t length;
    FILE *stream = open_memstream(&text, &length);
    fprintf(stream, "{" DEVICE ", \"kernels\": {");
    for (int i = KERNELS; i-- > 0;)
        fprintf(stream, "\"f/v%05d\": {\"bytes\": %d, \"flops\": 0, \"status\": \"ok\"}%s", i, i, i ? "," : "");
    fprintf(stream, "}" REST);
    fclose(stream);
    OWNED(run) run;
    cr_assert_eq(run_parse(&run, "x.json", text, length), 0);
    cr_assert_eq(run.result_count, KERNELS);
    for (int i = 0; i < KERNELS; i++)
        cr_assert_eq(run.results[i].bytes, i);
    cr_expect_eq(run_find(&run, "f/v00042")->bytes, 42);
}

/* Each reason is inserted in its place among the others, which would take hours for a million. */
Test(run_read, stall_reasons_without_end_are_refused)
{
    static const char *const words[] = {"", "lines/list/0/stalls: has 257 stall reasons; no GPU has more than 256",
                                        "lines: has more than 256 stall reasons"};
    for (int count = 256; count <= 258; count++) {
        OWNED_TEXT text = NULL;
        size_t length;
        FILE *stream = open_memstream(&text, &length);
        fprintf(stream, "{" DEVICE ", \"kernels\": {\"a/b\": {\"bytes\": 0, \"flops\": 0, \"status\": \"ok\", "
                        "\"lines\": {\"counted\": [], \"launches\": 1, \"period\": 1024, \"list\": "
                        "[{\"counts\": {}, \"function\": \"f\", \"offset\": 0, \"stalls\": {");
        for (int i = count; i-- > 0;)
            fprintf(stream, "\"r%03d\": 1%s", i,
                    !i                       ? ""
                    : count == 258 && i == 9 ? "}}, {\"counts\": {}, \"function\": \"g\", \"offset\": 0, \"stalls\": {"
                                             : ", ");
        fprintf(stream, "}}]}}}" REST);
        fclose(stream);
        HEAR(result, parse_text(text));
        cr_expect_eq(result, count == 256 ? 0 : -1);
        expect_word(said, words[count - 256]);
    }
}

Test(run_read, run_read_refuses_what_is_no_run_file)
{
    OWNED_FOLDER folder = scratch_make();
    OWNED_TEXT empty = scratch_file(folder, "empty.json", "");
    OWNED_TEXT large = scratch_file(folder, "large.json", "");
    cr_assert_eq(truncate(large, RUN_FILE_LIMIT + 1), 0);
    OWNED_TEXT nowhen = scratch_file(folder, "nowhen.json",
                                     "{" DEVICE ", \"schema\": 1, \"sessions\": [], \"metrics\": {}, \"kernels\": {}}");
    const struct {
        const char *path, *words;
    } cases[] = {{nowhen, "sessions: is empty"}, {empty, "is empty"}, {large, "more than the limit"}};
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct run run;
        HEAR(result, run_read(&run, cases[i].path));
        cr_expect_eq(result, -1);
        cr_expect(strstr(said, cases[i].path) && strstr(said, cases[i].words), "%s", said);
    }
}

Test(run_read, several_files_are_read_or_none)
{
    const char *paths[] = {"tests/cli/made_up/before.json", "tests/cli/made_up/worse.json",
                           "tests/cli/made_up/same.json"};
    struct run runs[ARRAY_SIZE(paths)], alone;
    cr_assert_eq(runs_read(runs, paths, ARRAY_SIZE(paths)), 0);
    for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
        cr_assert_eq(run_read(&alone, paths[i]), 0);
        cr_expect_eq(runs[i].result_count, alone.result_count, "%s", paths[i]);
        cr_expect_str_eq(run_fact(&runs[i], SESSION_DATE), run_fact(&alone, SESSION_DATE), "%s", paths[i]);
        run_release(&alone);
        run_release(&runs[i]);
    }
    paths[1] = "/no/such.json";
    HEAR(result, runs_read(runs, paths, ARRAY_SIZE(paths)));
    cr_expect_eq(result, -1);
    expect_word(said, "/no/such.json");
    for (size_t i = 0; i < ARRAY_SIZE(runs); i++)
        cr_expect_eq(runs[i].result_count, 0);
}
