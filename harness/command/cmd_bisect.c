/* Which commit made a kernel worse: git chooses commits (bisection.h), each is built, and its value is taken for that
 * of the end of the range which it is nearer to. */
#include "gate/gate.h"
#include "measure/measure.h"

#include "bisection.h"
#include "command.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define OWN_LIBRARY "build/libkernels.so" /* of cugate's own tree */

/* A commit of cugate's own has CUDA from build/cuda where there is no toolkit, as in ci/build_base.sh: what is there is
 * not fetched for each worktree anew. To other makefiles CUDA_READY is a variable that they do not know. */
#define BUILD_COMMAND                                                                                                  \
    "if [ -e ci/install_cuda_wheels.sh ] && [ -d \"$CUGATE_TOP/build/cuda\" ]; then mkdir -p build && "                \
    "ln -sfn \"$CUGATE_TOP/build/cuda\" build/cuda; fi; exec make '%s' CUDA_READY="

/* A commit that was tried. */
struct trial {
    char *commit;
    bool has_value;
    double value;
};

struct bisecting {
    const struct options *options;
    struct metrics metrics;
    const struct metric *metric; /* NULL until it is known what got worse */
    struct measurement measurement;
    bool computes;
    struct interrupts interrupts;
    struct bisection bisection;
    char *library; /* below the top of the repository */
    char *path;    /* of it in the worktree */
    char *build;   /* command */
    char *good, *bad;
    struct run good_run, bad_run;
    double good_value, bad_value;
    struct trial *trials;
    size_t trial_count;
};

/* ---- What is asked ---- */

/* Without "." and "..", lexically. NULL when it leaves the top. Caller frees. */
static char *normal_path(const char *path)
{
    char *copy = x_strdup(path), *normal = x_strdup(""), *rest = NULL;
    for (char *word = strtok_r(copy, "/", &rest); word && normal; word = strtok_r(NULL, "/", &rest)) {
        char *slash = strrchr(normal, '/');
        if (strcmp(word, ".") == 0)
            continue;
        if (strcmp(word, "..") != 0) {
            char *longer = x_sprintf("%s%s%s", normal, *normal ? "/" : "", word);
            free(normal);
            normal = longer;
        } else if (*normal) {
            *(slash ? slash : normal) = '\0';
        } else {
            free(normal);
            normal = NULL;
        }
    }
    free(copy);
    return normal;
}

/* Where a build puts the library: what --kernels names, as it is in any checkout. */
static int find_library(struct bisecting *work)
{
    const struct options *options = work->options;
    const char *top = work->bisection.top, *named = options->kernels;
    if (named == options->found[0])
        named = OWN_LIBRARY;
    const size_t length = strlen(top);
    char *path = NULL;
    if (*named != '/')
        path = x_sprintf("%s/%s", named == options->kernels ? work->bisection.prefix : "", named);
    else if (strncmp(named, top, length) == 0 && named[length] == '/')
        path = x_strdup(named + length);
    work->library = path ? normal_path(path) : NULL;
    free(path);
    if (!work->library || strpbrk(work->library, "'\n"))
        return error("--kernels %s is not below %s: name the library where a build of this checkout puts it", named,
                     top);
    work->path = x_sprintf("%s/%s", work->bisection.tree, work->library);
    work->build = options->build ? x_strdup(options->build) : x_sprintf(BUILD_COMMAND, work->library);
    return 0;
}

static int find_metric(struct bisecting *work)
{
    const struct options *options = work->options;
    if (options->glob_count != 1)
        return error("name the kernel that got worse: -k KERNEL, one");
    if (options->metric_glob_count > 1)
        return error("commits are told apart by one metric: name one with -m");
    if (options->simulate && options->measure)
        return error("--simulate computes and --measure does not: leave one of them out");
    work->computes = !options->measure;
    if (options->metric_glob_count == 0)
        return 0;
    const char *name = options->metric_globs[0];
    work->metric = metrics_find(&work->metrics, name);
    if (!work->metric)
        return error("there is no metric '%s'; `cugate list --metrics` names them", name);
    if (work->metric->class == METRIC_INFO)
        return error("%s is shown and never judged, so no commit makes it worse: name another metric", name);
    if (options->simulate && !exact_provides(work->metric))
        return error("%s cannot be computed, only measured: leave --simulate out", name);
    work->computes = work->computes && exact_provides(work->metric);
    return 0;
}

static int prepare(struct bisecting *work)
{
    const struct options *options = work->options;
    struct options how = *options;
    char *description = NULL;
    if (metrics_read_directory(&work->metrics, options->metrics) < 0 || find_metric(work) < 0)
        return -1;
    how.simulate = work->computes;
    if (work->computes && !how.description)
        how.description = description = options_find_gpu(options);
    if (work->computes && !how.description)
        return -1;
    const int result = options_measurement(&work->measurement, &how, &work->metrics);
    if (result == 0)
        work->measurement.gpu = x_strdup(how.description);
    free(description);
    return result;
}

