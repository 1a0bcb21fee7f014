#include "gate/check_parts.h"
#include "test.h"

/* Functions that nobody launched, of which the code states no block. */
struct side {
    unsigned registers, shared, bound;
};

static void make(struct run *run, const struct side *of, const char *capability)
{
    *run = (struct run){.device = {.name = x_strdup("sm"), .compute_capability = x_strdup(capability)}};
    struct session *session = ARRAY_GROW(run->sessions, run->session_count);
    session->facts[SESSION_COLLECTOR] = x_strdup(origin_of(ORIGIN_FILES)->collector);
    struct result *result = run_add(run, "a/b");
    *ARRAY_GROW(result->launches, result->launch_count) =
        (struct launch){.function = x_strdup("f"),
                        .code = x_strdup(of->registers % 2 ? "beef" : "f00d"),
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
        {{25, 0, 0}, {142, 0, 256}, VERDICT_REGRESSED, "with blocks of 256 threads"},
        {{25, 0, 0}, {142, 0, 0}, VERDICT_REGRESSED, "with blocks of 256 threads"}, /* any block loses */
        {{32, 0, 0}, {34, 0, 0}, VERDICT_UNSURE, "some blocks of 64 to 1024 threads, such as 256: 100 % -> 75 %"},
        {{32, 0, 256}, {34, 0, 256}, VERDICT_REGRESSED, "with blocks of 256 threads"},
        {{32, 0, 256}, {34, 0, 0}, VERDICT_REGRESSED, "with blocks of 256 threads"}, /* the bounds are gone */
        {{60, 0, 128}, {70, 0, 512}, VERDICT_REGRESSED, "with blocks of 128 threads"},
        {{60, 0, 512}, {70, 0, 128}, VERDICT_REGRESSED, "with blocks of 128 threads"},
        {{40, 0, 1024}, {48, 0, 1024}, VERDICT_UNSURE, "some blocks of "}, /* one block an SM before and after */
        {{0, 1024, 0}, {0, 40960, 0}, VERDICT_UNSURE, "some blocks of 32 to "},
        {{24, 0, 0}, {30, 0, 0}, VERDICT_SAME, NULL},
        {{142, 0, 256}, {25, 0, 256}, VERDICT_IMPROVED, "with blocks of 256 threads"},
    };
    OWNED(metrics) metrics;
    cr_assert_eq(metrics_read_folder(&metrics, "metrics"), 0);
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        OWNED(run) base = {0}, now = {0};
        OWNED(comparison) comparison = {0};
        make(&base, &rows[i].was, "9.0");
        make(&now, &rows[i].is, "9.0");
        check_settle_blocks(&base, &now, &metrics, true);
        compare_runs(&comparison, &base, &now, &metrics, NULL);
        check_settle_blocks(&base, &now, &metrics, false);
        const struct judgement *row = comparison.list;
        while (row < comparison.list + comparison.count && !row->metric)
            row++;
        cr_assert_lt(row, comparison.list + comparison.count, "%zu", i);
        cr_expect_eq(row->verdict, rows[i].verdict, "%zu: %s %s", i, verdict_name(row->verdict), row->reason);
        if (rows[i].words)
            expect_words(row->reason, rows[i].words);
        cr_expect_eq(result_find(&now.results[0], "theoretical_occupancy")->state, VALUE_NOT_APPLICABLE, "%zu", i);
        cr_expect_eq(result_find(&base.results[0], "theoretical_occupancy")->state, VALUE_NOT_APPLICABLE, "%zu", i);
    }
}

Test(check_blocks, a_gpu_that_is_unknown_has_no_occupancy)
{
    OWNED(metrics) metrics;
    OWNED(run) base = {0}, now = {0};
    cr_assert_eq(metrics_read_folder(&metrics, "metrics"), 0);
    make(&base, &(struct side){25, 0, 0}, "3.0");
    make(&now, &(struct side){142, 0, 0}, "3.0");
    check_settle_blocks(&base, &now, &metrics, true);
    cr_expect_eq(result_find(&now.results[0], "theoretical_occupancy")->state, VALUE_NOT_APPLICABLE);
}
