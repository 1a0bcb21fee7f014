/* Which commit made a kernel worse. ci/bisect.sh has git choose commits, builds each, runs it and compares the runs by
 * `cugate compare`. Here its options are parsed. */

#include "command.h"

#include <errno.h>
#include <unistd.h>

struct bisecting {
    const struct options *options;
    struct metrics metrics;
    const struct metric *metric; /* NULL until it is known what got worse */
    bool computes;
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

static int cmd_bisect(const struct options *options)
{
    struct bisecting work = {.options = options};
    int code = EXIT_USAGE;
    if (options_read_metrics(options, &work.metrics) == 0 && find_metric(&work) == 0 && expect_one_kernel(options) == 0)
        code = start_script(&work);
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
    NULL,
};

const struct command command_bisect = {
    .name = "bisect",
    .arguments = "GOOD..BAD",
    .summary = "find the commit that made a kernel worse",
    .details = "Finds the commit between two revisions of this repository that made a kernel worse. It builds and "
               "compares the commits that `git bisect` chooses, in a temporary worktree. Your checkout is not touched, "
               "and uncommitted changes are ignored.\n"
               "A commit is bad when its value is closer to BAD's than to GOOD's. Counts are computed on "
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
    .minimum = 1, .maximum = 1, .run = cmd_bisect,
};
/* clang-format on */