/* ---- One commit ---- */

/* Builds and measures what is in the worktree. 0, or -1 with the reason in *why; so is an interrupt. */
static int run_commit(struct bisecting *work, struct run *run, struct problem *why)
{
    *run = (struct run){0};
    if (bisection_build(&work->bisection, work->build, work->library, why) < 0)
        return -1;
    struct measurement measurement = work->measurement;
    measurement.kernels = work->path;
    measurement.skip_unmatched = true;
    const int code = measure_whole(&measurement, run);
    if (code == EXIT_SAME && work->metric && metric_is_on_demand(work->metric)) {
        measure_profile(&measurement, run, NULL, 0, PROVIDES_LINE_COUNTS);
        computed_add_excess(run, &work->metrics);
    }
    if (code == EXIT_INTERRUPTED)
        work->bisection.interrupted = true;
    if (code != EXIT_SAME)
        return problem_set(why, "not measured: %s", exit_code_name((enum exit_code)code));
    run_apply_laws(run, &work->metrics, "the run");
    if (run->result_count == 0)
        return problem_set(why, "it has no kernel %s", work->options->globs[0]);
    if (run->result_count > 1)
        return problem_set(why, "-k %s matches %zu kernels: name one", work->options->globs[0], run->result_count);
    const struct result *result = &run->results[0];
    if (result->status != RESULT_OK)
        return problem_set(why, "%s: %s", result_status_name(result->status), result->reason);
    return 0;
}

/* The number of the metric. -1 with the reason in *why where there is none that can be compared with the good one's. */
static int value_of(const struct bisecting *work, const struct run *run, double *value, struct problem *why)
{
    const struct metric *metric = work->metric;
    const struct result *now = &run->results[0], *good = &work->good_run.results[0];
    const struct row *row = result_find(now, metric->name);
    char words[256] = "";
    if (!row || row->state != VALUE_MEASURED)
        return problem_set(why, "%s: %s", metric->name, row ? value_state_name(row->state) : "not measured");
    if (metric->clock &&
        !rule_precondition(result_find(now, metric->clock), result_find(good, metric->clock), words, sizeof words))
        return problem_set(why, "%s", words);
    *value = row_value(row);
    return 0;
}

/* ---- The ends ---- */

static int run_end(struct bisecting *work, const char *word, const char *commit, struct run *run)
{
    struct problem why;
    if (bisection_checkout(&work->bisection, commit) < 0)
        return EXIT_USAGE;
    if (run_commit(work, run, &why) == 0)
        return EXIT_SAME;
    if (work->bisection.interrupted)
        return EXIT_INTERRUPTED;
    error("nothing can be compared: %s (%.12s): %s", word, commit, why.text);
    return EXIT_NOT_MEASURED;
}

/* The row that got worse most, of the metric that was asked for. */
static const struct judgement *find_worse(const struct comparison *comparison, const struct metric *metric)
{
    for (size_t i = 0; i < comparison->count; i++) {
        const struct judgement *judgement = &comparison->list[i];
        if (judgement->metric && judgement->compared && judgement->worse && judgement->metric->class != METRIC_INFO &&
            (!metric || judgement->metric == metric))
            return judgement;
    }
    return NULL;
}

/* There is nothing to look for, or nobody can say so. */
static int say_no_worse(const struct bisecting *work, const struct comparison *comparison)
{
    const char *id = work->bad_run.results[0].id;
    bool judged = false;
    for (size_t i = 0; i < comparison->count; i++) {
        const struct judgement *judgement = &comparison->list[i];
        if (!judgement->metric || (work->metric && judgement->metric != work->metric))
            continue;
        if (judgement->verdict == VERDICT_UNSURE || judgement->verdict == VERDICT_MISSING) {
            error("%s of %s cannot be compared: %s", judgement->metric->name, id,
                  judgement->reason ? judgement->reason : verdict_name(judgement->verdict));
            return EXIT_UNSURE;
        }
        judged = judged || judgement->compared;
    }
    if (!judged) {
        error("%s of %s has no number at both ends", work->metric ? work->metric->name : "nothing", id);
        return EXIT_NOT_MEASURED;
    }
    print_harmless("%s: %s is no worse at %.12s than at %.12s\n", id,
                   work->metric     ? work->metric->name
                   : work->computes ? "what can be computed"
                                    : "nothing",
                   work->bad, work->good);
    if (work->metric || !work->computes)
        return EXIT_SAME;
    print_harmless("times are measured, on a GPU: -m time\n");
    return EXIT_UNSURE;
}

