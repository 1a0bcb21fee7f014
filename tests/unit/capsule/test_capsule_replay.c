#include "made_device.h"
#include "test.h"

static struct made_file made;
static struct problem problem;
static char why[1024];

DO(begin(void), made_file_open(&made));
DO(end(void), made_file_close(&made));

TestSuite(capsule_replay, .init = begin, .fini = end);

static struct replay *opened(size_t number)
{
    struct replay *replay = NULL;
    cr_assert_eq(replay_open(&replay, &made.player, &made.capsules.list[number], &problem), 0, "%s", problem.text);
    return replay;
}

/* Restores, launches and compares. */
static int replayed(struct replay *replay)
{
    return replay_restore(replay, &problem) < 0 || replay_launch(replay, &problem) < 0 ||
                   replay_wait(replay, &problem) < 0
               ? -1
               : replay_compare(replay, why, sizeof why, &problem);
}

Test(capsule_replay, every_launch_leaves_what_it_left_in_the_program)
{
    for (size_t i = 0; i < MADE_COUNT; i++) {
        struct replay *replay = opened(i);
        for (int times = 0; times < 3; times++)
            cr_expect_eq(replayed(replay), 0, "capsule %zu: %s %s", i, why, problem.text);
        replay_close(replay);
        cr_expect_eq(made_regions, made_loaded, "memory of capsule %zu is left", i);
    }
}

Test(capsule_replay, several_may_be_open_at_once)
{
    struct replay *replays[MADE_COUNT];
    for (size_t i = 0; i < MADE_COUNT; i++)
        replays[i] = opened(i);
    for (size_t times = 0; times < 3 * MADE_COUNT; times++) {
        const size_t i = times * 3 % MADE_COUNT;
        cr_expect_eq(replayed(replays[i]), 0, "capsule %zu: %s %s", i, why, problem.text);
    }
    replay_close(replays[MADE_ADD]);
    cr_expect_eq(replayed(replays[MADE_AGAIN]), 0, "%s %s", why, problem.text);
    for (size_t i = 1; i < MADE_COUNT; i++)
        replay_close(replays[i]);
    cr_expect_eq(made_regions, made_loaded);
}

Test(capsule_replay, what_the_launch_does_not_change_is_restored_once)
{
    const uint64_t size = ADD_COUNT * sizeof(uint32_t);
    struct replay *add = opened(MADE_ADD), *again = opened(MADE_AGAIN);
    cr_expect_eq(replay_restore(add, &problem), 0);
    cr_expect_eq(made_copied, 2 * size);
    cr_expect_eq(replay_restore(add, &problem), 0);
    cr_expect_eq(made_copied, 3 * size);
    cr_expect_eq(replay_restore(again, &problem), 0);
    cr_expect_eq(replay_restore(add, &problem), 0);
    cr_expect_eq(made_copied, 7 * size);
    replay_close(add);
    replay_close(again);
}

Test(capsule_replay, pointers_into_variables_are_moved)
{
    struct replay *replay = opened(MADE_FOLLOW);
    cr_assert_eq(replay_restore(replay, &problem), 0, "%s", problem.text);
    /* Of the words that the loader wrote, the first stays, and the program has set the third. */
    const uint64_t words[] = {MADE_FUNCTION, made_cell(), 40, MADE_SLOT, made_cell(), 0};
    cr_expect_eq(memcmp(made_memory(made_table(), sizeof words), words, sizeof words), 0);
    cr_expect_eq(memcmp(made_memory(MADE_SLOT, 8), &words[1], 8), 0);
    cr_expect_eq(replayed(replay), 0, "%s %s", why, problem.text);
    made_device_fault = MADE_WRONG;
    cr_expect_eq(replayed(replay), 1);
    expect_word(why, "variable table differs from the expected result: byte 40 of 64 is ");
    replay_close(replay);
}

Test(capsule_replay, it_is_said_where_memory_differs)
{
    struct replay *replay = opened(MADE_ADD);
    made_device_fault = MADE_WRONG;
    cr_expect_eq(replayed(replay), 1);
    cr_expect_str_eq(why, "argument 1 differs from the expected result: byte 80000 of 160000 is "
                          "0x2001ea61 instead of 0x2000ea61; 3 bytes differ");
    made_device_fault = MADE_FINE;
    cr_expect_eq(replayed(replay), 0, "%s", why);
    made_memory(MADE_IN + 77, 1)[0] ^= 1; /* memory that the launch should not have changed */
    cr_expect_eq(replay_compare(replay, why, sizeof why, &problem), 1);
    expect_words(why, "argument 2 differs", "; 1 byte differs");
    replay_close(replay);
}

