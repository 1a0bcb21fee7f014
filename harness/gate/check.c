#include "check.h"

#include "baseline/baseline.h"

#include "check_parts.h"
#include "comparable.h"
#include "paired.h"
#include "weakened.h"

/* Removes the kernels from the baseline that the run lacks. */
static void forget_others(struct run *baseline, const struct run *run)
{
    OWNED_MEMORY bool *kept = x_calloc(baseline->result_count, sizeof *kept);
    for (size_t i = 0; i < baseline->result_count; i++)
        kept[i] = run_find(run, baseline->results[i].id);
    run_keep(baseline, kept);
}

static int read_known_regressions(struct check *check, const char *folder)
{
    const bool good = known_regressions_read(&check->known_regressions, folder) == 0 &&
                      known_regressions_check(&check->known_regressions, check->request->metrics, folder) == 0;
    return good ? EXIT_SAME : EXIT_USAGE;
}

/* Reads the baseline of a device into check->baseline, the first time. Returns 0, or an exit code after error(). */
static int read_baseline(struct check *check, const struct device *device)
{
    if (!check->is_read)
        check->read = baseline_read(&check->baseline, check->request->baselines, device);
    check->is_read = true;
    return check->read;
}

/* Of a program the baseline is read when its device is known: it says what need not be counted. */
static const struct run *baseline_of_program(void *judge, const struct device *device)
{
    struct check *check = judge;
    return read_baseline(check, device) == EXIT_SAME ? &check->baseline : NULL;
}

/* Where -k chooses kernels, a base build is measured too, lines are kept, or it is asked for, all is measured. */
static void set_judge(struct check *check, struct measurement *measurement)
{
    const struct check_request *request = check->request;
    if (request->all || request->against || request->lines || request->measurement.glob_count > 0)
        return;
    measurement->judged_by = baseline_of_program;
    measurement->judge = check;
}

/* Sets the baseline, its name and the known regressions. Returns 0, or EXIT_USAGE. A baseline may be missing. */
static int find_baseline(struct check *check)
{
    const struct check_request *request = check->request;
    OWNED_TEXT folder = baseline_folder(request->baselines, &check->run.device);
    int code = read_known_regressions(check, folder);
    const bool wanted = !request->against || !is_absent(folder); /* with a base build, a missing baseline is no error */
    if (code == EXIT_SAME && wanted)
        code = read_baseline(check, &check->run.device);
    if (code != EXIT_USAGE) {
        check->has_baseline = wanted && code == EXIT_SAME && gate_comparable(&check->run, &check->baseline) == 0;
        check->other_baseline = !check->has_baseline && baseline_exists(request->baselines, &check->run.device);
        if (!check->has_baseline)
            run_release(&check->baseline);
        gate_keep_programs(&check->baseline, &check->run);
        check->baseline_is_base_build = !check->has_baseline && request->against && check->measured == EXIT_SAME;
        check->baseline_name = check->baseline_is_base_build ? x_sprintf("measured in this check: %s", request->against)
                                                             : x_strdup(folder);
    }
    return code == EXIT_USAGE ? EXIT_USAGE : EXIT_SAME;
}

/* Restricts both sides to the kernels that -k chose and, after Ctrl-C, to what was measured. */
static int keep_chosen(struct check *check)
{
    const struct measurement *measurement = &check->request->measurement;
    const size_t all = check->baseline.result_count;
    if (check->measured == EXIT_INTERRUPTED) {
        forget_others(&check->baseline, &check->run); /* a kernel that Ctrl-C left unmeasured is not missing */
        return EXIT_SAME;
    }
    TRY_AS(EXIT_USAGE, gate_filter(&check->run, &check->baseline, measurement->globs, measurement->glob_count));
    if (run_origin(&check->run)->own_caches)
        check->unchosen += all - check->baseline.result_count;
    return EXIT_SAME;
}

