/* Tests A/A analysis by the cases of aa.txt, which says what their words mean. */
#include "cases.h"
#include "report/report.h"

enum { MOST_SESSIONS = 40, MOST_NUMBERS = 256 };

/* The sessions of the case, and what came of them. */
static struct metrics metrics;
static struct run runs[MOST_SESSIONS];
static char *names[MOST_SESSIONS];
static size_t count;
static struct analysis analysis;
static bool is_made;
static char *page;

static size_t session_in(size_t i)
{
    NEED(whole(word(i)) < count, "there is no session %s", word(i));
    return whole(word(i));
}

/* ---- What there is ---- */

/* On a GPU each so many, and on one day, or each on its own. */
static void put_sessions(void)
{
    count = whole(word(1));
    for (size_t i = 0; i < count; i++) {
        struct run *run = &runs[i];
        names[i] = x_sprintf("s%zu.json", i);
        run->device.name = x_strdup("Test GPU");
        run_note_metrics(run, &metrics);
        struct session *session = ARRAY_GROW(run->sessions, run->session_count);
        session->facts[SESSION_GPU_UUID] = x_sprintf("GPU-%zu", i / whole(word(2)));
        session->facts[SESSION_DATE] = x_sprintf("2026-11-%02zuT08:00:%02zu.000Z", word_count > 3 ? i + 1 : 1, i);
        session->facts[SESSION_COLLECTOR] = x_strdup("cupti");
    }
}

/* Values are those of all sessions, or of each. */
static void put_rows(void)
{
    NEED(word_count == 4 || word_count == 3 + count, "%zu values", word_count - 3);
    for (size_t i = 0; i < count; i++) {
        OWNED_TEXT values = x_strdup(word(word_count == 4 ? 3 : 3 + i));
        put_values(run_add(&runs[i], word(1)), word(2), values);
    }
}

static void put_codes(void)
{
    for (size_t i = 0; i < count; i++) {
        struct result *result = run_find(&runs[i], word(1));
        *ARRAY_GROW(result->launches, result->launch_count) =
            (struct launch){.function = x_strdup("f"),
                            .code = x_strdup(known(word(word_count == 3 ? 2 : 2 + i))),
                            .grid = {1, 1, 1},
                            .block = {32, 1, 1},
                            .times = 1};
    }
}

static void put_launch(void)
{
    struct result *result = run_find(&runs[session_in(1)], word(2));
    size_t grid = 1, block = 32, shared = 0, times = 1;
    const struct member members[] = {
        {"grid", .count = &grid}, {"block", .count = &block}, {"shared", .count = &shared}, {"times", .count = &times}};
    put_members(members, ARRAY_SIZE(members), 3);
    *ARRAY_GROW(result->launches, result->launch_count) = (struct launch){.grid = {(unsigned)grid, 1, 1},
                                                                          .block = {(unsigned)block, 1, 1},
                                                                          .shared = (unsigned)shared,
                                                                          .times = (unsigned)times};
}

static void put_suite(void)
{
    for (size_t kernel = 0; kernel < whole(word(1)); kernel++)
        for (size_t i = 0; i < count; i++) {
            OWNED_TEXT id = x_sprintf("a/%zu", kernel);
            struct result *result = run_add(&runs[i], id);
            set_value(result, "time", number(word(2 + i)));
            *ARRAY_GROW(result->launches, result->launch_count) =
                (struct launch){.function = x_strdup("f"), .code = x_strdup("f00d"), .times = 1};
        }
}

static void fail(void)
{
    enum result_status status = 0;
    while (strcmp(result_status_name(status), word(3)) != 0)
        status++;
    struct result *result = run_find(&runs[session_in(1)], word(2));
    result->status = status;
    set_text(&result->reason, known(word(4)));
}

DO(keep(void), run_filter(&runs[session_in(1)], (char *[]){word(2)}, 1));
DO(clear(void), row_clear(result_find(run_find(&runs[session_in(1)], word(2)), word(3))));

/* A session more, which is one of another run, too. */
DO(add_session(void), run_add_session(&runs[session_in(1)], &runs[session_in(2)].sessions[0]));
DO(forget_sessions(void), run_forget_sessions(&runs[session_in(1)]));

static void put_note(void)
{
    run_set_note(&runs[session_in(1)], &(struct metric_note){.name = word(2), .counter = word(3), .unit = word(4)});
}

/* ---- What must come of it ---- */

