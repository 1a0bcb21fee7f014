#include "static_facts.h"

#include "static_claims.h"

static const char *const lack_words[] = {
    [CUBIN_FOUND] = "the function",
    [CUBIN_ABSENT] = "no machine code for this function",
    [CUBIN_OTHER_GPUS] = "machine code for this function, but only for other GPUs",
    [CUBIN_SEVERAL] = "several functions with this name (rename them)",
};

/* What is needed to look up the facts of each kernel. */
struct inquiry {
    struct kernel_code code;
    int capability;
    long long sm_count;
    const struct metrics *metrics;
    bool alone; /* nothing runs besides */
};

int static_facts_capability(const struct device *device)
{
    const char *text = device->compute_capability ? device->compute_capability : "";
    const size_t major = strspn(text, "0123456789");
    const bool is_one = (major == 1 || major == 2) && text[major] == '.' &&
                        strspn(text + major + 1, "0123456789") == 1 && text[major + 2] == '\0';
    return is_one ? (int)strtol(text, NULL, 10) * 10 + (text[major + 1] - '0') : 0;
}

static unsigned to_unsigned(unsigned long long number)
{
    return number < UINT32_MAX ? (unsigned)number : UINT32_MAX;
}

static void take_max(struct value *fact, unsigned number)
{
    if (fact->state != VALUE_MEASURED || number > fact->number)
        *fact = (struct value){VALUE_MEASURED, number};
}

struct occupancy_launch static_facts_of_launch(const struct launch *launch)
{
    const unsigned long long plane = (unsigned long long)launch->block[0] * launch->block[1];
    return (struct occupancy_launch){
        .threads = to_unsigned(to_unsigned(plane) * (unsigned long long)launch->block[2]),
        .registers = launch->machine.registers,
        .shared_bytes = to_unsigned((unsigned long long)launch->machine.shared_bytes + launch->shared),
        .max_threads = launch->machine.max_threads,
        .barriers = launch->machine.barriers,
        .carve_out = launch->carve_out,
    };
}

/* Adds a launch to the facts of its kernel. The launch that takes most counts, and for occupancy the one with fewest
 * warps. */
static void add_launch(struct value facts[COMPUTED_COUNTERS], const struct launch *launch, int capability,
                       bool is_first)
{
    const struct occupancy_launch fit = static_facts_of_launch(launch);
    take_max(&facts[COMPUTED_REGISTERS], launch->machine.registers);
    take_max(&facts[COMPUTED_LOCAL], launch->machine.local_bytes);
    take_max(&facts[COMPUTED_SHARED], fit.shared_bytes);
    if (launch->mix)
        take_max(&facts[COMPUTED_LOCAL_ACCESSES], launch->machine.local_accesses);

    struct value *lowest = &facts[COMPUTED_OCCUPANCY];
    struct occupancy occupancy;
    if (!is_first && lowest->state != VALUE_MEASURED)
        return;
    if (fit.threads == 0) /* nobody says how large the launch's blocks are */
        *lowest = (struct value){VALUE_NOT_APPLICABLE, 0};
    else if (!occupancy_of(&occupancy, capability, &fit))
        *lowest = (struct value){VALUE_NOT_SUPPORTED, 0};
    else if (is_first || occupancy.percent < lowest->number)
        *lowest = (struct value){VALUE_MEASURED, occupancy.percent};
}

/* Combines the facts of all launches of a kernel. There are none where those of one launch are unknown. */
static void sum_up(const struct result *result, int capability, long long sm_count,
                   struct value facts[COMPUTED_COUNTERS])
{
    const enum value_state state = result->launch_count > 0 ? VALUE_NOT_SUPPORTED : VALUE_NOT_APPLICABLE;
    const double balance = grid_balance(result, sm_count);
    bool known = true;
    for (size_t i = 0; i < COMPUTED_COUNTERS; i++)
        facts[i] = (struct value){state, 0};
    for (size_t i = 0; i < result->launch_count; i++) {
        known &= result->launches[i].has_machine;
        if (known)
            add_launch(facts, &result->launches[i], capability, i == 0);
    }
    for (size_t i = 0; i < COMPUTED_COUNTERS && !known; i++)
        facts[i] = (struct value){VALUE_NOT_SUPPORTED, 0};
    /* It is no fact of the machine code, so that has nothing to say of it. */
    facts[COMPUTED_BALANCE] = (struct value){isnan(balance) ? VALUE_NOT_APPLICABLE : VALUE_MEASURED, balance};
}

static enum tensor_cores tensor_cores_of(const struct cubin_function *function)
{
    return function->tensor == CODE_TENSOR_USED     ? TENSOR_USED
           : function->tensor == CODE_TENSOR_UNUSED ? TENSOR_UNUSED
                                                    : TENSOR_UNKNOWN;
}

