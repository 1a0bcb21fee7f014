#include "gate/paired.h"
#include "made_time.h"
#include "test.h"

/* Two builds of the kernels in libraries/turns.c, timed by a made-up host clock. What pairs say, and when they end, is
 * in check.txt. */
struct fixture {
    struct metrics metrics;
    char *folder, *log;
    char *head, *base;
    char *glob;
    struct measurement measurement;
    struct run run;
    int code;
    char *said; /* what was printed to standard error */
};

/* The floor is smaller than what the slower build loses. */
static const char wall_time[] = "[wall_time]\ntitle = Wall time\ncounter = cugate.wall_time\nunit = ns\nclass = time\n"
                                "better = lower\nfloor = 4000000 ns\ndoc = By the host's clock.\n";
static const char counter[] = "[instructions]\ntitle = Instructions\ncounter = inst_executed\nunit = count\n"
                              "class = exact\nbetter = lower\ndoc = Not for the host.\n";

static void set_up(struct fixture *fixture, const char *glob)
{
    *fixture = (struct fixture){.folder = scratch_make(), .glob = x_strdup(glob)};
    made_time_begin();
    cr_assert_eq(metrics_read_text(&fixture->metrics, "test.ini", wall_time), 0);
    cr_assert_eq(metrics_read_text(&fixture->metrics, "test.ini", counter), 0);
    cr_assert_eq(metrics_check(&fixture->metrics), 0);
    fixture->head = built("libturns.so");
    fixture->base = x_sprintf("%s/base.so", fixture->folder);
    fixture->log = x_sprintf("%s/log", fixture->folder);
    OWNED_TEXT mark = x_sprintf("%s/mark", fixture->folder);
    cr_assert_eq(symlink(fixture->head, fixture->base), 0);
    setenv("CUDA_VISIBLE_DEVICES", "", 1);
    setenv("TURNS_MARK", mark, 1);
    fixture->measurement = (struct measurement){
        .kernels = fixture->head,
        .metrics = &fixture->metrics,
        .backend = backend_find("host"),
        .globs = &fixture->glob,
        .glob_count = 1,
        .samples = 3,
        .timeout = 60,
    };
    cr_assert_eq(measure_run(&fixture->measurement, &fixture->run), EXIT_SAME);
    setenv("TURNS_LOG", fixture->log, 1);
}

/* Settles the times in doubt, or without a comparison all of them. */
static void settle(struct fixture *fixture, const struct comparison *comparison)
{
    capture_begin();
    fixture->code =
        paired_run(&fixture->measurement, fixture->base, NULL, comparison, &(struct pair_sessions){0}, &fixture->run);
    fixture->said = capture_end();
}

static void tear_down(struct fixture *fixture)
{
    run_release(&fixture->run);
    metrics_release(&fixture->metrics);
    free(fixture->said);
    free(fixture->glob);
    free(fixture->head);
    free(fixture->base);
    free(fixture->log);
    scratch_remove(fixture->folder);
}

/* Returns the processes that were started, a letter for each. Caller frees. */
static char *turns_taken(const struct fixture *fixture)
{
    return file_text(fixture->log);
}

static void set_code(const struct run *run, const char *id, const char *code)
{
    struct result *result = run_find(run, id);
    *ARRAY_GROW(result->launches, result->launch_count) = (struct launch){
        .function = x_strdup("f"), .code = x_strdup(code), .grid = {1, 1, 1}, .block = {1, 1, 1}, .times = 1};
}

Test(paired, code_that_changed_gets_pairs_and_is_regressed_by_them)
{
    AT_END(tear_down) struct fixture fixture;
    set_up(&fixture, "turns/[es][ql]*[lr]"); /* the kernels equal and slower */
    OWNED(run) base;
    struct measurement measurement = fixture.measurement;
    measurement.kernels = fixture.base;
    cr_assert_eq(measure_run(&measurement, &base), EXIT_SAME);
    set_code(&base, "turns/equal", "1");
    set_code(&fixture.run, "turns/equal", "1");
    set_code(&base, "turns/slower", "2");
    set_code(&fixture.run, "turns/slower", "3");
    struct comparison comparison;
    compare_runs(&comparison, &base, &fixture.run, &fixture.metrics, NULL);
    cr_expect_eq(comparison_exit_code(&comparison), EXIT_UNSURE); /* one session is no proof */
    struct metrics asked = {0}; /* those that are measured may be a list of their own, of -m */
    for (size_t m = 0; m < fixture.metrics.count; m++)
        metrics_need(&asked, &fixture.metrics, fixture.metrics.list[m].name);
    fixture.measurement.metrics = &asked;
    settle(&fixture, &comparison);
    cr_expect_eq(fixture.code, EXIT_SAME, "%s", fixture.said);
    comparison_release(&comparison);

    compare_runs(&comparison, &base, &fixture.run, &fixture.metrics, NULL);
    cr_expect_eq(made_row(&fixture.run, "turns/equal", "wall_time")->pair_count, 0);
    cr_expect_eq(comparison_exit_code(&comparison), EXIT_REGRESSED);
    cr_expect_str_eq(comparison.list[0].kernel, "turns/slower");
    cr_expect_eq(comparison.list[0].verdict, VERDICT_REGRESSED);
    cr_expect_eq(comparison.list[0].pairs_worse, RULE_EARLY);
    cr_expect_not(judgement_is_suspect(&comparison.list[0]));
    comparison_release(&comparison);
    free(asked.list);
}

