#include "counters.h"

/* Returns whether an instruction accesses global memory: by its name, or for generic instructions by what it accessed.
 */
static bool is_global(const struct tally *tally, unsigned traits)
{
    return traits & TRAIT_GLOBAL || (traits & TRAIT_GENERIC && tally->global_accesses > 0);
}

static bool is_local(const struct tally *tally, unsigned traits)
{
    return traits & TRAIT_LOCAL || (traits & TRAIT_GENERIC && tally->global_accesses == 0 && tally->local_accesses > 0);
}

/* Whether it is of a loop that waits for other blocks or warps: how often that turns is chance. A wait for a phase is
 * counted as if it looked once. */
static bool is_of_loop(const struct tally *tally)
{
    return tally->spins && !tally->looks;
}

/* ---- Amounts: what one instruction adds to each of them ---- */

#define AMOUNT(name, ...)                                                                                              \
    static double name(const struct tally *tally, unsigned traits)                                                     \
    {                                                                                                                  \
        (void)traits;                                                                                                  \
        return (double)(__VA_ARGS__);                                                                                  \
    }
#define PLAIN(name) AMOUNT(name, tally->name)
#define ARITHMETIC(name, wanted) AMOUNT(name, (traits & (wanted)) == (wanted) ? tally->working : 0)

AMOUNT(instructions, tally->executed + tally->again)
AMOUNT(outside_waits, is_of_loop(tally) ? 0 : instructions(tally, traits))
AMOUNT(working_threads, tally->working + tally->again_threads - tally->unsent_threads)
AMOUNT(branch_targets, tally->uniform + tally->divergent)
AMOUNT(divergent_targets, tally->divergent)
AMOUNT(uniform_percent, 100.0 * (double)tally->uniform)
AMOUNT(shared_wavefronts, tally->wavefronts)
AMOUNT(global_load_sectors, traits &TRAIT_LOAD &&is_global(tally, traits) ? tally->unit_sectors : 0)
AMOUNT(global_store_sectors, traits &TRAIT_STORE &&is_global(tally, traits) ? tally->unit_sectors : 0)
/* ... without asynchronous copies */
AMOUNT(global_loads, traits &TRAIT_LOAD && !(traits & TRAIT_ASYNC_COPY) ? tally->global_accesses : 0)
AMOUNT(global_stores, traits &TRAIT_STORE ? tally->global_accesses : 0)
AMOUNT(local_load_sectors, traits &TRAIT_LOAD &&is_local(tally, traits) ? tally->unit_sectors : 0)
AMOUNT(local_store_sectors, traits &TRAIT_STORE &&is_local(tally, traits) ? tally->unit_sectors : 0)
AMOUNT(local_sectors, local_load_sectors(tally, traits) + local_store_sectors(tally, traits))
ARITHMETIC(fp64, TRAIT_FP64)
ARITHMETIC(fp64_fused, TRAIT_FP64 | TRAIT_FUSED)
ARITHMETIC(fp32, TRAIT_FP32)
ARITHMETIC(fp32_fused, TRAIT_FP32 | TRAIT_FUSED)
ARITHMETIC(fp16, TRAIT_FP16)
ARITHMETIC(fp16_fused, TRAIT_FP16 | TRAIT_FUSED)
AMOUNT(host_bytes, tally->home_bytes[HOME_HOST])
AMOUNT(managed_bytes, tally->home_bytes[HOME_MANAGED])
PLAIN(waits)
PLAIN(atomics)
PLAIN(atomic_meetings)
PLAIN(hottest)
PLAIN(constant_replays)
PLAIN(longest_warp)
PLAIN(busiest_block)
PLAIN(slow)
PLAIN(barriers)
PLAIN(slept)
PLAIN(past_l1)
PLAIN(converted)
PLAIN(loose)
PLAIN(wide)
PLAIN(breaks)
PLAIN(loose_threads)
PLAIN(loose_waits)
PLAIN(phase_waits)
PLAIN(more_instructions)
PLAIN(more_targets)
PLAIN(more_divergent)
PLAIN(fewer_divergent)
PLAIN(followed)
PLAIN(loose_wavefronts)
PLAIN(loose_sectors)

typedef double amount(const struct tally *tally, unsigned traits);

