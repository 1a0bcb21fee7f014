#include "gate/gate.h"

#include "command.h"
#include "outputs.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* Everything is empty at first and released at the end. */
struct checking {
    const struct options *options;
    struct metrics metrics;
    struct outputs outputs;
    struct whole_file run_file;
    struct check check;
};

static int refuse_contradictions(const struct options *options)
{
    const char *unmeasured = options->replay ? "replay" : options->static_only ? "static" : NULL;
    if (unmeasured && options->save)
        return error("--save keeps what was measured, but --%s measures nothing: leave one of them out", unmeasured);
    if (options->replay && options->static_only)
        return error("--static judges the kernels at hand and --replay a recording: leave one of them out");
    if (unmeasured && options->against)
        return error("--against measures, but --%s measures nothing: leave one of them out", unmeasured);
    if (options->paired && !options->against)
        return error("--paired needs --against BASE.so, the build of the kernels to take turns with");
    return 0;
}

/* Files are opened before anything is measured: minutes of measuring are not lost to a slip in a path. */
static int prepare(struct checking *checking, struct measurement *measurement)
{
    const struct options *options = checking->options;
    if (refuse_contradictions(options) < 0)
        return -1;
    if (outputs_open(&checking->outputs, options) < 0 ||
        metrics_read_folder(&checking->metrics, options->metrics) < 0 ||
        options_measurement(measurement, options, &checking->metrics) < 0)
        return -1;
    if (options->against && access(options->against, R_OK) < 0)
        return error("cannot read %s: %s", options->against, strerror(errno));
    if (options->before && access(options->before, R_OK | X_OK) < 0)
        return error("cannot read %s: %s", options->before, strerror(errno));
    return options->save ? whole_file_open(&checking->run_file, options->save) : 0;
}

/* Keeps the run, also when it could not be judged. */
static int save(struct checking *checking)
{
    const struct run *run = &checking->check.run;
    if (!checking->options->save || run->result_count == 0)
        return EXIT_SAME;
    run_write(run, checking->run_file.stream); /* a failure of the stream shows in the commit */
    return whole_file_commit(&checking->run_file) < 0 ? EXIT_USAGE : EXIT_SAME;
}

static int print(struct checking *checking)
{
    const struct options *options = checking->options;
    const struct check *check = &checking->check;
    struct report report = {
        .metrics = &checking->metrics,
        .run = &check->run,
        .baseline = check->has_baseline ? &check->baseline : NULL,
        .comparison = check->has_baseline ? &check->comparison : NULL,
        .diagnosis = check->has_baseline ? &check->diagnosis : NULL,
        .run_name = options->replay ? options->replay : options->save,
        .baseline_name = check->baseline_name,
        .other_baseline = check->other_baseline,
        .exit_code = check_exit_code(check),
        .replay = options->replay != NULL,
        .static_only = options->static_only,
    };
    return outputs_print(&checking->outputs, &report, options) < 0 ? EXIT_USAGE : (int)report.exit_code;
}

int cmd_check(const struct options *options)
{
    struct checking checking = {.options = options};
    struct check_request request = {
        .metrics = &checking.metrics,
        .baselines = options->baselines,
        .replay = options->replay,
        .static_only = options->static_only,
        .gpu = options->gpu,
        .against = options->against,
        .paired = options->paired,
        .before = options->before,
        .explain = options->explain,
    };
    int code = EXIT_USAGE;
    if (prepare(&checking, &request.measurement) == 0) {
        code = check_judge(&checking.check, &request);
        const int saved = save(&checking);
        code = code == EXIT_SAME ? saved : code;
    }
    if (code == EXIT_SAME)
        code = check_note_weakened(&checking.check);
    if (code == EXIT_SAME)
        code = print(&checking);

    outputs_release(&checking.outputs);
    whole_file_abandon(&checking.run_file);
    check_release(&checking.check);
    metrics_release(&checking.metrics);
    return code;
}
