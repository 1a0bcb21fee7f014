#include "baseline/baseline.h"

#include "command.h"

struct own_options {
    const char *was; /* former name of the accepted kernel */
    bool gone;       /* remove what a program launches no more */
};

#define REASON_LIMIT 1000 /* limit of the reason in bytes; it is stored in every file */
#define MOVES_SHOWN 10    /* rows that are neither worse nor left out are printed up to this number */

static const char *const finding_words[] = {
    [FOUND_SAME] = "changed",  [FOUND_BETTER] = "better",        [FOUND_WORSE] = "worse",
    [FOUND_MIXED] = "divided", [FOUND_NONREPEATING] = "inexact",
};

/* Returns the value, or the word for the state of a row without one. */
static const char *value_text(const struct metric *metric, enum value_state state, double value, char *text,
                              size_t size)
{
    if (state == VALUE_MEASURED && metric)
        return metric_format(metric, value, text, size);
    if (state == VALUE_MEASURED)
        snprintf(text, size, "%.9g", value);
    return state == VALUE_MEASURED ? text : value_state_name(state);
}

static void print_move(const struct metrics *metrics, const struct accepted_move *move)
{
    char was[64], now[64];
    const struct metric *metric = metrics_find(metrics, move->metric);
    const char *left = value_text(metric, move->was_state, move->was, was, sizeof was);
    const char *right = value_text(metric, move->now_state, move->now, now, sizeof now);
    if (strcmp(left, right) == 0) { /* the printed digits of the two values are equal */
        left = value_text(NULL, move->was_state, move->was, was, sizeof was);
        right = value_text(NULL, move->now_state, move->now, now, sizeof now);
    }
    char share[48] = "", *left_out = NULL;
    if (move->was_state == VALUE_MEASURED && move->now_state == VALUE_MEASURED && move->was > 0)
        snprintf(share, sizeof share, " (%+.3g %%)", 100 * (move->now / move->was - 1));
    if (move->left)
        left_out = x_sprintf("; left out, but -k %s -m %s accepts it anyway", move->kernel, move->metric);
    print_wrapped(11, "  %-7s  %s %s: %s -> %s%s%s", finding_words[move->finding], move->kernel, move->metric, left,
                  right, share, left_out ? left_out : "");
    free(left_out);
}

/* Returns "55 new, 2 replaced; 1 drift reference moved". Caller frees. */
static char *counts_words(const struct accepted *accepted)
{
    static const char *const words[ACCEPTED_STEPS] = {
        [ACCEPTED_ADDED] = "agree with the baseline and were added",
        [ACCEPTED_NOISE] = "changed with unchanged code and were added",
        [ACCEPTED_REPLACED] = "replaced",
        [ACCEPTED_INFO] = "only shown (info)",
        [ACCEPTED_FIRST] = "new",
        [ACCEPTED_KNOWN] = "already there",
        [ACCEPTED_LEFT] = "changed more than noise although their code did not, so were left out",
    };
    char *list = NULL;
    for (size_t i = 0; i < ACCEPTED_STEPS; i++)
        if (accepted->counts[i] > 0)
            x_append(&list, ", ", "%s%zu %s", list ? "" : ": ", accepted->counts[i], words[i]);
    if (accepted->gone > 0)
        x_append(&list, "", "; removed %zu kernel%s that %s gone", accepted->gone, plural(accepted->gone),
                 plural_of(accepted->gone, "is", "are"));
    if (accepted->drift_references > 0)
        x_append(&list, "", "; %zu drift reference%s moved", accepted->drift_references,
                 plural(accepted->drift_references));
    return list ? list : x_strdup("");
}

static void print_accepted(const struct options *options, const struct metrics *metrics,
                           const struct accepted *accepted, const struct device *device)
{
    OWNED_TEXT folder = baseline_folder(options->baselines, device), *counts = counts_words(accepted);
    print_wrapped(2, "accepted %zu row%s of %zu kernel%s from %zu session%s into %s%s", accepted->rows,
                  plural(accepted->rows), accepted->kernels, plural(accepted->kernels), accepted->sessions,
                  plural(accepted->sessions), folder, counts);

    size_t shown = 0;
    while (shown < accepted->move_count && (shown < MOVES_SHOWN || accepted_is_worse(&accepted->moves[shown])))
        print_move(metrics, &accepted->moves[shown++]);
    if (shown < accepted->move_count)
        print_wrapped(2, "  and %zu more that changed, none of them for the worse", accepted->move_count - shown);

    const size_t needed = rule_sessions_needed(METRIC_TIME);
    if (accepted->time_sessions > 0 && accepted->time_sessions < needed)
        print_wrapped(2,
                      "times have wider limits until the baseline has %zu session%s, and it now has %zu: accept more "
                      "run files, each from a separate `cugate run`",
                      needed, plural(needed), accepted->time_sessions);
}

/* Warns of a file of the baseline that git would not add: a program's name in .gitignore names its folder too. */
static void warn_of_ignored(const char *folder, const struct run *run)
{
    char rule[512] = "";
    pid_t git;
    OWNED_TEXT path = id_path(run->results[0].id), *file = x_sprintf("%s.json", path);
    const char *const words[] = {"git", "-C", folder, "check-ignore", "-v", "--", file, NULL};
    struct process_start start = {.words = words, .input = PROCESS_NOTHING, .errors = PROCESS_NOTHING};
    FILE *said = process_start_reading(&start, &git);
    if (!said)
        return;
    if (fgets(rule, sizeof rule, said))
        warning("git ignores %s/%s because of %.*s, so other checkouts, such as CI's, will not have it: write /NAME "
                "there to ignore only the program",
                folder, file, (int)strcspn(rule, "\t\n"), rule);
    fclose(said);
    (void)process_wait(git);
}

