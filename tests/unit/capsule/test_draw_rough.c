#include "capsule/draw.h"
#include "test.h"

enum { PARTS = 16, EACH = 256, COUNT = PARTS * EACH };

static void draw(enum draw_way way, uint64_t place, void *bytes, size_t size)
{
    draw_array(&(struct draw){.seed = 5, .way = way, .last = true, .place = place}, bytes, size);
}

static size_t falls(const float *part, size_t apart)
{
    size_t count = 0;
    for (size_t i = apart; i < EACH; i++)
        count += part[i - apart] > part[i];
    return count;
}

/* How many are far beyond the median. */
static size_t outliers(const float *part)
{
    float sorted[EACH], median;
    size_t count = 0;
    for (size_t i = 0; i < EACH; i++) {
        size_t k = i;
        for (; k > 0 && sorted[k - 1] > fabsf(part[i]); k--)
            sorted[k] = sorted[k - 1];
        sorted[k] = fabsf(part[i]);
    }
    median = sorted[EACH / 2];
    for (size_t i = 0; i < EACH; i++)
        count += sorted[i] > 2.5F * median;
    return count;
}

Test(draw_rough, parts_of_floats_are_of_each_kind_wherever_they_begin)
{
    for (size_t place = 0; place < PARTS; place += 5) {
        float values[COUNT];
        for (size_t i = 0; i < COUNT; i++)
            values[i] = (i % 3 == 0 ? -1.F : 1.F) * (1 + (float)(i * 7919 % 1009) / 1009);
        draw(DRAW_BOLDLY, place, values, sizeof values);
        const float *parts[PARTS];
        size_t zeros = 0, same = 0, near = 0, negative = 0, positive = 0, small = 0, large = 0, sparse = 0, wide = 0;
        for (size_t i = 0; i < PARTS; i++)
            parts[(i + place) % PARTS] = values + i * EACH;
        float most = 0;
        for (size_t i = 0; i < EACH; i++)
            most = fmaxf(most, parts[4][i]);
        for (size_t i = 0; i < EACH; i++) {
            zeros += parts[0][i] == 0;
            for (size_t k = 0; k < 3; k++)
                same += parts[2][i] == parts[2][k * 80];
            near += most - parts[4][i] < 1e-3F;
            negative += parts[6][i] < 0;
            positive += parts[11][i] > 0;
            sparse += parts[3][i] == 0;
            wide += fabsf(parts[5][i]) > 4;
            small += fabsf(parts[12][i]) < 0.01F;
            large += fabsf(parts[14][i]) > 100;
        }
        cr_expect_eq(zeros, EACH);
        cr_expect_gt(same, EACH / 4, "of few: %zu", same);
        cr_expect_gt(near, EACH / 8, "%zu", near);
        cr_expect(negative == EACH && positive == EACH, "%zu, %zu", negative, positive);
        cr_expect(outliers(parts[1]) == 1 && outliers(parts[9]) == 1 && outliers(parts[13]) == 1);
        cr_expect(sparse > EACH / 2 && sparse < EACH * 3 / 4, "%zu", sparse);
        cr_expect_gt(wide, EACH / 8, "%zu", wide);
        cr_expect_eq(falls(parts[8], 1), 0, "in order");
        cr_expect(falls(parts[10], 1) > 0 && falls(parts[10], 32) == 0, "lane by lane");
        cr_expect_eq(small, EACH);
        cr_expect(large > 0 && large < EACH / 4, "%zu", large);
    }
}

Test(draw_rough, nothing_is_large_or_small_where_it_may_not_be)
{
    float narrow[COUNT], careful[COUNT];
    for (size_t i = 0; i < COUNT; i++)
        narrow[i] = careful[i] = 1 + (float)(i * 7919 % 1009) / 1009;
    draw_array(&(struct draw){.seed = 5, .last = true, .narrow = true}, (unsigned char *)narrow, sizeof narrow);
    draw(DRAW_NARROWLY, 0, careful, sizeof careful);
    for (size_t i = 0; i < COUNT; i++) {
        cr_expect(narrow[i] == 0 || (fabsf(narrow[i]) > 0.4F && fabsf(narrow[i]) < 5), "%g", (double)narrow[i]);
        cr_expect(careful[i] > 0.4F && careful[i] < 5, "%g", (double)careful[i]);
    }
}

