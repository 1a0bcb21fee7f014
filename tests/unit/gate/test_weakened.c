/* Tests notes about what a change takes away from the gate, and that there are none if it takes nothing. */
#include "baseline/baseline.h"
#include "compare_cases.h"
#include "compare_support.h"
#include "gate/weakened.h"

/* The base is the baseline before the change, and the run is the one behind it, with these. */
static struct metrics metrics;
static struct known_regressions known_regressions;

static struct result *kernel_now(const char *kernel)
{
    struct result *result = run_find(&compare_sides()->run, kernel);
    NEED(result, "there is no %s", kernel);
    return result;
}

/* The same twice: k/a has ten sessions of time and three of count. */
static void begin_alike(void)
{
    struct fixture *sides = compare_sides();
    for (int is_now = 0; is_now < 2; is_now++) {
        struct run *run = is_now ? &sides->run : &sides->base;
        for (int i = 0; i < 10; i++)
            put(run, "k/a", "time", 100000 + 100 * i);
        put_times(run, "k/a", "count", 7, 3);
        put(run, "k/b", "count", 1);
        put_state(run, "k/b", "share", VALUE_NOT_APPLICABLE);
        struct row *time = made_row(run, "k/a", "time");
        time->has_drift_reference = true;
        time->drift_reference = 100000;
    }
    struct fixture other = set_up();
    metrics = other.metrics;
    other.metrics = (struct metrics){0};
    tear_down(&other);
}

/* Replaces a row, as accepting a session of this value does. */
static void replace(void)
{
    struct result *result = kernel_now("k/a");
    struct row *row = result_find(result, word(1));
    const bool has_drift_reference = row->has_drift_reference;
    const double drift_reference = row->drift_reference, value = number(word(2));
    row_clear(row);
    row->has_drift_reference = has_drift_reference;
    row->drift_reference = drift_reference;
    row_add_session(row, &value, 1);
    row->sessions[0].session = result->session_count;
    ARRAY_GROW(result->sessions, result->session_count)->facts[SESSION_REASON] =
        x_strdup(strcmp(word(3), "-") == 0 ? NULL : word(3));
}

DO(remove_row(void), NEED(result_remove(kernel_now(word(1)), word(2)), "there is no %s", word(2)));
DO(move_anchor(void), result_find(kernel_now("k/a"), "time")->drift_reference = number(word(1)));

static void put_inputs(void)
{
    struct result *was = run_find(&compare_sides()->base, "k/a"), *now = kernel_now("k/a");
    set_text(&was->inputs, known(word(1)));
    set_text(&now->inputs, known(word(2)));
    put_code(&compare_sides()->base, "k/a", "1");
    put_code(&compare_sides()->run, "k/a", word(3));
}

static void define(void)
{
    struct metric *metric = &metrics.list[metrics_index(&metrics, word(1))];
    char *const value = value_of(word(2));
    if (strcmp(word(2), "floor") == 0)
        metric->floor_relative = number(value);
    else if (strcmp(word(2), "better") == 0)
        metric->better = strcmp(value, "higher") == 0 ? METRIC_HIGHER : METRIC_LOWER;
    else if (strcmp(word(2), "follows") == 0)
        metric->follows = whole(value) != 0;
    else if (strcmp(word(2), "trades") == 0)
        metric->never_paid = whole(value) == 0;
    else
        metric->name[0] = *value;
}

DO(excuse(void), NEED(known_regressions_read_text(&known_regressions, "now", word(1)) == 0, "%s", word(1)));

/* Expects these notes in order, each by some of its words. */
static void expect_notes(void)
{
    struct fixture *sides = compare_sides();
    const struct standards was = {&sides->metrics, &sides->base, &sides->known_regressions},
                           now = {&metrics, &sides->run, &known_regressions};
    OWNED(comparison) comparison = {0};
    weakened_note(&comparison, &was, &now);
    CHECK(comparison.note_count == word_count - 1, "%zu notes", comparison.note_count);
    for (size_t i = 0; i < comparison.note_count; i++)
        CHECK(i + 1 < word_count && strstr(comparison.notes[i], word(i + 1)), "note %zu: %s", i, comparison.notes[i]);
    metrics_release(&metrics);
    known_regressions_release(&known_regressions);
    metrics = (struct metrics){0};
    known_regressions = (struct known_regressions){0};
}

Test(weakened, cases)
{
    static const struct case_command commands[] = {
        {"alike", begin_alike, false},  {"instead", replace, false},     {"remove", remove_row, false},
        {"anchor", move_anchor, false}, {"inputs", put_inputs, false},   {"define", define, false},
        {"excuse", excuse, false},      {"weakens", expect_notes, true},
    };
    compare_cases_with("tests/unit/gate/weakened.txt", commands, ARRAY_SIZE(commands));
}
