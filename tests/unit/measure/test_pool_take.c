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

struct word {
    enum message_kind kind;
    const char *text; /* NULL: the device */
};

static enum ending say(struct fixture *fixture, int slot, struct word word)
{
    const struct message message = {word.kind, (char *)(word.text ? word.text : fixture->device)};
    return pool_take(&fixture->slots[slot], &message);
}

#define KERNELS FIELDS(MESSAGE_KERNELS, "f/a\nf/b\nf/c\ng/a\n")
#define DEVICE FIELDS(MESSAGE_DEVICE, NULL)
#define START(id) FIELDS(MESSAGE_START, id)
#define ANSWER(id, rest)                                                                                               \
    FIELDS(MESSAGE_RESULT, "{\"" id "\": {\"bytes\": 8, \"flops\": 0, \"metrics\": {}, \"status\": " rest "}}")
#define RESULT(id, status) ANSWER(id, "\"" status "\"")
#define WORSE(id, status) ANSWER(id, "\"" status "\", \"reason\": \"made up\"")
#define LOST FIELDS(MESSAGE_LOST, "made up")
#define HEADWAY(text) FIELDS(MESSAGE_HEADWAY, text)
enum { MOST_WORDS = 8 };

/* The last one is what no worker says then; all before it are right. */
Test(pool_take, what_is_out_of_turn_is_refused)
{
    static const struct {
        const char *what;
        struct word words[MOST_WORDS];
    } rows[] = {
        {"no kernels", {{MESSAGE_KERNELS, ""}}},
        {"kernels twice", {KERNELS, KERNELS}},
        {"a device first", {DEVICE}},
        {"a device twice", {KERNELS, DEVICE, DEVICE}},
        {"a device that is none", {KERNELS, {MESSAGE_DEVICE, "{}"}}},
        {"a start before the device", {KERNELS, START("f/a")}},
        {"a start of another", {KERNELS, DEVICE, START("f/b")}},
        {"a start of another item", {KERNELS, DEVICE, START("f/a"), START("f/b"), START("f/c"), START("g/a")}},
        {"a start twice, of one alone", {KERNELS, DEVICE, START("f/a"), START("f/a")}},
        {"a result before its start", {KERNELS, DEVICE, RESULT("f/a", "ok")}},
        {"a result twice", {KERNELS, DEVICE, START("f/a"), RESULT("f/a", "ok"), RESULT("f/a", "ok")}},
        {"another's result", {KERNELS, DEVICE, START("f/a"), START("f/b"), RESULT("f/b", "ok")}},
        {"a result of no kernel", {KERNELS, DEVICE, START("f/a"), {MESSAGE_RESULT, "{}"}}},
        {"a failure without a reason", {KERNELS, DEVICE, START("f/a"), RESULT("f/a", "failed")}},
        {"a wrong result without one", {KERNELS, DEVICE, START("f/a"), RESULT("f/a", "wrong result")}},
        {"its own crash", {KERNELS, DEVICE, START("f/a"), WORSE("f/a", "crashed")}},
        {"that it hangs", {KERNELS, DEVICE, START("f/a"), WORSE("f/a", "hung")}},
        {"a start after a failure", {KERNELS, DEVICE, START("f/a"), WORSE("f/a", "failed"), START("f/b")}},
        {"one alone that is lost", {KERNELS, DEVICE, START("f/a"), LOST}},
        {"lost twice", {KERNELS, DEVICE, START("f/a"), START("f/b"), LOST, LOST}},
        {"a result of what is lost", {KERNELS, DEVICE, START("f/a"), START("f/b"), LOST, RESULT("f/a", "ok")}},
        {"a start after that", {KERNELS, DEVICE, START("f/a"), START("f/b"), LOST, START("f/a")}},
        {"a failure of all after the device", {KERNELS, DEVICE, {MESSAGE_FAILURE, "made up"}}},
        {"no match after all", {KERNELS, {MESSAGE_NO_MATCH, "-k 'x'\nf/a\n"}}},
        {"an end before it", {KERNELS, DEVICE, {MESSAGE_END, ""}}},
        {"the parent's word", {KERNELS, DEVICE, {MESSAGE_ITEM, "f/a\n"}}},
        {"how far a launch is, of one that does not simulate", {KERNELS, DEVICE, START("f/a"), HEADWAY("1 2 3")}},
        {"no message", {{(enum message_kind)200, ""}}},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        WITH(tear_down, struct fixture fixture, set_up(&fixture));
        size_t count = 0;
        while (count < MOST_WORDS && rows[i].words[count].kind)
            count++;
        for (size_t w = 0; w < count; w++)
            cr_expect_eq(say(&fixture, 0, rows[i].words[w]), w + 1 < count ? ENDING_NOT_YET : ENDING_OUT_OF_TURN,
                         "%s: word %zu", rows[i].what, w + 1);
    }
}

