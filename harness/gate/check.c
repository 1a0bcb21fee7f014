#include "check.h"

#include "baseline/baseline.h"

#include "check_parts.h"
#include "comparable.h"
#include "paired.h"
#include "weakened.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Of the baseline, keeps the kernels that the run has. */
static void forget_others(struct run *baseline, const struct run *run)
{
    char **ids = NULL;
    size_t count = 0;
    for (size_t i = 0; i < run->result_count; i++)
        *ARRAY_GROW(ids, count) = run->results[i].id;
    run_filter(baseline, ids, count);
    free(ids);
}

static int read_known_regressions(struct check *check, const char *directory)
{
    const bool good = known_regressions_read(&check->known_regressions, directory) == 0 &&
                      known_regressions_check(&check->known_regressions, check->request->metrics, directory) == 0;
    return good ? EXIT_SAME : EXIT_USAGE;
}

/* Sets baseline, its name and the known regressions. 0, or EXIT_USAGE; that there is no baseline is neither. */
static int find_baseline(struct check *check)
{
    const struct check_request *request = check->request;
    char *directory = baseline_directory(request->baselines, &check->run.device);
    int code = read_known_regressions(check, directory);
    const bool absent = access(directory, F_OK) < 0 && errno == ENOENT;
    const bool wanted = !absent || !request->against; /* else it is no error that it is not there */
    if (code == EXIT_SAME && wanted)
        code = baseline_read(&check->baseline, request->baselines, &check->run.device);
    if (code != EXIT_USAGE) {
        check->has_baseline = wanted && code == EXIT_SAME && gate_comparable(&check->run, &check->baseline) == 0;
        check->other_baseline = !check->has_baseline && baseline_exists(request->baselines, &check->run.device);
        if (!check->has_baseline)
            run_release(&check->baseline);
        gate_keep_programs(&check->baseline, &check->run);
        check->baseline_is_base_build = !check->has_baseline && request->against && check->measured == EXIT_SAME;
        check->baseline_name =
            check->baseline_is_base_build ? x_sprintf("measured now: %s", request->against) : x_strdup(directory);
    }
    free(directory);
    return code == EXIT_USAGE ? EXIT_USAGE : EXIT_SAME;
}

/* Narrows both sides to what -k chose and, after Ctrl-C, to what was measured. */
static int narrow(struct check *check)
{
    struct run *baseline = check->has_baseline ? &check->baseline : NULL;
    if (check->measured != EXIT_INTERRUPTED)
        return gate_filter(&check->run, baseline, check->request->measurement.globs,
                           check->request->measurement.glob_count) < 0
                   ? EXIT_USAGE
                   : EXIT_SAME;
    if (baseline)
        forget_others(baseline, &check->run); /* what Ctrl-C left unmeasured is not missing */
    return EXIT_SAME;
}

/* Before anything is made of the numbers. */
static void obey_laws(struct check *check)
{
    run_apply_laws(&check->baseline, check->request->metrics, check->baseline_name);
    run_apply_laws(&check->run, check->request->metrics, check->request->replay);
}

/* What the baseline lacks, or all without one that fits, is measured in the base library. */
static void stand_in(struct check *check)
{
    obey_laws(check);
    check->measured = check_base(&check->request->measurement, check->request->against, &check->run, &check->baseline);
    check->has_baseline |= check->baseline.result_count > 0;
}

static void compare(struct check *check)
{
    comparison_release(&check->comparison);
    obey_laws(check);
    if (!check->has_baseline)
        return;
    compare_runs(&check->comparison, &check->baseline, &check->run, check->request->metrics, &check->known_regressions);
    if (!check->baseline_is_base_build)
        check_note_stand_ins(&check->comparison, &check->baseline);
}

/* Whether the row is to be measured again. Times are not when a base library can settle them; but after that, when
 * their drift reference asks for it. */
static bool is_to_be_confirmed(const struct check *check, const struct judgement *judgement, bool settled)
{
    return judgement_is_suspect(judgement) &&
           (settled ? judgement->pairs > 0 : !(check->request->against && judgement->metric->class == METRIC_TIME));
}

/* The kernels of the run with such a row, each once; caller frees the list. */
static char **find_suspects(const struct check *check, bool settled, size_t *count)
{
    const struct run *run = &check->run;
    bool *suspect = x_calloc(run->result_count, sizeof *suspect);
    for (size_t i = 0; i < check->comparison.count; i++) {
        const struct judgement *judgement = &check->comparison.list[i];
        const struct result *result =
            is_to_be_confirmed(check, judgement, settled) ? run_find(run, judgement->kernel) : NULL;
        if (result)
            suspect[result - run->results] = true;
    }
    char **ids = NULL;
    *count = 0;
    for (size_t i = 0; i < run->result_count; i++)
        if (suspect[i])
            *ARRAY_GROW(ids, *count) = run->results[i].id;
    free(suspect);
    return ids;
}

/* Once more in a second session, of which the comparison is that of the first, else NULL: one says little. */
static void count_conflicts(struct check *check, const struct comparison *comparison, struct run *run)
{
    if (check->measured == EXIT_SAME)
        check->measured = check_conflicts(&check->request->measurement, &check->baseline, comparison, run);
}

/* Adds a session of those kernels to the run, measured in a process of its own. */
static void measure_again(struct check *check, char *const *ids, size_t count)
{
    struct run again = {0};
    struct measurement measurement = check->request->measurement;
    char *label = x_sprintf("confirming %zu kernel%s", count, plural(count));
    measurement.globs = ids;
    measurement.glob_count = count;
    measurement.label = label;
    measurement.like = &check->run;
    if (check->measured == EXIT_SAME)
        check->measured = measure_run(&measurement, &again);
    count_conflicts(check, &check->comparison, &again);
    check_confirm_conflicts(&check->run, &again, check->request->metrics);
    run_append(&check->run, &again);
    run_release(&again);
    free(label);
}