/* How many are some value, below 0, and beyond those that were there, in each way. */
Test(draw_rough, integers_are_hot_missing_and_beyond)
{
    static const struct {
        enum draw_way way;
        size_t missing, beyond;
    } rows[] = {{.way = DRAW_BOLDLY, .missing = 32, .beyond = EACH / 2},
                {.way = DRAW_NARROWLY, .missing = 32, .beyond = 0},
                {.way = DRAW_CALMLY, .missing = 0, .beyond = 0},
                {.way = DRAW_IN_BYTES, .missing = 0, .beyond = 0}};
    for (size_t r = 0; r < ARRAY_SIZE(rows); r++) {
        int32_t keys[COUNT];
        size_t counts[1000] = {0}, hot = 0, missing = 0, beyond = 0, unset = 0;
        for (size_t i = 0; i < COUNT; i++)
            keys[i] = (int32_t)(1 + i * 7919 % 999);
        draw(rows[r].way, 3, keys, sizeof keys);
        for (size_t i = 0; i < COUNT; i++) {
            unset += keys[i] == 0;
            missing += keys[i] == -100;
            beyond += keys[i] >= 1000 && keys[i] < INT32_MAX / 2; /* sums of two do not overflow */
            if (keys[i] >= 0 && keys[i] < 1000)
                counts[keys[i]]++;
        }
        for (size_t i = 0; i < ARRAY_SIZE(counts); i++)
            hot = counts[i] > hot ? counts[i] : hot;
        cr_expect_eq(hot >= COUNT / 4, rows[r].way < DRAW_IN_BYTES, "%zu", hot);
        cr_expect_eq(unset >= EACH, rows[r].way < DRAW_IN_BYTES, "%zu", unset);
        cr_expect(missing >= rows[r].missing && (rows[r].missing > 0 || missing == 0), "%zu", missing);
        cr_expect(beyond >= rows[r].beyond / 2 && (rows[r].beyond > 0 || beyond == 0), "%zu", beyond);
    }
}

Test(draw_rough, bytes_have_the_least_that_there_is)
{
    int8_t bytes[COUNT];
    size_t least = 0, run = 0, longest = 0;
    for (size_t i = 0; i < COUNT; i++)
        bytes[i] = (int8_t)(i * 7919 % 255 - 127);
    draw(DRAW_BOLDLY, 0, bytes, sizeof bytes);
    for (size_t i = 0; i < COUNT; i++)
        least += bytes[i] == INT8_MIN;
    for (size_t i = 0; i < COUNT; i++)
        longest = (run = bytes[i] == -1 ? run + 1 : 0) > longest ? run : longest;
    cr_expect_gt(longest, EACH / 6, "white, as in an image: %zu", longest);
    cr_expect_gt(least, EACH * 9 / 10);
}

/* Of 16 halves of a lane most look usual by chance. */
Test(draw_rough, few_floats_are_hardly_taken_for_halves)
{
    enum { ARRAYS = 200, FEW = 32 };
    size_t wild = 0;
    for (uint64_t array = 0; array < ARRAYS; array++) {
        float values[FEW], most = 0;
        uint64_t state = array;
        for (size_t i = 0; i < FEW; i++)
            values[i] = 0.005F + (float)(draw_next(&state) % 100000) * 1.5e-7F;
        draw(DRAW_BOLDLY, array, values, sizeof values);
        for (size_t i = 0; i < FEW; i++)
            most = fmaxf(most, fabsf(values[i]));
        wild += most > 100;
    }
    cr_expect_lt(wild, ARRAYS / 50, "%zu", wild);
}

/* Draws far, with constants; results are compared within a tolerance unless exact: only then other floats are few. */
static void draw_far(bool exact, const uint32_t *constants, size_t count, void *bytes, size_t size)
{
    draw_array(
        &(struct draw){
            .seed = 5, .far = true, .infinite = true, .exact = exact, .constants = constants, .constant_count = count},
        bytes, size);
}

