#include "model/run.h"
#include "test.h"

/* Writes a run, reads that, and finds that it is written alike. */
static void through(const struct run *run, struct run *back)
{
    OWNED_TEXT text = run_text(run);
    cr_assert_eq(run_parse(back, "x.json", text, strlen(text)), 0);
    OWNED_TEXT again = run_text(back);
    cr_expect_str_eq(again, text);
}

static void expect_line(const char *where, const char *text, const char *words)
{
    OWNED(result) result;
    cr_assert_eq(result_from_line(&result, text), 0, "%s", where);
    OWNED_TEXT line = result_to_line(&result);
    cr_expect_str_eq(line, strcmp(words, "same") == 0 ? text : words, "%s: %s", where, line);
}

TEXTS(run_write, a_kernel_is_read_and_written_as_it_was, "tests/unit/model/run_write.txt", expect_line)

static void expect_file(const char *path)
{
    OWNED(run) run;
    OWNED_TEXT expected = file_text(path);
    cr_assert_eq(run_parse(&run, path, expected, strlen(expected)), 0);
    OWNED_TEXT text = run_text(&run);
    cr_expect_str_eq(text, expected);
}

/* run_beside.json has lines, machine code and roofs. */
Test(run_write, a_file_is_read_and_written_as_it_was)
{
    expect_file("tests/unit/model/run_write.json");
    expect_file("tests/unit/model/run_beside.json");
}

/* Makes a run with everything that a file can hold. */
static struct run make_run(void)
{
    struct run run = {.device = {.name = x_strdup("NVIDIA H200"),
                                 .compute_capability = x_strdup("9.0"),
                                 .sm_count = 132,
                                 .memory_bytes = 150754820096,
                                 .ecc = true}};
    struct session session = {.facts = {[SESSION_DATE] = (char[]){"2026-11-21T08:00:00Z"},
                                        [SESSION_CUGATE] = (char[]){"0.1.0"},
                                        [SESSION_FLAGS] = (char[]){"-O3 \"quoted\" \\ \t\n caf\xc3\xa9"}}};
    run_add_session(&run, &session);
    run_set_note(&run, &(struct metric_note){.name = (char[]){"time"},
                                             .counter = (char[]){"gpu__time_duration.sum"},
                                             .unit = (char[]){"ns"}});
    run_set_note(&run,
                 &(struct metric_note){.name = (char[]){"hits"}, .counter = (char[]){"h.pct"}, .unit = (char[]){"%"}});

    struct result *result = run_add(&run, "reduce/tree");
    result->bytes = 4294967296;
    result->flops = 0.5;
    result->seconds = 0.0437;
    *ARRAY_GROW(result->launches, result->launch_count) = (struct launch){
        .function = x_strdup("sum<float>"), .grid = {4294967295u, 2, 3}, .block = {256, 1, 1}, .shared = 0, .times = 7};
    *ARRAY_GROW(result->launches, result->launch_count) =
        (struct launch){.grid = {1, 1, 1}, .block = {1, 1, 1}, .shared = 1024, .times = 1, .carve_out = 1};
    row_add_session(result_add(result, "time"), (double[]){18700, 18710.5, 18690}, 3);
    row_add_session(result_add(result, "time"), (double[]){1.0 / 3}, 1);
    result_add(result, "hits")->state = VALUE_NOT_APPLICABLE;
    result_add(result, "misses")->state = VALUE_NOT_SUPPORTED;
    result_add(result, "other")->state = VALUE_NOT_COUNTED;

    result = run_add(&run, "access/strided");
    result->status = RESULT_HUNG;
    result->reason = x_strdup("no answer within 60 s");
    return run;
}

Test(run_write, the_file_is_as_documented)
{
    OWNED(run) run = make_run();
    OWNED_TEXT text = run_text(&run);
    OWNED_TEXT expected = file_text("tests/unit/model/run_write.json");
    cr_expect_str_eq(text, expected);
}

Test(run_write, what_is_not_known_of_a_device_stays_so)
{
    OWNED(run) run = {.device = {.name = x_strdup("NVIDIA H200"), .ecc_unknown = true, .mig_unknown = true}}, back;
    char difference[256];
    through(&run, &back);
    device_difference(&back.device, &run.device, difference, sizeof difference);
    cr_expect_str_eq(difference, "");
    cr_expect(back.device.ecc_unknown && back.device.mig_unknown && !back.device.compute_capability);
}

Test(run_write, an_empty_run_survives_its_file)
{
    struct run run = {0};
    OWNED(run) back;
    through(&run, &back);
    cr_expect_null(back.device.name);
    cr_expect_eq(back.result_count + back.session_count + back.note_count, 0);
}

Test(run_write, rows_of_a_failed_kernel_are_not_written)
{
    OWNED(run) run = {0};
    OWNED(run) back;
    struct result *result = run_add(&run, "a/b");
    row_add_session(result_add(result, "time"), (double[]){1}, 1);
    result->status = RESULT_CRASHED;
    through(&run, &back);
    cr_expect_eq(back.results[0].row_count, 0);
}
