/* Tests comparisons by the cases of text files beside this one, and by functions what those cannot say.
 *
 * A case is what a baseline and a run have, line by line, and what must come of it. Behind its lines it may have rows,
 * whose cells take the places of $1 to $9: then it is tried once a row. A line behind ?3 is for rows whose third cell
 * is not empty, and one behind !3 for the others. Each word may be in quotes, with \n and \". The words:
 *
 *   case WORDS                             begins one; the metrics are those of compare_support.h
 *   a_program TIME                         what most cases of judge_program.txt begin with
 *   metric NAME CLASS ASKED                changes one: its class, and whether it was asked for (0 or 1)
 *   note SIDE METRIC KEY=TEXT...           changes how a side defines it: counter, unit, name, class
 *   forget SIDE                            it has no definitions
 *   computed                               the run is computed: it has exact and static metrics; both have sessions
 *   base|run|both KERNEL [KEY=VALUE]...   adds to a kernel; a->b is another value in the run than in the baseline.
 *                                          KEY is a metric, with samples of sessions (7/7,8,7/9*3) or a state (not
 *                                          counted: why); or one of put_property(); code=HASH adds a launch
 *   elsewhere KERNEL HOW                   the run's kernel failed on another GPU; `fail KERNEL STATUS WHY`: on this
 * one session SIDE [FACT=TEXT]...            adds a session of a side; `facts`: of the last one; nothing or -: not
 * known of KERNEL [FACT=TEXT]...               adds a session to a kernel of the baseline from KERNEL METRIC NUMBER its
 * sessions in the baseline are those from that one on drift KERNEL METRIC VALUE              its drift reference;
 * `stand_in KERNEL METRIC`: it is of a base build pairs GLOB METRIC COUNT BASE HEAD      adds pairs to kernels of the
 * run suite FAMILY COUNT FACTOR BASE RUN [NUMBER]  kernels that take 100000 ns, and longer by a factor; codes; session
 * declare TEXT                           known regressions clear SIDE KERNEL METRIC, keep SIDE GLOB expect KERNEL
 * METRIC VERDICT [KEY=VALUE]...  of a row, or of a kernel if METRIC is -; `none`: there is none. KEY is one of
 * judgement_numbers(), reason (none if empty), says, lacks, evidence exit CODE, alone CODE                  of the
 * comparison; of the run alone total KEY=NUMBER... of totals(), or a verdict: how many rows have it; kernels:VERDICT
 * says TEXT, silent TEXT                 a note has these words, or none has order KERNEL...                        of
 * all judgements show_only DRAWN WHY                    kernels with that in their name are no more judged
 */
#include "baseline/baseline.h"
#include "compare_support.h"
#include "test.h"

#include <ctype.h>

enum { MOST_WORDS = 32, MOST_LINES = 64, MOST_CELLS = 9 };

/* The case, and the line that is executed. */
static struct {
    const char *path, *name;
    char *cells[MOST_CELLS + 1];
    size_t row;  /* line of the file */
    size_t line; /* of the file */
    struct fixture fixture;
    bool compared;
    char *words[MOST_WORDS];
    size_t count;
} at;

static const char *where(void)
{
    static char text[256];
    snprintf(text, sizeof text, "%s:%zu (row %zu): %s", at.path, at.line, at.row, at.name);
    return text;
}

#define CHECK(condition, format, ...) cr_expect(condition, "%s: " format, where(), __VA_ARGS__)
#define NEED(condition, format, ...) cr_assert(condition, "%s: " format, where(), __VA_ARGS__)

/* ---- Words ---- */

static const char *word(size_t i)
{
    NEED(i < at.count, "a word is missing behind %s", at.words[at.count - 1]);
    return at.words[i];
}

static double number(const char *text)
{
    char *end;
    const double value = strtod(text, &end);
    NEED(end > text && *end == '\0', "%s is no number", text);
    return value;
}

static size_t whole(const char *text)
{
    return (size_t)number(text);
}

/* Text that is not known is empty or a hyphen. */
static const char *known(const char *text)
{
    return *text == '\0' || strcmp(text, "-") == 0 ? NULL : text;
}

