#include "capsule/replay_parts.h"
#include "made_device.h"
#include "test.h"

#include <inttypes.h>
#include <sys/mman.h>

static struct made_file made;
static struct problem problem;

static bool is_taken(uint64_t address)
{
    void *wanted = (void *)(uintptr_t)address; /* NOLINT(performance-no-int-to-ptr) */
    void *mapped = mmap(wanted, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (mapped != MAP_FAILED)
        munmap(mapped, 4096);
    return mapped == MAP_FAILED;
}

Test(capsule_player, addresses_are_held_until_the_device_has_them)
{
    struct player player;
    made_file_open(&made);
    player_close(&made.player);
    cr_expect_eq(made_reserved, 2);
    cr_expect_not(is_taken(MADE_IN));
    cr_assert_eq(player_hold(&player, &made.capsules, &problem), 0, "%s", problem.text);
    cr_assert_eq(player.block_count, 2);
    cr_expect_eq(player.blocks[0].begin, 0x7d0000000000);
    cr_expect_eq(player.blocks[0].end, 0x7d0002000000);
    cr_expect_eq(player.blocks[1].begin, 0x7d0010000000);
    cr_expect(is_taken(0x7d0000000000));
    cr_expect(is_taken(0x7d0010000000));
    cr_expect(is_taken(0x7d0002000000), "what follows is held, too");
    made_calls = 0;
    made_refused = 0;
    cr_expect_eq(player_open(&player, &made_device, &problem), -1);
    cr_expect_str_eq(problem.text, "made-up refusal");
    cr_expect_not(is_taken(0x7d0000000000), "it is the device's");
    player_close(&player);
    cr_expect_not(is_taken(0x7d0010000000));
    cr_expect_not(is_taken(0x7d0002000000), "nor is what follows");
    made_file_close(&made);
}

Test(capsule_player, it_is_said_what_has_the_addresses)
{
    struct player player;
    made_file_open(&made);
    player_close(&made.player);
    void *wanted = (void *)(uintptr_t)(MADE_SLOT + 4096 - MADE_SLOT % 4096); /* NOLINT(performance-no-int-to-ptr) */
    void *mapped = mmap(wanted, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    cr_assert_eq(mapped, wanted);
    cr_expect_eq(player_hold(&player, &made.capsules, &problem), -1);
    expect_word(problem.text, "needs the addresses 0x7d0010000000 to 0x7d0012000000, but this process has other "
                              "memory there; run the command again");
    cr_expect_not(is_taken(MADE_IN), "what was held is given up");
    made.capsules.list[MADE_FOLLOW].ranges[0].address = (uint64_t)(uintptr_t)stdout;
    cr_expect_eq(player_hold(&player, &made.capsules, &problem), -1);
    expect_word(problem.text, "but this process has ");
    made.capsules.list[MADE_FOLLOW].ranges[0].address = (uint64_t)1 << 50;
    cr_expect_eq(player_hold(&player, &made.capsules, &problem), -1);
    expect_word(problem.text, "app/follow@1 has memory at 0x4000000000000, which is not a valid address");
    munmap(mapped, 4096);
    made_file_close(&made);
}

Test(capsule_player, memory_is_backed_once_and_until_its_last_user)
{
    struct backed add, again;
    made_file_open(&made);
    cr_assert_eq(player_back(&made.player, &made.capsules.list[MADE_ADD], &add, &problem), 0, "%s", problem.text);
    cr_expect_eq(made_backed, 1, "two ranges that touch, in units of 2 MiB");
    cr_expect_eq(made.player.backings[0].place.begin, 0x7d0000000000);
    cr_expect_eq(made.player.backings[0].place.end, 0x7d0000400000);
    /* Of this one a part is backed already; the rest is memory of the host. */
    cr_assert_eq(player_back(&made.player, &made.capsules.list[MADE_AGAIN], &again, &problem), 0, "%s", problem.text);
    cr_expect_eq(made_backed, 2);
    cr_expect_eq(made.player.backing_count, 2);
    cr_expect_eq(made.player.backings[0].users, 2);
    cr_expect_eq(made.player.backings[1].users, 1);
    player_unback(&made.player, &add);
    cr_expect_eq(made_backed, 2);
    player_unback(&made.player, &again);
    cr_expect_eq(made_backed, 0);
    cr_expect_eq(made.player.backing_count, 0);
    made_file_close(&made);
}