static void add_trial(struct bisecting *work, const char *commit, const double *value)
{
    *ARRAY_GROW(work->trials, work->trial_count) =
        (struct trial){.commit = x_strdup(commit), .has_value = value != NULL, .value = value ? *value : 0};
}

/* "16,384 -> 24,576 (+50.0 %)" */
static void print_change(const struct metric *metric, double from, double to)
{
    char before[64], after[64], share[64] = "";
    if (from != 0) /* NOLINT(clang-diagnostic-float-equal): of nothing there is no share */
        snprintf(share, sizeof share, " (%+.1f %%)", (to - from) / fabs(from) * 100);
    print_harmless("  %s: %s -> %s%s\n", metric->name, metric_format(metric, from, before, sizeof before),
                   metric_format(metric, to, after, sizeof after), share);
}

/* 0 when BAD is worse, and by what is known. */
static int judge_ends(struct bisecting *work, long count)
{
    struct comparison comparison;
    struct problem why;
    int code = run_end(work, "GOOD", work->good, &work->good_run);
    if (code == EXIT_SAME)
        code = run_end(work, "BAD", work->bad, &work->bad_run);
    if (code != EXIT_SAME)
        return code;
    if (gate_comparable(&work->bad_run, &work->good_run) < 0)
        return EXIT_BASELINE;
    compare_runs(&comparison, &work->good_run, &work->bad_run, &work->metrics, NULL);
    const struct judgement *worse = find_worse(&comparison, work->metric);
    if (!worse) {
        code = say_no_worse(work, &comparison);
    } else {
        work->metric = worse->metric;
        if (value_of(work, &work->good_run, &work->good_value, &why) < 0 ||
            value_of(work, &work->bad_run, &work->bad_value, &why) < 0) {
            error("%s", why.text);
            code = EXIT_NOT_MEASURED;
        }
    }
    comparison_release(&comparison);
    if (code != EXIT_SAME || !worse)
        return code;
    add_trial(work, work->good, &work->good_value);
    add_trial(work, work->bad, &work->bad_value);
    print_harmless("%s, %s, %ld commits from %.12s on to %.12s\n", work->bad_run.results[0].id,
                   work->computes ? "computed" : "measured", count, work->good, work->bad);
    print_change(work->metric, work->good_value, work->bad_value);
    return EXIT_REGRESSED;
}

/* ---- Between them ---- */

/* Tries what is in the worktree; what git is to be told, or NULL after an interrupt. */
static const char *try_commit(struct bisecting *work, const char *commit)
{
    struct run run;
    struct problem why;
    double value = 0;
    char words[64] = "";
    const char *verdict = "skip";
    const bool has_value = run_commit(work, &run, &why) == 0 && value_of(work, &run, &value, &why) == 0;
    run_release(&run);
    if (work->bisection.interrupted)
        return NULL;
    if (has_value) {
        verdict = fabs(value - work->bad_value) < fabs(value - work->good_value) ? "bad" : "good";
        metric_format(work->metric, value, words, sizeof words);
    }
    add_trial(work, commit, has_value ? &value : NULL);
    char *subject = bisection_subject(&work->bisection, commit);
    print_harmless("  %.12s  %-4s  %12s  %s\n", commit, verdict, words, subject ? subject : "");
    if (!has_value)
        print_harmless("                left out: %s\n", why.text);
    free(subject);
    return verdict;
}

static const struct trial *find_trial(const struct bisecting *work, const char *commit)
{
    for (size_t i = 0; commit && i < work->trial_count; i++)
        if (strcmp(work->trials[i].commit, commit) == 0 && work->trials[i].has_value)
            return &work->trials[i];
    return NULL;
}

static void print_found(struct bisecting *work, const char *commit)
{
    char *subject = bisection_subject(&work->bisection, commit), *parent = bisection_parent(&work->bisection, commit);
    const struct trial *now = find_trial(work, commit), *before = find_trial(work, parent);
    print_harmless("\nfirst bad commit: %.12s %s\n", commit, subject ? subject : "");
    if (now && before)
        print_change(work->metric, before->value, now->value);
    else if (now)
        print_change(work->metric, work->good_value, now->value);
    if (now && before && fabs(now->value - before->value) < fabs(work->bad_value - work->good_value))
        print_harmless("  that is not all of it: another commit of the range has the rest\n");
    free(subject);
    free(parent);
}

