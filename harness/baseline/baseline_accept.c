/* Accepting has three steps, each in a file of its own. It gathers the new rows from the runs, merges them into the
 * kernels' files in memory, and writes. This file has the checks between them. */

#include "baseline_files.h"

#include <unistd.h>

/* Refuses a session that two runs contain, because it would count twice. */
static int check_sessions(const struct candidate *candidates, size_t count)
{
    struct session *all = NULL; /* the list is owned, its elements are borrowed */
    OWNED_MEMORY size_t *candidate_of = NULL;
    size_t sessions = 0, places = 0;
    int result = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < candidates[i].run->session_count; k++) {
            *ARRAY_GROW(all, sessions) = candidates[i].run->sessions[k];
            *ARRAY_GROW(candidate_of, places) = i;
        }
    OWNED_MEMORY size_t *first = first_of_equals(all, sessions, sizeof *all, by_session_and_reason);
    for (size_t i = 0; i < sessions && result == 0; i++)
        if (candidate_of[first[i]] != candidate_of[i])
            result = FAIL(EXIT_USAGE, "%s and %s are the same session (%s), which may count only once: remove one",
                          candidates[candidate_of[first[i]]].name, candidates[candidate_of[i]].name,
                          all[i].facts[SESSION_DATE] ? all[i].facts[SESSION_DATE] : "no date");
    free(all);
    return result;
}

static const char *part_of(const struct run *run)
{
    const char *part = run_fact(run, SESSION_PART);
    return part ? part : "all";
}

static bool shares_kernel(const struct run *run, const struct run *other)
{
    return ANY(i, run->result_count, run_find(other, run->results[i].id));
}

/* Refuses runs that count different parts of one program. */
static int check_parts(const char *name, const struct run *run, const char *other_name, const struct run *other)
{
    if (strcmp(part_of(run), part_of(other)) == 0 || !shares_kernel(run, other))
        return 0;
    return FAIL(EXIT_BASELINE,
                "%s covers a different part of the program (%s) than %s (%s): remove the old baseline, or keep this "
                "one elsewhere with --baselines",
                name, part_of(run), other_name, part_of(other));
}

/* Refuses two runs whose rows cannot be in one baseline. */
static int check_pair(const char *name, const struct run *run, const char *other_name, const struct run *other)
{
    char difference[512];
    device_difference(&run->device, &other->device, difference, sizeof difference);
    if (*difference)
        return FAIL(EXIT_BASELINE, "%s and %s are from different devices: %s. Accept them separately", name, other_name,
                    difference);
    const char *second, *ignored, *collector = run_collector(run, &second), *first = run_collector(other, &ignored);
    if (second)
        return FAIL(EXIT_BASELINE, "%s has sessions of two collectors, %s and %s: their values are not comparable",
                    name, collector, second);
    if (strcmp(collector, first) != 0)
        return FAIL(EXIT_BASELINE, "%s was measured by the collector %s, but %s by %s: their values are not comparable",
                    name, collector, other_name, first);
    return check_parts(name, run, other_name, other);
}

static int check_candidates(const struct candidate *candidates, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct run *run = candidates[i].run, *first = candidates[0].run;
        if (!run->device.name)
            return FAIL(EXIT_USAGE, "%s does not name its GPU: measure again", candidates[i].name);
        TRY_CODE(check_pair(candidates[i].name, run, candidates[0].name, first));
        EACH(const struct metric_note, note, run->notes, run->note_count) {
            const struct metric_note *other = run_find_note(first, note->name);
            if (other && !note_is_equal(other, note))
                return FAIL(EXIT_BASELINE,
                            "%s defines %s as %s in %s, but %s as %s in %s: measure again with the same metric files",
                            candidates[i].name, note->name, note->counter, note->unit, candidates[0].name,
                            other->counter, other->unit);
        }
    }
    return check_sessions(candidates, count);
}

/* Checks the collector and the part of a program against the baseline. They are no part of a device's identity, but
 * values depend on them. */
