#include "upgrade.h"

#include "cubin/cubin.h"

#include "launch_change.h"

static const char *const class_names[UPGRADE_CLASSES] = {
    [UPGRADE_LAUNCH] = "launch",
    [UPGRADE_SAME] = "same code",
    [UPGRADE_REGISTERS] = "registers or spills",
    [UPGRADE_SCHEDULE] = "the same instructions in another order",
    [UPGRADE_INSTRUCTIONS] = "other instructions",
    [UPGRADE_UNKNOWN] = "other code",
};

const char *upgrade_class_name(enum upgrade_class class)
{
    return class_names[class];
}

/* ---- The class ---- */

static bool is_launched_alike(const struct launch *a, const struct launch *b)
{
    return memcmp(a->grid, b->grid, sizeof a->grid) == 0 && memcmp(a->block, b->block, sizeof a->block) == 0 &&
           a->shared == b->shared && a->times == b->times;
}

static unsigned warps_of(int capability, const struct launch *launch)
{
    const struct occupancy_launch facts = static_facts_of_launch(launch);
    struct occupancy occupancy;
    return occupancy_of(&occupancy, capability, &facts) ? occupancy.warps : 0;
}

/* Returns the class of one launch that both sides launch alike. */
static enum upgrade_class class_of_code(int capability, const struct launch *was, const struct launch *is)
{
    if (was->code && is->code && strcmp(was->code, is->code) == 0)
        return UPGRADE_SAME;
    const bool machines = was->has_machine && is->has_machine, mixes = was->mix && is->mix;
    const bool same_mix = mixes && strcmp(was->mix, is->mix) == 0;
    if (machines &&
        (was->machine.local_bytes != is->machine.local_bytes || warps_of(capability, was) != warps_of(capability, is) ||
         (same_mix && was->machine.registers != is->machine.registers)))
        return UPGRADE_REGISTERS;
    return same_mix ? UPGRADE_SCHEDULE : mixes ? UPGRADE_INSTRUCTIONS : UPGRADE_UNKNOWN;
}

static enum upgrade_class class_of(int capability, const struct result *base, const struct result *now)
{
    enum upgrade_class class = UPGRADE_UNKNOWN;
    if (base->launch_count == 0 || now->launch_count == 0)
        return UPGRADE_UNKNOWN;
    if (base->launch_count != now->launch_count)
        return UPGRADE_LAUNCH;
    for (size_t i = 0; i < now->launch_count; i++) {
        if (!is_launched_alike(&base->launches[i], &now->launches[i]))
            return UPGRADE_LAUNCH;
        const enum upgrade_class one = class_of_code(capability, &base->launches[i], &now->launches[i]);
        if (i == 0 || class == UPGRADE_SAME || (one != UPGRADE_SAME && one < class))
            class = one;
    }
    return class;
}

/* ---- What it costs ---- */

static double median_of_pairs(const struct row *row)
{
    OWNED_MEMORY double *moved = x_calloc(row->pair_count, sizeof *moved);
    for (size_t i = 0; i < row->pair_count; i++)
        moved[i] = row->pairs[i].head - row->pairs[i].base;
    return median(moved, row->pair_count);
}

/* Returns the comparison of a kernel's row of that computed counter, else of the other one; NULL without either. */
static const struct judgement *find_counter(const struct comparison *comparison, const char *kernel,
                                            enum computed_counter computed, const char *counter)
{
    const struct judgement *found = NULL;
    EACH(const struct judgement, judgement, comparison->list, comparison->count) {
        if (!judgement->metric || !judgement->compared || strcmp(judgement->kernel, kernel) != 0)
            continue;
        if (computed != COMPUTED_NONE && computed_counter_of(judgement->metric) == computed)
            return judgement;
        if (strcmp(judgement->metric->counter, counter) == 0)
            found = judgement;
    }
    return found;
}

static double gained(const struct judgement *instructions)
{
    return instructions && instructions->base > 0 ? instructions->change / instructions->base : 0;
}

