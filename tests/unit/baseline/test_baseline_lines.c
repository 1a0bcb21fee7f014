/* Source lines in baselines: they are of the machine code of the values beside them. */
#include "base/base.h"
#include "made_runs.h"
#include "support.h"

#include <criterion/criterion.h>
#include <string.h>

#define COUNTS (1u << LINE_SHARED | 1u << LINE_INSTRUCTIONS)

/* A run whose reduce/tree launched that machine code and has these kinds of lines: line 4 with `amount` instructions,
 * as many samples, and an instruction of no file. */
static struct run made_lined(int number, const char *code, unsigned counted, unsigned period, double amount)
{
    struct run run = made_run(number);
    struct result *result = run_find(&run, "reduce/tree");
    result->launches[0].code = x_strdup(code);
    result->launches[0].times = 1;
    if (!counted && !period)
        return run;
    struct lines *lines = &result->lines;
    *lines = (struct lines){.counted = counted, .period = period, .launches = 1};
    struct line *line = lines_add(lines, "f", "a.cu", 4, 96);
    line->counts[LINE_INSTRUCTIONS] = counted ? amount : 0;
    if (period)
        line_add_stall(line, "wait", amount);
    lines_add(lines, "memset", NULL, 0, 16)->counts[LINE_INSTRUCTIONS] = 1;
    return run;
}

struct step {
    const char *code;
    unsigned counted, period;
    const char *metric; /* -m, or NULL */
};

/* Accepts one session, then another, which has 20 where the first has 10. Returns what line 4 has in the end; -1 when
 * there are no lines. */
static double accept_two(const struct step *first, const struct step *second)
{
    const struct step *steps[] = {first, second};
    char *folder = scratch_make();
    for (int i = 0; i < 2; i++) {
        struct run run = made_lined(i + 1, steps[i]->code, steps[i]->counted, steps[i]->period, 10 * (i + 1));
        struct trial trial = {.folder = folder, .metric = steps[i]->metric};
        made_accept_one(&trial, &run);
        run_release(&run);
    }
    struct run baseline = made_baseline(folder);
    const struct lines *lines = &run_find(&baseline, "reduce/tree")->lines;
    double amount = -1;
    if (lines->counted || lines->period) {
        cr_assert_eq(lines->count, 1, "instructions without a file are kept");
        amount = lines->counted ? lines->list[0].counts[LINE_INSTRUCTIONS] : line_samples(&lines->list[0]);
    }
    run_release(&baseline);
    scratch_remove(folder);
    return amount;
}

Test(baseline_lines, they_are_of_the_code_that_was_accepted)
{
    const struct {
        struct step first, second;
        double kept;
    } rows[] = {
        {{"beef", COUNTS, 0, NULL}, {"beef", COUNTS, 0, NULL}, 20},     /* the newest */
        {{"beef", COUNTS, 0, NULL}, {"beef", 0, 0, NULL}, 10},          /* a run without lines takes none away */
        {{"beef", COUNTS, 512, NULL}, {"beef", COUNTS, 0, NULL}, 10},   /* nor does one without stalls */
        {{"beef", COUNTS, 0, NULL}, {"beef", 0, 512, NULL}, 10},        /* or without counts */
        {{"beef", COUNTS, 0, NULL}, {"beef", 1, 512, NULL}, 10},        /* or with fewer of them */
        {{"beef", COUNTS, 0, NULL}, {"beef", COUNTS, 512, NULL}, 20},   /* more are welcome */
        {{"beef", COUNTS, 512, NULL}, {"f00d", COUNTS, 0, "time"}, 20}, /* other code: fewer kinds, but true ones */
        {{"beef", COUNTS, 512, NULL}, {"f00d", 0, 0, "time"}, -1},      /* better none than wrong ones */
        {{"beef", COUNTS, 0, NULL}, {"f00d", COUNTS, 0, "count"}, -1},  /* values of two codes: whose lines? */
        {{"beef", 0, 0, NULL}, {"beef", COUNTS, 0, NULL}, 20},          /* they came later */
        {{"beef", 0, 512, NULL}, {"beef", 0, 512, NULL}, 20},           /* stalls alone */
    };
    for (size_t i = 0; i < ROWS(rows); i++) {
        const double kept = accept_two(&rows[i].first, &rows[i].second);
        cr_expect_eq(kept, rows[i].kept, "row %zu: %g, not %g", i, kept, rows[i].kept);
    }
}

/* Of several runs that are accepted at once: the newest lines, unless the newest code has none. */
Test(baseline_lines, of_several_runs_the_newest_that_fit)
{
    const struct {
        const char *codes[2];
        unsigned counted[2];
        double kept;
    } rows[] = {
        {{"beef", "beef"}, {COUNTS, COUNTS}, 20},
        {{"beef", "beef"}, {COUNTS, 0}, 10},
        {{"beef", "f00d"}, {COUNTS, 0}, -1},
        {{"beef", "f00d"}, {COUNTS, COUNTS}, 20},
    };
    for (size_t i = 0; i < ROWS(rows); i++) {
        char *folder = scratch_make();
        struct run runs[2];
        for (int k = 0; k < 2; k++)
            runs[k] = made_lined(k + 1, rows[i].codes[k], rows[i].counted[k], 0, 10 * (k + 1));
        struct accepted accepted;
        cr_assert_eq(made_accept(&(struct trial){.folder = folder}, runs, 2, &accepted), 0);
        accepted_release(&accepted);
        struct run baseline = made_baseline(folder);
        const struct lines *lines = &run_find(&baseline, "reduce/tree")->lines;
        const double kept = lines->counted ? lines->list[0].counts[LINE_INSTRUCTIONS] : -1;
        cr_expect_eq(kept, rows[i].kept, "row %zu: %g, not %g", i, kept, rows[i].kept);
        run_release(&baseline);
        run_release(&runs[0]);
        run_release(&runs[1]);
        scratch_remove(folder);
    }
}
