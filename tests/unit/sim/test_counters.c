#include "sim/counters.h"
#include "test.h"

/* A made launch has one instruction of each kind, with numbers that no other instruction has. */
enum { LOAD, STORE, COPY, ATOMIC, GENERIC_LOCAL, LOCAL_STORE, BRANCH, FUSED, SHARED_LOAD, NEVER, COUNT };

static const unsigned traits[COUNT] = {
    [LOAD] = TRAIT_LOAD | TRAIT_GLOBAL,
    [STORE] = TRAIT_STORE | TRAIT_GLOBAL,
    [COPY] = TRAIT_LOAD | TRAIT_GLOBAL | TRAIT_SHARED | TRAIT_ASYNC_COPY,
    [ATOMIC] = TRAIT_ATOMIC | TRAIT_GLOBAL,
    [GENERIC_LOCAL] = TRAIT_LOAD | TRAIT_GENERIC,
    [LOCAL_STORE] = TRAIT_STORE | TRAIT_LOCAL,
    [FUSED] = TRAIT_FP32 | TRAIT_FUSED,
    [SHARED_LOAD] = TRAIT_LOAD | TRAIT_SHARED,
    [NEVER] = TRAIT_FP64,
};

/* One warp of 32 lanes, of which so many work. */
#define WARP(works) .executed = 1, .active = 32, .working = (works)

static const struct tally tallies[COUNT] = {
    [LOAD] = {WARP(30), .sectors = 4, .ideal_sectors = 3, .unit_sectors = 4, .global_accesses = 1},
    [STORE] = {WARP(32), .sectors = 8, .ideal_sectors = 7, .unit_sectors = 8, .global_accesses = 1},
    [COPY] = {WARP(32), .sectors = 16, .ideal_sectors = 16, .unit_sectors = 24, .wavefronts = 10, .ideal_wavefronts = 4,
              .global_accesses = 1},
    [ATOMIC] = {WARP(32), .sectors = 32, .ideal_sectors = 32, .unit_sectors = 32, .global_accesses = 1},
    [GENERIC_LOCAL] = {WARP(32), .sectors = 64, .unit_sectors = 64, .local_accesses = 1},
    [LOCAL_STORE] = {WARP(32), .sectors = 128, .unit_sectors = 128, .local_accesses = 1},
    [BRANCH] = {.executed = 4, .active = 128, .working = 100, .uniform = 3, .divergent = 1},
    [FUSED] = {.executed = 2, .active = 64, .working = 60, .converted = 3},
    [SHARED_LOAD] = {WARP(32), .constant_replays = 7, .wavefronts = 5, .ideal_wavefronts = 1, .shared_accesses = 1},
};

/* The bounds of one instruction's counters. */
static double least[EXACT_COUNTERS], most[EXACT_COUNTERS];

static void bounds_of(const struct tally *tally, unsigned trait)
{
    counters_of(tally, &trait, 1, BOUND_LEAST, least);
    counters_of(tally, &trait, 1, BOUND_MOST, most);
}

Test(counters, each_kind_is_where_the_gpu_has_it)
{
    static const double wanted[EXACT_COUNTERS] = {
        [EXACT_INSTRUCTIONS] = 13,
        [EXACT_THREADS_PER_INSTRUCTION] = 382.0 / 13,
        [EXACT_BRANCH_TARGETS] = 4,
        [EXACT_DIVERGENT_TARGETS] = 1,
        [EXACT_BRANCH_EFFICIENCY] = 75,
        [EXACT_SHARED_WAVEFRONTS] = 15,
        [EXACT_GLOBAL_LOAD_SECTORS] = 28, /* sectors of the copy, without those of the atomic */
        [EXACT_GLOBAL_LOADS] = 1,         /* neither the copy nor the atomic is a load */
        [EXACT_GLOBAL_STORE_SECTORS] = 8,
        [EXACT_GLOBAL_STORES] = 1,
        [EXACT_LOCAL_LOAD_SECTORS] = 64,
        [EXACT_LOCAL_STORE_SECTORS] = 128,
        [EXACT_FP32] = 60,
        [EXACT_FP32_FUSED] = 60,
        [EXACT_FP16_CONVERTED] = 3,
        [EXACT_CONSTANT_REPLAYS] = 7,
        [EXACT_LOCAL_SECTORS] = 192,
        [EXACT_OUTSIDE_WAITS] = 13,
    };
    double values[EXACT_COUNTERS];
    counters_of(tallies, traits, COUNT, BOUND_LEAST, values);
    for (enum exact_counter counter = 0; counter < EXACT_COUNTERS; counter++)
        cr_expect_eq(values[counter], wanted[counter], "counter %d: %g, not %g", (int)counter, values[counter],
                     wanted[counter]);
}

