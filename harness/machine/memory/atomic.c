/* Atomics: ATOMG and RED on global memory, ATOM on global or shared, ATOMS on shared memory. Lanes of a warp are done
 * one after the other. Blocks that run at once meet in the same memory, so on global memory the host's atomics are
 * used. */
#include "changes.h"
#include "shape.h"

#include "machine/affine/affine.h"
#include "machine/races/races.h"

enum { FLAG_KIND, FLAG_NUMBER, FLAG_PARTS };
/* The lane before which another block may come in between. The two parts of a warp differ in size. */
enum { INTERRUPTED_LANE = 13 };

static bool prepare_kind(struct instruction *code)
{
    /* In the order of enum change_kind. POPC.INC has the names of two; the first of them counts. */
    const int kind = modifier_among(code, "ADD MIN MAX INC DEC AND OR XOR EXCH CAS POPC");
    const bool found = kind >= 0;
    code->flags[FLAG_KIND] = (unsigned char)kind;
    code->size = IS(64) || IS(F64) ? 8 : 4;
    code->flags[FLAG_NUMBER] = IS(F64)              ? NUMBER_DOUBLE
                               : IS(F32)            ? NUMBER_FLOAT
                               : IS(F16x2)          ? NUMBER_HALVES
                               : IS(BF16x2)         ? NUMBER_BF16S
                               : IS(S32) || IS(S64) ? NUMBER_SIGNED
                                                    : NUMBER_UNSIGNED;
    const unsigned char number = code->flags[FLAG_NUMBER];
    return found && (code->flags[FLAG_KIND] == ATOMIC_ADD || (number != NUMBER_HALVES && number != NUMBER_BF16S));
}

static uint64_t apply(const struct instruction *code, uint64_t old, uint64_t value, uint64_t swap)
{
    return change_value(code->flags[FLAG_KIND], code->flags[FLAG_NUMBER], code->size, old, value, swap);
}

static uint64_t operand_value(const struct warp *warp, const struct instruction *code, unsigned n, unsigned lane)
{
    if (n >= code->operand_count)
        return 0;
    const struct operand *operand = &code->operands[n];
    const uint64_t low = row_at(warp, operand->space, operand->row)[lane];
    return code->size == 8 ? low | (uint64_t)row_at(warp, operand->space, operand->high)[lane] << 32 : low;
}

static void write_result(struct warp *warp, const struct instruction *code, unsigned n, unsigned lane, uint64_t old)
{
    const struct operand *to = &code->operands[n];
    row_at(warp, to->space, to->row)[lane] = (uint32_t)old;
    if (code->size == 8)
        row_at(warp, to->space, to->high)[lane] = (uint32_t)(old >> 32);
}

static uint64_t change_global(const struct warp *warp, const struct instruction *code, uint64_t address, uint64_t value,
                              uint64_t swap)
{
    return change_at_once(code->flags[FLAG_KIND], code->flags[FLAG_NUMBER], code->size,
                          device_bytes(warp->block->machine, address), value, swap);
}

static uint64_t change_shared(const struct instruction *code, unsigned char *place, uint64_t value, uint64_t swap)
{
    uint64_t old = 0;
    memcpy(&old, place, code->size);
    const uint64_t changed = apply(code, old, value, swap);
    memcpy(place, &changed, code->size);
    return old;
}

/* Returns what kind of access an atomic is: `first` is the operand with its address. */
static unsigned kind_of(const struct instruction *code, unsigned first)
{
    const unsigned kind = code->flags[FLAG_KIND];
    return ACCESS_CHANGES |
           (first > 0 && code->operands[first - 1].row < ROW_SINK * ROW_BYTES ? (unsigned)ACCESS_ANSWERS : 0) |
           (first > 0 && (kind == ATOMIC_CAS || kind == ATOMIC_EXCH) ? (unsigned)ACCESS_TRIES : 0);
}

/* Checks, counts and tells of an atomic on global memory, of `code->size` bytes a lane. */
static struct access visit_global(struct warp *warp, const struct instruction *code, uint32_t lanes,
                                  const uint64_t *addresses, unsigned first)
{
    struct block *block = warp->block;
    struct memo memo = {0};
    struct tally *tally = &block->tallies[code->index];
    memo_global(&memo, block, lanes, addresses, code->size);
    memory_inside(block, &memo, tally, lanes, addresses, code->size, true, false);
    if (!memo.aligned)
        memory_misaligned(block, lanes, addresses, code->size);
    const struct access access = global_access(warp, code, &memo, lanes, addresses, kind_of(code, first));
    watch(&access);
    memo.times = 1;
    memo_settle(&memo, tally);
    return access;
}

