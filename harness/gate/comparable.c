#include "comparable.h"

#include "names/names.h"

static int refuse_cut(const struct run *run, const char *path)
{
    for (size_t i = 0; i < run->session_count; i++) {
        const char *cut = run->sessions[i].facts[SESSION_CUT];
        if (cut && strncmp(cut, "exit code", 9) == 0)
            return error(
                "in %s the program failed with %s, so its counts may be incomplete: fix it, then measure again", path,
                cut);
        if (cut)
            return error("in %s the program was stopped by %s, so its counts are incomplete: measure again", path, cut);
    }
    return 0;
}

int gate_read(struct run *runs, const char *const *paths, size_t count, const struct metrics *metrics)
{
    TRY(runs_read(runs, paths, count));
    for (size_t i = 0; i < count; i++) {
        if (refuse_cut(&runs[i], paths[i]) < 0) {
            for (size_t k = 0; k < count; k++)
                run_release(&runs[k]);
            memset(runs, 0, count * sizeof *runs);
            return -1;
        }
        run_apply_laws(&runs[i], metrics, paths[i]);
        program_time_by_records(&runs[i], metrics);
    }
    return 0;
}

/* The ids of one or two runs, to suggest from. */
struct names {
    const char **ids; /* ids of kernels, borrowed from the runs */
    size_t count;
};

static void add_names(struct names *names, const struct run *run)
{
    for (size_t i = 0; i < run->result_count; i++)
        *ARRAY_GROW(names->ids, names->count) = run->results[i].id;
}

/* Reports that a glob matches nothing, and what was probably meant. For a variant that is the most similar id; for
 * `transpose` alone or a misspelled family, a whole family. */
static int no_match(const char *glob, const struct names *names)
{
    const char *id = kernel_names_near(glob, names->ids, names->count);
    OWNED_TEXT family = id ? NULL : kernel_names_family(glob, names->ids, names->count);
    if (id)
        error("no kernel matches -k '%s'; did you mean %s?", glob, id);
    else if (family)
        error("no kernel matches -k '%s'; did you mean '%s'?", glob, family);
    else {
        OWNED_TEXT all = kernel_names_join(names->ids, names->count, NULL);
        error("no kernel matches -k '%s'; there are %s", glob, *all ? all : "none");
    }
    return -1;
}

static bool matches(const struct run *run, char *const *glob)
{
    return ANY(i, run->result_count, glob_any(glob, 1, run->results[i].id));
}

int gate_filter(struct run *run, struct run *baseline, char *const *globs, size_t count)
{
    int result = 0;
    struct names names = {0};
    add_names(&names, run);
    add_names(&names, baseline);
    for (size_t i = 0; i < count && result == 0; i++)
        if (!matches(run, &globs[i]) && !matches(baseline, &globs[i]))
            result = no_match(globs[i], &names);
    free(names.ids);

    run_filter(run, globs, count);
    run_filter(baseline, globs, count);
    return result;
}

/* Checks that one collector measured the whole run. Sets *name to it. */
static int expect_one_collector(const struct run *run, const char *what, const char **name)
{
    const char *other;
    *name = run_collector(run, &other);
    return other ? error("the two cannot be compared, because %s has sessions of two collectors, %s and %s", what,
                         *name, other)
                 : 0;
}

int gate_comparable(const struct run *run, const struct run *baseline)
{
    char difference[512];
    device_difference(&run->device, &baseline->device, difference, sizeof difference);
    if (*difference)
        return error("the two cannot be compared, because the run and the baseline are from different devices: %s",
                     difference);

    const char *ours, *theirs;
    if (expect_one_collector(run, "the run", &ours) < 0 || expect_one_collector(baseline, "the baseline", &theirs) < 0)
        return -1;
    /* Computed are counts that the GPU's counters have as well, to the digit: compare_runs judges no others. */
    const char *counts_of = run_origin(run)->counts_of;
    if (strcmp(ours, theirs) != 0 && !(counts_of && strcmp(counts_of, theirs) == 0))
        return error(
            "the two cannot be compared, because the run was measured by the collector %s, but the baseline by %s",
            ours, theirs);
    const char *silicon = run_fact(run, SESSION_SILICON);
    if (strcmp(ours, theirs) != 0 && silicon)
        return error("the two cannot be compared, because computed counts for compute capability %s were never "
                     "validated on a GPU; use a base build (--against) or a computed baseline",
                     run->device.compute_capability);
    return 0;
}

static bool has_metric(const struct run *run, const char *metric)
{
    return ANY(i, run->result_count, result_find(&run->results[i], metric));
}

void gate_keep_metrics(struct run *baseline, const struct run *run, const struct metrics *metrics)
{
    OWNED_MEMORY bool *kept = x_calloc(metrics->count, sizeof *kept);
    for (size_t m = 0; m < metrics->count; m++)
        kept[m] = has_metric(run, metrics->list[m].name);
    EACH(struct result, result, baseline->results, baseline->result_count) {
        for (size_t r = result->row_count; r-- > 0;) {
            const char *metric = result->rows[r].metric;
            if (!metrics_find(metrics, metric) || !kept[metrics_index(metrics, metric)])
                result_remove(result, metric);
        }
    }
}

size_t gate_keep_asked(struct run *baseline, const struct metrics *asked, const struct metrics *all)
{
    size_t judged = 0;
    EACH(struct result, result, baseline->results, baseline->result_count) {
        for (size_t r = result->row_count; r-- > 0;) {
            const struct row *row = &result->rows[r];
            const struct metric *metric = metrics_find(all, row->metric);
            if (metrics_find(asked, row->metric))
                continue;
            judged += row->state == VALUE_MEASURED && !(metric && metric->class == METRIC_INFO);
            result_remove(result, row->metric);
        }
    }
    return judged;
}

void gate_keep_programs(struct run *baseline, const struct run *run)
{
    if (!run_origin(run)->own_caches || run->result_count == 0) /* -k may have left none of it */
        return;
    OWNED_MEMORY bool *kept = x_calloc(baseline->result_count, sizeof *kept);
    for (size_t i = 0; i < baseline->result_count; i++)
        kept[i] = ANY(k, run->result_count, is_of_family(run->results[k].id, baseline->results[i].id));
    run_keep(baseline, kept);
}
