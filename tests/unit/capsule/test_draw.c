#include "capsule/draw_parts.h"
#include "test.h"

#define COUNT ((size_t)512)

static bool points(const void *self, uint64_t word)
{
    return word == *(const uint64_t *)self;
}

static enum drawn_kind draw_in(enum draw_way way, uint64_t seed, void *bytes, size_t size)
{
    static const uint64_t pointer = 0x7d0000000000;
    const struct draw draw = {.seed = seed, .way = way, .last = way != DRAW_CALMLY, .points = points, .self = &pointer};
    return draw_array(&draw, bytes, size);
}

static enum drawn_kind draw_by(uint64_t seed, void *bytes, size_t size)
{
    return draw_in(DRAW_CALMLY, seed, bytes, size);
}

/* How many of the 4-byte words are others than before. */
static size_t changed(const void *now, const void *before, size_t size)
{
    size_t count = 0;
    for (size_t at = 0; at < size; at += 4)
        count += memcmp((const char *)now + at, (const char *)before + at, 4) != 0;
    return count;
}

static int by_value(const void *a, const void *b)
{
    return memcmp(a, b, 4);
}

ORDER_OF(by_number, uint32_t)

static void expect_same_values(const void *now, const void *before, size_t size)
{
    char a[8 * COUNT], b[8 * COUNT];
    memcpy(a, now, size);
    memcpy(b, before, size);
    qsort(a, size / 4, 4, by_value);
    qsort(b, size / 4, 4, by_value);
    cr_expect_eq(memcmp(a, b, size), 0);
}

Test(draw, a_seed_gives_the_same_and_another_one_does_not)
{
    float first[COUNT], same[COUNT], other[COUNT];
    for (size_t i = 0; i < COUNT; i++)
        first[i] = same[i] = other[i] = (float)(i * 37 % 101) + 0.37F;
    draw_by(1, first, sizeof first);
    draw_by(1, same, sizeof same);
    draw_by(2, other, sizeof other);
    cr_expect_eq(changed(first, same, sizeof first), 0);
    cr_expect_gt(changed(first, other, sizeof first), COUNT / 2);
}

Test(draw, a_float_is_between_those_that_were_there)
{
    float value[COUNT], before[COUNT];
    for (size_t i = 0; i < COUNT; i++)
        before[i] = (i % 3 == 0 && i < 2 * COUNT / 3 ? -1.F : 1.F) * (0.125F + (float)(i * 7919 % 1009) * 0.01173F);
    before[5] = 0;
    before[6] = INFINITY;
    before[7] = NAN;
    memcpy(value, before, sizeof value);
    cr_expect_eq(draw_by(3, value, sizeof value), DRAWN_FLOATS);
    cr_expect_eq(changed(value + 5, before + 5, 3 * sizeof *value), 0, "0, an infinity and a NaN stay");
    cr_expect_gt(changed(value, before, sizeof value), COUNT * 9 / 10);
    size_t turned = 0; /* where both signs are; the last span has one */
    for (size_t i = 0; i < COUNT; i++) {
        if (i < 5 || i > 7)
            cr_expect(fabsf(value[i]) >= 0.12F && fabsf(value[i]) < 12.1F, "%zu: %g was %g", i, (double)value[i],
                      (double)before[i]);
        turned += !signbit(value[i]) != !signbit(before[i]);
        cr_expect(i < COUNT - 128 || value[i] > 0, "%zu", i);
    }
    cr_expect(turned > COUNT / 8 && turned < COUNT / 2, "%zu", turned);
}

