/* Which commit made a kernel worse. ci/bisect.sh has git choose commits, builds each and runs it. Here the options are
 * parsed for it, and what it asks about runs is answered: is one worse, and which of two is another nearer to. */

#include "command.h"

#include <errno.h>
#include <unistd.h>

struct own_options {
    const char *judge;
};

struct bisecting {
    const struct options *options;
    struct metrics metrics;
    const struct metric *metric; /* NULL until it is known what got worse */
    bool computes;
    struct run runs[4];
};

static int find_metric(struct bisecting *work)
{
    const struct options *options = work->options;
    if (options->glob_count != 1)
        return error("choose the one kernel that got worse: -k KERNEL");
    if (options->metric_glob_count > 1)
        return error("bisect compares one metric: choose it with -m");
    const bool names_gpu = options->devices.all || options->devices.count > 0;
    if (options->simulate && names_gpu)
        return error("--simulate and --device cannot be used together: remove one");
    work->computes = !names_gpu;
    if (options->metric_glob_count == 0)
        return 0;
    const char *name = options->metric_globs[0];
    work->metric = metrics_find(&work->metrics, name);
    if (!work->metric)
        return error("unknown metric '%s'; `cugate list metrics` lists them all", name);
    if (work->metric->class == METRIC_INFO)
        return error("%s is only shown, never judged: choose another metric", name);
    if (options->simulate && !exact_provides(work->metric))
        return error("%s can only be measured, not computed: remove --simulate", name);
    work->computes = work->computes && exact_provides(work->metric);
    return 0;
}

/* ---- The script ---- */

/* The options of `cugate run`, by which each commit is run, behind the words that are there. */
static int add_options(char ***words, size_t *count, const struct bisecting *work)
{
    const struct options *options = work->options;
    const struct device_list *devices = &options->devices;
    *ARRAY_GROW(*words, *count) = x_sprintf("--metrics=%s", options->metrics);
    for (size_t i = 0; i < options->metric_set_count; i++)
        *ARRAY_GROW(*words, *count) = x_sprintf("--metrics=+%s", options->metric_sets[i]);
    if (options->timeout > 0)
        *ARRAY_GROW(*words, *count) = x_sprintf("--timeout=%.17g", options->timeout);
    if (work->metric && metric_is_on_demand(work->metric))
        *ARRAY_GROW(*words, *count) = x_strdup("--lines");
    if (work->computes) {
        char *gpu = options->description ? x_strdup(options->description) : options_find_gpu(options);
        *ARRAY_GROW(*words, *count) = x_sprintf("--simulate=%s", gpu ? gpu : "");
        free(gpu);
        return gpu ? 0 : -1;
    }
    *ARRAY_GROW(*words, *count) = x_sprintf("--samples=%d", options->samples);
    if (devices->all || devices->count > 0) {
        OWNED_TEXT list = x_strdup(devices->all ? "all" : "");
        for (size_t i = 0; i < devices->count; i++)
            x_append(&list, ",", "%d", devices->list[i]);
        *ARRAY_GROW(*words, *count) = x_sprintf("--device=%s", list);
    }
    return 0;
}

/* Refuses a -k that means several kernels, if what is built here says so: no commit has to be built to know it. */
static int expect_one_kernel(const struct options *options)
{
    OWNED(library_facts) facts = {0};
    struct problem ignored;
    size_t count = 0;
    if (access(options->kernels, R_OK) < 0 ||
        library_facts_read(&facts, options->kernels, options_timeout(options), &ignored) != EXIT_SAME)
        return 0;
    for (size_t i = 0; i < facts.count; i++)
        count += glob_any(options->globs, 1, facts.kernels[i].id);
    return count > 1 ? error("-k %s matches %zu kernels of %s: choose one", options->globs[0], count, options->kernels)
                     : 0;
}

