#include "list_capsules.h"
#include "list_chip.h"

/* Returns the first glob of -k that matches no kernel, or NULL. */
static const char *find_unmatched(const struct options *options, const struct library_facts *library)
{
    for (size_t g = 0; g < options->glob_count; g++) {
        const bool matched = ANY(k, library->count, glob_any(&options->globs[g], 1, library->kernels[k].id));
        if (!matched)
            return options->globs[g];
    }
    return NULL;
}

static int list_kernels(const struct options *options)
{
    OWNED(library_facts) library = {0};
    struct problem problem;
    TRY_AS(EXIT_USAGE, options_has_library(options));
    if (options->subject == SUBJECT_CAPSULES)
        return list_capsules(options);
    const int code = library_facts_read(&library, options->kernels, options_timeout(options), &problem);
    if (code != 0)
        return FAIL(code, "%s", problem.text);
    const char *unmatched = find_unmatched(options, &library);
    if (unmatched)
        error("no kernel of %s matches -k '%s'", options->kernels, unmatched);
    for (size_t i = 0; i < library.count && !unmatched; i++) {
        const struct kernel_facts *kernel = &library.kernels[i];
        if (!glob_any(options->globs, options->glob_count, kernel->id))
            continue;
        if (kernel->not_built)
            print_wrapped(4, "%-32s  not built: %s", kernel->id, kernel->not_built);
        else
            print_wrapped(4, "%-32s  %s", kernel->id, kernel->doc ? kernel->doc : "");
    }
    return unmatched ? EXIT_USAGE : EXIT_SAME;
}

static int list_collectors(const struct options *options)
{
    (void)options;
    size_t count;
    const struct backend *backends = backend_list(&count);
    for (size_t i = 0; i < count; i++)
        print_wrapped(10, "%-8s  %s", backends[i].name, backends[i].doc);
    return EXIT_SAME;
}

static int list_gpus(const struct options *options)
{
    (void)options;
    struct problem problem;
    const struct gpu_plugin *gpu = gpu_plugin_load(&problem);
    int count = gpu ? gpu->count(&problem) : -1;
    if (!gpu && gpu_driver_is_absent()) { /* without a driver, saying that CUPTI is missing too would not help */
        count = 0;
        problem_set(&problem, NO_GPU_DRIVER);
    }
    if (count <= 0)
        return FAIL(EXIT_NOT_MEASURED, "%s%s", count == 0 ? "no GPU: " : "", problem.text);
    for (int i = 0; i < count; i++) {
        OWNED(run) run = {0};
        struct session *session = ARRAY_GROW(run.sessions, run.session_count);
        if (gpu->describe(i, &run.device, session, &problem) < 0)
            return FAIL(EXIT_NOT_MEASURED, "GPU %d: %s", i, problem.text);
        print_wrapped(4, "%d  %s  %lld SMs  compute capability %s  %.0f GB%s%s  %s", i, run.device.name,
                      run.device.sm_count, run.device.compute_capability, (double)run.device.memory_bytes * 1e-9,
                      run.device.ecc ? "  ECC" : "", run.device.mig ? "  MIG" : "", session->facts[SESSION_GPU_UUID]);
    }
    return EXIT_SAME;
}

/* Whether metrics are listed by `--metrics` alone, without that word. */
static bool is_by_option(const struct options *options)
{
    return options->list_metrics && !(options->argument_count > 0 && strcmp(options->arguments[0], "metrics") == 0);
}

static int list_metrics(const struct options *options)
{
    OWNED(metrics) metrics = {0};
    TRY_AS(EXIT_USAGE, options_read_metrics(options, &metrics));
    int code = EXIT_SAME;
    const size_t before = is_by_option(options) ? 0 : 1;
    const char *chip = options->argument_count > before ? options->arguments[before] : NULL;
    if (chip)
        code = list_chip(options, &metrics, chip);
    else
        list_metric_titles();
    for (size_t m = 0; m < metrics.count && !chip; m++)
        list_metric(options, &metrics.list[m], NULL);
    return code;
}

/* As in the file, but paths as they are seen from here. */
static int list_config(const struct options *options)
{
    const struct config *config = &options->config;
    if (!config->path)
        print_harmless("# no " CONFIG_FILE " here or in a parent folder\n");
    else
        print_harmless("# %s\n", config->path);
    for (size_t i = 0; i < config->count; i++)
        print_harmless("%s = %s\n", config->keys[i].name, config->keys[i].value);
    return EXIT_SAME;
}

/* What can be listed besides kernels. */
static const struct {
    const char *name;
    int (*list)(const struct options *options);
} lists[] = {{"metrics", list_metrics}, {"gpus", list_gpus}, {"collectors", list_collectors}, {"config", list_config}};

static int cmd_list(const struct options *options)
{
    const char *word = is_by_option(options) ? "metrics" : options->argument_count > 0 ? options->arguments[0] : NULL;
    if (options->argument_count > 1 && strcmp(word, "metrics") != 0)
        return FAIL(EXIT_USAGE, "`cugate list %s` does not expect '%s'", word, options->arguments[1]);
    for (size_t i = 0; word && i < ARRAY_SIZE(lists); i++)
        if (strcmp(lists[i].name, word) == 0)
            return lists[i].list(options);
    if (word)
        error(
            "`cugate list` lists metrics, gpus, collectors or config, not '%s'; for kernels, type: cugate list -k '%s'",
            word, word);
    return word ? EXIT_USAGE : list_kernels(options);
}

/* clang-format off */
static const struct option_row *const takes[] = {
    &option_k, &option_kernels,
    OPTION(.name = "metrics", .argument = "DIR", .kind = KIND_TEXT_OR_FLAG, .place = PLACE(list_metrics),
           .place_2 = PLACE(metrics), .place_more = PLACE(metric_sets),
           .doc = "folder of metrics instead of cugate's own; +DIR, or an optional set such as +tensor, adds to them"),
    &option_timeout, NULL,
};

const struct command command_list = {
    .name = "list",
    .arguments = "[metrics [CHIP]|gpus|collectors|config]",
    .summary = "list kernels, metrics, GPUs or collectors",
    .details = "Lists the kernels of the library, one per line, or the metrics, the GPUs of this machine, the ways to measure, or what " CONFIG_FILE " gives here. For a file of capsules it prints a table: each kernel's launch, "
               "memory and time in the program.\n"
               "`metrics CHIP` shows the counter of that chip or product, GH100 or H200, behind each metric, and how many "
               "passes over a kernel all of them need. It needs no GPU. `metrics help` lists the chips.",
    .exits = EXITS({EXIT_SAME, "the list was printed"},
                   {EXIT_USAGE, NULL},
                   {EXIT_NOT_MEASURED, "no GPU, or CUPTI cannot be loaded"}),
    .example = "cugate list metrics H200",
    .takes = takes,
    .minimum = 0, .maximum = 2, .run = cmd_list,
};
/* clang-format on */
