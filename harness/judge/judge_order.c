/* In which order the evidence is told: what costs most comes first, and a cause before what it brings about. */
#include "judge_parts.h"

/* A row that is worse accounts for its effects that are worse, where it moved by half as much as they did, as
 * logarithms: then their cost counts as its own, and it is told before them. Of two causes the one further down is told
 * first. To add a cause: a row. */
static const struct cause {
    const char *metric;
    bool appeared;       /* where there was nothing of it before alone */
    const char *effects; /* each between spaces */
} causes[] = {
    {"threads_per_instruction", false, " instructions branch_targets "},
    {"branch_targets_divergent", false, " threads_per_instruction "},
    {"global_load_requests", false, " load_waits "},
    {"global_load_sectors", false, " global_load_requests load_waits dram_bytes_read l1_hit_rate l2_hit_rate "},
    {"global_store_sectors", false, " global_store_requests dram_bytes_write l2_hit_rate "},
    {"grid_balance", false, " instructions shared_wavefronts excess_wavefronts global_load_sectors "},
    {"global_atomics", true, " instructions threads_per_instruction branch_targets_divergent "},
    {"local_memory", true,
     " instructions branch_targets load_waits dram_bytes_read dram_bytes_write l1_hit_rate l2_hit_rate "},
};

/* Returns how far a row moved, as the logarithm of its ratio; infinite where it appeared or is gone. */
static double ratio_of(const struct judgement *judgement)
{
    return judgement->base > 0 && judgement->now > 0 ? fabs(log(judgement->now / judgement->base)) : HUGE_VAL;
}

/* Lets the row stand for the effects of its cause that are worse as well. */
static void take_effects(struct judgement *judgement, const struct cause *cause, const struct judgement *rows,
                         size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (judgement_is_worse(&rows[i]) && rows[i].metric && name_is_one_of(rows[i].metric->name, cause->effects) &&
            ratio_of(judgement) >= ratio_of(&rows[i]) / 2) {
            judgement->share = fmax(judgement->share, rows[i].share);
            judgement->cause = (unsigned)(cause - causes) + 1;
        }
}

/* Returns how much of the time of the whole program a row of it or of one of its kernels explains; 0: it is no time,
 * nor launches of a kernel. */
static double share_of_time(const struct judgement *judgement, const struct sides *sides, const struct result *now)
{
    const struct metric *ignored;
    const struct result *program = program_of(sides->baseline, judgement->kernel);
    const double whole = program ? program_time(sides->metrics, program, &ignored) : NAN;
    const double often = program_launches(sides->metrics, now), took = program_time(sides->metrics, now, &ignored);
    const bool is_time = judgement->metric->class == METRIC_TIME, is_whole = row_kind(judgement->kernel) != ROW_KERNEL;
    const double one = is_whole                                                      ? (is_time ? 1 : NAN)
                       : is_time                                                     ? often
                       : computed_counter_of(judgement->metric) == COMPUTED_LAUNCHES ? took / often
                                                                                     : NAN;
    const double share = fabs(judgement->change) * one / whole;
    return isfinite(share) ? share : 0;
}

void order_evidence(struct judgement *rows, size_t count, const struct sides *sides)
{
    const struct result *base = run_find(sides->baseline, rows->kernel), *now = run_find(sides->run, rows->kernel);
    if (!base || !now || sides->origin->code_only)
        return;
    struct estimate was, is;
    estimate_time(&was, &sides->run->device, base);
    estimate_time(&is, &sides->run->device, now);
    estimate_pair(&was, &is);
    for (size_t i = 0; i < count; i++)
        if (rows[i].metric && rows[i].compared)
            rows[i].share = sides->origin->own_caches ? share_of_time(&rows[i], sides, now)
                                                      : estimate_share(&was, &is, rows[i].metric->name);
    for (size_t c = 0; c < ARRAY_SIZE(causes); c++)
        for (size_t i = 0; i < count; i++)
            if (judgement_is_worse(&rows[i]) && rows[i].metric && strcmp(rows[i].metric->name, causes[c].metric) == 0 &&
                (!causes[c].appeared || !(rows[i].base > 0)))
                take_effects(&rows[i], &causes[c], rows, count);
}

/* Returns how far the value moved in units of measure (its limit or its old value); infinite for a measure of 0. */
static double moved(const struct judgement *judgement, double measure)
{
    if (!judgement->has_base || !judgement->has_now || judgement->change == 0)
        return 0;
    return measure > 0 ? fabs(judgement->change) / measure : HUGE_VAL;
}

/* Branches cost little themselves: what they make warps do is in other rows. */
static bool is_of_branches(const struct judgement *judgement)
{
    return judgement->metric && strncmp(judgement->metric->name, "branch_", strlen("branch_")) == 0;
}

int judgements_worst_first(const void *left, const void *right)
{
    const struct judgement *a = left, *b = right;
    if (a->verdict != b->verdict)
        return a->verdict < b->verdict ? -1 : 1;

    if (a->share != b->share)
        return a->share > b->share ? -1 : 1;
    if (a->cause != b->cause)
        return a->cause > b->cause ? -1 : 1;
    if (a->metric != b->metric && is_of_branches(a) != is_of_branches(b))
        return is_of_branches(a) ? 1 : -1;

    const double limits_a = moved(a, a->limit), limits_b = moved(b, b->limit);
    if (limits_a != limits_b)
        return limits_a > limits_b ? -1 : 1;

    const double ratio_a = moved(a, fabs(a->base)), ratio_b = moved(b, fabs(b->base));
    if (ratio_a != ratio_b)
        return ratio_a > ratio_b ? -1 : 1;

    const int order = strcmp(a->kernel, b->kernel);
    return order ? order : strcmp(a->metric ? a->metric->name : "", b->metric ? b->metric->name : "");
}
