/* Rules of sums, products and addresses of whole numbers. */
#include "rules.h"

/* A sum of whole numbers, each times a factor. `low` is its lower word, exactly as far as factors go; `box` is where
 * the words above that are the same. */
struct sum {
    bool data, above;
    struct tag low, box;
    uint32_t words[LANES];
};

static struct sum sum_begin(void)
{
    return (struct sum){.above = true, .low = tag_same, .box = tag_same};
}

/* Adds a word, inverted or not, times a factor. */
static void sum_add(const struct step *step, struct sum *sum, const struct tag *tag, const uint32_t *row,
                    uint32_t invert, int64_t factor, bool is_signed)
{
    struct tag moves = tag_same;
    int64_t values[LANES];
    if (!tag_knows(tag, step->lanes) || !tag_add(&moves, tag, invert ? -1 : 1) || sum->data) {
        sum->data = true;
        return;
    }
    tag_wrap(&moves, step->proof->axes);
    for (unsigned l = 0; l < LANES; l++) {
        const uint32_t word = row[l] ^ invert;
        values[l] = is_signed ? (int64_t)(int32_t)word : (int64_t)word;
        sum->words[l] += (uint32_t)((uint64_t)values[l] * (uint64_t)factor);
    }
    moves.lanes = UINT32_MAX;
    const int64_t from = is_signed ? INT32_MIN : 0, to = is_signed ? INT32_MAX : UINT32_MAX;
    if (tag_moves(&moves))
        sum->above &= stays(step, &sum->box, &moves, step->lanes, values, from, to);
    sum->data |= !tag_add(&sum->low, &moves, factor);
}

/* Adds a predicate as a carry. */
static void sum_carry(const struct step *step, struct sum *sum, unsigned n)
{
    const uint32_t in = predicate(step->warp, &step->code->operands[n]);
    sum->data |= !join(&sum->low, mask_tag(step, n), step->lanes);
    for (unsigned l = 0; l < LANES; l++)
        sum->words[l] += in >> l & 1;
}

/* What is above a lower word that moves so. */
static struct floor floor_of(const struct step *step, const struct tag *low, const int64_t *words)
{
    struct floor floor = {.least = UINT64_MAX, .bits = 32};
    tag_factors(low, floor.by);
    for (uint32_t left = step->lanes; left; left &= left - 1) {
        const uint64_t word = (uint64_t)words[__builtin_ctz(left)];
        floor.least = word < floor.least ? word : floor.least;
        floor.most = word > floor.most ? word : floor.most;
    }
    return floor;
}

/* Ends a sum: where the lower word stays what it is and does not wrap, the words above it are the same. The box has
 * that of all numbers then, since the lower word's has. With `floors` they may be a floor instead, which is of more
 * blocks. */
static void sum_end(const struct step *step, struct sum *sum, uint32_t add, bool floors)
{
    int64_t values[LANES];
    struct tag uncut = sum->box, moves = sum->low;
    moves.floor = 0;
    for (unsigned l = 0; l < LANES; l++)
        values[l] = sum->words[l] += add;
    if (sum->data)
        return;
    sum->above = sum->above && stays(step, &sum->box, &moves, step->lanes, values, 0, UINT32_MAX);
    if (floors && sum->above && tag_add(&uncut, &moves, 0) && is_cut(step, &sum->box, &uncut)) {
        const struct floor floor = floor_of(step, &moves, values);
        uncut.floor = floor_add(step, &floor);
        sum->box = uncut.floor ? uncut : sum->box;
    }
    tag_wrap(&sum->low, step->proof->axes);
    tag_wrap(&sum->box, step->proof->axes);
    sum->low.lanes = sum->box.lanes = UINT32_MAX;
}

static const struct tag *sum_low(const struct sum *sum)
{
    return sum->data ? &tag_data : &sum->low;
}

