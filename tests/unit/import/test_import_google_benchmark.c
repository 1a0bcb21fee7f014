#include "import_support.h"
#include "test.h"

#define FILE_OF(date, ...)                                                                                             \
    "{\"context\": {\"date\": \"" date                                                                                 \
    "\", \"host_name\": \"runner\", \"num_cpus\": 8}, \"benchmarks\": [" __VA_ARGS__ "]}"
#define DATED(...) FILE_OF("2026-11-21T09:00:00+01:00", __VA_ARGS__)
#define RUN(name, more) "{\"run_name\": \"" name "\", \"run_type\": \"iteration\", " more "}"
#define REPETITION(name, index, time)                                                                                  \
    RUN(name, "\"repetition_index\": " #index ", \"real_time\": " time ", \"time_unit\": \"us\"")
#define FAILED(name, more) RUN(name, "\"repetition_index\": 1, \"error_occurred\": true" more)
#define SKIPPED(name, why) RUN(name, "\"skipped\": true, \"skip_message\": \"" why "\"")
#define TIMED(time) ", \"real_time\": " time ", \"time_unit\": \"ns\""
#define TWO(one, other) one ", " other
#define AGGREGATE(name, of)                                                                                            \
    "{\"run_name\": \"" name "\", \"run_type\": \"aggregate\", \"aggregate_name\": \"" of "\", \"real_time\": 7, "     \
    "\"time_unit\": \"us\"}"

static void begin(struct imported *imported, const char *text)
{
    import_begin(imported, "google-benchmark", "Some GPU", text);
    cr_assert_eq(imported->result, 0, "%s", imported->said);
}

static void expect_error(const char *text, const char *words)
{
    import_expect_error("google-benchmark", "Some GPU", text, words);
}

#define COPY "BM_copy<float>/8/threads:2"

Test(import_google_benchmark, repetitions_are_samples_and_aggregates_none)
{
    AT_END(import_end) struct imported imported;
    static const char text[] = DATED(TWO(TWO(REPETITION(COPY, 0, "1.5"), REPETITION(COPY, 1, "2")),
                                         TWO(TWO(AGGREGATE(COPY, "mean"), AGGREGATE("BM_copy<float>", "BigO")),
                                             RUN("BM_one", "\"real_time\": 3, \"time_unit\": \"s\""))));
    begin(&imported, text);
    EXPECT_SAMPLES(&imported, "BM_copy<float>/8_threads:2", "wall_time", 1500, 2000);
    EXPECT_SAMPLES(&imported, "BM_one/default", "wall_time", 3e9);
    cr_expect_eq(imported.run.result_count, 2);
    cr_expect_eq(imported.run.note_count, 1);
    cr_expect_str_eq(imported.run.device.name, "Some GPU");
    cr_expect_null(imported.run.device.compute_capability);
    cr_expect(imported.run.device.ecc_unknown && imported.run.device.mig_unknown);
    cr_expect_str_eq(imported.run.sessions[0].facts[SESSION_HOST], "runner");
}

Test(import_google_benchmark, the_date_is_the_files_where_it_says_its_time_zone)
{
    static const struct {
        const char *date, *want;
    } cases[] = {
        {"2026-11-21T09:00:00+01:00", "2026-11-21T08:00:00.000Z"},
        {"2026-12-31T20:30:00-03:30", "2027-01-01T00:00:00.000Z"},
        {"2026-11-21T08:00:00-00:00", "2026-11-21T08:00:00.000Z"},
        {"2026-11-21T09:00:00", import_date},
        {"2015/03/17-18:40:25", import_date},
        {"2026-11-21T09:00:00+1:000", import_date},
        {"2026-11-21T09:00:00+01:0:", import_date},
        {"", import_date},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        AT_END(import_end) struct imported imported;
        OWNED_TEXT text = x_sprintf(FILE_OF("%s", REPETITION("a/b", 0, "1")), cases[i].date);
        begin(&imported, text);
        cr_expect_str_eq(imported.run.sessions[0].facts[SESSION_DATE], cases[i].want);
    }
}

Test(import_google_benchmark, errors_and_skipped_ones_are_not_ok)
{
    AT_END(import_end) struct imported imported;
    begin(&imported, DATED(TWO(TWO(REPETITION("a", 0, "1"), FAILED("a", ", \"error_message\": \"no memory\"")),
                               TWO(SKIPPED("b", "old GPU"), FAILED("c", "")))));
    const struct result *a = run_find(&imported.run, "a/default"), *b = run_find(&imported.run, "b/default");
    cr_expect_eq(a->status, RESULT_FAILED);
    cr_expect_str_eq(a->reason, "no memory");
    cr_expect_eq(a->row_count, 0);
    cr_expect_eq(b->status, RESULT_NOT_BUILT);
    cr_expect_str_eq(b->reason, "skipped: old GPU");
    cr_expect_str_eq(run_find(&imported.run, "c/default")->reason, "the file gives no reason");
}

/* The library writes NaN and Infinity, which are no JSON. Within a string they stay. */
Test(import_google_benchmark, numbers_that_json_does_not_know_are_none)
{
    static const char *const words[] = {"NaN", "-NaN", "Infinity", "-Infinity", "nan", "-nan", "inf", "-inf", "null"};
    for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
        AT_END(import_end) struct imported imported;
        OWNED_TEXT text =
            x_sprintf(DATED(TWO(RUN("-nan \\\"NaN", "\"rate\": %s" TIMED("2.0")), RUN("b", "\"x\": 7" TIMED("%s")))),
                      words[i], words[i]);
        begin(&imported, text);
        EXPECT_SAMPLES(&imported, "_-nan_NaN/default", "wall_time", 2);
        import_expect_none(&imported, "b/default", "wall_time", VALUE_NOT_COUNTED, "the file has \"NaN\"");
    }
}

