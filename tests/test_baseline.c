#include "baseline.h"
#include "commands.h"
#include "support.h"
#include "util.h"

#include <criterion/criterion.h>
#include <criterion/redirect.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* A session of its own for each number: two kernels of family reduce, one of access, times of 100 and more. */
static struct run make_run(int number)
{
    struct run run = {.device = {.name = x_strdup("NVIDIA H200"),
                                 .compute_capability = x_strdup("9.0"),
                                 .sm_count = 132,
                                 .memory_bytes = 150754820096}};
    char *date = x_sprintf("2026-11-%02dT08:00:00Z", number);
    run_add_session(&run, &(struct session){{[SESSION_DATE] = date, [SESSION_COLLECTOR] = (char[]){"cupti"}}});
    free(date);
    run_set_note(&run, &(struct metric_note){(char[]){"time"}, (char[]){"t.sum"}, (char[]){"ns"}});
    run_set_note(&run, &(struct metric_note){(char[]){"hits"}, (char[]){"h.pct"}, (char[]){"%"}});
    static const char *const ids[] = {"access/coalesced", "reduce/tree", "reduce/warp"};
    for (size_t i = 0; i < ROWS(ids); i++) {
        struct result *result = run_add(&run, ids[i]);
        double time = 100 * (double)(i + 1) + number;
        result->bytes = 1000 + number;
        *ARRAY_ADD(result->launches, result->launch_count) = (struct launch){
            .function = x_strdup("f"), .grid = {1, 1, 1}, .block = {1, 1, 1}, .times = (unsigned)number};
        row_add_session(result_add(result, "time"), (double[]){time + 9, time, time - 1}, 3);
        result_add(result, "hits")->state = VALUE_NOT_APPLICABLE;
    }
    return run;
}

static char *file_text(const char *folder, const char *name)
{
    char *path = x_sprintf("%s/%s", folder, name);
    char *text;
    size_t length;
    cr_assert_eq(file_read(path, 1u << 20, &text, &length), 0, "%s", path);
    free(path);
    return text;
}

static double baseline_value(const struct run *baseline, const char *id, const char *metric)
{
    const struct result *result = run_find(baseline, id);
    cr_assert_not_null(result, "%s", id);
    const struct row *row = result_find(result, metric);
    cr_assert_not_null(row, "%s of %s", metric, id);
    return row_value(row);
}

static char *const run_names[] = {(char[]){"a.json"}, (char[]){"b.json"}, (char[]){"c.json"}};

/* Accepts runs[0..count) quietly into folder; globs may be NULL. */
static int accept_into(const char *folder, const struct run *runs, size_t count, const char *kernel, const char *metric,
                       struct accepted *accepted)
{
    char *kernels[] = {x_strdup(kernel)};
    char *metrics[] = {x_strdup(metric)};
    struct acceptance acceptance = {
        .baselines = folder,
        .globs = kernels,
        .glob_count = kernel ? 1 : 0,
        .metrics = metrics,
        .metric_count = metric ? 1 : 0,
        .reason = "because",
        .names = run_names,
    };
    int result = baseline_accept(&acceptance, runs, count, accepted);
    free(kernels[0]);
    free(metrics[0]);
    return result;
}

/* The same, and the words of its errors and warnings. */
static void expect_accept(const char *folder, const struct run *runs, size_t count, const char *kernel, int expected,
                          const char *words)
{
    struct accepted accepted;
    struct capture capture;
    capture_begin(&capture);
    int result = accept_into(folder, runs, count, kernel, NULL, &accepted);
    char *said = capture_end(&capture);
    cr_expect_eq(result, expected, "%d, not %d: %s", result, expected, said);
    cr_expect(strstr(said, words), "\"%s\" lacks \"%s\"", said, words);
    cr_expect(result == 0 || (accepted.rows == 0 && accepted.kernels == 0));
    free(said);
}

static void expect_read(const char *folder, const struct device *device, int expected, const char *words)
{
    struct run baseline;
    struct capture capture;
    capture_begin(&capture);
    int result = baseline_read(&baseline, folder, device);
    char *said = capture_end(&capture);
    cr_expect_eq(result, expected, "%d, not %d: %s", result, expected, said);
    cr_expect(strstr(said, words), "\"%s\" lacks \"%s\"", said, words);
    cr_expect_null(baseline.results);
    free(said);
}