static const struct tag *sum_above(const struct sum *sum)
{
    return sum->data || !sum->above ? &tag_data : &sum->box;
}

static bool writes_mask(const struct step *step, unsigned n)
{
    return step->code->operands[n].row / sizeof(uint32_t) != MASK_SINK;
}

static bool extended(const struct instruction *code)
{
    return code->flags[FLAG_EXTENDED] != 0;
}

/* Of a sum one floor may be left as it is: then it is not known what is above. */
static void add_operand(const struct step *step, struct sum *sum, unsigned n, bool floors)
{
    const struct instruction *code = step->code;
    struct tag tag = *(floors && !sum->low.floor ? raw_tag(step, n) : row_tag(step, n, 0));
    if (tag.floor) {
        sum->low.floor = INVERT(n) ? (short)-tag.floor : tag.floor;
        sum->above = false;
        tag.floor = 0;
    }
    sum_add(step, sum, &tag, WORDS(n), INVERT(n), 1, false);
}

struct tag above_shifted(const struct step *step, unsigned n, unsigned shift)
{
    struct sum sum = sum_begin();
    sum_add(step, &sum, row_tag(step, n, 0), WORDS(n), 0, INT64_C(1) << shift, false);
    sum_end(step, &sum, 0, true);
    return *sum_above(&sum);
}

unsigned zeros_below(const struct tag *tag)
{
    unsigned zeros = 32;
    for (unsigned i = 0; i < tag->count; i++)
        if (tag->parts[i].by && (unsigned)__builtin_ctzll((uint64_t)tag->parts[i].by) < zeros)
            zeros = (unsigned)__builtin_ctzll((uint64_t)tag->parts[i].by);
    return zeros;
}

/* Shifts a word to the right. A factor is shifted with it if nothing of it is lost. Else it is the same where the bits
 * that are lost do not carry, or a floor if that is of more blocks. */
struct tag shifted_right(const struct step *step, const struct tag *tag, const uint32_t *row, unsigned shift,
                         bool is_signed)
{
    struct tag result = tag_same, uncut = tag_same, settled = *tag;
    int64_t values[LANES];
    bool known;
    if (tag->floor) {
        result = floor_dropped(step, tag, row, shift, is_signed, DROP_SHIFTS);
        tag_settle(&settled, step->proof->floors, step->proof->axes);
        if (result.lanes || !tag_knows(&settled, step->lanes))
            return result;
        tag = &settled;
        result = tag_same;
    }
    for (unsigned l = 0; l < LANES; l++)
        values[l] = is_signed ? (int64_t)(int32_t)row[l] : (int64_t)row[l];
    if (zeros_below(tag) >= shift) {
        known = stays(step, &result, tag, step->lanes, values, is_signed ? INT32_MIN : 0,
                      is_signed ? INT32_MAX : UINT32_MAX);
        struct tag divided = *tag;
        for (unsigned i = 0; i < divided.count; i++)
            divided.parts[i].by /= INT64_C(1) << shift;
        known &= tag_add(&result, &divided, 1);
    } else {
        for (unsigned l = 0; l < LANES; l++)
            values[l] &= (INT64_C(1) << shift) - 1;
        known =
            stays(step, &result, tag, step->lanes, values, 0, (INT64_C(1) << shift) - 1) && tag_add(&result, tag, 0);
        if (tag_add(&uncut, tag, 0) && is_cut(step, &result, &uncut)) {
            const struct tag floored = floor_dropped(step, tag, row, shift, is_signed, DROP_SHIFTS);
            if (floored.lanes && !is_cut(step, &floored, &uncut))
                return floored;
        }
    }
    result.lanes = known ? UINT32_MAX : 0;
    return result;
}

