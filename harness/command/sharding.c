#include "sharding.h"

#include "baseline/baseline.h"
#include "names/names.h"

#include "command.h"
#include "shards.h"

/* ---- The kernels that are divided ---- */

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

/* Lists the kernels that -k chose, sorted. */
static int list_kernels(struct shard *shard, const struct options *options)
{
    OWNED(library_facts) library = {0};
    struct problem problem;
    const int code = library_facts_read(&library, options->kernels, options_timeout(options), &problem);
    if (code != 0)
        return FAIL(code, "%s", problem.text);
    for (size_t i = 0; i < library.count; i++)
        if (glob_any(options->globs, options->glob_count, library.kernels[i].id))
            *ARRAY_GROW(shard->kernels, shard->kernel_count) = x_strdup(library.kernels[i].id);
    SORT(shard->kernels, shard->kernel_count, by_text);
    int result = 0;
    OWNED_MEMORY const char **ids = x_calloc(library.count, sizeof *ids);
    for (size_t i = 0; i < library.count; i++)
        ids[i] = library.kernels[i].id;
    for (size_t g = 0; g < options->glob_count && result == 0; g++)
        if (kernel_names_find(options->globs[g], ids, library.count, options->kernels) < 0)
            result = EXIT_USAGE;
    return result;
}

static int read_code(struct shard *shard, const char *path)
{
    OWNED(cubin) cubin = {0};
    TRY_AS(EXIT_NOT_MEASURED, cubin_read(&cubin, path));
    shard->code = cubin_code(&cubin);
    return 0;
}

/* ---- The seconds by which they are divided ---- */

static void note_costs(const struct shard *shard, const struct run *costs, const struct measurement *measurement)
{
    for (size_t i = 0; i < shard->kernel_count; i++)
        if (run_find(costs, shard->kernels[i]))
            return;
    warning("kernel durations are unknown, so all kernels are weighted equally: accept baselines of the collector %s",
            measurement->backend->name);
}

/* ---- The shard ---- */

static void divide(struct sharding *sharding)
{
    struct shard *shard = &sharding->shard;
    OWNED_MEMORY struct shard_kernel *list = x_calloc(shard->kernel_count, sizeof *list);
    for (size_t i = 0; i < shard->kernel_count; i++) {
        const struct result *known = run_find(&sharding->costs, shard->kernels[i]);
        list[i] = (struct shard_kernel){.id = shard->kernels[i], .seconds = known ? known->seconds : 0};
    }
    shards_divide(list, shard->kernel_count, shard->of);
    for (size_t i = 0; i < shard->kernel_count; i++)
        if (list[i].shard == shard->number)
            *ARRAY_GROW(sharding->kernels, sharding->kernel_count) = shard->kernels[i];
    shard->measures = sharding->kernel_count;
}

static int make_shard(struct sharding *sharding, const struct options *options, const struct measurement *measurement)
{
    struct shard *shard = &sharding->shard;
    TRY_CODE(list_kernels(shard, options));
    TRY_CODE(read_code(shard, options->kernels));
    note_costs(shard, &sharding->costs, measurement);
    divide(sharding);
    if (sharding->kernel_count == 0)
        warning("shard %s has no kernels, because there are more shards than families; its empty run is not an error",
                options->shard);
    return 0;
}

int sharding_make(struct sharding *sharding, const struct options *options, const struct measurement *measurement)
{
    struct shard *shard = &sharding->shard;
    *sharding = (struct sharding){0};
    if (options->shard && read_number(options->shard, &shard->number, &shard->of) < 0)
        return EXIT_USAGE;
    if (!options->shard && measurement->devices.count < 2)
        return 0;
    const int code = costs_read(&sharding->costs, options->baselines, measurement->backend->name);
    return code == 0 && options->shard ? make_shard(sharding, options, measurement) : code;
}

void sharding_apply(const struct sharding *sharding, struct measurement *measurement)
{
    static char none[] = "no kernel has this name", *const nothing[] = {none};
    measurement->costs = &sharding->costs;
    if (sharding->shard.of == 0)
        return;
    measurement->globs = sharding->kernel_count > 0 ? sharding->kernels : nothing;
    measurement->glob_count = sharding->kernel_count > 0 ? sharding->kernel_count : 1;
    measurement->skip_unmatched = sharding->kernel_count == 0;
}

void sharding_release(struct sharding *sharding)
{
    free(sharding->kernels);
    run_release(&sharding->costs);
    shard_release(&sharding->shard);
    *sharding = (struct sharding){0};
}
