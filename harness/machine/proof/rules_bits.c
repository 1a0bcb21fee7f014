/* Rules of shifts, logic, comparisons and choices. */
#include "rules.h"

/* ---- Shifts and logic ---- */

/* Returns the number that all lanes of all blocks have; UINT32_MAX: it is not known that there is one. */
static uint32_t one_number(const struct step *step, unsigned n)
{
    const struct tag *tag = row_tag(step, n, 0);
    const uint32_t number = WORDS(n)[__builtin_ctz(step->lanes)];
    bool one = tag_knows(tag, step->lanes) && tag->count == 0;
    for (uint32_t left = step->lanes; left; left &= left - 1)
        one &= WORDS(n)[__builtin_ctz(left)] == number;
    return one ? number : UINT32_MAX;
}

/* d, low, shift, high */
void rule_shf(struct step *step)
{
    const struct instruction *code = step->code;
    const bool upper = code->flags[FLAG_HIGH] != 0, left = code->flags[FLAG_LEFT] != 0;
    const unsigned shift = one_number(step, 2);
    const bool plain = shift < 32, alone = !left && !upper && one_number(step, 3) == 0; /* nothing is above it */
    struct tag raw = *raw_tag(step, left || alone ? 1 : 3), result = tag_same;
    const short raised = left && !upper && plain && raw.floor ? floor_raised(step, raw.floor, shift) : 0;
    if (plain && !left && (upper || alone) && tag_knows(&raw, step->lanes)) {
        result = shifted_right(step, &raw, WORDS(alone ? 1 : 3), shift, upper && code->flags[FLAG_SIGNED] != 0);
        tag_wrap(&result, step->proof->axes);
        put_row(step, 0, 0, result.lanes ? &result : &tag_data);
        return;
    }
    const struct tag *low = row_tag(step, 1, 0), *high = row_tag(step, 3, 0);
    if (plain && left && !upper && tag_knows(low, step->lanes)) {
        raw.floor = 0;
        result.lanes = tag_add(&result, raised ? &raw : low, INT64_C(1) << shift) ? UINT32_MAX : 0;
        result.floor = raised;
    } else if (plain && left && upper && tag_knows(low, step->lanes) && tag_knows(high, step->lanes) && shift > 0) {
        result = above_shifted(step, 1, shift);
        result.lanes = result.lanes && tag_add(&result, high, INT64_C(1) << shift) ? UINT32_MAX : 0;
    } else if (plain && !left && tag_knows(low, step->lanes) && tag_knows(high, step->lanes) && shift > 0) {
        result = shifted_right(step, low, WORDS(1), shift, false);
        result.lanes = result.lanes && tag_add(&result, high, INT64_C(1) << (32 - shift)) ? UINT32_MAX : 0;
    } else {
        rule_same(step);
        return;
    }
    tag_wrap(&result, step->proof->axes);
    put_row(step, 0, 0, result.lanes ? &result : &tag_data);
}

static uint32_t truth(uint32_t table, uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t result = 0;
    for (unsigned i = 0; i < 8; i++)
        if (table >> i & 1)
            result |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
    return result;
}

/* The tag of a logical operation of which one operand moves. Below `fixed` its bits are the same in all blocks. The
 * highest bit that matters is `top - 1`. Where each bit from `fixed` on to there becomes the result's, the result moves
 * as the operand does, in a ring of as many bits. Where only bits that are above others matter, it is the same as long
 * as those below do not carry, or a floor if that is of more blocks and all of them pass. */