/* d, carry 1, carry 2, a, b, c [, carries in] */
void rule_iadd3(struct step *step)
{
    const struct instruction *code = step->code;
    struct sum sum = sum_begin();
    const bool floors = !writes_mask(step, 1) && !writes_mask(step, 2);
    for (unsigned n = 3; n < 6; n++)
        add_operand(step, &sum, n, floors);
    for (unsigned n = 6; n < 8 && n < code->operand_count && extended(code); n++)
        sum_carry(step, &sum, n);
    sum_end(step, &sum, CARRY(3) + CARRY(4) + CARRY(5), false);
    put_row(step, 0, 0, sum_low(&sum));
    put_mask(step, 1, sum_above(&sum));
    put_mask(step, 2, sum_above(&sum));
}

/* d, a [, b] */
void rule_add(struct step *step)
{
    const struct instruction *code = step->code;
    struct sum sum = sum_begin();
    uint32_t carries = 0;
    for (unsigned n = 1; n < code->operand_count && n < 3; n++) {
        add_operand(step, &sum, n, true);
        carries += CARRY(n);
    }
    sum_end(step, &sum, carries, false);
    put_row(step, 0, 0, sum_low(&sum));
}

/* Adds a word with a floor, times a power of two. What is above that is not known. False: it is none. */
static bool raise_floor(const struct step *step, struct sum *sum, const struct tag *raw, unsigned a)
{
    const struct instruction *code = step->code;
    const struct operand *by = &code->operands[a + 1];
    const uint32_t factor = WORDS(a + 1)[0];
    if (!by->immediate || factor & (factor - 1) || !factor || code->operands[a].negate != by->negate)
        return false;
    struct tag tag = *raw;
    tag.floor = 0;
    sum->low.floor = floor_raised(step, raw->floor, (unsigned)__builtin_ctz(factor));
    sum_add(step, sum, &tag, WORDS(a), 0, factor, false);
    sum->above = false;
    sum->data |= !sum->low.floor;
    return true;
}

/* Adds the product of operands a and a + 1, of which only one may move, and that by a number all lanes have. */
static void add_product(const struct step *step, struct sum *sum, unsigned a, bool is_signed, bool floors)
{
    const struct instruction *code = step->code;
    const struct tag raw = *raw_tag(step, a);
    if (raw.floor && floors && raise_floor(step, sum, &raw, a))
        return;
    const struct tag *tags[2] = {row_tag(step, a, 0), row_tag(step, a + 1, 0)};
    const bool both = tag_has_factors(tags[0]) && tag_has_factors(tags[1]);
    const unsigned moving = both ? tag_moves(tags[1]) : tag_has_factors(tags[1]), other = a + !moving;
    const bool negate = code->operands[a].negate != code->operands[a + 1].negate;
    const uint32_t *factors = WORDS(other), *row = WORDS(a + moving);
    if (!tag_knows(tags[0], step->lanes) || !tag_knows(tags[1], step->lanes) || tag_moves(tags[!moving])) {
        sum->data = true;
        return;
    }
    if (tag_has_factors(tags[moving])) {
        const uint32_t factor = factors[__builtin_ctz(step->lanes)];
        for (uint32_t left = step->lanes; left; left &= left - 1)
            sum->data |= factors[__builtin_ctz(left)] != factor;
        const int64_t by = is_signed ? (int64_t)(int32_t)factor : (int64_t)factor;
        sum->data |= !join(&sum->low, tags[!moving], step->lanes);
        sum_add(step, sum, tags[moving], row, 0, negate ? -by : by, is_signed);
        return;
    }
    sum->data |= !tag_add(&sum->low, tags[0], 0) || !tag_add(&sum->low, tags[1], 0);
    for (unsigned l = 0; l < LANES; l++)
        sum->words[l] += (negate ? 0 - row[l] : row[l]) * factors[l];
}