/* Returns the text without blanks around it, of which it cuts off those behind. */
static char *trimmed(char *text)
{
    text += strspn(text, " \t");
    size_t length = strlen(text);
    while (length > 0 && strchr(" \t", text[length - 1]))
        length--;
    text[length] = '\0';
    return text;
}

/* Cuts a word in two at its =. Returns what is behind it. */
static char *value_of(char *key)
{
    char *value = strchr(key, '=');
    NEED(value, "%s has no value", key);
    *value = '\0';
    return value + 1;
}

/* Returns the place of a text among names, which must have it. */
#define PLACE(place, name_of, count)                                                                                   \
    while ((place) < (count) && strcmp(name_of(place), text) != 0)                                                     \
        (place)++;                                                                                                     \
    NEED((place) < (count), "there is no %s", text);                                                                   \
    return place

static enum value_state value_state_named(const char *text)
{
    enum value_state state = 0;
    PLACE(state, value_state_name, VALUE_STATES);
}

static enum result_status result_status_named(const char *text)
{
    enum result_status status = 0;
    PLACE(status, result_status_name, RESULT_STATUSES);
}

static enum session_fact session_fact_named(const char *text)
{
    enum session_fact fact = 0;
    PLACE(fact, session_fact_name, SESSION_FACTS);
}