void static_facts_set_code(struct launch *launch, const struct cubin_function *function)
{
    free(launch->code);
    free(launch->mix);
    launch->code = function ? x_strdup(function->code) : NULL;
    launch->mix = function ? x_strdup(function->mix) : NULL;
    launch->has_machine = function != NULL;
    launch->machine = (struct code_facts){0};
    if (function)
        launch->machine =
            (struct code_facts){function->registers,      function->local_bytes, function->shared_bytes,
                                function->max_threads,    function->barriers,    tensor_cores_of(function),
                                function->local_accesses, !function->halves,     !function->singles};
}

/* Sets the code hash of each launch and computes the facts. If a function cannot be identified, the kernel has no
 * facts: then returns the first such launch, with the reason in *why. Else returns NULL. */
static const struct launch *take_facts(const struct inquiry *inquiry, const struct cubin *cubin, struct result *result,
                                       struct value facts[COMPUTED_COUNTERS], enum cubin_status *why)
{
    const struct launch *unknown = NULL;
    EACH(struct launch, launch, result->launches, result->launch_count) {
        enum cubin_status status;
        const struct cubin_function *function = cubin_find(cubin, launch->function, inquiry->capability, &status);
        static_facts_set_code(launch, function);
        if (!function && !unknown) {
            unknown = launch;
            *why = status;
        }
    }
    sum_up(result, inquiry->capability, inquiry->sm_count, facts);
    return unknown;
}

static void add_rows(struct result *result, const struct metrics *metrics, bool alone,
                     const struct value facts[COMPUTED_COUNTERS])
{
    EACH(const struct metric, metric, metrics->list, metrics->count) {
        if (metric_source(metric) != SOURCE_CODE && (!alone || metric_source(metric) != SOURCE_CODE_ALONE))
            continue;
        const struct value *fact = &facts[computed_counter_of(metric)];
        const size_t session = result_session(result);
        struct row *row = result_add(result, metric->name);
        row_clear(row);
        row->state = fact->state;
        const double number = fact->state == VALUE_MEASURED ? round_value(fact->number) : 0;
        if (fact->state == VALUE_MEASURED)
            row_add_session(row, &number, 1);
        if (row->state == VALUE_MEASURED)
            row->sessions[0].session = session;
    }
}

void static_facts_of_launches(struct result *result, int capability, long long sm_count, const struct metrics *metrics,
                              bool alone)
{
    struct value facts[COMPUTED_COUNTERS];
    sum_up(result, capability, sm_count, facts);
    add_rows(result, metrics, alone, facts);
}

static int add_facts(struct inquiry *inquiry, struct result *result)
{
    struct value facts[COMPUTED_COUNTERS];
    enum cubin_status why;
    const struct cubin *cubin = kernel_code_of(&inquiry->code, result->id);
    if (!cubin)
        return -1;
    const struct launch *unknown = take_facts(inquiry, cubin, result, facts, &why);
    /* The user can mend this one; the other reasons lie in the library. */
    if (unknown && why == CUBIN_SEVERAL)
        warning("the machine code of %s is unknown: %s has %s, %s", result->id, inquiry->code.path, lack_words[why],
                unknown->function);
    add_rows(result, inquiry->metrics, inquiry->alone, facts);
    return 0;
}

/* The compiler is what the machine code says, "ptxas 13.0.88". What a kernel library says of itself is kept, and alone
 * where it is that release: "nvcc 13.0.88". */
static void add_compilers(struct run *run, const struct kernel_code *code)
{
    OWNED_TEXT compilers = kernel_code_compilers(code);
    for (size_t i = 0; i < run->session_count && compilers; i++) {
        char **said = &run->sessions[i].facts[SESSION_COMPILER];
        const char *release = strrchr(compilers, ' ') + 1;
        if (*said && strstr(*said, release))
            continue;
        char *both = *said ? x_sprintf("%s, %s", *said, compilers) : x_strdup(compilers);
        free(*said);
        *said = both;
    }
}

int static_facts_add(struct run *run, const char *path, const struct metrics *metrics)
{
    struct inquiry inquiry = {
        .capability = static_facts_capability(&run->device), .sm_count = run->device.sm_count, .metrics = metrics};
    int result = kernel_code_open(&inquiry.code, path);
    for (size_t i = 0; i < run->result_count && result == 0; i++)
        if (run->results[i].status == RESULT_OK)
            result = add_facts(&inquiry, &run->results[i]);
    if (result == 0)
        add_compilers(run, &inquiry.code);
    kernel_code_close(&inquiry.code);
    return result;
}

/* ---- The run that needs no GPU ---- */

static void copy_device(struct device *to, const struct device *from)
{
    *to = *from;
    to->name = x_strdup(from->name);
    to->compute_capability = x_strdup(from->compute_capability);
}

/* Whether the baseline's library had the function. If not (no code hash), its absence now is no loss. */
static bool was_known(const struct result *base, const struct result *result, const struct launch *launch)
{
    return base->launches[launch - result->launches].code != NULL;
}

