#include "accept_cases.h"
#include "cases.h"
#include "made_runs.h"

/* ---- Cases: the runs that are accepted next, and what came of the last time ---- */

static struct run runs[3];
static size_t run_count;
static bool were_accepted; /* so that the next run begins anew */
static struct accepted accepted;
static struct run baseline;
static bool is_read; /* the baseline, since it was accepted */
static char *said, *remembered;

static void forget_runs(void)
{
    while (run_count > 0)
        run_release(&runs[--run_count]);
    were_accepted = false;
}

static void forget_baseline(void)
{
    accepted_release(&accepted);
    accepted = (struct accepted){0};
    run_release(&baseline);
    baseline = (struct run){0};
    is_read = false;
}

static void end(void)
{
    forget_runs();
    forget_baseline();
    set_text(&said, NULL);
    set_text(&remembered, NULL);
    scratch_leave();
}

static struct run *last_run(void)
{
    NEED(run_count > 0, "there is no run before %s", word(0));
    return &runs[run_count - 1];
}

/* ---- What there is ---- */

static struct launch *launch_of(struct result *result)
{
    NEED(result->launch_count > 0, "%s launches nothing", result->id);
    return result->launches;
}

static void put_property(struct result *result, const char *key, char *value)
{
    if (strcmp(key, "code") == 0)
        set_text(&launch_of(result)->code, known(value));
    else if (strcmp(key, "times") == 0)
        launch_of(result)->times = (unsigned)whole(value);
    else if (strcmp(key, "grid") == 0)
        launch_of(result)->grid[0] = (unsigned)whole(value);
    else if (strcmp(key, "inputs") == 0)
        set_text(&result->inputs, known(value));
    else if (strcmp(key, "wrong") == 0)
        result_fail(result, RESULT_WRONG, value);
    else if (known(value)) {
        row_clear(result_add(result, key));
        put_values(result, key, value);
    } else {
        result_remove(result, key);
    }
}

static void set_from(size_t first)
{
    struct result *result = run_add(last_run(), word(first));
    for (size_t i = first + 1; i < word_count; i++) {
        char *const value = value_of(word(i));
        put_property(result, word(i), value);
    }
}

DO(set(void), set_from(1));

static void begin_run(void)
{
    if (were_accepted)
        forget_runs();
    NEED(run_count < ARRAY_SIZE(runs), "more than %zu runs", ARRAY_SIZE(runs));
    runs[run_count++] = made_run((int)whole(word(1)));
}

static void put_run(void)
{
    begin_run();
    if (word_count > 2)
        set_from(2);
}

/* A run of which reduce/tree and reduce/warp have code, and access/coalesced launches nothing, as a transfer. */
static void put_noisy(void)
{
    begin_run();
    struct run *run = last_run();
    const struct result nothing = {.bytes = 1000};
    put_property(run_find(run, "reduce/tree"), "code", (char[]){"abc"});
    put_property(run_find(run, "reduce/tree"), "times", (char[]){"1"});
    put_property(run_find(run, "reduce/warp"), "code", (char[]){"def"});
    put_property(run_find(run, "reduce/warp"), "times", (char[]){"1"});
    result_copy_facts(run_find(run, "access/coalesced"), &nothing);
    made_set(run, "reduce/tree", "time", number(word(2)));
    made_set(run, "reduce/warp", "hits", number(word(3)));
    made_set(run, "access/coalesced", "time", 400);
}

static void put_session_fact(void)
{
    const char *const value = known(value_of(word(1)));
    set_text(&last_run()->sessions[0].facts[fact_named(word(1))], value);
}

static void put_device(void)
{
    struct device *device = &last_run()->device;
    const char *const value = value_of(word(1));
    if (strcmp(word(1), "name") == 0)
        set_text(&device->name, known(value));
    else if (strcmp(word(1), "ecc") == 0)
        device->ecc = whole(value) != 0;
    else if (strcmp(word(1), "sm_count") == 0)
        device->sm_count = (int)whole(value);
    else
        NEED(false, "a device has no %s", word(1));
}

static void put_note(void)
{
    run_set_note(last_run(), &(struct metric_note){.name = word(1), .counter = word(2), .unit = word(3)});
}

