/* Rules of arithmetic by brute force. An instruction, or a few, is executed in one block of a grid of 5 x 3 while it is
 * proved, and in all others, on words of 5 bits at several places of 32: what a tag says of a block has to be there.
 * In a second turn, which tries few combinations of all forms, there are three further axes: values may depend on more
 * than a tag has. Forms behind a + are tried in that turn alone.
 * Where a tag says nothing of an input, that input is random. */
#include "machine/proof/proof.h"

#include "machine/made_code.h"
#include "machine/made_program.h"
#include "machine/made_warp.h"

#include "test.h"

enum { INPUTS = 6, FIRST_INPUT = 4, WRITTEN = 14, PREDICATES = 4, GRID_X = 5, GRID_Y = 3, AT_X = 2, AT_Y = 1 };
enum { AXES = 5, PLANE = GRID_X * GRID_Y, BLOCKS = PLANE + AXES - 2, OWN = AT_Y * GRID_X + AT_X };

/* What is known of an input: a row. Factors count in units of the words; a ring's in ones. */
static const struct knowledge {
    int by[AXES];
    unsigned low[2], high[2], every[2], ring;
    bool data;
} known[] = {
    {.high = {4, 2}},
    {.by = {1}, .high = {4, 2}},
    {.by = {-1}, .high = {4, 2}},
    {.by = {0, 3}, .high = {4, 2}},
    {.by = {1, 8}, .high = {4, 2}},
    {.by = {16, -2}, .high = {4, 2}},
    {.by = {5}, .low = {1, 0}, .high = {3, 1}},
    {.by = {4}, .high = {4, 2}, .every = {1}},
    {.by = {1, 2}, .high = {4, 2}, .ring = 3},
    {.low = {0, 1}, .high = {4, 1}},
    {.data = true},
    {.by = {1, 2, 4, 8}, .high = {4, 2}},
    {.by = {2, 0, 0, -1, 1}, .high = {4, 2}},
};
enum { ALL_KNOWN = ARRAY_SIZE(known), ON_PLANE = ALL_KNOWN - 2, DATA = ON_PLANE - 1 };
static unsigned kinds, blocks, one_in; /* of this turn: kinds of inputs, blocks, and one of so many combinations */
static const struct words {
    unsigned shift;
    uint32_t more;
} places[] = {{0, 0}, {0, 0xfffffff0}, {0, 0x7ffffff0}, {2, 0}, {27, 0}};

static struct axis axes[AXES_MOST];

static struct tag tag_of(const struct knowledge *of, unsigned shift)
{
    struct tag tag = {.lanes = of->data ? 0 : ALL_LANES, .ring = (unsigned char)of->ring};
    for (unsigned k = 0; k < AXES && !of->data; k++) {
        const struct box box = k < 2 ? (struct box){of->low[k], of->high[k], of->every[k]} : (struct box){.high = 1};
        if (of->by[k] || box.low > 0 || box.high < axes[k].most || box.every)
            tag.parts[tag.count++] = (struct tag_part){k, box.low, box.high, box.every,
                                                       (int64_t)of->by[k] * (INT64_C(1) << (of->ring ? 0 : shift))};
    }
    return tag;
}

/* Where a block is: those of the plane come first. */
static const unsigned *place_of(unsigned block)
{
    static unsigned at[AXES];
    memset(at, 0, sizeof at);
    at[0] = block < PLANE ? block % GRID_X : AT_X;
    at[1] = block < PLANE ? block / GRID_X : AT_Y;
    if (block >= PLANE)
        at[2 + block - PLANE] = 1;
    return at;
}

/* How far a value moves to a block, by tags.h; false: nothing is said of that block. */
static bool moves_to(const struct tag *tag, const unsigned *at, uint32_t *by)
{
    int64_t sum = 0;
    for (unsigned i = 0; i < tag->count; i++) {
        const struct tag_part *part = &tag->parts[i];
        const unsigned k = part->axis, apart = at[k] > axes[k].at ? at[k] - axes[k].at : axes[k].at - at[k];
        if (at[k] < part->low || at[k] > part->high || apart & ((1u << part->every) - 1))
            return false;
        sum += part->by * ((int64_t)at[k] - axes[k].at);
    }
    *by = (uint32_t)sum;
    return true;
}

static uint32_t moved(uint32_t word, const struct tag *tag, uint32_t by)
{
    const uint32_t moving = tag->ring ? (1u << tag->ring) - 1 : UINT32_MAX;
    return (word & ~moving) | ((word + by) & moving);
}