/* Executes an atomic on global memory, lane by lane. `first` is the operand with the address. Operands before it are
 * written, those behind it are values. */
static void global_lanes(struct warp *warp, const struct instruction *code, uint32_t lanes, const uint64_t *addresses,
                         unsigned first)
{
    struct block *block = warp->block;
    struct access access = visit_global(warp, code, lanes, addresses, first);
    const unsigned kind = code->flags[FLAG_KIND];
    bool tries = kind == ATOMIC_EXCH;
    EACH_BIT(l, lanes) {
        if (l == INTERRUPTED_LANE)
            block->interrupt(block);
        const uint64_t value = operand_value(warp, code, first + 1, l), swap = operand_value(warp, code, first + 2, l);
        const uint64_t old = change_global(warp, code, addresses[l], value, swap);
        access.changed |= ((apply(code, old, value, swap) ^ old) & (code->size == 8 ? UINT64_MAX : UINT32_MAX)) != 0;
        tries |= kind == ATOMIC_CAS && swap != value;
        access.found = access.found * UINT64_C(0x9e3779b97f4a7c15) + old;
        if (first > 0)
            write_result(warp, code, first - 1, l, old);
    }
    if (first > 0 && !access.changed && !tries) /* nothing is added: it is a load */
        access.kind = ACCESS_READS | ACCESS_STRONG;
    watch_done(&access);
}

/* Checks and tells of an atomic on the block's own shared memory. Returns the wavefronts of a store there. */
static unsigned visit_shared(struct warp *warp, const struct instruction *code, uint32_t lanes,
                             const uint32_t *addresses, unsigned kind)
{
    struct block *block = warp->block;
    struct memo memo = {0};
    memo_shared(&memo, lanes, addresses, code->size, true);
    const int64_t one = addresses[__builtin_ctz(lanes)];
    if (one + memo.least < shared_begin(block, code) || one + memo.most + code->size > (int64_t)block->shared_size)
        shared_outside(block, lanes, addresses, code->size);
    if (!memo.aligned)
        shared_misaligned(block, lanes, addresses, code->size);
    watch_lanes(warp, code, lanes, addresses, code->size, kind);
    return memo.wavefronts;
}

static void shared_lanes(struct warp *warp, const struct instruction *code, uint32_t lanes, const uint32_t *addresses,
                         unsigned first)
{
    struct block *block = warp->block;
    const unsigned kind = code->flags[FLAG_KIND];
    visit_shared(warp, code, lanes, addresses,
                 kind_of(code, first) | (first == 1 && kind == ATOMIC_CAS ? (unsigned)ACCESS_SWAPS : 0));
    const struct wavefronts cost = count_atomic(lanes, addresses, code->size,
                                                kind == ATOMIC_CAS    ? ATOMIC_SWAPS
                                                : kind == ATOMIC_POPC ? ATOMIC_COUNTS
                                                                      : ATOMIC_CHANGES);
    shared_counted(&block->tallies[code->index], &cost);
    EACH_BIT(l, lanes) {
        const uint64_t old = change_shared(code, block->shared + addresses[l], operand_value(warp, code, first + 1, l),
                                           operand_value(warp, code, first + 2, l));
        if (first > 0)
            write_result(warp, code, first - 1, l, old);
    }
}

/* Executes an atomic on shared memory of other blocks of the cluster. An H100 counts nothing of it. */
static void other_lanes(struct warp *warp, const struct instruction *code, uint32_t lanes, const uint32_t *addresses,
                        unsigned first)
{
    unsigned char *places[LANES];
    cluster_places(warp, code, lanes, addresses, code->size, ACCESS_FAR | (kind_of(code, first) & ACCESS_ANSWERS),
                   places);
    EACH_BIT(l, lanes) {
        const uint64_t old = change_shared(code, places[l], operand_value(warp, code, first + 1, l),
                                           operand_value(warp, code, first + 2, l));
        if (first > 0)
            write_result(warp, code, first - 1, l, old);
    }
}