Test(counters, a_ratio_of_nothing_is_no_number)
{
    double values[EXACT_COUNTERS];
    counters_of(&tallies[LOAD], &traits[LOAD], 1, BOUND_LEAST, values);
    cr_expect(isnan(values[EXACT_BRANCH_EFFICIENCY]));
    cr_expect_eq(values[EXACT_BRANCH_TARGETS], 0);
}

Test(counters, a_line_has_the_sectors_of_loads_or_of_stores)
{
    double load[LINE_COUNTERS], store[LINE_COUNTERS], atomic[LINE_COUNTERS], copy[LINE_COUNTERS], local[LINE_COUNTERS];
    counters_of_line(&tallies[LOAD], traits[LOAD], load);
    counters_of_line(&tallies[STORE], traits[STORE], store);
    counters_of_line(&tallies[ATOMIC], traits[ATOMIC], atomic);
    counters_of_line(&tallies[COPY], traits[COPY], copy);
    counters_of_line(&tallies[LOCAL_STORE], traits[LOCAL_STORE], local);
    EXPECT_ALL(load[LINE_LOAD_SECTORS] == 4, load[LINE_LOAD_IDEAL] == 3, load[LINE_STORE_SECTORS] == 0);
    EXPECT_ALL(store[LINE_STORE_SECTORS] == 8, store[LINE_STORE_IDEAL] == 7, store[LINE_LOAD_SECTORS] == 0);
    EXPECT_ALL(atomic[LINE_LOAD_SECTORS] == 32, atomic[LINE_GLOBAL_LOADS] == 0);
    EXPECT_ALL(copy[LINE_LOAD_SECTORS] == 16, copy[LINE_SHARED] == 10, copy[LINE_SHARED_IDEAL] == 4);
    EXPECT_ALL(local[LINE_LOCAL_SECTORS] == 128, local[LINE_STORE_SECTORS] == 0);
    const struct tally root = {.executed = 4, .slow = 32};
    counters_of_line(&root, 0, copy);
    EXPECT_ALL(copy[LINE_SLOW] == 32, load[LINE_SLOW] == 0);
    EXPECT_ALL(load[LINE_ACTIVE_THREADS] == 32, load[LINE_WORKING_THREADS] == 30, load[LINE_GLOBAL_LOADS] == 1);
}

Test(counters, what_hangs_on_who_comes_first_lies_between_bounds)
{
    struct tally loose = tallies[LOAD];
    loose.executed = 100;
    loose.working = 800;
    loose.loose = 3;
    loose.loose_threads = 20;
    loose.longest_warp = 2;
    bounds_of(&loose, traits[LOAD]);
    cr_expect_eq(least[EXACT_INSTRUCTIONS], 97);
    cr_expect_eq(most[EXACT_INSTRUCTIONS], 103);
    cr_expect_eq(least[EXACT_THREADS_PER_INSTRUCTION], 780.0 / 103);
    cr_expect_eq(most[EXACT_THREADS_PER_INSTRUCTION], 820.0 / 97);
    EXPECT_ALL(least[EXACT_LONGEST_WARP] == 0, most[EXACT_LONGEST_WARP] == 4);
    EXPECT_ALL(least[EXACT_OUTSIDE_WAITS] == 97, most[EXACT_OUTSIDE_WAITS] == 103);
    for (enum exact_counter counter = EXACT_THREADS_PER_INSTRUCTION + 1; counter < EXACT_OUTSIDE_WAITS; counter++)
        cr_expect(counter == EXACT_LONGEST_WARP || least[counter] == most[counter] || isnan(least[counter]));
}

