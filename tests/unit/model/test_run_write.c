#include "model/run.h"
#include "test.h"

/* Writes a run, reads that, and finds that it is written alike. Returns what is written; caller frees. */
static char *through(const struct run *run, struct run *back)
{
    char *text = run_text(run);
    cr_assert_eq(run_parse(back, "x.json", text, strlen(text)), 0);
    OWNED_TEXT again = run_text(back);
    cr_expect_str_eq(again, text);
    return text;
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
    char *text = run_text(&run), difference[256];
    cr_assert_eq(run_parse(&back, "x.json", text, strlen(text)), 0);
    device_difference(&back.device, &run.device, difference, sizeof difference);
    cr_expect_str_eq(difference, "");
    cr_expect(back.device.ecc_unknown && back.device.mig_unknown && !back.device.compute_capability);
    free(text);
}

/* Its text says that all is as it was: the_file_is_as_documented has the whole. */
Test(run_write, what_was_written_reads_back_equal)
{
    OWNED(run) run = make_run();
    OWNED(run) back;
    OWNED_TEXT text = through(&run, &back);
    cr_expect(!back.device.mig && !back.device.ecc_unknown && !back.device.mig_unknown);
    cr_expect(session_is_equal(&back.sessions[0], &run.sessions[0]));
    cr_expect(note_is_equal(&back.notes[0], &run.notes[0]));
    cr_expect_null(run_find(&back, "reduce/tree")->reason);
    cr_expect_eq(back.results[0].seconds, 0, "of what says nothing it is unknown");
    cr_expect_eq(run_find(&back, "reduce/tree")->launches[0].carve_out, 0);
}

/* Tests what a row has besides sessions: pairs in a judged run, history in a baseline. */
Test(run_write, pairs_and_memory_go_through_a_file)
{
    static const char *const row =
        "\"time\": {\"anchor\": 18000, \"pairs\": [[18700, 19100.5], [18690, 19090]], \"previous\": {\"commit\": "
        "\"a2e1ea8\", "
        "\"date\": \"2026-11-21T08:00:00Z\", \"reason\": \"first\", \"value\": 17000}, \"readings\": 0, "
        "\"sessions\": [[18700]]}";
    OWNED(run) run = {0}, back;
    struct result *result = run_add(&run, "reduce/tree");
    *ARRAY_GROW(result->launches, result->launch_count) =
        (struct launch){.code = x_strdup("9f86d081"), .grid = {1, 1, 1}, .block = {1, 1, 1}, .times = 1};
    struct row *time = result_add(result, "time");
    row_add_session(time, (double[]){18700}, 1);
    row_add_pair(time, 18700, 19100.5);
    row_add_pair(time, 18690, 19090);
    time->has_drift_reference = time->has_readings = true;
    time->drift_reference = 18000;
    time->previous = x_calloc(1, sizeof *time->previous);
    *time->previous =
        (struct previous){17000, x_strdup("2026-11-21T08:00:00Z"), x_strdup("a2e1ea8"), x_strdup("first")};
    OWNED_TEXT text = through(&run, &back);
    cr_expect(strstr(text, row), "%s", text);
    cr_expect_str_eq(back.results[0].launches[0].code, "9f86d081");
    row_clear(result_find(&back.results[0], "time"));
    cr_expect_eq(back.results[0].rows[0].pair_count, 0);
    cr_expect_null(back.results[0].rows[0].previous);
}

