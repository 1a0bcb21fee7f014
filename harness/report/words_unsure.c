/* Answers the four questions of a reader whose report is unsure, in this order: what is not known, why, what settles it
 * here, and how to accept it. To add a situation: a row of `ways_out`; the first that applies counts. */
#include "report_groups.h"

/* The unsure row that is answered for, the first of its kernel; or NULL. */
struct asked {
    const struct report *report;
    const struct judgement *row;
};

/* Facts of such a row, as bits. */
enum {
    SIMULATED = 1u << 0,
    CODE_ONLY = 1u << 1,
    SUITE = 1u << 2,         /* it is of all kernels */
    NOT_COMPUTED = 1u << 3,  /* the kernel could not be simulated */
    OTHER_GPU = 1u << 4,     /* it failed on a GPU and was measured on another */
    WANTS_SESSION = 1u << 5, /* one session more decides */
    PAIRED = 1u << 6,        /* pairs were run, or a base build was named on a GPU */
    WORSE = 1u << 7,
    WITHIN = 1u << 8,       /* compared, and not worse */
    FEW_SESSIONS = 1u << 9, /* the baseline has too few for its class */
    PROGRAM = 1u << 10,     /* it is of a whole program */
    NO_BASE = 1u << 11,     /* only this run has a value */
    NO_VALUE = 1u << 12,    /* only the baseline has one */
    GONE = 1u << 13,        /* the run lacks the kernel */
    OF_PROGRAM = 1u << 14,  /* the kernel is of a program, which has no base build without a GPU */
};

static unsigned facts_of_row(const struct asked *asked)
{
    const struct judgement *row = asked->row;
    const struct origin *origin = run_origin(asked->report->run);
    const struct result *result = row->metric ? NULL : run_find(asked->report->run, row->kernel);
    return (origin->computed ? SIMULATED : 0u) | (origin->code_only ? CODE_ONLY : 0u) |
           (strcmp(row->kernel, COMPARISON_SUITE) == 0 ? SUITE : 0u) |
           (result && result_is_not_computed(result) ? NOT_COMPUTED : 0u) |
           (result && result->elsewhere ? OTHER_GPU : 0u) | (row->wants_session ? WANTS_SESSION : 0u) |
           (row->pairs > 0 || (asked->report->against && !origin->computed) ? PAIRED : 0u) |
           (row->compared && row->worse ? WORSE : 0u) | (row->compared && !row->worse ? WITHIN : 0u) |
           (row->compared && row->metric && row->base_sessions < rule_sessions_needed(row->metric->class) ? FEW_SESSIONS
                                                                                                          : 0u) |
           (row_kind(row->kernel) != ROW_KERNEL ? PROGRAM : 0u) | (row->has_now && !row->has_base ? NO_BASE : 0u) |
           (row->has_base && !row->has_now ? NO_VALUE : 0u) |
           (!row->metric && !run_find(asked->report->run, row->kernel) ? GONE : 0u) |
           (origin->own_caches ? OF_PROGRAM : 0u);
}

enum command {
    COMMAND_NONE,
    COMMAND_CHECK,    /* on a GPU */
    COMMAND_AGAIN,    /* by simulation */
    COMMAND_PAIRS,    /* on a GPU, with the base build in turn */
    COMMAND_BASE,     /* the same by simulation */
    COMMAND_SESSIONS, /* of the old code */
};

static const char all_that_is_gone[] = " --gone"; /* by `cugate accept` of the whole run */
static const char declared[] =
    "declare it in expected.ini: [KERNEL not_computed] with issue = ... and expires = YYYY-MM-DD";
static const char of_the_reason[] = "accept it with"; /* the reason of the row names the options */

