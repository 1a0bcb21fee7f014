#include "compare_cases.h"
#include "baseline/baseline.h"
#include "compare_support.h"
#include "line_support.h"

/* The case: two runs, and whether they are compared as they are. */
static struct fixture sides;
static bool is_compared;

static enum result_status result_status_named(const char *text)
{
    enum result_status status = 0;
    PLACE_OF(status, result_status_name, RESULT_STATUSES);
}

static struct run *side(size_t i)
{
    const bool is_base = strcmp(word(i), "base") == 0;
    NEED(is_base || strcmp(word(i), "run") == 0, "%s is no side", word(i));
    return is_base ? &sides.base : &sides.run;
}

static struct result *kernel_of(struct run *run, size_t i)
{
    return run_add(run, word(i));
}

static struct row *row_of(struct run *run, size_t i)
{
    return result_add(kernel_of(run, i), word(i + 1));
}

/* ---- What there is ---- */

static void put_property(struct result *result, const char *key, char *value)
{
    static const char *const of_launch[] = {"grid",      "block", "shared",   "times",
                                            "registers", "local", "function", "mix"};
    enum { NUMBERS = 6, MACHINE = 4 }; /* how many are numbers, and from which on they are of machine code */
    const size_t part = name_index(key, of_launch, ARRAY_SIZE(of_launch));
    struct launch *launch = result->launch_count > 0 ? &result->launches[result->launch_count - 1] : NULL;
    NEED(launch || part == ARRAY_SIZE(of_launch), "%s is of a launch", key);
    if (part < NUMBERS) {
        unsigned *const parts[] = {&launch->grid[2], &launch->block[0],          &launch->shared,
                                   &launch->times,   &launch->machine.registers, &launch->machine.local_bytes};
        *parts[part] = (unsigned)whole(value);
        launch->has_machine |= part >= MACHINE;
    } else if (part < ARRAY_SIZE(of_launch)) {
        set_text(part == NUMBERS ? &launch->function : &launch->mix, known(value));
    } else if (strcmp(key, "status") == 0) {
        result->status = result_status_named(value);
    } else if (strcmp(key, "reason") == 0) {
        set_text(&result->reason, known(value));
    } else if (strcmp(key, "former") == 0) {
        set_text(&result->former_id, known(value));
    } else if (strcmp(key, "inputs") == 0) {
        set_text(&result->inputs, known(value));
    } else if (strcmp(key, "session") == 0) {
        result_set_session(result, whole(value));
    } else if (strcmp(key, "bytes") == 0) {
        result->bytes = number(value);
    } else if (strcmp(key, "flops") == 0) {
        result->flops = number(value);
    } else {
        put_values(result, key, value);
    }
}

/* Adds to a kernel of one side or of both. A value a->b is a in the baseline and b in the run. */
static void put_kernel(void)
{
    for (int is_run = 0; is_run < 2; is_run++) {
        if (strcmp(word(0), is_run ? "base" : "run") == 0)
            continue;
        struct run *run = is_run ? &sides.run : &sides.base;
        run_add(run, word(1));
        for (size_t i = 2; i < word_count; i++) {
            OWNED_TEXT key = x_strdup(word(i));
            char *value = value_of(key), *const arrow = strstr(value, "->");
            if (arrow && strcmp(word(0), "both") == 0) {
                *arrow = '\0';
                value = is_run ? arrow + 2 : value;
            }
            if (strcmp(key, "code") == 0)
                put_code(run, word(1), known(value));
            else
                put_property(run_find(run, word(1)), key, value);
        }
    }
}

static void change_metric(void)
{
    struct metric *metric = &sides.metrics.list[metrics_index(&sides.metrics, word(1))];
    metric->class = metric_class_of(word(2));
    metric->asked = whole(word(3)) != 0;
    metric->floor_absolute = word_count > 4 ? number(word(4)) : metric->floor_absolute;
    metric->never_paid = word_count > 5;
}

