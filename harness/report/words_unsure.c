/* Answers the four questions of a reader whose report is unsure, in this order: what is not known, why, what settles it
 * here, and how to accept it. To add a situation: a row of `ways_out`; the first that applies counts. */
#include "report_groups.h"

#include <math.h>

/* The unsure row that is answered for, the first of its kernel; or NULL. */
struct asked {
    const struct report *report;
    const struct judgement *row;
    const struct result *result; /* of the kernel, or NULL */
};

static bool is_simulated(const struct asked *asked)
{
    return run_origin(asked->report->run)->computed;
}

static bool is_suite(const struct asked *asked)
{
    return strcmp(asked->row->kernel, COMPARISON_SUITE) == 0;
}

static bool is_not_computed(const struct asked *asked)
{
    return !asked->row->metric && asked->result && result_is_not_computed(asked->result);
}

static bool is_from_another_gpu(const struct asked *asked)
{
    return !asked->row->metric && asked->result && asked->result->elsewhere;
}

static bool wants_session(const struct asked *asked)
{
    return asked->row->wants_session;
}

static bool is_paired(const struct asked *asked)
{
    return asked->row->pairs > 0 || (asked->report->against && !is_simulated(asked));
}

static bool is_worse(const struct asked *asked)
{
    return asked->row->compared && asked->row->worse;
}

static bool has_few_sessions(const struct asked *asked)
{
    const struct judgement *row = asked->row;
    return row->compared && row->base_sessions < rule_sessions_needed(row->metric->class);
}

static bool is_work_gone(const struct asked *asked)
{
    return asked->row->compared && !asked->row->worse && is_program_row(asked->row->kernel);
}

static bool is_without_base(const struct asked *asked)
{
    return asked->row->has_now && !asked->row->has_base;
}

static bool is_without_value(const struct asked *asked)
{
    return asked->row->has_base && !asked->row->has_now;
}

static bool is_within_limit(const struct asked *asked)
{
    return asked->row->compared && !asked->row->worse;
}

static bool is_code(const struct asked *asked)
{
    return run_origin(asked->report->run)->code_only;
}

static bool is_any(const struct asked *asked)
{
    return asked->row != NULL;
}

enum command {
    COMMAND_NONE,
    COMMAND_CHECK,    /* on a GPU */
    COMMAND_PAIRS,    /* on a GPU, with the base build in turn */
    COMMAND_BASE,     /* the same by simulation */
    COMMAND_SESSIONS, /* of the old code */
};

static const struct way_out {
    const char *says; /* the reason of the row has these words; NULL: whatever it says */
    bool (*applies)(const struct asked *asked);
    const char *settle;
    enum command command;
    const char *accept; /* NULL: by `cugate accept` */
} ways_out[] = {
    {"only a GPU counts it", is_suite, "measure on a GPU", COMMAND_CHECK, "remove the metric from --metrics"},
    {NULL, is_suite, "end other processes on the GPU, let its clock settle, and measure again", COMMAND_CHECK, NULL},
    {NULL, is_not_computed, "measure it on a GPU", COMMAND_CHECK,
     "declare it as not_computed in expected.ini, with an issue and a date"},
    {NULL, is_from_another_gpu,
     "find out whether the kernel or that GPU is faulty: run it on each alone, by --device N", COMMAND_CHECK,
     "a failure cannot be accepted"},
    {"no metric file defines", is_any, "add the folder of these metrics, --metrics +DIR, to the command", COMMAND_NONE,
     "remove them from the kernel's file in the baseline"},
    {"this run measured it as", is_any, "measure again by the new definition", COMMAND_CHECK,
     "measure again first: this run counted something else"},
    {"the baseline measured it as", is_any, "measure both builds by the new definition", COMMAND_PAIRS, NULL},
    {"the run counts ", is_any, "run it again with the baseline's options", COMMAND_NONE,
     "keep this run in a folder of its own, by --baselines DIR"},
    {NULL, wants_session, "measure a second session, which `check` on a GPU does by itself", COMMAND_CHECK, NULL},
    {NULL, is_paired, "run more pairs, with nothing else on the GPU", COMMAND_PAIRS, NULL},
    {"on a GPU", is_simulated, "run both builds in turn on a GPU", COMMAND_PAIRS, NULL},
    {"(--against)", is_simulated, "run both builds in turn on a GPU", COMMAND_PAIRS, NULL},
    {"a computed base build", is_simulated, "compute the base build too, by the same compiler", COMMAND_BASE, NULL},
    {"needed to show that it repeats", is_simulated, "compute the base build too, on the same inputs", COMMAND_BASE,
     NULL},
    {NULL, is_work_gone, "find out whether the program still does all of its work", COMMAND_NONE, NULL},
    {NULL, is_without_base, "check the new value: the baseline has none to compare with", COMMAND_NONE, NULL},
    {NULL, is_without_value, "find out whether the kernel still does this work", COMMAND_NONE, NULL},
    {NULL, is_code, "build both sides by the same compiler, or measure on a GPU", COMMAND_CHECK, NULL},
    {NULL, is_worse, "run both builds in turn", COMMAND_PAIRS, NULL},
    {NULL, has_few_sessions, "measure more sessions of the old code and accept them, which narrows the limit",
     COMMAND_SESSIONS, NULL},
    {NULL, is_within_limit, "run both builds in turn, which needs no limit", COMMAND_PAIRS, NULL},
    {NULL, is_any, "fix the cause, then measure again", COMMAND_CHECK, NULL},
};

