/* The program as a whole: how often it launched each kernel, and a row for all its launches together. */
#include "program_parts.h"

/* Returns how long all its launches of the run took: those without a record as long as those with one. whole: all of
 * the group's launches that count, which tell where those of the share do not. */
static double run_time(const struct program_share *share, const struct program_share *whole)
{
    const struct program_share *timed = share->timed > 0 ? share : whole;
    if (share->launches == 0)
        return 0;
    return timed->timed > 0 ? timed->time_ns / (double)timed->timed * (double)share->launches : NAN;
}

/* Adds to the share's lists what the run launched, at number `run`. */
static void end_run(struct program_share *share, size_t run, double took, size_t launches)
{
    size_t count = run;
    *ARRAY_GROW(share->took, count) = took;
    count = run;
    *ARRAY_GROW(share->counts, count) = (double)launches;
    count = run;
    *ARRAY_GROW(share->alone, count) = share->ran_ns > 0 ? share->alone_ns / share->ran_ns : NAN;
}

void program_groups_end_run(struct program_groups *groups, const struct program_run *ended)
{
    const size_t run = groups->runs;
    *ARRAY_GROW(groups->processes, groups->runs) = (double)ended->launching;
    for (size_t i = 0; i < WORK_KINDS; i++) {
        size_t runs = run;
        *ARRAY_GROW(groups->work[i], runs) = ended->telling == ended->launching ? ended->work[i] : NAN;
    }
    for (size_t g = 0; g < groups->count; g++) {
        struct program_group *group = groups->list[g];
        for (size_t s = group->share_count; s-- > 0;) { /* the whole, which has number 0, tells of the others */
            struct program_share *share = &group->shares[s];
            for (size_t before = group->runs; before < run; before++)
                end_run(share, before, 0, 0); /* it was not launched in these */
            end_run(share, run, run_time(share, &group->shares[0]), share->launches);
        }
        for (size_t s = 0; s < group->share_count; s++) {
            group->shares[s].launches = group->shares[s].timed = 0;
            group->shares[s].time_ns = group->shares[s].alone_ns = group->shares[s].ran_ns = 0;
        }
        group->runs = run + 1;
    }
}

/* Adds a row with a number of each run of the program that has one, if that metric is asked for. */
static void add_counts(struct result *result, const struct metrics *metrics, enum computed_counter counter,
                       const double *counts, size_t runs)
{
    OWNED_MEMORY double *known = x_calloc(runs, sizeof *known);
    size_t count = 0;
    for (size_t i = 0; i < runs; i++)
        if (!isnan(counts[i]))
            known[count++] = counts[i];
    for (size_t m = 0; m < metrics->count && count > 0; m++)
        if (computed_counter_of(&metrics->list[m]) == counter)
            row_add_session(result_add(result, metrics->list[m].name), known, count);
}

static bool has_counter(const struct metrics *metrics, enum computed_counter counter)
{
    return ANY(m, metrics->count, computed_counter_of(&metrics->list[m]) == counter);
}

size_t program_untimed(const struct program_groups *groups, const struct metrics *metrics)
{
    bool records = groups->runs > 0 && !isnan(groups->work[WORK_COPIES][0]), whole = true;
    size_t count = 0;
    for (size_t g = 0; g < groups->count; g++) {
        const double time = program_group_time(groups->list[g]);
        records |= time > 0;
        count += isnan(time) ? 1 : 0;
        whole &= groups->list[g]->wanted;
    }
    return records && whole && has_counter(metrics, COMPUTED_GPU_TIME) ? count : 0;
}

/* Whether the first run launched the group in that share. */
static bool is_launched(const struct program_group *group, size_t share)
{
    return group->runs > 0 && group->shares[share].counts[0] > 0;
}

/* Whether each kernel that was launched has numbers, so that they add up to the program's. */
static bool is_whole(const struct program_groups *groups, const struct run *run)
{
    for (size_t g = 0; g < groups->count; g++) {
        const struct program_group *group = groups->list[g];
        const struct result *result = run_find(run, group->id);
        if (!group->wanted || (is_launched(group, 0) && (!result || result->status != RESULT_OK)))
            return false;
    }
    return true;
}

/* Sets what all launches of a group in that share read in a metric: its median, so many times where launches add up.
 * False when no launch was asked for the metric. */
