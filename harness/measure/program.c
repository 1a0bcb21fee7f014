#include "program.h"

#include "program_parts.h"

/* ---- The runs ---- */

/* Seconds that further runs for counters may take in all, unless they are asked for: so many of any program; where
 * there is no baseline, whose totals decide, as long as the first run, but at most so many. */
enum { AGAIN_ALWAYS = 3, AGAIN_MOST = 60 };

struct measuring {
    const struct measurement *measurement;
    struct program_groups groups;
    struct program_setting setting;
    struct run *run;
    size_t sets, done;
    size_t *set_of; /* as in struct program_run */
    double took;    /* seconds of the first run */
    char **images;
    size_t image_count;
    int status;
    bool interrupted, timed_out;
    bool broken_off; /* a process did not tell how often it launched each kernel */
    bool failed;     /* a process was not measured */
};

/* Joins the runs of the program. The first one's facts are kept; of the others only the rows are taken. */
static void join(struct measuring *measuring, struct program_run *part)
{
    struct run *run = measuring->run;
    if (!part->further) {
        measuring->sets = measuring->measurement->profile ? 1 : part->sets;
        measuring->set_of = part->set_of;
        part->set_of = NULL;
        if (program_is_simulated(measuring->measurement))
            program_divide(part->groups, measuring->measurement->metrics, &part->part);
        *run = part->part;
        part->part = (struct run){0};
        measuring->images = part->images;
        measuring->image_count = part->image_count;
        part->images = NULL;
        part->image_count = 0;
        return;
    }
    for (size_t i = 0; i < part->part.result_count; i++)
        program_complete_rows(run_add(run, part->part.results[i].id), &part->part.results[i]);
}

static const char *const unwatched_reasons[UNWATCHED_REASONS] = {
    [UNWATCHED_SHAPES] = "there were too many shapes; choose kernels with -k",
    [UNWATCHED_GRAPH] = "their CUDA graph was modified, so the kernels in it are unknown",
    [UNWATCHED_WAIT] = "each started while a launch of another thread, which may wait for it, was still running",
    [UNWATCHED_CALL] = "they used a deprecated driver function, or one for several GPUs",
};

size_t program_unwatched(const struct program_run *part)
{
    size_t sum = 0;
    for (size_t i = 0; i < UNWATCHED_REASONS; i++)
        sum += part->unwatched[i];
    return sum;
}

/* Warns, once for each run, of what may be missing. */
static void say_losses(const struct program_run *part)
{
    if (part->failure && program_is_simulated(part->measurement) && part->status != 0)
        error("%s; the program exited with code %d", part->failure, part->status);
    else if (part->failure && program_is_simulated(part->measurement))
        error("%s", part->failure);
    else if (part->failure)
        warning("a process of the program could not be measured: %s", part->failure);
    if (part->broken_off > 0)
        warning("%zu of %zu process%s of the program exited without cleanup (_exit or a signal): last launches unknown",
                part->broken_off, part->processes, plural_of(part->processes, "", "es"));
    if (part->lost > 0)
        warning("the counts of %zu launch%s were lost: %s", part->lost, plural_of(part->lost, "", "es"),
                part->trouble ? part->trouble : "unknown reason");
    for (size_t i = 0; i < UNWATCHED_REASONS; i++)
        if (part->unwatched[i] > 0)
            warning("%zu %s not watched: %s", part->unwatched[i],
                    plural_of(part->unwatched[i], "launch was", "launches were"), unwatched_reasons[i]);
}