/* The counters, a row each. To add a counter: a row here. */
static const struct {
    amount *sum;
    amount *by; /* the divisor of a ratio; NULL: a sum */
} counters[EXACT_COUNTERS] = {
    [EXACT_INSTRUCTIONS] = {instructions, NULL},
    [EXACT_THREADS_PER_INSTRUCTION] = {working_threads, instructions},
    [EXACT_BRANCH_TARGETS] = {branch_targets, NULL},
    [EXACT_DIVERGENT_TARGETS] = {divergent_targets, NULL},
    [EXACT_BRANCH_EFFICIENCY] = {uniform_percent, branch_targets},
    [EXACT_SHARED_WAVEFRONTS] = {shared_wavefronts, NULL},
    [EXACT_GLOBAL_LOAD_SECTORS] = {global_load_sectors, NULL},
    [EXACT_GLOBAL_LOADS] = {global_loads, NULL},
    [EXACT_GLOBAL_STORE_SECTORS] = {global_store_sectors, NULL},
    [EXACT_GLOBAL_STORES] = {global_stores, NULL},
    [EXACT_LOCAL_LOAD_SECTORS] = {local_load_sectors, NULL},
    [EXACT_LOCAL_STORE_SECTORS] = {local_store_sectors, NULL},
    [EXACT_FP64] = {fp64, NULL},
    [EXACT_FP64_FUSED] = {fp64_fused, NULL},
    [EXACT_FP32] = {fp32, NULL},
    [EXACT_FP32_FUSED] = {fp32_fused, NULL},
    [EXACT_FP16_CONVERTED] = {converted, NULL},
    [EXACT_FP16] = {fp16, NULL},
    [EXACT_FP16_FUSED] = {fp16_fused, NULL},
    [EXACT_LOAD_WAITS] = {waits, NULL},
    [EXACT_ATOMICS] = {atomics, NULL},
    [EXACT_ATOMIC_MEETINGS] = {atomic_meetings, NULL},
    [EXACT_HOTTEST] = {hottest, NULL},
    [EXACT_CONSTANT_REPLAYS] = {constant_replays, NULL},
    [EXACT_LOCAL_SECTORS] = {local_sectors, NULL},
    [EXACT_LONGEST_WARP] = {longest_warp, NULL},
    [EXACT_BUSIEST_BLOCK] = {busiest_block, NULL},
    [EXACT_SLOW] = {slow, NULL},
    [EXACT_BARRIERS] = {barriers, NULL},
    [EXACT_SLEEP] = {slept, NULL},
    [EXACT_PAST_L1] = {past_l1, NULL},
    [EXACT_HOST_BYTES] = {host_bytes, NULL},
    [EXACT_MANAGED_BYTES] = {managed_bytes, NULL},
    [EXACT_OUTSIDE_WAITS] = {outside_waits, NULL},
};

static double total(amount *of, const struct tally *tallies, const unsigned *traits, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        if (tallies[i].executed > 0)
            sum += of(&tallies[i], traits[i]);
    return sum;
}

/* How far a GPU strays from the count that is executed here, of `most` instructions of which chance decides. In 350
 * kernels of which an H200's counts are recorded (tests/data/sim-nvidia-h200.tar.xz) it never strayed further than 0.15
 * of them (78 of 524) and 0.36 % of all, but where lanes exit while others wait for them (splits.h), all of which is
 * allowed besides. So a quarter of them is allowed and 0.5 % of all, but never less than 16.
 * threads_per_instruction strayed by 0.21 of what the threads of all of them would make of it, of which a third is
 * allowed. In 101 other kernels an H100 strayed by 0.08 % at most. Two cases strayed further there and are wide, so
 * that all of it is allowed: lanes that leave a loop of swaps in shared memory, as many do at once (31 of 162, and 84
 * in instrumented code), and groups of a WARPSYNC.COLLECTIVE (512 of 512). Where lanes break out of a loop (BREAK), two
 * kernels of others strayed by a third: half is allowed there, and 1 % of all. */
static double room(double most, double all, bool breaks)
{
    enum { FEW = 16 };
    return floor(fmin(most, fmax(FEW, fmin(most / (breaks ? 2 : 4), (breaks ? 0.01 : 0.005) * all))));
}

/* Sets the bounds of branches. These are counted by code that NVIDIA's tools put in between, which makes a kernel
 * slower, so that every wait for a phase may give up once: it looks again, and lanes that yield there may be apart from
 * others. Of lanes that broke out one after the other as many branches are allowed to be one as instructions are. */