static void put_beside(struct run *run)
{
    struct session session = {.facts = {[SESSION_DATE] = (char[]){"2026-11-21T08:00:00Z"}},
                              .roofs = {[ROOF_DRAM] = 4.1e12, [ROOF_FP64] = 0.5}};
    run_add_session(run, &session);
    struct result *result = run_add(run, "reduce/tree");
    *ARRAY_GROW(result->launches, result->launch_count) = (struct launch){.grid = {1, 1, 1},
                                                                          .block = {1, 1, 1},
                                                                          .times = 1,
                                                                          .has_machine = true,
                                                                          .machine = {.registers = 64,
                                                                                      .local_bytes = 96,
                                                                                      .shared_bytes = 4096,
                                                                                      .max_threads = 256,
                                                                                      .barriers = 1,
                                                                                      .tensor = TENSOR_USED}};
    result->profile = (struct profile){.counted = 1u << LINE_INSTRUCTIONS, .period = 1024, .launches = 3};
    (void)profile_add(&result->profile, "f(float*)", NULL, 0, 416);
    struct profile_line *line = profile_add(&result->profile, "f(float*)", "kernels/reduce.cu", 41, 64);
    line->counts[LINE_INSTRUCTIONS] = 4096;
    line->text = x_strdup("a \"b\";");
    profile_line_add_stall(line, "wait", 0.5);
    profile_line_add_stall(line, "barrier", 2);
    result->base_profile = (struct profile){.counted = 1u << LINE_SHARED | 1u << LINE_SHARED_IDEAL};
    line = profile_add(&result->base_profile, "f(float*)", "build/base/kernels/reduce.cu", 39, 64);
    line->counts[LINE_SHARED] = line->counts[LINE_SHARED_IDEAL] = 4;
}

Test(run_write, lines_machine_code_and_roofs_go_through_a_file)
{
    OWNED(run) run = {0}, back;
    put_beside(&run);
    OWNED_TEXT text = through(&run, &back);
    OWNED_TEXT expected = file_text("tests/unit/model/run_beside.json");
    cr_expect_str_eq(text, expected);
    cr_expect_eq(back.sessions[0].roofs[ROOF_FP32], 0);
    const struct result *result = &back.results[0];
    cr_expect_null(result->profile.list[1].file);
    cr_expect_eq(profile_line_samples(&result->profile.list[0]), 2.5);
    OWNED(result) one;
    OWNED_TEXT line = result_to_line(result);
    cr_assert_eq(result_from_line(&one, line), 0);
    cr_expect_eq(one.profile.count + one.base_profile.count, 3);
}

static const struct estimated_time *estimated_of(const struct run *run, const char *kernel)
{
    return run_find(run, kernel)->estimated;
}

Test(run_write, an_estimated_time_goes_through_a_file)
{
    OWNED(run) run = {0}, back;
    struct estimated_time *one = run_add(&run, "a/known")->estimated = x_calloc(1, sizeof *one);
    *one = (struct estimated_time){2500.25, 2000, 3000.5, x_strdup("1-00c0ffee"), x_strdup("DRAM"), NULL, 0,
                                   NULL,    0,    NULL};
    *ARRAY_GROW(one->busy, one->busy_count) = (struct time_part){x_strdup("DRAM"), 0.75};
    *ARRAY_GROW(one->moved, one->moved_count) = (struct time_part){x_strdup("dram_share"), 1.1};
    *ARRAY_GROW(one->moved, one->moved_count) = (struct time_part){x_strdup("tags"), 0.97};
    run_find(&run, "a/known")->status = run_add(&run, "a/none")->status = RESULT_OK;
    struct estimated_time *none = run_find(&run, "a/none")->estimated = x_calloc(1, sizeof *none);
    none->refused = x_strdup("clusters are not calibrated");
    run_add(&run, "a/silent");
    for (unsigned i = 0; i < 2; i++) {
        struct profile *profile = &run_find(&run, i ? "a/none" : "a/known")->profile;
        profile->counted = 1;
        profile->estimated = !i;
        profile_line_add_stall(profile_add(profile, "f", "a.cu", 1, 0), "barrier", 12.5);
    }
    OWNED_TEXT text = through(&run, &back);
    cr_expect(run_find(&back, "a/known")->profile.estimated && !run_find(&back, "a/none")->profile.estimated);
    const char *said = strstr(text, "\"estimated\": true");
    cr_expect(said && !strstr(said + 1, "\"estimated\":"), "absent where there is none");
    result_copy_facts(run_find(&back, "a/silent"), run_find(&back, "a/known"));
    for (unsigned copied = 0; copied < 2; copied++) {
        const struct estimated_time *known = estimated_of(&back, copied ? "a/silent" : "a/known");
        cr_expect(known->ns == 2500.25 && known->low == 2000 && known->high == 3000.5 && !known->refused);
        cr_expect(strcmp(known->model, "1-00c0ffee") == 0 && strcmp(known->bound_by, "DRAM") == 0);
        cr_assert(known->moved_count == 2 && known->busy_count == 1);
        cr_expect(strcmp(known->busy[0].name, "DRAM") == 0 && known->busy[0].part == 0.75);
        cr_expect(strcmp(known->moved[1].name, "tags") == 0 && known->moved[1].part == 0.97);
    }
    const struct estimated_time *refused = estimated_of(&back, "a/none");
    cr_expect(strcmp(refused->refused, none->refused) == 0 && refused->ns == 0 && !refused->model && !refused->moved);
}

