#include "baseline/baseline.h"
#include "command/command.h"
#include "made_runs.h"
#include "test.h"

#include <criterion/redirect.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

Test(baseline_accept, runs_that_do_not_belong_together_are_refused, .init = scratch_begin, .fini = scratch_leave)
{
    struct run runs[] = {made_run(1), made_run(2)};
    runs[1].device.sm_count = 114;
    made_expect(&(struct trial){.folder = scratch}, runs, 2, EXIT_BASELINE,
                "b.json and a.json are of different devices: SM count 114, not 132");
    run_release(&runs[1]);

    runs[1] = made_run(1);
    made_expect(&(struct trial){.folder = scratch}, runs, 2, EXIT_USAGE,
                "a.json and b.json are the same session (2026-11-01T08:00:00Z)");
    run_release(&runs[1]);

    runs[1] = made_run(2);
    set_text(&runs[1].sessions[0].facts[SESSION_COLLECTOR], "host");
    made_expect(&(struct trial){.folder = scratch}, runs, 2, EXIT_BASELINE,
                "b.json was measured by the collector host, but a.json by cupti");
    run_add_session(&runs[0], &runs[1].sessions[0]);
    made_expect(&(struct trial){.folder = scratch}, runs, 1, EXIT_BASELINE,
                "a.json holds sessions of two collectors, cupti and host");
    run_release(&runs[1]);
    run_release(&runs[0]);
    runs[0] = made_run(1);

    runs[1] = made_run(2);
    run_set_note(&runs[1],
                 &(struct metric_note){.name = (char[]){"time"}, .counter = (char[]){"t.avg"}, .unit = (char[]){"ns"}});
    made_expect(&(struct trial){.folder = scratch}, runs, 2, EXIT_BASELINE,
                "b.json defines time as t.avg in ns, but a.json as t.sum in ns");
    run_release(&runs[1]);

    runs[1] = made_run(2);
    set_text(&runs[1].device.name, NULL);
    made_expect(&(struct trial){.folder = scratch}, &runs[1], 1, EXIT_USAGE, "a.json does not name its GPU");
    run_release(&runs[1]);
    run_release(&runs[0]);
    OWNED_TEXT families = x_sprintf("%s/nvidia-h200", scratch);
    cr_expect_neq(access(families, F_OK), 0, "something was written");
}

/* Their names differ in case only, and were chosen so that both have the digits 23af4d59. */
Test(baseline_accept, kernels_that_would_share_a_file_are_refused, .init = scratch_begin, .fini = scratch_leave)
{
    static const char *const ids[] = {"py/aBCdEFGHIJkLMnOpQRstuvwXYz@1024,256",
                                      "py/AbcdEFgHiJKLMnOpQrSTUvwXYZ@1024,256"};
    char *paths[] = {id_path(ids[0]), id_path(ids[1])};
    cr_assert_str_eq(paths[0], paths[1]);
    struct run runs[] = {made_run(1), made_run(2)};
    for (size_t i = 0; i < 2; i++)
        set_text(&runs[i].results[0].id, ids[i]);
    made_accept_one(&(struct trial){.folder = scratch}, &runs[0]);
    made_expect(
        &(struct trial){.folder = scratch}, &runs[1], 1, EXIT_USAGE,
        "py/AbcdEFgHiJKLMnOpQrSTUvwXYZ@1024,256 and py/aBCdEFGHIJkLMnOpQRstuvwXYz@1024,256 would both be kept in");
    run_release(&runs[1]);
    run_release(&runs[0]);
    free(paths[0]);
    free(paths[1]);
}

