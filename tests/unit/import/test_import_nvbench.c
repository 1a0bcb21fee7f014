#include "import_support.h"
#include "test.h"

#define DEVICE(id, name)                                                                                               \
    "{\"id\": " #id ", \"name\": \"" name "\", \"sm_version\": 890, \"number_of_sms\": 20, "                           \
    "\"global_memory_size\": 24000000000, \"ecc_state\": false}"
#define FIGURE(tag, value)                                                                                             \
    "{\"tag\": \"" tag "\", \"data\": [{\"name\": \"other\", \"type\": \"int64\", \"value\": \"7\"}, "                 \
    "{\"name\": \"value\", \"type\": \"float64\", \"value\": \"" value "\"}]}"
#define TIME(value) FIGURE("nv/cold/time/gpu/mean", value)
#define STATE(axes, summaries)                                                                                         \
    "{\"device\": 0, \"axis_values\": " axes ", \"summaries\": " summaries ", \"is_skipped\": false}"
#define AXIS(name, value) "{\"name\": \"" name "\", \"type\": \"string\", \"value\": \"" value "\"}"
#define STATES(...)                                                                                                    \
    "{\"devices\": [" DEVICE(0, "Some GPU") "], \"benchmarks\": [{\"name\": \"copy\", \"states\": [" __VA_ARGS__ "]}]" \
                                            "}"

static void expect_error(const char *text, const char *words)
{
    import_expect_error("nvbench", NULL, text, words);
}

Test(import_nvbench, a_state_is_a_kernel_and_its_mean_a_sample)
{
    AT_END(import_end) struct imported imported;
    import_begin(
        &imported, "nvbench", NULL,
        STATES(
            STATE("[" AXIS("T", "F32") ", " AXIS("Block Size", "128") "]",
                  "[" TIME("1.25e-05") ", " FIGURE("nv/batch/time/gpu/mean", "1") ", " FIGURE(
                      "nv/cold/sm_clock_rate/mean",
                      "1755000000") ", " FIGURE("nv/cupti/dram__throughput.avg.pct_of_peak_sustained_elapsed",
                                                "0.5") "]") ", " STATE("null",
                                                                       "[" TIME("3e-06") ", " FIGURE(
                                                                           "nv/cold/time/gpu/median", "2.9e-06") "]")));
    cr_assert_eq(imported.result, 0, "%s", imported.said);
    EXPECT_SAMPLES(&imported, "copy/T:F32,Block_Size:128", "time", 12500);
    EXPECT_SAMPLES(&imported, "copy/T:F32,Block_Size:128", "sm_clock", 1.755e9);
    EXPECT_SAMPLES(&imported, "copy/T:F32,Block_Size:128", "dram_throughput", 50);
    EXPECT_SAMPLES(&imported, "copy/default", "time", 2900); /* the median, where there is one */
    cr_expect_eq(run_find(&imported.run, "copy/default")->row_count, 1);
    cr_expect_eq(imported.run.result_count, 2);
}

Test(import_nvbench, the_device_is_that_of_the_states)
{
    AT_END(import_end) struct imported imported;
    import_begin(&imported, "nvbench", NULL,
                 "{\"devices\": [" DEVICE(0, "Some GPU") ", " DEVICE(
                     1, "GPU MIG 1g") "], \"benchmarks\": "
                                      "[{\"name\": \"a\", \"states\": [{\"device\": 1, \"is_skipped\": false, "
                                      "\"summaries\": [" TIME("1") "]}]}]}");
    cr_assert_eq(imported.result, 0, "%s", imported.said);
    const struct device *device = &imported.run.device;
    cr_expect_str_eq(device->name, "GPU MIG 1g");
    cr_expect_str_eq(device->compute_capability, "8.9");
    cr_expect_eq(device->sm_count, 20);
    cr_expect_eq(device->memory_bytes, 24000000000);
    cr_expect(device->mig && !device->mig_unknown && !device->ecc && !device->ecc_unknown);
    cr_expect_str_eq(imported.run.sessions[0].facts[SESSION_COLLECTOR], "nvbench");
    cr_expect_str_eq(imported.run.sessions[0].facts[SESSION_DATE], import_date);
    cr_expect_null(imported.run.sessions[0].facts[SESSION_HOST]);
    expect_error("{\"devices\": [" DEVICE(0, "Some GPU") "], \"benchmarks\": [{\"name\": \"a\", \"states\": ["
                                                         "{\"device\": 0, \"is_skipped\": false, \"summaries\": [" TIME(
                                                             "1") "]}, {\"device\": 1, \"is_skipped\": false}]}]}",
                 "x: benchmarks/0/states/1/device: is 1, but states before it ran on 0: run one GPU into a file");
    expect_error("{\"devices\": [" DEVICE(0, "Some GPU") "], \"benchmarks\": [{\"name\": \"a\", \"states\": ["
                                                         "{\"device\": 3, \"is_skipped\": false, \"summaries\": [" TIME(
                                                             "1") "]}]}]}",
                 "x: devices: has no device 3");
}

