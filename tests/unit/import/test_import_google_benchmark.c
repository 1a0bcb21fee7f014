#include "import_support.h"
#include "test.h"

#define FILE_OF(date, ...)                                                                                             \
    "{\"context\": {\"date\": \"" date                                                                                 \
    "\", \"host_name\": \"runner\", \"num_cpus\": 8}, \"benchmarks\": [" __VA_ARGS__ "]}"
#define DATED(...) FILE_OF("2026-11-21T09:00:00+01:00", __VA_ARGS__)
#define RUN(name, more) "{\"run_name\": \"" name "\", \"run_type\": \"iteration\", " more "}"
#define REPETITION(name, index, time)                                                                                  \
    RUN(name, "\"repetition_index\": " #index ", \"real_time\": " time ", \"time_unit\": \"us\"")
#define TWO(one, other) one ", " other
#define AGGREGATE(name, of)                                                                                            \
    "{\"run_name\": \"" name "\", \"run_type\": \"aggregate\", \"aggregate_name\": \"" of "\", \"real_time\": 7, "     \
    "\"time_unit\": \"us\"}"

static void begin(struct imported *imported, const char *text)
{
    import_begin(imported, "google-benchmark", "Some GPU", text);
    cr_assert_eq(imported->result, 0, "%s", imported->said);
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

Test(import_google_benchmark, what_cannot_be_told_is_refused)
{
    import_expect_error("google-benchmark", NULL, DATED(REPETITION("a", 0, "1")),
                        "x does not name its GPU: add --gpu with the name that `nvidia-smi -L` prints");
}

Test(import_google_benchmark, texts)
{
    import_texts("tests/unit/import/google_benchmark.txt", "google-benchmark", "Some GPU");
}
