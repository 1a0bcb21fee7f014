#include "compare_support.h"
#include "baseline/baseline.h"
#include "explain/explain.h"
#include "test.h"

static const char definitions[] =
    "[count]\ntitle = Count\ncounter = made_up_count.sum\nunit = count\nclass = exact\nbetter = lower\ndoc = Exact.\n"
    "[good]\ntitle = Good\ncounter = made_up_good.sum\nunit = count\nclass = exact\nbetter = higher\n"
    "doc = Exact, more is better.\n"
    "[share]\ntitle = Share\ncounter = made_up_share.pct\nunit = %\nclass = steady\nbetter = higher\n"
    "floor = 1 point\ntrade = time\ndoc = Steady.\n"
    "[ratio]\ntitle = Ratio\ncounter = made_up_ratio.pct\nunit = %\nclass = steady\nbetter = higher\n"
    "floor = 1 point\ntrade = time count\ndoc = Steady.\n"
    "[time]\ntitle = Time\ncounter = gpu__time_duration.sum\nunit = ns\nclass = time\nbetter = lower\n"
    "floor = 2 % and 250 ns\nclock = clock\ndoc = Time.\n"
    "[ceiling]\ntitle = Ceiling\ncounter = cugate.theoretical_occupancy\nunit = %\nclass = static\nbetter = higher\n"
    "doc = Of the code.\n"
    "[clock]\ntitle = Clock\ncounter = made_up_clock.avg\nunit = Hz\nclass = info\nbetter = higher\ndoc = Shown.\n"
    "[allocations]\ntitle = A\ncounter = cugate.allocations\nunit = count\nclass = exact\nbetter = lower\ndoc = A.\n"
    "[copies]\ntitle = Copies\ncounter = cugate.copies\nunit = count\nclass = exact\nbetter = lower\ndoc = C.\n"
    "[first_part]\ntitle = First\ncounter = cugate.first_part\nunit = count\nclass = info\nbetter = lower\n"
    "doc = F.\n"
    "[launches]\ntitle = Launches\ncounter = cugate.launches\nunit = count\nclass = exact\nbetter = lower\n"
    "doc = Of a program.\n"
    "[processes]\ntitle = Processes\ncounter = cugate.processes\nunit = count\nclass = exact\nbetter = higher\n"
    "doc = Of a program.\n"
    "[instructions]\ntitle = I\ncounter = smsp__inst_executed.sum\nunit = count\nclass = exact\nbetter = lower\n"
    "doc = I.\n"
    "[stores]\ntitle = S\ncounter = smsp__sass_inst_executed_op_global_st.sum\nunit = count\nclass = exact\n"
    "better = lower\ndoc = S.\n"
    "[atomics]\ntitle = A\ncounter = cugate.global_atomics\nunit = count\nclass = exact\nbetter = lower\ndoc = A.\n"
    "[conflicts]\ntitle = C\ncounter = cugate.excess_wavefronts\nunit = count\nclass = exact\nbetter = lower\n"
    "doc = On demand.\n"
    "[waits]\ntitle = W\ncounter = cugate.load_waits\nunit = count\nclass = exact\nbetter = lower\ndoc = W.\n"
    "[computing]\ntitle = C\ncounter = cugate.computing_time\nunit = ns\nclass = time\nbetter = lower\ndoc = C.\n"
    "[gpu_time]\ntitle = G\ncounter = cugate.gpu_time\nunit = ns\nclass = time\nbetter = lower\ndoc = G.\n"
    "[traffic]\ntitle = Traffic\ncounter = made_up_traffic.sum\nunit = B\nclass = steady\nbetter = lower\n"
    "floor = 2 %\ndoc = Traffic.\n"
    "[lookups]\ntitle = L\ncounter = l.sum\nunit = count\nclass = info\nbetter = lower\ndoc = L.\n"
    "[hits]\ntitle = H\ncounter = h.pct\nunit = %\nclass = steady\nbetter = higher\nfloor = 1 point\n"
    "weight = lookups\nfew = 100000\ndoc = H.\n"
    "[rate]\ntitle = Rate\ncounter = made_up_rate.sum\nunit = B/s\nclass = info\nbetter = higher\ndoc = Shown.\n";

struct fixture set_up(void)
{
    struct fixture fixture = {0};
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

void put_status(struct run *run, const char *kernel, enum result_status status, const char *reason)
{
    struct result *result = run_add(run, kernel);
    result->status = status;
    result->reason = x_strdup(reason);
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
    for (size_t i = 0; i < comparison->count; i++) {
        const struct judgement *judgement = &comparison->list[i];
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