/* Returns an exit code, after error(), if the run is of no use. */
static int judge_run(struct measuring *measuring, const struct program_run *part)
{
    const struct program *program = measuring->measurement->program;
    const char *what = program->shell ? program->shell : program->arguments[0];
    if (!part->further)
        measuring->status = part->status;
    measuring->interrupted |= part->interrupted;
    measuring->timed_out |= part->timed_out;
    /* Unwatched launches may be of kernels that nothing else tells of. */
    measuring->failed |= part->failure || program_unwatched(part) > 0;
    measuring->broken_off |= part->broken_off > 0 || part->failure;
    /* A fault is told when it happens, but not by a process that closed the link. */
    measuring->failed |= part->broken_off > 0 && program_is_simulated(part->measurement);
    if (part->interrupted) {
        remark("%s was stopped by a signal, so its counts are incomplete; they will not be judged", what);
        return EXIT_INTERRUPTED;
    }
    say_losses(part);
    if (part->timed_out) {
        measuring->status = 0; /* the program did not end by itself, so its own exit code is not known */
        const bool polls = program_is_simulated(measuring->measurement); /* perhaps */
        return FAIL(EXIT_NOT_MEASURED, "%s did not finish within %g s; raise the limit with --timeout%s", what,
                    measuring->measurement->program->timeout,
                    polls ? ". A copy to pinned memory arrives once the host waits: poll cudaStreamQuery, not it" : "");
    }
    if (part->processes == 0 && program_is_simulated(measuring->measurement))
        return FAIL(EXIT_NOT_MEASURED,
                    "%s did not load the simulated CUDA runtime or driver, so there is nothing to count: link the "
                    "program with nvcc -cudart shared, in CMake with CUDA_RUNTIME_LIBRARY Shared",
                    what);
    if (part->processes == 0) {
        char ended[64] = "did not use a GPU";
        if (part->status != 0)
            snprintf(ended, sizeof ended, "exited with code %d before it used a GPU", part->status);
        return FAIL(
            EXIT_NOT_MEASURED,
            "%s %s, so there is nothing to measure: %s, or it runs as another user (setuid) or in its own container",
            what, ended, part->status != 0 ? "fix it" : "none of its processes loaded the CUDA driver");
    }
    if (part->further && part->status != measuring->status)
        return FAIL(EXIT_NOT_MEASURED,
                    "%s exited with code %d in the first run, but with %d in run %zu: they must be equal", what,
                    measuring->status, part->status, measuring->done + 1);
    if (!part->further && part->part.session_count == 0 && !part->failure)
        return FAIL(EXIT_NOT_MEASURED, "%s used a GPU but launched nothing on it, so there is nothing to %s", what,
                    program_is_simulated(measuring->measurement) ? "count" : "measure");
    if (part->status != 0 && !measuring->measurement->program->speaks)
        return FAIL(EXIT_NOT_MEASURED, "%s exited with code %d, so it is not judged", what, part->status);
    return EXIT_SAME;
}

/* Runs the program once: the first time for all sets of metrics, then for one that some kernels lack. */
static int run_once(struct measuring *measuring, size_t set, bool further)
{
    struct program_run part = {
        .measurement = measuring->measurement,
        .groups = &measuring->groups,
        .setting = &measuring->setting,
        .set = set,
        .further = further,
        .silent = further || measuring->measurement->profile,
    };
    int code = program_run(&part) < 0 ? EXIT_USAGE : EXIT_SAME;
    if (code == EXIT_SAME) {
        code = judge_run(measuring, &part);
        join(measuring, &part);
        program_groups_end_run(&measuring->groups, &part);
        program_times_fill(&measuring->groups, measuring->measurement, measuring->run);
        measuring->done++;
    }
    program_run_release(&part);
    return code;
}

/* Whether kernels of the first part of the program are measured in set 0 alone, unless they happen to be in others:
 * where nobody asks for kernels or for a number of runs. */
static bool spares_first_part(const struct measuring *measuring, size_t set)
{
    return set > 0 && measuring->measurement->program->runs == 0 && measuring->measurement->glob_count == 0 &&
           !measuring->broken_off;
}

/* Whether the group has no number of that set since that was not worth the time. */
static bool is_left_out(const struct measuring *measuring, const struct program_group *group, size_t set)
{
    const struct program *program = measuring->measurement->program;
    return (program->seconds != PROGRAM_COUNTS_ALL && !measuring->broken_off && program_group_missed(group, set)) ||
           (spares_first_part(measuring, set) && program_group_is_spared(&measuring->groups, group, program->first));
}

