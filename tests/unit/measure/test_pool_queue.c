#include "measure/pool_parts.h"
#include "test.h"

static char *const ids[] = {
    (char[]){"small/a"},      (char[]){"small/b"},      (char[]){"large/a"}, (char[]){"point/a[n=1]"},
    (char[]){"point/b[n=1]"}, (char[]){"point/a[n=2]"}, (char[]){"new/a"},
};

/* A pool of those kernels, with costs as a recorded run has them: 3 s for both of "small", 5 s, 1 s a "point". */
struct fixture {
    struct measurement measurement;
    struct run costs, run;
    struct pool pool;
    struct slot slots[3];
};

static void set_up(struct fixture *fixture, size_t slots)
{
    static const double seconds[] = {1, 2, 5, 0.5, 0.5, 1};
    *fixture = (struct fixture){0};
    for (size_t i = 0; i < ARRAY_SIZE(seconds); i++)
        run_add(&fixture->costs, ids[i])->seconds = seconds[i];
    fixture->measurement = (struct measurement){.costs = &fixture->costs, .devices = {{4, 5, 6}, slots, false}};
    fixture->pool = (struct pool){.measurement = &fixture->measurement,
                                  .run = &fixture->run,
                                  .slots = fixture->slots,
                                  .slot_count = slots,
                                  .ids = (char **)ids,
                                  .count = ARRAY_SIZE(ids)};
    for (size_t i = 0; i < slots; i++)
        fixture->slots[i] = (struct slot){.pool = &fixture->pool, .number = (int)i, .device = 4 + (int)i};
}

static void tear_down(struct fixture *fixture)
{
    free(fixture->pool.queue);
    run_release(&fixture->costs);
    run_release(&fixture->run);
}

/* What the slot gets next, as text; "" for nothing. */
static void expect_item(struct fixture *fixture, size_t slot, const char *expected)
{
    const bool any = queue_take(&fixture->slots[slot]);
    const struct item *item = &fixture->slots[slot].item;
    OWNED_TEXT text = any ? queue_text(&fixture->pool, item->first, item->end) : x_strdup("");
    cr_expect_str_eq(text, expected);
}

Test(pool_queue, one_gpu_measures_in_order)
{
    WITH(tear_down, struct fixture fixture, set_up(&fixture, 1));
    queue_fill(&fixture.pool);
    static const char *const expected[] = {"small/a\nsmall/b\n", "large/a\n", "point/a[n=1]\npoint/b[n=1]\n",
                                           "point/a[n=2]\n",     "new/a\n",   ""};
    for (size_t i = 0; i < ARRAY_SIZE(expected); i++)
        expect_item(&fixture, 0, expected[i]);
}

/* What is not known is taken for the mean of what is: 10 s for six kernels. */
Test(pool_queue, several_begin_with_what_takes_longest)
{
    WITH(tear_down, struct fixture fixture, set_up(&fixture, 2));
    queue_fill(&fixture.pool);
    static const char *const expected[] = {
        "large/a\n", "small/a\nsmall/b\n", "new/a\n", "point/a[n=1]\npoint/b[n=1]\n", "point/a[n=2]\n", ""};
    for (size_t i = 0; i < ARRAY_SIZE(expected); i++)
        expect_item(&fixture, i % 2, expected[i]);
}

Test(pool_queue, what_failed_is_tried_by_another_and_what_is_returned_comes_first)
{
    WITH(tear_down, struct fixture fixture, set_up(&fixture, 2));
    queue_fill(&fixture.pool);
    expect_item(&fixture, 0, "large/a\n");
    expect_item(&fixture, 1, "small/a\nsmall/b\n");
    fixture.slots[1].item.first++;
    queue_return(&fixture.slots[1]);
    cr_expect_not(slot_has_item(&fixture.slots[1]));
    expect_item(&fixture, 0, "small/b\n");
    fixture.pool.queued = 0;
    queue_try_elsewhere(&fixture.slots[0], 1);
    expect_item(&fixture, 0, "");
    expect_item(&fixture, 1, "small/b\n");
    cr_expect_eq(fixture.slots[1].item.failed_on, 0);
    fixture.slots[0].state = SLOT_LOST;
    queue_try_elsewhere(&fixture.slots[1], 1);
    cr_expect_eq(fixture.pool.queued, 0, "there is no other");
}

/* By the ordinals of GPUs, not by their order. */
Test(pool_queue, what_has_a_gpu_stays_there)
{
    AT_END(tear_down) struct fixture fixture;
    OWNED(run) like = {0};
    set_up(&fixture, 2);
    for (int i = 5; i >= 4; i--)
        ARRAY_GROW(like.sessions, like.session_count)->ordinal = i;
    for (size_t i = 0; i < 3; i++) {
        row_add_session(result_add(run_add(&like, ids[i]), "time"), (double[]){1}, 1);
        result_set_session(run_find(&like, ids[i]), i == 1);
    }
    fixture.measurement.like = &like;
    queue_fill(&fixture.pool);
    expect_item(&fixture, 0, "small/b\n");
    expect_item(&fixture, 0, "new/a\n");
    expect_item(&fixture, 1, "large/a\n");
    expect_item(&fixture, 1, "small/a\n");
    queue_try_elsewhere(&fixture.slots[0], 1);
    cr_expect_eq(fixture.pool.queued, 2, "only the points are left");
}