Test(draw, so_are_halves_and_doubles)
{
    uint16_t half[4 * COUNT], bfloat[4 * COUNT];
    double wide[COUNT];
    for (size_t i = 0; i < 4 * COUNT; i++) {
        half[i] = (uint16_t)(0x3400 + i * 7919 % 0x800);      /* 0.25 to 1 as float16 */
        bfloat[i] = (uint16_t)(0x3f80 + i * i * 7919 % 0xf1); /* 1 to 4 as bfloat16 */
    }
    for (size_t i = 0; i < COUNT; i++)
        wide[i] = 1 + (double)(i * 7919 % 1009) / 1010;
    cr_expect_eq(draw_by(4, half, sizeof half), DRAWN_FLOATS);
    cr_expect_eq(draw_by(4, bfloat, sizeof bfloat), DRAWN_FLOATS);
    cr_expect_eq(draw_by(4, wide, sizeof wide), DRAWN_FLOATS);
    for (size_t i = 0; i < 4 * COUNT; i++)
        cr_expect(half[i] >= 0x3400 && half[i] < 0x3c00 && bfloat[i] >= 0x3f80 && bfloat[i] < 0x4080);
    for (size_t i = 0; i < COUNT; i++)
        cr_expect(wide[i] >= 1 && wide[i] < 2);
}

Test(draw, parts_come_back_where_results_are_stale_and_integers_are_mostly_one)
{
    const struct draw draw = {.seed = 6, .hot = true, .stale = true};
    uint32_t value[16 * COUNT], before[16 * COUNT];
    size_t back = 0, most = 0;
    for (size_t i = 0; i < 16 * COUNT; i++)
        before[i] = value[i] = (uint32_t)(i * 37 % (16 * COUNT));
    draw_array(&draw, (unsigned char *)value, sizeof value);
    for (size_t i = 0; i < 16 * COUNT; i++) {
        back += value[i] == before[i];
        most += value[i] == value[5000];
    }
    cr_expect(back > 4 * COUNT * 9 / 10 && back < 5 * COUNT && most > 9 * COUNT, "%zu, %zu", back, most);
}

Test(draw, integers_change_places)
{
    uint32_t permutation[COUNT], mask[COUNT], before[COUNT];
    int64_t wide[COUNT], wide_before[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        permutation[i] = (uint32_t)(i * 37 % COUNT);
        mask[i] = i % 3 == 0;
        wide[i] = (int64_t)(i * 37 % COUNT) - 100;
    }
    memcpy(before, permutation, sizeof before);
    cr_expect_eq(draw_by(5, permutation, sizeof permutation), DRAWN_INTEGERS);
    cr_expect_gt(changed(permutation, before, sizeof before), COUNT / 2);
    expect_same_values(permutation, before, sizeof before);
    memcpy(before, mask, sizeof before);
    draw_by(5, mask, sizeof mask);
    expect_same_values(mask, before, sizeof before);
    memcpy(wide_before, wide, sizeof wide);
    draw_by(5, wide, sizeof wide);
    expect_same_values(wide, wide_before, sizeof wide);
    for (size_t i = 0; i < COUNT; i++)
        cr_expect(wide[i] >= -100 && wide[i] < (int64_t)COUNT - 100, "%lld", (long long)wide[i]);
}

Test(draw, integers_come_twice_in_the_last_draw)
{
    enum { FILLED = COUNT / 2 - 1 };
    uint32_t permutation[COUNT];
    size_t twice = 0;
    for (size_t i = 0; i < COUNT; i++)
        permutation[i] = i < FILLED ? 3 + (uint32_t)(i * 37 % (FILLED)) : 0; /* most is 0: it is behind the array */
    const struct draw draw = {.seed = 8, .way = DRAW_CALMLY, .last = true};
    draw_array(&draw, (unsigned char *)permutation, sizeof permutation);
    for (size_t i = FILLED; i < COUNT; i++)
        cr_expect_eq(permutation[i], 0);
    SORT(permutation, FILLED, by_number);
    for (size_t i = 1; i < FILLED; i++) {
        cr_expect(permutation[i] == 0 || (permutation[i] >= 3 && permutation[i] < COUNT), "%u", permutation[i]);
        twice += permutation[i - 1] == permutation[i];
    }
    cr_expect_gt(twice, COUNT / 4);
}