static int accept_runs(const struct options *options, const struct metrics *metrics, const struct run *runs,
                       size_t count)
{
    OWNED(accepted) accepted = {0};
    struct acceptance acceptance = {
        .baselines = options->baselines,
        .metrics = metrics,
        .globs = options->globs,
        .glob_count = options->glob_count,
        .metric_globs = options->metric_globs,
        .metric_glob_count = options->metric_glob_count,
        .reason = options->reason,
        .was = OWN(options)->was,
        .gone = OWN(options)->gone,
        .drift_reference = options->drift_reference,
        .names = options->arguments,
    };
    int result = baseline_accept(&acceptance, runs, count, &accepted);
    OWNED_TEXT folder = baseline_folder(options->baselines, &runs[0].device);
    if (result == 0 && runs[0].result_count > 0)
        warn_of_ignored(folder, &runs[0]);
    if (result == 0 && !options->quiet)
        print_accepted(options, metrics, &accepted, &runs[0].device);
    return result;
}

static int check_reason(const char *reason)
{
    if (!reason || reason[strspn(reason, " \t\n")] == '\0')
        return error("accept needs --reason TEXT, which says why this is the new baseline and is stored with it");
    if (strlen(reason) > REASON_LIMIT)
        return error("--reason has %zu bytes, but at most %d are allowed, because every file stores it", strlen(reason),
                     REASON_LIMIT);
    for (const char *rest = reason; *rest;) {
        const char *begin = rest;
        const unsigned character = text_next(&rest);
        const size_t place = (size_t)(begin - reason) + 1;
        if (character == 0xfffd && rest == begin + 1)
            return error("--reason is not UTF-8: its byte %zu is 0x%02x", place, (unsigned char)*begin);
        if (text_is_control(character))
            return error("--reason has the control character U+%04X at byte %zu: write one line of text", character,
                         place);
    }
    return 0;
}

static int cmd_accept(const struct options *options)
{
    TRY_AS(EXIT_USAGE, check_reason(options->reason));
    size_t count = options->argument_count;
    if (count == 0)
        return FAIL(EXIT_USAGE, "accept needs a run file: measure with `cugate run --save run.json`");
    OWNED(metrics) metrics = {0};
    TRY_AS(EXIT_USAGE, options_read_metrics(options, &metrics));
    int result = 0;
    OWNED_MEMORY struct run *runs = x_calloc(count, sizeof *runs);
    TRY_AS(EXIT_USAGE, gate_read(runs, (const char *const *)options->arguments, count, &metrics));
    for (size_t i = 0; i < count && result == 0; i++)
        if (run_refuse_part(&runs[i], options->arguments[i]) < 0)
            result = EXIT_USAGE;
    if (result == 0)
        result = accept_runs(options, &metrics, runs, count);
    for (size_t i = 0; i < count; i++)
        run_release(&runs[i]);
    return result;
}

/* clang-format off */
static const struct option_row *const takes[] = {
    &option_k,
    OPTION(.name = "m", .letter = 'm', .argument = "METRIC", .kind = KIND_LIST, .place = PLACE(metric_globs),
           .doc = "only metrics that match this name or glob; repeatable"),
    OPTION(.name = "anchor", .kind = KIND_FLAG, .place = PLACE(drift_reference),
           .doc = "make these values the drift reference, as after a release"),
    OPTION(.name = "was", .argument = "KERNEL", .kind = KIND_TEXT, .place = OWN_PLACE(was),
           .doc = "former name of the kernel that -k names: keeps its baseline"),
    OPTION(.name = "gone", .kind = KIND_FLAG, .place = OWN_PLACE(gone),
           .doc = "remove kernels that the program no longer launches"),
    &option_baselines,
    OPTION(.name = "reason", .argument = "TEXT", .kind = KIND_TEXT, .place = PLACE(reason),
           .doc = "why these values are right; stored in the baseline"),
    &option_metrics, NULL,
};

const struct command command_accept = {
    OWN_DEFAULTS(0),
    .name = "accept",
    .arguments = "RUN.json...",
    .summary = "make an intended change the new baseline: a run, or some of its numbers",
    .details = "Writes the chosen numbers into the baseline for the runs' GPU model, with the reason, and nothing else.\n"
               "A number that agrees with the baseline adds its sessions to it. More sessions make limits tighter, so "
               "accept good runs from time to time. A changed number replaces the old one, which git keeps.\n"
               "If the machine code and the exact counts of the kernel are unchanged, a change is noise. Up to 5 % or "
               "the limit it is added as a session. Beyond that it is left out, with a message; -m accepts it anyway.\n"
               "A red run needs -k, to name the kernels that may get worse.\n"
               "To drop a kernel, remove its file from the baseline; --gone removes a program's kernels that no run "
               "has. After renaming a kernel, -k NEW --was OLD keeps its sessions.",
    .exits = EXITS({EXIT_SAME, "the baseline was written"},
                   {EXIT_USAGE, "unknown option, or a file that cannot be read or written; the baseline is unchanged"},
                   {EXIT_BASELINE, "the runs do not match each other or the baseline, which is unchanged"},
                   {EXIT_NOT_MEASURED, "nothing was measured that could be accepted; the baseline is unchanged"}),
    .example = "cugate accept run.json -k transpose/padded -m time --reason \"two more words of padding\"",
    .takes = takes,
    .minimum = 1, .maximum = -1, .run = cmd_accept,
};
/* clang-format on */
