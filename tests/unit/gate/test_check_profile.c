#include "baseline/baseline.h"
#include "gate/check_parts.h"
#include "made_time.h"
#include "test.h"

/* A made-up collector counts lines, in real workers that load libraries/turns.c. */
#define KERNEL "turns/equal"
#define FUNCTION "plain(float*)"
#define CODE "tests/fuzz/corpus/cubin/library.so" /* machine code that is no kernel library, so loading it fails */
#define EXCESS 100

static int open_nothing(void **self, const struct job *job, struct device *device, struct session *session,
                        struct problem *problem)
{
    (void)job, (void)session, (void)problem;
    *self = NULL;
    device->name = x_strdup("made up");
    return 0;
}

static void launch(struct result *result)
{
    *ARRAY_GROW(result->launches, result->launch_count) =
        (struct launch){.function = x_strdup(FUNCTION), .grid = {1, 1, 1}, .block = {32, 1, 1}, .times = 1};
}

static void add_counts(struct profile *profile)
{
    struct profile_line *line = profile_add(profile, FUNCTION, "made_up.cu", 1, 0);
    line->counts[LINE_SHARED] = 2 * EXCESS;
    line->counts[LINE_SHARED_IDEAL] = EXCESS;
    profile->counted = (1u << LINE_COUNTERS) - 1;
}

static int count_lines(void *self, const struct workload *workload, struct result *result, struct problem *problem)
{
    (void)self, (void)workload, (void)problem;
    launch(result);
    add_counts(&result->profile);
    return 0;
}

static int sample_lines(void *self, const struct workload *workload, struct result *result, struct problem *problem)
{
    (void)self, (void)workload, (void)problem;
    launch(result);
    profile_line_add_stall(profile_add(&result->profile, FUNCTION, "made_up.cu", 1, 0), "barrier", 1);
    result->profile.period = 32;
    result->profile.launches = 1;
    return 0;
}

static void close_nothing(void *self)
{
    (void)self;
}

static const struct collector *load(unsigned what, struct problem *problem)
{
    static const struct collector counts = {.open = open_nothing, .measure = count_lines, .close = close_nothing};
    static const struct collector stalls = {.open = open_nothing, .measure = sample_lines, .close = close_nothing};
    (void)problem;
    return what == PROVIDES_STALLS ? &stalls : &counts;
}

static const struct backend made_up = {
    .name = "made up", .doc = "", .provides = PROVIDES_LINE_COUNTS | PROVIDES_STALLS, .load = load};

struct fixture {
    struct metrics metrics;
    char *folder, *library, *log;
    struct measurement measurement;
    struct run baseline, run;
    struct comparison comparison;
};

static struct result *add_result(struct run *run)
{
    struct result *result = run_add(run, KERNEL);
    launch(result);
    return result;
}

static void set_up(struct fixture *fixture)
{
    *fixture = (struct fixture){.folder = scratch_make(), .library = built("libturns.so")};
    made_time_begin();
    cr_assert_eq(metrics_read_text(&fixture->metrics, "test.ini",
                                   "[excess_wavefronts]\ntitle = Excess\ncounter = cugate.excess_wavefronts\n"
                                   "unit = count\nclass = exact\nbetter = lower\ndoc = By line.\n"),
                 0);
    cr_assert_eq(metrics_check(&fixture->metrics), 0);
    fixture->log = x_sprintf("%s/log", fixture->folder);
    setenv("TURNS_LOG", fixture->log, 1);
    setenv("CUDA_VISIBLE_DEVICES", "", 1);
    fixture->measurement = (struct measurement){
        .kernels = fixture->library, .metrics = &fixture->metrics, .backend = &made_up, .samples = 1, .timeout = 60};
    add_result(&fixture->baseline);
    add_result(&fixture->run);
}

static void tear_down(struct fixture *fixture)
{
    comparison_release(&fixture->comparison);
    run_release(&fixture->baseline);
    run_release(&fixture->run);
    metrics_release(&fixture->metrics);
    free(fixture->library);
    free(fixture->log);
    scratch_remove(fixture->folder);
}

/* Returns how many processes loaded the library. */
static size_t processes(const struct fixture *fixture)
{
    OWNED_TEXT text = file_text(fixture->log);
    return strlen(text);
}

Test(check_profile, conflicts_that_are_no_worse_are_not_counted_a_second_time)
{
    static const struct {
        double base;      /* excess wavefronts in the baseline; 0: it has no row */
        size_t processes; /* expected number of processes of both sessions */
        bool on_gpu;      /* which counts for both at once */
    } rows[] = {
        {.base = EXCESS, .processes = 1},
        {.base = EXCESS + 1, .processes = 1},
        {.base = EXCESS - 1, .processes = 2},
        {.base = 0, .processes = 0},
        {.base = EXCESS, .processes = 2, .on_gpu = true},
        {.base = EXCESS - 1, .processes = 2, .on_gpu = true},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        AT_END(tear_down) struct fixture fixture;
        OWNED(run) again = {0}, next = {0};
        struct backend gpu = made_up;
        gpu.provides |= PROVIDES_COUNTERS;
        set_up(&fixture);
        fixture.measurement.backend = rows[i].on_gpu ? &gpu : &made_up;
        fixture.run.results[0].launches[0].code = x_strdup("f00d"); /* which a second session is not asked for */
        add_result(&again);
        if (rows[i].base > 0)
            for (size_t s = 0; s < 3; s++)
                row_add_session(result_add(&fixture.baseline.results[0], "excess_wavefronts"), &rows[i].base, 1);
        cr_expect_eq(check_conflicts(&fixture.measurement, &fixture.baseline, NULL, &fixture.run, &next), EXIT_SAME);
        cr_expect_eq(processes(&fixture), rows[i].on_gpu ? 2 : rows[i].base > 0, "row %zu", i);
        compare_runs(&fixture.comparison, &fixture.baseline, &fixture.run, &fixture.metrics, NULL);
        cr_expect_eq(check_conflicts(&fixture.measurement, &fixture.baseline, &fixture.comparison, &again, &next),
                     EXIT_SAME);
        cr_expect_eq(processes(&fixture), rows[i].processes, "row %zu: %zu processes", i, processes(&fixture));
        const struct row *row = result_find(&again.results[0], "excess_wavefronts");
        cr_expect_eq(row && row->state == VALUE_MEASURED, rows[i].base == EXCESS - 1, "row %zu", i);
    }
}