static bool read_all(const struct program_group *group, size_t share, const struct run *run,
                     const struct metric *metric, struct value *value)
{
    const struct row *row = result_find(run_find(run, group->id), metric->name);
    if (!row)
        return false;
    *value = (struct value){.state = row->state};
    if (row->state == VALUE_MEASURED)
        value->number = row_session_value(row, 0) * (metric->weight ? 1 : group->shares[share].counts[0]);
    return true;
}

/* Returns why a total is open: rows of kernels are, and none has another reason. NULL: it is not. Caller frees. */
static char *why_open(const struct program_groups *groups, size_t share, const struct run *run, const char *metric)
{
    const struct row *open = NULL;
    for (size_t g = 0; g < groups->count; g++) {
        const struct row *row =
            is_launched(groups->list[g], share) ? result_find(run_find(run, groups->list[g]->id), metric) : NULL;
        if (row && row->state == VALUE_NOT_COUNTED && !row_is_open(row))
            return NULL;
        open = row && row_is_open(row) ? row : open;
    }
    return open ? x_strdup(open->reason) : NULL;
}

/* Adds the metrics of all launches, which are combined as the launches of one sample are. */
static void add_metrics(struct result *total, const struct program_groups *groups, size_t share,
                        const struct metrics *metrics, const struct run *run)
{
    OWNED_MEMORY struct value *readings = x_calloc(groups->count * metrics->count, sizeof *readings),
                              *combined = x_calloc(metrics->count, sizeof *combined);
    OWNED_MEMORY bool *lacks = x_calloc(metrics->count, sizeof *lacks);
    size_t launched = 0;
    for (size_t g = 0; g < groups->count; g++) {
        if (!is_launched(groups->list[g], share))
            continue;
        for (size_t m = 0; m < metrics->count; m++)
            lacks[m] |=
                computed_counter_of(&metrics->list[m]) != COMPUTED_NONE ||
                !read_all(groups->list[g], share, run, &metrics->list[m], &readings[launched * metrics->count + m]);
        launched++;
    }
    if (launched > 0)
        sample_combine(metrics, readings, launched, combined);
    for (size_t m = 0; launched > 0 && m < metrics->count; m++) {
        if (lacks[m])
            continue;
        struct row *row = result_add(total, metrics->list[m].name);
        const double number = round_value(combined[m].number);
        row->state = combined[m].state;
        if (row->state == VALUE_MEASURED)
            row_add_session(row, &number, 1);
        else if (row->state == VALUE_NOT_COUNTED)
            row->reason = why_open(groups, share, run, row->metric);
    }
}

/* Says that the runs of the program launched differently often. */
static void say_restless(const struct program *program, const double *counts, size_t runs)
{
    for (size_t i = 1; i < runs; i++)
        if (counts[i] != counts[0] && !program->quiet) {
            remark("the program does not repeat: run 1 made %.0f launches, but run %zu made %.0f; the median is used",
                   counts[0], i + 1, counts[i]);
            return;
        }
}

/* Adds a result for all launches in a share of the program: it is of all that count (number 0), or of an NVTX range.
 * NULL: the first run made no such launch. */
static struct result *add_share(const struct program_groups *groups, size_t share, const char *id,
                                const struct measurement *measurement, struct run *run)
{
    const struct metrics *metrics = measurement->metrics;
    OWNED_MEMORY double *counts = x_calloc(groups->runs, sizeof *counts),
                        *times = x_calloc(groups->runs, sizeof *times);
    struct result *total = NULL;
    for (size_t g = 0; g < groups->count; g++)
        for (size_t i = 0; i < groups->list[g]->runs; i++) {
            counts[i] += groups->list[g]->shares[share].counts[i];
            times[i] += groups->list[g]->shares[share].took[i];
        }
    if (groups->runs > 0 && counts[0] > 0) {
        total = run_add(run, id);
        add_metrics(total, groups, share, metrics, run);
        add_counts(total, metrics, COMPUTED_LAUNCHES, counts, groups->runs);
        add_counts(total, metrics, COMPUTED_GPU_TIME, times, groups->runs);
        if (share == 0)
            say_restless(measurement->program, counts, groups->runs);
        const size_t untimed = share == 0 ? program_untimed(groups, metrics) : 0;
        if (untimed > 0)
            warning("the program's GPU time is not known: CUPTI has no records of %zu kernel%s; add a run (--runs %zu)",
                    untimed, plural(untimed), groups->runs + 1);
    }
    return total;
}

