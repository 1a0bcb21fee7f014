#include "compare_support.h"
#include "test.h"

/* Adds a session to the kernel's file in the baseline. A fact that is NULL is not recorded. */
static void put_session(struct fixture *fixture, const char *kernel, const char *gpu, const char *compiler)
{
    struct result *result = run_find(&fixture->base, kernel);
    struct session *session = ARRAY_GROW(result->sessions, result->session_count);
    session->facts[SESSION_GPU_UUID] = x_strdup(gpu);
    session->facts[SESSION_COMPILER] = x_strdup(compiler);
}

/* Makes the values of a row those of the sessions from `first` on. */
static void put_places(struct fixture *fixture, const char *kernel, const char *metric, size_t first)
{
    struct row *row = result_find(run_find(&fixture->base, kernel), metric);
    for (size_t i = 0; i < row->session_count; i++)
        row->sessions[i].session = first + i;
}

/* GPUs of other sessions in the file, or of other kernels, say nothing about a row. */
Test(judge_sides, a_row_knows_the_gpus_that_it_was_measured_on)
{
    static const struct {
        const char *first, *others, *last; /* GPUs of the first, the middle and the last of 12 sessions */
        size_t from;                       /* index of the first of the ten sessions that the row has */
        enum verdict time;
    } rows[] = {
        {"GPU-2", "GPU-1", "GPU-1", 0, VERDICT_REGRESSED}, {"GPU-2", "GPU-1", "GPU-1", 1, VERDICT_UNSURE},
        {"GPU-2", "GPU-1", "GPU-2", 1, VERDICT_UNSURE},    {"GPU-1", "GPU-1", "GPU-2", 2, VERDICT_REGRESSED},
        {"GPU-1", "GPU-2", "GPU-1", 1, VERDICT_REGRESSED}, {"GPU-1", "GPU-3", "GPU-1", 1, VERDICT_UNSURE},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        AT_END(tear_down) struct fixture fixture = set_up();
        put_sides(&fixture, "a/b", "time", 100000, 10, 110000, 2);
        put_sides(&fixture, "a/other", "time", 100000, 10, 100000, 2);
        for (int s = 0; s < 12; s++)
            put_session(&fixture, "a/b", s == 0 ? rows[i].first : s < 11 ? rows[i].others : rows[i].last, NULL);
        put_places(&fixture, "a/b", "time", rows[i].from);
        put_session(&fixture, "a/other", "GPU-2", NULL);
        put_fact(&fixture.base, SESSION_GPU_UUID, "GPU-2");
        put_fact(&fixture.run, SESSION_GPU_UUID, "GPU-2");
        const struct judgement *time = expect_verdict(&fixture, "a/b", "time", rows[i].time, i);
        cr_expect_eq(time->other_gpus, rows[i].time == VERDICT_UNSURE ? 1 : 0, "row %zu", i);
    }
}

Test(judge_sides, facts_of_another_compiler_are_none_of_this_kernel)
{
    static const struct {
        const char *compiler; /* compiler of the second session; the first one's is nvcc 1 */
        size_t from;          /* index of the row's session */
        enum verdict ceiling;
    } rows[] = {
        {"nvcc 2", 1, VERDICT_REGRESSED},
        {"nvcc 2", 0, VERDICT_UNSURE},
        {"nvcc 3", 1, VERDICT_UNSURE},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        AT_END(tear_down) struct fixture fixture = set_up();
        put_sides(&fixture, "a/b", "ceiling", 100, 1, 50, 1);
        put_sides(&fixture, "a/other", "ceiling", 100, 1, 100, 1);
        put_session(&fixture, "a/b", NULL, "nvcc 1");
        put_session(&fixture, "a/b", NULL, rows[i].compiler);
        put_session(&fixture, "a/other", NULL, "nvcc 2");
        put_places(&fixture, "a/b", "ceiling", rows[i].from);
        put_fact(&fixture.base, SESSION_COMPILER, "nvcc 2");
        put_fact(&fixture.run, SESSION_COMPILER, "nvcc 2");
        expect_verdict(&fixture, "a/b", "ceiling", rows[i].ceiling, i);
    }
}

/* A base build is measured to see how two builds differ, also by what made them: then its time decides. */
Test(judge_sides, a_base_build_may_be_of_another_compiler)
{
    for (int from_base_build = 0; from_base_build < 2; from_base_build++) {
        AT_END(tear_down) struct fixture fixture = set_up();
        put_each(&fixture, "a/b", "ceiling", 100, 50);
        put_fact(&fixture.base, SESSION_COMPILER, "nvcc 1");
        put_fact(&fixture.run, SESSION_COMPILER, "nvcc 2");
        result_find(run_find(&fixture.base, "a/b"), "ceiling")->from_base_build = from_base_build;
        const struct judgement *ceiling = expect_verdict(&fixture, "a/b", "ceiling", VERDICT_UNSURE, 0);
        cr_expect(says(ceiling, "settle it by time"));
    }
}