/* The words of MADE_ADD are single precision numbers, of 1e-19, unless its argument says that they are none. */
Test(capsule_replay, values_within_the_tolerance_do_not_differ)
{
    struct capsule *capsule = &made.capsules.list[MADE_ADD];
    capsule->tolerance = 0.01;
    capsule->type = VALUE_F32;
    struct replay *replay = opened(MADE_ADD);
    cr_expect_eq(replayed(replay), 0, "%s", why);
    uint32_t *words = (uint32_t *)(void *)made_memory(MADE_OUT, ADD_COUNT * sizeof(uint32_t));
    words[20000] += 3;
    cr_expect_eq(replay_compare(replay, why, sizeof why, &problem), 0, "%s", why);
    words[20001] += 1000000;
    cr_expect_eq(replay_compare(replay, why, sizeof why, &problem), 1);
    expect_words(why, "byte 80004 of 160000 is ",
                 ", including 1 f32 value beyond the tolerance of 0.01 (the worst is off by 1.29e-20)");
    words[20001] -= 1000000;
    capsule->arguments[0].exact = true;
    cr_expect_eq(replay_compare(replay, why, sizeof why, &problem), 1);
    expect_words(why, "byte 80000 of 160000 is ", ", including 1 integer, which must match bit for bit");
    capsule->arguments[0].exact = false;
    made_memory(MADE_IN + 400, 1)[0] ^= 1; /* memory that the launch should not have changed */
    cr_expect_eq(replay_compare(replay, why, sizeof why, &problem), 1);
    expect_words(why, "argument 2 differs", "; 1 byte differs");
    replay_close(replay);
}

Test(capsule_replay, several_launches_are_made_in_order_and_scratch_is_not_compared)
{
    struct capsule *capsule = &made.capsules.list[MADE_ADD];
    struct argument once[] = {{.size = 8, .of = 1}, {.offset = 8, .size = 8, .of = 2}},
                    again[] = {{.size = 8, .of = 1}, {.offset = 8, .size = 8, .of = 1}};
    struct capsule_step steps[] = {{.function = capsule->function, .grid = {1, 1, 1}, .block = {1, 1, 1}},
                                   {.function = capsule->function, .grid = {1, 1, 1}, .block = {1, 1, 1}}};
    unsigned char none[16] = {0};
    for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
        steps[i].bytes = none;
        steps[i].byte_count = sizeof none;
        steps[i].arguments = i == 0 ? once : again;
        steps[i].argument_count = 2;
    }
    capsule->steps = steps;
    capsule->step_count = 1;
    struct replay *replay = opened(MADE_ADD);
    cr_expect_eq(replayed(replay), 0, "%s", why);
    capsule->step_count = 2;
    cr_expect_eq(replayed(replay), 1);
    expect_word(why, "byte 0 of 160000 is 0x20000002 instead of 0x20000001");
    capsule->ranges[0].kind = MEMORY_SCRATCH;
    cr_expect_eq(replayed(replay), 0, "%s", why);
    replay_close(replay);
    capsule->steps = NULL;
    capsule->step_count = 0;
}

Test(capsule_replay, bits_that_vary_are_not_compared_and_others_are)
{
    struct replay *replay = opened(MADE_NOISY);
    for (int times = 0; times < 5; times++)
        cr_expect_eq(replayed(replay), 0, "%s", why);
    made_device_fault = MADE_WRONG;
    cr_expect_eq(replayed(replay), 1);
    expect_word(why, "byte 96 of 100 is 0x00");
    replay_close(replay);
}

Test(capsule_replay, other_code_may_do_without_a_variable)
{
    made_device_fault = MADE_NO_VARIABLE;
    struct capsule *capsule = &made.capsules.list[MADE_FOLLOW];
    struct replay *replay = NULL;
    cr_expect_eq(replay_open(&replay, &made.player, capsule, &problem), -1);
    cr_expect_str_eq(problem.text, "there is no variable cell");
    cr_expect_eq(made_regions, made_loaded);
    capsule->swapped = x_strdup("other.cubin");
    replay = opened(MADE_FOLLOW);
    replay_close(replay);
    cr_expect_eq(made_regions, made_loaded);
}

Test(capsule_replay, a_variable_of_another_size_is_another)
{
    struct replay *replay = NULL;
    made.capsules.list[MADE_FOLLOW].ranges[2].size = 56;
    cr_expect_eq(replay_open(&replay, &made.player, &made.capsules.list[MADE_FOLLOW], &problem), -1);
    expect_word(problem.text, "variable table of app/follow@1 has 64 bytes, but had 56");
}

/* Does all that can be done with a capsule; the device refuses one of the calls. */
static int do_all(size_t number, size_t refuses)
{
    struct replay *replay = NULL;
    made_calls = 0;
    made_refused = refuses;
    TRY(replay_open(&replay, &made.player, &made.capsules.list[number], &problem));
    const int result = replayed(replay);
    replay_close(replay);
    return result;
}

Test(capsule_replay, any_call_may_fail_and_nothing_is_left)
{
    for (size_t number = 0; number < MADE_COUNT; number++) {
        size_t refuses = 0;
        for (int result = -1; result < 0; refuses++) {
            problem = (struct problem){0};
            result = do_all(number, refuses);
            cr_expect(result == 0 || strcmp(problem.text, "made-up refusal") == 0, "call %zu of capsule %zu: %d, %s",
                      refuses, number, result, problem.text);
            cr_expect_eq(made_regions, made_loaded, "memory is left after call %zu of capsule %zu", refuses, number);
            cr_assert_lt(refuses, 100);
        }
        cr_expect_gt(refuses, 7);
    }
}

Test(capsule_replay, a_damaged_page_is_said)
{
    FILE *file = fopen(made.path, "r+e");
    cr_assert_not_null(file);
    fseek(file, 60, SEEK_SET); /* in the first page */
    fputs("damage", file);
    fclose(file);
    struct replay *replay = NULL;
    cr_expect_eq(replay_open(&replay, &made.player, &made.capsules.list[MADE_ADD], &problem), -1);
    expect_word(problem.text, "is damaged: page 0 ");
    cr_expect_eq(made_regions, made_loaded);
}
