#include "compare_support.h"
#include "support.h"

#include <criterion/criterion.h>
#include <stdlib.h>

/* Adds a session to the file of the kernel in the baseline. NULL: not recorded, or all metrics. */
static void put_session(struct fixture *fixture, const char *kernel, const char *gpu, const char *compiler,
                        const char *metrics)
{
    struct result *result = run_find(&fixture->base, kernel);
    struct session *session = ARRAY_ADD(result->sessions, result->session_count);
    session->facts[SESSION_GPU_UUID] = x_strdup(gpu);
    session->facts[SESSION_COMPILER] = x_strdup(compiler);
    session->facts[SESSION_METRICS] = x_strdup(metrics);
}

/* What an earlier session, another metric or another kernel knows of a GPU says nothing of a row. */
Test(compare_sessions, a_row_knows_the_gpus_that_it_was_measured_on)
{
    static const struct {
        const char *older, *newest, *metrics; /* GPU of ten sessions, of one more, and what that gave */
        enum verdict time;
    } rows[] = {
        {"GPU-1", "GPU-2", NULL, VERDICT_REGRESSED},       {"GPU-1", "GPU-2", "count share", VERDICT_UNSURE},
        {"GPU-1", "GPU-2", "count t*", VERDICT_REGRESSED}, {"GPU-2", "GPU-1", NULL, VERDICT_REGRESSED},
        {"GPU-1", "GPU-3", NULL, VERDICT_UNSURE},
    };
    for (size_t i = 0; i < ROWS(rows); i++) {
        struct fixture fixture;
        set_up(&fixture);
        put_times(&fixture.base, "a/b", "time", 100000, 10);
        put_times(&fixture.run, "a/b", "time", 110000, 2);
        put_times(&fixture.base, "a/other", "time", 100000, 10);
        put_times(&fixture.run, "a/other", "time", 100000, 2);
        for (int s = 0; s < 10; s++)
            put_session(&fixture, "a/b", rows[i].older, NULL, NULL);
        put_session(&fixture, "a/b", rows[i].newest, NULL, rows[i].metrics);
        put_session(&fixture, "a/other", "GPU-2", NULL, NULL);
        put_fact(&fixture.base, SESSION_GPU_UUID, "GPU-2");
        put_fact(&fixture.run, SESSION_GPU_UUID, "GPU-2");
        const struct judgement *time = find(compare(&fixture), "a/b", "time");
        cr_expect_eq(time->verdict, rows[i].time, "row %zu: %s", i, verdict_name(time->verdict));
        tear_down(&fixture);
    }
}

/* A row that was replaced has the newest sessions alone. */
Test(compare_sessions, a_replaced_row_has_forgotten_the_older_gpus)
{
    for (int known = 0; known < 2; known++) {
        struct fixture fixture;
        set_up(&fixture);
        put_times(&fixture.base, "a/b", "share", 90, 3);
        put_times(&fixture.run, "a/b", "share", 80, 2);
        put_session(&fixture, "a/b", known ? "GPU-1" : "GPU-2", NULL, NULL);
        put_session(&fixture, "a/b", "GPU-1", NULL, NULL);
        put_session(&fixture, "a/b", "GPU-1", NULL, NULL);
        put_session(&fixture, "a/b", known ? "GPU-2" : "GPU-1", NULL, NULL);
        put_fact(&fixture.run, SESSION_GPU_UUID, "GPU-2");
        const struct judgement *share = find(compare(&fixture), "a/b", "share");
        cr_expect_eq(share->verdict, known ? VERDICT_REGRESSED : VERDICT_UNSURE, "%s", verdict_name(share->verdict));
        cr_expect_eq(share->other_gpus, known ? 0 : 1);
        tear_down(&fixture);
    }
}

Test(compare_sessions, facts_of_another_compiler_are_none_of_this_kernel)
{
    static const struct {
        const char *compiler, *metrics; /* of the newest of two sessions; the older one's is nvcc 1 */
        enum verdict ceiling;
    } rows[] = {
        {"nvcc 2", NULL, VERDICT_REGRESSED},
        {"nvcc 2", "time", VERDICT_UNSURE},
        {"nvcc 3", NULL, VERDICT_UNSURE},
    };
    for (size_t i = 0; i < ROWS(rows); i++) {
        struct fixture fixture;
        set_up(&fixture);
        put_times(&fixture.base, "a/b", "ceiling", 100, 2);
        put(&fixture.run, "a/b", "ceiling", 50);
        put_times(&fixture.base, "a/other", "ceiling", 100, 1);
        put(&fixture.run, "a/other", "ceiling", 100);
        put_session(&fixture, "a/b", NULL, "nvcc 1", NULL);
        put_session(&fixture, "a/b", NULL, rows[i].compiler, rows[i].metrics);
        put_session(&fixture, "a/other", NULL, "nvcc 2", NULL);
        put_fact(&fixture.base, SESSION_COMPILER, "nvcc 2");
        put_fact(&fixture.run, SESSION_COMPILER, "nvcc 2");
        const struct judgement *ceiling = find(compare(&fixture), "a/b", "ceiling");
        cr_expect_eq(ceiling->verdict, rows[i].ceiling, "row %zu: %s", i, verdict_name(ceiling->verdict));
        tear_down(&fixture);
    }
}
