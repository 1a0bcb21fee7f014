/* compact.c - what the simulator is compared by, of a run file with counts by instruction, as text:
 *
 *   compact RUN.json
 *
 *   k ID CODE...            a kernel and the hashes of the machine code that it launches; k ID - REASON: it has no
 * counts m COUNTER LEAST MOST    of its samples; m COUNTER - STATE[: REASON] f FUNCTION              of the
 * instructions that follow i OFFSET COUNT...       in the order below; zeros at the end are left out */
#include "base/base.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const counters[] = {
    "instructions",      "active_threads", "working_threads", "divergent_branches", "uniform_branches",
    "shared_wavefronts", "shared_ideal",   "load_sectors",    "load_ideal",         "store_sectors",
    "store_ideal",       "local_sectors",  "global_loads",    "global_stores",
};
static const char *const rows[] = {
    "branch_efficiency",
    "branch_targets",
    "branch_targets_divergent",
    "constant_replays",
    "excess_wavefronts",
    "fp16_arithmetic",
    "fp16_fused",
    "fp32_arithmetic",
    "fp32_fused",
    "fp64_arithmetic",
    "fp64_fused",
    "global_load_requests",
    "global_load_sectors",
    "global_store_requests",
    "global_store_sectors",
    "instructions",
    "shared_wavefronts",
    "threads_per_instruction",
};

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

static void print_row(const char *name, const json_t *metric)
{
    const json_t *sessions = json_object_get(metric, "sessions"), *session, *sample;
    double least = HUGE_VAL, most = -HUGE_VAL;
    size_t s, i;
    if (!metric)
        return;
    json_array_foreach(sessions, s, session)
    {
        const json_t *samples = json_is_object(session) ? json_object_get(session, "samples") : session;
        json_array_foreach(samples, i, sample)
        {
            least = fmin(least, json_number_value(sample));
            most = fmax(most, json_number_value(sample));
        }
    }
    const char *reason = text_of(metric, "reason");
    if (sessions)
        printf("m %s %.17g %.17g\n", name, least, most);
    else
        printf("m %s - %s%s%s\n", name, text_of(metric, "state"), *reason ? ": " : "", reason);
}

static int by_place(const void *a, const void *b)
{
    const json_t *one = *(const json_t *const *)a, *other = *(const json_t *const *)b;
    const int order = strcmp(text_of(one, "function"), text_of(other, "function"));
    const json_int_t from = json_integer_value(json_object_get(one, "offset")),
                     to = json_integer_value(json_object_get(other, "offset"));
    return order ? order : (from > to) - (from < to);
}

/* Prints an instruction; nothing where nothing was counted of it. */
static void print_line(const json_t *line, const char **function)
{
    const json_t *counts = json_object_get(line, "counts");
    size_t known = ARRAY_SIZE(counters);
    while (known > 0 && json_number_value(json_object_get(counts, counters[known - 1])) == 0)
        known--;
    if (known == 0)
        return;
    if (!*function || strcmp(*function, text_of(line, "function")) != 0)
        printf("f %s\n", *function = text_of(line, "function"));
    printf("i %lld", (long long)json_integer_value(json_object_get(line, "offset")));
    for (size_t i = 0; i < known; i++)
        printf(" %.17g", json_number_value(json_object_get(counts, counters[i])));
    putchar('\n');
}

static void print_kernel(const char *id, const json_t *kernel)
{
    const json_t *launches = json_object_get(kernel, "launches"), *launch,
                 *list = json_object_get(json_object_get(kernel, "lines"), "list"), *line;
    size_t i;
    if (strcmp(text_of(kernel, "status"), "ok") != 0) {
        printf("k %s - %s\n", id, text_of(kernel, "reason"));
        return;
    }
    printf("k %s", id);
    json_array_foreach(launches, i, launch) printf(" %s", text_of(launch, "code"));
    putchar('\n');
    for (i = 0; i < ARRAY_SIZE(rows); i++)
        print_row(rows[i], json_object_get(json_object_get(kernel, "metrics"), rows[i]));
    const size_t count = json_array_size(list);
    const json_t **sorted = x_calloc(count + 1, sizeof *sorted);
    json_array_foreach(list, i, line) sorted[i] = line;
    if (count > 0)
        qsort(sorted, count, sizeof *sorted, by_place);
    const char *function = NULL;
    for (i = 0; i < count; i++)
        print_line(sorted[i], &function);
    free(sorted);
}

static int by_id(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

int main(int argc, char **argv)
{
    json_error_t wrong;
    json_t *run = argc == 2 ? json_load_file(argv[1], 0, &wrong) : NULL;
    if (!run)
        die(EXIT_USAGE, "%s: %s", argc == 2 ? argv[1] : "usage: compact RUN.json", argc == 2 ? wrong.text : "one file");
    json_t *kernels = json_object_get(run, "kernels"), *kernel;
    const char **ids = x_calloc(json_object_size(kernels) + 1, sizeof *ids), *id;
    size_t count = 0;
    json_object_foreach(kernels, id, kernel) ids[count++] = id;
    if (count > 0)
        qsort(ids, count, sizeof *ids, by_id);
    for (size_t i = 0; i < count; i++)
        print_kernel(ids[i], json_object_get(kernels, ids[i]));
    free(ids);
    json_decref(run);
    return 0;
}