/* Measures in the base library what the baseline lacks; if no baseline fits the run, everything. */
static void stand_in(struct check *check)
{
    check->measured = check_base(&check->request->measurement, check->request->against, &check->run, &check->baseline,
                                 &check->neither);
    check->has_baseline |= check->baseline.result_count > 0;
}

/* Says what was not asked for. A base build says nothing of it either, and no row tells. */
static void note_unasked(struct check *check)
{
    struct comparison *comparison = &check->comparison;
    const struct check_request *request = check->request;
    for (size_t m = 0; request->asked && m < request->metrics->count; m++)
        comparison->unasked_metrics += request->metrics->list[m].class != METRIC_INFO &&
                                       !metrics_find(request->asked, request->metrics->list[m].name);
    if (check->unchosen > 0)
        comparison_add_note(comparison, "-k leaves out %zu kernel%s of the program's baseline, which %s not judged",
                            check->unchosen, plural(check->unchosen), plural_of(check->unchosen, "is", "are"));
    comparison->unasked = check->unasked;
    if (comparison->unasked > 0)
        comparison_add_note(comparison, "-m leaves out %zu row%s of the baseline, which %s not judged",
                            comparison->unasked, plural(comparison->unasked),
                            plural_of(comparison->unasked, "is", "are"));
    else if (comparison->unasked_metrics > 0)
        comparison_add_note(comparison, "-m leaves out %zu metric%s, which %s not judged", comparison->unasked_metrics,
                            plural(comparison->unasked_metrics), plural_of(comparison->unasked_metrics, "is", "are"));
}

/* Notes declarations of kernels that do not exist. Of a part of the kernels nobody knows. */
static void note_needless(struct check *check)
{
    if (check->request->measurement.glob_count > 0 || check->measured != EXIT_SAME)
        return;
    EACH(const struct known_regression, known, check->known_regressions.list, check->known_regressions.count)
        if (strcmp(known->metric, KNOWN_NOT_COMPUTED) == 0 && !run_find(&check->run, known->kernel) &&
            !run_find(&check->baseline, known->kernel))
            comparison_add_note(&check->comparison,
                                "%s is declared as not computed, but does not exist: remove [%s %s] at %s:%d",
                                known->kernel, known->kernel, known->metric, known->file, known->line);
}

/* Returns the kernel library that is judged, or the program's file; NULL: there is none, or it has no path. */
static const char *judged_file(const struct check_request *request)
{
    const struct program *program = request->measurement.program;
    const char *file = program ? program->arguments[0] : request->measurement.kernels;
    return program && (program->shell || !strchr(file, '/')) ? NULL : file;
}

/* Finds out whether that was built since its sources changed. Captured launches come without sources. */
static void find_newer(struct check *check)
{
    const struct check_request *request = check->request;
    const char *file = judged_file(request);
    size_t count = 0;
    const enum subject subject = request->measurement.subject;
    if (request->stale || request->replay || subject == SUBJECT_FILES || !file || subject == SUBJECT_CAPSULES)
        return;
    OWNED_MEMORY char **list = source_newer(file, &count);
    for (size_t i = 0; i < count; i++) {
        note_items_add(&check->newer, "%s", list[i]);
        free(list[i]);
    }
}

static void note_newer(struct check *check)
{
    struct note_items items = {0};
    OWNED_TEXT words = x_sprintf("STALE: %s is older than its sources (rebuild it, or pass --stale to judge it anyway)",
                                 judged_file(check->request));
    for (size_t i = 0; i < check->newer.count; i++)
        note_items_add(&items, "%s", check->newer.list[i]);
    comparison_add_items(&check->comparison, &items, words);
}

