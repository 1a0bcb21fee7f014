#include "tile.h"

enum { PART = 16 };

uint32_t tile_swizzled(unsigned swizzle, uint32_t address)
{
    const uint32_t mask = swizzle ? (1u << swizzle) - 1 : 0;
    return address ^ (address >> 7 & mask) << 4;
}

void tile_fill(const struct tensor_map *map, unsigned char *to, unsigned count)
{
    const unsigned char nan[] = {0xf7, 0x7f};
    for (unsigned at = 0; at < count; at++)
        to[at] = map->fill ? nan[at % 2] : 0;
}

/* How many elements a tile has in a dimension. The step of dimension 0 does not count. */
static unsigned extent(const struct tensor_map *map, unsigned dimension)
{
    const unsigned step = dimension ? map->steps[dimension] : 1;
    return dimension < map->rank ? (map->box[dimension] + step - 1) / step : 1;
}

static uint32_t row_bytes(const struct tensor_map *map)
{
    return (map->columns ? map->channels : map->box[0]) * tensor_element_bytes(map->type);
}

/* From a row of a tile to the next in shared memory. */
static uint32_t row_pitch(const struct tensor_map *map)
{
    return map->swizzle ? 16u << map->swizzle : row_bytes(map);
}

static uint32_t row_count(const struct tensor_map *map)
{
    uint32_t rows = map->columns ? map->pixels : 1;
    for (unsigned i = 1; i < map->rank && !map->columns; i++)
        rows *= extent(map, i);
    return rows;
}

uint32_t tile_bytes(const struct tensor_map *map)
{
    return row_count(map) * row_bytes(map);
}

uint32_t tile_extent(const struct tensor_map *map)
{
    return (row_count(map) - 1) * row_pitch(map) + row_bytes(map);
}

/* Visits `elements` of dimension 0 from `first` on, in parts. The row begins at `row` in memory if it is inside. */
static void visit_row(const struct tensor_map *map, int64_t first, unsigned elements, bool inside, uint64_t row,
                      uint32_t offset, visit_part *visit, void *context)
{
    const int64_t bytes = tensor_element_bytes(map->type), end = inside ? (int64_t)map->sizes[0] * bytes : 0;
    for (int64_t done = 0; done < elements * bytes; done += PART) {
        const int64_t left = elements * bytes - done, begin = first * bytes + done;
        const int64_t size = left < PART ? left : PART, low = begin < 0 ? 0 : begin,
                      high = begin + size > end ? end : begin + size;
        struct tile_part part = {
            .address = row + (uint64_t)low, .offset = offset + (uint32_t)done, .bytes = (unsigned)size};
        if (high > low) {
            part.before = (unsigned)(low - begin);
            part.inside = (unsigned)(high - low);
        }
        visit(context, &part);
    }
}

static void visit_box(const struct tensor_map *map, const struct tile_place *place, visit_part *visit, void *context)
{
    const uint32_t pitch = row_pitch(map);
    unsigned index[TENSOR_RANKS] = {0};
    for (uint32_t offset = 0;; offset += pitch) {
        uint64_t row = map->address;
        bool inside = true;
        for (unsigned i = 1; i < map->rank; i++) {
            const int64_t at = place->at[i] + (int64_t)index[i] * map->steps[i];
            inside &= at >= 0 && (uint64_t)at < map->sizes[i];
            row += (uint64_t)at * map->strides[i - 1];
        }
        visit_row(map, place->at[0], map->box[0], inside, row, offset, visit, context);
        unsigned i = 1;
        while (i < map->rank && ++index[i] == extent(map, i))
            index[i++] = 0;
        if (i >= map->rank)
            return;
    }
}

/* The pixels begin at a place, and go on through the box that the corners leave, image by image. */
static void visit_columns(const struct tensor_map *map, const struct tile_place *place, visit_part *visit,
                          void *context)
{
    const unsigned space = map->rank - 2;
    const uint32_t pitch = row_pitch(map);
    int64_t at[TENSOR_RANKS] = {0};
    for (unsigned i = 0; i < map->rank; i++)
        at[i] = place->at[i];
    for (unsigned pixel = 0; pixel < map->pixels; pixel++) {
        uint64_t row = map->address;
        bool inside = true;
        for (unsigned i = 1; i < map->rank; i++) {
            const int64_t here = at[i] + (i <= space ? place->offsets[i - 1] : 0);
            inside &= here >= 0 && (uint64_t)here < map->sizes[i];
            row += (uint64_t)here * map->strides[i - 1];
        }
        visit_row(map, at[0], map->channels, inside, row, pixel * pitch, visit, context);
        for (unsigned i = 1; i < map->rank; i++) {
            at[i] += map->steps[i];
            if (i > space || at[i] < (int64_t)map->sizes[i] + map->upper[i - 1])
                break;
            at[i] = map->lower[i - 1];
        }
    }
}

void tile_visit(const struct tensor_map *map, const struct tile_place *place, visit_part *visit, void *context)
{
    if (map->columns)
        visit_columns(map, place, visit, context);
    else
        visit_box(map, place, visit, context);
}