/* d, carry, a, b, c [, carry in] */
void rule_imad(struct step *step)
{
    const struct instruction *code = step->code;
    struct sum sum = sum_begin();
    add_product(step, &sum, 2, false, true);
    add_operand(step, &sum, 4, true);
    if (extended(code) && code->operand_count > 5)
        sum_carry(step, &sum, 5);
    sum_end(step, &sum, CARRY(4), false);
    /* The words above a product are not those that it carries; and where two parts move oppositely, the carry changes
     * though their sum does not. */
    const bool alike =
        !sum.data && !tag_moves(raw_tag(step, 2)) && !tag_moves(raw_tag(step, 3)) && !tag_moves(raw_tag(step, 4));
    put_row(step, 0, 0, sum_low(&sum));
    put_mask(step, 1, alike ? &sum.low : &tag_data);
}

/* The upper word of a sum with c: what it is above, and c's own. */
static void put_high(struct step *step, const struct sum *sum, unsigned n, unsigned k, const struct tag *c)
{
    struct tag high = *sum_above(sum);
    if (!tag_knows(c, step->lanes) || !tag_add(&high, c, 1))
        high = tag_data;
    else if (high.lanes)
        high.lanes = UINT32_MAX;
    tag_wrap(&high, step->proof->axes);
    put_row(step, n, k, sum_above(sum)->lanes ? &high : &tag_data);
}

/* IMAD.WIDE and IMAD.HI: d, carry, a, b, c (a pair) [, carry in]. */
void rule_wide_product(struct step *step)
{
    const struct instruction *code = step->code;
    const bool is_signed = code->flags[FLAG_SIGNED] != 0, is_high = has_modifier(code, "HI");
    const bool inverts = INVERT(4) != 0;
    struct sum sum = sum_begin();
    add_product(step, &sum, 2, is_signed, false);
    add_operand(step, &sum, 4, false);
    if (extended(code))
        sum_carry(step, &sum, 5);
    sum_end(step, &sum, CARRY(4), true);
    const struct tag *high = row_tag(step, 4, 1);
    struct tag turned = tag_same;
    if (inverts) {
        const bool known = tag_knows(high, step->lanes) && tag_add(&turned, high, -1);
        turned.lanes = known ? UINT32_MAX : 0;
        high = &turned;
    }
    const struct tag kept = *high; /* c may be d */
    struct tag both = *sum_above(&sum);
    /* Below 0 a product has all words above it, so that its sum has a carry where it changes its sign. */
    const bool keeps_sign = !is_signed || (!tag_moves(raw_tag(step, 2)) && !tag_moves(raw_tag(step, 3)));
    const bool alike = both.lanes && !both.floor && keeps_sign && join(&both, &kept, step->lanes);
    if (!is_high)
        put_row(step, 0, 0, sum_low(&sum));
    put_high(step, &sum, 0, is_high ? 0 : 1, &kept);
    both.lanes = UINT32_MAX;
    put_mask(step, 1, alike ? &both : &tag_data);
}

/* Adds a word shifted to the left, whose upper bits are lost. */
static void add_shifted(const struct step *step, struct sum *sum, unsigned n, unsigned shift, uint32_t invert)
{
    struct tag moved = tag_same;
    uint32_t words[LANES];
    const struct tag *tag = row_tag(step, n, 0);
    if (!tag_knows(tag, step->lanes) || !tag_add(&moved, tag, INT64_C(1) << shift)) {
        sum->data = true;
        return;
    }
    moved.lanes = UINT32_MAX;
    tag_wrap(&moved, step->proof->axes);
    for (unsigned l = 0; l < LANES; l++)
        words[l] = WORDS(n)[l] << shift;
    sum_add(step, sum, &moved, words, invert, 1, false);
}

/* d, carry, a, b, shift [, carry in] */
void rule_lea(struct step *step)
{
    const struct instruction *code = step->code;
    struct sum sum = sum_begin();
    add_shifted(step, &sum, 2, (unsigned)code->operands[4].value & 31, INVERT(2));
    add_operand(step, &sum, 3, false);
    if (extended(code))
        sum_carry(step, &sum, 5);
    sum_end(step, &sum, CARRY(2) + CARRY(3), false);
    put_row(step, 0, 0, sum_low(&sum));
    put_mask(step, 1, sum_above(&sum));
}

