
#include "command.h"

#include <errno.h>
#include <unistd.h>

struct runs {
    struct run *list;
    char **names;
    size_t count;
};

static void runs_release(struct runs *runs)
{
    for (size_t i = 0; i < runs->count; i++) {
        run_release(&runs->list[i]);
        free(runs->names[i]);
    }
    free(runs->list);
    free(runs->names);
}

/* Adds a run, of which it takes ownership. */
static void add_run(struct runs *runs, struct run *run, char *name)
{
    size_t count = runs->count;
    *ARRAY_GROW(runs->names, count) = name;
    *ARRAY_GROW(runs->list, runs->count) = *run;
    *run = (struct run){0};
}

/* Checks that the folder can be written, before anything is measured. */
static int prepare_folder(const char *folder)
{
    TRY(make_folders(folder));
    if (access(folder, W_OK | X_OK) < 0)
        return error("cannot write to %s: %s; choose another folder with --save", folder, strerror(errno));
    return 0;
}

/* Saves a session under its date, so that sessions of many days can be in one folder. */
static int save_run(const struct run *run, const char *folder)
{
    const char *date = run->sessions[0].facts[SESSION_DATE];
    OWNED_TEXT path = NULL;
    /* Sessions of two GPUs may have the same date. */
    for (int number = 1; !path || access(path, F_OK) == 0; number++) {
        free(path);
        path = number == 1 ? x_sprintf("%s/%s.json", folder, date) : x_sprintf("%s/%s-%d.json", folder, date, number);
        for (char *c = path + strlen(folder); *c; c++)
            *c = *c == ':' ? '-' : *c;
    }
    struct atomic_file file;
    TRY(atomic_file_open(&file, path));
    (void)run_write(run, file.stream); /* atomic_file_commit reports write errors */
    return atomic_file_commit(&file);
}

/* Whether a session of a program is whole; otherwise error() says what is not. Nine more would lack the same, and no
 * baseline is made of it. */
static int expect_whole(struct run *run, const char *name, const struct options *options)
{
    const struct result *lacking = NULL;
    size_t count = 0;
    TRY_AS(EXIT_USAGE, gate_filter(run, &(struct run){0}, options->globs, options->glob_count));
    EACH(const struct result, result, run->results, run->result_count) {
        if (result->status == RESULT_OK && result_uncounted(result) == 0)
            continue;
        lacking = lacking ? lacking : result;
        count++;
    }
    if (run_exit_code(run) == EXIT_SAME)
        return EXIT_SAME;
    if (!lacking)
        return FAIL(EXIT_NOT_MEASURED, "%s launches nothing that can be measured", name);
    return FAIL(EXIT_NOT_MEASURED, "%s is incomplete in %zu kernel%s: %s %s", name, count, plural(count), lacking->id,
                lacking->status == RESULT_OK ? "some rows were not counted"
                : lacking->reason            ? lacking->reason
                                             : result_status_name(lacking->status));
}

/* Takes a session that was measured, and saves it, if it is whole. */
static int take_session(struct runs *runs, const struct options *options, struct run *run, int code, char *name)
{
    if (code == EXIT_SAME && options->save && save_run(run, options->save) < 0)
        code = EXIT_USAGE;
    if (code == EXIT_SAME)
        add_run(runs, run, name);
    else
        free(name);
    run_release(run);
    return code;
}

/* Measures a session of a program. What cugate says of its runs is said in the first. */
static int measure_program(struct runs *runs, const struct options *options, struct measurement *measurement,
                           struct program *program, int number)
{
    struct run run = {0};
    char *name = x_sprintf("session %d of %d", number + 1, options->sessions);
    if (!options->quiet)
        remark("%s", name);
    measurement->label = name;
    program->repeats = true;
    program->quiet |= number > 0;
    int code = measure_whole(measurement, &run);
    if (code == EXIT_SAME)
        code = expect_whole(&run, name, options);
    return take_session(runs, options, &run, code, name);
}

