/* An unsure report says what is not known, why, what settles it and how to accept it, in text and Markdown. */
#include "report_support.h"
#include "test.h"

#include "report/words.h"

struct unsure_row {
    const char *kernel, *metric, *reason;
    const char *against;
    bool computed, program, worse, wants_session, one_sided, note;
    size_t pairs, base_sessions;
    const char *settle, *accept;
};

#define ACCEPT "to accept: if it is intended: cugate accept run.json -k copy/plain --reason \"...\"\n"
#define ACCEPT_ON_GPU "to accept: if it is intended (measure on a GPU first: cugate check --save RUN.json):\n"
#define PAIRS "cugate check --against BASE.so -k copy/plain\n"
static const struct unsure_row unsure_rows[] = {
    {"copy/plain", "time", "one session; a second must agree", .worse = true, .wants_session = true,
     .settle = "does by itself: cugate check -k copy/plain\n", .accept = ACCEPT},
    {"copy/plain", "time", "2 pairs do not decide it", .pairs = 2, .against = "old build.so",
     .settle = "more pairs, with nothing else on the GPU: cugate check --against 'old build.so' -k copy/plain\n",
     .accept = ACCEPT},
    {"copy/plain", "time", "too few sessions", .worse = true, .base_sessions = 1,
     .settle = "run both builds in turn: " PAIRS, .accept = ACCEPT},
    {"copy/plain", "time", "no other row can fail", .base_sessions = 1,
     .settle = "accept them, which narrows the limit:\n           cugate aa --sessions ", .accept = ACCEPT},
    {"copy/plain", "time", "no other row can fail", .base_sessions = 40,
     .settle = "run both builds in turn, which needs no limit: " PAIRS, .accept = ACCEPT},
    {"copy/plain", "instructions", "1 session of the 3 needed to show that it repeats", .computed = true, .worse = true,
     .settle = "cugate check --simulate --against BASE.so -k copy/plain\n", .accept = ACCEPT_ON_GPU},
    {"copy/plain", "instructions", "settle it by pairs on a GPU", .computed = true, .worse = true,
     .settle = "run both builds in turn on a GPU: " PAIRS, .accept = ACCEPT_ON_GPU},
    {"copy/plain", NULL, "its baseline has metrics that no metric file defines: own",
     .settle = "to settle: add the folder of these metrics, --metrics +DIR, to the command\n",
     .accept = "to accept: remove them from the kernel's file in the baseline\n"},
    {"copy/plain", "time", "the baseline has this kernel, but no value", .one_sided = true,
     .settle = "to settle: check the new value: the baseline has none to compare with\n", .accept = ACCEPT},
    {COMPARISON_SUITE, "time", "all kernels moved together", .settle = "measure again: cugate check\n",
     .accept = "to accept: if it is intended: cugate accept run.json -k '*' --reason \"...\"\n"},
    {COMPARISON_SUITE, "time", "requested, but only a GPU counts it", .computed = true,
     .settle = "to settle: measure on a GPU: cugate check\n",
     .accept = "to accept: remove the metric from --metrics\n"},
    {"gone/kernel", NULL, "gone, it was 4 launches", .program = true,
     .settle = "to settle: find out whether the program still does the work of this kernel\n",
     .accept = "cugate accept RUN.json --gone --reason \"...\"\n"},
    {"copy/plain", "instructions", "1 session of the 3 needed to show that it repeats", .program = true, .worse = true,
     .settle = "more runs of the old code and accept them:\n           cugate run --simulate ",
     .accept = "to accept: "},
    {"copy/plain", NULL, "something else", .program = true, .settle = "compute it again: cugate check --simulate",
     .accept = "to accept: "},
    {.note = true,
     .settle = "to settle: build the library, and run the same command again\n",
     .accept = "to accept: add --stale to the command\n"},
};

/* Expects the words in this order. */
static void expect_in_order(const char *text, const char *const words[6])
{
    const char *at = text;
    for (size_t i = 0; i < 6 && at; i++) {
        const char *found = strstr(at, words[i]);
        cr_expect_not_null(found, "expected \"%s\" behind the others in:\n%s", words[i], text);
        at = found;
    }
}

static void set_up_unsure(struct fixture *fixture, const struct unsure_row *row)
{
    *fixture = report_set_up("same.json");
    forget_judgements(fixture);
    fixture->report.exit_code = EXIT_UNSURE;
    fixture->report.against = row->against;
    if (row->note)
        comparison_add_note(&fixture->comparison, "STALE: lib.so is older than its sources: mine.cu");
    if (row->computed)
        report_set_origin(&fixture->run, ORIGIN_COMPUTED);
    if (row->program)
        report_set_origin(&fixture->run, ORIGIN_COMPUTED_PROGRAM);
    if (!row->kernel)
        return;
    struct judgement *judgement = invent(fixture, row->kernel, row->metric, VERDICT_UNSURE, row->reason);
    judgement->has_now = row->metric != NULL;
    judgement->has_base = judgement->compared = row->metric && !row->one_sided;
    judgement->worse = row->worse;
    judgement->wants_session = row->wants_session;
    judgement->pairs = row->pairs;
    judgement->base_sessions = row->base_sessions;
}

Test(words_unsure, each_doubt_names_a_way_out_that_fits_it)
{
    for (size_t i = 0; i < ARRAY_SIZE(unsure_rows); i++) {
        const struct unsure_row *row = &unsure_rows[i];
        WITH(report_tear_down, struct fixture fixture, set_up_unsure(&fixture, row));
        OWNED_TEXT text = print(&fixture.report, report_text);
        expect_in_order(text, (const char *const[6]){"(exit 3)\nnot known: ", "\nbecause: ", "\nto settle: ",
                                                     row->settle, "to accept: ", row->accept});
        cr_expect_null(strstr(text, "next: "), "%s", text);
        if (row->reason)
            expect_word(strstr(text, "\nbecause: "), row->reason);
        OWNED_TEXT page = print(&fixture.report, report_markdown);
        expect_in_order(page,
                        (const char *const[6]){"(exit 3)\n\n- **not known**: ", "- **because**: ", "- **to settle**: ",
                                               "- **to accept**: ", "<details>", "</details>"});
    }
}

/* Kernels that need the same are named together; a kernel that needs something else is not, nor are more than a few. */
Test(words_unsure, one_command_is_for_all_kernels_that_need_it)
{
    WITH(report_tear_down, struct fixture fixture, set_up_unsure(&fixture, &unsure_rows[0]));
    invent(&fixture, "reduce/tree", "time", VERDICT_UNSURE, "one session")->wants_session = true;
    invent(&fixture, "gone/kernel", NULL, VERDICT_UNSURE, "no metric file defines: own");
    OWNED_TEXT few = print(&fixture.report, report_text);
    expect_words(few, "(and 2 more rows)", "cugate check -k reduce/tree -k copy/plain\n",
                 "cugate accept run.json -k reduce/tree -k copy/plain --reason");
    static const char *const others[] = {"reduce/atomic", "transpose/naive", "transpose/padded"};
    for (size_t i = 0; i < ARRAY_SIZE(others); i++)
        invent(&fixture, others[i], "time", VERDICT_UNSURE, "one session")->wants_session = true;
    OWNED_TEXT many = print(&fixture.report, report_text);
    expect_words(many, "cugate check\n", "cugate accept run.json -k '*' --reason");
}
