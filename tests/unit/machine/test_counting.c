/* Tests the costs of accesses by examples that were recorded on an H200, instruction by instruction. */
#include "machine/counting.h"

#include <criterion/criterion.h>

enum { LANES = 32 };

/* Sets the addresses so that lane l accesses element l * step. */
static void fill(uint32_t *narrow, uint64_t *wide, unsigned step, unsigned size, unsigned offset)
{
    for (unsigned l = 0; l < LANES; l++) {
        narrow[l] = 1024 + offset + l * step * size;
        wide[l] = UINT64_C(0x7f0000000000) + offset + (uint64_t)l * step * size;
    }
}

Test(counting, sectors_of_global_memory)
{
    static const struct {
        uint32_t lanes;
        unsigned step, size, offset, touched, ideal;
    } cases[] = {
        {UINT32_MAX, 1, 4, 0, 4, 4},    {UINT32_MAX, 1, 4, 4, 5, 4}, {UINT32_MAX, 2, 4, 0, 8, 4},
        {UINT32_MAX, 8, 4, 0, 32, 4},   {UINT32_MAX, 0, 4, 0, 1, 1}, {UINT32_MAX, 1, 16, 0, 16, 16},
        {UINT32_MAX, 2, 16, 0, 32, 16}, {UINT32_MAX, 1, 8, 8, 9, 8}, {0x0000ffff, 1, 4, 0, 2, 2},
        {0x00000001, 1, 4, 0, 1, 1},    {0x55555555, 1, 4, 0, 4, 2}, {UINT32_MAX, 1, 1, 0, 1, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint32_t narrow[LANES];
        uint64_t wide[LANES];
        fill(narrow, wide, cases[i].step, cases[i].size, cases[i].offset);
        const struct sectors got = count_sectors(cases[i].lanes, wide, cases[i].size);
        cr_expect_eq(got.touched, cases[i].touched, "case %zu: %u sectors", i, got.touched);
        cr_expect_eq(got.ideal, cases[i].ideal, "case %zu: ideal %u", i, got.ideal);
    }
}

Test(counting, wavefronts_of_shared_memory)
{
    static const struct {
        uint32_t lanes;
        unsigned step, size, passes, ideal;
    } cases[] = {
        {UINT32_MAX, 1, 4, 1, 1},  {UINT32_MAX, 2, 4, 2, 1},   {UINT32_MAX, 32, 4, 32, 1}, {UINT32_MAX, 33, 4, 1, 1},
        {UINT32_MAX, 0, 4, 1, 1},  {0x0000ffff, 32, 4, 16, 1}, {UINT32_MAX, 1, 8, 2, 2},   {UINT32_MAX, 16, 8, 32, 2},
        {UINT32_MAX, 0, 8, 1, 1},  {UINT32_MAX, 1, 16, 4, 4},  {UINT32_MAX, 8, 16, 32, 4}, {UINT32_MAX, 1, 1, 1, 1},
        {UINT32_MAX, 0, 16, 2, 2}, {0x00000001, 1, 16, 1, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint32_t narrow[LANES];
        uint64_t wide[LANES];
        fill(narrow, wide, cases[i].step, cases[i].size, 0);
        const struct wavefronts got = count_wavefronts(cases[i].lanes, narrow, cases[i].size, false);
        cr_expect_eq(got.passes, cases[i].passes, "case %zu: %u passes", i, got.passes);
        cr_expect_eq(got.ideal, cases[i].ideal, "case %zu: ideal %u", i, got.ideal);
        cr_expect_eq(got.margin, 0, "case %zu", i);
    }
}

/* Loads of neighbours that share an address go as one pass if no bank is asked for two words. Stores never do. */
Test(counting, halves_of_a_warp_go_together_when_neighbours_agree)
{
    uint32_t agreeing[LANES], meeting[LANES];
    for (unsigned l = 0; l < LANES; l++) {
        agreeing[l] = 1024 + l / 2 * 8;
        meeting[l] = 1024 + l / 2 * 256;
    }
    cr_expect_eq(count_wavefronts(UINT32_MAX, agreeing, 8, false).passes, 1);
    cr_expect_eq(count_wavefronts(UINT32_MAX, agreeing, 8, true).passes, 2);
    cr_expect_eq(count_wavefronts(UINT32_MAX, meeting, 8, false).passes, 16);
}

Test(counting, sixteen_bytes_by_scattered_lanes_have_margin)
{
    uint32_t addresses[LANES];
    for (unsigned l = 0; l < LANES; l++)
        addresses[l] = 1024 + (l * 7 % 5) * 16;
    cr_expect_gt(count_wavefronts(0x0f0f0f0f, addresses, 16, false).margin, 0);
    cr_expect_eq(count_wavefronts(UINT32_MAX, addresses, 16, false).margin, 0);
}

Test(counting, atomics_of_lanes_that_meet_come_one_after_the_other)
{
    uint32_t apart[LANES], same[LANES];
    for (unsigned l = 0; l < LANES; l++) {
        apart[l] = 1024 + l * 4;
        same[l] = 1024;
    }
    cr_expect_eq(count_atomic(UINT32_MAX, apart, 4, ATOMIC_CHANGES).passes, 1);
    cr_expect_eq(count_atomic(UINT32_MAX, same, 4, ATOMIC_CHANGES).passes, 32);
    cr_expect_eq(count_atomic(UINT32_MAX, same, 4, ATOMIC_CHANGES).ideal, 1);
    cr_expect_eq(count_atomic(UINT32_MAX, same, 4, ATOMIC_COUNTS).passes, 1);
    cr_expect_eq(count_atomic(UINT32_MAX, apart, 4, ATOMIC_SWAPS).passes, 2);
    cr_expect_eq(count_atomic(UINT32_MAX, same, 4, ATOMIC_ONE_SWAPS).passes, 2);
}

/* Lanes take turns when one place is copied to many, or many banks to one. */
Test(counting, asynchronous_copies)
{
    uint32_t to[LANES];
    uint64_t from[LANES];
    for (unsigned l = 0; l < LANES; l++) {
        to[l] = 1024 + l * 4;
        from[l] = UINT64_C(0x7f0000000000) + l * 4;
    }
    struct copy_counts counts = count_copy(UINT32_MAX, from, to, 4, 0);
    cr_expect_eq(counts.lines.touched, 4);
    cr_expect_eq(counts.wavefronts.passes, 1);
    for (unsigned l = 0; l < LANES; l++)
        from[l] = UINT64_C(0x7f0000000000);
    counts = count_copy(UINT32_MAX, from, to, 4, 0);
    cr_expect_eq(counts.lines.touched, 1);
    cr_expect_eq(counts.wavefronts.passes, 32);
    /* These copies do not go through the L1: rows of 128 bytes, one for each quarter of a warp. */
    for (unsigned l = 0; l < LANES; l++) {
        to[l] = 1024 + l * 16;
        from[l] = UINT64_C(0x7f0000000000) + l * 16;
    }
    counts = count_copy(UINT32_MAX, from, to, 16, 1);
    cr_expect_eq(counts.lines.touched, 16);
    cr_expect_eq(counts.wavefronts.passes, 4);
    cr_expect_eq(counts.wavefronts.ideal, 4);
}