/* Measures sessions from number `first` on, one on each GPU. */
static int measure_some(struct runs *runs, const struct options *options, struct measurement *measurement, int first,
                        int count)
{
    struct run measured[DEVICES_MAX];
    int codes[DEVICES_MAX], code = EXIT_SAME;
    OWNED_TEXT label = count == 1 ? x_sprintf("session %d of %d", first + 1, options->sessions)
                                  : x_sprintf("sessions %d to %d of %d", first + 1, first + count, options->sessions);
    measurement->label = label;
    measure_on_each(measurement, measured, codes, (size_t)count);
    for (int i = 0; i < count; i++) {
        const int taken = take_session(runs, options, &measured[i], codes[i],
                                       x_sprintf("session %d of %d", first + i + 1, options->sessions));
        code = code == EXIT_SAME ? taken : code;
    }
    return code;
}

/* Measures sessions one after the other, or one on each GPU at a time, until one is incomplete. */
static int measure_sessions(struct runs *runs, const struct options *options, const struct metrics *metrics)
{
    struct measurement measurement;
    struct program program = {0};
    const bool is_program = options->subject == SUBJECT_PROGRAM;
    if (options_measurement(&measurement, options, metrics) < 0 ||
        (is_program ? options_program(&program, &measurement, options) : options_has_library(options)) < 0)
        return EXIT_USAGE;
    const int gpus = measurement.devices.count > 0 ? (int)measurement.devices.count : 1;
    int code = EXIT_SAME;
    measurement.every_sample = true; /* measures exact counts in each sample, to see how well they repeat */
    for (int i = 0; i < options->sessions && code == EXIT_SAME; i += gpus) {
        const int left = options->sessions - i;
        code = is_program ? measure_program(runs, options, &measurement, &program, i)
                          : measure_some(runs, options, &measurement, i, left < gpus ? left : gpus);
    }
    free(program.name);
    return code;
}

/* Measures the sessions. Signals are held back, so that a Ctrl-C between two sessions loses nothing. */
static int measure(struct runs *runs, const struct options *options, const struct metrics *metrics)
{
    struct interrupts interrupts;
    if (options->save && prepare_folder(options->save) < 0)
        return EXIT_USAGE;
    TRY_AS(EXIT_NOT_MEASURED, interrupts_open(&interrupts));
    int code = measure_sessions(runs, options, metrics);
    if (interrupts_close(&interrupts) && code == EXIT_SAME)
        code = EXIT_INTERRUPTED;
    if (code == EXIT_INTERRUPTED)
        warning("the A/A analysis uses the %zu complete session%s%s", runs->count, plural(runs->count),
                runs->count < 2 ? ", but an A/A needs two" : "");
    return code;
}

static int read_files(struct runs *runs, const struct options *options, const struct metrics *metrics)
{
    if (options->save)
        return FAIL(
            EXIT_USAGE,
            "--save keeps measured sessions, but `cugate aa` measures nothing when run files are given: remove --save");
    for (size_t i = 0; i < options->argument_count; i++) {
        const char *path = options->arguments[i];
        OWNED(run) run = {0};
        if (!options_is_run_file(path) && access(path, F_OK) < 0)
            return FAIL(EXIT_USAGE, "there is no run file %s; to measure a program, type: cugate aa -- %s", path, path);
        if (gate_read(&run, &path, 1, metrics) < 0 || run_refuse_part(&run, path) < 0 ||
            analysis_takes(&run, path, runs->list, runs->count, runs->names, metrics) < 0)
            return EXIT_USAGE;
        if (i > 0 && gate_comparable(&run, &runs->list[0]) < 0)
            return FAIL(EXIT_BASELINE, "%s and %s are not sessions of the same A/A", runs->names[0], path);
        if (i == 0 && gate_filter(&run, &(struct run){0}, options->globs, options->glob_count) < 0)
            return EXIT_USAGE;
        run_filter(&run, options->globs, options->glob_count);
        add_run(runs, &run, x_strdup(path));
    }
    return EXIT_SAME;
}

/* Analyses the runs. If something stopped measuring, its exit code is the one of the command. */
static int analyse(struct runs *runs, const struct options *options, const struct metrics *metrics, int code,
                   const struct format *format, struct atomic_file *file)
{
    OWNED(analysis) analysis = {0};
    for (size_t i = 0; i < runs->count; i++)
        program_time_by_records(&runs->list[i], metrics);
    analysis_make(&analysis, runs->list, runs->count, runs->names, metrics);
    const struct style style = {
        .exit_code = code == EXIT_SAME ? analysis_exit_code(&analysis) : (enum exit_code)code,
        .columns = terminal_columns(file->stream),
        .color = options_color(options, file->stream),
        .quiet = options->quiet,
        .verbose = options->verbose,
    };
    format->aa(&analysis, &style, file->stream); /* atomic_file_commit reports write errors */
    return atomic_file_commit(file) < 0 ? EXIT_USAGE : (int)style.exit_code;
}