/* Adds a row as add_counts() does, or that it has no number. */
static void add_or_none(struct result *total, const struct metrics *metrics, enum computed_counter counter,
                        const double *counts, size_t runs)
{
    add_counts(total, metrics, counter, counts, runs);
    for (size_t m = 0; m < metrics->count; m++)
        if (computed_counter_of(&metrics->list[m]) == counter && !result_find(total, metrics->list[m].name))
            result_add(total, metrics->list[m].name)->state = VALUE_NOT_APPLICABLE;
}

/* Adds the share of time in which the GPU was busy, for how long kernels ran if those that overlap count once, and the
 * elapsed time. Where all was measured, none is known. What kernels of less than 1 % overlap with need not be. */
static void add_busy(struct result *total, const struct program_groups *groups, const struct metrics *metrics)
{
    const double busy = groups->work[WORK_BUSY][0], span = groups->work[WORK_SPAN][0],
                 share = span > 0 ? round_value(100 * busy / span) : NAN;
    OWNED_MEMORY double *times = x_calloc(groups->runs, sizeof *times);
    for (size_t i = 0; i < groups->runs; i++) {
        double unknown = 0;
        for (size_t g = 0; g < groups->count; g++) {
            const struct program_share *whole = &groups->list[g]->shares[0];
            const bool runs = i < groups->list[g]->runs, knows = runs && !isnan(whole->alone[i]);
            times[i] += knows ? whole->took[i] * whole->alone[i] : 0;
            unknown += runs && !knows ? whole->took[i] : 0;
        }
        times[i] = unknown == 0 || program_is_seldom(unknown, times[i]) ? round_value(times[i] + unknown) : NAN;
    }
    if (isnan(span))
        return;
    add_or_none(total, metrics, COMPUTED_GPU_BUSY, &share, 1);
    add_or_none(total, metrics, COMPUTED_BUSY_TIME, times, groups->runs);
    add_or_none(total, metrics, COMPUTED_ELAPSED, groups->work[WORK_ELAPSED], groups->runs);
}

/* Fails the row of each range in which nothing was launched: its name may be misspelled. Where kernels are chosen there
 * is no such row, and where nothing was measured at all that is said elsewhere. */
static void fail_empty_ranges(const struct program_groups *groups, const struct measurement *measurement,
                              struct run *run)
{
    const struct program *program = measurement->program;
    const bool asks = run->result_count > 0 && measurement->glob_count == 0;
    for (size_t i = 0; i < program->part.nvtx_count && asks; i++) {
        const bool any = ANY(g, groups->count, is_launched(groups->list[g], 1 + i));
        OWNED_TEXT id = program_range_id(program->name, program->part.nvtx[i]);
        if (!any)
            result_fail(run_add(run, id), RESULT_FAILED, "no launch was inside an NVTX range of that name");
    }
}

/* How long a process computed, and how long its collectives took, in ns. */
struct division {
    long rank;
    double computing, communication;
};

ORDER_BY(by_rank, struct division, rank)

/* Launches without a record take as long as those of the process with one; where it has none, as those of all. */
static struct division divide(const struct program_groups *groups, const struct program_rank *rank,
                              const struct run *run)
{
    struct division division = {.rank = rank->number};
    for (size_t g = 0; g < rank->count; g++) {
        const struct program_share *share = &rank->launched[g], *all = &groups->list[g]->shares[0];
        if (share->launches == 0)
            continue;
        const double each = share->timed > 0 ? share->time_ns / (double)share->timed
                                             : program_group_time(groups->list[g]) / all->counts[0];
        *(program_communicates(run_find(run, groups->list[g]->id)) ? &division.communication : &division.computing) +=
            each * (double)share->launches;
    }
    return division;
}

/* Adds the two parts of the GPU time where there are collectives: of the process that computes longest. All are a fact
 * of the session. */
