/* Measures source lines. A process counts one function and takes no time, so several processes run at once on a GPU.
 * Samples of why warps wait are taken at full speed, so such a process has the GPU for itself. */

#include "cubin/cubin.h"

#include "pool.h"

enum { COUNTS_AT_ONCE = 4 }; /* processes on one GPU, each with the inputs of its kernel in the GPU's memory */

/* One process: what it is asked for, and its answer. */
struct asked {
    const struct line_request *request;
    char *id; /* the id in the request; the measurement points to it */
    unsigned kind;
    size_t skip;
    struct run run;
    int code;
};

struct asking {
    const struct measurement *measurement;
    const struct line_request *requests;
    size_t request_count;
    struct asked *list;
    size_t count;
    struct profile *profiles; /* for each request, what the round added up */
    /* For each request, whether that is complete; a sum of which a part is missing would be wrong. */
    bool *whole;
    bool interrupted;
};

static void ask(struct asking *asking, const struct line_request *request, unsigned kind, size_t skip)
{
    *ARRAY_GROW(asking->list, asking->count) =
        (struct asked){.request = request, .id = request->result->id, .kind = kind, .skip = skip};
}

/* program is where that of a request for another build of a program is put. */
static struct measurement measurement_of(const struct asking *asking, struct asked *asked, size_t place,
                                         struct program *program)
{
    const char *build = asked->request->kernels;
    struct measurement measurement =
        build ? measurement_of_base(asking->measurement, build, asked->request->baseline, program)
              : *asking->measurement;
    const struct device_list *all = &asking->measurement->devices;
    measurement.skip_unmatched = asked->request->skip_unmatched;
    measurement.globs = &asked->id;
    measurement.glob_count = 1;
    measurement.label = "source lines";
    measurement.profile = asked->kind;
    measurement.skip = asked->skip;
    measurement.relay = NULL;
    measurement.next = NULL;
    measurement.like = NULL;
    if (all->count > 0)
        measurement.devices = (struct device_list){.list = {all->list[place % all->count]}, .count = 1};
    return measurement;
}

/* Returns whether a process may have failed because others were working at the same time. */
static bool may_do_better(const struct asked *asked, const struct run *run, int code)
{
    const struct result *result = run_find(run, asked->id);
    return code == EXIT_NOT_MEASURED || (code == EXIT_SAME && result && result->status == RESULT_FAILED);
}

/* Has several processes at once on each GPU answer. The inputs of several kernels may need more than its memory, and in
 * exclusive mode a GPU takes one process. So what failed beside others is asked again by itself, until one cannot use
 * the GPU even then. */
static void measure_all(const struct asking *asking, const struct measurement *list, struct run *runs, int *codes,
                        size_t at_once)
{
    bool goes_on = at_once > 1 && asking->count > 1;
    pool_measure_all(list, runs, codes, asking->count, at_once);
    for (size_t i = 0; i < asking->count; i++)
        goes_on &= codes[i] != EXIT_INTERRUPTED;
    for (size_t i = 0; i < asking->count && goes_on; i++) {
        if (!may_do_better(&asking->list[i], &runs[i], codes[i]))
            continue;
        run_release(&runs[i]);
        codes[i] = pool_measure(&list[i], &runs[i]);
        goes_on = codes[i] == EXIT_SAME;
    }
}

/* Gets all answers. Those of a program are got in turn, since it always runs as a whole. */
static void get_answers(struct asking *asking, size_t at_once)
{
    OWNED_MEMORY struct measurement *list = x_calloc(asking->count, sizeof *list);
    OWNED_MEMORY struct program *programs = x_calloc(asking->count, sizeof *programs);
    OWNED_MEMORY struct run *runs = x_calloc(asking->count, sizeof *runs);
    OWNED_MEMORY int *codes = x_calloc(asking->count, sizeof *codes);
    for (size_t i = 0; i < asking->count; i++)
        list[i] = measurement_of(asking, &asking->list[i], i, &programs[i]);
    if (asking->measurement->program)
        for (size_t i = 0; i < asking->count; i++)
            codes[i] = i > 0 && codes[i - 1] == EXIT_INTERRUPTED ? EXIT_INTERRUPTED : measure_run(&list[i], &runs[i]);
    else
        measure_all(asking, list, runs, codes, at_once);
    for (size_t i = 0; i < asking->count; i++) {
        asking->list[i].run = runs[i];
        asking->list[i].code = codes[i];
        asking->interrupted |= codes[i] == EXIT_INTERRUPTED;
    }
}

/* Returns the result that a process gave; NULL after a warning. */
static const struct result *answer_of(const struct asked *asked)
{
    const struct result *result = run_find(&asked->run, asked->id);
    if (asked->code == EXIT_SAME && result && result->status == RESULT_OK)
        return result;
    if (asked->code != EXIT_INTERRUPTED)
        warning("%s: no %s by source line: %s", asked->id,
                asked->kind == PROVIDES_LINE_COUNTS ? "exact counts" : "stalls",
                result && result->reason ? result->reason : "it could not be measured");
    return NULL;
}

