#include "cubin/occupancy.h"
#include "test.h"

#include <limits.h>

/* Threads, registers, shared bytes, launch bound, barriers, carve-out. */
static struct occupancy_launch launch_in(const char **text)
{
    unsigned numbers[6];
    for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
        numbers[i] = (unsigned)leading_number(text);
    return (struct occupancy_launch){numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5]};
}

/* The bits of an occupancy_limit, in their order. */
static const char limit_letters[] = "TRSBN";

static void expect_fit(const char *where, const char *text, const char *words)
{
    const int capability = (int)leading_number(&text);
    const struct occupancy_launch launch = launch_in(&text);
    struct occupancy found;
    cr_assert(occupancy_of(&found, capability, &launch), "%s", where);
    char limits[sizeof limit_letters] = "";
    for (size_t i = 0, count = 0; i < strlen(limit_letters); i++)
        if (found.limits >> i & 1)
            limits[count++] = limit_letters[i];
    OWNED_TEXT said = x_sprintf("%u %u %u %.12g %s", found.blocks, found.warps, found.max_warps, found.percent, limits);
    cr_expect_str_eq(said, words, "%s: %s", where, said);
}

TEXTS(occupancy, what_fits_and_what_does_not_let_more_in, "tests/unit/cubin/occupancy.txt#fits", expect_fit)

Test(occupancy, an_unknown_gpu_and_a_launch_without_threads_have_none)
{
    static const int unknown[] = {0, -5, 35, 61, 71, 88, 130, 999, INT_MAX};
    struct occupancy found;
    for (size_t i = 0; i < ARRAY_SIZE(unknown); i++)
        cr_expect_not(occupancy_of(&found, unknown[i], &(struct occupancy_launch){.threads = 32}), "%d", unknown[i]);
    cr_expect_not(occupancy_of(&found, 90, &(struct occupancy_launch){.registers = 32}));
}

/* Returns what occupancy_step promises, found by trying every number. 0xffffffff: there is none. */
static unsigned tried(int capability, struct occupancy_launch launch, enum occupancy_limit resource)
{
    struct occupancy now, other;
    const unsigned from = *occupancy_part(&launch, resource);
    const bool is_size = occupancy_part(&launch, resource) == &launch.threads;
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
        *occupancy_part(&launch, resource) = to;
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
        cr_expect_eq(step.from, *occupancy_part(&other, resources[r]));
        cr_expect_eq(step.resource, resources[r]);
        *occupancy_part(&other, resources[r]) = step.to;
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

static void expect_step(const char *where, const char *text, const char *words)
{
    const struct occupancy_launch launch = launch_in(&text);
    const unsigned to = (unsigned)leading_number(&words);
    const double percent = leading_number(&words);
    struct occupancy_step step;
    const bool found = occupancy_step(&step, 90, &launch, 1u << (strchr(limit_letters, text[1]) - limit_letters));
    cr_expect_eq(found, to > 0, "%s", where);
    if (!found || to == 0)
        return;
    cr_expect_eq(step.to, to, "%s: %u", where, step.to);
    cr_expect_float_eq(step.occupancy.percent, percent, 1e-9, "%s: %g", where, step.occupancy.percent);
}

Test(occupancy, steps_worked_out_by_hand)
{
    each_text("tests/unit/cubin/occupancy.txt#steps", expect_step);
    const struct occupancy_launch launch = {.threads = 256, .registers = 48};
    cr_expect_not(occupancy_step(&(struct occupancy_step){0}, 35, &launch, OCCUPANCY_REGISTERS));
}
