#include "made_runs.h"
#include "command/command.h"
#include "test.h"

const char made_definitions[] =
    "[time]\ntitle=T\ncounter=t.sum\nunit=ns\nclass=time\nbetter=lower\nfloor=10 ns\ndoc=d\n"
    "[count]\ntitle=C\ncounter=c.sum\nunit=count\nclass=exact\nbetter=lower\ndoc=d\n"
    "[clock]\ntitle=K\ncounter=k.avg\nunit=Hz\nclass=info\nbetter=higher\ndoc=d\n"
    "[hits]\ntitle=H\ncounter=h.pct\nunit=%\nclass=steady\nbetter=higher\nfloor=1 point\ndoc=d\n";

static struct device made_device(void)
{
    return (struct device){.name = x_strdup("NVIDIA H200"),
                           .compute_capability = x_strdup("9.0"),
                           .sm_count = 132,
                           .memory_bytes = 150754820096};
}

static struct metrics made_metrics(void)
{
    struct metrics metrics = {0};
    cr_assert_eq(metrics_read_text(&metrics, "made.ini", made_definitions), 0);
    return metrics;
}

struct run made_run(int number)
{
    struct run run = {.device = made_device()};
    OWNED_TEXT date = x_sprintf("2026-11-%02dT08:00:00Z", number);
    run_add_session(&run, &(struct session){.facts = {[SESSION_DATE] = date, [SESSION_COLLECTOR] = (char[]){"cupti"}}});
    OWNED(metrics) metrics = made_metrics();
    run_note_metrics(&run, &metrics);
    static const char *const ids[] = {"access/coalesced", "reduce/tree", "reduce/warp"};
    for (size_t i = 0; i < ARRAY_SIZE(ids); i++) {
        struct result *result = run_add(&run, ids[i]);
        double time = 100 * (double)(i + 1) + number;
        result->bytes = 1000 + number;
        *ARRAY_GROW(result->launches, result->launch_count) = (struct launch){
            .function = x_strdup("f"), .grid = {1, 1, 1}, .block = {1, 1, 1}, .times = (unsigned)number};
        row_add_session(result_add(result, "time"), (double[]){time + 9, time, time - 1}, 3);
        row_add_session(result_add(result, "clock"), (double[]){1000 + number}, 1);
        row_add_session(result_add(result, "count"), (double[]){7, 7, 7}, 3);
        result_add(result, "hits")->state = VALUE_NOT_APPLICABLE;
    }
    return run;
}

void made_set(const struct run *run, const char *kernel, const char *metric, double value)
{
    struct row *row = made_row(run, kernel, metric);
    row_clear(row);
    row_add_session(row, (double[]){value, value, value}, 3);
}

int made_accept(const struct trial *trial, const struct run *runs, size_t count, struct accepted *accepted)
{
    char *const names[] = {(char[]){"a.json"}, (char[]){"b.json"}, (char[]){"c.json"}};
    OWNED(metrics) metrics = made_metrics();
    char *kernels[] = {x_strdup(trial->kernel)};
    char *metric_names[] = {x_strdup(trial->metric)};
    struct acceptance acceptance = {
        .baselines = trial->folder,
        .metrics = &metrics,
        .globs = kernels,
        .glob_count = trial->kernel ? 1 : 0,
        .metric_globs = metric_names,
        .metric_glob_count = trial->metric ? 1 : 0,
        .reason = trial->reason ? trial->reason : "because",
        .was = trial->was,
        .drift_reference = trial->drift_reference,
        .names = names,
    };
    cr_assert_leq(count, ARRAY_SIZE(names));
    int result = baseline_accept(&acceptance, runs, count, accepted);
    free(kernels[0]);
    free(metric_names[0]);
    return result;
}

void made_accept_one(const struct trial *trial, const struct run *run)
{
    OWNED(accepted) accepted;
    cr_assert_eq(made_accept(trial, run, 1, &accepted), 0);
}

void made_expect(const struct trial *trial, const struct run *runs, size_t count, int expected, const char *words)
{
    OWNED(accepted) accepted;
    HEAR(result, made_accept(trial, runs, count, &accepted));
    cr_expect_eq(result, expected, "%d, not %d: %s", result, expected, said);
    cr_expect(strstr(said, words), "\"%s\" lacks \"%s\"", said, words);
    cr_expect(result == 0 || (accepted.rows == 0 && accepted.kernels == 0 && !accepted.moves));
}

void made_accept_file(const char *baselines, const char *metrics, const char *path)
{
    const struct options options = {
        .baselines = baselines,
        .metrics = metrics,
        .reason = "made up",
        .own = (void *)command_accept.own,
        .arguments = &(char *){(char *)path},
        .argument_count = 1,
        .quiet = true,
    };
    HEAR(code, command_accept.run(&options));
    cr_assert_eq(code, EXIT_SAME, "%s", said);
}

void made_check_begin(struct made_check *check)
{
    *check = (struct made_check){.folder = scratch_make()};
    check->baselines = x_sprintf("%s/baselines", check->folder);
    check->save = x_sprintf("%s/run.json", check->folder);
    check->report = x_sprintf("%s/report", check->folder);
    check->options = (struct options){
        .own = (void *)command_check.own,
        .metrics = "metrics",
        .baselines = check->baselines,
        .output = check->report,
        .format = "text",
        .collector = "cupti",
        .timeout = 60,
    };
}

void made_check_run(struct made_check *check)
{
    free(check->said);
    free(check->printed);
    remove(check->report);
    capture_begin();
    check->code = command_check.run(&check->options);
    check->said = capture_end();
    check->printed = file_text(check->report);
}

void made_check_end(struct made_check *check)
{
    free(check->said);
    free(check->printed);
    free(check->baselines);
    free(check->save);
    free(check->report);
    scratch_remove(check->folder);
}

struct run made_baseline(const char *folder)
{
    struct device device = made_device();
    struct run baseline;
    cr_assert_eq(baseline_read(&baseline, folder, &device), 0);
    free(device.name);
    free(device.compute_capability);
    return baseline;
}

char *made_text(const char *folder, const char *name)
{
    OWNED_TEXT path = x_sprintf("%s/%s", folder, name);
    return file_text(path);
}