static int check_old(const struct baseline_files *files, const struct run *run, const char *name)
{
    const char *second, *ours = run_collector(run, &second);
    for (size_t i = 0; i < files->count; i++) {
        const char *theirs = run_collector(&files->list[i].run, &second);
        if (second || strcmp(theirs, ours) != 0)
            return FAIL(EXIT_BASELINE,
                        "%s was measured by the collector %s, but %s by %s: remove the old baseline, or keep this one "
                        "elsewhere with --baselines",
                        name, ours, files->list[i].path, second && strcmp(theirs, ours) == 0 ? second : theirs);
        const int parts = check_parts(name, run, files->list[i].path, &files->list[i].run);
        if (parts != 0)
            return parts;
    }
    return 0;
}

static bool is_fresh(const struct run *fresh, const char *id, const char *metric)
{
    const struct result *result = run_find(fresh, id);
    return result && result_find(result, metric);
}

/* Refuses new rows if rows of the same metric with an old definition would remain. */
static int check_notes(const struct baseline_files *files, const struct run *fresh)
{
    for (size_t f = 0; f < files->count; f++) {
        const struct run *old = &files->list[f].run;
        for (size_t n = 0; n < old->note_count; n++) {
            const struct metric_note *note = run_find_note(fresh, old->notes[n].name);
            if (!note || note_is_equal(note, &old->notes[n]))
                continue;
            for (size_t i = 0; i < old->result_count; i++) {
                const char *id = old->results[i].id;
                if (!result_find(&old->results[i], note->name) || is_fresh(fresh, id, note->name))
                    continue;
                return FAIL(EXIT_BASELINE,
                            "%s is now defined as %s in %s, but in %s the %s of %s is still %s in %s: accept that row "
                            "too, or remove the kernel's file if the kernel is gone",
                            note->name, note->counter, note->unit, files->list[f].path, note->name, id,
                            old->notes[n].counter, old->notes[n].unit);
            }
        }
    }
    return 0;
}

static int by_path(const void *left, const void *right)
{
    return strcmp((*(const struct kernel_file *const *)left)->path, (*(const struct kernel_file *const *)right)->path);
}

/* Refuses two kernels whose ids give the same path. id_path distinguishes them by a hash, but hashes can collide. */
static int check_paths(const struct baseline_files *files)
{
    OWNED_MEMORY const struct kernel_file **sorted = x_calloc(files->count, sizeof *sorted);
    int result = 0;
    for (size_t i = 0; i < files->count; i++)
        sorted[i] = &files->list[i];
    SORT(sorted, files->count, by_path);
    for (size_t i = 1; i < files->count && result == 0; i++)
        if (by_path(&sorted[i - 1], &sorted[i]) == 0)
            result = error("%s and %s would both be kept in %s: rename one of them", sorted[i - 1]->id, sorted[i]->id,
                           sorted[i]->path);
    return result;
}

/* Gives the file of a kernel to another name. Returns where it was; the caller frees it. */
static char *rename_file(struct baseline_files *files, const char *was, const char *id)
{
    struct kernel_file *file = baseline_files_find(files, was);
    char *old_path = x_strdup(file->path);
    free(file->run.results[0].id);
    file->run.results[0].id = x_strdup(id);
    baseline_files_rename(files, file, id);
    return old_path;
}

/* Gives the files of kernels whose launch changed to those that the run has. Lists where they were. */
static int follow_launches(struct baseline_files *files, const struct merging *merging, const struct run *fresh,
                           char ***old_paths, size_t *old_count)
{
    const struct run *run = merging->candidates[0].run;
    OWNED(run) baseline = {0};
    if (files->count == 0)
        return 0;
    TRY_CODE(baseline_read(&baseline, merging->acceptance->baselines, &run->device));
    run_follow_launches(&baseline, run, merging->acceptance->metrics);
    EACH(const struct result, base, baseline.results, baseline.result_count)
        if (base->former_id && run_find(fresh, base->id) && !run_find(fresh, base->former_id))
            *ARRAY_GROW(*old_paths, *old_count) = rename_file(files, base->former_id, base->id);
    return 0;
}