static void change_note(void)
{
    struct run *run = side(1);
    const struct metric_note *is = run_find_note(run, word(2));
    struct metric_note note = is ? *is : (struct metric_note){.name = NULL};
    NEED(is, "%s has no note", word(2));
    for (size_t i = 3; i < word_count; i++) {
        char *const value = value_of(word(i));
        if (strcmp(word(i), "class") == 0)
            note.class = metric_class_of(value);
        else if (strcmp(word(i), "judged") == 0)
            note.judged = whole(value) != 0;
        else
            *(strcmp(word(i), "name") == 0   ? &note.name
              : strcmp(word(i), "unit") == 0 ? &note.unit
                                             : &note.counter) = value;
    }
    run_set_note(run, &note);
}

DO(forget_notes(void), run_forget_notes(side(1)));

static void put_notes(void)
{
    for (size_t i = 2; i < word_count; i++) {
        const struct metric_note note = note_of_metric(metrics_find(&sides.metrics, word(i)));
        run_set_note(side(1), &note);
    }
}

/* An estimated time, and how much of it is left if the constant of DRAM is wrong, if it depends on that. */
static void estimate(void)
{
    struct estimated_time *of = kernel_of(side(1), 2)->estimated = x_calloc(1, sizeof *of);
    const double ns = number(word(3));
    *of = (struct estimated_time){.ns = ns, .low = ns / 2, .high = 2 * ns, .bound_by = x_strdup("DRAM")};
    for (size_t i = 4; i < word_count; i++) {
        const char *const value = known(value_of(word(i)));
        if (strcmp(word(i), "part") != 0)
            set_text(strcmp(word(i), "model") == 0 ? &of->model : &of->refused, value);
        else if (value)
            *ARRAY_GROW(of->moved, of->moved_count) = (struct time_part){x_strdup("dram_share"), number(value)};
    }
}

DO(put_processors(void), side(1)->device.sm_count = (int)whole(word(2)));

static void put_facts(struct session *session, size_t from)
{
    for (size_t i = from; i < word_count; i++) {
        const char *const value = known(value_of(word(i)));
        set_text(&session->facts[fact_named(word(i))], value);
    }
}

static void put_session(void)
{
    struct run *run = side(1);
    put_facts(ARRAY_GROW(run->sessions, run->session_count), 2);
}

static void change_session(void)
{
    const struct run *run = side(1);
    NEED(run->session_count > 0, "%s has no session", word(1));
    put_facts(&run->sessions[run->session_count - 1], 2);
}

static void put_kernel_sessions(void)
{
    struct result *result = kernel_of(&sides.base, 1);
    for (size_t i = 0; i < whole(word(2)); i++) {
        struct session *session = ARRAY_GROW(result->sessions, result->session_count);
        for (size_t w = 3; w < word_count; w++) {
            OWNED_TEXT text = x_strdup(word(w));
            const char *const value = value_of(text), *const place = strchr(value, '%');
            session->facts[fact_named(text)] =
                place ? x_sprintf("%.*s%zu", (int)(place - value), value, i) : x_strdup(known(value));
        }
    }
}

/* Two sessions of a program that launches a/kept; in the baseline a/old as well, and in the run a/fresh. The time of
 * all launches is 5,000 ns in the baseline. */
static void put_program(void)
{
    struct run *base = &sides.base, *run = &sides.run;
    put_fact(base, SESSION_COLLECTOR, "exec");
    put_fact(run, SESSION_COLLECTOR, "exec");
    put_sides(&sides, "a/kept@1,32", "launches", 10, 3, 20, 1);
    put_times(base, "a/old@1,32", "launches", 4, 3);
    put_times(base, "a/old@1,32", "time", 1e6, 3);
    put(run, "a/fresh@1,32", "launches", 1);
    put(run, "a/fresh@1,32", "time", 2e6);
    put_sides(&sides, "a/program", "launches", 14, 3, 21, 1);
    put_sides(&sides, "a/program", "time", 5e6, 3, number(word(1)), 1);
}

