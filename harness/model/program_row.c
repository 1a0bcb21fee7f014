#include "program_row.h"

#include <ctype.h>

#define PROGRAM_VARIANT "/program"

enum { RANGE_LENGTH = 100 /* characters of a range in its row's id */ };

char *program_row_id(const char *family)
{
    return x_sprintf("%s" PROGRAM_VARIANT, family);
}

char *program_range_id(const char *family, const char *range)
{
    char *id = x_sprintf("%s" PROGRAM_VARIANT ":%.*s", family, RANGE_LENGTH, range);
    for (char *c = id + strlen(family) + strlen(PROGRAM_VARIANT ":"); *c; c++)
        *c = isalnum((unsigned char)*c) || strchr("-.", *c) ? *c : '_';
    return id;
}

enum row_kind row_kind(const char *id)
{
    const char *variant = strchr(id, '/');
    const size_t length = strlen(PROGRAM_VARIANT);
    const char end = variant && strncmp(variant, PROGRAM_VARIANT, length) == 0 ? variant[length] : 'x';
    return end == '\0' ? ROW_PROGRAM : end == ':' ? ROW_RANGE : ROW_KERNEL;
}

bool row_is_graph(const char *id)
{
    return strstr(id, "/" PROGRAM_GRAPH) != NULL;
}

bool is_of_family(const char *id, const char *other)
{
    return strncmp(id, other, strcspn(other, "/") + 1) == 0;
}

bool is_kernel_of(const char *id, const char *program)
{
    return row_kind(id) == ROW_KERNEL && is_of_family(id, program);
}

const struct result *program_of(const struct run *run, const char *kernel)
{
    OWNED_TEXT family = x_sprintf("%.*s", (int)strcspn(kernel, "/"), kernel), *id = program_row_id(family);
    const struct result *result = run_find(run, id);
    return result && result->status == RESULT_OK ? result : NULL;
}

bool program_is_of_shapes(const char *id)
{
    return strstr(id, "@" PROGRAM_ANY_GRID ",") != NULL;
}

bool is_metric_of_program(const struct metric *metric)
{
    return metric_source(metric) == SOURCE_PROGRAM;
}

bool is_metric_of_host(const struct metric *metric)
{
    const enum computed_counter counter = computed_counter_of(metric);
    return is_metric_of_program(metric) || counter == COMPUTED_HOST_BYTES || counter == COMPUTED_MANAGED_BYTES;
}

/* Returns the value of the first metric of that counter that has one; else NAN. *found is set to it, or to NULL. */
static double find_value(const struct metrics *metrics, const struct result *result, enum computed_counter counter,
                         const struct metric **found)
{
    EACH(const struct metric, metric, metrics->list, metrics->count) {
        const bool is_one =
            counter == COMPUTED_NONE ? strcmp(metric->counter, COUNTER_TIME) == 0 : is_computed(metric, counter);
        const struct row *row = is_one ? result_measured(result, metric->name) : NULL;
        if (row) {
            *found = metric;
            return row_value(row);
        }
    }
    *found = NULL;
    return NAN;
}

double program_value(const struct metrics *metrics, const struct result *result, enum computed_counter counter)
{
    const struct metric *ignored;
    return find_value(metrics, result, counter, &ignored);
}

double program_launches(const struct metrics *metrics, const struct result *result)
{
    return program_value(metrics, result, COMPUTED_LAUNCHES);
}

bool program_is_seldom(double part, double all)
{
    return 100 * part < all;
}

bool program_is_of_first_part(const struct metrics *metrics, const struct result *result)
{
    return program_value(metrics, result, COMPUTED_FIRST_PART) == 1;
}

/* Kernels that spin. A profiler that waits for a collective would wait for the other process, which may wait for a
 * later launch of this one. The last is XLA's, whose autotuner holds the GPU with it until the host has launched what
 * it times; to measure that would have it choose another kernel. */