static struct tag logical(const struct step *step, unsigned n, const uint32_t *words, uint32_t matters, uint32_t passes)
{
    const struct tag raw = *raw_tag(step, n);
    const unsigned cleared = matters ? (unsigned)__builtin_ctz(matters) : 0;
    const unsigned up = raw.floor > 0 ? step->proof->floors[raw.floor - 1].up : 0;
    const bool clears = cleared > up && (passes >> cleared) == (UINT32_MAX >> cleared);
    struct tag floored = tag_data, uncut = tag_same;
    if (clears && raw.floor > 0)
        floored = floor_dropped(step, &raw, words, cleared - up, false, DROP_STAYS);
    if (floored.lanes)
        return floored;
    const struct tag *tag = row_tag(step, n, 0);
    if (!tag_knows(tag, step->lanes))
        return tag_data;
    const unsigned fixed = zeros_below(tag);
    const uint32_t moving = fixed < 32 ? matters >> fixed << fixed : 0;
    struct tag result = tag_same;
    int64_t values[LANES];
    if (!moving) {
        result.lanes = tag_add(&result, tag, 0) ? UINT32_MAX : 0;
        return result;
    }
    const unsigned top = 32 - (unsigned)__builtin_clz(moving), bottom = (unsigned)__builtin_ctz(moving);
    const uint32_t all = (top < 32 ? (1u << top) - 1 : UINT32_MAX) >> fixed << fixed;
    const bool passing = (passes & all) == all;
    const int64_t most = (INT64_C(1) << bottom) - 1;
    for (unsigned l = 0; l < LANES; l++)
        values[l] = words[l] & most;
    const bool known = passing || stays(step, &result, tag, step->lanes, values, 0, most);
    result.lanes = known && tag_add(&result, tag, passing) ? UINT32_MAX : 0;
    result.ring = passing && top < 32 ? (unsigned char)top : 0;
    for (unsigned i = 0; i < result.count && result.ring; i++)
        if (((uint64_t)result.parts[i].by & ((1u << top) - 1)) == 0)
            result.parts[i].by = 0;
    if (clears && !passing && tag_add(&uncut, tag, 0) && is_cut(step, &result, &uncut))
        floored = floor_dropped(step, tag, words, cleared, false, DROP_STAYS);
    return floored.lanes ? floored : result;
}

/* Cuts a box to where what is moved so keeps its sign bit. */
static bool keeps_sign(const struct step *step, struct tag *box, const struct tag *tag, const uint32_t *words)
{
    int64_t values[LANES];
    for (unsigned l = 0; l < LANES; l++)
        values[l] = words[l] & INT32_MAX;
    return stays(step, box, tag, step->lanes, values, 0, INT32_MAX) && tag_add(box, tag, 0);
}

/* p, d, a, b, c, table [, q] */
void rule_lop3(struct step *step)
{
    const struct instruction *code = step->code;
    const uint32_t table = (uint32_t)code->operands[5].value;
    struct tag box = tag_same, result;
    unsigned moving = 0, count = 0;
    bool known = true;
    for (unsigned n = 2; n < 5; n++)
        count += tag_has_factors(raw_tag(step, n));
    const bool alone = count <= 1;
    count = 0;
    for (unsigned n = 2; n < 5 && known; n++) {
        const struct tag *tag = alone ? raw_tag(step, n) : row_tag(step, n, 0);
        const bool moves = alone ? tag_has_factors(tag) : tag_moves(tag);
        known = tag_knows(tag, step->lanes) && (moves || tag_add(&box, tag, 0));
        if (known && moves) {
            moving = n;
            count++;
        }
    }
    if (!known || count > 1) {
        put_all(step, &tag_data, 1, 0);
        return;
    }
    result = box;
    struct floor floor = {.sign = box};
    bool signs = false;
    if (count == 1) {
        uint32_t matters = 0, passes = UINT32_MAX, words[LANES];
        EACH_BIT(l, step->lanes) {
            uint32_t in[2][3];
            for (unsigned k = 0; k < 3; k++)
                for (unsigned i = 0; i < 2; i++)
                    in[i][k] = (k + 2 == moving ? 0u - i : WORDS(k + 2)[l]) ^ INVERT(k + 2);
            const uint32_t zero = truth(table, in[0][0], in[0][1], in[0][2]);
            const uint32_t one = truth(table, in[1][0], in[1][1], in[1][2]);
            matters |= zero ^ one;
            passes &= ~zero & one;
            words[l] = WORDS(moving)[l];
        }
        for (unsigned l = 0; l < LANES; l++)
            words[l] = WORDS(moving)[l];
        result = logical(step, moving, words, matters, passes);
        if (result.lanes && !tag_add(&result, &box, 0))
            result = tag_data;
        tag_wrap(&result, step->proof->axes);
        signs = result.lanes && !tag_moves(&result) && keeps_sign(step, &floor.sign, row_tag(step, moving, 0), words) &&
                is_cut(step, &result, &floor.sign);
    }
    struct tag some = result;
    if (some.ring)
        tag_same_by(&some, some.ring);
    const bool alike =
        some.lanes && !tag_moves(&some) && (code->operand_count <= 6 || join(&some, mask_tag(step, 6), step->lanes));
    some.lanes = UINT32_MAX;
    result.floor = signs ? floor_add(step, &floor) : result.floor;
    put_row(step, 1, 0, result.lanes ? &result : &tag_data);
    put_mask(step, 0, alike ? &some : &tag_data);
}