static int most_lost_first(const void *left, const void *right)
{
    const struct upgraded *a = left, *b = right;
    if (a->lost != b->lost)
        return a->lost > b->lost ? -1 : 1;
    const double more = gained(a->instructions), other = gained(b->instructions);
    if (more != other)
        return more > other ? -1 : 1;
    return a->class != b->class ? (int)a->class - (int)b->class : strcmp(a->kernel, b->kernel);
}

static void add_kernel(struct upgrade *upgrade, const struct comparison *comparison, int capability,
                       const struct result *base, const struct result *now)
{
    struct upgraded *kernel = ARRAY_GROW(upgrade->list, upgrade->count);
    *kernel = (struct upgraded){
        .kernel = now->id,
        .class = class_of(capability, base, now),
        .time = find_counter(comparison, now->id, COMPUTED_GPU_TIME, COUNTER_TIME),
        .instructions = find_counter(comparison, now->id, COMPUTED_NONE, COUNTER_INSTRUCTIONS),
        .change = launch_change_of(capability, base, now),
    };
    if (!kernel->time)
        return;
    const struct row *row = result_find(now, kernel->time->metric->name);
    kernel->lost = row && row->pair_count > 0 ? median_of_pairs(row) : kernel->time->change - kernel->time->drift;
}

/* ---- By library ---- */

/* Returns the library in "model.py:42 (forward), libcublasLt.so.13"; "" without one. */
static const char *library_in(const char *launched_by)
{
    const char *last = launched_by ? strrchr(launched_by, ',') : NULL;
    last = last ? last + strspn(last, ", ") : launched_by;
    return last && strstr(last, ".so") ? last : "";
}

static struct upgrade_part *find_part(struct upgrade *upgrade, const char *library)
{
    for (size_t i = 0; i < upgrade->part_count; i++)
        if (strcmp(upgrade->parts[i].library, library) == 0)
            return &upgrade->parts[i];
    struct upgrade_part *part = ARRAY_GROW(upgrade->parts, upgrade->part_count);
    *part = (struct upgrade_part){x_strdup(library), 0};
    return part;
}

static int most_lost_part_first(const void *left, const void *right)
{
    const struct upgrade_part *a = left, *b = right;
    return a->lost != b->lost ? a->lost > b->lost ? -1 : 1 : strcmp(a->library, b->library);
}

static void forget_parts(struct upgrade *upgrade)
{
    for (size_t i = 0; i < upgrade->part_count; i++)
        free(upgrade->parts[i].library);
    free(upgrade->parts);
    upgrade->parts = NULL;
    upgrade->part_count = 0;
}

static void divide(struct upgrade *upgrade, const struct run *run)
{
    bool known = false;
    for (size_t i = 0; i < upgrade->count; i++) {
        const char *library = library_in(run_find(run, upgrade->list[i].kernel)->launched_by);
        if (!upgrade->list[i].time)
            continue;
        find_part(upgrade, library)->lost += upgrade->list[i].lost;
        known |= *library != '\0';
    }
    if (!known)
        forget_parts(upgrade);
    else
        SORT(upgrade->parts, upgrade->part_count, most_lost_part_first);
}

void upgrade_make(struct upgrade *upgrade, const struct comparison *comparison, const struct run *baseline,
                  const struct run *run)
{
    *upgrade = (struct upgrade){0};
    const int capability = static_facts_capability(&run->device);
    for (size_t i = 0; i < run->result_count; i++) {
        const struct result *now = &run->results[i], *base = run_find(baseline, now->id);
        const char *was, *is = NULL;
        if (!base || base->status != RESULT_OK || now->status != RESULT_OK || !result_has_code(base) ||
            !result_has_code(now))
            continue;
        if (same_code(base, now))
            upgrade->same++;
        else if ((is = compare_other_toolchain(comparison, baseline, base, run, now, &was)))
            add_kernel(upgrade, comparison, capability, base, now);
        if (is && !upgrade->is) {
            upgrade->is = is;
            upgrade->was = was;
        }
    }
    SORT(upgrade->list, upgrade->count, most_lost_first);
    divide(upgrade, run);
}

void upgrade_release(struct upgrade *upgrade)
{
    for (size_t i = 0; i < upgrade->count; i++)
        free(upgrade->list[i].change);
    free(upgrade->list);
    forget_parts(upgrade);
    *upgrade = (struct upgrade){0};
}
