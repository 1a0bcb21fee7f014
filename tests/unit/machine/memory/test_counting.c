/* What copies and matrices cost that no recorded kernel tells apart; tests/sim/recorded.sh has all others. */
#include "machine/memory/counting.h"

#include <criterion/criterion.h>

/* Sectors are of 32 bytes, and copies of 16 go past the L1. */
Test(counting, a_pass_past_the_l1_takes_a_source_sector_once)
{
    const uint64_t from[32] = {0x1000, 0x1000, 0x1020};
    const uint32_t to[32] = {0, 64, 96};
    cr_expect_eq(count_copy(1, from, to, 16, 1).wavefronts.passes, 1);
    cr_expect_eq(count_copy(3, from, to, 16, 1).wavefronts.passes, 2, "one source, two destinations");
    cr_expect_eq(count_copy(5, from, to, 16, 1).wavefronts.passes, 1, "two of each");
}

Test(counting, rows_of_a_matrix_meet_in_their_banks)
{
    uint32_t addresses[32];
    for (unsigned l = 0; l < 32; l++)
        addresses[l] = l < 16 ? l * 16 : l < 24 ? l * 128 : l * 128 + l % 4 * 16;
    cr_expect_eq(count_matrices(0xff, addresses, 1).passes, 1, "side by side");
    cr_expect_eq(count_matrices(UINT32_MAX, addresses, 2).passes, 2);
    cr_expect_eq(count_matrices(UINT32_MAX, addresses, 3).passes, 10, "eight rows in four banks");
    cr_expect_eq(count_matrices(UINT32_MAX, addresses, 4).passes, 12, "two rows in four banks each");
    cr_expect_eq(count_matrices(UINT32_MAX, addresses, 4).ideal, 4);
    cr_expect_eq(count_matrices(0, addresses, 4).passes, 0);
}
