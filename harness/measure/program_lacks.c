/* What the first run of a program lacks: kernels that were launched too rarely to be counted in all sets of metrics. */
#include "program_parts.h"

/* Returns how many samples the group has in the set; SIZE_MAX if the answer was that it cannot be counted. */
static size_t samples_of(const struct result *result, const struct metrics *metrics, const size_t *set_of, size_t set)
{
    size_t samples = 0, rows = 0;
    for (size_t m = 0; result && m < metrics->count; m++) {
        const struct row *row = set_of[m] == set + 1 ? result_find(result, metrics->list[m].name) : NULL;
        const size_t count = row && row->state == VALUE_MEASURED ? row->sessions[0].count : 0;
        rows += row != NULL;
        samples = count > samples ? count : samples;
    }
    return rows > 0 && samples == 0 ? SIZE_MAX : samples;
}

/* Whether the group has more samples in some set than in that one, which has too few. */
static bool has_more(const struct result *result, const struct metrics *metrics, const size_t *set_of, size_t samples,
                     size_t enough)
{
    for (size_t m = 0; result && m < metrics->count; m++) {
        const size_t other = set_of[m] > 0 ? samples_of(result, metrics, set_of, set_of[m] - 1) : SIZE_MAX;
        if (other != SIZE_MAX && other > samples && samples < enough)
            return true;
    }
    return false;
}

size_t program_lacks(const struct program_groups *groups, const struct run *run, const struct metrics *metrics,
                     const size_t *set_of, size_t set, size_t enough, bool is_whole)
{
    size_t lacking = 0;
    for (size_t g = 0; g < groups->count; g++) {
        struct program_group *group = groups->list[g];
        const struct result *result = run_find(run, group->id);
        const size_t samples = samples_of(result, metrics, set_of, set);
        const bool missed = group->unrecorded || program_group_missed(group, set) ||
                            (!is_whole && has_more(result, metrics, set_of, samples, enough));
        group->complete = !group->wanted || group->known || !missed || samples >= enough;
        lacking += !group->complete;
    }
    return lacking;
}

bool program_group_missed(const struct program_group *group, size_t set)
{
    return set < group->missed_count && group->missed[set] > 0;
}

bool program_group_is_of_first_part(const struct program_group *group)
{
    return group->times > 0 && !group->is_late;
}

double program_group_time(const struct program_group *group)
{
    const struct program_share *whole = &group->shares[0];
    for (size_t run = 0; run < group->runs; run++)
        if (whole->counts[run] > 0 && !isnan(whole->took[run]))
            return whole->took[run];
    return group->runs > 0 ? whole->took[0] : NAN;
}

static double all_time(const struct program_groups *groups)
{
    double all = 0;
    for (size_t g = 0; g < groups->count; g++)
        all += program_group_time(groups->list[g]);
    return all;
}

/* Whether the group took less than 1 % of the first run's GPU time, by records; false where these lack any time. */
static bool program_group_is_seldom(const struct program_groups *groups, const struct program_group *group)
{
    return program_is_seldom(program_group_time(group), all_time(groups));
}

bool program_group_is_spared(const struct program_groups *groups, const struct program_group *group, size_t first)
{
    return program_group_is_of_first_part(group) && (group->times > first || program_group_is_seldom(groups, group));
}

size_t program_spare_first_part(const struct program_groups *groups, size_t first)
{
    size_t spared = 0;
    for (size_t g = 0; g < groups->count; g++) {
        struct program_group *group = groups->list[g];
        if (group->complete || !program_group_is_spared(groups, group, first))
            continue;
        group->complete = true;
        spared++;
    }
    return spared;
}

bool program_lack_matters(const struct program_groups *groups)
{
    const double whole = all_time(groups);
    double time = 0;
    bool matters = false;
    for (size_t g = 0; g < groups->count; g++) {
        const struct program_group *group = groups->list[g];
        if (group->complete)
            continue;
        time += program_group_time(group);
        matters |= !program_is_seldom(program_group_time(group), whole);
    }
    return matters || !(2 * time < whole);
}

