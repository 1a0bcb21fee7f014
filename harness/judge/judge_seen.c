/* Which rows of a program exist and are compared. Where both sides have the row of the program as a whole, every launch
 * was seen: a kernel that is gone or new is a fact then, and the row decides. */
#include "judge_parts.h"

/* Returns the row of the program if its GPU time is known; else NULL. */
static const struct result *timed_program_of(const struct sides *sides, const struct run *run, const char *kernel)
{
    const struct result *program = program_of(run, kernel);
    return program && !isnan(program_time(sides->metrics, program, NULL)) ? program : NULL;
}

/* Whether the run has any kernel of the program. */
static bool has_kernels(const struct run *run, const char *kernel)
{
    return ANY(i, run->result_count, is_kernel_of(run->results[i].id, kernel));
}

bool is_seen_whole(const struct sides *sides, const char *kernel)
{
    return sides->origin->own_caches && row_kind(kernel) == ROW_KERNEL &&
           timed_program_of(sides, sides->baseline, kernel) && timed_program_of(sides, sides->run, kernel) &&
           has_kernels(sides->run, kernel);
}

static bool is_counted(const struct sides *sides, const struct run *run, const char *kernel)
{
    const struct result *program = program_of(run, kernel);
    return program && !isnan(program_launches(sides->metrics, program)) && has_kernels(run, kernel);
}

bool is_counted_whole(const struct sides *sides, const char *kernel)
{
    return sides->origin->own_caches && sides->origin->computed && row_kind(kernel) == ROW_KERNEL &&
           is_counted(sides, sides->baseline, kernel) && is_counted(sides, sides->run, kernel);
}

const struct metric *metric_of_shift(const struct metrics *metrics, const struct result *now,
                                     const struct metric *metric)
{
    const enum computed_counter counter = computed_counter_of(metric);
    if ((counter != COMPUTED_GPU_TIME && counter != COMPUTED_BUSY_TIME && counter != COMPUTED_COMPUTING) ||
        row_kind(now->id) == ROW_KERNEL)
        return metric;
    const struct metric *time = FIND(one, metrics->list, metrics->count, strcmp(one->counter, COUNTER_TIME) == 0);
    return time ? time : metric;
}

double overlap_of(const struct metrics *metrics, const struct result *program)
{
    return program_value(metrics, program, COMPUTED_GPU_TIME) / program_value(metrics, program, COMPUTED_BUSY_TIME);
}

/* Returns words such as " in grids 1x1x1 to 793x1x1" of a kernel in many shapes; else "". Caller frees. */
static char *range_of_grids(const struct result *kernel)
{
    const struct launch *least = kernel->launches, *most = least + 1;
    return program_is_of_shapes(kernel->id) && kernel->launch_count == 2
               ? x_sprintf(" in grids %ux%ux%u to %ux%ux%u", least->grid[0], least->grid[1], least->grid[2],
                           most->grid[0], most->grid[1], most->grid[2])
               : x_strdup("");
}

char *share_of_program(const struct metrics *metrics, const struct run *run, const struct result *kernel)
{
    const struct metric *time;
    const double launches = program_launches(metrics, kernel), took = program_time(metrics, kernel, &time);
    const struct result *program = program_of(run, kernel->id);
    const double whole = program ? program_time(metrics, program, NULL) : NAN;
    if (isnan(launches))
        return x_strdup("an unknown number of launches");
    if (isnan(took) || isnan(whole))
        return x_sprintf("%.0f launch%s", launches, plural_of((size_t)launches, "", "es"));
    char own[64], all[64];
    const char *caller = kernel->launched_by;
    OWNED_TEXT grids = range_of_grids(kernel);
    metric_format(time, took, own, sizeof own);
    metric_format(time, whole, all, sizeof all);
    char *words =
        x_sprintf("%.0f launch%s%s%s%.200s, %s of the program's %s", launches, plural_of((size_t)launches, "", "es"),
                  grids, caller ? " by " : "", caller ? caller : "", own, all);
    return words;
}

bool program_may_wait(const struct sides *sides, const char *kernel)
{
    const struct result *was = program_of(sides->baseline, kernel), *is = program_of(sides->run, kernel);
    const double before = was ? program_value(sides->metrics, was, COMPUTED_PROCESSES) : NAN,
                 after = is ? program_value(sides->metrics, is, COMPUTED_PROCESSES) : NAN;
    return !(before <= 1 && after <= 1);
}

bool costs_program(const struct sides *sides, const struct judgement *judgement, const struct result *now)
{
    if (!judgement->metric || judgement->metric->class != METRIC_TIME || !judgement->worse ||
        !is_seen_whole(sides, judgement->kernel))
        return false;
    const double lost = judgement->change * program_launches(sides->metrics, now),
                 whole = program_time(sides->metrics, program_of(sides->baseline, judgement->kernel), NULL);
    return !(lost <= RULE_PROGRAM_SHARE * whole); /* so it does where one is not known */
}

