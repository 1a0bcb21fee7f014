#include "explain/launch_change.h"
#include "test.h"

#define LAUNCH .grid = {64, 1, 1}, .block = {256, 1, 1}, .times = 1
#define MACHINE LAUNCH, .has_machine = true, .machine

static const struct {
    struct launch was[2], is[2];
    const char *words; /* expected words; NULL: nothing changed */
} changes[] = {
    {{{LAUNCH}}, {{LAUNCH}}, NULL},
    {{{LAUNCH}},
     {{.grid = {512, 2, 1}, .block = {32, 1, 1}, .times = 1}},
     "grid 64x1x1 -> 512x2x1; block 256x1x1 -> 32x1x1"},
    {{{LAUNCH, .shared = 4096}}, {{LAUNCH, .shared = 49152}}, "dynamic shared memory 4,096 -> 49,152 B"},
    {{{LAUNCH}}, {{LAUNCH, .carve_out = 1}}, "preferred carve-out of shared memory the driver's -> 0 %"},
    {{{LAUNCH}}, {{.grid = {64, 1, 1}, .block = {256, 1, 1}, .times = 3}}, "times in a row 1 -> 3"},
    {{{MACHINE = {.registers = 64}}}, {{MACHINE = {.registers = 128}}}, "registers 64 -> 128"},
    {{{MACHINE = {.local_bytes = 0, .shared_bytes = 4096}}},
     {{MACHINE = {.local_bytes = 96, .shared_bytes = 8192}}},
     "local memory 0 -> 96 B; shared memory 4,096 -> 8,192 B (static)"},
    {{{MACHINE = {.max_threads = 256, .barriers = 1}}},
     {{MACHINE = {.max_threads = 1024, .barriers = 2}}},
     "barriers 1 -> 2; launch bounds 256 -> 1,024 threads"},
    {{{MACHINE = {.max_threads = 256}}}, {{MACHINE = {0}}}, "no launch bounds, were 256 threads"},
    {{{MACHINE = {0}}}, {{MACHINE = {.max_threads = 256}}}, "launch bounds of 256 threads, were none"},
    {{{LAUNCH}}, {{MACHINE = {.registers = 128}}}, NULL}, /* a fact that is known on one side only is no change */
    {{{MACHINE = {.registers = 128}}}, {{LAUNCH}}, NULL},
    {{{LAUNCH}, {LAUNCH}},
     {{LAUNCH}, {.grid = {1, 1, 1}, .block = {256, 1, 1}, .times = 1}},
     "launch 2 of 2: grid 64x1x1 -> 1x1x1"},
    {{{LAUNCH}}, {{LAUNCH}, {LAUNCH}}, "launches 1 -> 2"},
    {{{0}}, {{LAUNCH}}, NULL}, /* an old baseline has no launches */
    {{{MACHINE = {.registers = 4294967295u}}},
     {{MACHINE = {.registers = 0}}},
     "registers 4,294,967,295 -> 0"}, /* numbers from a hostile file */
};

static void add_launches(struct result *result, const struct launch *launches)
{
    for (size_t i = 0; i < 2; i++)
        if (launches[i].grid[0] > 0)
            *ARRAY_GROW(result->launches, result->launch_count) = launches[i];
}

/* Compares two results, whose launches are freed afterwards. */
static void expect_change(size_t row, int capability, struct result *was, struct result *is, const char *words)
{
    OWNED_TEXT said = launch_change_of(capability, was, is);
    cr_expect_str_eq(said ? said : "nothing", words ? words : "nothing", "row %zu", row);
    free(was->launches);
    free(is->launches);
}

Test(launch_change, what_changed_is_said)
{
    for (size_t i = 0; i < ARRAY_SIZE(changes); i++) {
        struct result was = {0}, is = {0};
        add_launches(&was, changes[i].was);
        add_launches(&is, changes[i].is);
        expect_change(i, 0, &was, &is, changes[i].words);
    }
}

/* Expects what a changed launch means on an H200, whose SM has 2,048 threads, 65,536 registers, 228 KiB and 32
 * blocks. */
Test(launch_change, fewer_warps_are_said_with_what_limits_them)
{
    static const struct {
        struct launch was[2], is[2];
        int capability;
        const char *words;
    } rows[] = {
        {{{MACHINE = {.registers = 32}}},
         {{MACHINE = {.registers = 86}}},
         90,
         "registers 32 -> 86; warps on an SM 64 -> 16 of 64, limited by registers"},
        {{{MACHINE = {.registers = 86}}},
         {{MACHINE = {.registers = 32}}},
         90,
         "registers 86 -> 32; warps on an SM 16 -> 64 of 64, limited by block size and registers"},
        {{{MACHINE = {.registers = 16}}},
         {{.grid = {64, 1, 1}, .block = {32, 1, 1}, .times = 1, .has_machine = true, .machine = {.registers = 16}}},
         90,
         "block 256x1x1 -> 32x1x1; warps on an SM 64 -> 32 of 64, limited by block slots"},
        {{{MACHINE = {.registers = 16}}}, {{MACHINE = {.registers = 24}}}, 90, "registers 16 -> 24"},
        {{{MACHINE = {.registers = 32}}}, {{MACHINE = {.registers = 86}}}, 10, "registers 32 -> 86"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct result was = {0}, is = {0};
        add_launches(&was, rows[i].was);
        add_launches(&is, rows[i].is);
        expect_change(i, rows[i].capability, &was, &is, rows[i].words);
    }
}

Test(launch_change, what_all_launches_have_in_common_is_said_once)
{
    struct result was = {0}, is = {0};
    for (int i = 0; i < 3; i++) {
        add_launches(&was, (struct launch[2]){{LAUNCH}});
        add_launches(&is, (struct launch[2]){{.grid = {1, 1, 1}, .block = {256, 1, 1}, .times = 1}});
    }
    expect_change(0, 0, &was, &is, "grid 64x1x1 -> 1x1x1");
}

Test(launch_change, many_launches_are_counted_only)
{
    struct result was = {0}, is = {0};
    for (unsigned i = 0; i < 10000; i++) {
        add_launches(&was, (struct launch[2]){{LAUNCH}});
        add_launches(&is, (struct launch[2]){{.grid = {1 + i % 2, 1, 1}, .block = {256, 1, 1}, .times = 1}});
    }
    expect_change(0, 0, &was, &is,
                  "launch 1 of 10000: grid 64x1x1 -> 1x1x1; launch 2 of 10000: grid 64x1x1 -> 2x1x1; launch 3 of "
                  "10000: grid 64x1x1 -> 1x1x1; and 9997 more launches");
}