static const struct way_out *way_out_of(const struct asked *asked)
{
    const char *reason = asked->row->reason ? asked->row->reason : "";
    const struct way_out *way = ways_out;
    while (!way->applies(asked) || (way->says && !strstr(reason, way->says)))
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
    asked->result = run_find(asked->report->run, group->kernel);
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
        const bool all = is_suite(&asked) || is_program_row(asked.row->kernel) || ++count > FEW;
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
    const char *base = command == COMMAND_CHECK ? NULL
                       : report->against        ? known
                       : program                ? "'BASE COMMAND'"
                                                : "BASE.so";
    return x_sprintf("cugate check%s%s%s%s%s%s%s%s%s%s", option ? " " : "", option ? origin->asked : "",
                     command == COMMAND_BASE ? " --simulate" : "",
                     command == COMMAND_BASE && report->gpu ? report->gpu : "", base ? " --against " : "",
                     base ? base : "", kernels, report->said ? report->said : "", program ? " " : "",
                     program ? program : "");
}

/* Answers for a kernel library that is older than its sources: no row is in doubt, but all are of old code. */
static void answer_stale(const struct report *report, struct answer answers[ANSWERS])
{
    const char *because = "the kernel library is older than its sources";
    for (size_t i = 0; i < report->comparison->note_count; i++)
        if (strncmp(report->comparison->notes[i], "STALE: ", strlen("STALE: ")) == 0)
            because = report->comparison->notes[i] + strlen("STALE: ");
    answers[ANSWER_WHAT].words = x_strdup("whether this is the code of the sources");
    answers[ANSWER_WHY].words = x_strdup(because);
    answers[ANSWER_SETTLE].words = x_strdup("build the library, and run the same command again");
    answers[ANSWER_ACCEPT].words = x_strdup("add --stale to the command");
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
    answers[ANSWER_WHAT].words =
        x_sprintf("%s%s%s%s%s%s", is_suite(&asked) ? "all kernels" : asked.row->kernel, asked.row->metric ? ": " : "",
                  asked.row->metric ? asked.row->metric->name : "", *cells.change ? " " : "", cells.change, others);
    char *why = words_why(asked.row);
    answers[ANSWER_WHY].words = why ? why : x_strdup("its reason is unknown");
    answers[ANSWER_SETTLE].words = x_strdup(way->settle);
    answers[ANSWER_SETTLE].command = settle_command(report, way->command, kernels);
    answers[ANSWER_ACCEPT].words =
        way->accept ? x_strdup(way->accept) : x_sprintf("if it is intended%s", words_run_file(report));
    if (!way->accept)
        answers[ANSWER_ACCEPT].command = words_accept_with(report, *kernels               ? kernels
                                                                   : is_work_gone(&asked) ? " --gone"
                                                                                          : " -k '*'");
}

void words_unsure_free(struct answer answers[ANSWERS])
{
    for (size_t i = 0; i < ANSWERS; i++) {
        free(answers[i].words);
        free(answers[i].command);
    }
}