static const struct way_out {
    const char *says; /* the reason of the row has these words; NULL: whatever it says */
    unsigned facts;   /* all of these hold */
    const char *settle;
    enum command command;
    const char *accept; /* NULL: by `cugate accept` */
} ways_out[] = {
    {"only a GPU counts it", SUITE, "measure on a GPU", COMMAND_CHECK, "remove the metric from --metrics"},
    {NULL, SUITE, "end other processes on the GPU, let its clock settle, then measure again", COMMAND_CHECK, NULL},
    {"deadlock: ", NOT_COMPUTED, "fix the wait at this line; if it is not a deadlock, measure on a GPU", COMMAND_CHECK,
     declared},
    {NULL, NOT_COMPUTED, "measure it on a GPU", COMMAND_CHECK, declared},
    {NULL, OTHER_GPU,
     "find out whether the kernel or that GPU is faulty: run the kernel on each GPU alone, with --device N",
     COMMAND_CHECK, "a failure cannot be accepted"},
    {"no metric file defines", 0, "add the folder that defines these metrics to the command: --metrics +DIR",
     COMMAND_NONE, "remove them from the kernel's file in the baseline"},
    {"this run measured ", 0, "measure again with the new definition", COMMAND_CHECK,
     "not with this run, which counted something else"},
    {"the baseline measured ", 0, "measure both builds with the new definition", COMMAND_PAIRS, NULL},
    {"this run covers ", 0, "run the command again with the baseline's options", COMMAND_NONE,
     "accept this run into a separate folder: --baselines DIR"},
    {"was renamed", GONE, "check whether the kernel was renamed", COMMAND_NONE, of_the_reason},
    {NULL, GONE | OF_PROGRAM, "check whether the program still does the work of this kernel", COMMAND_NONE,
     all_that_is_gone},
    {"the host code changed", 0, "check whether verify() still compares all of the output", COMMAND_NONE, NULL},
    {"its arguments or data differ", SIMULATED, "compute the base build, which has the same inputs", COMMAND_BASE,
     NULL},
    {"a computed base build", SIMULATED | OF_PROGRAM, "compute more runs of the old code, and accept them",
     COMMAND_SESSIONS, NULL},
    {"needed to show that it repeats", SIMULATED | OF_PROGRAM, "compute more runs of the old code, and accept them",
     COMMAND_SESSIONS, NULL},
    {NULL, WANTS_SESSION, "measure a second session, which `check` on a GPU does by itself", COMMAND_CHECK, NULL},
    {NULL, PAIRED, "run more pairs, with nothing else on the GPU", COMMAND_PAIRS, NULL},
    {"on a GPU", SIMULATED, "run this build and the old one in turn on a GPU", COMMAND_PAIRS, NULL},
    {"(--against)", SIMULATED, "run this build and the old one in turn on a GPU", COMMAND_PAIRS, NULL},
    {"a computed base build", SIMULATED, "compute a base build too, built with the same compiler", COMMAND_BASE, NULL},
    {"needed to show that it repeats", SIMULATED, "compute a base build too, on the same inputs", COMMAND_BASE, NULL},
    {NULL, WITHIN | PROGRAM, "check whether the program still does all of its work", COMMAND_NONE, all_that_is_gone},
    {NULL, NO_BASE, "check the new value yourself, because the baseline has none to compare it with", COMMAND_NONE,
     NULL},
    {NULL, NO_VALUE, "check whether the kernel still does this work", COMMAND_NONE, NULL},
    {NULL, CODE_ONLY, "build both sides with the same compiler, or measure on a GPU", COMMAND_CHECK, NULL},
    {NULL, WORSE, "run both builds in turn", COMMAND_PAIRS, NULL},
    {NULL, FEW_SESSIONS, "measure more sessions of the old code, and accept them to narrow the limit", COMMAND_SESSIONS,
     NULL},
    {NULL, WITHIN, "run both builds in turn, which needs no limit", COMMAND_PAIRS, NULL},
    {NULL, SIMULATED, "fix the cause, then compute it again", COMMAND_AGAIN, NULL},
    {NULL, 0, "fix the cause, then measure again", COMMAND_CHECK, NULL},
};

static const struct way_out *way_out_of(const struct asked *asked)
{
    const char *reason = asked->row->reason ? asked->row->reason : "";
    const unsigned facts = facts_of_row(asked);
    const struct way_out *way = ways_out;
    while ((way->facts & ~facts) || (way->says && !strstr(reason, way->says)))
        way++;
    return way;
}

/* Finds the first unsure row of a group. False: it has none. */
static bool ask_about(struct asked *asked, const struct group *group)
{
    asked->row = NULL;
    for (size_t r = 0; r < group->count && !asked->row; r++)
        if (group->rows[r]->verdict == VERDICT_UNSURE)
            asked->row = group->rows[r];
    return asked->row != NULL;
}

/* Returns " -k KERNEL" of each kernel with that way out; "" where these are all, or more than a few. Caller frees. */
static char *kernels_of(const struct report *report, const struct groups *groups, const struct way_out *way)
{
    enum { FEW = 4 };
    char *kernels = x_strdup("");
    size_t count = 0;
    for (size_t i = 0; i < groups->count; i++) {
        struct asked asked = {.report = report};
        if (!ask_about(&asked, &groups->list[i]) || way_out_of(&asked) != way)
            continue;
        const bool all = (facts_of_row(&asked) & (SUITE | PROGRAM)) || ++count > FEW;
        OWNED_TEXT word = shell_word(asked.row->kernel);
        char *more = all ? x_strdup("") : x_sprintf("%s -k %s", kernels, word);
        free(kernels);
        kernels = more;
        if (all)
            break;
    }
    return kernels;
}