Test(import_google_benchmark, what_cannot_be_told_is_refused)
{
    expect_error(DATED(TWO(REPETITION("a", 0, "1"), REPETITION("a", 0, "2"))),
                 "x: two benchmarks are named a/default: rename one");
    expect_error(DATED(TWO(RUN("a", "\"real_time\": 1, \"time_unit\": \"ns\""),
                           RUN("a", "\"real_time\": 71, \"time_unit\": \"ns\""))),
                 "x: two benchmarks are named a/default: rename one");
    expect_error(DATED(AGGREGATE("a/8", "mean")),
                 "x has aggregates of a/8, but none of its repetitions: run it without "
                 "--benchmark_report_aggregates_only");
    expect_error(DATED(""), "x holds no measurement");
    expect_error("{\"benchmarks\": []}", "x: context: is missing");
    expect_error("{\"context\": {}}", "x: benchmarks: is missing");
    expect_error("{\"context\": {\"date\": 7}}", "x: context/date: must be a text");
    expect_error(DATED("7"), "x: benchmarks/0: must be an object");
    expect_error(DATED("{\"run_name\": \"a\"}"), "x: benchmarks/0/run_type: is missing");
    expect_error(DATED("{\"run_type\": \"iteration\"}"), "x: benchmarks/0/run_name: is missing");
    expect_error(DATED(RUN("a", "\"real_time\": 1, \"time_unit\": \"h\"")),
                 "x: benchmarks/0/time_unit: is \"h\", which is not a known unit of time");
    expect_error(DATED(RUN("a", "\"time_unit\": \"ns\"")), "x: benchmarks/0/real_time: is missing");
    expect_error(DATED(RUN("a", "\"real_time\": -1, \"time_unit\": \"ns\"")), "x: benchmarks/0/real_time: is -1");
    expect_error(DATED(RUN("a", "\"repetition_index\": -1, \"real_time\": 1, \"time_unit\": \"ns\"")),
                 "x: benchmarks/0/repetition_index: is -1");
    expect_error("{\"context\": {}, \"benchmarks\": [nun]}", "x:1:");
    import_expect_error("google-benchmark", NULL, DATED(REPETITION("a", 0, "1")),
                        "x does not name its GPU: pass the name that `nvidia-smi -L` prints");
}