/* Returns whether launch i of the list is the first of its function. */
static bool is_first_of_function(const struct result *result, size_t i)
{
    return ALL(k, i, strcmp(result->launches[k].function, result->launches[i].function) != 0);
}

/* Asks for the other functions of a kernel, which the answer for the first function names. */
static void ask_for_others(struct asking *more, const struct asked *asked, const struct result *answer)
{
    size_t skip = 0;
    for (size_t i = 0; i < answer->launch_count; skip += answer->launches[i++].times)
        if (i > 0 && is_first_of_function(answer, i))
            ask(more, asked->request, PROVIDES_LINE_COUNTS, skip);
}

/* Gets the answers and adds them up. The other functions that they name are put into *more, unless that is NULL. */
static void add_answers(struct asking *asking, size_t at_once, struct asking *more)
{
    get_answers(asking, at_once);
    EACH(struct asked, asked, asking->list, asking->count) {
        const size_t place = (size_t)(asked->request - asking->requests);
        const struct result *answer = asking->whole[place] ? answer_of(asked) : NULL;
        asking->whole[place] = answer != NULL;
        if (answer)
            profile_merge(&asking->profiles[place], &answer->profile);
        if (answer && more)
            ask_for_others(more, asked, answer);
        run_release(&asked->run);
    }
    free(asking->list);
    asking->list = NULL;
    asking->count = 0;
}

/* Moves what the round added up to the kernels. */
static void keep_answers(struct asking *asking)
{
    for (size_t i = 0; i < asking->request_count; i++) {
        if (asking->whole[i] && !asking->interrupted) {
            source_resolve(&asking->profiles[i], asking->requests[i].kernels);
            profile_merge(&asking->requests[i].result->profile, &asking->profiles[i]);
        }
        profile_release(&asking->profiles[i]);
        asking->profiles[i] = (struct profile){0};
        asking->whole[i] = false;
    }
}

/* Asks for lines of one kind, for kernels that can have lines and have none of that kind. */
static void ask_all(struct asking *asking, unsigned kind)
{
    for (size_t i = 0; i < asking->request_count; i++) {
        const struct result *result = asking->requests[i].result;
        const bool has = kind == PROVIDES_LINE_COUNTS ? result->profile.counted != 0 : result->profile.period != 0;
        asking->whole[i] =
            asking->requests[i].kinds & kind && result->status == RESULT_OK && result->launch_count > 0 && !has;
        if (asking->whole[i])
            ask(asking, &asking->requests[i], kind, 0);
    }
}

int measure_lines(const struct measurement *measurement, const struct line_request *requests, size_t count)
{
    struct asking asking = {.measurement = measurement, .requests = requests, .request_count = count};
    const unsigned kinds = measurement->backend->provides;
    const bool on_gpu = kinds & PROVIDES_COUNTERS;
    asking.profiles = x_calloc(count, sizeof *asking.profiles);
    asking.whole = x_calloc(count, sizeof *asking.whole);
    if (kinds & PROVIDES_LINE_COUNTS) {
        struct asking more = asking;
        ask_all(&asking, PROVIDES_LINE_COUNTS);
        add_answers(&asking, on_gpu ? COUNTS_AT_ONCE : 1, &more);
        more.interrupted = asking.interrupted;
        if (!more.interrupted)
            add_answers(&more, on_gpu ? COUNTS_AT_ONCE : 1, NULL);
        asking.interrupted = more.interrupted;
        free(more.list);
        keep_answers(&asking);
    }
    if (kinds & PROVIDES_STALLS && !asking.interrupted) {
        ask_all(&asking, PROVIDES_STALLS);
        add_answers(&asking, 1, NULL);
        keep_answers(&asking);
    }
    free(asking.whole);
    free(asking.profiles);
    return asking.interrupted ? EXIT_INTERRUPTED : EXIT_SAME;
}

int measure_profile(const struct measurement *measurement, struct run *run, const char *const *ids, size_t count,
                    unsigned kinds)
{
    OWNED_MEMORY struct line_request *requests = NULL;
    size_t request_count = 0;
    for (size_t i = 0; i < (ids ? count : run->result_count); i++) {
        struct result *result = ids ? run_find(run, ids[i]) : &run->results[i];
        if (result)
            *ARRAY_GROW(requests, request_count) =
                (struct line_request){measurement->kernels, NULL, result, kinds, measurement->skip_unmatched};
    }
    const int code = measure_lines(measurement, requests, request_count);
    computed_complete(run, measurement->metrics, NULL);
    return code;
}

size_t measure_lines_at_once(const struct measurement *measurement)
{
    const size_t gpus = measurement->devices.count > 0 ? measurement->devices.count : 1;
    return measurement->backend->provides & PROVIDES_COUNTERS && !measurement->program ? COUNTS_AT_ONCE * gpus : 1;
}