static void bound_branches(const struct tally *tallies, const unsigned *traits, size_t count, bool most,
                           double values[EXACT_COUNTERS])
{
    double *targets = &values[EXACT_BRANCH_TARGETS], *divergent = &values[EXACT_DIVERGENT_TARGETS];
    const double one = room(total(followed, tallies, traits, count), *targets, true), fewest = *targets - one,
                 looks = total(phase_waits, tallies, traits, count),
                 all = *targets + total(more_targets, tallies, traits, count) + looks,
                 fewer = fmax(*divergent - one - total(fewer_divergent, tallies, traits, count), 0),
                 more = fmin(*divergent + one + total(more_divergent, tallies, traits, count), all);
    if (*targets == 0 || (fewest == all && fewer == more))
        return;
    *targets = most ? all : fewest;
    *divergent = most ? more : fewer;
    values[EXACT_BRANCH_EFFICIENCY] = most ? 100 * (1 - fewer / all) : fmax(100 * (1 - more / fewest), 0);
}

static void counters_at(const struct tally *tallies, const unsigned *traits, size_t count, enum bound bound,
                        double values[EXACT_COUNTERS])
{
    for (enum exact_counter counter = 0; counter < EXACT_COUNTERS; counter++) {
        const double by = counters[counter].by ? total(counters[counter].by, tallies, traits, count) : 1;
        const double sum = total(counters[counter].sum, tallies, traits, count);
        values[counter] = by > 0 ? sum / by : NAN;
    }
    if (bound == BOUND_NONE)
        return;
    const double sign = bound == BOUND_LEAST ? -1 : 1;
    double *wavefronts = &values[EXACT_SHARED_WAVEFRONTS], *sectors = &values[EXACT_GLOBAL_LOAD_SECTORS];
    *wavefronts = fmax(*wavefronts + sign * total(loose_wavefronts, tallies, traits, count), 0);
    *sectors = fmax(*sectors + sign * total(loose_sectors, tallies, traits, count), 0);
    bound_branches(tallies, traits, count, bound == BOUND_MOST, values);
    /* Below are the counters of executed instructions, their threads and waits. No other counter but those of branches
     * depends on which lane comes first. */
    const double all = total(instructions, tallies, traits, count),
                 seen = total(more_instructions, tallies, traits, count);
    const double all_wide = total(wide, tallies, traits, count), by_chance = total(loose, tallies, traits, count);
    const bool parts = total(breaks, tallies, traits, count) > 0;
    const double more = room(by_chance, all, parts) + all_wide;
    const double share = all_wide > 0 || by_chance == 0 ? 1 : fmax(more / by_chance, 1.0 / 3);
    const double threads = total(loose_threads, tallies, traits, count) * share;
    if (more + seen + threads == 0 || all <= more)
        return;
    const double working = total(working_threads, tallies, traits, count);
    values[EXACT_OUTSIDE_WAITS] = fmax(values[EXACT_OUTSIDE_WAITS] + sign * more, 0);
    values[EXACT_INSTRUCTIONS] = all + sign * more + (bound == BOUND_LEAST ? 0 : seen);
    for (enum exact_counter of = EXACT_LONGEST_WARP; of <= EXACT_BUSIEST_BLOCK; of++) {
        const double own = room(fmin(by_chance, values[of]), values[of], parts) + fmin(all_wide, values[of]);
        values[of] = bound == BOUND_LEAST ? fmax(values[of] - own, 0) : values[of] + own + fmin(seen, values[of]);
    }
    values[EXACT_LOAD_WAITS] = fmax(values[EXACT_LOAD_WAITS] + sign * total(loose_waits, tallies, traits, count), 0);
    values[EXACT_THREADS_PER_INSTRUCTION] = bound == BOUND_LEAST
                                                ? fmax(working - threads + seen, 0) / (all + more + seen)
                                                : fmin((working + threads + LANES * seen) / (all - more + seen), LANES);
}

void counters_of(const struct tally *tallies, const unsigned *traits, size_t count, enum bound bound,
                 double values[EXACT_COUNTERS])
{
    OWNED_MEMORY struct tally *own = x_calloc(count + 1, sizeof *own);
    memcpy(own, tallies, count * sizeof *own);
    for (size_t i = 0; i < count; i++)
        own[i].working += bound == BOUND_LEAST ? -own[i].fewer_work : bound == BOUND_MOST ? own[i].more_work : 0;
    counters_at(own, traits, count, bound, values);
}

static bool is_undecided(amount *of, const struct tally *one, const struct tally *other, unsigned traits)
{
    const double a = of ? of(one, traits) : 0, b = of ? of(other, traits) : 0;
    return a != b || ((depends_on_timing(one) || depends_on_timing(other)) && a > 0);
}

/* The same of instructions outside of waits: chance decides only what follows a wait for a phase that gave up. */
static bool is_open_outside_waits(const struct tally *one, const struct tally *other, unsigned traits)
{
    const double a = outside_waits(one, traits);
    return a != outside_waits(other, traits) || one->loose != other->loose || one->wide != other->wide ||
           ((one->spins || other->spins) && a > 0);
}

