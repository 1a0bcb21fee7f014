#include "cubin/occupancy.h"
#include "test.h"

#include <limits.h>

/* The expected numbers were computed by hand from the limits of an SM: warps, block slots, and 16,384 registers in each
 * of 4 parts. A warp gets registers in units of 256, a block gets shared memory in units of 128 bytes. */
Test(occupancy, what_fits_and_what_does_not_let_more_in)
{
    enum {
        T = OCCUPANCY_THREADS,
        R = OCCUPANCY_REGISTERS,
        S = OCCUPANCY_SHARED_MEMORY,
        B = OCCUPANCY_BLOCKS,
        N = OCCUPANCY_BARRIERS
    };
    static const struct {
        int capability;
        struct occupancy_launch launch; /* in the order threads, registers, shared, launch bound, barriers, carve-out */
        unsigned blocks, warps, max;
        double percent;
        unsigned limits;
    } cases[] = {
        {90, {256, 32, 0, 0, 0, 0}, 8, 64, 64, 100, T | R},
        {90, {256, 31, 0, 256, 1, 0}, 8, 64, 64, 100, T | R},
        {90, {256, 24, 0, 0, 1, 0}, 8, 64, 64, 100, T},
        {90, {32, 16, 0, 0, 0, 0}, 32, 32, 64, 50, B},
        {90, {33, 16, 0, 0, 0, 0}, 32, 64, 64, 100, T | B},
        {90, {256, 86, 0, 0, 0, 0}, 2, 16, 64, 25, R},
        {90, {128, 254, 32768, 128, 1, 0}, 2, 8, 64, 12.5, R},
        {90, {256, 32, 115712, 0, 0, 0}, 2, 16, 64, 25, S},
        {90, {256, 32, 115713, 0, 0, 0}, 1, 8, 64, 12.5, S},
        {90, {64, 8, 0, 0, 16, 0}, 4, 8, 64, 12.5, N},
        {90, {1024, 64, 0, 0, 0, 0}, 1, 32, 64, 50, R},
        {90, {1024, 65, 0, 0, 0, 0}, 0, 0, 64, 0, R},
        {90, {512, 32, 0, 256, 0, 0}, 0, 0, 64, 0, T},
        {90, {1025, 16, 0, 0, 0, 0}, 0, 0, 64, 0, T},
        {90, {256, 32, 232448, 0, 0, 0}, 1, 8, 64, 12.5, S},
        {90, {256, 32, 232449, 0, 0, 0}, 0, 0, 64, 0, S},
        {70, {256, 32, 0, 0, 0, 0}, 8, 64, 64, 100, T | R},
        {75, {256, 32, 0, 0, 0, 0}, 4, 32, 32, 100, T},
        {75, {32, 16, 0, 0, 0, 0}, 16, 16, 32, 50, B},
        {80, {256, 32, 166912, 0, 0, 0}, 1, 8, 64, 12.5, S},
        {86, {1024, 32, 0, 0, 0, 0}, 1, 32, 48, 200.0 / 3, T},
        {86, {32, 16, 0, 0, 0, 0}, 16, 16, 48, 100.0 / 3, B},
        {89, {32, 16, 0, 0, 0, 0}, 24, 24, 48, 50, B},
        {100, {256, 32, 0, 0, 0, 0}, 8, 64, 64, 100, T | R},
        {120, {256, 16, 50176, 0, 0, 0}, 2, 16, 48, 100.0 / 3, S},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct occupancy found;
        cr_assert(occupancy_of(&found, cases[i].capability, &cases[i].launch), "case %zu", i);
        cr_expect_eq(found.blocks, cases[i].blocks, "case %zu: %u blocks", i, found.blocks);
        cr_expect_eq(found.warps, cases[i].warps, "case %zu: %u warps", i, found.warps);
        cr_expect_eq(found.max_warps, cases[i].max, "case %zu: of %u warps", i, found.max_warps);
        cr_expect_float_eq(found.percent, cases[i].percent, 1e-9, "case %zu: %g %%", i, found.percent);
        cr_expect_eq(found.limits, cases[i].limits, "case %zu: limits %u", i, found.limits);
    }
}

/* Measured on an H200 with driver 580.159.04 on 2026-11-26: the occupancy API and ncu agree. */
Test(occupancy, of_shared_memory_there_is_what_the_carve_out_leaves)
{
    static const struct {
        int percent;
        unsigned blocks;
        double occupancy;
    } rows[] = {{-1, 13, 81.25}, {0, 1, 6.25},    {10, 1, 6.25},   {25, 3, 18.75},
                {50, 7, 43.75},  {75, 11, 68.75}, {100, 13, 81.25}};
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const struct occupancy_launch launch = {
            .threads = 128, .registers = 16, .shared_bytes = 16 << 10, .carve_out = (unsigned)(rows[i].percent + 1)};
        struct occupancy found;
        cr_assert(occupancy_of(&found, 90, &launch));
        cr_expect_eq(found.blocks, rows[i].blocks, "%d %%: %u blocks", rows[i].percent, found.blocks);
        cr_expect_eq(found.percent, rows[i].occupancy, "%d %%: %g %%", rows[i].percent, found.percent);
        cr_expect_eq(found.limits, OCCUPANCY_SHARED_MEMORY, "%d %%: limits %u", rows[i].percent, found.limits);
    }
}