Test(import_nvbench, a_state_without_a_time_is_not_ok)
{
    static const struct {
        const char *state;
        enum result_status status;
        const char *reason;
    } cases[] = {
        {"{\"device\": 0, \"is_skipped\": true, \"skip_reason\": \"too large\"}", RESULT_NOT_BUILT,
         "skipped: too large"},
        {"{\"device\": 0, \"is_skipped\": true}", RESULT_NOT_BUILT, "skipped: nvbench gives no reason"},
        {"{\"device\": 0, \"is_skipped\": true, \"skip_reason\": \"Unexpected error: bad_alloc\"}", RESULT_FAILED,
         "Unexpected error: bad_alloc"},
        {"{\"device\": 0, \"is_skipped\": false, \"summaries\": null}", RESULT_FAILED,
         "nvbench took no sample of its time"},
        {"{\"device\": 0, \"is_skipped\": false, \"summaries\": [" FIGURE("nv/batch/time/gpu/mean", "1") "]}",
         RESULT_FAILED, "nvbench took no sample of its time"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        AT_END(import_end) struct imported imported;
        OWNED_TEXT text = x_sprintf("{\"devices\": [%s], \"benchmarks\": [{\"name\": \"a\", \"states\": [%s]}]}",
                                    DEVICE(0, "Some GPU"), cases[i].state);
        import_begin(&imported, "nvbench", NULL, text);
        cr_assert_eq(imported.result, 0, "case %zu: %s", i, imported.said);
        cr_expect_eq(imported.run.results[0].status, cases[i].status, "case %zu", i);
        cr_expect_str_eq(imported.run.results[0].reason, cases[i].reason);
        cr_expect_eq(imported.run.results[0].row_count, 0);
    }
}

Test(import_nvbench, what_is_no_number_is_not_counted)
{
    static const char *const texts[] = {"nan", "inf", "-1e-06", "many", ""};
    for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
        AT_END(import_end) struct imported imported;
        OWNED_TEXT text = x_sprintf(STATES(STATE("[]", "[" TIME("%s") "]")), texts[i]);
        import_begin(&imported, "nvbench", NULL, text);
        cr_assert_eq(imported.result, 0, "%s: %s", texts[i], imported.said);
        const struct row *row = result_find(&imported.run.results[0], "time");
        cr_expect_eq(row->state, VALUE_NOT_COUNTED, "%s", texts[i]);
        expect_word(row->reason, "the file has \"");
    }
}

/* As samples of one kernel, a slower one of the two would go unnoticed. */
Test(import_nvbench, two_of_one_name_are_an_error)
{
    expect_error(STATES(STATE("[]", "[" TIME("1") "]") ", " STATE("[]", "[" TIME("71") "]")),
                 "x: two benchmarks are named copy/default: rename one");
    expect_error(STATES(STATE("[" AXIS("T", "F32") "]", "[" TIME("1") "]") ", " STATE(
                     "[" AXIS("T", "F64") "]", "[" TIME("1") "]") ", " STATE("[" AXIS("T", "F32") "]", "null")),
                 "x: two benchmarks are named copy/T:F32: rename one");
}

Test(import_nvbench, other_forms_are_errors_that_say_where)
{
    expect_error("", "x is empty; it should be output of nvbench");
    expect_error("{", "x:1:1:");
    expect_error("[]", "x: must be an object, not a list");
    expect_error("{}", "x holds no measurement");
    expect_error("{\"benchmarks\": null}", "x holds no measurement");
    expect_error("{\"benchmarks\": {}}", "x: benchmarks: must be a list, not an object");
    expect_error("{\"meta\": {\"version\": {\"json\": {\"major\": 2}}}}",
                 "x: meta/version/json: is 2, so a newer nvbench wrote the file");
    expect_error("{\"benchmarks\": [7]}", "x: benchmarks/0: must be an object, not a number");
    expect_error("{\"benchmarks\": [{}]}", "x: benchmarks/0/name: is missing");
    expect_error(STATES("7"), "x: benchmarks/0/states/0: must be an object");
    expect_error(STATES("{}"), "x: benchmarks/0/states/0/is_skipped: is missing");
    expect_error(STATES("{\"is_skipped\": false, \"device\": -1}"), "x: benchmarks/0/states/0/device: is -1, but");
    expect_error(STATES(STATE("[7]", "[]")), "states/0/axis_values/0: must be an object");
    expect_error(STATES(STATE("[{\"name\": \"N\"}]", "[]")), "states/0/axis_values/0/value: is missing");
    expect_error(STATES(STATE("[]", "{\"GPU Time\": {}}")), "states/0/summaries: must be a list");
    expect_error(STATES(STATE("[]", "[{\"name\": \"GPU Time\"}]")),
                 "states/0/summaries/0/tag: is missing; it must be a text, as nvbench has it since 2022");
    expect_error(STATES(STATE("[]", "[{\"tag\": \"nv/cold/time/gpu/mean\"}]")), "summaries/0/data: has no \"value\"");
    expect_error(STATES(STATE("[]", "[{\"tag\": \"nv/cold/time/gpu/mean\", \"data\": [7, {\"name\": \"value\", "
                                    "\"value\": 0.5}]}]")),
                 "summaries/0/data/1/value: must be a text, not a real number");
    expect_error("{\"devices\": [{\"id\": 0}], \"benchmarks\": [{\"name\": \"a\", \"states\": ["
                 "{\"device\": 0, \"is_skipped\": true}]}]}",
                 "x: devices/0/name: is missing");
}