Test(draw_rough, far_floats_are_few_and_those_of_the_code)
{
    static const uint32_t constants[] = {0x42280000, 0x7f800000, 7}; /* 42, an infinity and no usual float */
    for (unsigned exact = 0; exact < 2; exact++) {
        float values[COUNT];
        size_t at = 0, beside = 0, infinite = 0, few = 0;
        for (size_t i = 0; i < COUNT; i++)
            values[i] = (i % 3 == 0 ? -1.F : 1.F) * (1 + (float)(i * 7919 % 1009) / 1009);
        draw_far(exact, constants, ARRAY_SIZE(constants), values, sizeof values);
        for (size_t i = 0; i < COUNT; i++) {
            int exponent;
            const float part = fabsf(frexpf(values[i], &exponent));
            at += values[i] == 42.F;
            beside += values[i] == nextafterf(42, 0) || values[i] == nextafterf(42, 43);
            infinite += isinf(values[i]) != 0;
            few += (part == 0.5F || part == 0.75F) && exponent > 10 && exponent < 20;
        }
        cr_expect(at > 4 && beside > 4 && infinite > 4, "%zu, %zu, %zu", at, beside, infinite);
        cr_expect(exact ? few == COUNT - at - beside - infinite : few == 0 && at < 32, "%zu", few);
    }
}

Test(draw_rough, far_halves_and_doubles_have_constants_of_their_type)
{
    static const uint32_t upper[] = {0x40450000}, half[] = {0x42280000}; /* 42 of float64, and of float32 */
    uint16_t halves[COUNT];
    double doubles[COUNT];
    size_t found[2] = {0, 0};
    for (size_t i = 0; i < COUNT; i++) {
        halves[i] = (uint16_t)(0x2c00 + i * 7919 % 0x1400);
        doubles[i] = 1 + (double)(i * 7919 % 1009) / 1009;
    }
    draw_far(true, half, 1, halves, sizeof halves);
    draw_far(true, upper, 1, doubles, sizeof doubles);
    for (size_t i = 0; i < COUNT; i++) {
        found[0] += halves[i] == 0x5140;
        found[1] += doubles[i] == 42;
    }
    cr_expect(found[0] > 64 && found[1] > 64, "%zu, %zu", found[0], found[1]);
}

Test(draw_rough, far_integers_are_those_of_the_code_and_next_to_them)
{
    static const uint32_t constants[] = {1000, 1};
    uint32_t words[COUNT];
    uint64_t longs[COUNT];
    size_t near[3] = {0}, negative = 0, kept = 0;
    for (size_t i = 0; i < COUNT; i++) {
        words[i] = 10 + (uint32_t)(i * 7919 % 101);
        longs[i] = (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
    }
    draw_far(true, constants, ARRAY_SIZE(constants), words, sizeof words);
    draw_far(true, constants, ARRAY_SIZE(constants), longs, sizeof longs);
    for (size_t i = 0; i < COUNT; i++) {
        kept += words[i] >= 10 && words[i] <= 110;
        for (uint32_t k = 0; k < 3; k++)
            near[k] += words[i] == 999 + k;
        negative += longs[i] >> 32 == UINT32_MAX;
    }
    cr_expect(near[0] > 32 && near[1] > 32 && near[2] > 32 && kept > COUNT / 2, "%zu, %zu, %zu", near[0], near[1],
              near[2]);
    cr_expect(negative > COUNT / 8 && negative < COUNT / 2, "%zu", negative);
}

Test(draw_rough, a_row_of_far_bytes_is_all_ones)
{
    static const uint32_t constants[] = {7};
    unsigned char bytes[8192];
    uint64_t state = 1;
    size_t ones = 0;
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)draw_next(&state);
    draw_far(true, constants, 1, bytes, sizeof bytes);
    for (size_t i = 2048; i < 2048 + 256; i++)
        ones += bytes[i] == 0xff;
    cr_expect_eq(ones, 256);
}