bool program_lack_is_seldom(const struct program_groups *groups, const struct run *run)
{
    double lacks = 0, all = 0;
    for (size_t g = 0; g < groups->count; g++) {
        const struct program_group *group = groups->list[g];
        const double took = group->runs > 0 ? program_group_time(group) : 0;
        all += took;
        lacks += group->wanted && !group->known && !run_find(run, group->id) ? took : 0;
    }
    return program_is_seldom(lacks, all);
}

/* Orders groups by how long they took, the longest first. */
static int by_time(const void *left, const void *right)
{
    const double a = program_group_time(*(struct program_group *const *)left),
                 b = program_group_time(*(struct program_group *const *)right);
    return (a < b) - (a > b);
}

size_t program_drop_short(const struct program_groups *groups)
{
    OWNED_MEMORY struct program_group **lacking = x_calloc(groups->count + 1, sizeof(struct program_group *));
    size_t count = 0;
    for (size_t g = 0; g < groups->count; g++)
        if (!groups->list[g]->complete)
            lacking[count++] = groups->list[g];
    qsort(lacking, count, sizeof(struct program_group *), by_time);
    for (size_t i = PROGRAM_LACKING_MANY; i < count; i++)
        lacking[i]->complete = true;
    return count > PROGRAM_LACKING_MANY ? count - PROGRAM_LACKING_MANY : 0;
}

char *program_left_out(const struct program_groups *groups, const struct run *run, const struct metrics *metrics,
                       const size_t *set_of)
{
    enum { SHOWN = 5 };
    OWNED_MEMORY struct program_group **list = x_calloc(groups->count + 1, sizeof(struct program_group *));
    size_t count = 0;
    double time = 0;
    for (size_t g = 0; g < groups->count; g++) {
        const struct program_group *group = groups->list[g];
        const struct result *result = group->times > 0 ? run_find(run, group->id) : NULL;
        bool lacks = group->skipped;
        for (size_t m = 0; m < metrics->count && result && set_of && !group->known; m++)
            lacks |= set_of[m] > 0 && !result_find(result, metrics->list[m].name);
        if (result && lacks)
            list[count++] = groups->list[g];
    }
    qsort(list, count, sizeof(struct program_group *), by_time);
    OWNED_TEXT names = x_strdup("");
    for (size_t i = 0; i < count; i++) {
        time += program_group_time(list[i]);
        if (i < SHOWN)
            x_append(&names, ",", " %s", list[i]->id);
    }
    const double all = all_time(groups); /* 0 where none was measured */
    OWNED_TEXT share = !(all > 0)          ? x_strdup("")
                       : 1000 * time < all ? x_strdup(", <0.1 % of the GPU time")
                                           : x_sprintf(", %.1f %% of the GPU time", 100 * time / all);
    return count == 0
               ? NULL
               : x_sprintf("%zu kernel%s%s:%s%s", count, plural(count), share, names, count > SHOWN ? ", ..." : "");
}

/* Whether what a further run has of a metric is to stand. What one launch could not count, all of them have not. */
static bool replaces(const struct row *from, const struct row *row)
{
    if (!row)
        return true;
    if (row->state == VALUE_NOT_COUNTED || from->state == VALUE_NOT_COUNTED)
        return row->state != VALUE_NOT_COUNTED;
    return from->state == VALUE_MEASURED &&
           (row->state != VALUE_MEASURED || from->sessions[0].count > row->sessions[0].count);
}

void program_complete_rows(struct result *result, struct result *more)
{
    EACH(struct row, from, more->rows, more->row_count) {
        if (!replaces(from, result_find(result, from->metric)))
            continue;
        struct row *row = result_add(result, from->metric);
        const struct row before = *row;
        *row = *from;
        *from = before;
    }
}