/* Becomes the script; returns only when that fails. */
static int start_script(const struct bisecting *work)
{
    static const char *const places[] = {"../share/cugate/ci/bisect.sh", "../ci/bisect.sh", "../../ci/bisect.sh"};
    const struct options *options = work->options;
    const bool is_default = options->kernels == options->found[0];
    OWNED_TEXT script = program_beside(places, ARRAY_SIZE(places));
    const char *const asked[] = {
        options->arguments[0],
        options->globs[0],
        work->metric ? work->metric->name : "",
        is_default ? "" : options->kernels,
        options->build ? options->build : "",
        work->computes ? "computed" : "measured",
    };
    OWNED_MEMORY char **words = NULL;
    size_t count = 0;
    *ARRAY_GROW(words, count) = x_strdup(script);
    for (size_t i = 0; i < ARRAY_SIZE(asked); i++)
        *ARRAY_GROW(words, count) = x_strdup(asked[i]);
    if (add_options(&words, &count, work) == 0) {
        *ARRAY_GROW(words, count) = NULL;
        OWNED_TEXT program = realpath("/proc/self/exe", NULL);
        setenv("CUGATE", program ? program : "cugate", 1);
        setenv("CUGATE_QUIET", options->quiet ? "1" : "", 1);
        fflush(NULL);
        execv(script, words);
        error("cannot run %s: %s", script, strerror(errno));
    }
    while (count > 0)
        free(words[--count]);
    return EXIT_USAGE;
}

/* ---- What it asks ---- */

/* Whether it is of one kernel, which was measured. */
static int judge_ran(struct bisecting *work)
{
    const struct run *run = &work->runs[0];
    const struct result *result = run->results;
    if (run->result_count > 1)
        error("-k %s matches %zu kernels: choose one", work->options->globs[0], run->result_count);
    else if (run->result_count == 0)
        error("it has no kernel %s", work->options->globs[0]);
    else if (result->status != RESULT_OK)
        error("%s: %s", result_status_name(result->status), result->reason);
    else
        return EXIT_SAME;
    return EXIT_NOT_MEASURED;
}

/* Sets *value to the metric's value in the run. -1 after error() where none can be compared with the first run's. */
static int value_of(const struct bisecting *work, const struct run *run, double *value)
{
    const struct metric *metric = work->metric;
    const struct result *now = &run->results[0], *good = &work->runs[0].results[0];
    const struct row *row = result_find(now, metric->name);
    char words[256] = "";
    if (!row || row->state != VALUE_MEASURED)
        return error("%s: %s", metric->name, row ? value_state_name(row->state) : "not measured");
    if (metric->clock &&
        !rule_precondition(result_find(now, metric->clock), result_find(good, metric->clock), words, sizeof words))
        return error("%s", words);
    *value = row_value(row);
    return 0;
}

/* "16,384 -> 24,576 (+50.0 %)" */
static void print_change(const struct metric *metric, double from, double to)
{
    char before[64], after[64], share[64] = "";
    if (from != 0) /* NOLINT(clang-diagnostic-float-equal): of nothing there is no share */
        snprintf(share, sizeof share, " (%+.1f %%)", (to - from) / fabs(from) * 100);
    print_harmless("  %s: %s -> %s%s\n", metric->name, metric_format(metric, from, before, sizeof before),
                   metric_format(metric, to, after, sizeof after), share);
}

/* The row that got worse most, of the metric that was asked for. */
static const struct judgement *find_worse(const struct comparison *comparison, const struct metric *metric)
{
    return FIND(judgement, comparison->list, comparison->count,
                judgement->metric && judgement->compared && judgement->worse &&
                    judgement->metric->class != METRIC_INFO && (!metric || judgement->metric == metric));
}