/* Measures the kernels with suspects once more; and in a base library that stands in for their baseline, so often that
 * what moved may fail. */
static void confirm(struct check *check, bool settled)
{
    size_t count;
    char **ids = find_suspects(check, settled, &count);
    if (count > 0) {
        measure_again(check, ids, count);
        for (size_t s = 1; s < rule_sessions_needed(METRIC_STEADY) && check->measured == EXIT_SAME; s++)
            check->measured = check_base_again(&check->request->measurement, check->request->against, ids, count,
                                               &check->run, &check->baseline);
        compare(check);
    }
    free(ids);
}

/* Lets the base library and this one take turns for the times in doubt. */
static void settle(struct check *check)
{
    const struct check_request *request = check->request;
    check->measured = paired_run(&check->request->measurement, request->against,
                                 request->paired ? NULL : &check->comparison, &check->run);
    compare(check);
}

/* Measures, and again until every verdict stands on what it needs. 0, or the exit code when there is nothing to report;
 * what was measured is in check->run either way. */
static int measure_until_sure(struct check *check)
{
    const struct check_request *request = check->request;
    check->measured = measure_whole(&check->request->measurement, &check->run);
    if (check->measured != EXIT_SAME && (check->run.result_count == 0 || request->measurement.program))
        return check->measured;
    int code = find_baseline(check);
    if (code == EXIT_SAME)
        code = narrow(check);
    if (code != EXIT_SAME)
        return code;
    if (request->against && check->measured == EXIT_SAME)
        stand_in(check);
    count_conflicts(check, NULL, &check->run);
    compare(check);
    if (check->has_baseline && check->measured == EXIT_SAME)
        confirm(check, false);
    if (check->has_baseline && check->measured == EXIT_SAME && request->against)
        settle(check);
    if (check->has_baseline && check->measured == EXIT_SAME)
        confirm(check, true);
    if (check->has_baseline && check->measured == EXIT_SAME && request->explain > 0)
        check_explain(&check->request->measurement, &check->comparison, &check->baseline, request->against,
                      request->explain, &check->run);
    return EXIT_SAME;
}

static int baseline_of_launches(struct check *check)
{
    const int code = find_baseline(check);
    return code == EXIT_SAME ? narrow(check) : code;
}

/* What is computed repeats: nothing is done again. */
static int compute(struct check *check)
{
    const struct check_request *request = check->request;
    const int code = check_simulated(check, baseline_of_launches);
    if (code != EXIT_SAME || check->run.result_count == 0)
        return code;
    if (check->has_baseline && check->measured == EXIT_INTERRUPTED)
        forget_others(&check->baseline, &check->run);
    if (request->against && check->measured == EXIT_SAME)
        stand_in(check);
    compare(check);
    if (check->has_baseline && check->measured == EXIT_SAME && request->explain > 0)
        check_explain(&request->measurement, &check->comparison, &check->baseline, request->against, request->explain,
                      &check->run);
    return EXIT_SAME;
}

static int replay(struct check *check)
{
    if (run_read(&check->run, check->request->replay) < 0 || run_refuse_part(&check->run, check->request->replay) < 0)
        return EXIT_USAGE;
    int code = find_baseline(check);
    if (code == EXIT_SAME)
        code = narrow(check);
    if (code == EXIT_SAME)
        compare(check);
    return code;
}

static int judge_code(struct check *check)
{
    int code = (check->request->file_count > 0 ? check_files : check_static)(check->request, &check->run,
                                                                             &check->baseline, &check->baseline_name);
    if (code == EXIT_SAME)
        code = read_known_regressions(check, check->baseline_name);
    check->has_baseline = check->baseline.result_count > 0;
    if (code == EXIT_SAME)
        code = narrow(check);
    if (code == EXIT_SAME)
        compare(check);
    return code;
}

/* Ctrl-C between two measurements is kept for the next. */
static int judge(struct check *check)
{
    if (check->request->replay)
        return replay(check);
    if (check->request->static_only)
        return judge_code(check);
    struct interrupts interrupts;
    if (interrupts_open(&interrupts) < 0)
        return EXIT_NOT_MEASURED;
    const int code = check->request->computed ? compute(check) : measure_until_sure(check);
    if (interrupts_close(&interrupts))
        check->measured = EXIT_INTERRUPTED;
    return code;
}

int check_judge(struct check *check, const struct check_request *request)
{
    *check = (struct check){.request = request};
    const int code = judge(check);
    if (code == EXIT_SAME && check->has_baseline)
        diagnosis_make(&check->diagnosis, &check->comparison, &check->baseline, &check->run);
    return code;
}

int check_note_weakened(struct check *check)
{
    const struct check_request *request = check->request;
    if (!request->before || !check->has_baseline)
        return EXIT_SAME;
    return weakened_since(&check->comparison, request->before, &check->run.device, request->baselines,
                          check->request->metrics, &check->known_regressions);
}

enum exit_code check_exit_code(const struct check *check)
{
    if (check->measured != EXIT_SAME)
        return (enum exit_code)check->measured;
    if (check->has_baseline)
        return comparison_exit_code(&check->comparison);
    return run_exit_code(&check->run) == EXIT_NOT_MEASURED ? EXIT_NOT_MEASURED : EXIT_BASELINE;
}

void check_release(struct check *check)
{
    diagnosis_release(&check->diagnosis);
    comparison_release(&check->comparison);
    known_regressions_release(&check->known_regressions);
    run_release(&check->baseline);
    run_release(&check->run);
    free(check->baseline_name);
    *check = (struct check){0};
}