/* ---- Comparisons and choices ---- */

/* A number that is compared: a word, or what an operand's minus or ~ makes of it. */
struct number {
    struct tag tag;
    int64_t values[LANES];
    bool known;
};

static struct number number_of(const struct step *step, const struct tag *tag, const uint32_t *row, uint32_t invert,
                               uint32_t carry, bool is_signed)
{
    struct number number = {.tag = tag_same, .known = tag_knows(tag, step->lanes)};
    number.known &= tag_add(&number.tag, tag, invert ? -1 : 1);
    number.tag.lanes = UINT32_MAX;
    tag_wrap(&number.tag, step->proof->axes);
    for (unsigned l = 0; l < LANES; l++) {
        const uint32_t word = (row[l] ^ invert) + carry;
        number.values[l] = is_signed ? (int64_t)(int32_t)word : (int64_t)word;
    }
    return number;
}

static struct number operand_number(const struct step *step, unsigned n, bool is_signed)
{
    const struct instruction *code = step->code;
    return number_of(step, row_tag(step, n, 0), WORDS(n), INVERT(n), CARRY(n), is_signed);
}

/* Cuts the box so that a and b stay in an order: lanes in which a is less, those where they are equal, and the others;
 * `equal_to` says with which of both equal ones may go (0: with none). */
static bool order_stays(const struct step *step, struct tag *box, const struct number *a, const struct number *b,
                        bool is_signed, int equal_to)
{
    const int64_t from = is_signed ? INT32_MIN : 0, to = is_signed ? INT32_MAX : UINT32_MAX;
    struct tag apart = a->tag;
    int64_t differences[LANES];
    uint32_t less = 0, equal = 0, more = 0;
    bool known = a->known && b->known && tag_add(&apart, &b->tag, -1) && tag_add(box, &apart, 0);
    if (!known || (!tag_moves(&a->tag) && !tag_moves(&b->tag)))
        return known;
    EACH_BIT(l, step->lanes) {
        differences[l] = a->values[l] - b->values[l];
        *(differences[l] < 0 ? &less : differences[l] > 0 ? &more : &equal) |= 1u << l;
    }
    /* If both change alike, what is equal stays so, and what is not. */
    if (equal_to == 0 && !tag_moves(&apart))
        return true;
    if (tag_moves(&a->tag))
        known &= stays(step, box, &a->tag, step->lanes, a->values, from, to);
    if (tag_moves(&b->tag))
        known &= stays(step, box, &b->tag, step->lanes, b->values, from, to);
    const int64_t far = INT64_C(1) << 40;
    known &= stays(step, box, &apart, less, differences, -far, equal_to < 0 ? 0 : -1);
    known &= stays(step, box, &apart, more, differences, equal_to > 0 ? 0 : 1, far);
    known &= stays(step, box, &apart, equal, differences, equal_to < 0 ? -far : 0, equal_to > 0 ? far : 0);
    return known;
}

/* p0, p1, a, b, q [, the lower words'] */
void rule_isetp(struct step *step)
{
    const struct instruction *code = step->code;
    const unsigned how = code->flags[FLAG_COMPARE]; /* bits: less, equal, greater */
    const bool is_signed = code->flags[FLAG_SIGNED] != 0;
    struct tag box = tag_same;
    bool known;
    if (has_modifier(code, "S64") || has_modifier(code, "U64")) {
        rule_compare_64(step);
        return;
    }
    const struct tag *sign = sign_tag(step, 2);
    const bool of_sign = is_signed && (how == 1 || how == 6) && code->operands[3].row == ROW_ZERO * ROW_BYTES &&
                         code->operands[3].space == SPACE_WARP && !INVERT(2);
    if (sign && of_sign && !code->flags[FLAG_LOW]) {
        known = tag_add(&box, sign, 0) && join(&box, mask_tag(step, 4), step->lanes);
    } else if (code->flags[FLAG_LOW] || how == 0 || how == 7) {
        known = join_all(step, &box, 1);
    } else {
        const struct number a = operand_number(step, 2, is_signed), b = operand_number(step, 3, is_signed);
        const int with = how == 2 || how == 5 ? 0 : how == 3 || how == 4 ? -1 : 1;
        known = order_stays(step, &box, &a, &b, is_signed, with) && join(&box, mask_tag(step, 4), step->lanes);
    }
    tag_wrap(&box, step->proof->axes);
    box.lanes = UINT32_MAX;
    for (unsigned n = 0; n < 2; n++)
        put_mask(step, n, known ? &box : &tag_data);
}