/* The inputs of the block at a place: those of the executed block, as their tags have it. */
static void set_inputs(struct warp *to, const struct warp *from, const struct proof_warp *tags, const unsigned *at)
{
    uint32_t by;
    for (unsigned row = FIRST_INPUT; row < FIRST_INPUT + INPUTS; row++)
        for (unsigned l = 0; l < LANES; l++)
            to->rows[row][l] = tags->rows[row].lanes && moves_to(&tags->rows[row], at, &by)
                                   ? moved(from->rows[row][l], &tags->rows[row], by)
                                   : (uint32_t)made_random();
    for (unsigned p = 1; p <= 2; p++)
        to->masks[p] =
            tags->masks[p].lanes && moves_to(&tags->masks[p], at, &by) ? from->masks[p] : (uint32_t)made_random();
}

static uint32_t guard_of(const struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    return lanes & (warp->masks[code->guard / sizeof(uint32_t)] ^ code->guard_flip);
}

static void execute(struct warp *warp, const struct code *code, uint32_t lanes)
{
    for (size_t i = 0; i < code->count; i++)
        if (guard_of(warp, &code->list[i], lanes))
            code->list[i].run(warp, &code->list[i], guard_of(warp, &code->list[i], lanes));
}

static struct proof_warp before, tags;
static struct warp executed, proved, others[BLOCKS];

/* Compares what is said of a word or a predicate in all blocks of the class. Returns how much was said of others. */
static size_t compare(const struct block_proof *proof, const struct tag *tag, const uint32_t *words,
                      const uint32_t *(*of)(const struct warp *, unsigned), unsigned which, uint32_t lanes,
                      const char *form)
{
    size_t said = 0;
    for (unsigned block = 0; block < blocks && tag->lanes & lanes; block++) {
        const unsigned *at = place_of(block);
        bool in_class = true;
        uint32_t by;
        for (unsigned k = 0; k < AXES; k++) {
            const struct box *box = &proof->box[k];
            in_class &=
                at[k] >= box->low && at[k] <= box->high && (((at[k] - axes[k].at) & ((1u << box->every) - 1)) == 0);
        }
        if (!in_class || !moves_to(tag, at, &by))
            continue;
        said += block != OWN;
        const uint32_t *is = of(&others[block], which);
        for (uint32_t left = tag->lanes & lanes; left; left &= left - 1) {
            const unsigned l = (unsigned)__builtin_ctz(left);
            cr_assert_eq(is[l], moved(words[l], tag, by), "%s: %u, block %u: 0x%x was 0x%x, is 0x%x, not 0x%x", form,
                         which, block, executed.rows[FIRST_INPUT][l], words[l], is[l], moved(words[l], tag, by));
        }
    }
    return said;
}

static const uint32_t *row_of(const struct warp *warp, unsigned row)
{
    return warp->rows[row];
}

/* A predicate as a word for each lane. */
static const uint32_t *mask_of(const struct warp *warp, unsigned mask)
{
    static uint32_t words[2][LANES];
    uint32_t *of = words[warp == &proved];
    for (unsigned l = 0; l < LANES; l++)
        of[l] = warp->masks[mask] >> l & 1;
    return of;
}

/* Proves it for some lanes, and compares. Returns how much was said. */
static size_t prove(struct block *block, const struct code *code, uint32_t lanes, const char *form)
{
    struct block_proof *proof = block->proof;
    size_t said = 0;
    memcpy(tags.rows, before.rows, WRITTEN * sizeof *tags.rows);
    memcpy(tags.masks, before.masks, sizeof tags.masks);
    memcpy(proved.rows, executed.rows, WRITTEN * sizeof *proved.rows);
    memcpy(proved.masks, executed.masks, sizeof proved.masks);
    proved.active = proved.alive = lanes;
    proof->floor_count = 0;
    proof->why = NULL;
    for (unsigned k = 0; k < AXES_MOST; k++)
        proof->box[k] = (struct box){0, axes[k].most, 0};
    for (size_t i = 0; i < code->count && !proof->why; i++) {
        const uint32_t guarded = guard_of(&proved, &code->list[i], lanes);
        proof_step(&proved, &code->list[i], guarded);
        if (guarded)
            code->list[i].run(&proved, &code->list[i], guarded);
    }
    for (unsigned row = 0; row < WRITTEN && !proof->why; row++) {
        tag_settle(&tags.rows[row], proof->floors, axes);
        const bool is_input = row >= FIRST_INPUT && row < FIRST_INPUT + INPUTS;
        const size_t of = compare(proof, &tags.rows[row], proved.rows[row], row_of, row, lanes, form);
        said += is_input ? 0 : of;
    }
    for (unsigned mask = 0; mask < PREDICATES && !proof->why; mask++)
        said += (mask % 3 == 0) * compare(proof, &tags.masks[mask], mask_of(&proved, mask), mask_of, mask, lanes, form);
    return said;
}

