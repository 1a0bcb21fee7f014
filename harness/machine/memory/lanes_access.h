/* lanes_access.h - what loads, stores and copies of 32 lanes share: widths, shapes that were seen before, and rows
 * of registers to and from memory. */
#pragma once

#include "memo.h"

/* ---- What is remembered ---- */

/* Returns whether the rows of an address are, for these lanes, as far from the first lane's as the last time. Upper
 * words have to be the same, and lower ones may not wrap around. An offset that is added to all lanes does not matter.
 */
static inline bool same_shape(const struct memo *memo, uint32_t lanes, const uint32_t *low, const uint32_t *high,
                              unsigned first)
{
    const uint32_t *apart = memo->apart, from = low[first], above = high[first];
    uint32_t differs[LANES] __attribute__((aligned(64)));
    if (memo->lanes != lanes || memo->shared || !memo->near || from + memo->least < 0 || from + memo->most > UINT32_MAX)
        return false;
    EACH_LANE differs[l] = ((low[l] - from) ^ apart[l]) | (high[l] ^ above);
    return (lanes_not_zero(differs) & lanes) == 0;
}

static inline bool same_narrow_shape(const struct memo *memo, uint32_t lanes, const uint32_t *addresses, unsigned first)
{
    const uint32_t *apart = memo->apart, from = addresses[first];
    uint32_t differs[LANES] __attribute__((aligned(64)));
    if (memo->lanes != lanes || !memo->shared || memo->low != (from & MEMO_LOW_SHARED))
        return false;
    EACH_LANE differs[l] = (addresses[l] - from) ^ apart[l];
    return (lanes_not_zero(differs) & lanes) == 0;
}

/* ---- Rows to and from memory ---- */

/* Loads and stores of all lanes, each next to the one before. A row of memory is one of registers for 4 bytes. Else the
 * words of a lane are neighbours in memory, and in different rows of registers. */
enum { ROWS_OF_16 = 4 };

static inline void take_in_order(struct warp *warp, const struct instruction *code, const unsigned char *place)
{
    const struct operand *to = &code->operands[0];
    const uint32_t step = to->high - to->row;
    uint32_t words[LANES * ROWS_OF_16];
    uint32_t *rows[ROWS_OF_16];
    if (code->size == 4) {
        memcpy(row_at(warp, SPACE_WARP, to->row), place, ROW_BYTES);
        return;
    }
    for (unsigned k = 0; k < ROWS_OF_16; k++)
        rows[k] = row_at(warp, SPACE_WARP, to->row + (k < code->size / 4u ? k : 0) * step);
    if (code->size == 8) {
        memcpy(words, place, (size_t)2 * ROW_BYTES);
        EACH_LANE rows[0][l] = words[2L * l];
        EACH_LANE rows[1][l] = words[2L * l + 1];
        return;
    }
    memcpy(words, place, sizeof words);
    for (int k = 0; k < ROWS_OF_16; k++) {
        uint32_t *row = rows[k];
        EACH_LANE row[l] = words[ROWS_OF_16 * l + k];
    }
}

static inline void give_in_order(struct warp *warp, const struct instruction *code, unsigned n, unsigned char *place)
{
    const struct operand *from = &code->operands[n];
    const uint32_t step = from->high - from->row;
    uint32_t words[LANES * ROWS_OF_16];
    const int each = code->size / 4;
    if (each == 1) {
        memcpy(place, row_at(warp, from->space, from->row), ROW_BYTES);
        return;
    }
    for (int k = 0; k < each; k++) {
        const uint32_t *row = row_at(warp, from->space, from->row + (uint32_t)k * step);
        if (each == 2)
            EACH_LANE words[2 * l + k] = row[l];
        else
            EACH_LANE words[ROWS_OF_16 * l + k] = row[l];
    }
    memcpy(place, words, (size_t)each * ROW_BYTES);
}