/* The run has all counts and static facts, and no time. */
static void compute(void)
{
    run_forget_notes(&sides.run);
    for (size_t i = 0; i < sides.metrics.count; i++) {
        const struct metric_note note = note_of_metric(&sides.metrics.list[i]);
        if (note.class == METRIC_EXACT || note.class == METRIC_STATIC)
            run_set_note(&sides.run, &note);
    }
    put_fact(&sides.base, SESSION_COLLECTOR, "cupti");
    set_text(&sides.base.sessions[0].facts[SESSION_COMPILER], "nvcc 1");
    put_fact(&sides.run, SESSION_COLLECTOR, "sim");
    set_text(&sides.run.sessions[0].facts[SESSION_COMPILER], "nvcc 1");
}

/* The metrics are those of the project, or one of them, and a computed run has all of them; so has the baseline, by
 * this collector. Without a collector neither has any. */
static void put_all_metrics(void)
{
    metrics_release(&sides.metrics);
    sides.metrics = (struct metrics){0};
    cr_assert_eq(metrics_read_folder(&sides.metrics, "metrics"), 0);
    run_forget_notes(&sides.base);
    run_forget_notes(&sides.run);
    if (word_count == 1)
        return;
    const bool is_computed = strcmp(word(1), "sim") == 0;
    if (word_count > 2) {
        struct metric *one = &sides.metrics.list[metrics_index(&sides.metrics, word(2))], first = *sides.metrics.list;
        *sides.metrics.list = *one;
        *one = first;
        metrics_cut(&sides.metrics, 1);
    }
    put_fact(&sides.base, SESSION_COLLECTOR, word(1));
    put_fact(&sides.run, SESSION_COLLECTOR, "sim");
    run_note_metrics(&sides.run, &sides.metrics);
    if (is_computed)
        run_note_metrics(&sides.base, &sides.metrics);
}

/* Three lines of a kernel, with what is counted of the first two; in the run outside of waits, and `waits` says that
 * it knows the second one as one. It may have another text. */
static void put_lines(void)
{
    struct run *run = side(1);
    const bool is_base = run == &sides.base;
    const enum line_counter counter = is_base ? LINE_INSTRUCTIONS : LINE_OUTSIDE_WAITS;
    static const char *const texts[] = {"work", "wait", "end"};
    const double counts[] = {number(word(3)), number(word(4)), 7};
    struct profile *profile = &kernel_of(run, 2)->profile;
    *profile = (struct profile){.counted = COUNTED(counter)};
    for (unsigned i = 0; i < ARRAY_SIZE(texts); i++) {
        struct profile_line *line = profile_add(profile, "f()", "k/a.cu", i + 1, 0);
        line->text = x_strdup(texts[i]);
        line->counts[counter] = counts[i];
    }
    struct profile_line *line = &profile->list[1];
    if (word_count > 5 && strcmp(word(5), "waits") == 0) {
        profile->counted |= COUNTED(LINE_WAITS);
        line->counts[LINE_WAITS] = 3;
    } else if (word_count > 5 && strcmp(word(5), "other") == 0) {
        line->file[0] = line->text[0] = 'x';
    }
}

DO(fail(void), result_fail(kernel_of(&sides.run, 1), result_status_named(word(2)), word(3)));
DO(fail_elsewhere(void), result_note_elsewhere(kernel_of(&sides.run, 1), word(2)));

static void take_sessions_from(void)
{
    struct row *row = row_of(&sides.base, 1);
    for (size_t i = 0; i < row->session_count; i++)
        row->sessions[i].session = whole(word(3)) + i;
}

static void put_drift_reference(void)
{
    struct row *row = row_of(&sides.base, 1);
    row->has_drift_reference = true;
    row->drift_reference = number(word(3));
}

static void stand_in(void)
{
    const struct result *result = kernel_of(&sides.base, 1);
    for (size_t i = 0; i < result->row_count; i++)
        result->rows[i].from_base_build |= word_count == 2 || strcmp(result->rows[i].metric, word(2)) == 0;
}

static void put_pairs(void)
{
    for (size_t i = 0; i < sides.run.result_count; i++)
        if (glob_any((char *[]){word(1)}, 1, sides.run.results[i].id))
            for (size_t count = whole(word(3)); count > 0; count--)
                row_add_pair(result_add(&sides.run.results[i], word(2)), number(word(4)), number(word(5)));
}

