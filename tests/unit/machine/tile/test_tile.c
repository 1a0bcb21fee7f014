/* Tiles are compared with what GPUs copied, by tests/sim/recorded.sh; here is what no copy tells. */
#include "machine/tile/tile.h"
#include "test.h"

static const struct tensor_map plane = {
    .type = 7, .rank = 2, .address = 0x10000, .sizes = {40, 6}, .strides = {160}, .steps = {1, 1}, .box = {8, 4}};

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
