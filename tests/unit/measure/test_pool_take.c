/* What a worker may say, and when: nothing that it says is believed because it came. */
#include "measure/pool_parts.h"
#include "test.h"

/* Two GPUs, of which the second has a worker that can be told nothing. */
struct fixture {
    struct metrics metrics;
    struct measurement measurement;
    struct run run;
    struct pool pool;
    struct slot slots[2];
    char *device;
};

static void set_up(struct fixture *fixture)
{
    *fixture = (struct fixture){0};
    fixture->measurement = (struct measurement){
        .metrics = &fixture->metrics, .backend = backend_find("host"), .devices = {{0, 1}, 2, false}};
    fixture->measurement.timeout = 60;
    fixture->pool = (struct pool){
        .measurement = &fixture->measurement, .run = &fixture->run, .slots = fixture->slots, .slot_count = 2};
    for (int i = 0; i < 2; i++)
        fixture->slots[i] = (struct slot){
            .pool = &fixture->pool, .number = i, .device = i, .state = SLOT_STARTED, .worker = {.pipe = -1}};
    OWNED(run) run = {.device.name = x_strdup("made up")};
    ARRAY_GROW(run.sessions, run.session_count)->facts[SESSION_DATE] = x_strdup("2026-01-01T00:00:00.000Z");
    fixture->device = run_text(&run);
}

static void tear_down(struct fixture *fixture)
{
    for (int i = 0; i < 2; i++) {
        for (size_t fact = 0; fact < SESSION_FACTS; fact++)
            free(fixture->slots[i].session.facts[fact]);
        free(fixture->slots[i].gave_up);
    }
    free_texts(fixture->pool.ids, fixture->pool.count);
    free(fixture->pool.list);
    free(fixture->pool.seconds);
    free(fixture->pool.queue);
    free(fixture->device);
    run_release(&fixture->run);
}

/* Says NAME=TEXT, or NAME with the usual text. The text of a result is ID:STATUS, and :why behind it, or JSON. */
static enum ending say(struct fixture *fixture, int slot, const char *word)
{
    const struct {
        const char *name, *text;
        enum message_kind kind;
    } kinds[] = {
        {"kernels", "f/a\nf/b\nf/c\ng/a\n", MESSAGE_KERNELS},
        {"device", fixture->device, MESSAGE_DEVICE},
        {"start", "", MESSAGE_START},
        {"result", "", MESSAGE_RESULT},
        {"lost", "made up", MESSAGE_LOST},
        {"headway", "", MESSAGE_HEADWAY},
        {"failure", "", MESSAGE_FAILURE},
        {"no_match", "", MESSAGE_NO_MATCH},
        {"end", "", MESSAGE_END},
        {"item", "", MESSAGE_ITEM},
        {"nothing", "", (enum message_kind)200},
    };
    OWNED_TEXT words = x_strdup(word), *json = NULL;
    char *rest = words;
    const char *const name = strsep(&rest, "=");
    size_t i = FIRST(k, ARRAY_SIZE(kinds), strcmp(kinds[k].name, name) == 0);
    cr_assert_lt(i, ARRAY_SIZE(kinds), "%s", word);
    if (kinds[i].kind == MESSAGE_RESULT && *rest != '{') {
        const char *const id = strsep(&rest, ":"), *const status = strsep(&rest, ":");
        json = x_sprintf("{\"%s\": {\"bytes\": 8, \"flops\": 0, \"metrics\": {}, \"status\": \"%s\"%s}}", id, status,
                         rest ? ", \"reason\": \"made up\"" : "");
    }
    const struct message message = {kinds[i].kind, json ? json : rest ? rest : (char *)kinds[i].text};
    return pool_take(&fixture->slots[slot], &message);
}

/* Says all of them, with `; ` between, of which the last has this ending. */
static void say_all(struct fixture *fixture, int slot, const char *words, enum ending last, const char *where)
{
    OWNED_TEXT text = x_strdup(words);
    for (char *rest = text, *word; (word = strsep(&rest, ";"));)
        cr_assert_eq(say(fixture, slot, word + strspn(word, " ")), rest ? ENDING_NOT_YET : last, "%s: %s", where, word);
}

static void expect_out_of_turn(const char *where, const char *text, const char *what)
{
    (void)what;
    WITH(tear_down, struct fixture fixture, set_up(&fixture));
    say_all(&fixture, 0, text, ENDING_OUT_OF_TURN, where);
}

