#include "baseline.h"
#include "commands.h"
#include "gate.h"
#include "measure.h"

#include <stdlib.h>
#include <string.h>

/* What a check works with; everything is empty at first and released at the end. */
struct check {
    const struct options *options;
    const struct reporter *reporter;
    struct metrics metrics;
    struct whole_file report_file, run_file;
    struct run run, baseline;
    char *baseline_name;
    struct comparison comparison;
    int measured;      /* the exit code of measuring or reading the run */
    bool has_baseline; /* and it fits the run */
};

/* Files are opened before anything is measured: minutes of measuring are not lost to a slip in a path. */
static int prepare(struct check *check)
{
    const struct options *options = check->options;
    if (options->replay && options->save)
        return error("--save keeps what was measured, but --replay measures nothing: leave one of them out");
    if (options->save && strcmp(options->save, options->output ? options->output : "-") == 0)
        return error("--save and the report would both go to %s: give one of them another place", options->save);
    check->reporter = gate_reporter(options);
    if (!check->reporter || metrics_read_folder(&check->metrics, options->metrics) < 0)
        return -1;
    if (options->save && whole_file_open(&check->run_file, options->save) < 0)
        return -1;
    return whole_file_open(&check->report_file, options->output ? options->output : "-");
}

/* Reads or measures the run. -1 when there is none, with the exit code in check->measured. */
static int obtain_run(struct check *check)
{
    const struct options *options = check->options;
    if (options->replay) {
        check->measured = run_read(&check->run, options->replay) < 0 ? EXIT_USAGE : EXIT_SAME;
        return check->measured == EXIT_SAME ? 0 : -1;
    }
    check->measured = measure_from_options(options, &check->metrics, &check->run);
    if (check->run.result_count == 0 && check->measured != EXIT_SAME)
        return -1;
    if (options->save) {
        run_write(&check->run, check->run_file.stream); /* a failure of the stream shows in the commit */
        if (whole_file_commit(&check->run_file) < 0) {
            check->measured = EXIT_USAGE;
            return -1;
        }
    }
    return 0;
}

/* What Ctrl-C left unmeasured is not missing. */
static void forget_unmeasured(struct run *baseline, const struct run *run)
{
    char **ids = NULL;
    size_t count = 0;
    for (size_t i = 0; i < run->result_count; i++)
        *ARRAY_ADD(ids, count) = run->results[i].id;
    run_filter(baseline, ids, count);
    free(ids);
}

/* 0, or -1 for a usage error; that there is no baseline is neither. */
static int find_baseline(struct check *check)
{
    const struct options *options = check->options;
    int code = baseline_read(&check->baseline, options->baselines, &check->run.device);
    if (code == EXIT_USAGE)
        return -1;
    check->has_baseline = code == EXIT_SAME && gate_comparable(&check->run, &check->baseline) == 0;
    check->baseline_name = baseline_folder(options->baselines, &check->run.device);

    struct run *baseline = check->has_baseline ? &check->baseline : NULL;
    if (check->measured != EXIT_INTERRUPTED)
        return gate_filter(&check->run, baseline, options);
    if (baseline)
        forget_unmeasured(baseline, &check->run);
    return 0;
}

static enum exit_code check_exit_code(const struct check *check)
{
    if (check->measured != EXIT_SAME)
        return (enum exit_code)check->measured;
    if (check->has_baseline)
        return comparison_exit_code(&check->comparison);
    return run_exit_code(&check->run) == EXIT_SAME ? EXIT_BASELINE : EXIT_NOT_MEASURED;
}

static int judge_and_print(struct check *check)
{
    const struct options *options = check->options;
    if (check->has_baseline)
        compare_runs(&check->comparison, &check->baseline, &check->run, &check->metrics);
    struct report report = {
        .metrics = &check->metrics,
        .run = &check->run,
        .baseline = check->has_baseline ? &check->baseline : NULL,
        .comparison = check->has_baseline ? &check->comparison : NULL,
        .run_name = options->replay ? options->replay : options->save,
        .baseline_name = check->baseline_name,
        .exit_code = check_exit_code(check),
        .replay = options->replay != NULL,
    };
    gate_print(check->reporter, &report, options, check->report_file.stream); /* likewise */
    return whole_file_commit(&check->report_file) < 0 ? EXIT_USAGE : (int)report.exit_code;
}

int cmd_check(const struct options *options)
{
    struct check check = {.options = options};
    int code = EXIT_USAGE;

    if (prepare(&check) < 0)
        goto out;
    if (obtain_run(&check) < 0) {
        code = check.measured;
        goto out;
    }
    if (find_baseline(&check) == 0)
        code = judge_and_print(&check);
out:
    whole_file_abandon(&check.report_file);
    whole_file_abandon(&check.run_file);
    comparison_release(&check.comparison);
    run_release(&check.baseline);
    run_release(&check.run);
    metrics_release(&check.metrics);
    free(check.baseline_name);
    return code;
}
