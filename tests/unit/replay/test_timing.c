#include "replay/timing.h"
#include "test.h"

Test(replay_timing, each_constant_has_a_name_and_a_place_of_its_own_and_moves_the_hash)
{
    struct chip chip = {.sms = 132, .clock = 1.98, .dram = 1, .l1_bytes = 1 << 18, .shared_bytes = 1 << 17};
    struct timing_row row, other;
    size_t count = 0;
    timing_default(&chip.timing);
    const unsigned hash = chip_hash(&chip);
    for (; timing_row(count, &row); count++) {
        struct chip moved = chip;
        *timing_place(&moved.timing, &row) *= 1.001;
        cr_expect(*timing_place(&chip.timing, &row) > 0 && row.error > 0.5 && row.error < 2 && row.error != 1 &&
                      *row.what,
                  "%s", row.name);
        cr_expect_neq(chip_hash(&moved), hash, "%s", row.name);
        for (size_t k = 0; k < count && timing_row(k, &other); k++)
            cr_expect(strcmp(other.name, row.name) != 0 && other.offset != row.offset, "%s", row.name);
    }
    cr_expect_eq(count, sizeof chip.timing / sizeof(double), "all are in the table");
    cr_expect_eq(chip_hash(&chip), hash);
    struct chip others[5] = {chip, chip, chip, chip, chip};
    others[0].sms++;
    others[1].clock *= 1.01;
    others[2].dram *= 1.01;
    others[3].l1_bytes++;
    others[4].shared_bytes++;
    for (size_t i = 0; i < ARRAY_SIZE(others); i++)
        cr_expect_neq(chip_hash(&others[i]), hash, "%zu", i);
}