TEXTS(pool_take, what_is_out_of_turn_is_refused, "tests/unit/measure/pool_take.txt", expect_out_of_turn)

/* A worker's own words: of a batch all begin first, and which is at work is said again. */
Test(pool_take, what_workers_say_is_taken)
{
    WITH(tear_down, struct fixture fixture, set_up(&fixture));
    say_all(&fixture, 0,
            "kernels; device; start=f/a; start=f/b; start=f/c; start=f/a; start=f/b; result=f/a:ok; "
            "result=f/b:wrong result:why; result=f/c:not built:why",
            ENDING_NOT_YET, "a batch");
    cr_expect_eq(fixture.run.result_count, 3);
    cr_expect_eq(fixture.pool.queued, 1, "neither is a failure that another GPU could mend");
}

/* Once: also where the worker that tried it again spoke out of turn after its result. */
Test(pool_take, what_failed_on_two_gpus_is_not_tried_on_a_third)
{
    WITH(tear_down, struct fixture fixture, set_up(&fixture));
    say_all(&fixture, 0, "kernels; device; start=f/a; result=f/a:failed:why", ENDING_NOT_YET, "the first");
    cr_assert_eq(fixture.pool.queued, 2, "another family, and what failed");
    struct slot *second = &fixture.slots[1];
    cr_assert_eq(say(&fixture, 1, "kernels"), ENDING_NOT_YET);
    while (queue_take(second) && second->item.failed_on < 0)
        continue;
    cr_assert_eq(second->item.failed_on, 0);
    second->state = SLOT_OPEN;
    slot_tell(second);
    cr_assert_eq(say(&fixture, 1, "start=f/a"), ENDING_NOT_YET);
    cr_assert_eq(say(&fixture, 1, "result=f/a:ok"), ENDING_NOT_YET);
    cr_expect_eq(run_find(&fixture.run, "f/a")->status, RESULT_OK);
    cr_expect_not_null(run_find(&fixture.run, "f/a")->elsewhere);
    cr_expect_eq(fixture.pool.queued, 0);
    pool_fail(second, second->last, RESULT_FAILED, pool_out_of_turn);
    cr_expect_eq(run_find(&fixture.run, "f/a")->status, RESULT_FAILED);
    cr_expect_eq(fixture.pool.queued, 0);
}

/* Each block that ends gives a simulated kernel another time limit, but not without end. */
Test(pool_take, progress_moves_the_deadline)
{
    static const char *const wrong[] = {"",       "1",       "1 2",     "3 2 1",  "0 0 1",
                                        "1 2 -2", "1 2 3 4", "1 2 nan", "-1 2 3", "a 2 3"};
    WITH(tear_down, struct fixture fixture, set_up(&fixture));
    fixture.measurement.backend = backend_find("sim");
    struct slot *slot = &fixture.slots[0];
    say_all(&fixture, 0, "kernels; device; start=f/a", ENDING_NOT_YET, "a kernel");
    slot->deadline = 0;
    cr_expect_eq(say(&fixture, 0, "headway=1204 8192 181"), ENDING_NOT_YET);
    cr_expect_geq(slot->deadline, now_seconds() + 30);
    EXPECT_ALL(slot->headway.done == 1204, slot->headway.count == 8192, slot->headway.left == 181);
    slot->limit = 1;
    cr_expect_eq(say(&fixture, 0, "headway=1205 8192 -1"), ENDING_NOT_YET);
    cr_expect_eq(slot->deadline, 1, "its time is over in all");
    cr_expect_eq(say(&fixture, 0, "result=f/a:ok"), ENDING_NOT_YET);
    cr_expect_eq(say(&fixture, 0, "headway=1 1 0"), ENDING_NOT_YET, "close() may launch");
    cr_expect_eq(say(&fixture, 0, "start=f/b"), ENDING_NOT_YET);
    cr_expect_eq(slot->headway.count, 0);
    cr_expect_gt(slot->limit, now_seconds() + 300);
    for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
        OWNED_TEXT word = x_sprintf("headway=%s", wrong[i]);
        cr_expect_eq(say(&fixture, 0, word), ENDING_OUT_OF_TURN, "%s", word);
    }
}