Test(paired, the_run_s_own_rows_stay_as_they_were)
{
    WITH(tear_down, struct fixture fixture, set_up(&fixture, "turns/equal"));
    const double before = row_value(made_row(&fixture.run, "turns/equal", "wall_time"));
    settle(&fixture, NULL);
    cr_expect_eq(row_value(made_row(&fixture.run, "turns/equal", "wall_time")), before);
    cr_expect_eq(made_row(&fixture.run, "turns/equal", "wall_time")->session_count, 1);
    cr_expect_eq(fixture.run.session_count, 1);
    cr_expect_eq(result_find(run_find(&fixture.run, "turns/equal"), "instructions")->pair_count, 0);
}

Test(paired, what_the_base_lacks_or_fails_gets_no_pairs)
{
    static const struct {
        const char *id, *words, *unpaired;
    } expected[] = {
        {"turns/added", "turns/added is not in ", NULL}, /* the base lacks it, so nothing can settle it */
        {"turns/bad_base", "", "the base build's result was \"failed\" (launch: made-up illegal address)"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
        WITH(tear_down, struct fixture fixture, set_up(&fixture, expected[i].id));
        settle(&fixture, NULL);
        cr_expect_eq(fixture.code, EXIT_SAME);
        expect_word(fixture.said, expected[i].words);
        const struct result *result = run_find(&fixture.run, expected[i].id);
        cr_expect_eq(result->status, RESULT_OK);
        cr_expect_str_eq(result->unpaired ? result->unpaired : "", expected[i].unpaired ? expected[i].unpaired : "");
        cr_expect_eq(made_row(&fixture.run, expected[i].id, "wall_time")->pair_count, 0);
        OWNED_TEXT turns = turns_taken(&fixture);
        cr_expect_str_eq(turns, "BH", "%s", expected[i].id);
    }
}

/* Judges as `check` does, with signals held back, and saves the run. */
static void be_the_command(void *self)
{
    struct fixture *fixture = self;
    AT_END(interrupts_close) struct interrupts interrupts;
    OWNED_TEXT path = x_sprintf("%s/run.json", fixture->folder);
    made_time_begin(); /* each process has its own made-up clock */
    if (interrupts_open(&interrupts) < 0)
        _exit(EXIT_USAGE);
    fixture->measurement.progress = true;
    const int code =
        paired_run(&fixture->measurement, fixture->base, NULL, NULL, &(struct pair_sessions){0}, &fixture->run);
    _exit(run_write_file(&fixture->run, path) < 0 ? EXIT_USAGE : code);
}

Test(paired, an_interrupt_keeps_the_pairs_so_far)
{
    WITH(tear_down, struct fixture fixture, set_up(&fixture, "turns/stuck_later"));
    OWNED_TEXT path = x_sprintf("%s/run.json", fixture.folder);
    fixture.code = signalled(be_the_command, &fixture, "pair 3 of at most 14, 1 kernel left: [1/1] turns/stuck_later",
                             (const int[]){SIGINT}, 1, &fixture.said);
    cr_expect_eq(fixture.code, EXIT_INTERRUPTED, "%d: %s", fixture.code, fixture.said);
    expect_word(fixture.said, "interrupted after 0 of 1 kernels (pair 3 of at most 14, 1 kernel left)");
    run_release(&fixture.run);
    cr_assert_eq(run_read(&fixture.run, path), 0);
    cr_expect_eq(made_row(&fixture.run, "turns/stuck_later", "wall_time")->pair_count, 2);
}