/* Nothing is searched for, or the history cannot tell. The names of the files are those of commits. */
static int say_no_worse(const struct bisecting *work, const struct comparison *comparison)
{
    const char *id = work->runs[1].results[0].id;
    bool judged = false;
    EACH(const struct judgement, judgement, comparison->list, comparison->count) {
        if (!judgement->metric || (work->metric && judgement->metric != work->metric))
            continue;
        if (judgement->verdict == VERDICT_UNSURE || judgement->verdict == VERDICT_MISSING)
            return FAIL(EXIT_UNSURE, "%s of %s cannot be compared: %s", judgement->metric->name, id,
                        judgement->reason ? judgement->reason : verdict_name(judgement->verdict));
        judged = judged || judgement->compared;
    }
    if (!judged)
        return FAIL(EXIT_NOT_MEASURED, "%s of %s has no number at both ends",
                    work->metric ? work->metric->name : "nothing", id);
    print_harmless("%s: not worse at %.12s than at %.12s, by %s\n", id, basename(work->options->arguments[1]),
                   basename(work->options->arguments[0]),
                   work->metric     ? work->metric->name
                   : work->computes ? "any computed metric"
                                    : "any metric");
    if (work->metric || !work->computes)
        return EXIT_SAME;
    print_harmless("to bisect by time, on a GPU: -m time\n");
    return EXIT_UNSURE;
}

/* Makes a run what a base build stands for: then it does not matter which compilers made the two. */
static void make_base(struct run *run)
{
    for (size_t i = 0; i < run->result_count; i++)
        for (size_t r = 0; r < run->results[i].row_count; r++)
            run->results[i].rows[r].from_base_build = true;
}

/* Whether the second run is worse than the first, and by what. */
static int judge_worse(struct bisecting *work)
{
    OWNED(comparison) comparison = {0};
    double good, bad;
    make_base(&work->runs[0]);
    TRY_AS(EXIT_BASELINE, gate_comparable(&work->runs[1], &work->runs[0]));
    compare_runs(&comparison, &work->runs[0], &work->runs[1], &work->metrics, NULL);
    const struct judgement *worse = find_worse(&comparison, work->metric);
    int code = worse ? EXIT_REGRESSED : say_no_worse(work, &comparison);
    work->metric = worse ? worse->metric : NULL;
    if (!worse)
        return code;
    if (value_of(work, &work->runs[0], &good) < 0 || value_of(work, &work->runs[1], &bad) < 0)
        return EXIT_NOT_MEASURED;
    print_harmless("%s %s\n", work->metric->name, work->runs[1].results[0].id);
    print_change(work->metric, good, bad);
    return code;
}

/* Which of the first two runs the third is nearer to. */
static int judge_nearer(struct bisecting *work)
{
    double good, bad, now;
    char words[64];
    if (judge_ran(&(struct bisecting){.options = work->options, .runs = {work->runs[2]}}) != EXIT_SAME ||
        value_of(work, &work->runs[0], &good) < 0 || value_of(work, &work->runs[1], &bad) < 0 ||
        value_of(work, &work->runs[2], &now) < 0)
        return EXIT_NOT_MEASURED;
    print_harmless("%s %s\n", fabs(now - bad) < fabs(now - good) ? "bad" : "good",
                   metric_format(work->metric, now, words, sizeof words));
    return EXIT_SAME;
}

/* What the third run, of the commit that was found, changed; the fourth is of the one before, where that was run. */
static int judge_found(struct bisecting *work)
{
    double good, bad, now, before;
    const bool has_before = work->options->argument_count == 4;
    if (value_of(work, &work->runs[0], &good) < 0 || value_of(work, &work->runs[1], &bad) < 0 ||
        value_of(work, &work->runs[2], &now) < 0 || (has_before && value_of(work, &work->runs[3], &before) < 0))
        return EXIT_NOT_MEASURED;
    print_change(work->metric, has_before ? before : good, now);
    if (has_before && fabs(now - before) < fabs(bad - good))
        print_harmless(
            "  this commit explains only part of the change; another commit in the range explains the rest\n");
    return EXIT_SAME;
}

static const struct {
    const char *name;
    int (*judge)(struct bisecting *work);
    size_t minimum, maximum; /* run files */
} questions[] = {
    {"ran", judge_ran, 1, 1},
    {"worse", judge_worse, 2, 2},
    {"nearer", judge_nearer, 3, 3},
    {"found", judge_found, 3, 4},
};

