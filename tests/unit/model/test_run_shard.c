#include "model/model.h"
#include "test.h"

static const char *const kernels[] = {"a/x", "a/y", "b/x", "c/x", "c/y"};

static char *const names[] = {(char[]){"1.json"}, (char[]){"2.json"}, (char[]){"3.json"}, (char[]){"4.json"}};

static void add_result(struct run *run, const char *id, double value)
{
    struct result *result = run_add(run, id);
    result->seconds = value;
    row_add_session(result_add(result, "time"), (double[]){value, value + 1}, 2);
}

/* Makes one of three parts, each with one of the kernels a, b, c. */
static struct run made_part(unsigned number)
{
    const char date[] = {'2', '0', '2', '6', '-', (char)('0' + number), '\0'};
    struct run run = {.device = {.name = x_strdup("Made-up GPU"), .compute_capability = x_strdup("9.0"), .sm_count = 4},
                      .shard = {.number = number, .of = 3, .code = x_strdup("9f86")}};
    const struct session session = {.facts = {[SESSION_DATE] = (char *)(uintptr_t)date,
                                              [SESSION_COLLECTOR] = (char[]){"cupti"},
                                              [SESSION_COMMIT] = (char[]){"0123"},
                                              [SESSION_DRIVER] = (char[]){"580"},
                                              [SESSION_FLAGS] = (char[]){"-O3"}}};
    run_add_session(&run, &session);
    run_set_note(&run, &(struct metric_note){.name = (char[]){"time"},
                                             .counter = (char[]){"gpu__time_duration.sum"},
                                             .unit = (char[]){"ns"},
                                             .judged = true,
                                             .class = METRIC_TIME,
                                             .floor_absolute = 250});
    for (size_t i = 0; i < ARRAY_SIZE(kernels); i++) {
        *ARRAY_GROW(run.shard.kernels, run.shard.kernel_count) = x_strdup(kernels[i]);
        if (kernels[i][0] == "abc"[number - 1])
            add_result(&run, kernels[i], (double)(i + 1));
    }
    run.shard.measures = run.result_count;
    return run;
}

static const struct metric_note a_metric = {.name = (char[]){"a"}, .counter = (char[]){"a"}, .unit = (char[]){"ns"}};

/* Changes to the third part, most of which make it invalid. */
DO(nothing(struct run *part), (void)part);
DO(other_model(struct run *part), set_text(&part->device.name, "Another GPU"));
DO(other_capability(struct run *part), set_text(&part->device.compute_capability, "8.0"));
DO(other_collector(struct run *part), set_text(&part->sessions[0].facts[SESSION_COLLECTOR], "host"));
DO(no_session(struct run *part), run_forget_sessions(part));
DO(other_flags(struct run *part), set_text(&part->sessions[0].facts[SESSION_FLAGS], "-O0"));
DO(other_commit(struct run *part), set_text(&part->sessions[0].facts[SESSION_COMMIT], "4567"));
DO(no_compiler(struct run *part), set_text(&part->sessions[0].facts[SESSION_COMPILER], "gcc"));
DO(other_driver(struct run *part), set_text(&part->sessions[0].facts[SESSION_DRIVER], "570"));
DO(other_code(struct run *part), set_text(&part->shard.code, "ffff"));
DO(no_code(struct run *part), set_text(&part->shard.code, NULL));
DO(other_kernel(struct run *part), set_text(&part->shard.kernels[2], "b/z"));
DO(other_count(struct run *part), part->shard.of = 4);
DO(other_floor(struct run *part), part->notes[0].floor_absolute = 9999);
DO(other_counter(struct run *part), set_text(&part->notes[0].counter, "clock"));
DO(no_metric(struct run *part), run_forget_notes(part));
DO(more_metrics(struct run *part), run_set_note(part, &a_metric));
DO(twice(struct run *part), part->shard.number = 2);
DO(interrupted(struct run *part), result_release(&part->results[--part->result_count]));
DO(whole(struct run *part), shard_release(&part->shard));
DO(failed(struct run *part), result_fail(&part->results[0], RESULT_CRASHED, "died"));

static void another_collector(struct run *part)
{
    const struct session session = {
        .facts = {[SESSION_COLLECTOR] = (char[]){"sim"}, [SESSION_COMMIT] = (char[]){"0123"}}};
    run_add_session(part, &session);
}

static void overlapping(struct run *part)
{
    add_result(part, "b/x", 7);
    part->shard.measures++;
}

/* Removes a kernel from the part and from its list. */
static void doctored(struct run *part)
{
    interrupted(part);
    part->shard.measures--;
}

static void expect_merge(void (*change)(struct run *), size_t count, int expected, const char *words)
{
    struct run parts[4] = {made_part(1), made_part(2), made_part(3), made_part(3)};
    OWNED(run) merged;
    change(&parts[2]);
    HEAR(code, run_merge(&merged, parts, names, count));
    cr_expect_eq(code, expected, "%d, not %d: %s", code, expected, said);
    cr_expect(words ? strstr(said, words) != NULL : *said == '\0', "not said: %s; but: %s", words ? words : "nothing",
              said);
    cr_expect_eq(merged.result_count, code == 0 ? ARRAY_SIZE(kernels) : 0);
    for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
        run_release(&parts[i]);
}

