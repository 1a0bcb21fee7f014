#include "command/command.h"
#include "made_runs.h"
#include "made_time.h"
#include "model/run.h"
#include "test.h"

#include <unistd.h>

/* A gate on two builds of the kernels in libraries/turns.c, timed by a made-up host clock, in a folder of its
 * own. */
struct fixture {
    char *folder, *baselines, *head, *base, *save, *report;
    char *globs[2];
    struct options options;
    int code;
    char *said;     /* what was printed to standard error */
    char *printed;  /* the report as it was printed */
    struct run run; /* the run that was saved */
};

static void set_up(struct fixture *fixture, const char *glob)
{
    *fixture = (struct fixture){.folder = scratch_make(), .globs = {x_strdup(glob)}};
    made_time_begin();
    fixture->baselines = x_sprintf("%s/baselines", fixture->folder);
    fixture->head = built("libturns.so");
    fixture->base = x_sprintf("%s/base.so", fixture->folder);
    fixture->save = x_sprintf("%s/run.json", fixture->folder);
    fixture->report = x_sprintf("%s/report.json", fixture->folder);
    OWNED_TEXT mark = x_sprintf("%s/mark", fixture->folder);
    OWNED_TEXT ini =
        scratch_file(fixture->folder, "test.ini",
                     "[wall_time]\ntitle = Wall time\ncounter = cugate.wall_time\nunit = ns\nclass = time\n"
                     "better = lower\nfloor = 20 %\ndoc = By the host's clock.\n");
    OWNED_TEXT other_bytes = x_sprintf("{ cat '%s'; echo; } >'%s'", fixture->head, fixture->base);
    cr_assert_eq(system(other_bytes), 0);
    setenv("CUDA_VISIBLE_DEVICES", "", 1);
    setenv("TURNS_MARK", mark, 1);
    fixture->options = (struct options){
        .globs = fixture->globs,
        .glob_count = 1,
        .kernels = fixture->head,
        .metrics = fixture->folder,
        .baselines = fixture->baselines,
        .save = fixture->save,
        .output = fixture->report,
        .format = "json",
        .collector = "host",
        .samples = 3,
        .timeout = 60,
    };
}

static void check(struct fixture *fixture)
{
    run_release(&fixture->run);
    free(fixture->said);
    free(fixture->printed);
    capture_begin();
    fixture->code = command_check.run(&fixture->options);
    fixture->said = capture_end();
    fixture->printed = file_text(fixture->report);
    if (access(fixture->save, F_OK) == 0)
        cr_expect_eq(run_read(&fixture->run, fixture->save), 0);
}

static void tear_down(struct fixture *fixture)
{
    run_release(&fixture->run);
    free(fixture->said);
    free(fixture->printed);
    for (size_t i = 0; i < fixture->options.glob_count; i++)
        free(fixture->globs[i]);
    free(fixture->baselines);
    free(fixture->head);
    free(fixture->base);
    free(fixture->save);
    free(fixture->report);
    scratch_remove(fixture->folder);
}

/* Makes a run of the base build the baseline. */
static void accept_base(struct fixture *fixture)
{
    fixture->options.kernels = fixture->base;
    check(fixture);
    cr_assert_eq(fixture->code, EXIT_BASELINE, "%s", fixture->said);
    fixture->options.kernels = fixture->head;
    made_accept_file(fixture->baselines, fixture->folder, fixture->save);
}

/* Expects the same verdict from the saved run: it has all that the verdict depends on. */
static void expect_same_replay(struct fixture *fixture)
{
    const int code = fixture->code;
    OWNED_TEXT printed = fixture->printed;
    fixture->printed = NULL;
    fixture->options.replay = fixture->save;
    fixture->options.save = NULL;
    fixture->options.against = NULL;
    fixture->options.paired = false;
    check(fixture);
    cr_expect_eq(fixture->code, code, "%s", fixture->said);
    const char *judged[] = {strstr(printed, "\"kernels\""), strstr(fixture->printed, "\"kernels\"")};
    cr_assert(judged[0] && judged[1]);
    cr_expect_str_eq(judged[0], judged[1]);
}