/* Adds the row of a metric that no run has counted. One that the chip lacks, or cannot count in one pass, was in no
 * set; of optional metrics that is to be expected. */
static void fill_row(const struct measuring *measuring, struct result *result, size_t m)
{
    const struct metric *metric = &measuring->measurement->metrics->list[m];
    const struct program_group *group = program_group_find(&measuring->groups, result->id);
    const bool in_set = measuring->set_of && measuring->set_of[m] > 0;
    const size_t set = in_set ? measuring->set_of[m] - 1 : 0;
    if (group && (group->known || (in_set && is_left_out(measuring, group, set))))
        return;
    const bool cold = in_set && group && group->graph; /* its first launch tells only some, and there may be no other */
    if (cold && measuring->measurement->program->seconds != PROGRAM_COUNTS_ALL)
        return;
    struct row *row = result_add(result, metric->name);
    row->state = cold || (metric->optional && !in_set) ? VALUE_NOT_SUPPORTED : VALUE_NOT_COUNTED;
    if (in_set && !cold)
        row->reason = x_strdup("the kernel was launched too rarely in the runs of the program");
}

/* Whether launches of the group are to have a number: some were due, or counted and were none that --skip leaves out.
 */
static bool expects_number(const struct measuring *measuring, const struct program_group *group)
{
    const bool counted = group->runs > 0 && group->shares[0].counts[0] > 0;
    return group->due > 0 || measuring->broken_off || (counted && measuring->measurement->program->skip == 0);
}

/* Whether CUPTI's records have the time of a group that no launch was counted of, which is enough: the baseline has its
 * counts, the program did not run again for them, or it ended and all such are less than 1 % of its GPU time. */
static bool is_only_timed(const struct measuring *measuring, const struct program_group *group, bool seldom)
{
    const bool ended = !measuring->interrupted && !measuring->timed_out && measuring->status < 128,
               left_out = is_left_out(measuring, group, 0);
    return program_group_time(group) > 0 &&
           (group->known || (group->due == 0 && left_out) ||
            (ended && measuring->measurement->program->skip == 0 && (left_out || seldom)));
}

/* Adds a kernel with its time by records alone. What lacks is not counted where all was to be, else left out. */
static void add_timed(const struct measuring *measuring, struct program_group *group)
{
    const bool all = measuring->measurement->program->seconds == PROGRAM_COUNTS_ALL;
    run_add(measuring->run, group->id);
    group->skipped |= !group->known && !all;
    group->known |= group->skipped;
}

/* Fails each kernel that was launched and has no number, so that none is missing in silence. That includes one that a
 * later run did not launch. */
static void fill_gaps(struct measuring *measuring)
{
    const struct metrics *metrics = measuring->measurement->metrics;
    struct run *run = measuring->run;
    const bool seldom = program_lack_is_seldom(&measuring->groups, run);
    size_t skipped = 0;
    for (size_t g = 0; g < measuring->groups.count; g++) {
        struct program_group *group = measuring->groups.list[g];
        if (group->one && group->times == 0)
            continue;
        skipped += group->wanted && group->times > 0 && group->due == 0 && measuring->measurement->program->skip > 0;
        if (group->wanted && !run_find(run, group->id) && is_only_timed(measuring, group, seldom))
            add_timed(measuring, group);
        const bool lacks = group->wanted && !run_find(run, group->id);
        if (lacks && expects_number(measuring, group) && !measuring->measurement->profile)
            result_fail(run_add(run, group->id), RESULT_FAILED,
                        group->holds > 0
                            ? "it waits for other kernels, so it is not measured, and CUPTI did not record its time"
                            : "it was launched, but never measured");
        else if (lacks && group->graph && measuring->measurement->profile)
            result_fail(run_add(run, group->id), RESULT_FAILED, "a graph launch has no counts by source line");
    }
    if (skipped > 0 && run->result_count > 0)
        warning("%zu kernel%s of the program %s not measured: --skip leaves out all launches of %s", skipped,
                plural(skipped), skipped == 1 ? "is" : "are", skipped == 1 ? "it" : "them");
    if (measuring->measurement->profile)
        return;
    for (size_t i = 0; i < run->result_count; i++)
        for (size_t m = 0; m < metrics->count && run->results[i].status == RESULT_OK; m++)
            if (computed_counter_of(&metrics->list[m]) == COMPUTED_NONE &&
                !result_find(&run->results[i], metrics->list[m].name))
                fill_row(measuring, &run->results[i], m);
}