static void compare(struct check *check)
{
    comparison_release(&check->comparison);
    program_time_by_records(&check->run, check->request->metrics);
    if (!check->has_baseline)
        return;
    program_time_by_records(&check->baseline, check->request->metrics);
    run_number_like(&check->run, &check->baseline);
    run_follow_launches(&check->baseline, &check->run, check->request->metrics);
    check_settle_blocks(&check->baseline, &check->run, check->request->metrics, true);
    compare_runs(&check->comparison, &check->baseline, &check->run, check->request->metrics, &check->known_regressions);
    check_settle_blocks(&check->baseline, &check->run, check->request->metrics, false);
    note_newer(check);
    if (check->neither > 0)
        comparison_add_note(
            &check->comparison,
            "not checked, because neither this build nor the base build has them: %zu kernel%s of the baseline",
            check->neither, plural(check->neither));
    note_differences(&check->comparison, &check->baseline, &check->run, check->request->metrics);
    if (!check->baseline_is_base_build)
        check_note_stand_ins(&check->comparison, &check->baseline);
    check_note_code(&check->comparison, &check->baseline, &check->run);
    if (check->request->against && check->request->measurement.kernels)
        check_note_inputs(&check->comparison, check->request->measurement.kernels, check->request->against,
                          &check->baseline, &check->run);
    note_unasked(check);
    note_needless(check);
}

/* Whether there is something to judge, and nothing stopped the measuring so far. */
static bool goes_on(const struct check *check)
{
    return check->has_baseline && check->measured == EXIT_SAME;
}

/* Whether the row is to be measured again. Before pairs (settled is false) times are not if a base build can settle
 * them; after pairs they are, if their drift reference needs it. */
static bool is_to_be_confirmed(const struct check *check, const struct judgement *judgement, bool settled)
{
    return judgement_is_suspect(judgement) &&
           (settled ? judgement->pairs > 0 : !(check->request->against && judgement->metric->class == METRIC_TIME));
}

/* Whether one session made the check red for good, by the totals of a program, of which none is in doubt: its time rose
 * by more than sessions that were recorded ever strayed, or it launches or copies a tenth more. No further session
 * changes that, whatever it finds of single kernels. */
static bool is_settled(const struct check *check)
{
    bool settled = false;
    EACH(const struct judgement, judgement, check->comparison.list, check->comparison.count) {
        if (row_kind(judgement->kernel) == ROW_KERNEL || !judgement->metric)
            continue;
        if (judgement_is_suspect(judgement) && judgement->verdict == VERDICT_UNSURE)
            return false;
        settled |= judgement->verdict == VERDICT_REGRESSED && judgement->run_sessions == 1 &&
                   (judgement->metric->class == METRIC_TIME ||
                    fabs(judgement->change) > RULE_SAME_CODE * fabs(judgement->base));
    }
    return settled;
}