Test(check, a_suspect_is_measured_again_in_another_process)
{
    static const struct {
        const char *id;
        size_t sessions;
        int code;
    } expected[] = {
        {"turns/equal", 1, EXIT_SAME},
        {"turns/slower", 2, EXIT_UNSURE}, /* a baseline of one session knows no spread */
        {"turns/slower_once", 2, EXIT_SAME},
        {"turns/faster", 1, EXIT_SAME},
    };
    for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
        WITH(tear_down, struct fixture fixture, set_up(&fixture, expected[i].id));
        setenv("TURNS_MARK", "/no/such/folder/mark", 1);
        accept_base(&fixture);
        OWNED_TEXT mark = x_sprintf("%s/mark", fixture.folder);
        setenv("TURNS_MARK", mark, 1);
        check(&fixture);
        cr_expect_eq(fixture.code, expected[i].code, "%s: %d %s", expected[i].id, fixture.code, fixture.said);
        cr_expect_eq(made_row(&fixture.run, expected[i].id, "wall_time")->session_count, expected[i].sessions, "%s",
                     expected[i].id);
        cr_expect_eq(fixture.run.session_count, expected[i].sessions, "%s", expected[i].id);
        expect_same_replay(&fixture);
    }
}

Test(check, only_the_suspect_is_measured_again)
{
    AT_END(tear_down) struct fixture fixture;
    set_up(&fixture, "turns/[es][ql]*[lr]"); /* the kernels equal and slower */
    accept_base(&fixture);
    check(&fixture);
    cr_expect_eq(made_row(&fixture.run, "turns/equal", "wall_time")->session_count, 1);
    cr_expect_eq(made_row(&fixture.run, "turns/slower", "wall_time")->session_count, 2);
}

/* What fails in the second measurement has failed. Pairs settle a time in place of that; --paired takes every kernel.
 */
Test(check, what_a_base_build_settles)
{
    static const struct {
        const char *id;
        bool against, paired;
        int code;
        size_t sessions, pairs; /* of the kernel; SIZE_MAX: some */
        const char *printed;
    } rows[] = {
        {"turns/slower_then_bad", false, false, EXIT_NOT_MEASURED, 0, 0, "made-up illegal address"},
        {"turns/slower", true, false, EXIT_REGRESSED, 1, RULE_EARLY, ""},
        {"turns/equal", true, true, EXIT_SAME, 1, SIZE_MAX, ""},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        WITH(tear_down, struct fixture fixture, set_up(&fixture, rows[i].id));
        accept_base(&fixture);
        fixture.options.against = rows[i].against ? fixture.base : NULL;
        fixture.options.paired = rows[i].paired;
        check(&fixture);
        cr_expect_eq(fixture.code, rows[i].code, "%s: %d %s", rows[i].id, fixture.code, fixture.said);
        expect_word(fixture.printed, rows[i].printed);
        const bool failed = rows[i].code == EXIT_NOT_MEASURED;
        cr_expect_eq(run_find(&fixture.run, rows[i].id)->status, failed ? RESULT_FAILED : RESULT_OK);
        if (!failed) {
            const struct row *row = made_row(&fixture.run, rows[i].id, "wall_time");
            cr_expect_eq(row->session_count, rows[i].sessions, "%s", rows[i].id);
            cr_expect(rows[i].pairs == SIZE_MAX ? row->pair_count > 0 : row->pair_count == rows[i].pairs);
        }
        expect_same_replay(&fixture);
    }
}

Test(check, a_base_library_stands_in_for_a_baseline)
{
    WITH(tear_down, struct fixture fixture, set_up(&fixture, "turns/slower"));
    fixture.globs[fixture.options.glob_count++] = x_strdup("turns/[ab]*"); /* the kernels added and bad_base */
    fixture.options.against = fixture.base;
    fixture.options.format = "text";
    check(&fixture);
    cr_expect_eq(fixture.code, EXIT_REGRESSED, "%d %s", fixture.code, fixture.said);
    expect_words(fixture.printed, "measured now: ", "the base build gave \"failed\"");
    cr_expect_null(strstr(fixture.said, "error"), "%s", fixture.said);
    cr_expect_eq(made_row(&fixture.run, "turns/slower", "wall_time")->pair_count, RULE_EARLY);
    cr_expect_eq(made_row(&fixture.run, "turns/added", "wall_time")->pair_count, 0);
    cr_expect_eq(made_row(&fixture.run, "turns/bad_base", "wall_time")->pair_count, 0);
}

