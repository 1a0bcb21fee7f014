/* Judges sessions of the same code by each other: every alarm is a false one. */
#include "aa_parts.h"

struct trial {
    struct analysis *analysis;
    const struct sessions *sessions;
    struct noisy_row *noisy_rows; /* for every kernel and metric, sorted by kernel */
};

/* Whether a row is beyond its limit in the good direction. The verdict does not tell: unchanged code is "same". */
static bool is_better(const struct judgement *judgement)
{
    const double moved = judgement->change - judgement->drift;
    const double gain = judgement->metric->better == METRIC_LOWER ? -moved : moved;
    return !judgement->worse && round_value(gain) > judgement->limit;
}

static void count_row(struct alarm_tally *tally, const struct judgement *judgement)
{
    tally->rows++;
    tally->regressed += judgement->verdict == VERDICT_REGRESSED;
    tally->unsure += judgement->verdict == VERDICT_UNSURE;
    tally->worse += judgement->worse;
    tally->better += is_better(judgement);
}

static void judge_session(struct trial *trial, enum view_kind kind, const struct run *baseline, const struct run *run)
{
    struct view *view = &trial->analysis->views[kind];
    OWNED(comparison) comparison = {0};
    compare_runs(&comparison, baseline, run, trial->sessions->metrics, NULL);
    view->comparisons++;
    view->exits[comparison_exit_code(&comparison)]++;
    for (size_t i = 0; i < comparison.suite_count; i++)
        view->moved += comparison.suites[i].moved;
    EACH(const struct judgement, judgement, comparison.list, comparison.count) {
        if (!judgement->compared || judgement->metric->class == METRIC_INFO)
            continue;
        const struct metrics *metrics = trial->sessions->metrics;
        const size_t kernel = (size_t)(run_find(run, judgement->kernel) - run->results);
        const size_t metric = (size_t)(judgement->metric - metrics->list);
        count_row(&view->tallies[judgement->metric->class], judgement);
        count_row(&trial->noisy_rows[kernel * metrics->count + metric].tallies[kind], judgement);
    }
}

static void copy_results(struct run *to, const struct run *from)
{
    for (size_t i = 0; i < from->result_count; i++) {
        struct result *result = run_add(to, from->results[i].id);
        result_copy_facts(result, &from->results[i]);
        EACH(const struct row, row, from->results[i].rows, from->results[i].row_count) {
            struct row *copy = result_add(result, row->metric);
            copy->state = row->state;
            if (row->state == VALUE_MEASURED)
                row_add_session(copy, row->sessions[0].samples, row->sessions[0].count);
        }
    }
}

/* Merges the chosen sessions into one run, as a baseline has them. */
static void merge(struct run *merged, const struct sessions *sessions, const bool *chosen)
{
    bool first = true;
    *merged = (struct run){0};
    for (size_t i = 0; i < sessions->count; i++) {
        if (!chosen[i])
            continue;
        if (first) {
            copy_results(merged, &sessions->runs[i]);
            run_add_session(merged, &sessions->runs[i].sessions[0]);
        } else {
            run_append(merged, &sessions->runs[i]);
        }
        first = false;
    }
}

static void judge_by_pairs(struct trial *trial)
{
    const struct sessions *sessions = trial->sessions;
    for (size_t i = 0; i < sessions->count; i++)
        for (size_t j = 0; j < sessions->count; j++)
            if (i != j)
                judge_session(trial, VIEW_PAIRS, &sessions->runs[i], &sessions->runs[j]);
}

/* Judges each session by those of all other groups. */
static void judge_by_rest(struct trial *trial, enum view_kind kind, const size_t *group, size_t groups)
{
    const struct sessions *sessions = trial->sessions;
    OWNED_MEMORY bool *chosen = x_calloc(sessions->count, sizeof *chosen);
    for (size_t out = 0; out < groups && groups > 2; out++) {
        OWNED(run) rest = {0};
        for (size_t i = 0; i < sessions->count; i++)
            chosen[i] = (group ? group[i] : i) != out;
        merge(&rest, sessions, chosen);
        for (size_t i = 0; i < sessions->count; i++)
            if (!chosen[i])
                judge_session(trial, kind, &rest, &sessions->runs[i]);
    }
}

/* What noisy rows are sorted by, summed over all views. */
struct weight {
    size_t regressed, beyond, unsure;
};

static struct weight weigh(const struct noisy_row *noisy)
{
    struct weight weight = {0};
    EACH(const struct alarm_tally, tally, noisy->tallies, VIEWS) {
        weight.regressed += tally->regressed;
        weight.beyond += tally->worse + tally->better;
        weight.unsure += tally->unsure;
    }
    return weight;
}

static int heaviest_first(const void *left, const void *right)
{
    const struct noisy_row *a = left, *b = right;
    const struct weight of_a = weigh(a), of_b = weigh(b);
    if (of_a.regressed != of_b.regressed)
        return of_a.regressed > of_b.regressed ? -1 : 1;
    if (of_a.beyond != of_b.beyond)
        return of_a.beyond > of_b.beyond ? -1 : 1;
    if (of_a.unsure != of_b.unsure)
        return of_a.unsure > of_b.unsure ? -1 : 1;
    const int order = strcmp(a->kernel, b->kernel);
    return order ? order : strcmp(a->metric->name, b->metric->name);
}

void analyse_alarms(struct analysis *analysis, const struct sessions *sessions)
{
    const struct run *first = &sessions->runs[0];
    const size_t kernels = first->result_count, metrics = sessions->metrics->count;
    struct trial trial = {analysis, sessions, x_calloc(kernels * metrics, sizeof *trial.noisy_rows)};
    judge_by_pairs(&trial);
    judge_by_rest(&trial, VIEW_OTHERS, NULL, sessions->count);
    judge_by_rest(&trial, VIEW_GPUS, sessions->gpu, sessions->gpus);

    for (size_t i = 0; i < kernels * metrics; i++) {
        struct noisy_row *noisy = &trial.noisy_rows[i];
        noisy->kernel = first->results[i / metrics].id;
        noisy->metric = &sessions->metrics->list[i % metrics];
        const struct weight weight = weigh(noisy);
        if (weight.regressed + weight.beyond + weight.unsure > 0)
            *ARRAY_GROW(analysis->noisy_rows, analysis->noisy_row_count) = *noisy;
    }
    free(trial.noisy_rows);
    SORT(analysis->noisy_rows, analysis->noisy_row_count, heaviest_first);
}
