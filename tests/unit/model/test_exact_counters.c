#include "test.h"

#include "worker/worker.h"

static enum exact_counter counter_of(const char *names)
{
    char copy[256];
    snprintf(copy, sizeof copy, "%s", names);
    const struct metric metric = {.counter = copy};
    return exact_counter_of(&metric);
}

Test(exact_counters, any_of_a_metrics_names_counts_and_only_a_whole_one)
{
    cr_expect_eq(counter_of("smsp__inst_executed.sum"), EXACT_INSTRUCTIONS);
    cr_expect_eq(counter_of("sm__other.sum  smsp__sass_branch_targets.sum"), EXACT_BRANCH_TARGETS);
    cr_expect_eq(counter_of("smsp__inst_executed.sum.per_second"), EXACT_COUNTERS);
    cr_expect_eq(counter_of("smsp__inst_executed"), EXACT_COUNTERS);
    cr_expect_eq(counter_of(""), EXACT_COUNTERS);
}

/* Lists which metrics of the catalogue a simulation can compute, and which not. */
Test(exact_counters, metrics_that_the_simulator_provides)
{
    static const char *const has[] = {"instructions", "branch_efficiency",     "excess_wavefronts",
                                      "registers",    "theoretical_occupancy", "fp16_fused"};
    static const char *const lacks[] = {"time",
                                        "wall_time",
                                        "bandwidth",
                                        "flop_rate",
                                        "dram_bytes_read",
                                        "l1_sectors",
                                        "shared_bank_conflicts",
                                        "achieved_occupancy"};
    OWNED(metrics) metrics;
    const struct backend *sim = backend_find("sim"), *cupti = backend_find("cupti");
    cr_assert_eq(metrics_read_folder(&metrics, "metrics"), 0);
    for (size_t i = 0; i < ARRAY_SIZE(has); i++)
        cr_expect(backend_provides(sim, metrics_find(&metrics, has[i])), "%s", has[i]);
    for (size_t i = 0; i < ARRAY_SIZE(lacks); i++) {
        cr_expect_not(backend_provides(sim, metrics_find(&metrics, lacks[i])), "%s", lacks[i]);
        cr_expect(backend_provides(cupti, metrics_find(&metrics, lacks[i])), "%s", lacks[i]);
    }
}