Test(run_shard, what_is_no_part_of_one_run_is_refused)
{
    static const struct {
        void (*change)(struct run *);
        int code;
        const char *words;
    } cases[] = {
        {nothing, 0, NULL},
        {failed, 0, NULL},
        {other_driver, 0, "3.json has the driver 570, but 1.json has 580"},
        {other_model, EXIT_BASELINE, "from different devices: "},
        {other_capability, EXIT_BASELINE, "from different devices: "},
        {other_collector, EXIT_BASELINE, "collector host, not cupti"},
        {another_collector, EXIT_BASELINE, "collector sim, not cupti"},
        {no_session, EXIT_USAGE, "3.json names no session"},
        {other_flags, EXIT_BASELINE, "flags -O0, not -O3"},
        {other_commit, EXIT_BASELINE, "commit 4567, not 0123"},
        {no_compiler, EXIT_BASELINE, "compiler gcc, not unknown"},
        {other_code, EXIT_BASELINE, "the machine code of their libraries differs"},
        {no_code, EXIT_BASELINE, "the machine code of their libraries differs"},
        {other_kernel, EXIT_BASELINE, "b/x is only in the kernels of 1.json"},
        {other_floor, EXIT_BASELINE, "they define the metric time differently: floor"},
        {other_counter, EXIT_BASELINE, "they define the metric time differently: counter"},
        {no_metric, EXIT_BASELINE, "they define the metric time differently, or only one defines it"},
        {more_metrics, EXIT_BASELINE, "they define the metric a differently, or only one defines it"},
        {other_count, EXIT_USAGE, "3.json is one of 4 shards, but 1.json is one of 3"},
        {whole, EXIT_USAGE, "3.json is a whole run"},
        {twice, EXIT_USAGE, "2.json and 3.json are both shard 2 of 3, and differ"},
        {overlapping, EXIT_USAGE, "b/x is in two parts"},
        {interrupted, EXIT_NOT_MEASURED, "3.json, shard 3 of 3, was interrupted: it has 1 of its 2 kernels"},
        {interrupted, EXIT_NOT_MEASURED, "missing in all parts: c/y"},
        {doctored, EXIT_NOT_MEASURED, "missing in all parts: c/y"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
        expect_merge(cases[i].change, 3, cases[i].code, cases[i].words);
    expect_merge(nothing, 2, EXIT_NOT_MEASURED, "missing: shard 3 of 3");
    expect_merge(nothing, 2, EXIT_NOT_MEASURED, "missing in all parts: c/x, c/y");
    expect_merge(nothing, 4, 0, NULL); /* gives the third part twice, which counts once */
    expect_merge(failed, 4, EXIT_USAGE, "3.json and 4.json are both shard 3 of 3, and differ");
}

Test(run_shard, each_number_names_the_session_that_it_is_from)
{
    struct run parts[] = {made_part(2), made_part(3), made_part(1)};
    OWNED(run) merged;
    cr_assert_eq(run_merge(&merged, parts, names, 3), 0);
    cr_expect_eq(merged.shard.of, 0, "it is a whole run");
    cr_expect_str_eq(merged.device.name, "Made-up GPU");
    cr_expect_eq(merged.note_count, 1);
    cr_assert_eq(merged.session_count, 3);
    for (size_t i = 0; i < ARRAY_SIZE(kernels); i++) {
        const struct result *result = &merged.results[i];
        cr_assert_str_eq(result->id, kernels[i]);
        const struct row *row = result_find(result, "time");
        cr_expect_eq(row_value(row), (double)i + 1.5);
        cr_expect_eq(result->seconds, (double)i + 1);
        const char last[] = {(char)(result->id[0] - 'a' + '1'), '\0'};
        const char *date = merged.sessions[row->sessions[0].session].facts[SESSION_DATE];
        cr_expect_str_eq(date + strlen(date) - 1, last);
    }
    OWNED_TEXT text = run_text(&merged);
    OWNED(run) back;
    cr_assert_eq(run_parse(&back, "merged.json", text, strlen(text)), 0);
    cr_expect_eq(result_find(run_find(&back, "a/x"), "time")->sessions[0].session, 2);
    for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
        run_release(&parts[i]);
}

static int read_part(const char *text)
{
    OWNED(run) run;
    TRY(run_parse(&run, "x.json", text, strlen(text)));
    OWNED(run) back;
    OWNED_TEXT again = run_text(&run);
    cr_assert_eq(run_parse(&back, "x.json", again, strlen(again)), 0);
    EXPECT_ALL(back.shard.number == 2, back.shard.of == 2);
    EXPECT_ALL(back.shard.measures == 1, back.shard.kernel_count == 2);
    return 0;
}

REFUSED_TEXTS(run_shard, a_part_that_contradicts_itself_is_refused, "tests/unit/model/run_shard.txt", read_part)