Test(draw, the_last_draw_is_rough)
{
    float whole[COUNT];
    uint16_t signs[2 * COUNT];
    const struct draw draw = {.seed = 8, .way = DRAW_CALMLY, .last = true};
    size_t others = 0;
    for (size_t i = 0; i < COUNT; i++)
        whole[i] = (float)(1 + i * 37 % 251); /* whose lower halves are 0 */
    for (size_t i = 0; i < 2 * COUNT; i++)
        signs[i] = i % 3 == 0 ? 0 : i % 3 == 1 ? 0x3f80 : 0xbf80; /* 0, 1 and -1 as bfloat16 */
    draw_array(&draw, (unsigned char *)whole, sizeof whole);
    draw_array(&draw, (unsigned char *)signs, sizeof signs);
    for (size_t i = 0; i < COUNT; i++) {
        cr_expect(whole[i] >= 1 && whole[i] < 256, "%g", (double)whole[i]);
        others += whole[i] != rintf(whole[i]);
    }
    cr_expect_gt(others, COUNT / 2);
    others = 0;
    for (size_t i = 0; i < 2 * COUNT; i++) {
        cr_expect(signs[i] == 0 || (signs[i] & 0x7ffc) == 0x3f80, "%x", signs[i]);
        others += signs[i] != 0 && signs[i] != 0x3f80 && signs[i] != 0xbf80;
    }
    cr_expect_gt(others, COUNT / 2);
}

Test(draw, pointers_stay_and_lengths_are_scalars)
{
    const uint64_t pointer = 0x7d0000000000;
    uint32_t words[COUNT] = {0}, before[COUNT], lengths[] = {200, 1000};
    for (size_t k = 0; k < COUNT; k++)
        words[k] = (uint32_t)(0x3f800000 + 77 * k);
    for (size_t k = 0; k < COUNT; k += 128)
        memcpy(words + k, &pointer, sizeof pointer);
    memcpy(before, words, sizeof before);
    cr_expect_eq(draw_in(DRAW_BOLDLY, 6, words, sizeof words), DRAWN_POINTERS);
    cr_expect_eq(changed(words, before, sizeof words), 0);
    cr_expect_eq(draw_in(DRAW_BOLDLY, 6, lengths, sizeof lengths), DRAWN_LENGTHS);
    cr_expect(lengths[0] > 200 && lengths[0] <= 300 && lengths[1] > 1000 && lengths[1] <= 1500);
}

Test(draw, few_values_change_places_and_what_is_kept_stays)
{
    float mask[COUNT], before[COUNT];
    for (size_t i = 0; i < COUNT; i++)
        before[i] = mask[i] = i % 5 == 0 ? -INFINITY : 1;
    cr_expect_eq(draw_by(7, mask, sizeof mask), DRAWN_FEW);
    cr_expect_gt(changed(mask, before, sizeof mask), 0);
    expect_same_values(mask, before, sizeof mask);
    memcpy(mask, before, sizeof mask);
    cr_expect_eq(draw_in(DRAW_KEPT, 7, mask, sizeof mask), DRAWN_FEW);
    cr_expect_eq(changed(mask, before, sizeof mask), 0);
}

Test(draw, values_that_are_all_alike_become_others)
{
    float ones[COUNT];
    double wide[COUNT];
    uint8_t mask[COUNT];
    int64_t lengths[COUNT];
    size_t zeros = 0;
    for (size_t i = 0; i < COUNT; i++) {
        ones[i] = mask[i] = 1;
        wide[i] = 1;
        lengths[i] = 300;
    }
    draw_in(DRAW_BOLDLY, 9, ones, sizeof ones);
    cr_expect_eq(draw_in(DRAW_BOLDLY, 9, wide, sizeof wide), DRAWN_FLOATS);
    cr_expect_eq(draw_in(DRAW_BOLDLY, 9, lengths, sizeof lengths), DRAWN_ALIKE);
    cr_expect_eq(draw_in(DRAW_BOLDLY, 9, mask, sizeof mask), DRAWN_ALIKE);
    for (size_t i = 0; i < COUNT; i++) {
        cr_expect(ones[i] == 0 || (fabsf(ones[i]) >= 0.0001F && fabsf(ones[i]) < 1024), "%zu: %g", i, (double)ones[i]);
        cr_expect_leq(mask[i], 1);
        cr_expect(lengths[i] >= 0 && lengths[i] <= 300 && isfinite(wide[i]), "%lld", (long long)lengths[i]);
        zeros += mask[i] == 0;
    }
    cr_expect(zeros > COUNT / 8 && zeros < COUNT / 2, "%zu", zeros);
}

