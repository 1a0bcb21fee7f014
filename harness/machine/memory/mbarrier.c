/* Barriers in shared memory (mbarrier), and what arrives at them.
 *
 * A barrier has 64 bits, which the code itself initialises. From bit 1 are the arrivals of a phase, and from bit 43
 * those that are still missing; both count up to 2^20. Bit 63 says which phase it is. From bit 21 are the bytes that
 * have come, less those that are expected. On an H200 none of it counts as an access to memory. A warp that has to wait
 * does so within the instruction, for up to 4 microseconds, after which the code waits again. */
#include "memo.h"

#include "machine/races/races.h"

enum { ARRIVALS_AT = 1, BYTES_AT = 21, LEFT_AT = 43, ARRIVAL_BITS = 20, BYTES_BITS = 21, MOST_ARRIVALS = 1 << 20 };
/* How the number of arrivals and of bytes is given; LOWERS: they are expected in no later phase. STAYS: they may
 * not end the phase. */
enum { FLAG_ARRIVALS, FLAG_BYTES, FLAG_COMES, FLAG_LOWERS, FLAG_STAYS };
enum { NONE, ONE, BY_REGISTER };

static uint64_t field(uint64_t state, unsigned at, unsigned bits)
{
    return state >> at & ((UINT64_C(1) << bits) - 1);
}

static uint64_t with_field(uint64_t state, unsigned at, unsigned bits, uint64_t value)
{
    const uint64_t mask = ((UINT64_C(1) << bits) - 1) << at;
    return (state & ~mask) | (value << at & mask);
}

static unsigned missing_arrivals(uint64_t state)
{
    return (unsigned)((MOST_ARRIVALS - field(state, LEFT_AT, ARRIVAL_BITS)) & (MOST_ARRIVALS - 1));
}

/* Bytes that have come, less those that are expected. */
static long long bytes_ahead(uint64_t state)
{
    const uint64_t bytes = field(state, BYTES_AT, BYTES_BITS);
    return (long long)bytes - (bytes >> (BYTES_BITS - 1) ? INT64_C(1) << BYTES_BITS : 0);
}

/* Notes arrivals, and bytes that have come or (below 0) are expected. Returns what the barrier was before. */
static uint64_t arrive_at(struct block *block, uint32_t address, uint64_t arrivals, int64_t bytes, bool lowers)
{
    unsigned char *place = cluster_bytes(block, address, sizeof(uint64_t));
    uint64_t state;
    memcpy(&state, place, sizeof state);
    const uint64_t before = state;
    if (field(state, ARRIVALS_AT, ARRIVAL_BITS) == 0)
        block_fault(block, "the mbarrier at byte %lld of shared memory is not initialised",
                    (long long)(address & OFFSET_MASK) - SHARED_RESERVED);
    if (arrivals > missing_arrivals(state))
        block_fault(block, "%llu arrivals at the mbarrier at byte %lld of shared memory, which expects %u more",
                    (unsigned long long)arrivals, (long long)(address & OFFSET_MASK) - SHARED_RESERVED,
                    missing_arrivals(state));
    if (lowers)
        state = with_field(state, ARRIVALS_AT, ARRIVAL_BITS, field(state, ARRIVALS_AT, ARRIVAL_BITS) + arrivals);
    state = with_field(state, LEFT_AT, ARRIVAL_BITS, field(state, LEFT_AT, ARRIVAL_BITS) + arrivals);
    state = with_field(state, BYTES_AT, BYTES_BITS, field(state, BYTES_AT, BYTES_BITS) + (uint64_t)bytes);
    if (field(state, LEFT_AT, ARRIVAL_BITS) == 0 && field(state, BYTES_AT, BYTES_BITS) == 0) {
        state ^= UINT64_C(1) << 63;
        state = with_field(state, LEFT_AT, ARRIVAL_BITS, field(state, ARRIVALS_AT, ARRIVAL_BITS));
    }
    memcpy(place, &state, sizeof state);
    return before;
}

void mbarrier_bytes_come(struct block *block, uint32_t address, uint64_t bytes)
{
    arrive_at(block, address, 0, (int64_t)bytes, false);
}

static void note_arrival(struct warp *warp, uint32_t address)
{
    struct block *there = cluster_block(warp->block, address, sizeof(uint64_t));
    watch_bytes(warp, NULL, there, ACCESS_ARRIVES, address & OFFSET_MASK, 0, 0);
}

/* ---- Operations ---- */