DO(keep(void), run_filter(last_run(), (char *[]){word(1)}, 1));
DO(rename_kernel(void), set_text(&run_find(last_run(), word(1))->id, word(2)));

/* Appends the last run to the one before, as when it is confirmed. */
static void join(void)
{
    run_append(&runs[run_count - 2], last_run());
    run_release(&runs[--run_count]);
}

/* Line 4 of the kernel has that amount of what was counted or sampled; one more instruction has no file. */
static void put_lines(void)
{
    struct profile *profile = &run_find(last_run(), word(1))->profile;
    *profile = (struct profile){.period = (unsigned)whole(word(3)), .launches = 1};
    if (known(word(2)))
        profile->counted = 1u << LINE_INSTRUCTIONS | (strcmp(word(2), "all") == 0 ? 1u << LINE_SHARED : 0);
    struct profile_line *line = profile_add(profile, "f", "a.cu", 4, 96);
    line->counts[LINE_INSTRUCTIONS] = profile->counted ? number(word(4)) : 0;
    if (profile->period)
        profile_line_add_stall(line, "wait", number(word(4)));
    profile_add(profile, "memset", NULL, 0, 16)->counts[LINE_INSTRUCTIONS] = 1;
}

/* Writes a run or a text where a baseline is. */
static void put_file(void)
{
    OWNED_TEXT path = x_sprintf("%s/%s", scratch, word(1));
    OWNED_TEXT folder = x_sprintf("%.*s", (int)(strrchr(path, '/') - path), path);
    cr_assert_eq(make_folders(folder), 0);
    if (word_count > 2)
        write_bytes(path, word(2), strlen(word(2)));
    else
        cr_assert_eq(run_write_file(last_run(), path), 0);
    were_accepted = true;
}

/* ---- Accepting ---- */

static struct trial trial_from(size_t first)
{
    struct trial trial = {.folder = scratch};
    for (size_t i = first; i < word_count; i++)
        if (strcmp(word(i), "anchor") == 0)
            trial.drift_reference = true;
        else if (strncmp(word(i), "reason=", 7) == 0)
            trial.reason = word(i) + 7;
        else if (strncmp(word(i), "was=", 4) == 0)
            trial.was = word(i) + 4;
        else if (i == first)
            trial.kernel = known(word(i));
        else
            trial.metric = word(i);
    return trial;
}

static int accept_runs(const struct trial *trial)
{
    forget_baseline();
    free(said);
    capture_begin();
    const int result = made_accept(trial, runs, run_count, &accepted);
    said = capture_end();
    were_accepted = true;
    return result;
}

static void accept_them(void)
{
    const struct trial trial = trial_from(1);
    const int result = accept_runs(&trial);
    NEED(result == 0, "%d: %s", result, said);
}

/* Accepts one run after the other. */
static void accept_each(void)
{
    const struct trial trial = trial_from(3);
    for (size_t i = whole(word(1)); i <= whole(word(2)); i++) {
        forget_runs();
        runs[run_count++] = made_run((int)i);
        NEED(accept_runs(&trial) == 0, "run %zu: %s", i, said);
    }
}

static void refuse(void)
{
    const struct trial trial = trial_from(3);
    const int result = accept_runs(&trial);
    CHECK(result == (int)whole(word(1)), "exit code %d: %s", result, said);
    CHECK(strstr(said, word(2)), "\"%s\" lacks \"%s\"", said, word(2));
    CHECK(result == 0 || (accepted.rows == 0 && accepted.kernels == 0 && !accepted.moves), "%s: rows", said);
}

/* ---- What must come of it ---- */

DO(expect_said(void), expect_text_says(said));

static void expect_unsaid(void)
{
    expect_text_lacks(said);
    CHECK(word_count > 1 || *said == '\0', "\"%s\" was said", said);
}

static void expect_accepted(void)
{
    const struct named_number numbers[] = {
        {"rows", (double)accepted.rows},
        {"kernels", (double)accepted.kernels},
        {"sessions", (double)accepted.sessions},
        {"time_sessions", (double)accepted.time_sessions},
        {"drift_references", (double)accepted.drift_references},
        {"moves", (double)accepted.move_count},
        {"added", (double)accepted.counts[ACCEPTED_ADDED]},
        {"noise", (double)accepted.counts[ACCEPTED_NOISE]},
        {"replaced", (double)accepted.counts[ACCEPTED_REPLACED]},
        {"info", (double)accepted.counts[ACCEPTED_INFO]},
        {"first", (double)accepted.counts[ACCEPTED_FIRST]},
        {"known", (double)accepted.counts[ACCEPTED_KNOWN]},
        {"left", (double)accepted.counts[ACCEPTED_LEFT]},
    };
    expect_numbers(numbers, ARRAY_SIZE(numbers), 1);
}

