#include "accept_cases.h"
#include "command/command.h"
#include "made_runs.h"
#include "test.h"

#include <criterion/redirect.h>
#include <sys/resource.h>

Test(baseline_accept, cases)
{
    accept_cases("tests/unit/baseline/accept.txt");
}

/* A limit on the size of files stands in for a full disk: the first kernel fits, the second does not. */
Test(baseline_accept, kernels_change_all_or_none, .init = scratch_begin, .fini = scratch_leave)
{
    static const char *const names[] = {"nvidia-h200/access/coalesced.json", "nvidia-h200/reduce/tree.json"};
    OWNED(run) first = made_run(1);
    OWNED(run) second = made_run(2);
    const struct trial trial = {.folder = scratch};
    made_accept_one(&trial, &first);
    char *before[] = {made_text(scratch, names[0]), made_text(scratch, names[1])};
    for (int i = 0; i < 1000; i++) {
        OWNED_TEXT metric = x_sprintf("metric_%d", i);
        row_add_session(result_add(run_find(&second, "reduce/tree"), metric), (double[]){1}, 1);
    }
    struct accepted accepted;
    capture_begin(); /* captures before the limit, because it writes a file too */
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){8192, RLIM_INFINITY});
    int result = made_accept(&trial, &second, 1, &accepted);
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){RLIM_INFINITY, RLIM_INFINITY});
    OWNED_TEXT said = capture_end();
    cr_expect_eq(result, EXIT_USAGE);
    cr_expect_eq(accepted.rows, 0);
    expect_word(said, "tree.json: File too large; the baseline is unchanged");
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        OWNED_TEXT after = made_text(scratch, names[i]);
        cr_expect_str_eq(after, before[i]);
        free(before[i]);
    }
    made_accept_one(&trial, &second); /* the failure before leaves nothing in the way of accepting */
}

Test(baseline_accept, more_kernels_than_files_may_be_open, .init = scratch_begin, .fini = scratch_leave)
{
    OWNED(run) run = made_run(1);
    for (int i = 0; i < 100; i++) {
        OWNED_TEXT id = x_sprintf("many/v%d", i);
        row_add_session(result_add(run_add(&run, id), "time"), (double[]){1}, 1);
    }
    struct rlimit limit;
    cr_assert_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
    setrlimit(RLIMIT_NOFILE, &(struct rlimit){50, limit.rlim_max});
    made_accept_one(&(struct trial){.folder = scratch}, &run);
    OWNED(run) baseline = made_baseline(scratch);
    cr_expect_eq(baseline.result_count, 103);
}

static void set_code(const struct run *run, const char *kernel)
{
    struct launch *launch = &run_find(run, kernel)->launches[0];
    launch->code = x_strdup("abc");
    launch->times = 1;
}

static int run_accept(const char *folder, const char *reason, char **arguments, size_t count, char **said)
{
    char *metrics = x_sprintf("%s/metrics", folder), any[] = "*", *all = any;
    struct options options = {.baselines = folder,
                              .metrics = metrics,
                              .reason = reason,
                              .own = (void *)command_accept.own,
                              .arguments = arguments,
                              .argument_count = count,
                              .globs = &all,
                              .glob_count = 1};
    capture_begin();
    int result = command_accept.run(&options);
    *said = capture_end();
    free(metrics);
    return result;
}

static void expect_command(const char *folder, const char *reason, char **arguments, size_t count, int expected,
                           const char *words)
{
    OWNED_TEXT said;
    cr_expect_eq(run_accept(folder, reason, arguments, count, &said), expected, "%s", said);
    cr_expect(words ? strstr(said, words) != NULL : *said == '\0', "\"%s\" lacks \"%s\"", said, words);
}

#define WIDER_LIMITS(now)                                                                                              \
    "times have wider limits until the baseline has 10 sessions, and it now has " now                                  \
    ": accept more run files, each from a separate `cugate run`\n"