Test(baseline_accept, runs_that_do_not_fit_the_old_baseline_are_refused, .init = scratch_begin, .fini = scratch_leave)
{
    OWNED(run) old = made_run(1);
    OWNED(run) new = made_run(2);
    made_accept_one(&(struct trial){.folder = scratch}, &old);

    new.device.ecc = true;
    made_expect(&(struct trial){.folder = scratch}, &new, 1, EXIT_BASELINE,
                "is the baseline of another device: this one has ECC on, not off");
    new.device.ecc = false;

    run_set_note(&new,
                 &(struct metric_note){.name = (char[]){"time"}, .counter = (char[]){"t.avg"}, .unit = (char[]){"ns"}});
    made_expect(&(struct trial){.folder = scratch, .kernel = "reduce/*"}, &new, 1, EXIT_BASELINE,
                "time is now t.avg in ns, but");
    /* accepting all rows at once may change their definitions */
    made_accept_one(&(struct trial){.folder = scratch}, &new);

    set_text(&new.sessions[0].facts[SESSION_COLLECTOR], NULL);
    made_expect(&(struct trial){.folder = scratch}, &new, 1, EXIT_BASELINE, "by the collector unknown, but");
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

/* Makes a run in which a kernel has another name than in run `number`. */
static struct run renamed_run(int number, const char *was, const char *now)
{
    struct run run = made_run(number);
    struct result *to = run_add(&run, now);
    const struct result *from = run_find(&run, was);
    result_copy_facts(to, from);
    for (size_t i = 0; i < from->row_count; i++) {
        struct row *row = result_add(to, from->rows[i].metric);
        row->state = from->rows[i].state;
        for (size_t k = 0; k < from->rows[i].session_count; k++)
            row_add_session(row, from->rows[i].sessions[k].samples, from->rows[i].sessions[k].count);
    }
    size_t kept = 0;
    char *ids[8];
    for (size_t i = 0; i < run.result_count; i++)
        if (strcmp(run.results[i].id, was) != 0)
            ids[kept++] = x_strdup(run.results[i].id);
    run_filter(&run, ids, kept);
    while (kept > 0)
        free(ids[--kept]);
    return run;
}

Test(baseline_accept, a_renamed_kernel_takes_its_baseline_along, .init = scratch_begin, .fini = scratch_leave)
{
    OWNED(run) old = made_run(1);
    OWNED(run) new = renamed_run(3, "access/coalesced", "copy/plain");
    made_accept_one(&(struct trial){.folder = scratch, .reason = "old"}, &old);
    made_set(&new, "copy/plain", "count", 9);
    const struct trial trial = {.folder = scratch, .kernel = "copy/plain", .was = "access/coalesced", .reason = "new"};
    OWNED(accepted) accepted;
    cr_assert_eq(made_accept(&trial, &new, 1, &accepted), 0);
    cr_expect_eq(accepted.kernels, 1);
    cr_expect_eq(accepted.counts[ACCEPTED_ADDED], 1, "time");
    cr_expect_eq(accepted.counts[ACCEPTED_KNOWN], 1, "hits, which are not applicable");
    OWNED(run) baseline = made_baseline(scratch);
    cr_expect_null(run_find(&baseline, "access/coalesced"));
    const struct row *time = made_row(&baseline, "copy/plain", "time");
    cr_expect_eq(time->session_count, 2);
    cr_expect_eq(time->drift_reference, 101);
    cr_expect_eq(made_row(&baseline, "copy/plain", "count")->previous->value, 7);
    cr_expect_str_eq(made_row(&baseline, "copy/plain", "count")->previous->reason, "old");
    cr_expect_eq(made_row(&baseline, "reduce/tree", "time")->session_count, 1);
    OWNED_TEXT family = x_sprintf("%s/nvidia-h200/access", scratch);
    cr_expect_neq(access(family, F_OK), 0, "an empty folder stays");
}

Test(baseline_accept, a_renaming_that_is_none_is_refused, .init = scratch_begin, .fini = scratch_leave)
{
    static const struct {
        const char *kernel, *was, *words;
    } cases[] = {
        {NULL, "access/coalesced", "--was access/coalesced needs one -k, the new name"},
        {"*", "access/coalesced", "needs one -k, the new name"},
        {"copy/plain", "reduce/tree",
         "a.json has measured reduce/tree, so it was not renamed: accept copy/plain without"},
        {"copy/plain", "copy/none", "no baseline of copy/none in "},
        {"reduce/tree", "access/coalesced", "reduce/tree has a baseline of its own"},
    };
    OWNED(run) old = made_run(1);
    OWNED(run) new = renamed_run(3, "access/coalesced", "copy/plain");
    made_accept_one(&(struct trial){.folder = scratch}, &old);
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
        made_expect(&(struct trial){.folder = scratch, .kernel = cases[i].kernel, .was = cases[i].was}, &new, 1,
                    EXIT_USAGE, cases[i].words);
    OWNED(run) baseline = made_baseline(scratch);
    cr_expect_eq(baseline.result_count, 3);
    cr_expect_not_null(run_find(&baseline, "access/coalesced"));
}

static void set_code(const struct run *run, const char *kernel)
{
    struct launch *launch = &run_find(run, kernel)->launches[0];
    launch->code = x_strdup("abc");
    launch->times = 1;
}

/* The next check would fail with unexpected-pass. A row that only gained a session, or was left out, needs no
 * warning. */
Test(baseline_accept, a_declared_regression_that_is_accepted_is_named, .init = scratch_begin, .fini = scratch_leave)
{
    OWNED_TEXT device = x_sprintf("%s/nvidia-h200", scratch);
    struct run runs[] = {made_run(1), made_run(2)};
    set_code(&runs[0], "access/coalesced");
    set_code(&runs[1], "access/coalesced");
    made_accept_one(&(struct trial){.folder = scratch}, &runs[0]);
    free(scratch_file(device, "expected.ini",
                      "[reduce/warp time]\nissue = i\nexpires = 2026-12-31\n"
                      "[reduce/tree hits]\nissue = i\nexpires = 2026-12-31\n"
                      "[reduce/tree time]\nissue = i\nexpires = 2026-12-31\n"
                      "[access/coalesced time]\nissue = i\nexpires = 2026-12-31\n"
                      "[copy/new time]\nissue = i\nexpires = 2026-12-31\n"));
    made_set(&runs[1], "reduce/warp", "time", 400);
    made_set(&runs[1], "access/coalesced", "time", 200);
    row_add_session(result_add(run_add(&runs[1], "copy/new"), "time"), (double[]){1}, 1);
    OWNED(accepted) accepted;
    capture_begin();
    cr_assert_eq(made_accept(&(struct trial){.folder = scratch}, &runs[1], 1, &accepted), 0);
    char *said = capture_end();
    expect_words(said, "nvidia-h200/expected.ini:1 declares", "remove the section [reduce/warp time]",
                 "remove the section [copy/new time]");
    cr_expect(!strstr(said, "reduce/tree"), "hits are not applicable, and the time was added: %s", said);
    cr_expect(!strstr(said, "access/coalesced"), "its time was left out: %s", said);
    free(said);

    capture_begin();
    made_accept_one(&(struct trial){.folder = scratch, .kernel = "reduce/warp", .metric = "count"}, &runs[1]);
    said = capture_end();
    cr_expect_str_empty(said);
    free(said);

    free(scratch_file(device, "expected.ini", "issue = i\n"));
    made_expect(&(struct trial){.folder = scratch}, &runs[1], 1, EXIT_USAGE, "expected.ini:1: ");
    run_release(&runs[1]);
    run_release(&runs[0]);
}

static int run_accept(const char *folder, const char *reason, char **arguments, size_t count, char **said)
{
    char *metrics = x_sprintf("%s/metrics", folder), any[] = "*", *all = any;
    struct options options = {.baselines = folder,
                              .metrics = metrics,
                              .reason = reason,
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
    "times have wider limits until they have 10 sessions; now they have " now                                          \
    ": accept more run files, each from a separate `cugate run` or `exec`\n"

Test(baseline_accept, the_command_says_what_happened, .init = scratch_begin, .fini = scratch_leave)
{
    OWNED_TEXT metrics = x_sprintf("%s/metrics", scratch);
    char *arguments[5];
    cr_assert_eq(make_folders(metrics), 0);
    expect_command(scratch, "first", arguments, 1, EXIT_USAGE, "holds no metric files");
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
        "accepted 12 rows of 3 kernels from 2 sessions in %s/nvidia-h200: 12 new\n" WIDER_LIMITS(
            "2") "accepted 12 rows of 3 kernels from 2 sessions in %s/nvidia-h200: 9 agreed and were added, 3 there "
                 "already\n" WIDER_LIMITS("3") "accepted 12 rows of 3 kernels from 1 session in %s/nvidia-h200: 7 "
                                               "agreed and were added, 1 replaced, "
                                               "1 of class info also replaced, 3 there already; 1 drift "
                                               "reference moved\n"
                                               "  worse    access/coalesced count: 7 -> 10.00 M (+1.43e+08 "
                                               "%%)\n" WIDER_LIMITS(
                                                   "4") "accepted 12 rows of 3 kernels from 1 session in "
                                                        "%s/nvidia-h200: 3 agreed and were added, 3 replaced, "
                                                        "3 of class info also replaced, 3 there already; 1 "
                                                        "drift reference moved\n"
                                                        "  worse    access/coalesced count: 10000000 -> 10000001 "
                                                        "(+1e-05 %%)\n"
                                                        "  worse    reduce/tree time: 202 ns -> 250 ns (+23.5 %%)\n"
                                                        "  changed  reduce/warp count: 7 -> not "
                                                        "supported\n" WIDER_LIMITS("1"),
        scratch, scratch, scratch, scratch);
    cr_expect_stdout_eq_str(expected);
    free(scratch_file(scratch, "run_1.json", "broken"));
    expect_command(scratch, "third", arguments, 3, EXIT_USAGE, "run_1.json:1:");
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
    OWNED_TEXT expected =
        x_sprintf("accepted 4 rows of 1 kernel from 1 session in %s/nvidia-h200: 4 new\n" WIDER_LIMITS(
                      "1") "accepted 3 rows of 1 kernel from 1 session in %s/nvidia-h200: 2 agreed and were added, 1 "
                           "there already, "
                           "1 moved far with unchanged code and were left out\n"
                           "  worse    reduce/tree time: 200 ns -> 300 ns (+50 %%), left out: -k reduce/tree -m time "
                           "accepts it anyway\n" WIDER_LIMITS("1"),
                  scratch, scratch);
    cr_expect_stdout_eq_str(expected);
}
