#include "replay/made_launch.h"
#include "test.h"

/* Two arrays: sectors 100 to 200, and 300 to 1324. An SM of four, of which a half is recorded. */
static struct recorded_place places[] = {{100, 200}, {300, 1324}};

static struct traffic traffic_of(const struct made_step *steps)
{
    struct recorded_warp warp = {0};
    for (unsigned i = 0; steps[i].opcode; i++)
        made_record(&warp, i, &steps[i], steps[i].first);
    struct recorded_block block = {.warp_count = 1, .warps = &warp};
    const struct recorder recorder = {.sms = 4,
                                      .resident = 1,
                                      .blocks = (struct recorded_block *[]){&block},
                                      .count = 1,
                                      .recorded = 10,
                                      .steps = 80,
                                      .places = places,
                                      .place_count = 2};
    const struct traffic traffic = replay_traffic(&recorder, &(struct timing){.l2_mib = 30});
    free(warp.words);
    return traffic;
}

Test(replay_traffic, a_sector_is_in_one_place_or_in_none)
{
    static const uint32_t sectors[][2] = {{99, 2}, {100, 0}, {199, 0}, {200, 2}, {300, 1}, {1323, 1}, {1324, 2}};
    const struct recorder recorder = {.places = places, .place_count = 2};
    for (size_t i = 0; i < ARRAY_SIZE(sectors); i++)
        cr_expect_eq(traffic_place(&recorder, sectors[i][0]), sectors[i][1], "%u", sectors[i][0]);
}

/* clang-format off: rows of a table */
#define LOAD(from, count)                                                                                              \
    FIELDS(.opcode = "LDG.E", .operands = "R4,[R2.64]", .kind = RECORDED_LOAD, .first = (from), .sectors = (count))
#define COPY(from, count)                                                                                              \
    FIELDS(.opcode = "LDGSTS.E", .operands = "[R4],[R2.64]", .kind = RECORDED_COPY, .first = (from), .sectors = (count))
#define STORE(bytes, from)                                                                                             \
    FIELDS(.opcode = "STG.E", .operands = "[R2.64],R4", .kind = RECORDED_STORE, .head = {bytes}, .first = (from),      \
           .sectors = 4)

Test(replay_traffic, what_all_sms_read_is_brought_once_and_stores_are_whole_or_in_parts)
{
    const struct {
        const struct made_step *steps;
        double shares[3], stored, whole;
    } rows[] = {
        {STEPS(LOAD(100, 100)), {100. / 800, 1, 1}, 0, 1},                 /* a table that all eight read */
        {STEPS(LOAD(100, 100), LOAD(100, 100)), {100. / 800, 1, 1}, 0, 1}, /* again it is not new */
        {STEPS(LOAD(300, 128)), {1, 1, 1}, 0, 1},                          /* 128 of each of eight make the whole */
        {STEPS(LOAD(300, 128), COPY(428, 128), LOAD(5000, 4)), {1, 0.5, 1}, 0, 1},
        {STEPS(STORE(128, 100)), {1, 1, 1}, 8 * 128, 1},
        {STEPS(STORE(128, 100), STORE(128, 100)), {1, 1, 1}, 8 * 128, 1},
        {STEPS(STORE(16, 100)), {1, 1, 1}, 8 * 16, 0.125},
        {STEPS(STORE(16, 100), STORE(16, 100)), {1, 1, 1}, 8 * 32, 0.25}, /* the parts are taken to be different ones */
        {STEPS(STORE(128, 100), STORE(16, 104)), {1, 1, 1}, 8 * 144, 144. / 256},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const struct traffic traffic = traffic_of(rows[i].steps);
        for (size_t k = 0; k < 3; k++)
            cr_expect_float_eq(traffic.shares[k], rows[i].shares[k], 1e-9, "row %zu: %g", i, traffic.shares[k]);
        cr_expect_float_eq(traffic.stored, rows[i].stored, 1e-9, "row %zu: %g", i, traffic.stored);
        cr_expect_float_eq(traffic.whole, rows[i].whole, 1e-9, "row %zu: %g", i, traffic.whole);
        free(traffic.shares);
    }
}

/* Six blocks of a launch of 18 that three SMs have, one at a time: each loads eight sectors of a place of `size`, so
 * many further on than the one before. */
static double share_of(uint32_t size, uint32_t moves, double l2_sectors)
{
    struct recorded_warp warps[6] = {{0}};
    struct recorded_block blocks[6], *list[6];
    for (unsigned b = 0; b < 6; b++) {
        const struct made_step step = LOAD(0, 8);
        made_record(&warps[b], 0, &step, 1000 + 3 * b * moves % size);
        blocks[b] = (struct recorded_block){.number = UINT64_C(3) * b, .warp_count = 1, .warps = &warps[b]};
        list[b] = &blocks[b];
    }
    const struct recorder recorder = {.sms = 3,
                                      .resident = 1,
                                      .blocks = list,
                                      .count = 6,
                                      .recorded = 6,
                                      .sm_steps = 6,
                                      .steps = 18,
                                      .block_count = 18,
                                      .places = &(struct recorded_place){1000, 1000 + size},
                                      .place_count = 1};
    const struct timing timing = {.l2_mib = l2_sectors * 32 / (1 << 20)};
    const struct traffic traffic = replay_traffic(&recorder, &timing);
    const double share = traffic.shares[0];
    for (unsigned b = 0; b < 6; b++)
        free(warps[b].words);
    free(traffic.shares);
    return share;
}

Test(replay_traffic, what_comes_again_comes_from_dram_if_the_l2_has_lost_it)
{
    /* Blocks go through the place more than twice: once from DRAM if the L2 keeps it, else each time. */
    cr_expect_float_eq(share_of(64, 8, 64), 64. / 144, 1e-9);
    cr_expect_float_eq(share_of(64, 8, 32), 1, 0.1);
    cr_expect_float_eq(share_of(64, 8, 48), 0.6, 0.1);
    /* What all blocks load comes once for three SMs. */
    cr_expect_float_eq(share_of(64, 0, 9), 1. / 3, 1e-9);
    cr_expect_float_eq(share_of(64, 0, 4), 1. / 3, 1e-9);
    /* A larger place is loaded as far as blocks go, those of other SMs too; but others may go elsewhere. */
    cr_expect_float_eq(share_of(76, 4, 1e6), 76. / 144, 1e-9);
    cr_expect_float_eq(share_of(4096, 4, 1e6), 76. / 144, 1e-9);
    for (unsigned moves = 0; moves < 2; moves++)
        cr_expect_float_eq(share_of(4096, moves, 1e6), 1, 1e-9);
    /* Blocks share half of what they load with the next one. Three bring 16 sectors for 24; a later wave finds four of
       them, if the L2 holds a wave. */
    cr_expect_float_eq(share_of(128, 4, 10), 16. / 24, 1e-9);
    cr_expect_float_eq(share_of(128, 4, 20), (16 + 5 * 12) / (6 * 24.), 1e-9);
}
