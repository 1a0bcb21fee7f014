/* Instructions outside of waits: what a side without them is judged by. */
#include "compare_support.h"
#include "line_support.h"
#include "test.h"

#define OUTSIDE "instructions_outside_waits"

enum side { COMPUTED, MEASURED }; /* the baseline */

/* Both sides of a kernel in computed runs, or the base of a measured one. */
static void set_up_waits(struct fixture *fixture, enum side side)
{
    *fixture = set_up();
    metrics_release(&fixture->metrics);
    fixture->metrics = (struct metrics){0};
    cr_assert_eq(metrics_read_folder(&fixture->metrics, "metrics"), 0);
    put_fact(&fixture->base, SESSION_COLLECTOR, side == COMPUTED ? "sim" : "cupti");
    put_fact(&fixture->run, SESSION_COLLECTOR, "sim");
    put_codes(fixture, "a/b", "1", "2");
    run_note_metrics(&fixture->run, &fixture->metrics);
    if (side == COMPUTED)
        run_note_metrics(&fixture->base, &fixture->metrics);
}

/* Instructions that depend on chance. */
static void put_open(struct run *run)
{
    put_state(run, "a/b", "instructions", VALUE_NOT_COUNTED);
    result_find(run_find(run, "a/b"), "instructions")->reason = x_strdup(ROW_OPEN "how often it looks");
}

/* Three lines, of which the second waits: by the run, if that is asked for. */
static void put_lines(struct run *run, enum line_counter counter, double work, double wait, bool waits)
{
    const struct made_line lines[] = {
        LINE_WITH(1, "work", work), LINE_WITH(2, "wait", wait), LINE_WITH(3, "end", 7), {0}};
    struct profile *profile = &run_find(run, "a/b")->profile;
    *profile = made_lines(counter, lines);
    if (!waits)
        return;
    profile->counted |= COUNTED(LINE_WAITS);
    line_at(profile, 2)->counts[LINE_WAITS] = 3;
}

Test(judge_waits, where_instructions_are_counted_they_are_judged)
{
    WITH(tear_down, struct fixture fixture, set_up_waits(&fixture, COMPUTED));
    put_each(&fixture, "a/b", "instructions", 1000, 1000);
    put_each(&fixture, "a/b", OUTSIDE, 1000, 2000);
    cr_expect_null(find(compare(&fixture), "a/b", OUTSIDE));
}

Test(judge_waits, else_they_stand_for_them)
{
    static const struct {
        double base, now;
        enum verdict verdict;
    } rows[] = {{1000, 1100, VERDICT_REGRESSED}, {1000, 1000, VERDICT_SAME}, {1000, 900, VERDICT_IMPROVED}};
    for (size_t i = 0; i < 4 * ARRAY_SIZE(rows); i++) {
        const bool base_waits = i / ARRAY_SIZE(rows) & 1, now_waits = i / ARRAY_SIZE(rows) & 2;
        const double base = rows[i % ARRAY_SIZE(rows)].base, now = rows[i % ARRAY_SIZE(rows)].now;
        WITH(tear_down, struct fixture fixture, set_up_waits(&fixture, COMPUTED));
        if (!base_waits && !now_waits)
            continue;
        put(&fixture.base, "a/b", base_waits ? OUTSIDE : "instructions", base);
        put(&fixture.run, "a/b", now_waits ? OUTSIDE : "instructions", now);
        if (base_waits)
            put_open(&fixture.base);
        if (now_waits)
            put_open(&fixture.run);
        expect_verdict(&fixture, "a/b", OUTSIDE, rows[i % ARRAY_SIZE(rows)].verdict, i);
        const struct judgement *instructions = find(&fixture.comparison, "a/b", "instructions");
        cr_expect(instructions->verdict == VERDICT_INFO, "%zu: %s", i, instructions->reason);
    }
}

/* A GPU's number has looks in it, but its lines tell where. */
Test(judge_waits, by_a_measured_baseline_its_lines_decide)
{
    static const struct {
        double base, looks, now, wait; /* counts of the line that works, and of the one that waits */
        enum verdict verdict;
    } rows[] = {{1000, 900, 1100, 100, VERDICT_REGRESSED},
                {1000, 900, 1000, 100, VERDICT_SAME},
                {1000, 100, 1000, 900, VERDICT_SAME},
                {1000, 100, 900, 900, VERDICT_IMPROVED}};
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        WITH(tear_down, struct fixture fixture, set_up_waits(&fixture, MEASURED));
        put_times(&fixture.base, "a/b", "instructions", rows[i].base + rows[i].looks + 7, 2);
        put(&fixture.run, "a/b", OUTSIDE, rows[i].now + rows[i].wait + 7);
        put_open(&fixture.run);
        put_lines(&fixture.base, LINE_INSTRUCTIONS, rows[i].base, rows[i].looks, false);
        put_lines(&fixture.run, LINE_OUTSIDE_WAITS, rows[i].now, 0, true);
        const struct judgement *judged = expect_verdict(&fixture, "a/b", OUTSIDE, rows[i].verdict, i);
        cr_expect(judged->base == rows[i].base + 7 && judged->now == rows[i].now + 7, "%g %g", judged->base,
                  judged->now);
    }
}

/* Nothing is judged that is unlike: without lines, where a line waits of which the baseline knows nothing, or where no
 * line says whether it waits. */
Test(judge_waits, without_lines_a_measured_baseline_decides_nothing)
{
    for (unsigned i = 0; i < 4; i++) {
        WITH(tear_down, struct fixture fixture, set_up_waits(&fixture, MEASURED));
        put_times(&fixture.base, "a/b", "instructions", 2000, 2);
        put(&fixture.run, "a/b", OUTSIDE, 9000);
        put_open(&fixture.run);
        if (i > 0)
            put_lines(&fixture.base, LINE_INSTRUCTIONS, 1000, 900, false);
        if (i == 3)
            put_lines(&fixture.run, LINE_OUTSIDE_WAITS, 8900, 0, false);
        if (i == 2) {
            put_lines(&fixture.run, LINE_OUTSIDE_WAITS, 8900, 0, true);
            line_at(&run_find(&fixture.base, "a/b")->profile, 2)->file[0] = 'x';
            line_at(&run_find(&fixture.base, "a/b")->profile, 2)->text[0] = 'x';
        }
        const struct judgement *judged = expect_verdict(&fixture, "a/b", OUTSIDE, VERDICT_INFO, i);
        cr_expect(!judged->compared && says(judged, "no GPU counts it"), "%u: %s", i, judged->reason);
        expect_verdict(&fixture, "a/b", "instructions", VERDICT_UNSURE, i);
    }
}