Test(baseline, folder_is_named_after_the_gpu)
{
    struct device device = {.name = (char[]){"NVIDIA H200"}};
    char *folder = baseline_folder("baselines", &device);
    cr_expect_str_eq(folder, "baselines/nvidia-h200");
    free(folder);
    struct device hostile = {.name = (char[]){"../.."}};
    folder = baseline_folder("baselines", &hostile);
    cr_expect_str_eq(folder, "baselines/unknown");
    free(folder);
}

Test(baseline, what_was_accepted_is_read_back)
{
    char *folder = scratch_make();
    struct run runs[] = {make_run(1), make_run(2), make_run(4)};
    struct accepted accepted;
    cr_assert_eq(accept_into(folder, runs, 3, NULL, NULL, &accepted), 0);
    cr_expect_eq(accepted.rows, 6);
    cr_expect_eq(accepted.kernels, 3);

    struct run baseline;
    cr_assert_eq(baseline_read(&baseline, folder, &runs[0].device), 0);
    cr_expect_str_eq(baseline.device.name, "NVIDIA H200");
    cr_assert_eq(baseline.result_count, 3);
    cr_expect_eq(baseline_value(&baseline, "access/coalesced", "time"), 102);
    cr_expect_eq(baseline_value(&baseline, "reduce/warp", "time"), 302);
    const struct result *tree = run_find(&baseline, "reduce/tree");
    const struct row *time = result_find(tree, "time");
    cr_assert_eq(time->session_count, 3, "one session a run");
    for (size_t i = 0; i < 3; i++)
        cr_expect_eq(time->sessions[i].count, 1, "the median alone");
    cr_expect_eq(row_session_value(time, 0), 201);
    cr_expect_eq(row_session_value(time, 2), 204);
    cr_expect_eq(result_find(tree, "hits")->state, VALUE_NOT_APPLICABLE);
    cr_expect_eq(tree->bytes, 1001, "the first run's");
    cr_expect_eq(tree->launches[0].times, 1);
    cr_assert_eq(baseline.session_count, 3, "each session once, though two families name it");
    cr_expect_str_eq(baseline.sessions[1].facts[SESSION_DATE], "2026-11-02T08:00:00Z");
    cr_expect_str_eq(baseline.sessions[1].facts[SESSION_REASON], "because");
    cr_expect_str_eq(run_find_note(&baseline, "time")->counter, "t.sum");
    run_release(&baseline);
    for (size_t i = 0; i < ROWS(runs); i++)
        run_release(&runs[i]);
    scratch_remove(folder);
}

Test(baseline, accepting_one_row_changes_no_other)
{
    char *folder = scratch_make();
    char *families = x_sprintf("%s/nvidia-h200", folder);
    struct run first = make_run(1);
    struct run second = make_run(2);
    struct accepted accepted;
    cr_assert_eq(accept_into(folder, &first, 1, NULL, NULL, &accepted), 0);
    char *access_before = file_text(families, "access.json");
    char *reduce_before = file_text(families, "reduce.json");

    cr_assert_eq(accept_into(folder, &second, 1, "reduce/tree", "time", &accepted), 0);
    cr_expect_eq(accepted.rows, 1);
    char *access_after = file_text(families, "access.json");
    char *reduce_after = file_text(families, "reduce.json");
    cr_expect_str_eq(access_after, access_before);

    /* Line by line, the row and the list of sessions are all that changed. */
    char *expected = x_strdup(reduce_before);
    char *value = strstr(expected, "[[201]]");
    cr_assert_not_null(value);
    value[strlen("[[20")] = '2';
    char *kept = strstr(expected, "\n  ]\n}\n");
    *kept = '\0';
    char *with_session = x_sprintf("%s,\n    {\"collector\": \"cupti\", \"date\": \"2026-11-02T08:00:00Z\", "
                                   "\"reason\": \"because\"}\n  ]\n}\n",
                                   expected);
    cr_expect_str_eq(reduce_after, with_session);

    /* When no row of the first session is left, neither is the session. */
    cr_assert_eq(accept_into(folder, &second, 1, "reduce/*", NULL, &accepted), 0);
    free(reduce_after);
    reduce_after = file_text(families, "reduce.json");
    cr_expect_null(strstr(reduce_after, "2026-11-01"));
    cr_expect_not_null(strstr(reduce_after, "2026-11-02"));
    cr_expect_null(strstr(reduce_after, "\"bytes\": 1001"), "a kernel accepted whole brings its facts with it");
    cr_expect_not_null(strstr(reduce_after, "\"bytes\": 1002"));

    free(with_session);
    free(expected);
    free(reduce_after);
    free(access_after);
    free(reduce_before);
    free(access_before);
    run_release(&second);
    run_release(&first);
    free(families);
    scratch_remove(folder);
}

