#include "tensor_map.h"

#include "base/base.h"

/* The rows are the types of CUtensorMapDataType. Kinds 8 to 10 stand in another order in a map. */
static const struct {
    unsigned char bytes, kind;
    bool rounded; /* to TF32 */
} types[] = {{1, 0, false}, {2, 1, false}, {4, 2, false},  {4, 3, false}, {8, 4, false}, {8, 5, false}, {2, 6, false},
             {4, 7, false}, {8, 9, false}, {2, 10, false}, {4, 8, false}, {4, 7, true},  {4, 8, true}};

enum {
    FIRST_FLOAT = 6,
    UNIT = 16,
    WIDE_UNIT = 32, /* of addresses and strides with an interleave of 32 bytes */
    MOST_STEPS = 8,
    MOST_BOX = 256,
    MOST_PIXELS = 1024,
    MOST_BYTES = 227 * 1024, /* of a tile: as much shared memory as a block can have */
    INTERLEAVES = 3,
    SWIZZLES = 4,
};
#define MOST_SIZE (UINT64_C(1) << 32)
#define MOST_SPACE (UINT64_C(1) << 31)
#define MOST_STRIDE (UINT64_C(1) << 40)
#define MOST_ADDRESS (UINT64_C(1) << 57)

unsigned tensor_element_bytes(unsigned type)
{
    return types[type].bytes;
}

/* ---- What the driver refuses ---- */

/* Bits of a corner of im2col, in each spatial dimension. */
static unsigned corner_bits(unsigned rank)
{
    return rank == 3 ? 16 : rank == 4 ? 8 : 5;
}

/* Of sizes beyond 2^31 the driver refuses some, by no rule that was found. */
static bool is_columns_allowed(const struct tensor_map *map)
{
    for (unsigned i = 0; i < map->rank; i++)
        if (map->sizes[i] >= MOST_SPACE && (map->interleave || (i > 0 && i + 1 < map->rank)))
            return false;
    if (map->rank < 3 || map->channels < 1 || map->channels > MOST_BOX || map->pixels < 1 || map->pixels > MOST_PIXELS)
        return false;
    const int most = 1 << (corner_bits(map->rank) - 1);
    for (unsigned i = 0; i + 2 < map->rank; i++)
        if (map->lower[i] < -most || map->lower[i] >= most || map->upper[i] < -most || map->upper[i] >= most ||
            (int64_t)map->sizes[i + 1] + map->upper[i] - map->lower[i] < 1)
            return false;
    return true;
}

static uint64_t tile_bytes(const struct tensor_map *map)
{
    uint64_t bytes = tensor_element_bytes(map->type);
    if (map->columns)
        return bytes * map->channels * map->pixels;
    for (unsigned i = 0; i < map->rank; i++)
        bytes *= map->box[i] / map->steps[i];
    return bytes;
}

static bool is_allowed(const struct tensor_map *map)
{
    const unsigned unit = map->interleave == 2 ? WIDE_UNIT : UNIT;
    if (map->type >= ARRAY_SIZE(types) || map->rank < 1 || map->rank > TENSOR_RANKS || map->interleave >= INTERLEAVES ||
        map->swizzle >= SWIZZLES || map->promotion > 3 || map->fill > (map->type >= FIRST_FLOAT) ||
        (map->interleave && map->rank < 3) || map->address % unit || map->address >= MOST_ADDRESS)
        return false;
    for (unsigned i = 0; i < map->rank; i++)
        if (map->sizes[i] < 1 || map->sizes[i] > MOST_SIZE || map->steps[i] < 1 || map->steps[i] > MOST_STEPS ||
            (i > 0 && (map->strides[i - 1] % unit || map->strides[i - 1] >= MOST_STRIDE)) ||
            (!map->columns && (map->box[i] < 1 || map->box[i] > MOST_BOX)))
            return false;
    if (map->columns && !is_columns_allowed(map))
        return false;
    const unsigned inner = (map->columns ? map->channels : map->box[0]) * tensor_element_bytes(map->type);
    if (inner % UNIT || (!map->interleave && map->swizzle && inner > (16u << map->swizzle)))
        return false;
    return tile_bytes(map) <= MOST_BYTES;
}

/* ---- Bytes ---- */

static void put(unsigned char *at, unsigned bytes, uint64_t value)
{
    for (unsigned i = 0; i < bytes; i++)
        at[i] = (unsigned char)(value >> 8 * i);
}

static uint64_t get(const unsigned char *at, unsigned bytes)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; i++)
        value |= (uint64_t)at[i] << 8 * i;
    return value;
}

static void put_corners(const struct tensor_map *map, unsigned char *bytes)
{
    const unsigned bits = corner_bits(map->rank), mask = (1u << bits) - 1;
    uint64_t lower = 0, upper = 0;
    for (unsigned i = 0; i + 2 < map->rank; i++) {
        lower |= (uint64_t)((unsigned)map->lower[i] & mask) << i * bits;
        upper |= (uint64_t)((unsigned)map->upper[i] & mask) << i * bits;
    }
    put(bytes + 56, 2, lower);
    put(bytes + 58, 2, upper);
}

