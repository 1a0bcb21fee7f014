/* Accepts a computed run into a measured baseline: it takes none of its values, only the hashes of inputs. */
#include "base/base.h"

#include "baseline_files.h"

#include <stdlib.h>
#include <string.h>

bool baseline_was_measured(const struct baseline_files *files)
{
    for (size_t i = 0; i < files->count; i++)
        if (run_origin(&files->list[i].run)->computed)
            return false;
    return files->count > 0;
}

/* Returns a row of the kernel that is not known to equal the baseline's, or NULL; adds to *same how many computed rows
 * do. */
static const struct judgement *find_other(const struct comparison *comparison, const char *id, size_t *same)
{
    for (size_t i = 0; i < comparison->count; i++) {
        const struct judgement *judgement = &comparison->list[i];
        const enum verdict verdict = judgement->verdict;
        if (strcmp(judgement->kernel, id) != 0)
            continue;
        const bool unjudged = verdict == VERDICT_INFO || (verdict == VERDICT_NEW && judgement->metric);
        if (verdict != VERDICT_SAME && !unjudged)
            return judgement;
        *same += judgement->computed && verdict == VERDICT_SAME;
    }
    return NULL;
}

/* Returns why the baseline's counts may be of other inputs than the runs', or NULL when they are not. Caller frees. */
static char *find_doubt(const struct result *base, const struct result *fresh, const struct comparison *comparisons,
                        size_t count)
{
    size_t same = 0;
    if (!base)
        return x_strdup("the baseline has none of its values: measure it first");
    if (!fresh->inputs)
        return x_strdup("its inputs are not known");
    if (!same_code(base, fresh))
        return x_strdup("its machine code or launches are not the baseline's");
    for (size_t i = 0; i < count; i++) {
        const struct judgement *other = find_other(&comparisons[i], fresh->id, &same);
        if (other)
            return x_sprintf("%s is %s%s%s", other->metric ? other->metric->name : "it", verdict_name(other->verdict),
                             other->reason ? ": " : "", other->reason ? other->reason : "");
    }
    return same > 0 ? NULL : x_strdup("no count of it was computed");
}

static void take_inputs(const struct merging *merging, struct baseline_files *files, const struct run *baseline,
                        const struct comparison *comparisons)
{
    struct accepted *accepted = merging->accepted;
    size_t refused = 0;
    for (size_t i = 0; i < merging->fresh->result_count; i++) {
        const struct result *fresh = &merging->fresh->results[i], *base = run_find(baseline, fresh->id);
        char *doubt = base && same_inputs(base, fresh) ? NULL : find_doubt(base, fresh, comparisons, merging->count);
        if (doubt) {
            baseline_refuse(&refused, "the inputs of %s, because %s", fresh->id, doubt);
        } else {
            struct kernel_file *file = baseline_files_find(files, fresh->id);
            struct result *result = run_find(&file->run, fresh->id);
            file->changed = !same_inputs(result, fresh);
            result_forget_inputs(result);
            result->inputs = x_strdup(fresh->inputs);
            accepted->inputs++;
        }
        free(doubt);
    }
    baseline_refused(refused);
}

/* Counts the kernels of the runs that were chosen. */
static size_t count_chosen(const struct merging *merging)
{
    struct run chosen = {0};
    for (size_t i = 0; i < merging->count; i++)
        run_add_like(&chosen, merging->candidates[i].run, merging->acceptance->globs, merging->acceptance->glob_count);
    const size_t count = chosen.result_count;
    run_release(&chosen);
    return count;
}

int baseline_take_inputs(struct merging *merging, struct baseline_files *files)
{
    const struct acceptance *acceptance = merging->acceptance;
    struct accepted *accepted = merging->accepted;
    struct run baseline;
    if (acceptance->was || acceptance->metric_glob_count > 0 || acceptance->drift_reference) {
        error("%s was computed and the baseline in %s was measured, so that nothing but inputs can be accepted: leave "
              "out --was, -m and --anchor",
              merging->candidates[0].name, files->folder);
        return EXIT_USAGE;
    }
    int result = baseline_read(&baseline, acceptance->baselines, &merging->candidates[0].run->device);
    if (result != 0)
        return result;
    struct comparison *comparisons = x_calloc(merging->count, sizeof *comparisons);
    for (size_t i = 0; i < merging->count; i++)
        compare_runs(&comparisons[i], &baseline, merging->candidates[i].run, acceptance->metrics, NULL);
    take_inputs(merging, files, &baseline, comparisons);
    accepted->inputs_left = count_chosen(merging) - accepted->inputs;
    if (accepted->inputs == 0) {
        error("no inputs could be accepted: compute all kernels with `cugate check --simulate --all --save RUN.json`");
        result = EXIT_NOT_MEASURED;
    } else if (baseline_write(files, NULL, 0) < 0) {
        result = EXIT_USAGE;
    }
    for (size_t i = 0; i < merging->count; i++)
        comparison_release(&comparisons[i]);
    free(comparisons);
    run_release(&baseline);
    return result;
}
