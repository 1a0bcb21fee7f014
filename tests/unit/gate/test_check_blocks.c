#include "gate/check_parts.h"
#include "test.h"

struct side {
    unsigned registers, shared, bound;
};

static void make(struct run *run, const struct side *of)
{
    run->device = (struct device){.name = x_strdup("sm"), .compute_capability = x_strdup("9.0")};
    ARRAY_GROW(run->sessions, run->session_count)->facts[SESSION_COLLECTOR] =
        x_strdup(origin_of(ORIGIN_FILES)->collector);
    struct result *result = run_add(run, "a/b");
    *ARRAY_GROW(result->launches, result->launch_count) =
        (struct launch){.function = x_strdup("f"),
                        .has_machine = true,
                        .machine = {.registers = of->registers, .shared_bytes = of->shared, .max_threads = of->bound}};
    result_add(result, "theoretical_occupancy")->state = VALUE_NOT_APPLICABLE;
}

Test(check_blocks, occupancy_is_judged_for_what_the_code_allows)
{
    static const struct {
        struct side was, is;
        enum verdict verdict;
        const char *words;
    } rows[] = {
        {{25, 0, 0}, {142, 0, 256}, VERDICT_REGRESSED, "for blocks of 256 threads"},
        {{25, 0, 0}, {142, 0, 0}, VERDICT_REGRESSED, "for blocks of 256 threads"}, /* any block loses */
        {{32, 0, 0},
         {34, 0, 0},
         VERDICT_UNSURE,
         "some block sizes from 64 to 1024 threads fewer warps fit on an SM (256 threads: 100 % -> 75 %)"},
        {{32, 0, 256}, {34, 0, 256}, VERDICT_REGRESSED, "for blocks of 256 threads"},
        {{32, 0, 256}, {34, 0, 0}, VERDICT_REGRESSED, "for blocks of 256 threads"}, /* the bounds are gone */
        {{60, 0, 128}, {70, 0, 512}, VERDICT_REGRESSED, "for blocks of 128 threads"},
        {{60, 0, 512}, {70, 0, 128}, VERDICT_REGRESSED, "for blocks of 128 threads"},
        {{40, 0, 1024}, {48, 0, 1024}, VERDICT_UNSURE, "some block sizes from "}, /* one block an SM before and after */
        {{0, 1024, 0}, {0, 40960, 0}, VERDICT_UNSURE, "some block sizes from 32 to "},
        {{24, 0, 0}, {30, 0, 0}, VERDICT_SAME, NULL},
        {{142, 0, 256}, {25, 0, 256}, VERDICT_IMPROVED, "for blocks of 256 threads"},
    };
    OWNED(metrics) metrics;
    cr_assert_eq(metrics_read_folder(&metrics, "metrics"), 0);
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        OWNED(run) base = {0}, now = {0};
        OWNED(comparison) comparison = {0};
        make(&base, &rows[i].was);
        make(&now, &rows[i].is);
        check_settle_blocks(&base, &now, &metrics, true);
        compare_runs(&comparison, &base, &now, &metrics, NULL);
        check_settle_blocks(&base, &now, &metrics, false);
        cr_assert_eq(comparison.count, 1, "%zu", i);
        const struct judgement *row = comparison.list;
        cr_expect_eq(row->verdict, rows[i].verdict, "%zu: %s %s", i, verdict_name(row->verdict), row->reason);
        if (rows[i].words)
            expect_words(row->reason, rows[i].words);
        cr_expect_eq(now.results[0].rows[0].state, VALUE_NOT_APPLICABLE, "%zu: no file may have it", i);
    }
}
