#include "measure/program_parts.h"
#include "test.h"

static const char definitions[] =
    "[time]\ntitle = T\ncounter = gpu__time_duration.sum\nunit = ns\nclass = time\nbetter = lower\ndoc = T.\n";

/* A kernel or graph that the profiler timed, and records too if `recorded` is not NAN, in ns. */
static void put(struct program_groups *groups, struct run *run, const char *id, double timed, double recorded)
{
    struct program_group *group = x_calloc(1, sizeof *group);
    group->id = x_strdup(id);
    group->graph = *id == 'g';
    group->share_count = group->runs = 1;
    group->shares = x_calloc(1, sizeof *group->shares);
    group->shares[0].counts = x_calloc(1, sizeof *group->shares[0].counts);
    group->shares[0].took = x_calloc(1, sizeof *group->shares[0].took);
    group->shares[0].counts[0] = 2;
    group->shares[0].took[0] = 2 * recorded;
    *ARRAY_GROW(groups->list, groups->count) = group;
    row_add_session(result_add(run_add(run, id), "time"), (double[]){timed, timed + 10}, 2);
}

Test(program_times, what_the_profiler_adds_is_taken_off)
{
    OWNED(metrics) metrics = {0};
    OWNED(run) run = {0};
    AT_END(program_groups_release) struct program_groups groups = {.runs = 1};
    cr_assert_eq(metrics_read_text(&metrics, "made_up.ini", definitions), 0);
    put(&groups, &run, "both", 11995, 11000);
    put(&groups, &run, "timed", 5000, NAN);
    put(&groups, &run, "shorter than that", 800, NAN);
    put(&groups, &run, "partly shorter", 996, NAN);
    put(&groups, &run, "graph", 5000, 1000);
    program_times_correct(&groups, &metrics, &run);
    cr_expect_eq(result_find(run_find(&run, "both"), "time")->sessions[0].samples[0], 10995);
    cr_expect_eq(result_find(run_find(&run, "timed"), "time")->sessions[0].samples[0], 4000);
    cr_expect_eq(result_find(run_find(&run, "timed"), "time")->sessions[0].samples[1], 4010);
    cr_expect_eq(result_find(run_find(&run, "shorter than that"), "time")->sessions[0].samples[0], 800);
    cr_expect_eq(result_find(run_find(&run, "partly shorter"), "time")->sessions[0].count, 1);
    cr_expect_eq(result_find(run_find(&run, "partly shorter"), "time")->sessions[0].samples[0], 6);
    cr_expect_eq(result_find(run_find(&run, "graph"), "time")->sessions[0].samples[0], 5000);
}

/* Nothing tells how much that is. */
Test(program_times, without_records_they_stay)
{
    OWNED(metrics) metrics = {0};
    OWNED(run) run = {0};
    AT_END(program_groups_release) struct program_groups groups = {.runs = 1};
    cr_assert_eq(metrics_read_text(&metrics, "made_up.ini", definitions), 0);
    put(&groups, &run, "timed", 5000, NAN);
    program_times_correct(&groups, &metrics, &run);
    cr_expect_eq(result_find(run_find(&run, "timed"), "time")->sessions[0].samples[0], 5000);
}
