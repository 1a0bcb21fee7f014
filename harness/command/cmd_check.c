#include "baseline/baseline.h"
#include "gate/gate.h"

#include "command.h"
#include "outputs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Everything is empty at first and released at the end. */
struct checking {
    const struct options *options;
    struct metrics metrics;
    struct outputs outputs;
    struct atomic_file run_file;
    struct program program; /* that is measured in place of a library, when arguments name one */
    int status;             /* of it */
    struct check check;
};

/* Arguments are a command to measure; but with --static they are files. */
static bool is_of_program(const struct options *options)
{
    return options->argument_count > 0 && !options->static_only;
}

/* What concerns a program only, or a kernel library only, would do nothing for the other. */
static int refuse_idle(const struct options *options)
{
    const bool program = is_of_program(options);
    const struct {
        const char *name;
        bool is_set, of_program;
    } rows[] = {
        {"first", options->first != 0, true},
        {"skip", options->skip != 0, true},
        {"nvtx", options->nvtx != NULL, true},
        {"name", options->name != NULL, true},
        {"kernels", options->kernels != options->found[0], false},
        {"collector", strcmp(options->collector, OPTIONS_COLLECTOR) != 0, false},
        {"device", options_names_device(options), false},
        {"samples", options->samples != OPTIONS_SAMPLES, false},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        if (config_gives(&options->config, rows[i].name))
            continue; /* cugate.ini is of both */
        if (rows[i].is_set && rows[i].of_program && !program)
            return error("--%s is for a program, and none is measured here: leave it out, or add -- PROGRAM",
                         rows[i].name);
        if (rows[i].is_set && !rows[i].of_program && program)
            return error("--%s is for a kernel library, and here a program is measured: leave one of them out",
                         rows[i].name);
    }
    return 0;
}

static int refuse_contradictions(const struct options *options)
{
    const char *unmeasured = options->replay ? "replay" : options->static_only ? "static" : NULL;
    if (options->static_only && options->argument_count > 0 && options->kernels != options->found[0] &&
        !config_gives(&options->config, "kernels"))
        return error(
            "--static judges either the kernels of --kernels or the functions of files: leave one of them out");
    if (unmeasured && options->save && options->argument_count == 0)
        return error("--save keeps what was measured, but --%s measures nothing: leave one of them out", unmeasured);
    if (options->replay && options->static_only)
        return error("--static judges the kernels at hand and --replay a recording: leave one of them out");
    if (unmeasured && options->against)
        return error("--against measures, but --%s measures nothing: leave one of them out", unmeasured);
    if (options->paired && !options->against)
        return error("--paired needs --against BASE, the build to take turns with");
    if (options_simulate(options) && options->static_only)
        return error("--static judges without executing, and --simulate executes: leave one of them out");
    if (options_simulate(options) && options->replay)
        return error("--simulate computes the kernels at hand, and --replay judges a recording: leave one of them out");
    if (options_simulate(options) && options->paired)
        return error("--paired takes turns for times, and --simulate computes none: leave one of them out");
    if (options_simulate(options) && options->argument_count > 0)
        return error("a program cannot be simulated, only a kernel library can: leave --simulate or %s out",
                     options->arguments[0]);
    if (options->all && !options_simulate(options))
        return error("--all is for --simulate: what is measured is measured whole");
    if (options->replay && options->argument_count > 0)
        return error("a program is measured, but --replay measures nothing: leave one of them out");
    return refuse_idle(options);
}

/* Files are opened before anything is measured: minutes of measuring are not lost to a slip in a path. */
static int open_files(struct checking *checking, struct measurement *measurement)
{
    const struct options *options = checking->options;
    if (refuse_contradictions(options) < 0)
        return -1;
    if (outputs_open(&checking->outputs, options) < 0 || options_read_metrics(options, &checking->metrics) < 0 ||
        options_measurement(measurement, options, &checking->metrics) < 0)
        return -1;
    if (is_of_program(options)) {
        if (options_program(&checking->program, measurement, options) < 0)
            return -1;
        checking->program.status = &checking->status;
    }
    if (options->argument_count == 0 && !options->replay && options_has_library(options) < 0)
        return -1;
    if (options->against && !is_of_program(options) && access(options->against, R_OK) < 0)
        return error("cannot read %s: %s", options->against, strerror(errno));
    if (options->before && access(options->before, R_OK | X_OK) < 0)
        return error("cannot read %s: %s", options->before, strerror(errno));
    return options->save ? atomic_file_open(&checking->run_file, options->save) : 0;
}

/* Keeps the run, also when it could not be judged. */
static int save_run(struct checking *checking)
{
    const struct run *run = &checking->check.run;
    if (!checking->options->save || run->result_count == 0)
        return EXIT_SAME;
    run_write(run, checking->run_file.stream); /* a failure of the stream shows in the commit */
    return atomic_file_commit(&checking->run_file) < 0 ? EXIT_USAGE : EXIT_SAME;
}

static int print_reports(struct checking *checking)
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