static int cmd_aa(const struct options *options)
{
    OWNED(metrics) metrics = {0};
    struct metrics chosen = {0};
    OWNED(runs) runs = {0};
    AT_END(atomic_file_abandon) struct atomic_file file = {0};
    int code = EXIT_USAGE;

    const struct format *format = format_find(DOCUMENT_AA, options->format, "--format of `cugate aa`");
    if (!format || options_read_metrics(options, &metrics) < 0 ||
        options_choose_metrics(&chosen, &metrics, options) < 0 ||
        atomic_file_open(&file, options->output ? options->output : "-") < 0)
        goto out;
    const bool reads = options_read_runs(options, &command_aa);
    code = reads ? read_files(&runs, options, &metrics)
                 : measure(&runs, options, options->metric_glob_count > 0 ? &chosen : &metrics);
    if (runs.count >= 2 && (code == EXIT_SAME || !reads)) {
        code = analyse(&runs, options, &metrics, code, format, &file);
    } else if (code == EXIT_SAME) {
        code = FAIL(EXIT_USAGE, "an A/A needs at least two sessions, but %s is only one; pass more run files",
                    options->arguments[0]);
    }
out:
    free(chosen.list);
    return code;
}

/* clang-format off */
static const struct option_row *const takes[] = {
    &option_k, &option_output,
    OPTION(.name = "save", .argument = "DIR", .kind = KIND_TEXT, .place = PLACE(save),
           .doc = "save each measured session as a run file in DIR"),
    OPTION(.name = "sessions", .argument = "N", .kind = KIND_INTEGER, .place = PLACE(sessions), .minimum = 2,
           .maximum = 1000, .doc = "sessions to measure, each in its own process (default: 10)"),
    &option_first, &option_skip, &option_nvtx, &option_from_start, &option_m, &option_runs, &option_name,
    &option_kernels, &option_metrics, &option_collector, &option_simulate, &option_whole, &option_device, &option_samples, &option_timeout,
    OPTION(.name = "format", .argument = "FORMAT", .kind = KIND_FORMAT, .place = PLACE(format),
           .document = DOCUMENT_AA),
    NULL,
};

const struct command command_aa = {
    .name = "aa",
    .arguments = "[-- PROGRAM [ARG]... | RUN.json...]",
    .summary = "A/A: judge identical code against itself to measure the false-alarm rate",
    .details = "Measures the same code in many sessions and judges each against the others. It prints the false "
               "alarms, the spread of each metric, the counters that do not repeat, and the smallest change in time caught.\n"
               "PROGRAM runs once per session, as under `cugate run -- PROGRAM`, or more often if that is needed to count everything. "
               "Its output goes to standard error. A session that fails or is incomplete ends the command and is not saved.\n"
               "--save keeps each session as DIR/<its date>.json as soon as it is measured. Run files of at least two sessions, of "
               "several GPUs or days for example, are analysed without a GPU.\n"
               "--device all measures one session on each GPU at once. After Ctrl-C, the complete sessions are analysed.",
    .exits = EXITS({EXIT_SAME, "no false alarm"},
                   {EXIT_REGRESSED, "a false alarm: a session would have failed a check against the others"},
                   {EXIT_USAGE, NULL},
                   {EXIT_BASELINE, "the run files do not belong to one A/A analysis"},
                   {EXIT_NOT_MEASURED, "no GPU, counters denied, a kernel crashed, hung or gave a wrong result in some "
                                       "session, or PROGRAM failed"},
                   {EXIT_INTERRUPTED, NULL}),
    .example = "cugate aa --sessions 20 --save sessions",
    .takes = takes,
    .minimum = 0, .maximum = -1, .reads_runs = true, .run = cmd_aa,
    .ways = WAYS_MEASURED | WAY(COMPUTED),
};
/* clang-format on */