/* Gives the file of the old name to the one chosen kernel. *old_path is where it was; the caller frees it. */
static int rename_kernel(struct baseline_files *files, const struct acceptance *acceptance,
                         const struct candidate *candidates, size_t count, const struct run *fresh, char **old_path)
{
    const char *was = acceptance->was, *id = fresh->results[0].id;
    if (acceptance->glob_count != 1 || fresh->result_count != 1)
        return error("--was %s needs exactly one -k, which names the kernel's new name", was);
    for (size_t i = 0; i < count; i++)
        if (run_find(candidates[i].run, was))
            return error("%s contains %s, so that kernel was not renamed: accept %s without --was", candidates[i].name,
                         was, id);
    if (!baseline_files_find(files, was))
        return error("there is no baseline of %s in %s: pass the former name of %s to --was, or remove --was", was,
                     files->folder, id);
    if (baseline_files_find(files, id))
        return error("%s has a baseline of its own: accept it without --was, or remove its file first", id);
    *old_path = rename_file(files, was, id);
    return 0;
}

/* Whether each run that knows the kernel's program saw all its launches, and none of them was of the kernel. */
static bool is_gone(const struct merging *merging, const char *kernel)
{
    return ALL(i, merging->count,
               program_of(merging->candidates[i].run, kernel) && !run_find(merging->candidates[i].run, kernel));
}

/* Lists the files of such kernels, which the caller frees. -1 after error() when no run is of a program as a whole. */
static int find_gone(const struct merging *merging, const struct baseline_files *files, char ***paths, size_t *count)
{
    bool any = false;
    for (size_t i = 0; i < merging->count; i++)
        for (size_t r = 0; r < merging->candidates[i].run->result_count; r++)
            any |= row_kind(merging->candidates[i].run->results[r].id) != ROW_KERNEL;
    if (!any)
        return error(
            "--gone needs runs of a whole program: measure with `cugate run --save run.json -- PROGRAM`, without -k");
    for (size_t f = 0; f < files->count; f++)
        if (is_gone(merging, files->list[f].id))
            *ARRAY_GROW(*paths, *count) = x_strdup(files->list[f].path);
    return 0;
}

bool accepted_is_worse(const struct accepted_move *move)
{
    return move->left || move->finding == FOUND_WORSE || move->finding == FOUND_MIXED;
}

/* Puts worse rows and rows left unchanged first; both parts stay sorted by name. */
static void sort_moves(struct accepted *accepted)
{
    struct accepted_move *sorted = x_calloc(accepted->move_count, sizeof *sorted);
    size_t count = 0;
    for (int first = 1; first >= 0; first--)
        for (size_t i = 0; i < accepted->move_count; i++)
            if (accepted_is_worse(&accepted->moves[i]) == first)
                sorted[count++] = accepted->moves[i];
    free(accepted->moves);
    accepted->moves = sorted;
}

static void merge(const struct baseline_files *files, struct run *fresh, struct merging *merging)
{
    EACH(struct result, result, fresh->results, fresh->result_count)
        baseline_merge(merging, baseline_files_find(files, result->id), result);
    merging->accepted->sessions = merging->session_count;
    sort_moves(merging->accepted);
}

/* Warns about declared regressions in rows that were replaced or are new, since these rows pass now. Rows that only
 * gained sessions are not meant. */
static void warn_expected(const struct known_regressions *regressions, const struct baseline_files *files,
                          const struct run *fresh)
{
    EACH(const struct known_regression, known, regressions->list, regressions->count) {
        const struct result *result = run_find(fresh, known->kernel);
        const struct row *row = result ? result_find(result, known->metric) : NULL;
        if (!row || row->state != VALUE_MEASURED)
            continue;
        const struct run *merged = &baseline_files_find(files, known->kernel)->run;
        const struct row *now = result_find(run_find(merged, known->kernel), known->metric);
        if (now->session_count <= row->session_count)
            warning("%s:%d declares a regression that the baseline now includes: remove the section [%s %s], or the "
                    "next check fails with unexpected-pass",
                    known->file, known->line, known->kernel, known->metric);
    }
}

