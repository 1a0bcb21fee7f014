/* Tests sums with a minus sign and a carry. A minus adds ~x + 1 in the wider sum, so -0 has a carry. */
#include "made_code.h"
#include "made_warp.h"

#include <criterion/criterion.h>

static const uint32_t numbers[] = {0, 1, 2, 0x3fffffff, 0x40000000, 0x7fffffff, 0x80000000, 0xc0000000, 0xffffffff};
enum { COUNT = ARRAY_SIZE(numbers) };

/* Executes one instruction with registers R1 to R4 and predicate P0 set. */
static void execute(struct warp *warp, const char *text, const uint32_t registers[4], bool carry)
{
    struct code *code = made_code(text);
    cr_assert_neq(code->list->control, CONTROL_UNKNOWN, "%s", text);
    for (unsigned i = 0; i < 4; i++)
        warp->rows[1 + i][0] = registers[i];
    warp->masks[0] = carry ? ALL_LANES : 0;
    made_execute(warp, code, ALL_LANES);
    code_free(code);
}

static uint64_t pair(uint32_t low, uint32_t high)
{
    return low | (uint64_t)high << 32;
}

/* Checks sums as compilers subtract and add shifted numbers: first the lower words, then the upper ones with the carry.
 */
Test(lanes_integer, sums_of_shifted_words_in_two_steps)
{
    for (unsigned i = 0; i < COUNT * COUNT * COUNT * COUNT; i++) {
        const uint32_t r[4] = {numbers[i % COUNT], numbers[i / COUNT % COUNT], numbers[i / COUNT / COUNT % COUNT],
                               numbers[i / COUNT / COUNT / COUNT]};
        const uint64_t a = pair(r[0], r[1]), b = pair(r[2], r[3]), less = b - (a << 2), more = b + (a << 2);
        struct warp *warp = made_warp();
        execute(warp, "LEA R5,P1,-R1,R3,0x2", r, false);
        cr_assert_eq(warp->rows[5][0], (uint32_t)less);
        execute(warp, "LEA.HI.X R6,~R1,R4,R2,0x2,P0", r, warp->masks[1] & 1);
        cr_assert_eq(warp->rows[6][0], less >> 32, "0x%llx - 4 * 0x%llx", (unsigned long long)b, (unsigned long long)a);
        execute(warp, "LEA R5,P1,R1,R3,0x2", r, false);
        cr_assert_eq(warp->rows[5][0], (uint32_t)more);
        execute(warp, "LEA.HI.X R6,R1,R4,R2,0x2,P0", r, warp->masks[1] & 1);
        cr_assert_eq(warp->rows[6][0], more >> 32);
        execute(warp, "LEA.HI R6,P1,-R1,R4,R2,0x2", r, false);
        cr_assert_eq(warp->rows[6][0], (uint32_t)(r[3] + (-(a << 2) >> 32)));
        cr_assert_eq(warp->masks[1] & 1, (a << 2) == 0 || r[3] + (-(a << 2) >> 32) > UINT32_MAX);
    }
}

Test(lanes_integer, a_wide_product_and_its_carry)
{
    for (unsigned i = 0; i < COUNT * COUNT * COUNT * COUNT; i++) {
        const uint32_t r[4] = {numbers[i % COUNT], numbers[i / COUNT % COUNT], numbers[i / COUNT / COUNT % COUNT],
                               numbers[i / COUNT / COUNT / COUNT]};
        const uint64_t product = (uint64_t)r[0] * r[1], c = pair(r[2], r[3]);
        struct warp *warp = made_warp();
        execute(warp, "IMAD.WIDE.U32 R6,P1,R1,R2,-R3", r, false);
        cr_assert_eq(pair(warp->rows[6][0], warp->rows[7][0]), product - c);
        cr_assert_eq(warp->masks[1] & 1, product >= c);
        execute(warp, "IMAD.WIDE.U32 R6,P1,-R1,R2,R3", r, false);
        cr_assert_eq(pair(warp->rows[6][0], warp->rows[7][0]), c - product);
        cr_assert_eq(warp->masks[1] & 1, c >= product);
        execute(warp, "IMAD.WIDE.U32.X R6,P1,R1,R2,~R3,P0", r, i & 1);
        cr_assert_eq(pair(warp->rows[6][0], warp->rows[7][0]), product + ~c + (i & 1));
        cr_assert_eq(warp->masks[1] & 1, product > c || ((i & 1) && product == c));
    }
}

/* Checks products of upper words, in which a sign makes no difference. */
Test(lanes_integer, a_product_and_a_carry)
{
    static const char *const plus[] = {"IMAD.X R5,R1,R2,R3,P0", "IMAD.U32.X R5,R1,R2,R3,P0"},
                             *const minus[] = {"IMAD.X R5,R1,R2,~R3,P0", "IMAD.U32.X R5,R1,R2,~R3,P0"};
    for (unsigned i = 0; i < COUNT * COUNT * COUNT; i++) {
        const uint32_t r[4] = {numbers[i % COUNT], numbers[i / COUNT % COUNT], numbers[i / COUNT / COUNT]};
        struct warp *warp = made_warp();
        execute(warp, plus[i % 2], r, i & 2);
        cr_assert_eq(warp->rows[5][0], r[0] * r[1] + r[2] + (i >> 1 & 1));
        execute(warp, minus[i % 2], r, i & 2);
        cr_assert_eq(warp->rows[5][0], r[0] * r[1] + ~r[2] + (i >> 1 & 1));
    }
}

/* nvdisasm writes R2P with PR, and now and then without, so both must set the same predicates. */
Test(lanes_integer, predicates_from_bits_of_a_word)
{
    static const char *const forms[] = {"R2P PR,R3,R4", "R2P R3,R4"};
    for (unsigned i = 0; i < ARRAY_SIZE(forms); i++) {
        const uint32_t r[4] = {0, ALL_LANES, 0x6, 0x5};
        struct warp *warp = made_warp();
        memset(warp->masks, 0, sizeof warp->masks[0] * 4);
        warp->rows[0][0] = ALL_LANES;
        execute(warp, forms[i], r, true);
        cr_expect_eq(warp->masks[0] & 1, 0, "%s", forms[i]);
        cr_expect_eq(warp->masks[1] & 1, 0, "not in the mask: %s", forms[i]);
        cr_expect_eq(warp->masks[2] & 1, 1, "%s", forms[i]);
    }
}

/* The sign of an immediate goes on into the upper word. */
Test(lanes_integer, a_wide_sum_with_an_immediate)
{
    for (unsigned i = 0; i < COUNT * COUNT; i++) {
        const uint32_t r[4] = {numbers[i % COUNT], numbers[i / COUNT], 0, 0};
        const uint64_t a = pair(r[0], r[1]);
        struct warp *warp = made_warp();
        struct sum {
            const char *text;
            uint64_t value;
        } sums[] = {
            {"IADD3.64 R6,R1,0x40,RZ", a + 0x40}, {"IADD3.64 R6,R1,-0x40,RZ", a - 0x40}, {"IADD3.64 R6,-R1,R3,RZ", -a}};
        for (unsigned n = 0; n < ARRAY_SIZE(sums); n++) {
            execute(warp, sums[n].text, r, false);
            cr_assert_eq(pair(warp->rows[6][0], warp->rows[7][0]), sums[n].value);
        }
    }
}
