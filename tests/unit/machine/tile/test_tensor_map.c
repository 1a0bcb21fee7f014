#include "machine/tile/tensor_map.h"
#include "test.h"

static const char *next_word(char **at)
{
    const char *word = strtok_r(NULL, " ", at);
    cr_assert(word);
    return word;
}

static uint64_t next_number(char **at)
{
    return strtoull(next_word(at), NULL, 0);
}

/* Reads a line of tests/data/tensor_maps.txt. Returns what the driver made of it; NULL: it refused. */
static const char *read_line(char *line, struct tensor_map *map)
{
    char *at;
    *map = (struct tensor_map){.columns = strcmp(strtok_r(line, " ", &at), "im2col") == 0};
    map->type = (unsigned)next_number(&at);
    map->rank = (unsigned)next_number(&at);
    map->address = next_number(&at);
    for (unsigned i = 0; i < map->rank; i++)
        map->sizes[i] = next_number(&at);
    for (unsigned i = 0; i + 1 < map->rank; i++)
        map->strides[i] = next_number(&at);
    for (unsigned i = 0; map->columns && i + 2 < map->rank; i++)
        map->lower[i] = atoi(next_word(&at));
    for (unsigned i = 0; map->columns && i + 2 < map->rank; i++)
        map->upper[i] = atoi(next_word(&at));
    if (map->columns) {
        map->channels = (unsigned)next_number(&at);
        map->pixels = (unsigned)next_number(&at);
    }
    for (unsigned i = 0; !map->columns && i < map->rank; i++)
        map->box[i] = (unsigned)next_number(&at);
    for (unsigned i = 0; i < map->rank; i++)
        map->steps[i] = (unsigned)next_number(&at);
    map->interleave = (unsigned)next_number(&at);
    map->swizzle = (unsigned)next_number(&at);
    map->promotion = (unsigned)next_number(&at);
    map->fill = (unsigned)next_number(&at);
    cr_assert_str_eq(next_word(&at), "=");
    return next_number(&at) == 0 ? next_word(&at) : NULL;
}

Test(tensor_map, bytes_are_the_drivers)
{
    FILE *file = fopen("tests/data/tensor_maps.txt", "r");
    cr_assert(file);
    char line[1024];
    unsigned made = 0, refused = 0;
    while (fgets(line, sizeof line, file)) {
        struct tensor_map map, again;
        unsigned char bytes[TENSOR_MAP_BYTES];
        char text[2 * TENSOR_MAP_BYTES + 1], name[1024];
        if (line[0] == '#')
            continue;
        line[strcspn(line, "\n")] = '\0';
        strcpy(name, line);
        const char *want = read_line(line, &map);
        const bool done = tensor_map_encode(&map, bytes);
        cr_assert_eq(done, want != NULL, "%s", name);
        made += done;
        refused += !done;
        if (!done)
            continue;
        for (unsigned i = 0; i < TENSOR_MAP_BYTES; i++)
            sprintf(text + (size_t)2 * i, "%02x", bytes[i]);
        cr_expect_str_eq(text, want, "%s", name);
        cr_assert(tensor_map_decode(bytes, &again), "%s", name);
        EXPECT_ALL(again.address == map.address, again.rank == map.rank, again.type == map.type,
                   again.columns == map.columns, again.swizzle == map.swizzle, again.fill == map.fill);
        for (unsigned i = 0; i < map.rank; i++)
            cr_expect(again.sizes[i] == map.sizes[i] && again.steps[i] == map.steps[i], "%s", name);
    }
    fclose(file);
    cr_expect_eq(made, 40);
    cr_expect_eq(refused, 40);
}

/* Whatever bit is set that no map of the driver has, the map is not read as another one. */
Test(tensor_map, a_bit_that_no_map_has_is_refused)
{
    const struct tensor_map map = {.type = 7,
                                   .rank = 2,
                                   .address = 0x7000000000,
                                   .sizes = {64, 64},
                                   .strides = {256},
                                   .steps = {1, 1},
                                   .box = {32, 8},
                                   .swizzle = 3};
    unsigned char bytes[TENSOR_MAP_BYTES];
    struct tensor_map read, other;
    unsigned refused = 0;
    cr_assert(tensor_map_encode(&map, bytes));
    cr_assert(tensor_map_decode(bytes, &read));
    for (unsigned bit = 0; bit < TENSOR_MAP_READ * 8; bit++) {
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
        const bool known = tensor_map_decode(bytes, &other);
        refused += !known;
        cr_expect(!known || bit == 65 || memcmp(&other, &read, sizeof read) != 0, "bit %u changes nothing",
                  bit); /* 65: of cuBLAS */
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
    cr_expect_gt(refused, TENSOR_MAP_READ * 8 / 4);
    /* As cuBLAS makes it, with a stride of a dimension that it does not have. */
    bytes[8] |= 2;
    bytes[23] = 0x10;
    cr_expect(tensor_map_decode(bytes, &other) && memcmp(&other, &read, sizeof read) == 0);
    bytes[8] &= (unsigned char)~2;
    cr_expect_not(tensor_map_decode(bytes, &other));
    bytes[23] = 0;
    /* Behind what the GPU reads may be another map. */
    memset(bytes + TENSOR_MAP_READ, 0xa5, sizeof bytes - TENSOR_MAP_READ);
    cr_expect(tensor_map_decode(bytes, &other) && memcmp(&other, &read, sizeof read) == 0);
}