static void put_option(FILE *stream, const char *option, const char *value)
{
    OWNED_TEXT word = shell_word(value);
    fprintf(stream, " %s%s", option, word);
}

static bool is_regressed(const struct comparison *comparison, const char *kernel)
{
    return ANY(k, comparison->count,
               comparison->list[k].verdict == VERDICT_REGRESSED && strcmp(comparison->list[k].kernel, kernel) == 0);
}

/* Puts an option for each kernel of fresh that one of the comparisons finds regressed; returns how many there are. */
static size_t put_worse(const struct comparison *comparisons, size_t count, const struct run *fresh, FILE *stream)
{
    size_t worse = 0;
    for (size_t i = 0; i < fresh->result_count; i++)
        for (size_t k = 0; k < count; k++)
            if (is_regressed(&comparisons[k], fresh->results[i].id)) {
                put_option(stream, "-k ", fresh->results[i].id);
                worse++;
                break;
            }
    return worse;
}

/* Refuses to replace what a check finds worse: of all candidates' sessions together, and of each file alone, since one
 * slow session among many moves no mean. */
static int refuse_worse(const struct merging *merging, const struct run *fresh,
                        const struct known_regressions *regressions)
{
    const struct acceptance *acceptance = merging->acceptance;
    const size_t count = merging->count > 1 ? merging->count + 1 : 1;
    OWNED(run) baseline = {0};
    struct run run = *fresh; /* whose values are of all candidates' sessions */
    OWNED_MEMORY struct comparison *comparisons = x_calloc(count, sizeof *comparisons);
    OWNED_TEXT words = NULL;
    size_t size;
    run.device = merging->candidates[0].run->device;
    run.sessions = NULL;
    run.session_count = 0;
    TRY_CODE(baseline_read(&baseline, acceptance->baselines, &run.device));
    run_follow_launches(&baseline, merging->candidates[0].run, acceptance->metrics);
    for (size_t i = 0; i < merging->session_count; i++)
        *ARRAY_GROW(run.sessions, run.session_count) = *merging->sessions[i];
    for (size_t i = 0; i < count; i++)
        compare_runs(&comparisons[i], &baseline, i == 0 ? &run : merging->candidates[i - 1].run, acceptance->metrics,
                     regressions);
    FILE *stream = x_memstream(&words, &size);
    for (size_t i = 0; i < merging->count; i++)
        put_option(stream, "", acceptance->names[i]);
    put_option(stream, "--baselines ", acceptance->baselines);
    fputs(acceptance->gone ? " --gone" : "", stream);
    const size_t worse = put_worse(comparisons, count, fresh, stream);
    fclose(stream);
    if (worse > 0)
        error(
            "%zu kernel%s got worse, and nothing was accepted. If intended, name %s: cugate accept%s --reason \"...\"",
            worse, plural(worse), plural_of(worse, "it", "them"), words);
    free(run.sessions);
    for (size_t i = 0; i < count; i++)
        comparison_release(&comparisons[i]);
    return worse > 0 ? EXIT_USAGE : 0;
}

/* Orders runs by date, so that the oldest sessions of a row come first. Runs without a date come before all others, in
 * the given order. */
static int by_date(const void *a, const void *b)
{
    const struct candidate *left = a, *right = b;
    const int order =
        order_of_texts(left->run->sessions[0].facts[SESSION_DATE], right->run->sessions[0].facts[SESSION_DATE]);
    return order != 0 ? order : (left->run > right->run) - (left->run < right->run);
}

static struct candidate *sort_runs(const struct acceptance *acceptance, const struct run *runs, size_t count)
{
    struct candidate *candidates = x_calloc(count, sizeof *candidates);
    for (size_t i = 0; i < count; i++)
        candidates[i] = (struct candidate){&runs[i], acceptance->names[i]};
    SORT(candidates, count, by_date);
    return candidates;
}

