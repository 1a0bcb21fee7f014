#include "capsule/draw.h"
#include "test.h"

#define COUNT ((size_t)512)

static bool points(const void *self, uint64_t word)
{
    return word == *(const uint64_t *)self;
}

static struct drawn draw_by(uint64_t seed, void *bytes, size_t size)
{
    static const uint64_t pointer = 0x7d0000000000;
    const struct draw draw = {.seed = seed, .integers = true, .points = points, .self = &pointer};
    struct drawn drawn = {0};
    draw_array(&draw, bytes, size, &drawn);
    return drawn;
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
    const struct drawn drawn = draw_by(3, value, sizeof value);
    cr_expect_eq(drawn.bytes[DRAWN_FLOATS], sizeof value);
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
    cr_expect_eq(draw_by(4, half, sizeof half).bytes[DRAWN_FLOATS], sizeof half);
    cr_expect_eq(draw_by(4, bfloat, sizeof bfloat).bytes[DRAWN_FLOATS], sizeof bfloat);
    cr_expect_eq(draw_by(4, wide, sizeof wide).bytes[DRAWN_FLOATS], sizeof wide);
    for (size_t i = 0; i < 4 * COUNT; i++)
        cr_expect(half[i] >= 0x3400 && half[i] < 0x3c00 && bfloat[i] >= 0x3f80 && bfloat[i] < 0x4080);
    for (size_t i = 0; i < COUNT; i++)
        cr_expect(wide[i] >= 1 && wide[i] < 2);
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
    cr_expect_eq(draw_by(5, permutation, sizeof permutation).bytes[DRAWN_INTEGERS], sizeof before);
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

Test(draw, integers_that_come_twice_are_drawn_anew)
{
    uint32_t permutation[COUNT], labels[COUNT], before[COUNT];
    const struct draw draw = {.seed = 8, .integers = true, .anew = true};
    struct drawn drawn = {0};
    uint64_t sum = 0, sum_before = 0;
    for (size_t i = 0; i < COUNT; i++) {
        before[i] = permutation[i] = (uint32_t)(i * 37 % COUNT);
        labels[i] = (uint32_t)(i * 37 % 101) + (i < COUNT - 9 ? 3 : 0);
        sum_before += labels[i];
    }
    memset(labels + COUNT - 9, 0, 9 * sizeof *labels); /* behind the array */
    for (size_t i = COUNT - 9; i < COUNT; i++)
        sum_before -= (uint32_t)(i * 37 % 101);
    draw_array(&draw, (unsigned char *)permutation, sizeof permutation, &drawn);
    draw_array(&draw, (unsigned char *)labels, sizeof labels, &drawn);
    expect_same_values(permutation, before, sizeof before);
    for (size_t i = 0; i < COUNT; i++) {
        cr_expect(i < COUNT - 9 ? labels[i] >= 3 && labels[i] < 104 : labels[i] == 0, "%zu: %u", i, labels[i]);
        sum += labels[i];
    }
    cr_expect_neq(sum, sum_before);
}

Test(draw, the_last_draw_is_rough)
{
    float whole[COUNT];
    uint16_t signs[2 * COUNT];
    const struct draw draw = {.seed = 8, .rough = true};
    struct drawn drawn = {0};
    size_t others = 0;
    for (size_t i = 0; i < COUNT; i++)
        whole[i] = (float)(1 + i * 37 % 251); /* whose lower halves are 0 */
    for (size_t i = 0; i < 2 * COUNT; i++)
        signs[i] = i % 3 == 0 ? 0 : i % 3 == 1 ? 0x3f80 : 0xbf80; /* 0, 1 and -1 as bfloat16 */
    draw_array(&draw, (unsigned char *)whole, sizeof whole, &drawn);
    draw_array(&draw, (unsigned char *)signs, sizeof signs, &drawn);
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

Test(draw, what_must_stay_stays)
{
    static const struct {
        const char *what;
        enum drawn_kind kind;
    } rows[] = {{"offsets", DRAWN_OFFSETS}, {"a pointer", DRAWN_POINTERS}, {"bytes", DRAWN_UNKNOWN},
                {"zeros", DRAWN_ZEROS},     {"a length", DRAWN_OFFSETS},   {"two lengths", DRAWN_INTEGERS}};
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        uint32_t words[COUNT] = {0}, before[COUNT];
        uint64_t state = 9;
        const uint64_t pointer = 0x7d0000000000;
        const size_t size = rows[i].kind == DRAWN_INTEGERS ? 8 : sizeof words;
        for (size_t k = 0; k < COUNT && i < 3; k++)
            words[k] = (uint32_t)(i == 0 ? k / 3 : i == 1 ? 0x3f800000 + k : draw_next(&state));
        if (i == 1)
            for (size_t k = 0; k < COUNT; k += 128)
                memcpy(words + k, &pointer, sizeof pointer);
        words[0] = i == 4 ? 77 : i == 5 ? 77 : words[0];
        words[1] = i == 5 ? 5 : words[1];
        memcpy(before, words, sizeof before);
        const struct drawn drawn = draw_by(6, words, size);
        cr_expect_eq(drawn.bytes[rows[i].kind], size, "%s", rows[i].what);
        cr_expect_eq(changed(words, before, sizeof words), 0, "%s", rows[i].what);
    }
}

Test(draw, few_values_change_places_and_integers_stay_where_asked)
{
    float mask[COUNT], before[COUNT];
    uint32_t integers[COUNT], integers_before[COUNT];
    struct drawn drawn = {0};
    for (size_t i = 0; i < COUNT; i++) {
        before[i] = mask[i] = i % 5 == 0 ? -INFINITY : 1;
        integers_before[i] = integers[i] = (uint32_t)(i * 37 % COUNT);
    }
    cr_expect_eq(draw_by(7, mask, sizeof mask).bytes[DRAWN_FEW], sizeof mask);
    cr_expect_gt(changed(mask, before, sizeof mask), 0);
    expect_same_values(mask, before, sizeof mask);
    draw_array(&(struct draw){.seed = 7}, (unsigned char *)integers, sizeof integers, &drawn);
    cr_expect_eq(changed(integers, integers_before, sizeof integers), 0);
}

Test(draw, values_that_are_all_alike_become_others_near_them)
{
    float ones[COUNT];
    uint16_t halves[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        ones[i] = 1;
        halves[i] = 0x3c00; /* 1 as float16 */
    }
    cr_expect_gt(draw_by(9, ones, sizeof ones).changed, sizeof ones * 9 / 10);
    cr_expect_gt(draw_by(9, halves, sizeof halves).changed, sizeof halves / 2);
    for (size_t i = 0; i < COUNT; i++)
        cr_expect(ones[i] >= 1 && ones[i] < 1.008F && halves[i] >= 0x3c00 && halves[i] < 0x3c04, "%zu", i);
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
    const struct drawn drawn = draw_by(8, words, sizeof words);
    cr_expect_eq(drawn.bytes[DRAWN_INTEGERS], 2 * DRAW_SPAN);
    cr_expect_eq(drawn.bytes[DRAWN_FLOATS], DRAW_SPAN);
    for (size_t i = 0; i < ARRAY_SIZE(words); i++)
        cr_expect_eq(words[i] < 128, i / 128 != 1);
}