Test(baseline_accept, the_command_says_what_happened, .init = scratch_begin, .fini = scratch_leave)
{
    OWNED_TEXT metrics = x_sprintf("%s/metrics", scratch);
    char *arguments[5];
    cr_assert_eq(make_folders(metrics), 0);
    expect_command(scratch, "first", arguments, 1, EXIT_USAGE, "has no metric files");
    free(scratch_file(metrics, "made.ini", made_definitions));
    for (int i = 0; i < 5; i++) {
        OWNED(run) run = made_run(i + 1);
        if (i == 4) {
            made_set(&run, "access/coalesced", "count", 10000001);
            made_set(&run, "reduce/tree", "time", 250);
            row_clear(made_row(&run, "reduce/warp", "count"));
            made_row(&run, "reduce/warp", "count")->state = VALUE_NOT_SUPPORTED;
        } else if (i == 3) {
            made_set(&run, "access/coalesced", "count", 10000000);
        }
        arguments[i] = x_sprintf("%s/run_%d.json", scratch, i);
        cr_assert_eq(run_write_file(&run, arguments[i]), 0);
    }
    expect_command(scratch, NULL, arguments, 3, EXIT_USAGE, "--reason");
    expect_command(scratch, "  ", arguments, 3, EXIT_USAGE, "--reason");
    expect_command(scratch, "\xc3\xa9t\xe9", arguments, 3, EXIT_USAGE, "--reason is not UTF-8: its byte 4 is 0xe9");
    expect_command(scratch, "two\nlines", arguments, 3, EXIT_USAGE, "the control character U+000A at byte 4");
    expect_command(scratch, "turned\xe2\x80\xae", arguments, 3, EXIT_USAGE, "U+202E at byte 7");
    OWNED_TEXT reason = x_sprintf("%01001d", 0);
    expect_command(scratch, reason, arguments, 3, EXIT_USAGE, "--reason has 1001 bytes");
    expect_command(scratch, "first", arguments, 0, EXIT_USAGE, "needs a run file");
    cr_redirect_stdout();
    expect_command(scratch, "first", arguments, 2, 0, NULL);
    expect_command(scratch, "again", arguments + 1, 2, 0, NULL);
    expect_command(scratch, "moved", arguments + 3, 1, 0, NULL);
    expect_command(scratch, "moved", arguments + 4, 1, 0, NULL);
    fflush(stdout);
    OWNED_TEXT expected = x_sprintf(
        "accepted 12 rows of 3 kernels from 2 sessions into %s/nvidia-h200: 12 new\n%s"
        "accepted 12 rows of 3 kernels from 2 sessions into %s/nvidia-h200: 9 agree with the baseline and were "
        "added, 3 already there\n%s"
        "accepted 12 rows of 3 kernels from 1 session into %s/nvidia-h200: 7 agree with the baseline and were "
        "added, 1 replaced, 1 only shown (info), 3 already there; 1 drift reference moved\n"
        "  worse    access/coalesced count: 7 -> 10.00 M (+1.43e+08 %%)\n%s"
        "accepted 12 rows of 3 kernels from 1 session into %s/nvidia-h200: 3 agree with the baseline and were added, 3 "
        "replaced, 3 only shown (info), 3 already there; 1 drift reference moved\n"
        "  worse    access/coalesced count: 10000000 -> 10000001 (+1e-05 %%)\n"
        "  worse    reduce/tree time: 202 ns -> 250 ns (+23.5 %%)\n"
        "  changed  reduce/warp count: 7 -> not "
        "supported\n%s",
        scratch, WIDER_LIMITS("2"), scratch, WIDER_LIMITS("3"), scratch, WIDER_LIMITS("4"), scratch, WIDER_LIMITS("1"));
    cr_expect_stdout_eq_str(expected);
    free(scratch_file(scratch, "run_1.json", "broken"));
    expect_command(scratch, "third", arguments, 3, EXIT_USAGE, "run_1.json is not a JSON file");
    for (int i = 0; i < 5; i++)
        free(arguments[i]);
}

Test(baseline_accept, the_command_names_what_it_left_out, .init = scratch_begin, .fini = scratch_leave)
{
    OWNED_TEXT metrics = x_sprintf("%s/metrics", scratch);
    cr_assert_eq(make_folders(metrics), 0);
    free(scratch_file(metrics, "made.ini", made_definitions));
    cr_redirect_stdout();
    for (int i = 0; i < 2; i++) {
        OWNED(run) run = made_run(i + 1);
        OWNED_TEXT path = x_sprintf("%s/run.json", scratch);
        run_filter(&run, (char *[]){(char[]){"reduce/tree"}}, 1);
        set_code(&run, "reduce/tree");
        made_set(&run, "reduce/tree", "time", i == 0 ? 200 : 300);
        cr_assert_eq(run_write_file(&run, path), 0);
        expect_command(scratch, "why", &path, 1, 0, NULL);
    }
    fflush(stdout);
    OWNED_TEXT expected = x_sprintf(
        "accepted 4 rows of 1 kernel from 1 session into %s/nvidia-h200: 4 new\n" WIDER_LIMITS(
            "1") "accepted 3 rows of 1 kernel from 1 session into %s/nvidia-h200: 2 agree with the baseline "
                 "and were added, 1 already there, 1 changed more than noise although their code did not, so were left "
                 "out\n"
                 "  worse    reduce/tree time: 200 ns -> 300 ns (+50 %%); left out, but -k reduce/tree -m time "
                 "accepts it anyway\n" WIDER_LIMITS("1"),
        scratch, scratch);
    cr_expect_stdout_eq_str(expected);
}