bool tensor_map_encode(const struct tensor_map *map, unsigned char bytes[TENSOR_MAP_BYTES])
{
    if (!is_allowed(map))
        return false;
    const unsigned kind = types[map->type].kind;
    uint64_t steps = 0, upper = 0;
    memset(bytes, 0, TENSOR_MAP_BYTES);
    put(bytes, 8, map->address);
    bytes[8] = (unsigned char)(map->columns | (map->rank - 1) << 4 | kind << 7);
    bytes[9] = (unsigned char)(kind >> 1 | map->interleave << 3 | map->swizzle << 5 | map->fill << 7);
    bytes[10] = (unsigned char)(types[map->type].rounded | map->promotion << 1);
    for (unsigned i = 0; i < map->rank; i++) {
        put(bytes + 32 + (size_t)i * 4, 4, map->sizes[i] - 1);
        steps |= (uint64_t)(map->steps[i] - 1) << 3 * i;
        if (i > 0) {
            put(bytes + 12 + (size_t)(i - 1) * 4, 4, map->strides[i - 1] / UNIT);
            upper |= map->strides[i - 1] / UNIT >> 32 << 4 * (i - 1);
        }
        if (!map->columns)
            bytes[55 + i] = (unsigned char)(map->box[i] - 1);
    }
    put(bytes + 28, 2, upper);
    put(bytes + 52, 2, steps);
    if (map->columns) {
        bytes[55] = (unsigned char)(map->channels - 1);
        put_corners(map, bytes);
        put(bytes + 60, 2, map->pixels - 1);
    }
    put(bytes + 64, 4, tile_bytes(map));
    put(bytes + 72, 4, map->swizzle ? 128u << map->swizzle : UNIT);
    return true;
}

static int sign_extended(uint64_t value, unsigned bits)
{
    const int64_t sign = INT64_C(1) << (bits - 1);
    return (int)((((int64_t)value & (2 * sign - 1)) ^ sign) - sign);
}

/* Finds the type. A kind that no type has is none. */
static unsigned type_of(unsigned kind, bool rounded)
{
    unsigned type = 0;
    while (type < ARRAY_SIZE(types) && (types[type].kind != kind || types[type].rounded != rounded))
        type++;
    return type;
}

/* cuBLAS makes maps of its own, whose bytes differ from the driver's in a bit, and in strides of dimensions that they
 * do not have. */
static void without_own(unsigned char bytes[TENSOR_MAP_READ], unsigned rank)
{
    enum { OWN = 2 };
    if (!(bytes[8] & OWN))
        return;
    bytes[8] &= (unsigned char)~OWN;
    for (unsigned i = rank; i < TENSOR_RANKS; i++)
        put(bytes + 12 + (size_t)(i - 1) * 4, 4, 0);
}

/* A map that is not what its content is encoded to has something unknown. */
bool tensor_map_decode(const unsigned char given[TENSOR_MAP_READ], struct tensor_map *map)
{
    unsigned char again[TENSOR_MAP_BYTES], bytes[TENSOR_MAP_READ];
    memcpy(bytes, given, sizeof bytes);
    without_own(bytes, (bytes[8] >> 4 & 7u) + 1);
    const uint64_t steps = get(bytes + 52, 2), upper = get(bytes + 28, 2);
    *map = (struct tensor_map){
        .columns = bytes[8] & 1,
        .type = type_of(bytes[8] >> 7 | (bytes[9] & 7u) << 1, bytes[10] & 1),
        .rank = (bytes[8] >> 4 & 7u) + 1,
        .address = get(bytes, 8),
        .interleave = bytes[9] >> 3 & 3,
        .swizzle = bytes[9] >> 5 & 3,
        .fill = bytes[9] >> 7,
        .promotion = bytes[10] >> 1 & 3,
    };
    if (map->rank > TENSOR_RANKS)
        return false;
    for (unsigned i = 0; i < TENSOR_RANKS; i++) {
        map->sizes[i] = get(bytes + 32 + (size_t)i * 4, 4) + 1;
        map->steps[i] = (steps >> 3 * i & 7u) + 1;
        map->box[i] = map->columns ? 1 : bytes[55 + i] + 1u;
        if (i > 0)
            map->strides[i - 1] = (get(bytes + 12 + (size_t)(i - 1) * 4, 4) | (upper >> 4 * (i - 1) & 15) << 32) * UNIT;
    }
    if (map->columns) {
        map->channels = bytes[55] + 1u;
        map->pixels = (unsigned)get(bytes + 60, 2) + 1;
        const unsigned bits = corner_bits(map->rank);
        for (unsigned i = 0; i + 2 < map->rank; i++) {
            map->lower[i] = sign_extended(get(bytes + 56, 2) >> i * bits, bits);
            map->upper[i] = sign_extended(get(bytes + 58, 2) >> i * bits, bits);
        }
    }
    return tensor_map_encode(map, again) && memcmp(again, bytes, TENSOR_MAP_READ) == 0;
}