void counters_compare(const struct tally *one, const struct tally *other, const unsigned *traits, size_t count,
                      bool open[EXACT_COUNTERS], unsigned *open_lines)
{
    for (size_t i = 0; i < count; i++) {
        double lines[LINE_COUNTERS], others[LINE_COUNTERS];
        if (one[i].executed == 0 && other[i].executed == 0)
            continue;
        for (enum exact_counter counter = 0; counter < EXACT_OUTSIDE_WAITS; counter++)
            open[counter] |= is_undecided(counters[counter].sum, &one[i], &other[i], traits[i]) ||
                             is_undecided(counters[counter].by, &one[i], &other[i], traits[i]);
        const bool outside = is_open_outside_waits(&one[i], &other[i], traits[i]);
        open[EXACT_OUTSIDE_WAITS] |= outside;
        open[EXACT_SHARED_WAVEFRONTS] |= is_undecided(loose_wavefronts, &one[i], &other[i], traits[i]);
        open[EXACT_GLOBAL_LOAD_SECTORS] |= is_undecided(loose_sectors, &one[i], &other[i], traits[i]);
        open[EXACT_INSTRUCTIONS] |=
            is_undecided(loose, &one[i], &other[i], traits[i]) || is_undecided(wide, &one[i], &other[i], traits[i]);
        open[EXACT_THREADS_PER_INSTRUCTION] |=
            open[EXACT_INSTRUCTIONS] || is_undecided(loose_threads, &one[i], &other[i], traits[i]);
        open[EXACT_LONGEST_WARP] |= open[EXACT_INSTRUCTIONS];
        open[EXACT_BUSIEST_BLOCK] |= open[EXACT_INSTRUCTIONS];
        counters_of_line(&one[i], traits[i], lines);
        counters_of_line(&other[i], traits[i], others);
        for (enum line_counter counter = 0; counter < LINE_COUNTERS; counter++)
            if (lines[counter] != others[counter] ||
                (counter < LINE_OUTSIDE_WAITS
                     ? (depends_on_timing(&one[i]) || depends_on_timing(&other[i])) && lines[counter] > 0
                     : outside || one[i].apart || other[i].apart))
                *open_lines |= 1u << counter;
    }
}

/* Computes the counts by source line. Sectors are counted as a store's if the instruction stores, otherwise as a
 * load's; those of atomics too. */
void counters_of_line(const struct tally *tally, unsigned traits, double counts[LINE_COUNTERS])
{
    const bool global = is_global(tally, traits), store = traits & TRAIT_STORE;
    const double sectors = global ? (double)tally->sectors : 0, ideal = global ? (double)tally->ideal_sectors : 0;
    counts[LINE_INSTRUCTIONS] = (double)tally->executed;
    counts[LINE_ACTIVE_THREADS] = (double)tally->active;
    counts[LINE_WORKING_THREADS] = (double)tally->working;
    counts[LINE_DIVERGENT] = (double)tally->divergent;
    counts[LINE_UNIFORM] = (double)tally->uniform;
    counts[LINE_SHARED] = (double)tally->wavefronts;
    counts[LINE_SHARED_IDEAL] = (double)tally->ideal_wavefronts;
    counts[LINE_LOAD_SECTORS] = store ? 0 : sectors;
    counts[LINE_LOAD_IDEAL] = store ? 0 : ideal;
    counts[LINE_STORE_SECTORS] = store ? sectors : 0;
    counts[LINE_STORE_IDEAL] = store ? ideal : 0;
    counts[LINE_LOCAL_SECTORS] = is_local(tally, traits) ? (double)tally->sectors : 0;
    counts[LINE_GLOBAL_LOADS] = global_loads(tally, traits);
    counts[LINE_GLOBAL_STORES] = global_stores(tally, traits);
    counts[LINE_LOAD_WAITS] = (double)tally->waits;
    counts[LINE_ATOMICS] = (double)tally->atomics;
    counts[LINE_ATOMIC_MEETINGS] = (double)tally->atomic_meetings;
    const bool waits = is_of_loop(tally) || tally->phase_waits || tally->retries || tally->more_instructions;
    counts[LINE_OUTSIDE_WAITS] = waits ? 0 : (double)tally->executed;
    counts[LINE_WAITS] = waits;
    counts[LINE_CONSTANT_REPLAYS] = (double)tally->constant_replays;
    counts[LINE_SLOW] = (double)tally->slow;
    counts[LINE_BARRIERS] = (double)tally->barriers;
    counts[LINE_STAYING] = traits & TRAIT_LEAVES ? (double)(tally->active - tally->working) : 0;
}
