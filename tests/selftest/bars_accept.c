/* Q7: which sessions `accept` takes together. */
#include "baseline/baseline.h"
#include "selftest.h"
#include "support.h"

#define USUAL                                                                                                          \
    {                                                                                                                  \
        .code = "f00d", .inputs = "cafe", .command = "/a/app 8 in.bin", .count = 1000                                  \
    }

/* What a session is of; NULL: unknown. */
struct of {
    const char *code, *inputs, *command, *kernel;
    unsigned grid;
    double count;
};

/* To add a kind of mistake: a row. The odd session is accepted with two usual ones; where `later` on top of a baseline
 * of code that counts as the usual one does. */
static const struct mistake {
    const char *words;
    bool refused, later;
    struct of odd;
} mistakes[] = {
    {"the same work", .odd = USUAL},
    {"the same work from another folder", .odd = {"f00d", "cafe", "/b/app 8 ../in.bin", NULL, 0, 1000}},
    {"what is not known of one", .odd = {NULL, NULL, NULL, NULL, 0, 1000}},
    {"other code", .refused = true, .odd = {"beef", "cafe", "/a/app 8 in.bin", NULL, 0, 1000}},
    {"another grid", .refused = true, .odd = {"f00d", "cafe", "/a/app 8 in.bin", NULL, 2, 1000}},
    {"other inputs", .refused = true, .odd = {"f00d", "caff", "/a/app 8 in.bin", NULL, 0, 1000}},
    {"another argument", .refused = true, .odd = {"f00d", "cafe", "/a/app 9 in.bin", NULL, 0, 1000}},
    {"one argument more", .refused = true, .odd = {"f00d", "cafe", "/a/app 8 in.bin x", NULL, 0, 1000}},
    {"another program of that name", .refused = true, .odd = {NULL, NULL, "/a/app 8 in.bin", "app/b@1,32", 0, 7}},
    {"one slow session of three", .refused = true, .later = true,
     .odd = {"f00d", "cafe", "/a/app 8 in.bin", NULL, 0, 1100}},
};

static struct run make(const struct of *of, int day)
{
    struct run run = {.device = {.name = x_strdup("NVIDIA H200")}};
    struct session *session = ARRAY_GROW(run.sessions, run.session_count);
    session->facts[SESSION_COLLECTOR] = x_strdup("exec-sim");
    session->facts[SESSION_DATE] = x_sprintf("2026-11-%02dT08:00:00.000Z", day);
    session->facts[SESSION_PROGRAM] = x_strdup(of->command);
    const char *ids[] = {of->kernel ? of->kernel : "app/a@1,32", "app/program"};
    for (size_t i = 0; i < 2; i++)
        put_row(&run, ids[i], "instructions", of->count, 1);
    struct result *result = run_find(&run, ids[0]);
    put_launch(result, of->code, of->grid ? of->grid : 1);
    result->inputs = x_strdup(of->inputs);
    return run;
}

static enum exit_code accept_runs(const struct selftest *selftest, const char *folder, const struct run *runs,
                                  size_t count)
{
    OWNED(accepted) accepted = {0};
    const struct acceptance acceptance = {
        .baselines = folder,
        .metrics = &selftest->metrics,
        .reason = "made up",
        .names = (char *[]){"a.json", "b.json", "c.json"},
    };
    return (enum exit_code)baseline_accept(&acceptance, runs, count, &accepted);
}

void q7_accept(struct selftest *selftest)
{
    size_t right = 0;
    for (size_t i = 0; i < ARRAY_SIZE(mistakes); i++) {
        const struct mistake *mistake = &mistakes[i];
        OWNED_FOLDER folder = scratch_make();
        struct run runs[] = {make(&(struct of)USUAL, 1), make(&mistake->odd, 2), make(&(struct of)USUAL, 3),
                             make(&(struct of){.code = "01d0", .count = 1000}, 4)};
        if (mistake->later && accept_runs(selftest, folder, &runs[3], 1) != EXIT_SAME)
            die(EXIT_USAGE, "cannot accept a baseline in %s", folder);
        const enum exit_code code = accept_runs(selftest, folder, runs, 3);
        if (code == (mistake->refused ? EXIT_USAGE : EXIT_SAME))
            right++;
        else
            tell(selftest, "%s: accept ended with %d", mistake->words, (int)code);
        for (size_t k = 0; k < ARRAY_SIZE(runs); k++)
            run_release(&runs[k]);
    }
    expect_all(selftest, right, ARRAY_SIZE(mistakes), "accept refuses what is not of the same work, and nothing else");
}
