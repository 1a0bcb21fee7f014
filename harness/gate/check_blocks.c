/* What a check of machine code says of functions without a known launch: machine code hardly ever contains the size of
 * a block, so their occupancy is judged for all that the code allows. And of which the code is another. */

#include "check_parts.h"

#define WARP 32
#define BLOCK_MAX 1024
#define TYPICAL 256 /* the block that is judged where no launch bounds name one */

/* Whether a function of the kernel may have any block: the code states none, and no launch is known. */
static bool has_any_block(const struct result *result)
{
    return ANY(i, result->launch_count, result->launches[i].has_machine && result->launches[i].block[0] == 0);
}

/* Returns the largest block that launch bounds allow to all functions of the kernel; 0 where one has none. */
static unsigned bound_of(const struct result *result)
{
    unsigned bound = 0;
    for (size_t i = 0; i < result->launch_count; i++) {
        const unsigned most = result->launches[i].machine.max_threads;
        if (most == 0)
            return 0;
        bound = most > bound ? most : bound;
    }
    return bound;
}

/* Computes for each function of the kernel the occupancy with blocks of so many threads, and returns the lowest, in %;
 * -1 if no function can have such blocks. */
static double occupancy_with(const struct result *result, int capability, unsigned threads)
{
    double least = -1;
    for (size_t i = 0; i < result->launch_count; i++) {
        struct occupancy_launch launch = static_facts_of_launch(&result->launches[i]);
        struct occupancy occupancy;
        launch.threads = threads;
        if ((launch.max_threads == 0 || threads <= launch.max_threads) &&
            occupancy_of(&occupancy, capability, &launch) && (least < 0 || occupancy.percent < least))
            least = occupancy.percent;
    }
    return least;
}

static void set_row(struct result *result, struct row *row, double percent)
{
    row_add_session(row, &percent, 1);
    row->sessions[0].session = result_session(result);
}

/* Judges the block that launch bounds name, or any if all lose. If only some lose, the row is unsure. */
static void settle(struct result *base, struct result *now, struct row *was, struct row *is, int capability)
{
    const unsigned bounds[] = {bound_of(base), bound_of(now)};
    const bool both = bounds[0] > 0 && bounds[1] > 0;
    const unsigned named = both == (bounds[0] < bounds[1]) ? bounds[0] : bounds[1], block = named ? named : TYPICAL;
    unsigned allowed = 0, lost = 0, first = 0, last = 0;
    for (unsigned threads = WARP; threads <= BLOCK_MAX; threads += WARP) {
        const double before = occupancy_with(base, capability, threads),
                     after = occupancy_with(now, capability, threads);
        allowed += before >= 0 && after >= 0;
        if (after < 0 || after >= before)
            continue;
        lost++;
        first = first ? first : threads;
        last = threads;
    }
    const double before = occupancy_with(base, capability, block), after = occupancy_with(now, capability, block);
    if (allowed == 0 || before < 0 || after < 0)
        return;
    set_row(base, was, before);
    if (lost == 0 || lost == allowed || (named && after < before)) {
        set_row(now, is, after);
        is->reason = before == after ? NULL : x_sprintf("for blocks of %u threads", block);
        return;
    }
    const unsigned shown = after < before ? block : last;
    is->reason =
        x_sprintf("with some block sizes from %u to %u threads fewer warps fit on an SM (%u threads: %.3g %% -> "
                  "%.3g %%): state the block size with __block_size__ or __launch_bounds__, or simulate a launch",
                  first, last, shown, occupancy_with(base, capability, shown), occupancy_with(now, capability, shown));
}

void check_settle_blocks(struct run *baseline, struct run *run, const struct metrics *metrics, bool settled)
{
    const struct metric *metric = metrics->list;
    while (metric < metrics->list + metrics->count && computed_counter_of(metric) != COMPUTED_OCCUPANCY)
        metric++;
    for (size_t i = 0; i < run->result_count && metric < metrics->list + metrics->count; i++) {
        struct result *now = &run->results[i], *base = run_find(baseline, now->id);
        struct row *was = base ? result_find(base, metric->name) : NULL, *is = result_find(now, metric->name);
        if (!was || !is || now->status != RESULT_OK || !has_any_block(base) || !has_any_block(now))
            continue;
        row_clear(was);
        row_clear(is);
        was->state = is->state = VALUE_NOT_APPLICABLE;
        if (settled)
            settle(base, now, was, is, static_facts_capability(&run->device));
    }
}

void check_note_code(struct comparison *comparison, const struct run *baseline, const struct run *run)
{
    struct note_items items = {0};
    const char *was;
    size_t known = 0;
    for (size_t i = 0; i < run->result_count && run_origin(run)->code_only; i++) {
        const struct result *now = &run->results[i], *base = run_find(baseline, now->id);
        if (!base || now->status != RESULT_OK || !result_has_code(now) || !result_has_code(base))
            continue;
        known++;
        if (!same_code(base, now) && !compare_other_toolchain(comparison, baseline, base, run, now, &was))
            note_items_add(&items, "%s", now->id);
    }
    OWNED_TEXT words = x_sprintf("machine code changed in %zu of %zu functions", items.count, known);
    comparison_add_items(comparison, &items, words);
}