/* Reports an error if nothing was measured. */
static int expect_results(const struct measuring *measuring)
{
    const struct program *program = measuring->measurement->program;
    if (measuring->run->result_count > 0 || measuring->failed)
        return EXIT_SAME;
    return FAIL(EXIT_NOT_MEASURED, "no launch of the program was measured: %s%s%s%s%s",
                program->part.nvtx_count > 0 ? "none was within an NVTX range that matches --nvtx" : "",
                program->part.nvtx_count > 0 && program->part.waits ? ", or " : "",
                program->part.waits ? "none was between cudaProfilerStart and cudaProfilerStop (--from-start off)" : "",
                !program_part_is_all(&program->part) && program->skip > 0 ? ", or " : "",
                program->skip > 0 ? "--skip leaves out all launches" : "");
}

static void describe(struct measuring *measuring)
{
    struct run *run = measuring->run;
    struct session *session = &run->sessions[0];
    session->facts[SESSION_COLLECTOR] = x_strdup(measuring->measurement->backend->name);
    session->facts[SESSION_PROGRAM] = program_command_text(measuring->measurement->program);
    if (!program_is_simulated(measuring->measurement))
        session->facts[SESSION_CACHES] = x_strdup("the program's own");
    session->facts[SESSION_PART] = program_part_text(&measuring->measurement->program->part);
    if (measuring->status != 0 && !measuring->interrupted)
        session->facts[SESSION_CUT] = x_sprintf("exit code %d", measuring->status);
    else
        session->facts[SESSION_CUT] = x_strdup(measuring->interrupted ? "a signal"
                                               : measuring->timed_out ? "--timeout"
                                                                      : NULL);
    measure_complete_session(session);
    run_note_metrics(run, measuring->measurement->metrics);
}

/* Returns the names of the set's metrics. Caller frees. */
static char *names_of_set(const struct measuring *measuring, size_t set)
{
    const struct metrics *metrics = measuring->measurement->metrics;
    char *names = NULL;
    FILE *stream = x_memstream(&names, NULL);
    for (size_t m = 0; m < metrics->count; m++)
        if (measuring->set_of[m] == set + 1)
            fprintf(stream, "%s%s", ftell(stream) > 0 ? ", " : "", metrics->list[m].name);
    fclose(stream);
    return names;
}

/* Whether what lacks the set is worth no other run of the program. Set 0 has the time, which every kernel needs. */
static bool is_too_seldom(const struct measuring *measuring, size_t set)
{
    return set > 0 && !measuring->broken_off && !program_lack_matters(&measuring->groups);
}

/* Returns how often the program may run. */
static size_t most_runs(const struct measuring *measuring)
{
    const struct program *program = measuring->measurement->program;
    const double took = fmax(measuring->took, 0.001);
    const double whole = measuring->groups.baseline || took > AGAIN_MOST ? 0 : took;
    const double budget = program->seconds < 0 ? fmax(whole, AGAIN_ALWAYS) : program->seconds;
    return program->runs > 0 ? (size_t)program->runs : measuring->broken_off ? SIZE_MAX : 1 + (size_t)(budget / took);
}