/* Operands d, [address], value: initialises a barrier. One thread does so. */
static void exchange(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    uint32_t addresses[LANES], *low = ROW(0), *high = HIGH(0);
    const uint32_t *value = ROW(2), *above = HIGH(2);
    shared_access(warp, code, 1, lanes, sizeof(uint64_t), true, addresses);
    const unsigned lane = (unsigned)__builtin_ctz(lanes);
    const uint64_t fresh = value[lane] | (uint64_t)above[lane] << 32;
    uint64_t old;
    memcpy(&old, warp->block->shared + addresses[lane], sizeof old);
    memcpy(warp->block->shared + addresses[lane], &fresh, sizeof fresh);
    record_phase(warp, addresses[lane], PHASE_BEGINS, missing_arrivals(fresh));
    EACH_BIT(l, lanes) {
        low[l] = (uint32_t)old;
        high[l] = (uint32_t)(old >> 32);
    }
}

/* Operands d, [address], how many: each thread arrives. */
static void arrive(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    uint32_t addresses[LANES], *low = ROW(0), *high = HIGH(0), values[LANES];
    memcpy(values, ROW(2), sizeof values);
    narrow_addresses(warp, &code->operands[1], addresses);
    EACH_BIT(l, lanes) {
        const uint64_t arrivals = code->flags[FLAG_ARRIVALS] == BY_REGISTER ? values[l] : code->flags[FLAG_ARRIVALS];
        const int64_t bytes = code->flags[FLAG_BYTES] == BY_REGISTER ? (int64_t)values[l] : code->flags[FLAG_BYTES];
        if (bytes)
            record_phase(warp, addresses[l], code->flags[FLAG_COMES] ? PHASE_GETS : PHASE_EXPECTS, (uint64_t)bytes);
        if (arrivals) {
            note_arrival(warp, addresses[l]);
            record_phase(warp, addresses[l], PHASE_ARRIVES, arrivals);
        }
        const uint64_t before = arrive_at(warp->block, addresses[l], arrivals, code->flags[FLAG_COMES] ? bytes : -bytes,
                                          code->flags[FLAG_LOWERS]);
        if (code->flags[FLAG_STAYS] && mbarrier_phase(warp->block, addresses[l]) != (before >> 63 != 0))
            block_fault(warp->block,
                        "mbarrier.arrive.noComplete completes the phase of the mbarrier at shared-memory byte %lld",
                        (long long)(addresses[l] & OFFSET_MASK) - SHARED_RESERVED);
        low[l] = (uint32_t)before;
        high[l] = (uint32_t)(before >> 32);
    }
}

/* Operand [address]: each thread arrives once its copies of cp.async are done, which they are. */
static void arrive_copied(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    uint32_t addresses[LANES];
    const bool counts = has_modifier(code, "ARVCNT");
    narrow_addresses(warp, &code->operands[0], addresses);
    EACH_BIT(l, lanes) {
        note_arrival(warp, addresses[l]);
        record_phase(warp, addresses[l], counts ? PHASE_ARRIVES : PHASE_GETS, 1);
        arrive_at(warp->block, addresses[l], counts, !counts, false);
    }
}

/* Operands p, [address], phase: the lanes in which that phase, which is bit 31, is over. If it is so in all of them,
 * the warp has waited for it. */
static uint32_t lanes_over(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    uint32_t addresses[LANES], over = 0;
    const uint32_t *phase = ROW(2);
    shared_access(warp, code, 1, lanes, sizeof(uint64_t), false, addresses);
    EACH_BIT(l, lanes) {
        uint64_t state;
        memcpy(&state, warp->block->shared + addresses[l], sizeof state);
        over |= (state >> 63 & 1) != phase[l] >> 31 ? 1u << l : 0;
    }
    for (uint32_t left = lanes; left && over == lanes; left &= left - 1) {
        const unsigned l = (unsigned)__builtin_ctz(left);
        watch_bytes(warp, code, warp->block, ACCESS_WAITED, addresses[l], 0, phase[l] >> 31);
    }
    return over;
}

bool phase_is_over(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    if (lanes_over(warp, code, lanes) != lanes)
        return false;
    predicate_set(warp, &code->operands[0], lanes, ALL_LANES);
    return true;
}