/* A worker's own words: of a batch all begin first, and which is at work is said again. */
Test(pool_take, what_workers_say_is_taken)
{
    static const struct word words[] = {KERNELS,
                                        DEVICE,
                                        START("f/a"),
                                        START("f/b"),
                                        START("f/c"),
                                        START("f/a"),
                                        START("f/b"),
                                        RESULT("f/a", "ok"),
                                        WORSE("f/b", "wrong result"),
                                        WORSE("f/c", "not built")};
    WITH(tear_down, struct fixture fixture, set_up(&fixture));
    for (size_t i = 0; i < ARRAY_SIZE(words); i++)
        cr_expect_eq(say(&fixture, 0, words[i]), ENDING_NOT_YET, "word %zu", i + 1);
    cr_expect_eq(fixture.run.result_count, 3);
    cr_expect_eq(fixture.pool.queued, 1, "neither is a failure that another GPU could mend");
}

/* Once: also where the worker that tried it again spoke out of turn after its result. */
Test(pool_take, what_failed_on_two_gpus_is_not_tried_on_a_third)
{
    static const struct word first[] = {KERNELS, DEVICE, START("f/a"), WORSE("f/a", "failed")};
    WITH(tear_down, struct fixture fixture, set_up(&fixture));
    for (size_t i = 0; i < ARRAY_SIZE(first); i++)
        cr_assert_eq(say(&fixture, 0, first[i]), ENDING_NOT_YET);
    cr_assert_eq(fixture.pool.queued, 2, "another family, and what failed");
    struct slot *second = &fixture.slots[1];
    cr_assert_eq(say(&fixture, 1, (struct word)KERNELS), ENDING_NOT_YET);
    while (queue_take(second) && second->item.failed_on < 0)
        continue;
    cr_assert_eq(second->item.failed_on, 0);
    second->state = SLOT_OPEN;
    slot_tell(second);
    cr_assert_eq(say(&fixture, 1, (struct word)START("f/a")), ENDING_NOT_YET);
    cr_assert_eq(say(&fixture, 1, (struct word)RESULT("f/a", "ok")), ENDING_NOT_YET);
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
    static const struct word begin[] = {KERNELS, DEVICE, START("f/a")};
    static const char *const wrong[] = {"",       "1",       "1 2",     "3 2 1",  "0 0 1",
                                        "1 2 -2", "1 2 3 4", "1 2 nan", "-1 2 3", "a 2 3"};
    WITH(tear_down, struct fixture fixture, set_up(&fixture));
    fixture.measurement.backend = backend_find("sim");
    struct slot *slot = &fixture.slots[0];
    for (size_t i = 0; i < ARRAY_SIZE(begin); i++)
        cr_assert_eq(say(&fixture, 0, begin[i]), ENDING_NOT_YET);
    slot->deadline = 0;
    cr_expect_eq(say(&fixture, 0, (struct word)HEADWAY("1204 8192 181")), ENDING_NOT_YET);
    cr_expect_geq(slot->deadline, now_seconds() + 30);
    cr_expect(slot->headway.done == 1204 && slot->headway.count == 8192 && slot->headway.left == 181);
    slot->limit = 1;
    cr_expect_eq(say(&fixture, 0, (struct word)HEADWAY("1205 8192 -1")), ENDING_NOT_YET);
    cr_expect_eq(slot->deadline, 1, "its time is over in all");
    cr_expect_eq(say(&fixture, 0, (struct word)RESULT("f/a", "ok")), ENDING_NOT_YET);
    cr_expect_eq(say(&fixture, 0, (struct word)HEADWAY("1 1 0")), ENDING_NOT_YET, "close() may launch");
    cr_expect_eq(say(&fixture, 0, (struct word)START("f/b")), ENDING_NOT_YET);
    cr_expect_eq(slot->headway.count, 0);
    cr_expect_gt(slot->limit, now_seconds() + 300);
    for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
        cr_expect_eq(say(&fixture, 0, (struct word)HEADWAY(wrong[i])), ENDING_OUT_OF_TURN, "%s", wrong[i]);
}