Test(baseline, a_kernel_that_failed_once_is_not_accepted)
{
    char *folder = scratch_make();
    struct run runs[] = {make_run(1), make_run(2)};
    struct result *failed = run_find(&runs[1], "reduce/tree");
    failed->status = RESULT_WRONG;
    failed->reason = x_strdup("element 5 is 1, not 2");
    expect_accept(folder, runs, 2, NULL, 0,
                  "not accepted: reduce/tree, because in b.json it is \"wrong result\": element 5 is 1, not 2");
    struct run baseline;
    cr_assert_eq(baseline_read(&baseline, folder, &runs[0].device), 0);
    cr_expect_null(run_find(&baseline, "reduce/tree"));
    cr_expect_not_null(run_find(&baseline, "reduce/warp"));
    run_release(&baseline);

    char *empty = x_sprintf("%s/empty", folder);
    expect_accept(empty, runs, 2, "reduce/tree", EXIT_NOT_MEASURED, "nothing could be accepted");
    cr_expect_neq(access(empty, F_OK), 0, "a folder was made for nothing");
    free(empty);
    run_release(&runs[0]);
    run_release(&runs[1]);
    scratch_remove(folder);
}

Test(baseline, a_kernel_missing_in_one_run_counts_in_the_others)
{
    char *folder = scratch_make();
    struct run runs[] = {make_run(1), make_run(2)};
    run_filter(&runs[0], (char *[]){(char[]){"reduce/*"}}, 1);
    struct accepted accepted;
    cr_assert_eq(accept_into(folder, runs, 2, NULL, NULL, &accepted), 0);
    struct run baseline;
    cr_assert_eq(baseline_read(&baseline, folder, &runs[0].device), 0);
    cr_expect_eq(result_find(run_find(&baseline, "access/coalesced"), "time")->session_count, 1);
    cr_expect_eq(result_find(run_find(&baseline, "reduce/tree"), "time")->session_count, 2);
    run_release(&baseline);
    char *text = x_sprintf("%s/nvidia-h200", folder);
    char *access_text = file_text(text, "access.json");
    cr_expect_null(strstr(access_text, "2026-11-01"), "a session that gave nothing to this family");
    free(access_text);
    free(text);
    run_release(&runs[0]);
    run_release(&runs[1]);
    scratch_remove(folder);
}

Test(baseline, rows_without_a_common_value_are_not_accepted)
{
    char *folder = scratch_make();
    struct run runs[] = {make_run(1), make_run(2)};
    row_clear(result_find(run_find(&runs[1], "reduce/tree"), "time"));
    row_add_session(result_find(run_find(&runs[1], "reduce/warp"), "hits"), (double[]){5}, 1);
    expect_accept(folder, runs, 2, NULL, 0, "not accepted: time of reduce/tree, because in b.json it is not counted");
    struct run baseline;
    cr_assert_eq(baseline_read(&baseline, folder, &runs[0].device), 0);
    cr_expect_null(result_find(run_find(&baseline, "reduce/tree"), "time"));
    cr_expect_not_null(result_find(run_find(&baseline, "reduce/tree"), "hits"));
    cr_expect_null(result_find(run_find(&baseline, "reduce/warp"), "hits"));
    run_release(&baseline);
    cr_assert_eq(run_find(&runs[1], "reduce/tree")->row_count, 2);
    expect_accept(folder, &runs[1], 1, "reduce/tree", 0, "time of reduce/tree, because in a.json it is not counted");
    expect_accept(folder, runs, 2, "reduce/warp", 0,
                  "hits of reduce/warp, because in b.json it is measured, but not applicable in the runs before");
    run_release(&runs[0]);
    run_release(&runs[1]);
    scratch_remove(folder);
}

Test(baseline, many_refusals_are_counted)
{
    char *folder = scratch_make();
    struct run run = make_run(1);
    for (int i = 0; i < 30; i++) {
        char *id = x_sprintf("hung/v%d", i);
        run_add(&run, id)->status = RESULT_HUNG;
        free(id);
    }
    expect_accept(folder, &run, 1, NULL, 0, "not accepted: 10 more");
    run_release(&run);
    scratch_remove(folder);
}