static int print_end(struct bisecting *work)
{
    bool sure;
    char **found = bisection_found(&work->bisection, &sure);
    if (sure)
        print_found(work, found[0]);
    else
        print_harmless("\nonly commits are left that could not be built or measured; the first bad one is among\n");
    for (size_t i = 0; found[i]; i++) {
        char *subject = sure ? NULL : bisection_subject(&work->bisection, found[i]);
        if (!sure)
            print_harmless("  %.12s  %s\n", found[i], subject ? subject : "");
        free(subject);
        free(found[i]);
    }
    free(found);
    return sure ? EXIT_REGRESSED : EXIT_UNSURE;
}

static int bisect(struct bisecting *work)
{
    char *next;
    int result = bisection_begin(&work->bisection, work->good, work->bad, &next);
    while (result == 0 && next) {
        const char *verdict = try_commit(work, next);
        free(next);
        next = NULL;
        fflush(stdout); /* a commit may take minutes */
        result = verdict ? bisection_go_on(&work->bisection, verdict, &next) : -1;
    }
    if (result < 0)
        return work->bisection.interrupted ? EXIT_INTERRUPTED : EXIT_USAGE;
    return print_end(work);
}

static int find_commits(struct bisecting *work, long *count)
{
    char *good = NULL, *bad = NULL;
    int result = -1;
    if (bisection_split(work->options->arguments[0], &good, &bad) == 0 &&
        (work->good = bisection_commit(&work->bisection, good)) &&
        (work->bad = bisection_commit(&work->bisection, bad)))
        *count = result = (int)bisection_count(&work->bisection, work->good, work->bad);
    if (result == 0)
        result = error("%s has no commit: both are %.12s", work->options->arguments[0], work->bad);
    free(good);
    free(bad);
    return result;
}

static int cmd_bisect(const struct options *options)
{
    struct bisecting work = {.options = options};
    long count = 0;
    int code = EXIT_USAGE;
    if (interrupts_open(&work.interrupts) < 0)
        return EXIT_NOT_MEASURED;
    if (prepare(&work) == 0 && bisection_open(&work.bisection, &work.interrupts) == 0 &&
        find_commits(&work, &count) > 0 && find_library(&work) == 0) {
        code = judge_ends(&work, count);
        if (code == EXIT_REGRESSED)
            code = bisect(&work);
    }
    bisection_close(&work.bisection);
    const bool interrupted = interrupts_close(&work.interrupts) || work.bisection.interrupted;
    for (size_t i = 0; i < work.trial_count; i++)
        free(work.trials[i].commit);
    free(work.trials);
    run_release(&work.good_run);
    run_release(&work.bad_run);
    free((char *)work.measurement.gpu);
    free(work.library);
    free(work.path);
    free(work.build);
    free(work.good);
    free(work.bad);
    metrics_release(&work.metrics);
    return interrupted ? EXIT_INTERRUPTED : code;
}

/* clang-format off */
static const struct option_row *const takes[] = {
    &option_k,
    OPTION(.name = "m", .letter = 'm', .argument = "METRIC", .kind = KIND_LIST, .place = PLACE(metric_globs),
           .doc = "the metric that got worse (default: the one that is worse most of what can be computed)"),
    OPTION(.name = "build", .argument = "COMMAND", .kind = KIND_TEXT, .place = PLACE(build),
           .doc = "what builds a commit, for the shell, at its top (default: make the library that --kernels names)"),
    &option_kernels, &option_metrics, &option_simulate,
    OPTION(.name = "measure", .kind = KIND_FLAG, .place = PLACE(measure),
           .doc = "measure on a GPU also what can be computed"),
    &option_device, &option_samples, &option_timeout, NULL,
};

const struct command command_bisect = {
    .name = "bisect",
    .arguments = "GOOD..BAD",
    .summary = "which commit made a kernel worse",
    .details = "Builds and compares commits between two revisions of this repository, those that `git bisect` chooses, in\n"
               "a worktree of its own in a temporary folder: nothing of this checkout is touched, and what is not\n"
               "committed is not looked at. A commit is bad when its value is nearer to that of BAD than to that of\n"
               "GOOD. What can be computed from machine code is, as by --simulate; a time, and with --measure\n"
               "everything, is measured on a GPU. A commit that cannot be built or measured is left out.\n"
               "--kernels is where a build puts the library in this checkout; it is looked for at the same place of\n"
               "the worktree. The build's environment has CUGATE_TOP, the top of this checkout. Files that .gitignore\n"
               "names stay from one build to the next.\n"
               "Exit code 1 is the first bad commit, found; 0 that BAD is no worse than GOOD; 3 that only commits are\n"
               "left which could not be judged, or that nothing worse can be computed; 5 that GOOD or BAD cannot be\n"
               "built or measured.",
    .example = "cugate bisect v1.0..HEAD -k transpose/padded --kernels build/libmine.so --build 'make -j8'",
    .takes = takes,
    .minimum = 1, .maximum = 1, .run = cmd_bisect,
};
/* clang-format on */