static const struct analysis *analysed(void)
{
    if (!is_made)
        analysis_make(&analysis, runs, count, names, &metrics);
    is_made = true;
    return &analysis;
}

static void expect_taken(void)
{
    HEAR(taken, analysis_takes(&runs[1], "new.json", runs, 1, names, &metrics));
    CHECK(taken == (*word(1) ? -1 : 0) && strstr(said, word(1)), "%d: %s", taken, said);
}

/* Numbers with the names of what they are in: pairs.exact.worse, pairs.exits.3, noisy.gpus.unsure. */
static struct named_number numbers[MOST_NUMBERS];
static size_t number_count;

static void add_number(double value, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    OWNED_TEXT name = x_vsprintf(format, list);
    va_end(list);
    NEED(number_count < MOST_NUMBERS, "more than %d numbers", MOST_NUMBERS);
    numbers[number_count++] = (struct named_number){kept_text(name), value};
}

static void add_tally(const struct alarm_tally *tally, const char *view, const char *of)
{
    add_number((double)tally->rows, "%s.%s.rows", view, of);
    add_number((double)tally->regressed, "%s.%s.regressed", view, of);
    add_number((double)tally->unsure, "%s.%s.unsure", view, of);
    add_number((double)tally->worse, "%s.%s.worse", view, of);
    add_number((double)tally->better, "%s.%s.better", view, of);
}

static void expect_totals(void)
{
    static const char *const views[VIEWS] = {"pairs", "others", "gpus"};
    const struct analysis *is = analysed();
    number_count = 0;
    for (enum view_kind kind = 0; kind < VIEWS; kind++) {
        const struct view *view = &is->views[kind];
        add_number((double)view->comparisons, "%s", views[kind]);
        add_number((double)view->moved, "%s.moved", views[kind]);
        for (size_t code = 0; code < ARRAY_SIZE(view->exits); code++)
            add_number((double)view->exits[code], "%s.exits.%zu", views[kind], code);
        for (enum metric_class class = 0; class < METRIC_CLASSES; class ++)
            add_tally(&view->tallies[class], views[kind], metric_class_name(class));
        if (is->noisy_row_count > 0)
            add_tally(&is->noisy_rows[0].tallies[kind], "noisy", views[kind]);
    }
    add_number((double)is->kernels, "kernels");
    add_number((double)is->gpus, "gpu_count");
    add_number((double)is->days, "days");
    add_number((double)is->noisy_row_count, "noisy");
    add_number((double)is->left_out_count, "left_out");
    add_number((double)analysis_exit_code(is), "exit");
    expect_numbers(numbers, number_count, 1);
}

static void expect_noisiest(void)
{
    const struct noisy_row *row = &analysed()->noisy_rows[0];
    CHECK(strcmp(row->kernel, word(1)) == 0 && strcmp(row->metric->name, word(2)) == 0, "%s of %s", row->metric->name,
          row->kernel);
}

static void expect_left_out(void)
{
    NEED(analysed()->left_out_count == (word_count - 1) / 3, "%zu are left out", analysis.left_out_count);
    for (size_t i = 0; i < analysis.left_out_count; i++) {
        const struct left_out *one = &analysis.left_out[i];
        CHECK(strcmp(one->kernel, word(3 * i + 1)) == 0 && strcmp(one->why, word(3 * i + 2)) == 0 &&
                  one->failed == (whole(word(3 * i + 3)) != 0),
              "%s: %s, %d", one->kernel, one->why, one->failed);
    }
}

static void expect_kernels(void)
{
    for (size_t i = 0; i < count && analysed(); i++) {
        CHECK(runs[i].result_count == word_count - 1, "session %zu has %zu kernels", i, runs[i].result_count);
        for (size_t k = 1; k < word_count; k++)
            CHECK(run_find(&runs[i], word(k)), "session %zu lacks %s", i, word(k));
    }
}

static void expect_exactness(void)
{
    const struct exactness *is = NULL;
    for (size_t i = 0; i < analysed()->exactness_count; i++)
        if (strcmp(analysis.exactness[i].metric->name, word(1)) == 0)
            is = &analysis.exactness[i];
    const bool is_none = word_count > 2 && strcmp(word(2), "none") == 0;
    CHECK(is_none == !is, "%s", is ? "there is one" : "there is none");
    if (!is || is_none)
        return;
    const struct nonrepeating none = {NULL, NAN, NAN}, *odd = is->nonrepeating_count > 0 ? is->nonrepeating : &none;
    const struct named_number of[] = {{"kernels", (double)is->kernels},
                                      {"repeat", (double)is->repeat},
                                      {"admitted", (double)is->admitted},
                                      {"readings", (double)is->readings},
                                      {"sessions", (double)is->sessions},
                                      {"all_readings", (double)is->all_readings},
                                      {"odd", (double)is->nonrepeating_count},
                                      {"low", odd->low},
                                      {"high", odd->high}};
    expect_numbers(of, ARRAY_SIZE(of), 2);
}