static void atomic_at(struct warp *warp, const struct instruction *code, uint32_t lanes, unsigned first)
{
    const uint32_t own = warp->block->rank << RANK_SHIFT;
    uint64_t addresses[LANES];
    uint32_t narrow[LANES], shared = 0, others = 0;
    global_addresses(warp, &code->operands[first], addresses);
    for (unsigned l = 0; l < LANES; l++) {
        narrow[l] = (uint32_t)addresses[l];
        if ((addresses[l] & ~(uint64_t)UINT32_MAX) != SHARED_WINDOW)
            continue;
        if ((narrow[l] & ~OFFSET_MASK) == own) {
            shared |= 1u << l;
            narrow[l] -= own;
        } else {
            others |= 1u << l;
        }
    }
    const unsigned number = code->flags[FLAG_NUMBER];
    if ((lanes & (shared | others)) && (number == NUMBER_HALVES || number == NUMBER_BF16S))
        block_not_simulated(warp->block, "%s on shared memory", code->opcode);
    if (lanes & ~shared & ~others)
        global_lanes(warp, code, lanes & ~shared & ~others, addresses, first);
    if (lanes & others)
        other_lanes(warp, code, lanes & others, narrow, first);
    if (lanes & shared)
        shared_lanes(warp, code, lanes & shared, narrow, first);
}

/* Operands p, d, [address], value [, swap]. p says that it was done. */
static void atomic_global(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    atomic_at(warp, code, lanes, 2);
    predicate_set(warp, &code->operands[0], lanes, ALL_LANES);
}

/* Operands [address], value. */
static void reduction(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    atomic_at(warp, code, lanes, 0);
}

/* Operands [address], values: two or four floats, in registers behind each other. Each is changed by itself. */
static void reduction_of_parts(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    const struct operand *from = &code->operands[1];
    struct instruction whole = *code;
    uint64_t addresses[LANES];
    whole.size = (unsigned char)(code->size * code->flags[FLAG_PARTS]);
    global_addresses(warp, &code->operands[0], addresses);
    const struct access access = visit_global(warp, &whole, lanes, addresses, 0);
    EACH_BIT(l, lanes) {
        for (unsigned k = 0; k < code->flags[FLAG_PARTS]; k++)
            change_global(warp, code, addresses[l] + (uint64_t)k * code->size,
                          row_at(warp, from->space, from->row + k * (from->high - from->row))[l], 0);
    }
    watch_done(&access);
}

/* Operands d, [address], value [, swap]. */
static void atomic_shared(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    uint32_t addresses[LANES];
    own_addresses(warp, &code->operands[1], addresses);
    shared_lanes(warp, code, lanes, addresses, 1);
}

/* Operands p, d, [address], expected, new. Of the lanes in one bank that find what they expect, one swaps and gets 1.
 * The others get 0, even if the value stays what it was. Code of 10.0 and 12.0 has p in place of d. */
static void atomic_cast(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    struct block *block = warp->block;
    uint32_t addresses[LANES];
    own_addresses(warp, &code->operands[2], addresses);
    const unsigned passes = visit_shared(warp, code, lanes, addresses, ACCESS_CHANGES | ACCESS_SWAPS);
    /* Which of 8 bytes that meet in a bank swap at once is not known, so neither is how often the others try again. */
    if (code->size == 8 && passes > 2)
        waits_note(block, code);
    const struct wavefronts cost = count_atomic(lanes, addresses, code->size, ATOMIC_ONE_SWAPS);
    shared_counted(&block->tallies[code->index], &cost);
    const struct operand *to = &code->operands[1];
    uint32_t *result = row_at(warp, to->space, to->row), done = 0, taken = 0 /* banks, in which a lane has swapped */;
    uint32_t results[LANES] = {0};
    for (unsigned l = 0; l < LANES; l++) {
        const uint32_t bank = 1u << (addresses[l] >> 2 & 31);
        if (l == 16 && code->size == 8) /* half-warps of 8-byte atomics come one after the other */
            taken = 0;
        if (!(lanes >> l & 1) || taken & bank)
            continue;
        uint64_t old = 0;
        memcpy(&old, block->shared + addresses[l], code->size);
        if (old != operand_value(warp, code, 3, l))
            continue;
        const uint64_t fresh = operand_value(warp, code, 4, l);
        memcpy(block->shared + addresses[l], &fresh, code->size);
        results[l] = 1;
        done |= 1u << l;
        taken |= bank;
    }
    predicate_set(warp, &code->operands[0], lanes, done);
    for (unsigned l = 0; l < LANES; l++)
        result[l] = lanes >> l & 1 ? results[l] : result[l];
    uint32_t *upper = row_at(warp, to->space, to->high);
    for (unsigned l = 0; l < LANES && code->size == 8; l++)
        upper[l] = lanes >> l & 1 ? 0 : upper[l];
}