static void expect_text(const char *key, const char *is, const char *expected)
{
    CHECK(order_of_texts(is, known(expected)) == 0, "%s is %s", key, is ? is : "nothing");
}

/* move KERNEL METRIC FINDING WAS NOW, and `left` behind it: the next one. A value may be a state. */
static void expect_moves(void)
{
    static const char *const findings[] = {"same", "better", "worse", "mixed", "nonrepeating"};
    CHECK(accepted.move_count == (word_count - 1) / 6, "%zu moves", accepted.move_count);
    for (size_t i = 0; i < accepted.move_count && 6 * i + 6 < word_count; i++) {
        const struct accepted_move *move = &accepted.moves[i];
        OWNED_TEXT was = move->was_state == VALUE_MEASURED ? x_sprintf("%.10g", move->was)
                                                           : x_strdup(value_state_name(move->was_state));
        OWNED_TEXT now = move->now_state == VALUE_MEASURED ? x_sprintf("%.10g", move->now)
                                                           : x_strdup(value_state_name(move->now_state));
        const char *const is[] = {move->left ? "left" : "replaced", move->kernel, move->metric,
                                  findings[move->finding],          was,          now};
        for (size_t k = 0; k < ARRAY_SIZE(is); k++)
            CHECK(strcmp(is[k], word(6 * i + k + 1)) == 0, "%s, not %s", is[k], word(6 * i + k + 1));
    }
}

static const struct run *read_baseline(void)
{
    if (!is_read)
        baseline = made_baseline(scratch);
    is_read = true;
    return &baseline;
}

/* Returns the values of sessions, or which session each is from: "201 202". Caller frees. */
static char *sessions_of(const struct row *row, bool places)
{
    PRINT(char *, text, stream,
          for (size_t i = 0; i < row->session_count; i++)
              fprintf(stream, "%s%.10g", i > 0 ? " " : "",
                      places ? (double)row->sessions[i].session : row_session_value(row, i)));
    return text;
}

static void expect_row(void)
{
    const struct row *row = made_row(read_baseline(), word(1), word(2));
    const struct previous none = {NAN, NULL, NULL, NULL}, *previous = row->previous ? row->previous : &none;
    const struct named_number numbers[] = {
        {"value", row->state == VALUE_MEASURED ? row_value(row) : NAN},
        {"sessions", (double)row->session_count},
        {"samples", row->session_count > 0 ? (double)row->sessions[0].count : 0},
        {"anchor", row->has_drift_reference ? row->drift_reference : -1},
        {"readings", row->has_readings ? (double)row->readings : -1},
        {"was", row->previous ? previous->value : -1},
    };
    OWNED_TEXT values = sessions_of(row, false), *places = sessions_of(row, true);
    for (size_t i = 3; i < word_count; i++) {
        char *const value = value_of(word(i));
        const char *key = word(i);
        if (strcmp(key, "values") == 0)
            expect_text(key, values, value);
        else if (strcmp(key, "places") == 0)
            expect_text(key, places, value);
        else if (strcmp(key, "state") == 0)
            expect_text(key, value_state_name(row->state), value);
        else if (strcmp(key, "was_date") == 0)
            expect_text(key, previous->date, value);
        else if (strcmp(key, "was_commit") == 0)
            expect_text(key, previous->commit, value);
        else if (strcmp(key, "was_reason") == 0)
            expect_text(key, previous->reason, value);
        else
            expect_number(numbers, ARRAY_SIZE(numbers), key, strcmp(value, "-") == 0 ? -1 : number(value));
    }
}