/* Copies what all lanes have at their places, 4, 8 or 16 bytes each, so that it is in order. */
static inline void collect(unsigned char *together, const unsigned char *const *places, unsigned size)
{
    for (unsigned l = 0; l < LANES && size == 4; l++)
        memcpy(together + 4 * (size_t)l, places[l], 4);
    for (unsigned l = 0; l < LANES && size == 8; l++)
        memcpy(together + 8 * (size_t)l, places[l], 8);
    for (unsigned l = 0; l < LANES && size == 16; l++)
        memcpy(together + 16 * (size_t)l, places[l], 16);
}

/* Copies it back. */
static inline void distribute(unsigned char *const *places, const unsigned char *together, unsigned size)
{
    for (unsigned l = 0; l < LANES && size == 4; l++)
        memcpy(places[l], together + 4 * (size_t)l, 4);
    for (unsigned l = 0; l < LANES && size == 8; l++)
        memcpy(places[l], together + 8 * (size_t)l, 8);
    for (unsigned l = 0; l < LANES && size == 16; l++)
        memcpy(places[l], together + 16 * (size_t)l, 16);
}

static inline void take(struct warp *warp, const struct instruction *code, uint32_t lanes,
                        const unsigned char *const *places)
{
    const struct operand *to = &code->operands[0];
    const uint32_t step = to->high - to->row;
    uint32_t *row = row_at(warp, SPACE_WARP, to->row);
    unsigned char together[LANES * 16];
    if (lanes == ALL_LANES && code->size >= 4) {
        collect(together, places, code->size);
        take_in_order(warp, code, together);
        return;
    }
    EACH_BIT(l, lanes) {
        uint32_t words[4] = {0};
        switch (code->size) {
        case 4:
            memcpy(&row[l], places[l], 4);
            break;
        case 8:
            memcpy(words, places[l], 8);
            row[l] = words[0];
            row_at(warp, SPACE_WARP, to->high)[l] = words[1];
            break;
        case 16:
            memcpy(words, places[l], 16);
            for (unsigned k = 0; k < 4; k++)
                row_at(warp, SPACE_WARP, to->row + k * step)[l] = words[k];
            break;
        default:
            memcpy(words, places[l], code->size);
            if (code->flags[FLAG_SIGN_EXTENDS])
                words[0] = code->size == 1 ? (uint32_t)(int32_t)(int8_t)words[0] : (uint32_t)(int32_t)(int16_t)words[0];
            row[l] = words[0];
        }
    }
}

/* Loads the same place for all lanes, as most reads of a tile do. */
static inline void take_one(struct warp *warp, const struct instruction *code, uint32_t lanes,
                            const unsigned char *place)
{
    const struct operand *first = &code->operands[0];
    const uint32_t step = first->high - first->row;
    uint32_t words[4];
    memcpy(words, place, code->size);
    for (unsigned k = 0; k < code->size / 4u; k++) {
        const uint32_t word = words[k];
        WRITE_LANES(row_at(warp, SPACE_WARP, first->row + k * step), lanes, word);
    }
}

static inline void give(struct warp *warp, const struct instruction *code, unsigned n, uint32_t lanes,
                        unsigned char *const *places)
{
    const struct operand *from = &code->operands[n];
    const uint32_t step = from->high - from->row;
    const uint32_t *row = row_at(warp, from->space, from->row);
    unsigned char together[LANES * 16];
    if (lanes == ALL_LANES && code->size >= 4) {
        give_in_order(warp, code, n, together);
        distribute(places, together, code->size);
        return;
    }
    EACH_BIT(l, lanes) {
        uint32_t words[4];
        if (code->size <= 4) {
            memcpy(places[l], &row[l], code->size);
            continue;
        }
        for (unsigned k = 0; k < code->size / 4u; k++)
            words[k] = row_at(warp, from->space, from->row + k * step)[l];
        memcpy(places[l], words, code->size);
    }
}

/* ---- Widths ---- */

static inline bool prepare_size(struct instruction *code)
{
    prepare_width(code);
    code->flags[FLAG_STRONG] = IS(STRONG) ? ACCESS_STRONG : 0;
    code->flags[FLAG_BYPASS] = IS(BYPASS);
    code->flags[FLAG_FILLS] = has_modifier(code, "ZFILL");
    return true;
}
