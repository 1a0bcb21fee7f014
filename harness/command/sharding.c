#include "sharding.h"

#include "baseline/baseline.h"
#include "cubin/cubin.h"

#include "command.h"

#include <stdlib.h>
#include <string.h>

/* ---- What is divided ---- */

static int read_number(const char *text, unsigned *number, unsigned *of)
{
    static const char digits[] = "0123456789";
    const size_t length = strspn(text, digits);
    const char *rest = text + length + (text[length] == '/');
    if (length > 0 && length < 5 && rest > text + length && *rest && strlen(rest) < 5 && !rest[strspn(rest, digits)]) {
        *number = (unsigned)strtoul(text, NULL, 10);
        *of = (unsigned)strtoul(rest, NULL, 10);
        if (*number >= 1 && *number <= *of && *of <= SHARDS_MAX)
            return 0;
    }
    return error("--shard needs NUMBER/OF, such as 2/8, at most %d/%d; not '%s'", SHARDS_MAX, SHARDS_MAX, text);
}

/* Those that -k chose, sorted. */
static int list_kernels(struct shard *shard, const struct options *options)
{
    struct library_facts library;
    struct problem problem;
    const int code = library_facts_read(&library, options->kernels, options_timeout(options), &problem);
    if (code != 0) {
        error("%s", problem.text);
        return code;
    }
    for (size_t i = 0; i < library.count; i++)
        if (glob_any(options->globs, options->glob_count, library.kernels[i].id))
            *ARRAY_GROW(shard->kernels, shard->kernel_count) = x_strdup(library.kernels[i].id);
    if (shard->kernel_count > 0)
        qsort(shard->kernels, shard->kernel_count, sizeof *shard->kernels, by_text);
    int result = 0;
    const char **ids = x_calloc(library.count, sizeof *ids);
    for (size_t i = 0; i < library.count; i++)
        ids[i] = library.kernels[i].id;
    for (size_t g = 0; g < options->glob_count && result == 0; g++)
        if (kernel_names_find(options->globs[g], ids, library.count, options->kernels) < 0)
            result = EXIT_USAGE;
    free(ids);
    library_facts_release(&library);
    return result;
}

static int read_code(struct shard *shard, const char *path)
{
    struct cubin cubin;
    if (cubin_read(&cubin, path) < 0)
        return EXIT_NOT_MEASURED;
    shard->code = cubin_code(&cubin);
    cubin_release(&cubin);
    return 0;
}

/* ---- What it costs ---- */

/* What is known of the costs: of several baselines the mean of those that know a kernel. */
struct costs {
    struct shard_kernel *list; /* sorted by id */
    size_t count;
    size_t *known; /* how many runs knew it */
};

static bool take_costs(struct costs *costs, const struct run *run)
{
    bool any = false;
    for (size_t i = 0; i < run->result_count; i++) {
        const double seconds = run->results[i].seconds;
        const struct shard_kernel wanted = {.id = run->results[i].id};
        struct shard_kernel *share =
            seconds > 0 ? bsearch(&wanted, costs->list, costs->count, sizeof wanted, by_text) : NULL;
        if (!share)
            continue;
        const size_t place = (size_t)(share - costs->list);
        costs->known[place]++;
        share->seconds += (seconds - share->seconds) / (double)costs->known[place];
        any = true;
    }
    return any;
}

static int read_baselines(struct costs *costs, const struct options *options, const struct backend *backend, bool *any)
{
    struct baseline_devices devices;
    if (baseline_devices_read(&devices, options->baselines) < 0)
        return EXIT_USAGE;
    int code = 0;
    for (size_t i = 0; i < devices.count && code == 0; i++) {
        struct run baseline;
        const char *other;
        code = baseline_read(&baseline, options->baselines, &devices.list[i].device);
        if (code == 0 && strcmp(run_collector(&baseline, &other), backend->name) == 0 && !other)
            *any |= take_costs(costs, &baseline);
        if (code == 0)
            run_release(&baseline);
    }
    baseline_devices_release(&devices);
    return code;
}

static int read_costs(struct costs *costs, const struct options *options, const struct backend *backend)
{
    bool any = false;
    if (options->costs) {
        struct run run;
        if (run_read(&run, options->costs) < 0)
            return EXIT_USAGE;
        any = take_costs(costs, &run);
        run_release(&run);
        if (any)
            return 0;
        error("--costs %s: knows of none of these kernels how long it takes; an older cugate wrote it, or it is of "
              "another library",
              options->costs);
        return EXIT_USAGE;
    }
    const int code = read_baselines(costs, options, backend, &any);
    if (code == 0 && !any)
        warning("how long each kernel takes is not known, so all count alike: --costs RUN.json, of any run, or "
                "baselines accepted by the collector %s say it",
                backend->name);
    return code;
}

static int divide(struct sharding *sharding, const struct options *options, const struct backend *backend)
{
    struct shard *shard = &sharding->shard;
    struct costs costs = {.count = shard->kernel_count};
    costs.list = x_calloc(costs.count, sizeof *costs.list);
    costs.known = x_calloc(costs.count, sizeof *costs.known);
    for (size_t i = 0; i < costs.count; i++)
        costs.list[i].id = shard->kernels[i];
    const int code = read_costs(&costs, options, backend);
    if (code == 0)
        shards_divide(costs.list, costs.count, shard->of);
    for (size_t i = 0; i < costs.count && code == 0; i++)
        if (costs.list[i].shard == shard->number)
            *ARRAY_GROW(sharding->kernels, sharding->kernel_count) = shard->kernels[i];
    shard->measures = sharding->kernel_count;
    free(costs.known);
    free(costs.list);
    return code;
}

/* What says how to divide, where nothing is. */
static int refuse_idle(const struct options *options)
{
    if (options->costs)
        return error("--costs tells by what kernels are divided, and nothing is: add --shard 1/8, or leave it out");
    return 0;
}

int sharding_make(struct sharding *sharding, const struct options *options, const struct backend *backend)
{
    struct shard *shard = &sharding->shard;
    *sharding = (struct sharding){0};
    if (!options->shard)
        return refuse_idle(options) < 0 ? EXIT_USAGE : 0;
    if (read_number(options->shard, &shard->number, &shard->of) < 0)
        return EXIT_USAGE;
    int code = list_kernels(shard, options);
    if (code == 0)
        code = read_code(shard, options->kernels);
    if (code == 0)
        code = divide(sharding, options, backend);
    if (code == 0 && sharding->kernel_count == 0)
        warning("shard %s has no kernel, as there are more shards than families: its run is empty, and is no fault",
                options->shard);
    return code;
}

void sharding_narrow(const struct sharding *sharding, struct measurement *measurement)
{
    static char none[] = "no kernel is called so", *const nothing[] = {none};
    if (sharding->shard.of == 0)
        return;
    measurement->globs = sharding->kernel_count > 0 ? sharding->kernels : nothing;
    measurement->glob_count = sharding->kernel_count > 0 ? sharding->kernel_count : 1;
    measurement->skip_unmatched = sharding->kernel_count == 0;
}

void sharding_release(struct sharding *sharding)
{
    free(sharding->kernels);
    shard_release(&sharding->shard);
    *sharding = (struct sharding){0};
}
