#include "measure.h"

#include "base/base.h"
#include "cubin/cubin.h"
#include "model/model.h"
#include "worker/worker.h"

#include <stdlib.h>
#include <string.h>

/* What is collected, and how far it came. */
struct collection {
    struct measurement measurement; /* of one kernel */
    char *id;
    int code;
};

/* The answer of one process; NULL after a warning. The caller releases run. */
static const struct result *ask(struct collection *collection, unsigned kind, size_t skip, struct run *run)
{
    collection->measurement.profile = kind;
    collection->measurement.skip = skip;
    collection->code = measure_run(&collection->measurement, run);
    const struct result *result = run_find(run, collection->id);
    if (collection->code == EXIT_SAME && result && result->status == RESULT_OK)
        return result;
    if (collection->code != EXIT_INTERRUPTED)
        warning("%s: no %s by source line: %s", collection->id,
                kind == PROVIDES_LINE_COUNTS ? "exact counts" : "stalls",
                result && result->reason ? result->reason : "it could not be measured");
    return NULL;
}

/* Whether launch number i of the list is the first of its function. */
static bool is_first_of_function(const struct result *result, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (strcmp(result->launches[k].function, result->launches[i].function) == 0)
            return false;
    return true;
}

/* Each function in a process of its own; the first one tells which there are. */
static bool collect_counts(struct collection *collection, struct profile *profile)
{
    struct run first = {0};
    const struct result *result = ask(collection, PROVIDES_LINE_COUNTS, 0, &first);
    bool whole = result != NULL;
    if (result)
        profile_merge(profile, &result->profile);
    size_t skip = 0;
    for (size_t i = 0; whole && i < result->launch_count; skip += result->launches[i++].times) {
        if (i == 0 || !is_first_of_function(result, i))
            continue;
        struct run more = {0};
        const struct result *other = ask(collection, PROVIDES_LINE_COUNTS, skip, &more);
        if (other)
            profile_merge(profile, &other->profile);
        whole = other != NULL;
        run_release(&more);
    }
    run_release(&first);
    return whole;
}

static bool collect_stalls(struct collection *collection, struct profile *profile)
{
    struct run run = {0};
    const struct result *result = ask(collection, PROVIDES_STALLS, 0, &run);
    if (result)
        profile_merge(profile, &result->profile);
    run_release(&run);
    return result != NULL;
}

/* The lines of one kernel, as far as they are not there. A sum of which a part is missing would be wrong: so it is all
 * of a kind or nothing. */
static int collect(const struct measurement *measurement, struct result *result, unsigned kinds)
{
    struct collection collection = {.measurement = *measurement, .id = result->id};
    collection.measurement.globs = &collection.id;
    collection.measurement.glob_count = 1;
    collection.measurement.label = "source lines";
    const bool wants_counts = kinds & PROVIDES_LINE_COUNTS && !result->profile.counted;
    const bool wants_stalls = kinds & PROVIDES_STALLS && !result->profile.period;
    struct profile counts = {0}, stalls = {0};
    const bool counted = wants_counts && collect_counts(&collection, &counts);
    const bool sampled = collection.code != EXIT_INTERRUPTED && wants_stalls && collect_stalls(&collection, &stalls);
    if (counted) {
        source_resolve(&counts, measurement->kernels);
        profile_merge(&result->profile, &counts);
    }
    if (sampled) {
        source_resolve(&stalls, measurement->kernels);
        profile_merge(&result->profile, &stalls);
    }
    profile_release(&counts);
    profile_release(&stalls);
    return collection.code == EXIT_INTERRUPTED ? EXIT_INTERRUPTED : EXIT_SAME;
}

static bool can_have_lines(const struct result *result)
{
    return result && result->status == RESULT_OK && result->launch_count > 0;
}

int measure_profile(const struct measurement *measurement, struct run *run, const char *const *ids, size_t count,
                    unsigned kinds)
{
    const size_t number = ids ? count : run->result_count;
    kinds &= measurement->backend->provides;
    for (size_t i = 0; i < number; i++) {
        struct result *result = ids ? run_find(run, ids[i]) : &run->results[i];
        if (can_have_lines(result) && collect(measurement, result, kinds) == EXIT_INTERRUPTED)
            return EXIT_INTERRUPTED;
    }
    return EXIT_SAME;
}