static void expect_spread(void)
{
    static const char *const parts[SPREAD_PARTS] = {"within", "gpus", "days"};
    const size_t i = FIRST(k, analysed()->spread_count, strcmp(analysis.spreads[k].metric->name, word(1)) == 0);
    NEED(i < analysis.spread_count, "%s has no spread", word(1));
    number_count = 0;
    for (enum spread_part part = 0; part < SPREAD_PARTS; part++) {
        const struct spread_of_kernels *of = &analysis.spreads[i].parts[part];
        add_number((double)of->kernels, "%s.kernels", parts[part]);
        add_number(round(of->median * 1e8) / 1e8, "%s.median", parts[part]);
        add_number(round(of->worst * 1e8) / 1e8, "%s.worst", parts[part]);
    }
    expect_numbers(numbers, number_count, 2);
}

static void expect_detected(void)
{
    NEED(analysed()->detectable_count == (word_count - 1) / 2, "%zu", analysis.detectable_count);
    for (size_t i = 0; i < analysis.detectable_count; i++) {
        const struct detectable *one = &analysis.detectables[i];
        CHECK(strcmp(one->kernel, word(2 * i + 1)) == 0 && fabs(one->change / number(word(2 * i + 2)) - 1) < 1e-8,
              "%s: %.10g", one->kernel, one->change);
    }
}

/* JSON is printed without blanks, since it is read by programs. */
static void print_it(void)
{
    const bool is_json = strcmp(word(1), "json") == 0;
    const struct style style = {.exit_code = EXIT_REGRESSED, .quiet = strcmp(word(1), "quiet") == 0};
    PRINT(OWNED_TEXT, printed, stream, (is_json ? analysis_json : analysis_text)(analysed(), &style, stream));
    json_t *const root = is_json ? json_loads(printed, JSON_REJECT_DUPLICATES, NULL) : NULL;
    NEED(!is_json || root, "it is not JSON: %s", printed);
    free(page);
    page = is_json ? json_dumps(root, JSON_COMPACT | JSON_SORT_KEYS) : x_strdup(printed);
    json_decref(root);
}

DO(expect_said(void), expect_text_says(page));
DO(expect_not_said(void), expect_text_lacks(page));

static void begin(void)
{
    OWNED_TEXT definitions = file_text("tests/unit/gate/analysis.ini");
    cr_assert_eq(metrics_read_text(&metrics, "made_up.ini", definitions), 0);
}

static void change(void)
{
    analysis_release(&analysis);
    analysis = (struct analysis){0};
    is_made = false;
}

static void end(void)
{
    change();
    for (; count > 0; count--) {
        run_release(&runs[count - 1]);
        runs[count - 1] = (struct run){0};
        set_text(&names[count - 1], NULL);
    }
    metrics_release(&metrics);
    metrics = (struct metrics){0};
    set_text(&page, NULL);
}

Test(aa, cases)
{
    static const struct case_command commands[] = {
        {"clear", clear, false},
        {"codes", put_codes, false},
        {"detects", expect_detected, true},
        {"exactness", expect_exactness, true},
        {"fail", fail, false},
        {"forget_sessions", forget_sessions, false},
        {"keep", keep, false},
        {"kernels", expect_kernels, true},
        {"lacks", expect_not_said, true},
        {"launch", put_launch, false},
        {"left_out", expect_left_out, true},
        {"noisiest", expect_noisiest, true},
        {"note", put_note, false},
        {"print", print_it, true},
        {"rows", put_rows, false},
        {"says", expect_said, true},
        {"session_too", add_session, false},
        {"sessions", put_sessions, false},
        {"spread", expect_spread, true},
        {"suite", put_suite, false},
        {"taken", expect_taken, true},
        {"total", expect_totals, true},
    };
    const struct language language = {commands, ARRAY_SIZE(commands), begin, change, end};
    try_cases("tests/unit/gate/aa.txt", &language);
}