Test(draw, zeros_and_bytes_become_others)
{
    float zeros[COUNT] = {0};
    uint8_t bytes[COUNT], before[COUNT];
    uint64_t state = 9;
    size_t there[256] = {0};
    cr_expect_eq(draw_in(DRAW_BOLDLY, 9, zeros, sizeof zeros), DRAWN_ZEROS);
    for (size_t i = 0; i < COUNT; i++) {
        before[i] = bytes[i] = (uint8_t)(draw_next(&state) % 100 * 2);
        there[bytes[i]]++;
        cr_expect(fabsf(zeros[i]) > 0.03F && fabsf(zeros[i]) < 0.13F, "%g", (double)zeros[i]);
    }
    cr_expect_eq(draw_by(9, bytes, sizeof bytes), DRAWN_UNKNOWN);
    cr_expect_gt(changed(bytes, before, sizeof bytes), COUNT / 8);
    for (size_t i = 0; i < COUNT; i++)
        there[bytes[i]]--;
    for (size_t i = 0; i < ARRAY_SIZE(there); i++)
        cr_expect_eq(there[i], 0, "those that were there");
    draw_in(DRAW_BOLDLY, 9, bytes, sizeof bytes);
    size_t odd = 0;
    for (size_t i = 0; i < COUNT; i++)
        odd += bytes[i] % 2;
    cr_expect(odd > COUNT / 32 && odd < COUNT / 8, "some are any: %zu", odd);
}

Test(draw, offsets_of_rows_stay_in_order)
{
    for (uint32_t length = 1; length < 9; length += 7) {
        uint32_t offsets[COUNT], before[COUNT];
        for (size_t i = 0; i < COUNT; i++)
            before[i] = offsets[i] = (uint32_t)i * length;
        for (enum draw_way way = DRAW_BOLDLY; way <= DRAW_NARROWLY; way++) {
            cr_expect_eq(draw_in(way, 11, offsets, sizeof offsets), DRAWN_OFFSETS);
            cr_expect_gt(changed(offsets, before, sizeof offsets), COUNT / 4);
            cr_expect_eq(offsets[0], 0);
            cr_expect_eq(offsets[COUNT - 1] > before[COUNT - 1], way == DRAW_BOLDLY);
            for (size_t i = 1; i < COUNT; i++)
                cr_expect_leq(offsets[i - 1], offsets[i]);
            memcpy(offsets, before, sizeof before);
        }
    }
}

Test(draw, floats_in_order_and_symmetric_ones_stay_so)
{
    enum { SIDE = 32 };
    float rising[COUNT], falling[COUNT], matrix[SIDE][SIDE], before[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        before[i] = rising[i] = 0.5F + (float)i;
        falling[i] = 1 / rising[i];
    }
    for (size_t i = 0; i < SIDE; i++)
        for (size_t k = 0; k < SIDE; k++)
            matrix[i][k] = (float)((i * k * 37 + i + k) % 101) - 50.3F;
    draw_in(DRAW_BOLDLY, 11, rising, sizeof rising);
    draw_in(DRAW_BOLDLY, 12, falling, sizeof falling);
    draw_in(DRAW_BOLDLY, 13, matrix, sizeof matrix);
    cr_expect_gt(changed(rising, before, sizeof rising), COUNT / 2);
    for (size_t i = 1; i < COUNT; i++)
        cr_expect(rising[i - 1] <= rising[i] && falling[i - 1] >= falling[i], "%zu", i);
    for (size_t i = 0; i < SIDE; i++)
        for (size_t k = 0; k < i; k++)
            cr_expect_eq(matrix[i][k], matrix[k][i]);
    cr_expect_neq(matrix[1][2], (float)77 - 50.3F);
}

/* Means that were known are off, a row of zeros is there, and a value beyond those that were there, unless asked not.
 */
