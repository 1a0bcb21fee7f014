/* Q1: exact counters; and what else the pairs of recorded sessions say. */
#include "selftest.h"

#include <string.h>

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
    for (size_t i = 0; i < comparison->count; i++) {
        const struct judgement *judgement = &comparison->list[i];
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
            struct comparison comparison;
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
            comparison_release(&comparison);
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

/* Whether that row is regressed, and nothing else differs. */
static bool only_flag(const struct comparison *comparison, const char *metric)
{
    bool flagged = false, others = false;
    for (size_t i = 0; i < comparison->count; i++) {
        const struct judgement *judgement = &comparison->list[i];
        if (judgement->metric && strcmp(judgement->metric->name, metric) == 0)
            flagged = judgement->verdict == VERDICT_REGRESSED;
        else
            others |= judgement->verdict != VERDICT_SAME && judgement->verdict != VERDICT_INFO;
    }
    return flagged && !others && comparison_exit_code(comparison) == EXIT_REGRESSED;
}

/* Each kernel against itself, with one count more in one of its exact rows. */
void q1_one_more(struct selftest *selftest)
{
    size_t tried = 0, caught = 0;
    for (size_t s = 0; s < selftest->session_count; s++) {
        struct run base, now;
        if (run_read(&base, selftest->sessions[s].path) < 0 || run_read(&now, selftest->sessions[s].path) < 0)
            BUG("%s was read before, and cannot be read again", selftest->sessions[s].path);
        for (size_t i = 0; i < now.result_count; i++) {
            struct result *result = &now.results[i];
            struct run one_base = base, one = now;
            one_base.results = &base.results[i];
            one.results = result;
            one_base.result_count = one.result_count = 1;
            for (size_t r = 0; r < result->row_count; r++) {
                if (!is_exact(selftest, &result->rows[r]) || !repeats(&result->rows[r]))
                    continue;
                struct comparison comparison;
                add_to_samples(&result->rows[r], 1);
                compare_runs(&comparison, &one_base, &one, &selftest->metrics, NULL);
                caught += only_flag(&comparison, result->rows[r].metric);
                tried++;
                comparison_release(&comparison);
                add_to_samples(&result->rows[r], -1);
            }
        }
        run_release(&base);
        run_release(&now);
    }
    expect_all(selftest, caught, tried, "recorded: one count more in an exact row is regressed, and that row alone");
}