Test(counters, threads_whose_guard_is_not_known_are_bounds_of_their_rows_alone)
{
    struct tally guarded = tallies[FUSED];
    guarded.fewer_work = 10;
    guarded.more_work = 4;
    bounds_of(&guarded, traits[FUSED]);
    EXPECT_ALL(least[EXACT_FP32] == 50, most[EXACT_FP32] == 64);
    EXPECT_ALL(least[EXACT_FP32_FUSED] == 50, most[EXACT_FP32_FUSED] == 64);
    EXPECT_ALL(least[EXACT_THREADS_PER_INSTRUCTION] == 25, most[EXACT_THREADS_PER_INSTRUCTION] == 32);
    EXPECT_ALL(least[EXACT_INSTRUCTIONS] == 2, most[EXACT_INSTRUCTIONS] == 2);
}

/* What may be executed once more makes the upper bound higher, and the longest warp's no more than twice as high. */
Test(counters, what_may_be_executed_once_more)
{
    struct tally tally = tallies[LOAD];
    tally.executed = 100;
    tally.working = 800;
    tally.more_instructions = 10;
    tally.longest_warp = 4;
    bounds_of(&tally, traits[LOAD]);
    EXPECT_ALL(least[EXACT_INSTRUCTIONS] == 100, most[EXACT_INSTRUCTIONS] == 110);
    EXPECT_ALL(least[EXACT_OUTSIDE_WAITS] == 100, most[EXACT_OUTSIDE_WAITS] == 100);
    EXPECT_ALL(least[EXACT_LONGEST_WARP] == 4, most[EXACT_LONGEST_WARP] == 8);
    cr_expect_leq(least[EXACT_THREADS_PER_INSTRUCTION], 810.0 / 110);
    cr_expect_geq(most[EXACT_THREADS_PER_INSTRUCTION], 1120.0 / 110);
}

/* Where it is not known which lanes are together, neither is how many branches there are. */
Test(counters, branches_by_who_is_together)
{
    struct tally tally = {.executed = 100, .uniform = 80, .divergent = 20, .more_targets = 10, .fewer_divergent = 8};
    for (unsigned followed = 0; followed < 8; followed += 5) {
        tally.followed = followed;
        bounds_of(&tally, traits[LOAD]);
        EXPECT_ALL(least[EXACT_BRANCH_TARGETS] == 100 - followed, most[EXACT_BRANCH_TARGETS] == 110);
        EXPECT_ALL(least[EXACT_DIVERGENT_TARGETS] == 12 - followed, most[EXACT_DIVERGENT_TARGETS] == 20 + followed);
        cr_expect_float_eq(least[EXACT_BRANCH_EFFICIENCY], 100 * (1 - (20.0 + followed) / (100 - followed)), 1e-9);
        cr_expect_float_eq(most[EXACT_BRANCH_EFFICIENCY], 100 * (1 - (12.0 - followed) / 110), 1e-9);
    }
}

/* A count strays by a quarter of what chance decides, by half a percent at most, and may always by 16; twice as far
 * where lanes break out. */
Test(counters, of_much_that_hangs_on_chance_a_part_is_allowed)
{
    static const struct {
        uint64_t loose;
        double allowed;
        uint64_t breaks;
    } cases[] = {{0, 0, 0},       {5, 5, 0},      {40, 16, 0},      {1000, 250, 0}, {1001, 250, 0},
                 {10000, 500, 0}, {1000, 500, 1}, {10000, 1000, 1}, {5, 5, 1}};
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct tally tally = tallies[LOAD];
        tally.executed = 100000;
        tally.again = 0;
        tally.loose = cases[i].loose;
        tally.breaks = cases[i].breaks;
        bounds_of(&tally, traits[LOAD]);
        cr_expect(least[EXACT_INSTRUCTIONS] == 100000 - cases[i].allowed, "%zu", i);
        cr_expect(most[EXACT_INSTRUCTIONS] == 100000 + cases[i].allowed, "%zu", i);
    }
}

