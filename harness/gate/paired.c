#include "paired.h"

/* A row that is to be settled by pairs. */
struct paired_test {
    struct result *result;
    struct row *row;
    const struct metric *metric;
    bool over; /* the row is decided, or cannot be */
};

struct settling {
    const struct measurement *head;
    struct measurement base;
    const char *against;
    const struct run *run;
    struct pair_sessions *sessions;
    struct relay *relay;
    struct metrics metrics; /* the times and what they need; strings are borrowed */
    struct paired_test *tests;
    size_t count; /* number of rows; they are sorted by kernel, in the order of the run */
    size_t pair;  /* number of the pair that is being measured, from 1 */
};

static bool is_in_doubt(const struct comparison *comparison, const char *kernel, const struct metric *metric)
{
    EACH(const struct judgement, judgement, comparison->list, comparison->count)
        if (judgement->metric && strcmp(judgement->metric->name, metric->name) == 0 &&
            strcmp(judgement->kernel, kernel) == 0)
            return judgement_wants_pairs(judgement);
    return false;
}

static void choose_tests(struct settling *settling, const struct comparison *comparison, struct run *run)
{
    EACH(struct result, result, run->results, run->result_count) {
        for (size_t r = 0; r < result->row_count && result->status == RESULT_OK; r++) {
            struct row *row = &result->rows[r];
            const struct metric *metric = metrics_find(settling->head->metrics, row->metric);
            if (metric && metric->class == METRIC_TIME &&
                (comparison ? is_in_doubt(comparison, result->id, metric) : row->state == VALUE_MEASURED))
                *ARRAY_GROW(settling->tests, settling->count) = (struct paired_test){result, row, metric, false};
        }
    }
}

/* Lists the kernels that have an undecided row. Caller frees the list; its strings are the run's. */
static size_t kernels_left(const struct settling *settling, char ***ids)
{
    size_t count = 0;
    *ids = NULL;
    for (size_t i = 0; i < settling->count; i++) {
        char *id = settling->tests[i].result->id;
        if (!settling->tests[i].over && (count == 0 || (*ids)[count - 1] != id))
            *ARRAY_GROW(*ids, count) = id;
    }
    return count;
}

static bool is_session(const struct settling *settling, size_t turn)
{
    return turn / 2 < settling->sessions->wanted;
}

/* Returns how the given turn is measured. The order is ABBA, so the base build goes first in every other pair. */
static struct measurement measurement_of(const struct settling *settling, size_t turn)
{
    const bool is_base = turn % 4 == 0 || turn % 4 == 3;
    struct measurement measurement = is_base ? settling->base : *settling->head;
    measurement.metrics = is_session(settling, turn) ? settling->head->metrics : &settling->metrics;
    measurement.skip_unmatched = is_base;
    measurement.like = settling->run;
    measurement.relay = settling->relay;
    return measurement;
}

/* Measures one turn. Meanwhile the process of the next turn is started, unless the host's clock measures, which that
 * would disturb. It learns which kernels to measure when its turn comes. */
static int measure_turn(const struct settling *settling, size_t turn, struct run *side)
{
    OWNED_MEMORY char **ids = NULL;
    struct measurement measurement = measurement_of(settling, turn), next = measurement_of(settling, turn + 1);
    measurement.glob_count = next.glob_count = kernels_left(settling, &ids);
    measurement.globs = next.globs = ids;
    const bool on_gpu = measurement.backend->provides & PROVIDES_COUNTERS;
    measurement.next = on_gpu && turn + 1 < 2 * (size_t)RULE_PAIR_COUNT ? &next : NULL;
    OWNED_TEXT label = x_sprintf("pair %zu of at most %d, %zu kernel%s left", settling->pair, RULE_PAIR_COUNT,
                                 measurement.glob_count, plural(measurement.glob_count));
    measurement.label = label;
    return (is_session(settling, turn) ? measure_whole : measure_run)(&measurement, side);
}

/* Measures both sides of a pair. Returns other than 0 when the pair may lack kernels. */
static int measure_pair(const struct settling *settling, struct run *base, struct run *head)
{
    const size_t first = 2 * (settling->pair - 1);
    const bool base_first = settling->pair % 2 == 1;
    const int code = measure_turn(settling, first, base_first ? base : head);
    return code == EXIT_SAME ? measure_turn(settling, first + 1, base_first ? head : base) : code;
}

/* Ends the pairs of a kernel. why says why the base build could not settle its times, and is owned from here on. It is
 * NULL when there was nothing to settle. */
static void give_up(struct settling *settling, struct result *result, char *why)
{
    for (size_t i = 0; i < settling->count; i++)
        if (settling->tests[i].result == result)
            settling->tests[i].over = true;
    free(result->unpaired);
    result->unpaired = why;
}

