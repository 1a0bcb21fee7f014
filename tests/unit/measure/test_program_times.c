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
    static const struct {
        const char *id;
        double timed, recorded, corrected,
            alone; /* alone: where no kernel has a record, which tells how much that is */
        size_t count;
    } rows[] = {
        {"both", 11995, 11000, 10995, NAN, 2},        {"timed", 5000, NAN, 4000, 5000, 2},
        {"shorter than that", 800, NAN, 800, 800, 2}, {"partly shorter", 996, NAN, 6, 996, 1},
        {"graph", 5000, 1000, 5000, 5000, 2},
    };
    for (size_t alone = 0; alone < 2; alone++) {
        OWNED(metrics) metrics = {0};
        OWNED(run) run = {0};
        AT_END(program_groups_release) struct program_groups groups = {.runs = 1};
        cr_assert_eq(metrics_read_text(&metrics, "made_up.ini", definitions), 0);
        for (size_t i = alone; i < ARRAY_SIZE(rows); i++)
            put(&groups, &run, rows[i].id, rows[i].timed, alone ? NAN : rows[i].recorded);
        program_times_correct(&groups, &metrics, &run);
        for (size_t i = alone; i < ARRAY_SIZE(rows); i++) {
            const struct session_samples *session = result_find(run_find(&run, rows[i].id), "time")->sessions;
            cr_expect_eq(session->samples[0], alone ? rows[i].alone : rows[i].corrected, "%s", rows[i].id);
            cr_expect_eq(session->count, alone ? 2 : rows[i].count, "%s", rows[i].id);
        }
    }
}