bool is_minor_first_part(const struct sides *sides, const struct run *run, const struct result *kernel)
{
    return program_is_of_first_part(sides->metrics, kernel) &&
           program_is_seldom(program_time(sides->metrics, kernel, NULL),
                             program_time(sides->metrics, program_of(run, kernel->id), NULL));
}

bool is_of_first_part(const struct pairing *pairing)
{
    const struct sides *sides = pairing->sides;
    return is_seen_whole(sides, pairing->now_result->id) &&
           is_minor_first_part(sides, sides->baseline, pairing->base_result) &&
           is_minor_first_part(sides, sides->run, pairing->now_result);
}

/* Whether the program was seen as a whole on both sides, and so was the time of a launch. */
static bool is_timed_twice(const struct pairing *pairing)
{
    const struct sides *sides = pairing->sides;
    return is_seen_whole(sides, pairing->now_result->id) &&
           program_value(sides->metrics, pairing->base_result, COMPUTED_NONE) > 0 &&
           program_value(sides->metrics, pairing->now_result, COMPUTED_NONE) > 0;
}

bool is_judged_by_time(const struct pairing *pairing)
{
    return is_timed_twice(pairing) && same_code(pairing->base_result, pairing->now_result);
}

bool lacks_code_once(const struct pairing *pairing)
{
    return is_timed_twice(pairing) && result_has_code(pairing->base_result) != result_has_code(pairing->now_result);
}

bool explains_only(const struct pairing *pairing, const struct metric *metric)
{
    return metric->class == METRIC_EXACT && !is_metric_of_program(metric) && is_judged_by_time(pairing);
}

/* Returns the judgement of the kernel that begins at that index, an exact count that is not judged and moved most; NULL
 * where none moved by more than a percent. */
static const struct judgement *find_moved(const struct comparison *comparison, const struct sides *sides, size_t first)
{
    const char *kernel = comparison->list[first].kernel;
    const struct result *base = run_find(sides->baseline, kernel), *now = run_find(sides->run, kernel);
    const struct judgement *moved = NULL;
    double most = RULE_INEXACT;
    if (!base || !now || !same_code(base, now))
        return NULL;
    for (size_t i = first; i < comparison->count && strcmp(comparison->list[i].kernel, kernel) == 0; i++) {
        const struct judgement *judgement = &comparison->list[i];
        if (!judgement->metric || judgement->metric->class != METRIC_EXACT || is_metric_of_program(judgement->metric) ||
            judgement->verdict != VERDICT_INFO || !judgement->compared || judgement->base == 0 ||
            fabs(judgement->change / judgement->base) <= most)
            continue;
        most = fabs(judgement->change / judgement->base);
        moved = judgement;
    }
    return moved;
}

void note_moved_counts(struct comparison *comparison, const struct sides *sides)
{
    struct note_items items = {0};
    for (size_t i = 0; i < comparison->count; i++) {
        const struct judgement *judgement = &comparison->list[i];
        const bool begins = i == 0 || strcmp(judgement->kernel, comparison->list[i - 1].kernel) != 0;
        const struct judgement *moved =
            begins && is_seen_whole(sides, judgement->kernel) ? find_moved(comparison, sides, i) : NULL;
        if (moved)
            note_items_add(&items, "%s (%s %+.3g %%)", moved->kernel, moved->metric->name,
                           100 * moved->change / moved->base);
    }
    comparison_add_items(
        comparison, &items,
        "kernels whose counts differ for the same code and shape (different arguments or data): judged by time only");
}

void note_unread(struct comparison *comparison, const struct sides *sides)
{
    const char *left_out = sides->run->session_count > 0 ? sides->run->sessions[0].facts[SESSION_LEFT_OUT] : NULL;
    if (left_out)
        comparison_add_note(comparison,
                            "counters of %s were not read, so these kernels are judged by time only; allow more "
                            "time with --explain SECONDS, or more runs with --runs 3",
                            left_out);
    struct note_items items = {0};
    for (size_t i = 0; i < sides->run->result_count; i++) {
        const struct result *now = &sides->run->results[i], *base = run_find(sides->baseline, now->id);
        const struct pairing pairing = {.sides = sides, .base_result = base, .now_result = now};
        if (base && lacks_code_once(&pairing))
            note_items_add(&items, "%s", now->id);
    }
    comparison_add_items(
        comparison, &items,
        "kernels whose machine code was found in only one of the two runs: judged by time and counts alone");
}