Test(occupancy, every_known_gpu_runs_a_small_block_and_is_filled_by_a_good_one)
{
    static const int known[] = {70, 72, 75, 80, 86, 87, 89, 90, 100, 103, 120, 121};
    for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
        struct occupancy found;
        cr_assert(occupancy_of(&found, known[i], &(struct occupancy_launch){.threads = 1, .registers = 1}));
        cr_expect(found.blocks >= 16 && found.blocks == found.warps && found.limits == OCCUPANCY_BLOCKS, "%d: %u",
                  known[i], found.blocks);
        cr_assert(occupancy_of(&found, known[i], &(struct occupancy_launch){.threads = 256, .registers = 32}));
        cr_expect_eq(found.percent, 100, "%d: %g", known[i], found.percent);
    }
}

Test(occupancy, an_unknown_gpu_and_a_launch_without_threads_have_none)
{
    static const int unknown[] = {0, -5, 35, 61, 71, 88, 130, 999, INT_MAX};
    struct occupancy found;
    for (size_t i = 0; i < ARRAY_SIZE(unknown); i++)
        cr_expect_not(occupancy_of(&found, unknown[i], &(struct occupancy_launch){.threads = 32}), "%d", unknown[i]);
    cr_expect_not(occupancy_of(&found, 90, &(struct occupancy_launch){.registers = 32}));
}

/* Numbers from a file may be anything. */
Test(occupancy, what_is_too_large_for_all_gpus_fits_nowhere)
{
    static const struct occupancy_launch launches[] = {
        {.threads = UINT_MAX, .registers = 1},
        {.threads = 1024, .registers = UINT_MAX},
        {.threads = 32, .registers = 8, .shared_bytes = UINT_MAX},
        {.threads = 32, .registers = 8, .barriers = UINT_MAX},
        {UINT_MAX, UINT_MAX, UINT_MAX, UINT_MAX, UINT_MAX, UINT_MAX},
    };
    for (size_t i = 0; i < ARRAY_SIZE(launches); i++) {
        struct occupancy found;
        cr_assert(occupancy_of(&found, 90, &launches[i]), "case %zu", i);
        cr_expect_eq(found.blocks, 0, "case %zu: %u", i, found.blocks);
        cr_expect_eq(found.percent, 0, "case %zu", i);
    }
}

static unsigned *part_of(struct occupancy_launch *launch, enum occupancy_limit resource)
{
    return resource == OCCUPANCY_REGISTERS       ? &launch->registers
           : resource == OCCUPANCY_SHARED_MEMORY ? &launch->shared_bytes
           : resource == OCCUPANCY_BARRIERS      ? &launch->barriers
                                                 : &launch->threads;
}

/* Returns what occupancy_step promises, found by trying every number. 0xffffffff: there is none. */
static unsigned tried(int capability, struct occupancy_launch launch, enum occupancy_limit resource)
{
    struct occupancy now, other;
    const unsigned from = *part_of(&launch, resource);
    const bool is_size = part_of(&launch, resource) == &launch.threads;
    cr_assert(occupancy_of(&now, capability, &launch));
    if (resource == OCCUPANCY_BLOCKS) {
        for (unsigned to = from + 1; to <= 1024; to++) {
            launch.threads = to;
            if (to % 32 == 0 && occupancy_of(&other, capability, &launch) && other.warps > now.warps)
                return to;
        }
        return UINT_MAX;
    }
    for (unsigned to = from; to-- > 0;) {
        *part_of(&launch, resource) = to;
        if ((!is_size || to % 32 == 0) && occupancy_of(&other, capability, &launch) && other.warps > now.warps)
            return to;
    }
    return UINT_MAX;
}

static const enum occupancy_limit resources[] = {OCCUPANCY_THREADS, OCCUPANCY_REGISTERS, OCCUPANCY_SHARED_MEMORY,
                                                 OCCUPANCY_BLOCKS, OCCUPANCY_BARRIERS};