Test(baseline, runs_that_do_not_belong_together_are_refused)
{
    char *folder = scratch_make();
    struct run runs[] = {make_run(1), make_run(2)};
    runs[1].device.sm_count = 114;
    expect_accept(folder, runs, 2, NULL, EXIT_BASELINE,
                  "b.json and a.json are of different devices: SM count 114, not 132");
    run_release(&runs[1]);

    runs[1] = make_run(1);
    expect_accept(folder, runs, 2, NULL, EXIT_USAGE, "a.json and b.json are the same session (2026-11-01T08:00:00Z)");
    run_release(&runs[1]);

    runs[1] = make_run(2);
    free(runs[1].sessions[0].facts[SESSION_COLLECTOR]);
    runs[1].sessions[0].facts[SESSION_COLLECTOR] = x_strdup("host");
    expect_accept(folder, runs, 2, NULL, EXIT_BASELINE,
                  "b.json was measured by the collector host, but a.json by cupti");
    run_release(&runs[1]);

    runs[1] = make_run(2);
    run_set_note(&runs[1], &(struct metric_note){(char[]){"time"}, (char[]){"t.avg"}, (char[]){"ns"}});
    expect_accept(folder, runs, 2, NULL, EXIT_BASELINE,
                  "b.json defines time as t.avg in ns, but a.json as t.sum in ns");
    run_release(&runs[1]);

    runs[1] = make_run(2);
    free(runs[1].device.name);
    runs[1].device.name = NULL;
    expect_accept(folder, &runs[1], 1, NULL, EXIT_USAGE, "a.json does not say on which GPU");
    expect_accept(folder, runs, 1, "none/*", EXIT_USAGE, "no kernel of the runs matches -k");
    struct accepted accepted;
    struct capture capture;
    capture_begin(&capture);
    cr_expect_eq(accept_into(folder, runs, 1, NULL, "none", &accepted), EXIT_USAGE);
    char *said = capture_end(&capture);
    cr_expect(strstr(said, "no metric of these kernels matches -m"), "%s", said);
    free(said);
    run_release(&runs[1]);
    run_release(&runs[0]);
    char *families = x_sprintf("%s/nvidia-h200", folder);
    cr_expect_neq(access(families, F_OK), 0, "something was written");
    free(families);
    scratch_remove(folder);
}

Test(baseline, runs_that_do_not_fit_the_old_baseline_are_refused)
{
    char *folder = scratch_make();
    struct run old = make_run(1);
    struct run new = make_run(2);
    struct accepted accepted;
    cr_assert_eq(accept_into(folder, &old, 1, NULL, NULL, &accepted), 0);

    new.device.ecc = true;
    expect_accept(folder, &new, 1, NULL, EXIT_BASELINE,
                  "is the baseline of another device: this one has ECC on, not off");
    new.device.ecc = false;

    run_set_note(&new, &(struct metric_note){(char[]){"time"}, (char[]){"t.avg"}, (char[]){"ns"}});
    expect_accept(folder, &new, 1, "reduce/*", EXIT_BASELINE, "time is now t.avg in ns, but");
    cr_expect_eq(accept_into(folder, &new, 1, NULL, NULL, &accepted), 0, "all rows at once may change their meaning");

    free(new.sessions[0].facts[SESSION_COLLECTOR]);
    new.sessions[0].facts[SESSION_COLLECTOR] = NULL;
    expect_accept(folder, &new, 1, NULL, EXIT_BASELINE, "by the collector unknown, but");
    run_release(&new);
    run_release(&old);
    scratch_remove(folder);
}

Test(baseline, what_cannot_be_read_is_said)
{
    char *folder = scratch_make();
    struct run run = make_run(1);
    expect_read(folder, &run.device, EXIT_BASELINE, "there is no baseline for NVIDIA H200 in ");
    char *families = x_sprintf("%s/nvidia-h200", folder);
    cr_assert_eq(make_folders(families), 0);
    expect_read(folder, &run.device, EXIT_BASELINE, "there is no baseline");
    free(scratch_file(families, "reduce.json", "{"));
    expect_read(folder, &run.device, EXIT_USAGE, "reduce.json:1:1: ");

    char *reduce = x_sprintf("%s/reduce.json", families);
    cr_assert_eq(run_write_file(&run, reduce), 0);
    expect_read(folder, &run.device, EXIT_USAGE, "reduce.json holds access/coalesced, which is not of family reduce");

    remove(reduce);
    struct accepted accepted;
    cr_assert_eq(accept_into(folder, &run, 1, NULL, NULL, &accepted), 0);
    struct device other = run.device;
    other.memory_bytes = 1;
    other.mig = true;
    expect_read(folder, &other, EXIT_BASELINE, "this one has memory 1 bytes, not 150754820096; MIG on, not off");

    struct run file;
    cr_assert_eq(run_read(&file, reduce), 0);
    run_set_note(&file, &(struct metric_note){(char[]){"time"}, (char[]){"t.avg"}, (char[]){"ns"}});
    cr_assert_eq(run_write_file(&file, reduce), 0);
    expect_read(folder, &run.device, EXIT_BASELINE, "reduce.json defines time as t.avg in ns, other files beside it");
    run_release(&file);
    free(reduce);
    free(families);
    run_release(&run);
    scratch_remove(folder);
}

