#include "explain/appeared.h"
#include "test.h"

#include "compare_support.h"

static const char definitions[] =
    "[fp64_arithmetic]\ntitle=F\ncounter=f.sum\nunit=count\nclass=info\nbetter=lower\ndoc=d\n"
    "[local_memory]\ntitle=L\ncounter=l.sum\nunit=B\nclass=exact\nbetter=lower\ndoc=d\n";

/* What is said of k/v: its rows before and now. */
static const struct {
    double fp64[2], local[2], instructions[2];
    const char *words; /* NULL: nothing */
} rows[] = {
    {{0, 2100000}, {0, 0}, {100, 106}, "fp64_arithmetic 0 -> 2,100,000 (a double literal, or a function of doubles?)"},
    {{0, 1},
     {0, 96},
     {0, 100},
     "fp64_arithmetic 0 -> 1 (a double literal, or a function of doubles?); local_memory 0 -> 96 B (spilled registers, "
     "or an array that is indexed at run time?)"},
    {{1, 2100000}, {8, 96}, {0, 100}, NULL}, /* it had some, and that there are instructions now tells nothing */
    {{0, 0}, {96, 0}, {100, 200}, NULL},
};

Test(appeared, what_a_kernel_had_none_of)
{
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        AT_END(tear_down) struct fixture fixture = set_up();
        OWNED(appearances) appearances;
        cr_assert_eq(metrics_read_text(&fixture.metrics, "made_up.ini", definitions), 0);
        run_note_metrics(&fixture.base, &fixture.metrics);
        run_note_metrics(&fixture.run, &fixture.metrics);
        for (int side = 0; side < 2; side++) {
            struct run *run = side ? &fixture.run : &fixture.base;
            put(run, "k/v", "fp64_arithmetic", rows[i].fp64[side]);
            put(run, "k/v", "local_memory", rows[i].local[side]);
            put(run, "k/v", "instructions", rows[i].instructions[side]);
            put(run, "k/a", "fp64_arithmetic", 5); /* of others nothing is said */
            put(run, "k/w", "fp64_arithmetic", side ? 0 : 5);
        }
        put(&fixture.run, "k/x", "fp64_arithmetic", 5); /* new */
        appearances_find(&appearances, compare(&fixture));
        OWNED_TEXT words = appearances_of(&appearances, "k/v");
        cr_expect_str_eq(words ? words : "nothing", rows[i].words ? rows[i].words : "nothing", "row %zu", i);
        static const char *const others[] = {"k/a", "k/w", "k/x", "none/such"};
        for (size_t k = 0; k < ARRAY_SIZE(others); k++)
            cr_expect_null(appearances_of(&appearances, others[k]), "%s", others[k]);
    }
}