static void expect_kernel(void)
{
    const struct result *result = run_find(read_baseline(), word(1));
    NEED(result, "there is no %s", word(1));
    const struct launch none = {0}, *launch = result->launch_count > 0 ? result->launches : &none;
    const struct named_number numbers[] = {
        {"bytes", result->bytes}, {"times", launch->times}, {"sessions", (double)result->session_count}};
    for (size_t i = 2; i < word_count; i++) {
        char *const value = value_of(word(i));
        if (strcmp(word(i), "code") == 0)
            expect_text(word(i), launch->code, value);
        else if (strcmp(word(i), "inputs") == 0)
            expect_text(word(i), result->inputs, value);
        else if (strcmp(word(i), "lacks") == 0)
            CHECK(!result_find(result, value), "there is %s", value);
        else
            expect_number(numbers, ARRAY_SIZE(numbers), word(i), number(value));
    }
}

static void expect_lines(void)
{
    const struct profile *profile = &run_find(read_baseline(), word(1))->profile;
    const double amount = profile->count == 0 ? NAN
                          : profile->counted  ? profile->list[0].counts[LINE_INSTRUCTIONS]
                                              : profile_line_samples(&profile->list[0]);
    CHECK(profile->count <= 1, "%zu lines: those without a file are kept", profile->count);
    CHECK(profile->count == (known(word(2)) != NULL) && (profile->count == 0 || amount == number(word(2))),
          "line 4 has %g", amount);
}

DO(expect_no_kernel(void), CHECK(!run_find(read_baseline(), word(1)), "there is %s", word(1)));

static void expect_baseline(void)
{
    const struct run *run = read_baseline();
    const struct named_number numbers[] = {{"kernels", (double)run->result_count},
                                           {"sessions", (double)run->session_count}};
    expect_numbers(numbers, ARRAY_SIZE(numbers), 1);
}

static void expect_session(void)
{
    const struct session *session = &read_baseline()->sessions[whole(word(1))];
    expect_text("date", session->facts[SESSION_DATE], word(2));
    if (word_count > 3)
        expect_text("reason", session->facts[SESSION_REASON], word(3));
}

DO(expect_note(void), expect_text("counter", run_find_note(read_baseline(), word(1))->counter, word(2)));

static void remember(void)
{
    free(remembered);
    remembered = made_text(scratch, word(1));
}

static void expect_remembered(void)
{
    OWNED_TEXT text = made_text(scratch, word(1));
    CHECK(strcmp(text, remembered) == 0, "%s is now %s", word(1), text);
}

static void expect_in_file(void)
{
    OWNED_TEXT text = made_text(scratch, word(1));
    CHECK(strstr(text, word(2)), "%s lacks \"%s\": %s", word(1), word(2), text);
}

static void expect_not_in_file(void)
{
    OWNED_TEXT text = made_text(scratch, word(1));
    CHECK(*text != '\0' && !strstr(text, word(2)), "%s has \"%s\": %s", word(1), word(2), text);
}

static void expect_no_file(void)
{
    OWNED_TEXT path = x_sprintf("%s/%s", scratch, word(1));
    CHECK(!is_there(path), "there is %s", word(1));
}

void accept_cases(const char *path)
{
    static const struct case_command commands[] = {
        {"run", put_run, false},
        {"noisy", put_noisy, false},
        {"set", set, false},
        {"fact", put_session_fact, false},
        {"device", put_device, false},
        {"note", put_note, false},
        {"keep", keep, false},
        {"rename", rename_kernel, false},
        {"join", join, false},
        {"lines", put_lines, false},
        {"keeps", expect_lines, true},
        {"file", put_file, false},
        {"accept", accept_them, false},
        {"accept_each", accept_each, false},
        {"refuse", refuse, false},
        {"says", expect_said, true},
        {"silent", expect_unsaid, true},
        {"accepted", expect_accepted, true},
        {"moves", expect_moves, true},
        {"row", expect_row, true},
        {"kernel", expect_kernel, true},
        {"gone", expect_no_kernel, true},
        {"baseline", expect_baseline, true},
        {"session", expect_session, true},
        {"noted", expect_note, true},
        {"remember", remember, true},
        {"unchanged", expect_remembered, true},
        {"has", expect_in_file, true},
        {"lacks", expect_not_in_file, true},
        {"absent", expect_no_file, true},
    };
    static const struct language language = {commands, ARRAY_SIZE(commands), scratch_begin, NULL, end};
    try_cases(path, &language);
}
