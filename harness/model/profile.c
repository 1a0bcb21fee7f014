#include "profile.h"

#include "base/base.h"

#include <float.h>

/* clang-format off */
/* To add a counter: a name in profile.h and a row here. */
static const struct {
    const char *name, *counter;
    enum line_kind kind;
} counters[LINE_COUNTERS] = {
    [LINE_INSTRUCTIONS]    = {"instructions",       "smsp__sass_inst_executed", LINE_ANY},
    [LINE_ACTIVE_THREADS]  = {"active_threads",     "smsp__sass_thread_inst_executed", LINE_ANY},
    [LINE_WORKING_THREADS] = {"working_threads",    "smsp__sass_thread_inst_executed_pred_on", LINE_ANY},
    [LINE_DIVERGENT]       = {"divergent_branches", "smsp__sass_branch_targets_threads_divergent", LINE_ANY},
    [LINE_UNIFORM]         = {"uniform_branches",   "smsp__sass_branch_targets_threads_uniform", LINE_ANY},
    [LINE_SHARED]          = {"shared_wavefronts",  "smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared", LINE_ANY},
    [LINE_SHARED_IDEAL]    = {"shared_ideal",       "smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared_ideal", LINE_ANY},
    [LINE_LOAD_SECTORS]    = {"load_sectors",       "smsp__sass_sectors_mem_global", LINE_OF_LOADS},
    [LINE_LOAD_IDEAL]      = {"load_ideal",         "smsp__sass_sectors_mem_global_ideal", LINE_OF_LOADS},
    [LINE_STORE_SECTORS]   = {"store_sectors",      "smsp__sass_sectors_mem_global", LINE_OF_STORES},
    [LINE_STORE_IDEAL]     = {"store_ideal",        "smsp__sass_sectors_mem_global_ideal", LINE_OF_STORES},
    [LINE_LOCAL_SECTORS]   = {"local_sectors",      "smsp__sass_sectors_mem_local", LINE_ANY},
    [LINE_GLOBAL_LOADS]    = {"global_loads",       "smsp__sass_inst_executed_op_global_ld", LINE_ANY},
    [LINE_GLOBAL_STORES]   = {"global_stores",      "smsp__sass_inst_executed_op_global_st", LINE_ANY},
    [LINE_LOAD_WAITS]      = {"load_waits",         NULL, LINE_ANY},
    [LINE_ATOMICS]         = {"global_atomics",     NULL, LINE_ANY},
    [LINE_ATOMIC_MEETINGS] = {"atomic_meetings",    NULL, LINE_ANY},
    [LINE_CONSTANT_REPLAYS] = {"constant_replays",  NULL, LINE_ANY},
    [LINE_SLOW]            = {"slow_instructions",  NULL, LINE_ANY},
    [LINE_BARRIERS]        = {"barriers",           NULL, LINE_ANY},
    [LINE_STAYING]         = {"staying_threads",    NULL, LINE_ANY},
    [LINE_OUTSIDE_WAITS]   = {"instructions_outside_waits", NULL, LINE_ANY},
    [LINE_WAITS]           = {"phase_waits",        NULL, LINE_ANY},
};
/* clang-format on */

const char *line_counter_name(enum line_counter counter)
{
    return counters[counter].name;
}

const char *line_counter_metric(enum line_counter counter)
{
    return counters[counter].counter;
}

enum line_kind line_counter_kind(enum line_counter counter)
{
    return counters[counter].kind;
}

void profile_line_release(struct profile_line *line)
{
    for (size_t i = 0; i < line->stall_count; i++)
        free(line->stalls[i].reason);
    free(line->stalls);
    free(line->function);
    free(line->file);
    free(line->text);
}

void profile_release(struct profile *profile)
{
    for (size_t i = 0; i < profile->count; i++)
        profile_line_release(&profile->list[i]);
    free(profile->list);
    *profile = (struct profile){0};
}

/* Orders lines by function, file, number and offset. Lines without a file, which are single instructions, come last in
 * their function. */
static int compare_place(const struct profile_line *line, const char *function, const char *file, unsigned number,
                         unsigned offset)
{
    const int functions = strcmp(line->function, function);
    if (functions != 0)
        return functions;
    if (!line->file || !file) {
        if (line->file || file)
            return line->file ? -1 : 1;
        return line->offset < offset ? -1 : line->offset > offset;
    }
    const int files = strcmp(line->file, file);
    if (files != 0)
        return files;
    return line->number < number ? -1 : line->number > number;
}

/* Adds two counts and caps the sum at DBL_MAX, because counts of a hostile file could overflow. */
static double add(double a, double b)
{
    return fmin(a + b, DBL_MAX);
}