/* Notes which kernels lack counters since these were not worth the time, and says so where the gate does not. */
static void note_left_out(const struct measuring *measuring)
{
    const struct measurement *measurement = measuring->measurement;
    if (measurement->program->seconds == PROGRAM_COUNTS_ALL || measurement->profile ||
        program_is_simulated(measurement))
        return;
    char *text = program_left_out(&measuring->groups, measuring->run, measurement->metrics, measuring->set_of);
    if (text && !measurement->program->quiet && !measuring->groups.baseline)
        remark("some counters of %s were not read; --explain SECONDS allows more time for them, --runs 3 more runs",
               text);
    measuring->run->sessions[0].facts[SESSION_LEFT_OUT] = text;
}

/* Warns of what no other run is made for. */
static void say_lacks(const struct measuring *measuring, size_t set, size_t kernels)
{
    OWNED_TEXT names = names_of_set(measuring, set);
    warning("%zu kernel%s lack%s counts of %s, because %s launched too rarely for --runs %d; without --runs the "
            "program runs again for %s",
            kernels, plural(kernels), plural_of(kernels, "s", ""), names, plural_of(kernels, "it was", "they were"),
            measuring->measurement->program->runs, plural_of(kernels, "it", "them"));
}

static void release_images(struct measuring *measuring)
{
    free_texts(measuring->images, measuring->image_count);
    measuring->images = NULL;
    measuring->image_count = 0;
}

/* Has what no record tells the time of measured after all. Returns how many kernels these are. What the program itself
 * times, all its launches, is known by its records. */
static size_t measure_unrecorded(const struct measuring *measuring)
{
    const bool all_due = measuring->measurement->program->skip == 0 && !measuring->measurement->profile;
    size_t count = 0;
    for (size_t g = 0; g < measuring->groups.count; g++) {
        struct program_group *group = measuring->groups.list[g];
        const double took = group->runs > 0 ? group->shares[0].took[0] : 0;
        group->unrecorded = group->known && group->holds == 0 && isnan(took) && !group->one;
        group->known &= !isnan(took) || group->one;
        group->skipped = !group->known && all_due && group->due == 0 && took > 0 && !program_group_missed(group, 0);
        group->known |= group->skipped;
        count += group->unrecorded;
    }
    return count;
}

/* The first run, in which all sets are counted. Where nothing was, since the baseline knows all, and CUPTI's records do
 * not tell how long that took, the program runs again, and all is measured. */
static int run_first(struct measuring *measuring)
{
    const double began = now_seconds();
    int code = run_once(measuring, 0, false);
    measuring->took = now_seconds() - began;
    const size_t unrecorded = measure_unrecorded(measuring);
    if (code != EXIT_SAME || unrecorded == 0 || measuring->sets > 0 || measuring->measurement->program->runs == 1)
        return code;
    if (!measuring->measurement->program->quiet)
        remark("run 2 of the program: %zu kernel%s without a recorded time; measuring all of them", unrecorded,
               plural(unrecorded));
    release_images(measuring);
    run_release(measuring->run);
    program_groups_release(&measuring->groups);
    measuring->groups.measures_all = true;
    return run_once(measuring, 0, false);
}

/* Runs the program again without counting where it is not known how long all of it took: counting spoils the record of
 * a graph that is launched once. One that takes long runs again only if --runs says so. */
static int complete_times(struct measuring *measuring)
{
    const int runs = measuring->measurement->program->runs;
    const bool may = runs > 0 ? measuring->done < (size_t)runs : measuring->took <= AGAIN_MOST;
    const size_t untimed = program_is_simulated(measuring->measurement)
                               ? 0
                               : program_untimed(&measuring->groups, measuring->measurement->metrics);
    if (untimed == 0 || !may || measuring->sets == 0 || measuring->failed || measuring->broken_off ||
        measuring->status >= 128)
        return EXIT_SAME;
    for (size_t g = 0; g < measuring->groups.count; g++)
        measuring->groups.list[g]->complete = true;
    if (!measuring->measurement->program->quiet)
        remark("run %zu of the program: %zu kernel%s %s no recorded time", measuring->done + 1, untimed,
               plural(untimed), plural_of(untimed, "has", "have"));
    return run_once(measuring, 0, true);
}

