#include "capsule/replay_parts.h"
#include "test.h"

/* Three variables; the second begins right behind the first. */
static struct move list[] = {{0x5000, 8, 0x30}, {0x1000, 0x100, 0x10000}, {0x1100, 0x10, 0x20000}};
static struct moves moves = {.list = list, .count = ARRAY_SIZE(list)};

Test(capsule_moves, pointers_into_a_variable_or_right_behind_it_are_moved)
{
    static const struct {
        uint64_t pointer, here; /* 0: it stays */
    } cases[] = {
        {0, 0},
        {0xfff, 0},
        {0x1000, 0x10000},
        {0x10ff, 0x100ff},
        {0x1100, 0x20000},
        {0x110f, 0x2000f},
        {0x1110, 0x20010},
        {0x1111, 0},
        {0x4fff, 0},
        {0x5000, 0x30},
        {0x5008, 0x38},
        {0x5009, 0},
        {UINT64_MAX, 0},
    };
    moves_sort(&moves);
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        uint64_t here = 0;
        cr_expect_eq(moves_find(&moves, cases[i].pointer, &here), cases[i].here != 0, "case %zu", i);
        cr_expect_eq(here, cases[i].here, "case %zu", i);
    }
}

Test(capsule_moves, words_are_at_multiples_of_8_bytes_of_addresses)
{
    uint64_t words[] = {0x1000, 7, 0x5004, 0x1100};
    const uint64_t moved[] = {0x10000, 7, 0x34, 0x20000};
    unsigned char bytes[sizeof words + 4] = {0};
    moves_sort(&moves);
    memcpy(bytes + 4, words, sizeof words);
    moves_apply(&moves, 0x7004, bytes + 4, sizeof words);
    cr_expect_eq(memcmp(bytes + 4, words, sizeof words), 0, "they are at no multiple of 8");
    moves_apply(&moves, 0x7004, bytes, sizeof bytes);
    cr_expect_eq(memcmp(bytes + 4, moved, sizeof moved), 0);
    moves_apply(&moves, 0x8000, (unsigned char *)words, sizeof words - 1);
    cr_expect_eq(words[2], 0x34);
    cr_expect_eq(words[3], 0x1100, "the last is not whole");
}
