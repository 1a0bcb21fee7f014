/* Q1: exact counters; and what else the pairs of recorded sessions say. */
#include "selftest.h"

#define READINGS 3000 /* fewer say too little */

static bool repeats(const struct row *row)
{
    return row && row->state == VALUE_MEASURED && row_equal_readings(row) > 0;
}

static bool is_exact(const struct selftest *selftest, const struct row *row)
{
    const struct metric *metric = metrics_find(&selftest->metrics, row->metric);
    return metric && metric->class == METRIC_EXACT;
}

/* Readings of exact rows that repeat in both sessions. */
static size_t exact_readings(const struct selftest *selftest, const struct run *base, const struct run *now)
{
    size_t readings = 0;
    for (size_t i = 0; i < now->result_count; i++) {
        const struct result *was = run_find(base, now->results[i].id);
        for (size_t r = 0; was && r < now->results[i].row_count; r++) {
            const struct row *row = &now->results[i].rows[r];
            if (is_exact(selftest, row) && repeats(row) && repeats(result_find(was, row->metric)))
                readings += row_equal_readings(row);
        }
    }
    return readings;
}

/* Flags of exact rows that repeat in both sessions. */
static size_t exact_flags(const struct comparison *comparison, const struct run *base, const struct run *now)
{
    size_t flags = 0;
    EACH(const struct judgement, judgement, comparison->list, comparison->count) {
        if (!judgement->compared || judgement->metric->class != METRIC_EXACT || judgement->verdict == VERDICT_SAME)
            continue;
        flags += repeats(result_find(run_find(base, judgement->kernel), judgement->metric->name)) &&
                 repeats(result_find(run_find(now, judgement->kernel), judgement->metric->name));
    }
    return flags;
}

static void add_flags(struct flags *sum, struct flags more)
{
    sum->judged += more.judged;
    sum->worse += more.worse;
    sum->improved += more.improved;
}

void q1_pairs(struct selftest *selftest)
{
    size_t pairs = 0, passes = 0, flagged = 0, readings = 0;
    struct flags flags[METRIC_CLASSES] = {{0}};
    for (size_t b = 0; b < selftest->session_count; b++)
        for (size_t n = 0; n < selftest->session_count; n++) {
            const struct run *base = &selftest->sessions[b].run, *now = &selftest->sessions[n].run;
            OWNED(comparison) comparison = {0};
            if (b == n)
                continue;
            compare_runs(&comparison, base, now, &selftest->metrics, NULL);
            const enum exit_code code = comparison_exit_code(&comparison);
            passes += code == EXIT_SAME || code == EXIT_UNSURE;
            pairs++;
            flagged += exact_flags(&comparison, base, now);
            readings += exact_readings(selftest, base, now);
            for (int class = 0; class < METRIC_CLASSES; class ++)
                add_flags(&flags[class], count_flags(&comparison, (enum metric_class) class));
        }
    expect_none(selftest, flagged, readings < READINGS ? 0 : readings,
                "recorded pairs: flags of exact rows that repeat: none in 3,000 readings or more");
    expect_all(selftest, passes, pairs, "recorded pairs, all ordered: exit code 0 or 3");
    for (int class = METRIC_EXACT; class <= METRIC_TIME; class ++)
        tell(selftest, "recorded pairs, one session as baseline: %s worse %zu, improved %zu of %zu",
             metric_class_name((enum metric_class) class), flags[class].worse, flags[class].improved,
             flags[class].judged);
}

static void add_to_samples(struct row *row, double more)
{
    for (size_t s = 0; s < row->session_count; s++)
        for (size_t i = 0; i < row->sessions[s].count; i++)
            row->sessions[s].samples[i] += more;
}

/* Whether that row has the verdict, and nothing else differs. */
static bool only_flag(const struct comparison *comparison, const char *metric, enum verdict verdict)
{
    bool flagged = false, others = false;
    EACH(const struct judgement, judgement, comparison->list, comparison->count)
        if (judgement->metric && strcmp(judgement->metric->name, metric) == 0)
            flagged = judgement->verdict == verdict;
        else
            others |= judgement->verdict != VERDICT_SAME && judgement->verdict != VERDICT_INFO;
    return flagged && !others;
}

/* A session, and as the baseline it is judged by the same so often as it takes to know that a count repeats. */
struct alike {
    struct run now, base;
};

static void alike_read(struct alike *alike, const char *path, size_t sessions)
{
    if (run_read(&alike->base, path) < 0 || run_read(&alike->now, path) < 0)
        BUG("%s was read before, and cannot be read again", path);
    for (size_t i = 1; i < sessions; i++)
        run_append(&alike->base, &alike->now);
}

/* Each kernel against itself, with one count more in one of its exact rows. */
static void try_one_more(const struct selftest *selftest, size_t sessions, enum verdict verdict, size_t *caught,
                         size_t *tried)
{
    for (size_t s = 0; s < selftest->session_count; s++) {
        struct alike alike;
        alike_read(&alike, selftest->sessions[s].path, sessions);
        for (size_t i = 0; i < alike.now.result_count; i++) {
            struct result *result = &alike.now.results[i];
            struct run one_base = alike.base, one = alike.now;
            one_base.results = &alike.base.results[i];
            one.results = result;
            one_base.result_count = one.result_count = 1;
            for (size_t r = 0; r < result->row_count; r++) {
                if (!is_exact(selftest, &result->rows[r]) || !repeats(&result->rows[r]))
                    continue;
                OWNED(comparison) comparison;
                add_to_samples(&result->rows[r], 1);
                compare_runs(&comparison, &one_base, &one, &selftest->metrics, NULL);
                *caught += only_flag(&comparison, result->rows[r].metric, verdict);
                ++*tried;
                add_to_samples(&result->rows[r], -1);
            }
        }
        run_release(&alike.base);
        run_release(&alike.now);
    }
}

void q1_one_more(struct selftest *selftest)
{
    size_t tried = 0, caught = 0, doubted = 0, tried_alone = 0;
    try_one_more(selftest, rule_sessions_needed(METRIC_EXACT), VERDICT_REGRESSED, &caught, &tried);
    expect_all(selftest, caught, tried,
               "recorded, baseline of 3 sessions: one count more is regressed, and that row alone");
    try_one_more(selftest, 1, VERDICT_UNSURE, &doubted, &tried_alone);
    expect_all(selftest, doubted, tried_alone, "the same, baseline of one: unsure, which is neither red nor green");
}