static int answer(struct bisecting *work)
{
    const struct options *options = work->options;
    for (size_t i = 0; i < ARRAY_SIZE(questions); i++)
        if (strcmp(questions[i].name, OWN(options)->judge) == 0 && options->argument_count >= questions[i].minimum &&
            options->argument_count <= questions[i].maximum) {
            TRY_AS(EXIT_USAGE, runs_read(work->runs, (const char *const *)options->arguments, options->argument_count));
            const int code = questions[i].judge(work);
            for (size_t r = 0; r < options->argument_count; r++)
                run_release(&work->runs[r]);
            return code;
        }
    return FAIL(EXIT_USAGE, "--judge is internal to ci/bisect.sh, which passes ran, worse, nearer or found");
}

static int cmd_bisect(const struct options *options)
{
    struct bisecting work = {.options = options};
    int code = EXIT_USAGE;
    if (!OWN(options)->judge && options->argument_count > 1)
        error("`cugate bisect` does not expect '%s'", options->arguments[1]);
    else if (options_read_metrics(options, &work.metrics) == 0 && find_metric(&work) == 0 &&
             (OWN(options)->judge || expect_one_kernel(options) == 0))
        code = OWN(options)->judge ? answer(&work) : start_script(&work);
    metrics_release(&work.metrics);
    return code;
}

/* clang-format off */
static const struct option_row *const takes[] = {
    &option_k,
    OPTION(.name = "m", .letter = 'm', .argument = "METRIC", .kind = KIND_LIST, .place = PLACE(metric_globs),
           .doc = "the metric that got worse (default: the computed metric that got worse most)"),
    OPTION(.name = "build", .argument = "COMMAND", .kind = KIND_TEXT, .place = PLACE(build),
           .doc = "shell command that builds a commit, run at its top (default: `build` of cugate.ini, else `make` of "
                  "the library that --kernels names)"),
    &option_kernels, &option_metrics, &option_simulate,
    OPTION(.name = "device", .argument = "N", .kind = KIND_DEVICES, .place = PLACE(devices), .maximum = 1023,
           .doc = "measure on this GPU, even if the metric can be computed; 0,1,3 or all: on these GPUs"),
    &option_samples, &option_timeout,
    OPTION(.name = "judge", .internal = true, .argument = "QUESTION", .kind = KIND_TEXT, .place = OWN_PLACE(judge),
           .doc = "for ci/bisect.sh, with run files instead of a range: ran, worse, nearer or found"),
    NULL,
};

const struct command command_bisect = {
    OWN_DEFAULTS(0),
    .name = "bisect",
    .arguments = "GOOD..BAD",
    .summary = "find the commit that made a kernel worse",
    .details = "Finds the commit between two revisions of this repository that made a kernel worse. It builds and "
               "compares the commits that `git bisect` chooses, in a temporary worktree. Your checkout is not touched, "
               "and uncommitted changes are ignored.\n"
               "A commit is bad when its value is nearer to that of BAD than to that of GOOD. Counts are computed on "
               "the CPU, as by --simulate. Times, and with --device all metrics, are measured on a GPU. A commit that "
               "cannot be built or measured is skipped.\n"
               "--kernels is the path of the built library in this checkout; the worktree uses the same path. The "
               "build's environment has CUGATE_TOP, the top of this checkout. Ignored files stay from build to build.",
    .exits = EXITS({EXIT_SAME, "BAD is not worse than GOOD"},
                   {EXIT_REGRESSED, "the first bad commit was found"},
                   {EXIT_USAGE, NULL},
                   {EXIT_UNSURE, "the remaining commits cannot be judged, or no computed metric is worse"},
                   {EXIT_BASELINE, "GOOD and BAD cannot be compared"},
                   {EXIT_NOT_MEASURED, "GOOD or BAD cannot be built or measured"},
                   {EXIT_INTERRUPTED, NULL}),
    .example = "cugate bisect v1.0..HEAD -k transpose/padded --kernels build/libmine.so --build 'make -j8'",
    .takes = takes,
    .minimum = 1, .maximum = 4, .run = cmd_bisect,
};
/* clang-format on */