/* Returns the command that settles those kernels, or NULL for none. Caller frees. */
static char *settle_command(const struct report *report, enum command command, const char *kernels)
{
    const struct origin *origin = run_origin(report->run);
    if (command == COMMAND_NONE || command == COMMAND_SESSIONS)
        return command == COMMAND_NONE ? NULL : words_command(report, origin->begin, NULL);
    const bool option = origin->asked && strncmp(origin->asked, "--collector", strlen("--collector")) == 0;
    OWNED_TEXT known = shell_word(report->against ? report->against : ""),
               *program = origin->own_caches
                              ? words_program_arguments(words_fact(report->run, SESSION_PROGRAM), report->run, NULL)
                              : NULL;
    const bool simulates = command == COMMAND_BASE || command == COMMAND_AGAIN;
    const char *base = command == COMMAND_CHECK || command == COMMAND_AGAIN ? NULL
                       : report->against                                    ? known
                       : program                                            ? "'BASE COMMAND'"
                                                                            : "BASE.so";
    return x_sprintf("cugate check%s%s%s%s%s%s%s%s%s%s", option ? " " : "", option ? origin->asked : "",
                     simulates ? " --simulate" : "", simulates && report->gpu ? report->gpu : "",
                     base ? " --against " : "", base ? base : "", kernels, report->said ? report->said : "",
                     program ? " " : "", program ? program : "");
}

/* Answers for a kernel library that is older than its sources: no row is in doubt, but all are of old code. */
static void answer_stale(const struct report *report, struct answer answers[ANSWERS])
{
    const char *because = "the kernel library is older than its sources";
    for (size_t i = 0; i < report->comparison->note_count; i++)
        if (strncmp(report->comparison->notes[i], "STALE: ", strlen("STALE: ")) == 0)
            because = report->comparison->notes[i] + strlen("STALE: ");
    answers[ANSWER_WHAT].words = x_strdup("whether the library was built from the current sources");
    answers[ANSWER_WHY].words = x_strdup(because);
    answers[ANSWER_SETTLE].words = x_strdup("build the library, then run the same command again");
    answers[ANSWER_ACCEPT].words = x_strdup("judge the old library anyway: add --stale to the command");
}

void words_unsure(const struct report *report, struct answer answers[ANSWERS])
{
    static const char *const titles[ANSWERS] = {"not known", "because", "to settle", "to accept"};
    OWNED(groups) groups = groups_make(report);
    struct asked asked = {.report = report};
    for (size_t i = 0; i < ANSWERS; i++)
        answers[i] = (struct answer){.title = titles[i]};
    for (size_t i = 0; i < groups.count && !asked.row; i++)
        (void)ask_about(&asked, &groups.list[i]);
    if (!asked.row) {
        answer_stale(report, answers);
        return;
    }
    const struct way_out *way = way_out_of(&asked);
    OWNED_TEXT kernels = kernels_of(report, &groups, way);
    const size_t more = report->comparison->counts[VERDICT_UNSURE] - 1;
    struct cells cells;
    words_cells(asked.row, &cells);
    OWNED_TEXT others = more > 0 ? x_sprintf(" (and %zu more row%s)", more, plural(more)) : x_strdup("");
    answers[ANSWER_WHAT].words = x_sprintf(
        "%s%s%s%s%s%s", facts_of_row(&asked) & SUITE ? "all kernels" : asked.row->kernel, asked.row->metric ? ": " : "",
        asked.row->metric ? asked.row->metric->name : "", *cells.change ? " " : "", cells.change, others);
    char *why = words_why(asked.row);
    answers[ANSWER_WHY].words = why ? why : x_strdup("no reason is known");
    EACH(const struct judgement, row, report->comparison->list, report->comparison->count) {
        const struct asked other = {report, row}; /* what that does not settle */
        if (row->verdict != VERDICT_UNSURE || !row->reason || way_out_of(&other) == way)
            continue;
        x_append(&answers[ANSWER_WHY].words, "; ", "another cause, of %s: %s", row->kernel, row->reason);
        break;
    }
    char *command = answers[ANSWER_SETTLE].command = settle_command(report, way->command, kernels);
    const bool builds = command && strstr(command, " --against BASE.so");
    answers[ANSWER_SETTLE].words =
        x_sprintf("%s%s", way->settle, builds ? "; build the old one into BASE.so first" : "");
    const char *named = way->accept == of_the_reason ? strstr(asked.row->reason, of_the_reason) : NULL,
               *options = named ? named + strlen(of_the_reason) : way->accept;
    const bool types = !way->accept || way->accept == all_that_is_gone || named;
    answers[ANSWER_ACCEPT].words =
        types ? x_sprintf("if it is intended%s", words_run_file(report)) : x_strdup(way->accept);
    if (types)
        answers[ANSWER_ACCEPT].command = words_accept_with(report, options ? options : *kernels ? kernels : " -k '*'");
}

void words_unsure_free(struct answer answers[ANSWERS])
{
    for (size_t i = 0; i < ANSWERS; i++) {
        free(answers[i].words);
        free(answers[i].command);
    }
}