/* Counts the lanes of an atomic on global memory at each address, and where they meet. */
static void hot_hear(const struct access *access)
{
    const struct block *block = access->warp->block;
    const unsigned index = access->code->index;
    for (uint32_t left = access->lanes; left;) {
        const uint64_t address = access_address(access, (unsigned)__builtin_ctz(left));
        unsigned here = 0;
        for (uint32_t others = left; others; others &= others - 1)
            if (access_address(access, (unsigned)__builtin_ctz(others)) == address) {
                left &= ~(others & -others);
                here++;
            }
        block->tallies[index].atomics += here;
        block->tallies[index].atomic_meetings += here - 1;
        hot_add(block->hot, address, here, index);
    }
}

const struct watcher hot_watcher = {ACCESS_CHANGES, 0, 0, false, NULL, hot_hear, NULL, NULL};

static bool prepare_global(struct instruction *code)
{
    const bool swaps = has_modifier(code, "CAS");
    return prepare_kind(code) && code->operand_count == 4u + swaps && code->operands[2].kind == OPERAND_ADDRESS;
}

PREPARE(reduction, prepare_kind(code) && code->operand_count == 2 && code->operands[0].kind == OPERAND_ADDRESS)

static bool prepare_parts(struct instruction *code)
{
    code->flags[FLAG_KIND] = ATOMIC_ADD;
    code->flags[FLAG_NUMBER] = NUMBER_FLOAT;
    code->flags[FLAG_PARTS] = has_modifier(code, "F32x4") ? 4 : 2;
    code->size = 4;
    return code->operand_count == 2 && code->operands[0].kind == OPERAND_ADDRESS &&
           code->operands[1].kind == OPERAND_ROW;
}

PREPARE(shared, prepare_kind(code) && code->operand_count >= 2 && code->operands[1].kind == OPERAND_ADDRESS)

static bool prepare_cast(struct instruction *code)
{
    code->size = IS(64) ? 8 : 4;
    return code->operand_count == 5 && code->operands[2].kind == OPERAND_ADDRESS;
}

/* clang-format off */
#define KINDS "ADD MIN MAX INC DEC AND OR XOR EXCH CAS S32 S64 64 F32 F64 FTZ RN F16x2 BF16x2"
const struct opcode atomic_opcodes[] = {
    {"ATOMG.E",          atomic_global,      TRAIT_ATOMIC | TRAIT_GLOBAL,                               prepare_global,    "pd", KINDS " STRONG GPU SYS SM CTA"},
    {"ATOM.E",           atomic_global,      TRAIT_ATOMIC | TRAIT_GENERIC | RULE_GENERIC,               prepare_global,    "pd", KINDS " STRONG GPU SYS SM CTA"},
    {"RED.E",            reduction,          TRAIT_ATOMIC | TRAIT_GLOBAL | RULE_REDUCTION,              prepare_reduction, "",   KINDS " STRONG GPU SYS SM CTA"},
    {"REDG.E",           reduction,          TRAIT_ATOMIC | TRAIT_GLOBAL | RULE_REDUCTION,              prepare_reduction, "",   KINDS " STRONG GPU SYS SM CTA"},
    {"REDG.E.ADD.F32x2", reduction_of_parts, TRAIT_ATOMIC | TRAIT_GLOBAL | RULE_REDUCTION,              prepare_parts,     "",   "FTZ RN STRONG GPU SYS SM CTA"},
    {"REDG.E.ADD.F32x4", reduction_of_parts, TRAIT_ATOMIC | TRAIT_GLOBAL | RULE_REDUCTION,              prepare_parts,     "",   "FTZ RN STRONG GPU SYS SM CTA"},
    {"ATOMS",            atomic_shared,      TRAIT_ATOMIC | TRAIT_SHARED | RULE_NARROW,                 prepare_shared,    "d",  KINDS " POPC 32"},
    {"ATOMS.CAS",        atomic_shared,      TRAIT_ATOMIC | TRAIT_SHARED | TRAIT_SIGNALS,               prepare_shared,    "d",  KINDS},
    {"ATOMS.EXCH",       atomic_shared,      TRAIT_ATOMIC | TRAIT_SHARED | TRAIT_SIGNALS,               prepare_shared,    "d",  KINDS},
    {"ATOMS.CAST.SPIN",  atomic_cast,        TRAIT_ATOMIC | TRAIT_SHARED | TRAIT_SIGNALS | TRAIT_SPINS, prepare_cast,      "pD", "64"},
    {NULL, NULL, CONTROL_NEXT, NULL, NULL, NULL},
};
/* clang-format on */
