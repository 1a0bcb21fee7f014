#include "baseline/baseline.h"

#include "command.h"
#include "dry_run.h"
#include "gpu/gpu.h"
#include "outputs.h"

#include <errno.h>
#include <unistd.h>

struct own_options {
    const char *before; /* folder with baselines and metrics of the previous revision */
    bool stale, dry_run;
};

/* All state of the command. It is empty at first and released at the end. */
struct checking {
    const struct options *options;
    struct metrics metrics, chosen; /* chosen: by -m */
    struct outputs outputs;
    struct program program; /* the program that is measured in place of a library, when arguments are a command */
    int status;             /* exit status of the program */
    struct check check;
};

/* Returns the metrics that -m chose; NULL without it. */
static const struct metrics *asked_of(const struct checking *checking)
{
    return checking->options->metric_glob_count > 0 ? &checking->chosen : NULL;
}

/* Files are opened before anything is measured: minutes of measuring are not lost to a slip in a path. */
static int open_files(struct checking *checking, struct measurement *measurement)
{
    const struct options *options = checking->options;
    const bool is_program = options->subject == SUBJECT_PROGRAM;
    if (options->paired && !options->against)
        return error("--paired needs --against BASE, the build to alternate with");
    if (outputs_open(&checking->outputs, options) < 0 || options_read_metrics(options, &checking->metrics) < 0 ||
        options_choose_metrics(&checking->chosen, &checking->metrics, options) < 0 ||
        options_measurement(measurement, options, asked_of(checking) ? &checking->chosen : &checking->metrics) < 0)
        return -1;
    if (is_program) {
        TRY(options_program(&checking->program, measurement, options));
        checking->program.status = &checking->status;
        checking->program.repeats = true;
    }
    if (options->argument_count == 0 && !options->replay && options_has_library(options) < 0)
        return -1;
    if (options->against && !is_program && access(options->against, R_OK) < 0)
        return error("cannot read %s: %s", options->against, strerror(errno));
    if (OWN(options)->before && access(OWN(options)->before, R_OK | X_OK) < 0)
        return error("cannot read %s: %s", OWN(options)->before, strerror(errno));
    return 0;
}

static int save_run(struct checking *checking)
{
    const struct run *run = &checking->check.run;
    if (run->result_count == 0)
        return EXIT_SAME;
    return outputs_save(&checking->outputs, run, checking->options) < 0 ? EXIT_USAGE : EXIT_SAME;
}

/* The file that holds the run, or will hold it; NULL when none does. Caller frees. */
static char *run_name(const struct options *options)
{
    if (options->replay || options->save || options->out_count == 0 || !outputs_has_run(options))
        return x_strdup(options->replay ? options->replay : options->save);
    return x_sprintf("%s/run.json", options->out[0]);
}

/* A check that ended before it judged has no verdict. Its reports say with what code it ended, and which kernels
 * failed.
 */
static int print_reports(struct checking *checking, int ended)
{
    const struct options *options = checking->options;
    const struct check *check = &checking->check;
    const bool judged = ended == EXIT_SAME && check->has_baseline;
    OWNED_TEXT name = run_name(options);
    struct report report = {
        .metrics = &checking->metrics,
        .run = &check->run,
        .baseline = judged ? &check->baseline : NULL,
        .comparison = judged ? &check->comparison : NULL,
        .diagnosis = judged ? &check->diagnosis : NULL,
        .run_name = name,
        .baseline_name = check->baseline_name,
        .other_baseline = check->other_baseline,
        .exit_code = ended == EXIT_SAME ? check_exit_code(check) : (enum exit_code)ended,
        .replay = options->replay != NULL,
    };
    const int printed = outputs_print(&checking->outputs, &report, options);
    return printed < 0 ? EXIT_USAGE : (int)report.exit_code;
}

/* Returns the capability of the GPU model that --static names for files: "sm_90". NULL after error(). Caller frees. */
static char *capability_of_model(const struct options *options)
{
    struct gpu gpu;
    struct problem problem;
    OWNED_TEXT path = options_find_gpu(options);
    if (path && gpu_read(&gpu, path, &problem) < 0)
        return error("%s", problem.text), NULL;
    return path ? x_sprintf("sm_%d", gpu_capability(&gpu)) : NULL;
}

