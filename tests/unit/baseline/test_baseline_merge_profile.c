/* Tests source lines in baselines: they belong to the machine code of the values beside them. */
#include "made_runs.h"
#include "test.h"

#define COUNTS (1u << LINE_SHARED | 1u << LINE_INSTRUCTIONS)

/* Makes a run whose reduce/tree launched that machine code and has these kinds of lines. Line 4 has `amount`
 * instructions and as many samples; one more instruction has no file. */
static struct run made_lined(int number, const char *code, unsigned counted, unsigned period, double amount)
{
    struct run run = made_run(number);
    struct result *result = run_find(&run, "reduce/tree");
    result->launches[0].code = x_strdup(code);
    result->launches[0].times = 1;
    if (!counted && !period)
        return run;
    struct profile *profile = &result->profile;
    *profile = (struct profile){.counted = counted, .period = period, .launches = 1};
    struct profile_line *line = profile_add(profile, "f", "a.cu", 4, 96);
    line->counts[LINE_INSTRUCTIONS] = counted ? amount : 0;
    if (period)
        profile_line_add_stall(line, "wait", amount);
    profile_add(profile, "memset", NULL, 0, 16)->counts[LINE_INSTRUCTIONS] = 1;
    return run;
}

struct step {
    const char *code;
    unsigned counted, period;
    const char *metric; /* metric of -m, or NULL */
};

/* Accepts a session with 10 in line 4, then another one with 20. Returns what line 4 has in the end; -1 when there are
 * no lines. */
static double accept_two(const struct step *first, const struct step *second)
{
    const struct step *steps[] = {first, second};
    char *folder = scratch_make();
    for (int i = 0; i < 2; i++) {
        OWNED(run) run = made_lined(i + 1, steps[i]->code, steps[i]->counted, steps[i]->period, 10 * (i + 1));
        struct trial trial = {.folder = folder, .metric = steps[i]->metric};
        made_accept_one(&trial, &run);
    }
    OWNED(run) baseline = made_baseline(folder);
    const struct profile *profile = &run_find(&baseline, "reduce/tree")->profile;
    double amount = -1;
    if (profile->counted || profile->period) {
        cr_assert_eq(profile->count, 1, "instructions without a file are kept");
        amount =
            profile->counted ? profile->list[0].counts[LINE_INSTRUCTIONS] : profile_line_samples(&profile->list[0]);
    }
    scratch_remove(folder);
    return amount;
}

Test(baseline_merge_profile, lines_are_of_the_code_that_was_accepted)
{
    const struct {
        struct step first, second;
        double kept;
    } rows[] = {
        {{"beef", COUNTS, 0, NULL}, {"beef", COUNTS, 0, NULL}, 20}, /* the newest lines count */
        {{"beef", COUNTS, 0, NULL}, {"beef", 0, 0, NULL}, 10},      /* a run without lines removes none */
        /* lines without stalls do not replace lines with them */
        {{"beef", COUNTS, 512, NULL}, {"beef", COUNTS, 0, NULL}, 10},
        /* lines without counts do not replace lines with them */
        {{"beef", COUNTS, 0, NULL}, {"beef", 0, 512, NULL}, 10},
        /* lines with fewer counters do not replace lines with more */
        {{"beef", COUNTS, 0, NULL}, {"beef", 1, 512, NULL}, 10},
        /* lines with more counters replace those with fewer */
        {{"beef", COUNTS, 0, NULL}, {"beef", COUNTS, 512, NULL}, 20},
        /* other code: fewer kinds of lines, but right ones */
        {{"beef", COUNTS, 512, NULL}, {"f00d", COUNTS, 0, "time"}, 20},
        /* other code: having no lines is better than wrong ones */
        {{"beef", COUNTS, 512, NULL}, {"f00d", 0, 0, "time"}, -1},
        /* values of two codes: nobody knows whose lines fit */
        {{"beef", COUNTS, 0, NULL}, {"f00d", COUNTS, 0, "count"}, -1},
        {{"beef", 0, 0, NULL}, {"beef", COUNTS, 0, NULL}, 20}, /* a run may bring the first lines later */
        {{"beef", 0, 512, NULL}, {"beef", 0, 512, NULL}, 20},  /* lines may have stall samples alone */
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const double kept = accept_two(&rows[i].first, &rows[i].second);
        cr_expect_eq(kept, rows[i].kept, "row %zu: %g, not %g", i, kept, rows[i].kept);
    }
}

/* If several runs are accepted at once, the newest lines count. */
Test(baseline_merge_profile, lines_of_several_runs_are_the_newest_that_fit)
{
    const struct {
        unsigned counted[2];
        double kept;
    } rows[] = {{{COUNTS, COUNTS}, 20}, {{COUNTS, 0}, 10}};
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        OWNED_FOLDER folder = scratch_make();
        struct run runs[2];
        for (int k = 0; k < 2; k++)
            runs[k] = made_lined(k + 1, "beef", rows[i].counted[k], 0, 10 * (k + 1));
        OWNED(accepted) accepted;
        cr_assert_eq(made_accept(&(struct trial){.folder = folder}, runs, 2, &accepted), 0);
        OWNED(run) baseline = made_baseline(folder);
        const struct profile *profile = &run_find(&baseline, "reduce/tree")->profile;
        const double kept = profile->counted ? profile->list[0].counts[LINE_INSTRUCTIONS] : -1;
        cr_expect_eq(kept, rows[i].kept, "row %zu: %g, not %g", i, kept, rows[i].kept);
        run_release(&runs[0]);
        run_release(&runs[1]);
    }
}
