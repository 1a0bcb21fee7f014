/* Judges a program as a whole. Its own row says how often it launched anything, and for how long the GPU worked. Where
 * both sides have that row, every launch was seen: a kernel that is gone or new is a fact then, and the row decides. */
#include "judge_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct result *program_of(const struct run *run, const char *kernel)
{
    char *family = x_sprintf("%.*s", (int)strcspn(kernel, "/"), kernel), *id = program_row_id(family);
    const struct result *result = run_find(run, id);
    free(family);
    free(id);
    return result && result->status == RESULT_OK ? result : NULL;
}

bool is_seen_whole(const struct sides *sides, const char *kernel)
{
    return sides->origin->own_caches && !is_program_row(kernel) && program_of(sides->baseline, kernel) &&
           program_of(sides->run, kernel);
}

char *share_of_program(const struct metrics *metrics, const struct run *run, const struct result *kernel)
{
    const struct metric *time, *ignored;
    const double launches = program_launches(metrics, kernel), took = program_time(metrics, kernel, &time);
    const struct result *program = program_of(run, kernel->id);
    const double whole = program ? program_time(metrics, program, &ignored) : NAN;
    if (isnan(launches))
        return x_strdup("launches that were not counted");
    if (isnan(took) || isnan(whole))
        return x_sprintf("%.0f launch%s", launches, plural_of((size_t)launches, "", "es"));
    char own[64], all[64];
    const char *caller = kernel->launched_by;
    metric_format(time, took, own, sizeof own);
    metric_format(time, whole, all, sizeof all);
    return x_sprintf("%.0f launch%s%s%s, %s of the program's %s", launches, plural_of((size_t)launches, "", "es"),
                     caller ? " by " : "", caller ? caller : "", own, all);
}

bool costs_program(const struct sides *sides, const struct judgement *judgement, const struct result *now)
{
    const struct metric *ignored;
    if (!judgement->metric || judgement->metric->class != METRIC_TIME || !judgement->worse ||
        !is_seen_whole(sides, judgement->kernel))
        return false;
    const double lost = judgement->change * program_launches(sides->metrics, now),
                 whole = program_time(sides->metrics, program_of(sides->baseline, judgement->kernel), &ignored);
    return lost > RULE_PROGRAM_SHARE * whole;
}

static bool is_improved_program(const struct judgement *judgement)
{
    return judgement->metric && judgement->metric->class == METRIC_TIME && judgement->verdict == VERDICT_IMPROVED &&
           is_program_row(judgement->kernel);
}

/* Whether it says that there are more launches or copies, in the program or of a kernel in it. */
static bool is_more_work(const struct judgement *judgement, const char *program)
{
    return judgement->metric && judgement->worse && judgement->metric->class == METRIC_EXACT &&
           is_metric_of_program(judgement->metric) && computed_counter_of(judgement->metric) != COMPUTED_PROCESSES &&
           (judgement->verdict == VERDICT_REGRESSED || judgement->verdict == VERDICT_UNSURE) &&
           strncmp(judgement->kernel, program, strcspn(program, "/") + 1) == 0;
}

void revise_programs(struct comparison *comparison)
{
    for (size_t p = 0; p < comparison->count; p++) {
        const struct judgement *program = &comparison->list[p];
        for (size_t i = 0; is_improved_program(program) && i < comparison->count; i++) {
            struct judgement *judgement = &comparison->list[i];
            if (!is_more_work(judgement, program->kernel))
                continue;
            judgement->verdict = VERDICT_TRADED;
            set_reason(judgement, "a trade-off: the program's GPU time as a whole improved");
        }
    }
}