/* A limit on the size of files stands for a full disk: the first family fits, the second does not. */
Test(baseline, families_change_all_or_none)
{
    char *folder = scratch_make();
    char *families = x_sprintf("%s/nvidia-h200", folder);
    struct run first = make_run(1);
    struct run second = make_run(2);
    struct accepted accepted;
    struct capture capture;
    cr_assert_eq(accept_into(folder, &first, 1, NULL, NULL, &accepted), 0);
    char *access_before = file_text(families, "access.json");
    char *reduce_before = file_text(families, "reduce.json");
    for (int i = 0; i < 1000; i++) {
        char *metric = x_sprintf("metric_%d", i);
        row_add_session(result_add(run_find(&second, "reduce/tree"), metric), (double[]){1}, 1);
        free(metric);
    }
    capture_begin(&capture); /* before the limit: its file is one, too */
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){8192, RLIM_INFINITY});
    int result = accept_into(folder, &second, 1, NULL, NULL, &accepted);
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){RLIM_INFINITY, RLIM_INFINITY});
    char *said = capture_end(&capture);
    cr_expect_eq(result, EXIT_USAGE);
    cr_expect_eq(accepted.rows, 0);
    cr_expect(strstr(said, "reduce.json: File too large; the baseline is as it was"), "%s", said);
    char *access_after = file_text(families, "access.json");
    char *reduce_after = file_text(families, "reduce.json");
    cr_expect_str_eq(access_after, access_before);
    cr_expect_str_eq(reduce_after, reduce_before);
    cr_assert_eq(accept_into(folder, &second, 1, NULL, NULL, &accepted), 0, "nothing is left in the way");
    free(said);
    free(access_after);
    free(reduce_after);
    free(access_before);
    free(reduce_before);
    run_release(&second);
    run_release(&first);
    free(families);
    scratch_remove(folder);
}

static int run_accept(const char *folder, const char *reason, char **arguments, size_t count, char **said)
{
    struct options options = {.baselines = folder, .reason = reason, .arguments = arguments, .argument_count = count};
    struct capture capture;
    capture_begin(&capture);
    int result = cmd_accept(&options);
    *said = capture_end(&capture);
    return result;
}

Test(baseline, the_command_accepts_run_files)
{
    char *folder = scratch_make();
    char *arguments[3];
    char *said;
    for (int i = 0; i < 3; i++) {
        struct run run = make_run(i + 1);
        arguments[i] = x_sprintf("%s/run_%d.json", folder, i);
        cr_assert_eq(run_write_file(&run, arguments[i]), 0);
        run_release(&run);
    }
    cr_expect_eq(run_accept(folder, NULL, arguments, 3, &said), EXIT_USAGE);
    cr_expect(strstr(said, "--reason"), "%s", said);
    free(said);
    cr_expect_eq(run_accept(folder, "  ", arguments, 3, &said), EXIT_USAGE);
    free(said);
    cr_expect_eq(run_accept(folder, "first", arguments, 0, &said), EXIT_USAGE);
    free(said);
    cr_redirect_stdout();
    cr_expect_eq(run_accept(folder, "first", arguments, 3, &said), 0);
    cr_expect_str_eq(said, "");
    free(said);
    cr_expect_eq(run_accept(folder, "again", arguments, 2, &said), 0);
    cr_expect(strstr(said, "fewer than 3 sessions"), "%s", said);
    free(said);
    fflush(stdout);
    char *expected = x_sprintf("accepted 6 rows of 3 kernels in %s/nvidia-h200 (3 sessions)\n"
                               "accepted 6 rows of 3 kernels in %s/nvidia-h200 (2 sessions)\n",
                               folder, folder);
    cr_expect_stdout_eq_str(expected);
    free(expected);
    free(scratch_file(folder, "run_1.json", "broken"));
    cr_expect_eq(run_accept(folder, "third", arguments, 3, &said), EXIT_USAGE);
    cr_expect(strstr(said, "run_1.json:1:"), "%s", said);
    free(said);
    for (int i = 0; i < 3; i++)
        free(arguments[i]);
    scratch_remove(folder);
}