/* Lists the kernels that have such a row, each once. Caller frees the list. */
static char **find_suspects(const struct check *check, bool settled, size_t *count)
{
    const struct run *run = &check->run;
    OWNED_MEMORY bool *suspect = x_calloc(run->result_count, sizeof *suspect);
    EACH(const struct judgement, judgement, check->comparison.list, check->comparison.count) {
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
    return ids;
}

/* Whether a suspect row takes counters: times of a program are known by records. */
static bool takes_counters(const struct check *check)
{
    EACH(const struct judgement, judgement, check->comparison.list, check->comparison.count) {
        const struct result *result = run_find(&check->run, judgement->kernel);
        const bool recorded = result && judgement->metric && program_is_timed(check->request->metrics, result) &&
                              (judgement->metric->class == METRIC_TIME || is_metric_of_program(judgement->metric));
        if (judgement_is_suspect(judgement) && !recorded)
            return true;
    }
    return false;
}

/* Counts bank conflicts on demand. In a second session comparison is that of the first one; in the first it is NULL. */
static void count_conflicts(struct check *check, const struct comparison *comparison, struct run *run)
{
    if (check->measured == EXIT_SAME)
        check->measured =
            check_conflicts(&check->request->measurement, &check->baseline, comparison, run, &check->next);
}

/* Adds a second session to the run. */
static void add_session(struct check *check, struct run *again)
{
    check->is_confirmed = true;
    count_conflicts(check, &check->comparison, again);
    check_confirm_conflicts(&check->run, again, check->request->metrics);
    run_append(&check->run, again);
}

/* Adds a session of those kernels to the run, measured in a process of its own. */
static void measure_again(struct check *check, char *const *ids, size_t count)
{
    OWNED(run) again = {0};
    struct measurement measurement = check->request->measurement;
    OWNED_TEXT label = x_sprintf("measuring %zu kernel%s again, to confirm", count, plural(count));
    struct program program;
    if (measurement.program && !takes_counters(check)) {
        program = *measurement.program;
        program.seconds = 0;
        measurement.program = &program;
    }
    measurement.globs = ids;
    measurement.glob_count = count;
    measurement.label = label;
    measurement.like = &check->run;
    set_judge(check, &measurement);
    if (check->measured == EXIT_SAME)
        check->measured = measure_run(&measurement, &again);
    add_session(check, &again);
}

/* Measures the base build, where it stands in for the baseline of those kernels, until its rows have as many sessions
 * as moved rows need to fail; `had` are there already. */
static void confirm_base(struct check *check, char *const *ids, size_t count, size_t had)
{
    for (size_t s = had; s < rule_sessions_needed(METRIC_STEADY) && check->measured == EXIT_SAME; s++)
        check->measured = check_base_again(&check->request->measurement, check->request->against, ids, count,
                                           &check->run, &check->baseline);
}

/* Measures the suspect kernels once more. Where a base build stands in for their baseline, it is measured too. */
static void confirm(struct check *check, bool settled)
{
    size_t count;
    OWNED_MEMORY char **ids = find_suspects(check, settled, &count);
    if (count > 0 && !is_settled(check)) {
        measure_again(check, ids, count);
        confirm_base(check, ids, count, 1);
        compare(check);
    }
}

/* Returns the place of an id in a list; `count`: it is not there. */
static size_t place_of(char *const *ids, size_t count, const char *id)
{
    return FIRST(k, count, strcmp(ids[k], id) == 0);
}

/* Lists the kernels whose counts are in doubt, if they are those whose times want pairs: the first pairs then are their
 * further sessions. Else NULL. Caller frees the list. */
static char **find_confirmed_by_pairs(const struct check *check, size_t *count)
{
    char **ids = find_suspects(check, false, count);
    bool same =
        *count > 0 && check->request->against && !check->request->paired && !check->request->measurement.program;
    OWNED_MEMORY bool *wants = x_calloc(*count + 1, sizeof *wants);
    for (size_t i = 0; i < check->comparison.count; i++)
        if (judgement_wants_pairs(&check->comparison.list[i]))
            wants[place_of(ids, *count, check->comparison.list[i].kernel)] = true;
    for (size_t k = 0; k <= *count; k++)
        same &= wants[k] == (k < *count);
    if (same)
        return ids;
    free(ids);
    *count = 0;
    return NULL;
}

/* Measures pairs with the base build for times in doubt. The first ones confirm the counts of those kernels, unless ids
 * is NULL. */
static void settle(struct check *check, char *const *ids, size_t count)
{
    const struct check_request *request = check->request;
    struct pair_sessions sessions = {.wanted = ids ? 1 : 0};
    for (size_t i = 0; i < count && ids; i++)
        if (check_has_stand_in(&check->baseline, ids[i]))
            sessions.wanted = rule_sessions_needed(METRIC_STEADY) - 1;
    check->measured = paired_run(&check->request->measurement, request->against, &check->baseline,
                                 request->paired ? NULL : &check->comparison, &sessions, &check->run);
    if (sessions.count > 0)
        add_session(check, &sessions.head[0]);
    for (size_t i = 0; i < sessions.count; i++) {
        check_base_add(&sessions.base[i], &check->baseline);
        run_release(&sessions.base[i]);
        run_release(&sessions.head[i]);
    }
    if (ids)
        confirm_base(check, ids, count, 1 + sessions.count);
    compare(check);
}

/* Measures again until every verdict has enough sessions. */
static void measure_more(struct check *check)
{
    size_t count;
    OWNED_MEMORY char **ids = find_confirmed_by_pairs(check, &count);
    if (!ids)
        confirm(check, false);
    if (goes_on(check) && check->request->against)
        settle(check, ids, count);
    if (goes_on(check))
        confirm(check, true);
}

/* ---- How a run comes to be: fills check->run, finds its baseline. 0, or the exit code where nothing is said ---- */

static int measure(struct check *check)
{
    struct measurement measurement = check->request->measurement;
    const bool divides = check_reads_instrumented(&measurement);
    set_judge(check, &measurement);
    const double began = now_seconds();
    check->measured =
        divides ? check_known(&measurement, check->request->all ? NULL : check->request->baselines, &check->run)
                : measure_whole(&measurement, &check->run);
    check->took = now_seconds() - began;
    if (check->measured != EXIT_SAME && (check->run.result_count == 0 || measurement.program))
        return check->measured;
    const int code = find_baseline(check);
    if (divides && code == EXIT_SAME && check->measured == EXIT_SAME)
        check->measured = check_unknown(&measurement, &check->baseline, &check->run);
    return code;
}

static int compute(struct check *check)
{
    TRY_CODE(check_dry(check));
    TRY_CODE(find_baseline(check));
    if (check->request->unnamed && check->baseline.result_count > 0 &&
        !ANY(i, check->baseline.result_count, run_find(&check->run, check->baseline.results[i].id)))
        return FAIL(EXIT_USAGE, "%s has no kernel of %s, cugate's own library: name yours with --kernels LIB.so",
                    check->baseline_name, check->request->measurement.kernels);
    TRY_CODE(keep_chosen(check));
    check_computed(check);
    return EXIT_SAME;
}

static int replay(struct check *check)
{
    const char *path = check->request->replay;
    return gate_read(&check->run, &path, 1, check->request->metrics) < 0 || run_refuse_part(&check->run, path) < 0
               ? EXIT_USAGE
               : find_baseline(check);
}

/* Of machine code the baseline comes first: it says for which GPU the code is read, but with a base build. */
static int read_code(struct check *check)
{
    int code = (check->request->way == ORIGIN_FILES ? check_files : check_static)(
        check->request, &check->run, &check->baseline, &check->baseline_name);
    OWNED_TEXT folder = baseline_folder(check->request->baselines, &check->run.device);
    if (code == EXIT_SAME)
        code = read_known_regressions(check, folder);
    check->has_baseline = check->baseline.result_count > 0;
    check->baseline_is_base_build = check->has_baseline && check->request->against;
    run_apply_laws(&check->run, check->request->metrics, NULL);
    return code;
}

/* To add a way: its row, and what makes the run. */
struct way {
    int (*make)(struct check *check);
    bool runs;   /* kernels run for it, so that more of them may be: of a base build, and for source lines */
    bool varies; /* they may run again, until every verdict stands on what it needs */
};
static const struct way ways[ORIGINS] = {
    [ORIGIN_MEASURED] = {.make = measure, .runs = true, .varies = true},
    [ORIGIN_WARM] = {.make = measure, .runs = true, .varies = true},
    [ORIGIN_HOST] = {.make = measure, .runs = true, .varies = true},
    [ORIGIN_PROGRAM] = {.make = measure, .runs = true, .varies = true},
    [ORIGIN_COMPUTED_PROGRAM] = {.make = measure},
    [ORIGIN_COMPUTED] = {.make = compute, .runs = true},
    [ORIGIN_CODE] = {.make = read_code},
    [ORIGIN_FILES] = {.make = read_code},
};
static const struct way recorded = {.make = replay};

/* Returns how long source lines may be looked for. A program runs a second time for them, if it is short, and no third
 * time by itself. */
static double seconds_for_lines(const struct check *check)
{
    enum { LINES_SECONDS = 20, AGAIN_SECONDS = 60 };
    const struct check_request *request = check->request;
    if (request->explain >= 0)
        return request->explain;
    if (!request->measurement.program)
        return LINES_SECONDS;
    return check->is_confirmed || request->against || check->took > AGAIN_SECONDS ? 0 : check->took;
}

/* What was measured is in check->run either way. */
static int judge(struct check *check, const struct way *way)
{
    const struct check_request *request = check->request;
    TRY_CODE(way->make(check));
    TRY_CODE(keep_chosen(check));
    if (check->measured == EXIT_INTERRUPTED && check->run.result_count == 0)
        return EXIT_SAME;
    run_apply_laws(&check->baseline, request->metrics, check->baseline_name);
    if (request->asked)
        check->unasked = gate_keep_asked(&check->baseline, request->asked, request->metrics);
    if (way->runs && request->against && check->measured == EXIT_SAME)
        stand_in(check);
    if (way->varies)
        count_conflicts(check, NULL, &check->run);
    compare(check);
    if (way->varies && goes_on(check))
        measure_more(check);
    if (request->lines && check->measured == EXIT_SAME)
        check->measured = measure_profile(&request->measurement, &check->run, NULL, 0, PROVIDES_LINE_COUNTS);
    const double seconds = seconds_for_lines(check);
    if (way->runs && goes_on(check) && seconds > 0)
        check_explain(&request->measurement, &check->comparison, &check->baseline, request->against, seconds,
                      &check->run);
    return EXIT_SAME;
}

/* Ctrl-C between two measurements is kept for the next. */
static int judge_uninterrupted(struct check *check)
{
    const struct way *way = check->request->replay ? &recorded : &ways[check->request->way];
    struct interrupts interrupts;
    if (!way->runs)
        return judge(check, way);
    TRY_AS(EXIT_NOT_MEASURED, interrupts_open(&interrupts));
    const int code = judge(check, way);
    if (interrupts_close(&interrupts))
        check->measured = EXIT_INTERRUPTED;
    return code;
}

int check_judge(struct check *check, const struct check_request *request)
{
    *check = (struct check){.request = request};
    find_newer(check);
    const int code = judge_uninterrupted(check);
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
                          check->request->metrics, request->own_metrics, &check->known_regressions);
}

