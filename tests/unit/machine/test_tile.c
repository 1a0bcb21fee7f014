#include "machine/tile.h"
#include "test.h"

static const struct tensor_map plane = {
    .type = 7, .rank = 2, .address = 0x10000, .sizes = {40, 6}, .strides = {160}, .steps = {1, 1}, .box = {8, 4}};

struct seen {
    struct tile_part parts[64];
    unsigned count;
};

static void see(void *context, const struct tile_part *part)
{
    struct seen *seen = context;
    cr_assert_lt(seen->count, 64);
    seen->parts[seen->count++] = *part;
}

Test(tile, parts_of_a_tile_in_order)
{
    struct seen seen = {.count = 0};
    const struct tile_place place = {.at = {4, 1}};
    tile_visit(&plane, &place, see, &seen);
    cr_assert_eq(seen.count, 8);
    cr_expect_eq(seen.parts[0].address, 0x10000 + 160 + 16);
    cr_expect_eq(seen.parts[1].address, 0x10000 + 160 + 32);
    cr_expect_eq(seen.parts[1].offset, 16);
    cr_expect_eq(seen.parts[2].address, 0x10000 + 320 + 16);
    cr_expect_eq(seen.parts[2].offset, 32);
    cr_expect_eq(tile_bytes(&plane), 128);
}

Test(tile, what_is_outside_is_not_inside)
{
    struct seen seen = {.count = 0};
    const struct tile_place place = {.at = {-4, 4}};
    tile_visit(&plane, &place, see, &seen);
    cr_expect_eq(seen.parts[0].inside, 0);
    cr_expect_eq(seen.parts[1].inside, 16);
    cr_expect_eq(seen.parts[1].address, 0x10000 + 640);
    cr_expect(seen.parts[6].inside == 0 && seen.parts[7].inside == 0, "rows 6 and 7 are none");
    struct tensor_map odd = plane;
    odd.sizes[0] = 38; /* the last part has two elements less */
    const struct tile_place last = {.at = {32, 0}};
    seen.count = 0;
    tile_visit(&odd, &last, see, &seen);
    cr_expect(seen.parts[0].inside == 16 && seen.parts[1].inside == 8 && seen.parts[1].before == 0);
}

Test(tile, rows_of_a_swizzle)
{
    struct tensor_map map = plane;
    map.swizzle = 3;
    cr_expect_eq(tile_bytes(&map), 128);
    cr_expect_eq(tile_extent(&map), 3 * 128 + 32, "each row begins at 128 bytes");
    const struct {
        unsigned swizzle;
        uint32_t address, want;
    } rows[] = {{0, 0x480, 0x480}, {1, 0x480, 0x490}, {1, 0x500, 0x500}, {2, 0x480, 0x490},
                {2, 0x580, 0x5b0}, {3, 0x480, 0x490}, {3, 0x780, 0x7f0}, {3, 0x7f0, 0x780}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        cr_expect_eq(tile_swizzled(rows[i].swizzle, rows[i].address), rows[i].want, "row %zu", i);
}

Test(tile, pixels_go_on_in_the_next_row)
{
    struct seen seen = {.count = 0};
    const struct tensor_map map = {.columns = true,
                                   .type = 6,
                                   .rank = 4,
                                   .address = 0x10000,
                                   .sizes = {8, 4, 3, 2},
                                   .strides = {16, 64, 192},
                                   .steps = {1, 1, 1, 1},
                                   .lower = {-1, -1},
                                   .upper = {-1, -1},
                                   .channels = 8,
                                   .pixels = 6};
    const struct tile_place place = {.at = {0, 1, -1, 0}, .offsets = {1, 1}};
    tile_visit(&map, &place, see, &seen);
    cr_assert_eq(seen.count, 6);
    cr_expect_eq(seen.parts[0].address, 0x10000 + 2 * 16, "column 1 + 1, row -1 + 1");
    cr_expect_eq(seen.parts[1].address, 0x10000 + 3 * 16);
    cr_expect_eq(seen.parts[2].address, 0x10000 + 64, "column -1 + 1 of the next row");
}

Test(tile, fill_of_either_kind)
{
    unsigned char bytes[8];
    struct tensor_map map = plane;
    tile_fill(&map, bytes, 8);
    cr_expect_eq(memcmp(bytes, (unsigned char[8]){0}, 8), 0);
    map.fill = 1;
    tile_fill(&map, bytes, 8);
    cr_expect_eq(memcmp(bytes, "\xf7\x7f\xf7\x7f\xf7\x7f\xf7\x7f", 8), 0);
}
