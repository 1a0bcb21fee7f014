/* Draws what is no float: integers, offsets, bytes, zeros. */
#include "draw_parts.h"

#include "base/base.h"

uint64_t draw_next(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

int compare_words(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

bool draw_are_long(const unsigned char *bytes, size_t size)
{
    return size % 8 == 0 &&
           ALL(i, size / 8, word_at(bytes, 2 * i + 1) == ((int32_t)word_at(bytes, 2 * i) < 0 ? UINT32_MAX : 0));
}

size_t draw_filled(const struct run_of *run, size_t width)
{
    static const unsigned char zeros[8];
    size_t count = run->size / width;
    while (count > 0 && memcmp(run->bytes + (count - 1) * width, zeros, width) == 0)
        count--;
    return 2 * count < run->size / width || run->kind == DRAWN_OFFSETS ? count : run->size / width;
}

bool draw_are_groups(unsigned char *bytes, size_t size)
{
    const size_t width = draw_are_long(bytes, size) ? 8 : 4;
    const size_t count = draw_filled(&(struct run_of){.bytes = bytes, .size = size, .kind = DRAWN_OFFSETS}, width);
    return count > 0 && word_at(bytes, (count - 1) * width / 4) < count / 2;
}

void draw_reordered(const struct run_of *run, size_t width)
{
    for (size_t i = draw_filled(run, width); i > 1; i--) {
        unsigned char kept[8], *a = run->bytes + (i - 1) * width, *b = run->bytes + below(run->state, i) * width;
        memcpy(kept, a, width);
        memcpy(a, b, width);
        memcpy(b, kept, width);
    }
}

/* Each word becomes one of those that were there: some come more than once. */
static void replace(const struct run_of *run, size_t width)
{
    const size_t count = draw_filled(run, width);
    OWNED_MEMORY unsigned char *before = x_calloc(count + 1, width);
    memcpy(before, run->bytes, count * width);
    for (size_t i = 0; i < count; i++)
        memcpy(run->bytes + i * width, before + below(run->state, count) * width, width);
}

static size_t width_of(const struct run_of *run)
{
    return draw_are_long(run->bytes, run->size) ? 8 : 4;
}

void draw_integers(const struct run_of *run)
{
    enum { SELDOM = 8 };
    const size_t width = width_of(run);
    const struct draw *draw = run->draw;
    const bool is_hot = draw->hot && draw->way < DRAW_IN_BYTES && !draw->last && !draw->far;
    (draw->last && draw->way < DRAW_IN_BYTES ? replace : draw_reordered)(run, width);
    for (size_t i = 1; is_hot && i < draw_filled(run, width); i++)
        if (below(run->state, SELDOM) > 0)
            memcpy(run->bytes + i * width, run->bytes, width);
}

/* Of bytes that are all as those of the first word some become 0: a mask of ones, lengths, zero points. */
void draw_alike(const struct run_of *run)
{
    for (size_t i = 0; i < run->size; i++)
        if (below(run->state, 4) == 0)
            run->bytes[i] = 0;
}

/* None falls. Differences change places, and some of those that follow each other become one less and one more: rows
 * that are all of a length are not. In the last draw the first offset is 0, some rows are empty, and one has what a
 * quarter of them had. Boldly differences of the last quarter become up to five times as large; narrowly the last one
 * becomes less. Carefully, offsets change places, as what writes to each of them needs. */
void draw_offsets(const struct run_of *run)
{
    enum { EMPTY = 8 };
    const size_t width = width_of(run), count = draw_filled(run, width);
    if (!(run->draw->way <= DRAW_NARROWLY)) {
        draw_reordered(run, width);
        return;
    }
    uint32_t *steps = x_calloc(count + 1, sizeof *steps);
    for (size_t i = 1; i < count; i++)
        steps[i - 1] = word_at(run->bytes, i * width / 4) - word_at(run->bytes, (i - 1) * width / 4);
    for (size_t i = 0; i + 2 < count; i += 2) {
        const bool moves = steps[i] > 0 && below(run->state, 2) == 0;
        steps[i] -= moves;
        steps[i + 1] += moves;
    }
    draw_reordered(&(struct run_of){.state = run->state, .bytes = (unsigned char *)steps, .size = (count - 1) * 4}, 4);
    for (size_t i = 0, quarter = count / 4; i + 2 < count && run->draw->last; i++)
        if (i < quarter || below(run->state, EMPTY) == 0) {
            steps[i + 1] += steps[i];
            steps[i] = 0;
        }
    for (size_t i = 0; i + 1 < count; i++)
        if (run->draw->way == DRAW_BOLDLY && i >= count / 4 * 3) /* most rows stay within what they divide */
            steps[i] += (uint32_t)below(run->state, (uint64_t)4 * steps[i] + 1);
        else if (i + 2 == count)
            steps[i] -= (uint32_t)below(run->state, (uint64_t)steps[i] + 1);
    if (run->draw->last)
        memset(run->bytes, 0, width);
    for (size_t i = 1; i < count; i++) {
        const uint32_t word = word_at(run->bytes, (i - 1) * width / 4) + steps[i - 1];
        memcpy(run->bytes + i * width, &word, sizeof word);
    }
    free(steps);
}

/* Each byte becomes another one that has the same place in a word of 8. Of the last draw, some words come twice, and
 * others but for their lowest byte. */
void draw_bytes(const struct run_of *run)
{
    enum { TWICE = 8 };
    unsigned char *bytes = run->bytes;
    for (size_t i = run->size; i > 8; i--) {
        const size_t other = below(run->state, (i + 7) / 8) * 8 + (i - 1) % 8;
        const unsigned char kept = bytes[i - 1];
        bytes[i - 1] = bytes[other];
        bytes[other] = kept;
    }
    if (!(run->draw->way <= DRAW_NARROWLY) || !run->draw->last)
        return;
    for (size_t at = 8; at + 8 <= run->size; at += 8)
        if (below(run->state, TWICE) == 0) {
            const size_t lowest = below(run->state, 2);
            memcpy(bytes + at + lowest, bytes + at - 8 + lowest, 8 - lowest);
        }
}

/* What zeros are nobody knows: boldly each half is near 0.1 or 1, as a float of one of the types, and of any sign.
 * Carefully some words of 8 bytes are 1. */
void draw_zeros(const struct run_of *run)
{
    for (size_t at = 0; at + 2 <= run->size; at += 2) {
        const uint64_t random = draw_next(run->state);
        const uint16_t half = (uint16_t)((run->draw->way <= DRAW_NARROWLY) ? 0x3d00 | (random & 0x80ff)
                                         : at % 8 == 0                     ? random & 1
                                                                           : 0);
        memcpy(run->bytes + at, &half, sizeof half);
    }
}