/* Runs the program again for sets that some kernels lack. A program that was killed would be killed again. */
static int complete(struct measuring *measuring)
{
    const struct program *program = measuring->measurement->program;
    const size_t most = most_runs(measuring);
    int code = EXIT_SAME;
    for (size_t set = 0; set < measuring->sets && code == EXIT_SAME && measuring->status < 128; set++) {
        size_t kernels = program_lacks(&measuring->groups, measuring->run, measuring->measurement->metrics,
                                       measuring->set_of, set, program->enough, !measuring->broken_off);
        if (spares_first_part(measuring, set))
            kernels -= program_spare_first_part(&measuring->groups, program->first);
        if (kernels == 0 || (program->runs == 0 && is_too_seldom(measuring, set)))
            continue;
        if (measuring->done >= most) {
            if (program->seconds == PROGRAM_COUNTS_ALL)
                say_lacks(measuring, set, kernels);
            continue;
        }
        if (program->runs == 0)
            kernels -= program_drop_short(&measuring->groups);
        if (!program->quiet)
            remark("run %zu of the program: %zu kernel%s %s launched too rarely to count all %zu sets in one run",
                   measuring->done + 1, kernels, plural(kernels), plural_of(kernels, "was", "were"), measuring->sets);
        code = run_once(measuring, set, true);
    }
    return code == EXIT_SAME ? complete_times(measuring) : code;
}

static int measure_sets(struct measuring *measuring)
{
    const struct program *program = measuring->measurement->program;
    int code = run_first(measuring);
    if (code == EXIT_SAME && !measuring->measurement->profile)
        code = complete(measuring);
    /* The gate reports this itself, of the baseline's kernels too. */
    const struct measurement *measurement = measuring->measurement;
    if (code == EXIT_SAME && program->speaks &&
        program_groups_expect(&measuring->groups, measurement->globs, measurement->glob_count) < 0)
        code = EXIT_USAGE;
    if (measuring->run->session_count > 0) {
        program_shapes_forget(&measuring->groups, measuring->run);
        describe(measuring);
        program_times_correct(&measuring->groups, measuring->measurement->metrics, measuring->run);
        fill_gaps(measuring);
        program_groups_name(&measuring->groups, program->name, measuring->run);
        note_left_out(measuring);
        for (size_t i = 0; i < measuring->run->result_count; i++)
            result_demangle(&measuring->run->results[i]);
        program_groups_add_code(&measuring->groups, measuring->setting.folder, measuring->images,
                                measuring->image_count, measuring->measurement->metrics, measuring->run);
        if (!measuring->broken_off && !measuring->failed && !measuring->measurement->profile)
            program_total_add(&measuring->groups, measuring->measurement, measuring->run);
    }
    if (code == EXIT_SAME && program->speaks)
        code = expect_results(measuring);
    /* Without that process, what only it launches would be missing without a trace. */
    return code == EXIT_SAME && measuring->failed ? EXIT_NOT_MEASURED : code;
}

int program_measure(const struct measurement *measurement, struct run *run)
{
    struct measuring measuring = {
        .measurement = measurement, .run = run, .groups.keeps_shapes = program_is_simulated(measurement)};
    *run = (struct run){0};
    int code = program_setting_open(&measuring.setting, measurement,
                                    measurement->program->runs != 1 || measurement->program->repeats);
    if (code == EXIT_SAME) {
        code = measure_sets(&measuring);
        if (measurement->program->status)
            *measurement->program->status = measuring.status;
        if (measurement->program->repeats)
            program_input_rewind(&measuring.setting.input);
    }
    release_images(&measuring);
    free(measuring.set_of);
    program_groups_release(&measuring.groups);
    program_setting_close(&measuring.setting);
    return code;
}