/* Replaces missing functions in the launches by those that took their place. */
static void rename_functions(struct result *result, const struct claims *claims)
{
    EACH(struct launch, launch, result->launches, result->launch_count) {
        const struct rename *rename = claims_find(claims, launch->function);
        if (!rename)
            continue;
        if (!rename->sure && !result->reason)
            result->reason = x_sprintf("function probably renamed: %s -> %s; a check that runs it confirms it",
                                       launch->function, rename->is->name);
        free(launch->function);
        launch->function = x_strdup(rename->is->name);
    }
}

/* Adds the facts of a kernel of the static run. base is what the baseline has of it; NULL: nothing. */
static void look_up(const struct inquiry *inquiry, const struct cubin *cubin, struct result *result,
                    const struct result *base)
{
    struct value facts[COMPUTED_COUNTERS];
    enum cubin_status why;
    const struct launch *unknown = take_facts(inquiry, cubin, result, facts, &why);
    if (unknown && (!base || was_known(base, result, unknown))) {
        OWNED_TEXT reason = x_sprintf("the library has %s for %s, which %s launches", lack_words[why],
                                      unknown->function, base ? "the baseline" : "the capsule");
        result_fail(result, RESULT_FAILED, reason);
        return;
    }
    add_rows(result, inquiry->metrics, inquiry->alone, facts);
}

static void add_kernel(struct run *run, const struct result *base, const struct inquiry *inquiry,
                       const struct claims *claims)
{
    struct result *result = run_add(run, base->id);
    result_copy_facts(result, base);
    result->seconds = 0; /* nothing was measured, so the kernel took no time */
    rename_functions(result, claims);
    look_up(inquiry, claims->cubin, result, base);
}

/* Adds the kernels that the library lists: what the baseline lacks is new, and what was not built cannot be judged. */
static void add_listed(struct run *run, const struct run *baseline, const struct library_facts *facts,
                       const struct claims *claims)
{
    EACH(const struct kernel_facts, kernel, facts->kernels, facts->count) {
        if (kernel->not_built)
            result_fail(run_add(run, kernel->id), RESULT_NOT_BUILT, kernel->not_built);
        else if (!claims_is_judged(baseline, facts, kernel->id))
            run_add(run, kernel->id)->reason = claims_new_kernel(claims, kernel->id);
    }
}

/* Adds all kernels of a library: which functions they launch, the baseline tells. */
static void add_library(struct run *run, const struct run *baseline, const struct library_facts *facts,
                        const struct inquiry *inquiry)
{
    OWNED(claims) claims = {0};
    claims_make(&claims, baseline, inquiry->code.list, inquiry->capability, facts);
    EACH(const struct result, base, baseline->results, baseline->result_count)
        if (claims_is_judged(baseline, facts, base->id))
            add_kernel(run, base, inquiry, &claims);
    add_listed(run, baseline, facts, &claims);
}

/* Adds all capsules of a file: each is one launch, of which all is known. */
static int add_capsules(struct run *run, struct inquiry *inquiry)
{
    EACH(const struct capsule, capsule, inquiry->code.capsules.list, inquiry->code.capsules.count) {
        const struct cubin *cubin = kernel_code_of(&inquiry->code, capsule->id);
        struct result *result = run_add(run, capsule->id);
        if (!cubin)
            return -1;
        for (size_t k = 0; k < capsule_launches(capsule); k++) {
            const struct capsule one = capsule_launch(capsule, k);
            struct launch *launch = ARRAY_GROW(result->launches, result->launch_count);
            *launch = (struct launch){.function = x_strdup(one.function), .shared = one.shared, .times = 1};
            memcpy(launch->grid, one.grid, sizeof launch->grid);
            memcpy(launch->block, one.block, sizeof launch->block);
        }
        result->launched_by = x_strdup(capsule->launched_by);
        result_demangle(result);
        look_up(inquiry, cubin, result, NULL);
    }
    return 0;
}

int static_facts_run(struct run *run, const struct run *baseline, const char *path, const struct library_facts *facts,
                     const struct metrics *metrics)
{
    *run = (struct run){0};
    struct inquiry inquiry = {.capability = static_facts_capability(&baseline->device),
                              .sm_count = baseline->device.sm_count,
                              .metrics = metrics,
                              .alone = true};
    if (kernel_code_open(&inquiry.code, path) < 0) {
        kernel_code_close(&inquiry.code);
        return -1;
    }
    copy_device(&run->device, &baseline->device);
    struct session *session = ARRAY_GROW(run->sessions, run->session_count);
    session->facts[SESSION_COLLECTOR] = x_strdup(origin_of(ORIGIN_CODE)->collector);
    session->facts[SESSION_COMPILER] = x_strdup(facts->compiler);
    session->facts[SESSION_FLAGS] = x_strdup(facts->flags);
    run_note_metrics(run, metrics);
    int result = 0;
    if (inquiry.code.capsules.path)
        result = add_capsules(run, &inquiry);
    else
        add_library(run, baseline, facts, &inquiry);
    if (result == 0)
        add_compilers(run, &inquiry.code);
    kernel_code_close(&inquiry.code);
    if (result < 0)
        run_release(run);
    return result;
}