static void expect_as_tried(int capability, const struct occupancy_launch *launch)
{
    for (size_t r = 0; r < ARRAY_SIZE(resources); r++) {
        struct occupancy_step step;
        struct occupancy_launch other = *launch;
        struct occupancy with;
        const unsigned expected = tried(capability, *launch, resources[r]);
        const bool found = occupancy_step(&step, capability, launch, resources[r]);
        cr_expect_eq(found, expected != UINT_MAX, "%d: %u threads, %u registers, %u bytes, %u barriers, %s", capability,
                     launch->threads, launch->registers, launch->shared_bytes, launch->barriers,
                     occupancy_limit_name(resources[r]));
        if (!found)
            continue;
        cr_expect_eq(step.to, expected, "%d: %u threads, %u registers, %u bytes, %u barriers: %s %u, not %u",
                     capability, launch->threads, launch->registers, launch->shared_bytes, launch->barriers,
                     occupancy_limit_name(resources[r]), step.to, expected);
        cr_expect_eq(step.from, *part_of(&other, resources[r]));
        cr_expect_eq(step.resource, resources[r]);
        *part_of(&other, resources[r]) = step.to;
        cr_assert(occupancy_of(&with, capability, &other));
        cr_expect_eq(with.warps, step.occupancy.warps);
        cr_expect_float_eq(with.percent, step.occupancy.percent, 1e-9);
    }
}

Test(occupancy, a_step_is_the_least_change_that_helps)
{
    static const int capabilities[] = {75, 86, 90};
    static const unsigned threads[] = {32, 96, 256, 320, 768, 1024}, registers[] = {0, 32, 40, 72, 255},
                          shared[] = {0, 33000, 60000};
    for (size_t c = 0; c < ARRAY_SIZE(capabilities); c++)
        for (size_t t = 0; t < ARRAY_SIZE(threads); t++)
            for (size_t r = 0; r < ARRAY_SIZE(registers); r++)
                for (size_t s = 0; s < ARRAY_SIZE(shared); s++)
                    expect_as_tried(capabilities[c], &(struct occupancy_launch){.threads = threads[t],
                                                                                .registers = registers[r],
                                                                                .shared_bytes = shared[s],
                                                                                .barriers = (unsigned)(t + r) % 3 * 8});
}

Test(occupancy, steps_worked_out_by_hand)
{
    static const struct {
        struct occupancy_launch launch;
        enum occupancy_limit resource;
        unsigned to; /* expected number; 0: there is no step */
        double percent;
    } cases[] = {
        {{256, 48, 0, 0, 0, 0}, OCCUPANCY_REGISTERS, 40, 75}, /* with 40 registers 6 blocks fit instead of 5 */
        {{256, 16, 60000, 0, 0, 0},
         OCCUPANCY_SHARED_MEMORY,
         57344,
         50},                                                     /* four blocks share 228 KiB, less 1 KiB each */
        {{768, 16, 0, 0, 0, 0}, OCCUPANCY_THREADS, 672, 98.4375}, /* 3 x 21 warps fit instead of 2 x 24 */
        {{32, 16, 0, 0, 0, 0}, OCCUPANCY_BLOCKS, 64, 100},        /* all 32 block slots are used */
        /* 64 barriers are enough for 5 blocks instead of 4 */
        {{64, 8, 0, 0, 16, 0}, OCCUPANCY_BARRIERS, 12, 15.625},
        {{512, 32, 0, 256, 0, 0}, OCCUPANCY_THREADS, 256, 100},  /* the block is larger than its launch bound */
        {{256, 32, 0, 256, 0, 0}, OCCUPANCY_REGISTERS, 0, 0},    /* every warp fits already */
        {{256, 86, 115000, 0, 0, 0}, OCCUPANCY_REGISTERS, 0, 0}, /* shared memory limits it to 2 blocks as well */
        {{256, 86, 115000, 0, 0, 0}, OCCUPANCY_SHARED_MEMORY, 0, 0},
        {{32, 16, 0, 32, 0, 0}, OCCUPANCY_BLOCKS, 0, 0},            /* the launch bound allows no larger block */
        {{UINT_MAX, 16, 0, 0, 0, 0}, OCCUPANCY_THREADS, 1024, 100}, /* a hostile file may have such a launch */
        {{1024, UINT_MAX, 0, 0, 0, 0}, OCCUPANCY_REGISTERS, 64, 50},
        {{32, 8, UINT_MAX, 0, 0, 0}, OCCUPANCY_SHARED_MEMORY, 232448, 1.5625},
        {{0, 8, 0, 0, 0, 0}, OCCUPANCY_THREADS, 0, 0},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct occupancy_step step;
        const bool found = occupancy_step(&step, 90, &cases[i].launch, cases[i].resource);
        cr_expect_eq(found, cases[i].to > 0, "case %zu", i);
        if (!found || cases[i].to == 0)
            continue;
        cr_expect_eq(step.to, cases[i].to, "case %zu: %u", i, step.to);
        cr_expect_float_eq(step.occupancy.percent, cases[i].percent, 1e-9, "case %zu: %g", i, step.occupancy.percent);
    }
    cr_expect_not(occupancy_step(&(struct occupancy_step){0}, 35, &cases[0].launch, OCCUPANCY_REGISTERS));
}