/* Looks whether a phase is over. What it finds may depend on which warp comes first. */
static void look(struct warp *warp, const struct instruction *code, uint32_t lanes)
{
    if (warp->block->copies_arrive)
        block_not_simulated(warp->block, "%s, whose result depends on how long copies take", code->opcode);
    meetings_note(warp->block, code);
    predicate_set(warp, &code->operands[0], lanes, lanes_over(warp, code, lanes));
}

void phase_is_missing(struct warp *warp, const struct split *split)
{
    const struct instruction *code = &warp->block->code->list[split->pc];
    uint32_t addresses[LANES];
    uint64_t state;
    shared_access(warp, code, 1, split->lanes, sizeof state, false, addresses);
    const unsigned lane = (unsigned)__builtin_ctz(split->lanes);
    memcpy(&state, warp->block->shared + addresses[lane], sizeof state);
    const long long ahead = bytes_ahead(state), at = (long long)addresses[lane] - SHARED_RESERVED;
    if (field(state, ARRIVALS_AT, ARRIVAL_BITS) == 0)
        block_fault(warp->block, "warp %u waits for the mbarrier at byte %lld, which is not initialised", warp->number,
                    at);
    block_fault(warp->block,
                "warp %u waits for a phase of the mbarrier at byte %lld of shared memory that never completes: %u "
                "arrivals are missing, and %lld bytes %s",
                warp->number, at, missing_arrivals(state), ahead > 0 ? ahead : -ahead,
                ahead > 0 ? "more arrived than expected" : "have not arrived");
}

/* ---- Preparation ---- */

static bool has_address(const struct instruction *code)
{
    return code->operand_count == 3 && code->operands[1].kind == OPERAND_ADDRESS &&
           code->operands[2].kind == OPERAND_ROW;
}

/* Reads the modifiers of an arrival. A1T0 is one arrival without bytes; R is as many as the register says, T0 none, TX
 * bytes that have come. Without any of them it is one arrival and bytes of the register that are expected. */
static bool prepare_arrive(struct instruction *code)
{
    static const struct {
        const char *name;
        unsigned char arrivals, bytes;
        bool comes;
    } kinds[] = {{"A1T0", ONE, NONE, false},         {"ART0", BY_REGISTER, NONE, false},
                 {"A0TR", NONE, BY_REGISTER, false}, {"A0TX", NONE, BY_REGISTER, true},
                 {"A0T1", NONE, ONE, false},         {"A1TR", ONE, BY_REGISTER, false}};
    const size_t kind = FIRST(k, ARRAY_SIZE(kinds) - 1, has_modifier(code, kinds[k].name));
    code->flags[FLAG_ARRIVALS] = kinds[kind].arrivals;
    code->flags[FLAG_BYTES] = kinds[kind].bytes;
    code->flags[FLAG_COMES] = kinds[kind].comes;
    code->flags[FLAG_LOWERS] = has_modifier(code, "OPTOUT");
    code->flags[FLAG_STAYS] = has_modifier(code, "TMASK");
    return has_address(code);
}

PREPARE(three, has_address(code))
PREPARE(one, code->operand_count == 1 && code->operands[0].kind == OPERAND_ADDRESS)

PREPARE(copied, code->modifier_count == 3 && prepare_one(code))

/* clang-format off */
const struct opcode mbarrier_opcodes[] = {
    {"SYNCS.EXCH.64",                  exchange,      TRAIT_SIGNALS_SOME | RULE_BEGINS,                       prepare_three,  "d", ""},
    {"SYNCS.ARRIVE.TRANS64",           arrive,        TRAIT_SIGNALS_SOME | RULE_BARRIER,                      prepare_arrive, "d", "A1T0 ART0 A0TR A0TX A0T1 A1TR RED OPTOUT TMASK"},
    {"SYNCS.PHASECHK.TRANS64",         look,          TRAIT_SIGNALS_SOME | TRAIT_LOOKS | RULE_BARRIER,        prepare_three,  "p", ""},
    {"SYNCS.PHASECHK.TRANS64.TRYWAIT", NULL,          CONTROL_WAIT_PHASE | TRAIT_SIGNALS_SOME | RULE_BARRIER, prepare_three,  "p", ""},
    {"SYNCS.CCTL.IV",                  NULL,          TRAIT_SIGNALS_SOME,                                     prepare_one,    "",  ""},
    {"ARRIVES.LDGSTSBAR.64",           arrive_copied, RULE_BARRIER,                                      prepare_copied, "",  "TRANSCNT ARVCNT"},
    {NULL, NULL, CONTROL_NEXT, NULL, NULL, NULL},
};
/* clang-format on */