/* Tries a form with inputs of which this is known. Returns how much was said. */
static size_t try_inputs(struct block *block, const struct code *code, const unsigned *which, unsigned turn,
                         const struct words *place, const char *form)
{
    static bool uneven[8];
    size_t said = 0;
    for (unsigned i = 0; i < INPUTS; i++) {
        const unsigned row = FIRST_INPUT + i;
        const bool upper = i % 2 && turn % 2; /* of 64 bits that do not move as a whole: 0, all ones, or a few */
        before.rows[row] =
            upper ? tag_same : tag_of(&known[i % 2 ? (which[i / 2] + turn) % kinds : which[i / 2]], place->shift);
        for (unsigned l = 0; l < LANES; l++)
            executed.rows[row][l] = upper ? (turn % 3 == 0 ? UINT32_MAX : turn % 3 - 1) * (i + 1)
                                          : ((l * (i + 1) + turn * i) % 32 << place->shift) + place->more * (i != 2);
    }
    block->proof->uneven = uneven;
    block->proof->threadless = turn % 4 < 2;
    before.masks[1] = tag_of(&known[turn % 2 ? 0 : 9], 0);
    before.masks[2] = tag_of(&known[turn % 8 == 5 ? DATA : 0], 0);
    executed.masks[1] = turn % 4 < 2 ? ALL_LANES : turn % 4 == 2 ? 0 : 0x33333333;
    executed.masks[2] = 0x0f0f5555;
    for (unsigned i = 0; i < blocks; i++) {
        memcpy(others[i].rows, executed.rows, WRITTEN * sizeof *executed.rows);
        memcpy(others[i].masks, executed.masks, sizeof executed.masks);
        if (i != OWN)
            set_inputs(&others[i], &executed, &before, place_of(i));
        execute(&others[i], code, ALL_LANES);
    }
    for (unsigned l = turn % 4; l < LANES; l += 4)
        said += prove(block, code, 1u << l, form);
    for (unsigned l = turn % 8; l + 1 < LANES; l += 8)
        said += prove(block, code, 3u << l, form);
    return said + prove(block, code, ALL_LANES, form);
}

static void make_warp(struct warp *warp, struct block *block, char *constants)
{
    memset(warp, 0, sizeof *warp);
    warp->block = block;
    warp->spaces[SPACE_WARP] = (char *)warp->rows;
    warp->spaces[SPACE_CONSTANTS] = constants;
    warp->masks[MASK_TRUE] = ALL_LANES;
    warp->alive = warp->active = ALL_LANES;
}

static void try_form(const char *form)
{
    static uint32_t constants[8][LANES] __attribute__((aligned(64)));
    struct block_proof proof = {.warps = &tags, .warp_count = 1};
    struct block block = {.proof = &proof, .warp_count = 1};
    struct code *code = made_code(form);
    size_t said = 0;
    cr_assert_leq(code->constant_count, ARRAY_SIZE(constants));
    for (size_t c = 0; c < code->constant_count; c++)
        for (unsigned l = 0; l < LANES; l++)
            constants[c][l] = code->constants[c].value;
    make_warp(&executed, &block, (char *)constants);
    make_warp(&proved, &block, (char *)constants);
    for (unsigned i = 0; i < BLOCKS; i++)
        make_warp(&others[i], &block, (char *)constants);
    axes_of(axes, (const unsigned[]){GRID_X, GRID_Y, 1});
    for (unsigned k = 2; k < AXES && kinds == ALL_KNOWN; k++)
        axes[k] = (struct axis){.most = 1, .last = 1, .unit = 1, .of = k};
    axes[0].at = AT_X;
    axes[1].at = AT_Y;
    memcpy(proof.axes, axes, sizeof axes);
    memset(&before, 0, sizeof before);
    before.rows[ROW_ZERO] = before.masks[MASK_TRUE] = tag_same;
    tags = before;
    for (unsigned i = 0; i < code->count; i++)
        cr_assert_not_null(code->list[i].run, "%s: %s is not simulated", form, code->list[i].opcode);
    for (unsigned turn = 0; turn < 32; turn += 7)
        for (unsigned p = 0; p < ARRAY_SIZE(places); p++)
            for (unsigned a = 0; a < kinds; a++)
                for (unsigned b = 0; b < kinds; b++)
                    if ((a + b + turn) % (4 * one_in) == p % 4)
                        said += try_inputs(&block, code, (const unsigned[]){a, b, (a + 3 * b + turn) % kinds}, turn,
                                           &places[p], form);
    cr_expect_gt(said, 0, "%s: its rule says nothing", form);
    free(proof.floors);
    code_free(code);
}

Test(rules, what_they_say_of_other_blocks_is_there)
{
    OWNED_TEXT file = file_text("tests/unit/machine/proof/rules.txt");
    for (char *line, *rest = file; (line = strsep(&rest, "\n"));) {
        if (*line == '\0' || *line == '#')
            continue;
        kinds = ON_PLANE;
        blocks = PLANE;
        one_in = 1;
        if (*line == '+')
            line++;
        else
            try_form(line);
        kinds = ALL_KNOWN;
        blocks = BLOCKS;
        one_in = 12;
        try_form(line);
    }
}