static int cmd_check(const struct options *options)
{
    struct checking checking = {.options = options};
    struct check_request request = {
        .metrics = &checking.metrics,
        .asked = asked_of(&checking),
        .own_metrics = options->metrics != options->found[1],
        .baselines = options->baselines,
        .replay = options->replay,
        .way = options->way,
        .gpu = options->gpu || options->way != ORIGIN_CODE ? options->gpu : config_gpu(&options->config),
        .all = options->all,
        .files = options->arguments,
        .file_count = options->argument_count,
        .against = options->against,
        .paired = options->paired,
        .before = OWN(options)->before,
        .stale = OWN(options)->stale,
        .unnamed = options_library_is_own(options) && options->glob_count == 0,
        .lines = options->lines,
        .explain = options->explain,
    };
    if (OWN(options)->dry_run)
        return dry_run_print(options, stdout);

    const bool model = options->way == ORIGIN_FILES && options->gpu && strncmp(options->gpu, "sm", 2) != 0;
    OWNED_TEXT capability = model ? capability_of_model(options) : NULL;
    if (model && !capability)
        return EXIT_USAGE;
    request.gpu = model ? capability : request.gpu;
    int code = EXIT_USAGE;
    OWNED(run) costs = {0};
    struct relay *relay = relay_make(); /* workers end in the background while results are judged */
    if (open_files(&checking, &request.measurement) == 0) {
        request.measurement.relay = relay;
        request.measurement.costs = &costs;
        code = request.measurement.devices.count > 1
                   ? costs_read(&costs, options->baselines, request.measurement.backend->name)
                   : EXIT_SAME;
        if (code == EXIT_SAME)
            code = check_judge(&checking.check, &request);
        /* Also when it could not be judged. */
        const int saved = save_run(&checking);
        code = code == EXIT_SAME ? saved : code;
    }
    if (code == EXIT_SAME)
        code = check_note_weakened(&checking.check);
    if (code == EXIT_SAME || (code == EXIT_NOT_MEASURED && checking.check.run.result_count > 0))
        code = print_reports(&checking, code);

    relay_release(relay);
    outputs_release(&checking.outputs);
    check_release(&checking.check);
    suppressions_say(&checking.program.suppressed);
    suppressions_release(&checking.program.suppressed);
    free(checking.program.name);
    free(checking.chosen.list);
    metrics_release(&checking.metrics);
    return code;
}

/* clang-format off */
static const struct option_row *const takes[] = {
    &option_k, &option_output,
    OPTION(.name = "out", .argument = "DIR", .kind = KIND_LIST, .place = PLACE(out),
           .doc = "write report.txt, check.json, the other reports and run.json to DIR; repeatable"),
    &option_save, &option_replay,
    OPTION(.name = "static", .argument = "GPU", .kind = KIND_TEXT_OR_FLAG, .place = PLACE(is_static),
           .place_2 = PLACE(gpu), .ways = WAY(CODE) | WAY(FILES), .doc = "judge registers, spills and occupancy of the machine code against the baseline of GPU; needs no GPU"),
    &option_simulate, &option_suppress, &option_whole,
    OPTION(.name = "all", .kind = KIND_FLAG, .place = PLACE(all), .ways = WAYS_MEASURED | WAY(COMPUTED),
           .doc = "also simulate kernels whose code, launches and inputs are unchanged"),
    OPTION(.name = "stale", .kind = KIND_FLAG, .place = OWN_PLACE(stale),
           .ways = WAYS_OF_LIBRARY | WAYS_OF_PROGRAM | WAY(COMPUTED) | WAY(CODE),
           .doc = "judge a build that is older than its sources; without this option a pass is *unsure*"),
    OPTION(.name = "against", .argument = "BASE", .kind = KIND_TEXT, .place = PLACE(against),
           .ways = WAYS_MEASURED | WAY(COMPUTED) | WAY(CODE) | WAY(FILES),
           .doc = "base build, LIB.so or 'COMMAND': alternates with this build, to decide times of changed code"),
    OPTION(.name = "paired", .kind = KIND_FLAG, .place = PLACE(paired), .ways = WAYS_MEASURED,
           .doc = "alternate every kernel with --against, not only the uncertain ones"),
    &option_power,
    &option_explain, &option_baselines,
    OPTION(.name = "before", .argument = "DIR", .kind = KIND_TEXT, .place = OWN_PLACE(before),
           .doc = "report what weakens the gate since an older revision with the files DIR/baselines and DIR/metrics"),
    &option_first, &option_skip, &option_nvtx, &option_from_start, &option_m, &option_lines, &option_runs, &option_name,
    &option_kernels, &option_metrics, &option_trades, &option_collector, &option_device, &option_samples, &option_timeout,
    &option_format, &option_report,
    OPTION(.name = "dry-run", .kind = KIND_FLAG, .place = OWN_PLACE(dry_run),
           .doc = "measure nothing; print as JSON what would be judged"),
    NULL,
};

