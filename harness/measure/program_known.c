/* What need not be measured: where only the program's totals are asked for, all kernels, and in a check what the
 * baseline has. What the baseline's machine code counts in the same shape
 * is not judged where the program was seen as a whole: its time is, and CUPTI's records tell that without measuring. */
#include "program_parts.h"

void program_known_begin(struct program_groups *groups, const struct measurement *measurement, const struct run *part)
{
    const struct program *program = measurement->program;
    /* --first N asks for N launches in each set. */
    if (!measurement->judged_by || groups->measures_all || program->known > program->first)
        return;
    const struct run *baseline = measurement->judged_by(measurement->judge, &part->device);
    OWNED_TEXT id = program_row_id(program->name), *counts = program_part_text(&program->part);
    const struct result *whole = baseline ? run_find(baseline, id) : NULL;
    bool same = whole && program_is_timed(measurement->metrics, whole);
    for (size_t i = 0; same && i < whole->session_count; i++)
        same = order_of_texts(whole->sessions[i].facts[SESSION_PART], counts) == 0;
    if (same)
        groups->baseline = baseline;
}

void program_known_set(const struct program_groups *groups, const struct measurement *measurement,
                       struct program_group *group)
{
    const struct run *baseline = groups->baseline;
    const size_t length = strlen(measurement->program->name);
    struct result now = {.launches = x_calloc(group->count, sizeof *now.launches), .launch_count = group->count};
    for (size_t i = 0; i < group->count; i++)
        now.launches[i] = group->launches[i].launch; /* borrowed */
    /* What waits for others counts how long it waits. A glob may ask for it all the same. */
    group->holds = measurement->glob_count == 0 ? program_holds(&now) : 0;
    const struct metrics *metrics = measurement->metrics;
    const bool counts = !metrics || ANY(m, metrics->count, !is_metric_of_program(&metrics->list[m]));
    group->known = group->holds > 0 || !(counts || measurement->profile || program_is_simulated(measurement));
    for (size_t i = 0; baseline && i < baseline->result_count && !group->known; i++) {
        const struct result *result = &baseline->results[i];
        group->known = strncmp(result->id, measurement->program->name, length) == 0 && result->id[length] == '/' &&
                       same_code(result, &now) && program_is_timed(measurement->metrics, result) &&
                       program_launches(measurement->metrics, result) > 0;
    }
    free(now.launches);
}