static int cmd_check(const struct options *options)
{
    struct checking checking = {.options = options};
    const bool is_of_library = options->static_only && options->argument_count == 0; /* files are for a capability */
    struct check_request request = {
        .metrics = &checking.metrics,
        .baselines = options->baselines,
        .replay = options->replay,
        .static_only = options->static_only,
        .gpu = options->gpu || !is_of_library ? options->gpu : config_gpu(&options->config),
        .computed = options_simulate(options),
        .all = options->all,
        .files = options->arguments,
        .file_count = options->argument_count,
        .against = options->against,
        .paired = options->paired,
        .before = options->before,
        .explain = options->explain,
    };
    int code = EXIT_USAGE;
    struct run costs = {0};
    struct relay *relay = relay_make(); /* a worker ends while what it measured is judged */
    if (open_files(&checking, &request.measurement) == 0) {
        request.measurement.relay = relay;
        request.measurement.costs = &costs;
        code = request.measurement.devices.count > 1
                   ? costs_read(&costs, NULL, options->baselines, request.measurement.backend->name)
                   : EXIT_SAME;
        if (code == EXIT_SAME)
            code = check_judge(&checking.check, &request);
        const int saved = save_run(&checking);
        code = code == EXIT_SAME ? saved : code;
    }
    if (code == EXIT_SAME)
        code = check_note_weakened(&checking.check);
    if (code == EXIT_SAME)
        code = print_reports(&checking);

    relay_release(relay);
    run_release(&costs);
    outputs_release(&checking.outputs);
    atomic_file_abandon(&checking.run_file);
    check_release(&checking.check);
    free(checking.program.name);
    metrics_release(&checking.metrics);
    return code;
}

/* clang-format off */
static const struct option_row *const takes[] = {
    &option_k, &option_output, &option_save, &option_replay,
    OPTION(.name = "static", .argument = "GPU", .kind = KIND_TEXT_OR_FLAG, .place = PLACE(static_only),
           .place_2 = PLACE(gpu), .doc = "judge only the facts of the machine code, for the baseline named GPU; needs no GPU"),
    &option_simulate,
    OPTION(.name = "all", .kind = KIND_FLAG, .place = PLACE(all),
           .doc = "with --simulate: also kernels whose machine code, launches and inputs are the baseline's"),
    OPTION(.name = "against", .argument = "BASE", .kind = KIND_TEXT, .place = PLACE(against),
           .doc = "settle times in doubt and those of changed code by running this build, LIB.so or 'COMMAND', in turn"),
    OPTION(.name = "paired", .kind = KIND_FLAG, .place = PLACE(paired),
           .doc = "run every kernel in turn with --against"),
    &option_power,
    OPTION(.name = "explain", .argument = "SECONDS", .kind = KIND_INTEGER, .place = PLACE(explain), .minimum = 0,
           .maximum = 86400, .doc = "time for finding the source lines of what regressed (default: 20; 0: none)"),
    &option_baselines,
    OPTION(.name = "before", .argument = "DIR", .kind = KIND_TEXT, .place = PLACE(before),
           .doc = "say what was weakened since DIR/baselines and DIR/metrics, those of the revision before"),
    &option_first, &option_skip, &option_nvtx, &option_name,
    &option_kernels, &option_metrics, &option_collector, &option_device, &option_samples, &option_timeout,
    &option_format, &option_report, NULL,
};

const struct command command_check = {
    .name = "check",
    .arguments = "[-- PROGRAM [ARG]... | FILE...]",
    .summary = "measure, and judge by the baseline of this GPU",
    .details = "The gate. Measures as `cugate run` does, or a PROGRAM as `cugate exec`, whose output goes to standard\n"
               "error then; and judges by the baseline of this model of GPU. Kernels\n"
               "with something worse are measured again, in another process, before that counts.\n"
               "A filter by -k narrows both sides. With no GPU it exits 5: a gate never passes on nothing.\n"
               "--against settles the times of code that changed by running BASE and --kernels in turn, up to 14\n"
               "times each, until it is clear. Where no baseline fits this GPU, and for kernels and rows that it\n"
               "lacks, what BASE measures now takes its place. For a PROGRAM it is the command of the base.\n"
               "--device all, or 0,1,3, has several GPUs of one model share the kernels: a kernel, its base build and\n"
               "what is measured again are on one of them. One that fails on a GPU is tried on another, once: where it\n"
               "succeeds there it is unsure, exit code 3.\n"
               "--static reads the machine code in --kernels and runs no kernel: registers, local and shared memory,\n"
               "theoretical occupancy in blocks of the baseline's sizes. With FILEs it judges the functions in any\n"
               "programs, libraries, cubins, fatbins and folders of cubins, such as Triton's cache; GPU is sm_90 or\n"
               "another capability then, and --save keeps what `cugate accept` makes the first baseline.\n"
               "--simulate executes the machine code on the CPU in place of a GPU and judges what can be known so, to the\n"
               "digit: instructions, branches, wavefronts, sectors, requests, by source line; no time, no traffic of\n"
               "DRAM, no cache. GPU is one of metrics/gpus. Only kernels whose machine code, launch or inputs are not\n"
               "known to be the baseline's are simulated, or with --all every one. What a GPU of that model counted is the\n"
               "baseline; where another compiler made its code, it takes --against a base build, which is simulated too.\n"
               "--replay judges a recorded run instead and says so in its first line.\n"
               "What regressed is explained by the source lines whose counts changed, when the base library or the\n"
               "baseline knows its own (`cugate run --lines`), else by those with most of them now; --explain bounds\n"
               "the time.\n"
               "--before names what a change took away from the gate: rows of the baseline, limits, declared\n"
               "regressions. That changes no verdict.\n"
               "-o writes the report to a file, --report others of the same verdicts, for example junit=report.xml;\n"
               "--save keeps the run that was measured.",
    .example = "cugate check --save run.json",
    .takes = takes,
    .minimum = 0, .maximum = -1, .run = cmd_check,
};
/* clang-format on */
