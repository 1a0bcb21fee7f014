#include "accept_cases.h"
#include "made_runs.h"
#include "test.h"

Test(baseline_gather, cases)
{
    accept_cases("tests/unit/baseline/gather.txt");
}

Test(baseline_gather, many_refusals_are_counted, .init = scratch_begin, .fini = scratch_leave)
{
    OWNED(run) run = made_run(1);
    for (int i = 0; i < 30; i++) {
        OWNED_TEXT id = x_sprintf("hung/v%d", i);
        run_add(&run, id)->status = RESULT_HUNG;
    }
    made_expect(&(struct trial){.folder = scratch}, &run, 1, 0, "not accepted: 10 more");
}