static struct run *side(size_t i)
{
    const bool is_base = strcmp(word(i), "base") == 0;
    NEED(is_base || strcmp(word(i), "run") == 0, "%s is no side", word(i));
    return is_base ? &at.fixture.base : &at.fixture.run;
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

/* Samples 7 or 7,8,7, and *3 behind for three such sessions, with / between sessions; or a state and its reason. */
static void put_values(struct result *result, const char *metric, char *text)
{
    if (*text == '\0')
        return;
    struct row *row = result_add(result, metric);
    if (isalpha((unsigned char)*text)) {
        char *const colon = strchr(text, ':'), *const end = colon ? colon : strchr(text, '\0');
        const char *reason = colon ? colon + 1 + strspn(colon + 1, " ") : "";
        *end = '\0';
        row_clear(row);
        row->state = value_state_named(text);
        set_text(&row->reason, known(reason));
        return;
    }
    for (char *end = text - 1; end < text || *end == '/';) {
        double samples[16];
        size_t count = 0;
        do {
            char *const begin = end + 1;
            samples[count++] = strtod(begin, &end);
            NEED(end > begin && count < ARRAY_SIZE(samples), "%s is no list of sessions", text);
        } while (*end == ',');
        for (size_t times = *end == '*' ? strtoul(end + 1, &end, 10) : 1; times > 0; times--)
            row_add_session(row, samples, count);
        NEED(strchr("/", *end), "%s is no list of sessions", text);
    }
}

static void put_property(struct result *result, const char *key, char *value)
{
    static const char *const of_launch[] = {"grid", "block", "shared", "times", "function"};
    const size_t part = name_index(key, of_launch, ARRAY_SIZE(of_launch));
    struct launch *launch = result->launch_count > 0 ? &result->launches[result->launch_count - 1] : NULL;
    if (part < ARRAY_SIZE(of_launch) - 1) {
        unsigned *const parts[] = {&launch->grid[2], &launch->block[0], &launch->shared, &launch->times};
        *parts[part] = (unsigned)whole(value);
    } else if (part < ARRAY_SIZE(of_launch)) {
        set_text(&launch->function, value);
    } else if (strcmp(key, "status") == 0) {
        result->status = result_status_named(value);
    } else if (strcmp(key, "reason") == 0) {
        set_text(&result->reason, known(value));
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
        struct run *run = is_run ? &at.fixture.run : &at.fixture.base;
        run_add(run, word(1));
        for (size_t i = 2; i < at.count; i++) {
            OWNED_TEXT key = x_strdup(at.words[i]);
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
    struct metric *metric = &at.fixture.metrics.list[metrics_index(&at.fixture.metrics, word(1))];
    metric->class = metric_class_of(word(2));
    metric->asked = whole(word(3)) != 0;
}

static void change_note(void)
{
    struct run *run = side(1);
    const struct metric_note *is = run_find_note(run, word(2));
    struct metric_note note = is ? *is : (struct metric_note){.name = NULL};
    NEED(is, "%s has no note", word(2));
    for (size_t i = 3; i < at.count; i++) {
        char *const value = value_of(at.words[i]);
        if (strcmp(at.words[i], "class") == 0)
            note.class = metric_class_of(value);
        else if (strcmp(at.words[i], "judged") == 0)
            note.judged = whole(value) != 0;
        else
            *(strcmp(at.words[i], "name") == 0   ? &note.name
              : strcmp(at.words[i], "unit") == 0 ? &note.unit
                                                 : &note.counter) = value;
    }
    run_set_note(run, &note);
}

static void forget_notes(void)
{
    run_forget_notes(side(1));
}

static void put_facts(struct session *session, size_t from)
{
    for (size_t i = from; i < at.count; i++) {
        const char *const value = known(value_of(at.words[i]));
        set_text(&session->facts[session_fact_named(at.words[i])], value);
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
    struct result *result = kernel_of(&at.fixture.base, 1);
    for (size_t i = 0; i < whole(word(2)); i++) {
        OWNED_TEXT text = x_strdup(word(3));
        const enum session_fact fact = (value_of(text), session_fact_named(text));
        const char *const value = strchr(word(3), '=') + 1, *const place = strchr(value, '%');
        ARRAY_GROW(result->sessions, result->session_count)->facts[fact] =
            place ? x_sprintf("%.*s%zu", (int)(place - value), value, i) : x_strdup(value);
    }
}

/* Two sessions of a program that launches a/kept; in the baseline a/old as well, and in the run a/fresh. The time of
 * all launches is 5,000 ns in the baseline. */
static void put_program(void)
{
    struct run *base = &at.fixture.base, *run = &at.fixture.run;
    put_fact(base, SESSION_COLLECTOR, "exec");
    put_fact(run, SESSION_COLLECTOR, "exec");
    put_sides(&at.fixture, "a/kept@1,32", "launches", 10, 3, 20, 1);
    put_times(base, "a/old@1,32", "launches", 4, 3);
    put_times(base, "a/old@1,32", "time", 1e6, 3);
    put(run, "a/fresh@1,32", "launches", 1);
    put(run, "a/fresh@1,32", "time", 2e6);
    put_sides(&at.fixture, "a/program", "launches", 14, 3, 21, 1);
    put_sides(&at.fixture, "a/program", "time", 5e6, 3, number(word(1)), 1);
}

/* The run has all counts and static facts, and no time. */
static void compute(void)
{
    run_forget_notes(&at.fixture.run);
    for (size_t i = 0; i < at.fixture.metrics.count; i++) {
        const struct metric_note note = note_of_metric(&at.fixture.metrics.list[i]);
        if (note.class == METRIC_EXACT || note.class == METRIC_STATIC)
            run_set_note(&at.fixture.run, &note);
    }
    put_fact(&at.fixture.base, SESSION_COLLECTOR, "cupti");
    set_text(&at.fixture.base.sessions[0].facts[SESSION_COMPILER], "nvcc 1");
    put_fact(&at.fixture.run, SESSION_COLLECTOR, "sim");
    set_text(&at.fixture.run.sessions[0].facts[SESSION_COMPILER], "nvcc 1");
}

static void fail(void)
{
    result_fail(kernel_of(&at.fixture.run, 1), result_status_named(word(2)), word(3));
}

static void fail_elsewhere(void)
{
    result_note_elsewhere(kernel_of(&at.fixture.run, 1), word(2));
}

static void take_sessions_from(void)
{
    struct row *row = row_of(&at.fixture.base, 1);
    for (size_t i = 0; i < row->session_count; i++)
        row->sessions[i].session = whole(word(3)) + i;
}

static void put_drift_reference(void)
{
    struct row *row = row_of(&at.fixture.base, 1);
    row->has_drift_reference = true;
    row->drift_reference = number(word(3));
}

static void stand_in(void)
{
    row_of(&at.fixture.base, 1)->from_base_build = true;
}

static void put_pairs(void)
{
    for (size_t i = 0; i < at.fixture.run.result_count; i++)
        if (glob_any(&at.words[1], 1, at.fixture.run.results[i].id))
            for (size_t count = whole(word(3)); count > 0; count--)
                row_add_pair(result_add(&at.fixture.run.results[i], word(2)), number(word(4)), number(word(5)));
}

static void put_suite(void)
{
    for (size_t i = 0; i < whole(word(2)); i++) {
        OWNED_TEXT id = x_sprintf("%s/%02zu", word(1), i);
        put_sides(&at.fixture, id, "time", 100000, 10, 100000 * number(word(3)), at.count > 6 ? 1 : 2);
        put_codes(&at.fixture, id, known(word(4)), known(word(5)));
        if (at.count > 6)
            result_set_session(run_find(&at.fixture.run, id), whole(word(6)));
    }
}

static void declare(void)
{
    NEED(known_regressions_read_text(&at.fixture.known_regressions, "made_up.ini", word(1)) == 0, "%s", word(1));
}

static void clear(void)
{
    row_clear(row_of(side(1), 2));
}

static void keep(void)
{
    run_filter(side(1), &at.words[2], 1);
}

/* ---- What must come of it ---- */

static const struct comparison *compared(void)
{
    if (!at.compared)
        compare(&at.fixture);
    at.compared = true;
    return &at.fixture.comparison;
}

struct named_number {
    const char *name;
    double value;
};

static void expect_number(const struct named_number *numbers, size_t count, const char *key, double expected)
{
    size_t i = 0;
    while (i < count && strcmp(numbers[i].name, key) != 0)
        i++;
    NEED(i < count, "%s is no number", key);
    CHECK(fabs(numbers[i].value - expected) <= 1e-9 * fabs(expected), "%s is %.17g, not %.17g", key, numbers[i].value,
          expected);
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
    for (size_t i = 4; judgement && i < at.count; i++) {
        char evidence[160], *const value = value_of(at.words[i]);
        const char *key = at.words[i], *text = reason ? reason : "";
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
    const enum exit_code code = run_exit_code(&at.fixture.run);
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
    for (size_t i = 1; i < at.count; i++) {
        const double expected = number(value_of(at.words[i]));
        expect_number(totals, ARRAY_SIZE(totals), at.words[i], expected);
    }
}

static bool has_note(const char *words)
{
    for (size_t i = 0; i < compared()->note_count; i++)
        if (strstr(compared()->notes[i], words))
            return true;
    return false;
}

static void expect_note(void)
{
    CHECK(has_note(word(1)), "no note says: %s", word(1));
}

static void expect_no_note(void)
{
    CHECK(!has_note(word(1)), "a note says: %s", word(1));
}

static void expect_order(void)
{
    NEED(compared()->count == at.count - 1, "%zu judgements", compared()->count);
    for (size_t i = 1; i < at.count; i++)
        CHECK(strcmp(compared()->list[i - 1].kernel, word(i)) == 0, "%s comes before %s",
              compared()->list[i - 1].kernel, word(i));
}

static const char *drawn;

static bool is_drawn(const char *kernel)
{
    return strstr(kernel, drawn) != NULL;
}

static void show_only(void)
{
    drawn = word(1);
    compared();
    comparison_show_only(&at.fixture.comparison, is_drawn, word(2));
}

/* ---- Cases ---- */

static const struct command {
    const char *name;
    void (*run)(void);
    bool looks; /* and changes nothing */
} commands[] = {
    {"alone", expect_exit_alone, true},
    {"base", put_kernel, false},
    {"both", put_kernel, false},
    {"clear", clear, false},
    {"computed", compute, false},
    {"declare", declare, false},
    {"a_program", put_program, false},
    {"drift", put_drift_reference, false},
    {"elsewhere", fail_elsewhere, false},
    {"exit", expect_exit, true},
    {"expect", expect_judgement, true},
    {"facts", change_session, false},
    {"fail", fail, false},
    {"forget", forget_notes, false},
    {"from", take_sessions_from, false},
    {"keep", keep, false},
    {"metric", change_metric, false},
    {"note", change_note, false},
    {"of", put_kernel_sessions, false},
    {"order", expect_order, true},
    {"pairs", put_pairs, false},
    {"run", put_kernel, false},
    {"says", expect_note, true},
    {"session", put_session, false},
    {"show_only", show_only, true},
    {"silent", expect_no_note, true},
    {"stand_in", stand_in, false},
    {"suite", put_suite, false},
    {"total", expect_totals, true},
};

/* Puts cells in the places of $1 to $9. Caller frees. */
static char *filled(const char *line)
{
    PRINT(
        char *, text, stream, for (const char *p = line; *p; p++) {
            const size_t cell = *p == '$' && p[1] >= '1' && p[1] <= '9' ? (size_t)(p[1] - '1') : MOST_CELLS;
            NEED(cell == MOST_CELLS || at.cells[cell], "there is no cell %zu", cell + 1);
            if (cell == MOST_CELLS)
                fputc(*p, stream);
            else
                fputs(at.cells[cell], stream);
            p += cell < MOST_CELLS;
        });
    return text;
}

/* Cuts a line into words, in place. Quotes may be within a word. */
static void split(char *line)
{
    at.count = 0;
    for (char *from = line; *(from += strspn(from, " ")) != '\0';) {
        char *to = from;
        bool quoted = false;
        NEED(at.count < MOST_WORDS, "more than %d words", MOST_WORDS);
        at.words[at.count++] = to;
        for (; *from != '\0' && (quoted || *from != ' '); from++) {
            if (*from == '"')
                quoted = !quoted;
            else if (*from == '\\')
                *to++ = *++from == 'n' ? '\n' : *from;
            else
                *to++ = *from;
        }
        NEED(!quoted, "%s has no end", at.words[at.count - 1]);
        from += *from != '\0';
        *to = '\0';
    }
}

static void execute(const char *line)
{
    if (*line == '?' || *line == '!') {
        const size_t cell = (size_t)(line[1] - '1');
        NEED(cell < MOST_CELLS && at.cells[cell], "there is no cell of %s", line);
        if ((*at.cells[cell] != '\0') != (*line == '?'))
            return;
        line += 2;
    }
    OWNED_TEXT text = filled(line);
    split(text);
    size_t i = 0;
    while (i < ARRAY_SIZE(commands) && (at.count == 0 || strcmp(commands[i].name, at.words[0]) != 0))
        i++;
    NEED(i < ARRAY_SIZE(commands), "what is %s?", line);
    at.compared &= commands[i].looks;
    commands[i].run();
}

struct line {
    char *text;
    size_t number;
};

/* Tries the lines with the cells of a row; without a row as they are. */
static void try_row(const struct line *lines, size_t count, const struct line *row)
{
    static const struct fixture none;
    OWNED_TEXT text = x_strdup(row ? row->text : "");
    memset(at.cells, 0, sizeof at.cells);
    at.row = row ? row->number : 0;
    char *rest = text;
    for (size_t i = 0; row && i < MOST_CELLS; i++) {
        char *cell = strsep(&rest, "|");
        at.cells[i] = cell ? trimmed(cell) : NULL;
    }
    at.fixture = set_up();
    at.compared = false;
    for (size_t i = 0; i < count; i++) {
        at.line = lines[i].number;
        execute(lines[i].text);
    }
    tear_down(&at.fixture);
    at.fixture = none;
}

static void try_cases(const char *path)
{
    struct line lines[MOST_LINES];
    size_t count = 0, tried = 0, rows = 0, length;
    OWNED_TEXT text;
    cr_assert_eq(file_read(path, 1 << 20, &text, &length), 0);
    at.path = path;
    char *rest = text;
    for (size_t n = 1; rest; n++) {
        char *line = strsep(&rest, "\n"), *const remark = strstr(line, " # ");
        if (remark)
            *remark = '\0';
        line = trimmed(line);
        at.line = n;
        if (strncmp(line, "case ", 5) == 0 || !rest) {
            if (count > 0 && rows == 0)
                try_row(lines, count, NULL);
            tried += count > 0;
            count = rows = 0;
            at.name = line;
        } else if (*line == '|') {
            rows++;
            try_row(lines, count, &(struct line){line + 1, n});
        } else if (*line != '\0' && *line != '#') {
            NEED(count < MOST_LINES && rows == 0, "this line belongs to no case: %s", line);
            lines[count++] = (struct line){line, n};
        }
    }
    cr_assert_gt(tried, 0, "%s has no case", path);
}

#define CASES_OF(suite)                                                                                                \
    Test(suite, cases)                                                                                                 \
    {                                                                                                                  \
        try_cases("tests/unit/judge/" #suite ".txt");                                                                  \
    }
CASES_OF(compare)
CASES_OF(judge_program)
CASES_OF(judge_revise)
CASES_OF(judge_row)
CASES_OF(judge_sides)
CASES_OF(judge_suite)
CASES_OF(judge_toolchain)

Test(compare, exit_codes_have_a_precedence)
{
    static const struct {
        size_t missing, regressed, unsure, new, improved;
        enum exit_code code;
    } rows[] = {
        {0, 0, 0, 0, 0, EXIT_SAME},      {0, 0, 0, 3, 4, EXIT_SAME},         {0, 0, 1, 3, 4, EXIT_UNSURE},
        {0, 1, 1, 0, 9, EXIT_REGRESSED}, {1, 9, 9, 9, 9, EXIT_NOT_MEASURED}, {0, 0, 0, 100, 0, EXIT_BASELINE},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const struct comparison comparison = {
            .count = 100,
            .counts = {[VERDICT_MISSING] = rows[i].missing,
                       [VERDICT_REGRESSED] = rows[i].regressed,
                       [VERDICT_UNSURE] = rows[i].unsure,
                       [VERDICT_NEW] = rows[i].new,
                       [VERDICT_IMPROVED] = rows[i].improved},
        };
        cr_expect_eq(comparison_exit_code(&comparison), rows[i].code, "row %zu", i);
    }
}

Test(compare, hostile_values_yield_finite_verdicts)
{
    static const double values[] = {0, 1, 0x1p53, 0x1p63, 1.7e308};
    for (size_t b = 0; b < ARRAY_SIZE(values); b++)
        for (size_t n = 0; n < ARRAY_SIZE(values); n++) {
            static const char *const names[] = {"count", "share", "time"};
            AT_END(tear_down) struct fixture fixture = set_up();
            for (size_t m = 0; m < ARRAY_SIZE(names); m++) {
                put_each(&fixture, "a/b", names[m], values[b], values[n]);
            }
            const struct comparison *comparison = compare(&fixture);
            for (size_t i = 0; i < comparison->count; i++) {
                const struct judgement *judgement = &comparison->list[i];
                cr_expect(isfinite(judgement->change) && isfinite(judgement->limit));
                cr_expect_eq(judgement->verdict == VERDICT_SAME, fabs(judgement->change) <= judgement->limit);
            }
        }
}

Test(compare, every_verdict_has_a_name_of_its_own)
{
    for (int i = 0; i < VERDICTS; i++)
        for (int j = 0; j < i; j++)
            cr_expect_str_neq(verdict_name((enum verdict)i), verdict_name((enum verdict)j));
}

Test(compare, counts_of_another_compiler_s_code_are_told)
{
    static const struct {
        const char *was, *is, *base_code, *code;
        bool computed, other;
    } rows[] = {
        {"nvcc 1", "nvcc 2", "f00d", "beef", true, true},   {"nvcc 1", "nvcc 2", "f00d", "f00d", true, false},
        {"nvcc 1", "nvcc 1", "f00d", "beef", true, false},  {"nvcc 1", NULL, "f00d", "beef", true, false},
        {"nvcc 1", "nvcc 2", "f00d", "beef", false, false},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        AT_END(tear_down) struct fixture fixture = set_up();
        put_fact(&fixture.base, SESSION_COLLECTOR, "cupti");
        put_fact(&fixture.run, SESSION_COLLECTOR, rows[i].computed ? "sim" : "cupti");
        set_text(&fixture.base.sessions[0].facts[SESSION_COMPILER], rows[i].was);
        set_text(&fixture.run.sessions[0].facts[SESSION_COMPILER], rows[i].is);
        put_each(&fixture, "a/b", "count", 7, 7);
        put_codes(&fixture, "a/b", rows[i].base_code, rows[i].code);
        const char *other = compare_other_counts(&fixture.base, run_find(&fixture.base, "a/b"), &fixture.run,
                                                 run_find(&fixture.run, "a/b"));
        cr_expect(rows[i].other ? other && strcmp(other, rows[i].is) == 0 : !other, "row %zu: %s", i, other);
        const struct judgement *whole = find(compare(&fixture), "a/b", "");
        cr_expect_eq(whole != NULL, rows[i].other, "row %zu", i);
        cr_expect(!whole || (whole->verdict == VERDICT_UNSURE && says(whole, "the baseline by nvcc 1")));
    }
}