void profile_line_add_stall(struct profile_line *line, const char *reason, double samples)
{
    const size_t place = place_of_name(line->stalls, line->stall_count, sizeof *line->stalls, reason);
    if (place < line->stall_count && strcmp(line->stalls[place].reason, reason) == 0) {
        line->stalls[place].samples = add(line->stalls[place].samples, samples);
        return;
    }
    *ARRAY_INSERT(line->stalls, line->stall_count, place) = (struct stall){x_strdup(reason), samples};
}

/* Merges two lines of the same place. The result is the same whichever comes first. */
static void merge_line(struct profile_line *line, const struct profile_line *more)
{
    for (size_t c = 0; c < LINE_COUNTERS; c++)
        line->counts[c] = add(line->counts[c], more->counts[c]);
    for (size_t k = 0; k < more->stall_count; k++)
        profile_line_add_stall(line, more->stalls[k].reason, more->stalls[k].samples);
    if (more->offset < line->offset)
        line->offset = more->offset;
    if (more->text && (!line->text || strcmp(more->text, line->text) < 0)) {
        free(line->text);
        line->text = x_strdup(more->text);
    }
}

static int by_place(const void *a, const void *b)
{
    const struct profile_line *other = b;
    return compare_place(a, other->function, other->file, other->number, other->offset);
}

void profile_sort(struct profile *profile)
{
    SORT(profile->list, profile->count, by_place);
    size_t kept = 0;
    for (size_t i = 0; i < profile->count; i++) {
        if (kept > 0 && by_place(&profile->list[kept - 1], &profile->list[i]) == 0) {
            merge_line(&profile->list[kept - 1], &profile->list[i]);
            profile_line_release(&profile->list[i]);
        } else {
            profile->list[kept++] = profile->list[i];
        }
    }
    profile->count = kept;
}

size_t profile_place(const struct profile *profile, const char *function, const char *file, unsigned number,
                     unsigned offset)
{
    size_t low = 0;
    for (size_t high = profile->count; low < high;) {
        const size_t middle = low + (high - low) / 2;
        if (compare_place(&profile->list[middle], function, file, number, offset) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct profile_line *profile_add(struct profile *profile, const char *function, const char *file, unsigned number,
                                 unsigned offset)
{
    const size_t place = profile_place(profile, function, file, number, offset);
    if (place < profile->count && compare_place(&profile->list[place], function, file, number, offset) == 0) {
        if (offset < profile->list[place].offset)
            profile->list[place].offset = offset;
        return &profile->list[place];
    }
    struct profile_line *line = ARRAY_INSERT(profile->list, profile->count, place);
    *line = (struct profile_line){
        .function = x_strdup(function),
        .file = x_strdup(file),
        .number = file ? number : 0,
        .offset = offset,
    };
    return line;
}

double profile_line_samples(const struct profile_line *line)
{
    double samples = 0;
    for (size_t i = 0; i < line->stall_count; i++)
        samples = add(samples, line->stalls[i].samples);
    return samples;
}

/* Appends all lines and sorts once: inserting each in its place would take hours for large lists. */
void profile_merge(struct profile *profile, const struct profile *more)
{
    EACH(const struct profile_line, from, more->list, more->count) {
        struct profile_line *line = ARRAY_GROW(profile->list, profile->count);
        line->function = x_strdup(from->function);
        line->file = x_strdup(from->file);
        line->number = from->number;
        line->offset = from->offset;
        merge_line(line, from);
    }
    profile_sort(profile);
    profile->counted |= more->counted;
    profile->estimated |= more->estimated;
    if (more->period) {
        profile->period = more->period;
        profile->launches = more->launches;
    }
}

void profile_copy(struct profile *to, const struct profile *from)
{
    *to = (struct profile){0};
    profile_merge(to, from);
}

double profile_stall_unit(const struct profile *profile)
{
    if (profile->estimated)
        return 1;
    return profile->launches > 0 ? (double)profile->period / profile->launches : 0;
}

double profile_total(const struct profile *profile, enum line_counter counter)
{
    double total = 0;
    for (size_t i = 0; i < profile->count; i++)
        total = add(total, profile->list[i].counts[counter]);
    return total;
}

void profile_keep_files(struct profile *profile)
{
    size_t kept = 0;
    for (size_t i = 0; i < profile->count; i++) {
        if (profile->list[i].file)
            profile->list[kept++] = profile->list[i];
        else
            profile_line_release(&profile->list[i]);
    }
    profile->count = kept;
    if (kept == 0)
        profile_release(profile);
}