/* The baseline has turns/equal only. */
Test(check, what_the_baseline_lacks_is_compared_with_the_base_build)
{
    static const struct {
        const char *id, *expected; /* id of a kernel, and what expected.ini declares */
        int code;
        const char *verdict, *words;
    } rows[] = {
        {"turns/slower", "", EXIT_REGRESSED, "regressed", "the baseline lacks them or a row of theirs: turns/slower"},
        {"turns/faster", "", EXIT_SAME, "improved", "turns/faster"},
        {"turns/added", "", EXIT_SAME, "new", "`cugate accept` adds it"},
        {"turns/bad_base", "", EXIT_UNSURE, "unsure", "the base build gave \\\"failed\\\""},
        {"turns/removed", "", EXIT_NOT_MEASURED, "missing", "the base build has it and this one does not"},
        {"turns/removed", "[turns/removed removed]\nissue = x\nexpires = 2999-12-31\n", EXIT_SAME, "expected",
         "removed, see x"},
        {"turns/removed", "[turns/removed removed]\nissue = x\nexpires = 2020-12-31\n", EXIT_NOT_MEASURED, "missing",
         "the base build has it"},
        {"turns/added", "[turns/added removed]\nissue = x\nexpires = 2999-12-31\n", EXIT_REGRESSED, "unexpected-pass",
         "it is declared as removed, but exists"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        WITH(tear_down, struct fixture fixture, set_up(&fixture, "turns/equal"));
        accept_base(&fixture);
        OWNED_TEXT folder = x_sprintf("%s/host", fixture.baselines);
        free(scratch_file(folder, "expected.ini", rows[i].expected));
        const bool is_removed = strcmp(rows[i].id, "turns/removed") == 0; /* needed, since a glob has to match */
        fixture.globs[fixture.options.glob_count++] = x_strdup(is_removed ? "turns/[re][eq]*" : rows[i].id);
        fixture.options.against = fixture.base;
        check(&fixture);
        cr_expect_eq(fixture.code, rows[i].code, "%s: %d %s", rows[i].id, fixture.code, fixture.printed);
        OWNED_TEXT judged = x_sprintf("{\"kernel\": \"%s\"", rows[i].id);
        expect_words(fixture.printed, judged, rows[i].words);
        OWNED_TEXT verdict = x_sprintf("\"verdict\": \"%s\", \"base\"", rows[i].verdict);
        expect_word(fixture.printed, verdict);
    }
}

Test(check, a_base_build_that_fails_settles_nothing)
{
    WITH(tear_down, struct fixture fixture, set_up(&fixture, "turns/bad_base"));
    fixture.options.kernels = fixture.head;
    check(&fixture);
    set_text(&fixture.base, fixture.head);
    accept_base(&fixture);
    OWNED_TEXT link = x_sprintf("%s/base.so", fixture.folder);
    fixture.options.against = link;
    fixture.options.paired = true;
    check(&fixture);
    cr_expect_eq(fixture.code, EXIT_UNSURE, "%d %s", fixture.code, fixture.printed);
    expect_word(fixture.printed, "pairs could not settle it: the base build gave");
    expect_same_replay(&fixture);
}

Test(check, a_base_build_that_is_not_named_or_not_there)
{
    static const struct {
        bool against, paired;
        const char *words;
    } expected[] = {
        {false, true, "--paired needs --against BASE"},
        {true, false, "cannot read /no/such/base.so: No such file or directory"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
        WITH(tear_down, struct fixture fixture, set_up(&fixture, "turns/equal"));
        fixture.options.save = NULL;
        fixture.options.against = expected[i].against ? "/no/such/base.so" : NULL;
        fixture.options.paired = expected[i].paired;
        check(&fixture);
        cr_expect_eq(fixture.code, EXIT_USAGE);
        cr_expect_str_eq(fixture.printed, "");
        expect_word(fixture.said, expected[i].words);
    }
}
