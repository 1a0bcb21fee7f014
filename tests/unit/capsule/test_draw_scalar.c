#include "capsule/draw.h"
#include "test.h"

static void draw(enum draw_way way, uint64_t seed, void *bytes, size_t size)
{
    const enum drawn_kind kind = draw_scalar(&(struct draw){.seed = seed, .way = way}, bytes, size);
    cr_expect(kind == DRAWN_FLOATS || kind == DRAWN_SCALAR);
}

Test(draw_scalar, integers_become_more_then_less_and_stay_multiples)
{
    static const struct {
        int64_t value, step, least, most;
        enum draw_way way;
        size_t size;
    } rows[] = {
        {.value = 1000, .step = 8, .least = 1008, .most = 1500, .way = DRAW_BOLDLY, .size = 4},
        {.value = 1000, .step = 8, .least = 1LL << 32, .most = 1LL << 41, .way = DRAW_BOLDLY, .size = 8},
        {.value = -100, .step = 4, .least = -152, .most = -104, .way = DRAW_BOLDLY, .size = 4},
        {.value = 0, .step = 1, .least = 1, .most = 1, .way = DRAW_BOLDLY, .size = 8},
        {.value = 1, .step = 1, .least = 0, .most = 0, .way = DRAW_BOLDLY, .size = 1},
        {.value = 1024, .step = 256, .least = 512, .most = 768, .way = DRAW_NARROWLY, .size = 4},
        {.value = 1000, .step = 8, .least = 500, .most = 992, .way = DRAW_NARROWLY, .size = 8},
        {.value = 64, .step = 16, .least = 48, .most = 48, .way = DRAW_NARROWLY, .size = 4}, /* no power of 2 */
        {.value = 7, .step = 1, .least = 4, .most = 6, .way = DRAW_NARROWLY, .size = 2},
        {.value = 1, .step = 1, .least = 2, .most = 2, .way = DRAW_NARROWLY, .size = 4},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        for (uint64_t seed = 1; seed < 50; seed++) {
            int64_t drawn = rows[i].value;
            const int bits = 64 - 8 * (int)rows[i].size;
            const struct draw draw = {.seed = seed, .way = rows[i].way};
            const enum drawn_kind kind = draw_scalar(&draw, (unsigned char *)&drawn, rows[i].size);
            cr_expect_eq(kind, rows[i].way == DRAW_BOLDLY ? DRAWN_SCALAR : DRAWN_SIZE);
            drawn = (int64_t)((uint64_t)drawn << bits) >> bits;
            cr_expect(drawn >= rows[i].least && drawn <= rows[i].most && drawn % rows[i].step == 0, "%zu: %lld", i,
                      (long long)drawn);
        }
}

Test(draw_scalar, floats_become_less_or_near_1_or_more)
{
    for (uint64_t seed = 1; seed < 50; seed++) {
        float epsilon = 1e-5F, factor = -2, more = 3, zero = 0;
        double wide = 1.5;
        draw(DRAW_NARROWLY, seed, &epsilon, sizeof epsilon);
        draw(DRAW_BOLDLY, seed, &factor, sizeof factor);
        draw(DRAW_CALMLY, seed, &more, sizeof more);
        draw(DRAW_NARROWLY, seed, &zero, sizeof zero);
        draw(DRAW_BOLDLY, seed, &wide, sizeof wide);
        cr_expect(epsilon >= 0.25F && epsilon <= 1 && factor >= -2 && factor <= -1 && more >= 3 && more <= 6);
        cr_expect(zero >= 0.25F && zero <= 1 && wide >= 0.75 && wide <= 1.5);
    }
}

Test(draw_scalar, far_ones_are_8_to_15_times_as_large_or_floats_as_small)
{
    size_t less = 0, more = 0;
    for (uint64_t seed = 1; seed < 50; seed++) {
        int32_t step = -10;
        float factor = 0.5F;
        draw_scalar(&(struct draw){.seed = seed, .far = true}, (unsigned char *)&step, sizeof step);
        draw_scalar(&(struct draw){.seed = 3, .place = seed, .far = true}, (unsigned char *)&factor, sizeof factor);
        cr_expect(step <= -80 && step >= -150 && step % 10 == 0, "%d", step);
        less += factor >= 0.5F / 15 && factor <= 0.5F / 8;
        more += factor >= 0.5F * 8 && factor <= 0.5F * 15;
    }
    cr_expect(less > 10 && more > 10 && less + more == 49, "%zu, %zu", less, more);
}

Test(draw_scalar, others_stay)
{
    unsigned char structure[12] = {1, 2, 3}, before[12] = {1, 2, 3};
    uint32_t kept = 77;
    draw(DRAW_BOLDLY, 1, structure, sizeof structure);
    draw(DRAW_KEPT, 1, &kept, sizeof kept);
    cr_expect_eq(memcmp(structure, before, sizeof before), 0);
    cr_expect_eq(kept, 77);
}

Test(draw_scalar, values_are_told_as_numbers)
{
    static const struct {
        uint64_t value, size;
        const char *text;
    } rows[] = {
        {.value = 0x3f800000, .size = 4, .text = "1"},
        {.value = 512, .size = 4, .text = "512"},
        {.value = 0xff, .size = 1, .text = "-1"},
        {.value = 0x3ff8000000000000, .size = 8, .text = "1.5"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        char text[32];
        drawn_value_text(text, rows[i].value, rows[i].size);
        cr_expect_str_eq(text, rows[i].text, "row %zu", i);
    }
}