/* A profile that nobody counted is not written. One that was counted and found nothing is. */
Test(run_write, empty_lines_are_said_only_when_they_were_counted)
{
    OWNED(run) run = {0}, back;
    struct result *result = run_add(&run, "reduce/tree");
    (void)profile_add(&result->base_profile, "f", NULL, 0, 0);
    char *text = run_text(&run);
    cr_expect_null(strstr(text, "lines"), "%s", text);
    free(text);
    result->profile.counted = 1u << LINE_SHARED;
    text = run_text(&run);
    expect_word(text, "\"list\": [],");
    cr_assert_eq(run_parse(&back, "made up", text, strlen(text)), 0);
    cr_expect_eq(back.results[0].profile.counted, 1u << LINE_SHARED);
    free(text);
}

Test(run_write, an_empty_run_survives_its_file)
{
    struct run run = {0};
    OWNED(run) back;
    OWNED_TEXT text = through(&run, &back);
    cr_expect_null(back.device.name);
    cr_expect_eq(back.result_count + back.session_count + back.note_count, 0);
}

Test(run_write, numbers_are_short_and_exact)
{
    static const struct {
        double number;
        const char *text;
    } cases[] = {
        {0, "[[0]]"},
        {-0.0, "[[0]]"},
        {0.1, "[[0.1]]"},
        {1e-300, "[[1e-300]]"},
        {5e-324, "[[4.94065646e-324]]"},
        {99.9700001, "[[99.9700001]]"},
        {9007199254740991, "[[9007199254740991]]"},
        {9007199254740994, "[[9007199254740994]]"},
        {9223372036854775808.0, "[[9.223372036854776e+18]]"},
        {1.7976931348623157e308, "[[1.7976931348623157e+308]]"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        OWNED(run) run = {0};
        OWNED(run) back;
        row_add_session(result_add(run_add(&run, "a/b"), "m"), &cases[i].number, 1);
        OWNED_TEXT text = through(&run, &back);
        cr_expect(strstr(text, cases[i].text), "%s is not in %s", cases[i].text, text);
        cr_expect_eq(row_value(result_find(run_find(&back, "a/b"), "m")), cases[i].number);
    }
}

Test(run_write, text_that_is_no_utf8_cannot_spoil_the_file)
{
    static const struct {
        const char *text, *expected;
    } cases[] = {
        {"cut \xe2\x82", "cut ??"},
        {"\xff\xfe", "??"},
        {"over\xc0\xafl", "over??l"},
        {"surrogate \xed\xa0\x80", "surrogate ???"},
        {"beyond \xf4\x90\x80\x80", "beyond ????"},
        {"\xf0\x9f\x9a\x80 \x7f", "\xf0\x9f\x9a\x80 \x7f"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        OWNED(run) run = {0};
        OWNED(run) back;
        struct result *result = run_add(&run, "a/b");
        result->status = RESULT_WRONG;
        result->reason = x_strdup(cases[i].text);
        OWNED_TEXT text = through(&run, &back);
        cr_expect_str_eq(back.results[0].reason, cases[i].expected);
    }
}

Test(run_write, rows_of_a_failed_kernel_are_not_written)
{
    OWNED(run) run = {0};
    OWNED(run) back;
    struct result *result = run_add(&run, "a/b");
    row_add_session(result_add(result, "time"), (double[]){1}, 1);
    result->status = RESULT_CRASHED;
    OWNED_TEXT text = through(&run, &back);
    cr_expect_eq(back.results[0].row_count, 0);
}

Test(run_write, a_result_goes_through_one_line)
{
    OWNED(run) run = make_run();
    OWNED(result) back;
    OWNED_TEXT line = result_to_line(run_find(&run, "reduce/tree"));
    cr_expect_null(strchr(line, '\n'));
    cr_assert_eq(result_from_line(&back, line), 0);
    cr_expect_str_eq(back.id, "reduce/tree");
    cr_expect_eq(back.row_count, 4);
    OWNED_TEXT again = result_to_line(&back);
    cr_expect_str_eq(again, line);
}

Test(run_write, a_file_is_written_and_read)
{
    OWNED_FOLDER folder = scratch_make();
    char *path = x_sprintf("%s/run.json", folder);
    OWNED(run) run = make_run();
    OWNED(run) back;
    cr_assert_eq(run_write_file(&run, path), 0);
    cr_assert_eq(run_read(&back, path), 0);
    OWNED_TEXT text = run_text(&run);
    OWNED_TEXT again = run_text(&back);
    cr_expect_str_eq(again, text);
    free(path);
    path = x_sprintf("%s/no/run.json", folder);
    capture_begin();
    cr_expect_eq(run_write_file(&run, path), -1);
    free(capture_end());
    free(path);
}

/* For machine code that was not launched, neither grid nor GPU is known. */
Test(run_write, functions_of_files_go_through_a_file)
{
    OWNED(run)
    run = {.device = {.name = x_strdup("sm_90"),
                      .compute_capability = x_strdup("9.0"),
                      .ecc_unknown = true,
                      .mig_unknown = true}},
    back;
    struct result *result = run_add(&run, "app/scale<float>");
    *ARRAY_GROW(result->launches, result->launch_count) =
        (struct launch){.code = x_strdup("9f86"), .has_machine = true, .machine = {.registers = 32}};
    *ARRAY_GROW(result->launches, result->launch_count) = (struct launch){
        .code = x_strdup("9f87"), .block = {128, 1, 1}, .shared = 64, .has_machine = true, .machine = {.registers = 8}};
    OWNED_TEXT text = through(&run, &back);
    expect_word(text, "\"device\": {\"compute_capability\": \"9.0\", \"memory_bytes\": 0, \"name\": \"sm_90\", "
                      "\"sm_count\": 0},");
    cr_expect_null(strstr(text, "grid"), "%s", text);
    cr_expect_eq(back.results[0].launches[0].block[0], 0);
    cr_expect_eq(back.results[0].launches[1].block[0], 128);
    cr_expect_eq(back.results[0].launches[1].grid[0], 0);
}

/* Only for a kernel that is ok: a failed one has a reason of its own. */
Test(run_write, how_a_kernel_failed_on_another_gpu_is_kept)
{
    OWNED(result) result = {.id = x_strdup("a/b")}, read;
    result.inputs = x_strdup("cafe");
    result_note_elsewhere(&result, "it crashed on GPU 1");
    result_note_elsewhere(&result, "it crashed on GPU 1");
    OWNED_TEXT line = result_to_line(&result);
    cr_expect(strstr(line, "\"elsewhere\": \"it crashed on GPU 1\"") ||
                  strstr(line, "\"elsewhere\":\"it crashed on GPU 1\""),
              "%s", line);
    cr_assert_eq(result_from_line(&read, line), 0);
    cr_expect_str_eq(read.elsewhere, "it crashed on GPU 1");
    cr_expect_str_eq(read.inputs, "cafe");
}