Test(draw, floats_are_drawn_boldly)
{
    enum { SPANS = 32, OF_SPAN = DRAW_SPAN / 4 };
    for (enum draw_way way = DRAW_BOLDLY; way <= DRAW_NARROWLY; way++) {
        float value[SPANS * OF_SPAN], largest = 0;
        size_t zeros = 0, off = 0;
        for (size_t i = 0; i < ARRAY_SIZE(value); i++)
            value[i] = 0.5F + (float)(i * 7919 % 1009) / 1010; /* the mean is 1, and the deviation 0.03 */
        draw_in(way, 14, value, sizeof value);
        for (size_t i = 0; i < SPANS; i++) {
            float sum = 0;
            for (size_t k = 0; k < OF_SPAN; k++) {
                const float one = value[i * OF_SPAN + k];
                largest = fmaxf(largest, one);
                zeros += one == 0;
                sum += fminf(one, 4);
            }
            off += fabsf(sum / OF_SPAN - 1) > 0.1F;
        }
        cr_expect(way == DRAW_BOLDLY ? largest > 100 : largest < 4, "%g", (double)largest);
        cr_expect_eq(zeros >= OF_SPAN, way == DRAW_BOLDLY, "%zu", zeros);
        cr_expect_gt(off, SPANS / 2);
    }
}

Test(draw, some_rows_of_floats_are_the_same)
{
    enum { ROWS = 64 };
    float values[ROWS][4];
    size_t same[2] = {0, 0};
    for (unsigned last = 0; last < 2; last++) {
        for (size_t i = 0; i < sizeof values / sizeof(float); i++)
            values[i / 4][i % 4] = 1 + (float)(i * 7919 % 1009) / 1009;
        draw_array(&(struct draw){.seed = 3, .last = last}, (unsigned char *)values, sizeof values);
        for (size_t i = 1; i < ROWS; i++)
            same[last] += memcmp(values[i], values[i - 1], sizeof *values) == 0;
    }
    cr_expect(same[0] == ROWS / 4 - 2 && same[1] < 4, "%zu, %zu", same[0], same[1]);
}

Test(draw, related_stretches_become_the_opposite)
{
    const uint64_t half = 4, quarter = 1; /* 64 bytes of 128, and the second 16 of 64 */
    float values[DRAW_SPAN / 4], others[DRAW_SPAN / 4];
    unsigned char bytes[DRAW_SPAN] = {0}, fives[DRAW_SPAN];
    memset(fives, 5, sizeof fives);
    for (size_t i = 0; i < DRAW_SPAN / 4; i++) {
        others[i] = (i % 3 == 0 ? -1.F : 1.F) * (1 + (float)(i * 7 % 16) / 16);
        values[i] = i % 3 == 1 ? 1.5F : -1.25F;
    }
    draw_related(DRAWN_FLOATS, (unsigned char *)values, (unsigned char *)others, sizeof values, &half);
    draw_related(DRAWN_UNKNOWN, bytes, fives, sizeof bytes, &quarter);
    for (size_t i = 0; i < DRAW_SPAN / 4; i++) {
        cr_expect_eq(values[i], i % 32 < 16 ? -others[i] : others[i]);
        values[i] = 2;
    }
    for (size_t i = 0; i < DRAW_SPAN; i++)
        cr_expect_eq(bytes[i], i % 64 / 16 == 1 ? 0x85 : 5);
    draw_related(DRAWN_FLOATS, (unsigned char *)values, (unsigned char *)others, sizeof values, &half);
    for (size_t i = 0; i < DRAW_SPAN / 4; i++)
        cr_expect_eq(values[i], fabsf(others[i]), "none was below 0");
}

Test(draw, arrays_beside_each_other_are_drawn_apart)
{
    uint32_t words[3 * 128];
    for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
        const float value = 1 + (float)(i * 37 % 101);
        words[i] = (uint32_t)(i * 37 % 128);
        if (i / 128 == 1)
            memcpy(&words[i], &value, sizeof value);
    }
    cr_expect_eq(draw_by(8, words, sizeof words), DRAWN_INTEGERS);
    for (size_t i = 0; i < ARRAY_SIZE(words); i++)
        cr_expect_eq(words[i] < 128, i / 128 != 1);
}