const struct command command_check = {
    OWN_DEFAULTS(0),
    .name = "check",
    .arguments = "[-- PROGRAM [ARG]... | FILE...]",
    .summary = "measure kernels, and judge them against the baseline of this GPU",
    .details = "This is the gate. It measures as `cugate run` does and judges each metric of each kernel against the baseline of this GPU model. A regression is measured again in another process before it fails the "
               "check. Without a GPU the exit code is 5, never 0.\n"
               "PROGRAM is measured as by `cugate run -- PROGRAM`, instead of a kernel library. Kernels whose machine code and "
               "shape the baseline already has are only timed. The program's output goes to standard error. With -m "
               "the other rows of the baseline are not judged, and the report counts them.\n"
               "--against BASE runs the two builds in turn, up to 14 times each, until it is clear which is faster. It "
               "does so for times in doubt and for kernels whose code changed. BASE also stands in for kernels and "
               "metrics that the baseline lacks. For a PROGRAM it is the command that runs the base. With --static "
               "BASE is a file of machine code and replaces the baseline. If another compiler built BASE, times "
               "decide, and the report lists what that compiler changed in each kernel.\n"
               "--device all, or 0,1,3, divides the kernels among GPUs of one model. A kernel, its base build and "
               "its second measurement are on the same GPU. A kernel that fails on one GPU is tried once on "
               "another. If it succeeds there, its verdict is *unsure*.\n"
               "--static runs no kernel. It judges registers, local and shared memory and theoretical occupancy "
               "from the machine code in --kernels, for the baseline named GPU. With FILEs it judges the functions"
               " of programs, libraries, cubins, fatbins and folders of them, such as Triton's cache. Then GPU is "
               "sm_90 or another capability.\n"
               "--simulate executes the machine code on the CPU. It judges exact counts: instructions, branches, "
               "wavefronts, sectors, requests, each by source line. It cannot compute DRAM traffic and cache hit "
               "rates; times are estimates. GPU is one of metrics/gpus. Only kernels whose code, launch or inputs "
               "differ from the baseline's are simulated; --all simulates every one. If another compiler built the "
               "baseline's code, add --against a base build.\n"
               "--replay judges a recorded run, and says so in its first line.\n"
               "Each regression is explained by the source lines whose counts changed. For that, the base build or the "
               "baseline needs line counts (`cugate run --lines`). Otherwise the lines with the highest counts are "
               "shown. --explain limits the time for this.\n"
               "--before DIR lists how a change weakens the gate: removed metrics, wider limits, declared regressions. "
               "It does not change the verdict.\n"
               "-o writes the report to a file. --report writes the same verdicts in another format, for example "
               "junit=report.xml. --save keeps the measured run. --out DIR writes all of these to DIR, each file whole "
               "or not at all: report.txt, check.json, junit.xml, summary.md, comment.md, annotations.txt (for "
               "GitHub), report.sarif, bmf.json (for Bencher), benchmarks.json (for github-action-benchmark) and run.json. It "
               "creates DIR, and first removes what an earlier check left there.\n"
               "--dry-run measures and judges nothing. It prints the resolved options as JSON, for scripts: \"way\" "
               "(measure, simulate, static or replay), \"replay\" (the recording, or null), \"kernels\" (the library, "
               "or null), \"against\" (the base, or null), \"baselines\" and \"metrics\" (folders), and \"no_gpu\" "
               "(why no GPU can be used, or null).",
    .exits = EXITS({EXIT_SAME, NULL},
                   {EXIT_REGRESSED, NULL},
                   {EXIT_USAGE, NULL},
                   {EXIT_UNSURE, NULL},
                   {EXIT_BASELINE, NULL},
                   {EXIT_NOT_MEASURED, NULL},
                   {EXIT_INTERRUPTED, NULL}),
    .example = "cugate check --save run.json",
    .takes = takes,
    .minimum = 0, .maximum = -1, .run = cmd_check,
    .ways = WAYS_MEASURED | WAY(COMPUTED_PROGRAM) | WAY(COMPUTED) | WAY(CODE) | WAY(FILES),
};
/* clang-format on */