/* Whether it is (a >> 1) + b, where a subtracts the floor that b has: so is divided by a number of 33 bits. */
static bool halves(const struct step *step)
{
    const struct instruction *code = step->code;
    const struct tag *a = raw_tag(step, 2), *b = raw_tag(step, 3);
    bool zero =
        !tag_moves(raw_tag(step, 4)) && tag_knows(raw_tag(step, 4), step->lanes) && raw_tag(step, 4)->count == 0;
    for (uint32_t left = step->lanes; left; left &= left - 1)
        zero &= WORDS(4)[__builtin_ctz(left)] == 0;
    return a->floor < 0 && b->floor == -a->floor && tag_knows(a, step->lanes) && tag_knows(b, step->lanes) && zero &&
           !extended(code) && !code->flags[FLAG_SIGNED] && !INVERT(3) && !code->operands[2].negate &&
           !code->operands[2].invert;
}

/* d, carry, a, b, c, shift [, carry in]: b and the upper word of c:a, shifted; c is the sign of a, or the same. */
void rule_lea_hi(struct step *step)
{
    const struct instruction *code = step->code;
    const bool is_signed = code->flags[FLAG_SIGNED] != 0; /* .SX32 */
    const unsigned shift = (unsigned)code->operands[5].value & 31;
    struct sum moved = sum_begin(), sum = sum_begin();
    uint32_t words[LANES];
    if (shift == 31 && halves(step)) {
        const struct tag half = floor_dropped(step, raw_tag(step, 2), WORDS(2), 1, false, DROP_HALVES);
        struct tag b = *raw_tag(step, 3), low = half;
        b.floor = 0;
        low.floor = 0;
        low.lanes = half.lanes && tag_add(&low, &b, 1) ? UINT32_MAX : 0;
        tag_wrap(&low, step->proof->axes);
        low.floor = half.floor;
        put_row(step, 0, 0, low.lanes ? &low : &tag_data);
        put_mask(step, 1, &tag_data);
        return;
    }
    struct tag high = tag_data, same = tag_same;
    const bool inverts = code->operands[2].negate || code->operands[2].invert;
    if (!tag_has_factors(raw_tag(step, 2)) || inverts) { /* then it is a word that is the same */
        high = join(&same, row_tag(step, 2, 0), step->lanes) ? same : tag_data;
    } else if (shift == 0) {
        sum_add(step, &moved, row_tag(step, 2, 0), WORDS(2), 0, 1, is_signed);
        sum_end(step, &moved, 0, true);
        high = *sum_above(&moved);
    } else if (tag_knows(raw_tag(step, 2), step->lanes)) {
        high = shifted_right(step, raw_tag(step, 2), WORDS(2), 32 - shift, is_signed);
    }
    if (!is_signed && !join(&high, row_tag(step, 4, 0), step->lanes))
        high = tag_data;
    for (unsigned l = 0; l < LANES; l++) {
        const uint32_t a = WORDS(2)[l], c = is_signed ? (uint32_t)((int32_t)a >> 31) : WORDS(4)[l];
        const uint64_t whole = ((uint64_t)c << 32 | a) << shift;
        words[l] = ((uint32_t)(whole >> 32) ^ INVERT(2)) + ((uint32_t)whole == 0 ? CARRY(2) : 0);
    }
    sum.low.floor = high.floor;
    sum.above = !high.floor;
    high.floor = 0;
    sum_add(step, &sum, &high, words, 0, 1, false);
    add_operand(step, &sum, 3, false);
    if (extended(code))
        sum_carry(step, &sum, 6);
    sum_end(step, &sum, CARRY(3), false);
    put_row(step, 0, 0, sum_low(&sum));
    put_mask(step, 1, sum_above(&sum));
}
