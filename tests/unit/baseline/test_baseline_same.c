#include "made_runs.h"
#include "test.h"

/* Which sessions are refused shows tests/selftest/bars_accept.c. */
Test(baseline_same, the_odd_session_is_named)
{
    static const struct {
        const char *codes[3];
        unsigned grids[3];
        const char *words;
    } rows[] = {
        {{"f00d", "beef", "f00d"}, {1, 1, 1}, "b.json (session of 2026-11-02T08:00:00Z) has other machine code for "},
        {{"beef", "f00d", "f00d"}, {1, 1, 1}, "a.json (session of 2026-11-01T08:00:00Z) has other machine code for "},
        {{"f00d", "f00d", "f00d"}, {1, 1, 2}, "c.json (session of 2026-11-03T08:00:00Z) has launches in another way"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        OWNED_FOLDER folder = scratch_make();
        struct run runs[] = {made_run(1), made_run(2), made_run(3)};
        for (size_t k = 0; k < 3; k++) {
            struct launch *launch = &run_find(&runs[k], "reduce/tree")->launches[0];
            launch->code = x_strdup(rows[i].codes[k]);
            launch->grid[0] = rows[i].grids[k];
            launch->times = 1;
        }
        made_expect(&(struct trial){.folder = folder}, runs, 3, EXIT_USAGE, rows[i].words);
        OWNED(accepted) accepted;
        const struct trial others = {.folder = folder, .kernel = "access/*"};
        cr_expect_eq(made_accept(&others, runs, 3, &accepted), 0, "row %zu: a kernel that was not chosen counts", i);
        for (size_t k = 0; k < 3; k++)
            run_release(&runs[k]);
    }
}