static void put_suite(void)
{
    for (size_t i = 0; i < whole(word(2)); i++) {
        OWNED_TEXT id = x_sprintf("%s/%02zu", word(1), i);
        put_sides(&sides, id, "time", 100000, 10, 100000 * number(word(3)), word_count > 6 ? 1 : 2);
        put_codes(&sides, id, known(word(4)), known(word(5)));
        if (word_count > 6)
            result_set_session(run_find(&sides.run, id), whole(word(6)));
    }
}

static void declare(void)
{
    NEED(known_regressions_read_text(&sides.known_regressions, "made_up.ini", word(1)) == 0, "%s", word(1));
}

DO(clear(void), row_clear(row_of(side(1), 2)));
DO(keep(void), run_filter(side(1), (char *[]){word(2)}, 1));

/* ---- What must come of it ---- */

static const struct comparison *compared(void)
{
    if (!is_compared)
        compare(&sides);
    is_compared = true;
    return &sides.comparison;
}

static void expect_judgement_number(const struct judgement *judgement, const char *key, double expected)
{
    const struct named_number numbers[] = {
        {"base", judgement->base},
        {"now", judgement->now},
        {"has_base", judgement->has_base},
        {"has_now", judgement->has_now},
        {"change", judgement->change},
        {"limit", judgement->limit},
        {"drift", judgement->drift},
        {"compared", judgement->compared},
        {"computed", judgement->computed},
        {"other_gpus", (double)judgement->other_gpus},
        {"suspect", judgement_is_suspect(judgement)},
        {"wants_pairs", judgement_wants_pairs(judgement)},
    };
    expect_number(numbers, ARRAY_SIZE(numbers), key, expected);
}

static void expect_judgement(void)
{
    const char *kernel = word(1), *metric = strcmp(word(2), "-") == 0 ? "" : word(2);
    const struct judgement *judgement = find(compared(), kernel, metric);
    const char *name = judgement ? verdict_name(judgement->verdict) : "none",
               *reason = judgement ? judgement->reason : NULL;
    CHECK(strcmp(name, word(3)) == 0, "%s, not %s: %s", name, word(3), reason ? reason : "no reason");
    for (size_t i = 4; judgement && i < word_count; i++) {
        char evidence[160], *const value = value_of(word(i));
        const char *key = word(i), *text = reason ? reason : "";
        if (strcmp(key, "says") == 0)
            CHECK(*value != '\0' && strstr(text, value), "it does not say \"%s\": %s", value, text);
        else if (strcmp(key, "lacks") == 0)
            CHECK(*value != '\0' && !strstr(text, value), "it says \"%s\": %s", value, text);
        else if (strcmp(key, "reason") == 0)
            CHECK(strcmp(text, value) == 0, "%s", text);
        else if (strcmp(key, "evidence") == 0)
            CHECK(strcmp(judgement_evidence(judgement, evidence, sizeof evidence), value) == 0, "%s", evidence);
        else
            expect_judgement_number(judgement, key, number(value));
    }
}

static void expect_exit(void)
{
    const enum exit_code code = comparison_exit_code(compared());
    CHECK(code == number(word(1)), "exit code %d", (int)code);
}

static void expect_exit_alone(void)
{
    const enum exit_code code = run_exit_code(&sides.run);
    CHECK(code == number(word(1)), "exit code %d of the run alone", (int)code);
}