/* Whether both sides of a pair ran the kernel. If one cannot, it gets no more pairs, and the reason is recorded. */
static bool both_ran(struct settling *settling, struct result *result, const struct result *base,
                     const struct result *head, bool whole)
{
    if (head && head->status != RESULT_OK) {
        result_fail(result, head->status, head->reason);
        give_up(settling, result, NULL);
    } else if (!base && whole) {
        warning("%s is not in %s, so its time cannot be decided by pairs of runs", result->id, settling->against);
        give_up(settling, result, NULL);
    } else if (base && base->status != RESULT_OK) {
        give_up(settling, result,
                x_sprintf("the base build's result was \"%s\" (%s)", result_status_name(base->status),
                          base->reason ? base->reason : "unknown reason"));
    } else {
        return base && head;
    }
    return false;
}

/* Whether both sides had the same clock: otherwise a pair compares clocks instead of code. */
static bool same_clock(const struct metric *metric, const struct result *base, const struct result *head)
{
    const struct row *base_clock = result_measured(base, metric->clock);
    const struct row *head_clock = result_measured(head, metric->clock);
    return !base_clock || !head_clock ||
           fabs(row_value(head_clock) - row_value(base_clock)) <= RULE_CLOCK * row_value(base_clock);
}

static void add_pair(struct paired_test *test, const struct result *base, const struct result *head)
{
    const struct row *base_row = result_measured(base, test->metric->name);
    const struct row *head_row = result_measured(head, test->metric->name);
    if (!base_row || !head_row) {
        free(test->result->unpaired);
        test->result->unpaired =
            x_sprintf("%s was not measured in the %s build", test->metric->name, base_row ? "new" : "base");
        test->over = true;
    } else if (same_clock(test->metric, base, head)) {
        const double head_value = row_value(head_row);
        row_add_pair(test->row, row_value(base_row), head_value);
        if (test->row->state != VALUE_MEASURED) /* an elapsed time where too much was counted */
            row_add_session(test->row, &head_value, 1);
        test->over = rule_pairs(test->row, test->metric, NULL, NULL) != PAIRED_UNDECIDED;
    }
}

/* Adds a pair to each undecided row. whole says that neither run was interrupted. */
static void take_pair(struct settling *settling, const struct run *base, const struct run *head, bool whole)
{
    EACH(struct paired_test, test, settling->tests, settling->count) {
        if (test->over)
            continue;
        const struct result *base_result = run_find(base, test->result->id);
        const struct result *head_result = run_find(head, test->result->id);
        if (both_ran(settling, test->result, base_result, head_result, whole))
            add_pair(test, base_result, head_result);
    }
}

/* Hands the runs of a pair to the caller, if they are sessions; else releases them. */
static void keep_pair(const struct settling *settling, struct run *base, struct run *head, bool whole)
{
    struct pair_sessions *sessions = settling->sessions;
    if (whole && sessions->count < sessions->wanted) {
        sessions->base[sessions->count] = *base;
        sessions->head[sessions->count++] = *head;
        *base = *head = (struct run){0};
    }
    run_release(base);
    run_release(head);
}

static size_t tests_left(const struct settling *settling)
{
    size_t left = 0;
    for (size_t i = 0; i < settling->count; i++)
        left += !settling->tests[i].over;
    return left;
}

int paired_run(const struct measurement *head, const char *against, const struct run *baseline,
               const struct comparison *comparison, struct pair_sessions *sessions, struct run *run)
{
    struct program program;
    struct settling settling = {.head = head,
                                .base = measurement_of_base(head, against, baseline, &program),
                                .against = against,
                                .run = run,
                                .sessions = sessions};
    struct relay *own = head->relay ? NULL : relay_make();
    settling.relay = own ? own : head->relay;
    choose_tests(&settling, comparison, run);
    for (size_t i = 0; i < settling.count; i++)
        metrics_need(&settling.metrics, head->metrics, settling.tests[i].metric->name);

    int code = EXIT_SAME;
    for (settling.pair = 1; settling.pair <= RULE_PAIR_COUNT && code == EXIT_SAME && tests_left(&settling) > 0;
         settling.pair++) {
        struct run base_run = {0}, head_run = {0};
        code = measure_pair(&settling, &base_run, &head_run);
        take_pair(&settling, &base_run, &head_run, code == EXIT_SAME);
        keep_pair(&settling, &base_run, &head_run, code == EXIT_SAME);
    }
    relay_forget(settling.relay);
    relay_release(own);
    free(settling.tests);
    free(settling.metrics.list);
    return code;
}
