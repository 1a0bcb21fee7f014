#include "made_runs.h"
#include "made_time.h"
#include "model/run.h"
#include "test.h"

#include <unistd.h>

/* A gate on two builds of the kernels in libraries/turns.c, timed by a made-up host clock, in a folder of its
 * own. */
struct fixture {
    struct made_check check;
    char *head, *base, *globs[2];
    struct run run; /* the run that was saved */
};

static void set_up(struct fixture *fixture, const char *glob)
{
    *fixture = (struct fixture){.globs = {x_strdup(glob)}, .head = built("libturns.so")};
    made_time_begin();
    made_check_begin(&fixture->check);
    fixture->base = x_sprintf("%s/base.so", fixture->check.folder);
    OWNED_TEXT mark = x_sprintf("%s/mark", fixture->check.folder);
    OWNED_TEXT ini =
        scratch_file(fixture->check.folder, "test.ini",
                     "[wall_time]\ntitle = Wall time\ncounter = cugate.wall_time\nunit = ns\nclass = time\n"
                     "better = lower\nfloor = 20 %\ndoc = By the host's clock.\n");
    OWNED_TEXT other_bytes = x_sprintf("{ cat '%s'; echo; } >'%s'", fixture->head, fixture->base);
    cr_assert_eq(system(other_bytes), 0);
    setenv("CUDA_VISIBLE_DEVICES", "", 1);
    setenv("TURNS_MARK", mark, 1);
    struct options *options = &fixture->check.options;
    options->globs = fixture->globs;
    options->glob_count = 1;
    options->kernels = fixture->head;
    options->metrics = fixture->check.folder;
    options->save = fixture->check.save;
    options->format = "json";
    options->collector = "host";
    options->samples = 3;
}

static void check(struct fixture *fixture)
{
    run_release(&fixture->run);
    made_check_run(&fixture->check);
    if (access(fixture->check.save, F_OK) == 0)
        cr_expect_eq(run_read(&fixture->run, fixture->check.save), 0);
}

static void tear_down(struct fixture *fixture)
{
    run_release(&fixture->run);
    for (size_t i = 0; i < fixture->check.options.glob_count; i++)
        free(fixture->globs[i]);
    free(fixture->head);
    free(fixture->base);
    made_check_end(&fixture->check);
}

/* Makes a run of the base build the baseline. */
static void accept_base(struct fixture *fixture)
{
    fixture->check.options.kernels = fixture->base;
    check(fixture);
    cr_assert_eq(fixture->check.code, EXIT_BASELINE, "%s", fixture->check.said);
    fixture->check.options.kernels = fixture->head;
    made_accept_file(fixture->check.baselines, fixture->check.folder, fixture->check.save);
}

/* Expects the same verdict from the saved run: it has all that the verdict depends on. */
static void expect_same_replay(struct fixture *fixture)
{
    const int code = fixture->check.code;
    OWNED_TEXT printed = fixture->check.printed;
    fixture->check.printed = NULL;
    fixture->check.options.replay = fixture->check.save;
    fixture->check.options.save = NULL;
    fixture->check.options.against = NULL;
    fixture->check.options.paired = false;
    check(fixture);
    cr_expect_eq(fixture->check.code, code, "%s", fixture->check.said);
    const char *judged[] = {strstr(printed, "\"kernels\""), strstr(fixture->check.printed, "\"kernels\"")};
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
        OWNED_TEXT mark = x_sprintf("%s/mark", fixture.check.folder);
        setenv("TURNS_MARK", mark, 1);
        check(&fixture);
        cr_expect_eq(fixture.check.code, expected[i].code, "%s: %d %s", expected[i].id, fixture.check.code,
                     fixture.check.said);
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
        fixture.check.options.against = rows[i].against ? fixture.base : NULL;
        fixture.check.options.paired = rows[i].paired;
        check(&fixture);
        cr_expect_eq(fixture.check.code, rows[i].code, "%s: %d %s", rows[i].id, fixture.check.code, fixture.check.said);
        expect_word(fixture.check.printed, rows[i].printed);
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
    fixture.globs[fixture.check.options.glob_count++] = x_strdup("turns/[ab]*"); /* the kernels added and bad_base */
    fixture.check.options.against = fixture.base;
    fixture.check.options.format = "text";
    check(&fixture);
    cr_expect_eq(fixture.check.code, EXIT_REGRESSED, "%d %s", fixture.check.code, fixture.check.said);
    expect_words(fixture.check.printed, "measured now: ", "the base build gave \"failed\"");
    cr_expect_null(strstr(fixture.check.said, "error"), "%s", fixture.check.said);
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
        OWNED_TEXT folder = x_sprintf("%s/host", fixture.check.baselines);
        free(scratch_file(folder, "expected.ini", rows[i].expected));
        const bool is_removed = strcmp(rows[i].id, "turns/removed") == 0; /* needed, since a glob has to match */
        fixture.globs[fixture.check.options.glob_count++] = x_strdup(is_removed ? "turns/[re][eq]*" : rows[i].id);
        fixture.check.options.against = fixture.base;
        check(&fixture);
        cr_expect_eq(fixture.check.code, rows[i].code, "%s: %d %s", rows[i].id, fixture.check.code,
                     fixture.check.printed);
        OWNED_TEXT judged = x_sprintf("{\"kernel\": \"%s\"", rows[i].id);
        expect_words(fixture.check.printed, judged, rows[i].words);
        OWNED_TEXT verdict = x_sprintf("\"verdict\": \"%s\", \"base\"", rows[i].verdict);
        expect_word(fixture.check.printed, verdict);
    }
}

Test(check, a_base_build_that_fails_settles_nothing)
{
    WITH(tear_down, struct fixture fixture, set_up(&fixture, "turns/bad_base"));
    fixture.check.options.kernels = fixture.head;
    check(&fixture);
    set_text(&fixture.base, fixture.head);
    accept_base(&fixture);
    OWNED_TEXT link = x_sprintf("%s/base.so", fixture.check.folder);
    fixture.check.options.against = link;
    fixture.check.options.paired = true;
    check(&fixture);
    cr_expect_eq(fixture.check.code, EXIT_UNSURE, "%d %s", fixture.check.code, fixture.check.printed);
    expect_word(fixture.check.printed, "pairs could not settle it: the base build gave");
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
        fixture.check.options.save = NULL;
        fixture.check.options.against = expected[i].against ? "/no/such/base.so" : NULL;
        fixture.check.options.paired = expected[i].paired;
        check(&fixture);
        cr_expect_eq(fixture.check.code, EXIT_USAGE);
        cr_expect_str_eq(fixture.check.printed, "");
        expect_word(fixture.check.said, expected[i].words);
    }
}