static void expect_totals(void)
{
    enum { TOTALS = 20, BOTH = 2 * VERDICTS };
    static const struct suite none = {.shift = NAN};
    const struct comparison *is = compared();
    const struct suite *first = is->suite_count > 0 ? &is->suites[0] : &none,
                       *second = is->suite_count > 1 ? &is->suites[1] : &none;
    struct named_number totals[TOTALS + BOTH] = {
        {"judgements", (double)is->count},
        {"kernels", (double)is->kernels},
        {"rows", (double)comparison_rows(is)},
        {"notes", (double)is->note_count},
        {"gone", (double)is->gone},
        {"same_code", (double)is->same_code},
        {"computed_rows", (double)is->computing.rows},
        {"computed_kernels", (double)is->computing.kernels},
        {"unchanged", (double)is->computing.unchanged},
        {"unchanged_rows", (double)is->computing.unchanged_rows},
        {"not_simulated", (double)is->computing.not_simulated},
        {"declared", (double)is->computing.declared},
        {"absent", (double)is->computing.absent},
        {"suites", (double)is->suite_count},
        {"shift", first->shift},
        {"shift2", second->shift},
        {"witnesses", (double)first->kernels},
        {"witnesses2", (double)second->kernels},
        {"of_same_code", first->same_code},
        {"one_of_several", first->one_of_several},
    };
    char names[BOTH][32];
    for (size_t v = 0; v < BOTH; v++) {
        snprintf(names[v], sizeof names[v], "%s%s",
                 v < VERDICTS ? "" : "kernels:", verdict_name((enum verdict)(v % VERDICTS)));
        totals[TOTALS + v] =
            (struct named_number){names[v], (double)(v < VERDICTS ? is->counts[v] : is->kernel_counts[v % VERDICTS])};
    }
    expect_numbers(totals, ARRAY_SIZE(totals), 1);
}

static bool has_note(const char *words)
{
    return ANY(i, compared()->note_count, strstr(compared()->notes[i], words));
}

DO(expect_note(void), CHECK(has_note(word(1)), "no note says: %s", word(1)));
DO(expect_no_note(void), CHECK(!has_note(word(1)), "a note says: %s", word(1)));

static void expect_order(void)
{
    NEED(compared()->count == word_count - 1, "%zu judgements", compared()->count);
    for (size_t i = 1; i < word_count; i++)
        CHECK(strcmp(compared()->list[i - 1].kernel, word(i)) == 0, "%s comes before %s",
              compared()->list[i - 1].kernel, word(i));
}

static void show_only(void)
{
    compared();
    comparison_show_only(&sides.comparison, word(1), word(2));
}

static const struct case_command commands[] = {
    {"alone", expect_exit_alone, true},
    {"base", put_kernel, false},
    {"both", put_kernel, false},
    {"clear", clear, false},
    {"computed", compute, false},
    {"declare", declare, false},
    {"a_program", put_program, false},
    {"drift", put_drift_reference, false},
    {"elsewhere", fail_elsewhere, false},
    {"estimate", estimate, false},
    {"exit", expect_exit, true},
    {"expect", expect_judgement, true},
    {"facts", change_session, false},
    {"fail", fail, false},
    {"forget", forget_notes, false},
    {"from", take_sessions_from, false},
    {"keep", keep, false},
    {"knows", put_notes, false},
    {"lines", put_lines, false},
    {"metric", change_metric, false},
    {"metrics", put_all_metrics, false},
    {"note", change_note, false},
    {"of", put_kernel_sessions, false},
    {"order", expect_order, true},
    {"pairs", put_pairs, false},
    {"processors", put_processors, false},
    {"run", put_kernel, false},
    {"says", expect_note, true},
    {"session", put_session, false},
    {"show_only", show_only, true},
    {"silent", expect_no_note, true},
    {"stand_in", stand_in, false},
    {"suite", put_suite, false},
    {"total", expect_totals, true},
};

enum { MOST_COMMANDS = 12 };

static void begin(void)
{
    sides = set_up();
    is_compared = false;
}

DO(change(void), is_compared = false);
DO(end(void), tear_down(&sides));

struct fixture *compare_sides(void)
{
    return &sides;
}

void compare_cases_with(const char *path, const struct case_command *more, size_t count)
{
    struct case_command all[ARRAY_SIZE(commands) + MOST_COMMANDS];
    NEED(count <= MOST_COMMANDS, "%zu commands more", count);
    memcpy(all, commands, sizeof commands);
    for (size_t i = 0; i < count; i++)
        all[ARRAY_SIZE(commands) + i] = more[i];
    const struct language language = {all, ARRAY_SIZE(commands) + count, begin, change, end};
    try_cases(path, &language);
}

void compare_cases(const char *path)
{
    compare_cases_with(path, NULL, 0);
}