/* Whether a run can begin a baseline: of one that was computed, kernels that cannot be are no failure. */
static bool is_without_failure(const struct run *run)
{
    bool any = false, failed = false;
    EACH(const struct result, result, run->results, run->result_count) {
        any |= result->status == RESULT_OK;
        failed |= result->status != RESULT_OK && result->status != RESULT_NOT_BUILT && !result_is_not_computed(result);
    }
    return run_exit_code(run) != EXIT_NOT_MEASURED || (run_origin(run)->computed && any && !failed);
}

enum exit_code check_exit_code(const struct check *check)
{
    if (check->measured != EXIT_SAME)
        return (enum exit_code)check->measured;
    if (check->has_baseline) {
        const enum exit_code code = comparison_exit_code(&check->comparison);
        return code == EXIT_SAME && check->newer.count > 0 ? EXIT_UNSURE : code;
    }
    return is_without_failure(&check->run) ? EXIT_BASELINE : EXIT_NOT_MEASURED;
}

void check_release(struct check *check)
{
    free_texts(check->newer.list, check->newer.count);
    diagnosis_release(&check->diagnosis);
    comparison_release(&check->comparison);
    known_regressions_release(&check->known_regressions);
    run_release(&check->baseline);
    run_release(&check->next);
    run_release(&check->run);
    free(check->baseline_name);
    *check = (struct check){0};
}
