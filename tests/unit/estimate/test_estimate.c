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

/* Expects this of two sides, and these words. */
static void expect(const struct result *was, const struct result *now, enum weighed weighed, const char *words)
{
    char why[300];
    estimate_time(&before, &h200, was);
    estimate_time(&after, &h200, now);
    cr_expect_eq(estimate_weigh(&before, &after, why, sizeof why), weighed, "%s: %s", words, why);
    cr_expect(strstr(why, words), "%s: %s", words, why);
}

Test(estimate, each_count_makes_a_kernel_slower_and_on_its_way_back_faster)
{
    static const struct {
        const char *metric, *words;
        double was, now;
    } changes[] = {{"instructions", "%): issue of instructions 2.05 us -> 20.5 us", 2e6, 20e6},
                   {"shared_wavefronts", "%): shared memory 0 ns -> 7.65 us", 0, 2e6},
                   {"global_load_requests", "loads in the L1", 8448, 1e6},
                   {"global_store_sectors", "scattered stores", 33792, 8448 * 32},
                   {"global_atomics", "atomics", 8448, 844800},
                   {"atomic_meetings", "atomics", 0, 20000},
                   {"hottest_address", "atomics at one address", 33, 33792},
                   {"constant_replays", "reads of constants one after the other", 0, 4e6},
                   {"fp64_arithmetic", "double precision", 0, 1e8},
                   {"load_waits", "waits for loads", 8448, 84480},
                   {"theoretical_occupancy", "waits for loads", 100, 12.5},
                   {"local_memory", "local memory", 0, 4096}, /* where no sectors of it were counted */
                   {"local_sectors", "local memory", 0, 1e7}};
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        const char *metric = changes[i].metric;
        const struct result *was = copy_but(metric, changes[i].was), *now = copy_but(metric, changes[i].now);
        expect(now, was, WEIGHED_FASTER, "faster by its counts (");
        expect(was, now, WEIGHED_SLOWER, changes[i].words);
        estimate_pair(&before, &after);
        cr_expect_gt(estimate_share(&before, &after, metric), 0.05, "%s", metric);
        cr_expect_eq(estimate_share(&before, &after, "registers"), 0);
    }
}

Test(estimate, launches_blocks_and_an_empty_gpu_make_it_slower)
{
    struct result *copy = copy_but("registers", 16), *now = copy_but("registers", 16);
    now->launches->times = 3;
    expect(copy, now, WEIGHED_SLOWER, "launches 2.38 us -> 7.14 us");
    *now->launches = launch;
    now->launches->grid[0] = 84480;
    now->launches->block[0] = 32;
    expect(copy, now, WEIGHED_SLOWER, "start of blocks");
    *now->launches = launch;
    now->launches->grid[0] = 12;
    expect(copy, now, WEIGHED_SLOWER, "waits for loads");
}

Test(estimate, what_it_cannot_say_is_left_open)
{
    const struct result *copy = copy_but("registers", 16);
    expect(copy, copy, WEIGHED_OPEN, "about 0.0 % faster by its counts (0.0 to 0.0 %), pairs on a GPU decide");
    expect(copy_but("load_waits", 9500), copy_but("instructions", 200000), WEIGHED_OPEN, "on a GPU decide");
    expect(copy_but("global_load_sectors", 33 * 8448), copy, WEIGHED_OPEN, "asynchronously");
    struct result *now = copy_but("global_load_sectors", 0);
    set_value(now, "global_load_requests", 0);
    expect(copy, now, WEIGHED_OPEN, "by other ways than global loads");
    now = copy_but("registers", 16);
    now->bytes = 1e8;
    expect(copy, now, WEIGHED_OPEN, "by other ways than global loads");
    result_remove(now, "instructions");
    row_add_session(result_add(now, "instructions"), (double[]){100000, 110000}, 2);
    expect(copy, now, WEIGHED_OPEN, "since its warps wait for each other");
    now = copy_but("registers", 16);
    result_remove(now, "hottest_address");
    expect(copy, now, WEIGHED_OPEN, "its atomics, or its reads of constants, were not counted");
    now = copy_but("registers", 16);
    result_remove(now, "constant_replays");
    expect(copy, now, WEIGHED_OPEN, "reads of constants, were not counted");
    result_remove(now, "load_waits");
    expect(copy, now, WEIGHED_OPEN, "its traffic was not measured");
    result_remove(now, "instructions");
    expect(copy, now, WEIGHED_OPEN, "not all of its instructions");
    now->launches->grid[0] = 0;
    expect(now, copy, WEIGHED_OPEN, "its launches");
}

/* On another chip each constant may be three times as large, or as small: what is decided there is decided by any. */
Test(estimate, on_another_chip_it_decides_only_what_no_constant_changes)
{
    static const struct {
        double instructions, wavefronts; /* in place of 2 million and 0 */
        enum weighed here, there;
    } cases[] = {{1e6, 8e5, WEIGHED_SLOWER, WEIGHED_OPEN},
                 {1e6, 0, WEIGHED_FASTER, WEIGHED_FASTER},
                 {2e6, 8e5, WEIGHED_SLOWER, WEIGHED_SLOWER},
                 {1e6, 1e8, WEIGHED_SLOWER, WEIGHED_SLOWER}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int other = 0; other < 2; other++) {
            char why[300];
            const struct device device = {.compute_capability = (char[]){other ? '8' : '9', '.', '0', 0},
                                          .sm_count = 132};
            struct result *now = copy_but("instructions", cases[i].instructions);
            set_value(now, "shared_wavefronts", cases[i].wavefronts);
            estimate_time(&before, &device, copy_but("instructions", 2e6));
            estimate_time(&after, &device, now);
            cr_expect_eq(estimate_weigh(&before, &after, why, sizeof why), other ? cases[i].there : cases[i].here,
                         "row %zu: %s", i, why);
        }
}

Test(estimate, tensor_cores_are_known_by_the_code_else_by_counts_else_not_at_all)
{
    static const struct {
        enum tensor_cores code;
        double counted; /* negative: it was not */
        const char *words;
    } cases[] = {{TENSOR_UNUSED, -1, "issue of instructions"},      {TENSOR_USED, -1, "since it uses tensor cores"},
                 {TENSOR_UNKNOWN, -1, "since its file is too old"}, {TENSOR_UNKNOWN, 0, "issue of instructions"},
                 {TENSOR_UNKNOWN, 1, "since it uses tensor cores"}, {TENSOR_UNUSED, 1, "issue of instructions"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct result *copy = copy_but("registers", 16), *now = copy_but("instructions", 20e6);
        now->launches->machine.tensor = cases[i].code;
        if (cases[i].counted >= 0)
            set_value(now, "tensor_instructions", cases[i].counted);
        const bool open = strstr(cases[i].words, "since");
        expect(copy, now, open ? WEIGHED_OPEN : WEIGHED_SLOWER, cases[i].words);
        expect(now, copy, open ? WEIGHED_OPEN : WEIGHED_FASTER, cases[i].words);
    }
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
        expect(sides[i], copy_but("registers", 16), WEIGHED_OPEN, "one side was measured and the other computed");
    }
    expect(sides[0], sides[1], WEIGHED_SLOWER, "memory traffic");
}
