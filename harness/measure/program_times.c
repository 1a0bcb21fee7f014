/* Says how long launches took that have no record. While counters are read there are no records of kernels, so that a
 * kernel whose launches were all measured has the profiler's time alone. That is some 1 us longer, since the profiler
 * adds to each launch; how much shows in kernels that have both. Of a graph it has the gaps between its kernels. */
#include "program_parts.h"

double program_measured_time(const struct metrics *metrics, const struct result *result)
{
    for (size_t m = 0; m < metrics->count; m++) {
        const struct row *row =
            strcmp(metrics->list[m].counter, COUNTER_TIME) == 0 ? result_measured(result, metrics->list[m].name) : NULL;
        if (row)
            return row_session_value(row, 0);
    }
    return NAN;
}

/* Returns how much longer the profiler's times are than those of records, by the kernels that have both. *any: some
 * kernel has a record. A graph's times do not tell. */
static double what_is_added(const struct program_groups *groups, const double *measured, size_t number, bool *any)
{
    OWNED_MEMORY double *added = x_calloc(groups->count + 1, sizeof *added);
    size_t count = 0;
    *any = false;
    for (size_t g = 0; g < groups->count; g++) {
        const struct program_share *share = &groups->list[g]->shares[0];
        if (number >= groups->list[g]->runs || share->counts[number] == 0 || isnan(share->took[number]))
            continue;
        *any = true;
        if (!isnan(measured[g]) && !groups->list[g]->graph)
            added[count++] = measured[g] - share->took[number] / share->counts[number];
    }
    const double usual = count > 0 ? median(added, count) : 0;
    return usual > 0 ? usual : 0;
}

/* Fills in the times of one run. */
static void fill(const struct program_groups *groups, const double *measured, size_t number, bool is_part)
{
    bool any;
    const double added = what_is_added(groups, measured, number, &any);
    /* There are records, and none is of a kernel. Of a part of the program nobody says so. */
    any |= is_part || !isnan(groups->work[WORK_COPIES][number]);
    for (size_t g = 0; g < groups->count && any; g++)
        EACH(struct program_share, share, groups->list[g]->shares, groups->list[g]->share_count) {
            const double less = groups->list[g]->graph ? 0 : added;
            if (number < groups->list[g]->runs && isnan(share->took[number]) && measured[g] > less)
                share->took[number] = (measured[g] - less) * share->counts[number];
        }
}

/* Returns the median time of the measured launches of each group. Caller frees. */
static double *measured_times(const struct program_groups *groups, const struct metrics *metrics, const struct run *run)
{
    double *measured = x_calloc(groups->count + 1, sizeof *measured);
    for (size_t g = 0; g < groups->count; g++)
        measured[g] = program_measured_time(metrics, run_find(run, groups->list[g]->id));
    return measured;
}

/* A sample that is not longer tells nothing. The median is, so some are left. */
static void take_off(struct session_samples *session, double added)
{
    size_t left = 0;
    for (size_t i = 0; i < session->count; i++)
        if (session->samples[i] > added)
            session->samples[left++] = session->samples[i] - added;
    session->count = left;
}

void program_times_correct(const struct program_groups *groups, const struct metrics *metrics, struct run *run)
{
    OWNED_MEMORY double *measured = measured_times(groups, metrics, run);
    double added = 0;
    bool any;
    for (size_t number = 0; number < groups->runs && added == 0; number++)
        added = what_is_added(groups, measured, number, &any);
    for (size_t g = 0; g < groups->count; g++)
        for (size_t m = 0; m < metrics->count && measured[g] > added && !groups->list[g]->graph; m++) {
            const bool is_time = strcmp(metrics->list[m].counter, COUNTER_TIME) == 0;
            struct result *result = is_time ? run_find(run, groups->list[g]->id) : NULL;
            struct row *row = result ? result_find(result, metrics->list[m].name) : NULL;
            for (size_t s = 0; row && s < row->session_count; s++)
                take_off(&row->sessions[s], added);
        }
}

void program_times_fill(const struct program_groups *groups, const struct measurement *measurement,
                        const struct run *run)
{
    const bool is_part = !program_part_is_all(&measurement->program->part);
    OWNED_MEMORY double *measured = measured_times(groups, measurement->metrics, run);
    for (size_t number = 0; number < groups->runs; number++)
        fill(groups, measured, number, is_part);
}
