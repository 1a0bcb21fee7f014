/* Groups the rows of the text report by kernel: in which order, and under which headings. */
#include "report_groups.h"

/* If the baseline lacks more rows than this, they are only counted: a new metric has a row in every kernel. */
#define NEW_ROWS 10

static const struct section_words words[SECTIONS] = {
    [SECTION_WRONG] = {"Wrong", "the result is wrong, so its speed does not matter"},
    [SECTION_WORSE] = {"Worse", "beyond the limit (fails)"},
    [SECTION_MISSING] = {"Missing", "the baseline has a value, but this run does not, so it never passes"},
    [SECTION_UNSURE] = {"Unsure", "this run cannot show whether it got worse"},
    [SECTION_ALLOWED] = {"Worse, but allowed",
                         "other metrics improved, and the time is within its limit or better (trade-off); "
                         "or expected.ini declares it (expected)"},
    [SECTION_NEW] = {"New", "the baseline has no value for it"},
    [SECTION_IMPROVED] = {"Improved", "better by more than the limit"},
    [SECTION_SAME] = {"Same", "within the limit; rows marked info are shown, but never judged"},
};

const struct section_words *section_words(enum section section)
{
    return &words[section];
}

enum section section_of(enum verdict verdict)
{
    static const enum section sections[VERDICTS] = {
        [VERDICT_MISSING] = SECTION_MISSING,  [VERDICT_REGRESSED] = SECTION_WORSE,
        [VERDICT_UNEXPECTED] = SECTION_WORSE, [VERDICT_UNSURE] = SECTION_UNSURE,
        [VERDICT_TRADED] = SECTION_ALLOWED,   [VERDICT_EXPECTED] = SECTION_ALLOWED,
        [VERDICT_NEW] = SECTION_NEW,          [VERDICT_IMPROVED] = SECTION_IMPROVED,
        [VERDICT_SAME] = SECTION_SAME,        [VERDICT_INFO] = SECTION_SAME,
    };
    return verdict < VERDICTS ? sections[verdict] : SECTION_SAME;
}

const struct row *time_row(const struct run *run, const char *kernel, const char **metric)
{
    /* In a program what all launches of a kernel take together says more than what one does. */
    static const char *const times[] = {"gpu_time", "time", "wall_time"};
    const struct result *result = run ? run_find(run, kernel) : NULL;
    const struct row *row = NULL;
    for (size_t i = 0; i < ARRAY_SIZE(times) && !row; i++) {
        row = result_measured(result, times[i]);
        *metric = times[i];
    }
    return row;
}

double time_lost(const struct report *report, const char *kernel)
{
    const char *metric, *was;
    const struct row *now = time_row(report->run, kernel, &metric), *base = time_row(report->baseline, kernel, &was);
    return now && base && strcmp(metric, was) == 0 ? row_value(now) - row_value(base) : NAN;
}

int order_of_time_lost(double left, double right)
{
    if (isnan(left) || isnan(right))
        return isnan(left) - isnan(right);
    return left > right ? -1 : left < right;
}

static bool is_wrong(const struct run *run, const char *kernel)
{
    const struct result *result = run ? run_find(run, kernel) : NULL;
    return result && result->status == RESULT_WRONG;
}

/* ---- Which rows are listed ---- */

/* Whether a row is listed. *lacking counts the rows so far that the baseline lacks. */
static bool is_listed(const struct report *report, const struct judgement *judgement, size_t *lacking)
{
    if (report->verbose)
        return true;
    if (judgement->metric && judgement->verdict <= VERDICT_NEW && !judgement->has_base && judgement->has_now)
        return ++*lacking <= NEW_ROWS;
    return judgement->verdict <= VERDICT_NEW || judgement->gained ||
           (report->power && judgement->verdict != VERDICT_INFO);
}

struct placed {
    const char *kernel;
    const struct judgement *judgement;
    size_t place; /* index in the comparison, where the worst rows come first */
};

/* Returns what a row of a program costs it: that comes first, whether or not one session more has to agree. Else 0. */
static double cost_of(const struct judgement *judgement)
{
    return row_kind(judgement->kernel) != ROW_KERNEL && judgement_is_worse(judgement) ? judgement->share : 0;
}

static int by_kernel_and_place(const void *left, const void *right)
{
    const struct placed *a = left, *b = right;
    const double cost_a = cost_of(a->judgement), cost_b = cost_of(b->judgement);
    const int order = strcmp(a->kernel, b->kernel);
    return order              ? order
           : cost_a != cost_b ? (cost_a < cost_b) - (cost_a > cost_b)
                              : (a->place > b->place) - (a->place < b->place);
}

/* Orders kernels by section, then by lost time, then by their worst rows in the comparison. Under "missing" a kernel
 * that did not run precedes a number that was not read, however much time either takes. */
static int worst_first(const void *left, const void *right)
{
    const struct group *a = left, *b = right;
    if (a->section != b->section)
        return a->section < b->section ? -1 : 1;
    const int order = a->section == SECTION_MISSING ? 0 : order_of_time_lost(a->lost, b->lost);
    return order ? order : (a->place > b->place) - (a->place < b->place);
}

struct groups groups_make(const struct report *report)
{
    const struct comparison *comparison = report->comparison;
    OWNED_MEMORY struct placed *rows = NULL;
    struct groups groups = {0};
    size_t count = 0, lacking = 0;
    for (size_t i = 0; comparison && i < comparison->count; i++)
        if (is_listed(report, &comparison->list[i], &lacking))
            *ARRAY_GROW(rows, count) = (struct placed){comparison->list[i].kernel, &comparison->list[i], i};
    SORT(rows, count, by_kernel_and_place);
    groups.rows = x_calloc(count, sizeof *groups.rows);
    for (size_t i = 0; i < count; i++) {
        const struct judgement *judgement = rows[i].judgement;
        groups.rows[i] = judgement;
        if (i == 0 || strcmp(rows[i - 1].kernel, rows[i].kernel) != 0)
            *ARRAY_GROW(groups.list, groups.count) = (struct group){
                .kernel = judgement->kernel,
                .verdict = VERDICTS,
                .lost = time_lost(report, judgement->kernel),
                .rows = &groups.rows[i],
                .place = rows[i].place,
            };
        struct group *group = &groups.list[groups.count - 1];
        group->count++;
        group->verdict =
            judgement_counts_as(judgement) < group->verdict ? judgement_counts_as(judgement) : group->verdict;
        group->section = section_of(group->verdict);
    }
    for (size_t i = 0; i < groups.count; i++)
        if (is_wrong(report->run, groups.list[i].kernel) || is_wrong(report->baseline, groups.list[i].kernel))
            groups.list[i].section = SECTION_WRONG;
    SORT(groups.list, groups.count, worst_first);
    return groups;
}

void groups_release(struct groups *groups)
{
    free(groups->list);
    free(groups->rows);
}