/* What an instruction adds in one order and not in the other is open, and all that a loop which waits adds. */
Test(counters, what_depends_on_the_order_is_open)
{
    struct tally one[COUNT], other[COUNT];
    bool open[EXACT_COUNTERS] = {false};
    unsigned lines = 0;
    memcpy(one, tallies, sizeof one);
    memcpy(other, tallies, sizeof other);
    counters_compare(one, other, traits, COUNT, open, &lines);
    for (enum exact_counter counter = 0; counter < EXACT_COUNTERS; counter++)
        cr_expect(!open[counter], "%d", (int)counter);
    cr_expect(lines == 0);
    other[LOAD].global_accesses++;
    counters_compare(one, other, traits, COUNT, open, &lines);
    cr_expect(open[EXACT_GLOBAL_LOADS] && !open[EXACT_INSTRUCTIONS] && !open[EXACT_GLOBAL_STORES]);
    cr_expect(lines == 1u << LINE_GLOBAL_LOADS);
    other[LOAD] = one[LOAD];
    other[LOAD].spins = 1; /* in one order alone: then it may be of a loop that waits, or not */
    counters_compare(one, other, traits, COUNT, open, &lines);
    cr_expect(open[EXACT_INSTRUCTIONS] && open[EXACT_LONGEST_WARP] && open[EXACT_BUSIEST_BLOCK]);
    cr_expect(open[EXACT_THREADS_PER_INSTRUCTION] && !open[EXACT_GLOBAL_STORES]);
    cr_expect(open[EXACT_OUTSIDE_WAITS] && lines & 1u << LINE_INSTRUCTIONS && lines & 1u << LINE_OUTSIDE_WAITS);
}

/* A loop that waits is left out in every order, and what is outside of it is known; what follows a wait for a phase
 * that gave up is not. */
Test(counters, what_is_outside_of_loops_that_wait_is_known)
{
    struct tally one[COUNT], other[COUNT];
    bool open[EXACT_COUNTERS] = {false};
    unsigned lines = 0;
    double all[EXACT_COUNTERS], outside[EXACT_COUNTERS], counts[LINE_COUNTERS];
    memcpy(one, tallies, sizeof one);
    counters_of(one, traits, COUNT, BOUND_NONE, all);
    one[LOAD].spins = 1;
    memcpy(other, one, sizeof other);
    other[LOAD].executed += 7;
    counters_compare(one, other, traits, COUNT, open, &lines);
    cr_expect(open[EXACT_INSTRUCTIONS] && !open[EXACT_OUTSIDE_WAITS] && !(lines & 1u << LINE_OUTSIDE_WAITS));
    counters_of(one, traits, COUNT, BOUND_NONE, outside);
    cr_expect_eq(outside[EXACT_INSTRUCTIONS], all[EXACT_INSTRUCTIONS]);
    cr_expect_eq(outside[EXACT_OUTSIDE_WAITS], all[EXACT_INSTRUCTIONS] - (double)one[LOAD].executed);
    counters_of_line(&one[LOAD], traits[LOAD], counts);
    EXPECT_ALL(counts[LINE_OUTSIDE_WAITS] == 0, counts[LINE_WAITS] == 1);
    one[LOAD].looks = other[LOAD].looks = 1;
    counters_compare(one, other, traits, COUNT, open, &lines);
    cr_expect(open[EXACT_OUTSIDE_WAITS]);
}

/* How often a wait for a phase looks is chance, and what is executed besides is not. */
Test(counters, what_waits_only_look_at_is_known_outside_of_them)
{
    struct tally one[COUNT];
    bool open[EXACT_COUNTERS] = {false};
    unsigned lines = 0;
    double counts[LINE_COUNTERS];
    memcpy(one, tallies, sizeof one);
    counters_of_line(&one[LOAD], traits[LOAD], counts);
    EXPECT_ALL(counts[LINE_OUTSIDE_WAITS] == counts[LINE_INSTRUCTIONS], counts[LINE_WAITS] == 0);
    one[LOAD].looks = one[LOAD].retries = 5;
    counters_compare(one, one, traits, COUNT, open, &lines);
    cr_expect(open[EXACT_INSTRUCTIONS] && open[EXACT_LONGEST_WARP] && !open[EXACT_OUTSIDE_WAITS]);
    cr_expect(lines & 1u << LINE_INSTRUCTIONS && !(lines & 1u << LINE_OUTSIDE_WAITS) && !(lines & 1u << LINE_WAITS));
    counters_of_line(&one[LOAD], traits[LOAD], counts);
    EXPECT_ALL(counts[LINE_OUTSIDE_WAITS] == 0, counts[LINE_WAITS] == 1);
}