static int accept_rows(struct merging *merging, struct baseline_files *files, struct run *fresh)
{
    const struct acceptance *acceptance = merging->acceptance;
    const struct candidate *first = merging->candidates;
    OWNED(known_regressions) regressions = {0};
    char **old_paths = NULL, *old_path = NULL;
    size_t old_count = 0;
    int result = known_regressions_read(&regressions, files->folder) < 0 ? EXIT_USAGE : 0;
    if (result == 0 && acceptance->was && rename_kernel(files, acceptance, first, merging->count, fresh, &old_path) < 0)
        result = EXIT_USAGE;
    if (old_path)
        *ARRAY_GROW(old_paths, old_count) = old_path;
    else if (result == 0)
        result = follow_launches(files, merging, fresh, &old_paths, &old_count);
    const size_t renamed = old_count;
    if (result == 0 && acceptance->gone && find_gone(merging, files, &old_paths, &old_count) < 0)
        result = EXIT_USAGE;
    if (result == 0)
        result = check_old(files, first->run, first->name);
    if (result == 0)
        result = check_notes(files, fresh);
    if (result == 0 && files->count > 0 && acceptance->glob_count == 0 && acceptance->metric_glob_count == 0)
        result = refuse_worse(merging, fresh, &regressions);
    if (result == 0) {
        baseline_files_add(files, fresh, &first->run->device);
        result = check_paths(files) < 0 ? EXIT_USAGE : 0;
    }
    if (result == 0) {
        merge(files, fresh, merging);
        merging->accepted->gone = old_count - renamed;
        if (baseline_write(files, old_paths, old_count) < 0)
            result = EXIT_USAGE;
        else
            warn_expected(&regressions, files, fresh);
    }
    free_texts(old_paths, old_count);
    return result;
}

/* Whether there are files and none is of a computed run. */
static bool was_measured(const struct baseline_files *files)
{
    for (size_t i = 0; i < files->count; i++)
        if (run_origin(&files->list[i].run)->computed)
            return false;
    return files->count > 0;
}

static int refuse_computed(const struct merging *merging, const struct baseline_files *files)
{
    return FAIL(
        EXIT_BASELINE,
        "%s was computed, but the baseline in %s was measured: accept a measured run (cugate run --save RUN.json)",
        merging->candidates[0].name, files->folder);
}

/* Does the second and third step; the folder must be locked. */
static int accept_fresh(struct merging *merging, struct run *fresh)
{
    const struct run *first = merging->candidates[0].run;
    OWNED(baseline_files) files = {0};
    TRY_CODE(baseline_files_read(&files, merging->acceptance->baselines, &first->device));
    return run_origin(first)->computed && was_measured(&files) ? refuse_computed(merging, &files)
                                                               : accept_rows(merging, &files, fresh);
}

int baseline_accept(const struct acceptance *acceptance, const struct run *runs, size_t count,
                    struct accepted *accepted)
{
    OWNED(run) fresh = {0};
    *accepted = (struct accepted){0};
    int lock = -1;
    OWNED_MEMORY struct candidate *candidates = sort_runs(acceptance, runs, count);
    struct merging merging = {
        .acceptance = acceptance, .candidates = candidates, .count = count, .fresh = &fresh, .accepted = accepted};
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < candidates[i].run->session_count; k++)
            *ARRAY_GROW(merging.sessions, merging.session_count) = &candidates[i].run->sessions[k];
    int result = check_candidates(candidates, count);
    if (result == 0)
        result = baseline_refuse_odd(acceptance, candidates, count);
    if (result == 0)
        result = baseline_gather(&fresh, acceptance, candidates, count);
    if (result == 0 && (lock = baseline_lock(acceptance->baselines)) < 0)
        result = EXIT_USAGE;
    if (result == 0)
        result = accept_fresh(&merging, &fresh);
    if (result != 0)
        accepted_release(accepted);
    if (lock >= 0)
        close(lock);
    free(merging.sessions);
    return result;
}

void accepted_release(struct accepted *accepted)
{
    for (size_t i = 0; i < accepted->move_count; i++) {
        free(accepted->moves[i].kernel);
        free(accepted->moves[i].metric);
    }
    free(accepted->moves);
    *accepted = (struct accepted){0};
}