static void add_division(struct result *total, const struct program_groups *groups, const struct metrics *metrics,
                         struct run *run)
{
    struct division *list = x_calloc(groups->rank_count + 1, sizeof *list), slowest = {0};
    double communication = 0;
    OWNED_TEXT text = NULL;
    size_t size = 0;
    FILE *stream = x_memstream(&text, &size);
    for (size_t i = 0; i < groups->rank_count; i++)
        list[i] = divide(groups, &groups->ranks[i], run);
    SORT(list, groups->rank_count, by_rank);
    for (size_t i = 0; i < groups->rank_count; i++) {
        communication += list[i].communication;
        if (i == 0 || list[i].computing > slowest.computing ||
            (list[i].computing == slowest.computing && list[i].communication < slowest.communication))
            slowest = list[i];
        fprintf(stream, "%s%ld %.0f %.0f", i > 0 ? "; " : "", list[i].rank >= 0 ? list[i].rank : (long)i,
                list[i].computing, list[i].communication);
    }
    fclose(stream);
    if (communication > 0) {
        add_counts(total, metrics, COMPUTED_COMPUTING, &slowest.computing, 1);
        add_counts(total, metrics, COMPUTED_COMMUNICATION, &slowest.communication, 1);
        run->sessions[0].facts[SESSION_RANKS] = text;
        text = NULL;
    }
    free(list);
}

static void add_ranges(const struct program_groups *groups, const struct measurement *measurement, struct run *run)
{
    const struct program *program = measurement->program;
    for (size_t i = 0; i < program->part.nvtx_count; i++) {
        OWNED_TEXT id = program_range_id(program->name, program->part.nvtx[i]);
        (void)add_share(groups, 1 + i, id, measurement, run);
    }
}

void program_total_add(const struct program_groups *groups, const struct measurement *measurement, struct run *run)
{
    const struct metrics *metrics = measurement->metrics;
    static const enum computed_counter work[WORK_KINDS] = {
        [WORK_COPIES] = COMPUTED_COPIES,
        [WORK_COPY_BYTES] = COMPUTED_COPY_BYTES,
        [WORK_COPY_TIME] = COMPUTED_COPY_TIME,
        [WORK_FILLS] = COMPUTED_FILLS,
        [WORK_FILL_BYTES] = COMPUTED_FILL_BYTES,
        [WORK_FILL_TIME] = COMPUTED_FILL_TIME,
        [WORK_REFUSED] = COMPUTED_REFUSED,
        [WORK_SYNCHRONIZATIONS] = COMPUTED_SYNCHRONIZATIONS,
        [WORK_ALLOCATIONS] = COMPUTED_ALLOCATIONS,
        [WORK_HOST_COPY_BYTES] = COMPUTED_HOST_COPY_BYTES,
        [WORK_PAGEABLE_COPY_BYTES] = COMPUTED_PAGEABLE_COPY_BYTES,
        [WORK_STREAM_CALLS] = COMPUTED_STREAM_CALLS,
        [WORK_LONGEST_CHAIN] = COMPUTED_LONGEST_CHAIN,
        [WORK_HOST_CALLS] = COMPUTED_HOST_CALLS,
        [WORK_PROGRAMMATIC] = COMPUTED_PROGRAMMATIC,
        [WORK_COPY_ROWS] = COMPUTED_COPY_ROWS,
    };
    double firsts = 0;
    for (size_t g = 0; g < groups->count; g++) {
        const struct program_group *group = groups->list[g];
        struct result *result = run_find(run, group->id);
        const double first = program_group_is_of_first_part(group);
        if (!result || result->status != RESULT_OK || group->runs == 0)
            continue;
        firsts += first;
        add_counts(result, metrics, COMPUTED_FIRST_PART, &first, 1);
        add_counts(result, metrics, COMPUTED_LAUNCHES, group->shares[0].counts, group->runs);
        add_counts(result, metrics, COMPUTED_GPU_TIME, group->shares[0].took, group->runs);
    }
    const bool whole = is_whole(groups, run);
    fail_empty_ranges(groups, measurement, run);
    if (!whole)
        return;
    OWNED_TEXT id = program_row_id(measurement->program->name);
    struct result *total = add_share(groups, 0, id, measurement, run);
    if (!total)
        return;
    add_division(total, groups, metrics, run);
    add_counts(total, metrics, COMPUTED_PROCESSES, groups->processes, groups->runs);
    for (size_t i = 0; i < WORK_KINDS; i++)
        if (work[i] != COMPUTED_NONE)
            add_counts(total, metrics, work[i], groups->work[i], groups->runs);
    add_counts(total, metrics, COMPUTED_FIRST_PART, &firsts, 1);
    add_busy(total, groups, metrics);
    add_ranges(groups, measurement, run);
}
