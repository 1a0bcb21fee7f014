#include "replay/cache.h"
#include "test.h"

Test(replay_cache, a_line_makes_room_that_was_not_used_for_longest)
{
    struct l1 l1;
    l1_open(&l1, (size_t)128 * L1_WAYS); /* one set */
    for (unsigned line = 0; line < L1_WAYS; line++)
        *l1_find(&l1, line * LINE_SECTORS + 1, line + 1) = 100 + line;
    cr_expect_eq(*l1_find(&l1, 1, 50), 100, "the first line is there, and used now");
    cr_expect_eq(*l1_find(&l1, 2, 51), 0, "each sector comes by itself");
    *l1_find(&l1, L1_WAYS * LINE_SECTORS, 52) = 1;
    cr_expect_eq(*l1_find(&l1, 1, 53), 100);
    cr_expect_eq(*l1_find(&l1, 2 * LINE_SECTORS + 1, 54), 102);
    cr_expect_eq(*l1_find(&l1, LINE_SECTORS + 1, 55), 0, "the second had to go");
    l1_empty(&l1);
    cr_expect_eq(*l1_find(&l1, 1, 56), 0);
    l1_close(&l1);
}

Test(replay_cache, lines_are_spread_over_the_sets)
{
    static const struct {
        size_t bytes;
        unsigned least, most; /* lines of 1024 that are there when all were loaded */
    } rows[] = {{1 << 18, 1024, 1024}, {1 << 15, 129, 256}};
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct l1 l1;
        unsigned kept = 0;
        l1_open(&l1, rows[i].bytes);
        for (unsigned line = 0; line < 1024; line++)
            *l1_find(&l1, (uint64_t)line * LINE_SECTORS, line + 1) = 1;
        for (unsigned line = 1024; line-- > 0;)
            kept += *l1_find(&l1, (uint64_t)line * LINE_SECTORS, 2048) > 0;
        cr_expect(rows[i].least <= kept && kept <= rows[i].most, "%zu bytes: %u", rows[i].bytes, kept);
        l1_close(&l1);
    }
}

Test(replay_cache, sectors_that_were_seen_keep_their_numbers)
{
    OWNED(seen) seen = {0};
    bool is_new;
    for (uint64_t i = 0; i < 20000; i++) {
        struct seen_sector *sector = seen_find(&seen, i % 10000 * (i % 10000), &is_new);
        EXPECT_ALL(is_new == (i < 10000), (is_new || sector->number == i % 10000));
        sector->number = i % 10000;
    }
    cr_expect_eq(seen.count, 10000);
}