static const struct waiting {
    const char *begin; /* of the function's name */
    size_t holds;      /* see program_holds() */
} waiting[] = {
    {"ncclDevKernel", 1},
    {"ncclKernel", 1},
    {"nvshmem", 1},
    {"vllm::cross_device_reduce", 1},
    {"stream_executor::gpu::(anonymous namespace)::DelayKernel", 16},
};

static const struct waiting *find_waiting(const char *function)
{
    if (strncmp(function, "void ", 5) == 0)
        function += 5;
    return FIND(one, waiting, ARRAY_SIZE(waiting), strncmp(function, one->begin, strlen(one->begin)) == 0);
}

bool program_communicates(const struct result *kernel)
{
    return kernel->launch_count > 0 && ALL(i, kernel->launch_count, find_waiting(kernel->launches[i].function));
}

size_t program_holds(const struct result *kernel)
{
    size_t holds = 0;
    for (size_t i = 0; i < kernel->launch_count; i++) {
        const struct waiting *found = find_waiting(kernel->launches[i].function);
        holds = found && found->holds > holds ? found->holds : holds;
    }
    return holds;
}

bool program_is_timed(const struct metrics *metrics, const struct result *result)
{
    return !isnan(program_value(metrics, result, COMPUTED_GPU_TIME));
}

/* Returns the first row of that counter that has numbers; NULL: there is none. */
static const struct row *find_row(const struct metrics *metrics, const struct result *result,
                                  enum computed_counter counter)
{
    const struct metric *metric;
    (void)find_value(metrics, result, counter, &metric);
    return metric ? result_find(result, metric->name) : NULL;
}

/* The rows may lack a session, so the numbers are taken by their session. */
static void time_by_records(struct result *result, const struct metrics *metrics, const char *time)
{
    const struct row *took = find_row(metrics, result, COMPUTED_GPU_TIME),
                     *launched = find_row(metrics, result, COMPUTED_LAUNCHES);
    struct row made = {0};
    for (size_t i = 0; took && launched && i < took->session_count; i++)
        for (size_t k = 0; k < launched->session_count; k++) {
            const double launches = row_kind(result->id) != ROW_KERNEL ? 1 : row_session_value(launched, k);
            if (launched->sessions[k].session != took->sessions[i].session || !(launches > 0))
                continue;
            const double each = round_value(row_session_value(took, i) / launches);
            row_add_session(&made, &each, 1);
            made.sessions[made.session_count - 1].session = took->sessions[i].session;
        }
    if (made.session_count == 0)
        return;
    const bool has_reference = took->has_drift_reference && launched->has_drift_reference;
    const double reference = has_reference ? took->drift_reference / launched->drift_reference : 0;
    struct row *row = result_add(result, time); /* moves the others */
    for (size_t i = 0; i < row->session_count; i++)
        free(row->sessions[i].samples);
    free(row->sessions);
    free(row->reason);
    row->state = VALUE_MEASURED;
    row->reason = NULL;
    row->sessions = made.sessions;
    row->session_count = made.session_count;
    row->has_drift_reference = has_reference;
    row->drift_reference = reference;
}

void program_time_by_records(struct run *run, const struct metrics *metrics)
{
    const struct metric *time = NULL;
    for (size_t m = 0; m < metrics->count && !time; m++)
        time = strcmp(metrics->list[m].counter, COUNTER_TIME) == 0 ? &metrics->list[m] : NULL;
    if (!time || !run_origin(run)->own_caches)
        return;
    for (size_t i = 0; i < run->result_count; i++)
        if (run->results[i].status == RESULT_OK)
            time_by_records(&run->results[i], metrics, time->name);
}

double program_time(const struct metrics *metrics, const struct result *result, const struct metric **time)
{
    const struct metric *found;
    double value = find_value(metrics, result, COMPUTED_GPU_TIME, &found);
    if (!found) {
        value = find_value(metrics, result, COMPUTED_NONE, &found);
        value *= row_kind(result->id) != ROW_KERNEL ? 1 : program_launches(metrics, result);
    }
    if (time)
        *time = found;
    return value;
}
