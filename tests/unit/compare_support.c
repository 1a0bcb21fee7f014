#include "compare_support.h"
#include "baseline/baseline.h"
#include "explain/explain.h"
#include "test.h"

struct fixture set_up(void)
{
    struct fixture fixture = {0};
    OWNED_TEXT definitions = file_text("tests/unit/compare.ini");
    cr_assert_eq(metrics_read_text(&fixture.metrics, "made_up.ini", definitions), 0);
    run_note_metrics(&fixture.base, &fixture.metrics);
    run_note_metrics(&fixture.run, &fixture.metrics);
    return fixture;
}

void tear_down(struct fixture *fixture)
{
    comparison_release(&fixture->comparison);
    known_regressions_release(&fixture->known_regressions);
    run_release(&fixture->base);
    run_release(&fixture->run);
    metrics_release(&fixture->metrics);
}

void put(struct run *run, const char *kernel, const char *metric, double value)
{
    put_samples(run, kernel, metric, &value, 1);
}

void put_samples(struct run *run, const char *kernel, const char *metric, const double *samples, size_t count)
{
    row_add_session(result_add(run_add(run, kernel), metric), samples, count);
}

void put_times(struct run *run, const char *kernel, const char *metric, double value, size_t sessions)
{
    for (size_t i = 0; i < sessions; i++)
        put(run, kernel, metric, value);
}

void put_each(struct fixture *fixture, const char *kernel, const char *metric, double base, double now)
{
    put_sides(fixture, kernel, metric, base, 1, now, 1);
}

void put_sides(struct fixture *fixture, const char *kernel, const char *metric, double base, size_t base_sessions,
               double now, size_t sessions)
{
    put_times(&fixture->base, kernel, metric, base, base_sessions);
    put_times(&fixture->run, kernel, metric, now, sessions);
}

void put_state(struct run *run, const char *kernel, const char *metric, enum value_state state)
{
    result_add(run_add(run, kernel), metric)->state = state;
}

void put_code(struct run *run, const char *kernel, const char *code)
{
    struct result *result = run_add(run, kernel);
    *ARRAY_GROW(result->launches, result->launch_count) = (struct launch){.function = x_strdup("made_up()"),
                                                                          .code = code ? x_strdup(code) : NULL,
                                                                          .grid = {1, 1, 1},
                                                                          .block = {32, 1, 1},
                                                                          .times = 1};
}

void put_codes(struct fixture *fixture, const char *kernel, const char *base, const char *now)
{
    put_code(&fixture->base, kernel, base);
    put_code(&fixture->run, kernel, now);
}

const struct comparison *compare(struct fixture *fixture)
{
    comparison_release(&fixture->comparison);
    compare_runs(&fixture->comparison, &fixture->base, &fixture->run, &fixture->metrics, &fixture->known_regressions);
    note_differences(&fixture->comparison, &fixture->base, &fixture->run, &fixture->metrics);
    return &fixture->comparison;
}

const struct judgement *find(const struct comparison *comparison, const char *kernel, const char *metric)
{
    EACH(const struct judgement, judgement, comparison->list, comparison->count) {
        const char *name = judgement->metric ? judgement->metric->name : "";
        if (strcmp(judgement->kernel, kernel) == 0 && strcmp(name, metric) == 0)
            return judgement;
    }
    return NULL;
}

const struct judgement *expect_verdict(struct fixture *fixture, const char *kernel, const char *metric,
                                       enum verdict verdict, size_t row)
{
    const struct judgement *judgement = find(compare(fixture), kernel, metric);
    cr_assert_not_null(judgement, "row %zu: %s of %s", row, metric, kernel);
    cr_expect_eq(judgement->verdict, verdict, "row %zu: %s", row, verdict_name(judgement->verdict));
    return judgement;
}

bool says(const struct judgement *judgement, const char *text)
{
    return judgement->reason && strstr(judgement->reason, text);
}
