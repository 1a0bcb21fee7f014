/* What a check of machine code says of functions that nobody launched: their occupancy is not known, and so not judged,
 * but whether fewer warps fit than before can be said for each size of block. And of which the code is another. */

#include "check_parts.h"

#define WARP 32
#define BLOCK_MAX 1024
#define TYPICAL 256 /* the block that the note shows, where it is one of those that lose */

struct needs {
    unsigned shared, registers;
};

/* Returns what the functions of a kernel take at most; *unknown says whether nobody says how large a block is. */
static struct needs most_of(const struct result *result, bool *unknown)
{
    struct needs most = {0};
    *unknown = false;
    for (size_t i = 0; i < result->launch_count; i++) {
        const struct code_facts *machine = &result->launches[i].machine;
        *unknown |= result->launches[i].has_machine && result->launches[i].block[0] == 0;
        most.shared = machine->shared_bytes > most.shared ? machine->shared_bytes : most.shared;
        most.registers = machine->registers > most.registers ? machine->registers : most.registers;
    }
    return most;
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

/* "fewer warps fit on an SM ..." */
static char *words_of(const struct result *base, const struct result *now, int capability, bool *loses)
{
    unsigned last = 0, shown = 0;
    for (unsigned threads = WARP; threads <= BLOCK_MAX; threads += WARP) {
        const double is = occupancy_with(now, capability, threads);
        if (is < 0 || is >= occupancy_with(base, capability, threads))
            continue;
        last = threads;
        shown = shown == TYPICAL ? shown : threads;
    }
    *loses = last > 0;
    if (!*loses)
        return x_strdup("occupancy is unchanged for every block size");
    return x_sprintf("fewer warps fit on an SM for some block sizes up to %u, such as %u: %.3g %% -> %.3g %%", last,
                     shown, occupancy_with(base, capability, shown), occupancy_with(now, capability, shown));
}

void check_note_blocks(struct comparison *comparison, const struct run *baseline, const struct run *run)
{
    struct note_items items = {0};
    const int capability = static_facts_capability(&run->device);
    for (size_t i = 0; i < run->result_count; i++) {
        const struct result *now = &run->results[i], *base = run_find(baseline, now->id);
        bool unknown, base_unknown, loses;
        if (!base || now->status != RESULT_OK)
            continue;
        const struct needs is = most_of(now, &unknown), was = most_of(base, &base_unknown);
        if (!unknown || !base_unknown || (is.shared <= was.shared && is.registers <= was.registers))
            continue;
        OWNED_TEXT effect = words_of(base, now, capability, &loses);
        if (is.shared > was.shared)
            note_items_add(&items, "%s (shared memory %u -> %u B; %s)", now->id, was.shared, is.shared, effect);
        else if (loses)
            note_items_add(&items, "%s (registers %u -> %u; %s)", now->id, was.registers, is.registers, effect);
    }
    comparison_add_items(comparison, &items,
                         "uses more; not judged, because machine code does not contain block sizes");
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
