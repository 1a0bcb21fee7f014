#include "estimate/estimate.h"
#include "test.h"

/* A copy of 270336 floats by 1056 blocks of 256 threads, as it is computed. */
static const struct launch launch = {
    .grid = {1056, 1, 1}, .block = {256, 1, 1}, .times = 1, .machine.tensor = TENSOR_UNUSED};
static const char copied[][24] = {"atomic_meetings",       "constant_replays",     "fp64_arithmetic",
                                  "global_atomics",        "global_load_requests", "global_load_sectors",
                                  "global_store_requests", "global_store_sectors", "hottest_address",
                                  "instructions",          "load_waits",           "local_memory",
                                  "shared_wavefronts",     "theoretical_occupancy"};
static const double counted[] = {0, 0, 0, 0, 8448, 33792, 8448, 33792, 0, 109824, 8448, 0, 0, 100};
static const struct device h200 = {.compute_capability = (char[]){"9.0"}, .sm_count = 132};

static struct result made[64];
static size_t made_count;
static struct estimate before, after;

/* Returns a copy in which one count has another value. */
static struct result *copy_but(const char *metric, double value)
{
    struct result *result = &made[made_count++];
    *result = (struct result){.launches = malloc(sizeof launch), .launch_count = 1};
    *result->launches = launch;
    for (size_t i = 0; i < sizeof copied / sizeof *copied; i++)
        set_value(result, copied[i], counted[i]);
    set_value(result, metric, value);
    return result;
}

static void release_made(void)
{
    while (made_count > 0)
        result_release(&made[--made_count]);
}
TestSuite(estimate, .fini = release_made);

/* Returns how much of the time the change of a metric explains, from one side to the other. */
static double share(const struct result *was, const struct result *now, const char *metric)
{
    estimate_time(&before, &h200, was);
    estimate_time(&after, &h200, now);
    estimate_pair(&before, &after);
    return estimate_share(&before, &after, metric);
}

Test(estimate, each_count_explains_a_part_of_the_time)
{
    static const struct {
        const char *metric;
        double was, now;
    } changes[] = {{"instructions", 2e6, 20e6},
                   {"shared_wavefronts", 0, 2e6},
                   {"global_load_requests", 8448, 1e6},
                   {"global_store_sectors", 33792, 8448 * 32},
                   {"global_atomics", 8448, 844800},
                   {"atomic_meetings", 0, 20000},
                   {"hottest_address", 33, 33792},
                   {"constant_replays", 0, 4e6},
                   {"fp64_arithmetic", 0, 1e8},
                   {"load_waits", 8448, 84480},
                   {"theoretical_occupancy", 100, 12.5},
                   {"local_memory", 0, 4096}, /* where no sectors of it were counted */
                   {"local_sectors", 0, 1e7}};
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        const char *metric = changes[i].metric;
        const struct result *was = copy_but(metric, changes[i].was), *now = copy_but(metric, changes[i].now);
        cr_expect_gt(share(was, now, metric), 0.05, "%s", metric);
        cr_expect_eq(share(now, was, metric), share(was, now, metric), "%s", metric);
        cr_expect_eq(share(was, now, "registers"), 0);
    }
}

Test(estimate, launches_and_an_empty_gpu_take_time)
{
    struct result *copy = copy_but("registers", 16), *now = copy_but("registers", 16);
    now->launches->times = 3;
    cr_expect_gt(share(copy, now, "kernel_launches"), 0.2);
    *now->launches = launch;
    now->launches->grid[0] = 12;
    cr_expect_gt(share(copy, now, "grid_balance"), 0.2);
}

Test(estimate, where_counts_say_too_little_nothing_has_a_share)
{
    const struct result *copy = copy_but("registers", 16);
    static const char *const needed[] = {"hottest_address", "constant_replays", "instructions",
                                         "theoretical_occupancy"};
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
        struct result *now = copy_but("shared_wavefronts", 2e6);
        result_remove(now, needed[i]);
        cr_expect_eq(share(copy, now, "shared_wavefronts"), 0, "%s", needed[i]);
    }
    /* It reads in other ways than by loads. */
    cr_expect_eq(share(copy, copy_but("global_load_sectors", 33 * 8448), "global_load_sectors"), 0);
    struct result *now = copy_but("shared_wavefronts", 2e6);
    now->bytes = 1e8;
    cr_expect_eq(share(copy, now, "shared_wavefronts"), 0);
}

Test(estimate, measured_counts_have_traffic_and_no_waits)
{
    struct result *sides[2];
    for (int i = 0; i < 2; i++) {
        sides[i] = copy_but("l1_sectors", 67584);
        result_remove(sides[i], "load_waits");
        set_value(sides[i], "l1_hit_rate", 0);
        set_value(sides[i], "dram_bytes_read", i ? 100e6 : 1e6);
        set_value(sides[i], "dram_bytes_write", 1e6);
    }
    cr_expect_gt(share(sides[0], sides[1], "dram_bytes_read"), 0.2);
}