/* What is chosen: of both where the choice differs between lanes, else of one. */
static struct tag chosen_tag(const struct step *step, const struct tag *box, uint32_t first, const struct number *a,
                             const struct number *b)
{
    struct tag result = *box, apart = a->tag;
    const uint32_t ones = first & step->lanes;
    bool known = a->known && b->known;
    if (ones == step->lanes) {
        known = a->known && tag_add(&result, &a->tag, 1);
    } else if (ones == 0) {
        known = b->known && tag_add(&result, &b->tag, 1);
    } else {
        known &= tag_add(&apart, &b->tag, -1);
        for (unsigned i = 0; i < apart.count && known; i++)
            known = (uint32_t)apart.parts[i].by == 0;
        known &= tag_add(&result, &a->tag, 1) && tag_add(&result, &b->tag, 0);
    }
    result.lanes = known ? UINT32_MAX : 0;
    tag_wrap(&result, step->proof->axes);
    return result;
}

/* d, a, b, p */
void rule_sel(struct step *step)
{
    const struct number a = operand_number(step, 1, false), b = operand_number(step, 2, false);
    struct tag box = tag_same;
    if (!join(&box, mask_tag(step, 3), step->lanes)) {
        put_row(step, 0, 0, &tag_data);
        return;
    }
    const struct tag result = chosen_tag(step, &box, predicate(step->warp, &step->code->operands[3]), &a, &b);
    put_row(step, 0, 0, result.lanes ? &result : &tag_data);
}

/* d, a, b, p: the smaller where p is true */
void rule_minimum(struct step *step)
{
    const struct instruction *code = step->code;
    const bool is_signed = code->flags[FLAG_SIGNED] != 0;
    const struct number a = operand_number(step, 1, is_signed), b = operand_number(step, 2, is_signed);
    const unsigned last = code->operand_count - 1u;
    struct tag box = tag_same;
    if (last != 3 || code->flags[FLAG_HALVES] || code->flags[FLAG_RELU]) {
        rule_same(step);
        return;
    }
    if (!join(&box, mask_tag(step, last), step->lanes) || !order_stays(step, &box, &a, &b, is_signed, -1)) {
        put_row(step, 0, 0, &tag_data);
        return;
    }
    uint32_t less = 0;
    for (unsigned l = 0; l < LANES; l++)
        less |= (uint32_t)(a.values[l] < b.values[l] || (a.values[l] == b.values[l])) << l;
    box.lanes = UINT32_MAX;
    const uint32_t smaller = predicate(step->warp, &code->operands[last]);
    const struct tag result = chosen_tag(step, &box, ~(less ^ smaller), &a, &b);
    put_row(step, 0, 0, result.lanes ? &result : &tag_data);
}

/* d, a */
void rule_iabs(struct step *step)
{
    const struct number a = operand_number(step, 1, true);
    struct tag zero_tag = tag_same, result = tag_same;
    struct number zero = {.tag = zero_tag, .known = true};
    uint32_t less = 0;
    for (uint32_t left = step->lanes; left; left &= left - 1)
        less |= a.values[__builtin_ctz(left)] < 0 ? 1u << __builtin_ctz(left) : 0;
    const bool one_sign = less == 0 || less == step->lanes;
    const bool known = order_stays(step, &result, &a, &zero, true, 1) && (one_sign || !tag_moves(&a.tag)) &&
                       tag_add(&result, &a.tag, less ? -1 : 1);
    tag_wrap(&result, step->proof->axes);
    result.lanes = UINT32_MAX;
    put_row(step, 0, 0, known ? &result : &tag_data);
}