/* Bank conflicts that could not be counted were not judged, so they are tried again. */
Test(check_profile, conflicts_that_were_not_counted_are_tried_a_second_time)
{
    AT_END(tear_down) struct fixture fixture;
    OWNED(run) again = {0};
    set_up(&fixture);
    add_result(&again);
    row_add_session(result_add(&fixture.baseline.results[0], "excess_wavefronts"), &(double){EXCESS}, 1);
    result_add(&fixture.run.results[0], "excess_wavefronts");
    compare_runs(&fixture.comparison, &fixture.baseline, &fixture.run, &fixture.metrics, NULL);
    cr_expect_eq(check_conflicts(&fixture.measurement, &fixture.baseline, &fixture.comparison, &again, NULL),
                 EXIT_SAME);
    cr_expect_eq(processes(&fixture), 1);
}

/* Accepts a run with bank conflicts of the kernel, by that collector. */
static void accept_conflicts(const struct fixture *fixture, const char *collector)
{
    OWNED(run) run = {.device = {.name = x_strdup("made up")}};
    struct session *session = ARRAY_GROW(run.sessions, run.session_count);
    *session = (struct session){0};
    measure_complete_session(session);
    session->facts[SESSION_COLLECTOR] = x_strdup(collector);
    run_note_metrics(&run, &fixture->metrics);
    row_add_session(result_add(add_result(&run), "excess_wavefronts"), &(double){EXCESS}, 1);
    OWNED(accepted) accepted;
    char *const names[] = {(char[]){"made up"}};
    const struct acceptance acceptance = {
        .baselines = fixture->folder, .metrics = &fixture->metrics, .reason = "made up", .names = names};
    cr_assert_eq(baseline_accept(&acceptance, &run, 1, &accepted), 0);
}

Test(check_profile, a_run_for_elsewhere_has_the_conflicts_that_its_baseline_has)
{
    static const struct {
        const char *collector; /* the baseline's collector; NULL: there is no baseline */
        size_t processes;
    } rows[] = {{"made up", 1}, {"another", 0}, {NULL, 0}};
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        WITH(tear_down, struct fixture fixture, set_up(&fixture));
        fixture.run.device.name = x_strdup("made up");
        if (rows[i].collector)
            accept_conflicts(&fixture, rows[i].collector);
        cr_expect_eq(check_supplement(&fixture.measurement, fixture.folder, &fixture.run), EXIT_SAME);
        cr_expect_eq(processes(&fixture), rows[i].processes, "row %zu: %zu processes", i, processes(&fixture));
        const struct row *row = result_find(&fixture.run.results[0], "excess_wavefronts");
        cr_expect_eq(row && row->state == VALUE_MEASURED && row_value(row) == EXCESS, rows[i].processes == 1);
    }
}

Test(check_profile, a_base_build_is_not_asked_for_lines_that_the_baseline_keeps_of_its_code)
{
    static const struct {
        bool same_code, counts, few, stalls; /* what the baseline keeps; few: it has one counter only */
        bool asked_counts, asked_stalls;
    } rows[] = {
        {true, true, false, true, false, false}, {true, true, false, false, false, true},
        {true, false, false, true, true, false}, {true, true, true, true, true, false},
        {true, false, false, false, true, true}, {false, true, false, true, true, true},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        WITH(tear_down, struct fixture fixture, set_up(&fixture));
        struct result *kept = &fixture.baseline.results[0];
        fixture.baseline.device.compute_capability = x_strdup("9.0");
        cr_assert_eq(static_facts_add(&fixture.baseline, CODE, &fixture.metrics), 0);
        cr_assert_not_null(kept->launches[0].code);
        if (!rows[i].same_code)
            kept->launches[0].code[0] ^= 1;
        if (rows[i].counts)
            add_counts(&kept->profile);
        if (rows[i].few)
            kept->profile.counted = 1u << LINE_SHARED;
        if (rows[i].stalls)
            kept->profile.period = 32;
        *ARRAY_GROW(fixture.comparison.list, fixture.comparison.count) =
            (struct judgement){.kernel = KERNEL, .metric = &fixture.metrics.list[0], .verdict = VERDICT_REGRESSED};

        capture_begin();
        check_explain(&fixture.measurement, &fixture.comparison, &fixture.baseline, CODE, 20, &fixture.run);
        OWNED_TEXT said = capture_end();
        cr_expect_eq(processes(&fixture), 2, "row %zu", i); /* two processes: counts and stalls of the new build */
        cr_expect_eq(strstr(said, "no exact counts") != NULL, rows[i].asked_counts, "row %zu: %s", i, said);
        cr_expect_eq(strstr(said, "no stalls") != NULL, rows[i].asked_stalls, "row %zu: %s", i, said);
    }
}
